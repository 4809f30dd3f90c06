/* assay-pass.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/pass/assay-pass.h"

#include <string.h>

#include "nnir/assay-graph-builder.h"

/* How many nodes go by between two looks at the cancellable. */
#define CHECK_INTERVAL 1024

static void
cover_values (AssayRewriter *self)
{
  if (self->reads->len < self->graph->values->len)
    {
      g_array_set_size (self->reads, self->graph->values->len);
      g_array_set_size (self->forward, self->graph->values->len);
    }
  if (self->removed->len < self->graph->nodes->len)
    g_array_set_size (self->removed, self->graph->nodes->len);
}

/**
 * assay_rewriter_init:
 * @self: where to put the state
 * @graph: a sound graph that nobody else has
 * @options: what is wanted
 *
 * Prepares a graph for one pass.
 */
void
assay_rewriter_init (AssayRewriter *self, AssayGraph *graph, const AssayCanonicalOptions *options)
{
  self->graph = graph;
  self->options = options;
  self->reads = g_array_sized_new (FALSE, TRUE, sizeof (guint32), graph->values->len);
  self->forward = g_array_sized_new (FALSE, TRUE, sizeof (AssayValueId), graph->values->len);
  self->removed = g_array_sized_new (FALSE, TRUE, sizeof (guint8), graph->nodes->len);
  self->n_changes = 0;
  self->folded_bytes = 0;
  self->folded_steps = 0;
  cover_values (self);

  for (AssayNodeId i = 1; i < graph->nodes->len; i++)
    {
      const AssayNode *node = assay_graph_node (graph, i);

      for (guint j = 0; j < node->n_inputs; j++)
        g_array_index (self->reads, guint32, node->inputs[j])++;
    }

  for (guint32 i = 0; i < graph->regions->len; i++)
    {
      const GArray *outputs = assay_graph_region (graph, i)->outputs;

      for (guint j = 0; j < outputs->len; j++)
        g_array_index (self->reads, guint32, g_array_index (outputs, AssayValueId, j))++;
    }
}

/**
 * assay_rewriter_resolve:
 * @self: the state
 * @value: a value, or 0
 *
 * Follows replacements.
 *
 * Returns: the value to read instead, often the same
 */
AssayValueId
assay_rewriter_resolve (AssayRewriter *self, AssayValueId value)
{
  AssayValueId last = value;

  while (last < self->forward->len &&
         g_array_index (self->forward, AssayValueId, last) != ASSAY_NO_VALUE)
    last = g_array_index (self->forward, AssayValueId, last);

  /* Short ways for the next time: a chain of thousands is walked once. */
  while (value != last)
    {
      AssayValueId next = g_array_index (self->forward, AssayValueId, value);

      g_array_index (self->forward, AssayValueId, value) = last;
      value = next;
    }

  return last;
}

/**
 * assay_rewriter_input:
 * @self: the state
 * @node: a node
 * @index: which input
 *
 * Gets an input with replacements followed.
 *
 * Returns: the value, 0 if omitted or past the end
 */
AssayValueId
assay_rewriter_input (AssayRewriter *self, AssayNodeId node, guint index)
{
  return assay_rewriter_resolve (self,
                                 assay_node_input (assay_graph_node (self->graph, node), index));
}

/**
 * assay_rewriter_producer:
 * @self: the state
 * @value: a value, or 0
 *
 * Gets the node that makes a value.
 *
 * Returns: the node, 0 for inputs, constants and 0
 */
AssayNodeId
assay_rewriter_producer (AssayRewriter *self, AssayValueId value)
{
  AssayNodeId node =
      assay_graph_value (self->graph, assay_rewriter_resolve (self, value))->producer;

  return assay_rewriter_is_removed (self, node) ? ASSAY_NO_NODE : node;
}

/**
 * assay_rewriter_reads:
 * @self: the state
 * @value: a value
 *
 * Counts what reads a value now: inputs of nodes and outputs of regions.
 *
 * Returns: the number of reads
 */
guint
assay_rewriter_reads (AssayRewriter *self, AssayValueId value)
{
  return value < self->reads->len ? g_array_index (self->reads, guint32, value) : 0;
}

