/* assay-watch.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The program assay-watch waits for the end of a process. If the process is killed, it ends the
 * children and removes the temporary folders. If assay-watch does not run any more either, as after
 * a power failure, the next process that makes a folder removes those that are not locked.
 */
#include "process/assay-watch.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/assay-child.h"
#include "process/assay-helper.h"
#include "process/assay-remove.h"

#define LOCK ".assay-lock"
#define NEW_LOCK ".assay-lock-new"
#define PREFIX "assay-"

static struct
{
  gboolean tried;
  int fd; /* to the program, -1 for none */
} watch = { FALSE, -1 };

/* Its output is not ours: who reads ours waits until all that have it are gone. */
static gboolean
start (const char *path, int end)
{
  const char *const argv[] = { path, NULL };
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none;
  gboolean started;
  pid_t pid;

  sigemptyset (&none);
  posix_spawnattr_init (&attributes);
  posix_spawnattr_setflags (&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
  posix_spawnattr_setsigmask (&attributes, &none);
  posix_spawn_file_actions_init (&actions);
  started =
      posix_spawn_file_actions_adddup2 (&actions, end, STDIN_FILENO) == 0 &&
      posix_spawn_file_actions_addopen (&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
      posix_spawn_file_actions_addopen (&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0) == 0 &&
      posix_spawn_file_actions_addclosefrom_np (&actions, STDERR_FILENO + 1) == 0 &&
      posix_spawn (&pid, path, &actions, &attributes, (char *const *) argv, environ) == 0;
  posix_spawn_file_actions_destroy (&actions);
  posix_spawnattr_destroy (&attributes);

  return started;
}

/* A child of ours is watched with us. A process that finds no such program goes on without it. */
static void
ensure_started (void)
{
  g_autofree char *path = NULL;
  int ends[2];

  if (watch.tried)
    return;
  watch.tried = TRUE;
  if (assay_child_is_one ())
    return;
  path = assay_helper_find ("assay-watch", NULL);
  if (path == NULL || socketpair (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return;
  if (start (path, ends[1]))
    watch.fd = ends[0];
  else
    close (ends[0]);
  close (ends[1]);
}

/**
 * assay_watch_say:
 * @what: one of the letters above
 * @text: the number of a process, or the path of a folder
 *
 * Says what is to go when this process is killed, or has gone already. Called with the lock of
 * assay-temporary.
 */
void
assay_watch_say (char what, const char *text)
{
  g_autofree char *message = g_strdup_printf ("%c%s", what, text);
  gsize length = strlen (message) + 1;

  ensure_started ();
  for (gsize sent = 0; watch.fd >= 0 && sent < length;)
    {
      gssize n = send (watch.fd, message + sent, length - sent, MSG_NOSIGNAL);

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        {
          close (watch.fd);
          watch.fd = -1;
          return;
        }
      sent += (gsize) n;
    }
}

/* The lock is that of the open file, which ends with the process. */
static int
open_lock (int folder, const char *name, int flags)
{
  int fd = openat (folder, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | flags,
                   S_IRUSR | S_IWUSR);

  if (fd >= 0 && flock (fd, LOCK_EX | LOCK_NB) != 0)
    {
      close (fd);
      fd = -1;
    }

  return fd;
}

/**
 * assay_watch_lock:
 * @folder: a folder that was made
 *
 * Locks a folder while this process lives, so that no other one sweeps it. The lock gets its name
 * when it is held.
 *
 * Returns: a descriptor to close when the folder is removed, or -1
 */
int
assay_watch_lock (const char *folder)
{
  int fd = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int lock = fd >= 0 ? open_lock (fd, NEW_LOCK, O_CREAT | O_EXCL) : -1;

  if (lock >= 0)
    renameat (fd, NEW_LOCK, fd, LOCK);
  if (fd >= 0)
    close (fd);

  return lock;
}

/* A folder of this user that has a lock which no process holds. */
static void
sweep_one (const char *parent, const char *name)
{
  g_autofree char *path = g_build_filename (parent, name, NULL);
  int fd = open (path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat info;
  int lock = -1;

  if (fd >= 0 && fstat (fd, &info) == 0 && info.st_uid == geteuid ())
    lock = open_lock (fd, LOCK, 0);
  if (fd >= 0)
    close (fd);
  if (lock < 0)
    return;
  assay_remove_tree (path);
  close (lock);
}

/**
 * assay_watch_sweep:
 *
 * Removes temporary folders of processes that were killed together with what watched them.
 */
void
assay_watch_sweep (void)
{
  g_autoptr (GDir) folder = g_dir_open (g_get_tmp_dir (), 0, NULL);
  const char *name;

  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    {
      if (g_str_has_prefix (name, PREFIX))
        sweep_one (g_get_tmp_dir (), name);
    }
}
