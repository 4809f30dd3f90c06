/* test-states.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the window shows when there is nothing to show, when work takes long, and when something
 * goes wrong.
 */
#include <glib/gstdio.h>
#include <sys/stat.h>

#include "base/assay-error.h"
#include "test-program.h"
#include "ui-fixture.h"
#include "ui/compare/assay-compare-page.h"
#include "ui/compare/assay-compare-strip.h"
#include "ui/window/assay-context-bar.h"
#include "ui/window/assay-failed-page.h"
#include "ui/graph/assay-graph-page.h"
#include "ui/window/assay-job-bar.h"
#include "ui/memory/assay-fit-handles.h"
#include "ui/memory/assay-trial-bar.h"
#include "ui/memory/assay-memory-page.h"
#include "ui/window/assay-notice-bar.h"
#include "ui/sidebar/assay-sidebar.h"
#include "ui/window/assay-start-page.h"

typedef struct
{
  const char *text;
  gboolean found;
} Sought;

/* A cause is one line with its number of nodes until it is unfolded, which shows it whole. */
static void
seek_row (GtkWidget *widget, gpointer data)
{
  Sought *sought = data;
  const char *text = GTK_IS_LABEL (widget) ? gtk_label_get_text (GTK_LABEL (widget)) : "";

  if (strstr (text, " share no data dimension") == NULL || !gtk_widget_get_mapped (widget))
    return;

  g_assert_cmpint (g_utf8_strlen (text, -1), <=, 90);
  if (sought->text == NULL)
    g_assert_cmpint (gtk_label_get_wrap (GTK_LABEL (widget)), ==, FALSE);
  else if (gtk_label_get_wrap (GTK_LABEL (widget)))
    g_assert_false (pango_layout_is_ellipsized (gtk_label_get_layout (GTK_LABEL (widget))));
  sought->found = sought->found || sought->text == NULL || gtk_label_get_wrap (GTK_LABEL (widget));
}

static void
seek (GtkWidget *widget, gpointer data)
{
  Sought *sought = data;

  if (GTK_IS_LABEL (widget) && gtk_widget_get_mapped (widget) &&
      strstr (gtk_label_get_text (GTK_LABEL (widget)), sought->text) != NULL)
    sought->found = TRUE;
}

static gboolean
shows (AssayWindow *window, GType part, const char *text)
{
  Sought sought = { text, FALSE };

  ui_for_each (ui_find_type (GTK_WIDGET (window), part), seek, &sought);
  if (!sought.found)
    g_test_message ("not there: %s", text);
  return sought.found;
}

static AssayWindow *
open_with_axis (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  g_autoptr (AssaySettings) setup = assay_settings_new ();

  ui_open_example (window, "streaming-cnn.onnx");
  assay_settings_set_axis (&setup, 0, 2);
  assay_session_set_setup (assay_window_get_session (window), setup);
  ui_wait_ready (window);
  g_assert_nonnull (assay_compilation_get_program (
      assay_session_get_compilation (assay_window_get_session (window))));
  return window;
}

/* Recent files with folder, target and count; examples; what may be dropped. */
static void
test_start (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1024, 640);
  AssaySession *session = assay_window_get_session (window);
  GtkWidget *start = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_START_PAGE);
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (GTK_WIDGET (window));
  g_autofree char *count = NULL;

  g_assert_nonnull (ui_find_label (start, "Examples"));
  ui_open_example (window, UI_MODEL);
  count = g_strdup_printf (
      "%u rejected",
      assay_verdicts_count (assay_session_get_verdicts (session), ASSAY_VERDICT_REJECTED));
  ui_wait_recent (UI_MODEL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.close-model", NULL);
  ui_settle ();
  g_assert_cmpstr (ui_visible_page (window), ==, "start");
  g_assert_nonnull (ui_find_label (start, "Recent"));
  g_assert_nonnull (ui_find_label (start, count));
  g_assert_true (shows (window, ASSAY_TYPE_START_PAGE, " · " UI_TARGET));

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);
      GdkDragAction action;

      if (!GTK_IS_DROP_TARGET (controller))
        continue;
      g_signal_emit_by_name (controller, "enter", 10.0, 10.0, &action);
      g_assert_cmpint (action, ==, GDK_ACTION_COPY);
      ui_settle ();
      g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "Drop to open"));
      g_signal_emit_by_name (controller, "leave");
      g_assert_null (ui_find_label (GTK_WIDGET (window), "Drop to open"));
    }
  ui_window_close (window);
}

