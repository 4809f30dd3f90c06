/* assay-graph-builder.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/assay-graph-builder.h"

#include <string.h>

/**
 * assay_graph_add_value:
 * @self: a graph
 * @region: where it is defined
 * @kind: where it comes from
 * @name: its name
 * @type: (nullable): what is known of its type, of any arena
 *
 * Adds a value; for results the producer is filled in by assay_graph_add_node().
 *
 * Returns: the value
 */
AssayValueId
assay_graph_add_value (AssayGraph *self, AssayRegionId region, AssayValueKind kind,
                       const char *name, const AssayType *type)
{
  AssayValue value = { 0 };

  value.name = assay_arena_intern (self->arena, name);
  value.type = type == NULL ? &assay_type_unknown : assay_type_copy (self->arena, type);
  value.kind = kind;
  value.region = region;
  g_array_append_val (self->values, value);

  return self->values->len - 1;
}

/**
 * assay_graph_add_constant:
 * @self: a graph
 * @region: where it is defined
 * @name: its name
 * @tensor: (transfer none): its elements
 *
 * Adds a constant of the type of its elements.
 *
 * Returns: the value
 */
AssayValueId
assay_graph_add_constant (AssayGraph *self, AssayRegionId region, const char *name,
                          AssayTensor *tensor)
{
  AssayValueId id = assay_graph_add_value (self, region, ASSAY_VALUE_CONSTANT, name, NULL);

  assay_graph_set_constant (self, id, tensor);
  assay_graph_edit_value (self, id)->type = assay_type_new_fixed (
      self->arena, assay_tensor_get_dtype (tensor), assay_tensor_get_rank (tensor),
      assay_tensor_get_dims (tensor));

  return id;
}

/**
 * assay_graph_add_input:
 * @self: a graph
 * @region: a region
 * @name: name of the input
 * @type: (nullable): what is known of its type
 *
 * Adds an input to a region, behind those it has.
 *
 * Returns: the value
 */
AssayValueId
assay_graph_add_input (AssayGraph *self, AssayRegionId region, const char *name,
                       const AssayType *type)
{
  AssayValueId id = assay_graph_add_value (self, region, ASSAY_VALUE_INPUT, name, type);

  assay_graph_edit_value (self, id)->output = assay_graph_region (self, region)->inputs->len;
  g_array_append_val (assay_graph_region (self, region)->inputs, id);

  return id;
}

/**
 * assay_graph_add_output:
 * @self: a graph
 * @region: a region
 * @value: a value of it or of a region around it
 *
 * Adds an output to a region.
 */
void
assay_graph_add_output (AssayGraph *self, AssayRegionId region, AssayValueId value)
{
  g_array_append_val (assay_graph_region (self, region)->outputs, value);
}

/**
 * assay_graph_add_node:
 * @self: a graph
 * @region: where it stands
 * @op: the operation
 * @name: its name
 * @n_inputs: number of inputs
 * @inputs: (array length=n_inputs): the inputs, 0 for omitted ones
 * @n_outputs: number of outputs
 * @outputs: (array length=n_outputs): results without producer, 0 for unwanted ones
 *
 * Adds a node at the end of a region; type and domain are those of the op table and can be changed
 * afterwards.
 *
 * Returns: the node
 */
AssayNodeId
assay_graph_add_node (AssayGraph *self, AssayRegionId region, AssayOp op, const char *name,
                      guint n_inputs, const AssayValueId *inputs, guint n_outputs,
                      const AssayValueId *outputs)
{
  const AssayOpInfo *info = assay_op_get_info (op);
  AssayNodeId id = self->nodes->len;
  AssayNode node = { 0 };

  while (n_inputs > 0 && inputs[n_inputs - 1] == ASSAY_NO_VALUE)
    n_inputs--;

  node.op = op;
  node.region = region;
  node.name = assay_arena_intern (self->arena, name);
  node.op_type = info->name;
  node.domain = info->domain;
  node.n_inputs = n_inputs;
  node.n_outputs = n_outputs;
  node.inputs = assay_arena_memdup (self->arena, inputs, n_inputs * sizeof *inputs);
  node.outputs = assay_arena_memdup (self->arena, outputs, n_outputs * sizeof *outputs);

  for (guint i = 0; i < n_outputs; i++)
    {
      AssayValue *value;

      if (outputs[i] == ASSAY_NO_VALUE)
        continue;

      value = assay_graph_edit_value (self, outputs[i]);
      value->producer = id;
      value->output = i;
    }

  g_array_append_val (self->nodes, node);
  g_array_append_val (assay_graph_region (self, region)->nodes, id);

  return id;
}

