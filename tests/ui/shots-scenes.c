/* shots-scenes.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What pictures of the window are taken of: each scene brings a window there as a user would.
 */
#include "shots-scenes.h"

#include <glib/gstdio.h>
#include <sys/stat.h>

#include "int8-model.h"
#include "ui/canvas/assay-canvas.h"
#include "ui/compare/assay-boards-window.h"
#include "ui/compare/assay-compare-page.h"
#include "ui/compare/assay-input-row.h"
#include "ui/compare/assay-inputs-window.h"
#include "ui/sidebar/assay-quantize-window.h"
#include "ui/window/assay-job-bar.h"
#include "ui/window/assay-preferences-window.h"
#include "ui/window/assay-start-page.h"
#include "ui/tensor/assay-tensor-window.h"
#include "ui/timeline/assay-timeline-page.h"

#define BLOCK "transformer-block.onnx"

static void
start_empty (AssayWindow *window)
{
  gtk_recent_manager_purge_items (gtk_recent_manager_get_default (), NULL);
  assay_start_page_refresh (
      ASSAY_START_PAGE (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_START_PAGE)));
}

static void
start_recent (AssayWindow *window)
{
  static const char *const names[] = { UI_MODEL, BLOCK, "lstm.onnx" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = ui_example (names[i]);
      g_autofree char *uri = g_filename_to_uri (path, NULL, NULL);

      gtk_recent_manager_add_item (gtk_recent_manager_get_default (), uri);
      ui_wait_recent (names[i]);
    }
  ui_open_example (window, UI_MODEL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.close-model", NULL);
}

/* Threads that are held keep the reader waiting for as long as the picture takes. */
static void
loading (AssayWindow *window)
{
  g_autofree char *path = ui_example (UI_MODEL);

  ui_hold_threads ();
  assay_window_open (window, path, NULL);
  wait_until (g_strcmp0 (ui_visible_page (window), "loading") == 0);
}

static void
graph (AssayWindow *window)
{
  ui_open_example (window, BLOCK);
  assay_session_set_selection (assay_window_get_session (window), ASSAY_NO_NODE);
}

static void
rejected (AssayWindow *window)
{
  ui_open_example (window, UI_MODEL);
}

static void
findings (AssayWindow *window)
{
  ui_open_example (window, UI_MODEL);
  for (guint i = 0; i < 3; i++)
    gtk_widget_activate_action (GTK_WIDGET (window), "win.next-finding", NULL);
}

static void
filtered (AssayWindow *window)
{
  ui_open_example (window, UI_MODEL);
  assay_session_set_filter (assay_window_get_session (window), 1u << ASSAY_VERDICT_REJECTED);
}

/* Open scopes inside of each other, from the middle on. */
static void
frames (AssayWindow *window)
{
  ui_open_example (window, "transformer-block.onnx");
  ui_settle ();
  gtk_widget_activate_action (GTK_WIDGET (window), "graph.zoom-normal", NULL);
  assay_session_select_name (assay_window_get_session (window),
                             "/encoder/layer.0/attention/MatMul");
}

static void
colored (AssayWindow *window)
{
  g_autoptr (AssaySettings) setup = assay_settings_new ();

  ui_open_example (window, "streaming-cnn.onnx");
  assay_settings_set_axis (&setup, 0, 2);
  assay_session_set_setup (assay_window_get_session (window), setup);
  ui_wait_ready (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "graph.colour-by", "s", "cycles");
}

static void
outline (AssayWindow *window)
{
  GtkWidget *toggle;

  ui_open_example (window, BLOCK);
  toggle = ui_find_label (GTK_WIDGET (window), "Outline");
  gtk_toggle_button_set_active (
      GTK_TOGGLE_BUTTON (gtk_widget_get_ancestor (toggle, GTK_TYPE_TOGGLE_BUTTON)), TRUE);
}

static void
target_chooser (AssayWindow *window)
{
  ui_open_example (window, UI_MODEL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.choose-target", NULL);
  ui_wait_survey (window);
}

static void
setup (AssayWindow *window)
{
  ui_open_example (window, BLOCK);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.setup", NULL);
}

static void
delegate (AssayWindow *window)
{
  ui_open_example (window, BLOCK);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.target", "s", "vulkan-seed");
  ui_wait_ready (window);
}

/* What a device measured; without one the page that says so. */
static void
times (AssayWindow *window)
{
  AssayRun *run = assay_session_get_run (assay_window_get_session (window));

  ui_open_example (window, "streaming-cnn.onnx");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.target", "s", "vulkan-main");
  ui_wait_ready (window);
  assay_run_set_runner (run, "vulkan");
  assay_run_start (run);
  ui_wait_ended (run);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "times");
}

static void
dpu (AssayWindow *window)
{
  ui_open_example (window, UI_MODEL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.target", "s", "dpu_zdx8g_b4096");
  ui_wait_ready (window);
}

/* Before a model is quantised, and afterwards. */
static void
quantize (AssayWindow *window)
{
  AssayQuantizeActivity *activity = assay_session_get_quantize (assay_window_get_session (window));
  g_autoptr (AssaySettings) setup = assay_settings_new ();

  ui_open_example (window, "mlp.onnx");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.target", "s", "dpu_zdx8g_b4096");
  ui_wait_ready (window);
  assay_settings_set_number (&setup, ASSAY_SETTING_BIND, "batch", 1);
  assay_settings_set_flag (&setup, ASSAY_SETTING_CORRECT_BIAS, TRUE);
  assay_session_set_setup (assay_window_get_session (window), setup);
  ui_wait_ready (window);
  assay_quantize_activity_set_random (activity, 100, 1);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.quantize", NULL);
  ui_settle ();
}

static void
quantized (AssayWindow *window)
{
  AssayQuantizeActivity *activity = assay_session_get_quantize (assay_window_get_session (window));
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "mlp-int8.onnx", NULL);

  quantize (window);
  assay_quantize_activity_start (activity, path);
  ui_wait_ended (activity);
}

static void
clean (AssayWindow *window)
{
  GtkWidget *toggle;

  ui_open_example (window, "mlp.onnx");
  ui_bind_batch (window);
  toggle = ui_find_label (GTK_WIDGET (window), "Findings");
  if (toggle != NULL)
    gtk_toggle_button_set_active (
        GTK_TOGGLE_BUTTON (gtk_widget_get_ancestor (toggle, GTK_TYPE_TOGGLE_BUTTON)), TRUE);
}

static void
error_page (AssayWindow *window)
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "weights.onnx", NULL);

  g_file_set_contents (path, "PK\003\004 a zip archive", -1, NULL);
  assay_window_open (window, path, NULL);
  ui_wait_ready (window);
}

