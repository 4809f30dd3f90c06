/* assay-dpu-executor.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-executor.h"
#include "backend/dpu/assay-dpu-code.h"

G_BEGIN_DECLS

AssayExecutor *assay_dpu_executor_new (const AssayDpuCode *code, const AssayQuantizer *simulated,
                                       const AssayDpuLevel *level, guint n_threads,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_dpu_code_shows (const AssayDpuCode *code, AssayValueId value);

G_END_DECLS
