/* assay-sensitivity.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-sensitivity.h"
#include "backend/stream/machine/assay-timing.h"

G_BEGIN_DECLS

GArray *assay_timing_sensitivity (const AssayStreamCode *code,
                                  guint model) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
