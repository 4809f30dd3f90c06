/* assay-pass-identity.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "nnir/pass/assay-pass.h"

static gboolean
same_shape (const AssayType *a, const AssayType *b)
{
  if (a->kind != ASSAY_TYPE_KIND_TENSOR || b->kind != ASSAY_TYPE_KIND_TENSOR || a->rank < 0 ||
      a->rank != b->rank)
    return FALSE;

  for (int i = 0; i < a->rank; i++)
    {
      /* Two unknown extents are equal only if they have one name. */
      if (a->dims[i].size != b->dims[i].size ||
          (a->dims[i].size < 0 &&
           (a->dims[i].symbol == NULL || g_strcmp0 (a->dims[i].symbol, b->dims[i].symbol) != 0)))
        return FALSE;
    }

  return TRUE;
}

static gboolean
keeps_all (AssayRewriter *self, const AssayNode *node, const AssayType *from, const AssayType *to)
{
  return TRUE;
}

static gboolean
keeps_dtype (AssayRewriter *self, const AssayNode *node, const AssayType *from, const AssayType *to)
{
  return from->kind == ASSAY_TYPE_KIND_TENSOR && from->dtype != ASSAY_DTYPE_UNDEFINED &&
         from->dtype == to->dtype;
}

static gboolean
keeps_shape (AssayRewriter *self, const AssayNode *node, const AssayType *from, const AssayType *to)
{
  return same_shape (from, to);
}

static gboolean
keeps_order (AssayRewriter *self, const AssayNode *node, const AssayType *from, const AssayType *to)
{
  guint n;
  const gint64 *perm = assay_node_get_ints (node, "perm", &n);

  if (perm == NULL)
    return from->kind == ASSAY_TYPE_KIND_TENSOR && (from->rank == 0 || from->rank == 1);

  for (guint i = 0; i < n; i++)
    {
      if (perm[i] != i)
        return FALSE;
    }

  return TRUE;
}

static gboolean
has_one_input (AssayRewriter *self, const AssayNode *node, const AssayType *from,
               const AssayType *to)
{
  return node->n_inputs == 1;
}

/* A training mode that is not known to be false may drop elements; the mask, if read, would have to
 * be made. */
static gboolean
does_not_drop (AssayRewriter *self, const AssayNode *node, const AssayType *from,
               const AssayType *to)
{
  AssayValueId mode = assay_rewriter_resolve (self, assay_node_input (node, 2));
  AssayTensor *tensor = assay_graph_constant (self->graph, mode);
  gint64 training;

  if (assay_rewriter_reads (self, assay_node_output (node, 1)) > 0 &&
      assay_node_output (node, 1) != ASSAY_NO_VALUE)
    return FALSE;
  if (mode == ASSAY_NO_VALUE)
    return TRUE;

  return tensor != NULL && assay_tensor_get_n_elements (tensor) == 1 &&
         assay_tensor_get_integer (tensor, 0, &training, NULL) && training == 0;
}

static gboolean
pads_nothing (AssayRewriter *self, const AssayNode *node, const AssayType *from,
              const AssayType *to)
{
  AssayTensor *pads = assay_graph_constant (
      self->graph, assay_rewriter_resolve (self, assay_node_input (node, 1)));
  gint64 pad;

  if (pads == NULL || assay_tensor_get_dtype (pads) != ASSAY_DTYPE_I64)
    return FALSE;

  for (gsize i = 0; i < assay_tensor_get_n_elements (pads); i++)
    {
      if (!assay_tensor_get_integer (pads, i, &pad, NULL) || pad != 0)
        return FALSE;
    }

  return TRUE;
}

/* The side that a Where takes for every element, if its condition says so. */
static AssayValueId
taken_side (AssayRewriter *self, AssayNodeId id)
{
  AssayTensor *condition = assay_graph_constant (self->graph, assay_rewriter_input (self, id, 0));
  gint64 first, other;

  if (condition == NULL || assay_tensor_get_n_elements (condition) == 0 ||
      !assay_tensor_get_integer (condition, 0, &first, NULL))
    return ASSAY_NO_VALUE;

  for (gsize i = 1; i < assay_tensor_get_n_elements (condition); i++)
    {
      if (!assay_tensor_get_integer (condition, i, &other, NULL) || other != first)
        return ASSAY_NO_VALUE;
    }

  return assay_rewriter_input (self, id, first != 0 ? 1 : 2);
}

static const struct
{
  AssayOp op;
  const char *rule;
  gboolean (*is_identity) (AssayRewriter *self, const AssayNode *node, const AssayType *from,
                           const AssayType *to);
} identities[] = {
  { ASSAY_OP_Identity, "remove-identity", keeps_all },
  { ASSAY_OP_Dropout, "remove-dropout", does_not_drop },
  { ASSAY_OP_Cast, "remove-cast", keeps_dtype },
  { ASSAY_OP_CastLike, "remove-cast", keeps_dtype },
  { ASSAY_OP_Reshape, "remove-reshape", keeps_shape },
  { ASSAY_OP_Flatten, "remove-reshape", keeps_shape },
  { ASSAY_OP_Squeeze, "remove-reshape", keeps_shape },
  { ASSAY_OP_Unsqueeze, "remove-reshape", keeps_shape },
  { ASSAY_OP_Expand, "remove-expand", keeps_shape },
  { ASSAY_OP_Tile, "remove-expand", keeps_shape },
  { ASSAY_OP_Transpose, "remove-transpose", keeps_order },
  { ASSAY_OP_Concat, "remove-concat", has_one_input },
  { ASSAY_OP_Sum, "remove-sum", has_one_input },
  { ASSAY_OP_Max, "remove-sum", has_one_input },
  { ASSAY_OP_Min, "remove-sum", has_one_input },
  { ASSAY_OP_Mean, "remove-sum", has_one_input },
  { ASSAY_OP_Pad, "remove-pad", pads_nothing },
  { ASSAY_OP_Where, "remove-where", keeps_shape },
};

static void
visit (AssayRewriter *self, AssayNodeId id, gpointer user_data)
{
  const AssayNode *node = assay_graph_node (self->graph, id);
  AssayValueId from = node->op == ASSAY_OP_Where ? taken_side (self, id)
                                                 : assay_rewriter_input (self, id, 0);
  AssayValueId to = assay_node_output (node, 0);

  if (from == ASSAY_NO_VALUE || to == ASSAY_NO_VALUE)
    return;

  for (guint i = 0; i < G_N_ELEMENTS (identities); i++)
    {
      if (identities[i].op != node->op)
        continue;

      if (identities[i].is_identity (self, node, assay_graph_value (self->graph, from)->type,
                                     assay_graph_value (self->graph, to)->type) &&
          assay_rewriter_replace (self, to, from))
        assay_rewriter_drop (self, id, identities[i].rule);
      return;
    }
}

/**
 * assay_pass_remove_identity:
 * @rewriter: the graph and its state
 * @progress: (nullable): asked whether to go on
 * @error: return location for a #GError
 *
 * Removes nodes whose output is their input: Identity, Dropout outside training, casts to the same
 * type, reshapes to the same shape, transpositions that keep the order, Where that takes one side
 * for all elements, and the like. Where an
 * output of the graph would lose its name the node stays.
 *
 * Returns: %FALSE if cancelled
 */
gboolean
assay_pass_remove_identity (AssayRewriter *rewriter, const AssayProgress *progress, GError **error)
{
  if (!rewriter->options->remove_identity)
    return TRUE;

  return assay_rewriter_each_node (rewriter, visit, NULL, progress, error);
}
