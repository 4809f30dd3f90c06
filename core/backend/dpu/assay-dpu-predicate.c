/* assay-dpu-predicate.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "backend/dpu/assay-dpu-check.h"
#include "base/assay-sentence.h"
#include "nnir/assay-axes.h"
#include "nnir/assay-node-product.h"
#include "quantize/assay-position.h"

/* Predicates on convolution engines. C1 to C10 are the limits of AMD's guide UG1414, "Currently
 * Supported Operators"; docs/dpu.md lists them. */

static const char *const sides[] = { "height", "width", "depth" };

/**
 * assay_dpu_window:
 * @self: the check
 * @node: the node
 * @window: the window
 *
 * Reads the window of a node; %FALSE if it has none or the rank is unknown.
 */
gboolean
assay_dpu_window (AssayCheck *self, const AssayNode *node, AssayNodeWindow *window)
{
  if (!assay_node_get_window (self->graph, node, window) || window->n < 1 || window->n > 3)
    return FALSE;

  if (node->op == ASSAY_OP_GlobalAveragePool || node->op == ASSAY_OP_GlobalMaxPool)
    memcpy (window->kernel, window->in, window->n * sizeof *window->kernel);

  return TRUE;
}

static gboolean
is_constant (AssayCheck *self, AssayValueId value)
{
  return value != ASSAY_NO_VALUE && assay_context_is_constant (&self->context, value);
}

static gint64
axis_size (const AssayType *type, int axis)
{
  return axis < 0 || axis >= assay_type_rank (type) ? -1 : type->dims[axis].size;
}

/* Which factor of a product is computed: the other one, which is constant, is the weight. */
static guint
data_side (AssayCheck *self, const AssayNode *node, const AssayNodeProduct *product)
{
  return is_constant (self, assay_node_input (node, product->inputs[0])) &&
                 !is_constant (self, assay_node_input (node, product->inputs[1]))
             ? 1
             : 0;
}

/* As a convolution a product reads along the axis it sums over, and makes what the weight brings.
 */
static gint64
product_channels (AssayCheck *self, const AssayNode *node, gboolean out)
{
  const AssayNodeProduct product = assay_node_get_product (node);
  guint side = data_side (self, node, &product);
  AssayValueId data = assay_node_input (node, product.inputs[side]);
  AssayValueId weight = assay_node_input (node, product.inputs[1 - side]);
  AssayValueId result = assay_node_output (node, 0);
  const AssayType *data_type;
  const AssayType *result_type;

  if (data == ASSAY_NO_VALUE || weight == ASSAY_NO_VALUE || result == ASSAY_NO_VALUE)
    return -1;

  data_type = assay_graph_value (self->graph, data)->type;
  result_type = assay_graph_value (self->graph, result)->type;
  if (assay_type_rank (data_type) < 1)
    return -1;
  if (!out)
    return axis_size (data_type, assay_node_product_contracted (&product, side, data_type->rank));
  if (assay_type_rank (assay_graph_value (self->graph, weight)->type) == 1)
    return 1;

  return axis_size (result_type,
                    assay_type_rank (result_type) - (side == 1 && data_type->rank > 1 ? 2 : 1));
}

/* Operations that have their channels on axis 1 whatever the rank. */
static gboolean
has_channels_first (AssayOp op)
{
  static const AssayOp ops[] = { ASSAY_OP_Conv, ASSAY_OP_ConvTranspose, ASSAY_OP_BatchNormalization,
                                 ASSAY_OP_ArgMax, ASSAY_OP_ReduceMax };

  for (guint i = 0; i < G_N_ELEMENTS (ops); i++)
    if (ops[i] == op)
      return TRUE;

  return FALSE;
}

/**
 * assay_dpu_channels:
 * @self: the check
 * @node: the node
 * @out: whether those it makes are asked for, not those it reads
 *
 * The channels a node reads or makes: axis 1 of images, the contracted or new axis of a product,
 * else the last axis; -1 if they are not known.
 */
gint64
assay_dpu_channels (AssayCheck *self, const AssayNode *node, gboolean out)
{
  AssayValueId value = out ? assay_node_output (node, 0) : assay_node_input (node, 0);
  const AssayType *type;
  int rank;

  if (node->op == ASSAY_OP_Linear || node->op == ASSAY_OP_MatMul || node->op == ASSAY_OP_Gemm)
    return product_channels (self, node, out);
  if (value == ASSAY_NO_VALUE)
    return -1;

  type = assay_graph_value (self->graph, value)->type;
  rank = assay_type_rank (type);
  if (rank < 1)
    return -1;

  return axis_size (type, rank > 1 && (rank != 3 || has_channels_first (node->op)) ? 1 : rank - 1);
}

static AssayTruth
say_unknown (AssayContext *context, const char *attribute)
{
  return assay_context_say (context, ASSAY_UNKNOWN, attribute,
                            "a shape that decides the %s is unknown", attribute);
}

