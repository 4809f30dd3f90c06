/* assay-upgrade.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "onnx/assay-upgrade.h"

#include <string.h>

#include "nnir/assay-infer.h"
#include "onnx/assay-upgrade-private.h"

/* Which nodes are not in the newest form, as the operator changelog of ONNX tells: nodes of a model that imports an
 * opset up to @last. Rows of one operator apply in this order. */
static const struct
{
  AssayOp op;
  gint64 last;
  UpgradeFunc func;
} rows[] = {
  { ASSAY_OP_Add, 6, upgrade_broadcast },
  { ASSAY_OP_And, 6, upgrade_broadcast },
  { ASSAY_OP_BatchNormalization, 13, upgrade_batch_norm },
  { ASSAY_OP_Cast, 5, upgrade_cast },
  { ASSAY_OP_Clip, 10, upgrade_clip },
  { ASSAY_OP_Concat, 3, upgrade_concat },
  { ASSAY_OP_DFT, 19, upgrade_dft },
  { ASSAY_OP_Div, 6, upgrade_broadcast },
  { ASSAY_OP_Dropout, 11, upgrade_dropout },
  { ASSAY_OP_Equal, 6, upgrade_broadcast },
  { ASSAY_OP_Gemm, 6, upgrade_gemm },
  { ASSAY_OP_GlobalLpPool, 1, upgrade_integer_p },
  { ASSAY_OP_Greater, 6, upgrade_broadcast },
  { ASSAY_OP_GridSample, 19, upgrade_grid_sample },
  { ASSAY_OP_GroupNormalization, 20, upgrade_group_norm },
  { ASSAY_OP_Hardmax, 12, upgrade_softmax },
  { ASSAY_OP_LabelEncoder, 1, upgrade_label_encoder },
  { ASSAY_OP_Less, 6, upgrade_broadcast },
  { ASSAY_OP_LogSoftmax, 12, upgrade_softmax },
  { ASSAY_OP_LpPool, 1, upgrade_integer_p },
  { ASSAY_OP_MeanVarianceNormalization, 8, upgrade_mvn },
  { ASSAY_OP_Mul, 6, upgrade_broadcast },
  { ASSAY_OP_Or, 6, upgrade_broadcast },
  { ASSAY_OP_PRelu, 6, upgrade_p_relu },
  { ASSAY_OP_Pad, 10, upgrade_pad },
  { ASSAY_OP_Pow, 6, upgrade_broadcast },
  { ASSAY_OP_ReduceL1, 17, upgrade_axes },
  { ASSAY_OP_ReduceL2, 17, upgrade_axes },
  { ASSAY_OP_ReduceLogSum, 17, upgrade_axes },
  { ASSAY_OP_ReduceLogSumExp, 17, upgrade_axes },
  { ASSAY_OP_ReduceMax, 17, upgrade_axes },
  { ASSAY_OP_ReduceMean, 17, upgrade_axes },
  { ASSAY_OP_ReduceMin, 17, upgrade_axes },
  { ASSAY_OP_ReduceProd, 17, upgrade_axes },
  { ASSAY_OP_ReduceSum, 12, upgrade_axes },
  { ASSAY_OP_ReduceSumSquare, 17, upgrade_axes },
  { ASSAY_OP_Reshape, 4, upgrade_reshape },
  { ASSAY_OP_Resize, 10, upgrade_resize },
  { ASSAY_OP_RoiAlign, 15, upgrade_roi_align },
  { ASSAY_OP_Scan, 8, upgrade_scan },
  { ASSAY_OP_Scatter, G_MAXINT64, upgrade_scatter },
  { ASSAY_OP_Selu, 5, upgrade_selu },
  { ASSAY_OP_Slice, 9, upgrade_slice },
  { ASSAY_OP_Softmax, 12, upgrade_softmax },
  { ASSAY_OP_Split, 17, upgrade_split },
  { ASSAY_OP_Squeeze, 12, upgrade_axes },
  { ASSAY_OP_Sub, 6, upgrade_broadcast },
  { ASSAY_OP_Tile, 5, upgrade_tile },
  { ASSAY_OP_TopK, 9, upgrade_top_k },
  { ASSAY_OP_Unsqueeze, 12, upgrade_axes },
  { ASSAY_OP_Upsample, G_MAXINT64, upgrade_upsample },
  { ASSAY_OP_Xor, 6, upgrade_broadcast },
};

static gboolean
asks_for_type (UpgradeFunc func)
{
  return func == upgrade_broadcast || func == upgrade_clip || func == upgrade_label_encoder || func == upgrade_p_relu ||
         func == upgrade_pad || func == upgrade_softmax || func == upgrade_tile;
}

