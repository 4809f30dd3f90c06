/* assay-torch-storage.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tensors that look at the same elements. A view remembers where in the storage its elements lie,
 * as PyTorch does (sizes, strides, offset). What writes to one makes a new value of the storage;
 * the others are taken from it anew when somebody reads them. A view of extents that are only known
 * at run time has no place in its storage: it can be read until another tensor writes there.
 */
#include <string.h>

#include "source/torch/assay-torch-lower-private.h"

#include "base/assay-sentence.h"

/* More indices than this are not written into a graph. */
#define MAX_INDICES (1 << 22)

static void
contiguous (guint rank, const gint64 *dims, gint64 *strides)
{
  gint64 step = 1;

  for (guint i = rank; i-- > 0;)
    {
      strides[i] = step;
      step *= MAX (dims[i], 1);
    }
}

static gint64
count (guint rank, const gint64 *dims)
{
  gsize n;

  return assay_dims_count (rank, dims, &n) ? (gint64) n : -1;
}

static void
set_shape (AssayTorchLower *self, AssayTorchItem *item, guint rank, const gint64 *dims,
           const gint64 *strides, gint64 offset)
{
  item->rank = rank;
  item->dims = assay_arena_memdup (self->arena, dims, rank * sizeof *dims);
  item->strides = assay_arena_memdup (self->arena, strides, rank * sizeof *strides);
  item->offset = offset;
}

static gboolean
known_dims (const AssayType *type, gint64 *dims)
{
  if (type->kind != ASSAY_TYPE_KIND_TENSOR || type->rank < 0)
    return FALSE;
  for (int i = 0; i < type->rank; i++)
    {
      if (type->dims[i].size < 0)
        return FALSE;
      dims[i] = type->dims[i].size;
    }

  return TRUE;
}

/* Gives a tensor a storage, and a place in it if all its extents are known. */
gboolean
assay_torch_track (AssayTorchLower *self, AssayTorchItem *item)
{
  const AssayType *type;
  gint64 dims[ASSAY_MAX_RANK];
  gint64 strides[ASSAY_MAX_RANK];

  if (item->storage != NULL)
    return item->place == ASSAY_TORCH_PLACE_KNOWN;

  type = assay_torch_type (self, item->value);
  item->storage = assay_arena_alloc (self->arena, sizeof *item->storage);
  *item->storage = (AssayTorchStorage){ .value = item->value, .n = -1 };
  item->version = 0;
  item->place = ASSAY_TORCH_PLACE_WHOLE;
  if (!known_dims (type, dims))
    return FALSE;

  item->place = ASSAY_TORCH_PLACE_KNOWN;
  item->storage->n = count ((guint) type->rank, dims);
  contiguous ((guint) type->rank, dims, strides);
  set_shape (self, item, (guint) type->rank, dims, strides, 0);

  return TRUE;
}

/* Ties tensors that may have elements in common, since an operation that is not made may give a
 * view of what it takes. What writes to one leaves the others unknown. */
void
assay_torch_tie (AssayTorchLower *self, guint n, AssayTorchItem *const *items)
{
  AssayTorchTie *tie = assay_arena_alloc (self->arena, sizeof *tie);

  *tie = (AssayTorchTie){ n, assay_arena_alloc_n (self->arena, MAX (n, 1), sizeof (gpointer)) };
  for (guint i = 0; i < n; i++)
    {
      AssayTorchKnot *knot = assay_arena_alloc (self->arena, sizeof *knot);

      assay_torch_track (self, items[i]);
      tie->members[i] = items[i]->storage;
      *knot = (AssayTorchKnot){ tie, items[i]->storage->knots };
      items[i]->storage->knots = knot;
    }
}

/* All that is tied to a storage, directly or through others, is unknown after a write to it. */
static void
spoil_tied (AssayTorchLower *self, AssayTorchStorage *storage)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) left = g_ptr_array_new ();

  g_hash_table_add (seen, storage);
  g_ptr_array_add (left, storage);
  while (left->len > 0)
    {
      AssayTorchStorage *next = g_ptr_array_remove_index_fast (left, left->len - 1);

      for (const AssayTorchKnot *knot = next->knots; knot != NULL; knot = knot->next)
        for (guint i = 0; i < knot->tie->n; i++)
          if (g_hash_table_add (seen, knot->tie->members[i]))
            {
              knot->tie->members[i]->spoiler = self->op_type;
              g_ptr_array_add (left, knot->tie->members[i]);
            }
    }
}

