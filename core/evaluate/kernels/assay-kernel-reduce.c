/* assay-kernel-reduce.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "evaluate/assay-elements.h"
#include "evaluate/assay-kernel.h"
#include "nnir/assay-axes.h"

/* Elements that are read at a time. */
#define CHUNK 256

/* What a reduction does with an element, with what it has, and at the end. Sums are in double, or
 * in integers where the type is one and the result too. */
typedef enum
{
  STEP_SUM,
  STEP_PRODUCT,
  STEP_MAX,
  STEP_MIN,
  STEP_ABSOLUTE,
  STEP_SQUARE,
  STEP_EXP, /* of the difference from the largest, which is found first */
} Step;

typedef enum
{
  FINISH_NONE,
  FINISH_MEAN,
  FINISH_ROOT,
  FINISH_LOG,
} Finish;

typedef struct
{
  AssayOp op;
  Step step;
  Finish finish;
} Reduction;

static const Reduction reductions[] = {
  { ASSAY_OP_ReduceL1, STEP_ABSOLUTE, FINISH_NONE },
  { ASSAY_OP_ReduceL2, STEP_SQUARE, FINISH_ROOT },
  { ASSAY_OP_ReduceLogSum, STEP_SUM, FINISH_LOG },
  { ASSAY_OP_ReduceLogSumExp, STEP_EXP, FINISH_LOG },
  { ASSAY_OP_ReduceMax, STEP_MAX, FINISH_NONE },
  { ASSAY_OP_ReduceMean, STEP_SUM, FINISH_MEAN },
  { ASSAY_OP_ReduceMin, STEP_MIN, FINISH_NONE },
  { ASSAY_OP_ReduceProd, STEP_PRODUCT, FINISH_NONE },
  { ASSAY_OP_ReduceSum, STEP_SUM, FINISH_NONE },
  { ASSAY_OP_ReduceSumSquare, STEP_SQUARE, FINISH_NONE },
};

/* Dimensions in pairs: kept ones, then reduced ones, neighbours of a sort joined. */
typedef struct
{
  const Reduction *reduction;
  AssayDatum *from;
  AssayDatum *to;
  guint n_kept;
  gsize kept[ASSAY_MAX_RANK];
  gsize kept_strides[ASSAY_MAX_RANK];
  guint n_reduced;
  gsize reduced[ASSAY_MAX_RANK];
  gsize reduced_strides[ASSAY_MAX_RANK];
  gsize n_elements; /* of one reduction */
  gsize columns;    /* results whose elements lie side by side */
  gboolean integers;
  gboolean flip; /* the top bit, so that unsigned order is signed order */
} Work;

static double
step_double (Step step, double sum, double x, double largest)
{
  switch (step)
    {
    case STEP_SUM:
      return sum + x;
    case STEP_PRODUCT:
      return sum * x;
    case STEP_MAX:
      return x > sum || isnan (x) ? x : sum;
    case STEP_MIN:
      return x < sum || isnan (x) ? x : sum;
    case STEP_ABSOLUTE:
      return sum + fabs (x);
    case STEP_SQUARE:
      return sum + x * x;
    case STEP_EXP:
    default:
      return sum + exp (x - largest);
    }
}

static gint64
step_integer (Step step, gint64 sum, gint64 x)
{
  switch (step)
    {
    case STEP_PRODUCT:
      return (gint64) ((guint64) sum * (guint64) x);
    case STEP_MAX:
      return MAX (sum, x);
    case STEP_MIN:
      return MIN (sum, x);
    case STEP_ABSOLUTE:
      return (gint64) ((guint64) sum + (x < 0 ? -(guint64) x : (guint64) x));
    case STEP_SQUARE:
      return (gint64) ((guint64) sum + (guint64) x * (guint64) x);
    case STEP_SUM:
    case STEP_EXP:
    default:
      return (gint64) ((guint64) sum + (guint64) x);
    }
}

static double
first_double (Step step)
{
  return step == STEP_PRODUCT ? 1.0
         : step == STEP_MAX   ? -INFINITY
         : step == STEP_MIN   ? INFINITY
                              : 0.0;
}

static double
finish_double (const Work *work, double sum, double largest)
{
  switch (work->reduction->finish)
    {
    case FINISH_MEAN:
      return sum / (double) work->n_elements;
    case FINISH_ROOT:
      return sqrt (sum);
    case FINISH_LOG:
      /* All infinite: their difference is not a number, but the largest says it all. */
      return work->reduction->step == STEP_EXP && isinf (largest) ? largest : log (sum) + largest;
    case FINISH_NONE:
    default:
      return sum;
    }
}

