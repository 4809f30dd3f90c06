/* assay-kernel-scan.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "evaluate/assay-elements.h"
#include "evaluate/assay-kernel.h"

/* Kernels that go along one axis: running sums, and the place of the largest or smallest element. */

typedef struct
{
  AssayDatum *from;
  AssayDatum *to;
  gsize length; /* of the axis */
  gsize inner;  /* elements behind the axis */
  gboolean integers;

  gboolean largest;
  gboolean last;

  gboolean exclusive;
  gboolean reverse;
} Work;

static gboolean
is_better (const Work *work,
           double      x,
           double      best)
{
  if (isnan (best))
    return FALSE;

  return isnan (x) || (work->largest ? x > best : x < best) || (work->last && x == best);
}

static gboolean
is_better_integer (const Work *work,
                   gint64      x,
                   gint64      best)
{
  return (work->largest ? x > best : x < best) || (work->last && x == best);
}

static void
find_places (gpointer data,
             gsize    begin,
             gsize    end)
{
  const Work *work = data;
  gint64 *to = work->to->data;

  for (gsize i = begin; i < end; i++)
    {
      gsize offset = i / work->inner * work->inner * work->length + i % work->inner;
      gint64 best = 0, best_integer = 0;
      double best_number = 0.0;

      for (gsize j = 0; j < work->length; j++)
        {
          gint64 integer;
          double number;
          gboolean better;

          if (work->integers)
            {
              assay_elements_read_ints (work->from, offset + j * work->inner, 1, 1, &integer);
              if (work->from->storage == ASSAY_DTYPE_U64)
                integer ^= G_MININT64;
              better = j == 0 || is_better_integer (work, integer, best_integer);
              best_integer = better ? integer : best_integer;
            }
          else
            {
              assay_elements_read (work->from, offset + j * work->inner, 1, 1, &number);
              better = j == 0 || is_better (work, number, best_number);
              best_number = better ? number : best_number;
            }
          if (better)
            best = (gint64) j;
        }
      to[i] = best;
    }
}

/* The axis, and how many elements lie behind it. */
static gboolean
find_axis (AssayKernel *self,
           gint64       number,
           Work        *work,
           guint       *axis,
           GError     **error)
{
  if (!assay_kernel_axis (self, number, work->from->rank, axis, error))
    return FALSE;

  work->length = (gsize) work->from->dims[*axis];
  work->inner = 1;
  for (guint i = *axis + 1; i < work->from->rank; i++)
    work->inner *= (gsize) work->from->dims[i];
  work->integers = !assay_dtype_is_float (work->from->storage);

  return TRUE;
}

gboolean
assay_kernel_op_arg (AssayKernel *self,
                     GError     **error)
{
  Work work = {
    .from = self->inputs[0],
    .largest = self->node->op == ASSAY_OP_ArgMax,
    .last = assay_kernel_get_int (self, "select_last_index") != 0,
  };
  gint64 dims[ASSAY_MAX_RANK];
  guint axis, rank = 0;

  if (!assay_dtype_is_float (work.from->storage) && !assay_dtype_is_integer (work.from->storage))
    return assay_kernel_fail_type (self, 0, error);
  if (!find_axis (self, assay_kernel_get_int (self, "axis"), &work, &axis, error))
    return FALSE;

  for (guint i = 0; i < work.from->rank; i++)
    {
      if (i != axis)
        dims[rank++] = work.from->dims[i];
      else if (assay_kernel_get_int (self, "keepdims") != 0)
        dims[rank++] = 1;
    }

  work.to = assay_kernel_output (self, 0, ASSAY_DTYPE_I64, rank, dims, error);
  if (work.to == NULL)
    return FALSE;
  if (work.length == 0 && work.to->n > 0)
    return assay_kernel_fail (self, error, "axis %u of the input is empty", axis);

  assay_kernel_parallel (self, work.to->n, MAX (4096 / MAX (work.length, 1), 1), find_places, &work);

  return TRUE;
}

static void
sum_up (gpointer data,
        gsize    begin,
        gsize    end)
{
  const Work *work = data;

  for (gsize i = begin; i < end; i++)
    {
      gsize offset = i / work->inner * work->inner * work->length + i % work->inner;
      double sum = 0.0;
      gint64 integer_sum = 0;

      for (gsize j = 0; j < work->length; j++)
        {
          gsize at = offset + (work->reverse ? work->length - 1 - j : j) * work->inner;

          if (work->integers)
            {
              gint64 x, before = integer_sum;

              assay_elements_read_ints (work->from, at, 1, 1, &x);
              integer_sum = (gint64) ((guint64) integer_sum + (guint64) x);
              assay_elements_write_ints (work->to, at, 1, 1, work->exclusive ? &before : &integer_sum);
            }
          else
            {
              double x, before = sum;

              assay_elements_read (work->from, at, 1, 1, &x);
              sum += x;
              assay_elements_write (work->to, at, 1, 1, work->exclusive ? &before : &sum);
            }
        }
    }
}

gboolean
assay_kernel_op_cum_sum (AssayKernel *self,
                         GError     **error)
{
  AssayDatum *number = self->inputs[1];
  Work work = {
    .from = self->inputs[0],
    .exclusive = assay_kernel_get_int (self, "exclusive") != 0,
    .reverse = assay_kernel_get_int (self, "reverse") != 0,
  };
  guint axis;

  if (!assay_dtype_is_float (work.from->storage) && !assay_dtype_is_integer (work.from->storage))
    return assay_kernel_fail_type (self, 0, error);
  if (number->n != 1 || !assay_dtype_is_integer (number->storage))
    return assay_kernel_fail (self, error, "the axis is not one integer");
  if (!find_axis (self, assay_datum_get_integer (number, 0), &work, &axis, error))
    return FALSE;

  work.to = assay_kernel_output (self, 0, work.from->dtype, work.from->rank, work.from->dims, error);
  if (work.to == NULL)
    return FALSE;
  if (work.to->n > 0)
    assay_kernel_parallel (self, work.to->n / work.length, MAX (4096 / work.length, 1), sum_up, &work);

  return TRUE;
}
