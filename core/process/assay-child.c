/* assay-child.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "process/assay-child.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/assay-error.h"
#include "base/assay-sentence.h"
#include "process/assay-starved.h"
#include "process/assay-temporary.h"

/* How much of standard error is kept, and how long a child may take to end once its input is
 * closed; one whose output has ended is on its way, which takes long on a machine that is busy. */
#define STDERR_KEPT (64 * 1024)
#define GRACE (G_USEC_PER_SEC * 3 / 2)
#define GRACE_ON_ITS_WAY (G_USEC_PER_SEC * 8)
/* How long one that is killed is waited for: the kernel lets none go that waits for a disk. */
#define GRACE_KILLED (G_USEC_PER_SEC * 10)
/* Reads at a time of what a child may say without end: more than a pipe holds. */
#define MOST_READS 32
/* What has come by the deadline is taken, who never stops sending is not listened to for ever. */
#define MOST_LATE 4096
/* How long one that waits for a processor is let wait until it is looked at again. */
#define LOOK (G_USEC_PER_SEC / 10)
/* How many times its time one may take on a machine that has too much to do. */
#define MOST_STARVED 8

struct _AssayChild
{
  char *name;
  GPid pid;
  int in;
  int out;
  int err;
  GString *text;
  gint64 deadline;       /* monotonic, 0 for none */
  gint64 limit;          /* what the deadline gave it, in microseconds */
  gint64 first_deadline; /* before what it waited for a processor moved it */
  gint64 looked;         /* when it was last asked what it had waited */
  AssayStarved starved;  /* by when the deadline was set; what it ran by when it was looked at */
  gint64 measured;       /* when that was, 0 for never */
  guint n_late;          /* times that there was something behind the deadline */
  gboolean was_late;
  gboolean on_its_way; /* its output has ended */
  gboolean ended;
  int wait_status;
};

/* What a child says of itself that may not begin, and its status. */
#define NOT_CONFINED "could not be confined\n"
#define STATUS_NOT_CONFINED 126

/* The number that a descriptor has that is given to a child, and the first that it has none of. */
#define GIVEN 3
#define FIRST_CLOSED 4

/* Says to a child that it is one. What it starts stays in its group, or would outlive it: whoever
 * kills the group knows no other. */
#define IS_CHILD "ASSAY_CHILD"

/**
 * assay_child_is_one:
 *
 * Tells whether this process is a child of a program of ours, and in its group.
 *
 * Returns: whether it is
 */
gboolean
assay_child_is_one (void)
{
  return g_getenv (IS_CHILD) != NULL;
}

static gboolean
gives_groups (void)
{
  return !assay_child_is_one ();
}

/* Signals that this process may handle or ignore, and a child does not. */
static const int defaults[] = { SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ };

/* The work of the child between fork and exec. */
typedef struct
{
  const AssayConfinement *confinement; /* nullable */
  const AssayCallFilter *filter;
} Prepared;

/* In the child, between fork and exec: a session of its own, so that all of it can be killed and
 * has no terminal to type into, and no signal blocked or ignored. */
static void
prepare (gpointer data)
{
  const Prepared *prepared = data;
  sigset_t none;

  if (gives_groups ())
    setsid ();
  sigemptyset (&none);
  sigprocmask (SIG_SETMASK, &none, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (defaults); i++)
    signal (defaults[i], SIG_DFL);

  if (prepared->confinement != NULL && !assay_confine_now (prepared->confinement, prepared->filter))
    _exit (write (STDERR_FILENO, NOT_CONFINED, strlen (NOT_CONFINED)) < 0 ? STATUS_NOT_CONFINED + 1
                                                                          : STATUS_NOT_CONFINED);
}

static void
close_fd (int *fd)
{
  if (*fd >= 0)
    close (*fd);
  *fd = -1;
}

/* Three pipes, those ends that the child takes first; none of them has the number of one that it
 * is to have there. */
static gboolean
open_pipes (int theirs[3], int ours[3])
{
  for (guint i = 0; i < 3; i++)
    {
      int ends[2], moved;

      if (pipe2 (ends, O_CLOEXEC) < 0)
        return FALSE;
      moved = fcntl (ends[i == 0 ? 0 : 1], F_DUPFD_CLOEXEC, FIRST_CLOSED);
      close (ends[i == 0 ? 0 : 1]);
      theirs[i] = moved;
      ours[i] = ends[i == 0 ? 1 : 0];
      if (moved < 0)
        return FALSE;
    }

  return TRUE;
}

/* Starts it without a copy of this process, which takes long where that has much memory, and needs
 * as much again where the system promises none that it has not. What fails here is left to GLib,
 * which knows scripts without a first line and words for what is wrong. */
