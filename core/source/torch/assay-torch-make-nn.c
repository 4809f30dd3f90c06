/* assay-torch-make-nn.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Layers: products, convolutions, pools, normalizations.
 */
#include <math.h>
#include <string.h>

#include "source/torch/assay-torch-lower-private.h"

#define ONE(op, a) assay_torch_one (self, ASSAY_OP_##op, a)
#define TWO(op, a, b) assay_torch_two (self, ASSAY_OP_##op, a, b)
#define THREE(op, a, b, c) assay_torch_three (self, ASSAY_OP_##op, a, b, c)

#define MAX_SPATIAL 3

/* Windows along an axis of a pool that are nodes of their own. */
#define MAX_WINDOWS 4096

static gboolean
get_two (AssayTorchLower *self, AssayValueId *a, AssayValueId *b)
{
  AssayDType dtype;

  if (!assay_torch_get_tensor (self, 0, a) || !assay_torch_get_tensor (self, 1, b))
    return FALSE;
  dtype = assay_torch_join (assay_torch_dtype (self, *a), assay_torch_dtype (self, *b));
  *a = assay_torch_cast (self, *a, dtype);
  *b = assay_torch_cast (self, *b, dtype);

  return TRUE;
}

gboolean
assay_torch_make_matmul (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId a;
  AssayValueId b;

  return get_two (self, &a, &b) && assay_torch_result (self, 0, TWO (MatMul, a, b));
}

/* beta * c + alpha * a b; the operands stand in another order than those of Gemm. */
gboolean
assay_torch_make_addmm (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId inputs[3];
  AssayValueId output;
  AssayNodeId node;
  double beta = 1.0;
  double alpha = 1.0;

  if (!assay_torch_get_tensor (self, 1, &inputs[0]) ||
      !assay_torch_get_tensor (self, 2, &inputs[1]) ||
      !assay_torch_get_tensor (self, 0, &inputs[2]) ||
      (!assay_torch_is_none (self, 3) && !assay_torch_get_float (self, 3, &beta)) ||
      (!assay_torch_is_none (self, 4) && !assay_torch_get_float (self, 4, &alpha)))
    return FALSE;
  if (rule->argument == 1 || !assay_dtype_is_float (assay_torch_dtype (self, inputs[0])))
    {
      AssayDType dtype = assay_torch_dtype (self, inputs[0]);

      output = TWO (MatMul, inputs[0], inputs[1]);
      if (alpha != 1.0)
        output = TWO (Mul, output, assay_torch_scalar (self, dtype, alpha));
      if (beta != 1.0)
        inputs[2] = TWO (Mul, inputs[2], assay_torch_scalar (self, dtype, beta));
      return assay_torch_result (self, 0, TWO (Add, output, inputs[2]));
    }
  node = assay_torch_node (self, ASSAY_OP_Gemm, 3, inputs, 1, &output);
  assay_graph_set_float (self->graph, node, "alpha", alpha);
  assay_graph_set_float (self->graph, node, "beta", beta);
  assay_torch_infer (self, node);

  return assay_torch_result (self, 0, output);
}

/* A product with the transpose of the weights, of the last axis. */
gboolean
assay_torch_make_linear (AssayTorchLower *self, const AssayTorchRule *rule)
{
  static const gint64 perm[] = { 1, 0 };
  AssayValueId inputs[3];
  AssayValueId output;
  AssayNodeId node;
  gboolean has_bias = !assay_torch_is_none (self, 2);
  guint rank;
  guint weight_rank;

  if (!get_two (self, &inputs[0], &inputs[1]) || !assay_torch_rank (self, inputs[0], &rank) ||
      !assay_torch_rank (self, inputs[1], &weight_rank) ||
      (has_bias && !assay_torch_get_tensor (self, 2, &inputs[2])))
    return FALSE;
  if (rank == 2 && weight_rank == 2 && assay_dtype_is_float (assay_torch_dtype (self, inputs[0])))
    {
      node = assay_torch_node (self, ASSAY_OP_Gemm, has_bias ? 3 : 2, inputs, 1, &output);
      assay_graph_set_int (self->graph, node, "transB", 1);
      assay_torch_infer (self, node);
      return assay_torch_result (self, 0, output);
    }
  if (weight_rank == 2)
    inputs[1] = assay_torch_transpose (self, inputs[1], 2, perm);
  output = TWO (MatMul, inputs[0], inputs[1]);

  return assay_torch_result (self, 0, has_bias ? TWO (Add, output, inputs[2]) : output);
}

gboolean
assay_torch_make_outer (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId a;
  AssayValueId b;
  gint64 last = 1;
  gint64 first = 0;

  return get_two (self, &a, &b) &&
         assay_torch_result (self, 0,
                             TWO (Mul, assay_torch_unsqueeze (self, a, 1, &last),
                                  assay_torch_unsqueeze (self, b, 1, &first)));
}