/* Whether a tensor is all of its storage, in order. */
static gboolean
is_whole (const AssayTorchItem *item)
{
  gint64 strides[ASSAY_MAX_RANK];

  contiguous (item->rank, item->dims, strides);
  for (guint i = 0; i < item->rank; i++)
    if (item->dims[i] != 1 && strides[i] != item->strides[i])
      return FALSE;

  return item->offset == 0 && count (item->rank, item->dims) == item->storage->n;
}

/* Where the elements of a tensor lie, row by row. */
static AssayValueId
indices (AssayTorchLower *self, guint rank, const gint64 *dims, const gint64 *strides,
         gint64 offset, gint64 limit)
{
  gint64 n = count (rank, dims);
  gint64 at[ASSAY_MAX_RANK] = { 0 };
  g_autofree gint64 *places = NULL;
  g_autoptr (AssayTensor) tensor = NULL;

  if (n < 0 || n > MAX_INDICES)
    {
      assay_torch_cannot (self, "a view of %" G_GINT64_FORMAT " element%s is too large", n,
                          assay_plural (n));
      return ASSAY_NO_VALUE;
    }
  places = g_new (gint64, MAX (n, 1));
  for (gint64 i = 0; i < n; i++)
    {
      gint64 place = offset;

      for (guint k = 0; k < rank; k++)
        place += at[k] * strides[k];
      if (place < 0 || place >= limit)
        {
          assay_torch_cannot (
              self, "a view reaches beyond the %" G_GINT64_FORMAT " element%s it looks at", limit,
              assay_plural (limit));
          return ASSAY_NO_VALUE;
        }
      places[i] = place;
      for (guint k = rank; k-- > 0 && ++at[k] == dims[k];)
        at[k] = 0;
    }
  tensor = assay_tensor_new_i64 (rank, dims, places);

  return assay_torch_keep (self, tensor);
}

/* The elements as the storage has them now. */
AssayValueId
assay_torch_read (AssayTorchLower *self, AssayTorchItem *item)
{
  AssayTorchStorage *storage = item->storage;

  if (storage == NULL || (item->version == storage->version && storage->spoiler == NULL))
    return item->value;
  if (storage->spoiler != NULL)
    {
      assay_torch_cannot (self, "%s may have written to a tensor it shares elements with",
                          storage->spoiler);
      return ASSAY_NO_VALUE;
    }
  if (item->place == ASSAY_TORCH_PLACE_UNKNOWN)
    {
      assay_torch_cannot (self, "a view of unknown extents is read after a write to its base");
      return ASSAY_NO_VALUE;
    }

  if (item->place == ASSAY_TORCH_PLACE_WHOLE)
    item->value = storage->value;
  else if (is_whole (item))
    item->value = assay_torch_reshape (self, storage->value, item->rank, item->dims);
  else
    item->value = assay_torch_gather (
        self, assay_torch_reshape (self, storage->value, 1, &storage->n),
        indices (self, item->rank, item->dims, item->strides, item->offset, storage->n), 0);
  item->version = storage->version;

  return item->value;
}

/* Shapes and types stay those of the tensor that is written to. */
static AssayValueId
fit (AssayTorchLower *self, const AssayTorchItem *item, AssayValueId value)
{
  value = assay_torch_cast (self, value, assay_torch_dtype (self, item->value));

  return item->place == ASSAY_TORCH_PLACE_KNOWN
             ? assay_torch_expand (self, value, item->rank, item->dims)
             : value;
}

/* Writes to a tensor, and with it to all that look at its elements. */
gboolean
assay_torch_write (AssayTorchLower *self, AssayTorchItem *item, AssayValueId value)
{
  AssayTorchStorage *storage;
  AssayNodeId node;
  AssayValueId places;
  AssayValueId output;
  gint64 n;

  if (value == ASSAY_NO_VALUE)
    return assay_torch_cannot (self, "what is written is not known");
  assay_torch_track (self, item);
  storage = item->storage;
  if (item->place == ASSAY_TORCH_PLACE_UNKNOWN)
    return assay_torch_cannot (self, "a view of unknown extents is written to");
  if (storage->spoiler != NULL && (item->place != ASSAY_TORCH_PLACE_WHOLE && !is_whole (item)))
    return assay_torch_cannot (self, "%s may have written to a tensor it shares elements with",
                               storage->spoiler);

  spoil_tied (self, storage);
  storage->spoiler = NULL;
  value = fit (self, item, value);
  /* A tensor of unknown extents has the shape of what is written. */
  if (item->place == ASSAY_TORCH_PLACE_WHOLE || is_whole (item))
    storage->value = value;
  else
    {
      n = count (item->rank, item->dims);
      places = indices (self, item->rank, item->dims, item->strides, item->offset, storage->n);
      if (places == ASSAY_NO_VALUE)
        return FALSE;
      node = assay_torch_node (
          self, ASSAY_OP_ScatterElements, 3,
          (AssayValueId[]){ assay_torch_reshape (self, storage->value, 1, &storage->n),
                            assay_torch_reshape (self, places, 1, &n),
                            assay_torch_reshape (self, value, 1, &n) },
          1, &output);
      assay_graph_set_int (self->graph, node, "axis", 0);
      assay_torch_infer (self, node);
      storage->value = output;
    }
  item->value = value;
  item->version = ++storage->version;

  return TRUE;
}

