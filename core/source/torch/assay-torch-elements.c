/* assay-torch-elements.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The elements of literals: lists, one element for all, hexadecimal digits, and those that lie at
 * the end of the file. Digits are read when somebody asks for the elements.
 */
#include "source/torch/assay-torch-elements.h"

#include <string.h>

#include "base/assay-bf16.h"
#include "base/assay-error.h"
#include "base/assay-sentence.h"
#include "base/assay-small-float.h"

static const struct
{
  const char *name;
  AssayDType dtype;
} names[] = {
  { "f32", ASSAY_DTYPE_F32 },
  { "f64", ASSAY_DTYPE_F64 },
  { "f16", ASSAY_DTYPE_F16 },
  { "bf16", ASSAY_DTYPE_BF16 },
  { "i1", ASSAY_DTYPE_BOOL },
  { "si8", ASSAY_DTYPE_I8 },
  { "si16", ASSAY_DTYPE_I16 },
  { "si32", ASSAY_DTYPE_I32 },
  { "si64", ASSAY_DTYPE_I64 },
  { "ui8", ASSAY_DTYPE_U8 },
  { "ui16", ASSAY_DTYPE_U16 },
  { "ui32", ASSAY_DTYPE_U32 },
  { "ui64", ASSAY_DTYPE_U64 },
  { "i8", ASSAY_DTYPE_I8 },
  { "i16", ASSAY_DTYPE_I16 },
  { "i32", ASSAY_DTYPE_I32 },
  { "i64", ASSAY_DTYPE_I64 },
  { "si4", ASSAY_DTYPE_I4 },
  { "ui4", ASSAY_DTYPE_U4 },
  { "si2", ASSAY_DTYPE_I2 },
  { "ui2", ASSAY_DTYPE_U2 },
  { "complex<f32>", ASSAY_DTYPE_C64 },
  { "complex<f64>", ASSAY_DTYPE_C128 },
  { "f8E4M3FN", ASSAY_DTYPE_F8E4M3FN },
  { "f8E4M3FNUZ", ASSAY_DTYPE_F8E4M3FNUZ },
  { "f8E5M2", ASSAY_DTYPE_F8E5M2 },
  { "f8E5M2FNUZ", ASSAY_DTYPE_F8E5M2FNUZ },
  { "f8E8M0FNU", ASSAY_DTYPE_F8E8M0 },
  { "f4E2M1FN", ASSAY_DTYPE_F4E2M1 },
};

/**
 * assay_torch_dtype_from_name:
 * @element: (nullable): an element type as MLIR writes it
 * @dtype: (out): the element type
 *
 * Looks up an element type.
 *
 * Returns: whether there is one
 */
gboolean
assay_torch_dtype_from_name (const char *element, AssayDType *dtype)
{
  for (guint i = 0; element != NULL && i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (names[i].name, element))
      {
        *dtype = names[i].dtype;
        return TRUE;
      }

  return FALSE;
}

/**
 * assay_torch_name_of_dtype:
 * @dtype: an element type
 *
 * Looks up how the torch dialect writes an element type.
 *
 * Returns: (nullable): the name
 */
const char *
assay_torch_name_of_dtype (AssayDType dtype)
{
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (names[i].dtype == dtype)
      return names[i].name;

  return NULL;
}

/**
 * assay_torch_append_float:
 * @bytes: bytes
 * @dtype: a type of floating point numbers
 * @value: a number
 *
 * Appends a number, rounded to the type.
 */
