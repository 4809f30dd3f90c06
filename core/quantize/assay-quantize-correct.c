/* assay-quantize-correct.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Correction of biases: rounding a weight moves what a product makes, on average by the error of
 * the weight times the mean of what goes in. The bias takes that back.
 */
#include <math.h>

#include "quantize/assay-quantize-private.h"

/**
 * AssayQuantMean:
 *
 * The sums of a value over calibration, by channel.
 */
struct _AssayQuantMean
{
  gsize n_channels;
  gboolean last; /* whether channels are the last axis */
  guint64 count; /* elements of each */
  double *sums;
};

void
assay_quant_mean_free (gpointer data)
{
  AssayQuantMean *self = data;

  g_free (self->sums);
  g_free (self);
}

/* Transposed convolutions do not meet every element with every tap: they stay as they are. */
static gboolean
can_correct (const AssayQuantization *self, AssayNodeId id, AssayQuantLayout *layout)
{
  AssayQuantPoint *bias = assay_quantization_weight (self, id, 2);

  return bias != NULL && assay_quantization_weight (self, id, 1) != NULL &&
         assay_graph_node (self->graph, id)->op != ASSAY_OP_ConvTranspose &&
         assay_quant_layout_read (layout, self->graph, id) &&
         assay_tensor_get_n_elements (bias->numbers) == layout->n_outputs;
}

/**
 * assay_quantization_want_means:
 * @self: a graph on its way, whose points are known
 *
 * Notes whose means are needed to correct biases.
 */
void
assay_quantization_want_means (AssayQuantization *self)
{
  for (guint i = 0; i < self->order->len; i++)
    {
      AssayNodeId id = g_array_index (self->order, AssayNodeId, i);
      const AssayNode *node = assay_graph_node (self->graph, id);
      AssayQuantLayout layout;
      AssayQuantMean *mean;

      if (!can_correct (self, id, &layout) ||
          g_hash_table_contains (self->means, GUINT_TO_POINTER (node->inputs[0])))
        continue;
      mean = g_new0 (AssayQuantMean, 1);
      mean->n_channels = layout.n_inputs;
      mean->last = node->op != ASSAY_OP_Conv;
      mean->sums = g_new0 (double, layout.n_inputs);
      g_hash_table_insert (self->means, GUINT_TO_POINTER (node->inputs[0]), mean);
    }
}

/**
 * assay_quantization_add_means:
 * @self: a graph on its way
 * @value: a value
 * @datum: what it is for one sample
 *
 * Adds up a value if its mean is needed.
 */
void
assay_quantization_add_means (AssayQuantization *self, AssayValueId value, const AssayDatum *datum)
{
  AssayQuantMean *mean = g_hash_table_lookup (self->means, GUINT_TO_POINTER (value));
  const float *numbers = datum->data;
  gsize inner = 1;

  if (mean == NULL || datum->storage != ASSAY_DTYPE_F32 || datum->n % mean->n_channels != 0)
    return;
  for (guint i = 2; !mean->last && i < datum->rank; i++)
    inner *= (gsize) datum->dims[i];
  for (gsize i = 0; i < datum->n; i++)
    mean->sums[i / inner % mean->n_channels] += (double) numbers[i];
  mean->count += datum->n / mean->n_channels;
}

static gboolean
correct (AssayQuantization *self, AssayNodeId id, const AssayQuantLayout *layout, guint *n,
         GError **error)
{
  const AssayNode *node = assay_graph_node (self->graph, id);
  AssayQuantPoint *weight = assay_quantization_weight (self, id, 1);
  AssayQuantPoint *bias = assay_quantization_weight (self, id, 2);
  AssayQuantMean *mean = g_hash_table_lookup (self->means, GUINT_TO_POINTER (node->inputs[0]));
  const float *numbers = assay_tensor_get_data (weight->numbers, NULL, error);
  const float *old = assay_tensor_get_data (bias->numbers, NULL, error);
  g_autofree double *shifts = g_new0 (double, layout->n_outputs);
  g_autofree float *corrected = g_new (float, layout->n_outputs);
  AssayTensor *tensor;
  gsize output, input;

  if (numbers == NULL || old == NULL)
    return FALSE;
  if (mean == NULL || mean->count == 0 || mean->n_channels != layout->n_inputs ||
      mean->last != (node->op != ASSAY_OP_Conv))
    return TRUE;

  for (gsize i = 0; i < layout->n; i++)
    {
      gint8 bits = assay_position_quantize ((double) numbers[i], weight->position,
                                            self->options->quantizer->weights);
      double rounded = ldexp ((double) bits, -weight->position);

      assay_quant_layout_find (layout, i, &output, &input);
      shifts[output] += (rounded - (double) numbers[i]) * mean->sums[input] / (double) mean->count;
    }
  for (gsize i = 0; i < layout->n_outputs; i++)
    corrected[i] = (float) ((double) old[i] - shifts[i]);
  tensor = assay_tensor_new_f32 (assay_tensor_get_rank (bias->numbers),
                                 assay_tensor_get_dims (bias->numbers), corrected);
  assay_tensor_unref (bias->numbers);
  bias->numbers = tensor;
  bias->position = bias->first = assay_position_find (corrected, layout->n_outputs,
                                                      self->options->quantizer->bias);
  (*n)++;

  return TRUE;
}

/**
 * assay_quantization_correct:
 * @self: a graph whose points have positions
 * @n: (out): how many biases were corrected
 * @error: return location for a #GError
 *
 * Corrects biases, and finds their positions again.
 *
 * Returns: %FALSE if a constant cannot be read
 */
gboolean
assay_quantization_correct (AssayQuantization *self, guint *n, GError **error)
{
  *n = 0;
  for (guint i = 0; i < self->order->len; i++)
    {
      AssayNodeId id = g_array_index (self->order, AssayNodeId, i);
      AssayQuantLayout layout;

      if (can_correct (self, id, &layout) && !correct (self, id, &layout, n, error))
        return FALSE;
    }

  return TRUE;
}
