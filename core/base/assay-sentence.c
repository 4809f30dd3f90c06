/* assay-sentence.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/assay-sentence.h"

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
