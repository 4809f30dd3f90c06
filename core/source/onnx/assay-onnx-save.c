/* assay-onnx-save.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-onnx-write-private.h"

#include <string.h>

#include "base/assay-error.h"
#include "base/assay-file-write.h"

/* Bytes between two looks at the cancellable. */
#define CHUNK_BYTES ((gsize) 4 << 20)

/* How far all files are. */
typedef struct
{
  gsize n_done;
  gsize n_total;
  const AssayProgress *progress;
} Meter;

static gboolean
write_chunks (AssayFileWriter *file, Meter *meter, const guint8 *data, gsize length, GError **error)
{
  while (length > 0)
    {
      gsize n = MIN (length, CHUNK_BYTES);

      if (!assay_file_writer_write (file, data, n, error) ||
          !assay_progress_check (meter->progress, error))
        return FALSE;

      data += n;
      length -= n;
      meter->n_done += n;
      assay_progress_report (meter->progress,
                             (double) meter->n_done / (double) MAX (meter->n_total, 1), "Writing");
    }

  return TRUE;
}

static gboolean
write_hole (AssayFileWriter *file, Meter *meter, const AssayWireHole *hole, GError **error)
{
  gsize n_bytes;
  gconstpointer data = assay_tensor_get_data (hole->tensor, &n_bytes, error);

  if (data == NULL)
    {
      g_prefix_error (error, "a constant cannot be read: ");
      return FALSE;
    }

  return write_chunks (file, meter, data, hole->n_bytes, error) &&
         assay_tensor_check (hole->tensor, error);
}

static gboolean
write_message (AssayFileWriter *file, Meter *meter, AssayWireMessage *message, GError **error)
{
  gsize at = 0;

  for (guint i = 0; i < message->holes->len; i++)
    {
      const AssayWireHole *hole = &g_array_index (message->holes, AssayWireHole, i);

      if (!write_chunks (file, meter, message->bytes->data + at, hole->at - at, error) ||
          !write_hole (file, meter, hole, error))
        return FALSE;
      at = hole->at;
    }

  return write_chunks (file, meter, message->bytes->data + at, message->bytes->len - at, error) &&
         assay_file_writer_finish (file, error);
}

static gboolean
write_beside (AssayFileWriter *file, Meter *meter, const GArray *beside, GError **error)
{
  for (guint i = 0; i < beside->len; i++)
    {
      const AssayWireHole *hole = &g_array_index (beside, AssayWireHole, i);

      if (!assay_file_writer_skip_to (file, hole->at, error) ||
          !write_hole (file, meter, hole, error))
        return FALSE;
    }

  return assay_file_writer_finish (file, error);
}

static gboolean
write_files (AssayWireMessage *message, const GArray *beside, const char *weights_path,
             const char *path, const AssayOnnxWriteOptions *options, Meter *meter, GError **error)
{
  g_autoptr (AssayFileStaging) staging = assay_file_staging_new (path, error);
  g_autoptr (AssayFileWriter) weights = NULL;
  g_autoptr (AssayFileWriter) model = NULL;

  if (staging == NULL)
    return FALSE;
  if (weights_path != NULL)
    {
      weights = assay_file_writer_new (weights_path, staging, error);
      if (weights == NULL || !write_beside (weights, meter, beside, error))
        return FALSE;
    }

  model = assay_file_writer_new (path, staging, error);
  if (model == NULL || !write_message (model, meter, message, error) ||
      (options->check != NULL &&
       !options->check (assay_file_writer_get_temporary (model), options->check_data, error)))
    return FALSE;

  return assay_file_writer_commit ((AssayFileWriter *const[]){ model, weights },
                                   weights != NULL ? 2 : 1, error);
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
  Meter meter = { .n_total = assay_wire_message_get_size (message), .progress = progress };
  g_autoptr (GError) local = NULL;

  for (guint i = 0; i < beside->len; i++)
    meter.n_total += g_array_index (beside, AssayWireHole, i).n_bytes;
  if (write_files (message, beside, weights_path, path, options, &meter, &local))
    return TRUE;

  if (!g_error_matches (local, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
    {
      if (strstr (local->message, path) == NULL)
        g_prefix_error (&local, "%s: ", path);
      g_propagate_error (error, g_error_new (local->domain, local->code, "%s; nothing was replaced",
                                             local->message));
      return FALSE;
    }

  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}
