/* assay-causes.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Nothing is guessed: the nodes behind a tensor that differs run again on the inputs that they had,
 * each time another way, and what removes the difference is named.
 */
#include "cause/assay-causes.h"

#include <math.h>

#include "base/assay-error.h"
#include "cause/assay-trials.h"
#include "run/assay-divergence.h"
#include "run/assay-run-pair.h"

/* Multiplications that are spent on a tensor: some seconds. */
#define BUDGET 4000000000u

/* What removes this part of a difference within rounding is worth a word. */
#define WORTH_GAIN 0.7

/* Units: a difference that is smaller on the inputs of the other run is not the one that was seen.
 */
#define WORTH_TRYING (1.0 / 64)

/* Two that leave about as much have removed the same. */
#define SAME_GAIN 1.05

/* The share of the reported error that has to appear again when the nodes are run again. */
#define SAME_ERROR 0.5

/* Causes of a difference within rounding that are named. */
#define MOST_CAUSES 3

/* To add a kind of fault, add a row; the plainer comes first. Roundings within the limit are no
 * fault. Numbers that are rounded otherwise before a tie move it too, by chance, so that ties end
 * the search if they explain the difference. */
static const struct
{
  AssayHypothesisFunc func;
  gboolean is_fault;
  gboolean ends;
} hypotheses[] = {
  { assay_hypothesis_ties, FALSE, TRUE },       { assay_hypothesis_rounding, FALSE, FALSE },
  { assay_hypothesis_order, FALSE, FALSE },     { assay_hypothesis_dynamic, TRUE, FALSE },
  { assay_hypothesis_saturation, TRUE, FALSE }, { assay_hypothesis_function, TRUE, FALSE },
  { assay_hypothesis_maximum, TRUE, FALSE },    { assay_hypothesis_norm, TRUE, FALSE },
  { assay_hypothesis_attributes, TRUE, FALSE }, { assay_hypothesis_operands, TRUE, FALSE },
  { assay_hypothesis_operation, TRUE, FALSE },  { assay_hypothesis_state, TRUE, FALSE },
  { assay_hypothesis_gates, TRUE, FALSE },      { assay_hypothesis_layout, TRUE, FALSE },
  { assay_hypothesis_scale, TRUE, FALSE },      { assay_hypothesis_weight, TRUE, FALSE },
};

static int
compare_ranks (gconstpointer a, gconstpointer b)
{
  const AssayDivergenceCause *left = *(AssayDivergenceCause *const *) a,
                             *right = *(AssayDivergenceCause *const *) b;

  return left->rank < right->rank ? -1 : left->rank > right->rank;
}

static int
compare_gains (gconstpointer a, gconstpointer b)
{
  const AssayDivergenceCause *left = *(AssayDivergenceCause *const *) a,
                             *right = *(AssayDivergenceCause *const *) b;

  return left->rms_after < right->rms_after   ? -1
         : left->rms_after > right->rms_after ? 1
                                              : compare_ranks (a, b);
}

/* Of those that do about as well as the best the plainest; of roundings what they gain, in order.
 */
static void
choose (AssayTrials *trials, gboolean is_beyond)
{
  GPtrArray *found = trials->found;
  double best = INFINITY;

  for (guint i = 0; i < found->len; i++)
    best = MIN (best, ((AssayDivergenceCause *) g_ptr_array_index (found, i))->after);
  for (guint i = found->len; i-- > 0;)
    {
      const AssayDivergenceCause *cause = g_ptr_array_index (found, i);

      if (is_beyond ? cause->after > 2 * best + 0.5
                    : !(cause->rms_after <= WORTH_GAIN * cause->rms_before))
        g_ptr_array_remove_index (found, i);
    }
  g_ptr_array_sort (found, is_beyond ? compare_ranks : compare_gains);
  /* What does no more than one that is named says nothing. */
  for (guint i = 1; !is_beyond && i < found->len;)
    {
      const AssayDivergenceCause *last = g_ptr_array_index (found, i - 1);
      const AssayDivergenceCause *cause = g_ptr_array_index (found, i);

      if (cause->rms_after <= SAME_GAIN * last->rms_after)
        g_ptr_array_remove_index (found, i);
      else
        i++;
    }
  if (!is_beyond && found->len > MOST_CAUSES)
    g_ptr_array_set_size (found, MOST_CAUSES);
}

