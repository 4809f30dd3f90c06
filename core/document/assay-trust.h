/* assay-trust.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"

G_BEGIN_DECLS

char *assay_trust_dup_key (const char *path, gconstpointer contents,
                           gsize length) G_GNUC_WARN_UNUSED_RESULT;
char *assay_trust_dup_file_key (const char *path, const AssayProgress *progress,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_trust_has (const char *key);
gboolean assay_trust_add (const char *key, const char *path, GError **error);

G_END_DECLS
