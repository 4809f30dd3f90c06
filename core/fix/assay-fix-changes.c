/* assay-fix-changes.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdlib.h>
#include <string.h>

#include "base/assay-arena.h"
#include "base/assay-pointer-map.h"
#include "fix/assay-fix-trial.h"

/* Nodes by their names, which are those of one arena for both graphs. */
static void
index_nodes (AssayPointerMap *nodes, AssayArena *names, const AssayGraph *graph)
{
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
    {
      const AssayNode *node = assay_graph_node (graph, id);

      assay_pointer_map_insert (nodes, assay_arena_intern (names, node->name), (gpointer) node);
    }
}

/* Tensors and types belong to their graph, and what is in a region is compared node by node. */
static gboolean
has_same_attr (const AssayAttr *a, const AssayAttr *b)
{
  gboolean same = a->kind == b->kind && a->n == b->n && g_str_equal (a->name, b->name);

  if (!same)
    return FALSE;
  if (a->kind == ASSAY_ATTR_INT)
    return a->u.i == b->u.i;
  if (a->kind == ASSAY_ATTR_FLOAT)
    return memcmp (&a->u.f, &b->u.f, sizeof a->u.f) == 0;
  if (a->kind == ASSAY_ATTR_STRING)
    return memcmp (a->u.s, b->u.s, a->n) == 0;
  if (a->kind == ASSAY_ATTR_INTS)
    return a->n == 0 || memcmp (a->u.ints, b->u.ints, a->n * sizeof *a->u.ints) == 0;
  if (a->kind == ASSAY_ATTR_FLOATS)
    return a->n == 0 || memcmp (a->u.floats, b->u.floats, a->n * sizeof *a->u.floats) == 0;
  for (guint i = 0; a->kind == ASSAY_ATTR_STRINGS && i < a->n; i++)
    same = same && g_str_equal (a->u.strings[i], b->u.strings[i]);

  return same;
}

static const char *
input_name (const AssayGraph *graph, const AssayNode *node, guint input)
{
  return node->inputs[input] != ASSAY_NO_VALUE
             ? assay_graph_value (graph, node->inputs[input])->name
             : NULL;
}

/* Whether nodes are the same but for name, origins and scope, which do not change what they do. */
static gboolean
is_same (const AssayGraph *before, const AssayNode *a, const AssayGraph *after, const AssayNode *b)
{
  gboolean same = a->op == b->op && g_str_equal (a->op_type, b->op_type) &&
                  g_strcmp0 (a->domain, b->domain) == 0 && a->n_inputs == b->n_inputs &&
                  a->n_attrs == b->n_attrs;

  for (guint i = 0; same && i < a->n_inputs; i++)
    same = g_strcmp0 (input_name (before, a, i), input_name (after, b, i)) == 0;
  for (guint i = 0; same && i < a->n_attrs; i++)
    same = has_same_attr (&a->attrs[i], &b->attrs[i]);

  return same;
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
  g_autoptr (AssayArena) names = assay_arena_new ();
  g_auto (AssayPointerMap) old = { NULL };
  g_auto (AssayPointerMap) new = { NULL };
  g_autoptr (GStrvBuilder) added = g_strv_builder_new ();
  g_autoptr (GStrvBuilder) removed = g_strv_builder_new ();
  g_autoptr (GStrvBuilder) changed = g_strv_builder_new ();

  index_nodes (&old, names, before);
  index_nodes (&new, names, after);
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (after); id++)
    {
      const AssayNode *node = assay_graph_node (after, id);
      const char *name = assay_arena_intern (names, node->name);
      const AssayNode *other = assay_pointer_map_lookup (&old, name);

      if (assay_pointer_map_lookup (&new, name) != node)
        continue;
      if (other == NULL)
        g_strv_builder_add (added, name);
      else if (!is_same (before, other, after, node))
        g_strv_builder_add (changed, name);
    }
  for (AssayNodeId id = 1; id < assay_graph_n_nodes (before); id++)
    {
      const AssayNode *node = assay_graph_node (before, id);
      const char *name = assay_arena_intern (names, node->name);

      if (assay_pointer_map_lookup (&old, name) == node &&
          assay_pointer_map_lookup (&new, name) == NULL)
        g_strv_builder_add (removed, name);
    }

  offer->added = end_sorted (added);
  offer->removed = end_sorted (removed);
  offer->changed = end_sorted (changed);
}
