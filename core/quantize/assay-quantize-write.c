/* assay-quantize-write.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Positions as a model of ONNX: a QuantizeLinear and a DequantizeLinear behind each value that has
 * one, and constants of 8 bits. What reads a value keeps its name, so that the quantised model can
 * be held against the other one value by value.
 */
#include <math.h>
#include <string.h>

#include "base/assay-error.h"
#include "nnir/pass/assay-pass.h"
#include "quantize/assay-quantize-private.h"

typedef struct
{
  AssayQuantization *self;
  AssayGraph *graph; /* a copy */
  GHashTable *names; /* of values */
  AssayValueId scales[ASSAY_N_POSITIONS];
  AssayValueId zero;
} Writing;

static const char *
new_name (Writing *writing, const char *name, const char *suffix)
{
  g_autofree char *wanted = g_strconcat (name, suffix, NULL);

  for (guint i = 1; g_hash_table_contains (writing->names, wanted); i++)
    {
      g_free (wanted);
      wanted = g_strdup_printf ("%s%s_%u", name, suffix, i);
    }
  g_hash_table_add (writing->names, (gpointer) assay_arena_intern (writing->graph->arena, wanted));

  return assay_arena_intern (writing->graph->arena, wanted);
}

static AssayValueId
add_scale (Writing *writing, int position)
{
  AssayValueId *id = &writing->scales[position - ASSAY_POSITION_LEAST];
  float scale = (float) ldexp (1.0, -position);
  g_autofree char *name = g_strdup_printf ("scale_2^%d", -position);

  if (*id == ASSAY_NO_VALUE)
    *id = assay_quantize_take_constant (writing->graph, new_name (writing, name, ""),
                                        assay_tensor_new_f32 (0, NULL, &scale));

  return *id;
}

static AssayTensor *
new_i8 (guint rank, const gint64 *dims, gint8 *elements, gsize n)
{
  g_autoptr (GBytes) bytes = g_bytes_new_take (elements, n);

  return assay_tensor_new (ASSAY_DTYPE_I8, rank, dims, bytes, NULL);
}

static AssayValueId
add_zero (Writing *writing)
{
  if (writing->zero == ASSAY_NO_VALUE)
    writing->zero = assay_quantize_take_constant (writing->graph,
                                                  new_name (writing, "zero_point", ""),
                                                  new_i8 (0, NULL, g_new0 (gint8, 1), 1));

  return writing->zero;
}

static const AssayType *
type_of (Writing *writing, AssayDType dtype, const AssayType *type)
{
  return assay_type_new_tensor (writing->graph->arena, dtype, type->rank, type->dims);
}

static AssayNodeId
add_node (Writing *writing, AssayOp op, const char *name, AssayValueId x, int position,
          AssayValueId y)
{
  const AssayValueId inputs[] = { x, add_scale (writing, position), add_zero (writing) };

  return assay_graph_add_node (writing->graph, ASSAY_MAIN_REGION, op, name, 3, inputs, 1, &y);
}

/* A constant of 8 bits, and the value that it makes. */
static AssayValueId
write_constant (Writing *writing, const AssayQuantPoint *point, gboolean transpose, GError **error)
{
  const AssayQuantizer *tool = writing->self->options->quantizer;
  const AssayValue *value = assay_graph_value (writing->graph, point->value);
  const char *name = value->name;
  gsize n = assay_tensor_get_n_elements (point->numbers);
  const float *numbers = assay_tensor_get_data (point->numbers, NULL, error);
  guint rank = assay_tensor_get_rank (point->numbers);
  g_autofree gint64 *dims = g_memdup2 (assay_tensor_get_dims (point->numbers),
                                       sizeof (gint64) * MAX (rank, 1));
  gint8 *elements = g_new (gint8, MAX (n, 1));
  AssayValueId quantized, result;
  gsize columns = transpose && rank == 2 ? (gsize) dims[1] : 1;
  gsize rows = transpose && rank == 2 ? (gsize) dims[0] : n;

  if (numbers == NULL)
    {
      g_free (elements);
      return ASSAY_NO_VALUE;
    }
  for (gsize i = 0; i < rows; i++)
    for (gsize j = 0; j < columns; j++)
      elements[j * rows + i] = assay_position_quantize (
          (double) numbers[i * columns + j], point->position,
          point->input == 2 ? tool->bias : tool->weights);
  if (transpose && rank == 2)
    {
      gint64 first = dims[0];

      dims[0] = dims[1];
      dims[1] = first;
    }

  quantized = assay_quantize_take_constant (writing->graph, new_name (writing, name, "_quantized"),
                                            new_i8 (rank, dims, elements, n));
  result = assay_graph_add_value (
      writing->graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT,
      new_name (writing, name, "_dequantized"),
      assay_type_new_fixed (writing->graph->arena, ASSAY_DTYPE_F32, rank, dims));
  /* The name of a node says where it belongs: that of a constant to what reads it. */
  name = assay_graph_node (writing->graph, point->node)->name;
  add_node (writing, ASSAY_OP_DequantizeLinear, new_name (writing, name, "_DequantizeLinear"),
            quantized, point->position, result);

  return result;
}

