/* make-calibration.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Writes the ONNX file of every row of a calibration table: make-calibration TABLE.tsv FOLDER. Rows
 * that differ in their configuration alone share a file. Each line of its output is a row: model,
 * size, configuration, the axis of its input that is streamed or -1, and the file.
 */
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>

#include "calibration-models.h"
#include "calibration-table.h"

int
main (int argc, char **argv)
{
  g_autoptr (CalibrationTable) table = NULL;
  g_autoptr (GError) error = NULL;

  if (argc != 3)
    {
      fprintf (stderr, "usage: make-calibration TABLE.tsv FOLDER\n");
      return 2;
    }

  table = calibration_table_read (argv[1], &error);
  if (table != NULL && g_mkdir_with_parents (argv[2], 0777) != 0)
    error = g_error_new (G_FILE_ERROR, G_FILE_ERROR_FAILED, "cannot make the folder %s", argv[2]);
  for (guint i = 0; error == NULL && i < table->rows->len; i++)
    {
      const CalibrationRow *row = &g_array_index (table->rows, CalibrationRow, i);
      g_autofree char *path = g_build_filename (argv[2], row->file, NULL);
      int axis;

      if (calibration_model_write (row->model, row->size, path, &axis, &error))
        printf ("%s\t%s\t%s\t%d\t%s\n", row->model, row->size, row->config, axis, path);
    }
  if (error == NULL)
    return EXIT_SUCCESS;

  fprintf (stderr, "make-calibration: %s\n", error->message);
  return EXIT_FAILURE;
}
