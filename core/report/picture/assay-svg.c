/* assay-svg.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pictures as SVG 1.1. Written by hand and not by cairo, which would turn text into outlines: in
 * this one text can be searched and copied, and groups have names.
 */
#include "report/picture/assay-svg.h"

#include <math.h>
#include <string.h>

#include "report/picture/assay-cairo.h"
#include "text/assay-xml-writer.h"

#include "report/picture/assay-cairo-functions.h"

#define ELLIPSIS "…"

typedef struct
{
  const AssaySvgOptions *options;
  AssayXmlWriter xml;
  PangoLayout *layout;
  PangoFontDescription *fonts[ASSAY_N_FONTS];
  GHashTable *shortened; /* font, side and text -> what fits */
  gboolean glyphs[ASSAY_N_GLYPHS];
  gboolean hatches[ASSAY_N_ROLES][ASSAY_N_HATCHES];
  guint n_clips;
} Writer;

static void
write_number (Writer *self, const char *name, double value)
{
  assay_xml_writer_attribute_numbers (&self->xml, name, &value, 1, ' ');
}

static void
write_place (Writer *self, double x, double y, double width, double height)
{
  write_number (self, "x", x);
  write_number (self, "y", y);
  write_number (self, "width", width);
  write_number (self, "height", height);
}

/* Begins a rectangle over the place of an item, @inset smaller on each side. */
static void
begin_rectangle (Writer *self, const AssayDrawItem *item, double inset)
{
  assay_xml_writer_begin (&self->xml, "rect");
  write_place (self, item->x + inset, item->y + inset, MAX (0, item->width - 2 * inset),
               MAX (0, item->height - 2 * inset));
}

static void
write_color (Writer *self, const char *name, guint role)
{
  const AssayColor *color = &self->options->colors->color[role];

  assay_xml_writer_attribute_format (
      &self->xml, name, "#%02x%02x%02x", (guint) lround (color->red * 255),
      (guint) lround (color->green * 255), (guint) lround (color->blue * 255));
  if (color->alpha < 1)
    {
      g_autofree char *opacity = g_strdup_printf ("%s-opacity", name);
      write_number (self, opacity, color->alpha);
    }
}

static void
write_dashes (Writer *self, AssayLineStyle style)
{
  guint n;
  const double *dashes = assay_line_style_dashes (style, &n);

  if (n > 0)
    assay_xml_writer_attribute_numbers (&self->xml, "stroke-dasharray", dashes, n, ' ');
}

static void
write_box (Writer *self, const AssayDrawItem *item)
{
  double weight = item->weight > 0 ? item->weight + (self->options->colors->high_contrast ? 1 : 0)
                                   : 0;

  if (item->flags != 0)
    {
      begin_rectangle (self, item, 0);
      if (item->radius > 0)
        write_number (self, "rx", item->radius);
      write_color (self, "fill", item->role);
      assay_xml_writer_end (&self->xml);
    }
  if (weight <= 0)
    return;

  begin_rectangle (self, item, weight / 2);
  if (item->radius > weight / 2)
    write_number (self, "rx", item->radius - weight / 2);
  assay_xml_writer_attribute (&self->xml, "fill", "none");
  write_color (self, "stroke", item->border_role);
  write_number (self, "stroke-width", weight);
  write_dashes (self, item->style);
  assay_xml_writer_end (&self->xml);
}

static void
write_polyline (Writer *self, const AssayDrawItem *item, const AssayPoint *points)
{
  G_STATIC_ASSERT (sizeof (AssayPoint) == 2 * sizeof (double));

  assay_xml_writer_begin (&self->xml, "polyline");
  assay_xml_writer_attribute_numbers (&self->xml, "points", &points[0].x, 2 * (gsize) item->n, ',');
  assay_xml_writer_attribute (&self->xml, "fill", "none");
  write_color (self, "stroke", item->role);
  write_number (self, "stroke-width", item->weight);
  write_dashes (self, item->style);
  assay_xml_writer_end (&self->xml);
}

static double
measure (Writer *self, AssayFont font, const char *text)
{
  PangoRectangle extents;

  pango_layout_set_font_description (self->layout, self->fonts[font]);
  pango_layout_set_text (self->layout, text, -1);
  pango_layout_get_extents (self->layout, NULL, &extents);

  return extents.width / (double) PANGO_SCALE;
}

