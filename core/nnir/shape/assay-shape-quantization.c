/* assay-shape-quantization.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/shape/assay-shape-rules.h"

static void
set_like_input (AssayShapeContext *self, guint output, AssayDType dtype)
{
  const AssayType *x = assay_shape_tensor (self, 0, 0, -1);

  assay_shape_set_tensor (self, output, dtype, x == NULL ? -1 : x->rank,
                          x == NULL ? NULL : x->dims);
}

static void
check_scale (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 0, -1);
  const AssayType *scale = assay_shape_tensor (self, 1, 0, -1);
  gint64 block = assay_node_get_int (self->node, "block_size");
  gboolean blocked = block > 0;
  int axis;

  if (block < 0)
    assay_shape_report (self, "infer.attribute", "block_size",
                        "%" G_GINT64_FORMAT ", 0 or more was expected", block);

  if (x == NULL || scale == NULL || scale->rank == 0 ||
      (scale->rank == 1 && scale->dims[0].size == 1))
    return;

  /* One scale per tensor, per index of an axis, or per block along an axis. */
  if (scale->rank != (blocked ? x->rank : 1))
    {
      assay_shape_report (self, "infer.rank", NULL, "the scale has rank %d, %d was expected",
                          scale->rank, blocked ? x->rank : 1);
      return;
    }

  if (!assay_shape_node_axis (self, x->rank, &axis))
    return;

  for (int i = 0; blocked && i < x->rank; i++)
    {
      AssayDim dim = x->dims[i];

      if (i == axis)
        dim = assay_scalar_to_dim (assay_scalar_ceil_div (self->arena, assay_scalar_from_dim (dim),
                                                          assay_scalar_int (block)));
      assay_shape_unify (self, &dim, scale->dims[i], "the number of blocks");
    }

  if (!blocked)
    {
      AssayDim dim = x->dims[axis];

      assay_shape_unify (self, &dim, scale->dims[0], "the number of scales");
    }
}

void
assay_shape_rule_quantize_linear (AssayShapeContext *self)
{
  gint64 number = assay_node_get_int (self->node, "output_dtype");
  AssayDType dtype = ASSAY_DTYPE_U8;

  check_scale (self);

  if (assay_shape_has_input (self, 2))
    {
      dtype = assay_shape_dtype (self, 2);
      if (number != 0 && dtype != ASSAY_DTYPE_UNDEFINED && number != (gint64) dtype)
        assay_shape_report (self, "infer.attribute", "output_dtype",
                            "%" G_GINT64_FORMAT " differs from the type of the zero point, %s",
                            number, assay_dtype_name (dtype));
    }
  else if (number > 0 && number < G_MAXINT && assay_dtype_is_known ((int) number))
    {
      dtype = (AssayDType) number;
    }
  else if (number != 0)
    {
      assay_shape_report (self, "infer.attribute", "output_dtype",
                          "%" G_GINT64_FORMAT " is no element type", number);
    }

  set_like_input (self, 0, dtype);
}

void
assay_shape_rule_dequantize_linear (AssayShapeContext *self)
{
  gint64 number = assay_node_get_int (self->node, "output_dtype");
  AssayDType dtype = assay_shape_dtype (self, 1);

  check_scale (self);

  if (number > 0 && number < G_MAXINT && assay_dtype_is_known ((int) number))
    dtype = (AssayDType) number;
  else if (number != 0)
    assay_shape_report (self, "infer.attribute", "output_dtype",
                        "%" G_GINT64_FORMAT " is no element type", number);

  set_like_input (self, 0, dtype);
}

void
assay_shape_rule_dynamic_quantize_linear (AssayShapeContext *self)
{
  set_like_input (self, 0, ASSAY_DTYPE_U8);
  assay_shape_set_tensor (self, 1, ASSAY_DTYPE_F32, 0, NULL);
  assay_shape_set_tensor (self, 2, ASSAY_DTYPE_U8, 0, NULL);
}
