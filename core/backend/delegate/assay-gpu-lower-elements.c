/* assay-gpu-lower-elements.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Operations on elements.
 */
#include <math.h>

#include "backend/delegate/assay-gpu-lower-private.h"

static gboolean
lower_map (AssayGpuLower *self, const AssayNode *node, guint op, double a, double b)
{
  AssayGpuShape x;

  if (!assay_gpu_lower_float_shape (self, node->inputs[0], &x))
    return FALSE;

  assay_gpu_lower_begin (self, x.n);
  assay_gpu_lower_number (self, a);
  assay_gpu_lower_number (self, b);
  assay_gpu_lower_end (
      self, x.form == ASSAY_GPU_FORM_F16 ? ASSAY_GPU_SHADER_UNARY_F16 : ASSAY_GPU_SHADER_UNARY_F32,
      op, (const AssayGpuRef[]){ node->inputs[0], node->outputs[0] });

  return TRUE;
}

ASSAY_GPU_LOWERING (unary)
{
  double a = 0.0;
  double b = 0.0;

  if (node->op == ASSAY_OP_LeakyRelu)
    a = assay_node_get_float (node, "alpha");
  else if (node->op == ASSAY_OP_Shrink)
    {
      a = assay_node_get_float (node, "lambd");
      b = assay_node_get_float (node, "bias");
    }

  return lower_map (self, node, op, a, b);
}

/* Whether integers of a type compute as words do. */
static gboolean
computes (AssayGpuLower *self, const AssayGpuShape *shape)
{
  return shape->form != ASSAY_GPU_FORM_I32 || shape->dtype == ASSAY_DTYPE_I32 ||
         shape->dtype == ASSAY_DTYPE_I64 || shape->dtype == ASSAY_DTYPE_BOOL ||
         assay_gpu_lower_refuse (self, "there is no shader for arithmetic of this element type");
}

/* Bounds of integers, one after the other. */
static gboolean
clip_integers (AssayGpuLower *self, const AssayNode *node, const AssayGpuShape *x,
               const double bounds[2])
{
  AssayGpuRef source = node->inputs[0];

  for (guint i = 0; i < 2; i++)
    {
      gint32 bound = (gint32) CLAMP (bounds[i], (double) G_MININT32, (double) G_MAXINT32);
      AssayGpuRef result = i == 0 ? assay_gpu_lower_scratch (self, x->form, x->n)
                                  : node->outputs[0];
      AssayGpuWalk walk = {
        .n_sides = 2, .rank = 1, .dims = { x->n }, .strides = { { 1 }, { 0 } }
      };

      assay_gpu_lower_begin (self, x->n);
      assay_gpu_lower_walk (self, &walk);
      assay_gpu_lower_end (self, ASSAY_GPU_SHADER_BINARY_I32, i == 0 ? 5 : 6,
                           (const AssayGpuRef[]){
                               source, assay_gpu_lower_pack (self, &bound, sizeof bound), result });
      source = result;
    }

  return TRUE;
}

ASSAY_GPU_LOWERING (clip)
{
  double bounds[] = { -INFINITY, INFINITY };
  AssayGpuShape x;

  for (guint i = 0; i < 2; i++)
    if (assay_node_input (node, i + 1) != ASSAY_NO_VALUE &&
        !assay_gpu_lower_scalar (self, assay_node_input (node, i + 1), &bounds[i]))
      return FALSE;

  /* Bounds make no other integers, so that words are bounded as smaller ones are. */
  if (!assay_gpu_lower_shape (self, node->inputs[0], &x))
    return FALSE;
  if (x.form == ASSAY_GPU_FORM_I32)
    return clip_integers (self, node, &x, bounds);

  return lower_map (self, node, op, bounds[0], bounds[1]);
}

static gboolean
lower_pair (AssayGpuLower *self, const AssayNode *node, guint op, const AssayGpuShader shaders[4])
{
  AssayGpuWalk walk = { .n_sides = 2 };
  AssayGpuShape a, b, c;

  if (node->n_inputs != 2)
    return assay_gpu_lower_refuse (self, "there is no shader for more than two inputs");
  if (!assay_gpu_lower_shape (self, node->inputs[0], &a) ||
      !assay_gpu_lower_shape (self, node->inputs[1], &b) ||
      !assay_gpu_lower_shape (self, node->outputs[0], &c) || !computes (self, &a))
    return FALSE;
  if (a.dtype != b.dtype)
    return assay_gpu_lower_refuse (self, "there is no shader for inputs of different types");
  if (a.form == ASSAY_GPU_FORM_I32 && node->op == ASSAY_OP_Pow)
    return assay_gpu_lower_refuse (self, "there is no shader for powers of integers");

  walk.rank = c.rank;
  for (guint i = 0; i < c.rank; i++)
    walk.dims[i] = c.dims[i];
  assay_gpu_walk_broadcast (&walk, 0, &a);
  assay_gpu_walk_broadcast (&walk, 1, &b);
  assay_gpu_walk_collapse (&walk);
  assay_gpu_lower_begin (self, c.n);
  assay_gpu_lower_walk (self, &walk);
  assay_gpu_lower_end (self, shaders[a.form], op,
                       (const AssayGpuRef[]){ node->inputs[0], node->inputs[1], node->outputs[0] });

  return TRUE;
}