static AssayTruth
eval_kernel (AssayContext *context, const AssayCall *call)
{
  AssayNodeWindow window;

  assay_context_allow_range (context, call);
  if (!assay_dpu_window (context->check, context->node, &window))
    return say_unknown (context, "kernel");

  for (guint i = 0; i < window.n; i++)
    if (window.kernel[i] < 0)
      return say_unknown (context, "kernel");
    else if (!assay_call_in_range (call, window.kernel[i]))
      return assay_context_say (context, ASSAY_FALSE, "kernel", "%s %" G_GINT64_FORMAT, sides[i],
                                window.kernel[i]);

  return ASSAY_TRUE;
}

/* C5: the stride does not matter when the kernel covers the whole input. */
static AssayTruth
eval_stride (AssayContext *context, const AssayCall *call)
{
  AssayNodeWindow window;
  gboolean covers = TRUE;

  assay_context_allow_range (context, call);
  if (!assay_dpu_window (context->check, context->node, &window))
    return say_unknown (context, "stride");

  for (guint i = 0; i < window.n; i++)
    covers = covers && window.in[i] >= 0 && window.kernel[i] >= window.in[i];
  for (guint i = 0; !covers && i < window.n; i++)
    if (!assay_call_in_range (call, window.stride[i]))
      return assay_context_say (context, ASSAY_FALSE, "stride", "%s %" G_GINT64_FORMAT, sides[i],
                                window.stride[i]);

  return ASSAY_TRUE;
}

/* The most that C3 lets a side be padded by. */
static gint64
pad_reach (const AssayNodeWindow *window, guint axis)
{
  return window->kernel[axis] < 1 || window->dilation[axis] < 1 ||
                 window->kernel[axis] > G_MAXINT64 / window->dilation[axis]
             ? G_MAXINT64
             : (window->kernel[axis] - 1) * window->dilation[axis];
}

/* C3. */
static AssayTruth
eval_pads_fit (AssayContext *context, const AssayCall *call)
{
  gint64 max_begin = assay_call_int (call, "begin", G_MAXINT64);
  gint64 max_end = assay_call_int (call, "end", G_MAXINT64);
  AssayNodeWindow window;

  assay_context_allow (context, "0 to (kernel - 1) * dilation");
  if (!assay_dpu_window (context->check, context->node, &window))
    return say_unknown (context, "pads");

  for (guint i = 0; i < window.n; i++)
    {
      gint64 reach = pad_reach (&window, i);
      gint64 begin = MIN (max_begin, reach);
      gint64 end = MIN (max_end, reach);
      gboolean bad_begin = window.before[i] < 0 || window.before[i] > begin;

      if (window.same && window.before[i] < 0)
        return say_unknown (context, "pads");
      if (!bad_begin && window.after[i] >= 0 && window.after[i] <= end)
        continue;
      assay_context_allow (context, "0 to %" G_GINT64_FORMAT, bad_begin ? begin : end);
      return assay_context_say (context, ASSAY_FALSE, "pads", "%s %s %" G_GINT64_FORMAT, sides[i],
                                bad_begin ? "begin" : "end",
                                bad_begin ? window.before[i] : window.after[i]);
    }

  return ASSAY_TRUE;
}

/* C3 for the padding of a Pad that makes the input, added to that of the window itself. */
static AssayTruth
eval_joins_pad (AssayContext *context, const AssayCall *call)
{
  const AssayGraph *graph = context->check->graph;
  AssayValueId input = assay_node_input (context->node, 0);
  AssayNodeId producer = input != ASSAY_NO_VALUE ? assay_graph_value (graph, input)->producer
                                                 : ASSAY_NO_NODE;
  const AssayNode *pad = producer != ASSAY_NO_NODE ? assay_graph_node (graph, producer) : NULL;
  AssayNodeWindow window;
  g_autofree gint64 *pads = NULL;
  g_autofree gint64 *axes = NULL;
  gsize n_pads;
  gsize n_axes = 0;
  int rank;

  assay_context_allow (context, "padding of height and width from 0 to (kernel - 1) * dilation");
  if (pad == NULL || pad->op != ASSAY_OP_Pad)
    return assay_context_say (context, ASSAY_FALSE, "input 0", "not made by Pad");
  if (!assay_dpu_window (context->check, context->node, &window))
    return say_unknown (context, "pads");

  rank = (int) window.n + 2;
  pads = assay_value_dup_ints (graph, assay_node_input (pad, 1), &n_pads);
  if (assay_node_input (pad, 3) != ASSAY_NO_VALUE)
    axes = assay_node_dup_ints (graph, pad, "axes", 3, &n_axes);
  else
    n_axes = (gsize) rank;
  if (pads == NULL || n_pads != 2 * n_axes ||
      (axes == NULL && assay_node_input (pad, 3) != ASSAY_NO_VALUE))
    return say_unknown (context, "pads");

  for (gsize i = 0; i < n_axes; i++)
    {
      gint64 begin = pads[i];
      gint64 end = pads[n_axes + i];
      int axis = (int) i;
      guint side;

      if (axes != NULL && !assay_axes_normalize (axes[i], rank, &axis))
        return say_unknown (context, "pads");
      if (begin == 0 && end == 0)
        continue;
      if (axis < 2)
        return assay_context_say (context, ASSAY_FALSE, "pads", "of axis %d", axis);

      side = (guint) axis - 2;
      if (begin < 0 || end < 0 || window.before[side] < 0 || window.after[side] < 0 ||
          begin > pad_reach (&window, side) - window.before[side] ||
          end > pad_reach (&window, side) - window.after[side])
        return assay_context_say (context, ASSAY_FALSE, "pads",
                                  "%s %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT, sides[side],
                                  begin, end);
    }

  return ASSAY_TRUE;
}

