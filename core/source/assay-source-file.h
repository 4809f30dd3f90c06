/* assay-source-file.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

gboolean assay_source_check_foreign (const guint8 *data, gsize size, GError **error);

G_END_DECLS
