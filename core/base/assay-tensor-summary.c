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
find_bucket (const AssayStatistics *statistics,
             double                 value)
{
  double width = statistics->max - statistics->min;
  double at = width > 0 ? (value - statistics->min) / width * ASSAY_SUMMARY_BUCKETS : 0;

  return (guint) CLAMP (at, 0, ASSAY_SUMMARY_BUCKETS - 1);
}

/**
 * assay_tensor_summarize:
 * @tensor: a tensor of numbers or booleans
 * @progress: (nullable): told how far it is; can cancel
 * @summary: (out caller-allocates): where to put it
 * @error: return location for a #GError
 *
 * Reads all elements twice, once for the statistics and once for the histogram, piece by piece.
 *
 * Returns: whether it could be read to its end
 */
gboolean
assay_tensor_summarize (AssayTensor          *tensor,
                        const AssayProgress  *progress,
                        AssayTensorSummary   *summary,
                        GError              **error)
{
  gsize n = assay_tensor_get_n_elements (tensor);
  g_autofree double *values = g_new (double, CHUNK);

  *summary = (AssayTensorSummary) { assay_statistics_of (NULL, 0), { 0 } };
  if (assay_dtype_bits (assay_tensor_get_dtype (tensor)) == 0)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "elements of type %s have no statistics",
                   assay_dtype_name (assay_tensor_get_dtype (tensor)));
      return FALSE;
    }

  for (guint pass = 0; pass < 2; pass++)
    for (gsize first = 0; first < n; first += CHUNK)
      {
        gsize count = MIN (n - first, CHUNK);
        AssayStatistics part;

        if (!assay_progress_check (progress, error)
            || !assay_tensor_read_doubles (tensor, first, count, values, error))
          return FALSE;
        assay_progress_report (progress, ((double) pass + (double) first / (double) n) / 2, "Reading values");
        if (pass == 0)
          {
            part = assay_statistics_of (values, count);
            assay_statistics_add (&summary->statistics, &part);
            continue;
          }
        for (gsize i = 0; i < count; i++)
          if (isfinite (values[i]))
            summary->histogram[find_bucket (&summary->statistics, values[i])]++;
      }

  return TRUE;
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
assay_tensor_summary_bucket (const AssayTensorSummary *self,
                             guint                     bucket,
                             double                   *low,
                             double                   *high)
{
  double width = (self->statistics.max - self->statistics.min) / ASSAY_SUMMARY_BUCKETS;

  *low = self->statistics.min + width * bucket;
  *high = self->statistics.min + width * (bucket + 1);
}
