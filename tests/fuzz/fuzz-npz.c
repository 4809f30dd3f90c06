/* fuzz-npz.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>

#include "base/assay-npz.h"

#include "fuzz.h"

/* Whatever an archive holds, its arrays have the bytes that their shapes say. */
FUZZ_TARGET (npz)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray)
      tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  g_autoptr (GError) error = NULL;
  gboolean good = assay_npz_from_bytes (bytes, names, tensors, NULL, &error);

  g_assert (good == (error == NULL));
  g_assert (names->len == tensors->len);
  fuzz_n_taken += good;
  for (guint i = 0; i < tensors->len; i++)
    {
      gsize n = 0;

      assay_tensor_get_data (g_ptr_array_index (tensors, i), &n, NULL);
      g_assert (n == assay_tensor_get_n_bytes (g_ptr_array_index (tensors, i)));
    }

  return 0;
}
