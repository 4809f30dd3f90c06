/* assay-trial.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib-object.h>

#include "backend/assay-allocation.h"

G_BEGIN_DECLS

/**
 * AssayTrial:
 *
 * A way out that is being tried: the session goes on with a copy of target and setup in which the
 * way is taken, until the user keeps it or undoes it. One at a time: what is tried on top of
 * another trial is undone together with it.
 */
#define ASSAY_TYPE_TRIAL (assay_trial_get_type ())

G_DECLARE_FINAL_TYPE (AssayTrial, assay_trial, ASSAY, TRIAL, GObject)

void assay_trial_start (AssayTrial *self, const AssayWayOut *way);
void assay_trial_keep (AssayTrial *self);
void assay_trial_undo (AssayTrial *self);
gboolean assay_trial_get_active (AssayTrial *self);
const char *assay_trial_get_action (AssayTrial *self);
const char *assay_trial_get_before (AssayTrial *self);

G_END_DECLS
