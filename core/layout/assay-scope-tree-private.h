/* assay-scope-tree-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "layout/assay-scope-tree.h"

G_BEGIN_DECLS

/* One member of a level feeds another one. */
typedef struct
{
  guint32 from;
  guint32 to;
} AssayScopeUse;

void assay_scope_tree_group (AssayScopeTree *self, const AssayGraph *graph, GHashTable *paths);
void assay_scope_tree_sort (AssayScopeTree *self, const AssayGraph *graph);
void assay_scope_tree_compare (AssayScopeTree *self, const AssayGraph *graph);
void assay_scope_tree_digest (const AssayScopeTree *self, const AssayGraph *graph,
                              AssayRegionId region, const AssayRegionId *homes, gboolean with_types,
                              guint64 *digests, guint32 *counts);

guint assay_scope_tree_count_ports (const AssayGraph *graph, AssayRegionId region);

void assay_scope_order (guint32 n_members, const GArray *uses, GArray *order, GArray *ends);

G_END_DECLS
