/* assay-kernel-copy.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/kernels/assay-kernel-copy.h"

#include <string.h>

#include "base/assay-sentence.h"

/* What kernels that move elements share. */

static void
copy_strings (GBytes *const *from, gssize from_stride, GBytes **to, gssize to_stride, gsize n)
{
  for (gsize i = 0; i < n; i++, from += from_stride, to += to_stride)
    {
      g_clear_pointer (to, g_bytes_unref);
      *to = g_bytes_ref (*from);
    }
}

/**
 * assay_element_copy: (skip)
 * @from: where elements come from
 * @from_index: the first one there
 * @to: a tensor of the same type
 * @to_index: the first one there
 * @n: how many
 *
 * Copies elements that lie behind each other.
 */
void
assay_element_copy (const AssayDatum *from, gsize from_index, AssayDatum *to, gsize to_index,
                    gsize n)
{
  gsize size = assay_storage_size (from->storage);

  if (from->storage == ASSAY_DTYPE_STRING)
    copy_strings ((GBytes *const *) from->data + from_index, 1, (GBytes **) to->data + to_index, 1,
                  n);
  else if (n > 0)
    memcpy ((guint8 *) to->data + to_index * size, (const guint8 *) from->data + from_index * size,
            n * size);
}

/**
 * assay_elements_fill: (skip)
 * @self: a tensor
 * @value: (nullable): a tensor of the same type whose first element to use, or %NULL for zero or an
 * empty string
 *
 * Gives all elements one value.
 */
void
assay_elements_fill (AssayDatum *self, const AssayDatum *value)
{
  gsize size = assay_storage_size (self->storage);

  if (self->storage == ASSAY_DTYPE_STRING)
    {
      g_autoptr (GBytes) empty = g_bytes_new (NULL, 0);
      GBytes *const *source = value != NULL ? value->data : &empty;

      copy_strings (source, 0, self->data, 1, self->n);
    }
  else if (value == NULL)
    {
      memset (self->data, 0, self->n * size);
    }
  else
    {
      for (gsize i = 0; i < self->n; i++)
        memcpy ((guint8 *) self->data + i * size, value->data, size);
    }
}

#define PICK_ROW(type)                                                                             \
  {                                                                                                \
    const type *source = (const type *) from->data + base;                                         \
    type *target = (type *) to->data + row;                                                        \
    for (gsize i = 0; i < width; i++)                                                              \
      if (places[i] >= 0)                                                                          \
        target[i] = source[places[i]];                                                             \
    break;                                                                                         \
  }

/* One row; where a place is negative the element stays as it is. */
static void
pick_row (const AssayDatum *from, gsize base, const gint64 *places, AssayDatum *to, gsize row,
          gsize width)
{
  switch (from->storage == ASSAY_DTYPE_STRING ? 0 : assay_storage_size (from->storage))
    {
    case 1:
      PICK_ROW (guint8)
    case 2:
      PICK_ROW (guint16)
    case 4:
      PICK_ROW (guint32)
    case 8:
      PICK_ROW (guint64)
    default:
      for (gsize i = 0; i < width; i++)
        if (places[i] >= 0)
          assay_element_copy (from, base + (gsize) places[i], to, row + i, 1);
      break;
    }
}

/**
 * assay_elements_pick: (skip)
 * @from: where elements come from
 * @to: where they go, a tensor of the same type and rank
 * @places: (array): for each axis, the place in @from of each place in @to; at a negative one the
 * element stays
 *
 * Picks elements along each axis by index, which covers padding with copies and the nearest
 * neighbour.
 */
void
assay_elements_pick (const AssayDatum *from, AssayDatum *to, gint64 *const *places)
{
  gint64 index[ASSAY_MAX_RANK] = { 0 };
  gssize strides[ASSAY_MAX_RANK];
  gsize before = G_MAXSIZE;
  gsize width;
  guint last;

  if (to->n == 0 || to->rank == 0)
    {
      assay_element_copy (from, 0, to, 0, to->n);
      return;
    }

  last = to->rank - 1;
  width = (gsize) to->dims[last];
  assay_dims_strides (from->rank, from->dims, strides);
  for (gsize row = 0; row < to->n; row += width)
    {
      gsize base = 0;
      guint i;

      for (i = 0; i < last && places[i][index[i]] >= 0; i++)
        base += (gsize) places[i][index[i]] * (gsize) strides[i];
      /* A row that is repeated, as those of an image that grows, is copied whole. */
      if (i == last && base == before)
        assay_element_copy (to, row - width, to, row, width);
      else if (i == last)
        pick_row (from, base, places[last], to, row, width);
      before = i == last ? base : G_MAXSIZE;

      for (i = last; i-- > 0 && ++index[i] == to->dims[i];)
        index[i] = 0;
    }
}

