/* assay-gpu-lower-quantize.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Numbers to small integers and back, with scales that are known when the program is built.
 */
#include "backend/delegate/assay-gpu-lower-private.h"
#include "nnir/assay-axes.h"

/* Scales and zero points, one for all, one per channel or one per block, and how many elements
 * share them. */
typedef struct
{
  gint64 n;
  gint64 inner;
  AssayGpuRef scale;
  AssayGpuRef zero;
} Scales;

/* Which scale an element has: where it lies, and its block along an axis. */
typedef struct
{
  gint64 inner;    /* elements from one of the axis to the next */
  gint64 extent;   /* of the axis */
  gint64 block;    /* how many of the axis share a scale */
  gint64 n_blocks; /* along the axis */
} Blocks;

static gsize
scale_of (const Blocks *blocks, gint64 element)
{
  gint64 along = element / blocks->inner % blocks->extent;
  gint64 outer = element / (blocks->inner * blocks->extent);

  return (gsize) ((outer * blocks->n_blocks + along / blocks->block) * blocks->inner +
                  element % blocks->inner);
}

/* How scales are spread: where blocks follow each other in memory, and channels, each scale stands
 * once, else once for each element. */
static gboolean
read_spread (AssayGpuLower *self, const AssayNode *node, const AssayGpuShape *x, gint64 n,
             Scales *scales, Blocks *blocks)
{
  gint64 strides[ASSAY_MAX_RANK];
  int axis;

  *blocks = (Blocks){ .inner = 1, .extent = MAX (x->n, 1), .block = MAX (x->n, 1), .n_blocks = 1 };
  scales->n = n;
  scales->inner = MAX (x->n, 1);
  if (n == 1)
    return TRUE;
  if (!assay_node_get_axis (node, (int) x->rank, &axis) || x->n == 0)
    return assay_gpu_lower_refuse (self, "its axis is not known");

  assay_gpu_strides (x->rank, x->dims, strides);
  *blocks = (Blocks){ .inner = strides[axis],
                      .extent = x->dims[axis],
                      .block = assay_node_get_int (node, "block_size") };
  if (blocks->block < 0)
    return assay_gpu_lower_refuse (self, "its blocks do not fill it");
  if (blocks->block == 0)
    {
      scales->inner = blocks->inner;
      return x->dims[axis] == n || assay_gpu_lower_refuse (self, "its axis is not known");
    }
  blocks->n_blocks = (blocks->extent + blocks->block - 1) / blocks->block;
  if (n != x->n / blocks->extent * blocks->n_blocks)
    return assay_gpu_lower_refuse (self, "its blocks do not fill it");
  if (blocks->inner == 1 && blocks->extent % blocks->block == 0)
    scales->inner = blocks->block;
  else
    {
      scales->n = x->n;
      scales->inner = 1;
    }

  return TRUE;
}

static gboolean
read_scales (AssayGpuLower *self, const AssayNode *node, const AssayGpuShape *x, Scales *scales)
{
  AssayTensor *scale = assay_graph_constant (self->graph, node->inputs[1]);
  AssayTensor *zero = assay_graph_constant (self->graph, assay_node_input (node, 2));
  g_autofree float *factors = NULL;
  g_autofree gint32 *points = NULL;
  Blocks blocks;
  gint64 n;

  if (scale == NULL || (zero == NULL && assay_node_input (node, 2) != ASSAY_NO_VALUE))
    return assay_gpu_lower_refuse (self, "there is no shader for scales that are computed");
  n = (gint64) assay_tensor_get_n_elements (scale);
  if (n < 1 || (zero != NULL && assay_tensor_get_n_elements (zero) != (gsize) n))
    return assay_gpu_lower_refuse (self, "it has other zero points than scales");
  if (!read_spread (self, node, x, n, scales, &blocks))
    return FALSE;

  factors = g_new0 (float, (gsize) scales->n);
  points = g_new0 (gint32, (gsize) scales->n);
  for (gint64 i = 0; i < scales->n; i++)
    {
      gsize from = scales->n == n ? (gsize) i : scale_of (&blocks, i);
      double number;
      gint64 point = 0;

      if (!assay_tensor_get_element (scale, from, &number, NULL) ||
          (zero != NULL && !assay_tensor_get_integer (zero, from, &point, NULL)))
        return assay_gpu_lower_refuse (self, "its scales cannot be read");
      factors[i] = (float) number;
      points[i] = (gint32) point;
    }
  scales->scale = assay_gpu_lower_pack (self, factors, (gsize) scales->n * sizeof *factors);
  scales->zero = assay_gpu_lower_pack (self, points, (gsize) scales->n * sizeof *points);

  return TRUE;
}