/* Writes to a tensor of which only part is known: all that looks at its elements is unknown, and
 * the tensor itself is @value, if there is one. */
void
assay_torch_spoil (AssayTorchLower *self, AssayTorchItem *item, AssayValueId value)
{
  AssayTorchStorage *storage;

  assay_torch_track (self, item);
  storage = item->storage;
  spoil_tied (self, storage);
  if (value != ASSAY_NO_VALUE && (item->place == ASSAY_TORCH_PLACE_WHOLE ||
                                  (item->place == ASSAY_TORCH_PLACE_KNOWN && is_whole (item))))
    {
      storage->spoiler = NULL;
      storage->value = item->value = value;
      item->version = ++storage->version;
      return;
    }
  storage->spoiler = self->op_type;
}

/* A tensor that looks at the elements of another, at places that are not known. */
AssayTorchItem *
assay_torch_view_somewhere (AssayTorchLower *self, AssayTorchItem *item, AssayValueId value)
{
  AssayTorchItem *view;

  if (value == ASSAY_NO_VALUE)
    return NULL;
  assay_torch_track (self, item);
  view = assay_torch_tensor (self, value);
  view->storage = item->storage;
  view->version = item->version;
  view->place = ASSAY_TORCH_PLACE_UNKNOWN;

  return view;
}

/* A tensor that looks at the elements of another. */
AssayTorchItem *
assay_torch_view (AssayTorchLower *self, AssayTorchItem *item, AssayValueId value, guint rank,
                  const gint64 *dims, const gint64 *strides, gint64 offset)
{
  AssayTorchItem *view = assay_torch_tensor (self, value);

  if (value == ASSAY_NO_VALUE)
    return NULL;
  view->storage = item->storage;
  view->version = item->version;
  view->place = ASSAY_TORCH_PLACE_KNOWN;
  set_shape (self, view, rank, dims, strides, offset);

  return view;
}

AssayTorchItem *
assay_torch_view_permute (AssayTorchLower *self, AssayTorchItem *item, const gint64 *perm)
{
  AssayValueId value = assay_torch_read (self, item);
  gint64 dims[ASSAY_MAX_RANK];
  gint64 strides[ASSAY_MAX_RANK];
  guint rank;
  gboolean is_tracked = assay_torch_track (self, item);

  if (value == ASSAY_NO_VALUE || !assay_torch_rank (self, value, &rank))
    return NULL;
  value = assay_torch_transpose (self, value, rank, perm);
  if (!is_tracked)
    return assay_torch_view_somewhere (self, item, value);
  for (guint i = 0; i < rank; i++)
    {
      dims[i] = item->dims[perm[i]];
      strides[i] = item->strides[perm[i]];
    }

  return assay_torch_view (self, item, value, rank, dims, strides, item->offset);
}

/* Start and end are counted from the front, or from the back if they are negative, and clamped. */
AssayTorchItem *
assay_torch_view_slice (AssayTorchLower *self, AssayTorchItem *item, gint64 axis, gint64 start,
                        gint64 end, gint64 step)
{
  AssayValueId value = assay_torch_read (self, item);
  gint64 dims[ASSAY_MAX_RANK];
  gint64 strides[ASSAY_MAX_RANK];
  gint64 size;

  if (value == ASSAY_NO_VALUE)
    return NULL;
  if (!assay_torch_track (self, item))
    return assay_torch_view_somewhere (self, item,
                                       assay_torch_slice (self, value, axis, start, end, step));

  size = item->dims[axis];
  start = CLAMP (start < 0 ? start + size : start, 0, size);
  end = CLAMP (end < 0 ? end + size : end, start, size);
  value = assay_torch_slice (self, value, axis, start, end, step);
  memcpy (dims, item->dims, item->rank * sizeof *dims);
  memcpy (strides, item->strides, item->rank * sizeof *strides);
  dims[axis] = (end - start + step - 1) / step;
  strides[axis] *= step;

  return assay_torch_view (self, item, value, item->rank, dims, strides,
                           item->offset + start * item->strides[axis]);
}

