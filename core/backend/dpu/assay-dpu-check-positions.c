/* assay-dpu-check-positions.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the positions of a quantised model ask of the device: the shifts of each operation, and
 * whether it has them.
 */
#include <string.h>

#include "backend/dpu/assay-dpu-check.h"
#include "quantize/assay-quantize.h"
#include "quantize/assay-shift-limits.h"

#define NOWHERE G_MAXINT

/* What a QuantizeLinear or DequantizeLinear says. */
static int
read_position (AssayCheck *self, const AssayNode *node)
{
  AssayTensor *scale = assay_graph_constant (self->graph, assay_node_input (node, 1));
  double number;
  int position;

  return scale != NULL && assay_tensor_get_n_elements (scale) == 1 &&
                 assay_tensor_get_element (scale, 0, &number, NULL) &&
                 assay_position_of_scale (number, &position)
             ? position
             : NOWHERE;
}

/* The position of what a node reads, through what only moves it. */
static int
position_in (AssayCheck *self, AssayValueId value)
{
  while (value != ASSAY_NO_VALUE)
    {
      AssayNodeId id = assay_graph_value (self->graph, value)->producer;
      const AssayNode *node = id != ASSAY_NO_NODE ? assay_graph_node (self->graph, id) : NULL;

      if (node != NULL && node->op == ASSAY_OP_DequantizeLinear)
        return read_position (self, node);
      if (node == NULL || (!assay_quantize_moves (node->op) && node->op != ASSAY_OP_Pad))
        return NOWHERE;
      value = assay_node_input (node, 0);
    }

  return NOWHERE;
}

/* The position that its result gets, behind what is one operation with it. */
static int
position_out (AssayCheck *self, AssayNodeId id)
{
  AssayNodeId group = id;

  for (guint hops = 0; hops < 4; hops++)
    {
      guint n;
      const AssayNodeId *readers = assay_uses_get (
          self->uses, assay_node_output (assay_graph_node (self->graph, id), 0), &n);

      for (guint i = 0; i < n; i++)
        if (assay_graph_node (self->graph, readers[i])->op == ASSAY_OP_QuantizeLinear)
          return read_position (self, assay_graph_node (self->graph, readers[i]));
      if (n != 1 || g_array_index (self->result->verdicts, AssayVerdict, readers[0]).into != group)
        return NOWHERE;
      id = readers[0];
    }

  return NOWHERE;
}

static void
add_shift (GString *text, const char *what, int shift, AssayShiftRange range)
{
  gboolean has = shift >= range.least && shift <= range.most;

  g_string_append_printf (text,
                          has ? "; %s shifted by %d (%d to %d)"
                              : "; %s shifted by %d, and the device has %d to %d alone",
                          what, shift, range.least, range.most);
}

static void
add_bound (GString *text, gboolean holds, const char *rule)
{
  if (!holds)
    g_string_append_printf (text, "; %s", rule);
}

/* The constant of a sum behind a convolution is its bias. */
static int
find_bias (AssayCheck *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->graph, id);
  int position = position_in (self, assay_node_input (node, 2));
  const AssayNodeId *readers;
  const AssayNode *sum;
  guint n;

  readers = assay_uses_get (self->uses, assay_node_output (node, 0), &n);
  if (position != NOWHERE || n != 1)
    return position;
  sum = assay_graph_node (self->graph, readers[0]);
  if (sum->op != ASSAY_OP_Add ||
      g_array_index (self->result->verdicts, AssayVerdict, readers[0]).into != id)
    return NOWHERE;

  return position_in (self, sum->inputs[sum->inputs[0] == node->outputs[0] ? 1 : 0]);
}

