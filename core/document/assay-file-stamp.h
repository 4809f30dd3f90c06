/* assay-file-stamp.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"

G_BEGIN_DECLS

/**
 * AssayFileStamp:
 * @location: (nullable): where it is, relative to the folder of a model
 * @digest: (nullable): SHA-256 of its contents in hexadecimal digits
 * @n_bytes: its size, or -1
 * @modified: when it was written, in microseconds since 1970, or -1
 *
 * What a file was like, so that another one is known.
 */
typedef struct
{
  char *location;
  char *digest;
  gint64 n_bytes;
  gint64 modified;
} AssayFileStamp;

#define ASSAY_FILE_STAMP_INIT                                                                      \
  {                                                                                                \
    NULL, NULL, -1, -1                                                                             \
  }

/* Larger files whose size and time are as before count as the same: reading them takes more than
 * three seconds. */
#define ASSAY_FILE_STAMP_ALWAYS ((gint64) 1 << 30)

AssayFileStamp *assay_file_stamp_new (const char *location) G_GNUC_WARN_UNUSED_RESULT;
void assay_file_stamp_free (AssayFileStamp *self);
void assay_file_stamp_clear (AssayFileStamp *self);
void assay_file_stamp_set (AssayFileStamp *self, const AssayFileStamp *other);
gboolean assay_file_stamp_take (AssayFileStamp *self, const char *path,
                                const AssayProgress *progress, GError **error);
gboolean assay_file_stamp_match (const AssayFileStamp *self, const char *path,
                                 const AssayProgress *progress, gboolean *same, GError **error);

G_END_DECLS
