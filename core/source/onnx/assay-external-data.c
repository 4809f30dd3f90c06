/* assay-external-data.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-external-data.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assay-error.h"
#include "base/assay-file-map.h"

static gboolean
location_is_relative (const char *location, GError **error)
{
  g_auto (GStrv) parts = NULL;

  if (location[0] == '\0' || g_path_is_absolute (location) || strchr (location, '\\') != NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                   "external data at \"%s\", expected a path relative to the model", location);
      return FALSE;
    }

  parts = g_strsplit (location, "/", -1);
  if (g_strv_contains ((const char *const *) parts, ".."))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                   "external data at \"%s\" would leave the folder of the model", location);
      return FALSE;
    }

  return TRUE;
}

static char *
resolve_inside (const char *folder, const char *location, GError **error)
{
  g_autofree char *joined = g_build_filename (folder, location, NULL);
  g_autofree char *prefix = NULL;
  char *root = realpath (folder, NULL);
  char *path = realpath (joined, NULL);
  int saved = errno;
  char *result = NULL;

  if (root == NULL || path == NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IO, "external data at \"%s\": %s", location,
                   g_strerror (saved));
    }
  else
    {
      prefix = strcmp (root, "/") == 0 ? g_strdup ("/") : g_strconcat (root, "/", NULL);
      if (g_str_has_prefix (path, prefix))
        result = g_strdup (path);
      else
        g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                     "external data at \"%s\" is a link that leaves the folder of the model",
                     location);
    }

  free (root);
  free (path);

  return result;
}

/**
 * assay_external_data_resolve:
 * @folder: the folder of the model
 * @location: where the model says its data is, relative to the folder
 * @error: return location for a #GError
 *
 * Finds a file of external data, if it is there and lies inside the folder of the model.
 *
 * Returns: (transfer full) (nullable): its path, without any link in it
 */
char *
assay_external_data_resolve (const char *folder, const char *location, GError **error)
{
  return location_is_relative (location, error) ? resolve_inside (folder, location, error) : NULL;
}

/**
 * assay_external_data_map:
 * @folder: the folder of the model
 * @location: where the model says its data is, relative to the folder
 * @error: return location for a #GError
 *
 * Maps a file of external data without reading it, if it lies inside the folder of the model.
 *
 * Returns: (transfer full) (nullable): its bytes
 */
GBytes *
assay_external_data_map (const char *folder, const char *location, GError **error)
{
  GBytes *bytes;
  g_autofree char *path = NULL;
  struct stat info;
  int fd;

  path = assay_external_data_resolve (folder, location, error);
  if (path == NULL)
    return NULL;

  /* The path has no link left; one that appears now is not followed, and a pipe does not block. */
  fd = open (path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0 || fstat (fd, &info) != 0 || !S_ISREG (info.st_mode))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IO, "external data at \"%s\": %s", location,
                   fd < 0 ? g_strerror (errno) : "not a regular file");
      if (fd >= 0)
        close (fd);
      return NULL;
    }

  bytes = assay_file_map_new_from_fd (fd, path, error);
  close (fd);
  if (bytes == NULL)
    g_prefix_error (error, "external data at \"%s\": ", location);

  return bytes;
}
