/* assay-kernel-scores.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/kernels/assay-kernel-scores.h"

#include <math.h>
#include <string.h>

/* What classifiers and regressors of ai.onnx.ml share. */

/**
 * assay_scores_get_transform: (skip)
 * @self: one node
 * @transform: (out): where to put the transform
 * @error: return location for a #GError
 *
 * Reads the attribute `post_transform`, which is a name or, in TreeEnsemble, a number.
 *
 * Returns: whether it is one
 */
gboolean
assay_scores_get_transform (AssayKernel *self, AssayPostTransform *transform, GError **error)
{
  static const char *const names[] = { "NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT" };
  gint64 number;

  if (self->node->op == ASSAY_OP_TreeEnsemble)
    {
      number = assay_node_get_int (self->node, "post_transform");
      if (number < 0 || number >= (gint64) G_N_ELEMENTS (names))
        return assay_kernel_fail (self, error, "post_transform is %" G_GINT64_FORMAT, number);
      *transform = (AssayPostTransform) number;
      return TRUE;
    }

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (assay_node_get_string (self->node, "post_transform"), names[i]))
      {
        *transform = (AssayPostTransform) i;
        return TRUE;
      }

  return assay_kernel_fail (self, error, "post_transform is “%s”, which is none of its values",
                            assay_node_get_string (self->node, "post_transform"));
}

static double
logistic (double x)
{
  return 1 / (1 + exp (-x));
}

/* By Winitzki's approximation of the inverse error function, which other implementations of the
 * operators use too. */
static double
probit (double p)
{
  double x = 2 * p - 1;
  double logarithm = log ((1 - x) * (1 + x));
  double a = 2 / (G_PI * 0.147) + logarithm / 2;

  if (x == 0)
    return 0;

  return copysign (sqrt (2) * sqrt (sqrt (a * a - logarithm / 0.147) - a), x);
}

/* With @keep_zero, scores of zero stay at zero and do not count. */
static void
softmax (double *scores, gsize n, gboolean keep_zero)
{
  double top = -INFINITY;
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    top = fmax (top, scores[i]);
  for (gsize i = 0; i < n; i++)
    {
      if (keep_zero && fabs (scores[i]) <= 1e-7)
        scores[i] *= exp (-top);
      else
        scores[i] = exp (scores[i] - top);
      sum += scores[i];
    }
  for (gsize i = 0; i < n; i++)
    scores[i] = sum == 0 ? 0.5 : scores[i] / sum;
}

/**
 * assay_scores_transform: (skip)
 * @transform: what to do
 * @scores: (inout) (array length=n): the scores of one row
 * @n: number of scores
 *
 * Applies a transform to the scores of one row.
 */
void
assay_scores_transform (AssayPostTransform transform, double *scores, gsize n)
{
  if (transform == ASSAY_POST_SOFTMAX || transform == ASSAY_POST_SOFTMAX_ZERO)
    softmax (scores, n, transform == ASSAY_POST_SOFTMAX_ZERO);
  else if (transform != ASSAY_POST_NONE)
    for (gsize i = 0; i < n; i++)
      scores[i] = transform == ASSAY_POST_LOGISTIC ? logistic (scores[i]) : probit (scores[i]);
}

/**
 * assay_scores_best: (skip)
 * @scores: (array length=n): scores
 * @n: number of scores, at least one
 *
 * Finds the largest score, the first one of several.
 *
 * Returns: its index
 */
guint
assay_scores_best (const double *scores, gsize n)
{
  guint best = 0;

  for (guint i = 1; i < n; i++)
    if (scores[i] > scores[best])
      best = i;

  return best;
}

/**
 * assay_scores_matrix: (skip)
 * @self: one node, whose first input is [N, C] or [C]
 * @n_rows: (out): N, or 1
 * @n_columns: (out): C
 * @error: return location for a #GError
 *
 * Checks the features, which are numbers.
 *
 * Returns: whether they are good
 */
