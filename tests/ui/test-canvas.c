/* test-canvas.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <adwaita.h>
#include <math.h>

#include "draw/assay-graph-scene.h"
#include "draw/assay-mark.h"
#include "nnir/assay-graph-builder.h"
#include "tests/core/fixture/wait.h"
#include "tests/scene/assay-layout-families.h"
#include "tests/scene/assay-scene-models.h"
#include "ui/canvas/assay-canvas-private.h"
#include "ui/canvas/assay-overview.h"

#include "test-program.h"

typedef struct
{
  GtkWidget *window;
  GtkWidget *scrolled;
  AssayCanvas *canvas;
  AssayVerdicts *verdicts;
} Fixture;

static void
spin_until_view (AssayCanvas *canvas)
{
  gboolean has_view = FALSE;

  wait_until ((g_object_get (canvas, "has-view", &has_view, NULL), has_view));
}

static void
spin_until_refined (AssayCanvas *canvas)
{
  while (canvas->refining != 0)
    g_main_context_iteration (NULL, TRUE);
  if (canvas->tween != NULL)
    adw_animation_skip (canvas->moving);
  g_assert_null (canvas->tween);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  AssayVerdicts *(*make) (void) = (gpointer) data;
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  fixture->window = g_object_ref_sink (gtk_window_new ());
  fixture->scrolled = gtk_scrolled_window_new ();
  fixture->canvas = ASSAY_CANVAS (assay_canvas_new ());
  fixture->verdicts = make ();
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (fixture->scrolled),
                                 GTK_WIDGET (fixture->canvas));
  gtk_widget_set_size_request (fixture->scrolled, 800, 600);
  gtk_box_append (GTK_BOX (box), fixture->scrolled);
  gtk_box_append (GTK_BOX (box), assay_overview_new (fixture->canvas));
  gtk_window_set_child (GTK_WINDOW (fixture->window), box);
  gtk_window_present (GTK_WINDOW (fixture->window));
  gtk_test_widget_wait_for_draw (fixture->window);
  assay_canvas_set_verdicts (fixture->canvas, fixture->verdicts);
  spin_until_view (fixture->canvas);
  spin_until_refined (fixture->canvas);
  gtk_test_widget_wait_for_draw (fixture->window);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  gtk_window_destroy (GTK_WINDOW (fixture->window));
  g_assert_finalize_object (fixture->window);
  assay_verdicts_unref (fixture->verdicts);
}

static AssayVerdicts *
make_residual (void)
{
  return assay_scene_residual (50);
}

static AssayVerdicts *
make_deep (void)
{
  return assay_scene_transformer (30, TRUE);
}

static AssayVerdicts *
make_long (void)
{
  return assay_scene_transformer (150, FALSE);
}

static AssayVerdicts *
make_big (void)
{
  return assay_scene_random (9000, 14000, 1);
}

/* Nodes that have nothing to do with each other stand beside each other. */
static AssayVerdicts *
make_columns (guint n)
{
  AssayGraph *graph = assay_graph_new ();

  for (guint i = 0; i < n; i++)
    {
      AssayValueId x = assay_graph_add_input (graph, ASSAY_MAIN_REGION, "x", NULL);
      AssayValueId y = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, "y",
                                              NULL);

      assay_graph_add_node (graph, ASSAY_MAIN_REGION, ASSAY_OP_Relu, "relu", 1, &x, 1, &y);
      assay_graph_add_output (graph, ASSAY_MAIN_REGION, y);
    }

  return assay_scene_verdicts (graph);
}

static AssayVerdicts *
make_wide (void)
{
  return make_columns (10);
}

static AssayVerdicts *
make_very_wide (void)
{
  return make_columns (40);
}

/* A node that holds a graph which holds a node. */
static AssayVerdicts *
make_nested (void)
{
  AssayGraph *graph = assay_graph_new ();
  AssayValueId x = assay_graph_add_input (graph, ASSAY_MAIN_REGION, "x", NULL);
  AssayValueId y = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, "y", NULL);
  AssayValueId z = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, "z", NULL);
  AssayNodeId node;
  AssayRegionId inside;
  AssayValueId inner;

  assay_graph_add_node (graph, ASSAY_MAIN_REGION, ASSAY_OP_Relu, "relu", 1, &x, 1, &y);
  node = assay_graph_add_node (graph, ASSAY_MAIN_REGION, ASSAY_OP_If, "if", 1, &x, 1, &z);
  inside = assay_graph_add_region (graph, node, "then_branch", "then");
  inner = assay_graph_add_value (graph, inside, ASSAY_VALUE_RESULT, "inner", NULL);
  assay_graph_add_node (graph, inside, ASSAY_OP_Tanh, "tanh", 1, &y, 1, &inner);
  assay_graph_add_output (graph, inside, inner);
  assay_graph_add_output (graph, ASSAY_MAIN_REGION, z);

  return assay_scene_verdicts (graph);
}

static void
act_only (Fixture *fixture, const char *action)
{
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (fixture->canvas), action, NULL));
}

/* With the picture that stays. */
static void
act (Fixture *fixture, const char *action)
{
  act_only (fixture, action);
  spin_until_refined (fixture->canvas);
}

static void
count_cb (guint *count)
{
  (*count)++;
}

/* The pointer, the selection, a search, marks and the playhead are drawn over what is cached. */
static void
test_builds (Fixture *fixture, gconstpointer data)
{
  const AssayNodeId hits[] = { 2, 3, 5 };
  guint builds = assay_canvas_get_builds (fixture->canvas);

  g_assert_cmpuint (builds, >, 0);
  for (guint node = 1; node < 6; node++)
    {
      assay_canvas_set_hover (fixture->canvas, node);
      gtk_test_widget_wait_for_draw (fixture->window);
      assay_canvas_set_selection (fixture->canvas, node);
      gtk_test_widget_wait_for_draw (fixture->window);
    }
  assay_canvas_set_hits (fixture->canvas, hits, G_N_ELEMENTS (hits));
  gtk_test_widget_wait_for_draw (fixture->window);
  for (guint node = 0; node < 6; node++)
    {
      g_autoptr (GByteArray) marks = g_byte_array_new ();

      g_byte_array_set_size (marks, assay_graph_n_nodes (fixture->verdicts->graph));
      memset (marks->data, 0, marks->len);
      marks->data[node] = (guint8) (ASSAY_MARK_PINNED | ASSAY_MARK_ADDED | ASSAY_MARK_REMOVED |
                                    ASSAY_MARK_CHANGED);
      assay_canvas_set_marks (fixture->canvas, marks);
      assay_canvas_set_playhead (fixture->canvas, node, NULL);
      gtk_test_widget_wait_for_draw (fixture->window);
    }
  assay_canvas_set_marks (fixture->canvas, NULL);
  gtk_test_widget_wait_for_draw (fixture->window);
  g_assert_cmpuint (assay_canvas_get_builds (fixture->canvas), ==, builds);

  assay_canvas_set_filter (fixture->canvas, 1u << ASSAY_VERDICT_FUSED);
  gtk_test_widget_wait_for_draw (fixture->window);
  g_assert_cmpuint (assay_canvas_get_builds (fixture->canvas), >, builds);
}

