/* assay-quantize.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Post-training quantisation as the vendor's tools do it: 8 bits, one power of two per tensor.
 * Which values get a position follows from the verdicts: what a target takes in as one operation
 * has none inside.
 */
#include <math.h>
#include <string.h>

#include "base/assay-error.h"
#include "evaluate/assay-evaluate.h"
#include "quantize/assay-quantize-private.h"

static void
point_free (gpointer data)
{
  AssayQuantPoint *self = data;

  g_clear_pointer (&self->numbers, assay_tensor_unref);
  g_free (self);
}

static void
quantization_clear (AssayQuantization *self)
{
  g_clear_pointer (&self->uses, assay_uses_free);
  g_clear_pointer (&self->points, g_ptr_array_unref);
  g_clear_pointer (&self->weights, g_hash_table_unref);
  g_clear_pointer (&self->order, g_array_unref);
  g_clear_pointer (&self->means, g_hash_table_unref);
  g_free (self->activations);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssayQuantization, quantization_clear)

/**
 * assay_quantize_moves:
 * @op: an operation
 *
 * Tells whether an operation gives the elements of its first input and nothing else, so that what
 * comes out has the position of what went in.
 *
 * Returns: whether it does
 */
gboolean
assay_quantize_moves (AssayOp op)
{
  return op == ASSAY_OP_Reshape || op == ASSAY_OP_Flatten || op == ASSAY_OP_Squeeze ||
         op == ASSAY_OP_Unsqueeze || op == ASSAY_OP_Transpose || op == ASSAY_OP_Slice ||
         op == ASSAY_OP_DepthToSpace || op == ASSAY_OP_SpaceToDepth || op == ASSAY_OP_Identity ||
         op == ASSAY_OP_Dropout;
}

/**
 * assay_quantization_is_on_device:
 * @self: a graph on its way
 * @node: a node
 *
 * Tells whether a node has something left to do, on the device.
 *
 * Returns: whether it does
 */
gboolean
assay_quantization_is_on_device (const AssayQuantization *self, AssayNodeId node)
{
  AssayVerdictKind kind = assay_verdicts_get (self->verdicts, node)->kind;

  return kind > ASSAY_VERDICT_UNDECIDED && kind != ASSAY_VERDICT_REMOVED &&
         assay_graph_node (self->graph, node)->region == ASSAY_MAIN_REGION;
}

/* The node that stands for all that is one operation on the device. */
static AssayNodeId
group_of (const AssayQuantization *self, AssayNodeId node)
{
  AssayNodeId into = assay_verdicts_get (self->verdicts, node)->into;

  return into != ASSAY_NO_NODE ? into : node;
}

/**
 * assay_quantization_point:
 * @self: a graph on its way
 * @value: a value that is computed
 *
 * Finds what has the position of a value, through nodes that only move it.
 *
 * Returns: (nullable): the point
 */
AssayQuantPoint *
assay_quantization_point (const AssayQuantization *self, AssayValueId value)
{
  while (value != ASSAY_NO_VALUE && self->activations[value] == NULL)
    {
      AssayNodeId producer = assay_graph_value (self->graph, value)->producer;

      if (producer == ASSAY_NO_NODE ||
          !assay_quantize_moves (assay_graph_node (self->graph, producer)->op))
        return NULL;
      value = assay_node_input (assay_graph_node (self->graph, producer), 0);
    }

  return value != ASSAY_NO_VALUE ? self->activations[value] : NULL;
}

/**
 * assay_quantization_weight:
 * @self: a graph on its way
 * @node: a node
 * @input: one of its inputs
 *
 * Finds the point of a constant.
 *
 * Returns: (nullable): the point
 */
AssayQuantPoint *
assay_quantization_weight (const AssayQuantization *self, AssayNodeId node, guint input)
{
  return g_hash_table_lookup (self->weights, GUINT_TO_POINTER (node << 8 | input));
}

