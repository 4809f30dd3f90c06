/* assay-comparison-outputs.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/assay-error.h"
#include "run/assay-comparison-judge.h"
#include "run/assay-comparison-private.h"

static AssayValueId
output_value (const AssayGraph *graph, guint index)
{
  const GArray *outputs;

  if (graph == NULL)
    return ASSAY_NO_VALUE;
  outputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->outputs;

  return index < outputs->len ? g_array_index (outputs, AssayValueId, index) : ASSAY_NO_VALUE;
}

static AssayComparisonRow *
output_row (AssayComparing *self, AssayGraph *graph, const AssayRunPort *port)
{
  AssayValueId value = output_value (graph, port->output);
  AssayComparisonRow *row = NULL;

  if (value != ASSAY_NO_VALUE && port->part == NULL)
    row = g_hash_table_lookup (self->rows, GUINT_TO_POINTER (value));
  if (row == NULL && value != ASSAY_NO_VALUE && port->part == NULL &&
      assay_graph_value (graph, value)->producer != 0)
    {
      row = assay_comparing_add_row (self, graph, value, G_MAXUINT);
      row->precision = assay_comparing_find_precision (self, value, NULL);
      row->step = row->precision == ASSAY_COMPARE_INT8 ? assay_comparing_find_step (graph, value)
                                                       : 0;
    }
  if (row != NULL)
    return row;

  row = g_new0 (AssayComparisonRow, 1);
  row->value = ASSAY_NO_VALUE;
  row->whole = port->part != NULL ? value : ASSAY_NO_VALUE;
  row->name = g_strdup (port->name);
  row->node_name = g_strdup ("");
  row->op_type = g_strdup ("");
  row->worst_step = -1;
  row->order = G_MAXUINT;
  g_ptr_array_add (self->result->rows, row);

  return row;
}

/* The largest limit of the operations that the model makes an output of: one that no input changes
 * was computed before the runs, by each side in its own way. */
static double
limit_behind (AssayComparing *self, AssayRunner *runner, const AssayRunPort *port,
              AssayComparePrecision precision)
{
  const AssayGraph *graph = assay_runner_get_subject (runner)->imported;
  AssayValueId output = output_value (graph, port->output);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (AssayNodeId));
  double limit = 0;

  if (output != ASSAY_NO_VALUE)
    g_array_append_val (nodes, assay_graph_value (graph, output)->producer);
  for (guint i = 0; i < nodes->len; i++)
    {
      AssayNodeId id = g_array_index (nodes, AssayNodeId, i);
      const AssayNode *node = id != ASSAY_NO_NODE ? assay_graph_node (graph, id) : NULL;

      if (node == NULL || !g_hash_table_add (seen, GUINT_TO_POINTER (id)))
        continue;
      limit = MAX (limit,
                   assay_tolerance_get_limit (self->options->tolerance, node->op, precision));
      for (guint j = 0; j < node->n_inputs; j++)
        if (node->inputs[j] != ASSAY_NO_VALUE)
          g_array_append_val (nodes, assay_graph_value (graph, node->inputs[j])->producer);
    }

  return limit;
}

/* The tensor of an output, or of the same part of one that is no tensor; such may have other parts
 * in the other run. */
static AssayTensor *
find_output (const AssayRunPort *ports, guint n, GPtrArray *outputs, const AssayRunPort *wanted)
{
  for (guint i = 0; i < MIN (n, outputs->len); i++)
    if (ports[i].output == wanted->output && g_strcmp0 (ports[i].part, wanted->part) == 0)
      return g_ptr_array_index (outputs, i);

  return NULL;
}

/* Parts that only one run has. */
static void
note_missing (AssayComparing *self, const AssayRunPort *port, AssayTensor *tensor)
{
  AssayComparisonRow *row = output_row (self, NULL, port);

  row->is_output = TRUE;
  assay_comparing_keep_shape (row, tensor);
  row->note = g_strdup ("only one run has it");
}

/* Outputs are compared as they left the runners, whether anybody could look inside or not. */
static gboolean
compare_outputs (AssayComparing *self, AssayRunner *const runners[2], GPtrArray *const outputs[2],
                 GError **error)
{
  GPtrArray *outputs_a = outputs[0], *outputs_b = outputs[1];
  guint n_a, n_b;
  const AssayRunPort *ports = assay_runner_get_outputs (runners[0], &n_a);
  const AssayRunPort *others = assay_runner_get_outputs (runners[1], &n_b);

  for (guint i = 0; i < MIN (n_b, outputs_b->len); i++)
    if (find_output (ports, n_a, outputs_a, &others[i]) == NULL)
      note_missing (self, &others[i], g_ptr_array_index (outputs_b, i));

  for (guint i = 0; i < MIN (n_a, outputs_a->len); i++)
    {
      AssayTensor *a = g_ptr_array_index (outputs_a, i);
      AssayTensor *b = find_output (others, n_b, outputs_b, &ports[i]);
      AssayComparisonRow *row;
      g_autoptr (GError) local = NULL;

      if (b == NULL)
        {
          note_missing (self, &ports[i], a);
          continue;
        }
      row = output_row (self, self->graph, &ports[i]);
      row->is_output = TRUE;
      if (row->has_total)
        continue;
      assay_comparing_keep_shape (row, a);
      if (row->value == ASSAY_NO_VALUE)
        row->precision = assay_compare_precision_of (self->result->precision,
                                                     assay_tensor_get_dtype (a));
      if (row->value == ASSAY_NO_VALUE && row->whole == ASSAY_NO_VALUE)
        row->limit = limit_behind (self, runners[0], &ports[i], row->precision);
      row->has_total = assay_compare_tensors (a, b, row->precision, &self->progress, &row->total,
                                              &local);
      if (local != NULL && g_error_matches (local, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
        {
          g_propagate_error (error, g_steal_pointer (&local));
          return FALSE;
        }
      if (local != NULL && row->note == NULL)
        row->note = g_strdup (local->message);
      if (row->has_total && self->options->row_func != NULL)
        self->options->row_func (row, self->options->row_data);
    }

  return TRUE;
}

/* Rows that came with the outputs stand behind the others. */
static int
compare_rows (gconstpointer a, gconstpointer b)
{
  const AssayComparisonRow *left = *(AssayComparisonRow *const *) a,
                           *right = *(AssayComparisonRow *const *) b;

  return left->order < right->order ? -1 : left->order > right->order;
}

/**
 * assay_comparing_hold_outputs: (skip)
 * @self: a comparison whose values between have been compared
 * @runners: the two runners, A first
 * @outputs: what came out of them
 * @error: return location for a #GError
 *
 * Compares the outputs of two runs, and judges every row.
 *
 * Returns: whether nothing failed
 */
gboolean
assay_comparing_hold_outputs (AssayComparing *self, AssayRunner *const runners[2],
                              GPtrArray *const outputs[2], GError **error)
{
  if (!compare_outputs (self, runners, outputs, error))
    return FALSE;
  g_ptr_array_sort (self->result->rows, compare_rows);
  assay_comparison_judge (self->result, self->graph, self->rows, self->options->tolerance,
                          self->in_double, self->magnitudes, self->sides);

  return TRUE;
}
