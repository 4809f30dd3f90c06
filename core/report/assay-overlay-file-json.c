/* assay-overlay-file-json.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/assay-overlay-file-private.h"

#include <math.h>

#include "text/assay-json-reader.h"

typedef struct
{
  AssayOverlayFile *file;
  AssayJsonReader *reader;
} Overlay;

static void
add_value (Overlay *self, const char *name, JsonNode *node)
{
  AssayOverlayFile *file = self->file;

  if (JSON_NODE_HOLDS_NULL (node))
    return;
  if (*name == '\0')
    assay_json_reader_complain (self->reader, "the name of a node expected");
  else if (assay_json_node_is_number (node) && isfinite (json_node_get_double (node)) &&
           file->words->len == 0)
    assay_overlay_file_add (file, name, json_node_get_double (node), NULL);
  else if (assay_json_node_is_string (node) && file->values->len == 0)
    assay_overlay_file_add (file, name, 0, json_node_get_string (node));
  else
    assay_json_reader_expect (self->reader, node,
                              file->values->len > 0  ? "a finite number as before"
                              : file->words->len > 0 ? "a word as before"
                                                     : "a finite number or a word");
}

static const char *
find_member (JsonObject *object, const char *const *names)
{
  guint i = 0;

  while (names[i] != NULL && !json_object_has_member (object, names[i]))
    i++;

  return names[i];
}

/* Elements with a name and a value, each under one of several members. */
static void
read_list (Overlay *self, AssayJsonEach each, const char *const *names, const char *const *values)
{
  while (assay_json_each_next (&each))
    {
      const char *name_at = each.object != NULL ? find_member (each.object, names) : NULL;
      const char *value_at = each.object != NULL ? find_member (each.object, values) : NULL;
      JsonNode *name = name_at != NULL ? json_object_get_member (each.object, name_at) : NULL;

      if (self->reader->n_errors > 0)
        continue;
      if (each.object == NULL)
        assay_json_reader_expect (self->reader, each.node, "an object with name and value");
      else if (!assay_json_node_is_string (name))
        assay_json_reader_expect (self->reader, name, "the name of a node");
      else if (value_at == NULL)
        assay_json_reader_complain (self->reader, "a value expected");
      else if (*json_node_get_string (name) != '\0')
        {
          gsize mark = assay_json_reader_enter (self->reader, value_at);

          add_value (self, json_node_get_string (name),
                     json_object_get_member (each.object, value_at));
          assay_json_reader_leave (self->reader, mark);
        }
    }
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
  { "assay.compare/", "tensors", "node", "own_error", "Own error of a report", "units" },
};

static void
set_words (char **place, const char *words)
{
  if (words == NULL)
    return;
  g_free (*place);
  *place = g_strdup (words);
}

static void
read_report (Overlay *self, JsonObject *root, const char *schema)
{
  for (guint i = 0; i < G_N_ELEMENTS (reports); i++)
    {
      const char *const names[] = { reports[i].name, NULL };
      const char *const values[] = { reports[i].value, NULL };

      if (!g_str_has_prefix (schema, reports[i].schema))
        continue;
      if (!json_object_has_member (root, reports[i].list))
        assay_json_reader_expect_at (self->reader, root, reports[i].list, "list");
      set_words (&self->file->title, reports[i].title);
      set_words (&self->file->unit, reports[i].unit);
      read_list (self, assay_json_each_in_list (self->reader, root, reports[i].list, G_MAXUINT),
                 names, values);
      return;
    }

  assay_json_reader_expect_at (self->reader, root, "schema", "assay.check/1 or assay.compare/1");
}

static void
read_values (Overlay *self, JsonNode *values)
{
  static const char *const names[] = { "name", "node", NULL };
  static const char *const members[] = { "value", NULL };

  if (JSON_NODE_HOLDS_ARRAY (values))
    read_list (self, assay_json_each_in_array (self->reader, json_node_get_array (values)), names,
               members);
  else if (JSON_NODE_HOLDS_OBJECT (values))
    {
      AssayJsonEach each = assay_json_each_in_object (self->reader, json_node_get_object (values),
                                                      NULL);

      while (assay_json_each_next (&each))
        if (self->reader->n_errors == 0)
          add_value (self, each.name, each.node);
    }
  else
    assay_json_reader_expect (self->reader, values,
                              "an object of names and values, or a list of them,");
}

static void
read_root (Overlay *self, JsonNode *root)
{
  JsonObject *object = JSON_NODE_HOLDS_OBJECT (root) ? json_node_get_object (root) : NULL;
  JsonNode *schema = object != NULL ? json_object_get_member (object, "schema") : NULL;
  JsonNode *values = object != NULL ? json_object_get_member (object, "values") : NULL;
  gsize mark;

  if (assay_json_node_is_string (schema) &&
      g_str_has_prefix (json_node_get_string (schema), "assay."))
    read_report (self, object, json_node_get_string (schema));
  else if (values == NULL || JSON_NODE_HOLDS_VALUE (values))
    read_values (self, root);
  else
    {
      set_words (&self->file->title, assay_json_reader_string (self->reader, object, "title"));
      set_words (&self->file->unit, assay_json_reader_string (self->reader, object, "unit"));
      mark = assay_json_reader_enter (self->reader, "values");
      read_values (self, values);
      assay_json_reader_leave (self->reader, mark);
    }
}

/* Reads names and values of a JSON text. */
gboolean
assay_overlay_file_read_json (AssayOverlayFile *self, GBytes *bytes, const char *name,
                              GError **error)
{
  g_autoptr (AssayJsonReader) reader = assay_json_reader_new_any (bytes, name, NULL, NULL, error);
  Overlay overlay = { self, reader };

  if (reader == NULL)
    return FALSE;

  read_root (&overlay, assay_json_reader_root_node (reader));
  return assay_json_reader_finish (reader, error);
}
