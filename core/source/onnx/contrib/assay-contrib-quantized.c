/* assay-contrib-quantized.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Operators of quantized tensors: numbers are made of the inputs, the operator of ONNX works on
 * them, and its result is quantized.
 */
#include "source/onnx/contrib/assay-contrib-private.h"

#include <string.h>

/* An input with its scale and zero point behind it. */
static AssayValueId
read_input (UpgradeContext *self, const char *suffix, guint input)
{
  return ASSAY_BUILD (&self->builder, DequantizeLinear, suffix, upgrade_input (self, input),
                      upgrade_input (self, input + 1), upgrade_input (self, input + 2));
}

/* The node quantizes a number with the scale and zero point at an input. */
static gboolean
become_quantize (UpgradeContext *self, AssayValueId value, guint input)
{
  ASSAY_BECOME (&self->builder, QuantizeLinear, value, upgrade_input (self, input),
                upgrade_input (self, input + 1));
  return TRUE;
}

static gboolean
is_type (UpgradeContext *self, const char *type)
{
  return strcmp (upgrade_node (self)->op_type, type) == 0;
}

gboolean
contrib_q_linear_pair (UpgradeContext *self)
{
  gboolean product = is_type (self, "QLinearMul");
  AssayValueId inputs[2] = { read_input (self, "left", 0), read_input (self, "right", 3) };

  return become_quantize (self,
                          assay_builder_add (&self->builder, product ? ASSAY_OP_Mul : ASSAY_OP_Add,
                                             "result", 2, inputs),
                          6);
}

gboolean
contrib_q_linear_map (UpgradeContext *self)
{
  gboolean leaky = is_type (self, "QLinearLeakyRelu");
  double alpha = contrib_float (self, "alpha", 0.01f);
  AssayValueId value = read_input (self, "input", 0);

  if (leaky)
    {
      value = ASSAY_BUILD (&self->builder, LeakyRelu, "result", value);
      assay_builder_set_float (&self->builder, value, "alpha", alpha);
    }
  else
    {
      value = ASSAY_BUILD (&self->builder, Sigmoid, "result", value);
    }

  return become_quantize (self, value, 3);
}

gboolean
contrib_q_linear_concat (UpgradeContext *self)
{
  guint n = upgrade_node (self)->n_inputs;
  gint64 axis = contrib_int (self, "axis", 0);
  g_autofree AssayValueId *parts = g_new (AssayValueId, n + 1);
  AssayValueId value;
  guint n_parts = 0;

  for (guint i = 2; i + 2 < n + 1; i += 3)
    {
      g_autofree char *name = g_strdup_printf ("part_%u", n_parts);

      parts[n_parts++] = read_input (self, name, i);
    }
  value = assay_builder_add (&self->builder, ASSAY_OP_Concat, "result", n_parts, parts);
  assay_builder_set_int (&self->builder, value, "axis", axis);

  return become_quantize (self, value, 0);
}

gboolean
contrib_q_linear_where (UpgradeContext *self)
{
  AssayValueId value = ASSAY_BUILD (&self->builder, Where, "result", upgrade_input (self, 0),
                                    read_input (self, "left", 1), read_input (self, "right", 4));

  return become_quantize (self, value, 7);
}

gboolean
contrib_q_linear_reduce_mean (UpgradeContext *self)
{
  const AssayAttr *axes = upgrade_attr (self, "axes");
  gint64 keepdims = contrib_int (self, "keepdims", 1);
  AssayValueId value = read_input (self, "input", 0), list = ASSAY_NO_VALUE;

  if (axes != NULL && axes->kind == ASSAY_ATTR_INTS)
    list = assay_builder_ints (&self->builder, "axes", axes->n, axes->u.ints);
  value = ASSAY_BUILD (&self->builder, ReduceMean, "result", value, list);
  assay_builder_set_int (&self->builder, value, "keepdims", keepdims);

  return become_quantize (self, value, 3);
}

