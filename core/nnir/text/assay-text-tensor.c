/* assay-text-tensor.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/text/assay-text-tensor.h"

#include <math.h>
#include <string.h>

#include "base/assay-bf16.h"
#include "base/assay-error.h"

#define MAX_INLINE 64         /* elements that are written as a list */
#define MAX_SHOWN 16          /* elements that people are shown */
#define MAX_BYTES (64 * 1024) /* bytes that are written out by default */

static guint64
element_bits (const guint8 *data, guint bits, gsize index)
{
  guint64 raw = 0;

  if (bits < 8)
    return (guint64) data[index * bits / 8] >> (index * bits % 8) & ((1u << bits) - 1);

  for (guint i = 0; i < bits / 8; i++)
    raw |= (guint64) data[index * (bits / 8) + i] << (8 * i);

  return raw;
}

static void
put_element_bits (guint8 *data, guint bits, gsize index, guint64 raw)
{
  if (bits < 8)
    data[index * bits / 8] |= (guint8) ((raw & ((1u << bits) - 1)) << (index * bits % 8));

  for (guint i = 0; i < bits / 8; i++)
    data[index * (bits / 8) + i] = (guint8) (raw >> (8 * i));
}

static double
decode_float (AssayDType dtype, guint64 raw)
{
  double value;

  switch (dtype)
    {
    case ASSAY_DTYPE_F16:
      return assay_f16_to_f32 ((guint16) raw);
    case ASSAY_DTYPE_BF16:
      return assay_bf16_to_f32 ((guint16) raw);
    case ASSAY_DTYPE_F32:
      return assay_f32_from_bits ((guint32) raw);
    default:
      memcpy (&value, &raw, sizeof value);
      return value;
    }
}

static guint64
encode_float (AssayDType dtype, double value)
{
  guint64 raw;

  switch (dtype)
    {
    case ASSAY_DTYPE_F16:
      return assay_f16_from_f32 ((float) value);
    case ASSAY_DTYPE_BF16:
      return assay_bf16_from_f32 ((float) value);
    case ASSAY_DTYPE_F32:
      return isnan (value) ? ASSAY_F32_NAN_BITS : assay_f32_bits ((float) value);
    default:
      memcpy (&raw, &value, sizeof raw);
      return raw;
    }
}

static gboolean
has_float_list (AssayDType dtype)
{
  return dtype == ASSAY_DTYPE_F32 || dtype == ASSAY_DTYPE_F64 || dtype == ASSAY_DTYPE_F16 ||
         dtype == ASSAY_DTYPE_BF16;
}

/* A list must read back bit by bit: other NaNs than ours and odd booleans are for the hexadecimal
 * form. */
static gboolean
append_element (GString *text, AssayDType dtype, guint64 raw)
{
  guint bits = assay_dtype_bits (dtype);

  if (has_float_list (dtype))
    {
      double value = decode_float (dtype, raw);

      if (encode_float (dtype, isnan (value) ? NAN : value) != raw)
        return FALSE;
      assay_text_append_float (text, value, dtype == ASSAY_DTYPE_F64);
      return TRUE;
    }

  switch (assay_dtype_kind (dtype))
    {
    case 'I':
      if (bits < 64 && (raw >> (bits - 1) & 1u) != 0)
        raw |= ~(guint64) 0 << bits;
      g_string_append_printf (text, "%" G_GINT64_FORMAT, (gint64) raw);
      return TRUE;
    case 'U':
      g_string_append_printf (text, "%" G_GUINT64_FORMAT, raw);
      return TRUE;
    case 'B':
      g_string_append (text, raw != 0 ? "true" : "false");
      return raw <= 1;
    default:
      return FALSE;
    }
}

static gboolean
append_list (GString *text, AssayDType dtype, const guint8 *data, gsize n)
{
  gsize begin = text->len;

  g_string_append_c (text, '[');
  for (gsize i = 0; i < n; i++)
    {
      if (i > 0)
        g_string_append (text, ", ");
      if (!append_element (text, dtype, element_bits (data, assay_dtype_bits (dtype), i)))
        {
          g_string_truncate (text, begin);
          return FALSE;
        }
    }
  g_string_append_c (text, ']');

  return TRUE;
}

static void
append_strings (GString *text, GPtrArray *strings)
{
  g_string_append_c (text, '[');
  for (guint i = 0; i < strings->len; i++)
    {
      gsize length;
      const char *string = g_bytes_get_data (g_ptr_array_index (strings, i), &length);

      if (i > 0)
        g_string_append (text, ", ");
      assay_text_append_quoted (text, string != NULL ? string : "", length);
    }
  g_string_append_c (text, ']');
}

