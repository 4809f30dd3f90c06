/* assay-repeats.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

GArray *assay_find_repeats (const guint32 *symbols, guint n_symbols,
                            guint max_parts) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
