/* assay-fix-trial.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fix/assay-fix-trial.h"

#include <string.h>

#include "backend/assay-backend.h"
#include "base/assay-error.h"
#include "fix/assay-rewrite-private.h"
#include "nnir/assay-verify.h"

/* Elements of all results together, up to which a model is compiled to count its cycles. */
#define MAX_TRIAL_ELEMENTS ((gsize) 1 << 20)

/* Nodes that the target does not take, in order of importance. */
static guint
count_open (const guint *counts)
{
  return counts[ASSAY_VERDICT_REJECTED] + counts[ASSAY_VERDICT_HOST] +
         counts[ASSAY_VERDICT_UNDECIDED];
}

/* Those of them for which a check fails. */
static guint
count_refused (const guint *counts)
{
  return counts[ASSAY_VERDICT_REJECTED] + counts[ASSAY_VERDICT_UNDECIDED];
}

static void
count_verdicts (AssayVerdicts *verdicts, guint *counts)
{
  for (guint i = 0; i < ASSAY_N_VERDICTS; i++)
    counts[i] = assay_verdicts_count (verdicts, i);
}

static char *
first_message (AssayFindings *findings, const char *rule)
{
  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    {
      const AssayFinding *finding = assay_findings_get (findings, i);

      if (g_str_has_prefix (finding->rule, rule))
        {
          const char *colon = strstr (finding->message, ": ");

          return g_strdup (g_str_equal (rule, "fix.") && colon != NULL ? colon + 2
                                                                       : finding->message);
        }
    }

  return NULL;
}

/* The results have to keep their names and types, as far as these are known. */
static char *
check_results (AssayGraph *before, AssayGraph *after)
{
  const GArray *old = assay_graph_region (before, ASSAY_MAIN_REGION)->outputs;
  const GArray *new = assay_graph_region (after, ASSAY_MAIN_REGION)->outputs;

  for (guint i = 0; i < MIN (old->len, new->len); i++)
    {
      const AssayValue *a = assay_graph_value (before, g_array_index (old, AssayValueId, i));
      const AssayValue *b = assay_graph_value (after, g_array_index (new, AssayValueId, i));
      gboolean same = g_str_equal (a->name, b->name) && a->type->dtype == b->type->dtype &&
                      (a->type->rank < 0 || b->type->rank < 0 || a->type->rank == b->type->rank);

      for (int j = 0; same && j < MIN (a->type->rank, b->type->rank); j++)
        same = a->type->dims[j].size < 0 || b->type->dims[j].size < 0 ||
               a->type->dims[j].size == b->type->dims[j].size;
      if (!same)
        {
          g_autofree char *was = assay_type_to_string (a->type);
          g_autofree char *is = assay_type_to_string (b->type);

          return g_strdup_printf ("output %s would be %s %s instead of %s", a->name, b->name, is,
                                  was);
        }
    }

  return NULL;
}

static char *
find_problem (AssayGraph *before, AssayGraph *after, AssayFindings *findings, guint n_nodes,
              gboolean cut)
{
  g_autoptr (AssayFindings) violations = assay_findings_new ();
  guint refused = 0;
  char *problem;

  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    refused += g_str_has_prefix (assay_findings_get (findings, i)->rule, "fix.");
  if (refused > 0 && refused >= n_nodes)
    return first_message (findings, "fix.");
  if (!assay_graph_verify (after, violations))
    return g_strdup_printf ("the graph would not be sound: %s",
                            assay_findings_get (violations, 0)->message);

  problem = cut ? NULL : check_results (before, after);
  if (problem == NULL && assay_findings_count_at (findings, ASSAY_SEVERITY_ERROR) > 0)
    problem = first_message (findings, "");

  return problem;
}

/* Counts the nodes in question that the target does not take. */
static void
count_questioned (AssayVerdicts *verdicts, const char *const *names, char **added, guint *open,
                  guint *rejected)
{
  g_autoptr (GHashTable) set = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; names[i] != NULL; i++)
    g_hash_table_add (set, (gpointer) names[i]);
  for (guint i = 0; added != NULL && added[i] != NULL; i++)
    g_hash_table_add (set, added[i]);

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (verdicts->graph); id++)
    {
      AssayVerdictKind kind = assay_verdicts_get (verdicts, id)->kind;

      if (kind > ASSAY_VERDICT_UNDECIDED ||
          !g_hash_table_contains (set, assay_graph_node (verdicts->graph, id)->name))
        continue;
      *open += 1;
      *rejected += kind == ASSAY_VERDICT_REJECTED;
    }
}

/* `Bind batch to 1, then replace HardSwish by Mul and HardSigmoid`. What comes then is what tells
 * offers apart: of several sizes the names are left out. */
static char *
join_titles (const AssayFixOffer *first, const char *then)
{
  g_autofree char *sizes = first->first == NULL || first->first->len == 0
                               ? assay_fix_dup_sizes (first->fix)
                               : NULL;

  return g_strdup_printf ("%s, then %c%s", sizes != NULL ? sizes : first->title,
                          g_ascii_tolower (*then), *then != '\0' ? then + 1 : then);
}

