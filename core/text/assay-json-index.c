/* assay-json-index.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "text/assay-json-index.h"

#include <errno.h>
#include <string.h>

#include "base/assay-error.h"

/* The reader recurses per level; a target file needs about ten. */
#define MAX_DEPTH 48

/* What bounds the memory for a hostile text: longer paths are refused, and past so many members the
 * nearest parent has to do. The largest file that ships has five thousand members. */
#define MAX_PATH 512
#define MAX_POSITIONS 200000

/* A value takes about a hundred bytes in a tree, and who needs more of them than this has names and
 * words between them. */
#define MANY_VALUES 1000000
#define BYTES_OF_VALUE 16

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
  GString *path;      /* of an index; else the string or the word that was read last */
  gsize n_characters; /* of the names that lead here */
  gsize n_values;
  AssayJsonIndex *index; /* NULL while a tree is made */
  GError **error;
} Scanner;

/* The characters between the quotes of a string. */
typedef struct
{
  const char *begin;
  gsize length;
  gsize n_characters;
  gboolean escapes;
} Raw;

static gboolean scan_value (Scanner *self, guint depth, JsonNode **node);

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
scan_string (Scanner *self, Raw *raw)
{
  gsize start;

  *raw = (Raw){ 0 };

  if (peek (self) != '"')
    return complain (self, "a string in double quotes expected");

  start = ++self->at;
  for (; self->at < self->length; self->at++)
    {
      char c = self->text[self->at];

      if (c == '"')
        {
          raw->begin = self->text + start;
          raw->length = self->at++ - start;
          return TRUE;
        }
      if (c == '\n')
        break;
      raw->n_characters += ((guchar) c & 0xc0) != 0x80;
      if (c == '\\')
        {
          raw->escapes = TRUE;
          if (self->at + 1 < self->length)
            self->at += is_code_point (self) ? 5 : 1;
        }
    }

  return complain (self, "the string does not end on its line");
}

/* The number of \uNNNN at @p, or -1. */
static int
code_unit (const char *p, const char *end)
{
  int unit = 0;

  if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
    return -1;
  for (guint i = 2; i < 6; i++)
    {
      if (!g_ascii_isxdigit (p[i]))
        return -1;
      unit = unit * 16 + g_ascii_xdigit_value (p[i]);
    }

  return unit;
}

/* The character of an escape and its bytes; 0 for none, and for the one that no string here can
 * hold. */
static gunichar
read_escape (const char *p, const char *end, gsize *length)
{
  static const char letters[] = "\"\\/bfnrt";
  static const char meanings[] = "\"\\/\b\f\n\r\t";
  /* No string ends behind a backslash. */
  const char *letter = strchr (letters, p[1]);
  int unit = code_unit (p, end);
  int low;

  *length = 2;
  if (letter != NULL)
    return (guchar) meanings[letter - letters];

  *length = 6;
  if (unit < 0xd800 || unit > 0xdfff)
    return unit > 0 ? (gunichar) unit : 0;

  *length = 12;
  low = code_unit (p + 6, end);

  return unit < 0xdc00 && low >= 0xdc00 && low <= 0xdfff
             ? 0x10000u + (((guint) unit & 0x3ff) << 10 | ((guint) low & 0x3ff))
             : 0;
}

/* What a string means. */
static gboolean
decode (Scanner *self, const Raw *raw, GString *text)
{
  const char *end = raw->begin + raw->length;

  g_string_truncate (text, 0);
  for (const char *p = raw->begin; raw->escapes && p < end;)
    {
      gsize length = 1;
      gunichar c;

      if (*p != '\\')
        {
          g_string_append_c (text, *p++);
          continue;
        }
      c = read_escape (p, end, &length);
      if (c == 0)
        return complain (self, "the string has an escape that is none");
      g_string_append_unichar (text, c);
      p += length;
    }
  if (!raw->escapes)
    g_string_append_len (text, raw->begin, (gssize) raw->length);

  return TRUE;
}

static gboolean
read_string (Scanner *self, JsonNode **node)
{
  Raw raw;

  if (!scan_string (self, &raw))
    return FALSE;
  if (node == NULL)
    return TRUE;
  if (!decode (self, &raw, self->path))
    return FALSE;
  *node = json_node_init_string (json_node_alloc (), self->path->str);

  return TRUE;
}

