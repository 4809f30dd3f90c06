/* assay-text-parse.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/assay-text.h"

#include <stdarg.h>
#include <string.h>

#include "base/assay-error.h"
#include "nnir/assay-graph-builder.h"
#include "nnir/assay-text-lexer.h"
#include "nnir/assay-text-tensor.h"

#define MAX_DEPTH 64      /* of nested regions */
#define MAX_TYPE_DEPTH 16 /* of wrapped types */

typedef struct
{
  AssayLexer lexer;
  AssayGraph *graph;
  AssayFindings *findings;
  GHashTable *labels;   /* name and number -> value */
  GHashTable *declared; /* set of values that the text declares missing */
  GString *label;
  guint depth;
  gboolean failed;      /* an error since the last line that was understood */
  gboolean has_main;
} Parser;

static AssayRegionId parse_nested_region (Parser      *self,
                                          AssayNodeId  parent,
                                          const char  *attribute);

static const char *
intern (Parser     *self,
        const char *string)
{
  return assay_arena_intern (self->graph->arena, string);
}

/* One finding per broken line: what follows on it is noise. */
G_GNUC_PRINTF (2, 3) static gboolean
fail (Parser     *self,
      const char *format,
      ...)
{
  g_autofree char *message = NULL;
  va_list args;

  if (self->failed)
    return FALSE;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);

  self->failed = TRUE;
  if (self->findings != NULL)
    assay_findings_add (self->findings, ASSAY_SEVERITY_ERROR, "nnir.syntax", NULL, NULL, NULL,
                        (gint64) self->lexer.offset, "line %u, column %u: %s", self->lexer.line, self->lexer.column,
                        message);

  return FALSE;
}

static gboolean
fail_expected (Parser     *self,
               const char *what)
{
  g_autofree char *seen = g_utf8_make_valid (self->lexer.text->str, (gssize) MIN (self->lexer.text->len, 60));

  return fail (self, "%s was expected, not %s%s%s", what, self->lexer.kind == ASSAY_TOKEN_END ? "the end" : "“",
               self->lexer.kind == ASSAY_TOKEN_END ? "" : seen, self->lexer.kind == ASSAY_TOKEN_END ? "" : "”");
}

static gboolean
accept (Parser *self,
        char    punctuation)
{
  if (!assay_lexer_is (&self->lexer, punctuation))
    return FALSE;

  assay_lexer_next (&self->lexer);
  return TRUE;
}

static gboolean
accept_word (Parser     *self,
             const char *word)
{
  if (!assay_lexer_is_word (&self->lexer, word))
    return FALSE;

  assay_lexer_next (&self->lexer);
  return TRUE;
}

static gboolean
expect (Parser *self,
        char    punctuation)
{
  char what[] = { '"', punctuation, '"', '\0' };

  return accept (self, punctuation) || fail_expected (self, what);
}

static gboolean
parse_int (Parser *self,
           gint64  min,
           gint64  max,
           gint64 *value)
{
  char *end;

  if (self->lexer.kind != ASSAY_TOKEN_NUMBER)
    return fail_expected (self, "an integer");

  errno = 0;
  *value = g_ascii_strtoll (self->lexer.text->str, &end, 10);
  if (errno != 0 || *end != '\0' || *value < min || *value > max)
    return fail (self, "“%s” is not an integer from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, self->lexer.text->str,
                 min, max);

  assay_lexer_next (&self->lexer);
  return TRUE;
}

static gboolean
parse_string (Parser      *self,
              const char **string)
{
  if (self->lexer.kind != ASSAY_TOKEN_STRING)
    return fail_expected (self, "a quoted string");

  *string = assay_arena_intern_n (self->graph->arena, self->lexer.text->str, self->lexer.text->len);
  assay_lexer_next (&self->lexer);
  return TRUE;
}

static gboolean
parse_word (Parser      *self,
            const char  *what,
            const char **word)
{
  if (self->lexer.kind != ASSAY_TOKEN_WORD && self->lexer.kind != ASSAY_TOKEN_STRING)
    return fail_expected (self, what);

  *word = intern (self, self->lexer.text->str);
  assay_lexer_next (&self->lexer);
  return TRUE;
}