/**
 * assay_rewriter_is_removed:
 * @self: the state
 * @node: a node
 *
 * Tells whether a node has been removed in this pass.
 *
 * Returns: whether it has
 */
gboolean
assay_rewriter_is_removed (AssayRewriter *self, AssayNodeId node)
{
  return node < self->removed->len && g_array_index (self->removed, guint8, node) != 0;
}

/**
 * assay_rewriter_retain:
 * @self: the state
 * @value: a value, or 0
 *
 * Counts one more read of a value.
 */
void
assay_rewriter_retain (AssayRewriter *self, AssayValueId value)
{
  cover_values (self);
  g_array_index (self->reads, guint32, assay_rewriter_resolve (self, value))++;
}

/**
 * assay_rewriter_release:
 * @self: the state
 * @value: a value, or 0
 *
 * Counts one read less of a value.
 */
void
assay_rewriter_release (AssayRewriter *self, AssayValueId value)
{
  g_array_index (self->reads, guint32, assay_rewriter_resolve (self, value))--;
}

static gboolean
is_main_output (AssayRewriter *self, AssayValueId value)
{
  const GArray *outputs = assay_graph_region (self->graph, ASSAY_MAIN_REGION)->outputs;

  for (guint i = 0; i < outputs->len; i++)
    {
      if (assay_rewriter_resolve (self, g_array_index (outputs, AssayValueId, i)) == value)
        return TRUE;
    }

  return FALSE;
}

/* The outputs of the main graph keep their names: what made @value makes @old from now on. */
static gboolean
take_over_output (AssayRewriter *self, AssayValueId old, AssayValueId value)
{
  AssayValue *from = assay_graph_edit_value (self->graph, value);
  AssayValue *to = assay_graph_edit_value (self->graph, old);

  if (is_main_output (self, value) || from->region != to->region)
    return FALSE;

  if (from->kind == ASSAY_VALUE_CONSTANT)
    {
      to->kind = ASSAY_VALUE_CONSTANT;
      to->producer = ASSAY_NO_NODE;
      to->output = 0;
      to->constant = from->constant;
      g_array_index (self->reads, guint32, old) += g_array_index (self->reads, guint32, value);
      g_array_index (self->reads, guint32, value) = 0;
      g_array_index (self->forward, AssayValueId, value) = old;
      return TRUE;
    }

  if (from->kind != ASSAY_VALUE_RESULT)
    return FALSE;

  assay_graph_edit_node (self->graph, from->producer)->outputs[from->output] = old;
  to->producer = from->producer;
  to->output = from->output;
  to->constant = from->constant;
  from->producer = ASSAY_NO_NODE;
  g_array_index (self->reads, guint32, old) += g_array_index (self->reads, guint32, value);
  g_array_index (self->reads, guint32, value) = 0;
  g_array_index (self->forward, AssayValueId, value) = old;

  return TRUE;
}

/**
 * assay_rewriter_replace:
 * @self: the state
 * @old: a result
 * @value: what to read instead, defined before @old and visible wherever @old is
 *
 * Replaces a value everywhere. Outputs of the main graph keep their names, which may be impossible:
 * an input of the graph, or a value that is an output under its own name, cannot take a second
 * name.
 *
 * Returns: whether it was replaced
 */
gboolean
assay_rewriter_replace (AssayRewriter *self, AssayValueId old, AssayValueId value)
{
  cover_values (self);
  old = assay_rewriter_resolve (self, old);
  value = assay_rewriter_resolve (self, value);

  if (old == value)
    return FALSE;

  if (is_main_output (self, old))
    return take_over_output (self, old, value);

  g_array_index (self->reads, guint32, value) += g_array_index (self->reads, guint32, old);
  g_array_index (self->reads, guint32, old) = 0;
  g_array_index (self->forward, AssayValueId, old) = value;

  return TRUE;
}

/**
 * assay_rewriter_set_inputs:
 * @self: the state
 * @node: a node
 * @n: number of inputs, the last not omitted
 * @inputs: (array length=n): the inputs
 *
 * Gives a node other inputs.
 */
