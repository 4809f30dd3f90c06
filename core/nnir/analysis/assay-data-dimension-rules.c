/* assay-data-dimension-rules.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/assay-axes.h"
#include "nnir/analysis/assay-data-dimension-private.h"
#include "nnir/assay-node-product.h"

/* What each operation demands of the data dimensions of its tensors. The rules are those that the
 * vendor of the block-streaming cards publishes
 * (https://vollo.myrtle.ai/29.0.0/data-dimension.html); docs/data-dimension.md lists them with our
 * readings. */

#define BIT(axis) (G_GUINT64_CONSTANT (1) << (axis))

typedef void (*RuleFunc) (DimensionProblem *self, AssayNodeId id, const AssayNode *node);

static const char *const rule_ids[] = {
#define RULE(id, name) name,
  DIMENSION_RULES (RULE)
#undef RULE
};

const char *
dimension_rule_id (DimensionRule rule)
{
  return rule_ids[rule];
}

static int
rank_of (const DimensionProblem *self, AssayValueId value)
{
  return value == ASSAY_NO_VALUE ? 0 : self->ranks[value];
}

static const AssayType *
type_of (const DimensionProblem *self, AssayValueId value)
{
  return assay_graph_value (self->graph, value)->type;
}

void
dimension_problem_require (DimensionProblem *self, DimensionRule rule, AssayNodeId node,
                           AssayValueId value, guint64 mask)
{
  Constraint constraint = { CONSTRAINT_REQUIRE, (guint8) rule, 0, node, value, 0, 0, 0, mask };

  if (rank_of (self, value) > 0)
    g_array_append_val (self->constraints, constraint);
}

/* Adds y = targets[x]; with costs, what each choice of x costs. */
static void
add_map (DimensionProblem *self, DimensionRule rule, AssayNodeId node, AssayValueId x,
         AssayValueId y, const gint8 *targets, const guint8 *costs)
{
  guint rank = (guint) rank_of (self, x);
  Constraint constraint = {
    CONSTRAINT_MAP, (guint8) rule, costs != NULL, node, x, y, 0, self->pool->len, 0
  };

  g_byte_array_append (self->pool, (const guint8 *) targets, rank);
  if (costs != NULL)
    g_byte_array_append (self->pool, costs, rank);
  g_array_append_val (self->constraints, constraint);
}

/* Adds that y is x counted from the end, as in broadcasting. */
static void
add_aligned (DimensionProblem *self, DimensionRule rule, AssayNodeId node, AssayValueId x,
             AssayValueId y)
{
  gint8 targets[ASSAY_MAX_RANK];
  int rank_x = rank_of (self, x);
  int rank_y = rank_of (self, y);

  if (rank_x == 0 || rank_y == 0)
    return;

  for (int i = 0; i < rank_x; i++)
    targets[i] = (gint8) MAX (i + rank_y - rank_x, -1);

  add_map (self, rank_x == rank_y ? rule : DIMENSION_RULE_BROADCAST, node, x, y, targets, NULL);
}

static void
rule_pointwise (DimensionProblem *self, AssayNodeId id, const AssayNode *node)
{
  for (guint i = 0; i < node->n_outputs; i++)
    for (guint j = 0; j < node->n_inputs; j++)
      if (i == 0 || j == 0)
        add_aligned (self, DIMENSION_RULE_POINTWISE, id, node->inputs[j], node->outputs[i]);
}

static void
rule_keep (DimensionProblem *self, AssayNodeId id, const AssayNode *node)
{
  for (guint i = 0; i < node->n_outputs; i++)
    add_aligned (self, DIMENSION_RULE_KEEP, id, assay_node_input (node, 0), node->outputs[i]);
}

static void
rule_concat (DimensionProblem *self, AssayNodeId id, const AssayNode *node)
{
  for (guint i = 0; i < node->n_inputs; i++)
    add_aligned (self, DIMENSION_RULE_CONCAT, id, node->inputs[i], assay_node_output (node, 0));
}

