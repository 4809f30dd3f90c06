/* shots.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Takes the set of pictures of the window: shots FOLDER [NAME...], or says what is wrong with them: shots --check
 * [NAME...]. Needs a display of at least 1920 x 1200.
 */
#include <glib/gstdio.h>
#include <sys/stat.h>

#include "look-checks.h"
#include "ui/assay-canvas.h"
#include "ui/assay-preferences-window.h"
#include "ui/assay-tensor-window.h"

#define MODEL "many-refusals.onnx"
#define BLOCK "transformer-block.onnx"

/* How a picture is set. */
typedef enum
{
  LIGHT = 0,
  DARK = 1 << 0,
  CONTRAST = 1 << 1,
  RTL = 1 << 2,
  LARGE = 1 << 3,
  SLOW = 1 << 4, /* taken as a picture, but not checked in each build */
} Look;

typedef void (*Prepare) (AssayWindow *window);

typedef struct
{
  const char *name;
  int width;
  int height;
  Look look;
  Prepare prepare;
} Shot;

static void
start_empty (AssayWindow *window)
{
}

static void
start_recent (AssayWindow *window)
{
  static const char *const names[] = { MODEL, BLOCK, "lstm.onnx" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = ui_example (names[i]);
      g_autofree char *uri = g_filename_to_uri (path, NULL, NULL);

      gtk_recent_manager_add_item (gtk_recent_manager_get_default (), uri);
    }
  ui_settle (300);
  ui_open_example (window, MODEL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.close-model", NULL);
}

/* A pipe that nobody writes keeps the reader busy for as long as the picture takes. */
static void
loading (AssayWindow *window)
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "large-model.onnx", NULL);

  g_remove (path);
  if (mkfifo (path, 0600) == 0)
    assay_window_open (window, path, NULL);
  ui_settle (500);
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
  ui_open_example (window, MODEL);
}

static void
findings (AssayWindow *window)
{
  ui_open_example (window, MODEL);
  for (guint i = 0; i < 3; i++)
    gtk_widget_activate_action (GTK_WIDGET (window), "win.next-finding", NULL);
}

static void
filtered (AssayWindow *window)
{
  ui_open_example (window, MODEL);
  assay_session_set_filter (assay_window_get_session (window), 1u << ASSAY_VERDICT_REJECTED);
}

/* Open scopes inside of each other, from the middle on. */
static void
frames (AssayWindow *window)
{
  ui_open_example (window, "transformer-block.onnx");
  ui_settle (100);
  gtk_widget_activate_action (GTK_WIDGET (window), "graph.zoom-normal", NULL);
  assay_session_select_name (assay_window_get_session (window), "/encoder/layer.0/attention/MatMul");
}

static void
colored (AssayWindow *window)
{
  g_autoptr (AssaySetup) setup = assay_setup_new ();

  ui_open_example (window, "streaming-cnn.onnx");
  assay_setup_set_streaming_axis (setup, 0, 2);
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
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (gtk_widget_get_ancestor (toggle, GTK_TYPE_TOGGLE_BUTTON)), TRUE);
}

