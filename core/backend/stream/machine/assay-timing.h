/* assay-timing.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-cycles.h"
#include "backend/stream/machine/assay-stream-code.h"

G_BEGIN_DECLS

void assay_timing_run (const AssayStreamCode *code, guint model, AssayCycles *cycles,
                       GArray *events);
void assay_timing_run_with_queues (const AssayStreamCode *code, guint model,
                                   const AssayQueues *queues, AssayCycles *cycles, GArray *events);

guint32 assay_timing_unit_latency (const AssayTiming *timing, AssayUnit unit);

G_END_DECLS
