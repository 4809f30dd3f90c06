/* assay-comparison.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "quantize/assay-quantize-loss.h"
#include "evaluate/compare/assay-tolerance.h"
#include "run/assay-divergence-cause.h"
#include "run/assay-runner.h"

G_BEGIN_DECLS

/**
 * AssayComparisonVerdict:
 * @ASSAY_COMPARISON_EXACT: equal to the bit
 * @ASSAY_COMPARISON_WITHIN: within the tolerance
 * @ASSAY_COMPARISON_OUTSIDE: outside of it
 * @ASSAY_COMPARISON_UNKNOWN: could not be compared
 *
 * How two runs agree.
 */
typedef enum
{
  ASSAY_COMPARISON_EXACT,
  ASSAY_COMPARISON_WITHIN,
  ASSAY_COMPARISON_OUTSIDE,
  ASSAY_COMPARISON_UNKNOWN,
} AssayComparisonVerdict;

/* The rule of what none explains. */
#define ASSAY_COMPARISON_UNEXPLAINED "unexplained"

/**
 * AssayComparisonReason:
 * @rule: a rule of the device that B runs on; the list owns it
 * @n: elements that differ by it, where both work on the inputs of the reference
 *
 * Why elements of a tensor differ.
 */
typedef struct
{
  char *rule;
  gsize n;
} AssayComparisonReason;

/* Spans that timesteps are gathered in, so that long sequences take no more memory. */
#define ASSAY_COMPARISON_MAX_SPANS 32

/**
 * AssayComparisonRow:
 * @value: id in the canonical graph, or %ASSAY_NO_VALUE for an output that no graph explains
 * @whole: of a part of an output that is no tensor: the id of the output, else %ASSAY_NO_VALUE
 * @node: the node that makes it, or 0
 * @name: of the value
 * @node_name: of the node
 * @has_siblings: whether other rows of the comparison are of the same node
 * @op_type: of the node
 * @rank: number of dimensions
 * @dims: (array length=rank): the extents, all timesteps included
 * @is_output: whether it is an output of the model
 * @precision: in whose units in the last place its errors are: that of the comparison, or a coarser
 * one that its elements or the weights behind it have
 * @step: the unit of a value in 8 bits, else 0
 * @total: how the runs differ, everything that came in included
 * @has_own: whether @own is known
 * @own: how they differ where both work on the inputs of the reference
 * @inherited: the largest scaled error of what the node reads
 * @limit: the largest scaled error that is within the tolerance
 * @is_specified: whether @limit follows from what the Vulkan specification allows a shader, and not
 * from the tolerance
 * @certified: what rounding can make of it at worst, whatever order sums have; infinite where there
 * is no bound
 * @expected: what rounding is expected to make of it, the largest of as many elements; never above
 * @certified
 * @worst_step: of a sequence: the timestep with the largest error, or -1
 * @n_spans: of a sequence: spans of timesteps of about equal length, at most
 * %ASSAY_COMPARISON_MAX_SPANS, else 0
 * @span_rms: (array length=n_spans): root mean square of the total differences in each
 * @verdict: of the own error where it is known, else of the total
 * @note: (nullable): why it could not be compared
 * @is_unobserved: whether @total is of a run in which nothing was observed, since observing changes
 * what its runner computes
 * @causes: (nullable) (element-type AssayDivergenceCause): what makes it so, the first explains
 * most; empty if nothing that was tried does, %NULL if nothing was tried
 * @n_trials: how many ways were tried
 * @reasons: (nullable) (element-type AssayComparisonReason): why elements of @own differ, of
 * machines that know
 * @cost: (nullable): what 8 bits cost, of a model that is quantised
 *
 * One tensor in two runs.
 */
typedef struct
{
  AssayValueId value;
  AssayValueId whole;
  AssayNodeId node;
  char *name;
  char *node_name;
  gboolean has_siblings;
  char *op_type;
  guint rank;
  gint64 *dims;
  gboolean is_output;
  AssayComparePrecision precision;
  double step;
  AssayCompareStats total;
  gboolean has_own;
  AssayCompareStats own;
  double inherited;
  double limit;
  gboolean is_specified;
  double certified;
  double expected;
  gint64 worst_step;
  guint n_spans;
  double *span_rms;
  AssayComparisonVerdict verdict;
  char *note;
  gboolean is_unobserved;
  GPtrArray *causes;
  guint n_trials;
  GArray *reasons;
  AssayQuantizeLoss *cost;

  /*< private >*/
  gboolean has_total;
  gboolean has_bound;
  double scale;     /* of what was added up */
  double condition; /* by how much the operation magnifies errors */
  guint order;
} AssayComparisonRow;

