/* assay-op-function.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reading functions.nnir.
 */
#include "nnir/function/assay-op-function.h"

#include <string.h>

#include "base/assay-error.h"

/* Written by embed-text.py. */
extern const char *const assay_op_function_lines[];

/* All functions, in the order of the file. Read once, by the first that asks; never changed. */
typedef struct
{
  GPtrArray *functions; /* AssayOpFunction */
  GPtrArray *of_op[ASSAY_N_OPS];
  GHashTable *of_name; /* "domain::type" -> GPtrArray of AssayOpFunction, of other operators */
  GHashTable *by_id;
} Table;

static void
input_free (gpointer data)
{
  AssayOpFunctionInput *self = data;

  g_free (self->name);
  assay_term_free (self->fallback);
  g_free (self);
}

static void
function_free (gpointer data)
{
  AssayOpFunction *self = data;

  g_free (self->id);
  g_free (self->domain);
  g_free (self->type);
  g_free (self->guard_name);
  g_free (self->words);
  g_clear_pointer (&self->inputs, g_ptr_array_unref);
  g_clear_pointer (&self->settings, g_ptr_array_unref);
  assay_expression_free (self->body);
  g_free (self);
}

static gboolean
fail (const char *at, const char *expected, GError **error)
{
  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "%s expected before \"%.40s\"", expected,
               at);

  return FALSE;
}

static void
skip_blanks (const char **at)
{
  while (g_ascii_isspace (**at))
    (*at)++;
}

static gboolean
accept (const char **at, char wanted)
{
  skip_blanks (at);
  if (**at != wanted)
    return FALSE;
  (*at)++;

  return TRUE;
}

static char *
read_word (const char **at, const char *more)
{
  const char *begin;

  skip_blanks (at);
  begin = *at;
  while (g_ascii_isalnum (**at) || (**at != '\0' && strchr (more, **at) != NULL))
    (*at)++;

  return g_strndup (begin, (gsize) (*at - begin));
}

/* domain::Type or Type. */
static gboolean
read_operator (AssayOpFunction *self, const char **at, GError **error)
{
  self->domain = read_word (at, "._");
  if (g_str_has_prefix (*at, "::"))
    {
      *at += 2;
      self->type = read_word (at, "_");
    }
  else
    {
      self->type = self->domain;
      self->domain = g_strdup ("");
    }
  if (self->type[0] == '\0')
    return fail (*at, "an operator", error);

  self->op = assay_op_lookup (self->domain, self->type);
  if (self->op == ASSAY_OP_OPAQUE && self->domain[0] == '\0')
    self->op = assay_op_lookup ("assay", self->type);

  return TRUE;
}

static gboolean
read_inputs (AssayOpFunction *self, const char **at, GError **error)
{
  if (!accept (at, '('))
    return fail (*at, "\"(\"", error);
  if (accept (at, ')'))
    return TRUE;

  do
    {
      AssayOpFunctionInput *input = g_new0 (AssayOpFunctionInput, 1);

      g_ptr_array_add (self->inputs, input);
      input->name = read_word (at, "_");
      if (input->name[0] == '\0')
        return fail (*at, "an input", error);
      input->is_optional = accept (at, '?');
      if (input->is_optional && accept (at, '='))
        {
          input->fallback = assay_term_parse_setting (at, error);
          if (input->fallback == NULL)
            return FALSE;
        }
    }
  while (accept (at, ','));

  return accept (at, ')') || fail (*at, "\")\"", error);
}

/* NAME "=" setting, and for a name that is bound ":" and a default. */
static gboolean
read_setting (AssayOpFunction *self, const char **at, GError **error)
{
  g_autofree char *name = read_word (at, "_");
  AssayTerm *term;

  if (!accept (at, '='))
    return fail (*at, "\"=\"", error);
  term = assay_term_parse_setting (at, error);
  if (term == NULL)
    return FALSE;
  term->name = g_steal_pointer (&name);
  g_ptr_array_add (self->settings, term);
  if (accept (at, ':'))
    {
      g_autoptr (AssayTerm) other = assay_term_parse_setting (at, error);

      if (other == NULL)
        return FALSE;
      term->number = other->number;
      term->whole = other->whole;
      term->string = g_strdup ("");
    }

  return TRUE;
}

static gboolean
read_settings (AssayOpFunction *self, const char **at, GError **error)
{
  if (!accept (at, '{'))
    return TRUE;

  do
    if (!read_setting (self, at, error))
      return FALSE;
  while (accept (at, ','));

  return accept (at, '}') || fail (*at, "\"}\"", error);
}

static gboolean
read_flag (AssayOpFunction *self, const char **at, const char *word, GError **error)
{
  static const char *const keeps[] = { "bits", "numbers", "approximation", NULL };

  for (guint i = 0; keeps[i] != NULL; i++)
    if (g_str_equal (keeps[i], word))
      {
        self->keeps = (AssayOpFunctionKeeps) i;
        return TRUE;
      }
  if (g_str_equal (word, "write"))
    self->reads = FALSE;
  else if (g_str_equal (word, "read"))
    self->writes = FALSE;
  else if (g_str_equal (word, "if"))
    {
      self->guard_name = read_word (at, "_");
      self->guard = assay_op_function_guard (self->guard_name);
      return self->guard != NULL || !self->writes || fail (*at, "a guard", error);
    }
  else
    return fail (*at, "\"bits\", \"numbers\", \"approximation\", \"write\", \"read\" or \"if\"",
                 error);

  return TRUE;
}

