/* assay-kernel-conv-integer.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "evaluate/assay-conv.h"
#include "evaluate/assay-elements.h"
#include "evaluate/assay-quantized.h"

/* Convolutions of quantized tensors: zero points are subtracted, and the rest is one in double. */

static AssayDatum *
convolve (AssayKernel *self, guint x_input, guint x_zero_point, guint w_input, guint w_zero_point,
          AssayDatum *bias, gint64 *dims, GError **error)
{
  g_autoptr (AssayDatum) x = assay_quantized_centre (self, x_input, x_zero_point, 1, error);
  g_autoptr (AssayDatum)
      w = x == NULL ? NULL : assay_quantized_centre (self, w_input, w_zero_point, 0, error);
  g_autoptr (AssayDatum) y = NULL;
  AssayConv conv = { .storage = ASSAY_DTYPE_F64 };

  if (w == NULL)
    return NULL;
  if (x->rank < 3)
    {
      assay_kernel_fail (self, error, "input %u has rank %u, expected 3 or more", x_input, x->rank);
      return NULL;
    }
  if (!assay_conv_shapes (self, x, w, &conv, dims, error))
    return NULL;

  y = assay_kernel_tensor (self, ASSAY_DTYPE_F64, ASSAY_DTYPE_F64, x->rank, dims, error);
  if (y == NULL)
    return NULL;

  conv.x = x->data;
  conv.w = w->data;
  conv.bias = bias != NULL ? bias->data : NULL;
  conv.y = y->data;
  assay_conv_run (&conv, self);

  return g_steal_pointer (&y);
}

gboolean
assay_kernel_op_conv_integer (AssayKernel *self, GError **error)
{
  gint64 dims[ASSAY_MAX_RANK];
  g_autoptr (AssayDatum) sums = convolve (self, 0, 2, 1, 3, NULL, dims, error);
  AssayDatum *y = sums == NULL
                      ? NULL
                      : assay_kernel_output (self, 0, ASSAY_DTYPE_I32, sums->rank, dims, error);

  if (y != NULL && assay_kernel_check (self, error))
    assay_elements_write (y, 0, 1, y->n, sums->data);

  return y != NULL;
}

gboolean
assay_kernel_op_qlinear_conv (AssayKernel *self, GError **error)
{
  AssayDatum *bias = assay_kernel_input (self, 8);
  g_autoptr (AssayDatum) wide_bias = NULL;
  g_autoptr (AssayDatum) sums = NULL;
  gint64 dims[ASSAY_MAX_RANK], channel = 1;
  AssayQuantizedFactor x_scale, w_scale, y_scale, y_zero_point;
  AssayDatum *y;

  if (bias != NULL)
    {
      if (bias->storage != ASSAY_DTYPE_I32 || bias->rank != 1 || self->inputs[3]->rank == 0 ||
          bias->dims[0] != self->inputs[3]->dims[0])
        return assay_kernel_fail (self, error,
                                  "the bias is not one i32 for each channel of the result");
      wide_bias = assay_datum_new (ASSAY_DTYPE_F64, ASSAY_DTYPE_F64, 1, bias->dims, error);
      if (wide_bias == NULL)
        return FALSE;
      assay_elements_read (bias, 0, 1, bias->n, wide_bias->data);
    }

  sums = convolve (self, 0, 2, 3, 5, wide_bias, dims, error);
  if (sums == NULL)
    return FALSE;

  channel = dims[1];
  if (!assay_quantized_factor_init (&x_scale, self, 1, 0, NULL, 0, error) ||
      !assay_quantized_factor_init (&w_scale, self, 4, 1, &channel, 0, error) ||
      !assay_quantized_factor_init (&y_scale, self, 6, 0, NULL, 0, error) ||
      !assay_quantized_factor_init (&y_zero_point, self, 7, 0, NULL, 0, error))
    return FALSE;

  y = assay_kernel_output (self, 0, self->inputs[7]->dtype, sums->rank, dims, error);
  if (y == NULL)
    return FALSE;

  for (gsize i = 0, inner = y->n / (gsize) MAX (dims[0] * dims[1], 1); i < y->n; i++)
    {
      gsize c = i / inner % (gsize) dims[1];
      double scale = assay_quantized_factor_at (&x_scale, 0, 1.0) *
                     assay_quantized_factor_at (&w_scale, c, 1.0) /
                     assay_quantized_factor_at (&y_scale, 0, 1.0);
      double value = ((const double *) sums->data)[i] * scale;

      /* The zero point is added to what has been rounded. */
      value = nearbyint (value) + assay_quantized_factor_at (&y_zero_point, 0, 0.0);
      assay_datum_set_number (y, i, assay_quantized_saturate (y->dtype, value));
    }

  return TRUE;
}
