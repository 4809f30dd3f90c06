/* assay-run-report.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/assay-run-report.h"

#include <math.h>

#include "report/assay-build-report.h"
#include "base/assay-statistics.h"
#include "report/assay-trace-events.h"
#include "text/assay-json-writer.h"
#include "report/assay-report-text.h"
#include "text/assay-text-table.h"
#include "run/assay-latencies.h"

/* How many of the longest parts are told in text. */
#define SLOWEST 8

typedef struct
{
  char *runner;
  char *name;
  char *path;
  AssayDType dtype;
  guint rank;
  gint64 *dims;
  AssayStatistics statistics;
} Output;

typedef struct
{
  char *name;
  char *label;
  guint n;
  gint64 median; /* nanoseconds */
  gint64 p99;
  AssayRunTimes *times; /* or NULL */
} Runner;

struct _AssayRunReport
{
  char *program;
  AssayProgram *runs; /* (nullable) what @program is or was made into */
  char *model;
  char *target_id;
  guint clock_mhz; /* 0 if there is no program */
  gint64 n_steps;
  AssayCycles cycles;
  GArray *outputs;
  GArray *runners;
  AssayRanges *ranges; /* or NULL */
};

static void
output_clear (gpointer data)
{
  Output *output = data;

  g_free (output->runner);
  g_free (output->name);
  g_free (output->path);
  g_free (output->dims);
}

static void
runner_clear (gpointer data)
{
  Runner *runner = data;

  g_free (runner->name);
  g_free (runner->label);
  g_clear_pointer (&runner->times, assay_run_times_unref);
}

/**
 * assay_run_report_new:
 * @program: path of the program or model
 * @subject: what ran
 * @n_steps: how many timesteps
 *
 * Starts the report of a run.
 *
 * Returns: (transfer full): the report
 */
AssayRunReport *
assay_run_report_new (const char *program, AssayRunSubject *subject, gint64 n_steps)
{
  AssayRunReport *self = g_new0 (AssayRunReport, 1);

  self->program = g_strdup (program);
  if (subject->program != NULL)
    {
      self->runs = g_object_ref (subject->program);
      self->model = g_strdup (assay_program_model_name (subject->program, subject->model));
      self->target_id = g_strdup (assay_program_get_facts (subject->program)->target_id);
      if (assay_program_counts_cycles (subject->program))
        self->clock_mhz = assay_program_get_clock_mhz (subject->program);
      self->cycles = *assay_program_get_cycles (subject->program, subject->model);
    }
  else
    {
      self->model = g_strdup (subject->imported->name);
    }
  self->n_steps = n_steps;
  self->outputs = g_array_new (FALSE, TRUE, sizeof (Output));
  g_array_set_clear_func (self->outputs, output_clear);
  self->runners = g_array_new (FALSE, TRUE, sizeof (Runner));
  g_array_set_clear_func (self->runners, runner_clear);

  return self;
}

void
assay_run_report_free (AssayRunReport *self)
{
  g_free (self->program);
  g_clear_object (&self->runs);
  g_free (self->model);
  g_free (self->target_id);
  g_array_unref (self->outputs);
  g_array_unref (self->runners);
  assay_ranges_free (self->ranges);
  g_free (self);
}

static void
add_runner (AssayRunReport *self, const AssayRunner *runner)
{
  Runner row = {
    .name = g_strdup (assay_runner_get_spec (runner)),
    .label = g_strdup (assay_runner_get_label (runner)),
    .times = assay_run_times_new (runner),
  };
  const gint64 *latencies = assay_runner_get_latencies (runner, &row.n);
  g_autofree gint64 *sorted = g_memdup2 (latencies, row.n * sizeof *latencies);

  if (row.n > 0)
    {
      assay_latencies_sort (sorted, row.n);
      row.median = assay_latencies_percentile (sorted, row.n, 50);
      row.p99 = assay_latencies_percentile (sorted, row.n, 99);
    }
  g_array_append_val (self->runners, row);
}

/**
 * assay_run_report_add:
 * @self: a report
 * @runner: a runner that has run
 * @tensors: (element-type AssayTensor): its outputs
 * @paths: (nullable) (element-type filename): the files they were written to
 *
 * Adds what one runner gave.
 */
