/* assay-import-graph.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-import-private.h"

#include <string.h>

#include "source/assay-constant-node.h"

typedef Assay__Onnx__NodeProto NodeProto;
typedef Assay__Onnx__GraphProto GraphProto;

static void
define (const ImportFrame *frame, const char *name, AssayValueId value)
{
  assay_pointer_map_insert (frame->values, name, GUINT_TO_POINTER (value));
}

/**
 * assay_import_region_path:
 * @self: an importer
 * @region: a region
 *
 * Gets the graph path of a region, for findings.
 *
 * Returns: (transfer none): the interned path
 */
const char *
assay_import_region_path (Importer *self, AssayRegionId region)
{
  return region < self->paths->len ? g_ptr_array_index (self->paths, region) : "graph";
}

/**
 * assay_import_lookup:
 * @frame: where a name is read
 * @name: interned name in the file
 *
 * Finds what a name stands for, from the inside out.
 *
 * Returns: the value, 0 if nothing is called so, or %IMPORT_OMITTED
 */
AssayValueId
assay_import_lookup (const ImportFrame *frame, const char *name)
{
  for (; frame != NULL; frame = frame->parent)
    {
      gpointer found = assay_pointer_map_lookup (frame->values, name);

      if (found != NULL)
        return GPOINTER_TO_UINT (found);
    }

  return ASSAY_NO_VALUE;
}

static const AssayType *
stated_type (Importer *self, const ImportFrame *frame, const char *name)
{
  const Assay__Onnx__ValueInfoProto *info = assay_pointer_map_lookup (frame->types, name);

  return info == NULL ? &assay_type_unknown
                      : assay_import_type (self, info->type, frame->path, name);
}

static AssayValueId
add_value (Importer *self, const ImportFrame *frame, AssayValueKind kind, const char *name)
{
  AssayValueId id = assay_graph_add_value (self->graph, frame->region, kind,
                                           assay_import_value_name (self, frame, name), NULL);

  assay_graph_edit_value (self->graph, id)->type = stated_type (self, frame, name);

  return id;
}

static AssayValueId
declare_result (Importer *self, const ImportFrame *frame, const NodeProto *node, const char *name)
{
  AssayValueId id = ASSAY_NO_VALUE;

  if (assay_pointer_map_lookup (frame->values, name) != NULL)
    {
      assay_findings_add (self->findings, ASSAY_SEVERITY_ERROR, "import.duplicate-output",
                          frame->path, assay_import_text (self, node->name), NULL, -1,
                          "\"%s\" is written twice; readers get the first", name);
      return add_value (self, frame, ASSAY_VALUE_RESULT, name);
    }

  if (frame->results != NULL)
    id = GPOINTER_TO_UINT (g_hash_table_lookup (frame->results, name));
  if (id == ASSAY_NO_VALUE)
    id = add_value (self, frame, ASSAY_VALUE_RESULT, name);
  define (frame, name, id);

  return id;
}

/* Results exist before any node does, so that nodes may stand in any order. */
static AssayValueId *
declare_results (Importer *self, const ImportFrame *frame, gsize n_nodes, NodeProto **nodes)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (AssayValueId));

  for (gsize i = 0; i < n_nodes; i++)
    {
      for (gsize j = 0; j < nodes[i]->n_output; j++)
        {
          const char *name = assay_import_text (self, nodes[i]->output[j]);
          AssayValueId id = name == self->empty ? ASSAY_NO_VALUE
                                                : declare_result (self, frame, nodes[i], name);

          g_array_append_val (ids, id);
        }
    }

  return (AssayValueId *) g_array_free (ids, FALSE);
}

static AssayValueId
resolve (Importer *self, const ImportFrame *frame, const char *name, const char *node)
{
  AssayValueId id;

  if (name == self->empty)
    return ASSAY_NO_VALUE;

  id = assay_import_lookup (frame, name);
  if (id != ASSAY_NO_VALUE)
    return id == IMPORT_OMITTED ? ASSAY_NO_VALUE : id;

  assay_findings_add (self->findings, ASSAY_SEVERITY_ERROR, "import.missing-value", frame->path,
                      node, NULL, -1, "\"%s\" is read, but nothing writes it", name);
  id = add_value (self, frame, ASSAY_VALUE_MISSING, name);
  define (frame, name, id);

  return id;
}

static void
set_origins (Importer *self, const ImportFrame *frame, AssayNodeId node, guint32 origin)
{
  guint32 origins[2] = { origin, (guint32) frame->call_origin };

  assay_graph_set_origins (self->graph, node, frame->call_origin < 0 ? 1 : 2, origins);
}

