/* test-layout.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What every layout has to keep, on graphs of several kinds.
 */
#include <glib.h>
#include <math.h>

#include "layout/assay-repeats.h"
#include "layout/assay-view.h"
#include "nnir/assay-graph-builder.h"
#include "session/analysis/assay-outline.h"
#include "tests/core/fixture/wait.h"
#include "tests/scene/assay-layout-checks.h"
#include "tests/scene/assay-layout-families.h"
#include "tests/scene/assay-scene-models.h"

#include "test-program.h"

static void
check_all (AssayVerdicts *verdicts, gboolean folded)
{
  g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (verdicts->graph);
  g_autofree guint8 *open = folded ? assay_scope_tree_choose (tree, verdicts->graph, 0, 60) : NULL;
  g_autoptr (AssayView) view = assay_view_new (verdicts, tree, &(AssayViewOptions){ .open = open });

  g_test_message ("%u boxes, %u frames, %u edges, %u stubs, %" G_GUINT64_FORMAT " crossings",
                  view->boxes->len, view->frames->len, view->edges->len, view->stubs->len,
                  view->crossings);
  assay_layout_check (view);
  for (AssayNodeId i = 1; i < assay_graph_n_nodes (verdicts->graph); i++)
    {
      guint32 box = assay_view_find_node (view, i);

      g_assert_cmpuint (box, <, view->boxes->len);
      g_assert_cmpuint (assay_view_hit (view, assay_view_box (view, box)->x + 3,
                                        assay_view_box (view, box)->y + 3),
                        ==, box);
    }

  assay_verdicts_unref (verdicts);
}

static void
test_residual (void)
{
  check_all (assay_scene_residual (500), FALSE);
}

static void
test_transformer (void)
{
  check_all (assay_scene_transformer (12, FALSE), FALSE);
  check_all (assay_scene_transformer (12, TRUE), FALSE);
}

static void
test_unet (void)
{
  check_all (assay_scene_unet (8), FALSE);
}

static void
test_random (void)
{
  for (guint32 seed = 1; seed <= 6; seed++)
    check_all (assay_scene_random (300, 480 + 200 * seed, seed), FALSE);
}

static void
test_folded (void)
{
  check_all (assay_scene_transformer (40, TRUE), TRUE);
  check_all (assay_scene_residual (400), TRUE);
}

/* A scope that is left and entered again makes a way back up; ranks still go one way. */
static void
test_folded_cycle (void)
{
  AssayGraph *graph = assay_graph_new ();
  AssayValueId x = assay_graph_add_input (graph, ASSAY_MAIN_REGION, "x", NULL);
  static const char *const scopes[] = { "a", "b", "a", "b", "a", "c", "c" };

  for (guint i = 0; i < G_N_ELEMENTS (scopes); i++)
    {
      g_autofree char *name = g_strdup_printf ("%s/node%u", scopes[i], i);
      AssayValueId y = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, name,
                                              NULL);
      AssayNodeId node = assay_graph_add_node (graph, ASSAY_MAIN_REGION, ASSAY_OP_Relu, name, 1, &x,
                                               1, &y);
      guint32 scope = assay_graph_add_scope (graph, scopes[i]);

      assay_graph_edit_node (graph, node)->scope = scope;
      x = y;
    }
  assay_graph_add_output (graph, ASSAY_MAIN_REGION, x);

  {
    g_autoptr (AssayVerdicts) verdicts = assay_scene_verdicts (graph);
    g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (graph);
    g_autofree guint8 *open = g_new0 (guint8, tree->scopes->len);
    g_autoptr (AssayView)
        view = assay_view_new (verdicts, tree, &(AssayViewOptions){ .open = open });
    guint reversed = 0;

    g_assert_cmpuint (view->boxes->len, ==, 5);
    for (guint i = 0; i < view->nets->len; i++)
      reversed += (assay_view_net (view, i)->flags & ASSAY_NET_REVERSED) != 0 ? 1 : 0;
    g_assert_cmpuint (reversed, ==, 1);
    assay_layout_check (view);
  }
}

/* A chain is a straight line. */
static void
test_straight (void)
{
  g_autoptr (AssayVerdicts) verdicts = assay_scene_verdict_row ();
  g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (verdicts->graph);
  g_autoptr (AssayView) view = assay_view_new (verdicts, tree, &(AssayViewOptions){ 0 });

  for (guint i = 0; i < view->segments->len; i++)
    {
      const AssayViewSegment *segment = &g_array_index (view->segments, AssayViewSegment, i);

      g_assert_cmpfloat (segment->x1, ==, 56);
      g_assert_cmpfloat (segment->x2, ==, 56);
    }
}

