/* test-continuity.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What stays as it should while one goes on: after a drop, from node to node, with a second model.
 */
#include <adwaita.h>
#include <glib/gstdio.h>
#include <string.h>

#include "../core/fixture/folder.h"
#include "run/board/assay-board-list.h"
#include "test-program.h"
#include "ui-fixture.h"
#include "ui/canvas/assay-canvas-private.h"
#include "ui/compare/assay-boards-window.h"
#include "ui/inspector/assay-fix-list.h"
#include "ui/inspector/assay-inspector.h"
#include "ui/inspector/assay-wrap-layout.h"
#include "ui/sidebar/assay-sidebar.h"
#include "ui/window/assay-flap-handle.h"
#include "ui/window/assay-recent.h"

#define SECOND "streaming-cnn.onnx"

static GtkDropTarget *
find_drop_target (AssayWindow *window)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (GTK_WIDGET (window));

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GObject) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_DROP_TARGET (controller))
        return GTK_DROP_TARGET (controller);
    }

  g_assert_not_reached ();
}

/* A drop sends no leave behind it. */
static void
test_drop (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  GtkDropTarget *target = find_drop_target (window);
  g_autofree char *path = ui_example (UI_MODEL);
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_auto (GValue) value = G_VALUE_INIT;
  GdkDragAction action = 0;
  gboolean taken = FALSE;

  g_value_init (&value, G_TYPE_FILE);
  g_value_set_object (&value, file);
  g_signal_emit_by_name (target, "enter", 10.0, 10.0, &action);
  ui_settle ();
  g_assert_cmpint (action, ==, GDK_ACTION_COPY);
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "Drop to open"));

  g_signal_emit_by_name (target, "drop", &value, 10.0, 10.0, &taken);
  g_assert_true (taken);
  ui_wait_ready (window);
  g_assert_null (ui_find_label (GTK_WIDGET (window), "Drop to open"));
  g_assert_cmpstr (ui_visible_page (window), ==, "work");

  g_signal_emit_by_name (target, "enter", 10.0, 10.0, &action);
  g_signal_emit_by_name (target, "leave");
  ui_settle ();
  g_assert_null (ui_find_label (GTK_WIDGET (window), "Drop to open"));
  ui_window_close (window);
}

static gboolean
drop_list (AssayWindow *window, const char *const *uris)
{
  GtkDropTarget *target = find_drop_target (window);
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_object_unref);
  g_auto (GValue) value = G_VALUE_INIT;
  gboolean taken = FALSE;

  for (guint i = 0; uris[i] != NULL; i++)
    g_ptr_array_add (files, g_file_new_for_commandline_arg (uris[i]));
  g_value_init (&value, GDK_TYPE_FILE_LIST);
  g_value_take_boxed (&value, gdk_file_list_new_from_array ((GFile **) files->pdata, files->len));
  g_signal_emit_by_name (target, "drop", &value, 10.0, 10.0, &taken);
  return taken;
}

static guint
count_windows (void)
{
  GListModel *toplevels = gtk_window_get_toplevels ();
  guint n = 0;

  for (guint i = 0; i < g_list_model_get_n_items (toplevels); i++)
    {
      g_autoptr (GtkWidget) toplevel = g_list_model_get_item (toplevels, i);

      n += ASSAY_IS_WINDOW (toplevel);
    }

  return n;
}

/* Several files, those of elsewhere, and one that is no model: each is opened or told of, and what
 * was open before is not lost. */
