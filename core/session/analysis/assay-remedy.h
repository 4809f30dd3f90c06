/* assay-remedy.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "target/assay-verdict.h"

G_BEGIN_DECLS

/**
 * AssayRemedyPlace:
 * @ASSAY_REMEDY_MODEL: in the model
 * @ASSAY_REMEDY_SETUP: in Setup
 * @ASSAY_REMEDY_TARGET: in the choice of the target
 *
 * Where something can be done about a verdict.
 */
typedef enum
{
  ASSAY_REMEDY_MODEL,
  ASSAY_REMEDY_SETUP,
  ASSAY_REMEDY_TARGET,
} AssayRemedyPlace;

char *assay_remedy_describe (AssayVerdicts *verdicts, const AssayVerdict *verdict,
                             AssayRemedyPlace *place) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
