/* test-compare-window.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the page of a comparison shows of its results, and of the row that is looked at.
 */
#include "test-program.h"
#include "ui-fixture.h"
#include "ui/canvas/assay-canvas-private.h"
#include "ui/compare/assay-compare-page.h"

static const char *
get_colour (AssayWindow *window)
{
  AssayCanvas *canvas = ASSAY_CANVAS (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS));
  g_autoptr (GVariant)
      state = g_action_group_get_action_state (assay_canvas_get_actions (canvas), "colour-by");

  return g_intern_string (g_variant_get_string (state, NULL));
}

/* The results stand in a strip, what is asked for opens below the table and can be closed, and the
 * graph has the colours of the errors until something else is chosen. */
static void
test_compare_result (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1024, 640);
  GtkWidget *page = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_COMPARE_PAGE);
  GtkWidget *worst;

  ui_open_example (window, "streaming-cnn.onnx");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "compare");
  g_assert_cmpstr (get_colour (window), ==, "verdict");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
  ui_wait_ended (assay_session_get_compare_activity (assay_window_get_session (window)));
  ui_settle ();
  g_assert_nonnull (ui_find_label (page, "Pass"));
  g_assert_nonnull (ui_find_label (page, "None"));
  g_assert_nonnull (ui_find_label (page, "0 of 1"));
  g_assert_nonnull (ui_find_label (page, "within rounding"));

  g_assert_null (ui_find_label (page, "Show Values"));
  worst = gtk_widget_get_ancestor (ui_find_label (page, "Worst Own Error"), GTK_TYPE_BUTTON);
  g_signal_emit_by_name (worst, "clicked");
  ui_settle ();
  g_assert_nonnull (ui_find_label (page, "Show Values"));
  ui_click (page, "Close the details");
  g_assert_null (ui_find_label (page, "Show Values"));

  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "memory");
  ui_settle ();
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "graph");
  ui_settle ();
  g_assert_cmpstr (get_colour (window), ==, "error");
  gtk_widget_activate_action (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS),
                              "graph.colour-by", "s", "bytes");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
  ui_wait_ended (assay_session_get_compare_activity (assay_window_get_session (window)));
  g_assert_cmpstr (get_colour (window), ==, "bytes");
  ui_window_close (window);
}

static GtkWidget *
find_selected_row (GtkWidget *root)
{
  GtkWidget *found = NULL;

  if (g_str_equal (gtk_widget_get_css_name (root), "row") &&
      (gtk_widget_get_state_flags (root) & GTK_STATE_FLAG_SELECTED) != 0)
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_selected_row (child);

  return found;
}

static void
check_in_sight (GtkWidget *table)
{
  GtkWidget *rows = gtk_widget_get_last_child (table);
  GtkWidget *row = find_selected_row (rows);
  graphene_rect_t bounds;

  g_assert_nonnull (row);
  g_assert_true (gtk_widget_compute_bounds (row, rows, &bounds));
  g_assert_cmpfloat (bounds.origin.y, >=, 0);
  g_assert_cmpfloat (bounds.origin.y + bounds.size.height, <=, gtk_widget_get_height (rows));
}

/* The row whose detail is open is whole, however small the detail and the window make its table. */
static void
test_detail_row (void)
{
  static const int heights[] = { 800, 640, 560, 480, 700 };
  AssayWindow *window = ui_window_new (UI_TARGET, 1024, 800);
  GtkWidget *page = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_COMPARE_PAGE);
  GtkWidget *table = ui_find_type (page, GTK_TYPE_COLUMN_VIEW);
  AssayCompareActivity *comparing = assay_session_get_compare_activity (
      assay_window_get_session (window));
  GtkSelectionModel *rows;
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "chain.nnir", NULL);
  g_autoptr (GString) text = g_string_new ("main (%v0 : f32[4,8]) {\n");
  const guint n = 40;

  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "  %%v%u = Tanh(%%v%u) : f32[4,8] @ \"n%u\"\n", i + 1, i, i);
  g_string_append_printf (text, "  return %%v%u\n}\n", n);
  g_assert_true (g_file_set_contents (path, text->str, -1, NULL));
  assay_window_open (window, path, NULL);
  ui_wait_ready (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "compare");
  assay_compare_activity_set_runner (comparing, 0, "reference");
  assay_compare_activity_set_runner (comparing, 1, "reference-fp64");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
  ui_wait_ended (comparing);
  ui_settle ();
  rows = gtk_column_view_get_model (GTK_COLUMN_VIEW (table));
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (rows)), ==, n);

  for (guint i = 0; i < G_N_ELEMENTS (heights); i++)
    {
      guint position = (i + 1) * n / (G_N_ELEMENTS (heights) + 1);

      gtk_window_set_default_size (GTK_WINDOW (window), 1024, heights[i]);
      ui_settle ();
      gtk_widget_activate_action (gtk_widget_get_last_child (table), "list.scroll-to-item", "u",
                                  position);
      gtk_selection_model_select_item (rows, position, TRUE);
      ui_settle ();
      g_assert_nonnull (ui_find_label (page, "Show Values"));
      check_in_sight (table);

      gtk_window_set_default_size (GTK_WINDOW (window), 1024, 480);
      ui_settle ();
      check_in_sight (table);
      ui_click (page, "Close the details");
    }
  ui_window_close (window);
}

static const UiTest tests[] = {
  { "/ui/compare/result", test_compare_result },
  { "/ui/compare/detail-row", test_detail_row },
};

TEST_PROGRAM (compare_window)
{
  return ui_run (argc, argv, tests, G_N_ELEMENTS (tests));
}