/* Where the i-th group of reduced elements begins, counted in the outer reduced dimensions. */
static gsize
group_offset (const gsize *dims, const gsize *strides, guint n, gsize i)
{
  gsize offset = 0;

  for (guint axis = n; axis > 0; axis--)
    {
      offset += i % dims[axis - 1] * strides[axis - 1];
      i /= dims[axis - 1];
    }

  return offset;
}

/* A row of doubles or integers into columns of sums: one column if the elements of a reduction lie
 * side by side. */
static void
take_row (const Work *work, Step step, gsize n, gboolean one, const double *row,
          const gint64 *integers, double *sums, gint64 *integer_sums, const double *largest)
{
  if (work->integers)
    {
      for (gsize i = 0; i < n; i++)
        {
          gint64 x = work->flip ? integers[i] ^ G_MININT64 : integers[i];

          integer_sums[one ? 0 : i] = step_integer (step, integer_sums[one ? 0 : i], x);
        }
    }
  else if (step == STEP_SUM && !one)
    {
      for (gsize i = 0; i < n; i++)
        sums[i] += row[i];
    }
  else if (step == STEP_SUM)
    sums[0] += assay_elements_sum (n, row, 0.0, FALSE);
  else
    {
      for (gsize i = 0; i < n; i++)
        sums[one ? 0 : i] = step_double (step, sums[one ? 0 : i], row[i], largest[one ? 0 : i]);
    }
}

/* Up to CHUNK results that lie side by side, or one. */
static void
reduce_columns (const Work *work, Step step, gsize offset, gsize n, double *sums,
                gint64 *integer_sums, double *largest)
{
  gboolean one = work->columns == 1;
  guint outer = one && work->n_reduced > 0 ? work->n_reduced - 1 : work->n_reduced;
  gsize inner = one && work->n_reduced > 0 ? work->reduced[outer] : 1;
  gsize stride = one && work->n_reduced > 0 ? work->reduced_strides[outer] : 1;
  gsize n_groups = inner > 0 ? work->n_elements / inner : 0;
  double row[CHUNK];
  gint64 integers[CHUNK];

  for (gsize group = 0; group < n_groups; group++)
    {
      gsize start = offset + group_offset (work->reduced, work->reduced_strides, outer, group);

      for (gsize i = 0; i < (one ? inner : n); i += CHUNK)
        {
          gsize count = MIN ((one ? inner : n) - i, CHUNK);

          if (work->integers)
            assay_elements_read_ints (work->from, start + i * stride, one ? stride : 1, count,
                                      integers);
          else
            assay_elements_read (work->from, start + i * stride, one ? stride : 1, count, row);
          take_row (work, step, count, one, row, integers, sums, integer_sums, largest);
        }
    }
}

static void
reduce_range (gpointer data, gsize begin, gsize end)
{
  const Work *work = data;
  Step step = work->reduction->step;

  /* Items are runs of at most CHUNK results side by side. */
  gsize runs = (work->columns + CHUNK - 1) / CHUNK;

  for (gsize item = begin; item < end; item++)
    {
      gsize first = item % runs * CHUNK;
      gsize n = MIN (work->columns - first, CHUNK);
      gsize offset = group_offset (work->kept, work->kept_strides, work->n_kept,
                                   item / runs * work->columns + first);
      double sums[CHUNK], largest[CHUNK] = { 0 };
      gint64 integer_sums[CHUNK];

      if (step == STEP_EXP)
        {
          for (gsize i = 0; i < n; i++)
            largest[i] = -INFINITY;
          reduce_columns (work, STEP_MAX, offset, n, largest, integer_sums, sums);
        }
      for (gsize i = 0; i < n; i++)
        {
          sums[i] = first_double (step);
          integer_sums[i] = step == STEP_PRODUCT ? 1
                            : step == STEP_MAX   ? G_MININT64
                            : step == STEP_MIN   ? G_MAXINT64
                                                 : 0;
        }
      reduce_columns (work, step, offset, n, sums, integer_sums, largest);

      if (work->integers)
        {
          for (gsize i = 0; i < n && work->flip; i++)
            integer_sums[i] ^= G_MININT64;
          assay_elements_write_ints (work->to, item / runs * work->columns + first, 1, n,
                                     integer_sums);
        }
      else
        {
          for (gsize i = 0; i < n; i++)
            sums[i] = finish_double (work, sums[i], largest[i]);
          assay_elements_write (work->to, item / runs * work->columns + first, 1, n, sums);
        }
    }
}

