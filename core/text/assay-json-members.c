/* assay-json-members.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Members of objects and elements of lists, each with its type checked.
 */
#include "text/assay-json-reader.h"

#include <math.h>

static void
complain_unknown (AssayJsonReader *self, const char *member, const char *const *allowed)
{
  g_autoptr (GPtrArray) candidates = g_ptr_array_new ();
  gsize mark = assay_json_reader_enter (self, member);

  for (const char *const *name = allowed; *name != NULL; name++)
    g_ptr_array_add (candidates, (gpointer) *name);
  assay_json_reader_unknown (self, "member", member, candidates);
  assay_json_reader_leave (self, mark);
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
  guint before = self->n_errors;
  JsonObjectIter iter;
  const char *member;

  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &member, NULL))
    if (!g_strv_contains (allowed, member))
      complain_unknown (self, member, allowed);

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

  if (node == NULL || is_right (node))
    return node;

  assay_json_reader_expect_at (self, object, member, expected);
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
  AssayJsonEach each = assay_json_each_in_node (self, node);

  while (assay_json_each_next (&each))
    if (assay_json_node_is_string (each.node))
      g_ptr_array_add (
          strings, (gpointer) assay_arena_intern (self->arena, json_node_get_string (each.node)));
    else
      assay_json_reader_expect (self, each.node, each.node == node ? expected : "string");

  return strings;
}

/**
 * assay_json_reader_strings_at:
 * @self: a reader
 * @object: an object
 * @member: a member of it: a string or a list of strings, or not there
 * @expected: what it should be, in words
 *
 * Reads one string or several.
 *
 * Returns: (transfer container) (element-type utf8): the strings, of the arena; what is none is
 * left out
 */
GPtrArray *
assay_json_reader_strings_at (AssayJsonReader *self, JsonObject *object, const char *member,
                              const char *expected)
{
  gsize mark = assay_json_reader_enter (self, member);
  GPtrArray *strings = assay_json_reader_strings (self, json_object_get_member (object, member),
                                                  expected);

  assay_json_reader_leave (self, mark);
  return strings;
}

/**
 * assay_json_reader_int:
 * @self: a reader
 * @object: an object
 * @member: a member of it
 * @least: the least it may be
 * @most: the most it may be
 * @fallback: the value if it is not there or wrong
 *
 * Reads a whole number.
 *
 * Returns: the value
 */
gint64
assay_json_reader_int (AssayJsonReader *self, JsonObject *object, const char *member, gint64 least,
                       gint64 most, gint64 fallback)
{
  JsonNode *node = json_object_get_member (object, member);
  g_autofree char *expected = NULL;

  if (node == NULL)
    return fallback;
  if (assay_json_node_is_integer (node) && json_node_get_int (node) >= least &&
      json_node_get_int (node) <= most)
    return json_node_get_int (node);

  if (least == G_MININT64 && most == G_MAXINT64)
    expected = g_strdup ("a whole number");
  else if (most == G_MAXINT64)
    expected = g_strdup_printf ("a whole number of at least %" G_GINT64_FORMAT, least);
  else
    expected = g_strdup_printf ("a whole number from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
                                least, most);
  assay_json_reader_expect_at (self, object, member, expected);
  return fallback;
}

/**
 * assay_json_reader_double:
 * @self: a reader
 * @object: an object
 * @member: a member of it
 * @most: the largest magnitude it may have
 *
 * Reads a number.
 *
 * Returns: the value, 0 if it is not there or wrong
 */
double
assay_json_reader_double (AssayJsonReader *self, JsonObject *object, const char *member,
                          double most)
{
  JsonNode *node = json_object_get_member (object, member);

  if (node == NULL)
    return 0;
  if (assay_json_node_is_number (node) && fabs (json_node_get_double (node)) <= most)
    return json_node_get_double (node);

  assay_json_reader_expect_at (self, object, member, "a number of sensible size");
  return 0;
}

/**
 * assay_json_reader_schema:
 * @self: a reader
 * @object: the outermost object
 * @schema: what its member `schema` has to be
 *
 * Checks what a document says that it is.
 *
 * Returns: whether it is that
 */
gboolean
assay_json_reader_schema (AssayJsonReader *self, JsonObject *object, const char *schema)
{
  JsonNode *node = json_object_get_member (object, "schema");

  if (assay_json_node_is_string (node) && g_str_equal (json_node_get_string (node), schema))
    return TRUE;
  if (assay_json_node_is_string (node))
    assay_json_reader_complain_at (self, "schema", "\"%.60s\", expected \"%s\"",
                                   json_node_get_string (node), schema);
  else
    {
      g_autofree char *expected = g_strdup_printf ("\"%s\"", schema);
      assay_json_reader_expect_at (self, object, "schema", expected);
    }

  return FALSE;
}

