/* assay-torch-make-reduce.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sums and the like, over axes or over everything.
 */
#include <math.h>

#include "source/torch/assay-torch-lower-private.h"

#define ONE(op, a) assay_torch_one (self, ASSAY_OP_##op, a)
#define TWO(op, a, b) assay_torch_two (self, ASSAY_OP_##op, a, b)
#define THREE(op, a, b, c) assay_torch_three (self, ASSAY_OP_##op, a, b, c)

static AssayDType
own_float (AssayDType dtype)
{
  return assay_dtype_is_float (dtype) || assay_dtype_kind (dtype) == 'C' ? dtype : ASSAY_DTYPE_F32;
}

/* What is reduced over what, with the operands where the overload has them. */
typedef struct
{
  AssayValueId x;
  guint rank;
  gint64 axes[ASSAY_MAX_RANK];
  guint n;
  gboolean keep;
} Reduction;

static gboolean
get_reduction (AssayTorchLower *self, guint axes, guint keep, Reduction *out)
{
  out->keep = FALSE;

  return assay_torch_get_tensor (self, 0, &out->x) && assay_torch_rank (self, out->x, &out->rank) &&
         assay_torch_get_axes (self, axes, out->rank, out->axes, &out->n) &&
         (assay_torch_is_none (self, keep) || assay_torch_get_bool (self, keep, &out->keep));
}

#define NOWHERE 99u

/* Sums, products and means with an element type of the result: the argument is 0 for axes and
 * keep, 1 for all elements, 2 for one axis, 3 for axes alone. */
gboolean
assay_torch_make_sum (AssayTorchLower *self, const AssayTorchRule *rule)
{
  Reduction r;
  guint at = rule->argument == 1 ? 1 : rule->argument == 3 ? 2 : 3;
  AssayDType dtype;

  if (!get_reduction (self, rule->argument == 1 ? NOWHERE : 1,
                      (rule->argument & 1) != 0 ? NOWHERE : 2, &r))
    return FALSE;
  dtype = assay_torch_dtype (self, r.x);
  if (rule->op == ASSAY_OP_ReduceMean)
    dtype = own_float (dtype);
  else if (!assay_dtype_is_float (dtype) && assay_dtype_kind (dtype) != 'C')
    dtype = ASSAY_DTYPE_I64;
  if (!assay_torch_get_dtype (self, at, &dtype))
    return FALSE;

  return assay_torch_result (self, 0,
                             assay_torch_reduce (self, rule->op,
                                                 assay_torch_cast (self, r.x, dtype), r.n, r.axes,
                                                 r.keep));
}

/* Extremes over axes, or over everything (argument 1). */
gboolean
assay_torch_make_extreme (AssayTorchLower *self, const AssayTorchRule *rule)
{
  Reduction r;

  return get_reduction (self, rule->argument == 1 ? NOWHERE : 1, rule->argument == 1 ? NOWHERE : 2,
                        &r) &&
         assay_torch_result (self, 0,
                             assay_torch_reduce (self, rule->op, r.x, r.n, r.axes, r.keep));
}

static AssayValueId
arg_reduce (AssayTorchLower *self, AssayOp op, AssayValueId x, gint64 axis, gboolean keep)
{
  AssayValueId output;
  AssayNodeId node;

  if (assay_torch_dtype (self, x) == ASSAY_DTYPE_BOOL)
    x = assay_torch_cast (self, x, ASSAY_DTYPE_U8);
  node = assay_torch_node (self, op, 1, &x, 1, &output);
  assay_graph_set_int (self->graph, node, "axis", axis);
  assay_graph_set_int (self->graph, node, "keepdims", keep);
  assay_torch_infer (self, node);

  return output;
}

/* The extreme along an axis and where it stands. */
gboolean
assay_torch_make_extreme_index (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayOp place = rule->op == ASSAY_OP_ReduceMax ? ASSAY_OP_ArgMax : ASSAY_OP_ArgMin;
  AssayValueId x;
  gboolean keep = FALSE;
  gint64 axis;
  guint rank;

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_rank (self, x, &rank) ||
      !assay_torch_get_axis (self, 1, rank, &axis) || !assay_torch_get_bool (self, 2, &keep))
    return FALSE;
  if (rank == 0)
    return assay_torch_result (self, 0, ONE (Identity, x)) &&
           assay_torch_result (self, 1, assay_torch_integer (self, ASSAY_DTYPE_I64, 0));

  return assay_torch_result (self, 0, assay_torch_reduce (self, rule->op, x, 1, &axis, keep)) &&
         assay_torch_result (self, 1, arg_reduce (self, place, x, axis, keep));
}

