/* assay-quantize-equalize.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Equalisation across layers: what a channel has too much in one product and too little in the next
 * is shared between them, as one position serves all channels of a weight. Between the two there is
 * nothing but what a positive factor passes through, so that the model stays the same.
 */
#include <math.h>
#include <string.h>

#include "quantize/assay-quantize-private.h"

/* Rounds over all pairs; a change of factors below this ends them. */
#define MAX_ROUNDS 16
#define ENOUGH 1.01
#define MAX_HOPS 16

/**
 * assay_quant_layout_read:
 * @self: (out): the layout
 * @graph: a graph
 * @id: a node
 *
 * Reads which channels the elements of a product's weight belong to.
 *
 * Returns: whether the node is a product with a constant weight, scaled by nothing
 */
gboolean
assay_quant_layout_read (AssayQuantLayout *self, const AssayGraph *graph, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (graph, id);
  AssayTensor *weight = assay_graph_constant (graph, assay_node_input (node, 1));
  const gint64 *dims;
  guint rank;
  gsize group = 1;

  *self = (AssayQuantLayout){ 0 };
  if (weight == NULL || assay_tensor_get_dtype (weight) != ASSAY_DTYPE_F32 ||
      assay_tensor_get_rank (weight) < 2 || assay_tensor_get_n_elements (weight) == 0)
    return FALSE;
  dims = assay_tensor_get_dims (weight);
  rank = assay_tensor_get_rank (weight);
  self->n = assay_tensor_get_n_elements (weight);
  self->rows = (gsize) dims[0];
  self->columns = (gsize) dims[1];
  self->inner = self->n / (self->rows * self->columns);

  if (node->op == ASSAY_OP_Conv || node->op == ASSAY_OP_ConvTranspose)
    {
      self->outputs_first = node->op == ASSAY_OP_Conv;
      group = (gsize) assay_node_get_int (node, "group");
    }
  else
    {
      AssayNodeProduct product = assay_node_get_product (node);

      if ((node->op != ASSAY_OP_Linear && node->op != ASSAY_OP_Gemm) || rank != 2 ||
          product.inputs[1] != 1 || product.transposed[0] || product.alpha != 1.0 ||
          product.beta != 1.0)
        return FALSE;
      self->outputs_first = product.transposed[1];
    }

  self->depthwise = group > 1;
  if (self->depthwise && self->outputs_first)
    {
      self->n_outputs = self->rows;
      self->n_inputs = group;
      return self->columns == 1 && self->rows % group == 0;
    }
  self->n_outputs = self->depthwise       ? self->rows * self->columns
                    : self->outputs_first ? self->rows
                                          : self->columns;
  self->n_inputs = self->outputs_first ? self->columns : self->rows;

  return !self->depthwise || group == self->rows;
}

/**
 * assay_quant_layout_find:
 * @self: a layout
 * @element: an element of the weight
 * @output: (out): the channel that it helps to make
 * @input: (out): the channel that it is multiplied with
 *
 * Finds the channels of an element.
 */
void
assay_quant_layout_find (const AssayQuantLayout *self, gsize element, gsize *output, gsize *input)
{
  gsize row = element / (self->columns * self->inner);
  gsize column = element / self->inner % self->columns;

  if (self->depthwise)
    {
      *output = self->outputs_first ? row : row * self->columns + column;
      *input = *output / (self->n_outputs / self->n_inputs);
      return;
    }
  *output = self->outputs_first ? row : column;
  *input = self->outputs_first ? column : row;
}

typedef struct
{
  AssayQuantLayout layout;
  float *weight;
  float *bias; /* NULL for none */
  gboolean changed;
} Product;

static void
product_free (gpointer data)
{
  Product *self = data;

  if (self == NULL)
    return;
  g_free (self->weight);
  g_free (self->bias);
  g_free (self);
}

static float *
dup_numbers (AssayTensor *tensor)
{
  gconstpointer data = assay_tensor_get_data (tensor, NULL, NULL);

  return data != NULL ? g_memdup2 (data, assay_tensor_get_n_elements (tensor) * sizeof (float))
                      : NULL;
}

