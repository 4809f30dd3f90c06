/* test-window.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The window under a virtual display: templates, states, findings, filters, setup, sizes, names, actions.
 */
#include <glib/gstdio.h>

#include "ui-fixture.h"
#include "ui/assay-action.h"
#include "ui/assay-canvas.h"
#include "ui/assay-context-bar.h"
#include "ui/assay-graph-page.h"
#include "ui/assay-inspector.h"
#include "ui/assay-memory-chart.h"
#include "ui/assay-memory-page.h"
#include "ui/assay-rule-window.h"
#include "ui/assay-selection-card.h"
#include "ui/assay-setup-popover.h"
#include "ui/assay-sidebar.h"
#include "ui/assay-target-chooser.h"
#include "ui/assay-watchdog.h"

#define MODEL "many-refusals.onnx"

static const char *
visible_page (AssayWindow *window)
{
  GtkWidget *stack = ui_find_type (GTK_WIDGET (window), GTK_TYPE_STACK);

  return gtk_stack_get_visible_child_name (GTK_STACK (stack));
}

/* Templates. */

static void
check_type (GType  type,
            guint *n)
{
  guint n_children;
  g_autofree GType *children = g_type_children (type, &n_children);

  if (g_str_has_prefix (g_type_name (type), "Assay") && !G_TYPE_IS_ABSTRACT (type)
      && !g_type_is_a (type, GTK_TYPE_ROOT))
    {
      GtkWidget *widget = g_object_ref_sink (g_object_new (type, NULL));

      g_test_message ("%s", g_type_name (type));
      g_assert_finalize_object (widget);
      (*n)++;
    }

  for (guint i = 0; i < n_children; i++)
    check_type (children[i], n);
}

static void
test_templates (void)
{
  guint n = 0;

  g_type_ensure (ASSAY_TYPE_WINDOW);
  check_type (GTK_TYPE_WIDGET, &n);
  g_assert_cmpuint (n, >, 15);
}

static void
finalized_cb (gpointer  data,
              GObject  *object)
{
  *(gboolean *) data = TRUE;
}

static void
test_finalize (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  gboolean window_gone = FALSE, session_gone = FALSE;

  ui_open_example (window, MODEL);
  g_object_weak_ref (G_OBJECT (window), finalized_cb, &window_gone);
  g_object_weak_ref (G_OBJECT (session), finalized_cb, &session_gone);
  ui_window_close (window);
  g_assert_true (window_gone);
  g_assert_true (session_gone);
}

/* States. */

static void
test_states (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  g_autofree char *junk = NULL;
  int fd = g_file_open_tmp ("assay-XXXXXX.onnx", &junk, NULL);

  g_assert_true (g_close (fd, NULL));
  g_assert_true (g_file_set_contents (junk, "no model at all", -1, NULL));

  g_assert_cmpstr (visible_page (window), ==, "start");
  g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (window)), ==, "Assay");

  ui_open_example (window, MODEL);
  g_assert_cmpstr (visible_page (window), ==, "work");
  g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (window)), ==, MODEL " - " UI_TARGET " - Assay");
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), MODEL));

  assay_window_open (window, junk, NULL);
  ui_wait_ready (window);
  g_assert_cmpstr (visible_page (window), ==, "failed");
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window),
                                   assay_session_get_problem (assay_window_get_session (window))->what));

  gtk_widget_activate_action (GTK_WIDGET (window), "win.close-model", NULL);
  ui_settle (30);
  g_assert_cmpstr (visible_page (window), ==, "start");
  ui_window_close (window);
  g_remove (junk);
}

static gboolean
is_changed (gpointer data)
{
  return assay_session_get_changed_files (data) != 0;
}

/* A model that is written while it is open is told of in the bar, and Reload keeps what was selected. */
static void
test_reload (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  GtkInfoBar *bar = GTK_INFO_BAR (ui_find_type (GTK_WIDGET (window), GTK_TYPE_INFO_BAR));
  g_autofree char *folder = g_dir_make_tmp ("assay-reload-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "model.onnx", NULL);
  g_autofree char *first = ui_example (MODEL);
  g_autofree char *second = ui_example ("mlp.onnx");
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFile) from = g_file_new_for_path (first);
  g_autoptr (GFile) other = g_file_new_for_path (second);
  guint before;

  g_assert_true (g_file_copy (from, file, G_FILE_COPY_NONE, NULL, NULL, NULL, NULL));
  assay_window_open (window, path, NULL);
  ui_wait_ready (window);
  before = assay_graph_n_nodes (assay_session_get_graph (session));
  g_assert_null (ui_find_label (GTK_WIDGET (bar), "Reload"));
  assay_session_set_filter (session, 1u << ASSAY_VERDICT_REJECTED);

  g_assert_true (g_file_copy (other, file, G_FILE_COPY_OVERWRITE, NULL, NULL, NULL, NULL));
  ui_wait (is_changed, session);
  ui_settle (300);
  g_assert_nonnull (ui_find_label (GTK_WIDGET (bar), "Reload"));
  g_assert_cmpint (gtk_info_bar_get_message_type (bar), ==, GTK_MESSAGE_INFO);
  g_assert_cmpuint (assay_graph_n_nodes (assay_session_get_graph (session)), ==, before);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.reload", NULL);
  ui_wait_ready (window);
  g_assert_cmpuint (assay_graph_n_nodes (assay_session_get_graph (session)), !=, before);
  g_assert_cmpstr (visible_page (window), ==, "work");
  g_assert_cmpuint (assay_session_get_changed_files (session), ==, 0);
  ui_window_close (window);
  g_remove (path);
  g_rmdir (folder);
}

