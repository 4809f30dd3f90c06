/* assay-dot-child.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gio/gio.h>

#include "layout/assay-dot-block.h"

G_BEGIN_DECLS

/**
 * AssayDotChild:
 *
 * The helper that lays out blocks with dot. It is started when it is needed and killed when it does
 * not answer in time or says something that makes no sense; the next blocks get a new one.
 */
typedef struct _AssayDotChild AssayDotChild;

AssayDotChild *assay_dot_child_new (const char *path, guint memory_mib,
                                    guint seconds) G_GNUC_WARN_UNUSED_RESULT;
void assay_dot_child_free (AssayDotChild *self);
void assay_dot_child_stop (AssayDotChild *self);
gboolean assay_dot_child_can_start (AssayDotChild *self);
guint assay_dot_child_layout (AssayDotChild *self, GBytes **blocks, guint n_blocks, GArray **places,
                              GCancellable *cancellable, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayDotChild, assay_dot_child_free)

G_END_DECLS
