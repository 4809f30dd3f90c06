/* assay-kernel-matmul-integer.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "evaluate/assay-elements.h"
#include "evaluate/assay-matmul.h"
#include "evaluate/assay-quantized.h"

/* Products of quantized matrices: zero points are subtracted, and the rest is one in double. */

static AssayDatum *
multiply (AssayKernel *self, guint a_input, guint a_zero_point, guint b_input, guint b_zero_point,
          AssayMatmul *shapes, GError **error)
{
  /* A zero point of one dimension is for the rows on the left, and for the columns on the right. */
  guint a_axis = MAX (self->inputs[a_input]->rank, 2) - 2,
        b_axis = MAX (self->inputs[b_input]->rank, 1) - 1;
  g_autoptr (AssayDatum) a = assay_quantized_centre (self, a_input, a_zero_point, a_axis, error);
  g_autoptr (AssayDatum)
      b = a == NULL ? NULL : assay_quantized_centre (self, b_input, b_zero_point, b_axis, error);
  g_autoptr (AssayDatum) c = NULL;

  if (b == NULL || !assay_matmul_shapes (self, a, b, shapes, error))
    return NULL;

  c = assay_kernel_tensor (self, ASSAY_DTYPE_F64, ASSAY_DTYPE_F64, shapes->rank, shapes->dims,
                           error);
  if (c != NULL)
    assay_matmul_run (shapes, self, a, b, c);

  return g_steal_pointer (&c);
}

gboolean
assay_kernel_op_matmul_integer (AssayKernel *self, GError **error)
{
  AssayMatmul shapes;
  g_autoptr (AssayDatum) sums = multiply (self, 0, 2, 1, 3, &shapes, error);
  AssayDatum *y = sums == NULL ? NULL
                               : assay_kernel_output (self, 0, ASSAY_DTYPE_I32, sums->rank,
                                                      sums->dims, error);

  if (y == NULL || !assay_kernel_check (self, error))
    return FALSE;
  assay_elements_write (y, 0, 1, y->n, sums->data);

  return TRUE;
}

gboolean
assay_kernel_op_qlinear_matmul (AssayKernel *self, GError **error)
{
  AssayMatmul shapes;
  g_autoptr (AssayDatum) sums = multiply (self, 0, 2, 3, 5, &shapes, error);
  AssayQuantizedFactor a_scale, b_scale, y_scale, y_zero_point;
  guint rows, columns;
  AssayDatum *y;

  if (sums == NULL)
    return FALSE;

  rows = MAX (sums->rank, 2) - 2;
  columns = MAX (sums->rank, 1) - 1;
  if (!assay_quantized_factor_init (&a_scale, self, 1, sums->rank, sums->dims, rows, error) ||
      !assay_quantized_factor_init (&b_scale, self, 4, sums->rank, sums->dims, columns, error) ||
      !assay_quantized_factor_init (&y_scale, self, 6, sums->rank, sums->dims, columns, error) ||
      !assay_quantized_factor_init (&y_zero_point, self, 7, sums->rank, sums->dims, columns, error))
    return FALSE;

  y = assay_kernel_output (self, 0, self->inputs[7]->dtype, sums->rank, sums->dims, error);
  if (y == NULL)
    return FALSE;

  for (gsize i = 0; i < y->n; i++)
    {
      double scale = assay_quantized_factor_at (&a_scale, i, 1.0) *
                     assay_quantized_factor_at (&b_scale, i, 1.0) /
                     assay_quantized_factor_at (&y_scale, i, 1.0);
      double value = ((const double *) sums->data)[i] * scale;

      /* The zero point is added to what has been rounded, if the type is an integer. */
      if (assay_dtype_is_integer (y->dtype))
        value = nearbyint (value);
      value += assay_quantized_factor_at (&y_zero_point, i, 0.0);
      assay_datum_set_number (y, i, assay_quantized_saturate (y->dtype, value));
    }

  return TRUE;
}