static void
test_target (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  guint before;

  ui_open_example (window, MODEL);
  before = assay_session_get_verdicts (session)->counts[ASSAY_VERDICT_REJECTED];
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "Memory"));

  gtk_widget_activate_action (GTK_WIDGET (window), "win.target", "s", UI_OTHER_TARGET);
  ui_wait_ready (window);
  g_assert_cmpstr (assay_session_get_verdicts (session)->target_id, ==, UI_OTHER_TARGET);
  g_assert_cmpuint (assay_session_get_verdicts (session)->counts[ASSAY_VERDICT_REJECTED], !=, before);
  g_assert_nonnull (strstr (gtk_window_get_title (GTK_WINDOW (window)), UI_OTHER_TARGET));
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), UI_OTHER_TARGET));
  /* A delegate makes no program: its pages are not there. */
  g_assert_null (ui_find_label (GTK_WIDGET (window), "Memory"));
  ui_window_close (window);
}

/* Findings and filters. */

static void
test_walk (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  guint n, met = 0;
  AssayNodeId last = ASSAY_NO_NODE;

  ui_open_example (window, MODEL);
  n = g_list_model_get_n_items (assay_session_get_finding_items (session));
  g_assert_cmpint (assay_session_get_finding (session), ==, 0);

  for (guint i = 1; i < n; i++)
    {
      gtk_widget_activate_action (GTK_WIDGET (window), "win.next-finding", NULL);
      ui_settle (20);
      g_assert_cmpint (assay_session_get_finding (session), ==, (int) i);
      if (assay_session_get_selection (session) != last)
        {
          const AssayNode *node;

          last = assay_session_get_selection (session);
          node = assay_graph_node (assay_session_get_verdicts (session)->graph, last);
          g_assert_nonnull (ui_find_label (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_INSPECTOR), node->op_type));
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

  ui_open_example (window, MODEL);
  for (guint i = 0; i < 3; i++)
    gtk_widget_activate_action (GTK_WIDGET (window), "win.next-finding", NULL);
  item = g_list_model_get_item (assay_session_get_finding_items (session), 3);
  expected = g_array_index (assay_finding_item_get_nodes (item), AssayNodeId, 0);
  g_assert_cmpint (assay_session_get_finding (session), ==, 3);
  g_assert_cmpuint (assay_session_get_selection (session), ==, expected);
  ui_settle (500);
  g_assert_cmpint (assay_session_get_finding (session), ==, 3);
  g_assert_cmpuint (assay_session_get_selection (session), ==, expected);
  ui_window_close (window);
}

static void
collect_toggles (GtkWidget *widget,
                 gpointer   data)
{
  if (GTK_IS_TOGGLE_BUTTON (widget) && gtk_widget_has_css_class (widget, "verdict-toggle")
      && gtk_widget_get_visible (widget))
    g_ptr_array_add (data, widget);
}

static void
test_filter (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  g_autoptr (GPtrArray) toggles = g_ptr_array_new ();
  guint shown = 0;

  ui_open_example (window, MODEL);
  ui_for_each (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CONTEXT_BAR), collect_toggles, toggles);
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
collect_entries (GtkWidget *widget,
                 gpointer   data)
{
  if (ADW_IS_ENTRY_ROW (widget))
    g_ptr_array_add (data, widget);
}

static gboolean
is_bound (gpointer data)
{
  AssaySession *session = data;

  return !assay_setup_is_empty (assay_session_get_setup (session)) && !assay_session_get_busy (session);
}

/* Typing sizes into Setup reads the model again, and what was undecided is decided. */
static void
test_setup (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  g_autoptr (GPtrArray) entries = g_ptr_array_new ();
  guint n_dims, before;

  ui_open_example (window, "transformer-block.onnx");
  before = assay_session_get_verdicts (session)->counts[ASSAY_VERDICT_UNDECIDED];
  g_assert_cmpuint (before, >, 0);
  n_dims = assay_session_get_dimensions (session)->len;
  g_assert_cmpuint (n_dims, >, 0);

  gtk_widget_activate_action (GTK_WIDGET (window), "win.setup", NULL);
  ui_settle (50);
  ui_for_each (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_SETUP_POPOVER), collect_entries, entries);
  g_assert_cmpuint (entries->len, >=, n_dims);
  for (guint i = 0; i < n_dims; i++)
    gtk_editable_set_text (GTK_EDITABLE (g_ptr_array_index (entries, i)), "16");
  ui_wait (is_bound, session);
  g_assert_cmpuint (assay_session_get_verdicts (session)->counts[ASSAY_VERDICT_UNDECIDED], <, before);
  ui_window_close (window);
}

