/* test-boards-window.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Installs and removes the agent of a board with the buttons of the Boards window. A script takes
 * the place of ssh, with a home folder of its own.
 */
#include <glib/gstdio.h>

#include "process/assay-temporary.h"
#include "test-program.h"
#include "ui-fixture.h"
#include "ui/compare/assay-boards-window.h"

#define AGENT ".local/bin/assay-board"

static void
click (GtkWidget *boards, const char *label)
{
  GtkWidget *button;

  wait_until (ui_find_label (boards, label) != NULL);
  button = gtk_widget_get_ancestor (ui_find_label (boards, label), GTK_TYPE_BUTTON);
  g_assert_true (gtk_widget_get_sensitive (button));
  g_signal_emit_by_name (button, "clicked");
}

static void
test_agent (void)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-test-XXXXXX", NULL);
  g_autofree char *script = g_build_filename (folder, "ssh", NULL);
  g_autofree char *agent = g_build_filename (folder, AGENT, NULL);
  g_autofree char *local = g_build_filename (folder, ".local", NULL);
  g_autofree char *before = g_strdup (g_getenv ("PATH"));
  g_autofree char *with = g_strdup_printf ("%s:%s", folder, before);
  g_autofree char *text = g_strdup_printf ("#!/bin/sh\n"
                                           "while [ \"$1\" != -- ]; do shift; done\n"
                                           "shift 2\n"
                                           "HOME='%s' PATH=/usr/bin:/bin exec sh -c \"$*\"\n",
                                           folder);
  AssayWindow *window = ui_window_new (UI_TARGET, 1280, 800);
  GtkWidget *boards = assay_boards_window_new (GTK_WINDOW (window),
                                               assay_window_get_session (window));
  GtkWidget *host = ui_find_type (boards, ADW_TYPE_ENTRY_ROW);

  g_assert_true (g_file_set_contents_full (script, text, -1, G_FILE_SET_CONTENTS_NONE, 0700, NULL));
  g_setenv ("PATH", with, TRUE);
  gtk_window_present (GTK_WINDOW (boards));
  gtk_editable_set_text (GTK_EDITABLE (host), "bench");
  g_signal_emit_by_name (host, "apply");

  click (boards, "Install Agent");
  wait_until (ui_find_label (boards, "Remove Agent") != NULL);
  g_assert_true (g_file_test (agent, G_FILE_TEST_IS_EXECUTABLE));
  click (boards, "Remove Agent");
  wait_until (ui_find_label (boards, "Install Agent") != NULL);
  g_assert_false (g_file_test (agent, G_FILE_TEST_EXISTS));

  /* What stops it is said, and the window goes on. */
  assay_temporary_delete (local);
  g_assert_true (g_file_set_contents (local, "", 0, NULL));
  click (boards, "Install Agent");
  wait_until (ui_find_label (boards, "Not installed") != NULL);
  g_assert_null (ui_find_label (boards, "Install Agent"));

  gtk_window_destroy (GTK_WINDOW (boards));
  ui_window_close (window);
  g_setenv ("PATH", before, TRUE);
  assay_temporary_delete (folder);
}

static const UiTest tests[] = {
  { "/ui/boards/agent", test_agent },
};

TEST_PROGRAM (boards_window)
{
  return ui_run (argc, argv, tests, G_N_ELEMENTS (tests));
}
