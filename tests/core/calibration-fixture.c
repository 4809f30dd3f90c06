/* calibration-fixture.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "calibration-fixture.h"

#include <glib/gstdio.h>

#include "source/assay-source.h"

/* A calibration model as it is imported; nothing of it stays on the disk. */
AssayGraph *
calibration_open (const char *model, const char *size, int *axis)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-calibration-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "model.onnx", NULL);
  g_autoptr (GError) error = NULL;
  AssayGraph *graph;

  calibration_model_write (model, size, path, axis, &error);
  g_assert_no_error (error);
  graph = assay_model_read (path, NULL, NULL, NULL, &error);
  g_assert_no_error (error);

  /* The mapping outlives the name. */
  g_unlink (path);
  g_rmdir (folder);

  return graph;
}