/* The cursor is where the first size is missing; what crosses the border can be fp32. */
static void
test_setup_rows (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  GtkWidget *popover, *focus, *row;

  ui_open_example (window, "mlp.onnx");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.setup", NULL);
  ui_settle (100);
  popover = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_SETUP_POPOVER);
  focus = gtk_root_get_focus (gtk_widget_get_root (popover));
  g_assert_nonnull (focus);
  row = gtk_widget_get_ancestor (focus, ADW_TYPE_ENTRY_ROW);
  g_assert_nonnull (row);
  g_assert_nonnull (strstr (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row)), "batch"));
  gtk_editable_set_text (GTK_EDITABLE (row), "1");
  ui_wait (is_bound, session);

  row = gtk_widget_get_ancestor (ui_find_label (popover, "Precision of input"), ADW_TYPE_COMBO_ROW);
  g_assert_nonnull (row);
  g_assert_cmpuint (adw_combo_row_get_selected (ADW_COMBO_ROW (row)), ==, 0);
  adw_combo_row_set_selected (ADW_COMBO_ROW (row), 1);
  ui_settle (400);
  ui_wait_ready (window);
  g_assert_cmpstr (assay_setup_get_compile_option (assay_session_get_setup (session), "keep-fp32"), ==, "input");
  g_assert_nonnull (assay_compilation_get_code (assay_session_get_compilation (session)));
  ui_window_close (window);
}

/* F6 goes once around the panes that are there, and Shift+F6 back. */
static void
test_panes (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1920, 1000);
  const GType panes[] = { ASSAY_TYPE_CONTEXT_BAR, ASSAY_TYPE_SIDEBAR, ASSAY_TYPE_CANVAS, ASSAY_TYPE_INSPECTOR };

  ui_open_example (window, MODEL);
  gtk_window_set_focus (GTK_WINDOW (window), NULL);
  for (guint i = 0; i < 2 * G_N_ELEMENTS (panes); i++)
    {
      gtk_widget_activate_action (GTK_WIDGET (window), "win.next-pane", NULL);
      g_assert_nonnull (gtk_widget_get_ancestor (gtk_window_get_focus (GTK_WINDOW (window)),
                                                 panes[i % G_N_ELEMENTS (panes)]));
    }
  gtk_widget_activate_action (GTK_WIDGET (window), "win.previous-pane", NULL);
  g_assert_nonnull (gtk_widget_get_ancestor (gtk_window_get_focus (GTK_WINDOW (window)), ASSAY_TYPE_CANVAS));
  ui_window_close (window);
}

static void
test_search (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  GtkWidget *sidebar;
  GtkWidget *entry;

  ui_open_example (window, MODEL);
  sidebar = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_SIDEBAR);
  entry = ui_find_type (sidebar, GTK_TYPE_SEARCH_ENTRY);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.find", NULL);
  gtk_editable_set_text (GTK_EDITABLE (entry), "resize");
  ui_settle (150);
  g_assert_nonnull (ui_find_label (sidebar, "1 node"));
  g_assert_nonnull (ui_find_label (sidebar, "Resize"));
  g_assert_cmpuint (assay_session_get_hits (assay_window_get_session (window))->len, ==, 1);
  gtk_editable_set_text (GTK_EDITABLE (entry), "Shape -> Gather -> ** -> Div");
  ui_settle (150);
  g_assert_nonnull (ui_find_label (sidebar, "4 nodes"));
  /* Keys go through what was found, around its end, and the row goes along. */
  for (guint i = 0; i < 5; i++)
    {
      const GArray *hits = assay_session_get_hits (assay_window_get_session (window));

      gtk_widget_activate_action (GTK_WIDGET (window), "win.find-next", NULL);
      g_assert_cmpuint (assay_session_get_selection (assay_window_get_session (window)), ==,
                        g_array_index (hits, AssayNodeId, i % 4));
    }
  gtk_editable_set_text (GTK_EDITABLE (entry), "size>1");
  ui_settle (150);
  g_assert_nonnull (ui_find_label (sidebar, "Not a Search"));
  gtk_editable_set_text (GTK_EDITABLE (entry), "no such thing");
  ui_settle (150);
  g_assert_nonnull (ui_find_label (sidebar, "No Results"));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.back", NULL);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (entry)), ==, "");
  ui_window_close (window);
}

static void
collect_text (GtkWidget *widget,
              gpointer   data)
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
  GListModel *toplevels = gtk_window_get_toplevels ();
  GtkWidget *rule = NULL;
  g_autoptr (GString) text = g_string_new (NULL);

  ui_open_example (window, MODEL);
  g_assert_true (assay_session_select_name (session, "/backbone/pool/MaxPool"));
  ui_settle (50);
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "What Helps"));
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "Show Rule"));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-rule", NULL);
  ui_settle (50);
  for (guint i = 0; i < g_list_model_get_n_items (toplevels); i++)
    {
      g_autoptr (GtkWidget) toplevel = g_list_model_get_item (toplevels, i);

      if (ASSAY_IS_RULE_WINDOW (toplevel))
        rule = toplevel;
    }
  g_assert_nonnull (rule);
  ui_for_each (rule, collect_text, text);
  g_assert_nonnull (strstr (text->str, "Rule pooling"));
  g_assert_nonnull (strstr (text->str, "\"id\" : \"pooling\""));
  g_assert_nonnull (strstr (text->str, "Conditions"));
  g_assert_nonnull (strstr (text->str, "Published at http"));
  g_assert_nonnull (strstr (text->str, "input 0"));
  ui_window_close (window);
}

