/* assay-inspect-report.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "fix/assay-fix-suggest.h"
#include "target/assay-target.h"

G_BEGIN_DECLS

/**
 * AssayTransition:
 * @value: what crosses
 * @from: the node that makes it, or 0 for an input of the model
 * @to: the node that reads it first on the other side, or 0 for an output of the model
 * @to_device: whether it goes from the host to the device
 * @is_known: whether its size is
 * @bytes: how many, 8 bits each
 *
 * A value that goes from the host to the device or back.
 */
typedef struct
{
  AssayValueId value;
  AssayNodeId from;
  AssayNodeId to;
  gboolean to_device;
  gboolean is_known;
  gsize bytes;
} AssayTransition;

/**
 * AssayInspectReport:
 * @model: path of the model
 * @target: what it was inspected for
 * @verdicts: what becomes of its nodes
 * @transitions: (element-type AssayTransition): what crosses between host and device
 * @help: (element-type AssayFixSuggestions): per cause what helps, or %NULL
 *
 * What is told of a model before it is quantised.
 */
typedef struct
{
  char *model;
  AssayTarget *target;
  AssayVerdicts *verdicts;
  GArray *transitions;
  GPtrArray *help;
} AssayInspectReport;

AssayInspectReport *assay_inspect_report_new (const char *model, AssayTarget *target,
                                              AssayVerdicts *verdicts) G_GNUC_WARN_UNUSED_RESULT;
void assay_inspect_report_free (AssayInspectReport *self);
void assay_inspect_report_set_help (AssayInspectReport *self, guint cause,
                                    AssayFixSuggestions *suggestions);
char *assay_inspect_report_to_text (const AssayInspectReport *self, gboolean all, gboolean colours,
                                    gsize *length) G_GNUC_WARN_UNUSED_RESULT;
char *assay_inspect_report_to_json (const AssayInspectReport *self,
                                    gsize *length) G_GNUC_WARN_UNUSED_RESULT;
char *assay_inspect_report_to_dot (const AssayInspectReport *self,
                                   gsize *length) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayInspectReport, assay_inspect_report_free)

G_END_DECLS
