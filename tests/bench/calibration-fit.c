/* calibration-fit.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * How well the timing model predicts what it was not fitted to: one family of models at a time is
 * left out, the parameters are fitted to the others, and that family is predicted; then how wide
 * ranges have to be for that, by how unlike the others a model is. Only parameters
 * are fitted, one step up or down at a time, from those of the targets; a parameter that two
 * fabrics have in common there stays common.
 */
#include "calibration-fit.h"

#include <math.h>
#include <stdlib.h>

#include "backend/stream/compile/assay-compile.h"
#include "backend/stream/machine/assay-timing.h"
#include "calibration-fixture.h"
#include "calibration-range.h"
#include "calibration-table.h"

/* How often the models are compiled anew for the parameters that fitted the placements before. */
#define ROUNDS 2

/* One row: the model, the accelerator, and the program while its placement holds. */
typedef struct
{
  CalibrationRow *row;
  AssayGraph *graph;
  AssaySettings *settings;
  AssayConfigValues config;
  AssayStreamCode *code;
  double published[2];
} Row;

/* A parameter of one fabric or of several that share it. */
typedef struct
{
  guint index;
  guint fabrics; /* a bit each */
  guint initial;
  guint value;
} Parameter;

typedef struct
{
  GPtrArray *tables;
  GArray *rows;        /* Row */
  GArray *parameters;  /* Parameter */
  GPtrArray *families; /* const char */
} Fit;

static void
row_clear (gpointer data)
{
  Row *row = data;

  g_clear_pointer (&row->code, assay_stream_code_unref);
  g_clear_pointer (&row->settings, assay_settings_unref);
  assay_graph_unref (row->graph);
}

static void
fit_clear (Fit *self)
{
  g_array_unref (self->rows);
  g_array_unref (self->parameters);
  g_ptr_array_unref (self->families);
  g_ptr_array_unref (self->tables);
}

static gboolean
open_row (Fit *self, CalibrationRow *from, GError **error)
{
  g_autoptr (AssayConfig) config = assay_config_new_preset (from->config, error);
  Row row = { .row = from };
  int axis;

  if (config == NULL)
    return FALSE;
  for (guint i = 0; i < 2; i++)
    row.published[i] = atof (from->figures[i]);
  if (row.published[0] <= 0)
    return TRUE;

  row.config = *assay_config_get_values (config);
  row.graph = calibration_open (from->model, from->size, &axis);
  if (axis >= 0)
    assay_settings_set_axis (&row.settings, 0, axis);
  g_array_append_val (self->rows, row);
  if (!g_ptr_array_find_with_equal_func (self->families, from->model, g_str_equal, NULL))
    g_ptr_array_add (self->families, (gpointer) from->model);

  return TRUE;
}

/* What the targets of two fabrics say alike is one parameter. */
static void
find_parameters (Fit *self)
{
  for (guint i = 0; assay_timing_parameter_name (i) != NULL; i++)
    {
      guint first = self->parameters->len;

      for (guint j = 0; j < self->rows->len; j++)
        {
          Row *row = &g_array_index (self->rows, Row, j);
          guint value = *assay_timing_parameter (&row->config.timing, i);
          Parameter added = { i, 1u << row->config.fabric, value, value };
          guint at = first;

          while (at < self->parameters->len &&
                 g_array_index (self->parameters, Parameter, at).value != value)
            at++;
          if (at < self->parameters->len)
            g_array_index (self->parameters, Parameter, at).fabrics |= added.fabrics;
          else
            g_array_append_val (self->parameters, added);
        }
    }
}

static void
set_timing (const Fit *self, guint fabric, AssayTiming *timing)
{
  for (guint i = 0; i < self->parameters->len; i++)
    {
      const Parameter *parameter = &g_array_index (self->parameters, Parameter, i);

      if ((parameter->fabrics >> fabric & 1) != 0)
        *assay_timing_parameter (timing, parameter->index) = parameter->value;
    }
}

static gboolean
compile_rows (Fit *self, GError **error)
{
  for (guint i = 0; i < self->rows->len; i++)
    {
      Row *row = &g_array_index (self->rows, Row, i);
      AssayCompileOptions options = { .settings = row->settings };

      g_clear_pointer (&row->code, assay_stream_code_unref);
      set_timing (self, row->config.fabric, &row->config.timing);
      row->code = assay_compile (row->graph, &row->config, &options, NULL, error);
      if (row->code == NULL)
        return FALSE;
    }

  return TRUE;
}