/**
 * assay_json_each_in_array:
 * @reader: a reader, at the list
 * @array: (nullable): the list
 *
 * Starts a walk over the elements of a list.
 *
 * Returns: the walk, for assay_json_each_next()
 */
AssayJsonEach
assay_json_each_in_array (AssayJsonReader *reader, JsonArray *array)
{
  gsize mark = reader->path->len;

  return (AssayJsonEach){
    .reader = reader,
    .array = array,
    .n = array != NULL ? json_array_get_length (array) : 0,
    .outer = mark,
    .inner = mark,
  };
}

/**
 * assay_json_each_in_node:
 * @reader: a reader, at the node
 * @node: (nullable): a list, or another value
 *
 * Starts a walk over the elements of a list; another value is its only element.
 *
 * Returns: the walk, for assay_json_each_next()
 */
AssayJsonEach
assay_json_each_in_node (AssayJsonReader *reader, JsonNode *node)
{
  AssayJsonEach self;

  if (node != NULL && JSON_NODE_HOLDS_ARRAY (node))
    return assay_json_each_in_array (reader, json_node_get_array (node));

  self = assay_json_each_in_array (reader, NULL);
  self.node = node;
  self.n = node != NULL ? 1 : 0;
  return self;
}

/**
 * assay_json_each_in_list:
 * @reader: a reader
 * @object: (nullable): the object where it is
 * @member: a list in it, there or not
 * @most: elements that are read
 *
 * Starts a walk over the elements of a list.
 *
 * Returns: the walk, for assay_json_each_next()
 */
AssayJsonEach
assay_json_each_in_list (AssayJsonReader *reader, JsonObject *object, const char *member,
                         guint most)
{
  JsonArray *array = object != NULL ? assay_json_reader_array (reader, object, member) : NULL;
  gsize outer = assay_json_reader_enter (reader, member);
  AssayJsonEach self = assay_json_each_in_array (reader, array);

  self.n = MIN (self.n, most);
  self.outer = outer;

  return self;
}

/**
 * assay_json_each_in_object:
 * @reader: a reader
 * @object: (nullable): the object where it is
 * @member: (nullable): an object in it, there or not; %NULL for @object itself
 *
 * Starts a walk over the members of an object.
 *
 * Returns: the walk, for assay_json_each_next()
 */
AssayJsonEach
assay_json_each_in_object (AssayJsonReader *reader, JsonObject *object, const char *member)
{
  AssayJsonEach self = { .reader = reader, .outer = reader->path->len };

  if (object != NULL && member != NULL)
    object = assay_json_reader_object (reader, object, member);
  if (object != NULL)
    {
      json_object_iter_init_ordered (&self.iter, object);
      self.is_object = TRUE;
      self.n = json_object_get_size (object);
    }
  if (member != NULL)
    assay_json_reader_enter (reader, member);
  self.inner = reader->path->len;

  return self;
}

/**
 * assay_json_each_next:
 * @self: a walk
 *
 * Goes to the next element or member; the reader is at it until the next call. The last call goes
 * up again.
 *
 * Returns: whether there was one more
 */
gboolean
assay_json_each_next (AssayJsonEach *self)
{
  if (self->next == self->n)
    {
      assay_json_reader_leave (self->reader, self->outer);
      return FALSE;
    }

  assay_json_reader_leave (self->reader, self->inner);
  self->index = self->next++;
  if (self->array != NULL)
    {
      self->node = json_array_get_element (self->array, self->index);
      assay_json_reader_enter_element (self->reader, self->index);
    }
  else if (self->is_object)
    {
      json_object_iter_next_ordered (&self->iter, &self->name, &self->node);
      assay_json_reader_enter (self->reader, self->name);
    }
  self->object = JSON_NODE_HOLDS_OBJECT (self->node) ? json_node_get_object (self->node) : NULL;

  return TRUE;
}

/**
 * assay_json_each_next_object:
 * @self: a walk
 *
 * Goes to the next element or member that is an object, and complains about those that are none.
 *
 * Returns: whether there was one more
 */
gboolean
assay_json_each_next_object (AssayJsonEach *self)
{
  while (assay_json_each_next (self))
    {
      if (self->object != NULL)
        return TRUE;
      assay_json_reader_expect (self->reader, self->node, "object");
    }

  return FALSE;
}
