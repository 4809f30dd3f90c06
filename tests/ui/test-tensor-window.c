/* test-tensor-window.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The window on the elements of a tensor, the instructions of a program, and what leads there from
 * the inspector.
 */
#include <float.h>

#include "test-program.h"
#include "ui-fixture.h"
#include "ui/inspector/assay-inspector.h"
#include "ui/memory/assay-instruction-window.h"
#include "ui/tensor/assay-tensor-figures.h"
#include "ui/tensor/assay-tensor-row.h"
#include "ui/tensor/assay-tensor-window.h"

#define NODE "/blocks.1/norm/BatchNormalization"

static AssayWindow *
open_program (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1600, 900);
  g_autoptr (AssaySettings) setup = assay_settings_new ();

  ui_open_example (window, "streaming-cnn.onnx");
  assay_settings_set_axis (&setup, 0, 2);
  assay_session_set_setup (assay_window_get_session (window), setup);
  ui_wait_ready (window);
  g_assert_true (assay_session_select_name (assay_window_get_session (window), NODE));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.inspect", NULL);
  ui_settle ();
  return window;
}

/* Every group of the inspector leads on: to the instructions and back, to the memory map, to the
 * values. */
static void
test_jumps (void)
{
  AssayWindow *window = open_program ();
  AssaySession *session = assay_window_get_session (window);
  GtkWidget *inspector = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_INSPECTOR);
  AssayCompilation *compilation = assay_session_get_compilation (session);
  AssayNodeId node = assay_session_get_selection (session);
  GtkSelectionModel *model;
  GtkWidget *instructions;
  guint of_node;

  g_assert_nonnull (ui_find_label (inspector, "Provenance"));
  g_assert_nonnull (ui_find_label (inspector, "Memory"));
  g_assert_nonnull (ui_find_label (inspector, "Cycles, predicted"));
  g_assert_nonnull (ui_find_label (inspector, "Weights"));

  ui_click (inspector, "List the instructions of the node");
  instructions = ui_find_window (ASSAY_TYPE_INSTRUCTION_WINDOW);
  g_assert_nonnull (instructions);
  model = gtk_column_view_get_model (
      GTK_COLUMN_VIEW (ui_find_type (instructions, GTK_TYPE_COLUMN_VIEW)));
  of_node = g_list_model_get_n_items (G_LIST_MODEL (model));
  g_assert_cmpuint (of_node, >, 0);
  gtk_toggle_button_set_active (
      GTK_TOGGLE_BUTTON (ui_find_type (instructions, GTK_TYPE_TOGGLE_BUTTON)), FALSE);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (model)), ==,
                    assay_program_get_facts (assay_compilation_get_program (compilation))->n_rows);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (model)), >, of_node);
  ui_search (instructions, "/HEAD/");
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (model)), >, 0);
  gtk_selection_model_select_item (model, 0, TRUE);
  g_assert_cmpuint (assay_session_get_selection (session), !=, node);
  g_assert_cmpstr (assay_graph_node (assay_session_get_verdicts (session)->graph,
                                     assay_session_get_selection (session))
                       ->name,
                   ==, "/head/Conv");
  gtk_window_destroy (GTK_WINDOW (instructions));

  g_assert_true (assay_session_select_name (session, NODE));
  ui_settle ();
  ui_click (inspector, "Show the tensor in the memory map");
  g_assert_cmpuint (assay_compilation_get_tensor (compilation), !=, G_MAXUINT32);
  ui_click (inspector, "Show the values");
  g_assert_nonnull (ui_find_window (ASSAY_TYPE_TENSOR_WINDOW));
  ui_window_close (window);
}

static void
collect_lines (GtkWidget *widget, gpointer data)
{
  if (ASSAY_IS_TENSOR_ROW (widget) && gtk_widget_get_mapped (widget))
    (*(guint *) data)++;
}

