/* assay-pass-activity.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "session/activity/assay-activity.h"
#include "source/torch/pass/assay-torch-steps.h"

G_BEGIN_DECLS

/**
 * AssayPassActivity:
 *
 * The program of the file behind each of its passes, where its source has passes. It is made when
 * somebody wants to see it, and stays until another model is opened.
 */
#define ASSAY_TYPE_PASS_ACTIVITY (assay_pass_activity_get_type ())

G_DECLARE_FINAL_TYPE (AssayPassActivity, assay_pass_activity, ASSAY, PASS_ACTIVITY, AssayActivity)

gboolean assay_pass_activity_can_start (AssayPassActivity *self);
void assay_pass_activity_start (AssayPassActivity *self);
const AssayTorchSteps *assay_pass_activity_get_steps (AssayPassActivity *self);

G_END_DECLS