gboolean
assay_scores_matrix (AssayKernel *self, gsize *n_rows, gsize *n_columns, GError **error)
{
  const AssayDatum *x = assay_kernel_input (self, 0);

  if (!assay_kernel_expect_rank (self, 0, 1, 2, error))
    return FALSE;
  if (!assay_dtype_is_float (x->dtype) && !assay_dtype_is_integer (x->dtype))
    return assay_kernel_fail_type (self, 0, error);

  *n_columns = (gsize) x->dims[x->rank - 1];
  *n_rows = x->rank == 2 ? (gsize) x->dims[0] : 1;

  return TRUE;
}

/**
 * assay_scores_output: (skip)
 * @self: one node
 * @output: which output
 * @dtype: a floating point type
 * @n_rows: number of rows
 * @n_columns: number of columns
 * @error: return location for a #GError
 *
 * Makes a matrix of scores, also if nobody wants the output.
 *
 * Returns: (transfer none) (nullable): the matrix
 */
AssayDatum *
assay_scores_output (AssayKernel *self, guint output, AssayDType dtype, gsize n_rows,
                     gsize n_columns, GError **error)
{
  gint64 dims[2] = { (gint64) n_rows, (gint64) n_columns };

  return assay_kernel_output (self, output, dtype, 2, dims, error);
}

static const AssayAttr *
get_strings (AssayKernel *self, const char *name)
{
  const AssayAttr *attr = assay_node_find_attr (self->node, name);

  return attr != NULL && attr->kind == ASSAY_ATTR_STRINGS && attr->n > 0 ? attr : NULL;
}

/**
 * assay_labels_output: (skip)
 * @self: one node
 * @strings: attribute with the labels if they are strings
 * @n_rows: number of rows
 * @error: return location for a #GError
 *
 * Makes the labels, which are strings or integers.
 *
 * Returns: (transfer none) (nullable): the labels
 */
AssayDatum *
assay_labels_output (AssayKernel *self, const char *strings, gsize n_rows, GError **error)
{
  gint64 dim = (gint64) n_rows;

  return assay_kernel_output (
      self, 0, get_strings (self, strings) != NULL ? ASSAY_DTYPE_STRING : ASSAY_DTYPE_I64, 1, &dim,
      error);
}

/**
 * assay_labels_count: (skip)
 * @self: one node
 * @strings: attribute with the labels if they are strings
 * @integers: attribute with the labels if they are integers
 *
 * Counts the classes that have a label.
 *
 * Returns: number of labels
 */
guint
assay_labels_count (AssayKernel *self, const char *strings, const char *integers)
{
  const AssayAttr *attr = get_strings (self, strings);
  guint n;

  assay_node_get_ints (self->node, integers, &n);

  return attr != NULL ? attr->n : n;
}

/**
 * assay_labels_set: (skip)
 * @self: one node
 * @labels: the labels
 * @row: which row
 * @strings: attribute with the labels if they are strings
 * @integers: attribute with the labels if they are integers
 * @class_index: which class; -1 for none, whose label is 0 or the empty string
 *
 * Writes the label of one row. A class without label is its index.
 */
void
assay_labels_set (AssayKernel *self, AssayDatum *labels, gsize row, const char *strings,
                  const char *integers, gint64 class_index)
{
  const AssayAttr *names = get_strings (self, strings);
  guint n;
  const gint64 *numbers = assay_node_get_ints (self->node, integers, &n);

  if (names != NULL)
    {
      const char *name = class_index >= 0 && class_index < names->n ? names->u.strings[class_index]
                                                                    : "";

      ((GBytes **) labels->data)[row] = g_bytes_new (name, strlen (name));
      return;
    }

  ((gint64 *) labels->data)[row] = class_index < 0   ? 0
                                   : class_index < n ? numbers[class_index]
                                                     : class_index;
}
