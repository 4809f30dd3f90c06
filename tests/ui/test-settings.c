/* test-settings.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The settings: at most nine, each changed in its window, each holding at once.
 */
#include "test-program.h"
#include "ui-fixture.h"
#include "run/board/assay-board-list.h"
#include "ui/window/assay-action.h"
#include "ui/canvas/assay-canvas.h"
#include "ui/window/assay-context-bar.h"
#include "ui/memory/assay-memory-chart.h"
#include "ui/memory/assay-memory-page.h"
#include "ui/window/assay-preferences-window.h"
#include "ui/window/assay-start-page.h"
#include "ui/window/assay-ui.h"

static GSettings *settings;

static gboolean
is_idle (gpointer data)
{
  return !assay_session_get_busy (data);
}

/* The streaming example with its program. */
static AssayWindow *
open_program (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  g_autoptr (AssaySettings) setup = assay_settings_new ();

  ui_open_example (window, "streaming-cnn.onnx");
  assay_settings_set_axis (&setup, 0, 2);
  assay_session_set_setup (assay_window_get_session (window), setup);
  wait_until (is_idle (assay_window_get_session (window)));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "memory");
  ui_settle ();
  return window;
}

static GtkWidget *
find_row (GtkWidget *root, const char *title)
{
  GtkWidget *label = ui_find_label (root, title);

  g_assert_nonnull (label);
  return gtk_widget_get_ancestor (label, ADW_TYPE_ACTION_ROW);
}

static void
test_keys (void)
{
  g_autoptr (GSettingsSchema) schema = NULL;
  g_auto (GStrv) keys = NULL;

  g_object_get (settings, "settings-schema", &schema, NULL);
  keys = g_settings_schema_list_keys (schema);
  g_assert_cmpuint (g_strv_length (keys), <=, 9);
}

static void
check_whole (GtkWidget *widget, gpointer data)
{
  if (!GTK_IS_LABEL (widget) || !gtk_widget_get_mapped (widget))
    return;
  g_test_message ("%s", gtk_label_get_text (GTK_LABEL (widget)));
  g_assert_false (pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (widget))));
}

/* What is chosen is read whole, in text of twice the size, too. */
static void
test_large (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  GtkWidget *preferences;

  ui_set_text_scale (2);
  preferences = assay_preferences_window_new (GTK_WINDOW (window));
  gtk_window_present (GTK_WINDOW (preferences));
  ui_settle ();
  ui_for_each (preferences, check_whole, NULL);
  ui_window_close (window);
  ui_set_text_scale (1);
}

/* The window shows what is set, and what is chosen in it is set. */
static void
test_window (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  GtkWidget *preferences = assay_preferences_window_new (GTK_WINDOW (window));
  g_autoptr (GPtrArray) places = NULL;
  GtkWidget *row, *toggle, *spin;

  gtk_window_present (GTK_WINDOW (preferences));
  ui_settle ();
  row = find_row (preferences, "Compile by itself");
  toggle = ui_find_type (row, GTK_TYPE_SWITCH);
  g_assert_true (gtk_switch_get_active (GTK_SWITCH (toggle)));
  gtk_switch_set_active (GTK_SWITCH (toggle), FALSE);
  g_assert_false (g_settings_get_boolean (settings, "auto-compile"));

  row = find_row (preferences, "Sizes of memory in");
  g_assert_cmpuint (adw_combo_row_get_selected (ADW_COMBO_ROW (row)), ==, 0);
  adw_combo_row_set_selected (ADW_COMBO_ROW (row), 1);
  g_assert_cmpint (g_settings_get_enum (settings, "unit"), ==, 1);

  row = find_row (preferences, "Target of newly opened models");
  g_settings_set_string (settings, "default-target", UI_OTHER_TARGET);
  g_assert_cmpstr (
      gtk_string_object_get_string (adw_combo_row_get_selected_item (ADW_COMBO_ROW (row))), ==,
      UI_OTHER_TARGET);
  g_settings_set_string (settings, "default-target", "/a/file.json");
  g_assert_cmpstr (g_settings_get_string (settings, "default-target"), ==, "/a/file.json");

  /* The same places as in the menu: this computer, its graphics processor, hosts. */
  row = find_row (preferences, "Board that Deploy offers first");
  places = assay_board_list_places (NULL);
  g_assert_cmpuint (g_list_model_get_n_items (adw_combo_row_get_model (ADW_COMBO_ROW (row))), ==,
                    places->len);
  for (guint i = 0; i < places->len; i++)
    {
      g_autofree char *board = NULL;

      adw_combo_row_set_selected (ADW_COMBO_ROW (row), i);
      board = g_settings_get_string (settings, "default-board");
      g_assert_cmpstr (board, ==, g_ptr_array_index (places, i));
    }
  g_settings_reset (settings, "default-board");

  spin = ui_find_type (find_row (preferences, "Recent models"), GTK_TYPE_SPIN_BUTTON);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (spin), 3);
  g_assert_cmpint (g_settings_get_int (settings, "recent-limit"), ==, 3);

  g_settings_set_string (settings, "last-folder", "/tmp");
  g_assert_nonnull (ui_find_label (preferences, "/tmp"));
  g_signal_emit_by_name (
      gtk_widget_get_ancestor (ui_find_label (preferences, "Forget"), GTK_TYPE_BUTTON), "clicked");
  g_assert_nonnull (ui_find_label (preferences, "None yet"));
  ui_window_close (window);
}

