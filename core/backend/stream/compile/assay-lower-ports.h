/* assay-lower-ports.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/stream/compile/assay-lower-private.h"
#include "target/assay-verdict.h"

G_BEGIN_DECLS

gboolean assay_lower_is_unread (const AssayGraph *graph, const AssayUses *uses, AssayValueId id);
char *assay_lower_judge_port (const AssayGraph *graph, const AssayUses *uses, AssayValueId id,
                              gboolean is_output, gboolean streams,
                              AssayVerdictKind *verdict) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_lower_check_ports (const AssayGraph *graph, const AssayUses *uses, gboolean streams,
                                  GError **error);
void assay_lower_add_input (AssayLower *self, AssayValueId id);
gboolean assay_lower_add_output (AssayLower *self, AssayValueId id, GError **error);

G_END_DECLS
