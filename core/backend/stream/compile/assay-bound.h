/* assay-bound.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-allocation.h"
#include "backend/stream/compile/assay-lir.h"

G_BEGIN_DECLS

gboolean assay_bound_exceeds (const AssayLir *lir);
void assay_bound_add_needs (const AssayLir *lir, AssayAllocation *allocation);

G_END_DECLS