gboolean
assay_torch_make_einsum (AssayTorchLower *self, const AssayTorchRule *rule)
{
  const AssayTorchItem *equation = assay_torch_arg (self, 0);
  const AssayTorchItem *list = assay_torch_arg (self, 1);
  AssayValueId values[16];
  AssayValueId output;
  AssayNodeId node;

  if (equation == NULL || equation->kind != ASSAY_TORCH_ITEM_STRING || list == NULL ||
      list->kind != ASSAY_TORCH_ITEM_LIST || list->n == 0 || list->n > G_N_ELEMENTS (values))
    return assay_torch_cannot (self, "the equation is not known");
  for (guint i = 0; i < list->n; i++)
    if (list->items[i]->kind != ASSAY_TORCH_ITEM_TENSOR ||
        (values[i] = assay_torch_read (self, list->items[i])) == ASSAY_NO_VALUE)
      return assay_torch_cannot (self, "entry %u is no tensor", i);
  node = assay_torch_node (self, ASSAY_OP_Einsum, list->n, values, 1, &output);
  assay_graph_set_string (self->graph, node, "equation", equation->s);
  assay_torch_infer (self, node);

  return assay_torch_result (self, 0, output);
}

/* Entries for each spatial axis; one alone is for all of them. */
static gboolean
get_spatial (AssayTorchLower *self, guint index, guint n, gint64 standard, gint64 *values)
{
  gint64 given[ASSAY_MAX_RANK];
  guint count = 0;

  if (!assay_torch_is_none (self, index) && !assay_torch_get_ints (self, index, given, &count))
    return FALSE;
  if (count > 1 && count != n)
    return assay_torch_cannot (self, "operand %u has %u entries for %u axes", index, count, n);
  for (guint i = 0; i < n; i++)
    values[i] = count == 0 ? standard : given[count == 1 ? 0 : i];

  return TRUE;
}

static void
set_pads (AssayTorchLower *self, AssayNodeId node, guint n, const gint64 *pads)
{
  gint64 both[2 * ASSAY_MAX_RANK];

  for (guint i = 0; i < n; i++)
    both[i] = both[n + i] = pads[i];
  assay_graph_set_ints (self->graph, node, "pads", 2 * n, both);
}

/* Without a batch an axis is put in front, and taken away again behind. */
static gboolean
add_batch (AssayTorchLower *self, AssayValueId *x, guint n, gboolean *is_added)
{
  gint64 first = 0;
  guint rank;

  if (!assay_torch_rank (self, *x, &rank))
    return FALSE;
  *is_added = rank == n + 1;
  if (*is_added)
    *x = assay_torch_unsqueeze (self, *x, 1, &first);

  return rank == n + 1 || rank == n + 2 ||
         assay_torch_cannot (self, "an input of rank %u for %u spatial axes", rank, n);
}

static AssayValueId
drop_batch (AssayTorchLower *self, AssayValueId x, gboolean is_added)
{
  gint64 first = 0;

  return is_added ? TWO (Squeeze, x, assay_torch_ints (self, 1, &first)) : x;
}

/* Where the operands of the overloads stand. */
typedef struct
{
  guint stride;
  guint padding;
  guint dilation;
  guint transposed; /* 0: the argument of the row says so */
  guint output_padding;
  guint groups;
} ConvPlaces;

static const ConvPlaces conv_places[] = {
  { 3, 4, 5, 6, 7, 8 }, /* convolution */
  { 3, 4, 5, 0, 0, 6 }, /* conv1d, conv2d, conv3d */
  { 3, 4, 7, 0, 5, 6 }, /* conv_transpose */
};

gboolean
assay_torch_make_convolution (AssayTorchLower *self, const AssayTorchRule *rule)
{
  const ConvPlaces *places = &conv_places[rule->argument];
  gint64 stride[ASSAY_MAX_RANK];
  gint64 padding[ASSAY_MAX_RANK] = { 0 };
  gint64 dilation[ASSAY_MAX_RANK];
  gint64 output_padding[ASSAY_MAX_RANK];
  AssayTorchItem *mode = assay_torch_arg (self, places->padding);
  AssayValueId inputs[3];
  AssayValueId output;
  AssayNodeId node;
  gboolean transposed = rule->argument == 2;
  gboolean is_added;
  gboolean has_bias = !assay_torch_is_none (self, 2);
  gboolean is_named = mode != NULL && mode->kind == ASSAY_TORCH_ITEM_STRING;
  gint64 groups = 1;
  guint rank;
  guint n;

  if (!assay_torch_get_tensor (self, 0, &inputs[0]) ||
      !assay_torch_get_tensor (self, 1, &inputs[1]) || !assay_torch_rank (self, inputs[1], &rank) ||
      rank < 3 || (has_bias && !assay_torch_get_tensor (self, 2, &inputs[2])))
    return FALSE;
  n = rank - 2;
  if (!get_spatial (self, places->stride, n, 1, stride) ||
      (!is_named && !get_spatial (self, places->padding, n, 0, padding)) ||
      !get_spatial (self, places->dilation, n, 1, dilation) ||
      (places->transposed != 0 && !assay_torch_get_bool (self, places->transposed, &transposed)) ||
      !get_spatial (self, places->output_padding == 0 ? 99 : places->output_padding, n, 0,
                    output_padding) ||
      (!assay_torch_is_none (self, places->groups) &&
       !assay_torch_get_int (self, places->groups, &groups)) ||
      !add_batch (self, &inputs[0], n, &is_added))
    return FALSE;

  node = assay_torch_node (self, transposed ? ASSAY_OP_ConvTranspose : ASSAY_OP_Conv,
                           has_bias ? 3 : 2, inputs, 1, &output);
  assay_graph_set_ints (self->graph, node, "dilations", n, dilation);
  assay_graph_set_int (self->graph, node, "group", groups);
  if (is_named && g_strcmp0 (mode->s, "same") == 0)
    assay_graph_set_string (self->graph, node, "auto_pad", "SAME_UPPER");
  else
    set_pads (self, node, n, padding);
  assay_graph_set_ints (self->graph, node, "strides", n, stride);
  if (transposed)
    assay_graph_set_ints (self->graph, node, "output_padding", n, output_padding);
  assay_torch_infer (self, node);

  return assay_torch_result (self, 0, drop_batch (self, output, is_added));
}

