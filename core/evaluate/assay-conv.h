/* assay-conv.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "evaluate/kernels/assay-kernel-window.h"

G_BEGIN_DECLS

/**
 * AssayConv:
 * @window: the window over the spatial axes
 * @storage: f32 or f64, of all data
 * @batch: number of samples
 * @groups: number of groups
 * @in_channels: channels of the input in one group
 * @out_channels: channels of the output in one group
 * @x: input: samples, groups, channels, spatial axes
 * @w: weights: groups, channels of the output, channels of the input, window
 * @bias: (nullable): one element per channel of the output
 * @y: output: samples, groups, channels, spatial axes
 *
 * A convolution.
 */
typedef struct
{
  AssayNodeWindow window;
  AssayDType storage;
  gsize batch;
  gsize groups;
  gsize in_channels;
  gsize out_channels;
  gconstpointer x;
  gconstpointer w;
  gconstpointer bias;
  gpointer y;
} AssayConv;

gboolean assay_conv_shapes (AssayKernel *kernel, const AssayDatum *x, const AssayDatum *w,
                            AssayConv *self, gint64 *dims, GError **error);
void assay_conv_run (const AssayConv *self, AssayKernel *kernel);

G_END_DECLS
