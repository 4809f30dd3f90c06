/* assay-node-header.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

#include "session/list/assay-node-table.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_NODE_HEADER (assay_node_header_get_type ())

/**
 * AssayNodeHeader:
 *
 * The head of a table of nodes: a button per column that sorts by it, edges that can be dragged,
 * and the one place that knows how wide columns are. Signal `changed` tells of other widths, `sort`
 * of a click (column).
 */
G_DECLARE_FINAL_TYPE (AssayNodeHeader, assay_node_header, ASSAY, NODE_HEADER, GtkWidget)

void assay_node_header_set_adjustment (AssayNodeHeader *self, GtkAdjustment *adjustment);
int assay_node_header_get_total (AssayNodeHeader *self);
gboolean assay_node_header_locate (AssayNodeHeader *self, AssayNodeColumn column, int total, int *x,
                                   int *width);
gboolean assay_node_header_get_shown (AssayNodeHeader *self, AssayNodeColumn column);
void assay_node_header_choose (AssayNodeHeader *self, AssayNodeColumn column, gboolean shown);
void assay_node_header_set_missing (AssayNodeHeader *self, AssayNodeColumn column,
                                    gboolean missing);
void assay_node_header_set_empty (AssayNodeHeader *self, AssayNodeColumn column, gboolean empty);
void assay_node_header_set_longest_name (AssayNodeHeader *self, const char *name);
void assay_node_header_set_sort (AssayNodeHeader *self, AssayNodeColumn column,
                                 gboolean descending);
void assay_node_header_set_unknown (AssayNodeHeader *self, AssayNodeColumn column,
                                    const char *reason);
const char *assay_node_header_get_title (AssayNodeColumn column);

G_END_DECLS
