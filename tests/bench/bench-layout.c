/* bench-layout.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * How long pictures of generated graphs take and how many crossings they have, beside dot:
 * bench-layout quality [NODES [SECONDS]] | speed | fold | random | export FAMILY NODES
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "layout/assay-refine.h"
#include "layout/assay-view.h"
#include "tests/scene/assay-dot-peer.h"
#include "tests/scene/assay-layout-crossings.h"
#include "tests/scene/assay-layout-families.h"
#include "tests/scene/assay-scene-models.h"

/* How a graph is shown. */
typedef enum
{
  LOOK_FLAT,
  LOOK_FRAMES,
  LOOK_FOLDED,
  N_LOOKS,
} Look;

static const char *const look_names[N_LOOKS] = { "flat", "frames", "folded" };

static AssayScopeTree *
make_tree (const AssayVerdicts *verdicts, Look look)
{
  AssayScopeTree *tree = assay_scope_tree_new (verdicts->graph);

  /* Without scopes and without parts. */
  if (look == LOOK_FLAT)
    {
      memset (tree->of_graph, 0, verdicts->graph->scopes->len * sizeof *tree->of_graph);
      g_clear_pointer (&tree->of_node, g_free);
    }

  return tree;
}

static AssayView *
make_view (const AssayVerdicts *verdicts, const AssayScopeTree *tree, Look look)
{
  g_autofree guint8 *open = NULL;

  if (look == LOOK_FOLDED)
    open = assay_scope_tree_choose (tree, verdicts->graph, ASSAY_MAIN_REGION, ASSAY_FIRST_BOXES);

  return assay_view_new (verdicts, tree, &(AssayViewOptions){ .open = open });
}

static void
quality_of (AssayFamily family, guint n_nodes, guint32 seed, Look look, guint limit)
{
  g_autoptr (AssayVerdicts) verdicts = assay_family_new (family, n_nodes, seed);
  g_autoptr (AssayScopeTree) tree = make_tree (verdicts, look);
  g_autoptr (AssayView) view = make_view (verdicts, tree, look);
  g_autoptr (GArray) pieces = g_array_new (FALSE, FALSE, sizeof (AssayPiece));
  g_autoptr (GArray) ink = g_array_new (FALSE, FALSE, sizeof (AssayPiece));
  AssayDotResult dot = { .seconds = -1 };
  guint64 ours;

  for (guint32 i = 0; i < view->segments->len; i++)
    {
      const AssayViewSegment *segment = &g_array_index (view->segments, AssayViewSegment, i);
      AssayPiece piece = { segment->x1, segment->y1, segment->x2, segment->y2, segment->net };

      g_array_append_val (ink, piece);
    }

  assay_list_pieces (view, pieces);
  ours = assay_count_crossings (pieces);
  assay_dot_run (view, look == LOOK_FRAMES, limit, &dot);

  printf ("%-28s %6u %4u %-7s %6u %6u", assay_family_name (family), n_nodes, seed, look_names[look],
          view->boxes->len, view->edges->len);
  printf (" %8" G_GUINT64_FORMAT " %8" G_GUINT64_FORMAT " %8" G_GUINT64_FORMAT " %5u %5u",
          view->crossings, assay_count_crossings (ink), ours, assay_count_overlaps (view),
          assay_count_intruders (view));
  if (dot.seconds < 0)
    printf ("  dot: more than %u s\n", limit);
  else
    printf (" %8" G_GUINT64_FORMAT " %8" G_GUINT64_FORMAT " %6.2f %7.1f %s\n", dot.counted,
            dot.crossings,
            dot.crossings > 0 ? (double) ours / (double) dot.crossings
            : ours > 0        ? INFINITY
                              : 1,
            dot.seconds, (double) ours <= 1.2 * (double) dot.crossings ? "" : "WORSE");
  fflush (stdout);
}

static void
quality (guint most, guint limit)
{
  static const guint sizes[] = { 100, 300, 1000, 2000 };

  printf ("%-28s %6s %4s %-7s %6s %6s %8s %8s %8s %5s %5s %8s %8s %6s %7s\n", "family", "nodes",
          "seed", "look", "boxes", "edges", "ranks", "ink", "drawn", "twice", "alien", "dot says",
          "dot draws", "ratio", "dot, s");
  for (AssayFamily family = 0; family < ASSAY_N_FAMILIES; family++)
    for (guint s = 0; s < G_N_ELEMENTS (sizes) && sizes[s] <= most; s++)
      for (Look look = 0; look < N_LOOKS; look++)
        for (guint32 seed = 1; seed <= 2; seed++)
          quality_of (family, sizes[s], seed, look, limit);
}

