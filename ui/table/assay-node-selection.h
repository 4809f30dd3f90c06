/* assay-node-selection.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

#include "session/list/assay-node-table.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_NODE_SELECTION (assay_node_selection_get_type ())

/**
 * AssayNodeSelection:
 *
 * The set of selected nodes of a table, as lists of GTK want it: they show and change the one set
 * there is. Choosing all of 50,000 rows makes no item.
 */
G_DECLARE_FINAL_TYPE (AssayNodeSelection, assay_node_selection, ASSAY, NODE_SELECTION, AssayRowList)

GtkSelectionModel *assay_node_selection_new (AssayNodeTable *table) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