static gboolean
is_loading_page (gpointer data)
{
  return g_strcmp0 (ui_visible_page (data), "loading") == 0;
}

/* The page with name and Cancel comes after 200 ms, and Cancel works at once. */
static void
test_loading (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1024, 640);
  g_autofree char *path = ui_example (UI_MODEL);

  ui_hold_threads ();
  assay_window_open (window, path, NULL);
  g_assert_cmpstr (ui_visible_page (window), ==, "start");
  wait_until (is_loading_page (window));
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), UI_MODEL));
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "Cancel"));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.cancel", NULL);
  ui_settle ();
  g_assert_cmpstr (ui_visible_page (window), ==, "start");
  ui_window_close (window);
}

static void
test_no_findings (void)
{
  AssayWindow *window = open_with_axis ();
  GtkWidget *sidebar = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_SIDEBAR);
  GtkWidget *toggle = gtk_widget_get_ancestor (ui_find_label (sidebar, "Findings"),
                                               GTK_TYPE_TOGGLE_BUTTON);

  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (toggle), TRUE);
  ui_settle ();
  g_assert_true (shows (window, ASSAY_TYPE_SIDEBAR, "nodes run on " UI_TARGET));
  ui_window_close (window);
}

static void
test_causes (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1920, 1080);
  AssaySession *session = NULL;
  GListModel *items;

  ui_open_example (window, UI_MODEL);
  ui_settle ();
  session = assay_window_get_session (window);
  items = assay_session_get_finding_items (session);
  for (guint step = 0; step < 2; step++)
    {
      Sought sought = { step == 0 ? NULL : "whole", FALSE };

      for (guint i = 0; step == 1 && i < g_list_model_get_n_items (items); i++)
        {
          g_autoptr (AssayFindingItem) item = g_list_model_get_item (items, i);

          if (strstr (assay_finding_item_get_title (item), " share no data dimension") != NULL)
            assay_session_set_finding (session, (int) i);
        }
      ui_settle ();
      ui_for_each (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_SIDEBAR), seek_row, &sought);
      g_assert_true (sought.found);
    }
  ui_window_close (window);
}

/* The reason in words, and the button that leads on. */
static void
test_not_compiled (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);

  ui_open_example (window, UI_MODEL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "memory");
  ui_settle ();
  g_assert_true (shows (window, ASSAY_TYPE_MEMORY_PAGE, "nodes are rejected by this target"));
  g_assert_nonnull (
      ui_find_label (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_MEMORY_PAGE), "Show Findings"));
  ui_window_close (window);
}

/* What leads on is in sight in the smallest window. */
static void
test_small_page (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 720, 480);
  graphene_rect_t way;

  ui_open_example (window, UI_MODEL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "compare");
  ui_settle ();
  g_assert_true (gtk_widget_compute_bounds (ui_find_label (GTK_WIDGET (window), "Show Findings"),
                                            GTK_WIDGET (window), &way));
  g_assert_cmpfloat (way.origin.y + way.size.height, <, 430);
  ui_window_close (window);
}

static void
test_nothing_compared (void)
{
  AssayWindow *window = open_with_axis ();

  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "compare");
  ui_settle ();
  g_assert_true (shows (window, ASSAY_TYPE_COMPARE_PAGE, "Compare the two runs"));
  ui_window_close (window);
}

/* What changed since the run is said, with the button that runs again; the fact has its hollow dot.
 */
