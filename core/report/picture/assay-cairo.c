/* assay-cairo.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pictures in cairo: what the window makes its nodes of, and whole display lists for files.
 */
#include "report/picture/assay-cairo.h"

#include "report/picture/assay-cairo-functions.h"

/**
 * assay_cairo_set_dashes:
 * @cr: where to draw
 * @style: a style of lines
 *
 * Draws lines in a style from now on.
 */
void
assay_cairo_set_dashes (cairo_t *cr, AssayLineStyle style)
{
  guint n;
  const double *dashes = assay_line_style_dashes (style, &n);

  cairo_set_dash (cr, dashes, (int) n, 0);
}

/**
 * assay_cairo_rounded:
 * @cr: where to draw
 * @x: left
 * @y: top
 * @width: width
 * @height: height
 * @radius: of the corners, 0 for square ones
 *
 * Adds a rectangle to the path.
 */
void
assay_cairo_rounded (cairo_t *cr, double x, double y, double width, double height, double radius)
{
  if (radius <= 0)
    {
      cairo_rectangle (cr, x, y, width, height);
      return;
    }

  cairo_new_sub_path (cr);
  cairo_arc (cr, x + width - radius, y + radius, radius, -G_PI_2, 0);
  cairo_arc (cr, x + width - radius, y + height - radius, radius, 0, G_PI_2);
  cairo_arc (cr, x + radius, y + height - radius, radius, G_PI_2, G_PI);
  cairo_arc (cr, x + radius, y + radius, radius, G_PI, 1.5 * G_PI);
  cairo_close_path (cr);
}

/**
 * assay_cairo_glyph:
 * @cr: where to draw
 * @glyph: a glyph
 *
 * Draws a glyph on its grid of 16 x 16, in the colour that is set.
 */
void
assay_cairo_glyph (cairo_t *cr, AssayGlyph glyph)
{
  guint n;
  const AssayStroke *strokes = assay_glyph_get_strokes (glyph, &n);

  cairo_set_line_cap (cr, CAIRO_LINE_CAP_ROUND);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);

  for (guint i = 0; i < n; i++)
    {
      const AssayStroke *stroke = &strokes[i];

      cairo_set_line_width (cr, stroke->width);
      cairo_new_path (cr);
      if (stroke->kind == ASSAY_STROKE_RING)
        {
          cairo_arc (cr, stroke->v[0], stroke->v[1], stroke->v[2], 0, 2 * G_PI);
          cairo_close_path (cr);
        }
      else
        {
          for (guint k = 0; k + 1 < stroke->n; k += 2)
            cairo_line_to (cr, stroke->v[k], stroke->v[k + 1]);
          if (stroke->kind != ASSAY_STROKE_LINE)
            cairo_close_path (cr);
        }

      if (stroke->kind == ASSAY_STROKE_FILL)
        cairo_fill (cr);
      else
        cairo_stroke (cr);
    }
}

/**
 * assay_cairo_hatch:
 * @cr: where to draw
 * @hatch: a pattern
 *
 * Draws one tile of a pattern at the origin, in the colour that is set.
 */
void
assay_cairo_hatch (cairo_t *cr, AssayHatch hatch)
{
  guint n;
  double weight;
  const AssayHatchLine *lines = assay_hatch_get_lines (hatch, &n, &weight);

  cairo_set_line_width (cr, weight);
  for (guint i = 0; i < n; i++)
    {
      cairo_move_to (cr, lines[i].x1, lines[i].y1);
      cairo_line_to (cr, lines[i].x2, lines[i].y2);
    }
  cairo_stroke (cr);
}

/**
 * assay_cairo_font:
 * @font: one of the fonts of pictures
 * @family: its family
 *
 * Describes a font in units: one pixel at 96 dpi.
 *
 * Returns: (transfer full): the description
 */
PangoFontDescription *
assay_cairo_font (AssayFont font, const char *family)
{
  PangoFontDescription *description = pango_font_description_new ();

  pango_font_description_set_family (description, family);
  pango_font_description_set_weight (description, (PangoWeight) assay_font_get_weight (font));
  pango_font_description_set_absolute_size (description, assay_font_get_size (font) * PANGO_SCALE);

  return description;
}

