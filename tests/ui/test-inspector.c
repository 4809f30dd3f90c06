/* test-inspector.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The inspector: notes, equal blocks, provenance in both directions.
 */
#include "model-writer.h"
#include "test-program.h"
#include "ui-fixture.h"
#include "ui/canvas/assay-canvas.h"
#include "ui/graph/assay-graph-page.h"
#include "ui/inspector/assay-inspector.h"
#include "ui/memory/assay-instruction-window.h"
#include "ui/inspector/assay-note-editor.h"
#include "ui/inspector/assay-property-list.h"

#define NODE "/blocks.1/norm/BatchNormalization"

static AssayWindow *
open_model (const char *model)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1600, 900);

  ui_open_example (window, model);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.inspect", NULL);
  ui_settle ();
  return window;
}

static GtkWidget *
get_inspector (AssayWindow *window)
{
  return ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_INSPECTOR);
}

static const char *
selected_name (AssayWindow *window)
{
  AssaySession *session = assay_window_get_session (window);

  return assay_graph_node (assay_session_get_verdicts (session)->graph,
                           assay_session_get_selection (session))
      ->name;
}

/* A note is written where its node is described, undone like every other change, and found again in
 * the summary. */
static void
test_notes (void)
{
  AssayWindow *window = open_model ("streaming-cnn.onnx");
  AssaySession *session = assay_window_get_session (window);
  AssayHistory *history = assay_document_get_history (assay_session_get_document (session));
  GtkWidget *editor = ui_find_type (get_inspector (window), ASSAY_TYPE_NOTE_EDITOR);
  GtkWidget *view = ui_find_type (editor, GTK_TYPE_TEXT_VIEW);
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (view));
  g_autofree char *label = NULL;
  g_autofree char *text = NULL;

  g_assert_false (gtk_widget_get_visible (editor));
  g_assert_true (assay_session_select_name (session, NODE));
  ui_settle ();
  g_assert_true (gtk_widget_get_visible (editor));
  gtk_test_accessible_assert_property (view, GTK_ACCESSIBLE_PROPERTY_LABEL, "Note on the node");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.note", NULL);
  ui_settle ();
  g_assert_true (gtk_root_get_focus (GTK_ROOT (window)) == view);

  gtk_text_buffer_insert_at_cursor (buffer, "Too large", -1);
  gtk_text_buffer_insert_at_cursor (buffer, " for the board", -1);
  g_assert_cmpstr (assay_session_get_note (session, NODE), ==, "Too large for the board");
  label = g_strdup_printf ("Note on %s", NODE);
  g_assert_cmpstr (assay_history_get_undo_label (history), ==, label);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.undo", NULL);
  ui_settle ();
  g_assert_null (assay_session_get_note (session, NODE));
  g_assert_cmpint (gtk_text_buffer_get_char_count (buffer), ==, 0);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.redo", NULL);
  ui_settle ();
  g_assert_cmpstr (assay_session_get_note (session, NODE), ==, "Too large for the board");

  assay_session_set_selection (session, ASSAY_NO_NODE);
  ui_settle ();
  g_assert_nonnull (ui_find_label (get_inspector (window), "Pins and Notes"));
  g_assert_nonnull (ui_find_label (get_inspector (window), "Too large for the board"));
  ui_click (get_inspector (window), "Select the node");
  g_assert_cmpstr (selected_name (window), ==, NODE);
  g_object_get (buffer, "text", &text, NULL);
  g_assert_cmpstr (text, ==, "Too large for the board");

  ui_click (editor, "Unpin the node and drop its note");
  g_assert_null (assay_session_get_note (session, NODE));
  ui_click (editor, "Pin the node");
  g_assert_cmpstr (assay_session_get_note (session, NODE), ==, "");

  /* Another node has another note. */
  gtk_text_buffer_set_text (buffer, "one", -1);
  ui_click (get_inspector (window), "Next equal block");
  g_assert_cmpstr (selected_name (window), !=, NODE);
  g_assert_cmpint (gtk_text_buffer_get_char_count (buffer), ==, 0);
  g_assert_cmpstr (assay_session_get_note (session, NODE), ==, "one");
  ui_window_close (window);
}

/* Next goes through all equal blocks and comes back; the button keeps the focus, so that it can be
 * pressed again. */
