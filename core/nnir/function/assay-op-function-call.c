/* assay-op-function-call.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Functions at nodes: binding what a body calls by name, and writing it.
 */
#include "nnir/function/assay-op-function.h"

#include <string.h>

/**
 * assay_op_function_refuse:
 * @call: a function at a node
 * @format: why the function does not apply
 * @...: arguments of @format
 *
 * Says that a function does not apply.
 *
 * Returns: %FALSE
 */
gboolean
assay_op_function_refuse (AssayOpFunctionCall *call, const char *format, ...)
{
  va_list args;

  g_free (call->reason);
  va_start (args, format);
  call->reason = g_strdup_vprintf (format, args);
  va_end (args);

  return FALSE;
}

/* Inputs that are omitted and have a number for that. */
static void
write_fallbacks (const AssayOpFunctionCall *call)
{
  const GPtrArray *inputs = call->function->inputs;

  for (guint i = 0; i < inputs->len; i++)
    {
      const AssayOpFunctionInput *input = g_ptr_array_index (inputs, i);
      const AssayNode *node = assay_builder_anchor (call->builder);

      if (input->fallback != NULL && assay_node_input (node, i) == ASSAY_NO_VALUE)
        assay_bindings_set_value (call->bindings, input->name,
                                  assay_builder_number_like (call->builder, input->name,
                                                             input->fallback->number,
                                                             assay_node_input (node, 0)));
    }
}

static gboolean
bind_inputs (AssayOpFunctionCall *call)
{
  const AssayOpFunction *self = call->function;
  const AssayNode *node = assay_builder_anchor (call->builder);

  if (node->n_inputs > self->inputs->len)
    return assay_op_function_refuse (call, "the number of its inputs is %u, expected %u",
                                     node->n_inputs, self->inputs->len);
  for (guint i = 0; i < self->inputs->len; i++)
    {
      const AssayOpFunctionInput *input = g_ptr_array_index (self->inputs, i);
      AssayValueId value = assay_node_input (node, i);

      if (value == ASSAY_NO_VALUE && !input->is_optional)
        return assay_op_function_refuse (call, "its input %u is omitted", i);
      if (value != ASSAY_NO_VALUE || input->fallback == NULL)
        assay_bindings_set_value (call->bindings, input->name, value);
    }
  for (guint i = 1; i < node->n_outputs; i++)
    if (node->outputs[i] != ASSAY_NO_VALUE)
      return assay_op_function_refuse (call, "the number of its outputs is %u, expected 1",
                                       node->n_outputs);

  return TRUE;
}

/* The attribute that the node has, or its default. */
static gboolean
find_attr (AssayOpFunctionCall *call, const AssayTerm *setting, AssayAttr *attr)
{
  const AssayNode *node = assay_builder_anchor (call->builder);
  const AssayAttr *found;

  if (node->op != ASSAY_OP_OPAQUE)
    return assay_node_resolve_attr (node, setting->name, attr);

  found = assay_node_find_attr (node, setting->name);
  if (found != NULL)
    *attr = *found;
  else if (setting->string == NULL)
    return FALSE;
  else if (setting->whole)
    *attr = (AssayAttr){ .kind = ASSAY_ATTR_INT, .u.i = (gint64) setting->number };
  else
    *attr = (AssayAttr){ .kind = ASSAY_ATTR_FLOAT, .u.f = (float) setting->number };

  return TRUE;
}

static gboolean
bind_attr (AssayOpFunctionCall *call, const AssayTerm *setting, const AssayAttr *attr)
{
  switch (attr->kind)
    {
    case ASSAY_ATTR_INT:
      assay_bindings_set_int (call->bindings, setting->from, attr->u.i);
      return TRUE;
    case ASSAY_ATTR_FLOAT:
      assay_bindings_set_number (call->bindings, setting->from, attr->u.f);
      return TRUE;
    case ASSAY_ATTR_INTS:
      assay_bindings_set_ints (call->bindings, setting->from, attr->n, attr->u.ints);
      return attr->n <= ASSAY_MAX_RANK;
    case ASSAY_ATTR_STRING:
      assay_bindings_set_string (call->bindings, setting->from, attr->u.s);
      return TRUE;
    case ASSAY_ATTR_NONE:
    case ASSAY_ATTR_TENSOR:
    case ASSAY_ATTR_GRAPH:
    case ASSAY_ATTR_TYPE:
    case ASSAY_ATTR_FLOATS:
    case ASSAY_ATTR_STRINGS:
    case ASSAY_ATTR_TENSORS:
    case ASSAY_ATTR_GRAPHS:
    case ASSAY_ATTR_TYPES:
    default:
      return FALSE;
    }
}

static gboolean
equals (const AssayTerm *setting, const AssayAttr *attr)
{
  if (setting->kind == ASSAY_TERM_STRING)
    return attr->kind == ASSAY_ATTR_STRING && g_str_equal (attr->u.s, setting->string);
  if (setting->kind == ASSAY_TERM_INTS)
    return attr->kind == ASSAY_ATTR_INTS && attr->n == setting->n_ints &&
           memcmp (attr->u.ints, setting->ints, attr->n * sizeof *setting->ints) == 0;

  return (attr->kind == ASSAY_ATTR_INT && (double) attr->u.i == setting->number) ||
         (attr->kind == ASSAY_ATTR_FLOAT && (float) attr->u.f == (float) setting->number);
}

