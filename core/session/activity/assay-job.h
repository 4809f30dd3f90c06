/* assay-job.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"

G_BEGIN_DECLS

/**
 * AssayJob:
 *
 * A piece of long work as views see it: title, message, fraction, and a way to cancel it. Workers
 * report from their thread; views are told in the main context, at most once per turn of it.
 */
#define ASSAY_TYPE_JOB (assay_job_get_type ())

G_DECLARE_FINAL_TYPE (AssayJob, assay_job, ASSAY, JOB, GObject)

AssayJob *assay_job_new (const char *title) G_GNUC_WARN_UNUSED_RESULT;
const char *assay_job_get_title (AssayJob *self);
const char *assay_job_get_message (AssayJob *self);
double assay_job_get_fraction (AssayJob *self);
void assay_job_cancel (AssayJob *self);
AssayProgress assay_job_get_progress (AssayJob *self);

G_END_DECLS