/* A value with many readers is a pill at each of them, not a bundle of lines. */
static void
test_many_readers (void)
{
  g_autoptr (AssayVerdicts) verdicts = assay_scene_transformer (12, TRUE);
  g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (verdicts->graph);
  g_autoptr (AssayView) view = assay_view_new (verdicts, tree, &(AssayViewOptions){ 0 });

  g_assert_cmpuint (view->stubs->len, ==, 13);
  g_assert_cmpuint (g_array_index (view->stubs, AssayViewStub, 0).count, ==, 12);
}

/* A chain of a number of nodes whose input is read again by some later ones. */
static AssayVerdicts *
make_chain (guint n_nodes, guint n_readers, const guint *readers)
{
  AssayGraph *graph = assay_graph_new ();
  AssayValueId first = assay_graph_add_input (graph, ASSAY_MAIN_REGION, "x", NULL);
  AssayValueId values[2] = { first, first };

  for (guint i = 0; i < n_nodes; i++)
    {
      g_autofree char *name = g_strdup_printf ("node%u", i);
      AssayValueId result = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT,
                                                   name, NULL);
      gboolean reads = FALSE;

      for (guint k = 0; k < n_readers; k++)
        reads = reads || readers[k] == i;
      assay_graph_add_node (graph, ASSAY_MAIN_REGION, reads ? ASSAY_OP_Add : ASSAY_OP_Relu, name,
                            reads ? 2 : 1, values, 1, &result);
      values[0] = result;
      if (i == 0)
        values[1] = result;
    }
  assay_graph_add_output (graph, ASSAY_MAIN_REGION, values[0]);

  return assay_scene_verdicts (graph);
}

/* Over eight readers, or over 300 places from the value in a picture of 600 boxes and more, or over
 * 1,000 in a smaller one, which has no such places: these are the limits, and what is just within
 * them is lines. */
static void
test_stub_limits (void)
{
  static const guint many[] = { 3, 5, 7, 9, 11, 13, 15, 17 };
  static const struct
  {
    guint n_nodes;
    guint n_readers;
    guint reader; /* in place of many */
    guint n_stubs;
  } cases[] = {
    { 30, 7, 0, 0 },    { 30, 8, 0, 9 + 1 }, { 700, 1, 300, 0 },
    { 700, 1, 301, 2 }, { 590, 1, 589, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AssayVerdicts) verdicts = make_chain (
          cases[i].n_nodes, cases[i].n_readers, cases[i].reader != 0 ? &cases[i].reader : many);
      g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (verdicts->graph);
      g_autoptr (AssayView) view = assay_view_new (verdicts, tree, &(AssayViewOptions){ 0 });
      guint n = 0;

      /* Pills that found no room are told by others. */
      for (guint k = 0; k < view->stubs->len; k++)
        n += 1 + g_array_index (view->stubs, AssayViewStub, k).more;
      g_assert_cmpuint (n, ==, cases[i].n_stubs);
    }
}

static void
test_nothing (void)
{
  g_autoptr (AssayVerdicts) verdicts = assay_scene_verdicts (assay_graph_new ());
  g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (verdicts->graph);
  g_autoptr (AssayView) view = assay_view_new (verdicts, tree, &(AssayViewOptions){ 0 });

  g_assert_cmpuint (view->boxes->len, ==, 0);
  g_assert_cmpuint (assay_view_hit (view, 0, 0), ==, ASSAY_NO_BOX);
  g_assert_cmpuint (assay_view_nearest (view, 0, 0), ==, ASSAY_NO_BOX);
  g_assert_cmpuint (assay_view_count (view, 0, 0, 100, 100), ==, 0);
}

static double
time_of (AssayVerdicts *verdicts)
{
  double best = INFINITY;

  for (guint i = 0; i < 3; i++)
    {
      gint64 begin = wait_work ();
      g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (verdicts->graph);
      g_autoptr (AssayView) view = assay_view_new (verdicts, tree, &(AssayViewOptions){ 0 });

      best = MIN (best, (double) (wait_work () - begin) / 1000);
      g_assert_cmpuint (view->boxes->len, >, 0);
    }
  assay_verdicts_unref (verdicts);

  return best;
}