/**
 * assay_quantization_result:
 * @self: a graph on its way
 * @node: a node
 *
 * Finds the point that a node's result gets, behind what is one operation with it.
 *
 * Returns: (nullable): the point
 */
AssayQuantPoint *
assay_quantization_result (const AssayQuantization *self, AssayNodeId node)
{
  AssayNodeId group = group_of (self, node);

  for (guint hops = 0; hops < 8; hops++)
    {
      AssayValueId out = assay_node_output (assay_graph_node (self->graph, node), 0);
      const AssayNodeId *readers;
      guint n;

      if (out == ASSAY_NO_VALUE || self->activations[out] != NULL)
        return out != ASSAY_NO_VALUE ? self->activations[out] : NULL;
      readers = assay_uses_get (self->uses, out, &n);
      if (n != 1 || group_of (self, readers[0]) != group)
        return NULL;
      node = readers[0];
    }

  return NULL;
}

static gboolean
is_float (const AssayQuantization *self, AssayValueId value)
{
  const AssayType *type = assay_graph_value (self->graph, value)->type;

  return type->kind == ASSAY_TYPE_KIND_TENSOR && type->dtype == ASSAY_DTYPE_F32;
}

static AssayQuantPoint *
add_point (AssayQuantization *self, AssayValueId value)
{
  AssayQuantPoint *point = g_new0 (AssayQuantPoint, 1);

  point->floor = ASSAY_POSITION_LEAST;

  point->value = value;
  g_ptr_array_add (self->points, point);

  return point;
}

static void
want_activation (AssayQuantization *self, AssayValueId value)
{
  if (self->activations[value] == NULL && is_float (self, value))
    self->activations[value] = add_point (self, value);
}

/* Two activations read a result of 8 bits, though they are a part of the convolution. */
static gboolean
reads_rounded (AssayOp op)
{
  return op == ASSAY_OP_HardSigmoid || op == ASSAY_OP_HardSwish;
}

static gboolean
ends_group (const AssayQuantization *self, AssayNodeId id, AssayValueId out)
{
  guint n;
  const AssayNodeId *readers = assay_uses_get (self->uses, out, &n);

  return n != 1 || assay_uses_is_output (self->uses, out) ||
         group_of (self, readers[0]) != group_of (self, id) ||
         (reads_rounded (assay_graph_node (self->graph, readers[0])->op) &&
          assay_graph_node (self->graph, id)->op != ASSAY_OP_Pad);
}

/* Which constants of a node are numbers that the device multiplies or adds. */
static gboolean
is_operand (const AssayNode *node, guint input)
{
  switch (node->op)
    {
    case ASSAY_OP_Conv:
    case ASSAY_OP_ConvTranspose:
    case ASSAY_OP_Gemm:
    case ASSAY_OP_Linear:
      return input < 3;
    case ASSAY_OP_MatMul:
    case ASSAY_OP_Add:
    case ASSAY_OP_Mul:
    case ASSAY_OP_PRelu:
      return input < 2;
    case ASSAY_OP_Concat:
      return TRUE;
    default:
      return input == 0;
    }
}

/* A constant with the factor that its product has for it: 8 bits are of what is multiplied. */
static AssayTensor *
take_numbers (AssayTensor *constant, const AssayNode *node, guint input)
{
  double factor = node->op != ASSAY_OP_Linear || input == 0 ? 1.0
                  : input == 1                              ? assay_node_get_float (node, "alpha")
                                                            : assay_node_get_float (node, "beta");
  const float *data = factor != 1.0 ? assay_tensor_get_data (constant, NULL, NULL) : NULL;
  gsize n = assay_tensor_get_n_elements (constant);
  g_autofree float *numbers = NULL;

  if (data == NULL)
    return assay_tensor_ref (constant);
  numbers = g_new (float, MAX (n, 1));
  for (gsize i = 0; i < n; i++)
    numbers[i] = (float) ((double) data[i] * factor);

  return assay_tensor_new_f32 (assay_tensor_get_rank (constant), assay_tensor_get_dims (constant),
                               numbers);
}

