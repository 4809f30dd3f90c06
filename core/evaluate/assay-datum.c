/* assay-datum.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/assay-datum.h"

#include <stdlib.h>
#include <string.h>

#include "base/assay-bf16.h"
#include "base/assay-error.h"
#include "base/assay-sentence.h"
#include "base/assay-small-float.h"

/* Vectors of the widest instruction set, and cache lines, start where this divides the address. */
#define ALIGNMENT 64

/* Bytes from which on it pays to take a block that is there already. */
#define POOLED_BYTES 16384

/**
 * assay_datum_storage:
 * @dtype: an element type of ONNX
 * @wide: whether everything is computed in double
 *
 * Says which type the elements of a type have in memory while a graph runs.
 *
 * Returns: the type in memory
 */
AssayDType
assay_datum_storage (AssayDType dtype, gboolean wide)
{
  if (dtype == ASSAY_DTYPE_F32 || assay_small_float_is (dtype))
    return wide ? ASSAY_DTYPE_F64 : ASSAY_DTYPE_F32;
  if (dtype == ASSAY_DTYPE_I4 || dtype == ASSAY_DTYPE_I2)
    return ASSAY_DTYPE_I8;
  if (dtype == ASSAY_DTYPE_U4 || dtype == ASSAY_DTYPE_U2)
    return ASSAY_DTYPE_U8;
  if (dtype == ASSAY_DTYPE_C64 && wide)
    return ASSAY_DTYPE_C128;

  return dtype;
}

/**
 * assay_storage_size:
 * @storage: a type in memory, as assay_datum_storage() gives it
 *
 * Gets the size of one element in memory.
 *
 * Returns: bytes
 */
gsize
assay_storage_size (AssayDType storage)
{
  return storage == ASSAY_DTYPE_STRING ? sizeof (GBytes *) : assay_dtype_bits (storage) / 8;
}

static void
free_strings (gpointer data)
{
  AssayDatum *self = data;
  GBytes **strings = self->data;

  for (gsize i = 0; i < self->n; i++)
    g_clear_pointer (&strings[i], g_bytes_unref);
  free (strings);
}

static AssayDatum *
datum_alloc (AssayDatumKind kind, guint rank)
{
  AssayDatum *self = g_malloc0 (sizeof *self + rank * sizeof *self->dims);

  g_atomic_ref_count_init (&self->ref_count);
  self->kind = kind;
  self->rank = rank;
  self->dims = (gint64 *) (self + 1);

  return self;
}

static AssayDatum *
tensor_alloc (AssayDType dtype, AssayDType storage, guint rank, const gint64 *dims, GError **error)
{
  AssayDatum *self;
  gsize n;

  if (rank > ASSAY_MAX_RANK || !assay_dims_count (rank, dims, &n))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "a tensor of rank %u is needed whose dimensions are negative or too large",
                   rank);
      return NULL;
    }

  self = datum_alloc (ASSAY_DATUM_TENSOR, rank);
  self->dtype = dtype;
  self->storage = storage;
  self->n = n;
  if (rank > 0)
    memcpy (self->dims, dims, rank * sizeof *dims);

  return self;
}

static void
set_no_memory (AssayDType dtype, gsize n, gsize n_bytes, GError **error)
{
  g_autofree char *size = g_format_size_full (n_bytes, G_FORMAT_SIZE_IEC_UNITS);

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_MEMORY,
               "no memory for a tensor of %" G_GSIZE_FORMAT
               " element%s of type %s, which takes %" G_GSIZE_FORMAT " byte%s (%s)",
               n, assay_plural (n), assay_dtype_name (dtype), n_bytes, assay_plural (n_bytes),
               size);
}

/**
 * assay_datum_new_in:
 * @memory: (nullable): where large tensors come from and go to
 * @dtype: element type in the sense of ONNX
 * @storage: type in memory, as assay_datum_storage() gives it
 * @rank: number of dimensions
 * @dims: (array length=rank): the dimensions
 * @error: return location for a #GError
 *
 * Makes a tensor as assay_datum_new() does, of memory that is used again and again.
 *
 * Returns: (transfer full) (nullable): the tensor
 */