static void
target_chooser (AssayWindow *window)
{
  ui_open_example (window, MODEL);
  ui_settle (1500);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.choose-target", NULL);
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

static void
dpu (AssayWindow *window)
{
  ui_open_example (window, MODEL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.target", "s", "dpu_zdx8g_b4096");
  ui_wait_ready (window);
}

static void
clean (AssayWindow *window)
{
  g_autoptr (AssaySetup) setup = assay_setup_new ();
  GtkWidget *toggle;

  ui_open_example (window, "mlp.onnx");
  assay_setup_set_binding (setup, "batch", 1);
  assay_session_set_setup (assay_window_get_session (window), setup);
  ui_wait_ready (window);
  toggle = ui_find_label (GTK_WIDGET (window), "Findings");
  if (toggle != NULL)
    gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (gtk_widget_get_ancestor (toggle, GTK_TYPE_TOGGLE_BUTTON)), TRUE);
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
  ui_open_example (window, MODEL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "memory");
}

/* The streaming example, axis 2 = 64 steps. */
static void
memory_peak (AssayWindow *window)
{
  AssaySession *session = assay_window_get_session (window);
  g_autoptr (AssaySetup) setup = assay_setup_new ();

  ui_open_example (window, "streaming-cnn.onnx");
  assay_setup_set_streaming_axis (setup, 0, 2);
  assay_session_set_setup (session, setup);
  ui_wait_ready (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.to-peak", NULL);
}

/* The same model, not streamed, on a target whose tensor RAM is too small. */
static void
memory_failure (AssayWindow *window)
{
  static const char target[] = "{ \"schema\": \"assay.target/1\", \"id\": \"small\", \"title\": \"Small\","
                               " \"summary\": \"100 blocks of tensor RAM\", \"source\": \"this picture\","
                               " \"extends\": \"ia_420f_c6b32\", \"config\": { \"tensor_ram_depth\": 100 } }";
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "small.json", NULL);

  g_file_set_contents (path, target, -1, NULL);
  ui_open_example (window, "streaming-cnn.onnx");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.target", "s", path);
  ui_wait_ready (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.to-peak", NULL);
}

static void compare (AssayWindow *window);

/* The table of all nodes with a program and a comparison, the most cycles first, several rows selected. */
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
  ui_open_example (window, MODEL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.node-table", NULL);
}

/* What would go into a run. */
static void
inputs (AssayWindow *window)
{
  memory_peak (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.run-inputs", NULL);
  ui_settle (400);
}

/* Everything about a node of a program that was compared, the inspector open. */
static void
inspector_program (AssayWindow *window)
{
  AssaySession *session = assay_window_get_session (window);

  compare (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "graph");
  assay_session_select_name (session, "/blocks.1/norm/BatchNormalization");
  assay_session_set_note (session, "/blocks.1/norm/BatchNormalization",
                          "Folded into the convolution on other targets; ask for the scales.");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.inspect", NULL);
}

static void
inspector_model (AssayWindow *window)
{
  ui_open_example (window, MODEL);
  assay_session_set_selection (assay_window_get_session (window), ASSAY_NO_NODE);
}

static void
instructions (AssayWindow *window)
{
  memory_peak (window);
  assay_session_select_name (assay_window_get_session (window), "/blocks.1/norm/BatchNormalization");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-instructions", NULL);
}

static void
open_tensor (AssayWindow *window,
             const char  *name)
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
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (gtk_widget_get_ancestor (toggle, GTK_TYPE_TOGGLE_BUTTON)), TRUE);
}

static void
rule (AssayWindow *window)
{
  rejected (window);
  ui_settle (100);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.show-rule", NULL);
}

/* A copy of the example that is written again while it is open. */
static void
reload (AssayWindow *window)
{
  g_autofree char *example = ui_example ("many-refusals.onnx");
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "many-refusals.onnx", NULL);
  g_autoptr (GFile) from = g_file_new_for_path (example);
  g_autoptr (GFile) to = g_file_new_for_path (path);

  g_file_copy (from, to, G_FILE_COPY_OVERWRITE, NULL, NULL, NULL, NULL);
  assay_window_open (window, path, NULL);
  ui_wait_ready (window);
  g_file_copy (from, to, G_FILE_COPY_OVERWRITE, NULL, NULL, NULL, NULL);
}

/* A target file with a mistake: what is shown stays. */
static void
broken_target (AssayWindow *window)
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "my-card.json", NULL);

  g_file_set_contents (path, "{\n  \"schema\": \"assay.target/1\",\n  \"id\": \"my-card\",\n"
                             "  \"title\": \"My card\",\n  \"extends\": \"block-streaming\",\n"
                             "  \"summary\": \"Six cores\",\n"
                             "  \"source\": \"lab\",\n  \"config\": [ 6, 32 ]\n}\n", -1, NULL);
  ui_open_example (window, "many-refusals.onnx");
  assay_session_set_target_id (assay_window_get_session (window), path);
}