/**
 * assay_graph_add_region:
 * @self: a graph
 * @parent: the node it will be an attribute of, or 0
 * @attribute: (nullable): name of that attribute
 * @name: name of the graph
 *
 * Adds an empty region; the attribute that holds it is set by the caller.
 *
 * Returns: the region
 */
AssayRegionId
assay_graph_add_region (AssayGraph *self, AssayNodeId parent, const char *attribute,
                        const char *name)
{
  AssayRegion region = { 0 };

  region.parent = parent;
  region.attribute = assay_arena_intern (self->arena, attribute);
  region.name = assay_arena_intern (self->arena, name);
  region.inputs = g_array_new (FALSE, FALSE, sizeof (AssayValueId));
  region.outputs = g_array_new (FALSE, FALSE, sizeof (AssayValueId));
  region.nodes = g_array_new (FALSE, FALSE, sizeof (AssayNodeId));
  g_array_append_val (self->regions, region);

  return self->regions->len - 1;
}

/**
 * assay_graph_add_origin:
 * @self: a graph
 * @path: path of the graph in the file
 * @name: name of the ONNX node, maybe empty
 * @op_type: its type
 * @domain: its domain
 * @index: its position
 *
 * Adds a node of the ONNX file to the list that provenance points into.
 *
 * Returns: the index of the origin
 */
guint32
assay_graph_add_origin (AssayGraph *self, const char *path, const char *name, const char *op_type,
                        const char *domain, guint32 index)
{
  AssayOrigin origin = {
    .path = assay_arena_intern (self->arena, path),
    .name = assay_arena_intern (self->arena, name),
    .op_type = assay_arena_intern (self->arena, op_type),
    .domain = assay_arena_intern (self->arena, domain),
    .index = index,
  };

  g_array_append_val (self->origins, origin);

  return self->origins->len - 1;
}

/**
 * assay_graph_add_scope:
 * @self: a graph
 * @path: slash separated path, such as `encoder/layer.0/attention`
 *
 * Gets the index of a scope, adding it if it is new; callers with many nodes keep their own table.
 *
 * Returns: the index, 0 for an empty path
 */
guint32
assay_graph_add_scope (AssayGraph *self, const char *path)
{
  const char *interned;

  if (path == NULL || path[0] == '\0')
    return 0;

  interned = assay_arena_intern (self->arena, path);

  /* Nodes of one scope come together, so the search from the end is short. */
  for (guint i = self->scopes->len; i-- > 1;)
    {
      if (g_array_index (self->scopes, const char *, i) == interned)
        return i;
    }

  g_array_append_val (self->scopes, interned);

  return self->scopes->len - 1;
}

/**
 * assay_graph_keep_tensor:
 * @self: a graph
 * @tensor: (transfer full): a tensor
 *
 * Hands a tensor to the graph, which keeps it alive.
 *
 * Returns: (transfer none): the tensor
 */
AssayTensor *
assay_graph_keep_tensor (AssayGraph *self, AssayTensor *tensor)
{
  g_ptr_array_add (self->tensors, tensor);

  return tensor;
}

/**
 * assay_graph_set_constant:
 * @self: a graph
 * @value: a value
 * @tensor: (transfer none): its elements
 *
 * Says what the elements of a value are.
 */
void
assay_graph_set_constant (AssayGraph *self, AssayValueId value, AssayTensor *tensor)
{
  assay_graph_edit_value (self, value)->constant = assay_graph_keep_tensor (
      self, assay_tensor_ref (tensor));
}

/**
 * assay_graph_set_origins:
 * @self: a graph
 * @node: a node
 * @n: number of origins
 * @origins: (array length=n): indices of origins
 *
 * Says which ONNX nodes a node stands for.
 */
void
assay_graph_set_origins (AssayGraph *self, AssayNodeId node, guint n, const guint32 *origins)
{
  assay_graph_edit_node (self, node)->origins = assay_arena_memdup (self->arena, origins,
                                                                    n * sizeof *origins);
  assay_graph_edit_node (self, node)->n_origins = n;
}

/**
 * assay_graph_set_attrs:
 * @self: a graph
 * @node: a node
 * @n: number of attributes
 * @attrs: (array length=n): attributes whose names and payloads already live in the graph
 *
 * Replaces all attributes of a node; only the array itself is copied.
 */
void
assay_graph_set_attrs (AssayGraph *self, AssayNodeId node, guint n, const AssayAttr *attrs)
{
  assay_graph_edit_node (self, node)->attrs = assay_arena_memdup (self->arena, attrs,
                                                                  n * sizeof *attrs);
  assay_graph_edit_node (self, node)->n_attrs = n;
}

/**
 * assay_graph_set_attr:
 * @self: a graph
 * @id: a node
 * @attr: an attribute; what it points to is not copied
 *
 * Sets an attribute of any kind, replacing one of the same name.
 */
