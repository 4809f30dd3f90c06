/* assay-torch-make-shape.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Shapes, views, and what picks elements.
 */
#include <string.h>

#include "source/torch/assay-torch-lower-private.h"

#include "base/assay-sentence.h"

#define ONE(op, a) assay_torch_one (self, ASSAY_OP_##op, a)
#define TWO(op, a, b) assay_torch_two (self, ASSAY_OP_##op, a, b)
#define THREE(op, a, b, c) assay_torch_three (self, ASSAY_OP_##op, a, b, c)

static gboolean
get_view (AssayTorchLower *self, AssayTorchItem **item, AssayValueId *value, guint *rank)
{
  *item = assay_torch_arg (self, 0);

  return assay_torch_get_tensor (self, 0, value) && assay_torch_rank (self, *value, rank);
}

/* Extents of which some are only known when the model runs. */
static gboolean
reshape_open (AssayTorchLower *self, guint index)
{
  AssayValueId value;

  return assay_torch_get_tensor (self, 0, &value) &&
         assay_torch_result (
             self, 0,
             TWO (Reshape, value, assay_torch_as_shape (self, assay_torch_arg (self, index))));
}

gboolean
assay_torch_make_view (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *item;
  AssayTorchItem *result;
  AssayValueId value;
  guint rank;
  gint64 dims[ASSAY_MAX_RANK];
  guint n;

  if (!assay_torch_get_tensor (self, 0, &value))
    return FALSE;
  item = assay_torch_arg (self, 0);
  if (rule->argument == 1)
    {
      /* A shape is taken from another tensor. */
      AssayValueId other;

      return assay_torch_get_tensor (self, 1, &other) &&
             assay_torch_dims (self, other, &rank, dims) &&
             assay_torch_result_item (self, 0, assay_torch_view_reshape (self, item, rank, dims));
    }
  if (!assay_torch_get_ints (self, 1, dims, &n))
    {
      g_clear_pointer (&self->reason, g_free);
      return reshape_open (self, 1);
    }
  result = assay_torch_view_reshape (self, item, n, dims);

  return result != NULL && assay_torch_result_item (self, 0, result);
}

gboolean
assay_torch_make_flatten (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *item;
  AssayValueId value;
  const AssayType *type;
  gint64 from = 0;
  gint64 to = -1;
  gint64 dims[ASSAY_MAX_RANK];
  guint n_open = 0;
  guint rank;
  guint n = 0;

  if (!get_view (self, &item, &value, &rank) ||
      (self->op->n_operands > 1 && (!assay_torch_get_axis (self, 1, rank, &from) ||
                                    !assay_torch_get_axis (self, 2, rank, &to))))
    return FALSE;
  if (to < 0)
    to = MAX (rank, 1) - 1;
  type = assay_torch_type (self, value);
  for (guint i = 0; i < MAX (rank, 1); i++)
    {
      gint64 size = rank == 0 ? 1 : type->dims[i].size;

      if ((gint64) i > from && (gint64) i <= to)
        dims[n - 1] = dims[n - 1] < 0 || size < 0 ? -1 : dims[n - 1] * size;
      else
        dims[n++] = size;
    }
  for (guint i = 0; i < n; i++)
    n_open += dims[i] < 0;
  if (n_open > 1 || rank > ASSAY_MAX_RANK)
    return assay_torch_cannot (self, "more than one extent is only known at run time");

  return assay_torch_result_item (self, 0, assay_torch_view_reshape (self, item, n, dims));
}

/* An axis becomes several, of given sizes, or two, of which the first has a size (argument 1). */
gboolean
assay_torch_make_unflatten (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *item;
  AssayValueId value;
  gint64 dims[ASSAY_MAX_RANK];
  gint64 sizes[ASSAY_MAX_RANK];
  gint64 all[2 * ASSAY_MAX_RANK];
  gint64 axis;
  guint rank;
  guint n;

  if (!get_view (self, &item, &value, &rank) || !assay_torch_dims (self, value, &rank, dims) ||
      !assay_torch_get_axis (self, 1, rank, &axis))
    return FALSE;
  if (rule->argument == 1)
    {
      if (!assay_torch_get_int (self, 2, &sizes[0]) || sizes[0] < 1)
        return FALSE;
      sizes[1] = dims[axis] / sizes[0];
      n = 2;
    }
  else if (!assay_torch_get_ints (self, 2, sizes, &n))
    return FALSE;
  if (rank + n - 1 > ASSAY_MAX_RANK)
    return FALSE;
  memcpy (all, dims, (gsize) axis * sizeof *all);
  memcpy (all + axis, sizes, n * sizeof *all);
  memcpy (all + axis + n, dims + axis + 1, (rank - (gsize) axis - 1) * sizeof *all);

  return assay_torch_result_item (self, 0,
                                  assay_torch_view_reshape (self, item, rank + n - 1, all));
}

