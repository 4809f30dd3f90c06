/* assay-display-list.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "draw/assay-display-list.h"

#include <string.h>

/**
 * assay_display_list_new:
 *
 * Makes an empty picture.
 *
 * Returns: (transfer full): the picture
 */
AssayDisplayList *
assay_display_list_new (void)
{
  AssayDisplayList *self = g_new0 (AssayDisplayList, 1);

  self->items = g_array_new (FALSE, FALSE, sizeof (AssayDrawItem));
  self->points = g_array_new (FALSE, FALSE, sizeof (AssayPoint));
  self->text = g_string_new (NULL);

  return self;
}

void
assay_display_list_free (AssayDisplayList *self)
{
  if (self == NULL)
    return;

  g_array_unref (self->items);
  g_array_unref (self->points);
  g_string_free (self->text, TRUE);
  g_free (self);
}

/**
 * assay_display_list_clear:
 * @self: a picture
 *
 * Removes everything but keeps the memory, for the next picture.
 */
void
assay_display_list_clear (AssayDisplayList *self)
{
  g_array_set_size (self->items, 0);
  g_array_set_size (self->points, 0);
  g_string_truncate (self->text, 0);
}

static AssayDrawItem *
add_item (AssayDisplayList *self, AssayDrawKind kind, guint role, double x, double y, double width,
          double height)
{
  AssayDrawItem *item;

  g_array_set_size (self->items, self->items->len + 1);
  item = &g_array_index (self->items, AssayDrawItem, self->items->len - 1);
  memset (item, 0, sizeof *item);
  item->kind = (guint8) kind;
  item->role = (guint8) role;
  item->x = x;
  item->y = y;
  item->width = width;
  item->height = height;

  return item;
}

/**
 * assay_display_list_rectangle:
 * @self: a picture
 * @role: colour
 * @x: left
 * @y: top
 * @width: width
 * @height: height
 *
 * Adds a filled rectangle.
 */
void
assay_display_list_rectangle (AssayDisplayList *self, AssayRole role, double x, double y,
                              double width, double height)
{
  add_item (self, ASSAY_DRAW_RECTANGLE, role, x, y, width, height);
}

/**
 * assay_display_list_box:
 * @self: a picture
 * @fill_role: colour inside, or -1 for none
 * @border_role: colour of the frame
 * @style: style of the frame
 * @weight: weight of the frame, which lies inside the rectangle; 0 for none
 * @radius: radius of the corners
 * @x: left
 * @y: top
 * @width: width
 * @height: height
 *
 * Adds a rectangle with a frame.
 */
void
assay_display_list_box (AssayDisplayList *self, int fill_role, AssayRole border_role,
                        AssayLineStyle style, double weight, double radius, double x, double y,
                        double width, double height)
{
  AssayDrawItem *item = add_item (self, ASSAY_DRAW_BOX, fill_role < 0 ? 0 : (guint) fill_role, x, y,
                                  width, height);

  item->flags = fill_role >= 0;
  item->border_role = (guint8) border_role;
  item->style = (guint8) style;
  item->weight = (float) weight;
  item->radius = (float) radius;
}

/**
 * assay_display_list_line:
 * @self: a picture
 * @role: colour
 * @style: style
 * @weight: weight
 * @x1: x of the start
 * @y1: y of the start
 * @x2: x of the end
 * @y2: y of the end
 *
 * Adds a straight line.
 */
void
assay_display_list_line (AssayDisplayList *self, AssayRole role, AssayLineStyle style,
                         double weight, double x1, double y1, double x2, double y2)
{
  const AssayPoint points[] = { { x1, y1 }, { x2, y2 } };

  assay_display_list_polyline (self, role, style, weight, 2, points);
}

/**
 * assay_display_list_polyline:
 * @self: a picture
 * @role: colour
 * @style: style
 * @weight: weight
 * @n_points: number of points, at least 2
 * @points: (array length=n_points): the points
 *
 * Adds a line through points; where it runs along an axis it is drawn fast.
 */
