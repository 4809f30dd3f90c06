/* assay-lower-normalize.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Normalizations. Statistics and all steps between are fp32; the result is rounded once
 * (docs/numerics.md).
 */
#include <math.h>

#include "backend/stream/compile/assay-lower-private.h"

#include "base/assay-sentence.h"

static const AssayLirOperand nothing = { 0 };

/**
 * Set:
 * @n: number of vectors
 * @values: what is normalized; replaced by the result
 * @lanes: number of values of each
 * @over_lanes: whether the lanes are one set, rather than a set each
 * @epsilon: what is added to the variance
 * @centred: whether the mean is taken away first
 * @mean: the mean, if it is
 * @scale: one over the deviation
 *
 * Vectors that are normalized together.
 */
typedef struct
{
  guint n;
  AssayLirOperand *values;
  guint32 lanes;
  gboolean over_lanes;
  float epsilon;
  gboolean centred;
  AssayLirOperand mean;
  AssayLirOperand scale;
} Set;

static AssayLirOperand
apply (AssayLower *self, AssayOpcode opcode, guint32 lanes, AssayLirOperand a, AssayLirOperand b)
{
  return assay_lir_use (assay_lower_scratch (self, opcode, lanes, a, b));
}

/* The mean of vectors, and what is added to it, from the first to the last. */
static AssayLirOperand
mean_of (AssayLower *self, const Set *set, const AssayLirOperand *values, float offset)
{
  AssayLirOperand sum = values[0];
  float inverse = 1.0f / ((float) set->n * (float) (set->over_lanes ? set->lanes : 1));

  for (guint i = 1; i < set->n; i++)
    sum = apply (self, ASSAY_OPCODE_ADD, set->lanes, sum, values[i]);
  if (set->over_lanes)
    return assay_lir_use_repeat (
        assay_lower_over_lanes (self, ASSAY_OPCODE_SUM, sum, set->lanes, inverse, offset));

  sum = apply (self, ASSAY_OPCODE_MUL, set->lanes, sum, assay_lower_exact (inverse));

  return offset == 0 ? sum
                     : apply (self, ASSAY_OPCODE_ADD, set->lanes, sum, assay_lower_exact (offset));
}

static void
normalize (AssayLower *self, Set *set)
{
  g_autofree AssayLirOperand *squares = g_new (AssayLirOperand, set->n);
  guint32 lanes = set->over_lanes ? 1 : set->lanes;
  AssayLirId root;

  if (set->centred)
    {
      set->mean = mean_of (self, set, set->values, 0);
      for (guint i = 0; i < set->n; i++)
        set->values[i] = apply (self, ASSAY_OPCODE_SUB, set->lanes, set->values[i], set->mean);
    }

  for (guint i = 0; i < set->n; i++)
    squares[i] = apply (self, ASSAY_OPCODE_MUL, set->lanes, set->values[i], set->values[i]);
  set->scale = mean_of (self, set, squares, set->epsilon);
  set->scale.repeat = FALSE;
  root = assay_lower_scratch (self, ASSAY_OPCODE_FUNCTION, lanes, set->scale, nothing);
  g_array_index (self->lir->ops, AssayLirOp, self->lir->ops->len - 1).function =
      ASSAY_FUNCTION_RSQRT;
  set->scale = set->over_lanes ? assay_lir_use_repeat (root) : assay_lir_use (root);

  for (guint i = 0; i < set->n; i++)
    set->values[i] = apply (self, ASSAY_OPCODE_MUL, set->lanes, set->values[i], set->scale);
}

/* Rounds what is wanted of the statistics. */
static void
put_statistic (AssayLower *self, guint output, const gint64 *index, AssayLirOperand value)
{
  AssayLowTensor *out = assay_lower_output (self, output);
  gint64 target[ASSAY_MAX_RANK];
  guint32 vector, lane;

  if (out == NULL)
    return;
  for (guint i = 0; i < out->rank; i++)
    target[i] = out->dims[i] == 1 ? 0 : index[i];
  assay_lower_locate (out, target, &vector, &lane);
  out->vectors[vector] = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, out->lanes);
  value.repeat = FALSE;
  assay_lower_emit (self, ASSAY_OPCODE_MOVE, out->vectors[vector], ASSAY_ROUND_BF16, value,
                    nothing);
}

