/* assay-remedy.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "run/assay-comparison.h"
#include "work/assay-work.h"

G_BEGIN_DECLS

gboolean assay_explain_causes (AssayComparison *comparison, AssayWork *work,
                               const AssayComparisonSide *a, const AssayComparisonSide *b,
                               GPtrArray *inputs, guint n_rows, const AssayProgress *progress,
                               GError **error);
gboolean assay_explain_causes_of (AssayComparison *comparison, guint index, AssayWork *work,
                                  const AssayComparisonSide *a, const AssayComparisonSide *b,
                                  GPtrArray *inputs, const AssayProgress *progress, GError **error);

G_END_DECLS
