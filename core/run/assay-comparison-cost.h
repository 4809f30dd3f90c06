/* assay-comparison-cost.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "run/assay-comparison.h"

G_BEGIN_DECLS

/* Operations that cost most, of which gains are measured unless somebody wants others. */
#define ASSAY_COMPARISON_N_GAINS 5

gboolean assay_comparison_has_positions (const AssayComparison *self);
gboolean assay_comparison_measure_costs (AssayComparison *self, const AssayComparisonSide *side,
                                         GPtrArray *inputs, guint n_gains,
                                         const AssayProgress *progress, GError **error);

G_END_DECLS