/* Colours from a program, with numbers in the nodes and in the legend. */
static void
test_colour_by (void)
{
  static const char *const kinds[] = { "engine", "scope", "bytes", "core", "cycles" };
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  g_autoptr (AssaySetup) setup = assay_setup_new ();
  AssayCanvas *canvas;

  ui_open_example (window, "mlp.onnx");
  canvas = ASSAY_CANVAS (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS));
  gtk_widget_activate_action (GTK_WIDGET (canvas), "graph.colour-by", "s", "cycles");
  g_assert_null (assay_canvas_get_overlay (canvas));
  assay_setup_set_binding (setup, "batch", 1);
  assay_session_set_setup (session, setup);
  ui_wait_ready (window);
  g_assert_nonnull (assay_compilation_get_code (assay_session_get_compilation (session)));
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      const AssayOverlay *overlay;
      guint coloured = 0;

      gtk_widget_activate_action (GTK_WIDGET (canvas), "graph.colour-by", "s", kinds[i]);
      ui_settle (30);
      overlay = assay_canvas_get_overlay (canvas);
      g_assert_nonnull (overlay);
      for (AssayNodeId node = 1; node < assay_graph_n_nodes (assay_session_get_verdicts (session)->graph); node++)
        coloured += overlay->step_of_node[node] > 0;
      g_test_message ("%s: %u nodes", kinds[i], coloured);
      g_assert_cmpuint (coloured, >, 0);
      g_assert_nonnull (ui_find_label (GTK_WIDGET (window), g_ptr_array_index (overlay->labels, 0)));
      g_assert_nonnull (ui_find_label (GTK_WIDGET (window), assay_overlay_kind_title (overlay->kind)));
    }
  gtk_widget_activate_action (GTK_WIDGET (canvas), "graph.colour-by", "s", "verdict");
  g_assert_null (assay_canvas_get_overlay (canvas));
  ui_window_close (window);
}

/* Sizes. */

static void
check_ellipsis (GtkWidget *widget,
                gpointer   data)
{
  const char *text;

  if (!GTK_IS_LABEL (widget) || !gtk_widget_get_mapped (widget))
    return;

  text = gtk_label_get_text (GTK_LABEL (widget));
  /* The name of a file may be cut in the middle; everything else has to be read whole. */
  if (g_str_has_suffix (text, ".onnx"))
    return;
  if (pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (widget))))
    {
      g_test_message ("cut: %s", text);
      g_test_fail ();
    }
}

/* What a target is can be read whole in the list of targets: every family has longer sentences than the first. */
static void
test_chooser (void)
{
  static const char *const searches[] = { "", "dpu", "vulkan" };
  AssayWindow *window = ui_window_new (UI_TARGET, 1024, 640);
  GtkWidget *chooser;

  ui_open_example (window, MODEL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.choose-target", NULL);
  chooser = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_TARGET_CHOOSER);
  for (guint i = 0; i < G_N_ELEMENTS (searches); i++)
    {
      gtk_editable_set_text (GTK_EDITABLE (ui_find_type (chooser, GTK_TYPE_SEARCH_ENTRY)), searches[i]);
      ui_settle (300);
      ui_for_each (chooser, check_ellipsis, NULL);
    }
  ui_window_close (window);
}

/* A model without findings can be run from the place that says so, as soon as there is a program. */
static void
test_clean (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  g_autoptr (AssaySetup) setup = assay_setup_new ();
  GtkWidget *sidebar, *toggle, *run;

  ui_open_example (window, "mlp.onnx");
  assay_setup_set_binding (setup, "batch", 1);
  assay_session_set_setup (assay_window_get_session (window), setup);
  ui_wait_ready (window);
  sidebar = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_SIDEBAR);
  toggle = gtk_widget_get_ancestor (ui_find_label (sidebar, "Findings"), GTK_TYPE_TOGGLE_BUTTON);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (toggle), TRUE);
  ui_settle (50);
  g_assert_nonnull (ui_find_label (sidebar, "Compile"));
  run = gtk_widget_get_ancestor (ui_find_label (sidebar, "Run"), GTK_TYPE_BUTTON);
  g_assert_true (gtk_widget_get_mapped (run));
  g_assert_true (gtk_widget_is_sensitive (run));
  g_signal_emit_by_name (run, "clicked");
  g_assert_cmpint (assay_activity_get_state (
                     ASSAY_ACTIVITY (assay_session_get_run (assay_window_get_session (window)))), !=, ASSAY_RUN_NONE);
  ui_window_close (window);
}

static void
test_sizes (void)
{
  static const int sizes[][2] = { { 720, 480 }, { 1024, 640 }, { 1280, 800 }, { 1920, 1080 } };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      AssayWindow *window = ui_window_new (UI_TARGET, sizes[i][0], sizes[i][1]);
      int minimum, width, height;

      ui_open_example (window, MODEL);
      ui_settle (100);
      gtk_widget_measure (GTK_WIDGET (window), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
      g_assert_cmpint (minimum, <=, 720);
      gtk_widget_measure (GTK_WIDGET (window), GTK_ORIENTATION_VERTICAL, -1, &minimum, NULL, NULL, NULL);
      g_assert_cmpint (minimum, <=, 480);
      width = gtk_widget_get_width (GTK_WIDGET (window));
      height = gtk_widget_get_height (GTK_WIDGET (window));
      g_test_message ("%d x %d", width, height);
      /* A few pixels less: the frame that a window without compositor draws. */
      g_assert_cmpint (width, <=, sizes[i][0]);
      g_assert_cmpint (height, <=, sizes[i][1]);
      g_assert_cmpint (width, >=, sizes[i][0] - 20);
      ui_for_each (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CONTEXT_BAR), check_ellipsis, NULL);
      for (GtkWidget *child = gtk_widget_get_first_child (gtk_widget_get_parent (
             ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CONTEXT_BAR)));
           child != NULL; child = gtk_widget_get_next_sibling (child))
        if (ADW_IS_HEADER_BAR (child))
          ui_for_each (child, check_ellipsis, NULL);
      ui_window_close (window);
    }
}

