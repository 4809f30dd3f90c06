/* assay-shell.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Words of command lines that are copied into a shell.
 */
#include "text/assay-shell.h"

#include <string.h>

static gboolean
is_plain (const char *word)
{
  return *word != '\0' &&
         word[strspn (word, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_-./:=,@+%")] == '\0';
}

static gboolean
has_controls (const char *word)
{
  while ((guchar) *word >= 0x20 && *word != 0x7f)
    word++;

  return *word != '\0';
}

/* The form that POSIX.1-2024 has for what a terminal must not see. */
static void
append_with_escapes (GString *line, const char *word)
{
  g_string_append (line, "$'");
  for (; *word != '\0'; word++)
    {
      if ((guchar) *word < 0x20 || *word == 0x7f)
        g_string_append_printf (line, "\\%03o", (guchar) *word);
      else
        {
          if (*word == '\'' || *word == '\\')
            g_string_append_c (line, '\\');
          g_string_append_c (line, *word);
        }
    }
  g_string_append_c (line, '\'');
}

/**
 * assay_shell_append:
 * @line: a command line
 * @word: a word of it, any bytes
 *
 * Appends a word, with quotes only where a shell would take it apart. Control characters are
 * written as escapes, so that a line that is pasted into a terminal is one line.
 */
void
assay_shell_append (GString *line, const char *word)
{
  g_autofree char *quoted = NULL;

  if (is_plain (word))
    {
      g_string_append (line, word);
      return;
    }
  if (has_controls (word))
    {
      append_with_escapes (line, word);
      return;
    }
  quoted = g_shell_quote (word);
  g_string_append (line, quoted);
}
