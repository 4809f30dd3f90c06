/* assay-conformance-report.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/assay-conformance-report.h"

#include "base/assay-sentence.h"
#include <string.h>

#include "text/assay-fields.h"
#include "text/assay-json-writer.h"
#include "text/assay-text-table.h"
#include "text/assay-xml-writer.h"

static const AssayTextStyle styles[ASSAY_N_CONFORMANCE_STATUSES] = {
  [ASSAY_CONFORMANCE_PASS] = ASSAY_TEXT_STYLE_GOOD,
  [ASSAY_CONFORMANCE_FAIL] = ASSAY_TEXT_STYLE_BAD,
  [ASSAY_CONFORMANCE_XFAIL] = ASSAY_TEXT_STYLE_DIM,
  [ASSAY_CONFORMANCE_XPASS] = ASSAY_TEXT_STYLE_BAD,
  [ASSAY_CONFORMANCE_SKIP] = ASSAY_TEXT_STYLE_DIM,
  [ASSAY_CONFORMANCE_PASS_ON_HOST] = ASSAY_TEXT_STYLE_GOOD,
  [ASSAY_CONFORMANCE_TIMEOUT] = ASSAY_TEXT_STYLE_BAD,
  [ASSAY_CONFORMANCE_CRASH] = ASSAY_TEXT_STYLE_BAD,
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
  assay_terminal_append_format (text, "%s on %s: %u case%s", folder, runner,
                                conformance->results->len,
                                assay_plural (conformance->results->len));
  /* Those that hardly occur are named where they do. */
  for (guint i = 0; i < ASSAY_N_CONFORMANCE_STATUSES; i++)
    if (i <= ASSAY_CONFORMANCE_SKIP || conformance->counts[i] > 0)
      assay_terminal_append_format (text, ", %u %s", conformance->counts[i],
                                    assay_conformance_status_name ((AssayConformanceStatus) i));
  g_string_append_c (text, '\n');

  *length = text->len;
  return g_string_free (text, FALSE);
}

static int
compare_coverage (gconstpointer a, gconstpointer b)
{
  const AssayQualifyShare *left = a;
  const AssayQualifyShare *right = b;

  return strcmp (left->name, right->name);
}

/* What cases are counted by. */
static const struct
{
  const char *title;
  const char *separator;
  gsize field; /* of a result */
} kinds[ASSAY_N_QUALIFY_KINDS] = {
  [ASSAY_QUALIFY_OPERATORS] = { "Operators", " ",
                                G_STRUCT_OFFSET (AssayConformanceResult, operators) },
  [ASSAY_QUALIFY_CATEGORIES] = { "Categories of operators", ", ",
                                 G_STRUCT_OFFSET (AssayConformanceResult, categories) },
  [ASSAY_QUALIFY_DTYPES] = { "Element types", ", ",
                             G_STRUCT_OFFSET (AssayConformanceResult, dtypes) },
};

static void
count_case (const AssayConformanceResult *result, char **names, GHashTable *places,
            GArray *coverage)
{
  for (guint k = 0; names[k] != NULL; k++)
    {
      gpointer place = NULL;
      AssayQualifyShare *row;

      if (names[k][0] == '\0')
        continue;
      if (!g_hash_table_lookup_extended (places, names[k], NULL, &place))
        {
          const AssayQualifyShare fresh = { g_strdup (names[k]), 0, 0 };

          place = GUINT_TO_POINTER (coverage->len);
          g_hash_table_insert (places, fresh.name, place);
          g_array_append_val (coverage, fresh);
        }
      row = &g_array_index (coverage, AssayQualifyShare, GPOINTER_TO_UINT (place));
      row->n_cases++;
      row->n_passed += assay_conformance_result_passed (result);
    }
}

static void
share_clear (gpointer data)
{
  g_free (((AssayQualifyShare *) data)->name);
}

/**
 * assay_qualify_count:
 * @conformance: the results
 * @kind: what is counted by
 *
 * Counts in how many of the cases of each operator, category or element type everything was right.
 *
 * Returns: (transfer full) (element-type AssayQualifyShare): the counts, by name
 */
