/* assay-fix-json.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/assay-error.h"
#include "fix/assay-fix-json.h"

#define SCHEMA "assay.fixes/1"

static void
add_strings (AssayJsonWriter *json, const char *member, char **strings)
{
  assay_json_writer_begin_member_array (json, member);
  for (guint i = 0; strings[i] != NULL; i++)
    assay_json_writer_string (json, strings[i]);
  assay_json_writer_end_array (json);
}

/**
 * assay_fixes_write: (skip)
 * @fixes: (element-type AssayFix): fixes, in the order in which they were applied
 * @json: a writer inside an object
 *
 * Writes fixes as the member `fixes` of another document.
 */
void
assay_fixes_write (GPtrArray *fixes, AssayJsonWriter *json)
{
  assay_json_writer_begin_member_array (json, "fixes");
  for (guint i = 0; i < fixes->len; i++)
    {
      const AssayFix *fix = g_ptr_array_index (fixes, i);

      assay_json_writer_begin_object (json);
      assay_json_writer_member (json, "rewrite", fix->rewrite);
      add_strings (json, "nodes", fix->nodes);
      add_strings (json, "arguments", fix->arguments);
      assay_json_writer_end_object (json);
    }
  assay_json_writer_end_array (json);
}

static char *
write_document (GPtrArray *fixes, guint broken_depth, gsize *length)
{
  AssayJsonWriter json;

  assay_json_writer_begin_document (&json, broken_depth, SCHEMA);
  assay_fixes_write (fixes, &json);
  return assay_json_writer_end_document (&json, length);
}

/**
 * assay_fixes_to_json:
 * @fixes: (element-type AssayFix): fixes, in the order in which they were applied
 * @length: (out) (optional): length of the text
 *
 * Writes fixes as a JSON document with the schema `assay.fixes/1`.
 *
 * Returns: (transfer full): the text
 */
char *
assay_fixes_to_json (GPtrArray *fixes, gsize *length)
{
  return write_document (fixes, 3, length);
}

/**
 * assay_fixes_to_argument:
 * @fixes: (element-type AssayFix): fixes, in the order in which they were applied
 *
 * Writes the document of assay_fixes_to_json() on one line, as `assay fix --fixes` takes it beside
 * the path of a file.
 *
 * Returns: (transfer full): the text, not quoted for a shell
 */
char *
assay_fixes_to_argument (GPtrArray *fixes)
{
  return g_strchomp (write_document (fixes, 0, NULL));
}

static const char *const *
as_strv (GPtrArray *strings)
{
  if (strings == NULL)
    return NULL;
  g_ptr_array_add (strings, NULL);

  return (const char *const *) strings->pdata;
}

static AssayFix *
read_fix (AssayJsonReader *reader, JsonObject *object)
{
  static const char *const allowed[] = { "rewrite", "nodes", "arguments", NULL };
  static const char *const required[] = { "rewrite", NULL };
  g_autoptr (GPtrArray) nodes = NULL;
  g_autoptr (GPtrArray) arguments = NULL;
  const char *rewrite;

  if (!assay_json_reader_members (reader, object, allowed, required))
    return NULL;

  rewrite = assay_json_reader_string (reader, object, "rewrite");
  if (rewrite == NULL)
    return NULL;
  if (json_object_has_member (object, "nodes"))
    nodes = assay_json_reader_strings (reader, json_object_get_member (object, "nodes"),
                                       "names of nodes");
  if (json_object_has_member (object, "arguments"))
    arguments = assay_json_reader_strings (reader, json_object_get_member (object, "arguments"),
                                           "NAME=VALUE");
  for (guint i = 0; arguments != NULL && i < arguments->len; i++)
    if (strchr (g_ptr_array_index (arguments, i), '=') == NULL)
      {
        assay_json_reader_complain (reader, "argument \"%s\": expected NAME=VALUE",
                                    (const char *) g_ptr_array_index (arguments, i));
        return NULL;
      }

  return assay_fix_new (rewrite, as_strv (nodes), as_strv (arguments));
}

/**
 * assay_fixes_read: (skip)
 * @reader: a reader
 * @object: an object that may have a list of fixes, called `fixes`
 *
 * Reads a list of fixes out of another document. A fix that cannot be read is a finding and the
 * others are kept.
 *
 * Returns: (transfer full) (element-type AssayFix): the fixes
 */
GPtrArray *
assay_fixes_read (AssayJsonReader *reader, JsonObject *object)
{
  GPtrArray *fixes = assay_fixes_new ();
  AssayJsonEach each = assay_json_each_in_list (reader, object, "fixes", G_MAXUINT);

  while (assay_json_each_next_object (&each))
    {
      AssayFix *fix = read_fix (reader, each.object);

      if (fix != NULL)
        g_ptr_array_add (fixes, fix);
    }

  return fixes;
}

/**
 * assay_fixes_from_json:
 * @text: (array length=length): a JSON document
 * @length: its length, -1 if it ends with a zero
 * @name: name of the file, for messages
 * @findings: gets what is wrong, each with its line
 * @error: return location for a #GError
 *
 * Reads fixes that assay_fixes_to_json() has written. A fix that cannot be read is a finding, and
 * the others are kept.
 *
 * Returns: (transfer full) (nullable) (element-type AssayFix): the fixes, or %NULL with
 * %ASSAY_ERROR_INVALID if the text is no such document
 */
GPtrArray *
assay_fixes_from_json (const char *text, gssize length, const char *name, AssayFindings *findings,
                       GError **error)
{
  static const char *const allowed[] = { "schema", "fixes", NULL };
  g_autoptr (GBytes) bytes = g_bytes_new (text, length < 0 ? strlen (text) : (gsize) length);
  g_autoptr (AssayJsonReader) reader = assay_json_reader_new (bytes, name, NULL, findings, error);
  JsonObject *root;

  if (reader == NULL)
    return NULL;

  root = assay_json_reader_root (reader);
  if (assay_json_reader_members (reader, root, allowed, allowed) &&
      assay_json_reader_schema (reader, root, SCHEMA))
    return assay_fixes_read (reader, root);

  assay_json_reader_finish (reader, error);
  return NULL;
}
