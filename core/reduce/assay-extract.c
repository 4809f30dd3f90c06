/* assay-extract.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "reduce/assay-extract.h"

#include "base/assay-error.h"
#include "evaluate/assay-datum.h"
#include "fix/assay-edit.h"
#include "nnir/analysis/assay-analysis.h"
#include "nnir/assay-graph-builder.h"

/* What shapes and axes are made of is no input of a model; tensors of numbers are larger. */
#define MOST_INDICES 64

/**
 * assay_graph_main_node:
 * @graph: a graph
 * @node: a node
 *
 * Finds the node of the main graph that a node stands in.
 *
 * Returns: that node; @node itself if it stands in none
 */
AssayNodeId
assay_graph_main_node (const AssayGraph *graph, AssayNodeId node)
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
    if (kept[assay_graph_main_node (graph, readers[i])])
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
static GArray *
list_ends (AssayGraph *graph, const guint8 *kept)
{
  g_autoptr (AssayUses) uses = assay_uses_new (graph);
  GArray *ends = g_array_new (FALSE, FALSE, sizeof (AssayValueId));

  for (AssayValueId id = 1; id < assay_graph_n_values (graph); id++)
    {
      const AssayValue *value = assay_graph_value (graph, id);

      if (value->kind == ASSAY_VALUE_RESULT && value->region == ASSAY_MAIN_REGION &&
          kept[value->producer] && assay_graph_constant (graph, id) == NULL &&
          (assay_uses_is_output (uses, id) || !is_read (graph, uses, kept, id)))
        g_array_append_val (ends, id);
    }

  return ends;
}

static void
set_outputs (AssayEdit *edit, const GArray *ends)
{
  GArray *outputs = assay_graph_region (edit->graph, ASSAY_MAIN_REGION)->outputs;

  for (guint i = 0; i < ends->len; i++)
    assay_rewriter_retain (&edit->rewriter, g_array_index (ends, AssayValueId, i));
  for (guint i = 0; i < outputs->len; i++)
    assay_rewriter_release (&edit->rewriter, g_array_index (outputs, AssayValueId, i));
  g_array_set_size (outputs, 0);
  g_array_append_vals (outputs, ends->data, ends->len);
}

/**
 * assay_graph_extract_between: (skip)
 * @graph: a graph
 * @kept: per node whether it stays; of nested graphs that of the node around them counts
 * @ends: (element-type guint32): what is its output then
 * @known: (nullable) (element-type guint32 AssayTensor): as for assay_graph_extract()
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Makes a model of some nodes of another that ends where it is told to.
 *
 * Returns: (transfer full) (nullable): the graph, or %NULL with %ASSAY_ERROR_INVALID if it has no
 * output, or %ASSAY_ERROR_CANCELLED
 */
AssayGraph *
assay_graph_extract_between (AssayGraph *graph, const guint8 *kept, const GArray *ends,
                             GHashTable *known, const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayFix) fix = assay_fix_new ("extract", NULL, NULL);
  g_autoptr (AssayGraph) copy = assay_graph_copy (graph);
  g_autoptr (AssayEdit) edit = assay_edit_new (copy, NULL, fix, NULL);
  g_autoptr (GArray) border = assay_graph_list_border (graph, kept);

  if (ends->len == 0)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "no node is left");
      return NULL;
    }
  cut_border (edit, graph, border, known);
  set_outputs (edit, ends);
  edit->tidy = TRUE;
  edit->drop_inputs = TRUE;
  assay_edit_mark_changed (edit);
  if (!assay_edit_finish (edit, progress, error))
    return NULL;

  return assay_graph_ref (edit->graph);
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
  g_autoptr (GArray) ends = list_ends (graph, kept);

  return assay_graph_extract_between (graph, kept, ends, known, progress, error);
}

static gboolean
is_same_type (const AssayType *a, const AssayType *b)
{
  gboolean same = a->kind == ASSAY_TYPE_KIND_TENSOR && b->kind == ASSAY_TYPE_KIND_TENSOR &&
                  a->dtype == b->dtype && a->rank >= 0 && a->rank == b->rank;

  for (int i = 0; same && i < a->rank; i++)
    same = a->dims[i].size > 0 && a->dims[i].size == b->dims[i].size;

  return same;
}

