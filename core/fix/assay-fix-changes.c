/* assay-fix-changes.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>

#include "fix/assay-fix-trial.h"

/* What of a node can be seen in the graph, without name, origins and scope, which do not change
 * what it does. */
static GHashTable *
index_nodes (AssayGraph *graph)
{
  GHashTable *texts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);

  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      const AssayNode *node = assay_graph_node (graph, id);
      GString *text = g_string_new (node->op_type);

      for (guint i = 0; i < node->n_inputs; i++)
        g_string_append_printf (text, " %s",
                                node->inputs[i] != ASSAY_NO_VALUE
                                    ? assay_graph_value (graph, node->inputs[i])->name
                                    : "_");
      for (guint i = 0; i < node->n_attrs; i++)
        {
          const AssayAttr *attr = &node->attrs[i];

          g_string_append_printf (text, " %s", attr->name);
          if (attr->kind == ASSAY_ATTR_INT)
            g_string_append_printf (text, "=%" G_GINT64_FORMAT, attr->u.i);
          for (guint j = 0; attr->kind == ASSAY_ATTR_INTS && j < attr->n; j++)
            g_string_append_printf (text, ",%" G_GINT64_FORMAT, attr->u.ints[j]);
        }
      g_hash_table_insert (texts, g_strdup (node->name), g_string_free (text, FALSE));
    }

  return texts;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (*(char *const *) a, *(char *const *) b);
}

static char **
end_sorted (GStrvBuilder *builder)
{
  char **names = g_strv_builder_end (builder);

  qsort (names, g_strv_length (names), sizeof *names, compare_names);

  return names;
}

/**
 * assay_fix_list_changes: (skip)
 * @offer: gets the names of nodes that are added, removed and changed
 * @before: a graph
 * @after: the graph that a fix made of it
 *
 * Lists how two graphs differ, node by node.
 */
void
assay_fix_list_changes (AssayFixOffer *offer, AssayGraph *before, AssayGraph *after)
{
  g_autoptr (GHashTable) old = index_nodes (before);
  g_autoptr (GHashTable) new = index_nodes (after);
  g_autoptr (GStrvBuilder) added = g_strv_builder_new ();
  g_autoptr (GStrvBuilder) removed = g_strv_builder_new ();
  g_autoptr (GStrvBuilder) changed = g_strv_builder_new ();
  GHashTableIter iter;
  gpointer name, text;

  g_hash_table_iter_init (&iter, new);
  while (g_hash_table_iter_next (&iter, &name, &text))
    {
      const char *other = g_hash_table_lookup (old, name);

      if (other == NULL)
        g_strv_builder_add (added, name);
      else if (!g_str_equal (other, text))
        g_strv_builder_add (changed, name);
    }
  g_hash_table_iter_init (&iter, old);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    if (!g_hash_table_contains (new, name))
      g_strv_builder_add (removed, name);

  offer->added = end_sorted (added);
  offer->removed = end_sorted (removed);
  offer->changed = end_sorted (changed);
}
