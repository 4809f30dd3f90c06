/* assay-quantize-legal.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Positions that the device has shifts for. What is offended is moved as the vendor's tools move
 * it; each move keeps to one of the rows below, and whoever reads the result is told.
 */
#include "quantize/assay-quantize-private.h"
#include "quantize/assay-shift-limits.h"

/* Each round can offend another node; positions only get smaller where values are tied. */
#define MAX_ROUNDS 64

static gboolean
move (AssayQuantPoint *point, int position, const char *why)
{
  if (point == NULL)
    return FALSE;
  position = MAX (CLAMP (position, ASSAY_POSITION_LEAST, ASSAY_POSITION_MOST), point->floor);
  if (point->position == position)
    return FALSE;
  point->position = position;
  point->why = why;

  return TRUE;
}

/* What nothing else may move below. */
static gboolean
keep_above (AssayQuantPoint *point, int floor, const char *why)
{
  point->floor = MAX (point->floor, floor);

  return move (point, point->position, why);
}

static gboolean
is_pool (AssayOp op)
{
  return op == ASSAY_OP_MaxPool || op == ASSAY_OP_AveragePool || op == ASSAY_OP_GlobalAveragePool ||
         op == ASSAY_OP_GlobalMaxPool || op == ASSAY_OP_ReduceMean || op == ASSAY_OP_ReduceMax ||
         op == ASSAY_OP_Resize || op == ASSAY_OP_Upsample || op == ASSAY_OP_Pad;
}

static AssayQuantPoint *
input_point (AssayQuantization *self, AssayNodeId id, guint input)
{
  AssayQuantPoint *point = assay_quantization_weight (self, id, input);

  return point != NULL
             ? point
             : assay_quantization_point (self, assay_graph_node (self->graph, id)->inputs[input]);
}

/* All that goes in and what comes out at the smallest position of them. What is to have one place
 * has that of the highest floor; parts of a join may stay above it. */
static gboolean
tie (AssayQuantization *self, AssayNodeId id, guint n_inputs, gboolean as_one, const char *why)
{
  const AssayNode *node = assay_graph_node (self->graph, id);
  AssayQuantPoint *out = assay_quantization_result (self, id);
  int least = out != NULL ? out->position : ASSAY_POSITION_MOST;
  int floor = out != NULL ? out->floor : ASSAY_POSITION_LEAST;
  gboolean moved = FALSE;

  n_inputs = MIN (n_inputs, node->n_inputs);
  for (guint i = 0; i < n_inputs; i++)
    {
      const AssayQuantPoint *in = input_point (self, id, i);

      if (in != NULL)
        {
          least = MIN (least, in->position);
          floor = MAX (floor, in->floor);
        }
    }
  if (as_one && out != NULL)
    out->floor = floor;
  for (guint i = 0; i < n_inputs; i++)
    {
      AssayQuantPoint *in = input_point (self, id, i);

      if (in != NULL && as_one)
        in->floor = floor;
      moved |= move (in, least, why);
    }

  return move (out, least, why) || moved;
}

/* The two factors of a product: the weights, and the activation. */
static void
find_factors (AssayQuantization *self, AssayNodeId id, AssayQuantPoint **x, AssayQuantPoint **w)
{
  const AssayNode *node = assay_graph_node (self->graph, id);
  AssayNodeId pad;

  *x = *w = NULL;
  for (guint i = 0; i < MIN (node->n_inputs, 2); i++)
    {
      AssayQuantPoint *weight = assay_quantization_weight (self, id, i);

      if (weight != NULL)
        {
          *w = weight;
          continue;
        }
      *x = assay_quantization_point (self, node->inputs[i]);
      pad = assay_graph_value (self->graph, node->inputs[i])->producer;
      if (*x == NULL && pad != ASSAY_NO_NODE &&
          assay_graph_node (self->graph, pad)->op == ASSAY_OP_Pad)
        *x = assay_quantization_point (self, assay_graph_node (self->graph, pad)->inputs[0]);
    }
}