/* Zeros of a type whose sizes are known. */
static AssayValueId
add_zeros (AssayEdit *edit, AssayRegionId region, const AssayType *type)
{
  gint64 dims[ASSAY_MAX_RANK];
  g_autoptr (AssayTensor) tensor = NULL;
  g_autoptr (AssayDatum) datum = NULL;

  if (type->kind != ASSAY_TYPE_KIND_TENSOR || type->rank < 0 || type->rank > ASSAY_MAX_RANK ||
      !(assay_dtype_is_float (type->dtype) || assay_dtype_is_integer (type->dtype)))
    return ASSAY_NO_VALUE;
  for (int i = 0; i < type->rank; i++)
    {
      dims[i] = type->dims[i].size;
      if (dims[i] < 0)
        return ASSAY_NO_VALUE;
    }
  datum = assay_datum_new (type->dtype, assay_datum_storage (type->dtype, FALSE),
                           (guint) type->rank, dims, NULL);
  if (datum == NULL)
    return ASSAY_NO_VALUE;
  for (gsize i = 0; i < datum->n; i++)
    assay_datum_set_number (datum, i, 0);
  tensor = assay_datum_to_tensor (datum, FALSE, NULL);

  return tensor != NULL ? assay_graph_add_constant (edit->graph, region, "zero", tensor)
                        : ASSAY_NO_VALUE;
}

/* What stands in for an output of a node: an input of it that is like it, or zeros. */
static AssayValueId
find_stand_in (AssayEdit *edit, AssayNodeId id, AssayValueId output)
{
  const AssayNode *node = assay_graph_node (edit->graph, id);
  const AssayType *type = assay_graph_value (edit->graph, output)->type;

  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] != ASSAY_NO_VALUE &&
        is_same_type (type, assay_graph_value (edit->graph, node->inputs[i])->type))
      return node->inputs[i];

  return add_zeros (edit, node->region, type);
}

/**
 * assay_graph_bypass: (skip)
 * @graph: a graph
 * @node: a node, in a nested graph or not
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Makes the model without a node: what it makes gives way to an input of it that is like it, or to
 * zeros.
 *
 * Returns: (transfer full) (nullable): the graph; %NULL without an error if there is nothing like
 * it
 */
AssayGraph *
assay_graph_bypass (AssayGraph *graph, AssayNodeId node, const AssayProgress *progress,
                    GError **error)
{
  g_autoptr (AssayFix) fix = assay_fix_new ("bypass", NULL, NULL);
  g_autoptr (AssayGraph) copy = assay_graph_copy (graph);
  g_autoptr (AssayEdit) edit = assay_edit_new (copy, NULL, fix, NULL);
  guint n = assay_graph_node (edit->graph, node)->n_outputs;

  for (guint i = 0; i < n; i++)
    {
      AssayValueId output = assay_graph_node (edit->graph, node)->outputs[i], other;

      if (output == ASSAY_NO_VALUE)
        continue;
      other = find_stand_in (edit, node, output);
      if (other == ASSAY_NO_VALUE || !assay_rewriter_replace (&edit->rewriter, output, other))
        return NULL;
    }
  /* An output of the model is made by the stand-in's node from here on, and read all the same. */
  assay_rewriter_drop (&edit->rewriter, node, "bypass");
  edit->tidy = TRUE;
  edit->drop_inputs = TRUE;
  assay_edit_mark_changed (edit);

  return assay_edit_finish (edit, progress, error) ? assay_graph_ref (edit->graph) : NULL;
}

/**
 * assay_graph_open_if: (skip)
 * @graph: a graph
 * @node: an If
 * @branch: which branch
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Makes the model in which one branch of an If stands in its place.
 *
 * Returns: (transfer full) (nullable): the graph
 */
AssayGraph *
assay_graph_open_if (AssayGraph *graph, AssayNodeId node, gboolean branch,
                     const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayFix) fix = assay_fix_new ("open-if", NULL, NULL);
  g_autoptr (AssayGraph) copy = assay_graph_copy (graph);
  g_autoptr (AssayEdit) edit = assay_edit_new (copy, NULL, fix, NULL);
  g_autoptr (AssayTensor) tensor = NULL;
  const guint8 value = branch ? 1 : 0;
  g_autoptr (GBytes) bytes = g_bytes_new (&value, 1);
  AssayValueId constant;

  tensor = assay_tensor_new (ASSAY_DTYPE_BOOL, 0, NULL, bytes, error);
  if (tensor == NULL)
    return NULL;
  constant = assay_graph_add_constant (edit->graph, assay_graph_node (edit->graph, node)->region,
                                       "branch", tensor);
  assay_rewriter_set_inputs (&edit->rewriter, node, 1, &constant);
  edit->fold = TRUE;
  edit->tidy = TRUE;
  edit->drop_inputs = TRUE;
  assay_edit_mark_changed (edit);

  return assay_edit_finish (edit, progress, error) ? assay_graph_ref (edit->graph) : NULL;
}
