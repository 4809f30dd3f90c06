/* assay-report-dot.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/assay-report-dot.h"

#include "report/assay-model-report.h"
#include "text/assay-terminal.h"

/**
 * assay_dot_append:
 * @text: a document, inside a quoted string
 * @string: any text
 *
 * Appends text as the DOT language can hold it: Graphviz reads quoted strings in which only the
 * quote must be escaped, and knows `\n` as a line break in labels.
 */
void
assay_dot_append (GString *text, const char *string)
{
  g_autofree char *valid = g_utf8_make_valid (string, -1);

  for (const char *p = valid; *p != 0; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      if (c == '"' || c == '\\')
        g_string_append_c (text, '\\');
      g_string_append_unichar (text, assay_terminal_steers (c) ? ' ' : c);
    }
}

static void
append_value_node (GString *text, const AssayGraph *graph, AssayValueId id, const char *prefix,
                   guint index)
{
  const AssayValue *value = assay_graph_value (graph, id);
  g_autofree char *type = assay_type_to_string (value->type);

  g_string_append_printf (text, "  %s%u [shape=ellipse, label=\"", prefix, index);
  assay_dot_append (text, value->name);
  g_string_append (text, "\\n");
  assay_dot_append (text, type);
  g_string_append (text, "\"];\n");
}

static void
append_edges (GString *text, const AssayGraph *graph, AssayNodeId id)
{
  const AssayNode *node = assay_graph_node (graph, id);

  for (guint i = 0; i < node->n_inputs; i++)
    {
      const AssayValue *value = assay_graph_value (graph, node->inputs[i]);
      g_autofree char *type = NULL;

      if (node->inputs[i] == ASSAY_NO_VALUE || value->kind == ASSAY_VALUE_CONSTANT ||
          (value->kind == ASSAY_VALUE_INPUT && value->is_parameter))
        continue;
      type = assay_type_to_string (value->type);
      if (value->kind == ASSAY_VALUE_RESULT)
        g_string_append_printf (text, "  n%u -> n%u [label=\"", value->producer, id);
      else
        g_string_append_printf (text, "  v%u -> n%u [label=\"", node->inputs[i], id);
      assay_dot_append (text, type);
      g_string_append (text, "\"];\n");
    }
}

static void
append_region (GString *text, const AssayGraph *graph, AssayRegionId id)
{
  const AssayRegion *region = assay_graph_region (graph, id);

  if (id != ASSAY_MAIN_REGION)
    {
      g_string_append_printf (text, "  subgraph cluster_%u {\n  label=\"", id);
      assay_dot_append (text, assay_graph_node (graph, region->parent)->name);
      g_string_append_c (text, '/');
      assay_dot_append (text, region->attribute);
      g_string_append (text, "\";\n");
    }
  for (guint i = 0; i < region->inputs->len; i++)
    {
      AssayValueId input = g_array_index (region->inputs, AssayValueId, i);

      if (!assay_graph_value (graph, input)->is_parameter)
        append_value_node (text, graph, input, "v", input);
    }
  for (guint i = 0; i < region->nodes->len; i++)
    {
      AssayNodeId node = g_array_index (region->nodes, AssayNodeId, i);

      g_string_append_printf (text, "  n%u [label=\"", node);
      assay_dot_append (text, assay_graph_node (graph, node)->op_type);
      g_string_append (text, "\\n");
      assay_dot_append (text, assay_graph_node (graph, node)->name);
      g_string_append (text, "\"];\n");
    }
  if (id != ASSAY_MAIN_REGION)
    g_string_append (text, "  }\n");
}

/**
 * assay_graph_to_dot:
 * @graph: a graph
 * @length: (out) (optional): bytes of the text
 *
 * Writes a graph in the DOT language for Graphviz: a box per node, bodies of control flow as
 * clusters, constants left out, the type of each tensor on its edges.
 *
 * Returns: (transfer full): the text
 */
char *
assay_graph_to_dot (AssayGraph *graph, gsize *length)
{
  const AssayRegion *region = assay_graph_region (graph, ASSAY_MAIN_REGION);
  GString *text = g_string_new ("digraph \"");

  assay_dot_append (text, graph->name != NULL ? graph->name : "");
  g_string_append (text, "\" {\n  rankdir=TB;\n  node [shape=box];\n");
  for (AssayRegionId id = 0; id < graph->regions->len; id++)
    append_region (text, graph, id);
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    append_edges (text, graph, id);
  for (guint i = 0; i < region->outputs->len; i++)
    {
      AssayValueId output = g_array_index (region->outputs, AssayValueId, i);
      const AssayValue *value = assay_graph_value (graph, output);

      if (output == ASSAY_NO_VALUE)
        continue;
      append_value_node (text, graph, output, "o", i);
      if (value->kind == ASSAY_VALUE_RESULT)
        g_string_append_printf (text, "  n%u -> o%u;\n", value->producer, i);
      else if (value->kind == ASSAY_VALUE_INPUT && !value->is_parameter)
        g_string_append_printf (text, "  v%u -> o%u;\n", output, i);
    }
  g_string_append (text, "}\n");

  if (length != NULL)
    *length = text->len;
  return g_string_free (text, FALSE);
}