static gboolean
has_run (gpointer data)
{
  AssayRunState state = assay_activity_get_state (data);

  return state != ASSAY_RUN_NONE && state != ASSAY_RUN_RUNNING;
}

static void
run_result (AssayWindow *window)
{
  memory_peak (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.run", NULL);
  ui_wait (has_run, assay_session_get_run (assay_window_get_session (window)));
}

static gboolean
has_compared (gpointer data)
{
  AssayRunState state = assay_activity_get_state (data);

  return state != ASSAY_RUN_NONE && state != ASSAY_RUN_RUNNING;
}

static void
compare (AssayWindow *window)
{
  memory_peak (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
  ui_wait (has_compared, assay_session_get_versus (assay_window_get_session (window)));
}

/* Limits so tight that the first rounding is a divergence. */
static void
divergence (AssayWindow *window)
{
  static const char tolerance[] = "{ \"schema\": \"assay.tolerance/1\", \"title\": \"Tight\", \"doc\": \"Tight\","
                                  " \"bf16\": { \"any\": 1, \"rules\": [] }, \"fp32\": { \"any\": 1, \"rules\": [] } }";
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "tight.json", NULL);

  g_file_set_contents (path, tolerance, -1, NULL);
  assay_versus_set_tolerance (assay_session_get_versus (assay_window_get_session (window)), path);
  compare (window);
}

static gboolean
has_deployed (gpointer data)
{
  AssayRunState state = assay_activity_get_state (data);

  return state != ASSAY_RUN_NONE && state != ASSAY_RUN_RUNNING;
}

static void
deploy (AssayWindow *window)
{
  memory_peak (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.deploy", NULL);
  ui_wait (has_deployed, assay_session_get_rollout (assay_window_get_session (window)));
  ui_wait_ready (window);
}

static void
boards (AssayWindow *window)
{
  memory_peak (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.manage-boards", NULL);
  ui_settle (2500);
}

static void
compare_empty (AssayWindow *window)
{
  memory_peak (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "compare");
}

static void
run_inputs (AssayWindow *window)
{
  memory_peak (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.run-inputs", NULL);
}

static void
timeline (AssayWindow *window)
{
  memory_peak (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "timeline");
}

/* So small that only glyphs are left of the nodes. */
static void
far (AssayWindow *window)
{
  GtkWidget *canvas = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS);

  ui_open_example (window, MODEL);
  gtk_widget_activate_action (canvas, "graph.unfold-all", NULL);
  ui_settle (200);
  assay_canvas_set_zoom (ASSAY_CANVAS (canvas), 0.35);
}

/* Written by the program that the benchmarks use. */
static void
huge (AssayWindow *window)
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "nodes-50000.onnx", NULL);
  const char *build = g_getenv ("G_TEST_BUILDDIR");
  g_autofree char *maker = g_build_filename (build != NULL ? build : ".", "bench", "make-model", NULL);
  const char *argv[] = { maker, "50000", path, NULL };

  if (!g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, NULL, NULL, NULL))
    return;
  assay_window_open (window, path, NULL);
  /* Longer than any test may take. */
  for (guint i = 0; i < 120 && assay_session_get_state (assay_window_get_session (window)) != ASSAY_SESSION_READY; i++)
    ui_settle (500);
  ui_settle (2000);
}

