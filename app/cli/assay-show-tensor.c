/* assay-show-tensor.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-show-tensor.h"

#include "base/assay-error.h"
#include "base/assay-nearest.h"
#include "base/assay-npy.h"
#include "report/assay-tensor-report.h"

static AssayTensor *
find_tensor (AssayGraph *graph, const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *hint = NULL;

  for (AssayValueId id = 1; id < assay_graph_n_values (graph); id++)
    {
      const AssayValue *value = assay_graph_value (graph, id);

      if (value->constant == NULL)
        continue;
      if (g_str_equal (value->name, name))
        return value->constant;
      g_ptr_array_add (names, (gpointer) value->name);
    }

  g_ptr_array_add (names, NULL);
  hint = assay_nearest_hint (name, (const char *const *) names->pdata);
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
               "--tensor %s: the model has no constant of this name%s", name,
               hint != NULL ? hint : "");
  return NULL;
}

/**
 * assay_show_tensor:
 * @cli: the run; an output file that ends in `.npy` gets the elements, and standard output the
 * report
 * @graph: a graph
 * @findings: what the importer found
 * @name: name of a constant
 *
 * Tells what a constant of a model is like, and writes its elements.
 *
 * Returns: the exit code
 */
AssayExit
assay_show_tensor (AssayCli *cli, AssayGraph *graph, AssayFindings *findings, const char *name)
{
  g_autoptr (GError) error = NULL;
  AssayTensor *tensor = find_tensor (graph, name, &error);
  g_autofree char *written = NULL;
  g_autofree char *text = NULL;
  AssayTensorSummary summary;
  gboolean has_numbers;
  gsize length = 0;

  if (tensor == NULL)
    return assay_cli_fail (cli, error, findings);

  has_numbers = assay_dtype_bits (assay_tensor_get_dtype (tensor)) > 0;
  if (has_numbers && !assay_tensor_summarize (tensor, &cli->progress, &summary, &error))
    return assay_cli_fail (cli, error, findings);
  if (cli->output != NULL && g_str_has_suffix (cli->output, ".npy"))
    {
      written = g_steal_pointer (&cli->output);
      if (!assay_npy_write (tensor, written, &cli->progress, &error))
        return assay_cli_fail (cli, error, findings);
    }

  text = cli->json ? assay_tensor_report_to_json (cli->arguments[0], name, tensor,
                                                  has_numbers ? &summary : NULL, written, &length)
                   : assay_tensor_report_to_text (name, tensor, has_numbers ? &summary : NULL,
                                                  assay_cli_has_colours (cli), &length);
  return assay_cli_write (cli, text, length, ASSAY_EXIT_CLEAN);
}
