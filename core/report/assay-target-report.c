/* assay-target-report.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/assay-target-report.h"

#include "text/assay-json-writer.h"
#include "text/assay-text-table.h"

/**
 * assay_target_report_load:
 * @error: return location for a #GError
 *
 * Loads all targets that ship.
 *
 * Returns: (transfer full) (nullable) (element-type AssayTarget): the targets
 */
GPtrArray *
assay_target_report_load (GError **error)
{
  g_auto (GStrv) ids = assay_target_list ();
  g_autoptr (GPtrArray)
      targets = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_target_unref);

  for (guint i = 0; ids[i] != NULL; i++)
    {
      AssayTarget *target = assay_target_load (ids[i], error);

      if (target == NULL)
        return NULL;
      g_ptr_array_add (targets, target);
    }

  return g_steal_pointer (&targets);
}

/**
 * assay_target_report_to_json:
 * @targets: (element-type AssayTarget): the targets
 * @length: (out): bytes of the text
 *
 * Writes what targets there are as a JSON document of the schema `assay.targets/1`.
 *
 * Returns: (transfer full): the text
 */
char *
assay_target_report_to_json (GPtrArray *targets, gsize *length)
{
  AssayJsonWriter json;

  assay_json_writer_begin_document (&json, 2, "assay.targets/1");
  assay_json_writer_begin_member_array (&json, "targets");
  for (guint i = 0; i < targets->len; i++)
    {
      AssayTarget *target = g_ptr_array_index (targets, i);

      assay_json_writer_begin_object (&json);
      assay_json_writer_member (&json, "id", assay_target_get_id (target));
      assay_json_writer_member (&json, "title", assay_target_get_title (target));
      assay_json_writer_member (&json, "family", assay_target_get_family (target));
      assay_json_writer_member (&json, "summary", assay_target_get_summary (target));
      assay_json_writer_end_object (&json);
    }
  assay_json_writer_end_array (&json);

  return assay_json_writer_end_document (&json, length);
}

/**
 * assay_target_report_to_text:
 * @targets: (element-type AssayTarget): the targets
 * @colours: whether to write terminal sequences
 * @length: (out): bytes of the text
 *
 * Writes what targets there are as a table.
 *
 * Returns: (transfer full): the text
 */
char *
assay_target_report_to_text (GPtrArray *targets, gboolean colours, gsize *length)
{
  GString *text = g_string_new (NULL);
  g_auto (AssayTextTable) table = { 0 };

  assay_text_table_init (&table, 3, 48);
  for (guint i = 0; i < targets->len; i++)
    {
      AssayTarget *target = g_ptr_array_index (targets, i);

      assay_text_table_add (&table, assay_target_get_id (target), ASSAY_TEXT_STYLE_BOLD);
      assay_text_table_add (&table, assay_target_get_family (target), ASSAY_TEXT_STYLE_DIM);
      assay_text_table_add (&table, assay_target_get_title (target), ASSAY_TEXT_STYLE_PLAIN);
    }
  assay_text_table_print (&table, text, colours);
  *length = text->len;

  return g_string_free (text, FALSE);
}
