/* assay-onnx-comparable.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "source/onnx/assay-onnx-write.h"

#include <string.h>

#include "nnir/assay-graph-builder.h"
#include "nnir/text/assay-text.h"
#include "source/onnx/assay-onnx-write-private.h"

/* Initializers that only an old file lists as inputs are none in a newer one. */
static void
drop_parameters (AssayGraph *graph)
{
  GArray *inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;
  guint n = 0;

  for (guint i = 0; i < inputs->len; i++)
    {
      AssayValueId id = g_array_index (inputs, AssayValueId, i);
      AssayValue *value = assay_graph_edit_value (graph, id);

      if (assay_graph_is_constant (graph, id))
        {
          AssayTensor *tensor = value->constant;

          /* A wrong file states another type for the input than its elements have. */
          value->type = assay_type_new_fixed (graph->arena, assay_tensor_get_dtype (tensor),
                                              assay_tensor_get_rank (tensor),
                                              assay_tensor_get_dims (tensor));
          value->kind = ASSAY_VALUE_CONSTANT;
          value->is_parameter = FALSE;
          continue;
        }
      value->output = n;
      g_array_index (inputs, AssayValueId, n++) = id;
    }
  g_array_set_size (inputs, n);
}

/* Scopes are numbered in the order of the file. */
static void
forget_places (AssayGraph *graph)
{
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      AssayNode *node = assay_graph_edit_node (graph, id);

      node->n_origins = 0;
      node->scope = 0;
    }
  g_array_set_size (graph->scopes, 1);
  g_array_set_size (graph->origins, 0);
  g_array_set_size (graph->opsets, 0);
  g_array_set_size (graph->rewrites, 0);
  assay_graph_edit_region (graph, ASSAY_MAIN_REGION)->name = graph->name;
  graph->ir_version = 0;
  graph->level = ASSAY_GRAPH_ONNX;
}

/* What inference finds is found again, and more of it once the file states what was known. */
static void
forget_types (AssayGraph *graph)
{
  for (AssayValueId id = 1; id < assay_graph_n_values (graph); id++)
    {
      AssayValue *value = assay_graph_edit_value (graph, id);

      if (value->kind != ASSAY_VALUE_RESULT)
        continue;
      value->type = &assay_type_unknown;
      value->constant = NULL;
    }
}

static int
compare_lines (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static gboolean
is_line_of (const char *line, const char *word)
{
  return g_str_has_prefix (line + strspn (line, " "), word);
}

/* What is missing and read cannot be written; what nobody reads is not. */
static void
drop_missing (char **lines)
{
  guint n = 0;

  for (guint i = 0; lines[i] != NULL; i++)
    {
      if (is_line_of (lines[i], "missing %"))
        g_free (lines[i]);
      else
        lines[n++] = lines[i];
    }
  lines[n] = NULL;
}

/* Constants of one graph may stand in any order. */
static void
sort_constants (char **lines)
{
  for (guint i = 0; lines[i] != NULL; i++)
    {
      guint n = 0;

      while (lines[i + n] != NULL && is_line_of (lines[i + n], "const %"))
        n++;
      if (n == 0)
        continue;
      qsort (lines + i, n, sizeof *lines, compare_lines);
      i += n - 1;
    }
}

/**
 * assay_onnx_comparable_text:
 * @graph: a sound graph
 * @error: return location for a #GError
 *
 * Gets the NNIR text of a graph as it is written, without what another file of the same model may
 * say in another way: versions, places in the file, the order of constants, types of results. Two
 * models with the same text are the same nodes with the same attributes and constants.
 *
 * Returns: (transfer full) (nullable): the text; %NULL if a constant cannot be read
 */
char *
assay_onnx_comparable_text (AssayGraph *graph, GError **error)
{
  g_autoptr (AssayGraph) expanded = assay_onnx_expand (graph, error);
  g_autoptr (AssayGraph) copy = expanded == NULL ? NULL : assay_graph_copy (expanded);
  g_autofree const char **names = NULL;
  g_autoptr (GPtrArray) values = NULL;
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  GStringChunk *chunk;
  OnnxWriter writer;

  if (copy == NULL)
    return NULL;

  chunk = g_string_chunk_new (1024);
  names = g_new0 (const char *, assay_graph_n_values (copy));
  values = assay_onnx_write_lists (copy);
  writer = (OnnxWriter){ .graph = copy, .names = names, .values = values };
  drop_parameters (copy);
  forget_places (copy);
  forget_types (copy);
  assay_onnx_write_names (&writer, chunk);
  for (AssayValueId id = 1; id < assay_graph_n_values (copy); id++)
    assay_graph_edit_value (copy, id)->name = assay_arena_intern (copy->arena, names[id]);
  g_string_chunk_free (chunk);

  text = assay_graph_to_text (copy, ASSAY_TEXT_DEFAULT, error);
  if (text == NULL)
    return NULL;

  lines = g_strsplit (text, "\n", -1);
  drop_missing (lines);
  sort_constants (lines);

  return g_strjoinv ("\n", lines);
}