/* The argument is the number of spatial axes; the operator says which pool. */
gboolean
assay_torch_make_pool (AssayTorchLower *self, const AssayTorchRule *rule)
{
  guint n = (guint) rule->argument & 7;
  gboolean has_indices = (rule->argument & 8) != 0;
  gboolean is_max = rule->op == ASSAY_OP_MaxPool;
  gint64 kernel[ASSAY_MAX_RANK];
  gint64 stride[ASSAY_MAX_RANK];
  gint64 padding[ASSAY_MAX_RANK];
  gint64 dilation[ASSAY_MAX_RANK];
  AssayTorchItem *strides = assay_torch_arg (self, 2);
  AssayValueId x;
  AssayValueId outputs[2];
  AssayNodeId node;
  gboolean ceil_mode = FALSE;
  gboolean counts_pads = TRUE;
  gboolean is_added;
  gint64 divisor = 0;
  gint64 n_window = 1;
  guint ceil_at = is_max ? 5 : 4;

  if (!assay_torch_get_tensor (self, 0, &x) || !get_spatial (self, 1, n, 1, kernel) ||
      !get_spatial (self, 3, n, 0, padding) ||
      !get_spatial (self, is_max ? 4 : 99, n, 1, dilation) ||
      (!assay_torch_is_none (self, ceil_at) && !assay_torch_get_bool (self, ceil_at, &ceil_mode)) ||
      (!is_max && !assay_torch_is_none (self, 5) &&
       !assay_torch_get_bool (self, 5, &counts_pads)) ||
      !add_batch (self, &x, n, &is_added))
    return FALSE;
  /* Without strides windows stand side by side. */
  if (strides == NULL || strides->kind == ASSAY_TORCH_ITEM_NONE ||
      (strides->kind == ASSAY_TORCH_ITEM_LIST && strides->n == 0))
    memcpy (stride, kernel, sizeof kernel);
  else if (!get_spatial (self, 2, n, 1, stride))
    return FALSE;
  if (!is_max && !assay_torch_is_none (self, 6) && !assay_torch_get_int (self, 6, &divisor))
    return FALSE;
  /* Sums are means of as many elements as a window has. */
  counts_pads |= divisor != 0;

  node = assay_torch_node (self, rule->op, 1, &x, has_indices ? 2 : 1, outputs);
  assay_graph_set_int (self->graph, node, "ceil_mode", ceil_mode);
  if (is_max)
    assay_graph_set_ints (self->graph, node, "dilations", n, dilation);
  else
    assay_graph_set_int (self->graph, node, "count_include_pad", counts_pads);
  assay_graph_set_ints (self->graph, node, "kernel_shape", n, kernel);
  set_pads (self, node, n, padding);
  assay_graph_set_ints (self->graph, node, "strides", n, stride);
  assay_torch_infer (self, node);

  for (guint i = 0; i < n; i++)
    n_window *= kernel[i];
  if (divisor != 0)
    outputs[0] = TWO (Mul, outputs[0],
                      assay_torch_scalar (self, assay_torch_dtype (self, outputs[0]),
                                          (double) n_window / (double) divisor));
  if (has_indices)
    {
      /* Places are counted within a plane, not within the whole tensor. */
      const AssayType *type = assay_torch_type (self, x);
      gint64 plane = 1;

      for (guint i = 0; i < n; i++)
        plane *= type->rank == (int) n + 2 ? type->dims[i + 2].size : -1;
      if (plane > 0)
        outputs[1] = TWO (Mod, outputs[1], assay_torch_integer (self, ASSAY_DTYPE_I64, plane));
      if (!assay_torch_result (self, 1, drop_batch (self, outputs[1], is_added)))
        return FALSE;
    }

  return assay_torch_result (self, 0, drop_batch (self, outputs[0], is_added));
}

