/* assay-dpu-lower-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/dpu/assay-dpu-code.h"
#include "evaluate/assay-evaluate.h"
#include "nnir/analysis/assay-analysis.h"
#include "nnir/assay-node-window.h"

G_BEGIN_DECLS

/**
 * AssayDpuLowering:
 *
 * A graph on its way to a program. A rule makes all operations of a node or says in @reason why the
 * device cannot do them with the positions that there are.
 */
typedef struct
{
  AssayDpuCode *code;
  AssayGraph *graph;
  const AssayDpuPlacement *placement;
  AssayFindings *findings;
  AssayUses *uses;
  AssayEvaluator *evaluator; /* in double, for what only moves */
  guint8 *done;              /* per node: a part of another one */
  GString *reason;
  char *refused;    /* the first node that the device could not do, and why */
  AssayNodeId node; /* the one that is lowered */
  guint first;      /* its first operation */
} AssayDpuLowering;

/**
 * AssayDpuNumbers:
 * @bits: (array length=n): the numbers
 * @n: how many
 * @rank: of the tensor
 * @dims: of the tensor
 * @position: theirs
 *
 * A constant in 8 bits.
 */
typedef struct
{
  gint8 *bits;
  gsize n;
  guint rank;
  gint64 dims[ASSAY_DPU_MAX_RANK];
  int position;
} AssayDpuNumbers;

/**
 * AssayDpuChain:
 * @bias: (nullable): the constant of a sum behind a product
 * @activation: the activation behind it, or 0
 * @end: the value that all of it makes
 * @quantize: the node that gives @end its position
 * @position: that position
 *
 * What is one operation with a node.
 */
typedef struct
{
  AssayValueId bias;
  AssayNodeId activation;
  AssayValueId end;
  AssayNodeId quantize;
  int position;
} AssayDpuChain;

void assay_dpu_numbers_clear (AssayDpuNumbers *self);
gboolean assay_dpu_lower_refuse (AssayDpuLowering *self, const char *format, ...)
    G_GNUC_PRINTF (2, 3);
gboolean assay_dpu_lower_numbers (AssayDpuLowering *self, AssayValueId value,
                                  AssayDpuNumbers *numbers);
gboolean assay_dpu_lower_chain (AssayDpuLowering *self, const AssayNode *node,
                                AssayDpuChain *chain);
int assay_dpu_lower_input (AssayDpuLowering *self, AssayValueId value);
int assay_dpu_lower_new_map (AssayDpuLowering *self, AssayValueId value, int position, guint rank,
                             const gint64 *dims, gboolean last);
int assay_dpu_lower_result (AssayDpuLowering *self, AssayValueId value, int position);
void assay_dpu_lower_take (AssayDpuLowering *self, AssayNodeId node, const AssayDpuChain *chain,
                           int map);
AssayDpuOp *assay_dpu_lower_op (AssayDpuLowering *self, AssayDpuKind kind, guint n_inputs,
                                const int *inputs, int output);
void assay_dpu_lower_place (AssayDpuLowering *self, AssayValueId value, int map);
int assay_dpu_lower_put (AssayDpuLowering *self, int map, guint rank, const gint64 *dims,
                         const int *axes, gboolean last);
int assay_dpu_lower_cap (const AssayDpuLowering *self, int position);
gboolean assay_dpu_lower_window (AssayDpuLowering *self, const AssayNode *node,
                                 AssayNodeWindow *window);
gboolean assay_dpu_lower_slopes (AssayDpuLowering *self, AssayDpuOp *op, const AssayNode *node);
gboolean assay_dpu_lower_is_static (AssayDpuLowering *self, AssayValueId value);

gboolean assay_dpu_lower_product (AssayDpuLowering *self, const AssayNode *node);
gboolean assay_dpu_lower_conv (AssayDpuLowering *self, const AssayNode *node);
gboolean assay_dpu_lower_pool (AssayDpuLowering *self, const AssayNode *node);
gboolean assay_dpu_lower_elementwise (AssayDpuLowering *self, const AssayNode *node);
gboolean assay_dpu_lower_move (AssayDpuLowering *self, const AssayNode *node);
gboolean assay_dpu_lower_resize (AssayDpuLowering *self, const AssayNode *node);
gboolean assay_dpu_lower_activation (AssayDpuLowering *self, const AssayNode *node);
gboolean assay_dpu_lower_channels (AssayDpuLowering *self, const AssayNode *node);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssayDpuNumbers, assay_dpu_numbers_clear)

G_END_DECLS
