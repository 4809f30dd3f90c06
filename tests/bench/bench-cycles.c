/* bench-cycles.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The timing model against tables of published figures: cycle counts row by row, per family, and
 * over all, or each family predicted with what fits the others; latencies of cards with one
 * constant per card for what lies between host and port; how long every row takes to compile; and
 * how long models that are deep take.
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assay-error.h"
#include "calibration-fit.h"
#include "calibration-models.h"
#include "calibration-table.h"
#include "thread-clock.h"
#include "backend/stream/compile/assay-compile.h"
#include "backend/stream/machine/assay-timing.h"
#include "source/assay-source.h"

/* What the compiler may take for a row, and for a model of dozens of layers. */
#define MAX_COMPILE_MS 50.0
#define MAX_DEEP_MS 1000.0

/* How long the rows took, those that do not fit too. */
typedef struct
{
  guint n;
  guint n_slow;
  double worst;
  char *name;
} Times;

typedef struct
{
  GArray *spaced;
  GArray *contiguous;
} Errors;

static int
compare (gconstpointer a, gconstpointer b)
{
  double l = *(const double *) a;
  double r = *(const double *) b;

  return l < r ? -1 : l > r;
}

static double
median (GArray *values)
{
  g_array_sort (values, compare);

  return (g_array_index (values, double, (values->len - 1) / 2) +
          g_array_index (values, double, values->len / 2)) /
         2;
}

static void
summarize (const char *name, const char *what, GArray *errors)
{
  double middle;

  if (errors->len == 0)
    return;

  middle = median (errors);
  g_print ("  %-12s %-11s median %5.1f %%  worst %5.1f %%  rows %u\n", name, what, middle,
           g_array_index (errors, double, errors->len - 1), errors->len);
}

static double
percent (guint32 predicted, double published)
{
  return 100 * fabs (predicted - published) / published;
}

static void
errors_free (gpointer data)
{
  Errors *errors = data;

  g_array_unref (errors->spaced);
  g_array_unref (errors->contiguous);
  g_free (errors);
}

static Errors *
errors_for (GHashTable *families, const char *name)
{
  Errors *errors = g_hash_table_lookup (families, name);

  if (errors == NULL)
    {
      errors = g_new0 (Errors, 1);
      errors->spaced = g_array_new (FALSE, FALSE, sizeof (double));
      errors->contiguous = g_array_new (FALSE, FALSE, sizeof (double));
      g_hash_table_insert (families, g_strdup (name), errors);
    }

  return errors;
}

static double
add_time (Times *times, const CalibrationRow *row, gint64 microseconds)
{
  double ms = (double) microseconds / 1000;

  times->n++;
  times->n_slow += ms > MAX_COMPILE_MS;
  if (ms > times->worst || times->name == NULL)
    {
      times->worst = ms;
      g_free (times->name);
      times->name = g_strdup_printf ("%s %s on %s", row->model, row->size, row->config);
    }

  return ms;
}

static void
print_times (Times *times)
{
  g_print ("  compile      worst %.1f ms (%s), %u of %u rows within %.0f ms\n", times->worst,
           times->name != NULL ? times->name : "no row", times->n - times->n_slow, times->n,
           MAX_COMPILE_MS);
  g_free (times->name);
}

static gboolean
run_row (const CalibrationRow *row, const char *folder, AssayCycles *cycles, guint *clock_mhz,
         guint64 *n_values, gint64 *microseconds, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "model.onnx", NULL);
  g_autoptr (AssayConfig) config = assay_config_new_preset (row->config, error);
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (AssayStreamCode) code = NULL;
  g_autoptr (AssaySettings) settings = NULL;
  AssayCompileOptions options = { 0 };
  const AssayModelEntry *entry;
  int axis;
  gint64 start;

  if (config == NULL || !calibration_model_write (row->model, row->size, path, &axis, error))
    return FALSE;

  graph = assay_model_read (path, NULL, NULL, NULL, error);
  if (graph == NULL)
    return FALSE;

  if (axis >= 0)
    {
      assay_settings_set_axis (&settings, 0, axis);
      options.settings = settings;
    }

  start = thread_clock_now ();
  code = assay_compile (graph, assay_config_get_values (config), &options, NULL, error);
  *microseconds = thread_clock_now () - start;
  if (code == NULL)
    return FALSE;

  assay_timing_run (code, 0, cycles, NULL);
  entry = &g_array_index (code->models, AssayModelEntry, 0);
  for (guint i = 0; i < entry->n_inputs; i++)
    *n_values = MAX (*n_values, (guint64) entry->inputs[i].lanes * entry->inputs[i].n_vectors);
  for (guint i = 0; i < entry->n_outputs; i++)
    *n_values = MAX (*n_values, (guint64) entry->outputs[i].lanes * entry->outputs[i].n_vectors);
  *clock_mhz = assay_config_get_values (config)->clock_mhz;

  return TRUE;
}

