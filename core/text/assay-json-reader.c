/* assay-json-reader.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "text/assay-json-reader.h"

#include <string.h>

#include "base/assay-error.h"

/* As much as a session with a large comparison has; files of targets are a thousandth of it. */
#define MAX_BYTES (64 * 1024 * 1024)

/* A person reads no more hints than this, and each takes a while to find. */
#define MAX_HINTS 100

/**
 * assay_json_reader_new:
 * @bytes: a JSON text whose value is an object
 * @name: name of the file, for messages
 * @arena: keeps the strings that are read; outlives the reader
 * @findings: gets what is wrong
 * @error: return location for a #GError
 *
 * Parses a text for reading.
 *
 * Returns: (transfer full) (nullable): the reader, or %NULL with %ASSAY_ERROR_INVALID
 */
AssayJsonReader *
assay_json_reader_new (GBytes *bytes, const char *name, AssayArena *arena, AssayFindings *findings,
                       GError **error)
{
  g_autoptr (AssayJsonReader) self = g_new0 (AssayJsonReader, 1);
  g_autoptr (GError) local = NULL;
  gsize length;
  const char *text = g_bytes_get_data (bytes, &length);

  self->name = assay_arena_intern (arena, name);
  self->arena = arena;
  self->findings = findings;
  self->path = g_string_new (NULL);
  self->parser = json_parser_new_immutable ();

  if (length > MAX_BYTES)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "%s: %" G_GSIZE_FORMAT " bytes are more than such a file can have (%d)", name,
                   length, MAX_BYTES);
      return NULL;
    }
  if (length == 0 || !g_utf8_validate (text, (gssize) length, NULL))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: not a JSON text in UTF-8", name);
      return NULL;
    }

  /* First, as it bounds the nesting. */
  self->index = assay_json_index_new (text, length, &local);
  if (self->index == NULL ||
      !json_parser_load_from_data (self->parser, text, (gssize) length, &local))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: %s", name, local->message);
      return NULL;
    }
  if (json_parser_get_root (self->parser) == NULL ||
      !JSON_NODE_HOLDS_OBJECT (json_parser_get_root (self->parser)))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: line 1: an object expected", name);
      return NULL;
    }

  return g_steal_pointer (&self);
}

/**
 * assay_json_reader_free:
 * @self: (nullable): a reader
 *
 * Frees a reader.
 */
void
assay_json_reader_free (AssayJsonReader *self)
{
  if (self == NULL)
    return;

  assay_json_index_free (self->index);
  g_clear_object (&self->parser);
  g_string_free (self->path, TRUE);
  g_free (self);
}

/**
 * assay_json_reader_root:
 * @self: a reader
 *
 * Gets the outermost object.
 *
 * Returns: (transfer none): the object
 */
JsonObject *
assay_json_reader_root (AssayJsonReader *self)
{
  return json_node_get_object (json_parser_get_root (self->parser));
}

/**
 * assay_json_reader_enter:
 * @self: a reader
 * @member: name of a member
 *
 * Goes down to a member.
 *
 * Returns: a mark for assay_json_reader_leave()
 */
gsize
assay_json_reader_enter (AssayJsonReader *self, const char *member)
{
  gsize mark = self->path->len;

  g_string_append_printf (self->path, "%s%s", mark > 0 ? "." : "", member);
  return mark;
}

/**
 * assay_json_reader_enter_element:
 * @self: a reader
 * @index: an element of a list
 *
 * Goes down to an element.
 *
 * Returns: a mark for assay_json_reader_leave()
 */
gsize
assay_json_reader_enter_element (AssayJsonReader *self, guint index)
{
  gsize mark = self->path->len;

  g_string_append_printf (self->path, "[%u]", index);
  return mark;
}

/**
 * assay_json_reader_leave:
 * @self: a reader
 * @mark: what the function that went down gave
 *
 * Goes up again.
 */
void
assay_json_reader_leave (AssayJsonReader *self, gsize mark)
{
  g_string_truncate (self->path, mark);
}

/**
 * assay_json_reader_complain:
 * @self: a reader
 * @format: what is wrong with the place where the reader is
 * @...: arguments of @format
 *
 * Adds a finding.
 */
void
assay_json_reader_complain (AssayJsonReader *self, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;
  guint line, column;
  gsize offset;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);

  assay_json_index_find (self->index, self->path->str, &line, &column, &offset);
  assay_findings_add (self->findings, ASSAY_SEVERITY_ERROR, "target.invalid", self->name, NULL,
                      self->path->str, (gint64) offset, "line %u: %s%s%s", line, self->path->str,
                      self->path->len > 0 ? ": " : "", message);
  self->n_errors++;
}

/**
 * assay_json_reader_expect:
 * @self: a reader
 * @node: (nullable): what is there
 * @expected: what should be, in words
 *
 * Adds the finding that something else was expected.
 */