void
assay_rewriter_set_inputs (AssayRewriter *self, AssayNodeId node, guint n,
                           const AssayValueId *inputs)
{
  AssayNode *target = assay_graph_edit_node (self->graph, node);

  for (guint i = 0; i < n; i++)
    assay_rewriter_retain (self, inputs[i]);
  for (guint i = 0; i < target->n_inputs; i++)
    assay_rewriter_release (self, target->inputs[i]);

  target->inputs = assay_arena_memdup (self->graph->arena, inputs, n * sizeof *inputs);
  target->n_inputs = n;
}

/**
 * assay_rewriter_set_op:
 * @self: the state
 * @node: a node
 * @op: another operation
 *
 * Turns a node into another operation without attributes.
 */
void
assay_rewriter_set_op (AssayRewriter *self, AssayNodeId node, AssayOp op)
{
  AssayNode *target = assay_graph_edit_node (self->graph, node);

  target->op = op;
  target->op_type = assay_op_get_info (op)->name;
  target->domain = assay_op_get_info (op)->domain;
  target->n_attrs = 0;
}

/**
 * assay_rewriter_make_constant:
 * @self: the state
 * @value: a result whose producer is about to be removed
 * @tensor: its elements
 *
 * Turns a result into a constant of the same name.
 */
void
assay_rewriter_make_constant (AssayRewriter *self, AssayValueId value, AssayTensor *tensor)
{
  AssayValue *target = assay_graph_edit_value (self->graph, value);

  if (target->constant != tensor)
    assay_graph_set_constant (self->graph, value, tensor);
  target->kind = ASSAY_VALUE_CONSTANT;
  target->producer = ASSAY_NO_NODE;
  target->output = 0;
  if (!assay_type_is_static (target->type))
    target->type = assay_type_new_fixed (self->graph->arena, assay_tensor_get_dtype (tensor),
                                         assay_tensor_get_rank (tensor),
                                         assay_tensor_get_dims (tensor));
}

static void
remove_region (AssayRewriter *self, AssayRegionId id)
{
  const AssayRegion *region = assay_graph_region (self->graph, id);

  for (guint i = 0; i < region->nodes->len; i++)
    assay_rewriter_remove (self, g_array_index (region->nodes, AssayNodeId, i));
  for (guint i = 0; i < region->outputs->len; i++)
    assay_rewriter_release (self, g_array_index (region->outputs, AssayValueId, i));
}

/**
 * assay_rewriter_remove:
 * @self: the state
 * @node: a node
 *
 * Removes a node with its nested regions; the caller accounts for its origins.
 */
void
assay_rewriter_remove (AssayRewriter *self, AssayNodeId node)
{
  const AssayNode *target = assay_graph_node (self->graph, node);

  cover_values (self);
  if (assay_rewriter_is_removed (self, node))
    return;

  g_array_index (self->removed, guint8, node) = TRUE;
  self->n_changes++;

  for (guint i = 0; i < target->n_inputs; i++)
    assay_rewriter_release (self, target->inputs[i]);

  for (guint i = 0; i < target->n_attrs; i++)
    {
      const AssayAttr *attr = &target->attrs[i];

      if (attr->kind == ASSAY_ATTR_GRAPH)
        remove_region (self, attr->u.region);
      for (guint j = 0; attr->kind == ASSAY_ATTR_GRAPHS && j < attr->n; j++)
        remove_region (self, attr->u.regions[j]);
    }
}

static void
mark_origins (AssayRewriter *self, AssayNodeId node, const char *rule)
{
  const AssayNode *target = assay_graph_node (self->graph, node);

  for (guint i = 0; i < target->n_origins; i++)
    {
      AssayOrigin *origin = &g_array_index (self->graph->origins, AssayOrigin, target->origins[i]);

      if (origin->rule == NULL)
        origin->rule = rule;
    }
}