typedef struct
{
  const AssayDatum *from;
  AssayDatum *to;
  gsize size;
} Copy;

#define COPY_ROW(type)                                                                             \
  G_STMT_START                                                                                     \
  {                                                                                                \
    const type *source = (const type *) copy->from->data + offsets[1];                             \
    type *target = (type *) copy->to->data + offsets[0];                                           \
    for (gsize i = 0; i < n; i++, source += strides[1], target += strides[0])                      \
      *target = *source;                                                                           \
  }                                                                                                \
  G_STMT_END

static void
copy_row (gpointer data, gsize n, const gssize *offsets, const gssize *strides)
{
  Copy *copy = data;

  if (copy->from->storage == ASSAY_DTYPE_STRING)
    {
      copy_strings ((GBytes *const *) copy->from->data + offsets[1], strides[1],
                    (GBytes **) copy->to->data + offsets[0], strides[0], n);
      return;
    }

  if (strides[0] == 1 && strides[1] == 1)
    {
      gssize size = (gssize) copy->size;

      memcpy ((guint8 *) copy->to->data + offsets[0] * size,
              (const guint8 *) copy->from->data + offsets[1] * size, n * copy->size);
      return;
    }

  switch (copy->size)
    {
    case 1:
      COPY_ROW (guint8);
      break;
    case 2:
      COPY_ROW (guint16);
      break;
    case 4:
      COPY_ROW (guint32);
      break;
    case 8:
      COPY_ROW (guint64);
      break;
    default:
      g_assert (copy->size == 2 * sizeof (double));
      for (gsize i = 0; i < n; i++)
        memcpy ((double *) copy->to->data + 2 * (offsets[0] + (gssize) i * strides[0]),
                (const double *) copy->from->data + 2 * (offsets[1] + (gssize) i * strides[1]),
                copy->size);
      break;
    }
}

/* A walk over all but two loops, of which one steps through the source one by one and the other
 * through the target. */
typedef struct
{
  Copy copy;
  gsize n[2];
  gssize from[2];
  gssize to[2];
} Tiles;

#define TILE 16

#define COPY_TILES(type)                                                                           \
  {                                                                                                \
    const type *source = (const type *) copy->from->data + offsets[1];                             \
    type *target = (type *) copy->to->data + offsets[0];                                           \
    type tile[TILE][TILE];                                                                         \
    for (gsize a = 0; a < tiles->n[0]; a += TILE)                                                  \
      for (gsize b = 0; b < tiles->n[1]; b += TILE)                                                \
        {                                                                                          \
          gsize n_a = MIN (TILE, tiles->n[0] - a);                                                 \
          gsize n_b = MIN (TILE, tiles->n[1] - b);                                                 \
          for (gsize i = 0; i < n_a; i++)                                                          \
            for (gsize j = 0; j < n_b; j++)                                                        \
              tile[j][i] =                                                                         \
                  source[(gssize) (a + i) * tiles->from[0] + (gssize) (b + j) * tiles->from[1]];   \
          for (gsize j = 0; j < n_b; j++)                                                          \
            for (gsize i = 0; i < n_a; i++)                                                        \
              target[(gssize) (a + i) * tiles->to[0] + (gssize) (b + j) * tiles->to[1]] =          \
                  tile[j][i];                                                                      \
        }                                                                                          \
    break;                                                                                         \
  }

/* In tiles, so that neither side runs out of the cache. */
static void
copy_tiles (gpointer data, gsize n, const gssize *offsets_in, const gssize *strides)
{
  const Tiles *tiles = data;
  const Copy *copy = &tiles->copy;

  for (gsize turn = 0; turn < n; turn++)
    {
      gssize offsets[2] = { offsets_in[0] + (gssize) turn * strides[0],
                            offsets_in[1] + (gssize) turn * strides[1] };

      switch (copy->size)
        {
        case 1:
          COPY_TILES (guint8)
        case 2:
          COPY_TILES (guint16)
        case 4:
          COPY_TILES (guint32)
        default:
          COPY_TILES (guint64)
        }
    }
}