/* Axis by axis from the last: the largest element of each window, and where it stands along that
 * axis and along those before. */
static gboolean
uneven_max_pool (AssayTorchLower *self, AssayValueId x, guint n, const gint64 *dims,
                 const gint64 *sizes, gboolean is_added)
{
  AssayValueId places[MAX_SPATIAL];
  AssayValueId index;

  for (guint i = n; i-- > 0;)
    {
      gint64 axis = i + 2;
      g_autofree AssayValueId *parts = NULL;

      if (sizes[i] < 1 || sizes[i] > MAX_WINDOWS)
        return assay_torch_cannot (self, "a size of %" G_GINT64_FORMAT, sizes[i]);
      /* Values, then places along this axis and those behind it. */
      parts = g_new (AssayValueId, (gsize) sizes[i] * (n - i + 1));
      for (gint64 k = 0; k < sizes[i]; k++)
        {
          gint64 from = k * dims[axis] / sizes[i];
          gint64 to = ((k + 1) * dims[axis] + sizes[i] - 1) / sizes[i];
          AssayValueId window = assay_torch_slice (self, x, axis, from, to, 1);
          AssayNodeId node = assay_torch_node (self, ASSAY_OP_ArgMax, 1, &window, 1, &index);

          assay_graph_set_int (self->graph, node, "axis", axis);
          assay_torch_infer (self, node);
          parts[k] = assay_torch_reduce (self, ASSAY_OP_ReduceMax, window, 1, &axis, TRUE);
          parts[sizes[i] + k] = TWO (Add, index, assay_torch_integer (self, ASSAY_DTYPE_I64, from));
          for (guint j = i + 1; j < n; j++)
            parts[sizes[i] * (j - i + 1) + k] = assay_torch_elements (
                self, ASSAY_OP_GatherElements, 2,
                (AssayValueId[]){ assay_torch_slice (self, places[j], axis, from, to, 1), index },
                axis, NULL);
        }
      x = assay_torch_concat (self, (guint) sizes[i], parts, axis);
      for (guint j = i; j < n; j++)
        places[j] = assay_torch_concat (self, (guint) sizes[i], parts + sizes[i] * (j - i + 1),
                                        axis);
    }
  index = places[0];
  for (guint j = 1; j < n; j++)
    index = TWO (Add, TWO (Mul, index, assay_torch_integer (self, ASSAY_DTYPE_I64, dims[j + 2])),
                 places[j]);

  return assay_torch_result (self, 0, drop_batch (self, x, is_added)) &&
         assay_torch_result (self, 1, drop_batch (self, index, is_added));
}

/* Pools whose result has a given size: windows of the same length where that goes, and one window
 * after the other where not. */
gboolean
assay_torch_make_adaptive_pool (AssayTorchLower *self, const AssayTorchRule *rule)
{
  guint n = (guint) rule->argument & 7;
  gboolean has_indices = (rule->argument & 8) != 0;
  gint64 sizes[ASSAY_MAX_RANK];
  gint64 dims[ASSAY_MAX_RANK];
  gint64 kernel[MAX_SPATIAL];
  AssayValueId x;
  AssayValueId outputs[2];
  AssayNodeId node;
  gboolean is_added;
  gboolean is_even = TRUE;
  gint64 plane = 1;
  guint rank;

  if (!assay_torch_get_tensor (self, 0, &x) || !get_spatial (self, 1, n, 1, sizes) ||
      !add_batch (self, &x, n, &is_added))
    return FALSE;
  if (n == 2 && sizes[0] == 1 && sizes[1] == 1 && rule->op == ASSAY_OP_AveragePool)
    return assay_torch_result (self, 0, drop_batch (self, ONE (GlobalAveragePool, x), is_added));
  if (!assay_torch_dims (self, x, &rank, dims))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      is_even &= sizes[i] > 0 && dims[i + 2] % MAX (sizes[i], 1) == 0;
      kernel[i] = sizes[i] > 0 ? dims[i + 2] / sizes[i] : 0;
      plane *= dims[i + 2];
    }
  if (is_even)
    {
      node = assay_torch_node (self, rule->op, 1, &x, has_indices ? 2 : 1, outputs);
      assay_graph_set_ints (self->graph, node, "kernel_shape", n, kernel);
      assay_graph_set_ints (self->graph, node, "strides", n, kernel);
      assay_torch_infer (self, node);
      if (has_indices &&
          !assay_torch_result (
              self, 1,
              drop_batch (self,
                          TWO (Mod, outputs[1],
                               assay_torch_integer (self, ASSAY_DTYPE_I64, MAX (plane, 1))),
                          is_added)))
        return FALSE;
      return assay_torch_result (self, 0, drop_batch (self, outputs[0], is_added));
    }
  if (has_indices)
    return uneven_max_pool (self, x, n, dims, sizes, is_added);

  /* Axis by axis: extremes and means of means of windows that do not share elements unevenly. */
  for (guint i = 0; i < n; i++)
    {
      AssayOp op = rule->op == ASSAY_OP_MaxPool ? ASSAY_OP_ReduceMax : ASSAY_OP_ReduceMean;
      g_autofree AssayValueId *parts = NULL;
      gint64 axis = i + 2;

      if (sizes[i] < 1 || sizes[i] > MAX_WINDOWS)
        return assay_torch_cannot (self, "a size of %" G_GINT64_FORMAT, sizes[i]);
      parts = g_new (AssayValueId, sizes[i]);
      for (gint64 k = 0; k < sizes[i]; k++)
        {
          gint64 from = k * dims[axis] / sizes[i];
          gint64 to = ((k + 1) * dims[axis] + sizes[i] - 1) / sizes[i];

          parts[k] = assay_torch_reduce (self, op, assay_torch_slice (self, x, axis, from, to, 1),
                                         1, &axis, TRUE);
        }
      x = assay_torch_concat (self, (guint) sizes[i], parts, axis);
    }

  return assay_torch_result (self, 0, drop_batch (self, x, is_added));
}

