/* assay-limits.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What happens where a limit of the system leaves no memory, threads or pipes: words, a status, and
 * nothing left behind.
 */
/* Its inline functions have the names of those below. */
#undef _FORTIFY_SOURCE
#include "process/assay-process.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "process/assay-temporary.h"

/* Less than this, and not even an error can be put in words. */
#define LEAST_MEMORY ((gsize) 16 << 20)
/* Kept for the end, which has folders to delete; and what is tried to tell whether there is any.
 * The C library takes a megabyte at once, and a few pages more than that. */
#define RESERVE ((gsize) 2 << 20)
#define PROBE ((gsize) 2 << 20)

/* What most messages fit in. */
#define SHORT_MESSAGE 256

static struct
{
  gpointer reserve;
  int status;
  int ended;
} at_limit;

/* Set in the thread that ends the process. */
static _Thread_local gboolean ending;

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

static G_NORETURN void
end_at_limit (const char *what)
{
  /* The reserve was not enough either. */
  if (ending)
    _exit (at_limit.status);
  /* Another thread says it. */
  if (!g_atomic_int_compare_and_exchange (&at_limit.ended, FALSE, TRUE))
    {
      for (;;)
        pause ();
    }
  ending = TRUE;
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
  gpointer room = map_memory (PROBE);

  if (room == MAP_FAILED)
    end_at_limit ("there is no memory left");
  signal (SIGABRT, SIG_DFL);
}

/* GLib gives up where memory, threads or pipes are not to be had, and would end the program with a
 * signal. */
static void
give_up (const char *domain, GLogLevelFlags level, const char *message, gpointer data)
{
  const char *what = strstr (message, "failed to ");

  end_at_limit (what != NULL ? what : message);
}

#ifdef __GLIBC__

/* GLib formats with these two, also what it says of memory that is not there. Where there is none
 * for that sentence it says so in another one, for ever, until the stack has an end: its handlers
 * get a sentence only when it is whole. So it is heard here. */
int __vasprintf_chk (char **text, int flag, const char *format, va_list arguments)
    G_GNUC_PRINTF (3, 0);

int
vasprintf (char **text, const char *format, va_list arguments)
{
  char begin[SHORT_MESSAGE];
  va_list again;
  int length;

  va_copy (again, arguments);
  length = vsnprintf (begin, sizeof begin, format, arguments);
  *text = length >= 0 ? malloc ((size_t) length + 1) : NULL;
  if (*text == NULL && length >= 0)
    {
      if (at_limit.status != 0)
        end_at_limit ("there is no memory left");
      errno = ENOMEM;
      length = -1;
    }
  else if (length >= SHORT_MESSAGE)
    vsnprintf (*text, (size_t) length + 1, format, again);
  else if (length >= 0)
    memcpy (*text, begin, (size_t) length + 1);
  va_end (again);

  return length;
}

int
__vasprintf_chk (char **text, int flag, const char *format, va_list arguments)
{
  return vasprintf (text, format, arguments);
}

#endif

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
      say ("assay: a limit of this system leaves less than 16 MiB of memory\n");
      _exit (status);
    }
  munmap (room, LEAST_MEMORY);
}
