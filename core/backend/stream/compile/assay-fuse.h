/* assay-fuse.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/stream/compile/assay-lir.h"

G_BEGIN_DECLS

void assay_lir_fuse_drains (AssayLir *self);

G_END_DECLS