/* Each channel with its own mean and variance, which are results as well. */
static gboolean
batch_statistics (AssayTorchLower *self, AssayValueId x, guint rank, double epsilon)
{
  gint64 axes[ASSAY_MAX_RANK];
  gint64 shape[ASSAY_MAX_RANK];
  gint64 flat = -1;
  AssayValueId mean;
  AssayValueId d;
  AssayValueId scale;
  AssayValueId part;
  guint k = 0;

  for (guint i = 0; i < rank; i++)
    {
      shape[i] = i == 1 ? -1 : 1;
      if (i != 1)
        axes[k++] = i;
    }
  mean = assay_torch_reduce (self, ASSAY_OP_ReduceMean, x, k, axes, TRUE);
  d = TWO (Sub, x, mean);
  scale = assay_torch_reduce (self, ASSAY_OP_ReduceMean, TWO (Mul, d, d), k, axes, TRUE);
  scale = ONE (
      Reciprocal,
      ONE (Sqrt,
           TWO (Add, scale, assay_torch_scalar (self, assay_torch_dtype (self, scale), epsilon))));
  d = TWO (Mul, d, scale);
  for (guint i = 0; i < 2; i++)
    if (!assay_torch_is_none (self, 1 + i))
      {
        if (!assay_torch_get_tensor (self, 1 + i, &part))
          return FALSE;
        d = assay_torch_two (self, i == 0 ? ASSAY_OP_Mul : ASSAY_OP_Add, d,
                             assay_torch_reshape (self, part, rank, shape));
      }

  return assay_torch_result (self, 0, d) &&
         (self->op->n_results < 2 ||
          assay_torch_result (self, 1, assay_torch_reshape (self, mean, 1, &flat))) &&
         (self->op->n_results < 3 ||
          assay_torch_result (self, 2, assay_torch_reshape (self, scale, 1, &flat)));
}

/* With the statistics of training, or with those of the batch where the operand (5) says so. */
gboolean
assay_torch_make_batch_norm (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayValueId parts[4];
  AssayValueId output;
  AssayNodeId node;
  const AssayType *type;
  AssayDType dtype;
  gboolean is_training = FALSE;
  double epsilon;
  gint64 channels;
  guint rank;

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_rank (self, x, &rank) || rank < 2 ||
      (rule->argument != 2 && !assay_torch_get_bool (self, 5, &is_training)) ||
      !assay_torch_get_float (self, rule->argument == 2 ? 6 : 7, &epsilon))
    return FALSE;
  if (is_training)
    return batch_statistics (self, x, rank, epsilon);
  type = assay_torch_type (self, x);
  dtype = type->dtype;
  channels = type->dims[1].size;
  for (guint i = 0; i < 4; i++)
    {
      if (!assay_torch_is_none (self, 1 + i))
        {
          if (!assay_torch_get_tensor (self, 1 + i, &parts[i]))
            return FALSE;
          continue;
        }
      if (channels < 0)
        return assay_torch_cannot (self, "the number of channels is not known");
      parts[i] = assay_torch_fill (self, dtype, 1, &channels, i == 0 || i == 3 ? 1.0 : 0.0);
    }
  node = assay_torch_node (self, ASSAY_OP_BatchNormalization, 5,
                           (AssayValueId[]){ x, parts[0], parts[1], parts[2], parts[3] }, 1,
                           &output);
  assay_graph_set_float (self->graph, node, "epsilon", epsilon);
  assay_torch_infer (self, node);
  if (!assay_torch_result (self, 0, output))
    return FALSE;
  /* Statistics that are only there for the gradient. */
  for (guint i = 1; i < self->op->n_results; i++)
    {
      gint64 none = 0;

      assay_torch_result (self, i, assay_torch_fill (self, dtype, 1, &none, 0.0));
    }

  return TRUE;
}

