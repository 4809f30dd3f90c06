/* assay-tensor-proto.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-tensor-proto.h"

#include <string.h>

#include "base/assay-error.h"
#include "base/assay-sentence.h"

/* Shorter lists of integers are counted at once, so that a wrong count is a finding and not a
 * surprise later. */
#define COUNT_AT_ONCE 4096

/* Integers of up to so many bytes are copied out of the file. */
#define COPIED_BYTES ((gsize) 64 << 10)

#define FIELD_FLOAT 4
#define FIELD_INT32 5
#define FIELD_STRING 6
#define FIELD_INT64 7
#define FIELD_RAW 9
#define FIELD_DOUBLE 10
#define FIELD_UINT64 11

/* Which field holds the elements of a type when raw_data does not (TensorProto in the ONNX IR
 * specification), and how many bytes of an entry count: two 4-bit elements share one. */
static const struct
{
  guint8 field;
  guint8 entry_bytes;
} storage[ASSAY_N_DTYPES] = {
  [ASSAY_DTYPE_F32] = { FIELD_FLOAT, 4 },      [ASSAY_DTYPE_U8] = { FIELD_INT32, 1 },
  [ASSAY_DTYPE_I8] = { FIELD_INT32, 1 },       [ASSAY_DTYPE_U16] = { FIELD_INT32, 2 },
  [ASSAY_DTYPE_I16] = { FIELD_INT32, 2 },      [ASSAY_DTYPE_I32] = { FIELD_INT32, 4 },
  [ASSAY_DTYPE_I64] = { FIELD_INT64, 8 },      [ASSAY_DTYPE_STRING] = { FIELD_STRING, 0 },
  [ASSAY_DTYPE_BOOL] = { FIELD_INT32, 1 },     [ASSAY_DTYPE_F16] = { FIELD_INT32, 2 },
  [ASSAY_DTYPE_F64] = { FIELD_DOUBLE, 8 },     [ASSAY_DTYPE_U32] = { FIELD_UINT64, 4 },
  [ASSAY_DTYPE_U64] = { FIELD_UINT64, 8 },     [ASSAY_DTYPE_C64] = { FIELD_FLOAT, 4 },
  [ASSAY_DTYPE_C128] = { FIELD_DOUBLE, 8 },    [ASSAY_DTYPE_BF16] = { FIELD_INT32, 2 },
  [ASSAY_DTYPE_F8E4M3FN] = { FIELD_INT32, 1 }, [ASSAY_DTYPE_F8E4M3FNUZ] = { FIELD_INT32, 1 },
  [ASSAY_DTYPE_F8E5M2] = { FIELD_INT32, 1 },   [ASSAY_DTYPE_F8E5M2FNUZ] = { FIELD_INT32, 1 },
  [ASSAY_DTYPE_U4] = { FIELD_INT32, 1 },       [ASSAY_DTYPE_I4] = { FIELD_INT32, 1 },
  [ASSAY_DTYPE_F4E2M1] = { FIELD_INT32, 1 },   [ASSAY_DTYPE_F8E8M0] = { FIELD_INT32, 1 },
  [ASSAY_DTYPE_U2] = { FIELD_INT32, 1 },       [ASSAY_DTYPE_I2] = { FIELD_INT32, 1 },
};

/* What the message of one tensor holds of one field. */
typedef struct
{
  guint n_chunks;
  gsize n_bytes;
  gsize offset; /* of the last chunk */
  gsize length;
} Chunks;

static Chunks
find_chunks (const guint8 *data, const AssayWirePayload *place, guint32 number)
{
  gsize end = place->offset + place->length;
  Chunks chunks = { 0 };
  AssayWireField field;

  for (gsize offset = place->offset; offset < end; offset = field.content + field.length)
    {
      if (assay_wire_next (data, end, offset, &field) != NULL)
        break;
      if (field.number != number)
        continue;
      chunks.n_chunks++;
      chunks.n_bytes += field.length;
      chunks.offset = field.content;
      chunks.length = field.length;
    }

  return chunks;
}

typedef struct
{
  GBytes *bytes;
  AssayWirePayload place;
  guint8 field;
  guint8 entry_bytes;
} Decoder;

static void
decoder_free (gpointer data)
{
  Decoder *self = data;

  g_bytes_unref (self->bytes);
  g_free (self);
}

/* Walks all entries of the field; writes them to @out if there is one, and counts them. */
static gsize
decode_entries (const guint8 *data, const AssayWirePayload *place, guint32 number,
                guint entry_bytes, guint8 *out, gsize capacity)
{
  gsize end = place->offset + place->length;
  gsize n = 0;
  AssayWireField field;

  for (gsize offset = place->offset; offset < end; offset = field.content + field.length)
    {
      const guint8 *at;
      const guint8 *limit;

      if (assay_wire_next (data, end, offset, &field) != NULL)
        break;
      if (field.number != number)
        continue;

      at = data + field.content;
      limit = at + field.length;
      while (at < limit)
        {
          guint64 value = 0;
          guint taken;

          if (number == FIELD_FLOAT || number == FIELD_DOUBLE)
            {
              taken = (guint) MIN ((gsize) (limit - at), entry_bytes);
              memcpy (&value, at, taken);
            }
          else
            {
              taken = assay_wire_read_varint (at, limit, &value);
              if (taken == 0)
                return n;
            }

          if (out != NULL)
            {
              if (n >= capacity)
                return n + 1;
              memcpy (out + n * entry_bytes, &value, entry_bytes);
            }
          at += taken;
          n++;
        }
    }

  return n;
}

