/* assay-comparison-observed.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * A runner that shows a value between inputs and outputs has to keep it, and cannot fuse the nodes
 * around it, so that another program is observed than the one that was asked for. Therefore a
 * runner that observing may change runs once more unobserved. If its outputs differ by more than
 * rounding, they are judged, and the group that it fuses is searched for with few values observed
 * at a time.
 */
#include "base/assay-error.h"
#include "run/assay-comparison-private.h"

/* Values of one group that are looked for behind the first. */
#define MAX_GROUP 8

/* A runner with the outputs of its unobserved run. */
typedef struct
{
  AssayComparing *compare;
  AssayRunner *runner;
  guint side;
  GPtrArray *plain;
} Unobserved;

static gboolean
ignore (AssayValueId value, gint64 step, AssayTensor *tensor, gpointer user_data, GError **error)
{
  (void) value;
  (void) step;
  (void) tensor;
  (void) user_data;
  (void) error;
  return TRUE;
}

/* Compares outputs alone, as if nothing had been observed. */
static AssayComparison *
compare_outputs (AssayComparing *self, AssayRunner *const runners[2], GPtrArray *const outputs[2],
                 const AssayCertifySide sides[2], AssayComparePrecision precision, GError **error)
{
  g_autoptr (AssayComparison) result = assay_comparison_new ();
  g_autoptr (GHashTable) rows = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (AssayValueId));
  AssayComparisonOptions options = *self->options;
  AssayComparing inner = *self;

  options.row_func = NULL;
  inner.result = result;
  inner.options = &options;
  inner.rows = rows;
  inner.values = values;
  inner.has_own = FALSE;
  inner.sides[0] = sides[0];
  inner.sides[1] = sides[1];
  result->precision = precision;
  result->n_steps = self->result->n_steps;

  return assay_comparing_hold_outputs (&inner, runners, outputs, error) ? g_steal_pointer (&result)
                                                                        : NULL;
}

static double
worst_error (const AssayComparison *comparison)
{
  return comparison->worst >= 0 ? assay_comparison_row_error (
                                      assay_comparison_row (comparison, (guint) comparison->worst))
                                : 0;
}

/* Compares outputs with those of the unobserved run: 1 if they differ by no more than rounding, 0
 * if by more, -1 with an error. */
static int
is_same (const Unobserved *self, GPtrArray *outputs, double *difference, GError **error)
{
  AssayComparing *compare = self->compare;
  AssayRunner *const runners[] = { self->runner, self->runner };
  const AssayCertifySide sides[] = { compare->sides[self->side], compare->sides[self->side] };
  g_autoptr (AssayComparison)
      change = compare_outputs (compare, runners, (GPtrArray *[]){ self->plain, outputs }, sides,
                                assay_runner_get_precision (self->runner), error);

  if (change == NULL)
    return -1;
  if (difference != NULL)
    *difference = worst_error (change);

  return change->verdict != ASSAY_COMPARISON_OUTSIDE;
}

/* Runs with these values observed: 1 if that changes the outputs, 0 if not, -1 with an error. */
static int
disturbs (const Unobserved *self, const AssayValueId *values, guint n, GError **error)
{
  const AssayRunObserver observer = { .func = ignore, .values = values, .n_values = n };
  g_autoptr (GPtrArray)
      outputs = assay_comparing_run (self->compare, self->runner, &observer, error);
  int same = outputs != NULL ? is_same (self, outputs, NULL, error) : -1;

  return same < 0 ? -1 : !same;
}

/* The values inside the first group that is computed in one: the fewest first values that disturb
 * end with its first, and those that disturb alone follow. */
static gboolean
find_group (const Unobserved *self, GArray *group, GError **error)
{
  const AssayValueId *values = (const AssayValueId *) (gpointer) self->compare->values->data;
  guint n = self->compare->values->len, low = 0, high = n;

  while (high - low > 1)
    {
      guint middle = low + (high - low) / 2;
      int found = disturbs (self, values, middle, error);

      if (found < 0)
        return FALSE;
      if (found)
        high = middle;
      else
        low = middle;
    }
  g_array_append_val (group, values[high - 1]);
  for (guint i = high; i < MIN (n, high + MAX_GROUP); i++)
    {
      int found = disturbs (self, &values[i], 1, error);

      if (found < 0)
        return FALSE;
      if (!found)
        break;
      g_array_append_val (group, values[i]);
    }

  return TRUE;
}

