/* assay-file-write.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The one way to write a file. It is written under a hidden name beside its place, locked as long
 * as its writer lives, and then renamed. What a writer that was killed has left has no lock, and
 * the next one that writes the same file removes it.
 */
#include "base/assay-file-write.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assay-error.h"
#include "base/assay-file-map.h"
#include "base/assay-progress.h"

/* How long a pipe without a reader is waited for: who starts both ends at once is there by then. */
#define READER_SECONDS 5
/* As the kernel follows. */
#define MOST_LINKS 40
/* Of a name, so that the hidden one is not longer than a name can be. */
#define MOST_NAME 200
#define MARK ".assay-"
#define RANDOM "XXXXXX"

struct _AssayFileStaging
{
  grefcount refs;
  char *folder;
  int lock;
};

struct _AssayFileWriter
{
  char *path;      /* as the caller calls it */
  char *place;     /* where it is after all links */
  char *temporary; /* NULL for what is written to in place */
  char *backup;    /* what was there before, until all files are in place */
  int fd;
  gsize at;
  gboolean in_place;
  gboolean is_pipe;
  AssayFileStaging *staging;
  GByteArray *later; /* what goes in place once all of a group is written */
};

struct _AssayFileGroup
{
  GPtrArray *writers; /* committed, not in their places yet */
};

/* The group that the thread writes for. */
static GPrivate entered;
/* Whether what the thread writes is read at once and then deleted. */
static GPrivate passing;

static gboolean
fail (const char *path, const char *doing, int code, GError **error)
{
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_SAVE, "%s: %s: %s", path, doing, g_strerror (code));
  return FALSE;
}

/**
 * assay_file_follow_links: (skip)
 * @path: (type filename): a path, of a file or of what may become one
 *
 * Finds where a file is that is written under a name: a link stays, and the file that it leads to
 * is replaced or made.
 *
 * Returns: (transfer full) (type filename): the path behind all links of the last name
 */
char *
assay_file_follow_links (const char *path)
{
  char *place = g_strdup (path);

  for (guint i = 0; i < MOST_LINKS; i++)
    {
      g_autofree char *folder = g_path_get_dirname (place);
      g_autofree char *link = g_file_read_link (place, NULL);
      g_autofree char *next = NULL;
      struct stat about;

      if (link == NULL)
        break;
      next = g_path_is_absolute (link) ? g_strdup (link) : g_build_filename (folder, link, NULL);
      /* Open files of a process look like links to what has no name. */
      if (g_stat (place, &about) == 0 && g_lstat (next, &about) != 0)
        break;
      g_free (place);
      place = g_steal_pointer (&next);
    }

  return place;
}

/* The hidden name without its random end. */
static char *
hidden_prefix (const char *place)
{
  g_autofree char *name = g_path_get_basename (place);

  if (strlen (name) > MOST_NAME)
    name[MOST_NAME] = '\0';

  return g_strconcat (".", name, MARK, NULL);
}

static void
remove_folder (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_unlink (path);
    }
  g_rmdir (folder);
}

/* What has a lock belongs to somebody who is still writing. */
static void
remove_leftovers (const char *parent, const char *prefix)
{
  g_autoptr (GDir) dir = g_dir_open (parent, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = NULL;
      struct stat about;
      int fd;

      if (!g_str_has_prefix (name, prefix) || strlen (name) != strlen (prefix) + strlen (RANDOM))
        continue;
      path = g_build_filename (parent, name, NULL);
      fd = g_open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
      if (fd < 0)
        continue;
      if (fstat (fd, &about) == 0 && flock (fd, LOCK_EX | LOCK_NB) == 0)
        {
          if (S_ISDIR (about.st_mode))
            remove_folder (path);
          else if (S_ISREG (about.st_mode))
            g_unlink (path);
        }
      close (fd);
    }
}

/* Somebody who removes leftovers may have come between making and locking. */
static gboolean
lock_new (int fd, const char *path)
{
  struct stat opened, there;

  /* A file system without locks has no leftovers removed either: taking the lock fails there. */
  (void) !flock (fd, LOCK_EX | LOCK_NB);

  return fstat (fd, &opened) == 0 && g_stat (path, &there) == 0 && opened.st_ino == there.st_ino &&
         opened.st_dev == there.st_dev;
}

