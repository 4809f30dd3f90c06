/* assay-source.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/assay-source.h"

#include "base/assay-file-map.h"
#include "nnir/shape/assay-infer.h"
#include "source/assay-bind-shapes.h"
#include "source/assay-source-file.h"

static gboolean
settle (AssayGraph *graph, const AssayImporter *importer, const AssayImportOptions *options,
        AssayFindings *findings, const AssayProgress *progress, GError **error)
{
  AssayProgress part = assay_progress_part (progress, 0.5, 1.0);

  if (!importer->binds &&
      !assay_graph_bind_shapes (
          graph, assay_settings_get_list (options->settings, ASSAY_SETTING_SHAPES),
          assay_settings_get_list (options->settings, ASSAY_SETTING_BIND), error))
    return FALSE;
  if (options->skip_inference)
    return TRUE;

  assay_progress_report (&part, 0.0, "Inferring shapes");
  if (!assay_graph_infer (graph, findings, &part, error))
    return FALSE;
  if (importer->check != NULL)
    importer->check (graph, findings);

  return TRUE;
}

/**
 * assay_model_read_bytes:
 * @bytes: a file
 * @path: (nullable): its path, which says what it is if its content does not, and where its
 * external data lies; or %NULL if it may have none
 * @options: (nullable): what to do with shapes
 * @findings: (nullable): gets what is wrong with the model but does not keep it from opening
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Makes a graph of a model that is in memory or mapped.
 *
 * Returns: (transfer full) (nullable): the graph, or %NULL if no source can read it
 */
AssayGraph *
assay_model_read_bytes (GBytes *bytes, const char *path, const AssayImportOptions *options,
                        AssayFindings *findings, const AssayProgress *progress, GError **error)
{
  static const AssayImportOptions no_options = { 0 };
  gsize size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  const AssayImporter *importer = assay_importer_of_data (data, size, path);
  g_autofree char *folder = path != NULL ? g_path_get_dirname (path) : NULL;
  g_autoptr (AssayGraph) graph = NULL;

  options = options != NULL ? options : &no_options;
  assay_progress_report (progress, 0.0, "Reading the model");
  if (!assay_source_check_foreign (data, size, error))
    return NULL;
  graph = importer->read (bytes, folder, options, findings, progress, error);
  if (graph == NULL || !settle (graph, importer, options, findings, progress, error))
    return NULL;

  graph->source = importer->id;
  assay_progress_report (progress, 1.0, NULL);

  return g_steal_pointer (&graph);
}

/**
 * assay_model_read:
 * @path: path of a model
 * @options: (nullable): what to do with shapes
 * @findings: (nullable): gets what is wrong with the model but does not keep it from opening
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Makes a graph of a model of any source. Weights may stay in the file. If that is cut short while
 * the graph lives, reading them fails.
 *
 * Returns: (transfer full) (nullable): the graph, or %NULL if the file cannot be read or is no
 * model
 */
AssayGraph *
assay_model_read (const char *path, const AssayImportOptions *options, AssayFindings *findings,
                  const AssayProgress *progress, GError **error)
{
  g_autoptr (GBytes) bytes = assay_file_map_new (path, error);
  g_autoptr (GError) local = NULL;
  AssayGraph *graph;

  if (bytes == NULL)
    return NULL;

  graph = assay_model_read_bytes (bytes, path, options, findings, progress, &local);
  /* What was read of two files is neither, and what is wrong with it nobody needs to know. */
  if (!assay_file_map_check_bytes (bytes, error))
    {
      g_clear_pointer (&graph, assay_graph_unref);
      return NULL;
    }
  if (graph == NULL)
    g_propagate_prefixed_error (error, g_steal_pointer (&local), "%s: ", path);

  return graph;
}
