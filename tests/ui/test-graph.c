/* test-graph.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The graph page: levels, colours, overlays from outside, files.
 */
#include <glib/gstdio.h>
#include <math.h>

#include "tests/ui/ui-fixture.h"
#include "ui/window/assay-action.h"
#include "ui/canvas/assay-canvas-private.h"
#include "ui/graph/assay-export-window.h"
#include "draw/assay-mark.h"
#include "ui/graph/assay-graph-page.h"
#include "ui/graph/assay-pass-panel.h"
#include "ui/inspector/assay-inspector.h"

#include "test-program.h"

static AssayCanvas *
get_canvas (AssayWindow *window)
{
  return ASSAY_CANVAS (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS));
}

static void
act (AssayWindow *window, const char *action, const char *value)
{
  GtkWidget *canvas = GTK_WIDGET (get_canvas (window));

  if (value != NULL)
    g_assert_true (gtk_widget_activate_action (canvas, action, "s", value));
  else
    g_assert_true (gtk_widget_activate_action (canvas, action, NULL));
  ui_settle ();
}

/* The pixel of the middle of the selected box. */
static void
locate (AssayCanvas *canvas, double *x, double *y)
{
  const AssayViewBox *box = assay_view_box (
      canvas->view, assay_view_find_node (canvas->view, assay_canvas_get_selection (canvas)));

  assay_canvas_get_origin (canvas, x, y);
  *x += (box->x + box->width / 2) * assay_canvas_get_scale (canvas);
  *y += (box->y + box->height / 2) * assay_canvas_get_scale (canvas);
}

static AssayNodeId
find (const AssayGraph *graph, AssayOp op)
{
  for (AssayNodeId i = 1; i < assay_graph_n_nodes (graph); i++)
    if (assay_graph_node (graph, i)->op == op)
      return i;

  return ASSAY_NO_NODE;
}

static GtkWidget *
find_toggle (AssayWindow *window, const char *label)
{
  GtkWidget *text = ui_find_label (GTK_WIDGET (window), label);

  return text != NULL ? gtk_widget_get_ancestor (text, GTK_TYPE_TOGGLE_BUTTON) : NULL;
}

/* The selection is the same node on all levels, and stays on its pixel; a stream has states. */
static void
test_levels (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  AssayCanvas *canvas = get_canvas (window);
  g_autoptr (AssaySettings) setup = NULL;
  GtkWidget *streamed;
  AssayNodeId norm, node;
  const AssayGraph *checked;
  double x1, y1, x2, y2;
  guint n_onnx, states = 0;

  ui_open_example (window, "streaming-cnn.onnx");
  streamed = find_toggle (window, "Streamed");
  g_assert_nonnull (streamed);
  g_assert_false (gtk_widget_get_sensitive (streamed));
  g_assert_nonnull (strstr (gtk_widget_get_tooltip_text (streamed), "Setup"));
  g_assert_true (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (find_toggle (window, "NNIR"))));

  checked = assay_session_get_verdicts (session)->graph;
  node = find (checked, ASSAY_OP_Conv);
  assay_session_set_selection (session, node);
  ui_settle ();
  locate (canvas, &x1, &y1);
  act (window, "graph.level", "onnx");
  g_assert_true (assay_canvas_get_verdicts (canvas)->graph == assay_session_get_graph (session));
  n_onnx = assay_graph_n_nodes (assay_session_get_graph (session));
  g_assert_cmpuint (n_onnx, >, assay_graph_n_nodes (checked));
  g_assert_cmpuint (assay_session_get_selection (session), ==, node);
  g_assert_cmpint (
      assay_graph_node (assay_session_get_graph (session), assay_canvas_get_selection (canvas))->op,
      ==, ASSAY_OP_Conv);
  locate (canvas, &x2, &y2);
  g_assert_cmpfloat (fabs (y2 - y1), <=, 1.5);

  /* A convolution and its normalization became one node: each of them selects it, and one is fused
   * into the other. */
  norm = find (assay_session_get_graph (session), ASSAY_OP_BatchNormalization);
  g_assert_cmpint (assay_verdicts_get (assay_canvas_get_verdicts (canvas),
                                       find (assay_session_get_graph (session), ASSAY_OP_Conv))
                       ->kind,
                   ==, ASSAY_VERDICT_FUSED);
  assay_session_set_selection (session, ASSAY_NO_NODE);
  assay_canvas_set_selection (canvas, norm);
  g_assert_cmpuint (assay_canvas_get_selection (canvas), ==, norm);
  g_assert_cmpint (assay_graph_node (checked, assay_session_get_selection (session))->op, ==,
                   ASSAY_OP_Conv);

  /* Every count of the file is there. */
  for (guint kind = 0; kind < ASSAY_N_VERDICTS; kind++)
    g_assert_cmpuint (assay_canvas_get_verdicts (canvas)->counts[kind], ==,
                      assay_verdicts_count (assay_session_get_verdicts (session), kind));

  setup = assay_settings_ref (assay_session_get_setup (session));
  assay_settings_set_axis (&setup, 0, 2);
  assay_session_set_setup (session, setup);
  ui_wait_ready (window);
  ui_settle ();
  g_assert_true (gtk_widget_get_sensitive (streamed));
  assay_session_set_selection (session,
                               find (assay_session_get_verdicts (session)->graph, ASSAY_OP_Conv));
  act (window, "graph.level", "streamed");
  g_assert_cmpuint (assay_canvas_get_verdicts (canvas)->graph->level, ==, ASSAY_GRAPH_STREAMED);
  g_assert_nonnull (canvas->states);
  for (AssayNodeId i = 1; i < assay_graph_n_nodes (assay_canvas_get_verdicts (canvas)->graph); i++)
    {
      const AssayGraph *graph = assay_canvas_get_verdicts (canvas)->graph;

      states += canvas->states[i] > 0;
      g_assert_cmpint (
          assay_graph_value (graph, assay_graph_node (graph, i)->outputs[0])->type->rank, ==, 2);
    }
  g_assert_cmpuint (states, ==, 3);

  /* A target without streams goes back to what is checked. */
  assay_session_set_target_id (session, UI_OTHER_TARGET);
  ui_wait_ready (window);
  ui_settle ();
  g_assert_false (gtk_widget_get_sensitive (streamed));
  g_assert_true (assay_canvas_get_verdicts (canvas) == assay_session_get_verdicts (session));
  ui_window_close (window);
}