/* Processor time in milliseconds: on a busy machine that is what repeats. */
static double
time_of (AssayFamily family, guint n_nodes, Look look)
{
  g_autoptr (AssayVerdicts) verdicts = assay_family_new (family, n_nodes, 1);
  double best = INFINITY;

  for (guint i = 0; i < 5; i++)
    {
      clock_t begin = clock ();
      g_autoptr (AssayScopeTree) tree = make_tree (verdicts, look);
      g_autoptr (AssayView) view = make_view (verdicts, tree, look);

      best = MIN (best, (double) (clock () - begin) * 1000 / CLOCKS_PER_SEC);
    }

  return best;
}

static void
speed (void)
{
  static const guint sizes[] = { 10000, 50000 };

  for (AssayFamily family = 0; family < ASSAY_N_FAMILIES; family++)
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
      {
        printf ("%u\t%s\t%u", family, assay_family_name (family), sizes[s]);
        for (Look look = 0; look < N_LOOKS; look++)
          printf ("\t%.1f", time_of (family, sizes[s], look));
        printf ("\n");
        fflush (stdout);
      }
}

static guint64
drawn_crossings (const AssayView *view)
{
  g_autoptr (GArray) pieces = g_array_new (FALSE, FALSE, sizeof (AssayPiece));

  assay_list_pieces (view, pieces);

  return assay_count_crossings (pieces);
}

/* Opens or folds a scope of what is shown; milliseconds of processor time. */
static double
fold_one (const AssayVerdicts *verdicts, const AssayScopeTree *tree, guint8 *open, guint32 scope,
          AssayView **view)
{
  clock_t begin = clock ();
  AssayView *next;

  open[scope] = !open[scope];
  next = assay_view_new (verdicts, tree, &(AssayViewOptions){ .open = open, .before = *view });
  assay_view_free (*view);
  *view = next;

  return (double) (clock () - begin) * 1000 / CLOCKS_PER_SEC;
}

/* The worst of some folds of what is open, and of some openings of what is folded; and what a graph
 * looks like after many of both, beside the picture that is made anew and beside dot. */
static void
fold (void)
{
  static const guint sizes[] = { 300, 50000 };

  printf ("%-28s %6s %8s %8s %10s %8s %8s %8s\n", "family", "nodes", "fold, ms", "open, ms",
          "crossings", "anew", "dot", "fresh");
  for (AssayFamily family = 0; family < ASSAY_N_FAMILIES; family++)
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
      {
        g_autoptr (AssayVerdicts) verdicts = assay_family_new (family, sizes[s], 1);
        g_autoptr (AssayScopeTree) tree = make_tree (verdicts, LOOK_FRAMES);
        g_autofree guint8 *open = g_malloc (tree->scopes->len);
        g_autoptr (GRand) random = g_rand_new_with_seed (1);
        AssayDotResult dot = { .seconds = -1 };
        guint64 sum[3] = { 0 };
        double most[2] = { 0, 0 };
        guint n_fresh = 0;
        AssayView *view;

        memset (open, TRUE, tree->scopes->len);
        view = assay_view_new (verdicts, tree, &(AssayViewOptions){ .open = open });
        for (guint i = 0; i < 20; i++)
          {
            guint32 scope = (guint32) g_rand_int_range (random, 1, (gint32) tree->scopes->len);
            double ms = fold_one (verdicts, tree, open, scope, &view);

            most[open[scope]] = MAX (most[open[scope]], ms);
            /* The other way too, without going back to what is remembered. */
            scope = (guint32) g_rand_int_range (random, 1, (gint32) tree->scopes->len);
            ms = fold_one (verdicts, tree, open, scope, &view);
            most[open[scope]] = MAX (most[open[scope]], ms);
            n_fresh += view->is_kept ? 0 : 1;
            if (sizes[s] > 1000)
              continue;
            {
              g_autoptr (AssayView)
                  anew = assay_view_new (verdicts, tree, &(AssayViewOptions){ .open = open });

              assay_dot_run (view, TRUE, 30, &dot);
              sum[0] += drawn_crossings (view);
              sum[1] += drawn_crossings (anew);
              sum[2] += dot.crossings;
            }
          }
        printf ("%-28s %6u %8.1f %8.1f %10" G_GUINT64_FORMAT " %8" G_GUINT64_FORMAT
                " %8" G_GUINT64_FORMAT " %8u\n",
                assay_family_name (family), sizes[s], most[0], most[1], sum[0], sum[1], sum[2],
                n_fresh);
        fflush (stdout);
        assay_view_free (view);
      }
}

