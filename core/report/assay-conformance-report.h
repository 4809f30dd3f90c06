/* assay-conformance-report.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "work/assay-conformance.h"

G_BEGIN_DECLS

char *assay_conformance_report_to_text (const AssayConformance *conformance, const char *folder,
                                        const char *runner, gboolean all, gboolean colours,
                                        gsize *length) G_GNUC_WARN_UNUSED_RESULT;
char *assay_qualify_trend_to_text (const AssayConformance *conformance, const GPtrArray *before,
                                   const char *name, gboolean colours) G_GNUC_WARN_UNUSED_RESULT;
char *assay_qualify_report_to_text (const AssayConformance *conformance, const char *suite,
                                    const char *runner, gboolean all, gboolean colours,
                                    gsize *length) G_GNUC_WARN_UNUSED_RESULT;
char *assay_conformance_report_to_csv (const AssayConformance *conformance,
                                       gsize *length) G_GNUC_WARN_UNUSED_RESULT;
char *assay_conformance_report_to_json (const AssayConformance *conformance, const char *folder,
                                        const char *runner,
                                        gsize *length) G_GNUC_WARN_UNUSED_RESULT;
char *assay_conformance_report_to_junit (const AssayConformance *conformance, const char *folder,
                                         const char *runner,
                                         gsize *length) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