static AssayTruth
eval_channels (AssayContext *context, const AssayCall *call)
{
  gboolean out = g_strcmp0 (assay_call_string (call, "of"), "output") == 0;
  gint64 channels = assay_dpu_channels (context->check, context->node, out);
  const char *label = out ? "output channels" : "input channels";

  if (channels < 0)
    {
      assay_context_allow_range (context, call);
      return say_unknown (context, label);
    }

  return assay_context_test_int (context, call, label, channels);
}

/* C1. */
static AssayTruth
eval_dilated_channels (AssayContext *context, const AssayCall *call)
{
  gint64 channels = assay_dpu_channels (context->check, context->node, FALSE);
  gint64 most = 1;
  AssayNodeWindow window;

  assay_context_allow_range (context, call);
  if (channels < 0 || !assay_dpu_window (context->check, context->node, &window))
    return say_unknown (context, "dilation * input channels");

  for (guint i = 0; i < window.n; i++)
    most = MAX (most, window.dilation[i]);
  if (most <= G_MAXINT32 && channels <= G_MAXINT32 && assay_call_in_range (call, most * channels))
    return ASSAY_TRUE;

  return assay_context_say (context, ASSAY_FALSE, "dilation * input channels",
                            "%" G_GINT64_FORMAT " * %" G_GINT64_FORMAT, most, channels);
}

/* C2: the weights of one group of output channels fit the banks. */
static AssayTruth
eval_weights_fit (AssayContext *context, const AssayCall *call)
{
  gint64 parallel = MAX (assay_call_int (call, "parallel", 1), 1);
  gint64 depth = assay_call_int (call, "depth", 0);
  gint64 group = assay_call_bool (call, "depthwise", FALSE) ? parallel : 0;
  gint64 channels = group != 0 ? group : assay_dpu_channels (context->check, context->node, FALSE);
  double needed = (double) ((channels + parallel - 1) / parallel);
  AssayNodeWindow window;

  assay_context_allow (context, "at most %" G_GINT64_FORMAT " %s of the weight banks", depth,
                       assay_noun (depth, "entry", "entries"));
  if (channels < 0)
    return say_unknown (context, "weights");
  if (context->node->op == ASSAY_OP_Conv || context->node->op == ASSAY_OP_ConvTranspose)
    {
      if (!assay_dpu_window (context->check, context->node, &window))
        return say_unknown (context, "weights");
      for (guint i = 0; i < window.n; i++)
        if (window.kernel[i] < 0)
          return say_unknown (context, "weights");
        else
          needed *= (double) window.kernel[i];
    }

  if (needed <= (double) depth)
    return ASSAY_TRUE;

  return assay_context_say (context, ASSAY_FALSE, "weights",
                            "%.0f entries for one group of output channels", needed);
}

/* C4. */
static AssayTruth
eval_transposed_kernel (AssayContext *context, const AssayCall *call)
{
  AssayNodeWindow window;

  assay_context_allow_range (context, call);
  if (!assay_dpu_window (context->check, context->node, &window))
    return say_unknown (context, "kernel / stride");

  for (guint i = 0; i < window.n; i++)
    {
      gint64 quotient;

      if (window.kernel[i] < 0)
        return say_unknown (context, "kernel / stride");
      quotient = window.stride[i] > 0 ? window.kernel[i] / window.stride[i] : 0;
      if (window.stride[i] < 1 || !assay_call_in_range (call, quotient) ||
          (window.kernel[i] % window.stride[i] != 0 && !assay_call_in_range (call, quotient + 1)))
        return assay_context_say (context, ASSAY_FALSE, "kernel / stride",
                                  "%s %" G_GINT64_FORMAT " / %" G_GINT64_FORMAT, sides[i],
                                  window.kernel[i], window.stride[i]);
    }

  return ASSAY_TRUE;
}

/* An output that is larger than the window reaches is padded, whatever attribute says so. */
static AssayTruth
eval_transposed_extent (AssayContext *context, const AssayCall *call)
{
  const AssayType *out = assay_context_type (context, assay_node_output (context->node, 0));
  AssayNodeWindow window;

  assay_context_allow (context, "0");
  if (!assay_dpu_window (context->check, context->node, &window) ||
      assay_type_rank (out) != (int) window.n + 2)
    return say_unknown (context, "output padding");

  for (guint i = 0; i < window.n; i++)
    {
      gint64 in = window.in[i];
      double reach;

      if (in < 0 || out->dims[i + 2].size < 0 || window.kernel[i] < 0)
        return say_unknown (context, "output padding");
      reach = (double) window.stride[i] * (double) (in - 1) +
              (double) (window.kernel[i] - 1) * (double) window.dilation[i] + 1.0;
      if ((double) out->dims[i + 2].size > reach)
        return assay_context_say (context, ASSAY_FALSE, "output padding", "%.0f",
                                  (double) out->dims[i + 2].size - reach);
    }

  return ASSAY_TRUE;
}