/* What is left for the next inference is what makes a model's contiguous count a figure of its own.
 */
static gboolean
is_stateful (const char *family)
{
  static const char *const families[] = {
    "cnn", "tcn", "lstm", "wavenet", "gru", "mobilenet", NULL
  };

  return g_strv_contains (families, family);
}

static gboolean
print_refusal (const CalibrationRow *row, gboolean fits, const GError *failure, double ms)
{
  gboolean right = !fits && g_str_equal (row->figures[0], "does_not_fit") &&
                   g_error_matches (failure, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION);

  g_print ("%s%s; %.1f ms\n", right ? "right: " : "WRONG: ", fits ? "it fits" : failure->message,
           ms);

  return right;
}

static int
cycle_table (const CalibrationTable *table, const char *folder)
{
  g_autoptr (GHashTable)
      families = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, errors_free);
  g_autoptr (GList) names = NULL;
  Times times = { 0 };
  int wrong = 0;

  g_print ("%-12s %-40s %-14s %9s %7s %6s %11s %7s %6s %8s\n", "model", "size", "config",
           "published", "spaced", "%", "published", "contig", "%", "ms");
  for (guint i = 0; i < table->rows->len; i++)
    {
      const CalibrationRow *row = &g_array_index (table->rows, CalibrationRow, i);
      g_autoptr (GError) failure = NULL;
      AssayCycles cycles = { 0 };
      guint clock_mhz = 0;
      guint64 n_values = 0;
      gint64 microseconds = 0;
      gboolean fits = run_row (row, folder, &cycles, &clock_mhz, &n_values, &microseconds,
                               &failure);
      double ms = add_time (&times, row, microseconds);
      double spaced, contiguous;

      g_print ("%-12s %-40s %-14s %9s ", row->model, row->size, row->config, row->figures[0]);
      if (!fits || g_str_equal (row->figures[0], "does_not_fit"))
        {
          wrong += !print_refusal (row, fits, failure, ms);
          continue;
        }

      spaced = percent (cycles.spaced, atof (row->figures[0]));
      contiguous = percent (cycles.contiguous, atof (row->figures[1]));
      g_print ("%7u %6.1f %11s %7u %6.1f %8.1f\n", cycles.spaced, spaced, row->figures[1],
               cycles.contiguous, contiguous, ms);
      for (guint all = 0; all < 2; all++)
        {
          Errors *errors = errors_for (families, all ? "all" : row->model);

          g_array_append_val (errors->spaced, spaced);
          if (!all || is_stateful (row->model))
            g_array_append_val (errors->contiguous, contiguous);
        }
    }

  g_print ("\nAbsolute errors; contiguous over all of the models with state alone\n");
  names = g_list_sort (g_hash_table_get_keys (families), (GCompareFunc) strcmp);
  for (GList *l = names; l != NULL; l = l->next)
    {
      Errors *errors = g_hash_table_lookup (families, l->data);

      summarize (l->data, "spaced", errors->spaced);
      summarize (l->data, "contiguous", errors->contiguous);
    }
  print_times (&times);

  return wrong;
}

typedef struct
{
  const CalibrationRow *row;
  double compute; /* microseconds */
  double ms;      /* that it took to compile */
  double way;     /* what its inputs and outputs add to the constant of the card */
  double published;
} Latency;

/* What a round trip without computation takes longer than one of few values: 1.7 to 1.8 us up to
 * 512 values each way, 1.9 at 1024, 2.0 at 2048, published of one card. */
static double
longer_way (guint64 values)
{
  static const double points[][2] = { { 512, 0 }, { 1024, 0.15 }, { 2048, 0.25 } };
  double more = 0;

  for (guint i = 1; i < G_N_ELEMENTS (points); i++)
    {
      double part = ((double) values - points[i - 1][0]) / (points[i][0] - points[i - 1][0]);

      more += CLAMP (part, 0, 1) * (points[i][1] - points[i - 1][1]);
    }

  return more;
}

/* The constant of a card: the median of what the published latencies have more than the
 * computation. */
static double
fit_constant (const GArray *latencies, const char *card)
{
  g_autoptr (GArray) rests = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint i = 0; i < latencies->len; i++)
    {
      const Latency *latency = &g_array_index (latencies, Latency, i);
      double rest = latency->published - latency->compute - latency->way;

      if (g_str_equal (latency->row->config, card))
        g_array_append_val (rests, rest);
    }

  return median (rests);
}