/* The strides that other extents have over the same elements, if there are any. */
static gboolean
reshape_strides (const AssayTorchItem *item, guint rank, const gint64 *dims, gint64 *strides)
{
  int k = (int) rank - 1;
  gint64 base;
  gint64 old = 1;
  gint64 new = 1;

  if (count (item->rank, item->dims) == 0 || item->rank == 0)
    {
      contiguous (rank, dims, strides);
      return TRUE;
    }

  base = item->strides[item->rank - 1];
  for (int i = (int) item->rank - 1; i >= 0; i--)
    {
      old *= item->dims[i];
      /* Where a run of neighbours ends, the new extents have to end as well. */
      if (i > 0 && (item->dims[i - 1] == 1 || item->strides[i - 1] == old * base))
        continue;
      while (k >= 0 && (new < old || dims[k] == 1))
        {
          strides[k] = new *base;
          new *= dims[k--];
        }
      if (new != old)
        return FALSE;
      if (i > 0)
        base = item->strides[i - 1];
      old = new = 1;
    }

  return k < 0;
}

AssayTorchItem *
assay_torch_view_reshape (AssayTorchLower *self, AssayTorchItem *item, guint rank,
                          const gint64 *dims)
{
  AssayValueId value = assay_torch_reshape (self, assay_torch_read (self, item), rank, dims);
  gint64 known[ASSAY_MAX_RANK];
  gint64 strides[ASSAY_MAX_RANK];
  const AssayType *type;

  if (value == ASSAY_NO_VALUE || !assay_torch_track (self, item))
    return assay_torch_view_somewhere (self, item, value);
  type = assay_torch_type (self, value);
  for (guint i = 0; i < rank; i++)
    {
      known[i] = type->rank == (int) rank ? type->dims[i].size : -1;
      if (known[i] < 0)
        return assay_torch_view_somewhere (self, item, value);
    }
  if (count (rank, known) != count (item->rank, item->dims))
    {
      assay_torch_cannot (self, "the number of elements changes");
      return NULL;
    }
  if (!reshape_strides (item, rank, known, strides))
    return assay_torch_tensor (self, value);

  return assay_torch_view (self, item, value, rank, known, strides, item->offset);
}

/* Extents of 1 are repeated; -1 leaves an extent as it is. */
AssayTorchItem *
assay_torch_view_expand (AssayTorchLower *self, AssayTorchItem *item, guint rank,
                         const gint64 *dims)
{
  AssayValueId value = assay_torch_read (self, item);
  gint64 wanted[ASSAY_MAX_RANK];
  gint64 strides[ASSAY_MAX_RANK];
  guint before;
  gboolean is_tracked = assay_torch_track (self, item);

  if (value == ASSAY_NO_VALUE || !assay_torch_rank (self, value, &before))
    return NULL;
  if (rank < before || rank > ASSAY_MAX_RANK)
    {
      assay_torch_cannot (self, "rank %u cannot be expanded to %u", before, rank);
      return NULL;
    }
  for (guint i = 0; i < rank; i++)
    {
      gint64 size = i < rank - before
                        ? 1
                        : assay_torch_type (self, value)->dims[i - (rank - before)].size;

      /* 1 is what leaves an extent to the other side. */
      wanted[i] = dims[i] != -1 ? dims[i] : size >= 0 ? size : 1;
      strides[i] = !is_tracked || i < rank - before || size != wanted[i]
                       ? 0
                       : item->strides[i - (rank - before)];
    }
  /* An axis that is new and not repeated goes on where the next one ends. */
  for (guint i = rank - before; is_tracked && i-- > 0;)
    if (wanted[i] == 1)
      strides[i] = i + 1 < rank ? wanted[i + 1] * strides[i + 1] : 1;
  value = assay_torch_expand (self, value, rank, wanted);
  if (!is_tracked)
    return assay_torch_view_somewhere (self, item, value);

  return assay_torch_view (self, item, value, rank, wanted, strides, item->offset);
}

AssayTorchItem *
assay_torch_view_strided (AssayTorchLower *self, AssayTorchItem *item, guint rank,
                          const gint64 *dims, const gint64 *strides, gint64 offset)
{
  AssayTorchItem *view;

  if (!assay_torch_track (self, item))
    {
      assay_torch_cannot (self, "strides of a tensor whose extents are only known at run time");
      return NULL;
    }
  view = assay_torch_view (self, item, item->value, rank, dims, strides, offset);
  /* It shows no version yet. */
  view->version = item->storage->version + 1;
  view->value = assay_torch_read (self, view);

  return view->value != ASSAY_NO_VALUE ? view : NULL;
}
