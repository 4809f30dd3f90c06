/* assay-torch-scan.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The text is read once, from the front; what can go on for ever is bounded by its end, and what
 * can nest by a depth.
 */
#include "source/torch/assay-torch-scan-private.h"

#include <stdarg.h>
#include <string.h>

#include "base/assay-error.h"

#define MAX_DEPTH ASSAY_TORCH_MAX_DEPTH
#define SPLIT "// -----"

/* Blanks and comments. A comment of five dashes separates independent pieces. */
void
assay_torch_skip (AssayTorchScan *self)
{
  while (self->p < self->end)
    {
      if (g_ascii_isspace (*self->p))
        self->p++;
      else if (*self->p == '/' && self->end - self->p >= 2 && self->p[1] == '/')
        {
          const char *stop = memchr (self->p, '\n', (gsize) (self->end - self->p));

          self->is_split |= (gsize) (self->end - self->p) >= strlen (SPLIT) &&
                            memcmp (self->p, SPLIT, strlen (SPLIT)) == 0;
          self->p = stop != NULL ? stop : self->end;
        }
      else
        return;
    }
}

/* Places come in the order of the text, so all of it is counted once. */
guint32
assay_torch_line (AssayTorchScan *self, const char *place)
{
  const char *stop;

  if (place < self->counted)
    return self->line;
  while ((stop = memchr (self->counted, '\n', (gsize) (place - self->counted))) != NULL)
    {
      self->line++;
      self->counted = stop + 1;
    }

  return self->line;
}

gboolean
assay_torch_fail (AssayTorchScan *self, const char *format, ...)
{
  va_list arguments;
  g_autofree char *what = NULL;

  if (self->error != NULL)
    return FALSE;

  va_start (arguments, format);
  what = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  self->error = g_error_new (ASSAY_ERROR, ASSAY_ERROR_IMPORT, "line %u: %s",
                             assay_torch_line (self, MIN (self->p, self->end)), what);

  return FALSE;
}

gboolean
assay_torch_expected (AssayTorchScan *self, const char *what)
{
  gsize length = 0;
  g_autofree char *seen = NULL;

  assay_torch_skip (self);
  while (length < 24 && self->p + length < self->end && self->p[length] != '\n')
    length++;
  seen = g_utf8_make_valid (self->p, (gssize) length);

  return assay_torch_fail (self, "%s was expected, not “%s”", what,
                           length > 0 ? seen : "the end of the text");
}

/* The caller goes up again. */
gboolean
assay_torch_deeper (AssayTorchScan *self, AssayTorchDepth depth)
{
  return ++self->depth[depth] <= MAX_DEPTH ||
         assay_torch_fail (self, "nested deeper than %d levels", MAX_DEPTH);
}

static gboolean
is_word_char (char c)
{
  return g_ascii_isalnum (c) || c == '_';
}

static gboolean
at_comment (const AssayTorchScan *self)
{
  return self->end - self->p >= 2 && self->p[0] == '/' && self->p[1] == '/';
}

/* Whether what comes next is the first on its line; a comment ends with one. */
gboolean
assay_torch_at_new_line (AssayTorchScan *self)
{
  const char *p;

  assay_torch_skip (self);
  for (p = self->p; p > self->begin && g_ascii_isspace (p[-1]); p--)
    if (p[-1] == '\n')
      return TRUE;

  return p == self->begin || self->p == self->end;
}

/* A word is not the beginning of a longer one, and a brace not that of the resources. */
gboolean
assay_torch_at (AssayTorchScan *self, const char *word)
{
  gsize length;

  assay_torch_skip (self);
  /* Most is something else from its first byte on. */
  if (self->p == self->end || *self->p != *word)
    return FALSE;
  length = strlen (word);
  if ((gsize) (self->end - self->p) < length || memcmp (self->p, word, length) != 0)
    return FALSE;

  if (self->p + length == self->end)
    return TRUE;
  if (word[length - 1] == '{')
    return self->end - self->p < 3 || memcmp (self->p, "{-#", 3) != 0;

  return !is_word_char (word[length - 1]) || !assay_torch_is_word (self->p[length]);
}

