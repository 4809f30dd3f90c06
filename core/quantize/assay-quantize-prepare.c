/* assay-quantize-prepare.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The model in float as the device computes it: a batch normalization that no convolution takes in
 * is a depthwise convolution of its own.
 */
#include <math.h>

#include "nnir/assay-graph-builder.h"
#include "quantize/assay-quantize-private.h"

enum
{
  SCALE,
  SHIFT,
  MEAN,
  VARIANCE,
  N_PARAMETERS
};

/**
 * assay_quantize_take_constant:
 * @graph: a graph
 * @name: name of the constant
 * @tensor: (transfer full): its elements
 *
 * Adds a constant.
 *
 * Returns: the value
 */
AssayValueId
assay_quantize_take_constant (AssayGraph *graph, const char *name, AssayTensor *tensor)
{
  AssayValueId value = assay_graph_add_constant (graph, ASSAY_MAIN_REGION, name, tensor);

  assay_tensor_unref (tensor);

  return value;
}

/* Adds a constant of one number per channel. */
static AssayValueId
add_numbers (AssayGraph *graph, AssayNodeId id, const char *suffix, int rank, gint64 n,
             const float *numbers)
{
  g_autofree char *name = g_strconcat (assay_graph_node (graph, id)->name, suffix, NULL);
  gint64 dims[ASSAY_MAX_RANK] = { n, 1, 1, 1 };

  return assay_quantize_take_constant (graph, name,
                                       assay_tensor_new_f32 ((guint) rank, dims, numbers));
}

static gboolean
read_parameters (const AssayGraph *graph, const AssayNode *node, gint64 n, float *weight,
                 float *bias)
{
  double epsilon = assay_node_get_float (node, "epsilon");
  double numbers[N_PARAMETERS];

  for (gint64 i = 0; i < n; i++)
    {
      double factor;

      for (guint j = 0; j < N_PARAMETERS; j++)
        {
          AssayTensor *tensor = assay_graph_constant (graph, assay_node_input (node, j + 1));

          if (tensor == NULL || assay_tensor_get_n_elements (tensor) != (gsize) n ||
              !assay_tensor_get_element (tensor, (gsize) i, &numbers[j], NULL))
            return FALSE;
        }
      factor = numbers[SCALE] / sqrt (numbers[VARIANCE] + epsilon);
      weight[i] = (float) factor;
      bias[i] = (float) (numbers[SHIFT] - numbers[MEAN] * factor);
    }

  return TRUE;
}

/* The node keeps its place and its name. */
static void
make_depthwise (AssayGraph *graph, AssayNodeId id)
{
  static const gint64 ones[] = { 1, 1 };
  const AssayNode *node = assay_graph_node (graph, id);
  const AssayType *type = assay_graph_value (graph, node->inputs[0])->type;
  g_autofree float *weight = NULL;
  g_autofree float *bias = NULL;
  AssayValueId values[2];
  AssayNode *edited;
  gint64 n;

  if (type->kind != ASSAY_TYPE_KIND_TENSOR || (type->rank != 3 && type->rank != 4) ||
      type->dims[1].size < 1 || type->dtype != ASSAY_DTYPE_F32)
    return;
  n = type->dims[1].size;
  weight = g_new (float, n);
  bias = g_new (float, n);
  if (!read_parameters (graph, node, n, weight, bias))
    return;

  values[0] = add_numbers (graph, id, "/weight", type->rank, n, weight);
  values[1] = add_numbers (graph, id, "/bias", 1, n, bias);
  assay_graph_set_attrs (graph, id, 0, NULL);
  edited = assay_graph_edit_node (graph, id);
  edited->op = ASSAY_OP_Conv;
  edited->op_type = assay_op_get_info (ASSAY_OP_Conv)->name;
  edited->domain = "";
  edited->inputs[1] = values[0];
  edited->inputs[2] = values[1];
  edited->n_inputs = 3;
  edited->n_outputs = 1;
  assay_graph_set_int (graph, id, "group", n);
  assay_graph_set_ints (graph, id, "kernel_shape", (guint) type->rank - 2, ones);
}

/**
 * assay_quantize_prepare:
 * @verdicts: a model in float, checked for a target that quantised models are for
 * @options: how it is quantised
 * @counts: (out): what was done
 *
 * Writes the model as the device computes it: what comes out is the same, but for rounding. Nodes
 * are the same ones, and so are the names of values.
 *
 * Returns: (transfer full): the model that is to be quantised
 */
AssayGraph *
assay_quantize_prepare (AssayVerdicts *verdicts, const AssayQuantizeOptions *options,
                        AssayQuantizeCounts *counts)
{
  g_autoptr (AssayGraph) graph = assay_graph_copy (verdicts->graph);
  guint n = assay_graph_n_nodes (graph);

  for (AssayNodeId id = 1; id < n; id++)
    if (assay_graph_node (graph, id)->op == ASSAY_OP_BatchNormalization &&
        assay_verdicts_get (verdicts, id)->kind > ASSAY_VERDICT_UNDECIDED)
      make_depthwise (graph, id);

  *counts = (AssayQuantizeCounts){ 0 };
  if (options->equalize)
    counts->n_equalized = assay_quantization_equalize (graph, verdicts);

  return g_steal_pointer (&graph);
}