static gboolean
give (AssayTorchLower *self, AssayTorchItem *item)
{
  return item != NULL && item->value != ASSAY_NO_VALUE && assay_torch_result_item (self, 0, item);
}

gboolean
assay_torch_make_permute (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *item;
  AssayValueId value;
  gint64 perm[ASSAY_MAX_RANK];
  guint rank;
  guint n;
  guint64 seen = 0;

  if (!get_view (self, &item, &value, &rank) || !assay_torch_get_axes (self, 1, rank, perm, &n))
    return FALSE;
  for (guint i = 0; i < n; i++)
    seen |= G_GUINT64_CONSTANT (1) << perm[i];
  if (n != rank || (rank < 64 && seen != (G_GUINT64_CONSTANT (1) << rank) - 1))
    return assay_torch_cannot (self, "the order is none of %u %s", rank,
                               assay_noun (rank, "axis", "axes"));

  return give (self, assay_torch_view_permute (self, item, perm));
}

/* Two axes change places; without operands the two of a matrix or the last two, or all of them
 * stand the other way around (argument 2). */
gboolean
assay_torch_make_swap (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *item;
  AssayValueId value;
  gint64 perm[ASSAY_MAX_RANK];
  gint64 a;
  gint64 b;
  guint rank;

  if (!get_view (self, &item, &value, &rank))
    return FALSE;
  a = (gint64) rank - 2;
  b = (gint64) rank - 1;
  if (rule->argument == 1 &&
      (!assay_torch_get_axis (self, 1, rank, &a) || !assay_torch_get_axis (self, 2, rank, &b)))
    return FALSE;
  if (rank < 2)
    return give (self, item);
  for (guint i = 0; i < rank; i++)
    perm[i] = rule->argument == 2 ? rank - 1 - i : i;
  if (rule->argument != 2)
    {
      perm[a] = b;
      perm[b] = a;
    }

  return give (self, assay_torch_view_permute (self, item, perm));
}

gboolean
assay_torch_make_move_axis (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *item;
  AssayValueId value;
  gint64 perm[ASSAY_MAX_RANK];
  gint64 from;
  gint64 to;
  guint rank;
  guint k = 0;

  if (!get_view (self, &item, &value, &rank) || !assay_torch_get_axis (self, 1, rank, &from) ||
      !assay_torch_get_axis (self, 2, rank, &to))
    return FALSE;
  for (guint i = 0; i < rank; i++)
    {
      if ((gint64) i == to)
        {
          perm[i] = from;
          continue;
        }
      k += (gint64) k == from;
      perm[i] = k++;
    }

  return give (self, assay_torch_view_permute (self, item, perm));
}

/* Axes of one element come and go, which leaves the elements where they are. */
static gboolean
regroup (AssayTorchLower *self, AssayTorchItem *item, AssayOp op, guint n, const gint64 *axes,
         guint rank, const gint64 *dims, const gint64 *strides)
{
  AssayValueId value = assay_torch_read (self, item);

  if (n > 0)
    value = assay_torch_two (self, op, value, assay_torch_ints (self, n, axes));
  if (dims == NULL)
    return give (self, assay_torch_view_somewhere (self, item, value));

  return give (self, assay_torch_view (self, item, value, rank, dims, strides, item->offset));
}