static AssayTruth
eval_groups (AssayContext *context, const AssayCall *call)
{
  gint64 group = assay_context_attr_int (context, "group");
  gint64 in = assay_dpu_channels (context->check, context->node, FALSE);
  gint64 out = assay_dpu_channels (context->check, context->node, TRUE);

  if (g_str_equal (assay_call_string (call, "are"), "one"))
    {
      assay_context_allow (context, "1");
      return group == 1
                 ? ASSAY_TRUE
                 : assay_context_say (context, ASSAY_FALSE, "group", "%" G_GINT64_FORMAT, group);
    }

  assay_context_allow (
      context, "1, or as many as input channels, with a multiple of them as output channels");
  if (in < 0)
    return say_unknown (context, "group");
  if (group > 1 && group == in && (out < 0 || out % group == 0))
    return ASSAY_TRUE;

  return assay_context_say (context, ASSAY_FALSE, "group",
                            "%" G_GINT64_FORMAT " for %" G_GINT64_FORMAT " channel%s", group, in,
                            assay_plural (in));
}

/* Two inputs that differ, with the shapes of both. */
static AssayTruth G_GNUC_PRINTF (3, 4)
    say_differ (AssayContext *context, guint other, const char *format, ...)
{
  const guint inputs[2] = { 0, other };
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  for (guint i = 0; i < 2; i++)
    {
      const AssayValue *value = assay_graph_value (context->check->graph,
                                                   context->node->inputs[inputs[i]]);
      g_autofree char *type = assay_type_to_string (value->type);

      assay_context_rest_on (context, value->producer, "input %u is %s %s", inputs[i], value->name,
                             type);
    }

  return assay_context_say (context, ASSAY_FALSE, "shapes", "%s", text);
}

static AssayTruth
eval_same_shape (AssayContext *context, const AssayCall *call)
{
  const AssayType *first = assay_context_type (context, assay_node_input (context->node, 0));

  for (guint i = 0; i < context->node->n_inputs; i++)
    {
      const AssayType *type = assay_context_type (context, context->node->inputs[i]);

      if (assay_type_rank (type) < 0 || assay_type_rank (first) < 0)
        return say_unknown (context, "shapes");
      if (type->rank != first->rank)
        {
          assay_context_allow (context, "equal ranks");
          return say_differ (context, i, "have ranks %d and %d", first->rank, type->rank);
        }
      for (int j = 0; j < type->rank; j++)
        if (type->dims[j].size >= 0 && first->dims[j].size >= 0
                ? type->dims[j].size != first->dims[j].size
                : type->dims[j].symbol != first->dims[j].symbol)
          {
            assay_context_allow (context, "equal extents");
            return say_differ (context, i, "differ along axis %d", j);
          }
    }

  return ASSAY_TRUE;
}

/* What a convolution makes has its channels on axis 1 whatever the rank. */
static gboolean
is_convolved (AssayCheck *self, const AssayNode *node)
{
  for (guint hops = 0; hops < 3; hops++)
    {
      guint side = node->n_inputs > 1 && is_constant (self, node->inputs[0]) ? 1 : 0;
      AssayValueId value = assay_node_input (node, side);
      AssayNodeId id = value != ASSAY_NO_VALUE ? assay_graph_value (self->graph, value)->producer
                                               : ASSAY_NO_NODE;

      if (id == ASSAY_NO_NODE)
        return FALSE;
      node = assay_graph_node (self->graph, id);
      if (node->op == ASSAY_OP_Conv || node->op == ASSAY_OP_ConvTranspose)
        return TRUE;
    }

  return FALSE;
}

/* Says so if a constant makes what is computed larger: an engine has as many results as inputs. */
static gboolean
grows (AssayContext *context, const AssayType *out)
{
  gsize n, n_out;

  for (guint i = 0; i < 2; i++)
    {
      AssayValueId id = assay_node_input (context->node, i);

      if (!assay_context_is_constant (context, id) &&
          assay_context_is_constant (context, assay_node_input (context->node, 1 - i)) &&
          assay_type_count (assay_context_type (context, id), &n) &&
          assay_type_count (out, &n_out) && n != n_out)
        {
          assay_context_say (context, ASSAY_FALSE, "operand", "larger than input %u", i);
          return TRUE;
        }
    }

  return FALSE;
}

/* C9: a constant with one element, or one per channel: of three dimensions the last, unless a
 * convolution made them. */
