/* assay-text-lexer.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/text/assay-text-lexer.h"

#include <math.h>
#include <string.h>

#include "text/assay-terminal.h"

/**
 * assay_lexer_init:
 * @self: where to put the state
 * @text: (nullable): NNIR text, which must outlive the lexer; %NULL only without length
 * @length: its length in bytes
 *
 * Starts before the first token; assay_lexer_next() reads it.
 */
void
assay_lexer_init (AssayLexer *self, const char *text, gsize length)
{
  memset (self, 0, sizeof *self);
  self->text = g_string_new (NULL);
  self->cursor = text != NULL ? text : "";
  self->begin = self->cursor;
  self->end = self->cursor + length;
  self->line_begin = self->cursor;
  self->next_line = 1;
}

void
assay_lexer_clear (AssayLexer *self)
{
  g_string_free (self->text, TRUE);
  self->text = NULL;
}

static gboolean
is_word_char (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '.';
}

static gboolean
is_name_char (char c)
{
  return is_word_char (c) || c == '/';
}

static void
skip_blank (AssayLexer *self)
{
  while (self->cursor < self->end)
    {
      char c = *self->cursor;

      if (c == '\n')
        {
          self->cursor++;
          self->next_line++;
          self->line_begin = self->cursor;
          self->first = TRUE;
        }
      else if (c == ' ' || c == '\t' || c == '\r')
        {
          self->cursor++;
        }
      else if (c == '/' && self->end - self->cursor > 1 && self->cursor[1] == '/')
        {
          const char *newline = memchr (self->cursor, '\n', (gsize) (self->end - self->cursor));

          self->cursor = newline != NULL ? newline : self->end;
        }
      else
        {
          break;
        }
    }
}

static gboolean
read_escape (AssayLexer *self)
{
  static const char letters[] = "bfnrtv\\\"";
  static const char meanings[] = "\b\f\n\r\t\v\\\"";
  gsize left = (gsize) (self->end - self->cursor);
  const char *found;

  if (left == 0)
    return FALSE;

  if (self->cursor[0] == 'x')
    {
      if (left < 3 || !g_ascii_isxdigit (self->cursor[1]) || !g_ascii_isxdigit (self->cursor[2]))
        return FALSE;
      g_string_append_c (self->text, (char) (g_ascii_xdigit_value (self->cursor[1]) * 16 +
                                             g_ascii_xdigit_value (self->cursor[2])));
      self->cursor += 3;
      return TRUE;
    }

  found = self->cursor[0] == '\0' ? NULL : strchr (letters, self->cursor[0]);
  if (found == NULL)
    return FALSE;

  g_string_append_c (self->text, meanings[found - letters]);
  self->cursor++;

  return TRUE;
}

/* The cursor is on the opening quote; a string ends on its line. */
static gboolean
read_string (AssayLexer *self)
{
  self->cursor++;

  while (self->cursor < self->end && *self->cursor != '\n')
    {
      const char *run = self->cursor;

      while (self->cursor < self->end && *self->cursor != '"' && *self->cursor != '\\' &&
             *self->cursor != '\n')
        self->cursor++;
      g_string_append_len (self->text, run, self->cursor - run);

      if (self->cursor == self->end || *self->cursor == '\n')
        return FALSE;
      if (*self->cursor++ == '"')
        return TRUE;
      if (!read_escape (self))
        return FALSE;
    }

  return FALSE;
}

static void
read_value (AssayLexer *self)
{
  guint64 serial = 0;

  self->cursor++;
  self->kind = ASSAY_TOKEN_VALUE;

  if (self->cursor < self->end && *self->cursor == '"')
    {
      if (!read_string (self))
        self->kind = ASSAY_TOKEN_BAD;
    }
  else
    {
      const char *run = self->cursor;

      while (self->cursor < self->end && is_name_char (*self->cursor))
        self->cursor++;
      g_string_append_len (self->text, run, self->cursor - run);
      if (run == self->cursor)
        self->kind = ASSAY_TOKEN_BAD;
    }

  if (self->cursor < self->end && *self->cursor == '#')
    {
      for (self->cursor++; self->cursor < self->end && g_ascii_isdigit (*self->cursor);
           self->cursor++)
        serial = MIN (serial * 10 + (guint64) (*self->cursor - '0'), G_MAXUINT32);
      if (serial == 0 || serial == G_MAXUINT32)
        self->kind = ASSAY_TOKEN_BAD;
    }

  self->serial = (guint) serial;
}

/**
 * assay_lexer_next:
 * @self: a lexer
 *
 * Reads the next token; at the end of the text it stays there.
 */
