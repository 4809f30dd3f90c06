/* assay-file-save.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

#include "base/assay-job.h"
#include "base/assay-tensor.h"
#include "run/assay-run-parts.h"

G_BEGIN_DECLS

/**
 * AssayFileSaveWrite:
 * @what: what is saved
 * @path: where to
 * @progress: told how far it is; can cancel
 * @error: return location for a #GError
 *
 * Writes a file, in a thread.
 *
 * Returns: whether it is written
 */
typedef gboolean (*AssayFileSaveWrite) (gpointer what, const char *path,
                                        const AssayProgress *progress, GError **error);

void assay_file_save (GtkWidget *owner, AssayJob *job, const char *path, const char *count,
                      AssayFileSaveWrite write, gpointer what, GDestroyNotify what_free);
void assay_file_save_values (GtkWidget *owner, AssayTensor *tensor, const char *path);
void assay_file_save_parts (GtkWidget *owner, AssayRunParts *parts, const char *path);
void assay_file_save_bytes (GtkWidget *owner, AssayJob *job, const char *path, const char *count,
                            GBytes *bytes);

G_END_DECLS
