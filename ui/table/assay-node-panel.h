/* assay-node-panel.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

#include "session/assay-session.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_NODE_PANEL (assay_node_panel_get_type ())

/**
 * AssayNodePanel:
 *
 * All nodes as a table below the graph: a filter, columns that sort, any number of selected rows,
 * and their sums.
 */
G_DECLARE_FINAL_TYPE (AssayNodePanel, assay_node_panel, ASSAY, NODE_PANEL, GtkWidget)

void assay_node_panel_set_session (AssayNodePanel *self, AssaySession *session);
void assay_node_panel_save (AssayNodePanel *self, const char *path);

G_END_DECLS
