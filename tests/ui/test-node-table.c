/* test-node-table.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The table of nodes in the window: selection both ways, keyboard, filter, sorting, names,
 * clipboard.
 */
#include <string.h>

#include "int8-model.h"
#include "test-program.h"
#include "ui-fixture.h"
#include "ui/canvas/assay-canvas.h"
#include "ui/table/assay-node-header.h"
#include "ui/table/assay-node-panel.h"
#include "ui/table/assay-node-row.h"

typedef struct
{
  AssayWindow *window;
  AssaySession *session;
  AssayNodeTable *table;
  GtkWidget *panel;
  GtkWidget *list;
  AssayCanvas *canvas;
} Fixture;

static void
find_list (GtkWidget *widget, gpointer data)
{
  if (gtk_widget_has_css_class (widget, "node-list"))
    *(GtkWidget **) data = widget;
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->window = ui_window_new (UI_TARGET, 1280, 800);
  fixture->session = assay_window_get_session (fixture->window);
  fixture->table = assay_session_get_node_table (fixture->session);
  fixture->panel = ui_find_type (GTK_WIDGET (fixture->window), ASSAY_TYPE_NODE_PANEL);
  ui_for_each (fixture->panel, find_list, &fixture->list);
  fixture->canvas = ASSAY_CANVAS (ui_find_type (GTK_WIDGET (fixture->window), ASSAY_TYPE_CANVAS));
  ui_open_example (fixture->window, UI_MODEL);
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.node-table", NULL);
  ui_settle ();
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  ui_window_close (fixture->window);
}

/* Hidden, the table has no rows: nobody pays for it. */
static void
test_toggle (Fixture *fixture, gconstpointer data)
{
  guint all = assay_graph_n_nodes (assay_session_get_verdicts (fixture->session)->graph) - 1;

  g_assert_true (gtk_widget_get_mapped (fixture->panel));
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (fixture->table)), ==, all);
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.page", "s", "memory");
  ui_settle ();
  g_assert_false (gtk_widget_get_mapped (fixture->panel));
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (fixture->table)), ==, 0);
  gtk_widget_activate_action (GTK_WIDGET (fixture->window), "win.page", "s", "graph");
  ui_settle ();
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (fixture->table)), ==, all);
}

/* What is chosen in the table is chosen in the session and on the canvas, and the other way round.
 */
static void
test_selection (Fixture *fixture, gconstpointer data)
{
  GtkSelectionModel *model = gtk_list_view_get_model (GTK_LIST_VIEW (fixture->list));
  AssayNodeId third, other;
  guint position;

  third = assay_node_table_get_node (fixture->table, 2);
  gtk_selection_model_select_item (model, 2, TRUE);
  g_assert_cmpuint (assay_session_get_selection (fixture->session), ==, third);
  g_assert_cmpuint (assay_canvas_get_selection (fixture->canvas), ==, third);
  g_assert_cmpuint (assay_node_table_get_n_selected (fixture->table), ==, 1);

  other = assay_node_table_get_node (fixture->table,
                                     g_list_model_get_n_items (G_LIST_MODEL (model)) - 1);
  assay_canvas_set_selection (fixture->canvas, other);
  g_assert_cmpuint (assay_session_get_selection (fixture->session), ==, other);
  position = assay_node_table_find (fixture->table, other);
  g_assert_true (gtk_selection_model_is_selected (model, position));
  g_assert_false (gtk_selection_model_is_selected (model, 2));

  /* Several: the one chosen last is what everything else looks at. */
  gtk_selection_model_select_item (model, 2, FALSE);
  g_assert_cmpuint (assay_node_table_get_n_selected (fixture->table), ==, 2);
  g_assert_cmpuint (assay_session_get_selection (fixture->session), ==, third);
  g_assert_true (gtk_selection_model_is_selected (model, position));
  gtk_selection_model_unselect_item (model, 2);
  g_assert_cmpuint (assay_session_get_selection (fixture->session), ==, other);
  gtk_selection_model_select_all (model);
  g_assert_cmpuint (assay_node_table_get_n_selected (fixture->table), ==,
                    g_list_model_get_n_items (G_LIST_MODEL (model)));
  gtk_selection_model_unselect_all (model);
  g_assert_cmpuint (assay_session_get_selection (fixture->session), ==, ASSAY_NO_NODE);
}

static GtkWidget *
row_of (GtkWidget *list, guint index)
{
  GtkWidget *row = gtk_widget_get_first_child (list);

  while (index-- > 0)
    row = gtk_widget_get_next_sibling (row);

  return row;
}

