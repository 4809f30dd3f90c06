/* assay-subgraph.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cause/assay-subgraph.h"

#include "base/assay-error.h"
#include "evaluate/compare/assay-error-bound.h"
#include "nnir/assay-graph-builder.h"
#include "nnir/pass/assay-fold-branch.h"

/* Where nobody can look between, a whole model is one subgraph; of more nodes than this every
 * hypothesis would fit one. */
#define MOST_NODES 64

/* What lies between values that are known and a target, found from the target back. */
typedef struct
{
  const AssayGraph *graph;
  GHashTable *known;  /* set of values */
  GHashTable *within; /* set of nodes */
  GArray *border;
  gboolean nested;
} Search;

static gboolean
is_nested (const AssayNode *node)
{
  for (guint i = 0; i < node->n_attrs; i++)
    if (node->attrs[i].kind == ASSAY_ATTR_GRAPH || node->attrs[i].kind == ASSAY_ATTR_GRAPHS)
      return TRUE;

  return FALSE;
}

/* A constant that is kept in 8 bits, whose numbers are what a product reads. */
static gboolean
is_kept_narrow (const AssayGraph *graph, const AssayValue *value)
{
  const AssayNode *node = value->producer != ASSAY_NO_NODE
                              ? assay_graph_node (graph, value->producer)
                              : NULL;

  if (node == NULL || node->op != ASSAY_OP_DequantizeLinear)
    return FALSE;
  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] != ASSAY_NO_VALUE &&
        assay_graph_value (graph, node->inputs[i])->constant == NULL)
      return FALSE;

  return TRUE;
}

static void
go_back (Search *self, AssayValueId target)
{
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (AssayValueId));
  g_autoptr (GHashTable) listed = g_hash_table_new (NULL, NULL);

  g_array_append_val (open, target);
  while (open->len > 0 && g_hash_table_size (self->within) <= MOST_NODES)
    {
      AssayValueId id = g_array_index (open, AssayValueId, open->len - 1);
      const AssayValue *value = assay_graph_value (self->graph, id);
      const AssayNode *node;

      g_array_set_size (open, open->len - 1);
      if (!g_hash_table_add (listed, GUINT_TO_POINTER (id)))
        continue;
      if (value->producer == ASSAY_NO_NODE || value->constant != NULL ||
          (id != target && is_kept_narrow (self->graph, value)) ||
          (id != target && g_hash_table_contains (self->known, GUINT_TO_POINTER (id))))
        {
          g_array_append_val (self->border, id);
          continue;
        }
      node = assay_graph_node (self->graph, value->producer);
      self->nested |= is_nested (node);
      g_hash_table_add (self->within, GUINT_TO_POINTER (value->producer));
      for (guint i = 0; i < node->n_inputs; i++)
        if (node->inputs[i] != ASSAY_NO_VALUE)
          g_array_append_val (open, node->inputs[i]);
    }
}

static void
search_clear (Search *self)
{
  g_hash_table_unref (self->within);
  g_array_unref (self->border);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Search, search_clear)

static Search
search (const AssayGraph *graph, AssayValueId target, GHashTable *known)
{
  Search self = { graph, known, g_hash_table_new (NULL, NULL),
                  g_array_new (FALSE, FALSE, sizeof (AssayValueId)), FALSE };

  go_back (&self, target);
  return self;
}

/**
 * assay_subgraph_list_border:
 * @graph: a graph
 * @target: a value of it that a node makes
 * @visible: (element-type guint32 guint32): set of values that can be seen
 *
 * Lists the values that have to be seen so that @target can be computed by itself.
 *
 * Returns: (transfer full) (element-type guint32): inputs and results of the graph, constants apart
 */
GArray *
assay_subgraph_list_border (const AssayGraph *graph, AssayValueId target, GHashTable *visible)
{
  g_auto (Search) found = search (graph, target, visible);
  GArray *values = g_array_new (FALSE, FALSE, sizeof (AssayValueId));

  for (guint i = 0; i < found.border->len; i++)
    {
      AssayValueId id = g_array_index (found.border, AssayValueId, i);

      if (assay_graph_value (graph, id)->constant == NULL &&
          !is_kept_narrow (graph, assay_graph_value (graph, id)))
        g_array_append_val (values, id);
    }

  return values;
}

static void
add_node (AssaySubgraph *self, const AssayGraph *graph, const AssayNode *node, AssayValueId *map)
{
  g_autofree AssayValueId *inputs = g_new0 (AssayValueId, node->n_inputs + 1);
  g_autofree AssayValueId *outputs = g_new0 (AssayValueId, node->n_outputs + 1);
  AssayNodeId id;

  for (guint i = 0; i < node->n_inputs; i++)
    inputs[i] = node->inputs[i] != ASSAY_NO_VALUE ? map[node->inputs[i]] : ASSAY_NO_VALUE;
  for (guint i = 0; i < node->n_outputs; i++)
    if (node->outputs[i] != ASSAY_NO_VALUE)
      {
        const AssayValue *value = assay_graph_value (graph, node->outputs[i]);

        outputs[i] = map[node->outputs[i]] = assay_graph_add_value (
            self->graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, value->name, value->type);
      }
  id = assay_graph_add_node (self->graph, ASSAY_MAIN_REGION, node->op, node->name, node->n_inputs,
                             inputs, node->n_outputs, outputs);
  assay_graph_edit_node (self->graph, id)->domain = assay_arena_intern (self->graph->arena,
                                                                        node->domain);
  assay_graph_edit_node (self->graph, id)->op_type = assay_arena_intern (self->graph->arena,
                                                                         node->op_type);
  assay_graph_set_attrs (self->graph, id, node->n_attrs, node->attrs);
}