gboolean
assay_torch_make_unsqueeze (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *item;
  AssayValueId value;
  gint64 dims[ASSAY_MAX_RANK + 1];
  gint64 strides[ASSAY_MAX_RANK + 1];
  gint64 axis;
  guint rank;

  if (!get_view (self, &item, &value, &rank) || rank >= ASSAY_MAX_RANK ||
      !assay_torch_get_axis (self, 1, rank + 1, &axis))
    return FALSE;
  if (!assay_torch_track (self, item))
    return regroup (self, item, ASSAY_OP_Unsqueeze, 1, &axis, 0, NULL, NULL);
  for (guint i = 0; i <= rank; i++)
    {
      guint k = (gint64) i > axis ? i - 1 : i;

      dims[i] = (gint64) i == axis ? 1 : item->dims[k];
      strides[i] = (gint64) i == axis ? 1 : item->strides[k];
    }

  return regroup (self, item, ASSAY_OP_Unsqueeze, 1, &axis, rank + 1, dims, strides);
}

/* All axes of 1, or those that are named; an empty list is none where the argument is 1. */
gboolean
assay_torch_make_squeeze (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *item;
  const AssayTorchItem *list = assay_torch_arg (self, 1);
  AssayValueId value;
  const AssayType *type;
  gint64 axes[ASSAY_MAX_RANK];
  gint64 gone[ASSAY_MAX_RANK];
  gint64 dims[ASSAY_MAX_RANK];
  gint64 strides[ASSAY_MAX_RANK];
  gboolean is_tracked;
  guint rank;
  guint n;
  guint n_gone = 0;
  guint k = 0;

  if (!get_view (self, &item, &value, &rank) || !assay_torch_get_axes (self, 1, rank, axes, &n))
    return FALSE;
  if (rule->argument == 1 && list != NULL && list->kind == ASSAY_TORCH_ITEM_LIST && list->n == 0)
    n = 0;
  is_tracked = assay_torch_track (self, item);
  type = assay_torch_type (self, value);
  for (guint i = 0; i < rank; i++)
    {
      gboolean is_gone = FALSE;

      for (guint j = 0; j < n; j++)
        is_gone |= axes[j] == (gint64) i;
      if (is_gone && type->dims[i].size < 0)
        return assay_torch_cannot (self, "whether extent %u is 1 is only known at run time", i);
      if (is_gone && type->dims[i].size == 1)
        gone[n_gone++] = i;
      else if (is_tracked)
        {
          dims[k] = item->dims[i];
          strides[k++] = item->strides[i];
        }
    }

  return regroup (self, item, ASSAY_OP_Squeeze, n_gone, gone, k, is_tracked ? dims : NULL, strides);
}

gboolean
assay_torch_make_slice (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *item;
  AssayValueId value;
  AssayTorchItem *bounds[2] = { assay_torch_arg (self, 2), assay_torch_arg (self, 3) };
  gint64 ends[2] = { 0, G_MAXINT64 };
  AssayValueId open[2];
  gboolean is_open = FALSE;
  gint64 axis;
  gint64 step = 1;
  guint rank;

  if (!get_view (self, &item, &value, &rank) || rank == 0 ||
      !assay_torch_get_axis (self, 1, rank, &axis) ||
      (self->op->n_operands > 4 && !assay_torch_get_int (self, 4, &step)))
    return FALSE;
  if (step < 1)
    return assay_torch_cannot (self, "a step of %" G_GINT64_FORMAT, step);
  for (guint i = 0; i < 2; i++)
    {
      if (bounds[i] == NULL || bounds[i]->kind == ASSAY_TORCH_ITEM_NONE)
        continue;
      if (bounds[i]->value != ASSAY_NO_VALUE)
        is_open = TRUE;
      else
        ends[i] = bounds[i]->i;
    }
  if (!is_open)
    return give (self, assay_torch_view_slice (self, item, axis, ends[0], ends[1], step));

  for (guint i = 0; i < 2; i++)
    {
      gint64 first = 0;

      open[i] = bounds[i] != NULL && bounds[i]->value != ASSAY_NO_VALUE
                    ? assay_torch_unsqueeze (
                          self, assay_torch_cast (self, bounds[i]->value, ASSAY_DTYPE_I64), 1,
                          &first)
                    : assay_torch_ints (self, 1, &ends[i]);
    }
  {
    const AssayValueId inputs[] = { value, open[0], open[1], assay_torch_ints (self, 1, &axis),
                                    assay_torch_ints (self, 1, &step) };
    AssayValueId output;

    assay_torch_infer (self, assay_torch_node (self, ASSAY_OP_Slice, 5, inputs, 1, &output));

    return give (self, assay_torch_view_somewhere (self, item, output));
  }
}