/* The header of an open scope folds it; nothing of the cache is built anew for headers that move
 * along. */
static void
test_frames (Fixture *fixture, gconstpointer data)
{
  AssayCanvas *canvas = fixture->canvas;
  guint32 boxes, frames;
  guint builds;

  act (fixture, "graph.unfold-all");
  gtk_test_widget_wait_for_draw (fixture->window);
  frames = canvas->view->frames->len;
  boxes = canvas->view->boxes->len;
  g_assert_cmpuint (frames, >, 10);
  assay_canvas_set_zoom (canvas, 1);
  gtk_test_widget_wait_for_draw (fixture->window);
  builds = assay_canvas_get_builds (canvas);
  for (guint i = 0; i < 5; i++)
    {
      GtkAdjustment *adjustment = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (canvas));

      gtk_adjustment_set_value (adjustment, gtk_adjustment_get_value (adjustment) + 2);
      gtk_test_widget_wait_for_draw (fixture->window);
    }
  g_assert_cmpuint (assay_canvas_get_builds (canvas), <=, builds + 8);

  assay_canvas_fold_frame (canvas, frames - 1);
  g_assert_cmpuint (canvas->view->frames->len, <, frames);
  g_assert_cmpuint (canvas->view->boxes->len, <, boxes);
  gtk_test_widget_wait_for_draw (fixture->window);
}

/* What is under the pointer stays under it. */
static void
test_zoom_at_pointer (Fixture *fixture, gconstpointer data)
{
  double before_x, before_y, after_x, after_y;

  assay_canvas_set_zoom (fixture->canvas, 2);
  gtk_adjustment_set_value (gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (fixture->canvas)), 900);
  assay_canvas_to_units (fixture->canvas, 400, 350, &before_x, &before_y);
  assay_canvas_zoom_at (fixture->canvas, 3, 400, 350);
  assay_canvas_to_units (fixture->canvas, 400, 350, &after_x, &after_y);
  g_assert_cmpfloat (fabs (after_y - before_y), <, 1);

  assay_canvas_set_zoom (fixture->canvas, 100);
  g_assert_cmpfloat (assay_canvas_get_zoom (fixture->canvas), ==, 4);
  assay_canvas_set_zoom (fixture->canvas, 0.0001);
  g_assert_cmpfloat (assay_canvas_get_zoom (fixture->canvas), ==, 0.02);
}

static void
test_fit (Fixture *fixture, gconstpointer data)
{
  double x1, y1, x2, y2;

  assay_canvas_set_zoom (fixture->canvas, 3);
  act (fixture, "graph.fit");
  assay_canvas_to_units (fixture->canvas, 0, 0, &x1, &y1);
  assay_canvas_to_units (fixture->canvas, 800, 600, &x2, &y2);
  g_assert_cmpfloat (x1, <=, 0);
  g_assert_cmpfloat (y1, <=, 0);
  g_assert_cmpfloat (x2, >=, fixture->canvas->view->width);
  g_assert_cmpfloat (y2, >=, fixture->canvas->view->height);
}

/* What is wider than the canvas is first shown whole, small enough that only titles are left. */
static void
test_first_wide (Fixture *fixture, gconstpointer data)
{
  double zoom = assay_canvas_get_zoom (fixture->canvas);
  double x1, y1, x2, y2;

  g_test_message ("%g units at zoom %g", fixture->canvas->view->width, zoom);
  g_assert_cmpfloat (zoom, <, 0.65);
  g_assert_cmpfloat (zoom, >=, 0.44);
  g_assert_cmpint (fixture->canvas->look.detail, <=, ASSAY_DETAIL_TITLE);
  assay_canvas_to_units (fixture->canvas, 0, 0, &x1, &y1);
  assay_canvas_to_units (fixture->canvas, gtk_widget_get_width (GTK_WIDGET (fixture->canvas)), 0,
                         &x2, &y2);
  g_assert_cmpfloat (x1, <=, 0);
  g_assert_cmpfloat (x2, >=, fixture->canvas->view->width);
}

/* What could not be read if it were shown whole keeps its details. */
static void
test_first_very_wide (Fixture *fixture, gconstpointer data)
{
  g_assert_cmpfloat (fixture->canvas->view->width * 0.44, >, 800);
  g_assert_cmpfloat (assay_canvas_get_zoom (fixture->canvas), ==, 0.65);
}

static void
test_keys (Fixture *fixture, gconstpointer data)
{
  const AssayGraph *graph = fixture->verdicts->graph;
  guint start;

  assay_canvas_set_selection (fixture->canvas, 1);
  act (fixture, "graph.first-reader");
  g_assert_cmpuint (assay_canvas_get_selection (fixture->canvas), ==, 2);
  act (fixture, "graph.first-reader");
  g_assert_cmpuint (assay_canvas_get_selection (fixture->canvas), ==, 3);
  act (fixture, "graph.first-producer");
  g_assert_cmpuint (assay_canvas_get_selection (fixture->canvas), ==, 2);
  act (fixture, "graph.first-producer");
  act (fixture, "graph.first-producer");
  g_assert_cmpuint (assay_canvas_get_selection (fixture->canvas), ==, 1);

  /* From an empty selection a move begins somewhere in sight. */
  assay_canvas_set_selection (fixture->canvas, 0);
  act (fixture, "graph.first-reader");
  start = assay_canvas_get_selection (fixture->canvas);
  g_assert_cmpuint (start, >, 0);
  g_assert_cmpuint (start, <, assay_graph_n_nodes (graph));
  act (fixture, "graph.left");
  act (fixture, "graph.right");
  act (fixture, "graph.fit-selection");
  act (fixture, "graph.fan-in");
  act (fixture, "graph.fan-out");
  gtk_test_widget_wait_for_draw (fixture->window);
}