/* Standard output under a name of its own, such as /dev/stdout, is wherever the shell has opened
 * it. */
static int
find_standard (const struct stat *about)
{
  struct stat own;

  for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
    if (fstat (fd, &own) == 0 && own.st_dev == about->st_dev && own.st_ino == about->st_ino)
      return fd;

  return -1;
}

/* Into what is written as it is, nothing can be put back. */
static gboolean
can_replace (const char *path, const struct stat *about, GError **error)
{
  if (S_ISREG (about->st_mode) && find_standard (about) < 0)
    return TRUE;

  return fail (path, "only a file can be replaced", S_ISDIR (about->st_mode) ? EISDIR : ENOTSUP,
               error);
}

/**
 * assay_file_staging_new: (skip)
 * @path: (type filename): a file that will be written; links are followed
 * @error: return location for a #GError
 *
 * Makes a folder beside a file, on the same file system.
 *
 * Returns: (transfer full) (nullable): the folder
 */
AssayFileStaging *
assay_file_staging_new (const char *path, GError **error)
{
  g_autofree char *place = assay_file_follow_links (path);
  g_autofree char *parent = g_path_get_dirname (place);
  g_autofree char *prefix = hidden_prefix (place);
  AssayFileStaging *self;
  struct stat old;

  if (g_stat (path, &old) == 0 && !can_replace (path, &old, error))
    return NULL;
  remove_leftovers (parent, prefix);
  for (guint i = 0; i < 10; i++)
    {
      g_autofree char *name = g_strconcat (prefix, RANDOM, NULL);
      g_autofree char *folder = g_build_filename (parent, name, NULL);
      int fd;

      if (g_mkdtemp (folder) == NULL)
        break;
      fd = g_open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
      if (fd >= 0 && lock_new (fd, folder))
        {
          self = g_new0 (AssayFileStaging, 1);
          g_ref_count_init (&self->refs);
          self->folder = g_steal_pointer (&folder);
          self->lock = fd;
          return self;
        }
      if (fd >= 0)
        close (fd);
    }

  fail (path, "the folder cannot be written to", errno, error);
  return NULL;
}

/**
 * assay_file_staging_free: (skip)
 * @self: (transfer full) (nullable): a folder whose writers are gone
 *
 * Removes a folder with what is left in it, or leaves that to the group that files in it have gone
 * to.
 */
void
assay_file_staging_free (AssayFileStaging *self)
{
  if (self == NULL || !g_ref_count_dec (&self->refs))
    return;

  remove_folder (self->folder);
  close (self->lock);
  g_free (self->folder);
  g_free (self);
}

static gboolean
open_temporary (AssayFileWriter *self, AssayFileStaging *staging)
{
  g_autofree char *parent = g_path_get_dirname (self->place);
  g_autofree char *prefix = hidden_prefix (self->place);
  g_autofree char *name = g_path_get_basename (self->place);

  if (staging != NULL)
    {
      self->temporary = g_build_filename (staging->folder, name, NULL);
      self->fd = g_open (self->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      return self->fd >= 0;
    }

  remove_leftovers (parent, prefix);
  for (guint i = 0; i < 10; i++)
    {
      g_autofree char *hidden = g_strconcat (prefix, RANDOM, NULL);

      g_free (self->temporary);
      self->temporary = g_build_filename (parent, hidden, NULL);
      self->fd = g_mkstemp_full (self->temporary, O_WRONLY | O_CLOEXEC, 0666);
      if (self->fd < 0)
        {
          g_clear_pointer (&self->temporary, g_free);
          return FALSE;
        }
      if (lock_new (self->fd, self->temporary))
        return TRUE;
      close (self->fd);
      self->fd = -1;
    }

  return FALSE;
}

/* Files of a group in one folder are there together. */
static AssayFileStaging *
find_staging (const AssayFileGroup *group, const char *place)
{
  g_autofree char *parent = g_path_get_dirname (place);

  for (guint i = 0; i < group->writers->len; i++)
    {
      const AssayFileWriter *writer = group->writers->pdata[i];
      g_autofree char *folder = g_path_get_dirname (writer->place);

      if (writer->staging != NULL && g_str_equal (folder, parent))
        {
          g_ref_count_inc (&writer->staging->refs);
          return writer->staging;
        }
    }

  return assay_file_staging_new (place, NULL);
}

/* One of them would be lost. */
static gboolean
is_named_once (const AssayFileGroup *group, const AssayFileWriter *self, GError **error)
{
  for (guint i = 0; i < group->writers->len; i++)
    {
      const AssayFileWriter *other = group->writers->pdata[i];

      if (!self->in_place && g_str_equal (other->place, self->place))
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_SAVE,
                       "%s: two things are to be written there", self->path);
          return FALSE;
        }
    }

  return TRUE;
}

