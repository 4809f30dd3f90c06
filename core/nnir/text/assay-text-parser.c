/* assay-text-parser.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/text/assay-text-parser.h"

#include <stdarg.h>
#include <string.h>

#include "nnir/assay-graph-builder.h"
#include "nnir/text/assay-text-tensor.h"

#define MAX_TYPE_DEPTH 16 /* of wrapped types */

/**
 * assay_text_parser_intern:
 * @self: a parser
 * @string: a string
 *
 * Keeps a string in the graph that is being read.
 *
 * Returns: (transfer none): the interned string
 */
const char *
assay_text_parser_intern (AssayTextParser *self, const char *string)
{
  return assay_arena_intern (self->graph->arena, string);
}

/**
 * assay_text_parser_fail:
 * @self: a parser
 * @format: what is wrong
 * @...: its arguments
 *
 * Reports an error at the current token, one for each broken line: what follows on it is noise.
 *
 * Returns: %FALSE
 */
gboolean
assay_text_parser_fail (AssayTextParser *self, const char *format, ...)
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
                        (gint64) self->lexer.offset, "line %u, column %u: %s", self->lexer.line,
                        self->lexer.column, message);

  return FALSE;
}

/**
 * assay_text_parser_fail_expected:
 * @self: a parser
 * @what: what should have been there
 *
 * Reports that the current token is not what was expected.
 *
 * Returns: %FALSE
 */
gboolean
assay_text_parser_fail_expected (AssayTextParser *self, const char *what)
{
  g_autofree char *seen = g_utf8_make_valid (self->lexer.text->str,
                                             (gssize) MIN (self->lexer.text->len, 60));

  if (self->lexer.kind == ASSAY_TOKEN_END)
    return assay_text_parser_fail (self, "%s was expected, not the end", what);

  return assay_text_parser_fail (self, "%s was expected, not “%s”", what, seen);
}

/**
 * assay_text_parser_accept:
 * @self: a parser
 * @punctuation: a character
 *
 * Goes on if the current token is this character.
 *
 * Returns: whether it was
 */
gboolean
assay_text_parser_accept (AssayTextParser *self, char punctuation)
{
  if (!assay_lexer_is (&self->lexer, punctuation))
    return FALSE;

  assay_lexer_next (&self->lexer);
  return TRUE;
}

/**
 * assay_text_parser_accept_word:
 * @self: a parser
 * @word: a word
 *
 * Goes on if the current token is this word.
 *
 * Returns: whether it was
 */
gboolean
assay_text_parser_accept_word (AssayTextParser *self, const char *word)
{
  if (!assay_lexer_is_word (&self->lexer, word))
    return FALSE;

  assay_lexer_next (&self->lexer);
  return TRUE;
}

/**
 * assay_text_parser_expect:
 * @self: a parser
 * @punctuation: a character
 *
 * Goes on if the current token is this character, and reports an error if not.
 *
 * Returns: whether it was
 */
gboolean
assay_text_parser_expect (AssayTextParser *self, char punctuation)
{
  char what[] = { '"', punctuation, '"', '\0' };

  return assay_text_parser_accept (self, punctuation) ||
         assay_text_parser_fail_expected (self, what);
}

/**
 * assay_text_parser_int:
 * @self: a parser
 * @min: smallest value
 * @max: largest value
 * @value: (out): where to put it
 *
 * Reads an integer of a range.
 *
 * Returns: whether it is one
 */
gboolean
assay_text_parser_int (AssayTextParser *self, gint64 min, gint64 max, gint64 *value)
{
  char *end;

  if (self->lexer.kind != ASSAY_TOKEN_NUMBER)
    return assay_text_parser_fail_expected (self, "an integer");

  errno = 0;
  *value = g_ascii_strtoll (self->lexer.text->str, &end, 10);
  if (errno != 0 || *end != '\0' || *value < min || *value > max)
    return assay_text_parser_fail (
        self, "“%s” is not an integer from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
        self->lexer.text->str, min, max);

  assay_lexer_next (&self->lexer);
  return TRUE;
}

/**
 * assay_text_parser_string:
 * @self: a parser
 * @string: (out) (transfer none): where to put it, interned
 *
 * Reads a quoted string.
 *
 * Returns: whether it is one
 */
gboolean
assay_text_parser_string (AssayTextParser *self, const char **string)
{
  if (self->lexer.kind != ASSAY_TOKEN_STRING)
    return assay_text_parser_fail_expected (self, "a quoted string");

  *string = assay_arena_intern_n (self->graph->arena, self->lexer.text->str, self->lexer.text->len);
  assay_lexer_next (&self->lexer);
  return TRUE;
}

/**
 * assay_text_parser_word:
 * @self: a parser
 * @what: what it is, for the message
 * @word: (out) (transfer none): where to put it, interned
 *
 * Reads a word, quoted or not.
 *
 * Returns: whether it is one
 */
