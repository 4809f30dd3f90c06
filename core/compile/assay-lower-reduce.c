/* assay-lower-reduce.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reductions and what is built on them. Sums, means and everything between the steps of a composite stay fp32; the
 * result of the node is rounded once (docs/numerics.md).
 */
#include <string.h>

#include "compile/assay-lower-private.h"

static const AssayLirOperand nothing = { 0 };

static AssayLirOperand
exact (float value)
{
  AssayLirOperand operand = assay_lir_immediate (value);

  operand.exact = TRUE;

  return operand;
}

static AssayLirId
scratch (AssayLower      *self,
         AssayOpcode      opcode,
         guint32          lanes,
         AssayLirOperand  a,
         AssayLirOperand  b)
{
  AssayLirId d = assay_lower_new_scratch (self, lanes);

  /* What goes into a sum over all lanes is computed where the sum is. */
  assay_lower_emit (self, opcode, d, ASSAY_ROUND_F32, a, b)->whole = TRUE;

  return d;
}

/* One value in every lane of a block, of a whole vector; a sum is multiplied and added to on its way. */
static AssayLirId
over_lanes (AssayLower      *self,
            AssayOpcode      opcode,
            AssayLirOperand  a,
            guint32          lanes,
            float            factor,
            float            offset)
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
} Reduction;

static Reduction
reduction_of (AssayOp op)
{
  if (op == ASSAY_OP_ReduceMax)
    return (Reduction) { ASSAY_OPCODE_MAX, ASSAY_OPCODE_LANE_MAX, FALSE };
  if (op == ASSAY_OP_ReduceMin)
    return (Reduction) { ASSAY_OPCODE_MIN, ASSAY_OPCODE_LANE_MIN, FALSE };

  return (Reduction) { ASSAY_OPCODE_ADD, ASSAY_OPCODE_SUM, op == ASSAY_OP_ReduceMean };
}

static gboolean
read_axes (AssayLower   *self,
           gboolean     *reduced,
           GError      **error)
{
  AssayLowTensor *in = assay_lower_input (self, 0);
  AssayValueId id = assay_node_input (self->node, 1);
  AssayTensor *axes = assay_graph_constant (self->graph, id);

  if (id != ASSAY_NO_VALUE && axes == NULL)
    return assay_lower_refuse (self, error, "the axes must be constant");

  if (axes == NULL || assay_tensor_get_n_elements (axes) == 0)
    {
      gboolean all = assay_node_get_int (self->node, "noop_with_empty_axes", 0) == 0;

      for (guint i = 0; i < in->rank; i++)
        reduced[i] = all;
      return TRUE;
    }

  for (gsize i = 0; i < assay_tensor_get_n_elements (axes); i++)
    {
      gint64 axis;

      if (!assay_tensor_get_integer (axes, i, &axis, error))
        return FALSE;
      axis = axis < 0 ? axis + in->rank : axis;
      if (axis < 0 || axis >= in->rank)
        return assay_lower_refuse (self, error, "axis %" G_GINT64_FORMAT " of a tensor of rank %u", axis, in->rank);
      reduced[axis] = TRUE;
    }

  return TRUE;
}

gboolean
assay_lower_reduce (AssayLower  *self,
                    GError     **error)
{
  AssayLowTensor *in = assay_lower_input (self, 0);
  AssayLowTensor *out = assay_lower_output (self, 0);
  gboolean keep = assay_node_get_int (self->node, "keepdims", 1) != 0;
  gboolean reduced[ASSAY_MAX_RANK] = { FALSE };
  Reduction reduction = reduction_of (self->node->op);
  g_autofree AssayLirOperand *partial = g_new0 (AssayLirOperand, MAX (out->n_vectors, 1));
  gboolean over_data;
  float count = 1;

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

      if (partial[vector].kind == ASSAY_LIR_NONE)
        partial[vector] = value;
      else
        partial[vector] = assay_lir_use (scratch (self, reduction.across, in->lanes, partial[vector], value));
    }

  for (guint32 v = 0; v < out->n_vectors; v++)
    {
      if (over_data)
        partial[v] = assay_lir_use (over_lanes (self, reduction.lanes, partial[v], in->lanes, 1, 0));

      out->vectors[v] = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, out->lanes);
      if (reduction.mean)
        assay_lower_emit (self, ASSAY_OPCODE_DIV, out->vectors[v], ASSAY_ROUND_BF16, partial[v], exact (count));
      else
        assay_lower_emit (self, ASSAY_OPCODE_MOVE, out->vectors[v], ASSAY_ROUND_BF16, partial[v], nothing);
    }

  return TRUE;
}

