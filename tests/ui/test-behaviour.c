/* test-behaviour.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * How the window behaves by itself: what it shows at which width, what stays in sight, what its
 * keys mean where.
 */
#include "test-program.h"
#include "ui-fixture.h"
#include "ui/canvas/assay-canvas.h"
#include "ui/graph/assay-graph-page.h"
#include "ui/inspector/assay-inspector.h"
#include "ui/memory/assay-memory-page.h"
#include "ui/graph/assay-selection-card.h"
#include "ui/sidebar/assay-sidebar-row.h"
#include "ui/sidebar/assay-sidebar.h"
#include "ui/sidebar/assay-target-chooser.h"
#include "ui/window/assay-context-bar.h"
#include "ui/window/assay-flap-handle.h"

#define MODEL "many-refusals.onnx"
#define PROGRAM "streaming-cnn.onnx"

static gboolean
is_compiled (gpointer data)
{
  AssayCompilation *compilation = assay_session_get_compilation (assay_window_get_session (data));

  return assay_activity_get_state (ASSAY_ACTIVITY (compilation)) == ASSAY_ACTIVITY_READY;
}

static void
resize (AssayWindow *window, int width, int height)
{
  gtk_window_set_default_size (GTK_WINDOW (window), width, height);
  ui_settle ();
}

/* Widths. */

static void
drag_handle (GtkWidget *handle, double distance)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (handle);
  g_autoptr (GtkGesture) drag = g_list_model_get_item (controllers, 0);

  g_assert_true (GTK_IS_GESTURE_DRAG (drag));
  g_signal_emit_by_name (drag, "drag-begin", 0.0, 0.0);
  g_signal_emit_by_name (drag, "drag-update", distance, 0.0);
}

/* A flap lies in the content of another. */
static void
drag_handle_of (GtkWidget *pane, double distance)
{
  GtkWidget *handle = gtk_widget_get_first_child (gtk_widget_get_parent (pane));

  while (!ASSAY_IS_FLAP_HANDLE (handle))
    handle = gtk_widget_get_next_sibling (handle);
  drag_handle (handle, distance);
}

static void
test_sidebar_width (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  GtkWidget *sidebar;

  ui_open_example (window, MODEL);
  ui_settle ();
  sidebar = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_SIDEBAR);
  wait_until (gtk_widget_get_width (sidebar) == 264);
  resize (window, 1920, 900);
  wait_until (gtk_widget_get_width (sidebar) == 300);
  resize (window, 2560, 900);
  wait_until (gtk_widget_get_width (sidebar) == 400);
  resize (window, 1280, 800);
  wait_until (gtk_widget_get_width (sidebar) == 264);

  drag_handle_of (sidebar, 86);
  wait_until (gtk_widget_get_width (sidebar) == 350);
  resize (window, 1920, 900);
  wait_until (gtk_widget_get_width (sidebar) == 350);
  /* With larger text the same words have room. */
  ui_set_text_scale (1.5);
  resize (window, 2000, 900);
  wait_until (gtk_widget_get_width (sidebar) == 525);
  ui_set_text_scale (1);
  ui_window_close (window);
}

/* The graph stays beside a page where both have room, and the action says so where they have not.
 */
static void
test_beside (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  GtkWidget *page, *graph;
  g_autofree char *reason = NULL;

  ui_open_example (window, PROGRAM);
  wait_until (is_compiled (window));
  page = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_MEMORY_PAGE);
  graph = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_GRAPH_PAGE);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "memory");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-inspector", NULL);
  ui_settle ();
  g_assert_true (gtk_widget_get_mapped (page));
  g_assert_false (gtk_widget_get_mapped (graph));
  g_assert_null (assay_window_explain_action (window, "win.graph-beside"));

  gtk_widget_activate_action (GTK_WIDGET (window), "win.graph-beside", NULL);
  ui_settle ();
  g_assert_true (gtk_widget_get_mapped (page));
  g_assert_true (gtk_widget_get_mapped (graph));

  resize (window, 1024, 640);
  g_assert_true (gtk_widget_get_mapped (page));
  g_assert_false (gtk_widget_get_mapped (graph));
  reason = assay_window_explain_action (window, "win.graph-beside");
  g_assert_cmpstr (reason, ==, "The window is too narrow for the graph beside a page");

  /* The room is back, until the inspector takes it. */
  resize (window, 1280, 800);
  g_assert_true (gtk_widget_get_mapped (graph));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-inspector", NULL);
  ui_settle ();
  g_assert_false (gtk_widget_get_mapped (graph));
  ui_window_close (window);
}

