/* assay-quantized.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/assay-quantized.h"

#include <math.h>

#include "base/assay-sentence.h"
#include "base/assay-small-float.h"
#include "evaluate/assay-elements.h"
#include "nnir/assay-dims.h"

/* Products of quantized numbers are made in double, which holds every sum of 8-bit products
 * exactly. */

/**
 * assay_quantized_factor_init:
 * @self: (out): the factor
 * @kernel: a node
 * @input: a scale or zero point, which may be omitted
 * @rank: rank of the tensor that it is for
 * @dims: (array length=rank): its dimensions, which have to stay
 * @vector_axis: the axis of the tensor that a factor of one dimension runs along
 * @error: return location for a #GError
 *
 * Works out which element of a scale or zero point is for which element of a tensor.
 *
 * Returns: whether their shapes fit
 */
gboolean
assay_quantized_factor_init (AssayQuantizedFactor *self, AssayKernel *kernel, guint input,
                             guint rank, const gint64 *dims, guint vector_axis, GError **error)
{
  AssayDatum *datum = assay_kernel_input (kernel, input);

  *self = (AssayQuantizedFactor){ .datum = datum, .rank = rank, .dims = dims };
  if (datum == NULL || datum->n == 1)
    return TRUE;

  if (datum->rank == 1 && vector_axis < rank && datum->dims[0] == dims[vector_axis])
    {
      self->strides[vector_axis] = 1;
      return TRUE;
    }

  if (!assay_dims_spread (datum->rank, datum->dims, rank, dims, self->strides))
    return assay_kernel_fail (kernel, error,
                              "input %u has %" G_GSIZE_FORMAT
                              " element%s in a shape that does not fit the tensor that it is for",
                              input, datum->n, assay_plural (datum->n));

  return TRUE;
}

/**
 * assay_quantized_factor_at:
 * @self: a factor
 * @index: an element of the tensor
 * @fallback: the factor if it was omitted
 *
 * Gets the scale or zero point of one element.
 *
 * Returns: the factor
 */
double
assay_quantized_factor_at (const AssayQuantizedFactor *self, gsize index, double fallback)
{
  gssize at = 0;

  if (self->datum == NULL)
    return fallback;
  if (self->datum->n == 1)
    return assay_datum_get_number (self->datum, 0);

  for (guint axis = self->rank; axis > 0; axis--)
    {
      at += (gssize) (index % (gsize) self->dims[axis - 1]) * self->strides[axis - 1];
      index /= (gsize) self->dims[axis - 1];
    }

  return assay_datum_get_number (self->datum, (gsize) at);
}

/**
 * assay_quantized_centre:
 * @kernel: a node
 * @input: a quantized tensor
 * @zero_point: its zero point, which may be omitted
 * @vector_axis: the axis of the tensor that a zero point of one dimension runs along
 * @error: return location for a #GError
 *
 * Subtracts the zero point from a tensor.
 *
 * Returns: (transfer full) (nullable): a tensor of doubles
 */
AssayDatum *
assay_quantized_centre (AssayKernel *kernel, guint input, guint zero_point, guint vector_axis,
                        GError **error)
{
  AssayDatum *datum = kernel->inputs[input];
  g_autoptr (AssayDatum) centred = NULL;
  AssayQuantizedFactor factor;
  double *elements;

  if (!assay_dtype_is_float (datum->storage) && !assay_dtype_is_integer (datum->storage))
    {
      assay_kernel_fail_type (kernel, input, error);
      return NULL;
    }
  if (!assay_quantized_factor_init (&factor, kernel, zero_point, datum->rank, datum->dims,
                                    vector_axis, error))
    return NULL;

  centred = assay_kernel_tensor (kernel, ASSAY_DTYPE_F64, ASSAY_DTYPE_F64, datum->rank, datum->dims,
                                 error);
  if (centred == NULL)
    return NULL;

  elements = centred->data;
  assay_elements_read (datum, 0, 1, datum->n, elements);
  if (factor.datum != NULL && factor.datum->n == 1)
    {
      double point = assay_datum_get_number (factor.datum, 0);

      for (gsize i = 0; i < datum->n; i++)
        elements[i] -= point;
    }
  else if (factor.datum != NULL)
    {
      for (gsize i = 0; i < datum->n; i++)
        elements[i] -= assay_quantized_factor_at (&factor, i, 0.0);
    }

  return g_steal_pointer (&centred);
}

/**
 * assay_quantized_saturate:
 * @dtype: an integer type, or a floating point type of 8 bits or fewer
 * @value: a number
 *
 * Brings a number to the nearest one of a quantized type, halves to even; what is out of range
 * becomes the last number in range.
 *
 * Returns: a number of the type
 */
double
assay_quantized_saturate (AssayDType dtype, double value)
{
  guint bits = assay_dtype_bits (dtype);

  if (assay_small_float_is (dtype))
    return assay_small_float_round (dtype, value, TRUE, ASSAY_ROUNDING_NEAREST);
  if (isnan (value))
    return 0.0;

  value = nearbyint (value);
  if (assay_dtype_kind (dtype) == 'I')
    return CLAMP (value, -ldexp (1.0, (int) bits - 1), ldexp (1.0, (int) bits - 1) - 1.0);

  return CLAMP (value, 0.0, ldexp (1.0, (int) bits) - 1.0);
}