static void
inspector (AssayWindow *window)
{
  ui_open_example (window, BLOCK);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.inspect", NULL);
}

static void
memory (AssayWindow *window)
{
  ui_open_example (window, UI_MODEL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "memory");
}

/* The streaming example, axis 2 = 64 steps. */
static void
memory_peak (AssayWindow *window)
{
  AssaySession *session = assay_window_get_session (window);
  g_autoptr (AssaySettings) setup = assay_settings_new ();

  ui_open_example (window, "streaming-cnn.onnx");
  assay_settings_set_axis (&setup, 0, 2);
  assay_session_set_setup (session, setup);
  ui_wait_ready (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "memory.to-peak", NULL);
}

static void
press_list (GtkWidget *widget, gpointer data)
{
  if (GTK_IS_TOGGLE_BUTTON (widget) &&
      g_strcmp0 (gtk_button_get_icon_name (GTK_BUTTON (widget)), "view-list-symbolic") == 0)
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (widget), TRUE);
}

/* What lies there, which small windows show when it is asked for. */
static void
memory_list (AssayWindow *window)
{
  memory_peak (window);
  ui_settle ();
  ui_for_each (GTK_WIDGET (window), press_list, NULL);
}

/* The same model, not streamed, on a target whose tensor RAM is too small. */
static void
memory_failure (AssayWindow *window)
{
  static const char target[] =
      "{ \"schema\": \"assay.target/1\", \"id\": \"small\", \"title\": \"Small\","
      " \"summary\": \"100 blocks of tensor RAM\", \"source\": \"this picture\","
      " \"extends\": \"ia_420f_c6b32\", \"config\": { \"tensor_ram_depth\": 100 } }";
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "small.json", NULL);

  g_file_set_contents (path, target, -1, NULL);
  ui_open_example (window, "streaming-cnn.onnx");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.target", "s", path);
  ui_wait_ready (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "memory");
}

