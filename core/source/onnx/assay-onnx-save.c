/* assay-onnx-save.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-onnx-write-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assay-error.h"

/* Bytes between two looks at the cancellable. */
#define CHUNK_BYTES ((gsize) 4 << 20)

typedef struct
{
  const char *path; /* where it belongs */
  char *temporary;  /* where it is written, in a folder beside it */
  int fd;
  gsize n_done; /* of both files */
  gsize n_total;
  const AssayProgress *progress;
} Output;

static gboolean
fail (Output *self, const char *doing, int code, GError **error)
{
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_SAVE, "%s: %s: %s; nothing was replaced", self->path,
               doing, g_strerror (code));
  return FALSE;
}

static gboolean
output_open (Output *self, const char *folder, GError **error)
{
  g_autofree char *name = g_path_get_basename (self->path);
  struct stat old;

  self->temporary = g_build_filename (folder, name, NULL);
  self->fd = g_open (self->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (self->fd < 0)
    return fail (self, "it cannot be written", errno, error);

  /* Whoever could read the old file can read the new one. */
  if (g_stat (self->path, &old) == 0 && fchmod (self->fd, old.st_mode & 0777) != 0)
    return fail (self, "its rights cannot be kept", errno, error);

  return TRUE;
}

static void
output_clear (Output *self)
{
  if (self->fd >= 0)
    close (self->fd);
  if (self->temporary != NULL)
    g_unlink (self->temporary);
  g_free (self->temporary);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Output, output_clear)

static gboolean
output_write (Output *self, const guint8 *data, gsize length, GError **error)
{
  while (length > 0)
    {
      ssize_t n = write (self->fd, data, MIN (length, CHUNK_BYTES));

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return fail (self, "it cannot be written", errno, error);
      if (!assay_progress_check (self->progress, error))
        return FALSE;

      data += n;
      length -= (gsize) n;
      self->n_done += (gsize) n;
      assay_progress_report (self->progress,
                             (double) self->n_done / (double) MAX (self->n_total, 1), "Writing");
    }

  return TRUE;
}

static gboolean
output_write_hole (Output *self, const AssayWireHole *hole, GError **error)
{
  gsize n_bytes;
  gconstpointer data = assay_tensor_get_data (hole->tensor, &n_bytes, error);

  if (data == NULL)
    {
      g_prefix_error (error, "%s: a constant cannot be read, nothing was replaced: ", self->path);
      return FALSE;
    }

  return output_write (self, data, hole->n_bytes, error);
}

static gboolean
output_close (Output *self, GError **error)
{
  int fd = self->fd;

  self->fd = -1;
  if (fsync (fd) != 0)
    {
      int code = errno;

      close (fd);
      return fail (self, "it cannot be written", code, error);
    }
  if (close (fd) != 0)
    return fail (self, "it cannot be written", errno, error);

  return TRUE;
}

static gboolean
write_message (Output *self, AssayWireMessage *message, GError **error)
{
  gsize at = 0;

  for (guint i = 0; i < message->holes->len; i++)
    {
      const AssayWireHole *hole = &g_array_index (message->holes, AssayWireHole, i);

      if (!output_write (self, message->bytes->data + at, hole->at - at, error) ||
          !output_write_hole (self, hole, error))
        return FALSE;
      at = hole->at;
    }

  return output_write (self, message->bytes->data + at, message->bytes->len - at, error);
}

static gboolean
write_beside (Output *self, const GArray *beside, GError **error)
{
  gsize at = 0;

  for (guint i = 0; i < beside->len; i++)
    {
      const AssayWireHole *hole = &g_array_index (beside, AssayWireHole, i);

      if (lseek (self->fd, (off_t) hole->at, SEEK_SET) < 0)
        return fail (self, "it cannot be written", errno, error);
      if (!output_write_hole (self, hole, error))
        return FALSE;
      at = hole->at + hole->n_bytes;
    }
  if (ftruncate (self->fd, (off_t) at) != 0)
    return fail (self, "it cannot be written", errno, error);

  return TRUE;
}

/* A folder that goes away with everything in it that was not moved out. */
typedef char Folder;

static void
folder_remove (Folder *self)
{
  g_rmdir (self);
  g_free (self);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Folder, folder_remove)

/* Puts the weights in place, then the model; a failure in between puts the old weights back. */
static gboolean
replace_both (Output *model, Output *beside, GError **error)
{
  g_autofree char *old = g_strconcat (beside->temporary, ".old", NULL);
  gboolean had = g_rename (beside->path, old) == 0;
  int code = 0;

  if (!had && errno != ENOENT)
    return fail (beside, "it cannot be replaced", errno, error);
  if (g_rename (beside->temporary, beside->path) != 0)
    code = errno;
  else if (g_rename (model->temporary, model->path) != 0)
    {
      code = errno;
      g_unlink (beside->path);
    }

  if (code == 0)
    {
      g_clear_pointer (&model->temporary, g_free);
      g_clear_pointer (&beside->temporary, g_free);
      if (had)
        g_unlink (old);
      return TRUE;
    }
  if (had)
    g_rename (old, beside->path);

  return fail (model, "it cannot be replaced", code, error);
}

static gboolean
write_files (Output *model, Output *weights, AssayWireMessage *message, const GArray *beside,
             const char *folder, GError **error)
{
  if (weights->path != NULL)
    {
      if (!output_open (weights, folder, error) || !write_beside (weights, beside, error) ||
          !output_close (weights, error))
        return FALSE;
      model->n_done = weights->n_done;
    }

  return output_open (model, folder, error) && write_message (model, message, error) &&
         output_close (model, error);
}

/**
 * assay_onnx_save:
 * @message: a ModelProto
 * @beside: (element-type AssayWireHole): weights that go into a file of their own
 * @location: (nullable): name of that file, in the folder of @path; %NULL if there is none
 * @path: where the model goes
 * @options: what has to hold before anything is replaced
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Writes a model into a new folder beside @path and then replaces what was there. Weights go from
 * where they are straight into the file.
 *
 * Returns: whether it is there, whole; otherwise everything is as before
 */
gboolean
assay_onnx_save (AssayWireMessage *message, const GArray *beside, const char *location,
                 const char *path, const AssayOnnxWriteOptions *options,
                 const AssayProgress *progress, GError **error)
{
  g_autofree char *parent = g_path_get_dirname (path);
  g_autofree char *weights_path = location == NULL ? NULL
                                                   : g_build_filename (parent, location, NULL);
  g_autoptr (Folder) folder = g_build_filename (parent, ".assay-XXXXXX", NULL);
  g_auto (Output) model = {
    .path = path, .fd = -1, .n_total = assay_wire_message_get_size (message), .progress = progress
  };
  g_auto (Output) weights = { .path = weights_path, .fd = -1, .progress = progress };

  for (guint i = 0; i < beside->len; i++)
    model.n_total += g_array_index (beside, AssayWireHole, i).n_bytes;
  weights.n_total = model.n_total;

  /* Replacing a device or a pipe by a file would destroy it. */
  if (g_file_test (path, G_FILE_TEST_EXISTS) && !g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return fail (&model, "only a file can be replaced",
                 g_file_test (path, G_FILE_TEST_IS_DIR) ? EISDIR : ENOTSUP, error);
  if (g_mkdtemp (folder) == NULL)
    return fail (&model, "the folder cannot be written to", errno, error);
  if (!write_files (&model, &weights, message, beside, folder, error))
    return FALSE;
  if (options->check != NULL && !options->check (model.temporary, options->check_data, error))
    return FALSE;
  if (location != NULL)
    return replace_both (&model, &weights, error);
  if (g_rename (model.temporary, model.path) != 0)
    return fail (&model, "it cannot be replaced", errno, error);
  g_clear_pointer (&model.temporary, g_free);

  return TRUE;
}