static void
test_drops (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  g_autofree char *first = ui_example (UI_MODEL);
  g_autofree char *second = ui_example (SECOND);
  const char *const both[] = { first, second, NULL };
  const char *const bad[] = { "/dev/null", NULL };
  const char *const far[] = { "https://example.org/model.onnx", NULL };
  g_autoptr (GPtrArray) others = g_ptr_array_new ();
  g_autofree char *back = g_strdup_printf ("Back to %s", UI_MODEL);
  GListModel *toplevels = gtk_window_get_toplevels ();
  GtkWidget *button;

  g_assert_false (drop_list (window, far));
  ui_settle ();
  g_assert_nonnull (
      ui_find_label (GTK_WIDGET (window), "Only files of this computer can be opened"));
  g_assert_true (drop_list (window, bad));
  ui_wait_ready (window);
  g_assert_cmpstr (ui_visible_page (window), ==, "failed");
  g_assert_null (ui_find_label (GTK_WIDGET (window), back));

  g_assert_true (drop_list (window, both));
  ui_wait_ready (window);
  g_assert_cmpuint (count_windows (), ==, 2);
  for (guint i = 0; i < g_list_model_get_n_items (toplevels); i++)
    {
      g_autoptr (GtkWidget) toplevel = g_list_model_get_item (toplevels, i);

      if (ASSAY_IS_WINDOW (toplevel) && toplevel != GTK_WIDGET (window))
        g_ptr_array_add (others, toplevel);
    }
  ui_wait_ready (g_ptr_array_index (others, 0));
  ui_window_close (g_ptr_array_index (others, 0));

  g_assert_true (drop_list (window, bad));
  ui_wait_ready (window);
  g_assert_cmpstr (ui_visible_page (window), ==, "failed");
  button = gtk_widget_get_ancestor (ui_find_label (GTK_WIDGET (window), back), GTK_TYPE_BUTTON);
  g_signal_emit_by_name (button, "clicked");
  ui_wait_ready (window);
  g_assert_cmpstr (ui_visible_page (window), ==, "work");
  ui_window_close (window);
}

/* What wraps, and each of its lines, stands in what it belongs to. */
static void
check_whole (GtkWidget *widget, gpointer data)
{
  GtkWidget *parent = gtk_widget_get_parent (widget);
  graphene_rect_t box;

  if (!gtk_widget_get_mapped (widget) ||
      (!ASSAY_IS_WRAP_LAYOUT (gtk_widget_get_layout_manager (widget)) &&
       !ASSAY_IS_WRAP_LAYOUT (gtk_widget_get_layout_manager (parent))))
    return;

  g_assert_true (gtk_widget_compute_bounds (widget, parent, &box));
  g_assert_cmpfloat (box.origin.y + box.size.height, <=, gtk_widget_get_height (parent));
  g_assert_cmpfloat (box.origin.x + box.size.width, <=, gtk_widget_get_width (parent));
}

/* Panes have the width that the user gives them, whatever they show; the graph stays where it is.
 */
static void
test_pane_width (void)
{
  static const struct
  {
    int width, height;
    double text;
  } sizes[] = { { 1280, 800, 1 }, { 1600, 900, 1 }, { 1600, 900, 1.5 } };

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      AssayWindow *window;
      AssaySession *session;
      GtkWidget *inspector, *sidebar, *canvas, *content;
      int pane, list, graph;

      ui_set_text_scale (sizes[s].text);
      window = ui_window_new (UI_TARGET, sizes[s].width, sizes[s].height);
      session = assay_window_get_session (window);
      ui_open_example (window, UI_MODEL);
      inspector = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_INSPECTOR);
      sidebar = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_SIDEBAR);
      canvas = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS);
      content = gtk_widget_get_first_child (inspector);
      pane = gtk_widget_get_width (inspector);
      list = gtk_widget_get_width (sidebar);
      graph = gtk_widget_get_width (canvas);

      for (guint node = 0; node < assay_graph_n_nodes (assay_session_get_verdicts (session)->graph);
           node++)
        {
          int least;

          assay_session_set_selection (session, node);
          ui_settle ();
          gtk_widget_measure (gtk_widget_get_first_child (content), GTK_ORIENTATION_HORIZONTAL, -1,
                              &least, NULL, NULL, NULL);
          g_test_message ("node %u: %d of %d", node, least, pane);
          g_assert_cmpint (gtk_widget_get_width (inspector), ==, pane);
          g_assert_cmpint (gtk_widget_get_width (sidebar), ==, list);
          g_assert_cmpint (gtk_widget_get_width (canvas), ==, graph);
          g_assert_cmpint (least, <=, pane);
          ui_for_each (inspector, check_whole, NULL);
        }
      ui_window_close (window);
    }
  ui_set_text_scale (1);
}