static void
compare_unfit (AssayWindow *window)
{
  memory_failure (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "compare");
}

static void compare (AssayWindow *window);

/* The table of all nodes with a program and a comparison, the most cycles first, several rows
 * selected. */
static void
node_table (AssayWindow *window)
{
  AssaySession *session = assay_window_get_session (window);
  AssayNodeTable *table = assay_session_get_node_table (session);

  memory_peak (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "graph");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.node-table", NULL);
  assay_node_table_sort (table, ASSAY_NODE_COLUMN_CYCLES, TRUE);
  for (guint i = 0; i < 3; i++)
    assay_node_table_mark (table, i, TRUE);
  assay_node_table_commit (table, 0);
}

static void
node_table_refusals (AssayWindow *window)
{
  ui_open_example (window, UI_MODEL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.node-table", NULL);
}

/* What would go into a run. */
static void
inputs (AssayWindow *window)
{
  memory_peak (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.run-inputs", NULL);
  wait_until (assay_input_row_get_tensor (ASSAY_INPUT_ROW (
      ui_find_type (ui_find_window (ASSAY_TYPE_INPUTS_WINDOW), ASSAY_TYPE_INPUT_ROW))));
}

/* Everything about a node of a program that was compared, the inspector open. */
static void
inspector_program (AssayWindow *window)
{
  AssaySession *session = assay_window_get_session (window);

  compare (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "graph");
  assay_session_select_name (session, "/blocks.1/act/Relu");
  assay_cause_search_ask (assay_session_get_cause_search (session), 1);
  ui_wait_ended (assay_session_get_cause_search (session));
  assay_session_set_note (session, "/blocks.1/act/Relu",
                          "Folded into the convolution on other targets; ask for the scales.");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.inspect", NULL);
}

static void
inspector_model (AssayWindow *window)
{
  ui_open_example (window, UI_MODEL);
  assay_session_set_selection (assay_window_get_session (window), ASSAY_NO_NODE);
}

static void
instructions (AssayWindow *window)
{
  memory_peak (window);
  assay_session_select_name (assay_window_get_session (window),
                             "/blocks.1/norm/BatchNormalization");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-instructions", NULL);
}

static void
open_tensor (AssayWindow *window, const char *name)
{
  AssayVerdicts *verdicts = assay_session_get_verdicts (assay_window_get_session (window));

  for (AssayValueId id = 1; id < assay_graph_n_values (verdicts->graph); id++)
    if (g_str_equal (assay_graph_value (verdicts->graph, id)->name, name))
      {
        GtkWidget *viewer = assay_tensor_window_new (GTK_WINDOW (window), name,
                                                     assay_graph_constant (verdicts->graph, id));

        assay_tensor_window_set_command (ASSAY_TENSOR_WINDOW (viewer), "assay show");
        gtk_window_present (GTK_WINDOW (viewer));
      }
}

static void
tensor (AssayWindow *window)
{
  memory_peak (window);
  open_tensor (window, "/blocks.1/norm/BatchNormalization/weight");
}

static void
memory_weights (AssayWindow *window)
{
  GtkWidget *toggle;

  memory_peak (window);
  toggle = ui_find_label (GTK_WIDGET (window), "Weights");
  gtk_toggle_button_set_active (
      GTK_TOGGLE_BUTTON (gtk_widget_get_ancestor (toggle, GTK_TYPE_TOGGLE_BUTTON)), TRUE);
}

static void
rule (AssayWindow *window)
{
  rejected (window);
  ui_settle ();
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-rule", NULL);
}

/* A copy of the example that is written again while it is open. */
static void
reload (AssayWindow *window)
{
  g_autofree char *example = ui_example (UI_MODEL);
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), UI_MODEL, NULL);
  g_autoptr (GFile) from = g_file_new_for_path (example);
  g_autoptr (GFile) to = g_file_new_for_path (path);

  g_file_copy (from, to, G_FILE_COPY_OVERWRITE, NULL, NULL, NULL, NULL);
  assay_window_open (window, path, NULL);
  ui_wait_ready (window);
  g_file_copy (from, to, G_FILE_COPY_OVERWRITE, NULL, NULL, NULL, NULL);
  wait_until (assay_document_get_changed_files (
                  assay_session_get_document (assay_window_get_session (window))) != 0);
}

