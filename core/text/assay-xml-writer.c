/* assay-xml-writer.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "text/assay-xml-writer.h"

#include <math.h>
#include <string.h>

#include "text/assay-terminal.h"

/**
 * assay_xml_append:
 * @text: a document
 * @string: any text
 *
 * Appends text as XML 1.0 can hold it: markup escaped, everything that is no XML character as
 * `\xNN`.
 */
void
assay_xml_append (GString *text, const char *string)
{
  for (const char *p = string; *p != 0;)
    {
      gunichar c = g_utf8_get_char_validated (p, -1);
      gboolean valid = c != (gunichar) -1 && c != (gunichar) -2;
      const char *next = valid ? g_utf8_next_char (p) : p + 1;

      if (!valid || (assay_terminal_steers (c) && c != '\t' && c != '\n') || c == 0xfffe ||
          c == 0xffff)
        assay_terminal_append_escape (text, valid ? c : (guchar) *p);
      else if (c == '<')
        g_string_append (text, "&lt;");
      else if (c == '>')
        g_string_append (text, "&gt;");
      else if (c == '&')
        g_string_append (text, "&amp;");
      else if (c == '"')
        g_string_append (text, "&quot;");
      else if (c == '\n')
        g_string_append (text, "&#10;");
      else if (c == '\t')
        g_string_append (text, "&#9;");
      else
        g_string_append_len (text, p, next - p);
      p = next;
    }
}

/**
 * assay_xml_escape:
 * @string: any text
 *
 * Makes text as XML can hold it, and Pango's markup too.
 *
 * Returns: (transfer full): the text
 */
char *
assay_xml_escape (const char *string)
{
  GString *text = g_string_new (NULL);

  assay_xml_append (text, string);
  return g_string_free (text, FALSE);
}

/**
 * assay_xml_format_number:
 * @buffer: of %G_ASCII_DTOSTR_BUF_SIZE bytes
 * @value: a coordinate
 *
 * Writes a number without locale and without digits that nobody sees: at most two behind the point.
 *
 * Returns: (transfer none): @buffer
 */
const char *
assay_xml_format_number (char *buffer, double value)
{
  value = round (value * 100) / 100;
  g_ascii_formatd (buffer, G_ASCII_DTOSTR_BUF_SIZE, "%.2f", value == 0 ? 0 : value);
  if (strchr (buffer, '.') != NULL)
    {
      gsize end = strlen (buffer);

      while (buffer[end - 1] == '0')
        end--;
      buffer[buffer[end - 1] == '.' ? end - 1 : end] = '\0';
    }

  return buffer;
}

/**
 * assay_xml_writer_init:
 * @self: (out caller-allocates): the writer
 * @indent: blanks per level
 *
 * Starts a document. End it with assay_xml_writer_finish().
 */
void
assay_xml_writer_init (AssayXmlWriter *self, guint indent)
{
  *self = (AssayXmlWriter){
    .text = g_string_new ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"),
    .indent = indent,
  };
}

/**
 * assay_xml_writer_finish:
 * @self: a writer whose elements are all closed
 * @length: (out) (optional): bytes of the text
 *
 * Ends the document with a line break.
 *
 * Returns: (transfer full): the text
 */
char *
assay_xml_writer_finish (AssayXmlWriter *self, gsize *length)
{
  g_assert (self->depth == 0);

  g_string_append_c (self->text, '\n');
  if (length != NULL)
    *length = self->text->len;

  return g_string_free (g_steal_pointer (&self->text), FALSE);
}

static gboolean
is_marked (const AssayXmlWriter *self, guint64 marks)
{
  return (marks >> self->depth) & 1;
}

static void
close_tag (AssayXmlWriter *self)
{
  if (self->in_tag)
    g_string_append_c (self->text, '>');
  self->in_tag = FALSE;
}

static void
new_line (AssayXmlWriter *self)
{
  g_string_append_c (self->text, '\n');
  for (guint i = 0; i < self->depth * self->indent; i++)
    g_string_append_c (self->text, ' ');
}

