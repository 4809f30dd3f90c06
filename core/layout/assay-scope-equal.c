/* assay-scope-equal.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "layout/assay-scope-tree-private.h"

static guint64
mix (guint64 digest,
     guint64 value)
{
  return (digest ^ value) * 0x100000001b3u;
}

static guint64
digest_node (const AssayGraph *graph,
             const AssayNode  *node,
             gboolean          with_types)
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
 * @with_types: whether results have to have the same types
 * @digests: per scope, a digest of what it has inside; added to
 * @counts: per scope, how many nodes that is; added to
 *
 * Tells what scopes have inside: operators in the order of the program, and how many scopes are around each of them.
 */
void
assay_scope_tree_digest (const AssayScopeTree *self,
                         const AssayGraph     *graph,
                         AssayRegionId         region,
                         gboolean              with_types,
                         guint64              *digests,
                         guint32              *counts)
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
          digests[s] = mix (mix (digests[s], own), depth - assay_scope_tree_get (self, s)->depth);
          counts[s]++;
        }
    }
}

static gboolean
is_inside (const AssayScopeTree *self,
           guint32               scope,
           guint32               around)
{
  for (; scope != 0; scope = assay_scope_tree_get (self, scope)->parent)
    if (scope == around)
      return TRUE;

  return FALSE;
}

/* How deep a scope lies in the file: groups around it do not count. */
static guint
file_depth (const AssayScopeTree *self,
            guint32               scope)
{
  guint depth = 0;

  for (; scope != 0; scope = assay_scope_tree_get (self, scope)->parent)
    depth += !assay_scope_tree_get (self, scope)->is_made;

  return depth;
}

/* The node at a place of a block, or the place of a node in it. */
static guint32
walk_block (const AssayScopeTree *self,
            const AssayGraph     *graph,
            const GArray         *nodes,
            guint32               scope,
            guint32               place,
            AssayNodeId           wanted,
            AssayNodeId          *found)
{
  guint32 n = 0;

  *found = ASSAY_NO_NODE;
  for (guint i = 0; i < nodes->len; i++)
    {
      AssayNodeId id = g_array_index (nodes, AssayNodeId, i);

      if (!is_inside (self, assay_scope_tree_of_node (self, graph, id), scope))
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
collect_equal (const AssayScopeTree *self,
               const guint64        *digests,
               const guint32        *counts,
               guint32               scope,
               GArray               *equal)
{
  guint depth = file_depth (self, scope);
  guint index = 0;

  g_array_set_size (equal, 0);
  for (guint32 s = 1; s < self->scopes->len; s++)
    if (digests[s] == digests[scope] && counts[s] == counts[scope] && file_depth (self, s) == depth
        && assay_scope_tree_get (self, s)->is_made == assay_scope_tree_get (self, scope)->is_made)
      {
        if (s == scope)
          index = equal->len;
        g_array_append_val (equal, s);
      }

  return index;
}

static gboolean
leads_alike (const AssayEqualBlocks *a,
             const AssayEqualBlocks *b)
{
  return a->n == b->n && a->index == b->index && a->node == b->node && a->previous == b->previous;
}

/**
 * assay_scope_tree_list_equal:
 * @self: a tree
 * @graph: its graph
 * @node: a node
 *
 * Finds all blocks around a node that have equals, the innermost first, and for each the nodes at the same place in the
 * next one and in the one before; around the ends. Of blocks inside each other that lead to the same nodes it is the
 * outermost.
 *
 * Returns: (transfer full) (element-type AssayEqualBlocks): the blocks
 */
GArray *
assay_scope_tree_list_equal (const AssayScopeTree *self,
                             const AssayGraph     *graph,
                             AssayNodeId           node)
{
  const GArray *nodes = assay_graph_region (graph, assay_graph_node (graph, node)->region)->nodes;
  g_autofree guint64 *digests = g_new0 (guint64, self->scopes->len);
  g_autofree guint32 *counts = g_new0 (guint32, self->scopes->len);
  g_autoptr (GArray) equal = g_array_new (FALSE, FALSE, sizeof (guint32));
  GArray *list = g_array_new (FALSE, TRUE, sizeof (AssayEqualBlocks));

  assay_scope_tree_digest (self, graph, assay_graph_node (graph, node)->region, TRUE, digests, counts);

  for (guint32 scope = assay_scope_tree_of_node (self, graph, node); scope != 0;
       scope = assay_scope_tree_get (self, scope)->parent)
    {
      AssayEqualBlocks blocks = { .scope = scope };
      guint32 place;
      AssayNodeId same;

      blocks.index = collect_equal (self, digests, counts, scope, equal);
      blocks.n = equal->len;
      if (blocks.n < 2)
        continue;

      place = walk_block (self, graph, nodes, scope, 0, node, &same);
      walk_block (self, graph, nodes, g_array_index (equal, guint32, (blocks.index + 1) % blocks.n), place,
                  ASSAY_NO_NODE, &blocks.node);
      walk_block (self, graph, nodes, g_array_index (equal, guint32, (blocks.index + blocks.n - 1) % blocks.n), place,
                  ASSAY_NO_NODE, &blocks.previous);
      /* A block that is all there is in another one says nothing beside it. */
      if (list->len > 0 && leads_alike (&g_array_index (list, AssayEqualBlocks, list->len - 1), &blocks))
        g_array_set_size (list, list->len - 1);
      g_array_append_val (list, blocks);
    }

  return list;
}

/**
 * assay_scope_tree_find_equal:
 * @self: a tree
 * @graph: its graph
 * @node: a node
 * @direction: 1 for the next block, -1 for the one before; around the end
 * @blocks: (out): what was found
 *
 * Finds the innermost block around a node that has equals, and the node at the same place in the next one.
 */
void
assay_scope_tree_find_equal (const AssayScopeTree *self,
                             const AssayGraph     *graph,
                             AssayNodeId           node,
                             int                   direction,
                             AssayEqualBlocks     *blocks)
{
  g_autoptr (GArray) list = assay_scope_tree_list_equal (self, graph, node);

  *blocks = list->len > 0 ? g_array_index (list, AssayEqualBlocks, 0) : (AssayEqualBlocks) { 0 };
  if (direction < 0)
    blocks->node = blocks->previous;
}
