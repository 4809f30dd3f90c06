/* assay-call-filter.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "process/assay-call-filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/ioprio.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/assay-error.h"

/* Bits of what clone() is given, and where it is given them. */
#define CLONE_NAMESPACES                                                                           \
  (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID |    \
   CLONE_NEWNET)
#if defined(__s390__)
#define CLONE_FLAGS_ARGUMENT 1
#else
#define CLONE_FLAGS_ARGUMENT 0
#endif

#define IOCTL_GROUP 0xff00

/* Numbers of calls that are looked at for names, and the most steps that the kernel takes. */
#define MOST_CALLS 1024
#define MOST_STEPS 4096
#define N_FIRST_STEPS 3
/* Times that the library is asked for the program: a signal may interrupt it. */
#define MOST_TRIES 3

struct _AssayCallFilter
{
  struct sock_fprog program;
  struct sock_filter steps[MOST_STEPS];
};

/* A row of calls.def. */
typedef struct
{
  AssayCallRights rights;
  const char *names;
  gboolean has_condition;
  guint argument;
  guint64 mask;
  guint64 value;
  gboolean has_next; /* the argument behind it is 0 */
} Row;

static const Row rows[] = {
#define CALL(names) { 0, names, FALSE, 0, 0, 0, FALSE },
#define CALL_WITH(rights, names) { rights, names, FALSE, 0, 0, 0, FALSE },
#define CALL_TO_SELF(names) { 0, names, TRUE, 0, G_MAXUINT32, 0, FALSE },
#define CALL_TO_SELF_AS(name, kind) { 0, name, TRUE, 0, G_MAXUINT32, kind, TRUE },
#define CALL_IF(name, argument, mask, value)                                                       \
  { 0, name, TRUE, argument, mask, (guint64) (value), FALSE },
#define CALL_IF_WITH(rights, name, argument, mask, value)                                          \
  { rights, name, TRUE, argument, mask, (guint64) (value), FALSE },
#include "process/calls.def"
#if defined(__SANITIZE_ADDRESS__)
  /* The checker of leaks. */
  { 0, "ptrace", FALSE, 0, 0, 0, FALSE },
#endif
#undef CALL
#undef CALL_WITH
#undef CALL_TO_SELF
#undef CALL_TO_SELF_AS
#undef CALL_IF
#undef CALL_IF_WITH
};

/* A name of another architecture, or of a later kernel than the library's, is passed over. */
static int
allow (scmp_filter_ctx filter, const char *name, const Row *row)
{
  int number = seccomp_syscall_resolve_name (name);
  const struct scmp_arg_cmp conditions[] = {
    { row->argument, SCMP_CMP_MASKED_EQ, row->mask, row->value },
    { row->argument + 1, SCMP_CMP_MASKED_EQ, G_MAXUINT32, 0 },
  };

  if (number < 0)
    return 0;

  return seccomp_rule_add_array (filter, SCMP_ACT_ALLOW, number,
                                 (row->has_condition ? 1 : 0) + (row->has_next ? 1 : 0),
                                 conditions);
}

static int
allow_row (scmp_filter_ctx filter, const Row *row, AssayCallRights rights)
{
  g_auto (GStrv) names = g_strsplit (row->names, " ", -1);
  int result = 0;

  if ((row->rights & ~rights) != 0)
    return 0;
  for (guint i = 0; names[i] != NULL && result == 0; i++)
    result = allow (filter, names[i], row);

  return result;
}

/* The end of a thread's process by itself, as abort() does it. */
static int
allow_abort (scmp_filter_ctx filter)
{
  const Row own = { 0, NULL, TRUE, 0, G_MAXUINT32, (guint64) getpid (), FALSE };

  return allow (filter, "tgkill", &own);
}

static int
allow_all (scmp_filter_ctx filter, AssayCallRights rights)
{
  int clone3 = seccomp_syscall_resolve_name ("clone3");
  int result = 0;

  for (guint i = 0; i < G_N_ELEMENTS (rows) && result == 0; i++)
    result = allow_row (filter, &rows[i], rights);
  if (result == 0 && (rights & ASSAY_CALLS_SIGNALS) == 0)
    result = allow_abort (filter);
  /* The C library goes on with clone(). */
  if (result == 0 && clone3 >= 0)
    result = seccomp_rule_add_array (filter, SCMP_ACT_ERRNO (ENOSYS), clone3, 0, NULL);

  return result;
}

