/* assay-source.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "source/assay-importer.h"

G_BEGIN_DECLS

AssayGraph *assay_model_read (const char *path, const AssayImportOptions *options,
                              AssayFindings *findings, const AssayProgress *progress,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayGraph *assay_model_read_bytes (GBytes *bytes, const char *path,
                                    const AssayImportOptions *options, AssayFindings *findings,
                                    const AssayProgress *progress,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