/* Start and length. */
gboolean
assay_torch_make_narrow (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *item;
  AssayValueId value;
  gint64 axis;
  gint64 start;
  gint64 length;
  guint rank;

  if (!get_view (self, &item, &value, &rank) || rank == 0 ||
      !assay_torch_get_axis (self, 1, rank, &axis) || !assay_torch_get_int (self, 2, &start) ||
      !assay_torch_get_int (self, 3, &length))
    return FALSE;
  if (start < 0 && assay_torch_type (self, value)->dims[axis].size >= 0)
    start += assay_torch_type (self, value)->dims[axis].size;

  return give (self, assay_torch_view_slice (self, item, axis, start, start + length, 1));
}

/* One slice, without its axis. */
static AssayTorchItem *
select_one (AssayTorchLower *self, AssayTorchItem *item, gint64 axis, gint64 index)
{
  AssayValueId value = assay_torch_read (self, item);
  gint64 size;
  gint64 dims[ASSAY_MAX_RANK];
  gint64 strides[ASSAY_MAX_RANK];
  guint k = 0;

  if (value == ASSAY_NO_VALUE)
    return NULL;
  size = assay_torch_type (self, value)->dims[axis].size;
  if (size >= 0 && (index < -size || index >= size))
    {
      assay_torch_cannot (self, "place %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT, index, size);
      return NULL;
    }
  index += index < 0 && size >= 0 ? size : 0;
  value = assay_torch_gather (self, value, assay_torch_integer (self, ASSAY_DTYPE_I64, index),
                              axis);
  if (!assay_torch_track (self, item))
    return assay_torch_view_somewhere (self, item, value);
  for (guint i = 0; i < item->rank; i++)
    if ((gint64) i != axis)
      {
        dims[k] = item->dims[i];
        strides[k++] = item->strides[i];
      }

  return assay_torch_view (self, item, value, k, dims, strides,
                           item->offset + index * item->strides[axis]);
}

gboolean
assay_torch_make_select (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *item;
  AssayTorchItem *index = assay_torch_arg (self, 2);
  AssayValueId value;
  gint64 axis;
  guint rank;

  if (!get_view (self, &item, &value, &rank) || rank == 0 ||
      !assay_torch_get_axis (self, 1, rank, &axis) || index == NULL)
    return FALSE;
  if (index->value != ASSAY_NO_VALUE)
    return assay_torch_result (
        self, 0,
        assay_torch_gather (self, value, assay_torch_cast (self, index->value, ASSAY_DTYPE_I64),
                            axis));

  return give (self, select_one (self, item, axis, index->i));
}

/* Parts that nobody else writes to: those of the `_copy` forms, and those that PyTorch calls
 * unsafe, which are written to in place of new ones. */
#define SPLIT_COPIES 4

/* All slices (unbind), or runs of them of a length, of given lengths (1), or a number of runs
 * (2). */
gboolean
assay_torch_make_split (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *item;
  AssayValueId value;
  g_autoptr (GPtrArray) parts = g_ptr_array_new ();
  g_autoptr (GArray) lengths = g_array_new (FALSE, FALSE, sizeof (gint64));
  const AssayTorchItem *list = assay_torch_arg (self, 1);
  gint64 axis = 0;
  gint64 length;
  gint64 size;
  gint64 at = 0;
  guint rank;
  gboolean copies = (rule->argument & SPLIT_COPIES) != 0;
  int how = (int) (rule->argument & ~SPLIT_COPIES);
  guint axis_at = how == 3 ? 1 : 2;

  if (!get_view (self, &item, &value, &rank) || rank == 0 ||
      (!assay_torch_is_none (self, axis_at) && !assay_torch_get_axis (self, axis_at, rank, &axis)))
    return FALSE;
  size = assay_torch_type (self, value)->dims[axis].size;
  if (size < 0 || size > 65536)
    return assay_torch_cannot (self, "the number of parts is only known at run time");
  if (how == 3)
    {
      for (gint64 i = 0; i < size; i++)
        g_ptr_array_add (parts, select_one (self, item, axis, i));
    }
  else if (how == 1)
    {
      if (list == NULL || list->kind != ASSAY_TORCH_ITEM_LIST)
        return assay_torch_cannot (self, "the lengths are not known");
      for (guint i = 0; i < list->n; i++)
        g_array_append_val (lengths, list->items[i]->i);
    }
  else
    {
      if (!assay_torch_get_int (self, 1, &length) || length < 1)
        return FALSE;
      if (how == 2)
        length = MAX ((size + length - 1) / length, 1);
      for (gint64 i = 0; i < MAX (size, 1); i += length)
        {
          gint64 own = MIN (length, size - i);

          g_array_append_val (lengths, own);
        }
    }
  for (guint i = 0; i < lengths->len; i++)
    {
      length = g_array_index (lengths, gint64, i);
      g_ptr_array_add (parts, assay_torch_view_slice (self, item, axis, at, at + length, 1));
      at += length;
    }
  for (guint i = 0; i < parts->len; i++)
    {
      if (parts->pdata[i] == NULL)
        return FALSE;
      if (!copies)
        continue;
      value = assay_torch_read (self, parts->pdata[i]);
      if (value == ASSAY_NO_VALUE)
        return FALSE;
      parts->pdata[i] = assay_torch_tensor (self, value);
    }

  if (self->op->n_results == parts->len && self->op->n_results != 1)
    {
      for (guint i = 0; i < parts->len; i++)
        assay_torch_result_item (self, i, parts->pdata[i]);
      return TRUE;
    }

  return assay_torch_result_item (
      self, 0, assay_torch_list (self, parts->len, (AssayTorchItem **) parts->pdata));
}

gboolean
assay_torch_make_expand (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *item = assay_torch_arg (self, 0);
  AssayValueId value;
  AssayValueId other;
  AssayValueId shape;
  gint64 dims[ASSAY_MAX_RANK];
  guint n;

  if (!assay_torch_get_tensor (self, 0, &value))
    return FALSE;
  if (rule->argument == 1)
    return assay_torch_get_tensor (self, 1, &other) &&
           (assay_torch_dims (self, other, &n, dims)
                ? give (self, assay_torch_view_expand (self, item, n, dims))
                : assay_torch_result (self, 0,
                                      TWO (Expand, value, assay_torch_shape (self, other))));
  if (assay_torch_get_ints (self, 1, dims, &n))
    return give (self, assay_torch_view_expand (self, item, n, dims));

  g_clear_pointer (&self->reason, g_free);
  shape = assay_torch_as_shape (self, assay_torch_arg (self, 1));
  if (shape == ASSAY_NO_VALUE)
    return assay_torch_cannot (self, "the shape is not known");
  /* Where an extent is to stay, 1 leaves it to the tensor. */
  shape = TWO (Max, shape, assay_torch_integer (self, ASSAY_DTYPE_I64, 1));

  return assay_torch_result (self, 0, TWO (Expand, value, shape));
}

gboolean
assay_torch_make_as_strided (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *item = assay_torch_arg (self, 0);
  AssayValueId value;
  gint64 dims[ASSAY_MAX_RANK];
  gint64 strides[ASSAY_MAX_RANK];
  gint64 offset;
  guint rank;
  guint n;

  if (!assay_torch_get_tensor (self, 0, &value) || !assay_torch_get_ints (self, 1, dims, &rank) ||
      !assay_torch_get_ints (self, 2, strides, &n))
    return FALSE;
  if (n != rank || !assay_torch_track (self, item))
    return assay_torch_cannot (self, "the extents are only known at run time");
  offset = item->offset;
  if (!assay_torch_is_none (self, 3) && !assay_torch_get_int (self, 3, &offset))
    return FALSE;

  return give (self, assay_torch_view_strided (self, item, rank, dims, strides, offset));
}

gboolean
assay_torch_make_cat (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *list = assay_torch_arg (self, 0);
  g_autofree AssayValueId *values = NULL;
  AssayValueId output;
  AssayNodeId node;
  AssayDType dtype = ASSAY_DTYPE_UNDEFINED;
  gint64 axis = 0;
  guint rank = 0;
  guint n = 0;

  if (list == NULL || list->kind != ASSAY_TORCH_ITEM_LIST || list->n == 0)
    return assay_torch_cannot (self, "it is no list of tensors");
  values = g_new (AssayValueId, list->n);
  for (guint i = 0; i < list->n; i++)
    {
      AssayValueId value = list->items[i]->kind == ASSAY_TORCH_ITEM_TENSOR
                               ? assay_torch_read (self, list->items[i])
                               : ASSAY_NO_VALUE;
      const AssayType *type;

      if (value == ASSAY_NO_VALUE)
        return assay_torch_cannot (self, "entry %u is no tensor", i);
      type = assay_torch_type (self, value);
      dtype = assay_torch_join (dtype, type->dtype);
      /* A vector of nothing goes with everything. */
      if (type->rank == 1 && type->dims[0].size == 0 && list->n > 1 && rule->argument == 0)
        continue;
      values[n++] = value;
    }
  if (n == 0 || !assay_torch_rank (self, values[0], &rank) ||
      (!assay_torch_is_none (self, 1) &&
       !assay_torch_get_axis (self, 1, rank + (guint) rule->argument, &axis)))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      values[i] = assay_torch_cast (self, values[i], dtype);
      if (rule->argument == 1)
        values[i] = assay_torch_unsqueeze (self, values[i], 1, &axis);
    }
  node = assay_torch_node (self, ASSAY_OP_Concat, n, values, 1, &output);
  assay_graph_set_int (self->graph, node, "axis", axis);
  assay_torch_infer (self, node);

  return assay_torch_result (self, 0, output);
}

