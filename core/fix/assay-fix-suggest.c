/* assay-fix-suggest.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fix/assay-fix-suggest.h"

#include "base/assay-error.h"
#include "fix/assay-fix-chain.h"
#include "fix/assay-fix-same.h"
#include "fix/assay-proposals.h"

/* Trials whose outputs are compared: the order may change with the result, so a few more than are
 * offered. */
#define MAX_COMPARED (ASSAY_FIX_MAX_OFFERS + 3)
/* Why the outputs of a model that was cut are not compared. */
#define OTHER_OUTPUTS "the outputs are others"

static void
attempt_free (gpointer data)
{
  AssayFixAttempt *self = data;

  assay_fix_free (self->fix);
  g_free (self->title);
  g_free (self->outcome);
  g_free (self);
}

void
assay_fix_suggestions_free (AssayFixSuggestions *self)
{
  g_ptr_array_unref (self->offers);
  g_ptr_array_unref (self->cuts);
  g_ptr_array_unref (self->tried);
  g_free (self);
}

/* Sizes to bind are guesses, of which one is enough. */
static gboolean
is_guess (const AssayFix *fix)
{
  return g_str_equal (fix->rewrite, "bind-shape");
}

static void
add_attempt (AssayFixSuggestions *self, const AssayFixTrial *trial, const char *outcome)
{
  const AssayFixOffer *offer = trial->offer;
  AssayFixAttempt *attempt;

  /* Of guesses the first one says it. */
  for (guint i = 0; i < self->tried->len; i++)
    if (is_guess (offer->fix) &&
        is_guess (((AssayFixAttempt *) g_ptr_array_index (self->tried, i))->fix))
      return;

  attempt = g_new0 (AssayFixAttempt, 1);
  attempt->fix = assay_fix_copy (offer->fix);
  attempt->title = g_strdup (offer->title);
  if (outcome != NULL)
    attempt->outcome = g_strdup (outcome);
  else if (trial->problem != NULL)
    attempt->outcome = g_strdup (trial->problem);
  else if (trial->open_after >= trial->open_before)
    attempt->outcome = trial->open_after == trial->open_before
                           ? g_strdup_printf ("still %u not taken", trial->open_after)
                           : g_strdup_printf ("%u not taken instead of %u", trial->open_after,
                                              trial->open_before);
  else
    attempt->outcome = g_strdup_printf (
        "no better: rejected %u to %u, host %u to %u, undecided %u to %u",
        offer->before[ASSAY_VERDICT_REJECTED], offer->after[ASSAY_VERDICT_REJECTED],
        offer->before[ASSAY_VERDICT_HOST], offer->after[ASSAY_VERDICT_HOST],
        offer->before[ASSAY_VERDICT_UNDECIDED], offer->after[ASSAY_VERDICT_UNDECIDED]);
  g_ptr_array_add (self->tried, attempt);
}

static int
compare_trials (gconstpointer a, gconstpointer b)
{
  return assay_fix_trial_compare (*(AssayFixTrial *const *) a, *(AssayFixTrial *const *) b);
}

static gboolean
changes_nodes (const AssayFixOffer *offer)
{
  gboolean changes = assay_fix_get_kind (offer->fix) == ASSAY_FIX_GRAPH;

  for (guint i = 0; offer->first != NULL && i < offer->first->len; i++)
    changes |= assay_fix_get_kind (g_ptr_array_index (offer->first, i)) == ASSAY_FIX_GRAPH;

  return changes;
}

static gboolean
is_decision (const AssayFixOffer *offer)
{
  gboolean decides = offer->dropped != NULL ||
                     assay_fix_get_keeps (offer->fix) == ASSAY_FIX_KEEPS_DECISION;

  for (guint i = 0; offer->first != NULL && i < offer->first->len; i++)
    decides |= assay_fix_get_keeps (g_ptr_array_index (offer->first, i)) ==
               ASSAY_FIX_KEEPS_DECISION;

  return decides;
}