static gboolean
parse_qualified (Parser      *self,
                 const char **domain,
                 const char **type)
{
  *domain = "";
  if (!parse_word (self, "an operator", type))
    return FALSE;

  if (accept (self, ':'))
    {
      *domain = *type;
      return expect (self, ':') && parse_word (self, "an operator", type);
    }

  return TRUE;
}

static gboolean
parse_dims (Parser   *self,
            AssayDim *dims,
            int      *rank)
{
  *rank = 0;

  if (accept (self, '*'))
    {
      *rank = -1;
      return expect (self, ']');
    }

  while (!assay_lexer_is (&self->lexer, ']'))
    {
      AssayDim *dim = &dims[*rank];

      if (*rank == ASSAY_MAX_RANK)
        return fail (self, "more than %d dimensions", ASSAY_MAX_RANK);

      dim->size = -1;
      dim->symbol = NULL;
      (*rank)++;

      if (self->lexer.kind == ASSAY_TOKEN_NUMBER)
        {
          if (!parse_int (self, 0, G_MAXINT64, &dim->size))
            return FALSE;
        }
      else if (!accept (self, '?') && !parse_word (self, "a dimension", &dim->symbol))
        {
          return FALSE;
        }

      if (!accept (self, ',') && !assay_lexer_is (&self->lexer, ']'))
        return fail_expected (self, "“,” or “]”");
    }

  assay_lexer_next (&self->lexer);
  return TRUE;
}

static const AssayType *
parse_type (Parser *self,
            guint   depth)
{
  static const struct
  {
    const char *word;
    AssayTypeKind kind;
  } wrappers[] = {
    { "seq", ASSAY_TYPE_KIND_SEQUENCE },
    { "opt", ASSAY_TYPE_KIND_OPTIONAL },
    { "map", ASSAY_TYPE_KIND_MAP },
    { "sparse", ASSAY_TYPE_KIND_SPARSE_TENSOR },
  };
  AssayDim dims[ASSAY_MAX_RANK];
  AssayDType dtype = ASSAY_DTYPE_UNDEFINED;
  int rank;

  if (accept (self, '?'))
    return &assay_type_unknown;
  if (accept_word (self, "opaque"))
    return assay_type_new_wrapped (self->graph->arena, ASSAY_TYPE_KIND_OPAQUE, ASSAY_DTYPE_UNDEFINED, NULL);

  if (depth > MAX_TYPE_DEPTH)
    {
      fail (self, "types nested deeper than %d", MAX_TYPE_DEPTH);
      return NULL;
    }

  for (guint i = 0; i < G_N_ELEMENTS (wrappers); i++)
    {
      const AssayType *element;

      if (!accept_word (self, wrappers[i].word))
        continue;
      if (!expect (self, '<'))
        return NULL;
      if (wrappers[i].kind == ASSAY_TYPE_KIND_MAP)
        {
          if (self->lexer.kind != ASSAY_TOKEN_WORD || !assay_dtype_from_name (self->lexer.text->str, &dtype))
            {
              fail_expected (self, "a key type");
              return NULL;
            }
          assay_lexer_next (&self->lexer);
          if (!expect (self, ','))
            return NULL;
        }

      element = parse_type (self, depth + 1);
      if (element == NULL || !expect (self, '>'))
        return NULL;

      if (wrappers[i].kind == ASSAY_TYPE_KIND_SPARSE_TENSOR)
        {
          AssayType sparse = *element;

          if (element->kind != ASSAY_TYPE_KIND_TENSOR)
            {
              fail (self, "a sparse type holds a tensor type");
              return NULL;
            }
          sparse.kind = ASSAY_TYPE_KIND_SPARSE_TENSOR;
          return assay_type_copy (self->graph->arena, &sparse);
        }

      return assay_type_new_wrapped (self->graph->arena, wrappers[i].kind, dtype, element);
    }

  if (self->lexer.kind != ASSAY_TOKEN_WORD || (!assay_dtype_from_name (self->lexer.text->str, &dtype) &&
                                               strcmp (self->lexer.text->str, "undefined") != 0))
    {
      fail_expected (self, "a type");
      return NULL;
    }
  assay_lexer_next (&self->lexer);

  if (!expect (self, '[') || !parse_dims (self, dims, &rank))
    return NULL;

  return assay_type_new_tensor (self->graph->arena, dtype, rank, dims);
}

