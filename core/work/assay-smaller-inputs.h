/* assay-smaller-inputs.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "work/assay-work.h"

G_BEGIN_DECLS

void assay_work_find_smaller_inputs (AssayWork *self, AssayConfig *config, AssaySettings *settings,
                                     AssayAllocation *allocation, AssayWayFunc found, gpointer data,
                                     const AssayProgress *progress);

G_END_DECLS