/* The same node of every equal block, round and back; the label says which one it is. */
static void
test_equal (Fixture *fixture, gconstpointer data)
{
  const AssayGraph *graph = fixture->verdicts->graph;
  AssayEqualBlocks blocks;
  guint start = assay_graph_n_nodes (graph) / 2;
  guint visited = 0;

  assay_canvas_set_selection (fixture->canvas, start);
  assay_scope_tree_find_equal (fixture->canvas->tree, graph, start, 1, &blocks);
  g_assert_cmpuint (blocks.n, >, 5);
  do
    {
      guint before = assay_canvas_get_selection (fixture->canvas);
      guint now;

      act (fixture, "graph.next-equal");
      now = assay_canvas_get_selection (fixture->canvas);
      g_assert_cmpuint (now, !=, before);
      g_assert_cmpstr (assay_graph_node (graph, now)->op_type, ==,
                       assay_graph_node (graph, start)->op_type);
      visited++;
    }
  while (assay_canvas_get_selection (fixture->canvas) != start && visited < 1000);
  g_assert_cmpuint (visited, ==, blocks.n);
  act (fixture, "graph.next-equal");
  act (fixture, "graph.previous-equal");
  g_assert_cmpuint (assay_canvas_get_selection (fixture->canvas), ==, start);
}

/* The edges of a stub can be drawn, and become a stub again. */
static void
test_show_edge (Fixture *fixture, gconstpointer data)
{
  AssayCanvas *canvas = fixture->canvas;
  guint stubs, edges;

  act (fixture, "graph.unfold-all");
  stubs = canvas->view->stubs->len;
  edges = canvas->view->edges->len;
  g_assert_cmpuint (stubs, >, 0);
  for (guint32 i = 0; i < canvas->view->boxes->len && assay_canvas_get_selection (canvas) == 0; i++)
    if (assay_view_box (canvas->view, i)->n_stubs > 0 &&
        assay_view_box (canvas->view, i)->node != 0)
      assay_canvas_set_selection (canvas, assay_view_box (canvas->view, i)->node);
  act (fixture, "graph.show-edge");
  g_assert_cmpuint (canvas->view->stubs->len, <, stubs);
  g_assert_cmpuint (canvas->view->edges->len, >, edges);
  act (fixture, "graph.show-edge");
  g_assert_cmpuint (canvas->view->stubs->len, ==, stubs);
  g_assert_cmpuint (canvas->view->edges->len, ==, edges);
}

/* Each move tells the screen reader where it went. */
static void
test_spoken (Fixture *fixture, gconstpointer data)
{
  static const char *const moves[] = { "graph.first-reader", "graph.first-reader",
                                       "graph.first-producer", "graph.right", "graph.left" };

  assay_canvas_set_selection (fixture->canvas, 3);
  for (guint i = 0; i < G_N_ELEMENTS (moves); i++)
    {
      const AssayNode *node;
      g_autofree char *pattern = NULL;
      g_autofree char *text = NULL;

      act (fixture, moves[i]);
      node = assay_graph_node (fixture->verdicts->graph,
                               assay_canvas_get_selection (fixture->canvas));
      text = assay_canvas_dup_label (fixture->canvas);
      pattern = g_strdup_printf ("%s, %s, ", node->op_type, node->name);
      g_assert_true (g_str_has_prefix (text, pattern));
      gtk_test_accessible_assert_property (fixture->canvas, GTK_ACCESSIBLE_PROPERTY_LABEL, text);
    }
}

static void
test_notify (Fixture *fixture, gconstpointer data)
{
  guint selected = 0;

  g_signal_connect_swapped (fixture->canvas, "notify::selection", G_CALLBACK (count_cb), &selected);
  assay_canvas_set_selection (fixture->canvas, 2);
  assay_canvas_set_selection (fixture->canvas, 2);
  g_assert_cmpuint (selected, ==, 1);
  assay_canvas_set_selection (fixture->canvas, 1000000);
  g_assert_cmpuint (assay_canvas_get_selection (fixture->canvas), ==, 0);
  g_assert_cmpuint (selected, ==, 2);

  g_signal_handlers_disconnect_by_data (fixture->canvas, &selected);
}

static void
test_label (Fixture *fixture, gconstpointer data)
{
  g_autofree char *text = NULL;

  assay_scene_set_verdict (fixture->verdicts, 3, ASSAY_VERDICT_REJECTED,
                           "group is 3, allowed is 1");
  assay_canvas_set_selection (fixture->canvas, 3);
  text = assay_canvas_dup_label (fixture->canvas);
  g_assert_true (g_str_has_prefix (text, "Conv, block0/conv1, rejected, group is 3, allowed is 1"));
  gtk_test_accessible_assert_property (fixture->canvas, GTK_ACCESSIBLE_PROPERTY_LABEL, text);
}

/* A big model opens folded; revealing a node opens the way to it only, and it comes into sight. */
static void
test_reveal (Fixture *fixture, gconstpointer data)
{
  AssayView *view = fixture->canvas->view;
  guint boxes = view->boxes->len;
  guint node = assay_graph_n_nodes (fixture->verdicts->graph) - 40;
  const AssayViewBox *box;
  double x1, y1, x2, y2;

  g_assert_cmpuint (boxes, <=, 63);
  g_assert_cmpuint (assay_view_box (view, assay_view_find_node (view, node))->kind, ==,
                    ASSAY_BOX_SCOPE);

  assay_canvas_set_selection (fixture->canvas, node);
  assay_canvas_reveal (fixture->canvas, node);
  g_object_get (fixture->canvas, "zoom", &x1, NULL);
  for (guint i = 0; i < 40; i++)
    gtk_test_widget_wait_for_draw (fixture->window);

  view = fixture->canvas->view;
  box = assay_view_box (view, assay_view_find_node (view, node));
  g_assert_cmpuint (box->kind, ==, ASSAY_BOX_NODE);
  g_assert_cmpuint (view->boxes->len, >, boxes);
  g_assert_cmpuint (view->boxes->len, <, 100);
  assay_canvas_to_units (fixture->canvas, 0, 0, &x1, &y1);
  assay_canvas_to_units (fixture->canvas, 800, 600, &x2, &y2);
  g_assert_cmpfloat (box->y, >=, y1);
  g_assert_cmpfloat (box->y + box->height, <=, y2);
  g_assert_cmpfloat (box->x, >=, x1);
  g_assert_cmpfloat (box->x + box->width, <=, x2);

  act (fixture, "graph.fold");
  g_assert_cmpuint (fixture->canvas->view->boxes->len, <, 100);
  act (fixture, "graph.fold-all");
  g_assert_cmpuint (fixture->canvas->view->boxes->len, ==, boxes);
}

