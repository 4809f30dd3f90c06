/* assay-torch-make-loss.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Losses, and gradients that go back to where elements were taken from.
 */
#include "source/torch/assay-torch-lower-private.h"

#define ONE(op, a) assay_torch_one (self, ASSAY_OP_##op, a)
#define TWO(op, a, b) assay_torch_two (self, ASSAY_OP_##op, a, b)
#define THREE(op, a, b, c) assay_torch_three (self, ASSAY_OP_##op, a, b, c)

static AssayValueId
like (AssayTorchLower *self, AssayValueId x, double value)
{
  return assay_torch_scalar (self, assay_torch_dtype (self, x), value);
}

/* What the loss of each element counts: the weight of its class, or nothing if it is ignored.
 * @place is the class of each element, one that there is. */
static gboolean
get_weights (AssayTorchLower *self, guint weight_at, AssayValueId target, gint64 ignored,
             AssayDType dtype, AssayValueId *weights, AssayValueId *place)
{
  AssayValueId is_ignored = TWO (Equal, target, like (self, target, (double) ignored));
  AssayValueId weight;

  *place = THREE (Where, is_ignored, like (self, target, 0.0), target);
  if (assay_torch_is_none (self, weight_at))
    *weights = TWO (Expand, assay_torch_scalar (self, dtype, 1.0),
                    assay_torch_shape (self, target));
  else if (assay_torch_get_tensor (self, weight_at, &weight))
    *weights = assay_torch_gather (self, weight, *place, 0);
  else
    return FALSE;
  *weights = THREE (Where, is_ignored, assay_torch_scalar (self, dtype, 0.0), *weights);

  return TRUE;
}

/* The axis of the classes, which a single sample has in front. */
static gboolean
get_class_axis (AssayTorchLower *self, AssayValueId x, gint64 *axis)
{
  guint rank;

  if (!assay_torch_rank (self, x, &rank) || rank == 0)
    return FALSE;
  *axis = rank == 1 ? 0 : 1;

  return TRUE;
}

/* The negative logarithms of the right classes, and what they count together. */
gboolean
assay_torch_make_nll_loss (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayValueId target;
  AssayValueId weights;
  AssayValueId place;
  AssayValueId loss;
  AssayValueId total;
  gint64 flat = -1;
  gint64 first = 0;
  gint64 axis;
  gint64 reduction;
  gint64 ignored;

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_get_tensor (self, 1, &target) ||
      !assay_torch_get_int (self, 3, &reduction) || !assay_torch_get_int (self, 4, &ignored) ||
      !get_class_axis (self, x, &axis) ||
      !get_weights (self, 2, target, ignored, assay_torch_dtype (self, x), &weights, &place))
    return FALSE;
  loss = assay_torch_elements (self, ASSAY_OP_GatherElements, 2,
                               (AssayValueId[]){ x, assay_torch_unsqueeze (self, place, 1, &axis) },
                               axis, NULL);
  loss = TWO (Squeeze, loss, assay_torch_ints (self, 1, &axis));
  loss = ONE (Neg, TWO (Mul, loss, weights));
  total = assay_torch_reduce (self, ASSAY_OP_ReduceSum,
                              assay_torch_reshape (self, weights, 1, &flat), 1, &first, FALSE);
  if (reduction != 0)
    loss = assay_torch_reduce (self, ASSAY_OP_ReduceSum, assay_torch_reshape (self, loss, 1, &flat),
                               1, &first, FALSE);
  if (reduction == 1)
    loss = TWO (Div, loss, total);

  return assay_torch_result (self, 0, loss) &&
         (self->op->n_results < 2 ||
          assay_torch_result (self, 1,
                              reduction == 0 && axis == 1 ? like (self, total, 0.0) : total));
}

gboolean
assay_torch_make_nll_loss_backward (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId gradient;
  AssayValueId x;
  AssayValueId target;
  AssayValueId total;
  AssayValueId weights;
  AssayValueId place;
  gint64 axis;
  gint64 reduction;
  gint64 ignored;
  guint target_rank;

  if (!assay_torch_get_tensor (self, 0, &gradient) || !assay_torch_get_tensor (self, 1, &x) ||
      !assay_torch_get_tensor (self, 2, &target) || !assay_torch_get_int (self, 4, &reduction) ||
      !assay_torch_get_int (self, 5, &ignored) || !assay_torch_get_tensor (self, 6, &total) ||
      !get_class_axis (self, x, &axis) || !assay_torch_rank (self, target, &target_rank))
    return FALSE;
  /* Of a single sample only the first class counts. */
  if (axis == 0 && target_rank == 1)
    target = assay_torch_slice (self, target, 0, 0, 1, 1);
  if (!get_weights (self, 3, target, ignored, assay_torch_dtype (self, x), &weights, &place))
    return FALSE;
  gradient = ONE (Neg, TWO (Mul, weights, gradient));
  if (reduction == 1)
    gradient = TWO (Div, gradient, total);
  /* A single sample has a gradient and a class without dimensions, or with one of 1. */
  if (axis == 0)
    {
      gradient = assay_torch_reshape (self, gradient, 0, NULL);
      place = assay_torch_reshape (self, place, 0, NULL);
    }

  return assay_torch_result (
      self, 0,
      assay_torch_elements (
          self, ASSAY_OP_ScatterElements, 3,
          (AssayValueId[]){ TWO (Expand, like (self, x, 0.0), assay_torch_shape (self, x)),
                            assay_torch_unsqueeze (self, place, 1, &axis),
                            assay_torch_unsqueeze (self, gradient, 1, &axis) },
          axis, NULL));
}

