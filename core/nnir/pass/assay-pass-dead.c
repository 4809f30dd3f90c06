/* assay-pass-dead.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/pass/assay-pass.h"

static void sweep_region (AssayRewriter *self, AssayRegionId id);

static gboolean
is_dead (AssayRewriter *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->graph, id);

  /* What is wrong with a model is said even where nobody reads the result. */
  if (node->violation != NULL)
    return FALSE;

  for (guint i = 0; i < node->n_outputs; i++)
    {
      if (node->outputs[i] != ASSAY_NO_VALUE && assay_rewriter_reads (self, node->outputs[i]) > 0)
        return FALSE;
    }

  return TRUE;
}

static void
sweep_nested (AssayRewriter *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->graph, id);

  for (guint i = 0; i < node->n_attrs; i++)
    {
      const AssayAttr *attr = &node->attrs[i];

      if (attr->kind == ASSAY_ATTR_GRAPH)
        sweep_region (self, attr->u.region);
      for (guint j = 0; attr->kind == ASSAY_ATTR_GRAPHS && j < attr->n; j++)
        sweep_region (self, attr->u.regions[j]);
    }
}

/* From the end, so that a node whose readers have just gone goes too. */
static void
sweep_region (AssayRewriter *self, AssayRegionId id)
{
  for (guint i = assay_graph_region (self->graph, id)->nodes->len; i-- > 0;)
    {
      AssayNodeId node = g_array_index (assay_graph_region (self->graph, id)->nodes, AssayNodeId,
                                        i);

      if (assay_rewriter_is_removed (self, node))
        continue;
      if (is_dead (self, node))
        assay_rewriter_drop (self, node, "remove-dead");
      else
        sweep_nested (self, node);
    }
}

/**
 * assay_pass_remove_dead:
 * @rewriter: the graph and its state
 * @progress: (nullable): asked whether to go on
 * @error: return location for a #GError
 *
 * Removes nodes that no output of their region depends on.
 *
 * Returns: %FALSE if cancelled
 */
gboolean
assay_pass_remove_dead (AssayRewriter *rewriter, const AssayProgress *progress, GError **error)
{
  if (!assay_progress_check (progress, error))
    return FALSE;

  sweep_region (rewriter, ASSAY_MAIN_REGION);

  return TRUE;
}
