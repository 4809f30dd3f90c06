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

/**
 * AssayJobWork:
 * @request: what is asked for, which belongs to the worker until it returns
 * @progress: where to report to, and whether to stop
 * @error: return location for a #GError
 *
 * Does the work of a job, in a thread; what comes out is left in @request.
 *
 * Returns: whether it succeeded
 */
typedef gboolean (*AssayJobWork) (gpointer request, const AssayProgress *progress, GError **error);

/**
 * AssayJobEnded:
 * @owner: who asked for it
 * @request: what was asked for, and what came out
 * @error: (nullable): why it failed
 *
 * Told in the main context that the work of a job has ended.
 */
typedef void (*AssayJobEnded) (gpointer owner, gpointer request, const GError *error);

AssayJob *assay_job_new (const char *title) G_GNUC_WARN_UNUSED_RESULT;
void assay_job_start (AssayJob *self, AssayJobWork work, gpointer request,
                      GDestroyNotify request_free, AssayJobEnded ended, gpointer owner);
void assay_job_start_aside (AssayJob *self, AssayJobWork work, gpointer request,
                            GDestroyNotify request_free, AssayJobEnded ended, gpointer owner);
void assay_job_run_task (AssayJob *self, GTask *task, AssayJobWork work);
void assay_job_abandon (AssayJob *self);
const char *assay_job_get_title (AssayJob *self);
const char *assay_job_get_message (AssayJob *self);
double assay_job_get_fraction (AssayJob *self);
void assay_job_cancel (AssayJob *self);
AssayProgress assay_job_get_progress (AssayJob *self);

AssayJob *assay_jobs_add (GListStore *jobs, const char *title) G_GNUC_WARN_UNUSED_RESULT;
void assay_jobs_drop (AssayJob **job);
void assay_jobs_cancel (AssayJob **job);
gboolean assay_jobs_await (guint seconds);

G_END_DECLS
