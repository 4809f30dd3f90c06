/* assay-quantize-cost.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What each operation loses by 8 bits. A first run of the quantised model goes on with the values
 * of the model in float, so that what is seen is what each operation loses by itself; a second runs
 * as it is. Of those that lose most, a run each tells what the outputs gain without that loss.
 */
#include "quantize/assay-quantize-cost.h"

#include <math.h>

#include "base/assay-error.h"
#include "evaluate/assay-evaluate.h"
#include "nnir/assay-graph-builder.h"

/* Values that are kept to compare with, at most. */
#define MAX_KEPT ((gsize) 1 << 30)

typedef struct
{
  double energy;
  double noise;
} Loss;

typedef struct
{
  AssayGraph *original;
  AssayGraph *quantized;
  const AssayQuantizeOptions *options;
  AssayQuantizeCosts *costs;
  GHashTable *kept;   /* name to AssayDatum, of the model in float */
  GHashTable *wanted; /* names */
  gsize n_bytes;
  int *rows; /* per value of @quantized: its row, or -1 */

  gboolean forces; /* the run goes on with values of the model in float */
  gboolean totals; /* it is the run as it is */
  int spared;      /* the row whose loss is left out, or -1 */
  int position;    /* that it has instead, or G_MAXINT for float */
  AssayDatum *raw; /* what the spared row had before it was put into 8 bits */
  Loss outputs;
} Measure;

static double
to_db (const Loss *loss)
{
  return loss->noise > 0 ? 10.0 * log10 (MAX (loss->energy, 1e-300) / loss->noise) : INFINITY;
}

static void
add_loss (Loss *loss, const AssayDatum *exact, const AssayDatum *datum)
{
  for (gsize i = 0; i < MIN (exact->n, datum->n); i++)
    {
      double a = assay_datum_get_number (exact, i);
      double difference = a - assay_datum_get_number (datum, i);

      loss->energy += a * a;
      loss->noise += difference * difference;
    }
}

static gboolean
keep (AssayEvaluator *evaluator, AssayNodeId node, guint output, AssayDatum **datum,
      gpointer user_data, GError **error)
{
  Measure *self = user_data;
  const AssayNode *info = assay_graph_node (self->original, node);
  const char *name = assay_graph_value (self->original, info->outputs[output])->name;

  if (info->region != ASSAY_MAIN_REGION || (*datum)->storage != ASSAY_DTYPE_F32 ||
      !g_hash_table_contains (self->wanted, name))
    return TRUE;
  self->n_bytes += (*datum)->n * sizeof (float);
  if (self->n_bytes > MAX_KEPT)
    {
      g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_MEMORY,
                           "the values of the model take more than a gigabyte");
      return FALSE;
    }
  g_hash_table_insert (self->kept, (gpointer) name, assay_datum_ref (*datum));

  return TRUE;
}

/* The DequantizeLinear of an activation, or none. */
static const AssayNode *
find_quantize (const AssayGraph *graph, const AssayNode *node)
{
  AssayNodeId id = node->op == ASSAY_OP_DequantizeLinear
                       ? assay_graph_value (graph, node->inputs[0])->producer
                       : ASSAY_NO_NODE;
  const AssayNode *quantize = id != ASSAY_NO_NODE ? assay_graph_node (graph, id) : NULL;

  return quantize != NULL && quantize->op == ASSAY_OP_QuantizeLinear ? quantize : NULL;
}

static gboolean
replace (AssayDatum **datum, AssayDatum *other)
{
  assay_datum_unref (*datum);
  *datum = other;

  return TRUE;
}

/* The value before it was put into 8 bits, at another position or as it is. */
static gboolean
spare (Measure *self, AssayDatum **datum, GError **error)
{
  AssayDatum *other;

  if (self->raw == NULL || self->raw->n != (*datum)->n)
    return TRUE;
  if (self->position == G_MAXINT)
    return replace (datum, assay_datum_ref (self->raw));
  other = assay_datum_new ((*datum)->dtype, (*datum)->storage, (*datum)->rank, (*datum)->dims,
                           error);
  if (other == NULL)
    return FALSE;
  for (gsize i = 0; i < other->n; i++)
    assay_datum_set_number (other, i,
                            ldexp ((double) assay_position_quantize (
                                       assay_datum_get_number (self->raw, i), self->position,
                                       self->options->quantizer->activation),
                                   -self->position));

  return replace (datum, other);
}

