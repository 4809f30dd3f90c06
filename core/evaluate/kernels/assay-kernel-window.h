/* assay-kernel-window.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "evaluate/assay-kernel.h"

G_BEGIN_DECLS

/**
 * AssayKernelWindow:
 * @n: number of spatial axes
 * @in: (array length=n): extents of the input
 * @out: (array length=n): extents of the output
 * @kernel: (array length=n): extents of the window
 * @stride: (array length=n): steps of the window
 * @dilation: (array length=n): steps within the window
 * @before: (array length=n): padding in front, which may be negative
 * @after: (array length=n): padding behind
 *
 * A window that slides over the spatial axes of a tensor.
 */
typedef struct
{
  guint n;
  gint64 in[ASSAY_MAX_RANK];
  gint64 out[ASSAY_MAX_RANK];
  gint64 kernel[ASSAY_MAX_RANK];
  gint64 stride[ASSAY_MAX_RANK];
  gint64 dilation[ASSAY_MAX_RANK];
  gint64 before[ASSAY_MAX_RANK];
  gint64 after[ASSAY_MAX_RANK];
} AssayKernelWindow;

gboolean assay_kernel_window_attributes (AssayKernel *self, guint n, const gint64 *kernel,
                                         AssayKernelWindow *window, GError **error);
gboolean assay_kernel_window_slide (AssayKernel *self, const gint64 *in, AssayKernelWindow *window,
                                    GError **error);
gsize assay_kernel_window_size (const AssayKernelWindow *window, const gint64 *extents);

G_END_DECLS
