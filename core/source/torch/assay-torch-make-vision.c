/* assay-torch-make-vision.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What models of images sample and select with.
 */
#include "source/torch/assay-torch-lower-private.h"

/* Elements between elements, at the places of a grid. */
gboolean
assay_torch_make_grid_sample (AssayTorchLower *self, const AssayTorchRule *rule)
{
  static const char *const modes[] = { "linear", "nearest", "cubic" };
  static const char *const borders[] = { "zeros", "border", "reflection" };
  AssayValueId inputs[2];
  AssayValueId output;
  AssayNodeId node;
  gint64 mode;
  gint64 border;
  gboolean is_aligned = FALSE;

  if (!assay_torch_get_tensor (self, 0, &inputs[0]) ||
      !assay_torch_get_tensor (self, 1, &inputs[1]) || !assay_torch_get_int (self, 2, &mode) ||
      !assay_torch_get_int (self, 3, &border) ||
      (!assay_torch_is_none (self, 4) && !assay_torch_get_bool (self, 4, &is_aligned)))
    return FALSE;
  if (mode < 0 || mode >= (gint64) G_N_ELEMENTS (modes) || border < 0 ||
      border >= (gint64) G_N_ELEMENTS (borders))
    return assay_torch_cannot (self, "mode %" G_GINT64_FORMAT " with border %" G_GINT64_FORMAT,
                               mode, border);
  node = assay_torch_node (self, ASSAY_OP_GridSample, 2, inputs, 1, &output);
  assay_graph_set_string (self->graph, node, "mode", modes[mode]);
  assay_graph_set_string (self->graph, node, "padding_mode", borders[border]);
  assay_graph_set_int (self->graph, node, "align_corners", is_aligned);
  assay_torch_infer (self, node);

  return assay_torch_result (self, 0, output);
}

/* A convolution whose elements are taken from beside their places. */
gboolean
assay_torch_make_deform_conv (AssayTorchLower *self, const AssayTorchRule *rule)
{
  static const guint operands[] = { 0, 1, 2, 4, 3 }; /* the mask stands before the bias */
  AssayValueId inputs[5];
  AssayValueId output;
  AssayNodeId node;
  gint64 numbers[8]; /* strides, pads, dilations, groups of weights, groups of offsets */
  gboolean has_mask = FALSE;

  for (guint i = 0; i < 5; i++)
    if (!assay_torch_get_tensor (self, operands[i], &inputs[i]))
      return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (!assay_torch_get_int (self, 5 + i, &numbers[i]))
      return FALSE;
  if (!assay_torch_get_bool (self, 13, &has_mask))
    return FALSE;
  node = assay_torch_node (self, ASSAY_OP_DeformConv, has_mask ? 5 : 4, inputs, 1, &output);
  assay_graph_set_ints (self->graph, node, "dilations", 2, numbers + 4);
  assay_graph_set_int (self->graph, node, "group", numbers[6]);
  assay_graph_set_int (self->graph, node, "offset_group", numbers[7]);
  assay_graph_set_ints (self->graph, node, "pads", 4,
                        (const gint64[]){ numbers[2], numbers[3], numbers[2], numbers[3] });
  assay_graph_set_ints (self->graph, node, "strides", 2, numbers);
  assay_torch_infer (self, node);

  return assay_torch_result (self, 0, output);
}

/* Which boxes stay of those that overlap, the best first. */
gboolean
assay_torch_make_nms (AssayTorchLower *self, const AssayTorchRule *rule)
{
  static const gint64 axes[] = { 0, 1 };
  AssayValueId inputs[4];
  AssayValueId output;
  gint64 most = G_MAXINT64;
  gint64 last = 1;
  double threshold;

  if (!assay_torch_get_tensor (self, 0, &inputs[0]) ||
      !assay_torch_get_tensor (self, 1, &inputs[1]) || !assay_torch_get_float (self, 2, &threshold))
    return FALSE;
  /* One batch and one class. */
  inputs[0] = assay_torch_unsqueeze (self, inputs[0], 1, axes);
  inputs[1] = assay_torch_unsqueeze (self, inputs[1], 2, axes);
  inputs[2] = assay_torch_ints (self, 1, &most);
  inputs[3] = assay_torch_scalar (self, ASSAY_DTYPE_F32, threshold);
  assay_torch_infer (self,
                     assay_torch_node (self, ASSAY_OP_NonMaxSuppression, 4, inputs, 1, &output));

  return assay_torch_result (
      self, 0,
      assay_torch_gather (self, output, assay_torch_integer (self, ASSAY_DTYPE_I64, 2), last));
}
