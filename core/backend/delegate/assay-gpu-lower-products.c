/* assay-gpu-lower-products.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Products of matrices, convolutions, and windows that slide.
 */
#include "backend/delegate/assay-gpu-lower-private.h"

#include <string.h>

#include "nnir/assay-node-product.h"
#include "nnir/assay-node-window.h"

/* A factor as matrices: [..., rows, columns], a vector as one row or one column. */
static void
read_matrix (const AssayGpuShape *shape, gboolean transposed, gboolean left, gint64 extents[2],
             gint64 steps[2], AssayGpuShape *outside)
{
  gint64 strides[ASSAY_MAX_RANK];

  assay_gpu_strides (shape->rank, shape->dims, strides);
  *outside = *shape;
  outside->rank = shape->rank > 2 ? shape->rank - 2 : 0;
  if (shape->rank == 1)
    {
      extents[left ? 0 : 1] = 1;
      extents[left ? 1 : 0] = shape->dims[0];
      steps[left ? 0 : 1] = 0;
      steps[left ? 1 : 0] = 1;
      return;
    }
  for (guint i = 0; i < 2; i++)
    {
      guint axis = shape->rank - 2 + (transposed ? 1 - i : i);

      extents[i] = shape->dims[axis];
      steps[i] = strides[axis];
    }
}

/* Whether lines of a result lie within rows of its matrices, so that texels do. */
static gboolean
has_lines (AssayGpuLower *self, AssayGpuRef result, gint64 columns)
{
  const AssayType *type;

  if ((result & (ASSAY_GPU_REF_PACKED | ASSAY_GPU_REF_SCRATCH)) != 0)
    return FALSE;
  type = assay_graph_value (self->graph, result)->type;

  return type->rank > 0 && type->dims[type->rank - 1].size > 0 &&
         columns % type->dims[type->rank - 1].size == 0;
}

/* Products of matrices, one after another. */
void
assay_gpu_lower_matrices (AssayGpuLower *self, const AssayGpuMatrices *made)
{
  AssayGpuWalk walk = made->walk;
  gint64 n = 1;
  AssayGpuRef refs[4];

  for (guint i = 0; i < walk.rank; i++)
    n *= walk.dims[i];
  assay_gpu_walk_collapse (&walk);
  assay_gpu_lower_begin (self, n * ((made->rows + 3) / 4) * ((made->columns + 3) / 4));
  assay_gpu_lower_word (self, made->rows);
  assay_gpu_lower_word (self, made->columns);
  assay_gpu_lower_word (self, made->length);
  for (guint side = 0; side < 3; side++)
    for (guint i = 0; i < 2; i++)
      assay_gpu_lower_word (self, made->steps[side][i]);
  assay_gpu_lower_word (self, made->refs[2] != ASSAY_NO_VALUE);
  assay_gpu_lower_number (self, made->alpha);
  assay_gpu_lower_number (self, made->beta);
  assay_gpu_lower_bounds (self);
  assay_gpu_lower_walk (self, &walk);
  if (!has_lines (self, made->refs[3], made->columns))
    assay_gpu_lower_result (self, ASSAY_GPU_RESULT_PARTS);
  memcpy (refs, made->refs, sizeof refs);
  if (refs[2] == ASSAY_NO_VALUE)
    refs[2] = refs[1];
  assay_gpu_lower_end (self,
                       made->form == ASSAY_GPU_FORM_F16 ? ASSAY_GPU_SHADER_PRODUCT_F16
                                                        : ASSAY_GPU_SHADER_PRODUCT_F32,
                       0, refs);
}

