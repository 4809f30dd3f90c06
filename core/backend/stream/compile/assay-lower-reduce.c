/* assay-lower-reduce.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reductions and what is built on them. Sums, means and everything between the steps of a composite
 * stay fp32; the result of the node is rounded once (docs/numerics.md).
 */
#include "backend/stream/compile/assay-lower-private.h"
#include "nnir/assay-axes.h"
#include "nnir/assay-node-window.h"

static const AssayLirOperand nothing = { 0 };

/**
 * assay_lower_exact:
 * @value: a number
 *
 * Gets an operand that is the same in every lane and is not rounded to bf16.
 *
 * Returns: the operand
 */
AssayLirOperand
assay_lower_exact (float value)
{
  AssayLirOperand operand = assay_lir_immediate (value);

  operand.exact = TRUE;

  return operand;
}

/**
 * assay_lower_scratch:
 * @self: the lowering
 * @opcode: the instruction
 * @lanes: number of values
 * @a: first source
 * @b: second source
 *
 * Adds an operation whose result stays in fp32, on every core that needs it.
 *
 * Returns: the result
 */
AssayLirId
assay_lower_scratch (AssayLower *self, AssayOpcode opcode, guint32 lanes, AssayLirOperand a,
                     AssayLirOperand b)
{
  AssayLirId d = assay_lower_new_scratch (self, lanes);

  /* What goes into a sum over all lanes is computed where the sum is. */
  assay_lower_emit (self, opcode, d, ASSAY_ROUND_F32, a, b)->whole = TRUE;

  return d;
}

/**
 * assay_lower_over_lanes:
 * @self: the lowering
 * @opcode: a sum or extreme over lanes
 * @a: a vector
 * @lanes: number of its values
 * @factor: what a sum is multiplied by
 * @offset: what is then added
 *
 * Makes one value of a vector, in every lane of a block.
 *
 * Returns: the result
 */
AssayLirId
assay_lower_over_lanes (AssayLower *self, AssayOpcode opcode, AssayLirOperand a, guint32 lanes,
                        float factor, float offset)
{
  AssayLirId d = assay_lower_new_scratch (self, 1);
  AssayLirOp *op = assay_lir_add_op (self->lir, opcode, self->id, d, lanes, ASSAY_ROUND_F32);

  op->a = a;
  op->low.bound = factor;
  op->high.bound = offset;

  return d;
}

typedef struct
{
  AssayOpcode across;
  AssayOpcode lanes;
  gboolean mean;
  gboolean norm; /* of squares, and the root of their sum */
} Reduction;

static Reduction
reduction_of (AssayOp op)
{
  if (op == ASSAY_OP_ReduceMax || op == ASSAY_OP_GlobalMaxPool)
    return (Reduction){ ASSAY_OPCODE_MAX, ASSAY_OPCODE_LANE_MAX, FALSE, FALSE };
  if (op == ASSAY_OP_ReduceMin)
    return (Reduction){ ASSAY_OPCODE_MIN, ASSAY_OPCODE_LANE_MIN, FALSE, FALSE };

  return (Reduction){ ASSAY_OPCODE_ADD, ASSAY_OPCODE_SUM,
                      op == ASSAY_OP_ReduceMean || op == ASSAY_OP_GlobalAveragePool,
                      op == ASSAY_OP_ReduceL2 };
}

static gboolean
read_axes (AssayLower *self, gboolean *reduced, GError **error)
{
  AssayLowTensor *in = assay_lower_input (self, 0);
  AssayAxes axes = assay_node_axes (self->graph, self->node, (int) in->rank);

  if (!axes.known)
    return assay_lower_refuse (self, error, "the axes must be constant");

  for (guint i = 0; i < in->rank; i++)
    reduced[i] = (axes.mask >> i & 1) != 0;

  return TRUE;
}