/* A pane that had no room comes back with it; one that was hidden by hand stays away until it is
 * shown. */
static void
test_panes (void)
{
  static const struct
  {
    const char *action;
    gboolean sidebar;
  } panes[] = {
    { "win.show-inspector", FALSE },
    { "win.show-sidebar", TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (panes); i++)
    {
      AssayWindow *window = ui_window_new (UI_TARGET, 1600, 800);
      GtkWidget *pane = ui_find_type (GTK_WIDGET (window),
                                      panes[i].sidebar ? ASSAY_TYPE_SIDEBAR : ASSAY_TYPE_INSPECTOR);

      ui_open_example (window, MODEL);
      resize (window, 1600, 800);
      wait_until (gtk_widget_get_mapped (pane));
      resize (window, 760, 600);
      wait_until (!gtk_widget_get_mapped (pane));
      resize (window, 1600, 800);
      wait_until (gtk_widget_get_mapped (pane));

      gtk_widget_activate_action (GTK_WIDGET (window), panes[i].action, NULL);
      resize (window, 760, 600);
      wait_until (!gtk_widget_get_mapped (pane));
      resize (window, 1600, 800);
      g_assert_false (gtk_widget_get_mapped (pane));

      /* Shown over the graph and closed there, it was hidden by hand too. */
      resize (window, 760, 600);
      gtk_widget_activate_action (GTK_WIDGET (window), panes[i].action, NULL);
      ui_settle ();
      wait_until (gtk_widget_get_mapped (pane));
      gtk_widget_activate_action (GTK_WIDGET (window), "win.back", NULL);
      resize (window, 1600, 800);
      g_assert_false (gtk_widget_get_mapped (pane));

      gtk_widget_activate_action (GTK_WIDGET (window), panes[i].action, NULL);
      resize (window, 760, 600);
      wait_until (!gtk_widget_get_mapped (pane));
      resize (window, 1600, 800);
      wait_until (gtk_widget_get_mapped (pane));
      ui_window_close (window);
    }
}

/* The number of an outline's row stands at the right end. */
static void
find_count (GtkWidget *widget, gpointer data)
{
  GtkWidget *row = gtk_widget_get_ancestor (widget, ASSAY_TYPE_SIDEBAR_ROW);
  graphene_rect_t bounds;

  if (!GTK_IS_LABEL (widget) || row == NULL || !gtk_widget_get_mapped (widget) ||
      gtk_widget_get_next_sibling (widget) != NULL || gtk_widget_get_parent (widget) != row)
    return;

  g_assert_true (gtk_widget_compute_bounds (
      widget, gtk_widget_get_ancestor (row, GTK_TYPE_LIST_VIEW), &bounds));
  g_assert_cmpfloat (bounds.origin.x + bounds.size.width, >, 200);
  (*(guint *) data)++;
}

static void
test_outline (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  guint n = 0;

  ui_open_example (window, PROGRAM);
  ui_settle ();
  ui_for_each (GTK_WIDGET (window), find_count, &n);
  g_assert_cmpuint (n, >, 2);
  ui_window_close (window);
}

/* The first finding is selected and all of the model shown from its top; who asks for the finding
 * sees its node. */
static void
test_first_finding (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1024, 640);
  AssaySession *session = assay_window_get_session (window);
  AssayCanvas *canvas = ASSAY_CANVAS (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS));
  GtkAdjustment *adjustment = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (canvas));

  gtk_widget_activate_action (GTK_WIDGET (window), "graph.zoom-normal", NULL);
  ui_open_example (window, "many-refusals.onnx");
  ui_settle ();
  g_assert_cmpint (assay_session_get_finding (session), ==, 0);
  g_assert_cmpuint (assay_session_get_selection (session), !=, ASSAY_NO_NODE);
  g_assert_cmpfloat_with_epsilon (gtk_adjustment_get_value (adjustment), 0, 0.001);

  assay_canvas_set_zoom (canvas, 2);
  gtk_adjustment_set_value (adjustment, 0);
  g_assert_false (assay_canvas_shows_selection (canvas, TRUE));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.next-finding", NULL);
  ui_settle ();
  g_assert_cmpint (assay_session_get_finding (session), ==, 0);
  g_assert_true (assay_canvas_shows_selection (canvas, TRUE));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.next-finding", NULL);
  g_assert_cmpint (assay_session_get_finding (session), ==, 1);
  ui_window_close (window);
}