/* @type says what the tensor is unless another type stands in front of the elements. */
static AssayTensor *
parse_tensor (Parser          *self,
              const AssayType *type)
{
  g_autoptr (GError) error = NULL;
  AssayTensor *tensor;
  gint64 dims[ASSAY_MAX_RANK];
  AssayDType dtype;

  if (self->lexer.kind == ASSAY_TOKEN_WORD && assay_dtype_from_name (self->lexer.text->str, &dtype))
    {
      type = parse_type (self, 0);
      if (type == NULL)
        return NULL;
    }

  if (type == NULL || !assay_type_is_static (type))
    {
      fail_expected (self, "a type of known shape");
      return NULL;
    }

  for (int i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;

  tensor = assay_text_read_tensor (&self->lexer, type->dtype, (guint) type->rank, dims, &error);
  if (tensor == NULL)
    {
      fail (self, "%s", error->message);
      return NULL;
    }

  return assay_graph_keep_tensor (self->graph, tensor);
}

/* Finds the value that the current token names; one that nothing has defined yet waits as a missing one. */
static gboolean
parse_value (Parser        *self,
             AssayRegionId  region,
             AssayValueId  *id)
{
  gpointer found;
  const char *name = NULL;

  if (accept_word (self, "_"))
    {
      *id = ASSAY_NO_VALUE;
      return TRUE;
    }

  if (self->lexer.kind != ASSAY_TOKEN_VALUE)
    return fail_expected (self, "a value");

  g_string_assign (self->label, self->lexer.text->str);
  if (self->lexer.serial != 0)
    g_string_append_printf (self->label, "\x01%u", self->lexer.serial);

  found = g_hash_table_lookup (self->labels, self->label->str);
  if (found == NULL)
    {
      name = intern (self, self->lexer.text->str);
      *id = assay_graph_add_value (self->graph, region, ASSAY_VALUE_MISSING, name, NULL);
      g_hash_table_insert (self->labels, g_strdup (self->label->str), GUINT_TO_POINTER (*id));
    }
  else
    {
      *id = GPOINTER_TO_UINT (found);
    }

  assay_lexer_next (&self->lexer);
  return TRUE;
}

/* A value that is defined already gets a twin, so that the graph stays in SSA form. */
static gboolean
parse_definition (Parser         *self,
                  AssayRegionId   region,
                  AssayValueKind  kind,
                  AssayValueId   *id)
{
  AssayValue *value;

  if (!parse_value (self, region, id))
    return FALSE;
  if (*id == ASSAY_NO_VALUE)
    return TRUE;

  value = assay_graph_value (self->graph, *id);
  if (value->kind != ASSAY_VALUE_MISSING || g_hash_table_contains (self->declared, GUINT_TO_POINTER (*id)))
    {
      fail (self, "value “%s” is defined twice", value->name);
      return FALSE;
    }

  value->kind = kind;
  value->region = region;
  if (kind == ASSAY_VALUE_MISSING)
    g_hash_table_add (self->declared, GUINT_TO_POINTER (*id));

  return TRUE;
}

/* The definition was broken off, which has been said: the value is missing, and nothing more is said of it. */
static void
give_up (Parser       *self,
         AssayValueId  id)
{
  if (id == ASSAY_NO_VALUE)
    return;

  assay_graph_value (self->graph, id)->kind = ASSAY_VALUE_MISSING;
  g_hash_table_add (self->declared, GUINT_TO_POINTER (id));
}

/* What stands behind the colon: type, `param`, elements. */
static gboolean
parse_typed (Parser       *self,
             AssayValueId  id)
{
  const AssayType *type;
  AssayTensor *tensor;

  if (id == ASSAY_NO_VALUE)
    return accept_word (self, "_") || fail_expected (self, "“_”");

  type = parse_type (self, 0);
  if (type == NULL)
    return FALSE;
  assay_graph_value (self->graph, id)->type = type;

  if (accept_word (self, "param"))
    assay_graph_value (self->graph, id)->is_parameter = TRUE;

  if (accept (self, '='))
    {
      tensor = parse_tensor (self, type);
      if (tensor == NULL)
        return FALSE;
      assay_graph_value (self->graph, id)->constant = tensor;
    }

  return TRUE;
}

/* Attributes */

static gboolean
parse_float (Parser *self,
             double *value)
{
  const char *text = self->lexer.text->str;
  char *end;

  if (self->lexer.kind != ASSAY_TOKEN_NUMBER && self->lexer.kind != ASSAY_TOKEN_WORD)
    return fail_expected (self, "a number");

  *value = g_ascii_strtod (text, &end);
  if (end == text || (*end != '\0' && strcmp (end, "d") != 0))
    return fail_expected (self, "a number");
  if (*end == '\0')
    *value = (double) (float) *value;

  assay_lexer_next (&self->lexer);
  return TRUE;
}

static gboolean
is_float_token (Parser *self)
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
parse_entry (Parser      *self,
             AssayNodeId  node,
             AssayAttr   *attr,
             GArray      *entries)
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
      return parse_int (self, G_MININT64, G_MAXINT64, &i) && g_array_append_val (entries, i) != NULL;
    case ASSAY_ATTR_FLOATS:
      return parse_float (self, &f) && g_array_append_val (entries, f) != NULL;
    case ASSAY_ATTR_STRINGS:
      return parse_string (self, &s) && g_array_append_val (entries, s) != NULL;
    case ASSAY_ATTR_TENSORS:
      tensor = parse_tensor (self, NULL);
      return tensor != NULL && g_array_append_val (entries, tensor) != NULL;
    case ASSAY_ATTR_TYPES:
      type = parse_type (self, 0);
      return type != NULL && g_array_append_val (entries, type) != NULL;
    default:
      region = accept_word (self, "region") ? parse_nested_region (self, node, attr->name) : ASSAY_MAIN_REGION;
      return region != ASSAY_MAIN_REGION ? g_array_append_val (entries, region) != NULL
                                         : fail_expected (self, "a region");
    }
}

