/* assay-pass-batch-norm.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "base/assay-bf16.h"
#include "base/assay-error.h"
#include "base/assay-sentence.h"
#include "nnir/assay-graph-builder.h"
#include "nnir/pass/assay-pass.h"
#include "nnir/assay-node-product.h"
#include "nnir/assay-dims.h"
#include "nnir/pass/assay-pass-fold.h"

/* BatchNormalization in inference is y = f * (x - mean) + shift with f = scale / sqrt (variance +
 * epsilon), so that weight' = f * weight          per output channel bias'   = f * (bias - mean) +
 * shift Both are computed when somebody asks for their elements. */

enum
{
  SCALE,
  SHIFT,
  MEAN,
  VARIANCE,
  N_PARAMETERS
};

typedef struct
{
  AssayTensor *parameters[N_PARAMETERS];
  AssayTensor *weight; /* NULL for the bias */
  AssayTensor *bias;   /* NULL for the weight, or if there is none */
  double bias_factor;
  double epsilon;
  gsize inner;          /* elements behind the dimension of the output channels */
  gsize channels;       /* extent of that dimension */
  gsize rows_per_group; /* extent in front of it that one group has */
} Folded;

static void
folded_free (gpointer data)
{
  Folded *self = data;

  for (guint i = 0; i < N_PARAMETERS; i++)
    assay_tensor_unref (self->parameters[i]);
  assay_tensor_unref (self->weight);
  assay_tensor_unref (self->bias);
  g_free (self);
}

static gboolean
get_channel (const Folded *self, gsize channel, double *values, double *factor, GError **error)
{
  for (guint i = 0; i < N_PARAMETERS; i++)
    {
      if (!assay_tensor_get_element (self->parameters[i], channel, &values[i], error))
        return FALSE;
    }

  *factor = values[SCALE] / sqrt (values[VARIANCE] + self->epsilon);

  return TRUE;
}

static gboolean
fill_weight (const Folded *self, guint8 *data, gsize n, GError **error)
{
  AssayDType dtype = assay_tensor_get_dtype (self->weight);
  gsize n_channels = assay_tensor_get_n_elements (self->parameters[SCALE]);
  g_autofree double *factors = g_new (double, MAX (n_channels, 1));
  double values[N_PARAMETERS];

  for (gsize i = 0; i < n_channels; i++)
    {
      if (!get_channel (self, i, values, &factors[i], error))
        return FALSE;
    }

  for (gsize i = 0; i < n; i++)
    {
      gsize row = i / (self->inner * self->channels);
      gsize channel = row / self->rows_per_group * self->channels +
                      i / self->inner % self->channels;
      double element;

      if (!assay_tensor_get_element (self->weight, i, &element, error))
        return FALSE;
      assay_fold_put_float (data, dtype, i, element * factors[channel]);
    }

  return TRUE;
}

static gboolean
fill_bias (const Folded *self, AssayDType dtype, guint8 *data, gsize n, GError **error)
{
  for (gsize i = 0; i < n; i++)
    {
      double values[N_PARAMETERS];
      double factor;
      double bias = 0.0;
      gsize index = self->bias != NULL && assay_tensor_get_n_elements (self->bias) == 1 ? 0 : i;

      if (!get_channel (self, i, values, &factor, error) ||
          (self->bias != NULL && !assay_tensor_get_element (self->bias, index, &bias, error)))
        return FALSE;
      assay_fold_put_float (data, dtype, i,
                            (bias * self->bias_factor - values[MEAN]) * factor + values[SHIFT]);
    }

  return TRUE;
}

static GBytes *
load_folded (AssayTensor *tensor, gpointer user_data, GError **error)
{
  const Folded *self = user_data;
  gsize n = assay_tensor_get_n_elements (tensor);
  gsize n_bytes = assay_tensor_get_n_bytes (tensor);
  g_autofree guint8 *data = g_try_malloc0 (MAX (n_bytes, 1));

  if (data == NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_MEMORY,
                   "no memory for %" G_GSIZE_FORMAT " byte%s of weights", n_bytes,
                   assay_plural (n_bytes));
      return NULL;
    }

  if (self->weight != NULL ? !fill_weight (self, data, n, error)
                           : !fill_bias (self, assay_tensor_get_dtype (tensor), data, n, error))
    return NULL;

  return g_bytes_new_take (g_steal_pointer (&data), n_bytes);
}

