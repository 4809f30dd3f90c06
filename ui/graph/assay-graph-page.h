/* assay-graph-page.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <adwaita.h>

#include "session/assay-session.h"
#include "ui/canvas/assay-canvas.h"

G_BEGIN_DECLS

/* Between the path of a graph of the file and the number of a node in it, as `graph.show-origin`
 * takes it. */
#define ASSAY_ORIGIN_PLACE "/node["

/**
 * AssayGraphPage:
 *
 * The canvas with what floats over it: selection card, legend, zoom. Signal `removed-changed` tells
 * that a node of the file is selected that is not in the checked graph, or no more.
 */
#define ASSAY_TYPE_GRAPH_PAGE (assay_graph_page_get_type ())

G_DECLARE_FINAL_TYPE (AssayGraphPage, assay_graph_page, ASSAY, GRAPH_PAGE, GtkWidget)

void assay_graph_page_set_session (AssayGraphPage *self, AssaySession *session);
void assay_graph_page_set_roomy (AssayGraphPage *self, gboolean roomy);
void assay_graph_page_set_card_shown (AssayGraphPage *self, gboolean shown);
void assay_graph_page_set_card_listed (AssayGraphPage *self, gboolean listed);
void assay_graph_page_set_still (AssayGraphPage *self, gboolean still);
gboolean assay_graph_page_reveal_selection (AssayGraphPage *self);
void assay_graph_page_set_covered_right (AssayGraphPage *self, int width);
void assay_graph_page_open_overlay (AssayGraphPage *self, const char *path);
AssayCanvas *assay_graph_page_get_canvas (AssayGraphPage *self);
AssayNodeId assay_graph_page_get_removed (AssayGraphPage *self, AssayVerdicts **verdicts);

G_END_DECLS