/**
 * assay_text_append_tensor:
 * @text: where to append
 * @tensor: a tensor
 * @flags: how much is written out
 * @error: return location for a #GError
 *
 * Appends the elements of a tensor: a list if they are few, otherwise `hex`, `base64`, `digest` or
 * `elided`.
 *
 * Returns: %FALSE if they could not be loaded
 */
gboolean
assay_text_append_tensor (GString *text, AssayTensor *tensor, AssayTextFlags flags, GError **error)
{
  AssayDType dtype = assay_tensor_get_dtype (tensor);
  gsize n = assay_tensor_get_n_elements (tensor);
  gsize n_bytes = assay_tensor_get_n_bytes (tensor);
  const guint8 *data;

  if ((flags & ASSAY_TEXT_NO_DATA) != 0 && n > MAX_SHOWN)
    {
      g_string_append (text, "elided");
      return TRUE;
    }

  if (dtype == ASSAY_DTYPE_STRING)
    {
      append_strings (text, assay_tensor_get_strings (tensor));
      return TRUE;
    }

  if (n == 0)
    {
      g_string_append (text, "[]");
      return TRUE;
    }

  if (assay_tensor_is_absent (tensor) ||
      (n_bytes > MAX_BYTES && (flags & ASSAY_TEXT_ALL_DATA) == 0))
    {
      g_autoptr (GError) failure = NULL;
      g_autofree char *digest = assay_tensor_dup_digest (tensor, &failure);

      if (failure != NULL)
        {
          g_propagate_error (error, g_steal_pointer (&failure));
          return FALSE;
        }
      g_string_append (text, digest != NULL ? "digest " : "elided");
      if (digest != NULL)
        assay_text_append_quoted (text, digest, strlen (digest));
      return TRUE;
    }

  data = assay_tensor_get_data (tensor, NULL, error);
  if (data == NULL)
    return FALSE;

  if (n <= MAX_INLINE && append_list (text, dtype, data, n))
    return TRUE;

  if (n_bytes <= MAX_INLINE)
    {
      g_string_append (text, "hex \"");
      for (gsize i = 0; i < n_bytes; i++)
        g_string_append_printf (text, "%02x", data[i]);
      g_string_append_c (text, '"');
    }
  else
    {
      g_autofree char *encoded = g_base64_encode (data, n_bytes);

      g_string_append_printf (text, "base64 \"%s\"", encoded);
    }

  return TRUE;
}

static gboolean
parse_element (AssayLexer *lexer, AssayDType dtype, guint64 *raw)
{
  const char *string = lexer->text->str;
  guint bits = assay_dtype_bits (dtype);
  char *end = NULL;

  if (assay_dtype_kind (dtype) == 'B')
    {
      *raw = assay_lexer_is_word (lexer, "true");
      return *raw != 0 || assay_lexer_is_word (lexer, "false");
    }

  if (lexer->kind != ASSAY_TOKEN_NUMBER && lexer->kind != ASSAY_TOKEN_WORD)
    return FALSE;

  if (has_float_list (dtype))
    {
      double value = g_ascii_strtod (string, &end);

      *raw = encode_float (dtype, isnan (value) ? NAN : value);
      return end != string && *end == '\0';
    }

  errno = 0;
  if (assay_dtype_kind (dtype) == 'I')
    {
      gint64 value = g_ascii_strtoll (string, &end, 10);
      gint64 limit = bits < 64 ? (gint64) 1 << (bits - 1) : G_MAXINT64;

      *raw = (guint64) value;
      return errno == 0 && end != string && *end == '\0' &&
             (bits == 64 || (value >= -limit && value < limit));
    }
  if (assay_dtype_kind (dtype) == 'U')
    {
      *raw = g_ascii_strtoull (string, &end, 10);
      return errno == 0 && end != string && *end == '\0' && string[0] != '-' &&
             (bits == 64 || *raw >> bits == 0);
    }

  return FALSE;
}

static gboolean
list_fail (AssayLexer *lexer, AssayDType dtype, GError **error)
{
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT, "“%s” is not an element of type %s",
               lexer->text->str, assay_dtype_name (dtype));
  return FALSE;
}

/* After an opening bracket; eats the closing one. The list grows with the text, whatever the shape
 * claims. */