GArray *
assay_qualify_count (const AssayConformance *conformance, AssayQualifyKind kind)
{
  g_autoptr (GHashTable) places = g_hash_table_new (g_str_hash, g_str_equal);
  GArray *coverage = g_array_new (FALSE, FALSE, sizeof (AssayQualifyShare));

  g_array_set_clear_func (coverage, share_clear);
  for (guint i = 0; i < conformance->results->len; i++)
    {
      const AssayConformanceResult *result = g_ptr_array_index (conformance->results, i);
      const char *words = G_STRUCT_MEMBER (const char *, result, kinds[kind].field);
      g_auto (GStrv) names = g_strsplit (words != NULL ? words : "", kinds[kind].separator, -1);

      count_case (result, names, places, coverage);
    }
  g_array_sort (coverage, compare_coverage);

  return coverage;
}

/**
 * assay_qualify_kind_title:
 * @kind: what is counted by
 *
 * Gets the title of its table.
 *
 * Returns: the title
 */
const char *
assay_qualify_kind_title (AssayQualifyKind kind)
{
  return kinds[kind].title;
}

static void
append_kind (const AssayConformance *conformance, AssayQualifyKind kind, gboolean all,
             GString *text, gboolean colours)
{
  g_autoptr (GArray) coverage = assay_qualify_count (conformance, kind);
  g_auto (AssayTextTable) table = { 0 };
  guint n = 0;

  assay_text_table_init (&table, 2, 60);
  for (guint i = 0; i < coverage->len; i++)
    {
      const AssayQualifyShare *row = &g_array_index (coverage, AssayQualifyShare, i);

      if (row->n_passed == row->n_cases && !all)
        continue;
      assay_text_table_add (&table, row->name, ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_take (&table,
                             g_strdup_printf ("right in %u of %u", row->n_passed, row->n_cases),
                             row->n_passed == 0 ? ASSAY_TEXT_STYLE_BAD : ASSAY_TEXT_STYLE_DIM);
      n++;
    }
  if (n == 0)
    return;
  g_string_append_printf (text, "%s%s\n", kinds[kind].title,
                          all ? "" : " that are not right in every case");
  assay_text_table_print (&table, text, colours);
  g_string_append_c (text, '\n');
}

/**
 * assay_qualify_report_to_text:
 * @conformance: the results
 * @suite: where the cases are
 * @runner: what they ran on
 * @all: whether cases that passed are listed too
 * @colours: whether to use colours
 * @length: (out): number of bytes
 *
 * Lists for people where what ran contradicts what the target said, how operators fared, and then
 * the cases.
 *
 * Returns: (transfer full): the text
 */
char *
assay_qualify_report_to_text (const AssayConformance *conformance, const char *suite,
                              const char *runner, gboolean all, gboolean colours, gsize *length)
{
  GString *text = g_string_new (NULL);
  g_autofree char *cases = assay_conformance_report_to_text (conformance, suite, runner, all,
                                                             colours, length);
  g_auto (AssayTextTable) table = { 0 };
  guint n = 0;

  assay_text_table_init (&table, 3, 60);
  for (guint i = 0; i < conformance->results->len; i++)
    {
      const AssayConformanceResult *result = g_ptr_array_index (conformance->results, i);

      if (!assay_conformance_result_is_surprise (result))
        continue;
      assay_text_table_add (&table, assay_conformance_status_name (result->status),
                            styles[result->status]);
      assay_text_table_add (&table, result->name, ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_take (
          &table,
          g_strdup_printf ("the target %s it",
                           g_str_equal (result->predicted, "refuses") ? "refuses" : "takes"),
          ASSAY_TEXT_STYLE_DIM);
      n++;
    }
  if (n > 0)
    g_string_append (text, "Verdicts that a run contradicts\n");
  assay_text_table_print (&table, text, colours);
  if (n > 0)
    g_string_append_c (text, '\n');
  for (AssayQualifyKind i = 0; i < ASSAY_N_QUALIFY_KINDS; i++)
    append_kind (conformance, i, all, text, colours);
  g_string_append (text, cases);

  *length = text->len;
  return g_string_free (text, FALSE);
}

/**
 * assay_qualify_trend_to_text:
 * @conformance: the results
 * @before: (element-type AssayConformanceResult): results of an earlier run
 * @name: what that is called
 * @colours: whether to use colours
 *
 * Lists for people which cases fare otherwise than in an earlier run, those that went wrong first.
 *
 * Returns: (transfer full): the text
 */
char *
assay_qualify_trend_to_text (const AssayConformance *conformance, const GPtrArray *before,
                             const char *name, gboolean colours)
{
  g_autoptr (GHashTable) old = g_hash_table_new (g_str_hash, g_str_equal);
  GString *text = g_string_new (NULL);
  g_auto (AssayTextTable) table = { 0 };
  guint n_new = 0, n_gone;
  guint counts[2] = { 0, 0 };

  for (guint i = 0; i < before->len; i++)
    g_hash_table_insert (old, ((AssayConformanceResult *) before->pdata[i])->name,
                         before->pdata[i]);
  assay_text_table_init (&table, 3, 60);
  for (int right = 0; right < 2; right++)
    for (guint i = 0; i < conformance->results->len; i++)
      {
        const AssayConformanceResult *result = g_ptr_array_index (conformance->results, i);
        const AssayConformanceResult *then = g_hash_table_lookup (old, result->name);
        gboolean is_right = assay_conformance_result_passed (result);

        n_new += right == 0 && then == NULL;
        if (then == NULL || is_right != right || is_right == assay_conformance_result_passed (then))
          continue;
        assay_text_table_add (&table, assay_conformance_status_name (result->status),
                              styles[result->status]);
        assay_text_table_add (&table, result->name, ASSAY_TEXT_STYLE_PLAIN);
        assay_text_table_take (
            &table, g_strdup_printf ("was %s", assay_conformance_status_name (then->status)),
            ASSAY_TEXT_STYLE_DIM);
        counts[right]++;
      }

  n_gone = g_hash_table_size (old) + n_new - conformance->results->len;
  if (counts[0] + counts[1] + n_new + n_gone == 0)
    assay_terminal_append_format (text, "Against %s: nothing changed\n", name);
  else
    assay_terminal_append_format (text,
                                  "Against %s: %u wrong that were right, %u right that were "
                                  "wrong, %u new, %u gone\n",
                                  name, counts[0], counts[1], n_new, n_gone);
  assay_text_table_print (&table, text, colours);
  g_string_append_c (text, '\n');

  return g_string_free (text, FALSE);
}

/**
 * assay_conformance_report_to_csv:
 * @conformance: the results
 * @length: (out): number of bytes
 *
 * Writes the results as a table for spreadsheets.
 *
 * Returns: (transfer full): the table
 */
char *
assay_conformance_report_to_csv (const AssayConformance *conformance, gsize *length)
{
  GString *text = g_string_new ("name,status,stage,predicted,rule,message,operators,"
                                "categories,dtypes,seconds\r\n");

  for (guint i = 0; i < conformance->results->len; i++)
    {
      const AssayConformanceResult *result = g_ptr_array_index (conformance->results, i);
      const char *const fields[] = {
        result->name,      assay_conformance_status_name (result->status),
        result->stage,     result->predicted,
        result->rule,      result->message,
        result->operators, result->categories,
        result->dtypes
      };

      for (guint k = 0; k < G_N_ELEMENTS (fields); k++)
        {
          assay_fields_append_csv (text, fields[k] != NULL ? fields[k] : "");
          g_string_append_c (text, ',');
        }
      g_string_append_printf (text, "%.3f\r\n", result->seconds);
    }

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
      assay_conformance_result_write (result, &json);
      assay_json_writer_end_object (&json);
    }
  assay_json_writer_end_array (&json);
  return assay_json_writer_end_document (&json, length);
}

static void
write_case (AssayXmlWriter *xml, const AssayConformanceResult *result)
{
  gboolean broken = assay_conformance_status_is_bad (result->status);
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
  assay_xml_writer_attribute_format (&xml, "failures", "%u", assay_conformance_n_bad (conformance));
  assay_xml_writer_attribute_format (
      &xml, "skipped", "%u", counts[ASSAY_CONFORMANCE_SKIP] + counts[ASSAY_CONFORMANCE_XFAIL]);
  assay_xml_writer_attribute (&xml, "errors", "0");
  for (guint i = 0; i < conformance->results->len; i++)
    write_case (&xml, g_ptr_array_index (conformance->results, i));
  assay_xml_writer_end (&xml);
  assay_xml_writer_end (&xml);

  return assay_xml_writer_finish (&xml, length);
}
