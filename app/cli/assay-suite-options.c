/* assay-suite-options.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-suite-options.h"

#include "assay-cli-model.h"
#include "base/assay-file-read.h"
#include "run/assay-runner.h"
#include "settings/assay-settings-options.h"
#include "target/assay-target.h"

/**
 * assay_suite_options_init:
 * @self: options
 *
 * Gives options what they are if nobody says otherwise.
 */
void
assay_suite_options_init (AssaySuiteOptions *self)
{
  *self = (AssaySuiteOptions){
    .rtol = ASSAY_CONFORMANCE_RTOL,
    .atol = ASSAY_CONFORMANCE_ATOL,
    .timeout = 60,
  };
}

void
assay_suite_options_clear (AssaySuiteOptions *self)
{
  g_free (self->on);
  g_free (self->xfail);
  g_free (self->filter);
}

/**
 * assay_suite_options_entries:
 * @self: options
 * @cli: the run
 * @own: (array zero-terminated=1): entries of the command
 *
 * Lists the entries of a command: its own, then those in common.
 *
 * Returns: (transfer full): the entries
 */
GOptionEntry *
assay_suite_options_entries (AssaySuiteOptions *self, AssayCli *cli, const GOptionEntry *own)
{
  const GOptionEntry shared[] = {
    { "on", 0, 0, G_OPTION_ARG_STRING, &self->on, "The runner; reference if not given", "RUNNER" },
    { "xfail", 0, 0, G_OPTION_ARG_FILENAME, &self->xfail,
      "List of expected failures: a pattern per line, and behind it the reason", "FILE" },
    { "filter", 0, 0, G_OPTION_ARG_STRING, &self->filter, "Run only cases whose name matches",
      "PATTERN" },
    { "timeout", 0, 0, G_OPTION_ARG_INT, &self->timeout, "Seconds that a case may take (60)",
      "SECONDS" },
    { "jobs", 'j', 0, G_OPTION_ARG_INT, &self->n_jobs,
      "Cases at once; one per processor if not given", "N" },
    { "rtol", 0, 0, G_OPTION_ARG_DOUBLE, &self->rtol, "Relative tolerance (1e-3)", "NUMBER" },
    { "atol", 0, 0, G_OPTION_ARG_DOUBLE, &self->atol, "Absolute tolerance (1e-7)", "NUMBER" },
    { "all", 0, 0, G_OPTION_ARG_NONE, &self->all, "List cases that pass too", NULL },
  };
  guint n = 0;
  GOptionEntry *entries;

  while (own[n].long_name != NULL)
    n++;
  entries = g_new0 (GOptionEntry, n + G_N_ELEMENTS (shared) + 1);
  for (guint i = 0; i < n; i++)
    entries[i] = own[i];
  for (guint i = 0; i < G_N_ELEMENTS (shared); i++)
    entries[n + i] = shared[i];

  return entries;
}

/**
 * assay_suite_options_check:
 * @self: options
 * @cli: the run
 * @status: (out): the exit code, if something is wrong
 *
 * Completes options, and complains about them.
 *
 * Returns: whether they hold
 */
gboolean
assay_suite_options_check (AssaySuiteOptions *self, AssayCli *cli, AssayExit *status)
{
  g_autoptr (GError) error = NULL;
  const AssayRunnerKind *kind;
  g_autoptr (AssayTarget) target = NULL;

  if (self->on == NULL)
    self->on = g_strdup ("reference");

  kind = assay_runner_kind_find (self->on, &error);
  if (kind != NULL && cli->target != NULL)
    {
      target = assay_cli_load_target (cli, status);
      if (target == NULL)
        return FALSE;
    }
  if (error != NULL)
    *status = assay_cli_fail (cli, error, NULL);
  else if (kind->needs_program && cli->target == NULL)
    *status = assay_cli_usage (cli, "%s runs programs: name a --target", self->on);
  else if (self->timeout < 1 || self->n_jobs < 0 || !(self->rtol >= 0) || !(self->atol >= 0))
    *status = assay_cli_usage (
        cli, "--timeout, --jobs, --rtol and --atol cannot be negative, nor --timeout zero");
  else
    return TRUE;

  return FALSE;
}

/* This program again, for one case. */
static char **
case_command (AssayCli *cli, const AssaySuiteOptions *self, GError **error)
{
  const AssayConformanceOptions options = { self->on, cli->target, cli->settings, self->rtol,
                                            self->atol };
  g_autofree char *program = g_file_read_link ("/proc/self/exe", error);

  return program != NULL ? assay_conformance_dup_command (program, &options, cli->stages) : NULL;
}

/**
 * assay_suite_options_plan:
 * @self: options
 * @cli: the run
 * @plan: (out): what is run, and how; it points to the rest
 * @program: (out) (transfer full): the command that runs a case
 * @expected: (out) (transfer full) (nullable): the list of expected failures
 * @error: return location for a #GError
 *
 * Makes a plan of options.
 *
 * Returns: whether it could be made
 */
gboolean
assay_suite_options_plan (const AssaySuiteOptions *self, AssayCli *cli, AssayConformancePlan *plan,
                          char ***program, char **expected, GError **error)
{
  *program = case_command (cli, self, error);
  if (*program == NULL ||
      (self->xfail != NULL &&
       !assay_file_read (self->xfail, ASSAY_FILE_READ_TEXT, expected, NULL, error)))
    return FALSE;

  *plan = (AssayConformancePlan){
    .program = (const char *const *) *program,
    .filter = self->filter,
    .expected = *expected,
    .expected_name = self->xfail,
    .timeout = (guint) self->timeout,
    .n_jobs = (guint) self->n_jobs,
  };

  return TRUE;
}
