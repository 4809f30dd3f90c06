/* assay-run-times.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "run/assay-runner.h"

G_BEGIN_DECLS

/**
 * AssayRunLane:
 *
 * Where parts of an inference take place: on the host, between host and device, on the device.
 */
typedef enum
{
  ASSAY_RUN_LANE_HOST,
  ASSAY_RUN_LANE_COPIES,
  ASSAY_RUN_LANE_DEVICE,
  ASSAY_N_RUN_LANES
} AssayRunLane;

/**
 * AssayRunTimes:
 *
 * How long the parts of an inference took, as a runner measured them: what stays when the runner is
 * gone.
 */
typedef struct _AssayRunTimes AssayRunTimes;

AssayRunTimes *assay_run_times_new (const AssayRunner *runner) G_GNUC_WARN_UNUSED_RESULT;
AssayRunTimes *assay_run_times_ref (AssayRunTimes *self);
void assay_run_times_unref (AssayRunTimes *self);
const char *assay_run_times_get_label (const AssayRunTimes *self);
guint assay_run_times_get_n (const AssayRunTimes *self);
const AssayRunnerStep *assay_run_times_get (const AssayRunTimes *self, guint index);
gint64 assay_run_times_get_total (const AssayRunTimes *self);
gint64 assay_run_times_get_end (const AssayRunTimes *self);
gint64 assay_run_times_get_sum (const AssayRunTimes *self, AssayRunLane lane);
AssayRunLane assay_runner_step_get_lane (const AssayRunnerStep *step);
const char *assay_run_lane_get_title (AssayRunLane lane);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayRunTimes, assay_run_times_unref)

G_END_DECLS
