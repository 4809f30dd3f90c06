/* test-times.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The Times page: what a device measured of a run, as lanes, as a table and as a file.
 */
#include "../core/fixture/folder.h"
#include "../core/gpu/gpu-fixture.h"
#include "base/assay-sentence.h"
#include "test-program.h"
#include "ui-fixture.h"
#include "ui/canvas/assay-picture.h"
#include "ui/compare/assay-deploy-panel.h"
#include "ui/memory/assay-memory-page.h"
#include "ui/memory/assay-program-page.h"
#include "ui/table/assay-columns.h"
#include "ui/timeline/assay-times-item.h"
#include "ui/timeline/assay-times-page.h"
#include "ui/window/assay-ui.h"

#define MODEL "streaming-cnn.onnx"

static GtkWidget *
get_page (AssayWindow *window)
{
  return ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_TIMES_PAGE);
}

static const char *
get_part (AssayWindow *window)
{
  return gtk_stack_get_visible_child_name (
      GTK_STACK (ui_find_type (get_page (window), GTK_TYPE_STACK)));
}

static AssayWindow *
open_times (void)
{
  AssayWindow *window = ui_window_new ("vulkan-main", 1280, 800);

  ui_open_example (window, MODEL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "times");
  ui_settle ();
  return window;
}

/* The page is there for targets that measure, and says what is missing. */
static void
test_there (void)
{
  AssayWindow *window = open_times ();
  AdwViewStack *pages = ADW_VIEW_STACK (ui_find_type (GTK_WIDGET (window), ADW_TYPE_VIEW_STACK));
  AdwViewStackPage *times = adw_view_stack_get_page (
      pages, adw_view_stack_get_child_by_name (pages, "times"));
  AdwViewStackPage *timeline = adw_view_stack_get_page (
      pages, adw_view_stack_get_child_by_name (pages, "timeline"));

  g_assert_true (adw_view_stack_page_get_visible (times));
  g_assert_false (adw_view_stack_page_get_visible (timeline));
  g_assert_cmpstr (get_part (window), ==, "run");
  g_assert_nonnull (ui_find_label (get_page (window), "Nothing Measured"));

  gtk_widget_activate_action (GTK_WIDGET (window), "win.target", "s", UI_TARGET);
  ui_wait_ready (window);
  g_assert_false (adw_view_stack_page_get_visible (times));
  g_assert_true (adw_view_stack_page_get_visible (timeline));
  ui_window_close (window);
}

static void
find_core (GtkWidget *widget, gpointer data)
{
  const char *text = GTK_IS_LABEL (widget) && gtk_widget_get_mapped (widget)
                         ? gtk_label_get_text (GTK_LABEL (widget))
                         : "";

  if (g_regex_match_simple ("\\bcores?\\b|\\bc0\\b", text, G_REGEX_CASELESS, 0))
    g_ptr_array_add (data, g_strdup (text));
}

/* A device has memory and no cores: nothing speaks of one, nor offers to choose it; a target that
 * has several does. */
static void
test_memory (void)
{
  AssayWindow *window = ui_window_new ("vulkan-main", 1280, 800);
  GtkWidget *page = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_MEMORY_PAGE);
  g_autoptr (GPtrArray) named = g_ptr_array_new_with_free_func (g_free);
  static const char *const stores[] = { "memory", "weights", "metrics" };

  ui_open_example (window, MODEL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "memory");
  ui_settle ();
  for (guint i = 0; i < G_N_ELEMENTS (stores); i++)
    {
      gtk_widget_activate_action (page, "memory.store", "s", stores[i]);
      ui_settle ();
      ui_for_each (page, find_core, named);
      if (named->len > 0)
        g_error ("%s: “%s”", stores[i], (char *) g_ptr_array_index (named, 0));
    }
  g_assert_nonnull (ui_find_label (page, "What the program uses, and what there is. Stores count "
                                         "blocks of 256 bytes."));

  gtk_widget_activate_action (GTK_WIDGET (window), "win.target", "s", UI_TARGET);
  ui_wait_ready (window);
  ui_settle ();
  ui_for_each (page, find_core, named);
  g_assert_cmpuint (named->len, >, 0);
  ui_window_close (window);
}

static void
join_labels (GtkWidget *widget, gpointer data)
{
  if (GTK_IS_LABEL (widget))
    g_string_append_printf (data, "%s; ", gtk_label_get_text (GTK_LABEL (widget)));
}

/* What is larger than the memory of a device says so on every page of a program, also beside nodes
 * that the target rejects, which the host would run; no button leads to what there is not. */