AssayDatum *
assay_datum_new_in (AssayMemory *memory, AssayDType dtype, AssayDType storage, guint rank,
                    const gint64 *dims, GError **error)
{
  g_autoptr (AssayDatum) self = tensor_alloc (dtype, storage, rank, dims, error);
  gsize n_bytes;

  if (self == NULL)
    return NULL;

  /* One vector more than needed, so that a kernel may read a whole vector at the end. */
  if (g_size_checked_mul (&n_bytes, self->n, assay_storage_size (storage)) &&
      g_size_checked_add (&n_bytes, n_bytes, 2 * ALIGNMENT))
    {
      gboolean pooled = memory != NULL && n_bytes >= POOLED_BYTES && storage != ASSAY_DTYPE_STRING;

      self->data = pooled ? assay_memory_take (memory, n_bytes)
                          : aligned_alloc (ALIGNMENT, n_bytes / ALIGNMENT * ALIGNMENT);
      self->release = pooled ? assay_memory_give : free;
    }
  else
    n_bytes = G_MAXSIZE;
  if (self->data == NULL)
    {
      self->release = NULL;
      set_no_memory (dtype, self->n, n_bytes, error);
      return NULL;
    }

  self->owner = self->data;
  if (storage == ASSAY_DTYPE_STRING)
    {
      memset (self->data, 0, self->n * sizeof (GBytes *));
      self->owner = self;
      self->release = free_strings;
    }

  return g_steal_pointer (&self);
}

/**
 * assay_datum_new:
 * @dtype: element type in the sense of ONNX
 * @storage: type in memory, as assay_datum_storage() gives it
 * @rank: number of dimensions
 * @dims: (array length=rank): the dimensions
 * @error: return location for a #GError
 *
 * Makes a tensor to be filled; its elements are undefined, those of a tensor of strings are %NULL.
 * Fails with %ASSAY_ERROR_INVALID for dimensions that no tensor has, with %ASSAY_ERROR_MEMORY for
 * what memory does not hold.
 *
 * Returns: (transfer full) (nullable): the tensor
 */
AssayDatum *
assay_datum_new (AssayDType dtype, AssayDType storage, guint rank, const gint64 *dims,
                 GError **error)
{
  return assay_datum_new_in (NULL, dtype, storage, rank, dims, error);
}

/**
 * assay_datum_new_view:
 * @source: a tensor
 * @rank: number of dimensions
 * @dims: (array length=rank): the dimensions, of as many elements as the source has
 * @error: return location for a #GError
 *
 * Makes a tensor of another shape that shares the elements of a tensor.
 *
 * Returns: (transfer full) (nullable): the tensor
 */
AssayDatum *
assay_datum_new_view (AssayDatum *source, guint rank, const gint64 *dims, GError **error)
{
  AssayDatum *self = tensor_alloc (source->dtype, source->storage, rank, dims, error);

  if (self == NULL)
    return NULL;

  if (self->n != source->n)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "a shape of %" G_GSIZE_FORMAT " element%s for a tensor of %" G_GSIZE_FORMAT,
                   self->n, assay_plural (self->n), source->n);
      assay_datum_unref (self);
      return NULL;
    }

  self->data = source->data;
  self->owner = assay_datum_ref (source);
  self->release = (GDestroyNotify) assay_datum_unref;

  return self;
}

/**
 * assay_datum_new_items:
 * @kind: a sequence, an optional or a map
 * @items: (element-type AssayDatum): what it holds
 *
 * Makes a datum of other data.
 *
 * Returns: (transfer full): the datum
 */
