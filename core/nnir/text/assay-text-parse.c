/* assay-text-parse.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/text/assay-text.h"

#include <string.h>

#include "base/assay-error.h"
#include "nnir/assay-graph-builder.h"
#include "nnir/text/assay-text-parser.h"

static gboolean
parse_graph_line (AssayTextParser *self)
{
  AssayGraph *graph = self->graph;
  const char *main_name = NULL;

  if (!assay_text_parser_string (self, &graph->name))
    return FALSE;
  if (!assay_text_parser_accept (self, '{'))
    return TRUE;

  while (!assay_lexer_is (&self->lexer, '}'))
    {
      const char *key = NULL;
      gboolean good;

      if (!assay_text_parser_word (self, "a field of the graph", &key) ||
          !assay_text_parser_expect (self, '='))
        return FALSE;

      if (strcmp (key, "level") == 0)
        {
          graph->level = assay_lexer_is_word (&self->lexer, "nnir")       ? ASSAY_GRAPH_NNIR
                         : assay_lexer_is_word (&self->lexer, "streamed") ? ASSAY_GRAPH_STREAMED
                                                                          : ASSAY_GRAPH_ONNX;
          good = graph->level != ASSAY_GRAPH_ONNX || assay_lexer_is_word (&self->lexer, "onnx") ||
                 assay_text_parser_fail_expected (self, "onnx, nnir or streamed");
          assay_lexer_next (&self->lexer);
        }
      else if (strcmp (key, "ir_version") == 0)
        good = assay_text_parser_int (self, G_MININT64, G_MAXINT64, &graph->ir_version);
      else if (strcmp (key, "producer") == 0)
        good = assay_text_parser_string (self, &graph->producer_name);
      else if (strcmp (key, "producer_version") == 0)
        good = assay_text_parser_string (self, &graph->producer_version);
      else if (strcmp (key, "doc") == 0)
        good = assay_text_parser_string (self, &graph->doc);
      else if (strcmp (key, "main") == 0)
        {
          good = assay_text_parser_string (self, &main_name);
          if (good)
            assay_graph_edit_region (graph, ASSAY_MAIN_REGION)->name = main_name;
        }
      else
        good = assay_text_parser_fail (self, "the graph has no field “%s”", key);

      if (!good)
        return FALSE;
      if (!assay_text_parser_accept (self, ',') && !assay_lexer_is (&self->lexer, '}'))
        return assay_text_parser_fail_expected (self, "“,” or “}”");
    }

  assay_lexer_next (&self->lexer);
  return TRUE;
}

static gboolean
parse_opset_line (AssayTextParser *self)
{
  AssayOpset opset;

  if (!assay_text_parser_string (self, &opset.domain) ||
      !assay_text_parser_int (self, G_MININT64, G_MAXINT64, &opset.version))
    return FALSE;

  g_array_append_val (self->graph->opsets, opset);
  return TRUE;
}

static gboolean
parse_scope_line (AssayTextParser *self)
{
  gint64 number;
  const char *path;

  if (!assay_text_parser_int (self, self->graph->scopes->len, self->graph->scopes->len, &number) ||
      !assay_text_parser_string (self, &path))
    return FALSE;

  g_array_append_val (self->graph->scopes, path);
  return TRUE;
}

static gboolean
parse_origin_line (AssayTextParser *self)
{
  AssayOrigin origin = { 0 };
  gint64 number;
  gint64 index;

  if (!assay_text_parser_int (self, self->graph->origins->len, self->graph->origins->len,
                              &number) ||
      !assay_text_parser_string (self, &origin.path) ||
      !assay_text_parser_int (self, 0, G_MAXUINT32, &index) ||
      !assay_text_parser_qualified (self, &origin.domain, &origin.op_type) ||
      !assay_text_parser_string (self, &origin.name))
    return FALSE;

  origin.index = (guint32) index;
  if (assay_text_parser_accept_word (self, "by") && !assay_text_parser_string (self, &origin.rule))
    return FALSE;

  g_array_append_val (self->graph->origins, origin);
  return TRUE;
}

/* What is read and never defined. */
static void
report_undefined (AssayTextParser *self)
{
  for (AssayValueId i = 1; i < self->graph->values->len; i++)
    {
      const AssayValue *value = assay_graph_value (self->graph, i);

      if (value->kind == ASSAY_VALUE_MISSING &&
          !g_hash_table_contains (self->declared, GUINT_TO_POINTER (i)) && self->findings != NULL)
        assay_findings_add (self->findings, ASSAY_SEVERITY_ERROR, "nnir.undefined", NULL, NULL,
                            NULL, -1, "value “%s” is read but not defined", value->name);
    }
}

/* The function that became other nodes: a graph of its own, whose values have names of their own.
 */
