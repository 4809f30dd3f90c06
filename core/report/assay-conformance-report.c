/* assay-conformance-report.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/assay-conformance-report.h"

#include "text/assay-json-writer.h"
#include "text/assay-text-table.h"
#include "text/assay-xml-writer.h"

static const AssayTextStyle styles[ASSAY_N_CONFORMANCE_STATUSES] = {
  [ASSAY_CONFORMANCE_PASS] = ASSAY_TEXT_STYLE_GOOD,
  [ASSAY_CONFORMANCE_FAIL] = ASSAY_TEXT_STYLE_BAD,
  [ASSAY_CONFORMANCE_XFAIL] = ASSAY_TEXT_STYLE_DIM,
  [ASSAY_CONFORMANCE_XPASS] = ASSAY_TEXT_STYLE_BAD,
  [ASSAY_CONFORMANCE_SKIP] = ASSAY_TEXT_STYLE_DIM,
};

/**
 * assay_conformance_report_to_text:
 * @conformance: the results
 * @folder: where the cases are
 * @runner: what they ran on
 * @all: whether cases that passed are listed too
 * @colours: whether to use colours
 * @length: (out): number of bytes
 *
 * Lists the cases for people, each with the stage it came to, and counts them.
 *
 * Returns: (transfer full): the text
 */
char *
assay_conformance_report_to_text (const AssayConformance *conformance, const char *folder,
                                  const char *runner, gboolean all, gboolean colours, gsize *length)
{
  GString *text = g_string_new (NULL);
  g_auto (AssayTextTable) table = { 0 };

  assay_text_table_init (&table, 4, 60);
  for (guint i = 0; i < conformance->results->len; i++)
    {
      const AssayConformanceResult *result = g_ptr_array_index (conformance->results, i);

      if (result->status == ASSAY_CONFORMANCE_PASS && !all)
        continue;
      assay_text_table_add (&table, assay_conformance_status_name (result->status),
                            styles[result->status]);
      assay_text_table_add (&table, result->name, ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_add (&table, result->stage, ASSAY_TEXT_STYLE_DIM);
      assay_text_table_take (&table,
                             g_strconcat (result->rule != NULL ? result->rule : "",
                                          result->rule != NULL ? ": " : "",
                                          result->message != NULL ? result->message : "", NULL),
                             ASSAY_TEXT_STYLE_PLAIN);
    }
  assay_text_table_print (&table, text, colours);

  if (text->len > 0)
    g_string_append_c (text, '\n');
  assay_terminal_append_format (text, "%s on %s: %u cases", folder, runner,
                                conformance->results->len);
  for (guint i = 0; i < ASSAY_N_CONFORMANCE_STATUSES; i++)
    assay_terminal_append_format (text, ", %u %s", conformance->counts[i],
                                  assay_conformance_status_name ((AssayConformanceStatus) i));
  g_string_append_c (text, '\n');

  *length = text->len;
  return g_string_free (text, FALSE);
}

/**
 * assay_conformance_report_to_json:
 * @conformance: the results
 * @folder: where the cases are
 * @runner: what they ran on
 * @length: (out): number of bytes
 *
 * Writes the results as a document with the schema `assay.conformance/1`.
 *
 * Returns: (transfer full): the document
 */
char *
assay_conformance_report_to_json (const AssayConformance *conformance, const char *folder,
                                  const char *runner, gsize *length)
{
  AssayJsonWriter json;

  assay_json_writer_begin_document (&json, 2, "assay.conformance/1");
  assay_json_writer_member (&json, "folder", folder);
  assay_json_writer_member (&json, "runner", runner);
  assay_json_writer_begin_member_object (&json, "summary");
  for (guint i = 0; i < ASSAY_N_CONFORMANCE_STATUSES; i++)
    assay_json_writer_member_int (&json, assay_conformance_status_name ((AssayConformanceStatus) i),
                                  conformance->counts[i]);
  assay_json_writer_end_object (&json);
  assay_json_writer_begin_member_array (&json, "cases");
  for (guint i = 0; i < conformance->results->len; i++)
    {
      const AssayConformanceResult *result = g_ptr_array_index (conformance->results, i);

      assay_json_writer_begin_object (&json);
      assay_json_writer_member (&json, "name", result->name);
      assay_json_writer_member (&json, "status", assay_conformance_status_name (result->status));
      assay_json_writer_member (&json, "stage", result->stage);
      if (result->rule != NULL)
        assay_json_writer_member (&json, "rule", result->rule);
      if (result->message != NULL)
        assay_json_writer_member (&json, "message", result->message);
      assay_json_writer_member_double (&json, "seconds", result->seconds);
      assay_json_writer_end_object (&json);
    }
  assay_json_writer_end_array (&json);
  return assay_json_writer_end_document (&json, length);
}

static void
write_case (AssayXmlWriter *xml, const AssayConformanceResult *result)
{
  gboolean broken = result->status == ASSAY_CONFORMANCE_FAIL ||
                    result->status == ASSAY_CONFORMANCE_XPASS;
  gboolean skipped = result->status == ASSAY_CONFORMANCE_SKIP ||
                     result->status == ASSAY_CONFORMANCE_XFAIL;

  assay_xml_writer_begin (xml, "testcase");
  assay_xml_writer_attribute (xml, "classname", result->stage);
  assay_xml_writer_attribute (xml, "name", result->name);
  assay_xml_writer_attribute_format (xml, "time", "%.3f", result->seconds);
  if (broken || skipped)
    {
      assay_xml_writer_begin (xml, broken ? "failure" : "skipped");
      if (broken)
        assay_xml_writer_attribute (xml, "type", assay_conformance_status_name (result->status));
      assay_xml_writer_attribute (xml, "message",
                                  result->message != NULL ? result->message : result->rule);
      assay_xml_writer_end (xml);
    }
  assay_xml_writer_end (xml);
}

/**
 * assay_conformance_report_to_junit:
 * @conformance: the results
 * @folder: where the cases are
 * @runner: what they ran on
 * @length: (out): number of bytes
 *
 * Writes the results as JUnit XML. An expected failure is skipped, an unexpected pass is a failure.
 *
 * Returns: (transfer full): the document
 */
char *
assay_conformance_report_to_junit (const AssayConformance *conformance, const char *folder,
                                   const char *runner, gsize *length)
{
  const guint *counts = conformance->counts;
  AssayXmlWriter xml;

  assay_xml_writer_init (&xml, 2);
  assay_xml_writer_begin (&xml, "testsuites");
  assay_xml_writer_begin (&xml, "testsuite");
  assay_xml_writer_attribute (&xml, "name", folder);
  assay_xml_writer_attribute (&xml, "package", runner);
  assay_xml_writer_attribute_format (&xml, "tests", "%u", conformance->results->len);
  assay_xml_writer_attribute_format (
      &xml, "failures", "%u", counts[ASSAY_CONFORMANCE_FAIL] + counts[ASSAY_CONFORMANCE_XPASS]);
  assay_xml_writer_attribute_format (
      &xml, "skipped", "%u", counts[ASSAY_CONFORMANCE_SKIP] + counts[ASSAY_CONFORMANCE_XFAIL]);
  assay_xml_writer_attribute (&xml, "errors", "0");
  for (guint i = 0; i < conformance->results->len; i++)
    write_case (&xml, g_ptr_array_index (conformance->results, i));
  assay_xml_writer_end (&xml);
  assay_xml_writer_end (&xml);

  return assay_xml_writer_finish (&xml, length);
}