/* A card over more than half of the canvas leaves the selected node in sight. */
static void
test_covered (Fixture *fixture, gconstpointer data)
{
  const AssayViewBox *box;
  double x1, y1, x2, y2;

  assay_canvas_set_zoom (fixture->canvas, 1);
  assay_canvas_set_selection (fixture->canvas, 25);
  assay_canvas_reveal (fixture->canvas, 25);
  assay_canvas_set_covered (fixture->canvas, 400);
  for (guint i = 0; i < 40; i++)
    gtk_test_widget_wait_for_draw (fixture->window);

  box = assay_view_box (fixture->canvas->view, assay_view_find_node (fixture->canvas->view, 25));
  assay_canvas_to_units (fixture->canvas, 0, 0, &x1, &y1);
  assay_canvas_to_units (fixture->canvas, 800,
                         gtk_widget_get_height (GTK_WIDGET (fixture->canvas)) - 400, &x2, &y2);
  g_assert_cmpfloat (box->y, >=, y1);
  g_assert_cmpfloat (box->y + box->height, <, y2);
}

/* A canvas that becomes lower while it scrolls to a node ends with that in sight. */
static void
test_shrinks (Fixture *fixture, gconstpointer data)
{
  AssayCanvas *canvas = fixture->canvas;
  const AssayViewBox *box;
  double x1, y1, x2, y2;

  assay_canvas_set_zoom (canvas, 1);
  assay_canvas_set_covered (canvas, 200);
  assay_canvas_set_selection (canvas, 25);
  assay_canvas_reveal (canvas, 25);
  g_assert_cmpint (adw_animation_get_state (canvas->motion), ==, ADW_ANIMATION_PLAYING);
  gtk_widget_set_size_request (fixture->scrolled, 800, 340);
  gtk_window_set_default_size (GTK_WINDOW (fixture->window), -1, -1);
  for (guint i = 0; i < 40; i++)
    gtk_test_widget_wait_for_draw (fixture->window);

  box = assay_view_box (canvas->view, assay_view_find_node (canvas->view, 25));
  g_assert_cmpint (gtk_widget_get_height (GTK_WIDGET (canvas)), <=, 340);
  assay_canvas_to_units (canvas, 0, 0, &x1, &y1);
  assay_canvas_to_units (canvas, 800, gtk_widget_get_height (GTK_WIDGET (canvas)) - 200, &x2, &y2);
  g_assert_cmpfloat (box->y, >=, y1);
  g_assert_cmpfloat (box->y + box->height, <, y2);
}

/* A graph that is narrower than the canvas stands in its midst; once it was moved past its end, a
 * node of it goes where it is sent all the same. */
static void
test_put_narrow (Fixture *fixture, gconstpointer data)
{
  AssayCanvas *canvas = fixture->canvas;
  const AssayViewBox *box = assay_view_box (canvas->view, 0);
  double x, y;

  assay_canvas_set_zoom (canvas, 1);
  gtk_test_widget_wait_for_draw (fixture->window);
  g_assert_cmpfloat (canvas->view->width, <, gtk_widget_get_width (GTK_WIDGET (canvas)) - 100);
  assay_canvas_hold_unit_at (canvas, box->x, box->y, 10, 200);
  assay_canvas_put_unit_at (canvas, box->x, box->y, 60, 200, FALSE);
  assay_canvas_to_units (canvas, 60, 200, &x, &y);
  g_assert_cmpfloat_with_epsilon (x, box->x, 1);
  g_assert_cmpfloat_with_epsilon (y, box->y, 1);
}

/* What stands in the middle of a canvas stays there when something opens beside it. */
static void
test_narrows (Fixture *fixture, gconstpointer data)
{
  AssayCanvas *canvas = fixture->canvas;
  double x1, y1, x2, y2;
  int width;

  assay_canvas_set_zoom (canvas, 1);
  gtk_test_widget_wait_for_draw (fixture->window);
  width = gtk_widget_get_width (GTK_WIDGET (canvas));
  assay_canvas_to_units (canvas, width / 2., 0, &x1, &y1);
  gtk_widget_set_size_request (fixture->scrolled, 500, 600);
  gtk_window_set_default_size (GTK_WINDOW (fixture->window), -1, -1);
  for (guint i = 0; i < 10; i++)
    gtk_test_widget_wait_for_draw (fixture->window);

  g_assert_cmpint (gtk_widget_get_width (GTK_WIDGET (canvas)), <, width);
  assay_canvas_to_units (canvas, gtk_widget_get_width (GTK_WIDGET (canvas)) / 2., 0, &x2, &y2);
  g_assert_cmpfloat_with_epsilon (x1, x2, 2);
  g_assert_cmpfloat_with_epsilon (y1, y2, 2);
}

/* The pixel at which a node stands. */
static void
find_pixel (Fixture *fixture, guint node, double *at)
{
  const AssayView *view = fixture->canvas->view;
  const AssayViewBox *box = assay_view_box (view, assay_view_find_node (view, node));

  assay_canvas_get_origin (fixture->canvas, &at[0], &at[1]);
  at[0] += (box->x + box->width / 2) * assay_canvas_get_scale (fixture->canvas);
  at[1] += (box->y + box->height / 2) * assay_canvas_get_scale (fixture->canvas);
}

/* Folding keeps the selected box on its pixel. */
static void
test_fold_keeps_place (Fixture *fixture, gconstpointer data)
{
  guint node = assay_graph_n_nodes (fixture->verdicts->graph) / 2;
  double before[2], after[2];

  assay_canvas_set_zoom (fixture->canvas, 1);
  assay_canvas_set_selection (fixture->canvas, node);
  act (fixture, "graph.fit-selection");
  find_pixel (fixture, node, before);
  act (fixture, "graph.unfold");
  find_pixel (fixture, node, after);
  g_assert_cmpfloat (fabs (before[0] - after[0]), <=, 1);
  g_assert_cmpfloat (fabs (before[1] - after[1]), <=, 1);
}

/* What stood below goes to its new place and is there before long; what is selected stands still
 * all the way. */