static gboolean
parse_list (Parser      *self,
            AssayNodeId  node,
            AssayAttr   *attr)
{
  g_autoptr (GArray) entries = NULL;
  guint entry_size = 0;

  if (!expect (self, '['))
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
      if (!accept (self, ',') && !assay_lexer_is (&self->lexer, ']'))
        return fail_expected (self, "“,” or “]”");
    }
  assay_lexer_next (&self->lexer);

  attr->n = entries->len;
  attr->u.ints = assay_arena_memdup (self->graph->arena, entries->data, (gsize) entries->len * entry_size);

  return TRUE;
}

static gboolean
parse_attr_value (Parser      *self,
                  AssayNodeId  node,
                  AssayAttr   *attr)
{
  if (assay_lexer_is (&self->lexer, '['))
    return parse_list (self, node, attr);

  if (self->lexer.kind == ASSAY_TOKEN_STRING)
    {
      attr->kind = ASSAY_ATTR_STRING;
      attr->n = (guint32) self->lexer.text->len;
      return parse_string (self, &attr->u.s);
    }

  if (is_float_token (self))
    {
      attr->kind = ASSAY_ATTR_FLOAT;
      return parse_float (self, &attr->u.f);
    }

  if (self->lexer.kind == ASSAY_TOKEN_NUMBER)
    {
      attr->kind = ASSAY_ATTR_INT;
      return parse_int (self, G_MININT64, G_MAXINT64, &attr->u.i);
    }

  if (accept_word (self, "none"))
    return TRUE;

  if (accept_word (self, "tensor"))
    {
      attr->kind = ASSAY_ATTR_TENSOR;
      attr->u.tensor = parse_tensor (self, NULL);
      return attr->u.tensor != NULL;
    }

  if (accept_word (self, "type"))
    {
      attr->kind = ASSAY_ATTR_TYPE;
      attr->u.type = parse_type (self, 0);
      return attr->u.type != NULL;
    }

  if (accept_word (self, "region"))
    {
      attr->kind = ASSAY_ATTR_GRAPH;
      attr->u.region = parse_nested_region (self, node, attr->name);
      return attr->u.region != ASSAY_MAIN_REGION;
    }

  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      if (accept_word (self, lists[i].word))
        {
          attr->kind = lists[i].kind;
          return parse_list (self, node, attr);
        }
    }

  return fail_expected (self, "the value of an attribute");
}

