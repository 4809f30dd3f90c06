/* assay-painter.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <gtk/gtk.h>

#include "draw/assay-display-list.h"
#include "ui/canvas/assay-palette.h"

G_BEGIN_DECLS

/**
 * AssayPainter:
 *
 * Plays display lists into render nodes. Needs no widget and no display. Keeps one text node per
 * distinct text, font, width and colour, and one cairo node per glyph and colour and per size of a
 * dashed frame.
 */
typedef struct _AssayPainter AssayPainter;

AssayPainter *assay_painter_new (void) G_GNUC_WARN_UNUSED_RESULT;
void assay_painter_free (AssayPainter *self);
void assay_painter_set_palette (AssayPainter *self, const AssayPalette *palette);
void assay_painter_set_family (AssayPainter *self, const char *family);
GskRenderNode *assay_painter_paint (AssayPainter *self, const AssayDisplayList *list,
                                    double origin_x, double origin_y) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayPainter, assay_painter_free)

G_END_DECLS
