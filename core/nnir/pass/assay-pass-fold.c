/* assay-pass-fold.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/pass/assay-pass-fold.h"

#include <string.h>

#include "nnir/assay-graph-builder.h"
#include "nnir/pass/assay-fold-branch.h"
#include "nnir/assay-axes.h"
#include "nnir/assay-node-slice.h"
#include "nnir/assay-dims.h"

/* Small constants have been folded by inference, which leaves them on the results. Here come the
 * larger ones: what moves elements, casts and floating point arithmetic. They are computed when
 * somebody asks for their elements, so folding costs no time, and the bounds below keep a file from
 * claiming much more memory than it brings. */
#define MAX_BYTES ((gsize) 64 * 1024 * 1024)
#define MAX_GROWTH 4
#define FREE_BYTES ((gsize) 64 * 1024)

static gboolean
plan_transpose (AssayRewriter *self, AssayNodeId id, AssayFoldPart *part, const AssayType *type)
{
  guint rank = assay_tensor_get_rank (part->tensor);
  gssize strides[ASSAY_MAX_RANK];
  guint n;
  const gint64 *perm = assay_node_get_ints (assay_graph_node (self->graph, id), "perm", &n);

  if ((guint) type->rank != rank || (perm != NULL && n != rank))
    return FALSE;

  assay_dims_strides (rank, assay_tensor_get_dims (part->tensor), strides);
  for (guint i = 0; i < rank; i++)
    {
      gint64 axis = perm != NULL ? perm[i] : (gint64) (rank - 1 - i);

      if (axis < 0 || axis >= rank ||
          assay_tensor_get_dims (part->tensor)[axis] != type->dims[i].size)
        return FALSE;
      part->strides[i] = strides[axis];
    }

  return TRUE;
}

/* The extents are those of inference. */
static gboolean
plan_slice (AssayRewriter *self, AssayNodeId id, AssayFoldPart *part, const AssayType *type)
{
  guint rank = assay_tensor_get_rank (part->tensor);
  const gint64 *dims = assay_tensor_get_dims (part->tensor);
  AssayNodeSlice slice;

  if (type->rank != (int) rank ||
      !assay_node_get_slice (self->graph, assay_graph_node (self->graph, id), rank, dims, &slice))
    return FALSE;

  assay_dims_strides (rank, dims, part->strides);
  for (guint i = 0; i < rank; i++)
    {
      if (type->dims[i].size > slice.length[i])
        return FALSE;
      part->offset += slice.start[i] * part->strides[i];
      part->strides[i] *= slice.length[i] > 1 ? slice.step[i] : 1;
    }

  return TRUE;
}

static gboolean
plan_concat (AssayRewriter *self, AssayNodeId id, AssayFoldPlan *plan, const AssayType *type)
{
  gint64 sum = 0;
  int axis;

  if (!assay_node_get_axis (assay_graph_node (self->graph, id), type->rank, &axis))
    return FALSE;
  plan->axis = (guint) axis;

  for (guint i = 0; i < plan->n_parts; i++)
    {
      AssayTensor *tensor = plan->parts[i].tensor;

      if (assay_tensor_get_rank (tensor) != (guint) type->rank)
        return FALSE;
      for (int d = 0; d < type->rank; d++)
        {
          if (d != axis && assay_tensor_get_dims (tensor)[d] != type->dims[d].size)
            return FALSE;
        }
      sum += assay_tensor_get_dims (tensor)[axis];
    }

  return sum == type->dims[axis].size;
}

typedef enum
{
  MOVE_NONE,
  MOVE_SAME,
  MOVE_TRANSPOSE,
  MOVE_BROADCAST,
  MOVE_SLICE,
  MOVE_CONCAT,
} Move;

static const struct
{
  AssayOp op;
  Move move;
} moves[] = {
  { ASSAY_OP_Identity, MOVE_SAME },    { ASSAY_OP_Reshape, MOVE_SAME },
  { ASSAY_OP_Flatten, MOVE_SAME },     { ASSAY_OP_Squeeze, MOVE_SAME },
  { ASSAY_OP_Unsqueeze, MOVE_SAME },   { ASSAY_OP_Transpose, MOVE_TRANSPOSE },
  { ASSAY_OP_Expand, MOVE_BROADCAST }, { ASSAY_OP_Slice, MOVE_SLICE },
  { ASSAY_OP_Concat, MOVE_CONCAT },
};

static Move
move_of (AssayOp op)
{
  for (guint i = 0; i < G_N_ELEMENTS (moves); i++)
    {
      if (moves[i].op == op)
        return moves[i].move;
    }

  return MOVE_NONE;
}

