/* assay-kernel-quantize.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/kernels/assay-kernel-copy.h"

#include <math.h>

#include "base/assay-sentence.h"
#include "base/assay-small-float.h"
#include "nnir/assay-dims.h"

#define GRAIN 4096

/* How many elements share a scale: those of a tensor, of a slice across the axis, or of a block
 * along it. */
typedef struct
{
  const AssayDatum *x;
  const AssayDatum *scale;
  const AssayDatum *zero;
  AssayDatum *y;
  gboolean wide;
  gboolean saturate;
  AssayDType precision;
  double low;
  double high;

  gsize extent; /* of the axis */
  gsize inner;  /* elements behind the axis */
  gsize blocks; /* along the axis, 0 without blocks */
  gsize block;
} Quantize;

static inline gsize
scale_index (const Quantize *quantize, gsize i)
{
  gsize along = i / quantize->inner % quantize->extent;

  if (quantize->scale->n == 1)
    return 0;
  if (quantize->blocks == 0)
    return along;

  return (i / quantize->inner / quantize->extent * quantize->blocks + along / quantize->block) *
             quantize->inner +
         i % quantize->inner;
}

/* Behind the last element that has the scale of element @i. */
static inline gsize
run_end (const Quantize *quantize, gsize i, gsize end)
{
  if (quantize->scale->n == 1)
    return end;
  if (quantize->blocks > 0)
    return i + 1;

  return MIN (end, (i / quantize->inner + 1) * quantize->inner);
}

static gboolean
find_granularity (AssayKernel *self, Quantize *quantize, GError **error)
{
  const AssayDatum *x = quantize->x;
  const AssayDatum *scale = quantize->scale;
  gint64 block = assay_node_get_int (self->node, "block_size");
  gboolean fits = TRUE;
  guint axis;

  if (quantize->zero != NULL && quantize->zero->n != scale->n)
    return assay_kernel_fail (
        self, error, "the zero point has %" G_GSIZE_FORMAT " element%s, the scale %" G_GSIZE_FORMAT,
        quantize->zero->n, assay_plural (quantize->zero->n), scale->n);

  quantize->extent = quantize->inner = 1;
  if (scale->n == 1 || x->n == 0)
    return TRUE;

  if (!assay_kernel_node_axis (self, x->rank, &axis, error))
    return FALSE;
  quantize->extent = (gsize) x->dims[axis];
  quantize->inner = assay_dims_product (x->dims, axis + 1, x->rank);

  if (block > 0)
    {
      fits = scale->rank == x->rank;
      for (guint i = 0; fits && i < x->rank; i++)
        fits = i == axis ? scale->dims[i] == (x->dims[i] - 1) / block + 1
                         : scale->dims[i] == x->dims[i];
      quantize->block = (gsize) block;
      quantize->blocks = fits ? (gsize) scale->dims[axis] : 1;
    }
  else
    {
      fits = block == 0 && scale->rank == 1 && scale->n == quantize->extent;
    }

  return fits || assay_kernel_fail (self, error,
                                    "a scale of rank %u with %" G_GSIZE_FORMAT
                                    " element%s does not suit the input, "
                                    "axis %u and block_size %" G_GINT64_FORMAT,
                                    scale->rank, scale->n, assay_plural (scale->n), axis, block);
}

/* The quotient has the precision of the scale, or the one asked for, however wide the run computes:
 * halves are rounded where the specification has them. */
static inline double
quotient (const Quantize *quantize, gsize i, gsize s)
{
  float narrow = (float) assay_datum_get_number (quantize->x, i) /
                 (float) assay_datum_get_number (quantize->scale, s);

  if (quantize->precision == ASSAY_DTYPE_F16 || quantize->precision == ASSAY_DTYPE_BF16)
    return assay_small_float_round (quantize->precision, narrow, FALSE, ASSAY_ROUNDING_NEAREST);

  return narrow;
}

/* Adding 1.5 * 2^23 rounds to the nearest integer, halves to even; what is outside of the range of
 * the type by then stays outside. */
#define QUANTIZE_RUN(storage, type)                                                                \
  static void quantize_##storage (const Quantize *quantize, gsize begin, gsize end, float scale,   \
                                  float zero)                                                      \
  {                                                                                                \
    const float *from = quantize->x->data;                                                         \
    type *to = quantize->y->data;                                                                  \
    float low = (float) quantize->low;                                                             \
    float high = (float) quantize->high;                                                           \
    for (gsize i = begin; i < end; i++)                                                            \
      {                                                                                            \
        float value = from[i] / scale;                                                             \
        value = value == value ? value : 0;                                                        \
        value = value < -131072.0f ? -131072.0f : value > 131072.0f ? 131072.0f : value;           \
        value = value + 12582912.0f - 12582912.0f + zero;                                          \
        to[i] = (type) (value < low ? low : value > high ? high : value);                          \
      }                                                                                            \
  }
