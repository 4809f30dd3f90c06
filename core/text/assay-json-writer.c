/* assay-json-writer.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "text/assay-json-writer.h"

#include <math.h>
#include <string.h>

#include "text/assay-terminal.h"

/* Eight times the same byte. */
#define EACH(byte) (G_GUINT64_CONSTANT (0x0101010101010101) * (byte))

/* Longer strings do not get room for what they could become, but for what they do. */
#define MAX_QUOTED_AT_ONCE 4096

/* Room for so many bytes behind a text, which they become a part of. */
static char *
extend (GString *text, gsize n)
{
  gsize at = text->len;

  /* What g_string_set_size() does, without the call that a document makes for each of its parts. */
  if (text->allocated_len - at > n)
    {
      text->len = at + n;
      text->str[text->len] = 0;
    }
  else
    {
      g_string_set_size (text, at + n);
    }

  return text->str + at;
}

static void
new_line (AssayJsonWriter *self)
{
  char *at = extend (self->text, 1 + 2 * self->depth);

  *at = '\n';
  memset (at + 1, ' ', 2 * self->depth);
}

/* What stands before a value or a key: a comma, a line break, or nothing after a key. */
static void
separate (AssayJsonWriter *self)
{
  if (self->after_key)
    {
      self->after_key = FALSE;
      return;
    }

  if (self->depth == 0)
    return;

  if (self->filled & (1ull << self->depth))
    *extend (self->text, 1) = ',';
  self->filled |= 1ull << self->depth;

  if (self->depth <= self->broken_depth)
    new_line (self);
  else if (self->text->str[self->text->len - 1] == ',')
    *extend (self->text, 1) = ' ';
}

static void
open_level (AssayJsonWriter *self, char bracket)
{
  /* One bit per level says whether it has an element already. */
  g_assert (self->depth < ASSAY_JSON_WRITER_MAX_DEPTH);

  separate (self);
  g_string_append_c (self->text, bracket);
  self->depth++;
  self->filled &= ~(1ull << self->depth);
}

static void
close_level (AssayJsonWriter *self, char bracket)
{
  gboolean filled = (self->filled >> self->depth) & 1;

  g_assert (self->depth > 0 && !self->after_key);

  self->depth--;
  if (filled && self->depth < self->broken_depth)
    new_line (self);
  g_string_append_c (self->text, bracket);
}

/* ASCII that stands for itself. */
static gboolean
is_plain_byte (guchar byte)
{
  return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
}

static void
append_escaped (GString *text, const char *value, gsize length)
{
  const char *run = value;
  const char *end = value + length;

  for (const char *p = value, *next; p < end; p = next)
    {
      gunichar c = (guchar) *p;

      next = p + 1;
      if (is_plain_byte ((guchar) *p))
        continue;
      if (c >= 0x80)
        {
          c = g_utf8_get_char (p);
          next = g_utf8_next_char (p);
          if (!assay_terminal_steers (c))
            continue;
        }

      g_string_append_len (text, run, p - run);
      run = next;
      switch (c)
        {
        case '"':
          g_string_append_len (text, "\\\"", 2);
          break;
        case '\\':
          g_string_append_len (text, "\\\\", 2);
          break;
        case '\n':
          g_string_append_len (text, "\\n", 2);
          break;
        case '\t':
          g_string_append_len (text, "\\t", 2);
          break;
        default:
          g_string_append_printf (text, "\\u%04x", c);
          break;
        }
    }
  g_string_append_len (text, run, end - run);
}

/* A byte of @word that is zero has its highest bit set; above one that is, others may too. */
static guint64
find_zero (guint64 word)
{
  return (word - EACH (0x01)) & ~word & EACH (0x80);
}

/* The bytes of a word that do not stand for themselves have their highest bit set; above the first
 * such one, others may too. */
static guint64
find_others (guint64 word)
{
  return ((word | (word - EACH (0x20))) & EACH (0x80)) | find_zero (word ^ EACH ('"')) |
         find_zero (word ^ EACH ('\\')) | find_zero (word ^ EACH (0x7f));
}

/* The first bytes of a text as a word, up to eight of them; letters stand for what is missing. */
static guint64
load_word (const char *value, gsize n)
{
  guint64 word = 0;

  if (n >= 8)
    {
      memcpy (&word, value, 8);
      return GUINT64_FROM_LE (word);
    }

  if (n >= 4)
    {
      guint32 low, high;

      memcpy (&low, value, 4);
      memcpy (&high, value + n - 4, 4);
      word = GUINT32_FROM_LE (low) | (guint64) GUINT32_FROM_LE (high) << (8 * (n - 4));
    }
  else
    {
      for (gsize i = 0; i < n; i++)
        word |= (guint64) (guchar) value[i] << (8 * i);
    }

  return word | EACH ('a') << (8 * n);
}

