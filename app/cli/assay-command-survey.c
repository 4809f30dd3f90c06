/* assay-command-survey.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "assay-cli-model.h"
#include "assay-command.h"
#include "assay-output-form.h"
#include "backend/assay-backend.h"
#include "report/assay-report-text.h"
#include "report/assay-build-report.h"
#include "text/assay-json-writer.h"
#include "text/assay-text-table.h"

/* One target of the family, or why it has no program. */
typedef struct
{
  AssayTarget *target;
  guint32 cycles;
  char *count; /* with what it may be instead, where that is known */
  AssayCycleRange range;
  gboolean has_range;
  guint clock_mhz;
  char *estimate;
  char *reason;
  GArray *layers; /* Layer, of what is bound by its unit or by memory */
} Entry;

/* An instruction that takes as long as its unit computes or memory moves, whichever is longer. */
typedef struct
{
  char *name;
  guint64 computing;
  guint64 moving;
} Layer;

static void
layer_clear (gpointer data)
{
  g_free (((Layer *) data)->name);
}

static void
entry_free (gpointer data)
{
  Entry *self = data;

  assay_target_unref (self->target);
  g_free (self->count);
  g_free (self->estimate);
  g_free (self->reason);
  g_array_unref (self->layers);
  g_free (self);
}

static double
rate_of (const Entry *entry)
{
  return entry->cycles > 0 ? entry->clock_mhz * 1e6 / entry->cycles : 0;
}

static void
add_layers (Entry *entry, AssayProgram *program)
{
  for (guint32 i = 0; i < assay_program_get_facts (program)->n_rows; i++)
    {
      AssayProgramRow row = assay_program_get_row (program, i);
      Layer layer = { NULL, row.computing, row.moving };

      if (row.computing == 0 && row.moving == 0)
        continue;
      layer.name = g_strdup_printf ("%s %s", row.name,
                                    assay_program_get_node_name (program, row.node));
      g_array_append_val (entry->layers, layer);
    }
}

static gboolean
is_bound_by_memory (const Layer *layer)
{
  return layer->moving > layer->computing;
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
  entry->layers = g_array_new (FALSE, FALSE, sizeof (Layer));
  g_array_set_clear_func (entry->layers, layer_clear);
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
  entry->count = assay_program_dup_count (program, entry->cycles);
  entry->has_range = assay_program_get_cycle_range (program, entry->cycles, &entry->range);
  entry->clock_mhz = assay_program_get_clock_mhz (program);
  entry->estimate = g_strdup (assay_program_get_estimate (program));
  add_layers (entry, program);

  return TRUE;
}

static int
compare_entries (gconstpointer a, gconstpointer b)
{
  double left = rate_of (*(Entry *const *) a), right = rate_of (*(Entry *const *) b);

  return left < right ? -1 : left > right;
}

/* The cells of a layer side by side, or the names of the targets: a table has no room for columns
 * of all of them. */
static char *
join_cells (GPtrArray *entries, const char *name)
{
  GString *cells = g_string_new (NULL);

  for (guint i = 0; i < entries->len; i++)
    {
      const Entry *entry = g_ptr_array_index (entries, i);
      const char *id = assay_target_get_id (entry->target);
      const Layer *layer = NULL;

      for (guint k = 0; name != NULL && k < entry->layers->len && layer == NULL; k++)
        if (g_str_equal (g_array_index (entry->layers, Layer, k).name, name))
          layer = &g_array_index (entry->layers, Layer, k);
      if (name == NULL)
        g_string_append_printf (cells, "%9s ",
                                strrchr (id, '_') != NULL ? strrchr (id, '_') + 1 : id);
      else if (layer == NULL)
        g_string_append_printf (cells, "%9s ", "");
      else
        g_string_append_printf (cells, "%9" G_GUINT64_FORMAT "%c",
                                MAX (layer->computing, layer->moving),
                                is_bound_by_memory (layer) ? '*' : ' ');
    }

  return g_string_free (cells, FALSE);
}

/* Where each layer is bound on each target, and by how many cycles. The programs of a family have
 * the same layers unless a target leaves some to the host: what is not there stays empty. */
static void
append_layers (GString *text, GPtrArray *entries, gboolean colours)
{
  g_auto (AssayTextTable) table = { 0 };
  const Entry *longest = NULL;

  for (guint i = 0; i < entries->len; i++)
    {
      const Entry *entry = g_ptr_array_index (entries, i);

      if (longest == NULL || entry->layers->len > longest->layers->len)
        longest = entry;
    }
  if (longest == NULL || longest->layers->len == 0)
    return;

  assay_report_append_heading (text, "Cycles of each layer; * where memory takes longer", colours);
  assay_text_table_init (&table, 2, 48);
  assay_text_table_add (&table, "layer", ASSAY_TEXT_STYLE_DIM);
  assay_text_table_take (&table, join_cells (entries, NULL), ASSAY_TEXT_STYLE_DIM);
  for (guint i = 0; i < longest->layers->len; i++)
    {
      const char *name = g_array_index (longest->layers, Layer, i).name;

      assay_text_table_add (&table, name, ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_take (&table, join_cells (entries, name), ASSAY_TEXT_STYLE_PLAIN);
    }
  assay_text_table_print (&table, text, colours);
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
          assay_text_table_add (&table, entry->count, ASSAY_TEXT_STYLE_PLAIN);
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
  append_layers (text, entries, colours);
  *length = text->len;

  return g_string_free (text, FALSE);
}

static void
write_layers (AssayJsonWriter *json, const GArray *layers)
{
  assay_json_writer_begin_member_array (json, "layers");
  for (guint i = 0; i < layers->len; i++)
    {
      const Layer *layer = &g_array_index (layers, Layer, i);

      assay_json_writer_begin_object (json);
      assay_json_writer_member (json, "name", layer->name);
      assay_json_writer_member_uint (json, "computing", layer->computing);
      assay_json_writer_member_uint (json, "moving", layer->moving);
      assay_json_writer_member (json, "bound", is_bound_by_memory (layer) ? "memory" : "engine");
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_array (json);
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
          if (entry->has_range)
            assay_build_report_write_cycle_range (&json, "cycles_range", &entry->range);
          assay_json_writer_member_uint (&json, "clock_mhz", entry->clock_mhz);
          assay_json_writer_member_double (&json, "per_second", rate_of (entry));
          if (wanted > 0)
            assay_json_writer_member_bool (&json, "meets", rate_of (entry) >= wanted);
          if (entry->estimate != NULL)
            assay_json_writer_member (&json, "estimate", entry->estimate);
          if (entry->layers->len > 0)
            write_layers (&json, entry->layers);
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
    G_OPTION_ENTRY_NULL
  };
  AssayExit status;

  cli->stages = ASSAY_PIPELINE_IMPORT | ASSAY_PIPELINE_CHECK | ASSAY_PIPELINE_BUILD;
  cli->forms = assay_output_forms_report;
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