static void
try_hypotheses (AssayTrials *trials, gboolean is_beyond)
{
  const GArray *nodes = assay_graph_region (trials->subgraph->graph, ASSAY_MAIN_REGION)->nodes;

  for (guint i = 0; i < G_N_ELEMENTS (hypotheses); i++)
    {
      for (guint j = nodes->len; j-- > 0;)
        {
          trials->rank = i;
          if (is_beyond || !hypotheses[i].is_fault)
            hypotheses[i].func (trials, g_array_index (nodes, AssayNodeId, j));
        }
      if (hypotheses[i].ends && trials->found->len > 0)
        break;
    }
}

static AssayCompareStats
stats_of (const AssayComparisonRow *row)
{
  return row->has_own ? row->own : row->total;
}

/* What a row is made of, and what came of it. */
static gboolean
try_row (AssayComparisonRow *row, const AssayGraph *graph, AssayTensor *wanted,
         gboolean wanted_is_a, GHashTable *seen, gboolean wide, const AssayProgress *progress,
         GError **error)
{
  g_autoptr (AssaySubgraph) subgraph = assay_subgraph_new (graph, row->value, seen, wide, error);
  g_autoptr (AssayDatum) plain = NULL;
  g_autoptr (AssayDatum) datum = NULL;
  AssayTrials trials = {
    .subgraph = subgraph, .before = stats_of (row), .budget = BUDGET, .progress = progress
  };
  double reported = assay_comparison_row_error (row);
  AssayCompareStats before;
  gboolean is_beyond, is_close;

  if (subgraph == NULL)
    return FALSE;
  plain = assay_subgraph_run (subgraph, NULL, wide, NULL, NULL, progress);
  datum = assay_datum_new_tensor (wanted, wide, error);
  if (plain == NULL || datum == NULL)
    return TRUE;

  trials.plain = plain;
  trials.wanted = datum;
  trials.wanted_is_a = wanted_is_a;
  trials.found = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_divergence_cause_free);
  if (assay_trials_score (&trials, plain, &before))
    {
      trials.before = before;
      /* On the inputs of the other run it may be just within. */
      is_close = row->verdict == ASSAY_COMPARISON_OUTSIDE && before.error <= row->limit;
      /* The reported error does not appear again, so that no trial can explain it. */
      if (is_close && before.error < SAME_ERROR * reported)
        before.error = 0;
      is_beyond = is_close || !(before.error <= row->limit);
      trials.goal = is_beyond ? MIN (row->limit, before.error / 2) : before.error;
      if (before.error >= WORTH_TRYING)
        try_hypotheses (&trials, is_beyond);
      choose (&trials, is_beyond);
      /* And then it may be roundings alone. */
      if (is_close && before.error >= WORTH_TRYING && trials.found->len == 0)
        {
          trials.goal = before.error;
          try_hypotheses (&trials, FALSE);
          choose (&trials, FALSE);
        }
    }
  row->n_trials = trials.n;
  g_clear_pointer (&row->causes, g_ptr_array_unref);
  row->causes = trials.found;

  return assay_progress_check (progress, error);
}

static int
compare_rows (gconstpointer a, gconstpointer b)
{
  const AssayComparisonRow *left = *(AssayComparisonRow *const *) a,
                           *right = *(AssayComparisonRow *const *) b;
  double x = assay_comparison_row_error (left), y = assay_comparison_row_error (right);

  return x > y ? -1 : x < y ? 1 : left->order < right->order ? -1 : left->order > right->order;
}

/* The first that diverges, then those with the largest error of their own. */
static GPtrArray *
pick_rows (const AssayComparison *comparison, guint n_rows)
{
  GPtrArray *rows = g_ptr_array_new ();
  AssayComparisonRow *first = comparison->first_divergent >= 0
                                  ? g_ptr_array_index (comparison->rows,
                                                       (guint) comparison->first_divergent)
                                  : NULL;

  for (guint i = 0; i < comparison->rows->len; i++)
    {
      AssayComparisonRow *row = g_ptr_array_index (comparison->rows, i);

      if (row != first && row->value != ASSAY_NO_VALUE && row->node != ASSAY_NO_NODE &&
          assay_comparison_row_differs (row))
        g_ptr_array_add (rows, row);
    }
  g_ptr_array_sort (rows, compare_rows);
  if (first != NULL && first->value != ASSAY_NO_VALUE)
    g_ptr_array_insert (rows, 0, first);
  if (rows->len > MAX (n_rows, 1))
    g_ptr_array_set_size (rows, (int) MAX (n_rows, 1));
  if (n_rows == 0 && first == NULL)
    g_ptr_array_set_size (rows, 0);

  return rows;
}

static gboolean
is_reference (const AssayComparisonSide *side)
{
  return g_str_equal (side->spec, "reference") || g_str_equal (side->spec, "reference-fp64");
}