static void
test_fold_moves (Fixture *fixture, gconstpointer data)
{
  guint node = assay_graph_n_nodes (fixture->verdicts->graph) / 2;
  guint32 last;
  double before[2], now[2], y;
  guint steps = 0;

  assay_canvas_set_zoom (fixture->canvas, 1);
  assay_canvas_set_selection (fixture->canvas, node);
  act (fixture, "graph.fit-selection");
  if (fixture->canvas->motion != NULL)
    adw_animation_skip (fixture->canvas->motion);
  find_pixel (fixture, node, before);
  act_only (fixture, "graph.unfold");
  g_assert_nonnull (fixture->canvas->tween);
  last = fixture->canvas->view->boxes->len - 1;
  y = assay_view_box (fixture->canvas->refined, last)->y;
  while (fixture->canvas->tween != NULL)
    {
      find_pixel (fixture, node, now);
      g_assert_cmpfloat (fabs (before[0] - now[0]), <=, 1);
      g_assert_cmpfloat (fabs (before[1] - now[1]), <=, 1);
      steps += assay_view_box (fixture->canvas->view, last)->y < y;
      gtk_test_widget_wait_for_draw (fixture->window);
    }
  g_assert_cmpuint (steps, >, 0);
  g_assert_null (fixture->canvas->refined);

  assay_canvas_set_animated (fixture->canvas, FALSE);
  act_only (fixture, "graph.fold");
  g_assert_null (fixture->canvas->tween);
}

/* Where nothing is selected, what is nearest to the middle keeps its pixel. */
static void
test_fold_keeps_middle (Fixture *fixture, gconstpointer data)
{
  guint node;
  double before[2], after[2];

  assay_canvas_set_zoom (fixture->canvas, 1);
  assay_canvas_set_selection (fixture->canvas, assay_graph_n_nodes (fixture->verdicts->graph) / 2);
  act (fixture, "graph.fit-selection");
  assay_canvas_set_selection (fixture->canvas, 0);
  node = assay_view_box (fixture->canvas->view, assay_canvas_find_anchor (fixture->canvas))->node;
  find_pixel (fixture, node, before);
  act (fixture, "graph.unfold-all");
  find_pixel (fixture, node, after);
  g_assert_cmpuint (node, !=, 0);
  g_assert_cmpfloat (fabs (before[0] - after[0]), <=, 1);
  g_assert_cmpfloat (fabs (before[1] - after[1]), <=, 1);
}

/* A filter moves nothing at all. */
static void
test_filter_keeps_place (Fixture *fixture, gconstpointer data)
{
  AssayView *view = fixture->canvas->view;
  double x, y, later_x, later_y;

  assay_canvas_set_zoom (fixture->canvas, 1);
  assay_canvas_set_selection (fixture->canvas, assay_graph_n_nodes (fixture->verdicts->graph) / 2);
  act (fixture, "graph.fit-selection");
  assay_canvas_get_origin (fixture->canvas, &x, &y);
  for (guint filter = 0; filter < 1u << ASSAY_N_VERDICTS; filter++)
    {
      assay_canvas_set_filter (fixture->canvas, filter);
      gtk_test_widget_wait_for_draw (fixture->window);
      assay_canvas_get_origin (fixture->canvas, &later_x, &later_y);
      g_assert_true (fixture->canvas->view == view);
      g_assert_cmpfloat (later_x, ==, x);
      g_assert_cmpfloat (later_y, ==, y);
    }
}

/* In another form of the model what is selected keeps its pixel, or else what is nearest to the
 * middle. */
static void
test_level_keeps_place (Fixture *fixture, gconstpointer data)
{
  AssayCanvas *canvas = fixture->canvas;

  for (guint selected = 0; selected < 2; selected++)
    for (guint part = 1; part < 5; part++)
      {
        g_autoptr (AssayVerdicts) other = make_deep ();
        guint node = assay_graph_n_nodes (other->graph) * part / 5;
        guint anchor;
        double before[2], after[2];

        /* The other form begins with the same nodes and goes on with more. */
        for (guint i = 0; i < 4; i++)
          {
            AssayValueId x = assay_graph_node (other->graph, node)->outputs[0];
            AssayValueId y = assay_graph_add_value (other->graph, ASSAY_MAIN_REGION,
                                                    ASSAY_VALUE_RESULT, NULL, NULL);

            assay_graph_add_node (other->graph, ASSAY_MAIN_REGION, ASSAY_OP_Relu, "more", 1, &x, 1,
                                  &y);
          }
        assay_canvas_set_zoom (canvas, 1);
        assay_canvas_set_selection (canvas, node);
        act (fixture, "graph.fit-selection");
        assay_canvas_set_selection (canvas, selected ? node : 0);
        anchor = assay_canvas_get_anchor (canvas);
        g_assert_cmpuint (anchor, !=, 0);
        find_pixel (fixture, anchor, before);
        assay_canvas_change_verdicts (canvas, other, selected ? node : 0, anchor, anchor);
        spin_until_view (canvas);
        find_pixel (fixture, anchor, after);
        g_assert_cmpfloat (fabs (before[0] - after[0]), <=, 1);
        g_assert_cmpfloat (fabs (before[1] - after[1]), <=, 1);
      }
}

static void
test_nested (Fixture *fixture, gconstpointer data)
{
  g_assert_cmpuint (assay_view_find_node (fixture->canvas->view, 3), ==, ASSAY_NO_BOX);
  assay_canvas_set_selection (fixture->canvas, 2);
  act (fixture, "graph.unfold");
  g_assert_cmpuint (assay_canvas_get_selection (fixture->canvas), ==, 3);
  g_assert_cmpuint (assay_view_find_node (fixture->canvas->view, 3), !=, ASSAY_NO_BOX);
  g_assert_cmpuint (assay_view_find_node (fixture->canvas->view, 2), ==, ASSAY_NO_BOX);
  act (fixture, "graph.fold");
  g_assert_cmpuint (assay_canvas_get_selection (fixture->canvas), ==, 2);

  assay_canvas_set_selection (fixture->canvas, 3);
  assay_canvas_reveal (fixture->canvas, 3);
  g_assert_cmpuint (assay_view_find_node (fixture->canvas->view, 3), !=, ASSAY_NO_BOX);
}

static guint
count_open (Fixture *fixture)
{
  guint n = 0;

  for (guint32 s = 1; s < fixture->canvas->tree->scopes->len; s++)
    n += fixture->canvas->open[s];

  return n;
}

/* Groups of neighbours open and fold like scopes, and the way to a node opens those around it
 * alone. */