static void
rule_gather (DimensionProblem *self, AssayNodeId id, const AssayNode *node)
{
  AssayValueId x = assay_node_input (node, 0);
  AssayValueId y = assay_node_output (node, 0);
  gint8 targets[ASSAY_MAX_RANK];
  int rank = rank_of (self, x);
  int indices;
  int axis;

  if (rank == 0 || assay_node_input (node, 1) == ASSAY_NO_VALUE)
    return;

  indices = assay_type_rank (type_of (self, node->inputs[1]));
  if (indices < 0 || indices > ASSAY_MAX_RANK || !assay_node_get_axis (node, rank, &axis))
    {
      self->undecided[id] = TRUE;
      return;
    }

  if (rank_of (self, y) != rank - 1 + indices)
    {
      /* A scalar is left: whatever axis was the data dimension is gone. */
      if (rank == 1 && indices == 0)
        dimension_problem_require (self, DIMENSION_RULE_GATHER, id, x, 0);
      return;
    }

  for (int i = 0; i < rank; i++)
    targets[i] = (gint8) (i < axis ? i : i > axis ? i - 1 + indices : indices == 1 ? i : -1);
  add_map (self, DIMENSION_RULE_GATHER, id, x, y, targets, NULL);
}

/* Axes that vanish: the data dimension is not among them, and moves up behind them. */
static void
add_dropped (DimensionProblem *self, DimensionRule rule, AssayNodeId id, AssayValueId x,
             AssayValueId y, guint64 dropped)
{
  gint8 targets[ASSAY_MAX_RANK];
  int rank = rank_of (self, x);
  int next = 0;

  for (int i = 0; i < rank; i++)
    targets[i] = (gint8) ((dropped >> i & 1) != 0 ? -1 : next++);

  if (next == 0)
    dimension_problem_require (self, rule, id, x, 0);
  else if (next == rank_of (self, y))
    add_map (self, rule, id, x, y, targets, NULL);
}

static void
rule_squeeze (DimensionProblem *self, AssayNodeId id, const AssayNode *node)
{
  AssayValueId x = assay_node_input (node, 0);
  int rank = rank_of (self, x);
  AssayAxes axes;

  if (rank == 0)
    return;

  axes = assay_node_axes (self->graph, node, rank);
  if (!axes.known)
    self->undecided[id] = TRUE;
  else
    add_dropped (self, DIMENSION_RULE_SQUEEZE, id, x, assay_node_output (node, 0), axes.mask);
}

static void
rule_unsqueeze (DimensionProblem *self, AssayNodeId id, const AssayNode *node)
{
  AssayValueId x = assay_node_input (node, 0);
  AssayValueId y = assay_node_output (node, 0);
  int rank_y = rank_of (self, y);
  gint8 targets[ASSAY_MAX_RANK];
  AssayAxes axes;
  int next = 0;

  if (rank_of (self, x) == 0 || rank_y == 0)
    return;

  axes = assay_node_axes (self->graph, node, rank_y);
  for (int i = 0; i < rank_y; i++)
    if (axes.known && (axes.mask >> i & 1) == 0 && next < rank_of (self, x))
      targets[next++] = (gint8) i;

  if (!axes.known || next != rank_of (self, x))
    self->undecided[id] = TRUE;
  else
    add_map (self, DIMENSION_RULE_UNSQUEEZE, id, x, y, targets, NULL);
}

static void
rule_reduce (DimensionProblem *self, AssayNodeId id, const AssayNode *node)
{
  AssayValueId x = assay_node_input (node, 0);
  AssayValueId y = assay_node_output (node, 0);
  AssayAxes axes;

  if (rank_of (self, x) == 0)
    return;

  axes = assay_node_axes (self->graph, node, rank_of (self, x));
  if (!axes.known)
    self->undecided[id] = TRUE;
  else if (assay_node_get_int (node, "keepdims") != 0)
    add_aligned (self, DIMENSION_RULE_REDUCE, id, x, y);
  else
    add_dropped (self, DIMENSION_RULE_REDUCE, id, x, y, axes.mask);
}

