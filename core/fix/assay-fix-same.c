/* assay-fix-same.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fix/assay-fix-same.h"

#include <math.h>

#include "base/assay-error.h"
#include "evaluate/compare/assay-compare.h"
#include "evaluate/assay-evaluate.h"
#include "fix/assay-fix-draw.h"
#include "fix/assay-fix-judge.h"
#include "fix/assay-fix-switch.h"

/* What runs that nobody has asked for may take: one of them, in units of what a comparison may
 * take; and by how much the process may grow. */
#define RUN_SHARE 2
#define RUN_BYTES ((gsize) 2 << 30)

/* Turns of a loop that only its condition ends. */
#define RUN_TURNS 10000

/* After so many runs a switch is in another position with the same kind of numbers. */
#define RUNS_OF_A_KIND 8

/* Said when no input that was drawn tells a fix from the rounding of the model. */
#define HIDDEN "the model itself is too far from its exact results"

struct _AssayFixRuns
{
  AssayGraph *graph;
  AssayFixOptions options;
  AssayEvaluator *evaluator;
  AssayEvaluator *wide; /* (nullable): the same in double, once it was needed */
  GPtrArray *inputs;  /* GPtrArray of AssayDatum per run, those of the inputs of @graph that are no
                         parameters */
  GPtrArray *outputs; /* GPtrArray of AssayDatum per run, NULL where the model refuses the inputs */
  GHashTable *exact;  /* run to GPtrArray of AssayDatum: outputs in double */
  GPtrArray *names;   /* names of the inputs, unowned */
  GHashTable *held;   /* name to AssayDatum: inputs that are not drawn */
  GHashTable *switches; /* AssayValueId of an input to GArray of gint64: what it is held against */
  char *reason;         /* why it cannot be run */
  char *refusal;        /* why it refuses inputs that were drawn */
  double seconds;       /* of the slowest run */
  double spent;         /* in all comparisons, unless the options count it */
  gint64 open_size;     /* what an open dimension gets, or 0 */
};

static void
data_free (gpointer data)
{
  if (data != NULL)
    g_ptr_array_unref (data);
}

/**
 * assay_fix_runs_new:
 * @graph: the model before
 * @options: how many inputs, and what a comparison may take
 *
 * Prepares for comparing with a model.
 *
 * Returns: (transfer full): the runs
 */
AssayFixRuns *
assay_fix_runs_new (AssayGraph *graph, const AssayFixOptions *options)
{
  AssayFixRuns *self = g_new0 (AssayFixRuns, 1);

  self->graph = assay_graph_ref (graph);
  self->options = *options;
  self->inputs = g_ptr_array_new_with_free_func (data_free);
  self->outputs = g_ptr_array_new_with_free_func (data_free);
  self->exact = g_hash_table_new_full (NULL, NULL, NULL, data_free);
  self->names = g_ptr_array_new ();
  self->held = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                      (GDestroyNotify) assay_datum_unref);
  self->switches = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);

  return self;
}

/**
 * assay_fix_runs_set_open_size:
 * @self: runs that have not begun
 * @size: elements along each dimension whose size is not known, 0 to run no model with such
 *
 * Says what a model with open dimensions is run with.
 */
void
assay_fix_runs_set_open_size (AssayFixRuns *self, gint64 size)
{
  self->open_size = size;
}

/**
 * assay_fix_runs_free:
 * @self: (transfer full): the runs
 *
 * Frees the runs with their inputs and outputs.
 */
void
assay_fix_runs_free (AssayFixRuns *self)
{
  g_clear_pointer (&self->evaluator, assay_evaluator_free);
  g_clear_pointer (&self->wide, assay_evaluator_free);
  g_ptr_array_unref (self->inputs);
  g_ptr_array_unref (self->outputs);
  g_hash_table_unref (self->exact);
  g_ptr_array_unref (self->names);
  g_hash_table_unref (self->held);
  g_hash_table_unref (self->switches);
  g_free (self->reason);
  g_free (self->refusal);
  assay_graph_unref (self->graph);
  g_free (self);
}

static const AssayValue *
input_value (AssayGraph *graph, guint index)
{
  const GArray *inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;

  return assay_graph_value (graph, g_array_index (inputs, AssayValueId, index));
}