/* The numbers of a constant that is kept in 8 bits. */
static AssayTensor *
widen (const AssayGraph *graph, const AssayValue *value, GError **error)
{
  const AssayNode *node = assay_graph_node (graph, value->producer);
  g_autoptr (AssaySubgraph) part = g_new0 (AssaySubgraph, 1);
  g_autofree AssayValueId *map = g_new0 (AssayValueId, assay_graph_n_values (graph));
  g_autoptr (GPtrArray) outputs = NULL;

  part->graph = assay_graph_new ();
  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] != ASSAY_NO_VALUE)
      {
        const AssayValue *input = assay_graph_value (graph, node->inputs[i]);

        map[node->inputs[i]] = assay_graph_add_constant (part->graph, ASSAY_MAIN_REGION,
                                                         input->name, input->constant);
      }
  add_node (part, graph, node, map);
  assay_graph_add_output (part->graph, ASSAY_MAIN_REGION, map[node->outputs[0]]);
  outputs = assay_evaluate_constant (part->graph, error);

  return outputs != NULL ? assay_tensor_ref (g_ptr_array_index (outputs, 0)) : NULL;
}

static gboolean
add_input (AssaySubgraph *self, const Search *found, AssayValueId id, GHashTable *seen,
           AssayValueId *map, GError **error)
{
  const AssayValue *value = assay_graph_value (found->graph, id);
  gboolean kept = value->constant == NULL && is_kept_narrow (found->graph, value);
  AssaySubgraphSource source = value->constant != NULL || kept    ? ASSAY_SUBGRAPH_CONSTANT
                               : value->producer == ASSAY_NO_NODE ? ASSAY_SUBGRAPH_MODEL
                                                                  : ASSAY_SUBGRAPH_SEEN;
  g_autoptr (AssayTensor) wide = kept ? widen (found->graph, value, error) : NULL;
  AssayTensor *tensor = value->constant != NULL ? value->constant
                        : kept                  ? wide
                                                : g_hash_table_lookup (seen, GUINT_TO_POINTER (id));
  guint8 byte = (guint8) source;
  AssayDatum *datum;

  if (tensor == NULL && kept)
    return FALSE;
  if (tensor == NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED, "value %s was not seen",
                   value->name);
      return FALSE;
    }
  datum = assay_datum_new_tensor (tensor, self->wide, error);
  if (datum == NULL)
    return FALSE;

  map[id] = assay_graph_add_input (self->graph, ASSAY_MAIN_REGION, value->name, value->type);
  g_ptr_array_add (self->inputs, datum);
  g_array_append_val (self->sources, byte);
  return TRUE;
}

/* Multiplications are what takes time; the node makes a value, not always the first one. */
static guint64
count_work (const AssayGraph *graph, const AssayNode *node)
{
  const AssayMagnitude none[1] = { { 0 } };
  gsize n;

  if (node->outputs[0] == ASSAY_NO_VALUE ||
      !assay_type_count (assay_graph_value (graph, node->outputs[0])->type, &n))
    n = 1;

  return (guint64) n * assay_error_bound_of_node (graph, node, none, 0).length;
}

/**
 * assay_subgraph_new: (skip)
 * @graph: a graph, which lives longer
 * @target: a value of it that a node makes
 * @seen: (element-type guint32 AssayTensor): what values were, inputs of the graph included
 * @wide: whether to compute in double
 * @error: return location for a #GError
 *
 * Cuts out what lies between the values that were seen and @target.
 *
 * Returns: (transfer full) (nullable): the subgraph, or %NULL with %ASSAY_ERROR_UNSUPPORTED if
 * there are too many nodes between, or nested graphs
 */