static void
add_dim (guint *n, gsize *dims, gsize *strides, gsize dim, gsize stride, gboolean joins)
{
  if (joins && *n > 0)
    {
      dims[*n - 1] *= dim;
      strides[*n - 1] = stride;
    }
  else
    {
      dims[*n] = dim;
      strides[(*n)++] = stride;
    }
}

static gboolean
find_axes (AssayKernel *self, guint rank, guint64 *mask, GError **error)
{
  const gint64 *axes = NULL;
  guint n = 0;

  *mask = 0;
  if (assay_kernel_input (self, 1) != NULL)
    {
      axes = assay_kernel_ints (self, 1, &n, error);
      if (axes == NULL)
        return FALSE;
    }

  for (guint i = 0; i < n; i++)
    {
      guint axis;

      /* A number alone is what it is, whatever axis is named. */
      if (rank == 0)
        continue;
      if (!assay_kernel_axis (self, axes[i], rank, &axis, error))
        return FALSE;
      *mask |= G_GUINT64_CONSTANT (1) << axis;
    }
  if (n == 0)
    *mask = assay_node_default_axes (self->node, (int) rank);

  return TRUE;
}

gboolean
assay_kernel_op_reduce (AssayKernel *self, GError **error)
{
  AssayDatum *from = self->inputs[0];
  Work work = { .from = from, .n_elements = 1, .columns = 1 };
  gint64 dims[ASSAY_MAX_RANK];
  gboolean keep = assay_node_get_int (self->node, "keepdims") != 0, was_reduced = FALSE;
  gsize stride = from->n, results;
  guint rank = 0;
  guint64 mask;

  for (guint i = 0; i < G_N_ELEMENTS (reductions); i++)
    {
      if (reductions[i].op == self->node->op)
        work.reduction = &reductions[i];
    }

  if (!assay_dtype_is_float (from->storage) && !assay_dtype_is_integer (from->storage) &&
      from->storage != ASSAY_DTYPE_BOOL)
    return assay_kernel_fail_type (self, 0, error);
  if (!find_axes (self, from->rank, &mask, error))
    return FALSE;

  for (guint i = 0; i < from->rank; i++)
    {
      gsize dim = (gsize) from->dims[i];
      gboolean reduced = mask >> i & 1;

      stride = dim > 0 ? stride / dim : stride;
      if (reduced)
        work.n_elements *= dim;
      if (!reduced || keep)
        dims[rank++] = reduced ? 1 : (gint64) dim;
      if (dim == 1)
        continue;

      if (reduced)
        add_dim (&work.n_reduced, work.reduced, work.reduced_strides, dim, stride, was_reduced);
      else
        add_dim (&work.n_kept, work.kept, work.kept_strides, dim, stride, !was_reduced);
      was_reduced = reduced;
    }
  if (work.n_kept > 0 && work.kept_strides[work.n_kept - 1] == 1)
    work.columns = work.kept[work.n_kept - 1];

  work.integers = !assay_dtype_is_float (from->storage) && work.reduction->finish == FINISH_NONE;
  work.flip = from->storage == ASSAY_DTYPE_U64 &&
              (work.reduction->step == STEP_MAX || work.reduction->step == STEP_MIN);

  work.to = assay_kernel_output (self, 0, from->dtype, rank, dims, error);
  if (work.to == NULL)
    return FALSE;
  if (work.to->n == 0)
    return TRUE;

  /* The smallest of nothing is the largest number of the type, and so on; integers have no
   * infinity. */
  if (work.n_elements == 0 && work.integers &&
      (work.reduction->step == STEP_MAX || work.reduction->step == STEP_MIN))
    {
      guint bits = from->storage == ASSAY_DTYPE_BOOL ? 1 : assay_dtype_bits (from->storage);
      gboolean is_signed = assay_dtype_kind (from->storage) == 'I';
      gint64 top = is_signed ? (gint64) (G_MAXUINT64 >> (65 - bits))
                             : (gint64) (G_MAXUINT64 >> (64 - bits));
      gint64 value = work.reduction->step == STEP_MIN ? top : is_signed ? -top - 1 : 0;

      for (gsize i = 0; i < work.to->n; i++)
        assay_elements_write_ints (work.to, i, 1, 1, &value);
      return TRUE;
    }

  results = work.to->n / work.columns * ((work.columns + CHUNK - 1) / CHUNK);
  assay_kernel_parallel (self, results, MAX (16384 / MAX (from->n / results, 1), 1), reduce_range,
                         &work);

  return TRUE;
}
