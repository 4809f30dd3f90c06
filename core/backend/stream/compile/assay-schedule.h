/* assay-schedule.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/stream/compile/assay-lir.h"

G_BEGIN_DECLS

GArray *assay_lir_schedule (const AssayLir *self) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
