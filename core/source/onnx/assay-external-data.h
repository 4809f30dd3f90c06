/* assay-external-data.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

GBytes *assay_external_data_map (const char *folder, const char *location,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *assay_external_data_resolve (const char *folder, const char *location,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
char **assay_external_data_list (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