/* Processor time grows with the size, not faster, for graphs of long edges too. */
static void
test_linear (void)
{
  static const char *const names[] = { "residual", "transformer", "random" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      double small = time_of (i == 0   ? assay_scene_residual (10000)
                              : i == 1 ? assay_scene_transformer (500, TRUE)
                                       : assay_scene_random (10000, 16000, 1));
      double large = time_of (i == 0   ? assay_scene_residual (50000)
                              : i == 1 ? assay_scene_transformer (2500, TRUE)
                                       : assay_scene_random (50000, 80000, 1));

      g_test_message ("%s: 10,000 nodes %.0f ms, 50,000 nodes %.0f ms", names[i], small, large);
      g_assert_cmpfloat (large, <, 5 * 3 * small + 100);
      g_assert_cmpfloat (large, <, 4000);
    }
}

/* Every pill is found where it is drawn, and leads to the other side of its value. */
static void
test_stub_ends (void)
{
  g_autoptr (AssayVerdicts) verdicts = assay_scene_transformer (12, TRUE);
  g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (verdicts->graph);
  g_autoptr (AssayView) view = assay_view_new (verdicts, tree, &(AssayViewOptions){ 0 });

  g_assert_cmpuint (view->stubs->len, >, 8);
  for (guint32 i = 0; i < view->stubs->len; i++)
    {
      const AssayViewStub *stub = &g_array_index (view->stubs, AssayViewStub, i);
      guint32 end = assay_view_stub_end (view, i);

      g_assert_cmpuint (assay_view_hit_stub (view, stub->x + 2, stub->y + 2), ==, i);
      g_assert_cmpuint (assay_view_hit_stub (view, stub->x - 2, stub->y + 2), !=, i);
      g_assert_cmpuint (end, !=, ASSAY_NO_BOX);
      g_assert_cmpuint (end, !=, stub->box);
    }
}

/* Layers of a transformer that are alike look alike: boxes, lines and pills stand the same below
 * the first box. */
static void
test_equal_blocks (void)
{
  for (guint mask = 0; mask < 2; mask++)
    {
      g_autoptr (AssayVerdicts) verdicts = assay_scene_transformer (12, mask == 1);
      g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (verdicts->graph);
      g_autoptr (AssayView) view = assay_view_new (verdicts, tree, &(AssayViewOptions){ 0 });
      guint per_layer = (assay_graph_n_nodes (verdicts->graph) - 1) / 12;
      guint first = assay_view_find_node (view, 1);

      g_assert_cmpuint (assay_graph_n_nodes (verdicts->graph), ==, 12 * per_layer + 1);
      /* The first layer has the inputs beside it, the last one the output. */
      for (guint layer = 2; layer < 11; layer++)
        for (guint i = 0; i < per_layer; i++)
          {
            const AssayViewBox *base = assay_view_box (view, first + per_layer);
            const AssayViewBox *box = assay_view_box (view, first + per_layer + i);
            const AssayViewBox *other_base = assay_view_box (view, first + layer * per_layer);
            const AssayViewBox *other = assay_view_box (view, first + layer * per_layer + i);

            g_assert_cmpfloat (other->x - other_base->x, ==, box->x - base->x);
            g_assert_cmpfloat (other->y - other_base->y, ==, box->y - base->y);
            g_assert_cmpuint (other->n_stubs, ==, box->n_stubs);
            for (guint k = 0; k < box->n_nets; k++)
              {
                const AssayViewNet *net = assay_view_net (view, box->first_net + k);
                const AssayViewNet *same = assay_view_net (view, other->first_net + k);

                g_assert_cmpuint (same->n_edges, ==, net->n_edges);
                g_assert_cmpuint (same->n_lanes, ==, net->n_lanes);
                g_assert_cmpfloat (same->port_x - other->x, ==, net->port_x - box->x);
                for (guint lane = 0; lane < net->n_lanes; lane++)
                  g_assert_cmpfloat (
                      g_array_index (view->lane_x, double, same->first_lane + lane) - other->x, ==,
                      g_array_index (view->lane_x, double, net->first_lane + lane) - box->x);
              }
          }
    }
}

