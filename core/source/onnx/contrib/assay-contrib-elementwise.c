/* assay-contrib-elementwise.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/contrib/assay-contrib-private.h"

#include <string.h>

gboolean
contrib_gelu (UpgradeContext *self)
{
  CONTRIB_BECOME (self, Gelu, upgrade_input (self, 0));
  return TRUE;
}

gboolean
contrib_bias_gelu (UpgradeContext *self)
{
  AssayValueId sum = CONTRIB_ADD (self, Add, "sum", upgrade_input (self, 0),
                                  upgrade_input (self, 1));

  CONTRIB_BECOME (self, Gelu, sum);
  return TRUE;
}

gboolean
contrib_fast_gelu (UpgradeContext *self)
{
  AssayValueId input = upgrade_input (self, 0);

  if (upgrade_input (self, 1) != ASSAY_NO_VALUE)
    input = CONTRIB_ADD (self, Add, "sum", input, upgrade_input (self, 1));
  CONTRIB_BECOME (self, Gelu, input);
  assay_graph_set_string (self->graph, self->id, "approximate", "tanh");
  return TRUE;
}

gboolean
contrib_quick_gelu (UpgradeContext *self)
{
  double alpha = contrib_float (self, "alpha", 1.702f);

  CONTRIB_BECOME (self, Swish, upgrade_input (self, 0));
  assay_graph_set_float (self->graph, self->id, "alpha", alpha);
  return TRUE;
}

gboolean
contrib_affine (UpgradeContext *self)
{
  double alpha = contrib_float (self, "alpha", 1.0);
  double beta = contrib_float (self, "beta", 0.0);
  AssayValueId input = upgrade_input (self, 0);
  AssayValueId factor = contrib_number (self, "alpha", alpha, input);
  AssayValueId product = CONTRIB_ADD (self, Mul, "product", input, factor);
  AssayValueId offset = contrib_number (self, "beta", beta, input);

  CONTRIB_BECOME (self, Add, product, offset);
  return TRUE;
}

gboolean
contrib_scale (UpgradeContext *self)
{
  double scale = contrib_float (self, "scale", 1.0);
  AssayValueId input = upgrade_input (self, 0);
  AssayValueId factor = contrib_number (self, "scale", scale, input);

  CONTRIB_BECOME (self, Mul, input, factor);
  return TRUE;
}

/* alpha times a function of beta times the input. */
gboolean
contrib_scaled_function (UpgradeContext *self)
{
  gboolean is_tanh = strcmp (upgrade_node (self)->op_type, "ScaledTanh") == 0;
  double alpha = contrib_float (self, "alpha", 1.0);
  double beta = contrib_float (self, "beta", 1.0);
  AssayValueId input = upgrade_input (self, 0);
  AssayValueId inner = contrib_number (self, "beta", beta, input);
  AssayValueId product = CONTRIB_ADD (self, Mul, "product", input, inner);
  AssayValueId outer = contrib_number (self, "alpha", alpha, input);
  AssayValueId result = is_tanh ? CONTRIB_ADD (self, Tanh, "function", product)
                                : CONTRIB_ADD (self, Softplus, "function", product);

  CONTRIB_BECOME (self, Mul, result, outer);
  return TRUE;
}

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
    inputs[1] = CONTRIB_ADD (self, CastLike, "bias", inputs[1], input);
  if (scale != 1.0)
    {
      AssayValueId factor = contrib_number (self, "scale", scale, input);

      inputs[0] = CONTRIB_ADD (self, Mul, "product", input, factor);
    }
  contrib_become (self, ASSAY_OP_Add, 2, inputs);
  return TRUE;
}