/* Another node is read from its beginning. */
static void
test_inspector_top (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 520);
  AssaySession *session = assay_window_get_session (window);
  GtkAdjustment *adjustment;
  GtkWidget *inspector;

  ui_open_example (window, UI_MODEL);
  inspector = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_INSPECTOR);
  adjustment = gtk_scrolled_window_get_vadjustment (
      GTK_SCROLLED_WINDOW (gtk_widget_get_first_child (inspector)));
  assay_session_set_selection (session, 1);
  ui_settle ();
  gtk_adjustment_set_value (adjustment, 100);
  g_assert_cmpfloat (gtk_adjustment_get_value (adjustment), >, 0);
  assay_session_set_selection (session, 2);
  ui_settle ();
  g_assert_cmpfloat (gtk_adjustment_get_value (adjustment), ==, 0);
  ui_window_close (window);
}

static void
apply_first_fix (AssayWindow *window)
{
  AssaySession *session = assay_window_get_session (window);
  GtkWidget *list = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_FIX_LIST);

  gtk_widget_activate_action (GTK_WIDGET (window), "win.fix", NULL);
  ui_wait_offer (list);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.apply-fix", "s", "0");
  ui_wait_fixed (session);
  ui_settle ();
}

static void
saved_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;

  assay_session_save_finish (ASSAY_SESSION (object), result, &error);
  g_assert_no_error (error);
  *(gboolean *) user_data = TRUE;
}

/* The offer to undo what was done in one model goes with it, and the next one is drawn at once: GTK
 * warns of a widget without an allocation, and a warning fails the test. */
static void
test_second_model (void)
{
  static const int widths[] = { 720, 1024, 1280, 1600 };
  g_autofree char *folder = g_dir_make_tmp ("assay-continuity-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "s.assay", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (widths); i++)
    {
      AssayWindow *window = ui_window_new (UI_TARGET, widths[i], 800);
      AssaySession *session = assay_window_get_session (window);
      AssayDeployActivity *deploying = assay_session_get_deploy_activity (session);
      gboolean saved = FALSE;

      ui_open_example (window, UI_MODEL);
      apply_first_fix (window);
      g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "Applied to Setup"));
      assay_session_save_async (session, path, NULL, saved_cb, &saved);
      wait_until (saved);

      ui_open_example (window, SECOND);
      g_assert_null (ui_find_label (GTK_WIDGET (window), "Applied to Setup"));
      g_assert_cmpstr (ui_visible_page (window), ==, "work");
      g_assert_true (gtk_widget_get_mapped (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS)));

      wait_until (assay_activity_get_state (ASSAY_ACTIVITY (
                      assay_session_get_compilation (session))) == ASSAY_ACTIVITY_READY);
      gtk_widget_activate_action (GTK_WIDGET (window), "win.deploy", NULL);
      ui_wait_ended (deploying);
      ui_settle ();
      ui_open_example (window, UI_MODEL);
      ui_settle ();
      g_assert_cmpstr (ui_visible_page (window), ==, "work");
      ui_window_close (window);
    }

  folder_remove (folder);
}

static void
folded_cb (AssayFlapHandle *handle, gboolean *in_frame)
{
  g_assert_false (*in_frame);
}

static void
begin_cb (GdkFrameClock *clock, gboolean *in_frame)
{
  *in_frame = TRUE;
}

static void
end_cb (GdkFrameClock *clock, gboolean *in_frame)
{
  *in_frame = FALSE;
}

static void
find_handle (GtkWidget *widget, gpointer data)
{
  if (ASSAY_IS_FLAP_HANDLE (widget))
    g_ptr_array_add (data, widget);
}

/* Panes fold while the window gives places to its widgets. Listeners show and hide widgets, so they
 * are told afterwards: what asks for room in the midst of that is left without any. */