static void
test_groups (Fixture *fixture, gconstpointer data)
{
  AssayCanvas *canvas = fixture->canvas;
  guint32 last = assay_graph_n_nodes (fixture->verdicts->graph) - 1;
  guint32 scope = assay_scope_tree_of_node (canvas->tree, fixture->verdicts->graph, last);
  guint first = canvas->view->boxes->len;
  guint n_open = count_open (fixture);
  guint n_steps = 0;
  guint n_way = 0;

  g_assert_cmpuint (first, <=, ASSAY_FIRST_BOXES);
  assay_canvas_set_selection (canvas, 1);
  while (assay_view_box (canvas->view, assay_view_find_node (canvas->view, 1))->kind ==
         ASSAY_BOX_SCOPE)
    {
      act (fixture, "graph.unfold");
      g_assert_cmpuint (count_open (fixture), ==, n_open + ++n_steps);
      g_assert_cmpuint (canvas->view->boxes->len, <=, (n_steps + 1) * ASSAY_FIRST_BOXES);
    }
  g_assert_cmpuint (n_steps, >, 1);
  while (n_steps > 0)
    {
      act (fixture, "graph.fold");
      g_assert_cmpuint (count_open (fixture), ==, n_open + --n_steps);
    }
  g_assert_cmpuint (canvas->view->boxes->len, ==, first);

  for (; scope != 0; scope = assay_scope_tree_get (canvas->tree, scope)->parent)
    n_way += !canvas->open[scope];
  assay_canvas_reveal (canvas, last);
  g_assert_cmpuint (n_way, >, 1);
  g_assert_cmpuint (count_open (fixture), ==, n_open + n_way);
  g_assert_cmpuint (assay_view_box (canvas->view, assay_view_find_node (canvas->view, last))->kind,
                    ==, ASSAY_BOX_NODE);
}

/* A wide canvas has words beside folded scopes; a narrow one has none, nor has a graph that fills
 * its canvas. */
static void
test_summary (Fixture *fixture, gconstpointer data)
{
  const double values[] = { NAN, 1 };
  AssayOverlay *overlay = assay_overlay_new_values ("Bytes", "", values, G_N_ELEMENTS (values));

  g_assert_null (fixture->canvas->look.summary);
  gtk_widget_set_size_request (fixture->scrolled, 1500, 600);
  gtk_test_widget_wait_for_draw (fixture->window);
  while (gtk_widget_get_width (fixture->scrolled) < 1500)
    g_main_context_iteration (NULL, TRUE);
  act (fixture, "graph.fit");
  assay_canvas_set_zoom (fixture->canvas, 1);
  gtk_test_widget_wait_for_draw (fixture->window);
  g_assert_nonnull (fixture->canvas->look.summary);
  g_assert_nonnull (assay_scope_summary_get (fixture->canvas->look.summary, 1, 0));

  assay_canvas_set_overlay (fixture->canvas, overlay);
  g_assert_null (fixture->canvas->summary);
  assay_canvas_set_overlay (fixture->canvas, NULL);
  assay_canvas_set_zoom (fixture->canvas, 4);
  gtk_test_widget_wait_for_draw (fixture->window);
  g_assert_null (fixture->canvas->look.summary);
}

static guint
count_nodes (const AssayView *view)
{
  guint n = 0;

  for (guint i = 0; i < view->boxes->len; i++)
    n += assay_view_box (view, i)->n_nodes;

  return n;
}

/* A graph that takes a thread; a newer one set meanwhile wins. Without names it is folded by what
 * repeats. */
static void
test_thread (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AssayVerdicts) newer = assay_scene_random (9500, 15000, 2);
  g_autoptr (AssayVerdicts) newest = assay_scene_random (9700, 15000, 3);
  guint n_boxes;

  g_assert_cmpuint (count_nodes (fixture->canvas->view), ==, 9000);
  g_assert_cmpuint (fixture->canvas->view->boxes->len, <=, ASSAY_FIRST_BOXES);
  assay_canvas_set_verdicts (fixture->canvas, newer);
  assay_canvas_set_verdicts (fixture->canvas, newest);
  spin_until_view (fixture->canvas);
  g_assert_cmpuint (count_nodes (fixture->canvas->view), ==, 9700);
  act_only (fixture, "graph.unfold-all");
  wait_until (fixture->canvas->view->boxes->len > 9600);
  g_assert_true (assay_canvas_get_verdicts (fixture->canvas) == newest);
  gtk_test_widget_wait_for_draw (fixture->window);

  /* What a thread folds keeps its place, too. */
  n_boxes = fixture->canvas->view->boxes->len;
  assay_canvas_set_selection (fixture->canvas, 4000);
  act_only (fixture, "graph.fold");
  wait_until (fixture->canvas->view->boxes->len != n_boxes);
  g_assert_cmpuint (fixture->canvas->view->boxes->len, <, n_boxes);
  g_assert_true (fixture->canvas->view->is_kept);
  assay_canvas_set_verdicts (fixture->canvas, NULL);
  gtk_test_widget_wait_for_draw (fixture->window);
}

/* The same model checked anew: selection by name, zoom and place stay. */
static void
test_again (Fixture *fixture, gconstpointer data)
{
  g_autoptr (AssayVerdicts) again = assay_scene_residual (50);
  double zoom, value;
  GtkAdjustment *adjustment = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (fixture->canvas));

  assay_canvas_set_selection (fixture->canvas, 20);
  assay_canvas_set_zoom (fixture->canvas, 1.5);
  act (fixture, "graph.fit-selection");
  zoom = assay_canvas_get_zoom (fixture->canvas);
  value = gtk_adjustment_get_value (adjustment);
  g_assert_cmpfloat (value, >, 0);
  assay_canvas_set_verdicts (fixture->canvas, again);
  g_assert_cmpuint (assay_canvas_get_selection (fixture->canvas), ==, 20);
  g_assert_cmpfloat (assay_canvas_get_zoom (fixture->canvas), ==, zoom);
  g_assert_cmpfloat (fabs (gtk_adjustment_get_value (adjustment) - value), <=, 1);
}

