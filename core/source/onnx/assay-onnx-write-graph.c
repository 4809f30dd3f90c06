/* assay-onnx-write-graph.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-onnx-write-private.h"

#include <string.h>

#include "base/assay-error.h"
#include "source/onnx/assay-import-private.h"
#include "source/onnx/assay-onnx-fields.h"

static gboolean
write_operands (OnnxWriter *self, AssayWireMessage *message, guint field, guint n,
                const AssayValueId *values, const char *node, GError **error)
{
  for (guint i = 0; i < n; i++)
    {
      if (values[i] != ASSAY_NO_VALUE &&
          assay_graph_value (self->graph, values[i])->kind == ASSAY_VALUE_MISSING)
        {
          g_set_error (
              error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
              "node “%s” reads “%s”, but nothing writes it; connect it, or cut the node out", node,
              self->names[values[i]]);
          return FALSE;
        }
      assay_wire_message_add_string (message, field,
                                     values[i] == ASSAY_NO_VALUE ? "" : self->names[values[i]]);
    }

  return TRUE;
}

/* A scope that its name does not tell goes where exporters put it. */
static void
write_scope (OnnxWriter *self, AssayWireMessage *message, const AssayNode *node)
{
  const char *scope = g_array_index (self->graph->scopes, const char *, node->scope);
  gsize length;
  const char *told = assay_onnx_name_scope (node->name, &length);
  g_autofree char *namespace = NULL;

  if (strlen (scope) == length && strncmp (scope, told, length) == 0)
    return;

  namespace = g_strconcat (scope, scope[0] != '\0' ? "/" : "", "node", NULL);
  assay_onnx_write_entry (message, NODE_METADATA_PROPS, "namespace", namespace);
}

static gboolean
write_node (OnnxWriter *self, AssayWireMessage *message, AssayNodeId id, GError **error)
{
  const AssayNode *node = assay_graph_node (self->graph, id);
  g_auto (AssayOnnxForm) form = { 0 };
  AssayWireMessage *own;

  if (self->is_old && (node->op != ASSAY_OP_OPAQUE || node->violation != NULL) &&
      assay_onnx_form_stray_attr (node) != NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
                   "node “%s” has the attribute “%s”, which %s does not have any more and which "
                   "has no newer form",
                   node->name, assay_onnx_form_stray_attr (node), node->op_type);
      return FALSE;
    }

  assay_onnx_form_init (&form, self->graph, id, assay_onnx_write_version (self, node), self->flags);
  own = assay_wire_message_new ();
  if (!write_operands (self, own, NODE_INPUT, form.n_inputs, form.inputs, node->name, error) ||
      !write_operands (self, own, NODE_OUTPUT, node->n_outputs, node->outputs, node->name, error))
    {
      assay_wire_message_free (own);
      return FALSE;
    }
  assay_wire_message_add_string (own, NODE_NAME, node->name);
  assay_wire_message_add_string (own, NODE_OP_TYPE, form.op_type);
  for (guint i = 0; i < form.n_attrs; i++)
    {
      if (assay_onnx_write_attribute (self, own, node, &form.attrs[i], error))
        continue;
      g_prefix_error (error, "node “%s”, attribute “%s”: ", node->name, form.attrs[i].name);
      assay_wire_message_free (own);
      return FALSE;
    }
  if (form.domain[0] != '\0')
    assay_wire_message_add_string (own, NODE_DOMAIN, form.domain);
  write_scope (self, own, node);
  assay_wire_message_add_message (message, GRAPH_NODE, own);

  return TRUE;
}

/* What the file says of a type must be whole; half of one is worth nothing to a reader. */
static gboolean
is_worth_stating (const AssayType *type)
{
  if (type->element != NULL)
    return is_worth_stating (type->element);

  return type->kind != ASSAY_TYPE_KIND_UNKNOWN && type->kind != ASSAY_TYPE_KIND_OPAQUE &&
         type->dtype != ASSAY_DTYPE_UNDEFINED;
}

static void
write_result_types (OnnxWriter *self, AssayWireMessage *message, const AssayRegion *region)
{
  for (guint i = 0; i < region->nodes->len; i++)
    {
      const AssayNode *node = assay_graph_node (self->graph,
                                                g_array_index (region->nodes, AssayNodeId, i));

      for (guint j = 0; j < node->n_outputs; j++)
        {
          AssayValueId id = node->outputs[j];

          if (id != ASSAY_NO_VALUE &&
              is_worth_stating (assay_graph_value (self->graph, id)->type) &&
              self->is_output[id] == 0)
            assay_onnx_write_info (self, message, GRAPH_VALUE_INFO, id);
        }
    }
}

static void
write_initializers (OnnxWriter *self, AssayWireMessage *message, AssayRegionId region)
{
  const GArray *values = g_ptr_array_index (self->values, region);

  for (guint i = 0; values != NULL && i < values->len; i++)
    {
      AssayValueId id = g_array_index (values, AssayValueId, i);
      const AssayValue *value = assay_graph_value (self->graph, id);

      if (value->constant != NULL && self->left_out[id] == 0 &&
          (value->kind == ASSAY_VALUE_CONSTANT || value->is_parameter))
        assay_wire_message_add_message (
            message, GRAPH_INITIALIZER,
            assay_onnx_write_tensor (self, value->constant, self->names[id]));
    }
}

/**
 * assay_onnx_write_graph:
 * @self: a writer
 * @region: a region
 * @error: return location for a #GError
 *
 * Makes the GraphProto of a region and of the regions inside of it (ONNX IR specification,
 * "Graphs").
 *
 * Returns: (transfer full) (nullable): the message, or %NULL if there is something that ONNX cannot
 * say
 */
AssayWireMessage *
assay_onnx_write_graph (OnnxWriter *self, AssayRegionId region, GError **error)
{
  const AssayRegion *own = assay_graph_region (self->graph, region);
  g_autoptr (AssayWireMessage) message = assay_wire_message_new ();

  for (guint i = 0; i < own->nodes->len; i++)
    {
      if (!write_node (self, message, g_array_index (own->nodes, AssayNodeId, i), error))
        return NULL;
    }
  assay_wire_message_add_string (
      message, GRAPH_NAME,
      region == ASSAY_MAIN_REGION && own->name[0] == '\0' ? self->graph->name : own->name);
  write_initializers (self, message, region);

  for (guint i = 0; i < own->inputs->len; i++)
    {
      AssayValueId input = g_array_index (own->inputs, AssayValueId, i);
      const AssayValue *value = assay_graph_value (self->graph, input);

      if (value->is_parameter && value->constant == NULL)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
                       "the default of input “%s” cannot be read", value->name);
          return NULL;
        }
      /* What files of IR version 3 had to list as an input, and never was one, newer files do not
       * list. */
      if (region != ASSAY_MAIN_REGION || !assay_graph_is_constant (self->graph, input))
        assay_onnx_write_info (self, message, GRAPH_INPUT, input);
    }
  for (guint i = 0; i < own->outputs->len; i++)
    {
      AssayValueId output = g_array_index (own->outputs, AssayValueId, i);

      if (output == ASSAY_NO_VALUE ||
          assay_graph_value (self->graph, output)->kind == ASSAY_VALUE_MISSING)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
                       "graph “%s” has an output that nothing writes", own->name);
          return NULL;
        }
      if (assay_graph_value (self->graph, output)->region == region)
        self->is_output[output] = 1;
      assay_onnx_write_info (self, message, GRAPH_OUTPUT, output);
    }
  write_result_types (self, message, own);

  return g_steal_pointer (&message);
}