/* Linear is ours; what is written is Gemm where that can say it, and MatMul with a sum elsewhere.
 */
static gboolean
write_linear (Writing *writing, AssayNodeId id, GError **error)
{
  AssayNode *node = assay_graph_edit_node (writing->graph, id);
  AssayQuantPoint *w = assay_quantization_weight (writing->self, id, 1);
  AssayQuantPoint *b = assay_quantization_weight (writing->self, id, 2);
  gboolean left = g_str_equal (assay_node_get_string (node, "side"), "left");
  gboolean transpose = assay_node_get_int (node, "transpose_weight") != 0;
  AssayValueId x = node->inputs[0];
  AssayValueId y = node->outputs[0];
  AssayValueId weight, bias = ASSAY_NO_VALUE;
  AssayNodeId sum;

  weight = write_constant (writing, w, transpose, error);
  if (weight == ASSAY_NO_VALUE)
    return FALSE;
  if (b != NULL && (bias = write_constant (writing, b, FALSE, error)) == ASSAY_NO_VALUE)
    return FALSE;

  node = assay_graph_edit_node (writing->graph, id);
  assay_graph_set_attrs (writing->graph, id, 0, NULL);
  node->inputs[0] = left ? weight : x;
  node->inputs[1] = left ? x : weight;
  if (!left && b != NULL && assay_graph_value (writing->graph, x)->type->rank == 2)
    {
      node->op = ASSAY_OP_Gemm;
      node->op_type = assay_op_get_info (ASSAY_OP_Gemm)->name;
      node->domain = "";
      node->inputs[2] = bias;
      return TRUE;
    }

  node->op = ASSAY_OP_MatMul;
  node->op_type = assay_op_get_info (ASSAY_OP_MatMul)->name;
  node->domain = "";
  node->n_inputs = 2;
  if (b != NULL)
    {
      AssayValueId inputs[2] = { ASSAY_NO_VALUE, bias };
      const AssayType *type = assay_graph_value (writing->graph, y)->type;

      inputs[0] = assay_graph_add_value (
          writing->graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT,
          new_name (writing, assay_graph_value (writing->graph, y)->name, "_product"), type);
      assay_graph_edit_value (writing->graph, inputs[0])->producer = id;
      node = assay_graph_edit_node (writing->graph, id);
      node->outputs[0] = inputs[0];
      sum = assay_graph_add_node (writing->graph, ASSAY_MAIN_REGION, ASSAY_OP_Add,
                                  new_name (writing, node->name, "_bias"), 2, inputs, 1, &y);
      assay_graph_edit_value (writing->graph, y)->producer = sum;
    }

  return TRUE;
}

static gboolean
write_constants (Writing *writing, GError **error)
{
  AssayQuantization *self = writing->self;

  for (guint i = 0; i < self->order->len; i++)
    {
      AssayNodeId id = g_array_index (self->order, AssayNodeId, i);

      if (assay_graph_node (writing->graph, id)->op == ASSAY_OP_Linear &&
          assay_quantization_weight (self, id, 1) != NULL)
        {
          if (!write_linear (writing, id, error))
            return FALSE;
          continue;
        }
      for (guint j = 0; j < assay_graph_node (writing->graph, id)->n_inputs; j++)
        {
          AssayQuantPoint *point = assay_quantization_weight (self, id, j);
          AssayValueId value;

          if (point == NULL)
            continue;
          value = write_constant (writing, point, FALSE, error);
          if (value == ASSAY_NO_VALUE)
            return FALSE;
          assay_graph_edit_node (writing->graph, id)->inputs[j] = value;
        }
    }

  return TRUE;
}

