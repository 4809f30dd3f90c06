/* test-backend-window.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The backend of tests/example-backend in a window: all that is shown of it comes from its class.
 */
#include "test-program.h"
#include "ui-fixture.h"

static gboolean
has_ended (gpointer activity)
{
  AssayActivityState state = assay_activity_get_state (activity);

  return state != ASSAY_ACTIVITY_NONE && state != ASSAY_ACTIVITY_RUNNING;
}

static void
show_page (AssayWindow *window, const char *name)
{
  AdwViewStack *pages = ADW_VIEW_STACK (ui_find_type (GTK_WIDGET (window), ADW_TYPE_VIEW_STACK));

  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", name);
  g_assert_cmpstr (adw_view_stack_get_visible_child_name (pages), ==, name);
}

static void
test_adder (void)
{
  g_autofree char *target = g_test_build_filename (G_TEST_DIST, "example-backend", "adder.json",
                                                   NULL);
  g_autofree char *model = g_test_build_filename (G_TEST_DIST, "example-backend", "sums.nnir",
                                                  NULL);
  AssayWindow *window = ui_window_new (target, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  AssayCompilation *compilation = assay_session_get_compilation (session);
  AssayRun *run = assay_session_get_run (session);
  AssayCompareActivity *compare = assay_session_get_compare_activity (session);
  AssayVerdicts *verdicts;

  assay_window_open (window, model, NULL);
  ui_wait_ready (window);
  verdicts = assay_session_get_verdicts (session);
  g_assert_cmpuint (assay_verdicts_count (verdicts, ASSAY_VERDICT_SUPPORTED), ==, 2);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (compilation)), ==,
                   ASSAY_ACTIVITY_READY);

  show_page (window, "memory");
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "Store"));
  show_page (window, "timeline");
  gtk_widget_activate_action (GTK_WIDGET (window), "win.run", NULL);
  wait_until (has_ended (run));
  g_assert_no_error (assay_activity_get_error (ASSAY_ACTIVITY (run)));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
  wait_until (has_ended (compare));
  g_assert_no_error (assay_activity_get_error (ASSAY_ACTIVITY (compare)));
  show_page (window, "compare");
  ui_window_close (window);
}

TEST_PROGRAM (backend_window)
{
  static const UiTest test = { "/ui/backend/adder", test_adder };

  return ui_run (argc, argv, &test, 1);
}
