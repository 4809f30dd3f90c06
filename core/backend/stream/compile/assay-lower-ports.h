/* assay-lower-ports.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/stream/compile/assay-lower-private.h"

G_BEGIN_DECLS

gboolean assay_lower_is_unread (const AssayGraph *graph, const AssayUses *uses, AssayValueId id);
gboolean assay_lower_check_ports (const AssayGraph *graph, const AssayUses *uses, GError **error);
void assay_lower_add_input (AssayLower *self, AssayValueId id);
gboolean assay_lower_add_output (AssayLower *self, AssayValueId id, GError **error);

G_END_DECLS
