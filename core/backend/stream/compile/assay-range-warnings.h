/* assay-range-warnings.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-range-warning.h"
#include "backend/stream/machine/assay-stream-code.h"

G_BEGIN_DECLS

GArray *assay_stream_code_find_ranges (const AssayStreamCode *code,
                                       double largest_input) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