static gboolean
watch (AssayEvaluator *evaluator, AssayNodeId node, guint output, AssayDatum **datum,
       gpointer user_data, GError **error)
{
  Measure *self = user_data;
  const AssayNode *info = assay_graph_node (self->quantized, node);
  AssayValueId value = info->outputs[output];
  int row = info->region == ASSAY_MAIN_REGION ? self->rows[value] : -1;
  AssayQuantizeCost *cost;
  AssayDatum *exact;
  Loss loss = { 0 };

  if (self->spared >= 0 && info->region == ASSAY_MAIN_REGION &&
      g_array_index (self->costs->rows, AssayQuantizeCost, self->spared).node == info->name)
    {
      g_clear_pointer (&self->raw, assay_datum_unref);
      self->raw = assay_datum_ref (*datum);
    }
  if (row < 0)
    return TRUE;
  if (row == self->spared)
    return spare (self, datum, error);

  cost = &g_array_index (self->costs->rows, AssayQuantizeCost, row);
  exact = g_hash_table_lookup (self->kept, cost->value);
  if (exact == NULL || (!self->forces && !self->totals))
    return TRUE;
  add_loss (&loss, exact, *datum);
  if (self->totals)
    cost->loss.total_db = to_db (&loss);
  if (!self->forces)
    return TRUE;
  cost->loss.own_db = to_db (&loss);

  return replace (datum, assay_datum_ref (exact));
}

/* Runs the first sample. */
static GPtrArray *
run (Measure *self, AssayGraph *graph, AssayEvaluateObserver observer,
     const AssayProgress *progress, GError **error)
{
  AssayEvaluateOptions options = ASSAY_EVALUATE_OPTIONS_DEFAULT;
  const GArray *inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;
  g_autoptr (GPtrArray) tensors = self->options->source (0, self->options->source_data, error);
  g_autoptr (GPtrArray) data = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);
  g_autoptr (AssayEvaluator) evaluator = NULL;
  guint next = 0;

  options.observer = observer;
  options.observer_data = self;
  if (tensors == NULL || !assay_progress_check (progress, error) ||
      (evaluator = assay_evaluator_new (graph, &options, error)) == NULL)
    return NULL;
  for (guint i = 0; i < inputs->len; i++)
    {
      AssayDatum *datum = NULL;

      if (!assay_graph_value (graph, g_array_index (inputs, AssayValueId, i))->is_parameter &&
          (datum = assay_datum_new_tensor (g_ptr_array_index (tensors, next++), FALSE, error)) ==
              NULL)
        return NULL;
      g_ptr_array_add (data, datum);
    }

  return assay_evaluator_run (evaluator, data->len, (AssayDatum *const *) data->pdata, progress,
                              error);
}

static void
find_rows (Measure *self)
{
  const AssayGraph *graph = self->quantized;

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      const AssayNode *node = assay_graph_node (graph, id);
      const AssayNode *quantize = find_quantize (graph, node);
      AssayNodeId maker = quantize != NULL
                              ? assay_graph_value (graph, quantize->inputs[0])->producer
                              : ASSAY_NO_NODE;
      AssayTensor *scale = quantize != NULL ? assay_graph_constant (graph, quantize->inputs[1])
                                            : NULL;
      AssayQuantizeCost cost = { .loss = { .own_db = INFINITY, .total_db = INFINITY } };
      double number;

      if (maker == ASSAY_NO_NODE || scale == NULL ||
          !assay_tensor_get_element (scale, 0, &number, NULL) ||
          !assay_position_of_scale (number, &cost.loss.position))
        continue;
      cost.value = assay_graph_value (graph, node->outputs[0])->name;
      cost.node = assay_graph_node (graph, maker)->name;
      cost.op_type = assay_graph_node (graph, maker)->op_type;
      cost.loss.other = cost.loss.position;
      self->rows[node->outputs[0]] = (int) self->costs->rows->len;
      g_array_append_val (self->costs->rows, cost);
      g_hash_table_add (self->wanted, (gpointer) cost.value);
    }
}

static gboolean
measure_outputs (Measure *self, GPtrArray *exact, double *db, const AssayProgress *progress,
                 GError **error)
{
  g_autoptr (GPtrArray) outputs = run (self, self->quantized, watch, progress, error);
  Loss loss = { 0 };

  g_clear_pointer (&self->raw, assay_datum_unref);
  if (outputs == NULL)
    return FALSE;
  for (guint i = 0; i < outputs->len; i++)
    {
      const AssayDatum *a = g_ptr_array_index (exact, i), *b = g_ptr_array_index (outputs, i);

      if (a != NULL && b != NULL && a->kind == ASSAY_DATUM_TENSOR &&
          b->kind == ASSAY_DATUM_TENSOR && a->storage == ASSAY_DTYPE_F32)
        add_loss (&loss, a, b);
    }
  *db = to_db (&loss);

  return TRUE;
}