static void
test_equal_blocks (void)
{
  AssayWindow *window = open_model ("streaming-cnn.onnx");
  AssaySession *session = assay_window_get_session (window);
  const AssayGraph *graph = assay_session_get_verdicts (session)->graph;
  AssayScopeTree *tree = assay_outline_get_tree (assay_session_get_outline (session));
  g_autoptr (GArray) blocks = NULL;
  g_autofree char *row = NULL;
  AssayNodeId node;
  guint n;

  g_assert_true (assay_session_select_name (session, NODE));
  node = assay_session_get_selection (session);
  ui_settle ();
  blocks = assay_scope_tree_list_equal (tree, graph, node);
  g_assert_cmpuint (blocks->len, >, 0);
  n = g_array_index (blocks, AssayEqualBlocks, 0).n;
  row = g_strdup_printf ("×%u equal, this is %u", n,
                         g_array_index (blocks, AssayEqualBlocks, 0).index + 1);
  g_assert_nonnull (ui_find_label (get_inspector (window), row));

  for (guint i = 0; i < n; i++)
    {
      AssayNodeId before = assay_session_get_selection (session);

      ui_click (get_inspector (window), "Next equal block");
      g_assert_cmpuint (assay_session_get_selection (session), !=, before);
      g_assert_cmpint (assay_graph_node (graph, assay_session_get_selection (session))->op, ==,
                       assay_graph_node (graph, node)->op);
    }
  g_assert_cmpuint (assay_session_get_selection (session), ==, node);
  ui_click (get_inspector (window), "Previous equal block");
  ui_click (get_inspector (window), "Next equal block");
  g_assert_cmpuint (assay_session_get_selection (session), ==, node);
  ui_window_close (window);
}

/* From a node to each of those of the file that became it, and back to the checked graph, and to
 * the instructions. */
static void
test_provenance (void)
{
  AssayWindow *window = open_model ("streaming-cnn.onnx");
  AssaySession *session = assay_window_get_session (window);
  AssayCanvas *canvas = ASSAY_CANVAS (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS));
  const AssayGraph *checked = assay_session_get_verdicts (session)->graph;
  const AssayGraph *onnx = assay_session_get_graph (session);
  AssayNodeId node = ASSAY_NO_NODE;
  const AssayNode *fused;

  for (AssayNodeId i = 1; i < assay_graph_n_nodes (checked) && node == ASSAY_NO_NODE; i++)
    if (assay_graph_node (checked, i)->n_origins > 1)
      node = i;
  g_assert_cmpuint (node, !=, ASSAY_NO_NODE);
  fused = assay_graph_node (checked, node);
  assay_session_set_selection (session, node);
  ui_settle ();

  for (guint i = 0; i < fused->n_origins; i++)
    {
      const AssayOrigin *origin = &g_array_index (checked->origins, AssayOrigin, fused->origins[i]);
      g_autofree char *place = g_strdup_printf ("%s/node[%u]", origin->path, origin->index);

      gtk_widget_activate_action (GTK_WIDGET (window), "graph.show-origin", "s", place);
      ui_settle ();
      g_assert_true (assay_canvas_get_verdicts (canvas)->graph == onnx);
      g_assert_cmpstr (assay_graph_node (onnx, assay_canvas_get_selection (canvas))->op_type, ==,
                       origin->op_type);
      g_assert_cmpstr (assay_graph_node (onnx, assay_canvas_get_selection (canvas))->name, ==,
                       origin->name);
      g_assert_cmpuint (assay_session_get_selection (session), ==, node);

      ui_click (get_inspector (window), "Show the node in the checked graph");
      g_assert_true (assay_canvas_get_verdicts (canvas)->graph == checked);
      g_assert_cmpuint (assay_canvas_get_selection (canvas), ==, node);
    }

  ui_click (get_inspector (window), "Show the node in the graph of the file");
  g_assert_true (assay_canvas_get_verdicts (canvas)->graph == onnx);
  /* Another node of the file leads to what became of it. */
  assay_canvas_set_selection (canvas, assay_graph_n_nodes (onnx) - 1);
  ui_settle ();
  g_assert_cmpuint (assay_session_get_selection (session), !=, node);
  ui_window_close (window);
}

/* A node of the file that the target never sees is described all the same, until another one is
 * selected. */
