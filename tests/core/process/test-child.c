/* test-child.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/assay-error.h"
#include "process/assay-child.h"

#include "folder.h"
#include "test-program.h"

/* A call that fails the next times, and how. */
typedef enum
{
  CALL_NONE,
  CALL_POLL,
  CALL_READ,
  CALL_WRITE
} Call;

static struct
{
  Call call;
  int code;
  guint n;
} fault;

static gboolean
fails (Call call)
{
  if (fault.call != call || fault.n == 0)
    return FALSE;

  fault.n--;
  errno = fault.code;
  return TRUE;
}

int __real_poll (struct pollfd *fds, nfds_t n, int timeout);
int __wrap_poll (struct pollfd *fds, nfds_t n, int timeout);
ssize_t __real_read (int fd, void *data, size_t n);
ssize_t __wrap_read (int fd, void *data, size_t n);
ssize_t __real_write (int fd, const void *data, size_t n);
ssize_t __wrap_write (int fd, const void *data, size_t n);

int
__wrap_poll (struct pollfd *fds, nfds_t n, int timeout)
{
  return fails (CALL_POLL) ? -1 : __real_poll (fds, n, timeout);
}

ssize_t
__wrap_read (int fd, void *data, size_t n)
{
  struct stat about;

  /* What is read of a child comes through a pipe; what the kernel tells of it does not. */
  if (fstat (fd, &about) == 0 && S_ISFIFO (about.st_mode) && fails (CALL_READ))
    return -1;

  return __real_read (fd, data, n);
}

ssize_t
__wrap_write (int fd, const void *data, size_t n)
{
  return fails (CALL_WRITE) ? -1 : __real_write (fd, data, n);
}

static AssayChild *
start (const char *script)
{
  const char *const argv[] = { "sh", "-c", script, NULL };
  g_autoptr (GError) error = NULL;
  AssayChild *child = assay_child_new (argv, &error);

  g_assert_no_error (error);

  return child;
}

static void
assert_message (GError *error, int code, const char *pattern)
{
  g_assert_error (error, ASSAY_ERROR, code);
  if (!g_pattern_match_simple (pattern, error->message))
    g_error ("“%s”, expected “%s”", error->message, pattern);
}

