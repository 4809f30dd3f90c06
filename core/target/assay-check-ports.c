/* assay-check-ports.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Inputs and outputs that no node stands for.
 */
#include "nnir/assay-graph-builder.h"
#include "target/assay-check-private.h"

/* A copy of the graph gets the node that would have to move the port. */
static void
add_port (AssayCheck *self, AssayValueId id, gboolean is_output, AssayVerdictKind kind,
          const char *reason)
{
  const AssayValue *value = assay_graph_value (self->graph, id);
  g_autofree char *name = g_strconcat (is_output ? "output " : "input ", value->name, NULL);
  AssayValueId moved;
  AssayCheckPort port = { .verdict = kind };

  if (self->own_graph == NULL)
    self->graph = self->own_graph = assay_graph_copy (self->graph);
  moved = assay_graph_add_value (self->graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, name,
                                 assay_graph_value (self->graph, id)->type);
  port.node = assay_graph_add_node (self->graph, ASSAY_MAIN_REGION, ASSAY_OP_Identity, name, 1, &id,
                                    1, &moved);
  port.reason = assay_arena_intern (self->graph->arena, reason);
  g_array_append_val (self->ports, port);
}

/* Gives every port that cannot be transferred a node, whose verdict says so: a verdict has to stand
 * somewhere, and what a model takes and gives without computing has no node. */
void
assay_check_add_ports (AssayCheck *self)
{
  AssayGraph *graph = self->graph;
  const AssayRegion *main = assay_graph_region (graph, ASSAY_MAIN_REGION);
  g_autoptr (AssayUses) uses = NULL;
  guint n_axes;
  gboolean streams = assay_settings_get_axes (self->settings, &n_axes) != NULL;

  self->ports = g_array_new (FALSE, FALSE, sizeof (AssayCheckPort));
  if (self->target->check_class->judge_port == NULL)
    return;

  uses = assay_uses_new (graph);
  for (guint i = 0; i < main->inputs->len + main->outputs->len; i++)
    {
      gboolean is_output = i >= main->inputs->len;
      AssayValueId id = is_output
                            ? g_array_index (main->outputs, AssayValueId, i - main->inputs->len)
                            : g_array_index (main->inputs, AssayValueId, i);
      AssayVerdictKind kind;
      g_autofree char *reason = NULL;

      if (id != ASSAY_NO_VALUE)
        reason = self->target->check_class->judge_port (graph, uses, id, is_output, streams, &kind);
      if (reason != NULL)
        add_port (self, id, is_output, kind, reason);
    }
}
