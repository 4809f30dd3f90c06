/* assay-dpu-lower-product.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions and products: sums of products with a bias, shifted to the position of the result.
 */
#include <string.h>

#include "backend/dpu/assay-dpu-lower-private.h"
#include "base/assay-sentence.h"
#include "nnir/assay-dims.h"
#include "nnir/assay-node-product.h"
#include "nnir/assay-node-window.h"
#include "quantize/assay-shift-limits.h"

/**
 * assay_dpu_lower_cap:
 * @self: a graph on its way
 * @position: of a result
 *
 * Finds what ReLU6 leaves at most: six, or 96 at all positions up to 4 as the reference has it.
 *
 * Returns: the most, in 8 bits
 */
int
assay_dpu_lower_cap (const AssayDpuLowering *self, int position)
{
  if (position > 4)
    return 127;
  if (!self->code->options.exact_relu6)
    return 96;

  return position >= 0 ? 6 << position : position == -1 ? 3 : position == -2 ? 1 : 0;
}

/**
 * assay_dpu_lower_slopes:
 * @self: a graph on its way
 * @op: an operation that has as many output channels as it gets slopes
 * @node: a PRelu
 *
 * Reads the slopes of a PRelu.
 *
 * Returns: whether there is one per channel, or one for all
 */
gboolean
assay_dpu_lower_slopes (AssayDpuLowering *self, AssayDpuOp *op, const AssayNode *node)
{
  g_auto (AssayDpuNumbers) slopes = { 0 };
  guint n = op->window.oc;

  if (!assay_dpu_lower_numbers (self, node->inputs[1], &slopes))
    return FALSE;
  if (slopes.n != 1 && slopes.n != n)
    return assay_dpu_lower_refuse (self, "its slopes are not one per channel");
  op->slopes = g_new (gint8, n);
  for (guint i = 0; i < n; i++)
    op->slopes[i] = slopes.bits[slopes.n == 1 ? 0 : i];
  op->finish.slopes = op->slopes;
  op->finish.slope_shift = slopes.position;

  return TRUE;
}

/* What the engine does with a sum. */
static gboolean
set_activation (AssayDpuLowering *self, AssayDpuOp *op, AssayNodeId id, int position)
{
  const AssayNode *node = id != ASSAY_NO_NODE ? assay_graph_node (self->graph, id) : NULL;

  op->finish.cap = assay_dpu_lower_cap (self, position);
  if (node == NULL)
    return TRUE;

  switch (node->op)
    {
    case ASSAY_OP_Relu:
      op->finish.activation = ASSAY_DPU_RELU;
      return TRUE;
    case ASSAY_OP_Clip:
      op->finish.activation = ASSAY_DPU_RELU6;
      return TRUE;
    case ASSAY_OP_LeakyRelu:
      op->finish.activation = ASSAY_DPU_LEAKY;
      op->slope = assay_node_get_float (node, "alpha");
      return TRUE;
    default:
      op->finish.activation = ASSAY_DPU_PRELU;
      return assay_dpu_lower_slopes (self, op, node);
    }
}

/* The reference adds twice the bias, shifted to the position of the sum, with what does not fit cut
 * off; later versions keep all of it. */
static gboolean
set_bias (AssayDpuLowering *self, AssayDpuOp *op, AssayValueId value, int product)
{
  g_auto (AssayDpuNumbers) bias = { 0 };
  guint n = op->window.oc;
  int shift;

  op->bias = g_new0 (gint64, n);
  op->finish.bias = op->bias;
  if (value == ASSAY_NO_VALUE)
    return TRUE;
  if (!assay_dpu_lower_numbers (self, value, &bias))
    return FALSE;
  if (bias.n != 1 && bias.n != n)
    return assay_dpu_lower_refuse (self, "its bias is not one per channel");

  shift = product - bias.position + 1;
  op->positions[1] = bias.position;
  if (shift < 0 && self->code->options.exact_bias)
    {
      op->finish.up = MIN (-shift, 30);
      op->finish.shift += op->finish.up;
      shift += op->finish.up;
    }
  op->bias_bits = g_new (gint8, n);
  for (guint i = 0; i < n; i++)
    {
      op->bias_bits[i] = bias.bits[bias.n == 1 ? 0 : i];
      op->bias[i] = shift >= 0 ? (gint64) op->bias_bits[i] * ((gint64) 1 << MIN (shift, 40))
                               : assay_dpu_floor (op->bias_bits[i], -shift);
    }

  return TRUE;
}

