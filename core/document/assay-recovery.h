/* assay-recovery.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "document/assay-session-file.h"

G_BEGIN_DECLS

/**
 * AssayRecovery:
 *
 * What is on disk of a session that was not saved, for the case that the program ends before it is:
 * one file, written a moment after each change, and gone once the session is saved or closed.
 */
typedef struct _AssayRecovery AssayRecovery;

/**
 * AssayRecoveryFunc:
 * @data: what was given with the function
 *
 * Tells what is worth keeping, in the main context.
 *
 * Returns: (transfer full) (nullable): the session, %NULL if nothing of it would be missed
 */
typedef AssaySessionFile *(*AssayRecoveryFunc) (gpointer data);

/**
 * AssayRecovered:
 * @path: the file that was left behind
 * @model: path of the model it is about
 * @time: when it was written last, in seconds since 1970
 * @n_fixes: number of fixes in it
 *
 * A session that ended without being saved or closed.
 */
typedef struct
{
  char *path;
  char *model;
  gint64 time;
  guint n_fixes;
} AssayRecovered;

AssayRecovery *assay_recovery_new (const char *folder, AssayRecoveryFunc capture,
                                   gpointer data) G_GNUC_WARN_UNUSED_RESULT;
void assay_recovery_stop (AssayRecovery *self);
void assay_recovery_free (AssayRecovery *self);
const char *assay_recovery_get_path (AssayRecovery *self);
void assay_recovery_queue (AssayRecovery *self);
gboolean assay_recovery_adopt (AssayRecovery *self, const char *path);
GPtrArray *assay_recovery_list (const char *folder) G_GNUC_WARN_UNUSED_RESULT;
void assay_recovery_discard (const char *path);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayRecovery, assay_recovery_free)

G_END_DECLS
