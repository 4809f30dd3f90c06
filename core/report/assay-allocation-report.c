/* assay-allocation-report.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/assay-sentence.h"
#include "base/assay-error.h"
#include "report/assay-build-report.h"
#include "report/assay-report-text.h"
#include "text/assay-text-table.h"

/* What is smaller is summed up. */
#define MAX_LIVE_ROWS 12

static void
append_rows (GString *text, const AssayAllocation *allocation, gboolean colours)
{
  g_autoptr (GArray) rows = assay_allocation_group_live (allocation);
  g_auto (AssayTextTable) table = { 0 };
  guint64 rest = 0;

  assay_report_append_heading (
      text, allocation->tensor != NULL ? "What lies there at that step" : "What lies there",
      colours);
  assay_text_table_init (&table, 4, 48);
  assay_text_table_set_right (&table, 0);
  for (guint i = 0; i < rows->len; i++)
    {
      const AssayLiveGroup *row = &g_array_index (rows, AssayLiveGroup, i);
      gboolean for_good = row->died == G_MAXUINT32;

      if (i >= MAX_LIVE_ROWS)
        {
          rest += row->blocks;
          continue;
        }
      assay_text_table_take (&table, g_strdup_printf ("%u", row->blocks), ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_take (&table,
                             row->n > 1
                                 ? g_strdup_printf ("%s, %u vectors", row->first->name, row->n)
                                 : g_strdup (row->first->name),
                             ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_take (&table,
                             for_good ? g_strdup ("for good")
                                      : g_strdup_printf ("steps %u to %u", row->born, row->died),
                             ASSAY_TEXT_STYLE_DIM);
      assay_text_table_take (
          &table, for_good ? g_strdup ("") : g_strdup_printf ("last read by %s", row->last->reader),
          ASSAY_TEXT_STYLE_DIM);
    }
  assay_text_table_print (&table, text, colours);
  if (rest > 0)
    g_string_append_printf (text, "  and %" G_GUINT64_FORMAT " block%s of %u more\n", rest,
                            assay_plural (rest), rows->len - MAX_LIVE_ROWS);
}

/* What no placement can change: how much is needed of every store, and how much there is. */
static void
append_needs (GString *text, const AssayAllocation *allocation, gboolean colours)
{
  g_auto (AssayTextTable) table = { 0 };

  assay_report_append_heading (text, "Blocks needed at once on all cores together", colours);
  assay_text_table_init (&table, 3, 48);
  assay_text_table_set_right (&table, 0);
  for (guint i = 0; i < allocation->needs->len; i++)
    {
      const AssayStoreNeed *need = &g_array_index (allocation->needs, AssayStoreNeed, i);
      gboolean over = need->needed > need->depth;

      assay_text_table_take (&table, g_strdup_printf ("%" G_GUINT64_FORMAT, need->needed),
                             over ? ASSAY_TEXT_STYLE_BAD : ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_take (&table, g_strdup_printf ("of %" G_GUINT64_FORMAT, need->depth),
                             ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_add (&table, need->store, ASSAY_TEXT_STYLE_DIM);
    }
  assay_text_table_print (&table, text, colours);
}

/**
 * assay_allocation_report_append_live:
 * @text: gets the lines
 * @allocation: why a program does not fit
 * @colours: whether to write terminal sequences
 *
 * Writes what is needed in all, and what lies in the store that is full.
 */
void
assay_allocation_report_append_live (GString *text, const AssayAllocation *allocation,
                                     gboolean colours)
{
  if (allocation->needs->len > 0)
    append_needs (text, allocation, colours);
  if (allocation->live->len > 0)
    append_rows (text, allocation, colours);
}

/**
 * assay_allocation_report_append_ways_out:
 * @text: gets the lines
 * @allocation: why a program does not fit
 * @colours: whether to write terminal sequences
 *
 * Writes what was tried and helps.
 */
void
assay_allocation_report_append_ways_out (GString *text, const AssayAllocation *allocation,
                                         gboolean colours)
{
  g_auto (AssayTextTable) table = { 0 };

  assay_report_append_heading (text, "Ways out that were tried and fit", colours);
  if (allocation->ways_out->len == 0)
    {
      g_string_append (
          text, "  none: not streaming, not another target that ships, not a smaller input, not a "
                "split\n");
      return;
    }

  assay_text_table_init (&table, 3, 72);
  for (guint i = 0; i < allocation->ways_out->len; i++)
    {
      const AssayWayOut *way = &g_array_index (allocation->ways_out, AssayWayOut, i);

      assay_text_table_add (&table, way->action, ASSAY_TEXT_STYLE_PLAIN);
      assay_text_table_take (&table, assay_allocation_describe_way (allocation, way),
                             ASSAY_TEXT_STYLE_GOOD);
      assay_text_table_add (&table, way->option != NULL ? way->option : "", ASSAY_TEXT_STYLE_DIM);
    }
  assay_text_table_print (&table, text, colours);
}

/**
 * assay_allocation_report_to_json:
 * @allocation: why a program does not fit
 * @message: the same in one sentence
 * @command: name of the command
 * @length: (out): bytes of the result
 *
 * Writes a document whose member `error` tells everything about a failed allocation.
 *
 * Returns: (transfer full): the document
 */
char *
assay_allocation_report_to_json (const AssayAllocation *allocation, const char *message,
                                 const char *command, gsize *length)
{
  g_autofree char *schema = g_strdup_printf ("assay.%s/1", command);
  AssayJsonWriter json;

  assay_json_writer_begin_document (&json, 3, schema);
  assay_json_writer_begin_member_object (&json, "error");
  assay_json_writer_member (&json, "code", assay_error_code_name (ASSAY_ERROR_ALLOCATION));
  assay_json_writer_member (&json, "message", message);
  assay_json_writer_member (&json, "store", allocation->store);
  assay_json_writer_member_int (&json, "core", allocation->core);
  assay_json_writer_member_int (&json, "depth", allocation->depth);
  assay_json_writer_member_int (&json, "needed", allocation->needed);
  assay_json_writer_member_int (&json, "available", allocation->available);
  assay_json_writer_member_int (&json, "largest_hole", allocation->largest_hole);
  if (allocation->needs->len > 0)
    {
      assay_json_writer_begin_member_array (&json, "stores");
      for (guint i = 0; i < allocation->needs->len; i++)
        {
          const AssayStoreNeed *need = &g_array_index (allocation->needs, AssayStoreNeed, i);

          assay_json_writer_begin_object (&json);
          assay_json_writer_member (&json, "store", need->store);
          assay_json_writer_member_int (&json, "needed", (gint64) need->needed);
          assay_json_writer_member_int (&json, "depth", (gint64) need->depth);
          assay_json_writer_end_object (&json);
        }
      assay_json_writer_end_array (&json);
    }
  if (allocation->tensor != NULL)
    {
      assay_json_writer_member_int (&json, "step", allocation->step);
      assay_json_writer_member (&json, "tensor", allocation->tensor);
      assay_json_writer_member (&json, "node", allocation->node);
    }

  assay_json_writer_begin_member_array (&json, "live");
  for (guint i = 0; i < allocation->live->len; i++)
    {
      const AssayLiveTensor *live = &g_array_index (allocation->live, AssayLiveTensor, i);

      assay_json_writer_begin_object (&json);
      assay_json_writer_member (&json, "tensor", live->name);
      assay_json_writer_member_int (&json, "blocks", live->blocks);
      assay_json_writer_member (&json, "node", live->node);
      assay_json_writer_member_int (&json, "address", live->base);
      assay_json_writer_member_int (&json, "born", live->born);
      assay_json_writer_key (&json, "died");
      if (live->died == G_MAXUINT32)
        assay_json_writer_null (&json);
      else
        assay_json_writer_int (&json, live->died);
      assay_json_writer_member (&json, "reader", live->reader);
      assay_json_writer_end_object (&json);
    }
  assay_json_writer_end_array (&json);

  assay_json_writer_begin_member_array (&json, "ways_out");
  for (guint i = 0; i < allocation->ways_out->len; i++)
    {
      const AssayWayOut *way = &g_array_index (allocation->ways_out, AssayWayOut, i);

      assay_json_writer_begin_object (&json);
      assay_json_writer_member (&json, "action", way->action);
      assay_json_writer_member_int (&json, "blocks_freed", way->blocks_freed);
      if (way->option != NULL)
        assay_json_writer_member (&json, "option", way->option);
      assay_json_writer_end_object (&json);
    }
  assay_json_writer_end_array (&json);
  assay_json_writer_end_object (&json);
  return assay_json_writer_end_document (&json, length);
}