static void
test_stale (void)
{
  AssayWindow *window = open_with_axis ();
  AssaySession *session = assay_window_get_session (window);
  AssayActivity *comparing = ASSAY_ACTIVITY (assay_session_get_compare_activity (session));
  g_autoptr (AssaySettings) setup = assay_settings_ref (assay_session_get_setup (session));

  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
  ui_wait_ended (comparing);
  ui_settle ();
  assay_settings_set_flag (&setup, ASSAY_SETTING_STATE_RESET, TRUE);
  assay_session_set_setup (session, setup);
  ui_wait_ready (window);
  g_assert_cmpint (assay_activity_get_state (comparing), ==, ASSAY_ACTIVITY_STALE);
  g_assert_true (shows (window, ASSAY_TYPE_NOTICE_BAR, "Setup changed since this comparison"));
  g_assert_true (shows (window, ASSAY_TYPE_NOTICE_BAR, "Compare Again"));
  g_assert_true (shows (window, ASSAY_TYPE_CONTEXT_BAR, "○ was "));

  gtk_widget_activate_action (GTK_WIDGET (window), "win.target", "s", "ia_840f_c3b64");
  ui_wait_ready (window);
  g_assert_true (shows (window, ASSAY_TYPE_NOTICE_BAR, "Target changed since this comparison"));

  g_signal_emit_by_name (ui_find_type (GTK_WIDGET (window), GTK_TYPE_INFO_BAR), "close");
  ui_settle ();
  ui_window_close (window);
}

/* Results that were pinned are seen beside later ones. */
static void
test_baseline (void)
{
  AssayWindow *window = open_with_axis ();
  AssaySession *session = assay_window_get_session (window);
  g_autoptr (AssaySettings) setup = assay_settings_ref (assay_session_get_setup (session));
  gint64 before;

  gtk_widget_activate_action (GTK_WIDGET (window), "win.pin-baseline", NULL);
  before = assay_baseline_get_cycles (assay_session_get_baseline (session));
  g_assert_cmpint (before, ==,
                   assay_compilation_get_cycles (assay_session_get_compilation (session))->spaced);
  g_assert_true (shows (window, ASSAY_TYPE_CONTEXT_BAR, ", as pinned"));
  assay_settings_set_flag (&setup, ASSAY_SETTING_DISABLE_OPTIMIZATIONS, TRUE);
  assay_settings_set_axis (&setup, 0, -1);
  assay_session_set_setup (session, setup);
  ui_wait_ready (window);
  g_assert_cmpint (assay_baseline_get_cycles (assay_session_get_baseline (session)), ==, before);
  g_assert_cmpint (assay_compilation_get_cycles (assay_session_get_compilation (session))->spaced,
                   !=, before);
  g_assert_true (shows (window, ASSAY_TYPE_CONTEXT_BAR, " from "));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.unpin-baseline", NULL);
  g_assert_false (assay_baseline_is_pinned (assay_session_get_baseline (session)));
  ui_window_close (window);
}

static void
test_bad_file (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1024, 640);
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "bad.onnx", NULL);
  g_autofree char *example = ui_example (UI_MODEL);
  g_autofree char *bytes = NULL;
  const AssayProblem *problem;
  gsize length;

  /* The second half of a model is missing. */
  g_assert_true (g_file_get_contents (example, &bytes, &length, NULL));
  g_assert_true (g_file_set_contents (path, bytes, (gssize) length / 2, NULL));
  assay_window_open (window, path, NULL);
  ui_wait_ready (window);
  g_assert_cmpstr (ui_visible_page (window), ==, "failed");
  problem = assay_session_get_problem (assay_window_get_session (window));
  g_assert_true (shows (window, ASSAY_TYPE_FAILED_PAGE, problem->what));
  g_assert_true (shows (window, ASSAY_TYPE_FAILED_PAGE, "byte "));
  g_assert_true (shows (window, ASSAY_TYPE_FAILED_PAGE, problem->advice));
  g_assert_true (shows (window, ASSAY_TYPE_FAILED_PAGE, "Details"));
  g_assert_nonnull (strstr (problem->details, "byte "));
  g_assert_nonnull (ui_find_type (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_FAILED_PAGE),
                                  GTK_TYPE_MENU_BUTTON));
  ui_window_close (window);
  g_remove (path);
}

static void
test_empty_model (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1024, 640);
  g_autofree char *path = ui_write_model_without_outputs (FALSE);

  assay_window_open (window, path, NULL);
  ui_wait_ready (window);
  if (g_strcmp0 (ui_visible_page (window), "failed") == 0)
    g_test_message ("%s", assay_session_get_problem (assay_window_get_session (window))->details);
  g_assert_cmpstr (ui_visible_page (window), ==, "work");
  g_assert_true (shows (window, ASSAY_TYPE_GRAPH_PAGE, "This model has no nodes"));
  ui_window_close (window);
  g_remove (path);
}

