/* test-qualify-window.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The page that runs a suite: rows as they come, what is wrong first, and the way to Compare.
 */
#include <glib/gstdio.h>
#include <string.h>

#include "session/list/assay-qualify-item.h"
#include "test-program.h"
#include "ui-fixture.h"
#include "ui/qualify/assay-qualify-page.h"

static void
run (AssayWindow *window)
{
  AssayQualifyActivity *activity = assay_session_get_qualify (assay_window_get_session (window));

  gtk_widget_activate_action (GTK_WIDGET (window), "win.qualify", NULL);
  ui_wait_ended (activity);
  g_assert_no_error (assay_activity_get_error (ASSAY_ACTIVITY (activity)));
  ui_settle ();
}

static GtkSelectionModel *
get_rows (AssayWindow *window)
{
  GtkWidget *page = ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_QUALIFY_PAGE);

  return gtk_column_view_get_model (GTK_COLUMN_VIEW (ui_find_type (page, GTK_TYPE_COLUMN_VIEW)));
}

/* The last byte of what a case should give is one of its numbers. */
static void
break_case (const char *model)
{
  g_autofree char *folder = g_path_get_dirname (model);
  g_autofree char *path = g_build_filename (folder, "test_data_set_0", "output_0.pb", NULL);
  g_autofree char *text = NULL;
  gsize length;

  g_assert_true (g_file_get_contents (path, &text, &length, NULL));
  text[length - 1] = (char) (text[length - 1] ^ 0x7f);
  g_assert_true (g_file_set_contents (path, text, (gssize) length, NULL));
}

static AssayConformanceStatus
get_status (AssayQualifyActivity *activity, const char *name)
{
  const AssayConformance *conformance = assay_qualify_activity_get_conformance (activity);

  for (guint i = 0; i < conformance->results->len; i++)
    {
      const AssayConformanceResult *result = conformance->results->pdata[i];

      if (g_str_equal (result->name, name))
        return result->status;
    }
  g_assert_not_reached ();
}

/* What the menu of results writes. */
static char *
save (AssayWindow *window, const char *form, const char *name)
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), name, NULL);
  AssayPage *page = ASSAY_PAGE (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_QUALIFY_PAGE));
  GActionGroup *actions = assay_page_get_actions (page);
  g_autofree char *text = NULL;

  g_assert_true (g_action_group_get_action_enabled (actions, "save"));
  g_assert_true (assay_qualify_activity_save (
      assay_session_get_qualify (assay_window_get_session (window)), form, path, NULL));
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));

  return g_steal_pointer (&text);
}

static void
check_expected (AssayWindow *window, const char *name, const char *broken)
{
  AssaySession *session = assay_window_get_session (window);
  AssayQualifyActivity *activity = assay_session_get_qualify (session);
  AssayPage *page = ASSAY_PAGE (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_QUALIFY_PAGE));
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "known.txt", NULL);
  g_autofree char *list = save (window, "xfail", "known.txt");
  g_autofree char *junit = save (window, "junit", "all.xml");
  g_autofree char *csv = save (window, "csv", "all.csv");
  g_autofree char *json = save (window, "json", "all.json");
  g_autofree char *command = NULL;
  g_autofree char *where = NULL;

  g_assert_nonnull (strstr (list, name));
  g_assert_nonnull (strstr (junit, "<failure"));
  g_assert_nonnull (strstr (csv, ",FAIL,"));
  g_assert_nonnull (strstr (json, "\"FAIL\""));
  assay_qualify_activity_set_expected (activity, path);
  command = assay_session_dup_command (session, "qualify");
  g_assert_nonnull (strstr (command, " --xfail "));
  run (window);
  g_assert_cmpint (get_status (activity, name), ==, ASSAY_CONFORMANCE_XFAIL);
  where = g_strdup_printf ("on Reference fp32, target %s, expected failures of known.txt",
                           assay_session_get_target_id (session));
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), where));
  break_case (broken);
  run (window);
  g_assert_cmpint (get_status (activity, name), ==, ASSAY_CONFORMANCE_XPASS);
  g_action_group_activate_action (assay_page_get_actions (page), "forget-expected", NULL);
  g_assert_null (assay_qualify_activity_get_expected (activity));
  break_case (broken);
  run (window);
  g_assert_cmpint (get_status (activity, name), ==, ASSAY_CONFORMANCE_FAIL);
}

