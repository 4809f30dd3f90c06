/* assay-contrib-product.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/contrib/assay-contrib-private.h"

#include <string.h>

/* A matrix of a stack turned over, the stack's axis put behind the rows first where it was so. */
static AssayValueId
turn (UpgradeContext *self, const char *suffix, AssayValueId value, gboolean transpose,
      gboolean batch)
{
  int rank = contrib_type (self, value)->rank;
  gint64 perm[ASSAY_MAX_RANK], swapped;

  if (rank < 2 || (!transpose && !batch))
    return value;

  for (int i = 0; i < rank; i++)
    perm[i] = i;
  if (batch && rank > 2)
    {
      for (int i = 0; i < rank - 2; i++)
        perm[i] = i + 1;
      perm[rank - 2] = 0;
    }
  if (transpose)
    {
      swapped = perm[rank - 1];
      perm[rank - 1] = perm[rank - 2];
      perm[rank - 2] = swapped;
    }

  return assay_builder_transpose (&self->builder, suffix, value, (guint) rank, perm);
}

/* The node makes a product times a number. */
static void
become_scaled (UpgradeContext *self, AssayValueId a, AssayValueId b, double alpha)
{
  if (alpha == 1.0)
    {
      ASSAY_BECOME (&self->builder, MatMul, a, b);
    }
  else
    {
      AssayValueId product = ASSAY_BUILD (&self->builder, MatMul, "product", a, b);
      AssayValueId factor = assay_builder_number_like (&self->builder, "alpha", alpha,
                                                       upgrade_input (self, 0));

      ASSAY_BECOME (&self->builder, Mul, product, factor);
    }
}

gboolean
contrib_fused_matmul (UpgradeContext *self)
{
  AssayValueId a = upgrade_input (self, 0), b = upgrade_input (self, 1);
  gboolean trans_a = contrib_int (self, "transA", 0) != 0;
  gboolean trans_b = contrib_int (self, "transB", 0) != 0;
  gboolean batch_a = contrib_int (self, "transBatchA", 0) != 0;
  gboolean batch_b = contrib_int (self, "transBatchB", 0) != 0;
  double alpha = contrib_float (self, "alpha", 1.0);

  if (!contrib_needs (self, ((!trans_a && !batch_a) || contrib_type (self, a)->rank > 0) &&
                                ((!trans_b && !batch_b) || contrib_type (self, b)->rank > 0)))
    return FALSE;

  a = turn (self, "left", a, trans_a, batch_a);
  b = turn (self, "right", b, trans_b, batch_b);
  become_scaled (self, a, b, alpha);
  return TRUE;
}

static const struct
{
  const char *name;
  AssayOp op;
  const char *attrs[2]; /* in the order of the parameters */
} activations[] = {
  { "Relu", ASSAY_OP_Relu, { NULL, NULL } },
  { "Tanh", ASSAY_OP_Tanh, { NULL, NULL } },
  { "Sigmoid", ASSAY_OP_Sigmoid, { NULL, NULL } },
  { "LeakyRelu", ASSAY_OP_LeakyRelu, { "alpha", NULL } },
  { "Clip", ASSAY_OP_Clip, { NULL, NULL } },
  { "HardSigmoid", ASSAY_OP_HardSigmoid, { "alpha", "beta" } },
};

/* What an activation that was fused into a node takes. */
typedef struct
{
  gint row; /* of the table, -1 for none */
  double params[2];
  guint n;
} Activation;

static gboolean
read_activation (UpgradeContext *self, Activation *result)
{
  static const char *const names[2] = { "activation_alpha", "activation_beta" };
  const char *name = contrib_string (self, "activation", "");
  const AssayAttr *params = upgrade_attr (self, "activation_params");

  *result = (Activation){ .row = -1 };
  if (name[0] == '\0')
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (activations); i++)
    {
      if (strcmp (activations[i].name, name) == 0)
        result->row = (gint) i;
    }
  if (result->row < 0)
    return contrib_refuse (self, "activation", "it is not one of those known");

  if (params != NULL && params->kind == ASSAY_ATTR_FLOATS)
    {
      for (; result->n < MIN (params->n, 2); result->n++)
        result->params[result->n] = params->u.floats[result->n];
    }
  for (guint i = result->n; i < 2 && upgrade_attr (self, names[i]) != NULL; i++)
    {
      result->params[i] = contrib_float (self, names[i], 0.0);
      result->n = i + 1;
    }

  return TRUE;
}