/* Scales and moves the vectors of a set into the result; the last of the two steps rounds. */
static void
put_results (AssayLower *self, const Set *set, const guint32 *members, AssayLowTensor *scale,
             AssayLowTensor *bias)
{
  AssayLowTensor *out = assay_lower_output (self, 0);

  for (guint i = 0; i < set->n; i++)
    {
      AssayLirOperand value = set->values[i];
      AssayLirOperand factor = assay_lower_operand (self, scale, out, members[i]);
      AssayLirId d;

      if (bias != NULL)
        {
          value = apply (self, ASSAY_OPCODE_MUL, out->lanes, value, factor);
          factor = assay_lower_operand (self, bias, out, members[i]);
        }
      d = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, out->lanes);
      assay_lower_emit (self, bias != NULL ? ASSAY_OPCODE_ADD : ASSAY_OPCODE_MUL, d,
                        ASSAY_ROUND_BF16, value, factor);
      out->vectors[members[i]] = d;
    }
}

/* The summand of a normalization; one without elements is none. */
static AssayLowTensor *
find_bias (AssayLower *self)
{
  AssayLowTensor *bias = self->node->op == ASSAY_OP_LayerNormalization ? assay_lower_input (self, 2)
                                                                       : NULL;

  for (guint i = 0; bias != NULL && i < bias->rank; i++)
    if (bias->dims[i] == 0)
      return NULL;

  return bias;
}

/* LayerNormalization and RMSNormalization over the last axis. */
gboolean
assay_lower_normalize (AssayLower *self, GError **error)
{
  AssayLowTensor *in = assay_lower_input (self, 0);
  guint last = in->rank - 1;
  gboolean over_lanes = in->data_dim == (int) last;
  guint extent = over_lanes ? 1 : (guint) in->dims[last];
  g_autofree AssayLirOperand *values = g_new (AssayLirOperand, extent);
  g_autofree guint32 *members = g_new (guint32, extent);
  guint axis;

  if (!assay_lower_axis (self, in, &axis, error))
    return FALSE;
  if (axis != last)
    return assay_lower_refuse (self, error, "only the last axis can be normalised");

  for (guint32 v = 0; v < in->n_vectors; v++)
    {
      Set set = {
        .n = extent,
        .values = values,
        .lanes = in->lanes,
        .over_lanes = over_lanes,
        .epsilon = (float) assay_node_get_float (self->node, "epsilon"),
        .centred = self->node->op == ASSAY_OP_LayerNormalization,
      };
      gint64 index[ASSAY_MAX_RANK];
      guint32 lane;

      assay_lower_index (in, v, index);
      if (!over_lanes && index[last] != 0)
        continue;
      for (guint i = 0; i < extent; i++)
        {
          if (!over_lanes)
            index[last] = i;
          assay_lower_locate (in, index, &members[i], &lane);
          values[i] = assay_lir_use (in->vectors[members[i]]);
        }

      normalize (self, &set);
      put_results (self, &set, members, assay_lower_input (self, 1), find_bias (self));
      if (set.centred)
        {
          put_statistic (self, 1, index, set.mean);
          put_statistic (self, 2, index, set.scale);
        }
    }

  return TRUE;
}

/* A constant with one value per channel (axis 1), as a tensor that broadcasts to the result. */
static void
channel_tensor (AssayLower *self, const float *values, AssayLowTensor *result)
{
  AssayLowTensor *out = assay_lower_output (self, 0);
  guint rank = out->rank > 1 ? out->rank - 1 : 1;
  gint64 *dims = assay_arena_alloc_n (self->lir->arena, rank, sizeof *dims);

  for (guint i = 0; i < rank; i++)
    dims[i] = 1;
  dims[0] = out->rank > 1 ? out->dims[1] : 1;
  *result = (AssayLowTensor){ .rank = rank, .dims = dims, .data_dim = -1, .lanes = 1 };
  result->constant = assay_tensor_new_f32 (rank, dims, values);
}