/* Results. */

static void
test_dots (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AdwViewStack *pages;
  AdwViewStackPage *memory, *timeline;

  ui_open_example (window, PROGRAM);
  pages = ADW_VIEW_STACK (ui_find_type (GTK_WIDGET (window), ADW_TYPE_VIEW_STACK));
  memory = adw_view_stack_get_page (pages, adw_view_stack_get_child_by_name (pages, "memory"));
  timeline = adw_view_stack_get_page (pages, adw_view_stack_get_child_by_name (pages, "timeline"));
  wait_until (is_compiled (window));
  g_assert_true (adw_view_stack_page_get_needs_attention (memory));

  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "memory");
  g_assert_false (adw_view_stack_page_get_needs_attention (memory));
  g_assert_true (adw_view_stack_page_get_needs_attention (timeline));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "graph");
  g_assert_false (adw_view_stack_page_get_needs_attention (memory));
  ui_window_close (window);
}

/* What can be fixed says so where the inspector is away. */
static void
test_card_fix (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1024, 640);
  AssaySession *session = assay_window_get_session (window);
  GtkWidget *card;
  gboolean shown = FALSE;

  ui_open_example (window, MODEL);
  ui_settle ();
  card = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_SELECTION_CARD);
  g_assert_true (gtk_widget_get_mapped (ui_find_label (card, "Fix…")));
  gtk_widget_activate_action (ui_find_label (card, "Fix…"), "win.fix", NULL);
  ui_settle ();
  g_object_get (window, "show-inspector", &shown, NULL);
  g_assert_true (shown);

  for (AssayNodeId i = 1; i < assay_graph_n_nodes (assay_session_get_graph (session)); i++)
    if (assay_verdicts_get (assay_session_get_verdicts (session), i)->kind ==
        ASSAY_VERDICT_SUPPORTED)
      assay_session_set_selection (session, i);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.back", NULL);
  ui_settle ();
  g_assert_true (gtk_widget_get_mapped (card));
  g_assert_null (ui_find_label (card, "Fix…"));
  ui_window_close (window);
}

/* Keys. */

static void
copied_cb (GObject *clipboard, GAsyncResult *result, gpointer data)
{
  *(char **) data = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (clipboard), result, NULL);
}

static gboolean
is_set (gpointer data)
{
  return *(char **) data != NULL;
}

/* Controllers of the window see what nothing inside of it takes: the keys of the selection work
 * from every pane. */
static void
test_copy_anywhere (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (GTK_WIDGET (window));
  guint found = 0;

  ui_open_example (window, MODEL);
  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (!GTK_IS_SHORTCUT_CONTROLLER (controller) ||
          gtk_event_controller_get_propagation_phase (controller) != GTK_PHASE_BUBBLE)
        continue;
      for (guint k = 0; k < g_list_model_get_n_items (G_LIST_MODEL (controller)); k++)
        {
          g_autoptr (GtkShortcut) shortcut = g_list_model_get_item (G_LIST_MODEL (controller), k);
          g_autofree char *trigger = gtk_shortcut_trigger_to_string (
              gtk_shortcut_get_trigger (shortcut));
          g_autofree char *text = NULL;

          if (!g_str_equal (trigger, "<Control>c"))
            continue;
          found++;
          g_assert_true (gtk_shortcut_action_activate (gtk_shortcut_get_action (shortcut), 0,
                                                       GTK_WIDGET (window), NULL));
          gdk_clipboard_read_text_async (gtk_widget_get_clipboard (GTK_WIDGET (window)), NULL,
                                         copied_cb, &text);
          wait_until (is_set (&text));
          g_assert_cmpstr (text, ==,
                           assay_graph_node (assay_session_get_graph (session),
                                             assay_session_get_selection (session))
                               ->name);
        }
    }
  g_assert_cmpuint (found, ==, 1);
  ui_window_close (window);
}

