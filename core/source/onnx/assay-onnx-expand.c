/* assay-onnx-expand.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-onnx-write.h"

#include <string.h>

#include "nnir/assay-node-product.h"
#include "nnir/function/assay-op-function.h"
#include "nnir/shape/assay-infer.h"
#include "source/onnx/assay-upgrade-private.h"

/* One over the root. */
static void
expand_rsqrt (UpgradeContext *self)
{
  assay_op_function_expand (assay_op_function_find ("rsqrt"), &self->builder, NULL);
}

static AssayValueId
scale (UpgradeContext *self, AssayValueId value, double factor, const char *suffix)
{
  AssayValueId inputs[2] = { value, ASSAY_NO_VALUE };

  if (factor == 1)
    return value;
  inputs[1] = assay_builder_number_like (&self->builder, suffix, factor, upgrade_input (self, 0));

  return assay_builder_add (&self->builder, ASSAY_OP_Mul, suffix, 2, inputs);
}

/* A product with the weight on its side, scaled where it is, plus the bias. */
static void
expand_linear (UpgradeContext *self)
{
  static const gint64 swapped[] = { 1, 0 };
  AssayNodeProduct linear = assay_node_get_product (upgrade_node (self));
  guint side = linear.inputs[0] == 1 ? 0 : 1;
  AssayValueId weight = upgrade_input (self, 1);
  AssayValueId bias = upgrade_input (self, 2);
  AssayValueId inputs[2];
  AssayValueId product;

  if (linear.transposed[side])
    {
      weight = assay_builder_add (&self->builder, ASSAY_OP_Transpose, "weight", 1, &weight);
      assay_graph_set_ints (self->graph, assay_graph_value (self->graph, weight)->producer, "perm",
                            2, swapped);
    }
  inputs[side] = weight;
  inputs[1 - side] = upgrade_input (self, 0);

  /* The last operation is the node itself, which keeps its name and its output. */
  if (linear.alpha == 1 && bias == ASSAY_NO_VALUE)
    {
      product = inputs[0];
      bias = inputs[1];
      upgrade_set_op (self, ASSAY_OP_MatMul);
    }
  else if (bias == ASSAY_NO_VALUE)
    {
      product = assay_builder_add (&self->builder, ASSAY_OP_MatMul, "product", 2, inputs);
      bias = assay_builder_number_like (&self->builder, "alpha", linear.alpha,
                                        upgrade_input (self, 0));
      upgrade_set_op (self, ASSAY_OP_Mul);
    }
  else
    {
      product = scale (self,
                       assay_builder_add (&self->builder, ASSAY_OP_MatMul, "product", 2, inputs),
                       linear.alpha, "alpha");
      bias = scale (self, bias, linear.beta, "beta");
      upgrade_set_op (self, ASSAY_OP_Add);
    }
  upgrade_set_input (self, 2, ASSAY_NO_VALUE);
  upgrade_set_input (self, 0, product);
  upgrade_set_input (self, 1, bias);
  assay_graph_set_attrs (self->graph, self->id, 0, NULL);
}

static const struct
{
  AssayOp op;
  UpgradeFunc expand;
} expansions[] = {
  { ASSAY_OP_Linear, expand_linear },
  { ASSAY_OP_Rsqrt, expand_rsqrt },
};

static UpgradeFunc
find_expansion (const AssayNode *node)
{
  for (guint i = 0; i < G_N_ELEMENTS (expansions); i++)
    {
      if (expansions[i].op == node->op)
        return expansions[i].expand;
    }

  return NULL;
}

static void
expand_region (UpgradeContext *self, AssayRegionId region)
{
  g_autoptr (GArray) nodes = assay_graph_region (self->graph, region)->nodes;

  assay_graph_edit_region (self->graph, region)->nodes = g_array_sized_new (
      FALSE, FALSE, sizeof (AssayNodeId), nodes->len);
  for (guint i = 0; i < nodes->len; i++)
    {
      UpgradeFunc expand;

      upgrade_begin (self, g_array_index (nodes, AssayNodeId, i));
      expand = find_expansion (upgrade_node (self));
      if (expand != NULL)
        expand (self);
      upgrade_place (self);
    }
}