/* One value per channel of a constant input; a value per group counts for all its channels. */
static float *
channel_values (AssayLower *self, guint input, GError **error)
{
  AssayTensor *tensor = assay_graph_constant (self->graph, assay_node_input (self->node, input));
  AssayLowTensor *in = assay_lower_input (self, 0);
  gsize channels = in->rank > 1 ? (gsize) in->dims[1] : 1;
  g_autofree float *values = NULL;
  float *result;
  gsize n;

  if (tensor == NULL)
    {
      assay_lower_refuse (self, error, "input %u must be constant", input);
      return NULL;
    }
  if (!assay_lower_floats (tensor, &values, &n, error))
    return NULL;
  if (n == 0 || channels % n != 0)
    {
      assay_lower_refuse (
          self, error, "input %u has %" G_GSIZE_FORMAT " value%s for %" G_GSIZE_FORMAT " channel%s",
          input, n, assay_plural (n), channels, assay_plural (channels));
      return NULL;
    }

  result = g_new (float, channels);
  for (gsize i = 0; i < channels; i++)
    result[i] = values[i / (channels / n)];

  return result;
}

/* y = x f + (shift - mean f) with f = scale / sqrt (variance + epsilon), both made in double and
 * kept in fp32. */
gboolean
assay_lower_batch_normalize (AssayLower *self, GError **error)
{
  AssayLowTensor *in = assay_lower_input (self, 0);
  AssayLowTensor *out = assay_lower_output (self, 0);
  double epsilon = assay_node_get_float (self->node, "epsilon");
  gsize channels = in->rank > 1 ? (gsize) in->dims[1] : 1;
  AssayLowTensor factor, offset;
  float *values[4] = { NULL };
  gboolean read = TRUE;

  if (assay_node_get_int (self->node, "training_mode") != 0 || assay_lower_output (self, 1) != NULL)
    return assay_lower_refuse (self, error, "statistics are not computed");

  for (guint i = 0; i < 4 && read; i++)
    {
      values[i] = channel_values (self, i + 1, error);
      read = values[i] != NULL;
    }
  for (gsize i = 0; i < channels && read; i++)
    {
      double f = values[0][i] / sqrt (values[3][i] + epsilon);

      values[1][i] = (float) (values[1][i] - values[2][i] * f);
      values[0][i] = (float) f;
    }
  if (read)
    {
      channel_tensor (self, values[0], &factor);
      channel_tensor (self, values[1], &offset);
    }
  for (guint i = 0; i < 4; i++)
    g_free (values[i]);
  if (!read)
    return FALSE;

  for (guint32 v = 0; v < out->n_vectors; v++)
    {
      AssayLirId product = assay_lower_new_scratch (self, out->lanes);
      AssayLirOperand b = assay_lower_operand (self, &factor, out, v);

      b.exact = TRUE;
      assay_lower_emit (self, ASSAY_OPCODE_MUL, product, ASSAY_ROUND_F32,
                        assay_lir_use (in->vectors[v]), b);
      b = assay_lower_operand (self, &offset, out, v);
      b.exact = TRUE;
      out->vectors[v] = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, out->lanes);
      assay_lower_emit (self, ASSAY_OPCODE_ADD, out->vectors[v], ASSAY_ROUND_BF16,
                        assay_lir_use (product), b);
    }
  assay_tensor_unref (factor.constant);
  assay_tensor_unref (offset.constant);

  return TRUE;
}