/* A product of a run-time tensor with a constant: its data dimension is the contracted axis and
 * becomes the new one. With dynamic weights any other axis may be it too and stays where it is. */
static void
add_constant_product (DimensionProblem *self, AssayNodeId id, AssayValueId x, AssayValueId y,
                      int contracted, int fresh)
{
  gint8 targets[ASSAY_MAX_RANK];
  int rank_x = rank_of (self, x);
  int rank_y = rank_of (self, y);

  if (rank_x == 0)
    return;
  if (rank_y == 0 || rank_x > rank_y)
    {
      dimension_problem_require (self, DIMENSION_RULE_PRODUCT, id, x, BIT (contracted));
      return;
    }

  for (int i = 0; i < rank_x; i++)
    targets[i] = (gint8) (i == contracted               ? fresh
                          : self->allow_dynamic_weights ? i + rank_y - rank_x
                                                        : -1);
  add_map (self, DIMENSION_RULE_PRODUCT, id, x, y, targets, NULL);
}

/* A product of two run-time tensors. row and column are their free axes, -1 for a vector. */
static void
add_run_time_product (DimensionProblem *self, AssayNodeId id, AssayValueId a, AssayValueId b,
                      AssayValueId y, const int *contracted, const int *row_column)
{
  Constraint choose = {
    CONSTRAINT_CHOOSE, DIMENSION_RULE_RUN_TIME_PRODUCT, 0, id, a, b, y, self->pool->len, 0
  };
  int rank = rank_of (self, y);
  int out_row = row_column[1] < 0 ? rank - 1 : rank - 2;
  guint8 triples[9];
  guint n = 0;

  if (rank_of (self, a) == 0 || rank_of (self, b) == 0)
    return;
  if (rank == 0 && assay_type_rank (type_of (self, y)) != 0)
    return;
  if (rank == 0)
    {
      dimension_problem_require (self, DIMENSION_RULE_RUN_TIME_PRODUCT, id, a, BIT (contracted[0]));
      dimension_problem_require (self, DIMENSION_RULE_RUN_TIME_PRODUCT, id, b, BIT (contracted[1]));
      return;
    }

  triples[n++] = (guint8) contracted[0];
  triples[n++] = (guint8) contracted[1];
  triples[n++] = (guint8) (rank - 1);
  if (row_column[1] >= 0)
    {
      triples[n++] = (guint8) contracted[0];
      triples[n++] = (guint8) row_column[1];
      triples[n++] = (guint8) (rank - 1);
    }
  if (row_column[0] >= 0 && out_row >= 0)
    {
      triples[n++] = (guint8) row_column[0];
      triples[n++] = (guint8) contracted[1];
      triples[n++] = (guint8) out_row;
    }

  choose.n = (guint8) (n / 3);
  g_byte_array_append (self->pool, triples, n);
  g_array_append_val (self->constraints, choose);
}

static void
add_product (DimensionProblem *self, AssayNodeId id, const AssayNode *node)
{
  AssayNodeProduct product = assay_node_get_product (node);
  AssayValueId a = assay_node_input (node, product.inputs[0]);
  AssayValueId b = assay_node_input (node, product.inputs[1]);
  AssayValueId y = assay_node_output (node, 0);
  int rank_a = a == ASSAY_NO_VALUE ? -1 : assay_type_rank (type_of (self, a));
  int rank_b = b == ASSAY_NO_VALUE ? -1 : assay_type_rank (type_of (self, b));
  int rank_y = rank_of (self, y);
  int contracted[2];
  int row_column[2];

  if (rank_a < 1 || rank_b < 1 || rank_a > ASSAY_MAX_RANK || rank_b > ASSAY_MAX_RANK)
    {
      self->undecided[id] = TRUE;
      return;
    }

  contracted[0] = assay_node_product_contracted (&product, 0, rank_a);
  row_column[0] = rank_a == 1 ? -1 : 2 * rank_a - 3 - contracted[0];
  contracted[1] = assay_node_product_contracted (&product, 1, rank_b);
  row_column[1] = rank_b == 1 ? -1 : 2 * rank_b - 3 - contracted[1];

  if (!self->constant[a] && !self->constant[b])
    add_run_time_product (self, id, a, b, y, contracted, row_column);
  else if (!self->constant[a])
    add_constant_product (self, id, a, y, contracted[0], rank_y - 1);
  else if (!self->constant[b])
    add_constant_product (self, id, b, y, contracted[1],
                          row_column[1] < 0 ? rank_y - 1 : rank_y - 2);
}