/* What was applied before @fix, and which outputs are to be kept: a fix of the setup keeps all of
 * the graph with it. */
static void
begin_at (AssayFixTrial *self, AssayWork *model, const AssayFixTrial *base, const AssayFix *fix)
{
  g_autofree char *title = assay_fix_get_title (fix);
  gboolean setup = TRUE;

  self->offer->fix = assay_fix_copy (fix);
  self->offer->rounds = assay_fix_get_keeps (fix) != ASSAY_FIX_KEEPS_BITS;
  if (base == NULL)
    {
      self->offer->title = g_steal_pointer (&title);
      self->reference = assay_graph_ref (assay_work_get_graph (model, NULL, NULL));
      return;
    }

  self->offer->title = join_titles (base->offer, title);
  self->offer->rounds |= base->offer->rounds;
  self->offer->dropped = g_strdup (base->offer->dropped);
  self->offer->first = assay_fix_offer_list_fixes (base->offer, NULL);
  for (guint i = 0; i < self->offer->first->len; i++)
    setup &= assay_fix_get_kind (g_ptr_array_index (self->offer->first, i)) != ASSAY_FIX_GRAPH;
  self->reference = assay_graph_ref (setup ? assay_work_get_graph (base->work, NULL, NULL)
                                           : base->reference);
}

/**
 * assay_fix_trial_new:
 * @model: the model, checked
 * @base: (nullable): what is applied before, with success
 * @fix: the fix
 * @nodes: (nullable) (array zero-terminated=1): names of the nodes that it is to help
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Tries a fix on a copy: applies it, checks the result against the target and lists what changes.
 *
 * Returns: (transfer full) (nullable): what came of it, or %NULL with %ASSAY_ERROR_CANCELLED
 */
AssayFixTrial *
assay_fix_trial_new (AssayWork *model, const AssayFixTrial *base, const AssayFix *fix,
                     const char *const *nodes, const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayFixTrial) self = g_new0 (AssayFixTrial, 1);
  g_autoptr (GPtrArray) fixes = assay_fixes_new ();
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) local = NULL;
  AssayVerdicts *was = assay_work_get_verdicts (model, progress, error);
  AssayVerdicts *is;
  AssayWork *before = base != NULL ? base->work : model;
  AssayGraph *graph;

  if (was == NULL)
    return NULL;
  self->offer = g_new0 (AssayFixOffer, 1);
  self->offer->cycles_before = self->offer->cycles_after = -1;
  begin_at (self, model, base, fix);
  count_verdicts (was, self->offer->before);

  g_ptr_array_add (fixes, assay_fix_copy (fix));
  self->work = assay_work_with_fixes (before, fixes, findings, progress, error);
  if (self->work == NULL)
    return NULL;

  if (self->offer->dropped == NULL)
    self->offer->dropped = first_message (findings, ASSAY_FIX_DROPS_INPUT);
  graph = assay_work_get_graph (self->work, NULL, NULL);
  assay_fix_list_changes (self->offer, assay_work_get_graph (model, NULL, NULL), graph);
  self->problem = find_problem (assay_work_get_graph (before, NULL, NULL), graph, findings,
                                g_strv_length (fix->nodes), assay_fix_trial_is_cut (self));
  if (self->problem != NULL)
    return g_steal_pointer (&self);

  is = assay_work_get_verdicts (self->work, progress, &local);
  if (is != NULL)
    {
      count_verdicts (is, self->offer->after);
      if (nodes != NULL)
        {
          count_questioned (was, nodes, NULL, &self->open_before, &self->rejected_before);
          count_questioned (is, nodes, self->offer->added, &self->open_after,
                            &self->rejected_after);
        }
      return g_steal_pointer (&self);
    }
  if (g_error_matches (local, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return NULL;
    }
  self->problem = g_strdup (local->message);

  return g_steal_pointer (&self);
}

void
assay_fix_trial_free (AssayFixTrial *self)
{
  g_clear_pointer (&self->offer, assay_fix_offer_free);
  g_clear_pointer (&self->work, assay_work_free);
  g_clear_pointer (&self->reference, assay_graph_unref);
  g_free (self->problem);
  g_free (self);
}

/**
 * assay_fix_trial_helps:
 * @self: a trial
 *
 * Tells whether the target takes more than before, of the nodes in question and of the whole model:
 * fewer nodes that are rejected, done by the host or undecided; or as many, of which fewer are
 * rejected. What the host does must not become rejected or undecided: that was no reason to refuse
 * the model.
 *
 * Returns: whether it does
 */