static void
test_too_small (void)
{
  static const char *const pages[] = { "memory", "times" };
  g_autofree char *folder = g_dir_make_tmp ("assay-times-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "poor.json", NULL);
  AssayWindow *window = ui_window_new ("vulkan-main", 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  g_autoptr (AssaySettings) setup = assay_settings_new ();

  g_assert_true (g_file_set_contents (
      path,
      "{ \"VkPhysicalDeviceProperties\": { \"deviceName\": \"poor\", \"limits\": { "
      "\"maxImageDimension3D\": 2048, \"maxStorageBufferRange\": 134217728 } }, "
      "\"VkPhysicalDeviceMemoryProperties\": { \"memoryHeaps\": [ { \"size\": 70000 } ] } }",
      -1, NULL));
  ui_open_example (window, "mlp.onnx");
  assay_settings_set_number (&setup, ASSAY_SETTING_BIND, "batch", 1);
  assay_settings_set_text (&setup, ASSAY_SETTING_DEVICE_PROFILE, path);
  /* One node is for the host. */
  assay_settings_set_entry (&setup, ASSAY_SETTING_TARGET_OPTION, "operator_blocklist", "Relu");
  assay_session_set_setup (session, setup);
  wait_until (assay_activity_get_error (ASSAY_ACTIVITY (assay_session_get_compilation (session))) !=
              NULL);
  ui_settle ();
  g_assert_error (
      assay_activity_get_error (ASSAY_ACTIVITY (assay_session_get_compilation (session))),
      ASSAY_ERROR, ASSAY_ERROR_ALLOCATION);
  g_assert_cmpuint (
      assay_verdicts_count (assay_session_get_verdicts (session), ASSAY_VERDICT_REJECTED), >, 0);
  for (guint i = 0; i < G_N_ELEMENTS (pages); i++)
    {
      g_autoptr (GString) words = g_string_new (NULL);

      gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", pages[i]);
      ui_settle ();
      g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "Does Not Fit"));
      ui_for_each (GTK_WIDGET (window), join_labels, words);
      g_assert_nonnull (strstr (words->str, "The memory of poor is too small"));
      g_assert_null (ui_find_label (GTK_WIDGET (window), "Show Ways Out"));
      g_assert_null (ui_find_label (GTK_WIDGET (window), "Show Findings"));
    }
  ui_window_close (window);
  folder_remove (folder);
}

static char *
read_file (const char *path)
{
  char *text = NULL;

  wait_until (g_file_get_contents (path, &text, NULL, NULL));
  return text;
}

static void
check_trace (AssayWindow *window, const AssayRunTimes *times)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-times-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "times.json", NULL);
  g_autofree char *text = NULL;
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonArray *events;
  guint n = 0;

  assay_times_page_save_trace (ASSAY_TIMES_PAGE (get_page (window)), path);
  text = read_file (path);
  g_assert_true (json_parser_load_from_data (parser, text, -1, NULL));
  events = json_object_get_array_member (json_node_get_object (json_parser_get_root (parser)),
                                         "traceEvents");
  for (guint i = 0; i < json_array_get_length (events); i++)
    {
      JsonObject *event = json_array_get_object_element (events, i);

      if (!g_str_equal (json_object_get_string_member (event, "ph"), "X"))
        continue;
      g_assert_cmpstr (json_object_get_string_member (event, "name"), ==,
                       assay_run_times_get (times, n)->name);
      n++;
    }
  g_assert_cmpuint (n, ==, assay_run_times_get_n (times));
  folder_remove (folder);
}

/* A press on the middle of a bar chooses its row and its node. */
static void
check_press (AssayWindow *window, const AssayRunTimes *times)
{
  AssaySession *session = assay_window_get_session (window);
  AssayTimesPage *page = ASSAY_TIMES_PAGE (get_page (window));
  AssayPicture *chart = ASSAY_PICTURE (ui_find_type (GTK_WIDGET (page), ASSAY_TYPE_PICTURE));
  AssayTimesLook look = *assay_times_page_get_look (page);
  double unit = assay_picture_get_unit (chart);
  guint n_chosen = 0;

  for (double y = 0; y < look.height; y += 4)
    for (double x = 0; x < look.width; x += 4)
      {
        guint found = assay_times_look_find (&look, times, x, y);
        GtkColumnView *table = GTK_COLUMN_VIEW (
            ui_find_type (GTK_WIDGET (page), GTK_TYPE_COLUMN_VIEW));
        AssayTimesItem *item;

        if (found == G_MAXUINT)
          continue;
        assay_times_page_press (page, x * unit, y * unit);
        item = gtk_single_selection_get_selected_item (
            GTK_SINGLE_SELECTION (gtk_column_view_get_model (table)));
        g_assert_cmpuint (assay_times_item_get_index (item), ==, found);
        if (assay_runner_step_get_lane (assay_run_times_get (times, found)) ==
            ASSAY_RUN_LANE_DEVICE)
          g_assert_true (
              assay_session_is_selected (session, assay_run_times_get (times, found)->name));
        n_chosen++;
      }
  g_assert_cmpuint (n_chosen, >, 0);
}

