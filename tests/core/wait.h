/* wait.h
 * SPDX-License-Identifier: Apache-2.0
 *
 * The one way in which tests wait: for a condition, never for a time.
 */
#pragma once

#include <gio/gio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WAIT_US (60 * G_TIME_SPAN_SECOND)

/* Lets the main loop turn until the condition holds; one that never does fails the test. */
#define wait_until(condition)                                                                      \
  G_STMT_START                                                                                     \
  {                                                                                                \
    gint64 wait_end_ = g_get_monotonic_time () + WAIT_US;                                          \
                                                                                                   \
    while (!(condition))                                                                           \
      wait_turn (wait_end_, #condition, G_STRLOC);                                                 \
  }                                                                                                \
  G_STMT_END

/* Never blocks, so that the deadline is seen even if nothing comes any more. Threads leave the main
 * loop alone. */
static inline void
wait_turn (gint64 deadline, const char *awaited, const char *place)
{
  if (gettid () != getpid () || !g_main_context_iteration (NULL, FALSE))
    g_usleep (500);
  if (g_get_monotonic_time () > deadline)
    g_error ("%s: waited in vain for %s", place, awaited);
}

static inline gboolean
wait_idle_cb (gpointer data)
{
  *(gboolean *) data = TRUE;
  return G_SOURCE_REMOVE;
}

/* Until the main loop has nothing left to do. */
static inline void
wait_idle (void)
{
  gboolean idle = FALSE;

  g_idle_add_full (G_PRIORITY_LOW + 10, wait_idle_cb, &idle, NULL);
  wait_until (idle);
}

/* Whether every other thread of this process waits for something. */
static inline gboolean
wait_threads_rest (void)
{
  g_autoptr (GDir) tasks = g_dir_open ("/proc/self/task", 0, NULL);
  gboolean rest = TRUE;
  const char *name;

  g_assert_nonnull (tasks);
  while (rest && (name = g_dir_read_name (tasks)) != NULL)
    {
      g_autofree char *path = g_build_filename ("/proc/self/task", name, "stat", NULL);
      g_autofree char *stat = NULL;

      if (strtol (name, NULL, 10) != gettid () && g_file_get_contents (path, &stat, NULL, NULL))
        rest = strstr (stat, ") S ") != NULL;
    }

  return rest;
}

/* Until what was begun in threads has ended, and what came of it has arrived: for tests that
 * something does not happen. */
static inline void
wait_rest (void)
{
  for (guint i = 0; i < 3; i++)
    {
      wait_until (wait_threads_rest ());
      wait_idle ();
    }
}

/* Processor time of the whole process. */
static inline gint64
wait_work (void)
{
  struct timespec time;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &time);
  return (gint64) time.tv_sec * G_USEC_PER_SEC + time.tv_nsec / 1000;
}

typedef struct
{
  GCancellable *cancellable;
  const char *path;
} CancelAtFile;

/* A thread that cancels once somebody has written a line. */
static inline gpointer
cancel_at_file (gpointer data)
{
  const CancelAtFile *what = data;
  g_autofree char *text = NULL;

  wait_until ((g_free (text), text = NULL, g_file_get_contents (what->path, &text, NULL, NULL)) &&
              strchr (text, '\n') != NULL);
  g_cancellable_cancel (what->cancellable);

  return NULL;
}

/* A thread that cancels what the others are in the middle of: they have worked for a while then,
 * however slow the machine. */
static inline gpointer
cancel_amid (gpointer cancellable)
{
  gint64 begin = wait_work ();

  wait_until (wait_work () > begin + 5 * G_TIME_SPAN_MILLISECOND);
  g_cancellable_cancel (cancellable);

  return NULL;
}
