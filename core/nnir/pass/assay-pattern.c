/* assay-pattern.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/pass/assay-pattern.h"

#include <math.h>
#include <string.h>

typedef enum
{
  TERM_OP,
  TERM_ANY,
  TERM_SCALAR,
  TERM_CONSTANT,
  TERM_NUMBER,
  TERM_CHOICE,
} TermKind;

struct _AssayPattern
{
  TermKind kind;
  AssayOp op;
  guint letter;
  double number;
  GPtrArray *terms; /* arguments or choices; NULL for none */
};

static AssayPattern *parse_term (const char **cursor);

static void
skip_blanks (const char **cursor)
{
  while (**cursor == ' ')
    (*cursor)++;
}

static void
parse_terms (const char **cursor, AssayPattern *self, char separator)
{
  self->terms = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_pattern_free);
  do
    {
      (*cursor)++;
      g_ptr_array_add (self->terms, parse_term (cursor));
      skip_blanks (cursor);
    }
  while (**cursor == separator);

  if (**cursor != ')')
    g_error ("pattern: “)” expected before “%s”", *cursor);
  (*cursor)++;
}

static AssayOp
parse_op (const char **cursor)
{
  gsize length = strspn (*cursor, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS);
  g_autofree char *name = g_strndup (*cursor, length);
  AssayOp op = assay_op_lookup ("", name);

  if (op == ASSAY_OP_OPAQUE)
    op = assay_op_lookup ("assay", name);
  *cursor += length;
  if (op == ASSAY_OP_OPAQUE || **cursor != '(')
    g_error ("pattern: “%s” is no operation with inputs", name);

  return op;
}

static AssayPattern *
parse_term (const char **cursor)
{
  AssayPattern *self = g_new0 (AssayPattern, 1);

  skip_blanks (cursor);

  if (**cursor == '(')
    {
      self->kind = TERM_CHOICE;
      parse_terms (cursor, self, '|');
    }
  else if (**cursor == '#' || **cursor == '@')
    {
      self->kind = **cursor == '#' ? TERM_SCALAR : TERM_CONSTANT;
      self->letter = (guint) ((*cursor)[1] - 'a');
      *cursor += 2;
    }
  else if (g_ascii_isupper (**cursor))
    {
      self->kind = TERM_OP;
      self->op = parse_op (cursor);
      parse_terms (cursor, self, ',');
    }
  else if (g_ascii_islower (**cursor))
    {
      self->kind = TERM_ANY;
      self->letter = (guint) (**cursor - 'a');
      (*cursor)++;
    }
  else
    {
      char *end;

      self->kind = TERM_NUMBER;
      self->number = g_ascii_strtod (*cursor, &end);
      if (end == *cursor)
        g_error ("pattern: a term expected before “%s”", *cursor);
      *cursor = end;
    }

  return self;
}

/**
 * assay_pattern_parse:
 * @text: the pattern; it is part of the program, so a mistake in it is fatal
 *
 * Makes a pattern from its text.
 *
 * Returns: (transfer full): the pattern
 */
AssayPattern *
assay_pattern_parse (const char *text)
{
  const char *cursor = text;
  AssayPattern *self = parse_term (&cursor);

  if (self->kind != TERM_OP || *cursor != '\0')
    g_error ("pattern: “%s” is not one operation", text);

  return self;
}

void
assay_pattern_free (AssayPattern *self)
{
  if (self == NULL)
    return;

  g_clear_pointer (&self->terms, g_ptr_array_unref);
  g_free (self);
}

/**
 * assay_pattern_root:
 * @text: a pattern
 *
 * Reads which operation makes the output of a pattern, and nothing more of it.
 *
 * Returns: the operation
 */
AssayOp
assay_pattern_root (const char *text)
{
  return parse_op (&text);
}