/* How a child ends, what it has said, and whether that was by itself. */
static void
test_endings (void)
{
  static const struct
  {
    const char *script;
    const char *ending;
    gboolean by_itself;
  } cases[] = {
    { "exit 0", "exit status 0", TRUE },
    { "echo one >&2; echo two >&2; exit 3", "exit status 3: two", TRUE },
    { "printf '\\033[2Jgone\\tby' >&2; exit 1", "exit status 1:  [2Jgone by", TRUE },
    { "kill -TERM $$", "killed by signal 15", TRUE },
    { "cat; exit 4", "exit status 4", TRUE },
    { "trap '' TERM INT; sleep 100 & while :; do sleep 100; done", "killed by signal 9", FALSE },
    { "yes >&2", "killed by signal 9: y", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      AssayChild *child = start (cases[i].script);
      g_autofree char *ending = NULL;
      int wait_status = -1;

      g_assert_cmpint (assay_child_end (child, i % 2 == 0 ? &wait_status : NULL), ==,
                       cases[i].by_itself);
      g_assert_false (assay_child_is_running (child));
      ending = assay_child_dup_ending (child);
      g_assert_cmpstr (ending, ==, cases[i].ending);
      g_assert_cmpint (wait_status != -1, ==, i % 2 == 0);
      assay_child_free (child);
    }
  assay_child_free (NULL);
}

/* Who has closed its output is waited for longer: how it ends is what there is to tell. */
static void
test_on_its_way (void)
{
  AssayChild *child = start ("exec >&-; timeout 2.5 sleep 100; exit 7");
  g_autofree char *ending = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_null (assay_child_read_line (child, 80, NULL, &error));
  assert_message (error, ASSAY_ERROR_DEVICE, "*ended its output too early");
  g_assert_true (assay_child_end (child, NULL));
  ending = assay_child_dup_ending (child);
  g_assert_cmpstr (ending, ==, "exit status 7");
  assay_child_free (child);
}

/* What is said on standard error is kept from its end, and has no other control characters. */
static void
test_errors (void)
{
  AssayChild *child = start ("yes 'a line that is long' | head -c 400000 >&2; echo last >&2");
  g_autofree char *text = NULL;
  char rest;
  gsize n = 1;

  g_assert_true (assay_child_read (child, &rest, 1, &n, NULL, NULL));
  g_assert_cmpuint (n, ==, 0);
  assay_child_end (child, NULL);
  text = assay_child_dup_stderr (child);
  g_assert_true (g_str_has_suffix (text, "\nlast"));
  g_assert_cmpuint (strlen (text), >, 60000);
  g_assert_cmpuint (strlen (text), <, 200000);
  assay_child_free (child);
}

/* Conversations that do not go on: what is wrong, at once or when its time has come. */
static void
test_conversations (void)
{
  static const struct
  {
    const char *script;
    const char *line;    /* what comes first; NULL if there is none */
    const char *message; /* of what is asked then, two bytes; NULL if they come */
  } cases[] = {
    { "echo ready; printf ab", "ready", NULL },
    { "echo ready; printf a", "ready", "sh: ended its output too early" },
    { "printf ready", NULL, "sh: ended its output too early" },
    { "echo much too long a line", NULL, "sh: answered with a line of over 10 bytes" },
    { "sleep 100", NULL, "sh: no answer in 1 s" },
    { "echo ready; sleep 100", "ready", "sh: no answer in 1 s" },
    { "yes >&2 & sleep 100", NULL, "sh: no answer in 1 s" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      AssayChild *child = start (cases[i].script);
      g_autoptr (GError) error = NULL;
      g_autofree char *line = NULL;
      char two[2];

      assay_child_set_deadline (child, 1);
      line = assay_child_read_line (child, 10, NULL, &error);
      g_assert_cmpstr (line, ==, cases[i].line);
      if (line != NULL)
        g_assert_cmpint (assay_child_read (child, two, 2, NULL, NULL, &error), ==,
                         cases[i].message == NULL);
      if (cases[i].message != NULL)
        assert_message (error, ASSAY_ERROR_DEVICE, cases[i].message);
      assay_child_free (child);
    }
}

/* Who never stops sending is not listened to for ever; what was there in time is taken. */
static void
test_late (void)
{
  AssayChild *flood = start ("exec yes");
  AssayChild *early = start ("echo early; sleep 100");
  g_autoptr (GError) error = NULL;
  g_autofree char *line = NULL;
  char rest[256];

  assay_child_set_deadline (early, 1);
  assay_child_set_deadline (flood, 1);
  while (assay_child_read (flood, rest, sizeof rest, NULL, NULL, &error))
    ;
  assert_message (error, ASSAY_ERROR_DEVICE, "sh: no answer in 1 s");
  g_clear_error (&error);
  line = assay_child_read_line (early, 10, NULL, &error);
  g_assert_cmpstr (line, ==, "early");
  assay_child_free (flood);
  assay_child_free (early);
}

static void
test_writes (void)
{
  g_autofree char *much = g_strnfill (1 << 20, 'x');
  AssayChild *taking = start ("head -c 1048576 | wc -c; cat > /dev/null");
  AssayChild *deaf = start ("exec <&-; echo closed; sleep 100");
  AssayChild *slow = start ("sleep 100");
  g_autoptr (GError) error = NULL;
  g_autofree char *counted = NULL;
  g_autofree char *closed = NULL;

  g_assert_true (assay_child_write (taking, much, 1 << 20, NULL, &error));
  counted = assay_child_read_line (taking, 20, NULL, &error);
  g_assert_cmpstr (counted, ==, "1048576");
  g_assert_true (assay_child_end (taking, NULL));
  g_assert_false (assay_child_write (taking, much, 1, NULL, &error));
  assert_message (error, ASSAY_ERROR_DEVICE, "sh: has ended");
  g_clear_error (&error);

  closed = assay_child_read_line (deaf, 20, NULL, &error);
  g_assert_cmpstr (closed, ==, "closed");
  g_assert_false (assay_child_write (deaf, much, 1 << 20, NULL, &error));
  assert_message (error, ASSAY_ERROR_DEVICE, "sh: has stopped reading");
  g_clear_error (&error);

  assay_child_set_deadline (slow, 1);
  g_assert_false (assay_child_write (slow, much, 1 << 20, NULL, &error));
  assert_message (error, ASSAY_ERROR_DEVICE, "sh: no answer in 1 s");
  g_assert_true (assay_child_is_running (slow));
  assay_child_free (taking);
  assay_child_free (deaf);
  assay_child_free (slow);
}

/* Calls of the system that a signal interrupts are made again; what fails is told, and the child
 * can still be ended. */
static void
test_calls (void)
{
  static const struct
  {
    Call call;
    int code;
    guint n;
    const char *message; /* NULL if it goes on */
  } cases[] = {
    { CALL_POLL, EINTR, 3, NULL },
    { CALL_POLL, ENOMEM, 1, "sh: Cannot allocate memory" },
    { CALL_READ, EINTR, 3, NULL },
    { CALL_READ, EAGAIN, 3, NULL },
    { CALL_READ, EIO, 1, "sh: Input/output error" },
    { CALL_WRITE, EINTR, 3, NULL },
    { CALL_WRITE, EAGAIN, 3, NULL },
    { CALL_WRITE, EIO, 1, "sh: has stopped reading" },
    { CALL_WRITE, EPIPE, 1, "sh: has stopped reading" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      /* It stays: the end of its standard error would be read as well, and take the fault. */
      AssayChild *child = start ("read line; echo $line; read end; exit 4");
      g_autoptr (GError) error = NULL;
      g_autofree char *line = NULL;
      int wait_status = 0;

      fault.call = cases[i].call;
      fault.code = cases[i].code;
      fault.n = cases[i].n;
      if (assay_child_write (child, "there and back\n", 15, NULL, &error))
        line = assay_child_read_line (child, 80, NULL, &error);
      g_assert_cmpuint (fault.n, ==, 0);
      g_assert_cmpstr (line, ==, cases[i].message == NULL ? "there and back" : NULL);
      if (cases[i].message != NULL)
        assert_message (error, ASSAY_ERROR_DEVICE, cases[i].message);
      else
        g_assert_no_error (error);
      g_assert_true (assay_child_end (child, &wait_status));
      g_assert_cmpint (WEXITSTATUS (wait_status), ==, 4);
      assay_child_free (child);
    }
}

/* Standard error that cannot be read any more is done without. */
static void
test_errors_lost (void)
{
  static const int codes[] = { EIO, EINTR, EAGAIN };

  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      AssayChild *child = start ("echo said >&2; exit 5");
      g_autofree char *ending = NULL;
      int wait_status = 0;

      fault.call = CALL_READ;
      fault.code = codes[i];
      fault.n = 1;
      g_assert_true (assay_child_end (child, &wait_status));
      g_assert_cmpint (WEXITSTATUS (wait_status), ==, 5);
      ending = assay_child_dup_ending (child);
      g_assert_cmpstr (ending, ==, codes[i] == EIO ? "exit status 5" : "exit status 5: said");
      g_assert_cmpuint (fault.n, ==, 0);
      assay_child_free (child);
    }
}

static gpointer
cancel (gpointer data)
{
  g_cancellable_cancel (data);

  return NULL;
}

static void
test_cancelled (void)
{
  AssayChild *child = start ("sleep 100");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const AssayProgress progress = ASSAY_PROGRESS_INIT (NULL, NULL, cancellable);
  GThread *thread = g_thread_new ("cancel", cancel, cancellable);
  gint64 begin = g_get_monotonic_time ();
  g_autoptr (GError) error = NULL;

  assay_child_set_deadline (child, 0);
  g_assert_null (assay_child_read_line (child, 10, &progress, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED);
  g_assert_cmpint (g_get_monotonic_time () - begin, <, 20 * G_USEC_PER_SEC);
  g_thread_join (thread);
  assay_child_free (child);
}

/* What a child is given: a descriptor, and a folder for what is temporary. */
static void
test_given (void)
{
  const char *const read_fd[] = { "sh", "-c", "cat <&3", NULL };
  const char *const tell[] = { "sh", "-c", "echo $TMPDIR", NULL };
  const char *const none[] = { "/nonexistent/program", NULL };
  g_autofree char *folder = g_dir_make_tmp ("assay-child-XXXXXX", NULL);
  const AssayConfinement confinement = { .writable = folder, .programs = TRUE };
  g_autoptr (GError) error = NULL;
  g_autofree char *shared = NULL;
  g_autofree char *temporary = NULL;
  AssayChild *child;
  int fd = memfd_create ("shared", 0);

  g_assert_cmpint (write (fd, "shared\n", 7), ==, 7);
  g_assert_cmpint (lseek (fd, 0, SEEK_SET), ==, 0);
  child = assay_child_new_with_fd (read_fd, fd, &error);
  g_assert_no_error (error);
  shared = assay_child_read_line (child, 10, NULL, &error);
  g_assert_cmpstr (shared, ==, "shared");
  assay_child_free (child);
  close (fd);

  child = assay_child_new_confined (tell, &confinement, &error);
  g_assert_no_error (error);
  temporary = assay_child_read_line (child, 1000, NULL, &error);
  g_assert_cmpstr (temporary, ==, folder);
  assay_child_free (child);

  child = assay_child_new_confined (tell, &(AssayConfinement){ .programs = TRUE }, &error);
  g_assert_no_error (error);
  assay_child_free (child);

  g_assert_null (assay_child_new (none, &error));
  assert_message (error, ASSAY_ERROR_DEVICE, "/nonexistent/program: could not be started: *");
  folder_remove (folder);
}

static char *
first_line (const char *const *argv)
{
  g_autoptr (GError) error = NULL;
  AssayChild *child = assay_child_new (argv, &error);
  char *line;

  g_assert_no_error (error);
  line = assay_child_read_line (child, 1000, NULL, &error);
  g_assert_no_error (error);
  assay_child_free (child);

  return line;
}

/* Signals that a program of ours may ignore. */
static const int own[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ };

#define SIGNALS "/^SigBlk/{N;s/\\n/ /;p}"

static void
check_signals (const char *const *argv)
{
  g_autofree char *signals = first_line (argv);
  guint64 blocked = 1, ignored = 1;

  g_assert_cmpint (sscanf (signals,
                           "SigBlk: %" G_GINT64_MODIFIER "x SigIgn: %" G_GINT64_MODIFIER "x",
                           &blocked, &ignored),
                   ==, 2);
  g_assert_cmphex (blocked, ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (own); i++)
    g_assert_cmphex (ignored >> (own[i] - 1) & 1, ==, 0);
}

/* The list of what is open is read through number 3. A script without a first line is started in
 * another way. */
static void
check_bare (const char *script)
{
  const char *const list[] = { "ls", "-x", "-w", "200", "/proc/self/fd", NULL };
  const char *const tell[] = { "sed", "-n", SIGNALS, "/proc/self/status", NULL };
  const char *const plain[] = { script, NULL };
  g_autofree char *open_fds = first_line (list);

  g_assert_cmpstr (open_fds, ==, "0  1  2  3");
  check_signals (tell);
  g_assert_true (g_file_set_contents_full (script, "sed -n '" SIGNALS "' /proc/self/status\n", -1,
                                           G_FILE_SET_CONTENTS_NONE, 0700, NULL));
  check_signals (plain);
}

/* Of what this process ignores, blocks and has open a child has nothing, whether this process has
 * a standard input or not; a script needs no first line. */
static void
test_begins (void)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-child-XXXXXX", NULL);
  g_autofree char *script = g_build_filename (folder, "script", NULL);
  const char *const plain[] = { script, "word", NULL };
  g_autofree char *said = NULL;
  void (*before[G_N_ELEMENTS (own)]) (int);
  sigset_t blocked, old;
  int open_fd = fcntl (STDERR_FILENO, F_DUPFD, 50), input = dup (STDIN_FILENO);

  sigemptyset (&blocked);
  sigaddset (&blocked, SIGUSR1);
  pthread_sigmask (SIG_BLOCK, &blocked, &old);
  for (guint i = 0; i < G_N_ELEMENTS (own); i++)
    before[i] = signal (own[i], SIG_IGN);

  check_bare (script);
  close (STDIN_FILENO);
  check_bare (script);
  g_assert_cmpint (dup2 (input, STDIN_FILENO), ==, STDIN_FILENO);

  for (guint i = 0; i < G_N_ELEMENTS (own); i++)
    signal (own[i], before[i]);
  pthread_sigmask (SIG_SETMASK, &old, NULL);
  close (open_fd);
  close (input);

  g_assert_true (g_file_set_contents_full (script, "echo plain $1\n", -1, G_FILE_SET_CONTENTS_NONE,
                                           0700, NULL));
  said = first_line (plain);
  g_assert_cmpstr (said, ==, "plain word");
  folder_remove (folder);
}

/* What is said by the group of processes that a child is in. */
static pid_t
group_of_child (void)
{
  AssayChild *child = start ("cut -d ' ' -f 5 /proc/$$/stat; exec sleep 100");
  g_autoptr (GError) error = NULL;
  g_autofree char *group = assay_child_read_line (child, 20, NULL, &error);

  g_assert_no_error (error);
  g_assert_true (assay_child_is_running (child));
  assay_child_free (child);

  return (pid_t) g_ascii_strtoll (group, NULL, 10);
}

/* A child leads a group, so that all that it starts ends with it. Below a program of ours that is a
 * child itself it stays in that one's group, or nobody would find it; it ends alone then. */
static void
test_groups (void)
{
  g_assert_cmpint (group_of_child (), !=, getpgrp ());
  g_setenv ("ASSAY_CHILD", "1", TRUE);
  g_assert_cmpint (group_of_child (), ==, getpgrp ());
  g_unsetenv ("ASSAY_CHILD");
}

/* A child that closes what it says goes on, and both its ends are told. */
static void
test_closed (void)
{
  AssayChild *child = start ("exec >&- 2>&-; read line; exit 5");
  char byte;
  gsize n = 9;
  int wait_status = -1;
  g_autoptr (GError) error = NULL;

  g_assert_true (assay_child_read (child, &byte, 1, &n, NULL, &error));
  g_assert_cmpuint (n, ==, 0);
  g_assert_true (assay_child_is_running (child));
  g_assert_true (assay_child_write (child, "go on\n", 6, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (assay_child_end (child, &wait_status));
  g_assert_cmpint (WEXITSTATUS (wait_status), ==, 5);
  g_assert_false (assay_child_write (child, "more", 4, NULL, &error));
  assert_message (error, ASSAY_ERROR_DEVICE, "sh: has ended");
  assay_child_free (child);
  assay_child_free (NULL);
}

/* What keeps a processor busy ends, also if the test is ended before it has said so: it would slow
 * down whatever runs next, and the next of these tests above all. */
#define LIMITED "ulimit -t 60; "

/* Time without a processor is not time that a child took; it ends all the same. */
static void
test_starved (void)
{
  static const struct
  {
    const char *script;
    const char *line;
  } cases[] = {
    { "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; echo done", "done" },
    { "while :; do :; done", NULL },
    { "sleep 100", NULL },
  };
  g_autofree char *taskset = g_find_program_in_path ("taskset");
  g_autofree char *hog_script = NULL;
  cpu_set_t set;
  int cpu = 0;
  AssayChild *hog;

  if (taskset == NULL || sched_getaffinity (0, sizeof set, &set) != 0)
    {
      g_test_skip ("there is no taskset");
      return;
    }
  while (!CPU_ISSET (cpu, &set))
    cpu++;
  hog_script = g_strdup_printf (LIMITED "exec taskset -c %d sh -c 'while :; do :; done'", cpu);
  hog = start (hog_script);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *script = g_strdup_printf (LIMITED "exec taskset -c %d %s sh -c '%s'", cpu,
                                                 i == 0 ? "nice -n 5" : "", cases[i].script);
      AssayChild *child = start (script);
      gint64 begin = g_get_monotonic_time ();
      g_autoptr (GError) error = NULL;
      g_autofree char *line = NULL;

      assay_child_set_deadline (child, 1);
      line = assay_child_read_line (child, 10, NULL, &error);
      /* Other programs may want the processor as well. */
      if (cases[i].line != NULL && line == NULL &&
          g_get_monotonic_time () - begin >= 8 * G_USEC_PER_SEC)
        g_test_message ("%s: it did not run for long enough in 8 s", cases[i].script);
      else
        g_assert_cmpstr (line, ==, cases[i].line);
      g_assert_cmpint (assay_child_was_late (child), ==, line == NULL);
      if (line == NULL)
        assert_message (error, ASSAY_ERROR_DEVICE, "sh: no answer in 1 s");
      if (line == NULL)
        g_assert_cmpint (g_get_monotonic_time () - begin, >, G_USEC_PER_SEC);
      assay_child_free (child);
    }
  assay_child_free (hog);
}

static guint64
read_mask (AssayChild *child)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *line = assay_child_read_line (child, 80, NULL, &error);
  const char *digits;

  g_assert_no_error (error);
  digits = strchr (line, '\t');
  g_assert_nonnull (digits);

  return g_ascii_strtoull (digits + 1, NULL, 16);
}

/* A child blocks no signal, and ignores none of those that a program may, whatever this process
 * does, and however the child is started. */
static void
test_signals (void)
{
  static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ };
  const char *const argv[] = { "grep", "-E", "^Sig(Blk|Ign):", "/proc/self/status", NULL };
  const AssayConfinement confinement = { .programs = TRUE };
  void (*before[G_N_ELEMENTS (ignored)]) (int);
  sigset_t all, old;

  for (guint i = 0; i < G_N_ELEMENTS (ignored); i++)
    before[i] = signal (ignored[i], SIG_IGN);
  sigfillset (&all);
  g_assert_cmpint (pthread_sigmask (SIG_BLOCK, &all, &old), ==, 0);

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GError) error = NULL;
      AssayChild *child = i == 0 ? assay_child_new (argv, &error)
                                 : assay_child_new_confined (argv, &confinement, &error);
      guint64 mask;

      g_assert_no_error (error);
      g_assert_cmphex (read_mask (child), ==, 0);
      mask = read_mask (child);
      for (guint j = 0; j < G_N_ELEMENTS (ignored); j++)
        g_assert_cmphex (mask & (G_GUINT64_CONSTANT (1) << (ignored[j] - 1)), ==, 0);
      assay_child_free (child);
    }

  g_assert_cmpint (pthread_sigmask (SIG_SETMASK, &old, NULL), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (ignored); i++)
    signal (ignored[i], before[i]);
}

