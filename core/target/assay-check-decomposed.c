/* assay-check-decomposed.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Says of nodes that were written for an operator of the model which one it was.
 */
#include "nnir/function/assay-op-function.h"
#include "target/assay-check-private.h"

/* The function whose body a rewrite put in the place of its operator, NULL for other rewrites. */
const AssayOpFunction *
assay_check_find_decomposition (const AssayRewrite *rewrite)
{
  const AssayOpFunction *function = rewrite->n_before == 1 && rewrite->n_after > 0
                                        ? assay_op_function_find (rewrite->rule)
                                        : NULL;

  if (function == NULL || !function->writes || (rewrite->n_after == 1 && function->reads) ||
      !g_str_equal (rewrite->before[0], rewrite->after[rewrite->n_after - 1]))
    return NULL;

  return function;
}

static GHashTable *
index_names (const AssayGraph *graph)
{
  GHashTable *names = g_hash_table_new (g_str_hash, g_str_equal);

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    g_hash_table_insert (names, (gpointer) assay_graph_node (graph, id)->name,
                         GUINT_TO_POINTER (id));

  return names;
}

static void
tell (AssayCheck *self, const AssayRewrite *rewrite, const AssayOpFunction *function,
      GHashTable *names)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const char *separator = "";

  g_string_append_printf (text, "%s “%s” is decomposed to ", function->type, rewrite->before[0]);
  for (guint i = 0; i < rewrite->n_after; i++)
    {
      AssayNodeId id = GPOINTER_TO_UINT (g_hash_table_lookup (names, rewrite->after[i]));

      if (id == ASSAY_NO_NODE)
        continue;
      g_string_append_printf (text, "%s%s", separator, assay_graph_node (self->graph, id)->op_type);
      separator = ", ";
    }

  for (guint i = 0; i < rewrite->n_after; i++)
    {
      AssayNodeId id = GPOINTER_TO_UINT (g_hash_table_lookup (names, rewrite->after[i]));

      if (id != ASSAY_NO_NODE)
        assay_check_rest_on (self, &g_array_index (self->result->verdicts, AssayVerdict, id),
                             ASSAY_NO_NODE, text->str);
    }
}

/* Adds to the verdicts of nodes that an operator was decomposed to, which operator that was. */
void
assay_check_tell_decomposed (AssayCheck *self)
{
  g_autoptr (GHashTable) names = NULL;

  for (guint i = 0; i < self->graph->rewrites->len; i++)
    {
      const AssayRewrite *rewrite = &g_array_index (self->graph->rewrites, AssayRewrite, i);
      const AssayOpFunction *function = assay_check_find_decomposition (rewrite);

      if (function == NULL)
        continue;
      if (names == NULL)
        names = index_names (self->graph);
      tell (self, rewrite, function, names);
    }
}