AssayDatum *
assay_datum_new_items (AssayDatumKind kind, GPtrArray *items)
{
  AssayDatum *self = datum_alloc (kind, 0);

  g_return_val_if_fail (kind != ASSAY_DATUM_TENSOR, self);

  self->items = g_ptr_array_ref (items);

  return self;
}

static gsize
packed_bytes (AssayDType dtype, gsize n)
{
  return (n * assay_dtype_bits (dtype) + 7) / 8;
}

/* An element of less than a byte, or of one. */
static guint
small_bits (const guint8 *packed, guint bits, gsize index)
{
  return (guint) packed[index * bits / 8] >> (index * bits % 8) & ((1u << bits) - 1);
}

/* From the packed form of a tensor to the form in memory. */
static void
unpack_floats (AssayDatum *self, const guint8 *packed)
{
  gboolean wide = self->storage == ASSAY_DTYPE_F64;
  double table[256];
  guint bits = assay_dtype_bits (self->dtype);

  for (guint i = 0; bits <= 8 && i < 1u << bits; i++)
    table[i] = assay_small_float_decode (self->dtype, i);

  for (gsize i = 0; i < self->n; i++)
    {
      double value;
      guint16 half;
      float single;

      switch (self->dtype)
        {
        case ASSAY_DTYPE_F32:
          memcpy (&single, packed + i * sizeof single, sizeof single);
          value = single;
          break;
        case ASSAY_DTYPE_F16:
          memcpy (&half, packed + i * sizeof half, sizeof half);
          value = assay_f16_to_f32 (half);
          break;
        case ASSAY_DTYPE_BF16:
          memcpy (&half, packed + i * sizeof half, sizeof half);
          value = assay_bf16_to_f32 (half);
          break;
        default:
          value = table[small_bits (packed, bits, i)];
          break;
        }

      if (wide)
        ((double *) self->data)[i] = value;
      else
        ((float *) self->data)[i] = (float) value;
    }
}

static void
unpack (AssayDatum *self, const guint8 *packed)
{
  if (self->storage == self->dtype)
    {
      if (self->n > 0)
        memcpy (self->data, packed, self->n * assay_storage_size (self->storage));
    }
  else if (self->dtype == ASSAY_DTYPE_C64)
    {
      for (gsize i = 0; i < 2 * self->n; i++)
        {
          float part;

          memcpy (&part, packed + i * sizeof part, sizeof part);
          ((double *) self->data)[i] = part;
        }
    }
  else if (assay_dtype_is_float (self->dtype))
    unpack_floats (self, packed);
  else
    {
      guint bits = assay_dtype_bits (self->dtype);
      guint sign = self->storage == ASSAY_DTYPE_I8 ? 1u << (bits - 1) : 0;

      for (gsize i = 0; i < self->n; i++)
        ((guint8 *) self->data)[i] = (guint8) ((small_bits (packed, bits, i) ^ sign) - sign);
    }
}

static AssayDatum *
new_strings (AssayTensor *tensor, GError **error)
{
  AssayDatum *self = assay_datum_new (ASSAY_DTYPE_STRING, ASSAY_DTYPE_STRING,
                                      assay_tensor_get_rank (tensor),
                                      assay_tensor_get_dims (tensor), error);
  GPtrArray *strings = assay_tensor_get_strings (tensor);

  for (gsize i = 0; self != NULL && i < self->n; i++)
    ((GBytes **) self->data)[i] = g_bytes_ref (g_ptr_array_index (strings, i));

  return self;
}

/**
 * assay_datum_new_tensor:
 * @tensor: a tensor
 * @wide: whether everything is computed in double
 * @error: return location for a #GError
 *
 * Makes a datum of a tensor, which shares the bytes where they are as computing needs them.
 *
 * Returns: (transfer full) (nullable): the datum
 */
