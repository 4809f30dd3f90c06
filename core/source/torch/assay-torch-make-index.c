/* assay-torch-make-index.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Indexing by tensors, and writing to places that tensors name.
 */
#include <math.h>
#include <string.h>

#include "source/torch/assay-torch-lower-private.h"

#define ONE(op, a) assay_torch_one (self, ASSAY_OP_##op, a)
#define TWO(op, a, b) assay_torch_two (self, ASSAY_OP_##op, a, b)
#define THREE(op, a, b, c) assay_torch_three (self, ASSAY_OP_##op, a, b, c)

/* Indices of a tensor: which axes have one, and all of them broadcast and stacked. */
typedef struct
{
  AssayValueId value;
  guint rank;
  gint64 dims[ASSAY_MAX_RANK];
  guint n;                     /* indexed axes */
  gint64 axes[ASSAY_MAX_RANK]; /* which those are */
  gint64 perm[ASSAY_MAX_RANK]; /* the indexed axes first */
  AssayValueId indices;        /* tuples, the last axis has n */
  guint index_rank;
  gboolean is_apart; /* whether axes without an index stand between them */
} Indexing;

/* A mask is the places where it holds. */
static gboolean
add_mask (AssayTorchLower *self, AssayValueId mask, AssayValueId *values, guint *n)
{
  AssayValueId places = ONE (NonZero, mask);
  guint rank;

  if (!assay_torch_rank (self, mask, &rank) || *n + rank > ASSAY_MAX_RANK)
    return FALSE;
  for (guint i = 0; i < rank; i++)
    values[(*n)++] = assay_torch_gather (self, places,
                                         assay_torch_integer (self, ASSAY_DTYPE_I64, i), 0);

  return TRUE;
}

/* Counted from the front, as 64-bit integers. */
static AssayValueId
from_front (AssayTorchLower *self, AssayValueId index, gint64 size)
{
  AssayValueId zero;

  index = assay_torch_cast (self, index, ASSAY_DTYPE_I64);
  zero = assay_torch_integer (self, ASSAY_DTYPE_I64, 0);

  return THREE (Where, TWO (Less, index, zero),
                TWO (Add, index, assay_torch_integer (self, ASSAY_DTYPE_I64, size)), index);
}

static gboolean
get_indexing (AssayTorchLower *self, Indexing *out)
{
  const AssayTorchItem *list = assay_torch_arg (self, 1);
  AssayValueId values[ASSAY_MAX_RANK] = { ASSAY_NO_VALUE };
  AssayValueId shape = ASSAY_NO_VALUE;
  AssayValueId output;
  AssayNodeId node;
  gint64 last = 0;
  guint n = 0;
  guint k = 0;

  if (!assay_torch_get_tensor (self, 0, &out->value) ||
      !assay_torch_dims (self, out->value, &out->rank, out->dims))
    return FALSE;
  if (list == NULL || list->kind != ASSAY_TORCH_ITEM_LIST || list->n > out->rank)
    return assay_torch_cannot (self, "the indices are no list");

  for (guint i = 0; i < list->n && n < out->rank; i++)
    {
      AssayValueId index;

      if (list->items[i]->kind == ASSAY_TORCH_ITEM_NONE)
        {
          n++;
          continue;
        }
      index = list->items[i]->kind == ASSAY_TORCH_ITEM_TENSOR
                  ? assay_torch_read (self, list->items[i])
                  : ASSAY_NO_VALUE;
      if (index == ASSAY_NO_VALUE)
        return assay_torch_cannot (self, "index %u is no tensor", i);
      if (assay_torch_dtype (self, index) == ASSAY_DTYPE_BOOL)
        {
          if (!add_mask (self, index, values, &n))
            return FALSE;
        }
      else
        values[n++] = index;
    }
  if (n > out->rank)
    return assay_torch_cannot (self, "there are more indices than axes");

  out->n = 0;
  for (guint i = 0; i < n; i++)
    if (values[i] != ASSAY_NO_VALUE)
      {
        out->is_apart |= out->n > 0 && out->axes[out->n - 1] + 1 != (gint64) i;
        values[i] = from_front (self, values[i], out->dims[i]);
        shape = shape == ASSAY_NO_VALUE ? values[i] : TWO (Add, shape, values[i]);
        out->axes[out->n++] = i;
      }
  if (out->n == 0)
    return assay_torch_cannot (self, "nothing is indexed");
  for (guint i = 0; i < out->n; i++)
    out->perm[k++] = out->axes[i];
  for (guint i = 0; i < out->rank; i++)
    {
      gboolean is_indexed = FALSE;

      for (guint j = 0; j < out->n; j++)
        is_indexed |= out->axes[j] == (gint64) i;
      if (!is_indexed)
        out->perm[k++] = i;
    }

  if (!assay_torch_rank (self, shape, &out->index_rank))
    return FALSE;
  last = out->index_rank;
  shape = assay_torch_shape (self, shape);
  for (guint i = 0; i < out->n; i++)
    values[i] = assay_torch_unsqueeze (self, TWO (Expand, values[out->axes[i]], shape), 1, &last);
  node = assay_torch_node (self, ASSAY_OP_Concat, out->n, values, 1, &output);
  assay_graph_set_int (self->graph, node, "axis", last);
  assay_torch_infer (self, node);
  out->indices = output;

  return TRUE;
}

