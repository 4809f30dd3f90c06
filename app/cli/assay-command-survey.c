/* assay-command-survey.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "assay-cli-model.h"
#include "assay-command.h"
#include "backend/assay-backend.h"
#include "report/assay-report-text.h"
#include "text/assay-json-writer.h"
#include "text/assay-text-table.h"

/* One target of the family, or why it has no program. */
typedef struct
{
  AssayTarget *target;
  guint32 cycles;
  guint clock_mhz;
  char *estimate;
  char *reason;
} Entry;

static void
entry_free (gpointer data)
{
  Entry *self = data;

  assay_target_unref (self->target);
  g_free (self->estimate);
  g_free (self->reason);
  g_free (self);
}

static double
rate_of (const Entry *entry)
{
  return entry->cycles > 0 ? entry->clock_mhz * 1e6 / entry->cycles : 0;
}

static gboolean
survey_target (AssayCli *cli, AssayWork *model, AssayTarget *target, GPtrArray *entries,
               GError **error)
{
  g_autoptr (AssayWork) work = assay_work_with_target (model, target, cli->settings);
  g_autoptr (GError) refused = NULL;
  Entry *entry = g_new0 (Entry, 1);
  AssayProgram *program;

  entry->target = assay_target_ref (target);
  g_ptr_array_add (entries, entry);
  if (assay_work_get_verdicts (work, &cli->progress, error) == NULL)
    return FALSE;
  program = assay_work_get_program (work, &cli->progress, &refused);
  if (program == NULL && assay_progress_is_cancelled (&cli->progress))
    return assay_progress_check (&cli->progress, error);
  if (program == NULL)
    {
      entry->reason = g_strdup (refused->message);
      return TRUE;
    }
  entry->cycles = assay_program_get_cycles (program, 0)->spaced;
  entry->clock_mhz = assay_program_get_clock_mhz (program);
  entry->estimate = g_strdup (assay_program_get_estimate (program));

  return TRUE;
}

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  double left = rate_of (*(Entry *const *) a), right = rate_of (*(Entry *const *) b);

  return left < right ? -1 : left > right;
}

static char *
survey_to_text (AssayCli *cli, GPtrArray *entries, double wanted, gsize *length)
{
  static const char *const titles[] = { "target", "cycles", "ms", "per second", "" };
  g_auto (AssayTextTable) table = { 0 };
  GString *text = g_string_new (NULL);
  gboolean colours = assay_cli_has_colours (cli), met = FALSE;
  const char *estimate = NULL;

  assay_terminal_append_styled (text, cli->arguments[0], ASSAY_TEXT_STYLE_BOLD, colours);
  g_string_append_c (text, '\n');
  assay_text_table_init (&table, G_N_ELEMENTS (titles), 64);
  for (guint i = 0; i < G_N_ELEMENTS (titles); i++)
    assay_text_table_add (&table, titles[i], ASSAY_TEXT_STYLE_DIM);
  for (guint i = 0; i < entries->len; i++)
    {
      const Entry *entry = g_ptr_array_index (entries, i);
      gboolean first = entry->reason == NULL && wanted > 0 && !met && rate_of (entry) >= wanted;

      met |= first;
      estimate = entry->estimate != NULL ? entry->estimate : estimate;
      assay_text_table_add (&table, assay_target_get_id (entry->target), ASSAY_TEXT_STYLE_PLAIN);
      for (guint j = 0; entry->reason != NULL && j < 3; j++)
        assay_text_table_add (&table, "-", ASSAY_TEXT_STYLE_DIM);
      if (entry->reason == NULL)
        {
          assay_text_table_take (&table, g_strdup_printf ("%u", entry->cycles),
                                 ASSAY_TEXT_STYLE_PLAIN);
          assay_text_table_take (&table, g_strdup_printf ("%.3f", 1e3 / rate_of (entry)),
                                 ASSAY_TEXT_STYLE_PLAIN);
          assay_text_table_take (&table, g_strdup_printf ("%.1f", rate_of (entry)),
                                 ASSAY_TEXT_STYLE_PLAIN);
        }
      assay_text_table_add (&table,
                            entry->reason != NULL ? entry->reason
                            : first               ? "the slowest that is fast enough"
                                                  : "",
                            ASSAY_TEXT_STYLE_GOOD);
    }
  assay_text_table_print (&table, text, colours);
  if (wanted > 0 && !met)
    assay_terminal_append_format (text, "  none reaches %g per second\n", wanted);
  if (estimate != NULL)
    assay_terminal_append_format (text, "  cycles are %s\n", estimate);
  *length = text->len;

  return g_string_free (text, FALSE);
}

