/* assay-text-parse-attr.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "nnir/assay-graph-builder.h"
#include "nnir/text/assay-text-parser.h"

static gboolean
parse_float (AssayTextParser *self, double *value)
{
  const char *text = self->lexer.text->str;
  char *end;

  if (self->lexer.kind != ASSAY_TOKEN_NUMBER && self->lexer.kind != ASSAY_TOKEN_WORD)
    return assay_text_parser_fail_expected (self, "a number");

  *value = g_ascii_strtod (text, &end);
  if (end == text || (*end != '\0' && strcmp (end, "d") != 0))
    return assay_text_parser_fail_expected (self, "a number");
  if (*end == '\0')
    *value = (double) (float) *value;

  assay_lexer_next (&self->lexer);
  return TRUE;
}

static gboolean
is_float_token (AssayTextParser *self)
{
  const char *text = self->lexer.text->str;

  if (self->lexer.kind == ASSAY_TOKEN_WORD)
    return strcmp (text, "inf") == 0 || strcmp (text, "nan") == 0;

  return self->lexer.kind == ASSAY_TOKEN_NUMBER && strpbrk (text, ".enid") != NULL;
}

/* What a list is made of: its entries are gathered, then moved to the arena in one piece. */
static const struct
{
  const char *word;
  AssayAttrKind kind;
  guint entry_size;
} lists[] = {
  { "ints", ASSAY_ATTR_INTS, sizeof (gint64) },
  { "floats", ASSAY_ATTR_FLOATS, sizeof (double) },
  { "strings", ASSAY_ATTR_STRINGS, sizeof (const char *) },
  { "tensors", ASSAY_ATTR_TENSORS, sizeof (AssayTensor *) },
  { "regions", ASSAY_ATTR_GRAPHS, sizeof (AssayRegionId) },
  { "types", ASSAY_ATTR_TYPES, sizeof (const AssayType *) },
};

static gboolean
parse_entry (AssayTextParser *self, AssayNodeId node, AssayAttr *attr, GArray *entries)
{
  gint64 i;
  double f;
  const char *s = NULL;
  AssayTensor *tensor;
  const AssayType *type;
  AssayRegionId region;

  switch (attr->kind)
    {
    case ASSAY_ATTR_INTS:
      return assay_text_parser_int (self, G_MININT64, G_MAXINT64, &i) &&
             g_array_append_val (entries, i) != NULL;
    case ASSAY_ATTR_FLOATS:
      return parse_float (self, &f) && g_array_append_val (entries, f) != NULL;
    case ASSAY_ATTR_STRINGS:
      return assay_text_parser_string (self, &s) && g_array_append_val (entries, s) != NULL;
    case ASSAY_ATTR_TENSORS:
      tensor = assay_text_parser_tensor (self, NULL);
      return tensor != NULL && g_array_append_val (entries, tensor) != NULL;
    case ASSAY_ATTR_TYPES:
      type = assay_text_parser_type (self, 0);
      return type != NULL && g_array_append_val (entries, type) != NULL;
    default:
      region = ASSAY_MAIN_REGION;
      if (assay_text_parser_accept_word (self, "region"))
        region = assay_text_parser_nested_region (self, node, attr->name);
      return region != ASSAY_MAIN_REGION ? g_array_append_val (entries, region) != NULL
                                         : assay_text_parser_fail_expected (self, "a region");
    }
}

