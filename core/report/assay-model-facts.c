/* assay-model-facts.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/assay-model-facts.h"

#include <string.h>

#include "nnir/assay-axes.h"
#include "nnir/assay-node-product.h"

/* How the products of an operator are counted from the shapes of its values. */
typedef enum
{
  MACS_CONVOLUTION, /* per output element: the weights of one output channel */
  MACS_TRANSPOSED,  /* per input element: the weights of one input channel */
  MACS_PRODUCT,     /* per output element: the contracted extent of the first factor */
  MACS_RECURRENT,   /* per step and batch: both weight matrices */
} MacsRule;

static const struct
{
  AssayOp op;
  MacsRule rule;
  guint8 factor;
  guint8 weight;
} macs_rules[] = {
  { ASSAY_OP_Conv, MACS_CONVOLUTION, 0, 1 },
  { ASSAY_OP_ConvInteger, MACS_CONVOLUTION, 0, 1 },
  { ASSAY_OP_QLinearConv, MACS_CONVOLUTION, 0, 3 },
  { ASSAY_OP_DeformConv, MACS_CONVOLUTION, 0, 1 },
  { ASSAY_OP_ConvTranspose, MACS_TRANSPOSED, 0, 1 },
  { ASSAY_OP_MatMul, MACS_PRODUCT, 0, 1 },
  { ASSAY_OP_MatMulInteger, MACS_PRODUCT, 0, 1 },
  { ASSAY_OP_QLinearMatMul, MACS_PRODUCT, 0, 3 },
  { ASSAY_OP_Gemm, MACS_PRODUCT, 0, 1 },
  { ASSAY_OP_LSTM, MACS_RECURRENT, 0, 1 },
  { ASSAY_OP_GRU, MACS_RECURRENT, 0, 1 },
  { ASSAY_OP_RNN, MACS_RECURRENT, 0, 1 },
};

/* Multiplies @product by dimensions first to end - 1 of a value. */
static gboolean
times_dims (const AssayGraph *graph, AssayValueId id, int first, int end, guint64 *product)
{
  const AssayType *type = assay_graph_value (graph, id)->type;

  if (id == ASSAY_NO_VALUE || type->kind != ASSAY_TYPE_KIND_TENSOR || type->rank < MAX (end, 0))
    return FALSE;
  if (end < 0)
    end = type->rank;

  for (int i = first < 0 ? type->rank + first : first; i < end; i++)
    if (i < 0 || type->dims[i].size < 0 ||
        !g_uint64_checked_mul (product, *product, (guint64) type->dims[i].size))
      return FALSE;

  return TRUE;
}

static gboolean
node_macs (const AssayGraph *graph, const AssayNode *node, guint row, guint64 *macs)
{
  AssayValueId factor = assay_node_input (node, macs_rules[row].factor);
  AssayValueId weight = assay_node_input (node, macs_rules[row].weight);
  AssayValueId output = assay_node_output (node, 0);
  AssayNodeProduct product = assay_node_get_product (node);
  guint64 recurrent = 1;
  int summed;

  *macs = 1;
  switch (macs_rules[row].rule)
    {
    case MACS_CONVOLUTION:
      return times_dims (graph, output, 0, -1, macs) && times_dims (graph, weight, 1, -1, macs);
    case MACS_TRANSPOSED:
      return times_dims (graph, factor, 0, -1, macs) && times_dims (graph, weight, 1, -1, macs);
    case MACS_PRODUCT:
      summed = assay_node_product_contracted (
          &product, 0, assay_type_rank (assay_graph_value (graph, factor)->type));
      return times_dims (graph, output, 0, -1, macs) &&
             times_dims (graph, factor, summed, summed + 1, macs);
    case MACS_RECURRENT:
      return times_dims (graph, weight, 0, -1, macs) &&
             times_dims (graph, assay_node_input (node, macs_rules[row].weight + 1u), 0, -1,
                         &recurrent) &&
             g_uint64_checked_add (macs, *macs, recurrent) &&
             times_dims (graph, factor, 0, 2, macs);
    default:
      g_assert_not_reached ();
    }
}

