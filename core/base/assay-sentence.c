/* assay-sentence.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/assay-sentence.h"

#include <string.h>

/**
 * assay_sentence_new:
 * @text: words as a message has them behind a colon
 *
 * Makes a line of them that stands alone: it begins with a capital, or with a name that has none.
 *
 * Returns: (transfer full): the line
 */
char *
assay_sentence_new (const char *text)
{
  const char *end = text;

  while (g_ascii_islower (*end))
    end++;
  /* Anything but letters belongs to a name. */
  if (end == text || (*end != ' ' && *end != ',' && *end != '\0'))
    return g_strdup (text);

  return g_strdup_printf ("%c%s", g_ascii_toupper (*text), text + 1);
}

/**
 * assay_sentence_dup_quoted:
 * @message: a message
 *
 * Writes what a terminal has between backticks as a window has it, between quotes.
 *
 * Returns: (transfer full): the message
 */
char *
assay_sentence_dup_quoted (const char *message)
{
  g_auto (GStrv) parts = g_strsplit (message, "`", -1);
  GString *text = g_string_new (parts[0]);

  for (guint i = 1; parts[0] != NULL && parts[i] != NULL; i++)
    g_string_append_printf (text, "%s%s", i % 2 == 1 ? "\u201c" : "\u201d", parts[i]);

  return g_string_free (text, FALSE);
}

/**
 * assay_sentence_dup_count:
 * @count: a number
 *
 * Writes a number for people, groups of three apart by a narrow space that does not break.
 *
 * Returns: (transfer full): the text
 */
char *
assay_sentence_dup_count (guint64 count)
{
  g_autofree char *digits = g_strdup_printf ("%" G_GUINT64_FORMAT, count);
  g_autoptr (GString) text = g_string_new (NULL);
  gsize n = strlen (digits);

  for (gsize i = 0; i < n; i++)
    {
      if (i > 0 && n > 3 && (n - i) % 3 == 0)
        g_string_append (text, "\u202f");
      g_string_append_c (text, digits[i]);
    }

  return g_string_free (g_steal_pointer (&text), FALSE);
}
