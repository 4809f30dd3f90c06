/* assay-gpu-lower-rows.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What is reduced, normalized or looked up along axes.
 */
#include <math.h>
#include <string.h>

#include "backend/delegate/assay-gpu-lower-private.h"
#include "nnir/assay-axes.h"

static AssayGpuShader
by_form (const AssayGpuShape *shape, AssayGpuShader f32, AssayGpuShader f16)
{
  return shape->form == ASSAY_GPU_FORM_F16 ? f16 : f32;
}

/* The axes of a mask in a walk of their own, all that are left out in another one. */
static void
lower_reduction (AssayGpuLower *self, const AssayNode *node, const AssayGpuShape *x, guint64 mask,
                 guint op)
{
  AssayGpuWalk walks[2] = { { .n_sides = 1 }, { .n_sides = 1 } };
  gint64 strides[ASSAY_MAX_RANK];
  gint64 counts[2] = { 1, 1 };

  assay_gpu_strides (x->rank, x->dims, strides);
  for (guint i = 0; i < x->rank; i++)
    {
      guint goes = (mask >> i & 1) != 0;
      AssayGpuWalk *walk = &walks[goes];

      walk->dims[walk->rank] = x->dims[i];
      walk->strides[0][walk->rank++] = strides[i];
      counts[goes] *= x->dims[i];
    }
  assay_gpu_walk_collapse (&walks[0]);
  assay_gpu_walk_collapse (&walks[1]);

  assay_gpu_lower_begin (self, counts[0]);
  assay_gpu_lower_word (self, counts[1]);
  assay_gpu_lower_word (self, walks[0].rank);
  assay_gpu_lower_word (self, walks[1].rank);
  for (guint i = 0; i < 2; i++)
    for (guint axis = walks[i].rank; axis-- > 0;)
      {
        assay_gpu_lower_word (self, walks[i].dims[axis]);
        assay_gpu_lower_word (self, walks[i].strides[0][axis]);
      }
  assay_gpu_lower_end (self, by_form (x, ASSAY_GPU_SHADER_REDUCE_F32, ASSAY_GPU_SHADER_REDUCE_F16),
                       op, (const AssayGpuRef[]){ node->inputs[0], node->outputs[0] });
}

ASSAY_GPU_LOWERING (reduce)
{
  AssayGpuShape x;
  AssayAxes axes;

  if (!assay_gpu_lower_float_shape (self, node->inputs[0], &x))
    return FALSE;
  axes = assay_node_axes (self->graph, node, (int) x.rank);
  if (!axes.known || x.n == 0)
    return assay_gpu_lower_refuse (self, "there is no shader for axes that are computed or empty");
  if (axes.mask == 0)
    return assay_gpu_lower_refuse (self, "there is no shader for a reduction over no axis");
  lower_reduction (self, node, &x, axes.mask, op);

  return TRUE;
}

ASSAY_GPU_LOWERING (global_pool)
{
  AssayGpuShape x;

  if (!assay_gpu_lower_float_shape (self, node->inputs[0], &x))
    return FALSE;
  if (x.rank < 3 || x.rank > 32 || x.n == 0)
    return assay_gpu_lower_refuse (self, "there is no shader for this rank");
  lower_reduction (self, node, &x, ((G_GUINT64_CONSTANT (1) << x.rank) - 1) & ~(guint64) 3, op);

  return TRUE;
}

/* How often something is done along an axis, and how far its elements are apart. */
static gboolean
read_axis (AssayGpuLower *self, const AssayNode *node, AssayGpuShape *x, gint64 *extent,
           gint64 *stride)
{
  gint64 strides[ASSAY_MAX_RANK];
  int axis;

  if (!assay_gpu_lower_shape (self, node->inputs[0], x))
    return FALSE;
  if (!assay_node_get_axis (node, (int) x->rank, &axis))
    return assay_gpu_lower_refuse (self, "its axis is not known");
  assay_gpu_strides (x->rank, x->dims, strides);
  *extent = x->dims[axis];
  *stride = strides[axis];

  return TRUE;
}

static gboolean
lower_axis (AssayGpuLower *self, const AssayNode *node, guint op, AssayGpuShader f32,
            AssayGpuShader f16)
{
  gint64 extent, stride;
  AssayGpuShape x;

  if (!read_axis (self, node, &x, &extent, &stride))
    return FALSE;
  if (x.form == ASSAY_GPU_FORM_I32)
    return assay_gpu_lower_refuse (self, "there is no shader for integers");
  if (extent == 0)
    return assay_gpu_lower_refuse (self, "there is no shader for an empty axis");
  assay_gpu_lower_begin (self, x.n / extent);
  assay_gpu_lower_word (self, extent);
  assay_gpu_lower_word (self, MAX (stride, 1));
  assay_gpu_lower_result (self, stride == 1 && x.rank > 0 && x.dims[x.rank - 1] == extent
                                    ? ASSAY_GPU_RESULT_LINES
                                    : ASSAY_GPU_RESULT_PARTS);
  assay_gpu_lower_end (self, by_form (&x, f32, f16), op,
                       (const AssayGpuRef[]){ node->inputs[0], node->outputs[0] });

  return TRUE;
}

