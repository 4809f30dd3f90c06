/* assay-data-dimension-note.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/assay-axes.h"
#include "nnir/analysis/assay-data-dimension.h"
#include "nnir/assay-node-product.h"

static int
dim_of (const AssayDimensions *self, AssayValueId value)
{
  return value == ASSAY_NO_VALUE ? -1 : self->dims[value];
}

static char *
note_reduction (const AssayDimensions *self, const AssayGraph *graph, const AssayNode *node)
{
  AssayValueId x = assay_node_input (node, 0);
  int dim = dim_of (self, x);
  AssayAxes axes;

  if (dim < 0)
    return NULL;

  axes = assay_node_axes (graph, node, assay_type_rank (assay_graph_value (graph, x)->type));
  if (!axes.known || (axes.mask >> dim & 1) != 0)
    return NULL;

  return g_strdup_printf (
      "Reduces across blocks, off the data dimension (axis %d), which is slower", dim);
}

static char *
note_concat (const AssayDimensions *self, const AssayGraph *graph, const AssayNode *node)
{
  AssayValueId y = assay_node_output (node, 0);
  int dim = dim_of (self, y);
  int axis;

  if (dim < 0 ||
      !assay_node_get_axis (node, assay_type_rank (assay_graph_value (graph, y)->type), &axis) ||
      axis != dim)
    return NULL;

  return g_strdup_printf ("Joins along the data dimension (axis %d), which costs moves", axis);
}

static char *
note_reshape (const AssayDimensions *self, const AssayGraph *graph, const AssayNode *node)
{
  AssayValueId x = assay_node_input (node, 0);
  AssayValueId y = assay_node_output (node, 0);
  gint64 before;
  gint64 after;

  if (dim_of (self, x) < 0 || dim_of (self, y) < 0)
    return NULL;

  before = assay_type_dim (assay_graph_value (graph, x)->type, dim_of (self, x));
  after = assay_type_dim (assay_graph_value (graph, y)->type, dim_of (self, y));
  if (before == after)
    return NULL;

  return g_strdup_printf ("Changes the data dimension from %" G_GINT64_FORMAT
                          " to %" G_GINT64_FORMAT ", which costs moves",
                          before, after);
}

static char *
note_product (const AssayDimensions *self, const AssayGraph *graph, const AssayNode *node)
{
  AssayValueId y = assay_node_output (node, 0);
  int rank = assay_type_rank (assay_graph_value (graph, y)->type);
  AssayNodeProduct product = assay_node_get_product (node);

  for (guint i = 0; i < 2; i++)
    {
      AssayValueId x = assay_node_input (node, i);
      AssayValueId other = assay_node_input (node, 1 - i);
      guint side = product.inputs[0] == i ? 0 : 1;
      int rank_x = x == ASSAY_NO_VALUE ? -1 : assay_type_rank (assay_graph_value (graph, x)->type);
      int contracted = rank_x < 1 ? 0 : assay_node_product_contracted (&product, side, rank_x);

      if (dim_of (self, x) < 0 || dim_of (self, other) >= 0 || rank < 0 ||
          dim_of (self, x) == contracted)
        continue;

      return g_strdup_printf (
          "Contracts axis %d, not the data dimension (axis %d), which takes more tensor RAM",
          contracted, dim_of (self, x));
    }

  return NULL;
}

/**
 * assay_dimensions_note:
 * @self: a choice of data dimensions
 * @graph: the graph it was made for
 * @node: a node
 *
 * Says what the choice costs at a node, where it is not free.
 *
 * Returns: (transfer full) (nullable): one sentence for people
 */
char *
assay_dimensions_note (const AssayDimensions *self, const AssayGraph *graph, AssayNodeId node)
{
  const AssayNode *info = assay_graph_node (graph, node);

  if (self->moves[node])
    return g_strdup_printf ("Rearranges the blocks along the data dimension (axis %d)",
                            dim_of (self, assay_node_input (info, 0)));
  if (info->op == ASSAY_OP_Concat)
    return note_concat (self, graph, info);
  if (info->op == ASSAY_OP_Reshape || info->op == ASSAY_OP_Flatten)
    return note_reshape (self, graph, info);
  if (info->op == ASSAY_OP_Linear || info->op == ASSAY_OP_MatMul || info->op == ASSAY_OP_Gemm)
    return note_product (self, graph, info);
  if (assay_op_get_info (info->op)->category == ASSAY_CATEGORY_REDUCTION)
    return note_reduction (self, graph, info);

  return NULL;
}
