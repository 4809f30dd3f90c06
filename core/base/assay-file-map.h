/* assay-file-map.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AssayFileMap:
 *
 * A file that is mapped for reading, as others see it who only have a pointer into it.
 */
typedef struct _AssayFileMap AssayFileMap;

GBytes *assay_file_map_new (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
GBytes *assay_file_map_new_from_fd (int fd, const char *path,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;
const AssayFileMap *assay_file_map_find (gconstpointer data);
gboolean assay_file_map_is_whole (const AssayFileMap *self);
gboolean assay_file_map_check (const AssayFileMap *self, GError **error);
gboolean assay_file_map_check_bytes (GBytes *bytes, GError **error);
gboolean assay_file_map_check_all (GError **error);

G_END_DECLS
