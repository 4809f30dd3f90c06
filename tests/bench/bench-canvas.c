/* bench-canvas.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Frames of a scripted pan and zoom over 50,000 nodes, with and without Colour By: what building
 * and drawing one takes, with cairo. And searches in them: what finding and marking takes. All in
 * processor time.
 */
#include <adwaita.h>
#include <math.h>
#include <stdlib.h>

#include "nnir/assay-graph-builder.h"
#include "session/analysis/assay-outline.h"
#include "session/analysis/assay-query.h"
#include "tests/bench/thread-clock.h"
#include "tests/scene/assay-scene-models.h"
#include "ui/canvas/assay-canvas.h"
#include "tests/core/fixture/wait.h"

#define FRAMES 300

/* What the list of a search shows at once. */
#define FIRST_RESULTS 50u

typedef struct
{
  AssayCanvas *canvas;
  GtkAdjustment *hadjustment;
  GtkAdjustment *vadjustment;
  cairo_surface_t *surface;
  double x;
  double y;
} Bench;

static int
compare (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a;
  double y = *(const double *) b;

  return x < y ? -1 : x > y;
}

static double
one_frame (Bench *bench, double *build)
{
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  gint64 begin = thread_clock_now ();
  gint64 built;
  g_autoptr (GskRenderNode) node = NULL;
  cairo_t *cr;

  GTK_WIDGET_GET_CLASS (bench->canvas)->snapshot (GTK_WIDGET (bench->canvas), snapshot);
  node = gtk_snapshot_free_to_node (snapshot);
  built = thread_clock_now ();
  cr = cairo_create (bench->surface);
  if (node != NULL)
    gsk_render_node_draw (node, cr);
  cairo_destroy (cr);
  cairo_surface_flush (bench->surface);
  *build = (double) (built - begin) / 1000;

  return (double) (thread_clock_now () - begin) / 1000;
}

/* Begins at a node in the middle of the program, where there is much to draw. */
static void
go_to (Bench *bench, guint node)
{
  assay_canvas_set_selection (bench->canvas, node);
  assay_canvas_fit_selection (bench->canvas);
  bench->x = gtk_adjustment_get_value (bench->hadjustment);
  bench->y = gtk_adjustment_get_value (bench->vadjustment);
}

/* A third panning at 100 %, a third zooming out to all and in again, a third jumping and panning at
 * middle sizes. */
static void
move (Bench *bench, guint frame)
{
  if (frame == 0 || frame == 100)
    go_to (bench, 20000);

  if (frame < 100)
    {
      gtk_adjustment_set_value (bench->vadjustment, bench->y + frame * 60.0);
      gtk_adjustment_set_value (bench->hadjustment, bench->x + (frame - 50.0) * 10);
    }
  else if (frame < 200)
    {
      double part = (frame - 100) / 50.0;

      assay_canvas_set_zoom (bench->canvas, pow (50, part < 1 ? -part : part - 2));
    }
  else
    {
      if (frame % 20 == 0)
        {
          go_to (bench, 4000 * (frame - 180) / 20);
          assay_canvas_set_zoom (bench->canvas, 0.08 + 0.12 * ((frame - 200) / 20));
          bench->y = gtk_adjustment_get_value (bench->vadjustment);
        }
      gtk_adjustment_set_value (bench->vadjustment, bench->y + (frame % 20) * 37.0);
    }
}

/* Without scopes nothing is folded. */
static AssayVerdicts *
unfolded (AssayVerdicts *verdicts)
{
  for (AssayNodeId i = 1; i < assay_graph_n_nodes (verdicts->graph); i++)
    assay_graph_edit_node (verdicts->graph, i)->scope = 0;

  return verdicts;
}

static void
report (const char *name, int width, int height, double *total, double *build)
{
  double worst_build = 0;

  for (guint i = 0; i < FRAMES; i++)
    worst_build = MAX (worst_build, build[i]);
  if (g_getenv ("ASSAY_BENCH_FRAMES") != NULL)
    for (guint i = 0; i < FRAMES; i++)
      g_print ("frame %u: %.1f build %.1f\n", i, total[i], build[i]);
  qsort (total, FRAMES, sizeof *total, compare);
  g_print ("canvas %s %dx%d: p50 %.1f ms, p95 %.1f ms, max %.1f ms, longest build %.1f ms\n", name,
           width, height, total[FRAMES / 2], total[FRAMES * 95 / 100], total[FRAMES - 1],
           worst_build);
}

static void
spin (guint milliseconds)
{
  gint64 end = g_get_monotonic_time () + milliseconds * 1000;

  while (g_get_monotonic_time () < end)
    wait_turn (G_MAXINT64, "time", G_STRLOC);
}

