/* assay-recovery.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "document/assay-recovery.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/file.h>
#include <unistd.h>

#define LOCK_SUFFIX ".lock"
#define STALE_SECONDS 60

/* Later than what is typed, earlier than anybody could be sorry. */
#define KEEP_MS 400

/* A file is that of a running program as long as somebody holds the lock beside it: no death is too
 * sudden for that. */
struct _AssayRecovery
{
  char *path;
  char *lock_path;
  int lock;
  GThreadPool *writer; /* one thread, so that what was said last is what stays */
  AssayRecoveryFunc capture;
  gpointer data;
  guint timeout;
  gboolean is_kept; /* there is something on disk */
};

/* Says that the file has to go. */
static AssaySessionFile nothing;

static char *
dup_folder (const char *folder)
{
  return folder != NULL ? g_strdup (folder)
                        : g_build_filename (g_get_user_state_dir (), "assay", "recovery", NULL);
}

static char *
lock_path_of (const char *path)
{
  return g_strconcat (path, LOCK_SUFFIX, NULL);
}

static void
write_cb (gpointer data, gpointer user_data)
{
  AssayRecovery *self = user_data;

  if (data == &nothing)
    {
      g_unlink (self->path);
      return;
    }

  /* A full disk costs only the net below the rope, and is said when the user saves. */
  assay_session_file_save (data, self->path, NULL);
  assay_session_file_unref (data);
}

/**
 * assay_recovery_new:
 * @folder: (nullable): where such files are; %NULL for the state folder of the user
 * @capture: tells what there is to keep
 * @data: data for @capture
 *
 * Begins to look after a session. Nothing is written yet.
 *
 * Returns: (transfer full) (nullable): what to keep the session with, %NULL if the folder cannot be
 * written to
 */
AssayRecovery *
assay_recovery_new (const char *folder, AssayRecoveryFunc capture, gpointer data)
{
  g_autofree char *place = dup_folder (folder);
  g_autofree char *id = g_uuid_string_random ();
  g_autofree char *name = g_strconcat (id, ASSAY_SESSION_SUFFIX, NULL);
  g_autofree char *path = g_build_filename (place, name, NULL);
  g_autofree char *lock_path = lock_path_of (path);
  AssayRecovery *self;
  int lock;

  if (g_mkdir_with_parents (place, 0700) != 0)
    return NULL;

  lock = g_open (lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0)
    return NULL;
  if (flock (lock, LOCK_EX | LOCK_NB) != 0)
    {
      close (lock);
      g_unlink (lock_path);
      return NULL;
    }

  self = g_new0 (AssayRecovery, 1);
  self->path = g_steal_pointer (&path);
  self->lock_path = g_steal_pointer (&lock_path);
  self->lock = lock;
  self->capture = capture;
  self->data = data;
  self->writer = g_thread_pool_new (write_cb, self, 1, FALSE, NULL);

  return self;
}

/**
 * assay_recovery_stop:
 * @self: a recovery
 *
 * Asks no more what there is to keep; what is on disk stays until it is freed.
 */
void
assay_recovery_stop (AssayRecovery *self)
{
  g_clear_handle_id (&self->timeout, g_source_remove);
  self->capture = NULL;
}

/**
 * assay_recovery_free:
 * @self: (nullable): a recovery
 *
 * Ends it: the session was closed by the user, so nothing of it is left.
 */
void
assay_recovery_free (AssayRecovery *self)
{
  if (self == NULL)
    return;

  assay_recovery_stop (self);
  g_thread_pool_free (self->writer, FALSE, TRUE);
  g_unlink (self->path);
  g_unlink (self->lock_path);
  close (self->lock);
  g_free (self->path);
  g_free (self->lock_path);
  g_free (self);
}

/**
 * assay_recovery_get_path:
 * @self: a recovery
 *
 * Gets the file in which the session is kept.
 *
 * Returns: (transfer none): its path
 */
const char *
assay_recovery_get_path (AssayRecovery *self)
{
  return self->path;
}

static gboolean
keep_cb (gpointer data)
{
  AssayRecovery *self = data;
  AssaySessionFile *file = self->capture (self->data);

  self->timeout = 0;
  if (file != NULL || self->is_kept)
    g_thread_pool_push (self->writer, file != NULL ? file : &nothing, NULL);
  self->is_kept = file != NULL;

  return G_SOURCE_REMOVE;
}

