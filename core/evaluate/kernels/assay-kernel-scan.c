/* assay-kernel-scan.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "evaluate/assay-elements.h"
#include "evaluate/kernels/assay-kernel-rows.h"

/* Kernels that go along one axis: running sums, and the place of the largest or smallest element.
 */

typedef struct
{
  AssayKernelRows rows;
  gboolean integers;

  gboolean largest;
  gboolean last;

  gboolean exclusive;
  gboolean reverse;
  gboolean product;
} Work;

static gboolean
is_better (const Work *work, double x, double best)
{
  if (isnan (best))
    return FALSE;

  return isnan (x) || (work->largest ? x > best : x < best) || (work->last && x == best);
}

static gboolean
is_better_integer (const Work *work, gint64 x, gint64 best)
{
  return (work->largest ? x > best : x < best) || (work->last && x == best);
}

static void
find_places (gpointer data, gsize begin, gsize end)
{
  const Work *work = data;
  gint64 *to = work->rows.to->data;

  for (gsize i = begin; i < end; i++)
    {
      gsize offset = assay_kernel_rows_at (&work->rows, i);
      gint64 best = 0, best_integer = 0;
      double best_number = 0.0;

      for (gsize j = 0; j < work->rows.length; j++)
        {
          gint64 integer;
          double number;
          gboolean better;

          if (work->integers)
            {
              assay_elements_read_ints (work->rows.from, offset + j * work->rows.inner, 1, 1,
                                        &integer);
              if (work->rows.from->storage == ASSAY_DTYPE_U64)
                integer ^= G_MININT64;
              better = j == 0 || is_better_integer (work, integer, best_integer);
              best_integer = better ? integer : best_integer;
            }
          else
            {
              assay_elements_read (work->rows.from, offset + j * work->rows.inner, 1, 1, &number);
              better = j == 0 || is_better (work, number, best_number);
              best_number = better ? number : best_number;
            }
          if (better)
            best = (gint64) j;
        }
      to[i] = best;
    }
}

gboolean
assay_kernel_op_arg (AssayKernel *self, GError **error)
{
  AssayDatum *from = self->inputs[0];
  Work work = {
    .integers = !assay_dtype_is_float (from->storage),
    .largest = self->node->op == ASSAY_OP_ArgMax,
    .last = assay_node_get_int (self->node, "select_last_index") != 0,
  };
  gint64 dims[ASSAY_MAX_RANK];
  guint rank = 0;

  if (!assay_dtype_is_float (from->storage) && !assay_dtype_is_integer (from->storage))
    return assay_kernel_fail_type (self, 0, error);
  if (!assay_kernel_rows_init (&work.rows, self, assay_node_get_int (self->node, "axis"), error))
    return FALSE;

  for (guint i = 0; i < from->rank; i++)
    {
      if (i != work.rows.axis)
        dims[rank++] = from->dims[i];
      else if (assay_node_get_int (self->node, "keepdims") != 0)
        dims[rank++] = 1;
    }

  work.rows.to = assay_kernel_output (self, 0, ASSAY_DTYPE_I64, rank, dims, error);
  if (work.rows.to == NULL)
    return FALSE;
  if (work.rows.length == 0 && work.rows.to->n > 0)
    return assay_kernel_fail (self, error, "axis %u of the input is empty", work.rows.axis);

  assay_kernel_parallel (self, work.rows.to->n, MAX (4096 / MAX (work.rows.length, 1), 1),
                         find_places, &work);

  return TRUE;
}

static void
cumulate (gpointer data, gsize begin, gsize end)
{
  const Work *work = data;

  for (gsize i = begin; i < end; i++)
    {
      gsize offset = assay_kernel_rows_at (&work->rows, i);
      double sum = work->product ? 1.0 : 0.0;
      gint64 integer_sum = work->product ? 1 : 0;

      for (gsize j = 0; j < work->rows.length; j++)
        {
          gsize at = offset + (work->reverse ? work->rows.length - 1 - j : j) * work->rows.inner;

          if (work->integers)
            {
              gint64 x, before = integer_sum;

              assay_elements_read_ints (work->rows.from, at, 1, 1, &x);
              integer_sum = (gint64) (work->product ? (guint64) integer_sum * (guint64) x
                                                    : (guint64) integer_sum + (guint64) x);
              assay_elements_write_ints (work->rows.to, at, 1, 1,
                                         work->exclusive ? &before : &integer_sum);
            }
          else
            {
              double x, before = sum;

              assay_elements_read (work->rows.from, at, 1, 1, &x);
              sum = work->product ? sum * x : sum + x;
              assay_elements_write (work->rows.to, at, 1, 1, work->exclusive ? &before : &sum);
            }
        }
    }
}

gboolean
assay_kernel_op_cumulate (AssayKernel *self, GError **error)
{
  AssayDatum *from = self->inputs[0], *number = self->inputs[1];
  Work work = {
    .integers = !assay_dtype_is_float (from->storage),
    .exclusive = assay_node_get_int (self->node, "exclusive") != 0,
    .reverse = assay_node_get_int (self->node, "reverse") != 0,
    .product = self->node->op == ASSAY_OP_CumProd,
  };

  if (!assay_dtype_is_float (from->storage) && !assay_dtype_is_integer (from->storage))
    return assay_kernel_fail_type (self, 0, error);
  if (number->n != 1 || !assay_dtype_is_integer (number->storage))
    return assay_kernel_fail (self, error, "the axis is not one integer");
  if (!assay_kernel_rows_init (&work.rows, self, assay_datum_get_integer (number, 0), error))
    return FALSE;

  work.rows.to = assay_kernel_output (self, 0, from->dtype, from->rank, from->dims, error);
  if (work.rows.to == NULL)
    return FALSE;
  if (from->n > 0)
    assay_kernel_parallel (self, from->n / work.rows.length, MAX (4096 / work.rows.length, 1),
                           cumulate, &work);

  return TRUE;
}