static void
test_width_class (void)
{
  static const struct { int width; AssayWidthClass expected; } cases[] = {
    { 720, ASSAY_WIDTH_COMPACT },
    { 1100, ASSAY_WIDTH_MEDIUM },
    { 1400, ASSAY_WIDTH_NORMAL },
    { 1800, ASSAY_WIDTH_WIDE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      AssayWindow *window = ui_window_new (UI_TARGET, cases[i].width, 700);

      ui_settle (60);
      g_assert_cmpint (assay_window_get_width_class (window), ==, cases[i].expected);
      ui_window_close (window);
    }
}

static void
test_card (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1024, 640);
  GtkWidget *card;

  ui_open_example (window, MODEL);
  ui_settle (60);
  card = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_SELECTION_CARD);
  g_assert_true (gtk_widget_get_visible (card));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.inspect", NULL);
  ui_settle (60);
  g_assert_false (gtk_widget_get_visible (card));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.back", NULL);
  ui_settle (60);
  g_assert_true (gtk_widget_get_visible (card));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.back", NULL);
  g_assert_false (gtk_widget_get_visible (card));
  ui_window_close (window);
}

/* Accessibility. */

typedef struct
{
  guint rows;
  guint controls;
} Named;

static void
check_name (GtkWidget *widget,
            gpointer   data)
{
  Named *named = data;
  GtkWidget *parent = gtk_widget_get_parent (widget);

  if (!gtk_widget_get_mapped (widget))
    return;

  if (GTK_IS_LIST_VIEW (parent))
    {
      named->rows++;
      if (!gtk_test_accessible_has_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL))
        {
          g_test_message ("a row of %s has no name", G_OBJECT_TYPE_NAME (parent));
          g_test_fail ();
        }
    }
  else if (GTK_IS_BUTTON (widget))
    {
      named->controls++;
      if (gtk_button_get_label (GTK_BUTTON (widget)) == NULL
          && !gtk_test_accessible_has_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL)
          && !gtk_test_accessible_has_relation (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_RELATION_LABELLED_BY)
          && gtk_widget_get_tooltip_text (widget) == NULL
          && !GTK_IS_MENU_BUTTON (parent) && !ADW_IS_SPLIT_BUTTON (parent)
          && ui_find_type (widget, GTK_TYPE_LABEL) == NULL)
        {
          g_autofree char *ancestors = g_strdup_printf ("%s in %s", G_OBJECT_TYPE_NAME (widget),
                                                        G_OBJECT_TYPE_NAME (parent));

          if (!g_str_has_prefix (G_OBJECT_TYPE_NAME (gtk_widget_get_parent (parent)), "GtkWindowControls")
              && !g_str_has_prefix (G_OBJECT_TYPE_NAME (parent), "GtkWindowControls"))
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

  ui_open_example (window, MODEL);
  session = assay_window_get_session (window);
  ui_for_each (GTK_WIDGET (window), check_name, &named);
  g_assert_cmpuint (named.rows, >, 5);

  gtk_widget_activate_action (GTK_WIDGET (window), "win.choose-target", NULL);
  ui_settle (500);
  g_assert_cmpuint (g_list_model_get_n_items (assay_session_get_targets (session)), >, 2);
  named.rows = 0;
  ui_for_each (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_TARGET_CHOOSER), check_name, &named);
  g_assert_cmpuint (named.rows, >, 2);
  ui_window_close (window);
}

static void
collect_open_popovers (GtkWidget *widget,
                       gpointer   data)
{
  if (GTK_IS_POPOVER (widget) && gtk_widget_get_mapped (widget))
    g_ptr_array_add (data, widget);
}

/* A window that ends with an open popover takes it along: one that stays alive without its surface is what the tooltip
 * that GTK waits to show complains about. */
static void
test_open_popover (void)
{
  static const char *const actions[] = { "win.choose-target", "win.setup", "graph.menu" };

  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    {
      AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
      g_autoptr (GPtrArray) popovers = g_ptr_array_new ();
      gboolean gone = FALSE;

      ui_open_example (window, MODEL);
      gtk_widget_activate_action (GTK_WIDGET (window), actions[i], NULL);
      ui_settle (50);
      ui_for_each (GTK_WIDGET (window), collect_open_popovers, popovers);
      g_assert_cmpuint (popovers->len, ==, 1);
      g_object_weak_ref (g_ptr_array_index (popovers, 0), finalized_cb, &gone);
      ui_window_close (window);
      g_assert_true (gone);
    }
}

/* Which part of the window holds the focus, in the order in which Tab goes through them. */
static int
focused_part (AssayWindow *window)
{
  const GType parts[] = { ADW_TYPE_HEADER_BAR, ASSAY_TYPE_CONTEXT_BAR, ASSAY_TYPE_SIDEBAR, ASSAY_TYPE_GRAPH_PAGE,
                          ASSAY_TYPE_MEMORY_PAGE, ASSAY_TYPE_INSPECTOR };
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (window));

  for (guint i = 0; focus != NULL && i < G_N_ELEMENTS (parts); i++)
    if (gtk_widget_get_ancestor (focus, parts[i]) != NULL)
      return (int) i;

  return -1;
}

