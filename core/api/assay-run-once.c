/* assay-run-once.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "api/assay-run-once.h"

#include "base/assay-error.h"

/**
 * assay_run_once: (skip)
 * @subject: what is to be run
 * @runner: a runner, as `assay run --on` takes it
 * @inputs: (array length=n_inputs): its inputs
 * @n_inputs: how many
 * @cancellable: (nullable): stops it
 * @error: return location for a #GError
 *
 * Opens a runner, runs once and closes it.
 *
 * Returns: (transfer full) (nullable) (element-type AssayTensor): the outputs
 */
GPtrArray *
assay_run_once (AssayRunSubject *subject, const char *runner, AssayTensor *const *inputs,
                gsize n_inputs, GCancellable *cancellable, GError **error)
{
  const AssayProgress progress = ASSAY_PROGRESS_INIT (NULL, NULL, cancellable);
  g_autoptr (GPtrArray) given = g_ptr_array_new ();
  g_autoptr (AssayRunner) opened = NULL;

  for (gsize i = 0; i < n_inputs; i++)
    {
      if (inputs[i] == NULL)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       "input %" G_GSIZE_FORMAT ": no tensor", i);
          return NULL;
        }
      g_ptr_array_add (given, inputs[i]);
    }
  opened = assay_runner_open (runner, subject, NULL, &progress, error);

  return opened == NULL ? NULL : assay_runner_run (opened, given, NULL, &progress, error);
}