static gboolean
parse_attrs (Parser      *self,
             AssayNodeId  node)
{
  g_autoptr (GArray) attrs = g_array_new (FALSE, TRUE, sizeof (AssayAttr));
  gboolean good = TRUE;

  while (good && !assay_lexer_is (&self->lexer, '}'))
    {
      AssayAttr attr = { 0 };

      good = parse_word (self, "the name of an attribute", &attr.name) && expect (self, '=') &&
             parse_attr_value (self, node, &attr);
      if (!good)
        break;
      g_array_append_val (attrs, attr);
      if (!accept (self, ',') && !assay_lexer_is (&self->lexer, '}'))
        good = fail_expected (self, "“,” or “}”");
    }

  if (good)
    assay_lexer_next (&self->lexer);
  assay_graph_set_attrs (self->graph, node, attrs->len, (const AssayAttr *) (gconstpointer) attrs->data);

  return good;
}

/* Statements */

static gboolean
parse_origins (Parser      *self,
               AssayNodeId  node)
{
  g_autoptr (GArray) origins = g_array_new (FALSE, FALSE, sizeof (guint32));

  if (!expect (self, '['))
    return FALSE;

  while (!assay_lexer_is (&self->lexer, ']'))
    {
      gint64 number;
      guint32 origin;

      if (self->graph->origins->len == 0)
        return fail (self, "the text lists no origins");
      if (!parse_int (self, 0, self->graph->origins->len - 1, &number))
        return FALSE;
      origin = (guint32) number;
      g_array_append_val (origins, origin);
      if (!accept (self, ',') && !assay_lexer_is (&self->lexer, ']'))
        return fail_expected (self, "“,” or “]”");
    }
  assay_lexer_next (&self->lexer);
  assay_graph_set_origins (self->graph, node, origins->len, (const guint32 *) (gconstpointer) origins->data);

  return TRUE;
}

static gboolean
parse_op (Parser      *self,
          AssayOp     *op,
          const char **domain,
          const char **type)
{
  if (!parse_qualified (self, domain, type))
    return FALSE;

  *op = assay_op_lookup (*domain, *type);

  return !accept (self, '<') || (parse_qualified (self, domain, type) && expect (self, '>'));
}

static gboolean
parse_values (Parser        *self,
              AssayRegionId  region,
              char           close,
              GArray        *values)
{
  while (!assay_lexer_is (&self->lexer, close))
    {
      AssayValueId value;

      if (!parse_value (self, region, &value))
        return FALSE;
      g_array_append_val (values, value);
      if (!accept (self, ',') && !assay_lexer_is (&self->lexer, close))
        return fail_expected (self, "“,” or the end of the list");
    }

  assay_lexer_next (&self->lexer);
  return TRUE;
}

static gboolean
parse_node_tail (Parser      *self,
                 AssayNodeId  id,
                 GArray      *outputs)
{
  gint64 scope;
  const char *name = NULL;

  if (accept (self, '{') && !parse_attrs (self, id))
    return FALSE;

  if (outputs->len > 0)
    {
      if (!expect (self, ':'))
        return FALSE;
      for (guint i = 0; i < outputs->len; i++)
        {
          if ((i > 0 && !expect (self, ',')) || !parse_typed (self, g_array_index (outputs, AssayValueId, i)))
            return FALSE;
        }
    }

  if (accept (self, '@'))
    {
      if (!parse_string (self, &name))
        return FALSE;
      assay_graph_node (self->graph, id)->name = name;
    }
  if (accept_word (self, "from") && !parse_origins (self, id))
    return FALSE;
  if (accept_word (self, "in"))
    {
      if (!parse_int (self, 0, self->graph->scopes->len - 1, &scope))
        return FALSE;
      assay_graph_node (self->graph, id)->scope = (guint32) scope;
    }

  return TRUE;
}