typedef struct
{
  const char *word;
  GtkWidget *row;
} Choice;

static void
choice_cb (GtkWidget *widget, gpointer data)
{
  Choice *choice = data;

  if (GTK_IS_CHECK_BUTTON (widget) &&
      g_strcmp0 (gtk_check_button_get_label (GTK_CHECK_BUTTON (widget)), choice->word) == 0)
    choice->row = gtk_widget_get_parent (widget);
}

static GtkWidget *
find_choice (AssayWindow *window, const char *word)
{
  Choice choice = { word, NULL };

  ui_for_each (GTK_WIDGET (window), choice_cb, &choice);

  return choice.row;
}

/* What there is no data for says so and cannot be chosen. */
static void
test_choices (void)
{
  static const struct
  {
    const char *word;
    const char *reason;
  } missing[] = {
    { "Core", "Compile" }, { "Cycles", "Compile" }, { "Error", "Compare" }, { "File", "overlay" }
  };
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);

  ui_open_example (window, UI_MODEL);
  for (guint i = 0; i < G_N_ELEMENTS (missing); i++)
    {
      GtkWidget *row = find_choice (window, missing[i].word);

      g_assert_nonnull (row);
      g_assert_false (gtk_widget_get_sensitive (row));
      g_assert_nonnull (strstr (gtk_widget_get_tooltip_text (row), missing[i].reason));
    }
  g_assert_true (gtk_widget_get_sensitive (find_choice (window, "Bytes")));
  g_assert_true (gtk_widget_get_sensitive (find_choice (window, "Verdict")));
  ui_window_close (window);
}

/* A file of names and values: colours, legend with the unit, unknown names counted; a wrong one
 * leaves all as it is. */
