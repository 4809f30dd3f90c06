/* assay-process.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "process/assay-process.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "process/assay-temporary.h"

/* OpenBLAS starts no threads of its own: ours call it. ONNX Runtime tells nobody what it does. */
static const char *const environment[][2] = {
  { "OPENBLAS_NUM_THREADS", "1" },
  { "ORT_DISABLE_TELEMETRY", "1" },
};

/* Less than this, and not even an error can be put in words. */
#define LEAST_MEMORY ((gsize) 16 << 20)

static void
say (const char *text)
{
  if (write (STDERR_FILENO, text, strlen (text)) < 0)
    return;
}

/* GLib gives up where memory, threads or pipes are not to be had, and would end the program with a
 * signal. */
static void
give_up (const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
  const char *what = strstr (message, "failed to ");

  say ("assay: a limit of this system: ");
  say (what != NULL ? what : message);
  say ("\n");
  assay_temporary_end ();
  _exit (GPOINTER_TO_INT (data));
}

/**
 * assay_process_end_on_limits:
 * @status: exit code
 *
 * Ends this process in words and with nothing left behind where GLib can do no more, as there is no
 * memory left. For programs that hold nothing of the user that is not in a file.
 */
void
assay_process_end_on_limits (int status)
{
  gpointer room;

  g_log_set_handler ("GLib", G_LOG_LEVEL_ERROR | G_LOG_FLAG_FATAL | G_LOG_FLAG_RECURSION, give_up,
                     GINT_TO_POINTER (status));
  g_log_set_handler ("GLib-GIO", G_LOG_LEVEL_ERROR | G_LOG_FLAG_FATAL | G_LOG_FLAG_RECURSION,
                     give_up, GINT_TO_POINTER (status));

  room = mmap (NULL, LEAST_MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED)
    {
      say ("assay: a limit of this system leaves less than 16 MiB of memory\n");
      _exit (status);
    }
  munmap (room, LEAST_MEMORY);
}

/**
 * assay_process_begin:
 *
 * The first thing that a program of ours does, while it has one thread: says what libraries that
 * are loaded later, and children, are to leave alone. A standard stream that is closed is opened on
 * nothing, so that no file takes its place, and a file that gets too large is an error.
 */
void
assay_process_begin (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (environment); i++)
    g_setenv (environment[i][0], environment[i][1], TRUE);
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    {
      if (fcntl (fd, F_GETFD) < 0 && open ("/dev/null", O_RDWR) < 0)
        break;
    }
  signal (SIGXFSZ, SIG_IGN);
}
