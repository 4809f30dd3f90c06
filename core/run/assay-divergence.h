/* assay-divergence.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "run/assay-comparison.h"

G_BEGIN_DECLS

/* Of fewer spans of timesteps a slope says nothing. */
#define ASSAY_DIVERGENCE_FEWEST_SPANS 8

/**
 * AssayDivergence:
 * @ASSAY_DIVERGENCE_EXACT: there is no difference
 * @ASSAY_DIVERGENCE_ROUNDING: what rounding does
 * @ASSAY_DIVERGENCE_BIASED: as large as rounding, but to one side, so that sums of it grow
 * @ASSAY_DIVERGENCE_AMPLIFIED: what came in is larger behind the op
 * @ASSAY_DIVERGENCE_BEYOND: the op by itself is further off than rounding explains
 * @ASSAY_DIVERGENCE_NOT_COMPARED: nobody saw it, or it could not be compared; that is no pass
 *
 * What a difference is.
 */
typedef enum
{
  ASSAY_DIVERGENCE_EXACT,
  ASSAY_DIVERGENCE_ROUNDING,
  ASSAY_DIVERGENCE_BIASED,
  ASSAY_DIVERGENCE_AMPLIFIED,
  ASSAY_DIVERGENCE_BEYOND,
  ASSAY_DIVERGENCE_NOT_COMPARED,
  ASSAY_N_DIVERGENCES
} AssayDivergence;

AssayDivergence assay_comparison_row_divergence (const AssayComparisonRow *row);
double assay_comparison_row_factor (const AssayComparisonRow *row);
double assay_comparison_row_unit (const AssayComparisonRow *row);
double assay_comparison_row_growth (const AssayComparisonRow *row, double *first, double *last);
int assay_comparison_find_growth (const AssayComparison *comparison);
void assay_comparison_find_siblings (AssayComparison *comparison);
char *assay_comparison_row_dup_place (const AssayComparisonRow *row) G_GNUC_WARN_UNUSED_RESULT;
double assay_comparison_row_bias (const AssayComparisonRow *row);
double assay_comparison_row_share (const AssayComparisonRow *row);
const char *assay_divergence_name (AssayDivergence divergence);
int assay_comparison_find_amplified (const AssayComparison *comparison);

G_END_DECLS