static gboolean
finish_product (AssayDpuLowering *self, AssayDpuOp *op, const AssayDpuChain *chain,
                AssayValueId bias, int x, int w, gsize k)
{
  AssayShiftRange cut = assay_shift_limits_cut ();
  int shift = x + w - chain->position;
  gint64 largest = 0;

  op->positions[0] = w;
  op->finish.shift = shift + 1;
  if (shift < cut.least || shift > cut.most)
    assay_findings_add (self->findings, ASSAY_SEVERITY_WARNING, "dpu.shift", NULL,
                        assay_graph_node (self->graph, self->node)->name, NULL, -1,
                        "positions %d, %d and %d ask for a shift of %d; the device has %d to %d", x,
                        w, chain->position, shift, cut.least, cut.most);
  if ((chain->bias != ASSAY_NO_VALUE && bias != ASSAY_NO_VALUE) ||
      !set_bias (self, op, bias != ASSAY_NO_VALUE ? bias : chain->bias, x + w) ||
      !set_activation (self, op, chain->activation, chain->position))
    return self->reason->len == 0 ? assay_dpu_lower_refuse (self, "it has two biases") : FALSE;

  for (guint i = 0; i < op->window.oc; i++)
    largest = MAX (largest, ABS (op->bias[i]));
  op->finish.narrow = k < 32768 && largest < (gint64) 1 << 29 && shift < 28;

  return TRUE;
}

static void
set_window (AssayDpuOp *op, const AssayNodeWindow *window, const AssayDpuMap *in,
            const AssayDpuMap *out)
{
  op->window = (AssayDpuWindow){
    .n = (guint) in->dims[0],
    .h = (guint) in->dims[2],
    .w = (guint) in->dims[3],
    .c = (guint) in->dims[1],
    .oh = (guint) out->dims[2],
    .ow = (guint) out->dims[3],
    .oc = (guint) out->dims[1],
    .kh = (guint) window->kernel[0],
    .kw = (guint) window->kernel[1],
    .sh = (guint) window->stride[0],
    .sw = (guint) window->stride[1],
    .dh = (guint) window->dilation[0],
    .dw = (guint) window->dilation[1],
    .top = (int) window->before[0],
    .left = (int) window->before[1],
  };
}

/**
 * assay_dpu_lower_window:
 * @self: a graph on its way
 * @node: a convolution or a pool
 * @window: (out): its window
 *
 * Reads how a node walks over height and width; what walks over one has a height of one.
 *
 * Returns: whether it does, by numbers that the device could have
 */
gboolean
assay_dpu_lower_window (AssayDpuLowering *self, const AssayNode *node, AssayNodeWindow *window)
{
  if (!assay_node_get_window (self->graph, node, window) || window->n < 1 || window->n > 2)
    return FALSE;
  if (window->n == 1)
    {
      window->n = 2;
      window->kernel[1] = window->kernel[0];
      window->stride[1] = window->stride[0];
      window->dilation[1] = window->dilation[0];
      window->before[1] = window->before[0];
      window->kernel[0] = window->stride[0] = window->dilation[0] = 1;
      window->before[0] = 0;
    }
  for (guint i = 0; i < 2; i++)
    if (window->kernel[i] < 1 || window->kernel[i] > 4096 || window->stride[i] < 1 ||
        window->stride[i] > 4096 || window->dilation[i] < 1 || window->dilation[i] > 4096 ||
        ABS (window->before[i]) > 8192)
      return FALSE;

  return TRUE;
}

