/* test-board-install.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The agent is copied to a board, found there, and removed. The board is this computer, with a home
 * folder and a `uname` of its own.
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "process/assay-helper.h"
#include "run/board/assay-board-install.h"

#include "folder.h"
#include "run-fixture.h"
#include "test-program.h"

static const struct
{
  const char *machine;
  const char *loader;
} machines[] = {
  { "x86_64", "/lib64/ld-linux-x86-64.so.2" },
  { "aarch64", "/lib/ld-linux-aarch64.so.1" },
};

/* The board is `home`; `helpers` has the agents, which run the one that was built. */
typedef struct
{
  char *folder;
  char *home;
  char *helpers;
  char *installed;
  char *agent;
  char *path;
} Board;

static void
write_script (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *script = g_strconcat ("#!/bin/sh\n", text, "\n", NULL);

  g_assert_true (g_file_set_contents (path, script, -1, NULL));
  g_assert_cmpint (g_chmod (path, 0755), ==, 0);
}

static void
write_agents (Board *self, const char *text)
{
  for (guint i = 0; i < G_N_ELEMENTS (machines); i++)
    {
      g_autofree char *name = g_strconcat ("assay-board-", machines[i].machine, NULL);

      write_script (self->helpers, name, text);
    }
}

static void
write_good_agents (Board *self, const char *comment)
{
  g_autofree char *quoted = g_shell_quote (self->agent);
  g_autofree char *text = g_strdup_printf ("exec %s \"$@\" # %s", quoted, comment);

  write_agents (self, text);
}

/* Makes `uname -s` and `uname -m` answer with these. */
static void
set_system (Board *self, const char *name, const char *machine)
{
  g_autofree char *text = g_strdup_printf ("if [ \"$1\" = -s ]; then echo %s; else echo %s; fi",
                                           name, machine);

  write_script (self->folder, "uname", text);
}

/* The type whose loader is here. */
static const char *
own_machine (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (machines); i++)
    if (g_file_test (machines[i].loader, G_FILE_TEST_EXISTS))
      return machines[i].machine;

  return NULL;
}

static void
board_set_up (Board *self, gconstpointer data)
{
  g_autofree char *fake = g_build_filename (g_getenv ("G_TEST_SRCDIR"), "data/board", NULL);
  g_autofree char *path = NULL;

  self->agent = assay_helper_find ("assay-board", NULL);
  g_assert_nonnull (self->agent);
  self->folder = g_dir_make_tmp ("assay-install-XXXXXX", NULL);
  self->home = g_build_filename (self->folder, "home", NULL);
  self->helpers = g_build_filename (self->folder, "helpers", NULL);
  self->installed = g_build_filename (self->home, ".local/bin/assay-board", NULL);
  g_assert_cmpint (g_mkdir (self->home, 0700), ==, 0);
  g_assert_cmpint (g_mkdir (self->helpers, 0700), ==, 0);
  self->path = g_strdup (g_getenv ("PATH"));
  path = g_strdup_printf ("%s:%s:%s", self->folder, fake, self->path);
  g_setenv ("PATH", path, TRUE);
  g_setenv ("HOME", self->home, TRUE);
  g_setenv ("ASSAY_HELPERS", self->helpers, TRUE);
  write_good_agents (self, "first");
  set_system (self, "Linux", own_machine () != NULL ? own_machine () : "none");
}

static void
board_tear_down (Board *self, gconstpointer data)
{
  g_setenv ("PATH", self->path, TRUE);
  folder_remove (self->folder);
  g_free (self->folder);
  g_free (self->home);
  g_free (self->helpers);
  g_free (self->installed);
  g_free (self->agent);
  g_free (self->path);
}

static guint
count_entries (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  guint n = 0;

  g_assert_nonnull (dir);
  while (g_dir_read_name (dir) != NULL)
    n++;

  return n;
}

static AssayBoardInstallation *
install (const char *name)
{
  g_autoptr (GError) error = NULL;
  AssayBoardInstallation *installation = assay_board_install (name, NULL, &error);

  g_assert_no_error (error);

  return installation;
}