static void
say_product (AssayCheck *self, AssayNodeId id, GString *text, int out)
{
  const AssayNode *node = assay_graph_node (self->graph, id);
  AssayNodeId maker = assay_graph_value (self->graph, node->inputs[0])->producer;
  gboolean left = maker != ASSAY_NO_NODE &&
                  assay_graph_constant (
                      self->graph, assay_node_input (assay_graph_node (self->graph, maker), 0)) !=
                      NULL;
  int x = position_in (self, node->inputs[left ? 1 : 0]);
  int w = position_in (self, node->inputs[left ? 0 : 1]);
  int b = find_bias (self, id);

  if (x == NOWHERE || w == NOWHERE)
    return;
  g_string_printf (text, "input %d, weights %d, ", x, w);
  if (b != NOWHERE)
    g_string_append_printf (text, "bias %d, ", b);
  g_string_append_printf (text, "result %d", out);
  add_shift (text, "sum", x + w - out, assay_shift_limits_cut ());
  if (b != NOWHERE)
    add_shift (text, "bias", x + w - b, assay_shift_limits_bias (x + w - out));
}

static void
say_elements (AssayCheck *self, AssayNodeId id, GString *text, int out)
{
  const AssayNode *node = assay_graph_node (self->graph, id);
  int least = NOWHERE, most = -NOWHERE;

  for (guint i = 0; i < node->n_inputs; i++)
    {
      int position = position_in (self, node->inputs[i]);

      if (position == NOWHERE)
        {
          if (node->op == ASSAY_OP_Add || node->op == ASSAY_OP_Mul || node->op == ASSAY_OP_Concat)
            g_string_truncate (text, 0);
          if (i == 0)
            return;
          continue;
        }
      g_string_append_printf (text, "%s %d", text->len == 0 ? "input" : " and", position);
      least = MIN (least, position);
      most = MAX (most, position);
    }
  if (text->len == 0)
    return;
  g_string_append_printf (text, ", result %d", out);

  switch (node->op)
    {
    case ASSAY_OP_Add:
      add_shift (text, "operands", most - least, assay_shift_limits_read ());
      add_shift (text, "sum", least - out, assay_shift_limits_write ());
      break;
    case ASSAY_OP_HardSigmoid:
      add_bound (text, least >= 0 && out >= 7,
                 "the device has 0 or more for the input and 7 or more for the result");
      break;
    case ASSAY_OP_HardSwish:
      add_bound (text, least >= 0 && out <= least + 7,
                 "the device has 0 or more for the input and at most 7 beyond it for the result");
      break;
    case ASSAY_OP_MaxPool:
    case ASSAY_OP_AveragePool:
    case ASSAY_OP_GlobalAveragePool:
    case ASSAY_OP_GlobalMaxPool:
    case ASSAY_OP_ReduceMean:
    case ASSAY_OP_ReduceMax:
    case ASSAY_OP_Resize:
    case ASSAY_OP_Upsample:
    case ASSAY_OP_Concat:
      add_bound (text, least == out && most == out,
                 "the device has one position for all that goes in and the result");
      break;
    default:
      break;
    }
}

/**
 * assay_dpu_check_positions:
 * @self: the check
 * @id: a node that an engine takes
 *
 * Tells the positions of a node in a quantised model and the shifts that they ask for; one that the
 * device does not have is a note.
 */
void
assay_dpu_check_positions (AssayCheck *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->graph, id);
  AssayVerdict *verdict = &g_array_index (self->result->verdicts, AssayVerdict, id);
  int out = node->n_inputs > 0 && node->n_outputs > 0 ? position_out (self, id) : NOWHERE;
  g_autoptr (GString) text = g_string_new (NULL);

  if (out == NOWHERE)
    return;
  if (node->op == ASSAY_OP_Conv || node->op == ASSAY_OP_ConvTranspose ||
      node->op == ASSAY_OP_Gemm || node->op == ASSAY_OP_MatMul)
    say_product (self, id, text, out);
  else
    say_elements (self, id, text, out);
  if (text->len > 0)
    verdict->positions = assay_arena_intern (self->arena, text->str);
  if (text->len > 0 && strstr (text->str, "the device has") != NULL)
    assay_check_add_note (self, verdict, ASSAY_STAGE_COMPILE, text->str);
}
