/* assay-tensor-report.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/assay-tensor-report.h"

#include <math.h>

#include "text/assay-json-writer.h"
#include "text/assay-text-table.h"

/* Characters of the longest bar of a histogram, and how many rows it has on a terminal. */
#define BAR_WIDTH 40
#define BAR_ROWS 12

static const struct
{
  const char *name;
  gsize offset;
} numbers[] = {
  { "min", G_STRUCT_OFFSET (AssayStatistics, min) },
  { "max", G_STRUCT_OFFSET (AssayStatistics, max) },
  { "mean", G_STRUCT_OFFSET (AssayStatistics, mean) },
  { "std", G_STRUCT_OFFSET (AssayStatistics, deviation) },
};

static const struct
{
  const char *name;
  const char *title;
  gsize offset;
} counts[] = {
  { "zeros", "zeros", G_STRUCT_OFFSET (AssayStatistics, n_zero) },
  { "nan", "NaN", G_STRUCT_OFFSET (AssayStatistics, n_nan) },
  { "inf", "infinite", G_STRUCT_OFFSET (AssayStatistics, n_inf) },
};

static char *
describe_type (AssayTensor *tensor)
{
  GString *text = g_string_new (assay_dtype_name (assay_tensor_get_dtype (tensor)));

  g_string_append_c (text, '[');
  for (guint i = 0; i < assay_tensor_get_rank (tensor); i++)
    assay_terminal_append_format (text, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "",
                                  assay_tensor_get_dims (tensor)[i]);
  g_string_append_c (text, ']');

  return g_string_free (text, FALSE);
}

static void
append_histogram (GString *text, const AssayTensorSummary *summary)
{
  const guint join = ASSAY_SUMMARY_BUCKETS / BAR_ROWS;
  gsize rows[BAR_ROWS] = { 0 };
  gsize most = 0;

  for (guint i = 0; i < ASSAY_SUMMARY_BUCKETS; i++)
    {
      rows[i / join] += summary->histogram[i];
      most = MAX (most, rows[i / join]);
    }
  if (most == 0)
    return;

  g_string_append (text, "\n");
  for (guint i = 0; i < BAR_ROWS; i++)
    {
      double low, high;
      guint width = rows[i] == 0 ? 0 : (guint) ceil ((double) rows[i] / (double) most * BAR_WIDTH);

      assay_tensor_summary_bucket (summary, i * join, &low, &high);
      g_string_append_printf (text, "  %12.5g  ", low);
      for (guint k = 0; k < width; k++)
        g_string_append (text, "▒");
      assay_terminal_append_format (text, "%s%" G_GSIZE_FORMAT "\n", width > 0 ? " " : "", rows[i]);
    }
}

/**
 * assay_tensor_report_to_text:
 * @name: of the value
 * @tensor: its elements
 * @summary: (nullable): their statistics; none of text
 * @colours: whether to use terminal colours
 * @length: (out) (optional): bytes of the text
 *
 * Tells people what a tensor is like.
 *
 * Returns: (transfer full): the text
 */
char *
assay_tensor_report_to_text (const char *name, AssayTensor *tensor,
                             const AssayTensorSummary *summary, gboolean colours, gsize *length)
{
  g_auto (AssayTextTable) table = { 0 };
  g_autofree char *bytes = g_format_size_full (assay_tensor_get_n_bytes (tensor),
                                               G_FORMAT_SIZE_IEC_UNITS);
  GString *text = g_string_new (NULL);

  assay_terminal_append_styled (text, name, ASSAY_TEXT_STYLE_BOLD, colours);
  g_string_append_c (text, '\n');
  assay_text_table_init (&table, 2, 48);
  assay_text_table_take_fact (&table, "type", describe_type (tensor));
  assay_text_table_take_fact (
      &table, "elements",
      g_strdup_printf ("%" G_GSIZE_FORMAT ", %s", assay_tensor_get_n_elements (tensor), bytes));
  for (guint i = 0; summary != NULL && i < G_N_ELEMENTS (numbers); i++)
    {
      double number = G_STRUCT_MEMBER (double, &summary->statistics, numbers[i].offset);

      assay_text_table_take_fact (&table, numbers[i].name,
                                  isfinite (number) ? g_strdup_printf ("%.9g", number)
                                                    : g_strdup ("none"));
    }
  for (guint i = 0; summary != NULL && i < G_N_ELEMENTS (counts); i++)
    assay_text_table_take_fact (
        &table, counts[i].title,
        g_strdup_printf ("%" G_GSIZE_FORMAT,
                         G_STRUCT_MEMBER (gsize, &summary->statistics, counts[i].offset)));
  assay_text_table_print (&table, text, colours);
  if (summary != NULL)
    append_histogram (text, summary);

  if (length != NULL)
    *length = text->len;
  return g_string_free (text, FALSE);
}

static void
write_summary (AssayJsonWriter *json, const AssayTensorSummary *summary)
{
  assay_json_writer_begin_member_object (json, "statistics");
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      assay_json_writer_member_double (
          json, numbers[i].name, G_STRUCT_MEMBER (double, &summary->statistics, numbers[i].offset));
    }
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    {
      assay_json_writer_member_uint (
          json, counts[i].name, G_STRUCT_MEMBER (gsize, &summary->statistics, counts[i].offset));
    }
  assay_json_writer_begin_member_array (json, "histogram");
  for (guint i = 0; i < ASSAY_SUMMARY_BUCKETS; i++)
    assay_json_writer_uint (json, summary->histogram[i]);
  assay_json_writer_end_array (json);
  assay_json_writer_end_object (json);
}

/**
 * assay_tensor_report_to_json:
 * @model: path of the model as the user gave it
 * @name: of the value
 * @tensor: its elements
 * @summary: (nullable): their statistics; none of text
 * @written: (nullable): path of the file that the elements were written to
 * @length: (out) (optional): bytes of the text
 *
 * Writes what a tensor is like as one JSON document of the schema `assay.tensor/1`.
 *
 * Returns: (transfer full): the text
 */
char *
assay_tensor_report_to_json (const char *model, const char *name, AssayTensor *tensor,
                             const AssayTensorSummary *summary, const char *written, gsize *length)
{
  AssayJsonWriter json;

  assay_json_writer_begin_document (&json, 1, "assay.tensor/1");
  assay_json_writer_member (&json, "model", model);
  assay_json_writer_member (&json, "name", name);
  assay_json_writer_member (&json, "type", assay_dtype_name (assay_tensor_get_dtype (tensor)));
  assay_json_writer_begin_member_array (&json, "shape");
  for (guint i = 0; i < assay_tensor_get_rank (tensor); i++)
    assay_json_writer_int (&json, assay_tensor_get_dims (tensor)[i]);
  assay_json_writer_end_array (&json);
  assay_json_writer_member_uint (&json, "elements", assay_tensor_get_n_elements (tensor));
  assay_json_writer_member_uint (&json, "bytes", assay_tensor_get_n_bytes (tensor));
  if (summary != NULL)
    write_summary (&json, summary);
  assay_json_writer_member (&json, "written", written);
  return assay_json_writer_end_document (&json, length);
}
