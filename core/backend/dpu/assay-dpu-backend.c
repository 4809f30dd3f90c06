/* assay-dpu-backend.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Convolution engines in 8 bits, and a host processor that does what they do not.
 */
#include "backend/assay-backend.h"
#include "backend/dpu/assay-dpu-check.h"
#include "backend/dpu/assay-dpu-program.h"

const AssayBackendClass assay_backend_dpu = {
  .check = {
    .family = "dpu",
    .untaken = ASSAY_VERDICT_HOST,
    .settles_defaults = TRUE,
    .divides = TRUE,
    .numbers = ASSAY_DTYPE_F32,
    .fixed = ASSAY_DTYPE_I8,
    .predicates = assay_dpu_predicates,
    .settle = assay_dpu_check_place,
  },
  .title = "DPU",
  .capabilities = ASSAY_CAN (MAKES_PROGRAMS) | ASSAY_CAN (HAS_STORES) | ASSAY_CAN (COUNTS_CYCLES) |
                  ASSAY_CAN (RUNS_HERE) | ASSAY_CAN (DEPLOYS) | ASSAY_CAN (QUANTIZES),
  .machine = ASSAY_DPU_MACHINE,
  .build = assay_dpu_program_build,
  .mark = ASSAY_DPU_PROGRAM_MARK,
  .load = assay_dpu_program_load,
};