void
assay_json_reader_expect (AssayJsonReader *self, JsonNode *node, const char *expected)
{
  g_autofree char *text = node != NULL ? json_to_string (node, FALSE) : g_strdup ("nothing");

  /* A file can put a whole tree in the wrong place. */
  if (strlen (text) > 60)
    {
      *g_utf8_find_prev_char (text, text + 58) = '\0';
      assay_json_reader_complain (self, "%s expected, got %s…", expected, text);
    }
  else
    assay_json_reader_complain (self, "%s expected, got %s", expected, text);
}

static guint
distance (const char *a, const char *b)
{
  gsize n = strlen (a), m = strlen (b);
  guint row[64];

  if (n > 60 || m > 60)
    return G_MAXUINT;

  for (guint j = 0; j <= m; j++)
    row[j] = j;

  for (guint i = 1; i <= n; i++)
    {
      guint diagonal = row[0];

      row[0] = i;
      for (guint j = 1; j <= m; j++)
        {
          guint above = row[j];
          guint change = diagonal + (g_ascii_tolower (a[i - 1]) != g_ascii_tolower (b[j - 1]));

          row[j] = MIN (change, MIN (above, row[j - 1]) + 1);
          diagonal = above;
        }
    }

  return row[m];
}

/**
 * assay_json_reader_unknown:
 * @self: a reader
 * @what: kind of name, such as `predicate`
 * @name: the name
 * @candidates: (element-type utf8): names there are
 *
 * Adds the finding that a name is unknown, with the nearest one there is.
 */
void
assay_json_reader_unknown (AssayJsonReader *self, const char *what, const char *name,
                           GPtrArray *candidates)
{
  const char *best = NULL;
  guint best_distance = (guint) MIN (strlen (name), 60) / 3 + 2;

  for (guint i = 0; i < candidates->len && self->n_errors < MAX_HINTS; i++)
    {
      const char *candidate = g_ptr_array_index (candidates, i);
      guint d = candidate != NULL ? distance (name, candidate) : G_MAXUINT;

      if (d < best_distance)
        {
          best_distance = d;
          best = candidate;
        }
    }

  if (best != NULL)
    assay_json_reader_complain (self, "unknown %s \"%.60s\"; did you mean \"%s\"?", what, name,
                                best);
  else
    assay_json_reader_complain (self, "unknown %s \"%.60s\"", what, name);
}

/**
 * assay_json_reader_members:
 * @self: a reader
 * @object: the object where the reader is
 * @allowed: (array zero-terminated=1): members it may have
 * @required: (nullable) (array zero-terminated=1): members it has to have
 *
 * Checks the names of the members.
 *
 * Returns: whether they are right
 */
gboolean
assay_json_reader_members (AssayJsonReader *self, JsonObject *object, const char *const *allowed,
                           const char *const *required)
{
  g_autoptr (GList) members = json_object_get_members (object);
  g_autoptr (GPtrArray) candidates = g_ptr_array_new ();
  guint before = self->n_errors;

  for (const char *const *name = allowed; *name != NULL; name++)
    g_ptr_array_add (candidates, (gpointer) *name);

  for (GList *l = members; l != NULL; l = l->next)
    if (!g_strv_contains (allowed, l->data))
      {
        gsize mark = assay_json_reader_enter (self, l->data);

        assay_json_reader_unknown (self, "member", l->data, candidates);
        assay_json_reader_leave (self, mark);
      }

  for (const char *const *name = required; name != NULL && *name != NULL; name++)
    if (!json_object_has_member (object, *name))
      assay_json_reader_complain (self, "member \"%s\" is missing", *name);

  return self->n_errors == before;
}

/**
 * assay_json_node_is_string:
 * @node: (nullable): a node
 *
 * Tells whether a node holds a string.
 *
 * Returns: whether it does
 */
gboolean
assay_json_node_is_string (JsonNode *node)
{
  return node != NULL && JSON_NODE_HOLDS_VALUE (node) &&
         json_node_get_value_type (node) == G_TYPE_STRING;
}

/**
 * assay_json_node_is_integer:
 * @node: (nullable): a node
 *
 * Tells whether a node holds an integer.
 *
 * Returns: whether it does
 */
gboolean
assay_json_node_is_integer (JsonNode *node)
{
  return node != NULL && JSON_NODE_HOLDS_VALUE (node) &&
         json_node_get_value_type (node) == G_TYPE_INT64;
}

/**
 * assay_json_node_is_number:
 * @node: (nullable): a node
 *
 * Tells whether a node holds a number, whole or not.
 *
 * Returns: whether it does
 */
gboolean
assay_json_node_is_number (JsonNode *node)
{
  return assay_json_node_is_integer (node) || (node != NULL && JSON_NODE_HOLDS_VALUE (node) &&
                                               json_node_get_value_type (node) == G_TYPE_DOUBLE);
}

/* Every read of one member has this form; @expected is set where the member has another kind. */
static JsonNode *
member_of (AssayJsonReader *self, JsonObject *object, const char *member,
           gboolean (*is_right) (JsonNode *node), const char *expected)
{
  JsonNode *node = json_object_get_member (object, member);
  gsize mark;

  if (node == NULL || is_right (node))
    return node;

  mark = assay_json_reader_enter (self, member);
  assay_json_reader_expect (self, node, expected);
  assay_json_reader_leave (self, mark);

  return NULL;
}