static GByteArray *
read_list (AssayLexer *lexer, AssayDType dtype, gsize n_expected, GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint bits = assay_dtype_bits (dtype);
  gsize n = 0;

  while (!assay_lexer_is (lexer, ']'))
    {
      guint64 raw = 0;
      gsize needed = ((n + 1) * bits + 7) / 8;

      if (n == n_expected)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                       "more elements than the %" G_GSIZE_FORMAT " of the shape", n_expected);
          return NULL;
        }
      if (!parse_element (lexer, dtype, &raw))
        {
          list_fail (lexer, dtype, error);
          return NULL;
        }

      while (bytes->len < needed)
        g_byte_array_append (bytes, (const guint8 *) "", 1);
      put_element_bits (bytes->data, bits, n++, raw);

      assay_lexer_next (lexer);
      if (assay_lexer_is (lexer, ','))
        assay_lexer_next (lexer);
      else if (!assay_lexer_is (lexer, ']'))
        {
          list_fail (lexer, dtype, error);
          return NULL;
        }
    }

  assay_lexer_next (lexer);

  return g_steal_pointer (&bytes);
}

static AssayTensor *
read_strings (AssayLexer *lexer, guint rank, const gint64 *dims, GError **error)
{
  g_autoptr (GPtrArray) strings = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

  while (!assay_lexer_is (lexer, ']'))
    {
      if (lexer->kind != ASSAY_TOKEN_STRING)
        {
          list_fail (lexer, ASSAY_DTYPE_STRING, error);
          return NULL;
        }
      g_ptr_array_add (strings, g_bytes_new (lexer->text->str, lexer->text->len));
      assay_lexer_next (lexer);
      if (assay_lexer_is (lexer, ','))
        assay_lexer_next (lexer);
      else if (!assay_lexer_is (lexer, ']'))
        {
          list_fail (lexer, ASSAY_DTYPE_STRING, error);
          return NULL;
        }
    }

  assay_lexer_next (lexer);

  return assay_tensor_new_strings (rank, dims, strings, error);
}

static GByteArray *
decode_hex (const GString *digits, GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  for (gsize i = 0; i < digits->len; i += 2)
    {
      int high = g_ascii_xdigit_value (digits->str[i]);
      int low = i + 1 < digits->len ? g_ascii_xdigit_value (digits->str[i + 1]) : -1;
      guint8 byte;

      if (high < 0 || low < 0)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                       "pairs of hexadecimal digits were expected");
          return NULL;
        }
      byte = (guint8) (high * 16 + low);
      g_byte_array_append (bytes, &byte, 1);
    }

  return g_steal_pointer (&bytes);
}

static AssayTensor *
tensor_from_array (AssayDType dtype, guint rank, const gint64 *dims, GByteArray *array,
                   GError **error)
{
  g_autoptr (GBytes) bytes = g_byte_array_free_to_bytes (array);

  return assay_tensor_new (dtype, rank, dims, bytes, error);
}

/**
 * assay_text_read_tensor:
 * @lexer: a lexer on the first token of the elements
 * @dtype: element type
 * @rank: number of dimensions
 * @dims: (array length=rank): the dimensions
 * @error: return location for a #GError
 *
 * Reads what assay_text_append_tensor() writes; the lexer is behind it afterwards.
 *
 * Returns: (transfer full) (nullable): the tensor
 */
AssayTensor *
assay_text_read_tensor (AssayLexer *lexer, AssayDType dtype, guint rank, const gint64 *dims,
                        GError **error)
{
  g_autofree char *form = g_strdup (lexer->text->str);
  GByteArray *array = NULL;
  gsize n;

  if (assay_lexer_is (lexer, '['))
    {
      assay_lexer_next (lexer);
      if (dtype == ASSAY_DTYPE_STRING)
        return read_strings (lexer, rank, dims, error);
      if (!assay_dims_count (rank, dims, &n))
        n = G_MAXSIZE;
      array = read_list (lexer, dtype, n, error);
      return array == NULL ? NULL : tensor_from_array (dtype, rank, dims, array, error);
    }

  if (assay_lexer_is_word (lexer, "elided"))
    {
      assay_lexer_next (lexer);
      return assay_tensor_new_absent (dtype, rank, dims, NULL, error);
    }

  assay_lexer_next (lexer);
  if (lexer->kind != ASSAY_TOKEN_STRING)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                   "elements were expected: a list, hex, base64, digest, elided");
      return NULL;
    }

  if (strcmp (form, "digest") == 0)
    {
      g_autofree char *digest = g_strdup (lexer->text->str);

      assay_lexer_next (lexer);
      return assay_tensor_new_absent (dtype, rank, dims, digest, error);
    }

  if (strcmp (form, "hex") == 0)
    {
      array = decode_hex (lexer->text, error);
      if (array == NULL)
        return NULL;
    }
  else if (strcmp (form, "base64") == 0)
    {
      gsize length;
      guint8 *decoded = g_base64_decode (lexer->text->str, &length);

      array = g_byte_array_new_take (decoded, length);
    }
  else
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT, "“%s” is no form of elements", form);
      return NULL;
    }

  assay_lexer_next (lexer);

  return tensor_from_array (dtype, rank, dims, array, error);
}
