/* assay-run-files.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run/assay-run-files.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#include "base/assay-error.h"
#include "base/assay-npy.h"
#include "run/assay-run-parts.h"

/**
 * assay_run_file_name:
 * @name: name of an output, a value or a runner, which may hold anything
 *
 * Makes a file name without its ending: what is not a letter, digit, `-`, `_` or `.` becomes `_`.
 *
 * Returns: (transfer full): the name
 */
char *
assay_run_file_name (const char *name)
{
  char *safe = g_strdup (*name != '\0' ? name : "_");

  for (char *c = safe; *c != 0; c++)
    {
      if (!g_ascii_isalnum (*c) && strchr ("-_.", *c) == NULL)
        *c = '_';
    }
  if (safe[0] == '.')
    safe[0] = '_';
  /* Longest that every file system takes, with the ending. */
  if (strlen (safe) > 200)
    safe[200] = '\0';

  return safe;
}

/**
 * assay_run_files_name:
 * @folder: a folder
 * @ports: (array length=n): outputs
 * @n: number of entries
 *
 * Names the file of every output: `.npy`, or `.npz` of one that is no tensor, which all its parts
 * share. Outputs that would get the same name are numbered.
 *
 * Returns: (transfer full) (element-type filename): one path per output
 */
GPtrArray *
assay_run_files_name (const char *folder, const AssayRunPort *ports, guint n)
{
  GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) taken = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < n; i++)
    {
      const char *name = ports[i].whole != NULL ? ports[i].whole : ports[i].name;
      const char *ending = ports[i].whole != NULL || ports[i].other != NULL ? ".npz" : ".npy";
      g_autofree char *stem = assay_run_file_name (name);
      g_autofree char *file = g_strconcat (stem, ending, NULL);
      char *path;

      if (i > 0 && ports[i].whole != NULL && ports[i].output == ports[i - 1].output)
        {
          g_ptr_array_add (paths, g_strdup (g_ptr_array_index (paths, i - 1)));
          continue;
        }

      path = g_build_filename (folder, file, NULL);
      if (g_hash_table_contains (taken, path))
        {
          g_free (path);
          g_free (file);
          file = g_strdup_printf ("%s-%u%s", stem, ports[i].output, ending);
          path = g_build_filename (folder, file, NULL);
        }
      g_hash_table_add (taken, path);
      g_ptr_array_add (paths, path);
    }

  return paths;
}

/* All parts of one output. */
static gboolean
save_parts (const char *path, const AssayRunPort *ports, GPtrArray *tensors, guint first,
            GError **error)
{
  g_autoptr (AssayRunParts) parts = assay_run_parts_new ();

  for (guint i = first; i < tensors->len && ports[i].output == ports[first].output; i++)
    assay_run_parts_add (parts, ports[i].part, g_ptr_array_index (tensors, i));

  return assay_run_parts_save (parts, path, error);
}

/**
 * assay_run_files_save:
 * @folder: a folder, made if it does not exist
 * @ports: (array): the outputs
 * @tensors: (element-type AssayTensor): their values
 * @error: return location for a #GError
 *
 * Writes every output as `.npy`, or `.npz` if it is no tensor, where the runner `files:` finds them
 * again.
 *
 * Returns: (transfer full) (nullable) (element-type filename): the files
 */
GPtrArray *
assay_run_files_save (const char *folder, const AssayRunPort *ports, GPtrArray *tensors,
                      GError **error)
{
  g_autoptr (GPtrArray) paths = assay_run_files_name (folder, ports, tensors->len);

  if (g_mkdir_with_parents (folder, 0777) < 0)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IO, "%s: %s", folder, g_strerror (errno));
      return NULL;
    }

  for (guint i = 0; i < tensors->len; i++)
    {
      const char *path = g_ptr_array_index (paths, i);
      gboolean saved;

      if (ports[i].whole == NULL)
        saved = assay_npy_save (g_ptr_array_index (tensors, i), path, error);
      else if (i == 0 || ports[i].output != ports[i - 1].output)
        saved = save_parts (path, ports, tensors, i, error);
      else
        continue;
      if (!saved)
        {
          g_prefix_error (error, "output %s: ", ports[i].name);
          return NULL;
        }
    }

  return g_steal_pointer (&paths);
}