static AssayTruth
eval_per_channel (AssayContext *context, const AssayCall *call)
{
  const AssayType *out = assay_context_type (context, assay_node_output (context->node, 0));
  gint64 max_rank = assay_call_int (call, "max_rank", 4);
  int channel_axis = out->rank == 3 && !is_convolved (context->check, context->node) ? 2
                     : out->rank > 1                                                 ? 1
                                                                                     : 0;
  gint64 channels = axis_size (out, channel_axis);

  assay_context_allow (
      context, "a constant for all or per channel, rank %" G_GINT64_FORMAT " or less", max_rank);
  if (assay_type_rank (out) < 0 || channels < 0)
    return say_unknown (context, "operand");
  if (out->rank > max_rank)
    return assay_context_say (context, ASSAY_FALSE, "operand", "of rank %d", out->rank);
  if (grows (context, out))
    return ASSAY_FALSE;

  for (guint i = 0; i < 2; i++)
    {
      AssayValueId id = assay_node_input (context->node, i);
      const AssayType *type = assay_context_type (context, id);
      int axis = channel_axis + type->rank - out->rank;
      gsize n;

      if (!assay_context_is_constant (context, id) || !assay_type_count (type, &n))
        continue;
      if (n == 1 || (n == (gsize) channels && axis >= 0 && type->dims[axis].size == channels))
        return ASSAY_TRUE;

      return n == (gsize) channels
                 ? assay_context_say (context, ASSAY_FALSE, "operand",
                                      "a constant of %" G_GSIZE_FORMAT
                                      " element%s off the channels",
                                      n, assay_plural (n))
                 : assay_context_say (context, ASSAY_FALSE, "operand",
                                      "a constant of %" G_GSIZE_FORMAT
                                      " element%s for %" G_GINT64_FORMAT " channel%s",
                                      n, assay_plural (n), channels, assay_plural (channels));
    }

  return assay_context_say (context, ASSAY_FALSE, "operand", "computed at run time");
}

/* One matrix serves the whole batch, as the weights of a 1x1 convolution do. */
static AssayTruth
eval_shared_weight (AssayContext *context, const AssayCall *call)
{
  const AssayNodeProduct product = assay_node_get_product (context->node);
  guint side = data_side (context->check, context->node, &product);
  const AssayType *type = assay_context_type (
      context, assay_node_input (context->node, product.inputs[1 - side]));
  g_autofree char *text = NULL;

  assay_context_allow (context, "one matrix for the whole batch");
  if (assay_type_rank (type) < 0)
    return say_unknown (context, "weight");

  for (int i = 0; i < type->rank - 2; i++)
    if (type->dims[i].size != 1)
      {
        text = assay_type_to_string (type);
        return assay_context_say (context, ASSAY_FALSE, "weight", "%s", text);
      }

  return ASSAY_TRUE;
}

/* The quantisation that the compiler takes in: int8 with zero point 0, or what is the same in uint8
 * with 128, and a constant in 32 bits, which is a bias; scales that are powers of two. */
static AssayTruth
eval_power_of_two_scale (AssayContext *context, const AssayCall *call)
{
  AssayTensor *scale = assay_graph_constant (context->check->graph,
                                             assay_node_input (context->node, 1));
  AssayTensor *zero = assay_graph_constant (context->check->graph,
                                            assay_node_input (context->node, 2));
  AssayValueId quantized = context->node->op == ASSAY_OP_QuantizeLinear
                               ? assay_node_output (context->node, 0)
                               : assay_node_input (context->node, 0);
  AssayDType dtype = assay_context_type (context, quantized)->dtype;
  double value;
  int exponent;

  if (context->node->op != ASSAY_OP_QuantizeLinear &&
      context->node->op != ASSAY_OP_DequantizeLinear)
    return assay_context_say (context, ASSAY_FALSE, "the operation", "no quantisation");
  if (dtype == ASSAY_DTYPE_I32 && assay_context_is_constant (context, quantized))
    dtype = ASSAY_DTYPE_I8;
  assay_context_allow (context, "i8 with zero point 0, or u8 with 128, and scale 2^n");
  if (dtype != ASSAY_DTYPE_I8 && dtype != ASSAY_DTYPE_U8)
    return assay_context_say (context, dtype == ASSAY_DTYPE_UNDEFINED ? ASSAY_UNKNOWN : ASSAY_FALSE,
                              "the quantised type", "%s", assay_dtype_name (dtype));
  if (scale == NULL)
    return assay_context_say (context, ASSAY_FALSE, "scale", "computed at run time");
  if (assay_tensor_get_n_elements (scale) != 1)
    return assay_context_say (context, ASSAY_FALSE, "scale", "one per channel");
  if (!assay_tensor_get_element (scale, 0, &value, NULL))
    return assay_context_say (context, ASSAY_UNKNOWN, "scale", "not readable");
  if (!(value > 0.0))
    return assay_context_say (context, ASSAY_FALSE, "scale", "%g", value);
  if (fabs (frexp (value, &exponent) - 0.5) > 0.0)
    return assay_context_say (context, ASSAY_FALSE, "scale", "%g (the nearest is 2^%d, %+.1f dB)",
                              value, -assay_position_nearest (value),
                              20.0 * log10 (value) +
                                  20.0 * log10 (2.0) * assay_position_nearest (value));
  if ((zero == NULL && assay_node_input (context->node, 2) != ASSAY_NO_VALUE) ||
      !assay_position_is_centred (dtype, zero))
    return assay_context_say (context, ASSAY_FALSE, "zero point", "not %s",
                              dtype == ASSAY_DTYPE_U8 ? "128" : "0");

  return ASSAY_TRUE;
}

