/* corpus.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

/* Models of the package libonnx-testdata, for laws that hold for every model. */
#define ONNX_DATA "/usr/share/libonnx-testdata/data"
#define N_ONNX_DATA 1072

/* Calls @visit for every model below a folder; folders nest 8 deep at most. Returns how many there
 * were. */
static inline guint
walk_models_below (const char *folder, guint depth,
                   void (*visit) (const char *path, gpointer user_data), gpointer user_data)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  if (dir == NULL || depth > 8)
    return 0;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        n += walk_models_below (path, depth + 1, visit, user_data);
      else if (g_str_has_suffix (name, ".onnx"))
        {
          visit (path, user_data);
          n++;
        }
    }

  return n;
}

static inline guint
walk_models (const char *folder, void (*visit) (const char *path, gpointer user_data),
             gpointer user_data)
{
  return walk_models_below (folder, 0, visit, user_data);
}

/* Whether the models are there; skips the test if not. */
static inline gboolean
have_models (void)
{
  if (g_file_test (ONNX_DATA, G_FILE_TEST_IS_DIR))
    return TRUE;

  g_test_skip ("libonnx-testdata is not installed");

  return FALSE;
}