/* Each channel of each sample by itself. */
gboolean
assay_torch_make_instance_norm (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId inputs[3];
  AssayValueId output;
  AssayNodeId node;
  const AssayType *type;
  gboolean uses_own = TRUE;
  gint64 channels;
  double epsilon;
  guint rank;

  if (!assay_torch_get_tensor (self, 0, &inputs[0]) || !assay_torch_rank (self, inputs[0], &rank) ||
      rank < 3 || !assay_torch_get_bool (self, 5, &uses_own) ||
      !assay_torch_get_float (self, 7, &epsilon))
    return FALSE;
  type = assay_torch_type (self, inputs[0]);
  channels = type->dims[1].size;
  if (!uses_own || channels < 0)
    return assay_torch_cannot (self, uses_own ? "the number of channels is not known"
                                              : "statistics of training");
  for (guint i = 1; i < 3; i++)
    if (assay_torch_is_none (self, i))
      inputs[i] = assay_torch_fill (self, type->dtype, 1, &channels, i == 1 ? 1.0 : 0.0);
    else if (!assay_torch_get_tensor (self, i, &inputs[i]))
      return FALSE;
  node = assay_torch_node (self, ASSAY_OP_InstanceNormalization, 3, inputs, 1, &output);
  assay_graph_set_float (self->graph, node, "epsilon", epsilon);
  assay_torch_infer (self, node);

  return assay_torch_result (self, 0, output);
}

gboolean
assay_torch_make_layer_norm (AssayTorchLower *self, const AssayTorchRule *rule)
{
  gint64 shape[ASSAY_MAX_RANK];
  gint64 axes[ASSAY_MAX_RANK];
  AssayValueId inputs[3];
  AssayValueId outputs[3];
  AssayValueId mean;
  AssayValueId d;
  AssayValueId variance;
  AssayNodeId node;
  gboolean has_bias = !assay_torch_is_none (self, 3);
  double epsilon;
  guint n;
  guint rank;

  if (!assay_torch_get_tensor (self, 0, &inputs[0]) || !assay_torch_rank (self, inputs[0], &rank) ||
      !assay_torch_get_ints (self, 1, shape, &n) || n > rank || n == 0 ||
      !assay_torch_get_float (self, 4, &epsilon))
    return FALSE;
  if (assay_torch_is_none (self, 2))
    inputs[1] = assay_torch_fill (self, assay_torch_dtype (self, inputs[0]), n, shape, 1.0);
  else if (!assay_torch_get_tensor (self, 2, &inputs[1]))
    return FALSE;
  if (has_bias && !assay_torch_get_tensor (self, 3, &inputs[2]))
    return FALSE;
  node = assay_torch_node (self, ASSAY_OP_LayerNormalization, has_bias ? 3 : 2, inputs, 1, outputs);
  assay_graph_set_int (self->graph, node, "axis", -(gint64) n);
  assay_graph_set_float (self->graph, node, "epsilon", epsilon);
  assay_torch_infer (self, node);
  if (!assay_torch_result (self, 0, outputs[0]) || rule->argument == 0)
    return TRUE;

  for (guint i = 0; i < n; i++)
    axes[i] = rank - n + i;
  mean = assay_torch_reduce (self, ASSAY_OP_ReduceMean, inputs[0], n, axes, TRUE);
  d = TWO (Sub, inputs[0], mean);
  variance = assay_torch_reduce (self, ASSAY_OP_ReduceMean, TWO (Mul, d, d), n, axes, TRUE);
  variance = ONE (
      Reciprocal,
      ONE (Sqrt, TWO (Add, variance,
                      assay_torch_scalar (self, assay_torch_dtype (self, variance), epsilon))));

  return assay_torch_result (self, 1, mean) && assay_torch_result (self, 2, variance);
}