AssaySubgraph *
assay_subgraph_new (const AssayGraph *graph, AssayValueId target, GHashTable *seen, gboolean wide,
                    GError **error)
{
  g_auto (Search) found = search (graph, target, seen);
  g_autoptr (AssaySubgraph) self = g_new0 (AssaySubgraph, 1);
  g_autofree AssayValueId *map = g_new0 (AssayValueId, assay_graph_n_values (graph));
  const AssayEvaluateOptions options = { .wide = wide, .n_threads = 1 };
  const GArray *nodes = assay_graph_region (graph, ASSAY_MAIN_REGION)->nodes;

  if (found.nested || g_hash_table_size (found.within) > MOST_NODES)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
                   found.nested ? "nested graphs are not run again"
                                : "more than %d nodes lie between what was seen",
                   MOST_NODES);
      return NULL;
    }

  self->graph = assay_graph_new ();
  self->wide = wide;
  self->inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);
  self->sources = g_array_new (FALSE, FALSE, 1);
  for (guint i = 0; i < found.border->len; i++)
    if (!add_input (self, &found, g_array_index (found.border, AssayValueId, i), seen, map, error))
      return NULL;
  for (guint i = 0; i < nodes->len; i++)
    {
      AssayNodeId id = g_array_index (nodes, AssayNodeId, i);

      if (!g_hash_table_contains (found.within, GUINT_TO_POINTER (id)))
        continue;
      add_node (self, graph, assay_graph_node (graph, id), map);
      self->work += count_work (graph, assay_graph_node (graph, id));
    }
  self->target = map[target];
  assay_graph_add_output (self->graph, ASSAY_MAIN_REGION, self->target);
  self->source = graph;
  self->origins = g_new0 (AssayValueId, assay_graph_n_values (self->graph));
  for (AssayValueId id = 0; id < assay_graph_n_values (graph); id++)
    if (map[id] != ASSAY_NO_VALUE)
      self->origins[map[id]] = id;
  self->evaluator = assay_evaluator_new (self->graph, &options, error);

  return self->evaluator != NULL ? g_steal_pointer (&self) : NULL;
}

void
assay_subgraph_free (AssaySubgraph *self)
{
  if (self == NULL)
    return;

  g_clear_pointer (&self->evaluator, assay_evaluator_free);
  g_clear_pointer (&self->inputs, g_ptr_array_unref);
  g_clear_pointer (&self->sources, g_array_unref);
  g_clear_pointer (&self->graph, assay_graph_unref);
  g_free (self->origins);
  g_free (self);
}

static gboolean
run_node (AssayEvaluator *evaluator, AssayNodeId id, AssayDatum **values, AssaySubgraphFunc func,
          gpointer user_data, const AssayProgress *progress)
{
  const AssayNode *node = assay_graph_node (assay_evaluator_get_graph (evaluator), id);
  g_autofree AssayDatum **inputs = g_new0 (AssayDatum *, node->n_inputs + 1);
  g_autoptr (GPtrArray) outputs = NULL;

  for (guint i = 0; i < node->n_inputs; i++)
    inputs[i] = node->inputs[i] != ASSAY_NO_VALUE ? values[node->inputs[i]] : NULL;
  outputs = assay_evaluator_run_node (evaluator, id, node->n_inputs, inputs, progress, NULL);
  if (outputs == NULL)
    return FALSE;
  for (guint i = 0; i < MIN (outputs->len, node->n_outputs); i++)
    {
      if (node->outputs[i] == ASSAY_NO_VALUE || g_ptr_array_index (outputs, i) == NULL)
        continue;
      values[node->outputs[i]] = assay_datum_ref (g_ptr_array_index (outputs, i));
      if (func != NULL)
        func (values, node->outputs[i], user_data);
    }

  return TRUE;
}

/**
 * assay_subgraph_run:
 * @self: a subgraph
 * @changed: (nullable): its graph with other attributes, operations or links, the values being the
 * same; %NULL for its own
 * @wide: whether to compute in double
 * @func: (nullable): changes values on the way
 * @user_data: handed to @func
 * @progress: (nullable): progress and cancel
 *
 * Computes the target again, another way.
 *
 * Returns: (transfer full) (nullable): the target, %NULL if it cannot be computed this way
 */
AssayDatum *
assay_subgraph_run (AssaySubgraph *self, AssayGraph *changed, gboolean wide, AssaySubgraphFunc func,
                    gpointer user_data, const AssayProgress *progress)
{
  AssayGraph *graph = changed != NULL ? changed : self->graph;
  const AssayEvaluateOptions options = { .wide = wide, .n_threads = 1 };
  const AssayRegion *region = assay_graph_region (graph, ASSAY_MAIN_REGION);
  guint n = assay_graph_n_values (graph);
  g_autofree AssayDatum **values = g_new0 (AssayDatum *, n);
  g_autoptr (AssayEvaluator) other = NULL;
  AssayDatum *result;
  gboolean done = TRUE;

  if (changed != NULL || wide != self->wide)
    other = assay_evaluator_new (graph, &options, NULL);
  if (other == NULL && (changed != NULL || wide != self->wide))
    return NULL;

  for (guint i = 0; i < region->inputs->len && done; i++)
    {
      AssayValueId id = g_array_index (region->inputs, AssayValueId, i);

      values[id] = assay_datum_new_stored (g_ptr_array_index (self->inputs, i), wide, NULL);
      done = values[id] != NULL;
      if (done && func != NULL)
        func (values, id, user_data);
    }
  for (guint i = 0; i < region->nodes->len && done; i++)
    done = run_node (other != NULL ? other : self->evaluator,
                     g_array_index (region->nodes, AssayNodeId, i), values, func, user_data,
                     progress);

  result = done && values[self->target] != NULL && values[self->target]->kind == ASSAY_DATUM_TENSOR
               ? assay_datum_ref (values[self->target])
               : NULL;
  for (guint i = 0; i < n; i++)
    g_clear_pointer (&values[i], assay_datum_unref);

  return result;
}