static void
test_fold (void)
{
  static const int widths[] = { 1600, 1280, 1000, 720, 1280, 720, 1600 };
  AssayWindow *window = ui_window_new (UI_TARGET, 1600, 800);
  GdkFrameClock *clock = gtk_widget_get_frame_clock (GTK_WIDGET (window));
  g_autoptr (GPtrArray) handles = g_ptr_array_new ();
  gboolean in_frame = FALSE;

  ui_open_example (window, UI_MODEL);
  ui_for_each (GTK_WIDGET (window), find_handle, handles);
  g_assert_cmpuint (handles->len, ==, 2);
  for (guint i = 0; i < handles->len; i++)
    g_signal_connect (handles->pdata[i], "changed", G_CALLBACK (folded_cb), &in_frame);
  g_signal_connect (clock, "before-paint", G_CALLBACK (begin_cb), &in_frame);
  g_signal_connect (clock, "after-paint", G_CALLBACK (end_cb), &in_frame);

  for (guint i = 0; i < G_N_ELEMENTS (widths); i++)
    {
      gtk_window_set_default_size (GTK_WINDOW (window), widths[i], 800);
      ui_settle ();
    }
  g_signal_handlers_disconnect_by_data (clock, &in_frame);
  ui_window_close (window);
}

static void
check_in_sight (AssayWindow *window, GType pane)
{
  GtkWidget *widget = ui_find_type (GTK_WIDGET (window), pane);
  GtkWidget *canvas = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS);
  graphene_rect_t node, box;

  g_assert_true (assay_canvas_find_selection (ASSAY_CANVAS (canvas), &node));
  if (gtk_widget_get_mapped (widget) && gtk_widget_compute_bounds (widget, canvas, &box))
    g_assert_false (graphene_rect_intersection (&node, &box, NULL));
}

/* What is selected is seen beside the panes, also where these lie over the graph. */
static void
test_selection_beside_panes (void)
{
  static const struct
  {
    int width;
    const char *shown, *hidden;
  } cases[] = { { 720, "show-sidebar", "show-inspector" },
                { 900, "show-sidebar", "show-inspector" },
                { 900, "show-inspector", "show-sidebar" },
                { 1024, "show-inspector", "show-sidebar" },
                { 1280, "show-inspector", NULL } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      AssayWindow *window = ui_window_new (UI_TARGET, cases[i].width, 700);
      AssaySession *session = assay_window_get_session (window);
      guint n;

      ui_open_example (window, UI_MODEL);
      apply_first_fix (window);
      if (cases[i].hidden != NULL)
        g_object_set (window, cases[i].hidden, FALSE, NULL);
      g_object_set (window, cases[i].shown, TRUE, NULL);
      ui_settle ();
      n = g_list_model_get_n_items (assay_session_get_finding_items (session));
      for (guint finding = 0; finding <= n; finding++)
        {
          gtk_widget_activate_action (GTK_WIDGET (window), "win.next-finding", NULL);
          ui_settle ();
          check_in_sight (window, ASSAY_TYPE_SIDEBAR);
          check_in_sight (window, ASSAY_TYPE_INSPECTOR);
        }
      ui_window_close (window);
    }
}

static double
find_left (AssayWindow *window, GType pane)
{
  GtkWidget *widget = ui_find_type (GTK_WIDGET (window), pane);

  return gtk_widget_get_mapped (widget) ? gtk_widget_get_width (widget) : 0;
}

/* A pane that opens over the selected node makes it step aside; asking for its fixes is asking to
 * see it, which nobody did when the model was opened. In text of any size what is left of the graph
 * is a node wide: of two panes the one that was there before gives way. */
