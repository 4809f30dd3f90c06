/* assay-overview.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "draw/assay-memory-map.h"
#include "ui/canvas/assay-canvas.h"

G_BEGIN_DECLS

#define ASSAY_TYPE_OVERVIEW (assay_overview_get_type ())

/**
 * AssayOverview:
 *
 * The ruler right of the canvas, 16 px wide: all nodes in program order from top to bottom whatever
 * is folded, the worst verdict of each pixel row at the left, how full the tensor RAM of a core is
 * at the right, and the visible part as an outline. Click and drag move the canvas.
 */
G_DECLARE_FINAL_TYPE (AssayOverview, assay_overview, ASSAY, OVERVIEW, GtkWidget)

GtkWidget *assay_overview_new (AssayCanvas *canvas);
void assay_overview_set_canvas (AssayOverview *self, AssayCanvas *canvas);
void assay_overview_set_memory (AssayOverview *self, AssayMemoryMap *memory, guint core);

G_END_DECLS
