/* assay-equivalence-window.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Guards of convolutions, pools and products.
 */
#include "fix/assay-equivalence-private.h"

#include <string.h>

#include "base/assay-sentence.h"
#include "nnir/assay-graph-builder.h"
#include "nnir/assay-node-product.h"
#include "nnir/assay-node-window.h"

/* Elements of weights without groups. */
#define MAX_DENSE (16u << 20)

/* Gets the window; padding that the node leaves to its input is refused. */
static gboolean
get_window (AssayEdit *edit, guint n_axes, AssayNodeWindow *window)
{
  if (!assay_node_get_window (edit->graph, assay_edit_node (edit), window) || window->n != n_axes)
    return assay_edit_refuse (edit, "its window is not known");
  if (window->same)
    return assay_edit_refuse (edit, "auto_pad is %s, expected pads",
                              window->lower ? "SAME_LOWER" : "SAME_UPPER");
  for (guint i = 0; i < n_axes; i++)
    if (window->kernel[i] < 1)
      return assay_edit_refuse (edit, "its window is not known");

  return TRUE;
}

gboolean
assay_guard_one_dimension (AssayEdit *edit)
{
  const AssayType *type = assay_edit_type (edit, assay_edit_input (edit, 0));
  AssayNodeWindow window;

  if (type->rank != 3)
    return assay_edit_refuse (edit, "it has %d dimension%s, expected 3", type->rank,
                              assay_plural (type->rank));
  if (!get_window (edit, 1, &window))
    return FALSE;
  assay_bindings_set_ints (edit->bindings, "strides2", 2, (const gint64[]){ 1, window.stride[0] });
  assay_bindings_set_ints (edit->bindings, "dilations2", 2,
                           (const gint64[]){ 1, window.dilation[0] });
  assay_bindings_set_ints (edit->bindings, "pads2", 4,
                           (const gint64[]){ 0, window.before[0], 0, window.after[0] });

  return TRUE;
}

gboolean
assay_guard_flat_image (AssayEdit *edit)
{
  const AssayType *type = assay_edit_type (edit, assay_edit_input (edit, 0));
  AssayNodeWindow window;

  if (type->rank != 4 || type->dims[2].size != 1)
    return assay_edit_refuse (edit, "its input is no image of height 1");
  if (!get_window (edit, 2, &window))
    return FALSE;
  if (window.kernel[0] != 1 || window.before[0] != 0 || window.after[0] != 0)
    return assay_edit_refuse (edit, "its window has height %d", (int) window.kernel[0]);
  assay_bindings_set_ints (edit->bindings, "strides1", 1, &window.stride[1]);
  assay_bindings_set_ints (edit->bindings, "dilations1", 1, &window.dilation[1]);
  assay_bindings_set_ints (edit->bindings, "pads1", 2,
                           (const gint64[]){ window.before[1], window.after[1] });

  return TRUE;
}

/* The elements of a matrix with rows and columns exchanged. */
static double *
transpose (const double *numbers, gsize rows, gsize columns)
{
  double *result = g_new (double, MAX (rows * columns, 1));

  for (gsize i = 0; i < rows; i++)
    for (gsize j = 0; j < columns; j++)
      result[j * rows + i] = numbers[i * columns + j];

  return result;
}

static gboolean
bind_bias (AssayEdit *edit, AssayValueId bias)
{
  const AssayType *type = assay_guard_result (edit);

  assay_bindings_set_value (
      edit->bindings, "bias",
      bias != ASSAY_NO_VALUE ? bias
                             : assay_builder_number (&edit->builder, "constant", type->dtype, 0));

  return TRUE;
}

