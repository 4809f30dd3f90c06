/* assay-file-stamp.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "document/assay-file-stamp.h"

#include <gio/gio.h>
#include <gio/gunixinputstream.h>

#include "base/assay-error.h"
#include "base/assay-file-read.h"

/* Between two looks at the cancellable. */
#define DIGEST_BLOCK (1024 * 1024)

/**
 * assay_file_stamp_new:
 * @location: (nullable): where the file is, relative to the folder of a model
 *
 * Makes a stamp of nothing yet.
 *
 * Returns: (transfer full): the stamp
 */
AssayFileStamp *
assay_file_stamp_new (const char *location)
{
  AssayFileStamp *self = g_new (AssayFileStamp, 1);

  *self = (AssayFileStamp) ASSAY_FILE_STAMP_INIT;
  self->location = g_strdup (location);
  return self;
}

void
assay_file_stamp_free (AssayFileStamp *self)
{
  if (self == NULL)
    return;

  g_free (self->location);
  g_free (self->digest);
  g_free (self);
}

/**
 * assay_file_stamp_clear:
 * @self: a stamp
 *
 * Makes it one of a file that nobody has read, in the same place.
 */
void
assay_file_stamp_clear (AssayFileStamp *self)
{
  g_clear_pointer (&self->digest, g_free);
  self->n_bytes = self->modified = -1;
}

/**
 * assay_file_stamp_set:
 * @self: a stamp
 * @other: another one
 *
 * Takes over what the other one says of a file; the place stays.
 */
void
assay_file_stamp_set (AssayFileStamp *self, const AssayFileStamp *other)
{
  char *digest = g_strdup (other->digest);

  g_free (self->digest);
  self->digest = digest;
  self->n_bytes = other->n_bytes;
  self->modified = other->modified;
}

static gboolean
stat_file (const char *path, gint64 *n_bytes, gint64 *modified, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GError) local = NULL;
  g_autoptr (GFileInfo) info = g_file_query_info (file,
                                                  G_FILE_ATTRIBUTE_STANDARD_SIZE
                                                  "," G_FILE_ATTRIBUTE_TIME_MODIFIED
                                                  "," G_FILE_ATTRIBUTE_TIME_MODIFIED_USEC,
                                                  G_FILE_QUERY_INFO_NONE, NULL, &local);

  if (info == NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IO, "%s: %s", path, local->message);
      return FALSE;
    }

  *n_bytes = g_file_info_get_size (info);
  *modified = (gint64) g_file_info_get_attribute_uint64 (info, G_FILE_ATTRIBUTE_TIME_MODIFIED) *
                  G_USEC_PER_SEC +
              g_file_info_get_attribute_uint32 (info, G_FILE_ATTRIBUTE_TIME_MODIFIED_USEC);
  return TRUE;
}

static char *
digest_file (const char *path, gint64 n_bytes, const AssayProgress *progress, GError **error)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  int fd = assay_file_open (path, NULL, error);
  g_autoptr (GInputStream) stream = fd >= 0 ? g_unix_input_stream_new (fd, TRUE) : NULL;
  g_autoptr (GError) local = NULL;
  g_autofree guchar *block = g_malloc (DIGEST_BLOCK);
  gint64 done = 0;
  gssize n = 0;

  if (stream == NULL)
    return NULL;
  while ((n = g_input_stream_read (stream, block, DIGEST_BLOCK, NULL, &local)) > 0)
    {
      g_checksum_update (checksum, block, n);
      done += n;
      assay_progress_report (
          progress, n_bytes > 0 ? MIN (1.0, (double) done / (double) n_bytes) : 1.0, "Digest");
      if (!assay_progress_check (progress, error))
        return NULL;
    }

  if (local != NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IO, "%s: %s", path, local->message);
      return NULL;
    }

  return g_strdup (g_checksum_get_string (checksum));
}

/**
 * assay_file_stamp_take:
 * @self: a stamp
 * @path: path of a file
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Notes digest, size and time of a file; a digest that is there already stays while size and time
 * are those it was made for.
 *
 * Returns: whether the file could be read
 */
gboolean
assay_file_stamp_take (AssayFileStamp *self, const char *path, const AssayProgress *progress,
                       GError **error)
{
  gint64 n_bytes, modified;
  char *digest;

  if (!stat_file (path, &n_bytes, &modified, error))
    return FALSE;
  if (self->digest != NULL && self->n_bytes == n_bytes && self->modified == modified)
    return TRUE;

  digest = digest_file (path, n_bytes, progress, error);
  if (digest == NULL)
    return FALSE;

  g_free (self->digest);
  self->digest = digest;
  self->n_bytes = n_bytes;
  self->modified = modified;
  return TRUE;
}

/**
 * assay_file_stamp_match:
 * @self: a stamp
 * @path: path of a file
 * @progress: (nullable): progress and cancel
 * @same: (out): whether it is the file that the stamp is of; one that nobody has read may be any
 * @error: return location for a #GError
 *
 * Compares a file with a stamp by its contents: a time can be set back, and a copy has another one.
 * Only a file of over %ASSAY_FILE_STAMP_ALWAYS bytes counts as the same by size and time alone.
 *
 * Returns: whether the file could be read
 */
gboolean
assay_file_stamp_match (const AssayFileStamp *self, const char *path, const AssayProgress *progress,
                        gboolean *same, GError **error)
{
  g_autofree char *digest = NULL;
  gint64 n_bytes, modified;

  *same = TRUE;
  if (!stat_file (path, &n_bytes, &modified, error))
    return FALSE;
  if (self->digest == NULL ||
      (n_bytes > ASSAY_FILE_STAMP_ALWAYS && self->n_bytes == n_bytes && self->modified == modified))
    return TRUE;

  *same = FALSE;
  if (self->n_bytes >= 0 && self->n_bytes != n_bytes)
    return TRUE;

  digest = digest_file (path, n_bytes, progress, error);
  if (digest == NULL)
    return FALSE;

  *same = g_str_equal (digest, self->digest);
  return TRUE;
}
