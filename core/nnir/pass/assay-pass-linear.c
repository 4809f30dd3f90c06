/* assay-pass-linear.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "nnir/assay-graph-builder.h"
#include "nnir/pass/assay-pass.h"
#include "nnir/assay-node-product.h"

/* Linear reads the run-time side first and the weight second, whichever side of the product the
 * weight is on: side = right:  y = alpha * x · W + beta * bias side = left:   y = alpha * W · x +
 * beta * bias W is the weight, or with transpose_weight its transpose; it has two dimensions. The
 * bias broadcasts to y. */

static gboolean
is_main_parameter (AssayRewriter *self, AssayValueId id)
{
  const AssayValue *value = assay_graph_value (self->graph, id);

  if (value->kind != ASSAY_VALUE_INPUT || value->region != ASSAY_MAIN_REGION)
    return FALSE;

  return value->is_parameter || (self->options->all_inputs_parameters && value->output > 0);
}

static gboolean
is_weight (AssayRewriter *self, AssayValueId id)
{
  return id != ASSAY_NO_VALUE &&
         (assay_graph_is_constant (self->graph, id) || is_main_parameter (self, id));
}

static gboolean
is_matrix (AssayRewriter *self, AssayValueId id)
{
  const AssayType *type = assay_graph_value (self->graph, id)->type;

  return type->kind == ASSAY_TYPE_KIND_TENSOR && type->rank == 2;
}

static void
become_linear (AssayRewriter *self, AssayNodeId id, gboolean left, gboolean transpose,
               guint n_inputs, AssayValueId *inputs, double alpha, double beta, const char *rule)
{
  assay_rewriter_set_inputs (self, id, n_inputs, inputs);
  assay_rewriter_set_op (self, id, ASSAY_OP_Linear);
  if (left)
    assay_graph_set_string (self->graph, id, "side", "left");
  if (transpose)
    assay_graph_set_int (self->graph, id, "transpose_weight", 1);
  if (alpha != 1.0)
    assay_graph_set_float (self->graph, id, "alpha", alpha);
  if (beta != 1.0)
    assay_graph_set_float (self->graph, id, "beta", beta);
  assay_rewriter_absorb (self, id, 0, NULL, rule);
}

/* A run-time side that is transposed, or a bias known at run time only, has no place in Linear:
 * Gemm stays. */
static void
visit_gemm (AssayRewriter *self, AssayNodeId id)
{
  AssayValueId a = assay_rewriter_input (self, id, 0);
  AssayValueId b = assay_rewriter_input (self, id, 1);
  AssayValueId inputs[3] = { a, b, assay_rewriter_input (self, id, 2) };
  AssayNodeProduct product = assay_node_get_product (assay_graph_node (self->graph, id));
  gboolean left;

  if (a == ASSAY_NO_VALUE || b == ASSAY_NO_VALUE ||
      (inputs[2] != ASSAY_NO_VALUE && !is_weight (self, inputs[2])))
    return;

  if (is_weight (self, b) && is_matrix (self, b) && !product.transposed[0])
    left = FALSE;
  else if (is_weight (self, a) && is_matrix (self, a) && !product.transposed[1])
    left = TRUE;
  else
    return;

  inputs[0] = left ? b : a;
  inputs[1] = left ? a : b;
  become_linear (self, id, left, product.transposed[left ? 0 : 1],
                 inputs[2] != ASSAY_NO_VALUE ? 3 : 2, inputs, product.alpha,
                 inputs[2] != ASSAY_NO_VALUE ? product.beta : 1.0, "linear-gemm");
}

