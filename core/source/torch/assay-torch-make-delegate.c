/* assay-torch-make-delegate.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Functions of name spaces besides that of PyTorch: small integers as its exporter quantises, and
 * what the passes of a delegate make of several functions.
 */
#include <math.h>

#include "source/torch/assay-torch-make-private.h"

/* A tensor of the scale or the zero point, of one element if it is a number. */
static AssayValueId
parameter (AssayTorchLower *self, guint index, AssayDType dtype)
{
  AssayTorchItem *item = assay_torch_arg (self, index);
  guint rank;
  gint64 dims[ASSAY_MAX_RANK];
  AssayValueId value = item != NULL ? assay_torch_as_value (self, item, dtype) : ASSAY_NO_VALUE;

  /* PyTorch keeps those of a whole tensor as a list of one, too. */
  if (value != ASSAY_NO_VALUE && item->kind == ASSAY_TORCH_ITEM_TENSOR &&
      assay_torch_dims (self, value, &rank, dims) && rank == 1 && dims[0] == 1)
    value = assay_torch_reshape (self, value, 0, NULL);

  return value;
}

/* The small integers that a function makes or takes: quant_min, quant_max and dtype in this order.
 */
static gboolean
get_integers (AssayTorchLower *self, guint index, double ends[2], AssayDType *dtype)
{
  if (!assay_torch_get_float (self, index, &ends[0]) ||
      !assay_torch_get_float (self, index + 1, &ends[1]) ||
      !assay_torch_get_dtype (self, index + 2, dtype))
    return FALSE;

  return *dtype == ASSAY_DTYPE_I8 || *dtype == ASSAY_DTYPE_U8 || *dtype == ASSAY_DTYPE_I16 ||
         *dtype == ASSAY_DTYPE_U16 ||
         assay_torch_cannot (self, "integers of type %s", assay_dtype_name (*dtype));
}

/* Whether a type has more integers than those from one end to the other. */
static gboolean
is_narrow (AssayDType dtype, const double ends[2])
{
  double n = ldexp (1.0, (int) assay_dtype_bits (dtype));
  double low = dtype == ASSAY_DTYPE_I8 || dtype == ASSAY_DTYPE_I16 ? -n / 2 : 0.0;

  return ends[0] > low || ends[1] < low + n - 1;
}

/* quantize_per_tensor and quantize_per_channel (argument 1), and what undoes them (2 more). */
gboolean
assay_torch_make_quantize (AssayTorchLower *self, const AssayTorchRule *rule)
{
  gboolean by_channel = (rule->argument & 1) != 0;
  gboolean undoes = (rule->argument & 2) != 0;
  gboolean has_zero = !assay_torch_is_none (self, 2);
  guint at = by_channel ? 4 : 3;
  AssayDType dtype = ASSAY_DTYPE_UNDEFINED;
  AssayValueId inputs[3];
  AssayValueId output;
  AssayNodeId node;
  double ends[2];
  gint64 axis = 0;
  guint rank;

  if (!assay_torch_get_tensor (self, 0, &inputs[0]) || !assay_torch_rank (self, inputs[0], &rank) ||
      (by_channel && !assay_torch_get_axis (self, 3, rank, &axis)) ||
      !get_integers (self, at, ends, &dtype))
    return FALSE;
  if (undoes && assay_torch_dtype (self, inputs[0]) != dtype)
    return assay_torch_cannot (self, "it is given %s, and says %s",
                               assay_dtype_name (assay_torch_dtype (self, inputs[0])),
                               assay_dtype_name (dtype));
  inputs[1] = parameter (self, 1, undoes ? ASSAY_DTYPE_F32 : assay_torch_dtype (self, inputs[0]));
  inputs[2] = has_zero ? parameter (self, 2, dtype) : ASSAY_NO_VALUE;
  if (inputs[1] == ASSAY_NO_VALUE || (has_zero && inputs[2] == ASSAY_NO_VALUE))
    return assay_torch_cannot (self, "the scale is not known");
  node = assay_torch_node (self, undoes ? ASSAY_OP_DequantizeLinear : ASSAY_OP_QuantizeLinear,
                           has_zero ? 3 : 2, inputs, 1, &output);
  if (!undoes && !has_zero)
    assay_graph_set_int (self->graph, node, "output_dtype", dtype);
  if (by_channel)
    assay_graph_set_int (self->graph, node, "axis", axis);
  assay_torch_infer (self, node);
  if (!undoes && is_narrow (dtype, ends))
    output = assay_torch_three (self, ASSAY_OP_Clip, output,
                                assay_torch_integer (self, dtype, (gint64) ends[0]),
                                assay_torch_integer (self, dtype, (gint64) ends[1]));

  return assay_torch_result (self, 0, output);
}

