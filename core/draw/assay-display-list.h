/* assay-display-list.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "draw/assay-colors.h"
#include "draw/assay-glyph.h"

G_BEGIN_DECLS

/**
 * AssayDrawKind:
 * @ASSAY_DRAW_RECTANGLE: a filled rectangle
 * @ASSAY_DRAW_BOX: a rectangle with frame and maybe round corners
 * @ASSAY_DRAW_POLYLINE: a line through points
 * @ASSAY_DRAW_TEXT: one line of text, vertically centred in its rectangle
 * @ASSAY_DRAW_GLYPH: a glyph filling its rectangle
 * @ASSAY_DRAW_HATCH: a rectangle filled with a pattern
 * @ASSAY_DRAW_CLIP: draw only inside the rectangle, until the matching end
 * @ASSAY_DRAW_GROUP: what follows belongs to @id, until the matching end; an element with an id in
 * SVG
 * @ASSAY_DRAW_END: ends a clip or a group
 */
typedef enum
{
  ASSAY_DRAW_RECTANGLE,
  ASSAY_DRAW_BOX,
  ASSAY_DRAW_POLYLINE,
  ASSAY_DRAW_TEXT,
  ASSAY_DRAW_GLYPH,
  ASSAY_DRAW_HATCH,
  ASSAY_DRAW_CLIP,
  ASSAY_DRAW_GROUP,
  ASSAY_DRAW_END,
} AssayDrawKind;

/**
 * AssayLineStyle:
 *
 * How a line or frame is drawn: solid, dashes of 8 and gaps of 4, dashes of 4 and gaps of 3, dots
 * of 1.5 and gaps of 3 units.
 */
typedef enum
{
  ASSAY_LINE_SOLID,
  ASSAY_LINE_DASHED,
  ASSAY_LINE_SHORT_DASHED,
  ASSAY_LINE_DOTTED,
  ASSAY_N_LINE_STYLES
} AssayLineStyle;

/**
 * AssayFont:
 *
 * The fonts of pictures: title 10 pt semibold, the same bold, small 8.5 pt, the same bold, tiny,
 * which has the size of small where pictures are drawn at 150 %; large, 12 pt semibold, and the
 * same bold are for titles in small ones.
 */
typedef enum
{
  ASSAY_FONT_TITLE,
  ASSAY_FONT_TITLE_BOLD,
  ASSAY_FONT_SMALL,
  ASSAY_FONT_SMALL_BOLD,
  ASSAY_FONT_TINY,
  ASSAY_FONT_LARGE,
  ASSAY_FONT_LARGE_BOLD,
  ASSAY_N_FONTS
} AssayFont;

/**
 * AssayLabelFlags:
 * @ASSAY_LABEL_ELLIPSIZE_START: shorten at the start, where the end tells; otherwise at the end
 * @ASSAY_LABEL_RIGHT: align at the right
 * @ASSAY_LABEL_CENTER: align in the middle
 * @ASSAY_LABEL_WHOLE: never shorten, even if a wide font makes it longer than its place
 */
typedef enum
{
  ASSAY_LABEL_PLAIN = 0,
  ASSAY_LABEL_ELLIPSIZE_START = 1 << 0,
  ASSAY_LABEL_RIGHT = 1 << 1,
  ASSAY_LABEL_CENTER = 1 << 2,
  ASSAY_LABEL_WHOLE = 1 << 3,
} AssayLabelFlags;

/**
 * AssayHatch:
 *
 * Patterns, tiles of 8 units.
 */
typedef enum
{
  ASSAY_HATCH_DIAGONAL,
  ASSAY_HATCH_BACK_DIAGONAL,
  ASSAY_HATCH_VERTICAL,
  ASSAY_HATCH_CROSS,
  ASSAY_HATCH_DOTS,
  ASSAY_N_HATCHES
} AssayHatch;

/* Side of the tile of a pattern. */
#define ASSAY_HATCH_SIZE 8.0

/**
 * AssayHatchLine:
 *
 * One line of the tile of a pattern.
 */
typedef struct
{
  double x1;
  double y1;
  double x2;
  double y2;
} AssayHatchLine;

/**
 * AssayDrawItem:
 * @kind: an #AssayDrawKind
 * @role: an #AssayRole: fill, line, text
 * @border_role: role of the frame of a box
 * @style: an #AssayLineStyle, #AssayGlyph, #AssayFont or #AssayHatch
 * @flags: #AssayLabelFlags; of a box 1 for a filled one
 * @weight: width of lines and frames
 * @radius: radius of corners
 * @x: left
 * @y: top
 * @width: width
 * @height: height
 * @data: first point, or offset of the text, or id of a group
 * @n: number of points; of a text the first byte of its marked part, and in the upper half one past
 * its last one
 *
 * One item of a display list. Coordinates are doubles in units; a player subtracts the origin of
 * its viewport before anything becomes a float.
 */
typedef struct
{
  guint8 kind;
  guint8 role;
  guint8 border_role;
  guint8 style;
  guint8 flags;
  float weight;
  float radius;
  double x;
  double y;
  double width;
  double height;
  guint32 data;
  guint32 n;
} AssayDrawItem;

/**
 * AssayPoint:
 *
 * A point of a line.
 */
typedef struct
{
  double x;
  double y;
} AssayPoint;

/**
 * AssayDisplayList:
 * @items: (element-type AssayDrawItem): the items, bottom first
 * @points: (element-type AssayPoint): the points of all lines
 * @text: all texts, each with its zero
 *
 * A picture as data: played on the screen by ui, into files by core/report.
 */
typedef struct
{
  GArray *items;
  GArray *points;
  GString *text;
} AssayDisplayList;

AssayDisplayList *assay_display_list_new (void) G_GNUC_WARN_UNUSED_RESULT;
void assay_display_list_free (AssayDisplayList *self);
void assay_display_list_clear (AssayDisplayList *self);
void assay_display_list_rectangle (AssayDisplayList *self, AssayRole role, double x, double y,
                                   double width, double height);
void assay_display_list_box (AssayDisplayList *self, int fill_role, AssayRole border_role,
                             AssayLineStyle style, double weight, double radius, double x, double y,
                             double width, double height);
void assay_display_list_line (AssayDisplayList *self, AssayRole role, AssayLineStyle style,
                              double weight, double x1, double y1, double x2, double y2);
void assay_display_list_polyline (AssayDisplayList *self, AssayRole role, AssayLineStyle style,
                                  double weight, guint n_points, const AssayPoint *points);
void assay_display_list_text (AssayDisplayList *self, AssayRole role, AssayFont font,
                              AssayLabelFlags flags, double x, double y, double width,
                              double height, const char *text);
void assay_display_list_mark (AssayDisplayList *self, guint first, guint end);
void assay_display_list_glyph (AssayDisplayList *self, AssayRole role, AssayGlyph glyph, double x,
                               double y, double size);
void assay_display_list_hatch (AssayDisplayList *self, AssayRole role, AssayHatch hatch, double x,
                               double y, double width, double height);
void assay_display_list_clip (AssayDisplayList *self, double x, double y, double width,
                              double height);
void assay_display_list_group (AssayDisplayList *self, guint32 id);
void assay_display_list_end (AssayDisplayList *self);
const double *assay_line_style_dashes (AssayLineStyle style, guint *n);
const AssayHatchLine *assay_hatch_get_lines (AssayHatch hatch, guint *n, double *weight);
double assay_font_get_size (AssayFont font);
int assay_font_get_weight (AssayFont font);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayDisplayList, assay_display_list_free)

G_END_DECLS