/* What a model chooses by takes turns: each number that it is held against, and those beside it,
 * for what is less or more. At random a side that a rate of 16,000 chooses would never be run. */
static void
turn_switch (AssayFixRuns *self, AssayValueId input, guint run, AssayDatum *datum)
{
  static const int steps[] = { 0, 1, 0, -1 };
  const GArray *positions = g_hash_table_lookup (self->switches, GUINT_TO_POINTER (input));
  guint turn = run + run / RUNS_OF_A_KIND, position;

  if (positions == NULL || positions->len == 0)
    return;
  position = turn / (guint) G_N_ELEMENTS (steps) % positions->len;
  if (datum->dtype == ASSAY_DTYPE_BOOL)
    assay_datum_set_number (datum, 0, turn % 2);
  else
    assay_datum_set_number (datum, 0,
                            (double) g_array_index (positions, gint64, position) +
                                steps[turn % G_N_ELEMENTS (steps)]);
  assay_datum_round (datum);
}

static void
find_switches (AssayFixRuns *self)
{
  const GArray *inputs = assay_graph_region (self->graph, ASSAY_MAIN_REGION)->inputs;
  g_autoptr (AssayUses) uses = assay_uses_new (self->graph);

  for (guint i = 0; i < inputs->len; i++)
    {
      AssayValueId id = g_array_index (inputs, AssayValueId, i);
      const AssayValue *value = assay_graph_value (self->graph, id);

      if (!value->is_parameter && assay_fix_is_switch (value))
        g_hash_table_insert (self->switches, GUINT_TO_POINTER (id),
                             assay_fix_list_positions (self->graph, uses, id));
    }
}

static GPtrArray *
random_inputs (AssayFixRuns *self, guint run)
{
  const GArray *inputs = assay_graph_region (self->graph, ASSAY_MAIN_REGION)->inputs;
  g_autoptr (GPtrArray) data = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);

  for (guint i = 0; i < inputs->len; i++)
    {
      const AssayValue *value = input_value (self->graph, i);
      AssayDatum *held = g_hash_table_lookup (self->held, value->name);
      AssayDatum *datum;

      if (value->is_parameter)
        continue;
      datum = held != NULL ? assay_datum_ref (held)
                           : assay_fix_draw (value->type, self->open_size,
                                             self->options.seed * 1000003 + run * 1009 + i, run);
      if (datum == NULL)
        return NULL;
      if (held == NULL)
        turn_switch (self, g_array_index (inputs, AssayValueId, i), run, datum);
      g_ptr_array_add (data, datum);
    }

  return g_steal_pointer (&data);
}

/* The data that a graph wants, by the names of its inputs; one that is not there any more is a
 * constant now. */
static GPtrArray *
pick_inputs (AssayFixRuns *self, AssayGraph *graph, GPtrArray *data)
{
  const GArray *inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;
  GPtrArray *picked = g_ptr_array_new ();

  for (guint i = 0; i < inputs->len; i++)
    {
      const AssayValue *value = input_value (graph, i);
      AssayDatum *found = NULL;

      for (guint j = 0; j < self->names->len; j++)
        if (g_str_equal (g_ptr_array_index (self->names, j), value->name))
          found = g_ptr_array_index (data, j);
      g_ptr_array_add (picked, value->is_parameter ? NULL : found);
    }

  return picked;
}

/* How a model is run that nobody has asked to run. */
static AssayEvaluateOptions
watched (const AssayFixRuns *self, gboolean wide)
{
  AssayEvaluateOptions options = ASSAY_EVALUATE_OPTIONS_DEFAULT;

  options.wide = wide;
  options.seconds = RUN_SHARE * self->options.seconds;
  options.max_bytes = RUN_BYTES;
  options.max_turns = RUN_TURNS;

  return options;
}