/* Colours come from the theme: dark and light differ, and the caches go. */
static void
test_scheme (Fixture *fixture, gconstpointer data)
{
  AdwStyleManager *manager = adw_style_manager_get_default ();
  GdkRGBA light = fixture->canvas->palette.color[ASSAY_ROLE_VIEW_BG];
  guint builds = assay_canvas_get_builds (fixture->canvas);

  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_FORCE_DARK);
  for (guint i = 0; i < 40; i++)
    gtk_test_widget_wait_for_draw (fixture->window);
  g_assert_true (fixture->canvas->palette.dark);
  g_assert_false (gdk_rgba_equal (&light, &fixture->canvas->palette.color[ASSAY_ROLE_VIEW_BG]));
  g_assert_cmpuint (assay_canvas_get_builds (fixture->canvas), >, builds);
  adw_style_manager_set_color_scheme (manager, ADW_COLOR_SCHEME_DEFAULT);
}

/* The colours that pictures have without a theme are those of the theme. */
static void
test_palette (Fixture *fixture, gconstpointer data)
{
  AssayPalette expected;

  assay_palette_init_default (&expected, FALSE, FALSE);
  for (guint i = 0; i < ASSAY_N_THEME_ROLES; i++)
    {
      const GdkRGBA *is = &fixture->canvas->palette.color[i];
      const GdkRGBA *want = &expected.color[i];

      g_test_message ("role %u: %g %g %g %g", i, is->red, is->green, is->blue, is->alpha);
      g_assert_cmpfloat (fabs (is->red - want->red), <, 0.01);
      g_assert_cmpfloat (fabs (is->green - want->green), <, 0.01);
      g_assert_cmpfloat (fabs (is->blue - want->blue), <, 0.01);
      g_assert_cmpfloat (fabs (is->alpha - want->alpha), <, 0.01);
    }
}

static AssayVerdicts *
make_gates (void)
{
  return assay_family_new (ASSAY_FAMILY_TRANSFORMER, 700, 1);
}

static void
pixel_of (AssayCanvas *canvas, guint node, double *x, double *y)
{
  const AssayViewBox *box = assay_view_box (canvas->view,
                                            assay_view_find_node (canvas->view, node));
  double origin_x, origin_y;

  assay_canvas_get_origin (canvas, &origin_x, &origin_y);
  *x = origin_x + (box->x + box->width / 2) * assay_canvas_get_scale (canvas);
  *y = origin_y + (box->y + box->height / 2) * assay_canvas_get_scale (canvas);
}

/* The refined layout takes the place of the first one, and the selected node stays on its pixel
 * whatever moves around it: where the graph is larger than the canvas, and where it fits. */
static void
test_refined (Fixture *fixture, gconstpointer data)
{
  static const double zooms[] = { 1, 0.5, 0.05 };

  for (guint i = 0; i < G_N_ELEMENTS (zooms); i++)
    for (guint node = 1; node < 600; node += 151)
      {
        AssayView *first;
        double x, y, later_x, later_y;

        act_only (fixture, "graph.fold-all");
        act_only (fixture, "graph.unfold-all");
        g_assert_cmpuint (fixture->canvas->refining, !=, 0);
        assay_canvas_set_zoom (fixture->canvas, zooms[i]);
        assay_canvas_set_selection (fixture->canvas, node);
        assay_canvas_fit_selection (fixture->canvas);
        assay_canvas_set_zoom (fixture->canvas, zooms[i]);
        if (fixture->canvas->motion != NULL)
          adw_animation_skip (fixture->canvas->motion);
        first = assay_view_ref (fixture->canvas->view);
        pixel_of (fixture->canvas, node, &x, &y);

        spin_until_refined (fixture->canvas);
        g_assert_true (fixture->canvas->view != first);
        g_assert_cmpuint (fixture->canvas->view->boxes->len, ==, first->boxes->len);
        g_assert_cmpfloat (fixture->canvas->view->width, !=, first->width);
        g_assert_null (fixture->canvas->layout_note);
        pixel_of (fixture->canvas, node, &later_x, &later_y);
        g_test_message ("zoom %g node %u: %g,%g then %g,%g; width %g then %g", zooms[i], node, x, y,
                        later_x, later_y, first->width, fixture->canvas->view->width);
        g_assert_cmpfloat (fabs (later_x - x), <, 1);
        g_assert_cmpfloat (fabs (later_y - y), <, 1);
        gtk_test_widget_wait_for_draw (fixture->window);
        assay_view_free (first);
      }
}

/* What few boxes there are in sight move to their places; the selected one stands still all the
 * way. A fold on the way ends it. */
static void
test_refined_moves (Fixture *fixture, gconstpointer data)
{
  for (guint i = 0; i < 2; i++)
    {
      double x, y, later_x, later_y;
      guint steps = 0;

      act_only (fixture, "graph.fold-all");
      act_only (fixture, "graph.unfold-all");
      assay_canvas_set_zoom (fixture->canvas, 1);
      assay_canvas_set_selection (fixture->canvas, 300);
      assay_canvas_fit_selection (fixture->canvas);
      if (fixture->canvas->motion != NULL)
        adw_animation_skip (fixture->canvas->motion);
      pixel_of (fixture->canvas, 300, &x, &y);
      while (fixture->canvas->refining != 0)
        g_main_context_iteration (NULL, TRUE);
      g_assert_nonnull (fixture->canvas->tween);
      if (i == 1)
        {
          act_only (fixture, "graph.fold-all");
          g_assert_null (fixture->canvas->tween);
          break;
        }
      while (fixture->canvas->tween != NULL)
        {
          g_assert_true (fixture->canvas->view != fixture->canvas->refined || steps == 0);
          pixel_of (fixture->canvas, 300, &later_x, &later_y);
          g_assert_cmpfloat (fabs (later_x - x), <, 1);
          g_assert_cmpfloat (fabs (later_y - y), <, 1);
          gtk_test_widget_wait_for_draw (fixture->window);
          steps++;
        }
      g_assert_cmpuint (steps, >, 0);
      g_assert_null (fixture->canvas->refined);
      pixel_of (fixture->canvas, 300, &later_x, &later_y);
      g_assert_cmpfloat (fabs (later_x - x), <, 1);
    }
  spin_until_refined (fixture->canvas);
}

static void
reveal_selection (AssayCanvas *canvas)
{
  assay_canvas_reveal (canvas, assay_canvas_get_selection (canvas));
}

