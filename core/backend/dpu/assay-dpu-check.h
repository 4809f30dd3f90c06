/* assay-dpu-check.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-node-window.h"
#include "target/assay-check-private.h"

G_BEGIN_DECLS

extern const AssayPredicate assay_dpu_predicates[];

void assay_dpu_check_place (AssayCheck *self);
void assay_dpu_check_positions (AssayCheck *self, AssayNodeId id);
gboolean assay_dpu_window (AssayCheck *self, const AssayNode *node, AssayNodeWindow *window);
gint64 assay_dpu_channels (AssayCheck *self, const AssayNode *node, gboolean out);

G_END_DECLS
