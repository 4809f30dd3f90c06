/* assay-report-json.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-finding.h"
#include "nnir/assay-graph.h"
#include "text/assay-json-writer.h"

G_BEGIN_DECLS

void assay_report_write_interface (AssayJsonWriter *json, const AssayGraph *graph);
void assay_report_write_findings (AssayJsonWriter *json, AssayFindings *findings);

G_END_DECLS
