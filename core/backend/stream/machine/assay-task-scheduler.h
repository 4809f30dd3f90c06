/* assay-task-scheduler.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"
#include "backend/stream/machine/assay-tasks.h"

G_BEGIN_DECLS

/**
 * AssayTaskScheduler:
 *
 * Threads that run lists of tasks side by side, each waiting for the others where its list says so,
 * or doing their work. Used by one thread at a time.
 */
typedef struct _AssayTaskScheduler AssayTaskScheduler;

/**
 * AssayTaskFunc:
 * @data: the data given with the function
 * @thread: which of the threads of the scheduler does it
 * @task: a task, and those behind it that are joined to it
 *
 * Runs what is one piece of work.
 */
typedef void (*AssayTaskFunc) (gpointer data, guint thread, const AssayTask *task);

AssayTaskScheduler *assay_task_scheduler_new (guint n_threads) G_GNUC_WARN_UNUSED_RESULT;
void assay_task_scheduler_free (AssayTaskScheduler *self);
guint assay_task_scheduler_get_n_threads (AssayTaskScheduler *self);
gboolean assay_task_scheduler_run (AssayTaskScheduler *self, const AssayTasks *tasks,
                                   AssayTaskFunc func, gpointer data, const AssayProgress *progress,
                                   GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayTaskScheduler, assay_task_scheduler_free)

G_END_DECLS
