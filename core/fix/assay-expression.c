/* assay-expression.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fix/assay-expression.h"

#include <string.h>

#include "nnir/assay-graph-builder.h"

#define MAX_INPUTS 8

typedef enum
{
  BOUND_VALUE,
  BOUND_NUMBER,
  BOUND_INTS,
  BOUND_INT,
} BoundKind;

typedef struct
{
  BoundKind kind;
  AssayValueId value;
  double number;
  guint n;
  gint64 ints[ASSAY_MAX_RANK];
} Bound;

typedef struct
{
  AssayEdit *edit;
  const char *at;
} Writer;

static AssayValueId write_expression (Writer *self);

static Bound *
bind_new (AssayEdit *self, const char *name, BoundKind kind)
{
  Bound *bound = g_new0 (Bound, 1);

  bound->kind = kind;
  g_hash_table_replace (self->bindings, g_strdup (name), bound);

  return bound;
}

/**
 * assay_edit_bind: (skip)
 * @self: an edit with an anchor
 * @name: a name
 * @value: a value
 *
 * Gives a value a name for expressions of this anchor.
 */
void
assay_edit_bind (AssayEdit *self, const char *name, AssayValueId value)
{
  bind_new (self, name, BOUND_VALUE)->value = value;
}

/**
 * assay_edit_bind_number: (skip)
 * @self: an edit with an anchor
 * @name: a name
 * @number: a number
 *
 * Gives a number a name for expressions of this anchor.
 */
void
assay_edit_bind_number (AssayEdit *self, const char *name, double number)
{
  bind_new (self, name, BOUND_NUMBER)->number = number;
}

/**
 * assay_edit_bind_int: (skip)
 * @self: an edit with an anchor
 * @name: a name
 * @value: an integer
 *
 * Gives an integer attribute a name for expressions of this anchor.
 */
void
assay_edit_bind_int (AssayEdit *self, const char *name, gint64 value)
{
  Bound *bound = bind_new (self, name, BOUND_INT);

  bound->n = 1;
  bound->ints[0] = value;
}

/**
 * assay_edit_bind_ints: (skip)
 * @self: an edit with an anchor
 * @name: a name
 * @n: how many
 * @values: (array length=n): integers
 *
 * Gives a list a name for expressions of this anchor.
 */
void
assay_edit_bind_ints (AssayEdit *self, const char *name, guint n, const gint64 *values)
{
  Bound *bound = bind_new (self, name, BOUND_INTS);

  bound->n = MIN (n, ASSAY_MAX_RANK);
  memcpy (bound->ints, values, bound->n * sizeof *values);
}

static gboolean
skip (Writer *self, char wanted)
{
  while (*self->at == ' ' || *self->at == '\n')
    self->at++;
  if (*self->at != wanted)
    return FALSE;
  self->at++;

  return TRUE;
}

static char *
read_word (Writer *self)
{
  const char *begin;

  skip (self, ' ');
  begin = self->at;
  while (g_ascii_isalnum (*self->at) || *self->at == '_')
    self->at++;

  return g_strndup (begin, (gsize) (self->at - begin));
}

static gboolean
at_number (const Writer *self)
{
  return g_ascii_isdigit (*self->at) || *self->at == '-';
}

static double
read_number (Writer *self, gboolean *whole)
{
  char *end;
  double number = g_ascii_strtod (self->at, &end);

  *whole = TRUE;
  for (const char *c = self->at; c < end; c++)
    *whole &= *c != '.' && *c != 'e';
  self->at = end;

  return number;
}

static guint
read_ints (Writer *self, gint64 *ints)
{
  guint n = 0;

  while (!skip (self, ']'))
    {
      gboolean whole;

      skip (self, ',');
      skip (self, ' ');
      if (!at_number (self))
        continue;
      ints[n++] = (gint64) read_number (self, &whole);
    }

  return n;
}

/* Constants that stand beside x have its type. */
static AssayValueId
number_constant (Writer *self, double number)
{
  AssayValueId x = assay_edit_input (self->edit, 0);

  return assay_edit_scalar (self->edit, assay_edit_type (self->edit, x)->dtype, number);
}

static AssayValueId
dollar_constant (Writer *self)
{
  g_autofree char *name = read_word (self);
  const Bound *bound = g_hash_table_lookup (self->edit->bindings, name);

  if (bound == NULL)
    return number_constant (self, assay_node_get_float (assay_edit_node (self->edit), name));
  if (bound->kind == BOUND_INTS)
    return assay_edit_ints (self->edit, bound->n, bound->ints);

  return bound->kind == BOUND_NUMBER ? number_constant (self, bound->number) : bound->value;
}

