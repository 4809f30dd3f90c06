/* assay-run-report.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/assay-run-report.h"

#include <math.h>

#include "machine/assay-timing.h"
#include "report/assay-json-writer.h"
#include "report/assay-report-text.h"
#include "report/assay-text-table.h"

typedef struct
{
  char *runner;
  char *name;
  char *path;
  guint rank;
  gint64 *dims;
  double min;
  double max;
  double mean;
  double deviation;
  gsize n_nan;
  gsize n_inf;
} Output;

struct _AssayRunReport
{
  char *program;
  AssayCode *code;
  guint model;
  gint64 n_steps;
  AssayCycles cycles;
  GArray *outputs;
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

/**
 * assay_run_report_new:
 * @program: path of the program or model
 * @code: the program
 * @model: which of its models ran
 * @n_steps: how many timesteps
 *
 * Starts the report of a run.
 *
 * Returns: (transfer full): the report
 */
AssayRunReport *
assay_run_report_new (const char *program,
                      AssayCode  *code,
                      guint       model,
                      gint64      n_steps)
{
  AssayRunReport *self = g_new0 (AssayRunReport, 1);

  self->program = g_strdup (program);
  self->code = assay_code_ref (code);
  self->model = model;
  self->n_steps = n_steps;
  self->outputs = g_array_new (FALSE, TRUE, sizeof (Output));
  g_array_set_clear_func (self->outputs, output_clear);
  assay_timing_run (code, model, &self->cycles, NULL);

  return self;
}

void
assay_run_report_free (AssayRunReport *self)
{
  g_free (self->program);
  assay_code_unref (self->code);
  g_array_unref (self->outputs);
  g_free (self);
}

/* Of the finite values; NaN and infinities are counted apart. */
static void
find_statistics (Output      *output,
                 const float *values,
                 gsize        n)
{
  double sum = 0;
  double squares = 0;
  gsize finite = 0;

  output->min = INFINITY;
  output->max = -INFINITY;
  for (gsize i = 0; i < n; i++)
    {
      output->n_nan += isnan (values[i]) != 0;
      output->n_inf += isinf (values[i]) != 0;
      if (!isfinite (values[i]))
        continue;
      finite++;
      sum += values[i];
      output->min = MIN (output->min, values[i]);
      output->max = MAX (output->max, values[i]);
    }

  output->mean = finite == 0 ? NAN : sum / (double) finite;
  for (gsize i = 0; i < n; i++)
    {
      if (isfinite (values[i]))
        squares += (values[i] - output->mean) * (values[i] - output->mean);
    }
  output->deviation = finite == 0 ? NAN : sqrt (squares / (double) finite);
}

/**
 * assay_run_report_add:
 * @self: a report
 * @runner: name of the runner
 * @tensors: (element-type AssayTensor): its outputs, fp32
 * @paths: (element-type filename): the files they were written to, none if they were not
 *
 * Adds what one runner gave.
 */
void
assay_run_report_add (AssayRunReport *self,
                      const char     *runner,
                      GPtrArray      *tensors,
                      GPtrArray      *paths)
{
  const AssayModelEntry *entry = &g_array_index (self->code->models, AssayModelEntry, self->model);

  for (guint i = 0; i < tensors->len; i++)
    {
      AssayTensor *tensor = g_ptr_array_index (tensors, i);
      guint rank = assay_tensor_get_rank (tensor);
      Output output = {
        .runner = g_strdup (runner),
        .name = g_strdup (entry->outputs[i].name),
        .path = i < paths->len ? g_strdup (g_ptr_array_index (paths, i)) : NULL,
        .rank = rank,
        .dims = g_memdup2 (assay_tensor_get_dims (tensor), rank * sizeof (gint64)),
      };
      gsize n_bytes;

      find_statistics (&output, assay_tensor_get_data (tensor, &n_bytes, NULL), assay_tensor_get_n_elements (tensor));
      g_array_append_val (self->outputs, output);
    }
}