static gboolean
parse_call_line (AssayTextParser *self)
{
  AssayGraph *graph = self->graph;
  GHashTable *outer_labels = self->labels;
  GHashTable *outer_declared = self->declared;
  g_autoptr (AssayGraph) call = NULL;
  g_autoptr (GHashTable) labels = NULL;
  g_autoptr (GHashTable) declared = NULL;
  AssayOrigin *origin;
  gint64 number;
  gboolean good;

  if (graph->origins->len == 0)
    return assay_text_parser_fail (self, "the text lists no origins");
  if (!assay_text_parser_int (self, 0, graph->origins->len - 1, &number))
    return FALSE;

  call = assay_graph_new ();
  labels = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  declared = g_hash_table_new (NULL, NULL);
  self->graph = call;
  self->labels = labels;
  self->declared = declared;
  good = assay_text_parser_body (self, ASSAY_MAIN_REGION);
  report_undefined (self);
  self->graph = graph;
  self->labels = outer_labels;
  self->declared = outer_declared;

  origin = &g_array_index (graph->origins, AssayOrigin, number);
  if (good && origin->call != NULL)
    return assay_text_parser_fail (self, "origin %" G_GINT64_FORMAT " has two calls", number);
  if (good)
    {
      origin->call = call;
      g_ptr_array_add (graph->calls, g_steal_pointer (&call));
    }

  return good;
}

static gboolean
parse_names (AssayTextParser *self, GPtrArray *names)
{
  if (!assay_text_parser_expect (self, '('))
    return FALSE;

  while (!assay_lexer_is (&self->lexer, ')'))
    {
      const char *name = NULL;

      if (!assay_text_parser_string (self, &name))
        return FALSE;
      g_ptr_array_add (names, (gpointer) name);
      if (!assay_text_parser_accept (self, ',') && !assay_lexer_is (&self->lexer, ')'))
        return assay_text_parser_fail_expected (self, "“,” or “)”");
    }

  assay_lexer_next (&self->lexer);
  return TRUE;
}

static gboolean
parse_rewrite_line (AssayTextParser *self)
{
  g_autoptr (GPtrArray) before = g_ptr_array_new ();
  g_autoptr (GPtrArray) after = g_ptr_array_new ();
  const char *rule = NULL;

  if (!assay_text_parser_string (self, &rule) || !parse_names (self, before) ||
      !parse_names (self, after))
    return FALSE;

  assay_graph_add_rewrite (self->graph, rule, before->len, (const char *const *) before->pdata,
                           after->len, (const char *const *) after->pdata);
  return TRUE;
}

static gboolean
parse_version_line (AssayTextParser *self)
{
  gint64 version;

  return assay_text_parser_int (self, 1, 1, &version);
}

static gboolean
parse_main (AssayTextParser *self)
{
  if (self->has_main)
    return assay_text_parser_fail (self, "there is one main graph only");

  self->has_main = TRUE;
  return assay_text_parser_body (self, ASSAY_MAIN_REGION);
}

static const struct
{
  const char *word;
  gboolean (*parse) (AssayTextParser *self);
} lines[] = {
  { "nnir", parse_version_line },    { "graph", parse_graph_line },   { "opset", parse_opset_line },
  { "scope", parse_scope_line },     { "origin", parse_origin_line }, { "call", parse_call_line },
  { "rewrite", parse_rewrite_line }, { "main", parse_main },
};

static void
parse_text (AssayTextParser *self)
{
  assay_lexer_next (&self->lexer);

  while (self->lexer.kind != ASSAY_TOKEN_END)
    {
      gboolean good = FALSE;
      guint i;

      for (i = 0; i < G_N_ELEMENTS (lines); i++)
        {
          if (assay_text_parser_accept_word (self, lines[i].word))
            {
              good = lines[i].parse (self);
              break;
            }
        }

      if (i == G_N_ELEMENTS (lines))
        {
          assay_text_parser_fail_expected (
              self, "nnir, graph, opset, scope, origin, call, rewrite or main");
          assay_lexer_next (&self->lexer);
        }
      if (!good)
        assay_text_parser_skip_line (self);
    }

  report_undefined (self);
}

/**
 * assay_graph_from_text:
 * @text: NNIR text, with or without a zero at its end
 * @length: its length in bytes, or -1 if a zero ends it
 * @findings: (nullable): gets what is wrong, with line and column
 * @error: return location for a #GError
 *
 * Reads the NNIR text of a graph; the grammar is in docs/nnir.md. A line that cannot be understood
 * is a finding, and the rest is still read; what has findings may break invariants that
 * assay_graph_verify() checks.
 *
 * Returns: (transfer full) (nullable): the graph; %NULL if the text has no main graph
 */
AssayGraph *
assay_graph_from_text (const char *text, gssize length, AssayFindings *findings, GError **error)
{
  g_autoptr (AssayGraph) graph = assay_graph_new ();
  g_autoptr (GHashTable) labels = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GHashTable) declared = g_hash_table_new (NULL, NULL);
  g_autoptr (GString) label = g_string_new (NULL);
  AssayTextParser parser = {
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