void
assay_lexer_next (AssayLexer *self)
{
  const char *start;
  char c;

  g_string_truncate (self->text, 0);
  self->serial = 0;
  self->first = self->cursor == self->begin;
  skip_blank (self);

  start = self->cursor;
  self->line = self->next_line;
  self->column = (guint) MIN (start - self->line_begin + 1, G_MAXINT);
  self->offset = (gsize) (start - self->begin);

  if (start == self->end)
    {
      self->kind = ASSAY_TOKEN_END;
      return;
    }

  c = *start;

  if (c == '%')
    {
      read_value (self);
    }
  else if (c == '"')
    {
      self->kind = read_string (self) ? ASSAY_TOKEN_STRING : ASSAY_TOKEN_BAD;
    }
  else if (g_ascii_isalpha (c) || c == '_')
    {
      while (self->cursor < self->end && is_word_char (*self->cursor))
        self->cursor++;
      g_string_append_len (self->text, start, self->cursor - start);
      self->kind = ASSAY_TOKEN_WORD;
    }
  else if (g_ascii_isdigit (c) || (c == '-' && self->end - start > 1 && g_ascii_isalnum (start[1])))
    {
      for (self->cursor++; self->cursor < self->end; self->cursor++)
        {
          gboolean after_e = self->cursor[-1] == 'e' || self->cursor[-1] == 'E';

          if (!is_word_char (*self->cursor) &&
              !(after_e && (*self->cursor == '-' || *self->cursor == '+')))
            break;
        }
      g_string_append_len (self->text, start, self->cursor - start);
      self->kind = ASSAY_TOKEN_NUMBER;
    }
  else
    {
      self->cursor++;
      g_string_append_c (self->text, c);
      self->kind = strchr ("(){}[]<>,:=@?*_", c) != NULL && c != '\0' ? ASSAY_TOKEN_PUNCTUATION
                                                                      : ASSAY_TOKEN_BAD;
    }
}

/**
 * assay_lexer_is:
 * @self: a lexer
 * @punctuation: a character
 *
 * Tells whether the current token is this character.
 *
 * Returns: whether it is
 */
gboolean
assay_lexer_is (AssayLexer *self, char punctuation)
{
  return self->kind == ASSAY_TOKEN_PUNCTUATION && self->text->str[0] == punctuation;
}

/**
 * assay_lexer_is_word:
 * @self: a lexer
 * @word: a word
 *
 * Tells whether the current token is this word.
 *
 * Returns: whether it is
 */
gboolean
assay_lexer_is_word (AssayLexer *self, const char *word)
{
  return self->kind == ASSAY_TOKEN_WORD && strcmp (self->text->str, word) == 0;
}

/**
 * assay_text_append_quoted:
 * @text: where to append
 * @string: bytes, maybe not UTF-8
 * @length: how many
 *
 * Appends a quoted string; what is not printable UTF-8 is escaped, so the text stays UTF-8 and on
 * its line.
 */
void
assay_text_append_quoted (GString *text, const char *string, gsize length)
{
  const char *end = string + length;

  g_string_append_c (text, '"');

  while (string < end)
    {
      gunichar c = g_utf8_get_char_validated (string, end - string);

      if (*string == '"' || *string == '\\')
        {
          g_string_append_c (text, '\\');
          g_string_append_c (text, *string++);
        }
      else if (*string == '\n')
        {
          g_string_append (text, "\\n");
          string++;
        }
      else if (c == (gunichar) -1 || c == (gunichar) -2 || assay_terminal_steers (c))
        {
          g_string_append_printf (text, "\\x%02x", (guchar) *string++);
        }
      else
        {
          const char *next = g_utf8_next_char (string);

          g_string_append_len (text, string, next - string);
          string = next;
        }
    }

  g_string_append_c (text, '"');
}

static gboolean
is_plain (const char *string, gboolean (*allows) (char c))
{
  for (const char *c = string; *c != '\0'; c++)
    {
      if (!allows (*c))
        return FALSE;
    }

  return string[0] != '\0';
}

/**
 * assay_text_append_word:
 * @text: where to append
 * @string: a string
 *
 * Appends a string, quoted only if it would not read back as one word.
 */
void
assay_text_append_word (GString *text, const char *string)
{
  if (is_plain (string, is_word_char) &&
      (g_ascii_isalpha (string[0]) || (string[0] == '_' && string[1] != '\0')))
    g_string_append (text, string);
  else
    assay_text_append_quoted (text, string, strlen (string));
}

/**
 * assay_text_append_name:
 * @text: where to append
 * @name: name of a value
 *
 * Appends `%` and a name, quoted only if need be.
 */
void
assay_text_append_name (GString *text, const char *name)
{
  g_string_append_c (text, '%');
  if (is_plain (name, is_name_char))
    g_string_append (text, name);
  else
    assay_text_append_quoted (text, name, strlen (name));
}

/**
 * assay_text_append_float:
 * @text: where to append
 * @value: a number
 * @wide: whether it reads back as a double; otherwise as a float, which @value must be
 *
 * Appends the shortest decimal number that reads back as the same one, always with a point, an
 * exponent or a name.
 */
void
assay_text_append_float (GString *text, double value, gboolean wide)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (isnan (value) || isinf (value))
    {
      g_string_append (text, isnan (value) ? "nan" : value > 0 ? "inf" : "-inf");
      return;
    }

  for (int digits = wide ? 15 : 6; digits <= 17; digits++)
    {
      char format[8];
      double back;

      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (buffer, sizeof buffer, format, value);
      back = g_ascii_strtod (buffer, NULL);
      if (wide ? back == value : (float) back == (float) value)
        break;
    }

  g_string_append (text, buffer);
  if (strpbrk (buffer, ".e") == NULL)
    g_string_append (text, ".0");
}