static Product *
read_product (const AssayGraph *graph, AssayNodeId id)
{
  AssayValueId bias = assay_node_input (assay_graph_node (graph, id), 2);
  AssayTensor *tensor = assay_graph_constant (graph, bias);
  Product *self = g_new0 (Product, 1);

  if (assay_quant_layout_read (&self->layout, graph, id) &&
      (bias == ASSAY_NO_VALUE ||
       (tensor != NULL && assay_tensor_get_dtype (tensor) == ASSAY_DTYPE_F32 &&
        assay_tensor_get_n_elements (tensor) == self->layout.n_outputs)))
    {
      self->weight = dup_numbers (
          assay_graph_constant (graph, assay_graph_node (graph, id)->inputs[1]));
      self->bias = tensor != NULL ? dup_numbers (tensor) : NULL;
    }
  if (self->weight == NULL || (tensor != NULL && self->bias == NULL))
    g_clear_pointer (&self, product_free);

  return self;
}

/* What a positive factor of a channel passes through. */
static gboolean
passes (const AssayGraph *graph, const AssayNode *node)
{
  const AssayType *in = assay_graph_value (graph, node->inputs[0])->type;
  const AssayType *out = assay_graph_value (graph, node->outputs[0])->type;
  AssayTensor *fill;
  double value = 0;

  switch (node->op)
    {
    case ASSAY_OP_Relu:
    case ASSAY_OP_LeakyRelu:
    case ASSAY_OP_MaxPool:
    case ASSAY_OP_AveragePool:
    case ASSAY_OP_GlobalAveragePool:
    case ASSAY_OP_GlobalMaxPool:
    case ASSAY_OP_Identity:
      return TRUE;
    case ASSAY_OP_PRelu:
      return assay_type_equal (in, out);
    case ASSAY_OP_Flatten:
      return in->rank == 4 && out->rank == 2 && in->dims[2].size == 1 && in->dims[3].size == 1 &&
             out->dims[1].size == in->dims[1].size;
    case ASSAY_OP_Pad:
      fill = assay_graph_constant (graph, assay_node_input (node, 2));
      return g_str_equal (assay_node_get_string (node, "mode"), "constant") && in->rank > 1 &&
             in->rank == out->rank && in->dims[1].size == out->dims[1].size &&
             in->dims[1].size > 0 &&
             (assay_node_input (node, 2) == ASSAY_NO_VALUE ||
              (fill != NULL && assay_tensor_get_element (fill, 0, &value, NULL) && value == 0.0));
    default:
      return FALSE;
    }
}

/* The product that alone reads what one makes. */
static AssayNodeId
find_next (const AssayGraph *graph, AssayUses *uses, GPtrArray *products, AssayNodeId id)
{
  AssayValueId value = assay_graph_node (graph, id)->outputs[0];

  for (guint hops = 0; hops < MAX_HOPS; hops++)
    {
      guint n;
      const AssayNodeId *readers = assay_uses_get (uses, value, &n);
      const AssayNode *reader;

      if (n != 1 || assay_uses_is_output (uses, value))
        return ASSAY_NO_NODE;
      reader = assay_graph_node (graph, readers[0]);
      if (reader->region != ASSAY_MAIN_REGION || reader->inputs[0] != value)
        return ASSAY_NO_NODE;
      if (g_ptr_array_index (products, readers[0]) != NULL)
        return readers[0];
      if (!passes (graph, reader))
        return ASSAY_NO_NODE;
      value = reader->outputs[0];
    }

  return ASSAY_NO_NODE;
}

