/* assay-source-file.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

GBytes *assay_source_file_map (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_source_check_foreign (const guint8 *data, gsize size, GError **error);

G_END_DECLS