static gboolean
fill_plan (AssayRewriter *self, AssayNodeId id, AssayFoldPlan *plan, Move move,
           const AssayType *type)
{
  AssayFoldPart *part = &plan->parts[0];
  gint64 dims[ASSAY_MAX_RANK];

  for (int i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;

  switch (move)
    {
    case MOVE_SAME:
      assay_dims_strides ((guint) type->rank, dims, part->strides);
      return TRUE;
    case MOVE_TRANSPOSE:
      return plan_transpose (self, id, part, type);
    case MOVE_SLICE:
      return plan_slice (self, id, part, type);
    case MOVE_CONCAT:
      return plan_concat (self, id, plan, type);
    default:
      for (guint i = 0; i < plan->n_parts; i++)
        {
          AssayTensor *tensor = plan->parts[i].tensor;

          if (assay_tensor_get_rank (tensor) > (guint) type->rank ||
              !assay_dims_spread (assay_tensor_get_rank (tensor), assay_tensor_get_dims (tensor),
                                  (guint) type->rank, dims, plan->parts[i].strides))
            return FALSE;
        }
      return TRUE;
    }
}

/* Whatever attributes and declared types say: no element of the result is one that a part does not
 * have. */
static gboolean
stays_inside (const AssayFoldPlan *plan, const AssayType *type)
{
  for (guint p = 0; p < plan->n_parts; p++)
    {
      const AssayFoldPart *part = &plan->parts[p];
      gint64 least = part->offset;
      gint64 most = part->offset;

      for (int i = 0; i < type->rank; i++)
        {
          gint64 reach = (type->dims[i].size - 1) * part->strides[i];

          least += MIN (reach, 0);
          most += MAX (reach, 0);
        }
      if (least < 0 || (gsize) most >= assay_tensor_get_n_elements (part->tensor))
        return FALSE;
    }

  return TRUE;
}

/* The constant that a node makes, or NULL if it is not one that can be folded. */
static AssayTensor *
fold_node (AssayRewriter *self, AssayNodeId id, const AssayType *type)
{
  const AssayNode *node = assay_graph_node (self->graph, id);
  Move move = move_of (node->op);
  guint n_parts = move == MOVE_NONE || move == MOVE_CONCAT ? node->n_inputs : 1;
  g_autoptr (AssayFoldPlan) plan = NULL;
  gint64 dims[ASSAY_MAX_RANK];
  gsize n_input_bytes = 0;
  gsize n_bytes;
  gsize n;

  if (node->n_outputs != 1 || node->n_inputs == 0 || !assay_type_count (type, &n) || n == 0 ||
      assay_dtype_bits (type->dtype) < 8 || !assay_dtype_byte_size (type->dtype, n, &n_bytes) ||
      n_bytes > MAX_BYTES)
    return NULL;

  /* Only what has constants alone; the cheap question first, most nodes fail it. */
  for (guint i = 0; i < node->n_inputs; i++)
    {
      AssayValueId input = assay_rewriter_input (self, id, i);
      AssayTensor *tensor = assay_graph_constant (self->graph, input);

      if ((tensor == NULL && (input != ASSAY_NO_VALUE || i < n_parts)) ||
          (tensor != NULL && assay_tensor_is_absent (tensor)))
        return NULL;
      if (i >= n_parts)
        continue;
      if (move == MOVE_NONE ? !assay_fold_can_map (node->op, n_parts,
                                                   assay_tensor_get_dtype (tensor), type->dtype)
                            : assay_tensor_get_dtype (tensor) != type->dtype)
        return NULL;
      n_input_bytes += assay_tensor_get_n_bytes (tensor);
    }

  if (n_bytes > FREE_BYTES && n_bytes / MAX_GROWTH > n_input_bytes)
    return NULL;

  plan = assay_fold_plan_new (
      move == MOVE_NONE || move == MOVE_CONCAT ? node->op : ASSAY_OP_Identity, n_parts);
  for (guint i = 0; i < n_parts; i++)
    plan->parts[i].tensor = assay_tensor_ref (
        assay_graph_constant (self->graph, assay_rewriter_input (self, id, i)));

  if (!fill_plan (self, id, plan, move, type) ||
      (move == MOVE_SAME && assay_tensor_get_n_elements (plan->parts[0].tensor) != n) ||
      (move != MOVE_CONCAT && !stays_inside (plan, type)))
    return NULL;

  for (int i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;

  return assay_tensor_new_lazy (type->dtype, (guint) type->rank, dims, assay_fold_plan_run,
                                g_steal_pointer (&plan), (GDestroyNotify) assay_fold_plan_free,
                                NULL);
}

static void
visit (AssayRewriter *self, AssayNodeId id, gpointer user_data)
{
  const AssayNode *node = assay_graph_node (self->graph, id);
  gboolean known = node->n_outputs > 0;

  if ((assay_op_get_info (node->op)->traits & ASSAY_OP_TRAIT_RANDOM) != 0)
    return;

  for (guint i = 0; i < node->n_outputs; i++)
    known = known && (node->outputs[i] == ASSAY_NO_VALUE ||
                      assay_graph_value (self->graph, node->outputs[i])->constant != NULL);

  if (!known && assay_node_output (node, 0) != ASSAY_NO_VALUE)
    {
      AssayTensor *tensor = fold_node (self, id,
                                       assay_graph_value (self->graph, node->outputs[0])->type);

      known = tensor != NULL;
      if (known)
        assay_graph_edit_value (self->graph, node->outputs[0])->constant = assay_graph_keep_tensor (
            self->graph, tensor);
    }
  known = known || assay_fold_branch (self, id);

  if (!known)
    return;

  for (guint i = 0; i < node->n_outputs; i++)
    {
      if (node->outputs[i] != ASSAY_NO_VALUE)
        assay_rewriter_make_constant (self, node->outputs[i],
                                      assay_graph_value (self->graph, node->outputs[i])->constant);
    }
  assay_rewriter_drop (self, id, "fold-constants");
}

/**
 * assay_pass_fold_constants:
 * @rewriter: the graph and its state
 * @progress: (nullable): asked whether to go on
 * @error: return location for a #GError
 *
 * Removes nodes whose results are known: those that inference has computed, and those on larger
 * constants, whatever they compute: assay_fold_branch() has the bounds.
 *
 * Returns: %FALSE if cancelled
 */
gboolean
assay_pass_fold_constants (AssayRewriter *rewriter, const AssayProgress *progress, GError **error)
{
  if (!rewriter->options->fold_constants)
    return TRUE;

  return assay_rewriter_each_node (rewriter, visit, NULL, progress, error);
}