gboolean
assay_text_parser_word (AssayTextParser *self, const char *what, const char **word)
{
  if (self->lexer.kind != ASSAY_TOKEN_WORD && self->lexer.kind != ASSAY_TOKEN_STRING)
    return assay_text_parser_fail_expected (self, what);

  *word = assay_text_parser_intern (self, self->lexer.text->str);
  assay_lexer_next (&self->lexer);
  return TRUE;
}

/**
 * assay_text_parser_qualified:
 * @self: a parser
 * @domain: (out) (transfer none): where to put the domain
 * @type: (out) (transfer none): where to put the type
 *
 * Reads the type of an operator with its domain, which may be left out.
 *
 * Returns: whether it is one
 */
gboolean
assay_text_parser_qualified (AssayTextParser *self, const char **domain, const char **type)
{
  *domain = "";
  if (!assay_text_parser_word (self, "an operator", type))
    return FALSE;

  if (assay_text_parser_accept (self, ':'))
    {
      *domain = *type;
      return assay_text_parser_expect (self, ':') &&
             assay_text_parser_word (self, "an operator", type);
    }

  return TRUE;
}

static gboolean
parse_dims (AssayTextParser *self, AssayDim *dims, int *rank)
{
  *rank = 0;

  if (assay_text_parser_accept (self, '*'))
    {
      *rank = -1;
      return assay_text_parser_expect (self, ']');
    }

  while (!assay_lexer_is (&self->lexer, ']'))
    {
      AssayDim *dim = &dims[*rank];

      if (*rank == ASSAY_MAX_RANK)
        return assay_text_parser_fail (self, "more than %d dimensions", ASSAY_MAX_RANK);

      dim->size = -1;
      dim->symbol = NULL;
      (*rank)++;

      if (self->lexer.kind == ASSAY_TOKEN_NUMBER)
        {
          if (!assay_text_parser_int (self, 0, G_MAXINT64, &dim->size))
            return FALSE;
        }
      else if (!assay_text_parser_accept (self, '?') &&
               !assay_text_parser_word (self, "a dimension", &dim->symbol))
        {
          return FALSE;
        }

      if (!assay_text_parser_accept (self, ',') && !assay_lexer_is (&self->lexer, ']'))
        return assay_text_parser_fail_expected (self, "“,” or “]”");
    }

  assay_lexer_next (&self->lexer);
  return TRUE;
}

/**
 * assay_text_parser_type:
 * @self: a parser
 * @depth: how many types are around this one
 *
 * Reads a type.
 *
 * Returns: (transfer none) (nullable): the type, in the arena of the graph
 */
const AssayType *
assay_text_parser_type (AssayTextParser *self, guint depth)
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

  if (assay_text_parser_accept (self, '?'))
    return &assay_type_unknown;
  if (assay_text_parser_accept_word (self, "opaque"))
    return assay_type_new_wrapped (self->graph->arena, ASSAY_TYPE_KIND_OPAQUE,
                                   ASSAY_DTYPE_UNDEFINED, NULL);

  if (depth > MAX_TYPE_DEPTH)
    {
      assay_text_parser_fail (self, "types nested deeper than %d", MAX_TYPE_DEPTH);
      return NULL;
    }

  for (guint i = 0; i < G_N_ELEMENTS (wrappers); i++)
    {
      const AssayType *element;

      if (!assay_text_parser_accept_word (self, wrappers[i].word))
        continue;
      if (!assay_text_parser_expect (self, '<'))
        return NULL;
      if (wrappers[i].kind == ASSAY_TYPE_KIND_MAP)
        {
          if (self->lexer.kind != ASSAY_TOKEN_WORD ||
              !assay_dtype_from_name (self->lexer.text->str, &dtype))
            {
              assay_text_parser_fail_expected (self, "a key type");
              return NULL;
            }
          assay_lexer_next (&self->lexer);
          if (!assay_text_parser_expect (self, ','))
            return NULL;
        }

      element = assay_text_parser_type (self, depth + 1);
      if (element == NULL || !assay_text_parser_expect (self, '>'))
        return NULL;

      if (wrappers[i].kind == ASSAY_TYPE_KIND_SPARSE_TENSOR)
        {
          AssayType sparse = *element;

          if (element->kind != ASSAY_TYPE_KIND_TENSOR)
            {
              assay_text_parser_fail (self, "a sparse type holds a tensor type");
              return NULL;
            }
          sparse.kind = ASSAY_TYPE_KIND_SPARSE_TENSOR;
          return assay_type_copy (self->graph->arena, &sparse);
        }

      return assay_type_new_wrapped (self->graph->arena, wrappers[i].kind, dtype, element);
    }

  if (self->lexer.kind != ASSAY_TOKEN_WORD ||
      (!assay_dtype_from_name (self->lexer.text->str, &dtype) &&
       strcmp (self->lexer.text->str, "undefined") != 0))
    {
      assay_text_parser_fail_expected (self, "a type");
      return NULL;
    }
  assay_lexer_next (&self->lexer);

  if (!assay_text_parser_expect (self, '[') || !parse_dims (self, dims, &rank))
    return NULL;

  return assay_type_new_tensor (self->graph->arena, dtype, rank, dims);
}