static void
rule_product (DimensionProblem *self, AssayNodeId id, const AssayNode *node)
{
  add_product (self, id, node);
  add_aligned (self, DIMENSION_RULE_POINTWISE, id, assay_node_input (node, 2),
               assay_node_output (node, 0));
}

static void
rule_transpose (DimensionProblem *self, AssayNodeId id, const AssayNode *node)
{
  AssayValueId x = assay_node_input (node, 0);
  AssayValueId y = assay_node_output (node, 0);
  int rank = rank_of (self, x);
  int perm[ASSAY_MAX_RANK];
  gint8 targets[ASSAY_MAX_RANK];
  guint8 costs[ASSAY_MAX_RANK];

  if (rank == 0 || rank_of (self, y) != rank)
    return;
  if (!assay_node_get_perm (node, rank, perm))
    {
      self->undecided[id] = TRUE;
      return;
    }

  for (int i = 0; i < rank; i++)
    {
      int last = -1;

      targets[perm[i]] = (gint8) i;
      costs[i] = FALSE;

      /* Blocks along axis i keep their order if the other axes do; an axis of extent 1 has no
       * order. */
      for (int j = 0; j < rank; j++)
        if (perm[j] != i && assay_type_dim (type_of (self, x), perm[j]) != 1)
          {
            costs[i] |= perm[j] < last;
            last = perm[j];
          }
    }
  add_map (self, DIMENSION_RULE_TRANSPOSE, id, x, y, targets, costs);
}

/* Elements between neighbours along each axis, -1 where an extent is unknown. */
static void
strides_of (const AssayType *type, int rank, gint64 *strides)
{
  gint64 stride = 1;

  for (int i = rank - 1; i >= 0; i--)
    {
      gint64 size = assay_type_dim (type, i);

      strides[i] = stride;
      if (stride >= 0 && (size < 0 || (size > 0 && stride > G_MAXINT64 / size)))
        stride = -1;
      else if (stride >= 0)
        stride *= size;
    }
}

static gboolean
dims_match (const AssayDim *a, const AssayDim *b)
{
  return a->size >= 0 ? a->size == b->size
                      : b->size < 0 && a->symbol != NULL && a->symbol == b->symbol;
}

static void
rule_reshape (DimensionProblem *self, AssayNodeId id, const AssayNode *node)
{
  AssayValueId x = assay_node_input (node, 0);
  AssayValueId y = assay_node_output (node, 0);
  int rank_x = rank_of (self, x);
  int rank_y = rank_of (self, y);
  gint64 strides_x[ASSAY_MAX_RANK];
  gint64 strides_y[ASSAY_MAX_RANK];
  gint8 targets[ASSAY_MAX_RANK];
  int common = 0;

  if (rank_x == 0 || rank_y == 0)
    return;

  strides_of (type_of (self, x), rank_x, strides_x);
  strides_of (type_of (self, y), rank_y, strides_y);
  while (common < MIN (rank_x, rank_y) &&
         dims_match (&type_of (self, x)->dims[common], &type_of (self, y)->dims[common]))
    common++;

  for (int i = 0; i < rank_x; i++)
    {
      targets[i] = -1;
      for (int j = 0; j < rank_y && targets[i] < 0; j++)
        if (strides_x[i] >= 0 ? strides_x[i] == strides_y[j] : i < common && j == i)
          targets[i] = (gint8) j;

      /* An extent decides that is not known: say nothing rather than something wrong. */
      if (targets[i] < 0 && (strides_x[i] < 0 || strides_y[0] < 0))
        {
          self->undecided[id] = TRUE;
          return;
        }
    }
  add_map (self, DIMENSION_RULE_RESHAPE, id, x, y, targets, NULL);
}