/* Nodes whose results go nowhere. */
static void
test_no_outputs (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1024, 640);
  g_autofree char *path = ui_write_model_without_outputs (TRUE);

  assay_window_open (window, path, NULL);
  ui_wait_ready (window);
  g_assert_cmpstr (ui_visible_page (window), ==, "work");
  g_assert_true (shows (window, ASSAY_TYPE_GRAPH_PAGE, "This model has no outputs"));
  ui_window_close (window);
  g_remove (path);
}

/* A runner that dies: which work, that nothing was lost, Try Again; the window stays usable. */
static void
test_helper_died (void)
{
  AssayWindow *window = open_with_axis ();
  AssaySession *session = assay_window_get_session (window);
  AssayCompareActivity *comparing = assay_session_get_compare_activity (session);
  GtkWidget *button;

  assay_compare_activity_set_runner (comparing, 1, "command:/bin/false");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
  ui_wait_ended (comparing);
  ui_settle ();
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (comparing)), ==,
                   ASSAY_ACTIVITY_FAILED);
  g_test_message ("%s", assay_activity_get_error (ASSAY_ACTIVITY (comparing))->message);
  g_assert_true (shows (window, ASSAY_TYPE_NOTICE_BAR, "The comparison did not end"));
  g_assert_true (shows (window, ASSAY_TYPE_NOTICE_BAR, "Nothing was lost"));
  g_assert_true (shows (window, ASSAY_TYPE_NOTICE_BAR, "Try Again"));
  g_assert_true (shows (window, ASSAY_TYPE_COMPARE_PAGE, "Runner command:/bin/false: "));
  g_assert_false (shows (window, ASSAY_TYPE_NOTICE_BAR, "/bin/false"));

  button = gtk_widget_get_ancestor (
      ui_find_label (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_NOTICE_BAR), "Try Again"),
      GTK_TYPE_BUTTON);
  g_assert_true (gtk_widget_is_sensitive (button));
  g_signal_emit_by_name (button, "clicked");
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (comparing)), ==,
                   ASSAY_ACTIVITY_RUNNING);
  ui_wait_ended (comparing);
  ui_settle ();
  g_assert_true (shows (window, ASSAY_TYPE_NOTICE_BAR, "The comparison did not end"));

  assay_compare_activity_set_runner (comparing, 1, "vm");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
  ui_wait_ended (comparing);
  ui_settle ();
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (comparing)), ==, ASSAY_ACTIVITY_READY);
  g_assert_false (shows (window, ASSAY_TYPE_NOTICE_BAR, "The comparison did not end"));
  ui_window_close (window);
}

/* A board that does not answer: the page says why, once, and the bar that there is something. */
static void
test_unreachable (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssayDeployActivity *deploying = assay_session_get_deploy_activity (
      assay_window_get_session (window));
  g_autoptr (GPtrArray) complaints = g_ptr_array_new_with_free_func (g_free);

  ui_open_example (window, "streaming-cnn.onnx");
  ui_wait_ready (window);
  assay_deploy_activity_set_board (deploying, "ssh:nowhere.invalid");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.deploy", NULL);
  ui_wait_ended (deploying);
  ui_settle ();
  g_test_message ("%s", assay_activity_get_error (ASSAY_ACTIVITY (deploying))->message);
  g_assert_true (shows (window, ASSAY_TYPE_NOTICE_BAR, "The program was not deployed"));
  g_assert_false (shows (window, ASSAY_TYPE_NOTICE_BAR, "nowhere.invalid"));
  g_assert_true (shows (window, ASSAY_TYPE_COMPARE_PAGE, "nowhere.invalid"));
  ui_check_seen_words (GTK_WIDGET (window), complaints);
  for (guint i = 0; i < complaints->len; i++)
    g_test_message ("%s", (const char *) g_ptr_array_index (complaints, i));
  g_assert_cmpuint (complaints->len, ==, 0);
  ui_window_close (window);
}

