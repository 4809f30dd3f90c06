/* assay-tensor.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/assay-tensor.h"

#include <math.h>
#include <string.h>

#include "base/assay-bf16.h"
#include "base/assay-error.h"
#include "base/assay-file-map.h"
#include "base/assay-sentence.h"
#include "base/assay-small-float.h"

struct _AssayTensor
{
  gatomicrefcount ref_count;
  AssayDType dtype;
  guint rank;
  gint64 *dims;
  gsize n_elements;
  gsize n_bytes;

  GMutex lock; /* guards bytes and the loader */
  GBytes *bytes;
  const AssayFileMap *map; /* the file that bytes are in, if any */
  GPtrArray *strings;
  AssayTensorLoadFunc load;
  gpointer user_data;
  GDestroyNotify destroy;
  gboolean absent; /* then user_data is the digest, or NULL */
};

G_DEFINE_BOXED_TYPE (AssayTensor, assay_tensor, assay_tensor_ref, assay_tensor_unref)

/**
 * assay_dims_count: (skip)
 * @rank: number of dimensions
 * @dims: (array length=rank): the dimensions
 * @n_elements: (out): where to put the product
 *
 * Multiplies dimensions that may come from a file.
 *
 * Returns: %FALSE if one is negative or the product overflows
 */
gboolean
assay_dims_count (guint rank, const gint64 *dims, gsize *n_elements)
{
  gsize count = 1;
  gboolean empty = FALSE;

  for (guint i = 0; i < rank; i++)
    {
      if (dims[i] < 0)
        return FALSE;
      if (dims[i] == 0)
        empty = TRUE;
      else if (!g_size_checked_mul (&count, count, (gsize) dims[i]))
        return FALSE;
    }

  if (count > G_MAXSSIZE)
    return FALSE;

  *n_elements = empty ? 0 : count;
  return TRUE;
}

static char *
dims_to_string (guint rank, const gint64 *dims)
{
  GString *text = g_string_new ("[");

  for (guint i = 0; i < rank; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", dims[i]);
  g_string_append_c (text, ']');

  return g_string_free (text, FALSE);
}

static AssayTensor *
tensor_alloc (AssayDType dtype, guint rank, const gint64 *dims, GError **error)
{
  g_autofree char *text = NULL;
  gsize n_elements = 0;
  gsize n_bytes = 0;
  AssayTensor *self;

  if (!assay_dtype_is_known ((int) dtype))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "there is no element type %d",
                   (int) dtype);
      return NULL;
    }
  if (rank > ASSAY_MAX_RANK)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "rank %u, at most %d is possible", rank,
                   ASSAY_MAX_RANK);
      return NULL;
    }

  if (!assay_dims_count (rank, dims, &n_elements) ||
      (dtype != ASSAY_DTYPE_STRING && !assay_dtype_byte_size (dtype, n_elements, &n_bytes)))
    {
      text = dims_to_string (rank, dims);
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "a tensor of type %s and shape %s cannot exist", assay_dtype_name (dtype), text);
      return NULL;
    }

  self = g_new0 (AssayTensor, 1);
  g_atomic_ref_count_init (&self->ref_count);
  g_mutex_init (&self->lock);
  self->dtype = dtype;
  self->rank = rank;
  self->dims = g_memdup2 (dims, rank * sizeof *dims);
  self->n_elements = n_elements;
  self->n_bytes = n_bytes;

  return self;
}

static void
set_bytes (AssayTensor *self, GBytes *bytes)
{
  self->bytes = bytes;
  self->map = bytes != NULL && self->n_bytes > 0
                  ? assay_file_map_find (g_bytes_get_data (bytes, NULL))
                  : NULL;
}

/**
 * assay_tensor_new:
 * @dtype: element type, not a string
 * @rank: number of dimensions
 * @dims: (array length=rank): the dimensions
 * @bytes: (transfer none): the elements, packed, row major, little endian
 * @error: return location for a #GError
 *
 * Makes a tensor over existing bytes without copying them.
 *
 * Returns: (transfer full) (nullable): the tensor, or %NULL if the size does not fit the shape
 */
