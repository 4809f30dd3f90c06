/* bench-cycles.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The timing model against tables of published figures: cycle counts row by row, per family, and over all; latencies of
 * cards with one constant per card for what lies between host and port.
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assay-error.h"
#include "calibration-models.h"
#include "compile/assay-compile.h"
#include "machine/assay-timing.h"
#include "onnx/assay-import.h"

typedef struct
{
  GArray *spaced;
  GArray *contiguous;
} Errors;

static int
compare (gconstpointer a,
         gconstpointer b)
{
  double l = *(const double *) a;
  double r = *(const double *) b;

  return l < r ? -1 : l > r;
}

static void
summarize (const char *name,
           const char *what,
           GArray     *errors)
{
  if (errors->len == 0)
    return;
  g_array_sort (errors, compare);
  g_print ("  %-12s %-11s median %5.1f %%  worst %5.1f %%  rows %u\n", name, what,
           g_array_index (errors, double, errors->len / 2), g_array_index (errors, double, errors->len - 1),
             errors->len);
}

static double
percent (guint32 predicted,
         double  published)
{
  return 100 * fabs (predicted - published) / published;
}

static Errors *
errors_for (GHashTable *families,
            const char *name)
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

static gboolean
run_row (char       **cells,
         const char  *preset,
         const char  *folder,
         AssayCycles *cycles,
         guint       *clock_mhz,
         gint64      *microseconds,
         GError     **error)
{
  g_autofree char *path = g_build_filename (folder, "model.onnx", NULL);
  g_autoptr (AssayConfig) config = assay_config_new_preset (preset, error);
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (AssayCode) code = NULL;
  AssayCompileOptions options = { 0 };
  int axis;
  gint64 start;

  if (config == NULL || !calibration_model_write (cells[0], cells[1], path, &axis, error))
    return FALSE;

  graph = assay_import_file (path, NULL, NULL, NULL, error);
  if (graph == NULL)
    return FALSE;

  if (axis >= 0)
    {
      options.streaming_axes = &axis;
      options.n_streaming_axes = 1;
    }

  start = g_get_monotonic_time ();
  code = assay_compile (graph, assay_config_get_values (config), &options, NULL, error);
  *microseconds = g_get_monotonic_time () - start;
  if (code == NULL)
    return FALSE;

  assay_timing_run (code, 0, cycles, NULL);
  *clock_mhz = assay_config_get_values (config)->clock_mhz;

  return TRUE;
}

static int
cycle_table (char       **lines,
             const char  *folder)
{
  g_autoptr (GHashTable) families = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  int wrong = 0;

  g_print ("%-12s %-40s %-14s %9s %7s %6s %11s %7s %6s %8s\n", "model", "size", "config", "published", "spaced", "%",
           "published", "contig", "%", "ms");
  for (guint i = 1; lines[i] != NULL; i++)
    {
      g_auto (GStrv) cells = g_strsplit (lines[i], "\t", -1);
      g_autoptr (GError) failure = NULL;
      AssayCycles cycles = { 0 };
      guint clock_mhz = 0;
      gint64 microseconds = 0;
      gboolean fits;

      if (g_strv_length (cells) < 6)
        continue;

      fits = run_row (cells, cells[3], folder, &cycles, &clock_mhz, &microseconds, &failure);
      g_print ("%-12s %-40s %-14s %9s ", cells[0], cells[1], cells[3], cells[4]);

      if (!fits || g_str_equal (cells[4], "does_not_fit"))
        {
          gboolean right = !fits && g_str_equal (cells[4], "does_not_fit") &&
                           g_error_matches (failure, ASSAY_ERROR, ASSAY_ERROR_ALLOCATION);

          wrong += !right;
          g_print ("%s%s\n", right ? "right: " : "WRONG: ", fits ? "it fits" : failure->message);
        }
      else
        {
          double spaced = percent (cycles.spaced, atof (cells[4]));
          double contiguous = percent (cycles.contiguous, atof (cells[5]));
          gboolean stateful = g_str_equal (cells[0], "cnn") || g_str_equal (cells[0], "tcn") ||
            g_str_equal (cells[0], "lstm");

          g_print ("%7u %6.1f %11s %7u %6.1f %8.1f\n", cycles.spaced, spaced, cells[5], cycles.contiguous, contiguous,
                   (double) microseconds / 1000);
          for (guint all = 0; all < 2; all++)
            {
              Errors *errors = errors_for (families, all ? "all" : cells[0]);

              g_array_append_val (errors->spaced, spaced);
              if (stateful)
                g_array_append_val (errors->contiguous, contiguous);
            }
        }
    }

  g_print ("\nAbsolute errors\n");
  {
    g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (families), (GCompareFunc) strcmp);

    for (GList *l = names; l != NULL; l = l->next)
      {
        Errors *errors = g_hash_table_lookup (families, l->data);

        summarize (l->data, "spaced", errors->spaced);
        summarize (l->data, "contiguous", errors->contiguous);
      }
  }

  return wrong;
}

typedef struct
{
  char **cells;
  double compute; /* microseconds */
  double published;
} Latency;