gboolean
assay_lower_reduce (AssayLower *self, GError **error)
{
  AssayLowTensor *in = assay_lower_input (self, 0);
  AssayLowTensor *out = assay_lower_output (self, 0);
  gint64 keep = 1;
  gboolean reduced[ASSAY_MAX_RANK] = { FALSE };
  Reduction reduction = reduction_of (self->node->op);
  g_autofree AssayLirOperand *partial = g_new0 (AssayLirOperand, MAX (out->n_vectors, 1));
  gboolean over_data;
  float count = 1;

  assay_node_find_int (self->node, "keepdims", &keep);
  if (!read_axes (self, reduced, error))
    return FALSE;

  over_data = in->data_dim >= 0 && reduced[in->data_dim];
  if (over_data && !keep)
    return assay_lower_refuse (self, error, "over the data dimension keepdims must be 1");

  for (guint i = 0; i < in->rank; i++)
    count *= reduced[i] ? (float) in->dims[i] : 1;

  for (guint32 v = 0; v < in->n_vectors; v++)
    {
      gint64 index[ASSAY_MAX_RANK];
      gint64 target[ASSAY_MAX_RANK];
      guint rank = 0;
      guint32 vector, lane;
      AssayLirOperand value = assay_lir_use (in->vectors[v]);

      assay_lower_index (in, v, index);
      for (guint i = 0; i < in->rank; i++)
        {
          if (!reduced[i])
            target[rank++] = index[i];
          else if (keep)
            target[rank++] = 0;
        }
      assay_lower_locate (out, target, &vector, &lane);
      if (reduction.norm)
        value = assay_lir_use (
            assay_lower_scratch (self, ASSAY_OPCODE_MUL, in->lanes, value, value));

      if (partial[vector].kind == ASSAY_LIR_NONE)
        partial[vector] = value;
      else
        partial[vector] = assay_lir_use (
            assay_lower_scratch (self, reduction.across, in->lanes, partial[vector], value));
    }

  for (guint32 v = 0; v < out->n_vectors; v++)
    {
      if (over_data)
        partial[v] = assay_lir_use (
            assay_lower_over_lanes (self, reduction.lanes, partial[v], in->lanes, 1, 0));

      out->vectors[v] = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, out->lanes);
      if (reduction.mean)
        assay_lower_emit (self, ASSAY_OPCODE_DIV, out->vectors[v], ASSAY_ROUND_BF16, partial[v],
                          assay_lower_exact (count));
      else if (reduction.norm)
        assay_lower_emit (self, ASSAY_OPCODE_FUNCTION, out->vectors[v], ASSAY_ROUND_BF16,
                          partial[v], nothing)
            ->function = ASSAY_FUNCTION_SQRT;
      else
        assay_lower_emit (self, ASSAY_OPCODE_MOVE, out->vectors[v], ASSAY_ROUND_BF16, partial[v],
                          nothing);
    }

  return TRUE;
}

/* MaxPool and AveragePool in one dimension: a window of vectors, summed in fp32 from the first to
 * the last. */
gboolean
assay_lower_pool (AssayLower *self, GError **error)
{
  AssayLowTensor *in = assay_lower_input (self, 0);
  AssayLowTensor *out = assay_lower_output (self, 0);
  gboolean mean = self->node->op == ASSAY_OP_AveragePool;
  AssayNodeWindow window;
  AssayAttrFault fault;

  if (in->rank != 3 || !assay_node_read_window (self->node, 1, &window, &fault))
    return assay_lower_refuse (self, error, "rank %u, only 3 is possible (1-D pooling)", in->rank);
  if (assay_lower_output (self, 1) != NULL)
    return assay_lower_refuse (self, error, "indices are not computed");
  if (window.ceil || window.same)
    return assay_lower_refuse (self, error, "ceil_mode and automatic padding are not possible");
  if (window.before[0] != 0 || window.after[0] != 0)
    return assay_lower_refuse (self, error, "padding is not possible");
  if (window.dilation[0] != 1)
    return assay_lower_refuse (self, error, "dilation is not possible");
  if (in->data_dim == 2)
    return assay_lower_refuse (self, error, "the pooled axis cannot be the data dimension");

  for (guint32 v = 0; v < out->n_vectors; v++)
    {
      gint64 index[ASSAY_MAX_RANK];
      AssayLirOperand value = nothing;
      gint64 start;

      assay_lower_index (out, v, index);
      start = index[2] * window.stride[0];
      for (gint64 k = 0; k < window.kernel[0]; k++)
        {
          AssayLirOperand next;
          guint32 vector, lane;

          index[2] = start + k;
          assay_lower_locate (in, index, &vector, &lane);
          next = assay_lir_use (in->vectors[vector]);
          value = k == 0 ? next
                         : assay_lir_use (assay_lower_scratch (
                               self, mean ? ASSAY_OPCODE_ADD : ASSAY_OPCODE_MAX, in->lanes, value,
                               next));
        }

      out->vectors[v] = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, out->lanes);
      assay_lower_emit (self, mean ? ASSAY_OPCODE_DIV : ASSAY_OPCODE_MOVE, out->vectors[v],
                        ASSAY_ROUND_BF16, value,
                        mean ? assay_lower_exact ((float) window.kernel[0]) : nothing);
    }

  return TRUE;
}

