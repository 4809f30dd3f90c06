/* assay-kernel-rows.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/kernels/assay-kernel-rows.h"

#include <math.h>

#include "evaluate/assay-elements.h"
#include "nnir/assay-dims.h"

/* Elements that are worth handing to another thread. */
#define GRAIN 4096

/**
 * assay_kernel_rows_init:
 * @self: (out): the rows of the first input, without a result
 * @kernel: a node
 * @axis: the axis that rows run along, from the end if it is negative; a scalar is one row of one
 * element
 * @error: return location for a #GError
 *
 * Finds the rows of a tensor.
 *
 * Returns: whether there is such an axis
 */
gboolean
assay_kernel_rows_init (AssayKernelRows *self, AssayKernel *kernel, gint64 axis, GError **error)
{
  AssayDatum *from = kernel->inputs[0];

  *self = (AssayKernelRows){ .from = from, .length = 1, .inner = 1 };
  if (!assay_kernel_axis (kernel, axis, MAX (from->rank, 1), &self->axis, error))
    return FALSE;

  if (from->rank > 0)
    self->length = (gsize) from->dims[self->axis];
  self->inner = assay_dims_product (from->dims, self->axis + 1, from->rank);

  return TRUE;
}

/**
 * assay_kernel_rows_at:
 * @self: rows
 * @row: one of them
 *
 * Says where a row begins.
 *
 * Returns: its first element
 */
gsize
assay_kernel_rows_at (const AssayKernelRows *self, gsize row)
{
  return row / self->inner * self->inner * self->length + row % self->inner;
}

typedef struct
{
  AssayKernel *kernel;
  const AssayKernelRows *rows;
  AssayKernelRowFunc func;
  gconstpointer data;
} Work;

static void
map_rows (gpointer data, gsize begin, gsize end)
{
  const Work *work = data;
  const AssayKernelRows *rows = work->rows;
  g_autofree double *row = assay_kernel_room (work->kernel, double, rows->length, NULL);

  if (row == NULL)
    return;

  for (gsize i = begin; i < end; i++)
    {
      gsize at = assay_kernel_rows_at (rows, i);

      assay_elements_read (rows->from, at, rows->inner, rows->length, row);
      work->func (work->data, rows->length, row);
      assay_elements_write (rows->to, at, rows->inner, rows->length, row);
    }
}

/**
 * assay_kernel_rows_map:
 * @self: rows; gets the result
 * @kernel: the node
 * @func: (scope call): computes a row in double
 * @data: for @func
 * @error: return location for a #GError
 *
 * Makes the first output of the rows of the first input, in all threads.
 *
 * Returns: whether there was memory for it
 */
gboolean
assay_kernel_rows_map (AssayKernelRows *self, AssayKernel *kernel, AssayKernelRowFunc func,
                       gconstpointer data, GError **error)
{
  Work work = { kernel, self, func, data };

  self->to = assay_kernel_output_like (kernel, 0, 0, error);
  if (self->to == NULL)
    return FALSE;

  if (self->to->n > 0)
    assay_kernel_parallel (kernel, self->to->n / self->length, MAX (GRAIN / self->length, 1),
                           map_rows, &work);

  return TRUE;
}

/**
 * assay_kernel_row_softmax:
 * @n: elements of the row
 * @row: (inout) (array length=n): the elements, which it replaces
 *
 * Makes the softmax of one row, in any thread. A row of nothing but minus infinity has none and
 * becomes NaN, as the formula of the specification has it.
 */
void
assay_kernel_row_softmax (gsize n, double *row)
{
  double largest = -INFINITY, sum = 0.0;

  for (gsize i = 0; i < n; i++)
    largest = MAX (largest, row[i]);
  for (gsize i = 0; i < n; i++)
    {
      row[i] = exp (row[i] - largest);
      sum += row[i];
    }
  for (gsize i = 0; i < n; i++)
    row[i] /= sum;
}