/* The argument: 0 group_norm, 1 native_group_norm. */
gboolean
assay_torch_make_group_norm (AssayTorchLower *self, const AssayTorchRule *rule)
{
  guint groups_at = rule->argument == 1 ? 6 : 1;
  guint weight_at = rule->argument == 1 ? 1 : 2;
  gint64 dims[ASSAY_MAX_RANK];
  gint64 split[3];
  gint64 last = 2;
  gint64 ones[ASSAY_MAX_RANK];
  gint64 groups;
  double epsilon;
  AssayValueId x;
  AssayValueId part;
  AssayValueId mean;
  AssayValueId d;
  AssayValueId scale;
  gboolean is_made = FALSE;
  guint rank;

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_dims (self, x, &rank, dims) ||
      rank < 2 || !assay_torch_get_int (self, groups_at, &groups) || groups < 1 ||
      !assay_torch_get_float (self, rule->argument == 1 ? 7 : 4, &epsilon))
    return FALSE;
  if (!assay_torch_is_none (self, weight_at) && !assay_torch_is_none (self, weight_at + 1))
    {
      AssayValueId inputs[3] = { x };
      AssayValueId output;
      AssayNodeId node;

      if (!assay_torch_get_tensor (self, weight_at, &inputs[1]) ||
          !assay_torch_get_tensor (self, weight_at + 1, &inputs[2]))
        return FALSE;
      node = assay_torch_node (self, ASSAY_OP_GroupNormalization, 3, inputs, 1, &output);
      assay_graph_set_int (self->graph, node, "num_groups", groups);
      assay_graph_set_float (self->graph, node, "epsilon", epsilon);
      assay_torch_infer (self, node);
      if (!assay_torch_result (self, 0, output))
        return FALSE;
      if (rule->argument == 0)
        return TRUE;
      is_made = TRUE;
    }
  split[0] = dims[0];
  split[1] = groups;
  split[2] = dims[1] / groups;
  for (guint i = 2; i < rank; i++)
    split[2] *= dims[i];
  d = assay_torch_reshape (self, x, 3, split);
  mean = assay_torch_reduce (self, ASSAY_OP_ReduceMean, d, 1, &last, TRUE);
  d = TWO (Sub, d, mean);
  scale = assay_torch_reduce (self, ASSAY_OP_ReduceMean, TWO (Mul, d, d), 1, &last, TRUE);
  scale = ONE (
      Reciprocal,
      ONE (Sqrt,
           TWO (Add, scale, assay_torch_scalar (self, assay_torch_dtype (self, scale), epsilon))));
  d = assay_torch_reshape (self, TWO (Mul, d, scale), rank, dims);
  for (guint i = 0; i < rank; i++)
    ones[i] = i == 1 ? dims[1] : 1;
  for (guint i = 0; i < 2; i++)
    if (!is_made && !assay_torch_is_none (self, weight_at + i))
      {
        if (!assay_torch_get_tensor (self, weight_at + i, &part))
          return FALSE;
        d = assay_torch_two (self, i == 0 ? ASSAY_OP_Mul : ASSAY_OP_Add, d,
                             assay_torch_reshape (self, part, rank, ones));
      }

  return (is_made || assay_torch_result (self, 0, d)) &&
         (rule->argument == 0 ||
          (assay_torch_result (self, 1, assay_torch_reshape (self, mean, 2, split)) &&
           assay_torch_result (self, 2, assay_torch_reshape (self, scale, 2, split))));
}

/* Elements that are drawn become zero; the second result says which do not. */
static gboolean
drop (AssayTorchLower *self, AssayValueId x)
{
  AssayValueId outputs[2];
  AssayValueId ratio;
  double p;

  if (!assay_torch_get_float (self, 1, &p))
    return FALSE;
  ratio = assay_torch_scalar (self, assay_torch_dtype (self, x), p);
  assay_torch_infer (
      self, assay_torch_node (
                self, ASSAY_OP_Dropout, 3,
                (AssayValueId[]){ x, ratio, assay_torch_integer (self, ASSAY_DTYPE_BOOL, 1) }, 2,
                outputs));

  return assay_torch_result (self, 0, outputs[0]) &&
         (self->op->n_results < 2 || assay_torch_result (self, 1, outputs[1]));
}

gboolean
assay_torch_make_dropout (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  gboolean is_training = FALSE;

  if (!assay_torch_get_tensor (self, 0, &x) ||
      (!assay_torch_is_none (self, 2) && !assay_torch_get_bool (self, 2, &is_training)))
    return FALSE;
  if (is_training)
    return drop (self, x);
  /* A tensor that may be written to is given as it is. */
  if (rule->argument == 0 && self->op->operands[0]->type->kind == ASSAY_TORCH_TYPE_TENSOR)
    return assay_torch_result_item (self, 0, assay_torch_arg (self, 0));
  if (rule->argument == 1 &&
      !assay_torch_result (self, 1,
                           TWO (Expand, assay_torch_integer (self, ASSAY_DTYPE_BOOL, 1),
                                assay_torch_shape (self, x))))
    return FALSE;

  return assay_torch_result (self, 0, ONE (Identity, x));
}

/* Resizes to the sizes of the fourth input, or by the factors of the third, if it is there. */
gboolean
assay_torch_resize (AssayTorchLower *self, const AssayValueId *inputs, gboolean is_linear,
                    gboolean is_aligned)
{
  AssayValueId output;
  AssayNodeId node = assay_torch_node (self, ASSAY_OP_Resize, inputs[2] != ASSAY_NO_VALUE ? 3 : 4,
                                       inputs, 1, &output);

  assay_graph_set_string (self->graph, node, "mode", is_linear ? "linear" : "nearest");
  assay_graph_set_string (self->graph, node, "nearest_mode", "floor");
  assay_graph_set_string (self->graph, node, "coordinate_transformation_mode",
                          is_aligned  ? "align_corners"
                          : is_linear ? "half_pixel"
                                      : "asymmetric");
  assay_torch_infer (self, node);

  return assay_torch_result (self, 0, output);
}

