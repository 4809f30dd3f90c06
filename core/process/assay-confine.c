/* assay-confine.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * A helper works on what somebody else has made, with libraries that somebody else has written. It
 * gives up what it does not need before it looks at the first byte: other programs, the network,
 * and every folder but its own. Kernels differ; what one does not know is left out, and
 * `assay --version` says so.
 *
 * A program of somebody else is confined between fork and exec: nothing here allocates or locks.
 */
#include "process/assay-confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/assay-error.h"

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* Of all that a user runs; more than any program starts, and fewer than a system has. */
#define MOST_PROCESSES 8192

/* Rights of later versions of Landlock than the headers may know. */
#define RIGHT_REFER (1ULL << 13)
#define RIGHT_TRUNCATE (1ULL << 14)

#define RIGHTS_OF_FILES (LANDLOCK_ACCESS_FS_WRITE_FILE)
#define RIGHTS_OF_FOLDERS                                                                          \
  (LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | \
   LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |      \
   LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM)

static int
landlock_version (void)
{
  return (int) syscall (SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
}

static guint64
landlock_rights (int version)
{
  return RIGHTS_OF_FILES | RIGHTS_OF_FOLDERS | (version >= 2 ? RIGHT_REFER : 0) |
         (version >= 3 ? RIGHT_TRUNCATE : 0);
}

/* Whether the last error says that there is no such folder for this process. */
static gboolean
is_absent (void)
{
  return errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == ELOOP ||
         errno == ENAMETOOLONG;
}

/* A folder that is not there needs no right. */
static gboolean
allow (int rules, const char *path, guint64 rights)
{
  struct landlock_path_beneath_attr rule = { .allowed_access = rights };
  int fd = open (path, O_PATH | O_CLOEXEC | ((rights & RIGHTS_OF_FOLDERS) != 0 ? O_DIRECTORY : 0));
  gboolean allowed;

  if (fd < 0)
    return is_absent ();
  rule.parent_fd = fd;
  allowed = syscall (SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
  close (fd);

  return allowed;
}

static gboolean
keep_folders (const AssayConfinement *self)
{
  int version = landlock_version ();
  guint64 rights = landlock_rights (version);
  struct landlock_ruleset_attr attr = { .handled_access_fs = rights };
  gboolean kept;
  int rules;

  if (version < 1)
    return TRUE;
  rules = (int) syscall (SYS_landlock_create_ruleset, &attr, sizeof attr, 0);
  if (rules < 0)
    return FALSE;
  kept = allow (rules, "/dev/null", RIGHTS_OF_FILES) &&
         (self->writable == NULL || allow (rules, self->writable, rights)) &&
         (!self->devices || allow (rules, "/dev", RIGHTS_OF_FILES)) &&
         syscall (SYS_landlock_restrict_self, rules, 0) == 0;
  close (rules);

  return kept;
}

#ifdef ARCHITECTURE

/* What a helper that computes has no use for; the leak checker of sanitized builds has. */
static const guint32 refused[] = {
#if !defined(__SANITIZE_ADDRESS__)
  SYS_ptrace,
#endif

  SYS_socket,
  SYS_process_vm_readv,
  SYS_process_vm_writev,
  SYS_io_uring_setup,
  SYS_bpf,
  SYS_perf_event_open,
  SYS_userfaultfd,
  SYS_unshare,
  SYS_setns,
  SYS_mount,
  SYS_umount2,
  SYS_pivot_root,
  SYS_chroot,
  SYS_keyctl,
  SYS_add_key,
  SYS_request_key,
  SYS_kexec_load,
  SYS_init_module,
  SYS_finit_module,
  SYS_delete_module,
};

/* Who starts no programs cannot; who does keeps all of them where they can be ended together. */
static const guint32 of_programs[] = { SYS_execve, SYS_execveat };
static const guint32 of_groups[] = { SYS_setsid, SYS_setpgid };

#define N_REFUSED (G_N_ELEMENTS (refused) + 2)

/* Another architecture's numbers mean other calls: a process that uses them is killed. */
static gboolean
keep_calls (const AssayConfinement *self)
{
  const guint32 *more = self->programs ? of_groups : of_programs;
  struct sock_filter code[N_REFUSED + 8];
  struct sock_fprog program = { .filter = code };
  guint n = 0;

  code[n++] = (struct sock_filter) BPF_STMT (BPF_LD | BPF_W | BPF_ABS,
                                             offsetof (struct seccomp_data, arch));
  code[n++] = (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
  code[n++] = (struct sock_filter) BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
  code[n++] = (struct sock_filter) BPF_STMT (BPF_LD | BPF_W | BPF_ABS,
                                             offsetof (struct seccomp_data, nr));
  /* The numbers of x32 on the same architecture. */
  code[n++] = (struct sock_filter) BPF_JUMP (BPF_JMP | BPF_JGE | BPF_K, 0x40000000,
                                             (guint8) N_REFUSED + 1, 0);
  for (guint i = 0; i < N_REFUSED; i++)
    code[n++] = (struct sock_filter) BPF_JUMP (
        BPF_JMP | BPF_JEQ | BPF_K,
        i < G_N_ELEMENTS (refused) ? refused[i] : more[i - G_N_ELEMENTS (refused)],
        (guint8) (N_REFUSED - i), 0);
  code[n++] = (struct sock_filter) BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  code[n++] = (struct sock_filter) BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES);
  program.len = (unsigned short) n;

  return prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0 || errno == EINVAL;
}

#else

static gboolean
keep_calls (const AssayConfinement *self)
{
  return TRUE;
}

#endif

static gboolean
limit (int what, guint64 most)
{
  struct rlimit now;

  if (getrlimit (what, &now) != 0)
    return FALSE;
  now.rlim_cur = MIN (now.rlim_cur, most);
  now.rlim_max = MIN (now.rlim_max, most);

  return setrlimit (what, &now) == 0;
}

/* Pages of data that there are already; a checked build reserves more than any machine has. The
 * sixth number is theirs. */
static guint64
count_data_pages (void)
{
  char text[256];
  int fd = open ("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  gssize n = fd >= 0 ? read (fd, text, sizeof text) : 0;
  guint64 pages = 0;
  guint field = 0;

  for (gssize i = 0; i < n && field < 6; i++)
    {
      if (g_ascii_isdigit (text[i]))
        pages = 10 * pages + (guint64) (text[i] - '0');
      else if (++field < 6)
        pages = 0;
    }
  if (fd >= 0)
    close (fd);

  return pages;
}

static gboolean
limit_all (const AssayConfinement *self)
{
  guint64 memory = (guint64) self->memory_mib << 20;
  guint64 pages = count_data_pages () + (guint64) sysconf (_SC_PHYS_PAGES);

  return limit (RLIMIT_CORE, 0) && limit (RLIMIT_DATA, pages * (guint64) sysconf (_SC_PAGESIZE)) &&
         (self->memory_mib == 0 || limit (RLIMIT_AS, memory)) &&
         (!self->programs || limit (RLIMIT_NPROC, MOST_PROCESSES)) &&
         (self->writable != NULL || limit (RLIMIT_FSIZE, 0));
}

/**
 * assay_confine_now:
 * @self: what this process is left with
 *
 * Does what assay_confine() does; may be called between fork and exec.
 *
 * Returns: whether it is done, else errno says why not
 */
gboolean
assay_confine_now (const AssayConfinement *self)
{
  return limit_all (self) && prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && keep_folders (self) &&
         keep_calls (self);
}

/**
 * assay_confine:
 * @self: what this process is left with
 * @error: return location for a #GError
 *
 * Gives up, for this process and for good: new privileges, other programs, the network, writing to
 * files but below one folder, memory beyond a limit. What is open stays open. A kernel without
 * Landlock or seccomp leaves those out.
 *
 * Returns: whether it is done
 */
gboolean
assay_confine (const AssayConfinement *self, GError **error)
{
  if (assay_confine_now (self))
    return TRUE;

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "could not be confined: %s",
               g_strerror (errno));
  return FALSE;
}

/**
 * assay_confine_dup_missing:
 *
 * Tells what this system lacks of what confines helpers.
 *
 * Returns: (transfer full) (nullable): one sentence, %NULL if nothing is missing
 */
char *
assay_confine_dup_missing (void)
{
  gboolean folders = landlock_version () >= 1;
#ifdef ARCHITECTURE
  gboolean calls = prctl (PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
#else
  gboolean calls = FALSE;
#endif

  if (folders && calls)
    return NULL;

  return g_strdup_printf ("Helpers are confined without %s%s%s on this system.",
                          folders ? "" : "Landlock", folders || calls ? "" : " and ",
                          calls ? "" : "seccomp");
}
