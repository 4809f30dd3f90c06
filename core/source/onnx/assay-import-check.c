/* assay-import-check.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-import-private.h"

typedef struct
{
  AssayFindings *findings;
  const char *rule;
  const char *what;
  guint n;
} Notes;

static void
note (Notes *self, const char *path, const char *node, const char *name)
{
  if (self->n++ < IMPORT_MAX_NOTES)
    assay_findings_add (self->findings, ASSAY_SEVERITY_NOTE, self->rule, path, node, NULL, -1,
                        "%s \"%s\"", self->what, name);
}

static void
finish (const Notes *self)
{
  if (self->n > IMPORT_MAX_NOTES)
    assay_findings_add (self->findings, ASSAY_SEVERITY_NOTE, self->rule, "graph", NULL, NULL, -1,
                        "%s %u more", self->what, self->n - IMPORT_MAX_NOTES);
}

static void
mark (guint8 *used, AssayValueId value)
{
  used[value] = TRUE;
}

static gboolean
any_output_used (const AssayNode *node, const guint8 *used)
{
  for (guint i = 0; i < node->n_outputs; i++)
    {
      if (node->outputs[i] != ASSAY_NO_VALUE && used[node->outputs[i]])
        return TRUE;
    }

  return FALSE;
}

/**
 * assay_import_report_unused:
 * @importer: an importer whose graph has all its nodes
 *
 * Notes initializers, inputs and nodes that nothing reads.
 */
void
assay_import_report_unused (Importer *importer)
{
  AssayGraph *graph = importer->graph;
  g_autofree guint8 *used = g_new0 (guint8, assay_graph_n_values (graph));
  Notes initializers = { importer->findings, "import.unused-initializer",
                         "nothing reads initializer", 0 };
  Notes inputs = { importer->findings, "import.unused-input", "nothing reads input", 0 };
  Notes nodes = { importer->findings, "import.unused-node", "nothing reads the results of", 0 };

  for (AssayNodeId i = 1; i < assay_graph_n_nodes (graph); i++)
    {
      const AssayNode *node = assay_graph_node (graph, i);

      for (guint j = 0; j < node->n_inputs; j++)
        mark (used, node->inputs[j]);
    }

  for (AssayRegionId i = 0; i < graph->regions->len; i++)
    {
      const AssayRegion *region = assay_graph_region (graph, i);

      for (guint j = 0; j < region->outputs->len; j++)
        mark (used, g_array_index (region->outputs, AssayValueId, j));
    }

  for (AssayValueId i = 1; i < assay_graph_n_values (graph); i++)
    {
      const AssayValue *value = assay_graph_value (graph, i);

      if (used[i])
        continue;
      if (value->kind == ASSAY_VALUE_CONSTANT || value->is_parameter)
        note (&initializers, assay_import_region_path (importer, value->region), NULL, value->name);
      else if (value->kind == ASSAY_VALUE_INPUT && value->region == ASSAY_MAIN_REGION)
        note (&inputs, "graph", NULL, value->name);
    }

  for (AssayNodeId i = 1; i < assay_graph_n_nodes (graph); i++)
    {
      const AssayNode *node = assay_graph_node (graph, i);

      if (!any_output_used (node, used))
        note (&nodes, assay_import_region_path (importer, node->region), node->name, node->name);
    }

  if (importer->n_duplicate_names > IMPORT_MAX_NOTES)
    assay_findings_add (importer->findings, ASSAY_SEVERITY_NOTE, "import.duplicate-name", "graph",
                        NULL, NULL, -1,
                        "%" G_GSIZE_FORMAT " nodes in all have the name of another one",
                        importer->n_duplicate_names);
  finish (&initializers);
  finish (&inputs);
  finish (&nodes);
}
