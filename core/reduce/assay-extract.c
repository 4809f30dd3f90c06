/* assay-extract.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "reduce/assay-extract.h"

#include "base/assay-error.h"
#include "fix/assay-edit.h"
#include "nnir/analysis/assay-analysis.h"
#include "nnir/assay-graph-builder.h"

/* What shapes and axes are made of is no input of a model; tensors of numbers are larger. */
#define MOST_INDICES 64

/* The node of the main graph that a node stands in, itself if it stands in none. */
static AssayNodeId
main_node (const AssayGraph *graph, AssayNodeId node)
{
  while (node != ASSAY_NO_NODE && assay_graph_node (graph, node)->region != ASSAY_MAIN_REGION)
    node = assay_graph_region (graph, assay_graph_node (graph, node)->region)->parent;

  return node;
}

static gboolean
is_read (const AssayGraph *graph, const AssayUses *uses, const guint8 *kept, AssayValueId value)
{
  const AssayNodeId *readers;
  guint n;

  readers = assay_uses_get (uses, value, &n);
  for (guint i = 0; i < n; i++)
    if (kept[main_node (graph, readers[i])])
      return TRUE;

  return FALSE;
}

/**
 * assay_graph_list_border:
 * @graph: a graph
 * @kept: per node whether it stays; of nested graphs that of the node around them counts
 *
 * Lists what nodes that stay read of nodes that do not, constants apart.
 *
 * Returns: (transfer full) (element-type guint32): the values
 */
GArray *
assay_graph_list_border (AssayGraph *graph, const guint8 *kept)
{
  g_autoptr (AssayUses) uses = assay_uses_new (graph);
  GArray *border = g_array_new (FALSE, FALSE, sizeof (AssayValueId));

  for (AssayValueId id = 1; id < assay_graph_n_values (graph); id++)
    {
      const AssayValue *value = assay_graph_value (graph, id);

      if (value->kind == ASSAY_VALUE_RESULT && value->region == ASSAY_MAIN_REGION &&
          !kept[value->producer] && assay_graph_constant (graph, id) == NULL &&
          is_read (graph, uses, kept, id))
        g_array_append_val (border, id);
    }

  return border;
}

static gboolean
is_index (AssayTensor *tensor)
{
  gsize n;

  return tensor != NULL && assay_dtype_is_integer (assay_tensor_get_dtype (tensor)) &&
         assay_dims_count (assay_tensor_get_rank (tensor), assay_tensor_get_dims (tensor), &n) &&
         n <= MOST_INDICES;
}

/* What is known becomes a constant, all else an input. */
static void
cut_border (AssayEdit *edit, AssayGraph *graph, const GArray *border, GHashTable *known)
{
  for (guint i = 0; i < border->len; i++)
    {
      AssayValueId id = g_array_index (border, AssayValueId, i), other;
      const AssayValue *value = assay_graph_value (graph, id);
      AssayTensor *tensor = known != NULL ? g_hash_table_lookup (known, GUINT_TO_POINTER (id))
                                          : NULL;

      if (is_index (tensor))
        other = assay_graph_add_constant (edit->graph, ASSAY_MAIN_REGION, value->name, tensor);
      else
        other = assay_graph_add_input (edit->graph, ASSAY_MAIN_REGION, value->name, value->type);
      assay_rewriter_retain (&edit->rewriter, other);
      assay_rewriter_release (&edit->rewriter, other);
      assay_rewriter_replace (&edit->rewriter, id, other);
    }
}

/* What was an output, and what nobody who stays reads. */
static gboolean
set_outputs (AssayEdit *edit, AssayGraph *graph, const guint8 *kept)
{
  g_autoptr (AssayUses) uses = assay_uses_new (graph);
  GArray *outputs = assay_graph_region (edit->graph, ASSAY_MAIN_REGION)->outputs;

  for (guint i = 0; i < outputs->len; i++)
    assay_rewriter_release (&edit->rewriter, g_array_index (outputs, AssayValueId, i));
  g_array_set_size (outputs, 0);
  for (AssayValueId id = 1; id < assay_graph_n_values (graph); id++)
    {
      const AssayValue *value = assay_graph_value (graph, id);

      if (value->kind != ASSAY_VALUE_RESULT || value->region != ASSAY_MAIN_REGION ||
          !kept[value->producer] || assay_graph_constant (graph, id) != NULL ||
          (!assay_uses_is_output (uses, id) && is_read (graph, uses, kept, id)))
        continue;
      g_array_append_val (outputs, id);
      assay_rewriter_retain (&edit->rewriter, id);
    }

  return outputs->len > 0;
}

/**
 * assay_graph_extract: (skip)
 * @graph: a graph
 * @kept: per node whether it stays; of nested graphs that of the node around them counts
 * @known: (nullable) (element-type guint32 AssayTensor): what values are, where that is known; a
 * few integers become a constant, because shapes and axes are made of them
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Makes a model of some nodes of another: what they read of the rest becomes its inputs, what none
 * of them reads its outputs.
 *
 * Returns: (transfer full) (nullable): the graph, or %NULL with %ASSAY_ERROR_INVALID if nothing
 * would be left, or %ASSAY_ERROR_CANCELLED
 */
AssayGraph *
assay_graph_extract (AssayGraph *graph, const guint8 *kept, GHashTable *known,
                     const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayFix) fix = assay_fix_new ("extract", NULL, NULL);
  g_autoptr (AssayGraph) copy = assay_graph_copy (graph);
  g_autoptr (AssayEdit) edit = assay_edit_new (copy, NULL, fix, NULL);
  g_autoptr (GArray) border = assay_graph_list_border (graph, kept);

  cut_border (edit, graph, border, known);
  if (!set_outputs (edit, graph, kept))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "no node is left");
      return NULL;
    }
  edit->tidy = TRUE;
  edit->drop_inputs = TRUE;
  assay_edit_mark_changed (edit);
  if (!assay_edit_finish (edit, progress, error))
    return NULL;

  return assay_graph_ref (edit->graph);
}
