/* assay-expression-write.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "nnir/function/assay-expression.h"

#define MAX_INPUTS 16

typedef enum
{
  BOUND_VALUE,
  BOUND_NUMBER,
  BOUND_INTS,
  BOUND_INT,
  BOUND_STRING,
} BoundKind;

typedef struct
{
  BoundKind kind;
  AssayValueId value;
  double number;
  char *string;
  guint n;
  gint64 ints[ASSAY_MAX_RANK];
} Bound;

struct _AssayBindings
{
  GHashTable *names; /* name -> Bound */
};

typedef struct
{
  AssayBuilder *builder;
  AssayBindings *bindings;
  const char *suffix; /* (nullable): the name of the term that is being written */
  AssayValueId like;
  AssayDType dtype; /* of the result of the anchor */
} Writer;

static AssayValueId write_term (Writer *self, const AssayTerm *term);

static void
bound_free (gpointer data)
{
  Bound *self = data;

  g_free (self->string);
  g_free (self);
}

/**
 * assay_bindings_new: (skip)
 *
 * Makes an empty set of bindings.
 *
 * Returns: (transfer full): the bindings
 */
AssayBindings *
assay_bindings_new (void)
{
  AssayBindings *self = g_new0 (AssayBindings, 1);

  self->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, bound_free);

  return self;
}

void
assay_bindings_free (AssayBindings *self)
{
  if (self == NULL)
    return;

  g_hash_table_unref (self->names);
  g_free (self);
}

/**
 * assay_bindings_clear: (skip)
 * @self: bindings
 *
 * Removes all of them.
 */
void
assay_bindings_clear (AssayBindings *self)
{
  g_hash_table_remove_all (self->names);
}

/**
 * assay_bindings_contains: (skip)
 * @self: bindings
 * @name: a name
 *
 * Tells whether a name is bound.
 *
 * Returns: whether it is
 */
gboolean
assay_bindings_contains (const AssayBindings *self, const char *name)
{
  return g_hash_table_contains (self->names, name);
}

static Bound *
bind (AssayBindings *self, const char *name, BoundKind kind)
{
  Bound *bound = g_new0 (Bound, 1);

  bound->kind = kind;
  g_hash_table_replace (self->names, g_strdup (name), bound);

  return bound;
}

/**
 * assay_bindings_set_value: (skip)
 * @self: bindings
 * @name: a name
 * @value: a value
 *
 * Binds a name to a value; so do the functions for numbers, integers, lists and strings.
 */
void
assay_bindings_set_value (AssayBindings *self, const char *name, AssayValueId value)
{
  bind (self, name, BOUND_VALUE)->value = value;
}

/**
 * assay_bindings_set_number: (skip)
 * @self: bindings
 * @name: a name
 * @number: a number
 *
 * Binds a name to a number.
 */
void
assay_bindings_set_number (AssayBindings *self, const char *name, double number)
{
  bind (self, name, BOUND_NUMBER)->number = number;
}

/**
 * assay_bindings_set_int: (skip)
 * @self: bindings
 * @name: a name
 * @value: an integer
 *
 * Binds a name to an integer.
 */
void
assay_bindings_set_int (AssayBindings *self, const char *name, gint64 value)
{
  Bound *bound = bind (self, name, BOUND_INT);

  bound->n = 1;
  bound->ints[0] = value;
  bound->number = (double) value;
}

/**
 * assay_bindings_set_ints: (skip)
 * @self: bindings
 * @name: a name
 * @n: number of integers
 * @values: (array length=n): the integers
 *
 * Binds a name to a list of integers.
 */
void
assay_bindings_set_ints (AssayBindings *self, const char *name, guint n, const gint64 *values)
{
  Bound *bound = bind (self, name, BOUND_INTS);

  bound->n = MIN (n, ASSAY_MAX_RANK);
  memcpy (bound->ints, values, bound->n * sizeof *values);
}

/**
 * assay_bindings_set_string: (skip)
 * @self: bindings
 * @name: a name
 * @string: a text
 *
 * Binds a name to a text.
 */
void
assay_bindings_set_string (AssayBindings *self, const char *name, const char *string)
{
  bind (self, name, BOUND_STRING)->string = g_strdup (string);
}

static AssayValueId
write_number (Writer *self, const char *suffix, double number)
{
  return assay_builder_number_like (self->builder, suffix, number, self->like);
}

/* A constant of what is bound, or of the attribute of the anchor. */
static AssayValueId
write_bound (Writer *self, const char *name)
{
  const Bound *bound = g_hash_table_lookup (self->bindings->names, name);

  if (bound == NULL)
    return write_number (self, name,
                         assay_node_get_float (assay_builder_anchor (self->builder), name));
  if (bound->kind == BOUND_INTS)
    return assay_builder_ints (self->builder, name, bound->n, bound->ints);
  if (bound->kind == BOUND_VALUE)
    return bound->value;

  return write_number (self, name, bound->number);
}

