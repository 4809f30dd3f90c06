/* assay-program-file.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "machine/assay-program.h"

G_BEGIN_DECLS

/* Version of the file's layout, and of what instructions mean; a file with another one has to be
 * compiled again. */
#define ASSAY_PROGRAM_FORMAT 2
#define ASSAY_MACHINE_VERSION 3

GBytes *assay_code_to_bytes (AssayCode *self) G_GNUC_WARN_UNUSED_RESULT;
AssayCode *assay_code_from_bytes (GBytes *bytes, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_code_save (AssayCode *self, const char *path, GError **error);
AssayCode *assay_code_load (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_code_verify (AssayCode *self, GError **error);

G_END_DECLS
