/* assay-file-save.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/window/assay-file-save.h"

#include "base/assay-error.h"
#include "base/assay-file-write.h"
#include "base/assay-npy.h"
#include "ui/window/assay-ui-markup.h"
#include "ui/window/assay-ui.h"

typedef struct
{
  char *path;
  char *count;
  AssayFileSaveWrite write;
  gpointer what;
  GDestroyNotify what_free;
} Saving;

static void
saving_free (gpointer data)
{
  Saving *saving = data;

  saving->what_free (saving->what);
  g_free (saving->path);
  g_free (saving->count);
  g_free (saving);
}

static gboolean
save (gpointer request, const AssayProgress *progress, GError **error)
{
  const Saving *saving = request;

  return saving->write (saving->what, saving->path, progress, error);
}

static void
saved (gpointer owner, gpointer request, const GError *error)
{
  const Saving *saving = request;
  g_autofree char *name = g_filename_display_basename (saving->path);
  g_autofree char *text = NULL;

  if (g_error_matches (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
    return;

  if (error != NULL)
    text = g_strdup_printf ("Not saved: %s", error->message);
  else if (saving->count != NULL)
    text = g_strdup_printf ("Saved %s in %s", saving->count, name);
  else
    text = g_strdup_printf ("Saved %s", name);
  assay_ui_toast (owner, text);
}

/**
 * assay_file_save:
 * @owner: a widget of the window that tells how it ended; if it goes, nothing is saved
 * @job: (transfer full): what the user sees of it
 * @path: (type filename): where to
 * @count: (nullable): what is saved, for the message, such as `50 nodes`
 * @write: writes the file
 * @what: (transfer full): what it writes
 * @what_free: frees @what
 *
 * Saves something large in a thread, since the window must not wait for it.
 */
void
assay_file_save (GtkWidget *owner, AssayJob *job, const char *path, const char *count,
                 AssayFileSaveWrite write, gpointer what, GDestroyNotify what_free)
{
  Saving *saving = g_new0 (Saving, 1);

  saving->path = g_strdup (path);
  saving->count = g_strdup (count);
  saving->write = write;
  saving->what = what;
  saving->what_free = what_free;
  assay_job_start (job, save, saving, saving_free, saved, owner);
  g_object_unref (job);
}

static gboolean
write_values (gpointer what, const char *path, const AssayProgress *progress, GError **error)
{
  return assay_npy_write (what, path, progress, error);
}

/**
 * assay_file_save_values:
 * @owner: as for assay_file_save()
 * @tensor: a tensor
 * @path: (type filename): where to
 *
 * Saves the values of a tensor as an array.
 */
void
assay_file_save_values (GtkWidget *owner, AssayTensor *tensor, const char *path)
{
  assay_file_save (owner, assay_job_new ("Saving values"), path, NULL, write_values,
                   assay_tensor_ref (tensor), (GDestroyNotify) assay_tensor_unref);
}

static gboolean
write_parts (gpointer what, const char *path, const AssayProgress *progress, GError **error)
{
  return assay_progress_check (progress, error) && assay_run_parts_save (what, path, error);
}

/**
 * assay_file_save_parts:
 * @owner: as for assay_file_save()
 * @parts: (transfer full): the tensors of a sequence, an optional or a map
 * @path: (type filename): where to
 *
 * Saves what is no tensor as one archive of arrays.
 */
void
assay_file_save_parts (GtkWidget *owner, AssayRunParts *parts, const char *path)
{
  assay_file_save (owner, assay_job_new ("Saving values"), path, NULL, write_parts, parts,
                   (GDestroyNotify) assay_run_parts_free);
}

static gboolean
write_bytes (gpointer what, const char *path, const AssayProgress *progress, GError **error)
{
  gsize length;
  const char *data = g_bytes_get_data (what, &length);

  return assay_progress_check (progress, error) && assay_file_write (path, data, length, error);
}

/**
 * assay_file_save_bytes:
 * @owner: as for assay_file_save()
 * @job: (transfer full): as for assay_file_save()
 * @path: (type filename): where to
 * @count: (nullable): what is saved, for the message
 * @bytes: (transfer full): the file
 *
 * Saves what is made already; who reads a pipe may let it wait.
 */
void
assay_file_save_bytes (GtkWidget *owner, AssayJob *job, const char *path, const char *count,
                       GBytes *bytes)
{
  assay_file_save (owner, job, path, count, write_bytes, bytes, (GDestroyNotify) g_bytes_unref);
}