/* As assay_graph_add_origin(), for text that is interned already. */
static guint32
add_origin (Importer *self, const ImportFrame *frame, const char *name, const char *op_type,
            const char *domain, guint index)
{
  AssayOrigin origin = { frame->path, name, op_type, domain, index, NULL, NULL };

  g_array_append_val (self->graph->origins, origin);

  return self->graph->origins->len - 1;
}

static gboolean
import_node (Importer *self, const ImportFrame *frame, const NodeProto *proto, guint index,
             const AssayValueId *outputs)
{
  const char *op_type = assay_import_text (self, proto->op_type);
  const char *domain = assay_import_text (self, proto->domain);
  const char *original = assay_import_text (self, proto->name);
  const char *scope = assay_import_scope_path (self, frame, proto);
  AssayValueId few_inputs[16];
  g_autofree AssayValueId *many_inputs = NULL;
  AssayValueId *inputs = few_inputs;
  g_autofree char *node_path = NULL;
  const char *name;
  AssayNodeId node;
  guint32 origin;
  AssayOp op;

  if (++self->n_nodes % 4096 == 0)
    {
      if (!assay_progress_check (self->progress, self->error))
        return FALSE;
      assay_progress_report (
          self->progress, 0.1 + 0.4 * MIN (1.0, (double) self->n_nodes / (double) self->n_expected),
          "Importing nodes");
    }

  if (strcmp (domain, "ai.onnx") == 0)
    domain = self->empty;

  if (proto->n_input > G_N_ELEMENTS (few_inputs))
    inputs = many_inputs = g_new (AssayValueId, proto->n_input);

  name = assay_import_node_name (self, frame, original, op_type, index);
  for (gsize i = 0; i < proto->n_input; i++)
    inputs[i] = resolve (self, frame, assay_import_text (self, proto->input[i]), name);

  origin = add_origin (self, frame, original, op_type, domain, index);

  if (self->functions != NULL)
    {
      gboolean expanded = FALSE;

      if (!assay_import_call (self, frame, proto, name, scope, origin, inputs, outputs, &expanded))
        return FALSE;
      if (expanded)
        return TRUE;
    }

  op = assay_op_lookup (domain, op_type);
  node = assay_graph_add_node (self->graph, frame->region, op, name, (guint) proto->n_input, inputs,
                               (guint) proto->n_output, outputs);
  assay_graph_edit_node (self->graph, node)->op_type = op_type;
  assay_graph_edit_node (self->graph, node)->domain = domain;
  assay_graph_edit_node (self->graph, node)->scope = assay_import_scope (self, scope);
  set_origins (self, frame, node, origin);
  if (frame->opsets != NULL)
    g_hash_table_insert (self->versions, GUINT_TO_POINTER (node), (gpointer) frame->opsets);

  if (proto->n_attribute == 0)
    return TRUE;

  /* Cut short, so that a long type does not come back in each finding inside. */
  node_path = g_strdup_printf ("%s/node[%u]:%.60s", frame->path, index, op_type);
  if (!assay_import_attributes (self, frame, node, proto, node_path))
    return FALSE;

  if (op == ASSAY_OP_Constant)
    assay_source_constant_node (self->graph, node);

  return TRUE;
}

/**
 * assay_import_nodes:
 * @self: an importer
 * @frame: the names that are visible; those of inputs and initializers are there already
 * @n_nodes: number of nodes
 * @nodes: (array length=n_nodes): nodes of the file
 *
 * Imports the nodes of a graph or of the body of a function.
 *
 * Returns: %FALSE if cancelled
 */
gboolean
assay_import_nodes (Importer *self, const ImportFrame *frame, gsize n_nodes, NodeProto **nodes)
{
  g_autofree AssayValueId *results = declare_results (self, frame, n_nodes, nodes);
  gsize at = 0;

  for (gsize i = 0; i < n_nodes; i++)
    {
      if (!import_node (self, frame, nodes[i], (guint) i, results == NULL ? NULL : results + at))
        return FALSE;
      at += nodes[i]->n_output;
    }

  return TRUE;
}

static void
import_initializer (Importer *self, const ImportFrame *frame, const char *name, AssayTensor *tensor)
{
  AssayValueId id = GPOINTER_TO_UINT (assay_pointer_map_lookup (frame->values, name));

  /* Up to IR version 3 every initializer had to be listed as an input, which makes it a default. */
  if (id != ASSAY_NO_VALUE && assay_graph_value (self->graph, id)->kind == ASSAY_VALUE_INPUT &&
      !assay_graph_value (self->graph, id)->is_parameter)
    {
      assay_graph_edit_value (self->graph, id)->is_parameter = TRUE;
      if (tensor != NULL)
        assay_graph_set_constant (self->graph, id, tensor);
      return;
    }

  if (id != ASSAY_NO_VALUE)
    {
      assay_findings_add (self->findings, ASSAY_SEVERITY_ERROR, "import.duplicate-initializer",
                          frame->path, NULL, NULL, -1,
                          "two initializers are called \"%s\"; the first is used", name);
      return;
    }

  if (tensor != NULL)
    id = assay_graph_add_constant (self->graph, frame->region,
                                   assay_import_value_name (self, frame, name), tensor);
  else
    id = add_value (self, frame, ASSAY_VALUE_MISSING, name);
  define (frame, name, id);
}