static void
test_overlay_file (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  AssayCanvas *canvas = get_canvas (window);
  g_autofree char *folder = g_dir_make_tmp ("assay-graph-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "times.csv", NULL);
  g_autofree char *wrong = g_build_filename (folder, "wrong.json", NULL);
  g_autofree char *model = ui_example ("mlp.onnx");
  g_autoptr (GString) text = g_string_new ("node,time [us]\nno such node,7\n");
  g_autofree char *note = NULL;
  const AssayOverlay *overlay;
  GListModel *toplevels;
  guint dialogs = 0;

  /* It waits for the model. */
  ui_open_example (window, "mlp.onnx");
  for (AssayNodeId i = 1; i < assay_graph_n_nodes (assay_session_get_verdicts (session)->graph);
       i++)
    g_string_append_printf (text, "%s,%u\n",
                            assay_graph_node (assay_session_get_verdicts (session)->graph, i)->name,
                            i);
  g_assert_true (g_file_set_contents (path, text->str, -1, NULL));
  g_assert_true (g_file_set_contents (wrong, "{\"a\":\n true}", -1, NULL));
  assay_session_close (session);
  ui_settle ();
  assay_window_open_overlay (window, path);
  g_assert_null (assay_canvas_get_overlay (canvas));
  assay_window_open (window, model, NULL);
  ui_wait_ready (window);
  ui_settle ();

  overlay = assay_canvas_get_overlay (canvas);
  g_assert_nonnull (overlay);
  g_assert_cmpint (overlay->kind, ==, ASSAY_OVERLAY_FILE);
  g_assert_cmpuint (overlay->step_of_node[1], ==, 1);
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "time"));
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "from 1 us"));
  note = g_strdup_printf ("1 of %u names unknown, first no such node",
                          assay_graph_n_nodes (assay_session_get_verdicts (session)->graph));
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), note));
  g_assert_true (gtk_widget_get_sensitive (find_choice (window, "File")));

  assay_window_open_overlay (window, wrong);
  ui_settle ();
  g_assert_true (assay_canvas_get_overlay (canvas) == overlay);
  toplevels = gtk_window_get_toplevels ();
  for (guint i = 0; i < g_list_model_get_n_items (toplevels); i++)
    {
      g_autoptr (GtkWindow) toplevel = g_list_model_get_item (toplevels, i);

      if (ADW_IS_MESSAGE_DIALOG (toplevel))
        {
          g_assert_nonnull (strstr (adw_message_dialog_get_body (ADW_MESSAGE_DIALOG (toplevel)),
                                    "wrong.json: line 2, column 2: a"));
          dialogs++;
          gtk_window_destroy (toplevel);
        }
    }
  g_assert_cmpuint (dialogs, ==, 1);

  g_remove (path);
  g_remove (wrong);
  g_rmdir (folder);
  ui_window_close (window);
}

/* Keys that reach further than the canvas. */
static void
test_keys (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  AssayCanvas *canvas = get_canvas (window);
  AssayCompilation *compilation = assay_session_get_compilation (session);
  guint32 step;

  ui_open_example (window, "mlp.onnx");
  ui_bind_batch (window);
  assay_session_set_selection (session, 1);
  act (window, "graph.pin", NULL);
  g_assert_true (assay_session_is_pinned (session, 1));
  g_assert_cmpuint (canvas->marks->data[1], ==, ASSAY_MARK_PINNED);
  act (window, "graph.pin", NULL);
  g_assert_false (assay_session_is_pinned (session, 1));

  g_assert_nonnull (assay_compilation_get_program (compilation));
  assay_compilation_set_playhead (compilation, 3);
  step = assay_compilation_get_playhead (compilation);
  act (window, "graph.step", NULL);
  g_assert_cmpuint (assay_compilation_get_playhead (compilation), ==, step + 1);
  act (window, "graph.step-back", NULL);
  g_assert_cmpuint (assay_compilation_get_playhead (compilation), ==, step);
  g_assert_cmpuint (canvas->playhead, >, 0);
  act (window, "graph.next-peak", NULL);
  act (window, "graph.previous-peak", NULL);
  ui_window_close (window);
}

static void
equal_cb (GtkWidget *widget, gpointer data)
{
  if (GTK_IS_BUTTON (widget) && gtk_widget_get_visible (widget) &&
      g_strcmp0 (gtk_actionable_get_action_name (GTK_ACTIONABLE (widget)), "graph.next-equal") == 0)
    *(const char **) data = gtk_button_get_label (GTK_BUTTON (widget));
}

/* Where there is room a button says how many blocks are equal, and goes to the next. */
static void
test_equal_button (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1900, 1000);
  AssaySession *session = assay_window_get_session (window);
  const char *label = NULL;

  ui_open_example (window, "streaming-cnn.onnx");
  for (AssayNodeId i = 1;
       i < assay_graph_n_nodes (assay_session_get_verdicts (session)->graph) && label == NULL; i++)
    {
      AssayEqualBlocks blocks;

      assay_session_set_selection (session, i);
      ui_settle ();
      assay_canvas_find_equal (get_canvas (window), &blocks);
      ui_for_each (GTK_WIDGET (window), equal_cb, &label);
      g_assert_true ((blocks.n > 1) == (label != NULL));
      if (label != NULL)
        {
          g_autofree char *expected = g_strdup_printf ("%u equal, next", blocks.n);

          g_assert_cmpstr (label, ==, expected);
        }
    }
  ui_window_close (window);
}

