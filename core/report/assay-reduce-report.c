/* assay-reduce-report.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/assay-reduce-report.h"

#include "base/assay-sentence.h"
#include "text/assay-json-writer.h"
#include "text/assay-terminal.h"

/**
 * assay_reduce_report_to_text:
 * @reduction: what is left of a model
 * @symptom: what it shows
 * @model: what the model is called
 * @folder: where it was written
 * @length: (out): number of bytes
 *
 * Says what is left, for people.
 *
 * Returns: (transfer full): the text
 */
char *
assay_reduce_report_to_text (const AssayReduction *reduction, const AssaySymptom *symptom,
                             const char *model, const char *folder, gsize *length)
{
  GString *text = g_string_new (NULL);

  assay_terminal_append_format (
      text, "%s: %u of %u node%s %s it (%s: %s), %u model%s tried\n", model, reduction->n_nodes,
      reduction->n_nodes_before, assay_plural (reduction->n_nodes_before),
      assay_noun (reduction->n_nodes, "shows", "show"), symptom->kind->name, reduction->seen,
      reduction->n_tries, assay_plural (reduction->n_tries));
  if (!reduction->is_least)
    g_string_append (text, "All tries were used up; with more --tries fewer nodes may do.\n");
  assay_terminal_append_format (text, "%s/run.sh shows it again\n", folder);

  *length = text->len;
  return g_string_free (text, FALSE);
}

/**
 * assay_reduce_report_to_json:
 * @reduction: what is left of a model
 * @symptom: what it shows
 * @model: what the model is called
 * @folder: where it was written
 * @length: (out): number of bytes
 *
 * Writes what is left as a document with the schema `assay.reduce/1`.
 *
 * Returns: (transfer full): the document
 */
char *
assay_reduce_report_to_json (const AssayReduction *reduction, const AssaySymptom *symptom,
                             const char *model, const char *folder, gsize *length)
{
  AssayJsonWriter json;
  g_autofree char *wanted = assay_symptom_to_string (symptom);

  assay_json_writer_begin_document (&json, 1, "assay.reduce/1");
  assay_json_writer_member (&json, "model", model);
  assay_json_writer_member (&json, "symptom", wanted);
  assay_json_writer_member (&json, "seen", reduction->seen);
  assay_json_writer_member_uint (&json, "nodes_before", reduction->n_nodes_before);
  assay_json_writer_member_uint (&json, "nodes", reduction->n_nodes);
  assay_json_writer_member_uint (&json, "models_tried", reduction->n_tries);
  assay_json_writer_member_bool (&json, "is_least", reduction->is_least);
  assay_json_writer_member (&json, "folder", folder);

  return assay_json_writer_end_document (&json, length);
}
