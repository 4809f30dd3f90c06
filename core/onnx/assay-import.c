/* assay-import.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "onnx/assay-import.h"

#include <string.h>

#include "base/assay-error.h"
#include "onnx/assay-import-private.h"
#include "onnx/assay-tensor-proto.h"

/**
 * assay_import_text:
 * @self: an importer
 * @text: (nullable): text of the file
 *
 * Interns text; what is not UTF-8 becomes it, because names reach screens and JSON.
 *
 * Returns: (transfer none): the interned text, empty for %NULL
 */
const char *
assay_import_text (Importer   *self,
                   const char *text)
{
  g_autofree char *valid = NULL;

  if (text == NULL)
    text = "";

  if (g_utf8_validate (text, -1, NULL))
    return assay_arena_intern (self->graph->arena, text);

  valid = g_utf8_make_valid (text, -1);
  return assay_arena_intern (self->graph->arena, valid);
}

/**
 * assay_import_tensor:
 * @self: an importer
 * @proto: a tensor of the file
 * @path: graph path for findings
 * @node: (nullable): name of the node it belongs to
 * @attribute: (nullable): name of the attribute it is
 * @what: what to call it in findings
 *
 * Makes a tensor that the graph keeps; what is wrong with it becomes a finding.
 *
 * Returns: (transfer none) (nullable): the tensor
 */
AssayTensor *
assay_import_tensor (Importer                       *self,
                     const Assay__Onnx__TensorProto *proto,
                     const char                     *path,
                     const char                     *node,
                     const char                     *attribute,
                     const char                     *what)
{
  AssayTensor *tensor = g_hash_table_lookup (self->tensors, proto);
  g_autoptr (GError) error = NULL;

  if (tensor != NULL)
    return tensor;

  tensor = assay_tensor_from_proto (self->file, proto, &error);
  if (tensor == NULL)
    {
      assay_findings_add (self->findings, ASSAY_SEVERITY_ERROR, "import.tensor", path, node, attribute, -1, "%s: %s",
                          what, error->message);
      return NULL;
    }

  assay_graph_keep_tensor (self->graph, tensor);
  g_hash_table_insert (self->tensors, (gpointer) proto, tensor);

  return tensor;
}

static void
import_opsets (Importer                        *self,
               const Assay__Onnx__ModelProto   *model)
{
  for (gsize i = 0; i < model->n_opset_import; i++)
    {
      const char *domain = assay_import_text (self, model->opset_import[i]->domain);
      AssayOpset opset = {
        .domain = strcmp (domain, "ai.onnx") == 0 ? assay_arena_intern (self->graph->arena, "") : domain,
        .version = model->opset_import[i]->version,
      };

      g_array_append_val (self->graph->opsets, opset);
    }
}

/**
 * assay_import_bytes:
 * @bytes: an ONNX file
 * @folder: (nullable): where its external data lies, or %NULL if it may have none
 * @options: (nullable): what to do with shapes
 * @findings: (nullable): gets what is wrong with the model but does not keep it from opening
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Makes a graph of an ONNX file that is in memory or mapped.
 *
 * Returns: (transfer full) (nullable): the graph, or %NULL if this is no ONNX file
 */
AssayGraph *
assay_import_bytes (GBytes                    *bytes,
                    const char                *folder,
                    const AssayImportOptions  *options,
                    AssayFindings             *findings,
                    const AssayProgress       *progress,
                    GError                   **error)
{
  static const AssayImportOptions no_options = { 0 };
  g_autoptr (AssayOnnxFile) file = NULL;
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (GHashTable) node_names = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) tensors = g_hash_table_new (NULL, NULL);
  g_autoptr (GError) local = NULL;
  const Assay__Onnx__ModelProto *model;
  Importer self = { .findings = findings, .progress = progress, .options = options != NULL ? options : &no_options,
                    .node_names = node_names, .tensors = tensors, .error = &local };

  assay_progress_report (progress, 0.0, "Reading the model");
  file = assay_onnx_file_new (bytes, folder, &assay__onnx__model_proto__descriptor, error);
  if (file == NULL)
    return NULL;

  graph = assay_graph_new ();
  model = (const Assay__Onnx__ModelProto *) assay_onnx_file_get_message (file);
  self.file = file;
  self.graph = graph;

  graph->ir_version = model->ir_version;
  graph->producer_name = assay_import_text (&self, model->producer_name);
  graph->producer_version = assay_import_text (&self, model->producer_version);
  graph->doc = assay_import_text (&self, model->doc_string);
  import_opsets (&self, model);

  if (model->graph != NULL)
    {
      graph->name = assay_import_text (&self, model->graph->name);
      assay_graph_region (graph, ASSAY_MAIN_REGION)->name = graph->name;
      if (!assay_import_graph (&self, model->graph, NULL, ASSAY_MAIN_REGION,
                               assay_arena_intern (graph->arena, "graph")))
        {
          g_propagate_error (error, g_steal_pointer (&local));
          return NULL;
        }
    }
  else
    {
      assay_findings_add (findings, ASSAY_SEVERITY_ERROR, "import.no-graph", "graph", NULL, NULL, -1,
                          "the model has no graph");
    }

  assay_progress_report (progress, 1.0, NULL);

  return g_steal_pointer (&graph);
}

/**
 * assay_import_file:
 * @path: path of an ONNX file
 * @options: (nullable): what to do with shapes
 * @findings: (nullable): gets what is wrong with the model but does not keep it from opening
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Makes a graph of an ONNX file; its weights stay in the file, which must not be cut short while the graph lives.
 *
 * Returns: (transfer full) (nullable): the graph, or %NULL if the file cannot be read or is no ONNX file
 */
AssayGraph *
assay_import_file (const char                *path,
                   const AssayImportOptions  *options,
                   AssayFindings             *findings,
                   const AssayProgress       *progress,
                   GError                   **error)
{
  g_autoptr (GBytes) bytes = assay_onnx_file_map (path, error);
  g_autofree char *folder = g_path_get_dirname (path);
  AssayGraph *graph;

  if (bytes == NULL)
    return NULL;

  graph = assay_import_bytes (bytes, folder, options, findings, progress, error);
  if (graph == NULL)
    g_prefix_error (error, "%s: ", path);

  return graph;
}