/* The logarithms of predicted over published; a contiguous count that is one more than the spaced
 * one says nothing new. */
static guint
errors_of (const Fit *self, const Row *row, double errors[2])
{
  AssayStreamCode changed = *row->code;
  AssayCycles cycles;

  set_timing (self, row->config.fabric, &changed.config.timing);
  assay_timing_run (&changed, 0, &cycles, NULL);
  errors[0] = log (cycles.spaced / row->published[0]);
  errors[1] = log (cycles.contiguous / row->published[1]);

  return row->published[1] > row->published[0] + 1 ? 2 : 1;
}

/* The mean error, each family counting the same however many rows it has. */
static double
cost_of (const Fit *self, const char *without)
{
  double total = 0;

  for (guint i = 0; i < self->families->len; i++)
    {
      const char *family = g_ptr_array_index (self->families, i);
      double sum = 0;
      guint n = 0;

      for (guint j = 0; j < self->rows->len; j++)
        {
          const Row *row = &g_array_index (self->rows, Row, j);
          double errors[2];

          if (!g_str_equal (row->row->model, family) ||
              (without != NULL && g_str_equal (family, without)))
            continue;
          for (guint k = errors_of (self, row, errors); k > 0; k--, n++)
            sum += fabs (errors[k - 1]);
        }
      total += n > 0 ? sum / n : 0;
    }

  return total;
}

static gboolean
improve (Fit *self, Parameter *parameter, int step, const char *without, double *best)
{
  gboolean better = FALSE;

  while ((int) parameter->value + step > 0)
    {
      double cost;

      parameter->value += (guint) step;
      cost = cost_of (self, without);
      if (cost > *best - 1e-9)
        {
          parameter->value -= (guint) step;
          break;
        }
      *best = cost;
      better = TRUE;
    }

  return better;
}

static void
reset_parameters (Fit *self)
{
  for (guint i = 0; i < self->parameters->len; i++)
    {
      Parameter *parameter = &g_array_index (self->parameters, Parameter, i);

      parameter->value = parameter->initial;
    }
}

static gboolean
fit (Fit *self, const char *without, GError **error)
{
  reset_parameters (self);
  for (guint round = 0; round < ROUNDS; round++)
    {
      gboolean better = TRUE;
      double best;

      if (!compile_rows (self, error))
        return FALSE;
      best = cost_of (self, without);
      while (better)
        {
          better = FALSE;
          for (guint i = 0; i < self->parameters->len; i++)
            {
              Parameter *parameter = &g_array_index (self->parameters, Parameter, i);

              for (int step = 4; step > 0; step /= 2)
                better = improve (self, parameter, step, without, &best) ||
                         improve (self, parameter, -step, without, &best) || better;
            }
        }
    }

  return compile_rows (self, error);
}

static int
compare (gconstpointer a, gconstpointer b)
{
  double l = *(const double *) a;
  double r = *(const double *) b;

  return l < r ? -1 : l > r;
}

/* In percent of what is published; the quantile that nine of ten are below too. */
static void
print_errors (const char *name, GArray *errors)
{
  g_array_sort (errors, compare);
  g_print ("  %-12s median %5.1f %%  nine of ten %5.1f %%  worst %5.1f %%  figures %u\n", name,
           g_array_index (errors, double, errors->len / 2),
           g_array_index (errors, double, (errors->len - 1) * 9 / 10),
           g_array_index (errors, double, errors->len - 1), errors->len);
}

static void
print_parameters (const Fit *self)
{
  for (guint i = 0; i < self->parameters->len; i++)
    {
      const Parameter *parameter = &g_array_index (self->parameters, Parameter, i);

      g_print ("  %s of fabrics %#x: %u, was %u\n", assay_timing_parameter_name (parameter->index),
               parameter->fabrics, parameter->value, parameter->initial);
    }
}

/* @left_out: (nullable): gets what is off */
static void
add_errors (const Fit *self, const char *family, GArray *left_out, GArray *own, GArray *all)
{
  for (guint i = 0; i < self->rows->len; i++)
    {
      const Row *row = &g_array_index (self->rows, Row, i);
      double errors[2];

      if (!g_str_equal (row->row->model, family))
        continue;
      for (guint k = 0, n = errors_of (self, row, errors); k < n; k++)
        {
          double percent = 100 * fabs (exp (errors[k]) - 1);

          g_array_append_val (own, percent);
          g_array_append_val (all, percent);
          if (left_out != NULL)
            {
              CalibrationError error = { i, errors[k] };

              g_array_append_val (left_out, error);
              g_print ("%-12s %-40s %-14s %-10s %+6.1f\n", row->row->model, row->row->size,
                       row->row->config, k == 0 ? "spaced" : "contiguous",
                       100 * (exp (errors[k]) - 1));
            }
        }
    }
}

