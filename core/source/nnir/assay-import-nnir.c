/* assay-import-nnir.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/assay-error.h"
#include "base/assay-sentence.h"
#include "nnir/assay-graph-builder.h"
#include "nnir/assay-verify.h"
#include "nnir/text/assay-text.h"
#include "source/assay-bind-shapes.h"
#include "source/assay-constant-node.h"
#include "source/assay-importer.h"
#include "source/onnx/assay-upgrade.h"

/* A model begins with the version line; white space and comments may stand before it. */
static gboolean
sniff_text (const guint8 *data, gsize size)
{
  const guint8 *end = size > 0 ? data + size : data;

  while (data < end)
    {
      if (g_ascii_isspace (*data))
        data++;
      else if (end - data >= 2 && data[0] == '/' && data[1] == '/')
        {
          data = memchr (data, '\n', (gsize) (end - data));
          if (data == NULL)
            return FALSE;
        }
      else
        return end - data >= 5 && memcmp (data, "nnir", 4) == 0 && g_ascii_isspace (data[4]);
    }

  return FALSE;
}

/* Whether there is an error among the findings, which then is the error of the file. */
static gboolean
take_error (AssayFindings *own, AssayFindings *findings, GError **error)
{
  guint n_errors = assay_findings_count_at (own, ASSAY_SEVERITY_ERROR);
  const AssayFinding *first = NULL;

  for (guint i = 0; i < assay_findings_get_count (own); i++)
    {
      const AssayFinding *finding = assay_findings_get (own, i);

      /* Inference comes back to it, as an error. */
      if (g_str_equal (finding->rule, "verify.form"))
        continue;
      if (first == NULL && finding->severity == ASSAY_SEVERITY_ERROR)
        first = finding;
      assay_findings_add (findings, finding->severity, finding->rule, finding->graph_path,
                          finding->node, finding->attribute, finding->offset, "%s",
                          finding->message);
    }
  if (first == NULL)
    return FALSE;

  g_clear_error (error);
  if (n_errors > 1)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT, "%s (and %u more)", first->message,
                 n_errors - 1);
  else
    g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT, first->message);

  return TRUE;
}

/* What was made of a file of another kind says so; in a text that somebody wrote each node is its
 * own origin. */
static void
add_origins (AssayGraph *graph)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_autofree guint32 *places = g_new0 (guint32, assay_graph_n_nodes (graph));

  for (AssayRegionId i = 0; i < graph->regions->len; i++)
    {
      const AssayRegion *region = assay_graph_region (graph, i);
      const AssayNode *parent = assay_graph_node (graph, region->parent);

      g_ptr_array_add (paths, i == ASSAY_MAIN_REGION
                                  ? g_strdup ("main")
                                  : g_strdup_printf ("%s/node[%u]:%s/%s",
                                                     (char *) paths->pdata[parent->region],
                                                     places[region->parent], parent->op_type,
                                                     region->attribute));
      for (guint k = 0; k < region->nodes->len; k++)
        {
          AssayNodeId id = g_array_index (region->nodes, AssayNodeId, k);
          const AssayNode *node = assay_graph_node (graph, id);
          guint32 origin = assay_graph_add_origin (graph, paths->pdata[i], node->name,
                                                   node->op_type, node->domain, k);

          places[id] = k;
          assay_graph_set_origins (graph, id, 1, &origin);
        }
    }
}

/* What inference had computed of results is computed again, for the sizes that are bound now. */
static void
reset_results (AssayGraph *graph)
{
  for (AssayValueId i = 1; i < assay_graph_n_values (graph); i++)
    if (assay_graph_value (graph, i)->kind == ASSAY_VALUE_RESULT)
      assay_graph_edit_value (graph, i)->constant = NULL;

  for (AssayNodeId i = 1; i < assay_graph_n_nodes (graph); i++)
    if (assay_graph_node (graph, i)->op == ASSAY_OP_Constant)
      assay_source_constant_node (graph, i);
}

static void
report_absent (AssayGraph *graph, AssayFindings *findings)
{
  guint n = 0;

  for (guint i = 0; i < graph->tensors->len; i++)
    n += assay_tensor_is_absent (g_ptr_array_index (graph->tensors, i));
  if (n > 0)
    assay_findings_add (findings, ASSAY_SEVERITY_WARNING, "import.absent", NULL, NULL, NULL, -1,
                        "%u constant%s left out of the text; what needs the elements fails", n,
                        n == 1 ? " is" : "s are");
}

static AssayGraph *
read_text (GBytes *bytes, const char *folder, const AssayImportOptions *options,
           AssayFindings *findings, const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayFindings) own = assay_findings_new ();
  g_autoptr (AssayGraph) graph = NULL;
  gsize size;
  gconstpointer data = g_bytes_get_data (bytes, &size);
  g_autofree char *text = NULL;

  if (size == 0)
    {
      g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT, "not NNIR text: it is empty");
      return NULL;
    }

  /* Looked at more than once, while others may write to the file. */
  text = g_try_malloc (size);
  if (text == NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_MEMORY,
                   "no memory for %" G_GSIZE_FORMAT " byte%s of text", size, assay_plural (size));
      return NULL;
    }
  memcpy (text, data, size);
  graph = assay_graph_from_text (text, (gssize) size, own, error);
  if (graph != NULL && assay_findings_count_at (own, ASSAY_SEVERITY_ERROR) == 0)
    assay_graph_verify (graph, own);
  if (take_error (own, findings, error) || graph == NULL || !assay_progress_check (progress, error))
    return NULL;

  if (graph->level == ASSAY_GRAPH_STREAMED)
    {
      g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                           "the text is one timestep of a stream; open the model it was made of");
      return NULL;
    }
  reset_results (graph);
  if (graph->origins->len == 0)
    add_origins (graph);
  report_absent (graph, findings);
  if (!assay_graph_bind_shapes (
          graph, assay_settings_get_list (options->settings, ASSAY_SETTING_SHAPES),
          assay_settings_get_list (options->settings, ASSAY_SETTING_BIND), error) ||
      (graph->level == ASSAY_GRAPH_ONNX && !assay_onnx_expand_calls (graph, findings, error)))
    return NULL;

  return g_steal_pointer (&graph);
}

const AssayImporter assay_importer_nnir = {
  .id = "nnir",
  .title = "NNIR Text",
  .models = "NNIR Texts",
  .mime_type = "text/x-nnir",
  .suffixes = { ".nnir" },
  .binds = TRUE, /* what a function is made of depends on ranks and sizes */
  .sniff = sniff_text,
  .read = read_text,
};
