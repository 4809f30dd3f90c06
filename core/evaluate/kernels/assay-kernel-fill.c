/* assay-kernel-fill.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/kernels/assay-kernel-copy.h"

#include <math.h>
#include <string.h>

/* Operators whose result depends on shapes and a few numbers. */

gboolean
assay_kernel_op_constant_of_shape (AssayKernel *self, GError **error)
{
  const AssayAttr *attr = assay_node_find_attr (self->node, "value");
  g_autoptr (AssayDatum) value = NULL;
  const gint64 *dims;
  guint rank;
  AssayDatum *y;

  dims = assay_kernel_ints (self, 0, &rank, error);
  if (dims == NULL)
    return FALSE;
  if (attr != NULL && attr->kind == ASSAY_ATTR_TENSOR)
    {
      value = assay_datum_new_tensor (attr->u.tensor, self->wide, error);
      if (value == NULL)
        return FALSE;
      if (value->n != 1)
        return assay_kernel_fail (
            self, error, "value has %" G_GSIZE_FORMAT " elements, 1 was expected", value->n);
    }

  y = assay_kernel_output (self, 0, value != NULL ? value->dtype : ASSAY_DTYPE_F32, rank, dims,
                           error);
  if (y == NULL)
    return FALSE;

  assay_elements_fill (y, value);

  return TRUE;
}

gboolean
assay_kernel_op_shape (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  gint64 rank = x->rank;
  gint64 start = assay_node_get_int (self->node, "start");
  gint64 end = rank;
  gint64 n;
  AssayDatum *y;

  assay_node_find_int (self->node, "end", &end);
  start = CLAMP (start < 0 ? start + rank : start, 0, rank);
  end = CLAMP (end < 0 ? end + rank : end, 0, rank);
  n = MAX (end - start, 0);
  y = assay_kernel_output (self, 0, ASSAY_DTYPE_I64, 1, &n, error);
  if (y == NULL)
    return FALSE;

  memcpy (y->data, x->dims + start, (gsize) n * sizeof *x->dims);

  return TRUE;
}

gboolean
assay_kernel_op_size (AssayKernel *self, GError **error)
{
  AssayDatum *y = assay_kernel_output (self, 0, ASSAY_DTYPE_I64, 0, NULL, error);

  if (y == NULL)
    return FALSE;

  *(gint64 *) y->data = (gint64) assay_kernel_input (self, 0)->n;

  return TRUE;
}

gboolean
assay_kernel_op_range (AssayKernel *self, GError **error)
{
  const AssayDatum *start = assay_kernel_input (self, 0);
  gboolean exact = assay_dtype_is_integer (start->dtype);
  gint64 n;
  AssayDatum *y;

  if (!assay_kernel_expect_same (self, error))
    return FALSE;
  if (!exact && !assay_dtype_is_float (start->dtype))
    return assay_kernel_fail_type (self, 0, error);
  for (guint i = 0; i < 3; i++)
    if (self->inputs[i]->n != 1)
      return assay_kernel_fail (self, error,
                                "input %u has %" G_GSIZE_FORMAT " elements, 1 was expected", i,
                                self->inputs[i]->n);

  if (exact)
    {
      gint64 first = assay_datum_get_integer (start, 0);
      gint64 limit = assay_datum_get_integer (self->inputs[1], 0);
      gint64 delta = assay_datum_get_integer (self->inputs[2], 0);
      gint64 way;

      if (delta == 0 || delta == G_MININT64 || __builtin_sub_overflow (limit, first, &way))
        return assay_kernel_fail (self, error, "the step is 0, or the way is too long");
      n = (delta > 0) == (way > 0) && way != 0 ? (ABS (way) - 1) / ABS (delta) + 1 : 0;
    }
  else
    {
      double steps = ceil (
          (assay_datum_get_number (self->inputs[1], 0) - assay_datum_get_number (start, 0)) /
          assay_datum_get_number (self->inputs[2], 0));

      if (!(steps < 0x1p53))
        return assay_kernel_fail (self, error, "the step is 0, or the way is too long");
      n = steps > 0 ? (gint64) steps : 0;
    }

  y = assay_kernel_output (self, 0, start->dtype, 1, &n, error);
  if (y == NULL)
    return FALSE;

  for (gsize i = 0; i < y->n; i++)
    {
      if (start->storage == ASSAY_DTYPE_I64)
        ((gint64 *) y->data)[i] = *(const gint64 *) start->data +
                                  (gint64) i * *(const gint64 *) self->inputs[2]->data;
      else
        assay_datum_set_number (y, i,
                                assay_datum_get_number (start, 0) +
                                    (double) i * assay_datum_get_number (self->inputs[2], 0));
    }

  return TRUE;
}

gboolean
assay_kernel_op_eye_like (AssayKernel *self, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);
  gint64 k = assay_node_get_int (self->node, "k");
  AssayDType dtype;
  AssayDatum *y;

  if (!assay_kernel_expect_rank (self, 0, 2, 2, error) ||
      !assay_kernel_dtype_attr (self, "dtype", x->dtype, &dtype, error))
    return FALSE;
  if (dtype == ASSAY_DTYPE_STRING || assay_dtype_kind (dtype) == 'C')
    return assay_kernel_fail (self, error, "dtype is %s, a type of numbers was expected",
                              assay_dtype_name (dtype));

  y = assay_kernel_output (self, 0, dtype, 2, x->dims, error);
  if (y == NULL)
    return FALSE;

  assay_elements_fill (y, NULL);
  for (gint64 row = 0; y->n > 0 && row < y->dims[0]; row++)
    if (k > -G_MAXINT32 && k < G_MAXINT32 && row + k >= 0 && row + k < y->dims[1])
      assay_datum_set_number (y, (gsize) (row * y->dims[1] + row + k), 1);

  return TRUE;
}