/* Whether a graph in a node hands on a value that is not its own, or one twice. NNIR does; ONNX
 * Runtime takes neither. */
static gboolean
is_handed_on (AssayGraph *graph, AssayRegionId region, guint output)
{
  const GArray *outputs = assay_graph_region (graph, region)->outputs;
  AssayValueId id = g_array_index (outputs, AssayValueId, output);

  if (region == ASSAY_MAIN_REGION || id == ASSAY_NO_VALUE)
    return FALSE;
  if (assay_graph_value (graph, id)->region != region)
    return TRUE;

  for (guint i = 0; i < output; i++)
    {
      if (g_array_index (outputs, AssayValueId, i) == id)
        return TRUE;
    }

  return FALSE;
}

static gboolean
hands_on (AssayGraph *graph)
{
  for (AssayRegionId region = 1; region < graph->regions->len; region++)
    {
      for (guint i = 0; i < assay_graph_region (graph, region)->outputs->len; i++)
        {
          if (is_handed_on (graph, region, i))
            return TRUE;
        }
    }

  return FALSE;
}

/* Puts an Identity between, which has the origins of the node that the graph is in. */
static void
copy_outputs (AssayGraph *graph, AssayRegionId region)
{
  for (guint i = 0; i < assay_graph_region (graph, region)->outputs->len; i++)
    {
      AssayValueId from = g_array_index (assay_graph_region (graph, region)->outputs, AssayValueId,
                                         i);
      const AssayNode *parent = assay_graph_node (graph,
                                                  assay_graph_region (graph, region)->parent);
      g_autofree char *name = NULL;
      AssayValueId to;
      AssayNodeId node;

      if (!is_handed_on (graph, region, i))
        continue;

      name = g_strdup_printf ("%s/%s_%u", parent->name,
                              assay_graph_region (graph, region)->attribute, i);
      to = assay_graph_add_value (graph, region, ASSAY_VALUE_RESULT, name,
                                  assay_graph_value (graph, from)->type);
      node = assay_graph_add_node (graph, region, ASSAY_OP_Identity, name, 1, &from, 1, &to);
      parent = assay_graph_node (graph, assay_graph_region (graph, region)->parent);
      assay_graph_edit_node (graph, node)->scope = parent->scope;
      assay_graph_set_origins (graph, node, parent->n_origins, parent->origins);
      g_array_index (assay_graph_region (graph, region)->outputs, AssayValueId, i) = to;
    }
}

/**
 * assay_onnx_expand:
 * @graph: a sound graph
 * @error: return location for a #GError
 *
 * Writes the operations that only NNIR has with those of ONNX, so that a graph in canonical form
 * can be written. They give the same numbers up to rounding. Graphs in nodes get values of their
 * own as outputs.
 *
 * Returns: (transfer full) (nullable): @graph itself if it has none, or a new graph; %NULL if
 * inference failed
 */
AssayGraph *
assay_onnx_expand (AssayGraph *graph, GError **error)
{
  g_autoptr (AssayGraph) copy = NULL;
  UpgradeContext context = { 0 };
  gboolean any = hands_on (graph);
  guint32 n_regions;

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph) && !any; id++)
    any = find_expansion (assay_graph_node (graph, id)) != NULL;
  if (!any)
    return assay_graph_ref (graph);

  copy = assay_graph_copy (graph);
  context.graph = copy;
  n_regions = copy->regions->len;
  for (AssayRegionId region = 0; region < n_regions; region++)
    expand_region (&context, region);
  for (AssayRegionId region = 1; region < n_regions; region++)
    copy_outputs (copy, region);

  return assay_graph_infer (copy, NULL, NULL, error) ? g_steal_pointer (&copy) : NULL;
}