void
assay_torch_append_float (GByteArray *bytes, AssayDType dtype, double value)
{
  float narrow = (float) value;
  guint16 half;
  guint8 small;

  if (dtype == ASSAY_DTYPE_F64)
    g_byte_array_append (bytes, (const guint8 *) &value, sizeof value);
  else if (dtype == ASSAY_DTYPE_F32)
    g_byte_array_append (bytes, (const guint8 *) &narrow, sizeof narrow);
  else if (dtype == ASSAY_DTYPE_F16 || dtype == ASSAY_DTYPE_BF16)
    {
      half = dtype == ASSAY_DTYPE_F16 ? assay_f16_from_f32 (narrow) : assay_bf16_from_f32 (narrow);
      g_byte_array_append (bytes, (const guint8 *) &half, sizeof half);
    }
  else
    {
      small = (guint8) assay_small_float_encode (dtype, value);
      g_byte_array_append (bytes, &small, sizeof small);
    }
}

/* Digits in a file, and what becomes of them. */
typedef struct
{
  GBytes *file;
  const char *digits;
  gsize n; /* bytes that they mean */
} Blob;

static void
blob_free (gpointer data)
{
  Blob *self = data;

  g_bytes_unref (self->file);
  g_free (self);
}

static gboolean
decode (const char *digits, gsize n, guint8 *bytes)
{
  gboolean is_whole = TRUE;

  for (gsize i = 0; i < n; i++)
    {
      int high = g_ascii_xdigit_value (digits[2 * i]);
      int low = g_ascii_xdigit_value (digits[2 * i + 1]);

      is_whole &= high >= 0 && low >= 0;
      bytes[i] = (guint8) (high * 16 + low);
    }

  return is_whole;
}

/* Truths are bytes or bits; what is as long as one element stands for all. */
static GBytes *
spread (AssayTensor *tensor, guint8 *bytes, gsize n, GError **error)
{
  gsize n_elements = assay_tensor_get_n_elements (tensor);
  gsize size = assay_tensor_get_n_bytes (tensor);
  gboolean is_truth = assay_tensor_get_dtype (tensor) == ASSAY_DTYPE_BOOL;
  guint8 *whole;

  if (n == size && !(is_truth && n == 1 && n_elements == 1))
    {
      for (gsize i = 0; is_truth && i < n; i++)
        bytes[i] = bytes[i] != 0;
      return g_bytes_new_take (bytes, n);
    }

  whole = g_malloc (MAX (size, 1));
  if (is_truth && n == 1 && n_elements != 0)
    memset (whole, (bytes[0] & 1) != 0, size);
  else if (is_truth && n == (n_elements + 7) / 8)
    for (gsize i = 0; i < n_elements; i++)
      whole[i] = (bytes[i / 8] >> (i % 8)) & 1;
  else if (n > 0 && n_elements > 0 && n == size / n_elements)
    for (gsize i = 0; i < n_elements; i++)
      memcpy (whole + i * n, bytes, n);
  else
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                   "%" G_GSIZE_FORMAT " byte%s of data for a tensor of %" G_GSIZE_FORMAT, n,
                   assay_plural (n), size);
      g_clear_pointer (&whole, g_free);
    }
  g_free (bytes);

  return whole != NULL ? g_bytes_new_take (whole, size) : NULL;
}

static GBytes *
load_blob (AssayTensor *tensor, gpointer user_data, GError **error)
{
  const Blob *self = user_data;
  guint8 *bytes = g_try_malloc (MAX (self->n, 1));

  if (bytes == NULL)
    {
      g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_MEMORY, "no memory for a literal");
      return NULL;
    }
  if (!decode (self->digits, self->n, bytes))
    {
      g_free (bytes);
      g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                           "data of a literal is not hexadecimal");
      return NULL;
    }

  return spread (tensor, bytes, self->n, error);
}

/* @skip bytes at the front say how the data is aligned. */
static AssayTensor *
new_blob (const AssayTorchModule *module, AssayDType dtype, guint rank, const gint64 *dims,
          const char *text, gsize length, guint skip, GError **error)
{
  Blob *blob;

  if (length < 4 || text[0] != '"' || text[1] != '0' || text[2] != 'x' || text[length - 1] != '"' ||
      length % 2 != 0 || (length - 4) / 2 < skip)
    {
      g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                           "data of a literal is not “\"0x…\"”");
      return NULL;
    }

  blob = g_new (Blob, 1);
  *blob = (Blob){ g_bytes_ref (module->bytes), text + 3 + 2 * skip, (length - 4) / 2 - skip };

  return assay_tensor_new_lazy (dtype, rank, dims, load_blob, blob, blob_free, error);
}