/* Many cores: their strips stand in a grid. */
static void
many_cores (AssayWindow *window)
{
  static const char target[] = "{ \"schema\": \"assay.target/1\", \"id\": \"many\", \"title\": \"Many cores\","
                               " \"summary\": \"48 cores\", \"source\": \"this picture\","
                               " \"extends\": \"ia_420f_c6b32\", \"config\": { \"num_cores\": 48 } }";
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "many.json", NULL);

  g_file_set_contents (path, target, -1, NULL);
  memory_peak (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.target", "s", path);
  ui_wait_ready (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.to-peak", NULL);
}

/* A result of before a change, and what it was before. */
static void
stale (AssayWindow *window)
{
  AssaySession *session = assay_window_get_session (window);
  g_autoptr (AssaySetup) setup = NULL;

  compare (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.pin-baseline", NULL);
  setup = assay_setup_copy (assay_session_get_setup (session));
  assay_setup_set_optimize (setup, FALSE);
  assay_session_set_setup (session, setup);
  ui_wait_ready (window);
}

static void
helper_died (AssayWindow *window)
{
  AssaySession *session = assay_window_get_session (window);

  memory_peak (window);
  assay_versus_set_runner (assay_session_get_versus (session), 1, "command:/bin/false");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
  ui_wait (has_compared, assay_session_get_versus (session));
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
  gtk_window_present (GTK_WINDOW (gtk_application_window_get_help_overlay (GTK_APPLICATION_WINDOW (window))));
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
  ui_open_example (window, MODEL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.fix", NULL);
  ui_settle (1500);
}

/* The nodes as they stand in the file. */
static void
level (AssayWindow *window)
{
  ui_open_example (window, BLOCK);
  gtk_widget_activate_action (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS), "graph.level", "s", "onnx");
  ui_settle (300);
}

static const Shot shots[] = {
  { "graph-fixes-1024-light", 1024, 640, LIGHT, fixes },
  { "graph-fixes-1920-dark", 1920, 1080, DARK, fixes },
  { "level-onnx-1280-light", 1280, 800, LIGHT, level },
  { "timeline-1024-light", 1024, 640, LIGHT, timeline },
  { "timeline-1920-dark", 1920, 1080, DARK, timeline },
  { "graph-far-1024-light", 1024, 640, LIGHT, far },
  { "graph-far-1920-dark", 1920, 1080, DARK, far },
  { "graph-50000-1024-light", 1024, 640, LIGHT | SLOW, huge },
  { "graph-50000-1920-dark", 1920, 1080, DARK | SLOW, huge },
  { "memory-48-1280-light", 1280, 800, LIGHT, many_cores },
  { "stale-1024-light", 1024, 640, LIGHT, stale },
  { "stale-1920-dark", 1920, 1080, DARK, stale },
  { "helper-died-1280-light", 1280, 800, LIGHT, helper_died },
  { "preferences-1024-light", 1024, 640, LIGHT, preferences },
  { "preferences-1280-dark", 1280, 800, DARK, preferences },
  { "shortcuts-1280-light", 1280, 800, LIGHT, shortcuts },
  { "drop-1024-light", 1024, 640, LIGHT, drop },
  { "contrast-memory-light", 1280, 800, LIGHT | CONTRAST, memory_peak },
  { "contrast-memory-dark", 1280, 800, DARK | CONTRAST, memory_peak },
  { "rtl-compare-light", 1280, 800, LIGHT | RTL, compare },
  { "large-peak-1024-light", 1024, 640, LIGHT | LARGE, memory_peak },
  { "large-compare-1024-light", 1024, 640, LIGHT | LARGE, compare },
  { "large-timeline-1024-light", 1024, 640, LIGHT | LARGE, timeline },
  { "colour-cycles-1280-light", 1280, 800, LIGHT, colored },
  { "colour-cycles-1920-dark", 1920, 1080, DARK, colored },
  { "frames-1024-light", 1024, 640, LIGHT, frames },
  { "frames-1920-dark", 1920, 1080, DARK, frames },
  { "rule-1280-light", 1280, 800, LIGHT, rule },
  { "rule-1280-dark", 1280, 800, DARK, rule },
  { "reload-1024-light", 1024, 640, LIGHT, reload },
  { "broken-target-1280-dark", 1280, 800, DARK, broken_target },
  { "compare-pass-1024-light", 1024, 640, LIGHT, compare },
  { "compare-pass-1920-dark", 1920, 1080, DARK, compare },
  { "compare-divergence-1024-light", 1024, 640, LIGHT, divergence },
  { "compare-divergence-1920-dark", 1920, 1080, DARK, divergence },
  { "deploy-1024-light", 1024, 640, LIGHT, deploy },
  { "deploy-1920-dark", 1920, 1080, DARK, deploy },
  { "boards-1024-light", 1024, 640, LIGHT, boards },
  { "compare-empty-1024-light", 1024, 640, LIGHT, compare_empty },
  { "run-result-light", 1024, 640, LIGHT, run_result },
  { "run-result-dark", 1024, 640, DARK, run_result },
  { "run-inputs-light", 1024, 640, LIGHT, run_inputs },
  { "memory-peak-1024-light", 1024, 640, LIGHT, memory_peak },
  { "memory-peak-1920-dark", 1920, 1080, DARK, memory_peak },
  { "memory-failure-1024-light", 1024, 640, LIGHT, memory_failure },
  { "memory-failure-1920-dark", 1920, 1080, DARK, memory_failure },
  { "memory-weights-1280-light", 1280, 800, LIGHT, memory_weights },
  { "start-empty-1024-light", 1024, 640, LIGHT, start_empty },
  { "start-empty-1920-dark", 1920, 1080, DARK, start_empty },
  { "start-recent-1024-light", 1024, 640, LIGHT, start_recent },
  { "start-recent-1920-dark", 1920, 1080, DARK, start_recent },
  { "loading-1024-light", 1024, 640, LIGHT, loading },
  { "loading-1920-dark", 1920, 1080, DARK, loading },
  { "graph-1024-light", 1024, 640, LIGHT, graph },
  { "graph-1920-dark", 1920, 1080, DARK, graph },
  { "graph-rejected-1024-light", 1024, 640, LIGHT, rejected },
  { "graph-rejected-1920-dark", 1920, 1080, DARK, rejected },
  { "findings-1024-light", 1024, 640, LIGHT, findings },
  { "findings-1920-dark", 1920, 1080, DARK, findings },
  { "filter-1280-light", 1280, 800, LIGHT, filtered },
  { "outline-1280-light", 1280, 800, LIGHT, outline },
  { "outline-1280-dark", 1280, 800, DARK, outline },
  { "target-chooser-1024-light", 1024, 640, LIGHT, target_chooser },
  { "target-chooser-1920-dark", 1920, 1080, DARK, target_chooser },
  { "setup-1024-light", 1024, 640, LIGHT, setup },
  { "setup-1920-dark", 1920, 1080, DARK, setup },
  { "delegate-1280-light", 1280, 800, LIGHT, delegate },
  { "dpu-1280-dark", 1280, 800, DARK, dpu },
  { "no-findings-1280-light", 1280, 800, LIGHT, clean },
  { "error-1024-light", 1024, 640, LIGHT, error_page },
  { "error-1920-dark", 1920, 1080, DARK, error_page },
  { "inspector-1024-light", 1024, 640, LIGHT, inspector },
  { "inspector-1280-light", 1280, 800, LIGHT, inspector },
  { "inspector-program-1920-light", 1920, 1080, LIGHT, inspector_program },
  { "inspector-model-1280-dark", 1280, 800, DARK, inspector_model },
  { "inputs-1280-light", 1280, 800, LIGHT, inputs },
  { "inputs-1280-dark", 1280, 800, DARK, inputs },
  { "instructions-1280-light", 1280, 800, LIGHT, instructions },
  { "tensor-1280-light", 1280, 800, LIGHT, tensor },
  { "tensor-1280-dark", 1280, 800, DARK, tensor },
  { "node-table-1024-light", 1024, 640, LIGHT, node_table },
  { "node-table-1920-dark", 1920, 1080, DARK, node_table },
  { "node-table-refusals-1280-light", 1280, 800, LIGHT, node_table_refusals },
  { "node-table-rtl-light", 1280, 800, LIGHT | RTL, node_table_refusals },
  { "memory-empty-1024-light", 1024, 640, LIGHT, memory },
  { "memory-empty-1920-dark", 1920, 1080, DARK, memory },
  { "contrast-graph-light", 1280, 800, LIGHT | CONTRAST, rejected },
  { "contrast-graph-dark", 1280, 800, DARK | CONTRAST, rejected },
  { "rtl-graph-light", 1280, 800, LIGHT | RTL, rejected },
  { "large-graph-1024-light", 1024, 640, LIGHT | LARGE, rejected },
  { "large-memory-1024-light", 1024, 640, LIGHT | LARGE, memory },
  { "small-graph-720-light", 720, 480, LIGHT, rejected },
  { "small-findings-720-dark", 720, 480, DARK, findings },
};

static void
apply_look (Look look)
{
  AdwStyleManager *style = adw_style_manager_get_default ();

  adw_style_manager_set_color_scheme (style, look & DARK ? ADW_COLOR_SCHEME_FORCE_DARK : ADW_COLOR_SCHEME_FORCE_LIGHT);
  gtk_widget_set_default_direction (look & RTL ? GTK_TEXT_DIR_RTL : GTK_TEXT_DIR_LTR);
  ui_set_font (look & LARGE ? 16.5 : 11);
}

static void
snapshot_surface (GtkWidget   *widget,
                  GtkSnapshot *snapshot)
{
  g_autoptr (GdkPaintable) paintable = gtk_widget_paintable_new (widget);

  gdk_paintable_snapshot (paintable, snapshot, gdk_paintable_get_intrinsic_width (paintable),
                          gdk_paintable_get_intrinsic_height (paintable));
}

typedef struct
{
  GtkWidget *window;
  GtkSnapshot *snapshot;
} Popovers;

/* A popover has its own surface: it is put where the screen shows it. */
static void
add_popover (GtkWidget *widget,
             gpointer   data)
{
  Popovers *popovers = data;
  GdkSurface *surface;
  double window_x, window_y, x, y;

  if (!GTK_IS_POPOVER (widget) || !gtk_widget_get_mapped (widget))
    return;

  surface = gtk_native_get_surface (GTK_NATIVE (widget));
  gtk_native_get_surface_transform (GTK_NATIVE (popovers->window), &window_x, &window_y);
  gtk_native_get_surface_transform (GTK_NATIVE (widget), &x, &y);
  gtk_snapshot_save (popovers->snapshot);
  x += gdk_popup_get_position_x (GDK_POPUP (surface)) - window_x;
  y += gdk_popup_get_position_y (GDK_POPUP (surface)) - window_y;
  gtk_snapshot_translate (popovers->snapshot, &GRAPHENE_POINT_INIT ((float) x, (float) y));
  snapshot_surface (widget, popovers->snapshot);
  gtk_snapshot_restore (popovers->snapshot);
}

/* What belongs to the window lies over its middle, as a window manager would put it. */
static void
add_transients (GtkWindow   *window,
                GtkSnapshot *snapshot)
{
  GListModel *toplevels = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (toplevels); i++)
    {
      g_autoptr (GtkWidget) toplevel = g_list_model_get_item (toplevels, i);
      float x, y;

      if (gtk_window_get_transient_for (GTK_WINDOW (toplevel)) != window || !gtk_widget_get_mapped (toplevel))
        continue;

      x = (float) (gtk_widget_get_width (GTK_WIDGET (window)) - gtk_widget_get_width (toplevel)) / 2;
      y = (float) (gtk_widget_get_height (GTK_WIDGET (window)) - gtk_widget_get_height (toplevel)) / 2;
      gtk_snapshot_save (snapshot);
      gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT (x, y));
      snapshot_surface (toplevel, snapshot);
      gtk_snapshot_restore (snapshot);
    }
}

