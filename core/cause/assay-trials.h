/* assay-trials.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "cause/assay-subgraph.h"
#include "run/assay-comparison.h"

G_BEGIN_DECLS

/**
 * AssayTrials:
 * @subgraph: what is run again and again
 * @wanted: what the run that is to be explained has there
 * @wanted_is_a: whether that run is the reference, whose elements errors are measured by
 * @plain: what the subgraph has as it is
 * @before: how far the two are apart
 * @goal: an error that is small enough to name a cause, in units of @before
 * @budget: multiplications that may still be spent
 * @n: trials so far
 * @rank: of the hypothesis that is tried: the plainer comes first
 * @found: (element-type AssayDivergenceCause): what removes the difference
 * @progress: (nullable): progress and cancel
 *
 * One tensor that differs, and the search for what makes it as it is.
 */
typedef struct
{
  AssaySubgraph *subgraph;
  AssayDatum *wanted;
  gboolean wanted_is_a;
  AssayDatum *plain;
  AssayCompareStats before;
  double goal;
  guint64 budget;
  guint n;
  guint rank;
  GPtrArray *found;
  const AssayProgress *progress;
} AssayTrials;

/**
 * AssayHypothesisFunc:
 * @self: the trials
 * @node: a node of the subgraph
 *
 * Tries everything that a kind of fault may have done to a node.
 */
typedef void (*AssayHypothesisFunc) (AssayTrials *self, AssayNodeId node);

gboolean assay_trials_score (AssayTrials *self, const AssayDatum *result, AssayCompareStats *stats);
gboolean assay_trials_judge (AssayTrials *self, AssayDatum *result, AssayNodeId node,
                             const char *kind, const char *format, ...) G_GNUC_PRINTF (5, 6);
AssayDatum *assay_trials_run (AssayTrials *self, AssayGraph *changed, AssaySubgraphFunc func,
                              gpointer user_data) G_GNUC_WARN_UNUSED_RESULT;
char *assay_trials_dup_apart (double value, double other) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_trials_can_go_on (const AssayTrials *self, guint64 n_runs);
AssayDatum *assay_trials_input (const AssayTrials *self, AssayValueId value, guint *index);

/* Hypotheses, each in the file of its kind. */
void assay_hypothesis_attributes (AssayTrials *self, AssayNodeId node);
void assay_hypothesis_operation (AssayTrials *self, AssayNodeId node);
void assay_hypothesis_operands (AssayTrials *self, AssayNodeId node);
void assay_hypothesis_function (AssayTrials *self, AssayNodeId node);
void assay_hypothesis_maximum (AssayTrials *self, AssayNodeId node);
void assay_hypothesis_norm (AssayTrials *self, AssayNodeId node);
void assay_hypothesis_state (AssayTrials *self, AssayNodeId node);
void assay_hypothesis_gates (AssayTrials *self, AssayNodeId node);
void assay_hypothesis_layout (AssayTrials *self, AssayNodeId node);
void assay_hypothesis_weight (AssayTrials *self, AssayNodeId node);
void assay_hypothesis_scale (AssayTrials *self, AssayNodeId node);
void assay_hypothesis_rounding (AssayTrials *self, AssayNodeId node);
void assay_hypothesis_order (AssayTrials *self, AssayNodeId node);
void assay_hypothesis_ties (AssayTrials *self, AssayNodeId node);
void assay_hypothesis_dynamic (AssayTrials *self, AssayNodeId node);
void assay_hypothesis_saturation (AssayTrials *self, AssayNodeId node);

G_END_DECLS
