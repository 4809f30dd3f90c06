/* assay-helper.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "process/assay-helper.h"

#include "base/assay-error.h"
#include "process/assay-installation.h"

/**
 * assay_helper_find:
 * @name: name of a program of ours, such as `assay-board`
 * @error: return location for a #GError
 *
 * Finds a program that belongs to this one: in the folders that the environment variable
 * ASSAY_HELPERS names, beside the running program, where it was installed or built, or on the path.
 *
 * Returns: (transfer full) (nullable): its path
 */
char *
assay_helper_find (const char *name, GError **error)
{
  const char *folders = g_getenv ("ASSAY_HELPERS");
  g_auto (GStrv) named = g_strsplit (folders != NULL ? folders : "", G_SEARCHPATH_SEPARATOR_S, -1);
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autoptr (GPtrArray) shipped = assay_installation_list_folders (ASSAY_PART_PROGRAMS);
  g_autoptr (GPtrArray) places = g_ptr_array_new_with_free_func (g_free);
  char *found;

  for (guint i = 0; named[i] != NULL; i++)
    g_ptr_array_add (places, g_strdup (named[i]));
  if (self != NULL)
    g_ptr_array_add (places, g_path_get_dirname (self));
  g_ptr_array_extend_and_steal (places, g_steal_pointer (&shipped));

  for (guint i = 0; i < places->len; i++)
    {
      g_autofree char *path = g_build_filename (g_ptr_array_index (places, i), name, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_EXECUTABLE) && !g_file_test (path, G_FILE_TEST_IS_DIR))
        return g_steal_pointer (&path);
    }

  found = g_find_program_in_path (name);
  if (found == NULL)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE,
                 "%s was not found; it is installed with Assay, and ASSAY_HELPERS may name folders "
                 "to look in",
                 name);

  return found;
}
