/* assay-gpu-lower-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/delegate/assay-gpu-lower.h"
#include "nnir/assay-node-window.h"

G_BEGIN_DECLS

/**
 * AssayGpuShape:
 * @form: of the elements
 * @dtype: of the value
 * @rank: number of dimensions
 * @dims: the dimensions
 * @n: number of elements
 *
 * A value as lowerings see it.
 */
typedef struct
{
  AssayGpuForm form;
  AssayDType dtype;
  guint rank;
  gint64 dims[ASSAY_MAX_RANK];
  gint64 n;
} AssayGpuShape;

#define ASSAY_GPU_MAX_SIDES 3

/**
 * AssayGpuWalk:
 * @n_sides: how many tensors are walked through
 * @rank: number of axes
 * @dims: extent of each axis, the first one outermost
 * @strides: per tensor and axis the distance of one element from the next
 *
 * A nest of loops over several tensors.
 */
typedef struct
{
  guint n_sides;
  guint rank;
  gint64 dims[ASSAY_MAX_RANK];
  gint64 strides[ASSAY_GPU_MAX_SIDES][ASSAY_MAX_RANK];
} AssayGpuWalk;

/**
 * AssayGpuMatrices:
 * @form: of all elements
 * @rows: of the left and of the result
 * @columns: of the right and of the result
 * @length: of a sum
 * @steps: per tensor (left, right, bias) from row to row and from column to column
 * @alpha: what the product is multiplied with
 * @beta: what the bias is multiplied with
 * @walk: over the matrices, with a side for left, right and bias
 * @refs: left, right, bias or %ASSAY_NO_VALUE, and the result, in order
 *
 * Products of matrices.
 */
typedef struct
{
  AssayGpuForm form;
  gint64 rows;
  gint64 columns;
  gint64 length;
  gint64 steps[3][2];
  double alpha;
  double beta;
  AssayGpuWalk walk;
  AssayGpuRef refs[4];
} AssayGpuMatrices;

/**
 * AssayGpuLowerFunc:
 * @self: the lowering
 * @node: the node
 * @op: what the table says of its operation
 *
 * Appends the steps of a node. Where it cannot, the reason is in @self.
 *
 * Returns: whether it could
 */
typedef gboolean (*AssayGpuLowerFunc) (AssayGpuLower *self, const AssayNode *node, guint op);

gboolean assay_gpu_lower_refuse (AssayGpuLower *self, const char *reason);
gboolean assay_gpu_lower_shape (AssayGpuLower *self, AssayValueId value, AssayGpuShape *shape);
gboolean assay_gpu_lower_float_shape (AssayGpuLower *self, AssayValueId value,
                                      AssayGpuShape *shape);
gboolean assay_gpu_lower_scalar (AssayGpuLower *self, AssayValueId value, double *number);
gboolean assay_gpu_lower_alias (AssayGpuLower *self, AssayValueId result, AssayValueId source);
AssayGpuRef assay_gpu_lower_pack (AssayGpuLower *self, gconstpointer data, gsize size);
AssayGpuRef assay_gpu_lower_scratch (AssayGpuLower *self, AssayGpuForm form, gint64 n);
void assay_gpu_lower_begin (AssayGpuLower *self, gint64 count);
void assay_gpu_lower_word (AssayGpuLower *self, gint64 word);
void assay_gpu_lower_number (AssayGpuLower *self, double number);
void assay_gpu_lower_bounds (AssayGpuLower *self);
void assay_gpu_lower_result (AssayGpuLower *self, AssayGpuResult result);
void assay_gpu_lower_end (AssayGpuLower *self, AssayGpuShader shader, guint op,
                          const AssayGpuRef *refs);
void assay_gpu_lower_move (AssayGpuLower *self, AssayGpuForm form, const AssayGpuWalk *walk,
                           gint64 from, gint64 to, AssayGpuRef source, AssayGpuRef result);
void assay_gpu_lower_matrices (AssayGpuLower *self, const AssayGpuMatrices *made);
void assay_gpu_lower_fill (AssayGpuLower *self, AssayGpuForm form, gint64 n, double value,
                           AssayGpuRef result);
gboolean assay_gpu_lower_window (AssayGpuLower *self, const AssayNode *node,
                                 AssayNodeWindow *window);
void assay_gpu_lower_window_words (AssayGpuLower *self, const AssayNodeWindow *window,
                                   gint64 out_channels);
gboolean assay_gpu_lower_conv_vec4 (AssayGpuLower *self, const AssayNode *node,
                                    const AssayGpuShape *x, const AssayGpuShape *y,
                                    const AssayNodeWindow *whole);
gboolean assay_gpu_lower_pool_vec4 (AssayGpuLower *self, const AssayNode *node,
                                    const AssayNodeWindow *window, const AssayGpuShape *x,
                                    const AssayGpuShape *y, guint op);
gboolean assay_gpu_lower_integers (AssayGpuLower *self, const AssayNode *node,
                                   const AssayNode *quantize);
void assay_gpu_strides (guint rank, const gint64 *dims, gint64 *strides);
void assay_gpu_walk_broadcast (AssayGpuWalk *self, guint side, const AssayGpuShape *shape);
void assay_gpu_walk_collapse (AssayGpuWalk *self);
void assay_gpu_lower_walk (AssayGpuLower *self, const AssayGpuWalk *walk);

#define ASSAY_GPU_LOWERING(name)                                                                   \
  gboolean assay_gpu_lower_##name (AssayGpuLower *self, const AssayNode *node, guint op)

ASSAY_GPU_LOWERING (unary);
ASSAY_GPU_LOWERING (clip);
ASSAY_GPU_LOWERING (binary);
ASSAY_GPU_LOWERING (mod);
ASSAY_GPU_LOWERING (compare);
ASSAY_GPU_LOWERING (not );
ASSAY_GPU_LOWERING (where);
ASSAY_GPU_LOWERING (cast);
ASSAY_GPU_LOWERING (view);
ASSAY_GPU_LOWERING (transpose);
ASSAY_GPU_LOWERING (expand);
ASSAY_GPU_LOWERING (tile);
ASSAY_GPU_LOWERING (slice);
ASSAY_GPU_LOWERING (concat);
ASSAY_GPU_LOWERING (split);
ASSAY_GPU_LOWERING (pad);
ASSAY_GPU_LOWERING (depth_to_space);
ASSAY_GPU_LOWERING (product);
ASSAY_GPU_LOWERING (conv);
ASSAY_GPU_LOWERING (pool);
ASSAY_GPU_LOWERING (global_pool);
ASSAY_GPU_LOWERING (reduce);
ASSAY_GPU_LOWERING (arg);
ASSAY_GPU_LOWERING (softmax);
ASSAY_GPU_LOWERING (attention);
ASSAY_GPU_LOWERING (rotary);
ASSAY_GPU_LOWERING (layer_norm);
ASSAY_GPU_LOWERING (group_norm);
ASSAY_GPU_LOWERING (batch_norm);
ASSAY_GPU_LOWERING (gather);
ASSAY_GPU_LOWERING (gather_elements);
ASSAY_GPU_LOWERING (resize);
ASSAY_GPU_LOWERING (sample);
ASSAY_GPU_LOWERING (quantize);
ASSAY_GPU_LOWERING (dequantize);

G_END_DECLS