/* Groups of lanes: each is taken out, normalized and put back. */
static void
normalize_lane_groups (AssayLower *self, Set *set, guint n_groups)
{
  guint32 each = set->lanes / n_groups;
  g_autofree AssayLirOperand *parts = g_new (AssayLirOperand, set->n);
  g_autofree AssayLirId *results = g_new (AssayLirId, set->n);

  for (guint i = 0; i < set->n; i++)
    results[i] = assay_lower_new_scratch (self, set->lanes);

  for (guint g = 0; g < n_groups; g++)
    {
      Set part = *set;

      part.lanes = each;
      part.over_lanes = TRUE;
      part.values = parts;
      for (guint i = 0; i < set->n; i++)
        parts[i] = assay_lower_shift (self, assay_lower_new_scratch (self, each), set->values[i],
                                      g * each, 0, each, each);
      normalize (self, &part);
      for (guint i = 0; i < set->n; i++)
        assay_lower_shift (self, results[i], parts[i], 0, g * each, each, g == 0 ? set->lanes : 0);
    }

  for (guint i = 0; i < set->n; i++)
    set->values[i] = assay_lir_use (results[i]);
}

typedef struct
{
  guint n_groups;
  AssayLowTensor scale;
  AssayLowTensor bias;
} Grouping;

/* The set that starts at a vector: all others of its sample and group, unless one of them came
 * before. */
static void
normalize_from (AssayLower *self, const Grouping *grouping, guint32 first)
{
  AssayLowTensor *in = assay_lower_input (self, 0);
  guint32 each = (guint32) in->dims[1] / grouping->n_groups;
  gboolean by_lane = in->data_dim == 1;
  g_autofree AssayLirOperand *values = g_new (AssayLirOperand, in->n_vectors);
  g_autofree guint32 *members = g_new (guint32, in->n_vectors);
  Set set = {
    .values = values,
    .lanes = in->lanes,
    .over_lanes = in->data_dim > 1 || (by_lane && grouping->n_groups == 1),
    .epsilon = (float) assay_node_get_float (self->node, "epsilon"),
    .centred = TRUE,
  };
  gint64 own[ASSAY_MAX_RANK];
  gint64 index[ASSAY_MAX_RANK];

  assay_lower_index (in, first, own);
  for (guint32 v = 0; v < in->n_vectors; v++)
    {
      assay_lower_index (in, v, index);
      if (index[0] != own[0] || (!by_lane && index[1] / each != own[1] / each))
        continue;
      if (v < first)
        return;
      members[set.n] = v;
      values[set.n++] = assay_lir_use (in->vectors[v]);
    }

  if (by_lane && grouping->n_groups > 1 && each > 1)
    normalize_lane_groups (self, &set, grouping->n_groups);
  else
    normalize (self, &set);
  put_results (self, &set, members, (AssayLowTensor *) &grouping->scale,
               (AssayLowTensor *) &grouping->bias);
}

/* GroupNormalization, and InstanceNormalization, which has a group per channel. */
gboolean
assay_lower_group_normalize (AssayLower *self, GError **error)
{
  AssayLowTensor *in = assay_lower_input (self, 0);
  gboolean instance = self->node->op == ASSAY_OP_InstanceNormalization;
  g_autofree float *scale = NULL;
  g_autofree float *bias = NULL;
  Grouping grouping;
  gint64 groups;

  if (in->rank < 2)
    return assay_lower_refuse (self, error, "rank %u, at least 2 is needed", in->rank);
  groups = instance ? in->dims[1] : assay_node_get_int (self->node, "num_groups");
  if (groups < 1 || in->dims[1] % groups != 0)
    return assay_lower_refuse (
        self, error, "%" G_GINT64_FORMAT " %s not divide into %" G_GINT64_FORMAT " group%s",
        in->dims[1], assay_noun (in->dims[1], "channel does", "channels do"), groups,
        assay_plural (groups));
  scale = channel_values (self, 1, error);
  bias = scale == NULL ? NULL : channel_values (self, 2, error);
  if (bias == NULL)
    return FALSE;

  grouping.n_groups = (guint) groups;
  channel_tensor (self, scale, &grouping.scale);
  channel_tensor (self, bias, &grouping.bias);
  for (guint32 v = 0; v < in->n_vectors; v++)
    normalize_from (self, &grouping, v);
  assay_tensor_unref (grouping.scale.constant);
  assay_tensor_unref (grouping.bias.constant);

  return TRUE;
}
