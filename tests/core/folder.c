/* folder.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "folder.h"

#include <glib/gstdio.h>

/* A folder that a test made, with all that stands in it; links are not followed. */
void
folder_remove (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      if (g_file_test (child, G_FILE_TEST_IS_DIR) && !g_file_test (child, G_FILE_TEST_IS_SYMLINK))
        folder_remove (child);
      else
        g_remove (child);
    }
  g_rmdir (path);
}