/* A target file with a mistake: what is shown stays. */
static void
broken_target (AssayWindow *window)
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "my-card.json", NULL);

  g_file_set_contents (path,
                       "{\n  \"schema\": \"assay.target/1\",\n  \"id\": \"my-card\",\n"
                       "  \"title\": \"My card\",\n  \"extends\": \"block-streaming\",\n"
                       "  \"summary\": \"Six cores\",\n"
                       "  \"source\": \"lab\",\n  \"config\": [ 6, 32 ]\n}\n",
                       -1, NULL);
  ui_open_example (window, UI_MODEL);
  assay_session_set_target_id (assay_window_get_session (window), path);
}

static void
run_result (AssayWindow *window)
{
  memory_peak (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.run", NULL);
  ui_wait_ended (assay_session_get_run (assay_window_get_session (window)));
}

static void
compare (AssayWindow *window)
{
  memory_peak (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
  ui_wait_ended (assay_session_get_compare_activity (assay_window_get_session (window)));
}

static void
dpu_compare (AssayWindow *window)
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "int8.nnir", NULL);

  g_assert_true (g_file_set_contents (path, int8_model, -1, NULL));
  assay_window_open (window, path, NULL);
  ui_wait_ready (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.target", "s", "dpu_zdx8g_b4096");
  ui_wait_ready (window);
  assay_compilation_start (assay_session_get_compilation (assay_window_get_session (window)));
  ui_wait_ended (assay_session_get_compilation (assay_window_get_session (window)));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
  ui_wait_ended (assay_session_get_compare_activity (assay_window_get_session (window)));
}

/* What the other families of targets have to show. */
static void
open_delegate (AssayWindow *window, const char *page)
{
  ui_open_example (window, "streaming-cnn.onnx");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.target", "s", "vulkan-main");
  ui_wait_ready (window);
  ui_wait_ended (assay_session_get_compilation (assay_window_get_session (window)));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", page);
}

static void
delegate_memory (AssayWindow *window)
{
  open_delegate (window, "memory");
}

static void
delegate_compare (AssayWindow *window)
{
  open_delegate (window, "compare");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
  ui_wait_ended (assay_session_get_compare_activity (assay_window_get_session (window)));
}

static void
delegate_setup (AssayWindow *window)
{
  open_delegate (window, "graph");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.setup", NULL);
}

/* A model of 8 bits on a DPU, made by the program itself. */
static void
open_dpu (AssayWindow *window, const char *page)
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "mlp-int8.onnx", NULL);

  quantized (window);
  gtk_window_destroy (GTK_WINDOW (ui_find_window (ASSAY_TYPE_QUANTIZE_WINDOW)));
  assay_window_open (window, path, NULL);
  ui_wait_ready (window);
  ui_wait_ended (assay_session_get_compilation (assay_window_get_session (window)));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", page);
}

/* A setting that the model does not have. */
static void
dpu_notice (AssayWindow *window)
{
  open_dpu (window, "timeline");
  ui_bind_batch (window);
}

static void
dpu_graph (AssayWindow *window)
{
  open_dpu (window, "graph");
}

static void
dpu_memory (AssayWindow *window)
{
  open_dpu (window, "memory");
}

