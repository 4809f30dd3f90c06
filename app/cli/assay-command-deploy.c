/* assay-command-deploy.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-cli-model.h"
#include "assay-command.h"
#include "assay-output-form.h"
#include "assay-program-input.h"
#include "backend/assay-build.h"
#include "base/assay-sentence.h"
#include "text/assay-json-writer.h"
#include "text/assay-terminal.h"
#include "run/assay-deploy.h"

typedef struct
{
  char *board;
  char *model;
  char *random;
  int n_runs;
  int seconds;
} DeployOptions;

static void
deploy_options_clear (DeployOptions *self)
{
  g_free (self->board);
  g_free (self->model);
  g_free (self->random);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (DeployOptions, deploy_options_clear)

static char *
to_json (const AssayDeployment *deployment, const char *program, gsize *length)
{
  AssayJsonWriter json;

  assay_json_writer_begin_document (&json, 1, "assay.deploy/1");
  assay_json_writer_member (&json, "program", program);
  assay_json_writer_member (&json, "board", deployment->board);
  assay_json_writer_member (&json, "label", deployment->label);
  assay_json_writer_member (&json, "agent", deployment->info.writer);
  assay_json_writer_member (&json, "architecture", deployment->info.architecture);
  assay_json_writer_member (&json, "kernels", deployment->info.kernels);
  assay_json_writer_member_int (&json, "processors", deployment->info.processors);
  assay_json_writer_member_int (&json, "bytes", (gint64) deployment->n_bytes);
  assay_json_writer_member_int (&json, "inferences", deployment->n_runs);
  assay_json_writer_member_double (
      &json, "p50_us", (double) assay_deployment_get_percentile (deployment, 50) / 1000);
  assay_json_writer_member_double (
      &json, "p99_us", (double) assay_deployment_get_percentile (deployment, 99) / 1000);
  assay_json_writer_member_int (&json, "values", (gint64) deployment->n_values);
  assay_json_writer_member_int (&json, "different", (gint64) deployment->n_different);
  return assay_json_writer_end_document (&json, length);
}

static char *
to_text (const AssayDeployment *deployment, const char *program, gsize *length)
{
  GString *text = g_string_new (NULL);
  gboolean is_device = assay_board_is_device (deployment->board);
  const char *other = is_device ? "another process on it" : "the machine";

  assay_terminal_append_format (text, "%s runs on %s: %s, %s, %s kernels\n", program,
                                deployment->label, deployment->info.writer,
                                deployment->info.architecture, deployment->info.kernels);
  if (!is_device)
    g_string_append_printf (text, "%.1f MB copied and verified\n",
                            (double) deployment->n_bytes / 1e6);
  assay_terminal_append_format (
      text, "%u inference%s, median %.3f us, 99 %% at most %.3f us%s\n", deployment->n_runs,
      deployment->n_runs == 1 ? "" : "s",
      (double) assay_deployment_get_percentile (deployment, 50) / 1000,
      (double) assay_deployment_get_percentile (deployment, 99) / 1000,
      assay_board_is_local (deployment->board) ? " (of this computer, not of a board)" : "");
  if (deployment->n_different == 0)
    g_string_append_printf (
        text, "Bit-exact with %s, %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " value%s\n", other,
        deployment->n_values, deployment->n_values, assay_plural (deployment->n_values));
  else
    g_string_append_printf (text, "%" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " value%s %s from %s\n",
                            deployment->n_different, deployment->n_values,
                            assay_plural (deployment->n_values),
                            assay_noun (deployment->n_different, "differs", "differ"), other);
  *length = text->len;

  return g_string_free (text, FALSE);
}

/**
 * assay_command_deploy:
 * @cli: the run
 * @argc: number of arguments
 * @argv: the arguments, the name of the command first
 *
 * Runs a program, or a model that is compiled first, on a board.
 *
 * Returns: the exit code
 */
AssayExit
assay_command_deploy (AssayCli *cli, int argc, char **argv)
{
  g_auto (DeployOptions) options = { .n_runs = 1 };
  const GOptionEntry entries[] = {
    { "board", 'b', 0, G_OPTION_ARG_STRING, &options.board,
      "Where: local (default), ssh:HOST, or vulkan[:DEVICE] for programs of a delegate", "BOARD" },
    { "runs", 0, 0, G_OPTION_ARG_INT, &options.n_runs, "Number of inferences, 1 if not given",
      "N" },
    { "timeout", 0, 0, G_OPTION_ARG_INT, &options.seconds,
      "Seconds that the board may take for one answer (600)", "SECONDS" },
    { "random", 0, 0, G_OPTION_ARG_STRING, &options.random,
      "Seed of the random inputs, 0 if not given", "SEED" },
    { "model", 0, 0, G_OPTION_ARG_STRING, &options.model,
      "Which model of a program; the first if not given", "NAME" },
    G_OPTION_ENTRY_NULL
  };
  const char *board;
  g_autoptr (GPtrArray) works = NULL;
  g_autoptr (AssayProgram) program = NULL;
  g_autoptr (AssayDeployment) deployment = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  guint64 seed = 0;
  AssayExit status;
  gsize length;
  guint model;

  cli->stages = ASSAY_PIPELINE_IMPORT | ASSAY_PIPELINE_BUILD | ASSAY_PIPELINE_NAME;
  cli->forms = assay_output_forms_report;
  if (!assay_cli_parse (cli, entries, "PROGRAM|MODEL",
                        "Copies a program to a board, or compiles a model and copies that, runs it "
                        "there, and compares "
                        "every bit with the machine here.",
                        "A model needs --target. The board keeps nothing.", argc, argv, &status))
    return status;
  if (options.random != NULL &&
      !g_ascii_string_to_unsigned (options.random, 10, 0, G_MAXUINT64, &seed, NULL))
    return assay_cli_usage (cli, "--random %s: expected a number", options.random);
  if (options.n_runs < 1 || options.n_runs > 1000000)
    return assay_cli_usage (cli, "--runs %d: expected 1 to 1000000", options.n_runs);
  if (options.seconds < 0)
    return assay_cli_usage (cli, "--timeout %d: expected a positive number", options.seconds);
  board = options.board != NULL ? options.board : "local";
  if (!assay_board_is_device (board) && !assay_board_name_check (board, &error))
    return assay_cli_usage (cli, "--board: %s", error->message);

  if (cli->arguments != NULL && assay_build_sniff (cli->arguments[0]))
    program = assay_program_input_load (cli, &status);
  else
    works = assay_cli_build (cli, &status);
  if (works != NULL)
    program = g_object_ref (assay_work_get_program (g_ptr_array_index (works, 0), NULL, NULL));
  if (program == NULL ||
      !assay_program_input_find_model (cli, program, options.model, &model, &status))
    return status;

  deployment = assay_deploy (program, model, board, (guint) options.n_runs, 0, seed,
                             (guint) options.seconds, &cli->progress, &error);
  if (deployment == NULL)
    return assay_cli_fail (cli, error, NULL);

  text = cli->json ? to_json (deployment, cli->arguments[0], &length)
                   : to_text (deployment, cli->arguments[0], &length);

  return assay_cli_write (cli, text, length,
                          deployment->n_different == 0 ? ASSAY_EXIT_CLEAN : ASSAY_EXIT_FINDINGS);
}
