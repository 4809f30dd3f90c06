/* assay-kernel-softmax.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "evaluate/kernels/assay-kernel-rows.h"
#include "evaluate/vectors/assay-vectors.h"

static void
map_row (gconstpointer data, gsize n, double *row)
{
  const AssayOp *op = data;
  gsize place = 0;
  double largest, sum = 0.0;

  for (gsize i = 1; i < n; i++)
    {
      if (row[i] > row[place])
        place = i;
    }
  largest = row[place];

  if (*op == ASSAY_OP_Hardmax)
    {
      for (gsize i = 0; i < n; i++)
        row[i] = i == place ? 1.0 : 0.0;
      return;
    }

  for (gsize i = 0; i < n; i++)
    {
      double x = exp (row[i] - largest);

      row[i] = *op == ASSAY_OP_Softmax ? x : row[i] - largest;
      sum += x;
    }
  if (*op == ASSAY_OP_Softmax)
    {
      for (gsize i = 0; i < n; i++)
        row[i] /= sum;
    }
  else
    {
      sum = log (sum);
      for (gsize i = 0; i < n; i++)
        row[i] -= sum;
    }
}

static void
softmax_rows (gpointer data, gsize begin, gsize end)
{
  const AssayKernelRows *rows = data;
  const AssayVectors *vectors = assay_vectors_get_default ();

  for (gsize i = begin; i < end; i++)
    vectors->softmax ((const float *) rows->from->data + i * rows->length,
                      (float *) rows->to->data + i * rows->length, rows->length);
}

gboolean
assay_kernel_op_softmax (AssayKernel *self, GError **error)
{
  AssayKernelRows rows;

  if (!assay_kernel_expect (self, 0, ASSAY_DTYPE_UNDEFINED, 0, -1, error) ||
      !assay_kernel_rows_init (&rows, self, assay_node_get_int (self->node, "axis"), error))
    return FALSE;
  if (self->node->op != ASSAY_OP_Softmax || rows.inner != 1 ||
      rows.from->storage != ASSAY_DTYPE_F32)
    return assay_kernel_rows_map (&rows, self, map_row, &self->node->op, error);

  rows.to = assay_kernel_output_like (self, 0, 0, error);
  if (rows.to == NULL)
    return FALSE;
  if (rows.to->n > 0)
    assay_kernel_parallel (self, rows.to->n / rows.length, MAX (16384 / rows.length, 1),
                           softmax_rows, &rows);

  return TRUE;
}