/* The axes of the index stand where the first indexed axis stood, if those stood together; in
 * front otherwise. */
static void
place_axes (const Indexing *self, guint *rank, gint64 *perm)
{
  guint before = self->is_apart ? 0 : (guint) self->axes[0];
  guint rest = self->rank - self->n;
  guint k = 0;

  for (guint i = 0; i < before; i++)
    perm[k++] = self->index_rank + i;
  for (guint i = 0; i < self->index_rank; i++)
    perm[k++] = i;
  for (guint i = before; i < rest; i++)
    perm[k++] = self->index_rank + i;
  *rank = k;
}

/* Places along one axis, which all targets know. */
static gboolean
get_one_index (AssayTorchLower *self, AssayValueId *index, gint64 *axis)
{
  const AssayTorchItem *list = assay_torch_arg (self, 1);
  guint n = 0;

  *index = ASSAY_NO_VALUE;
  *axis = 0;
  for (guint i = 0; list != NULL && list->kind == ASSAY_TORCH_ITEM_LIST && i < list->n; i++)
    if (list->items[i]->kind != ASSAY_TORCH_ITEM_NONE)
      {
        if (list->items[i]->kind != ASSAY_TORCH_ITEM_TENSOR || n++ > 0)
          return FALSE;
        *index = assay_torch_read (self, list->items[i]);
        *axis = i;
      }

  return n == 1 && *index != ASSAY_NO_VALUE &&
         assay_dtype_kind (assay_torch_dtype (self, *index)) == 'I';
}

gboolean
assay_torch_make_index (AssayTorchLower *self, const AssayTorchRule *rule)
{
  Indexing x = { .value = ASSAY_NO_VALUE };
  gint64 perm[2 * ASSAY_MAX_RANK];
  AssayValueId y;
  gint64 axis;
  guint rank;

  if (get_one_index (self, &y, &axis))
    return assay_torch_get_tensor (self, 0, &x.value) && assay_torch_rank (self, x.value, &rank) &&
           (axis < (gint64) rank ||
            assay_torch_cannot (self, "there are more indices than axes")) &&
           assay_torch_result (self, 0,
                               assay_torch_gather (self, x.value,
                                                   assay_torch_cast (self, y, ASSAY_DTYPE_I64),
                                                   axis));
  if (!get_indexing (self, &x))
    return FALSE;
  y = TWO (GatherND, assay_torch_transpose (self, x.value, x.rank, x.perm), x.indices);
  place_axes (&x, &rank, perm);

  return assay_torch_result (self, 0, assay_torch_transpose (self, y, rank, perm));
}

static void
invert (guint rank, const gint64 *perm, gint64 *inverse)
{
  for (guint i = 0; i < rank; i++)
    inverse[perm[i]] = i;
}