/* Each element that is worst is read with all of its columns, beside the charts or below them. */
static void
test_elements (void)
{
  static const int widths[] = { 1024, 1920, 2560 };

  for (guint i = 0; i < G_N_ELEMENTS (widths); i++)
    {
      AssayWindow *window = ui_window_new (UI_TARGET, widths[i], 900);
      GtkWidget *page = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_COMPARE_PAGE);
      GtkWidget *worst;
      GtkAdjustment *across;

      ui_open_example (window, "streaming-cnn.onnx");
      gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "compare");
      gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
      ui_wait_ended (assay_session_get_compare_activity (assay_window_get_session (window)));
      ui_settle ();
      worst = gtk_widget_get_ancestor (ui_find_label (page, "Worst Own Error"), GTK_TYPE_BUTTON);
      g_signal_emit_by_name (worst, "clicked");
      ui_settle ();
      across = gtk_scrollable_get_hadjustment (
          GTK_SCROLLABLE (ui_find_type (page, GTK_TYPE_TEXT_VIEW)));
      g_test_message ("%d: %g of %g", widths[i], gtk_adjustment_get_upper (across),
                      gtk_adjustment_get_page_size (across));
      g_assert_cmpfloat (gtk_adjustment_get_page_size (across), >, 0);
      g_assert_cmpfloat (gtk_adjustment_get_upper (across), <=,
                         gtk_adjustment_get_page_size (across));
      ui_window_close (window);
    }
}

/* Whether a part of a page is seen, from its upper edge on. */
static void
check_in_sight (GtkWidget *part, GtkWidget *page, double height)
{
  graphene_rect_t bounds;

  g_assert_true (gtk_widget_get_mapped (part));
  g_assert_true (gtk_widget_compute_bounds (part, page, &bounds));
  g_test_message ("%s from %.0f to %.0f of %d", G_OBJECT_TYPE_NAME (part), (double) bounds.origin.y,
                  (double) bounds.origin.y + height, gtk_widget_get_height (page));
  g_assert_cmpfloat (bounds.origin.y, >=, 0);
  g_assert_cmpfloat (bounds.origin.y + height, <=, gtk_widget_get_height (page));
}

/* Of a comparison that failed everything that tells of it is seen at once: what came out, rows of
 * the table, the first of the worst elements and the charts below them. */
static void
test_divergence (void)
{
  static const char tolerance[] =
      "{ \"schema\": \"assay.tolerance/1\", \"title\": \"Tight\", \"doc\": \"Tight\","
      " \"bf16\": { \"any\": 1, \"rules\": [] }, \"fp32\": { \"any\": 1, \"rules\": [] } }";
  AssayWindow *window = open_with_axis ();
  AssaySession *session = assay_window_get_session (window);
  GtkWidget *page = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_COMPARE_PAGE);
  GtkWidget *table = ui_find_type (page, GTK_TYPE_COLUMN_VIEW);
  GtkWidget *worst = ui_find_type (page, GTK_TYPE_TEXT_VIEW);
  GtkWidget *strip = ui_find_type (page, ASSAY_TYPE_COMPARE_STRIP);
  GtkWidget *charts;
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "tight.json", NULL);
  GdkRectangle line;
  GtkTextIter start;

  g_assert_true (g_file_set_contents (path, tolerance, -1, NULL));
  assay_compare_activity_set_tolerance (assay_session_get_compare_activity (session), path);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
  ui_wait_ended (assay_session_get_compare_activity (session));
  g_assert_cmpint (
      assay_compare_activity_get_comparison (assay_session_get_compare_activity (session))
          ->first_divergent,
      >=, 0);
  g_signal_emit_by_name (table, "activate", 0u);
  ui_settle ();

  gtk_text_buffer_get_start_iter (gtk_text_view_get_buffer (GTK_TEXT_VIEW (worst)), &start);
  gtk_text_view_get_iter_location (GTK_TEXT_VIEW (worst), &start, &line);
  check_in_sight (strip, page, gtk_widget_get_height (strip));
  /* Its head and three rows; their head and four. */
  check_in_sight (table, page, 4 * 30);
  check_in_sight (worst, page, 5 * line.height);
  charts = gtk_widget_get_next_sibling (gtk_widget_get_ancestor (worst, GTK_TYPE_SCROLLED_WINDOW));
  check_in_sight (charts, page, gtk_widget_get_height (charts));
  ui_window_close (window);
}

