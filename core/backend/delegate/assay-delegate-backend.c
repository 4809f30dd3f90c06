/* assay-delegate-backend.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Delegates with a host runtime beside them: verdicts, fusion groups and partitions.
 */
#include "backend/assay-backend.h"
#include "backend/delegate/assay-delegate-predicate.h"

const AssayBackendClass assay_backend_delegate = {
  .check = {
    .family = "delegate",
    .untaken = ASSAY_VERDICT_REJECTED,
    .divides = TRUE,
    .predicates = assay_delegate_predicates,
  },
  .title = "Delegate",
};
