/* assay-node-window.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/* Most spatial dimensions that a window is worked out for. */
#define ASSAY_MAX_SPATIAL 6

/**
 * AssayNodeWindow:
 * @n: number of spatial dimensions
 * @kernel: extents of the window, -1 where unknown
 * @strides: steps
 * @dilations: distances
 * @before: padding before, -1 where unknown
 * @after: padding after, -1 where unknown
 *
 * How a convolution or pooling walks over its input, with defaults and automatic padding resolved.
 */
typedef struct
{
  guint n;
  gint64 kernel[ASSAY_MAX_SPATIAL];
  gint64 strides[ASSAY_MAX_SPATIAL];
  gint64 dilations[ASSAY_MAX_SPATIAL];
  gint64 before[ASSAY_MAX_SPATIAL];
  gint64 after[ASSAY_MAX_SPATIAL];
} AssayNodeWindow;

gboolean assay_node_get_window (const AssayGraph *graph, const AssayNode *node,
                                AssayNodeWindow *window);

G_END_DECLS
