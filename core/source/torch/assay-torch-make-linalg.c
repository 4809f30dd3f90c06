/* assay-torch-make-linalg.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Products of several tensors, and tensors that are scaled by their norms.
 */
#include "source/torch/assay-torch-lower-private.h"

#define ONE(op, a) assay_torch_one (self, ASSAY_OP_##op, a)
#define TWO(op, a, b) assay_torch_two (self, ASSAY_OP_##op, a, b)
#define THREE(op, a, b, c) assay_torch_three (self, ASSAY_OP_##op, a, b, c)

/* The product of vectors of three numbers, which stand along an axis. */
gboolean
assay_torch_make_cross (AssayTorchLower *self, const AssayTorchRule *rule)
{
  static const gint64 turns[2][3] = { { 1, 2, 0 }, { 2, 0, 1 } };
  AssayValueId x[2];
  AssayValueId parts[2][2];
  gint64 axis;
  guint rank;

  if (!assay_torch_get_pair (self, FALSE, &x[0], &x[1]) || !assay_torch_rank (self, x[0], &rank) ||
      rank == 0 || !assay_torch_get_axis (self, 2, rank, &axis))
    return FALSE;
  for (guint i = 0; i < 2; i++)
    for (guint k = 0; k < 2; k++)
      parts[i][k] = assay_torch_gather (self, x[i], assay_torch_ints (self, 3, turns[k]),
                                        axis - (gint64) rank);

  return assay_torch_result (
      self, 0, TWO (Sub, TWO (Mul, parts[0][0], parts[1][1]), TWO (Mul, parts[0][1], parts[1][0])));
}

static gboolean
wrap_axes (AssayTorchLower *self, guint rank, guint n, gint64 *axes)
{
  for (guint i = 0; i < n; i++)
    {
      axes[i] += axes[i] < 0 ? rank : 0;
      if (rank > ASSAY_MAX_RANK || axes[i] < 0 || axes[i] >= rank)
        return assay_torch_cannot (self, "an axis is none of %u", rank);
    }

  return TRUE;
}

/* Three tensors with axes of 1 put in, multiplied, and summed over axes. PyTorch gives an axis that
 * all of them got and nothing sums over no elements. */
gboolean
assay_torch_make_trilinear (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId product = ASSAY_NO_VALUE;
  gint64 axes[ASSAY_MAX_RANK];
  guint counts[ASSAY_MAX_RANK] = { 0 };
  guint rank;
  guint n;

  for (guint i = 0; i < 3; i++)
    {
      AssayValueId x;

      if (!assay_torch_get_tensor (self, i, &x) || !assay_torch_rank (self, x, &rank) ||
          !assay_torch_get_ints (self, 3 + i, axes, &n) || !wrap_axes (self, rank + n, n, axes))
        return FALSE;
      rank += n;
      for (guint k = 0; k < n; k++)
        counts[axes[k]]++;
      x = assay_torch_unsqueeze (self, x, n, axes);
      product = product == ASSAY_NO_VALUE ? x : TWO (Mul, product, x);
    }
  if (!assay_torch_get_ints (self, 6, axes, &n) || !wrap_axes (self, rank, n, axes))
    return FALSE;
  for (guint k = 0; k < n; k++)
    counts[axes[k]] = 0;
  for (guint i = 0; i < ASSAY_MAX_RANK; i++)
    if (counts[i] == 3)
      product = assay_torch_slice (self, product, i, 0, 0, 1);

  return assay_torch_result (
      self, 0,
      n == 0 ? product : assay_torch_reduce (self, ASSAY_OP_ReduceSum, product, n, axes, FALSE));
}

/* All axes but one. */
static guint
other_axes (guint rank, gint64 axis, gint64 *axes)
{
  guint n = 0;

  for (guint i = 0; i < rank; i++)
    if ((gint64) i != axis)
      axes[n++] = i;

  return n;
}

/* Slices along an axis whose norm is above a limit get that norm. */
gboolean
assay_torch_make_renorm (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayValueId norm;
  AssayValueId limit;
  AssayDType dtype;
  gint64 axes[ASSAY_MAX_RANK];
  gint64 axis;
  double p;
  double largest;
  guint rank;
  guint n;

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_rank (self, x, &rank) || rank < 2 ||
      !assay_torch_get_float (self, 1, &p) || !assay_torch_get_axis (self, 2, rank, &axis) ||
      !assay_torch_get_float (self, 3, &largest))
    return FALSE;
  n = other_axes (rank, axis, axes);
  dtype = assay_torch_dtype (self, x) == ASSAY_DTYPE_F64 ? ASSAY_DTYPE_F64 : ASSAY_DTYPE_F32;
  norm = assay_torch_norm (self, assay_torch_cast (self, x, dtype), p, n, axes, TRUE);
  limit = assay_torch_scalar (self, dtype, largest);
  norm = THREE (Where, TWO (Greater, norm, limit),
                TWO (Div, limit, TWO (Add, norm, assay_torch_scalar (self, dtype, 1e-7))),
                assay_torch_scalar (self, dtype, 1.0));

  return assay_torch_result (
      self, 0, TWO (Mul, x, assay_torch_cast (self, norm, assay_torch_dtype (self, x))));
}

/* Weights of a direction and a length, and the norms that they had. */
gboolean
assay_torch_make_weight_norm (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayValueId length;
  AssayValueId norm;
  gint64 axes[ASSAY_MAX_RANK];
  gint64 axis;
  guint rank;
  guint n;

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_rank (self, x, &rank) || rank == 0 ||
      !assay_torch_get_tensor (self, 1, &length) || !assay_torch_get_axis (self, 2, rank, &axis))
    return FALSE;
  n = other_axes (rank, axis, axes);
  norm = assay_torch_norm (self, x, 2.0, n, axes, TRUE);

  return assay_torch_result (self, 0, TWO (Mul, x, TWO (Div, length, norm))) &&
         (self->op->n_results < 2 || assay_torch_result (self, 1, norm));
}
