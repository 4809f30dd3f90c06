/* assay-delegate-backend.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Delegates with a host runtime beside them: verdicts, fusion groups and partitions, and programs
 * that a graphics processor and the host run together.
 */
#include "backend/assay-backend.h"
#include "backend/delegate/assay-delegate-predicate.h"
#include "backend/delegate/assay-delegate-program.h"

const AssayBackendClass assay_backend_delegate = {
  .check = {
    .family = "delegate",
    .untaken = ASSAY_VERDICT_REJECTED,
    .divides = TRUE,
    .predicates = assay_delegate_predicates,
  },
  .title = "Delegate",
  .capabilities = ASSAY_CAN (MAKES_PROGRAMS) | ASSAY_CAN (HAS_STORES) | ASSAY_CAN (MEASURES_TIME) |
                  ASSAY_CAN (RUNS_HERE),
  .machine = "vulkan",
  .builds_checked = TRUE,
  .build = assay_delegate_program_build,
  .sniff = assay_delegate_program_sniff,
  .load = assay_delegate_program_load,
};