static gboolean
start_without_copy (AssayChild *self, const char *const *argv, char **environment, int fd)
{
  const short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  int theirs[3] = { -1, -1, -1 }, ours[3] = { -1, -1, -1 };
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none, handled;
  gboolean started;

  sigemptyset (&none);
  sigemptyset (&handled);
  for (guint i = 0; i < G_N_ELEMENTS (defaults); i++)
    sigaddset (&handled, defaults[i]);
  posix_spawnattr_init (&attributes);
  posix_spawnattr_setflags (&attributes, gives_groups () ? flags | POSIX_SPAWN_SETSID : flags);
  posix_spawnattr_setsigmask (&attributes, &none);
  posix_spawnattr_setsigdefault (&attributes, &handled);
  posix_spawn_file_actions_init (&actions);

  started = open_pipes (theirs, ours) &&
            (fd < 0 || posix_spawn_file_actions_adddup2 (&actions, fd, GIVEN) == 0);
  for (int i = 0; started && i < 3; i++)
    started = posix_spawn_file_actions_adddup2 (&actions, theirs[i], i) == 0;
  started = started &&
            posix_spawn_file_actions_addclosefrom_np (&actions, fd < 0 ? GIVEN : FIRST_CLOSED) ==
                0 &&
            posix_spawnp (&self->pid, argv[0], &actions, &attributes, (char *const *) argv,
                          environment) == 0;

  posix_spawn_file_actions_destroy (&actions);
  posix_spawnattr_destroy (&attributes);
  for (guint i = 0; i < 3; i++)
    {
      close_fd (&theirs[i]);
      if (!started)
        close_fd (&ours[i]);
    }
  self->in = ours[0];
  self->out = ours[1];
  self->err = ours[2];

  return started;
}

/* Temporary files go where they may be. */
static char **
dup_environment (const AssayConfinement *confinement)
{
  char **environment = g_get_environ ();

  if (confinement != NULL && confinement->writable != NULL)
    environment = g_environ_setenv (environment, "TMPDIR", confinement->writable, TRUE);

  return g_environ_setenv (environment, IS_CHILD, "1", TRUE);
}

static AssayChild *
start (const char *const *argv, const AssayConfinement *confinement, int fd, GError **error)
{
  const int target = GIVEN;
  g_auto (GStrv) environment = dup_environment (confinement);
  g_autoptr (AssayChild) self = g_new0 (AssayChild, 1);
  g_autoptr (AssayCallFilter) filter = NULL;
  g_autoptr (GError) cause = NULL;
  Prepared prepared = { confinement, NULL };

  self->in = self->out = self->err = -1;
  self->ended = TRUE;
  self->name = g_strdup (argv[0]);
  self->text = g_string_new (NULL);
  if (confinement != NULL)
    {
      prepared.filter = filter = assay_confine_filter_new (confinement, error);
      if (filter == NULL)
        return NULL;
    }

  if ((confinement != NULL || !start_without_copy (self, argv, environment, fd)) &&
      !g_spawn_async_with_pipes_and_fds (NULL, argv, (const char *const *) environment,
                                         G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_SEARCH_PATH, prepare,
                                         &prepared, -1, -1, -1, &fd, &target, fd >= 0 ? 1 : 0,
                                         &self->pid, &self->in, &self->out, &self->err, &cause))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "%s: could not be started: %s", argv[0],
                   cause->message);
      return NULL;
    }

  self->ended = FALSE;
  assay_temporary_add_group (self->pid);
  g_unix_set_fd_nonblocking (self->in, TRUE, NULL);
  g_unix_set_fd_nonblocking (self->out, TRUE, NULL);
  g_unix_set_fd_nonblocking (self->err, TRUE, NULL);

  return g_steal_pointer (&self);
}

/**
 * assay_child_new:
 * @argv: (array zero-terminated=1): the program, looked for on the path, and its arguments
 * @error: return location for a #GError
 *
 * Starts a child process.
 *
 * Returns: (transfer full) (nullable): the child, or %NULL with %ASSAY_ERROR_DEVICE if it could not
 * be started
 */
AssayChild *
assay_child_new (const char *const *argv, GError **error)
{
  return start (argv, NULL, -1, error);
}

/**
 * assay_child_new_with_fd:
 * @argv: (array zero-terminated=1): the program, looked for on the path, and its arguments
 * @fd: a file descriptor that the child has as number 3
 * @error: return location for a #GError
 *
 * Starts a child process that shares a file or memory with this one.
 *
 * Returns: (transfer full) (nullable): the child, or %NULL with %ASSAY_ERROR_DEVICE if it could not
 * be started
 */
