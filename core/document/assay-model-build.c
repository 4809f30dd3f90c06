/* assay-model-build.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Checking and compiling a model with settings that were made for any model and any target.
 */
#include "document/assay-model-build.h"

#include "document/assay-model-inputs.h"

/**
 * assay_settings_for_model:
 * @settings: settings
 * @target: a target
 * @graph: an imported graph, which fixes may have taken inputs from
 *
 * Picks what is for this target and this graph.
 *
 * Returns: (transfer full): the settings
 */
AssaySettings *
assay_settings_for_model (AssaySettings *settings, AssayTarget *target, AssayGraph *graph)
{
  g_autoptr (AssaySettings) picked = assay_backend_pick_settings (target, settings);
  g_autoptr (GArray) axes = NULL;

  if (assay_settings_get_list (picked, ASSAY_SETTING_AXES) != NULL)
    {
      axes = assay_settings_list_axes (picked, graph);
      assay_settings_set_axes (&picked, (const int *) (gpointer) axes->data, axes->len);
    }

  return g_steal_pointer (&picked);
}

/**
 * assay_work_new_for_document:
 * @path: (nullable): file of the model
 * @graph: an imported graph
 * @verdicts: (nullable): what the target says to it, if that is known
 * @target: a target
 * @settings: settings that were made for any target
 *
 * Makes work of a model whose settings outlive targets and inputs.
 *
 * Returns: (transfer full): the work
 */
AssayWork *
assay_work_new_for_document (const char *path, AssayGraph *graph, AssayVerdicts *verdicts,
                             AssayTarget *target, AssaySettings *settings)
{
  g_autoptr (AssaySettings) picked = assay_settings_for_model (settings, target, graph);

  return assay_work_new_for_graph (path, graph, verdicts, target, picked);
}