gboolean
assay_fix_trial_helps (const AssayFixTrial *self)
{
  const guint *before = self->offer->before, *after = self->offer->after;

  if (self->problem != NULL)
    return FALSE;
  if (self->open_after > self->open_before ||
      (self->open_after == self->open_before && self->rejected_after >= self->rejected_before))
    return FALSE;
  if (count_refused (after) > count_refused (before))
    return FALSE;
  if (count_open (after) != count_open (before))
    return count_open (after) < count_open (before);

  return after[ASSAY_VERDICT_REJECTED] < before[ASSAY_VERDICT_REJECTED];
}

/**
 * assay_fix_trial_is_cut:
 * @self: a trial
 *
 * Tells whether a fix cuts the model, which repairs nothing and leaves another model.
 *
 * Returns: whether it does
 */
gboolean
assay_fix_trial_is_cut (const AssayFixTrial *self)
{
  return g_str_equal (self->offer->fix->rewrite, "cut");
}

/**
 * assay_fix_trial_count_compare:
 * @a: a trial
 * @b: another trial
 *
 * Orders trials by what the target does not take of the whole model afterwards: how many nodes, how
 * many of them rejected.
 *
 * Returns: below 0 if less is left after @a, 0 if as much
 */
int
assay_fix_trial_count_compare (const AssayFixTrial *a, const AssayFixTrial *b)
{
  const guint open[] = { count_open (a->offer->after), count_open (b->offer->after) };
  const guint rejected[] = { a->offer->after[ASSAY_VERDICT_REJECTED],
                             b->offer->after[ASSAY_VERDICT_REJECTED] };

  return open[0] != open[1] ? (open[0] > open[1]) - (open[0] < open[1])
                            : (rejected[0] > rejected[1]) - (rejected[0] < rejected[1]);
}

/**
 * assay_fix_trial_compare:
 * @a: a trial
 * @b: another trial
 *
 * Orders trials, the best first: what is left open, what is rejected, whether the outputs stay the
 * same but for rounding, what is added.
 *
 * Returns: below 0 if @a is better
 */
int
assay_fix_trial_compare (const AssayFixTrial *a, const AssayFixTrial *b)
{
  const guint keys[2][2] = {
    { !assay_fix_offer_is_same (a->offer), g_strv_length (a->offer->added) },
    { !assay_fix_offer_is_same (b->offer), g_strv_length (b->offer->added) },
  };
  int counts = assay_fix_trial_count_compare (a, b);

  if (counts != 0)
    return counts;
  for (guint i = 0; i < G_N_ELEMENTS (keys[0]); i++)
    if (keys[0][i] != keys[1][i])
      return keys[0][i] < keys[1][i] ? -1 : 1;

  return 0;
}

/* Whether a model is so large that compiling it takes longer than anybody waits for a trial. */
static gboolean
is_large (AssayGraph *graph)
{
  gsize total = 0;

  for (AssayValueId id = 1; id < assay_graph_n_values (graph); id++)
    {
      const AssayValue *value = assay_graph_value (graph, id);
      gsize n;

      if (value->kind == ASSAY_VALUE_RESULT && assay_type_count (value->type, &n) &&
          (!g_size_checked_add (&total, total, n) || total > MAX_TRIAL_ELEMENTS))
        return TRUE;
    }

  return FALSE;
}

static gint64
count_cycles (AssayWork *work, AssayCycleRange *range, const AssayProgress *progress,
              GError **error)
{
  AssayProgram *program = assay_work_get_program (work, progress, error);
  guint32 spaced;

  if (program == NULL)
    return -1;
  spaced = assay_program_get_cycles (program, 0)->spaced;
  assay_program_get_cycle_range (program, spaced, range);

  return spaced;
}

/**
 * assay_fix_trial_add_cycles:
 * @self: a trial
 * @model: the model, checked
 * @progress: (nullable): progress and cancel
 *
 * Compiles the model before and after for a target whose cycles are counted and notes the cycles of
 * one inference, or why there are none.
 */
void
assay_fix_trial_add_cycles (AssayFixTrial *self, AssayWork *model, const AssayProgress *progress)
{
  AssayTarget *target = assay_work_get_target (model);
  g_autoptr (GError) error = NULL;

  if (!assay_backend_has (target, ASSAY_CAPABILITY_COUNTS_CYCLES))
    {
      self->offer->cycles_reason = g_strdup_printf ("%s is not compiled here",
                                                    assay_target_get_id (target));
      return;
    }
  if (count_open (self->offer->after) > 0)
    {
      self->offer->cycles_reason = g_strdup ("it does not compile yet");
      return;
    }
  if (is_large (assay_work_get_verdicts (self->work, NULL, NULL)->graph))
    {
      self->offer->cycles_reason = g_strdup ("it is too large to be compiled for a trial");
      return;
    }

  self->offer->cycles_after = count_cycles (self->work, &self->offer->range_after, progress,
                                            &error);
  if (error == NULL && count_open (self->offer->before) == 0)
    self->offer->cycles_before = count_cycles (model, &self->offer->range_before, progress, &error);
  else if (error == NULL)
    self->offer->cycles_reason = g_strdup ("it did not compile before");
  if (error != NULL)
    self->offer->cycles_reason = g_strdup (error->message);
}
