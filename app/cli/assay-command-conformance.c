/* assay-command-conformance.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include "assay-cli-model.h"
#include "assay-command.h"
#include "base/assay-file-read.h"
#include "process/assay-confine.h"
#include "report/assay-conformance-report.h"
#include "run/assay-runner.h"
#include "settings/assay-settings-options.h"
#include "target/assay-target.h"

typedef struct
{
  char *on;
  char *xfail;
  char *filter;
  char *format;
  double rtol;
  double atol;
  int timeout;
  int n_jobs;
  gboolean all;
  gboolean one_case;
} ConformanceOptions;

static void
conformance_options_clear (ConformanceOptions *self)
{
  g_free (self->on);
  g_free (self->xfail);
  g_free (self->filter);
  g_free (self->format);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ConformanceOptions, conformance_options_clear)

/* What the process of one case does. It gets a folder of its own and the case, which may be from
 * anywhere: it writes to the one, reads the other, and has no network. Runners with an argument may
 * start programs; those that have to reach out keep all rights. */
static AssayExit
run_case (AssayCli *cli, const ConformanceOptions *options)
{
  const AssayRunnerKind *kind = assay_runner_kind_find (options->on, NULL);
  const AssayConfinement confinement = { .writable = cli->arguments[0],
                                         .devices = TRUE,
                                         .programs = kind->argument != NULL };
  const AssayConformanceOptions wanted = { options->on, cli->target, cli->settings, options->rtol,
                                           options->atol };
  g_autoptr (AssayConformanceResult) result = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *line = NULL;

  g_setenv ("TMPDIR", cli->arguments[0], TRUE);
  if (!kind->reaches_out && !assay_confine (&confinement, &error))
    return assay_cli_fail (cli, error, NULL);
  result = assay_conformance_run_case (cli->arguments[1], &wanted, &cli->progress);
  line = assay_conformance_result_to_line (result);
  fputs (line, stdout);

  return ASSAY_EXIT_CLEAN;
}

/* This program again, for one case. */
static char **
case_command (AssayCli *cli, const ConformanceOptions *options, GError **error)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_autofree char *program = g_file_read_link ("/proc/self/exe", error);
  g_autofree char *rtol = g_strdup_printf ("--rtol=%.17g", options->rtol);
  g_autofree char *atol = g_strdup_printf ("--atol=%.17g", options->atol);
  g_auto (GStrv) settings = assay_settings_to_arguments (cli->settings, cli->stages);

  if (program == NULL)
    return NULL;

  g_strv_builder_add_many (builder, program, "conformance", "--one-case", "--on", options->on, rtol,
                           atol, NULL);
  if (cli->target != NULL)
    g_strv_builder_add_many (builder, "--target", cli->target, NULL);
  g_strv_builder_addv (builder, (const char **) settings);
  g_strv_builder_add (builder, "--");

  return g_strv_builder_end (builder);
}

static AssayExit
run_folder (AssayCli *cli, const ConformanceOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) command = case_command (cli, options, &error);
  g_autofree char *expected = NULL;
  g_autofree char *text = NULL;
  g_autoptr (AssayConformance) conformance = NULL;
  const char *folder = cli->arguments[0];
  AssayConformancePlan plan = {
    .program = (const char *const *) command,
    .filter = options->filter,
    .expected_name = options->xfail,
    .timeout = (guint) options->timeout,
    .n_jobs = (guint) options->n_jobs,
  };
  gsize length;

  if (command == NULL ||
      (options->xfail != NULL &&
       !assay_file_read (options->xfail, ASSAY_FILE_READ_TEXT, &expected, NULL, &error)))
    return assay_cli_fail (cli, error, NULL);

  plan.expected = expected;
  conformance = assay_conformance_run (folder, &plan, &cli->progress, &error);
  if (conformance == NULL)
    return assay_cli_fail (cli, error, NULL);

  if (cli->json)
    text = assay_conformance_report_to_json (conformance, folder, options->on, &length);
  else if (g_str_equal (options->format, "junit"))
    text = assay_conformance_report_to_junit (conformance, folder, options->on, &length);
  else
    text = assay_conformance_report_to_text (conformance, folder, options->on, options->all,
                                             assay_cli_has_colours (cli), &length);

  return assay_cli_write (
      cli, text, length,
      conformance->counts[ASSAY_CONFORMANCE_FAIL] + conformance->counts[ASSAY_CONFORMANCE_XPASS] > 0
          ? ASSAY_EXIT_FINDINGS
          : ASSAY_EXIT_CLEAN);
}

