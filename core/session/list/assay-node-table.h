/* assay-node-table.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "session/analysis/assay-node-facts.h"
#include "session/list/assay-row-list.h"

G_BEGIN_DECLS

/**
 * AssayNodeItem:
 *
 * A row of a table of nodes; made when a view asks for it.
 */
#define ASSAY_TYPE_NODE_ITEM (assay_node_item_get_type ())

G_DECLARE_FINAL_TYPE (AssayNodeItem, assay_node_item, ASSAY, NODE_ITEM, GObject)

AssayNodeFacts *assay_node_item_get_facts (AssayNodeItem *self);
AssayNodeId assay_node_item_get_node (AssayNodeItem *self);

/**
 * AssayNodeSums:
 * @n: how many nodes
 * @parameters: bytes of their constants
 * @activations: bytes of what they make, of those of which it is known
 * @n_activations: of how many it is known
 * @cycles: predicted cycles
 * @n_cycles: of how many they are known
 *
 * What nodes come to together.
 */
typedef struct
{
  guint n;
  double parameters;
  double activations;
  guint n_activations;
  double cycles;
  guint n_cycles;
} AssayNodeSums;

/**
 * AssayNodeTable:
 *
 * All nodes of a session as a flat list: a query and the verdict filter of the session choose, a
 * column sorts, and any number of them can be selected. The list holds ids only; items are made on
 * demand. The one node that the session has selected is always among those that the table has, if
 * it is in the list.
 *
 * Property `n-selected` is told of whenever the set of selected nodes changes.
 */
#define ASSAY_TYPE_NODE_TABLE (assay_node_table_get_type ())

G_DECLARE_FINAL_TYPE (AssayNodeTable, assay_node_table, ASSAY, NODE_TABLE, AssayRowList)

void assay_node_table_set_active (AssayNodeTable *self, gboolean active);
AssayNodeFacts *assay_node_table_get_facts (AssayNodeTable *self);
gboolean assay_node_table_set_query (AssayNodeTable *self, const char *text, GError **error);
char *assay_node_table_explain_nothing (AssayNodeTable *self) G_GNUC_WARN_UNUSED_RESULT;
void assay_node_table_sort (AssayNodeTable *self, AssayNodeColumn column, gboolean descending);
AssayNodeColumn assay_node_table_get_sort (AssayNodeTable *self, gboolean *descending);
AssayNodeId assay_node_table_get_node (AssayNodeTable *self, guint position);
guint assay_node_table_find (AssayNodeTable *self, AssayNodeId node);
gboolean assay_node_table_is_selected (AssayNodeTable *self, guint position);
void assay_node_table_mark (AssayNodeTable *self, guint position, gboolean selected);
void assay_node_table_commit (AssayNodeTable *self, guint position);
guint assay_node_table_get_n_selected (AssayNodeTable *self);
GArray *assay_node_table_list_selected (AssayNodeTable *self) G_GNUC_WARN_UNUSED_RESULT;
GArray *assay_node_table_list (AssayNodeTable *self) G_GNUC_WARN_UNUSED_RESULT;
AssayNodeSums assay_node_table_sum_selected (AssayNodeTable *self);

G_END_DECLS