gboolean
assay_torch_make_index_put (AssayTorchLower *self, const AssayTorchRule *rule)
{
  Indexing x = { .value = ASSAY_NO_VALUE };
  gint64 perm[2 * ASSAY_MAX_RANK];
  gint64 inverse[2 * ASSAY_MAX_RANK];
  AssayValueId data;
  AssayValueId updates;
  AssayValueId shape;
  AssayValueId output;
  AssayNodeId node;
  gboolean is_sum = FALSE;
  guint rank;

  if (!get_indexing (self, &x) || !assay_torch_get_tensor (self, 2, &updates) ||
      (!assay_torch_is_none (self, 3) && !assay_torch_get_bool (self, 3, &is_sum)))
    return FALSE;
  data = assay_torch_transpose (self, x.value, x.rank, x.perm);
  place_axes (&x, &rank, perm);
  /* What is written has the shape that is picked; broadcast to that, then with the index first. */
  shape = assay_torch_shape (
      self, assay_torch_transpose (self, TWO (GatherND, data, x.indices), rank, perm));
  updates = TWO (Expand, assay_torch_cast (self, updates, assay_torch_dtype (self, data)), shape);
  invert (rank, perm, inverse);
  updates = assay_torch_transpose (self, updates, rank, inverse);

  node = assay_torch_node (self, ASSAY_OP_ScatterND, 3,
                           (AssayValueId[]){ data, x.indices, updates }, 1, &output);
  if (is_sum)
    assay_graph_set_string (self->graph, node, "reduction", "add");
  assay_torch_infer (self, node);
  invert (x.rank, x.perm, inverse);

  return assay_torch_result (self, 0, assay_torch_transpose (self, output, x.rank, inverse));
}

/* The corner of a tensor that an index covers: torch allows smaller indices than sources. */
static AssayValueId
cut_to (AssayTorchLower *self, AssayValueId value, AssayValueId like)
{
  const AssayType *to = assay_torch_type (self, like);

  for (int i = 0; i < to->rank; i++)
    if (to->dims[i].size >= 0)
      value = assay_torch_slice (self, value, i, 0, to->dims[i].size, 1);

  return value;
}

/* A number, or the integer that is as far out as there is one. */
static AssayValueId
extreme (AssayTorchLower *self, AssayDType dtype, double value)
{
  guint bits = assay_dtype_bits (dtype);
  gboolean is_signed = assay_dtype_kind (dtype) == 'I';

  if (assay_dtype_is_float (dtype) || fabs (value) <= 1.0)
    return assay_torch_scalar (self, dtype, value);
  if (value > 0)
    return assay_torch_integer (
        self, dtype, bits >= 63 ? G_MAXINT64 : (G_GINT64_CONSTANT (1) << (bits - is_signed)) - 1);

  return assay_torch_integer (self, dtype,
                              !is_signed   ? 0
                              : bits >= 63 ? G_MININT64
                                           : -(G_GINT64_CONSTANT (1) << (bits - 1)));
}

/* One value to all places of an index. */
static AssayValueId
put_same (AssayTorchLower *self, AssayValueId x, AssayValueId index, gint64 axis,
          AssayValueId value, const char *reduction)
{
  return assay_torch_elements (
      self, ASSAY_OP_ScatterElements, 3,
      (AssayValueId[]){ x, index, TWO (Expand, value, assay_torch_shape (self, index)) }, axis,
      reduction);
}

/* Sums by as many values as went into them; integers are rounded down. */
static AssayValueId
divide_by_count (AssayTorchLower *self, AssayValueId sum, AssayValueId index, gint64 axis,
                 gboolean includes_self)
{
  AssayDType dtype = assay_torch_dtype (self, sum);
  AssayValueId one = assay_torch_scalar (self, dtype, 1.0);
  AssayValueId zero = assay_torch_scalar (self, dtype, 0.0);
  AssayValueId n = TWO (Expand, includes_self ? one : zero, assay_torch_shape (self, sum));
  AssayValueId y;

  n = TWO (Max, put_same (self, n, index, axis, one, "add"), one);
  y = TWO (Div, sum, n);
  if (assay_dtype_is_float (dtype))
    return y;

  return TWO (Sub, y,
              assay_torch_cast (self, TWO (Less, TWO (Sub, sum, TWO (Mul, y, n)), zero), dtype));
}