static char *
shorten_to (const char *text, glong length, glong keep, gboolean at_start)
{
  g_autofree char *part = at_start ? g_utf8_substring (text, length - keep, length)
                                   : g_utf8_substring (text, 0, keep);

  return at_start ? g_strconcat (ELLIPSIS, part, NULL) : g_strconcat (part, ELLIPSIS, NULL);
}

/* SVG 1.1 shortens nothing, so texts are shortened here; many are the same. */
static const char *
fit_text (Writer *self, const AssayDrawItem *item, const char *text)
{
  gboolean at_start = (item->flags & ASSAY_LABEL_ELLIPSIZE_START) != 0;
  g_autofree char *key = g_strdup_printf ("%u %u %.0f %s", item->style, item->flags,
                                          item->width * 16, text);
  const char *known = g_hash_table_lookup (self->shortened, key);
  g_autofree char *result = NULL;
  glong length, low, high;

  if (known != NULL)
    return known;

  length = g_utf8_strlen (text, -1);
  if ((item->flags & ASSAY_LABEL_WHOLE) != 0 ||
      measure (self, item->style, text) <= item->width + 0.5)
    result = g_strdup (text);
  for (low = 0, high = length; result == NULL && low < high;)
    {
      glong middle = (low + high) / 2;
      g_autofree char *trial = shorten_to (text, length, middle, at_start);

      if (measure (self, item->style, trial) <= item->width)
        low = middle + 1;
      else
        high = middle;
    }
  if (result == NULL)
    result = shorten_to (text, length, MAX (low - 1, 0), at_start);

  known = result;
  g_hash_table_insert (self->shortened, g_steal_pointer (&key), g_steal_pointer (&result));

  return known;
}

static void
write_marked (AssayXmlWriter *xml, const char *text, guint32 mark)
{
  gsize first = mark & 0xffff;
  gsize end = mark >> 16;
  g_autofree char *before = NULL;
  g_autofree char *middle = NULL;

  if (mark == 0 || end > strlen (text))
    {
      assay_xml_writer_text (xml, text);
      return;
    }

  before = g_strndup (text, first);
  middle = g_strndup (text + first, end - first);
  assay_xml_writer_text (xml, before);
  assay_xml_writer_begin (xml, "tspan");
  assay_xml_writer_attribute (xml, "font-weight", "700");
  assay_xml_writer_attribute (xml, "text-decoration", "underline");
  assay_xml_writer_text (xml, middle);
  assay_xml_writer_end (xml);
  assay_xml_writer_text (xml, text + end);
}

static void
write_text (Writer *self, const AssayDrawItem *item, const char *raw)
{
  g_autofree char *valid = g_utf8_make_valid (raw, -1);
  const char *text = fit_text (self, item, valid);
  gboolean right = (item->flags & ASSAY_LABEL_RIGHT) != 0;
  gboolean center = (item->flags & ASSAY_LABEL_CENTER) != 0;
  double height, baseline;
  PangoRectangle extents;

  pango_layout_set_font_description (self->layout, self->fonts[item->style]);
  pango_layout_set_text (self->layout, text, -1);
  pango_layout_get_extents (self->layout, NULL, &extents);
  height = extents.height / (double) PANGO_SCALE;
  baseline = pango_layout_get_baseline (self->layout) / (double) PANGO_SCALE;

  assay_xml_writer_begin (&self->xml, "text");
  write_number (self, "x", item->x + (right ? item->width : center ? item->width / 2 : 0));
  write_number (self, "y", item->y + (item->height - height) / 2 + baseline);
  write_number (self, "font-size", assay_font_get_size (item->style));
  if (assay_font_get_weight (item->style) != 400)
    write_number (self, "font-weight", assay_font_get_weight (item->style));
  if (right || center)
    assay_xml_writer_attribute (&self->xml, "text-anchor", right ? "end" : "middle");
  write_color (self, "fill", item->role);
  write_marked (&self->xml, text, g_str_equal (text, valid) ? item->n : 0);
  assay_xml_writer_end (&self->xml);
}

/* The transform that places a glyph. */
static char *
place_glyph (const AssayDrawItem *item)
{
  char x[G_ASCII_DTOSTR_BUF_SIZE], y[G_ASCII_DTOSTR_BUF_SIZE], scale[G_ASCII_DTOSTR_BUF_SIZE];

  return g_strdup_printf ("translate(%s %s) scale(%s)", assay_xml_format_number (x, item->x),
                          assay_xml_format_number (y, item->y),
                          assay_xml_format_number (scale, item->width / ASSAY_GLYPH_SIZE));
}