static gboolean
prepare (AssayFixRuns *self)
{
  const GArray *inputs = assay_graph_region (self->graph, ASSAY_MAIN_REGION)->inputs;
  const AssayEvaluateOptions options = watched (self, FALSE);
  g_autoptr (GError) error = NULL;

  if (self->evaluator != NULL || self->reason != NULL)
    return self->reason == NULL;

  self->reason = self->options.n_runs == 0 ? g_strdup ("not asked for")
                                           : assay_fix_find_obstacle (self->graph, self->open_size);
  if (self->reason != NULL)
    return FALSE;

  for (guint i = 0; i < inputs->len; i++)
    if (!input_value (self->graph, i)->is_parameter)
      g_ptr_array_add (self->names, (gpointer) input_value (self->graph, i)->name);
  find_switches (self);
  self->evaluator = assay_evaluator_new (self->graph, &options, &error);
  if (self->evaluator == NULL)
    self->reason = g_strdup (error->message);

  return self->evaluator != NULL;
}

static GPtrArray *
run_on (AssayFixRuns *self, AssayEvaluator *evaluator, guint run, const AssayProgress *progress,
        GError **error)
{
  g_autoptr (GPtrArray) picked = pick_inputs (self, assay_evaluator_get_graph (evaluator),
                                              g_ptr_array_index (self->inputs, run));

  return assay_evaluator_run (evaluator, picked->len, (AssayDatum *const *) picked->pdata, progress,
                              error);
}

/* What the model gives for one random input; computed once. Inputs that it refuses, such as an
 * index that is not there, have no outputs; the first such reason is kept. */
static gboolean
reference (AssayFixRuns *self, guint run, const AssayProgress *progress, GError **error)
{
  g_autoptr (GPtrArray) data = NULL;
  g_autoptr (GError) local = NULL;
  gint64 begin = g_get_monotonic_time ();
  GPtrArray *outputs;

  if (run < self->outputs->len)
    return TRUE;

  data = random_inputs (self, run);
  if (data == NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "the inputs do not fit into memory");
      return FALSE;
    }
  g_ptr_array_add (self->inputs, g_steal_pointer (&data));
  outputs = run_on (self, self->evaluator, run, progress, &local);
  if (local != NULL && g_error_matches (local, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
    {
      g_ptr_array_set_size (self->inputs, (int) run);
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  if (local != NULL && self->refusal == NULL)
    self->refusal = g_strdup (local->message);

  g_ptr_array_add (self->outputs, outputs);
  self->seconds = MAX (self->seconds, (double) (g_get_monotonic_time () - begin) / G_USEC_PER_SEC);

  return TRUE;
}

/* What the model gives in double, computed once for each run in which somebody asks. */
static GPtrArray *
exact_outputs (AssayFixRuns *self, guint run, const AssayProgress *progress, GError **error)
{
  const AssayEvaluateOptions options = watched (self, TRUE);
  GPtrArray *outputs = g_hash_table_lookup (self->exact, GUINT_TO_POINTER (run));

  if (outputs != NULL)
    return outputs;
  if (self->wide == NULL)
    self->wide = assay_evaluator_new (self->graph, &options, error);
  outputs = self->wide != NULL ? run_on (self, self->wide, run, progress, error) : NULL;
  if (outputs != NULL)
    g_hash_table_insert (self->exact, GUINT_TO_POINTER (run), outputs);

  return outputs;
}

/* Measures how far the outputs of one run are apart; those that one side does not have are left
 * out. */
static gboolean
measure_outputs (GPtrArray *before, GPtrArray *after, AssayFixOffer *offer, gboolean *same,
                 GError **error)
{
  *same = TRUE;
  for (guint i = 0; i < MIN (before->len, after->len); i++)
    {
      AssayDatum *a = g_ptr_array_index (before, i);
      AssayDatum *b = g_ptr_array_index (after, i);
      g_autoptr (AssayTensor) left = NULL;
      g_autoptr (AssayTensor) right = NULL;
      AssayCompareStats stats;

      if (a == NULL || b == NULL || a->kind != ASSAY_DATUM_TENSOR ||
          b->kind != ASSAY_DATUM_TENSOR || a->dtype == ASSAY_DTYPE_STRING)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "output %u is no tensor of numbers",
                       i);
          return FALSE;
        }
      if (a->dtype != b->dtype || a->n != b->n)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       "output %u has another type or size", i);
          return FALSE;
        }
      left = assay_datum_to_tensor (a, FALSE, error);
      right = left != NULL ? assay_datum_to_tensor (b, FALSE, error) : NULL;
      if (right == NULL ||
          !assay_compare_tensors (left, right, ASSAY_COMPARE_FP32, NULL, &stats, error))
        return FALSE;

      *same &= assay_compare_is_exact (&stats);
      if (stats.grid > 0)
        {
          offer->max_integer = MAX (offer->max_integer, stats.max_abs);
          continue;
        }
      offer->max_ulp = MAX (offer->max_ulp, stats.max_ulp_f32);
      offer->max_abs = MAX (offer->max_abs, stats.max_abs);
      if (stats.n_wrong == 0)
        offer->max_error = MAX (offer->max_error, stats.error);
    }

  return TRUE;
}