gboolean
assay_torch_accept (AssayTorchScan *self, const char *word)
{
  if (!assay_torch_at (self, word))
    return FALSE;
  self->p += strlen (word);

  return TRUE;
}

gboolean
assay_torch_expect (AssayTorchScan *self, const char *word)
{
  g_autofree char *quoted = NULL;

  if (assay_torch_accept (self, word))
    return TRUE;
  quoted = g_strdup_printf ("“%s”", word);

  return assay_torch_expected (self, quoted);
}

/* What stands in a file is text, or is made text of. */
const char *
assay_torch_intern (AssayTorchScan *self, const char *text, gsize length)
{
  g_autofree char *valid = NULL;

  if (g_utf8_validate_len (text, length, NULL))
    return assay_arena_intern_n (self->module->arena, text, length);
  valid = g_utf8_make_valid (text, (gssize) length);

  return assay_arena_intern (self->module->arena, valid);
}

/* What was read from there on, as text. */
const char *
assay_torch_take (AssayTorchScan *self, const char *from)
{
  return assay_torch_intern (self, from, (gsize) (self->p - from));
}

/* A name of an operation, an attribute or a keyword. */
const char *
assay_torch_read_word (AssayTorchScan *self)
{
  const char *from;

  assay_torch_skip (self);
  from = self->p;
  if (self->p < self->end && (g_ascii_isalpha (*self->p) || *self->p == '_'))
    while (self->p < self->end && assay_torch_is_word (*self->p))
      self->p++;

  return self->p > from ? assay_torch_take (self, from) : NULL;
}

/* What stands behind `%`, `@`, `^`, `#` or `!`. */
const char *
assay_torch_read_id (AssayTorchScan *self)
{
  const char *from = self->p;

  while (self->p < self->end &&
         (assay_torch_is_word (*self->p) ||
          (*self->p == '-' && !(self->p + 1 < self->end && self->p[1] == '>'))))
    self->p++;
  if (self->p > from)
    return assay_torch_take (self, from);
  assay_torch_expected (self, "a name");

  return NULL;
}

static void
append_escaped (GString *text, const char **p, const char *end)
{
  char c = **p;

  if (c == 'n' || c == 't')
    g_string_append_c (text, c == 'n' ? '\n' : '\t');
  else if (g_ascii_isxdigit (c) && *p + 1 < end && g_ascii_isxdigit ((*p)[1]))
    {
      g_string_append_c (text,
                         (char) (g_ascii_xdigit_value (c) * 16 + g_ascii_xdigit_value ((*p)[1])));
      (*p)++;
    }
  else
    g_string_append_c (text, c);
}

/* Gives the text between the quotes. It is in the file itself if nothing in it is escaped. */
gboolean
assay_torch_read_quoted (AssayTorchScan *self, const char **text, gsize *length)
{
  const char *from;
  const char *stop;
  gboolean is_escaped = FALSE;

  assay_torch_skip (self);
  if (self->p == self->end || *self->p != '"')
    return assay_torch_expected (self, "a string");

  from = self->p + 1;
  for (stop = from; stop < self->end && *stop != '"'; stop++)
    if (*stop == '\\')
      {
        is_escaped = TRUE;
        stop++;
      }
  if (stop >= self->end)
    return assay_torch_fail (self, "a string has no end");

  self->p = stop + 1;
  *text = from;
  *length = (gsize) (stop - from);
  if (is_escaped)
    {
      g_autoptr (GString) plain = g_string_new (NULL);

      for (const char *p = from; p < stop; p++)
        {
          if (*p == '\\' && p + 1 < stop)
            {
              p++;
              append_escaped (plain, &p, stop);
            }
          else
            g_string_append_c (plain, *p);
        }
      *text = assay_arena_memdup (self->module->arena, plain->str, plain->len + 1);
      *length = plain->len;
    }

  return TRUE;
}

