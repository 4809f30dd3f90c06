/* test-findings.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Findings in the window: the walk over them, filters, search, the rule behind a refusal, and a
 * model without any.
 */
#include "test-program.h"
#include "ui-fixture.h"
#include "ui/canvas/assay-canvas.h"
#include "ui/window/assay-context-bar.h"
#include "ui/inspector/assay-fix-list.h"
#include "ui/inspector/assay-inspector.h"
#include "ui/inspector/assay-rule-window.h"
#include "ui/sidebar/assay-sidebar.h"

/* The first one is selected from the start; where it is out of sight, the first step goes there. */
static void
go_to_first (AssayWindow *window)
{
  AssayCanvas *canvas = ASSAY_CANVAS (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS));

  g_assert_cmpint (assay_session_get_finding (assay_window_get_session (window)), ==, 0);
  if (!assay_canvas_shows_selection (canvas, TRUE))
    gtk_widget_activate_action (GTK_WIDGET (window), "win.next-finding", NULL);
  ui_settle ();
  g_assert_cmpint (assay_session_get_finding (assay_window_get_session (window)), ==, 0);
  g_assert_true (assay_canvas_shows_selection (canvas, TRUE));
}

static void
test_walk (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  guint n, met = 0;
  AssayNodeId last = ASSAY_NO_NODE;

  ui_open_example (window, UI_MODEL);
  n = g_list_model_get_n_items (assay_session_get_finding_items (session));
  go_to_first (window);

  for (guint i = 1; i < n; i++)
    {
      gtk_widget_activate_action (GTK_WIDGET (window), "win.next-finding", NULL);
      ui_settle ();
      g_assert_cmpint (assay_session_get_finding (session), ==, (int) i);
      if (assay_session_get_selection (session) != last)
        {
          const AssayNode *node;

          last = assay_session_get_selection (session);
          node = assay_graph_node (assay_session_get_verdicts (session)->graph, last);
          g_assert_nonnull (ui_find_label (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_INSPECTOR),
                                           node->op_type));
          met++;
        }
    }
  g_assert_cmpuint (met, >, 3);

  gtk_widget_activate_action (GTK_WIDGET (window), "win.next-finding", NULL);
  g_assert_cmpint (assay_session_get_finding (session), ==, 0);
  last = assay_session_get_selection (session);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.next-node", NULL);
  g_assert_cmpuint (assay_session_get_selection (session), !=, last);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.previous-node", NULL);
  g_assert_cmpuint (assay_session_get_selection (session), ==, last);
  ui_window_close (window);
}

/* As when a key is held down: nothing is drawn in between. */
static void
test_quick_walk (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1024, 640);
  AssaySession *session = assay_window_get_session (window);
  g_autoptr (AssayFindingItem) item = NULL;
  AssayNodeId expected;

  ui_open_example (window, UI_MODEL);
  go_to_first (window);
  for (guint i = 0; i < 3; i++)
    gtk_widget_activate_action (GTK_WIDGET (window), "win.next-finding", NULL);
  item = g_list_model_get_item (assay_session_get_finding_items (session), 3);
  expected = g_array_index (assay_finding_item_get_nodes (item), AssayNodeId, 0);
  g_assert_cmpint (assay_session_get_finding (session), ==, 3);
  g_assert_cmpuint (assay_session_get_selection (session), ==, expected);
  ui_settle ();
  g_assert_cmpint (assay_session_get_finding (session), ==, 3);
  g_assert_cmpuint (assay_session_get_selection (session), ==, expected);
  ui_window_close (window);
}

static void
collect_toggles (GtkWidget *widget, gpointer data)
{
  if (GTK_IS_TOGGLE_BUTTON (widget) && gtk_widget_has_css_class (widget, "verdict-toggle") &&
      gtk_widget_get_mapped (widget))
    g_ptr_array_add (data, widget);
}