static void
dpu_timeline (AssayWindow *window)
{
  open_dpu (window, "timeline");
}

static void
dpu_setup (AssayWindow *window)
{
  open_dpu (window, "graph");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.setup", NULL);
}

static void
compare_growth (AssayWindow *window)
{
  ui_open_drifting_model (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
  ui_wait_ended (assay_session_get_compare_activity (assay_window_get_session (window)));
}

/* Limits so tight that the first rounding is a divergence. */
static void
divergence (AssayWindow *window)
{
  static const char tolerance[] =
      "{ \"schema\": \"assay.tolerance/1\", \"title\": \"Tight\", \"doc\": \"Tight\","
      " \"bf16\": { \"any\": 1, \"rules\": [] }, \"fp32\": { \"any\": 1, \"rules\": [] } }";
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "tight.json", NULL);

  g_file_set_contents (path, tolerance, -1, NULL);
  assay_compare_activity_set_tolerance (
      assay_session_get_compare_activity (assay_window_get_session (window)), path);
  compare (window);
}

/* What failed, opened as a click on its row does. */
static void
divergence_detail (AssayWindow *window)
{
  GtkWidget *page = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_COMPARE_PAGE);

  divergence (window);
  g_signal_emit_by_name (ui_find_type (page, GTK_TYPE_COLUMN_VIEW), "activate", 0u);
  ui_settle ();
}

static void
deploy (AssayWindow *window)
{
  memory_peak (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.deploy", NULL);
  ui_wait_ended (assay_session_get_deploy_activity (assay_window_get_session (window)));
  ui_wait_ready (window);
}

static void
boards (AssayWindow *window)
{
  memory_peak (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.manage-boards", NULL);
  wait_until (!gtk_spinner_get_spinning (
      GTK_SPINNER (ui_find_type (ui_find_window (ASSAY_TYPE_BOARDS_WINDOW), GTK_TYPE_SPINNER))));
}

static void
compare_empty (AssayWindow *window)
{
  memory_peak (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "compare");
}

static void
timeline (AssayWindow *window)
{
  ui_open_example (window, "streaming-cnn.onnx");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "timeline");
}

/* Below the lanes the instructions instead of the units. */
static void
timeline_instructions (AssayWindow *window)
{
  timeline (window);
  gtk_toggle_button_set_active (
      GTK_TOGGLE_BUTTON (gtk_widget_get_last_child (ui_find_type (
          ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_TIMELINE_PAGE), GTK_TYPE_STACK_SWITCHER))),
      TRUE);
}

/* So small that only glyphs are left of the nodes. */
static void
far (AssayWindow *window)
{
  GtkWidget *canvas = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS);

  ui_open_example (window, UI_MODEL);
  gtk_widget_activate_action (canvas, "graph.unfold-all", NULL);
  ui_settle ();
  assay_canvas_set_zoom (ASSAY_CANVAS (canvas), 0.35);
}

/* Written by the program that the benchmarks use. */
static void
huge (AssayWindow *window)
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "nodes-50000.onnx", NULL);
  const char *build = g_getenv ("G_TEST_BUILDDIR");
  g_autofree char *maker = g_build_filename (build != NULL ? build : ".", "bench", "make-model",
                                             NULL);
  const char *argv[] = { maker, "50000", path, NULL };

  if (!g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL, NULL,
                     NULL))
    return;
  assay_window_open (window, path, NULL);
  /* Its verdicts and its graph are what is seen; what else is looked for takes as long again. */
  wait_until (assay_session_get_state (assay_window_get_session (window)) != ASSAY_SESSION_LOADING);
  wait_until (assay_canvas_get_anchor (
                  ASSAY_CANVAS (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS))) != 0);
  ui_settle ();
}

/* Many cores: their strips stand in a grid. */
static void
many_cores (AssayWindow *window)
{
  static const char target[] =
      "{ \"schema\": \"assay.target/1\", \"id\": \"many\", \"title\": \"Many cores\","
      " \"summary\": \"48 cores\", \"source\": \"this picture\","
      " \"extends\": \"ia_420f_c6b32\", \"config\": { \"num_cores\": 48 } }";
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "many.json", NULL);

  g_file_set_contents (path, target, -1, NULL);
  memory_peak (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.target", "s", path);
  ui_wait_ready (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "memory");
}