/* The list takes the focus, and its own keys move and extend what is selected. */
static void
test_keyboard (Fixture *fixture, gconstpointer data)
{
  GtkWidget *list = fixture->list;

  assay_node_table_mark (fixture->table, 0, TRUE);
  assay_node_table_commit (fixture->table, 0);
  g_assert_true (gtk_widget_grab_focus (row_of (list, 0)));
  g_assert_true (gtk_widget_activate_action (list, "list.select-all", NULL));
  g_assert_cmpuint (assay_node_table_get_n_selected (fixture->table), ==,
                    g_list_model_get_n_items (G_LIST_MODEL (fixture->table)));
  g_assert_true (gtk_widget_activate_action (list, "list.select-item", "(ubb)", 1, FALSE, FALSE));
  g_assert_cmpuint (assay_session_get_selection (fixture->session), ==,
                    assay_node_table_get_node (fixture->table, 1));
  g_assert_true (gtk_widget_activate_action (list, "list.select-item", "(ubb)", 3, FALSE, TRUE));
  g_assert_cmpuint (assay_node_table_get_n_selected (fixture->table), ==, 3);
  g_assert_true (gtk_widget_child_focus (list, GTK_DIR_DOWN));
}

static void
collect_rows (GtkWidget *widget, gpointer data)
{
  if (ASSAY_IS_NODE_ROW (widget) && gtk_widget_get_mapped (widget))
    g_ptr_array_add (data, widget);
}

/* A filter leaves rows out, and what is left out is not selected any more. */
static void
test_filter (Fixture *fixture, gconstpointer data)
{
  GtkWidget *choice = ui_find_type (fixture->panel, GTK_TYPE_DROP_DOWN);
  AssayVerdicts *verdicts = assay_session_get_verdicts (fixture->session);
  guint all = g_list_model_get_n_items (G_LIST_MODEL (fixture->table));

  gtk_selection_model_select_all (gtk_list_view_get_model (GTK_LIST_VIEW (fixture->list)));
  ui_search (fixture->panel, "verdict=rejected");
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (fixture->table)), ==,
                    verdicts->counts[ASSAY_VERDICT_REJECTED]);
  g_assert_cmpuint (assay_node_table_get_n_selected (fixture->table), ==,
                    verdicts->counts[ASSAY_VERDICT_REJECTED]);
  ui_search (fixture->panel, "size>1");
  g_assert_nonnull (ui_find_label (fixture->panel, "Not a Filter"));
  ui_search (fixture->panel, "");
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (fixture->table)), ==, all);

  /* The verdicts of the context bar and those here are one filter. */
  gtk_drop_down_set_selected (GTK_DROP_DOWN (choice), ASSAY_VERDICT_REJECTED + 1);
  g_assert_cmpuint (assay_session_get_filter (fixture->session), ==, 1u << ASSAY_VERDICT_REJECTED);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (fixture->table)), ==,
                    verdicts->counts[ASSAY_VERDICT_REJECTED]);
  assay_session_set_filter (fixture->session,
                            1u << ASSAY_VERDICT_REJECTED | 1u << ASSAY_VERDICT_SUPPORTED);
  g_assert_cmpuint (gtk_drop_down_get_selected (GTK_DROP_DOWN (choice)), ==, ASSAY_N_VERDICTS + 1);
  assay_session_set_filter (fixture->session, 0);
  g_assert_cmpuint (gtk_drop_down_get_selected (GTK_DROP_DOWN (choice)), ==, 0);
}

static void
collect_buttons (GtkWidget *widget, gpointer data)
{
  if (GTK_IS_BUTTON (widget))
    g_ptr_array_add (data, widget);
}