gboolean
assay_guard_pointwise_kernel (AssayEdit *edit)
{
  const AssayType *type = assay_edit_type (edit, assay_edit_input (edit, 0));
  const AssayType *weight = assay_edit_type (edit, assay_edit_input (edit, 1));
  gint64 last[ASSAY_MAX_RANK], second[ASSAY_MAX_RANK], dims[2];
  AssayNodeWindow window;
  g_autofree double *numbers = NULL;
  g_autofree double *turned = NULL;
  gsize n;

  if (type->rank < 3 || weight->rank != type->rank ||
      assay_node_get_int (assay_edit_node (edit), "group") != 1)
    return assay_edit_refuse (edit, "it is no convolution of one group");
  if (!get_window (edit, (guint) type->rank - 2, &window))
    return FALSE;
  for (guint i = 0; i < window.n; i++)
    if (window.kernel[i] != 1 || window.stride[i] != 1 || window.before[i] != 0 ||
        window.after[i] != 0)
      return assay_edit_refuse (edit, "its window is larger than 1, or moves in steps");
  numbers = assay_guard_read (edit, assay_edit_input (edit, 1), &n);
  if (numbers == NULL || !assay_type_is_static (weight))
    return assay_edit_refuse (edit, "its weights are no constant");

  turned = transpose (numbers, (gsize) weight->dims[0].size, (gsize) weight->dims[1].size);
  dims[0] = weight->dims[1].size;
  dims[1] = weight->dims[0].size;
  for (int i = 0; i < type->rank; i++)
    {
      last[i] = i == 0 ? 0 : i == type->rank - 1 ? 1 : i + 1;
      second[i] = i == 0 ? 0 : i == 1 ? type->rank - 1 : i - 1;
    }
  assay_bindings_set_ints (edit->bindings, "last", (guint) type->rank, last);
  assay_bindings_set_ints (edit->bindings, "second", (guint) type->rank, second);
  assay_bindings_set_value (edit->bindings, "kernel",
                            assay_guard_floats (edit, type->dtype, 2, dims, turned));

  return bind_bias (edit, assay_edit_input (edit, 2));
}

gboolean
assay_guard_constant_product (AssayEdit *edit)
{
  const AssayType *weight = assay_edit_type (edit, assay_edit_input (edit, 1));
  AssayNodeProduct product = assay_node_get_product (assay_edit_node (edit));
  gboolean turn = product.transposed[1];
  g_autofree double *numbers = NULL;
  g_autofree double *turned = NULL;
  gint64 dims[2];
  gsize n;

  numbers = assay_guard_read (edit, assay_edit_input (edit, 1), &n);
  if (numbers == NULL || weight->rank != 2 || !assay_type_is_static (weight))
    return assay_edit_refuse (edit, "its second side is no constant matrix");
  if (product.transposed[0] || product.beta != 1)
    return assay_edit_refuse (edit, "its first side is transposed, or beta is %g", product.beta);

  dims[0] = weight->dims[turn ? 1 : 0].size;
  dims[1] = weight->dims[turn ? 0 : 1].size;
  turned = turn ? transpose (numbers, (gsize) dims[1], (gsize) dims[0])
                : g_memdup2 (numbers, n * sizeof *numbers);
  for (gsize i = 0; i < n; i++)
    turned[i] *= product.alpha;
  assay_bindings_set_value (edit->bindings, "kernel",
                            assay_guard_floats (edit, weight->dtype, 2, dims, turned));

  return bind_bias (edit, assay_edit_input (edit, 2));
}

gboolean
assay_guard_two_matrices (AssayEdit *edit)
{
  for (guint i = 0; i < 2; i++)
    if (assay_edit_type (edit, assay_edit_input (edit, i))->rank != 2)
      return assay_edit_refuse (edit, "input %u is no matrix", i);

  return TRUE;
}

/* The part of an image that windows cover, from its first row and column. */
static AssayValueId
slice_image (AssayEdit *edit, AssayValueId value, const gint64 *ends)
{
  static const gint64 starts[] = { 0, 0 }, axes[] = { 2, 3 };
  const AssayValueId inputs[] = { value, assay_builder_ints (&edit->builder, "constant", 2, starts),
                                  assay_builder_ints (&edit->builder, "constant", 2, ends),
                                  assay_builder_ints (&edit->builder, "constant", 2, axes) };

  return assay_builder_add (&edit->builder, ASSAY_OP_Slice, NULL, G_N_ELEMENTS (inputs), inputs);
}