/* exp (x - max) / sum, over the data dimension or across vectors. */
gboolean
assay_lower_softmax (AssayLower  *self,
                     GError     **error)
{
  AssayLowTensor *in = assay_lower_input (self, 0);
  AssayLowTensor *out = assay_lower_output (self, 0);
  gint64 given = assay_node_get_int (self->node, "axis", -1);
  int axis = (int) (given < 0 ? given + in->rank : given);
  gboolean over_data = axis == in->data_dim;
  gint64 extent = over_data ? 1 : in->dims[axis];
  g_autofree AssayLirId *exponentials = g_new (AssayLirId, extent);
  g_autofree guint32 *members = g_new (guint32, extent);

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
            greatest = assay_lir_use (scratch (self, ASSAY_OPCODE_MAX, in->lanes, greatest,
                                               assay_lir_use (in->vectors[members[i]])));
        }
      if (over_data)
        greatest = assay_lir_use_repeat (over_lanes (self, ASSAY_OPCODE_LANE_MAX, greatest, in->lanes, 1, 0));

      for (gint64 i = 0; i < extent; i++)
        {
          AssayLirId shifted = scratch (self, ASSAY_OPCODE_SUB, in->lanes, assay_lir_use (in->vectors[members[i]]), greatest);

          exponentials[i] = scratch (self, ASSAY_OPCODE_FUNCTION, in->lanes, assay_lir_use (shifted), nothing);
          g_array_index (self->lir->ops, AssayLirOp, self->lir->ops->len - 1).function = ASSAY_FUNCTION_EXP;
          sum = i == 0 ? assay_lir_use (exponentials[0])
                       : assay_lir_use (scratch (self, ASSAY_OPCODE_ADD, in->lanes, sum, assay_lir_use (exponentials[i])));
        }
      if (over_data)
        sum = assay_lir_use_repeat (over_lanes (self, ASSAY_OPCODE_SUM, sum, in->lanes, 1, 0));

      for (gint64 i = 0; i < extent; i++)
        {
          out->vectors[members[i]] = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, out->lanes);
          assay_lower_emit (self, ASSAY_OPCODE_DIV, out->vectors[members[i]], ASSAY_ROUND_BF16,
                            assay_lir_use (exponentials[i]), sum);
        }
    }

  return TRUE;
}

/* LayerNormalization and RMSNormalization over the data dimension. */
gboolean
assay_lower_normalize (AssayLower  *self,
                       GError     **error)
{
  AssayLowTensor *in = assay_lower_input (self, 0);
  AssayLowTensor *out = assay_lower_output (self, 0);
  gboolean centred = self->node->op == ASSAY_OP_LayerNormalization;
  gint64 axis = assay_node_get_int (self->node, "axis", -1);
  float epsilon = (float) assay_node_get_float (self->node, "epsilon", 1e-5);
  float inverse = 1.0f / (float) in->lanes;

  if ((axis < 0 ? axis + in->rank : axis) != (gint64) in->rank - 1 || in->data_dim != (int) in->rank - 1)
    return assay_lower_refuse (self, error, "only the last axis, as the data dimension, can be normalised");
  if (assay_lower_output (self, 1) != NULL || assay_lower_output (self, 2) != NULL)
    return assay_lower_refuse (self, error, "mean and deviation cannot be outputs");

  for (guint32 v = 0; v < out->n_vectors; v++)
    {
      AssayLirOperand x = assay_lir_use (in->vectors[v]);
      gboolean bias = centred && assay_lower_input (self, 2) != NULL;
      AssayLirOperand scaled;
      AssayLirId value;

      if (centred)
        {
          value = over_lanes (self, ASSAY_OPCODE_SUM, x, in->lanes, inverse, 0);
          x = assay_lir_use (scratch (self, ASSAY_OPCODE_SUB, in->lanes, x, assay_lir_use_repeat (value)));
        }

      value = scratch (self, ASSAY_OPCODE_MUL, in->lanes, x, x);
      value = over_lanes (self, ASSAY_OPCODE_SUM, assay_lir_use (value), in->lanes, inverse, epsilon);
      value = scratch (self, ASSAY_OPCODE_FUNCTION, 1, assay_lir_use (value), nothing);
      g_array_index (self->lir->ops, AssayLirOp, self->lir->ops->len - 1).function = ASSAY_FUNCTION_RSQRT;
      scaled = assay_lir_use (scratch (self, ASSAY_OPCODE_MUL, in->lanes, x, assay_lir_use_repeat (value)));

      out->vectors[v] = 0;
      if (bias)
        scaled = assay_lir_use (scratch (self, ASSAY_OPCODE_MUL, in->lanes, scaled,
                                         assay_lower_operand (self, assay_lower_input (self, 1), out, v)));
      out->vectors[v] = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, out->lanes);
      assay_lower_emit (self, bias ? ASSAY_OPCODE_ADD : ASSAY_OPCODE_MUL, out->vectors[v], ASSAY_ROUND_BF16, scaled,
                        assay_lower_operand (self, assay_lower_input (self, bias ? 2 : 1), out, v));
    }

  return TRUE;
}
