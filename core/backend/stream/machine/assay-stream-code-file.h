/* assay-stream-code-file.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/stream/machine/assay-stream-code.h"

G_BEGIN_DECLS

/* Version of the file's layout, and of what instructions mean; a file with another one has to be
 * compiled again. */
#define ASSAY_PROGRAM_FORMAT 2
#define ASSAY_MACHINE_VERSION 3

GBytes *assay_stream_code_to_bytes (AssayStreamCode *self) G_GNUC_WARN_UNUSED_RESULT;
AssayStreamCode *assay_stream_code_from_bytes (GBytes *bytes,
                                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_stream_code_verify (const AssayStreamCode *self, GError **error);

G_END_DECLS