AssayTensor *
assay_tensor_new (AssayDType dtype, guint rank, const gint64 *dims, GBytes *bytes, GError **error)
{
  g_autoptr (AssayTensor) self = NULL;

  if (dtype == ASSAY_DTYPE_STRING)
    {
      g_set_error_literal (
          error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
          "strings have no size of their own; assay_tensor_new_strings() takes them");
      return NULL;
    }
  self = tensor_alloc (dtype, rank, dims, error);
  if (self == NULL)
    return NULL;

  if (g_bytes_get_size (bytes) != self->n_bytes)
    {
      g_autofree char *text = dims_to_string (rank, dims);

      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "%" G_GSIZE_FORMAT
                   " byte%s for a tensor of type %s and shape %s, which takes %" G_GSIZE_FORMAT,
                   g_bytes_get_size (bytes), assay_plural (g_bytes_get_size (bytes)),
                   assay_dtype_name (dtype), text, self->n_bytes);
      return NULL;
    }

  set_bytes (self, g_bytes_ref (bytes));

  return g_steal_pointer (&self);
}

/**
 * assay_tensor_new_lazy: (skip)
 * @dtype: element type, not a string
 * @rank: number of dimensions
 * @dims: (array length=rank): the dimensions
 * @load: (scope notified): produces the elements when they are first asked for
 * @user_data: data for @load
 * @destroy: (nullable): frees @user_data
 * @error: return location for a #GError
 *
 * Makes a tensor whose elements stay where they are until someone asks for them.
 *
 * Returns: (transfer full) (nullable): the tensor
 */
AssayTensor *
assay_tensor_new_lazy (AssayDType dtype, guint rank, const gint64 *dims, AssayTensorLoadFunc load,
                       gpointer user_data, GDestroyNotify destroy, GError **error)
{
  AssayTensor *self = tensor_alloc (dtype, rank, dims, error);

  if (self == NULL)
    {
      if (destroy != NULL)
        destroy (user_data);
      return NULL;
    }

  self->load = load;
  self->user_data = user_data;
  self->destroy = destroy;

  return self;
}

static GBytes *
load_absent (AssayTensor *tensor, gpointer user_data, GError **error)
{
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
               "the elements of this tensor were left out of the text (%s)",
               user_data != NULL ? (const char *) user_data : "elided");
  return NULL;
}

/**
 * assay_tensor_new_absent:
 * @dtype: element type, not string
 * @rank: number of dimensions
 * @dims: (array length=rank): the dimensions
 * @digest: (nullable): digest of the elements, if it is known
 * @error: return location for a #GError
 *
 * Makes a tensor whose elements cannot be had, because a text form names them only.
 *
 * Returns: (transfer full) (nullable): the tensor
 */
AssayTensor *
assay_tensor_new_absent (AssayDType dtype, guint rank, const gint64 *dims, const char *digest,
                         GError **error)
{
  AssayTensor *self;

  if (dtype == ASSAY_DTYPE_STRING)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "strings cannot be left out");
      return NULL;
    }

  self = assay_tensor_new_lazy (dtype, rank, dims, load_absent, g_strdup (digest), g_free, error);
  if (self != NULL)
    self->absent = TRUE;

  return self;
}

/**
 * assay_tensor_is_absent:
 * @self: a tensor
 *
 * Tells whether the elements cannot be had at all.
 *
 * Returns: whether it was made by assay_tensor_new_absent()
 */
gboolean
assay_tensor_is_absent (AssayTensor *self)
{
  return self->absent;
}

/**
 * assay_tensor_dup_digest:
 * @self: a tensor, not of strings
 * @error: return location for a #GError
 *
 * Gets the SHA-256 of the packed elements as `sha256:` and hexadecimal digits, loading them if need
 * be.
 *
 * Returns: (transfer full) (nullable): the digest; %NULL with an error, or without one for an
 * absent tensor that has none
 */
char *
assay_tensor_dup_digest (AssayTensor *self, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *sum = NULL;

  if (self->absent)
    return g_strdup (self->user_data);

  bytes = assay_tensor_dup_bytes (self, error);
  if (bytes == NULL)
    return NULL;

  sum = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, bytes);

  return g_strconcat ("sha256:", sum, NULL);
}