gboolean
assay_torch_make_repeat (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId value;
  gint64 times[ASSAY_MAX_RANK];
  gint64 axes[ASSAY_MAX_RANK];
  guint rank;
  guint n;

  if (!assay_torch_get_tensor (self, 0, &value) || !assay_torch_rank (self, value, &rank) ||
      !assay_torch_get_ints (self, 1, times, &n))
    return FALSE;
  if (n < rank)
    {
      if (rule->argument == 0)
        return assay_torch_cannot (self, "there are fewer counts than axes");
      memmove (times + rank - n, times, n * sizeof *times);
      for (guint i = 0; i < rank - n; i++)
        times[i] = 1;
      n = rank;
    }
  for (guint i = 0; i < n - rank; i++)
    axes[i] = i;
  value = assay_torch_unsqueeze (self, value, n - rank, axes);

  return assay_torch_result (self, 0, TWO (Tile, value, assay_torch_ints (self, n, times)));
}

gboolean
assay_torch_make_flip (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId value;
  gint64 axes[ASSAY_MAX_RANK];
  gint64 starts[ASSAY_MAX_RANK];
  gint64 ends[ASSAY_MAX_RANK];
  AssayValueId output;
  guint rank;
  guint n;

  if (!assay_torch_get_tensor (self, 0, &value) || !assay_torch_rank (self, value, &rank))
    return FALSE;
  /* The axis is an operand, or in the name. */
  if (rule->argument < 0)
    {
      const AssayTorchItem *list = assay_torch_arg (self, 1);

      if (!assay_torch_get_axes (self, 1, rank, axes, &n))
        return FALSE;
      /* No axes turn nothing round, and one number has no other order. */
      if (rank == 0 || (list != NULL && list->kind == ASSAY_TORCH_ITEM_LIST && list->n == 0))
        return assay_torch_result (self, 0, assay_torch_one (self, ASSAY_OP_Identity, value));
    }
  else if (rule->argument >= rank)
    return assay_torch_cannot (self, "a tensor of rank %u has no such axis", rank);
  else
    {
      axes[0] = rule->argument;
      n = 1;
    }
  for (guint i = 0; i < n; i++)
    {
      starts[i] = -1;
      ends[i] = G_MININT64;
    }
  {
    const AssayValueId inputs[] = { value, assay_torch_ints (self, n, starts),
                                    assay_torch_ints (self, n, ends),
                                    assay_torch_ints (self, n, axes),
                                    assay_torch_ints (self, n, starts) };

    assay_torch_infer (self, assay_torch_node (self, ASSAY_OP_Slice, 5, inputs, 1, &output));
  }

  return assay_torch_result (self, 0, output);
}