/* Random graphs, which have nothing that a layout could find: crossings of the first picture, of
 * the refined one and of dot. */
static void
random_graphs (void)
{
  static const guint sizes[] = { 50, 100, 200, 400 };
  static const double densities[] = { 1.2, 1.6, 2.0 };

  printf ("%6s %6s %8s %8s %8s %7s %7s\n", "nodes", "edges", "first", "refined", "dot", "first",
          "refined");
  for (guint d = 0; d < G_N_ELEMENTS (densities); d++)
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
      {
        guint64 sum[3] = { 0 };

        for (guint32 seed = 1; seed <= 3; seed++)
          {
            g_autoptr (AssayVerdicts)
                verdicts = assay_scene_random (sizes[s], (guint) (sizes[s] * densities[d]), seed);
            g_autoptr (AssayScopeTree) tree = make_tree (verdicts, LOOK_FLAT);
            g_autoptr (AssayView) view = make_view (verdicts, tree, LOOK_FLAT);
            g_autoptr (AssayRefiner) refiner = assay_refiner_new (NULL);
            g_auto (AssayRefineReport) report = { 0 };
            g_autoptr (AssayView)
                refined = assay_refiner_refine (refiner, view, NULL, &report, NULL);
            AssayDotResult dot = { .seconds = -1 };

            if (!assay_dot_run (view, FALSE, 60, &dot) || dot.seconds < 0)
              continue;
            sum[0] += drawn_crossings (view);
            sum[1] += drawn_crossings (refined != NULL ? refined : view);
            sum[2] += dot.crossings;
          }
        printf ("%6u %6u %8" G_GUINT64_FORMAT " %8" G_GUINT64_FORMAT " %8" G_GUINT64_FORMAT
                " %7.2f %7.2f\n",
                sizes[s], (guint) (sizes[s] * densities[d]), sum[0], sum[1], sum[2],
                (double) sum[0] / (double) sum[2], (double) sum[1] / (double) sum[2]);
        fflush (stdout);
      }
}

/* One line per box with its size and one per edge, for layouters of other languages. */
static void
export_graph (AssayFamily family, guint n_nodes)
{
  g_autoptr (AssayVerdicts) verdicts = assay_family_new (family, n_nodes, 1);
  g_autoptr (AssayScopeTree) tree = make_tree (verdicts, LOOK_FLAT);
  g_autoptr (AssayView) view = make_view (verdicts, tree, LOOK_FLAT);

  for (guint32 i = 0; i < view->boxes->len; i++)
    printf ("n %g %g\n", assay_view_box (view, i)->width, assay_view_box (view, i)->height);
  for (guint32 e = 0; e < view->edges->len; e++)
    printf ("e %u %u\n", assay_view_net (view, assay_view_edge (view, e)->net)->source,
            assay_view_edge (view, e)->target);
}

int
main (int argc, char **argv)
{
  if (argc >= 2 && strcmp (argv[1], "quality") == 0)
    quality (argc > 2 ? (guint) strtoul (argv[2], NULL, 10) : 2000,
             argc > 3 ? (guint) strtoul (argv[3], NULL, 10) : 30);
  else if (argc == 2 && strcmp (argv[1], "speed") == 0)
    speed ();
  else if (argc == 2 && strcmp (argv[1], "fold") == 0)
    fold ();
  else if (argc == 2 && strcmp (argv[1], "random") == 0)
    random_graphs ();
  else if (argc == 4 && strcmp (argv[1], "export") == 0 &&
           strtoul (argv[2], NULL, 10) < ASSAY_N_FAMILIES)
    export_graph ((AssayFamily) strtoul (argv[2], NULL, 10), (guint) strtoul (argv[3], NULL, 10));
  else
    {
      fprintf (stderr, "usage: bench-layout quality [NODES [SECONDS]] | speed | fold | random | "
                       "export FAMILY NODES\n");
      return EXIT_FAILURE;
    }

  return EXIT_SUCCESS;
}
