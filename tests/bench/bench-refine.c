/* bench-refine.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What it takes from a graph to its first picture, and from that to the one refined by dot:
 * bench-refine [NODES]. Times are milliseconds of processor time.
 */
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "layout/assay-refine.h"
#include "tests/scene/assay-layout-crossings.h"
#include "tests/scene/assay-layout-families.h"

/* Of this process, or of those that it has started and waited for: on a busy machine that is what
 * repeats. */
static double
milliseconds_of (int who)
{
  struct rusage usage;

  getrusage (who, &usage);

  return (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
         (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
}

/* Of the lines as they are drawn, with the turns between ranks. */
static guint64
count_drawn (const AssayView *view)
{
  g_autoptr (GArray) pieces = g_array_new (FALSE, FALSE, sizeof (AssayPiece));

  assay_list_pieces (view, pieces);

  return assay_count_crossings (pieces);
}

static double
length_of (const AssayView *view)
{
  double sum = 0;

  for (guint i = 0; i < view->segments->len; i++)
    {
      const AssayViewSegment *s = &g_array_index (view->segments, AssayViewSegment, i);

      sum += ABS (s->x2 - s->x1);
    }

  return sum;
}

static void
run (AssayFamily family, guint n_nodes, gboolean frames)
{
  g_autoptr (AssayVerdicts) verdicts = assay_family_new (family, n_nodes, 1);
  g_autoptr (AssayRefiner) refiner = assay_refiner_new (NULL);
  g_auto (AssayRefineReport) report = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayScopeTree) tree = NULL;
  g_autoptr (AssayView) view = NULL;
  g_autoptr (AssayView) refined = NULL;
  const AssayView *shown;
  double begin = milliseconds_of (RUSAGE_SELF);
  double dot = milliseconds_of (RUSAGE_CHILDREN);
  double first, later;

  tree = assay_scope_tree_new (verdicts->graph);
  if (!frames)
    {
      memset (tree->of_graph, 0, verdicts->graph->scopes->len * sizeof *tree->of_graph);
      g_clear_pointer (&tree->of_node, g_free);
    }
  view = assay_view_new (verdicts, tree, &(AssayViewOptions){ 0 });
  first = milliseconds_of (RUSAGE_SELF) - begin;
  refined = assay_refiner_refine (refiner, view, NULL, &report, &error);
  later = milliseconds_of (RUSAGE_SELF) - begin - first;
  dot = milliseconds_of (RUSAGE_CHILDREN) - dot;
  shown = refined != NULL ? refined : view;

  g_print ("%-28s %6u %-6s %6u %7.0f %7.0f %7.0f %6u %6u %6u %6u %6u %6u %6u %8" G_GUINT64_FORMAT
           " %8" G_GUINT64_FORMAT " %8" G_GUINT64_FORMAT " %8" G_GUINT64_FORMAT
           " %6.0f %6.0f %9.0f %9.0f %s\n",
           assay_family_name (family), n_nodes, frames ? "frames" : "flat", view->boxes->len, first,
           later, dot, report.n_blocks, report.n_forced, report.n_chains, report.n_sent,
           report.n_taken, report.n_crossed, report.n_failed, view->crossings, shown->crossings,
           count_drawn (view), count_drawn (shown), view->width, shown->width, length_of (view),
           length_of (shown), report.trouble != NULL ? report.trouble : "");
}

int
main (int argc, char **argv)
{
  guint n_nodes = argc > 1 ? (guint) strtoul (argv[1], NULL, 10) : 10000;

  g_print ("%-28s %6s %-6s %6s %7s %7s %7s %6s %6s %6s %6s %6s %6s %6s %17s %17s %13s %19s\n",
           "family", "nodes", "look", "boxes", "first", "later", "dot", "blocks", "forced",
           "chains", "sent", "taken", "worse", "failed", "crossings", "drawn", "width", "sideways");
  for (guint frames = 0; frames < 2; frames++)
    for (guint family = 0; family < ASSAY_N_FAMILIES; family++)
      run ((AssayFamily) family, n_nodes, frames == 1);

  return 0;
}
