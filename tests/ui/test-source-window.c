/* test-source-window.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Models of other sources than ONNX in a window: NNIR text, and the example of
 * tests/example-source.
 */
#include <glib/gstdio.h>

#include "nnir/text/assay-text.h"
#include "source/assay-source.h"
#include "ui-fixture.h"
#include "ui/window/assay-recent.h"

static gboolean
is_recent (const char *path)
{
  g_autoptr (GPtrArray) files = assay_recent_list (5);

  for (guint i = 0; i < files->len; i++)
    if (g_str_equal (((AssayRecent *) files->pdata[i])->path, path))
      return TRUE;

  return FALSE;
}

/* Opens a model, gives its dimension a size, compiles, runs and compares it. */
static void
check_model (const char *path, const char *dimension, const char *title)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  AssayRun *run = assay_session_get_run (session);
  AssayCompareActivity *compare = assay_session_get_compare_activity (session);
  g_autoptr (AssaySettings) setup = assay_settings_new ();
  AssayCompilation *compilation = assay_session_get_compilation (session);

  assay_window_open (window, path, NULL);
  ui_wait_ready (window);
  g_assert_cmpstr (ui_visible_page (window), ==, "work");
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), title));
  wait_until (is_recent (path));

  assay_settings_set_number (&setup, ASSAY_SETTING_BIND, dimension, 1);
  assay_session_set_setup (session, setup);
  ui_wait_ready (window);
  g_assert_cmpuint (
      assay_verdicts_count (assay_session_get_verdicts (session), ASSAY_VERDICT_REJECTED), ==, 0);
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (compilation)), ==,
                   ASSAY_ACTIVITY_READY);

  gtk_widget_activate_action (GTK_WIDGET (window), "win.run", NULL);
  ui_wait_ended (run);
  g_assert_no_error (assay_activity_get_error (ASSAY_ACTIVITY (run)));
  gtk_widget_activate_action (GTK_WIDGET (window), "win.compare", NULL);
  ui_wait_ended (compare);
  g_assert_no_error (assay_activity_get_error (ASSAY_ACTIVITY (compare)));
  g_assert_cmpint (assay_activity_get_state (ASSAY_ACTIVITY (compare)), ==, ASSAY_ACTIVITY_READY);
  ui_window_close (window);
}

static void
test_nnir (void)
{
  g_autofree char *model = ui_example ("mlp.onnx");
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "written.nnir", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGraph) graph = assay_model_read (model, NULL, NULL, NULL, &error);
  g_autofree char *text = NULL;

  g_assert_no_error (error);
  text = assay_graph_to_text (graph, ASSAY_TEXT_ALL_DATA, &error);
  g_assert_no_error (error);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  check_model (path, "batch", "NNIR Text");
  g_remove (path);
}

#ifdef ASSAY_EXAMPLES
static void
test_layers (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "example-source", "small.layers",
                                                 NULL);

  check_model (path, "batch", "Layers");
}
#endif

static const UiTest tests[] = {
  { "/ui/source/nnir", test_nnir },
#ifdef ASSAY_EXAMPLES
  { "/ui/source/layers", test_layers },
#endif
};

int
main (int argc, char **argv)
{
  return ui_run (argc, argv, tests, G_N_ELEMENTS (tests));
}
