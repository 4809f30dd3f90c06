/* assay-file-watch.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "document/assay-file-watch.h"

#include <glib/gstdio.h>

/* Programs that save write in several steps, or remove a file before they put the new one in its
 * place. */
#define SETTLE_MS 200

typedef struct
{
  gboolean exists;
  guint64 inode;
  gint64 size;
  gint64 seconds;
  gint64 nanoseconds;
} Stamp;

struct _AssayFileWatch
{
  char *path;
  GFileMonitor *monitor;
  guint settle;
  Stamp read;     /* of the file as it was when it was read */
  Stamp reported; /* what the owner knows of */
  AssayFileWatchFunc func;
  gpointer data;
};

static Stamp
take_stamp (const char *path)
{
  Stamp stamp = { 0 };
  GStatBuf buffer;

  if (g_stat (path, &buffer) != 0)
    return stamp;

  stamp.exists = TRUE;
  stamp.inode = (guint64) buffer.st_ino;
  stamp.size = (gint64) buffer.st_size;
  stamp.seconds = (gint64) buffer.st_mtim.tv_sec;
  stamp.nanoseconds = (gint64) buffer.st_mtim.tv_nsec;

  return stamp;
}

static gboolean
same_stamp (const Stamp *a, const Stamp *b)
{
  return a->exists == b->exists && a->inode == b->inode && a->size == b->size &&
         a->seconds == b->seconds && a->nanoseconds == b->nanoseconds;
}

static gboolean
settle_cb (gpointer data)
{
  AssayFileWatch *self = data;
  Stamp now = take_stamp (self->path);

  self->settle = 0;
  if (!same_stamp (&now, &self->read) && !same_stamp (&now, &self->reported))
    {
      self->reported = now;
      self->func (!now.exists, self->data);
    }

  return G_SOURCE_REMOVE;
}

static void
changed_cb (AssayFileWatch *self)
{
  g_clear_handle_id (&self->settle, g_source_remove);
  self->settle = g_timeout_add (SETTLE_MS, settle_cb, self);
}

/**
 * assay_file_watch_new:
 * @path: path of a file that is about to be read
 * @func: called when the file is another one
 * @data: data for @func
 *
 * Watches a file from now on. Where the system cannot watch it nothing is ever told.
 *
 * Returns: (transfer full): the watch
 */
AssayFileWatch *
assay_file_watch_new (const char *path, AssayFileWatchFunc func, gpointer data)
{
  AssayFileWatch *self = g_new0 (AssayFileWatch, 1);
  g_autoptr (GFile) file = g_file_new_for_path (path);

  self->path = g_strdup (path);
  self->func = func;
  self->data = data;
  self->read = self->reported = take_stamp (path);
  self->monitor = g_file_monitor_file (file, G_FILE_MONITOR_WATCH_MOVES, NULL, NULL);
  if (self->monitor != NULL)
    g_signal_connect_swapped (self->monitor, "changed", G_CALLBACK (changed_cb), self);

  return self;
}

/**
 * assay_file_watch_free:
 * @self: (nullable): a watch
 *
 * Ends a watch; its function is not called any more.
 */
void
assay_file_watch_free (AssayFileWatch *self)
{
  if (self == NULL)
    return;

  if (self->monitor != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->monitor, self);
      g_file_monitor_cancel (self->monitor);
    }
  g_clear_object (&self->monitor);
  g_clear_handle_id (&self->settle, g_source_remove);
  g_free (self->path);
  g_free (self);
}
