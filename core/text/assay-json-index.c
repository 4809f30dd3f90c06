/* assay-json-index.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "text/assay-json-index.h"

#include <string.h>

#include "base/assay-error.h"

/* json-glib recurses per level; a target file needs about ten. */
#define MAX_DEPTH 48

/* What bounds the memory for a hostile text: longer paths are refused, and past so many members the
 * nearest parent has to do. The largest file that ships has five thousand members. */
#define MAX_PATH 512
#define MAX_POSITIONS 200000

typedef struct
{
  guint line;
  guint column;
  gsize offset;
} Position;

struct _AssayJsonIndex
{
  GHashTable *positions; /* owned path -> owned Position */
};

typedef struct
{
  const char *text;
  gsize length;
  gsize at;
  guint line;
  gsize line_start;
  GString *path;
  gsize n_characters; /* of the names that lead here */
  AssayJsonIndex *index;
  GError **error;
} Scanner;

static gboolean
complain (Scanner *self, const char *message)
{
  g_set_error (self->error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "line %u, column %u: %s", self->line,
               (guint) (self->at - self->line_start) + 1, message);
  return FALSE;
}

static void
skip_space (Scanner *self)
{
  for (; self->at < self->length; self->at++)
    {
      char c = self->text[self->at];

      if (c == '\n')
        {
          self->line++;
          self->line_start = self->at + 1;
        }
      else if (c != ' ' && c != '\t' && c != '\r')
        break;
    }
}

static char
peek (Scanner *self)
{
  skip_space (self);
  return self->at < self->length ? self->text[self->at] : '\0';
}

static void
remember (Scanner *self)
{
  Position *position;

  skip_space (self);
  if (g_hash_table_size (self->index->positions) >= MAX_POSITIONS)
    return;

  position = g_new (Position, 1);
  position->line = self->line;
  position->column = (guint) (self->at - self->line_start) + 1;
  position->offset = self->at;
  g_hash_table_replace (self->index->positions, g_strndup (self->path->str, self->path->len),
                        position);
}

/* Four digits behind a backslash and a u. */
static gboolean
is_code_point (const Scanner *self)
{
  if (self->at + 5 >= self->length || self->text[self->at + 1] != 'u')
    return FALSE;
  for (gsize i = 2; i < 6; i++)
    if (!g_ascii_isxdigit (self->text[self->at + i]))
      return FALSE;

  return TRUE;
}

/* Leaves the raw characters between the quotes: names of members that need escapes are found by no
 * path anyway. An escape counts as one of @n_characters, so that a text that is written again is
 * not longer. */
static gboolean
scan_string (Scanner *self, const char **begin, gsize *length, gsize *n_characters)
{
  gsize start;

  *n_characters = 0;

  if (peek (self) != '"')
    return complain (self, "a string in double quotes expected");

  start = ++self->at;
  for (; self->at < self->length; self->at++)
    {
      char c = self->text[self->at];

      if (c == '"')
        {
          *begin = self->text + start;
          *length = self->at++ - start;
          return TRUE;
        }
      if (c == '\n')
        break;
      *n_characters += ((guchar) c & 0xc0) != 0x80;
      if (c == '\\' && self->at + 1 < self->length)
        self->at += is_code_point (self) ? 5 : 1;
    }

  return complain (self, "the string does not end on its line");
}

static gboolean
scan_word (Scanner *self)
{
  gsize start = self->at;

  while (self->at < self->length &&
         (g_ascii_isalnum (self->text[self->at]) || strchr ("+-.", self->text[self->at]) != NULL))
    {
      if (self->text[self->at] == '\0')
        break;
      self->at++;
    }

  return self->at > start ? TRUE : complain (self, "a value expected");
}