gboolean
assay_torch_make_arg (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  gboolean keep = FALSE;
  gint64 axis = 0;
  gint64 flat = -1;
  guint rank;
  AssayValueId y;

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_rank (self, x, &rank) ||
      !assay_torch_get_bool (self, 2, &keep))
    return FALSE;
  if (!assay_torch_is_none (self, 1) && rank > 0)
    return assay_torch_get_axis (self, 1, rank, &axis) &&
           assay_torch_result (self, 0, arg_reduce (self, rule->op, x, axis, keep));

  y = arg_reduce (self, rule->op, assay_torch_reshape (self, x, 1, &flat), 0, FALSE);
  if (keep)
    {
      gint64 ones[ASSAY_MAX_RANK];

      for (guint i = 0; i < rank; i++)
        ones[i] = 1;
      y = assay_torch_reshape (self, y, rank, ones);
    }

  return assay_torch_result (self, 0, y);
}

/* Whether any element is true, or all are (argument of the operator ReduceMin). */
gboolean
assay_torch_make_any (AssayTorchLower *self, const AssayTorchRule *rule)
{
  Reduction r;
  AssayDType dtype;
  AssayValueId y;

  if (!get_reduction (self, rule->argument == 1 ? NOWHERE : 1, rule->argument == 1 ? NOWHERE : 2,
                      &r))
    return FALSE;
  dtype = assay_torch_dtype (self, r.x) == ASSAY_DTYPE_U8 ? ASSAY_DTYPE_U8 : ASSAY_DTYPE_BOOL;
  y = assay_torch_cast (self, assay_torch_cast (self, r.x, ASSAY_DTYPE_BOOL), ASSAY_DTYPE_U8);
  y = assay_torch_reduce (self, rule->op, y, r.n, r.axes, r.keep);

  return assay_torch_result (self, 0, assay_torch_cast (self, y, dtype));
}

/* How many elements are reduced to one, as a number of the graph. */
static AssayValueId
count (AssayTorchLower *self, const Reduction *r, AssayDType dtype)
{
  const AssayType *type = assay_torch_type (self, r->x);
  gint64 n = 1;
  gboolean is_known = TRUE;
  gint64 first = 0;

  for (guint i = 0; i < r->n; i++)
    {
      is_known &= type->dims[r->axes[i]].size >= 0;
      n *= MAX (type->dims[r->axes[i]].size, 0);
    }
  if (is_known)
    return assay_torch_integer (self, dtype, n);

  return assay_torch_cast (
      self,
      assay_torch_reduce (self, ASSAY_OP_ReduceProd,
                          assay_torch_gather (self, assay_torch_shape (self, r->x),
                                              assay_torch_ints (self, r->n, r->axes), 0),
                          1, &first, FALSE),
      dtype);
}

/* Sums of squared differences from the mean, over the count less a correction. */
static AssayValueId
variance (AssayTorchLower *self, const Reduction *r, double correction, AssayValueId *mean)
{
  AssayDType dtype = assay_torch_dtype (self, r->x);
  AssayValueId middle = assay_torch_reduce (self, ASSAY_OP_ReduceMean, r->x, r->n, r->axes, TRUE);
  AssayValueId d = TWO (Sub, r->x, middle);
  AssayValueId sum = assay_torch_reduce (self, ASSAY_OP_ReduceSum, TWO (Mul, d, d), r->n, r->axes,
                                         r->keep);
  AssayValueId n = count (self, r, dtype);

  if (mean != NULL)
    *mean = r->keep ? middle
                    : assay_torch_reduce (self, ASSAY_OP_ReduceMean, r->x, r->n, r->axes, FALSE);
  /* Fewer elements than the correction are none. */
  if (correction != 0.0)
    n = TWO (Max, TWO (Sub, n, assay_torch_scalar (self, dtype, correction)),
             assay_torch_scalar (self, dtype, 0.0));

  return TWO (Div, sum, n);
}

/* The argument: 0 unbiased alone, 1 axes and unbiased, 2 axes and a correction; 4 more for the
 * root, 8 more for the mean as well. */
