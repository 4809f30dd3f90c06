/* assay-file-read.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What people write by hand, or programs for them: targets, policies, tolerances, sessions. */
#define ASSAY_FILE_READ_TEXT ((gsize) 64 << 20)

/* What is read whole because it is worked on as a whole: arrays, programs. */
#define ASSAY_FILE_READ_DATA ((gsize) 16 << 30)

int assay_file_open (const char *path, gsize *size, GError **error);
gboolean assay_file_read (const char *path, gsize most, char **contents, gsize *length,
                          GError **error);
gsize assay_file_peek (const char *path, gpointer begin, gsize n);

G_END_DECLS
