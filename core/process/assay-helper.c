/* assay-helper.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "process/assay-helper.h"

#include "base/assay-error.h"

/* Relative to the running program: installed in one prefix, or side by side in the build folder. */
static const char *const places[] = { ".",      "../libexec/assay", "../board",
                                      "../ort", "../layout",        "../gpu" };

/**
 * assay_helper_find:
 * @name: name of a program of ours, such as `assay-board`
 * @error: return location for a #GError
 *
 * Finds a program that belongs to this one: in the folders that the environment variable
 * ASSAY_HELPERS names, beside the running program, where it was installed, or on the path.
 *
 * Returns: (transfer full) (nullable): its path
 */
char *
assay_helper_find (const char *name, GError **error)
{
  const char *folders = g_getenv ("ASSAY_HELPERS");
  g_auto (GStrv) named = g_strsplit (folders != NULL ? folders : "", G_SEARCHPATH_SEPARATOR_S, -1);
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *here = self != NULL ? g_path_get_dirname (self) : NULL;
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  char *found;

  for (guint i = 0; named[i] != NULL; i++)
    g_ptr_array_add (paths, g_build_filename (named[i], name, NULL));
  for (guint i = 0; here != NULL && i < G_N_ELEMENTS (places); i++)
    g_ptr_array_add (paths, g_build_filename (here, places[i], name, NULL));
  g_ptr_array_add (paths, g_build_filename (ASSAY_LIBEXECDIR, name, NULL));
  g_ptr_array_add (paths, g_build_filename (ASSAY_BINDIR, name, NULL));

  for (guint i = 0; i < paths->len; i++)
    {
      const char *path = g_ptr_array_index (paths, i);

      if (g_file_test (path, G_FILE_TEST_IS_EXECUTABLE) && !g_file_test (path, G_FILE_TEST_IS_DIR))
        return g_strdup (path);
    }

  found = g_find_program_in_path (name);
  if (found == NULL)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE,
                 "%s was not found; it is installed with Assay, and ASSAY_HELPERS may name folders "
                 "to look in",
                 name);

  return found;
}