QUANTIZE_RUN (I8, gint8)
QUANTIZE_RUN (U8, guint8)
QUANTIZE_RUN (I16, gint16)
QUANTIZE_RUN (U16, guint16)

static void
quantize_any (const Quantize *quantize, gsize begin, gsize end, gsize s, double zero)
{
  gboolean to_float = assay_dtype_is_float (quantize->y->dtype);

  for (gsize i = begin; i < end; i++)
    {
      double value = quotient (quantize, i, s);

      if (to_float)
        {
          value = assay_small_float_round (quantize->y->dtype, value + zero, quantize->saturate,
                                           ASSAY_ROUNDING_NEAREST);
        }
      else
        {
          value = rint (value) + zero;
          value = isnan (value) ? zero : CLAMP (value, quantize->low, quantize->high);
        }
      assay_datum_set_number (quantize->y, i, value);
    }
}

static void
quantize_range (gpointer data, gsize begin, gsize end)
{
  static void (*const runs[ASSAY_N_DTYPES]) (const Quantize *, gsize, gsize, float, float) = {
    [ASSAY_DTYPE_I8] = quantize_I8,
    [ASSAY_DTYPE_U8] = quantize_U8,
    [ASSAY_DTYPE_I16] = quantize_I16,
    [ASSAY_DTYPE_U16] = quantize_U16,
  };
  const Quantize *quantize = data;
  gboolean plain = quantize->x->storage == ASSAY_DTYPE_F32 &&
                   !assay_small_float_is (quantize->precision) &&
                   runs[quantize->y->storage] != NULL;

  for (gsize i = begin, next; i < end; i = next)
    {
      gsize s = scale_index (quantize, i);
      double zero = quantize->zero != NULL ? assay_datum_get_number (quantize->zero, s) : 0;

      next = run_end (quantize, i, end);
      if (plain)
        runs[quantize->y->storage](
            quantize, i, next, (float) assay_datum_get_number (quantize->scale, s), (float) zero);
      else
        quantize_any (quantize, i, next, s, zero);
    }
}

static void
integer_range (AssayDType dtype, double *low, double *high)
{
  int bits = (int) assay_dtype_bits (dtype);

  if (assay_dtype_kind (dtype) == 'I')
    {
      *low = -ldexp (1, bits - 1);
      *high = -*low - 1;
    }
  else
    {
      *low = 0;
      *high = ldexp (1, bits) - 1;
    }
}

gboolean
assay_kernel_op_quantize_linear (AssayKernel *self, GError **error)
{
  Quantize quantize = {
    .x = assay_kernel_input (self, 0),
    .scale = assay_kernel_input (self, 1),
    .zero = assay_kernel_input (self, 2),
    .saturate = assay_node_get_int (self->node, "saturate") != 0,
  };
  AssayDType dtype;

  if (!assay_kernel_dtype_attr (self, "output_dtype",
                                quantize.zero != NULL ? quantize.zero->dtype : ASSAY_DTYPE_U8,
                                &dtype, error) ||
      !assay_kernel_dtype_attr (self, "precision", quantize.scale->dtype, &quantize.precision,
                                error) ||
      !find_granularity (self, &quantize, error))
    return FALSE;
  if (!assay_dtype_is_float (quantize.x->dtype) && quantize.x->dtype != ASSAY_DTYPE_I32)
    return assay_kernel_fail_type (self, 0, error);
  if (quantize.zero != NULL && quantize.zero->dtype != dtype)
    return assay_kernel_fail_type (self, 2, error);
  if (!assay_small_float_is (dtype) &&
      !(assay_dtype_is_integer (dtype) && assay_dtype_bits (dtype) <= 16))
    return assay_kernel_fail (self, error, "output_dtype is %s, which nothing is quantized to",
                              assay_dtype_name (dtype));

  integer_range (dtype, &quantize.low, &quantize.high);
  quantize.y = assay_kernel_output (self, 0, dtype, quantize.x->rank, quantize.x->dims, error);
  if (quantize.y == NULL)
    return FALSE;

  assay_kernel_parallel (self, quantize.x->n, GRAIN, quantize_range, &quantize);

  return TRUE;
}