ASSAY_GPU_LOWERING (softmax)
{
  return lower_axis (self, node, op, ASSAY_GPU_SHADER_SOFTMAX_F32, ASSAY_GPU_SHADER_SOFTMAX_F16);
}

ASSAY_GPU_LOWERING (arg)
{
  if (assay_node_get_int (node, "select_last_index") != 0)
    return assay_gpu_lower_refuse (self, "there is no shader that takes the last of equals");

  return lower_axis (self, node, op, ASSAY_GPU_SHADER_ARG_F32, ASSAY_GPU_SHADER_ARG_F16);
}

static gboolean
lower_norm (AssayGpuLower *self, const AssayNode *node, const AssayGpuShape *x, gint64 rows,
            gint64 period, gint64 scales, gint64 shared, guint op)
{
  AssayValueId shift = assay_node_input (node, 2);
  AssayGpuShape scale_shape, shift_shape;

  if (!assay_gpu_lower_shape (self, node->inputs[1], &scale_shape) ||
      (shift != ASSAY_NO_VALUE && !assay_gpu_lower_shape (self, shift, &shift_shape)))
    return FALSE;
  if (scale_shape.form != x->form || scale_shape.n != period * scales ||
      (shift != ASSAY_NO_VALUE && (shift_shape.form != x->form || shift_shape.n != scale_shape.n)))
    return assay_gpu_lower_refuse (self, "there is no shader for scales of this type or shape");
  for (guint i = 1; i < node->n_outputs; i++)
    if (node->outputs[i] != ASSAY_NO_VALUE)
      return assay_gpu_lower_refuse (self, "there is no shader that tells mean and deviation");
  if (x->n == 0)
    return TRUE;

  assay_gpu_lower_begin (self, rows);
  assay_gpu_lower_word (self, x->n / rows);
  assay_gpu_lower_word (self, period);
  assay_gpu_lower_word (self, scales);
  assay_gpu_lower_word (self, shared);
  assay_gpu_lower_word (self, shift != ASSAY_NO_VALUE);
  assay_gpu_lower_number (self, assay_node_get_float (node, "epsilon"));
  assay_gpu_lower_result (self, x->dims[x->rank - 1] == x->n / rows ? ASSAY_GPU_RESULT_LINES
                                                                    : ASSAY_GPU_RESULT_PARTS);
  assay_gpu_lower_end (self, by_form (x, ASSAY_GPU_SHADER_NORM_F32, ASSAY_GPU_SHADER_NORM_F16), op,
                       (const AssayGpuRef[]){ node->inputs[0], node->inputs[1],
                                              shift != ASSAY_NO_VALUE ? shift : node->inputs[1],
                                              node->outputs[0] });

  return TRUE;
}

ASSAY_GPU_LOWERING (layer_norm)
{
  AssayGpuShape x;
  gint64 row = 1;
  int axis;

  if (!assay_gpu_lower_float_shape (self, node->inputs[0], &x))
    return FALSE;
  if (!assay_node_get_axis (node, (int) x.rank, &axis))
    return assay_gpu_lower_refuse (self, "its axis is not known");
  for (guint i = (guint) axis; i < x.rank; i++)
    row *= x.dims[i];

  return lower_norm (self, node, &x, row > 0 ? x.n / row : 0, 1, row, 1, op);
}

/* Rows are groups of channels; a scale holds for all of a channel. */
ASSAY_GPU_LOWERING (group_norm)
{
  AssayGpuShape x;
  gint64 groups, plane;

  if (!assay_gpu_lower_float_shape (self, node->inputs[0], &x))
    return FALSE;
  if (x.rank < 2)
    return assay_gpu_lower_refuse (self, "there is no shader for this rank");
  groups = op == 1 ? assay_node_get_int (node, "num_groups") : x.dims[1];
  if (groups < 1 || x.dims[0] < 1 || x.dims[1] % groups != 0)
    return assay_gpu_lower_refuse (self, "its groups do not fit");
  plane = x.n / x.dims[0] / MAX (x.dims[1], 1);

  return lower_norm (self, node, &x, x.dims[0] * groups, groups, x.dims[1] / groups, MAX (plane, 1),
                     0);
}