static gboolean
measure_gain (Measure *self, guint row, GPtrArray *exact, const AssayProgress *progress,
              GError **error)
{
  double base = self->costs->output_db, db;
  AssayQuantizeCost *cost = &g_array_index (self->costs->rows, AssayQuantizeCost, row);
  int tried[] = { G_MAXINT, cost->loss.position - 1, cost->loss.position + 1 };

  self->spared = (int) row;
  for (guint i = 0; i < G_N_ELEMENTS (tried); i++)
    {
      self->position = tried[i];
      if (!measure_outputs (self, exact, &db, progress, error))
        return FALSE;
      if (i == 0)
        cost->loss.float_db = db - base;
      else if (db - base > cost->loss.other_db)
        {
          cost->loss.other = tried[i];
          cost->loss.other_db = db - base;
        }
    }
  cost->loss.has_gain = TRUE;

  return TRUE;
}

static int
compare_costs (gconstpointer a, gconstpointer b)
{
  double left = ((const AssayQuantizeCost *) a)->loss.own_db;
  double right = ((const AssayQuantizeCost *) b)->loss.own_db;

  return left < right ? -1 : left > right;
}

/* Sorted rows have other numbers. */
static void
sort_rows (Measure *self)
{
  g_array_sort (self->costs->rows, compare_costs);
  for (AssayValueId id = 1; id < assay_graph_n_values (self->quantized); id++)
    {
      const char *name = assay_graph_value (self->quantized, id)->name;

      for (guint i = 0; self->rows[id] >= 0 && i < self->costs->rows->len; i++)
        if (g_array_index (self->costs->rows, AssayQuantizeCost, i).value == name)
          {
            self->rows[id] = (int) i;
            break;
          }
    }
}

static gboolean
measure (Measure *self, guint n_gains, const AssayProgress *progress, GError **error)
{
  g_autoptr (GPtrArray) exact = run (self, self->original, keep, progress, error);
  double unused;

  if (exact == NULL)
    return FALSE;
  self->forces = TRUE;
  if (!measure_outputs (self, exact, &unused, progress, error))
    return FALSE;
  self->forces = FALSE;
  self->totals = TRUE;
  if (!measure_outputs (self, exact, &self->costs->output_db, progress, error))
    return FALSE;
  self->totals = FALSE;
  sort_rows (self);
  for (guint i = 0; i < MIN (n_gains, self->costs->rows->len); i++)
    {
      assay_progress_report (progress, (double) i / n_gains, "measuring what costs most");
      if (!measure_gain (self, i, exact, progress, error))
        return FALSE;
    }

  return TRUE;
}

/**
 * assay_quantize_undo:
 * @quantized: a quantised model
 *
 * Takes 8 bits away from what is computed: each DequantizeLinear of a QuantizeLinear hands on what
 * went in, under its name. Constants stay what they became.
 *
 * Returns: (transfer full): the model in float
 */
AssayGraph *
assay_quantize_undo (AssayGraph *quantized)
{
  AssayGraph *graph = assay_graph_copy (quantized);

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      AssayNode *node = assay_graph_edit_node (graph, id);
      const AssayNode *quantize = find_quantize (graph, node);

      if (quantize == NULL)
        continue;
      node->op = ASSAY_OP_Identity;
      node->op_type = assay_op_name (ASSAY_OP_Identity);
      node->inputs[0] = quantize->inputs[0];
      node->n_inputs = 1;
      node->n_attrs = 0;
    }

  return graph;
}

/**
 * assay_quantize_measure:
 * @original: the model in float
 * @quantized: the same, quantised by assay_quantize()
 * @options: how that was done; its first sample is run
 * @n_gains: of how many operations to measure what they gain
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Measures what quantising costs.
 *
 * Returns: (transfer full) (nullable): the costs
 */
AssayQuantizeCosts *
assay_quantize_measure (AssayGraph *original, AssayGraph *quantized,
                        const AssayQuantizeOptions *options, guint n_gains,
                        const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayQuantizeCosts) costs = g_new0 (AssayQuantizeCosts, 1);
  g_autoptr (GHashTable) kept = g_hash_table_new_full (g_str_hash, g_str_equal, NULL,
                                                       (GDestroyNotify) assay_datum_unref);
  g_autoptr (GHashTable) wanted = g_hash_table_new (g_str_hash, g_str_equal);
  g_autofree int *rows = g_new (int, assay_graph_n_values (quantized));
  Measure self = { original, quantized, options, costs, kept, wanted, .rows = rows, .spared = -1 };

  costs->graph = assay_graph_ref (quantized);
  costs->rows = g_array_new (FALSE, TRUE, sizeof (AssayQuantizeCost));
  for (guint i = 0; i < assay_graph_n_values (quantized); i++)
    rows[i] = -1;
  find_rows (&self);

  return measure (&self, n_gains, progress, error) ? g_steal_pointer (&costs) : NULL;
}

void
assay_quantize_costs_free (AssayQuantizeCosts *self)
{
  if (self == NULL)
    return;

  g_clear_pointer (&self->rows, g_array_unref);
  g_clear_pointer (&self->graph, assay_graph_unref);
  g_free (self);
}