/* Escape closes the chooser though its search entry takes the key. */
static void
test_chooser_escape (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  GtkWidget *chooser, *entry;

  ui_open_example (window, MODEL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.choose-target", NULL);
  ui_settle ();
  chooser = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_TARGET_CHOOSER);
  entry = ui_find_type (chooser, GTK_TYPE_SEARCH_ENTRY);
  g_assert_true (gtk_widget_get_mapped (chooser));
  g_signal_emit_by_name (entry, "stop-search");
  ui_settle ();
  g_assert_false (gtk_widget_get_mapped (chooser));
  ui_window_close (window);
}

/* Undo takes back what is written while there is text, and a change of the document elsewhere. */
static void
test_undo_text (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  GtkWidget *entry;

  ui_open_example (window, MODEL);
  gtk_widget_activate_action (GTK_WIDGET (window), "graph.pin", NULL);
  g_assert_true (assay_session_is_pinned (session, assay_session_get_selection (session)));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.find", NULL);
  entry = gtk_window_get_focus (GTK_WINDOW (window));
  g_assert_true (GTK_IS_TEXT (entry));
  gtk_widget_activate_action (entry, "text.redo", NULL);
  g_signal_emit_by_name (entry, "insert-at-cursor", "conv");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.undo", NULL);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (entry)), ==, "");
  g_assert_true (assay_session_is_pinned (session, assay_session_get_selection (session)));

  gtk_widget_activate_action (GTK_WIDGET (window), "win.undo", NULL);
  g_assert_false (assay_session_is_pinned (session, assay_session_get_selection (session)));
  ui_window_close (window);
}

static void
seek_bar_label (GtkWidget *widget, gpointer data)
{
  if (GTK_IS_LABEL (widget) && gtk_widget_get_mapped (widget) &&
      g_str_equal (gtk_label_get_text (GTK_LABEL (widget)), "transformer-block.onnx"))
    g_assert_false (pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (widget))));
}

static void
seek_notice (GtkWidget *widget, gpointer data)
{
  if (GTK_IS_LABEL (widget) &&
      g_str_has_prefix (gtk_label_get_text (GTK_LABEL (widget)),
                        "A setting does not fit the model: \"nothing\" is neither"))
    *(gboolean *) data = TRUE;
}

/* The name of the model is whole where there is room, and a notice about it does not name it once
 * more with its folder. */
static void
test_model_name (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  g_autoptr (AssaySettings) setup = assay_settings_new ();
  gboolean found = FALSE;

  ui_open_example (window, "transformer-block.onnx");
  ui_settle ();
  ui_for_each (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CONTEXT_BAR), seek_bar_label, NULL);

  assay_settings_set_number (&setup, ASSAY_SETTING_BIND, "nothing", 1);
  assay_session_set_setup (assay_window_get_session (window), setup);
  ui_wait_ready (window);
  ui_for_each (GTK_WIDGET (window), seek_notice, &found);
  g_assert_true (found);
  ui_window_close (window);
}

TEST_PROGRAM (behaviour)
{
  if (!ui_init (&argc, &argv))
    {
      g_print ("1..0 # SKIP there is no display\n");
      return 0;
    }

  g_test_add_func ("/ui/behaviour/sidebar-width", test_sidebar_width);
  g_test_add_func ("/ui/behaviour/beside", test_beside);
  g_test_add_func ("/ui/behaviour/panes", test_panes);
  g_test_add_func ("/ui/behaviour/model-name", test_model_name);
  g_test_add_func ("/ui/behaviour/outline", test_outline);
  g_test_add_func ("/ui/behaviour/first-finding", test_first_finding);
  g_test_add_func ("/ui/behaviour/dots", test_dots);
  g_test_add_func ("/ui/behaviour/card-fix", test_card_fix);
  g_test_add_func ("/ui/behaviour/copy-anywhere", test_copy_anywhere);
  g_test_add_func ("/ui/behaviour/chooser-escape", test_chooser_escape);
  g_test_add_func ("/ui/behaviour/undo-text", test_undo_text);

  return g_test_run ();
}