/* Windows that lie side by side without gaps; what is left behind the last of them is cut. */
gboolean
assay_guard_tiled_pool (AssayEdit *edit)
{
  AssayValueId whole = assay_edit_input (edit, 0);
  gboolean is_cut = FALSE;
  AssayGuardShape from, to;
  gint64 ends[2];
  AssayNodeWindow window;
  gint64 tiles[6];

  if (!assay_guard_sizes (edit, assay_edit_type (edit, assay_edit_input (edit, 0)), &from) ||
      !assay_guard_sizes (edit, assay_guard_result (edit), &to))
    return FALSE;
  if (from.rank != 4 || assay_node_output (assay_edit_node (edit), 1) != ASSAY_NO_VALUE)
    return assay_edit_refuse (edit, "it pools no image, or gives indices");
  memcpy (tiles, from.dims, 2 * sizeof *tiles);
  if (!get_window (edit, 2, &window))
    return FALSE;
  for (guint i = 0; i < 2; i++)
    {
      if (window.stride[i] != window.kernel[i] || window.dilation[i] != 1 ||
          window.before[i] != 0 || window.after[i] != 0 ||
          to.dims[2 + i] * window.kernel[i] > from.dims[2 + i])
        return assay_edit_refuse (edit, "its windows overlap, or reach beyond the image");
      ends[i] = to.dims[2 + i] * window.kernel[i];
      is_cut = is_cut || ends[i] < from.dims[2 + i];
      tiles[2 + 2 * i] = to.dims[2 + i];
      tiles[3 + 2 * i] = window.kernel[i];
    }
  assay_bindings_set_ints (edit->bindings, "tiles", 6, tiles);
  assay_bindings_set_value (edit->bindings, "whole",
                            is_cut ? slice_image (edit, whole, ends) : whole);

  return TRUE;
}

static AssayValueId
add_listed (AssayEdit *edit, AssayOp op, AssayValueId value, guint n, const gint64 *list)
{
  const AssayValueId inputs[] = { value, assay_builder_ints (&edit->builder, "constant", n, list) };

  return assay_builder_add (&edit->builder, op, NULL, 2, inputs);
}

/* Pools the last axis of an image whose other axes are taken for channels. */
static AssayValueId
pool_last (AssayEdit *edit, AssayValueId value, const gint64 *dims, const AssayNodeWindow *window,
           guint axis, gint64 size)
{
  const gint64 rows[] = { dims[0], dims[1] * dims[2], dims[3] };
  const gint64 image[] = { dims[0], dims[1], dims[2], size };
  AssayOp op = assay_edit_node (edit)->op;
  AssayNodeId node;

  value = add_listed (edit, ASSAY_OP_Reshape, value, 3, rows);
  value = assay_builder_add (&edit->builder, op, NULL, 1, &value);
  node = assay_builder_last (&edit->builder);
  assay_graph_set_ints (edit->graph, node, "kernel_shape", 1, &window->kernel[axis]);
  assay_graph_set_ints (edit->graph, node, "strides", 1, &window->stride[axis]);

  return add_listed (edit, ASSAY_OP_Reshape, value, 4, image);
}

/* A maximum or mean over a rectangle is one over rows of those over columns. */
gboolean
assay_guard_separable_pool (AssayEdit *edit)
{
  static const gint64 turn[] = { 0, 1, 3, 2 };
  AssayValueId value = assay_edit_input (edit, 0);
  AssayGuardShape from, to;
  AssayNodeWindow window;

  if (!assay_guard_sizes (edit, assay_edit_type (edit, value), &from) ||
      !assay_guard_sizes (edit, assay_guard_result (edit), &to))
    return FALSE;
  if (from.rank != 4 || assay_node_output (assay_edit_node (edit), 1) != ASSAY_NO_VALUE ||
      assay_node_get_int (assay_edit_node (edit), "ceil_mode") != 0)
    return assay_edit_refuse (edit, "it pools no image, rounds up, or gives indices");
  if (!get_window (edit, 2, &window))
    return FALSE;
  for (guint i = 0; i < 2; i++)
    if (window.dilation[i] != 1 || window.before[i] != 0 || window.after[i] != 0)
      return assay_edit_refuse (edit, "its windows are padded or dilated");

  if (window.kernel[1] > 1 || window.stride[1] > 1)
    value = pool_last (edit, value, from.dims, &window, 1, to.dims[3]);
  if (window.kernel[0] > 1 || window.stride[0] > 1)
    {
      const gint64 turned[] = { from.dims[0], from.dims[1], to.dims[3], from.dims[2] };

      value = assay_builder_add (&edit->builder, ASSAY_OP_Transpose, NULL, 1, &value);
      assay_graph_set_ints (edit->graph, assay_builder_last (&edit->builder), "perm", 4, turn);
      value = pool_last (edit, value, turned, &window, 0, to.dims[2]);
      value = assay_builder_add (&edit->builder, ASSAY_OP_Transpose, NULL, 1, &value);
      assay_graph_set_ints (edit->graph, assay_builder_last (&edit->builder), "perm", 4, turn);
    }
  assay_bindings_set_value (edit->bindings, "result", value);

  return TRUE;
}