/* Digits from @at on; the first place behind them. */
static gsize
skip_digits (const char *word, gsize at)
{
  while (g_ascii_isdigit (word[at]))
    at++;

  return at;
}

/* A number as JSON has it: no sign of plus, no zero in front, digits on both sides of a point. */
static gboolean
is_number (const char *word, gboolean *whole)
{
  gsize begin = word[0] == '-' ? 1 : 0;
  gsize at = skip_digits (word, begin);
  gsize end;

  *whole = TRUE;
  if (at == begin || (word[begin] == '0' && at > begin + 1))
    return FALSE;
  if (word[at] == '.')
    {
      *whole = FALSE;
      end = skip_digits (word, at + 1);
      if (end == at + 1)
        return FALSE;
      at = end;
    }
  if (word[at] == 'e' || word[at] == 'E')
    {
      *whole = FALSE;
      begin = at + 1 + (word[at + 1] == '-' || word[at + 1] == '+');
      at = skip_digits (word, begin);
      if (at == begin)
        return FALSE;
    }

  return word[at] == '\0';
}

static JsonNode *
word_node (const char *word)
{
  gboolean whole;
  gint64 integer;

  if (g_str_equal (word, "null"))
    return json_node_init_null (json_node_alloc ());
  if (g_str_equal (word, "true") || g_str_equal (word, "false"))
    return json_node_init_boolean (json_node_alloc (), word[0] == 't');
  if (!is_number (word, &whole))
    return NULL;

  errno = 0;
  integer = whole ? g_ascii_strtoll (word, NULL, 10) : 0;
  if (whole && errno == 0)
    return json_node_init_int (json_node_alloc (), integer);

  return json_node_init_double (json_node_alloc (), g_ascii_strtod (word, NULL));
}

static gboolean
scan_word (Scanner *self, JsonNode **node)
{
  gsize start = self->at;

  while (self->at < self->length &&
         (g_ascii_isalnum (self->text[self->at]) || strchr ("+-.", self->text[self->at]) != NULL))
    self->at++;
  if (self->at == start)
    return complain (self, "a value expected");
  if (node == NULL)
    return TRUE;

  g_string_truncate (self->path, 0);
  g_string_append_len (self->path, self->text + start, (gssize) (self->at - start));
  *node = word_node (self->path->str);
  if (*node != NULL)
    return TRUE;

  self->at = start;
  return complain (self, "a value expected; this is no number, true, false or null");
}

/* Behind an element: whether another one follows. */
static gboolean
go_on (Scanner *self, char close, gboolean *more)
{
  char c = peek (self);

  *more = c == ',';
  if (c == ',' || c == close)
    self->at++;
  else if (c == '}' || c == ']')
    return complain (self, close == '}' ? "'}' expected" : "']' expected");
  else
    return complain (self, close == '}' ? "',' or '}' expected" : "',' or ']' expected");

  return TRUE;
}

static gboolean
scan_member (Scanner *self, guint depth, JsonObject *object)
{
  g_autofree char *name = NULL;
  gsize level = self->n_characters;
  gsize mark = self->path->len;
  JsonNode *value = NULL;
  Raw raw;

  if (!scan_string (self, &raw))
    return FALSE;
  if (object != NULL)
    {
      if (!decode (self, &raw, self->path))
        return FALSE;
      name = g_strndup (self->path->str, self->path->len);
      if (json_object_has_member (object, name))
        return complain (self, "a member of this name was there before");
    }
  else
    {
      if (mark > 0)
        g_string_append_c (self->path, '.');
      g_string_append_len (self->path, raw.begin, (gssize) raw.length);
    }
  if (peek (self) != ':')
    return complain (self, "':' expected after the name of the member");
  self->at++;

  self->n_characters = level + raw.n_characters;
  if (!scan_value (self, depth + 1, object != NULL ? &value : NULL))
    return FALSE;
  self->n_characters = level;
  if (object != NULL)
    json_object_set_member (object, name, value);
  else
    g_string_truncate (self->path, mark);

  return TRUE;
}