static void
test_auto_compile (void)
{
  AssayWindow *window;
  AssayCompilation *compilation;
  g_autofree char *reason = NULL;

  g_settings_set_boolean (settings, "auto-compile", FALSE);
  window = open_program ();
  compilation = assay_session_get_compilation (assay_window_get_session (window));
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (compilation)), ==,
                   ASSAY_ACTIVITY_NONE);
  g_assert_true (assay_compilation_can_start (compilation));
  reason = assay_window_explain_action (window, "win.run");
  g_assert_cmpstr (
      reason, ==, "There is no program yet. The reference and ONNX Runtime run the model as it is");

  g_settings_set_boolean (settings, "auto-compile", TRUE);
  wait_until (is_idle (assay_window_get_session (window)));
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (compilation)), ==,
                   ASSAY_ACTIVITY_READY);
  ui_window_close (window);
}

static void
test_animations (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssayCanvas *canvas = ASSAY_CANVAS (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS));

  g_assert_true (assay_canvas_get_animated (canvas));
  g_settings_set_boolean (settings, "animations", FALSE);
  g_assert_false (assay_canvas_get_animated (canvas));
  ui_window_close (window);
}

/* The wheel without Control, as a controller tells it. */
static gboolean
turn_wheel (GtkWidget *canvas)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (canvas);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);
      gboolean taken = FALSE;

      if (!GTK_IS_EVENT_CONTROLLER_SCROLL (controller))
        continue;
      g_signal_emit_by_name (controller, "scroll", 0.0, -1.0, &taken);
      return taken;
    }

  return FALSE;
}

static void
test_zoom_scroll (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  GtkWidget *canvas = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS);
  double zoom;

  ui_open_example (window, "mlp.onnx");
  zoom = assay_canvas_get_zoom (ASSAY_CANVAS (canvas));
  g_assert_false (turn_wheel (canvas));
  g_assert_cmpfloat (assay_canvas_get_zoom (ASSAY_CANVAS (canvas)), ==, zoom);
  g_settings_set_string (settings, "zoom-scroll", "scroll");
  g_assert_true (turn_wheel (canvas));
  g_assert_cmpfloat (assay_canvas_get_zoom (ASSAY_CANVAS (canvas)), >, zoom);
  ui_window_close (window);
}

typedef struct
{
  const char *text;
  gboolean found;
} Sought;

static void
seek (GtkWidget *widget, gpointer data)
{
  Sought *sought = data;

  if (GTK_IS_LABEL (widget) &&
      strstr (gtk_label_get_text (GTK_LABEL (widget)), sought->text) != NULL)
    sought->found = TRUE;
}

static gboolean
shows (GtkWidget *root, const char *text)
{
  Sought sought = { text, FALSE };

  ui_for_each (root, seek, &sought);
  return sought.found;
}

