/* test-source-window.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Models of other sources than ONNX in a window: NNIR text, and the example of
 * tests/example-source.
 */
#include <glib/gstdio.h>

#include "nnir/text/assay-text.h"
#include "source/assay-source.h"
#include "test-program.h"
#include "ui-fixture.h"
#include "ui/canvas/assay-canvas.h"
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

/* A helper in place of the one that needs PyTorch: it keeps what it was asked, and writes a
 * program.
 */
static void
write_helper (const char *folder, const char *text)
{
  g_autofree char *path = g_build_filename (folder, "assay-torch", NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_assert_cmpint (g_chmod (path, 0755), ==, 0);
}

static AdwMessageDialog *
wait_question (void)
{
  GtkWidget *dialog;

  wait_until (ui_find_window (ADW_TYPE_MESSAGE_DIALOG) != NULL);
  dialog = ui_find_window (ADW_TYPE_MESSAGE_DIALOG);
  ui_settle ();

  return ADW_MESSAGE_DIALOG (dialog);
}

static void
answer (const char *response)
{
  AdwMessageDialog *dialog = wait_question ();

  adw_message_dialog_response (dialog, response);
  /* The signal alone closes nothing. */
  gtk_window_destroy (GTK_WINDOW (dialog));
  ui_settle ();
}

/* A file of PyTorch runs only after the user has allowed it, with what the user saw; the answer
 * holds for these contents in this folder. Refusing leaves what is open, and so does what does not
 * open leave the question. */
static void
test_python (void)
{
  static const char program[] =
      "#!/bin/sh\n"
      "echo \"$@\" > \"${3%/*}/asked\"\n"
      "cp \"${3%/*}/asked\" \"$3.asked\"\n"
      "grep -q broken \"$1\" && { echo 'assay-torch: Python has no torch; install python3-torch' "
      ">&2; exit 1; }\n"
      "grep -q slow \"$1\" && sleep 1000\n"
      "printf 'func.func @forward(%%x: !torch.vtensor<[2,3],f32>) -> !torch.vtensor<[2,3],f32> {\\n"
      "  %%0 = torch.aten.relu %%x : !torch.vtensor<[2,3],f32> -> !torch.vtensor<[2,3],f32>\\n"
      "  return %%0 : !torch.vtensor<[2,3],f32>\\n}\\n' > \"$3\"\n";
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  AssaySession *session = assay_window_get_session (window);
  AssayPassActivity *passes = assay_session_get_passes (session);
  g_autofree char *folder = g_dir_make_tmp ("assay-python-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "net.pt", NULL);
  g_autofree char *source = g_build_filename (folder, "net.py", NULL);
  g_autofree char *command = NULL;
  g_autofree char *text_path = NULL;
  g_autofree char *asked_path = NULL;
  g_autofree char *asked = NULL;
  g_autofree char *expected = NULL;
  GtkEditable *entry;

  g_setenv ("ASSAY_HELPERS", folder, TRUE);
  write_helper (folder, program);
  g_assert_true (g_file_set_contents (path, "one", -1, NULL));
  g_assert_true (g_file_set_contents (source, "class Net: pass", -1, NULL));

  /* The question names command and file; No loses nothing. */
  ui_open_example (window, "mlp.onnx");
  assay_window_open (window, path, NULL);
  g_assert_nonnull (strstr (adw_message_dialog_get_body (wait_question ()), "assay-torch "));
  g_assert_nonnull (strstr (adw_message_dialog_get_body (wait_question ()), path));
  answer ("refuse");
  g_assert_true (g_str_has_suffix (assay_document_get_path (assay_session_get_document (session)),
                                   "mlp.onnx"));
  g_assert_cmpint (assay_session_get_state (session), ==, ASSAY_SESSION_READY);
  g_assert_null (ui_find_window (ADW_TYPE_MESSAGE_DIALOG));

  /* Yes runs it with the shapes that were given; the model is called as its file. */
  assay_window_open (window, path, NULL);
  entry = GTK_EDITABLE (
      ui_find_type (adw_message_dialog_get_extra_child (wait_question ()), GTK_TYPE_ENTRY));
  gtk_editable_set_text (entry, "2,3");
  answer ("allow");
  ui_wait_ready (window);
  g_assert_cmpstr (ui_visible_page (window), ==, "work");
  g_assert_cmpstr (assay_document_get_path (assay_session_get_document (session)), ==, path);
  text_path = g_strdup (assay_session_get_text_path (session));
  asked_path = g_strconcat (text_path, ".asked", NULL);
  g_assert_true (g_file_get_contents (asked_path, &asked, NULL, NULL));
  expected = g_strdup_printf ("%s -o %s --input 2,3\n", path, text_path);
  g_assert_cmpstr (asked, ==, expected);
  command = assay_session_dup_command (session, "check");
  g_assert_true (g_str_has_prefix (command, "assay check python:/"));
  gtk_widget_activate_action (ui_find_type (GTK_WIDGET (window), ASSAY_TYPE_CANVAS), "graph.level",
                              "s", "passes");
  ui_wait_ended (passes);
  g_assert_no_error (assay_activity_get_error (ASSAY_ACTIVITY (passes)));

  /* It is not asked again, and nothing of it stays when another model is opened. */
  ui_open_example (window, "mlp.onnx");
  g_assert_false (g_file_test (text_path, G_FILE_TEST_EXISTS));
  assay_window_open (window, path, NULL);
  wait_until (g_strcmp0 (assay_document_get_path (assay_session_get_document (session)), path) ==
              0);
  ui_wait_ready (window);
  g_assert_null (ui_find_window (ADW_TYPE_MESSAGE_DIALOG));

  /* Other contents are another thing; what is missing is said, and asked about again. */
  g_assert_true (g_file_set_contents (path, "broken", -1, NULL));
  assay_window_open (window, path, NULL);
  answer ("allow");
  wait_until (assay_session_get_state (session) == ASSAY_SESSION_FAILED);
  g_assert_nonnull (strstr (assay_session_get_problem (session)->where, "install python3-torch"));
  assay_window_open (window, path, NULL);
  answer ("refuse");

  /* No Python at all. */
  write_helper (folder, "#!/nowhere/python3\n");
  g_assert_true (g_file_set_contents (path, "two", -1, NULL));
  assay_window_open (window, path, NULL);
  answer ("allow");
  wait_until (assay_session_get_state (session) == ASSAY_SESSION_FAILED);
  g_assert_nonnull (strstr (assay_session_get_problem (session)->where, "install python3"));

  /* A source says what in it is the model, each time; what hangs is stopped. */
  write_helper (folder, program);
  assay_window_open (window, source, NULL);
  entry = GTK_EDITABLE (
      ui_find_type (adw_message_dialog_get_extra_child (wait_question ()), GTK_TYPE_ENTRY));
  gtk_editable_set_text (entry, "Net");
  answer ("allow");
  wait_until (assay_session_get_state (session) == ASSAY_SESSION_FAILED ||
              assay_session_get_state (session) == ASSAY_SESSION_READY);
  g_free (command);
  command = assay_session_dup_command (session, "check");
  g_assert_nonnull (strstr (command, "net.py:Net"));
  g_assert_true (g_file_set_contents (path, "slow", -1, NULL));
  assay_window_open (window, path, NULL);
  answer ("allow");
  wait_until (assay_session_get_state (session) == ASSAY_SESSION_LOADING);
  assay_session_cancel (session);
  g_assert_cmpint (assay_session_get_state (session), ==, ASSAY_SESSION_EMPTY);

  ui_window_close (window);
  g_unsetenv ("ASSAY_HELPERS");
}

/* Opens a file and allows it, with what is asked for; the text of what is then wrong, if it is. */
static char *
open_allowed (AssayWindow *window, const char *path, const char *shapes)
{
  AssaySession *session = assay_window_get_session (window);

  assay_window_open (window, path, NULL);
  gtk_editable_set_text (
      GTK_EDITABLE (
          ui_find_type (adw_message_dialog_get_extra_child (wait_question ()), GTK_TYPE_ENTRY)),
      shapes);
  answer ("allow");
  wait_until (assay_session_get_state (session) == ASSAY_SESSION_FAILED ||
              assay_session_get_state (session) == ASSAY_SESSION_READY);

  return assay_session_get_state (session) == ASSAY_SESSION_FAILED
             ? g_strdup (assay_session_get_problem (session)->where)
             : NULL;
}

/* What PyTorch itself has written opens; what this PyTorch or this Python cannot open says so. */
static void
test_torch (void)
{
  static const char script[] =
      "import sys, torch\n"
      "net = torch.nn.Sequential(torch.nn.Conv2d(2, 4, 3), torch.nn.ReLU())\n"
      "torch.jit.script(net).save(sys.argv[1])\n";
  g_autofree char *folder = g_dir_make_tmp ("assay-torch-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "net.pt", NULL);
  g_autofree char *exported = g_build_filename (folder, "net.pt2", NULL);
  g_autofree char *own = g_build_filename (g_test_get_dir (G_TEST_DIST), "..", "app", "torch",
                                           "assay-torch", NULL);
  const char *const argv[] = { "/usr/bin/python3", "-c", script, path, NULL };
  g_autofree char *text = NULL;
  g_autofree char *bare = NULL;
  g_autofree char *said = NULL;
  AssayWindow *window;
  int status;

  if (!g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL, NULL,
                     &status, NULL) ||
      status != 0)
    {
      g_test_skip ("python3-torch is not installed");
      return;
    }
  g_assert_true (g_file_get_contents (own, &text, NULL, NULL));
  g_assert_true (g_str_has_prefix (text, "#!/usr/bin/python3\n"));
  write_helper (folder, text);
  g_setenv ("ASSAY_HELPERS", folder, TRUE);
  window = ui_window_new (UI_TARGET, 1280, 800);

  g_assert_null (open_allowed (window, path, "1,2,8,8"));
  ui_wait_ready (window);
  g_assert_cmpstr (ui_visible_page (window), ==, "work");
  g_assert_nonnull (ui_find_label (GTK_WIDGET (window), "net.pt"));

  /* Shapes that were left out are asked for. */
  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL,
                               NULL, NULL, &status, NULL));
  said = open_allowed (window, path, "");
  g_assert_nonnull (said);
  g_assert_nonnull (strstr (said, "--override-input-shapes gives their shapes"));
  g_clear_pointer (&said, g_free);

  /* Debian's PyTorch opens no file of torch.export. */
  g_assert_true (g_file_set_contents (exported, "PK\003\004", 4, NULL));
  said = open_allowed (window, exported, "");
  g_assert_nonnull (said);
  g_test_message ("%s", said);
  g_assert_true (strstr (said, "2.1 does") != NULL || strstr (said, "net.pt2") != NULL);
  g_clear_pointer (&said, g_free);

  /* A Python that finds nothing of what was installed for it. */
  bare = g_strconcat ("#!/usr/bin/python3 -S\n", strchr (text, '\n') + 1, NULL);
  write_helper (folder, bare);
  g_assert_cmpint (g_unlink (exported), ==, 0);
  g_assert_true (g_file_set_contents (exported, "PK\003\004other", -1, NULL));
  said = open_allowed (window, exported, "");
  g_assert_nonnull (said);
  g_test_message ("%s", said);
  g_assert_nonnull (strstr (said, "install"));
  g_assert_null (strstr (said, "--override-input-shapes"));

  ui_window_close (window);
  g_unsetenv ("ASSAY_HELPERS");
}

static const UiTest tests[] = {
  { "/ui/source/python", test_python },
  { "/ui/source/torch", test_torch },
  { "/ui/source/nnir", test_nnir },
#ifdef ASSAY_EXAMPLES
  { "/ui/source/layers", test_layers },
#endif
};

TEST_PROGRAM (source_window)
{
  return ui_run (argc, argv, tests, G_N_ELEMENTS (tests));
}