/* Adds up the nodes below a scope of an outline; no list is longer than a picture is large. */
static guint
walk_outline (AssayOutline *outline, guint scope, guint *n_made)
{
  g_autoptr (GListModel) list = assay_outline_list (outline, scope);
  guint n_nodes = 0;

  g_assert_cmpuint (g_list_model_get_n_items (list), <=, ASSAY_FIRST_BOXES);
  for (guint i = 0; i < g_list_model_get_n_items (list); i++)
    {
      g_autoptr (AssayOutlineItem) item = g_list_model_get_item (list, i);
      guint n = assay_outline_item_is_scope (item)
                    ? walk_outline (outline, assay_outline_item_get_scope (item), n_made)
                    : 1;

      g_assert_cmpuint (assay_outline_item_get_count (item), ==, n);
      *n_made += assay_outline_item_is_made (item);
      n_nodes += n;
    }

  return n_nodes;
}

/* The outline has the groups of the picture, and finds every node in them. */
static void
test_outline (void)
{
  g_autoptr (AssayVerdicts) verdicts = assay_scene_residual (6000);
  g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (verdicts->graph);
  g_autoptr (AssayOutline) outline = assay_outline_new (verdicts);
  guint n_made = 0;

  for (guint32 s = 1; s < tree->scopes->len; s++)
    n_made -= assay_scope_tree_get (tree, s)->is_made;
  g_assert_cmpuint (walk_outline (outline, 0, &n_made), ==,
                    assay_graph_n_nodes (verdicts->graph) - 1);
  g_assert_cmpuint (n_made, ==, 0);

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id += 97)
    {
      g_autoptr (GArray) way = assay_outline_locate (outline, id);
      guint scope = 0;

      for (guint i = 0; i < way->len; i++)
        {
          g_autoptr (GListModel) list = assay_outline_list (outline, scope);
          g_autoptr (AssayOutlineItem)
              item = g_list_model_get_item (list, g_array_index (way, guint, i));

          if (i + 1 < way->len)
            scope = assay_outline_item_get_scope (item);
          else
            g_assert_cmpuint (assay_outline_item_get_node (item), ==, id);
        }
    }
}

/* What repeats becomes equal parts; what does not is cut evenly; never more parts than asked for.
 */
static void
test_repeats (void)
{
  const guint32 block[] = { 7, 3, 3, 9, 4, 1 };
  guint32 symbols[6 * 20 + 1];
  g_autoptr (GArray) ends = NULL;
  g_autoptr (GArray) plain = NULL;

  symbols[0] = 99;
  for (guint i = 1; i < G_N_ELEMENTS (symbols); i++)
    symbols[i] = block[(i - 1) % 6];
  ends = assay_find_repeats (symbols, G_N_ELEMENTS (symbols), 21);
  g_assert_cmpuint (ends->len, ==, 21);
  for (guint i = 0; i < ends->len; i++)
    g_assert_cmpuint (g_array_index (ends, guint32, i), ==, 1 + 6 * i);

  for (guint i = 0; i < G_N_ELEMENTS (symbols); i++)
    symbols[i] = i;
  plain = assay_find_repeats (symbols, G_N_ELEMENTS (symbols), 40);
  g_assert_cmpuint (plain->len, <=, 40);
  g_assert_cmpuint (g_array_index (plain, guint32, plain->len - 1), ==, G_N_ELEMENTS (symbols));
}

TEST_PROGRAM (layout)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/layout/stubs/ends", test_stub_ends);
  g_test_add_func ("/layout/stubs/limits", test_stub_limits);
  g_test_add_func ("/layout/scopes/repeats", test_repeats);
  g_test_add_func ("/layout/scopes/outline", test_outline);
  g_test_add_func ("/layout/stable/equal-blocks", test_equal_blocks);
  g_test_add_func ("/layout/view/residual", test_residual);
  g_test_add_func ("/layout/view/transformer", test_transformer);
  g_test_add_func ("/layout/view/unet", test_unet);
  g_test_add_func ("/layout/view/random", test_random);
  g_test_add_func ("/layout/view/folded", test_folded);
  g_test_add_func ("/layout/view/folded-cycle", test_folded_cycle);
  g_test_add_func ("/layout/view/straight", test_straight);
  g_test_add_func ("/layout/view/many-readers", test_many_readers);
  g_test_add_func ("/layout/view/nothing", test_nothing);
  g_test_add_func ("/layout/view/linear", test_linear);

  return g_test_run ();
}