static void
add_name (GPtrArray *names, const AssayGraph *graph, AssayNodeId id)
{
  const AssayNode *node = id != ASSAY_NO_NODE ? assay_graph_node (graph, id) : NULL;

  if (node != NULL && !g_ptr_array_find_with_equal_func (names, node->name, g_str_equal, NULL))
    g_ptr_array_add (names, g_strdup (node->name));
}

/* The nodes of a group: those that make its inner values, and those that read the last. */
static GStrv
name_group (const AssayGraph *graph, const GArray *group)
{
  const GArray *nodes = assay_graph_region (graph, ASSAY_MAIN_REGION)->nodes;
  AssayValueId last = g_array_index (group, AssayValueId, group->len - 1);
  GPtrArray *names = g_ptr_array_new ();

  for (guint i = 0; i < group->len; i++)
    add_name (names, graph,
              assay_graph_value (graph, g_array_index (group, AssayValueId, i))->producer);
  for (guint i = 0; i < nodes->len; i++)
    {
      AssayNodeId id = g_array_index (nodes, AssayNodeId, i);
      const AssayNode *node = assay_graph_node (graph, id);

      for (guint j = 0; j < node->n_inputs; j++)
        if (node->inputs[j] == last)
          add_name (names, graph, id);
    }
  g_ptr_array_add (names, NULL);

  return (GStrv) g_ptr_array_free (names, FALSE);
}

static GStrv
name_values (const AssayGraph *graph, const GArray *values)
{
  GStrv names = g_new0 (char *, values->len + 1);

  for (guint i = 0; i < values->len; i++)
    names[i] = g_strdup (assay_graph_value (graph, g_array_index (values, AssayValueId, i))->name);

  return names;
}

static char *
dup_sentence (const AssayComparison *result)
{
  g_autoptr (GString) nodes = g_string_new (NULL);
  guint n = result->fused != NULL ? g_strv_length (result->fused) : 0;

  for (guint i = 0; i < n; i++)
    g_string_append_printf (nodes, "%s%s",
                            i == 0      ? ""
                            : i + 1 < n ? ", "
                                        : " and ",
                            result->fused[i]);
  if (n > 1)
    return g_strdup_printf ("%s are computed in one; one by one they agree", nodes->str);

  return g_strdup ("operations are computed in one; one by one they agree");
}

/* Removes the difference that was reported, or most of it. */
static void
set_cause (AssayComparisonRow *row, const AssayComparison *result,
           const AssayCompareStats *observed)
{
  AssayDivergenceCause *cause;

  row->causes = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_divergence_cause_free);
  row->n_trials = 1;
  if (!(observed->error <= row->total.error / 2))
    return;
  cause = g_new0 (AssayDivergenceCause, 1);
  cause->kind = g_strdup ("fusion");
  cause->node = g_strdup ("");
  cause->sentence = dup_sentence (result);
  cause->before = row->total.error;
  cause->after = observed->error;
  cause->rms_before = row->total.rms_error;
  cause->rms_after = observed->rms_error;
  g_ptr_array_add (row->causes, cause);
}

static const AssayComparisonRow *
find_row (const AssayComparison *comparison, const AssayComparisonRow *like)
{
  for (guint i = 0; i < comparison->rows->len; i++)
    {
      const AssayComparisonRow *row = assay_comparison_row (comparison, i);

      if (row->value == like->value && g_strcmp0 (row->name, like->name) == 0)
        return row;
    }

  return NULL;
}