static void
want_inputs (AssayQuantization *self, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (self->graph, id);

  for (guint i = 0; i < node->n_inputs; i++)
    {
      AssayValueId value = node->inputs[i];
      AssayNodeId producer;
      AssayQuantPoint *point;

      if (value == ASSAY_NO_VALUE || !is_operand (node, i) || !is_float (self, value))
        continue;
      if (assay_graph_constant (self->graph, value) != NULL)
        {
          point = add_point (self, value);
          point->node = id;
          point->input = i;
          point->numbers = take_numbers (assay_graph_constant (self->graph, value), node, i);
          g_hash_table_insert (self->weights, GUINT_TO_POINTER (id << 8 | i), point);
          continue;
        }
      producer = assay_graph_value (self->graph, value)->producer;
      if (producer == ASSAY_NO_NODE || !assay_quantization_is_on_device (self, producer))
        want_activation (self, value);
    }
}

static void
find_points (AssayQuantization *self)
{
  for (guint i = 0; i < self->order->len; i++)
    {
      AssayNodeId id = g_array_index (self->order, AssayNodeId, i);
      const AssayNode *node = assay_graph_node (self->graph, id);
      AssayValueId out = assay_node_output (node, 0);

      if (!assay_quantization_is_on_device (self, id))
        continue;
      want_inputs (self, id);
      if (out != ASSAY_NO_VALUE && !assay_quantize_moves (node->op) && ends_group (self, id, out))
        want_activation (self, out);
    }
}

/* Calibration. */

static AssayRounding
rounding_of (const AssayQuantization *self, const AssayQuantPoint *point)
{
  const AssayQuantizer *tool = self->options->quantizer;

  if (point->numbers != NULL)
    return point->input == 2 ? tool->bias : tool->weights;

  return assay_graph_value (self->graph, point->value)->producer == ASSAY_NO_NODE
             ? tool->input
             : tool->activation;
}

typedef struct
{
  AssayQuantization *self;
  gboolean measure; /* what moved positions cost, rather than where they are */
} Calibration;

static void
show_numbers (Calibration *calibration, AssayQuantPoint *point, const float *numbers, gsize n)
{
  AssayRounding rounding = rounding_of (calibration->self, point);

  if (!calibration->measure)
    {
      int found = assay_position_find (numbers, n, rounding);

      point->votes[CLAMP (found - ASSAY_POSITION_LEAST, 0, ASSAY_N_POSITIONS - 1)]++;
    }
  else if (point->why != NULL)
    {
      for (gsize i = 0; i < n; i++)
        point->energy += (double) numbers[i] * (double) numbers[i];
      point->noise[0] += assay_position_noise (numbers, n, point->first, rounding);
      point->noise[1] += assay_position_noise (numbers, n, point->position, rounding);
    }
}

static gboolean
observe (AssayEvaluator *evaluator, AssayNodeId node, guint output, AssayDatum **datum,
         gpointer user_data, GError **error)
{
  Calibration *calibration = user_data;
  const AssayNode *info = assay_graph_node (calibration->self->graph, node);
  AssayQuantPoint *point = info->region == ASSAY_MAIN_REGION
                               ? calibration->self->activations[info->outputs[output]]
                               : NULL;

  if (point != NULL && (*datum)->storage == ASSAY_DTYPE_F32)
    show_numbers (calibration, point, (*datum)->data, (*datum)->n);
  if (!calibration->measure && info->region == ASSAY_MAIN_REGION)
    assay_quantization_add_means (calibration->self, info->outputs[output], *datum);

  return TRUE;
}

