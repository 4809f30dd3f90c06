/* assay-contrib-normalize.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/contrib/assay-contrib-private.h"

#include <string.h>

/* One over the root of the mean of squares over the last axis. */
static void
write_inverse (UpgradeContext *self, AssayValueId input, double epsilon, AssayValueId output)
{
  AssayValueId square, mean, root;

  if (output == ASSAY_NO_VALUE)
    return;

  square = ASSAY_BUILD (&self->builder, Mul, "square", input, input);
  mean = ASSAY_BUILD (&self->builder, ReduceMean, "mean", square,
                      assay_builder_one_int (&self->builder, "last", -1));
  mean = ASSAY_BUILD (&self->builder, Add, "shifted", mean,
                      assay_builder_number_like (&self->builder, "epsilon", epsilon, input));
  root = ASSAY_BUILD (&self->builder, Sqrt, "root", mean);
  assay_builder_add_to (&self->builder, ASSAY_OP_Reciprocal, "inverse", 1, &root, output);
}

gboolean
contrib_simplified_layer_norm (UpgradeContext *self)
{
  AssayValueId input = upgrade_input (self, 0);
  AssayValueId scale = upgrade_input (self, 1);
  AssayValueId inverse = contrib_output (self, 1);
  gint64 axis = contrib_int (self, "axis", -1);
  double epsilon = contrib_float (self, "epsilon", 1e-5f);

  if (inverse != ASSAY_NO_VALUE && axis != -1)
    return contrib_refuse (self, "axis", "the second output is known for the last axis alone");

  write_inverse (self, input, epsilon, inverse);
  ASSAY_BECOME (&self->builder, RMSNormalization, input, scale);
  assay_graph_set_int (self->graph, self->id, "axis", axis);
  assay_graph_set_float (self->graph, self->id, "epsilon", epsilon);
  return TRUE;
}

/* A sum of two or three, which may be an output, and the normalization behind it. */
gboolean
contrib_skip_layer_norm (UpgradeContext *self)
{
  const AssayNode *node = upgrade_node (self);
  gboolean simplified = node->op_type[4] == 'S';
  AssayValueId gamma = upgrade_input (self, 2);
  AssayValueId beta = simplified ? ASSAY_NO_VALUE : upgrade_input (self, 3);
  AssayValueId bias = upgrade_input (self, simplified ? 3 : 4);
  const AssayValueId outputs[3] = { contrib_output (self, 0), contrib_output (self, 1),
                                    contrib_output (self, 2) };
  AssayValueId total = contrib_output (self, 3);
  double epsilon = contrib_float (self, "epsilon", 1e-12f);
  AssayValueId parts[2] = { upgrade_input (self, 0), upgrade_input (self, 1) };

  if (simplified && outputs[1] != ASSAY_NO_VALUE)
    return contrib_refuse (self, NULL, "a mean is wanted, which it does not take");

  if (bias != ASSAY_NO_VALUE)
    {
      parts[0] = ASSAY_BUILD (&self->builder, Add, "sum", parts[0], parts[1]);
      parts[1] = bias;
    }
  if (total != ASSAY_NO_VALUE)
    assay_builder_add_to (&self->builder, ASSAY_OP_Add, "total", 2, parts, total);
  else
    total = assay_builder_add (&self->builder, ASSAY_OP_Add, "total", 2, parts);

  if (simplified)
    {
      write_inverse (self, total, epsilon, outputs[2]);
      ASSAY_BECOME (&self->builder, RMSNormalization, total, gamma);
    }
  else
    {
      ASSAY_BECOME (&self->builder, LayerNormalization, total, gamma, beta);
      for (guint i = 1; i < 3; i++)
        {
          if (outputs[i] != ASSAY_NO_VALUE)
            assay_graph_edit_node (self->graph, self->id)->n_outputs = i + 1;
        }
    }
  assay_graph_set_int (self->graph, self->id, "axis", -1);
  assay_graph_set_float (self->graph, self->id, "epsilon", epsilon);
  return TRUE;
}

/* How many positions of each sample count. */
static void
write_mask_index (UpgradeContext *self, AssayValueId ids, AssayValueId mask, AssayValueId output)
{
  AssayValueId inputs[2];

  if (output == ASSAY_NO_VALUE)
    return;

  if (mask != ASSAY_NO_VALUE)
    {
      inputs[0] = ASSAY_BUILD (&self->builder, ReduceSum, "count", mask,
                               assay_builder_one_int (&self->builder, "rows", 1));
      assay_builder_set_int (&self->builder, inputs[0], "keepdims", 0);
      assay_builder_add_to (&self->builder, ASSAY_OP_Identity, "mask_index", 1, inputs, output);
    }
  else
    {
      static const gint64 zero = 0;

      inputs[0] = assay_builder_cast (&self->builder, "zero",
                                      assay_builder_int (&self->builder, "none", zero),
                                      ASSAY_DTYPE_I32);
      inputs[1] = assay_builder_extents (&self->builder, "samples", ids, 0, 1);
      assay_builder_add_to (&self->builder, ASSAY_OP_Expand, "mask_index", 2, inputs, output);
    }
}

