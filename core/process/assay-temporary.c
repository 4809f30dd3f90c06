/* assay-temporary.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What this process has made and must not leave behind: folders for a while, and groups of
 * children. Who made them removes them; a process that has to end at once removes what is left.
 */
#include "process/assay-temporary.h"

#include <signal.h>
#include <unistd.h>

#include "base/assay-error.h"
#include "process/assay-remove.h"
#include "process/assay-watch.h"

/* How often the lock is tried at the end, ten milliseconds apart. */
#define MOST_TRIES 20

typedef struct
{
  char *path;
  int lock; /* -1 for none */
} Folder;

static struct
{
  GMutex lock;
  GArray *folders; /* Folder */
  GArray *groups;  /* GPid */
  gboolean ended;
} temporary;

static void
say_group (char what, GPid pid)
{
  char text[24];

  g_snprintf (text, sizeof text, "%d", pid);
  assay_watch_say (what, text);
}

/**
 * assay_temporary_folder:
 * @purpose: a word for its name
 * @error: return location for a #GError
 *
 * Makes a folder that only this user can read, where temporary files go.
 *
 * Returns: (transfer full) (nullable): its path, for assay_temporary_delete()
 */
char *
assay_temporary_folder (const char *purpose, GError **error)
{
  g_autofree char *pattern = g_strdup_printf ("assay-%s-XXXXXX", purpose);
  g_autoptr (GError) cause = NULL;
  char *path = NULL;

  g_mutex_lock (&temporary.lock);
  if (!temporary.ended)
    path = g_dir_make_tmp (pattern, &cause);
  if (path != NULL)
    {
      const Folder folder = { g_strdup (path), assay_watch_lock (path) };

      if (temporary.folders == NULL)
        {
          temporary.folders = g_array_new (FALSE, FALSE, sizeof (Folder));
          assay_watch_sweep ();
        }
      g_array_append_val (temporary.folders, folder);
      assay_watch_say (ASSAY_WATCH_FOLDER, path);
    }
  g_mutex_unlock (&temporary.lock);

  if (path == NULL)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IO, "temporary folder: %s",
                 cause != NULL ? cause->message : "the program ends");

  return path;
}

/**
 * assay_temporary_delete:
 * @path: a folder of assay_temporary_folder()
 *
 * Deletes the folder and everything in it.
 */
void
assay_temporary_delete (const char *path)
{
  assay_remove_tree (path);

  g_mutex_lock (&temporary.lock);
  for (guint i = 0; temporary.folders != NULL && i < temporary.folders->len; i++)
    {
      const Folder folder = g_array_index (temporary.folders, Folder, i);

      if (g_str_equal (folder.path, path))
        {
          g_array_remove_index_fast (temporary.folders, i);
          assay_watch_say (ASSAY_WATCH_FOLDER_REMOVED, path);
          if (folder.lock >= 0)
            close (folder.lock);
          g_free (folder.path);
          break;
        }
    }
  g_mutex_unlock (&temporary.lock);
}

/**
 * assay_temporary_kill_group:
 * @pid: a child that is not waited for yet
 *
 * Kills the group that it leads, or the child alone if it has none of its own.
 */
void
assay_temporary_kill_group (GPid pid)
{
  if (kill (-pid, SIGKILL) != 0)
    kill (pid, SIGKILL);
}

/**
 * assay_temporary_add_group:
 * @pid: a child that leads a group of its own
 *
 * Says that a group of processes ends with this process.
 */
void
assay_temporary_add_group (GPid pid)
{
  g_mutex_lock (&temporary.lock);
  if (temporary.groups == NULL)
    temporary.groups = g_array_new (FALSE, FALSE, sizeof (GPid));
  g_array_append_val (temporary.groups, pid);
  say_group (ASSAY_WATCH_GROUP, pid);
  if (temporary.ended)
    assay_temporary_kill_group (pid);
  g_mutex_unlock (&temporary.lock);
}

/**
 * assay_temporary_remove_group:
 * @pid: a child of assay_temporary_add_group() that is not waited for yet
 *
 * Says that the group has ended.
 */
void
assay_temporary_remove_group (GPid pid)
{
  g_mutex_lock (&temporary.lock);
  for (guint i = 0; temporary.groups != NULL && i < temporary.groups->len; i++)
    {
      if (g_array_index (temporary.groups, GPid, i) == pid)
        {
          g_array_remove_index_fast (temporary.groups, i);
          say_group (ASSAY_WATCH_GROUP_ENDED, pid);
          break;
        }
    }
  g_mutex_unlock (&temporary.lock);
}

/**
 * assay_temporary_end:
 *
 * Kills the children and deletes the folders that are left, whoever still uses them. The process
 * ends behind it.
 */
void
assay_temporary_end (void)
{
  gboolean locked = g_mutex_trylock (&temporary.lock);

  /* Who holds it may be this thread, which found no memory meanwhile. */
  for (guint i = 0; !locked && i < MOST_TRIES; i++)
    {
      g_usleep (10 * G_TIME_SPAN_MILLISECOND);
      locked = g_mutex_trylock (&temporary.lock);
    }
  temporary.ended = TRUE;
  for (guint i = 0; temporary.groups != NULL && i < temporary.groups->len; i++)
    assay_temporary_kill_group (g_array_index (temporary.groups, GPid, i));
  for (guint i = 0; temporary.folders != NULL && i < temporary.folders->len; i++)
    assay_remove_tree (g_array_index (temporary.folders, Folder, i).path);
  if (locked)
    g_mutex_unlock (&temporary.lock);
}
