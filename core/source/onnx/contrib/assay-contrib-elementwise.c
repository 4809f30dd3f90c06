/* assay-contrib-elementwise.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/contrib/assay-contrib-private.h"

/* One factor for the image, and an offset for each channel. */
gboolean
contrib_image_scaler (UpgradeContext *self)
{
  const AssayAttr *bias = upgrade_attr (self, "bias");
  double scale = contrib_float (self, "scale", 1.0);
  AssayValueId input = upgrade_input (self, 0);
  AssayValueId inputs[2] = { input, ASSAY_NO_VALUE };
  g_autofree float *values = NULL;
  g_autofree char *name = NULL;
  g_autoptr (AssayTensor) tensor = NULL;
  gint64 dims[3] = { 0, 1, 1 };

  if (bias == NULL || bias->kind != ASSAY_ATTR_FLOATS || bias->n == 0)
    return contrib_refuse (self, "bias", "there is no offset for each channel");

  dims[0] = bias->n;
  values = g_new (float, bias->n);
  for (guint i = 0; i < bias->n; i++)
    values[i] = (float) bias->u.floats[i];
  tensor = assay_tensor_new_f32 (3, dims, values);
  name = g_strdup_printf ("%s/bias", upgrade_node (self)->name);
  inputs[1] = assay_graph_add_constant (self->graph, upgrade_node (self)->region, name, tensor);
  if (contrib_type (self, input)->dtype != ASSAY_DTYPE_F32)
    inputs[1] = ASSAY_BUILD (&self->builder, CastLike, "bias", inputs[1], input);
  if (scale != 1.0)
    {
      AssayValueId factor = assay_builder_number_like (&self->builder, "scale", scale, input);

      inputs[0] = ASSAY_BUILD (&self->builder, Mul, "product", input, factor);
    }
  assay_builder_become (&self->builder, ASSAY_OP_Add, 2, inputs);
  return TRUE;
}
