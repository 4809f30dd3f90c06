/* assay-run-files.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "run/assay-run-subject.h"

G_BEGIN_DECLS

char *assay_run_file_name (const char *name) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *assay_run_files_name (const char *folder, const AssayRunPort *ports,
                                 guint n) G_GNUC_WARN_UNUSED_RESULT;
GPtrArray *assay_run_files_save (const char *folder, const AssayRunPort *ports, GPtrArray *tensors,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
