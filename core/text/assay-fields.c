/* assay-fields.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Fields of tables that leave the program as text.
 */
#include "text/assay-fields.h"

#include <string.h>

/* What spreadsheets take for the beginning of a formula. */
static const char formula_signs[] = "=+-@\t\r";

static gboolean
is_number (const char *field)
{
  char *end;

  g_ascii_strtod (field, &end);

  return end != field && *end == '\0';
}

/**
 * assay_fields_is_formula:
 * @field: a text
 *
 * Tells whether a spreadsheet would take a text for a formula.
 *
 * Returns: whether it begins like one and is no number
 */
gboolean
assay_fields_is_formula (const char *field)
{
  return *field != '\0' && strchr (formula_signs, *field) != NULL && !is_number (field);
}

static gboolean
is_control (char c)
{
  return ((guchar) c < 0x20 && strchr ("\t\r\n", c) == NULL) || c == 0x7f;
}

/**
 * assay_fields_append_csv:
 * @text: gets the field
 * @field: a text
 *
 * Writes a field as RFC 4180 wants it: in quotes if it has a comma, a quote or a line end, quotes
 * doubled. An apostrophe keeps a spreadsheet from computing a text that looks like a formula, and
 * other control characters become `\\xNN`.
 */
void
assay_fields_append_csv (GString *text, const char *field)
{
  gboolean quoted = strpbrk (field, ",\"\r\n") != NULL;

  if (quoted)
    g_string_append_c (text, '"');
  if (assay_fields_is_formula (field))
    g_string_append_c (text, '\'');
  for (const char *at = field; *at != '\0'; at++)
    {
      if (is_control (*at))
        {
          g_string_append_printf (text, "\\x%02x", (guchar) *at);
          continue;
        }
      if (*at == '"')
        g_string_append_c (text, '"');
      g_string_append_c (text, *at);
    }
  if (quoted)
    g_string_append_c (text, '"');
}

/**
 * assay_fields_append_tsv:
 * @text: gets the field
 * @field: a text
 *
 * Writes a field for the clipboard: spreadsheets take tabs and line ends of pasted text for the
 * next cell, whatever is around them, so they become blanks. Formulas and control characters are
 * as in assay_fields_append_csv().
 */
void
assay_fields_append_tsv (GString *text, const char *field)
{
  if (assay_fields_is_formula (field))
    g_string_append_c (text, '\'');
  for (const char *at = field; *at != '\0'; at++)
    {
      if (is_control (*at))
        g_string_append_printf (text, "\\x%02x", (guchar) *at);
      else
        g_string_append_c (text, strchr ("\t\r\n", *at) != NULL ? ' ' : *at);
    }
}
