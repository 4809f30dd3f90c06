/* main.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The agent on a board: takes a program over standard input and output, runs it with the machine's
 * kernels, and gives back outputs and latencies. It writes no file.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/assay-error.h"
#include "base/assay-file-read.h"
#include "process/assay-confine.h"
#include "process/assay-process.h"
#include "run/board/assay-board-agent.h"

static const char help[] = "Usage: assay-board --stdio\n"
                           "\n"
                           "Runs programs of Assay on this computer. Started by `assay deploy` and "
                           "`assay run --on board:NAME`,\n"
                           "over ssh or on the same computer; a person has no use for it.\n"
                           "\n"
                           "  --stdio    talk over standard input and output\n"
                           "  --version  print the version\n"
                           "  --digest   print the SHA-256 of this program\n"
                           "  --help     print this\n";

static gboolean
read_input (gpointer stream, gpointer data, gsize n, gsize *n_read, const AssayProgress *progress,
            GError **error)
{
  gsize have = 0;
  gssize got = 1;

  while (have < n && got != 0)
    {
      got = read (STDIN_FILENO, (char *) data + have, n - have);
      if (got < 0 && errno != EINTR)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IO, "standard input: %s",
                       g_strerror (errno));
          return FALSE;
        }
      have += (gsize) MAX (got, 0);
    }
  if (n_read != NULL)
    *n_read = have;
  else if (have < n)
    g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_IO,
                         "standard input ended within a message");

  return have == n || n_read != NULL;
}

static gboolean
write_output (gpointer stream, gconstpointer data, gsize n, const AssayProgress *progress,
              GError **error)
{
  const char *at = data;

  while (n > 0)
    {
      gssize written = write (STDOUT_FILENO, at, n);

      if (written < 0 && errno != EINTR)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IO, "standard output: %s",
                       g_strerror (errno));
          return FALSE;
        }
      at += MAX (written, 0);
      n -= (gsize) MAX (written, 0);
    }

  return TRUE;
}

/* A client that is gone does not want the rest of a long inference. */
static gpointer
watch_client (gpointer data)
{
  struct pollfd output = { .fd = STDOUT_FILENO };

  while (poll (&output, 1, -1) < 0 && errno == EINTR)
    ;
  g_cancellable_cancel (data);

  return NULL;
}

static int
serve (void)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const AssayProgress progress = ASSAY_PROGRESS_INIT (NULL, NULL, cancellable);
  const AssayFrameChannel channel = { read_input, write_output, NULL };
  g_autoptr (GError) error = NULL;

  const AssayConfinement confinement = { 0 };
  GThread *thread;

  assay_process_begin ();
  assay_process_end_on_limits (3);
  if (!assay_confine (&confinement, &error))
    {
      fprintf (stderr, "assay-board: %s\n", error->message);
      return 1;
    }
  thread = g_thread_try_new ("client", watch_client, g_object_ref (cancellable), &error);
  if (thread == NULL)
    {
      fprintf (stderr, "assay-board: %s\n", error->message);
      return 1;
    }
  g_thread_unref (thread);

  if (assay_board_agent_serve (&channel, &progress, &error))
    return 0;

  fprintf (stderr, "assay-board: %s\n", error->message);
  return 1;
}

/* For a board without sha256sum. */
static int
print_digest (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *digest = NULL;
  char *contents;
  gsize length;

  if (!assay_file_read ("/proc/self/exe", ASSAY_FILE_READ_DATA, &contents, &length, &error))
    {
      fprintf (stderr, "assay-board: %s\n", error->message);
      return 1;
    }
  digest = g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) contents, length);
  g_free (contents);
  puts (digest);

  return 0;
}

int
main (int argc, char **argv)
{
  if (argc == 2 && strcmp (argv[1], "--stdio") == 0)
    return serve ();

  if (argc == 2 && strcmp (argv[1], "--version") == 0)
    {
      puts ("assay-board " ASSAY_VERSION);
      return 0;
    }

  if (argc == 2 && strcmp (argv[1], "--digest") == 0)
    return print_digest ();

  fputs (help, argc == 2 && strcmp (argv[1], "--help") == 0 ? stdout : stderr);
  return argc == 2 && strcmp (argv[1], "--help") == 0 ? 0 : 2;
}