/**
 * assay_cairo_mark:
 * @mark: first byte and in the upper half one past the last byte of what is marked, 0 for nothing
 *
 * Makes the attributes of the marked part of a text.
 *
 * Returns: (transfer full) (nullable): bold and underline for that part
 */
PangoAttrList *
assay_cairo_mark (guint32 mark)
{
  PangoAttribute *both[2];
  PangoAttrList *attributes;

  if (mark == 0)
    return NULL;

  both[0] = pango_attr_weight_new (PANGO_WEIGHT_BOLD);
  both[1] = pango_attr_underline_new (PANGO_UNDERLINE_SINGLE);
  attributes = pango_attr_list_new ();
  for (guint i = 0; i < G_N_ELEMENTS (both); i++)
    {
      both[i]->start_index = mark & 0xffff;
      both[i]->end_index = mark >> 16;
      pango_attr_list_insert (attributes, both[i]);
    }

  return attributes;
}

typedef struct
{
  cairo_t *cr;
  const AssayColors *colors;
  PangoLayout *layout;
  PangoFontDescription *fonts[ASSAY_N_FONTS];
} Player;

static void
set_role (Player *self, guint role)
{
  const AssayColor *color = &self->colors->color[role];

  cairo_set_source_rgba (self->cr, color->red, color->green, color->blue, color->alpha);
}

static void
play_box (Player *self, const AssayDrawItem *item)
{
  double weight = item->weight > 0 ? item->weight + (self->colors->high_contrast ? 1 : 0) : 0;

  if (item->flags != 0)
    {
      set_role (self, item->role);
      assay_cairo_rounded (self->cr, item->x, item->y, item->width, item->height, item->radius);
      cairo_fill (self->cr);
    }
  if (weight <= 0)
    return;

  set_role (self, item->border_role);
  cairo_set_line_width (self->cr, weight);
  assay_cairo_set_dashes (self->cr, item->style);
  assay_cairo_rounded (self->cr, item->x + weight / 2, item->y + weight / 2, item->width - weight,
                       item->height - weight, MAX (0, item->radius - weight / 2));
  cairo_stroke (self->cr);
  cairo_set_dash (self->cr, NULL, 0, 0);
}

static void
play_polyline (Player *self, const AssayDrawItem *item, const AssayPoint *points)
{
  set_role (self, item->role);
  cairo_set_line_width (self->cr, item->weight);
  cairo_set_line_cap (self->cr, item->style == ASSAY_LINE_SOLID ? CAIRO_LINE_CAP_SQUARE
                                                                : CAIRO_LINE_CAP_BUTT);
  cairo_set_line_join (self->cr, CAIRO_LINE_JOIN_ROUND);
  assay_cairo_set_dashes (self->cr, item->style);
  /* Text leaves a point behind that the line must not begin at. */
  cairo_new_path (self->cr);
  for (guint i = 0; i < item->n; i++)
    cairo_line_to (self->cr, points[i].x, points[i].y);
  cairo_stroke (self->cr);
  cairo_set_dash (self->cr, NULL, 0, 0);
}

static void
play_text (Player *self, const AssayDrawItem *item, const char *text)
{
  PangoAttrList *attributes = assay_cairo_mark (item->n);
  PangoRectangle extents;
  double x = item->x;
  double width, height;

  pango_layout_set_font_description (self->layout, self->fonts[item->style]);
  pango_layout_set_ellipsize (self->layout, (item->flags & ASSAY_LABEL_ELLIPSIZE_START) != 0
                                                ? PANGO_ELLIPSIZE_START
                                                : PANGO_ELLIPSIZE_END);
  pango_layout_set_width (self->layout, (item->flags & ASSAY_LABEL_WHOLE) != 0
                                            ? -1
                                            : (int) (item->width * PANGO_SCALE));
  pango_layout_set_text (self->layout, text, -1);
  pango_layout_set_attributes (self->layout, attributes);
  if (attributes != NULL)
    pango_attr_list_unref (attributes);
  pango_layout_get_extents (self->layout, NULL, &extents);
  width = extents.width / (double) PANGO_SCALE;
  height = extents.height / (double) PANGO_SCALE;

  if ((item->flags & ASSAY_LABEL_RIGHT) != 0)
    x += item->width - width;
  else if ((item->flags & ASSAY_LABEL_CENTER) != 0)
    x += (item->width - width) / 2;
  set_role (self, item->role);
  cairo_move_to (self->cr, x, item->y + (item->height - height) / 2);
  pango_cairo_show_layout (self->cr, self->layout);
}