/* Every key of the graph calls what it should, and is an action that the graph or the window has.
 */
static void
test_key_table (void)
{
  static const struct
  {
    guint key;
    GdkModifierType state;
    const char *action;
  } keys[] = {
    { GDK_KEY_Down, 0, "graph.first-reader" },
    { GDK_KEY_Up, 0, "graph.first-producer" },
    { GDK_KEY_Left, 0, "graph.left" },
    { GDK_KEY_Right, 0, "graph.right" },
    { GDK_KEY_Return, 0, "graph.unfold" },
    { GDK_KEY_BackSpace, 0, "graph.fold" },
    { GDK_KEY_f, 0, "graph.fit" },
    { GDK_KEY_period, 0, "graph.fit-selection" },
    { GDK_KEY_i, 0, "graph.fan-in" },
    { GDK_KEY_o, 0, "graph.fan-out" },
    { GDK_KEY_n, 0, "win.next-node" },
    { GDK_KEY_N, GDK_SHIFT_MASK, "win.previous-node" },
    { GDK_KEY_d, 0, "compare.first-divergent" },
    { GDK_KEY_m, 0, "graph.pin" },
    { GDK_KEY_bracketleft, 0, "graph.step-back" },
    { GDK_KEY_bracketright, 0, "graph.step" },
    { GDK_KEY_braceleft, GDK_SHIFT_MASK, "graph.previous-peak" },
    { GDK_KEY_braceright, GDK_SHIFT_MASK, "graph.next-peak" },
    { GDK_KEY_q, 0, "graph.next-equal" },
    { GDK_KEY_Q, GDK_SHIFT_MASK, "graph.previous-equal" },
    { GDK_KEY_e, 0, "graph.show-edge" },
    { GDK_KEY_F10, GDK_SHIFT_MASK, "graph.menu" },
    { GDK_KEY_Menu, 0, "graph.menu" },
    { GDK_KEY_c, GDK_CONTROL_MASK, "graph.copy-name" },
    { GDK_KEY_C, GDK_CONTROL_MASK | GDK_SHIFT_MASK, "graph.copy-nnir" },
  };
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  GActionGroup *group = assay_canvas_get_actions (get_canvas (window));

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      const AssayAction *action = assay_action_for_key ("graph.", keys[i].key, keys[i].state);

      g_assert_nonnull (action);
      g_assert_cmpstr (action->name, ==, keys[i].action);
      if (g_str_has_prefix (action->name, "graph."))
        g_assert_true (g_action_group_has_action (group, action->name + strlen ("graph.")));
    }
  ui_window_close (window);
}

static gboolean
is_done (gpointer data)
{
  return g_file_test (data, G_FILE_TEST_EXISTS);
}

/* The window writes what the command line writes: all of the graph, or what is seen of it. */
static void
test_export (void)
{
  static const char *const names[] = { "all.svg", "part.svg", "net.pdf", "net.dot" };
  static const guint forms[] = { 0, 0, 1, 3 };
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  g_autofree char *folder = g_dir_make_tmp ("assay-export-XXXXXX", NULL);
  AssayExportWindow *export;
  GtkWidget *status;
  gsize sizes[G_N_ELEMENTS (names)];

  ui_open_example (window, UI_MODEL);
  export = ASSAY_EXPORT_WINDOW (assay_export_window_new (
      GTK_WINDOW (window),
      ASSAY_GRAPH_PAGE (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_GRAPH_PAGE))));
  gtk_window_present (GTK_WINDOW (export));
  status = GTK_WIDGET (
      gtk_widget_get_template_child (GTK_WIDGET (export), ASSAY_TYPE_EXPORT_WINDOW, "status"));
  act (window, "graph.unfold-all", NULL);
  assay_canvas_set_zoom (get_canvas (window), 2);
  ui_settle ();
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);
      g_autofree char *text = NULL;
      GtkWidget *rows[2] = { NULL, NULL };

      rows[0] = GTK_WIDGET (
          gtk_widget_get_template_child (GTK_WIDGET (export), ASSAY_TYPE_EXPORT_WINDOW, "form"));
      rows[1] = GTK_WIDGET (
          gtk_widget_get_template_child (GTK_WIDGET (export), ASSAY_TYPE_EXPORT_WINDOW, "part"));
      adw_combo_row_set_selected (ADW_COMBO_ROW (rows[0]), forms[i]);
      adw_combo_row_set_selected (ADW_COMBO_ROW (rows[1]), i == 1);
      assay_export_window_write (export, path);
      /* The file is there before the window has heard of it, and it writes one at a time. */
      wait_until (is_done (path) && gtk_widget_get_visible (status));
      g_assert_true (g_file_get_contents (path, &text, &sizes[i], NULL));
      g_assert_cmpuint (sizes[i], >, 500);
      g_remove (path);
    }
  g_assert_cmpuint (sizes[1], <, sizes[0]);

  /* A place that cannot be written to is told in the window. */
  assay_export_window_write (export, "/nowhere/net.svg");
  wait_until (strstr (gtk_label_get_label (GTK_LABEL (status)), "/nowhere"));
  gtk_window_destroy (GTK_WINDOW (export));
  g_rmdir (folder);
  ui_window_close (window);
}