AssayDatum *
assay_datum_new_tensor (AssayTensor *tensor, gboolean wide, GError **error)
{
  AssayDType dtype = assay_tensor_get_dtype (tensor);
  AssayDType storage = assay_datum_storage (dtype, wide);
  guint rank = assay_tensor_get_rank (tensor);
  const gint64 *dims = assay_tensor_get_dims (tensor);
  g_autoptr (AssayDatum) self = NULL;
  g_autoptr (GBytes) bytes = NULL;
  const guint8 *packed;
  gsize align = MIN (assay_storage_size (storage), 8);

  if (dtype == ASSAY_DTYPE_STRING)
    return new_strings (tensor, error);

  bytes = assay_tensor_dup_bytes (tensor, error);
  if (bytes == NULL)
    return NULL;

  packed = g_bytes_get_data (bytes, NULL);
  if (storage == dtype && packed != NULL && (guintptr) packed % MAX (align, 1) == 0)
    {
      self = tensor_alloc (dtype, storage, rank, dims, error);
      if (self == NULL)
        return NULL;

      /* Kernels write into data that nobody else holds, which assay_datum_is_exclusive() denies of
       * these. */
      self->data = (gpointer) packed;
      self->owner = g_steal_pointer (&bytes);
      self->release = (GDestroyNotify) g_bytes_unref;

      return g_steal_pointer (&self);
    }

  self = assay_datum_new (dtype, storage, rank, dims, error);
  if (self != NULL)
    unpack (self, packed);

  return g_steal_pointer (&self);
}

/**
 * assay_datum_new_stored:
 * @source: a datum
 * @wide: whether everything is computed in double
 * @error: return location for a #GError
 *
 * Brings a datum, and what it holds, into the form in memory that computing needs.
 *
 * Returns: (transfer full) (nullable): @source itself if it has that form
 */
AssayDatum *
assay_datum_new_stored (AssayDatum *source, gboolean wide, GError **error)
{
  AssayDType storage = assay_datum_storage (source->dtype, wide);
  g_autoptr (GPtrArray) items = NULL;
  AssayDatum *self;

  if (source->kind != ASSAY_DATUM_TENSOR)
    {
      items = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);
      for (guint i = 0; i < source->items->len; i++)
        {
          AssayDatum *item = assay_datum_new_stored (g_ptr_array_index (source->items, i), wide,
                                                     error);

          if (item == NULL)
            return NULL;
          g_ptr_array_add (items, item);
        }

      return assay_datum_new_items (source->kind, items);
    }

  if (source->storage == storage)
    return assay_datum_ref (source);

  self = assay_datum_new (source->dtype, storage, source->rank, source->dims, error);
  if (self == NULL)
    return NULL;

  if (storage == ASSAY_DTYPE_C128 || storage == ASSAY_DTYPE_C64)
    {
      gboolean widen = storage == ASSAY_DTYPE_C128;

      for (gsize i = 0; i < 2 * self->n; i++)
        {
          if (widen)
            ((double *) self->data)[i] = ((const float *) source->data)[i];
          else
            ((float *) self->data)[i] = (float) ((const double *) source->data)[i];
        }
      return self;
    }

  for (gsize i = 0; i < self->n; i++)
    assay_datum_set_number (self, i, assay_datum_get_number (source, i));
  assay_datum_round (self);

  return self;
}

AssayDatum *
assay_datum_ref (AssayDatum *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
assay_datum_unref (AssayDatum *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->ref_count))
    return;

  if (self->release != NULL)
    self->release (self->owner);
  g_clear_pointer (&self->items, g_ptr_array_unref);
  g_free (self);
}

