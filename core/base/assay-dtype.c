/* assay-dtype.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/assay-dtype.h"

typedef struct
{
  const char *name;
  guint8 bits;
  char kind;
} DTypeRow;

static const DTypeRow rows[] = {
#define DTYPE(id, name, onnx, bits, kind) [onnx] = { name, bits, kind },
#include "base/assay-dtype.def"
#undef DTYPE
};

G_STATIC_ASSERT (G_N_ELEMENTS (rows) == ASSAY_N_DTYPES);

/**
 * assay_dtype_name:
 * @dtype: an element type
 *
 * Gets the short name used in NNIR text, messages and JSON, such as `f32`.
 *
 * Returns: (transfer none): the name
 */
const char *
assay_dtype_name (AssayDType dtype)
{
  g_return_val_if_fail ((guint) dtype < ASSAY_N_DTYPES, "undefined");

  return rows[dtype].name;
}

/**
 * assay_dtype_from_name:
 * @name: a short name such as `bf16`
 * @dtype: (out): where to put the element type
 *
 * Looks an element type up by its short name.
 *
 * Returns: whether there is one of that name
 */
gboolean
assay_dtype_from_name (const char *name, AssayDType *dtype)
{
  g_return_val_if_fail (name != NULL && dtype != NULL, FALSE);

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      if (g_str_equal (rows[i].name, name))
        {
          *dtype = (AssayDType) i;
          return TRUE;
        }
    }

  return FALSE;
}

/**
 * assay_dtype_bits:
 * @dtype: an element type
 *
 * Gets the width of one element in bits; 4 for packed types, 0 for strings and the undefined type.
 *
 * Returns: the width in bits
 */
guint
assay_dtype_bits (AssayDType dtype)
{
  g_return_val_if_fail ((guint) dtype < ASSAY_N_DTYPES, 0);

  return rows[dtype].bits;
}

/**
 * assay_dtype_kind:
 * @dtype: an element type
 *
 * Gets the kind: `F` float, `I` signed, `U` unsigned, `B` bool, `C` complex, `S` string, `?`
 * undefined.
 *
 * Returns: the kind letter
 */
char
assay_dtype_kind (AssayDType dtype)
{
  g_return_val_if_fail ((guint) dtype < ASSAY_N_DTYPES, '?');

  return rows[dtype].kind;
}

/**
 * assay_dtype_fraction_bits:
 * @dtype: an element type
 *
 * Gets how many bits of fraction a float has behind its leading one.
 *
 * Returns: the number of bits, 0 for what is no float
 */
guint
assay_dtype_fraction_bits (AssayDType dtype)
{
  switch (dtype)
    {
    case ASSAY_DTYPE_F64:
      return 52;
    case ASSAY_DTYPE_F32:
      return 23;
    case ASSAY_DTYPE_F16:
      return 10;
    case ASSAY_DTYPE_BF16:
      return 7;
    case ASSAY_DTYPE_F8E4M3FN:
    case ASSAY_DTYPE_F8E4M3FNUZ:
      return 3;
    case ASSAY_DTYPE_F8E5M2:
    case ASSAY_DTYPE_F8E5M2FNUZ:
      return 2;
    case ASSAY_DTYPE_F4E2M1:
      return 1;
    default:
      return 0;
    }
}

/**
 * assay_dtype_is_known:
 * @number: a number read from a file
 *
 * Tells whether a number names an element type other than the undefined one.
 *
 * Returns: whether it does
 */
gboolean
assay_dtype_is_known (int number)
{
  return number > 0 && number < ASSAY_N_DTYPES;
}

/**
 * assay_dtype_is_float:
 * @dtype: an element type
 *
 * Tells whether elements are floating point numbers of any width.
 *
 * Returns: whether they are
 */
gboolean
assay_dtype_is_float (AssayDType dtype)
{
  return assay_dtype_kind (dtype) == 'F';
}

/**
 * assay_dtype_is_integer:
 * @dtype: an element type
 *
 * Tells whether elements are signed or unsigned integers; booleans are not.
 *
 * Returns: whether they are
 */
gboolean
assay_dtype_is_integer (AssayDType dtype)
{
  return assay_dtype_kind (dtype) == 'I' || assay_dtype_kind (dtype) == 'U';
}

/**
 * assay_dtype_byte_size:
 * @dtype: an element type
 * @n_elements: how many elements
 * @n_bytes: (out): where to put the size of the packed array in bytes
 *
 * Computes the bytes a packed array takes, with 4-bit types two to a byte.
 *
 * Returns: %FALSE if the size overflows or the type has no fixed width
 */
gboolean
assay_dtype_byte_size (AssayDType dtype, gsize n_elements, gsize *n_bytes)
{
  guint bits = assay_dtype_bits (dtype);

  g_return_val_if_fail (n_bytes != NULL, FALSE);

  if (bits == 0)
    return FALSE;

  if (bits < 8)
    {
      *n_bytes = n_elements / (8 / bits) + (n_elements % (8 / bits) != 0);
      return TRUE;
    }

  return g_size_checked_mul (n_bytes, n_elements, bits / 8);
}