void
assay_display_list_polyline (AssayDisplayList *self, AssayRole role, AssayLineStyle style,
                             double weight, guint n_points, const AssayPoint *points)
{
  double x1, y1, x2, y2;
  AssayDrawItem *item;

  g_return_if_fail (n_points >= 2);

  x1 = x2 = points[0].x;
  y1 = y2 = points[0].y;
  for (guint i = 1; i < n_points; i++)
    {
      x1 = MIN (x1, points[i].x);
      x2 = MAX (x2, points[i].x);
      y1 = MIN (y1, points[i].y);
      y2 = MAX (y2, points[i].y);
    }

  item = add_item (self, ASSAY_DRAW_POLYLINE, role, x1, y1, x2 - x1, y2 - y1);
  item->style = (guint8) style;
  item->weight = (float) weight;
  item->data = self->points->len;
  item->n = n_points;
  g_array_append_vals (self->points, points, n_points);
}

/**
 * assay_display_list_text:
 * @self: a picture
 * @role: colour
 * @font: font
 * @flags: where it is shortened and aligned
 * @x: left
 * @y: top
 * @width: width that it is shortened to
 * @height: height that it is centred in
 * @text: the text, one line
 *
 * Adds a line of text.
 */
void
assay_display_list_text (AssayDisplayList *self, AssayRole role, AssayFont font,
                         AssayLabelFlags flags, double x, double y, double width, double height,
                         const char *text)
{
  AssayDrawItem *item;

  if (text == NULL || text[0] == '\0')
    return;

  item = add_item (self, ASSAY_DRAW_TEXT, role, x, y, width, height);
  item->style = (guint8) font;
  item->flags = (guint8) flags;
  item->data = (guint32) self->text->len;
  g_string_append_len (self->text, text, (gssize) strlen (text) + 1);
}

/**
 * assay_display_list_mark:
 * @self: a picture whose last item is a text
 * @first: first byte of a part of it
 * @end: one past the last byte
 *
 * Marks a part of the last text: it is bold and underlined.
 */
void
assay_display_list_mark (AssayDisplayList *self, guint first, guint end)
{
  AssayDrawItem *item;

  g_return_if_fail (self->items->len > 0 && first < end && end < 0x8000);

  item = &g_array_index (self->items, AssayDrawItem, self->items->len - 1);
  g_return_if_fail (item->kind == ASSAY_DRAW_TEXT);
  item->n = (guint32) (first | end << 16);
}

/**
 * assay_display_list_glyph:
 * @self: a picture
 * @role: colour
 * @glyph: which one
 * @x: left
 * @y: top
 * @size: width and height
 *
 * Adds a glyph.
 */
void
assay_display_list_glyph (AssayDisplayList *self, AssayRole role, AssayGlyph glyph, double x,
                          double y, double size)
{
  add_item (self, ASSAY_DRAW_GLYPH, role, x, y, size, size)->style = (guint8) glyph;
}

/**
 * assay_display_list_hatch:
 * @self: a picture
 * @role: colour of the pattern
 * @hatch: which one
 * @x: left
 * @y: top
 * @width: width
 * @height: height
 *
 * Adds a rectangle filled with a pattern.
 */
void
assay_display_list_hatch (AssayDisplayList *self, AssayRole role, AssayHatch hatch, double x,
                          double y, double width, double height)
{
  add_item (self, ASSAY_DRAW_HATCH, role, x, y, width, height)->style = (guint8) hatch;
}

/**
 * assay_display_list_clip:
 * @self: a picture
 * @x: left
 * @y: top
 * @width: width
 * @height: height
 *
 * Draws what follows only inside a rectangle, until assay_display_list_end().
 */
void
assay_display_list_clip (AssayDisplayList *self, double x, double y, double width, double height)
{
  add_item (self, ASSAY_DRAW_CLIP, 0, x, y, width, height);
}

/**
 * assay_display_list_group:
 * @self: a picture
 * @id: what the group stands for, such as a node id
 *
 * Says what the following items belong to, until assay_display_list_end().
 */
