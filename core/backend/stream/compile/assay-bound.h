/* assay-bound.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/stream/compile/assay-lir.h"

G_BEGIN_DECLS

gboolean assay_bound_exceeds (const AssayLir *lir);

G_END_DECLS
