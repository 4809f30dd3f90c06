/* assay-scope-equal.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "layout/assay-scope-tree-private.h"

static guint64
mix (guint64 digest, guint64 value)
{
  return (digest ^ value) * 0x100000001b3u;
}

static guint64
digest_node (const AssayGraph *graph, const AssayNode *node, gboolean with_types)
{
  guint64 digest = mix (g_str_hash (node->op_type), node->n_inputs);

  if (with_types && node->n_outputs > 0 && node->outputs[0] != ASSAY_NO_VALUE)
    {
      const AssayType *type = assay_graph_value (graph, node->outputs[0])->type;

      digest = mix (digest, (guint64) type->dtype);
      for (int i = 0; i < type->rank; i++)
        digest = mix (digest, (guint64) type->dims[i].size);
    }

  return digest;
}

/**
 * assay_scope_tree_digest:
 * @self: a tree
 * @graph: its graph
 * @region: a region of it
 * @homes: per scope the region whose nodes count
 * @with_types: whether results have to have the same types
 * @digests: per scope, a digest of what it has inside; added to
 * @counts: per scope, how many nodes that is; added to
 *
 * Tells what scopes have inside: operators in the order of the program, and how many scopes are
 * around each of them.
 */
void
assay_scope_tree_digest (const AssayScopeTree *self, const AssayGraph *graph, AssayRegionId region,
                         const AssayRegionId *homes, gboolean with_types, guint64 *digests,
                         guint32 *counts)
{
  const GArray *nodes = assay_graph_region (graph, region)->nodes;

  for (guint i = 0; i < nodes->len; i++)
    {
      AssayNodeId id = g_array_index (nodes, AssayNodeId, i);
      guint32 scope = assay_scope_tree_of_node (self, graph, id);
      guint32 depth = assay_scope_tree_get (self, scope)->depth;
      guint64 own = digest_node (graph, assay_graph_node (graph, id), with_types);

      for (guint32 s = scope; s != 0; s = assay_scope_tree_get (self, s)->parent)
        {
          if (homes[s] != region)
            continue;
          digests[s] = mix (mix (digests[s], own), depth - assay_scope_tree_get (self, s)->depth);
          counts[s]++;
        }
    }
}

/* How deep a scope lies in the file: groups around it do not count. */
static guint
file_depth (const AssayScopeTree *self, guint32 scope)
{
  guint depth = 0;

  for (; scope != 0; scope = assay_scope_tree_get (self, scope)->parent)
    depth += !assay_scope_tree_get (self, scope)->is_made;

  return depth;
}

/**
 * assay_scope_tree_compare:
 * @self: a tree whose scopes are sorted
 * @graph: its graph
 *
 * Finds which scopes are equal: the same operators with the same results in the same order, and at
 * the same depth of the file. Of a scope with nodes in several regions, the first region counts.
 */
void
assay_scope_tree_compare (AssayScopeTree *self, const AssayGraph *graph)
{
  guint32 n = self->scopes->len;
  g_autofree guint64 *digests = g_new0 (guint64, n + 1);
  g_autofree guint32 *counts = g_new0 (guint32, n + 1);
  g_autofree AssayRegionId *homes = g_new (AssayRegionId, n + 1);
  g_autoptr (GHashTable) kinds = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);

  self->kind = g_new0 (guint32, n + 1);
  for (guint32 s = 0; s < n; s++)
    homes[s] = G_MAXUINT32;
  for (AssayRegionId r = 0; r < graph->regions->len; r++)
    {
      const GArray *nodes = assay_graph_region (graph, r)->nodes;

      for (guint i = 0; i < nodes->len; i++)
        {
          guint32 s = assay_scope_tree_of_node (self, graph, g_array_index (nodes, AssayNodeId, i));

          for (; s != 0 && homes[s] == G_MAXUINT32; s = assay_scope_tree_get (self, s)->parent)
            homes[s] = r;
        }
      assay_scope_tree_digest (self, graph, r, homes, TRUE, digests, counts);
    }

  for (guint32 s = 1; s < n; s++)
    {
      gint64 key = (gint64) mix (
          mix (mix (mix (digests[s], counts[s]), file_depth (self, s)), homes[s]),
          (guint64) assay_scope_tree_get (self, s)->is_made);
      gpointer found = g_hash_table_lookup (kinds, &key);

      self->kind[s] = found != NULL && counts[s] > 0 ? GPOINTER_TO_UINT (found) : s;
      if (found == NULL)
        g_hash_table_insert (kinds, g_memdup2 (&key, sizeof key), GUINT_TO_POINTER (s));
    }
}