/* What nine of ten figures are off that were fitted, as a logarithm. */
static double
find_near (const Fit *self, const char *without)
{
  g_autoptr (GArray) near = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint i = 0; i < self->rows->len; i++)
    {
      const Row *row = &g_array_index (self->rows, Row, i);
      double errors[2];

      if (without != NULL && g_str_equal (row->row->model, without))
        continue;
      for (guint k = errors_of (self, row, errors); k > 0; k--)
        {
          double off = fabs (errors[k - 1]);

          g_array_append_val (near, off);
        }
    }
  g_array_sort (near, compare);

  return g_array_index (near, double, (near->len - 1) * 9 / 10);
}

/* With the parameters of the targets. */
static GArray *
list_models (Fit *self, GError **error)
{
  g_autoptr (GArray) models = g_array_new (FALSE, FALSE, sizeof (CalibrationModel));

  reset_parameters (self);
  if (!compile_rows (self, error))
    return NULL;
  for (guint i = 0; i < self->rows->len; i++)
    {
      const Row *row = &g_array_index (self->rows, Row, i);
      CalibrationModel model = { 0 };

      g_ptr_array_find_with_equal_func (self->families, row->row->model, g_str_equal,
                                        &model.family);
      assay_cycle_mix_measure (row->code, 0, &model.mix);
      g_array_append_val (models, model);
    }

  return g_steal_pointer (&models);
}

static gboolean
run (Fit *self, GError **error)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) fitted = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) left_out = g_array_new (FALSE, FALSE, sizeof (CalibrationError));
  g_autoptr (GArray) models = NULL;
  g_autofree double *near = g_new (double, self->families->len + 1);

  g_print ("\nEach family predicted with what fits the others best\n");
  for (guint i = 0; i < self->families->len; i++)
    {
      const char *family = g_ptr_array_index (self->families, i);
      g_autoptr (GArray) own = g_array_new (FALSE, FALSE, sizeof (double));

      if (!fit (self, family, error))
        return FALSE;
      near[i] = find_near (self, family);
      add_errors (self, family, left_out, own, all);
      print_errors (family, own);
    }
  print_errors ("all", all);

  g_print ("\nWhat fits all of them best\n");
  if (!fit (self, NULL, error))
    return FALSE;
  for (guint i = 0; i < self->families->len; i++)
    {
      g_autoptr (GArray) own = g_array_new (FALSE, FALSE, sizeof (double));

      add_errors (self, g_ptr_array_index (self->families, i), NULL, own, fitted);
      print_errors (g_ptr_array_index (self->families, i), own);
    }
  near[self->families->len] = find_near (self, NULL);
  print_errors ("all", fitted);
  print_parameters (self);

  models = list_models (self, error);
  if (models != NULL)
    calibration_range_print (self->families, near, models, left_out);

  return models != NULL;
}

/**
 * calibration_leave_one_out:
 * @paths: (array zero-terminated=1): tables of published cycle counts
 * @error: return location for a #GError
 *
 * Leaves out one family of models after the other, fits the timing to the rest and prints how far
 * off it predicts those that were left out.
 *
 * Returns: whether every row of the tables could be read and compiled
 */
gboolean
calibration_leave_one_out (char **paths, GError **error)
{
  Fit self = {
    .tables = g_ptr_array_new_with_free_func ((GDestroyNotify) calibration_table_free),
    .rows = g_array_new (FALSE, TRUE, sizeof (Row)),
    .parameters = g_array_new (FALSE, FALSE, sizeof (Parameter)),
    .families = g_ptr_array_new (),
  };
  gboolean done = TRUE;

  g_array_set_clear_func (self.rows, row_clear);
  for (guint i = 0; done && paths[i] != NULL; i++)
    {
      CalibrationTable *table = calibration_table_read (paths[i], error);

      done = table != NULL;
      if (done)
        g_ptr_array_add (self.tables, table);
      for (guint j = 0; done && !table->latencies && j < table->rows->len; j++)
        done = open_row (&self, &g_array_index (table->rows, CalibrationRow, j), error);
    }
  if (done)
    {
      find_parameters (&self);
      done = run (&self, error);
    }
  fit_clear (&self);

  return done;
}
