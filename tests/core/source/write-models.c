/* write-models.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdio.h>
#include <string.h>

#include "source/assay-source.h"
#include "source/onnx/assay-onnx-write.h"

/* Reads lines of a model, a tab and where to write it again; answers each with a line, empty if it
 * was written. For tests that look at written models with other tools. */
int
main (void)
{
  char line[8192];

  while (fgets (line, sizeof line, stdin) != NULL)
    {
      g_auto (GStrv) paths = g_strsplit (g_strchomp (line), "\t", 2);
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayGraph) graph = NULL;

      if (g_strv_length (paths) != 2)
        return 2;

      graph = assay_model_read (paths[0], NULL, NULL, NULL, &error);
      if (graph != NULL)
        assay_onnx_write_file (graph, paths[1], NULL, NULL, &error);
      printf ("%s\n", error != NULL ? error->message : "");
      fflush (stdout);
    }

  return 0;
}