/* The node at a place of a block, or the place of a node in it. */
static guint32
walk_block (const AssayScopeTree *self, const AssayGraph *graph, const GArray *nodes, guint32 scope,
            guint32 place, AssayNodeId wanted, AssayNodeId *found)
{
  guint32 n = 0;

  *found = ASSAY_NO_NODE;
  for (guint i = 0; i < nodes->len; i++)
    {
      AssayNodeId id = g_array_index (nodes, AssayNodeId, i);
      guint32 at = assay_scope_tree_of_node (self, graph, id);

      if (at < scope || at >= self->end[scope])
        continue;
      if (wanted != ASSAY_NO_NODE ? id == wanted : n == place)
        {
          *found = id;
          return n;
        }
      n++;
    }

  return 0;
}

/* The scopes that equal one, it included, in the order of the model. */
static guint
collect_equal (const AssayScopeTree *self, guint32 scope, GArray *equal)
{
  guint index = 0;

  g_array_set_size (equal, 0);
  for (guint32 s = self->kind[scope]; s < self->scopes->len; s++)
    if (self->kind[s] == self->kind[scope])
      {
        if (s == scope)
          index = equal->len;
        g_array_append_val (equal, s);
      }

  return index;
}

static gboolean
leads_alike (const AssayEqualBlocks *a, const AssayEqualBlocks *b)
{
  return a->n == b->n && a->index == b->index && a->node == b->node && a->previous == b->previous;
}

/* The blocks around a node that have equals, from the inside out, until there are enough. */
static GArray *
list_equal (const AssayScopeTree *self, const AssayGraph *graph, AssayNodeId node, guint most)
{
  const GArray *nodes = assay_graph_region (graph, assay_graph_node (graph, node)->region)->nodes;
  g_autoptr (GArray) equal = g_array_new (FALSE, FALSE, sizeof (guint32));
  GArray *list = g_array_new (FALSE, TRUE, sizeof (AssayEqualBlocks));

  for (guint32 scope = assay_scope_tree_of_node (self, graph, node); scope != 0 && list->len < most;
       scope = assay_scope_tree_get (self, scope)->parent)
    {
      AssayEqualBlocks blocks = { .scope = scope };
      guint32 place;
      AssayNodeId same;

      blocks.index = collect_equal (self, scope, equal);
      blocks.n = equal->len;
      if (blocks.n < 2)
        continue;

      place = walk_block (self, graph, nodes, scope, 0, node, &same);
      walk_block (self, graph, nodes, g_array_index (equal, guint32, (blocks.index + 1) % blocks.n),
                  place, ASSAY_NO_NODE, &blocks.node);
      walk_block (self, graph, nodes,
                  g_array_index (equal, guint32, (blocks.index + blocks.n - 1) % blocks.n), place,
                  ASSAY_NO_NODE, &blocks.previous);
      /* Equal blocks have their nodes elsewhere if this one is in a graph inside of them. */
      if (blocks.node == ASSAY_NO_NODE || blocks.previous == ASSAY_NO_NODE)
        continue;
      /* A block that is all there is in another one says nothing beside it. */
      if (list->len > 0 &&
          leads_alike (&g_array_index (list, AssayEqualBlocks, list->len - 1), &blocks))
        g_array_set_size (list, list->len - 1);
      g_array_append_val (list, blocks);
    }

  return list;
}

/**
 * assay_scope_tree_list_equal:
 * @self: a tree
 * @graph: its graph
 * @node: a node
 *
 * Finds all blocks around a node that have equals, the innermost first, and for each the nodes at
 * the same place in the next one and in the one before; around the ends. Of blocks inside each
 * other that lead to the same nodes it is the outermost.
 *
 * Returns: (transfer full) (element-type AssayEqualBlocks): the blocks
 */
GArray *
assay_scope_tree_list_equal (const AssayScopeTree *self, const AssayGraph *graph, AssayNodeId node)
{
  return list_equal (self, graph, node, G_MAXUINT);
}

/**
 * assay_scope_tree_find_equal:
 * @self: a tree
 * @graph: its graph
 * @node: a node
 * @direction: 1 for the next block, -1 for the one before; around the end
 * @blocks: (out): what was found
 *
 * Finds the innermost block around a node that has equals, and the node at the same place in the
 * next one.
 */
void
assay_scope_tree_find_equal (const AssayScopeTree *self, const AssayGraph *graph, AssayNodeId node,
                             int direction, AssayEqualBlocks *blocks)
{
  g_autoptr (GArray) list = list_equal (self, graph, node, 1);

  *blocks = list->len > 0 ? g_array_index (list, AssayEqualBlocks, 0) : (AssayEqualBlocks){ 0 };
  if (direction < 0)
    blocks->node = blocks->previous;
}