/* A child that is freed is gone, be it ended before or not. */
static void
test_freed (void)
{
  for (guint i = 0; i < 2; i++)
    {
      AssayChild *child = start ("echo $$; exec sleep 100");
      g_autoptr (GError) error = NULL;
      g_autofree char *line = assay_child_read_line (child, 80, NULL, &error);
      pid_t pid;

      g_assert_no_error (error);
      pid = (pid_t) g_ascii_strtoll (line, NULL, 10);
      g_assert_cmpint (kill (pid, 0), ==, 0);
      if (i == 1)
        assay_child_end (child, NULL);
      assay_child_free (child);
      g_assert_cmpint (kill (pid, 0), ==, -1);
      g_assert_cmpint (errno, ==, ESRCH);
    }
}

/* A write that nothing reads leaves no signal of its own behind, and one that was pending before
 * stays. */
static void
test_pending (void)
{
  const struct timespec now = { 0 };
  sigset_t pipe_set, old, pending;

  sigemptyset (&pipe_set);
  sigaddset (&pipe_set, SIGPIPE);
  g_assert_cmpint (pthread_sigmask (SIG_BLOCK, &pipe_set, &old), ==, 0);

  for (guint i = 0; i < 2; i++)
    {
      AssayChild *child = start ("exec <&-; echo closed; sleep 100");
      g_autoptr (GError) error = NULL;
      g_autofree char *line = assay_child_read_line (child, 20, NULL, &error);

      g_assert_cmpstr (line, ==, "closed");
      if (i == 1)
        g_assert_cmpint (raise (SIGPIPE), ==, 0);
      g_assert_false (assay_child_write (child, "x", 1, NULL, &error));
      assert_message (error, ASSAY_ERROR_DEVICE, "sh: has stopped reading");
      sigemptyset (&pending);
      g_assert_cmpint (sigpending (&pending), ==, 0);
      g_assert_cmpint (sigismember (&pending, SIGPIPE), ==, i == 1);
      if (i == 1)
        g_assert_cmpint (sigtimedwait (&pipe_set, NULL, &now), ==, SIGPIPE);
      assay_child_free (child);
    }

  g_assert_cmpint (pthread_sigmask (SIG_SETMASK, &old, NULL), ==, 0);
}

TEST_PROGRAM (child)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/child/endings", test_endings);
  g_test_add_func ("/child/on-its-way", test_on_its_way);
  g_test_add_func ("/child/errors", test_errors);
  g_test_add_func ("/child/conversations", test_conversations);
  g_test_add_func ("/child/late", test_late);
  g_test_add_func ("/child/starved", test_starved);
  g_test_add_func ("/child/writes", test_writes);
  g_test_add_func ("/child/calls", test_calls);
  g_test_add_func ("/child/errors-lost", test_errors_lost);
  g_test_add_func ("/child/cancelled", test_cancelled);
  g_test_add_func ("/child/given", test_given);
  g_test_add_func ("/child/begins", test_begins);
  g_test_add_func ("/child/groups", test_groups);
  g_test_add_func ("/child/closed", test_closed);
  g_test_add_func ("/child/signals", test_signals);
  g_test_add_func ("/child/freed", test_freed);
  g_test_add_func ("/child/pending", test_pending);

  return g_test_run ();
}