gboolean
assay_torch_make_roll (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId value;
  gint64 shifts[ASSAY_MAX_RANK];
  gint64 axes[ASSAY_MAX_RANK];
  gint64 dims[ASSAY_MAX_RANK];
  guint rank;
  guint n;
  guint m;

  if (!assay_torch_get_tensor (self, 0, &value) || !assay_torch_get_ints (self, 1, shifts, &n) ||
      !assay_torch_dims (self, value, &rank, dims) ||
      !assay_torch_get_axes (self, 2, rank, axes, &m))
    return FALSE;
  if (n != m)
    return assay_torch_cannot (self, "there are other axes than shifts");
  for (guint i = 0; i < n; i++)
    {
      gint64 size = dims[axes[i]];
      gint64 cut = size > 0 ? (size - shifts[i] % size) % size : 0;
      AssayValueId parts[2];
      AssayValueId output;
      AssayNodeId node;

      if (cut == 0)
        continue;
      parts[0] = assay_torch_slice (self, value, axes[i], cut, G_MAXINT64, 1);
      parts[1] = assay_torch_slice (self, value, axes[i], 0, cut, 1);
      node = assay_torch_node (self, ASSAY_OP_Concat, 2, parts, 1, &output);
      assay_graph_set_int (self->graph, node, "axis", axes[i]);
      assay_torch_infer (self, node);
      value = output;
    }

  return assay_torch_result (self, 0, value);
}

