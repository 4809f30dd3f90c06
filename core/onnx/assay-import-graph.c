/* assay-import-graph.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "onnx/assay-import-private.h"

#include <string.h>

typedef Assay__Onnx__NodeProto NodeProto;
typedef Assay__Onnx__GraphProto GraphProto;

static void
define (const ImportFrame *frame,
        const char        *name,
        AssayValueId       value)
{
  g_hash_table_insert (frame->values, (gpointer) name, GUINT_TO_POINTER (value));
}

static AssayValueId
lookup (const ImportFrame *frame,
        const char        *name)
{
  for (; frame != NULL; frame = frame->parent)
    {
      gpointer found = g_hash_table_lookup (frame->values, name);

      if (found != NULL)
        return GPOINTER_TO_UINT (found);
    }

  return ASSAY_NO_VALUE;
}

/* The name in the graph of what the file calls @name. */
static const char *
full_name (Importer          *self,
           const ImportFrame *frame,
           const char        *name)
{
  g_autofree char *joined = NULL;

  if (frame->prefix[0] == '\0')
    return name;

  joined = g_strconcat (frame->prefix, "/", name, NULL);
  return assay_arena_intern (self->graph->arena, joined);
}

static const char *
unique_node_name (Importer          *self,
                  const ImportFrame *frame,
                  const NodeProto   *proto,
                  const char        *op_type,
                  guint              index)
{
  const char *name = assay_import_text (self, proto->name);
  gboolean made_up = name[0] == '\0';
  g_autofree char *text = NULL;

  if (made_up)
    {
      text = g_strdup_printf ("%s_%u", op_type, index);
      name = assay_arena_intern (self->graph->arena, text);
    }

  name = full_name (self, frame, name);
  if (g_hash_table_add (self->node_names, (gpointer) name))
    return name;

  if (!made_up)
    assay_findings_add (self->findings, ASSAY_SEVERITY_NOTE, "import.duplicate-name", frame->path, name, NULL, -1,
                        "another node has the same name; this one got a number behind it");

  for (guint i = 2;; i++)
    {
      g_autofree char *numbered = g_strdup_printf ("%s_%u", name, i);
      const char *interned = assay_arena_intern (self->graph->arena, numbered);

      if (g_hash_table_add (self->node_names, (gpointer) interned))
        return interned;
    }
}

static const AssayType *
stated_type (Importer          *self,
             const ImportFrame *frame,
             const char        *name)
{
  const Assay__Onnx__ValueInfoProto *info = g_hash_table_lookup (frame->types, name);

  return info == NULL ? NULL : assay_import_type (self, info->type, frame->path, name);
}

/* Results exist before any node does, so that nodes may stand in any order. */
static AssayValueId *
declare_results (Importer          *self,
                 const ImportFrame *frame,
                 gsize              n_nodes,
                 NodeProto        **nodes)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (AssayValueId));

  for (gsize i = 0; i < n_nodes; i++)
    {
      for (gsize j = 0; j < nodes[i]->n_output; j++)
        {
          const char *name = assay_import_text (self, nodes[i]->output[j]);
          AssayValueId id = ASSAY_NO_VALUE;

          if (name[0] != '\0')
            {
              gboolean duplicate = g_hash_table_contains (frame->values, name);

              id = assay_graph_add_value (self->graph, frame->region, ASSAY_VALUE_RESULT,
                                          full_name (self, frame, name), stated_type (self, frame, name));
              if (!duplicate)
                define (frame, name, id);
              else
                assay_findings_add (self->findings, ASSAY_SEVERITY_ERROR, "import.duplicate-output", frame->path,
                                    assay_import_text (self, nodes[i]->name), NULL, -1,
                                    "\"%s\" is written twice; readers get the first", name);
            }
          g_array_append_val (ids, id);
        }
    }

  return (AssayValueId *) g_array_free (ids, FALSE);
}

static AssayValueId
resolve_input (Importer          *self,
               const ImportFrame *frame,
               const char        *name,
               const char        *node)
{
  AssayValueId id;

  if (name[0] == '\0')
    return ASSAY_NO_VALUE;

  id = lookup (frame, name);
  if (id != ASSAY_NO_VALUE)
    return id;

  assay_findings_add (self->findings, ASSAY_SEVERITY_ERROR, "import.missing-value", frame->path, node, NULL, -1,
                      "\"%s\" is read, but nothing writes it", name);
  id = assay_graph_add_value (self->graph, frame->region, ASSAY_VALUE_MISSING, full_name (self, frame, name),
                              stated_type (self, frame, name));
  define (frame, name, id);

  return id;
}

