/* assay-kernel-window.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "evaluate/assay-kernel.h"
#include "nnir/assay-node-window.h"

G_BEGIN_DECLS

gboolean assay_kernel_window_attributes (AssayKernel *self, guint n, const gint64 *kernel,
                                         AssayNodeWindow *window, GError **error);
gboolean assay_kernel_window_slide (AssayKernel *self, const gint64 *in, AssayNodeWindow *window,
                                    GError **error);
gsize assay_kernel_window_size (const AssayNodeWindow *window, const gint64 *extents);

G_END_DECLS