gboolean
assay_torch_make_variance (AssayTorchLower *self, const AssayTorchRule *rule)
{
  guint form = rule->argument & 3;
  Reduction r;
  double correction = 1.0;
  gboolean is_unbiased = TRUE;
  AssayValueId mean = ASSAY_NO_VALUE;
  AssayValueId y;

  if (!get_reduction (self, form == 0 ? NOWHERE : 1, form == 0 ? NOWHERE : 3, &r))
    return FALSE;
  r.x = assay_torch_cast (self, r.x, own_float (assay_torch_dtype (self, r.x)));
  if (form == 2 && !assay_torch_is_none (self, 2) && !assay_torch_get_float (self, 2, &correction))
    return FALSE;
  if (form != 2)
    {
      if (!assay_torch_get_bool (self, form == 0 ? 1 : 2, &is_unbiased))
        return FALSE;
      correction = is_unbiased ? 1.0 : 0.0;
    }
  y = variance (self, &r, correction, (rule->argument & 8) != 0 ? &mean : NULL);
  if ((rule->argument & 4) != 0)
    y = ONE (Sqrt, y);

  return assay_torch_result (self, 0, y) &&
         ((rule->argument & 8) == 0 || assay_torch_result (self, 1, mean));
}

/* The norm of a power over axes. */
AssayValueId
assay_torch_norm (AssayTorchLower *self, AssayValueId x, double p, guint n, const gint64 *axes,
                  gboolean keep)
{
  AssayDType dtype = assay_torch_dtype (self, x);
  AssayValueId y;

  if (x == ASSAY_NO_VALUE)
    return x;
  /* Where nothing is joined, each element is its own norm, or counts as one. */
  if (n == 0 && p != 0.0)
    return ONE (Abs, x);
  if (p == 2.0)
    return assay_torch_reduce (self, ASSAY_OP_ReduceL2, x, n, axes, keep);
  if (p == 1.0)
    return assay_torch_reduce (self, ASSAY_OP_ReduceL1, x, n, axes, keep);
  if (isinf (p))
    return assay_torch_reduce (self, p > 0 ? ASSAY_OP_ReduceMax : ASSAY_OP_ReduceMin, ONE (Abs, x),
                               n, axes, keep);
  if (p == 0.0)
    {
      y = assay_torch_cast (self, ONE (Not, TWO (Equal, x, assay_torch_scalar (self, dtype, 0.0))),
                            dtype);
      return n == 0 ? y : assay_torch_reduce (self, ASSAY_OP_ReduceSum, y, n, axes, keep);
    }
  y = TWO (Pow, ONE (Abs, x), assay_torch_scalar (self, dtype, p));

  return TWO (Pow, assay_torch_reduce (self, ASSAY_OP_ReduceSum, y, n, axes, keep),
              assay_torch_scalar (self, dtype, 1.0 / p));
}

/* Norms: the power is operand 1, axes and keep follow, or there are none (argument 1). */
gboolean
assay_torch_make_norm (AssayTorchLower *self, const AssayTorchRule *rule)
{
  Reduction r;
  AssayDType dtype;
  double p = 2.0;

  if (!get_reduction (self, rule->argument == 1 ? NOWHERE : 2, rule->argument == 1 ? NOWHERE : 3,
                      &r) ||
      (!assay_torch_is_none (self, 1) && !assay_torch_get_float (self, 1, &p)))
    return FALSE;
  dtype = own_float (assay_torch_dtype (self, r.x));
  if (!assay_torch_get_dtype (self, 4, &dtype))
    return FALSE;

  return assay_torch_result (
      self, 0,
      assay_torch_norm (self, assay_torch_cast (self, r.x, dtype), p, r.n, r.axes, r.keep));
}

/* The least and the largest, over one axis or over everything. */
gboolean
assay_torch_make_extremes (AssayTorchLower *self, const AssayTorchRule *rule)
{
  Reduction r;

  return get_reduction (self, 1, 2, &r) &&
         assay_torch_result (
             self, 0, assay_torch_reduce (self, ASSAY_OP_ReduceMin, r.x, r.n, r.axes, r.keep)) &&
         assay_torch_result (
             self, 1, assay_torch_reduce (self, ASSAY_OP_ReduceMax, r.x, r.n, r.axes, r.keep));
}

gboolean
assay_torch_make_logsumexp (AssayTorchLower *self, const AssayTorchRule *rule)
{
  Reduction r;

  if (!get_reduction (self, 1, 2, &r))
    return FALSE;
  r.x = assay_torch_cast (self, r.x, own_float (assay_torch_dtype (self, r.x)));

  return assay_torch_result (
      self, 0, assay_torch_reduce (self, ASSAY_OP_ReduceLogSumExp, r.x, r.n, r.axes, r.keep));
}

gboolean
assay_torch_make_cumulative (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayDType dtype;
  gint64 axis;
  guint rank;

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_rank (self, x, &rank) ||
      !assay_torch_get_axis (self, 1, rank, &axis))
    return FALSE;
  dtype = assay_torch_dtype (self, x);
  if (!assay_dtype_is_float (dtype))
    dtype = ASSAY_DTYPE_I64;
  if (!assay_torch_get_dtype (self, 2, &dtype))
    return FALSE;
  x = assay_torch_cast (self, x, dtype);
  if (rank == 0)
    return assay_torch_result (self, 0, ONE (Identity, x));

  return assay_torch_result (
      self, 0,
      assay_torch_two (self, rule->op, x, assay_torch_integer (self, ASSAY_DTYPE_I64, axis)));
}

