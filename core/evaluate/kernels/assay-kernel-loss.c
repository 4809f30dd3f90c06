/* assay-kernel-loss.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "evaluate/assay-elements.h"
#include "base/assay-sentence.h"
#include "evaluate/assay-kernel.h"

/* Losses over the classes of axis 1, of which each sample and position has one that is right. */
typedef struct
{
  AssayKernel *kernel;
  AssayDatum *labels;
  AssayDatum *weights; /* (nullable) */
  gsize samples;
  gsize classes;
  gsize positions;
  gboolean ignores;
  gint64 ignored;
} Loss;

static gboolean
check_shapes (Loss *self, GError **error)
{
  AssayKernel *kernel = self->kernel;
  AssayDatum *scores = kernel->inputs[0];

  if (!assay_kernel_expect (kernel, 0, ASSAY_DTYPE_UNDEFINED, 2, -1, error))
    return FALSE;

  self->samples = (gsize) scores->dims[0];
  self->classes = (gsize) scores->dims[1];
  self->positions = 1;
  for (guint i = 2; i < scores->rank; i++)
    self->positions *= (gsize) scores->dims[i];

  if (self->labels->storage != ASSAY_DTYPE_I32 && self->labels->storage != ASSAY_DTYPE_I64)
    return assay_kernel_fail_type (kernel, 1, error);
  if (self->labels->n != self->samples * self->positions || self->labels->rank + 1 != scores->rank)
    return assay_kernel_fail (
        kernel, error, "%" G_GSIZE_FORMAT " label%s, expected %" G_GSIZE_FORMAT, self->labels->n,
        assay_plural (self->labels->n), self->samples * self->positions);

  return self->weights == NULL || self->weights->storage == scores->storage ||
         assay_kernel_fail_type (kernel, 2, error);
}

/* The place of a label among classes or weights; negative ones count from the end. */
static gboolean
find_label (const Loss *self, gint64 label, gsize n, const char *what, gsize *place, GError **error)
{
  gint64 at = label < 0 ? label + (gint64) n : label;

  *place = (gsize) at;

  return (at >= 0 && (gsize) at < n) ||
         assay_kernel_fail (self->kernel, error,
                            "label %" G_GINT64_FORMAT " of %" G_GSIZE_FORMAT " %s", label, n, what);
}

/* Checks the inputs and reads the scores. */
static double *
loss_init (Loss *self, AssayKernel *kernel, GError **error)
{
  AssayDatum *scores = kernel->inputs[0];
  double *read;

  self->kernel = kernel;
  self->labels = kernel->inputs[1];
  self->weights = assay_kernel_input (kernel, 2);
  self->ignores = assay_node_find_attr (kernel->node, "ignore_index") != NULL;
  self->ignored = assay_node_get_int (kernel->node, "ignore_index");
  if (!check_shapes (self, error))
    return NULL;

  read = assay_kernel_room (kernel, double, scores->n + 1, error);
  if (read == NULL)
    return NULL;
  assay_elements_read (scores, 0, 1, scores->n, read);

  return read;
}

/* The loss of logarithms of probabilities, in the shape of the labels or as one number. */
static gboolean
loss_compute (const Loss *self, const double *logs, guint output, GError **error)
{
  /* Another word is taken for `sum`, as the function body of the operator does. */
  const char *reduction = assay_node_get_string (self->kernel->node, "reduction");
  gboolean keep = g_str_equal (reduction, "none"), mean = g_str_equal (reduction, "mean");
  AssayDatum *scores = self->kernel->inputs[0];
  AssayDatum *loss = assay_kernel_output (self->kernel, output, scores->dtype,
                                          keep ? self->labels->rank : 0, self->labels->dims, error);
  double sum = 0.0, total = 0.0;

  if (loss == NULL)
    return FALSE;

  for (gsize i = 0; i < self->labels->n; i++)
    {
      gint64 label = assay_datum_get_integer (self->labels, i);
      double weight = 0.0, one = 0.0;

      if (!self->ignores || label != self->ignored)
        {
          gsize place, own = 0;

          if (!find_label (self, label, self->classes, "classes", &place, error) ||
              (self->weights != NULL &&
               !find_label (self, label, self->weights->n, "weights", &own, error)))
            return FALSE;
          weight = self->weights != NULL ? assay_datum_get_number (self->weights, own) : 1.0;
          one = -weight * logs[(i / self->positions * self->classes + place) * self->positions +
                               i % self->positions];
        }

      sum += one;
      total += weight;
      if (keep)
        assay_datum_set_number (loss, i, one);
    }
  if (!keep)
    assay_datum_set_number (loss, 0, mean ? sum / total : sum);

  return TRUE;
}

gboolean
assay_kernel_op_negative_log_likelihood_loss (AssayKernel *self, GError **error)
{
  Loss loss;
  g_autofree double *logs = loss_init (&loss, self, error);

  return logs != NULL && loss_compute (&loss, logs, 0, error);
}

gboolean
assay_kernel_op_softmax_cross_entropy_loss (AssayKernel *self, GError **error)
{
  AssayDatum *scores = self->inputs[0];
  Loss loss;
  g_autofree double *logs = loss_init (&loss, self, error);

  if (logs == NULL)
    return FALSE;

  for (gsize i = 0; i < loss.samples * loss.positions && loss.classes > 0; i++)
    {
      double *row = logs + i / loss.positions * loss.classes * loss.positions + i % loss.positions;
      double largest = -INFINITY, sum = 0.0;

      for (gsize c = 0; c < loss.classes; c++)
        largest = MAX (largest, row[c * loss.positions]);
      for (gsize c = 0; c < loss.classes; c++)
        sum += exp (row[c * loss.positions] - largest);
      for (gsize c = 0; c < loss.classes; c++)
        row[c * loss.positions] -= largest + log (sum);
    }

  if (assay_kernel_wants (self, 1))
    {
      AssayDatum *kept = assay_kernel_output (self, 1, scores->dtype, scores->rank, scores->dims,
                                              error);

      if (kept == NULL)
        return FALSE;
      assay_elements_write (kept, 0, 1, kept->n, logs);
    }

  return loss_compute (&loss, logs, 0, error);
}