static gboolean
parse_node (Parser        *self,
            AssayRegionId  region)
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

      if (!parse_definition (self, region, ASSAY_VALUE_RESULT, &value))
        break;
      g_array_append_val (outputs, value);
      if (!accept (self, ','))
        break;
    }

  if (self->failed || (outputs->len > 0 && !expect (self, '=')) || !parse_op (self, &op, &domain, &type) ||
      !expect (self, '(') || !parse_values (self, region, ')', inputs))
    {
      /* No node, so what it would make is missing. */
      for (guint i = 0; i < outputs->len; i++)
        give_up (self, g_array_index (outputs, AssayValueId, i));
      return FALSE;
    }

  made_up = g_strdup_printf ("node_%u", self->graph->nodes->len);
  id = assay_graph_add_node (self->graph, region, op, made_up, inputs->len,
                             (const AssayValueId *) (gconstpointer) inputs->data, outputs->len,
                             (const AssayValueId *) (gconstpointer) outputs->data);
  assay_graph_node (self->graph, id)->op_type = type;
  assay_graph_node (self->graph, id)->domain = domain;

  return parse_node_tail (self, id, outputs);
}

static void
skip_to_next_line (Parser *self)
{
  while (self->lexer.kind != ASSAY_TOKEN_END && !self->lexer.first)
    assay_lexer_next (&self->lexer);
  self->failed = FALSE;
}

static gboolean
parse_return (Parser        *self,
              AssayRegionId  region)
{
  while (!assay_lexer_is (&self->lexer, '}'))
    {
      AssayValueId value;

      if (!parse_value (self, region, &value))
        return FALSE;
      assay_graph_add_output (self->graph, region, value);
      if (!accept (self, ',') && !assay_lexer_is (&self->lexer, '}'))
        return fail_expected (self, "“,” or “}”");
    }

  return TRUE;
}

static gboolean
parse_inputs (Parser        *self,
              AssayRegionId  region)
{
  if (!expect (self, '('))
    return FALSE;

  while (!assay_lexer_is (&self->lexer, ')'))
    {
      AssayValueId value;

      if (!parse_definition (self, region, ASSAY_VALUE_INPUT, &value))
        return FALSE;
      if (value == ASSAY_NO_VALUE)
        return fail (self, "an input needs a name");

      assay_graph_value (self->graph, value)->output = assay_graph_region (self->graph, region)->inputs->len;
      g_array_append_val (assay_graph_region (self->graph, region)->inputs, value);

      if (!expect (self, ':') || !parse_typed (self, value))
        return FALSE;
      if (!accept (self, ',') && !assay_lexer_is (&self->lexer, ')'))
        return fail_expected (self, "“,” or “)”");
    }

  assay_lexer_next (&self->lexer);
  return TRUE;
}

static gboolean
parse_statement (Parser        *self,
                 AssayRegionId  region)
{
  gboolean constant = assay_lexer_is_word (&self->lexer, "const");
  AssayValueId value;

  if (!constant && !assay_lexer_is_word (&self->lexer, "missing"))
    return parse_node (self, region);

  assay_lexer_next (&self->lexer);
  if (!parse_definition (self, region, constant ? ASSAY_VALUE_CONSTANT : ASSAY_VALUE_MISSING, &value))
    return FALSE;
  if (value == ASSAY_NO_VALUE)
    return fail (self, "a constant needs a name");
  if (!expect (self, ':') || !parse_typed (self, value))
    {
      if (constant)
        give_up (self, value);
      return FALSE;
    }
  if (constant && assay_graph_value (self->graph, value)->constant == NULL)
    {
      give_up (self, value);
      return fail_expected (self, "“=” and elements");
    }

  return TRUE;
}

/* From the parenthesis of the inputs to the brace that closes the body. */
static gboolean
parse_body (Parser        *self,
            AssayRegionId  region)
{
  gsize begin;

  if (!parse_inputs (self, region) || !expect (self, '{'))
    return FALSE;

  while (!assay_lexer_is (&self->lexer, '}'))
    {
      if (self->lexer.kind == ASSAY_TOKEN_END)
        return fail_expected (self, "“}”");

      begin = self->lexer.offset;
      if (accept_word (self, "return") ? parse_return (self, region) : parse_statement (self, region))
        continue;

      if (self->lexer.offset == begin)
        assay_lexer_next (&self->lexer);
      skip_to_next_line (self);
    }

  assay_lexer_next (&self->lexer);
  return TRUE;
}

