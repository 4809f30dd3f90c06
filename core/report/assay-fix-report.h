/* assay-fix-report.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "fix/assay-fix-suggest.h"
#include "fix/assay-model-save.h"
#include "report/assay-check-report.h"

G_BEGIN_DECLS

/**
 * AssayFixCause:
 * @cause: index of the cause in the verdicts
 * @suggestions: what can be done about it
 *
 * A cause, and what was tried.
 */
typedef struct
{
  guint cause;
  AssayFixSuggestions *suggestions;
} AssayFixCause;

/**
 * AssayFixReport:
 * @model: path of the model as the user gave it
 * @target: what it is fixed for
 * @before: verdicts of the model as it is
 * @verdicts: verdicts with the fixes that are applied
 * @applied: (element-type AssayFix): what is applied
 * @findings: what does not apply any more, and what is wrong with the file
 * @causes: (element-type AssayFixCause): what can be done about what is left
 * @unasked: whether @causes are what nobody asked to apply and what changes the model
 * @options: (nullable) (array zero-terminated=1): options of the command line that the fixed model
 * needs, because a model has no place for them
 * @written: (nullable): the file that the fixed model went to
 * @saved: how it was proven that the file is the fixed model
 *
 * What can be done about a model, and what was done.
 */
typedef struct
{
  char *model;
  AssayTarget *target;
  AssayVerdicts *before;
  AssayVerdicts *verdicts;
  GPtrArray *applied;
  AssayFindings *findings;
  GArray *causes;
  gboolean unasked;
  char **options;
  char *written;
  AssayModelSave saved;
} AssayFixReport;

AssayFixReport *assay_fix_report_new (const char *model, AssayTarget *target, AssayVerdicts *before,
                                      AssayVerdicts *verdicts, GPtrArray *applied,
                                      AssayFindings *findings) G_GNUC_WARN_UNUSED_RESULT;
void assay_fix_report_free (AssayFixReport *self);
void assay_fix_report_add_cause (AssayFixReport *self, guint cause,
                                 AssayFixSuggestions *suggestions);
gboolean assay_fix_report_is_clean (const AssayFixReport *self);
char *assay_fix_report_to_text (const AssayFixReport *self, AssayReportFlags flags,
                                gsize *length) G_GNUC_WARN_UNUSED_RESULT;
char *assay_fix_report_to_json (const AssayFixReport *self,
                                gsize *length) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayFixReport, assay_fix_report_free)

G_END_DECLS
