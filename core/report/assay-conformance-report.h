/* assay-conformance-report.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "work/assay-conformance.h"

G_BEGIN_DECLS

/**
 * AssayQualifyKind:
 * @ASSAY_QUALIFY_OPERATORS: operators
 * @ASSAY_QUALIFY_CATEGORIES: categories of operators
 * @ASSAY_QUALIFY_DTYPES: element types
 *
 * What cases are counted by.
 */
typedef enum
{
  ASSAY_QUALIFY_OPERATORS,
  ASSAY_QUALIFY_CATEGORIES,
  ASSAY_QUALIFY_DTYPES,
  ASSAY_N_QUALIFY_KINDS,
} AssayQualifyKind;

/**
 * AssayQualifyShare:
 * @name: what it is about
 * @n_passed: in how many of its cases everything was right
 * @n_cases: in how many cases it is
 *
 * How the cases of one kind fared.
 */
typedef struct
{
  char *name;
  guint n_passed;
  guint n_cases;
} AssayQualifyShare;

GArray *assay_qualify_count (const AssayConformance *conformance,
                             AssayQualifyKind kind) G_GNUC_WARN_UNUSED_RESULT;
const char *assay_qualify_kind_title (AssayQualifyKind kind);
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