static void
play_hatch (Player *self, const AssayDrawItem *item)
{
  cairo_save (self->cr);
  cairo_rectangle (self->cr, item->x, item->y, item->width, item->height);
  cairo_clip (self->cr);
  set_role (self, item->role);
  for (double y = item->y; y < item->y + item->height; y += ASSAY_HATCH_SIZE)
    for (double x = item->x; x < item->x + item->width; x += ASSAY_HATCH_SIZE)
      {
        cairo_save (self->cr);
        cairo_translate (self->cr, x, y);
        assay_cairo_hatch (self->cr, item->style);
        cairo_restore (self->cr);
      }
  cairo_restore (self->cr);
}

static void
play_item (Player *self, const AssayDisplayList *list, const AssayDrawItem *item)
{
  switch ((AssayDrawKind) item->kind)
    {
    case ASSAY_DRAW_RECTANGLE:
      set_role (self, item->role);
      cairo_rectangle (self->cr, item->x, item->y, item->width, item->height);
      cairo_fill (self->cr);
      break;

    case ASSAY_DRAW_BOX:
      play_box (self, item);
      break;

    case ASSAY_DRAW_POLYLINE:
      play_polyline (self, item, &g_array_index (list->points, AssayPoint, item->data));
      break;

    case ASSAY_DRAW_TEXT:
      play_text (self, item, list->text->str + item->data);
      break;

    case ASSAY_DRAW_GLYPH:
      cairo_save (self->cr);
      cairo_translate (self->cr, item->x, item->y);
      cairo_scale (self->cr, item->width / ASSAY_GLYPH_SIZE, item->height / ASSAY_GLYPH_SIZE);
      set_role (self, item->role);
      assay_cairo_glyph (self->cr, item->style);
      cairo_restore (self->cr);
      break;

    case ASSAY_DRAW_HATCH:
      play_hatch (self, item);
      break;

    case ASSAY_DRAW_CLIP:
      cairo_save (self->cr);
      cairo_rectangle (self->cr, item->x, item->y, item->width, item->height);
      cairo_clip (self->cr);
      break;

    case ASSAY_DRAW_GROUP:
      cairo_save (self->cr);
      break;

    case ASSAY_DRAW_END:
      cairo_restore (self->cr);
      break;
    }
}

/**
 * assay_cairo_play:
 * @cr: where to draw, one unit of it being a unit of the picture
 * @list: a picture
 * @colors: its colours
 * @family: family of its fonts
 *
 * Draws a picture.
 */
void
assay_cairo_play (cairo_t *cr, const AssayDisplayList *list, const AssayColors *colors,
                  const char *family)
{
  Player self = { .cr = cr, .colors = colors, .layout = pango_cairo_create_layout (cr) };

  pango_context_set_round_glyph_positions (pango_layout_get_context (self.layout), FALSE);
  pango_layout_set_single_paragraph_mode (self.layout, TRUE);
  for (guint i = 0; i < ASSAY_N_FONTS; i++)
    self.fonts[i] = assay_cairo_font (i, family);

  cairo_save (cr);
  for (guint i = 0; i < list->items->len; i++)
    play_item (&self, list, &g_array_index (list->items, AssayDrawItem, i));
  cairo_restore (cr);

  for (guint i = 0; i < ASSAY_N_FONTS; i++)
    pango_font_description_free (self.fonts[i]);
  g_object_unref (self.layout);
}
