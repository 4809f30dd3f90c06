/* test-cancel.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the window does in threads ends within two seconds of work when it is cancelled, and when
 * the window closes; nothing is left behind.
 */
#include <glib/gstdio.h>
#include <sys/stat.h>

#include "base/assay-job.h"
#include "test-program.h"
#include "ui-fixture.h"
#include "ui/canvas/assay-canvas-private.h"
#include "ui/canvas/assay-picture.h"
#include "ui/compare/assay-boards-window.h"
#include "ui/graph/assay-export-window.h"
#include "ui/graph/assay-graph-page.h"
#include "ui/table/assay-columns.h"
#include "ui/table/assay-node-panel.h"
#include "ui/tensor/assay-tensor-figures.h"
#include "ui/timeline/assay-timeline-page.h"
#include "ui/window/assay-export-menu.h"
#include "ui/window/assay-file-save.h"

#define SECONDS 2
#define N_NODES 40000u

/* Threads of a busy machine wait for a processor ten times as long. */
static gboolean
ends_soon (void)
{
  gint64 begin = wait_work_beside ();

  return assay_jobs_await (10 * SECONDS) &&
         wait_work_beside () - begin < SECONDS * G_TIME_SPAN_SECOND;
}

static gpointer
find (AssayWindow *window, GType type)
{
  GtkWidget *found = ui_find_type (GTK_WIDGET (window), type);

  g_assert_nonnull (found);
  return found;
}

static void
save_rows (AssayWindow *window, const char *path)
{
  assay_node_panel_save (find (window, ASSAY_TYPE_NODE_PANEL), path);
}

static void
save_trace (AssayWindow *window, const char *path)
{
  assay_timeline_page_save_trace (find (window, ASSAY_TYPE_TIMELINE_PAGE), path);
}

static void
save_table (AssayWindow *window, const char *path)
{
  assay_columns_save (GTK_COLUMN_VIEW (ui_find_type (find (window, ASSAY_TYPE_TIMELINE_PAGE),
                                                     GTK_TYPE_COLUMN_VIEW)),
                      path);
}

static void
save_picture (AssayWindow *window, const char *path)
{
  assay_export_menu_save_picture (assay_export_menu_find_picture (GTK_WIDGET (window)), path);
}

static void
save_values (AssayWindow *window, const char *path)
{
  const gint64 dims[] = { 4 };
  const float values[] = { 1, 2, 3, 4 };
  g_autoptr (AssayTensor) tensor = assay_tensor_new_f32 (1, dims, values);

  assay_file_save_values (find (window, ASSAY_TYPE_GRAPH_PAGE), tensor, path);
}

static void
save_graph (AssayWindow *window, const char *path)
{
  GtkWidget *export = assay_export_window_new (GTK_WINDOW (window),
                                               find (window, ASSAY_TYPE_GRAPH_PAGE));

  gtk_window_present (GTK_WINDOW (export));
  assay_export_window_write (ASSAY_EXPORT_WINDOW (export), path);
}

/* What saves a file, and whether the window shows that as a job. */
static const struct
{
  const char *name;
  void (*save) (AssayWindow *window, const char *path);
  gboolean is_shown;
} savers[] = {
  { "rows", save_rows, TRUE },      { "trace", save_trace, TRUE },
  { "table", save_table, FALSE },   { "picture", save_picture, FALSE },
  { "values", save_values, FALSE }, { "graph", save_graph, TRUE },
};

static AssayWindow *
open_program (void)
{
  AssayWindow *window = ui_window_new (UI_TARGET, 1600, 900);

  ui_open_example (window, "streaming-cnn.onnx");
  ui_wait_ready (window);
  gtk_widget_activate_action (GTK_WIDGET (window), "win.page", "s", "timeline");
  ui_settle ();
  return window;
}

