/* assay-child.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"
#include "process/assay-confine.h"

G_BEGIN_DECLS

/**
 * AssayChild:
 *
 * A child process with pipes to its standard input and output. Everything that waits for it ends at
 * a deadline and when the user cancels; the child and what it has started are killed with it. What
 * it says on standard error is kept, the end of it if it is much.
 */
typedef struct _AssayChild AssayChild;

AssayChild *assay_child_new (const char *const *argv, GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayChild *assay_child_new_confined (const char *const *argv, const AssayConfinement *confinement,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayChild *assay_child_new_with_fd (const char *const *argv, int fd,
                                     GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_child_free (AssayChild *self);
gboolean assay_child_write (AssayChild *self, gconstpointer data, gsize n,
                            const AssayProgress *progress, GError **error);
gboolean assay_child_read (AssayChild *self, gpointer data, gsize n, gsize *n_read,
                           const AssayProgress *progress, GError **error);
char *assay_child_read_line (AssayChild *self, gsize longest, const AssayProgress *progress,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_child_is_one (void);
gboolean assay_child_is_running (AssayChild *self);
gboolean assay_child_end (AssayChild *self, int *wait_status);
void assay_child_set_deadline (AssayChild *self, gint64 seconds);
gboolean assay_child_was_late (const AssayChild *self);
char *assay_child_dup_stderr (AssayChild *self) G_GNUC_WARN_UNUSED_RESULT;
char *assay_child_dup_ending (AssayChild *self) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayChild, assay_child_free)

G_END_DECLS