/* The packed form of the elements; a copy. */
static GBytes *
pack (AssayDatum *self, GError **error)
{
  gsize n_bytes = packed_bytes (self->dtype, self->n);
  guint8 *packed = g_try_malloc0 (MAX (n_bytes, 1));
  guint bits = assay_dtype_bits (self->dtype);

  if (packed == NULL)
    {
      set_no_memory (self->dtype, self->n, n_bytes, error);
      return NULL;
    }

  for (gsize i = 0; i < self->n; i++)
    {
      guint raw;
      float single;

      if (self->dtype == ASSAY_DTYPE_C64)
        {
          for (guint part = 0; part < 2; part++)
            {
              single = (float) ((const double *) self->data)[2 * i + part];
              memcpy (packed + (2 * i + part) * sizeof single, &single, sizeof single);
            }
          continue;
        }
      if (self->dtype == ASSAY_DTYPE_F32)
        {
          single = (float) ((const double *) self->data)[i];
          memcpy (packed + i * sizeof single, &single, sizeof single);
          continue;
        }

      if (assay_dtype_is_float (self->dtype))
        {
          double value = assay_datum_get_number (self, i);

          raw = assay_small_float_encode (
              self->dtype,
              assay_small_float_round (self->dtype, value, FALSE, ASSAY_ROUNDING_NEAREST));
        }
      else
        raw = ((const guint8 *) self->data)[i];

      if (bits <= 8)
        packed[i * bits / 8] = (guint8) (packed[i * bits / 8] | (raw & ((1u << bits) - 1))
                                                                    << (i * bits % 8));
      else
        memcpy (packed + 2 * i, &(guint16){ (guint16) raw }, 2);
    }

  return g_bytes_new_take (packed, n_bytes);
}

/**
 * assay_datum_to_tensor:
 * @self: a tensor
 * @keep_wide: whether elements that are carried in double stay so, in a tensor of type f64
 * @error: return location for a #GError
 *
 * Makes a tensor of a datum, which shares the elements where the forms agree.
 *
 * Returns: (transfer full) (nullable): the tensor
 */
AssayTensor *
assay_datum_to_tensor (AssayDatum *self, gboolean keep_wide, GError **error)
{
  AssayDType dtype = keep_wide && self->storage == ASSAY_DTYPE_F64 ? ASSAY_DTYPE_F64 : self->dtype;
  g_autoptr (GBytes) bytes = NULL;

  g_return_val_if_fail (self->kind == ASSAY_DATUM_TENSOR, NULL);

  if (dtype == ASSAY_DTYPE_STRING)
    {
      g_autoptr (GPtrArray)
          strings = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

      for (gsize i = 0; i < self->n; i++)
        g_ptr_array_add (strings, g_bytes_ref (((GBytes **) self->data)[i]));

      return assay_tensor_new_strings (self->rank, self->dims, strings, error);
    }

  if (self->storage == dtype)
    bytes = g_bytes_new_with_free_func (self->data, packed_bytes (dtype, self->n),
                                        (GDestroyNotify) assay_datum_unref, assay_datum_ref (self));
  else
    bytes = pack (self, error);
  if (bytes == NULL)
    return NULL;

  return assay_tensor_new (dtype, self->rank, self->dims, bytes, error);
}

/**
 * assay_datum_is_exclusive:
 * @self: a datum
 *
 * Tells whether the caller holds the only reference to a tensor and to its elements, and may write
 * over them.
 *
 * Returns: whether it may be changed
 */
gboolean
assay_datum_is_exclusive (const AssayDatum *self)
{
  return self->kind == ASSAY_DATUM_TENSOR && self->owner == self->data &&
         g_atomic_int_get ((const gint *) &self->ref_count) == 1;
}

/* The storage types that hold one number per element. */
#define NUMBER_TYPES(ROW)                                                                          \
  ROW (F32, float)                                                                                 \
  ROW (F64, double)                                                                                \
  ROW (I8, gint8)                                                                                  \
  ROW (U8, guint8)                                                                                 \
  ROW (BOOL, guint8)                                                                               \
  ROW (I16, gint16)                                                                                \
  ROW (U16, guint16)                                                                               \
  ROW (I32, gint32)                                                                                \
  ROW (U32, guint32)                                                                               \
  ROW (I64, gint64)                                                                                \
  ROW (U64, guint64)

/**
 * assay_datum_get_number:
 * @self: a tensor of numbers or booleans
 * @index: an element
 *
 * Reads one element as a double; 64-bit integers may be rounded.
 *
 * Returns: the element
 */
