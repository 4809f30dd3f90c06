/* assay-dpu-backend.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Convolution engines and a host processor that does what they do not: verdicts.
 */
#include "backend/assay-backend.h"
#include "backend/dpu/assay-dpu-check.h"

const AssayBackendClass assay_backend_dpu = {
  .check = {
    .family = "dpu",
    .untaken = ASSAY_VERDICT_HOST,
    .divides = TRUE,
    .predicates = assay_dpu_predicates,
    .settle = assay_dpu_check_place,
  },
  .title = "DPU",
};