/* The worst that is to be said of an output. */
static AssayFixRounding
judge_outputs (GPtrArray *const *before, GPtrArray *const *after, gboolean numbers_only)
{
  AssayFixRounding worst = ASSAY_FIX_ROUNDING_ONLY;

  for (guint i = 0; i < MIN (before[0]->len, after[0]->len); i++)
    {
      const AssayFixOutput output = {
        .before = g_ptr_array_index (before[0], i),
        .after = g_ptr_array_index (after[0], i),
        .exact_before = g_ptr_array_index (before[1], i),
        .exact_after = g_ptr_array_index (after[1], i),
      };

      worst = MAX (worst, assay_fix_judge_rounding (&output, numbers_only));
    }

  return worst;
}

/* The fixed model, in its own types and in double. */
typedef struct
{
  AssayEvaluator *narrow;
  AssayEvaluator *wide;
} Fixed;

static void
fixed_clear (Fixed *self)
{
  g_clear_pointer (&self->narrow, assay_evaluator_free);
  g_clear_pointer (&self->wide, assay_evaluator_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fixed, fixed_clear)

static void
take_distances (AssayFixOffer *offer, const AssayFixOffer *of_run)
{
  offer->max_ulp = MAX (offer->max_ulp, of_run->max_ulp);
  offer->max_abs = MAX (offer->max_abs, of_run->max_abs);
  offer->max_error = MAX (offer->max_error, of_run->max_error);
}

/* Runs the fixed model once and holds it against the model, in double too where they differ. A run
 * that says nothing leaves @offer as it is. */
static gboolean
compare_run (AssayFixRuns *self, Fixed *fixed, guint run, AssayFixOffer *offer,
             const AssayProgress *progress, GError **error)
{
  const AssayEvaluateOptions options = watched (self, TRUE);
  GPtrArray *before[] = { g_ptr_array_index (self->outputs, run), NULL };
  g_autoptr (GPtrArray) narrow = run_on (self, fixed->narrow, run, progress, error);
  g_autoptr (GPtrArray) wide = NULL;
  AssayFixOffer of_run = { 0 };
  AssayFixRounding rounding;
  gboolean same;

  if (narrow == NULL || !measure_outputs (before[0], narrow, &of_run, &same, error))
    return FALSE;
  if (same || offer->sameness == ASSAY_FIX_DIFFERENT)
    {
      take_distances (offer, &of_run);
      offer->n_runs++;
      return TRUE;
    }

  before[1] = exact_outputs (self, run, progress, error);
  if (before[1] != NULL && fixed->wide == NULL)
    fixed->wide = assay_evaluator_new (assay_evaluator_get_graph (fixed->narrow), &options, error);
  wide = fixed->wide != NULL && before[1] != NULL ? run_on (self, fixed->wide, run, progress, error)
                                                  : NULL;
  if (wide == NULL)
    return FALSE;
  rounding = judge_outputs (before, (GPtrArray *[]){ narrow, wide }, FALSE);
  if (rounding == ASSAY_FIX_ROUNDING_HIDDEN)
    return TRUE;

  take_distances (offer, &of_run);
  offer->n_runs++;
  if (rounding == ASSAY_FIX_ROUNDING_ONLY)
    offer->sameness = ASSAY_FIX_ROUNDED;
  else if (judge_outputs (before, (GPtrArray *[]){ narrow, wide }, TRUE) == ASSAY_FIX_ROUNDING_ONLY)
    offer->spreads = TRUE;
  else
    offer->sameness = ASSAY_FIX_DIFFERENT;

  return TRUE;
}

static void
not_run (AssayFixOffer *offer, const char *reason)
{
  offer->sameness = ASSAY_FIX_NOT_RUN;
  offer->n_runs = 0;
  g_free (offer->sameness_reason);
  offer->sameness_reason = g_strdup (reason);
}

static gboolean
holds_input (const AssayFix *fix)
{
  return fix != NULL && g_str_equal (fix->rewrite, "hold-input");
}

/* An input that the fix holds at a number is given that number before, too. */
static AssayFixRuns *
hold_inputs (AssayFixRuns *self, const AssayFixOffer *offer)
{
  g_autoptr (AssayFixRuns) holding = NULL;
  const GArray *inputs = assay_graph_region (self->graph, ASSAY_MAIN_REGION)->inputs;
  const AssayFix *fix = offer->fix;

  for (guint i = 0; offer->first != NULL && i < offer->first->len && !holds_input (fix); i++)
    fix = g_ptr_array_index (offer->first, i);
  if (!holds_input (fix))
    return NULL;

  holding = assay_fix_runs_new (self->graph, &self->options);
  holding->open_size = self->open_size;
  for (guint i = 0; i < inputs->len; i++)
    {
      const AssayValue *input = input_value (self->graph, i);
      const char *number = assay_fix_get_argument (fix, input->name);
      AssayDatum *datum = number != NULL ? assay_fix_draw (input->type, 1, 0, 0) : NULL;

      if (datum == NULL)
        continue;
      assay_datum_set_number (datum, 0, g_ascii_strtod (number, NULL));
      assay_datum_round (datum);
      g_hash_table_replace (holding->held, g_strdup (input->name), datum);
    }

  return g_steal_pointer (&holding);
}

/**
 * assay_fix_runs_compare:
 * @self: the runs of the model before
 * @graph: the model after
 * @offer: gets sameness, number of runs, distances, or the reason why it was not run; its fix, if
 * it has one, says which inputs are held
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Compares all outputs of two models in fp32 for the same random inputs.
 *
 * Returns: %FALSE only if cancelled
 */
gboolean
assay_fix_runs_compare (AssayFixRuns *self, AssayGraph *graph, AssayFixOffer *offer,
                        const AssayProgress *progress, GError **error)
{
  const AssayEvaluateOptions options = watched (self, FALSE);
  g_auto (Fixed) fixed = { 0 };
  g_autoptr (GError) local = NULL;
  double *total = self->options.spent != NULL ? self->options.spent : &self->spent;
  gint64 begin;

  if (g_hash_table_size (self->held) == 0)
    {
      g_autoptr (AssayFixRuns) holding = hold_inputs (self, offer);

      if (holding != NULL)
        return assay_fix_runs_compare (holding, graph, offer, progress, error);
    }
  if (!prepare (self))
    {
      not_run (offer, self->reason);
      return TRUE;
    }

  if (self->options.total_seconds > 0 && *total > self->options.total_seconds)
    {
      g_autofree char *reason = g_strdup_printf ("comparing has taken %g s already",
                                                 self->options.total_seconds);

      not_run (offer, reason);
      return TRUE;
    }

  begin = g_get_monotonic_time ();
  offer->sameness = ASSAY_FIX_IDENTICAL;
  fixed.narrow = assay_evaluator_new (graph, &options, &local);
  for (guint run = 0; local == NULL && run < self->options.n_runs; run++)
    {
      double spent = (double) (g_get_monotonic_time () - begin) / G_USEC_PER_SEC;

      if (run > 0 && spent + 2 * self->seconds > self->options.seconds)
        break;
      if (!reference (self, run, progress, &local))
        break;
      if (g_ptr_array_index (self->outputs, run) == NULL)
        continue;
      if (!compare_run (self, &fixed, run, offer, progress, &local))
        break;
    }
  *total += (double) (g_get_monotonic_time () - begin) / G_USEC_PER_SEC;
  offer->spreads &= offer->sameness != ASSAY_FIX_DIFFERENT;
  if (offer->spreads)
    offer->sameness = ASSAY_FIX_DIFFERENT;

  if (g_error_matches (local, ASSAY_ERROR, ASSAY_ERROR_CANCELLED))
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  if (local != NULL || offer->n_runs == 0)
    not_run (offer, local != NULL           ? local->message
                    : self->refusal != NULL ? self->refusal
                                            : HIDDEN);

  return TRUE;
}
