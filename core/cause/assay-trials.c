/* assay-trials.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cause/assay-trials.h"

#include <math.h>

#include "nnir/assay-graph-builder.h"

/* Elements compared at a time. */
#define CHUNK 1024

/**
 * assay_trials_score:
 * @self: the trials
 * @result: what a trial computed
 * @stats: (out caller-allocates): how far that is from what is wanted
 *
 * Holds a result against what is to be explained, in the units of the comparison.
 *
 * Returns: whether it has as many elements
 */
gboolean
assay_trials_score (AssayTrials *self, const AssayDatum *result, AssayCompareStats *stats)
{
  const AssayDatum *a = self->wanted_is_a ? self->wanted : result;
  const AssayDatum *b = self->wanted_is_a ? result : self->wanted;
  double from[CHUNK], to[CHUNK];

  if (result == NULL || result->kind != ASSAY_DATUM_TENSOR || result->n != self->wanted->n ||
      result->storage == ASSAY_DTYPE_STRING || assay_dtype_kind (result->storage) == 'C')
    return FALSE;

  assay_compare_begin (stats, self->before.precision, self->before.scale);
  stats->step = self->before.step;
  stats->grid = self->before.grid;
  for (gsize first = 0; first < result->n; first += CHUNK)
    {
      gsize n = MIN (result->n - first, CHUNK);

      for (gsize i = 0; i < n; i++)
        {
          from[i] = assay_datum_get_number (a, first + i);
          to[i] = assay_datum_get_number (b, first + i);
        }
      assay_compare_add (stats, from, to, n);
    }
  assay_compare_end (stats);

  return TRUE;
}

/**
 * assay_trials_judge:
 * @self: the trials
 * @result: (transfer full) (nullable): what a trial computed
 * @node: the node that was changed, %ASSAY_NO_NODE for all
 * @kind: of the cause
 * @format: a sentence without subject or full stop, such as “its padding is ...”
 * @...: what goes into it
 *
 * Keeps a cause if the difference is gone.
 *
 * Returns: whether it is
 */
gboolean
assay_trials_judge (AssayTrials *self, AssayDatum *result, AssayNodeId node, const char *kind,
                    const char *format, ...)
{
  g_autoptr (AssayDatum) owned = result;
  AssayDivergenceCause *cause;
  AssayCompareStats stats;
  va_list arguments;

  self->n++;
  if (!assay_trials_score (self, owned, &stats) || !(stats.error <= self->goal))
    return FALSE;

  cause = g_new0 (AssayDivergenceCause, 1);
  cause->kind = g_strdup (kind);
  cause->node = g_strdup (
      node != ASSAY_NO_NODE ? assay_graph_node (self->subgraph->graph, node)->name : "");
  va_start (arguments, format);
  cause->sentence = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  cause->before = self->before.error;
  cause->after = stats.error;
  cause->rms_before = self->before.rms_error;
  cause->rms_after = stats.rms_error;
  cause->rank = self->rank;
  g_ptr_array_add (self->found, cause);

  return TRUE;
}

/**
 * assay_trials_dup_apart:
 * @value: a number
 * @other: the number that it is told apart from
 *
 * Writes a number with six digits, or with as many more as it takes to read another text than that
 * of @other, which is written so too.
 *
 * Returns: (transfer full): the digits
 */
char *
assay_trials_dup_apart (double value, double other)
{
  enum
  {
    FEWEST_DIGITS = 6,
    ALL_DIGITS = 17
  };

  for (int digits = FEWEST_DIGITS; digits < ALL_DIGITS; digits++)
    {
      g_autofree char *text = g_strdup_printf ("%.*g", digits, value);
      g_autofree char *another = g_strdup_printf ("%.*g", digits, other);

      if (!g_str_equal (text, another))
        return g_steal_pointer (&text);
    }

  return g_strdup_printf ("%.*g", ALL_DIGITS, value);
}

/**
 * assay_trials_can_go_on:
 * @self: the trials
 * @n_runs: how many times the subgraph would be run
 *
 * Tells whether that many more runs are within the budget, and nobody has cancelled.
 *
 * Returns: whether they are
 */
gboolean
assay_trials_can_go_on (const AssayTrials *self, guint64 n_runs)
{
  return !assay_progress_is_cancelled (self->progress) &&
         n_runs <= self->budget / MAX (self->subgraph->work, 1);
}

/**
 * assay_trials_run:
 * @self: the trials
 * @changed: (nullable): see assay_subgraph_run()
 * @func: (nullable): changes values on the way
 * @user_data: handed to @func
 *
 * Runs the subgraph another way, as long as there is budget.
 *
 * Returns: (transfer full) (nullable): the result
 */
AssayDatum *
assay_trials_run (AssayTrials *self, AssayGraph *changed, AssaySubgraphFunc func,
                  gpointer user_data)
{
  if (!assay_trials_can_go_on (self, 1))
    return NULL;

  self->budget -= MAX (self->subgraph->work, 1);
  return assay_subgraph_run (self->subgraph, changed, self->subgraph->wide, func, user_data,
                             self->progress);
}

/**
 * assay_trials_input:
 * @self: the trials
 * @value: a value of the subgraph
 * @index: (out) (optional): which input it is
 *
 * Gets what an input of the subgraph is.
 *
 * Returns: (transfer none) (nullable): the datum, %NULL of what a node of the subgraph makes
 */
AssayDatum *
assay_trials_input (const AssayTrials *self, AssayValueId value, guint *index)
{
  const GArray *inputs = assay_graph_region (self->subgraph->graph, ASSAY_MAIN_REGION)->inputs;

  for (guint i = 0; i < inputs->len; i++)
    if (g_array_index (inputs, AssayValueId, i) == value)
      {
        if (index != NULL)
          *index = i;
        return g_ptr_array_index (self->subgraph->inputs, i);
      }

  return NULL;
}