static gboolean
parse_list (AssayTextParser *self, AssayNodeId node, AssayAttr *attr)
{
  g_autoptr (GArray) entries = NULL;
  guint entry_size = 0;

  if (!assay_text_parser_expect (self, '['))
    return FALSE;

  if (attr->kind == ASSAY_ATTR_NONE)
    attr->kind = self->lexer.kind == ASSAY_TOKEN_STRING ? ASSAY_ATTR_STRINGS
                 : is_float_token (self)                ? ASSAY_ATTR_FLOATS
                                                        : ASSAY_ATTR_INTS;

  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      if (lists[i].kind == attr->kind)
        entry_size = lists[i].entry_size;
    }

  entries = g_array_new (FALSE, FALSE, entry_size);
  while (!assay_lexer_is (&self->lexer, ']'))
    {
      if (!parse_entry (self, node, attr, entries))
        return FALSE;
      if (!assay_text_parser_accept (self, ',') && !assay_lexer_is (&self->lexer, ']'))
        return assay_text_parser_fail_expected (self, "“,” or “]”");
    }
  assay_lexer_next (&self->lexer);

  attr->n = entries->len;
  attr->u.ints = assay_arena_memdup (self->graph->arena, entries->data,
                                     (gsize) entries->len * entry_size);

  return TRUE;
}

static gboolean
parse_attr_value (AssayTextParser *self, AssayNodeId node, AssayAttr *attr)
{
  if (assay_lexer_is (&self->lexer, '['))
    return parse_list (self, node, attr);

  if (self->lexer.kind == ASSAY_TOKEN_STRING)
    {
      attr->kind = ASSAY_ATTR_STRING;
      attr->n = (guint32) self->lexer.text->len;
      return assay_text_parser_string (self, &attr->u.s);
    }

  if (is_float_token (self))
    {
      attr->kind = ASSAY_ATTR_FLOAT;
      return parse_float (self, &attr->u.f);
    }

  if (self->lexer.kind == ASSAY_TOKEN_NUMBER)
    {
      attr->kind = ASSAY_ATTR_INT;
      return assay_text_parser_int (self, G_MININT64, G_MAXINT64, &attr->u.i);
    }

  if (assay_text_parser_accept_word (self, "none"))
    return TRUE;

  if (assay_text_parser_accept_word (self, "tensor"))
    {
      attr->kind = ASSAY_ATTR_TENSOR;
      attr->u.tensor = assay_text_parser_tensor (self, NULL);
      return attr->u.tensor != NULL;
    }

  if (assay_text_parser_accept_word (self, "type"))
    {
      attr->kind = ASSAY_ATTR_TYPE;
      attr->u.type = assay_text_parser_type (self, 0);
      return attr->u.type != NULL;
    }

  if (assay_text_parser_accept_word (self, "region"))
    {
      attr->kind = ASSAY_ATTR_GRAPH;
      attr->u.region = assay_text_parser_nested_region (self, node, attr->name);
      return attr->u.region != ASSAY_MAIN_REGION;
    }

  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      if (assay_text_parser_accept_word (self, lists[i].word))
        {
          attr->kind = lists[i].kind;
          return parse_list (self, node, attr);
        }
    }

  return assay_text_parser_fail_expected (self, "the value of an attribute");
}

/**
 * assay_text_parser_attrs:
 * @self: a parser
 * @node: the node that they belong to
 *
 * Reads attributes up to the closing brace.
 *
 * Returns: whether they could be read
 */
gboolean
assay_text_parser_attrs (AssayTextParser *self, AssayNodeId node)
{
  g_autoptr (GArray) attrs = g_array_new (FALSE, TRUE, sizeof (AssayAttr));
  gboolean good = TRUE;

  while (good && !assay_lexer_is (&self->lexer, '}'))
    {
      AssayAttr attr = { 0 };

      good = assay_text_parser_word (self, "the name of an attribute", &attr.name) &&
             assay_text_parser_expect (self, '=') && parse_attr_value (self, node, &attr);
      if (!good)
        break;
      g_array_append_val (attrs, attr);
      if (!assay_text_parser_accept (self, ',') && !assay_lexer_is (&self->lexer, '}'))
        good = assay_text_parser_fail_expected (self, "“,” or “}”");
    }

  if (good)
    assay_lexer_next (&self->lexer);
  assay_graph_set_attrs (self->graph, node, attrs->len,
                         (const AssayAttr *) (gconstpointer) attrs->data);

  return good;
}