/* A transposed convolution is one over its input with zeros between, in front and behind. */
static int
spread (AssayDpuLowering *self, const AssayNodeWindow *window, int map, const AssayDpuMap *out)
{
  const AssayDpuMap *in = assay_dpu_code_map (self->code, map);
  gint64 dims[4] = { in->dims[0], in->dims[1], 0, 0 };
  gint64 first[2];
  gint32 *table;
  AssayDpuOp *op;
  gsize n;
  int made;

  for (guint i = 0; i < 2; i++)
    {
      gint64 reach = (window->kernel[i] - 1) * window->dilation[i];

      dims[2 + i] = out->dims[2 + i] + reach;
      first[i] = reach - window->before[i];
    }
  if (dims[2] < 1 || dims[3] < 1 || dims[2] > 16384 || dims[3] > 16384)
    return ASSAY_DPU_NO_MAP;

  made = assay_dpu_lower_new_map (self, ASSAY_NO_VALUE, in->position, 4, dims, TRUE);
  in = assay_dpu_code_map (self->code, map);
  n = assay_dpu_code_map (self->code, made)->n;
  table = g_new (gint32, n);
  for (gsize i = 0; i < n; i++)
    {
      gint64 c = (gint64) i % dims[1], x = (gint64) i / dims[1] % dims[3];
      gint64 y = (gint64) i / dims[1] / dims[3] % dims[2];
      gint64 image = (gint64) i / dims[1] / dims[3] / dims[2];
      gint64 iy = y - first[0], ix = x - first[1];

      table[i] = -1;
      if (iy >= 0 && ix >= 0 && iy % window->stride[0] == 0 && ix % window->stride[1] == 0 &&
          iy / window->stride[0] < in->dims[2] && ix / window->stride[1] < in->dims[3])
        table[i] = (gint32) (((image * in->dims[2] + iy / window->stride[0]) * in->dims[3] +
                              ix / window->stride[1]) *
                                 dims[1] +
                             c);
    }
  op = assay_dpu_lower_op (self, ASSAY_DPU_MOVE, 1, &map, made);
  op->table = table;
  op->shifts = g_new0 (int, 1);
  op->begins = g_new0 (guint32, 1);

  return made;
}

/* Weights of a convolution as kernels read them, output by output with channels last, or tap by tap
 * where each channel is for itself; those of a transposed one turned around. */
static void
set_weights (AssayDpuOp *op, const AssayDpuNumbers *weights, gboolean transposed)
{
  gsize kh = op->window.kh, kw = op->window.kw, oc = op->window.oc, ic = op->window.c;
  gboolean depthwise = op->kind == ASSAY_DPU_DEPTHWISE;
  gsize depth = depthwise ? 1 : ic;

  op->n_weights = weights->n;
  op->weights = g_malloc (weights->n);
  for (gsize o = 0; o < oc; o++)
    for (gsize c = 0; c < depth; c++)
      for (gsize y = 0; y < kh; y++)
        for (gsize x = 0; x < kw; x++)
          {
            gsize at = transposed ? (kh - 1 - y) * kw + kw - 1 - x : y * kw + x;
            gsize from = !transposed ? o * depth + c : depthwise ? o : c * oc + o;
            gsize to = depthwise ? (y * kw + x) * oc + o : ((o * kh + y) * kw + x) * ic + c;

            op->weights[to] = weights->bits[from * kh * kw + at];
          }
}

/* What a convolution reads: a map of three dimensions gets a height of one. */
static int
give_height (AssayDpuLowering *self, int map)
{
  static const int axes[] = { 0, 1, -1, 2 };
  const AssayDpuMap *info = assay_dpu_code_map (self->code, map);
  const gint64 dims[] = { info->dims[0], info->dims[1], 1, info->dims[2] };

  return info->rank == 3 ? assay_dpu_lower_put (self, map, 4, dims, axes, TRUE) : map;
}

/* What it makes: such a map has its height until assay_dpu_lower_conv() takes it away. */
static int
new_result (AssayDpuLowering *self, const AssayDpuChain *chain)
{
  const AssayType *type = assay_graph_value (self->graph, chain->end)->type;
  gint64 dims[4] = { 0, 0, 1, 0 };

  if (type->rank != 3)
    return assay_dpu_lower_result (self, chain->end, chain->position);
  dims[0] = type->dims[0].size;
  dims[1] = type->dims[1].size;
  dims[3] = type->dims[2].size;

  return assay_dpu_lower_new_map (self, ASSAY_NO_VALUE, chain->position, 4, dims, TRUE);
}

static int
take_height (AssayDpuLowering *self, const AssayDpuChain *chain, int map)
{
  static const int axes[] = { 0, 1, 3 };
  const AssayDpuMap *info = assay_dpu_code_map (self->code, map);
  const gint64 dims[] = { info->dims[0], info->dims[1], info->dims[3] };

  if (info->value != ASSAY_NO_VALUE)
    return map;
  map = assay_dpu_lower_put (self, map, 3, dims, axes, FALSE);
  assay_dpu_code_map (self->code, map)->value = chain->end;

  return map;
}