/* A name in quotes: text, which a name without them would be. */
const char *
assay_torch_read_quoted_name (AssayTorchScan *self)
{
  const char *text;
  gsize length;

  return assay_torch_read_quoted (self, &text, &length) ? assay_torch_intern (self, text, length)
                                                        : NULL;
}

/* What closes a bracket, or 0 for what is none. */
static char
closing (char c)
{
  const char *pairs = "()[]{}<>";
  const char *found = c != '\0' ? strchr (pairs, c) : NULL;

  return found != NULL && (found - pairs) % 2 == 0 ? found[1] : '\0';
}

/* A comment ends with its line, and what stands behind it in print would be one, too. */
static void
drop_comments (AssayTorchScan *self, const char **text, gsize *length)
{
  g_autoptr (GString) plain = g_string_sized_new (*length);
  const char *stop = *text + *length;
  gboolean is_quoted = FALSE;

  for (const char *p = *text; p < stop; p++)
    {
      if (is_quoted && *p == '\\' && p + 1 < stop)
        g_string_append_c (plain, *p++);
      else if (*p == '"')
        is_quoted = !is_quoted;
      else if (!is_quoted && *p == '/' && p + 1 < stop && p[1] == '/')
        while (p < stop && *p != '\n')
          p++;
      if (p < stop)
        g_string_append_c (plain, *p);
    }
  *text = assay_arena_memdup (self->module->arena, plain->str, plain->len + 1);
  *length = plain->len;
}

/* Everything up to one of @stop outside of brackets, which is left; without comments. */
gboolean
assay_torch_read_balanced (AssayTorchScan *self, const char *stop, const char **text, gsize *length)
{
  char open[MAX_DEPTH];
  guint depth = 0;
  gboolean has_comments = FALSE;

  assay_torch_skip (self);
  *text = self->p;
  while (self->p < self->end)
    {
      char c = *self->p;

      if (depth == 0 && c != '\0' && strchr (stop, c) != NULL)
        break;
      if (c == '"')
        {
          const char *ignored;
          gsize n;

          if (!assay_torch_read_quoted (self, &ignored, &n))
            return FALSE;
          continue;
        }
      if (at_comment (self))
        {
          has_comments = TRUE;
          while (self->p < self->end && *self->p != '\n')
            self->p++;
          continue;
        }
      if (c == '-' && self->p + 1 < self->end && self->p[1] == '>')
        self->p++;
      else if (closing (c) != '\0')
        {
          if (depth == MAX_DEPTH)
            return assay_torch_fail (self, "nested deeper than %d levels", MAX_DEPTH);
          open[depth++] = closing (c);
        }
      /* Signs of comparison stand in affine maps. */
      else if (c == '>' && self->p + 1 < self->end && self->p[1] == '=')
        self->p++;
      else if (strchr (")]}>", c) != NULL && c != '\0')
        {
          if (depth == 0)
            break;
          if (open[--depth] != c)
            return assay_torch_expected (self, "another bracket");
        }
      self->p++;
    }
  if (depth > 0)
    return assay_torch_fail (self, "a bracket is not closed");

  *length = (gsize) (self->p - *text);
  if (has_comments)
    drop_comments (self, text, length);
  while (*length > 0 && g_ascii_isspace ((*text)[*length - 1]))
    (*length)--;

  return TRUE;
}

gboolean
assay_torch_read_integer (AssayTorchScan *self, gint64 *value)
{
  guint64 n = 0;
  gboolean is_negative;
  const char *from;

  assay_torch_skip (self);
  is_negative = self->p < self->end && *self->p == '-';
  self->p += is_negative;
  for (from = self->p; self->p < self->end && g_ascii_isdigit (*self->p); self->p++)
    if (!g_uint64_checked_mul (&n, n, 10) ||
        !g_uint64_checked_add (&n, n, (guint64) (*self->p - '0')))
      return assay_torch_fail (self, "a number is too large");
  if (from == self->p)
    return assay_torch_expected (self, "a number");
  if (n > (guint64) G_MAXINT64 + is_negative)
    return assay_torch_fail (self, "a number is too large");

  *value = is_negative ? (gint64) (0 - n) : (gint64) n;

  return TRUE;
}
