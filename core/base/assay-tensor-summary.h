/* assay-tensor-summary.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"
#include "base/assay-statistics.h"
#include "base/assay-tensor.h"

G_BEGIN_DECLS

#define ASSAY_SUMMARY_BUCKETS 48
#define ASSAY_SUMMARY_STRETCHES 128

/**
 * AssayTensorSummary:
 * @statistics: of all elements
 * @histogram: finite elements per bucket, all of one width from the least to the greatest
 * @strengths: mean magnitude in each stretch of the elements in their order; what is not finite
 * counts as none
 *
 * What a tensor is like as a whole.
 */
typedef struct
{
  AssayStatistics statistics;
  gsize histogram[ASSAY_SUMMARY_BUCKETS];
  double strengths[ASSAY_SUMMARY_STRETCHES];
} AssayTensorSummary;

gboolean assay_tensor_summarize (AssayTensor *tensor, const AssayProgress *progress,
                                 AssayTensorSummary *summary, GError **error);
guint assay_tensor_summary_count_stretches (const AssayTensorSummary *self);
gsize assay_tensor_summary_begin_stretch (const AssayTensorSummary *self, guint stretch);
void assay_tensor_summary_bucket (const AssayTensorSummary *self, guint bucket, double *low,
                                  double *high);

G_END_DECLS