ASSAY_GPU_LOWERING (batch_norm)
{
  double epsilon = assay_node_get_float (node, "epsilon");
  g_autofree float *factors = NULL;
  AssayTensor *constants[4];
  AssayGpuShape x;
  gint64 n;

  if (!assay_gpu_lower_float_shape (self, node->inputs[0], &x))
    return FALSE;
  n = x.rank > 1 ? x.dims[1] : 1;
  for (guint i = 0; i < 4; i++)
    {
      constants[i] = assay_graph_constant (self->graph, assay_node_input (node, i + 1));
      if (constants[i] == NULL || assay_tensor_get_n_elements (constants[i]) != (gsize) n)
        return assay_gpu_lower_refuse (self, "there is no shader for statistics that are computed");
    }
  if (assay_node_get_int (node, "training_mode") != 0 || x.rank < 2)
    return assay_gpu_lower_refuse (self, "there is no shader for training");

  factors = g_new (float, 2 * (gsize) n + 1);
  for (gint64 i = 0; i < n; i++)
    {
      double numbers[4];

      for (guint j = 0; j < 4; j++)
        if (!assay_tensor_get_element (constants[j], (gsize) i, &numbers[j], NULL))
          return assay_gpu_lower_refuse (self, "its statistics cannot be read");
      numbers[0] /= sqrt (numbers[3] + epsilon);
      factors[i] = (float) numbers[0];
      factors[n + i] = (float) (numbers[1] - numbers[2] * numbers[0]);
    }
  assay_gpu_lower_begin (self, x.n);
  assay_gpu_lower_word (self, n);
  assay_gpu_lower_word (self, n > 0 && x.dims[0] > 0 ? x.n / n / x.dims[0] : 1);
  assay_gpu_lower_end (
      self, by_form (&x, ASSAY_GPU_SHADER_AFFINE_F32, ASSAY_GPU_SHADER_AFFINE_F16), 0,
      (const AssayGpuRef[]){ node->inputs[0],
                             assay_gpu_lower_pack (self, factors, (gsize) n * sizeof *factors),
                             assay_gpu_lower_pack (self, factors + n, (gsize) n * sizeof *factors),
                             node->outputs[0] });

  return TRUE;
}

static AssayGpuShader
gather_shader (const AssayGpuShape *x)
{
  static const AssayGpuShader shaders[] = { 0, ASSAY_GPU_SHADER_GATHER_F32,
                                            ASSAY_GPU_SHADER_GATHER_F16,
                                            ASSAY_GPU_SHADER_GATHER_I32 };

  return shaders[x->form];
}

ASSAY_GPU_LOWERING (gather)
{
  AssayGpuShape x, indices, y;
  gint64 extent, stride;

  if (!read_axis (self, node, &x, &extent, &stride) ||
      !assay_gpu_lower_shape (self, node->inputs[1], &indices) ||
      !assay_gpu_lower_shape (self, node->outputs[0], &y))
    return FALSE;
  if (indices.form != ASSAY_GPU_FORM_I32)
    return assay_gpu_lower_refuse (self, "its indices are no integers");
  assay_gpu_lower_begin (self, y.n);
  assay_gpu_lower_word (self, extent);
  assay_gpu_lower_word (self, stride);
  assay_gpu_lower_word (self, indices.n);
  assay_gpu_lower_end (self, gather_shader (&x), 0,
                       (const AssayGpuRef[]){ node->inputs[0], node->inputs[1], node->outputs[0] });

  return TRUE;
}

ASSAY_GPU_LOWERING (gather_elements)
{
  gint64 strides[ASSAY_MAX_RANK];
  gint64 extent, stride;
  AssayGpuShape x, y;
  int axis;

  if (!read_axis (self, node, &x, &extent, &stride) ||
      !assay_gpu_lower_shape (self, node->outputs[0], &y) ||
      !assay_node_get_axis (node, (int) x.rank, &axis))
    return FALSE;
  if (x.rank != y.rank)
    return assay_gpu_lower_refuse (self, "its inputs do not fit each other");
  assay_gpu_strides (x.rank, x.dims, strides);
  assay_gpu_lower_begin (self, y.n);
  assay_gpu_lower_word (self, extent);
  assay_gpu_lower_word (self, stride);
  assay_gpu_lower_word (self, y.n);
  assay_gpu_lower_word (self, y.rank);
  for (guint i = y.rank; i-- > 0;)
    {
      assay_gpu_lower_word (self, y.dims[i]);
      assay_gpu_lower_word (self, (int) i == axis ? 0 : strides[i]);
    }
  assay_gpu_lower_end (self, gather_shader (&x), 1,
                       (const AssayGpuRef[]){ node->inputs[0], node->inputs[1], node->outputs[0] });

  return TRUE;
}
