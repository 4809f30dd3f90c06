/* assay-upgrade.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-upgrade.h"

#include <string.h>

#include "nnir/assay-constraint.h"
#include "nnir/shape/assay-infer.h"
#include "source/onnx/assay-attribute-age.h"
#include "source/onnx/contrib/assay-contrib-private.h"

/* Which nodes are not in the newest form, as the operator changelog of ONNX tells: nodes of a model
 * that imports an opset up to @last. Rows of one operator apply in this order. */
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
  { ASSAY_OP_GRU, 6, upgrade_recurrent },
  { ASSAY_OP_Gemm, 6, upgrade_gemm },
  { ASSAY_OP_GlobalLpPool, 1, upgrade_integer_p },
  { ASSAY_OP_Greater, 6, upgrade_broadcast },
  { ASSAY_OP_GridSample, 19, upgrade_grid_sample },
  { ASSAY_OP_GroupNormalization, 20, upgrade_group_norm },
  { ASSAY_OP_Hardmax, 12, upgrade_softmax },
  { ASSAY_OP_LSTM, 6, upgrade_recurrent },
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
  { ASSAY_OP_RNN, 6, upgrade_recurrent },
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
  { ASSAY_OP_Resize, 12, upgrade_resize_sizes },
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
  return func == upgrade_broadcast || func == upgrade_clip || func == upgrade_label_encoder ||
         func == upgrade_p_relu || func == upgrade_pad || func == upgrade_softmax ||
         func == upgrade_tile;
}

/* How often inference may be asked before what needs a type is refused: operators that ask for one
 * may stand behind each other. */
#define MAX_ROUNDS 100

/* Which row each operation of a node needs, for one list of opsets. */
typedef struct
{
  const GArray *opsets; /* AssayOpset */
  gint64 version;       /* of the default domain, or 0 */
  gboolean any;
  guint8 row_of[ASSAY_N_OPS]; /* index of a row and 1 more, or 0 */
} Selection;

static gint64
find_version (const GArray *opsets, const char *domain)
{
  for (guint i = 0; i < opsets->len; i++)
    {
      const AssayOpset *opset = &g_array_index (opsets, AssayOpset, i);

      if (strcmp (opset->domain, domain) == 0)
        return opset->version;
    }

  return G_MAXINT64;
}

static Selection *
selection_new (const GArray *opsets)
{
  Selection *self = g_new0 (Selection, 1);
  gint64 of_default = find_version (opsets, "");
  gint64 version;

  self->opsets = opsets;
  self->version = of_default == G_MAXINT64 ? 0 : of_default;
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const char *domain = assay_op_get_info (rows[i].op)->domain;

      version = domain[0] == '\0' ? of_default : find_version (opsets, domain);
      if (version != G_MAXINT64 && version <= rows[i].last)
        {
          self->row_of[rows[i].op] = (guint8) (i + 1);
          self->any = TRUE;
        }
    }

  return self;
}

/* What the nodes of a graph were written for. */
typedef struct
{
  Selection *model;
  GHashTable *versions;   /* node -> list of opsets, or NULL */
  GHashTable *selections; /* list of opsets -> Selection */
} Selections;

static const Selection *
find_selection (const Selections *self, AssayNodeId node)
{
  gpointer opsets = self->versions == NULL
                        ? NULL
                        : g_hash_table_lookup (self->versions, GUINT_TO_POINTER (node));

  return opsets == NULL ? self->model : g_hash_table_lookup (self->selections, opsets);
}

static void
upgrade_one (UpgradeContext *self, AssayNodeId id, const Selections *selections)
{
  const Selection *selection = find_selection (selections, id);
  guint8 row = selection->row_of[assay_graph_node (self->graph, id)->op];

  upgrade_begin (self, id);
  self->opsets = selection->opsets;
  self->version = selection->version;

  if (row == 0)
    self->progress |= contrib_try (self);
  else if (!self->contrib_only)
    rows[row - 1].func (self);
  upgrade_place (self);
}

static gboolean
has_rule (const Selections *selections, AssayGraph *graph, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (graph, id);

  return find_selection (selections, id)->row_of[node->op] != 0 || contrib_find (node) != NULL;
}