/* Takes the two loops of a transposition out of a merged walk; %FALSE if it has none. */
static gboolean
take_tiles (const AssayWalk *walk, Tiles *tiles, AssayWalk *rest)
{
  guint inner = walk->rank - 1;
  guint outer = 0;

  while (outer < inner && walk->strides[1][outer] != 1)
    outer++;
  if (outer == inner || walk->strides[1][inner] == 1 || walk->dims[inner] < TILE ||
      walk->dims[outer] < TILE)
    return FALSE;

  tiles->n[0] = walk->dims[inner];
  tiles->from[0] = walk->strides[1][inner];
  tiles->to[0] = walk->strides[0][inner];
  tiles->n[1] = walk->dims[outer];
  tiles->from[1] = walk->strides[1][outer];
  tiles->to[1] = walk->strides[0][outer];

  *rest = *walk;
  rest->dims[inner] = 1;
  rest->dims[outer] = 1;
  assay_walk_merge (rest);

  return TRUE;
}

/**
 * assay_kernel_copy: (skip)
 * @self: one node
 * @from: where elements come from
 * @from_offset: the first one there
 * @from_strides: (array length=rank): elements between neighbours along each axis there, maybe zero
 * or negative
 * @to: where they go, a tensor of the same type
 * @to_offset: the first one there
 * @to_strides: (array length=rank): elements between neighbours along each axis there
 * @rank: number of axes
 * @dims: (array length=rank): how many elements along each axis
 *
 * Copies a block of elements, which covers transposing, slicing, joining and broadcasting.
 */
void
assay_kernel_copy (AssayKernel *self, const AssayDatum *from, gssize from_offset,
                   const gssize *from_strides, AssayDatum *to, gssize to_offset,
                   const gssize *to_strides, guint rank, const gint64 *dims)
{
  static const gssize none[1] = { 0 };
  Copy copy = { from, to, assay_storage_size (to->storage) };
  AssayWalk walk, rest;
  Tiles tiles;

  for (guint i = 0; i < rank; i++)
    if (dims[i] == 0)
      return;

  assay_walk_init (&walk, rank, dims);
  assay_walk_add (&walk, to_offset, rank > 0 ? to_strides : none);
  assay_walk_add (&walk, from_offset, rank > 0 ? from_strides : none);
  assay_walk_merge (&walk);
  tiles.copy = copy;
  if (copy.size <= 8 && to->storage != ASSAY_DTYPE_STRING && take_tiles (&walk, &tiles, &rest))
    assay_kernel_walk (self, &rest, copy_tiles, &tiles);
  else
    assay_kernel_walk (self, &walk, copy_row, &copy);
}

/**
 * assay_kernel_new: (skip)
 * @self: one node
 * @dtype: element type
 * @rank: number of dimensions
 * @dims: (array length=rank): the dimensions
 * @error: return location for a #GError
 *
 * Makes a tensor of the storage type that the run asks for.
 *
 * Returns: (transfer full) (nullable): the tensor
 */
AssayDatum *
assay_kernel_new (AssayKernel *self, AssayDType dtype, guint rank, const gint64 *dims,
                  GError **error)
{
  return assay_kernel_tensor (self, dtype, assay_datum_storage (dtype, self->wide), rank, dims,
                              error);
}

/**
 * assay_kernel_copy_view: (skip)
 * @self: one node
 * @from: a tensor
 * @offset: the first element of the view
 * @view_rank: number of axes of the view
 * @view_dims: (array length=view_rank): extents of the view
 * @view_strides: (array length=view_rank): elements between neighbours along each axis of the view
 * @rank: rank of the result
 * @dims: (array length=rank): dimensions of the result, of as many elements as the view has
 * @error: return location for a #GError
 *
 * Makes a tensor of the elements that are seen through strides.
 *
 * Returns: (transfer full) (nullable): the tensor
 */
AssayDatum *
assay_kernel_copy_view (AssayKernel *self, const AssayDatum *from, gssize offset, guint view_rank,
                        const gint64 *view_dims, const gssize *view_strides, guint rank,
                        const gint64 *dims, GError **error)
{
  gssize packed[ASSAY_MAX_RANK];
  AssayDatum *to = assay_kernel_new (self, from->dtype, rank, dims, error);

  if (to == NULL)
    return NULL;

  assay_dims_strides (view_rank, view_dims, packed);
  assay_kernel_copy (self, from, offset, view_strides, to, 0, packed, view_rank, view_dims);

  return to;
}