/**
 * assay_xml_writer_begin:
 * @self: a writer
 * @name: name of an element, which lasts until it ends
 *
 * Begins an element.
 */
void
assay_xml_writer_begin (AssayXmlWriter *self, const char *name)
{
  g_assert (self->depth < ASSAY_XML_WRITER_MAX_DEPTH);

  close_tag (self);
  self->has_children |= G_GUINT64_CONSTANT (1) << self->depth;
  if (!is_marked (self, self->has_text))
    new_line (self);
  g_string_append_c (self->text, '<');
  g_string_append (self->text, name);
  self->names[self->depth++] = name;
  self->has_children &= ~(G_GUINT64_CONSTANT (1) << self->depth);
  self->has_text &= ~(G_GUINT64_CONSTANT (1) << self->depth);
  self->in_tag = TRUE;
}

/**
 * assay_xml_writer_end:
 * @self: a writer
 *
 * Ends the innermost element.
 */
void
assay_xml_writer_end (AssayXmlWriter *self)
{
  gboolean broken = is_marked (self, self->has_children) && !is_marked (self, self->has_text);

  g_assert (self->depth > 0);

  self->depth--;
  if (self->in_tag)
    {
      g_string_append (self->text, "/>");
      self->in_tag = FALSE;
      return;
    }
  if (broken)
    new_line (self);
  g_string_append_printf (self->text, "</%s>", self->names[self->depth]);
}

/**
 * assay_xml_writer_attribute:
 * @self: a writer that has just begun an element
 * @name: of the attribute
 * @value: (nullable): any text
 *
 * Writes an attribute.
 */
void
assay_xml_writer_attribute (AssayXmlWriter *self, const char *name, const char *value)
{
  g_assert (self->in_tag);

  g_string_append_printf (self->text, " %s=\"", name);
  assay_xml_append (self->text, value != NULL ? value : "");
  g_string_append_c (self->text, '"');
}

/**
 * assay_xml_writer_attribute_format:
 * @self: a writer that has just begun an element
 * @name: of the attribute
 * @format: its value
 * @...: arguments of @format
 *
 * Writes an attribute.
 */
void
assay_xml_writer_attribute_format (AssayXmlWriter *self, const char *name, const char *format, ...)
{
  g_autofree char *value = NULL;
  va_list args;

  va_start (args, format);
  value = g_strdup_vprintf (format, args);
  va_end (args);
  assay_xml_writer_attribute (self, name, value);
}

/**
 * assay_xml_writer_attribute_numbers:
 * @self: a writer that has just begun an element
 * @name: of the attribute
 * @values: (array length=n): coordinates
 * @n: how many
 * @between: what stands behind the first of a pair; a blank stands behind the second
 *
 * Writes an attribute of numbers, with at most two digits behind the point.
 */
void
assay_xml_writer_attribute_numbers (AssayXmlWriter *self, const char *name, const double *values,
                                    gsize n, char between)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_assert (self->in_tag);

  g_string_append_printf (self->text, " %s=\"", name);
  for (gsize i = 0; i < n; i++)
    {
      if (i > 0)
        g_string_append_c (self->text, i % 2 == 1 ? between : ' ');
      g_string_append (self->text, assay_xml_format_number (buffer, values[i]));
    }
  g_string_append_c (self->text, '"');
}

/**
 * assay_xml_writer_text:
 * @self: a writer in an element
 * @string: any text
 *
 * Writes text.
 */
void
assay_xml_writer_text (AssayXmlWriter *self, const char *string)
{
  close_tag (self);
  self->has_text |= G_GUINT64_CONSTANT (1) << self->depth;
  assay_xml_append (self->text, string);
}

/**
 * assay_xml_writer_text_element:
 * @self: a writer
 * @name: name of an element
 * @string: any text
 *
 * Writes an element that holds nothing but text.
 */
void
assay_xml_writer_text_element (AssayXmlWriter *self, const char *name, const char *string)
{
  assay_xml_writer_begin (self, name);
  assay_xml_writer_text (self, string);
  assay_xml_writer_end (self);
}