static const AssayOpset *
find_opset (AssayGraph *graph,
            const char *domain)
{
  for (guint i = 0; i < graph->opsets->len; i++)
    {
      const AssayOpset *opset = &g_array_index (graph->opsets, AssayOpset, i);

      if (strcmp (opset->domain, domain) == 0)
        return opset;
    }

  return NULL;
}

/* Fills a table from operation to row; 0 for none. */
static gboolean
select_rows (AssayGraph *graph,
             guint8     *row_of)
{
  gboolean any = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const AssayOpset *opset = find_opset (graph, assay_op_get_info (rows[i].op)->domain);

      if (opset != NULL && opset->version <= rows[i].last)
        {
          row_of[rows[i].op] = (guint8) (i + 1);
          any = TRUE;
        }
    }

  return any;
}

static void
upgrade_one (UpgradeContext *self,
             AssayNodeId     id,
             const guint8   *row_of)
{
  AssayOp op = assay_graph_node (self->graph, id)->op;

  self->id = id;
  self->placed = FALSE;

  if (row_of[op] != 0)
    rows[row_of[op] - 1].func (self);
  upgrade_place (self);
}

/* Nodes are taken out of their region and put back one by one, what a rule adds before or behind each. */
static void
upgrade_region (UpgradeContext *self,
                AssayRegionId   region,
                const guint8   *row_of)
{
  g_autoptr (GArray) nodes = assay_graph_region (self->graph, region)->nodes;
  gboolean touched = FALSE;

  for (guint i = 0; i < nodes->len && !touched; i++)
    touched = row_of[assay_graph_node (self->graph, g_array_index (nodes, AssayNodeId, i))->op] != 0;
  if (!touched)
    {
      g_steal_pointer (&nodes);
      return;
    }

  assay_graph_region (self->graph, region)->nodes = g_array_sized_new (FALSE, FALSE, sizeof (AssayNodeId),
                                                                       nodes->len + 16);
  for (guint i = 0; i < nodes->len; i++)
    upgrade_one (self, g_array_index (nodes, AssayNodeId, i), row_of);
}

/* Attributes of opset 1 that no newer form knows and that say nothing about the result. */
static void
drop_consumed (AssayGraph *graph)
{
  const AssayOpset *opset = find_opset (graph, "");

  if (opset == NULL || opset->version > 5)
    return;

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      const AssayNode *node = assay_graph_node (graph, id);

      if (node->op != ASSAY_OP_OPAQUE && node->n_attrs > 0 && node->domain[0] == '\0')
        assay_graph_remove_attr (graph, id, "consumed_inputs");
    }
}

/**
 * assay_onnx_upgrade:
 * @graph: a graph as imported, before inference
 * @findings: (nullable): gets nodes that cannot be upgraded
 * @error: return location for a #GError
 *
 * Brings nodes of older opsets to the newest form of their operators, so that everything behind it knows one form.
 * Changed nodes keep their names and origins, and what is added for a node has its origins too. The rules follow the
 * operator changelog of the ONNX specification.
 *
 * Returns: %FALSE only if it was cancelled
 */
gboolean
assay_onnx_upgrade (AssayGraph     *graph,
                    AssayFindings  *findings,
                    GError        **error)
{
  guint8 row_of[ASSAY_N_OPS] = { 0 };
  UpgradeContext context = { .graph = graph, .findings = findings };
  const AssayOpset *opset = find_opset (graph, "");
  guint32 n_regions = graph->regions->len;
  g_autoptr (AssayGraph) probe = NULL;

  G_STATIC_ASSERT (G_N_ELEMENTS (rows) < G_MAXUINT8);

  drop_consumed (graph);
  if (!select_rows (graph, row_of))
    return TRUE;

  context.version = opset == NULL ? 0 : opset->version;

  for (AssayRegionId region = 0; region < n_regions; region++)
    upgrade_region (&context, region, row_of);

  if (!context.later)
    return TRUE;

  /* Some rules ask for types, which are known once everything else is in the newest form. */
  probe = assay_graph_copy (graph);
  if (!assay_graph_infer (probe, NULL, NULL, error))
    return FALSE;

  context.probe = probe;
  context.n_probed = assay_graph_n_values (probe);
  n_regions = graph->regions->len;
  for (guint i = 0; i < ASSAY_N_OPS; i++)
    {
      if (row_of[i] != 0 && !asks_for_type (rows[row_of[i] - 1].func))
        row_of[i] = 0;
    }

  for (AssayRegionId region = 0; region < n_regions; region++)
    upgrade_region (&context, region, row_of);

  return TRUE;
}
