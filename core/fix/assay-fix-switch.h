/* assay-fix-switch.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-graph.h"
#include "nnir/analysis/assay-analysis.h"

G_BEGIN_DECLS

gboolean assay_fix_is_switch (const AssayValue *value);
GArray *assay_fix_list_positions (AssayGraph *graph, const AssayUses *uses,
                                  AssayValueId input) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
