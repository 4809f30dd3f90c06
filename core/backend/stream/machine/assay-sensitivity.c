/* assay-sensitivity.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/stream/machine/assay-sensitivity.h"

/**
 * assay_timing_sensitivity:
 * @code: a program
 * @model: which of its models
 *
 * Counts a model again with every timing parameter one cycle larger: how often each stands in the
 * count. The parameters are estimates, so this says what an estimate that is wrong by a cycle makes
 * of the count.
 *
 * Returns: (transfer full) (element-type AssaySensitivity): one per parameter, in the order of the
 * `timing` object
 */
GArray *
assay_timing_sensitivity (const AssayStreamCode *code, guint model)
{
  GArray *result = g_array_new (FALSE, FALSE, sizeof (AssaySensitivity));
  AssayCycles before;
  const char *name;

  assay_timing_run (code, model, &before, NULL);
  for (guint i = 0; (name = assay_timing_parameter_name (i)) != NULL; i++)
    {
      /* Only the configuration of the copy is its own. */
      AssayStreamCode changed = *code;
      guint *value = assay_timing_parameter (&changed.config.timing, i);
      AssaySensitivity sensitivity = { .name = name, .value = *value };
      AssayCycles cycles;

      *value += 1;
      assay_timing_run (&changed, model, &cycles, NULL);
      sensitivity.spaced = (gint32) (cycles.spaced - before.spaced);
      sensitivity.contiguous = (gint32) (cycles.contiguous - before.contiguous);
      g_array_append_val (result, sensitivity);
    }

  return result;
}
