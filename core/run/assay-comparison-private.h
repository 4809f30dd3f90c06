/* assay-comparison-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "evaluate/compare/assay-error-bound.h"
#include "run/assay-certify.h"
#include "run/assay-comparison.h"
#include "run/assay-tensor-queue.h"

G_BEGIN_DECLS

/**
 * AssayComparing:
 *
 * A comparison while its runs go on.
 */
typedef struct
{
  AssayComparison *result;
  const AssayComparisonOptions *options;
  AssayProgress progress; /* cancel only, for the threads that do not report */
  GArray *ports;          /* AssayRunPort: what the inputs are for */
  GPtrArray *inputs;
  AssayGraph *graph;
  gboolean narrow_weights;
  AssayCertifySide sides[2];
  gboolean in_double;         /* one side: what only moves is rounded once on the other */
  AssayMagnitude *magnitudes; /* per value: of the leader, as far as it has been seen */
  AssayErrorBound *hidden;    /* per value that nobody sees: once known, its condition is not 0 */
  GHashTable *rows;           /* value -> row */
  GArray *values;             /* the values that both runs show */
  AssayTensorQueue *queue;
  gboolean leader_is_a;
  gboolean leader_streams;
  gboolean follower_streams;
  gboolean has_own; /* whether own errors will be known */
  GMutex lock;      /* guards what rows tell the user, magnitudes and bounds */
  guint n_told;
} AssayComparing;

AssayComparisonRow *assay_comparing_add_row (AssayComparing *self, AssayGraph *graph,
                                             AssayValueId value, guint order);
void assay_comparing_keep_shape (AssayComparisonRow *row, AssayTensor *tensor);
AssayComparePrecision assay_comparing_find_precision (AssayComparing *self, AssayValueId value,
                                                      const AssayComparePrecision *hidden);
double assay_comparing_find_step (const AssayGraph *graph, AssayValueId value);
GPtrArray *assay_comparing_run (AssayComparing *self, AssayRunner *runner,
                                const AssayRunObserver *observer,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean assay_comparing_hold_outputs (AssayComparing *self, AssayRunner *const runners[2],
                                       GPtrArray *const outputs[2],
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

gboolean assay_comparing_check_observed (AssayComparing *self, AssayRunner *const runners[2],
                                         GPtrArray *const outputs[2],
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