/* Scales from the shapes, so that it does not matter how the node writes them. */
static AssayTruth
eval_resize_scale (AssayContext *context, const AssayCall *call)
{
  const AssayType *in = assay_context_type (context, assay_node_input (context->node, 0));
  const AssayType *out = assay_context_type (context, assay_node_output (context->node, 0));

  assay_context_allow_range (context, call);
  if (!context->quiet)
    {
      g_string_prepend (context->allowed, "a whole factor, ");
      g_string_append (context->allowed, ", of height and width");
    }
  if (!assay_type_is_static (in) || !assay_type_is_static (out))
    return say_unknown (context, "scale");
  if (in->rank != 4 || out->rank != 4)
    return assay_context_say (context, ASSAY_FALSE, "scale", "of rank %d", in->rank);

  for (int i = 0; i < 4; i++)
    {
      gint64 from = MAX (in->dims[i].size, 1);

      if (i < 2 ? out->dims[i].size != in->dims[i].size
                : out->dims[i].size % from != 0 ||
                      !assay_call_in_range (call, out->dims[i].size / from))
        return assay_context_say (context, ASSAY_FALSE, "scale", "%g on axis %d",
                                  (double) out->dims[i].size / (double) from, i);
    }

  return ASSAY_TRUE;
}

/* The axes of an argument as a set, and in words. */
static guint64
name_axes (GString *text, const AssayArg *axes)
{
  guint64 mask = 0;

  for (guint i = 0; axes != NULL && i < axes->n; i++)
    {
      mask |= G_GUINT64_CONSTANT (1) << axes->u.ints[i];
      g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? " and " : "", axes->u.ints[i]);
    }
  if (axes != NULL)
    g_string_append (text, axes->n > 1 ? " together" : " alone");

  return mask;
}

static AssayTruth
eval_reduces (AssayContext *context, const AssayCall *call)
{
  const AssayArg *other = assay_call_arg (call, "or");
  gboolean keeps = assay_call_bool (call, "keepdims", TRUE);
  const AssayType *type = assay_context_type (context, assay_node_input (context->node, 0));
  AssayAxes axes = assay_node_axes (context->check->graph, context->node, assay_type_rank (type));
  guint64 wanted;
  guint64 second;
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_truncate (context->allowed, 0);
  wanted = name_axes (context->allowed, assay_call_arg (call, "axes"));
  if (other != NULL)
    g_string_append (context->allowed, " or ");
  second = name_axes (context->allowed, other);
  if (!axes.known)
    return say_unknown (context, "axes");

  for (int i = 0; i < type->rank; i++)
    if ((axes.mask >> i & 1) != 0)
      g_string_append_printf (text, "%s%d", text->len > 0 ? ", " : "", i);
  if (axes.mask != wanted && (other == NULL || axes.mask != second))
    return assay_context_say (context, ASSAY_FALSE, "axes", "%s",
                              text->len > 0 ? text->str : "none");

  assay_context_allow (context, "1");
  if (keeps && assay_context_attr_int (context, "keepdims") == 0)
    return assay_context_say (context, ASSAY_FALSE, "keepdims", "0");

  return ASSAY_TRUE;
}

/* Whether a permutation moves no axis but those of extent 1: the data stays where it is. */
static AssayTruth
eval_moves_units (AssayContext *context, const AssayCall *call)
{
  const AssayType *type = assay_context_type (context, assay_node_input (context->node, 0));
  int perm[ASSAY_MAX_RANK];
  int last = -1;

  assay_context_allow (context, "axes of extent 1");
  if (assay_type_rank (type) < 0 || !assay_node_get_perm (context->node, type->rank, perm))
    return assay_context_say (context, ASSAY_FALSE, "perm", "of an unknown shape");

  for (int i = 0; i < type->rank; i++)
    if (type->dims[perm[i]].size != 1)
      {
        if (perm[i] < last)
          return assay_context_say (context, ASSAY_FALSE, "perm", "moving axis %d", perm[i]);
        last = perm[i];
      }

  return ASSAY_TRUE;
}

/* Why an activation is a part of nothing: holds for no node. */
static AssayTruth
eval_no_part (AssayContext *context, const AssayCall *call)
{
  const AssayArg *ops = assay_call_arg (call, "ops");
  AssayCheck *check = context->check;
  AssayValueId value = assay_node_input (context->node, 0);
  AssayNodeId id = value != ASSAY_NO_VALUE ? assay_graph_value (check->graph, value)->producer
                                           : ASSAY_NO_NODE;
  const AssayNode *before = id != ASSAY_NO_NODE ? assay_graph_node (check->graph, id) : NULL;
  const char *fault = "it cannot be a part of this one";
  gboolean listed = FALSE;

  g_string_truncate (context->allowed, 0);
  for (guint i = 0; i < ops->n; i++)
    {
      listed = listed || (before != NULL && before->op == (AssayOp) ops->u.ints[i]);
      g_string_append_printf (context->allowed, "%s%s",
                              i == 0           ? "behind "
                              : i + 1 < ops->n ? ", "
                                               : " or ",
                              assay_op_name ((AssayOp) ops->u.ints[i]));
    }

  if (before == NULL)
    return assay_context_say (context, ASSAY_FALSE, "input 0", "behind an input");
  if (!listed)
    fault = "no activation can be a part of it";
  else if (assay_uses_is_output (check->uses, value) || assay_uses_count (check->uses, value) > 1)
    fault = "others read its result too";
  else if (check->fusion[context->node_id] != NULL)
    fault = "runs on the host";

  assay_context_rest_on (context, id, "%s", fault);
  return assay_context_say (context, ASSAY_FALSE, "input 0", "behind %s", before->op_type);
}

