/* assay-kernel-rows.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "evaluate/assay-kernel.h"

G_BEGIN_DECLS

/**
 * AssayKernelRows:
 * @from: a tensor
 * @to: (nullable): a tensor of the same shape
 * @axis: the axis that rows run along
 * @length: elements of a row
 * @inner: elements from one of a row to the next
 *
 * A tensor as rows along one of its axes.
 */
typedef struct
{
  AssayDatum *from;
  AssayDatum *to;
  guint axis;
  gsize length;
  gsize inner;
} AssayKernelRows;

/**
 * AssayKernelRowFunc:
 * @data: the data given with the function
 * @n: elements of a row
 * @row: (inout) (array length=n): the elements, which it replaces
 *
 * Computes one row, in any thread.
 */
typedef void (*AssayKernelRowFunc) (gconstpointer data, gsize n, double *row);

gboolean assay_kernel_rows_init (AssayKernelRows *self, AssayKernel *kernel, gint64 axis,
                                 GError **error);
gsize assay_kernel_rows_at (const AssayKernelRows *self, gsize row);
gboolean assay_kernel_rows_map (AssayKernelRows *self, AssayKernel *kernel, AssayKernelRowFunc func,
                                gconstpointer data, GError **error);
void assay_kernel_row_softmax (gsize n, double *row);

G_END_DECLS