static gboolean
has_figures (gpointer data)
{
  return assay_tensor_figures_get_summary (data) != NULL;
}

static AssayTensor *
make_large (gsize n_rows)
{
  const gint64 dims[] = { 2, (gint64) n_rows, 40 };
  gsize size = 2 * n_rows * 40 * sizeof (float);
  float *values = g_malloc0 (size);
  g_autoptr (GBytes) bytes = NULL;

  for (gsize i = 0; i < size / sizeof *values; i++)
    values[i] = (float) (i % 1000);
  bytes = g_bytes_new_take (values, size);
  return assay_tensor_new (ASSAY_DTYPE_F32, 3, dims, bytes, NULL);
}

/* Pages, slices and places of a tensor with more rows than a page has. */
static void
test_pages (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  g_autoptr (AssayTensor) tensor = make_large (150000);
  GtkWidget *viewer = assay_tensor_window_new (GTK_WINDOW (window), "large", tensor);
  GtkWidget *list, *figures;
  guint n_lines = 0;

  gtk_window_present (GTK_WINDOW (viewer));
  ui_settle ();
  list = ui_find_type (viewer, GTK_TYPE_LIST_VIEW);
  figures = ui_find_type (viewer, ASSAY_TYPE_TENSOR_FIGURES);
  ui_for_each (viewer, collect_lines, &n_lines);
  g_assert_cmpuint (n_lines, >, 5);
  g_assert_nonnull (
      ui_find_label (viewer, "rows 0 to 99\u202f999 of 150\u202f000, columns 0 to 31 of 40"));
  ui_click (viewer, "Next page of rows");
  ui_click (viewer, "Next page of columns");
  g_assert_nonnull (ui_find_label (
      viewer, "rows 100\u202f000 to 149\u202f999 of 150\u202f000, columns 32 to 39 of 40"));
  g_assert_true (assay_tensor_window_go_to (ASSAY_TENSOR_WINDOW (viewer), "1, 3, 7"));
  g_assert_nonnull (
      ui_find_label (viewer, "rows 0 to 99\u202f999 of 150\u202f000, columns 0 to 31 of 40"));
  g_assert_false (assay_tensor_window_go_to (ASSAY_TENSOR_WINDOW (viewer), "2, 0, 0"));
  g_assert_false (assay_tensor_window_go_to (ASSAY_TENSOR_WINDOW (viewer), "much"));
  g_assert_nonnull (list);

  /* 48 MB are read when that is asked for, and not before. */
  g_assert_null (assay_tensor_figures_get_summary (ASSAY_TENSOR_FIGURES (figures)));
  assay_tensor_figures_start (ASSAY_TENSOR_FIGURES (figures));
  wait_until (has_figures (figures));
  g_assert_cmpfloat (
      assay_tensor_figures_get_summary (ASSAY_TENSOR_FIGURES (figures))->statistics.max, ==, 999);
  gtk_window_destroy (GTK_WINDOW (viewer));
  ui_window_close (window);
}

/* No number of two tensors is longer than its cell. */
static void
check_room (AssayTensorSheet *sheet, guint n_rows, guint n_columns)
{
  g_assert_cmpuint (assay_tensor_sheet_count (sheet), ==, n_columns);
  for (guint i = 0; i < n_rows * n_columns; i++)
    {
      g_autofree char *text = assay_tensor_sheet_dup_cell (sheet, i / n_columns, i % n_columns,
                                                           FALSE);

      g_test_message ("%s", text);
      g_assert_cmpuint (strlen (text), >, 0);
      g_assert_cmpuint (strlen (text), <=, assay_tensor_sheet_get_chars (sheet));
    }
}

