/* assay-torch-make-count.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Counting, turning, and what is seldom asked for.
 */
#include <math.h>
#include <string.h>

#include "source/torch/assay-torch-lower-private.h"

#define ONE(op, a) assay_torch_one (self, ASSAY_OP_##op, a)
#define TWO(op, a, b) assay_torch_two (self, ASSAY_OP_##op, a, b)
#define THREE(op, a, b, c) assay_torch_three (self, ASSAY_OP_##op, a, b, c)

/* One half of an axis, as far as the other half lets it through. */
gboolean
assay_torch_make_glu (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  gint64 axis;
  gint64 size;
  guint rank;

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_rank (self, x, &rank) || rank == 0 ||
      !assay_torch_get_axis (self, 1, rank, &axis))
    return FALSE;
  size = assay_torch_type (self, x)->dims[axis].size;
  if (size < 0)
    return assay_torch_cannot (self, "where the middle is is only known at run time");

  return assay_torch_result (
      self, 0,
      TWO (Mul, assay_torch_slice (self, x, axis, 0, size / 2, 1),
           ONE (Sigmoid, assay_torch_slice (self, x, axis, size / 2, size, 1))));
}

gboolean
assay_torch_make_trace (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *item = assay_torch_arg (self, 0);
  AssayTorchItem *line;
  AssayValueId x;
  AssayDType dtype;
  gint64 first = 0;
  gint64 size;
  gint64 stride;

  if (!assay_torch_get_tensor (self, 0, &x))
    return FALSE;
  if (!assay_torch_track (self, item) || item->rank != 2)
    return assay_torch_cannot (self, "it is no matrix of known extents");
  size = MIN (item->dims[0], item->dims[1]);
  stride = item->strides[0] + item->strides[1];
  line = assay_torch_view_strided (self, item, 1, &size, &stride, item->offset);
  if (line == NULL)
    return FALSE;
  dtype = assay_torch_dtype (self, x);
  if (!assay_dtype_is_float (dtype))
    dtype = ASSAY_DTYPE_I64;

  return assay_torch_result (self, 0,
                             assay_torch_reduce (self, ASSAY_OP_ReduceSum,
                                                 assay_torch_cast (self, line->value, dtype), 1,
                                                 &first, FALSE));
}

/* How many elements are something; over axes (0) or an axis that may be left out (1). */
gboolean
assay_torch_make_count_nonzero (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  gint64 axes[ASSAY_MAX_RANK];
  guint rank;
  guint n;

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_rank (self, x, &rank) ||
      !assay_torch_get_axes (self, 1, rank, axes, &n))
    return FALSE;
  x = assay_torch_cast (self, assay_torch_cast (self, x, ASSAY_DTYPE_BOOL), ASSAY_DTYPE_I64);

  return assay_torch_result (self, 0,
                             assay_torch_reduce (self, ASSAY_OP_ReduceSum, x, n, axes, FALSE));
}

/* By quarters of a turn: two axes change places, and one of them runs backwards. */
gboolean
assay_torch_make_rot90 (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayValueId output;
  gint64 turns;
  gint64 axes[ASSAY_MAX_RANK];
  gint64 perm[ASSAY_MAX_RANK];
  gint64 back = -1;
  gint64 beyond = G_MININT64;
  guint rank;
  guint n;

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_rank (self, x, &rank) ||
      !assay_torch_get_int (self, 1, &turns) || !assay_torch_get_axes (self, 2, rank, axes, &n) ||
      n != 2)
    return FALSE;
  for (guint i = 0; i < rank; i++)
    perm[i] = i;
  perm[axes[0]] = axes[1];
  perm[axes[1]] = axes[0];
  for (gint64 i = 0; i < (turns % 4 + 4) % 4; i++)
    {
      const AssayValueId inputs[] = { assay_torch_transpose (self, x, rank, perm),
                                      assay_torch_ints (self, 1, &back),
                                      assay_torch_ints (self, 1, &beyond),
                                      assay_torch_ints (self, 1, &axes[0]),
                                      assay_torch_ints (self, 1, &back) };

      assay_torch_infer (self, assay_torch_node (self, ASSAY_OP_Slice, 5, inputs, 1, &output));
      x = output;
    }

  return assay_torch_result (self, 0, x);
}