/* The session is told of, the old file stays, and saving works again. */
static void
test_disk_full (void)
{
  AssayWindow *window = open_with_axis ();
  g_autofree char *path = ui_save_on_full_disk (window);
  g_autofree char *text = NULL;

  g_assert_true (shows (window, ASSAY_TYPE_NOTICE_BAR, "The session was not saved"));
  g_assert_true (shows (window, ASSAY_TYPE_NOTICE_BAR, "Try Again"));
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));

  g_signal_emit_by_name (
      gtk_widget_get_ancestor (
          ui_find_label (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_NOTICE_BAR), "Try Again"),
          GTK_TYPE_BUTTON),
      "clicked");
  wait_until (ui_find_label (GTK_WIDGET (window), "Session saved"));
  ui_settle ();
  g_assert_false (shows (window, ASSAY_TYPE_NOTICE_BAR, "The session was not saved"));
  ui_window_close (window);
  g_remove (path);
}

/* No memory for more timesteps than any computer holds: which work, how much, that nothing was
 * lost, what helps; and with less it works. */
static void
test_out_of_memory (void)
{
  AssayWindow *window = open_with_axis ();
  AssaySession *session = assay_window_get_session (window);
  AssayActivity *works[] = { ASSAY_ACTIVITY (assay_session_get_compare_activity (session)),
                             ASSAY_ACTIVITY (assay_session_get_run (session)) };
  static const char *const actions[] = { "win.compare", "win.run" };
  static const char *const failed[] = { "The comparison did not end", "The run did not end" };

  for (guint i = 0; i < G_N_ELEMENTS (works); i++)
    {
      ui_set_steps (session, G_MAXUINT);
      gtk_widget_activate_action (GTK_WIDGET (window), actions[i], NULL);
      ui_wait_ended (works[i]);
      ui_settle ();
      g_test_message ("%s", assay_activity_get_error (works[i])->message);
      g_assert_error (assay_activity_get_error (works[i]), ASSAY_ERROR, ASSAY_ERROR_MEMORY);
      g_assert_true (shows (window, ASSAY_TYPE_NOTICE_BAR, failed[i]));
      /* Why is said once: by the bar, or by a page that has nothing else to show. */
      g_assert_true (shows (window, i == 0 ? ASSAY_TYPE_COMPARE_PAGE : ASSAY_TYPE_NOTICE_BAR,
                            i == 0 ? "No memory for a tensor of" : "no memory for a tensor of"));
      g_assert_true (shows (window, ASSAY_TYPE_NOTICE_BAR, "no memory for a tensor of") == (i > 0));
      g_assert_true (shows (window, ASSAY_TYPE_NOTICE_BAR, "Nothing was lost"));
      g_assert_true (shows (window, ASSAY_TYPE_NOTICE_BAR, "Close other programs"));
      g_assert_true (shows (window, ASSAY_TYPE_NOTICE_BAR, "Try Again"));

      ui_set_steps (session, 0);
      gtk_widget_activate_action (GTK_WIDGET (window), actions[i], NULL);
      ui_wait_ended (works[i]);
      ui_settle ();
      g_assert_cmpint (assay_activity_get_state (works[i]), ==, ASSAY_ACTIVITY_READY);
      g_assert_false (shows (window, ASSAY_TYPE_NOTICE_BAR, failed[i]));
    }
  ui_window_close (window);
}

/* Several pieces of work: the bar follows the first, the others are behind a button. */
static void
test_jobs (void)
{
  AssayWindow *window = open_with_axis ();
  AssaySession *session = assay_window_get_session (window);

  assay_compare_activity_start (assay_session_get_compare_activity (session));
  assay_run_start (assay_session_get_run (session));
  g_assert_cmpuint (g_list_model_get_n_items (assay_session_get_jobs (session)), ==, 2);
  for (GtkWidget *button = ui_find_type (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_JOB_BAR),
                                         GTK_TYPE_MENU_BUTTON);
       button != NULL; button = NULL)
    {
      g_assert_true (gtk_widget_get_visible (button));
      g_assert_cmpstr (gtk_menu_button_get_label (GTK_MENU_BUTTON (button)), ==, "2 jobs");
    }
  ui_wait_ready (window);
  ui_window_close (window);
}

static float
left_of (AssayWindow *window, GtkWidget *widget)
{
  graphene_rect_t bounds;

  g_assert_true (gtk_widget_compute_bounds (widget, GTK_WIDGET (window), &bounds));
  return bounds.origin.x;
}