/* A node that is gone to while boxes still move is in sight where it comes to stand. */
static void
test_revealed_on_the_way (Fixture *fixture, gconstpointer data)
{
  static void (*const shows[]) (AssayCanvas * canvas) = { reveal_selection,
                                                          assay_canvas_fit_selection };
  AssayCanvas *canvas = fixture->canvas;

  for (guint i = 0; i < G_N_ELEMENTS (shows); i++)
    {
      double x, y, later_x, later_y;

      act_only (fixture, "graph.fold-all");
      act_only (fixture, "graph.unfold-all");
      assay_canvas_set_zoom (canvas, 1);
      assay_canvas_set_selection (canvas, 300);
      assay_canvas_fit_selection (canvas);
      while (canvas->refining != 0)
        g_main_context_iteration (NULL, TRUE);
      g_assert_nonnull (canvas->tween);
      assay_canvas_set_selection (canvas, 500);
      shows[i](canvas);
      if (canvas->motion != NULL)
        adw_animation_skip (canvas->motion);
      adw_animation_skip (canvas->moving);
      pixel_of (canvas, 500, &x, &y);

      shows[i](canvas);
      if (canvas->motion != NULL)
        adw_animation_skip (canvas->motion);
      pixel_of (canvas, 500, &later_x, &later_y);
      g_test_message ("%g,%g then %g,%g", x, y, later_x, later_y);
      g_assert_cmpfloat (fabs (later_x - x), <, 1);
      g_assert_cmpfloat (fabs (later_y - y), <, 1);
    }
}

/* Who wants no animations has the better picture at once. */
static void
test_refined_still (Fixture *fixture, gconstpointer data)
{
  assay_canvas_set_animated (fixture->canvas, FALSE);
  act_only (fixture, "graph.unfold-all");
  assay_canvas_set_zoom (fixture->canvas, 1);
  assay_canvas_set_selection (fixture->canvas, 300);
  assay_canvas_fit_selection (fixture->canvas);
  while (fixture->canvas->refining != 0)
    g_main_context_iteration (NULL, TRUE);
  g_assert_null (fixture->canvas->tween);
}

/* A picture that comes for a fold that is no more is dropped. */
static void
test_refined_late (Fixture *fixture, gconstpointer data)
{
  for (guint i = 0; i < 5; i++)
    {
      act_only (fixture, "graph.unfold-all");
      act_only (fixture, "graph.fold-all");
    }
  act_only (fixture, "graph.unfold-all");
  spin_until_refined (fixture->canvas);
  g_assert_cmpuint (fixture->canvas->view->boxes->len, >, 600);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpuint (fixture->canvas->view->boxes->len, >, 600);

  act_only (fixture, "graph.unfold-all");
  assay_canvas_set_verdicts (fixture->canvas, NULL);
  g_assert_cmpuint (fixture->canvas->refining, ==, 0);
}

/* Without the helper the first picture stays, and there is something to read about it. */
static void
test_refined_not (Fixture *fixture, gconstpointer data)
{
  const AssayRefinerOptions options = { .helper = "/no/such/helper" };
  AssayView *first;

  spin_until_refined (fixture->canvas);
  g_clear_object (&fixture->canvas->refiner);
  fixture->canvas->refiner = assay_refiner_new (&options);
  act_only (fixture, "graph.unfold-all");
  first = fixture->canvas->view;
  spin_until_refined (fixture->canvas);
  g_assert_true (fixture->canvas->view == first);
  g_assert_nonnull (g_strrstr (fixture->canvas->layout_note, "/no/such/helper"));
}

TEST_PROGRAM (canvas)
{
  gtk_test_init (&argc, &argv, NULL);
  adw_init ();

#define ADD(path, model, func)                                                                     \
  g_test_add (path, Fixture, (gconstpointer) (gpointer) model, set_up, func, tear_down)
  ADD ("/ui/canvas/builds", make_residual, test_builds);
  ADD ("/ui/canvas/frames", make_deep, test_frames);
  ADD ("/ui/canvas/zoom-at-pointer", make_residual, test_zoom_at_pointer);
  ADD ("/ui/canvas/fit", make_residual, test_fit);
  ADD ("/ui/canvas/first-wide", make_wide, test_first_wide);
  ADD ("/ui/canvas/first-very-wide", make_very_wide, test_first_very_wide);
  ADD ("/ui/canvas/keys", make_residual, test_keys);
  ADD ("/ui/canvas/equal", make_deep, test_equal);
  ADD ("/ui/canvas/show-edge", make_deep, test_show_edge);
  ADD ("/ui/canvas/spoken", make_residual, test_spoken);
  ADD ("/ui/canvas/notify", make_residual, test_notify);
  ADD ("/ui/canvas/label", make_residual, test_label);
  ADD ("/ui/canvas/covered", make_residual, test_covered);
  ADD ("/ui/canvas/shrinks", make_residual, test_shrinks);
  ADD ("/ui/canvas/narrows/wide", make_wide, test_narrows);
  ADD ("/ui/canvas/narrows/narrow", make_residual, test_narrows);
  ADD ("/ui/canvas/put-narrow", make_residual, test_put_narrow);
  ADD ("/ui/canvas/reveal", make_deep, test_reveal);
  ADD ("/ui/canvas/fold-keeps-place", make_deep, test_fold_keeps_place);
  ADD ("/ui/canvas/fold-moves", make_deep, test_fold_moves);
  ADD ("/ui/canvas/fold-keeps-middle", make_deep, test_fold_keeps_middle);
  ADD ("/ui/canvas/filter-keeps-place", make_residual, test_filter_keeps_place);
  ADD ("/ui/canvas/level-keeps-place", make_deep, test_level_keeps_place);
  ADD ("/ui/canvas/nested", make_nested, test_nested);
  ADD ("/ui/canvas/groups", make_long, test_groups);
  ADD ("/ui/canvas/summary", make_long, test_summary);
  ADD ("/ui/canvas/thread", make_big, test_thread);
  ADD ("/ui/canvas/again", make_residual, test_again);
  ADD ("/ui/canvas/palette", make_residual, test_palette);
  ADD ("/ui/canvas/scheme", make_residual, test_scheme);
  g_test_add ("/ui/canvas/refined", Fixture, make_gates, set_up, test_refined, tear_down);
  g_test_add ("/ui/canvas/refined-moves", Fixture, make_gates, set_up, test_refined_moves,
              tear_down);
  g_test_add ("/ui/canvas/refined-still", Fixture, make_gates, set_up, test_refined_still,
              tear_down);
  g_test_add ("/ui/canvas/revealed-on-the-way", Fixture, make_gates, set_up,
              test_revealed_on_the_way, tear_down);
  g_test_add ("/ui/canvas/refined-late", Fixture, make_gates, set_up, test_refined_late, tear_down);
  g_test_add ("/ui/canvas/refined-not", Fixture, make_gates, set_up, test_refined_not, tear_down);

  return g_test_run ();
}
