/* assay-rewrite-cut.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fix/assay-rewrite-private.h"
#include "nnir/assay-graph-builder.h"

static gboolean
keeps_end (const AssayFix *fix)
{
  return g_strcmp0 (assay_fix_get_argument (fix, "keep"), "end") == 0;
}

/* A cut is no repair: it is proposed for nodes that are rejected, and comes last. */
void
assay_rewrite_propose_cut (AssayProposals *proposals)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  if ((proposals->kinds & ((1u << ASSAY_VERDICT_REJECTED) | (1u << ASSAY_VERDICT_HOST))) == 0)
    return;
  for (guint i = 0; i < proposals->seen->len; i++)
    {
      const AssayNode *node = assay_graph_node (proposals->verdicts->graph,
                                                g_array_index (proposals->seen, AssayNodeId, i));

      if (node->region == ASSAY_MAIN_REGION)
        g_ptr_array_add (names, (gpointer) node->name);
    }
  if (names->len == 0)
    return;

  g_ptr_array_add (names, NULL);
  for (guint i = 0; i < 2; i++)
    {
      const char *arguments[] = { i == 0 ? "keep=begin" : "keep=end", NULL };

      assay_proposals_add (proposals, "cut", (const char *const *) names->pdata, arguments);
    }
}

char *
assay_rewrite_title_cut (const AssayFix *fix)
{
  return g_strdup (keeps_end (fix) ? "Cut here and keep what follows"
                                   : "Cut here and keep what comes before");
}

/* What a node reads becomes results of the model. */
static void
end_before (AssayEdit *edit, GArray *outputs)
{
  for (guint i = 0; i < assay_edit_node (edit)->n_inputs; i++)
    {
      AssayValueId value = assay_edit_input (edit, i);
      gboolean known = FALSE;

      if (value == ASSAY_NO_VALUE ||
          assay_graph_value (edit->graph, value)->kind != ASSAY_VALUE_RESULT ||
          assay_graph_is_constant (edit->graph, value))
        continue;
      for (guint j = 0; j < outputs->len; j++)
        known |= g_array_index (outputs, AssayValueId, j) == value;
      if (!known)
        g_array_append_val (outputs, value);
    }
}

/* What a node makes becomes inputs of the model. */
static void
begin_behind (AssayEdit *edit)
{
  for (guint i = 0; i < assay_edit_node (edit)->n_outputs; i++)
    {
      AssayValueId id = assay_node_output (assay_edit_node (edit), i), input;
      const AssayValue *value;
      g_autofree char *name = NULL;

      if (id == ASSAY_NO_VALUE || assay_rewriter_reads (&edit->rewriter, id) == 0)
        continue;
      value = assay_graph_value (edit->graph, id);
      name = g_strdup (value->name);
      input = assay_graph_add_input (edit->graph, ASSAY_MAIN_REGION, name, value->type);
      assay_rewriter_retain (&edit->rewriter, input);
      assay_rewriter_release (&edit->rewriter, input);
      assay_rewriter_replace (&edit->rewriter, id, input);
    }
}

/* Values that depend on a cut node cannot be results any more. */
static void
keep_outputs (AssayEdit *edit, const guint8 *lost, GArray *outputs)
{
  GArray *old = assay_graph_region (edit->graph, ASSAY_MAIN_REGION)->outputs;
  guint n = 0;

  for (guint i = 0; i < old->len; i++)
    {
      AssayValueId id = g_array_index (old, AssayValueId, i);
      AssayNodeId producer = assay_graph_value (edit->graph, id)->producer;
      gboolean known = FALSE;

      for (guint j = 0; j < outputs->len; j++)
        known |= g_array_index (outputs, AssayValueId, j) == id;
      if (!known && !lost[producer])
        g_array_insert_val (outputs, n, id), n++;
    }
  for (guint i = 0; i < old->len; i++)
    assay_rewriter_release (&edit->rewriter, g_array_index (old, AssayValueId, i));
  g_array_set_size (old, 0);
  g_array_append_vals (old, outputs->data, outputs->len);
  for (guint i = 0; i < old->len; i++)
    assay_rewriter_retain (&edit->rewriter, g_array_index (old, AssayValueId, i));
}

/* Marks all that depends on the marked nodes. */
static void
spread (const AssayGraph *graph, guint8 *lost)
{
  const GArray *nodes = assay_graph_region (graph, ASSAY_MAIN_REGION)->nodes;

  for (guint i = 0; i < nodes->len; i++)
    {
      AssayNodeId id = g_array_index (nodes, AssayNodeId, i);
      const AssayNode *node = assay_graph_node (graph, id);

      for (guint j = 0; j < node->n_inputs && !lost[id]; j++)
        lost[id] = node->inputs[j] != ASSAY_NO_VALUE &&
                   lost[assay_graph_value (graph, node->inputs[j])->producer];
    }
}

gboolean
assay_rewrite_apply_cut (AssayEdit *edit, const AssayFix *fix)
{
  g_autofree guint8 *lost = g_new0 (guint8, assay_graph_n_nodes (edit->graph));
  g_autoptr (GArray) outputs = g_array_new (FALSE, FALSE, sizeof (AssayValueId));
  gboolean applied = FALSE;

  for (guint i = 0; fix->nodes[i] != NULL; i++)
    {
      if (!assay_edit_at (edit, fix->nodes[i]))
        continue;
      if (assay_edit_node (edit)->region != ASSAY_MAIN_REGION)
        {
          assay_edit_refuse (edit, "it stands in a nested graph");
          continue;
        }
      applied = TRUE;
      lost[edit->anchor] = 1;
    }
  if (!applied)
    return FALSE;
  if (keeps_end (fix))
    {
      for (guint i = 0; fix->nodes[i] != NULL; i++)
        if (assay_edit_at (edit, fix->nodes[i]))
          begin_behind (edit);
      edit->tidy = TRUE;
      edit->drop_inputs = TRUE;
      assay_edit_mark_changed (edit);
      return TRUE;
    }

  spread (edit->graph, lost);
  for (guint i = 0; fix->nodes[i] != NULL; i++)
    {
      gboolean first = assay_edit_at (edit, fix->nodes[i]);

      /* Of nodes that follow one another the first one ends the model. */
      for (guint j = 0; first && j < assay_edit_node (edit)->n_inputs; j++)
        {
          AssayValueId value = assay_edit_input (edit, j);

          first = value == ASSAY_NO_VALUE ||
                  !lost[assay_graph_value (edit->graph, value)->producer];
        }
      if (first)
        end_before (edit, outputs);
    }
  if (outputs->len == 0)
    return assay_edit_refuse (edit, "nothing is computed before it");
  keep_outputs (edit, lost, outputs);
  edit->tidy = TRUE;
  edit->drop_inputs = TRUE;
  assay_edit_mark_changed (edit);

  return TRUE;
}