static void
import_initializers (Importer *self, const ImportFrame *frame, const GraphProto *proto)
{
  for (gsize i = 0; i < proto->n_initializer; i++)
    {
      const char *name = assay_import_text (self, proto->initializer[i]->name);

      import_initializer (
          self, frame, name,
          assay_import_tensor (self, proto->initializer[i], frame->path, NULL, NULL, name));
    }

  for (gsize i = 0; i < proto->n_sparse_initializer; i++)
    {
      const Assay__Onnx__SparseTensorProto *sparse = proto->sparse_initializer[i];
      const char *name = assay_import_text (self,
                                            sparse->values != NULL ? sparse->values->name : NULL);

      import_initializer (self, frame, name,
                          assay_import_sparse_tensor (self, sparse, frame->path, NULL, NULL, name));
    }
}

/**
 * assay_import_collect_types:
 * @self: an importer
 * @frame: where the names are
 * @n: number of entries
 * @infos: (array length=n): what the file says of types
 *
 * Notes the types that the file states for results.
 */
void
assay_import_collect_types (Importer *self, const ImportFrame *frame, gsize n,
                            Assay__Onnx__ValueInfoProto **infos)
{
  if (n == 0 || self->options->ignore_value_info)
    return;

  for (gsize i = 0; i < n; i++)
    assay_pointer_map_insert (frame->types, assay_import_text (self, infos[i]->name), infos[i]);
}

static void
import_inputs (Importer *self, const ImportFrame *frame, const GraphProto *proto)
{
  for (gsize i = 0; i < proto->n_input; i++)
    {
      const char *name = assay_import_text (self, proto->input[i]->name);
      const AssayType *type = assay_import_type (self, proto->input[i]->type, frame->path, name);
      AssayValueId id = assay_graph_add_input (self->graph, frame->region,
                                               assay_import_value_name (self, frame, name), NULL);

      assay_graph_edit_value (self->graph, id)->type = type;
      if (assay_pointer_map_lookup (frame->values, name) != NULL)
        assay_findings_add (self->findings, ASSAY_SEVERITY_ERROR, "import.duplicate-input",
                            frame->path, NULL, NULL, -1,
                            "two inputs are called \"%s\"; readers get the first", name);
      else
        define (frame, name, id);
    }
}

/**
 * assay_import_graph:
 * @self: an importer
 * @proto: a graph of the file
 * @parent: (nullable): the names around it
 * @region: the empty region it fills
 * @path: interned path of the graph in the file
 *
 * Imports a graph with everything in it (ONNX IR specification, "Graphs").
 *
 * Returns: %FALSE if cancelled
 */
gboolean
assay_import_graph (Importer *self, const GraphProto *proto, const ImportFrame *parent,
                    AssayRegionId region, const char *path)
{
  g_auto (AssayPointerMap) values = { NULL };
  g_auto (AssayPointerMap) types = { NULL };
  ImportFrame frame = { .parent = parent,
                        .region = region,
                        .values = &values,
                        .types = &types,
                        .path = path,
                        .prefix = self->empty,
                        .scope = self->empty,
                        .call_origin = -1 };
  gboolean whole;

  if (self->paths->len <= region)
    g_ptr_array_set_size (self->paths, (int) region + 1);
  g_ptr_array_index (self->paths, region) = (gpointer) path;

  if (parent != NULL)
    {
      frame.prefix = parent->prefix;
      frame.scope = parent->scope;
      frame.arguments = parent->arguments;
      frame.opsets = parent->opsets;
      frame.call_origin = parent->call_origin;
    }

  assay_import_collect_types (self, &frame, proto->n_value_info, proto->value_info);
  assay_import_collect_types (self, &frame, proto->n_output, proto->output);

  import_inputs (self, &frame, proto);
  import_initializers (self, &frame, proto);
  self->depth++;
  whole = assay_import_nodes (self, &frame, proto->n_node, proto->node);
  self->depth--;

  for (gsize i = 0; whole && i < proto->n_output; i++)
    {
      const char *name = assay_import_text (self, proto->output[i]->name);

      assay_graph_add_output (self->graph, region, resolve (self, &frame, name, NULL));
    }

  return whole;
}