static char *
shape_text (const Output *output)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < output->rank; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? " x " : "", output->dims[i]);

  return g_string_free (text, FALSE);
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
assay_run_report_to_text (const AssayRunReport *self,
                          gboolean              colours,
                          gsize                *length)
{
  static const char *const titles[] = { "Output", "Runner", "Shape", "Min", "Max", "Mean", "Std", "NaN, inf" };
  GString *text = g_string_new (NULL);
  g_auto (AssayTextTable) table = { 0 };
  g_autoptr (GPtrArray) strings = g_ptr_array_new_with_free_func (g_free);

  assay_text_append_styled (text, self->program, ASSAY_TEXT_STYLE_BOLD, colours);
  g_string_append_printf (text,
                          ": model %s, %" G_GINT64_FORMAT " timestep%s; %u cycles spaced, %u contiguous, %.3f us at "
                          "%u MHz\n\n",
                          g_array_index (self->code->models, AssayModelEntry, self->model).name, self->n_steps,
                          self->n_steps == 1 ? "" : "s", self->cycles.spaced, self->cycles.contiguous,
                          (double) self->cycles.spaced / self->code->config.clock_mhz, self->code->config.clock_mhz);

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
      const double values[] = { output->min, output->max, output->mean, output->deviation };
      char *bad = g_strdup_printf ("%" G_GSIZE_FORMAT ", %" G_GSIZE_FORMAT, output->n_nan, output->n_inf);
      char *shape = shape_text (output);

      g_ptr_array_add (strings, bad);
      g_ptr_array_add (strings, shape);
      assay_text_table_add (&table, output->name, ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_add (&table, output->runner, ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_add (&table, shape, ASSAY_TEXT_STYLE_PLAIN);
      for (guint j = 0; j < G_N_ELEMENTS (values); j++)
        {
          char *value = g_strdup_printf ("%.6g", values[j]);

          g_ptr_array_add (strings, value);
          assay_text_table_add (&table, value, ASSAY_TEXT_STYLE_PLAIN);
        }
      assay_text_table_add (&table, bad, output->n_nan + output->n_inf > 0 ? ASSAY_TEXT_STYLE_BAD
                            : ASSAY_TEXT_STYLE_DIM);
    }
  assay_text_table_print (&table, text, colours);

  for (guint i = 0; i < self->outputs->len; i++)
    {
      const Output *output = &g_array_index (self->outputs, Output, i);

      if (output->path != NULL)
        g_string_append_printf (text, "%s%s written to %s\n", i == 0 ? "\n" : "", output->name, output->path);
    }
  *length = text->len;

  return g_string_free (text, FALSE);
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
assay_run_report_to_json (const AssayRunReport *self,
                          gsize                *length)
{
  AssayJsonWriter json;

  assay_json_writer_init (&json, 2);
  assay_json_writer_begin_object (&json);
  assay_json_writer_member (&json, "schema", "assay.run/1");
  assay_json_writer_member (&json, "program", self->program);
  assay_json_writer_member (&json, "target", self->code->target_id);
  assay_json_writer_member (&json, "model", g_array_index (self->code->models, AssayModelEntry, self->model).name);
  assay_json_writer_member_int (&json, "timesteps", self->n_steps);
  assay_json_writer_member_int (&json, "spaced", self->cycles.spaced);
  assay_json_writer_member_int (&json, "contiguous", self->cycles.contiguous);
  assay_json_writer_key (&json, "compute_us");
  assay_json_writer_double (&json, (double) self->cycles.spaced / self->code->config.clock_mhz);
  assay_json_writer_key (&json, "outputs");
  assay_json_writer_begin_array (&json);
  for (guint i = 0; i < self->outputs->len; i++)
    {
      const Output *output = &g_array_index (self->outputs, Output, i);
      const struct
      {
        const char *name;
        double value;
      } numbers[] =
        { { "min", output->min }, { "max", output->max }, { "mean", output->mean }, { "std", output->deviation } };

      assay_json_writer_begin_object (&json);
      assay_json_writer_member (&json, "name", output->name);
      assay_json_writer_member (&json, "runner", output->runner);
      assay_json_writer_key (&json, "shape");
      assay_json_writer_begin_array (&json);
      for (guint j = 0; j < output->rank; j++)
        assay_json_writer_int (&json, output->dims[j]);
      assay_json_writer_end_array (&json);
      for (guint j = 0; j < G_N_ELEMENTS (numbers); j++)
        {
          assay_json_writer_key (&json, numbers[j].name);
          assay_json_writer_double (&json, numbers[j].value);
        }
      assay_json_writer_member_int (&json, "nan", (gint64) output->n_nan);
      assay_json_writer_member_int (&json, "inf", (gint64) output->n_inf);
      if (output->path != NULL)
        assay_json_writer_member (&json, "file", output->path);
      assay_json_writer_end_object (&json);
    }
  assay_json_writer_end_array (&json);
  assay_json_writer_end_object (&json);

  return assay_json_writer_finish (&json, length);
}
