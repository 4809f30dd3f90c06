/* assay-run-once.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "api/assay-run-once.h"

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
  g_autoptr (AssayRunner) opened = assay_runner_open (runner, subject, NULL, &progress, error);
  g_autoptr (GPtrArray) given = g_ptr_array_new ();

  for (gsize i = 0; i < n_inputs; i++)
    g_ptr_array_add (given, inputs[i]);

  return opened == NULL ? NULL : assay_runner_run (opened, given, NULL, &progress, error);
}