static AssayTruth
eval_perm_in (AssayContext *context, const AssayCall *call)
{
  const AssayArg *in = assay_call_arg (call, "in");
  const AssayType *type = assay_context_type (context, assay_node_input (context->node, 0));
  g_autoptr (GString) text = g_string_new (NULL);
  int perm[ASSAY_MAX_RANK];

  g_string_truncate (context->allowed, 0);
  for (guint i = 0; i < in->n; i++)
    g_string_append_printf (context->allowed, "%s%s", i > 0 ? " or " : "", in->u.strings[i]);
  if (assay_type_rank (type) < 0)
    return say_unknown (context, "perm");
  if (!assay_node_get_perm (context->node, type->rank, perm))
    return assay_context_say (context, ASSAY_FALSE, "perm", "no permutation");

  for (int i = 0; i < type->rank; i++)
    g_string_append_printf (text, "%s%d", i > 0 ? "," : "", perm[i]);
  for (guint i = 0; i < in->n; i++)
    if (g_str_equal (in->u.strings[i], text->str))
      return ASSAY_TRUE;

  return assay_context_say (context, ASSAY_FALSE, "perm", "%s", text->str);
}

/* C10, second half. */
static AssayTruth
eval_keeps_batch (AssayContext *context, const AssayCall *call)
{
  const AssayType *in = assay_context_type (context, assay_node_input (context->node, 0));
  const AssayType *out = assay_context_type (context, assay_node_output (context->node, 0));

  assay_context_allow (context, "the first dimension as it was");
  if (assay_type_rank (in) < 1 || assay_type_rank (out) < 1)
    return assay_type_rank (in) == 0 || assay_type_rank (out) == 0
               ? assay_context_say (context, ASSAY_FALSE, "batch", "gone, as a side is a scalar")
               : say_unknown (context, "batch");
  if (in->dims[0].size >= 0 && out->dims[0].size >= 0 ? in->dims[0].size == out->dims[0].size
                                                      : in->dims[0].symbol == out->dims[0].symbol)
    return ASSAY_TRUE;
  if (in->dims[0].size < 0 || out->dims[0].size < 0)
    return say_unknown (context, "batch");

  return assay_context_say (context, ASSAY_FALSE, "batch",
                            "changed from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
                            in->dims[0].size, out->dims[0].size);
}

/* C7: channels times the square of the block size. */
static AssayTruth
eval_block_channels (AssayContext *context, const AssayCall *call)
{
  gint64 block = assay_context_attr_int (context, "blocksize");
  gint64 channels = assay_dpu_channels (context->check, context->node,
                                        context->node->op == ASSAY_OP_DepthToSpace);

  assay_context_allow_range (context, call);
  if (channels < 0)
    return say_unknown (context, "blocksize^2 * channels");
  if (block >= 1 && block < 32768 && channels <= G_MAXINT32 &&
      assay_call_in_range (call, block * block * channels))
    return ASSAY_TRUE;

  return assay_context_say (context, ASSAY_FALSE, "blocksize^2 * channels",
                            "%" G_GINT64_FORMAT "^2 * %" G_GINT64_FORMAT, block, channels);
}

/* C8: steps of a Slice in batch and channel. */
static AssayTruth
eval_slice_steps (AssayContext *context, const AssayCall *call)
{
  gsize n_axes;
  gsize n_steps;
  g_autofree gint64 *axes = assay_node_dup_ints (context->check->graph, context->node, "axes", 3,
                                                 &n_axes);
  g_autofree gint64 *steps = assay_value_dup_ints (context->check->graph,
                                                   assay_node_input (context->node, 4), &n_steps);
  int rank = assay_type_rank (assay_context_type (context, assay_node_input (context->node, 0)));

  assay_context_allow (context, "1 in batch and channel");
  if (assay_node_input (context->node, 4) == ASSAY_NO_VALUE)
    return ASSAY_TRUE;
  if (steps == NULL || rank < 0)
    return say_unknown (context, "step");

  for (gsize i = 0; i < n_steps; i++)
    {
      int axis = (int) i;

      if (i < n_axes && !assay_axes_normalize (axes[i], rank, &axis))
        continue;
      if (axis < 2 && steps[i] != 1)
        return assay_context_say (context, ASSAY_FALSE, "step", "%" G_GINT64_FORMAT " on axis %d",
                                  steps[i], axis);
    }

  return ASSAY_TRUE;
}

