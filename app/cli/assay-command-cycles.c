/* assay-command-cycles.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-command.h"
#include "assay-output-form.h"
#include "backend/assay-backend.h"
#include "assay-program-input.h"
#include "report/assay-build-report.h"
#include "report/assay-trace-report.h"

static gboolean
write_trace (AssayCli *cli, AssayProgram *program, const char *name, const char *path,
             AssayExit *status)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  guint model;
  gsize length;

  if (!assay_program_input_find_model (cli, program, name, &model, status))
    return FALSE;

  text = assay_trace_report_to_json (program, model, &length, NULL);
  if (assay_cli_add_file (cli, path, text, length, &error))
    return TRUE;

  *status = assay_cli_fail (cli, error, NULL);
  return FALSE;
}

/**
 * assay_command_cycles:
 * @cli: the run
 * @argc: number of arguments
 * @argv: the arguments, the name of the command first
 *
 * Counts the cycles of one inference of every model of a program.
 *
 * Returns: the exit code
 */
AssayExit
assay_command_cycles (AssayCli *cli, int argc, char **argv)
{
  g_autofree char *trace = NULL;
  g_autofree char *model = NULL;
  gboolean sensitivity = FALSE;
  const GOptionEntry entries[] = { { "sensitivity", 0, 0, G_OPTION_ARG_NONE, &sensitivity,
                                     "Tell how the cycles depend on each timing parameter", NULL },
                                   { "trace", 0, 0, G_OPTION_ARG_FILENAME, &trace,
                                     "Write the timeline of a model for Perfetto", "FILE" },
                                   { "model", 0, 0, G_OPTION_ARG_STRING, &model,
                                     "The model of the trace; the first if not given", "NAME" },
                                   G_OPTION_ENTRY_NULL };
  g_autoptr (AssayProgram) program = NULL;
  g_autofree char *text = NULL;
  AssayExit status;
  gsize length;

  cli->forms = assay_output_forms_report;
  if (!assay_cli_parse (
          cli, entries, "PROGRAM",
          "Counts the cycles of one inference of every model of a program.",
          "Spaced: all cores idle before. Contiguous: one inference follows another at once.", argc,
          argv, &status))
    return status;
  program = assay_program_input_load (cli, &status);
  if (program == NULL)
    return status;
  if (!assay_program_counts_cycles (program))
    return assay_cli_usage (cli, "%s: target %s: %s", cli->arguments[0],
                            assay_program_get_facts (program)->target_id,
                            assay_backend_get_lack (ASSAY_CAPABILITY_COUNTS_CYCLES));

  if (trace != NULL && !write_trace (cli, program, model, trace, &status))
    return status;

  if (cli->json)
    {
      AssayJsonWriter json;

      assay_json_writer_begin_document (&json, 2, "assay.cycles/1");
      assay_json_writer_member (&json, "program", cli->arguments[0]);
      assay_json_writer_member (&json, "target", assay_program_get_facts (program)->target_id);
      assay_build_report_write_cycles (&json, program, sensitivity);
      text = assay_json_writer_end_document (&json, &length);
    }
  else
    {
      GString *lines = g_string_new (NULL);

      assay_build_report_append_cycles (lines, program, assay_cli_has_colours (cli));
      if (sensitivity)
        assay_build_report_append_sensitivity (lines, program, assay_cli_has_colours (cli));
      /* A document does not begin with the empty line that a section has. */
      g_string_erase (lines, 0, 1);
      length = lines->len;
      text = g_string_free (lines, FALSE);
    }

  return assay_cli_write (cli, text, length, ASSAY_EXIT_CLEAN);
}