/* After the word `region`. */
static AssayRegionId
parse_nested_region (Parser      *self,
                     AssayNodeId  parent,
                     const char  *attribute)
{
  const char *name = NULL;
  AssayRegionId region;
  gboolean good;

  if (self->depth == MAX_DEPTH)
    {
      fail (self, "regions nested deeper than %d", MAX_DEPTH);
      return ASSAY_MAIN_REGION;
    }
  if (!parse_string (self, &name))
    return ASSAY_MAIN_REGION;

  region = assay_graph_add_region (self->graph, parent, attribute, name);
  self->depth++;
  good = parse_body (self, region);
  self->depth--;

  /* The region exists and its parent must hold it, whatever is wrong inside. */
  if (!good)
    self->failed = TRUE;

  return region;
}

/* Header */

static gboolean
parse_graph_line (Parser *self)
{
  AssayGraph *graph = self->graph;
  const char *main_name = NULL;

  if (!parse_string (self, &graph->name))
    return FALSE;
  if (!accept (self, '{'))
    return TRUE;

  while (!assay_lexer_is (&self->lexer, '}'))
    {
      const char *key = NULL;
      gboolean good;

      if (!parse_word (self, "a field of the graph", &key) || !expect (self, '='))
        return FALSE;

      if (strcmp (key, "level") == 0)
        {
          graph->level = assay_lexer_is_word (&self->lexer, "nnir")       ? ASSAY_GRAPH_NNIR
                         : assay_lexer_is_word (&self->lexer, "streamed") ? ASSAY_GRAPH_STREAMED
                                                                          : ASSAY_GRAPH_ONNX;
          good = graph->level != ASSAY_GRAPH_ONNX || assay_lexer_is_word (&self->lexer, "onnx") ||
                 fail_expected (self, "onnx, nnir or streamed");
          assay_lexer_next (&self->lexer);
        }
      else if (strcmp (key, "ir_version") == 0)
        good = parse_int (self, G_MININT64, G_MAXINT64, &graph->ir_version);
      else if (strcmp (key, "producer") == 0)
        good = parse_string (self, &graph->producer_name);
      else if (strcmp (key, "producer_version") == 0)
        good = parse_string (self, &graph->producer_version);
      else if (strcmp (key, "doc") == 0)
        good = parse_string (self, &graph->doc);
      else if (strcmp (key, "main") == 0)
        {
          good = parse_string (self, &main_name);
          if (good)
            assay_graph_region (graph, ASSAY_MAIN_REGION)->name = main_name;
        }
      else
        good = fail (self, "the graph has no field “%s”", key);

      if (!good)
        return FALSE;
      if (!accept (self, ',') && !assay_lexer_is (&self->lexer, '}'))
        return fail_expected (self, "“,” or “}”");
    }

  assay_lexer_next (&self->lexer);
  return TRUE;
}

static gboolean
parse_opset_line (Parser *self)
{
  AssayOpset opset;

  if (!parse_string (self, &opset.domain) || !parse_int (self, G_MININT64, G_MAXINT64, &opset.version))
    return FALSE;

  g_array_append_val (self->graph->opsets, opset);
  return TRUE;
}

static gboolean
parse_scope_line (Parser *self)
{
  gint64 number;
  const char *path;

  if (!parse_int (self, self->graph->scopes->len, self->graph->scopes->len, &number) || !parse_string (self, &path))
    return FALSE;

  g_array_append_val (self->graph->scopes, path);
  return TRUE;
}

static gboolean
parse_origin_line (Parser *self)
{
  AssayOrigin origin = { 0 };
  gint64 number;
  gint64 index;

  if (!parse_int (self, self->graph->origins->len, self->graph->origins->len, &number) ||
      !parse_string (self, &origin.path) || !parse_int (self, 0, G_MAXUINT32, &index) ||
      !parse_qualified (self, &origin.domain, &origin.op_type) || !parse_string (self, &origin.name))
    return FALSE;

  origin.index = (guint32) index;
  if (accept_word (self, "by") && !parse_string (self, &origin.rule))
    return FALSE;

  g_array_append_val (self->graph->origins, origin);
  return TRUE;
}

