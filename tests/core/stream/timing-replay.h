/* timing-replay.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/stream/machine/assay-timing.h"

G_BEGIN_DECLS

guint timing_replay (const AssayStreamCode *code, guint model);

G_END_DECLS