/* Finds, lists and marks; then the next frame has to show it. */
static void
search (Bench *bench, AssayVerdicts *verdicts, const char *text)
{
  g_autoptr (AssayOutline) outline = assay_outline_new (verdicts);
  double best = INFINITY;
  double frame = 0;
  guint n = 0;

  for (guint i = 0; i < 5; i++)
    {
      gint64 begin = thread_clock_now ();
      g_autoptr (AssayQuery) query = assay_query_new (text, NULL);
      g_autoptr (GArray) found = assay_query_run (query, verdicts, 0);
      g_autoptr (GListModel) list = assay_outline_list_nodes (outline, found);
      double build;

      n = found->len;
      for (guint k = 0; k < MIN (n, FIRST_RESULTS); k++)
        g_object_unref (g_list_model_get_item (list, k));
      assay_canvas_set_hits (bench->canvas, (const AssayNodeId *) (const void *) found->data, n);
      best = MIN (best, (double) (thread_clock_now () - begin) / 1000);
      frame = MAX (frame, one_frame (bench, &build));
    }
  assay_canvas_set_hits (bench->canvas, NULL, 0);
  g_print ("search %s: %u found, %.1f ms to the first %u in the list and marks, then a frame of at "
           "most %.1f ms\n",
           text, n, best, FIRST_RESULTS, frame);
}

/* A number for every node, so that every body has a colour and a text. */
static AssayOverlay *
make_overlay (const AssayVerdicts *verdicts)
{
  guint n = assay_graph_n_nodes (verdicts->graph);
  g_autofree double *values = g_new (double, n);

  for (guint i = 0; i < n; i++)
    values[i] = 1 + i * 7919 % 9973;

  return assay_overlay_new_values ("Cycles", "cycles", values, n);
}

static void
run_frames (Bench *bench, const char *name)
{
  double total[FRAMES], build[FRAMES];

  for (guint i = 0; i < FRAMES; i++)
    {
      move (bench, i);
      total[i] = one_frame (bench, &build[i]);
    }
  report (name, gtk_widget_get_width (GTK_WIDGET (bench->canvas)),
          gtk_widget_get_height (GTK_WIDGET (bench->canvas)), total, build);
}

static void
run (const char *name, AssayVerdicts *verdicts, int width, int height)
{
  GtkWidget *window = gtk_window_new ();
  GtkWidget *scrolled = gtk_scrolled_window_new ();
  GtkWidget *canvas = assay_canvas_new ();
  static const char *const texts[] = {
    "softmax", "layer.1234", "verdict=rejected", "MatMul -> * -> Softmax", "MatMul -> ** -> Add",
  };
  g_autofree char *coloured = g_strdup_printf ("%s, Colour By", name);
  gboolean has_view = FALSE;
  Bench bench = { .canvas = ASSAY_CANVAS (canvas) };
  double folded;
  gint64 deadline = g_get_monotonic_time () + 20 * G_USEC_PER_SEC;

  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), canvas);
  gtk_widget_set_size_request (scrolled, width, height);
  gtk_window_set_child (GTK_WINDOW (window), scrolled);
  gtk_window_set_decorated (GTK_WINDOW (window), FALSE);
  gtk_window_present (GTK_WINDOW (window));
  assay_canvas_set_verdicts (bench.canvas, verdicts);
  while (!has_view && g_get_monotonic_time () < deadline)
    {
      spin (20);
      g_object_get (canvas, "has-view", &has_view, NULL);
    }
  spin (200);

  bench.hadjustment = gtk_scrollable_get_hadjustment (GTK_SCROLLABLE (canvas));
  bench.vadjustment = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (canvas));
  /* All nodes have to be boxes; the picture of them is made in a thread and takes the place of the
   * folded one. */
  folded = gtk_adjustment_get_upper (bench.vadjustment);
  gtk_widget_activate_action (canvas, "graph.unfold-all", NULL);
  while (gtk_adjustment_get_upper (bench.vadjustment) < 4 * folded)
    g_main_context_iteration (NULL, TRUE);
  bench.surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, gtk_widget_get_width (canvas),
                                              gtk_widget_get_height (canvas));
  run_frames (&bench, name);
  assay_canvas_set_overlay (bench.canvas, make_overlay (verdicts));
  run_frames (&bench, coloured);
  assay_canvas_set_overlay (bench.canvas, NULL);
  for (guint i = 0; width == 1280 && i < G_N_ELEMENTS (texts); i++)
    search (&bench, verdicts, texts[i]);

  cairo_surface_destroy (bench.surface);
  gtk_window_destroy (GTK_WINDOW (window));
}

int
main (int argc, char **argv)
{
  static const struct
  {
    int width;
    int height;
  } sizes[] = { { 1280, 800 }, { 1920, 1080 } };
  g_autoptr (AssayVerdicts) residual = unfolded (assay_scene_residual (50000));
  g_autoptr (AssayVerdicts) random = unfolded (assay_scene_random (50000, 80000, 1));
  g_autoptr (AssayVerdicts) transformer = unfolded (assay_scene_transformer (2500, TRUE));

  g_setenv ("GSK_RENDERER", "cairo", TRUE);
  if (!gtk_init_check ())
    {
      g_print ("canvas: no display, not measured; xvfb-run gives one\n");
      return 0;
    }
  adw_init ();
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      run ("residual chain", residual, sizes[i].width, sizes[i].height);
      run ("transformer", transformer, sizes[i].width, sizes[i].height);
      run ("random", random, sizes[i].width, sizes[i].height);
    }

  return 0;
}
