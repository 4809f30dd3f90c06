/* assay-proposals.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fix/assay-proposals.h"

#include "fix/assay-rewrite-private.h"

/* The nodes of the imported graph that a node of the compiler's graph stands for: those of its
 * origins. */
static void
add_members (AssayProposals *self, guint8 *wanted)
{
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (self->graph); id++)
    {
      const AssayNode *node = assay_graph_node (self->graph, id);
      gboolean member = FALSE;

      for (guint i = 0; i < node->n_origins; i++)
        member |= wanted[node->origins[i]];
      if (member)
        g_array_append_val (self->nodes, id);
    }
}

/**
 * assay_proposals_init:
 * @self: where to put it
 * @model: the model, checked
 * @names: (array zero-terminated=1): names of nodes of the compiler's graph, or of the imported one
 *
 * Prepares for proposing fixes for some nodes.
 */
void
assay_proposals_init (AssayProposals *self, AssayWork *model, const char *const *names)
{
  AssayGraph *graph = assay_work_get_graph (model, NULL, NULL);
  AssayVerdicts *verdicts = assay_work_get_verdicts (model, NULL, NULL);
  g_autoptr (GHashTable) set = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree guint8 *wanted = g_new0 (guint8, (gsize) graph->origins->len + 1);

  for (guint i = 0; names[i] != NULL; i++)
    g_hash_table_add (set, (gpointer) names[i]);

  *self = (AssayProposals){
    .graph = graph,
    .target = assay_work_get_target (model),
    .verdicts = verdicts,
    .settings = assay_work_get_settings (model),
  };
  self->uses = assay_uses_new (graph);
  self->seen = g_array_new (FALSE, FALSE, sizeof (AssayNodeId));
  self->nodes = g_array_new (FALSE, FALSE, sizeof (AssayNodeId));
  self->fixes = assay_fixes_new ();

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
    {
      const AssayNode *node = assay_graph_node (verdicts->graph, id);

      if (!g_hash_table_contains (set, node->name))
        continue;
      g_array_append_val (self->seen, id);
      self->kinds |= 1u << assay_verdicts_get (verdicts, id)->kind;
      for (guint i = 0; i < node->n_origins; i++)
        if (node->origins[i] < graph->origins->len)
          wanted[node->origins[i]] = 1;
    }

  if (graph->origins->len > 0)
    add_members (self, wanted);

  /* Graphs that come from text may have nodes without origins. */
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      const AssayNode *node = assay_graph_node (graph, id);

      if (node->n_origins == 0 && g_hash_table_contains (set, node->name))
        g_array_append_val (self->nodes, id);
    }
}

/**
 * assay_proposals_collect:
 * @self: where to put it
 * @model: the model, checked
 * @names: (array zero-terminated=1): names of nodes of the compiler's graph, or of the imported one
 *
 * Has every rewrite propose fixes for some nodes.
 */
void
assay_proposals_collect (AssayProposals *self, AssayWork *model, const char *const *names)
{
  const AssayRewriteRow *row;

  assay_proposals_init (self, model, names);
  for (guint i = 0; (row = assay_rewrite_list (i)) != NULL; i++)
    row->propose (self);
}

void
assay_proposals_clear (AssayProposals *self)
{
  g_clear_pointer (&self->uses, assay_uses_free);
  g_clear_pointer (&self->seen, g_array_unref);
  g_clear_pointer (&self->nodes, g_array_unref);
  g_clear_pointer (&self->fixes, g_ptr_array_unref);
}

/**
 * assay_proposals_node:
 * @self: proposals
 * @index: position among the nodes in question
 *
 * Gets one of the nodes that something is to be proposed for.
 *
 * Returns: (transfer none): the node
 */
const AssayNode *
assay_proposals_node (const AssayProposals *self, guint index)
{
  return assay_graph_node (self->graph, g_array_index (self->nodes, AssayNodeId, index));
}

/**
 * assay_proposals_add:
 * @self: proposals
 * @rewrite: id of a rewrite
 * @nodes: (nullable) (array zero-terminated=1): names of nodes
 * @arguments: (nullable) (array zero-terminated=1): `NAME=VALUE`
 *
 * Proposes a fix, once.
 */
void
assay_proposals_add (AssayProposals *self, const char *rewrite, const char *const *nodes,
                     const char *const *arguments)
{
  g_autoptr (AssayFix) fix = assay_fix_new (rewrite, nodes, arguments);

  for (guint i = 0; i < self->fixes->len; i++)
    if (assay_fix_equal (fix, g_ptr_array_index (self->fixes, i)))
      return;

  g_ptr_array_add (self->fixes, g_steal_pointer (&fix));
}