/**
 * assay_tensor_new_strings:
 * @rank: number of dimensions
 * @dims: (array length=rank): the dimensions
 * @strings: (element-type GBytes): one entry per element
 * @error: return location for a #GError
 *
 * Makes a tensor of strings, which are byte strings in ONNX.
 *
 * Returns: (transfer full) (nullable): the tensor
 */
AssayTensor *
assay_tensor_new_strings (guint rank, const gint64 *dims, GPtrArray *strings, GError **error)
{
  g_autoptr (AssayTensor) self = tensor_alloc (ASSAY_DTYPE_STRING, rank, dims, error);

  if (self == NULL)
    return NULL;

  for (guint i = 0; i < strings->len; i++)
    if (g_ptr_array_index (strings, i) == NULL)
      {
        g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "there is no string %u", i);
        return NULL;
      }
  if (strings->len != self->n_elements)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "%u string%s for a tensor of %" G_GSIZE_FORMAT " element%s", strings->len,
                   assay_plural (strings->len), self->n_elements, assay_plural (self->n_elements));
      return NULL;
    }

  /* An array of another language may live no longer than the call. */
  self->strings = g_ptr_array_new_full (strings->len, (GDestroyNotify) g_bytes_unref);
  for (guint i = 0; i < strings->len; i++)
    g_ptr_array_add (self->strings, g_bytes_ref (g_ptr_array_index (strings, i)));

  return g_steal_pointer (&self);
}

static AssayTensor *
tensor_new_copy (AssayDType dtype, guint rank, const gint64 *dims, gconstpointer values)
{
  g_autoptr (GError) error = NULL;
  AssayTensor *self = tensor_alloc (dtype, rank, dims, &error);

  if (self == NULL)
    g_error ("%s", error->message);

  self->bytes = g_bytes_new (values, self->n_bytes);

  return self;
}

/**
 * assay_tensor_new_i64: (skip)
 * @rank: number of dimensions
 * @dims: (array length=rank): the dimensions, whose product must be representable
 * @values: the elements
 *
 * Makes a tensor of 64-bit integers from a copy of the values.
 *
 * Returns: (transfer full): the tensor
 */
AssayTensor *
assay_tensor_new_i64 (guint rank, const gint64 *dims, const gint64 *values)
{
  return tensor_new_copy (ASSAY_DTYPE_I64, rank, dims, values);
}

/**
 * assay_tensor_new_f32: (skip)
 * @rank: number of dimensions
 * @dims: (array length=rank): the dimensions, whose product must be representable
 * @values: the elements
 *
 * Makes a tensor of floats from a copy of the values.
 *
 * Returns: (transfer full): the tensor
 */
AssayTensor *
assay_tensor_new_f32 (guint rank, const gint64 *dims, const float *values)
{
  return tensor_new_copy (ASSAY_DTYPE_F32, rank, dims, values);
}

AssayTensor *
assay_tensor_ref (AssayTensor *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
assay_tensor_unref (AssayTensor *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->ref_count))
    return;

  if (self->destroy != NULL)
    self->destroy (self->user_data);
  g_clear_pointer (&self->bytes, g_bytes_unref);
  g_clear_pointer (&self->strings, g_ptr_array_unref);
  g_mutex_clear (&self->lock);
  g_free (self->dims);
  g_free (self);
}

/**
 * assay_tensor_get_dtype:
 * @self: a tensor
 *
 * Gets the type of the elements.
 *
 * Returns: the element type
 */
AssayDType
assay_tensor_get_dtype (AssayTensor *self)
{
  return self->dtype;
}

/**
 * assay_tensor_get_rank:
 * @self: a tensor
 *
 * Gets the number of dimensions.
 *
 * Returns: the rank
 */
guint
assay_tensor_get_rank (AssayTensor *self)
{
  return self->rank;
}

/**
 * assay_tensor_get_dims: (skip)
 * @self: a tensor
 *
 * Gets the dimensions; there are as many as the rank.
 *
 * Returns: (transfer none): the dimensions
 */
const gint64 *
assay_tensor_get_dims (AssayTensor *self)
{
  return self->dims;
}

/**
 * assay_tensor_get_n_elements:
 * @self: a tensor
 *
 * Gets the product of the dimensions, which was checked to be representable.
 *
 * Returns: the number of elements
 */
gsize
assay_tensor_get_n_elements (AssayTensor *self)
{
  return self->n_elements;
}