/* To a size, by the nearest element (0) or between neighbours (1). Sizes are operand 1. */
gboolean
assay_torch_make_upsample (AssayTorchLower *self, const AssayTorchRule *rule)
{
  gboolean is_linear = (rule->argument & 8) != 0;
  guint n = (guint) rule->argument & 7;
  gint64 sizes[ASSAY_MAX_RANK];
  gint64 dims[ASSAY_MAX_RANK];
  AssayValueId inputs[4] = { ASSAY_NO_VALUE };
  gboolean is_aligned = FALSE;
  guint rank;
  guint count;

  if (!assay_torch_get_tensor (self, 0, &inputs[0]) ||
      !assay_torch_dims (self, inputs[0], &rank, dims) ||
      !assay_torch_get_ints (self, 1, sizes, &count) || count != n || rank != n + 2 ||
      (is_linear && !assay_torch_get_bool (self, 2, &is_aligned)))
    return FALSE;
  memmove (sizes + 2, sizes, n * sizeof *sizes);
  sizes[0] = dims[0];
  sizes[1] = dims[1];
  inputs[3] = assay_torch_ints (self, rank, sizes);

  return assay_torch_resize (self, inputs, is_linear, is_aligned);
}

/* Queries, keys, values, and a mask, truths or something that is added. */
gboolean
assay_torch_make_attention (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId q;
  AssayValueId k;
  AssayValueId v;
  AssayValueId mask;
  AssayValueId scores;
  AssayValueId output;
  AssayNodeId node;
  AssayDType dtype;
  gint64 dims[ASSAY_MAX_RANK];
  gint64 perm[ASSAY_MAX_RANK];
  gboolean is_causal = FALSE;
  double scale;
  double drop = 0.0;
  guint rank;

  if (!assay_torch_get_tensor (self, 0, &q) || !assay_torch_get_tensor (self, 1, &k) ||
      !assay_torch_get_tensor (self, 2, &v) || !assay_torch_dims (self, q, &rank, dims) ||
      rank < 2 || (!assay_torch_is_none (self, 4) && !assay_torch_get_float (self, 4, &drop)) ||
      (!assay_torch_is_none (self, 5) && !assay_torch_get_bool (self, 5, &is_causal)))
    return FALSE;
  if (drop != 0.0 || is_causal)
    return assay_torch_cannot (self, is_causal ? "a causal mask" : "elements dropped at random");
  dtype = assay_torch_dtype (self, q);
  scale = 1.0 / sqrt ((double) MAX (dims[rank - 1], 1));
  if (!assay_torch_is_none (self, 6) && !assay_torch_get_float (self, 6, &scale))
    return FALSE;
  for (guint i = 0; i < rank; i++)
    perm[i] = i;
  perm[rank - 1] = rank - 2;
  perm[rank - 2] = rank - 1;
  scores = TWO (Mul, TWO (MatMul, q, assay_torch_transpose (self, k, rank, perm)),
                assay_torch_scalar (self, dtype, scale));
  if (!assay_torch_is_none (self, 3))
    {
      if (!assay_torch_get_tensor (self, 3, &mask))
        return FALSE;
      scores = assay_torch_dtype (self, mask) == ASSAY_DTYPE_BOOL
                   ? THREE (Where, mask, scores, assay_torch_scalar (self, dtype, -INFINITY))
                   : TWO (Add, scores, mask);
    }
  node = assay_torch_node (self, ASSAY_OP_Softmax, 1, &scores, 1, &output);
  assay_graph_set_int (self->graph, node, "axis", -1);
  assay_torch_infer (self, node);

  return assay_torch_result (self, 0, TWO (MatMul, output, v));
}

AssayValueId
assay_torch_finish_loss (AssayTorchLower *self, AssayValueId loss, gint64 reduction)
{
  gint64 flat = -1;
  gint64 axis = 0;

  if (reduction == 0)
    return loss;
  loss = assay_torch_reshape (self, loss, 1, &flat);

  return assay_torch_reduce (self, reduction == 1 ? ASSAY_OP_ReduceMean : ASSAY_OP_ReduceSum, loss,
                             1, &axis, FALSE);
}

/* Squared (0) or plain (1) differences, or those of two kinds joined at beta (2). */
gboolean
assay_torch_make_difference_loss (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId a;
  AssayValueId b;
  AssayValueId d;
  AssayDType dtype;
  gint64 reduction = 1;

  if (!get_two (self, &a, &b) ||
      (!assay_torch_is_none (self, 2) && !assay_torch_get_int (self, 2, &reduction)))
    return FALSE;
  d = TWO (Sub, a, b);
  dtype = assay_torch_dtype (self, d);
  if (rule->argument == 0)
    d = TWO (Mul, d, d);
  else if (rule->argument == 1)
    d = ONE (Abs, d);
  else
    {
      double beta = 1.0;

      if (!assay_torch_is_none (self, 3) && !assay_torch_get_float (self, 3, &beta))
        return FALSE;
      d = ONE (Abs, d);
      d = THREE (Where, TWO (Less, d, assay_torch_scalar (self, dtype, beta)),
                 TWO (Mul, TWO (Mul, d, d), assay_torch_scalar (self, dtype, 0.5 / beta)),
                 TWO (Sub, d, assay_torch_scalar (self, dtype, 0.5 * beta)));
    }

  return assay_torch_result (self, 0, assay_torch_finish_loss (self, d, reduction));
}
