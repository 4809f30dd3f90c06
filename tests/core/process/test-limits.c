/* test-limits.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/assay-process.h"
#include "process/assay-temporary.h"

#include "test-program.h"

/* Any that commands do not use themselves. */
#define STATUS 71
#define ROOM ((rlim_t) 256 << 20)
#define SECONDS 300

/* What is taken is looked at, or a compiler leaves it out. */
static gpointer volatile taken;

static void
take_block (void)
{
  taken = g_malloc (48);
}

static void
take_large_block (void)
{
  taken = g_malloc (G_MAXINT32);
}

static void
take_text (void)
{
  taken = g_strdup_printf ("%s of %d", "a text", 12345);
}

static void
take_long_text (void)
{
  taken = g_strdup_printf ("%2000d", 1);
}

static void
take_slice (void)
{
  taken = g_slice_alloc (40);
}

static void
take_private (void)
{
  static GPrivate keys[900];

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    g_private_set (&keys[i], keys);
}

static void
take_rw_lock (void)
{
  static GRWLock locks[4096];
  static guint n;

  g_rw_lock_init (&locks[n++ % G_N_ELEMENTS (locks)]);
}

static gpointer
do_nothing (gpointer data)
{
  return NULL;
}

static void
take_thread (void)
{
  g_thread_unref (g_thread_new ("one more", do_nothing, NULL));
}

static const struct
{
  const char *name;
  void (*take) (void);
} ways[] = {
  { "block", take_block },     { "large-block", take_large_block },
  { "text", take_text },       { "long-text", take_long_text },
  { "slice", take_slice },     { "private", take_private },
  { "rw-lock", take_rw_lock }, { "thread", take_thread },
};

static gpointer
use_up (gpointer data)
{
  void (*take) (void) = data;

  /* Also the last bytes: the message itself finds none. */
  for (gsize size = (gsize) 8 << 20; size >= 16; size /= 2)
    while ((taken = malloc (size)) != NULL)
      ;
  /* A size that none of those was may be left over from before. */
  for (;;)
    take ();

  return NULL;
}

static void
run_child (gsize way, gboolean in_thread, int said)
{
  struct rlimit limit = { ROOM, ROOM };

  dup2 (said, STDERR_FILENO);
  alarm (SECONDS);
  setrlimit (RLIMIT_AS, &limit);
  assay_process_end_on_limits (STATUS);
  if (assay_temporary_folder ("limits", NULL) == NULL)
    _exit (1);
  if (in_thread)
    g_thread_join (g_thread_new ("worker", use_up, ways[way].take));
  else
    use_up (ways[way].take);
  _exit (0);
}

/* Memory is used up in one thread or the other, and then wanted in each way that GLib takes it: it
 * ends in words, with its status, and without its folder. */
static void
test_memory (gconstpointer data)
{
  gsize way = GPOINTER_TO_SIZE (data) / 2;
  char text[4096] = { 0 };
  gsize length = 0;
  gssize n;
  int said[2];
  int status;
  pid_t child;
  g_autoptr (GDir) folder = NULL;

#if defined(__SANITIZE_ADDRESS__)
  g_test_skip ("the address sanitizer needs all addresses");
  return;
#endif

  g_assert_cmpint (pipe (said), ==, 0);
  child = fork ();
  g_assert_cmpint (child, >=, 0);
  if (child == 0)
    run_child (way, GPOINTER_TO_SIZE (data) % 2 == 1, said[1]);

  close (said[1]);
  while ((n = read (said[0], text + length, sizeof text - 1 - length)) > 0)
    length += (gsize) n;
  close (said[0]);
  waitpid (child, &status, 0);

  g_test_message ("%s: %s", ways[way].name, text);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, STATUS);
  g_assert_nonnull (strstr (text, "assay: a limit of this system: "));
  folder = g_dir_open (g_getenv ("TMPDIR"), 0, NULL);
  g_assert_null (g_dir_read_name (folder));
}

/* What does not fit into memory is told to those who can go without it. */
static void
test_tried (void)
{
  g_assert_null (g_try_malloc (G_MAXSIZE / 2));
  for (int length = 1; length < 3000; length = length * 3 / 2 + 1)
    {
      g_autofree char *whole = g_strdup_printf ("%*d", length, 7);

      g_assert_cmpuint (strlen (whole), ==, (gsize) length);
      g_assert_cmpint (whole[length - 1], ==, '7');
    }
}

/* Texts of every length have their end, the empty one too. */
static void
test_texts (void)
{
  for (int length = 0; length < 600; length++)
    {
      g_autofree char *expected = g_strnfill ((gsize) length, 'x');
      g_autofree char *text = g_strdup_printf ("%s", expected);

      g_assert_cmpstr (text, ==, expected);
    }
}

TEST_PROGRAM (limits)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-test-limits-XXXXXX", NULL);
  int status;

  g_setenv ("TMPDIR", folder, TRUE);
  g_test_init (&argc, &argv, NULL);

  for (gsize i = 0; i < 2 * G_N_ELEMENTS (ways); i++)
    {
      g_autofree char *path = g_strdup_printf ("/limits/memory/%s/%s", ways[i / 2].name,
                                               i % 2 == 1 ? "thread" : "main");

      g_test_add_data_func (path, GSIZE_TO_POINTER (i), test_memory);
    }
  g_test_add_func ("/limits/tried", test_tried);
  g_test_add_func ("/limits/texts", test_texts);
  status = g_test_run ();
  g_rmdir (folder);

  return status;
}