static gboolean
legalise_product (AssayQuantization *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->graph, id);
  AssayQuantPoint *x, *w;
  AssayQuantPoint *y = assay_quantization_result (self, id);
  AssayQuantPoint *b = assay_quantization_weight (self, id, 2);
  AssayValueId out = assay_node_output (node, 0);
  AssayShiftRange range;
  gboolean moved;
  guint n;

  find_factors (self, id, &x, &w);
  if (x == NULL || w == NULL || y == NULL)
    return FALSE;

  range = assay_shift_limits_cut ();
  moved = move (w,
                CLAMP (w->position + x->position - y->position, range.least, range.most) +
                    y->position - x->position,
                "the device shifts a sum by 0 to 16");
  if (b == NULL && assay_uses_count (self->uses, out) == 1)
    {
      AssayNodeId reader = assay_uses_get (self->uses, out, &n)[0];

      if (assay_graph_node (self->graph, reader)->op == ASSAY_OP_Add &&
          assay_verdicts_get (self->verdicts, reader)->into == id)
        for (guint i = 0; i < 2 && b == NULL; i++)
          b = assay_quantization_weight (self, reader, i);
    }
  if (b != NULL)
    {
      int product = w->position + x->position;

      range = assay_shift_limits_bias (product - y->position);
      moved |= move (b, product - CLAMP (product - b->position, range.least, range.most),
                     "the device has no such shift for a bias");
    }

  return moved;
}

static gboolean
legalise_sum (AssayQuantization *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->graph, id);
  AssayQuantPoint *y = assay_quantization_result (self, id);
  AssayShiftRange range = assay_shift_limits_read ();
  int least = ASSAY_POSITION_MOST;
  gboolean moved = FALSE;
  AssayQuantPoint *in[2] = { NULL };

  for (guint i = 0; i < MIN (node->n_inputs, 2); i++)
    {
      in[i] = input_point (self, id, i);
      if (in[i] != NULL)
        least = MIN (least, in[i]->position);
    }
  for (guint i = 0; i < 2; i++)
    if (in[i] != NULL)
      moved |= move (in[i], MIN (in[i]->position, least + range.most),
                     "the device shifts what it adds by 0 to 15");
  range = assay_shift_limits_write ();
  if (y != NULL && in[0] != NULL && in[1] != NULL)
    moved |= move (y, least - CLAMP (least - y->position, range.least, range.most),
                   "the device shifts a sum of two by -15 to 15");

  return moved;
}

static gboolean
legalise_activation (AssayQuantization *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->graph, id);
  AssayQuantPoint *x = assay_quantization_point (self, node->inputs[0]);
  AssayQuantPoint *y = assay_quantization_result (self, id);
  gboolean moved = FALSE;

  if (x == NULL || y == NULL)
    return FALSE;
  moved = keep_above (x, 0, "what goes into a hard sigmoid has no position below 0");
  if (node->op == ASSAY_OP_HardSigmoid)
    return keep_above (y, 7, "a hard sigmoid has position 7 or more") || moved;

  return move (y, MIN (y->position, x->position + 7),
               "a hard swish has at most the position of its input plus 7") ||
         moved;
}

static gboolean
legalise_node (AssayQuantization *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->graph, id);

  switch (node->op)
    {
    case ASSAY_OP_Conv:
    case ASSAY_OP_ConvTranspose:
    case ASSAY_OP_Gemm:
    case ASSAY_OP_Linear:
    case ASSAY_OP_MatMul:
      return legalise_product (self, id);
    case ASSAY_OP_Add:
      return legalise_sum (self, id);
    case ASSAY_OP_HardSigmoid:
    case ASSAY_OP_HardSwish:
      return legalise_activation (self, id);
    case ASSAY_OP_Concat:
      return tie (self, id, node->n_inputs, FALSE,
                  "parts of a join have the position of the smallest");
    default:
      return is_pool (node->op) &&
             tie (self, id, 1, TRUE, "what comes out of a pool has the position of what goes in");
    }
}

/**
 * assay_quantization_legalise:
 * @self: a graph whose points have positions
 *
 * Moves positions until the device has a shift for each.
 *
 * Returns: whether it came to an end
 */
gboolean
assay_quantization_legalise (AssayQuantization *self)
{
  for (guint round = 0; round < MAX_ROUNDS; round++)
    {
      gboolean moved = FALSE;

      for (guint i = 0; i < self->order->len; i++)
        {
          AssayNodeId id = g_array_index (self->order, AssayNodeId, i);

          if (assay_quantization_is_on_device (self, id))
            moved |= legalise_node (self, id);
        }
      if (!moved)
        return TRUE;
    }

  return FALSE;
}