static void
test_opened_pane (void)
{
  static const char *const panes[] = { "show-sidebar", "show-inspector" };
  static const struct
  {
    int width, height;
    double text;
  } sizes[] = { { 720, 480, 1 }, { 720, 480, 2 }, { 1024, 640, 1.5 }, { 1280, 720, 2 } };

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      AssayWindow *window;

      ui_set_text_scale (sizes[s].text);
      window = ui_window_new (UI_TARGET, sizes[s].width, sizes[s].height);
      ui_open_example (window, UI_MODEL);
      gtk_widget_activate_action (GTK_WIDGET (window), "win.fix", NULL);
      ui_settle ();
      check_in_sight (window, ASSAY_TYPE_INSPECTOR);
      for (guint i = 0; i < 3 * G_N_ELEMENTS (panes); i++)
        {
          const char *opened = panes[i % G_N_ELEMENTS (panes)];
          const char *other = panes[(i + 1) % G_N_ELEMENTS (panes)];
          gboolean shown;
          double left;

          g_object_set (window, "show-sidebar", FALSE, "show-inspector", FALSE, NULL);
          gtk_widget_activate_action (GTK_WIDGET (window), "win.next-finding", NULL);
          ui_settle ();
          g_object_set (window, opened, TRUE, NULL);
          ui_settle ();
          check_in_sight (window, ASSAY_TYPE_SIDEBAR);
          check_in_sight (window, ASSAY_TYPE_INSPECTOR);

          g_object_set (window, other, TRUE, NULL);
          ui_settle ();
          g_object_get (window, other, &shown, NULL);
          g_assert_true (shown);
          left = sizes[s].width - find_left (window, ASSAY_TYPE_SIDEBAR) -
                 find_left (window, ASSAY_TYPE_INSPECTOR);
          g_test_message ("%d pixels, text %g, %s: %g left", sizes[s].width, sizes[s].text, other,
                          left);
          g_assert_cmpfloat (left, >=, MIN (140 * sizes[s].text, sizes[s].width / 3));
          check_in_sight (window, ASSAY_TYPE_SIDEBAR);
          check_in_sight (window, ASSAY_TYPE_INSPECTOR);
        }
      ui_window_close (window);
    }
  ui_set_text_scale (1);
}

/* Of a node that is wider than what a pane leaves, the verdict and the beginning of its name are
 * seen. */
static void
test_wide_node (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 720, 480);
  AssayCanvas *canvas;
  graphene_rect_t node;

  ui_open_example (window, UI_MODEL);
  canvas = ASSAY_CANVAS (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS));
  g_object_set (window, "show-sidebar", FALSE, "show-inspector", FALSE, NULL);
  assay_canvas_set_zoom (canvas, 4);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.next-finding", NULL);
  ui_settle ();
  g_object_set (window, "show-inspector", TRUE, NULL);
  ui_settle ();
  g_assert_true (assay_canvas_find_selection (canvas, &node));
  g_test_message ("%g wide from %g", (double) node.size.width, (double) node.origin.x);
  g_assert_cmpfloat (
      node.size.width, >,
      720 - gtk_widget_get_width (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_INSPECTOR)));
  g_assert_cmpfloat (node.origin.x, >=, 0);
  g_assert_cmpfloat (node.origin.x, <, 24);
  ui_window_close (window);
}

/* What a fix leaves selected is in sight, in large text, too, where the graph has little room. */
static void
test_fixed_in_sight (void)
{
  static const struct
  {
    int width, height;
    double text;
  } sizes[] = {
    { 1280, 800, 1 }, { 1024, 640, 1.5 }, { 1280, 800, 1.5 }, { 1280, 720, 2 }, { 1600, 900, 2 }
  };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      AssayWindow *window;
      GtkWidget *canvas;

      ui_set_text_scale (sizes[i].text);
      window = ui_window_new (UI_TARGET, sizes[i].width, sizes[i].height);
      ui_open_example (window, "many-refusals.onnx");
      canvas = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS);
      for (guint fix = 0; fix < 3; fix++)
        {
          graphene_rect_t node, whole;

          gtk_widget_activate_action (GTK_WIDGET (window), "win.next-finding", NULL);
          ui_settle ();
          apply_first_fix (window);
          graphene_rect_init (&whole, 0, 0, (float) gtk_widget_get_width (canvas),
                              (float) gtk_widget_get_height (canvas));
          if (!assay_canvas_find_selection (ASSAY_CANVAS (canvas), &node))
            continue;
          g_test_message ("%d x %d, text %g, fix %u: %g, %g of %g x %g", sizes[i].width,
                          sizes[i].height, sizes[i].text, fix, (double) node.origin.x,
                          (double) node.origin.y, (double) whole.size.width,
                          (double) whole.size.height);
          g_assert_true (graphene_rect_contains_rect (&whole, &node));
          check_in_sight (window, ASSAY_TYPE_SIDEBAR);
          check_in_sight (window, ASSAY_TYPE_INSPECTOR);
        }
      ui_window_close (window);
    }
  ui_set_text_scale (1);
}