static void
save (AssayWindow *window,
      const char  *path)
{
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  Popovers popovers = { GTK_WIDGET (window), snapshot };
  g_autoptr (GskRenderer) renderer = gsk_cairo_renderer_new ();
  g_autoptr (GskRenderNode) node = NULL;
  g_autoptr (GdkTexture) texture = NULL;
  g_autoptr (GError) error = NULL;
  graphene_rect_t area;
  double x, y;

  snapshot_surface (GTK_WIDGET (window), snapshot);
  ui_for_each (GTK_WIDGET (window), add_popover, &popovers);
  add_transients (GTK_WINDOW (window), snapshot);
  node = gtk_snapshot_free_to_node (snapshot);
  g_assert_nonnull (node);

  if (!gsk_renderer_realize (renderer, NULL, &error))
    g_error ("%s", error->message);
  gtk_native_get_surface_transform (GTK_NATIVE (window), &x, &y);
  graphene_rect_init (&area, (float) x, (float) y, (float) gtk_widget_get_width (GTK_WIDGET (window)),
                      (float) gtk_widget_get_height (GTK_WIDGET (window)));
  texture = gsk_renderer_render_texture (renderer, node, &area);
  gsk_renderer_unrealize (renderer);
  if (!gdk_texture_save_to_png (texture, path))
    g_error ("%s cannot be written", path);
}

