/* bench-refine.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * How long it takes from a graph to its first picture, and from that to the one refined by dot.
 */
#include <glib.h>
#include <stdlib.h>

#include "layout/assay-refine.h"
#include "tests/scene/assay-scene-models.h"

static double
milliseconds_since (gint64 begin)
{
  return (double) (g_get_monotonic_time () - begin) / 1000;
}

static void
run (const char    *name,
     AssayVerdicts *verdicts,
     gboolean       scopes)
{
  g_autoptr (AssayRefiner) refiner = assay_refiner_new (NULL);
  g_auto (AssayRefineReport) report = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayScopeTree) tree = NULL;
  g_autoptr (AssayView) view = NULL;
  g_autoptr (AssayView) refined = NULL;
  double first, later;
  gint64 begin;

  for (AssayNodeId i = 1; !scopes && i < assay_graph_n_nodes (verdicts->graph); i++)
    assay_graph_node (verdicts->graph, i)->scope = 0;

  begin = g_get_monotonic_time ();
  tree = assay_scope_tree_new (verdicts->graph);
  view = assay_view_new (verdicts, tree, &(AssayViewOptions) { 0 });
  first = milliseconds_since (begin);
  begin = g_get_monotonic_time ();
  refined = assay_refiner_refine (refiner, view, NULL, &report, &error);
  later = milliseconds_since (begin);
  g_print ("%s: %u boxes, first picture %.0f ms, refined after %.0f ms more; %u blocks (%u forced, %u chains), %u laid out, "
           "%u equal, %u taken, %u crossed, %u failed; crossings %" G_GUINT64_FORMAT " -> %" G_GUINT64_FORMAT
           ", width %.0f -> %.0f%s%s\n",
           name, view->boxes->len, first, later, report.n_blocks, report.n_forced, report.n_chains, report.n_sent,
           report.n_equal, report.n_taken, report.n_crossed, report.n_failed, view->crossings,
           refined != NULL ? refined->crossings : view->crossings, view->width,
           refined != NULL ? refined->width : view->width, report.trouble != NULL ? "; " : "",
           report.trouble != NULL ? report.trouble : "");
  assay_verdicts_unref (verdicts);
}

int
main (int    argc,
      char **argv)
{
  guint n = argc > 1 ? (guint) strtoul (argv[1], NULL, 10) : 10000;

  for (guint scopes = 0; scopes < 2; scopes++)
    {
      run ("residual", assay_scene_residual (n), scopes);
      run ("transformer", assay_scene_transformer (n / 20, FALSE), scopes);
      run ("transformer with mask", assay_scene_transformer (n / 20, TRUE), scopes);
      run ("unet", assay_scene_unet (n / 5), scopes);
      run ("random", assay_scene_random (n, n * 8 / 5, 1), scopes);
    }

  return 0;
}