/* Pairs from the last axis on: before and behind. */
gboolean
assay_torch_make_pad (AssayTorchLower *self, const AssayTorchRule *rule)
{
  static const char *const modes[] = { "constant", "reflect", "edge", "wrap" };
  const char *mode = modes[rule->argument % 4];
  AssayTorchItem *fill = rule->argument == 0   ? assay_torch_arg (self, 2)
                         : rule->argument == 4 ? assay_torch_arg (self, 3)
                                               : NULL;
  AssayValueId inputs[3];
  AssayValueId output;
  AssayNodeId node;
  gint64 pairs[ASSAY_MAX_RANK];
  gint64 pads[2 * ASSAY_MAX_RANK] = { 0 };
  guint n_inputs = 2;
  guint rank;
  guint n;

  if (!assay_torch_get_tensor (self, 0, &inputs[0]) || !assay_torch_rank (self, inputs[0], &rank) ||
      !assay_torch_get_ints (self, 1, pairs, &n))
    return FALSE;
  if (n % 2 != 0 || n / 2 > rank)
    return assay_torch_cannot (self, "%u padding%s of a tensor of rank %u", n, assay_plural (n),
                               rank);
  if (rule->argument == 4 && assay_torch_arg (self, 2) != NULL)
    {
      mode = assay_torch_arg (self, 2)->s;
      if (g_strcmp0 (mode, "replicate") == 0)
        mode = "edge";
      else if (g_strcmp0 (mode, "circular") == 0)
        mode = "wrap";
    }
  for (guint i = 0; i < n / 2; i++)
    {
      pads[rank - 1 - i] = pairs[2 * i];
      pads[2 * rank - 1 - i] = pairs[2 * i + 1];
    }
  inputs[1] = assay_torch_ints (self, 2 * rank, pads);
  if (g_strcmp0 (mode, "constant") == 0)
    {
      AssayDType dtype = assay_torch_dtype (self, inputs[0]);

      inputs[n_inputs++] = fill != NULL && fill->kind != ASSAY_TORCH_ITEM_NONE
                               ? assay_torch_as_value (self, fill, dtype)
                               : assay_torch_scalar (self, dtype, 0.0);
    }
  node = assay_torch_node (self, ASSAY_OP_Pad, n_inputs, inputs, 1, &output);
  assay_graph_set_string (self->graph, node, "mode", mode != NULL ? mode : "constant");
  assay_torch_infer (self, node);

  return assay_torch_result (self, 0, output);
}

