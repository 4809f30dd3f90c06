/* assay-build-report.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a compiled program takes and how long it runs, as JSON members and as text.
 */
#include "report/assay-build-report.h"

#include "base/assay-error.h"
#include "backend/assay-range-warning.h"
#include "backend/assay-sensitivity.h"
#include "base/assay-sentence.h"
#include "report/assay-report-text.h"
#include "text/assay-text-table.h"

/* Magnitude that inputs are taken to have. */
#define LARGEST_INPUT 1.0

static void
write_numbers (AssayJsonWriter *json, const char *name, const guint64 *values, guint n)
{
  assay_json_writer_key (json, name);
  assay_json_writer_begin_array (json);
  for (guint i = 0; i < n; i++)
    if (values[i] == ASSAY_BYTES_UNKNOWN)
      assay_json_writer_null (json);
    else
      assay_json_writer_uint (json, values[i]);
  assay_json_writer_end_array (json);
}

/**
 * assay_build_report_write_metrics:
 * @json: an open object
 * @metrics: the metrics of a program
 *
 * Writes the members of metrics: depths and uses in blocks, each use a list with an entry per core.
 */
void
assay_build_report_write_metrics (AssayJsonWriter *json, const AssayProgramMetrics *metrics)
{
  guint n_models = assay_program_num_models (metrics->program);

  assay_json_writer_member_int (json, "num_cores", metrics->n_cores);
  assay_json_writer_member_int (json, "block_size",
                                assay_program_get_facts (metrics->program)->config->block_size);
  for (guint i = 0; i < metrics->figures->len; i++)
    {
      const AssayProgramFigure *figure = &g_array_index (metrics->figures, AssayProgramFigure, i);

      if (figure->limit_name != NULL)
        assay_json_writer_member_int (json, figure->limit_name, (gint64) figure->limit);
      if (figure->name != NULL)
        write_numbers (json, figure->name, figure->used, metrics->n_cores);
    }

  write_numbers (json, "input_bytes", metrics->input_bytes, n_models);
  write_numbers (json, "output_bytes", metrics->output_bytes, n_models);
  assay_json_writer_key (json, "model_names");
  assay_json_writer_begin_array (json);
  for (guint i = 0; i < n_models; i++)
    assay_json_writer_string (json, assay_program_model_name (metrics->program, i));
  assay_json_writer_end_array (json);
}

/* How many of the spaced cycles a parameter makes. */
static double
share_of (const AssaySensitivity *parameter)
{
  return (double) parameter->value * MAX (parameter->spaced, 0);
}

static const AssaySensitivity *
find_dominant (const GArray *parameters)
{
  const AssaySensitivity *largest = NULL;

  for (guint i = 0; i < parameters->len; i++)
    {
      const AssaySensitivity *parameter = &g_array_index (parameters, AssaySensitivity, i);

      if (share_of (parameter) > (largest != NULL ? share_of (largest) : 0))
        largest = parameter;
    }

  return largest;
}