static void
rule_convolution (DimensionProblem *self, AssayNodeId id, const AssayNode *node)
{
  dimension_problem_require (self, DIMENSION_RULE_CHANNELS, id, assay_node_input (node, 0),
                             BIT (1));
  dimension_problem_require (self, DIMENSION_RULE_CHANNELS, id, assay_node_output (node, 0),
                             BIT (1));
}

static void
rule_pooling (DimensionProblem *self, AssayNodeId id, const AssayNode *node)
{
  AssayValueId x = assay_node_input (node, 0);
  int rank = rank_of (self, x);
  gint8 targets[ASSAY_MAX_RANK];

  for (int i = 0; i < rank; i++)
    targets[i] = (gint8) (i < 2 ? i : -1);
  for (guint i = 0; i < node->n_outputs; i++)
    if (rank > 0 && rank_of (self, node->outputs[i]) == rank)
      add_map (self, DIMENSION_RULE_POOLING, id, x, node->outputs[i], targets, NULL);
}

static void
require_last (DimensionProblem *self, AssayNodeId id, AssayValueId value)
{
  int rank = rank_of (self, value);

  if (rank > 0)
    dimension_problem_require (self, DIMENSION_RULE_FEATURES, id, value, BIT (rank - 1));
}

static void
rule_recurrent (DimensionProblem *self, AssayNodeId id, const AssayNode *node)
{
  require_last (self, id, assay_node_input (node, 0));
  require_last (self, id, assay_node_input (node, 5));
  require_last (self, id, assay_node_input (node, 6));
  for (guint i = 0; i < node->n_outputs; i++)
    require_last (self, id, node->outputs[i]);
}

static const AssayRegion *
find_body (const DimensionProblem *self, const AssayNode *node, const char *name)
{
  const AssayAttr *attr = assay_node_find_attr (node, name);

  return attr == NULL || attr->kind != ASSAY_ATTR_GRAPH
             ? NULL
             : assay_graph_region (self->graph, attr->u.region);
}

static AssayValueId
value_at (GArray *values, gint64 index)
{
  return index < 0 || index >= values->len ? ASSAY_NO_VALUE
                                           : g_array_index (values, AssayValueId, (guint) index);
}

static void
rule_if (DimensionProblem *self, AssayNodeId id, const AssayNode *node)
{
  static const char *const branches[] = { "then_branch", "else_branch" };

  for (guint i = 0; i < G_N_ELEMENTS (branches); i++)
    {
      const AssayRegion *body = find_body (self, node, branches[i]);

      for (guint j = 0; body != NULL && j < node->n_outputs; j++)
        add_aligned (self, DIMENSION_RULE_KEEP, id, value_at (body->outputs, j), node->outputs[j]);
    }
}

/* The axis that a body does not see, taken out of whole (the tensor outside) to give part (the one
 * inside). */
static void
add_scanned (DimensionProblem *self, AssayNodeId id, AssayValueId whole, AssayValueId part,
             gint64 axis)
{
  int index;

  if (rank_of (self, whole) > 0 && assay_axes_normalize (axis, rank_of (self, whole), &index))
    add_dropped (self, DIMENSION_RULE_SCAN, id, whole, part, BIT (index));
}

static void
rule_scan (DimensionProblem *self, AssayNodeId id, const AssayNode *node)
{
  const AssayRegion *body = find_body (self, node, "body");
  gint64 states = (gint64) node->n_inputs - assay_node_get_int (node, "num_scan_inputs");

  if (body == NULL || states < 0)
    return;

  for (gint64 i = 0; i < states; i++)
    {
      add_aligned (self, DIMENSION_RULE_KEEP, id, node->inputs[i], value_at (body->inputs, i));
      add_aligned (self, DIMENSION_RULE_KEEP, id, value_at (body->inputs, i),
                   value_at (body->outputs, i));
      add_aligned (self, DIMENSION_RULE_KEEP, id, value_at (body->outputs, i),
                   assay_node_output (node, (guint) i));
    }
  for (gint64 i = states; i < node->n_inputs; i++)
    add_scanned (self, id, node->inputs[i], value_at (body->inputs, i),
                 assay_node_get_entry (node, "scan_input_axes", (guint) (i - states)));
  for (gint64 i = states; i < node->n_outputs; i++)
    add_scanned (self, id, node->outputs[i], value_at (body->outputs, i),
                 assay_node_get_entry (node, "scan_output_axes", (guint) (i - states)));
}