/* What waits for somebody else ends with the work it is part of. */
static gboolean
is_cancelled (GError **error)
{
  const AssayProgress progress = ASSAY_PROGRESS_INIT (NULL, NULL, g_cancellable_get_current ());

  return !assay_progress_check (&progress, error);
}

/* Opening a pipe waits for a reader, for ever. */
static int
open_in_place (const char *path, const struct stat *about)
{
  gint64 until = g_get_monotonic_time () + READER_SECONDS * G_USEC_PER_SEC;
  int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY;
  int fd;

  if (!S_ISFIFO (about->st_mode))
    return g_open (path, flags, 0);

  while ((fd = g_open (path, flags | O_NONBLOCK, 0)) < 0 && errno == ENXIO &&
         g_get_monotonic_time () < until &&
         !g_cancellable_is_cancelled (g_cancellable_get_current ()))
    g_usleep (10 * G_TIME_SPAN_MILLISECOND);
  if (fd >= 0)
    fcntl (fd, F_SETFL, fcntl (fd, F_GETFL) & ~O_NONBLOCK);

  return fd;
}

/**
 * assay_file_writer_new: (skip)
 * @path: (type filename): where the file belongs; links are followed
 * @staging: (nullable): where it is until then, if it belongs together with others
 * @error: return location for a #GError
 *
 * Starts to write a file. A device or a pipe is written to as it is, because a file in its place
 * would destroy it, and a pipe has to have a reader; a file keeps its rights and, where that is
 * allowed, its owner.
 *
 * Returns: (transfer full) (nullable): the writer
 */
AssayFileWriter *
assay_file_writer_new (const char *path, AssayFileStaging *staging, GError **error)
{
  g_autoptr (AssayFileWriter) self = g_new0 (AssayFileWriter, 1);
  const AssayFileGroup *group = g_private_get (&entered);
  struct stat old, made;
  gboolean had;
  int standard, code;

  self->path = g_strdup (path);
  self->place = assay_file_follow_links (path);
  self->fd = -1;
  had = g_stat (path, &old) == 0;
  standard = had ? find_standard (&old) : -1;

  if (had && (S_ISDIR (old.st_mode) || staging != NULL) && !can_replace (path, &old, error))
    return NULL;
  if (had && (!S_ISREG (old.st_mode) || standard >= 0))
    {
      self->fd = standard >= 0 ? fcntl (standard, F_DUPFD_CLOEXEC, 3) : open_in_place (path, &old);
      self->in_place = TRUE;
      self->is_pipe = S_ISFIFO (old.st_mode);
      self->later = group != NULL ? g_byte_array_new () : NULL;
      if (self->fd >= 0)
        return g_steal_pointer (&self);
      code = errno;
      if (!is_cancelled (error))
        fail (path, self->is_pipe && code == ENXIO ? "nobody reads it" : "cannot be written", code,
              error);
      return NULL;
    }

  if (group != NULL && !is_named_once (group, self, error))
    return NULL;
  if (staging != NULL)
    g_ref_count_inc (&staging->refs);
  self->staging = staging != NULL || group == NULL ? staging : find_staging (group, self->place);
  if ((group != NULL && self->staging == NULL) || !open_temporary (self, self->staging))
    {
      fail (path, "cannot be written", errno, error);
      return NULL;
    }
  if (had)
    {
      if (old.st_uid != geteuid () || old.st_gid != getegid ())
        (void) !fchown (self->fd, old.st_uid, old.st_gid);
      /* A confined process may not change rights, and need not where they are the same. */
      if ((fstat (self->fd, &made) != 0 || ((made.st_mode ^ old.st_mode) & 0777) != 0) &&
          fchmod (self->fd, old.st_mode & 0777) != 0)
        {
          fail (path, "its rights cannot be kept", errno, error);
          return NULL;
        }
    }

  return g_steal_pointer (&self);
}

