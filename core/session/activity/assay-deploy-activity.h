/* assay-deploy-activity.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gio/gio.h>

#include "run/assay-deploy.h"
#include "session/activity/assay-run.h"

G_BEGIN_DECLS

/* Inferences that a deployment measures, enough for a 99th percentile, and how long it measures at
 * most. */
#define ASSAY_ROLLOUT_RUNS 1000u
#define ASSAY_ROLLOUT_MILLISECONDS 1000u

/**
 * AssayDeployActivity:
 *
 * Putting the program of a session on a board and running it there, held against the machine bit by
 * bit.
 */
#define ASSAY_TYPE_DEPLOY_ACTIVITY (assay_deploy_activity_get_type ())

G_DECLARE_FINAL_TYPE (AssayDeployActivity, assay_deploy_activity, ASSAY, DEPLOY_ACTIVITY,
                      AssayActivity)

void assay_deploy_activity_start (AssayDeployActivity *self);
const char *assay_deploy_activity_get_board (AssayDeployActivity *self);
void assay_deploy_activity_set_board (AssayDeployActivity *self, const char *board);
const AssayDeployment *assay_deploy_activity_get_deployment (AssayDeployActivity *self);

G_END_DECLS