/* A pipe that nobody reads makes whoever saves to it wait. */
static void
test_saving (void)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-cancel-XXXXXX", NULL);
  g_autofree char *pipe = g_build_filename (folder, "pipe", NULL);

  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (savers); i++)
    for (guint closes = savers[i].is_shown ? 0 : 1; closes < 2; closes++)
      {
        AssayWindow *window = open_program ();
        AssaySession *session = assay_window_get_session (window);

        g_test_message ("%s, %s", savers[i].name, closes ? "closed" : "cancelled");
        g_assert_true (ends_soon ());
        savers[i].save (window, pipe);
        g_assert_true (assay_session_get_busy (session) == savers[i].is_shown);
        g_assert_false (assay_jobs_await (0));
        if (closes)
          ui_window_close (window);
        else
          gtk_widget_activate_action (GTK_WIDGET (window), "win.cancel", NULL);
        g_assert_true (ends_soon ());
        if (!closes)
          {
            g_assert_false (assay_session_get_busy (session));
            ui_window_close (window);
          }
      }
  g_assert_cmpint (g_unlink (pipe), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* Reads of places that have nothing to do with each other: lines everywhere. */
static char *
write_tangle (const char *folder)
{
  char *path = g_build_filename (folder, "tangle.nnir", NULL);
  g_autoptr (GString) text = g_string_new ("main (%v0 : f32[4]) {\n");
  guint32 seed = 1;

  for (guint i = 1; i <= N_NODES; i++)
    {
      seed = seed * 1664525 + 1013904223;
      g_string_append_printf (text, "  %%v%u = Add(%%v%u, %%v%u) : f32[4] @ \"n%u\"\n", i,
                              i - 1 - (guint) ((guint64) seed * MIN (i, 1000) >> 32), i - 1, i);
    }
  g_string_append_printf (text, "  return %%v%u\n}\n", N_NODES);
  g_assert_true (g_file_set_contents (path, text->str, -1, NULL));

  return path;
}

static gboolean
is_laying_out (AssaySession *session)
{
  GListModel *jobs = assay_session_get_jobs (session);

  for (guint i = 0; i < g_list_model_get_n_items (jobs); i++)
    {
      g_autoptr (AssayJob) job = g_list_model_get_item (jobs, i);

      if (g_str_equal (assay_job_get_title (job), "Laying out"))
        return TRUE;
    }

  return FALSE;
}

/* Who cancels gets the picture as it is, who closes the model or the window none. */
static void
test_layout (void)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-cancel-XXXXXX", NULL);
  g_autofree char *path = write_tangle (folder);
  static const char *const ways[] = { "win.cancel", "win.close-model", NULL };

  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      AssayWindow *window = ui_window_new (UI_OTHER_TARGET, 1280, 800);
      AssaySession *session = assay_window_get_session (window);
      AssayCanvas *canvas;
      gint64 begin;

      assay_window_open (window, path, NULL);
      ui_wait_ready (window);
      canvas = find (window, ASSAY_TYPE_CANVAS);
      gtk_widget_activate_action (GTK_WIDGET (canvas), "graph.unfold-all", NULL);
      wait_until (is_laying_out (session));
      begin = wait_work ();
      wait_until (wait_work () > begin + 200 * G_TIME_SPAN_MILLISECOND);
      g_assert_true (is_laying_out (session));
      begin = wait_work_beside ();
      if (ways[i] != NULL)
        gtk_widget_activate_action (GTK_WIDGET (window), ways[i], NULL);
      else
        ui_window_close (window);
      if (i == 0)
        wait_until (canvas->view->boxes->len > N_NODES / 2);
      else
        wait_until (assay_jobs_await (0));
      g_assert_cmpint (wait_work_beside () - begin, <, SECONDS * G_TIME_SPAN_SECOND);
      if (ways[i] != NULL)
        ui_window_close (window);
    }
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* A script that says nothing, in a folder, and where it tells the number of what it has started. */
typedef struct
{
  char *folder;
  char *script;
  char *pid_path;
} Silent;

static void
silent_init (Silent *self, const char *name)
{
  g_autofree char *text = NULL;

  self->folder = g_dir_make_tmp ("assay-cancel-XXXXXX", NULL);
  self->script = g_build_filename (self->folder, name, NULL);
  self->pid_path = g_build_filename (self->folder, "pid", NULL);
  text = g_strdup_printf ("#!/bin/sh\nsleep 3600 & echo $! > %s\necho ready\nwait\n",
                          self->pid_path);
  g_assert_true (
      g_file_set_contents_full (self->script, text, -1, G_FILE_SET_CONTENTS_NONE, 0700, NULL));
}

static void
silent_clear (Silent *self)
{
  g_assert_cmpint (g_unlink (self->script), ==, 0);
  g_unlink (self->pid_path);
  g_assert_cmpint (g_rmdir (self->folder), ==, 0);
  g_free (self->folder);
  g_free (self->script);
  g_free (self->pid_path);
}

/* It runs; it is cancelled, or the window closes; and it is gone with what it has started. */
static void
silent_stop (Silent *self, AssayWindow *window, gboolean closes)
{
  AssaySession *session = assay_window_get_session (window);
  g_autofree char *pid = NULL;
  g_autofree char *executable = NULL;

  wait_until ((g_free (pid), pid = NULL, g_file_get_contents (self->pid_path, &pid, NULL, NULL)) &&
              strchr (pid, '\n') != NULL);
  g_assert_true (assay_session_get_busy (session));
  if (closes)
    ui_window_close (window);
  else
    gtk_widget_activate_action (GTK_WIDGET (window), "win.cancel", NULL);
  g_assert_true (ends_soon ());
  executable = g_build_filename ("/proc", g_strchomp (pid), "exe", NULL);
  wait_until (!g_file_test (executable, G_FILE_TEST_EXISTS));
  g_unlink (self->pid_path);
  if (!closes)
    g_assert_false (assay_session_get_busy (session));
}

