/* test-accessibility.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What people need who do not see the window or have no mouse: names, the order of the focus,
 * panes.
 */
#include "test-program.h"
#include "ui-fixture.h"
#include "ui/canvas/assay-canvas.h"
#include "ui/compare/assay-compare-page.h"
#include "ui/window/assay-context-bar.h"
#include "ui/graph/assay-graph-page.h"
#include "ui/inspector/assay-inspector.h"
#include "ui/memory/assay-memory-page.h"
#include "ui/sidebar/assay-sidebar.h"
#include "ui/sidebar/assay-target-chooser.h"
#include "ui/table/assay-node-panel.h"

/* F6 goes once around the panes that are there, and Shift+F6 back. */
static void
test_panes (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1920, 1000);
  const GType panes[] = { ASSAY_TYPE_CONTEXT_BAR, ASSAY_TYPE_SIDEBAR, ASSAY_TYPE_CANVAS,
                          ASSAY_TYPE_INSPECTOR };

  ui_open_example (window, UI_MODEL);
  gtk_window_set_focus (GTK_WINDOW (window), NULL);
  for (guint i = 0; i < 2 * G_N_ELEMENTS (panes); i++)
    {
      gtk_widget_activate_action (GTK_WIDGET (window), "win.next-pane", NULL);
      g_assert_nonnull (gtk_widget_get_ancestor (gtk_window_get_focus (GTK_WINDOW (window)),
                                                 panes[i % G_N_ELEMENTS (panes)]));
    }
  gtk_widget_activate_action (GTK_WIDGET (window), "win.previous-pane", NULL);
  g_assert_nonnull (
      gtk_widget_get_ancestor (gtk_window_get_focus (GTK_WINDOW (window)), ASSAY_TYPE_CANVAS));
  ui_window_close (window);
}

typedef struct
{
  guint rows;
  guint controls;
} Named;

static void
check_name (GtkWidget *widget, gpointer data)
{
  Named *named = data;
  GtkWidget *parent = gtk_widget_get_parent (widget);

  if (!gtk_widget_get_mapped (widget))
    return;

  if (GTK_IS_LIST_VIEW (parent))
    {
      named->rows++;
      if (!gtk_test_accessible_has_property (GTK_ACCESSIBLE (widget),
                                             GTK_ACCESSIBLE_PROPERTY_LABEL))
        {
          g_test_message ("a row of %s has no name", G_OBJECT_TYPE_NAME (parent));
          g_test_fail ();
        }
    }
  else if (GTK_IS_BUTTON (widget))
    {
      named->controls++;
      if (gtk_button_get_label (GTK_BUTTON (widget)) == NULL &&
          !gtk_test_accessible_has_property (GTK_ACCESSIBLE (widget),
                                             GTK_ACCESSIBLE_PROPERTY_LABEL) &&
          !gtk_test_accessible_has_relation (GTK_ACCESSIBLE (widget),
                                             GTK_ACCESSIBLE_RELATION_LABELLED_BY) &&
          gtk_widget_get_tooltip_text (widget) == NULL && !GTK_IS_MENU_BUTTON (parent) &&
          !ADW_IS_SPLIT_BUTTON (parent) && ui_find_type (widget, GTK_TYPE_LABEL) == NULL)
        {
          g_autofree char *ancestors = g_strdup_printf ("%s in %s", G_OBJECT_TYPE_NAME (widget),
                                                        G_OBJECT_TYPE_NAME (parent));

          if (!g_str_has_prefix (G_OBJECT_TYPE_NAME (gtk_widget_get_parent (parent)),
                                 "GtkWindowControls") &&
              !g_str_has_prefix (G_OBJECT_TYPE_NAME (parent), "GtkWindowControls"))
            {
              g_test_message ("no name: %s", ancestors);
              g_test_fail ();
            }
        }
    }
}

