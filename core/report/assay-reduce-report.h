/* assay-reduce-report.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "reduce/assay-reduce.h"

G_BEGIN_DECLS

char *assay_reduce_report_to_text (const AssayReduction *reduction, const AssaySymptom *symptom,
                                   const char *model, const char *folder,
                                   gsize *length) G_GNUC_WARN_UNUSED_RESULT;
char *assay_reduce_report_to_json (const AssayReduction *reduction, const AssaySymptom *symptom,
                                   const char *model, const char *folder,
                                   gsize *length) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
