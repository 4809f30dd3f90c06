/* assay-fix-json.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/assay-error.h"
#include "fix/assay-fix-json.h"

#define SCHEMA "assay.fixes/1"

static void
add_strings (JsonBuilder *builder, const char *member, char **strings)
{
  json_builder_set_member_name (builder, member);
  json_builder_begin_array (builder);
  for (guint i = 0; strings[i] != NULL; i++)
    json_builder_add_string_value (builder, strings[i]);
  json_builder_end_array (builder);
}

/**
 * assay_fixes_build: (skip)
 * @fixes: (element-type AssayFix): fixes, in the order in which they were applied
 * @builder: a builder that expects a value
 *
 * Writes fixes as a list within another document.
 */
void
assay_fixes_build (GPtrArray *fixes, JsonBuilder *builder)
{
  json_builder_begin_array (builder);
  for (guint i = 0; i < fixes->len; i++)
    {
      const AssayFix *fix = g_ptr_array_index (fixes, i);

      json_builder_begin_object (builder);
      json_builder_set_member_name (builder, "rewrite");
      json_builder_add_string_value (builder, fix->rewrite);
      add_strings (builder, "nodes", fix->nodes);
      add_strings (builder, "arguments", fix->arguments);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static char *
write_document (GPtrArray *fixes, gboolean pretty, gsize *length)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonGenerator) generator = json_generator_new ();
  g_autoptr (JsonNode) root = NULL;

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "schema");
  json_builder_add_string_value (builder, SCHEMA);
  json_builder_set_member_name (builder, "fixes");
  assay_fixes_build (fixes, builder);
  json_builder_end_object (builder);

  root = json_builder_get_root (builder);
  json_generator_set_root (generator, root);
  json_generator_set_pretty (generator, pretty);

  return json_generator_to_data (generator, length);
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
  return write_document (fixes, TRUE, length);
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
  return write_document (fixes, FALSE, NULL);
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
read_fix (AssayJsonReader *reader, JsonNode *node)
{
  static const char *const allowed[] = { "rewrite", "nodes", "arguments", NULL };
  static const char *const required[] = { "rewrite", NULL };
  g_autoptr (GPtrArray) nodes = NULL;
  g_autoptr (GPtrArray) arguments = NULL;
  JsonObject *object;
  const char *rewrite;

  if (!JSON_NODE_HOLDS_OBJECT (node))
    {
      assay_json_reader_expect (reader, node, "an object");
      return NULL;
    }
  object = json_node_get_object (node);
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
 * @reader: a reader, at the list
 * @array: (nullable): the list
 *
 * Reads a list of fixes out of another document. A fix that cannot be read is a finding and the
 * others are kept.
 *
 * Returns: (transfer full) (element-type AssayFix): the fixes
 */
GPtrArray *
assay_fixes_read (AssayJsonReader *reader, JsonArray *array)
{
  GPtrArray *fixes = assay_fixes_new ();

  for (guint i = 0; array != NULL && i < json_array_get_length (array); i++)
    {
      gsize inner = assay_json_reader_enter_element (reader, i);
      AssayFix *fix = read_fix (reader, json_array_get_element (array, i));

      if (fix != NULL)
        g_ptr_array_add (fixes, fix);
      assay_json_reader_leave (reader, inner);
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
  g_autoptr (AssayArena) arena = assay_arena_new ();
  g_autoptr (AssayJsonReader) reader = assay_json_reader_new (bytes, name, arena, findings, error);
  GPtrArray *fixes;
  JsonObject *root;
  JsonArray *array;
  const char *schema;
  gsize mark;

  if (reader == NULL)
    return NULL;

  root = assay_json_reader_root (reader);
  schema = root != NULL && assay_json_reader_members (reader, root, allowed, allowed)
               ? assay_json_reader_string (reader, root, "schema")
               : NULL;
  if (g_strcmp0 (schema, SCHEMA) != 0)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "%s: expected an object with \"schema\": \"" SCHEMA "\" and \"fixes\"", name);
      return NULL;
    }

  array = assay_json_reader_array (reader, root, "fixes");
  mark = assay_json_reader_enter (reader, "fixes");
  fixes = assay_fixes_read (reader, array);
  assay_json_reader_leave (reader, mark);

  return fixes;
}
