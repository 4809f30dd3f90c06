/* assay-overlay-file-csv.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/assay-overlay-file-private.h"

#include <math.h>
#include <string.h>

#include "base/assay-error.h"
#include "text/assay-fields.h"

typedef struct
{
  const char *at;
  const char *name;
  char separator;
  guint line; /* of the record that is read */
  guint next_line;
} Csv;

/* The sign that the first line has most of outside of quotes. */
static char
find_separator (const char *text)
{
  static const char signs[] = { ',', ';', '\t' };
  guint counts[G_N_ELEMENTS (signs)] = { 0 };
  gboolean quoted = FALSE;
  guint best = 0;

  for (; *text != '\0' && (*text != '\n' || quoted); text++)
    {
      quoted = quoted != (*text == '"');
      for (guint i = 0; i < G_N_ELEMENTS (signs) && !quoted; i++)
        counts[i] += *text == signs[i];
    }
  for (guint i = 1; i < G_N_ELEMENTS (signs); i++)
    if (counts[i] > counts[best])
      best = i;

  return signs[best];
}

/* A field with what is quoted taken out of its quotes; blanks around it do not count. */
static gboolean
read_field (Csv *self, GString *field, gboolean *last, GError **error)
{
  gboolean quoted = FALSE;
  gsize kept = 0; /* what blanks cannot be stripped from */

  g_string_truncate (field, 0);
  for (; *self->at != '\0'; self->at++)
    {
      char c = *self->at;

      if (quoted && c == '"' && self->at[1] == '"')
        {
          g_string_append_c (field, '"');
          kept = field->len;
          self->at++;
        }
      else if (c == '"' && (quoted || field->len == 0))
        {
          quoted = !quoted;
          kept = field->len;
        }
      else if (!quoted && (c == self->separator || c == '\n'))
        break;
      else if (quoted || field->len > 0 || (c != ' ' && c != '\r'))
        {
          g_string_append_c (field, c);
          if (quoted || (c != ' ' && c != '\r'))
            kept = field->len;
          self->next_line += c == '\n';
        }
    }
  if (quoted)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s: line %u: a quote is not closed",
                   self->name, self->line);
      return FALSE;
    }

  g_string_truncate (field, kept);
  /* What assay_fields_append_csv() puts before a name that looks like a formula. */
  if (field->str[0] == '\'' && assay_fields_is_formula (field->str + 1))
    g_string_erase (field, 0, 1);
  *last = *self->at != self->separator;
  if (*self->at != '\0')
    {
      self->next_line += *self->at == '\n';
      self->at++;
    }

  return TRUE;
}

/* The first two fields of the next record that is not empty. */
static gboolean
read_record (Csv *self, GString *first, GString *second, guint *n, GError **error)
{
  g_autoptr (GString) rest = g_string_new (NULL);
  gboolean last;

  do
    {
      if (*self->at == '\0')
        {
          *n = 0;
          return TRUE;
        }
      self->line = self->next_line;
      *n = 0;
      g_string_truncate (second, 0);
      do
        {
          GString *field = *n == 0 ? first : *n == 1 ? second : rest;

          if (!read_field (self, field, &last, error))
            return FALSE;
          (*n)++;
        }
      while (!last);
    }
  while (*n == 1 && first->len == 0);

  return TRUE;
}

static gboolean
parse_number (const char *text, double *value)
{
  char *end;

  *value = g_ascii_strtod (text, &end);

  return end != text && *end == '\0' && isfinite (*value);
}

static gboolean
is_heading (const char *first)
{
  static const char *const words[] = { "name", "node", "op", "layer" };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_ascii_strcasecmp (first, words[i]) == 0)
      return TRUE;

  return FALSE;
}

/* Headings tell what the values are, and the unit in brackets: `time [us]`. */
static void
take_heading (AssayOverlayFile *self, const char *heading)
{
  const char *open = strrchr (heading, '[');
  const char *close = open != NULL ? strchr (open, ']') : NULL;

  if (*heading == '\0')
    return;
  g_free (self->title);
  if (close == NULL || close[1] != '\0')
    {
      self->title = g_strdup (heading);
      return;
    }
  g_free (self->unit);
  self->unit = g_strndup (open + 1, (gsize) (close - open - 1));
  self->title = g_strchomp (g_strndup (heading, (gsize) (open - heading)));
}

/* Reads names and values, one per line. The first line with a value decides whether they are
 * numbers or words. */
gboolean
assay_overlay_file_read_csv (AssayOverlayFile *self, const char *text, const char *name,
                             GError **error)
{
  Csv csv = { text, name, find_separator (text), 0, 1 };
  g_autoptr (GString) first = g_string_new (NULL);
  g_autoptr (GString) second = g_string_new (NULL);
  g_autofree char *held_name = NULL;
  g_autofree char *held_word = NULL;
  gboolean begun = FALSE;
  guint numbers_from = 0;
  guint n;

  for (;;)
    {
      double value;
      gboolean is_number;

      if (!read_record (&csv, first, second, &n, error))
        return FALSE;
      if (n == 0)
        break;
      if (n < 2 || first->len == 0)
        {
          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                       "%s: line %u: expected the name of a node and a value, "
                       "separated by comma, semicolon or tab",
                       name, csv.line);
          return FALSE;
        }
      is_number = parse_number (second->str, &value);

      /* The first line is a heading if it says so, or if it is the only one without a number. */
      if (!begun)
        {
          begun = TRUE;
          if (is_heading (first->str))
            {
              take_heading (self, second->str);
              continue;
            }
          if (!is_number && second->len > 0)
            {
              held_name = g_strdup (first->str);
              held_word = g_strdup (second->str);
              continue;
            }
        }
      if (second->len == 0)
        continue;

      if (held_name != NULL && is_number)
        take_heading (self, held_word);
      else if (held_name != NULL)
        assay_overlay_file_add (self, held_name, 0, held_word);
      g_clear_pointer (&held_name, g_free);

      if (self->words->len > 0)
        assay_overlay_file_add (self, first->str, 0, second->str);
      else if (is_number)
        {
          numbers_from = numbers_from == 0 ? csv.line : numbers_from;
          assay_overlay_file_add (self, first->str, value, NULL);
        }
      else if (self->values->len == 0)
        assay_overlay_file_add (self, first->str, 0, second->str);
      else
        {
          g_set_error (
              error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
              "%s: line %u: value \"%s\" of \"%s\", expected a finite number as in line %u", name,
              csv.line, second->str, first->str, numbers_from);
          return FALSE;
        }
    }
  if (held_name != NULL)
    assay_overlay_file_add (self, held_name, 0, held_word);

  return TRUE;
}