/* A window that opens with a file never shows the start page. */
static void
test_no_start_page (void)
{
  GtkWidget *widget = assay_window_new (NULL, UI_TARGET);
  AssayWindow *window = ASSAY_WINDOW (widget);
  g_autofree char *path = ui_example (UI_MODEL);

  ui_hold_threads ();
  assay_window_open (window, path, NULL);
  gtk_window_present (GTK_WINDOW (window));
  g_assert_cmpstr (ui_visible_page (window), ==, "loading");
  g_assert_null (ui_find_label (widget, UI_MODEL));
  wait_until (ui_find_label (widget, UI_MODEL) != NULL);
  ui_window_close (window);
}

static const AssayRecent *
find_recent (GPtrArray *recents, const char *name)
{
  for (guint i = 0; i < recents->len; i++)
    {
      const AssayRecent *recent = g_ptr_array_index (recents, i);

      if (g_str_equal (recent->name, name))
        return recent;
    }

  return NULL;
}

static AssayVerdictKind
recent_verdict (const char *name)
{
  g_autoptr (GPtrArray) recents = assay_recent_list (20);
  const AssayRecent *recent = find_recent (recents, name);

  return recent != NULL ? assay_outcome_get_verdict (&recent->outcome) : ASSAY_N_VERDICTS;
}

/* Recents have a tick for what runs, and say of everything else what stands in the way; a fix that
 * was not saved changes nothing there. */
static void
test_recents (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  g_autoptr (GPtrArray) before = NULL;
  g_autoptr (GPtrArray) after = NULL;

  ui_open_example (window, SECOND);
  wait_until (recent_verdict (SECOND) == ASSAY_VERDICT_SUPPORTED);

  ui_open_example (window, UI_MODEL);
  wait_until (recent_verdict (UI_MODEL) == ASSAY_VERDICT_REJECTED);
  before = assay_recent_list (20);
  apply_first_fix (window);
  wait_idle ();
  after = assay_recent_list (20);
  g_assert_cmpint (find_recent (before, UI_MODEL)->outcome.rejected, ==,
                   find_recent (after, UI_MODEL)->outcome.rejected);

  gtk_widget_activate_action (GTK_WIDGET (window), "win.undo", NULL);
  ui_wait_ready (window);

  /* Its batch is open, which setup can close in memory only. */
  ui_open_example (window, "mlp.onnx");
  wait_until (recent_verdict ("mlp.onnx") == ASSAY_VERDICT_UNDECIDED);
  ui_bind_batch (window);
  wait_until (assay_activity_get_state (ASSAY_ACTIVITY (assay_session_get_compilation (session))) ==
              ASSAY_ACTIVITY_READY);
  ui_settle ();
  g_assert_cmpint (recent_verdict ("mlp.onnx"), ==, ASSAY_VERDICT_UNDECIDED);
  ui_window_close (window);
}

static void
count_active (GtkWidget *widget, gpointer data)
{
  gboolean active = FALSE;
  g_autofree char *text = NULL;

  if (!g_str_equal (G_OBJECT_TYPE_NAME (widget), "GtkModelButton"))
    return;

  g_object_get (widget, "active", &active, "text", &text, NULL);
  if (active)
    g_ptr_array_add (data, g_steal_pointer (&text));
}

/* What Run and Deploy go to is marked in their menus from the start. */
static void
test_marked_choice (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  g_autoptr (GPtrArray) marked = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *label = assay_board_dup_label ("local");

  ui_open_example (window, SECOND);
  ui_for_each (GTK_WIDGET (window), count_active, marked);
  for (guint i = 0; i < marked->len; i++)
    g_test_message ("%s", (char *) marked->pdata[i]);
  g_assert_true (g_ptr_array_find_with_equal_func (marked, "Machine bf16", g_str_equal, NULL));
  g_assert_true (g_ptr_array_find_with_equal_func (marked, label, g_str_equal, NULL));
  ui_window_close (window);
}

static void
find_radio (GtkWidget *widget, gpointer data)
{
  if (GTK_IS_CHECK_BUTTON (widget) && gtk_check_button_get_active (GTK_CHECK_BUTTON (widget)))
    *(const char **) data = g_object_get_data (G_OBJECT (widget), "board");
}