static GtkWidget *
get_part (AssayWindow *window, const char *id)
{
  return GTK_WIDGET (gtk_widget_get_template_child (
      ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_GRAPH_PAGE), ASSAY_TYPE_GRAPH_PAGE, id));
}

/* An inspector that lies over the graph leaves free what floats there, and gives the place back
 * when it goes; however it was opened, and where there is no pixel to spare. */
static void
check_covered (const char *action, const char *model)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1024, 640);
  GtkWidget *inspector = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_INSPECTOR);
  GtkWidget *boxes[] = { get_part (window, "color_box"), get_part (window, "zoom_box") };
  graphene_rect_t over, box;

  ui_open_example (window, model);
  gtk_widget_activate_action (GTK_WIDGET (window), action, NULL);
  ui_settle ();
  g_assert_true (gtk_widget_compute_bounds (inspector, GTK_WIDGET (window), &over));
  for (guint i = 0; i < G_N_ELEMENTS (boxes); i++)
    {
      g_assert_true (gtk_widget_compute_bounds (boxes[i], GTK_WIDGET (window), &box));
      g_assert_cmpfloat (box.origin.x + box.size.width, <=, over.origin.x);
    }

  g_object_set (window, "show-inspector", FALSE, NULL);
  ui_settle ();
  for (guint i = 0; i < G_N_ELEMENTS (boxes); i++)
    {
      g_assert_true (gtk_widget_compute_bounds (boxes[i], GTK_WIDGET (window), &box));
      g_assert_cmpfloat (box.origin.x + box.size.width, >, over.origin.x);
    }
  ui_window_close (window);
}

static void
test_covered (void)
{
  check_covered ("win.fix", UI_MODEL);
  check_covered ("win.inspect", UI_MODEL);
  check_covered ("win.inspect", "transformer-block.onnx");
}

/* Whether both are there, and then they are apart. */
static gboolean
check_apart (AssayWindow *window)
{
  graphene_rect_t zoom, floating;

  ui_settle ();
  g_assert_true (
      gtk_widget_compute_bounds (get_part (window, "zoom_box"), GTK_WIDGET (window), &zoom));
  g_assert_true (gtk_widget_compute_bounds (get_part (window, "floating_box"), GTK_WIDGET (window),
                                            &floating));
  if (gtk_widget_get_opacity (get_part (window, "zoom_box")) < 1 || floating.size.width <= 0)
    return FALSE;

  g_assert_false (graphene_rect_intersection (&zoom, &floating, NULL));
  return TRUE;
}

/* A legend that is seen leaves the selected node free; the card is about that node. */
static void
check_legend (AssayWindow *window)
{
  AssayCanvas *canvas = get_canvas (window);
  GtkWidget *floating = get_part (window, "floating_box");
  graphene_rect_t node, box;

  if (gtk_widget_get_opacity (floating) < 1 || gtk_widget_get_visible (get_part (window, "card")) ||
      !assay_canvas_find_selection (canvas, &node) ||
      !gtk_widget_compute_bounds (floating, GTK_WIDGET (canvas), &box) || box.size.width <= 0)
    return;
  g_assert_false (graphene_rect_intersection (&node, &box, NULL));
}

/* The zoom buttons lie over neither the legend nor the card, however little room panes leave, and
 * with one button more. */
