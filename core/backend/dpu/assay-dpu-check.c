/* assay-dpu-check.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/dpu/assay-dpu-check.h"

#include <math.h>

#include "base/assay-sentence.h"

/* What the rules of a DPU cannot say of a node alone: a node that only moves data follows its
 * neighbours. The order is that of the vendor's inspector: first what makes the data, then what
 * reads it. */

static gboolean
is_layout (const AssayNode *node)
{
  static const AssayOp ops[] = {
    ASSAY_OP_Reshape,   ASSAY_OP_Flatten, ASSAY_OP_Squeeze, ASSAY_OP_Unsqueeze,
    ASSAY_OP_Transpose, ASSAY_OP_Concat,  ASSAY_OP_Pad,     ASSAY_OP_Slice,
  };

  for (guint i = 0; i < G_N_ELEMENTS (ops); i++)
    if (node->op == ops[i])
      return TRUE;

  return FALSE;
}

static AssayVerdict *
verdict_of (AssayCheck *self, AssayNodeId id)
{
  return &g_array_index (self->result->verdicts, AssayVerdict, id);
}

static gboolean
is_on_device (AssayCheck *self, AssayNodeId id)
{
  return verdict_of (self, id)->kind > ASSAY_VERDICT_UNDECIDED &&
         verdict_of (self, id)->kind != ASSAY_VERDICT_REMOVED;
}

static gboolean
is_on_host (AssayCheck *self, AssayNodeId id)
{
  return verdict_of (self, id)->kind <= ASSAY_VERDICT_UNDECIDED;
}

static void
move_to_host (AssayCheck *self, AssayNodeId id, const char *rule, const char *sentence,
              AssayNodeId neighbour)
{
  const AssayNode *other = assay_graph_node (self->graph, neighbour);
  AssayVerdict *verdict = verdict_of (self, id);
  AssayVerdict *earlier = assay_arena_memdup (self->arena, verdict, sizeof *verdict);

  verdict->kind = ASSAY_VERDICT_HOST;
  verdict->rule = rule;
  verdict->engine = "cpu";
  verdict->into = ASSAY_NO_NODE;
  verdict->actual = other->op_type;
  verdict->allowed = NULL;
  verdict->details = NULL;
  verdict->n_details = 0;
  verdict->earlier = earlier;
  verdict->reason = assay_check_sentence (self, sentence, assay_graph_node (self->graph, id),
                                          verdict->actual, NULL, NULL);
  assay_check_rest_on (self, verdict, neighbour, verdict_of (self, neighbour)->reason);
  assay_check_add_cause (self, verdict, NULL, sentence);
}

/* The node that makes a value, through nodes of which nothing is left. */
static AssayNodeId
real_producer (AssayCheck *self, AssayValueId value)
{
  for (guint hops = 0; value != ASSAY_NO_VALUE && hops < 1000; hops++)
    {
      AssayNodeId id = assay_graph_value (self->graph, value)->producer;

      if (assay_graph_value (self->graph, value)->constant != NULL || id == ASSAY_NO_NODE)
        return ASSAY_NO_NODE;
      if (verdict_of (self, id)->kind != ASSAY_VERDICT_REMOVED)
        return id;
      value = assay_node_input (assay_graph_node (self->graph, id), 0);
    }

  return ASSAY_NO_NODE;
}

static void
follow_producers (AssayCheck *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->graph, id);

  if (!is_layout (node) || !is_on_device (self, id))
    return;

  for (guint i = 0; i < node->n_inputs; i++)
    {
      AssayNodeId producer = real_producer (self, node->inputs[i]);

      if (producer == ASSAY_NO_NODE || !is_on_host (self, producer))
        continue;
      move_to_host (self, id, "context.producer",
                    "{op} only moves data, which {actual} makes on the host", producer);
      return;
    }
}

static void
follow_readers (AssayCheck *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->graph, id);
  AssayNodeId reader = ASSAY_NO_NODE;

  if (!is_layout (node) || !is_on_device (self, id))
    return;

  for (guint i = 0; i < node->n_outputs; i++)
    {
      guint n;
      const AssayNodeId *readers;

      if (node->outputs[i] == ASSAY_NO_VALUE)
        continue;
      if (assay_uses_is_output (self->uses, node->outputs[i]))
        return;
      readers = assay_uses_get (self->uses, node->outputs[i], &n);
      for (guint j = 0; j < n; j++)
        {
          if (!is_on_host (self, readers[j]))
            return;
          reader = readers[j];
        }
    }

  if (reader != ASSAY_NO_NODE)
    move_to_host (self, id, "context.readers",
                  "{op} only moves data, and all that reads it runs on the host", reader);
}

