/* assay-json-reader.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "text/assay-json-reader.h"

#include <string.h>

#include "base/assay-error.h"
#include "text/assay-json-writer.h"
#include "base/assay-file-read.h"

/* As much as a session with a large comparison has; files of targets are a thousandth of it. */
#define MAX_BYTES (64 * 1024 * 1024)

/* A person reads no more hints than this, and each takes a while to find. */
#define MAX_HINTS 100

/**
 * assay_json_reader_new_any:
 * @bytes: a JSON text
 * @name: name of the file, for messages
 * @arena: (nullable): keeps the strings that are read and outlives the reader; %NULL if they need
 * not
 * @findings: (nullable): gets what is wrong, %NULL if assay_json_reader_finish() is enough
 * @error: return location for a #GError
 *
 * Parses a text for reading, whatever its value is.
 *
 * Returns: (transfer full) (nullable): the reader, or %NULL with %ASSAY_ERROR_INVALID
 */
AssayJsonReader *
assay_json_reader_new_any (GBytes *bytes, const char *name, AssayArena *arena,
                           AssayFindings *findings, GError **error)
{
  g_autoptr (AssayJsonReader) self = g_new0 (AssayJsonReader, 1);
  g_autoptr (GError) local = NULL;
  gsize length;
  const char *text = g_bytes_get_data (bytes, &length);

  if (arena == NULL)
    self->own_arena = arena = assay_arena_new ();
  self->name = assay_arena_intern (arena, name);
  self->arena = arena;
  self->findings = findings != NULL ? assay_findings_ref (findings) : assay_findings_new ();
  self->first_finding = assay_findings_get_count (self->findings);
  self->path = g_string_new (NULL);
  self->bytes = g_bytes_ref (bytes);

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

  self->root = assay_json_parse (text, length, &local);
  if (self->root == NULL)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: %s", name, local->message);
      return NULL;
    }

  return g_steal_pointer (&self);
}

/**
 * assay_json_reader_new:
 * @bytes: a JSON text whose value is an object
 * @name: name of the file, for messages
 * @arena: (nullable): keeps the strings that are read and outlives the reader; %NULL if they need
 * not
 * @findings: (nullable): gets what is wrong, %NULL if assay_json_reader_finish() is enough
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
  g_autoptr (AssayJsonReader)
      self = assay_json_reader_new_any (bytes, name, arena, findings, error);

  if (self != NULL && !JSON_NODE_HOLDS_OBJECT (self->root))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "%s: line 1, column 1: an object expected", name);
      return NULL;
    }

  return g_steal_pointer (&self);
}

/**
 * assay_json_reader_load:
 * @path: a file whose value is an object
 * @findings: (nullable): gets what is wrong, %NULL if assay_json_reader_finish() is enough
 * @error: return location for a #GError
 *
 * Parses a file for reading.
 *
 * Returns: (transfer full) (nullable): the reader, or %NULL with %ASSAY_ERROR_IO or
 * %ASSAY_ERROR_INVALID
 */
AssayJsonReader *
assay_json_reader_load (const char *path, AssayFindings *findings, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  char *text;
  gsize length;

  if (!assay_file_read (path, ASSAY_FILE_READ_TEXT, &text, &length, error))
    return NULL;

  bytes = g_bytes_new_take (text, length);
  return assay_json_reader_new (bytes, path, NULL, findings, error);
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

  g_clear_pointer (&self->index, assay_json_index_free);
  g_clear_pointer (&self->root, json_node_unref);
  g_clear_pointer (&self->bytes, g_bytes_unref);
  g_string_free (self->path, TRUE);
  assay_findings_unref (self->findings);
  g_clear_pointer (&self->own_arena, assay_arena_free);
  g_free (self);
}

/**
 * assay_json_reader_finish:
 * @self: a reader
 * @error: return location for a #GError
 *
 * Ends reading: the first thing that was wrong is the error.
 *
 * Returns: whether nothing was wrong; otherwise %ASSAY_ERROR_INVALID with file, line and member
 */