AssayChild *
assay_child_new_with_fd (const char *const *argv, int fd, GError **error)
{
  return start (argv, NULL, fd, error);
}

/**
 * assay_child_new_confined:
 * @argv: (array zero-terminated=1): the program, looked for on the path, and its arguments
 * @confinement: (nullable): what it is left with, %NULL for all that this process has
 * @error: return location for a #GError
 *
 * Starts a child process that has given up rights before its program begins.
 *
 * Returns: (transfer full) (nullable): the child, or %NULL with %ASSAY_ERROR_DEVICE if it could not
 * be started
 */
AssayChild *
assay_child_new_confined (const char *const *argv, const AssayConfinement *confinement,
                          GError **error)
{
  return start (argv, confinement, -1, error);
}

/* Takes what there is on standard error; what is too much goes from the front. */
static void
drain_stderr (AssayChild *self)
{
  char buffer[4096];
  gssize n = 1;

  for (guint i = 0; self->err >= 0 && i < MOST_READS && n > 0; i++)
    {
      n = read (self->err, buffer, sizeof buffer);
      if (n <= 0)
        break;
      g_string_append_len (self->text, buffer, n);
      if (self->text->len > 2 * STDERR_KEPT)
        g_string_erase (self->text, 0, (gssize) (self->text->len - STDERR_KEPT));
    }
  if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
    close_fd (&self->err);
}

static void
limit_time (AssayChild *self, gint64 limit)
{
  self->limit = limit;
  self->n_late = 0;
  self->looked = g_get_monotonic_time ();
  self->deadline = self->first_deadline = self->looked + limit;
  /* It takes longer than a short answer: who asks often is measured from a little before. */
  if (self->measured != 0 && self->looked - self->measured < MIN (limit / 8, G_USEC_PER_SEC))
    return;
  self->starved = assay_starved (self->pid);
  self->measured = self->looked;
}

/* Whether the deadline comes later, because the child could not run. The limit is on the child: on
 * a machine that has too much to do it would be one on that. */
static gboolean
move_deadline (AssayChild *self)
{
  gint64 now = g_get_monotonic_time ();
  AssayStarved starved = assay_starved (self->pid);
  gint64 due = self->first_deadline + starved.waited - self->starved.waited;
  gboolean has_run = starved.ran > self->starved.ran && now - self->looked < 2 * LOOK;

  self->looked = now;
  self->starved.ran = starved.ran;
  /* One that waits now has told of nothing yet; if it ran meanwhile, it has told of that before. */
  if (due < now + LOOK && starved.is_ready && !has_run)
    due = now + LOOK;
  due = MIN (due, self->first_deadline + (MOST_STARVED - 1) * self->limit);
  self->deadline = MAX (self->deadline, due);

  return self->deadline > now;
}

/* Looking costs more than reading: who goes on sending is looked at now and then. */
static gboolean
is_late (AssayChild *self, gboolean is_ready)
{
  gint64 now = g_get_monotonic_time ();

  if (self->deadline == 0 || now < self->deadline)
    return FALSE;
  if ((!is_ready || now - self->looked >= LOOK) && move_deadline (self))
    return FALSE;

  return !is_ready || self->n_late++ >= MOST_LATE;
}

/* Waits until a file descriptor is ready, standard error being read meanwhile. */
static gboolean
wait_ready (AssayChild *self, int fd, short events, const AssayProgress *progress, GError **error)
{
  GCancellable *cancellable = progress != NULL ? progress->cancellable : NULL;
  GPollFD cancelled = { .fd = -1 };
  gboolean ready = FALSE;

  if (cancellable != NULL && !g_cancellable_make_pollfd (cancellable, &cancelled))
    cancellable = NULL;

  while (!ready && assay_progress_check (progress, error))
    {
      gint64 left = self->deadline == 0
                        ? -1
                        : MAX (0, (self->deadline - g_get_monotonic_time ()) / 1000);
      struct pollfd fds[] = {
        { .fd = fd, .events = events },
        { .fd = self->err, .events = POLLIN },
        { .fd = cancelled.fd, .events = POLLIN },
      };
      int n = poll (fds, G_N_ELEMENTS (fds), (int) MIN (left, 3600 * 1000));

      if (n < 0 && errno != EINTR)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "%s: %s", self->name,
                       g_strerror (errno));
          break;
        }
      if (is_late (self, n > 0 && fds[0].revents != 0))
        {
          self->was_late = TRUE;
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE,
                       "%s: no answer in %" G_GINT64_FORMAT " s", self->name,
                       self->limit / G_USEC_PER_SEC);
          break;
        }
      if (n > 0 && fds[1].revents != 0)
        drain_stderr (self);
      ready = n > 0 && fds[0].revents != 0;
    }

  if (cancellable != NULL)
    g_cancellable_release_fd (cancellable);

  return ready;
}

