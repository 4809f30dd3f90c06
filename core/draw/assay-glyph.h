/* assay-glyph.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

#include "draw/assay-colors.h"
#include "target/assay-verdict.h"

G_BEGIN_DECLS

/**
 * AssayGlyph:
 *
 * Small pictures that stand for something, the same on screen, on paper and in reports; the rows
 * are in `glyphs.def`.
 */
typedef enum
{
#define GLYPH(id, name) ASSAY_GLYPH_##id,
#define LINE(...)
#define LOOP(...)
#define FILL(...)
#define RING(...)
#include "draw/glyphs.def"
#undef GLYPH
#undef LINE
#undef LOOP
#undef FILL
#undef RING
  ASSAY_N_GLYPHS
} AssayGlyph;

/* Side of the grid that glyphs are drawn on. */
#define ASSAY_GLYPH_SIZE 16.0

/**
 * AssayStrokeKind:
 * @ASSAY_STROKE_LINE: an open line through the points
 * @ASSAY_STROKE_LOOP: a closed line through the points
 * @ASSAY_STROKE_FILL: a filled polygon
 * @ASSAY_STROKE_RING: a circle: centre x, centre y, radius
 */
typedef enum
{
  ASSAY_STROKE_LINE,
  ASSAY_STROKE_LOOP,
  ASSAY_STROKE_FILL,
  ASSAY_STROKE_RING,
} AssayStrokeKind;

/**
 * AssayStroke:
 * @kind: how the numbers are drawn
 * @width: width of the line
 * @n: how many numbers there are
 * @v: the numbers
 *
 * One stroke of a glyph.
 */
typedef struct
{
  AssayStrokeKind kind;
  double width;
  guint n;
  const double *v;
} AssayStroke;

const AssayStroke *assay_glyph_get_strokes (AssayGlyph glyph, guint *n);
const char *assay_glyph_get_name (AssayGlyph glyph);

/**
 * AssayVerdictLook:
 * @glyph: its glyph
 * @glyph_role: colour of the glyph
 * @tab_role: colour of the tab behind the glyph, %ASSAY_ROLE_VIEW_BG for none
 * @border_role: colour of the frame
 * @style: an #AssayLineStyle for the frame
 * @weight: weight of the frame in units
 *
 * How a verdict is drawn. Each one differs in glyph, frame style or frame weight, so that it works
 * in grey.
 */
typedef struct
{
  AssayGlyph glyph;
  AssayRole glyph_role;
  AssayRole tab_role;
  AssayRole border_role;
  guint8 style;
  float weight;
} AssayVerdictLook;

const AssayVerdictLook *assay_verdict_get_look (AssayVerdictKind verdict);

G_END_DECLS