void
assay_run_report_add (AssayRunReport *self, const AssayRunner *runner, GPtrArray *tensors,
                      GPtrArray *paths)
{
  guint n_ports;
  const AssayRunPort *ports = assay_runner_get_outputs (runner, &n_ports);

  add_runner (self, runner);
  for (guint i = 0; i < tensors->len && i < n_ports; i++)
    {
      AssayTensor *tensor = g_ptr_array_index (tensors, i);
      guint rank = assay_tensor_get_rank (tensor);
      gsize n = assay_tensor_get_n_elements (tensor);
      g_autofree double *values = g_new0 (double, n + 1);
      Output output = {
        .runner = g_strdup (assay_runner_get_spec (runner)),
        .name = g_strdup (ports[i].name),
        .path = paths != NULL ? g_strdup (g_ptr_array_index (paths, i)) : NULL,
        .dtype = assay_tensor_get_dtype (tensor),
        .rank = rank,
        .dims = g_memdup2 (assay_tensor_get_dims (tensor), rank * sizeof (gint64)),
      };

      for (gsize j = 0; j < n && assay_dtype_bits (output.dtype) > 0; j++)
        assay_tensor_get_element (tensor, j, &values[j], NULL);
      output.statistics = assay_statistics_of (values, assay_dtype_bits (output.dtype) > 0 ? n : 0);
      g_array_append_val (self->outputs, output);
    }
}

/**
 * assay_run_report_take_ranges:
 * @self: a report
 * @ranges: (transfer full): ranges of weights and activations
 *
 * Adds a part on what bf16 does not hold.
 */
void
assay_run_report_take_ranges (AssayRunReport *self, AssayRanges *ranges)
{
  assay_ranges_free (self->ranges);
  self->ranges = ranges;
}

static char *
shape_text (const Output *output)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < output->rank; i++)
    assay_terminal_append_format (text, "%s%" G_GINT64_FORMAT, i > 0 ? " x " : "", output->dims[i]);

  return g_string_free (text, FALSE);
}