/**
 * assay_kernel_join: (skip)
 * @self: one node
 * @n: number of tensors
 * @pieces: (array length=n): tensors of one type and of the same shape but for one axis
 * @axis: that axis
 * @error: return location for a #GError
 *
 * Joins tensors along an axis.
 *
 * Returns: (transfer full) (nullable): the tensor
 */
AssayDatum *
assay_kernel_join (AssayKernel *self, guint n, AssayDatum *const *pieces, guint axis,
                   GError **error)
{
  const AssayDatum *first = pieces[0];
  gint64 dims[ASSAY_MAX_RANK];
  gssize to_strides[ASSAY_MAX_RANK];
  gssize from_strides[ASSAY_MAX_RANK];
  gssize offset = 0;
  AssayDatum *to;

  memcpy (dims, first->dims, first->rank * sizeof *dims);
  for (guint i = 1; i < n; i++)
    {
      const AssayDatum *piece = pieces[i];
      gboolean fits = piece->dtype == first->dtype && piece->rank == first->rank;

      for (guint j = 0; fits && j < first->rank; j++)
        fits = j == axis ? !__builtin_add_overflow (dims[j], piece->dims[j], &dims[j])
                         : dims[j] == piece->dims[j];
      if (!fits)
        {
          assay_kernel_fail (
              self, error,
              "tensor %u differs from the first one in type, rank or an extent other than "
              "that of axis %u",
              i, axis);
          return NULL;
        }
    }

  to = assay_kernel_new (self, first->dtype, first->rank, dims, error);
  if (to == NULL)
    return NULL;

  assay_dims_strides (to->rank, to->dims, to_strides);
  for (guint i = 0; i < n; i++)
    {
      assay_dims_strides (pieces[i]->rank, pieces[i]->dims, from_strides);
      assay_kernel_copy (self, pieces[i], 0, from_strides, to, offset, to_strides, to->rank,
                         pieces[i]->dims);
      offset += (gssize) pieces[i]->dims[axis] * to_strides[axis];
    }

  return to;
}

/**
 * assay_kernel_cut: (skip)
 * @self: one node
 * @x: a tensor
 * @axis: the axis along which it is cut
 * @n: number of pieces
 * @extents: (array length=n): extent of each piece along the axis
 * @error: return location for a #GError
 *
 * Cuts a tensor into pieces along an axis.
 *
 * Returns: (transfer full) (nullable) (element-type AssayDatum): the pieces
 */
GPtrArray *
assay_kernel_cut (AssayKernel *self, AssayDatum *x, guint axis, guint n, const gint64 *extents,
                  GError **error)
{
  g_autoptr (GPtrArray)
      pieces = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);
  gssize strides[ASSAY_MAX_RANK];
  gint64 dims[ASSAY_MAX_RANK];
  gint64 sum = 0;

  for (guint i = 0; i < n; i++)
    if (extents[i] < 0 || __builtin_add_overflow (sum, extents[i], &sum))
      sum = -1;
  if (sum != x->dims[axis])
    {
      assay_kernel_fail (self, error, "%u %s not make up axis %u of %" G_GINT64_FORMAT " element%s",
                         n, assay_noun (n, "piece does", "pieces do"), axis, x->dims[axis],
                         assay_plural (x->dims[axis]));
      return NULL;
    }

  assay_dims_strides (x->rank, x->dims, strides);
  memcpy (dims, x->dims, x->rank * sizeof *dims);
  sum = 0;
  for (guint i = 0; i < n; i++)
    {
      AssayDatum *piece;

      dims[axis] = extents[i];
      piece = assay_kernel_copy_view (self, x, (gssize) sum * strides[axis], x->rank, dims, strides,
                                      x->rank, dims, error);
      if (piece == NULL)
        return NULL;
      g_ptr_array_add (pieces, piece);
      sum += extents[i];
    }

  return g_steal_pointer (&pieces);
}

/**
 * assay_kernel_expect_rank: (skip)
 * @self: one node
 * @input: which input, which is there
 * @min_rank: smallest rank
 * @max_rank: largest rank
 * @error: return location for a #GError
 *
 * Checks the rank of an input of any element type.
 *
 * Returns: whether it is in the range
 */