static gboolean
is_bool (JsonNode *node)
{
  return JSON_NODE_HOLDS_VALUE (node) && json_node_get_value_type (node) == G_TYPE_BOOLEAN;
}

static gboolean
is_object (JsonNode *node)
{
  return JSON_NODE_HOLDS_OBJECT (node);
}

static gboolean
is_array (JsonNode *node)
{
  return JSON_NODE_HOLDS_ARRAY (node);
}

/**
 * assay_json_reader_string:
 * @self: a reader
 * @object: an object
 * @member: a member of it
 *
 * Reads a string.
 *
 * Returns: (transfer none) (nullable): the string, of the arena, or %NULL if it is not there
 */
const char *
assay_json_reader_string (AssayJsonReader *self, JsonObject *object, const char *member)
{
  JsonNode *node = member_of (self, object, member, assay_json_node_is_string, "string");

  return node != NULL ? assay_arena_intern (self->arena, json_node_get_string (node)) : NULL;
}

/**
 * assay_json_reader_bool:
 * @self: a reader
 * @object: an object
 * @member: a member of it
 * @fallback: the value if it is not there
 *
 * Reads true or false.
 *
 * Returns: the value
 */
gboolean
assay_json_reader_bool (AssayJsonReader *self, JsonObject *object, const char *member,
                        gboolean fallback)
{
  JsonNode *node = member_of (self, object, member, is_bool, "true or false");

  return node != NULL ? json_node_get_boolean (node) : fallback;
}

/**
 * assay_json_reader_choice:
 * @self: a reader
 * @object: an object
 * @member: a member of it
 * @names: (array zero-terminated=1): strings it may be
 * @fallback: the value if it is not there or wrong
 *
 * Reads one of a list of strings.
 *
 * Returns: index into @names
 */
int
assay_json_reader_choice (AssayJsonReader *self, JsonObject *object, const char *member,
                          const char *const *names, int fallback)
{
  g_autoptr (GPtrArray) candidates = NULL;
  const char *string = assay_json_reader_string (self, object, member);
  gsize mark;

  if (string == NULL)
    return fallback;

  candidates = g_ptr_array_new ();
  for (int i = 0; names[i] != NULL; i++)
    {
      if (g_str_equal (names[i], string))
        return i;
      g_ptr_array_add (candidates, (gpointer) names[i]);
    }

  mark = assay_json_reader_enter (self, member);
  assay_json_reader_unknown (self, member, string, candidates);
  assay_json_reader_leave (self, mark);

  return fallback;
}

/**
 * assay_json_reader_object:
 * @self: a reader
 * @object: an object
 * @member: a member of it
 *
 * Reads an object.
 *
 * Returns: (transfer none) (nullable): the object, or %NULL if it is not there
 */
JsonObject *
assay_json_reader_object (AssayJsonReader *self, JsonObject *object, const char *member)
{
  JsonNode *node = member_of (self, object, member, is_object, "object");

  return node != NULL ? json_node_get_object (node) : NULL;
}

/**
 * assay_json_reader_array:
 * @self: a reader
 * @object: an object
 * @member: a member of it
 *
 * Reads a list.
 *
 * Returns: (transfer none) (nullable): the list, or %NULL if it is not there
 */
JsonArray *
assay_json_reader_array (AssayJsonReader *self, JsonObject *object, const char *member)
{
  JsonNode *node = member_of (self, object, member, is_array, "list");

  return node != NULL ? json_node_get_array (node) : NULL;
}

/**
 * assay_json_reader_strings:
 * @self: a reader, at the node
 * @node: (nullable): a string or a list of strings
 * @expected: what it should be, in words
 *
 * Reads one string or several.
 *
 * Returns: (transfer container) (element-type utf8): the strings, of the arena; what is none is
 * left out
 */
GPtrArray *
assay_json_reader_strings (AssayJsonReader *self, JsonNode *node, const char *expected)
{
  GPtrArray *strings = g_ptr_array_new ();

  if (assay_json_node_is_string (node))
    g_ptr_array_add (strings,
                     (gpointer) assay_arena_intern (self->arena, json_node_get_string (node)));
  else if (node != NULL && JSON_NODE_HOLDS_ARRAY (node))
    {
      JsonArray *array = json_node_get_array (node);

      for (guint i = 0; i < json_array_get_length (array); i++)
        {
          JsonNode *element = json_array_get_element (array, i);

          if (assay_json_node_is_string (element))
            g_ptr_array_add (strings, (gpointer) assay_arena_intern (
                                          self->arena, json_node_get_string (element)));
          else
            {
              gsize mark = assay_json_reader_enter_element (self, i);

              assay_json_reader_expect (self, element, "string");
              assay_json_reader_leave (self, mark);
            }
        }
    }
  else if (node != NULL)
    assay_json_reader_expect (self, node, expected);

  return strings;
}