/* A write to a child that is gone must give an error, not a signal; nobody else's signal is
 * touched. */
static gssize
write_quietly (int fd, gconstpointer data, gsize n)
{
  const struct timespec now = { 0 };
  sigset_t pipe_set, old, pending;
  gboolean was_pending;
  gssize written;
  int code;

  sigemptyset (&pipe_set);
  sigaddset (&pipe_set, SIGPIPE);
  sigpending (&pending);
  was_pending = sigismember (&pending, SIGPIPE) == 1;
  pthread_sigmask (SIG_BLOCK, &pipe_set, &old);

  written = write (fd, data, n);
  code = errno;
  if (written < 0 && code == EPIPE && !was_pending)
    sigtimedwait (&pipe_set, NULL, &now);

  pthread_sigmask (SIG_SETMASK, &old, NULL);
  errno = code;

  return written;
}

/**
 * assay_child_write:
 * @self: a child
 * @data: (array length=n): bytes for its standard input
 * @n: how many
 * @progress: (nullable): cancel
 * @error: return location for a #GError
 *
 * Writes all of it.
 *
 * Returns: whether the child took it
 */
gboolean
assay_child_write (AssayChild *self, gconstpointer data, gsize n, const AssayProgress *progress,
                   GError **error)
{
  const char *at = data;

  while (n > 0)
    {
      gssize written;

      if (self->in < 0)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "%s: has ended", self->name);
          return FALSE;
        }
      if (!wait_ready (self, self->in, POLLOUT, progress, error))
        return FALSE;
      written = write_quietly (self->in, at, n);
      if (written < 0 && errno != EAGAIN && errno != EINTR)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "%s: has stopped reading",
                       self->name);
          return FALSE;
        }
      at += MAX (written, 0);
      n -= (gsize) MAX (written, 0);
    }

  return TRUE;
}

/**
 * assay_child_read:
 * @self: a child
 * @data: (array length=n): where to put bytes of its standard output
 * @n: how many are wanted
 * @n_read: (out) (optional): how many there were before the end of the output; without it that end
 * is an error
 * @progress: (nullable): cancel
 * @error: return location for a #GError
 *
 * Reads until there are as many bytes as wanted.
 *
 * Returns: whether reading went well
 */
gboolean
assay_child_read (AssayChild *self, gpointer data, gsize n, gsize *n_read,
                  const AssayProgress *progress, GError **error)
{
  gsize have = 0;

  while (have < n)
    {
      gssize got;

      if (!wait_ready (self, self->out, POLLIN, progress, error))
        return FALSE;
      got = read (self->out, (char *) data + have, n - have);
      if (got == 0)
        {
          self->on_its_way = TRUE;
          break;
        }
      if (got < 0 && errno != EAGAIN && errno != EINTR)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "%s: %s", self->name,
                       g_strerror (errno));
          return FALSE;
        }
      have += (gsize) MAX (got, 0);
    }

  if (n_read != NULL)
    *n_read = have;
  else if (have < n)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "%s: ended its output too early",
                 self->name);

  return have == n || n_read != NULL;
}

/**
 * assay_child_read_line:
 * @self: a child
 * @longest: most bytes that are taken for a line
 * @progress: (nullable): cancel
 * @error: return location for a #GError
 *
 * Reads a line of its standard output.
 *
 * Returns: (transfer full) (nullable): the line without its end, or %NULL
 */
char *
assay_child_read_line (AssayChild *self, gsize longest, const AssayProgress *progress,
                       GError **error)
{
  g_autoptr (GString) line = g_string_new (NULL);

  while (line->len < longest)
    {
      char c;

      /* A byte at a time: what follows the line belongs to somebody else. */
      if (!assay_child_read (self, &c, 1, NULL, progress, error))
        return NULL;
      if (c == '\n')
        return g_string_free (g_steal_pointer (&line), FALSE);
      g_string_append_c (line, c);
    }

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE,
               "%s: answered with a line of over %" G_GSIZE_FORMAT " byte%s", self->name, longest,
               assay_plural (longest));

  return NULL;
}

static gboolean
reap (AssayChild *self)
{
  siginfo_t info = { 0 };

  if (self->ended || waitid (P_PID, (id_t) self->pid, &info, WEXITED | WNOWAIT | WNOHANG) != 0 ||
      info.si_pid != self->pid)
    return self->ended;

  /* Its number is not somebody else's before it is waited for. */
  assay_temporary_kill_group (self->pid);
  assay_temporary_remove_group (self->pid);
  self->ended = waitpid (self->pid, &self->wait_status, 0) == self->pid;

  return self->ended;
}