static GBytes *
decode (AssayTensor *tensor, gpointer user_data, GError **error)
{
  Decoder *self = user_data;
  gsize capacity = assay_tensor_get_n_bytes (tensor) / self->entry_bytes;
  g_autofree guint8 *out = g_try_malloc (MAX (assay_tensor_get_n_bytes (tensor), 1));
  gsize n;

  if (out == NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                   "no memory for %" G_GSIZE_FORMAT " byte%s of tensor data",
                   assay_tensor_get_n_bytes (tensor),
                   assay_plural (assay_tensor_get_n_bytes (tensor)));
      return NULL;
    }

  n = decode_entries (g_bytes_get_data (self->bytes, NULL), &self->place, self->field,
                      self->entry_bytes, out, capacity);
  if (n != capacity)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                   "%s%" G_GSIZE_FORMAT " %s of tensor data, expected %" G_GSIZE_FORMAT,
                   n > capacity ? "at least " : "", n, assay_noun (n, "entry", "entries"),
                   capacity);
      return NULL;
    }

  return g_bytes_new_take (g_steal_pointer (&out), assay_tensor_get_n_bytes (tensor));
}

static AssayTensor *
strings_from_proto (AssayOnnxFile *file, const Assay__Onnx__TensorProto *proto,
                    const AssayWirePayload *place, GError **error)
{
  g_autoptr (GPtrArray) strings = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  GBytes *bytes = assay_onnx_file_get_bytes (file);
  const guint8 *data = g_bytes_get_data (bytes, NULL);
  AssayWireField field;
  guint n = place == NULL ? 0 : find_chunks (data, place, FIELD_STRING).n_chunks;
  gsize expected = 0;
  gsize end;

  if (!assay_dims_count ((guint) proto->n_dims, proto->dims, &expected) || expected != n)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                   "%u string%s for %" G_GSIZE_FORMAT " element%s", n, assay_plural (n), expected,
                   assay_plural (expected));
      return NULL;
    }

  if (place != NULL)
    {
      end = place->offset + place->length;
      for (gsize offset = place->offset; offset < end; offset = field.content + field.length)
        {
          if (assay_wire_next (data, end, offset, &field) != NULL)
            break;
          if (field.number == FIELD_STRING)
            g_ptr_array_add (strings, g_bytes_new_from_bytes (bytes, field.content, field.length));
        }
    }

  return assay_tensor_new_strings ((guint) proto->n_dims, proto->dims, strings, error);
}

/* Weights stay where they are. Shapes and indices are checked first and used later, so they must
 * not change in between, whatever happens to the file. */
static GBytes *
dup_view (GBytes *bytes, gsize offset, gsize length, AssayDType dtype)
{
  const guint8 *data = g_bytes_get_data (bytes, NULL);

  return assay_dtype_is_integer (dtype) && length <= COPIED_BYTES
             ? g_bytes_new (data + offset, length)
             : g_bytes_new_from_bytes (bytes, offset, length);
}

/* Elements in the file itself: raw, or in a typed field. */
static AssayTensor *
inline_from_proto (AssayOnnxFile *file, const Assay__Onnx__TensorProto *proto, AssayDType dtype,
                   gsize n_bytes, GError **error)
{
  const AssayWirePayload *place = assay_onnx_file_get_payload (file, proto);
  GBytes *bytes = assay_onnx_file_get_bytes (file);
  const guint8 *data = g_bytes_get_data (bytes, NULL);
  g_autoptr (GBytes) view = NULL;
  guint entry_bytes = storage[dtype].entry_bytes;
  gsize n = n_bytes / entry_bytes;
  guint number = FIELD_RAW;
  Chunks chunks = { 0 };
  Decoder *decoder;

  if (place != NULL)
    {
      chunks = find_chunks (data, place, FIELD_RAW);
      if (chunks.n_chunks == 0)
        {
          number = storage[dtype].field;
          chunks = find_chunks (data, place, number);
        }
    }

  if (chunks.n_chunks == 0 && n_bytes > 0)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                   "no elements of type %s, expected %" G_GSIZE_FORMAT " byte%s",
                   assay_dtype_name (dtype), n_bytes, assay_plural (n_bytes));
      return NULL;
    }

  if (n_bytes == 0)
    view = g_bytes_new (NULL, 0);
  else if (number == FIELD_RAW ||
           (chunks.n_chunks == 1 && (number == FIELD_FLOAT || number == FIELD_DOUBLE)))
    view = dup_view (bytes, chunks.offset, chunks.length, dtype);

  if (view != NULL)
    return assay_tensor_new (dtype, (guint) proto->n_dims, proto->dims, view, error);

  /* An entry takes a byte at least, so no more can be promised than the file is long. */
  if (n_bytes / entry_bytes > chunks.n_bytes)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                   "%" G_GSIZE_FORMAT " byte%s of tensor data cannot hold %" G_GSIZE_FORMAT " %s",
                   chunks.n_bytes, assay_plural (chunks.n_bytes), n_bytes / entry_bytes,
                   assay_noun (n_bytes / entry_bytes, "entry", "entries"));
      return NULL;
    }

  if (chunks.n_bytes <= COUNT_AT_ONCE)
    n = decode_entries (data, place, number, entry_bytes, NULL, 0);
  if (n != n_bytes / entry_bytes)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                   "%" G_GSIZE_FORMAT " %s of tensor data, expected %" G_GSIZE_FORMAT, n,
                   assay_noun (n, "entry", "entries"), n_bytes / entry_bytes);
      return NULL;
    }

  decoder = g_new0 (Decoder, 1);
  decoder->bytes = g_bytes_ref (bytes);
  decoder->place = *place;
  decoder->field = (guint8) number;
  decoder->entry_bytes = (guint8) entry_bytes;

  return assay_tensor_new_lazy (dtype, (guint) proto->n_dims, proto->dims, decode, decoder,
                                decoder_free, error);
}

