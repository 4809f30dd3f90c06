/* assay-file-watch.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * AssayFileWatch:
 *
 * Watches one file that was read. What counts is its size, time and identity: a file that is
 * written again without a change of these, or replaced and put back, was not changed.
 */
typedef struct _AssayFileWatch AssayFileWatch;

/**
 * AssayFileWatchFunc:
 * @gone: whether the file is not there any more
 * @data: what was given with the function
 *
 * Called in the main context of the watch when the file is another than the one that was read.
 */
typedef void (*AssayFileWatchFunc) (gboolean gone, gpointer data);

AssayFileWatch *assay_file_watch_new (const char *path, AssayFileWatchFunc func,
                                      gpointer data) G_GNUC_WARN_UNUSED_RESULT;
void assay_file_watch_free (AssayFileWatch *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayFileWatch, assay_file_watch_free)

G_END_DECLS