static void
test_apart (void)
{
  static const int widths[] = { 720, 800, 1024 };
  guint n_seen = 0;

  for (guint i = 0; i < G_N_ELEMENTS (widths); i++)
    for (guint colored = 0; colored < 2; colored++)
      {
        AssayWindow *window = ui_window_new (UI_TARGET, widths[i], 480);
        AssaySession *session = assay_window_get_session (window);
        AssayGraph *graph;

        ui_open_example (window, colored ? "streaming-cnn.onnx" : "transformer-block.onnx");
        ui_wait_ready (window);
        if (colored)
          gtk_widget_activate_action (GTK_WIDGET (window), "graph.colour-by", "s", "cycles");
        graph = assay_session_get_verdicts (session)->graph;
        for (AssayNodeId node = 1; node < MIN (assay_graph_n_nodes (graph), 9); node++)
          {
            assay_session_set_selection (session, node);
            g_object_set (window, "show-sidebar", node % 2 == 0, "show-inspector", node % 3 == 0,
                          NULL);
            n_seen += check_apart (window);
            check_legend (window);
          }
        ui_window_close (window);
      }
  g_assert_cmpuint (n_seen, >, 20);
}

/* Puts the middle of the selected box at a pixel. */
static void
put_selection (AssayCanvas *canvas, double x, double y)
{
  const AssayViewBox *box = assay_view_box (
      canvas->view, assay_view_find_node (canvas->view, assay_canvas_get_selection (canvas)));

  assay_canvas_hold_unit_at (canvas, box->x + box->width / 2, box->y + box->height / 2, x, y);
  ui_settle ();
}

/* Whether some of the selected box lies below that. */
static gboolean
hides_selection (AssayCanvas *canvas, GtkWidget *floating)
{
  graphene_rect_t node, box;

  g_assert_true (gtk_widget_get_mapped (floating));
  g_assert_true (assay_canvas_find_selection (canvas, &node));
  g_assert_true (gtk_widget_compute_bounds (floating, GTK_WIDGET (canvas), &box));

  return graphene_rect_intersection (&node, &box, NULL);
}

/* The card and the legend leave a node that nobody has asked to see where it is, and go elsewhere.
 */
static void
check_corners (const char *id, int width, int height)
{
  AssayWindow *window = ui_window_new (UI_TARGET, width, height);
  AssayCanvas *canvas = get_canvas (window);
  GtkWidget *floating = get_part (window, id);
  GtkWidget *zoom_box = get_part (window, "zoom_box");
  GtkWidget *color_box = get_part (window, "color_box");
  graphene_rect_t usual, now, zoom, color;
  double x, y;

  ui_open_example (window, UI_MODEL);
  ui_settle ();
  g_assert_false (hides_selection (canvas, floating));
  assay_canvas_reveal (canvas, assay_canvas_get_selection (canvas));
  ui_settle ();
  put_selection (canvas, gtk_widget_get_width (GTK_WIDGET (canvas)) - 60.0, 200);
  assay_session_set_selection (assay_window_get_session (window), ASSAY_NO_NODE);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.next-finding", NULL);
  ui_settle ();
  g_assert_true (gtk_widget_compute_bounds (floating, GTK_WIDGET (canvas), &usual));
  g_assert_cmpfloat (usual.origin.x, <, 40);
  g_assert_false (hides_selection (canvas, floating));

  x = usual.origin.x + usual.size.width / 2;
  y = usual.origin.y + usual.size.height / 2;
  put_selection (canvas, x, y);
  g_assert_false (hides_selection (canvas, floating));
  g_assert_true (gtk_widget_compute_bounds (floating, GTK_WIDGET (canvas), &now));
  g_assert_true (gtk_widget_compute_bounds (zoom_box, GTK_WIDGET (canvas), &zoom));
  g_assert_true (gtk_widget_compute_bounds (color_box, GTK_WIDGET (canvas), &color));
  g_assert_false (graphene_rect_intersection (&now, &zoom, NULL));
  g_assert_false (graphene_rect_intersection (&now, &color, NULL));

  /* It does not follow every step, only what would be hidden. */
  put_selection (canvas, x, y - 30);
  g_assert_false (hides_selection (canvas, floating));
  put_selection (canvas, now.origin.x + now.size.width / 2, now.origin.y + now.size.height / 2);
  g_assert_false (hides_selection (canvas, floating));
  ui_window_close (window);
}

static void
test_corners (void)
{
  check_corners ("card", 1024, 640);
  check_corners ("legend", 1900, 1060);
}

/* Beside the list of findings the card waits until its node is in sight; where it alone says what
 * is selected it does not. */