static gboolean
run_sample (Calibration *calibration, AssayEvaluator *evaluator, guint index,
            const AssayProgress *progress, GError **error)
{
  AssayQuantization *self = calibration->self;
  g_autoptr (GPtrArray) tensors = self->options->source (index, self->options->source_data, error);
  g_autoptr (GPtrArray) data = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);
  g_autoptr (GPtrArray) results = NULL;
  const AssayRegion *region = assay_graph_region (self->graph, ASSAY_MAIN_REGION);
  guint next = 0;

  if (tensors == NULL)
    return FALSE;
  for (guint i = 0; i < region->inputs->len; i++)
    {
      AssayValueId id = g_array_index (region->inputs, AssayValueId, i);
      AssayDatum *datum = NULL;

      if (!assay_graph_value (self->graph, id)->is_parameter)
        {
          datum = assay_datum_new_tensor (g_ptr_array_index (tensors, next++), FALSE, error);
          if (datum == NULL)
            return FALSE;
          if (self->activations[id] != NULL && datum->storage == ASSAY_DTYPE_F32)
            show_numbers (calibration, self->activations[id], datum->data, datum->n);
          if (!calibration->measure)
            assay_quantization_add_means (self, id, datum);
        }
      g_ptr_array_add (data, datum);
    }
  results = assay_evaluator_run (evaluator, data->len, (AssayDatum *const *) data->pdata, progress,
                                 error);

  return results != NULL;
}

static gboolean
calibrate (AssayQuantization *self, gboolean measure, guint n, const AssayProgress *progress,
           GError **error)
{
  Calibration calibration = { self, measure };
  AssayEvaluateOptions options = ASSAY_EVALUATE_OPTIONS_DEFAULT;
  g_autoptr (AssayEvaluator) evaluator = NULL;

  options.observer = observe;
  options.observer_data = &calibration;
  evaluator = assay_evaluator_new (self->graph, &options, error);
  if (evaluator == NULL)
    return FALSE;

  for (guint i = 0; i < n; i++)
    {
      AssayProgress part = assay_progress_part (progress, (double) i / n, (double) (i + 1) / n);

      if (!assay_progress_check (progress, error) ||
          !run_sample (&calibration, evaluator, i, &part, error))
        {
          g_prefix_error (error, "calibration sample %u: ", i + 1);
          return FALSE;
        }
      assay_progress_report (progress, (double) (i + 1) / n, "calibrating");
    }

  return TRUE;
}

/* What most samples want; of several the one that saturates least. */
static int
count_votes (const AssayQuantPoint *point)
{
  guint best = 0;

  for (guint i = 1; i < ASSAY_N_POSITIONS; i++)
    if (point->votes[i] > point->votes[best])
      best = i;

  return (int) best + ASSAY_POSITION_LEAST;
}

static gboolean
choose_positions (AssayQuantization *self, GError **error)
{
  for (guint i = 0; i < self->points->len; i++)
    {
      AssayQuantPoint *point = g_ptr_array_index (self->points, i);
      const float *numbers;

      if (point->numbers == NULL)
        {
          point->position = count_votes (point);
        }
      else
        {
          numbers = assay_tensor_get_data (point->numbers, NULL, error);
          if (numbers == NULL)
            return FALSE;
          point->position = assay_position_find (
              numbers, assay_tensor_get_n_elements (point->numbers), rounding_of (self, point));
        }
      point->first = point->position;
    }

  return TRUE;
}

static double
to_db (double energy, double noise)
{
  return noise > 0 ? 10.0 * log10 (MAX (energy, 1e-300) / noise) : INFINITY;
}

