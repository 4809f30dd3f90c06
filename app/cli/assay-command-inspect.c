/* assay-command-inspect.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-cli-model.h"
#include "assay-command.h"
#include "assay-output-form.h"
#include "backend/assay-backend.h"
#include "fix/assay-fix-suggest.h"
#include "report/assay-inspect-report.h"

typedef struct
{
  char *dot;
  gboolean all;
  gboolean no_help;
} InspectOptions;

static gboolean
add_help (AssayWork *work, AssayInspectReport *report, AssayCli *cli, GError **error)
{
  AssayFixOptions options = ASSAY_FIX_OPTIONS_DEFAULT;

  double spent = 0;

  options.no_cycles = TRUE;
  options.spent = &spent;
  assay_fix_options_share (&options, report->verdicts->causes->len);
  for (guint i = 0; i < report->verdicts->causes->len; i++)
    {
      const AssayCause *cause = &g_array_index (report->verdicts->causes, AssayCause, i);
      AssayFixSuggestions *suggestions;

      if (cause->kind > ASSAY_VERDICT_UNDECIDED)
        continue;
      suggestions = assay_fix_suggest_for_cause (work, i, &options, &cli->progress, error);
      if (suggestions == NULL)
        return FALSE;
      assay_inspect_report_set_help (report, i, suggestions);
    }

  return TRUE;
}

static AssayExit
inspect_model (AssayCli *cli, const InspectOptions *options)
{
  AssayExit status;
  g_autoptr (AssayTarget) target = assay_cli_load_target (cli, &status);
  g_autoptr (AssayWork) work = NULL;
  g_autoptr (AssayInspectReport) report = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  AssayVerdicts *verdicts;
  gsize length;

  if (target == NULL)
    return status;
  if (!assay_backend_require (target, ASSAY_CAPABILITY_QUANTIZES, &error))
    return assay_cli_fail (cli, error, NULL);
  work = assay_cli_open (cli, target, &status);
  if (work == NULL)
    return status;
  verdicts = assay_work_get_verdicts (work, &cli->progress, &error);
  if (verdicts == NULL)
    return assay_cli_fail (cli, error, assay_work_get_findings (work));

  report = assay_inspect_report_new (cli->arguments[0], target, verdicts);
  if (!options->no_help && !add_help (work, report, cli, &error))
    return assay_cli_fail (cli, error, NULL);
  if (options->dot != NULL)
    {
      text = assay_inspect_report_to_dot (report, &length);
      if (!assay_cli_add_file (cli, options->dot, text, length, &error))
        return assay_cli_fail (cli, error, NULL);
      g_clear_pointer (&text, g_free);
    }
  text = cli->json ? assay_inspect_report_to_json (report, &length)
                   : assay_inspect_report_to_text (report, options->all,
                                                   assay_cli_has_colours (cli), &length);

  return assay_cli_write (cli, text, length, ASSAY_EXIT_CLEAN);
}

/**
 * assay_command_inspect:
 * @cli: the run
 * @argc: number of arguments
 * @argv: the arguments, the name of the command first
 *
 * Tells which nodes of a model a DPU takes, what keeps others off and what helps.
 *
 * Returns: the exit code
 */
AssayExit
assay_command_inspect (AssayCli *cli, int argc, char **argv)
{
  InspectOptions options = { 0 };
  g_autofree char *dot = NULL;
  const GOptionEntry entries[] = {
    { "all", 0, 0, G_OPTION_ARG_NONE, &options.all, "List every node, not those on the CPU alone",
      NULL },
    { "dot", 0, 0, G_OPTION_ARG_FILENAME, &dot,
      "Write a picture for Graphviz: the DPU blue, the CPU red", "FILE" },
    { "no-help", 0, 0, G_OPTION_ARG_NONE, &options.no_help, "Do not try what helps", NULL },
    G_OPTION_ENTRY_NULL
  };
  AssayExit status;

  cli->stages = ASSAY_PIPELINE_IMPORT | ASSAY_PIPELINE_CHECK;
  cli->forms = assay_output_forms_report;
  if (!assay_cli_parse (
          cli, entries, "MODEL --target TARGET",
          "Tells which nodes of a model a DPU takes, what keeps the others off, what helps, and "
          "what\n"
          "goes between host and device.",
          "Exit status: 0 if the model can be inspected, 2 for bad input, 3 if a file cannot be "
          "read or\n"
          "written.",
          argc, argv, &status))
    return status;
  options.dot = dot;

  return inspect_model (cli, &options);
}