/* Values, or one value (argument 1), to places along an axis; maybe joined with what is there. */
gboolean
assay_torch_make_scatter (AssayTorchLower *self, const AssayTorchRule *rule)
{
  static const struct
  {
    const char *torch;
    const char *own;
  } reductions[] = {
    { "add", "add" },  { "sum", "add" },  { "multiply", "mul" }, { "prod", "mul" },
    { "amax", "max" }, { "amin", "min" }, { "mean", "add" },
  };
  AssayTorchItem *source = assay_torch_arg (self, 3);
  const AssayTorchItem *mode = rule->argument == 2 ? assay_torch_arg (self, 4) : NULL;
  const char *reduction = rule->argument == 3 ? "add" : NULL;
  AssayValueId x;
  AssayValueId index;
  AssayValueId updates;
  gboolean is_mean = mode != NULL && g_strcmp0 (mode->s, "mean") == 0;
  gboolean includes_self = TRUE;
  gint64 axis;
  guint rank;

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_rank (self, x, &rank) ||
      !assay_torch_get_axis (self, 1, rank, &axis) || !assay_torch_get_tensor (self, 2, &index) ||
      source == NULL)
    return FALSE;
  updates = assay_torch_as_value (self, source, assay_torch_dtype (self, x));
  updates = source->kind == ASSAY_TORCH_ITEM_TENSOR && assay_torch_type (self, updates)->rank != 0
                ? cut_to (self, updates, index)
                : TWO (Expand, updates, assay_torch_shape (self, index));
  for (guint i = 0; mode != NULL && i < G_N_ELEMENTS (reductions); i++)
    if (g_strcmp0 (mode->s, reductions[i].torch) == 0)
      reduction = reductions[i].own;
  if (mode != NULL && reduction == NULL)
    return assay_torch_cannot (self, "values are joined by %s", mode->s);
  if (rule->argument == 2 && self->op->n_operands > 5)
    {
      if (!assay_torch_get_bool (self, 5, &includes_self))
        return FALSE;
      /* What is there does not count: the neutral element takes its place first. */
      if (!includes_self)
        {
          AssayDType dtype = assay_torch_dtype (self, x);
          double neutral = g_str_equal (reduction, "mul")   ? 1.0
                           : g_str_equal (reduction, "max") ? -G_MAXDOUBLE * 2
                           : g_str_equal (reduction, "min") ? G_MAXDOUBLE * 2
                                                            : 0.0;

          x = put_same (self, x, index, axis, extreme (self, dtype, neutral), NULL);
        }
    }
  updates = assay_torch_elements (self, ASSAY_OP_ScatterElements, 3,
                                  (AssayValueId[]){ x, index, updates }, axis, reduction);

  return assay_torch_result (
      self, 0, is_mean ? divide_by_count (self, updates, index, axis, includes_self) : updates);
}

/* A copy of a tensor with a part of it written: a slice (0), one place of an axis (1), or a
 * diagonal (2). */
gboolean
assay_torch_make_scatter_part (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *copy;
  AssayTorchItem *part;
  AssayValueId x;
  AssayValueId source;
  gint64 axis;
  gint64 bounds[2] = { 0, G_MAXINT64 };
  gint64 step = 1;
  gint64 size;
  guint rank;

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_get_tensor (self, 1, &source) ||
      !assay_torch_rank (self, x, &rank) || !assay_torch_get_axis (self, 2, rank, &axis))
    return FALSE;
  copy = assay_torch_tensor (self, x);
  if (!assay_torch_track (self, copy))
    return assay_torch_cannot (self, "the extents are only known at run time");
  size = copy->dims[axis];
  for (guint i = 0; i < (rule->argument == 0 ? 2 : 1); i++)
    if (!assay_torch_is_none (self, 3 + i) && !assay_torch_get_int (self, 3 + i, &bounds[i]))
      return FALSE;
  if (rule->argument == 0 && !assay_torch_get_int (self, 5, &step))
    return FALSE;
  if (rule->argument == 1)
    {
      bounds[0] += bounds[0] < 0 ? size : 0;
      bounds[1] = bounds[0] + 1;
      source = assay_torch_unsqueeze (self, source, 1, &axis);
    }
  part = assay_torch_view_slice (self, copy, axis, bounds[0], bounds[1], step);
  if (part == NULL || !assay_torch_write (self, part, source))
    return FALSE;

  return assay_torch_result (self, 0, assay_torch_read (self, copy));
}