/* Says of every position that moved why, and what that costs. */
static gboolean
report_moves (AssayQuantization *self, guint *n_moved, const AssayProgress *progress,
              GError **error)
{
  Calibration calibration = { self, TRUE };
  gboolean activations = FALSE;

  for (guint i = 0; i < self->points->len; i++)
    {
      AssayQuantPoint *point = g_ptr_array_index (self->points, i);

      if (point->position == point->first)
        point->why = NULL;
      if (point->why == NULL)
        continue;
      if (point->numbers != NULL)
        show_numbers (&calibration, point, assay_tensor_get_data (point->numbers, NULL, NULL),
                      assay_tensor_get_n_elements (point->numbers));
      activations |= point->numbers == NULL;
    }
  if (activations && !calibrate (self, TRUE, 1, progress, error))
    return FALSE;

  for (guint i = 0; i < self->points->len; i++)
    {
      const AssayQuantPoint *point = g_ptr_array_index (self->points, i);
      const AssayValue *value = assay_graph_value (self->graph, point->value);
      AssayNodeId node = point->node != ASSAY_NO_NODE ? point->node : value->producer;

      if (point->why == NULL)
        continue;
      (*n_moved)++;
      assay_findings_add (
          self->options->findings, ASSAY_SEVERITY_WARNING, "quantize.moved", NULL,
          node != ASSAY_NO_NODE ? assay_graph_node (self->graph, node)->name : NULL, NULL, -1,
          "%s: position %d became %d, because %s; its SQNR is %.1f dB, was %.1f dB", value->name,
          point->first, point->position, point->why, to_db (point->energy, point->noise[1]),
          to_db (point->energy, point->noise[0]));
    }

  return TRUE;
}

/**
 * assay_quantize:
 * @verdicts: a model in float, checked for a target that quantised models are for
 * @prepared: the same model, as assay_quantize_prepare() makes it
 * @options: how
 * @counts: (inout): what was done, as assay_quantize_prepare() began to count
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Quantises a model: what the device takes reads and makes 8 bits, what the host does stays float.
 *
 * Returns: (transfer full) (nullable): the model with QuantizeLinear and DequantizeLinear
 */
AssayGraph *
assay_quantize (AssayVerdicts *verdicts, AssayGraph *prepared, const AssayQuantizeOptions *options,
                AssayQuantizeCounts *counts, const AssayProgress *progress, GError **error)
{
  g_auto (AssayQuantization) self = { .graph = prepared, .verdicts = verdicts };
  AssayProgress calibration = assay_progress_part (progress, 0.0, 0.9);
  AssayProgress rest = assay_progress_part (progress, 0.9, 1.0);

  self.options = options;
  self.uses = assay_uses_new (self.graph);
  self.points = g_ptr_array_new_with_free_func (point_free);
  self.activations = g_new0 (AssayQuantPoint *, assay_graph_n_values (self.graph));
  self.weights = g_hash_table_new (NULL, NULL);
  self.order = assay_graph_sort_region (self.graph, ASSAY_MAIN_REGION, NULL);
  self.means = g_hash_table_new_full (NULL, NULL, NULL, assay_quant_mean_free);

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (self.graph); id++)
    if (assay_graph_node (self.graph, id)->op == ASSAY_OP_QuantizeLinear)
      {
        g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
                     "the model is quantised already: %s puts a value into 8 bits",
                     assay_graph_node (self.graph, id)->name);
        return NULL;
      }
  find_points (&self);
  if (self.points->len == 0)
    {
      g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
                           "the target takes no node of the model, so there is nothing to "
                           "quantise");
      return NULL;
    }
  if (options->correct_bias)
    assay_quantization_want_means (&self);
  if (!calibrate (&self, FALSE, options->n_samples, &calibration, error) ||
      !choose_positions (&self, error))
    return NULL;
  assay_quantization_legalise (&self);
  if (options->correct_bias)
    {
      if (!assay_quantization_correct (&self, &counts->n_corrected, error))
        return NULL;
      assay_quantization_legalise (&self);
    }
  if (!report_moves (&self, &counts->n_moved, &rest, error))
    return NULL;
  for (guint i = 0; i < self.points->len; i++)
    {
      if (((AssayQuantPoint *) g_ptr_array_index (self.points, i))->numbers != NULL)
        counts->n_weights++;
      else
        counts->n_activations++;
    }

  return assay_quantization_write (&self, error);
}