/* A board that never answers. */
static void
test_board (void)
{
  Silent silent;
  g_autofree char *before = g_strdup (g_getenv ("PATH"));
  g_autofree char *with = NULL;

  silent_init (&silent, "ssh");
  with = g_strdup_printf ("%s:%s", silent.folder, before);
  g_setenv ("PATH", with, TRUE);
  for (guint closes = 0; closes < 2; closes++)
    {
      AssayWindow *window = open_program ();
      GtkWidget *boards = assay_boards_window_new (GTK_WINDOW (window),
                                                   assay_window_get_session (window));
      GtkWidget *host = ui_find_type (boards, ADW_TYPE_ENTRY_ROW);

      gtk_window_present (GTK_WINDOW (boards));
      ui_settle ();
      gtk_editable_set_text (GTK_EDITABLE (host), "nowhere");
      g_signal_emit_by_name (host, "apply");
      silent_stop (&silent, window, closes != 0);
      if (!closes)
        {
          g_assert_nonnull (ui_find_window (ASSAY_TYPE_BOARDS_WINDOW));
          ui_window_close (window);
        }
      g_assert_null (ui_find_window (ASSAY_TYPE_BOARDS_WINDOW));
    }
  g_setenv ("PATH", before, TRUE);
  silent_clear (&silent);
}

/* A suite whose cases never end. */
static void
test_qualify (void)
{
  Silent silent;
  g_autofree char *runner = NULL;

  silent_init (&silent, "runner");
  runner = g_strconcat ("unconfined:", silent.script, NULL);
  for (guint closes = 0; closes < 2; closes++)
    {
      AssayWindow *window = open_program ();
      AssaySession *session = assay_window_get_session (window);

      assay_compare_activity_set_runner (assay_session_get_compare_activity (session), 1, runner);
      assay_qualify_activity_start (assay_session_get_qualify (session));
      silent_stop (&silent, window, closes != 0);
      if (!closes)
        ui_window_close (window);
    }
  silent_clear (&silent);
}

/* A large file of PyTorch is told from others before anybody is asked. */
static void
test_python (void)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-cancel-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "large.pt2", NULL);

  g_assert_true (g_file_set_contents (path, "PK\003\004", 4, NULL));
  g_assert_cmpint (truncate (path, (off_t) 2 << 30), ==, 0);
  for (guint closes = 0; closes < 2; closes++)
    {
      AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
      AssaySession *session = assay_window_get_session (window);

      assay_window_open (window, path, NULL);
      wait_until (assay_session_get_busy (session));
      g_assert_false (assay_jobs_await (0));
      if (closes)
        ui_window_close (window);
      else
        gtk_widget_activate_action (GTK_WIDGET (window), "win.cancel", NULL);
      g_assert_true (ends_soon ());
      if (!closes)
        {
          ui_settle ();
          g_assert_cmpint (assay_session_get_state (session), ==, ASSAY_SESSION_EMPTY);
          ui_window_close (window);
        }
    }
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* More values than can be read in the time. */
static void
test_figures (void)
{
  const gint64 dims[] = { (gint64) 1 << 26 };
  const gsize size = (gsize) dims[0] * sizeof (float);
  g_autoptr (GBytes) bytes = g_bytes_new_take (g_malloc0 (size), size);
  g_autoptr (AssayTensor) tensor = assay_tensor_new (ASSAY_DTYPE_F32, 1, dims, bytes, NULL);

  for (guint closes = 0; closes < 2; closes++)
    {
      GtkWidget *window = gtk_window_new ();
      GtkWidget *figures = assay_tensor_figures_new (tensor);

      gtk_window_set_child (GTK_WINDOW (window), figures);
      gtk_window_present (GTK_WINDOW (window));
      assay_tensor_figures_start (ASSAY_TENSOR_FIGURES (figures));
      g_assert_false (assay_jobs_await (0));
      if (!closes)
        g_signal_emit_by_name (
            gtk_widget_get_ancestor (ui_find_label (window, "Cancel"), GTK_TYPE_BUTTON), "clicked");
      else
        gtk_window_destroy (GTK_WINDOW (window));
      g_assert_true (ends_soon ());
      if (!closes)
        gtk_window_destroy (GTK_WINDOW (window));
    }
}

static const UiTest tests[] = {
  { "/cancel/saving", test_saving }, { "/cancel/layout", test_layout },
  { "/cancel/board", test_board },   { "/cancel/qualify", test_qualify },
  { "/cancel/python", test_python }, { "/cancel/figures", test_figures },
};

TEST_PROGRAM (cancel)
{
  return ui_run (argc, argv, tests, G_N_ELEMENTS (tests));
}
