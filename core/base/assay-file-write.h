/* assay-file-write.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AssayFileWriter:
 *
 * A file that is being written, and is in its place whole or not at all.
 */
typedef struct _AssayFileWriter AssayFileWriter;

/**
 * AssayFileStaging:
 *
 * A folder beside a file, where files that belong together are until all of them are written.
 */
typedef struct _AssayFileStaging AssayFileStaging;

/**
 * AssayFileGroup:
 *
 * Files of one piece of work, which are in their places all or none.
 */
typedef struct _AssayFileGroup AssayFileGroup;

char *assay_file_follow_links (const char *path) G_GNUC_WARN_UNUSED_RESULT;

AssayFileStaging *assay_file_staging_new (const char *path,
                                          GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_file_staging_free (AssayFileStaging *self);

AssayFileWriter *assay_file_writer_new (const char *path, AssayFileStaging *staging,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_file_writer_free (AssayFileWriter *self);
const char *assay_file_writer_get_temporary (const AssayFileWriter *self);
gboolean assay_file_writer_write (AssayFileWriter *self, gconstpointer data, gsize n,
                                  GError **error);
gboolean assay_file_writer_skip_to (AssayFileWriter *self, gsize offset, GError **error);
gboolean assay_file_writer_finish (AssayFileWriter *self, GError **error);
gboolean assay_file_writer_commit (AssayFileWriter *const *writers, guint n_writers,
                                   GError **error);

gboolean assay_file_write (const char *path, gconstpointer data, gsize n, GError **error);

void assay_file_passing_enter (void);
void assay_file_passing_leave (void);

AssayFileGroup *assay_file_group_new (void) G_GNUC_WARN_UNUSED_RESULT;
void assay_file_group_free (AssayFileGroup *self);
void assay_file_group_enter (AssayFileGroup *self);
void assay_file_group_leave (AssayFileGroup *self);
gboolean assay_file_group_commit (AssayFileGroup *self, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayFileWriter, assay_file_writer_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayFileStaging, assay_file_staging_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayFileGroup, assay_file_group_free)

G_END_DECLS