static void
copy_attribute (Writer *self, AssayNodeId node, const char *name, const char *from)
{
  const Bound *bound = g_hash_table_lookup (self->edit->bindings, from);
  AssayAttr attr;
  const AssayType *result = assay_edit_type (self->edit,
                                             assay_node_output (assay_edit_node (self->edit), 0));

  if (g_str_equal (from, "dtype"))
    assay_graph_set_int (self->edit->graph, node, name, result->dtype);
  else if (bound != NULL && bound->kind == BOUND_INTS)
    assay_graph_set_ints (self->edit->graph, node, name, bound->n, bound->ints);
  else if (bound != NULL && bound->kind == BOUND_INT)
    assay_graph_set_int (self->edit->graph, node, name, bound->ints[0]);
  else if (bound != NULL)
    assay_graph_set_float (self->edit->graph, node, name, (float) bound->number);
  else if (assay_node_resolve_attr (assay_edit_node (self->edit), from, &attr))
    {
      attr.name = name;
      assay_graph_set_attr (self->edit->graph, node, attr);
    }
}

static void
write_attributes (Writer *self, AssayNodeId node)
{
  AssayGraph *graph = self->edit->graph;

  if (!skip (self, '{'))
    return;

  while (!skip (self, '}'))
    {
      g_autofree char *name = NULL;

      skip (self, ',');
      name = read_word (self);
      skip (self, '=');
      skip (self, ' ');
      if (skip (self, '$'))
        {
          g_autofree char *from = read_word (self);

          copy_attribute (self, node, name, from);
        }
      else if (skip (self, '['))
        {
          gint64 ints[ASSAY_MAX_RANK];
          guint n = read_ints (self, ints);

          assay_graph_set_ints (graph, node, name, n, ints);
        }
      else
        {
          gboolean whole;
          double number = read_number (self, &whole);

          if (whole)
            assay_graph_set_int (graph, node, name, (gint64) number);
          else
            assay_graph_set_float (graph, node, name, (float) number);
        }
    }
}

static AssayValueId
write_node (Writer *self, const char *op)
{
  AssayValueId inputs[MAX_INPUTS];
  AssayValueId output;
  guint n = 0;

  while (!skip (self, ')'))
    {
      g_assert (n < MAX_INPUTS);
      inputs[n++] = write_expression (self);
      skip (self, ',');
    }

  g_assert (assay_op_lookup ("", op) != ASSAY_OP_OPAQUE);
  output = assay_edit_add (self->edit, assay_op_lookup ("", op), n, inputs);
  write_attributes (self, assay_edit_last (self->edit));

  return output;
}

static AssayValueId
named_value (Writer *self, const char *name)
{
  static const char letters[] = "xyzuvw";
  const Bound *bound = g_hash_table_lookup (self->edit->bindings, name);
  const char *letter = name[0] != '\0' && name[1] == '\0' ? strchr (letters, name[0]) : NULL;

  if (bound != NULL)
    return bound->value;
  if (g_str_equal (name, "_"))
    return ASSAY_NO_VALUE;
  g_assert (letter != NULL);

  return assay_edit_input (self->edit, (guint) (letter - letters));
}

static AssayValueId
write_expression (Writer *self)
{
  g_autofree char *word = NULL;

  if (skip (self, '$'))
    return dollar_constant (self);
  if (skip (self, '['))
    {
      gint64 ints[ASSAY_MAX_RANK];
      guint n = read_ints (self, ints);

      return assay_edit_ints (self->edit, n, ints);
    }
  if (at_number (self))
    {
      gboolean whole;

      return number_constant (self, read_number (self, &whole));
    }

  word = read_word (self);

  return skip (self, '(') ? write_node (self, word) : named_value (self, word);
}

/**
 * assay_edit_write: (skip)
 * @self: an edit with an anchor
 * @text: an expression, of a table: that it is well formed is a matter of tests
 *
 * Adds the nodes of an expression before the anchor.
 *
 * Returns: the value of the expression
 */
AssayValueId
assay_edit_write (AssayEdit *self, const char *text)
{
  Writer writer = { self, text };

  while (TRUE)
    {
      const char *begin = writer.at;
      g_autofree char *name = read_word (&writer);
      AssayValueId value;

      if (!skip (&writer, '='))
        {
          writer.at = begin;
          return write_expression (&writer);
        }

      value = write_expression (&writer);
      assay_edit_bind (self, name, value);
      skip (&writer, ';');
    }
}
