/* assay-cairo.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <pango/pangocairo.h>

#include "draw/assay-display-list.h"

G_BEGIN_DECLS

void assay_cairo_set_dashes (cairo_t *cr, AssayLineStyle style);
void assay_cairo_rounded (cairo_t *cr, double x, double y, double width, double height,
                          double radius);
void assay_cairo_glyph (cairo_t *cr, AssayGlyph glyph);
void assay_cairo_hatch (cairo_t *cr, AssayHatch hatch);
PangoFontDescription *assay_cairo_font (AssayFont font,
                                        const char *family) G_GNUC_WARN_UNUSED_RESULT;
PangoAttrList *assay_cairo_mark (guint32 mark) G_GNUC_WARN_UNUSED_RESULT;
void assay_cairo_play (cairo_t *cr, const AssayDisplayList *list, const AssayColors *colors,
                       const char *family);

G_END_DECLS
