/* assay-gpu-lower-integers.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Products, convolutions and sums whose operands are small integers, and mostly their result: what
 * dequantises them and quantises the result is a part of the shader.
 */
#include "backend/delegate/assay-gpu-lower-private.h"
#include "nnir/assay-axes.h"
#include "nnir/assay-node-product.h"
#include "nnir/assay-node-window.h"

#define OF_FACTORS "there is no integer shader for scales that are computed"

/* A sum of so many products of two differences of bytes fits a word. */
#define LONGEST (G_MAXINT32 / (255 * 255))

/* Small integers and what they stand for. */
typedef struct
{
  AssayValueId value;
  AssayTensor *scale;
  AssayTensor *zero; /* (nullable) */
  const AssayNode *node;
  AssayGpuShape shape;
} Integers;

static gboolean
read_integers (AssayGpuLower *self, const AssayNode *node, AssayValueId value, Integers *integers)
{
  integers->node = node;
  integers->value = value;
  integers->scale = assay_graph_constant (self->graph, assay_node_input (node, 1));
  integers->zero = assay_graph_constant (self->graph, assay_node_input (node, 2));
  if (integers->scale == NULL ||
      (integers->zero == NULL && assay_node_input (node, 2) != ASSAY_NO_VALUE) ||
      assay_node_get_int (node, "block_size") != 0)
    return assay_gpu_lower_refuse (self, OF_FACTORS);

  return assay_gpu_lower_shape (self, value, &integers->shape) &&
         (integers->shape.dtype == ASSAY_DTYPE_I8 || integers->shape.dtype == ASSAY_DTYPE_U8 ||
          assay_gpu_lower_refuse (self, "there is no integer shader for this element type"));
}

/* An operand: what it was before it was dequantised. */
static gboolean
read_operand (AssayGpuLower *self, AssayValueId value, Integers *integers)
{
  AssayNodeId producer = assay_graph_value (self->graph, value)->producer;
  const AssayNode *node = producer != ASSAY_NO_NODE ? assay_graph_node (self->graph, producer)
                                                    : NULL;

  return node != NULL && node->op == ASSAY_OP_DequantizeLinear
             ? read_integers (self, node, node->inputs[0], integers)
             : assay_gpu_lower_refuse (self, "an operand is no small integer");
}

static gboolean
read_one (AssayGpuLower *self, const Integers *integers, double *scale, gint64 *zero)
{
  *zero = 0;

  return (assay_tensor_get_n_elements (integers->scale) == 1 &&
          assay_tensor_get_element (integers->scale, 0, scale, NULL) &&
          (integers->zero == NULL || assay_tensor_get_integer (integers->zero, 0, zero, NULL))) ||
         assay_gpu_lower_refuse (self, "there is no integer shader for scales per channel here");
}

/* Weights have a scale each or per output, and one zero point. */
static gboolean
read_weights (AssayGpuLower *self, const Integers *weights, int outputs, double *scales, gint64 n,
              gint64 *zero)
{
  gsize n_scales = assay_tensor_get_n_elements (weights->scale);
  int axis = 0;

  *zero = 0;
  if (n_scales != 1 &&
      (n_scales != (gsize) n ||
       !assay_node_get_axis (weights->node, (int) weights->shape.rank, &axis) || axis != outputs))
    return assay_gpu_lower_refuse (self, "the scales of its weights are not per output");
  for (gsize i = 0; i < (gsize) n; i++)
    if (!assay_tensor_get_element (weights->scale, n_scales == 1 ? 0 : i, &scales[i], NULL))
      return assay_gpu_lower_refuse (self, OF_FACTORS);
  for (gsize i = 0; weights->zero != NULL && i < assay_tensor_get_n_elements (weights->zero); i++)
    {
      gint64 point;

      if (!assay_tensor_get_integer (weights->zero, i, &point, NULL) || (i > 0 && point != *zero))
        return assay_gpu_lower_refuse (self, "its weights have several zero points");
      *zero = point;
    }

  return TRUE;
}

/* How a bias is spread over the outputs: a number each, or one for all. */
static gboolean
read_bias_step (AssayGpuLower *self, AssayValueId bias, gint64 outputs, gsize *step)
{
  AssayGpuShape shape;

  *step = 0;
  if (bias == ASSAY_NO_VALUE)
    return TRUE;
  if (!assay_gpu_lower_shape (self, bias, &shape))
    return FALSE;
  *step = shape.n == 1 ? 0 : 1;

  return shape.n == 1 || (shape.n == outputs && shape.dims[shape.rank - 1] == outputs) ||
         assay_gpu_lower_refuse (self, "there is no integer shader for a bias per row");
}