/**
 * assay_tensor_dup_shape:
 * @self: a tensor
 * @n_dims: (out): number of dimensions
 *
 * Gets a copy of the dimensions, for languages in which an array knows its length.
 *
 * Returns: (transfer full) (array length=n_dims): the dimensions
 */
gint64 *
assay_tensor_dup_shape (AssayTensor *self, gsize *n_dims)
{
  *n_dims = self->rank;

  return g_memdup2 (self->dims, self->rank * sizeof *self->dims);
}

/**
 * assay_tensor_get_n_bytes:
 * @self: a tensor
 *
 * Gets the size of the packed elements without loading them; 0 for strings.
 *
 * Returns: bytes
 */
gsize
assay_tensor_get_n_bytes (AssayTensor *self)
{
  return self->n_bytes;
}

/**
 * assay_tensor_is_loaded:
 * @self: a tensor
 *
 * Tells whether the elements can be had without running the loader.
 *
 * Returns: whether they are in memory or mapped
 */
gboolean
assay_tensor_is_loaded (AssayTensor *self)
{
  gboolean loaded;

  g_mutex_lock (&self->lock);
  loaded = self->bytes != NULL || self->strings != NULL;
  g_mutex_unlock (&self->lock);

  return loaded;
}

/**
 * assay_tensor_dup_bytes:
 * @self: a tensor, not of strings
 * @error: return location for a #GError
 *
 * Gets the packed elements, loading them if nobody has asked before. Fails if they are in a file
 * that was cut short.
 *
 * Returns: (transfer full) (nullable): the bytes
 */
GBytes *
assay_tensor_dup_bytes (AssayTensor *self, GError **error)
{
  GBytes *bytes = NULL;

  g_return_val_if_fail (self->strings == NULL, NULL);

  g_mutex_lock (&self->lock);

  if (self->bytes == NULL)
    {
      g_autoptr (GBytes) loaded = self->load (self, self->user_data, error);

      if (loaded != NULL && g_bytes_get_size (loaded) != self->n_bytes)
        g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                     "%" G_GSIZE_FORMAT " byte%s of tensor data, expected %" G_GSIZE_FORMAT,
                     g_bytes_get_size (loaded), assay_plural (g_bytes_get_size (loaded)),
                     self->n_bytes);
      else
        set_bytes (self, g_steal_pointer (&loaded));
    }

  if (self->bytes != NULL &&
      (assay_file_map_is_whole (self->map) || assay_file_map_check (self->map, error)))
    bytes = g_bytes_ref (self->bytes);

  g_mutex_unlock (&self->lock);

  return bytes;
}

/**
 * assay_tensor_check: (skip)
 * @self: a tensor
 * @error: return location for a #GError
 *
 * Asks after reading whether what was read stood in one file that nobody has written to meanwhile;
 * see assay_file_map_check().
 *
 * Returns: whether it did
 */
gboolean
assay_tensor_check (AssayTensor *self, GError **error)
{
  const AssayFileMap *map;

  g_mutex_lock (&self->lock);
  map = self->map;
  g_mutex_unlock (&self->lock);

  return assay_file_map_check (map, error);
}

/**
 * assay_tensor_get_data: (skip)
 * @self: a tensor, not of strings
 * @n_bytes: (out) (optional): where to put the size in bytes
 * @error: return location for a #GError
 *
 * Gets a pointer to the packed elements, loading them if nobody has asked before; it lives as long
 * as the tensor. The pointer need not be aligned for the element type: copy elements out, or use
 * assay_tensor_get_element().
 *
 * Returns: (transfer none) (nullable): the elements; %NULL without error only for an empty tensor
 */
gconstpointer
assay_tensor_get_data (AssayTensor *self, gsize *n_bytes, GError **error)
{
  /* The tensor keeps its own reference, so the pointer stays good. */
  g_autoptr (GBytes) bytes = assay_tensor_dup_bytes (self, error);

  return bytes == NULL ? NULL : g_bytes_get_data (bytes, n_bytes);
}

/**
 * assay_tensor_get_strings:
 * @self: a tensor
 *
 * Gets the elements of a tensor of strings.
 *
 * Returns: (transfer none) (nullable) (element-type GBytes): the strings
 */