static void
write_title (Writer *self, const char *words)
{
  g_autofree char *valid = words != NULL ? g_utf8_make_valid (words, -1) : NULL;

  if (valid != NULL)
    assay_xml_writer_text_element (&self->xml, "title", valid);
}

static void
write_item (Writer *self, const AssayDisplayList *list, const AssayDrawItem *item)
{
  switch ((AssayDrawKind) item->kind)
    {
    case ASSAY_DRAW_RECTANGLE:
      begin_rectangle (self, item, 0);
      write_color (self, "fill", item->role);
      assay_xml_writer_end (&self->xml);
      break;

    case ASSAY_DRAW_BOX:
      write_box (self, item);
      break;

    case ASSAY_DRAW_POLYLINE:
      write_polyline (self, item, &g_array_index (list->points, AssayPoint, item->data));
      break;

    case ASSAY_DRAW_TEXT:
      write_text (self, item, list->text->str + item->data);
      break;

    case ASSAY_DRAW_GLYPH:
      {
        g_autofree char *transform = place_glyph (item);

        self->glyphs[item->style] = TRUE;
        assay_xml_writer_begin (&self->xml, "use");
        assay_xml_writer_attribute_format (&self->xml, "xlink:href", "#glyph-%s",
                                           assay_glyph_get_name (item->style));
        assay_xml_writer_attribute (&self->xml, "transform", transform);
        write_color (self, "color", item->role);
        assay_xml_writer_end (&self->xml);
        break;
      }

    case ASSAY_DRAW_HATCH:
      self->hatches[item->role][item->style] = TRUE;
      begin_rectangle (self, item, 0);
      assay_xml_writer_attribute_format (&self->xml, "fill", "url(#hatch-%u-%u)", item->style,
                                         item->role);
      assay_xml_writer_end (&self->xml);
      break;

    case ASSAY_DRAW_CLIP:
      assay_xml_writer_begin (&self->xml, "clipPath");
      assay_xml_writer_attribute_format (&self->xml, "id", "clip-%u", ++self->n_clips);
      begin_rectangle (self, item, 0);
      assay_xml_writer_end (&self->xml);
      assay_xml_writer_end (&self->xml);
      assay_xml_writer_begin (&self->xml, "g");
      assay_xml_writer_attribute_format (&self->xml, "clip-path", "url(#clip-%u)", self->n_clips);
      break;

    case ASSAY_DRAW_GROUP:
      {
        g_autofree char *words = self->options->describe != NULL
                                     ? self->options->describe (item->data,
                                                                self->options->user_data)
                                     : NULL;

        assay_xml_writer_begin (&self->xml, "g");
        assay_xml_writer_attribute_format (&self->xml, "id", "item-%u", item->data);
        write_title (self, words);
        break;
      }

    case ASSAY_DRAW_END:
      assay_xml_writer_end (&self->xml);
      break;
    }
}

static void
write_stroke (Writer *self, const AssayStroke *stroke)
{
  static const char *const names[] = { "cx", "cy", "r" };

  if (stroke->kind == ASSAY_STROKE_RING)
    {
      assay_xml_writer_begin (&self->xml, "circle");
      for (guint i = 0; i < G_N_ELEMENTS (names); i++)
        write_number (self, names[i], stroke->v[i]);
    }
  else
    {
      assay_xml_writer_begin (&self->xml,
                              stroke->kind == ASSAY_STROKE_LINE ? "polyline" : "polygon");
      assay_xml_writer_attribute_numbers (&self->xml, "points", stroke->v, stroke->n & ~1u, ',');
    }
  if (stroke->kind == ASSAY_STROKE_FILL)
    {
      assay_xml_writer_attribute (&self->xml, "fill", "currentColor");
      assay_xml_writer_attribute (&self->xml, "stroke", "none");
    }
  else
    write_number (self, "stroke-width", stroke->width);
  assay_xml_writer_end (&self->xml);
}

static void
write_glyph (Writer *self, AssayGlyph glyph)
{
  guint n;
  const AssayStroke *strokes = assay_glyph_get_strokes (glyph, &n);

  assay_xml_writer_begin (&self->xml, "g");
  assay_xml_writer_attribute_format (&self->xml, "id", "glyph-%s", assay_glyph_get_name (glyph));
  assay_xml_writer_attribute (&self->xml, "fill", "none");
  assay_xml_writer_attribute (&self->xml, "stroke", "currentColor");
  assay_xml_writer_attribute (&self->xml, "stroke-linecap", "round");
  assay_xml_writer_attribute (&self->xml, "stroke-linejoin", "round");
  for (guint i = 0; i < n; i++)
    write_stroke (self, &strokes[i]);
  assay_xml_writer_end (&self->xml);
}

