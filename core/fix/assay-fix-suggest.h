/* assay-fix-suggest.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-cycles.h"
#include "fix/assay-fix.h"

G_BEGIN_DECLS

/* At most this many are offered for one cause. */
#define ASSAY_FIX_MAX_OFFERS 5
/* The budget of a request unless the user asks for more: nodes of the graphs that its attempts
 * make, and seconds for all comparisons of outputs. A number of nodes, unlike a clock, gives the
 * same offers everywhere. */
#define ASSAY_FIX_WORK 600000
#define ASSAY_FIX_SECONDS 5

/**
 * AssayFixSameness:
 * @ASSAY_FIX_NOT_RUN: the outputs were not compared; a reason says why
 * @ASSAY_FIX_IDENTICAL: every bit of every output was the same in all runs
 * @ASSAY_FIX_ROUNDED: outputs differed by no more than rounding, as much as the offer says
 * @ASSAY_FIX_DIFFERENT: some outputs differed by more than rounding
 * @ASSAY_FIX_DECISION: the model is another one: an input is gone or not asked any more, and the
 * outputs are those of one value of it
 * @ASSAY_FIX_NO_CHANGE: the nodes are the same, so there is nothing to compare
 *
 * How the outputs of a fixed model compare with those before, both with the same random inputs:
 * usual, large, tiny, masked, equal ones and zeros.
 */
typedef enum
{
  ASSAY_FIX_NOT_RUN,
  ASSAY_FIX_IDENTICAL,
  ASSAY_FIX_ROUNDED,
  ASSAY_FIX_DIFFERENT,
  ASSAY_FIX_DECISION,
  ASSAY_FIX_NO_CHANGE,
} AssayFixSameness;

/**
 * AssayFixOffer:
 * @first: (nullable) (element-type AssayFix): what has to be applied before @fix, in order; %NULL
 * if @fix does it alone
 * @fix: the record to apply
 * @title: what it does, in words
 * @before: nodes of the compiler's graph per verdict, before
 * @after: the same, after
 * @added: (array zero-terminated=1): names of nodes that are only there afterwards
 * @removed: (array zero-terminated=1): names of nodes that are only there before
 * @changed: (array zero-terminated=1): names of nodes that have another operation, other inputs or
 * attributes
 * @sameness: how the outputs compare
 * @dropped: (nullable): which input it drops, and so why it is a decision
 * @spreads: whether outputs that differ do so only where the fixed model has no number, as zero
 * times infinity is none
 * @rounds: whether it computes the same only up to rounding, so that outputs that are identical for
 * these inputs may differ for others
 * @n_runs: random inputs that were run
 * @max_ulp: largest distance of two outputs, in fp32 numbers
 * @max_integer: largest difference of two integers, which count in no other
 * @max_error: largest difference in units in the last place of the element or of the size of its
 * tensor, whichever is larger; what is near zero is judged by its tensor
 * @max_abs: largest difference of two outputs
 * @sameness_reason: (nullable): why the outputs were not compared
 * @cycles_before: cycles of one inference before, or -1
 * @cycles_after: cycles of one inference after, or -1
 * @range_before: between which counts those before lie; 0 where that is not known
 * @range_after: the same after
 * @cycles_reason: (nullable): why there are no cycles
 *
 * A fix that has been tried and helps.
 */
typedef struct
{
  GPtrArray *first;
  AssayFix *fix;
  char *title;
  guint before[ASSAY_N_VERDICTS];
  guint after[ASSAY_N_VERDICTS];
  char **added;
  char **removed;
  char **changed;
  AssayFixSameness sameness;
  char *dropped;
  gboolean rounds;
  gboolean spreads;
  guint n_runs;
  guint64 max_ulp;
  double max_integer;
  double max_error;
  double max_abs;
  char *sameness_reason;
  gint64 cycles_before;
  gint64 cycles_after;
  AssayCycleRange range_before;
  AssayCycleRange range_after;
  char *cycles_reason;
} AssayFixOffer;

/**
 * AssayFixAttempt:
 * @fix: the record that was tried
 * @title: what it does, in words
 * @outcome: why it is not offered
 *
 * A fix that has been tried and is not offered.
 */
typedef struct
{
  AssayFix *fix;
  char *title;
  char *outcome;
} AssayFixAttempt;

/**
 * AssayFixSuggestions:
 * @offers: (element-type AssayFixOffer): what helps, best first, at most %ASSAY_FIX_MAX_OFFERS
 * @cuts: (element-type AssayFixOffer): ways of cutting the model at these nodes, which repair
 * nothing and are left to the user: keep what comes before, keep what follows
 * @tried: (element-type AssayFixAttempt): what was tried and is not offered
 * @n_more: how many fixes of nodes beside these and pairs of fixes were tried, which is done where
 * none helps here
 * @work: nodes of the graphs that were made
 * @n_left: how many fixes were proposed and not tried, as the work was done that was allowed
 *
 * What can be done about a cause or a node.
 */
typedef struct
{
  GPtrArray *offers;
  GPtrArray *cuts;
  GPtrArray *tried;
  guint n_more;
  guint n_left;
  gsize work;
} AssayFixSuggestions;

/**
 * AssayFixOptions:
 * @n_runs: random inputs to compare with, 0 for none
 * @seed: of the random inputs
 * @seconds: what the comparison of one fix may take; fewer inputs are run if it would take longer
 * @no_cycles: whether to leave the cycles out
 * @first_only: whether only the best offer that leaves the model the same is wanted: what cannot
 * become it is not measured
 * @work: most nodes of the graphs that the attempts of one search make, 0 for no limit
 * @total_seconds: what the comparisons of all fixes may take, 0 for no limit
 * @spent: (nullable) (inout): seconds that comparisons have taken so far, for several searches with
 * one budget
 *
 * How fixes are tried.
 */
typedef struct
{
  guint n_runs;
  guint64 seed;
  double seconds;
  gboolean no_cycles;
  gboolean first_only;
  gsize work;
  double total_seconds;
  double *spent;
} AssayFixOptions;

#define ASSAY_FIX_OPTIONS_DEFAULT                                                                  \
  {                                                                                                \
    16, 0, 2.0, FALSE, FALSE, ASSAY_FIX_WORK, ASSAY_FIX_SECONDS, NULL                              \
  }

void assay_fix_options_share (AssayFixOptions *self, guint n);
void assay_fix_options_lift (AssayFixOptions *self);
AssayFixSuggestions *assay_fix_suggest (AssayWork *model, const char *const *nodes,
                                        const AssayFixOptions *options,
                                        const AssayProgress *progress,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayFixSuggestions *assay_fix_suggest_for_cause (AssayWork *model, guint cause,
                                                  const AssayFixOptions *options,
                                                  const AssayProgress *progress,
                                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayFixOffer *assay_fix_try (AssayWork *model, GPtrArray *fixes, const AssayFixOptions *options,
                              const AssayProgress *progress,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_fix_suggestions_free (AssayFixSuggestions *self);
void assay_fix_offer_free (AssayFixOffer *self);
gboolean assay_fix_offer_is_same (const AssayFixOffer *self);
char *assay_fix_offer_describe (const AssayFixOffer *self) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *assay_fix_offer_list_fixes (const AssayFixOffer *self,
                                       const char *node) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayFixSuggestions, assay_fix_suggestions_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayFixOffer, assay_fix_offer_free)

G_END_DECLS