static void
test_filter (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  g_autoptr (GPtrArray) toggles = g_ptr_array_new ();
  guint shown = 0;

  ui_open_example (window, UI_MODEL);
  ui_for_each (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CONTEXT_BAR), collect_toggles,
               toggles);
  for (guint kind = 0; kind < ASSAY_N_VERDICTS; kind++)
    shown += assay_session_get_verdicts (session)->counts[kind] > 0;
  g_assert_cmpuint (toggles->len, >=, 2);
  g_assert_cmpuint (toggles->len, <=, shown);

  gtk_toggle_button_set_active (g_ptr_array_index (toggles, 0), TRUE);
  g_assert_cmpuint (assay_session_get_filter (session), ==, 1u << ASSAY_VERDICT_REJECTED);
  gtk_toggle_button_set_active (g_ptr_array_index (toggles, toggles->len - 1), TRUE);
  g_assert_cmpuint (assay_session_get_filter (session) & (1u << ASSAY_VERDICT_SUPPORTED), !=, 0);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.back", NULL);
  g_assert_cmpuint (assay_session_get_filter (session), ==, 0);
  g_assert_false (gtk_toggle_button_get_active (g_ptr_array_index (toggles, 0)));
  ui_window_close (window);
}

static void
test_search (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  GtkWidget *sidebar;
  GtkWidget *entry;

  ui_open_example (window, UI_MODEL);
  sidebar = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_SIDEBAR);
  entry = ui_find_type (sidebar, GTK_TYPE_SEARCH_ENTRY);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.find", NULL);
  ui_search (sidebar, "resize");
  g_assert_nonnull (ui_find_label (sidebar, "1 node"));
  g_assert_nonnull (ui_find_label (sidebar, "Resize"));
  g_assert_cmpuint (assay_session_get_hits (assay_window_get_session (window))->len, ==, 1);
  ui_search (sidebar, "Shape -> Gather -> ** -> Div");
  g_assert_nonnull (ui_find_label (sidebar, "4 nodes"));
  /* Keys go through what was found, around its end, and the row goes along. */
  for (guint i = 0; i < 5; i++)
    {
      const GArray *hits = assay_session_get_hits (assay_window_get_session (window));

      gtk_widget_activate_action (GTK_WIDGET (window), "win.find-next", NULL);
      g_assert_cmpuint (assay_session_get_selection (assay_window_get_session (window)), ==,
                        g_array_index (hits, AssayNodeId, i % 4));
    }
  ui_search (sidebar, "size>1");
  g_assert_nonnull (ui_find_label (sidebar, "Not a Search"));
  ui_search (sidebar, "no such thing");
  g_assert_nonnull (ui_find_label (sidebar, "No Results"));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.back", NULL);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (entry)), ==, "");
  ui_window_close (window);
}

static void
collect_text (GtkWidget *widget, gpointer data)
{
  if (GTK_IS_LABEL (widget))
    g_string_append_printf (data, "%s\n", gtk_label_get_text (GTK_LABEL (widget)));
}

/* The rule behind a refusal: its text, its predicates, what the node has, and what helps. */
static void
test_rule (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1600, 900);
  AssaySession *session = assay_window_get_session (window);
  GtkWidget *rule;
  g_autoptr (GString) text = g_string_new (NULL);

  ui_open_example (window, UI_MODEL);
  g_assert_true (assay_session_select_name (session, "/backbone/pool/MaxPool"));
  ui_settle ();
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "What Helps"));
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "Show Rule"));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-rule", NULL);
  ui_settle ();
  rule = ui_find_window (ASSAY_TYPE_RULE_WINDOW);
  g_assert_nonnull (rule);
  ui_for_each (rule, collect_text, text);
  g_assert_nonnull (strstr (text->str, "Rule pooling"));
  g_assert_nonnull (strstr (text->str, "\"id\": \"pooling\""));
  g_assert_nonnull (strstr (text->str, "Conditions"));
  g_assert_nonnull (strstr (text->str, "Published at http"));
  g_assert_nonnull (strstr (text->str, "input 0"));
  ui_window_close (window);
}