#define ROW(op, func) [ASSAY_OP_##op] = func
static const RuleFunc rule_funcs[ASSAY_N_OPS] = {
  ROW (Softmax, rule_keep),
  ROW (LogSoftmax, rule_keep),
  ROW (Hardmax, rule_keep),
  ROW (CumProd, rule_keep),
  ROW (CumSum, rule_keep),
  ROW (LayerNormalization, rule_keep),
  ROW (RMSNormalization, rule_keep),
  ROW (BatchNormalization, rule_keep),
  ROW (GroupNormalization, rule_keep),
  ROW (InstanceNormalization, rule_keep),
  ROW (LpNormalization, rule_keep),
  ROW (LRN, rule_keep),
  ROW (MeanVarianceNormalization, rule_keep),
  ROW (Dropout, rule_keep),
  ROW (Slice, rule_keep),
  ROW (Split, rule_keep),
  ROW (Pad, rule_keep),
  ROW (Tile, rule_keep),
  ROW (Expand, rule_keep),
  ROW (Trilu, rule_keep),
  ROW (ReverseSequence, rule_keep),
  ROW (CastLike, rule_keep),
  ROW (GlobalAveragePool, rule_keep),
  ROW (GlobalMaxPool, rule_keep),
  ROW (QuantizeLinear, rule_keep),
  ROW (DequantizeLinear, rule_keep),
  ROW (Concat, rule_concat),
  ROW (Gather, rule_gather),
  ROW (Squeeze, rule_squeeze),
  ROW (Unsqueeze, rule_unsqueeze),
  ROW (ReduceL1, rule_reduce),
  ROW (ReduceL2, rule_reduce),
  ROW (ReduceLogSum, rule_reduce),
  ROW (ReduceLogSumExp, rule_reduce),
  ROW (ReduceMax, rule_reduce),
  ROW (ReduceMean, rule_reduce),
  ROW (ReduceMin, rule_reduce),
  ROW (ReduceProd, rule_reduce),
  ROW (ReduceSum, rule_reduce),
  ROW (ReduceSumSquare, rule_reduce),
  ROW (ArgMax, rule_reduce),
  ROW (ArgMin, rule_reduce),
  ROW (MatMul, rule_product),
  ROW (Gemm, rule_product),
  ROW (Linear, rule_product),
  ROW (Transpose, rule_transpose),
  ROW (Reshape, rule_reshape),
  ROW (Flatten, rule_reshape),
  ROW (Conv, rule_convolution),
  ROW (ConvTranspose, rule_convolution),
  ROW (MaxPool, rule_pooling),
  ROW (AveragePool, rule_pooling),
  ROW (LpPool, rule_pooling),
  ROW (LSTM, rule_recurrent),
  ROW (GRU, rule_recurrent),
  ROW (RNN, rule_recurrent),
  ROW (If, rule_if),
  ROW (Scan, rule_scan),
};
#undef ROW

/* Whether a tensor that ought to have a data dimension has no known rank. */
static guint8
is_unknown (const DimensionProblem *self, AssayValueId value)
{
  const AssayType *type;

  if (value == ASSAY_NO_VALUE || self->constant[value])
    return FALSE;

  type = type_of (self, value);
  return type->kind == ASSAY_TYPE_KIND_UNKNOWN ||
         (type->kind == ASSAY_TYPE_KIND_TENSOR && (type->rank < 0 || type->rank > ASSAY_MAX_RANK));
}