/**
 * assay_child_is_running:
 * @self: a child
 *
 * Tells whether it has not ended yet.
 *
 * Returns: whether it runs
 */
gboolean
assay_child_is_running (AssayChild *self)
{
  return !reap (self);
}

/* One that is not let go in time is left to the kernel. */
static void
kill_now (AssayChild *self)
{
  gint64 until = g_get_monotonic_time () + GRACE_KILLED;

  assay_temporary_kill_group (self->pid);
  for (gulong pause = 100; !reap (self) && g_get_monotonic_time () < until;
       pause = MIN (2 * pause, 10000))
    g_usleep (pause);
  if (!self->ended)
    self->wait_status = SIGKILL;
  self->ended = TRUE;
}

/**
 * assay_child_end:
 * @self: a child
 * @wait_status: (out) (optional): how it ended, as waitpid() tells it
 *
 * Closes its standard input, waits a moment for it to end, and kills it if it does not.
 *
 * Returns: whether it ended by itself
 */
gboolean
assay_child_end (AssayChild *self, int *wait_status)
{
  gboolean by_itself = TRUE;

  close_fd (&self->in);
  if (!reap (self))
    limit_time (self, self->on_its_way ? GRACE_ON_ITS_WAY : GRACE);
  while (!reap (self) && (g_get_monotonic_time () < self->deadline || move_deadline (self)))
    {
      struct pollfd fds[] = { { .fd = self->err, .events = POLLIN } };

      if (poll (fds, 1, 10) > 0)
        drain_stderr (self);
    }
  if (!self->ended)
    {
      by_itself = FALSE;
      kill_now (self);
    }
  if (self->err >= 0)
    drain_stderr (self);
  if (wait_status != NULL)
    *wait_status = self->wait_status;

  return by_itself;
}

void
assay_child_free (AssayChild *self)
{
  if (self == NULL)
    return;

  if (self->pid != 0)
    {
      if (!self->ended)
        kill_now (self);
      g_spawn_close_pid (self->pid);
    }
  close_fd (&self->in);
  close_fd (&self->out);
  close_fd (&self->err);
  g_string_free (self->text, TRUE);
  g_free (self->name);
  g_free (self);
}

/**
 * assay_child_set_deadline:
 * @self: a child
 * @seconds: from now on, 0 for no deadline
 *
 * Says how long reading and writing may take together; what takes longer fails with
 * %ASSAY_ERROR_DEVICE. Time in which the machine had no processor for the child does not count,
 * until it has taken eight times that long.
 */
void
assay_child_set_deadline (AssayChild *self, gint64 seconds)
{
  if (seconds == 0)
    self->deadline = 0;
  else
    limit_time (self, seconds * G_USEC_PER_SEC);
}

/**
 * assay_child_was_late:
 * @self: a child
 *
 * Tells whether it was given up because of its deadline.
 *
 * Returns: whether it was
 */
gboolean
assay_child_was_late (const AssayChild *self)
{
  return self->was_late;
}

/**
 * assay_child_dup_stderr:
 * @self: a child
 *
 * Gets what it said on standard error so far, without control characters.
 *
 * Returns: (transfer full): the text, maybe empty
 */
char *
assay_child_dup_stderr (AssayChild *self)
{
  char *text;

  drain_stderr (self);
  text = g_utf8_make_valid (self->text->str, (gssize) strlen (self->text->str));
  for (char *c = text; *c != '\0'; c++)
    {
      if (g_ascii_iscntrl (*c) && *c != '\n')
        *c = ' ';
    }

  return g_strchomp (text);
}

/**
 * assay_child_dup_ending:
 * @self: a child that has ended
 *
 * Tells how it ended and the last line that it said, for a message.
 *
 * Returns: (transfer full): such as `exit status 3: no such device`
 */
char *
assay_child_dup_ending (AssayChild *self)
{
  g_autofree char *said = assay_child_dup_stderr (self);
  const char *last = strrchr (said, '\n');
  GString *text = g_string_new (NULL);

  if (WIFSIGNALED (self->wait_status))
    g_string_printf (text, "killed by signal %d", WTERMSIG (self->wait_status));
  else
    g_string_printf (text, "exit status %d", WEXITSTATUS (self->wait_status));
  if (*said != '\0')
    g_string_append_printf (text, ": %s", last != NULL ? last + 1 : said);

  return g_string_free (text, FALSE);
}