/* Tab goes once through all parts in their order, and reaches each. */
static void
check_focus_order (const char  *page,
                   const char  *expected)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1920, 1000);
  g_autoptr (GString) order = g_string_new (NULL);
  int last = -1;

  ui_open_example (window, "mlp.onnx");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", page);
  ui_settle (100);
  gtk_window_set_focus (GTK_WINDOW (window), NULL);
  for (guint i = 0; i < 150 && gtk_widget_child_focus (GTK_WIDGET (window), GTK_DIR_TAB_FORWARD); i++)
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

/* Actions. */

/* What an action that takes something is given. */
static const struct
{
  const char *name;
  const char *value;
} parameters[] = {
  { "win.open-path", NULL },
  { "win.page", "memory" },
  { "win.runner", "vm-fp32" },
  { "win.board", "local" },
  { "win.target", UI_OTHER_TARGET },
  { "win.apply-fix", "0" },
  { "win.apply-fix-to-node", "0" },
  { "win.copy-command-of", "check" },
  { "graph.colour-by", "bytes" },
  { "graph.level", "onnx" },
  { "graph.show-origin", "graph/node[0]" },
};

static const char *
find_parameter (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (parameters); i++)
    if (g_str_equal (parameters[i].name, name))
      return parameters[i].value;

  g_error ("%s takes something, and this test does not know what", name);
}

static void
activate_all (AssayWindow *window)
{
  /* These open dialogs of the system, or end what the loop needs. */
  static const char *const skipped[] = { "win.open", "win.open-target", "win.close-model", "win.open-path",
                                         "win.show-help-overlay", NULL };
  guint n;
  const AssayAction *actions = assay_action_list (&n);

  for (guint i = 0; i < n; i++)
    {
      if (g_strv_contains (skipped, actions[i].name) || strstr (actions[i].name, "::") != NULL
          || g_str_has_prefix (actions[i].name, "app.") || g_str_has_prefix (actions[i].name, "window."))
        continue;
      if (actions[i].parameter_type != NULL)
        gtk_widget_activate_action (GTK_WIDGET (window), actions[i].name, actions[i].parameter_type,
                                    find_parameter (actions[i].name));
      else
        gtk_widget_activate_action (GTK_WIDGET (window), actions[i].name, NULL);
      ui_settle (5);
    }
  ui_wait_ready (window);
}

static void
test_actions (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  g_autofree char *path = ui_example (MODEL);

  activate_all (window);
  ui_open_example (window, MODEL);
  activate_all (window);
  assay_window_open (window, path, NULL);
  activate_all (window);
  ui_window_close (window);
}

static gboolean
is_class_action (GtkWidget  *widget,
                 const char *name)
{
  GType owner;
  const char *found, *property;
  const GVariantType *type;

  for (guint i = 0; gtk_widget_class_query_action (GTK_WIDGET_GET_CLASS (widget), i, &owner, &found, &type, &property);
       i++)
    if (g_str_equal (found, name))
      return TRUE;

  return FALSE;
}

/* Someone carries it out: the window, the graph, the memory map, or the application, which has its own test. */
static gboolean
is_alive (AssayWindow *window,
          const char  *full_name)
{
  GtkWidget *canvas = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS);
  GtkWidget *chart = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_MEMORY_CHART);
  g_auto (GStrv) parts = g_strsplit (full_name, "::", 2);
  const char *name = parts[0];

  if (g_str_has_prefix (name, "app.") || g_str_has_prefix (name, "window."))
    return TRUE;
  if (g_str_has_prefix (name, "graph."))
    return g_action_group_has_action (assay_canvas_get_actions (ASSAY_CANVAS (canvas)), name + strlen ("graph."));
  if (g_str_equal (name, "win.show-help-overlay"))
    return g_action_group_has_action (G_ACTION_GROUP (window), "show-help-overlay");

  return is_class_action (GTK_WIDGET (window), name) || is_class_action (chart, name);
}

static gboolean
is_header_case (const char *label)
{
  static const char *const small[] = { "a", "along", "an", "and", "as", "at", "by", "for", "in", "of", "on", "or",
                                       "the", "to", "with", NULL };
  g_auto (GStrv) words = g_strsplit (label, " ", -1);

  for (guint i = 0; words[i] != NULL; i++)
    {
      const char *word = *words[i] == '_' ? words[i] + 1 : words[i];

      if (!g_ascii_isupper (*word) && (i == 0 || !g_strv_contains (small, word)))
        return FALSE;
    }

  return TRUE;
}

/* Every row is whole, has a key or a place, and somebody who does it. */
static void
test_action_table (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  guint n;
  const AssayAction *actions = assay_action_list (&n);

  g_assert_cmpuint (n, >, 50);
  for (guint i = 0; i < n; i++)
    {
      g_test_message ("%s", actions[i].name);
      g_assert_true (assay_action_find (actions[i].name) == &actions[i]);
      g_assert_true (is_header_case (actions[i].label));
      g_assert_cmpuint (strlen (actions[i].description), >, 5);
      g_assert_true (g_ascii_isupper (actions[i].description[0]));
      g_assert_null (strchr (actions[i].description, '\n'));
      g_assert_false (g_str_has_suffix (actions[i].description, "."));
      g_assert_true (actions[i].accels != NULL || actions[i].keys != NULL || actions[i].menus != ASSAY_MENU_NONE);
      g_assert_true (is_alive (window, actions[i].name));
    }
  ui_window_close (window);
}