/**
 * assay_file_writer_free: (skip)
 * @self: (transfer full) (nullable): a writer
 *
 * Ends writing; what was not committed is gone.
 */
void
assay_file_writer_free (AssayFileWriter *self)
{
  if (self == NULL)
    return;

  if (self->temporary != NULL)
    g_unlink (self->temporary);
  if (self->fd >= 0)
    close (self->fd);
  assay_file_staging_free (self->staging);
  g_clear_pointer (&self->later, g_byte_array_unref);
  g_free (self->backup);
  g_free (self->temporary);
  g_free (self->place);
  g_free (self->path);
  g_free (self);
}

/**
 * assay_file_writer_get_temporary: (skip)
 * @self: a writer with a staging folder
 *
 * Gets where the file is until it is committed.
 *
 * Returns: (transfer none): a path
 */
const char *
assay_file_writer_get_temporary (const AssayFileWriter *self)
{
  return self->temporary;
}

/* Until somebody has read what is in a pipe. */
static gboolean
wait_pipe (AssayFileWriter *self, GError **error)
{
  GCancellable *cancellable = g_cancellable_get_current ();
  GPollFD cancelled = { .fd = -1 };
  gboolean ready = FALSE;

  if (cancellable == NULL || !g_cancellable_make_pollfd (cancellable, &cancelled))
    return TRUE;

  while (!ready && !is_cancelled (error))
    {
      struct pollfd fds[] = { { .fd = self->fd, .events = POLLOUT },
                              { .fd = cancelled.fd, .events = POLLIN } };

      ready = poll (fds, G_N_ELEMENTS (fds), -1) > 0 && fds[0].revents != 0;
    }
  g_cancellable_release_fd (cancellable);

  return ready;
}

/**
 * assay_file_writer_write: (skip)
 * @self: a writer
 * @data: what follows
 * @n: how many bytes
 * @error: return location for a #GError
 *
 * Writes. A pipe may let it wait, until the current #GCancellable of the thread is cancelled.
 *
 * Returns: whether all of it could be written
 */
gboolean
assay_file_writer_write (AssayFileWriter *self, gconstpointer data, gsize n, GError **error)
{
  const guint8 *at = data;

  if (self->later != NULL)
    {
      if (n > G_MAXUINT - self->later->len)
        return fail (self->path, "cannot be written", EFBIG, error);
      g_byte_array_append (self->later, data, (guint) n);
      self->at += n;
      return TRUE;
    }

  while (n > 0)
    {
      ssize_t written;
      int code;

      if (self->is_pipe && !wait_pipe (self, error))
        return FALSE;
      /* There is room for so much in a pipe that can be written to. */
      written = write (self->fd, at, MIN (n, self->is_pipe ? PIPE_BUF : (gsize) 1 << 30));
      code = errno;
      if (written < 0 && code == EINTR)
        continue;
      /* The kernel meets no handler: it says so instead. */
      if (written < 0 && code == EFAULT && assay_file_map_find (at) != NULL)
        {
          volatile guint8 touched = *at;

          (void) touched;
          if (!assay_file_map_check (assay_file_map_find (at), error))
            return FALSE;
        }
      if (written < 0)
        return fail (self->path, "cannot be written", code, error);
      at += written;
      n -= (gsize) written;
      self->at += (gsize) written;
    }

  return TRUE;
}

/**
 * assay_file_writer_skip_to: (skip)
 * @self: a writer
 * @offset: a place behind what was written
 * @error: return location for a #GError
 *
 * Leaves zeros up to a place.
 *
 * Returns: whether it could
 */