/**
 * assay_dpu_lower_conv:
 * @self: a graph on its way
 * @node: a convolution
 *
 * Lowers a convolution, transposed or not.
 *
 * Returns: whether the device can do it
 */
gboolean
assay_dpu_lower_conv (AssayDpuLowering *self, const AssayNode *node)
{
  g_auto (AssayDpuNumbers) weights = { 0 };
  gboolean transposed = node->op == ASSAY_OP_ConvTranspose;
  AssayNodeWindow window;
  AssayDpuChain chain;
  AssayDpuOp made = { 0 };
  AssayDpuOp *op;
  int in = assay_dpu_lower_input (self, node->inputs[0]);
  int out, from;
  gint64 group = assay_node_get_int (node, "group");

  if (in == ASSAY_DPU_NO_MAP || !assay_dpu_lower_chain (self, node, &chain) ||
      !assay_dpu_lower_numbers (self, assay_node_input (node, 1), &weights))
    return FALSE;
  if (assay_dpu_code_map (self->code, in)->rank != weights.rank ||
      (weights.rank != 4 && weights.rank != 3) || !assay_dpu_lower_window (self, node, &window))
    return assay_dpu_lower_refuse (self, "it has %u dimension%s, and the machine has four",
                                   assay_dpu_code_map (self->code, in)->rank,
                                   assay_plural (assay_dpu_code_map (self->code, in)->rank));

  from = give_height (self, in);
  out = new_result (self, &chain);
  if (assay_dpu_code_map (self->code, out)->rank != 4)
    return assay_dpu_lower_refuse (self, "its result has another shape");
  if (transposed)
    from = spread (self, &window, from, assay_dpu_code_map (self->code, out));
  if (transposed)
    for (guint i = 0; i < 2; i++)
      window.stride[i] = 1, window.before[i] = 0;
  if (from == ASSAY_DPU_NO_MAP)
    return assay_dpu_lower_refuse (self, "its result is too large");
  set_window (&made, &window, assay_dpu_code_map (self->code, from),
              assay_dpu_code_map (self->code, out));
  if (assay_dpu_code_map (self->code, out)->dims[0] != made.window.n)
    return assay_dpu_lower_refuse (self, "its result has another shape");
  if (group != 1 && (group != made.window.c || made.window.oc % made.window.c != 0))
    return assay_dpu_lower_refuse (self, "it has %d groups", (int) group);
  made.kind = group == 1 ? ASSAY_DPU_CONV : ASSAY_DPU_DEPTHWISE;
  if (weights.n !=
      (gsize) made.window.oc * (group == 1 ? made.window.c : 1) * made.window.kh * made.window.kw)
    return assay_dpu_lower_refuse (self, "its weights have another shape");

  op = assay_dpu_lower_op (self, made.kind, 1, &from, out);
  op->window = made.window;
  set_weights (op, &weights, transposed);
  if (!finish_product (self, op, &chain, assay_node_input (node, 2),
                       assay_dpu_code_map (self->code, in)->position, weights.position,
                       weights.n / made.window.oc))
    return FALSE;
  assay_dpu_lower_take (self, self->node, &chain, take_height (self, &chain, out));

  return TRUE;
}

/* A map with its last two axes exchanged, or the same one brought into the order of the graph. */
static int
order_rows (AssayDpuLowering *self, int map, gboolean exchanged, gboolean last)
{
  const AssayDpuMap *info = assay_dpu_code_map (self->code, map);
  guint rank = info->rank;
  gint64 dims[ASSAY_DPU_MAX_RANK];
  int axes[ASSAY_DPU_MAX_RANK];

  if (!exchanged && info->last == last)
    return map;
  for (guint i = 0; i < rank; i++)
    axes[i] = (int) i;
  if (exchanged)
    {
      axes[rank - 1] = (int) rank - 2;
      axes[rank - 2] = (int) rank - 1;
    }
  for (guint i = 0; i < rank; i++)
    dims[i] = info->dims[axes[i]];

  return assay_dpu_lower_put (self, map, rank, dims, axes, last);
}

/* Which factor of a product is the constant one. */
static guint
weight_side (AssayDpuLowering *self, const AssayNode *node, const AssayNodeProduct *product)
{
  AssayValueId left = node->inputs[product->inputs[0]];
  AssayNodeId id = assay_graph_value (self->graph, left)->producer;
  const AssayNode *maker = id != ASSAY_NO_NODE ? assay_graph_node (self->graph, id) : NULL;

  return maker != NULL && maker->op == ASSAY_OP_DequantizeLinear &&
                 assay_graph_constant (self->graph, maker->inputs[0]) != NULL
             ? 0
             : 1;
}

