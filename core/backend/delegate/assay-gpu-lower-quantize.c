/* assay-gpu-lower-quantize.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Numbers to small integers and back, with scales that are known when the program is built.
 */
#include "backend/delegate/assay-gpu-lower-private.h"
#include "nnir/assay-axes.h"

/* Scales and zero points, one for all or one per channel, and how many elements share them. */
typedef struct
{
  gint64 n;
  gint64 inner;
  AssayGpuRef scale;
  AssayGpuRef zero;
} Scales;

static gboolean
read_scales (AssayGpuLower *self, const AssayNode *node, const AssayGpuShape *x, Scales *scales)
{
  AssayTensor *scale = assay_graph_constant (self->graph, node->inputs[1]);
  AssayTensor *zero = assay_graph_constant (self->graph, assay_node_input (node, 2));
  g_autofree float *factors = NULL;
  g_autofree gint32 *points = NULL;
  gint64 strides[ASSAY_MAX_RANK];
  int axis;

  if (scale == NULL || (zero == NULL && assay_node_input (node, 2) != ASSAY_NO_VALUE))
    return assay_gpu_lower_refuse (self, "there is no shader for scales that are computed");
  scales->n = (gint64) assay_tensor_get_n_elements (scale);
  scales->inner = MAX (x->n, 1);
  if (assay_node_get_int (node, "block_size") != 0 || scales->n < 1 ||
      (zero != NULL && assay_tensor_get_n_elements (zero) != (gsize) scales->n))
    return assay_gpu_lower_refuse (self, "there is no shader for scales per block");
  if (scales->n > 1)
    {
      if (!assay_node_get_axis (node, (int) x->rank, &axis) || x->dims[axis] != scales->n)
        return assay_gpu_lower_refuse (self, "its axis is not known");
      assay_gpu_strides (x->rank, x->dims, strides);
      scales->inner = MAX (strides[axis], 1);
    }

  factors = g_new0 (float, (gsize) scales->n);
  points = g_new0 (gint32, (gsize) scales->n);
  for (gint64 i = 0; i < scales->n; i++)
    {
      double number;
      gint64 point = 0;

      if (!assay_tensor_get_element (scale, (gsize) i, &number, NULL) ||
          (zero != NULL && !assay_tensor_get_integer (zero, (gsize) i, &point, NULL)))
        return assay_gpu_lower_refuse (self, "its scales cannot be read");
      factors[i] = (float) number;
      points[i] = (gint32) point;
    }
  scales->scale = assay_gpu_lower_pack (self, factors, (gsize) scales->n * sizeof *factors);
  scales->zero = assay_gpu_lower_pack (self, points, (gsize) scales->n * sizeof *points);

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
  AssayGpuShape x, y;
  Scales scales;

  if (!assay_gpu_lower_shape (self, node->inputs[0], &x) ||
      !assay_gpu_lower_float_shape (self, node->outputs[0], &y))
    return FALSE;
  if (x.form != ASSAY_GPU_FORM_I32)
    return assay_gpu_lower_refuse (self, "there is no shader for this element type");
  if (!read_scales (self, node, &x, &scales))
    return FALSE;

  assay_gpu_lower_begin (self, x.n);
  assay_gpu_lower_word (self, scales.n);
  assay_gpu_lower_word (self, scales.inner);
  assay_gpu_lower_end (
      self,
      y.form == ASSAY_GPU_FORM_F16 ? ASSAY_GPU_SHADER_DEQUANTIZE_F16
                                   : ASSAY_GPU_SHADER_DEQUANTIZE_F32,
      0, (const AssayGpuRef[]){ node->inputs[0], scales.scale, scales.zero, node->outputs[0] });

  return TRUE;
}