/* What is dequantised: words, which constants of less than a byte become when the plan is made. */
static gboolean
read_words (AssayGpuLower *self, AssayValueId value, const AssayGpuShape *like, AssayGpuRef *ref)
{
  AssayTensor *tensor = assay_graph_constant (self->graph, value);
  g_autofree gint32 *words = NULL;
  AssayGpuShape x;

  *ref = value;
  if (tensor == NULL || !assay_dtype_is_integer (assay_tensor_get_dtype (tensor)) ||
      assay_dtype_bits (assay_tensor_get_dtype (tensor)) >= 8)
    return assay_gpu_lower_shape (self, value, &x) &&
           (x.form == ASSAY_GPU_FORM_I32 ||
            assay_gpu_lower_refuse (self, "there is no shader for this element type"));

  words = g_new (gint32, (gsize) MAX (like->n, 1));
  for (gint64 i = 0; i < like->n; i++)
    {
      gint64 number;

      if (!assay_tensor_get_integer (tensor, (gsize) i, &number, NULL))
        return assay_gpu_lower_refuse (self, "its elements cannot be read");
      words[i] = (gint32) number;
    }
  *ref = assay_gpu_lower_pack (self, words, (gsize) like->n * sizeof *words);

  return TRUE;
}

ASSAY_GPU_LOWERING (quantize)
{
  AssayGpuShape x, y;
  Scales scales;

  if (!assay_gpu_lower_float_shape (self, node->inputs[0], &x) ||
      !assay_gpu_lower_shape (self, node->outputs[0], &y))
    return FALSE;
  if (y.dtype != ASSAY_DTYPE_I8 && y.dtype != ASSAY_DTYPE_U8)
    return assay_gpu_lower_refuse (self, "there is no shader for this element type");
  if (!read_scales (self, node, &x, &scales))
    return FALSE;

  assay_gpu_lower_begin (self, x.n);
  assay_gpu_lower_word (self, y.dtype == ASSAY_DTYPE_I8 ? G_MININT8 : 0);
  assay_gpu_lower_word (self, y.dtype == ASSAY_DTYPE_I8 ? G_MAXINT8 : G_MAXUINT8);
  assay_gpu_lower_word (self, scales.n);
  assay_gpu_lower_word (self, scales.inner);
  assay_gpu_lower_end (
      self,
      x.form == ASSAY_GPU_FORM_F16 ? ASSAY_GPU_SHADER_QUANTIZE_F16 : ASSAY_GPU_SHADER_QUANTIZE_F32,
      0, (const AssayGpuRef[]){ node->inputs[0], scales.scale, scales.zero, node->outputs[0] });

  return TRUE;
}

ASSAY_GPU_LOWERING (dequantize)
{
  AssayGpuShape y;
  AssayGpuRef x;
  Scales scales;

  if (!assay_gpu_lower_float_shape (self, node->outputs[0], &y) ||
      !read_words (self, node->inputs[0], &y, &x) || !read_scales (self, node, &y, &scales))
    return FALSE;

  assay_gpu_lower_begin (self, y.n);
  assay_gpu_lower_word (self, scales.n);
  assay_gpu_lower_word (self, scales.inner);
  assay_gpu_lower_end (self,
                       y.form == ASSAY_GPU_FORM_F16 ? ASSAY_GPU_SHADER_DEQUANTIZE_F16
                                                    : ASSAY_GPU_SHADER_DEQUANTIZE_F32,
                       0, (const AssayGpuRef[]){ x, scales.scale, scales.zero, node->outputs[0] });

  return TRUE;
}
