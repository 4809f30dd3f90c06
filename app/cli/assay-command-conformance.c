/* assay-command-conformance.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>

#include "assay-command.h"
#include "assay-suite-options.h"
#include "process/assay-confine.h"
#include "report/assay-conformance-report.h"
#include "run/assay-runner.h"

/* What the process of one case does. It gets a folder of its own and the case, which may be from
 * anywhere: it writes to the one, reads the other, and has no network. Runners with an argument may
 * start programs; those that have to reach out keep all rights. */
static AssayExit
run_case (AssayCli *cli, const AssaySuiteOptions *options)
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
  /* A case that was cut off has no result. */
  if (!assay_progress_check (&cli->progress, &error))
    return assay_cli_fail (cli, error, NULL);
  line = assay_conformance_result_to_line (result);
  fputs (line, stdout);

  return ASSAY_EXIT_CLEAN;
}

static AssayExit
run_folder (AssayCli *cli, const AssaySuiteOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) program = NULL;
  g_autofree char *expected = NULL;
  g_autofree char *text = NULL;
  g_autoptr (AssayConformance) conformance = NULL;
  const char *folder = cli->arguments[0];
  AssayConformancePlan plan;
  gsize length;

  if (!assay_suite_options_plan (options, cli, &plan, &program, &expected, &error))
    return assay_cli_fail (cli, error, NULL);
  conformance = assay_conformance_run (folder, &plan, &cli->progress, &error);
  if (conformance == NULL)
    return assay_cli_fail (cli, error, NULL);

  if (cli->json)
    text = assay_conformance_report_to_json (conformance, folder, options->on, &length);
  else if (g_strcmp0 (cli->form, "junit") == 0)
    text = assay_conformance_report_to_junit (conformance, folder, options->on, &length);
  else
    text = assay_conformance_report_to_text (conformance, folder, options->on, options->all,
                                             assay_cli_has_colours (cli), &length);

  return assay_cli_write (cli, text, length,
                          assay_conformance_n_bad (conformance) > 0 ? ASSAY_EXIT_FINDINGS
                                                                    : ASSAY_EXIT_CLEAN);
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
  static const char *const forms[] = { "text", "json", "junit", NULL };
  g_auto (AssaySuiteOptions) options = { NULL };
  gboolean one_case = FALSE;
  const GOptionEntry own[] = { { "one-case", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &one_case,
                                 NULL, NULL },
                               G_OPTION_ENTRY_NULL };
  g_autofree GOptionEntry *entries = assay_suite_options_entries (&options, cli, own);
  AssayExit status;

  assay_suite_options_init (&options);
  cli->stages = ASSAY_PIPELINE_CHECK | ASSAY_PIPELINE_BUILD;
  cli->forms = forms;
  if (!assay_cli_parse (
          cli, entries, "FOLDER",
          "Runs the cases of ONNX test data below a folder, each in a process of its own.",
          "Exit status: 0 if nothing fails that is expected to pass, and nothing passes that is\n"
          "expected to fail; 1 otherwise. A case that a target refuses is skipped, with the rule.",
          argc, argv, &status) ||
      !assay_suite_options_check (&options, cli, &status))
    return status;
  if (cli->arguments == NULL || g_strv_length (cli->arguments) != (one_case ? 2 : 1))
    return assay_cli_usage (cli, "expected one folder");

  return one_case ? run_case (cli, &options) : run_folder (cli, &options);
}