ASSAY_GPU_LOWERING (product)
{
  AssayNodeProduct product = assay_node_get_product (node);
  AssayValueId bias_value = assay_node_input (node, 2);
  AssayGpuMatrices made = { .walk.n_sides = 3 };
  AssayGpuWalk *walk = &made.walk;
  AssayGpuShape a, b, bias, c, outside[2];
  gint64 extents[2][2], strides[ASSAY_MAX_RANK];

  if (!assay_gpu_lower_float_shape (self, node->inputs[product.inputs[0]], &a) ||
      !assay_gpu_lower_float_shape (self, node->inputs[product.inputs[1]], &b) ||
      !assay_gpu_lower_float_shape (self, node->outputs[0], &c))
    return FALSE;
  if (a.form != b.form || a.form != c.form || a.rank == 0 || b.rank == 0)
    return assay_gpu_lower_refuse (self, "there is no shader for factors of different types");
  read_matrix (&a, product.transposed[0], TRUE, extents[0], made.steps[0], &outside[0]);
  read_matrix (&b, product.transposed[1], FALSE, extents[1], made.steps[1], &outside[1]);
  if (extents[0][1] != extents[1][0])
    return assay_gpu_lower_refuse (self, "its factors do not fit each other");

  if (bias_value != ASSAY_NO_VALUE)
    {
      if (!assay_gpu_lower_float_shape (self, bias_value, &bias))
        return FALSE;
      if (bias.form != c.form || bias.rank > 2)
        return assay_gpu_lower_refuse (self, "there is no shader for a bias of this rank");
      assay_gpu_strides (bias.rank, bias.dims, strides);
      for (guint i = 0; i < bias.rank; i++)
        if (bias.dims[i] > 1)
          made.steps[2][2 - bias.rank + i] = strides[i];
    }

  walk->rank = MAX (outside[0].rank, outside[1].rank);
  for (guint i = 0; i < walk->rank; i++)
    {
      walk->dims[i] = 1;
      for (guint side = 0; side < 2; side++)
        {
          guint missing = walk->rank - outside[side].rank;

          if (i >= missing && outside[side].dims[i - missing] != 1)
            walk->dims[i] = outside[side].dims[i - missing];
        }
    }
  for (guint side = 0; side < 2; side++)
    {
      assay_gpu_walk_broadcast (walk, side, &outside[side]);
      for (guint i = 0; i < walk->rank; i++)
        walk->strides[side][i] *= extents[side][0] * extents[side][1];
    }

  made.form = c.form;
  made.rows = extents[0][0];
  made.columns = extents[1][1];
  made.length = extents[0][1];
  made.alpha = product.alpha;
  made.beta = product.beta;
  made.refs[0] = node->inputs[product.inputs[0]];
  made.refs[1] = node->inputs[product.inputs[1]];
  made.refs[2] = bias_value;
  made.refs[3] = node->outputs[0];
  assay_gpu_lower_matrices (self, &made);

  return TRUE;
}

/* Windows over one axis are windows over two, the first of extent 1. */
gboolean
assay_gpu_lower_window (AssayGpuLower *self, const AssayNode *node, AssayNodeWindow *window)
{
  if (!assay_node_get_window (self->graph, node, window))
    return assay_gpu_lower_refuse (self, "its window is not known");
  if (window->n == 0 || window->n > 2)
    return assay_gpu_lower_refuse (self, "there is no shader for windows over three axes");
  if (window->n == 1)
    {
      window->in[1] = window->in[0];
      window->out[1] = window->out[0];
      window->kernel[1] = window->kernel[0];
      window->stride[1] = window->stride[0];
      window->dilation[1] = window->dilation[0];
      window->before[1] = window->before[0];
      window->after[1] = window->after[0];
      window->in[0] = window->out[0] = window->kernel[0] = 1;
      window->stride[0] = window->dilation[0] = 1;
      window->before[0] = window->after[0] = 0;
    }

  return TRUE;
}

/* What all shaders with windows are told behind the number of channels. */
void
assay_gpu_lower_window_words (AssayGpuLower *self, const AssayNodeWindow *window,
                              gint64 out_channels)
{
  const gint64 *const lists[] = { window->kernel, window->stride, window->before,
                                  window->dilation };

  assay_gpu_lower_word (self, window->in[0]);
  assay_gpu_lower_word (self, window->in[1]);
  assay_gpu_lower_word (self, out_channels);
  assay_gpu_lower_word (self, window->out[0]);
  assay_gpu_lower_word (self, window->out[1]);
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    for (guint axis = 0; axis < 2; axis++)
      assay_gpu_lower_word (self, lists[i][axis]);
}

/* Windows of one place are a product of the weights and the places of each image. */
static gboolean
is_pointwise (const AssayNodeWindow *window, gint64 groups)
{
  for (guint axis = 0; axis < 2; axis++)
    if (window->kernel[axis] != 1 || window->stride[axis] != 1 || window->before[axis] != 0 ||
        window->after[axis] != 0)
      return FALSE;

  return groups == 1;
}

static void
lower_pointwise (AssayGpuLower *self, const AssayNode *node, const AssayGpuShape *x,
                 const AssayGpuShape *y)
{
  AssayValueId bias = assay_node_input (node, 2);
  gint64 places = y->n / y->dims[0] / y->dims[1];
  const AssayGpuMatrices made = {
    .form = x->form,
    .rows = y->dims[1],
    .columns = places,
    .length = x->dims[1],
    .steps = { { x->dims[1], 1 }, { places, 1 }, { 1, 0 } },
    .alpha = 1.0,
    .beta = 1.0,
    .walk = { .n_sides = 3,
              .rank = 1,
              .dims = { y->dims[0] },
              .strides = { { 0 }, { x->dims[1] * places }, { 0 } } },
    .refs = { node->inputs[1], node->inputs[0], bias, node->outputs[0] },
  };

  assay_gpu_lower_matrices (self, &made);
}