static gboolean
parse_size (const char *text, gsize *value)
{
  guint64 parsed;

  if (!g_ascii_string_to_unsigned (text, 10, 0, G_MAXSSIZE, &parsed, NULL))
    return FALSE;

  *value = (gsize) parsed;
  return TRUE;
}

static AssayTensor *
external_from_proto (AssayOnnxFile *file, const Assay__Onnx__TensorProto *proto, AssayDType dtype,
                     gsize n_bytes, GError **error)
{
  g_autoptr (GBytes) view = NULL;
  const char *location = NULL;
  gsize offset = 0;
  gsize length = n_bytes;
  GBytes *whole;

  for (gsize i = 0; i < proto->n_external_data; i++)
    {
      const char *key = proto->external_data[i]->key;
      const char *value = proto->external_data[i]->value;

      if (g_strcmp0 (key, "location") == 0)
        {
          location = value;
        }
      else if (g_strcmp0 (key, "offset") == 0 || g_strcmp0 (key, "length") == 0)
        {
          if (value == NULL || !parse_size (value, key[0] == 'o' ? &offset : &length))
            {
              g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                           "external data with %s \"%s\", expected a size", key,
                           value != NULL ? value : "");
              return NULL;
            }
        }
    }

  if (location == NULL)
    {
      g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                           "external data without a location");
      return NULL;
    }

  whole = assay_onnx_file_get_external (file, location, error);
  if (whole == NULL)
    return NULL;

  if (length != n_bytes)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                   "external data of %" G_GSIZE_FORMAT
                   " byte%s, but type and shape take %" G_GSIZE_FORMAT,
                   length, assay_plural (length), n_bytes);
      return NULL;
    }

  if (offset > g_bytes_get_size (whole) || length > g_bytes_get_size (whole) - offset)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                   "external data at bytes %" G_GSIZE_FORMAT " to %" G_GSIZE_FORMAT
                   " of \"%s\", which has only %" G_GSIZE_FORMAT,
                   offset, offset + length, location, g_bytes_get_size (whole));
      return NULL;
    }

  view = dup_view (whole, offset, length, dtype);

  return assay_tensor_new (dtype, (guint) proto->n_dims, proto->dims, view, error);
}

/**
 * assay_tensor_from_proto:
 * @file: the file that the message is from
 * @proto: a tensor
 * @error: return location for a #GError
 *
 * Makes a tensor whose elements stay in the file, or in the file of external data, until someone
 * asks for them.
 *
 * Returns: (transfer full) (nullable): the tensor
 */
AssayTensor *
assay_tensor_from_proto (AssayOnnxFile *file, const Assay__Onnx__TensorProto *proto, GError **error)
{
  AssayDType dtype;
  gsize n_elements;
  gsize n_bytes;

  if (!assay_dtype_is_known (proto->data_type))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT, "element type %d, expected 1 to %d",
                   proto->data_type, ASSAY_N_DTYPES - 1);
      return NULL;
    }

  dtype = (AssayDType) proto->data_type;
  if (proto->n_dims > ASSAY_MAX_RANK)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                   "%" G_GSIZE_FORMAT " dimension%s, at most %d are possible", proto->n_dims,
                   assay_plural (proto->n_dims), ASSAY_MAX_RANK);
      return NULL;
    }

  if (dtype == ASSAY_DTYPE_STRING)
    return strings_from_proto (file, proto, assay_onnx_file_get_payload (file, proto), error);

  if (!assay_dims_count ((guint) proto->n_dims, proto->dims, &n_elements) ||
      !assay_dtype_byte_size (dtype, n_elements, &n_bytes))
    {
      g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT,
                           "dimensions that are negative or overflow");
      return NULL;
    }

  if (proto->has_data_location &&
      proto->data_location == ASSAY__ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL)
    return external_from_proto (file, proto, dtype, n_bytes, error);

  return inline_from_proto (file, proto, dtype, n_bytes, error);
}