void
dimension_problem_add_node (DimensionProblem *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->graph, id);
  AssayOpTraits traits = assay_op_get_info (node->op)->traits;

  for (guint i = 0; i < node->n_inputs; i++)
    self->undecided[id] |= is_unknown (self, node->inputs[i]);
  for (guint i = 0; i < node->n_outputs; i++)
    self->undecided[id] |= is_unknown (self, node->outputs[i]);

  if (rule_funcs[node->op] != NULL)
    rule_funcs[node->op](self, id, node);
  else if ((traits & (ASSAY_OP_TRAIT_UNARY_MAP | ASSAY_OP_TRAIT_BROADCAST)) != 0)
    rule_pointwise (self, id, node);
}

/* What a rule says, and what it asks of the data dimension in a word or two. */
static const struct
{
  const char *text;
  const char *claim;
} words[] = {
  [DIMENSION_RULE_FIXED] = { "the user fixed it", "your choice" },
  [DIMENSION_RULE_STREAMED] = { "the streamed axis vanishes", "streaming" },
  [DIMENSION_RULE_POINTWISE] = { "operands and result have the same data dimension",
                                 "the same for all" },
  [DIMENSION_RULE_BROADCAST] = { "an axis added by broadcasting is never the data dimension",
                                 "no broadcast axis" },
  [DIMENSION_RULE_CONCAT] = { "all parts and the result have the same data dimension",
                              "the same in all parts" },
  [DIMENSION_RULE_KEEP] = { "the data dimension stays", "as before" },
  [DIMENSION_RULE_GATHER] = { "a single index takes its axis away, so that is not the data "
                              "dimension",
                              "not the indexed axis" },
  [DIMENSION_RULE_SQUEEZE] = { "an axis that is squeezed away is not the data dimension",
                               "not the squeezed axis" },
  [DIMENSION_RULE_UNSQUEEZE] = { "an added axis is never the data dimension", "not the new axis" },
  [DIMENSION_RULE_REDUCE] = { "a reduction over the data dimension must keep it (keepdims = 1)",
                              "an axis that stays" },
  [DIMENSION_RULE_PRODUCT] = { "the contracted axis of the run-time operand is its data dimension, "
                               "and the axis that replaces it is that of the result",
                               "the contracted axis" },
  [DIMENSION_RULE_RUN_TIME_PRODUCT] = { "the contracted axis is the data dimension of at least one "
                                        "operand",
                                        "the contracted axis" },
  [DIMENSION_RULE_TRANSPOSE] = { "the data dimension moves along", "moved along" },
  [DIMENSION_RULE_RESHAPE] = { "the stride of the data dimension stays the same",
                               "the same stride" },
  [DIMENSION_RULE_CHANNELS] = { "channels (axis 1) are the data dimension", "channels, axis 1" },
  [DIMENSION_RULE_POOLING] = { "a pooled axis is not the data dimension", "not a pooled axis" },
  [DIMENSION_RULE_FEATURES] = { "features (the last axis) are the data dimension",
                                "features, the last axis" },
  [DIMENSION_RULE_SCAN] = { "the scanned axis is not the data dimension", "not the scanned axis" },
};

char *
dimension_problem_describe (DimensionProblem *self, const Constraint *constraint)
{
  return g_strconcat (words[constraint->rule].text,
                      constraint->rule == DIMENSION_RULE_PRODUCT && !self->allow_dynamic_weights
                          ? " (any other axis may stay it with allow-dynamic-weights)"
                          : "",
                      NULL);
}

/* Who asks for what, such as `Conv (channels, axis 1)`. */
char *
dimension_problem_claim (DimensionProblem *self, const Constraint *constraint, gboolean brief)
{
  const char *claim = words[constraint->rule].claim;
  const AssayNode *node;

  if (constraint->node == ASSAY_NO_NODE || constraint->rule == DIMENSION_RULE_STREAMED)
    return g_strdup (claim);

  node = assay_graph_node (self->graph, constraint->node);

  return brief ? g_strdup (node->op_type) : g_strdup_printf ("%s (%s)", node->op_type, claim);
}
