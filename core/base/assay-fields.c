/* assay-fields.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Fields of tables that leave the program as text.
 */
#include "base/assay-fields.h"

#include <string.h>

/**
 * assay_fields_append_csv:
 * @text: gets the field
 * @field: a text
 *
 * Writes a field as RFC 4180 wants it: in quotes if it has a comma, a quote or a line end, quotes
 * doubled.
 */
void
assay_fields_append_csv (GString *text, const char *field)
{
  if (strpbrk (field, ",\"\r\n") == NULL)
    {
      g_string_append (text, field);
      return;
    }

  g_string_append_c (text, '"');
  for (const char *at = field; *at != '\0'; at++)
    {
      if (*at == '"')
        g_string_append_c (text, '"');
      g_string_append_c (text, *at);
    }
  g_string_append_c (text, '"');
}

/**
 * assay_fields_append_tsv:
 * @text: gets the field
 * @field: a text
 *
 * Writes a field for the clipboard: spreadsheets take tabs and line ends of pasted text for the
 * next cell, whatever is around them, so they become blanks.
 */
void
assay_fields_append_tsv (GString *text, const char *field)
{
  for (const char *at = field; *at != '\0'; at++)
    g_string_append_c (text, strchr ("\t\r\n", *at) != NULL ? ' ' : *at);
}
