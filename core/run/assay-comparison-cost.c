/* assay-comparison-cost.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What 8 bits cost each operation of a quantised model that was compared, against the same model
 * in float.
 */
#include "run/assay-comparison-cost.h"

#include "quantize/assay-quantize-cost.h"

/* The sample that was compared, once more for each run. */
static GPtrArray *
repeat_inputs (guint index, gpointer data, GError **error)
{
  return g_ptr_array_ref (data);
}

/**
 * assay_comparison_has_positions:
 * @self: a comparison
 *
 * Tells whether values of 8 bits were compared, which have a position.
 *
 * Returns: whether a row has one
 */
gboolean
assay_comparison_has_positions (const AssayComparison *self)
{
  for (guint i = 0; i < self->rows->len; i++)
    if (assay_comparison_row (self, i)->step > 0)
      return TRUE;

  return FALSE;
}

static void
take_costs (AssayComparison *self, const AssayQuantizeCosts *costs)
{
  g_autoptr (GHashTable) rows = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < self->rows->len; i++)
    {
      AssayComparisonRow *row = g_ptr_array_index (self->rows, i);

      g_clear_pointer (&row->cost, g_free);
      g_hash_table_insert (rows, row->name, row);
    }
  for (guint i = 0; i < costs->rows->len; i++)
    {
      const AssayQuantizeCost *cost = &g_array_index (costs->rows, AssayQuantizeCost, i);
      AssayComparisonRow *row = g_hash_table_lookup (rows, cost->value);

      if (row != NULL)
        row->cost = g_memdup2 (&cost->loss, sizeof cost->loss);
    }
  self->has_costs = TRUE;
  self->output_db = costs->output_db;
}

/**
 * assay_comparison_measure_costs:
 * @self: a comparison
 * @side: one of its sides
 * @inputs: (element-type AssayTensor): what it was run on
 * @n_gains: of how many operations that cost most to measure what they would gain
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Measures what 8 bits cost: the model is run with and without its QuantizeLinears on the
 * reference, and a few times more for the gains. A comparison of no such model, and of a sequence,
 * stays as it is.
 *
 * Returns: %FALSE if it was cancelled or failed
 */
gboolean
assay_comparison_measure_costs (AssayComparison *self, const AssayComparisonSide *side,
                                GPtrArray *inputs, guint n_gains, const AssayProgress *progress,
                                GError **error)
{
  g_autoptr (AssayGraph) original = NULL;
  g_autoptr (AssayQuantizeCosts) costs = NULL;
  AssayGraph *graph = side->subject->imported;
  const AssayQuantizeOptions options = { .quantizer = assay_quantizer_get (0),
                                         .source = repeat_inputs,
                                         .source_data = inputs,
                                         .n_samples = 1 };

  if (graph == NULL || self->n_steps != 1 || !assay_comparison_has_positions (self))
    return TRUE;
  original = assay_quantize_undo (graph);
  costs = assay_quantize_measure (original, graph, &options, n_gains, progress, error);
  if (costs == NULL)
    return FALSE;
  take_costs (self, costs);

  return TRUE;
}