/* et_vk.rms_norm: x / sqrt (mean (x * x) + epsilon) * weight, over the last axis. */
gboolean
assay_torch_make_rms_norm_last (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId inputs[2];
  AssayValueId output;
  AssayNodeId node;
  double epsilon;

  if (!assay_torch_get_tensor (self, 0, &inputs[0]) ||
      !assay_torch_get_tensor (self, 1, &inputs[1]) || !assay_torch_get_float (self, 2, &epsilon))
    return FALSE;
  node = assay_torch_node (self, ASSAY_OP_RMSNormalization, 2, inputs, 1, &output);
  assay_graph_set_int (self->graph, node, "axis", -1);
  assay_graph_set_float (self->graph, node, "epsilon", epsilon);
  assay_torch_infer (self, node);

  return assay_torch_result (self, 0, output);
}

/* et_vk.conv_with_clamp: the operands of convolution, then both bounds. */
gboolean
assay_torch_make_conv_with_clamp (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *low = assay_torch_arg (self, 9);
  AssayTorchItem *high = assay_torch_arg (self, 10);
  AssayValueId made;
  AssayDType dtype;

  if (!assay_torch_make_convolution (self, rule))
    return FALSE;
  made = self->results[0]->value;
  dtype = assay_torch_dtype (self, made);

  return assay_torch_result (self, 0,
                             assay_torch_three (self, ASSAY_OP_Clip, made,
                                                assay_torch_as_value (self, low, dtype),
                                                assay_torch_as_value (self, high, dtype)));
}

/* What another function makes of these operands. */
AssayTorchItem *
assay_torch_apply (AssayTorchLower *self, const char *function, guint n,
                   AssayTorchItem *const *items)
{
  g_autofree char *name = g_strconcat ("torch.", function, NULL);
  const AssayTorchRule *rule = assay_torch_rule_find (name);
  const AssayTorchOp *outer = self->op;
  AssayTorchItem **results = self->results;
  AssayTorchType type = { .kind = ASSAY_TORCH_TYPE_UNKNOWN, .text = "" };
  AssayTorchValue values[16];
  AssayTorchValue *operands[16];
  AssayTorchItem *made = NULL;
  AssayTorchOp op = {
    .name = name, .n_operands = n, .n_results = 1, .operands = operands, .results = outer->results
  };

  g_assert (rule != NULL && n <= G_N_ELEMENTS (values));
  for (guint i = 0; i < n; i++)
    {
      if (items[i] == NULL)
        return NULL;
      values[i] = (AssayTorchValue){ .type = &type, .data = items[i] };
      operands[i] = &values[i];
    }
  self->op = &op;
  self->results = &made;
  if (!rule->make (self, rule))
    made = NULL;
  self->op = outer;
  self->results = results;

  return made;
}

/* The first entries along an axis: kernels have theirs in groups, and what fills those up counts
 * for nothing. */
AssayTorchItem *
assay_torch_cut (AssayTorchLower *self, AssayTorchItem *item, gint64 axis, gint64 n)
{
  gint64 dims[ASSAY_MAX_RANK];
  guint rank;

  if (item == NULL || item->kind != ASSAY_TORCH_ITEM_TENSOR ||
      !assay_torch_dims (self, item->value, &rank, dims) || rank <= axis || dims[axis] <= n)
    return item;

  return APPLY ("aten.slice.Tensor", item, INT (axis), INT (0), INT (n), INT (1));
}