gboolean
assay_torch_make_nonzero (AssayTorchLower *self, const AssayTorchRule *rule)
{
  static const gint64 perm[] = { 1, 0 };
  AssayValueId x;

  return assay_torch_get_tensor (self, 0, &x) &&
         assay_torch_result (self, 0, assay_torch_transpose (self, ONE (NonZero, x), 2, perm));
}

gboolean
assay_torch_make_masked_select (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayValueId mask;
  static const gint64 perm[] = { 1, 0 };
  AssayValueId both;

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_get_tensor (self, 1, &mask))
    return FALSE;
  both = assay_torch_shape (self, TWO (Or, ONE (Not, TWO (Equal, x, x)), mask));
  x = TWO (Expand, x, both);
  mask = TWO (Expand, mask, both);

  return assay_torch_result (
      self, 0, TWO (GatherND, x, assay_torch_transpose (self, ONE (NonZero, mask), 2, perm)));
}

/* The elements of a source one after the other to where a mask holds. */
gboolean
assay_torch_make_masked_scatter (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayValueId mask;
  AssayValueId source;
  AssayValueId shape;
  AssayValueId place;
  AssayValueId one = assay_torch_integer (self, ASSAY_DTYPE_I64, 1);
  AssayValueId zero = assay_torch_integer (self, ASSAY_DTYPE_I64, 0);
  gint64 flat = -1;
  gint64 single = 1;

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_get_tensor (self, 1, &mask) ||
      !assay_torch_get_tensor (self, 2, &source))
    return FALSE;
  /* Either of the two may be the larger one. */
  mask = assay_torch_cast (self, mask, ASSAY_DTYPE_BOOL);
  x = TWO (Expand, x, assay_torch_shape (self, mask));
  shape = assay_torch_shape (self, x);
  mask = TWO (Expand, mask, shape);
  place = assay_torch_reshape (self, assay_torch_cast (self, mask, ASSAY_DTYPE_I64), 1, &flat);
  place = TWO (Max, TWO (Sub, TWO (CumSum, place, zero), one), zero);
  /* Behind the last that is written there may be no more elements, or none at all. */
  source = assay_torch_concat (
      self, 2,
      (AssayValueId[]){
          assay_torch_reshape (self, source, 1, &flat),
          assay_torch_fill (self, assay_torch_dtype (self, source), 1, &single, 0.0) },
      0);
  place = TWO (Min, place, TWO (Sub, ONE (Size, source), one));
  source = TWO (Reshape, assay_torch_gather (self, source, place, 0), shape);

  return assay_torch_result (self, 0, THREE (Where, mask, source, x));
}

/* Rows of a table, summed up (0), averaged (1) or the largest elements of them (2) within bags,
 * which begin at offsets. Of the results only the first is known; the others are for gradients.
 * One row may be left out, which is none below 0, or counts from the end (argument 1). */