static gint64
config_int (AssayCheck *self, const char *name)
{
  gint64 value = 0;

  assay_target_get_config_int (self->target, name, &value);
  return value;
}

static double
lanes_used (gint64 channels, gint64 lanes)
{
  return lanes < 1 || channels < 1
             ? 1.0
             : (double) channels / (double) ((channels + lanes - 1) / lanes * lanes);
}

/* Takes a sentence. */
static void
add_figures (AssayCheck *self, AssayNodeId id, char *text)
{
  g_autofree char *figures = text;

  assay_check_add_note (self, verdict_of (self, id), ASSAY_STAGE_CAPACITY, figures);
}

/* Notes how a product fills the engine: int8 bytes, lanes in use, cycles at the peak rate. */
static void
note_capacity (AssayCheck *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->graph, id);
  AssayValueId x = assay_node_input (node, 0);
  AssayValueId y = assay_node_output (node, 0);
  gint64 group = node->op == ASSAY_OP_Conv ? MAX (assay_node_get_int (node, "group"), 1) : 1;
  gint64 ic = assay_dpu_channels (self, node, FALSE);
  gint64 oc = assay_dpu_channels (self, node, TRUE);
  gint64 lanes = config_int (self, "channel_parallel");
  gint64 out_lanes = config_int (self, "output_parallel");
  double per_output = (double) ic / (double) group;
  gsize n_in;
  gsize n_out;
  AssayNodeWindow window;

  if (x == ASSAY_NO_VALUE || y == ASSAY_NO_VALUE || ic < 1 || oc < 1 ||
      !assay_type_count (assay_graph_value (self->graph, x)->type, &n_in) ||
      !assay_type_count (assay_graph_value (self->graph, y)->type, &n_out))
    return;
  if (assay_dpu_window (self, node, &window) && node->op == ASSAY_OP_Conv)
    for (guint i = 0; i < window.n; i++)
      per_output *= (double) MAX (window.kernel[i], 1);

  add_figures (self, id,
               g_strdup_printf ("Multiply-adds: %.0f, cycles at peak: %.0f",
                                per_output * (double) n_out,
                                ceil (per_output * (double) n_out /
                                      (double) MAX (config_int (self, "peak_ops") / 2, 1))));
  add_figures (self, id,
               g_strdup_printf ("Input channels fill %.0f %% of %" G_GINT64_FORMAT
                                " lane%s, output channels %.0f %% of their %" G_GINT64_FORMAT,
                                100.0 * lanes_used (ic, lanes), lanes, assay_plural (lanes),
                                100.0 * lanes_used (oc, out_lanes), out_lanes));
  add_figures (self, id,
               g_strdup_printf ("Bytes of feature maps: %" G_GSIZE_FORMAT " in, %" G_GSIZE_FORMAT
                                " out, banks have %" G_GINT64_FORMAT " KiB",
                                n_in, n_out, config_int (self, "feature_map_kib")));
  add_figures (self, id,
               g_strdup_printf ("Bytes of weights per output group: %.0f, banks have "
                                "%" G_GINT64_FORMAT " KiB",
                                per_output * (double) MIN (oc, out_lanes),
                                config_int (self, "conv_weights_kib")));
}

/**
 * assay_dpu_check_place:
 * @self: the check
 *
 * Applies the rules about neighbours to all nodes, and notes how the device is filled.
 */
void
assay_dpu_check_place (AssayCheck *self)
{
  for (AssayRegionId region = 0; region < self->graph->regions->len; region++)
    {
      g_autoptr (GArray) order = assay_graph_sort_region (self->graph, region, NULL);

      for (guint i = 0; i < order->len; i++)
        follow_producers (self, g_array_index (order, AssayNodeId, i));
      for (guint i = order->len; i > 0; i--)
        follow_readers (self, g_array_index (order, AssayNodeId, i - 1));
    }

  for (AssayNodeId id = 1; id < self->result->verdicts->len; id++)
    {
      AssayOp op = assay_graph_node (self->graph, id)->op;

      if (is_on_device (self, id) && (op == ASSAY_OP_Conv || op == ASSAY_OP_Linear ||
                                      op == ASSAY_OP_Gemm || op == ASSAY_OP_MatMul))
        note_capacity (self, id);
      if (is_on_device (self, id))
        assay_dpu_check_positions (self, id);
    }
}
