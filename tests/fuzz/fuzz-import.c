/* fuzz-import.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>

#include "source/assay-source.h"

#include "fuzz.h"

/* Imports a file and reads every constant that is not large. */
FUZZ_TARGET (import)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size);
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (GError) error = NULL;

  graph = assay_model_read_bytes (bytes, NULL, NULL, findings, NULL, &error);
  g_assert ((graph == NULL) == (error != NULL));
  if (graph == NULL)
    return 0;
  fuzz_n_taken++;

  for (guint i = 0; i < graph->tensors->len; i++)
    {
      AssayTensor *tensor = g_ptr_array_index (graph->tensors, i);
      double value;

      if (assay_tensor_get_strings (tensor) == NULL && assay_tensor_get_n_elements (tensor) > 0 &&
          assay_tensor_get_n_bytes (tensor) < 65536)
        assay_tensor_get_element (tensor, assay_tensor_get_n_elements (tensor) - 1, &value, NULL);
    }

  return 0;
}
