/* timing-replay.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "machine/assay-timing.h"

G_BEGIN_DECLS

guint timing_replay (const AssayCode *code, guint model);

G_END_DECLS
