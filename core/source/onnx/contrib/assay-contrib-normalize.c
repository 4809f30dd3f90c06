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

  square = CONTRIB_ADD (self, Mul, "square", input, input);
  mean = CONTRIB_ADD (self, ReduceMean, "mean", square, contrib_i64 (self, "last", -1));
  mean = CONTRIB_ADD (self, Add, "shifted", mean, contrib_number (self, "epsilon", epsilon, input));
  root = CONTRIB_ADD (self, Sqrt, "root", mean);
  contrib_write (self, ASSAY_OP_Reciprocal, "inverse", 1, &root, output);
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
  CONTRIB_BECOME (self, RMSNormalization, input, scale);
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
      parts[0] = CONTRIB_ADD (self, Add, "sum", parts[0], parts[1]);
      parts[1] = bias;
    }
  if (total != ASSAY_NO_VALUE)
    contrib_write (self, ASSAY_OP_Add, "total", 2, parts, total);
  else
    total = upgrade_add (self, ASSAY_OP_Add, "total", 2, parts);

  if (simplified)
    {
      write_inverse (self, total, epsilon, outputs[2]);
      CONTRIB_BECOME (self, RMSNormalization, total, gamma);
    }
  else
    {
      CONTRIB_BECOME (self, LayerNormalization, total, gamma, beta);
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
      inputs[0] = CONTRIB_ADD (self, ReduceSum, "count", mask, contrib_i64 (self, "rows", 1));
      contrib_set_int (self, inputs[0], "keepdims", 0);
      contrib_write (self, ASSAY_OP_Identity, "mask_index", 1, inputs, output);
    }
  else
    {
      static const gint64 zero = 0;

      inputs[0] = contrib_cast (self, "zero", upgrade_ints (self, "none", TRUE, 1, &zero),
                                ASSAY_DTYPE_I32);
      inputs[1] = contrib_extents (self, "samples", ids, 0, 1);
      contrib_write (self, ASSAY_OP_Expand, "mask_index", 2, inputs, output);
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
  AssayValueId words = CONTRIB_ADD (self, Gather, "words", upgrade_input (self, 2), ids);
  AssayValueId parts[2] = { words, ASSAY_NO_VALUE };

  if (position_ids != ASSAY_NO_VALUE)
    {
      parts[1] = CONTRIB_ADD (self, Gather, "places", positions, position_ids);
    }
  else
    {
      AssayValueId length = contrib_extents (self, "length", ids, 1, 2);
      AssayValueId first = contrib_i64 (self, "first", 0);

      parts[1] = CONTRIB_ADD (self, Slice, "places", positions, first, length, first);
    }
  if (segments != ASSAY_NO_VALUE && segment_table != ASSAY_NO_VALUE)
    {
      parts[0] = upgrade_add (self, ASSAY_OP_Add, "sum", 2, parts);
      parts[1] = CONTRIB_ADD (self, Gather, "segments", segment_table, segments);
    }
  if (total != ASSAY_NO_VALUE)
    contrib_write (self, ASSAY_OP_Add, "total", 2, parts, total);
  else
    total = upgrade_add (self, ASSAY_OP_Add, "total", 2, parts);
  write_mask_index (self, ids, mask, contrib_output (self, 1));

  CONTRIB_BECOME (self, LayerNormalization, total, gamma, beta);
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
    input = contrib_transpose (self, "channels_first", input, 4, to_front);
  gamma = CONTRIB_ADD (self, CastLike, "gamma", gamma, input);
  beta = CONTRIB_ADD (self, CastLike, "beta", beta, input);
  normal = CONTRIB_ADD (self, GroupNormalization, "normal", input, gamma, beta);
  contrib_set_int (self, normal, "num_groups", groups);
  contrib_set_float (self, normal, "epsilon", epsilon);
  if (activation == 1)
    normal = CONTRIB_ADD (self, Swish, "activation", normal);
  if (!last)
    {
      CONTRIB_BECOME (self, Identity, normal);
      return TRUE;
    }
  CONTRIB_BECOME (self, Transpose, normal);
  assay_graph_set_ints (self->graph, self->id, "perm", 4, to_back);
  return TRUE;
}