static void
find_advice (GtkWidget *widget, gpointer data)
{
  if (GTK_IS_LABEL (widget) && gtk_widget_get_mapped (widget) &&
      strstr (gtk_label_get_text (GTK_LABEL (widget)), "port stands in ~/.ssh/config") != NULL)
    *(gboolean *) data = TRUE;
}

/* A host that was typed is one of the choices, and marked; what is none says what to do. */
static void
test_typed_host (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  GtkWidget *boards = assay_boards_window_new (GTK_WINDOW (window),
                                               assay_window_get_session (window));
  GtkWidget *host = ui_find_type (boards, ADW_TYPE_ENTRY_ROW);
  g_autoptr (GPtrArray) marked = g_ptr_array_new_with_free_func (g_free);
  const char *chosen = NULL;
  gboolean told = FALSE;

  ui_open_example (window, SECOND);
  gtk_window_present (GTK_WINDOW (boards));
  gtk_editable_set_text (GTK_EDITABLE (host), "bench.invalid");
  g_signal_emit_by_name (host, "apply");
  ui_settle ();
  ui_for_each (boards, find_radio, &chosen);
  g_assert_cmpstr (chosen, ==, "ssh:bench.invalid");
  ui_for_each (GTK_WIDGET (window), count_active, marked);
  g_assert_true (g_ptr_array_find_with_equal_func (marked, "bench.invalid", g_str_equal, NULL));

  gtk_editable_set_text (GTK_EDITABLE (host), "127.0.0.1:2222");
  g_signal_emit_by_name (host, "apply");
  ui_settle ();
  ui_for_each (boards, find_advice, &told);
  g_assert_true (told);
  gtk_window_destroy (GTK_WINDOW (boards));
  ui_window_close (window);
}

static gboolean
offers_recovery (AssayWindow *window)
{
  return ui_find_label (GTK_WIDGET (window), "_Restore") != NULL ||
         ui_find_label (GTK_WIDGET (window), "Restore") != NULL;
}

/* What a window that was killed leaves: a session with a note, under a name of its own. Returns
 * where it lies. */
static char *
leave_session (const char *name)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  g_autofree char *folder = g_build_filename (g_get_user_state_dir (), "assay", "recovery", NULL);
  char *path = g_build_filename (folder, name, NULL);
  gboolean saved = FALSE;

  ui_open_example (window, UI_MODEL);
  assay_session_set_note (session, "pinned", "mine");
  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  assay_session_save_async (session, path, NULL, saved_cb, &saved);
  wait_until (saved);
  ui_window_close (window);

  return path;
}

/* What was left behind is offered until somebody takes it, in whatever window. */
static void
test_recovery (void)
{
  g_autofree char *path = leave_session ("left.assay");
  g_autofree char *own = g_build_filename (g_get_user_state_dir (), "own.assay", NULL);
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssayWindow *other = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  gboolean saved = FALSE;

  g_assert_true (offers_recovery (window));
  g_assert_true (offers_recovery (other));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.restore", NULL);
  ui_wait_ready (window);
  g_assert_cmpstr (assay_session_get_note (session, "pinned"), ==, "mine");
  g_assert_false (offers_recovery (window));

  saved = FALSE;
  assay_session_save_async (session, own, NULL, saved_cb, &saved);
  wait_until (saved);
  ui_open_example (window, UI_MODEL);
  g_assert_false (offers_recovery (window));
  g_object_notify (G_OBJECT (other), "is-active");
  ui_settle ();
  g_assert_false (offers_recovery (other));
  ui_window_close (other);
  ui_window_close (window);
  g_assert_cmpint (g_remove (own), ==, 0);
}

/* What is not wanted is not offered again, also where it cannot be taken away. */
static void
test_discard (void)
{
  g_autofree char *path = leave_session ("stays.assay");
  g_autofree char *inside = g_build_filename (path, "file", NULL);
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);

  g_assert_true (offers_recovery (window));
  g_assert_cmpint (g_remove (path), ==, 0);
  g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
  g_assert_true (g_file_set_contents (inside, "", 0, NULL));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.discard", NULL);
  ui_settle ();
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_false (offers_recovery (window));
  ui_window_close (window);
  folder_remove (path);
}

