/* assay-check-report-junit.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/assay-check-report.h"
#include "text/assay-xml-writer.h"

/* A failed case says why; @element is `failure` or `error`. */
static void
append_problem (GString *text, const char *element, const char *type, const char *message)
{
  g_string_append_printf (text, ">\n      <%s", element);
  assay_xml_append_attribute (text, "type", type);
  assay_xml_append_attribute (text, "message", message);
  g_string_append (text, "/>\n    </testcase>\n");
}

static void
append_skipped (GString *text, const char *rule, const AssayPolicyEntry *entry)
{
  g_autofree char *message = g_strdup_printf ("accepted: %s", entry->reason);

  append_problem (text, "skipped", rule, message);
}

static void
append_row (GString *text, const AssayCheckReport *self, const AssayCheckRow *row)
{
  const char *reason = row->verdict != NULL ? row->verdict->reason : NULL;

  g_string_append (text, "    <testcase");
  assay_xml_append_attribute (text, "classname", row->op_type);
  assay_xml_append_attribute (text, "name", row->name);
  if (row->accepted != NULL && row->kind != ASSAY_VERDICT_HOST)
    append_skipped (text, row->rule, row->accepted);
  else if (row->kind == ASSAY_VERDICT_REJECTED)
    append_problem (text, "failure", row->rule, reason);
  else if (row->kind == ASSAY_VERDICT_UNDECIDED)
    append_problem (text, "error", row->rule, reason);
  else
    {
      g_string_append (text, ">\n      <system-out>");
      assay_xml_append (text, assay_verdict_name (row->kind));
      if (row->into != NULL || (row->kind == ASSAY_VERDICT_HOST && reason != NULL))
        {
          g_string_append (text, row->into != NULL ? " into " : ": ");
          assay_xml_append (text, row->into != NULL ? row->into : reason);
        }
      g_string_append (text, "</system-out>\n    </testcase>\n");
    }
}

static void
append_finding (GString *text, const AssayFinding *finding, const AssayPolicyEntry *accepted)
{
  const char *name = finding->node != NULL && finding->node[0] != 0 ? finding->node
                                                                    : finding->graph_path;

  g_string_append (text, "    <testcase");
  assay_xml_append_attribute (text, "classname", "import");
  assay_xml_append_attribute (text, "name", name != NULL ? name : "model");
  if (accepted != NULL)
    append_skipped (text, finding->rule, accepted);
  else
    append_problem (text, "error", finding->rule, finding->message);
}

/**
 * assay_check_report_to_junit:
 * @self: a report
 * @flags: not used by this format
 * @length: (out) (optional): bytes of the text
 *
 * Writes a report as JUnit XML, as build servers read it: a suite for the model, a case per node. A
 * rejected node is a failure; an undecided one and each finding that is an error are errors. What a
 * policy accepts is skipped, with the reason.
 *
 * Returns: (transfer full): the text
 */
char *
assay_check_report_to_junit (const AssayCheckReport *self, AssayReportFlags flags, gsize *length)
{
  GString *text = g_string_new ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  guint n_errors = assay_findings_count_at (self->findings, ASSAY_SEVERITY_ERROR);
  guint rejected = self->accepted[ASSAY_VERDICT_REJECTED];
  guint undecided = self->accepted[ASSAY_VERDICT_UNDECIDED];
  g_autofree char *counts = NULL;

  counts = g_strdup_printf (
      " tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\" time=\"0\"",
      self->rows->len + n_errors, self->counts[ASSAY_VERDICT_REJECTED] - rejected,
      self->counts[ASSAY_VERDICT_UNDECIDED] - undecided + n_errors - self->n_accepted_errors,
      rejected + undecided + self->n_accepted_errors);
  g_string_append_printf (text, "<testsuites%s>\n  <testsuite", counts);
  assay_xml_append_attribute (text, "name", self->model);
  g_string_append_printf (text, "%s>\n    <properties>\n      <property name=\"target\"", counts);
  assay_xml_append_attribute (text, "value", assay_target_get_id (self->target));
  g_string_append (text, "/>\n    </properties>\n");

  for (guint i = 0; i < self->rows->len; i++)
    append_row (text, self, &g_array_index (self->rows, AssayCheckRow, i));
  for (guint i = 0; i < assay_findings_get_count (self->findings); i++)
    {
      const AssayFinding *finding = assay_findings_get (self->findings, i);

      if (finding->severity == ASSAY_SEVERITY_ERROR)
        append_finding (text, finding, assay_check_report_accepts (self, i));
    }
  g_string_append (text, "  </testsuite>\n</testsuites>\n");

  if (length != NULL)
    *length = text->len;
  return g_string_free (text, FALSE);
}