/* Outputs are judged as they were unobserved; the values between stay as they were observed. */
static void
take_outputs (AssayComparison *result, const AssayComparison *unobserved)
{
  result->verdict = unobserved->verdict;
  result->first_divergent = -1;
  for (guint i = 0; i < result->rows->len; i++)
    {
      AssayComparisonRow *row = g_ptr_array_index (result->rows, i);
      const AssayComparisonRow *judged = row->is_output ? find_row (unobserved, row) : NULL;
      AssayCompareStats observed = row->total;

      if (judged == NULL)
        continue;
      row->total = judged->total;
      row->has_own = FALSE;
      row->inherited = judged->inherited;
      row->limit = judged->limit;
      row->certified = judged->certified;
      row->expected = judged->expected;
      row->verdict = judged->verdict;
      row->is_unobserved = TRUE;
      if (row->verdict != ASSAY_COMPARISON_OUTSIDE)
        continue;
      set_cause (row, result, &observed);
      if (result->first_divergent < 0)
        result->first_divergent = (int) i;
    }
  if (result->first_divergent >= 0)
    result->worst = result->first_divergent;
}

/* Tells whose outputs observing changed, and by how much; and which group it fuses. */
static gboolean
describe (const Unobserved *self, double error, GError **report)
{
  AssayComparison *result = self->compare->result;
  g_autoptr (GArray) group = g_array_new (FALSE, FALSE, sizeof (AssayValueId));

  result->unobserved = g_strdup (self->side == 0 ? result->label_a : result->label_b);
  result->unobserved_error = error;
  if (assay_runner_get_kind (self->runner)->observing != ASSAY_OBSERVING_PART)
    return TRUE;
  if (!find_group (self, group, report))
    return FALSE;
  result->fused = name_group (self->compare->graph, group);
  result->inside = name_values (self->compare->graph, group);

  return TRUE;
}

/* Finds the first side whose outputs observing changed, and describes it. */
static gboolean
check_sides (AssayComparing *self, AssayRunner *const runners[2], GPtrArray *const observed[2],
             GPtrArray *const plain[2], GError **error)
{
  for (guint i = 0; i < 2 && self->result->unobserved == NULL; i++)
    {
      const Unobserved side = { self, runners[i], i, plain[i] };
      double difference;
      int same;

      if (plain[i] == observed[i])
        continue;
      same = is_same (&side, observed[i], &difference, error);
      if (same < 0 || (!same && !describe (&side, difference, error)))
        return FALSE;
    }

  return TRUE;
}

/**
 * assay_comparing_check_observed: (skip)
 * @self: a comparison that has been judged
 * @runners: the two runners, A first
 * @outputs: what came out of them while they were observed
 * @error: return location for a #GError
 *
 * Runs each side that observing may change once more unobserved, and compares its outputs with
 * those of its observed run. If they differ by more than rounding, the comparison says so, and its
 * outputs are judged by the unobserved runs.
 *
 * Returns: whether nothing failed
 */
gboolean
assay_comparing_check_observed (AssayComparing *self, AssayRunner *const runners[2],
                                GPtrArray *const outputs[2], GError **error)
{
  g_autoptr (GPtrArray) plain_a = NULL;
  g_autoptr (GPtrArray) plain_b = NULL;
  GPtrArray **owned[] = { &plain_a, &plain_b };
  g_autoptr (AssayComparison) judged = NULL;

  if (self->values->len == 0)
    return TRUE;
  for (guint i = 0; i < 2; i++)
    {
      *owned[i] = assay_runner_get_kind (runners[i])->observing == ASSAY_OBSERVING_HARMLESS
                      ? g_ptr_array_ref (outputs[i])
                      : assay_comparing_run (self, runners[i], NULL, error);
      if (*owned[i] == NULL)
        return FALSE;
    }
  if (!check_sides (self, runners, outputs, (GPtrArray *[]){ plain_a, plain_b }, error))
    return FALSE;
  if (self->result->unobserved == NULL)
    return TRUE;

  judged = compare_outputs (self, runners, (GPtrArray *[]){ plain_a, plain_b }, self->sides,
                            self->result->precision, error);
  if (judged == NULL)
    return FALSE;
  take_outputs (self->result, judged);

  return TRUE;
}