/* Text of elements, from the front. */
typedef struct
{
  const char *p;
  const char *end;
  AssayDType dtype;
  GByteArray *bytes;
} Elements;

static void
skip_blanks (Elements *self)
{
  while (self->p < self->end && g_ascii_isspace (*self->p))
    self->p++;
}

static gboolean
accept (Elements *self, char c)
{
  skip_blanks (self);
  if (self->p == self->end || *self->p != c)
    return FALSE;
  self->p++;

  return TRUE;
}

static gboolean
fail_element (Elements *self, GError **error)
{
  g_autofree char *seen = g_utf8_make_valid (self->p, MIN (16, self->end - self->p));

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT, "“%s” is no element of a literal", seen);

  return FALSE;
}

static void
append_bits (Elements *self, guint64 bits, guint size)
{
  g_byte_array_append (self->bytes, (const guint8 *) &bits, size);
}

static gboolean
append_number (Elements *self, AssayDType dtype, GError **error)
{
  char text[64];
  gsize length = 0;
  guint size = MAX (assay_dtype_bits (dtype) / 8, 1);

  skip_blanks (self);
  while (length + 1 < sizeof text && self->p + length < self->end &&
         strchr (",]) \n\t", self->p[length]) == NULL)
    {
      text[length] = self->p[length];
      length++;
    }
  text[length] = '\0';
  if (length == 0)
    return fail_element (self, error);

  if (g_str_equal (text, "true") || g_str_equal (text, "false"))
    append_bits (self, text[0] == 't', size);
  else if (g_str_has_prefix (text, "0x"))
    append_bits (self, g_ascii_strtoull (text + 2, NULL, 16), size);
  else if (!g_ascii_isdigit (text[text[0] == '-']))
    return fail_element (self, error);
  else if (assay_dtype_is_float (dtype))
    assay_torch_append_float (self->bytes, dtype, g_ascii_strtod (text, NULL));
  else if (assay_dtype_kind (dtype) == 'U')
    append_bits (self, g_ascii_strtoull (text, NULL, 10), size);
  else
    append_bits (self, (guint64) g_ascii_strtoll (text, NULL, 10), size);
  self->p += length;

  return TRUE;
}

static gboolean
append_element (Elements *self, GError **error)
{
  AssayDType part = self->dtype == ASSAY_DTYPE_C64 ? ASSAY_DTYPE_F32 : ASSAY_DTYPE_F64;

  if (assay_dtype_kind (self->dtype) != 'C')
    return append_number (self, self->dtype, error);
  if (!accept (self, '('))
    return fail_element (self, error);
  if (!append_number (self, part, error))
    return FALSE;
  if (!accept (self, ','))
    return fail_element (self, error);
  if (!append_number (self, part, error))
    return FALSE;

  return accept (self, ')') || fail_element (self, error);
}

static gboolean
append_list (Elements *self, guint rank, const gint64 *dims, guint depth, GError **error)
{
  if (depth == rank)
    return append_element (self, error);
  if (!accept (self, '['))
    return fail_element (self, error);
  for (gint64 i = 0; i < dims[depth]; i++)
    if ((i > 0 && !accept (self, ',') && !fail_element (self, error)) ||
        !append_list (self, rank, dims, depth + 1, error))
      return FALSE;

  return accept (self, ']') || fail_element (self, error);
}