/**
 * assay_dpu_lower_product:
 * @self: a graph on its way
 * @node: a product with a constant
 *
 * Lowers a product of matrices as a convolution of rows. Rows are what the constant side is
 * multiplied with: columns of the other side if the constant stands on the left.
 *
 * Returns: whether the device can do it
 */
gboolean
assay_dpu_lower_product (AssayDpuLowering *self, const AssayNode *node)
{
  g_auto (AssayDpuNumbers) weights = { 0 };
  AssayNodeProduct product = assay_node_get_product (node);
  guint side = weight_side (self, node, &product);
  AssayValueId bias = assay_node_input (node, 2);
  AssayDpuChain chain;
  AssayDpuOp *op;
  int in, rows, out;
  gint64 dims[ASSAY_DPU_MAX_RANK];
  guint k, n, rank;
  gboolean by_row, exchanged;
  const AssayType *type;

  if (!assay_dpu_lower_numbers (self, node->inputs[product.inputs[side]], &weights))
    return FALSE;
  if (product.alpha != 1.0 || (node->n_inputs > 2 && product.beta != 1.0))
    return assay_dpu_lower_refuse (self, "it is scaled");
  while (weights.rank > 2 && weights.dims[0] == 1)
    memmove (weights.dims, weights.dims + 1, --weights.rank * sizeof *weights.dims);
  if (weights.rank != 2)
    return assay_dpu_lower_refuse (self, "its weights are no matrix");
  in = assay_dpu_lower_input (self, node->inputs[product.inputs[1 - side]]);
  if (in == ASSAY_DPU_NO_MAP || !assay_dpu_lower_chain (self, node, &chain))
    return FALSE;

  /* Whether an output has its weights in a row of the constant. */
  by_row = (side == 0) != product.transposed[side];
  k = (guint) weights.dims[by_row ? 1 : 0];
  n = (guint) weights.dims[by_row ? 0 : 1];
  rank = assay_dpu_code_map (self->code, in)->rank;
  exchanged = rank > 1 && (side == 0) != product.transposed[1 - side];
  rows = order_rows (self, in, exchanged, FALSE);
  if (rank < 1 || assay_dpu_code_map (self->code, rows)->dims[rank - 1] != k)
    return assay_dpu_lower_refuse (self, "its sides do not fit");
  type = assay_graph_value (self->graph, chain.end)->type;
  if (type->rank != (int) rank)
    return assay_dpu_lower_refuse (self, "its result has another shape");
  if (side == 0 && bias != ASSAY_NO_VALUE)
    return assay_dpu_lower_refuse (self, "its bias is not one per channel");

  memcpy (dims, assay_dpu_code_map (self->code, rows)->dims, rank * sizeof *dims);
  dims[rank - 1] = n;
  out = assay_dpu_lower_new_map (self, chain.end, chain.position, rank, dims, FALSE);
  op = assay_dpu_lower_op (self, ASSAY_DPU_CONV, 1, &rows, out);
  op->window = (AssayDpuWindow){ .n = 1, .h = 1, .c = k, .oh = 1, .oc = n, .kh = 1, .kw = 1 };
  op->window.w = op->window.ow = (guint) (assay_dpu_code_map (self->code, in)->n / k);
  op->window.sh = op->window.sw = op->window.dh = op->window.dw = 1;
  op->n_weights = weights.n;
  op->weights = g_malloc (weights.n);
  for (gsize o = 0; o < n; o++)
    for (gsize c = 0; c < k; c++)
      op->weights[o * k + c] = weights.bits[by_row ? o * k + c : c * n + o];
  if (!finish_product (self, op, &chain, bias, assay_dpu_code_map (self->code, in)->position,
                       weights.position, k))
    return FALSE;

  out = order_rows (self, out, side == 0 && rank > 1, rank == 4);
  assay_dpu_code_map (self->code, out)->value = chain.end;
  for (guint i = 0; i < rank; i++)
    if (assay_dpu_code_map (self->code, out)->dims[i] != type->dims[i].size)
      return assay_dpu_lower_refuse (self, "its result has another shape");
  assay_dpu_lower_take (self, self->node, &chain, out);

  return TRUE;
}