/* A result of before a change, and what it was before. */
static void
stale (AssayWindow *window)
{
  AssaySession *session = assay_window_get_session (window);
  g_autoptr (AssaySettings) setup = NULL;

  compare (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.pin-baseline", NULL);
  setup = assay_settings_ref (assay_session_get_setup (session));
  assay_settings_set_flag (&setup, ASSAY_SETTING_DISABLE_OPTIMIZATIONS, TRUE);
  assay_session_set_setup (session, setup);
  ui_wait_ready (window);
}

static void
helper_died (AssayWindow *window)
{
  AssaySession *session = assay_window_get_session (window);

  memory_peak (window);
  assay_compare_activity_set_runner (assay_session_get_compare_activity (session), 1,
                                     "command:/bin/false");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
  ui_wait_ended (assay_session_get_compare_activity (session));
}

/* More timesteps than any memory holds. */
static void
out_of_memory (AssayWindow *window)
{
  AssaySession *session = assay_window_get_session (window);

  memory_peak (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "compare");
  ui_set_steps (session, G_MAXUINT);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
  ui_wait_ended (assay_session_get_compare_activity (session));
}

/* The session cannot be written. */
static void
disk_full (AssayWindow *window)
{
  g_autofree char *path = NULL;

  memory_peak (window);
  path = ui_save_on_full_disk (window);
}

static void
open_without_outputs (AssayWindow *window, gboolean has_node)
{
  g_autofree char *path = ui_write_model_without_outputs (has_node);

  assay_window_open (window, path, NULL);
  ui_wait_ready (window);
}

static void
empty_model (AssayWindow *window)
{
  open_without_outputs (window, FALSE);
}

static void
no_outputs (AssayWindow *window)
{
  open_without_outputs (window, TRUE);
}

/* So many timesteps that one can look at the work. */
static void
job (AssayWindow *window)
{
  AssaySession *session = assay_window_get_session (window);

  memory_peak (window);
  ui_set_steps (session, 1000000);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.run", NULL);
  wait_until (gtk_spinner_get_spinning (GTK_SPINNER (
      ui_find_type (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_JOB_BAR), GTK_TYPE_SPINNER))));
}

static void
cancelled (AssayWindow *window)
{
  job (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.cancel", NULL);
  ui_settle ();
}

static void
preferences (AssayWindow *window)
{
  ui_open_example (window, BLOCK);
  gtk_window_present (GTK_WINDOW (assay_preferences_window_new (GTK_WINDOW (window))));
}

static void
shortcuts (AssayWindow *window)
{
  ui_open_example (window, BLOCK);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-help-overlay", NULL);
}

static void
drop (AssayWindow *window)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (GTK_WIDGET (window));

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);
      GdkDragAction action;

      if (GTK_IS_DROP_TARGET (controller))
        g_signal_emit_by_name (controller, "enter", 10.0, 10.0, &action);
    }
}

/* What can be done about the first cause, tried. */
static void
fixes (AssayWindow *window)
{
  ui_open_example (window, UI_MODEL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.fix", NULL);
  wait_until (
      !assay_fix_search_is_busy (assay_session_get_fix_search (assay_window_get_session (window)),
                                 assay_session_get_finding (assay_window_get_session (window))));
}

/* The best of them looked at, before it is applied. */
static void
preview (AssayWindow *window)
{
  fixes (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.preview-fix", "s", "0");
  ui_wait_ready (window);
  ui_settle ();
}

/* The nodes as they stand in the file. */
static void
level (AssayWindow *window)
{
  ui_open_example (window, BLOCK);
  gtk_widget_activate_action (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS), "graph.level",
                              "s", "onnx");
  ui_settle ();
}

/* A program behind one of its passes. */
static void
pass (AssayWindow *window)
{
  g_autofree char *path = g_build_filename (g_getenv ("G_TEST_SRCDIR"), "data", "torch",
                                            "module.mlir", NULL);
  GtkWidget *canvas = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS);

  assay_window_open (window, path, NULL);
  ui_wait_ready (window);
  gtk_widget_activate_action (canvas, "graph.pass", "s", "reduce-op-variants");
  ui_wait_ended (assay_session_get_passes (assay_window_get_session (window)));
  ui_settle ();
}