static void
runs_free (gpointer data)
{
  assay_fix_runs_free (data);
}

/* The runs of each graph that trials are compared with: the model's, or that with sizes. */
static GHashTable *
runs_table_new (void)
{
  return g_hash_table_new_full (NULL, NULL, NULL, runs_free);
}

static AssayFixRuns *
get_runs (GHashTable *table, AssayGraph *reference, const AssayFixOptions *options)
{
  AssayFixRuns *runs = g_hash_table_lookup (table, reference);

  if (runs == NULL)
    {
      runs = assay_fix_runs_new (reference, options);
      g_hash_table_insert (table, reference, runs);
    }

  return runs;
}

/* Fills in what takes longer to find out. */
static gboolean
measure (AssayFixTrial *trial, AssayWork *model, GHashTable *runs, const AssayFixOptions *options,
         const AssayProgress *progress, GError **error)
{
  if (!changes_nodes (trial->offer))
    trial->offer->sameness = ASSAY_FIX_NO_CHANGE;
  else if (assay_fix_trial_is_cut (trial))
    trial->offer->sameness_reason = g_strdup (OTHER_OUTPUTS);
  else if (!assay_fix_runs_compare (get_runs (runs, trial->reference, options),
                                    assay_work_get_graph (trial->work, NULL, NULL), trial->offer,
                                    progress, error))
    return FALSE;
  else if (is_decision (trial->offer) && trial->offer->sameness != ASSAY_FIX_DIFFERENT)
    trial->offer->sameness = ASSAY_FIX_DECISION;

  if (options->no_cycles)
    trial->offer->cycles_reason = g_strdup ("not asked for");
  else
    assay_fix_trial_add_cycles (trial, model, progress);

  return assay_progress_check (progress, error);
}

static gboolean
is_another_guess (GPtrArray *trials, guint index)
{
  if (!is_guess (((AssayFixTrial *) g_ptr_array_index (trials, index))->offer->fix))
    return FALSE;
  for (guint i = 0; i < index; i++)
    if (is_guess (((AssayFixTrial *) g_ptr_array_index (trials, i))->offer->fix))
      return TRUE;

  return FALSE;
}

/* Whether what is to be measured yet cannot be better than what was found to be the same. */
static gboolean
is_settled (GPtrArray *trials, guint index)
{
  for (guint i = 0; i < index; i++)
    {
      AssayFixTrial *trial = g_ptr_array_index (trials, i);

      if (assay_fix_offer_is_same (trial->offer))
        return assay_fix_trial_count_compare (trial, g_ptr_array_index (trials, index)) < 0;
    }

  return FALSE;
}

static gboolean
choose (AssayFixSuggestions *self, GPtrArray *trials, AssayWork *model,
        const AssayFixOptions *options, const AssayProgress *progress, GError **error)
{
  g_autoptr (GHashTable) runs = runs_table_new ();

  g_ptr_array_sort (trials, compare_trials);
  for (guint i = 0; i < trials->len;)
    {
      if (!is_another_guess (trials, i))
        {
          i++;
          continue;
        }
      add_attempt (self, g_ptr_array_index (trials, i), "other sizes serve better or as well");
      g_ptr_array_remove_index (trials, i);
    }

  for (guint i = 0; i < MIN (trials->len, MAX_COMPARED); i++)
    {
      if (options->first_only && is_settled (trials, i))
        break;
      assay_progress_report (progress, 0.6 + 0.4 * i / MAX_COMPARED, "Comparing outputs");
      if (!measure (g_ptr_array_index (trials, i), model, runs, options, progress, error))
        return FALSE;
    }
  g_ptr_array_sort (trials, compare_trials);

  for (guint i = 0; i < trials->len; i++)
    {
      AssayFixTrial *trial = g_ptr_array_index (trials, i);

      if (i < ASSAY_FIX_MAX_OFFERS)
        g_ptr_array_add (self->offers, g_steal_pointer (&trial->offer));
      else
        add_attempt (self, trial, "it helps too, but the others are better");
    }

  return TRUE;
}

