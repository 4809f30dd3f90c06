/* assay-run-once.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "api/assay-run-once.h"

#include "base/assay-error.h"

static char **
list_parts (AssayRunner *runner)
{
  guint n;
  const AssayRunPort *ports = assay_runner_get_outputs (runner, &n);
  char **parts = g_new0 (char *, n + 1);

  for (guint i = 0; i < n; i++)
    parts[i] = ports[i].part != NULL ? g_strdup_printf ("%u.%s", ports[i].output, ports[i].part)
                                     : g_strdup_printf ("%u", ports[i].output);

  return parts;
}

/**
 * assay_run_once: (skip)
 * @subject: what is to be run
 * @runner: a runner, as `assay run --on` takes it
 * @inputs: (array length=n_inputs): its inputs
 * @n_inputs: how many
 * @cancellable: (nullable): stops it
 * @parts: (out) (optional) (transfer full) (array zero-terminated=1): gets which output each tensor
 * is, and of one that is no tensor behind a dot which part of it
 * @error: return location for a #GError
 *
 * Opens a runner, runs once and closes it.
 *
 * Returns: (transfer full) (nullable) (element-type AssayTensor): the outputs
 */
GPtrArray *
assay_run_once (AssayRunSubject *subject, const char *runner, AssayTensor *const *inputs,
                gsize n_inputs, GCancellable *cancellable, char ***parts, GError **error)
{
  const AssayProgress progress = ASSAY_PROGRESS_INIT (NULL, NULL, cancellable);
  g_autoptr (GPtrArray) given = g_ptr_array_new ();
  g_autoptr (AssayRunner) opened = NULL;
  GPtrArray *outputs;

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

  outputs = opened == NULL ? NULL : assay_runner_run (opened, given, NULL, &progress, error);
  if (outputs != NULL && parts != NULL)
    *parts = list_parts (opened);

  return outputs;
}