static char *
survey_to_json (AssayCli *cli, GPtrArray *entries, double wanted, gsize *length)
{
  AssayJsonWriter json;

  assay_json_writer_begin_document (&json, 2, "assay.survey/1");
  assay_json_writer_member (&json, "model", cli->arguments[0]);
  assay_json_writer_begin_member_array (&json, "targets");
  for (guint i = 0; i < entries->len; i++)
    {
      const Entry *entry = g_ptr_array_index (entries, i);

      assay_json_writer_begin_object (&json);
      assay_json_writer_member (&json, "target", assay_target_get_id (entry->target));
      if (entry->reason != NULL)
        {
          assay_json_writer_member (&json, "reason", entry->reason);
        }
      else
        {
          assay_json_writer_member_uint (&json, "cycles", entry->cycles);
          assay_json_writer_member_uint (&json, "clock_mhz", entry->clock_mhz);
          assay_json_writer_member_double (&json, "per_second", rate_of (entry));
          if (wanted > 0)
            assay_json_writer_member_bool (&json, "meets", rate_of (entry) >= wanted);
          if (entry->estimate != NULL)
            assay_json_writer_member (&json, "estimate", entry->estimate);
        }
      assay_json_writer_end_object (&json);
    }
  assay_json_writer_end_array (&json);

  return assay_json_writer_end_document (&json, length);
}

static AssayExit
survey_model (AssayCli *cli, double wanted)
{
  g_autoptr (GPtrArray) entries = g_ptr_array_new_with_free_func (entry_free);
  g_auto (GStrv) ids = assay_target_list ();
  g_autoptr (AssayTarget) named = NULL;
  g_autoptr (AssayWork) model = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  AssayExit status;
  gsize length;

  named = assay_cli_load_target (cli, &status);
  if (named == NULL)
    return status;
  if (!assay_backend_require (named, ASSAY_CAPABILITY_COUNTS_CYCLES, &error))
    return assay_cli_fail (cli, error, NULL);
  model = assay_cli_open (cli, named, &status);
  if (model == NULL)
    return status;
  for (guint i = 0; ids[i] != NULL; i++)
    {
      g_autoptr (AssayTarget) target = assay_target_load (ids[i], &error);

      if (target == NULL)
        return assay_cli_fail (cli, error, NULL);
      if (g_str_equal (assay_target_get_family (target), assay_target_get_family (named)) &&
          !survey_target (cli, model, target, entries, &error))
        return assay_cli_fail (cli, error, assay_work_get_findings (model));
    }
  g_ptr_array_sort (entries, compare_entries);
  text = (cli->json ? survey_to_json : survey_to_text) (cli, entries, wanted, &length);

  return assay_cli_write (cli, text, length, ASSAY_EXIT_CLEAN);
}

/**
 * assay_command_survey:
 * @cli: the run
 * @argc: number of arguments
 * @argv: the arguments, the name of the command first
 *
 * Counts the cycles of a model on every target of a family.
 *
 * Returns: the exit code
 */
AssayExit
assay_command_survey (AssayCli *cli, int argc, char **argv)
{
  double wanted = 0;
  const GOptionEntry entries[] = {
    { "rate", 0, 0, G_OPTION_ARG_DOUBLE, &wanted,
      "Inferences per second that are wanted; the slowest target that gives them is named",
      "RATE" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &cli->json, "Write one JSON document", NULL },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &cli->output, "Write the report to FILE", "FILE" },
    G_OPTION_ENTRY_NULL
  };
  AssayExit status;

  cli->stages = ASSAY_PIPELINE_IMPORT | ASSAY_PIPELINE_CHECK | ASSAY_PIPELINE_BUILD;
  if (!assay_cli_parse (cli, entries, "MODEL --target TARGET",
                        "Counts the cycles of a model on every target of the family of TARGET.",
                        "Exit status: 0 if the model can be opened and checked, 2 for bad input, 3 "
                        "if a file\n"
                        "cannot be read or written.",
                        argc, argv, &status))
    return status;
  if (wanted < 0)
    return assay_cli_usage (cli, "--rate %g: expected a positive number", wanted);

  return survey_model (cli, wanted);
}
