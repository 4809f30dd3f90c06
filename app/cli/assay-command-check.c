/* assay-command-check.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-cli-model.h"
#include "assay-command.h"
#include "report/assay-check-report.h"

typedef struct
{
  char *policy;
} CheckOptions;

static const struct
{
  const char *name;
  char *(*write) (const AssayCheckReport *report, AssayReportFlags flags, gsize *length);
} formats[] = {
  { "text", assay_check_report_to_text },
  { "json", assay_check_report_to_json },
  { "sarif", assay_check_report_to_sarif },
  { "junit", assay_check_report_to_junit },
};

static void
check_options_clear (CheckOptions *self)
{
  g_free (self->policy);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (CheckOptions, check_options_clear)

static AssayExit
check_model (AssayCli *cli, CheckOptions *options, guint format)
{
  AssayExit status;
  g_autoptr (AssayPolicy) policy = NULL;
  g_autoptr (AssayTarget) target = assay_cli_load_target (cli, &status);
  g_autoptr (AssayWork) work = NULL;
  g_autoptr (AssayCheckReport) report = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  AssayVerdicts *verdicts;
  gsize length;

  if (target == NULL)
    return status;
  if (options->policy != NULL)
    policy = assay_policy_load (options->policy, &error);
  if (options->policy != NULL && policy == NULL)
    return assay_cli_fail (cli, error, NULL);
  work = assay_cli_open (cli, target, &status);
  if (work == NULL)
    return status;
  verdicts = assay_work_get_verdicts (work, &cli->progress, &error);
  if (verdicts == NULL)
    return assay_cli_fail (cli, error, assay_work_get_findings (work));

  report = assay_check_report_new (cli->arguments[0], target, verdicts,
                                   assay_work_get_findings (work));
  if (policy != NULL)
    {
      g_autoptr (GDateTime) today = g_date_time_new_now_local ();

      assay_check_report_accept (report, policy, today);
    }
  text = formats[format].write (
      report, assay_cli_has_colours (cli) ? ASSAY_REPORT_COLOURS : ASSAY_REPORT_PLAIN, &length);
  return assay_cli_write (cli, text, length,
                          assay_check_report_is_clean (report) ? ASSAY_EXIT_CLEAN
                                                               : ASSAY_EXIT_FINDINGS);
}

/**
 * assay_command_check:
 * @cli: the run
 * @argc: number of arguments
 * @argv: the arguments, the name of the command first
 *
 * Gives every node of a model its verdict for a target.
 *
 * Returns: the exit code; a rejected or undecided node or an error in the model is a finding
 */
AssayExit
assay_command_check (AssayCli *cli, int argc, char **argv)
{
  g_auto (CheckOptions) options = { 0 };
  const GOptionEntry entries[] = { { "policy", 0, 0, G_OPTION_ARG_FILENAME, &options.policy,
                                     "Accept what FILE lists, with its reasons", "FILE" },
                                   G_OPTION_ENTRY_NULL };
  const char *forms[G_N_ELEMENTS (formats) + 1] = { NULL };
  guint format = 0;
  AssayExit status;

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    forms[i] = formats[i].name;
  cli->stages = ASSAY_PIPELINE_IMPORT | ASSAY_PIPELINE_CHECK;
  cli->forms = forms;
  if (!assay_cli_parse (cli, entries, "MODEL",
                        "Gives every node of a model its verdict for a target, with the reason.",
                        "Exit status: 0 if the target takes the model, 1 if a node is rejected or "
                        "undecided or the\n"
                        "model has an error, and no policy accepts it, 2 for bad input, 3 if a "
                        "file cannot be read\n"
                        "or written.",
                        argc, argv, &status))
    return status;

  while (cli->form != NULL && !g_str_equal (formats[format].name, cli->form))
    format++;

  return check_model (cli, &options, format);
}