/* exp (x - max) / sum, over the data dimension or across vectors. */
gboolean
assay_lower_softmax (AssayLower *self, GError **error)
{
  AssayLowTensor *in = assay_lower_input (self, 0);
  AssayLowTensor *out = assay_lower_output (self, 0);
  g_autofree AssayLirId *exponentials = NULL;
  g_autofree guint32 *members = NULL;
  gboolean over_data;
  gint64 extent;
  guint axis;

  if (!assay_lower_axis (self, in, &axis, error))
    return FALSE;
  over_data = (int) axis == in->data_dim;
  extent = over_data ? 1 : in->dims[axis];
  exponentials = g_new (AssayLirId, extent);
  members = g_new (guint32, extent);

  for (guint32 v = 0; v < in->n_vectors; v++)
    {
      gint64 index[ASSAY_MAX_RANK];
      AssayLirOperand greatest, sum;
      guint32 lane;

      assay_lower_index (in, v, index);
      if (!over_data && index[axis] != 0)
        continue;

      for (gint64 i = 0; i < extent; i++)
        {
          if (!over_data)
            index[axis] = i;
          assay_lower_locate (in, index, &members[i], &lane);
          if (i == 0)
            greatest = assay_lir_use (in->vectors[members[0]]);
          else
            greatest = assay_lir_use (
                assay_lower_scratch (self, ASSAY_OPCODE_MAX, in->lanes, greatest,
                                     assay_lir_use (in->vectors[members[i]])));
        }
      if (over_data)
        greatest = assay_lir_use_repeat (
            assay_lower_over_lanes (self, ASSAY_OPCODE_LANE_MAX, greatest, in->lanes, 1, 0));

      for (gint64 i = 0; i < extent; i++)
        {
          AssayLirId shifted = assay_lower_scratch (
              self, ASSAY_OPCODE_SUB, in->lanes, assay_lir_use (in->vectors[members[i]]), greatest);

          exponentials[i] = assay_lower_scratch (self, ASSAY_OPCODE_FUNCTION, in->lanes,
                                                 assay_lir_use (shifted), nothing);
          g_array_index (self->lir->ops, AssayLirOp, self->lir->ops->len - 1).function =
              ASSAY_FUNCTION_EXP;
          sum = i == 0 ? assay_lir_use (exponentials[0])
                       : assay_lir_use (assay_lower_scratch (self, ASSAY_OPCODE_ADD, in->lanes, sum,
                                                             assay_lir_use (exponentials[i])));
        }
      if (over_data)
        sum = assay_lir_use_repeat (
            assay_lower_over_lanes (self, ASSAY_OPCODE_SUM, sum, in->lanes, 1, 0));

      for (gint64 i = 0; i < extent; i++)
        {
          out->vectors[members[i]] = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION,
                                                             out->lanes);
          assay_lower_emit (self, ASSAY_OPCODE_DIV, out->vectors[members[i]], ASSAY_ROUND_BF16,
                            assay_lir_use (exponentials[i]), sum);
        }
    }

  return TRUE;
}