/* The bits of elements as another type of the same width. */
gboolean
assay_torch_make_bits (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayValueId output;
  AssayNodeId node;
  AssayDType dtype = ASSAY_DTYPE_UNDEFINED;

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_get_dtype (self, 1, &dtype))
    return FALSE;
  if (dtype == assay_torch_dtype (self, x))
    return assay_torch_result (self, 0, ONE (Identity, x));
  if (assay_dtype_bits (dtype) != assay_dtype_bits (assay_torch_dtype (self, x)))
    return assay_torch_cannot (self, "the width of an element changes");
  node = assay_torch_node (self, ASSAY_OP_BitCast, 1, &x, 1, &output);
  assay_graph_set_int (self->graph, node, "to", dtype);
  assay_torch_infer (self, node);

  return assay_torch_result (self, 0, output);
}

/* The determinant, and what it was computed from, which only a gradient needs. */
gboolean
assay_torch_make_det (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayValueId y;

  if (!assay_torch_get_tensor (self, 0, &x))
    return FALSE;
  y = ONE (Det, x);
  for (guint i = 1; i < self->op->n_results; i++)
    assay_torch_result_item (self, i, assay_torch_item_new (self, ASSAY_TORCH_ITEM_NONE));
  if (rule->argument == 0)
    return assay_torch_result (self, 0, y);

  /* Its sign, and the logarithm of the rest. */
  return assay_torch_result (self, 0, ONE (Sign, y)) &&
         assay_torch_result (self, 1, ONE (Log, ONE (Abs, y)));
}

/* A window of the length that operand 0 says. */
gboolean
assay_torch_make_window (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId length;
  AssayValueId output;
  AssayNodeId node;
  gint64 n;
  gboolean periodic = TRUE;
  AssayDType dtype = ASSAY_DTYPE_F32;

  if (!assay_torch_get_int (self, 0, &n) ||
      (rule->argument == 1 && !assay_torch_get_bool (self, 1, &periodic)) ||
      !assay_torch_get_dtype (self, (guint) rule->argument + 1, &dtype))
    return FALSE;
  length = assay_torch_integer (self, ASSAY_DTYPE_I64, n);
  node = assay_torch_node (self, rule->op, 1, &length, 1, &output);
  assay_graph_set_int (self->graph, node, "periodic", periodic);
  assay_graph_set_int (self->graph, node, "output_datatype", dtype);
  assay_torch_infer (self, node);

  return assay_torch_result (self, 0, output);
}

/* The gradient of each element goes back to the one it was copied from. */
gboolean
assay_torch_make_nearest_backward (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId y;
  gint64 out[ASSAY_MAX_RANK];
  gint64 in[ASSAY_MAX_RANK];
  double factor;
  guint rank;
  guint n;

  if (!assay_torch_get_tensor (self, 0, &y) || !assay_torch_dims (self, y, &rank, out) ||
      !assay_torch_get_ints (self, 2, in, &n) || n != rank || rank < 3)
    return FALSE;
  for (guint axis = 2; axis < rank; axis++)
    {
      gint64 shape[ASSAY_MAX_RANK];
      gint64 column = axis - 2;
      g_autofree gint64 *places = g_new (gint64, MAX (out[axis], 1));
      g_autoptr (AssayTensor) tensor = NULL;
      AssayValueId x;
      AssayValueId index;
      AssayNodeId node;
      AssayValueId output;

      if (!assay_torch_is_none (self, 3 + (guint) column) &&
          assay_torch_get_float (self, 3 + (guint) column, &factor) && factor > 0)
        factor = 1.0 / factor;
      else
        factor = (double) in[axis] / (double) MAX (out[axis], 1);
      for (gint64 i = 0; i < out[axis]; i++)
        places[i] = MIN ((gint64) floor ((double) i * factor), in[axis] - 1);
      for (guint i = 0; i < rank; i++)
        shape[i] = i == axis ? out[axis] : 1;
      tensor = assay_tensor_new_i64 (rank, shape, places);
      index = TWO (Expand, assay_torch_keep (self, tensor), assay_torch_shape (self, y));
      for (guint i = 0; i < rank; i++)
        shape[i] = i == axis ? in[i] : assay_torch_type (self, y)->dims[i].size;
      x = assay_torch_fill (self, assay_torch_dtype (self, y), rank, shape, 0.0);
      node = assay_torch_node (self, ASSAY_OP_ScatterElements, 3, (AssayValueId[]){ x, index, y },
                               1, &output);
      assay_graph_set_int (self->graph, node, "axis", axis);
      assay_graph_set_string (self->graph, node, "reduction", "add");
      assay_torch_infer (self, node);
      y = output;
    }

  return assay_torch_result (self, 0, y);
}