/* The suite of a model stays that of the model while its cases are looked at, and one button leads
 * back to it. */
static void
test_cases (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  AssayDocument *document = assay_session_get_document (session);
  AssayQualifyActivity *activity = assay_session_get_qualify (session);
  AssayCompareActivity *compare = assay_session_get_compare_activity (session);
  g_autoptr (AssaySettings) setup = NULL;
  g_autofree char *model = NULL;
  GtkWidget *table, *button;
  guint n;

  ui_open_example (window, "mlp.onnx");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.qualify", NULL);
  ui_wait_ended (activity);
  ui_settle ();
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "The Suite Did Not Run"));
  g_assert_nonnull (
      ui_find_label (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_QUALIFY_PAGE), "Setup…"));
  ui_bind_batch (window);
  model = g_strdup (assay_document_get_path (document));
  /* What is said of nodes of the model is nothing for its cases; how they are compiled is. */
  setup = assay_settings_ref (assay_session_get_setup (session));
  assay_settings_add_name (&setup, ASSAY_SETTING_KEEP_FP32,
                           assay_graph_node (assay_session_get_graph (session), 1)->name);
  assay_settings_set_flag (&setup, ASSAY_SETTING_DISABLE_OPTIMIZATIONS, TRUE);
  assay_session_set_setup (session, setup);
  ui_wait_ready (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "qualify");
  run (window);
  n = g_list_model_get_n_items (G_LIST_MODEL (get_rows (window)));
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (AssayQualifyItem)
          item = g_list_model_get_item (G_LIST_MODEL (get_rows (window)), i);

      g_assert_cmpint (assay_qualify_item_get_result (item)->status, ==, ASSAY_CONFORMANCE_PASS);
      g_assert_cmpfloat (assay_qualify_item_get_result (item)->seconds, >, 0);
    }

  /* Twice, as a case may be opened from a case, and the suite run again while one is open. */
  for (guint round = 0; round < 2; round++)
    {
      g_autofree char *path = NULL;
      g_autofree char *command = NULL;

      g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "Operators of mlp.onnx"));
      table = ui_find_type (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_QUALIFY_PAGE),
                            GTK_TYPE_COLUMN_VIEW);
      g_signal_emit_by_name (table, "activate", round);
      wait_until (assay_qualify_activity_has_case (activity, assay_document_get_path (document)) &&
                  assay_activity_get_state (ASSAY_ACTIVITY (compare)) == ASSAY_ACTIVITY_READY);
      g_assert_true (assay_settings_get_flag (assay_session_get_setup (session),
                                              ASSAY_SETTING_DISABLE_OPTIMIZATIONS));
      path = g_strdup (assay_document_get_path (document));
      command = assay_session_dup_command (session, "qualify");
      g_assert_nonnull (strstr (command, model));
      g_assert_nonnull (strstr (command, " --bind"));
      g_assert_nonnull (strstr (command, " --disable-optimizations"));
      gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "qualify");
      run (window);
      g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (get_rows (window))), ==, n);
      g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
    }

  button = gtk_widget_get_ancestor (ui_find_label (GTK_WIDGET (window), "Back to mlp.onnx"),
                                    GTK_TYPE_BUTTON);
  g_assert_nonnull (button);
  g_signal_emit_by_name (button, "clicked");
  wait_until (g_strcmp0 (assay_document_get_path (document), model) == 0 &&
              assay_session_get_state (session) == ASSAY_SESSION_READY);
  ui_wait_ready (window);
  g_assert_true (assay_settings_equal (assay_session_get_setup (session), setup));
  g_assert_false (assay_qualify_activity_has_case (activity, model));
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (get_rows (window))), ==, n);

  /* What the rows are of is said, also when something else is chosen meanwhile. */
  assay_session_set_target_id (session, "v80_c6b32");
  ui_wait_ready (window);
  g_assert_nonnull (ui_find_label (
      GTK_WIDGET (window), "○ Not of what is chosen now: on Machine bf16, target " UI_TARGET));
  ui_window_close (window);
}