/**
 * AssayComparison:
 * @precision: what the two compute in: errors are in its units in the last place, unless a row has
 * another
 * @label_a: the reference
 * @label_b: what is compared with it
 * @own_inputs_of_b: whether own errors are measured on the inputs of B, because only A can be run
 * op by op
 * @n_steps: timesteps of a sequence, else 1
 * @peak_bytes: the most that lay between the runs at a time
 * @rows: (element-type AssayComparisonRow): in program order
 * @first_divergent: index of the first row whose own error is outside the tolerance, or -1
 * @worst: index of the row with the largest own error, or -1
 * @verdict: of the whole: outside if a row is
 * @has_costs: whether costs of 8 bits were measured
 * @output_db: then the SQNR of all outputs together, against float
 * @expected: (nullable): the test data whose outputs B was held against too, %NULL for none
 * @n_expected: outputs that it has
 * @n_expected_within: how many of them B keeps within the tolerance
 * @expected_error: the largest of their scaled errors
 * @expected_trouble: (nullable): why they could not be compared
 * @unobserved: (nullable): the label of a runner whose outputs are others when nothing is observed;
 * outputs are judged by its unobserved run
 * @unobserved_error: by how much they differ, in units
 * @fused: (nullable): names of the nodes that it computes in one, and otherwise than one by one
 * @inside: (nullable): names of the values between those nodes
 *
 * Two runs of one model on the same inputs, held against each other.
 */
typedef struct
{
  AssayComparePrecision precision;
  char *label_a;
  char *label_b;
  gboolean own_inputs_of_b;
  gint64 n_steps;
  gsize peak_bytes;
  GPtrArray *rows;
  int first_divergent;
  int worst;
  AssayComparisonVerdict verdict;
  gboolean has_costs;
  double output_db;
  char *expected;
  guint n_expected;
  guint n_expected_within;
  double expected_error;
  char *expected_trouble;
  char *unobserved;
  double unobserved_error;
  GStrv fused;
  GStrv inside;
} AssayComparison;

/**
 * AssayComparisonRowFunc:
 * @row: a row whose numbers are known; inherited error and verdict come later
 * @user_data: the data given with the function
 *
 * Told of rows as they come, from a thread of the comparison.
 */
typedef void (*AssayComparisonRowFunc) (const AssayComparisonRow *row, gpointer user_data);

/**
 * AssayComparisonSide:
 * @spec: a runner, as for assay_runner_open()
 * @subject: what it runs
 *
 * One of the two that are compared.
 */
typedef struct
{
  const char *spec;
  AssayRunSubject *subject;
} AssayComparisonSide;

/**
 * AssayComparisonOptions:
 * @tolerance: (nullable): the limits; %NULL for those that ship
 * @runner: how runners work
 * @outputs_only: whether only outputs are compared, and nothing between
 * @row_func: (nullable): told of rows as they come
 * @row_data: handed to it
 *
 * What is wanted of a comparison.
 */
typedef struct
{
  AssayTolerance *tolerance;
  AssayRunnerOptions runner;
  gboolean outputs_only;
  AssayComparisonRowFunc row_func;
  gpointer row_data;
} AssayComparisonOptions;

AssayComparison *assay_compare_runs (const AssayComparisonSide *a, const AssayComparisonSide *b,
                                     GPtrArray *inputs, const AssayComparisonOptions *options,
                                     const AssayProgress *progress,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayComparison *assay_comparison_new (void) G_GNUC_WARN_UNUSED_RESULT;
void assay_comparison_take_expected (AssayComparison *self, const char *folder,
                                     const AssayComparison *outputs, const GError *error);
AssayComparisonVerdict assay_comparison_get_expected_verdict (const AssayComparison *self);
void assay_comparison_free (AssayComparison *self);
GArray *assay_comparison_reasons_new (void) G_GNUC_WARN_UNUSED_RESULT;
void assay_comparison_reasons_add (GArray *reasons, const char *rule, gsize n);
double assay_comparison_row_error (const AssayComparisonRow *row);
gboolean assay_comparison_row_differs (const AssayComparisonRow *row);
const char *assay_comparison_verdict_name (AssayComparisonVerdict verdict);

static inline const AssayComparisonRow *
assay_comparison_row (const AssayComparison *self, guint index)
{
  return (const AssayComparisonRow *) g_ptr_array_index (self->rows, index);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayComparison, assay_comparison_free)

G_END_DECLS