void
assay_graph_set_attr (AssayGraph *self, AssayNodeId id, AssayAttr attr)
{
  AssayNode *node = assay_graph_edit_node (self, id);
  AssayAttr *grown;

  attr.name = assay_arena_intern (self->arena, attr.name);

  for (guint i = 0; i < node->n_attrs; i++)
    {
      if (strcmp (node->attrs[i].name, attr.name) == 0)
        {
          node->attrs[i] = attr;
          return;
        }
    }

  grown = assay_arena_alloc_n (self->arena, node->n_attrs + 1, sizeof *grown);
  if (node->n_attrs > 0)
    memcpy (grown, node->attrs, node->n_attrs * sizeof *grown);
  grown[node->n_attrs] = attr;
  node->attrs = grown;
  node->n_attrs++;
}

/**
 * assay_graph_set_int:
 * @self: a graph
 * @node: a node
 * @name: name of the attribute
 * @value: its value
 *
 * Sets an integer attribute, replacing one of the same name.
 */
void
assay_graph_set_int (AssayGraph *self, AssayNodeId node, const char *name, gint64 value)
{
  assay_graph_set_attr (self, node,
                        (AssayAttr){ .name = name, .kind = ASSAY_ATTR_INT, .u.i = value });
}

/**
 * assay_graph_set_float:
 * @self: a graph
 * @node: a node
 * @name: name of the attribute
 * @value: its value
 *
 * Sets a float attribute, replacing one of the same name.
 */
void
assay_graph_set_float (AssayGraph *self, AssayNodeId node, const char *name, double value)
{
  assay_graph_set_attr (self, node,
                        (AssayAttr){ .name = name, .kind = ASSAY_ATTR_FLOAT, .u.f = value });
}

/**
 * assay_graph_set_string:
 * @self: a graph
 * @node: a node
 * @name: name of the attribute
 * @value: its value, copied
 *
 * Sets a string attribute, replacing one of the same name.
 */
void
assay_graph_set_string (AssayGraph *self, AssayNodeId node, const char *name, const char *value)
{
  assay_graph_set_attr (self, node,
                        (AssayAttr){
                            .name = name,
                            .kind = ASSAY_ATTR_STRING,
                            .n = (guint32) strlen (value),
                            .u.s = assay_arena_intern (self->arena, value),
                        });
}

/**
 * assay_graph_set_ints:
 * @self: a graph
 * @node: a node
 * @name: name of the attribute
 * @n: number of entries
 * @values: (array length=n): the entries, copied
 *
 * Sets a list of integers, replacing an attribute of the same name.
 */
void
assay_graph_set_ints (AssayGraph *self, AssayNodeId node, const char *name, guint n,
                      const gint64 *values)
{
  assay_graph_set_attr (self, node,
                        (AssayAttr){
                            .name = name,
                            .kind = ASSAY_ATTR_INTS,
                            .n = n,
                            .u.ints = assay_arena_memdup (self->arena, values, n * sizeof *values),
                        });
}

/**
 * assay_graph_remove_attr:
 * @self: a graph
 * @node: a node
 * @name: name of an attribute
 *
 * Removes an attribute if the node carries it.
 */
void
assay_graph_remove_attr (AssayGraph *self, AssayNodeId node, const char *name)
{
  AssayNode *n = assay_graph_edit_node (self, node);
  guint kept = 0;

  for (guint i = 0; i < n->n_attrs; i++)
    {
      if (strcmp (n->attrs[i].name, name) != 0)
        n->attrs[kept++] = n->attrs[i];
    }

  n->n_attrs = kept;
}

static const char *const *
copy_names (AssayGraph *self, guint n, const char *const *names)
{
  const char **copy = assay_arena_alloc_n (self->arena, n, sizeof *copy);

  for (guint i = 0; i < n; i++)
    copy[i] = assay_arena_intern (self->arena, names[i]);

  return copy;
}

/**
 * assay_graph_add_rewrite:
 * @self: a graph
 * @rule: id of the rule
 * @n_before: number of nodes that were replaced
 * @before: (array length=n_before): their names
 * @n_after: number of nodes that replaced them
 * @after: (array length=n_after): their names
 *
 * Records that a rule was applied.
 */
void
assay_graph_add_rewrite (AssayGraph *self, const char *rule, guint n_before,
                         const char *const *before, guint n_after, const char *const *after)
{
  AssayRewrite rewrite = {
    .rule = assay_arena_intern (self->arena, rule),
    .n_before = n_before,
    .n_after = n_after,
    .before = copy_names (self, n_before, before),
    .after = copy_names (self, n_after, after),
  };

  g_array_append_val (self->rewrites, rewrite);
}