/* A row per value, and what is lost in words below. */
static void
append_ranges (const AssayRunReport *self, gboolean colours, GString *text)
{
  static const char *const titles[] = { "Value",        "Kind",     "Min",   "Max",
                                        "Nearest to 0", "Overflow", "Vanish" };
  g_auto (AssayTextTable) table = { 0 };
  guint n_lossy = 0;

  assay_text_table_init (&table, G_N_ELEMENTS (titles), 40);
  for (guint i = 0; i < G_N_ELEMENTS (titles); i++)
    {
      assay_text_table_add (&table, titles[i], ASSAY_TEXT_STYLE_DIM);
      if (i >= 2)
        assay_text_table_set_right (&table, i);
    }

  for (guint i = 0; i < assay_ranges_get_n (self->ranges); i++)
    {
      const AssayRange *range = assay_ranges_get (self->ranges, i);
      const double numbers[] = { range->min, range->max, range->least };
      const gsize counts[] = { range->n_overflow, range->n_vanish };

      n_lossy += range->n_overflow + range->n_vanish > 0;
      assay_text_table_add (&table, range->name, ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_add (&table, range->is_weight ? "weight" : "activation",
                            ASSAY_TEXT_STYLE_PLAIN);
      for (guint j = 0; j < G_N_ELEMENTS (numbers); j++)
        assay_text_table_take (&table, g_strdup_printf ("%.4g", numbers[j]),
                               ASSAY_TEXT_STYLE_PLAIN);
      for (guint j = 0; j < G_N_ELEMENTS (counts); j++)
        assay_text_table_take (&table, g_strdup_printf ("%" G_GSIZE_FORMAT, counts[j]),
                               counts[j] > 0 ? ASSAY_TEXT_STYLE_BAD : ASSAY_TEXT_STYLE_DIM);
    }

  g_string_append_c (text, '\n');
  assay_text_table_print (&table, text, colours);
  if (n_lossy == 0)
    g_string_append (text, "\nNothing overflows or vanishes.\n");
  for (guint i = 0; i < assay_ranges_get_n (self->ranges); i++)
    {
      const AssayRange *range = assay_ranges_get (self->ranges, i);

      if (range->n_overflow > 0)
        assay_terminal_append_format (text,
                                      "warning: %s: %" G_GSIZE_FORMAT " of its elements overflow\n",
                                      range->name, range->n_overflow);
      if (range->n_vanish > 0)
        assay_terminal_append_format (
            text, "warning: %s: %" G_GSIZE_FORMAT " of its elements become zero\n", range->name,
            range->n_vanish);
    }
}

/* The parts that took longest, and how much of the inference that is. */
static void
append_times (const AssayRunTimes *times, GString *text, gboolean colours)
{
  static const char *const titles[] = { "Slowest", "Where", "Time", "Share" };
  g_auto (AssayTextTable) table = { 0 };
  guint n_steps = assay_run_times_get_n (times);
  g_autofree gboolean *shown = g_new0 (gboolean, n_steps);
  gint64 whole = assay_run_times_get_end (times);

  g_string_append_c (text, '\n');
  assay_text_table_init (&table, G_N_ELEMENTS (titles), 40);
  for (guint i = 0; i < G_N_ELEMENTS (titles); i++)
    {
      assay_text_table_add (&table, titles[i], ASSAY_TEXT_STYLE_DIM);
      if (i >= 2)
        assay_text_table_set_right (&table, i);
    }
  for (guint n = 0; n < MIN (SLOWEST, n_steps); n++)
    {
      const AssayRunnerStep *longest = NULL;
      guint at = 0;

      for (guint i = 0; i < n_steps; i++)
        {
          const AssayRunnerStep *step = assay_run_times_get (times, i);

          if (shown[i] || (longest != NULL && step->ns <= longest->ns))
            continue;
          longest = step;
          at = i;
        }
      shown[at] = TRUE;
      assay_text_table_add (&table, longest->name, ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_add (&table, longest->where, ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_take (&table, g_strdup_printf ("%.3f us", (double) longest->ns / 1000),
                             ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_take (
          &table,
          g_strdup_printf ("%.1f %%", 100.0 * (double) longest->ns / (double) MAX (whole, 1)),
          ASSAY_TEXT_STYLE_PLAIN);
    }
  assay_text_table_print (&table, text, colours);
}

/**
 * assay_run_report_to_text:
 * @self: a report
 * @colours: whether to write terminal sequences
 * @length: (out): bytes of the result
 *
 * Writes a table with statistics per output.
 *
 * Returns: (transfer full): the text
 */
char *
assay_run_report_to_text (const AssayRunReport *self, gboolean colours, gsize *length)
{
  static const char *const titles[] = { "Output", "Runner", "Shape", "Min",
                                        "Max",    "Mean",   "Std",   "NaN, inf" };
  GString *text = g_string_new (NULL);
  g_auto (AssayTextTable) table = { 0 };

  assay_terminal_append_styled (text, self->program, ASSAY_TEXT_STYLE_BOLD, colours);
  assay_terminal_append_format (text, ": model %s, %" G_GINT64_FORMAT " timestep%s", self->model,
                                self->n_steps, self->n_steps == 1 ? "" : "s");
  if (self->clock_mhz > 0)
    {
      g_autofree char *spaced = assay_program_dup_count (self->runs, self->cycles.spaced);
      g_autofree char *contiguous = assay_program_dup_count (self->runs, self->cycles.contiguous);

      g_string_append_printf (text, "; %s cycles spaced, %s contiguous, %.3f us at %u MHz%s",
                              spaced, contiguous, (double) self->cycles.spaced / self->clock_mhz,
                              self->clock_mhz,
                              assay_program_get_estimate (self->runs) != NULL ? ", estimated" : "");
    }
  g_string_append (text, "\n\n");

  assay_text_table_init (&table, G_N_ELEMENTS (titles), 40);
  for (guint i = 0; i < G_N_ELEMENTS (titles); i++)
    {
      assay_text_table_add (&table, titles[i], ASSAY_TEXT_STYLE_DIM);
      if (i >= 3)
        assay_text_table_set_right (&table, i);
    }

  for (guint i = 0; i < self->outputs->len; i++)
    {
      const Output *output = &g_array_index (self->outputs, Output, i);
      const AssayStatistics *statistics = &output->statistics;
      const double values[] = { statistics->min, statistics->max, statistics->mean,
                                statistics->deviation };

      assay_text_table_add (&table, output->name, ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_add (&table, output->runner, ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_take (&table, shape_text (output), ASSAY_TEXT_STYLE_PLAIN);
      for (guint j = 0; j < G_N_ELEMENTS (values); j++)
        assay_text_table_take (
            &table, isfinite (values[j]) ? g_strdup_printf ("%.6g", values[j]) : g_strdup ("-"),
            ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_take (&table,
                             g_strdup_printf ("%" G_GSIZE_FORMAT ", %" G_GSIZE_FORMAT,
                                              statistics->n_nan, statistics->n_inf),
                             statistics->n_nan + statistics->n_inf > 0 ? ASSAY_TEXT_STYLE_BAD
                                                                       : ASSAY_TEXT_STYLE_DIM);
    }
  assay_text_table_print (&table, text, colours);

  for (guint i = 0; i < self->runners->len; i++)
    {
      const Runner *runner = &g_array_index (self->runners, Runner, i);

      if (runner->times != NULL)
        append_times (runner->times, text, colours);
    }
  for (guint i = 0; i < self->runners->len; i++)
    {
      const Runner *runner = &g_array_index (self->runners, Runner, i);

      if (runner->n > 0 && i == 0)
        g_string_append_c (text, '\n');
      if (runner->n > 0)
        assay_terminal_append_format (
            text, "%s (%s) took %.3f us per inference, 99 %% of %u at most %.3f us\n", runner->name,
            runner->label, (double) runner->median / 1000, runner->n, (double) runner->p99 / 1000);
    }

  for (guint i = 0; i < self->outputs->len; i++)
    {
      const Output *output = &g_array_index (self->outputs, Output, i);

      if (output->path != NULL && i == 0)
        g_string_append_c (text, '\n');
      if (output->path != NULL)
        assay_terminal_append_format (text, "%s written to %s\n", output->name, output->path);
    }
  if (self->ranges != NULL)
    append_ranges (self, colours, text);
  *length = text->len;

  return g_string_free (text, FALSE);
}

static void
write_ranges (const AssayRunReport *self, AssayJsonWriter *json)
{
  assay_json_writer_begin_member_array (json, "ranges");
  for (guint i = 0; i < assay_ranges_get_n (self->ranges); i++)
    {
      const AssayRange *range = assay_ranges_get (self->ranges, i);
      const struct
      {
        const char *name;
        double value;
      } numbers[] = { { "min", range->min }, { "max", range->max }, { "least", range->least } };

      assay_json_writer_begin_object (json);
      assay_json_writer_member (json, "name", range->name);
      assay_json_writer_member (json, "kind", range->is_weight ? "weight" : "activation");
      for (guint j = 0; j < G_N_ELEMENTS (numbers); j++)
        {
          assay_json_writer_member_double (json, numbers[j].name, numbers[j].value);
        }
      assay_json_writer_member_int (json, "overflow", (gint64) range->n_overflow);
      assay_json_writer_member_int (json, "vanish", (gint64) range->n_vanish);
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_array (json);
}

static void
append_runners (const AssayRunReport *self, AssayJsonWriter *json)
{
  assay_json_writer_begin_member_array (json, "runners");
  for (guint i = 0; i < self->runners->len; i++)
    {
      const Runner *runner = &g_array_index (self->runners, Runner, i);

      assay_json_writer_begin_object (json);
      assay_json_writer_member (json, "runner", runner->name);
      assay_json_writer_member (json, "label", runner->label);
      assay_json_writer_member_int (json, "inferences", runner->n);
      if (runner->n > 0)
        {
          assay_json_writer_member_double (json, "p50_us", (double) runner->median / 1000);
          assay_json_writer_member_double (json, "p99_us", (double) runner->p99 / 1000);
        }
      if (runner->times != NULL)
        assay_json_writer_begin_member_array (json, "steps");
      for (guint j = 0; runner->times != NULL && j < assay_run_times_get_n (runner->times); j++)
        {
          const AssayRunnerStep *step = assay_run_times_get (runner->times, j);

          assay_json_writer_begin_object (json);
          assay_json_writer_member (json, "node", step->name);
          assay_json_writer_member (json, "where", step->where);
          assay_json_writer_member_double (json, "start_us", (double) step->begin / 1000);
          assay_json_writer_member_double (json, "us", (double) step->ns / 1000);
          assay_json_writer_end_object (json);
        }
      if (runner->times != NULL)
        assay_json_writer_end_array (json);
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_array (json);
}

/**
 * assay_run_report_to_json:
 * @self: a report
 * @length: (out): bytes of the result
 *
 * Writes a document of schema `assay.run/1`.
 *
 * Returns: (transfer full): the document
 */
char *
assay_run_report_to_json (const AssayRunReport *self, gsize *length)
{
  AssayJsonWriter json;

  assay_json_writer_begin_document (&json, 2, "assay.run/1");
  assay_json_writer_member (&json, "program", self->program);
  if (self->target_id != NULL)
    assay_json_writer_member (&json, "target", self->target_id);
  assay_json_writer_member (&json, "model", self->model);
  assay_json_writer_member_int (&json, "timesteps", self->n_steps);
  if (self->clock_mhz > 0)
    {
      assay_json_writer_member_int (&json, "spaced", self->cycles.spaced);
      assay_json_writer_member_int (&json, "contiguous", self->cycles.contiguous);
      assay_build_report_write_range (&json, "spaced_range", self->runs, self->cycles.spaced);
      assay_build_report_write_range (&json, "contiguous_range", self->runs,
                                      self->cycles.contiguous);
      assay_json_writer_member_double (&json, "compute_us",
                                       (double) self->cycles.spaced / self->clock_mhz);
    }
  append_runners (self, &json);
  assay_json_writer_begin_member_array (&json, "outputs");
  for (guint i = 0; i < self->outputs->len; i++)
    {
      const Output *output = &g_array_index (self->outputs, Output, i);
      const AssayStatistics *statistics = &output->statistics;
      const struct
      {
        const char *name;
        double value;
      } numbers[] = { { "min", statistics->min },
                      { "max", statistics->max },
                      { "mean", statistics->mean },
                      { "std", statistics->deviation } };

      assay_json_writer_begin_object (&json);
      assay_json_writer_member (&json, "name", output->name);
      assay_json_writer_member (&json, "runner", output->runner);
      assay_json_writer_member (&json, "dtype", assay_dtype_name (output->dtype));
      assay_json_writer_begin_member_array (&json, "shape");
      for (guint j = 0; j < output->rank; j++)
        assay_json_writer_int (&json, output->dims[j]);
      assay_json_writer_end_array (&json);
      for (guint j = 0; j < G_N_ELEMENTS (numbers); j++)
        {
          assay_json_writer_member_double (&json, numbers[j].name, numbers[j].value);
        }
      assay_json_writer_member_int (&json, "nan", (gint64) statistics->n_nan);
      assay_json_writer_member_int (&json, "inf", (gint64) statistics->n_inf);
      if (output->path != NULL)
        assay_json_writer_member (&json, "file", output->path);
      assay_json_writer_end_object (&json);
    }
  assay_json_writer_end_array (&json);
  if (self->ranges != NULL)
    write_ranges (self, &json);
  return assay_json_writer_end_document (&json, length);
}

static void
write_times (const AssayRunTimes *times, guint process, AssayJsonWriter *json)
{
  assay_trace_write_name (json, "process_name", process, 0, assay_run_times_get_label (times));
  for (guint lane = 0; lane < ASSAY_N_RUN_LANES; lane++)
    assay_trace_write_name (json, "thread_name", process, lane, assay_run_lane_get_title (lane));
  for (guint i = 0; i < assay_run_times_get_n (times); i++)
    {
      const AssayRunnerStep *step = assay_run_times_get (times, i);

      assay_trace_begin_event (json, "X", step->name, process, assay_runner_step_get_lane (step));
      assay_json_writer_member (json, "cat", step->where);
      assay_json_writer_member_double (json, "ts", (double) step->begin / 1000);
      assay_json_writer_member_double (json, "dur", (double) step->ns / 1000);
      assay_json_writer_end_object (json);
    }
}

/**
 * assay_run_times_to_trace:
 * @all: (array length=n): what runners measured; %NULL for one that measured nothing
 * @n: how many runners there are
 * @model: name of the model
 * @length: (out): bytes of the result
 *
 * Writes the parts of the last inference of each runner that tells them, for Perfetto: runners as
 * processes; host, copies and device as threads.
 *
 * Returns: (transfer full) (nullable): the document, or %NULL if no runner tells its parts
 */
char *
assay_run_times_to_trace (AssayRunTimes *const *all, guint n, const char *model, gsize *length)
{
  gboolean any = FALSE;
  AssayJsonWriter json;

  for (guint i = 0; i < n; i++)
    any = any || all[i] != NULL;
  if (!any)
    return NULL;

  assay_trace_begin (&json);
  assay_json_writer_member (&json, "schema", "assay.run-trace/1");
  assay_json_writer_member (&json, "model", model);
  assay_trace_begin_events (&json);
  for (guint i = 0; i < n; i++)
    if (all[i] != NULL)
      write_times (all[i], i + 1, &json);

  return assay_trace_end (&json, length);
}

/**
 * assay_run_report_to_trace:
 * @self: a report
 * @length: (out): bytes of the result
 *
 * Writes what all runners measured, as assay_run_times_to_trace() does.
 *
 * Returns: (transfer full) (nullable): the document, or %NULL if no runner tells its parts
 */
char *
assay_run_report_to_trace (const AssayRunReport *self, gsize *length)
{
  g_autofree AssayRunTimes **all = g_new (AssayRunTimes *, self->runners->len + 1);

  for (guint i = 0; i < self->runners->len; i++)
    all[i] = g_array_index (self->runners, Runner, i).times;

  return assay_run_times_to_trace (all, self->runners->len, self->model, length);
}
