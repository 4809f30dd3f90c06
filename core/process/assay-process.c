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

/* Less than this, with the stacks of two threads, and not even an error can be put in words. */
#define LEAST_MEMORY ((gsize) 32 << 20)
/* Kept for the end, which has folders to delete; and what is tried to tell whether there is any. */
#define RESERVE ((gsize) 1 << 20)
#define PROBE ((gsize) 256 << 10)

static struct
{
  gpointer reserve;
  int status;
} at_limit;

static void
say (const char *text)
{
  if (write (STDERR_FILENO, text, strlen (text)) < 0)
    return;
}

static gpointer
map_memory (gsize size)
{
  return mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void
end_at_limit (const char *what)
{
  munmap (at_limit.reserve, RESERVE);
  say ("assay: a limit of this system: ");
  say (what);
  say ("\n");
  assay_temporary_end ();
  _exit (at_limit.status);
}

/* Where GLib takes memory for its slices and locks it aborts without a word to us. What aborts
 * while there is memory has another reason and goes on to do so. */
static void
abort_without_memory (int number)
{
  signal (SIGABRT, SIG_DFL);
  if (map_memory (PROBE) == MAP_FAILED)
    end_at_limit ("there is no memory left");
}

/* GLib gives up where memory, threads or pipes are not to be had, and would end the program with a
 * signal. */
static void
give_up (const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
  const char *what = strstr (message, "failed to ");

  end_at_limit (what != NULL ? what : message);
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

  at_limit.status = status;
  at_limit.reserve = map_memory (RESERVE);
  g_log_set_handler ("GLib", G_LOG_LEVEL_ERROR | G_LOG_FLAG_FATAL | G_LOG_FLAG_RECURSION, give_up,
                     NULL);
  g_log_set_handler ("GLib-GIO", G_LOG_LEVEL_ERROR | G_LOG_FLAG_FATAL | G_LOG_FLAG_RECURSION,
                     give_up, NULL);
  signal (SIGABRT, abort_without_memory);

  room = map_memory (LEAST_MEMORY);
  if (room == MAP_FAILED)
    {
      say ("assay: a limit of this system leaves less than 32 MiB of memory\n");
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
