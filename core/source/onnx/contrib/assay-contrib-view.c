/* assay-contrib-view.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/contrib/assay-contrib-private.h"

#include <string.h>

/* What has the same inputs, outputs and attributes in ONNX. */
static gboolean
rename_to (UpgradeContext *self, AssayOp op)
{
  upgrade_set_op (self, op);
  return TRUE;
}

gboolean
contrib_dequantize (UpgradeContext *self)
{
  return rename_to (self, ASSAY_OP_DequantizeLinear);
}

gboolean
contrib_quantize (UpgradeContext *self)
{
  return rename_to (self, ASSAY_OP_QuantizeLinear);
}

gboolean
contrib_grid_sample (UpgradeContext *self)
{
  upgrade_grid_sample (self);
  return rename_to (self, ASSAY_OP_GridSample);
}

/* The counts may be a matrix of one row. */
gboolean
contrib_pad (UpgradeContext *self)
{
  upgrade_set_input (
      self, 1,
      assay_builder_reshape (&self->builder, "pads", upgrade_input (self, 1), 1, &(gint64){ -1 }));
  return rename_to (self, ASSAY_OP_Pad);
}

/* Elements in the order in which they come first, where each element is among them, how often. */
gboolean
contrib_unique (UpgradeContext *self)
{
  AssayNode *node = assay_graph_edit_node (self->graph, self->id);
  const AssayValueId outputs[4] = { assay_node_output (node, 0), ASSAY_NO_VALUE,
                                    assay_node_output (node, 1), assay_node_output (node, 2) };

  node->outputs = assay_arena_memdup (self->graph->arena, outputs, sizeof outputs);
  node->n_outputs = 4;
  for (guint i = 0; i < 4; i++)
    {
      if (outputs[i] != ASSAY_NO_VALUE)
        assay_graph_edit_value (self->graph, outputs[i])->output = i;
    }
  while (node->n_outputs > 1 && outputs[node->n_outputs - 1] == ASSAY_NO_VALUE)
    node->n_outputs--;
  assay_graph_set_int (self->graph, self->id, "sorted", 0);

  return rename_to (self, ASSAY_OP_Unique);
}

/* Cuts the border of an image off, or to a size from the upper left of what is inside of it. */
gboolean
contrib_crop (UpgradeContext *self)
{
  const AssayAttr *border = upgrade_attr (self, "border");
  const AssayAttr *scale = upgrade_attr (self, "scale");
  gint64 starts[2], ends[2];
  const gint64 axes[2] = { 2, 3 };
  AssayValueId inputs[4] = { upgrade_input (self, 0) };

  if (border == NULL || border->kind != ASSAY_ATTR_INTS || border->n != 4 ||
      (scale != NULL && (scale->kind != ASSAY_ATTR_INTS || scale->n != 2)))
    return contrib_refuse (self, "border", "the border has four sides, the size two numbers");

  /* Left, top, right, bottom. */
  for (guint i = 0; i < 2; i++)
    {
      gint64 behind = border->u.ints[3 - i];

      starts[i] = border->u.ints[1 - i];
      if (starts[i] < 0 || behind < 0 || (scale != NULL && scale->u.ints[i] < 0) ||
          starts[i] > G_MAXINT32 || behind > G_MAXINT32 ||
          (scale != NULL && scale->u.ints[i] > G_MAXINT32))
        return contrib_refuse (self, "border", "a side is negative");
      ends[i] = scale != NULL ? starts[i] + scale->u.ints[i] : behind > 0 ? -behind : G_MAXINT64;
    }
  inputs[1] = assay_builder_ints (&self->builder, "starts", 2, starts);
  inputs[2] = assay_builder_ints (&self->builder, "ends", 2, ends);
  inputs[3] = assay_builder_ints (&self->builder, "axes", 2, axes);
  assay_builder_become (&self->builder, ASSAY_OP_Slice, 4, inputs);
  return TRUE;
}
