/* assay-match.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Finding the body of a function in a graph.
 */
#include "nnir/pass/assay-match.h"

#include <math.h>
#include <string.h>

/* How far an attribute may be from the number that is written. */
#define ATTRIBUTE_TOLERANCE 1e-5

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
bind (AssayMatch *match, const char *name, AssayValueId value)
{
  for (guint i = 0; i < match->n_bound; i++)
    if (g_str_equal (match->bound[i].name, name))
      return match->bound[i].value == value;

  g_assert (match->n_bound < ASSAY_MATCH_MAX_NAMES);
  match->bound[match->n_bound].name = name;
  match->bound[match->n_bound++].value = value;

  return TRUE;
}

static gboolean match_term (const AssayTerm *self, AssayMatch *match, AssayValueId value);

static gboolean
match_arguments (const AssayTerm *self, AssayMatch *match, AssayNodeId id, gboolean swapped)
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
has_settings (const AssayTerm *self, const AssayNode *node)
{
  for (guint i = 0; self->settings != NULL && i < self->settings->len; i++)
    {
      const AssayTerm *setting = g_ptr_array_index (self->settings, i);
      AssayAttr attr;

      if (setting->kind != ASSAY_TERM_NUMBER ||
          !assay_node_resolve_attr (node, setting->name, &attr))
        return FALSE;
      if (attr.kind == ASSAY_ATTR_INT ? (double) attr.u.i != setting->number
                                      : attr.kind != ASSAY_ATTR_FLOAT ||
                                            fabs (attr.u.f - setting->number) > ATTRIBUTE_TOLERANCE)
        return FALSE;
    }

  return TRUE;
}

static gboolean
match_node (const AssayTerm *self, AssayMatch *match, AssayNodeId id)
{
  AssayGraph *graph = match->rewriter->graph;
  const AssayNode *node = assay_graph_node (graph, id);
  gboolean commutative = (assay_op_get_info (self->op)->traits & ASSAY_OP_TRAIT_COMMUTATIVE) != 0;
  guint n_orders = commutative && self->terms->len == 2 ? 2 : 1;
  AssayMatch before;
  gboolean known = FALSE;

  if (node->op != self->op || node->n_inputs < self->terms->len ||
      node->region != assay_graph_node (graph, match->root)->region || !has_settings (self, node))
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
      if (match->n_nodes == ASSAY_MATCH_MAX_NODES)
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
match_term (const AssayTerm *self, AssayMatch *match, AssayValueId value)
{
  AssayNodeId producer;
  double number;
  double tolerance;

  if (value == ASSAY_NO_VALUE)
    return self->kind == ASSAY_TERM_OMITTED;

  switch ((guint) self->kind)
    {
    case ASSAY_TERM_OP:
      producer = assay_rewriter_producer (match->rewriter, value);
      return producer != ASSAY_NO_NODE &&
             assay_graph_value (match->rewriter->graph, value)->output == 0 &&
             match_node (self, match, producer);

    case ASSAY_TERM_NAME:
      return self->let != NULL ? match_term (self->let, match, value)
                               : bind (match, self->name, value);

    case ASSAY_TERM_CONSTANT:
      return assay_graph_is_constant (match->rewriter->graph, value) &&
             bind (match, self->name, value);

    case ASSAY_TERM_BOUND:
      return get_number (match->rewriter, value, &number, &tolerance) &&
             bind (match, self->from, value);

    case ASSAY_TERM_NUMBER:
      return get_number (match->rewriter, value, &number, &tolerance) &&
             fabs (number - self->number) <= tolerance * fabs (self->number);

    case ASSAY_TERM_CHOICE:
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

    default:
      return FALSE;
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
is_possible (const AssayTerm *self, AssayRewriter *rewriter, AssayValueId value)
{
  gboolean found = FALSE;

  if (value == ASSAY_NO_VALUE)
    return self->kind == ASSAY_TERM_OMITTED;

  switch ((guint) self->kind)
    {
    case ASSAY_TERM_OP:
      return assay_graph_node (rewriter->graph, assay_rewriter_producer (rewriter, value))->op ==
             self->op;

    case ASSAY_TERM_NAME:
      return self->let == NULL || is_possible (self->let, rewriter, value);

    case ASSAY_TERM_CHOICE:
      for (guint i = 0; !found && i < self->terms->len; i++)
        found = is_possible (g_ptr_array_index (self->terms, i), rewriter, value);
      return found;

    default:
      return assay_graph_is_constant (rewriter->graph, value);
    }
}

/* Most nodes fail here, before anything is written down: no input is what the pattern needs. */
static gboolean
is_hopeless (const AssayTerm *self, AssayRewriter *rewriter, AssayNodeId root)
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
 * assay_match:
 * @self: (out caller-allocates): where to put how it matched
 * @term: a node of an expression
 * @rewriter: the graph
 * @root: the node that may make the result
 *
 * Matches an expression backwards from a node. Only a match whose inner values have no reader
 * outside counts.
 *
 * Returns: whether it matches
 */
gboolean
assay_match (AssayMatch *self, const AssayTerm *term, AssayRewriter *rewriter, AssayNodeId root)
{
  if (is_hopeless (term, rewriter, root))
    return FALSE;

  memset (self, 0, sizeof *self);
  self->rewriter = rewriter;
  self->root = root;

  return match_node (term, self, root) && is_closed (self);
}

/**
 * assay_match_value:
 * @self: a match
 * @name: a name of the expression
 *
 * Gets the value that a name stands for.
 *
 * Returns: the value, 0 if the name did not occur
 */
AssayValueId
assay_match_value (const AssayMatch *self, const char *name)
{
  for (guint i = 0; i < self->n_bound; i++)
    if (g_str_equal (self->bound[i].name, name))
      return self->bound[i].value;

  return ASSAY_NO_VALUE;
}

/**
 * assay_match_number:
 * @self: a match
 * @name: a name of the expression that stands for a constant of one element
 * @number: (out): where to put it
 *
 * Gets the number that a name stands for.
 *
 * Returns: whether it could be read
 */
gboolean
assay_match_number (const AssayMatch *self, const char *name, double *number)
{
  double tolerance;

  return get_number (self->rewriter, assay_match_value (self, name), number, &tolerance);
}