static gint64
code_of_i8 (void)
{
  return assay_torch_code_of_dtype (ASSAY_DTYPE_I8);
}

/* Numbers of small integers with a scale and a zero point, both operands of the function. */
static AssayTorchItem *
widen (AssayTorchLower *self, guint index, guint scale)
{
  return APPLY ("quantized_decomposed.dequantize_per_tensor", ARG (index), ARG (scale),
                ARG (scale + 1), INT (-128), INT (127), INT (code_of_i8 ()));
}

/* Weights have a scale for each channel along an axis, and no zero point. */
static AssayTorchItem *
widen_weights (AssayTorchLower *self, AssayTorchItem *weights, guint scales, gint64 axis, gint64 n)
{
  return APPLY ("quantized_decomposed.dequantize_per_channel", weights,
                assay_torch_cut (self, ARG (scales), 0, n),
                assay_torch_item_new (self, ASSAY_TORCH_ITEM_NONE), INT (axis), INT (-127),
                INT (127), INT (code_of_i8 ()));
}

/* What a function of small integers hands on: bounded below by 0 where it says so. */
static gboolean
finish (AssayTorchLower *self, AssayTorchItem *made, guint activation, guint scale)
{
  const AssayTorchItem *word = activation != 0 ? ARG (activation) : NULL;

  if (made != NULL && word != NULL && g_strcmp0 (word->s, "relu") == 0)
    made = APPLY ("aten.relu", made);
  if (made != NULL && scale != 0)
    made = APPLY ("quantized_decomposed.quantize_per_tensor", made, ARG (scale), ARG (scale + 1),
                  INT (-128), INT (127), INT (code_of_i8 ()));

  return made != NULL && assay_torch_result_item (self, 0, made);
}

/* et_vk.q8ta_add */
gboolean
assay_torch_make_q8_add (AssayTorchLower *self, const AssayTorchRule *rule)
{
  return finish (self, APPLY ("aten.add.Tensor", widen (self, 0, 2), widen (self, 1, 4), ARG (8)),
                 0, 6);
}

/* et_vk.q8ta_relu */
gboolean
assay_torch_make_q8_relu (AssayTorchLower *self, const AssayTorchRule *rule)
{
  return finish (self, APPLY ("aten.relu", widen (self, 0, 1)), 0, 3);
}

/* et_vk.q8ta_pixel_shuffle, which is given the inverse of the scale of its result. */
gboolean
assay_torch_make_q8_pixel_shuffle (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *made = APPLY ("aten.pixel_shuffle", widen (self, 0, 1), ARG (5));
  double inverse;

  if (made == NULL || !assay_torch_get_float (self, 3, &inverse))
    return FALSE;
  made = APPLY ("quantized_decomposed.quantize_per_tensor", made,
                assay_torch_float (self, 1.0 / inverse), ARG (4), INT (-128), INT (127),
                INT (code_of_i8 ()));

  return made != NULL && assay_torch_result_item (self, 0, made);
}

/* et_vk.quantize_q8ta_for_conv2d, and with argument 1 et_vk.dequantize_q8to_from_conv2d. */
gboolean
assay_torch_make_q8_convert (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *made = rule->argument == 1
                             ? widen (self, 0, 1)
                             : APPLY ("quantized_decomposed.quantize_per_tensor", ARG (0), ARG (1),
                                      ARG (2), INT (-128), INT (127), INT (code_of_i8 ()));

  return made != NULL && assay_torch_result_item (self, 0, made);
}