/* What g_string_truncate() does, likewise. */
static void
shorten (GString *text, gsize length)
{
  text->len = length;
  text->str[length] = 0;
}

/* Quotes a string of ASCII without control characters other than line breaks and tabs. Returns
 * where it ends, or NULL of another string. @to has room for twice as many bytes, and eight more.
 */
static char *
quote_ascii (char *to, const char *value, gsize left)
{
  static const char escapes[0x80] = { ['"'] = '"', ['\\'] = '\\', ['\n'] = 'n', ['\t'] = 't' };

  *to++ = '"';
  while (left > 0)
    {
      guint64 word = load_word (value, left);
      guint64 others = find_others (word);
      gsize n = others == 0 ? MIN (left, 8) : (gsize) __builtin_ctzll (others) / 8;
      guchar byte;

      word = GUINT64_TO_LE (word);
      memcpy (to, &word, 8);
      to += n;
      value += n;
      left -= n;
      if (others == 0)
        continue;

      byte = (guchar) *value++;
      left--;
      if (byte >= 0x80 || escapes[byte] == 0)
        return NULL;
      *to++ = '\\';
      *to++ = escapes[byte];
    }
  *to++ = '"';

  return to;
}

static void
append_quoted (GString *text, const char *value)
{
  const char *valid_end;
  gsize length = strlen (value);
  gsize at = text->len;

  if (length <= MAX_QUOTED_AT_ONCE)
    {
      char *to = extend (text, 2 * length + 10);
      char *end = quote_ascii (to, value, length);

      shorten (text, end == NULL ? at : at + (gsize) (end - to));
      if (end != NULL)
        return;
    }

  g_string_append_c (text, '"');
  while (!g_utf8_validate_len (value, length, &valid_end))
    {
      append_escaped (text, value, (gsize) (valid_end - value));
      g_string_append_printf (text, "\\\\x%02x", (guchar) *valid_end);
      length -= (gsize) (valid_end - value) + 1;
      value = valid_end + 1;
    }
  append_escaped (text, value, length);
  g_string_append_c (text, '"');
}

static void
append_digits (GString *text, guint64 value, gboolean negative)
{
  char digits[24];
  char *first = digits + sizeof digits;

  do
    *--first = (char) ('0' + value % 10);
  while ((value /= 10) != 0);
  if (negative)
    *--first = '-';
  g_string_append_len (text, first, digits + sizeof digits - first);
}

/**
 * assay_json_writer_init:
 * @self: (out caller-allocates): the writer
 * @broken_depth: containers nested less deep than this have one element per line
 *
 * Starts a document. End it with assay_json_writer_finish().
 */
void
assay_json_writer_init (AssayJsonWriter *self, guint broken_depth)
{
  *self = (AssayJsonWriter){ .text = g_string_sized_new (4096), .broken_depth = broken_depth };
}

/**
 * assay_json_writer_finish:
 * @self: a writer whose containers are all closed
 * @length: (out) (optional): bytes of the text
 *
 * Ends the document with a line break.
 *
 * Returns: (transfer full): the text
 */
char *
assay_json_writer_finish (AssayJsonWriter *self, gsize *length)
{
  g_assert (self->depth == 0);

  g_string_append_c (self->text, '\n');
  if (length != NULL)
    *length = self->text->len;

  return g_string_free (g_steal_pointer (&self->text), FALSE);
}

/**
 * assay_json_writer_begin_object:
 * @self: a writer
 *
 * Opens an object; its members are written with a key before each value.
 */
void
assay_json_writer_begin_object (AssayJsonWriter *self)
{
  open_level (self, '{');
}

/**
 * assay_json_writer_end_object:
 * @self: a writer
 *
 * Closes the innermost container, which is an object.
 */
void
assay_json_writer_end_object (AssayJsonWriter *self)
{
  close_level (self, '}');
}

/**
 * assay_json_writer_end_section:
 * @self: a writer
 *
 * Closes the innermost container, which is an object with a name; if nothing is in it, it is as if
 * it had not been begun.
 */
void
assay_json_writer_end_section (AssayJsonWriter *self)
{
  guint outer = self->depth - 1;

  if ((self->filled >> self->depth) & 1)
    {
      close_level (self, '}');
      return;
    }

  self->depth = outer;
  g_string_truncate (self->text, self->key_starts[outer]);
  if ((self->first_keys >> outer) & 1)
    self->filled &= ~(1ull << outer);
}

/**
 * assay_json_writer_begin_array:
 * @self: a writer
 *
 * Opens an array.
 */
void
assay_json_writer_begin_array (AssayJsonWriter *self)
{
  open_level (self, '[');
}

/**
 * assay_json_writer_end_array:
 * @self: a writer
 *
 * Closes the innermost container, which is an array.
 */
void
assay_json_writer_end_array (AssayJsonWriter *self)
{
  close_level (self, ']');
}

