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
 * assay_sentence_dup_closed:
 * @text: what was said, a sentence with its full stop or the end of one without
 *
 * Ends it with one full stop, so that another sentence can follow.
 *
 * Returns: (transfer full): the text
 */
char *
assay_sentence_dup_closed (const char *text)
{
  return g_strconcat (text, g_str_has_suffix (text, ".") ? "" : ".", NULL);
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

/* A number that stands alone: no part of a name, a fraction, an address or a power. */
static gboolean
is_count (const char *text, const char *digits, const char *end)
{
  return end - digits > 3 && end - digits < 19 && *digits != '0' &&
         (digits == text || digits[-1] == ' ' || digits[-1] == '(') &&
         (*end == '\0' || strchr (" ,;)", *end) != NULL ||
          ((*end == '.' || *end == ':') && (end[1] == ' ' || end[1] == '\0')));
}

static void
append_grouped (GString *shown, const char *text)
{
  for (const char *p = text; *p != '\0';)
    {
      const char *end = p;

      while (g_ascii_isdigit (*end))
        end++;
      if (is_count (text, p, end))
        {
          g_autofree char *count = assay_sentence_dup_count (g_ascii_strtoull (p, NULL, 10));

          g_string_append (shown, count);
        }
      else
        g_string_append_len (shown, p, MAX (end - p, 1));
      p = MAX (end, p + 1);
    }
}

/**
 * assay_sentence_dup_shown:
 * @message: a message of a command line
 *
 * Writes a message as a window has it: what a terminal has between backticks stands between quotes,
 * and the digits of what is counted are in groups, as all numbers of a window are.
 *
 * Returns: (transfer full): the message
 */
char *
assay_sentence_dup_shown (const char *message)
{
  g_auto (GStrv) parts = g_strsplit (message, "`", -1);
  GString *text = g_string_new (NULL);

  for (guint i = 0; parts[i] != NULL; i++)
    {
      if (i > 0)
        g_string_append (text, i % 2 == 1 ? "\u201c" : "\u201d");
      if (i % 2 == 1)
        g_string_append (text, parts[i]);
      else
        append_grouped (text, parts[i]);
    }

  return g_string_free (text, FALSE);
}

/**
 * assay_sentence_dup_measure:
 * @measure: a number that is none of things
 *
 * Writes a number to three digits, or to all it has before the point.
 *
 * Returns: (transfer full): the text, such as `0.512` or `4096`
 */
char *
assay_sentence_dup_measure (double measure)
{
  return g_strdup_printf (measure >= 999.5 && measure < 1e9 ? "%.0f" : "%.3g", measure);
}