static gboolean
scan_element (Scanner *self, guint depth, guint index, JsonArray *array)
{
  gsize mark = self->path->len;
  JsonNode *value = NULL;

  if (array == NULL)
    g_string_append_printf (self->path, "[%u]", index);
  if (!scan_value (self, depth + 1, array != NULL ? &value : NULL))
    return FALSE;
  if (array != NULL)
    json_array_add_element (array, value);
  else
    g_string_truncate (self->path, mark);

  return TRUE;
}

static gboolean
scan_container (Scanner *self, guint depth, JsonNode **node)
{
  char close = self->text[self->at++] == '{' ? '}' : ']';
  g_autoptr (JsonObject) object = node != NULL && close == '}' ? json_object_new () : NULL;
  g_autoptr (JsonArray) array = node != NULL && close == ']' ? json_array_new () : NULL;
  gboolean more = peek (self) != close;

  if (!more)
    self->at++;
  for (guint i = 0; more; i++)
    {
      if (!(close == '}' ? scan_member (self, depth, object)
                         : scan_element (self, depth, i, array)) ||
          !go_on (self, close, &more))
        return FALSE;
    }

  if (object != NULL)
    *node = json_node_init_object (json_node_alloc (), object);
  else if (array != NULL)
    *node = json_node_init_array (json_node_alloc (), array);

  return TRUE;
}

static gboolean
scan_value (Scanner *self, guint depth, JsonNode **node)
{
  char c;

  if (depth > MAX_DEPTH)
    return complain (self, "nested deeper than " G_STRINGIFY (MAX_DEPTH) " levels");
  if (self->n_characters > MAX_PATH)
    return complain (self, "the names of the members that lead here are too long");
  if (++self->n_values > MAX (MANY_VALUES, self->length / BYTES_OF_VALUE))
    return complain (self, "more values than such a text can have");

  c = peek (self);
  if (self->index != NULL)
    remember (self);

  if (c == '"')
    return read_string (self, node);
  if (c == '{' || c == '[')
    return scan_container (self, depth, node);

  return scan_word (self, node);
}

static gboolean
scan_text (Scanner *self, JsonNode **node)
{
  if (!scan_value (self, 0, node))
    return FALSE;
  skip_space (self);
  if (self->at < self->length)
    return complain (self, "nothing expected after the end of the value");

  return TRUE;
}

/**
 * assay_json_parse:
 * @text: a JSON text in valid UTF-8, without a character of value 0
 * @length: its bytes
 * @error: return location for a #GError
 *
 * Reads a JSON text to a tree, and refuses what is too deep or has a member twice.
 *
 * Returns: (transfer full) (nullable): the value, or %NULL with %ASSAY_ERROR_INVALID
 */
JsonNode *
assay_json_parse (const char *text, gsize length, GError **error)
{
  g_autoptr (GString) word = g_string_new (NULL);
  g_autoptr (JsonNode) root = NULL;
  Scanner scanner = { .text = text, .length = length, .line = 1, .path = word, .error = error };

  return scan_text (&scanner, &root) ? g_steal_pointer (&root) : NULL;
}

/**
 * assay_json_index_new:
 * @text: a text that assay_json_parse() takes
 * @length: its bytes
 *
 * Notes line and column of every value of a text.
 *
 * Returns: (transfer full): the index
 */
AssayJsonIndex *
assay_json_index_new (const char *text, gsize length)
{
  AssayJsonIndex *self = g_new0 (AssayJsonIndex, 1);
  g_autoptr (GString) path = g_string_new (NULL);
  Scanner scanner = { .text = text, .length = length, .line = 1, .path = path, .index = self };

  self->positions = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  scan_text (&scanner, NULL);

  return self;
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

  /* The value that all others are in has the empty path. */
  while (position == NULL)
    {
      char *dot = strrchr (part, '.');
      char *bracket = strrchr (part, '[');

      *MAX (MAX (dot, bracket), part) = '\0';
      position = g_hash_table_lookup (self->positions, part);
    }

  *line = position->line;
  *column = position->column;
  *offset = position->offset;

  return exact;
}