static void
replace_readers (Writing *writing, AssayValueId old, AssayValueId value)
{
  const AssayRegion *region = assay_graph_region (writing->graph, ASSAY_MAIN_REGION);

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (writing->graph); id++)
    {
      AssayNode *node = assay_graph_edit_node (writing->graph, id);

      for (guint i = 0; i < node->n_inputs; i++)
        if (node->inputs[i] == old)
          node->inputs[i] = value;
    }
  for (guint i = 0; i < region->outputs->len; i++)
    if (g_array_index (region->outputs, AssayValueId, i) == old)
      g_array_index (region->outputs, AssayValueId, i) = value;
}

/* What reads the value reads what is left of it in 8 bits, under its name; inputs keep theirs. */
static void
write_activation (Writing *writing, const AssayQuantPoint *point)
{
  AssayGraph *graph = writing->graph;
  const char *name = assay_graph_value (graph, point->value)->name;
  const AssayType *type = assay_graph_value (graph, point->value)->type;
  AssayNodeId producer = assay_graph_value (graph, point->value)->producer;
  gboolean is_input = producer == ASSAY_NO_NODE;
  AssayValueId quantized, result;

  quantized = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT,
                                     new_name (writing, name, "_quantized"),
                                     type_of (writing, ASSAY_DTYPE_I8, type));
  result = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT,
                                  is_input ? new_name (writing, name, "_dequantized") : name, type);
  if (!is_input)
    assay_graph_edit_value (graph, point->value)->name = new_name (writing, name, "_float");
  replace_readers (writing, point->value, result);
  if (!is_input)
    name = assay_graph_node (graph, producer)->name;
  add_node (writing, ASSAY_OP_QuantizeLinear, new_name (writing, name, "_QuantizeLinear"),
            point->value, point->position, quantized);
  add_node (writing, ASSAY_OP_DequantizeLinear, new_name (writing, name, "_DequantizeLinear"),
            quantized, point->position, result);
}

/* New nodes stand at the end; ids follow the order of the nodes, and what nobody reads is dropped.
 */
static void
put_in_order (AssayGraph *graph)
{
  static const AssayCanonicalOptions options = ASSAY_CANONICAL_OPTIONS_DEFAULT;
  g_autoptr (GArray) order = assay_graph_sort_region (graph, ASSAY_MAIN_REGION, NULL);
  GArray *nodes = assay_graph_region (graph, ASSAY_MAIN_REGION)->nodes;
  AssayRewriter rewriter;

  g_array_set_size (nodes, 0);
  g_array_append_vals (nodes, order->data, order->len);
  assay_rewriter_init (&rewriter, graph, &options);
  rewriter.n_changes++;
  assay_rewriter_finish (&rewriter);
}

/**
 * assay_quantization_write:
 * @self: a graph whose points have positions
 * @error: return location for a #GError
 *
 * Writes the positions into a copy of the graph.
 *
 * Returns: (transfer full) (nullable): the quantised model
 */
AssayGraph *
assay_quantization_write (AssayQuantization *self, GError **error)
{
  g_autoptr (AssayGraph) graph = assay_graph_copy (self->graph);
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);
  Writing writing = { self, graph, names };

  for (AssayValueId id = 1; id < assay_graph_n_values (graph); id++)
    g_hash_table_add (names, (gpointer) assay_graph_value (graph, id)->name);
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    g_hash_table_add (names, (gpointer) assay_graph_node (graph, id)->name);

  if (!write_constants (&writing, error))
    return NULL;
  for (guint i = 0; i < self->points->len; i++)
    {
      const AssayQuantPoint *point = g_ptr_array_index (self->points, i);

      if (point->numbers == NULL)
        write_activation (&writing, point);
    }
  put_in_order (graph);

  return g_steal_pointer (&graph);
}
