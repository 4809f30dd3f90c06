/* assay-target-report.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "target/assay-target.h"

G_BEGIN_DECLS

GPtrArray *assay_target_report_load (GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *assay_target_report_to_json (GPtrArray *targets, gsize *length) G_GNUC_WARN_UNUSED_RESULT;
char *assay_target_report_to_text (GPtrArray *targets, gboolean colours,
                                   gsize *length) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