/* The nested nodes go with their parent, under the same rule. */
static void
collect_removed (AssayRewriter *self, AssayNodeId node, GPtrArray *names, const char *rule)
{
  const AssayNode *target = assay_graph_node (self->graph, node);

  if (assay_rewriter_is_removed (self, node))
    return;

  g_ptr_array_add (names, (gpointer) target->name);
  mark_origins (self, node, rule);

  for (guint i = 0; i < target->n_attrs; i++)
    {
      const AssayAttr *attr = &target->attrs[i];
      guint n = attr->kind == ASSAY_ATTR_GRAPH ? 1 : attr->kind == ASSAY_ATTR_GRAPHS ? attr->n : 0;

      for (guint j = 0; j < n; j++)
        {
          AssayRegionId id = attr->kind == ASSAY_ATTR_GRAPH ? attr->u.region : attr->u.regions[j];
          const GArray *nodes = assay_graph_region (self->graph, id)->nodes;

          for (guint k = 0; k < nodes->len; k++)
            collect_removed (self, g_array_index (nodes, AssayNodeId, k), names, rule);
        }
    }
}

/**
 * assay_rewriter_drop:
 * @self: the state
 * @node: a node whose results nobody reads any more
 * @rule: id of the rule
 *
 * Removes a node that nothing stands for afterwards, and records it.
 */
void
assay_rewriter_drop (AssayRewriter *self, AssayNodeId node, const char *rule)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  rule = assay_arena_intern (self->graph->arena, rule);
  collect_removed (self, node, names, rule);
  assay_graph_add_rewrite (self->graph, rule, names->len, (const char *const *) names->pdata, 0,
                           NULL);
  assay_rewriter_remove (self, node);
}

static int
compare_origins (gconstpointer a, gconstpointer b)
{
  const guint32 *left = a;
  const guint32 *right = b;

  return *left < *right ? -1 : *left > *right;
}

/**
 * assay_rewriter_absorb:
 * @self: the state
 * @into: the node that stands for all of them; it makes the output of the group and keeps its name
 * @n: number of other nodes, possibly 0 if @into alone has changed
 * @nodes: (array length=n): the other nodes, whose results nobody else reads
 * @rule: id of the rule
 *
 * Removes nodes that another one stands for afterwards: their origins become its own, and the
 * rewrite is recorded.
 */
void
assay_rewriter_absorb (AssayRewriter *self, AssayNodeId into, guint n, const AssayNodeId *nodes,
                       const char *rule)
{
  g_autoptr (GArray) origins = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  AssayNode *target = assay_graph_edit_node (self->graph, into);
  guint kept = 0;

  rule = assay_arena_intern (self->graph->arena, rule);
  g_array_append_vals (origins, target->origins, target->n_origins);

  for (guint i = 0; i < n; i++)
    {
      const AssayNode *node = assay_graph_node (self->graph, nodes[i]);

      if (assay_rewriter_is_removed (self, nodes[i]))
        continue;

      g_ptr_array_add (names, (gpointer) node->name);
      g_array_append_vals (origins, node->origins, node->n_origins);
      assay_rewriter_remove (self, nodes[i]);
    }
  g_ptr_array_add (names, (gpointer) target->name);

  g_array_sort (origins, compare_origins);
  for (guint i = 0; i < origins->len; i++)
    {
      guint32 origin = g_array_index (origins, guint32, i);

      if (kept == 0 || g_array_index (origins, guint32, kept - 1) != origin)
        g_array_index (origins, guint32, kept++) = origin;
    }
  assay_graph_set_origins (self->graph, into, kept,
                           (const guint32 *) (gconstpointer) origins->data);
  mark_origins (self, into, rule);
  assay_graph_add_rewrite (self->graph, rule, names->len, (const char *const *) names->pdata, 1,
                           &target->name);
  self->n_changes++;
}

typedef struct
{
  AssayRewriter *rewriter;
  AssayNodeFunc func;
  gpointer user_data;
  const AssayProgress *progress;
  guint n_seen;
} Walk;