ASSAY_GPU_LOWERING (binary)
{
  static const AssayGpuShader shaders[] = { 0, ASSAY_GPU_SHADER_BINARY_F32,
                                            ASSAY_GPU_SHADER_BINARY_F16,
                                            ASSAY_GPU_SHADER_BINARY_I32 };

  return lower_pair (self, node, op, shaders);
}

/* What is left of whole numbers, with the sign of the divisor. */
ASSAY_GPU_LOWERING (mod)
{
  static const AssayGpuShader shaders[] = { 0, 0, 0, ASSAY_GPU_SHADER_BINARY_I32 };
  AssayGpuShape x;

  if (!assay_gpu_lower_shape (self, node->inputs[0], &x))
    return FALSE;
  if (x.form != ASSAY_GPU_FORM_I32 || assay_node_get_int (node, "fmod") != 0)
    return assay_gpu_lower_refuse (self, "there is no shader for remainders of numbers");

  return lower_pair (self, node, op, shaders);
}

ASSAY_GPU_LOWERING (compare)
{
  static const AssayGpuShader shaders[] = { 0, ASSAY_GPU_SHADER_COMPARE_F32,
                                            ASSAY_GPU_SHADER_COMPARE_F16,
                                            ASSAY_GPU_SHADER_BINARY_I32 };

  return lower_pair (self, node, op, shaders);
}

/* Truth values are 0 and 1: what is not true is 0. */
ASSAY_GPU_LOWERING (not )
{
  const gint32 zero = 0;
  AssayGpuWalk walk = { .n_sides = 2, .rank = 1, .strides = { { 1 }, { 0 } } };
  AssayGpuShape x;

  if (!assay_gpu_lower_shape (self, node->inputs[0], &x))
    return FALSE;
  if (x.dtype != ASSAY_DTYPE_BOOL)
    return assay_gpu_lower_refuse (self, "there is no shader for this element type");
  walk.dims[0] = x.n;
  assay_gpu_lower_begin (self, x.n);
  assay_gpu_lower_walk (self, &walk);
  assay_gpu_lower_end (self, ASSAY_GPU_SHADER_BINARY_I32, 7,
                       (const AssayGpuRef[]){ node->inputs[0],
                                              assay_gpu_lower_pack (self, &zero, sizeof zero),
                                              node->outputs[0] });

  return TRUE;
}

ASSAY_GPU_LOWERING (where)
{
  static const AssayGpuShader shaders[] = { 0, ASSAY_GPU_SHADER_SELECT_F32,
                                            ASSAY_GPU_SHADER_SELECT_F16,
                                            ASSAY_GPU_SHADER_SELECT_I32 };
  AssayGpuWalk walk = { .n_sides = 3 };
  AssayGpuShape sides[3], c;

  if (!assay_gpu_lower_shape (self, node->outputs[0], &c))
    return FALSE;
  walk.rank = c.rank;
  for (guint i = 0; i < c.rank; i++)
    walk.dims[i] = c.dims[i];
  for (guint i = 0; i < 3; i++)
    {
      if (!assay_gpu_lower_shape (self, node->inputs[i], &sides[i]))
        return FALSE;
      assay_gpu_walk_broadcast (&walk, i, &sides[i]);
    }
  assay_gpu_walk_collapse (&walk);
  assay_gpu_lower_begin (self, c.n);
  assay_gpu_lower_walk (self, &walk);
  assay_gpu_lower_end (
      self, shaders[c.form], 0,
      (const AssayGpuRef[]){ node->inputs[0], node->inputs[1], node->inputs[2], node->outputs[0] });

  return TRUE;
}

ASSAY_GPU_LOWERING (cast)
{
  static const AssayGpuShader shaders[4][4] = {
    { 0 },
    { 0, 0, ASSAY_GPU_SHADER_CONVERT_F32_F16, ASSAY_GPU_SHADER_CONVERT_F32_I32 },
    { 0, ASSAY_GPU_SHADER_CONVERT_F16_F32, 0, ASSAY_GPU_SHADER_CONVERT_F16_I32 },
    { 0, ASSAY_GPU_SHADER_CONVERT_I32_F32, ASSAY_GPU_SHADER_CONVERT_I32_F16,
      ASSAY_GPU_SHADER_CONVERT_I32_I32 },
  };
  /* What a shader keeps of an integer. */
  static const guint kept[ASSAY_N_DTYPES] = {
    [ASSAY_DTYPE_BOOL] = 1, [ASSAY_DTYPE_I8] = 2, [ASSAY_DTYPE_U8] = 3
  };
  AssayGpuShape x, y;

  if (!assay_gpu_lower_shape (self, node->inputs[0], &x) ||
      !assay_gpu_lower_shape (self, node->outputs[0], &y))
    return FALSE;
  if (x.dtype == y.dtype || (x.form == y.form && x.form != ASSAY_GPU_FORM_I32))
    return assay_gpu_lower_alias (self, node->outputs[0], node->inputs[0]);

  assay_gpu_lower_begin (self, x.n);
  assay_gpu_lower_end (self, shaders[x.form][y.form], kept[y.dtype],
                       (const AssayGpuRef[]){ node->inputs[0], node->outputs[0] });

  return TRUE;
}