static gboolean
import_node (Importer           *self,
             const ImportFrame  *frame,
             const NodeProto    *proto,
             guint               index,
             const AssayValueId *outputs)
{
  AssayArena *arena = self->graph->arena;
  const char *op_type = assay_import_text (self, proto->op_type);
  const char *domain = assay_import_text (self, proto->domain);
  g_autofree AssayValueId *inputs = g_new (AssayValueId, MAX (proto->n_input, 1));
  g_autofree char *node_path = NULL;
  const char *name;
  AssayNodeId node;
  guint32 origin;

  if (++self->n_steps % 4096 == 0 && !assay_progress_check (self->progress, self->error))
    return FALSE;

  if (strcmp (domain, "ai.onnx") == 0)
    domain = assay_arena_intern (arena, "");

  name = unique_node_name (self, frame, proto, op_type, index);
  for (gsize i = 0; i < proto->n_input; i++)
    inputs[i] = resolve_input (self, frame, assay_import_text (self, proto->input[i]), name);

  node = assay_graph_add_node (self->graph, frame->region, assay_op_lookup (domain, op_type), name,
                               (guint) proto->n_input, inputs, (guint) proto->n_output, outputs);
  assay_graph_node (self->graph, node)->op_type = op_type;
  assay_graph_node (self->graph, node)->domain = domain;

  origin = assay_graph_add_origin (self->graph, frame->path, assay_import_text (self, proto->name), op_type, domain, index);
  assay_graph_set_origins (self->graph, node, 1, &origin);

  if (proto->n_attribute == 0)
    return TRUE;

  node_path = g_strdup_printf ("%s/node[%u]:%s", frame->path, index, op_type);
  return assay_import_attributes (self, frame, node, proto, node_path);
}

static gboolean
import_nodes (Importer          *self,
              const ImportFrame *frame,
              gsize              n_nodes,
              NodeProto        **nodes)
{
  g_autofree AssayValueId *results = declare_results (self, frame, n_nodes, nodes);
  gsize at = 0;

  for (gsize i = 0; i < n_nodes; i++)
    {
      if (!import_node (self, frame, nodes[i], (guint) i, results + at))
        return FALSE;
      at += nodes[i]->n_output;
    }

  return TRUE;
}

static void
import_initializers (Importer          *self,
                     const ImportFrame *frame,
                     const GraphProto  *proto)
{
  for (gsize i = 0; i < proto->n_initializer; i++)
    {
      const char *name = assay_import_text (self, proto->initializer[i]->name);
      AssayTensor *tensor = assay_import_tensor (self, proto->initializer[i], frame->path, NULL, NULL, name);
      AssayValueId id = GPOINTER_TO_UINT (g_hash_table_lookup (frame->values, name));

      if (id != ASSAY_NO_VALUE && assay_graph_value (self->graph, id)->kind == ASSAY_VALUE_INPUT &&
          !assay_graph_value (self->graph, id)->is_parameter)
        {
          assay_graph_value (self->graph, id)->is_parameter = TRUE;
          if (tensor != NULL)
            assay_graph_set_constant (self->graph, id, tensor);
          continue;
        }

      if (id != ASSAY_NO_VALUE)
        {
          assay_findings_add (self->findings, ASSAY_SEVERITY_ERROR, "import.duplicate-initializer", frame->path, NULL,
                              NULL, -1, "two initializers are called \"%s\"; the first is used", name);
          continue;
        }

      if (tensor != NULL)
        id = assay_graph_add_constant (self->graph, frame->region, name, tensor);
      else
        id = assay_graph_add_value (self->graph, frame->region, ASSAY_VALUE_MISSING, name, NULL);
      define (frame, name, id);
    }
}

static void
collect_types (Importer                     *self,
               const ImportFrame            *frame,
               gsize                         n,
               Assay__Onnx__ValueInfoProto **infos)
{
  for (gsize i = 0; i < n; i++)
    g_hash_table_insert (frame->types, (gpointer) assay_import_text (self, infos[i]->name), infos[i]);
}

/**
 * assay_import_graph:
 * @self: an importer
 * @proto: a graph of the file
 * @parent: (nullable): the names around it
 * @region: the empty region it fills
 * @path: interned path of the graph in the file
 *
 * Imports a graph with everything in it.
 *
 * Returns: %FALSE if cancelled
 */
gboolean
assay_import_graph (Importer          *self,
                    const GraphProto  *proto,
                    const ImportFrame *parent,
                    AssayRegionId      region,
                    const char        *path)
{
  g_autoptr (GHashTable) values = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) types = g_hash_table_new (NULL, NULL);
  const char *prefix = parent != NULL ? parent->prefix : assay_arena_intern (self->graph->arena, "");
  ImportFrame frame = { .parent = parent, .region = region, .values = values, .types = types, .path = path,
                        .prefix = prefix, .scope = parent != NULL ? parent->scope : prefix };

  if (!self->options->ignore_value_info)
    {
      collect_types (self, &frame, proto->n_value_info, proto->value_info);
      collect_types (self, &frame, proto->n_output, proto->output);
    }

  for (gsize i = 0; i < proto->n_input; i++)
    {
      const char *name = assay_import_text (self, proto->input[i]->name);
      AssayValueId id = assay_graph_add_input (self->graph, region, full_name (self, &frame, name),
                                               assay_import_type (self, proto->input[i]->type, path, name));

      if (g_hash_table_contains (values, name))
        assay_findings_add (self->findings, ASSAY_SEVERITY_ERROR, "import.duplicate-input", path, NULL, NULL, -1,
                            "two inputs are called \"%s\"; readers get the first", name);
      else
        define (&frame, name, id);
    }

  import_initializers (self, &frame, proto);
  if (!import_nodes (self, &frame, proto->n_node, proto->node))
    return FALSE;

  for (gsize i = 0; i < proto->n_output; i++)
    {
      const char *name = assay_import_text (self, proto->output[i]->name);

      assay_graph_add_output (self->graph, region, resolve_input (self, &frame, name, NULL));
    }

  return TRUE;
}
