/* assay-shape-normalization.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/shape/assay-shape-rules.h"

void
assay_shape_rule_batch_normalization (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 1, -1);

  assay_shape_set (self, 0, assay_shape_input (self, 0));

  for (guint i = 1; i < 5; i++)
    {
      const AssayType *parameter = assay_shape_tensor (self, i, 1, 1);
      AssayDim channels = x != NULL && x->rank > 1 ? x->dims[1] : assay_dim_unknown ();

      if (parameter != NULL)
        assay_shape_unify (self, &channels, parameter->dims[0], "the number of channels");
    }

  /* In training the running statistics are outputs, of the type of those that came in. */
  assay_shape_set (self, 1, assay_shape_input (self, 3));
  assay_shape_set (self, 2, assay_shape_input (self, 4));
}

void
assay_shape_rule_layer_normalization (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 1, -1);
  gint64 stash = assay_node_get_int (self->node, "stash_type");
  AssayDType dtype = stash == ASSAY_DTYPE_BF16 ? ASSAY_DTYPE_BF16 : ASSAY_DTYPE_F32;
  AssayDim dims[ASSAY_MAX_RANK];
  int rank = -1;
  int axis;

  assay_shape_set (self, 0, assay_shape_input (self, 0));

  if (x != NULL && assay_shape_node_axis (self, x->rank, &axis))
    {
      rank = x->rank;
      for (int i = 0; i < rank; i++)
        dims[i] = i < axis ? x->dims[i] : assay_dim (1);
    }

  assay_shape_set_tensor (self, 1, dtype, rank, dims);
  assay_shape_set_tensor (self, 2, dtype, rank, dims);
}

/* The result has the shape of the input and the element type of the scale. */
void
assay_shape_rule_rms_normalization (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 1, -1);
  int axis;

  if (x != NULL)
    assay_shape_node_axis (self, x->rank, &axis);

  assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 1), x == NULL ? -1 : x->rank,
                          x == NULL ? NULL : x->dims);
}