/* Windows that do not overlap: each pixel becomes a rectangle of its own. */
gboolean
assay_guard_tiled_conv_transpose (AssayEdit *edit)
{
  const AssayType *weight = assay_edit_type (edit, assay_edit_input (edit, 1));
  AssayGuardShape from, to;
  g_autofree double *numbers = NULL;
  g_autofree double *turned = NULL;
  g_autofree double *bias = NULL;
  g_autofree double *biases = NULL;
  AssayNodeWindow window;
  gint64 dims[4], split[6];
  gsize n, n_bias = 0, n_out, n_window, n_channels;

  if (!assay_guard_sizes (edit, assay_edit_type (edit, assay_edit_input (edit, 0)), &from) ||
      !assay_guard_sizes (edit, assay_guard_result (edit), &to))
    return FALSE;
  numbers = assay_guard_read (edit, assay_edit_input (edit, 1), &n);
  bias = assay_guard_read (edit, assay_edit_input (edit, 2), &n_bias);
  if (from.rank != 4 || numbers == NULL || weight->rank != 4 ||
      weight->dims[0].size != from.dims[1] ||
      assay_node_get_int (assay_edit_node (edit), "group") != 1 ||
      (bias == NULL && assay_edit_input (edit, 2) != ASSAY_NO_VALUE))
    return assay_edit_refuse (
        edit, "it is no transposed convolution of an image with constant weights in one group");
  if (!get_window (edit, 2, &window))
    return FALSE;
  for (guint i = 0; i < 2; i++)
    if (window.stride[i] != window.kernel[i] || window.dilation[i] != 1 ||
        to.dims[2 + i] != from.dims[2 + i] * window.kernel[i])
      return assay_edit_refuse (edit, "its windows overlap or are cut");

  n_window = (gsize) (weight->dims[2].size * weight->dims[3].size);
  n_out = (gsize) weight->dims[1].size * n_window;
  n_channels = (gsize) weight->dims[1].size;
  turned = g_new (double, MAX (n, 1));
  biases = g_new0 (double, n_out);
  /* The channels of a place side by side stay the data dimension of a target that has one. */
  for (gsize i = 0; i < n_out; i++)
    {
      gsize channel = i % n_channels;

      for (gsize j = 0; j < (gsize) from.dims[1]; j++)
        turned[i * (gsize) from.dims[1] + j] =
            numbers[j * n_out + channel * n_window + i / n_channels];
      if (bias != NULL && channel < n_bias)
        biases[i] = bias[channel];
    }
  dims[0] = (gint64) n_out;
  dims[1] = from.dims[1];
  dims[2] = dims[3] = 1;
  split[0] = from.dims[0];
  split[1] = weight->dims[2].size;
  split[2] = weight->dims[3].size;
  split[3] = weight->dims[1].size;
  split[4] = from.dims[2];
  split[5] = from.dims[3];
  assay_bindings_set_value (edit->bindings, "kernel",
                            assay_guard_floats (edit, weight->dtype, 4, dims, turned));
  assay_bindings_set_value (edit->bindings, "bias",
                            assay_guard_floats (edit, weight->dtype, 1, dims, biases));
  assay_bindings_set_ints (edit->bindings, "split", 6, split);
  assay_bindings_set_ints (edit->bindings, "shape", 4, to.dims);

  return TRUE;
}