static gboolean
parse_names (Parser    *self,
             GPtrArray *names)
{
  if (!expect (self, '('))
    return FALSE;

  while (!assay_lexer_is (&self->lexer, ')'))
    {
      const char *name = NULL;

      if (!parse_string (self, &name))
        return FALSE;
      g_ptr_array_add (names, (gpointer) name);
      if (!accept (self, ',') && !assay_lexer_is (&self->lexer, ')'))
        return fail_expected (self, "“,” or “)”");
    }

  assay_lexer_next (&self->lexer);
  return TRUE;
}

static gboolean
parse_rewrite_line (Parser *self)
{
  g_autoptr (GPtrArray) before = g_ptr_array_new ();
  g_autoptr (GPtrArray) after = g_ptr_array_new ();
  const char *rule = NULL;

  if (!parse_string (self, &rule) || !parse_names (self, before) || !parse_names (self, after))
    return FALSE;

  assay_graph_add_rewrite (self->graph, rule, before->len, (const char *const *) before->pdata, after->len,
                           (const char *const *) after->pdata);
  return TRUE;
}

static gboolean
parse_version_line (Parser *self)
{
  gint64 version;

  return parse_int (self, 1, 1, &version);
}

static gboolean
parse_main (Parser *self)
{
  if (self->has_main)
    return fail (self, "there is one main graph only");

  self->has_main = TRUE;
  return parse_body (self, ASSAY_MAIN_REGION);
}

static const struct
{
  const char *word;
  gboolean (*parse) (Parser *self);
} lines[] = {
  { "nnir", parse_version_line },
  { "graph", parse_graph_line },
  { "opset", parse_opset_line },
  { "scope", parse_scope_line },
  { "origin", parse_origin_line },
  { "rewrite", parse_rewrite_line },
  { "main", parse_main },
};

static void
parse_text (Parser *self)
{
  assay_lexer_next (&self->lexer);

  while (self->lexer.kind != ASSAY_TOKEN_END)
    {
      gboolean good = FALSE;
      guint i;

      for (i = 0; i < G_N_ELEMENTS (lines); i++)
        {
          if (accept_word (self, lines[i].word))
            {
              good = lines[i].parse (self);
              break;
            }
        }

      if (i == G_N_ELEMENTS (lines))
        {
          fail_expected (self, "nnir, graph, opset, scope, origin, rewrite or main");
          assay_lexer_next (&self->lexer);
        }
      if (!good)
        skip_to_next_line (self);
    }

  for (AssayValueId i = 1; i < self->graph->values->len; i++)
    {
      const AssayValue *value = assay_graph_value (self->graph, i);

      if (value->kind == ASSAY_VALUE_MISSING && !g_hash_table_contains (self->declared, GUINT_TO_POINTER (i)) &&
          self->findings != NULL)
        assay_findings_add (self->findings, ASSAY_SEVERITY_ERROR, "nnir.undefined", NULL, NULL, NULL, -1,
                            "value “%s” is read but not defined", value->name);
    }
}

/**
 * assay_graph_from_text:
 * @text: NNIR text, with or without a zero at its end
 * @length: its length in bytes, or -1 if a zero ends it
 * @findings: (nullable): gets what is wrong, with line and column
 * @error: return location for a #GError
 *
 * Reads the NNIR text of a graph; the grammar is in docs/nnir.md. A line that cannot be understood is a finding, and
 * the rest is still read; what has findings may break invariants that assay_graph_verify() checks.
 *
 * Returns: (transfer full) (nullable): the graph; %NULL if the text has no main graph
 */
AssayGraph *
assay_graph_from_text (const char     *text,
                       gssize          length,
                       AssayFindings  *findings,
                       GError        **error)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  g_autoptr (GHashTable) labels = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) declared = g_hash_table_new (NULL, NULL);
  g_autoptr (GString) label = g_string_new (NULL);
  Parser parser = {
    .graph = graph,
    .findings = findings,
    .labels = labels,
    .declared = declared,
    .label = label,
  };

  assay_lexer_init (&parser.lexer, text, length < 0 ? strlen (text) : (gsize) length);
  parse_text (&parser);
  assay_lexer_clear (&parser.lexer);

  if (!parser.has_main)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_IMPORT, "this NNIR text has no “main”");
      return NULL;
    }

  return g_steal_pointer (&graph);
}
