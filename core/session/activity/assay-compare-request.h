/* assay-compare-request.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "session/activity/assay-compare-activity.h"
#include "work/assay-work.h"

G_BEGIN_DECLS

#define ASSAY_COMPARE_N_SIDES 2

/**
 * AssayCompareRequest:
 * @model: a copy of the work of the session
 * @has_program: whether there is a program; without one the sides are runners that need none
 * @runners: the two sides, the reference first
 * @tolerance: (nullable): a file with tolerances, %NULL for those that ship
 * @axes: (element-type int): the time axes of the inputs
 * @inputs: what both sides run on
 *
 * What a session has to compare, for a worker: it belongs to that while it runs.
 */
typedef struct
{
  AssayWork *model;
  gboolean has_program;
  char *runners[ASSAY_COMPARE_N_SIDES];
  char *tolerance;
  GArray *axes;
  AssayInputChoice *inputs;
} AssayCompareRequest;

AssayCompareRequest *
assay_compare_request_new (AssayCompareActivity *comparing) G_GNUC_WARN_UNUSED_RESULT;
void assay_compare_request_free (AssayCompareRequest *self);
AssayRunSubject *assay_compare_request_prepare (AssayCompareRequest *self,
                                                const AssayProgress *progress,
                                                AssayComparisonSide *sides, GArray **ports,
                                                GPtrArray **tensors,
                                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
