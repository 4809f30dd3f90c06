/* assay-workers.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * AssayWorkers:
 *
 * Threads that share the items of a loop. Which ranges the items are cut into depends on the loop
 * alone, so a result does not depend on how many threads there are.
 */
typedef struct _AssayWorkers AssayWorkers;

/**
 * AssayWorkFunc:
 * @data: the data given with the function
 * @begin: first item
 * @end: item behind the last one
 *
 * Works on a range of items, in any thread.
 */
typedef void (*AssayWorkFunc) (gpointer data, gsize begin, gsize end);

AssayWorkers *assay_workers_new (guint n_threads) G_GNUC_WARN_UNUSED_RESULT;
void assay_workers_free (AssayWorkers *self);
guint assay_workers_get_n_threads (AssayWorkers *self);
void assay_workers_run (AssayWorkers *self, gsize n, gsize grain, AssayWorkFunc func, gpointer data,
                        GCancellable *cancellable);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayWorkers, assay_workers_free)

G_END_DECLS
