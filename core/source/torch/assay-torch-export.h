/* assay-torch-export.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"

G_BEGIN_DECLS

/* What a user puts before a file to say that Python may run the code in it. */
#define ASSAY_TORCH_PREFIX "python:"

const char *const *assay_torch_list_python_suffixes (void);
gboolean assay_torch_is_python_file (const char *path);
char *assay_torch_export (const char *source, const char *const *shapes, const char *folder,
                          guint seconds, const AssayProgress *progress,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