static gboolean
get_number (AssayRewriter *rewriter, AssayValueId value, double *number, double *tolerance)
{
  AssayTensor *tensor = assay_graph_constant (rewriter->graph, value);
  AssayDType dtype;

  if (tensor == NULL || assay_tensor_get_n_elements (tensor) != 1)
    return FALSE;

  dtype = assay_tensor_get_dtype (tensor);
  if (!assay_dtype_is_float (dtype) && !assay_dtype_is_integer (dtype))
    return FALSE;

  /* A little more than half a unit in the last place, so that a number rounded twice still counts.
   */
  *tolerance = dtype == ASSAY_DTYPE_BF16 ? 8e-3 : dtype == ASSAY_DTYPE_F16 ? 1e-3 : 1e-5;

  return assay_tensor_get_element (tensor, 0, number, NULL);
}

static gboolean
bind (AssayMatch *match, guint letter, AssayValueId value)
{
  if (match->values[letter] == ASSAY_NO_VALUE)
    match->values[letter] = value;

  return match->values[letter] == value;
}

static gboolean match_term (const AssayPattern *self, AssayMatch *match, AssayValueId value);

static gboolean
match_arguments (const AssayPattern *self, AssayMatch *match, AssayNodeId id, gboolean swapped)
{
  for (guint i = 0; i < self->terms->len; i++)
    {
      guint input = swapped && i < 2 ? 1 - i : i;

      if (!match_term (g_ptr_array_index (self->terms, i), match,
                       assay_rewriter_input (match->rewriter, id, input)))
        return FALSE;
    }

  return TRUE;
}

static gboolean
match_node (const AssayPattern *self, AssayMatch *match, AssayNodeId id)
{
  AssayGraph *graph = match->rewriter->graph;
  const AssayNode *node = assay_graph_node (graph, id);
  gboolean commutative = (assay_op_get_info (self->op)->traits & ASSAY_OP_TRAIT_COMMUTATIVE) != 0;
  guint n_orders = commutative && self->terms->len == 2 ? 2 : 1;
  AssayMatch before;
  gboolean known = FALSE;

  if (node->op != self->op || node->n_inputs < self->terms->len ||
      node->region != assay_graph_node (graph, match->root)->region)
    return FALSE;

  for (guint i = self->terms->len; i < node->n_inputs; i++)
    {
      AssayValueId extra = assay_rewriter_input (match->rewriter, id, i);

      if (extra != ASSAY_NO_VALUE && !assay_graph_is_constant (graph, extra))
        return FALSE;
    }

  for (guint i = 0; i < match->n_nodes; i++)
    known = known || match->nodes[i] == id;
  if (!known)
    {
      if (match->n_nodes == ASSAY_PATTERN_MAX_NODES)
        return FALSE;
      match->nodes[match->n_nodes++] = id;
    }
  before = *match;

  for (guint order = 0; order < n_orders; order++)
    {
      *match = before;
      if (match_arguments (self, match, id, order == 1))
        return TRUE;
    }

  return FALSE;
}

static gboolean
match_term (const AssayPattern *self, AssayMatch *match, AssayValueId value)
{
  AssayNodeId producer;
  double number;
  double tolerance;

  if (value == ASSAY_NO_VALUE)
    return FALSE;

  switch (self->kind)
    {
    case TERM_OP:
      producer = assay_rewriter_producer (match->rewriter, value);
      return producer != ASSAY_NO_NODE &&
             assay_graph_value (match->rewriter->graph, value)->output == 0 &&
             match_node (self, match, producer);

    case TERM_ANY:
      return bind (match, self->letter, value);

    case TERM_SCALAR:
      return get_number (match->rewriter, value, &number, &tolerance) &&
             bind (match, self->letter, value);

    case TERM_CONSTANT:
      return assay_graph_is_constant (match->rewriter->graph, value) &&
             bind (match, self->letter, value);

    case TERM_NUMBER:
      return get_number (match->rewriter, value, &number, &tolerance) &&
             fabs (number - self->number) <= tolerance * fabs (self->number);

    default:
      {
        AssayMatch before = *match;

        for (guint i = 0; i < self->terms->len; i++)
          {
            *match = before;
            if (match_term (g_ptr_array_index (self->terms, i), match, value))
              return TRUE;
          }
        return FALSE;
      }
    }
}