static void
test_removed (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1600, 900);
  AssaySession *session = assay_window_get_session (window);
  AssayCanvas *canvas = ASSAY_CANVAS (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS));
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "dead.onnx", NULL);
  g_auto (ModelWriter) writer;
  AssayVerdicts *verdicts;
  AssayGraphPage *page = ASSAY_GRAPH_PAGE (
      ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_GRAPH_PAGE));
  AssayNodeId removed;

  model_writer_init (&writer, "dead");
  model_writer_input (&writer, "x", 1, "1,64");
  model_writer_output (&writer, "y", 1, "1,64");
  model_writer_node (&writer, "Relu", "/alive", "x", "y");
  model_writer_node (&writer, "Tanh", "/dead", "x", "nobody");
  g_assert_true (model_writer_save (&writer, path, 17, NULL));
  assay_window_open (window, path, NULL);
  ui_wait_ready (window);
  assay_session_set_selection (session, ASSAY_NO_NODE);
  gtk_widget_activate_action (GTK_WIDGET (window), "graph.level", "s", "onnx");
  ui_settle ();

  verdicts = assay_canvas_get_verdicts (canvas);
  g_assert_cmpuint (assay_graph_n_nodes (verdicts->graph), ==, 3);
  assay_canvas_set_selection (canvas, 1);
  g_assert_cmpuint (assay_graph_page_get_removed (page, &verdicts), ==, ASSAY_NO_NODE);
  assay_canvas_set_selection (canvas, 2);
  removed = assay_graph_page_get_removed (page, &verdicts);
  g_assert_cmpuint (removed, ==, 2);
  ui_settle ();
  g_assert_nonnull (ui_find_label (get_inspector (window), "Not in the Checked Graph"));
  g_assert_nonnull (
      ui_find_label (get_inspector (window), assay_graph_node (verdicts->graph, removed)->op_type));

  gtk_widget_activate_action (GTK_WIDGET (window), "graph.level", "s", "nnir");
  ui_settle ();
  g_assert_null (ui_find_label (get_inspector (window), "Not in the Checked Graph"));
  ui_window_close (window);
}

/* Every node is described in sentences that begin as sentences do, what is noted about it too. */
static void
test_words (void)
{
  AssayWindow *window = open_model (UI_MODEL);
  AssaySession *session = assay_window_get_session (window);
  AssayVerdicts *verdicts = assay_session_get_verdicts (session);
  g_autoptr (GPtrArray) complaints = g_ptr_array_new_with_free_func (g_free);
  guint n_notes = 0;

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
    {
      const AssayVerdict *verdict = assay_verdicts_get (verdicts, id);

      n_notes += verdict->notes != NULL && verdict->notes[0] != NULL;
      assay_session_set_selection (session, id);
      ui_settle ();
      ui_check_seen_words (get_inspector (window), complaints);
    }
  for (guint i = 0; i < complaints->len; i++)
    g_test_message ("%s", (const char *) g_ptr_array_index (complaints, i));
  g_assert_cmpuint (n_notes, >, 0);
  g_assert_cmpuint (complaints->len, ==, 0);
  ui_window_close (window);
}

static void
check_key (GtkWidget *widget, gpointer data)
{
  if (!GTK_IS_LABEL (widget) || !gtk_widget_get_mapped (widget) ||
      gtk_widget_get_ancestor (widget, ASSAY_TYPE_PROPERTY_LIST) == NULL ||
      !gtk_widget_has_css_class (widget, "secondary"))
    return;

  g_assert_false (pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (widget))));
  if (g_str_has_prefix (gtk_label_get_text (GTK_LABEL (widget)), "transpose_"))
    {
      PangoLayout *layout = gtk_label_get_layout (GTK_LABEL (widget));

      /* A line ends behind the underscore. */
      g_assert_cmpint (pango_layout_get_line_count (layout), ==, 2);
      g_assert_cmpint (pango_layout_get_line_readonly (layout, 1)->start_index, >=,
                       (int) strlen ("transpose_"));
      g_assert_cmpint (pango_layout_get_line_readonly (layout, 1)->start_index, <=,
                       (int) strlen ("transpose_\u200b"));
      *(gboolean *) data = TRUE;
    }
}

/* The name of an attribute is longer than its column, and read whole. */
static void
test_long_names (void)
{
  AssayWindow *window = open_model ("mlp.onnx");
  gboolean found = FALSE;

  g_assert_true (assay_session_select_name (assay_window_get_session (window), "/layers.0/Gemm"));
  ui_settle ();
  ui_for_each (get_inspector (window), check_key, &found);
  g_assert_true (found);
  ui_window_close (window);
}

static const UiTest tests[] = {
  { "/ui/inspector/notes", test_notes },
  { "/ui/inspector/words", test_words },
  { "/ui/inspector/equal-blocks", test_equal_blocks },
  { "/ui/inspector/provenance", test_provenance },
  { "/ui/inspector/removed", test_removed },
  { "/ui/inspector/long-names", test_long_names },
};

TEST_PROGRAM (inspector)
{
  return ui_run (argc, argv, tests, G_N_ELEMENTS (tests));
}