static void
take_keys (GHashTable        *taken,
           const AssayAction *action,
           const char        *accels)
{
  g_auto (GStrv) list = g_strsplit (accels != NULL ? accels : "", " ", -1);

  for (guint i = 0; list[i] != NULL; i++)
    {
      guint key;
      GdkModifierType modifiers;
      g_autofree char *name = NULL;

      g_assert_true (gtk_accelerator_parse (list[i], &key, &modifiers));
      name = gtk_accelerator_name (key, modifiers);
      if (!g_hash_table_insert (taken, g_steal_pointer (&name), (gpointer) action))
        {
          g_test_message ("%s of %s is taken", list[i], action->name);
          g_test_fail ();
        }
    }
}

/* The keys of the design, each of one action; a letter means one thing in the graph and may mean another in the map. */
static void
test_keys (void)
{
  static const struct { const char *key; const char *action; } designed[] = {
    { "<Control>o", "win.open" }, { "<Alt>1", "win.page::graph" }, { "<Alt>4", "win.page::compare" },
    { "F9", "win.show-sidebar" }, { "<Shift>F9", "win.show-inspector" }, { "F6", "win.next-pane" },
    { "<Shift>F6", "win.previous-pane" }, { "<Control>f", "win.find" }, { "<Control>g", "win.find-next" },
    { "<Shift><Control>g", "win.find-previous" }, { "<Control>b", "win.compile" }, { "<Control>r", "win.run" },
    { "<Shift><Control>r", "win.compare" }, { "<Shift><Control>d", "win.deploy" },
    { "<Control>backslash", "win.graph-beside" }, { "<Control>plus", "graph.zoom-in" },
    { "<Control>minus", "graph.zoom-out" }, { "<Control>0", "graph.zoom-normal" },
    { "F8", "win.next-finding" }, { "<Shift>F8", "win.previous-finding" }, { "n", "win.next-node" },
    { "<Shift>n", "win.previous-node" }, { "d", "compare.first-divergent" }, { "Down", "graph.first-reader" },
    { "Up", "graph.first-producer" }, { "Left", "graph.left" }, { "Right", "graph.right" },
    { "Return", "graph.unfold" },
    { "BackSpace", "graph.fold" }, { "f", "graph.fit" }, { "period", "graph.fit-selection" }, { "i", "graph.fan-in" },
    { "o", "graph.fan-out" }, { "<Control>c", "graph.copy-name" }, { "<Shift><Control>c", "graph.copy-nnir" },
    { "bracketleft", "memory.previous-step" }, { "bracketright", "memory.next-step" },
    { "braceleft", "memory.previous-peak" }, { "braceright", "memory.next-peak" }, { "m", "memory.pin" },
    { "F1", "app.help" }, { "<Control>question", "win.show-help-overlay" }, { "<Shift>F10", "graph.menu" },
  };
  g_autoptr (GHashTable) everywhere = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) graph = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) memory = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint n;
  const AssayAction *actions = assay_action_list (&n);

  for (guint i = 0; i < n; i++)
    {
      take_keys (everywhere, &actions[i], actions[i].accels);
      if (!g_str_has_prefix (actions[i].name, "memory."))
        take_keys (graph, &actions[i], actions[i].keys);
      if (!g_str_has_prefix (actions[i].name, "graph."))
        take_keys (memory, &actions[i], actions[i].keys);
    }

  for (guint i = 0; i < G_N_ELEMENTS (designed); i++)
    {
      guint key;
      GdkModifierType modifiers;
      g_autofree char *name = NULL;
      const AssayAction *found;

      g_assert_true (gtk_accelerator_parse (designed[i].key, &key, &modifiers));
      name = gtk_accelerator_name (key, modifiers);
      found = g_hash_table_lookup (everywhere, name);
      if (found == NULL)
        found = g_str_has_prefix (designed[i].action, "memory.") ? assay_action_for_key ("memory.", key, modifiers)
                                                                 : assay_action_for_key ("graph.", key, modifiers);
      g_test_message ("%s", designed[i].key);
      g_assert_nonnull (found);
      g_assert_cmpstr (found->name, ==, designed[i].action);
    }
  /* The search entry never loses a letter to the window. */
  g_assert_null (g_hash_table_lookup (everywhere, "f"));
}

typedef struct
{
  AssayWindow *window;
  guint n;
} Described;

/* A control that calls an action is known to the table, and says something when it is pointed at. */
static void
check_control (GtkWidget *widget,
               gpointer   data)
{
  Described *described = data;
  const char *name = GTK_IS_ACTIONABLE (widget) ? gtk_actionable_get_action_name (GTK_ACTIONABLE (widget)) : NULL;

  if (name == NULL || (!g_str_has_prefix (name, "win.") && !g_str_has_prefix (name, "graph.")))
    return;

  g_test_message ("%s", name);
  g_assert_nonnull (assay_action_find (name));
  g_assert_true (gtk_widget_get_has_tooltip (widget));
  described->n++;
}