/* Two tensors element by element; the window goes while its figures are being read. */
static void
test_pair (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  static const gint64 dims[] = { 5 };
  static const float a_values[] = { 1, 2, 3, -FLT_MAX, -1.2345e-38f };
  static const float b_values[] = { 1, 2, 3.015625f, FLT_MAX, 1.2345e38f };
  g_autoptr (AssayTensor) a = assay_tensor_new_f32 (1, dims, a_values);
  g_autoptr (AssayTensor) b = assay_tensor_new_f32 (1, dims, b_values);
  g_autoptr (AssayTensor) large = make_large (100000);
  g_autoptr (AssayTensorSheet) sheet = assay_tensor_sheet_new (a, b, 0);
  g_autoptr (AssayTensorSheet) steps = assay_tensor_sheet_new (a, b, 0.015625);
  g_autofree char *same = assay_tensor_sheet_dup_cell (sheet, 1, 4, FALSE);
  g_autofree char *apart = assay_tensor_sheet_dup_cell (sheet, 2, 4, FALSE);
  g_autofree char *wide = assay_tensor_sheet_dup_cell (sheet, 2, 5, FALSE);
  g_autofree char *title = assay_tensor_sheet_dup_title (steps, 4);
  g_autofree char *step = assay_tensor_sheet_dup_cell (steps, 2, 4, FALSE);
  g_autofree char *place = assay_tensor_sheet_dup_place (sheet, 2);
  GtkWidget *viewer = assay_tensor_window_new (GTK_WINDOW (window), "pair", a);

  g_assert_cmpstr (same, ==, "0");
  g_assert_cmpstr (apart, ==, "1");
  g_assert_cmpstr (wide, ==, "65536");
  g_assert_cmpstr (step, ==, "1");
  check_room (sheet, 5, 6);
  g_assert_cmpstr (title, ==, "Steps");
  g_assert_cmpuint (assay_tensor_sheet_count (steps), ==, 5);
  g_assert_cmpstr (place, ==, "[2]");
  assay_tensor_window_set_other (ASSAY_TENSOR_WINDOW (viewer), b, 0, "Machine bf16",
                                 "Reference fp32");
  gtk_window_present (GTK_WINDOW (viewer));
  ui_settle ();
  g_assert_nonnull (ui_find_label (viewer, "5 rows, 6 columns"));
  gtk_window_destroy (GTK_WINDOW (viewer));

  viewer = assay_tensor_window_new (GTK_WINDOW (window), "large", large);
  gtk_window_present (GTK_WINDOW (viewer));
  assay_tensor_figures_start (
      ASSAY_TENSOR_FIGURES (ui_find_type (viewer, ASSAY_TYPE_TENSOR_FIGURES)));
  gtk_window_destroy (GTK_WINDOW (viewer));
  wait_rest ();
  ui_window_close (window);
}

/* Several nodes are summed up, none stands for the model. */
static void
test_several (void)
{
  AssayWindow *window = open_program ();
  AssaySession *session = assay_window_get_session (window);
  AssayNodeTable *table = assay_session_get_node_table (session);
  GtkWidget *inspector = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_INSPECTOR);

  gtk_widget_activate_action (GTK_WIDGET (window), "win.node-table", NULL);
  ui_settle ();
  for (guint i = 0; i < 3; i++)
    assay_node_table_mark (table, i, TRUE);
  assay_node_table_commit (table, 0);
  ui_settle ();
  g_assert_nonnull (ui_find_label (inspector, "Together"));
  g_assert_nonnull (ui_find_label (inspector, "3 nodes"));
  assay_session_set_selection (session, ASSAY_NO_NODE);
  ui_settle ();
  g_assert_nonnull (ui_find_label (inspector, "MACs"));
  g_assert_null (ui_find_label (inspector, "Together"));
  ui_window_close (window);
}

static const UiTest tests[] = {
  { "/tensor-window/pages", test_pages },
  { "/tensor-window/pair", test_pair },
  { "/inspector/jumps", test_jumps },
  { "/inspector/several", test_several },
};

TEST_PROGRAM (tensor_window)
{
  return ui_run (argc, argv, tests, G_N_ELEMENTS (tests));
}
