/* assay-canvas.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

#include "draw/assay-overlay.h"
#include "session/assay-session.h"
#include "target/assay-verdict.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_CANVAS (assay_canvas_get_type ())

/**
 * AssayCanvas:
 *
 * The graph: boxes with verdicts, edges, pan and zoom, one selected node. A #GtkScrollable; put it
 * into a #GtkScrolledWindow. Properties: `selection` and `hover` (node ids of the checked graph, 0
 * for none), `zoom` (1 is 100 %), `filter` (a bit per #AssayVerdictKind that stays strong, 0 for
 * all), `has-view` (whether a picture is there), `layout-note` (what was wrong with the helper that
 * refines the layout; told again whenever a layout is done).
 *
 * Signals: `node-activated` (guint node): double click on a node, or Enter on one that holds
 * nothing to open. `viewport-changed`: another part of the graph is in sight, or it has another
 * size.
 *
 * Actions, in the group of assay_canvas_get_actions() that a parent inserts as `graph`: fit,
 * fit-selection, zoom-in, zoom-out, zoom-normal, unfold, fold, fold-all, first-reader,
 * first-producer, copy-name, copy-nnir.
 */
G_DECLARE_FINAL_TYPE (AssayCanvas, assay_canvas, ASSAY, CANVAS, GtkWidget)

GtkWidget *assay_canvas_new (void);

AssayVerdicts *assay_canvas_get_verdicts (AssayCanvas *self);
void assay_canvas_set_session (AssayCanvas *self, AssaySession *session);
void assay_canvas_set_verdicts (AssayCanvas *self, AssayVerdicts *verdicts);
void assay_canvas_change_verdicts (AssayCanvas *self, AssayVerdicts *verdicts, guint selection,
                                   guint anchor, guint new_anchor);
guint assay_canvas_get_anchor (AssayCanvas *self);
void assay_canvas_set_states (AssayCanvas *self, const guint32 *states);
guint assay_canvas_get_selection (AssayCanvas *self);
void assay_canvas_set_selection (AssayCanvas *self, guint node);
guint assay_canvas_get_hover (AssayCanvas *self);
double assay_canvas_get_zoom (AssayCanvas *self);
void assay_canvas_set_zoom (AssayCanvas *self, double zoom);
void assay_canvas_set_filter (AssayCanvas *self, guint filter);
const AssayOverlay *assay_canvas_get_overlay (AssayCanvas *self);
void assay_canvas_set_overlay (AssayCanvas *self, AssayOverlay *overlay);
void assay_canvas_set_hits (AssayCanvas *self, const AssayNodeId *nodes, guint n_nodes);

void assay_canvas_set_marks (AssayCanvas *self, GByteArray *marks);
void assay_canvas_set_playhead (AssayCanvas *self, guint node, GArray *live);
char **assay_canvas_list_open_scopes (AssayCanvas *self) G_GNUC_WARN_UNUSED_RESULT;
char *assay_canvas_dup_middle (AssayCanvas *self, double *x, double *y) G_GNUC_WARN_UNUSED_RESULT;
void assay_canvas_set_place (AssayCanvas *self, const char *const *scopes, double zoom,
                             const char *anchor, double x, double y);
gboolean assay_canvas_shows_selection (AssayCanvas *self, gboolean itself);
void assay_canvas_reveal (AssayCanvas *self, guint node);
void assay_canvas_rest (AssayCanvas *self);
void assay_canvas_set_covered (AssayCanvas *self, double height);
void assay_canvas_fit (AssayCanvas *self);
void assay_canvas_fit_selection (AssayCanvas *self);

void assay_canvas_set_sides (AssayCanvas *self, double left, double right);
void assay_canvas_set_covered_right (AssayCanvas *self, double width);
GActionGroup *assay_canvas_get_actions (AssayCanvas *self);
guint assay_canvas_get_builds (AssayCanvas *self);
void assay_canvas_set_animated (AssayCanvas *self, gboolean animated);
gboolean assay_canvas_get_animated (AssayCanvas *self);
void assay_canvas_set_scroll_zooms (AssayCanvas *self, gboolean scroll_zooms);

G_END_DECLS
