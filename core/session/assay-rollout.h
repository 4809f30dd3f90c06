/* assay-rollout.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gio/gio.h>

#include "run/assay-deploy.h"
#include "session/assay-run.h"

G_BEGIN_DECLS

/* Inferences that a rollout measures: enough for a 99th percentile. */
#define ASSAY_ROLLOUT_RUNS 1000u

/**
 * AssayRollout:
 *
 * Putting the program of a session on a board and running it there, held against the machine bit by
 * bit.
 */
#define ASSAY_TYPE_ROLLOUT (assay_rollout_get_type ())

G_DECLARE_FINAL_TYPE (AssayRollout, assay_rollout, ASSAY, ROLLOUT, AssayActivity)

void assay_rollout_start (AssayRollout *self);
const char *assay_rollout_get_board (AssayRollout *self);
void assay_rollout_set_board (AssayRollout *self, const char *board);
const AssayDeployment *assay_rollout_get_deployment (AssayRollout *self);

G_END_DECLS