GPtrArray *
assay_tensor_get_strings (AssayTensor *self)
{
  return self->strings;
}

/**
 * assay_tensor_get_element:
 * @self: a tensor of numbers or booleans; of a complex element the real part is read
 * @index: flat index, less than the number of elements
 * @value: (out): where to put the element
 * @error: return location for a #GError
 *
 * Reads one element as a double; 64-bit integers may be rounded.
 *
 * Returns: whether it could be read
 */
gboolean
assay_tensor_get_element (AssayTensor *self, gsize index, double *value, GError **error)
{
  const guint8 *data;
  guint64 raw = 0;
  guint bits = assay_dtype_bits (self->dtype);

  g_return_val_if_fail (index < self->n_elements && bits > 0, FALSE);

  data = assay_tensor_get_data (self, NULL, error);
  if (data == NULL)
    return FALSE;

  if (bits < 8)
    raw = data[index * bits / 8] >> (index * bits % 8) & ((1u << bits) - 1);
  else
    memcpy (&raw, data + index * (bits / 8), MIN (bits / 8, 8));

  switch (self->dtype)
    {
    case ASSAY_DTYPE_F32:
    case ASSAY_DTYPE_C64:
      *value = assay_f32_from_bits ((guint32) raw);
      break;
    case ASSAY_DTYPE_F64:
    case ASSAY_DTYPE_C128:
      memcpy (value, &raw, sizeof *value);
      break;
    case ASSAY_DTYPE_F16:
      *value = assay_f16_to_f32 ((guint16) raw);
      break;
    case ASSAY_DTYPE_BF16:
      *value = assay_bf16_to_f32 ((guint16) raw);
      break;
    case ASSAY_DTYPE_F8E4M3FN:
    case ASSAY_DTYPE_F8E4M3FNUZ:
    case ASSAY_DTYPE_F8E5M2:
    case ASSAY_DTYPE_F8E5M2FNUZ:
    case ASSAY_DTYPE_F8E8M0:
    case ASSAY_DTYPE_F4E2M1:
      *value = assay_small_float_decode (self->dtype, (guint) raw);
      break;
    case ASSAY_DTYPE_I8:
      *value = (gint8) raw;
      break;
    case ASSAY_DTYPE_I16:
      *value = (gint16) raw;
      break;
    case ASSAY_DTYPE_I32:
      *value = (gint32) raw;
      break;
    case ASSAY_DTYPE_I64:
      *value = (double) (gint64) raw;
      break;
    case ASSAY_DTYPE_I4:
      *value = raw >= 8 ? (double) raw - 16 : (double) raw;
      break;
    case ASSAY_DTYPE_I2:
      *value = raw >= 2 ? (double) raw - 4 : (double) raw;
      break;
    default:
      *value = (double) raw;
      break;
    }

  return TRUE;
}

/**
 * assay_tensor_get_integer:
 * @self: a tensor of integers or booleans
 * @index: flat index, less than the number of elements
 * @value: (out): where to put the element
 * @error: return location for a #GError
 *
 * Reads one element exactly; unsigned 64-bit values above the signed range are refused.
 *
 * Returns: whether it could be read
 */
gboolean
assay_tensor_get_integer (AssayTensor *self, gsize index, gint64 *value, GError **error)
{
  double number;

  g_return_val_if_fail (index < self->n_elements, FALSE);

  if (self->dtype == ASSAY_DTYPE_I64 || self->dtype == ASSAY_DTYPE_U64)
    {
      const guint8 *data = assay_tensor_get_data (self, NULL, error);

      if (data == NULL)
        return FALSE;

      memcpy (value, data + index * sizeof *value, sizeof *value);
      if (self->dtype == ASSAY_DTYPE_I64 || *value >= 0)
        return TRUE;

      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "element %" G_GSIZE_FORMAT " is above the range of signed 64-bit integers",
                   index);
      return FALSE;
    }

  if (!assay_dtype_is_integer (self->dtype) && self->dtype != ASSAY_DTYPE_BOOL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "elements of type %s, integers were expected", assay_dtype_name (self->dtype));
      return FALSE;
    }

  if (!assay_tensor_get_element (self, index, &number, error))
    return FALSE;

  *value = (gint64) number;
  return TRUE;
}