gboolean
assay_file_writer_skip_to (AssayFileWriter *self, gsize offset, GError **error)
{
  static const guint8 zeros[4096];

  while (self->in_place && self->at < offset)
    if (!assay_file_writer_write (self, zeros, MIN (offset - self->at, sizeof zeros), error))
      return FALSE;

  if (!self->in_place &&
      (ftruncate (self->fd, (off_t) offset) != 0 || lseek (self->fd, (off_t) offset, SEEK_SET) < 0))
    return fail (self->path, "cannot be written", errno, error);
  self->at = offset;

  return TRUE;
}

/**
 * assay_file_writer_finish: (skip)
 * @self: a writer
 * @error: return location for a #GError
 *
 * Makes sure that what was written is on the disk; it is not in its place yet.
 *
 * Returns: whether it is
 */
gboolean
assay_file_writer_finish (AssayFileWriter *self, GError **error)
{
  int fd = self->fd;

  if (self->later != NULL)
    return TRUE;
  /* Devices and pipes have no disk. */
  if (!g_private_get (&passing) && fsync (fd) != 0 && errno != EINVAL && errno != EROFS &&
      errno != ENOTSUP)
    return fail (self->path, "cannot be written", errno, error);
  if (!self->in_place)
    return TRUE;

  self->fd = -1;
  return close (fd) == 0 || fail (self->path, "cannot be written", errno, error);
}

/* The old file stays under another name until all are in place. */
static gboolean
keep_old (AssayFileWriter *self, GError **error)
{
  self->backup = g_strconcat (self->temporary, ".old", NULL);
  if (link (self->place, self->backup) == 0)
    return TRUE;
  /* Not all file systems have such links, and a folder that is there by now has none anyway. */
  if (g_file_test (self->place, G_FILE_TEST_IS_DIR))
    errno = EISDIR;
  else if (g_rename (self->place, self->backup) == 0)
    return TRUE;

  g_clear_pointer (&self->backup, g_free);
  return errno == ENOENT || fail (self->path, "cannot be replaced", errno, error);
}

static void
put_back (AssayFileWriter *self)
{
  if (self->in_place)
    return;
  if (self->backup != NULL)
    g_rename (self->backup, self->place);
  else if (self->temporary == NULL)
    g_unlink (self->place);
}

static gboolean
put_in_place (AssayFileWriter *self, gboolean keep, GError **error)
{
  if (self->in_place)
    return TRUE;
  if (keep && !keep_old (self, error))
    return FALSE;
  if (g_rename (self->temporary, self->place) != 0)
    return fail (self->path, "cannot be replaced", errno, error);

  g_clear_pointer (&self->temporary, g_free);
  return TRUE;
}

