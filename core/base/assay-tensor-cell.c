/* assay-tensor-cell.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Single elements of tensors as text.
 */
#include "base/assay-tensor-cell.h"

#include <math.h>
#include <string.h>

/* Digits with which a value of each type is read back as the same. */
static const struct
{
  AssayDType dtype;
  int digits;
} precisions[] = {
  { ASSAY_DTYPE_F64, 17 }, { ASSAY_DTYPE_C128, 17 }, { ASSAY_DTYPE_F32, 9 },
  { ASSAY_DTYPE_C64, 9 },  { ASSAY_DTYPE_F16, 5 },   { ASSAY_DTYPE_BF16, 4 },
};

/* Enough to tell values apart in a narrow column. */
#define FEW_DIGITS 5

/**
 * assay_tensor_get_bits:
 * @self: a tensor of numbers or booleans
 * @index: flat index, less than the number of elements
 * @bits: (out): the bits of the element, of a complex one those of its real part
 * @error: return location for a #GError
 *
 * Reads one element as it is stored.
 *
 * Returns: whether it could be read
 */
gboolean
assay_tensor_get_bits (AssayTensor *self, gsize index, guint64 *bits, GError **error)
{
  guint width = assay_dtype_bits (assay_tensor_get_dtype (self));
  const guint8 *data = assay_tensor_get_data (self, NULL, error);

  g_return_val_if_fail (index < assay_tensor_get_n_elements (self) && width > 0, FALSE);

  if (data == NULL)
    return FALSE;

  *bits = 0;
  if (width == 4)
    *bits = data[index / 2] >> (index % 2 * 4) & 0xfu;
  else
    memcpy (bits, data + index * (width / 8), MIN (width / 8, 8));

  return TRUE;
}

static char *
dup_string (AssayTensor *self, gsize index)
{
  GBytes *bytes = g_ptr_array_index (assay_tensor_get_strings (self), index);
  gsize size;
  const char *data = g_bytes_get_data (bytes, &size);

  return g_utf8_make_valid (data != NULL ? data : "", (gssize) size);
}

/**
 * assay_tensor_dup_value:
 * @self: a tensor
 * @index: flat index, less than the number of elements
 * @whole: whether so many digits are wanted that the value can be read back; else a few are enough
 *
 * Writes the value of an element.
 *
 * Returns: (transfer full): the text; "" if the element cannot be read
 */
char *
assay_tensor_dup_value (AssayTensor *self, gsize index, gboolean whole)
{
  AssayDType dtype = assay_tensor_get_dtype (self);
  int digits = FEW_DIGITS;
  guint64 bits;
  double value;

  if (dtype == ASSAY_DTYPE_STRING)
    return dup_string (self, index);
  if (!assay_tensor_get_bits (self, index, &bits, NULL) ||
      !assay_tensor_get_element (self, index, &value, NULL))
    return g_strdup ("");
  if (dtype == ASSAY_DTYPE_BOOL)
    return g_strdup (bits != 0 ? "true" : "false");
  if (dtype == ASSAY_DTYPE_U64)
    return g_strdup_printf ("%" G_GUINT64_FORMAT, bits);
  if (dtype == ASSAY_DTYPE_I64)
    return g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) bits);
  if (assay_dtype_is_integer (dtype))
    return g_strdup_printf ("%.0f", value);
  if (isnan (value))
    return g_strdup ("NaN");
  if (isinf (value))
    return g_strdup (value > 0 ? "inf" : "-inf");

  for (guint i = 0; whole && i < G_N_ELEMENTS (precisions); i++)
    if (precisions[i].dtype == dtype)
      digits = precisions[i].digits;

  return g_strdup_printf ("%.*g", digits, value);
}

/**
 * assay_tensor_dup_bits:
 * @self: a tensor
 * @index: flat index, less than the number of elements
 *
 * Writes the bits of an element.
 *
 * Returns: (transfer full): such as `0x3f80`; "" for text, or if the element cannot be read
 */
char *
assay_tensor_dup_bits (AssayTensor *self, gsize index)
{
  guint width = assay_dtype_bits (assay_tensor_get_dtype (self));
  guint64 bits;

  if (width == 0 || !assay_tensor_get_bits (self, index, &bits, NULL))
    return g_strdup ("");

  return g_strdup_printf ("0x%0*" G_GINT64_MODIFIER "x", (int) MIN (width, 64) / 4, bits);
}