/* What is added or multiplied has one element type. */
static AssayTorchItem *
as_type_of (AssayTorchLower *self, AssayTorchItem *item, const AssayTorchItem *other)
{
  if (item == NULL || other == NULL || item->kind != ASSAY_TORCH_ITEM_TENSOR ||
      other->kind != ASSAY_TORCH_ITEM_TENSOR)
    return item;

  return assay_torch_tensor (
      self, assay_torch_cast (self, item->value, assay_torch_dtype (self, other->value)));
}

/* et_vk.q8ta_linear; with argument 1 the result is a number, and so is what it is given
 * (et_vk.linear_q8ta_q8csw). Sums of weights are there for kernels. */
gboolean
assay_torch_make_q8_linear (AssayTorchLower *self, const AssayTorchRule *rule)
{
  gboolean stays = rule->argument == 1;
  AssayTorchItem *bias = ARG (stays ? 6 : 8);
  AssayTorchItem *x = stays ? ARG (0) : widen (self, 0, 1);
  gint64 dims[ASSAY_MAX_RANK];
  AssayValueId weights;
  guint rank;

  if (!assay_torch_get_tensor (self, 3, &weights) ||
      !assay_torch_dims (self, weights, &rank, dims) || rank < 1)
    return assay_torch_cannot (self, "its weights are not known");
  if (bias == NULL)
    bias = assay_torch_item_new (self, ASSAY_TORCH_ITEM_NONE);

  return finish (self,
                 APPLY ("aten.linear", x,
                        as_type_of (self, widen_weights (self, ARG (3), 5, 0, dims[0]), x),
                        as_type_of (self, assay_torch_cut (self, bias, 0, dims[0]), x)),
                 stays ? 0 : 9, stays ? 0 : 6);
}

/* What a convolution of small integers is given: a window, groups, and as many features. */
static gboolean
get_window (AssayTorchLower *self, const AssayTorchItem *x, guint groups_at, gint64 kernel[2],
            gint64 *in, gint64 *groups)
{
  gint64 dims[ASSAY_MAX_RANK];
  gint64 sizes[ASSAY_MAX_RANK];
  guint rank, n;

  if (x == NULL || !assay_torch_get_ints (self, 9, sizes, &n) || n != 2 ||
      !assay_torch_get_int (self, groups_at, groups) || *groups < 1 ||
      !assay_torch_dims (self, x->value, &rank, dims) || rank != 4)
    return assay_torch_cannot (self, "its window is not known");
  kernel[0] = sizes[0];
  kernel[1] = sizes[1];
  *in = dims[1];

  return TRUE;
}

/* et_vk.q8ta_conv2d: weights are lines, one for each channel of the output, which may be longer
 * than a window; with argument 1 (depthwise) their last axis is that of the channels. */
gboolean
assay_torch_make_q8_conv (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *x = widen (self, 0, 1);
  AssayTorchItem *weights = ARG (3);
  gint64 kernel[2];
  gint64 own[ASSAY_MAX_RANK];
  gint64 in, out, groups;
  guint rank;

  if (!get_window (self, x, 13, kernel, &in, &groups))
    return FALSE;
  if (weights == NULL || weights->kind != ASSAY_TORCH_ITEM_TENSOR ||
      !assay_torch_dims (self, weights->value, &rank, own) || rank < 1)
    return assay_torch_cannot (self, "its weights are not known");
  out = rule->argument == 1 ? own[rank - 1] : own[0];
  if (rule->argument == 1)
    {
      AssayTorchItem *order[] = { INT (2), INT (0), INT (1) };

      if (rank != 3)
        return assay_torch_cannot (self, "its weights have rank %u, not 3", rank);
      weights = APPLY ("aten.permute", weights, assay_torch_list (self, 3, order));
    }
  else if (rank == 2)
    weights = assay_torch_cut (self, weights, 1, in / groups * kernel[0] * kernel[1]);
  if (weights != NULL)
    {
      AssayTorchItem *shape[] = { INT (out), INT (in / groups), INT (kernel[0]), INT (kernel[1]) };

      weights = APPLY ("aten.reshape", weights, assay_torch_list (self, 4, shape));
    }
  if (weights == NULL)
    return FALSE;

  return finish (self,
                 APPLY ("aten.conv2d", x, widen_weights (self, weights, 5, 0, out),
                        assay_torch_cut (self, ARG (8), 0, out), ARG (10), ARG (11), ARG (12),
                        ARG (13)),
                 14, 6);
}