double
assay_datum_get_number (const AssayDatum *self, gsize index)
{
  switch (self->storage)
    {
#define ROW(storage, type)                                                                         \
  case ASSAY_DTYPE_##storage:                                                                      \
    return (double) ((const type *) self->data)[index];
      NUMBER_TYPES (ROW)
#undef ROW
    default:
      g_return_val_if_reached (0.0);
    }
}

/**
 * assay_datum_get_integer:
 * @self: a tensor of numbers or booleans
 * @index: an element
 *
 * Reads one element as an integer; floating point numbers lose their fraction, and are clamped to
 * the range.
 *
 * Returns: the element
 */
gint64
assay_datum_get_integer (const AssayDatum *self, gsize index)
{
  double value;

  switch (self->storage)
    {
#define ROW(storage, type)                                                                         \
  case ASSAY_DTYPE_##storage:                                                                      \
    if (!assay_dtype_is_float (ASSAY_DTYPE_##storage))                                             \
      return (gint64) ((const type *) self->data)[index];                                          \
    break;
      NUMBER_TYPES (ROW)
#undef ROW
    default:
      break;
    }

  value = assay_datum_get_number (self, index);
  if (value != value)
    return 0;

  return value >= 0x1p63 ? G_MAXINT64 : value < -0x1p63 ? G_MININT64 : (gint64) value;
}

/* The nearest whole number towards zero that an integer type has, whose bits it is; that of what is
 * no number is zero. */
static inline guint64
to_integer (double value, guint bits, gboolean is_signed)
{
  guint64 half = (guint64) 1 << (bits - 1);
  double high = is_signed ? (double) half : 2.0 * (double) half;

  if (value != value)
    return 0;
  if (value >= high)
    return is_signed ? half - 1 : 2 * half - 1;
  if (value <= (is_signed ? -high : 0.0))
    return is_signed ? 0 - half : 0;

  return is_signed ? (guint64) (gint64) value : (guint64) value;
}

/**
 * assay_datum_set_number:
 * @self: a tensor of numbers or booleans
 * @index: an element
 * @value: a number; an integer type loses its fraction, and holds the nearest number that it has
 *
 * Writes one element.
 */
void
assay_datum_set_number (AssayDatum *self, gsize index, double value)
{
  switch (self->storage)
    {
#define ROW(storage, type)                                                                         \
  case ASSAY_DTYPE_##storage:                                                                      \
    ((type *) self->data)[index] = assay_dtype_is_float (ASSAY_DTYPE_##storage)                    \
                                       ? (type) value                                              \
                                       : (type) to_integer (                                       \
                                             value, 8 * sizeof (type),                             \
                                             assay_dtype_kind (ASSAY_DTYPE_##storage) == 'I');     \
    break;
      NUMBER_TYPES (ROW)
#undef ROW
    default:
      g_return_if_reached ();
    }
}

/**
 * assay_datum_round:
 * @self: a tensor that nobody else holds
 *
 * Rounds the elements of a type that is narrower than f32 and carried in one to numbers that the
 * type has.
 */
void
assay_datum_round (AssayDatum *self)
{
  float *elements = self->data;

  if (self->kind != ASSAY_DATUM_TENSOR || self->storage != ASSAY_DTYPE_F32 ||
      self->dtype == ASSAY_DTYPE_F32)
    return;

  for (gsize i = 0; i < self->n; i++)
    {
      if (self->dtype == ASSAY_DTYPE_F16)
        elements[i] = assay_f16_to_f32 (assay_f16_from_f32 (elements[i]));
      else if (self->dtype == ASSAY_DTYPE_BF16)
        elements[i] = assay_bf16_to_f32 (assay_bf16_from_f32 (elements[i]));
      else
        elements[i] = (float) assay_small_float_round (self->dtype, elements[i], FALSE,
                                                       ASSAY_ROUNDING_NEAREST);
    }
}