/* Shares are those of the whole that the title tells, what lies between the parts among them. */
static void
check_shares (AssayWindow *window, const AssayRunTimes *times)
{
  double whole = (double) assay_run_times_get_end (times);
  double between = whole - (double) assay_run_times_get_total (times);
  g_autofree char *device = assay_ui_format_share (
      (guint64) assay_run_times_get_sum (times, ASSAY_RUN_LANE_DEVICE), (guint64) whole);
  g_autofree char *rest = assay_ui_format_share ((guint64) between, (guint64) whole);
  g_autofree char *first = g_strdup_printf (
      "Device %.3f\u202fms (%s), ",
      (double) assay_run_times_get_sum (times, ASSAY_RUN_LANE_DEVICE) / 1e6, device);
  g_autofree char *last = g_strdup_printf ("%.3f\u202fms (%s) between the parts.", between / 1e6,
                                           rest);
  g_autoptr (GString) words = g_string_new (NULL);

  ui_for_each (get_page (window), join_labels, words);
  g_assert_nonnull (strstr (words->str, first));
  g_assert_nonnull (strstr (words->str, last));
}

static void
test_measured (void)
{
  AssayWindow *window;
  AssaySession *session;
  AssayRunTimes *times;
  g_autofree char *rows = NULL;
  g_auto (GStrv) lines = NULL;

  if (!gpu_fixture_has_device ())
    return;

  window = open_times ();
  session = assay_window_get_session (window);
  assay_run_set_runner (assay_session_get_run (session), "vulkan");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.run", NULL);
  ui_wait_ended (assay_session_get_run (session));
  g_assert_no_error (assay_activity_get_error (ASSAY_ACTIVITY (assay_session_get_run (session))));
  ui_settle ();
  times = assay_run_get_times (assay_session_get_run (session));
  g_assert_nonnull (times);
  g_assert_cmpint (assay_run_times_get_sum (times, ASSAY_RUN_LANE_DEVICE), >, 0);
  g_assert_cmpint (assay_run_times_get_end (times), >=,
                   assay_run_times_get_sum (times, ASSAY_RUN_LANE_DEVICE));
  g_assert_cmpstr (get_part (window), ==, "times");

  rows = assay_columns_to_text (
      GTK_COLUMN_VIEW (ui_find_type (get_page (window), GTK_TYPE_COLUMN_VIEW)), TRUE);
  lines = g_strsplit (g_strstrip (rows), "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 1 + assay_run_times_get_n (times));
  check_trace (window, times);
  check_press (window, times);
  check_shares (window, times);

  /* What was measured before a change says so; another model has measured nothing. */
  assay_run_set_runner (assay_session_get_run (session), "reference");
  ui_settle ();
  g_assert_cmpstr (get_part (window), ==, "times");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.run", NULL);
  ui_wait_ended (assay_session_get_run (session));
  ui_settle ();
  g_assert_cmpstr (get_part (window), ==, "run");
  ui_window_close (window);
}

/* Deploy runs the program on the device, by its name or as this computer. */
static void
test_deployed (void)
{
  static const char *const boards[] = { "local", "vulkan" };
  AssayWindow *window;
  AssaySession *session;
  AssayDeployActivity *deploying;
  GtkWidget *panel;
  g_autoptr (GString) words = g_string_new (NULL);

  if (!gpu_fixture_has_device ())
    return;
  window = open_times ();
  session = assay_window_get_session (window);
  deploying = assay_session_get_deploy_activity (session);
  ui_wait_ready (window);
  for (guint i = 0; i < G_N_ELEMENTS (boards); i++)
    {
      const AssayDeployment *deployment;
      g_autofree char *runs = NULL, *pattern = NULL;

      gtk_widget_activate_action (GTK_WIDGET (window), "win.board", "s", boards[i]);
      g_assert_cmpstr (assay_deploy_activity_get_board (deploying), ==, boards[i]);
      gtk_widget_activate_action (GTK_WIDGET (window), "win.deploy", NULL);
      ui_wait_ended (deploying);
      g_assert_no_error (assay_activity_get_error (ASSAY_ACTIVITY (deploying)));
      deployment = assay_deploy_activity_get_deployment (deploying);
      g_assert_nonnull (deployment);
      g_assert_cmpstr (deployment->board, ==, "vulkan");
      g_assert_cmpuint (deployment->n_values, >, 0);
      g_assert_cmpuint (deployment->n_different, ==, 0);

      /* It is no board: nothing is copied, and it is not told apart from an accelerator. A busy
       * machine has time for one inference. */
      runs = assay_ui_format_count (deployment->n_runs);
      pattern = g_strdup_printf (
          "*: bit-exact with another process on it, * values; %s inference%s, "
          "p50 *, p99 *, on Vulkan, *",
          runs, assay_plural (deployment->n_runs));
      ui_settle ();
      panel = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_DEPLOY_PANEL);
      ui_for_each (panel, join_labels, words);
      g_test_message ("%s", words->str);
      g_assert_true (g_pattern_match_simple (pattern, words->str));
      g_assert_null (strstr (words->str, "copied"));
      g_string_truncate (words, 0);
    }
  ui_window_close (window);
}

TEST_PROGRAM (times)
{
  static const UiTest tests[] = {
    { "/ui/times/deployed", test_deployed }, { "/ui/times/memory", test_memory },
    { "/ui/times/there", test_there },       { "/ui/times/too-small", test_too_small },
    { "/ui/times/measured", test_measured },
  };
  char *folder = gpu_fixture_init ();

  return gpu_fixture_finish (folder, ui_run (argc, argv, tests, G_N_ELEMENTS (tests)));
}
