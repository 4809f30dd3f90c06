/* assay-trace-report.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-program.h"
#include "base/assay-progress.h"

G_BEGIN_DECLS

char *assay_trace_report_to_json (AssayProgram *program, guint model, gsize *length,
                                  const AssayProgress *progress) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