static int
latency_table (const CalibrationTable *table, const char *folder)
{
  g_autoptr (GArray) latencies = g_array_new (FALSE, FALSE, sizeof (Latency));
  g_autoptr (GArray) errors = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GList) cards = NULL;
  Times times = { 0 };
  int wrong = 0;

  for (guint i = 0; i < table->rows->len; i++)
    {
      const CalibrationRow *row = &g_array_index (table->rows, CalibrationRow, i);
      g_autoptr (GError) failure = NULL;
      AssayCycles cycles = { 0 };
      Latency latency = { .row = row, .published = atof (row->figures[0]) };
      guint clock_mhz = 0;
      guint64 n_values = 0;
      gint64 microseconds;

      if (!run_row (row, folder, &cycles, &clock_mhz, &n_values, &microseconds, &failure))
        {
          g_print ("WRONG: %s, %s: %s\n", row->model, row->config, failure->message);
          wrong++;
          continue;
        }
      latency.ms = add_time (&times, row, microseconds);
      latency.compute = (double) cycles.spaced / clock_mhz;
      latency.way = longer_way (n_values);
      g_array_append_val (latencies, latency);
    }

  g_print ("%-16s %-16s %-14s %9s %9s %9s %6s %8s\n", "model", "shape", "config", "published",
           "compute", "estimated", "%", "ms");
  for (guint i = 0; i < latencies->len; i++)
    {
      const Latency *latency = &g_array_index (latencies, Latency, i);
      const CalibrationRow *row = latency->row;
      double estimated = latency->compute + latency->way + fit_constant (latencies, row->config);
      double off = 100 * fabs (estimated - latency->published) / latency->published;

      g_print ("%-16s %-16s %-14s %9.1f %9.2f %9.2f %6.1f %8.1f\n", row->model, row->size,
               row->config, latency->published, latency->compute, estimated, off, latency->ms);
      g_array_append_val (errors, off);
      if (!g_list_find_custom (cards, row->config, (GCompareFunc) strcmp))
        cards = g_list_append (cards, (gpointer) row->config);
    }
  for (GList *l = cards; l != NULL; l = l->next)
    g_print ("  %s: constant %.2f us, fitted\n", (char *) l->data,
             fit_constant (latencies, l->data));
  summarize ("all", "latency", errors);
  print_times (&times);

  return wrong;
}

/* Of each kind of layer a model of 48: convolutions like those of a recognition of text, one after
 * the other and in pairs, products and recurrence. No figures are published of them. */
static int
deep_models (const char *folder)
{
  static const CalibrationRow rows[] = {
    { .model = "mobilenet", .size = "width 0.25, 24 pairs", .config = "ia_420f_c6b32" },
    { .model = "mobilenet", .size = "width 0.42, 24 pairs", .config = "v80_c6b32" },
    { .model = "cnn", .size = "48 layers, 64 ch, kernel 8", .config = "v80_c6b32" },
    { .model = "mlp", .size = "48 layers of 256", .config = "v80_c6b32" },
    { .model = "mlp", .size = "48 layers of 256", .config = "ia_840f_c3b64" },
    { .model = "lstm", .size = "48 layers, H 128", .config = "v80_c6b32" },
  };
  int wrong = 0;

  g_print ("\nDeep models, placement searched; goal %.0f ms\n", MAX_DEEP_MS);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) failure = NULL;
      AssayCycles cycles = { 0 };
      guint clock_mhz = 0;
      guint64 n_values = 0;
      gint64 microseconds = 0;

      g_print ("%-12s %-40s %-14s ", rows[i].model, rows[i].size, rows[i].config);
      if (run_row (&rows[i], folder, &cycles, &clock_mhz, &n_values, &microseconds, &failure))
        {
          double ms = (double) microseconds / 1000;

          g_print ("%7u cycles, %.1f ms%s\n", cycles.spaced, ms,
                   ms > MAX_DEEP_MS ? ": MISSED" : "");
        }
      else
        {
          g_print ("WRONG: %s\n", failure->message);
          wrong++;
        }
    }

  return wrong;
}

static int
leave_one_out (char **tables)
{
  g_autoptr (GError) error = NULL;

  if (calibration_leave_one_out (tables, &error))
    return 0;

  g_printerr ("bench-cycles: %s\n", error->message);

  return 1;
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = NULL;
  g_autofree char *model = NULL;
  int wrong = 0;

  if (argc < 2)
    {
      g_printerr ("usage: bench-cycles [--leave-one-out] TABLE.tsv...\n");
      return 2;
    }
  if (g_str_equal (argv[1], "--leave-one-out"))
    return leave_one_out (argv + 2);

  folder = g_dir_make_tmp ("assay-cycles-XXXXXX", NULL);
  model = g_build_filename (folder, "model.onnx", NULL);

  for (int i = 1; i < argc; i++)
    {
      g_autoptr (CalibrationTable) table = NULL;
      g_autoptr (GError) error = NULL;

      table = calibration_table_read (argv[i], &error);
      if (table == NULL)
        {
          g_printerr ("bench-cycles: %s\n", error->message);
          return 2;
        }
      g_print ("%s%s\n", i > 1 ? "\n" : "", argv[i]);
      wrong += table->latencies ? latency_table (table, folder) : cycle_table (table, folder);
    }

  wrong += deep_models (folder);

  g_unlink (model);
  g_rmdir (folder);

  return wrong > 0;
}
