/* assay-text-parse-body.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "nnir/assay-graph-builder.h"
#include "nnir/text/assay-text-parser.h"

#define MAX_DEPTH 64 /* of nested regions */

static gboolean
parse_origins (AssayTextParser *self, AssayNodeId node)
{
  g_autoptr (GArray) origins = g_array_new (FALSE, FALSE, sizeof (guint32));

  if (!assay_text_parser_expect (self, '['))
    return FALSE;

  while (!assay_lexer_is (&self->lexer, ']'))
    {
      gint64 number;
      guint32 origin;

      if (self->graph->origins->len == 0)
        return assay_text_parser_fail (self, "the text lists no origins");
      if (!assay_text_parser_int (self, 0, self->graph->origins->len - 1, &number))
        return FALSE;
      origin = (guint32) number;
      g_array_append_val (origins, origin);
      if (!assay_text_parser_accept (self, ',') && !assay_lexer_is (&self->lexer, ']'))
        return assay_text_parser_fail_expected (self, "“,” or “]”");
    }
  assay_lexer_next (&self->lexer);
  assay_graph_set_origins (self->graph, node, origins->len,
                           (const guint32 *) (gconstpointer) origins->data);

  return TRUE;
}

static gboolean
parse_op (AssayTextParser *self, AssayOp *op, const char **domain, const char **type)
{
  if (!assay_text_parser_qualified (self, domain, type))
    return FALSE;

  *op = assay_op_lookup (*domain, *type);

  return !assay_text_parser_accept (self, '<') ||
         (assay_text_parser_qualified (self, domain, type) && assay_text_parser_expect (self, '>'));
}

static gboolean
parse_values (AssayTextParser *self, AssayRegionId region, char close, GArray *values)
{
  while (!assay_lexer_is (&self->lexer, close))
    {
      AssayValueId value;

      if (!assay_text_parser_value (self, region, &value))
        return FALSE;
      g_array_append_val (values, value);
      if (!assay_text_parser_accept (self, ',') && !assay_lexer_is (&self->lexer, close))
        return assay_text_parser_fail_expected (self, "“,” or the end of the list");
    }

  assay_lexer_next (&self->lexer);
  return TRUE;
}

static gboolean
parse_node_tail (AssayTextParser *self, AssayNodeId id, GArray *outputs)
{
  gint64 scope;
  const char *name = NULL;

  if (assay_text_parser_accept (self, '{') && !assay_text_parser_attrs (self, id))
    return FALSE;

  if (outputs->len > 0 && assay_text_parser_accept (self, ':'))
    {
      for (guint i = 0; i < outputs->len; i++)
        {
          if ((i > 0 && !assay_text_parser_expect (self, ',')) ||
              !assay_text_parser_typed (self, g_array_index (outputs, AssayValueId, i)))
            return FALSE;
        }
    }

  if (assay_text_parser_accept (self, '@'))
    {
      if (!assay_text_parser_string (self, &name))
        return FALSE;
      assay_graph_edit_node (self->graph, id)->name = name;
    }
  if (assay_text_parser_accept_word (self, "from") && !parse_origins (self, id))
    return FALSE;
  if (assay_text_parser_accept_word (self, "in"))
    {
      if (!assay_text_parser_int (self, 0, self->graph->scopes->len - 1, &scope))
        return FALSE;
      assay_graph_edit_node (self->graph, id)->scope = (guint32) scope;
    }

  return TRUE;
}

static gboolean
parse_node (AssayTextParser *self, AssayRegionId region)
{
  g_autoptr (GArray) outputs = g_array_new (FALSE, FALSE, sizeof (AssayValueId));
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (AssayValueId));
  g_autofree char *made_up = NULL;
  const char *domain = NULL;
  const char *type = NULL;
  AssayNodeId id;
  AssayOp op;

  while (self->lexer.kind == ASSAY_TOKEN_VALUE || assay_lexer_is_word (&self->lexer, "_"))
    {
      AssayValueId value;

      if (!assay_text_parser_definition (self, region, ASSAY_VALUE_RESULT, &value))
        break;
      g_array_append_val (outputs, value);
      if (!assay_text_parser_accept (self, ','))
        break;
    }

  if (self->failed || (outputs->len > 0 && !assay_text_parser_expect (self, '=')) ||
      !parse_op (self, &op, &domain, &type) || !assay_text_parser_expect (self, '(') ||
      !parse_values (self, region, ')', inputs))
    {
      /* No node, so what it would make is missing. */
      for (guint i = 0; i < outputs->len; i++)
        assay_text_parser_give_up (self, g_array_index (outputs, AssayValueId, i));
      return FALSE;
    }

  made_up = g_strdup_printf ("node_%u", self->graph->nodes->len);
  id = assay_graph_add_node (self->graph, region, op, made_up, inputs->len,
                             (const AssayValueId *) (gconstpointer) inputs->data, outputs->len,
                             (const AssayValueId *) (gconstpointer) outputs->data);
  assay_graph_edit_node (self->graph, id)->op_type = type;
  assay_graph_edit_node (self->graph, id)->domain = domain;

  return parse_node_tail (self, id, outputs);
}

