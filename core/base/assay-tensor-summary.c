/* assay-tensor-summary.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/assay-tensor-summary.h"

#include <math.h>

#include "base/assay-error.h"
#include "base/assay-tensor-read.h"

/* Elements between two looks at whether to stop: less than a millisecond. */
#define CHUNK ((gsize) 1 << 16)

static guint
find_bucket (const AssayStatistics *statistics, double value)
{
  double width = statistics->max - statistics->min;
  double at = width > 0 ? (value - statistics->min) / width * ASSAY_SUMMARY_BUCKETS : 0;

  return (guint) CLAMP (at, 0, ASSAY_SUMMARY_BUCKETS - 1);
}

/* Elements that follow each other; @stretch is that of the first one, and then of the next one. */
static void
add_values (AssayTensorSummary *self, const double *values, gsize first, gsize count,
            guint *stretch)
{
  gsize begin = assay_tensor_summary_begin_stretch (self, *stretch);
  gsize end = assay_tensor_summary_begin_stretch (self, *stretch + 1);

  for (gsize i = 0; i < count; i++)
    {
      if (first + i == end)
        {
          begin = end;
          end = assay_tensor_summary_begin_stretch (self, ++*stretch + 1);
        }
      if (!isfinite (values[i]))
        continue;
      self->histogram[find_bucket (&self->statistics, values[i])]++;
      self->strengths[*stretch] += fabs (values[i]) / (double) (end - begin);
    }
}

/**
 * assay_tensor_summarize:
 * @tensor: a tensor of numbers or booleans
 * @progress: (nullable): told how far it is; can cancel
 * @summary: (out caller-allocates): where to put it
 * @error: return location for a #GError
 *
 * Reads all elements twice, once for the statistics and once for histogram and strengths, piece by
 * piece.
 *
 * Returns: whether it could be read to its end
 */
gboolean
assay_tensor_summarize (AssayTensor *tensor, const AssayProgress *progress,
                        AssayTensorSummary *summary, GError **error)
{
  gsize n = assay_tensor_get_n_elements (tensor);
  g_autofree double *values = g_new (double, CHUNK);
  guint stretch = 0;

  *summary = (AssayTensorSummary){ assay_statistics_of (NULL, 0), { 0 }, { 0 } };
  if (assay_dtype_bits (assay_tensor_get_dtype (tensor)) == 0)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "elements of type %s have no statistics",
                   assay_dtype_name (assay_tensor_get_dtype (tensor)));
      return FALSE;
    }

  for (guint pass = 0; pass < 2; pass++)
    for (gsize first = 0; first < n; first += CHUNK)
      {
        gsize count = MIN (n - first, CHUNK);
        AssayStatistics part;

        if (!assay_progress_check (progress, error) ||
            !assay_tensor_read_doubles (tensor, first, count, values, error))
          return FALSE;
        assay_progress_report (progress, ((double) pass + (double) first / (double) n) / 2,
                               "Reading values");
        if (pass == 0)
          {
            part = assay_statistics_of (values, count);
            assay_statistics_add (&summary->statistics, &part);
            continue;
          }
        add_values (summary, values, first, count, &stretch);
      }

  return TRUE;
}

/**
 * assay_tensor_summary_count_stretches:
 * @self: a summary
 *
 * Counts the stretches that have elements.
 *
 * Returns: the number, %ASSAY_SUMMARY_STRETCHES but for small tensors
 */
guint
assay_tensor_summary_count_stretches (const AssayTensorSummary *self)
{
  return (guint) MIN (self->statistics.n, ASSAY_SUMMARY_STRETCHES);
}

/**
 * assay_tensor_summary_begin_stretch:
 * @self: a summary
 * @stretch: a stretch, or the number of them for the end of the last one
 *
 * Gets where a stretch begins.
 *
 * Returns: index of its first element
 */
gsize
assay_tensor_summary_begin_stretch (const AssayTensorSummary *self, guint stretch)
{
  guint n = MAX (assay_tensor_summary_count_stretches (self), 1);

  return (gsize) ceil ((double) self->statistics.n / n * stretch);
}

/**
 * assay_tensor_summary_bucket:
 * @self: a summary
 * @bucket: a bucket of its histogram
 * @low: (out): the least value in it
 * @high: (out): where the next one begins
 *
 * Gets what a bucket stands for.
 */
void
assay_tensor_summary_bucket (const AssayTensorSummary *self, guint bucket, double *low,
                             double *high)
{
  double width = (self->statistics.max - self->statistics.min) / ASSAY_SUMMARY_BUCKETS;

  *low = self->statistics.min + width * bucket;
  *high = self->statistics.min + width * (bucket + 1);
}