/* A click on a head sorts, another one the other way; the row that is selected stays so. */
static void
test_sort (Fixture *fixture, gconstpointer data)
{
  GtkWidget *header = ui_find_type (fixture->panel, ASSAY_TYPE_NODE_HEADER);
  g_autoptr (GPtrArray) buttons = g_ptr_array_new ();
  AssayNodeFacts *facts = assay_node_table_get_facts (fixture->table);
  AssayNodeId selection;
  gboolean descending;

  ui_for_each (header, collect_buttons, buttons);
  g_assert_cmpuint (buttons->len, ==, ASSAY_N_NODE_COLUMNS);
  selection = assay_session_get_selection (fixture->session);
  g_assert_cmpuint (selection, !=, ASSAY_NO_NODE);
  g_signal_emit_by_name (g_ptr_array_index (buttons, ASSAY_NODE_COLUMN_ACTIVATIONS), "clicked");
  g_assert_cmpint (assay_node_table_get_sort (fixture->table, &descending), ==,
                   ASSAY_NODE_COLUMN_ACTIVATIONS);
  g_assert_true (descending);
  for (guint i = 1; i < g_list_model_get_n_items (G_LIST_MODEL (fixture->table)); i++)
    g_assert_cmpfloat (facts->activations[assay_node_table_get_node (fixture->table, i - 1)], >=,
                       facts->activations[assay_node_table_get_node (fixture->table, i)]);
  g_signal_emit_by_name (g_ptr_array_index (buttons, ASSAY_NODE_COLUMN_ACTIVATIONS), "clicked");
  assay_node_table_get_sort (fixture->table, &descending);
  g_assert_false (descending);
  g_assert_cmpuint (assay_session_get_selection (fixture->session), ==, selection);
  g_assert_true (assay_node_table_is_selected (fixture->table,
                                               assay_node_table_find (fixture->table, selection)));
}

static void
text_cb (GObject *object, GAsyncResult *result, gpointer data)
{
  *(char **) data = gdk_clipboard_read_text_finish (GDK_CLIPBOARD (object), result, NULL);
}

static gboolean
has_text (gpointer data)
{
  return *(char **) data != NULL;
}

static gboolean
is_copied (gpointer data)
{
  return ui_find_label (data, "Copied 2 nodes") != NULL;
}

/* Two rows and their head come out of the clipboard; unknown numbers are empty, not 0. */
static void
test_copy (Fixture *fixture, gconstpointer data)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  g_auto (GStrv) fields = NULL;

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (fixture->table)); i++)
    assay_node_table_mark (fixture->table, i, i < 2);
  assay_node_table_commit (fixture->table, 0);
  g_assert_true (gtk_widget_activate_action (fixture->list, "nodes.copy", NULL));
  wait_until (is_copied (fixture->window));
  gdk_clipboard_read_text_async (gtk_widget_get_clipboard (fixture->panel), NULL, text_cb, &text);
  wait_until (has_text (&text));
  lines = g_strsplit (text, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 4);
  fields = g_strsplit (lines[1], "\t", -1);
  g_assert_cmpuint (g_strv_length (fields), ==, ASSAY_N_NODE_COLUMNS);
  g_assert_cmpstr (fields[ASSAY_NODE_COLUMN_NUMBER], ==, "1");
  g_assert_cmpstr (fields[ASSAY_NODE_COLUMN_CYCLES], ==, "");
  g_assert_cmpstr (fields[ASSAY_NODE_COLUMN_ERROR], ==, "");
}

/* Cells are the same as what files have, but for units; every row that is seen has a node. */
static void
test_rows (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new ();

  ui_for_each (fixture->list, collect_rows, rows);
  g_assert_cmpuint (rows->len, >, 5);
  for (guint i = 0; i < rows->len; i++)
    {
      g_autofree char *name = assay_node_row_dup_cell (g_ptr_array_index (rows, i),
                                                       ASSAY_NODE_COLUMN_NAME);
      g_autofree char *cycles = assay_node_row_dup_cell (g_ptr_array_index (rows, i),
                                                         ASSAY_NODE_COLUMN_CYCLES);
      g_autofree char *bytes = assay_node_row_dup_cell (g_ptr_array_index (rows, i),
                                                        ASSAY_NODE_COLUMN_PARAMETERS);

      g_assert_cmpstr (name, !=, "");
      g_assert_cmpstr (cycles, ==, "");
      g_assert_true (g_str_has_suffix (bytes, "B") || g_str_has_suffix (bytes, "bytes"));
    }
}

static guint
count_positions (Fixture *fixture)
{
  g_autoptr (GPtrArray) rows = g_ptr_array_new ();
  guint n = 0;

  ui_for_each (fixture->list, collect_rows, rows);
  for (guint i = 0; i < rows->len; i++)
    {
      g_autofree char *cell = assay_node_row_dup_cell (g_ptr_array_index (rows, i),
                                                       ASSAY_NODE_COLUMN_POSITIONS);

      n += g_str_has_prefix (cell, "input ") || strstr (cell, "result ") != NULL;
    }

  return n;
}

