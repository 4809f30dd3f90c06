/* assay-build-report.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/stream/compile/assay-allocation.h"
#include "backend/stream/compile/assay-metrics.h"
#include "report/assay-check-report.h"
#include "text/assay-json-writer.h"

G_BEGIN_DECLS

void assay_build_report_write_metrics (AssayJsonWriter *json, const AssayCodeMetrics *metrics);
void assay_build_report_write_cycles (AssayJsonWriter *json, const AssayStreamCode *code,
                                      gboolean sensitivity);
void assay_build_report_append_metrics (GString *text, const AssayCodeMetrics *metrics,
                                        gboolean colours);
void assay_build_report_append_cycles (GString *text, const AssayStreamCode *code,
                                       gboolean colours);
void assay_build_report_append_sensitivity (GString *text, const AssayStreamCode *code,
                                            gboolean colours);
void assay_build_report_write_ranges (AssayJsonWriter *json, const AssayStreamCode *code);
void assay_build_report_append_ranges (GString *text, const AssayStreamCode *code,
                                       gboolean colours);
char *assay_build_report_refusal_to_json (const AssayCheckReport *report, const char *command,
                                          gsize *length) G_GNUC_WARN_UNUSED_RESULT;
void assay_allocation_report_append (GString *text, const AssayAllocation *allocation,
                                     gboolean colours);
char *assay_allocation_report_to_json (const AssayAllocation *allocation, const char *message,
                                       const char *command,
                                       gsize *length) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