/**
 * assay_recovery_queue:
 * @self: a recovery
 *
 * Says that something changed: a moment later the session is written in a thread, in place of what
 * was written before, or what was written is taken away.
 */
void
assay_recovery_queue (AssayRecovery *self)
{
  if (self->capture != NULL && self->timeout == 0)
    self->timeout = g_timeout_add (KEEP_MS, keep_cb, self);
}

/**
 * assay_recovery_adopt:
 * @self: a recovery
 * @path: a file that was left behind
 *
 * Makes a file that was left behind the one of this session, so that at no moment there is none.
 *
 * Returns: whether it could be taken over
 */
gboolean
assay_recovery_adopt (AssayRecovery *self, const char *path)
{
  g_autofree char *lock_path = lock_path_of (path);

  if (g_rename (path, self->path) != 0)
    return FALSE;

  g_unlink (lock_path);
  self->is_kept = TRUE;
  return TRUE;
}

/**
 * assay_recovery_discard:
 * @path: a file that was left behind
 *
 * Deletes a file that was left behind.
 */
void
assay_recovery_discard (const char *path)
{
  g_autofree char *lock_path = lock_path_of (path);

  g_unlink (path);
  g_unlink (lock_path);
}

static void
recovered_free (gpointer data)
{
  AssayRecovered *self = data;

  g_free (self->path);
  g_free (self->model);
  g_free (self);
}

static gboolean
is_held (const char *path)
{
  g_autofree char *lock_path = lock_path_of (path);
  int lock = g_open (lock_path, O_RDWR | O_CLOEXEC, 0);
  gboolean held;

  if (lock < 0)
    return FALSE;

  held = flock (lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close (lock);
  return held;
}

/* What a program that ended suddenly before it had anything to keep left: a lock without a session.
 * One that is being made now is not held yet. */
static void
remove_stale_lock (const char *lock_path)
{
  g_autofree char *path = g_strndup (lock_path, strlen (lock_path) - strlen (LOCK_SUFFIX));
  GStatBuf info;

  if (g_stat (lock_path, &info) == 0 &&
      info.st_mtime < g_get_real_time () / G_USEC_PER_SEC - STALE_SECONDS &&
      !g_file_test (path, G_FILE_TEST_EXISTS) && !is_held (path))
    g_unlink (lock_path);
}

static int
compare_times (gconstpointer a, gconstpointer b)
{
  const AssayRecovered *first = *(const AssayRecovered *const *) a;
  const AssayRecovered *second = *(const AssayRecovered *const *) b;

  return first->time > second->time ? -1 : first->time < second->time;
}

/**
 * assay_recovery_list:
 * @folder: (nullable): where such files are; %NULL for the state folder of the user
 *
 * Lists what was left behind by programs that are not running any more. A file that cannot be read
 * is deleted.
 *
 * Returns: (transfer full) (element-type AssayRecovered): the sessions, the newest first
 */
GPtrArray *
assay_recovery_list (const char *folder)
{
  g_autofree char *place = dup_folder (folder);
  g_autoptr (GDir) dir = g_dir_open (place, 0, NULL);
  GPtrArray *list = g_ptr_array_new_with_free_func (recovered_free);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (place, name, NULL);
      g_autoptr (AssayFindings) findings = assay_findings_new ();
      g_autoptr (AssaySessionFile) file = NULL;
      AssayRecovered *recovered;
      GStatBuf info;

      if (g_str_has_suffix (name, ASSAY_SESSION_SUFFIX LOCK_SUFFIX))
        remove_stale_lock (path);
      if (!assay_session_file_has_suffix (name) || is_held (path) || g_stat (path, &info) != 0)
        continue;
      file = assay_session_file_load (path, findings, NULL);
      if (file == NULL)
        {
          assay_recovery_discard (path);
          continue;
        }

      recovered = g_new0 (AssayRecovered, 1);
      recovered->path = g_steal_pointer (&path);
      recovered->model = g_strdup (file->model);
      recovered->time = info.st_mtime;
      recovered->n_fixes = assay_edits_get_fixes (file->edits)->len;
      g_ptr_array_add (list, recovered);
    }
  g_ptr_array_sort (list, compare_times);

  return list;
}