static void
find_sentence (GtkWidget *widget, gpointer data)
{
  if (ADW_IS_STATUS_PAGE (widget) &&
      g_strcmp0 (adw_status_page_get_description (ADW_STATUS_PAGE (widget)),
                 "The only node that is left runs on dpu_zdx8g_b512. 4 nodes were removed.") == 0)
    *(gboolean *) data = TRUE;
}

/* The positions of a quantised model stand where the target has them, unless they are hidden; of
 * other models and targets there is no such column. */
static void
test_positions (Fixture *fixture, gconstpointer data)
{
  AssayNodeHeader *header = ASSAY_NODE_HEADER (
      ui_find_type (fixture->panel, ASSAY_TYPE_NODE_HEADER));
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "quantised.nnir", NULL);
  GtkWidget *window = GTK_WIDGET (fixture->window);
  gboolean is_told = FALSE;

  g_assert_false (assay_node_header_get_shown (header, ASSAY_NODE_COLUMN_POSITIONS));
  g_assert_true (g_file_set_contents (path, int8_model, -1, NULL));
  gtk_widget_activate_action (window, "win.target", "s", "dpu_zdx8g_b512");
  assay_session_open_async (fixture->session, path, NULL, NULL, NULL);
  ui_wait_ready (fixture->window);
  ui_settle ();
  g_assert_true (assay_node_header_get_shown (header, ASSAY_NODE_COLUMN_POSITIONS));
  g_assert_cmpuint (count_positions (fixture), >, 0);

  /* The one that is left of them is told as one. */
  ui_for_each (window, find_sentence, &is_told);
  g_assert_true (is_told);

  gtk_widget_activate_action (fixture->panel, "columns.positions", NULL);
  g_assert_false (assay_node_header_get_shown (header, ASSAY_NODE_COLUMN_POSITIONS));
  gtk_widget_activate_action (fixture->panel, "columns.positions", NULL);
  g_assert_true (assay_node_header_get_shown (header, ASSAY_NODE_COLUMN_POSITIONS));

  gtk_widget_activate_action (window, "win.target", "s", UI_TARGET);
  ui_wait_ready (fixture->window);
  g_assert_false (assay_node_header_get_shown (header, ASSAY_NODE_COLUMN_POSITIONS));
}

/* Where columns that say little beside it can give way, no name is cut. */
static void
test_names (Fixture *fixture, gconstpointer data)
{
  AssayNodeHeader *header = ASSAY_NODE_HEADER (
      ui_find_type (fixture->panel, ASSAY_TYPE_NODE_HEADER));
  static const int widths[] = { 1920, 2560 };

  ui_open_example (fixture->window, "streaming-cnn.onnx");
  for (guint i = 0; i < G_N_ELEMENTS (widths); i++)
    {
      g_autoptr (GPtrArray) rows = g_ptr_array_new ();

      gtk_window_set_default_size (GTK_WINDOW (fixture->window), widths[i], 1000);
      ui_settle ();
      ui_settle ();
      ui_for_each (fixture->list, collect_rows, rows);
      g_assert_cmpuint (rows->len, >, 3);
      for (guint k = 0; k < rows->len; k++)
        {
          GtkWidget *row = g_ptr_array_index (rows, k);
          g_autofree char *name = assay_node_row_dup_cell (ASSAY_NODE_ROW (row),
                                                           ASSAY_NODE_COLUMN_NAME);
          g_autoptr (PangoLayout) layout = gtk_widget_create_pango_layout (row, name);
          int left, width, needed;

          g_assert_true (assay_node_header_locate (header, ASSAY_NODE_COLUMN_NAME,
                                                   gtk_widget_get_width (row), &left, &width));
          pango_layout_get_pixel_size (layout, &needed, NULL);
          g_test_message ("%d: %s needs %d, has %d", widths[i], name, needed, width - 18);
          g_assert_cmpint (needed, <=, width - 18);
        }
    }
}

TEST_PROGRAM (node_table)
{
  if (!ui_begin (&argc, &argv))
    return 0;

#define ADD(path, func) g_test_add ("/node-table/" path, Fixture, NULL, set_up, func, tear_down)
  ADD ("toggle", test_toggle);
  ADD ("selection", test_selection);
  ADD ("keyboard", test_keyboard);
  ADD ("filter", test_filter);
  ADD ("sort", test_sort);
  ADD ("copy", test_copy);
  ADD ("rows", test_rows);
  ADD ("positions", test_positions);
  ADD ("names", test_names);
#undef ADD

  return g_test_run ();
}