gboolean
assay_torch_make_triangle (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId value;
  AssayValueId output;
  AssayNodeId node;
  gint64 diagonal = 0;

  if (!assay_torch_get_tensor (self, 0, &value) ||
      (!assay_torch_is_none (self, 1) && !assay_torch_get_int (self, 1, &diagonal)))
    return FALSE;
  node = assay_torch_node (
      self, ASSAY_OP_Trilu, 2,
      (AssayValueId[]){ value, assay_torch_integer (self, ASSAY_DTYPE_I64, diagonal) }, 1, &output);
  assay_graph_set_int (self->graph, node, "upper", rule->argument);
  assay_torch_infer (self, node);

  return assay_torch_result (self, 0, output);
}

/* A diagonal is a view with the strides of both axes. */
gboolean
assay_torch_make_diagonal (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *item;
  AssayValueId value;
  gint64 offset = 0;
  gint64 a = 0;
  gint64 b = 1;
  gint64 dims[ASSAY_MAX_RANK];
  gint64 strides[ASSAY_MAX_RANK];
  gint64 start;
  guint rank;
  guint k = 0;

  if (!get_view (self, &item, &value, &rank) || rank < 2 ||
      (!assay_torch_is_none (self, 1) && !assay_torch_get_int (self, 1, &offset)) ||
      (!assay_torch_is_none (self, 2) && !assay_torch_get_axis (self, 2, rank, &a)) ||
      (!assay_torch_is_none (self, 3) && !assay_torch_get_axis (self, 3, rank, &b)) || a == b)
    return FALSE;
  if (!assay_torch_track (self, item))
    return assay_torch_cannot (self, "the extents are only known at run time");
  for (guint i = 0; i < rank; i++)
    if ((gint64) i != a && (gint64) i != b)
      {
        dims[k] = item->dims[i];
        strides[k++] = item->strides[i];
      }
  dims[k] = MAX (offset >= 0 ? MIN (item->dims[a], item->dims[b] - offset)
                             : MIN (item->dims[a] + offset, item->dims[b]),
                 0);
  strides[k++] = item->strides[a] + item->strides[b];
  start = item->offset + (dims[k - 1] == 0 ? 0
                          : offset >= 0    ? offset * item->strides[b]
                                           : -offset * item->strides[a]);

  return give (self, assay_torch_view_strided (self, item, k, dims, strides, start));
}

/* Places that are counted from the back are brought to the front by the operator itself. */
gboolean
assay_torch_make_index_select (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId value;
  AssayValueId index;
  gint64 axis;
  gint64 one = 1;
  guint rank;
  guint n;

  if (!assay_torch_get_tensor (self, 0, &value) || !assay_torch_rank (self, value, &rank) ||
      !assay_torch_get_axis (self, 1, rank, &axis) || !assay_torch_get_tensor (self, 2, &index) ||
      !assay_torch_rank (self, index, &n))
    return FALSE;
  if (n == 0 && rank > 0)
    index = assay_torch_reshape (self, index, 1, &one);
  if (rank == 0)
    return assay_torch_result (self, 0, assay_torch_one (self, ASSAY_OP_Identity, value));

  return assay_torch_result (self, 0, assay_torch_gather (self, value, index, axis));
}

gboolean
assay_torch_make_gather (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId value;
  AssayValueId index;
  AssayValueId output;
  AssayNodeId node;
  gint64 axis;
  guint rank;

  if (!assay_torch_get_tensor (self, 0, &value) || !assay_torch_rank (self, value, &rank) ||
      !assay_torch_get_axis (self, 1, rank, &axis) || !assay_torch_get_tensor (self, 2, &index))
    return FALSE;
  if (rank == 0)
    return assay_torch_result (self, 0, assay_torch_one (self, ASSAY_OP_Identity, value));
  node = assay_torch_node (self, ASSAY_OP_GatherElements, 2, (AssayValueId[]){ value, index }, 1,
                           &output);
  assay_graph_set_int (self->graph, node, "axis", axis);
  assay_torch_infer (self, node);

  return assay_torch_result (self, 0, output);
}

gboolean
assay_torch_make_embedding (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId weight;
  AssayValueId index;

  return assay_torch_get_tensor (self, 0, &weight) && assay_torch_get_tensor (self, 1, &index) &&
         assay_torch_result (self, 0, assay_torch_gather (self, weight, index, 0));
}
