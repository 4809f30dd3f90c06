/* assay-check-report.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-finding.h"
#include "report/assay-policy.h"
#include "target/assay-target.h"

G_BEGIN_DECLS

/**
 * AssayCheckRow:
 * @name: name of the node, never empty
 * @op_type: operator type
 * @kind: its verdict
 * @node: the node of the checked graph, or 0 for an ONNX node that another one stands for
 * @verdict: (nullable): the whole verdict, %NULL for an ONNX node that another one stands for
 * @into: (nullable): name of the node it went into
 * @rule: (nullable): id of the rule or pass that decided
 * @accepted: (nullable): the entry of the policy that accepts the verdict
 *
 * One line of a report: a node of the checked graph, or a node of the ONNX file that has none of
 * its own.
 */
typedef struct
{
  const char *name;
  const char *op_type;
  AssayVerdictKind kind;
  AssayNodeId node;
  const AssayVerdict *verdict;
  const char *into;
  const char *rule;
  const AssayPolicyEntry *accepted;
} AssayCheckRow;

/**
 * AssayCheckReport:
 * @model: path of the model as the user gave it
 * @target: what it was checked against
 * @verdicts: the result
 * @findings: what the importer and the checks found besides
 * @rows: (element-type AssayCheckRow): every node of the checked graph, then every absorbed ONNX
 * node: each ONNX node of the file is found exactly once
 * @counts: number of rows per verdict
 * @policy: (nullable): what is accepted
 * @accepted: rows that are, per verdict
 * @accepted_findings: (element-type AssayPolicyEntry) (nullable): for each finding the entry that
 * accepts it, or %NULL
 * @n_accepted_errors: findings that are errors and accepted
 * @n_used: (array): per entry of the policy how much it accepts
 *
 * What a check found, in the order in which every format tells it.
 */
typedef struct
{
  char *model;
  AssayTarget *target;
  AssayVerdicts *verdicts;
  AssayFindings *findings;
  GArray *rows;
  guint counts[ASSAY_N_VERDICTS];
  AssayPolicy *policy;
  guint accepted[ASSAY_N_VERDICTS];
  GPtrArray *accepted_findings;
  guint n_accepted_errors;
  guint *n_used;

  /*< private >*/
  GStringChunk *strings;
} AssayCheckReport;

/**
 * AssayReportFlags:
 * @ASSAY_REPORT_PLAIN: text without colours
 * @ASSAY_REPORT_COLOURS: terminal colours in text
 */
typedef enum
{
  ASSAY_REPORT_PLAIN = 0,
  ASSAY_REPORT_COLOURS = 1 << 0,
} AssayReportFlags;

AssayCheckReport *assay_check_report_new (const char *model, AssayTarget *target,
                                          AssayVerdicts *verdicts,
                                          AssayFindings *findings) G_GNUC_WARN_UNUSED_RESULT;
void assay_check_report_free (AssayCheckReport *self);
void assay_check_report_accept (AssayCheckReport *self, AssayPolicy *policy, GDateTime *today);
guint assay_check_report_accepted (const AssayCheckReport *self);
const AssayPolicyEntry *assay_check_report_accepts (const AssayCheckReport *self, guint finding);
gboolean assay_check_report_is_clean (const AssayCheckReport *self);
char *assay_check_report_to_text (const AssayCheckReport *self, AssayReportFlags flags,
                                  gsize *length) G_GNUC_WARN_UNUSED_RESULT;
char *assay_check_report_to_json (const AssayCheckReport *self, AssayReportFlags flags,
                                  gsize *length) G_GNUC_WARN_UNUSED_RESULT;
char *assay_check_report_to_sarif (const AssayCheckReport *self, AssayReportFlags flags,
                                   gsize *length) G_GNUC_WARN_UNUSED_RESULT;
char *assay_check_report_to_junit (const AssayCheckReport *self, AssayReportFlags flags,
                                   gsize *length) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayCheckReport, assay_check_report_free)

G_END_DECLS