static gboolean
check_options (AssayCli *cli, ConformanceOptions *options, AssayExit *status)
{
  g_autoptr (GError) error = NULL;
  const AssayRunnerKind *kind;
  g_autoptr (AssayTarget) target = NULL;

  if (options->on == NULL)
    options->on = g_strdup ("reference");
  if (options->format == NULL)
    options->format = g_strdup (cli->json ? "json" : "text");

  kind = assay_runner_kind_find (options->on, &error);
  if (kind != NULL && cli->target != NULL)
    {
      target = assay_cli_load_target (cli, status);
      if (target == NULL)
        return FALSE;
    }
  if (error != NULL)
    *status = assay_cli_fail (cli, error, NULL);
  else if (cli->arguments == NULL || g_strv_length (cli->arguments) != (options->one_case ? 2 : 1))
    *status = assay_cli_usage (cli, "expected one folder");
  else if (kind->needs_program && cli->target == NULL)
    *status = assay_cli_usage (cli, "%s runs programs: name a --target", options->on);
  else if (!g_strv_contains ((const char *const[]){ "text", "json", "junit", NULL },
                             options->format))
    *status = assay_cli_usage (cli, "--format %s: expected text, json or junit", options->format);
  else if (options->timeout < 1 || options->n_jobs < 0 || !(options->rtol >= 0) ||
           !(options->atol >= 0))
    *status = assay_cli_usage (
        cli, "--timeout, --jobs, --rtol and --atol cannot be negative, nor --timeout zero");
  else
    return TRUE;

  return FALSE;
}

/**
 * assay_command_conformance:
 * @cli: the run
 * @argc: number of arguments
 * @argv: the arguments, the name of the command first
 *
 * Runs folders of ONNX test data on a runner.
 *
 * Returns: the exit code; a failure, or a pass that was not expected, is a finding
 */
AssayExit
assay_command_conformance (AssayCli *cli, int argc, char **argv)
{
  g_auto (ConformanceOptions) options = {
    .rtol = ASSAY_CONFORMANCE_RTOL,
    .atol = ASSAY_CONFORMANCE_ATOL,
    .timeout = 60,
  };
  const GOptionEntry entries[] = {
    { "on", 0, 0, G_OPTION_ARG_STRING, &options.on, "The runner; reference if not given",
      "RUNNER" },
    { "xfail", 0, 0, G_OPTION_ARG_FILENAME, &options.xfail,
      "List of expected failures: a pattern per line, and behind it the reason", "FILE" },
    { "filter", 0, 0, G_OPTION_ARG_STRING, &options.filter, "Run only cases whose name matches",
      "PATTERN" },
    { "timeout", 0, 0, G_OPTION_ARG_INT, &options.timeout, "Seconds that a case may take (60)",
      "SECONDS" },
    { "jobs", 'j', 0, G_OPTION_ARG_INT, &options.n_jobs,
      "Cases at once; one per processor if not given", "N" },
    { "rtol", 0, 0, G_OPTION_ARG_DOUBLE, &options.rtol, "Relative tolerance (1e-3)", "NUMBER" },
    { "atol", 0, 0, G_OPTION_ARG_DOUBLE, &options.atol, "Absolute tolerance (1e-7)", "NUMBER" },
    { "all", 0, 0, G_OPTION_ARG_NONE, &options.all, "List cases that pass too", NULL },
    { "format", 'f', 0, G_OPTION_ARG_STRING, &options.format, "text (default), json or junit",
      "FORMAT" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &cli->json, "Same as --format json", NULL },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &cli->output,
      "Write to FILE instead of standard output", "FILE" },
    { "one-case", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &options.one_case, NULL, NULL },
    G_OPTION_ENTRY_NULL
  };
  AssayExit status;

  cli->stages = ASSAY_PIPELINE_CHECK | ASSAY_PIPELINE_BUILD;
  if (!assay_cli_parse (
          cli, entries, "FOLDER",
          "Runs the cases of ONNX test data below a folder, each in a process of its own.",
          "Exit status: 0 if nothing fails that is expected to pass, and nothing passes that is\n"
          "expected to fail; 1 otherwise. A case that a target refuses is skipped, with the rule.",
          argc, argv, &status) ||
      !check_options (cli, &options, &status))
    return status;

  cli->json = g_str_equal (options.format, "json");

  return options.one_case ? run_case (cli, &options) : run_folder (cli, &options);
}
