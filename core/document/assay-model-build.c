/* assay-model-build.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Checking and compiling a model with settings that were made for any model and any target.
 */
#include "document/assay-model-build.h"

#include "document/assay-model-inputs.h"

/* What of the settings is for this target and this graph, which fixes may have taken inputs from.
 */
static AssaySettings *
pick_settings (AssaySettings *settings, AssayTarget *target, AssayGraph *graph)
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
 * assay_work_for_document:
 * @model: work of a model that is open; only read
 * @target: a target
 * @settings: settings that were made for any target
 *
 * Copies work of a model whose settings outlive targets and inputs.
 *
 * Returns: (transfer full): the copy
 */
AssayWork *
assay_work_for_document (AssayWork *model, AssayTarget *target, AssaySettings *settings)
{
  g_autoptr (AssaySettings)
      picked = pick_settings (settings, target, assay_work_get_graph (model, NULL, NULL));

  return assay_work_with_target (model, target, picked);
}