static void
count_macs (AssayModelFacts *self, const AssayGraph *graph, const AssayNode *node)
{
  guint64 macs;

  for (guint i = 0; i < G_N_ELEMENTS (macs_rules); i++)
    {
      if (macs_rules[i].op != node->op)
        continue;
      if (!node_macs (graph, node, i, &macs) ||
          !g_uint64_checked_add (&self->macs, self->macs, macs))
        self->n_macs_unknown++;
      return;
    }
}

static int
compare_ops (gconstpointer a, gconstpointer b)
{
  const AssayOpCount *left = a;
  const AssayOpCount *right = b;

  if (left->count != right->count)
    return left->count < right->count ? 1 : -1;
  return strcmp (left->op_type, right->op_type);
}

static void
count_ops (AssayModelFacts *self, const AssayGraph *graph)
{
  g_autoptr (GHashTable) rows = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      const AssayNode *node = assay_graph_node (graph, id);
      g_autofree char *key = g_strdup_printf ("%s\n%s", node->domain, node->op_type);
      guint row = GPOINTER_TO_UINT (g_hash_table_lookup (rows, key));

      if (row == 0)
        {
          AssayOpCount op = { node->op_type, node->domain, 0 };

          g_array_append_val (self->ops, op);
          row = self->ops->len;
          g_hash_table_insert (rows, g_steal_pointer (&key), GUINT_TO_POINTER (row));
        }
      g_array_index (self->ops, AssayOpCount, row - 1).count++;
      count_macs (self, graph, node);
    }
  g_array_sort (self->ops, compare_ops);
}

static void
count_tensor (AssayModelFacts *self, AssayTensor *tensor)
{
  /* A single number is a setting rather than a parameter. */
  if (tensor == NULL || assay_tensor_get_n_elements (tensor) <= 1)
    return;

  self->n_parameters += assay_tensor_get_n_elements (tensor);
  self->parameter_bytes += assay_tensor_get_n_bytes (tensor);
}

/* Parameters are initializers, or the tensors of Constant nodes. */
static void
count_parameters (AssayModelFacts *self, const AssayGraph *graph)
{
  for (AssayValueId id = 1; id < assay_graph_n_values (graph); id++)
    {
      const AssayValue *value = assay_graph_value (graph, id);

      if (value->kind == ASSAY_VALUE_CONSTANT || value->is_parameter)
        count_tensor (self, value->constant);
    }
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      const AssayNode *node = assay_graph_node (graph, id);
      const AssayAttr *attr = node->op == ASSAY_OP_Constant ? assay_node_find_attr (node, "value")
                                                            : NULL;

      if (attr != NULL && attr->kind == ASSAY_ATTR_TENSOR)
        count_tensor (self, attr->u.tensor);
    }
}

/**
 * assay_model_facts_init:
 * @self: (out caller-allocates): the facts
 * @graph: a graph as imported
 *
 * Gathers what a model is made of. The names in @self belong to @graph. Multiply-accumulates follow
 * the definitions of Conv, ConvTranspose, MatMul, Gemm, LSTM, GRU and RNN in the ONNX operator
 * specification.
 */
void
assay_model_facts_init (AssayModelFacts *self, const AssayGraph *graph)
{
  *self = (AssayModelFacts){
    .n_nodes = assay_graph_n_nodes (graph) - 1,
    .n_regions = graph->regions->len,
    .ops = g_array_new (FALSE, FALSE, sizeof (AssayOpCount)),
  };

  count_parameters (self, graph);
  count_ops (self, graph);
}

void
assay_model_facts_clear (AssayModelFacts *self)
{
  g_clear_pointer (&self->ops, g_array_unref);
}