/* et_vk.q8ta_conv2d_transposed: weights are lines as those of a convolution are, which become a
 * window for each channel of the input. */
gboolean
assay_torch_make_q8_conv_transposed (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *x = widen (self, 0, 1);
  AssayTorchItem *weights = ARG (3);
  gint64 kernel[2];
  gint64 own[ASSAY_MAX_RANK];
  gint64 in, groups;
  guint rank;

  if (!get_window (self, x, 14, kernel, &in, &groups))
    return FALSE;
  if (weights == NULL || weights->kind != ASSAY_TORCH_ITEM_TENSOR ||
      !assay_torch_dims (self, weights->value, &rank, own) || rank != 2 || own[0] % groups != 0)
    return assay_torch_cannot (self, "its weights are not known");

  weights = assay_torch_cut (self, weights, 1, in / groups * kernel[0] * kernel[1]);
  /* In groups the scales are spread over two axes, so that numbers are arranged, not integers. */
  if (groups > 1)
    weights = widen_weights (self, weights, 5, 0, own[0]);
  if (weights != NULL)
    {
      AssayTorchItem *apart[] = { INT (groups), INT (own[0] / groups), INT (in / groups),
                                  INT (kernel[0]), INT (kernel[1]) };
      AssayTorchItem *order[] = { INT (0), INT (2), INT (1), INT (3), INT (4) };
      AssayTorchItem *shape[] = { INT (in), INT (own[0] / groups), INT (kernel[0]),
                                  INT (kernel[1]) };

      weights = APPLY ("aten.reshape", weights, assay_torch_list (self, 5, apart));
      if (weights != NULL)
        weights = APPLY ("aten.permute", weights, assay_torch_list (self, 5, order));
      if (weights != NULL)
        weights = APPLY ("aten.reshape", weights, assay_torch_list (self, 4, shape));
    }
  if (groups == 1)
    weights = widen_weights (self, weights, 5, 1, own[0]);

  return finish (self,
                 APPLY ("aten.conv_transpose2d.input", x, weights,
                        assay_torch_cut (self, ARG (8), 0, own[0]), ARG (10), ARG (11), ARG (12),
                        ARG (14), ARG (13)),
                 15, 6);
}

/* et_vk.grid_priors: where the cells of a map lie in the image, (x + offset) * stride and the same
 * of y, line by line. */
gboolean
assay_torch_make_grid_priors (AssayTorchLower *self, const AssayTorchRule *rule)
{
  gint64 dims[ASSAY_MAX_RANK];
  gint64 shape[2] = { 0, 2 };
  gint64 stride;
  double offset;
  AssayValueId x;
  guint rank;
  g_autofree float *places = NULL;
  g_autoptr (AssayTensor) tensor = NULL;

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_dims (self, x, &rank, dims) ||
      !assay_torch_get_int (self, 1, &stride) || !assay_torch_get_float (self, 2, &offset))
    return FALSE;
  if (rank < 2 || dims[rank - 1] > 1 << 12 || dims[rank - 2] > 1 << 12)
    return assay_torch_cannot (self, "its input is no map, or too large");
  shape[0] = dims[rank - 1] * dims[rank - 2];
  places = g_new (float, MAX (2 * shape[0], 1));
  for (gint64 i = 0; i < shape[0]; i++)
    {
      places[2 * i] = ((float) (i % dims[rank - 1]) + (float) offset) * (float) stride;
      places[2 * i + 1] = ((float) (i / dims[rank - 1]) + (float) offset) * (float) stride;
    }
  tensor = assay_tensor_new_f32 (2, shape, places);

  return assay_torch_result (self, 0, assay_torch_keep (self, tensor));
}
