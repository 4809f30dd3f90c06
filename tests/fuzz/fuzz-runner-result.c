/* fuzz-runner-result.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib/gstdio.h>

#include "run/assay-run-folder.h"

#include "fuzz.h"

/* In place: exchanging files takes longer than all that is tried. */
static void
leave (AssayRunFolder *folder, const char *name, const uint8_t *data, size_t size)
{
  g_autofree char *path = g_build_filename (folder->path, name, NULL);

  g_assert (g_file_set_contents_full (path, (const char *) data, (gssize) size,
                                      G_FILE_SET_CONTENTS_NONE, 0600, NULL));
}

/* What another program leaves in the folder of a run: its times, an output, and the document that
 * says what is wanted. */
FUZZ_TARGET (runner_result)
{
  static const char *const names[] = { "result.json", "output-0.npy" };
  g_autoptr (AssayRunFolder) folder = assay_run_folder_new (NULL, NULL);
  g_autoptr (GArray) latencies = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (AssayRunFolder) opened = NULL;
  g_autoptr (AssayTensor) tensor = NULL;

  g_assert (folder != NULL);
  g_ptr_array_add (folder->outputs, g_strdup ("y"));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    leave (folder, names[i], data, size);
  assay_run_folder_load_result (folder, latencies);
  tensor = assay_run_folder_load_output (folder, FALSE, 0, ASSAY_DTYPE_F32, NULL);
  g_assert (tensor == NULL || assay_tensor_get_dtype (tensor) == ASSAY_DTYPE_F32);

  leave (folder, "run.json", data, size);
  opened = assay_run_folder_open (folder->path, NULL);
  g_assert (opened == NULL || opened->inputs->len == opened->tensors->len);
  fuzz_n_taken += tensor != NULL;
  assay_run_folder_delete (folder);

  return 0;
}
