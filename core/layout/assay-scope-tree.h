/* assay-scope-tree.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/**
 * AssayScope:
 * @name: last component of its path, interned in the tree
 * @path: the whole path
 * @parent: index of the scope around it; 0 is the root, which is everything
 * @depth: 0 for the root
 * @is_made: whether it is a group that we made of neighbours, which the file knows nothing of
 *
 * A named part of a model.
 */
typedef struct
{
  const char *name;
  const char *path;
  guint32 parent;
  guint32 depth;
  gboolean is_made;
} AssayScope;

/**
 * AssayScopeTree:
 * @scopes: (element-type AssayScope): [0] the root, each followed by all that are inside of it, in
 * program order
 * @of_graph: index in @scopes of each scope of the graph
 * @of_node: (nullable): index in @scopes of each node that stands in a group itself, 0 for others
 * @end: per scope the index behind the last one inside of it
 * @kind: per scope a number that equal ones share
 * @is_chip: per node whether it is a constant that has no box, but is drawn in those of its readers
 *
 * The scopes of a graph and all that lie around them.
 */
typedef struct
{
  /*< private >*/
  gatomicrefcount ref_count;

  /*< public >*/
  AssayArena *arena;
  GArray *scopes;
  guint32 *of_graph;
  guint32 *of_node;
  guint32 *end;
  guint32 *kind;
  guint8 *is_chip;
} AssayScopeTree;

/* Boxes of the first picture of a model. */
#define ASSAY_FIRST_BOXES 60

AssayScopeTree *assay_scope_tree_new (const AssayGraph *graph) G_GNUC_WARN_UNUSED_RESULT;
AssayScopeTree *assay_scope_tree_ref (AssayScopeTree *self) G_GNUC_WARN_UNUSED_RESULT;
void assay_scope_tree_free (AssayScopeTree *self);
guint8 *assay_scope_tree_choose (const AssayScopeTree *self, const AssayGraph *graph,
                                 AssayRegionId region, guint max_boxes) G_GNUC_WARN_UNUSED_RESULT;

static inline const AssayScope *
assay_scope_tree_get (const AssayScopeTree *self, guint32 index)
{
  return &g_array_index (self->scopes, AssayScope, index);
}

static inline guint32
assay_scope_tree_of_node (const AssayScopeTree *self, const AssayGraph *graph, AssayNodeId node)
{
  return self->of_node != NULL && self->of_node[node] != 0
             ? self->of_node[node]
             : self->of_graph[assay_graph_node (graph, node)->scope];
}

/**
 * AssayEqualBlocks:
 * @scope: the scope that has equals, 0 if none around the node has
 * @n: how many equal scopes there are, itself included
 * @index: which of them it is, from 0
 * @node: the node at the same place in the next one, or in the one that was asked for
 * @previous: the node at the same place in the one before
 *
 * The blocks of a model that are equal to the one around a node.
 */
typedef struct
{
  guint32 scope;
  guint32 n;
  guint32 index;
  AssayNodeId node;
  AssayNodeId previous;
} AssayEqualBlocks;

void assay_scope_tree_find_equal (const AssayScopeTree *self, const AssayGraph *graph,
                                  AssayNodeId node, int direction, AssayEqualBlocks *blocks);
GArray *assay_scope_tree_list_equal (const AssayScopeTree *self, const AssayGraph *graph,
                                     AssayNodeId node) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayScopeTree, assay_scope_tree_free)

G_END_DECLS