/**
 * assay_json_writer_key:
 * @self: a writer inside an object
 * @name: name of the member
 *
 * Writes the name of the member whose value is written next.
 */
void
assay_json_writer_key (AssayJsonWriter *self, const char *name)
{
  self->key_starts[self->depth] = self->text->len;
  self->first_keys = self->filled & (1ull << self->depth)
                         ? self->first_keys & ~(1ull << self->depth)
                         : self->first_keys | 1ull << self->depth;
  separate (self);
  append_quoted (self->text, name);
  memcpy (extend (self->text, 2), ": ", 2);
  self->after_key = TRUE;
}

/**
 * assay_json_writer_string:
 * @self: a writer
 * @value: (nullable): any bytes; %NULL writes null
 *
 * Writes a string.
 */
void
assay_json_writer_string (AssayJsonWriter *self, const char *value)
{
  separate (self);
  if (value == NULL)
    g_string_append (self->text, "null");
  else
    append_quoted (self->text, value);
}

/**
 * assay_json_writer_int:
 * @self: a writer
 * @value: a number
 *
 * Writes an integer with all its digits.
 */
void
assay_json_writer_int (AssayJsonWriter *self, gint64 value)
{
  separate (self);
  append_digits (self->text, value < 0 ? -(guint64) value : (guint64) value, value < 0);
}

/**
 * assay_json_writer_uint:
 * @self: a writer
 * @value: a number
 *
 * Writes an unsigned integer with all its digits.
 */
void
assay_json_writer_uint (AssayJsonWriter *self, guint64 value)
{
  separate (self);
  append_digits (self->text, value, FALSE);
}

/**
 * assay_json_writer_double:
 * @self: a writer
 * @value: a number
 *
 * Writes the shortest of 15 to 17 digits that reads back as the same number; null if it is not
 * finite. Negative zero has a point, since an integer has no sign there.
 */
void
assay_json_writer_double (AssayJsonWriter *self, double value)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  separate (self);
  if (!isfinite (value))
    {
      g_string_append (self->text, "null");
      return;
    }

  for (int precision = 15; precision <= 17; precision++)
    {
      char format[] = { '%', '.', '1', (char) ('0' + precision - 10), 'g', 0 };

      g_ascii_formatd (digits, sizeof digits, format, value);
      if (g_ascii_strtod (digits, NULL) == value)
        break;
    }
  g_string_append (self->text, digits);
  if (value == 0 && signbit (value))
    g_string_append (self->text, ".0");
}

/**
 * assay_json_writer_bool:
 * @self: a writer
 * @value: a truth value
 *
 * Writes true or false.
 */
void
assay_json_writer_bool (AssayJsonWriter *self, gboolean value)
{
  separate (self);
  g_string_append (self->text, value ? "true" : "false");
}

/**
 * assay_json_writer_null:
 * @self: a writer
 *
 * Writes null.
 */
void
assay_json_writer_null (AssayJsonWriter *self)
{
  assay_json_writer_string (self, NULL);
}

/**
 * assay_json_writer_member:
 * @self: a writer inside an object
 * @name: name of the member
 * @value: (nullable): its string; %NULL writes null
 *
 * Writes a member that is a string.
 */
void
assay_json_writer_member (AssayJsonWriter *self, const char *name, const char *value)
{
  assay_json_writer_key (self, name);
  assay_json_writer_string (self, value);
}

/**
 * assay_json_writer_member_int:
 * @self: a writer inside an object
 * @name: name of the member
 * @value: its number
 *
 * Writes a member that is an integer.
 */
void
assay_json_writer_member_int (AssayJsonWriter *self, const char *name, gint64 value)
{
  assay_json_writer_key (self, name);
  assay_json_writer_int (self, value);
}

/**
 * assay_json_writer_member_bool:
 * @self: a writer inside an object
 * @name: name of the member
 * @value: its value
 *
 * Writes a member that is true or false.
 */
void
assay_json_writer_member_bool (AssayJsonWriter *self, const char *name, gboolean value)
{
  assay_json_writer_key (self, name);
  assay_json_writer_bool (self, value);
}

/**
 * assay_json_writer_member_uint:
 * @self: a writer inside an object
 * @name: name of the member
 * @value: its value
 *
 * Writes a member that is an unsigned integer.
 */
void
assay_json_writer_member_uint (AssayJsonWriter *self, const char *name, guint64 value)
{
  assay_json_writer_key (self, name);
  assay_json_writer_uint (self, value);
}

/**
 * assay_json_writer_member_double:
 * @self: a writer inside an object
 * @name: name of the member
 * @value: its value
 *
 * Writes a member that is a number.
 */
void
assay_json_writer_member_double (AssayJsonWriter *self, const char *name, double value)
{
  assay_json_writer_key (self, name);
  assay_json_writer_double (self, value);
}

