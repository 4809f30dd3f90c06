/* assay-dpu-simulate.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/dpu/assay-dpu-code.h"

G_BEGIN_DECLS

gboolean assay_dpu_simulate (const AssayDpuCode *code, const AssayDpuOp *op,
                             const AssayQuantizer *tool, const gint8 *const *in, gint8 *out);
void assay_dpu_simulate_finish (const AssayDpuCode *code, const AssayDpuOp *op,
                                const AssayQuantizer *tool, AssayDpuFinish *finish,
                                double *exact_bias);

G_END_DECLS