static void
check_behind (GtkWidget *widget, gpointer data)
{
  GtkWidget *misfit = data;

  if (gtk_widget_has_css_class (widget, "verdict-toggle") && gtk_widget_get_mapped (widget))
    g_assert_cmpfloat (left_of (ASSAY_WINDOW (gtk_widget_get_root (widget)), widget), >,
                       left_of (ASSAY_WINDOW (gtk_widget_get_root (widget)), misfit));
}

/* That a program does not fit is red, and comes before what is said of nodes. */
static void
test_misfit (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  g_autoptr (AssaySettings) setup = assay_settings_new ();
  GtkWidget *misfit;

  ui_open_example (window, "streaming-cnn.onnx");
  assay_settings_set_number (&setup, ASSAY_SETTING_DEPTH, "tensor_ram_depth", 100);
  assay_session_set_setup (assay_window_get_session (window), setup);
  ui_wait_ready (window);
  ui_settle ();
  misfit = gtk_widget_get_ancestor (
      ui_find_label (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CONTEXT_BAR), "Does not fit"),
      GTK_TYPE_BUTTON);
  g_assert_true (gtk_widget_get_mapped (misfit));
  g_assert_true (gtk_widget_has_css_class (misfit, "error"));
  ui_for_each (GTK_WIDGET (window), check_behind, misfit);
  ui_window_close (window);
}

static void
list_boxes (GtkWidget *widget, gpointer data)
{
  if (ASSAY_IS_FIT_HANDLES (gtk_widget_get_parent (widget)))
    g_ptr_array_add (data, widget);
}

/* The sizes of a model that does not fit stand below each other where they wrap, several in a row.
 */
static void
test_handles (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  g_autoptr (AssaySettings) setup = assay_settings_new ();
  g_autoptr (GPtrArray) boxes = g_ptr_array_new ();
  graphene_rect_t first, second, next;

  ui_open_example (window, "streaming-cnn.onnx");
  assay_settings_set_number (&setup, ASSAY_SETTING_DEPTH, "tensor_ram_depth", 100);
  assay_session_set_setup (session, setup);
  ui_wait_ready (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "memory");
  ui_settle ();
  ui_for_each (GTK_WIDGET (window), list_boxes, boxes);
  g_assert_cmpuint (boxes->len, ==, 4);
  g_assert_true (gtk_widget_compute_bounds (boxes->pdata[0], GTK_WIDGET (window), &first));
  g_assert_true (gtk_widget_compute_bounds (boxes->pdata[1], GTK_WIDGET (window), &second));
  g_assert_true (gtk_widget_compute_bounds (boxes->pdata[3], GTK_WIDGET (window), &next));
  g_assert_cmpfloat (first.origin.y, ==, second.origin.y);
  g_assert_cmpfloat (next.origin.y, >, first.origin.y);
  g_assert_true (next.origin.x == first.origin.x || next.origin.x == second.origin.x);
  g_assert_cmpfloat (first.size.width, ==, next.size.width);
  ui_window_close (window);
}

/* What fills the store is said in one sentence, so that it is read in one direction. */
static void
test_composition (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  GtkWidget *page = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_MEMORY_PAGE);
  Sought whole = { " blocks (", FALSE };
  Sought sought = { ", as in the metrics.", FALSE };

  ui_open_example (window, "streaming-cnn.onnx");
  gtk_widget_activate_action (GTK_WIDGET (window), "memory.to-peak", NULL);
  ui_settle ();
  ui_for_each (page, seek, &sought);
  ui_for_each (page, seek, &whole);
  g_assert_true (sought.found && whole.found);
  g_assert_null (ui_find_label (page, "as in the metrics"));
  ui_window_close (window);
}

/* The column of the start page is as wide as its text is large, so that a file is told with its
 * target. */
static void
test_large_start (void)
{
  AssayWindow *window;
  GtkWidget *clamp;
  int usual;

  window = ui_window_new (UI_TARGET, 1280, 800);
  clamp = ui_find_type (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_START_PAGE), ADW_TYPE_CLAMP);
  usual = adw_clamp_get_maximum_size (ADW_CLAMP (clamp));
  ui_set_text_scale (1.5);
  ui_settle ();
  g_assert_cmpfloat_with_epsilon (adw_clamp_get_maximum_size (ADW_CLAMP (clamp)), usual * 1.5, 2);
  ui_window_close (window);
  ui_set_text_scale (1);
}