static gboolean
read_head (AssayOpFunction *self, const char **at, GError **error)
{
  self->id = read_word (at, "-_");
  if (self->id[0] == '\0' || !accept (at, ':'))
    return fail (*at, "a name and \":\"", error);
  if (!read_operator (self, at, error) || !read_inputs (self, at, error) ||
      !read_settings (self, at, error))
    return FALSE;

  while (!accept (at, '='))
    {
      if (accept (at, '"'))
        {
          const char *close = strchr (*at, '"');

          if (close == NULL)
            return fail (*at, "the end of a string", error);
          self->words = g_strndup (*at, (gsize) (close - *at));
          *at = close + 1;
        }
      else
        {
          g_autofree char *word = read_word (at, "");

          if (!read_flag (self, at, word, error))
            return FALSE;
        }
    }

  return TRUE;
}

/**
 * assay_op_functions_parse:
 * @text: rows of functions
 * @error: return location for a #GError
 *
 * Reads functions.
 *
 * Returns: (transfer full) (nullable) (element-type AssayOpFunction): the functions, or %NULL with
 * %ASSAY_ERROR_INVALID
 */
GPtrArray *
assay_op_functions_parse (const char *text, GError **error)
{
  g_autoptr (GPtrArray) functions = g_ptr_array_new_with_free_func (function_free);
  const char *at = text;

  for (skip_blanks (&at); *at != '\0'; skip_blanks (&at))
    {
      AssayOpFunction *self = g_new0 (AssayOpFunction, 1);

      g_ptr_array_add (functions, self);
      self->inputs = g_ptr_array_new_with_free_func (input_free);
      self->settings = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_term_free);
      self->writes = self->reads = TRUE;
      if (!read_head (self, &at, error))
        return NULL;
      self->body = assay_expression_parse (at, &at, error);
      if (self->body == NULL)
        return NULL;
      if (!accept (&at, '.'))
        {
          fail (at, "\".\"", error);
          return NULL;
        }
    }

  return g_steal_pointer (&functions);
}

static GPtrArray *
read_file (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GError) error = NULL;
  GPtrArray *functions;

  for (guint i = 0; assay_op_function_lines[i] != NULL; i++)
    if (assay_op_function_lines[i][0] != '#')
      g_string_append_printf (text, "%s\n", assay_op_function_lines[i]);
  functions = assay_op_functions_parse (text->str, &error);
  if (functions == NULL)
    g_error ("functions.nnir: %s", error->message);

  return functions;
}

static void
index_function (Table *self, AssayOpFunction *function)
{
  g_hash_table_insert (self->by_id, function->id, function);
  if (function->op != ASSAY_OP_OPAQUE)
    {
      if (self->of_op[function->op] == NULL)
        self->of_op[function->op] = g_ptr_array_new ();
      g_ptr_array_add (self->of_op[function->op], function);
    }
  else
    {
      g_autofree char *key = g_strdup_printf ("%s::%s", function->domain, function->type);
      GPtrArray *list = g_hash_table_lookup (self->of_name, key);

      if (list == NULL)
        {
          list = g_ptr_array_new ();
          g_hash_table_insert (self->of_name, g_steal_pointer (&key), list);
        }
      g_ptr_array_add (list, function);
    }
}

static const Table *
get_table (void)
{
  static Table *table;

  if (g_once_init_enter (&table))
    {
      Table *made = g_new0 (Table, 1);

      made->functions = read_file ();
      made->by_id = g_hash_table_new (g_str_hash, g_str_equal);
      made->of_name = g_hash_table_new (g_str_hash, g_str_equal);
      for (guint i = 0; i < made->functions->len; i++)
        index_function (made, g_ptr_array_index (made->functions, i));
      g_once_init_leave (&table, made);
    }

  return table;
}

/**
 * assay_op_function_list:
 * @index: position in functions.nnir
 *
 * Gets a function by its position.
 *
 * Returns: (transfer none) (nullable): the function, %NULL past the end
 */
const AssayOpFunction *
assay_op_function_list (guint index)
{
  const Table *table = get_table ();

  return index < table->functions->len ? g_ptr_array_index (table->functions, index) : NULL;
}

/**
 * assay_op_function_find:
 * @id: id of a function
 *
 * Finds a function.
 *
 * Returns: (transfer none) (nullable): the function
 */
const AssayOpFunction *
assay_op_function_find (const char *id)
{
  return g_hash_table_lookup (get_table ()->by_id, id);
}

static const AssayOpFunction *const *
get_list (const GPtrArray *list, guint *n)
{
  *n = list != NULL ? list->len : 0;

  return list != NULL ? (const AssayOpFunction *const *) list->pdata : NULL;
}

/**
 * assay_op_function_of_op:
 * @op: an operator of the op table
 * @n: (out): how many
 *
 * Lists the functions of an operator, the preferred one first.
 *
 * Returns: (transfer none) (array length=n): the functions
 */
const AssayOpFunction *const *
assay_op_function_of_op (AssayOp op, guint *n)
{
  return get_list (get_table ()->of_op[op], n);
}

/**
 * assay_op_function_of:
 * @node: a node
 * @n: (out): how many
 *
 * Lists the functions of the operator of a node, which the op table need not have.
 *
 * Returns: (transfer none) (array length=n): the functions
 */
const AssayOpFunction *const *
assay_op_function_of (const AssayNode *node, guint *n)
{
  g_autofree char *key = NULL;

  if (node->op != ASSAY_OP_OPAQUE)
    return assay_op_function_of_op (node->op, n);
  if (node->violation != NULL)
    return get_list (NULL, n);
  key = g_strdup_printf ("%s::%s", node->domain, node->op_type);

  return get_list (g_hash_table_lookup (get_table ()->of_name, key), n);
}
