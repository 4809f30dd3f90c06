/* assay-graph.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/assay-graph.h"

#include <string.h>

#include "nnir/assay-graph-builder.h"

G_DEFINE_BOXED_TYPE (AssayGraph, assay_graph, assay_graph_ref, assay_graph_unref)

/**
 * assay_region_clear:
 * @data: an #AssayRegion
 *
 * Frees what a region in an array holds; for arrays of regions only.
 */
void
assay_region_clear (gpointer data)
{
  AssayRegion *self = data;

  g_array_unref (self->inputs);
  g_array_unref (self->outputs);
  g_array_unref (self->nodes);
}

/**
 * assay_graph_new:
 *
 * Makes a graph with an empty main region.
 *
 * Returns: (transfer full): the graph
 */
AssayGraph *
assay_graph_new (void)
{
  AssayGraph *self = g_new0 (AssayGraph, 1);
  const char *no_scope = "";

  g_atomic_ref_count_init (&self->ref_count);
  self->arena = assay_arena_new ();
  self->values = g_array_new (FALSE, TRUE, sizeof (AssayValue));
  self->nodes = g_array_new (FALSE, TRUE, sizeof (AssayNode));
  self->regions = g_array_new (FALSE, TRUE, sizeof (AssayRegion));
  self->origins = g_array_new (FALSE, TRUE, sizeof (AssayOrigin));
  self->scopes = g_array_new (FALSE, TRUE, sizeof (const char *));
  self->opsets = g_array_new (FALSE, TRUE, sizeof (AssayOpset));
  self->rewrites = g_array_new (FALSE, TRUE, sizeof (AssayRewrite));
  self->tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  self->calls = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_graph_unref);
  g_array_set_clear_func (self->regions, assay_region_clear);

  g_array_set_size (self->values, 1);
  g_array_set_size (self->nodes, 1);
  g_array_append_val (self->scopes, no_scope);
  assay_graph_edit_value (self, 0)->name = "";
  assay_graph_edit_value (self, 0)->type = &assay_type_unknown;
  assay_graph_edit_node (self, 0)->name = "";
  assay_graph_edit_node (self, 0)->op_type = "";
  assay_graph_edit_node (self, 0)->domain = "";
  self->name = "";
  self->producer_name = "";
  self->producer_version = "";
  self->doc = "";

  assay_graph_add_region (self, ASSAY_NO_NODE, NULL, "");

  return self;
}