/* A model without findings can be run from the place that says so, as soon as there is a program.
 */
static void
test_clean (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  GtkWidget *sidebar, *toggle, *run;

  ui_open_example (window, "mlp.onnx");
  ui_bind_batch (window);
  sidebar = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_SIDEBAR);
  toggle = gtk_widget_get_ancestor (ui_find_label (sidebar, "Findings"), GTK_TYPE_TOGGLE_BUTTON);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (toggle), TRUE);
  ui_settle ();
  g_assert_nonnull (ui_find_label (sidebar, "Compile"));
  run = gtk_widget_get_ancestor (ui_find_label (sidebar, "Run"), GTK_TYPE_BUTTON);
  g_assert_true (gtk_widget_get_mapped (run));
  g_assert_true (gtk_widget_is_sensitive (run));
  g_signal_emit_by_name (run, "clicked");
  g_assert_cmpint (assay_activity_get_state (
                       ASSAY_ACTIVITY (assay_session_get_run (assay_window_get_session (window)))),
                   !=, ASSAY_ACTIVITY_NONE);
  ui_window_close (window);
}

/* Whether the list of findings is open at a node. */
static gboolean
is_at_node (AssayWindow *window)
{
  GtkWidget *sidebar = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_SIDEBAR);
  GtkListView *list = GTK_LIST_VIEW (ui_find_type (sidebar, GTK_TYPE_LIST_VIEW));
  GtkSingleSelection *selection = GTK_SINGLE_SELECTION (gtk_list_view_get_model (list));
  GtkTreeListRow *row = gtk_single_selection_get_selected_item (selection);
  g_autoptr (GObject) item = row != NULL ? gtk_tree_list_row_get_item (row) : NULL;

  return ASSAY_IS_OUTLINE_ITEM (item);
}

/* What was looked at before a check is looked at after it, and its fixes are looked for again,
 * whatever made the check necessary and whoever chose the node. */
static void
test_recheck (void)
{
  static const struct
  {
    gboolean walked;
    gboolean inspector;
  } rows[] = { { TRUE, TRUE }, { FALSE, TRUE }, { FALSE, FALSE } };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
      AssaySession *session = assay_window_get_session (window);
      GtkWidget *list = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_FIX_LIST);
      g_autoptr (AssaySettings) setup = assay_settings_new ();
      AssayNodeId selection;

      g_test_message ("row %u", i);
      ui_open_example (window, UI_MODEL);
      selection = assay_session_get_selection (session);
      g_assert_cmpint (assay_session_get_finding (session), ==, 0);
      ui_wait_offer (list);
      if (!rows[i].walked)
        assay_session_set_finding (session, -1);
      g_object_set (window, "show-inspector", rows[i].inspector, NULL);

      assay_settings_set_flag (&setup, ASSAY_SETTING_DYNAMIC_WEIGHTS, TRUE);
      assay_session_set_setup (session, setup);
      ui_wait_ready (window);
      ui_settle ();
      g_assert_cmpuint (assay_session_get_selection (session), ==, selection);
      g_assert_cmpint (assay_session_get_finding (session), ==, rows[i].walked ? 0 : -1);
      if (rows[i].walked)
        g_assert_true (is_at_node (window));
      g_object_set (window, "show-inspector", TRUE, NULL);
      ui_wait_offer (list);
      ui_window_close (window);
    }
}

static const UiTest tests[] = {
  { "/ui/window/clean", test_clean },     { "/ui/findings/recheck", test_recheck },
  { "/ui/findings/walk", test_walk },     { "/ui/findings/quick-walk", test_quick_walk },
  { "/ui/findings/filter", test_filter }, { "/ui/findings/search", test_search },
  { "/ui/findings/rule", test_rule },
};

TEST_PROGRAM (findings)
{
  return ui_run (argc, argv, tests, G_N_ELEMENTS (tests));
}