/* Word, position and segment of each token looked up, added and normalized. */
gboolean
contrib_embed_layer_norm (UpgradeContext *self)
{
  AssayValueId ids = upgrade_input (self, 0), segments = upgrade_input (self, 1);
  AssayValueId positions = upgrade_input (self, 3), segment_table = upgrade_input (self, 4);
  AssayValueId gamma = upgrade_input (self, 5), beta = upgrade_input (self, 6);
  AssayValueId mask = upgrade_input (self, 7), position_ids = upgrade_input (self, 8);
  AssayValueId total = contrib_output (self, 2);
  double epsilon = contrib_float (self, "epsilon", 1e-12f);
  AssayValueId words = ASSAY_BUILD (&self->builder, Gather, "words", upgrade_input (self, 2), ids);
  AssayValueId parts[2] = { words, ASSAY_NO_VALUE };

  if (position_ids != ASSAY_NO_VALUE)
    {
      parts[1] = ASSAY_BUILD (&self->builder, Gather, "places", positions, position_ids);
    }
  else
    {
      AssayValueId length = assay_builder_extents (&self->builder, "length", ids, 1, 2);
      AssayValueId first = assay_builder_one_int (&self->builder, "first", 0);

      parts[1] = ASSAY_BUILD (&self->builder, Slice, "places", positions, first, length, first);
    }
  if (segments != ASSAY_NO_VALUE && segment_table != ASSAY_NO_VALUE)
    {
      parts[0] = assay_builder_add (&self->builder, ASSAY_OP_Add, "sum", 2, parts);
      parts[1] = ASSAY_BUILD (&self->builder, Gather, "segments", segment_table, segments);
    }
  if (total != ASSAY_NO_VALUE)
    assay_builder_add_to (&self->builder, ASSAY_OP_Add, "total", 2, parts, total);
  else
    total = assay_builder_add (&self->builder, ASSAY_OP_Add, "total", 2, parts);
  write_mask_index (self, ids, mask, contrib_output (self, 1));

  ASSAY_BECOME (&self->builder, LayerNormalization, total, gamma, beta);
  assay_graph_set_int (self->graph, self->id, "axis", -1);
  assay_graph_set_float (self->graph, self->id, "epsilon", epsilon);
  return TRUE;
}

/* Channels last, as images of diffusion models are, and an activation behind it. */
gboolean
contrib_group_norm (UpgradeContext *self)
{
  static const gint64 to_front[4] = { 0, 3, 1, 2 };
  static const gint64 to_back[4] = { 0, 2, 3, 1 };
  gboolean last = contrib_int (self, "channels_last", 1) != 0;
  gint64 activation = contrib_int (self, "activation", 0);
  gint64 groups = contrib_int (self, "groups", 0);
  double epsilon = contrib_float (self, "epsilon", 1e-5f);
  AssayValueId input = upgrade_input (self, 0);
  AssayValueId gamma = upgrade_input (self, 1), beta = upgrade_input (self, 2);
  AssayValueId normal;

  if (groups < 1 || activation < 0 || activation > 1)
    return contrib_refuse (self, groups < 1 ? "groups" : "activation",
                           "it is not one of those known");

  if (last)
    input = assay_builder_transpose (&self->builder, "channels_first", input, 4, to_front);
  gamma = ASSAY_BUILD (&self->builder, CastLike, "gamma", gamma, input);
  beta = ASSAY_BUILD (&self->builder, CastLike, "beta", beta, input);
  normal = ASSAY_BUILD (&self->builder, GroupNormalization, "normal", input, gamma, beta);
  assay_builder_set_int (&self->builder, normal, "num_groups", groups);
  assay_builder_set_float (&self->builder, normal, "epsilon", epsilon);
  if (activation == 1)
    normal = ASSAY_BUILD (&self->builder, Swish, "activation", normal);
  if (!last)
    {
      ASSAY_BECOME (&self->builder, Identity, normal);
      return TRUE;
    }
  ASSAY_BECOME (&self->builder, Transpose, normal);
  assay_graph_set_ints (self->graph, self->id, "perm", 4, to_back);
  return TRUE;
}
