/* assay-run-pair.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "run/assay-comparison.h"

G_BEGIN_DECLS

gboolean assay_run_pair (const AssayComparisonSide *a, const AssayComparisonSide *b,
                         const GArray *ports, GPtrArray *inputs, AssayValueId value,
                         const AssayProgress *progress, AssayTensor **value_a,
                         AssayTensor **value_b, GError **error);
GHashTable *assay_run_values (const AssayComparisonSide *side, const GArray *ports,
                              GPtrArray *inputs, const AssayValueId *values, guint n,
                              const AssayProgress *progress,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
