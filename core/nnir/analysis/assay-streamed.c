/* assay-streamed.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/analysis/assay-streamed.h"

#include <string.h>

#include "nnir/assay-axes.h"
#include "nnir/assay-graph-builder.h"
#include "nnir/assay-node-window.h"

/* The type of one timestep: the axis of the sequence is gone. */
static const AssayType *
drop_axis (AssayGraph *graph, const AssayType *type, int axis)
{
  AssayType *step;
  AssayDim *dims;

  if (axis < 0 || type->kind != ASSAY_TYPE_KIND_TENSOR || axis >= type->rank)
    return type;

  dims = assay_arena_alloc (graph->arena, MAX (type->rank, 1) * sizeof *dims);
  for (int i = 0, k = 0; i < type->rank; i++)
    if (i != axis)
      dims[k++] = type->dims[i];
  step = assay_arena_memdup (graph->arena, type, sizeof *type);
  step->rank--;
  step->dims = dims;

  return step;
}

/**
 * assay_graph_streamed:
 * @self: a canonical graph
 * @streaming: where the sequence goes in it
 *
 * Makes the graph of one timestep: the same nodes and values under the same ids, with the axis of
 * the sequence taken out of their types. Attributes stay as they are, so it is for viewers, not for
 * the compiler.
 *
 * Returns: (transfer full): the graph, of level %ASSAY_GRAPH_STREAMED
 */
AssayGraph *
assay_graph_streamed (AssayGraph *self, const AssayStreaming *streaming)
{
  AssayGraph *graph = assay_graph_copy (self);

  for (AssayValueId i = 1; i < assay_graph_n_values (graph) && i < streaming->n_values; i++)
    {
      AssayValue *value = assay_graph_edit_value (graph, i);

      value->type = drop_axis (graph, value->type, streaming->axes[i]);
    }
  graph->level = ASSAY_GRAPH_STREAMED;

  return graph;
}

/* How many earlier timesteps a node looks back to, given that it can be streamed at all. */
static guint32
count_steps (const AssayStreaming *self, const AssayGraph *graph, const AssayNode *node)
{
  AssayValueId x = assay_node_input (node, 0);
  int axis = x != ASSAY_NO_VALUE && x < self->n_values ? self->axes[x] : -1;
  AssayValueId weights = assay_node_input (node, 1);
  AssayNodeWindow window;

  switch (node->op)
    {
    case ASSAY_OP_LSTM:
    case ASSAY_OP_GRU:
    case ASSAY_OP_RNN:
      return axis == (assay_node_get_int (node, "layout") != 0 ? 1 : 0);

    case ASSAY_OP_Scan:
      return axis >= 0 || self->axes[assay_node_output (node, 0)] >= 0;

    case ASSAY_OP_Conv:
      if (axis < 2 || weights == ASSAY_NO_VALUE)
        return 0;
      if (!assay_node_get_window (graph, node, &window) || axis - 2 >= (int) window.n ||
          window.kernel[axis - 2] < 1)
        return 0;
      return (guint32) ((window.kernel[axis - 2] - 1) * window.dilation[axis - 2]);

    default:
      return 0;
    }
}

/**
 * assay_streaming_list_states:
 * @self: where a sequence goes
 * @graph: the graph it goes through
 *
 * Lists which nodes keep a state between timesteps: the window of a causal convolution, the hidden
 * state of a recurrent layer.
 *
 * Returns: (transfer full): per node how many timesteps it looks back, 0 for none
 */
guint32 *
assay_streaming_list_states (const AssayStreaming *self, const AssayGraph *graph)
{
  guint32 *states = g_new0 (guint32, assay_graph_n_nodes (graph) + 1);

  for (AssayNodeId i = 1; i < assay_graph_n_nodes (graph); i++)
    if (assay_streaming_find_refusal (self, i) == NULL)
      states[i] = count_steps (self, graph, assay_graph_node (graph, i));

  return states;
}