gboolean
assay_torch_make_embedding_bag (AssayTorchLower *self, const AssayTorchRule *rule)
{
  static const gint64 last = 1;
  AssayValueId inputs[3]; /* the table, rows, offsets */
  AssayValueId bag;
  AssayValueId rows;
  AssayValueId counts;
  AssayValueId scale;
  AssayValueId zero;
  AssayValueId neutral;
  AssayValueId keep = ASSAY_NO_VALUE;
  AssayValueId output;
  AssayNodeId node;
  AssayDType dtype;
  gint64 dims[ASSAY_MAX_RANK];
  gint64 table[ASSAY_MAX_RANK];
  gint64 mode = 0;
  gint64 padding = -1;
  gboolean has_end = FALSE;
  guint rank;

  for (guint i = 0; i < 3; i++)
    if (!assay_torch_get_tensor (self, i, &inputs[i]))
      return FALSE;
  if (!assay_torch_dims (self, inputs[2], &rank, dims) || rank != 1 ||
      !assay_torch_dims (self, inputs[0], &rank, table) || rank != 2 ||
      !assay_torch_get_int (self, 4, &mode) ||
      (!assay_torch_is_none (self, 7) && !assay_torch_get_bool (self, 7, &has_end)) ||
      (!assay_torch_is_none (self, 8) && !assay_torch_get_int (self, 8, &padding)))
    return FALSE;
  if (mode < 0 || mode > 2)
    return assay_torch_cannot (self, "bags of mode %" G_GINT64_FORMAT, mode);
  if (rule->argument == 1 && !assay_torch_is_none (self, 8) && padding < 0)
    padding += table[0];
  dtype = assay_torch_dtype (self, inputs[0]);
  dims[0] -= has_end;
  dims[1] = table[1];
  zero = assay_torch_integer (self, ASSAY_DTYPE_I64, 0);
  /* The bag of a row is the last one that begins before it. */
  bag = THREE (Range, zero, ONE (Size, inputs[1]), assay_torch_integer (self, ASSAY_DTYPE_I64, 1));
  bag = TWO (GreaterOrEqual, assay_torch_unsqueeze (self, bag, 1, &last),
             assay_torch_cast (self, assay_torch_slice (self, inputs[2], 0, 0, dims[0], 1),
                               ASSAY_DTYPE_I64));
  bag = assay_torch_reduce (self, ASSAY_OP_ReduceSum, assay_torch_cast (self, bag, ASSAY_DTYPE_I64),
                            1, &last, TRUE);
  bag = TWO (Sub, bag, assay_torch_integer (self, ASSAY_DTYPE_I64, 1));
  rows = assay_torch_gather (self, inputs[0], inputs[1], 0);
  if (!assay_torch_is_none (self, 6))
    {
      if (!assay_torch_get_tensor (self, 6, &scale))
        return FALSE;
      rows = TWO (Mul, rows, assay_torch_unsqueeze (self, scale, 1, &last));
    }
  neutral = mode == 2 ? extreme (self, dtype, -HUGE_VAL) : assay_torch_scalar (self, dtype, 0.0);
  if (padding >= 0)
    {
      keep = ONE (Not,
                  TWO (Equal, inputs[1],
                       assay_torch_integer (self, assay_torch_dtype (self, inputs[1]), padding)));
      rows = THREE (Where, assay_torch_unsqueeze (self, keep, 1, &last), rows, neutral);
    }
  node = assay_torch_node (
      self, ASSAY_OP_ScatterND, 3,
      (AssayValueId[]){ assay_torch_expand (self, neutral, 2, dims), bag, rows }, 1, &output);
  assay_graph_set_string (self->graph, node, "reduction", mode == 2 ? "max" : "add");
  assay_torch_infer (self, node);
  if (mode > 0)
    {
      bag = TWO (Squeeze, bag, assay_torch_ints (self, 1, &last));
      counts = assay_torch_fill (self, dtype, 1, dims, 0.0);
      scale = assay_torch_scalar (self, dtype, 1.0);
      if (keep == ASSAY_NO_VALUE)
        counts = put_same (self, counts, bag, 0, scale, "add");
      else
        counts = assay_torch_elements (
            self, ASSAY_OP_ScatterElements, 3,
            (AssayValueId[]){ counts, bag, assay_torch_cast (self, keep, dtype) }, 0, "add");
      counts = assay_torch_unsqueeze (self, counts, 1, &last);
      /* Of nothing the mean is 0, and so is the largest. */
      output = mode == 1 ? TWO (Div, output, TWO (Max, counts, scale))
                         : THREE (Where, TWO (Less, counts, scale),
                                  assay_torch_scalar (self, dtype, 0.0), output);
    }
  for (guint i = 1; i < self->op->n_results; i++)
    assay_torch_result_item (self, i, assay_torch_item_new (self, ASSAY_TORCH_ITEM_NONE));

  return assay_torch_result (self, 0, output);
}