static void
write_sensitivity (AssayJsonWriter *json, AssayProgram *program, guint model)
{
  g_autoptr (GArray) parameters = assay_program_find_sensitivity (program, model);
  const AssaySensitivity *dominant = find_dominant (parameters);

  if (dominant != NULL)
    assay_json_writer_member (json, "dominant", dominant->name);
  assay_json_writer_key (json, "sensitivity");
  assay_json_writer_begin_array (json);
  for (guint i = 0; i < parameters->len; i++)
    {
      const AssaySensitivity *parameter = &g_array_index (parameters, AssaySensitivity, i);

      assay_json_writer_begin_object (json);
      assay_json_writer_member (json, "name", parameter->name);
      assay_json_writer_member_int (json, "value", parameter->value);
      assay_json_writer_member_int (json, "spaced", parameter->spaced);
      assay_json_writer_member_int (json, "contiguous", parameter->contiguous);
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_array (json);
}

/**
 * assay_build_report_write_cycle_range:
 * @json: an open object
 * @name: a member
 * @range: between which counts the accelerator's own lies
 *
 * Writes a range that is known.
 */
void
assay_build_report_write_cycle_range (AssayJsonWriter *json, const char *name,
                                      const AssayCycleRange *range)
{
  assay_json_writer_begin_member_array (json, name);
  assay_json_writer_int (json, range->low);
  assay_json_writer_int (json, range->high);
  assay_json_writer_end_array (json);
}

/**
 * assay_build_report_write_range:
 * @json: an open object
 * @name: a member
 * @program: a program
 * @predicted: a count of its cycles
 *
 * Writes between which counts the accelerator's own lies, where that is known.
 */
void
assay_build_report_write_range (AssayJsonWriter *json, const char *name, AssayProgram *program,
                                guint32 predicted)
{
  AssayCycleRange range;

  if (assay_program_get_cycle_range (program, predicted, &range))
    assay_build_report_write_cycle_range (json, name, &range);
}

/**
 * assay_build_report_write_cycles:
 * @json: an open object
 * @program: a program
 * @sensitivity: whether to tell how they depend on each timing parameter
 *
 * Writes the member `models`: the cycles of each model and what they take at the clock of the
 * program, if they are known before it runs.
 */
void
assay_build_report_write_cycles (AssayJsonWriter *json, AssayProgram *program, gboolean sensitivity)
{
  assay_json_writer_key (json, "models");
  assay_json_writer_begin_array (json);
  for (guint i = 0; i < assay_program_num_models (program); i++)
    {
      const AssayCycles *cycles = assay_program_get_cycles (program, i);

      assay_json_writer_begin_object (json);
      assay_json_writer_member (json, "name", assay_program_model_name (program, i));
      if (!assay_program_counts_cycles (program))
        {
          assay_json_writer_end_object (json);
          continue;
        }
      assay_json_writer_member_int (json, "spaced", cycles->spaced);
      assay_json_writer_member_int (json, "contiguous", cycles->contiguous);
      assay_build_report_write_range (json, "spaced_range", program, cycles->spaced);
      assay_build_report_write_range (json, "contiguous_range", program, cycles->contiguous);
      if (assay_program_get_estimate (program) != NULL)
        assay_json_writer_member (json, "estimate", assay_program_get_estimate (program));
      assay_json_writer_member_int (json, "clock_mhz", assay_program_get_clock_mhz (program));
      assay_json_writer_key (json, "compute_us");
      assay_json_writer_double (json,
                                (double) cycles->spaced / assay_program_get_clock_mhz (program));
      assay_json_writer_member_int (json, "last_input", cycles->last_input);
      assay_json_writer_member_int (json, "first_output", cycles->first_output);
      assay_json_writer_member_int (json, "last_output", cycles->last_output);
      if (sensitivity)
        write_sensitivity (json, program, i);
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_array (json);
}

/* What has a place in tables. */
static GPtrArray *
list_columns (const AssayProgramMetrics *metrics)
{
  GPtrArray *columns = g_ptr_array_new ();

  for (guint i = 0; i < metrics->figures->len; i++)
    {
      AssayProgramFigure *figure = &g_array_index (metrics->figures, AssayProgramFigure, i);

      if (figure->title != NULL && columns->len + 1 < ASSAY_TEXT_TABLE_MAX_COLUMNS)
        g_ptr_array_add (columns, figure);
    }

  return columns;
}

/**
 * assay_build_report_append_metrics:
 * @text: gets the lines
 * @metrics: the metrics of a program
 * @colours: whether to write terminal sequences
 *
 * Writes a table with a row per core and a column per store, the depth of each in the last row. A
 * program that is not made of cores has one row.
 */
void
assay_build_report_append_metrics (GString *text, const AssayProgramMetrics *metrics,
                                   gboolean colours)
{
  g_autoptr (GPtrArray) columns = list_columns (metrics);
  g_auto (AssayTextTable) table = { 0 };
  gboolean cores = assay_program_has_cores (metrics->program);

  assay_report_append_heading (
      text, cores ? "Blocks and entries in use per core" : "Blocks and entries in use", colours);
  assay_text_table_init (&table, columns->len + 1, 40);
  assay_text_table_add (&table, "", ASSAY_TEXT_STYLE_PLAIN);
  for (guint i = 0; i < columns->len; i++)
    {
      const AssayProgramFigure *figure = g_ptr_array_index (columns, i);

      assay_text_table_set_right (&table, i + 1);
      assay_text_table_add (&table, figure->title, ASSAY_TEXT_STYLE_DIM);
    }

  for (guint core = 0; core < metrics->n_cores; core++)
    {
      assay_text_table_take (&table,
                             cores ? g_strdup_printf ("core %u", core) : g_strdup ("in use"),
                             ASSAY_TEXT_STYLE_PLAIN);
      for (guint i = 0; i < columns->len; i++)
        {
          const AssayProgramFigure *figure = g_ptr_array_index (columns, i);
          gboolean nearly = figure->limit > 0 && figure->used[core] * 10 > figure->limit * 9;

          assay_text_table_take (&table, g_strdup_printf ("%" G_GUINT64_FORMAT, figure->used[core]),
                                 nearly ? ASSAY_TEXT_STYLE_CAUTION : ASSAY_TEXT_STYLE_PLAIN);
        }
    }

  assay_text_table_add (&table, "depth", ASSAY_TEXT_STYLE_DIM);
  for (guint i = 0; i < columns->len; i++)
    {
      const AssayProgramFigure *figure = g_ptr_array_index (columns, i);

      assay_text_table_take (&table,
                             figure->limit_name == NULL
                                 ? g_strdup ("-")
                                 : g_strdup_printf ("%" G_GUINT64_FORMAT, figure->limit),
                             ASSAY_TEXT_STYLE_DIM);
    }
  assay_text_table_print (&table, text, colours);

  for (guint i = 0; i < assay_program_num_models (metrics->program); i++)
    {
      g_autofree char *out = metrics->output_bytes[i] == ASSAY_BYTES_UNKNOWN
                                 ? g_strdup ("an unknown number of bytes")
                                 : g_strdup_printf ("%" G_GUINT64_FORMAT " byte%s",
                                                    metrics->output_bytes[i],
                                                    assay_plural (metrics->output_bytes[i]));

      assay_terminal_append_format (
          text, "  %s: %" G_GUINT64_FORMAT " byte%s in, %s out per inference\n",
          assay_program_model_name (metrics->program, i), metrics->input_bytes[i],
          assay_plural (metrics->input_bytes[i]), out);
    }
}

/**
 * assay_build_report_append_cycles:
 * @text: gets the lines
 * @program: a program
 * @colours: whether to write terminal sequences
 *
 * Writes the cycles of every model, if they are known before it runs.
 */
void
assay_build_report_append_cycles (GString *text, AssayProgram *program, gboolean colours)
{
  static const char *const titles[] = { "",           "Spaced",       "Contiguous", "Compute",
                                        "Last input", "First output", "Last output" };
  g_auto (AssayTextTable) table = { 0 };
  const char *estimate = assay_program_get_estimate (program);
  AssayCycleRange range;
  const char *what = estimate != NULL ? estimate : "";
  g_autofree char *heading = NULL;

  if (!assay_program_counts_cycles (program))
    return;
  if (assay_program_get_cycle_range (program, 0, &range))
    what = "and between which they lie for nine models of ten";
  heading = g_strdup_printf ("Cycles of one inference at %u MHz%s%s",
                             assay_program_get_clock_mhz (program), *what != '\0' ? ", " : "",
                             what);
  assay_report_append_heading (text, heading, colours);
  assay_text_table_init (&table, G_N_ELEMENTS (titles), 40);
  for (guint i = 0; i < G_N_ELEMENTS (titles); i++)
    {
      assay_text_table_add (&table, titles[i], ASSAY_TEXT_STYLE_DIM);
      if (i > 0)
        assay_text_table_set_right (&table, i);
    }

  for (guint i = 0; i < assay_program_num_models (program); i++)
    {
      const AssayCycles *cycles = assay_program_get_cycles (program, i);
      char *cells[6];

      cells[0] = assay_program_dup_count (program, cycles->spaced);
      cells[1] = assay_program_dup_count (program, cycles->contiguous);
      cells[2] = g_strdup_printf ("%.3f us",
                                  (double) cycles->spaced / assay_program_get_clock_mhz (program));
      cells[3] = g_strdup_printf ("%u", cycles->last_input);
      cells[4] = g_strdup_printf ("%u", cycles->first_output);
      cells[5] = g_strdup_printf ("%u", cycles->last_output);
      assay_text_table_add (&table, assay_program_model_name (program, i), ASSAY_TEXT_STYLE_PLAIN);
      for (guint j = 0; j < G_N_ELEMENTS (cells); j++)
        assay_text_table_take (&table, cells[j], ASSAY_TEXT_STYLE_PLAIN);
    }
  assay_text_table_print (&table, text, colours);
}

/* The assumption that the largest part of the count rests on. */
static void
append_dominant (GString *text, const GArray *parameters, guint32 spaced)
{
  const AssaySensitivity *largest = find_dominant (parameters);

  if (largest != NULL && spaced > 0)
    g_string_append_printf (
        text, "  %s dominates: %u cycle%s each make %.0f %% of the %u spaced cycles\n",
        largest->name, largest->value, assay_plural (largest->value),
        100.0 * share_of (largest) / spaced, spaced);
}

/**
 * assay_build_report_append_sensitivity:
 * @text: gets the lines
 * @program: a program
 * @colours: whether to write terminal sequences
 *
 * Writes for every model how many cycles more it takes if a timing parameter is one more. What no
 * cycle depends on is left out.
 */
void
assay_build_report_append_sensitivity (GString *text, AssayProgram *program, gboolean colours)
{
  static const char *const titles[] = { "", "Cycles", "Spaced", "Contiguous" };

  for (guint model = 0; model < assay_program_num_models (program); model++)
    {
      g_autoptr (GArray) parameters = assay_program_find_sensitivity (program, model);
      g_auto (AssayTextTable) table = { 0 };
      g_autofree char *heading = g_strdup_printf (
          "Cycles more in %s if a timing parameter is one more",
          assay_program_model_name (program, model));

      assay_report_append_heading (text, heading, colours);
      assay_text_table_init (&table, G_N_ELEMENTS (titles), 40);
      for (guint i = 0; i < G_N_ELEMENTS (titles); i++)
        {
          assay_text_table_add (&table, titles[i], ASSAY_TEXT_STYLE_DIM);
          if (i > 0)
            assay_text_table_set_right (&table, i);
        }
      for (guint i = 0; i < parameters->len; i++)
        {
          const AssaySensitivity *parameter = &g_array_index (parameters, AssaySensitivity, i);
          const gint64 cells[] = { parameter->value, parameter->spaced, parameter->contiguous };

          if (parameter->spaced == 0 && parameter->contiguous == 0)
            continue;
          assay_text_table_add (&table, parameter->name, ASSAY_TEXT_STYLE_PLAIN);
          for (guint j = 0; j < G_N_ELEMENTS (cells); j++)
            assay_text_table_take (&table, g_strdup_printf ("%" G_GINT64_FORMAT, cells[j]),
                                   ASSAY_TEXT_STYLE_PLAIN);
        }
      assay_text_table_print (&table, text, colours);
      append_dominant (text, parameters, assay_program_get_cycles (program, model)->spaced);
    }
}

/**
 * assay_build_report_write_ranges:
 * @json: an open object
 * @program: a program
 *
 * Writes the member `ranges`: weights and results that bf16 cannot hold or that become zero. A
 * program that nobody has looked at so has none.
 */
void
assay_build_report_write_ranges (AssayJsonWriter *json, AssayProgram *program)
{
  g_autoptr (GArray) warnings = assay_program_find_ranges (program, LARGEST_INPUT);

  if (warnings == NULL)
    return;

  assay_json_writer_key (json, "ranges");
  assay_json_writer_begin_object (json);
  assay_json_writer_member (json, "weights", "exact");
  assay_json_writer_member (json, "results", "interval analysis");
  assay_json_writer_key (json, "largest_input");
  assay_json_writer_double (json, LARGEST_INPUT);
  assay_json_writer_key (json, "warnings");
  assay_json_writer_begin_array (json);
  for (guint i = 0; i < warnings->len; i++)
    {
      const AssayRangeWarning *warning = &g_array_index (warnings, AssayRangeWarning, i);

      assay_json_writer_begin_object (json);
      assay_json_writer_member (json, "model", assay_program_model_name (program, warning->model));
      assay_json_writer_member (json, "node", assay_program_get_node_name (program, warning->node));
      assay_json_writer_member (json, "what", assay_range_kind_name (warning->kind));
      assay_json_writer_member_int (json, "count", warning->count);
      assay_json_writer_key (json, "largest");
      assay_json_writer_double (json, warning->largest);
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_array (json);
  assay_json_writer_end_object (json);
}

/**
 * assay_build_report_append_ranges:
 * @text: gets the lines
 * @program: a program
 * @colours: whether to write terminal sequences
 *
 * Writes what may overflow or vanish, and how that was found out.
 */
void
assay_build_report_append_ranges (GString *text, AssayProgram *program, gboolean colours)
{
  g_autoptr (GArray) warnings = assay_program_find_ranges (program, LARGEST_INPUT);

  if (warnings == NULL)
    return;

  assay_report_append_heading (text, "Ranges", colours);
  for (guint i = 0; i < warnings->len; i++)
    {
      const AssayRangeWarning *warning = &g_array_index (warnings, AssayRangeWarning, i);

      assay_terminal_append_format (text, "  %s: %s",
                                    assay_program_get_node_name (program, warning->node),
                                    assay_range_kind_name (warning->kind));
      if (warning->count > 0)
        g_string_append_printf (text, ", %u of them", warning->count);
      g_string_append_printf (text, ", up to %.3g\n", warning->largest);
    }
  if (warnings->len == 0)
    g_string_append (text, "  nothing overflows or vanishes\n");
  g_string_append_printf (
      text, "  weights looked at one by one; results by interval analysis for inputs of up to %g\n",
      LARGEST_INPUT);
}

/**
 * assay_build_report_refusal_to_json:
 * @report: a check that is not clean
 * @command: name of the command
 * @length: (out): bytes of the result
 *
 * Writes why a model is not compiled: an error with the causes that a check has.
 *
 * Returns: (transfer full): the document
 */
char *
assay_build_report_refusal_to_json (const AssayCheckReport *report, const char *command,
                                    gsize *length)
{
  g_autofree char *schema = g_strdup_printf ("assay.%s/1", command);
  GArray *causes = report->verdicts->causes;
  AssayJsonWriter json;

  assay_json_writer_begin_document (&json, 3, schema);
  assay_json_writer_member (&json, "model", report->model);
  assay_json_writer_member (&json, "target", assay_target_get_id (report->target));
  assay_json_writer_key (&json, "error");
  assay_json_writer_begin_object (&json);
  assay_json_writer_member (&json, "code", assay_error_code_name (ASSAY_ERROR_UNSUPPORTED));
  assay_json_writer_member (&json, "message",
                            "the target does not take the model; `assay check` tells every node");
  assay_json_writer_key (&json, "causes");
  assay_json_writer_begin_array (&json);
  for (guint i = 0; i < causes->len; i++)
    {
      const AssayCause *cause = &g_array_index (causes, AssayCause, i);

      assay_json_writer_begin_object (&json);
      assay_json_writer_member (&json, "rule", cause->rule);
      assay_json_writer_member (&json, "verdict", assay_verdict_name (cause->kind));
      assay_json_writer_member (&json, "op_type", cause->op_type);
      assay_json_writer_member (&json, "reason", cause->reason);
      assay_json_writer_member_int (&json, "count", cause->nodes->len);
      assay_json_writer_end_object (&json);
    }
  assay_json_writer_end_array (&json);
  assay_json_writer_end_object (&json);
  return assay_json_writer_end_document (&json, length);
}
