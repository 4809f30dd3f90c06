/* assay-shape-reduction.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/shape/assay-shape-rules.h"

#include "base/assay-sentence.h"
#include "nnir/assay-axes.h"

static void
set_reduced (AssayShapeContext *self, AssayDType dtype, const AssayType *x, guint64 mask,
             gboolean keep)
{
  AssayDim dims[ASSAY_MAX_RANK];
  int rank = 0;

  for (int i = 0; i < x->rank; i++)
    {
      if ((mask >> i & 1u) == 0)
        dims[rank++] = x->dims[i];
      else if (keep)
        dims[rank++] = assay_dim (1);
    }

  assay_shape_set_tensor (self, 0, dtype, rank, dims);
}

void
assay_shape_rule_reduce (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 0, -1);
  AssayDType dtype = assay_shape_dtype (self, 0);
  gboolean keep = assay_node_get_int (self->node, "keepdims") != 0;
  const gint64 *axes = NULL;
  guint64 mask = 0;
  guint n = 0;

  if (x == NULL)
    {
      assay_shape_set_tensor (self, 0, dtype, -1, NULL);
      return;
    }

  if (assay_shape_has_input (self, 1) && !assay_shape_known_ints (self, 1, &n, &axes))
    {
      const AssayType *type = assay_shape_input (self, 1);

      /* No axes at all means every axis. */
      if (type->kind == ASSAY_TYPE_KIND_TENSOR && type->rank == 1 && type->dims[0].size == 0)
        n = 0;
      else
        {
          /* Which axes is open, but not how many remain. */
          if (keep)
            assay_shape_set_tensor (self, 0, dtype, x->rank, NULL);
          else if (type->rank == 1 && type->dims[0].size > 0 && type->dims[0].size <= x->rank)
            assay_shape_set_tensor (self, 0, dtype, x->rank - (int) type->dims[0].size, NULL);
          else
            assay_shape_set_tensor (self, 0, dtype, -1, NULL);
          return;
        }
    }

  if (n > 0)
    {
      if (!assay_shape_axes_once (self, n, axes, x->rank, &mask))
        {
          assay_shape_set_tensor (self, 0, dtype, -1, NULL);
          return;
        }
    }
  else
    {
      mask = assay_node_default_axes (self->node, x->rank);
    }

  set_reduced (self, dtype, x, mask, keep);
}

void
assay_shape_rule_arg_reduce (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 0, -1);
  gboolean keep = assay_node_get_int (self->node, "keepdims") != 0;
  int axis;

  if (x == NULL || !assay_shape_node_axis (self, x->rank, &axis))
    assay_shape_set_tensor (self, 0, ASSAY_DTYPE_I64, -1, NULL);
  else
    set_reduced (self, ASSAY_DTYPE_I64, x, G_GUINT64_CONSTANT (1) << axis, keep);
}

void
assay_shape_rule_top_k (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 1, -1);
  AssayScalar k = assay_shape_scalar (self, 1);
  AssayDim dims[ASSAY_MAX_RANK];
  int rank = -1;
  int axis;

  if (x != NULL && assay_shape_node_axis (self, x->rank, &axis))
    {
      rank = x->rank;
      for (int i = 0; i < rank; i++)
        dims[i] = x->dims[i];

      if (k.kind == ASSAY_SCALAR_INT && x->dims[axis].size >= 0 &&
          (k.u.i < 0 || k.u.i > x->dims[axis].size))
        assay_shape_report (self, "infer.shape", NULL,
                            "k is %" G_GINT64_FORMAT ", the axis has %" G_GINT64_FORMAT
                            " element%s",
                            k.u.i, x->dims[axis].size, assay_plural (x->dims[axis].size));
      dims[axis] = assay_scalar_to_dim (k);
    }

  assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), rank, dims);
  assay_shape_set_tensor (self, 1, ASSAY_DTYPE_I64, rank, dims);
}

/* Scores [N, C, d...] and targets [N, d...] give a loss [N, d...], or a scalar when it is reduced.
 */
void
assay_shape_rule_loss (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 2, -1);
  const AssayType *target = assay_shape_tensor (self, 1, 1, -1);
  AssayDType dtype = assay_shape_dtype (self, 0);
  AssayDim dims[ASSAY_MAX_RANK];

  if (g_strcmp0 (assay_node_get_string (self->node, "reduction"), "none") != 0)
    {
      assay_shape_set_tensor (self, 0, dtype, 0, NULL);
      return;
    }

  if (x == NULL)
    {
      assay_shape_set_tensor (self, 0, dtype, target == NULL ? -1 : target->rank,
                              target == NULL ? NULL : target->dims);
      return;
    }

  dims[0] = x->dims[0];
  for (int i = 2; i < x->rank; i++)
    dims[i - 1] = x->dims[i];
  if (target != NULL && target->rank != x->rank - 1)
    assay_shape_report (self, "infer.rank", NULL, "the targets have rank %d, %d was expected",
                        target->rank, x->rank - 1);
  else if (target != NULL)
    for (int i = 0; i < target->rank; i++)
      assay_shape_unify (self, &dims[i], target->dims[i], "an extent of scores and targets");

  assay_shape_set_tensor (self, 0, dtype, x->rank - 1, dims);
}

void
assay_shape_rule_softmax_cross_entropy_loss (AssayShapeContext *self)
{
  assay_shape_rule_loss (self);
  assay_shape_set (self, 1, assay_shape_input (self, 0));
}