/* The constant of a card: the median of what the published latencies have more than the computation. */
static double
fit_constant (const GArray *rows,
              const char   *card)
{
  g_autoptr (GArray) rests = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint i = 0; i < rows->len; i++)
    {
      const Latency *row = &g_array_index (rows, Latency, i);
      double rest = row->published - row->compute;

      if (g_str_equal (row->cells[2], card))
        g_array_append_val (rests, rest);
    }
  g_array_sort (rests, compare);

  return (g_array_index (rests, double, (rests->len - 1) / 2) + g_array_index (rests, double, rests->len / 2)) / 2;
}

static int
latency_table (char       **lines,
               const char  *folder)
{
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (Latency));
  g_autoptr (GPtrArray) all_cells = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  Errors errors = { g_array_new (FALSE, FALSE, sizeof (double)), NULL };
  g_autoptr (GList) cards = NULL;
  int wrong = 0;

  for (guint i = 1; lines[i] != NULL; i++)
    {
      g_autoptr (GError) failure = NULL;
      AssayCycles cycles = { 0 };
      Latency row = { 0 };
      guint clock_mhz = 0;
      gint64 microseconds;

      row.cells = g_strsplit (lines[i], "\t", -1);
      g_ptr_array_add (all_cells, row.cells);
      if (g_strv_length (row.cells) < 4)
        continue;
      if (!run_row (row.cells, row.cells[2], folder, &cycles, &clock_mhz, &microseconds, &failure))
        {
          g_print ("WRONG: %s, %s: %s\n", row.cells[0], row.cells[2], failure->message);
          wrong++;
          continue;
        }
      row.compute = (double) cycles.spaced / clock_mhz;
      row.published = atof (row.cells[3]);
      g_array_append_val (rows, row);
    }

  g_print ("%-16s %-16s %-14s %9s %9s %9s %6s\n", "model", "shape", "config", "published", "compute", "predicted", "%");
  for (guint i = 0; i < rows->len; i++)
    {
      const Latency *row = &g_array_index (rows, Latency, i);
      double predicted = row->compute + fit_constant (rows, row->cells[2]);
      double off = 100 * fabs (predicted - row->published) / row->published;

      g_print ("%-16s %-16s %-14s %9.1f %9.2f %9.2f %6.1f\n", row->cells[0], row->cells[1], row->cells[2],
               row->published,
               row->compute, predicted, off);
      g_array_append_val (errors.spaced, off);
      if (!g_list_find_custom (cards, row->cells[2], (GCompareFunc) strcmp))
        cards = g_list_append (cards, row->cells[2]);
    }
  for (GList *l = cards; l != NULL; l = l->next)
    g_print ("  %s: constant %.2f us, fitted\n", (char *) l->data, fit_constant (rows, l->data));
  summarize ("all", "latency", errors.spaced);
  g_array_unref (errors.spaced);

  return wrong;
}

int
main (int    argc,
      char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-cycles-XXXXXX", NULL);
  g_autofree char *model = g_build_filename (folder, "model.onnx", NULL);
  int wrong = 0;

  if (argc < 2)
    {
      g_printerr ("usage: bench-cycles TABLE.tsv...\n");
      return 2;
    }

  for (int i = 1; i < argc; i++)
    {
      g_autofree char *text = NULL;
      g_auto (GStrv) lines = NULL;
      g_autoptr (GError) error = NULL;

      if (!g_file_get_contents (argv[i], &text, NULL, &error))
        {
          g_printerr ("%s\n", error->message);
          return 2;
        }
      lines = g_strsplit (text, "\n", -1);
      if (g_str_has_prefix (text, "model\tshape\t"))
        wrong += latency_table (lines, folder);
      else
        wrong += cycle_table (lines, folder);
    }

  g_unlink (model);
  g_rmdir (folder);

  return wrong > 0;
}
