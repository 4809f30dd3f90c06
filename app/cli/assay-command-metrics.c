/* assay-command-metrics.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-command.h"
#include "assay-output-form.h"
#include "assay-program-input.h"
#include "report/assay-build-report.h"

/**
 * assay_command_metrics:
 * @cli: the run
 * @argc: number of arguments
 * @argv: the arguments, the name of the command first
 *
 * Tells what a program uses of every core.
 *
 * Returns: the exit code
 */
AssayExit
assay_command_metrics (AssayCli *cli, int argc, char **argv)
{
  g_autoptr (AssayProgram) program = NULL;
  g_autoptr (AssayProgramMetrics) metrics = NULL;
  g_autofree char *text = NULL;
  AssayExit status;
  gsize length;

  cli->forms = assay_output_forms_report;
  if (!assay_cli_parse (cli, NULL, "PROGRAM",
                        "Tells what a program uses of the stores of every core.", NULL, argc, argv,
                        &status))
    return status;
  program = assay_program_input_load (cli, &status);
  if (program == NULL)
    return status;

  metrics = assay_program_metrics_new (program);
  if (cli->json)
    {
      AssayJsonWriter json;

      assay_json_writer_begin_document (&json, 1, "assay.metrics/1");
      assay_json_writer_member (&json, "program", cli->arguments[0]);
      assay_json_writer_member (&json, "target", assay_program_get_facts (program)->target_id);
      assay_build_report_write_metrics (&json, metrics);
      text = assay_json_writer_end_document (&json, &length);
    }
  else
    {
      GString *lines = g_string_new (NULL);

      assay_build_report_append_metrics (lines, metrics, assay_cli_has_colours (cli));
      /* A document does not begin with the empty line that a section has. */
      g_string_erase (lines, 0, 1);
      length = lines->len;
      text = g_string_free (lines, FALSE);
    }

  return assay_cli_write (cli, text, length, ASSAY_EXIT_CLEAN);
}
