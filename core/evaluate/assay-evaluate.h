/* assay-evaluate.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"
#include "evaluate/assay-datum.h"
#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/**
 * AssayEvaluator:
 *
 * Runs a graph of NNIR directly, node by node: the built-in reference. It keeps what can be
 * prepared once (constants, packed weights, when which value is read last), so that a second run is
 * faster than the first.
 */
typedef struct _AssayEvaluator AssayEvaluator;

/**
 * AssayEvaluateObserver:
 * @self: the evaluator
 * @node: the node that has just run
 * @output: which of its outputs
 * @datum: (inout): the value; the observer may put another one of the same type and shape in its
 * place, taking over the reference to the old one and giving one to the new one
 * @user_data: the data given with the function
 * @error: return location for a #GError
 *
 * Shown every value that a node makes, nested graphs and their iterations included, in the thread
 * of the run.
 *
 * Returns: whether to go on
 */
typedef gboolean (*AssayEvaluateObserver) (AssayEvaluator *self, AssayNodeId node, guint output,
                                           AssayDatum **datum, gpointer user_data, GError **error);

/**
 * AssayEvaluateOptions:
 * @wide: whether floating point types of all widths are carried and computed in double, and rounded
 * by casts to narrow types only; otherwise in fp32, every result rounded to its type
 * @n_threads: threads to compute in, 0 for one per processor; results do not depend on it
 * @seed: seed of the random operators that have none of their own
 * @observer: (nullable): shown every value
 * @observer_data: for @observer
 * @seconds: what a run may take that nobody has asked for, 0 for any time
 * @max_bytes: by how much the process may grow in such a run, 0 for any size
 * @max_turns: turns of a loop that the model does not count, 0 for %ASSAY_EVALUATE_MAX_TURNS: only
 * its condition ends it, which may never come
 *
 * How a graph is run.
 */
typedef struct
{
  gboolean wide;
  guint n_threads;
  guint64 seed;
  AssayEvaluateObserver observer;
  gpointer observer_data;
  double seconds;
  gsize max_bytes;
  gint64 max_turns;
} AssayEvaluateOptions;

/* Takes seconds for a body of a few nodes. */
#define ASSAY_EVALUATE_MAX_TURNS 1000000

#define ASSAY_EVALUATE_OPTIONS_DEFAULT                                                             \
  {                                                                                                \
    FALSE, 0, 0, NULL, NULL, 0.0, 0, 0                                                             \
  }

AssayEvaluator *assay_evaluator_new (AssayGraph *graph, const AssayEvaluateOptions *options,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_evaluator_free (AssayEvaluator *self);
AssayGraph *assay_evaluator_get_graph (AssayEvaluator *self);
gsize assay_evaluator_get_peak (AssayEvaluator *self);
GPtrArray *assay_evaluator_run (AssayEvaluator *self, guint n_inputs, AssayDatum *const *inputs,
                                const AssayProgress *progress,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_evaluator_lend (AssayEvaluator *self, AssayValueId value, AssayDatum *datum);
GPtrArray *assay_evaluator_run_node (AssayEvaluator *self, AssayNodeId node, guint n_inputs,
                                     AssayDatum *const *inputs, const AssayProgress *progress,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *assay_evaluate_graph (AssayGraph *graph, const AssayEvaluateOptions *options,
                                 guint n_inputs, const char *const *names,
                                 AssayTensor *const *tensors, const AssayProgress *progress,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
const char *assay_evaluator_left_out (AssayOp op);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayEvaluator, assay_evaluator_free)

G_END_DECLS