static gboolean
refuse_attr (AssayOpFunctionCall *call, const AssayTerm *setting, const AssayAttr *attr)
{
  if (setting->kind == ASSAY_TERM_STRING && attr->kind == ASSAY_ATTR_STRING)
    return assay_op_function_refuse (call, "%s is \"%s\", expected \"%s\"", setting->name,
                                     attr->u.s, setting->string);
  if (setting->kind == ASSAY_TERM_NUMBER &&
      (attr->kind == ASSAY_ATTR_INT || attr->kind == ASSAY_ATTR_FLOAT))
    return assay_op_function_refuse (call, "%s is %g, expected %g", setting->name,
                                     attr->kind == ASSAY_ATTR_INT ? (double) attr->u.i : attr->u.f,
                                     setting->number);

  return assay_op_function_refuse (call, "its attribute \"%s\" has another value", setting->name);
}

static gboolean
bind_settings (AssayOpFunctionCall *call)
{
  for (guint i = 0; i < call->function->settings->len; i++)
    {
      const AssayTerm *setting = g_ptr_array_index (call->function->settings, i);
      AssayAttr attr;

      if (!find_attr (call, setting, &attr))
        return assay_op_function_refuse (call, "it has no attribute \"%s\"", setting->name);
      if (setting->kind == ASSAY_TERM_BOUND ? !bind_attr (call, setting, &attr)
                                            : !equals (setting, &attr))
        return refuse_attr (call, setting, &attr);
    }

  return TRUE;
}

/**
 * assay_op_function_bind: (skip)
 * @call: a function and a builder whose anchor is a node of its operator
 *
 * Looks whether a function applies to a node, and binds what its body calls by name.
 *
 * Returns: whether it applies; if not, @call has the reason
 */
gboolean
assay_op_function_bind (AssayOpFunctionCall *call)
{
  return bind_inputs (call) && bind_settings (call) &&
         (call->function->guard == NULL || call->function->guard (call));
}

/**
 * assay_op_function_write: (skip)
 * @call: a function that applies
 *
 * Writes the body.
 *
 * Returns: the value that the first output of the node is
 */
AssayValueId
assay_op_function_write (const AssayOpFunctionCall *call)
{
  write_fallbacks (call);

  return assay_expression_write (call->function->body, call->builder, call->bindings);
}

/* The anchor becomes the node that makes the result, which was added last. */
static void
settle_anchor (AssayBuilder *builder, AssayValueId result)
{
  AssayGraph *graph = builder->graph;
  AssayNodeId last = assay_builder_last (builder);
  const AssayNode *node = assay_graph_node (graph, last);
  GArray *nodes = assay_graph_region (graph, assay_builder_anchor (builder)->region)->nodes;
  AssayAttr *attrs;
  guint n_attrs;

  if (assay_graph_value (graph, result)->producer != last || last <= builder->anchor ||
      nodes->len == 0 || g_array_index (nodes, AssayNodeId, nodes->len - 1) != last)
    {
      ASSAY_BECOME (builder, Identity, result);
      return;
    }

  attrs = node->attrs;
  n_attrs = node->n_attrs;
  assay_builder_become (builder, node->op, node->n_inputs, node->inputs);
  assay_graph_set_attrs (graph, builder->anchor, n_attrs, attrs);

  /* It was added for nothing else. */
  if (builder->nodes != NULL)
    g_hash_table_remove (builder->nodes, assay_graph_node (graph, last)->name);
  if (builder->names != NULL)
    g_hash_table_remove (builder->names, assay_graph_value (graph, result)->name);
  g_array_set_size (nodes, nodes->len - 1);
  g_array_set_size (graph->nodes, last);
  g_assert (result == graph->values->len - 1);
  g_array_set_size (graph->values, result);
}

/**
 * assay_op_function_expand: (skip)
 * @self: a function
 * @builder: a builder whose anchor is a node of its operator and is not in its region
 * @reason: (out) (optional): why the function does not apply
 *
 * Writes the body of a function at the end of the region of a node. The node becomes the operation
 * that makes the result and keeps its name; the caller puts it behind the others.
 *
 * Returns: whether the function applies; if not, nothing changed
 */
gboolean
assay_op_function_expand (const AssayOpFunction *self, AssayBuilder *builder, char **reason)
{
  g_autoptr (AssayBindings) bindings = assay_bindings_new ();
  AssayOpFunctionCall call = { self, builder, bindings, NULL };
  g_autofree char *why = NULL;

  if (!assay_op_function_bind (&call))
    {
      why = call.reason;
      if (reason != NULL)
        *reason = g_steal_pointer (&why);
      return FALSE;
    }
  settle_anchor (builder, assay_op_function_write (&call));

  return TRUE;
}