static void
test_names (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session;
  Named named = { 0 };

  ui_open_example (window, UI_MODEL);
  session = assay_window_get_session (window);
  ui_for_each (GTK_WIDGET (window), check_name, &named);
  g_assert_cmpuint (named.rows, >, 5);

  gtk_widget_activate_action (GTK_WIDGET (window), "win.choose-target", NULL);
  ui_wait_survey (window);
  g_assert_cmpuint (g_list_model_get_n_items (assay_session_get_targets (session)), >, 2);
  named.rows = 0;
  ui_for_each (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_TARGET_CHOOSER), check_name, &named);
  g_assert_cmpuint (named.rows, >, 2);
  ui_window_close (window);
}

/* Which part of the window holds the focus, in the order in which Tab goes through them. */
static int
focused_part (AssayWindow *window)
{
  const GType parts[] = { ADW_TYPE_HEADER_BAR,   ASSAY_TYPE_CONTEXT_BAR, ASSAY_TYPE_SIDEBAR,
                          ASSAY_TYPE_GRAPH_PAGE, ASSAY_TYPE_MEMORY_PAGE, ASSAY_TYPE_INSPECTOR };
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (window));

  for (guint i = 0; focus != NULL && i < G_N_ELEMENTS (parts); i++)
    if (gtk_widget_get_ancestor (focus, parts[i]) != NULL)
      return (int) i;

  return -1;
}

/* Tab goes once through all parts in their order, and reaches each. */
static void
check_focus_order (const char *page, const char *expected)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1920, 1000);
  g_autoptr (GString) order = g_string_new (NULL);
  int last = -1;

  ui_open_example (window, "mlp.onnx");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", page);
  ui_settle ();
  gtk_window_set_focus (GTK_WINDOW (window), NULL);
  for (guint i = 0; i < 150 && gtk_widget_child_focus (GTK_WIDGET (window), GTK_DIR_TAB_FORWARD);
       i++)
    {
      int part = focused_part (window);

      if (part == last)
        continue;
      /* Again at the start. */
      if (order->len > 1 && part == 0)
        break;
      if (part >= 0)
        g_string_append_c (order, (char) ('0' + part));
      last = part;
    }
  g_assert_cmpstr (order->str, ==, expected);
  ui_window_close (window);
}

static void
test_focus_order (void)
{
  check_focus_order ("graph", "01235");
  check_focus_order ("memory", "012345");
}

/* How far beside its line GTK takes the handle of a pane, before anything below is asked. */
#define HANDLE_REACH 6

typedef struct
{
  GtkWidget *window;
  graphene_rect_t handle;
} Handle;

static void
check_control (GtkWidget *widget, gpointer data)
{
  const Handle *handle = data;
  GtkWidget *scrolled = gtk_widget_get_ancestor (widget, GTK_TYPE_SCROLLED_WINDOW);
  graphene_rect_t bounds, seen;

  if (!gtk_widget_get_mapped (widget) || !(GTK_IS_BUTTON (widget) || GTK_IS_TEXT (widget)) ||
      !gtk_widget_compute_bounds (widget, handle->window, &bounds))
    return;
  if (scrolled != NULL && gtk_widget_compute_bounds (scrolled, handle->window, &seen) &&
      !graphene_rect_intersection (&bounds, &seen, &bounds))
    return;

  if (graphene_rect_intersection (&bounds, &handle->handle, &seen) && seen.size.height > 1 &&
      seen.size.width > 1)
    g_error ("%s at %g, %g lies below a handle for %g x %g", G_OBJECT_TYPE_NAME (widget),
             (double) bounds.origin.x, (double) bounds.origin.y, (double) seen.size.width,
             (double) seen.size.height);
}

/* What can be pressed is not below what moves the panes, which would take the press. */
static void
check_handle (GtkWidget *widget, gpointer data)
{
  Handle handle = { data, GRAPHENE_RECT_INIT (0, 0, 0, 0) };

  if (!GTK_IS_PANED (widget) || !gtk_widget_get_mapped (widget))
    return;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (gtk_widget_get_mapped (child) &&
        g_str_equal (gtk_widget_get_css_name (child), "separator") &&
        gtk_widget_compute_bounds (child, data, &handle.handle))
      {
        graphene_rect_inset (&handle.handle, -HANDLE_REACH, -HANDLE_REACH);
        ui_for_each (widget, check_control, &handle);
      }
}