static gboolean
try_all (AssayFixSuggestions *self, AssayWork *model, const char *const *names, GPtrArray *trials,
         AssayFixChain *chain, gsize *work, const AssayProgress *progress, GError **error)
{
  g_auto (AssayProposals) proposals = { 0 };

  assay_proposals_collect (&proposals, model, names);
  for (guint i = 0; i < proposals.fixes->len; i++)
    {
      const gsize cost = assay_graph_n_nodes (proposals.graph);
      g_autofree char *message = g_strdup_printf ("Trying fix %u of %u", i + 1,
                                                  proposals.fixes->len);
      g_autoptr (AssayFixTrial) trial = NULL;

      if (cost > *work)
        {
          self->n_left = proposals.fixes->len - i;
          *work = 0;
          return TRUE;
        }
      *work -= cost;
      assay_progress_report (progress, 0.4 * i / proposals.fixes->len, message);
      if (!assay_progress_check (progress, error))
        return FALSE;
      trial = assay_fix_trial_new (model, NULL, g_ptr_array_index (proposals.fixes, i), names,
                                   progress, error);
      if (trial == NULL)
        return FALSE;
      if (assay_fix_trial_is_cut (trial) && trial->problem == NULL)
        {
          trial->offer->sameness_reason = g_strdup (OTHER_OUTPUTS);
          g_ptr_array_add (self->cuts, g_steal_pointer (&trial->offer));
        }
      else if (assay_fix_trial_helps (trial))
        g_ptr_array_add (trials, g_steal_pointer (&trial));
      else
        {
          add_attempt (self, trial, NULL);
          assay_fix_chain_take (chain, g_steal_pointer (&trial));
        }
    }

  return TRUE;
}

/* Where nothing helps at these nodes, something beside them may, or two fixes together. */
static gboolean
try_further (AssayFixSuggestions *self, AssayWork *model, const char *const *names,
             GPtrArray *trials, AssayFixChain *chain, gsize *work, const AssayProgress *progress,
             GError **error)
{
  const AssayProgress part = assay_progress_part (progress, 0.4, 0.6);

  return trials->len > 0 ||
         assay_fix_chain_try (chain, model, names, trials, work, self, &part, error);
}

/**
 * assay_fix_options_share:
 * @self: how fixes are tried
 * @n: how many searches make up the request of the user
 *
 * Divides the work that a request may do among its searches. Each has the same share, so that the
 * offers of a cause are the same whether the others are searched or not.
 */
void
assay_fix_options_share (AssayFixOptions *self, guint n)
{
  if (self->work > 0 && n > 1)
    self->work = MAX (1, self->work / n);
}

/**
 * assay_fix_options_lift:
 * @self: how fixes are tried
 *
 * Allows as much work as there is, as the user asks for it.
 */
void
assay_fix_options_lift (AssayFixOptions *self)
{
  self->work = 0;
  self->total_seconds = 0;
}

/**
 * assay_fix_suggest:
 * @model: the model in front of a target; its stages are done where they are needed
 * @nodes: (array zero-terminated=1): names of nodes, of the model or of the compiler's graph
 * @options: (nullable): how to try; %NULL for the default
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Looks for fixes for some nodes. Every fix that a rewrite proposes is tried on a copy; those that
 * help are offered, with what they change, and the others are listed with what came of them. Where
 * none helps, nodes beside them are tried, and pairs, one fix after the other, as far as the work
 * goes that the options allow. Works in any thread.
 *
 * Returns: (transfer full) (nullable): the offers, or %NULL with %ASSAY_ERROR_CANCELLED, or
 * %ASSAY_ERROR_INVALID if the model cannot be checked with these settings
 */