static void
visit_matmul (AssayRewriter *self, AssayNodeId id)
{
  AssayValueId a = assay_rewriter_input (self, id, 0);
  AssayValueId b = assay_rewriter_input (self, id, 1);
  AssayValueId inputs[2] = { a, b };

  if (a == ASSAY_NO_VALUE || b == ASSAY_NO_VALUE)
    return;

  if (is_weight (self, b) && is_matrix (self, b))
    {
      become_linear (self, id, FALSE, FALSE, 2, inputs, 1.0, 1.0, "linear-matmul");
    }
  else if (is_weight (self, a) && is_matrix (self, a))
    {
      const AssayType *type = assay_graph_value (self->graph, b)->type;

      inputs[0] = b;
      inputs[1] = a;
      if (type->kind != ASSAY_TYPE_KIND_TENSOR || type->rank < 1)
        return;
      /* The product of a matrix and a vector is that of the vector and the transposed matrix. */
      become_linear (self, id, type->rank > 1, type->rank == 1, 2, inputs, 1.0, 1.0,
                     "linear-matmul");
    }
}

/* A constant that has one element per column (side right) or row (side left) of the result, or one
 * in all. */
static gboolean
fits_as_bias (AssayRewriter *self, const AssayNode *linear, AssayValueId bias)
{
  const AssayType *result = assay_graph_value (self->graph, linear->outputs[0])->type;
  const AssayType *type = assay_graph_value (self->graph, bias)->type;
  int from_end = assay_node_get_product (linear).inputs[0] == 1 ? 2 : 1;
  gsize count;

  if (result->kind != ASSAY_TYPE_KIND_TENSOR || result->rank < from_end ||
      type->rank > result->rank || !assay_type_count (type, &count))
    return FALSE;

  if (count == 1)
    return TRUE;

  return type->rank >= from_end && type->dims[type->rank - from_end].size == (gint64) count &&
         result->dims[result->rank - from_end].size == (gint64) count;
}

static void
visit_add (AssayRewriter *self, AssayNodeId id)
{
  for (guint i = 0; i < 2; i++)
    {
      AssayValueId product = assay_rewriter_input (self, id, i);
      AssayValueId bias = assay_rewriter_input (self, id, 1 - i);
      AssayNodeId producer = assay_rewriter_producer (self, product);
      const AssayNode *linear = assay_graph_node (self->graph, producer);
      AssayValueId inputs[3];
      AssayAttr attrs[4];

      if (linear->op != ASSAY_OP_Linear || producer == ASSAY_NO_NODE || linear->n_inputs != 2 ||
          assay_rewriter_reads (self, product) != 1 || !is_weight (self, bias) ||
          !fits_as_bias (self, linear, bias) ||
          linear->region != assay_graph_node (self->graph, id)->region)
        continue;

      inputs[0] = assay_rewriter_input (self, producer, 0);
      inputs[1] = assay_rewriter_input (self, producer, 1);
      inputs[2] = bias;
      g_assert (linear->n_attrs <= G_N_ELEMENTS (attrs));
      memcpy (attrs, linear->attrs, linear->n_attrs * sizeof *attrs);

      assay_rewriter_set_inputs (self, id, 3, inputs);
      assay_rewriter_set_op (self, id, ASSAY_OP_Linear);
      assay_graph_set_attrs (self->graph, id, linear->n_attrs, attrs);
      assay_rewriter_absorb (self, id, 1, &producer, "linear-bias");
      return;
    }
}

static void
visit (AssayRewriter *self, AssayNodeId id, gpointer user_data)
{
  const AssayNode *node = assay_graph_node (self->graph, id);

  if (node->n_outputs != 1 || node->outputs[0] == ASSAY_NO_VALUE)
    return;

  if (node->op == ASSAY_OP_Gemm)
    visit_gemm (self, id);
  else if (node->op == ASSAY_OP_MatMul)
    visit_matmul (self, id);
  else if (node->op == ASSAY_OP_Add)
    visit_add (self, id);
}

/**
 * assay_pass_linear:
 * @rewriter: the graph and its state
 * @progress: (nullable): asked whether to go on
 * @error: return location for a #GError
 *
 * Turns Gemm and MatMul with one constant matrix into Linear, and takes a constant that is added
 * behind it as its bias. Weights are not copied.
 *
 * Returns: %FALSE if cancelled
 */
gboolean
assay_pass_linear (AssayRewriter *rewriter, const AssayProgress *progress, GError **error)
{
  if (!rewriter->options->linear)
    return TRUE;

  return assay_rewriter_each_node (rewriter, visit, NULL, progress, error);
}
