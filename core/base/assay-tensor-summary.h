/* assay-tensor-summary.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"
#include "base/assay-statistics.h"
#include "base/assay-tensor.h"

G_BEGIN_DECLS

#define ASSAY_SUMMARY_BUCKETS 48

/**
 * AssayTensorSummary:
 * @statistics: of all elements
 * @histogram: finite elements per bucket, all of one width from the least to the greatest
 *
 * What a tensor is like as a whole.
 */
typedef struct
{
  AssayStatistics statistics;
  gsize histogram[ASSAY_SUMMARY_BUCKETS];
} AssayTensorSummary;

gboolean assay_tensor_summarize      (AssayTensor               *tensor,
                                      const AssayProgress       *progress,
                                      AssayTensorSummary        *summary,
                                      GError                   **error);
void     assay_tensor_summary_bucket (const AssayTensorSummary  *self,
                                      guint                      bucket,
                                      double                    *low,
                                      double                    *high);

G_END_DECLS
