/* assay-tensor-report.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-tensor-summary.h"

G_BEGIN_DECLS

char *assay_tensor_report_to_text (const char *name, AssayTensor *tensor,
                                   const AssayTensorSummary *summary, gboolean colours,
                                   gsize *length) G_GNUC_WARN_UNUSED_RESULT;
char *assay_tensor_report_to_json (const char *model, const char *name, AssayTensor *tensor,
                                   const AssayTensorSummary *summary, const char *written,
                                   gsize *length) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
