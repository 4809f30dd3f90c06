/* assay-job-bar.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

/**
 * AssayJobBar:
 *
 * What is running, from 300 ms on: sentence, progress, Cancel.
 */
#define ASSAY_TYPE_JOB_BAR (assay_job_bar_get_type ())

G_DECLARE_FINAL_TYPE (AssayJobBar, assay_job_bar, ASSAY, JOB_BAR, GtkWidget)

void assay_job_bar_set_session (AssayJobBar *self, AssaySession *session);

G_END_DECLS