/* An agent is copied once, replaced by another one, and removed once, also after a banner. */
static void
test_install (Board *board, gconstpointer data)
{
  if (own_machine () == NULL)
    {
      g_test_skip ("no loader of a machine that has an agent");
      return;
    }

  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (AssayBoardInstallation) made = NULL;
      g_autofree char *sent = NULL;
      g_autofree char *there = NULL;
      g_autofree char *digest = NULL;
      gsize n_sent, n_there;

      if (i == 2)
        {
          g_autofree char *left = g_build_filename (board->home,
                                                    ".local/bin/.assay-board.new.999999999", NULL);

          g_assert_true (g_file_set_contents (left, "half", 4, NULL));
          write_good_agents (board, "second");
        }
      made = install ("ssh:good");
      g_assert_true (g_file_get_contents (made->file, &sent, &n_sent, NULL));
      g_assert_true (g_file_get_contents (board->installed, &there, &n_there, NULL));
      g_assert_cmpmem (there, n_there, sent, n_sent);
      g_assert_true (g_file_test (board->installed, G_FILE_TEST_IS_EXECUTABLE));
      g_assert_cmpuint (count_entries (board->home), ==, 1);
      digest = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) sent, n_sent);
      g_assert_cmpstr (made->digest, ==, digest);
      g_assert_cmpuint (made->bytes, ==, n_sent);
      g_assert_cmpstr (made->machine, ==, own_machine ());
      g_assert_cmpint (made->copied, ==, i != 1);
      g_assert_true (g_str_has_prefix (made->agent, "assay-board "));
      if (i == 0)
        g_assert_null (made->before);
      else
        g_assert_true (g_str_has_prefix (made->before, "assay-board "));
    }

  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *folder = g_path_get_dirname (board->installed);
      g_autoptr (GError) error = NULL;
      gboolean removed = i != 0;

      g_assert_true (
          assay_board_remove (i == 0 ? "ssh:noisy" : "ssh:good", &removed, NULL, &error));
      g_assert_no_error (error);
      g_assert_cmpint (removed, ==, i == 0);
      g_assert_cmpuint (count_entries (folder), ==, 0);
    }
}

static void
assert_refused (const char *name, const char *message)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayBoardInstallation) made = assay_board_install (name, NULL, &error);

  g_assert_null (made);
  assert_message (error, g_str_equal (name, "ssh:good") ? ASSAY_ERROR_DEVICE : ASSAY_ERROR_INVALID,
                  message);
}

/* Each machine has its agent, if it has the loader for it. */
static void
test_machines (Board *board, gconstpointer data)
{
  set_system (board, "FreeBSD", "x86_64");
  assert_refused ("ssh:good", "the system of good is FreeBSD; there are agents for Linux");
  set_system (board, "Linux", "riscv64");
  assert_refused ("ssh:good", "good is a computer of type riscv64; there are agents for x86_64 and "
                              "aarch64");
  assert_refused ("local", "board local: expected ssh:HOST*");
  assert_refused ("ssh:", "*");

  for (guint i = 0; i < G_N_ELEMENTS (machines); i++)
    {
      g_autofree char *refused = g_strdup_printf (
          "good has no %s: the agent for %s needs the GNU C "
          "library",
          machines[i].loader, machines[i].machine);

      set_system (board, "Linux", machines[i].machine);
      if (g_file_test (machines[i].loader, G_FILE_TEST_EXISTS))
        {
          g_autoptr (AssayBoardInstallation) made = install ("ssh:good");
          g_autofree char *file = g_path_get_basename (made->file);

          g_assert_cmpstr (made->machine, ==, machines[i].machine);
          g_assert_true (g_str_has_suffix (file, machines[i].machine));
        }
      else
        assert_refused ("ssh:good", refused);
    }
}

/* Each failure of a script has its sentence, and leaves what was there. */
static void
test_failures (Board *board, gconstpointer data)
{
  static const struct
  {
    const char *blocked; /* becomes a folder, or a file if it is the home's folder */
    gboolean is_folder;
    const char *agent; /* NULL for a good one */
    const char *message;
  } cases[] = {
    { ".local", FALSE, NULL, "good: the folder ~/.local/bin cannot be made*" },
    { ".local/bin/assay-board", TRUE, NULL, "good: ~/.local/bin/assay-board is a folder" },
    { NULL, FALSE, "echo broken >&2; exit 1", "good: the agent cannot be run: broken" },
  };

  if (own_machine () == NULL)
    {
      g_test_skip ("no loader of a machine that has an agent");
      return;
    }

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *blocked = g_build_filename (
          board->home, cases[i].blocked != NULL ? cases[i].blocked : "", NULL);
      gboolean removed;
      g_autoptr (GError) error = NULL;

      if (cases[i].blocked == NULL)
        {
          g_autofree char *local = g_build_filename (board->home, ".local", NULL);

          folder_remove (local);
        }
      else if (cases[i].is_folder)
        g_assert_cmpint (g_mkdir_with_parents (blocked, 0700), ==, 0);
      else
        g_assert_true (g_file_set_contents (blocked, "mine", 4, NULL));
      if (cases[i].agent != NULL)
        write_agents (board, cases[i].agent);
      assert_refused ("ssh:good", cases[i].message);

      if (cases[i].is_folder)
        {
          g_assert_true (g_file_test (blocked, G_FILE_TEST_IS_DIR));
          g_assert_false (assay_board_remove ("ssh:good", &removed, NULL, &error));
          assert_message (error, ASSAY_ERROR_DEVICE,
                          "good: ~/.local/bin/assay-board cannot be removed*");
        }
      else if (cases[i].blocked != NULL)
        g_assert_cmpint (g_unlink (blocked), ==, 0);
      else
        g_assert_false (g_file_test (board->installed, G_FILE_TEST_EXISTS));
    }
}

TEST_PROGRAM (board_install)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add ("/board-install/install", Board, NULL, board_set_up, test_install, board_tear_down);
  g_test_add ("/board-install/machines", Board, NULL, board_set_up, test_machines, board_tear_down);
  g_test_add ("/board-install/failures", Board, NULL, board_set_up, test_failures, board_tear_down);

  return g_test_run ();
}