ASSAY_GPU_LOWERING (conv)
{
  gboolean transposed = node->op == ASSAY_OP_ConvTranspose;
  gint64 groups = assay_node_get_int (node, "group");
  AssayValueId bias = assay_node_input (node, 2);
  AssayGpuShape x, w, y, b;
  AssayNodeWindow window;
  gint64 group_out, channels, places;
  AssayGpuShader shader;

  if (!assay_gpu_lower_float_shape (self, node->inputs[0], &x) ||
      !assay_gpu_lower_float_shape (self, node->inputs[1], &w) ||
      !assay_gpu_lower_float_shape (self, node->outputs[0], &y) ||
      (bias != ASSAY_NO_VALUE && !assay_gpu_lower_float_shape (self, bias, &b)) ||
      !assay_gpu_lower_window (self, node, &window))
    return FALSE;
  if (x.form != w.form || groups < 1 || (bias != ASSAY_NO_VALUE && b.form != x.form) ||
      x.rank != window.n + 2 || w.rank != x.rank || y.rank != x.rank)
    return assay_gpu_lower_refuse (self, "its inputs do not fit each other");

  group_out = y.dims[1] / groups;
  if (group_out < 1 || x.dims[1] / groups < 1)
    return assay_gpu_lower_refuse (self, "it has no channels");
  if (!transposed && assay_gpu_lower_conv_vec4 (self, node, &x, &y, &window))
    return TRUE;
  if (!transposed && y.n > 0 && is_pointwise (&window, groups))
    {
      lower_pointwise (self, node, &x, &y);
      return TRUE;
    }
  channels = transposed || group_out < 4 ? 1 : 4;
  places = transposed || window.out[1] < 4 ? 1 : 4;
  assay_gpu_lower_begin (self, y.dims[0] * groups * ((group_out + channels - 1) / channels) *
                                   window.out[0] * ((window.out[1] + places - 1) / places));
  assay_gpu_lower_word (self, x.dims[1]);
  assay_gpu_lower_window_words (self, &window, y.dims[1]);
  assay_gpu_lower_word (self, x.dims[1] / groups);
  assay_gpu_lower_word (self, group_out);
  assay_gpu_lower_word (self, bias != ASSAY_NO_VALUE);
  assay_gpu_lower_bounds (self);
  if (transposed)
    shader = x.form == ASSAY_GPU_FORM_F16 ? ASSAY_GPU_SHADER_CONV_TRANSPOSE_F16
                                          : ASSAY_GPU_SHADER_CONV_TRANSPOSE_F32;
  else
    shader = x.form == ASSAY_GPU_FORM_F16 ? ASSAY_GPU_SHADER_CONV_F16 : ASSAY_GPU_SHADER_CONV_F32;
  assay_gpu_lower_end (
      self, shader, transposed ? 0 : (channels == 1 ? 1 : 0) + (places == 1 ? 2 : 0),
      (const AssayGpuRef[]){ node->inputs[0], node->inputs[1],
                             bias != ASSAY_NO_VALUE ? bias : node->inputs[1], node->outputs[0] });

  return TRUE;
}

static void
lower_window (AssayGpuLower *self, const AssayNode *node, const AssayNodeWindow *window,
              const AssayGpuShape *x, const AssayGpuShape *y, gboolean place, guint op)
{
  static const AssayGpuShader shaders[2][2] = {
    { ASSAY_GPU_SHADER_POOL_F32, ASSAY_GPU_SHADER_POOL_F16 },
    { ASSAY_GPU_SHADER_POOL_PLACE_F32, ASSAY_GPU_SHADER_POOL_PLACE_F16 },
  };

  assay_gpu_lower_begin (self, y->n);
  assay_gpu_lower_word (self, x->dims[0] * x->dims[1]);
  assay_gpu_lower_window_words (self, window, y->dims[1]);
  assay_gpu_lower_word (self, op == 1 && assay_node_get_int (node, "count_include_pad") != 0);
  assay_gpu_lower_word (self, window->after[0]);
  assay_gpu_lower_word (self, window->after[1]);
  assay_gpu_lower_end (self, shaders[place][x->form == ASSAY_GPU_FORM_F16], op,
                       (const AssayGpuRef[]){ node->inputs[0], node->outputs[place ? 1 : 0] });
}

ASSAY_GPU_LOWERING (pool)
{
  AssayNodeWindow window;
  AssayGpuShape x, y;

  if (!assay_gpu_lower_float_shape (self, node->inputs[0], &x) ||
      !assay_gpu_lower_float_shape (self, node->outputs[0], &y) ||
      !assay_gpu_lower_window (self, node, &window))
    return FALSE;
  if (x.rank != window.n + 2 || y.rank != x.rank)
    return assay_gpu_lower_refuse (self, "its window is not known");

  if (!assay_gpu_lower_pool_vec4 (self, node, &window, &x, &y, op))
    lower_window (self, node, &window, &x, &y, FALSE, op);
  if (assay_node_output (node, 1) != ASSAY_NO_VALUE)
    lower_window (self, node, &window, &x, &y, TRUE, op);

  return TRUE;
}
