/* assay-expression.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reading expressions; they are written by assay-expression-write.c.
 */
#include "nnir/function/assay-expression.h"

#include <string.h>

#include "base/assay-error.h"

typedef struct
{
  const char *at;
  GPtrArray *lets;
  GError **error;
} Parser;

static AssayTerm *parse_term (Parser *self);

void
assay_term_free (AssayTerm *self)
{
  if (self == NULL)
    return;

  g_clear_pointer (&self->terms, g_ptr_array_unref);
  g_clear_pointer (&self->settings, g_ptr_array_unref);
  g_free (self->name);
  g_free (self->from);
  g_free (self->string);
  g_free (self);
}

void
assay_expression_free (AssayExpression *self)
{
  if (self == NULL)
    return;

  g_ptr_array_unref (self->lets);
  assay_term_free (self->result);
  g_free (self);
}

static AssayTerm *
term_new (AssayTermKind kind)
{
  AssayTerm *self = g_new0 (AssayTerm, 1);

  self->kind = kind;

  return self;
}

static GPtrArray *
terms_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) assay_term_free);
}

static gpointer
fail (Parser *self, const char *expected)
{
  if (self->error != NULL && *self->error == NULL)
    g_set_error (self->error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s expected before \"%.40s\"",
                 expected, self->at);

  return NULL;
}

static void
skip_blanks (Parser *self)
{
  while (g_ascii_isspace (*self->at))
    self->at++;
}

static gboolean
accept (Parser *self, char wanted)
{
  skip_blanks (self);
  if (*self->at != wanted)
    return FALSE;
  self->at++;

  return TRUE;
}

static gboolean
expect (Parser *self, char wanted)
{
  const char expected[] = { '"', wanted, '"', '\0' };

  return accept (self, wanted) || fail (self, expected) != NULL;
}

static char *
parse_word (Parser *self)
{
  const char *begin;

  skip_blanks (self);
  begin = self->at;
  while (g_ascii_isalnum (*self->at) || *self->at == '_')
    self->at++;

  return self->at > begin ? g_strndup (begin, (gsize) (self->at - begin)) : fail (self, "a name");
}

static gboolean
at_number (Parser *self)
{
  skip_blanks (self);

  return g_ascii_isdigit (*self->at) || *self->at == '-';
}

static gboolean
parse_number (Parser *self, AssayTerm *term)
{
  char *end;

  term->number = g_ascii_strtod (self->at, &end);
  if (end == self->at)
    return fail (self, "a number") != NULL;
  term->whole = TRUE;
  for (const char *c = self->at; c < end; c++)
    term->whole &= *c != '.' && *c != 'e';
  self->at = end;

  return TRUE;
}

static gboolean
parse_ints (Parser *self, AssayTerm *term)
{
  if (accept (self, ']'))
    return TRUE;

  do
    {
      skip_blanks (self);
      if (!parse_number (self, term) || !term->whole || term->n_ints == ASSAY_MAX_RANK)
        return fail (self, "an integer") != NULL;
      term->ints[term->n_ints++] = (gint64) term->number;
    }
  while (accept (self, ','));

  return expect (self, ']');
}

/* A value of an attribute. */
static AssayTerm *
parse_setting (Parser *self)
{
  g_autoptr (AssayTerm) term = NULL;

  if (accept (self, '$'))
    {
      term = term_new (ASSAY_TERM_BOUND);
      term->from = parse_word (self);
      return term->from != NULL ? g_steal_pointer (&term) : NULL;
    }
  if (accept (self, '['))
    {
      term = term_new (ASSAY_TERM_INTS);
      return parse_ints (self, term) ? g_steal_pointer (&term) : NULL;
    }
  if (accept (self, '"'))
    {
      const char *close = strchr (self->at, '"');

      if (close == NULL)
        return fail (self, "the end of a string");
      term = term_new (ASSAY_TERM_STRING);
      term->string = g_strndup (self->at, (gsize) (close - self->at));
      self->at = close + 1;
      return g_steal_pointer (&term);
    }

  skip_blanks (self);
  term = term_new (ASSAY_TERM_NUMBER);

  return parse_number (self, term) ? g_steal_pointer (&term) : NULL;
}

static gboolean
parse_settings (Parser *self, AssayTerm *node)
{
  if (!accept (self, '{'))
    return TRUE;

  node->settings = terms_new ();
  do
    {
      g_autofree char *name = parse_word (self);
      AssayTerm *setting;

      if (name == NULL || !expect (self, '='))
        return FALSE;
      setting = parse_setting (self);
      if (setting == NULL)
        return FALSE;
      setting->name = g_steal_pointer (&name);
      g_ptr_array_add (node->settings, setting);
    }
  while (accept (self, ','));

  return expect (self, '}');
}