static void
test_card_waits (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1024, 640);
  AssayCanvas *canvas = get_canvas (window);
  GtkWidget *card = get_part (window, "card");

  ui_open_example (window, UI_MODEL);
  ui_settle ();
  put_selection (canvas, 300, 2000);
  g_assert_cmpfloat (gtk_widget_get_opacity (card), ==, 0);
  g_assert_false (gtk_widget_is_sensitive (card));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.next-finding", NULL);
  ui_settle ();
  g_assert_cmpfloat (gtk_widget_get_opacity (card), ==, 1);
  g_assert_true (gtk_widget_is_sensitive (card));
  g_assert_false (hides_selection (canvas, card));

  put_selection (canvas, 300, 2000);
  g_object_set (window, "show-sidebar", FALSE, NULL);
  ui_settle ();
  g_assert_cmpfloat (gtk_widget_get_opacity (card), ==, 1);
  ui_window_close (window);
}

/* Colours from a program, with numbers in the nodes and in the legend. */
static void
test_colour_by (void)
{
  static const char *const kinds[] = { "engine", "scope", "bytes", "core", "cycles" };
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  AssayCanvas *canvas;

  ui_open_example (window, "mlp.onnx");
  canvas = ASSAY_CANVAS (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS));
  gtk_widget_activate_action (GTK_WIDGET (canvas), "graph.colour-by", "s", "cycles");
  g_assert_null (assay_canvas_get_overlay (canvas));
  ui_bind_batch (window);
  g_assert_nonnull (assay_compilation_get_program (assay_session_get_compilation (session)));
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      const AssayOverlay *overlay;
      guint coloured = 0;

      gtk_widget_activate_action (GTK_WIDGET (canvas), "graph.colour-by", "s", kinds[i]);
      ui_settle ();
      overlay = assay_canvas_get_overlay (canvas);
      g_assert_nonnull (overlay);
      for (AssayNodeId node = 1;
           node < assay_graph_n_nodes (assay_session_get_verdicts (session)->graph); node++)
        coloured += overlay->step_of_node[node] > 0;
      g_test_message ("%s: %u nodes", kinds[i], coloured);
      g_assert_cmpuint (coloured, >, 0);
      g_assert_nonnull (
          ui_find_label (GTK_WIDGET (window), g_ptr_array_index (overlay->labels, 0)));
      g_assert_nonnull (
          ui_find_label (GTK_WIDGET (window), assay_overlay_kind_title (overlay->kind)));
    }
  gtk_widget_activate_action (GTK_WIDGET (canvas), "graph.colour-by", "s", "verdict");
  g_assert_null (assay_canvas_get_overlay (canvas));
  ui_window_close (window);
}

/* The node that stands for an operation of a program, by its name without `torch.`. */
static AssayNodeId
find_type (const AssayGraph *graph, const char *op_type)
{
  for (AssayNodeId i = 1; i < assay_graph_n_nodes (graph); i++)
    if (g_str_equal (assay_graph_node (graph, i)->op_type, op_type))
      return i;

  return ASSAY_NO_NODE;
}

static const AssayGraph *
get_shown (AssayCanvas *canvas)
{
  return assay_canvas_get_verdicts (canvas)->graph;
}

/* A program of the torch dialect is shown behind each of its passes: what the pass changed is
 * marked and listed, what it leaves against the contract leads to its node, and what is selected
 * stays. Others have no passes. */