static GtkWidget *
find_text (GtkWidget *root, const char *part)
{
  if (GTK_IS_LABEL (root) && gtk_widget_get_mapped (root) &&
      strstr (gtk_label_get_text (GTK_LABEL (root)), part) != NULL)
    return root;

  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_text (child, part);

      if (found != NULL)
        return found;
    }

  return NULL;
}

typedef struct
{
  const char *words;
  guint n;
} Reasons;

static void
count_reason (GtkWidget *widget, gpointer data)
{
  Reasons *reasons = data;

  reasons->n += GTK_IS_LABEL (widget) && gtk_widget_get_mapped (widget) &&
                strstr (gtk_label_get_text (GTK_LABEL (widget)), reasons->words) != NULL;
}

/* Work that does not come to an end costs nothing of what was there, why is said once, and what was
 * changed is called by its name. */
static void
test_failed_work (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  AssayCompareActivity *comparing = assay_session_get_compare_activity (session);
  AssayRun *run = assay_session_get_run (session);
  Reasons reasons = { NULL, 0 };
  guint n;

  ui_open_example (window, SECOND);
  wait_until (assay_activity_get_state (ASSAY_ACTIVITY (assay_session_get_compilation (session))) ==
              ASSAY_ACTIVITY_READY);
  assay_compare_activity_start (comparing);
  ui_wait_ended (comparing);
  assay_run_start (run);
  ui_wait_ended (run);
  n = g_list_model_get_n_items (assay_compare_activity_get_rows (comparing));
  g_assert_cmpuint (n, >, 0);

  assay_compare_activity_set_runner (comparing, 0, "ort:/no/such/library.so");
  ui_settle ();
  g_assert_nonnull (
      ui_find_label (GTK_WIDGET (window), "What is compared changed since this comparison"));
  assay_compare_activity_start (comparing);
  ui_wait_ended (comparing);
  ui_settle ();
  g_assert_nonnull (assay_activity_get_error (ASSAY_ACTIVITY (comparing)));
  g_assert_nonnull (assay_compare_activity_get_comparison (comparing));
  g_assert_cmpuint (g_list_model_get_n_items (assay_compare_activity_get_rows (comparing)), ==, n);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "compare");
  ui_settle ();
  g_assert_nonnull (find_text (GTK_WIDGET (window), "The last comparison did not end: "));
  reasons.words = assay_activity_get_error (ASSAY_ACTIVITY (comparing))->message;
  ui_for_each (GTK_WIDGET (window), count_reason, &reasons);
  g_assert_cmpuint (reasons.n, ==, 1);

  n = g_list_model_get_n_items (assay_run_get_results (run));
  assay_run_set_runner (run, "ort:/no/such/library.so");
  assay_run_start (run);
  ui_wait_ended (run);
  g_assert_nonnull (assay_activity_get_error (ASSAY_ACTIVITY (run)));
  g_assert_cmpuint (g_list_model_get_n_items (assay_run_get_results (run)), ==, n);
  ui_window_close (window);
}

static const UiTest tests[] = {
  { "/ui/continuity/drop", test_drop },
  { "/ui/continuity/drops", test_drops },
  { "/ui/continuity/pane-width", test_pane_width },
  { "/ui/continuity/inspector-top", test_inspector_top },
  { "/ui/continuity/fold", test_fold },
  { "/ui/continuity/second-model", test_second_model },
  { "/ui/continuity/selection-beside-panes", test_selection_beside_panes },
  { "/ui/continuity/opened-pane", test_opened_pane },
  { "/ui/continuity/wide-node", test_wide_node },
  { "/ui/continuity/fixed-in-sight", test_fixed_in_sight },
  { "/ui/continuity/no-start-page", test_no_start_page },
  { "/ui/continuity/recents", test_recents },
  { "/ui/continuity/marked-choice", test_marked_choice },
  { "/ui/continuity/typed-host", test_typed_host },
  { "/ui/continuity/recovery", test_recovery },
  { "/ui/continuity/discard", test_discard },
  { "/ui/continuity/failed-work", test_failed_work },
};

TEST_PROGRAM (continuity)
{
  return ui_run (argc, argv, tests, G_N_ELEMENTS (tests));
}
