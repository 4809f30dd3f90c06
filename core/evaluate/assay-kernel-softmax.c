/* assay-kernel-softmax.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "evaluate/assay-elements.h"
#include "evaluate/assay-kernel.h"
#include "evaluate/vectors/assay-vectors.h"

typedef struct
{
  AssayOp op;
  AssayDatum *from;
  AssayDatum *to;
  gsize length; /* of the axis */
  gsize inner;  /* elements behind the axis */
  const AssayVectors *vectors;
} Work;

static double
largest_of (gsize         n,
            const double *row,
            gsize        *place)
{
  gsize best = 0;

  for (gsize i = 1; i < n; i++)
    {
      if (row[i] > row[best])
        best = i;
    }
  *place = best;

  return row[best];
}

static void
map_row (AssayOp  op,
         gsize    n,
         double  *row)
{
  gsize place;
  double largest = largest_of (n, row, &place);
  double sum = 0.0;

  if (op == ASSAY_OP_Hardmax)
    {
      for (gsize i = 0; i < n; i++)
        row[i] = i == place ? 1.0 : 0.0;
      return;
    }

  for (gsize i = 0; i < n; i++)
    {
      double x = exp (row[i] - largest);

      row[i] = op == ASSAY_OP_Softmax ? x : row[i] - largest;
      sum += x;
    }
  if (op == ASSAY_OP_Softmax)
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
map_rows (gpointer data,
          gsize    begin,
          gsize    end)
{
  const Work *work = data;
  g_autofree double *row = g_new (double, work->length);

  for (gsize i = begin; i < end; i++)
    {
      gsize offset = i / work->inner * work->inner * work->length + i % work->inner;

      assay_elements_read (work->from, offset, work->inner, work->length, row);
      map_row (work->op, work->length, row);
      assay_elements_write (work->to, offset, work->inner, work->length, row);
    }
}

static void
softmax_rows (gpointer data,
              gsize    begin,
              gsize    end)
{
  const Work *work = data;

  for (gsize i = begin; i < end; i++)
    work->vectors->softmax ((const float *) work->from->data + i * work->length,
                            (float *) work->to->data + i * work->length, work->length);
}

gboolean
assay_kernel_op_softmax (AssayKernel *self,
                         GError     **error)
{
  Work work = { self->node->op, self->inputs[0], NULL, 0, 1, assay_vectors_get_default () };
  gboolean vectors;
  guint axis;

  if (!assay_kernel_expect (self, 0, ASSAY_DTYPE_UNDEFINED, 0, -1, error)
      || !assay_kernel_axis (self, assay_kernel_get_int (self, "axis"), MAX (work.from->rank, 1), &axis, error))
    return FALSE;

  work.length = work.from->rank > 0 ? (gsize) work.from->dims[axis] : 1;
  for (guint i = axis + 1; i < work.from->rank; i++)
    work.inner *= (gsize) work.from->dims[i];

  vectors = work.op == ASSAY_OP_Softmax && work.inner == 1 && work.from->storage == ASSAY_DTYPE_F32;
  work.to = assay_kernel_output_like (self, 0, 0, error);
  if (work.to == NULL)
    return FALSE;
  if (work.to->n > 0)
    assay_kernel_parallel (self, work.to->n / work.length, MAX (4096 / work.length, 1),
                           vectors ? softmax_rows : map_rows, &work);

  return TRUE;
}