/* Lists the values that both runs showed, without the @hidden ones. */
static GHashTable *
list_visible (const AssayComparison *comparison, GHashTable *hidden)
{
  GHashTable *visible = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < comparison->rows->len; i++)
    {
      const AssayComparisonRow *row = assay_comparison_row (comparison, i);

      if (row->value != ASSAY_NO_VALUE && row->verdict != ASSAY_COMPARISON_UNKNOWN &&
          (hidden == NULL || !g_hash_table_contains (hidden, GUINT_TO_POINTER (row->value))))
        g_hash_table_add (visible, GUINT_TO_POINTER (row->value));
    }

  return visible;
}

static AssayTensor *
find_input (const GArray *ports, GPtrArray *inputs, const char *name)
{
  for (guint i = 0; i < MIN (ports->len, inputs->len); i++)
    if (g_strcmp0 (g_array_index (ports, AssayRunPort, i).name, name) == 0)
      return g_ptr_array_index (inputs, i);

  return NULL;
}

/* Observes the operands of a tensor again, and tries its nodes another way. @hidden: (nullable):
 * values that are not observed. */
static gboolean
find_row (const AssayComparison *comparison, AssayComparisonRow *row, GHashTable *hidden,
          const AssayComparisonSide *a, const AssayComparisonSide *b, GPtrArray *inputs,
          const AssayProgress *progress, GError **error)
{
  const AssayComparisonSide *side = is_reference (b) && !is_reference (a) ? a : b;
  const AssayGraph *graph = a->subject->graph;
  gboolean wide = g_str_equal (side == a ? b->spec : a->spec, "reference-fp64");
  g_autoptr (GHashTable) visible = list_visible (comparison, hidden);
  g_autoptr (GArray) ports = assay_run_subject_get_inputs (a->subject);
  g_autoptr (GArray) border = assay_subgraph_list_border (graph, row->value, visible);
  g_autoptr (GArray) wanted = g_array_new (FALSE, FALSE, sizeof (AssayValueId));
  g_autoptr (GHashTable) seen = NULL;

  for (guint i = 0; i < border->len; i++)
    if (assay_graph_value (graph, g_array_index (border, AssayValueId, i))->producer !=
        ASSAY_NO_NODE)
      g_array_append_val (wanted, g_array_index (border, AssayValueId, i));
  g_array_append_val (wanted, row->value);
  seen = assay_run_values (side, ports, inputs, (const AssayValueId *) (gpointer) wanted->data,
                           wanted->len, progress, error);
  if (seen == NULL)
    return FALSE;
  for (guint i = 0; i < border->len; i++)
    {
      AssayValueId id = g_array_index (border, AssayValueId, i);
      AssayTensor *tensor = find_input (ports, inputs, assay_graph_value (graph, id)->name);

      if (assay_graph_value (graph, id)->producer == ASSAY_NO_NODE && tensor != NULL)
        g_hash_table_replace (seen, GUINT_TO_POINTER (id), assay_tensor_ref (tensor));
    }

  return try_row (row, graph, g_hash_table_lookup (seen, GUINT_TO_POINTER (row->value)), side == a,
                  seen, wide, progress, error);
}

/* Lists the values inside a fused group, and all that follow from them. */
static GHashTable *
list_hidden (const AssayComparison *comparison, const AssayGraph *graph)
{
  const GArray *nodes = assay_graph_region (graph, ASSAY_MAIN_REGION)->nodes;
  const char *const *inside = (const char *const *) comparison->inside;
  GHashTable *hidden = g_hash_table_new (NULL, NULL);

  for (guint i = 0; inside != NULL && i < nodes->len; i++)
    {
      const AssayNode *node = assay_graph_node (graph, g_array_index (nodes, AssayNodeId, i));
      gboolean follows = FALSE;

      for (guint j = 0; j < node->n_inputs; j++)
        follows |= g_hash_table_contains (hidden, GUINT_TO_POINTER (node->inputs[j]));
      for (guint j = 0; j < node->n_outputs; j++)
        if (node->outputs[j] != ASSAY_NO_VALUE &&
            (follows ||
             g_strv_contains (inside, assay_graph_value (graph, node->outputs[j])->name)))
          g_hash_table_add (hidden, GUINT_TO_POINTER (node->outputs[j]));
    }

  return hidden;
}

/* Explains an output that differs only while nothing between is observed: the nodes of the fused
 * group are tried on the inputs of the group, and only the output is observed. A cause that is
 * found comes before the fusion. */