static gboolean
walk_region (Walk *self, AssayRegionId id, GError **error)
{
  AssayGraph *graph = self->rewriter->graph;

  for (guint i = 0; i < assay_graph_region (graph, id)->nodes->len; i++)
    {
      AssayNodeId node = g_array_index (assay_graph_region (graph, id)->nodes, AssayNodeId, i);

      if (++self->n_seen % CHECK_INTERVAL == 0 && !assay_progress_check (self->progress, error))
        return FALSE;
      if (assay_rewriter_is_removed (self->rewriter, node))
        continue;

      for (guint j = 0; j < assay_graph_node (graph, node)->n_attrs; j++)
        {
          AssayAttr attr = assay_graph_node (graph, node)->attrs[j];

          if (attr.kind == ASSAY_ATTR_GRAPH && !walk_region (self, attr.u.region, error))
            return FALSE;
          for (guint k = 0; attr.kind == ASSAY_ATTR_GRAPHS && k < attr.n; k++)
            {
              if (!walk_region (self, attr.u.regions[k], error))
                return FALSE;
            }
        }

      self->func (self->rewriter, node, self->user_data);
    }

  return TRUE;
}

/**
 * assay_rewriter_each_node:
 * @self: the state
 * @func: called for every node that is still there, in topological order, nested nodes before the
 * node around them
 * @user_data: data for @func
 * @progress: (nullable): asked whether to go on
 * @error: return location for a #GError
 *
 * Walks a graph.
 *
 * Returns: %FALSE if cancelled
 */
gboolean
assay_rewriter_each_node (AssayRewriter *self, AssayNodeFunc func, gpointer user_data,
                          const AssayProgress *progress, GError **error)
{
  Walk walk = { self, func, user_data, progress, 0 };

  return walk_region (&walk, ASSAY_MAIN_REGION, error);
}

typedef struct
{
  AssayGraph *graph;
  AssayValueId *values;
  AssayNodeId *nodes;
  AssayRegionId *regions;
} Renumber;

/* Gives every value, node and region that is reached from here its new number, in the order of the
 * regions. */
static void
renumber_region (Renumber *self, AssayRewriter *rewriter, AssayRegionId id, GArray *node_order,
                 GArray *region_order)
{
  const AssayRegion *region = assay_graph_region (self->graph, id);
  guint kept = 0;

  self->regions[id] = region_order->len;
  g_array_append_val (region_order, id);

  for (guint i = 0; i < region->inputs->len; i++)
    self->values[g_array_index (region->inputs, AssayValueId, i)] = 1;

  for (guint i = 0; i < region->nodes->len; i++)
    {
      AssayNodeId node_id = g_array_index (region->nodes, AssayNodeId, i);
      AssayNode *node = assay_graph_edit_node (self->graph, node_id);

      if (assay_rewriter_is_removed (rewriter, node_id))
        continue;

      g_array_index (region->nodes, AssayNodeId, kept++) = node_id;
      self->nodes[node_id] = node_order->len;
      g_array_append_val (node_order, node_id);

      for (guint j = 0; j < node->n_inputs; j++)
        {
          node->inputs[j] = assay_rewriter_resolve (rewriter, node->inputs[j]);
          self->values[node->inputs[j]] = 1;
        }
      for (guint j = 0; j < node->n_outputs; j++)
        self->values[node->outputs[j]] = 1;

      for (guint j = 0; j < node->n_attrs; j++)
        {
          const AssayAttr *attr = &node->attrs[j];

          if (attr->kind == ASSAY_ATTR_GRAPH)
            renumber_region (self, rewriter, attr->u.region, node_order, region_order);
          for (guint k = 0; attr->kind == ASSAY_ATTR_GRAPHS && k < attr->n; k++)
            renumber_region (self, rewriter, attr->u.regions[k], node_order, region_order);
        }
    }

  g_array_set_size (region->nodes, kept);

  for (guint i = 0; i < region->outputs->len; i++)
    {
      AssayValueId *output = &g_array_index (region->outputs, AssayValueId, i);

      *output = assay_rewriter_resolve (rewriter, *output);
      self->values[*output] = 1;
    }
}

static void
map_ids (GArray *ids, const guint32 *map)
{
  for (guint i = 0; i < ids->len; i++)
    g_array_index (ids, guint32, i) = map[g_array_index (ids, guint32, i)];
}

