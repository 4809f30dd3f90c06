/* assay-shape-signal.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/shape/assay-shape-rules.h"

static AssayScalar
half_plus_one (AssayShapeContext *self, AssayScalar length)
{
  return assay_scalar_add (self->arena,
                           assay_scalar_floor_div (self->arena, length, assay_scalar_int (2)),
                           assay_scalar_int (1));
}

/* The last axis holds one number, or two for a complex value; the axis before it by default is
 * transformed. */
void
assay_shape_rule_dft (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 2, -1);
  gboolean onesided = assay_node_get_int (self->node, "onesided") != 0;
  gboolean inverse = assay_node_get_int (self->node, "inverse") != 0;
  AssayScalar axis_scalar = assay_shape_has_input (self, 2) ? assay_shape_scalar (self, 2)
                                                            : assay_scalar_int (-2);
  AssayDim dims[ASSAY_MAX_RANK];
  AssayScalar length;
  int axis;

  if (x == NULL || axis_scalar.kind != ASSAY_SCALAR_INT ||
      !assay_shape_axis (self, NULL, axis_scalar.u.i, x->rank, &axis) || axis == x->rank - 1)
    {
      if (x != NULL && axis_scalar.kind == ASSAY_SCALAR_INT && axis_scalar.u.i + 1 == 0)
        assay_shape_report (self, "infer.axis", NULL,
                            "the axis of the parts of complex numbers cannot be transformed");
      assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), x == NULL ? -1 : x->rank, NULL);
      return;
    }

  for (int i = 0; i < x->rank; i++)
    dims[i] = x->dims[i];

  length = assay_scalar_from_dim (x->dims[axis]);
  if (assay_shape_has_input (self, 1))
    length = assay_shape_scalar (self, 1);
  else if (onesided && inverse)
    length = assay_scalar_mul (self->arena,
                               assay_scalar_sub (self->arena, length, assay_scalar_int (1)),
                               assay_scalar_int (2));
  if (onesided && !inverse)
    length = half_plus_one (self, length);

  dims[axis] = assay_scalar_to_dim (length);
  dims[x->rank - 1] = assay_dim (onesided && inverse ? 1 : 2);

  assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), x->rank, dims);
}

void
assay_shape_rule_stft (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_tensor (self, 0, 2, 3);
  const AssayType *window = assay_shape_has_input (self, 2) ? assay_shape_tensor (self, 2, 1, 1)
                                                            : NULL;
  gboolean onesided = assay_node_get_int (self->node, "onesided") != 0;
  AssayScalar step = assay_shape_scalar (self, 1);
  AssayScalar length = assay_shape_scalar (self, 3);
  AssayScalar frames;
  AssayDim dims[4];

  if (!assay_shape_has_input (self, 3) && window != NULL)
    length = assay_scalar_from_dim (window->dims[0]);
  if (step.kind == ASSAY_SCALAR_INT && step.u.i < 1)
    {
      assay_shape_report (self, "infer.shape", NULL,
                          "the step is %" G_GINT64_FORMAT ", 1 or more was expected", step.u.i);
      step = assay_scalar_unknown ();
    }

  dims[0] = x == NULL ? assay_dim_unknown () : x->dims[0];
  frames = x == NULL ? assay_scalar_unknown () : assay_scalar_from_dim (x->dims[1]);
  frames = assay_scalar_floor_div (self->arena, assay_scalar_sub (self->arena, frames, length),
                                   step);
  dims[1] = assay_scalar_to_dim (assay_scalar_add (self->arena, frames, assay_scalar_int (1)));
  dims[2] = assay_scalar_to_dim (onesided ? half_plus_one (self, length) : length);
  dims[3] = assay_dim (2);

  assay_shape_set_tensor (self, 0, assay_shape_dtype (self, 0), 4, dims);
}

void
assay_shape_rule_mel_weight_matrix (AssayShapeContext *self)
{
  gint64 dtype = assay_node_get_int (self->node, "output_datatype");
  AssayDim dims[2];

  if (dtype < 1 || dtype > G_MAXINT || !assay_dtype_is_known ((int) dtype))
    {
      assay_shape_report (self, "infer.attribute", "output_datatype",
                          "%" G_GINT64_FORMAT " is no element type", dtype);
      dtype = ASSAY_DTYPE_UNDEFINED;
    }

  dims[0] = assay_scalar_to_dim (half_plus_one (self, assay_shape_scalar (self, 1)));
  dims[1] = assay_scalar_to_dim (assay_shape_scalar (self, 0));
  assay_shape_set_tensor (self, 0, (AssayDType) dtype, 2, dims);
}
