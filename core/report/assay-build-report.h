/* assay-build-report.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/assay-allocation.h"
#include "backend/assay-program-metrics.h"
#include "report/assay-check-report.h"
#include "text/assay-json-writer.h"

G_BEGIN_DECLS

void assay_build_report_write_metrics (AssayJsonWriter *json, const AssayProgramMetrics *metrics);
void assay_build_report_write_cycle_range (AssayJsonWriter *json, const char *name,
                                           const AssayCycleRange *range);
void assay_build_report_write_range (AssayJsonWriter *json, const char *name, AssayProgram *program,
                                     guint32 predicted);
void assay_build_report_write_cycles (AssayJsonWriter *json, AssayProgram *program,
                                      gboolean sensitivity);
void assay_build_report_append_metrics (GString *text, const AssayProgramMetrics *metrics,
                                        gboolean colours);
void assay_build_report_append_cycles (GString *text, AssayProgram *program, gboolean colours);
void assay_build_report_append_sensitivity (GString *text, AssayProgram *program, gboolean colours);
void assay_build_report_write_ranges (AssayJsonWriter *json, AssayProgram *program);
void assay_build_report_append_ranges (GString *text, AssayProgram *program, gboolean colours);
char *assay_build_report_refusal_to_json (const AssayCheckReport *report, const char *command,
                                          gsize *length) G_GNUC_WARN_UNUSED_RESULT;
void assay_allocation_report_append_live (GString *text, const AssayAllocation *allocation,
                                          gboolean colours);
void assay_allocation_report_append_ways_out (GString *text, const AssayAllocation *allocation,
                                              gboolean colours);
char *assay_allocation_report_to_json (const AssayAllocation *allocation, const char *message,
                                       const char *command,
                                       gsize *length) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