/* What is inside the pattern must not be wanted outside of it. */
static gboolean
is_closed (const AssayMatch *match)
{
  AssayGraph *graph = match->rewriter->graph;

  for (guint i = 1; i < match->n_nodes; i++)
    {
      const AssayNode *node = assay_graph_node (graph, match->nodes[i]);
      guint inside = 0;

      for (guint j = 0; j < match->n_nodes; j++)
        {
          for (guint k = 0; k < assay_graph_node (graph, match->nodes[j])->n_inputs; k++)
            inside += assay_rewriter_input (match->rewriter, match->nodes[j], k) ==
                      node->outputs[0];
        }

      if (assay_rewriter_reads (match->rewriter, node->outputs[0]) != inside)
        return FALSE;
      for (guint j = 1; j < node->n_outputs; j++)
        {
          if (node->outputs[j] != ASSAY_NO_VALUE &&
              assay_rewriter_reads (match->rewriter, node->outputs[j]) > 0)
            return FALSE;
        }
    }

  return TRUE;
}

/* What a look at a value itself says, without what it is computed from. */
static gboolean
is_possible (const AssayPattern *self, AssayRewriter *rewriter, AssayValueId value)
{
  gboolean found = FALSE;

  if (value == ASSAY_NO_VALUE)
    return FALSE;

  switch (self->kind)
    {
    case TERM_OP:
      return assay_graph_node (rewriter->graph, assay_rewriter_producer (rewriter, value))->op ==
             self->op;

    case TERM_ANY:
      return TRUE;

    case TERM_CHOICE:
      for (guint i = 0; !found && i < self->terms->len; i++)
        found = is_possible (g_ptr_array_index (self->terms, i), rewriter, value);
      return found;

    default:
      return assay_graph_is_constant (rewriter->graph, value);
    }
}

/* Most nodes fail here, before anything is written down: no input is what the pattern needs. */
static gboolean
is_hopeless (const AssayPattern *self, AssayRewriter *rewriter, AssayNodeId root)
{
  guint n_inputs = assay_graph_node (rewriter->graph, root)->n_inputs;

  for (guint i = 0; i < self->terms->len; i++)
    {
      gboolean found = FALSE;

      for (guint j = 0; !found && j < n_inputs; j++)
        found = is_possible (g_ptr_array_index (self->terms, i), rewriter,
                             assay_rewriter_input (rewriter, root, j));
      if (!found)
        return TRUE;
    }

  return FALSE;
}

/**
 * assay_pattern_match:
 * @self: a pattern
 * @rewriter: the graph
 * @root: the node that may make the output of the pattern
 * @match: where to put how it matched
 *
 * Matches a pattern backwards from a node. Only a match whose inner values have no reader outside
 * counts.
 *
 * Returns: whether it matches
 */
gboolean
assay_pattern_match (const AssayPattern *self, AssayRewriter *rewriter, AssayNodeId root,
                     AssayMatch *match)
{
  if (is_hopeless (self, rewriter, root))
    return FALSE;

  memset (match, 0, sizeof *match);
  match->rewriter = rewriter;
  match->root = root;

  return match_node (self, match, root) && is_closed (match);
}

/**
 * assay_match_value:
 * @self: a match
 * @letter: a letter of the pattern
 *
 * Gets the value that a letter stands for.
 *
 * Returns: the value, 0 if the letter is not in the pattern
 */
AssayValueId
assay_match_value (const AssayMatch *self, char letter)
{
  return self->values[letter - 'a'];
}

/**
 * assay_match_number:
 * @self: a match
 * @letter: a letter of the pattern that stands for a constant of one element
 * @number: (out): where to put it
 *
 * Gets the number that a letter stands for.
 *
 * Returns: whether it could be read
 */
gboolean
assay_match_number (const AssayMatch *self, char letter, double *number)
{
  double tolerance;

  return get_number (self->rewriter, assay_match_value (self, letter), number, &tolerance);
}