/* Presses with the mouse where a label is. */
static void
press_label (GtkWidget *table, GtkWidget *label)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (table);
  graphene_point_t at = GRAPHENE_POINT_INIT (2, 2);

  g_assert_true (gtk_widget_compute_point (label, table, &at, &at));
  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GObject) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_GESTURE_CLICK (controller) &&
          gtk_gesture_single_get_button (GTK_GESTURE_SINGLE (controller)) == GDK_BUTTON_PRIMARY)
        g_signal_emit_by_name (controller, "pressed", 1, (double) at.x, (double) at.y);
    }
}

static gboolean
is_compared (gpointer data)
{
  return assay_compare_activity_get_comparison (assay_session_get_compare_activity (data)) != NULL;
}

/* Counts what can be chosen to run something on; one thing is not among it. */
static guint
n_choices (AssaySession *session, const char *absent)
{
  const AssayRunnerKind *kind;
  guint n = 0;

  while ((kind = assay_session_get_runner_choice (session, n)) != NULL)
    {
      g_assert_cmpstr (kind->name, !=, absent);
      n++;
    }

  g_assert_cmpuint (n, >, 2);
  return n;
}

/* The button of an empty page goes by what it does, and no text of the result gets a cursor for it;
 * the row that is selected then opens by a click as by Enter, and by no order of the rows. */
static void
test_first_result (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  GtkWidget *button, *page, *table, *side;

  ui_open_example (window, "streaming-cnn.onnx");
  ui_wait_ready (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "compare");
  ui_settle ();
  button = gtk_widget_get_ancestor (ui_find_label (GTK_WIDGET (window), "Compare the Two Runs"),
                                    GTK_TYPE_BUTTON);
  g_assert_true (gtk_widget_grab_focus (button));
  g_signal_emit_by_name (button, "clicked");
  wait_until (is_compared (assay_window_get_session (window)));
  ui_wait_ready (window);
  g_assert_false (gtk_widget_get_mapped (button));
  g_assert_nonnull (gtk_window_get_focus (GTK_WINDOW (window)));
  g_assert_false (GTK_IS_LABEL (gtk_window_get_focus (GTK_WINDOW (window))));

  page = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_COMPARE_PAGE);
  /* What runs programs of other targets is not offered. */
  side = ui_find_type (page, GTK_TYPE_DROP_DOWN);
  g_assert_cmpuint (g_list_model_get_n_items (gtk_drop_down_get_model (GTK_DROP_DOWN (side))), ==,
                    n_choices (assay_window_get_session (window), "dpu"));
  g_assert_null (ui_find_label (page, "Show Values"));
  table = ui_find_type (page, GTK_TYPE_COLUMN_VIEW);
  for (guint i = 4; i-- > 0;)
    {
      g_autoptr (GtkColumnViewColumn)
          column = g_list_model_get_item (gtk_column_view_get_columns (GTK_COLUMN_VIEW (table)), i);

      gtk_column_view_sort_by_column (GTK_COLUMN_VIEW (table), column,
                                      i == 0 ? GTK_SORT_DESCENDING : GTK_SORT_ASCENDING);
      ui_settle ();
      g_assert_null (ui_find_label (page, "Show Values"));
    }
  press_label (table, ui_find_label (page, "within rounding"));
  g_assert_nonnull (ui_find_label (page, "Show Values"));
  ui_click (page, "Close the details");
  g_assert_null (ui_find_label (page, "Show Values"));
  g_signal_emit_by_name (table, "activate", 0);
  g_assert_nonnull (ui_find_label (page, "Show Values"));
  ui_settle ();
  ui_for_each (GTK_WIDGET (window), check_handle, window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "graph");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.node-table", NULL);
  ui_settle ();
  g_assert_true (gtk_widget_get_mapped (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_NODE_PANEL)));
  ui_for_each (GTK_WIDGET (window), check_handle, window);
  ui_window_close (window);
}

static const UiTest tests[] = {
  { "/ui/window/first-result", test_first_result },
  { "/ui/window/names", test_names },
  { "/ui/window/focus-order", test_focus_order },
  { "/ui/window/panes", test_panes },
};

TEST_PROGRAM (accessibility)
{
  return ui_run (argc, argv, tests, G_N_ELEMENTS (tests));
}
