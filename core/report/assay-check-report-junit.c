/* assay-check-report-junit.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/assay-check-report.h"
#include "text/assay-xml-writer.h"

static void
begin_case (AssayXmlWriter *xml, const char *class_name, const char *name)
{
  assay_xml_writer_begin (xml, "testcase");
  assay_xml_writer_attribute (xml, "classname", class_name);
  assay_xml_writer_attribute (xml, "name", name);
}

/* A failed case says why; @element is `failure`, `error` or `skipped`. */
static void
write_problem (AssayXmlWriter *xml, const char *element, const char *type, const char *message)
{
  assay_xml_writer_begin (xml, element);
  assay_xml_writer_attribute (xml, "type", type);
  assay_xml_writer_attribute (xml, "message", message);
  assay_xml_writer_end (xml);
}

static void
write_skipped (AssayXmlWriter *xml, const char *rule, const AssayPolicyEntry *entry)
{
  g_autofree char *message = g_strdup_printf ("accepted: %s", entry->reason);

  write_problem (xml, "skipped", rule, message);
}

static void
write_row (AssayXmlWriter *xml, const AssayCheckRow *row)
{
  const char *reason = row->verdict != NULL ? row->verdict->reason : NULL;

  begin_case (xml, row->op_type, row->name);
  if (row->accepted != NULL && row->kind != ASSAY_VERDICT_HOST)
    write_skipped (xml, row->rule, row->accepted);
  else if (row->kind == ASSAY_VERDICT_REJECTED)
    write_problem (xml, "failure", row->rule, reason);
  else if (row->kind == ASSAY_VERDICT_UNDECIDED)
    write_problem (xml, "error", row->rule, reason);
  else
    {
      assay_xml_writer_begin (xml, "system-out");
      assay_xml_writer_text (xml, assay_verdict_name (row->kind));
      if (row->into != NULL || (row->kind == ASSAY_VERDICT_HOST && reason != NULL))
        {
          assay_xml_writer_text (xml, row->into != NULL ? " into " : ": ");
          assay_xml_writer_text (xml, row->into != NULL ? row->into : reason);
        }
      assay_xml_writer_end (xml);
    }
  assay_xml_writer_end (xml);
}

static void
write_finding (AssayXmlWriter *xml, const AssayFinding *finding, const AssayPolicyEntry *accepted)
{
  const char *name = finding->node != NULL && finding->node[0] != 0 ? finding->node
                                                                    : finding->graph_path;

  begin_case (xml, "import", name != NULL ? name : "model");
  if (accepted != NULL)
    write_skipped (xml, finding->rule, accepted);
  else
    write_problem (xml, "error", finding->rule, finding->message);
  assay_xml_writer_end (xml);
}

static void
write_counts (AssayXmlWriter *xml, const AssayCheckReport *self)
{
  guint n_errors = assay_findings_count_at (self->findings, ASSAY_SEVERITY_ERROR);
  guint rejected = self->accepted[ASSAY_VERDICT_REJECTED];
  guint undecided = self->accepted[ASSAY_VERDICT_UNDECIDED];

  assay_xml_writer_attribute_format (xml, "tests", "%u", self->rows->len + n_errors);
  assay_xml_writer_attribute_format (xml, "failures", "%u",
                                     self->counts[ASSAY_VERDICT_REJECTED] - rejected);
  assay_xml_writer_attribute_format (xml, "errors", "%u",
                                     self->counts[ASSAY_VERDICT_UNDECIDED] - undecided + n_errors -
                                         self->n_accepted_errors);
  assay_xml_writer_attribute_format (xml, "skipped", "%u",
                                     rejected + undecided + self->n_accepted_errors);
  assay_xml_writer_attribute (xml, "time", "0");
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
  AssayXmlWriter xml;

  assay_xml_writer_init (&xml, 2);
  assay_xml_writer_begin (&xml, "testsuites");
  write_counts (&xml, self);
  assay_xml_writer_begin (&xml, "testsuite");
  assay_xml_writer_attribute (&xml, "name", self->model);
  write_counts (&xml, self);
  assay_xml_writer_begin (&xml, "properties");
  assay_xml_writer_begin (&xml, "property");
  assay_xml_writer_attribute (&xml, "name", "target");
  assay_xml_writer_attribute (&xml, "value", assay_target_get_id (self->target));
  assay_xml_writer_end (&xml);
  assay_xml_writer_end (&xml);

  for (guint i = 0; i < self->rows->len; i++)
    write_row (&xml, &g_array_index (self->rows, AssayCheckRow, i));
  for (guint i = 0; i < assay_findings_get_count (self->findings); i++)
    {
      const AssayFinding *finding = assay_findings_get (self->findings, i);

      if (finding->severity == ASSAY_SEVERITY_ERROR)
        write_finding (&xml, finding, assay_check_report_accepts (self, i));
    }
  assay_xml_writer_end (&xml);
  assay_xml_writer_end (&xml);

  return assay_xml_writer_finish (&xml, length);
}