static gboolean
has_float_elements (AssayTensor *tensor)
{
  AssayDType dtype = assay_tensor_get_dtype (tensor);

  return dtype == ASSAY_DTYPE_F32 || dtype == ASSAY_DTYPE_F64 || dtype == ASSAY_DTYPE_F16 ||
         dtype == ASSAY_DTYPE_BF16;
}

/* Where the output channels of a weight are. */
static gboolean
find_layout (const AssayNode *node, AssayTensor *weight, Folded *folded)
{
  const gint64 *dims = assay_tensor_get_dims (weight);
  guint rank = assay_tensor_get_rank (weight);
  gint64 group = node->op == ASSAY_OP_Linear ? 1 : assay_node_get_int (node, "group");
  guint axis = 0;

  if (rank < 2 || group < 1 || assay_tensor_get_n_elements (weight) == 0)
    return FALSE;

  if (node->op == ASSAY_OP_ConvTranspose)
    axis = 1;
  else if (node->op == ASSAY_OP_Linear)
    axis = assay_node_get_product (node).transposed[1] ? 0 : 1;

  folded->channels = (gsize) dims[axis];
  folded->inner = assay_dims_product (dims, axis + 1, rank);
  folded->rows_per_group = (gsize) dims[0];
  if (node->op == ASSAY_OP_ConvTranspose)
    {
      if (dims[0] % group != 0)
        return FALSE;
      folded->rows_per_group /= (gsize) group;
    }

  return TRUE;
}

static AssayTensor *
new_folded (const Folded *folded, AssayTensor *weight, AssayTensor *bias, AssayDType dtype,
            guint rank, const gint64 *dims)
{
  Folded *copy = g_memdup2 (folded, sizeof *folded);

  for (guint i = 0; i < N_PARAMETERS; i++)
    assay_tensor_ref (copy->parameters[i]);
  copy->weight = weight != NULL ? assay_tensor_ref (weight) : NULL;
  copy->bias = bias != NULL ? assay_tensor_ref (bias) : NULL;

  return assay_tensor_new_lazy (dtype, rank, dims, load_folded, copy, folded_free, NULL);
}

static AssayValueId
add_folded (AssayRewriter *self, AssayNodeId id, const char *suffix, AssayTensor *tensor)
{
  const AssayNode *node = assay_graph_node (self->graph, id);
  g_autofree char *name = g_strconcat (node->name, suffix, NULL);

  return assay_graph_add_constant (self->graph, node->region, name, tensor);
}

static gboolean
is_foldable_producer (AssayRewriter *self, AssayNodeId id, AssayNodeId producer)
{
  const AssayNode *node = assay_graph_node (self->graph, producer);
  const AssayType *type;

  if (producer == ASSAY_NO_NODE || node->region != assay_graph_node (self->graph, id)->region ||
      (node->op != ASSAY_OP_Conv && node->op != ASSAY_OP_ConvTranspose &&
       node->op != ASSAY_OP_Linear) ||
      node->n_inputs < 2 || node->n_inputs > 3 ||
      assay_rewriter_reads (self, node->outputs[0]) != 1)
    return FALSE;

  /* The channels of Linear are its last dimension, those of BatchNormalization the second. */
  type = assay_graph_value (self->graph, node->outputs[0])->type;

  return node->op != ASSAY_OP_Linear || (type->kind == ASSAY_TYPE_KIND_TENSOR && type->rank == 2 &&
                                         assay_node_get_product (node).inputs[1] == 1);
}

static gboolean
get_parameters (AssayRewriter *self, AssayNodeId id, Folded *folded)
{
  const AssayNode *node = assay_graph_node (self->graph, id);

  if (node->op != ASSAY_OP_BatchNormalization || node->n_inputs != 5 ||
      assay_node_get_int (node, "training_mode") != 0)
    return FALSE;

  for (guint i = 1; i < node->n_outputs; i++)
    {
      if (node->outputs[i] != ASSAY_NO_VALUE && assay_rewriter_reads (self, node->outputs[i]) > 0)
        return FALSE;
    }

  for (guint i = 0; i < N_PARAMETERS; i++)
    {
      folded->parameters[i] = assay_graph_constant (self->graph,
                                                    assay_rewriter_input (self, id, i + 1));
      if (folded->parameters[i] == NULL || !has_float_elements (folded->parameters[i]) ||
          assay_tensor_get_rank (folded->parameters[i]) != 1 ||
          assay_tensor_get_n_elements (folded->parameters[i]) !=
              assay_tensor_get_n_elements (folded->parameters[0]))
        return FALSE;
    }

  folded->epsilon = assay_node_get_float (node, "epsilon");

  return TRUE;
}