/* Nodes are taken out of their region and put back one by one, what a rule adds before or behind
 * each. */
static void
upgrade_region (UpgradeContext *self, AssayRegionId region, const Selections *selections)
{
  g_autoptr (GArray) nodes = assay_graph_region (self->graph, region)->nodes;
  gboolean touched = FALSE;

  for (guint i = 0; i < nodes->len && !touched; i++)
    {
      touched = has_rule (selections, self->graph, g_array_index (nodes, AssayNodeId, i));
    }
  if (!touched)
    {
      g_steal_pointer (&nodes);
      return;
    }

  assay_graph_edit_region (self->graph, region)->nodes = g_array_sized_new (
      FALSE, FALSE, sizeof (AssayNodeId), nodes->len + 16);
  for (guint i = 0; i < nodes->len; i++)
    upgrade_one (self, g_array_index (nodes, AssayNodeId, i), selections);
}

/* Attributes of opset 1 that no newer form knows and that say nothing about the result. */
static void
drop_consumed (AssayGraph *graph, const Selections *selections)
{
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      const AssayNode *node = assay_graph_node (graph, id);
      gint64 version = find_selection (selections, id)->version;

      if (version > 0 && version <= 5 && node->op != ASSAY_OP_OPAQUE && node->n_attrs > 0 &&
          node->domain[0] == '\0')
        assay_graph_remove_attr (graph, id, "consumed_inputs");
    }
}

/* Keeps a node from being run that carries an attribute which its opset does not have. */
static void
refuse_newer (UpgradeContext *self, gint64 version)
{
  const AssayNode *node = upgrade_node (self);

  for (guint i = 0; i < node->n_attrs && version > 0; i++)
    {
      const char *name = node->attrs[i].name;
      gint64 since = assay_onnx_attribute_since (node->op, name);
      g_autofree char *text = NULL;

      if (since <= version)
        continue;

      text = g_strdup_printf ("the attribute “%s” came with opset %" G_GINT64_FORMAT
                              ", the model has %" G_GINT64_FORMAT,
                              name, since, version);
      if (self->findings != NULL)
        assay_findings_add (self->findings, ASSAY_SEVERITY_ERROR, "import.newer-attribute",
                            upgrade_path (self), node->name, name, -1, "%s: %s", node->op_type,
                            text);
      assay_graph_set_violation (self->graph, self->id,
                                 assay_arena_intern (self->graph->arena, text));
      return;
    }
}

static void
refuse_all_newer (UpgradeContext *self, const Selections *selections)
{
  for (self->id = 1; self->id < assay_graph_n_nodes (self->graph); self->id++)
    {
      const AssayNode *node = upgrade_node (self);
      const Selection *selection = find_selection (selections, self->id);

      if (*node->domain == '\0' && selection->version > 0)
        assay_graph_edit_node (self->graph, self->id)->opset = (guint16) MIN (selection->version,
                                                                              G_MAXUINT16);
      if (node->op != ASSAY_OP_OPAQUE && node->n_attrs > 0)
        refuse_newer (self, *node->domain == '\0' ? selection->version
                                                  : find_version (selection->opsets, node->domain));
    }
}

/* Leaves the rows that ask for types, which are known only now. */
static void
keep_typed_rows (Selection *self)
{
  for (guint i = 0; i < ASSAY_N_OPS; i++)
    {
      if (self->row_of[i] != 0 && !asks_for_type (rows[self->row_of[i] - 1].func))
        self->row_of[i] = 0;
    }
}

static void
sweep (UpgradeContext *self, const Selections *selections)
{
  guint32 n_regions = self->graph->regions->len;

  self->later = self->progress = FALSE;
  for (AssayRegionId region = 0; region < n_regions; region++)
    upgrade_region (self, region, selections);
}

static gboolean
probe_types (UpgradeContext *self, GError **error)
{
  g_clear_pointer (&self->probe, assay_graph_unref);
  self->probe = assay_graph_copy (self->graph);
  self->n_probed = assay_graph_n_values (self->probe);

  return assay_graph_infer (self->probe, NULL, NULL, error);
}