#define DEQUANTIZE_RUN(storage_, type)                                                             \
  case ASSAY_DTYPE_##storage_:                                                                     \
    {                                                                                              \
      const type *from = quantize->x->data;                                                        \
      for (gsize i = begin; i < end; i++)                                                          \
        to[i] = ((float) from[i] - (float) zero) * (float) scale;                                  \
      break;                                                                                       \
    }

static void
dequantize_run (const Quantize *quantize, gsize begin, gsize end, double scale, double zero)
{
  float *to = quantize->y->data;

  switch (quantize->y->storage == ASSAY_DTYPE_F32 ? quantize->x->storage : ASSAY_DTYPE_UNDEFINED)
    {
      DEQUANTIZE_RUN (I8, gint8)
      DEQUANTIZE_RUN (U8, guint8)
      DEQUANTIZE_RUN (I16, gint16)
      DEQUANTIZE_RUN (U16, guint16)
      DEQUANTIZE_RUN (F32, float)
    default:
      for (gsize i = begin; i < end; i++)
        {
          double value = assay_datum_get_number (quantize->x, i) - zero;

          assay_datum_set_number (quantize->y, i,
                                  quantize->wide ? value * scale : (float) value * (float) scale);
        }
      break;
    }
}

static void
dequantize_range (gpointer data, gsize begin, gsize end)
{
  const Quantize *quantize = data;

  for (gsize i = begin, next; i < end; i = next)
    {
      gsize s = scale_index (quantize, i);

      next = run_end (quantize, i, end);
      dequantize_run (quantize, i, next, assay_datum_get_number (quantize->scale, s),
                      quantize->zero != NULL ? assay_datum_get_number (quantize->zero, s) : 0);
    }
}

gboolean
assay_kernel_op_dequantize_linear (AssayKernel *self, GError **error)
{
  Quantize quantize = {
    .x = assay_kernel_input (self, 0),
    .scale = assay_kernel_input (self, 1),
    .zero = assay_kernel_input (self, 2),
    .wide = self->wide,
  };
  AssayDType dtype = quantize.scale->dtype == ASSAY_DTYPE_F8E8M0 ? ASSAY_DTYPE_F32
                                                                 : quantize.scale->dtype;

  if (!assay_kernel_dtype_attr (self, "output_dtype", dtype, &dtype, error) ||
      !find_granularity (self, &quantize, error))
    return FALSE;
  if (!assay_dtype_is_float (quantize.scale->dtype))
    return assay_kernel_fail_type (self, 1, error);
  if (!assay_dtype_is_integer (quantize.x->dtype) && !assay_dtype_is_float (quantize.x->dtype))
    return assay_kernel_fail_type (self, 0, error);
  if (!assay_dtype_is_float (dtype))
    return assay_kernel_fail (self, error, "output_dtype is %s, a floating point type was expected",
                              assay_dtype_name (dtype));

  quantize.y = assay_kernel_output (self, 0, dtype, quantize.x->rank, quantize.x->dims, error);
  if (quantize.y == NULL)
    return FALSE;

  assay_kernel_parallel (self, quantize.x->n, GRAIN, dequantize_range, &quantize);

  return TRUE;
}

gboolean
assay_kernel_op_dynamic_quantize_linear (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  AssayDatum *outputs[3];
  float low = 0;
  float high = 0;
  float scale;
  float zero;

  if (!assay_dtype_is_float (x->dtype))
    return assay_kernel_fail_type (self, 0, error);

  outputs[0] = assay_kernel_output (self, 0, ASSAY_DTYPE_U8, x->rank, x->dims, error);
  outputs[1] = assay_kernel_output (self, 1, ASSAY_DTYPE_F32, 0, NULL, error);
  outputs[2] = assay_kernel_output (self, 2, ASSAY_DTYPE_U8, 0, NULL, error);
  if (outputs[0] == NULL || outputs[1] == NULL || outputs[2] == NULL)
    return FALSE;

  for (gsize i = 0; i < x->n; i++)
    {
      float value = (float) assay_datum_get_number (x, i);

      low = MIN (low, value);
      high = MAX (high, value);
    }

  scale = (high - low) / 255;
  zero = scale > 0 ? rintf (CLAMP (-low / scale, 0, 255)) : 0;
  assay_datum_set_number (outputs[1], 0, scale);
  assay_datum_set_number (outputs[2], 0, zero);
  for (gsize i = 0; i < x->n; i++)
    {
      float value = scale > 0 ? rintf ((float) assay_datum_get_number (x, i) / scale) + zero : 0;

      assay_datum_set_number (outputs[0], i, CLAMP (value, 0, 255));
    }

  return TRUE;
}
