/* assay-timeline.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/stream/machine/assay-timing.h"

G_BEGIN_DECLS

void assay_timeline_link (const AssayStreamCode *code, GArray *events);
GArray *assay_timeline_critical_path (const AssayStreamCode *code,
                                      const GArray *events) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
