/* assay-node-row.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "ui/table/assay-node-header.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_NODE_ROW (assay_node_row_get_type ())

/**
 * AssayNodeRow:
 *
 * One row of a table of nodes, as one widget that draws its cells: a widget per cell would cost
 * more than the rows of a window may take.
 */
G_DECLARE_FINAL_TYPE (AssayNodeRow, assay_node_row, ASSAY, NODE_ROW, GtkWidget)

GtkWidget *assay_node_row_new (AssayNodeHeader *header);
void assay_node_row_bind (AssayNodeRow *self, AssayNodeItem *item);
char *assay_node_row_dup_cell (AssayNodeRow *self,
                               AssayNodeColumn column) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