/* The last call that the library knows. */
static guint32
find_last_call (void)
{
  guint32 last = 0;

  for (guint32 i = 0; i < MOST_CALLS; i++)
    {
      char *name = seccomp_syscall_resolve_num_arch (SCMP_ARCH_NATIVE, (int) i);

      if (name != NULL)
        last = i;
      free (name);
    }

  return last;
}

/* A program that tries a newer call and goes on without it is told that there is none. */
static guint
begin_with_unknown (struct sock_filter *steps)
{
  const struct sock_filter first[N_FIRST_STEPS] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    BPF_JUMP (BPF_JMP | BPF_JGT | BPF_K, find_last_call (), 0, 1),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
  };

  memcpy (steps, first, sizeof first);

  return N_FIRST_STEPS;
}

static gsize
read_all (int fd, char *to, gsize most)
{
  gsize have = 0;
  gssize got = 1;

  while (have < most && got != 0)
    {
      got = read (fd, to + have, most - have);
      if (got < 0 && errno != EINTR)
        return 0;
      have += (gsize) MAX (got, 0);
    }

  return have;
}

/* The library does not say whether it has written all of it; a program ends with a result. */
static gboolean
is_whole (const struct sock_filter *steps, gsize n_bytes)
{
  gsize n = n_bytes / sizeof *steps;

  return n > 0 && n_bytes % sizeof *steps == 0 && BPF_CLASS (steps[n - 1].code) == BPF_RET;
}

/* A pipe holds more than the kernel takes. */
static gboolean
export_steps (AssayCallFilter *self, scmp_filter_ctx filter)
{
  guint n = begin_with_unknown (self->steps);
  struct sock_filter *steps = self->steps + n;
  gsize got = 0;

  for (guint i = 0; i < MOST_TRIES && !is_whole (steps, got); i++)
    {
      int ends[2];
      gboolean written;

      if (pipe2 (ends, O_CLOEXEC) != 0)
        return FALSE;
      written = seccomp_export_bpf (filter, ends[1]) == 0;
      close (ends[1]);
      got = written
                ? read_all (ends[0], (char *) steps, sizeof self->steps - n * sizeof *self->steps)
                : 0;
      close (ends[0]);
    }
  if (!is_whole (steps, got))
    return FALSE;
  self->program.len = (unsigned short) (n + got / sizeof *self->steps);
  self->program.filter = self->steps;

  return TRUE;
}

/**
 * assay_call_filter_new:
 * @rights: what is allowed beside what every confined process may call
 * @error: return location for a #GError
 *
 * Makes a filter. One without %ASSAY_CALLS_SIGNALS is for this process alone.
 *
 * Returns: (transfer full) (nullable): the filter, or %NULL with %ASSAY_ERROR_DEVICE
 */
AssayCallFilter *
assay_call_filter_new (AssayCallRights rights, GError **error)
{
  g_autoptr (AssayCallFilter) self = g_new0 (AssayCallFilter, 1);
  scmp_filter_ctx filter = seccomp_init (SCMP_ACT_ERRNO (EACCES));
  gboolean made;

  /* A kernel before Linux 4.14, and an emulator, know the end of a thread alone, which is what the
   * library takes by itself. */
  if (filter != NULL)
    (void) seccomp_attr_set (filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  made = filter != NULL && allow_all (filter, rights) == 0 && export_steps (self, filter);
  seccomp_release (filter);
  if (made)
    return g_steal_pointer (&self);

  g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE,
                       "the filter of system calls could not be made");
  return NULL;
}

void
assay_call_filter_free (AssayCallFilter *self)
{
  g_free (self);
}

/**
 * assay_call_filter_load:
 * @self: a filter
 *
 * Has the kernel apply the filter to this process, all of its threads, for good; may be called
 * between fork and exec. A kernel without filters leaves it out.
 *
 * Returns: whether that went well, else errno says why not
 */
gboolean
assay_call_filter_load (const AssayCallFilter *self)
{
  return !assay_call_filter_is_supported () ||
         syscall (SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC,
                  &self->program) == 0;
}

/**
 * assay_call_filter_is_supported:
 *
 * Tells whether the kernel has filters of system calls.
 *
 * Returns: whether it has
 */
gboolean
assay_call_filter_is_supported (void)
{
  return prctl (PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
}

/**
 * assay_call_filter_dup_library:
 *
 * Tells what makes the filters.
 *
 * Returns: (transfer full): its name and version
 */
char *
assay_call_filter_dup_library (void)
{
  const struct scmp_version *version = seccomp_version ();

  return g_strdup_printf ("libseccomp %u.%u.%u", version->major, version->minor, version->micro);
}
