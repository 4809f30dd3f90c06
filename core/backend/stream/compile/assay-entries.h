/* assay-entries.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/stream/machine/assay-stream-code.h"

G_BEGIN_DECLS

/**
 * AssayEntryFunc:
 * @code: a program
 * @enough: a number of entries
 * @counts: (out caller-allocates) (array fixed-size=64): entries per core
 *
 * Counts the entries that a program has on every core.
 *
 * Returns: %FALSE, without counts, if it is clear without counting that no core has more than
 * @enough
 */
typedef gboolean (*AssayEntryFunc) (const AssayStreamCode *code, guint32 enough, guint32 *counts);

gboolean assay_stream_code_count_clamps (const AssayStreamCode *code, guint32 enough,
                                         guint32 *counts);
gboolean assay_stream_code_count_descriptors (const AssayStreamCode *code, guint32 enough,
                                              guint32 *counts);

G_END_DECLS