/* Rows that came before it was stopped stay, as what they are. */
static void
check_stopped (AssayWindow *window, AssayQualifyActivity *activity, const char *cases)
{
  g_autofree char *suite = g_build_filename (g_get_user_data_dir (), "many", NULL);
  GListModel *rows = G_LIST_MODEL (get_rows (window));
  g_autofree char *text = NULL;

  g_assert_cmpint (g_mkdir (suite, 0700), ==, 0);
  for (guint i = 0; i < 20; i++)
    {
      g_autofree char *copy = g_strdup_printf ("%s/%u", suite, i);
      const char *argv[] = { "cp", "-r", cases, copy, NULL };

      g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL,
                                   NULL, NULL, NULL, NULL));
    }
  assay_qualify_activity_set_suite (activity, suite);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "qualify");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.qualify", NULL);
  wait_until (g_list_model_get_n_items (rows) > 0);
  assay_activity_cancel (ASSAY_ACTIVITY (activity));
  ui_settle ();
  g_assert_cmpuint (g_list_model_get_n_items (rows), <,
                    assay_qualify_activity_get_n_cases (activity));
  text = g_strdup_printf ("Stopped: %u of %u cases, %u PASS", g_list_model_get_n_items (rows),
                          assay_qualify_activity_get_n_cases (activity),
                          g_list_model_get_n_items (rows));
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), text));
}

static void
test_page (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  AssayQualifyActivity *activity = assay_session_get_qualify (session);
  AssayCompareActivity *compare = assay_session_get_compare_activity (session);
  g_autofree char *suite = g_build_filename (g_get_user_data_dir (), "suite", NULL);
  const AssayConformance *conformance;
  const AssayConformanceResult *result;
  g_autofree char *made = NULL;
  g_autofree char *folder = NULL;
  g_autofree char *parent = NULL;
  g_autofree char *broken = NULL;
  g_autofree char *name = NULL;
  g_autofree char *command = NULL;
  GtkWidget *empty, *button;
  guint n;

  ui_open_example (window, "mlp.onnx");
  ui_bind_batch (window);

  /* The operators of the open model, on the runner and the target of the session. */
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "qualify");
  ui_settle ();
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "Nothing Qualified"));
  empty = ui_find_type (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_QUALIFY_PAGE),
                        ADW_TYPE_STATUS_PAGE);
  button = ui_find_type (empty, GTK_TYPE_BUTTON);
  g_assert_nonnull (button);
  g_assert_cmpstr (gtk_actionable_get_action_name (GTK_ACTIONABLE (button)), ==, "win.qualify");
  assay_compare_activity_set_runner (compare, 1, "reference");
  command = assay_session_dup_command (session, "qualify");
  g_assert_nonnull (strstr (command, " --from-model "));
  g_assert_nonnull (strstr (command, " --bind"));
  run (window);
  conformance = assay_qualify_activity_get_conformance (activity);
  n = assay_qualify_activity_get_n_cases (activity);
  g_assert_cmpuint (n, >, 2);
  g_assert_cmpuint (conformance->results->len, ==, n);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (get_rows (window))), ==, n);
  for (guint i = 0; i < n; i++)
    g_assert_true (assay_conformance_result_passed (conformance->results->pdata[i]));
  g_assert_null (assay_qualify_activity_get_trend (activity));
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "Operators"));
  /* A case takes milliseconds. */
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "Time, ms"));
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "Element types"));

  /* A folder of cases; the second time it is told what fares otherwise, and that comes first. */
  name = g_strdup (((AssayConformanceResult *) conformance->results->pdata[n - 1])->name);
  made = assay_qualify_activity_dup_case (activity, name);
  folder = g_path_get_dirname (made);
  parent = g_path_get_dirname (folder);
  {
    const char *argv[] = { "cp", "-r", parent, suite, NULL };

    g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
                                 NULL, NULL, NULL));
  }
  assay_qualify_activity_set_suite (activity, suite);
  run (window);
  g_assert_null (assay_qualify_activity_get_trend (activity));
  run (window);
  g_assert_nonnull (strstr (assay_qualify_activity_get_trend (activity), ": nothing changed"));
  broken = assay_qualify_activity_dup_case (activity, name);
  break_case (broken);
  run (window);
  g_assert_nonnull (
      strstr (assay_qualify_activity_get_trend (activity), "1 wrong that were right"));
  {
    g_autoptr (AssayQualifyItem) item = g_list_model_get_item (G_LIST_MODEL (get_rows (window)), 0);

    result = assay_qualify_item_get_result (item);
    g_assert_cmpint (result->status, ==, ASSAY_CONFORMANCE_FAIL);
    g_assert_true (assay_conformance_result_is_surprise (result));
    g_assert_cmpstr (result->name, ==, name);
  }

  /* What fails is written down as expected, and is that from then on; what then does not is told.
   */
  check_expected (window, name, broken);

  /* What fails opens where it is compared, with what goes into the case. */
  g_signal_emit_by_name (ui_find_type (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_QUALIFY_PAGE),
                                       GTK_TYPE_COLUMN_VIEW),
                         "activate", 0u);
  wait_until (g_strcmp0 (assay_document_get_path (assay_session_get_document (session)), broken) ==
                  0 &&
              assay_activity_get_state (ASSAY_ACTIVITY (compare)) == ASSAY_ACTIVITY_READY);
  g_assert_cmpuint (g_strv_length (assay_input_choice_list_inputs (
                        assay_run_get_inputs (assay_session_get_run (session)))),
                    >, 0);

  /* The results are there for the next case; one that is stopped keeps none of a half suite. */
  g_assert_true (assay_qualify_activity_get_conformance (activity) != NULL);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.qualify", NULL);
  assay_activity_cancel (ASSAY_ACTIVITY (activity));
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (activity)), ==, ASSAY_ACTIVITY_NONE);
  break_case (broken);
  check_stopped (window, activity, suite);
  ui_window_close (window);
}