static void
write_hatch (Writer *self, AssayHatch hatch, guint role)
{
  guint n;
  double weight;
  const AssayHatchLine *lines = assay_hatch_get_lines (hatch, &n, &weight);

  assay_xml_writer_begin (&self->xml, "pattern");
  assay_xml_writer_attribute_format (&self->xml, "id", "hatch-%u-%u", hatch, role);
  assay_xml_writer_attribute (&self->xml, "width", "8");
  assay_xml_writer_attribute (&self->xml, "height", "8");
  assay_xml_writer_attribute (&self->xml, "patternUnits", "userSpaceOnUse");
  write_color (self, "stroke", role);
  write_number (self, "stroke-width", weight);
  for (guint i = 0; i < n; i++)
    {
      assay_xml_writer_begin (&self->xml, "line");
      write_number (self, "x1", lines[i].x1);
      write_number (self, "y1", lines[i].y1);
      write_number (self, "x2", lines[i].x2);
      write_number (self, "y2", lines[i].y2);
      assay_xml_writer_end (&self->xml);
    }
  assay_xml_writer_end (&self->xml);
}

static void
write_head (Writer *self)
{
  const AssaySvgOptions *options = self->options;
  const double box[] = { options->x, options->y, options->width, options->height };

  assay_xml_writer_begin (&self->xml, "svg");
  assay_xml_writer_attribute (&self->xml, "xmlns", "http://www.w3.org/2000/svg");
  assay_xml_writer_attribute (&self->xml, "xmlns:xlink", "http://www.w3.org/1999/xlink");
  assay_xml_writer_attribute (&self->xml, "version", "1.1");
  write_number (self, "width", options->width);
  write_number (self, "height", options->height);
  assay_xml_writer_attribute_numbers (&self->xml, "viewBox", box, G_N_ELEMENTS (box), ' ');
  assay_xml_writer_attribute (&self->xml, "font-family", options->family);
  write_title (self, options->title);
  assay_xml_writer_begin (&self->xml, "rect");
  write_place (self, options->x, options->y, options->width, options->height);
  write_color (self, "fill", ASSAY_ROLE_VIEW_BG);
  assay_xml_writer_end (&self->xml);
}

static void
write_definitions (Writer *self)
{
  assay_xml_writer_begin (&self->xml, "defs");
  for (guint i = 0; i < ASSAY_N_GLYPHS; i++)
    if (self->glyphs[i])
      write_glyph (self, i);
  for (guint role = 0; role < ASSAY_N_ROLES; role++)
    for (guint i = 0; i < ASSAY_N_HATCHES; i++)
      if (self->hatches[role][i])
        write_hatch (self, i, role);
  assay_xml_writer_end (&self->xml);
  assay_xml_writer_end (&self->xml);
}

/**
 * assay_svg_from_list:
 * @list: a picture
 * @options: how to write it
 * @length: (out) (optional): bytes of the document
 *
 * Writes a picture as one SVG document: text stays text, glyphs are defined once, groups have the
 * id `item-N` and the words of @options as title.
 *
 * Returns: (transfer full): the document
 */
char *
assay_svg_from_list (const AssayDisplayList *list, const AssaySvgOptions *options, gsize *length)
{
  PangoContext *context = pango_font_map_create_context (pango_cairo_font_map_get_default ());
  Writer self = { .options = options, .layout = pango_layout_new (context) };

  assay_xml_writer_init (&self.xml, 0);
  pango_context_set_round_glyph_positions (context, FALSE);
  pango_layout_set_single_paragraph_mode (self.layout, TRUE);
  self.shortened = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (guint i = 0; i < ASSAY_N_FONTS; i++)
    self.fonts[i] = assay_cairo_font (i, options->family);

  write_head (&self);
  for (guint i = 0; i < list->items->len; i++)
    write_item (&self, list, &g_array_index (list->items, AssayDrawItem, i));
  write_definitions (&self);

  for (guint i = 0; i < ASSAY_N_FONTS; i++)
    pango_font_description_free (self.fonts[i]);
  g_hash_table_unref (self.shortened);
  g_object_unref (self.layout);
  g_object_unref (context);

  return assay_xml_writer_finish (&self.xml, length);
}