static void
focus_label (GtkWidget *widget, gpointer n)
{
  if (!GTK_IS_LABEL (widget) || !gtk_widget_get_mapped (widget) ||
      !gtk_label_get_selectable (GTK_LABEL (widget)) || !gtk_widget_grab_focus (widget))
    return;
  g_assert_false (gtk_label_get_selection_bounds (GTK_LABEL (widget), NULL, NULL));
  (*(guint *) n)++;
}

/* Descriptors are no blocks and no weights, and nothing lies among them. */
static void
test_entries (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  g_autoptr (AssaySettings) setup = assay_settings_new ();
  guint n_labels = 0;
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "few.json", NULL);

  g_assert_true (g_file_set_contents (
      path,
      "{\"schema\": \"assay.target/1\", \"id\": \"few\", \"title\": \"Few\", \"summary\": \"4\", "
      "\"source\": \"this test\", \"extends\": \"" UI_TARGET
      "\", \"config\": {\"tensor_descriptor_count\": 4}}",
      -1, NULL));
  ui_open_example (window, "streaming-cnn.onnx");
  assay_session_set_target_id (session, path);
  ui_wait_ready (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "memory");
  ui_settle ();
  g_assert_true (shows (window, ASSAY_TYPE_MEMORY_PAGE, "The program on core "));
  g_assert_true (shows (window, ASSAY_TYPE_MEMORY_PAGE, " entries, it has 4."));
  g_assert_true (shows (window, ASSAY_TYPE_MEMORY_PAGE, "tensor descriptors, entries"));
  g_assert_false (shows (window, ASSAY_TYPE_MEMORY_PAGE, "What Lies There"));

  /* A button that goes may leave the focus to a sentence, which is not marked for that. */
  ui_for_each (GTK_WIDGET (window), focus_label, &n_labels);
  g_assert_cmpuint (n_labels, >, 0);

  /* As its handle does. */
  assay_settings_set_number (&setup, ASSAY_SETTING_DEPTH, "tensor_descriptor_count", 1024);
  assay_session_set_setup (session, setup);
  ui_wait_ready (window);
  g_assert_nonnull (assay_compilation_get_program (assay_session_get_compilation (session)));
  ui_window_close (window);
}

/* What is tried may be refused, and nothing is compiled then. */
static void
test_refused_trial (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  const AssayWayOut way = { .kind = ASSAY_WAY_DEPTH, .value = 8192, .action = (char *) "Deepen" };

  ui_open_example (window, UI_MODEL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "memory");
  assay_trial_start (assay_session_get_trial (session), &way);
  ui_wait_ready (window);
  ui_settle ();
  g_assert_true (assay_trial_get_active (assay_session_get_trial (session)));
  g_assert_true (shows (window, ASSAY_TYPE_TRIAL_BAR, "are rejected by this target"));
  g_assert_false (shows (window, ASSAY_TYPE_TRIAL_BAR, "compiling"));
  ui_window_close (window);
}

static const UiTest tests[] = {
  { "/states/start", test_start },
  { "/states/loading", test_loading },
  { "/states/no-findings", test_no_findings },
  { "/states/causes", test_causes },
  { "/states/not-compiled", test_not_compiled },
  { "/states/small-page", test_small_page },
  { "/states/nothing-compared", test_nothing_compared },
  { "/states/stale", test_stale },
  { "/states/baseline", test_baseline },
  { "/states/bad-file", test_bad_file },
  { "/states/empty-model", test_empty_model },
  { "/states/no-outputs", test_no_outputs },
  { "/states/helper-died", test_helper_died },
  { "/states/unreachable", test_unreachable },
  { "/states/elements", test_elements },
  { "/states/divergence", test_divergence },
  { "/states/disk-full", test_disk_full },
  { "/states/out-of-memory", test_out_of_memory },
  { "/states/jobs", test_jobs },
  { "/states/misfit", test_misfit },
  { "/states/handles", test_handles },
  { "/states/refused-trial", test_refused_trial },
  { "/states/entries", test_entries },
  { "/states/composition", test_composition },
  { "/states/large-start", test_large_start },
};

TEST_PROGRAM (states)
{
  return ui_run (argc, argv, tests, G_N_ELEMENTS (tests));
}