static void
set_bound (Writer *self, AssayNodeId node, const AssayTerm *setting)
{
  AssayGraph *graph = self->builder->graph;
  const Bound *bound = g_hash_table_lookup (self->bindings->names, setting->from);
  AssayAttr attr;

  if (g_str_equal (setting->from, "dtype"))
    assay_graph_set_int (graph, node, setting->name, self->dtype);
  else if (bound != NULL && bound->kind == BOUND_INTS)
    assay_graph_set_ints (graph, node, setting->name, bound->n, bound->ints);
  else if (bound != NULL && bound->kind == BOUND_INT)
    assay_graph_set_int (graph, node, setting->name, bound->ints[0]);
  else if (bound != NULL && bound->kind == BOUND_STRING)
    assay_graph_set_string (graph, node, setting->name, bound->string);
  else if (bound != NULL)
    assay_graph_set_float (graph, node, setting->name, (float) bound->number);
  else if (assay_builder_anchor (self->builder)->op != ASSAY_OP_OPAQUE &&
           assay_node_resolve_attr (assay_builder_anchor (self->builder), setting->from, &attr))
    {
      attr.name = setting->name;
      assay_graph_set_attr (graph, node, attr);
    }
}

static void
write_settings (Writer *self, AssayNodeId node, const AssayTerm *term)
{
  AssayGraph *graph = self->builder->graph;

  for (guint i = 0; term->settings != NULL && i < term->settings->len; i++)
    {
      const AssayTerm *setting = g_ptr_array_index (term->settings, i);

      if (setting->kind == ASSAY_TERM_BOUND)
        set_bound (self, node, setting);
      else if (setting->kind == ASSAY_TERM_INTS)
        assay_graph_set_ints (graph, node, setting->name, setting->n_ints, setting->ints);
      else if (setting->kind == ASSAY_TERM_STRING)
        assay_graph_set_string (graph, node, setting->name, setting->string);
      else if (setting->whole)
        assay_graph_set_int (graph, node, setting->name, (gint64) setting->number);
      else
        assay_graph_set_float (graph, node, setting->name, (float) setting->number);
    }
}

static AssayValueId
write_node (Writer *self, const AssayTerm *term)
{
  const char *suffix = self->suffix;
  AssayValueId inputs[MAX_INPUTS];
  AssayValueId output;

  g_assert (term->terms->len <= MAX_INPUTS);
  self->suffix = NULL;
  for (guint i = 0; i < term->terms->len; i++)
    inputs[i] = write_term (self, g_ptr_array_index (term->terms, i));
  output = assay_builder_add (self->builder, term->op, suffix, term->terms->len, inputs);
  write_settings (self, assay_builder_last (self->builder), term);

  return output;
}

/* A named term is written where it is first read. */
static AssayValueId
write_name (Writer *self, const AssayTerm *term)
{
  const Bound *bound = g_hash_table_lookup (self->bindings->names, term->name);
  AssayValueId value;

  if (bound != NULL)
    {
      g_assert (bound->kind == BOUND_VALUE);
      return bound->value;
    }

  g_assert (term->let != NULL);
  self->suffix = strlen (term->name) > 1 ? term->name : NULL;
  value = write_term (self, term->let);
  self->suffix = NULL;
  assay_bindings_set_value (self->bindings, term->name, value);

  return value;
}

static AssayValueId
write_term (Writer *self, const AssayTerm *term)
{
  switch (term->kind)
    {
    case ASSAY_TERM_OP:
      return write_node (self, term);
    case ASSAY_TERM_CHOICE:
      return write_term (self, g_ptr_array_index (term->terms, 0));
    case ASSAY_TERM_NAME:
    case ASSAY_TERM_CONSTANT:
      return write_name (self, term);
    case ASSAY_TERM_NUMBER:
      return write_number (self, "constant", term->number);
    case ASSAY_TERM_INTS:
      return assay_builder_ints (self->builder, "constant", term->n_ints, term->ints);
    case ASSAY_TERM_BOUND:
      return write_bound (self, term->from);
    case ASSAY_TERM_OMITTED:
    case ASSAY_TERM_STRING:
    default:
      return ASSAY_NO_VALUE;
    }
}

/**
 * assay_expression_write: (skip)
 * @self: an expression
 * @builder: a builder with an anchor
 * @bindings: what the names stand for; gets the named terms that are written
 *
 * Writes the nodes of an expression for the anchor. Numbers get the element type of its first
 * input.
 *
 * Returns: the value of the expression
 */
AssayValueId
assay_expression_write (const AssayExpression *self, AssayBuilder *builder, AssayBindings *bindings)
{
  AssayValueId result = assay_node_output (assay_builder_anchor (builder), 0);
  AssayValueId first = assay_node_input (assay_builder_anchor (builder), 0);
  Writer writer = { builder, bindings, NULL, first, ASSAY_DTYPE_UNDEFINED };

  if (result != ASSAY_NO_VALUE)
    writer.dtype = assay_builder_type (builder, result)->dtype;

  return write_term (&writer, self->result);
}