/* One element for all; it is written as often as it is wanted when somebody asks. */
static GBytes *
load_splat (AssayTensor *tensor, gpointer user_data, GError **error)
{
  gsize size = assay_tensor_get_n_bytes (tensor);
  gsize n_cell;
  const guint8 *cell = g_bytes_get_data (user_data, &n_cell);
  guint8 *bytes = g_try_malloc (MAX (size, 1));

  if (bytes == NULL)
    {
      g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_MEMORY, "no memory for a literal");
      return NULL;
    }
  for (gsize i = 0; i + n_cell <= size; i += n_cell)
    memcpy (bytes + i, cell, n_cell);

  return g_bytes_new_take (bytes, size);
}

static AssayTensor *
new_splat (Elements *self, guint rank, const gint64 *dims, GError **error)
{
  if (!append_element (self, error))
    return NULL;

  return assay_tensor_new_lazy (self->dtype, rank, dims, load_splat,
                                g_bytes_new (self->bytes->data, self->bytes->len),
                                (GDestroyNotify) g_bytes_unref, error);
}

static AssayTensor *
new_listed (AssayDType dtype, guint rank, const gint64 *dims, const AssayTorchAttr *attr,
            GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  Elements self = { attr->s, attr->s + attr->length, dtype, bytes };
  g_autoptr (AssayTensor) tensor = NULL;
  gsize n = 0;

  skip_blanks (&self);
  if (self.p < self.end && *self.p != '[')
    tensor = new_splat (&self, rank, dims, error);
  else if (self.p < self.end
               ? append_list (&self, rank, dims, 0, error)
               : (assay_dims_count (rank, dims, &n) && n == 0) || fail_element (&self, error))
    {
      g_autoptr (GBytes) data = g_byte_array_free_to_bytes (g_steal_pointer (&bytes));

      tensor = assay_tensor_new (dtype, rank, dims, data, error);
    }
  if (tensor == NULL)
    return NULL;
  skip_blanks (&self);
  if (self.p != self.end)
    {
      fail_element (&self, error);
      return NULL;
    }

  return g_steal_pointer (&tensor);
}

/**
 * assay_torch_module_dup_tensor:
 * @self: a module
 * @attr: a literal
 * @error: return location for a #GError
 *
 * Makes a tensor of a literal. Long data stays in the file.
 *
 * Returns: (transfer full) (nullable): the tensor
 */
AssayTensor *
assay_torch_module_dup_tensor (const AssayTorchModule *self, const AssayTorchAttr *attr,
                               GError **error)
{
  const AssayTorchType *type = attr->type;
  AssayDType dtype;
  gsize n;

  if ((attr->kind != ASSAY_TORCH_ATTR_DENSE && attr->kind != ASSAY_TORCH_ATTR_RESOURCE) ||
      type == NULL || type->kind != ASSAY_TORCH_TYPE_BUILTIN)
    {
      g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                           "a literal is neither dense nor a resource");
      return NULL;
    }
  if (!assay_torch_dtype_from_name (type->element, &dtype) || assay_dtype_bits (dtype) < 8)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT, "a literal has elements of type %s",
                   type->element);
      return NULL;
    }
  if (type->rank < 0 || !assay_dims_count ((guint) type->rank, type->dims, &n))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT, "a literal is of type %s", type->text);
      return NULL;
    }

  if (attr->kind == ASSAY_TORCH_ATTR_RESOURCE)
    {
      const AssayTorchResource *resource = assay_pointer_map_lookup (&self->resources, attr->s);

      if (resource != NULL)
        return new_blob (self, dtype, (guint) type->rank, type->dims, resource->text,
                         resource->length, 4, error);
      if (g_str_equal (attr->s, "__elided__"))
        g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                             "the elements of a literal were left out when the file was printed; "
                             "print it without --mlir-elide-elementsattrs-if-larger and "
                             "--mlir-elide-resource-strings-if-larger");
      else
        g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                     "the file has no resource “%s” for a literal", attr->s);
      return NULL;
    }
  if (attr->length > 0 && attr->s[0] == '"')
    return new_blob (self, dtype, (guint) type->rank, type->dims, attr->s, attr->length, 0, error);

  return new_listed (dtype, (guint) type->rank, type->dims, attr, error);
}