/* A number that is known: a constant, or one that is dequantised. */
static gboolean
read_number (AssayGpuLower *self, AssayValueId value, gsize index, double *number)
{
  AssayTensor *tensor = assay_graph_constant (self->graph, value);
  AssayNodeId producer = assay_graph_value (self->graph, value)->producer;
  const AssayNode *node = producer != ASSAY_NO_NODE ? assay_graph_node (self->graph, producer)
                                                    : NULL;
  double scale = 1, zero = 0;

  if (tensor == NULL && node != NULL && node->op == ASSAY_OP_DequantizeLinear)
    {
      AssayTensor *scales = assay_graph_constant (self->graph, node->inputs[1]);
      AssayTensor *zeros = assay_graph_constant (self->graph, assay_node_input (node, 2));

      tensor = assay_graph_constant (self->graph, node->inputs[0]);
      if (scales == NULL || (zeros == NULL && assay_node_input (node, 2) != ASSAY_NO_VALUE) ||
          !assay_tensor_get_element (scales, assay_tensor_get_n_elements (scales) == 1 ? 0 : index,
                                     &scale, NULL) ||
          (zeros != NULL &&
           !assay_tensor_get_element (zeros, assay_tensor_get_n_elements (zeros) == 1 ? 0 : index,
                                      &zero, NULL)))
        return assay_gpu_lower_refuse (self, OF_FACTORS);
    }
  if (tensor == NULL || !assay_tensor_get_element (tensor, index, number, NULL))
    return assay_gpu_lower_refuse (self, "there is no integer shader for a bias that is computed");
  *number = (*number - zero) * scale;

  return TRUE;
}

static void
append_range (AssayGpuLower *self, const Integers *y)
{
  gboolean is_signed = y->shape.dtype == ASSAY_DTYPE_I8;

  assay_gpu_lower_word (self, is_signed ? G_MININT8 : 0);
  assay_gpu_lower_word (self, is_signed ? G_MAXINT8 : G_MAXUINT8);
}

static gboolean
lower_sum (AssayGpuLower *self, const AssayNode *node, const Integers *y)
{
  AssayGpuWalk walk = { .n_sides = 2, .rank = y->shape.rank };
  Integers sides[2];
  double scales[3];
  gint64 zeros[3];

  if (node->n_inputs != 2 || !read_one (self, y, &scales[2], &zeros[2]))
    return FALSE;
  for (guint i = 0; i < walk.rank; i++)
    walk.dims[i] = y->shape.dims[i];
  for (guint i = 0; i < 2; i++)
    {
      if (!read_operand (self, node->inputs[i], &sides[i]) ||
          !read_one (self, &sides[i], &scales[i], &zeros[i]))
        return FALSE;
      assay_gpu_walk_broadcast (&walk, i, &sides[i].shape);
    }
  assay_gpu_walk_collapse (&walk);
  assay_gpu_lower_begin (self, y->shape.n);
  for (guint i = 0; i < 3; i++)
    assay_gpu_lower_word (self, zeros[i]);
  append_range (self, y);
  for (guint i = 0; i < 3; i++)
    assay_gpu_lower_number (self, scales[i]);
  assay_gpu_lower_bounds (self);
  assay_gpu_lower_walk (self, &walk);
  assay_gpu_lower_end (self, ASSAY_GPU_SHADER_INTEGER_SUM, 0,
                       (const AssayGpuRef[]){ sides[0].value, sides[1].value, y->value });

  return TRUE;
}

/* Where the elements of a product lie. */
typedef struct
{
  AssayNodeWindow window;
  gint64 channels[2]; /* in and out */
  gint64 groups;
  gint64 steps[2]; /* of the weights from output to output and from input to input */
  int outputs;     /* axis of the weights */
  gboolean transposed;
  AssayValueId operands[2];
  AssayValueId bias;
} Product;

static gboolean
read_conv (AssayGpuLower *self, const AssayNode *node, const Integers *y, Product *product)
{
  if (!assay_gpu_lower_window (self, node, &product->window))
    return FALSE;
  product->groups = assay_node_get_int (node, "group");
  product->operands[0] = node->inputs[0];
  product->operands[1] = node->inputs[1];
  product->bias = assay_node_input (node, 2);
  product->channels[1] = y->shape.dims[1];
  product->transposed = node->op == ASSAY_OP_ConvTranspose;
  product->outputs = product->transposed ? 1 : 0;

  return TRUE;
}

/* Rows times a matrix are windows of one place, a row being an image. */
static gboolean
read_rows (AssayGpuLower *self, const AssayNode *node, const Integers *y, Product *product)
{
  AssayNodeProduct made = assay_node_get_product (node);
  AssayGpuShape w;

  if (made.transposed[0] || made.alpha < 1 || made.alpha > 1 || made.beta < 1 || made.beta > 1 ||
      !assay_gpu_lower_shape (self, node->inputs[made.inputs[1]], &w) || w.rank != 2 ||
      y->shape.rank < 1)
    return assay_gpu_lower_refuse (self, "there is no integer shader for this product");
  product->window = (AssayNodeWindow){ .n = 2 };
  for (guint i = 0; i < 2; i++)
    product->window.in[i] = product->window.out[i] = product->window.kernel[i] =
        product->window.stride[i] = product->window.dilation[i] = 1;
  product->groups = 1;
  product->outputs = made.transposed[1] ? 0 : 1;
  product->channels[1] = w.dims[product->outputs];
  product->steps[0] = made.transposed[1] ? w.dims[1] : 1;
  product->steps[1] = made.transposed[1] ? 1 : w.dims[1];
  product->operands[0] = node->inputs[made.inputs[0]];
  product->operands[1] = node->inputs[made.inputs[1]];
  product->bias = assay_node_input (node, 2);

  return TRUE;
}

