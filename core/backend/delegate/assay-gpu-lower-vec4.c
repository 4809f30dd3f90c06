/* assay-gpu-lower-vec4.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Windows that slide, read four elements at a time: less than half of what reading them one by one
 * takes. Weights are packed for it when the plan is made.
 */
#include "backend/delegate/assay-gpu-lower-private.h"

#include <math.h>

#include "base/assay-bf16.h"

/* Packed weights take no more than that much of what they are made of, but for small ones. */
#define MOST_GROWTH 2
#define SMALL (1 << 16)

/* How weights of a convolution are packed: in blocks of rows (channels), tap by tap, or each
 * channel by itself with lines of whole vec4. */
typedef struct
{
  gint64 groups;
  gint64 group_in;
  gint64 group_out;
  gint64 height;
  gint64 width;
  gint64 rows;
} Packing;

/* What shaders have to know of a line before they are compiled. */
static guint
line_bits (const AssayNodeWindow *window)
{
  return ASSAY_GPU_LINE (window->kernel[1], window->stride[1], window->dilation[1]);
}

/* Whether the part of a line that four places read is short enough. */
static gboolean
fits (const AssayNodeWindow *window)
{
  return window->kernel[0] < 16 && window->kernel[1] < 16 && window->stride[1] < 8 &&
         window->dilation[1] < 8 &&
         ASSAY_GPU_LINE_REACH (line_bits (window)) <= ASSAY_GPU_MOST_REACH;
}

static gsize
packed_size (const Packing *packing)
{
  gint64 blocks = (packing->group_out + packing->rows - 1) / packing->rows;
  gint64 line = packing->rows == 1 ? (packing->width + 3) / 4 * 4 : packing->width * packing->rows;

  return (gsize) (packing->groups * blocks * packing->group_in * packing->height * line);
}

/* Where a weight goes. */
static gsize
packed_place (const Packing *packing, gint64 channel, gint64 in, gint64 y, gint64 x)
{
  gint64 blocks = (packing->group_out + packing->rows - 1) / packing->rows;
  gint64 within = channel % packing->group_out;
  gint64 block = channel / packing->group_out * blocks + within / packing->rows;
  gint64 line = (block * packing->group_in + in) * packing->height + y;

  if (packing->rows == 1)
    return (gsize) (line * ((packing->width + 3) / 4 * 4) + x);

  return (gsize) ((line * packing->width + x) * packing->rows + within % packing->rows);
}

/* Weights as the shader reads them, if all are finite. */
static gboolean
pack_weights (AssayGpuLower *self, AssayTensor *tensor, AssayGpuForm form, const Packing *packing,
              AssayGpuRef *ref)
{
  gboolean is_half = assay_tensor_get_dtype (tensor) == ASSAY_DTYPE_F16;
  gsize size, n = packed_size (packing), at = 0;
  gconstpointer data = assay_tensor_get_data (tensor, &size, NULL);
  gsize element = assay_gpu_form_size (form);
  gsize whole = (gsize) (packing->groups * packing->group_out * packing->group_in *
                         packing->height * packing->width);
  g_autofree guint8 *packed = NULL;

  if (data == NULL || (!is_half && assay_tensor_get_dtype (tensor) != ASSAY_DTYPE_F32) ||
      assay_tensor_get_n_elements (tensor) != whole)
    return FALSE;
  packed = g_malloc0 (n * element);
  for (gint64 channel = 0; channel < packing->groups * packing->group_out; channel++)
    for (gint64 in = 0; in < packing->group_in; in++)
      for (gint64 y = 0; y < packing->height; y++)
        for (gint64 x = 0; x < packing->width; x++, at++)
          {
            gsize place = packed_place (packing, channel, in, y, x);

            if (form == ASSAY_GPU_FORM_F32)
              {
                float value = ((const float *) data)[at];

                if (!isfinite (value))
                  return FALSE;
                ((float *) (gpointer) packed)[place] = value;
              }
            else
              {
                guint16 half = is_half ? ((const guint16 *) data)[at]
                                       : assay_f16_from_f32 (((const float *) data)[at]);

                if ((half & 0x7c00) == 0x7c00)
                  return FALSE;
                ((guint16 *) (gpointer) packed)[place] = half;
              }
          }
  *ref = assay_gpu_lower_pack (self, packed, n * element);

  return TRUE;
}

static gboolean
is_padded (const AssayNodeWindow *window)
{
  return window->before[0] != 0 || window->before[1] != 0 || window->after[0] != 0 ||
         window->after[1] != 0;
}

/* Without anything around it an image is one line. */
static void
make_line (AssayNodeWindow *window)
{
  for (guint axis = 0; axis < 2; axis++)
    if (window->kernel[axis] != 1 || window->stride[axis] != 1 || window->in[axis] < 1)
      return;
  if (is_padded (window))
    return;
  window->in[1] *= window->in[0];
  window->out[1] *= window->out[0];
  window->in[0] = window->out[0] = 1;
}