AssayGraph *
assay_graph_ref (AssayGraph *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
assay_graph_unref (AssayGraph *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_array_unref (self->values);
  g_array_unref (self->nodes);
  g_array_unref (self->regions);
  g_array_unref (self->origins);
  g_array_unref (self->scopes);
  g_array_unref (self->opsets);
  g_array_unref (self->rewrites);
  g_ptr_array_unref (self->calls);
  g_ptr_array_unref (self->tensors);
  assay_arena_free (self->arena);
  g_free (self);
}

/* Most strings of a graph are a few operators, domains and attributes again and again: one look at
 * the pointer says what they became last time. */
typedef struct
{
  AssayArena *arena;
  struct
  {
    const char *from;
    const char *to;
  } slots[256];
} Memo;

static const char *
copy_string (Memo *memo, const char *string)
{
  guint slot = (guint) (GPOINTER_TO_SIZE (string) / 8 % G_N_ELEMENTS (memo->slots));

  if (string == NULL)
    return NULL;

  if (memo->slots[slot].from != string)
    {
      memo->slots[slot].from = string;
      memo->slots[slot].to = assay_arena_intern (memo->arena, string);
    }

  return memo->slots[slot].to;
}

static void
copy_attr (Memo *memo, AssayGraph *self, AssayAttr *attr)
{
  attr->name = copy_string (memo, attr->name);

  switch (attr->kind)
    {
    case ASSAY_ATTR_STRING:
      attr->u.s = assay_arena_intern_n (self->arena, attr->u.s, attr->n);
      break;
    case ASSAY_ATTR_TYPE:
      attr->u.type = assay_type_copy (self->arena, attr->u.type);
      break;
    case ASSAY_ATTR_INTS:
      attr->u.ints = assay_arena_memdup (self->arena, attr->u.ints, attr->n * sizeof (gint64));
      break;
    case ASSAY_ATTR_FLOATS:
      attr->u.floats = assay_arena_memdup (self->arena, attr->u.floats, attr->n * sizeof (double));
      break;
    case ASSAY_ATTR_TENSORS:
      attr->u.tensors = assay_arena_memdup (self->arena, attr->u.tensors,
                                            attr->n * sizeof (AssayTensor *));
      break;
    case ASSAY_ATTR_GRAPHS:
      attr->u.regions = assay_arena_memdup (self->arena, attr->u.regions,
                                            attr->n * sizeof (AssayRegionId));
      break;
    case ASSAY_ATTR_STRINGS:
      {
        const char **strings = assay_arena_memdup (self->arena, attr->u.strings,
                                                   attr->n * sizeof (char *));

        for (guint i = 0; i < attr->n; i++)
          strings[i] = assay_arena_intern (self->arena, strings[i]);
        attr->u.strings = strings;
      }
      break;
    case ASSAY_ATTR_TYPES:
      {
        const AssayType **types = assay_arena_memdup (self->arena, attr->u.types,
                                                      attr->n * sizeof (AssayType *));

        for (guint i = 0; i < attr->n; i++)
          types[i] = assay_type_copy (self->arena, types[i]);
        attr->u.types = types;
      }
      break;
    default:
      break;
    }
}

/**
 * assay_graph_copy:
 * @self: a graph
 *
 * Copies a graph with all its ids, so that a pass can change the copy; tensors are shared.
 *
 * Returns: (transfer full): the copy
 */
AssayGraph *
assay_graph_copy (AssayGraph *self)
{
  AssayGraph *copy = assay_graph_new ();
  AssayArena *arena = copy->arena;
  Memo memo = { .arena = arena };

  g_array_set_size (copy->values, 0);
  g_array_set_size (copy->nodes, 0);
  g_array_set_size (copy->regions, 0);
  g_array_set_size (copy->scopes, 0);

  g_array_append_vals (copy->values, self->values->data, self->values->len);
  g_array_append_vals (copy->nodes, self->nodes->data, self->nodes->len);
  g_array_append_vals (copy->origins, self->origins->data, self->origins->len);
  g_array_append_vals (copy->scopes, self->scopes->data, self->scopes->len);
  g_array_append_vals (copy->opsets, self->opsets->data, self->opsets->len);

  for (guint i = 0; i < copy->values->len; i++)
    {
      AssayValue *value = assay_graph_edit_value (copy, i);

      value->name = assay_arena_intern (arena, value->name);
      value->type = assay_type_copy (arena, value->type);
    }

  for (guint i = 0; i < copy->nodes->len; i++)
    {
      AssayNode *node = assay_graph_edit_node (copy, i);

      node->name = assay_arena_intern (arena, node->name);
      node->violation = copy_string (&memo, node->violation);
      node->op_type = copy_string (&memo, node->op_type);
      node->domain = copy_string (&memo, node->domain);
      node->inputs = assay_arena_memdup (arena, node->inputs,
                                         node->n_inputs * sizeof (AssayValueId));
      node->outputs = assay_arena_memdup (arena, node->outputs,
                                          node->n_outputs * sizeof (AssayValueId));
      node->origins = assay_arena_memdup (arena, node->origins, node->n_origins * sizeof (guint32));
      node->attrs = assay_arena_memdup (arena, node->attrs, node->n_attrs * sizeof (AssayAttr));
      for (guint j = 0; j < node->n_attrs; j++)
        copy_attr (&memo, copy, &node->attrs[j]);
    }

  for (guint i = 0; i < self->regions->len; i++)
    {
      AssayRegion region = *assay_graph_region (self, i);

      region.name = assay_arena_intern (arena, region.name);
      region.attribute = assay_arena_intern (arena, region.attribute);
      region.inputs = g_array_copy (region.inputs);
      region.outputs = g_array_copy (region.outputs);
      region.nodes = g_array_copy (region.nodes);
      g_array_append_val (copy->regions, region);
    }

  for (guint i = 0; i < copy->origins->len; i++)
    {
      AssayOrigin *origin = &g_array_index (copy->origins, AssayOrigin, i);

      origin->path = copy_string (&memo, origin->path);
      origin->name = assay_arena_intern (arena, origin->name);
      origin->op_type = copy_string (&memo, origin->op_type);
      origin->domain = copy_string (&memo, origin->domain);
      origin->rule = copy_string (&memo, origin->rule);
    }

  for (guint i = 0; i < copy->scopes->len; i++)
    g_array_index (copy->scopes, const char *,
                   i) = assay_arena_intern (arena, g_array_index (copy->scopes, const char *, i));

  for (guint i = 0; i < copy->opsets->len; i++)
    {
      AssayOpset *opset = &g_array_index (copy->opsets, AssayOpset, i);

      opset->domain = assay_arena_intern (arena, opset->domain);
    }

  for (guint i = 0; i < self->rewrites->len; i++)
    {
      const AssayRewrite *rewrite = &g_array_index (self->rewrites, AssayRewrite, i);

      assay_graph_add_rewrite (copy, rewrite->rule, rewrite->n_before, rewrite->before,
                               rewrite->n_after, rewrite->after);
    }

  for (guint i = 0; i < self->tensors->len; i++)
    g_ptr_array_add (copy->tensors, assay_tensor_ref (g_ptr_array_index (self->tensors, i)));
  for (guint i = 0; i < self->calls->len; i++)
    g_ptr_array_add (copy->calls, assay_graph_ref (g_ptr_array_index (self->calls, i)));

  copy->name = assay_arena_intern (arena, self->name);
  copy->producer_name = assay_arena_intern (arena, self->producer_name);
  copy->producer_version = assay_arena_intern (arena, self->producer_version);
  copy->doc = assay_arena_intern (arena, self->doc);
  copy->source = self->source;
  copy->is_changed = TRUE;
  copy->ir_version = self->ir_version;
  copy->level = self->level;

  return copy;
}

/**
 * assay_graph_adopt_attrs:
 * @self: a graph
 * @node: a node
 * @n: number of attributes
 * @attrs: (array length=n): attributes of a node of another graph, none of which holds a graph
 *
 * Gives a node the attributes of another graph, with all that they point to.
 */
void
assay_graph_adopt_attrs (AssayGraph *self, AssayNodeId node, guint n, const AssayAttr *attrs)
{
  Memo memo = { .arena = self->arena };

  assay_graph_set_attrs (self, node, n, attrs);
  for (guint i = 0; i < n; i++)
    {
      AssayAttr *attr = &assay_graph_edit_node (self, node)->attrs[i];

      copy_attr (&memo, self, attr);
      for (guint j = 0; attr->kind == ASSAY_ATTR_TENSORS && j < attr->n; j++)
        assay_graph_keep_tensor (self, assay_tensor_ref (attr->u.tensors[j]));
      if (attr->kind == ASSAY_ATTR_TENSOR)
        assay_graph_keep_tensor (self, assay_tensor_ref (attr->u.tensor));
    }
}

/**
 * assay_node_find_attr:
 * @self: a node
 * @name: name of an attribute
 *
 * Finds an attribute that the node carries; defaults are not found.
 *
 * Returns: (transfer none) (nullable): the attribute
 */
const AssayAttr *
assay_node_find_attr (const AssayNode *self, const char *name)
{
  for (guint i = 0; i < self->n_attrs; i++)
    {
      if (strcmp (self->attrs[i].name, name) == 0)
        return &self->attrs[i];
    }

  return NULL;
}

/**
 * assay_node_find_value:
 * @self: a Constant
 *
 * Finds the attribute that holds the elements: the first one that can, whatever its name is.
 *
 * Returns: (transfer none) (nullable): the attribute
 */
const AssayAttr *
assay_node_find_value (const AssayNode *self)
{
  static const AssayAttrKind kinds[] = {
    ASSAY_ATTR_TENSOR, ASSAY_ATTR_INT,    ASSAY_ATTR_INTS,    ASSAY_ATTR_FLOAT,
    ASSAY_ATTR_FLOATS, ASSAY_ATTR_STRING, ASSAY_ATTR_STRINGS,
  };

  for (guint i = 0; i < self->n_attrs; i++)
    for (guint j = 0; j < G_N_ELEMENTS (kinds); j++)
      if (self->attrs[i].kind == kinds[j])
        return &self->attrs[i];

  return NULL;
}

/* What a node carries under a name, or else the default of the op table; a value without kind if
 * there is neither. */
static AssayAttr
resolve_attr (const AssayNode *self, const char *name, AssayAttrKind kind)
{
  const AssayAttr *attr = assay_node_find_attr (self, name);
  const AssayAttrSpec *spec;
  AssayAttr value = { 0 };

  if (attr != NULL && (kind == ASSAY_ATTR_NONE || attr->kind == kind))
    return *attr;

  spec = assay_op_find_attr (self->op, name);
  if (spec == NULL || !spec->has_default || (kind != ASSAY_ATTR_NONE && spec->kind != kind))
    return value;

  /* It outlives the name that was asked for. */
  value.name = spec->name;
  value.kind = spec->kind;
  if (spec->kind == ASSAY_ATTR_INT)
    value.u.i = spec->i;
  else if (spec->kind == ASSAY_ATTR_FLOAT)
    value.u.f = spec->f;
  else
    {
      value.u.s = spec->s;
      value.n = (guint32) strlen (spec->s);
    }

  return value;
}

/* Whoever asks for an attribute by name means one of the op table. */
static AssayAttr
expect_attr (const AssayNode *self, const char *name, AssayAttrKind kind)
{
  AssayAttr value = resolve_attr (self, name, kind);

  if (value.kind == ASSAY_ATTR_NONE)
    {
      const AssayAttrSpec *spec = assay_op_find_attr (self->op, name);

      if (spec == NULL || spec->kind != kind)
        g_critical ("the row of %s has no attribute %s of this kind", assay_op_name (self->op),
                    name);
    }

  return value;
}

/**
 * assay_node_resolve_attr:
 * @self: a node
 * @name: name of an attribute
 * @attr: (out caller-allocates): gets the attribute
 *
 * Gets an attribute as it counts: what the node carries, or else the default of the op table.
 *
 * Returns: whether there is either
 */
gboolean
assay_node_resolve_attr (const AssayNode *self, const char *name, AssayAttr *attr)
{
  *attr = resolve_attr (self, name, ASSAY_ATTR_NONE);

  return attr->kind != ASSAY_ATTR_NONE;
}

/**
 * assay_node_find_int:
 * @self: a node
 * @name: name of an attribute, maybe one that its operation does not know
 * @value: (inout): gets the value, and stays as it is where there is none
 *
 * Gets an integer attribute that a node may do without.
 *
 * Returns: whether the node carries it or the op table has a default
 */
gboolean
assay_node_find_int (const AssayNode *self, const char *name, gint64 *value)
{
  AssayAttr attr = resolve_attr (self, name, ASSAY_ATTR_INT);

  if (attr.kind == ASSAY_ATTR_INT)
    *value = attr.u.i;

  return attr.kind == ASSAY_ATTR_INT;
}

/**
 * assay_node_find_float:
 * @self: a node
 * @name: name of an attribute, maybe one that its operation does not know
 * @value: (inout): gets the value, and stays as it is where there is none
 *
 * Gets a float attribute that a node may do without.
 *
 * Returns: whether the node carries it or the op table has a default
 */
gboolean
assay_node_find_float (const AssayNode *self, const char *name, double *value)
{
  AssayAttr attr = resolve_attr (self, name, ASSAY_ATTR_FLOAT);

  if (attr.kind == ASSAY_ATTR_FLOAT)
    *value = attr.u.f;

  return attr.kind == ASSAY_ATTR_FLOAT;
}

/**
 * assay_node_get_int:
 * @self: a node
 * @name: name of an attribute that the row of its operation has
 *
 * Gets an integer attribute, the default of the op table counting.
 *
 * Returns: the value; 0 where the node has none and the row no default
 */
gint64
assay_node_get_int (const AssayNode *self, const char *name)
{
  return expect_attr (self, name, ASSAY_ATTR_INT).u.i;
}

/**
 * assay_node_get_float:
 * @self: a node
 * @name: name of an attribute that the row of its operation has
 *
 * Gets a float attribute, the default of the op table counting.
 *
 * Returns: the value; 0 where the node has none and the row no default
 */
double
assay_node_get_float (const AssayNode *self, const char *name)
{
  return expect_attr (self, name, ASSAY_ATTR_FLOAT).u.f;
}

/**
 * assay_node_get_string:
 * @self: a node
 * @name: name of an attribute that the row of its operation has
 *
 * Gets a string attribute, the default of the op table counting.
 *
 * Returns: (transfer none): the value; "" where the node has none and the row no default
 */
const char *
assay_node_get_string (const AssayNode *self, const char *name)
{
  AssayAttr value = expect_attr (self, name, ASSAY_ATTR_STRING);

  return value.kind == ASSAY_ATTR_STRING ? value.u.s : "";
}

/**
 * assay_node_get_floats:
 * @self: a node
 * @name: name of an attribute
 * @n: (out): where to put the number of entries; 0 if the node does not carry it
 *
 * Gets a list of floating point numbers.
 *
 * Returns: (transfer none) (nullable) (array length=n): the list, or %NULL if the node does not
 * carry it
 */
const double *
assay_node_get_floats (const AssayNode *self, const char *name, guint *n)
{
  const AssayAttr *attr = assay_node_find_attr (self, name);

  *n = attr != NULL && attr->kind == ASSAY_ATTR_FLOATS ? attr->n : 0;

  return attr != NULL && attr->kind == ASSAY_ATTR_FLOATS ? attr->u.floats : NULL;
}

/**
 * assay_node_get_ints:
 * @self: a node
 * @name: name of an attribute
 * @n: (out): where to put the number of entries; 0 if the node does not carry it
 *
 * Gets a list of integers.
 *
 * Returns: (transfer none) (nullable) (array length=n): the list, or %NULL if the node does not
 * carry it
 */
const gint64 *
assay_node_get_ints (const AssayNode *self, const char *name, guint *n)
{
  static const gint64 empty[1] = { 0 };
  const AssayAttr *attr = assay_node_find_attr (self, name);

  *n = 0;
  if (attr == NULL || attr->kind != ASSAY_ATTR_INTS)
    return NULL;

  *n = attr->n;
  return attr->n == 0 ? empty : attr->u.ints;
}

/**
 * assay_node_get_entry:
 * @self: a node
 * @name: name of a list of integers
 * @index: index of an entry
 *
 * Gets an entry of a list whose entries are 0 unless they are written out.
 *
 * Returns: the entry
 */
gint64
assay_node_get_entry (const AssayNode *self, const char *name, guint index)
{
  guint n;
  const gint64 *list = assay_node_get_ints (self, name, &n);

  return index < n ? list[index] : 0;
}

/**
 * assay_node_input:
 * @self: a node
 * @index: which input
 *
 * Gets an input, 0 if it is omitted or past the end.
 *
 * Returns: the value
 */
AssayValueId
assay_node_input (const AssayNode *self, guint index)
{
  return index < self->n_inputs ? self->inputs[index] : ASSAY_NO_VALUE;
}

/**
 * assay_node_output:
 * @self: a node
 * @index: which output
 *
 * Gets an output, 0 if it is not wanted or past the end.
 *
 * Returns: the value
 */
AssayValueId
assay_node_output (const AssayNode *self, guint index)
{
  return index < self->n_outputs ? self->outputs[index] : ASSAY_NO_VALUE;
}

/**
 * assay_graph_is_constant:
 * @self: a graph
 * @id: a value, or 0
 *
 * Tells whether the elements are known when compiling. An input with a default counts as a
 * parameter only where a caller says so; here it is a run-time value if the file can override it.
 *
 * Returns: whether the elements are known
 */
gboolean
assay_graph_is_constant (const AssayGraph *self, AssayValueId id)
{
  return assay_graph_constant (self, id) != NULL;
}

/**
 * assay_graph_constant:
 * @self: a graph
 * @id: a value, or 0
 *
 * Gets the elements of a value that is known when compiling.
 *
 * Returns: (transfer none) (nullable): the elements
 */
AssayTensor *
assay_graph_constant (const AssayGraph *self, AssayValueId id)
{
  const AssayValue *value = assay_graph_value (self, id);

  /* Up to IR version 3 an initializer had to be listed as an input too, which says nothing. */
  if (value->is_parameter && self->ir_version >= 4)
    return NULL;

  return value->constant;
}

/**
 * assay_graph_node_path:
 * @self: a graph
 * @id: a node
 *
 * Gets where a node stands, for messages: its name, with the control flow nodes around it in front,
 * such as `if_3/then_branch/conv1`.
 *
 * Returns: (transfer full): the path
 */
char *
assay_graph_node_path (const AssayGraph *self, AssayNodeId id)
{
  GString *text = g_string_new (assay_graph_node (self, id)->name);
  const AssayRegion *region = assay_graph_region (self, assay_graph_node (self, id)->region);

  while (region->parent != ASSAY_NO_NODE)
    {
      const AssayNode *parent = assay_graph_node (self, region->parent);
      g_autofree char *prefix = g_strdup_printf ("%s/%s/", parent->name, region->attribute);

      g_string_prepend (text, prefix);
      region = assay_graph_region (self, parent->region);
    }

  return g_string_free (text, FALSE);
}