gboolean
assay_kernel_expect_rank (AssayKernel *self, guint input, guint min_rank, guint max_rank,
                          GError **error)
{
  guint rank = assay_kernel_input (self, input)->rank;

  if (rank >= min_rank && rank <= max_rank)
    return TRUE;

  return assay_kernel_fail (self, error, "input %u has rank %u, %u to %u was expected", input, rank,
                            min_rank, max_rank);
}

/**
 * assay_kernel_axes: (skip)
 * @self: one node
 * @n: number of axes
 * @axes: (array length=n): axes, negative ones counted from the back
 * @rank: rank of the tensor
 * @result: (out) (array length=n): the axes counted from the front
 * @error: return location for a #GError
 *
 * Checks axes, of which none may occur twice.
 *
 * Returns: whether they are good
 */
gboolean
assay_kernel_axes (AssayKernel *self, guint n, const gint64 *axes, guint rank, guint *result,
                   GError **error)
{
  guint64 seen = 0;

  if (n > rank)
    return assay_kernel_fail (self, error, "%u %s for rank %u", n, assay_noun (n, "axis", "axes"),
                              rank);

  for (guint i = 0; i < n; i++)
    {
      if (!assay_kernel_axis (self, axes[i], rank, &result[i], error))
        return FALSE;
      if ((seen >> result[i] & 1) != 0)
        return assay_kernel_fail (self, error, "axis %u is given twice", result[i]);
      seen |= G_GUINT64_CONSTANT (1) << result[i];
    }

  return TRUE;
}

/**
 * assay_kernel_dtype_attr: (skip)
 * @self: one node
 * @name: an attribute that holds an element type by its number in ONNX
 * @fallback: the type if the attribute is not there or zero
 * @dtype: (out): where to put the type
 * @error: return location for a #GError
 *
 * Reads an attribute that holds an element type.
 *
 * Returns: whether it is one
 */
gboolean
assay_kernel_dtype_attr (AssayKernel *self, const char *name, AssayDType fallback,
                         AssayDType *dtype, GError **error)
{
  gint64 number = assay_node_get_int (self->node, name);

  if (number == 0 && fallback != ASSAY_DTYPE_UNDEFINED)
    number = fallback;
  if (number < 0 || number > G_MAXINT || !assay_dtype_is_known ((int) number))
    return assay_kernel_fail (self, error, "%s is %" G_GINT64_FORMAT ", which is no element type",
                              name, number);

  *dtype = (AssayDType) number;

  return TRUE;
}

/**
 * assay_kernel_dup_integers: (skip)
 * @self: one node
 * @input: an input that is there
 * @n: (out): number of elements
 * @error: return location for a #GError
 *
 * Copies the elements of an input of integers of any width and shape.
 *
 * Returns: (transfer full) (nullable): the elements, not %NULL without an error
 */
gint64 *
assay_kernel_dup_integers (AssayKernel *self, guint input, gsize *n, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, input);
  gint64 *integers;

  if (!assay_dtype_is_integer (x->dtype))
    {
      assay_kernel_fail_type (self, input, error);
      return NULL;
    }

  integers = assay_kernel_room (self, gint64, x->n + 1, error);
  if (integers == NULL)
    return NULL;
  for (gsize i = 0; i < x->n; i++)
    integers[i] = assay_datum_get_integer (x, i);
  *n = x->n;

  return integers;
}

/**
 * assay_kernel_number: (skip)
 * @self: one node
 * @input: which input
 * @fallback: the value if the input is omitted or empty
 * @value: (out): where to put the number
 * @error: return location for a #GError
 *
 * Gets the first element of an input of numbers or booleans.
 *
 * Returns: whether the elements are numbers
 */
gboolean
assay_kernel_number (AssayKernel *self, guint input, double fallback, double *value, GError **error)
{
  const AssayDatum *datum = assay_kernel_input (self, input);

  *value = fallback;
  if (datum == NULL || datum->n == 0)
    return TRUE;
  if (datum->dtype == ASSAY_DTYPE_STRING || assay_dtype_kind (datum->dtype) == 'C')
    return assay_kernel_fail_type (self, input, error);

  *value = assay_datum_get_number (datum, 0);

  return TRUE;
}