static void
test_unit (void)
{
  AssayWindow *window = open_program ();
  GtkWidget *page = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_MEMORY_PAGE);

  g_assert_true (shows (page, "of 4\u202f096 blocks ("));
  g_assert_false (shows (page, "of 256\u202fKiB ("));
  g_settings_set_string (settings, "unit", "bytes");
  g_assert_true (shows (page, "of 256\u202fKiB ("));
  g_assert_true (shows (page, "KiB"));
  g_assert_false (shows (page, "of 4\u202f096 blocks ("));
  ui_window_close (window);
}

static void
test_address_base (void)
{
  AssayWindow *window = open_program ();
  GtkWidget *page = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_MEMORY_PAGE);
  GtkWidget *chart = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_MEMORY_CHART);

  g_assert_false (shows (page, "Highest address 0x"));
  g_settings_set_string (settings, "address-base", "hexadecimal");
  g_assert_true (shows (page, "Highest address 0x"));
  g_assert_true (assay_memory_chart_get_look (ASSAY_MEMORY_CHART (chart))->hexadecimal);
  ui_window_close (window);
}

static void
test_defaults (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssayWindow *second;
  AssaySession *session = assay_window_get_session (window);

  g_settings_set_string (settings, "default-target", UI_OTHER_TARGET);
  g_assert_cmpstr (assay_session_get_target_id (session), ==, UI_OTHER_TARGET);
  ui_open_example (window, "mlp.onnx");
  g_settings_set_string (settings, "default-target", UI_TARGET);
  g_assert_cmpstr (assay_session_get_target_id (session), ==, UI_OTHER_TARGET);

  g_settings_set_string (settings, "default-board", "ssh:lab-board");
  g_assert_cmpstr (assay_deploy_activity_get_board (assay_session_get_deploy_activity (session)),
                   ==, "ssh:lab-board");
  second = ui_window_new (UI_TARGET, 1280, 800);
  g_assert_cmpstr (assay_deploy_activity_get_board (
                       assay_session_get_deploy_activity (assay_window_get_session (second))),
                   ==, "ssh:lab-board");
  ui_window_close (second);
  ui_window_close (window);
}

static void
test_recent_limit (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  GtkWidget *start = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_START_PAGE);

  ui_open_example (window, "mlp.onnx");
  ui_open_example (window, "lstm.onnx");
  ui_wait_recent ("mlp.onnx");
  ui_wait_recent ("lstm.onnx");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.close-model", NULL);
  ui_settle ();
  g_assert_nonnull (ui_find_label (start, "Recent"));
  g_settings_set_int (settings, "recent-limit", 0);
  ui_settle ();
  g_assert_null (ui_find_label (start, "Recent"));
  ui_window_close (window);
}

static void
reset (void)
{
  g_autoptr (GSettingsSchema) schema = NULL;
  g_auto (GStrv) keys = NULL;

  g_object_get (settings, "settings-schema", &schema, NULL);
  keys = g_settings_schema_list_keys (schema);
  for (guint i = 0; keys[i] != NULL; i++)
    g_settings_reset (settings, keys[i]);
}

static void
run (gconstpointer test)
{
  reset ();
  ((GTestFunc) test) ();
  reset ();
}

static void
add (const char *path, GTestFunc test)
{
  g_test_add_data_func (path, (gconstpointer) test, run);
}

TEST_PROGRAM (settings)
{
  int status;

  if (!ui_begin (&argc, &argv))
    return 0;
  settings = assay_ui_get_settings ();
  g_assert_nonnull (settings);

  add ("/settings/keys", test_keys);
  add ("/settings/window", test_window);
  add ("/settings/large", test_large);
  add ("/settings/auto-compile", test_auto_compile);
  add ("/settings/animations", test_animations);
  add ("/settings/zoom-scroll", test_zoom_scroll);
  add ("/settings/unit", test_unit);
  add ("/settings/address-base", test_address_base);
  add ("/settings/defaults", test_defaults);
  add ("/settings/recent-limit", test_recent_limit);
  status = g_test_run ();
  g_object_unref (settings);

  return status;
}