/**
 * assay_text_parser_skip_line:
 * @self: a parser
 *
 * Goes to the first token of the next line, behind an error.
 */
void
assay_text_parser_skip_line (AssayTextParser *self)
{
  while (self->lexer.kind != ASSAY_TOKEN_END && !self->lexer.first)
    assay_lexer_next (&self->lexer);
  self->failed = FALSE;
}

static gboolean
parse_return (AssayTextParser *self, AssayRegionId region)
{
  while (!assay_lexer_is (&self->lexer, '}'))
    {
      AssayValueId value;

      if (!assay_text_parser_value (self, region, &value))
        return FALSE;
      assay_graph_add_output (self->graph, region, value);
      if (!assay_text_parser_accept (self, ',') && !assay_lexer_is (&self->lexer, '}'))
        return assay_text_parser_fail_expected (self, "“,” or “}”");
    }

  return TRUE;
}

static gboolean
parse_inputs (AssayTextParser *self, AssayRegionId region)
{
  if (!assay_text_parser_expect (self, '('))
    return FALSE;

  while (!assay_lexer_is (&self->lexer, ')'))
    {
      AssayValueId value;

      if (!assay_text_parser_definition (self, region, ASSAY_VALUE_INPUT, &value))
        return FALSE;
      if (value == ASSAY_NO_VALUE)
        return assay_text_parser_fail (self, "an input needs a name");

      assay_graph_edit_value (self->graph, value)->output =
          assay_graph_region (self->graph, region)->inputs->len;
      g_array_append_val (assay_graph_region (self->graph, region)->inputs, value);

      if (!assay_text_parser_expect (self, ':') || !assay_text_parser_typed (self, value))
        return FALSE;
      if (!assay_text_parser_accept (self, ',') && !assay_lexer_is (&self->lexer, ')'))
        return assay_text_parser_fail_expected (self, "“,” or “)”");
    }

  assay_lexer_next (&self->lexer);
  return TRUE;
}

static gboolean
parse_statement (AssayTextParser *self, AssayRegionId region)
{
  gboolean constant = assay_lexer_is_word (&self->lexer, "const");
  AssayValueId value;

  if (!constant && !assay_lexer_is_word (&self->lexer, "missing"))
    return parse_node (self, region);

  assay_lexer_next (&self->lexer);
  if (!assay_text_parser_definition (self, region,
                                     constant ? ASSAY_VALUE_CONSTANT : ASSAY_VALUE_MISSING, &value))
    return FALSE;
  if (value == ASSAY_NO_VALUE)
    return assay_text_parser_fail (self, "a constant needs a name");
  if (!assay_text_parser_expect (self, ':') || !assay_text_parser_typed (self, value))
    {
      if (constant)
        assay_text_parser_give_up (self, value);
      return FALSE;
    }
  if (constant && assay_graph_value (self->graph, value)->constant == NULL)
    {
      assay_text_parser_give_up (self, value);
      return assay_text_parser_fail_expected (self, "“=” and elements");
    }

  return TRUE;
}

/**
 * assay_text_parser_body:
 * @self: a parser
 * @region: the region to fill
 *
 * Reads a region from the parenthesis of its inputs to the brace that closes it.
 *
 * Returns: whether its end was found
 */
gboolean
assay_text_parser_body (AssayTextParser *self, AssayRegionId region)
{
  gsize begin;

  if (!parse_inputs (self, region) || !assay_text_parser_expect (self, '{'))
    return FALSE;

  while (!assay_lexer_is (&self->lexer, '}'))
    {
      if (self->lexer.kind == ASSAY_TOKEN_END)
        return assay_text_parser_fail_expected (self, "“}”");

      begin = self->lexer.offset;
      if (assay_text_parser_accept_word (self, "return") ? parse_return (self, region)
                                                         : parse_statement (self, region))
        continue;

      if (self->lexer.offset == begin)
        assay_lexer_next (&self->lexer);
      assay_text_parser_skip_line (self);
    }

  assay_lexer_next (&self->lexer);
  return TRUE;
}

/**
 * assay_text_parser_nested_region:
 * @self: a parser
 * @parent: the node whose attribute it is
 * @attribute: name of that attribute
 *
 * Reads a region behind the word `region`; it exists even if something is wrong inside.
 *
 * Returns: the region, or 0 if there is none
 */
AssayRegionId
assay_text_parser_nested_region (AssayTextParser *self, AssayNodeId parent, const char *attribute)
{
  const char *name = NULL;
  AssayRegionId region;
  gboolean good;

  if (self->depth == MAX_DEPTH)
    {
      assay_text_parser_fail (self, "regions nested deeper than %d", MAX_DEPTH);
      return ASSAY_MAIN_REGION;
    }
  if (!assay_text_parser_string (self, &name))
    return ASSAY_MAIN_REGION;

  region = assay_graph_add_region (self->graph, parent, attribute, name);
  self->depth++;
  good = assay_text_parser_body (self, region);
  self->depth--;

  /* The region exists and its parent must hold it, whatever is wrong inside. */
  if (!good)
    self->failed = TRUE;

  return region;
}
