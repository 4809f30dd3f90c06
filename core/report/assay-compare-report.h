/* assay-compare-report.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "work/assay-explain.h"

G_BEGIN_DECLS

char *assay_compare_report_bounds (const AssayComparisonRow *row) G_GNUC_WARN_UNUSED_RESULT;
char *assay_compare_report_limit (const AssayComparisonRow *row) G_GNUC_WARN_UNUSED_RESULT;
char *assay_compare_report_describe_gain (const AssayQuantizeLoss *cost) G_GNUC_WARN_UNUSED_RESULT;
char *assay_compare_report_steps (const AssayComparisonRow *row) G_GNUC_WARN_UNUSED_RESULT;
char *assay_compare_report_unobserved (const AssayComparison *comparison) G_GNUC_WARN_UNUSED_RESULT;
char *assay_compare_report_headline (const AssayComparison *comparison) G_GNUC_WARN_UNUSED_RESULT;
char *assay_compare_report_to_json (const AssayComparison *comparison, const char *model,
                                    const GArray *shares, gsize *length) G_GNUC_WARN_UNUSED_RESULT;
char *assay_compare_report_to_text (const AssayComparison *comparison, const char *model,
                                    const GArray *shares, guint max_rows, gboolean colours,
                                    gsize *length) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