/* What cannot be used says why: nothing is open, nodes are rejected, there is no selection. */
static void
test_reasons (void)
{
  static const struct { const char *action; const char *start; const char *refused; } cases[] = {
    { "win.open", NULL, NULL },
    { "win.find", "No model is open", NULL },
    { "win.compile", "No model is open", "nodes are rejected; F8 goes through them" },
    { "win.deploy", "No model is open", "nodes are rejected; F8 goes through them" },
    { "win.find-next", "The search has no results", "The search has no results" },
    { "compare.first-divergent", "No comparison found a divergence", "No comparison found a divergence" },
    { "graph.copy-name", "No node is selected", NULL },
  };
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  GtkWidget *canvas = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS);
  Described described = { window, 0 };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *reason = assay_window_explain_action (window, cases[i].action);

      g_assert_cmpstr (reason, ==, cases[i].start);
    }
  g_assert_false (g_action_group_get_action_enabled (assay_canvas_get_actions (ASSAY_CANVAS (canvas)), "copy-name"));

  ui_open_example (window, MODEL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *reason = assay_window_explain_action (window, cases[i].action);

      if (cases[i].refused == NULL)
        g_assert_null (reason);
      else
        g_assert_nonnull (strstr (reason, cases[i].refused));
    }
  g_assert_true (g_action_group_get_action_enabled (assay_canvas_get_actions (ASSAY_CANVAS (canvas)), "copy-name"));
  ui_for_each (GTK_WIDGET (window), check_control, &described);
  g_assert_cmpuint (described.n, >, 15);
  ui_window_close (window);
}

static void
collect_shortcut (GtkWidget *widget,
                  gpointer   data)
{
  if (GTK_IS_SHORTCUTS_SHORTCUT (widget))
    {
      char *accelerator;

      g_object_get (widget, "accelerator", &accelerator, NULL);
      g_hash_table_add (data, accelerator);
    }
}

/* Everything that has keys is in the shortcuts window. */
static void
test_shortcuts (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  g_autoptr (GHashTable) listed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  guint n;
  const AssayAction *actions = assay_action_list (&n);

  ui_for_each (GTK_WIDGET (gtk_application_window_get_help_overlay (GTK_APPLICATION_WINDOW (window))), collect_shortcut,
               listed);
  for (guint i = 0; i < n; i++)
    {
      const char *keys = actions[i].accels != NULL ? actions[i].accels : actions[i].keys;
      g_auto (GStrv) list = g_strsplit (keys != NULL ? keys : "", " ", 2);

      if (keys == NULL)
        continue;
      g_test_message ("%s: %s", actions[i].name, list[0]);
      g_assert_true (g_hash_table_contains (listed, list[0]));
    }
  gtk_window_present (GTK_WINDOW (gtk_application_window_get_help_overlay (GTK_APPLICATION_WINDOW (window))));
  ui_settle (100);
  ui_window_close (window);
}

/* Pages. */

static void
test_pages (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);

  ui_open_example (window, MODEL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "memory");
  ui_settle (60);
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "No Program to Measure"));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-findings", NULL);
  ui_settle (60);
  g_assert_null (ui_find_label (GTK_WIDGET (window), "No Program to Measure"));
  ui_window_close (window);
}

static void
test_watchdog (void)
{
  guint before = assay_watchdog_get_count ();

  {
    ASSAY_WATCH ("too long");
    g_usleep (20 * 1000);
  }
  g_assert_cmpuint (assay_watchdog_get_count (), ==, before + 1);
  {
    ASSAY_WATCH ("short");
  }
  g_assert_cmpuint (assay_watchdog_get_count (), ==, before + 1);
}

int
main (int    argc,
      char **argv)
{
  if (!ui_init (&argc, &argv))
    {
      g_print ("1..0 # SKIP there is no display\n");
      return 0;
    }

  g_test_add_func ("/ui/types/templates", test_templates);
  g_test_add_func ("/ui/window/finalize", test_finalize);
  g_test_add_func ("/ui/window/states", test_states);
  g_test_add_func ("/ui/window/reload", test_reload);
  g_test_add_func ("/ui/window/target", test_target);
  g_test_add_func ("/ui/window/sizes", test_sizes);
  g_test_add_func ("/ui/window/chooser", test_chooser);
  g_test_add_func ("/ui/window/clean", test_clean);
  g_test_add_func ("/ui/window/width-class", test_width_class);
  g_test_add_func ("/ui/window/card", test_card);
  g_test_add_func ("/ui/window/pages", test_pages);
  g_test_add_func ("/ui/window/names", test_names);
  g_test_add_func ("/ui/window/open-popover", test_open_popover);
  g_test_add_func ("/ui/window/focus-order", test_focus_order);
  g_test_add_func ("/ui/actions/table", test_action_table);
  g_test_add_func ("/ui/actions/keys", test_keys);
  g_test_add_func ("/ui/actions/reasons", test_reasons);
  g_test_add_func ("/ui/actions/activate", test_actions);
  g_test_add_func ("/ui/actions/shortcuts", test_shortcuts);
  g_test_add_func ("/ui/findings/walk", test_walk);
  g_test_add_func ("/ui/findings/quick-walk", test_quick_walk);
  g_test_add_func ("/ui/findings/filter", test_filter);
  g_test_add_func ("/ui/findings/search", test_search);
  g_test_add_func ("/ui/findings/rule", test_rule);
  g_test_add_func ("/ui/graph/colour-by", test_colour_by);
  g_test_add_func ("/ui/setup/binding", test_setup);
  g_test_add_func ("/ui/setup/rows", test_setup_rows);
  g_test_add_func ("/ui/window/panes", test_panes);
  g_test_add_func ("/ui/watchdog/counts", test_watchdog);

  return g_test_run ();
}
