/* assay-tensor-read.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/assay-tensor-read.h"

#include <string.h>

#include "base/assay-bf16.h"

/**
 * assay_tensor_read_doubles:
 * @self: a tensor of numbers or booleans
 * @first: flat index of the first element
 * @n: how many elements, all of them inside the tensor
 * @values: (out caller-allocates) (array length=n): where to put them
 * @error: return location for a #GError
 *
 * Reads a run of elements as doubles, which is exact but for 64-bit integers; of complex elements
 * the real parts are read.
 *
 * Returns: whether they could be read
 */
gboolean
assay_tensor_read_doubles (AssayTensor *self, gsize first, gsize n, double *values, GError **error)
{
  const guint8 *data = assay_tensor_get_data (self, NULL, error);

  g_return_val_if_fail (first + n <= assay_tensor_get_n_elements (self), FALSE);

  if (data == NULL)
    return FALSE;

  switch (assay_tensor_get_dtype (self))
    {
    case ASSAY_DTYPE_F32:
      for (gsize i = 0; i < n; i++)
        {
          float value;

          memcpy (&value, data + (first + i) * sizeof value, sizeof value);
          values[i] = value;
        }
      return TRUE;
    case ASSAY_DTYPE_F64:
      memcpy (values, data + first * sizeof *values, n * sizeof *values);
      return TRUE;
    case ASSAY_DTYPE_BF16:
      for (gsize i = 0; i < n; i++)
        {
          guint16 value;

          memcpy (&value, data + (first + i) * sizeof value, sizeof value);
          values[i] = assay_bf16_to_f32 (value);
        }
      return TRUE;
    default:
      for (gsize i = 0; i < n; i++)
        {
          if (!assay_tensor_get_element (self, first + i, &values[i], error))
            return FALSE;
        }
      return TRUE;
    }
}
