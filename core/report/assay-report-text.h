/* assay-report-text.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-finding.h"

G_BEGIN_DECLS

void assay_report_append_heading (GString *text, const char *heading, gboolean colours);
void assay_report_append_findings (GString *text, AssayFindings *findings, gboolean colours);

G_END_DECLS