gboolean
assay_json_reader_finish (AssayJsonReader *self, GError **error)
{
  const char *message = NULL;

  if (self->n_errors == 0)
    return TRUE;

  /* Each error is a finding. */
  for (guint i = self->first_finding; message == NULL; i++)
    {
      const AssayFinding *finding = assay_findings_get (self->findings, i);

      if (finding->severity == ASSAY_SEVERITY_ERROR)
        message = finding->message;
    }
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: %s%s", self->name, message,
               self->n_errors > 1 ? "; there is more that is wrong" : "");

  return FALSE;
}

/**
 * assay_json_reader_root_node:
 * @self: a reader
 *
 * Gets the outermost value.
 *
 * Returns: (transfer none): the value
 */
JsonNode *
assay_json_reader_root_node (AssayJsonReader *self)
{
  return self->root;
}

/**
 * assay_json_reader_root:
 * @self: a reader of assay_json_reader_new()
 *
 * Gets the outermost object.
 *
 * Returns: (transfer none): the object
 */
JsonObject *
assay_json_reader_root (AssayJsonReader *self)
{
  return json_node_get_object (self->root);
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

  if (mark > 0)
    g_string_append_c (self->path, '.');
  g_string_append (self->path, member);

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
 * assay_json_reader_find:
 * @self: a reader
 * @path: path of a member, such as `rules[3].when[0]`
 * @line: (out): line, from 1
 * @column: (out): column in bytes, from 1
 * @offset: (out): byte, from 0
 *
 * Finds where a member stands in the file, or the nearest parent of one that is missing.
 *
 * Returns: whether the member itself exists
 */
gboolean
assay_json_reader_find (AssayJsonReader *self, const char *path, guint *line, guint *column,
                        gsize *offset)
{
  gsize length;
  const char *text = g_bytes_get_data (self->bytes, &length);

  if (self->index == NULL)
    self->index = assay_json_index_new (text, length);

  return assay_json_index_find (self->index, path, line, column, offset);
}

static void complain (AssayJsonReader *self, const char *format, va_list args) G_GNUC_PRINTF (2, 0);

static void
complain (AssayJsonReader *self, const char *format, va_list args)
{
  g_autofree char *message = g_strdup_vprintf (format, args);
  guint line, column;
  gsize offset;

  assay_json_reader_find (self, self->path->str, &line, &column, &offset);
  assay_findings_add (self->findings, ASSAY_SEVERITY_ERROR, "target.invalid", self->name, NULL,
                      self->path->str, (gint64) offset, "line %u, column %u: %s%s%s", line, column,
                      self->path->str, self->path->len > 0 ? ": " : "", message);
  self->n_errors++;
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
  va_list args;

  va_start (args, format);
  complain (self, format, args);
  va_end (args);
}

/**
 * assay_json_reader_complain_at:
 * @self: a reader
 * @member: a member of the object where the reader is
 * @format: what is wrong with it
 * @...: arguments of @format
 *
 * Adds a finding about a member.
 */
void
assay_json_reader_complain_at (AssayJsonReader *self, const char *member, const char *format, ...)
{
  gsize mark = assay_json_reader_enter (self, member);
  va_list args;

  va_start (args, format);
  complain (self, format, args);
  va_end (args);
  assay_json_reader_leave (self, mark);
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
  g_autofree char *text = node != NULL ? assay_json_node_to_text (node, 0) : g_strdup ("nothing");

  /* A file can put a whole tree in the wrong place. */
  if (strlen (text) > 60)
    {
      *g_utf8_find_prev_char (text, text + 58) = '\0';
      assay_json_reader_complain (self, "%s expected, got %s…", expected, text);
    }
  else
    assay_json_reader_complain (self, "%s expected, got %s", expected, text);
}

/**
 * assay_json_reader_expect_at:
 * @self: a reader
 * @object: the object where the reader is
 * @member: a member of it, there or not
 * @expected: what it should be, in words
 *
 * Adds the finding that something else was expected of a member.
 */
void
assay_json_reader_expect_at (AssayJsonReader *self, JsonObject *object, const char *member,
                             const char *expected)
{
  gsize mark = assay_json_reader_enter (self, member);

  assay_json_reader_expect (self, json_object_get_member (object, member), expected);
  assay_json_reader_leave (self, mark);
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
      guint d = distance (name, candidate);

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
