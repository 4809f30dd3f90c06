/* assay-overlay-file-json.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/assay-overlay-file-private.h"

#include <math.h>
#include <string.h>

#include "base/assay-error.h"
#include "text/assay-json-reader.h"

typedef struct
{
  AssayOverlayFile *file;
  const char *name;
  const AssayJsonIndex *index;
  GString *path;
} Reader;

/* Where the reader is and what it wants to see there. */
static gboolean
fail (Reader *self, const char *expected, GError **error)
{
  guint line = 1, column = 1;
  gsize offset;

  if (!assay_json_index_find (self->index, self->path->str, &line, &column, &offset))
    line = 1;
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: line %u: %s%s%s expected", self->name,
               line, self->path->str, self->path->len > 0 ? ": " : "", expected);

  return FALSE;
}

static gboolean
add_value (Reader *self, const char *name, JsonNode *node, GError **error)
{
  gboolean is_number = node != NULL && assay_json_node_is_number (node);
  gboolean is_word = node != NULL && assay_json_node_is_string (node);

  if (node != NULL && JSON_NODE_HOLDS_NULL (node))
    return TRUE;
  if (*name == '\0')
    return fail (self, "the name of a node", error);
  if (is_number && isfinite (json_node_get_double (node)) && self->file->words->len == 0)
    assay_overlay_file_add (self->file, name, json_node_get_double (node), NULL);
  else if (is_word && self->file->values->len == 0)
    assay_overlay_file_add (self->file, name, 0, json_node_get_string (node));
  else
    return fail (self,
                 self->file->values->len > 0  ? "a finite number as before"
                 : self->file->words->len > 0 ? "a word as before"
                                              : "a finite number or a word",
                 error);

  return TRUE;
}

static gboolean
read_map (Reader *self, JsonObject *object, GError **error)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *node;
  gsize mark = self->path->len;

  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &name, &node))
    {
      g_string_append_printf (self->path, "%s%s", mark > 0 ? "." : "", name);
      if (!add_value (self, name, node, error))
        return FALSE;
      g_string_truncate (self->path, mark);
    }

  return TRUE;
}

static JsonNode *
find_member (JsonObject *object, const char *const *names, const char **found)
{
  for (guint i = 0; names[i] != NULL; i++)
    if (json_object_has_member (object, names[i]))
      {
        *found = names[i];
        return json_object_get_member (object, names[i]);
      }

  return NULL;
}

static gboolean
read_list (Reader *self, JsonArray *array, const char *const *names, const char *const *values,
           GError **error)
{
  gsize mark = self->path->len;

  for (guint i = 0; i < json_array_get_length (array); i++)
    {
      JsonNode *element = json_array_get_element (array, i);
      JsonNode *name, *value;
      const char *member = NULL;
      gsize inner;

      g_string_append_printf (self->path, "[%u]", i);
      if (!JSON_NODE_HOLDS_OBJECT (element))
        return fail (self, "an object with name and value", error);
      name = find_member (json_node_get_object (element), names, &member);
      if (name == NULL || !assay_json_node_is_string (name))
        return fail (self, "the name of a node", error);
      value = find_member (json_node_get_object (element), values, &member);
      if (value == NULL)
        return fail (self, "a value", error);
      inner = self->path->len;
      g_string_append_printf (self->path, ".%s", member);
      if (!JSON_NODE_HOLDS_NULL (name) && *json_node_get_string (name) != '\0' &&
          !add_value (self, json_node_get_string (name), value, error))
        return FALSE;
      g_string_truncate (self->path, inner);
      g_string_truncate (self->path, mark);
    }

  return TRUE;
}

/* Reports of our own: which list has the nodes, what they are called there, and what colours them.
 */
static const struct
{
  const char *schema;
  const char *list;
  const char *name;
  const char *value;
  const char *title;
  const char *unit;
} reports[] = {
  { "assay.check/", "nodes", "name", "verdict", "Verdict of a report", "" },
  { "assay.compare/", "tensors", "node", "own_error", "Own error of a report", "ULP" },
};

static gboolean
read_report (Reader *self, JsonObject *root, const char *schema, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (reports); i++)
    {
      const char *const names[] = { reports[i].name, NULL };
      const char *const values[] = { reports[i].value, NULL };
      JsonNode *list;

      if (!g_str_has_prefix (schema, reports[i].schema))
        continue;
      list = json_object_get_member (root, reports[i].list);
      g_string_assign (self->path, reports[i].list);
      if (list == NULL || !JSON_NODE_HOLDS_ARRAY (list))
        return fail (self, "a list", error);
      g_free (self->file->title);
      self->file->title = g_strdup (reports[i].title);
      g_free (self->file->unit);
      self->file->unit = g_strdup (reports[i].unit);
      return read_list (self, json_node_get_array (list), names, values, error);
    }

  g_string_assign (self->path, "schema");
  return fail (self, "assay.check/1 or assay.compare/1", error);
}

static gboolean
take_words (Reader *self, JsonObject *root, const char *member, char **place, GError **error)
{
  JsonNode *node = json_object_get_member (root, member);

  if (node == NULL)
    return TRUE;
  if (!assay_json_node_is_string (node))
    {
      g_string_assign (self->path, member);
      return fail (self, "a text", error);
    }
  g_free (*place);
  *place = g_strdup (json_node_get_string (node));

  return TRUE;
}

static gboolean
read_values (Reader *self, JsonNode *values, GError **error)
{
  static const char *const names[] = { "name", "node", NULL };
  static const char *const members[] = { "value", NULL };

  if (JSON_NODE_HOLDS_ARRAY (values))
    return read_list (self, json_node_get_array (values), names, members, error);
  if (JSON_NODE_HOLDS_OBJECT (values))
    return read_map (self, json_node_get_object (values), error);

  return fail (self, "an object of names and values, or a list of them,", error);
}

static gboolean
read_root (Reader *self, JsonNode *root, GError **error)
{
  JsonObject *object;
  JsonNode *values, *schema;

  if (!JSON_NODE_HOLDS_OBJECT (root))
    return read_values (self, root, error);

  object = json_node_get_object (root);
  schema = json_object_get_member (object, "schema");
  if (schema != NULL && assay_json_node_is_string (schema) &&
      g_str_has_prefix (json_node_get_string (schema), "assay."))
    return read_report (self, object, json_node_get_string (schema), error);

  values = json_object_get_member (object, "values");
  if (values == NULL || JSON_NODE_HOLDS_VALUE (values))
    return read_values (self, root, error);

  if (!take_words (self, object, "title", &self->file->title, error) ||
      !take_words (self, object, "unit", &self->file->unit, error))
    return FALSE;
  g_string_assign (self->path, "values");

  return read_values (self, values, error);
}

/* Reads names and values of a JSON text. */
gboolean
assay_overlay_file_read_json (AssayOverlayFile *self, const char *text, gsize length,
                              const char *name, GError **error)
{
  g_autoptr (GError) local = NULL;
  /* First, as it bounds the nesting. */
  g_autoptr (AssayJsonIndex) index = assay_json_index_new (text, length, &local);
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  Reader reader = { self, name, index, NULL };
  gboolean ok;

  if (index == NULL || !json_parser_load_from_data (parser, text, (gssize) length, &local) ||
      json_parser_get_root (parser) == NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: %s", name,
                   local != NULL ? local->message : "line 1: names and values expected");
      return FALSE;
    }

  reader.path = g_string_new (NULL);
  ok = read_root (&reader, json_parser_get_root (parser), error);
  g_string_free (reader.path, TRUE);

  return ok;
}