/* Planes as one axis each, so that places in a plane are places of an axis. */
static AssayValueId
flatten_planes (AssayTorchLower *self, AssayValueId x, guint rank, const gint64 *dims, guint n)
{
  gint64 flat[ASSAY_MAX_RANK];

  for (guint i = 0; i < rank - n; i++)
    flat[i] = dims[i];
  flat[rank - n] = 1;
  for (guint i = rank - n; i < rank; i++)
    flat[rank - n] *= dims[i];

  return assay_torch_reshape (self, x, rank - n + 1, flat);
}

/* Elements back to the places they were taken from: the gradient of a pool (0), which adds up, or
 * the reverse of one over as many axes as the argument says, which writes. */
gboolean
assay_torch_make_unpool (AssayTorchLower *self, const AssayTorchRule *rule)
{
  guint index_at = rule->argument == 0 ? self->op->n_operands - 1 : 1;
  guint n = rule->argument == 0 ? 2 : (guint) rule->argument;
  AssayValueId y;
  AssayValueId x;
  AssayValueId index;
  gint64 dims[ASSAY_MAX_RANK];
  gint64 own[ASSAY_MAX_RANK];
  gint64 sizes[ASSAY_MAX_RANK];
  guint rank;
  guint given;

  if (!assay_torch_get_tensor (self, 0, &y) || !assay_torch_dims (self, y, &rank, own) ||
      rank <= n || !assay_torch_get_tensor (self, index_at, &index))
    return FALSE;
  if (rule->argument == 0)
    {
      if (!assay_torch_get_tensor (self, 1, &x) || !assay_torch_dims (self, x, &rank, dims))
        return FALSE;
    }
  else
    {
      if (!assay_torch_get_ints (self, 2, sizes, &given) || given != n)
        return FALSE;
      for (guint i = 0; i < rank; i++)
        dims[i] = i < rank - n ? own[i] : sizes[i - (rank - n)];
    }
  x = assay_torch_fill (self, assay_torch_dtype (self, y), rank, dims, 0.0);
  x = assay_torch_elements (self, ASSAY_OP_ScatterElements, 3,
                            (AssayValueId[]){ flatten_planes (self, x, rank, dims, n),
                                              flatten_planes (self, index, rank, own, n),
                                              flatten_planes (self, y, rank, own, n) },
                            rank - n, rule->argument == 0 ? "add" : NULL);

  return assay_torch_result (self, 0, assay_torch_reshape (self, x, rank, dims));
}

/* Rows of a table added up where they were looked up. */
gboolean
assay_torch_make_embedding_backward (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId gradient;
  AssayValueId index;
  AssayValueId output;
  AssayNodeId node;
  gint64 n;
  gint64 padding;
  gint64 dims[ASSAY_MAX_RANK];
  gint64 table[2];
  guint rank;
  gint64 last;

  if (!assay_torch_get_tensor (self, 0, &gradient) ||
      !assay_torch_dims (self, gradient, &rank, dims) || rank < 1 ||
      !assay_torch_get_tensor (self, 1, &index) || !assay_torch_get_int (self, 2, &n) ||
      !assay_torch_get_int (self, 3, &padding))
    return FALSE;
  table[0] = n;
  table[1] = dims[rank - 1];
  last = rank - 1;
  index = assay_torch_unsqueeze (self, assay_torch_cast (self, index, ASSAY_DTYPE_I64), 1, &last);
  if (padding >= 0)
    gradient = THREE (Where, TWO (Equal, index, like (self, index, (double) padding)),
                      like (self, gradient, 0.0), gradient);
  node = assay_torch_node (
      self, ASSAY_OP_ScatterND, 3,
      (AssayValueId[]){ assay_torch_fill (self, assay_torch_dtype (self, gradient), 2, table, 0.0),
                        index, gradient },
      1, &output);
  assay_graph_set_string (self->graph, node, "reduction", "add");
  assay_torch_infer (self, node);

  return assay_torch_result (self, 0, output);
}

