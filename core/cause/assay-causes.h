/* assay-causes.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "run/assay-comparison.h"

G_BEGIN_DECLS

gboolean assay_causes_find (AssayComparison *comparison, const AssayComparisonSide *a,
                            const AssayComparisonSide *b, GPtrArray *inputs, guint n_rows,
                            const AssayProgress *progress, GError **error);
gboolean assay_causes_find_of (AssayComparison *comparison, guint index,
                               const AssayComparisonSide *a, const AssayComparisonSide *b,
                               GPtrArray *inputs, const AssayProgress *progress, GError **error);

G_END_DECLS