/**
 * assay_text_parser_tensor:
 * @self: a parser
 * @type: (nullable): what the tensor is unless another type stands in front of the elements
 *
 * Reads the elements of a tensor.
 *
 * Returns: (transfer none) (nullable): the tensor, kept by the graph
 */
AssayTensor *
assay_text_parser_tensor (AssayTextParser *self, const AssayType *type)
{
  g_autoptr (GError) error = NULL;
  AssayTensor *tensor;
  gint64 dims[ASSAY_MAX_RANK];
  AssayDType dtype;

  if (self->lexer.kind == ASSAY_TOKEN_WORD && assay_dtype_from_name (self->lexer.text->str, &dtype))
    {
      type = assay_text_parser_type (self, 0);
      if (type == NULL)
        return NULL;
    }

  if (type == NULL || !assay_type_is_static (type))
    {
      assay_text_parser_fail_expected (self, "a type of known shape");
      return NULL;
    }

  for (int i = 0; i < type->rank; i++)
    dims[i] = type->dims[i].size;

  tensor = assay_text_read_tensor (&self->lexer, type->dtype, (guint) type->rank, dims, &error);
  if (tensor == NULL)
    {
      assay_text_parser_fail (self, "%s", error->message);
      return NULL;
    }

  return assay_graph_keep_tensor (self->graph, tensor);
}

/**
 * assay_text_parser_value:
 * @self: a parser
 * @region: where it is read
 * @id: (out): where to put it
 *
 * Finds the value that the current token names; one that nothing has defined yet waits as a missing
 * one.
 *
 * Returns: whether the token names one, or is the sign for none
 */
gboolean
assay_text_parser_value (AssayTextParser *self, AssayRegionId region, AssayValueId *id)
{
  gpointer found;
  const char *name = NULL;

  if (assay_text_parser_accept_word (self, "_"))
    {
      *id = ASSAY_NO_VALUE;
      return TRUE;
    }

  if (self->lexer.kind != ASSAY_TOKEN_VALUE)
    return assay_text_parser_fail_expected (self, "a value");

  g_string_assign (self->label, self->lexer.text->str);
  if (self->lexer.serial != 0)
    g_string_append_printf (self->label, "\x01%u", self->lexer.serial);

  found = g_hash_table_lookup (self->labels, self->label->str);
  if (found == NULL)
    {
      name = assay_text_parser_intern (self, self->lexer.text->str);
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

/**
 * assay_text_parser_definition:
 * @self: a parser
 * @region: where it is defined
 * @kind: where it comes from
 * @id: (out): where to put it
 *
 * Reads the name of a value that is defined here, which may have been read before.
 *
 * Returns: %FALSE if it is no name or the value has a definition already
 */
gboolean
assay_text_parser_definition (AssayTextParser *self, AssayRegionId region, AssayValueKind kind,
                              AssayValueId *id)
{
  AssayValue *value;

  if (!assay_text_parser_value (self, region, id))
    return FALSE;
  if (*id == ASSAY_NO_VALUE)
    return TRUE;

  value = assay_graph_edit_value (self->graph, *id);
  if (value->kind != ASSAY_VALUE_MISSING ||
      g_hash_table_contains (self->declared, GUINT_TO_POINTER (*id)))
    {
      assay_text_parser_fail (self, "value “%s” is defined twice", value->name);
      return FALSE;
    }

  value->kind = kind;
  value->region = region;
  if (kind == ASSAY_VALUE_MISSING)
    g_hash_table_add (self->declared, GUINT_TO_POINTER (*id));

  return TRUE;
}

/**
 * assay_text_parser_give_up:
 * @self: a parser
 * @id: a value, or 0
 *
 * Says that a definition was broken off, which has been reported: the value is missing, and nothing
 * more is said of it.
 */
void
assay_text_parser_give_up (AssayTextParser *self, AssayValueId id)
{
  if (id == ASSAY_NO_VALUE)
    return;

  assay_graph_edit_value (self->graph, id)->kind = ASSAY_VALUE_MISSING;
  g_hash_table_add (self->declared, GUINT_TO_POINTER (id));
}

/**
 * assay_text_parser_typed:
 * @self: a parser
 * @id: a value, or 0
 *
 * Reads what stands behind the colon of a value: type, `param`, elements.
 *
 * Returns: whether it could be read
 */
gboolean
assay_text_parser_typed (AssayTextParser *self, AssayValueId id)
{
  const AssayType *type;
  AssayTensor *tensor;

  if (id == ASSAY_NO_VALUE)
    return assay_text_parser_accept_word (self, "_") ||
           assay_text_parser_fail_expected (self, "“_”");

  type = assay_text_parser_type (self, 0);
  if (type == NULL)
    return FALSE;
  assay_graph_edit_value (self->graph, id)->type = type;

  if (assay_text_parser_accept_word (self, "param"))
    assay_graph_edit_value (self->graph, id)->is_parameter = TRUE;

  if (assay_text_parser_accept (self, '='))
    {
      tensor = assay_text_parser_tensor (self, type);
      if (tensor == NULL)
        return FALSE;
      assay_graph_edit_value (self->graph, id)->constant = tensor;
    }

  return TRUE;
}