static GPtrArray *
take (const Shot *shot,
      const char *folder)
{
  g_autofree char *file = g_strconcat (shot->name, ".png", NULL);
  g_autofree char *path = folder != NULL ? g_build_filename (folder, file, NULL) : NULL;
  GPtrArray *complaints;
  AssayWindow *window;

  apply_look (shot->look);
  window = ui_window_new (UI_TARGET, shot->width, shot->height);
  gtk_window_set_focus (GTK_WINDOW (window), NULL);
  shot->prepare (window);
  /* A ring around what happens to have the focus is not what the picture is about. */
  gtk_window_set_focus (GTK_WINDOW (window), NULL);
  ui_settle (700);
  if (folder != NULL)
    save (window, path);
  complaints = look_check (window);
  ui_window_close (window);

  return complaints;
}

/* A picture for people, or a line of TAP. */
static gboolean
report (const Shot *shot,
        GPtrArray  *complaints,
        gboolean    tap)
{
  static guint n = 0;

  n++;
  if (tap)
    g_print ("%s %u %s\n", complaints->len == 0 ? "ok" : "not ok", n, shot->name);
  else
    g_print ("%s\n", shot->name);
  for (guint i = 0; i < complaints->len; i++)
    g_print ("%s  %s\n", tap ? "#" : "", (const char *) g_ptr_array_index (complaints, i));

  return complaints->len == 0;
}

