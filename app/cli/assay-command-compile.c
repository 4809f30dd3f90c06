/* assay-command-compile.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-cli-model.h"
#include "assay-command.h"
#include "backend/assay-build.h"
#include "base/assay-sentence.h"
#include "report/assay-build-report.h"
#include "text/assay-text-table.h"

static char *
metrics_document (const AssayProgramMetrics *metrics, gsize *length)
{
  AssayJsonWriter json;

  assay_json_writer_begin_document (&json, 1, "assay.metrics/1");
  assay_build_report_write_metrics (&json, metrics);
  return assay_json_writer_end_document (&json, length);
}

static char *
compile_to_json (AssayCli *cli, AssayProgram *program, const AssayProgramMetrics *metrics,
                 const char *path, gsize *length)
{
  AssayJsonWriter json;

  assay_json_writer_begin_document (&json, 2, "assay.compile/1");
  assay_json_writer_member (&json, "program", path);
  assay_json_writer_member (&json, "target", assay_program_get_facts (program)->target_id);
  assay_build_report_write_metrics (&json, metrics);
  assay_build_report_write_cycles (&json, program, FALSE);
  assay_build_report_write_ranges (&json, program);

  return assay_json_writer_end_document (&json, length);
}

static char *
compile_to_text (AssayCli *cli, AssayProgram *program, const AssayProgramMetrics *metrics,
                 const char *path, gsize *length)
{
  GString *text = g_string_new (NULL);
  gboolean colours = assay_cli_has_colours (cli);

  assay_terminal_append_styled (text, path, ASSAY_TEXT_STYLE_BOLD, colours);
  assay_terminal_append_format (text, " for ");
  assay_terminal_append_styled (text, assay_program_get_facts (program)->target_id,
                                ASSAY_TEXT_STYLE_BOLD, colours);
  assay_terminal_append_format (text, ": %u model%s", assay_program_num_models (program),
                                assay_plural (assay_program_num_models (program)));
  if (assay_program_has_cores (program))
    assay_terminal_append_format (text, ", %u core%s of block size %u", metrics->n_cores,
                                  assay_plural (metrics->n_cores),
                                  assay_program_get_facts (program)->config->block_size);
  g_string_append_c (text, '\n');
  assay_build_report_append_metrics (text, metrics, colours);
  assay_build_report_append_cycles (text, program, colours);
  assay_build_report_append_ranges (text, program, colours);
  *length = text->len;

  return g_string_free (text, FALSE);
}

static AssayExit
write_program (AssayCli *cli, AssayProgram *program, const char *path, const char *metrics_file)
{
  g_autoptr (AssayProgramMetrics) metrics = assay_program_metrics_new (program);
  g_autoptr (GError) error = NULL;
  g_autofree char *document = NULL;
  g_autofree char *text = NULL;
  gboolean saved;
  gsize length;

  assay_file_group_enter (cli->files);
  saved = assay_program_save (program, path, &error);
  assay_file_group_leave (cli->files);
  if (!saved)
    return assay_cli_fail (cli, error, NULL);

  if (metrics_file != NULL)
    {
      document = metrics_document (metrics, &length);
      if (!assay_cli_add_file (cli, metrics_file, document, length, &error))
        return assay_cli_fail (cli, error, NULL);
    }

  text = (cli->json ? compile_to_json : compile_to_text) (cli, program, metrics, path, &length);

  return assay_cli_write (cli, text, length, ASSAY_EXIT_CLEAN);
}

/**
 * assay_command_compile:
 * @cli: the run
 * @argc: number of arguments
 * @argv: the arguments, the name of the command first
 *
 * Compiles models into a program file.
 *
 * Returns: the exit code; a model that the target does not take or that does not fit is a finding
 */
AssayExit
assay_command_compile (AssayCli *cli, int argc, char **argv)
{
  g_autofree char *path = NULL;
  g_autofree char *metrics = NULL;
  gboolean io_only = FALSE;
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &path,
      "The program file; replaced whole or not at all", "PROGRAM" },
    { "metrics", 0, 0, G_OPTION_ARG_FILENAME, &metrics, "Write the metrics to FILE too, as JSON",
      "FILE" },
    { "io-only", 0, 0, G_OPTION_ARG_NONE, &io_only,
      "Keep inputs and outputs, compute nothing, to measure the way", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &cli->json, "Write one JSON document", NULL },
    G_OPTION_ENTRY_NULL
  };
  g_autoptr (GPtrArray) works = NULL;
  AssayProgram *program;
  g_autoptr (AssayProgram) empty = NULL;
  g_autoptr (GError) error = NULL;
  AssayExit status;

  cli->stages = ASSAY_PIPELINE_IMPORT | ASSAY_PIPELINE_BUILD | ASSAY_PIPELINE_NAME;
  if (!assay_cli_parse (
          cli, entries, "MODEL... -o PROGRAM --target TARGET",
          "Compiles models into a program file, and tells what it takes and how long each runs.",
          "Exit status: 0 if the program is written, 1 if the target does not take the model or it "
          "does\n"
          "not fit, 2 for bad input, 3 if a file cannot be read or written.",
          argc, argv, &status))
    return status;
  if (path == NULL)
    return assay_cli_usage (cli, "no --output given: where to write the program");

  works = assay_cli_build (cli, &status);
  if (works == NULL)
    return status;
  program = assay_work_get_program (g_ptr_array_index (works, 0), NULL, NULL);

  if (io_only && (empty = assay_program_new_io_only (program, &error)) == NULL)
    return assay_cli_fail (cli, error, NULL);

  return write_program (cli, io_only ? empty : program, path, metrics);
}
