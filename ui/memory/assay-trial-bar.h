/* assay-trial-bar.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

/**
 * AssayTrialBar:
 *
 * What is being tried to make the program fit, what it was like before and is now, and Keep or
 * Undo.
 */
#define ASSAY_TYPE_TRIAL_BAR (assay_trial_bar_get_type ())

G_DECLARE_FINAL_TYPE (AssayTrialBar, assay_trial_bar, ASSAY, TRIAL_BAR, GtkWidget)

void assay_trial_bar_set_session (AssayTrialBar *self, AssaySession *session);

G_END_DECLS
