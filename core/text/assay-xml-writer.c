/* assay-xml-writer.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "text/assay-xml-writer.h"

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
 * assay_xml_append_attribute:
 * @text: a document, inside a tag
 * @name: of the attribute
 * @value: (nullable): any text
 *
 * Appends an attribute, with the blank before it.
 */
void
assay_xml_append_attribute (GString *text, const char *name, const char *value)
{
  g_string_append_printf (text, " %s=\"", name);
  assay_xml_append (text, value != NULL ? value : "");
  g_string_append_c (text, '"');
}