static gboolean
lower_product (AssayGpuLower *self, const AssayNode *node, const Integers *y)
{
  gboolean is_conv = node->op == ASSAY_OP_Conv || node->op == ASSAY_OP_ConvTranspose;
  gboolean to_float = y->shape.dtype == ASSAY_DTYPE_F32;
  Product product = { 0 };
  Integers x, w;
  double x_scale, y_scale = 1;
  gint64 x_zero, y_zero = 0, w_zero, plane, length, n;
  g_autofree double *scales = NULL;
  g_autofree float *factors = NULL;
  gsize step;

  if (!(is_conv ? read_conv (self, node, y, &product) : read_rows (self, node, y, &product)) ||
      !read_operand (self, product.operands[0], &x) ||
      !read_operand (self, product.operands[1], &w) || !read_one (self, &x, &x_scale, &x_zero) ||
      (!to_float && !read_one (self, y, &y_scale, &y_zero)))
    return FALSE;
  product.channels[0] = is_conv ? x.shape.dims[1] : x.shape.dims[x.shape.rank - 1];
  n = product.channels[1];
  if (product.groups < 1 || n < 1 || product.channels[0] / product.groups < 1 || y->shape.n == 0)
    return assay_gpu_lower_refuse (self, "it has no channels");
  plane = product.window.kernel[0] * product.window.kernel[1];
  length = product.channels[0] / product.groups * plane;
  if (product.transposed && product.groups > 1)
    return assay_gpu_lower_refuse (self, "there is no integer shader for groups here");
  if (is_conv)
    {
      product.steps[0] = product.transposed ? plane : length;
      product.steps[1] = product.transposed ? n * plane : plane;
    }
  if (length > LONGEST)
    return assay_gpu_lower_refuse (self, "there is no integer shader for sums as long");

  scales = g_new0 (double, (gsize) n);
  factors = g_new0 (float, 2 * (gsize) n);
  if (!read_weights (self, &w, product.outputs, scales, n, &w_zero) ||
      !read_bias_step (self, product.bias, n, &step))
    return FALSE;
  for (gsize i = 0; i < (gsize) n; i++)
    {
      double bias = 0;

      if (product.bias != ASSAY_NO_VALUE && !read_number (self, product.bias, i * step, &bias))
        return FALSE;
      factors[2 * i] = (float) (scales[i] * x_scale);
      factors[2 * i + 1] = (float) bias;
    }

  assay_gpu_lower_begin (self, y->shape.n);
  assay_gpu_lower_word (self, product.channels[0]);
  assay_gpu_lower_window_words (self, &product.window, n);
  assay_gpu_lower_word (self, product.channels[0] / product.groups);
  assay_gpu_lower_word (self, n / product.groups);
  for (guint i = 0; i < 2; i++)
    assay_gpu_lower_word (self, product.steps[i]);
  assay_gpu_lower_word (self, x_zero);
  assay_gpu_lower_word (self, w_zero);
  assay_gpu_lower_bounds (self);
  assay_gpu_lower_number (self, y_scale);
  assay_gpu_lower_word (self, y_zero);
  append_range (self, y);
  assay_gpu_lower_end (
      self, to_float ? ASSAY_GPU_SHADER_INTEGER_PRODUCT_F32 : ASSAY_GPU_SHADER_INTEGER_PRODUCT,
      product.transposed ? 1 : 0,
      (const AssayGpuRef[]){ x.value, w.value,
                             assay_gpu_lower_pack (self, factors, 2 * (gsize) n * sizeof *factors),
                             y->value });

  return TRUE;
}

/* A node between small integers, together with what quantises its result; if nothing does, that is
 * a number. */
gboolean
assay_gpu_lower_integers (AssayGpuLower *self, const AssayNode *node, const AssayNode *quantize)
{
  AssayGpuShape between;
  Integers y;

  if (!assay_gpu_lower_shape (self, node->outputs[0], &between) ||
      (quantize != NULL && !read_integers (self, quantize, quantize->outputs[0], &y)))
    return FALSE;
  if (between.form != ASSAY_GPU_FORM_F32)
    return assay_gpu_lower_refuse (self, "there is no integer shader behind halves");
  if (quantize == NULL)
    y = (Integers){ .value = node->outputs[0], .shape = between };

  switch (node->op)
    {
    case ASSAY_OP_Add:
      return lower_sum (self, node, &y);
    case ASSAY_OP_Conv:
    case ASSAY_OP_ConvTranspose:
    case ASSAY_OP_MatMul:
    case ASSAY_OP_Gemm:
    case ASSAY_OP_Linear:
      return lower_product (self, node, &y);
    default:
      return assay_gpu_lower_refuse (self, "there is no integer shader for this operation");
    }
}
