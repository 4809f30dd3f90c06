/* assay-crew.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"
#include "backend/stream/machine/assay-tasks.h"

G_BEGIN_DECLS

/**
 * AssayCrew:
 *
 * Threads that run lists of tasks side by side, each waiting for the others where its list says so,
 * or doing their work. Used by one thread at a time.
 */
typedef struct _AssayCrew AssayCrew;

/**
 * AssayTaskFunc:
 * @data: the data given with the function
 * @thread: which of the threads of the crew does it
 * @task: a task, and those behind it that are joined to it
 *
 * Runs what is one piece of work.
 */
typedef void (*AssayTaskFunc) (gpointer data, guint thread, const AssayTask *task);

AssayCrew *assay_crew_new (guint n_threads) G_GNUC_WARN_UNUSED_RESULT;
void assay_crew_free (AssayCrew *self);
guint assay_crew_get_n_threads (AssayCrew *self);
gboolean assay_crew_run (AssayCrew *self, const AssayTasks *tasks, AssayTaskFunc func,
                         gpointer data, const AssayProgress *progress, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayCrew, assay_crew_free)

G_END_DECLS