static gboolean
find_unobserved (const AssayComparison *comparison, AssayComparisonRow *row,
                 const AssayComparisonSide *a, const AssayComparisonSide *b, GPtrArray *inputs,
                 const AssayProgress *progress, GError **error)
{
  g_autoptr (GHashTable) hidden = list_hidden (comparison, a->subject->graph);
  g_autoptr (GPtrArray) fusion = g_steal_pointer (&row->causes);
  guint n_trials = row->n_trials;
  gboolean done = g_hash_table_size (hidden) == 0 ||
                  find_row (comparison, row, hidden, a, b, inputs, progress, error);

  if (fusion == NULL)
    return done;
  row->n_trials += n_trials;
  if (row->causes == NULL)
    row->causes = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_divergence_cause_free);
  g_ptr_array_extend_and_steal (row->causes, g_steal_pointer (&fusion));

  return done;
}

static gboolean
explain_row (const AssayComparison *comparison, AssayComparisonRow *row,
             const AssayComparisonSide *a, const AssayComparisonSide *b, GPtrArray *inputs,
             const AssayProgress *progress, GError **error)
{
  return row->is_unobserved ? find_unobserved (comparison, row, a, b, inputs, progress, error)
                            : find_row (comparison, row, NULL, a, b, inputs, progress, error);
}

/**
 * assay_causes_find:
 * @comparison: two runs that were compared
 * @a: the reference
 * @b: what was compared with it
 * @inputs: (element-type AssayTensor): what both ran on
 * @n_rows: how many tensors to explain, those with the largest error of their own; 0 for the first
 * that diverges, if one does
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Finds what makes tensors differ, and puts it into their rows. A tensor that cannot be computed by
 * itself stays without causes.
 *
 * Returns: whether nothing failed
 */
gboolean
assay_causes_find (AssayComparison *comparison, const AssayComparisonSide *a,
                   const AssayComparisonSide *b, GPtrArray *inputs, guint n_rows,
                   const AssayProgress *progress, GError **error)
{
  g_autoptr (GPtrArray) rows = pick_rows (comparison, n_rows);

  if (a->subject->graph == NULL)
    return TRUE;
  for (guint i = 0; i < rows->len; i++)
    {
      AssayComparisonRow *row = g_ptr_array_index (rows, i);
      g_autoptr (GError) local = NULL;

      explain_row (comparison, row, a, b, inputs, progress, &local);
      if (g_error_matches (local, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
        {
          g_propagate_error (error, g_steal_pointer (&local));
          return FALSE;
        }
      assay_progress_report (progress, (double) (i + 1) / (double) rows->len, "Trying causes");
    }

  return TRUE;
}

/* Ids of a comparison that was kept are those of another run of the passes; names are the same. */
static void
find_values (AssayComparison *comparison, const AssayGraph *graph)
{
  g_autoptr (GHashTable) ids = g_hash_table_new (g_str_hash, g_str_equal);

  for (AssayValueId id = assay_graph_n_values (graph); id-- > 1;)
    if (assay_graph_value (graph, id)->name != NULL)
      g_hash_table_replace (ids, (gpointer) assay_graph_value (graph, id)->name,
                            GUINT_TO_POINTER (id));
  for (guint i = 0; i < comparison->rows->len; i++)
    {
      AssayComparisonRow *row = g_ptr_array_index (comparison->rows, i);

      row->value = GPOINTER_TO_UINT (g_hash_table_lookup (ids, row->name));
    }
}

/**
 * assay_causes_find_of:
 * @comparison: two runs that were compared, now or at another time
 * @index: a row of it that differs
 * @a: the reference
 * @b: what was compared with it
 * @inputs: (element-type AssayTensor): what both ran on
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Finds what makes one tensor differ, and puts it into its row. That it cannot be tried is an error
 * here, because somebody asked.
 *
 * Returns: whether it was tried
 */
gboolean
assay_causes_find_of (AssayComparison *comparison, guint index, const AssayComparisonSide *a,
                      const AssayComparisonSide *b, GPtrArray *inputs,
                      const AssayProgress *progress, GError **error)
{
  AssayComparisonRow *row = g_ptr_array_index (comparison->rows, index);

  if (a->subject->graph != NULL)
    find_values (comparison, a->subject->graph);
  if (a->subject->graph == NULL || row->value == ASSAY_NO_VALUE)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "the model has no value %s any more",
                   row->name);
      return FALSE;
    }
  assay_progress_report (progress, 0, "Trying causes");
  if (!explain_row (comparison, row, a, b, inputs, progress, error))
    {
      g_prefix_error (error, "%s: ", row->name);
      return FALSE;
    }
  if (row->causes == NULL)
    g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
                 "%s: the nodes behind it cannot be run by themselves", row->name);

  return row->causes != NULL;
}