/* The gradients of a normalization in groups: for the input, the weights and the bias. */
gboolean
assay_torch_make_group_norm_backward (AssayTorchLower *self, const AssayTorchRule *rule)
{
  const AssayTorchItem *mask = assay_torch_arg (self, 9);
  AssayValueId parts[5]; /* gradient, input, mean, scale, weight */
  AssayValueId normal;
  AssayValueId d;
  AssayValueId mean;
  gint64 sizes[4]; /* batch, channels, elements of a channel, groups */
  gint64 dims[ASSAY_MAX_RANK];
  gint64 planes[3];
  gint64 groups[3];
  gint64 channel[3] = { 1, -1, 1 };
  gint64 each[3];
  static const gint64 outer[] = { 0, 2 };
  static const gint64 last = 2;
  guint rank;

  for (guint i = 0; i < 4; i++)
    if (!assay_torch_get_tensor (self, i, &parts[i]) ||
        !assay_torch_get_int (self, 5 + i, &sizes[i]))
      return FALSE;
  if (!assay_torch_dims (self, parts[1], &rank, dims) || mask == NULL ||
      mask->kind != ASSAY_TORCH_ITEM_LIST || mask->n != 3 || sizes[3] < 1)
    return assay_torch_cannot (self, "which gradients are wanted is not known");
  planes[0] = groups[0] = each[0] = sizes[0];
  planes[1] = sizes[1];
  planes[2] = sizes[2];
  groups[1] = each[1] = sizes[3];
  groups[2] = sizes[1] / sizes[3] * sizes[2];
  each[2] = 1;
  for (guint i = 2; i < 4; i++)
    parts[i] = assay_torch_reshape (self, parts[i], 3, each);
  normal = TWO (Mul, TWO (Sub, assay_torch_reshape (self, parts[1], 3, groups), parts[2]),
                parts[3]);
  for (guint i = 0; i < 3; i++)
    assay_torch_result_item (self, i, assay_torch_item_new (self, ASSAY_TORCH_ITEM_NONE));
  d = assay_torch_reshape (self, parts[0], 3, planes);
  if (mask->items[1]->i &&
      !assay_torch_result (
          self, 1,
          assay_torch_reduce (self, ASSAY_OP_ReduceSum,
                              TWO (Mul, d, assay_torch_reshape (self, normal, 3, planes)), 2, outer,
                              FALSE)))
    return FALSE;
  if (mask->items[2]->i &&
      !assay_torch_result (self, 2,
                           assay_torch_reduce (self, ASSAY_OP_ReduceSum, d, 2, outer, FALSE)))
    return FALSE;
  if (!mask->items[0]->i)
    return TRUE;
  if (!assay_torch_is_none (self, 4))
    {
      if (!assay_torch_get_tensor (self, 4, &parts[4]))
        return FALSE;
      d = TWO (Mul, d, assay_torch_reshape (self, parts[4], 3, channel));
    }
  d = assay_torch_reshape (self, d, 3, groups);
  mean = assay_torch_reduce (self, ASSAY_OP_ReduceMean, d, 1, &last, TRUE);
  normal = TWO (
      Mul, normal,
      assay_torch_reduce (self, ASSAY_OP_ReduceMean, TWO (Mul, d, normal), 1, &last, TRUE));
  d = TWO (Mul, TWO (Sub, TWO (Sub, d, mean), normal), parts[3]);

  return assay_torch_result (self, 0, assay_torch_reshape (self, d, rank, dims));
}

/* Losses of odds: (1 - t) x + w log (1 + exp (-x)), w being 1 where nothing counts more. */
gboolean
assay_torch_make_odds_loss (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayValueId target;
  AssayValueId weight;
  AssayValueId one;
  AssayValueId loss;
  gint64 reduction = 1;

  if (!assay_torch_get_pair (self, TRUE, &x, &target) ||
      (!assay_torch_is_none (self, 4) && !assay_torch_get_int (self, 4, &reduction)))
    return FALSE;
  one = like (self, x, 1.0);
  loss = ONE (Softplus, ONE (Neg, x));
  if (!assay_torch_is_none (self, 3))
    {
      if (!assay_torch_get_tensor (self, 3, &weight))
        return FALSE;
      weight = assay_torch_cast (self, weight, assay_torch_dtype (self, x));
      loss = TWO (Mul, loss, TWO (Add, TWO (Mul, TWO (Sub, weight, one), target), one));
    }
  loss = TWO (Add, TWO (Mul, TWO (Sub, one, target), x), loss);
  if (!assay_torch_is_none (self, 2))
    {
      if (!assay_torch_get_tensor (self, 2, &weight))
        return FALSE;
      weight = assay_torch_cast (self, weight, assay_torch_dtype (self, x));
      loss = TWO (Mul, loss, weight);
    }

  return assay_torch_result (self, 0, assay_torch_finish_loss (self, loss, reduction));
}
