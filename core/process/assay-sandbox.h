/* assay-sandbox.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Flatpak puts it into every sandbox: its application and its permissions. */
#define ASSAY_SANDBOX_INFO "/.flatpak-info"

gboolean assay_sandbox_shares_file_alone (const char *path);
GStrv assay_sandbox_dup_host_command (const char *info, const char *const *command,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
