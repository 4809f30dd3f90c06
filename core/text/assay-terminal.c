/* assay-terminal.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "text/assay-terminal.h"

#include <string.h>
#include <unistd.h>

/* Select Graphic Rendition of ECMA-48. */
static const char *const style_codes[] = {
  [ASSAY_TEXT_STYLE_PLAIN] = NULL,   [ASSAY_TEXT_STYLE_BOLD] = "1",
  [ASSAY_TEXT_STYLE_DIM] = "2",      [ASSAY_TEXT_STYLE_GOOD] = "32",
  [ASSAY_TEXT_STYLE_CAUTION] = "33", [ASSAY_TEXT_STYLE_BAD] = "1;31",
  [ASSAY_TEXT_STYLE_INFO] = "36",
};

/**
 * assay_terminal_steers:
 * @c: a character
 *
 * Tells whether a character does something else than stand in its place: controls of ECMA-48, line
 * ends of Unicode, and what turns the order of letters around.
 *
 * Returns: whether it does
 */
gboolean
assay_terminal_steers (gunichar c)
{
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x2028 && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

/**
 * assay_terminal_append_escape:
 * @text: gets the escape
 * @c: a character, or a byte that is none
 *
 * Appends what stands for a character that must not reach a terminal.
 *
 * Returns: its width in columns
 */
guint
assay_terminal_append_escape (GString *text, gunichar c)
{
  gsize before = text->len;

  g_string_append_printf (text, c > 0xff ? "\\u%04x" : "\\x%02x", c);

  return (guint) (text->len - before);
}

/**
 * assay_terminal_append:
 * @text: gets the string
 * @string: any bytes
 *
 * Appends a string in a form that cannot steer a terminal: control characters and invalid UTF-8
 * become `\xNN`, those beyond Latin-1 `\uNNNN`.
 *
 * Returns: its width in columns
 */
guint
assay_terminal_append (GString *text, const char *string)
{
  guint width = 0;

  for (const char *p = string; *p != 0;)
    {
      gunichar c = (guchar) *p < 0x80 ? (guchar) *p : g_utf8_get_char_validated (p, -1);
      gboolean valid = c != (gunichar) -1 && c != (gunichar) -2;
      const char *next = valid ? g_utf8_next_char (p) : p + 1;

      if (valid && !assay_terminal_steers (c))
        {
          g_string_append_len (text, p, next - p);
          if (c < 0x80)
            width++;
          else if (!g_unichar_iszerowidth (c))
            width += g_unichar_iswide (c) ? 2 : 1;
        }
      else
        width += assay_terminal_append_escape (text, valid ? c : (guchar) *p);
      p = next;
    }

  return width;
}

/**
 * assay_terminal_append_styled:
 * @text: gets the string
 * @string: any bytes
 * @style: how it looks
 * @colours: whether to write terminal sequences at all
 *
 * Appends a string as assay_terminal_append() does, in a style.
 */
void
assay_terminal_append_styled (GString *text, const char *string, AssayTextStyle style,
                              gboolean colours)
{
  const char *code = colours ? style_codes[style] : NULL;

  if (code != NULL)
    g_string_append_printf (text, "\033[%sm", code);
  assay_terminal_append (text, string);
  if (code != NULL)
    g_string_append (text, "\033[0m");
}

/**
 * assay_terminal_width:
 * @string: any bytes
 *
 * Measures a string as assay_terminal_append() writes it.
 *
 * Returns: its width in columns
 */
guint
assay_terminal_width (const char *string)
{
  g_autoptr (GString) scratch = NULL;
  const char *p = string;

  while (*p >= 0x20 && *p < 0x7f)
    p++;
  if (*p == 0)
    return (guint) MIN (p - string, G_MAXINT);

  scratch = g_string_new (NULL);
  return assay_terminal_append (scratch, string);
}

/* A part of a format between a percent sign and its letter. */
typedef struct
{
  char text[64];
  gboolean left;
  int width;
  int precision;
  guint longs;
  gboolean is_size;
  char kind;
} Conversion;

static int
read_number (const char **at)
{
  int number = 0;

  for (; g_ascii_isdigit (**at); (*at)++)
    number = MIN (number * 10 + (**at - '0'), 1000);

  return number;
}

static void
append_string (GString *text, const Conversion *conversion, const char *value)
{
  g_autofree char *part = conversion->precision >= 0
                              ? g_strndup (value, (gsize) conversion->precision)
                              : NULL;
  const char *string = part != NULL ? part : value;
  int missing = conversion->width - (int) assay_terminal_width (string);

  for (int i = 0; i < missing && !conversion->left; i++)
    g_string_append_c (text, ' ');
  assay_terminal_append (text, string);
  for (int i = 0; i < missing && conversion->left; i++)
    g_string_append_c (text, ' ');
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

/**
 * assay_terminal_append_vformat:
 * @text: gets the result
 * @format: a format as printf() takes it, whose own characters are written as they are
 * @args: its arguments
 *
 * Formats for a terminal: what `%s` puts in is written by assay_terminal_append(), and padded by
 * columns.
 */
void
assay_terminal_append_vformat (GString *text, const char *format, va_list args)
{
  const char *at = format;

  while (*at != '\0')
    {
      Conversion conversion = { .precision = -1 };
      const char *literal = at;
      gsize flags;

      at += strcspn (at, "%");
      g_string_append_len (text, literal, at - literal);
      if (*at == '\0')
        break;

      flags = strspn (++at, "-+ #0");
      conversion.left = memchr (at, '-', flags) != NULL;
      literal = at;
      at += flags;
      conversion.width = *at == '*' ? va_arg (args, int) : read_number (&at);
      at += *at == '*';
      if (*at == '.')
        {
          at++;
          conversion.precision = *at == '*' ? va_arg (args, int) : read_number (&at);
          at += *at == '*';
        }
      for (; strchr ("hlz", *at) != NULL && *at != '\0'; at++)
        {
          conversion.longs += *at == 'l';
          conversion.is_size |= *at == 'z';
        }
      conversion.kind = *at++;

      if (conversion.kind == 's')
        {
          append_string (text, &conversion, va_arg (args, const char *));
          continue;
        }
      if (conversion.kind == '%')
        {
          g_string_append_c (text, '%');
          continue;
        }

      g_snprintf (conversion.text, sizeof conversion.text,
                  conversion.precision >= 0 ? "%%%.*s*.*%s%c" : "%%%.*s*%s%c", (int) MIN (flags, 8),
                  literal,
                  conversion.is_size      ? "z"
                  : conversion.longs == 1 ? "l"
                  : conversion.longs > 1  ? "ll"
                                          : "",
                  conversion.kind);
#define APPEND(type)                                                                               \
  (conversion.precision >= 0                                                                       \
       ? g_string_append_printf (text, conversion.text, conversion.width, conversion.precision,    \
                                 va_arg (args, type))                                              \
       : g_string_append_printf (text, conversion.text, conversion.width, va_arg (args, type)))
      if (strchr ("eEfgGa", conversion.kind) != NULL)
        APPEND (double);
      else if (conversion.is_size)
        APPEND (gsize);
      else if (conversion.longs == 1)
        APPEND (long);
      else if (conversion.longs > 1)
        APPEND (long long);
      else
        APPEND (int);
#undef APPEND
    }
}

#pragma GCC diagnostic pop

/**
 * assay_terminal_append_format:
 * @text: gets the result
 * @format: a format as printf() takes it, whose own characters are written as they are
 * @...: its arguments
 *
 * Formats for a terminal, as assay_terminal_append_vformat() does.
 */
void
assay_terminal_append_format (GString *text, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  assay_terminal_append_vformat (text, format, args);
  va_end (args);
}

/**
 * assay_terminal_has_colours:
 * @descriptor: an open file
 *
 * Tells whether a file is a terminal that shows colours, and nobody asked for none with
 * `NO_COLOR`.
 *
 * Returns: whether to use colours
 */
gboolean
assay_terminal_has_colours (int descriptor)
{
  const char *no_color = g_getenv ("NO_COLOR");

  return isatty (descriptor) && (no_color == NULL || no_color[0] == 0) &&
         g_strcmp0 (g_getenv ("TERM"), "dumb") != 0;
}
