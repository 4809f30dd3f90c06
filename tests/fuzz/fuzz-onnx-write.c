/* fuzz-onnx-write.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <string.h>

#include "source/assay-source.h"
#include "source/onnx/assay-onnx-write.h"

#include "fuzz.h"

/* A few bytes can stand for a tensor that fills the memory. */
#define MAX_BYTES 1000000

static gboolean
is_small (AssayGraph *graph)
{
  gsize total = 0;

  for (guint i = 0; i < graph->tensors->len; i++)
    {
      gsize n = assay_tensor_get_n_bytes (g_ptr_array_index (graph->tensors, i));

      if (n > MAX_BYTES || total > MAX_BYTES)
        return FALSE;
      total += n;
    }

  return TRUE;
}

/* What can be written can be read again, and is the same model. */
FUZZ_TARGET (onnx_write)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size);
  g_autoptr (AssayGraph) graph = assay_model_read_bytes (bytes, NULL, NULL, NULL, NULL, NULL);
  g_autoptr (AssayGraph) read = NULL;
  g_autoptr (GBytes) written = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;

  if (graph == NULL || !is_small (graph))
    return 0;

  written = assay_onnx_write_bytes (graph, &error);
  g_assert ((written == NULL) == (error != NULL));
  if (written == NULL)
    return 0;
  fuzz_n_taken++;

  read = assay_model_read_bytes (written, NULL, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  before = assay_onnx_comparable_text (graph, &error);
  g_assert_no_error (error);
  after = assay_onnx_comparable_text (read, &error);
  g_assert_no_error (error);
  if (strcmp (before, after) != 0)
    fuzz_fail ("before:\n%s\nafter:\n%s", before, after);

  return 0;
}