/* A file that runs code when it is opened. */
static void
python (AssayWindow *window)
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "net.py", NULL);

  ui_open_example (window, BLOCK);
  g_assert_true (g_file_set_contents (path, "class Net: pass", -1, NULL));
  assay_window_open (window, path, NULL);
  wait_until (ui_find_window (ADW_TYPE_MESSAGE_DIALOG) != NULL);
  ui_settle ();
}

/* The operators of a model, on the machine. */
static void
qualify (AssayWindow *window)
{
  clean (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.qualify", NULL);
  ui_wait_ended (assay_session_get_qualify (assay_window_get_session (window)));
  ui_settle ();
}

static void
qualify_empty (AssayWindow *window)
{
  clean (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "qualify");
}

/* Every page is seen at each width in light and dark, and in each of the other looks. */
#define WIDTHS                                                                                     \
  "720-light 720-dark 1024-light 1024-dark 1280-light 1280-dark 1920-light 1920-dark 2560-light "  \
  "2560-dark"
#define LOOKS                                                                                      \
  "contrast-light contrast-dark large-light large-dark rtl-light rtl-dark double-light "           \
  "double-dark twice-light least-light"
#define ALL WIDTHS " " LOOKS
/* Pages whose layout is known, with what only one family of targets has to say. */
#define FAMILY "720-light 1280-light 1920-dark twice-light least-light"

/* What is seen, and in which sizes and themes. */
static const ShotScene scenes[] = {
  { "start-recent", start_recent, PLAIN, ALL },
  { "graph-rejected", rejected, PLAIN, ALL },
  { "graph-fixes", fixes, PLAIN, ALL },
  { "node-table", node_table, PLAIN, ALL },
  { "target-chooser", target_chooser, PLAIN, ALL },
  { "setup", setup, PLAIN, ALL },
  { "memory-peak", memory_peak, PLAIN, ALL },
  { "memory-failure", memory_failure, PLAIN, ALL },
  { "timeline", timeline, PLAIN, ALL },
  { "timeline-instructions", timeline_instructions, PLAIN,
    "720-light 1280-light 1920-light 2560-light rtl-light large-light least-light" },
  { "compare-pass", compare, PLAIN, ALL },
  { "qualify", qualify, PLAIN, ALL },
  { "inspector-program", inspector_program, PLAIN, ALL },
  { "findings", findings, PLAIN, WIDTHS },
  { "fix-preview", preview, PLAIN,
    "720-light 1024-light 1920-dark contrast-light rtl-light least-light" },
  { "level-onnx", level, PLAIN, "1280-light" },
  { "pass", pass, PLAIN, "720-light 1024-light 1280-dark 1920-dark least-light" },
  { "python", python, PLAIN, "1024-light 1280-dark" },
  { "qualify-empty", qualify_empty, PLAIN, "1024-light" },
  { "times", times, PLAIN,
    "720-light 1280-light 1920-dark 2560-light large-light rtl-light least-light" },
  { "graph-far", far, PLAIN, "1024-light 1920-dark" },
  { "graph-50000", huge, SLOW, "1024-light 1920-dark" },
  { "memory-48", many_cores, PLAIN, "1280-light" },
  { "stale", stale, PLAIN, "1024-light 1920-dark" },
  { "helper-died", helper_died, PLAIN, "1280-light" },
  { "out-of-memory", out_of_memory, PLAIN, "1280-light 1920-dark" },
  { "disk-full", disk_full, PLAIN, "1280-light" },
  { "empty-model", empty_model, PLAIN, "1024-light" },
  { "no-outputs", no_outputs, PLAIN, "1024-light" },
  { "job", job, SLOW, "1280-light 1920-dark" },
  { "cancelled", cancelled, SLOW, "1280-light" },
  { "preferences", preferences, PLAIN, "1024-light 1280-dark rtl-light large-light" },
  { "shortcuts", shortcuts, PLAIN, "1280-light large-light" },
  { "drop", drop, PLAIN, "1024-light" },
  { "colour-cycles", colored, PLAIN, "720-light 1280-light 1920-dark large-light" },
  { "frames", frames, PLAIN, "1024-light 1920-dark" },
  { "rule", rule, PLAIN, "1280-light 1280-dark" },
  { "reload", reload, PLAIN, "1024-light" },
  { "broken-target", broken_target, PLAIN, "1280-dark" },
  { "compare-growth", compare_growth, PLAIN, "1024-light 1280-light 1920-dark" },
  { "compare-dpu", dpu_compare, PLAIN, "720-light 1280-light 1920-light 2560-light" },
  { "compare-divergence", divergence, PLAIN, "1024-light 1920-dark contrast-light rtl-light" },
  { "compare-detail", divergence_detail, PLAIN,
    "1024-light 1280-light 1920-light twice-light least-light" },
  { "deploy", deploy, PLAIN, "1024-light 1920-dark large-light" },
  { "boards", boards, PLAIN, "1024-light" },
  { "compare-empty", compare_empty, PLAIN, "1024-light" },
  { "compare-unfit", compare_unfit, PLAIN, "720-light 1280-light 1920-dark large-light" },
  { "run-result", run_result, PLAIN,
    "720-light 1024-light 1024-dark 1280-light 1920-light 2560-light" },
  { "memory-weights", memory_weights, PLAIN, "1280-light" },
  { "memory-list", memory_list, PLAIN, "720-light least-light" },
  { "start-empty", start_empty, PLAIN, "1024-light 1920-dark" },
  { "loading", loading, PLAIN, "1024-light 1920-dark" },
  { "graph", graph, PLAIN, "1024-light 1920-dark" },
  { "filter", filtered, PLAIN, "1280-light" },
  { "outline", outline, PLAIN, "1280-light 1280-dark" },
  { "delegate", delegate, PLAIN, "1280-light" },
  { "delegate-memory", delegate_memory, PLAIN, FAMILY },
  { "delegate-compare", delegate_compare, PLAIN, FAMILY },
  { "delegate-setup", delegate_setup, PLAIN, FAMILY },
  { "dpu", dpu, PLAIN, "1280-dark" },
  { "dpu-graph", dpu_graph, PLAIN, FAMILY },
  { "dpu-memory", dpu_memory, PLAIN, FAMILY },
  { "dpu-timeline", dpu_timeline, PLAIN, FAMILY },
  { "dpu-setup", dpu_setup, PLAIN, FAMILY },
  { "dpu-notice", dpu_notice, PLAIN, FAMILY },
  { "quantize", quantize, PLAIN, "1024-light 1280-dark" },
  { "quantized", quantized, PLAIN, "720-light 1280-dark" },
  { "no-findings", clean, PLAIN, "1280-light" },
  { "error", error_page, PLAIN, "1024-light 1920-dark" },
  { "inspector", inspector, PLAIN, "1024-light 1280-light" },
  { "inspector-model", inspector_model, PLAIN, "1280-dark" },
  { "inputs", inputs, PLAIN, "1024-light 1280-dark large-light rtl-light" },
  { "instructions", instructions, PLAIN, "1280-light rtl-light" },
  { "tensor", tensor, PLAIN, "1280-light 1280-dark rtl-light large-light" },
  { "node-table-refusals", node_table_refusals, PLAIN, "1280-light rtl-light" },
  { "memory-empty", memory, PLAIN, "1024-light 1920-dark large-light" },
};

/* All there are, in the order in which they are taken. */
const ShotScene *
shots_list_scenes (guint *n)
{
  *n = G_N_ELEMENTS (scenes);
  return scenes;
}