/* Gives both products the same reach in every channel between them. */
static double
share (Product *a, Product *b)
{
  gsize n = a->layout.n_outputs;
  g_autofree float *made = g_new0 (float, n);
  g_autofree float *read = g_new0 (float, n);
  gsize output, input;
  double most = 1.0;

  for (gsize i = 0; i < a->layout.n; i++)
    {
      assay_quant_layout_find (&a->layout, i, &output, &input);
      made[output] = MAX (made[output], fabsf (a->weight[i]));
    }
  for (gsize i = 0; i < b->layout.n; i++)
    {
      assay_quant_layout_find (&b->layout, i, &output, &input);
      read[input] = MAX (read[input], fabsf (b->weight[i]));
    }
  for (gsize i = 0; i < n; i++)
    {
      float factor = made[i] > 0 && read[i] > 0 ? sqrtf (made[i] / read[i]) : 1.0f;

      made[i] = CLAMP (factor, 1e-4f, 1e4f);
      most = MAX (most, (double) MAX (made[i], 1.0f / made[i]));
    }
  for (gsize i = 0; i < a->layout.n; i++)
    {
      assay_quant_layout_find (&a->layout, i, &output, &input);
      a->weight[i] /= made[output];
    }
  for (gsize i = 0; a->bias != NULL && i < n; i++)
    a->bias[i] /= made[i];
  for (gsize i = 0; i < b->layout.n; i++)
    {
      assay_quant_layout_find (&b->layout, i, &output, &input);
      b->weight[i] *= made[input];
    }
  a->changed = b->changed = TRUE;

  return most;
}

static void
write_numbers (AssayGraph *graph, AssayNodeId id, guint input, const char *suffix,
               const float *numbers)
{
  AssayTensor *old = assay_graph_constant (graph, assay_graph_node (graph, id)->inputs[input]);
  g_autofree char *name = g_strconcat (assay_graph_node (graph, id)->name, suffix, NULL);
  AssayValueId value = assay_quantize_take_constant (
      graph, name,
      assay_tensor_new_f32 (assay_tensor_get_rank (old), assay_tensor_get_dims (old), numbers));

  assay_graph_edit_node (graph, id)->inputs[input] = value;
}

/**
 * assay_quantization_equalize:
 * @graph: (inout): a model in float
 * @verdicts: of its nodes
 *
 * Equalises products that stand behind each other on the device.
 *
 * Returns: how many pairs there are
 */
guint
assay_quantization_equalize (AssayGraph *graph, AssayVerdicts *verdicts)
{
  g_autoptr (AssayUses) uses = assay_uses_new (graph);
  g_autoptr (GPtrArray) products = g_ptr_array_new_with_free_func (product_free);
  g_autoptr (GArray) order = assay_graph_sort_region (graph, ASSAY_MAIN_REGION, NULL);
  guint n_pairs = 0;
  double most = INFINITY;

  g_ptr_array_set_size (products, (int) assay_graph_n_nodes (graph));
  for (guint i = 0; i < order->len; i++)
    {
      AssayNodeId id = g_array_index (order, AssayNodeId, i);

      if (assay_verdicts_get (verdicts, id)->kind > ASSAY_VERDICT_UNDECIDED)
        products->pdata[id] = read_product (graph, id);
    }

  for (guint round = 0; round < MAX_ROUNDS && most > ENOUGH; round++)
    {
      most = 1.0;
      n_pairs = 0;
      for (guint i = 0; i < order->len; i++)
        {
          AssayNodeId id = g_array_index (order, AssayNodeId, i);
          Product *a = products->pdata[id];
          AssayNodeId next = a != NULL ? find_next (graph, uses, products, id) : ASSAY_NO_NODE;
          Product *b = next != ASSAY_NO_NODE ? products->pdata[next] : NULL;

          if (b == NULL || a->layout.n_outputs != b->layout.n_inputs)
            continue;
          n_pairs++;
          most = MAX (most, share (a, b));
        }
    }
  for (guint id = 1; id < products->len; id++)
    {
      const Product *product = products->pdata[id];

      if (product == NULL || !product->changed)
        continue;
      write_numbers (graph, id, 1, "/equalized", product->weight);
      if (product->bias != NULL)
        write_numbers (graph, id, 2, "/equalized_bias", product->bias);
    }

  return n_pairs;
}
