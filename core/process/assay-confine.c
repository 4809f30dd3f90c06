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
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/assay-error.h"

/* Of all that a user runs; more than any program starts, and fewer than a system has. */
#define MOST_PROCESSES 8192

/* Rights of later versions of Landlock than the headers may know. */
#define RIGHT_REFER (1ULL << 13)
#define RIGHT_TRUNCATE (1ULL << 14)
#define RIGHT_CONTROL (1ULL << 15)
#define SCOPE_ABSTRACT_SOCKETS (1ULL << 0)
#define SCOPE_SIGNALS (1ULL << 1)

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

/* The later versions of what a set of rules handles: see linux/landlock.h of version 6. */
typedef struct
{
  guint64 files;
  guint64 net;
  guint64 scoped;
} Handled;

/* The devices that a confined process may write to. */
static const char *const devices[] = { "/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                                       "/dev/urandom" };
/* Drivers of graphics and neural processors, and numbered nodes of one that has no folder. */
static const char *const processors[] = {
  "/dev/dri",
  "/dev/kfd",
  "/dev/accel",
  "/dev/dxg",
  "/dev/mali0",
  "/dev/nvidiactl",
  "/dev/nvidia-uvm",
  "/dev/nvidia-uvm-tools",
  "/dev/nvidia-modeset",
  "/dev/udmabuf",
  "/dev/dma_heap",
  "/dev/nvidia0",
  "/dev/nvidia1",
  "/dev/nvidia2",
  "/dev/nvidia3",
  "/dev/nvidia4",
  "/dev/nvidia5",
  "/dev/nvidia6",
  "/dev/nvidia7",
};

static guint64
landlock_rights (int version)
{
  return RIGHTS_OF_FILES | RIGHTS_OF_FOLDERS | (version >= 2 ? RIGHT_REFER : 0) |
         (version >= 3 ? RIGHT_TRUNCATE : 0) | (version >= 5 ? RIGHT_CONTROL : 0);
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
allow_list (int rules, const char *const *paths, guint n, guint64 rights)
{
  gboolean allowed = TRUE;

  for (guint i = 0; i < n && allowed; i++)
    allowed = allow (rules, paths[i], rights);

  return allowed;
}

/* No signal goes to a process outside, and no message to a socket of one. */
static gboolean
keep_folders (const AssayConfinement *self)
{
  int version = landlock_version ();
  guint64 rights = landlock_rights (version);
  guint64 of_devices = rights & (RIGHTS_OF_FILES | RIGHT_TRUNCATE | RIGHT_CONTROL);
  const Handled handled = { rights, 0, version >= 6 ? SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS : 0 };
  gboolean kept;
  int rules;

  if (version < 1)
    return TRUE;
  rules = (int) syscall (SYS_landlock_create_ruleset, &handled,
                         version >= 6 ? sizeof handled : sizeof handled.files, 0);
  if (rules < 0)
    return FALSE;
  kept = allow_list (rules, devices, G_N_ELEMENTS (devices), of_devices & ~RIGHT_CONTROL) &&
         (self->writable == NULL || allow (rules, self->writable, rights)) &&
         (!self->devices ||
          allow_list (rules, processors, G_N_ELEMENTS (processors), of_devices)) &&
         syscall (SYS_landlock_restrict_self, rules, 0) == 0;
  close (rules);

  return kept;
}

/* A process of the administrator has the rights of others to files, which Landlock bounds, and no
 * more. */
static gboolean
keep_capabilities (void)
{
  const guint32 kept = 1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH;
  struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
  struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

  if (syscall (SYS_capget, &head, sets) != 0)
    return FALSE;
  for (guint i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
    {
      sets[i].effective &= i == 0 ? kept : 0;
      sets[i].permitted &= i == 0 ? kept : 0;
      sets[i].inheritable &= i == 0 ? kept : 0;
    }

  return syscall (SYS_capset, &head, sets) == 0;
}

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
 * assay_confine_filter_new:
 * @self: what a process is to be left with
 * @error: return location for a #GError
 *
 * Makes the filter of system calls for assay_confine_now(), which can make none.
 *
 * Returns: (transfer full) (nullable): the filter, or %NULL with %ASSAY_ERROR_DEVICE
 */
AssayCallFilter *
assay_confine_filter_new (const AssayConfinement *self, GError **error)
{
  int version = landlock_version ();
  AssayCallRights rights = (self->programs ? ASSAY_CALLS_PROGRAMS : 0) |
                           (self->devices ? ASSAY_CALLS_DEVICES : 0) |
                           (self->programs || version >= 6 ? ASSAY_CALLS_SIGNALS : 0) |
                           (version >= 3 ? ASSAY_CALLS_TRUNCATE : 0);

  return assay_call_filter_new (rights, error);
}

/**
 * assay_confine_now:
 * @self: what this process is left with
 * @filter: the system calls that it is left with
 *
 * Does what assay_confine() does; may be called between fork and exec.
 *
 * Returns: whether it is done, else errno says why not
 */
gboolean
assay_confine_now (const AssayConfinement *self, const AssayCallFilter *filter)
{
  return limit_all (self) && prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && keep_folders (self) &&
         keep_capabilities () && assay_call_filter_load (filter);
}

/**
 * assay_confine:
 * @self: what this process is left with
 * @error: return location for a #GError
 *
 * Gives up, for this process and for good: new privileges, other programs, the network, writing to
 * files but below one folder, signals to others, memory beyond a limit. Open files stay open. A
 * kernel without Landlock or seccomp leaves those out.
 *
 * Returns: whether it is done
 */
gboolean
assay_confine (const AssayConfinement *self, GError **error)
{
  g_autoptr (AssayCallFilter) filter = assay_confine_filter_new (self, error);

  if (filter == NULL)
    return FALSE;
  if (assay_confine_now (self, filter))
    return TRUE;

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE, "could not be confined: %s",
               g_strerror (errno));
  return FALSE;
}

static void
part_clear (gpointer data)
{
  g_free (((AssayConfinePart *) data)->text);
}

static void
add_part (GArray *list, const char *name, gboolean found, const char *by, const char *otherwise)
{
  const AssayConfinePart part = { name, found, g_strdup (found ? by : otherwise) };

  g_array_append_val (list, part);
}

/**
 * assay_confine_list:
 *
 * Tells what confinement consists of for this kernel and user.
 *
 * Returns: (transfer full) (element-type AssayConfinePart): the parts
 */
GArray *
assay_confine_list (void)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (AssayConfinePart));
  int version = landlock_version ();
  g_autofree char *landlock = g_strdup_printf ("Landlock %d", version);
  g_autofree char *library = assay_call_filter_dup_library ();
  g_autofree char *calls = g_strconcat ("seccomp, filters by ", library, NULL);

  g_array_set_clear_func (list, part_clear);
  add_part (list, "files", version >= 1, landlock,
            "the kernel has no Landlock: confined programs write wherever the user may");
  add_part (list, "system calls", assay_call_filter_is_supported (), calls,
            "the kernel has no seccomp: confined programs have the network and every other call");
  add_part (list, "signals", version >= 6, landlock,
            "the kernel is older than Linux 6.12: runners can signal processes of the user");
  add_part (list, "privileges", TRUE,
            geteuid () == 0 ? "none but reading and writing files, of those of the administrator"
                            : "no new ones",
            NULL);
  add_part (list, "terminal", TRUE, "a session without one", NULL);

  return list;
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
  gboolean calls = assay_call_filter_is_supported ();

  if (folders && calls)
    return NULL;

  return g_strdup_printf ("Helpers are confined without %s%s%s on this system.",
                          folders ? "" : "Landlock", folders || calls ? "" : " and ",
                          calls ? "" : "seccomp");
}