/* The node, which keeps its name and makes the same, and an activation behind it. */
static void
put_activation (UpgradeContext *self, const Activation *activation, AssayValueId value,
                AssayValueId output)
{
  AssayValueId inputs[3] = { value, ASSAY_NO_VALUE, ASSAY_NO_VALUE };
  AssayOp op = activations[activation->row].op;

  if (op == ASSAY_OP_Clip)
    {
      for (guint i = 0; i < activation->n; i++)
        inputs[1 + i] = assay_builder_number_like (&self->builder, i == 0 ? "least" : "most",
                                                   activation->params[i], upgrade_input (self, 0));
    }
  assay_builder_add_to (&self->builder, op, "activation", 3, inputs, output);
  for (guint i = 0; i < activation->n; i++)
    {
      if (activations[activation->row].attrs[i] != NULL)
        assay_builder_set_float (&self->builder, output, activations[activation->row].attrs[i],
                                 activation->params[i]);
    }
}

static const char *const conv_attrs[] = {
  "auto_pad", "dilations", "group", "kernel_shape", "pads", "strides", NULL,
};

static const char *const pool_attrs[] = {
  "auto_pad",      "ceil_mode", "dilations", "count_include_pad", "kernel_shape", "pads",
  "storage_order", "strides",   NULL,
};

/* Convolution, a sum with a fourth input, an activation: the node stays the convolution. */
gboolean
contrib_fused_conv (UpgradeContext *self)
{
  const AssayAttr *attrs = upgrade_node (self)->attrs;
  guint n_attrs = upgrade_node (self)->n_attrs;
  AssayValueId addend = upgrade_input (self, 3);
  AssayValueId output, value;
  Activation activation;

  if (!read_activation (self, &activation))
    return FALSE;

  ASSAY_BECOME (&self->builder, Conv, upgrade_input (self, 0), upgrade_input (self, 1),
                upgrade_input (self, 2));
  contrib_copy_attrs (self, self->id, n_attrs, attrs, conv_attrs);
  if (addend == ASSAY_NO_VALUE && activation.row < 0)
    return TRUE;

  output = upgrade_divert_output (self, "conv");
  value = contrib_output (self, 0);
  upgrade_place (self);
  if (addend != ASSAY_NO_VALUE && activation.row < 0)
    {
      const AssayValueId inputs[2] = { value, addend };

      assay_builder_add_to (&self->builder, ASSAY_OP_Add, "sum", 2, inputs, output);
      return TRUE;
    }
  if (addend != ASSAY_NO_VALUE)
    value = ASSAY_BUILD (&self->builder, Add, "sum", value, addend);
  put_activation (self, &activation, value, output);
  return TRUE;
}

gboolean
contrib_fused_gemm (UpgradeContext *self)
{
  static const char *const names[] = { "alpha", "beta", "transA", "transB", NULL };
  const AssayAttr *attrs = upgrade_node (self)->attrs;
  guint n_attrs = upgrade_node (self)->n_attrs;
  AssayValueId output;
  Activation activation;

  if (!read_activation (self, &activation))
    return FALSE;

  ASSAY_BECOME (&self->builder, Gemm, upgrade_input (self, 0), upgrade_input (self, 1),
                upgrade_input (self, 2));
  contrib_copy_attrs (self, self->id, n_attrs, attrs, names);
  if (activation.row < 0)
    return TRUE;

  output = upgrade_divert_output (self, "product");
  upgrade_place (self);
  put_activation (self, &activation, contrib_output (self, 0), output);
  return TRUE;
}

/* Channels last, around an operator that has them first. */
static gboolean
wrap_channels (UpgradeContext *self, AssayOp op, gboolean weight, const char *const *names)
{
  static const gint64 to_front[4] = { 0, 3, 1, 2 }, to_back[4] = { 0, 2, 3, 1 };
  const AssayAttr *attrs = upgrade_node (self)->attrs;
  guint n_attrs = upgrade_node (self)->n_attrs;
  guint n = MIN (upgrade_node (self)->n_inputs, 3);
  AssayValueId inputs[3], made;

  for (guint i = 0; i < 3; i++)
    inputs[i] = upgrade_input (self, i);
  inputs[0] = assay_builder_transpose (&self->builder, "channels_first", inputs[0], 4, to_front);
  if (weight)
    inputs[1] = assay_builder_transpose (&self->builder, "weight", inputs[1], 4, to_front);
  made = assay_builder_add (&self->builder, op, "first", n, inputs);
  contrib_copy_attrs (self, assay_graph_value (self->graph, made)->producer, n_attrs, attrs, names);
  ASSAY_BECOME (&self->builder, Transpose, made);
  assay_graph_set_ints (self->graph, self->id, "perm", 4, to_back);
  return TRUE;
}

gboolean
contrib_nhwc_conv (UpgradeContext *self)
{
  return wrap_channels (self, ASSAY_OP_Conv, TRUE, conv_attrs);
}

