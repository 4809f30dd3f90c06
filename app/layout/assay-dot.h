/* assay-dot.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "layout/assay-dot-block.h"

G_BEGIN_DECLS

/**
 * AssayDot:
 *
 * Graphviz with its dot engine.
 */
typedef struct _AssayDot AssayDot;

AssayDot *assay_dot_new (void) G_GNUC_WARN_UNUSED_RESULT;
void assay_dot_free (AssayDot *self);
gboolean assay_dot_layout (AssayDot *self, const AssayDotBlock *block, gint32 *x);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayDot, assay_dot_free)

G_END_DECLS