/* In the smallest window the head of the table is in sight, with the first row below it, of which
 * none was chosen. */
static void
test_small (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 720, 480);
  AssaySession *session = assay_window_get_session (window);
  GtkWidget *head, *paned;
  graphene_rect_t bounds;

  ui_open_example (window, "mlp.onnx");
  ui_bind_batch (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "qualify");
  assay_compare_activity_set_runner (assay_session_get_compare_activity (session), 1, "reference");
  run (window);
  ui_settle ();
  head = ui_find_label (GTK_WIDGET (window), "Target Said");
  paned = gtk_widget_get_ancestor (head, GTK_TYPE_PANED);
  g_assert_true (gtk_widget_compute_bounds (head, paned, &bounds));
  g_assert_cmpfloat (bounds.origin.y, >=, 0);
  g_assert_cmpint (gtk_widget_get_height (GTK_WIDGET (window)), <=, 480);
  g_assert_cmpuint (gtk_single_selection_get_selected (GTK_SINGLE_SELECTION (get_rows (window))),
                    ==, GTK_INVALID_LIST_POSITION);
  g_assert_cmpfloat (gtk_adjustment_get_value (gtk_scrollable_get_vadjustment (
                         GTK_SCROLLABLE (ui_find_type (GTK_WIDGET (paned), GTK_TYPE_COLUMN_VIEW)))),
                     ==, 0);
  ui_window_close (window);
}

static const UiTest tests[] = {
  { "/ui/qualify/page", test_page },
  { "/ui/qualify/small", test_small },
  { "/ui/qualify/cases", test_cases },
};

TEST_PROGRAM (qualify_window)
{
  return ui_run (argc, argv, tests, G_N_ELEMENTS (tests));
}