/* So that the new name is on the disk too. */
static gboolean
sync_folder (AssayFileWriter *self, GError **error)
{
  g_autofree char *parent = g_path_get_dirname (self->place);
  int fd = g_private_get (&passing) ? -1 : g_open (parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  gboolean failed = fd >= 0 && fsync (fd) != 0 && errno == EIO;

  if (fd >= 0)
    close (fd);

  return !failed || fail (self->path, "its folder cannot be written", EIO, error);
}

static gboolean
put_all_in_place (AssayFileWriter *const *writers, guint n_writers, GError **error)
{
  for (guint i = 0; i < n_writers; i++)
    {
      if (put_in_place (writers[i], n_writers > 1, error))
        continue;
      put_back (writers[i]);
      while (i-- > 0)
        put_back (writers[i]);
      return FALSE;
    }

  for (guint i = 0; i < n_writers; i++)
    {
      if (writers[i]->backup != NULL)
        g_unlink (writers[i]->backup);
      if (!writers[i]->in_place && !sync_folder (writers[i], error))
        return FALSE;
    }

  return TRUE;
}

/* Its folder is locked, the file itself needs nothing open any more. */
static void
join (AssayFileGroup *group, AssayFileWriter *writer)
{
  if (!writer->in_place)
    {
      close (writer->fd);
      writer->fd = -1;
    }
  g_ptr_array_add (group->writers, g_memdup2 (writer, sizeof *writer));
  *writer = (AssayFileWriter){ .fd = -1 };
}

/**
 * assay_file_writer_commit: (skip)
 * @writers: (array length=n_writers): files that belong together, all of them finished
 * @n_writers: how many; several have one staging folder
 * @error: return location for a #GError
 *
 * Puts files in their places, all of them or none; or leaves that to the group that the thread
 * writes for.
 *
 * Returns: whether they are there; otherwise what was there is there again
 */
gboolean
assay_file_writer_commit (AssayFileWriter *const *writers, guint n_writers, GError **error)
{
  AssayFileGroup *group = g_private_get (&entered);

  if (group == NULL)
    return put_all_in_place (writers, n_writers, error);

  for (guint i = 0; i < n_writers; i++)
    join (group, writers[i]);

  return TRUE;
}

/**
 * assay_file_write: (skip)
 * @path: (type filename): where to
 * @data: what
 * @n: how many bytes
 * @error: return location for a #GError
 *
 * Writes a file, whole or not at all; see assay_file_writer_new().
 *
 * Returns: whether it is written; otherwise %ASSAY_ERROR_SAVE
 */
gboolean
assay_file_write (const char *path, gconstpointer data, gsize n, GError **error)
{
  g_autoptr (AssayFileWriter) writer = assay_file_writer_new (path, NULL, error);

  return writer != NULL && assay_file_writer_write (writer, data, n, error) &&
         assay_file_writer_finish (writer, error) && assay_file_writer_commit (&writer, 1, error);
}

/**
 * assay_file_passing_enter: (skip)
 *
 * What this thread writes from here on passes to a reader that waits for it, and is deleted then:
 * nobody misses it when the machine ends, so the disk is not waited for.
 */
void
assay_file_passing_enter (void)
{
  g_private_set (&passing, GINT_TO_POINTER (TRUE));
}

/**
 * assay_file_passing_leave: (skip)
 *
 * What this thread writes from here on is there to stay.
 */
void
assay_file_passing_leave (void)
{
  g_private_set (&passing, NULL);
}

/**
 * assay_file_group_new: (skip)
 *
 * Makes a group. What a thread writes between assay_file_group_enter() and
 * assay_file_group_leave() belongs to it, by whatever function, and is not in its place before
 * assay_file_group_commit().
 *
 * Returns: (transfer full): the group
 */
AssayFileGroup *
assay_file_group_new (void)
{
  AssayFileGroup *self = g_new0 (AssayFileGroup, 1);

  self->writers = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_file_writer_free);

  return self;
}

/**
 * assay_file_group_free: (skip)
 * @self: (transfer full) (nullable): a group
 *
 * Ends a group; what was not committed is gone.
 */
void
assay_file_group_free (AssayFileGroup *self)
{
  if (self == NULL)
    return;

  g_ptr_array_unref (self->writers);
  g_free (self);
}

/**
 * assay_file_group_enter: (skip)
 * @self: a group
 *
 * Has everything that this thread writes belong to a group, up to assay_file_group_leave().
 */
void
assay_file_group_enter (AssayFileGroup *self)
{
  g_return_if_fail (g_private_get (&entered) == NULL);

  g_private_set (&entered, self);
}

/**
 * assay_file_group_leave: (skip)
 * @self: a group that was entered
 *
 * Ends what assay_file_group_enter() begins.
 */
void
assay_file_group_leave (AssayFileGroup *self)
{
  g_return_if_fail (g_private_get (&entered) == self);

  g_private_set (&entered, NULL);
}

/**
 * assay_file_group_commit: (skip)
 * @self: a group
 * @error: return location for a #GError
 *
 * Puts the files of a group in their places, all of them or none. All is on the disk by then, but
 * for what goes to devices and pipes: that is written first, because nothing can be put back there.
 *
 * Returns: whether they are there; otherwise what was there is there again
 */
gboolean
assay_file_group_commit (AssayFileGroup *self, GError **error)
{
  gboolean done = TRUE;

  for (guint i = 0; i < self->writers->len && done; i++)
    {
      AssayFileWriter *writer = self->writers->pdata[i];
      g_autoptr (GByteArray) bytes = g_steal_pointer (&writer->later);

      done = bytes == NULL || (assay_file_writer_write (writer, bytes->data, bytes->len, error) &&
                               assay_file_writer_finish (writer, error));
    }
  done = done && put_all_in_place ((AssayFileWriter *const *) self->writers->pdata,
                                   self->writers->len, error);
  g_ptr_array_set_size (self->writers, 0);

  return done;
}