static void
map_node (Renumber *self, AssayNode *node)
{
  node->region = self->regions[node->region];
  for (guint i = 0; i < node->n_inputs; i++)
    node->inputs[i] = self->values[node->inputs[i]];
  for (guint i = 0; i < node->n_outputs; i++)
    node->outputs[i] = self->values[node->outputs[i]];

  for (guint i = 0; i < node->n_attrs; i++)
    {
      AssayAttr *attr = &node->attrs[i];

      if (attr->kind == ASSAY_ATTR_GRAPH)
        {
          attr->u.region = self->regions[attr->u.region];
        }
      else if (attr->kind == ASSAY_ATTR_GRAPHS)
        {
          AssayRegionId *regions = assay_arena_alloc_n (self->graph->arena, attr->n,
                                                        sizeof *regions);

          for (guint j = 0; j < attr->n; j++)
            regions[j] = self->regions[attr->u.regions[j]];
          attr->u.regions = regions;
        }
    }
}

static void
compact (AssayRewriter *rewriter)
{
  AssayGraph *graph = rewriter->graph;
  g_autofree AssayValueId *values = g_new0 (AssayValueId, graph->values->len);
  g_autofree AssayNodeId *nodes = g_new0 (AssayNodeId, graph->nodes->len);
  g_autofree AssayRegionId *regions = g_new0 (AssayRegionId, graph->regions->len);
  g_autoptr (GArray) node_order = g_array_new (FALSE, FALSE, sizeof (AssayNodeId));
  g_autoptr (GArray) region_order = g_array_new (FALSE, FALSE, sizeof (AssayRegionId));
  GArray *kept_nodes = g_array_new (FALSE, TRUE, sizeof (AssayNode));
  GArray *kept_regions = g_array_new (FALSE, TRUE, sizeof (AssayRegion));
  Renumber renumber = { graph, values, nodes, regions };
  AssayNodeId no_node = ASSAY_NO_NODE;
  AssayValueId n_values = 1;

  g_array_append_val (node_order, no_node);
  renumber_region (&renumber, rewriter, ASSAY_MAIN_REGION, node_order, region_order);

  values[ASSAY_NO_VALUE] = 0;
  for (AssayValueId i = 1; i < graph->values->len; i++)
    {
      if (values[i] == 0)
        continue;
      values[i] = n_values;
      g_array_index (graph->values, AssayValue, n_values++) = g_array_index (graph->values,
                                                                             AssayValue, i);
    }
  g_array_set_size (graph->values, n_values);

  for (AssayValueId i = 1; i < n_values; i++)
    {
      AssayValue *value = assay_graph_edit_value (graph, i);

      value->producer = nodes[value->producer];
      value->region = regions[value->region];
    }

  for (guint i = 0; i < node_order->len; i++)
    g_array_append_val (kept_nodes,
                        *assay_graph_node (graph, g_array_index (node_order, AssayNodeId, i)));
  for (guint i = 1; i < kept_nodes->len; i++)
    map_node (&renumber, &g_array_index (kept_nodes, AssayNode, i));

  for (guint i = 0; i < region_order->len; i++)
    {
      AssayRegion region = *assay_graph_region (graph,
                                                g_array_index (region_order, AssayRegionId, i));

      map_ids (region.inputs, values);
      map_ids (region.outputs, values);
      map_ids (region.nodes, nodes);
      region.parent = nodes[region.parent];
      region.inputs = g_array_ref (region.inputs);
      region.outputs = g_array_ref (region.outputs);
      region.nodes = g_array_ref (region.nodes);
      g_array_append_val (kept_regions, region);
    }
  g_array_set_clear_func (kept_regions, assay_region_clear);

  g_array_unref (graph->nodes);
  g_array_unref (graph->regions);
  graph->nodes = kept_nodes;
  graph->regions = kept_regions;
}

/**
 * assay_rewriter_finish:
 * @self: the state
 *
 * Ends a pass: replaced values are replaced, removed nodes leave, and what is left is numbered
 * without gaps.
 *
 * Returns: the number of changes
 */
guint
assay_rewriter_finish (AssayRewriter *self)
{
  if (self->n_changes > 0)
    compact (self);

  g_clear_pointer (&self->reads, g_array_unref);
  g_clear_pointer (&self->forward, g_array_unref);
  g_clear_pointer (&self->removed, g_array_unref);

  return self->n_changes;
}