/* High contrast is read once when libadwaita starts, so these pictures are taken by a second run of this program. */
static gboolean
wants (const Shot  *shot,
       gboolean     contrast,
       int          argc,
       char       **argv)
{
  if (((shot->look & CONTRAST) != 0) != contrast || ((shot->look & SLOW) != 0 && g_str_equal (argv[1], "--check")))
    return FALSE;

  for (int i = 2; i < argc; i++)
    if (g_str_has_prefix (shot->name, argv[i]))
      return TRUE;

  return argc <= 2;
}

static int
run_again (char **argv)
{
  int status = 1;

  g_setenv ("ADW_DEBUG_HIGH_CONTRAST", "1", TRUE);
  if (!g_spawn_sync (NULL, argv, NULL, G_SPAWN_CHILD_INHERITS_STDIN, NULL, NULL, NULL, NULL, &status, NULL))
    return 1;

  return status == 0 ? 0 : 1;
}

int
main (int    argc,
      char **argv)
{
  gboolean contrast = g_strcmp0 (g_getenv ("ADW_DEBUG_HIGH_CONTRAST"), "1") == 0;
  gboolean check = argc > 1 && g_str_equal (argv[1], "--check");
  gboolean good = TRUE;
  guint n = 0;

  if (argc < 2)
    {
      g_printerr ("usage: shots FOLDER|--check [NAME...]\n");
      return 2;
    }
  if (!ui_init (NULL, NULL))
    {
      g_print ("1..0 # SKIP there is no display\n");
      return check ? 0 : 3;
    }

  if (!check)
    g_mkdir_with_parents (argv[1], 0755);
  for (guint i = 0; i < G_N_ELEMENTS (shots); i++)
    if (wants (&shots[i], contrast, argc, argv))
      {
        g_autoptr (GPtrArray) complaints = take (&shots[i], check ? NULL : argv[1]);

        n++;
        good = report (&shots[i], complaints, check) && good;
      }

  if (check)
    {
      g_print ("1..%u\n", n);
      return good ? 0 : 1;
    }

  return contrast ? 0 : run_again (argv);
}
