/* assay-outline.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gio/gio.h>

#include "layout/assay-scope-tree.h"
#include "target/assay-verdict.h"

G_BEGIN_DECLS

/**
 * AssayOutline:
 *
 * The tree of scopes and nodes of a checked graph, in program order: plain data that a worker can
 * build. Bodies of control flow are scopes of the node that holds them. Scopes are those of the
 * graph as it is drawn, with the groups that we made of neighbours.
 */
typedef struct _AssayOutline AssayOutline;

#define ASSAY_TYPE_OUTLINE (assay_outline_get_type ())

GType assay_outline_get_type (void) G_GNUC_CONST;
AssayOutline *assay_outline_new (AssayVerdicts *verdicts) G_GNUC_WARN_UNUSED_RESULT;
AssayOutline *assay_outline_ref (AssayOutline *self);
void assay_outline_unref (AssayOutline *self);
AssayVerdicts *assay_outline_get_verdicts (AssayOutline *self);
AssayScopeTree *assay_outline_get_tree (AssayOutline *self);
GListModel *assay_outline_list (AssayOutline *self, guint scope) G_GNUC_WARN_UNUSED_RESULT;
GListModel *assay_outline_list_nodes (AssayOutline *self, GArray *nodes) G_GNUC_WARN_UNUSED_RESULT;
GArray *assay_outline_locate (AssayOutline *self, AssayNodeId node) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayOutline, assay_outline_unref)

/**
 * AssayOutlineItem:
 *
 * One row of an outline: a scope or a node. Made when a view asks for it.
 */
#define ASSAY_TYPE_OUTLINE_ITEM (assay_outline_item_get_type ())

G_DECLARE_FINAL_TYPE (AssayOutlineItem, assay_outline_item, ASSAY, OUTLINE_ITEM, GObject)

gboolean assay_outline_item_is_scope (AssayOutlineItem *self);
gboolean assay_outline_item_is_made (AssayOutlineItem *self);
guint assay_outline_item_get_scope (AssayOutlineItem *self);
AssayNodeId assay_outline_item_get_node (AssayOutlineItem *self);
const char *assay_outline_item_get_title (AssayOutlineItem *self);
const char *assay_outline_item_get_subtitle (AssayOutlineItem *self);
guint assay_outline_item_get_count (AssayOutlineItem *self);
AssayVerdictKind assay_outline_item_get_verdict (AssayOutlineItem *self);
AssayOutline *assay_outline_item_get_outline (AssayOutlineItem *self);

G_END_DECLS