static void
visit (AssayRewriter *self, AssayNodeId id, gpointer user_data)
{
  Folded folded = { .bias_factor = 1.0 };
  g_autoptr (AssayTensor) new_weight = NULL;
  g_autoptr (AssayTensor) new_bias = NULL;
  AssayTensor *weight;
  AssayTensor *bias;
  AssayNodeId producer;
  AssayValueId inputs[3];
  AssayAttr attrs[16];
  AssayOp op;
  guint n_attrs;
  gint64 n_channels;

  if (!get_parameters (self, id, &folded))
    return;

  producer = assay_rewriter_producer (self, assay_rewriter_input (self, id, 0));
  if (!is_foldable_producer (self, id, producer))
    return;

  weight = assay_graph_constant (self->graph, assay_rewriter_input (self, producer, 1));
  bias = assay_graph_constant (self->graph, assay_rewriter_input (self, producer, 2));
  n_channels = (gint64) assay_tensor_get_n_elements (folded.parameters[0]);
  n_attrs = assay_graph_node (self->graph, producer)->n_attrs;
  if (weight == NULL || !has_float_elements (weight) || n_attrs > G_N_ELEMENTS (attrs) ||
      (assay_rewriter_input (self, producer, 2) != ASSAY_NO_VALUE && bias == NULL) ||
      (bias != NULL && (!has_float_elements (bias) ||
                        (assay_tensor_get_n_elements (bias) != 1 &&
                         assay_tensor_get_n_elements (bias) != (gsize) n_channels))) ||
      !find_layout (assay_graph_node (self->graph, producer), weight, &folded) ||
      folded.channels * ((gsize) assay_tensor_get_dims (weight)[0] / folded.rows_per_group) !=
          (gsize) n_channels)
    return;

  op = assay_graph_node (self->graph, producer)->op;
  folded.bias_factor = assay_node_get_product (assay_graph_node (self->graph, producer)).beta;

  new_weight = new_folded (&folded, weight, NULL, assay_tensor_get_dtype (weight),
                           assay_tensor_get_rank (weight), assay_tensor_get_dims (weight));
  new_bias = new_folded (&folded, NULL, bias, assay_tensor_get_dtype (weight), 1, &n_channels);
  if (new_weight == NULL || new_bias == NULL)
    return;

  inputs[0] = assay_rewriter_input (self, producer, 0);
  inputs[1] = add_folded (self, id, "/weight", new_weight);
  inputs[2] = add_folded (self, id, "/bias", new_bias);
  memcpy (attrs, assay_graph_node (self->graph, producer)->attrs, n_attrs * sizeof *attrs);

  assay_rewriter_set_inputs (self, id, 3, inputs);
  assay_rewriter_set_op (self, id, op);
  assay_graph_set_attrs (self->graph, id, n_attrs, attrs);
  assay_graph_remove_attr (self->graph, id, "beta");
  assay_graph_edit_node (self->graph, id)->n_outputs = 1;
  assay_rewriter_absorb (self, id, 1, &producer, "fold-batch-norm");
}

/**
 * assay_pass_fold_batch_norm:
 * @rewriter: the graph and its state
 * @progress: (nullable): asked whether to go on
 * @error: return location for a #GError
 *
 * Folds BatchNormalization into the convolution or Linear in front of it, if nobody else reads that
 * and all parameters are constants. The new weights are computed when they are asked for.
 *
 * Returns: %FALSE if cancelled
 */
gboolean
assay_pass_fold_batch_norm (AssayRewriter *rewriter, const AssayProgress *progress, GError **error)
{
  if (!rewriter->options->fold_batch_norm)
    return TRUE;

  return assay_rewriter_each_node (rewriter, visit, NULL, progress, error);
}
