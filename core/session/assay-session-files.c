/* assay-session-files.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The files behind a session: what changed on disk since it was read, and reading it again.
 */
#include "source/onnx/assay-external-data.h"
#include "session/assay-session-private.h"

void
assay_session_note_change (AssaySession *self, guint changed, guint cleared)
{
  guint now = (self->changed & ~cleared) | changed;

  if (self->changed == now)
    return;

  self->changed = now;
  g_object_notify (G_OBJECT (self), "changed-files");
}

static void
model_changed_cb (gboolean gone, gpointer data)
{
  assay_session_note_change (data, gone ? ASSAY_SESSION_MODEL_GONE : ASSAY_SESSION_MODEL_CHANGED,
                             gone ? ASSAY_SESSION_MODEL_CHANGED : ASSAY_SESSION_MODEL_GONE);
}

static void
target_changed_cb (gboolean gone, gpointer data)
{
  assay_session_note_change (data, gone ? ASSAY_SESSION_TARGET_GONE : ASSAY_SESSION_TARGET_CHANGED,
                             gone ? ASSAY_SESSION_TARGET_CHANGED : ASSAY_SESSION_TARGET_GONE);
}

/* Targets that ship are a part of the program and have no file. */
static gboolean
is_file (const char *target_id)
{
  return strchr (target_id, G_DIR_SEPARATOR) != NULL ||
         g_file_test (target_id, G_FILE_TEST_IS_REGULAR);
}

/* Before a worker reads: a file that changes while it is being read has changed. */
void
assay_session_watch_files (AssaySession *self, gboolean model, gboolean target)
{
  guint cleared = 0;

  if (model)
    {
      g_clear_pointer (&self->data_watches, g_ptr_array_unref);
      g_clear_pointer (&self->model_watch, assay_file_watch_free);
      self->model_watch = assay_file_watch_new (self->path, model_changed_cb, self);
      cleared |= ASSAY_SESSION_MODEL_CHANGED | ASSAY_SESSION_MODEL_GONE;
    }
  if (target)
    {
      g_clear_pointer (&self->target_watch, assay_file_watch_free);
      if (is_file (self->target_id))
        self->target_watch = assay_file_watch_new (self->target_id, target_changed_cb, self);
      cleared |= ASSAY_SESSION_TARGET_CHANGED | ASSAY_SESSION_TARGET_GONE;
    }

  assay_session_note_change (self, 0, cleared);
}

static void
data_changed_cb (gboolean gone, gpointer data)
{
  assay_session_note_change (data, ASSAY_SESSION_MODEL_CHANGED, 0);
}

/* A search for external data. */
typedef struct
{
  char *path;
  GPtrArray *files;
} Listing;

static void
listing_free (gpointer data)
{
  Listing *listing = data;

  g_free (listing->path);
  g_ptr_array_unref (listing->files);
  g_free (listing);
}

static gboolean
list_files (gpointer request, const AssayProgress *progress, GError **error)
{
  Listing *listing = request;
  g_autofree char *folder = g_path_get_dirname (listing->path);
  g_auto (GStrv) locations = assay_external_data_list (listing->path, NULL);

  for (guint i = 0; locations != NULL && locations[i] != NULL; i++)
    {
      char *file = assay_external_data_resolve (folder, locations[i], NULL);

      if (file != NULL)
        g_ptr_array_add (listing->files, file);
    }

  return TRUE;
}

static void
listed (gpointer owner, gpointer request, const GError *error)
{
  AssaySession *self = owner;
  const Listing *listing = request;

  if (g_strcmp0 (listing->path, self->path) != 0 || self->data_watches != NULL)
    return;

  self->data_watches = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_file_watch_free);
  for (guint i = 0; i < listing->files->len; i++)
    g_ptr_array_add (
        self->data_watches,
        assay_file_watch_new (g_ptr_array_index (listing->files, i), data_changed_cb, self));
}

/* Where weights lie outside of the model is known once that was read; finding it again takes no
 * time of opening. */
void
assay_session_watch_data (AssaySession *self)
{
  g_autoptr (AssayJob) job = assay_job_new ("Looking for weights");
  Listing *listing = g_new0 (Listing, 1);

  listing->path = g_strdup (self->path);
  listing->files = g_ptr_array_new_with_free_func (g_free);
  assay_job_start (job, list_files, listing, listing_free, listed, self);
}

void
assay_session_unwatch_files (AssaySession *self)
{
  g_clear_pointer (&self->data_watches, g_ptr_array_unref);
  g_clear_pointer (&self->model_watch, assay_file_watch_free);
  g_clear_pointer (&self->target_watch, assay_file_watch_free);
  assay_session_note_change (self, 0, G_MAXUINT);
}

/**
 * assay_session_get_changed_files:
 * @self: a session
 *
 * Gets which files are not those any more that were read.
 *
 * Returns: bits of #AssaySessionChange
 */
guint
assay_session_get_changed_files (AssaySession *self)
{
  return self->changed;
}

/**
 * assay_session_ignore_changed_files:
 * @self: a session
 *
 * Forgets what changed so far; the user wants to go on with what was read.
 */
void
assay_session_ignore_changed_files (AssaySession *self)
{
  g_return_if_fail (ASSAY_IS_SESSION (self));

  assay_session_note_change (self, 0, G_MAXUINT);
}