/* Between groups there is nothing, which zeros are. */
gboolean
assay_guard_grouped_kernel (AssayEdit *edit)
{
  AssayValueId weights = assay_edit_input (edit, 1);
  gint64 groups = assay_node_get_int (assay_edit_node (edit), "group");
  gsize in, inner = 1, n;
  g_autofree double *numbers = assay_guard_read (edit, weights, &n);
  g_autofree double *dense = NULL;
  AssayGuardShape shape;

  if (!assay_guard_sizes (edit, assay_edit_type (edit, weights), &shape))
    return FALSE;
  if (numbers == NULL || shape.rank < 3 || groups < 2 || shape.dims[0] % groups != 0)
    return assay_edit_refuse (edit, "it has one group, or its weights are no constant");
  in = (gsize) shape.dims[1];
  for (guint i = 2; i < shape.rank; i++)
    inner *= (gsize) shape.dims[i];
  if (!g_size_checked_mul (&n, in * inner * (gsize) groups, (gsize) shape.dims[0]) || n > MAX_DENSE)
    return assay_edit_refuse (edit, "its weights are too many without groups");

  dense = g_new0 (double, MAX (n, 1));
  for (gsize i = 0; i < (gsize) shape.dims[0]; i++)
    memcpy (dense +
                (i * (gsize) groups + i / ((gsize) shape.dims[0] / (gsize) groups)) * in * inner,
            numbers + i * in * inner, in * inner * sizeof *dense);
  shape.dims[1] *= groups;
  assay_bindings_set_value (edit->bindings, "kernel",
                            assay_guard_floats (edit, assay_edit_type (edit, weights)->dtype,
                                                shape.rank, shape.dims, dense));

  return TRUE;
}

/* Padding as a Pad in front has it: before all axes, then behind all. */
static void
bind_front (AssayEdit *edit, guint n, const gint64 *before, const gint64 *after)
{
  gint64 front[2 * (ASSAY_MAX_RANK + 2)] = { 0 };

  memcpy (front + 2, before, n * sizeof *front);
  memcpy (front + n + 4, after, n * sizeof *front);
  assay_bindings_set_ints (edit->bindings, "front", 2 * (n + 2), front);
}

/* Windows that lie in padding alone. */
gboolean
assay_guard_long_pads (AssayEdit *edit)
{
  const AssayType *type = assay_edit_type (edit, assay_edit_input (edit, 0));
  gint64 before[ASSAY_MAX_RANK], after[ASSAY_MAX_RANK], rest[2 * ASSAY_MAX_RANK];
  AssayNodeWindow window;
  gint64 excess = 0;

  if (type->rank < 3 || !get_window (edit, (guint) type->rank - 2, &window))
    return assay_edit_refuse (edit, "its window is not known");
  for (guint i = 0; i < window.n; i++)
    {
      gint64 most = (window.kernel[i] - 1) * window.dilation[i];

      before[i] = MAX (window.before[i] - most, 0);
      after[i] = MAX (window.after[i] - most, 0);
      rest[i] = window.before[i] - before[i];
      rest[window.n + i] = window.after[i] - after[i];
      excess += before[i] + after[i];
    }
  if (excess == 0)
    return assay_edit_refuse (edit, "its padding is less than its window");
  bind_front (edit, window.n, before, after);
  assay_bindings_set_ints (edit->bindings, "rest", 2 * window.n, rest);

  return TRUE;
}

/* Zeros that count. */
gboolean
assay_guard_padded_mean (AssayEdit *edit)
{
  const AssayType *type = assay_edit_type (edit, assay_edit_input (edit, 0));
  AssayNodeWindow window;
  gint64 all = 0;

  if (type->rank < 3 || !get_window (edit, (guint) type->rank - 2, &window))
    return assay_edit_refuse (edit, "its window is not known");
  for (guint i = 0; i < window.n; i++)
    all += window.before[i] + window.after[i];
  if (all == 0 || window.ceil ||
      assay_node_get_int (assay_edit_node (edit), "count_include_pad") == 0)
    return assay_edit_refuse (edit, "it has no padding that counts, or rounds up");
  for (guint i = 0; i < window.n; i++)
    if (window.dilation[i] != 1)
      return assay_edit_refuse (edit, "its window is dilated");
  bind_front (edit, window.n, window.before, window.after);

  return TRUE;
}