/* Softmax and its logarithm: the axis, then an element type (0), or a truth that halves the
 * precision (1). */
gboolean
assay_torch_make_softmax (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayValueId output;
  AssayNodeId node;
  AssayDType dtype;
  gint64 axis;
  guint rank;

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_rank (self, x, &rank) ||
      !assay_torch_get_axis (self, 1, rank, &axis))
    return FALSE;
  dtype = own_float (assay_torch_dtype (self, x));
  if (rule->argument == 0 && !assay_torch_get_dtype (self, 2, &dtype))
    return FALSE;
  x = assay_torch_cast (self, x, dtype);
  if (rank == 0)
    return assay_torch_result (
        self, 0, assay_torch_scalar (self, dtype, rule->op == ASSAY_OP_Softmax ? 1.0 : 0.0));
  node = assay_torch_node (self, rule->op, 1, &x, 1, &output);
  assay_graph_set_int (self->graph, node, "axis", axis);
  assay_torch_infer (self, node);

  return assay_torch_result (self, 0, output);
}

/* The gradient of softmax (0) or of its logarithm (1), of the result. */
gboolean
assay_torch_make_softmax_slope (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId gradient;
  AssayValueId y;
  AssayValueId sum;
  gint64 axis;
  guint rank;

  if (!assay_torch_get_tensor (self, 0, &gradient) || !assay_torch_get_tensor (self, 1, &y) ||
      !assay_torch_rank (self, y, &rank) || !assay_torch_get_axis (self, 2, rank, &axis))
    return FALSE;
  if (rule->argument == 1)
    {
      sum = assay_torch_reduce (self, ASSAY_OP_ReduceSum, gradient, 1, &axis, TRUE);
      return assay_torch_result (self, 0, TWO (Sub, gradient, TWO (Mul, ONE (Exp, y), sum)));
    }
  gradient = TWO (Mul, gradient, y);
  sum = assay_torch_reduce (self, ASSAY_OP_ReduceSum, gradient, 1, &axis, TRUE);

  return assay_torch_result (self, 0, TWO (Sub, gradient, TWO (Mul, y, sum)));
}

static gboolean
top (AssayTorchLower *self, AssayValueId x, AssayValueId k, gint64 axis, gboolean largest,
     gboolean sorted)
{
  AssayValueId outputs[2];
  AssayNodeId node = assay_torch_node (self, ASSAY_OP_TopK, 2, (AssayValueId[]){ x, k }, 2,
                                       outputs);

  assay_graph_set_int (self->graph, node, "axis", axis);
  assay_graph_set_int (self->graph, node, "largest", largest);
  assay_graph_set_int (self->graph, node, "sorted", sorted);
  assay_torch_infer (self, node);

  return assay_torch_result (self, 0, outputs[0]) && assay_torch_result (self, 1, outputs[1]);
}

gboolean
assay_torch_make_topk (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  gint64 axis;
  gint64 k;
  gboolean largest;
  gboolean sorted;
  guint rank;

  return assay_torch_get_tensor (self, 0, &x) && assay_torch_rank (self, x, &rank) && rank > 0 &&
         assay_torch_get_int (self, 1, &k) && assay_torch_get_axis (self, 2, rank, &axis) &&
         assay_torch_get_bool (self, 3, &largest) && assay_torch_get_bool (self, 4, &sorted) &&
         top (self, x, assay_torch_ints (self, 1, &k), axis, largest, sorted);
}

/* All elements of an axis in order. */
gboolean
assay_torch_make_sort (AssayTorchLower *self, const AssayTorchRule *rule)
{
  guint first = rule->argument == 1 ? 2 : 1;
  AssayValueId x;
  gint64 axis;
  gint64 zero = 0;
  gboolean descending = FALSE;
  guint rank;

  return assay_torch_get_tensor (self, 0, &x) && assay_torch_rank (self, x, &rank) && rank > 0 &&
         assay_torch_get_axis (self, first, rank, &axis) &&
         assay_torch_get_bool (self, first + 1, &descending) &&
         top (self, x,
              assay_torch_unsqueeze (
                  self,
                  assay_torch_gather (self, assay_torch_shape (self, x),
                                      assay_torch_integer (self, ASSAY_DTYPE_I64, axis), 0),
                  1, &zero),
              axis, descending, TRUE);
}
