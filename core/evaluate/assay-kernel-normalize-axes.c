/* assay-kernel-normalize-axes.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "evaluate/assay-elements.h"
#include "evaluate/assay-kernel.h"

/* Normalizations over axes that need not lie side by side. */

typedef struct
{
  AssayDatum *from;
  AssayDatum *to;
  gsize length; /* of the axis */
  gsize inner;  /* elements behind the axis */

  gint64 p;

  gint64 size;
  double alpha;
  double beta;
  double bias;
} Work;

typedef void (*RowFunc) (const Work   *work,
                         const double *from,
                         double       *to);

typedef struct
{
  Work work;
  RowFunc func;
} Rows;

static void
map_rows (gpointer data,
          gsize    begin,
          gsize    end)
{
  const Rows *rows = data;
  const Work *work = &rows->work;
  g_autofree double *from = g_new (double, work->length);
  g_autofree double *to = g_new (double, work->length);

  for (gsize i = begin; i < end; i++)
    {
      gsize offset = i / work->inner * work->inner * work->length + i % work->inner;

      assay_elements_read (work->from, offset, work->inner, work->length, from);
      rows->func (work, from, to);
      assay_elements_write (work->to, offset, work->inner, work->length, to);
    }
}

static gboolean
run_rows (AssayKernel *self,
          Rows        *rows,
          gint64       number,
          GError     **error)
{
  AssayDatum *from = self->inputs[0];
  guint axis;

  if (!assay_kernel_expect (self, 0, ASSAY_DTYPE_UNDEFINED, 1, -1, error)
      || !assay_kernel_axis (self, number, from->rank, &axis, error))
    return FALSE;

  rows->work.from = from;
  rows->work.length = (gsize) from->dims[axis];
  rows->work.inner = 1;
  for (guint i = axis + 1; i < from->rank; i++)
    rows->work.inner *= (gsize) from->dims[i];

  rows->work.to = assay_kernel_output_like (self, 0, 0, error);
  if (rows->work.to == NULL)
    return FALSE;
  if (from->n > 0)
    assay_kernel_parallel (self, from->n / rows->work.length, MAX (4096 / rows->work.length, 1), map_rows, rows);

  return TRUE;
}

static void
lp_row (const Work   *work,
        const double *from,
        double       *to)
{
  double norm = 0.0;

  for (gsize i = 0; i < work->length; i++)
    norm += work->p == 1 ? fabs (from[i]) : from[i] * from[i];
  norm = work->p == 1 ? norm : sqrt (norm);

  for (gsize i = 0; i < work->length; i++)
    to[i] = norm == 0.0 ? 0.0 : from[i] / norm;
}

gboolean
assay_kernel_op_lp_normalization (AssayKernel *self,
                                  GError     **error)
{
  Rows rows = { .work = { .p = assay_kernel_get_int (self, "p") }, .func = lp_row };

  if (rows.work.p != 1 && rows.work.p != 2)
    return assay_kernel_fail (self, error, "attribute p: %" G_GINT64_FORMAT ", expected 1 or 2", rows.work.p);

  return run_rows (self, &rows, assay_kernel_get_int (self, "axis"), error);
}

static void
lrn_row (const Work   *work,
         const double *from,
         double       *to)
{
  gint64 before = (work->size - 1) / 2, after = work->size - 1 - before;
  gint64 n = (gint64) work->length;

  for (gint64 c = 0; c < n; c++)
    {
      double sum = 0.0;

      for (gint64 i = MAX (c - before, 0); i <= MIN (c + after, n - 1); i++)
        sum += from[i] * from[i];
      to[c] = from[c] / pow (work->bias + work->alpha / (double) work->size * sum, work->beta);
    }
}

gboolean
assay_kernel_op_lrn (AssayKernel *self,
                     GError     **error)
{
  Rows rows = {
    .work = {
      .size = assay_kernel_get_int (self, "size"),
      .alpha = assay_kernel_get_float (self, "alpha"),
      .beta = assay_kernel_get_float (self, "beta"),
      .bias = assay_kernel_get_float (self, "bias"),
    },
    .func = lrn_row,
  };

  if (rows.work.size <= 0)
    return assay_kernel_fail (self, error, "attribute size: %" G_GINT64_FORMAT ", expected a positive number",
                              rows.work.size);

  return run_rows (self, &rows, 1, error);
}

/* Which result each element counts for: its index along the axes that are not normalized. */
static gsize
group_of (const AssayDatum *from,
          guint64           mask,
          gsize             index)
{
  gsize group = 0, stride = 1;

  for (guint axis = from->rank; axis > 0; axis--)
    {
      gsize dim = (gsize) from->dims[axis - 1];

      if ((mask >> (axis - 1) & 1) == 0)
        {
          group += index % dim * stride;
          stride *= dim;
        }
      index /= dim;
    }

  return group;
}

gboolean
assay_kernel_op_mean_variance_normalization (AssayKernel *self,
                                             GError     **error)
{
  static const gint64 default_axes[] = { 0, 2, 3 };
  AssayDatum *from = self->inputs[0];
  const gint64 *axes = default_axes;
  guint n_axes = G_N_ELEMENTS (default_axes);
  gsize n_groups = 1;
  guint64 mask = 0;
  g_autofree double *mean = NULL, *square = NULL;
  AssayDatum *to;
  double count;

  if (!assay_kernel_expect (self, 0, ASSAY_DTYPE_UNDEFINED, 0, -1, error))
    return FALSE;

  if (assay_kernel_has_attr (self, "axes"))
    axes = assay_kernel_get_ints (self, "axes", &n_axes);
  for (guint i = 0; i < n_axes; i++)
    {
      guint axis;

      if (!assay_kernel_axis (self, axes[i], from->rank, &axis, error))
        return FALSE;
      mask |= G_GUINT64_CONSTANT (1) << axis;
    }

  to = assay_kernel_output (self, 0, from->dtype, from->rank, from->dims, error);
  if (to == NULL)
    return FALSE;
  if (from->n == 0)
    return TRUE;

  for (guint i = 0; i < from->rank; i++)
    n_groups *= mask >> i & 1 ? 1 : (gsize) from->dims[i];
  mean = g_new0 (double, n_groups);
  square = g_new0 (double, n_groups);
  count = (double) (from->n / n_groups);

  /* Two sweeps: the difference of two large squares would lose what matters. */
  for (gsize i = 0; i < from->n; i++)
    mean[group_of (from, mask, i)] += assay_datum_get_number (from, i) / count;
  for (gsize i = 0; i < from->n; i++)
    {
      gsize group = group_of (from, mask, i);
      double x = assay_datum_get_number (from, i) - mean[group];

      square[group] += x * x / count;
    }
  for (gsize i = 0; i < from->n; i++)
    {
      gsize group = group_of (from, mask, i);

      /* The body of the operator in the specification adds this epsilon. */
      assay_datum_set_number (to, i, (assay_datum_get_number (from, i) - mean[group]) / (sqrt (square[group]) + 1e-9));
    }

  return TRUE;
}