/* How many channels of the input are taken at once, as a power of two: sums are kept from one turn
 * of a loop to the next at some cost, so that a turn should have many taps. */
static guint
at_once (const AssayNodeWindow *window, gint64 group_in)
{
  gint64 taps = window->kernel[0] * window->kernel[1];

  return group_in % 4 == 0 && taps <= 2 ? 2 : group_in % 2 == 0 && taps <= 4 ? 1 : 0;
}

/* A convolution with weights that are known. */
gboolean
assay_gpu_lower_conv_vec4 (AssayGpuLower *self, const AssayNode *node, const AssayGpuShape *x,
                           const AssayGpuShape *y, const AssayNodeWindow *whole)
{
  AssayNodeWindow window = *whole;
  gint64 groups = assay_node_get_int (node, "group");
  AssayTensor *tensor = assay_graph_constant (self->graph, node->inputs[1]);
  AssayValueId bias = assay_node_input (node, 2);
  Packing packing = {
    .groups = groups,
    .group_in = x->dims[1] / groups,
    .group_out = y->dims[1] / groups,
    .height = window.kernel[0],
    .width = window.kernel[1],
  };
  AssayGpuRef weights;
  gint64 blocks;

  if (tensor == NULL || y->n == 0 || x->n == 0 || !fits (&window))
    return FALSE;
  packing.rows = packing.group_out >= 8 ? 8 : packing.group_out > 1 ? 4 : 1;
  if (packed_size (&packing) >
          MAX (assay_tensor_get_n_elements (tensor) * MOST_GROWTH, (gsize) SMALL) ||
      !pack_weights (self, tensor, x->form, &packing, &weights))
    return FALSE;

  /* Lines of textures end with whole texels. */
  if (!self->textures)
    make_line (&window);
  blocks = (packing.group_out + packing.rows - 1) / packing.rows;
  assay_gpu_lower_begin (self,
                         y->dims[0] * groups * blocks * window.out[0] * ((window.out[1] + 3) / 4));
  assay_gpu_lower_word (self, x->dims[1]);
  assay_gpu_lower_window_words (self, &window, y->dims[1]);
  assay_gpu_lower_word (self, packing.group_in);
  assay_gpu_lower_word (self, packing.group_out);
  assay_gpu_lower_word (self, bias != ASSAY_NO_VALUE);
  assay_gpu_lower_bounds (self);
  assay_gpu_lower_end (
      self,
      x->form == ASSAY_GPU_FORM_F16 ? ASSAY_GPU_SHADER_CONV_VEC4_F16
                                    : ASSAY_GPU_SHADER_CONV_VEC4_F32,
      line_bits (&window) |
          (packing.rows == 8   ? 0u
           : packing.rows == 4 ? 1u
                               : 2u)
              << ASSAY_GPU_LINE_BITS |
          (is_padded (&window) ? 0x1000u : 0u) |
          (window.in[1] % 4 == 0 && window.before[1] == 0 ? 0x2000u : 0u) |
          (window.out[1] % 4 == 0 ? 0x4000u : 0u) | (guint) window.kernel[0] << 15 |
          at_once (&window, packing.group_in) << 19,
      (const AssayGpuRef[]){ node->inputs[0], weights, bias != ASSAY_NO_VALUE ? bias : weights,
                             node->outputs[0] });
  assay_gpu_lower_result (self, ASSAY_GPU_RESULT_LINES);

  return TRUE;
}

/* A pool of values, not of places: OP 0 the largest, OP 1 the mean. */
gboolean
assay_gpu_lower_pool_vec4 (AssayGpuLower *self, const AssayNode *node,
                           const AssayNodeWindow *window, const AssayGpuShape *x,
                           const AssayGpuShape *y, guint op)
{
  if (y->n == 0 || !fits (window))
    return FALSE;

  assay_gpu_lower_begin (self,
                         y->dims[0] * y->dims[1] * window->out[0] * ((window->out[1] + 3) / 4));
  assay_gpu_lower_word (self, x->dims[0] * x->dims[1]);
  assay_gpu_lower_window_words (self, window, y->dims[1]);
  assay_gpu_lower_word (self, op == 1 && assay_node_get_int (node, "count_include_pad") != 0);
  assay_gpu_lower_word (self, window->after[0]);
  assay_gpu_lower_word (self, window->after[1]);
  assay_gpu_lower_end (self,
                       x->form == ASSAY_GPU_FORM_F16 ? ASSAY_GPU_SHADER_POOL_VEC4_F16
                                                     : ASSAY_GPU_SHADER_POOL_VEC4_F32,
                       line_bits (window) | op << ASSAY_GPU_LINE_BITS |
                           (window->out[1] % 4 == 0 ? 0x800u : 0u),
                       (const AssayGpuRef[]){ node->inputs[0], node->outputs[0] });
  assay_gpu_lower_result (self, ASSAY_GPU_RESULT_LINES);

  return TRUE;
}