static gboolean
scan_value (Scanner *self, guint depth)
{
  gsize mark = self->path->len;
  gsize level = self->n_characters;
  gsize length, n_characters;
  const char *begin;
  char c;

  if (depth > MAX_DEPTH)
    return complain (self, "nested deeper than " G_STRINGIFY (MAX_DEPTH) " levels");
  if (self->n_characters > MAX_PATH)
    return complain (self, "the names of the members that lead here are too long");

  remember (self);
  c = peek (self);

  if (c == '"')
    return scan_string (self, &begin, &length, &n_characters);
  if (c != '{' && c != '[')
    return scan_word (self);

  self->at++;
  if (peek (self) == (c == '{' ? '}' : ']'))
    {
      self->at++;
      return TRUE;
    }

  for (guint i = 0;; i++)
    {
      if (c == '{')
        {
          if (!scan_string (self, &begin, &length, &n_characters))
            return FALSE;
          self->n_characters = level + n_characters;
          if (mark > 0)
            g_string_append_c (self->path, '.');
          g_string_append_len (self->path, begin, (gssize) length);
          if (g_hash_table_contains (self->index->positions, self->path->str))
            return complain (self, "a member of this name was there before");
          if (peek (self) != ':')
            return complain (self, "':' expected after the name of the member");
          self->at++;
        }
      else
        g_string_append_printf (self->path, "[%u]", i);

      if (!scan_value (self, depth + 1))
        return FALSE;
      g_string_truncate (self->path, mark);
      self->n_characters = level;

      switch (peek (self))
        {
        case ',':
          self->at++;
          break;
        case '}':
        case ']':
          if (self->text[self->at] != (c == '{' ? '}' : ']'))
            return complain (self, c == '{' ? "'}' expected" : "']' expected");
          self->at++;
          return TRUE;
        default:
          return complain (self, c == '{' ? "',' or '}' expected" : "',' or ']' expected");
        }
    }
}

/**
 * assay_json_index_new:
 * @text: a JSON text
 * @length: its bytes
 * @error: return location for a #GError
 *
 * Notes line and column of every value of a text, and refuses what is too deep or has a member
 * twice.
 *
 * Returns: (transfer full) (nullable): the index, or %NULL with %ASSAY_ERROR_INVALID
 */
AssayJsonIndex *
assay_json_index_new (const char *text, gsize length, GError **error)
{
  g_autoptr (AssayJsonIndex) self = g_new0 (AssayJsonIndex, 1);
  g_autoptr (GString) path = g_string_new (NULL);
  Scanner scanner = {
    .text = text, .length = length, .line = 1, .path = path, .index = self, .error = error
  };

  self->positions = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);

  if (!scan_value (&scanner, 0))
    return NULL;
  if (peek (&scanner) != '\0' || scanner.at < length)
    {
      complain (&scanner, "nothing expected after the end of the value");
      return NULL;
    }

  return g_steal_pointer (&self);
}

/**
 * assay_json_index_free:
 * @self: (nullable): an index
 *
 * Frees an index.
 */
void
assay_json_index_free (AssayJsonIndex *self)
{
  if (self == NULL)
    return;

  g_hash_table_unref (self->positions);
  g_free (self);
}

/**
 * assay_json_index_find:
 * @self: an index
 * @path: path of a member; of one that is missing, that of the nearest parent that exists is found
 * @line: (out): line, from 1
 * @column: (out): column in bytes, from 1
 * @offset: (out): byte, from 0
 *
 * Finds where a member stands.
 *
 * Returns: whether the member itself exists
 */
gboolean
assay_json_index_find (const AssayJsonIndex *self, const char *path, guint *line, guint *column,
                       gsize *offset)
{
  g_autofree char *part = g_strdup (path);
  const Position *position = g_hash_table_lookup (self->positions, part);
  gboolean exact = position != NULL;

  while (position == NULL && *part != '\0')
    {
      char *dot = strrchr (part, '.');
      char *bracket = strrchr (part, '[');

      *MAX (MAX (dot, bracket), part) = '\0';
      position = g_hash_table_lookup (self->positions, part);
    }

  *line = position != NULL ? position->line : 1;
  *column = position != NULL ? position->column : 1;
  *offset = position != NULL ? position->offset : 0;

  return exact;
}