static AssayTerm *
parse_node (Parser *self, const char *name)
{
  g_autoptr (AssayTerm) term = term_new (ASSAY_TERM_OP);

  term->op = assay_op_lookup ("", name);
  if (term->op == ASSAY_OP_OPAQUE)
    term->op = assay_op_lookup ("assay", name);
  if (term->op == ASSAY_OP_OPAQUE)
    return fail (self, "inputs of an operation");

  term->terms = terms_new ();
  if (!accept (self, ')'))
    {
      do
        {
          AssayTerm *input = parse_term (self);

          if (input == NULL)
            return NULL;
          g_ptr_array_add (term->terms, input);
        }
      while (accept (self, ','));
      if (!expect (self, ')'))
        return NULL;
    }

  return parse_settings (self, term) ? g_steal_pointer (&term) : NULL;
}

static AssayTerm *
parse_choice (Parser *self)
{
  g_autoptr (AssayTerm) term = term_new (ASSAY_TERM_CHOICE);

  term->terms = terms_new ();
  do
    {
      AssayTerm *choice = parse_term (self);

      if (choice == NULL)
        return NULL;
      g_ptr_array_add (term->terms, choice);
    }
  while (accept (self, '|'));

  return expect (self, ')') ? g_steal_pointer (&term) : NULL;
}

static AssayTerm *
parse_name (Parser *self, char *word)
{
  AssayTerm *term = term_new (ASSAY_TERM_NAME);

  term->name = word;
  if (g_str_equal (word, "_"))
    term->kind = ASSAY_TERM_OMITTED;
  for (guint i = 0; i < self->lets->len; i++)
    {
      const AssayTerm *let = g_ptr_array_index (self->lets, i);

      if (g_str_equal (let->name, word))
        term->let = g_ptr_array_index (let->terms, 0);
    }

  return term;
}

static AssayTerm *
parse_term (Parser *self)
{
  g_autoptr (AssayTerm) term = NULL;
  g_autofree char *word = NULL;

  if (accept (self, '('))
    return parse_choice (self);
  if (*self->at == '$' || *self->at == '[' || at_number (self))
    return parse_setting (self);

  if (accept (self, '@'))
    {
      term = term_new (ASSAY_TERM_CONSTANT);
      term->name = parse_word (self);
      return term->name != NULL ? g_steal_pointer (&term) : NULL;
    }

  word = parse_word (self);
  if (word == NULL)
    return NULL;

  return accept (self, '(') ? parse_node (self, word) : parse_name (self, g_steal_pointer (&word));
}

/* NAME "=" term ";", if that is next. */
static gboolean
parse_let (Parser *self, gboolean *found)
{
  const char *begin = self->at;
  g_autoptr (AssayTerm) let = term_new (ASSAY_TERM_NAME);
  AssayTerm *term;

  skip_blanks (self);
  *found = FALSE;
  if (g_ascii_islower (*self->at))
    let->name = parse_word (self);
  if (let->name == NULL || !accept (self, '='))
    {
      self->at = begin;
      return TRUE;
    }

  term = parse_term (self);
  if (term == NULL || !expect (self, ';'))
    {
      assay_term_free (term);
      return FALSE;
    }
  let->terms = terms_new ();
  g_ptr_array_add (let->terms, term);
  g_ptr_array_add (self->lets, g_steal_pointer (&let));
  *found = TRUE;

  return TRUE;
}

/**
 * assay_expression_parse:
 * @text: a body
 * @end: (out) (optional): where it ends; %NULL asks that nothing follows
 * @error: return location for a #GError
 *
 * Reads a body.
 *
 * Returns: (transfer full) (nullable): the body, or %NULL with %ASSAY_ERROR_INVALID
 */
AssayExpression *
assay_expression_parse (const char *text, const char **end, GError **error)
{
  g_autoptr (AssayExpression) self = g_new0 (AssayExpression, 1);
  g_autoptr (GError) own = NULL;
  Parser parser = { text, terms_new (), &own };
  gboolean more = TRUE;

  self->lets = parser.lets;
  while (more)
    if (!parse_let (&parser, &more))
      break;
  if (own == NULL)
    self->result = parse_term (&parser);
  skip_blanks (&parser);
  if (own == NULL && end == NULL && *parser.at != '\0')
    fail (&parser, "the end");
  if (own != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&own));
      return NULL;
    }
  if (end != NULL)
    *end = parser.at;

  return g_steal_pointer (&self);
}

/**
 * assay_term_parse_setting:
 * @cursor: (inout): where to read; moves behind the value
 * @error: return location for a #GError
 *
 * Reads the value of an attribute.
 *
 * Returns: (transfer full) (nullable): the value, or %NULL with %ASSAY_ERROR_INVALID
 */
AssayTerm *
assay_term_parse_setting (const char **cursor, GError **error)
{
  Parser parser = { *cursor, NULL, error };
  AssayTerm *term = parse_setting (&parser);

  *cursor = parser.at;

  return term;
}