static gboolean
upgrade_all (UpgradeContext *self, const Selections *selections, GError **error)
{
  GHashTableIter iter;
  gpointer selection;

  sweep (self, selections);
  if (!self->later)
    return TRUE;

  /* Some rules ask for types, which are known once everything else is in the newest form. Those for
   * operators that are not of ONNX come first, since what stands behind them may ask too. */
  g_hash_table_iter_init (&iter, selections->selections);
  while (g_hash_table_iter_next (&iter, NULL, &selection))
    keep_typed_rows (selection);
  self->contrib_only = TRUE;
  for (guint round = 0; self->contrib_only; round++)
    {
      if (!probe_types (self, error))
        return FALSE;
      sweep (self, selections);
      self->contrib_only = self->progress && round < MAX_ROUNDS;
    }

  self->last = TRUE;
  sweep (self, selections);

  return TRUE;
}

/* Whether there is a node that is made of others. */
static gboolean
has_calls (const AssayGraph *graph)
{
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    if (contrib_find (assay_graph_node (graph, id)) != NULL)
      return TRUE;

  return FALSE;
}

/**
 * assay_onnx_upgrade:
 * @graph: a graph as imported, before inference
 * @versions: (nullable) (element-type AssayNodeId GArray): the opsets (#AssayOpset) of nodes that
 * were not written for those of @graph, as in the body of a function
 * @findings: (nullable): gets nodes that cannot be upgraded
 * @error: return location for a #GError
 *
 * Brings nodes of older opsets to the newest form of their operators, so that everything behind it
 * knows one form. Changed nodes keep their names and origins, and what is added for a node has its
 * origins too. The rules follow the operator changelog of the ONNX specification.
 *
 * Returns: %FALSE only if it was cancelled
 */
gboolean
assay_onnx_upgrade (AssayGraph *graph, GHashTable *versions, AssayFindings *findings,
                    GError **error)
{
  g_autoptr (GHashTable) table = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  Selections selections = { .model = selection_new (graph->opsets),
                            .versions = versions,
                            .selections = table };
  UpgradeContext context = { .graph = graph, .findings = findings };
  gboolean any = selections.model->any;
  gboolean whole = TRUE;
  GHashTableIter iter;
  gpointer opsets;

  G_STATIC_ASSERT (G_N_ELEMENTS (rows) < G_MAXUINT8);

  g_hash_table_insert (table, graph->opsets, selections.model);
  if (versions != NULL)
    {
      g_hash_table_iter_init (&iter, versions);
      while (g_hash_table_iter_next (&iter, NULL, &opsets))
        {
          if (!g_hash_table_contains (table, opsets))
            {
              Selection *selection = selection_new (opsets);

              g_hash_table_insert (table, opsets, selection);
              any |= selection->any;
            }
        }
    }

  drop_consumed (graph, &selections);
  refuse_all_newer (&context, &selections);
  if (any || has_calls (graph))
    whole = upgrade_all (&context, &selections, error);
  g_clear_pointer (&context.probe, assay_graph_unref);

  return whole;
}

/**
 * assay_onnx_expand_calls:
 * @graph: a graph whose nodes are in the newest form of their operators, before inference
 * @findings: (nullable): gets nodes that stay as they are
 * @error: return location for a #GError
 *
 * Puts what they are made of in the place of nodes that the op table does not know, as
 * assay_onnx_upgrade() does.
 *
 * Returns: %FALSE only if it was cancelled
 */
gboolean
assay_onnx_expand_calls (AssayGraph *graph, AssayFindings *findings, GError **error)
{
  g_autoptr (GArray) opsets = g_array_new (FALSE, FALSE, sizeof (AssayOpset));
  g_autoptr (GHashTable) table = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  Selections selections = { .model = selection_new (opsets), .selections = table };
  UpgradeContext context = { .graph = graph, .findings = findings };
  gboolean whole;

  g_hash_table_insert (table, opsets, selections.model);
  if (!has_calls (graph))
    return TRUE;

  whole = upgrade_all (&context, &selections, error);
  g_clear_pointer (&context.probe, assay_graph_unref);

  return whole;
}
