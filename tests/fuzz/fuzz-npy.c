/* fuzz-npy.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/assay-npy.h"
#include "base/assay-tensor-read.h"

#include "fuzz.h"

/* An array that can be read has the bytes that its shape says, and numbers or text in them. */
FUZZ_TARGET (npy)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayTensor) tensor = assay_npy_from_bytes (bytes, &error);
  gsize n = 0;

  g_assert ((tensor == NULL) == (error != NULL));
  if (tensor == NULL)
    return 0;
  fuzz_n_taken++;

  if (assay_tensor_get_strings (tensor) != NULL)
    {
      g_assert (assay_tensor_get_strings (tensor)->len == assay_tensor_get_n_elements (tensor));
      return 0;
    }

  assay_tensor_get_data (tensor, &n, &error);
  g_assert_no_error (error);
  g_assert (n == assay_tensor_get_n_bytes (tensor));
  for (gsize i = 0; i < assay_tensor_get_n_elements (tensor); i++)
    {
      if (assay_dtype_kind (assay_tensor_get_dtype (tensor)) == 'C')
        break;
      double value;

      g_assert (assay_tensor_get_element (tensor, i, &value, NULL));
    }

  return 0;
}
