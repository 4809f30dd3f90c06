/* assay-run-report.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "run/assay-ranges.h"
#include "run/assay-run-times.h"

G_BEGIN_DECLS

/**
 * AssayRunReport:
 *
 * What came out of a run on one or more runners, with statistics per output.
 */
typedef struct _AssayRunReport AssayRunReport;

AssayRunReport *assay_run_report_new (const char *program, AssayRunSubject *subject,
                                      gint64 n_steps) G_GNUC_WARN_UNUSED_RESULT;
void assay_run_report_free (AssayRunReport *self);
void assay_run_report_add (AssayRunReport *self, const AssayRunner *runner, GPtrArray *tensors,
                           GPtrArray *paths);
void assay_run_report_take_ranges (AssayRunReport *self, AssayRanges *ranges);
char *assay_run_report_to_text (const AssayRunReport *self, gboolean colours,
                                gsize *length) G_GNUC_WARN_UNUSED_RESULT;
char *assay_run_report_to_json (const AssayRunReport *self,
                                gsize *length) G_GNUC_WARN_UNUSED_RESULT;
char *assay_run_report_to_trace (const AssayRunReport *self,
                                 gsize *length) G_GNUC_WARN_UNUSED_RESULT;

char *assay_run_times_to_trace (AssayRunTimes *const *all, guint n, const char *model,
                                gsize *length) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayRunReport, assay_run_report_free)

G_END_DECLS
