/* assay-kernel-normalize-axes.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "evaluate/kernels/assay-kernel-rows.h"
#include "nnir/assay-axes.h"

/* Normalizations over axes that need not lie side by side. */

static void
lp_row (gconstpointer data, gsize n, double *row)
{
  const gint64 *p = data;
  double norm = 0.0;

  for (gsize i = 0; i < n; i++)
    norm += *p == 1 ? fabs (row[i]) : row[i] * row[i];
  norm = *p == 1 ? norm : sqrt (norm);

  /* Nothing but zeros has no direction, and stays. */
  for (gsize i = 0; i < n; i++)
    row[i] = norm == 0.0 ? 0.0 : row[i] / norm;
}

gboolean
assay_kernel_op_lp_normalization (AssayKernel *self, GError **error)
{
  gint64 p = assay_node_get_int (self->node, "p");
  AssayKernelRows rows;

  if (p != 1 && p != 2)
    return assay_kernel_fail (self, error, "attribute p: %" G_GINT64_FORMAT ", expected 1 or 2", p);

  return assay_kernel_expect (self, 0, ASSAY_DTYPE_UNDEFINED, 1, -1, error) &&
         assay_kernel_rows_init (&rows, self, assay_node_get_int (self->node, "axis"), error) &&
         assay_kernel_rows_map (&rows, self, lp_row, &p, error);
}

typedef struct
{
  AssayKernel *kernel;
  gint64 size;
  double alpha;
  double beta;
  double bias;
} Response;

static void
lrn_row (gconstpointer data, gsize n_channels, double *row)
{
  const Response *response = data;
  gint64 before = (response->size - 1) / 2, after = response->size - 1 - before;
  gint64 n = (gint64) n_channels;
  g_autofree double *squares = assay_kernel_room (response->kernel, double, n_channels, NULL);

  if (squares == NULL)
    return;

  for (gint64 c = 0; c < n; c++)
    squares[c] = row[c] * row[c];
  for (gint64 c = 0; c < n; c++)
    {
      double sum = 0.0;

      for (gint64 i = MAX (c - before, 0); i <= MIN (c + after, n - 1); i++)
        sum += squares[i];
      row[c] /= pow (response->bias + response->alpha / (double) response->size * sum,
                     response->beta);
    }
}

gboolean
assay_kernel_op_lrn (AssayKernel *self, GError **error)
{
  Response response = {
    .kernel = self,
    .size = assay_node_get_int (self->node, "size"),
    .alpha = assay_node_get_float (self->node, "alpha"),
    .beta = assay_node_get_float (self->node, "beta"),
    .bias = assay_node_get_float (self->node, "bias"),
  };
  AssayKernelRows rows;

  if (response.size <= 0 || response.size > G_MAXINT32)
    return assay_kernel_fail (self, error,
                              "attribute size: %" G_GINT64_FORMAT ", expected a positive number",
                              response.size);

  return assay_kernel_expect (self, 0, ASSAY_DTYPE_UNDEFINED, 2, -1, error) &&
         assay_kernel_rows_init (&rows, self, 1, error) &&
         assay_kernel_rows_map (&rows, self, lrn_row, &response, error);
}

/* Which result each element counts for: its index along the axes that are not normalized. */
static gsize
group_of (const AssayDatum *from, guint64 mask, gsize index)
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
assay_kernel_op_mean_variance_normalization (AssayKernel *self, GError **error)
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

  if (assay_node_find_attr (self->node, "axes") != NULL)
    axes = assay_node_get_ints (self->node, "axes", &n_axes);
  /* As ONNX Runtime: an axis that the input does not have counts for nothing. */
  for (guint i = 0; i < n_axes; i++)
    {
      int axis;

      if (assay_axes_normalize (axes[i], (int) from->rank, &axis))
        mask |= G_GUINT64_CONSTANT (1) << axis;
    }

  to = assay_kernel_output (self, 0, from->dtype, from->rank, from->dims, error);
  if (to == NULL)
    return FALSE;
  if (from->n == 0)
    return TRUE;

  for (guint i = 0; i < from->rank; i++)
    n_groups *= mask >> i & 1 ? 1 : (gsize) from->dims[i];
  mean = assay_kernel_room0 (self, double, n_groups, error);
  square = mean == NULL ? NULL : assay_kernel_room0 (self, double, n_groups, error);
  if (mean == NULL || square == NULL)
    return FALSE;
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
      assay_datum_set_number (
          to, i, (assay_datum_get_number (from, i) - mean[group]) / (sqrt (square[group]) + 1e-9));
    }

  return TRUE;
}