AssayFixSuggestions *
assay_fix_suggest (AssayWork *model, const char *const *nodes, const AssayFixOptions *options,
                   const AssayProgress *progress, GError **error)
{
  static const AssayFixOptions defaults = ASSAY_FIX_OPTIONS_DEFAULT;
  g_autoptr (AssayFixSuggestions) self = g_new0 (AssayFixSuggestions, 1);
  g_autoptr (GPtrArray)
      trials = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_fix_trial_free);
  g_autoptr (AssayFixChain) chain = assay_fix_chain_new ();
  gsize work;

  if (options == NULL)
    options = &defaults;
  work = options->work > 0 ? options->work : G_MAXSIZE;
  self->offers = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_fix_offer_free);
  self->cuts = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_fix_offer_free);
  self->tried = g_ptr_array_new_with_free_func (attempt_free);
  if (assay_work_get_verdicts (model, progress, error) == NULL ||
      !try_all (self, model, nodes, trials, chain, &work, progress, error) ||
      !try_further (self, model, nodes, trials, chain, &work, progress, error) ||
      !choose (self, trials, model, options, progress, error))
    return NULL;
  self->work = (options->work > 0 ? options->work : G_MAXSIZE) - work;

  return g_steal_pointer (&self);
}

/**
 * assay_fix_suggest_for_cause:
 * @model: the model in front of a target
 * @cause: index of a cause of its verdicts
 * @options: (nullable): how to try
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Looks for fixes for all nodes of a cause at once, as assay_fix_suggest() does.
 *
 * Returns: (transfer full) (nullable): the offers
 */
AssayFixSuggestions *
assay_fix_suggest_for_cause (AssayWork *model, guint cause, const AssayFixOptions *options,
                             const AssayProgress *progress, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  AssayVerdicts *verdicts = assay_work_get_verdicts (model, progress, error);
  const GArray *nodes;

  if (verdicts == NULL)
    return NULL;
  if (cause >= verdicts->causes->len)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "there is no cause with index %u below %u", cause, verdicts->causes->len);
      return NULL;
    }

  nodes = g_array_index (verdicts->causes, AssayCause, cause).nodes;
  for (guint i = 0; i < nodes->len; i++)
    g_ptr_array_add (
        names,
        (gpointer) assay_graph_node (verdicts->graph, g_array_index (nodes, AssayNodeId, i))->name);
  g_ptr_array_add (names, NULL);

  return assay_fix_suggest (model, (const char *const *) names->pdata, options, progress, error);
}

/**
 * assay_fix_try:
 * @model: the model in front of a target; its stages are done where they are needed
 * @fixes: (element-type AssayFix): one fix or several, in order
 * @options: (nullable): how to try
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Tries fixes as a whole, whether they help or not.
 *
 * Returns: (transfer full) (nullable): what comes of it, or %NULL with %ASSAY_ERROR_CANCELLED, or
 * with %ASSAY_ERROR_INVALID if it does not apply
 */
AssayFixOffer *
assay_fix_try (AssayWork *model, GPtrArray *fixes, const AssayFixOptions *options,
               const AssayProgress *progress, GError **error)
{
  static const AssayFixOptions defaults = ASSAY_FIX_OPTIONS_DEFAULT;
  g_autoptr (GHashTable) runs = runs_table_new ();
  g_autoptr (AssayFixTrial) trial = NULL;

  g_return_val_if_fail (fixes->len > 0, NULL);

  if (options == NULL)
    options = &defaults;
  if (assay_work_get_verdicts (model, progress, error) == NULL)
    return NULL;
  for (guint i = 0; i < fixes->len; i++)
    {
      g_autoptr (AssayFixTrial) base = g_steal_pointer (&trial);

      trial = assay_fix_trial_new (model, base, g_ptr_array_index (fixes, i), NULL, progress,
                                   error);
      if (trial == NULL)
        return NULL;
      if (trial->problem != NULL)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: %s", trial->offer->title,
                       trial->problem);
          return NULL;
        }
    }

  if (!measure (trial, model, runs, options, progress, error))
    return NULL;

  return g_steal_pointer (&trial->offer);
}