gboolean
contrib_nhwc_max_pool (UpgradeContext *self)
{
  return wrap_channels (self, ASSAY_OP_MaxPool, FALSE, pool_attrs);
}

/* Quantized factors whose product is a number again. */
static AssayValueId
integer_product (UpgradeContext *self, AssayValueId a, AssayValueId b, AssayValueId a_zero,
                 AssayValueId b_zero, AssayValueId scale)
{
  AssayValueId product = ASSAY_BUILD (&self->builder, MatMulInteger, "product", a, b, a_zero,
                                      b_zero);

  product = ASSAY_BUILD (&self->builder, CastLike, "product", product, scale);

  return ASSAY_BUILD (&self->builder, Mul, "product", product, scale);
}

static void
become_sum (UpgradeContext *self, AssayValueId value, AssayValueId bias)
{
  if (bias != ASSAY_NO_VALUE)
    ASSAY_BECOME (&self->builder, Add, value, bias);
  else
    ASSAY_BECOME (&self->builder, Identity, value);
}

gboolean
contrib_matmul_integer_to_float (UpgradeContext *self)
{
  AssayValueId scale = ASSAY_BUILD (&self->builder, Mul, "scale", upgrade_input (self, 2),
                                    upgrade_input (self, 3));
  AssayValueId bias = upgrade_input (self, 6);

  become_sum (self,
              integer_product (self, upgrade_input (self, 0), upgrade_input (self, 1),
                               upgrade_input (self, 4), upgrade_input (self, 5), scale),
              bias);
  return TRUE;
}

gboolean
contrib_dynamic_quantize_matmul (UpgradeContext *self)
{
  static const char *const names[3] = { "quantized", "scale", "zero" };
  AssayGraph *graph = self->graph;
  AssayRegionId region = upgrade_node (self)->region;
  AssayValueId input = upgrade_input (self, 0), bias = upgrade_input (self, 4);
  AssayValueId made[3], scale;
  g_autofree char *name = g_strdup_printf ("%s/quantize", upgrade_node (self)->name);
  AssayNodeId id;

  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *output = g_strdup_printf ("%s/%s", upgrade_node (self)->name, names[i]);

      made[i] = assay_graph_add_value (graph, region, ASSAY_VALUE_RESULT, output, NULL);
    }
  id = assay_graph_add_node (graph, region, ASSAY_OP_DynamicQuantizeLinear, name, 1, &input, 3,
                             made);
  assay_graph_set_origins (graph, id, upgrade_node (self)->n_origins, upgrade_node (self)->origins);
  scale = ASSAY_BUILD (&self->builder, Mul, "scale", made[1], upgrade_input (self, 2));
  become_sum (self,
              integer_product (self, made[0], upgrade_input (self, 1), made[2],
                               upgrade_input (self, 3), scale),
              bias);
  return TRUE;
}

/* A product of quantized matrices with a bias of its integers, quantized again or not. */
gboolean
contrib_q_gemm (UpgradeContext *self)
{
  static const gint64 swapped[2] = { 1, 0 };
  double alpha = contrib_float (self, "alpha", 1.0);
  AssayValueId a = upgrade_input (self, 0), b = upgrade_input (self, 3);
  AssayValueId bias = upgrade_input (self, 6), y_scale = upgrade_input (self, 7);
  AssayValueId y_zero = upgrade_input (self, 8);
  AssayValueId scale, product;

  if (contrib_int (self, "transA", 0) != 0)
    a = assay_builder_transpose (&self->builder, "left", a, 2, swapped);
  if (contrib_int (self, "transB", 0) != 0)
    b = assay_builder_transpose (&self->builder, "right", b, 2, swapped);
  scale = ASSAY_BUILD (&self->builder, Mul, "scale", upgrade_input (self, 1),
                       upgrade_input (self, 4));
  if (alpha != 1.0)
    scale = ASSAY_BUILD (
        &self->builder, Mul, "alpha", scale,
        assay_builder_number_like (&self->builder, "alpha", alpha, upgrade_input (self, 1)));
  product = ASSAY_BUILD (&self->builder, MatMulInteger, "product", a, b, upgrade_input (self, 2),
                         upgrade_input (self, 5));
  if (bias != ASSAY_NO_VALUE)
    product = ASSAY_BUILD (&self->builder, Add, "product", product, bias);
  product = ASSAY_BUILD (&self->builder, CastLike, "product", product, scale);
  if (y_scale == ASSAY_NO_VALUE)
    {
      ASSAY_BECOME (&self->builder, Mul, product, scale);
      return TRUE;
    }
  product = ASSAY_BUILD (&self->builder, Mul, "product", product, scale);
  ASSAY_BECOME (&self->builder, QuantizeLinear, product, y_scale, y_zero);
  return TRUE;
}
