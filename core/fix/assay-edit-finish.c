/* assay-edit-finish.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What makes a graph whole again after it was changed.
 */
#include "fix/assay-edit.h"

#include "nnir/analysis/assay-analysis.h"
#include "nnir/assay-graph-builder.h"
#include "nnir/shape/assay-infer.h"

/* New nodes were added behind all others; each belongs before the node that it was made for. */
static void
place_new_nodes (AssayEdit *self)
{
  for (AssayRegionId region = 0; region < self->graph->regions->len; region++)
    {
      GArray *nodes = assay_graph_region (self->graph, region)->nodes;
      g_autoptr (GHashTable)
          queues = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
      GArray *placed = g_array_sized_new (FALSE, FALSE, sizeof (AssayNodeId), nodes->len);

      for (guint i = 0; i < nodes->len; i++)
        {
          AssayNodeId id = g_array_index (nodes, AssayNodeId, i);
          gpointer anchor;
          GArray *queue;

          if (id < self->first)
            continue;
          anchor = GUINT_TO_POINTER (g_array_index (self->anchors, AssayNodeId, id - self->first));
          queue = g_hash_table_lookup (queues, anchor);
          if (queue == NULL)
            {
              queue = g_array_new (FALSE, FALSE, sizeof (AssayNodeId));
              g_hash_table_insert (queues, anchor, queue);
            }
          g_array_append_val (queue, id);
        }

      for (guint i = 0; i < nodes->len; i++)
        {
          AssayNodeId id = g_array_index (nodes, AssayNodeId, i);
          const GArray *queue = g_hash_table_lookup (queues, GUINT_TO_POINTER (id));

          if (id >= self->first)
            continue;
          if (queue != NULL)
            g_array_append_vals (placed, queue->data, queue->len);
          g_array_append_val (placed, id);
        }

      g_array_set_size (nodes, 0);
      g_array_append_vals (nodes, placed->data, placed->len);
      g_array_unref (placed);
    }
}

/* What was moved may read what now comes later. */
static void
sort_nodes (AssayGraph *graph)
{
  static const AssayCanonicalOptions options = ASSAY_CANONICAL_OPTIONS_DEFAULT;
  AssayRewriter rewriter;

  for (AssayRegionId region = 0; region < graph->regions->len; region++)
    {
      g_autoptr (GArray) order = assay_graph_sort_region (graph, region, NULL);
      GArray *nodes = assay_graph_region (graph, region)->nodes;

      g_array_set_size (nodes, 0);
      g_array_append_vals (nodes, order->data, order->len);
    }

  /* Ids follow the order of the nodes. */
  assay_rewriter_init (&rewriter, graph, &options);
  rewriter.n_changes++;
  assay_rewriter_finish (&rewriter);
}

static const AssayPassFunc folding[] = {
  assay_pass_remove_constant,
  assay_pass_fold_constants,
  assay_pass_fold_if,
  assay_pass_remove_dead,
};
static const AssayPassFunc tidying[] = { assay_pass_remove_dead };

static gboolean
run_passes (AssayGraph *graph, const AssayPassFunc *passes, guint n_passes,
            const AssayProgress *progress, GError **error)
{
  static const AssayCanonicalOptions options = ASSAY_CANONICAL_OPTIONS_DEFAULT;
  AssayRewriter rewriter;
  gboolean done = TRUE;

  assay_rewriter_init (&rewriter, graph, &options);
  for (guint i = 0; i < n_passes && done; i++)
    done = passes[i](&rewriter, progress, error);
  assay_rewriter_finish (&rewriter);
  if (done)
    sort_nodes (graph);

  return done;
}

/* Inputs that only served what is gone. */
static void
drop_inputs (AssayGraph *graph)
{
  g_autoptr (AssayUses) uses = assay_uses_new (graph);
  GArray *inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;
  guint kept = 0;

  for (guint i = 0; i < inputs->len; i++)
    {
      AssayValueId id = g_array_index (inputs, AssayValueId, i);

      if (assay_uses_count (uses, id) == 0 && !assay_uses_is_output (uses, id))
        continue;
      assay_graph_edit_value (graph, id)->output = kept;
      g_array_index (inputs, AssayValueId, kept++) = id;
    }
  g_array_set_size (inputs, kept);
  sort_nodes (graph);
}

/**
 * assay_edit_compose:
 * @self: an edit
 * @op: a composite operation
 *
 * Puts composite operations together where the model has them in pieces, as the compiler does; each
 * takes the name of the node that made its result.
 *
 * Returns: whether there was one
 */
gboolean
assay_edit_compose (AssayEdit *self, AssayOp op)
{
  static const AssayPassFunc passes[] = { assay_pass_recognize_norm,
                                          assay_pass_recognize_activation };
  const char *const keep[] = { assay_op_name (op), NULL };
  const AssayCanonicalOptions options = { .keep = keep };
  const AssayCanonicalOptions *before = self->rewriter.options;
  guint n_changes = self->rewriter.n_changes;

  self->rewriter.options = &options;
  for (guint i = 0; i < G_N_ELEMENTS (passes); i++)
    passes[i](&self->rewriter, NULL, NULL);
  self->rewriter.options = before;
  self->begun = self->first = assay_graph_n_nodes (self->graph);
  self->changed |= self->rewriter.n_changes != n_changes;

  return self->rewriter.n_changes != n_changes;
}

/**
 * assay_edit_finish:
 * @self: an edit
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Puts the graph in order and infers the types of what is new.
 *
 * Returns: %FALSE only if cancelled
 */
gboolean
assay_edit_finish (AssayEdit *self, const AssayProgress *progress, GError **error)
{
  if (!self->changed)
    return TRUE;

  place_new_nodes (self);
  self->rewriter.n_changes++;
  assay_rewriter_finish (&self->rewriter);
  sort_nodes (self->graph);
  if (self->tidy && !run_passes (self->graph, tidying, G_N_ELEMENTS (tidying), progress, error))
    return FALSE;
  if (self->drop_inputs)
    drop_inputs (self->graph);
  if (!self->fold)
    return assay_graph_infer (self->graph, self->findings, progress, error);

  /* What a branch that goes away contradicts is nobody's concern. */
  return assay_graph_infer (self->graph, NULL, progress, error) &&
         run_passes (self->graph, folding, G_N_ELEMENTS (folding), progress, error) &&
         assay_graph_infer (self->graph, self->findings, progress, error);
}