/* What most of them say. */
#define SENTENCE "{attribute} is {actual}, not {allowed}"

const AssayPredicate assay_dpu_predicates[] = {
  { "engine_kernel",
    "every extent of the kernel is in range",
    SENTENCE,
    eval_kernel,
    { ASSAY_RANGE_ARGS } },
  { "engine_stride",
    "every stride is in range, or the kernel covers the whole input (C5)",
    SENTENCE,
    eval_stride,
    { ASSAY_RANGE_ARGS } },
  { "pads_fit",
    "no padding is negative or more than the kernel reaches (C3)",
    SENTENCE,
    eval_pads_fit,
    { { "begin", ASSAY_ARG_INT, FALSE, "most in front" },
      { "end", ASSAY_ARG_INT, FALSE, "most behind" } } },
  { "joins_pad",
    "the Pad in front can be a part of the window: of height and width alone, not negative, and no "
    "more in all than the kernel reaches (C3)",
    SENTENCE,
    eval_joins_pad,
    { { NULL } } },
  { "engine_channels",
    "the number of channels is in range",
    "There are {actual} {attribute}, not {allowed}",
    eval_channels,
    { { "of", ASSAY_ARG_STRING, FALSE, "`input`, unless given, or `output`" }, ASSAY_RANGE_ARGS } },
  { "dilated_channels",
    "dilation times input channels is in range (C1)",
    SENTENCE,
    eval_dilated_channels,
    { ASSAY_RANGE_ARGS } },
  { "weights_fit",
    "the weights of one group of output channels fit the banks (C2)",
    SENTENCE,
    eval_weights_fit,
    { { "parallel", ASSAY_ARG_INT, TRUE, "channels that are read at once" },
      { "depth", ASSAY_ARG_INT, TRUE, "entries of a bank" },
      { "depthwise", ASSAY_ARG_BOOL, FALSE,
        "true: each output channel reads one input channel" } } },
  { "transposed_kernel",
    "kernel divided by stride, rounded down and up, is in range (C4)",
    SENTENCE,
    eval_transposed_kernel,
    { ASSAY_RANGE_ARGS } },
  { "transposed_extent",
    "no output of a transposed convolution lies beyond what the window reaches",
    SENTENCE,
    eval_transposed_extent,
    { { NULL } } },
  { "engine_groups",
    "a convolution has one group, or one per input channel",
    SENTENCE,
    eval_groups,
    { { "are", ASSAY_ARG_STRING, TRUE, "`one` or `depthwise`" } } },
  { "equal_shapes",
    "all inputs have the same shape",
    "The inputs {actual}",
    eval_same_shape,
    { { NULL } } },
  { "per_channel",
    "one operand is a constant with one element or one per channel (C9)",
    SENTENCE,
    eval_per_channel,
    { { "max_rank", ASSAY_ARG_INT, FALSE, "greatest rank of the result, 4 unless given" } } },
  { "shared_weight",
    "the constant side of a product is one matrix for the whole batch",
    SENTENCE,
    eval_shared_weight,
    { { NULL } } },
  { "power_of_two_scale",
    "a quantisation that is taken in: i8 with zero point 0 or u8 with 128, scale a power of two",
    SENTENCE,
    eval_power_of_two_scale,
    { { NULL } } },
  { "resize_scale",
    "height and width grow by a factor in range, nothing else does",
    SENTENCE,
    eval_resize_scale,
    { ASSAY_RANGE_ARGS } },
  { "reduces_exactly",
    "a reduction is over exactly these axes and keeps them",
    "The reduction has {attribute} {actual}, not {allowed}",
    eval_reduces,
    { { "axes", ASSAY_ARG_INTS, TRUE, "the axes" },
      { "or", ASSAY_ARG_INTS, FALSE, "other axes that are taken as well" },
      { "keepdims", ASSAY_ARG_BOOL, FALSE, "false: it may drop them" } } },
  { "perm_in",
    "a permutation is one of a list",
    SENTENCE,
    eval_perm_in,
    { { "in", ASSAY_ARG_STRINGS, TRUE, "permutations such as `0,2,3,1`" } } },
  { "moves_units",
    "a permutation moves no axis but those of extent 1",
    SENTENCE,
    eval_moves_units,
    { { NULL } } },
  { "no_part",
    "holds for no node; says why an activation is a part of none of these operators",
    "The activation stands {actual}, not {allowed}",
    eval_no_part,
    { { "ops", ASSAY_ARG_OPS, TRUE, "what takes activations in" } } },
  { "keeps_batch",
    "the first dimension of the result is that of the input (C10)",
    "The batch is {actual}",
    eval_keeps_batch,
    { { NULL } } },
  { "block_channels",
    "the square of the block size times the channels is in range (C7)",
    SENTENCE,
    eval_block_channels,
    { ASSAY_RANGE_ARGS } },
  { "slice_steps",
    "a Slice has step 1 in batch and channel (C8)",
    SENTENCE,
    eval_slice_steps,
    { { NULL } } },
  { NULL }
};