static void
test_passes (void)
{
  static const struct
  {
    const char *pass;
    const char *there; /* a node of the program behind it */
    const char *gone;
    const char *told; /* a row of the panel */
    guint8 mark;      /* of that node */
  } steps[] = {
    { "globalize-object-graph", "func.call", "nn_module", "\u22122 torch.nn_module",
      ASSAY_MARK_CHANGED },
    { "inline", "aten.add_.Tensor", "func.call", "\u22121 func.call", 0 },
    { "reduce-op-variants", "aten.add.Tensor", "aten.add_.Tensor", "+1 torch.aten.add.Tensor",
      ASSAY_MARK_CHANGED },
    { "maximize-value-semantics", "aten.tanh", "overwrite.tensor.contents",
      "\u22122 torch.overwrite.tensor.contents", 0 },
    { "refine-types", "aten.tanh", "aten.tanh_", "+1 torch.tensor_static_info_cast",
      ASSAY_MARK_CHANGED },
    { "decompose-complex-ops", "aten.exp", "aten.softmax.int", "+1 torch.aten.exp",
      ASSAY_MARK_ADDED },
  };
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "torch", "module.mlir", NULL);
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  AssayCanvas *canvas = get_canvas (window);
  AssayPassActivity *passes = assay_session_get_passes (session);
  GtkWidget *panel = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_PASS_PANEL);
  GtkWidget *link;
  double x1, y1, x2, y2;
  AssayNodeId node;

  ui_open_example (window, "streaming-cnn.onnx");
  g_assert_null (find_toggle (window, "Passes"));
  act (window, "graph.level", "passes");
  g_assert_false (gtk_widget_get_visible (panel));

  assay_window_open (window, path, NULL);
  ui_wait_ready (window);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (find_toggle (window, "Passes")), TRUE);
  ui_wait_ended (passes);
  g_assert_no_error (assay_activity_get_error (ASSAY_ACTIVITY (passes)));
  ui_settle ();
  g_assert_true (gtk_widget_get_visible (panel));
  g_assert_cmpuint (find_type (get_shown (canvas), "nn_module"), !=, ASSAY_NO_NODE);
  g_assert_null (ui_find_label (panel, "Changed"));

  /* What stands in the way leads to its node, and that to the node that it became. */
  link = ui_find_label (panel, "line 21  net.py:7  torch.aten.add_.Tensor");
  g_assert_nonnull (link);
  g_signal_emit_by_name (gtk_widget_get_ancestor (link, GTK_TYPE_BUTTON), "clicked");
  ui_settle ();
  node = assay_canvas_get_selection (canvas);
  g_assert_cmpstr (assay_graph_node (get_shown (canvas), node)->op_type, ==, "aten.add_.Tensor");
  node = assay_session_get_selection (session);
  g_assert_cmpint (assay_graph_node (assay_session_get_verdicts (session)->graph, node)->op, ==,
                   ASSAY_OP_Add);
  locate (canvas, &x1, &y1);

  for (guint i = 0; i < G_N_ELEMENTS (steps); i++)
    {
      const AssayGraph *graph;

      act (window, "graph.pass", steps[i].pass);
      graph = get_shown (canvas);
      node = find_type (graph, steps[i].there);
      if (node == ASSAY_NO_NODE)
        g_error ("%s: no %s", steps[i].pass, steps[i].there);
      if (find_type (graph, steps[i].gone) != ASSAY_NO_NODE)
        g_error ("%s: still %s", steps[i].pass, steps[i].gone);
      if (ui_find_label (panel, steps[i].told) == NULL)
        g_error ("%s: “%s” is not told", steps[i].pass, steps[i].told);
      g_assert_cmpuint (canvas->marks->data[node], ==, steps[i].mark);
      g_assert_cmpuint (assay_canvas_get_selection (canvas), !=, ASSAY_NO_NODE);
      locate (canvas, &x2, &y2);
      g_assert_cmpfloat (fabs (y2 - y1), <=, 1.5);
      g_assert_cmpfloat (fabs (x2 - x1), <=, 1.5);
    }

  /* One after the other, to both ends. */
  act (window, "graph.next-pass", NULL);
  g_assert_cmpuint (find_type (get_shown (canvas), "aten.exp"), !=, ASSAY_NO_NODE);
  act (window, "graph.previous-pass", NULL);
  g_assert_cmpuint (find_type (get_shown (canvas), "aten.exp"), ==, ASSAY_NO_NODE);
  g_assert_cmpuint (find_type (get_shown (canvas), "aten.softmax.int"), !=, ASSAY_NO_NODE);

  /* Another target changes nothing of the program, and another model has one of its own. */
  gtk_widget_activate_action (GTK_WIDGET (window), "win.target", "s", "vulkan-seed");
  ui_wait_ready (window);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (passes)), ==, ASSAY_ACTIVITY_READY);
  g_assert_cmpuint (find_type (get_shown (canvas), "aten.softmax.int"), !=, ASSAY_NO_NODE);
  ui_open_example (window, "streaming-cnn.onnx");
  g_assert_false (gtk_widget_get_visible (panel));
  g_assert_true (gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (find_toggle (window, "NNIR"))));
  ui_window_close (window);
}

static const UiTest tests[] = {
  { "/ui/graph/passes", test_passes },       { "/ui/graph/levels", test_levels },
  { "/ui/graph/choices", test_choices },     { "/ui/graph/overlay-file", test_overlay_file },
  { "/ui/graph/keys", test_keys },           { "/ui/graph/equal-button", test_equal_button },
  { "/ui/graph/key-table", test_key_table }, { "/ui/graph/export", test_export },
  { "/ui/graph/covered", test_covered },     { "/ui/graph/apart", test_apart },
  { "/ui/graph/corners", test_corners },     { "/ui/graph/card-waits", test_card_waits },
  { "/ui/graph/colour-by", test_colour_by },
};

TEST_PROGRAM (graph)
{
  return ui_run (argc, argv, tests, G_N_ELEMENTS (tests));
}