/**
 * assay_json_writer_begin_member_object:
 * @self: a writer inside an object
 * @name: name of the member
 *
 * Opens an object that has a name.
 */
void
assay_json_writer_begin_member_object (AssayJsonWriter *self, const char *name)
{
  assay_json_writer_key (self, name);
  assay_json_writer_begin_object (self);
}

/**
 * assay_json_writer_begin_member_array:
 * @self: a writer inside an object
 * @name: name of the member
 *
 * Opens an array that has a name.
 */
void
assay_json_writer_begin_member_array (AssayJsonWriter *self, const char *name)
{
  assay_json_writer_key (self, name);
  assay_json_writer_begin_array (self);
}

static void
write_object (AssayJsonWriter *self, JsonObject *object)
{
  JsonObjectIter iter;
  const char *name;
  JsonNode *member;

  assay_json_writer_begin_object (self);
  json_object_iter_init_ordered (&iter, object);
  while (json_object_iter_next_ordered (&iter, &name, &member))
    {
      assay_json_writer_key (self, name);
      assay_json_writer_node (self, member);
    }
  assay_json_writer_end_object (self);
}

static void
write_array (AssayJsonWriter *self, JsonArray *array)
{
  assay_json_writer_begin_array (self);
  for (guint i = 0; i < json_array_get_length (array); i++)
    assay_json_writer_node (self, json_array_get_element (array, i));
  assay_json_writer_end_array (self);
}

/**
 * assay_json_writer_node:
 * @self: a writer
 * @node: a value that was read
 *
 * Writes a value as it was read. The generator of json-glib makes of 1e-05 what is no number.
 */
void
assay_json_writer_node (AssayJsonWriter *self, JsonNode *node)
{
  if (JSON_NODE_HOLDS_OBJECT (node))
    write_object (self, json_node_get_object (node));
  else if (JSON_NODE_HOLDS_ARRAY (node))
    write_array (self, json_node_get_array (node));
  else if (JSON_NODE_HOLDS_NULL (node))
    assay_json_writer_null (self);
  else if (json_node_get_value_type (node) == G_TYPE_BOOLEAN)
    assay_json_writer_bool (self, json_node_get_boolean (node));
  else if (json_node_get_value_type (node) == G_TYPE_INT64)
    assay_json_writer_int (self, json_node_get_int (node));
  else if (json_node_get_value_type (node) == G_TYPE_DOUBLE)
    assay_json_writer_double (self, json_node_get_double (node));
  else
    assay_json_writer_string (self, json_node_get_string (node));
}

/**
 * assay_json_node_to_text:
 * @node: a value
 * @broken_depth: containers nested less deep than this have one element per line, 0 for one line
 *
 * Writes a value, without a line break behind it.
 *
 * Returns: (transfer full): the text
 */
char *
assay_json_node_to_text (JsonNode *node, guint broken_depth)
{
  AssayJsonWriter writer;

  assay_json_writer_init (&writer, broken_depth);
  assay_json_writer_node (&writer, node);

  return g_string_free (writer.text, FALSE);
}

/**
 * assay_json_writer_tell:
 * @self: a writer
 *
 * Gets how far the text goes, for assay_json_writer_repeat().
 *
 * Returns: bytes of the text
 */
gsize
assay_json_writer_tell (const AssayJsonWriter *self)
{
  return self->text->len;
}

/**
 * assay_json_writer_repeat:
 * @self: a writer inside an object that has a member
 * @start: where the text ended before the first of some members of another object as deep
 * @end: where it ended behind the last
 *
 * Writes members again, which were not the first of their object either.
 */
void
assay_json_writer_repeat (AssayJsonWriter *self, gsize start, gsize end)
{
  char *to = extend (self->text, end - start);

  g_assert (!self->after_key && (self->filled >> self->depth) & 1);
  memcpy (to, self->text->str + start, end - start);
}

/**
 * assay_json_writer_begin_document:
 * @self: (out caller-allocates): the writer
 * @broken_depth: containers nested less deep than this have one element per line
 * @schema: what the document is
 *
 * Starts a document that is an object and says what it is.
 */
void
assay_json_writer_begin_document (AssayJsonWriter *self, guint broken_depth, const char *schema)
{
  assay_json_writer_init (self, broken_depth);
  assay_json_writer_begin_object (self);
  assay_json_writer_member (self, "schema", schema);
}

/**
 * assay_json_writer_end_document:
 * @self: a writer of assay_json_writer_begin_document()
 * @length: (out) (optional): bytes of the text
 *
 * Ends a document.
 *
 * Returns: (transfer full): the text
 */
char *
assay_json_writer_end_document (AssayJsonWriter *self, gsize *length)
{
  assay_json_writer_end_object (self);
  return assay_json_writer_finish (self, length);
}
