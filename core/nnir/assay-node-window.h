/* assay-node-window.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-graph.h"
#include "nnir/assay-scalar.h"

G_BEGIN_DECLS

/**
 * AssayNodeWindow:
 * @n: number of spatial axes
 * @same: whether the padding follows from the extents (auto_pad SAME_UPPER or SAME_LOWER)
 * @lower: whether an odd rest of it stands in front
 * @ceil: whether a window that reaches over the end counts
 * @transposed: whether the window spreads each element instead of gathering (ConvTranspose)
 * @in: (array length=n): extents of the input, -1 where unknown
 * @out: (array length=n): extents of the output, -1 where unknown
 * @kernel: (array length=n): extents of the window, -1 where unknown
 * @stride: (array length=n): steps of the window
 * @dilation: (array length=n): steps within the window
 * @before: (array length=n): padding in front, which may be negative; -1 where @same holds and an
 * extent is unknown
 * @after: (array length=n): padding behind, the same
 * @extra: (array length=n): what is added to the output (output_padding)
 * @fixed: (array length=n): extents that the output has to have (output_shape), or -1
 *
 * How a convolution or pooling walks over its input, with defaults and automatic padding resolved
 * as ONNX Runtime does: `pads` count only without auto_pad, and not where the output has a shape.
 */
typedef struct
{
  guint n;
  gboolean same;
  gboolean lower;
  gboolean ceil;
  gboolean transposed;
  gboolean pools;
  gint64 in[ASSAY_MAX_RANK];
  gint64 out[ASSAY_MAX_RANK];
  gint64 kernel[ASSAY_MAX_RANK];
  gint64 stride[ASSAY_MAX_RANK];
  gint64 dilation[ASSAY_MAX_RANK];
  gint64 before[ASSAY_MAX_RANK];
  gint64 after[ASSAY_MAX_RANK];
  gint64 extra[ASSAY_MAX_RANK];
  gint64 fixed[ASSAY_MAX_RANK];
} AssayNodeWindow;

/**
 * AssayAttrFault:
 * @attribute: name of the attribute
 * @text: what is wrong with it
 *
 * An attribute that is not as the operation has it, in words for a message.
 */
typedef struct
{
  const char *attribute;
  char text[112];
} AssayAttrFault;

gboolean assay_node_read_ints (const AssayNode *node, const char *name, guint n, gint64 least,
                               gint64 fallback, gint64 *values, AssayAttrFault *fault);
gboolean assay_node_read_window (const AssayNode *node, guint n, AssayNodeWindow *window,
                                 AssayAttrFault *fault);
gboolean assay_node_get_window (const AssayGraph *graph, const AssayNode *node,
                                AssayNodeWindow *window);
AssayScalar assay_node_window_slide (const AssayNodeWindow *self, AssayArena *arena, guint axis,
                                     AssayScalar kernel, AssayScalar in);
void assay_node_window_resolve (AssayNodeWindow *self, guint axis, gint64 in);

G_END_DECLS
