/* assay-trust.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Which files may start the programs that they name: one small file per answer in the state folder
 * of the user, named after what was asked about.
 */
#include "document/assay-trust.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#include "base/assay-error.h"
#include "base/assay-file-map.h"
#include "base/assay-file-write.h"

/* What is summed up at a time. */
#define STEP ((gsize) 16 << 20)

static char *
dup_place (const char *key)
{
  return g_build_filename (g_get_user_state_dir (), "assay", "trusted", key, NULL);
}

/* With the folder of a file. */
static GChecksum *
new_sum (const char *path)
{
  GChecksum *sum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autofree char *absolute = g_canonicalize_filename (path, NULL);
  g_autofree char *folder = g_path_get_dirname (absolute);

  g_checksum_update (sum, (const guchar *) folder, (gssize) strlen (folder) + 1);

  return sum;
}

/**
 * assay_trust_dup_key:
 * @path: path of a file
 * @contents: what is in it
 * @length: how many bytes
 *
 * Names what a user is asked about: these contents in this folder. What is changed or carried
 * elsewhere is another thing, and is asked about again.
 *
 * Returns: (transfer full): hexadecimal digits
 */
char *
assay_trust_dup_key (const char *path, gconstpointer contents, gsize length)
{
  g_autoptr (GChecksum) sum = new_sum (path);

  g_checksum_update (sum, contents, (gssize) length);

  return g_strdup (g_checksum_get_string (sum));
}

/**
 * assay_trust_dup_file_key:
 * @path: path of a file
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Names what a user is asked about, of a file as it is now.
 *
 * Returns: (transfer full) (nullable): hexadecimal digits
 */
char *
assay_trust_dup_file_key (const char *path, const AssayProgress *progress, GError **error)
{
  g_autoptr (GBytes) bytes = assay_file_map_new (path, error);
  g_autoptr (GChecksum) sum = new_sum (path);
  const guchar *data;
  gsize length;

  if (bytes == NULL)
    return NULL;
  data = g_bytes_get_data (bytes, &length);
  for (gsize at = 0; at < length; at += STEP)
    {
      assay_progress_report (progress, (double) at / (double) length, "Digest");
      if (!assay_progress_check (progress, error))
        return NULL;
      g_checksum_update (sum, data + at, (gssize) MIN (STEP, length - at));
    }

  return g_strdup (g_checksum_get_string (sum));
}

/**
 * assay_trust_has:
 * @key: of assay_trust_dup_key()
 *
 * Tells whether the user has said that this file may start the programs that it names.
 *
 * Returns: whether it may
 */
gboolean
assay_trust_has (const char *key)
{
  g_autofree char *place = dup_place (key);

  return g_file_test (place, G_FILE_TEST_IS_REGULAR);
}

/**
 * assay_trust_add:
 * @key: of assay_trust_dup_key()
 * @path: path of the file, for people who look at what they have allowed
 * @error: return location for a #GError
 *
 * Keeps that this file may start the programs that it names.
 *
 * Returns: whether it is kept
 */
gboolean
assay_trust_add (const char *key, const char *path, GError **error)
{
  g_autofree char *place = dup_place (key);
  g_autofree char *folder = g_path_get_dirname (place);
  g_autofree char *line = g_strconcat (path, "\n", NULL);

  if (g_mkdir_with_parents (folder, 0700) != 0)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_SAVE, "%s: %s", folder, g_strerror (errno));
      return FALSE;
    }

  return assay_file_write (place, line, strlen (line), error);
}