void
assay_display_list_group (AssayDisplayList *self, guint32 id)
{
  add_item (self, ASSAY_DRAW_GROUP, 0, 0, 0, 0, 0)->data = id;
}

/**
 * assay_display_list_end:
 * @self: a picture
 *
 * Ends the last open clip or group.
 */
void
assay_display_list_end (AssayDisplayList *self)
{
  add_item (self, ASSAY_DRAW_END, 0, 0, 0, 0, 0);
}

/**
 * assay_line_style_dashes:
 * @style: a style
 * @n: (out): how many lengths
 *
 * Gets dash and gap of a style in units.
 *
 * Returns: (transfer none) (array length=n) (nullable): lengths, %NULL for solid lines
 */
const double *
assay_line_style_dashes (AssayLineStyle style, guint *n)
{
  static const double dashes[ASSAY_N_LINE_STYLES][2] = { { 0, 0 }, { 8, 4 }, { 4, 3 }, { 1.5, 3 } };

  *n = style == ASSAY_LINE_SOLID ? 0 : 2;

  return style == ASSAY_LINE_SOLID ? NULL : dashes[style];
}

/**
 * assay_hatch_get_lines:
 * @hatch: a pattern
 * @n: (out): how many lines
 * @weight: (out): their weight
 *
 * Gets what a tile of a pattern is made of: lines, some of them twice so that they go on in the
 * next tile; a dot is a short line.
 *
 * Returns: (transfer none) (array length=n): the lines
 */
const AssayHatchLine *
assay_hatch_get_lines (AssayHatch hatch, guint *n, double *weight)
{
  static const struct
  {
    guint n;
    AssayHatchLine lines[3];
  } tiles[ASSAY_N_HATCHES] = {
    [ASSAY_HATCH_DIAGONAL] = { 3, { { -1, 9, 9, -1 }, { -1, 1, 1, -1 }, { 7, 9, 9, 7 } } },
    [ASSAY_HATCH_BACK_DIAGONAL] = { 3, { { -1, -1, 9, 9 }, { -1, 7, 1, 9 }, { 7, -1, 9, 1 } } },
    [ASSAY_HATCH_VERTICAL] = { 1, { { 3.5, 0, 3.5, 8 } } },
    [ASSAY_HATCH_CROSS] = { 2, { { 3.5, 0, 3.5, 8 }, { 0, 3.5, 8, 3.5 } } },
    [ASSAY_HATCH_DOTS] = { 1, { { 3, 4, 5, 4 } } },
  };

  *n = tiles[hatch].n;
  *weight = hatch == ASSAY_HATCH_DOTS ? 2 : 1;

  return tiles[hatch].lines;
}

/* Sizes in units of the canvas: 10 pt and 8.5 pt at 96 dpi; weights as OpenType counts them. */
static const struct
{
  double size;
  int weight;
} fonts[ASSAY_N_FONTS] = {
  [ASSAY_FONT_TITLE] = { 13.333, 600 },  [ASSAY_FONT_TITLE_BOLD] = { 13.333, 700 },
  [ASSAY_FONT_SMALL] = { 11.333, 400 },  [ASSAY_FONT_SMALL_BOLD] = { 11.333, 700 },
  [ASSAY_FONT_TINY] = { 7.556, 400 },    [ASSAY_FONT_LARGE] = { 16, 600 },
  [ASSAY_FONT_LARGE_BOLD] = { 16, 700 },
};

/**
 * assay_font_get_size:
 * @font: a font of pictures
 *
 * Gets the size of a font.
 *
 * Returns: the size in units
 */
double
assay_font_get_size (AssayFont font)
{
  return fonts[font].size;
}

/**
 * assay_font_get_weight:
 * @font: a font of pictures
 *
 * Gets how bold a font is.
 *
 * Returns: the weight, 400 for normal text
 */
int
assay_font_get_weight (AssayFont font)
{
  return fonts[font].weight;
}