/* From opset 13 on the softmax runs along an axis, before it ran over all from the axis on. */
gboolean
contrib_q_linear_softmax (UpgradeContext *self)
{
  gint64 axis = contrib_int (self, "axis", -1);
  int rank = contrib_type (self, upgrade_input (self, 0))->rank;
  gboolean along = contrib_int (self, "opset", 13) >= 13 || axis == -1;
  AssayValueId value;

  if (!along && !contrib_needs (self, rank > 0))
    return FALSE;
  if (!along && axis != rank - 1)
    return contrib_refuse (self, "axis", "a softmax over several axes is not read");

  value = ASSAY_BUILD (&self->builder, Softmax, "result", read_input (self, "input", 0));
  assay_builder_set_int (&self->builder, value, "axis", axis);

  return become_quantize (self, value, 3);
}

/* The axes of an image with the channels in front, or behind if @back. */
static gboolean
move_channels (UpgradeContext *self, int rank, gboolean back, gint64 *perm)
{
  if (rank < 3)
    return contrib_refuse (self, "channels_last", "it is no image");

  perm[0] = 0;
  for (int i = 1; i < rank; i++)
    perm[i] = back ? (i == rank - 1 ? 1 : i + 1) : (i == 1 ? rank - 1 : i - 1);

  return TRUE;
}

gboolean
contrib_q_linear_pool (UpgradeContext *self)
{
  static const char *const names[] = {
    "auto_pad",     "ceil_mode", "count_include_pad", "dilations",
    "kernel_shape", "pads",      "strides",           NULL,
  };
  gboolean global = is_type (self, "QLinearGlobalAveragePool");
  gboolean last = contrib_int (self, "channels_last", 0) != 0;
  const AssayAttr *attrs = upgrade_node (self)->attrs;
  guint n_attrs = upgrade_node (self)->n_attrs;
  int rank = contrib_type (self, upgrade_input (self, 0))->rank;
  gint64 perm[ASSAY_MAX_RANK];
  AssayValueId value;

  if (last && (!contrib_needs (self, rank > 0) || !move_channels (self, rank, FALSE, perm)))
    return FALSE;

  value = read_input (self, "input", 0);
  if (last)
    value = assay_builder_transpose (&self->builder, "channels_first", value, (guint) rank, perm);
  if (global)
    {
      value = ASSAY_BUILD (&self->builder, GlobalAveragePool, "result", value);
    }
  else
    {
      value = ASSAY_BUILD (&self->builder, AveragePool, "result", value);
      contrib_copy_attrs (self, assay_graph_value (self->graph, value)->producer, n_attrs, attrs,
                          names);
    }
  if (last && move_channels (self, rank, TRUE, perm))
    value = assay_builder_transpose (&self->builder, "channels_last", value, (guint) rank, perm);

  return become_quantize (self, value, 3);
}

/* As that of ONNX, with an attribute that puts the channels behind. */
gboolean
contrib_q_linear_conv (UpgradeContext *self)
{
  static const char *const names[] = {
    "auto_pad", "dilations", "group", "kernel_shape", "pads", "strides", NULL,
  };
  gboolean last = contrib_int (self, "channels_last", 0) != 0;
  const AssayAttr *attrs = upgrade_node (self)->attrs;
  guint n_attrs = upgrade_node (self)->n_attrs;
  int rank = contrib_type (self, upgrade_input (self, 0))->rank;
  gint64 perm[ASSAY_MAX_RANK];
  AssayValueId inputs[9], value;

  if (!last)
    {
      assay_graph_remove_attr (self->graph, self->id, "channels_last");
      upgrade_set_op (self, ASSAY_OP_QLinearConv);
      return TRUE;
    }
  if (!contrib_needs (self, rank > 0) || !move_channels (self, rank, FALSE, perm))
    return FALSE;

  for (guint i = 0; i < 9; i++)
    inputs[i] = upgrade_input (self, i);
  inputs[0] = assay_builder_transpose (&self->builder, "channels_first", inputs[0], (guint) rank,
                                       perm);
  value = assay_builder_add (&self->builder, ASSAY_OP_QLinearConv, "result", 9, inputs);
  contrib_copy_attrs (self, assay_graph_value (self->graph, value)->producer, n_attrs, attrs,
                      names);
  move_channels (self, rank, TRUE, perm);
  ASSAY_BECOME (&self->builder, Transpose, value);
  assay_graph_set_ints (self->graph, self->id, "perm", (guint) rank, perm);
  return TRUE;
}
