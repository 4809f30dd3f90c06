/* assay-svg.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pictures as SVG 1.1. Written by hand and not by cairo, which would turn text into outlines: in
 * this one text can be searched and copied, and groups have names.
 */
#include "report/assay-svg.h"

#include <math.h>
#include <string.h>

#include "report/assay-cairo.h"
#include "text/assay-xml-writer.h"

#include "report/assay-cairo-functions.h"

#define ELLIPSIS "…"

typedef struct
{
  const AssaySvgOptions *options;
  GString *text;
  PangoLayout *layout;
  PangoFontDescription *fonts[ASSAY_N_FONTS];
  GHashTable *shortened; /* font, side and text -> what fits */
  gboolean glyphs[ASSAY_N_GLYPHS];
  gboolean hatches[ASSAY_N_ROLES][ASSAY_N_HATCHES];
  guint n_clips;
} Writer;

/* Numbers without locale and without digits that nobody sees. */
static void
append_number (GString *text, const char *before, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  value = round (value * 100) / 100;
  g_ascii_formatd (buffer, sizeof buffer, "%.2f", value == 0 ? 0 : value);
  if (strchr (buffer, '.') != NULL)
    {
      gsize end = strlen (buffer);

      while (buffer[end - 1] == '0')
        end--;
      buffer[buffer[end - 1] == '.' ? end - 1 : end] = '\0';
    }
  g_string_append (text, before);
  g_string_append (text, buffer);
}

static void
append_pair (GString *text, const char *name, double value)
{
  g_string_append_printf (text, " %s=\"", name);
  append_number (text, "", value);
  g_string_append_c (text, '"');
}

static void
append_place (GString *text, const AssayDrawItem *item, double inset)
{
  append_pair (text, "x", item->x + inset);
  append_pair (text, "y", item->y + inset);
  append_pair (text, "width", MAX (0, item->width - 2 * inset));
  append_pair (text, "height", MAX (0, item->height - 2 * inset));
}

static void
append_color (Writer *self, const char *name, guint role)
{
  const AssayColor *color = &self->options->colors->color[role];

  g_string_append_printf (self->text, " %s=\"#%02x%02x%02x\"", name,
                          (guint) lround (color->red * 255), (guint) lround (color->green * 255),
                          (guint) lround (color->blue * 255));
  if (color->alpha < 1)
    {
      g_autofree char *opacity = g_strdup_printf ("%s-opacity", name);
      append_pair (self->text, opacity, color->alpha);
    }
}

static void
append_dashes (Writer *self, AssayLineStyle style)
{
  guint n;
  const double *dashes = assay_line_style_dashes (style, &n);

  if (n == 0)
    return;
  g_string_append (self->text, " stroke-dasharray=\"");
  for (guint i = 0; i < n; i++)
    append_number (self->text, i > 0 ? " " : "", dashes[i]);
  g_string_append_c (self->text, '"');
}

static void
write_box (Writer *self, const AssayDrawItem *item)
{
  double weight = item->weight > 0 ? item->weight + (self->options->colors->high_contrast ? 1 : 0)
                                   : 0;

  if (item->flags != 0)
    {
      g_string_append (self->text, "<rect");
      append_place (self->text, item, 0);
      if (item->radius > 0)
        append_pair (self->text, "rx", item->radius);
      append_color (self, "fill", item->role);
      g_string_append (self->text, "/>\n");
    }
  if (weight <= 0)
    return;

  g_string_append (self->text, "<rect");
  append_place (self->text, item, weight / 2);
  if (item->radius > weight / 2)
    append_pair (self->text, "rx", item->radius - weight / 2);
  g_string_append (self->text, " fill=\"none\"");
  append_color (self, "stroke", item->border_role);
  append_pair (self->text, "stroke-width", weight);
  append_dashes (self, item->style);
  g_string_append (self->text, "/>\n");
}

static void
write_polyline (Writer *self, const AssayDrawItem *item, const AssayPoint *points)
{
  g_string_append (self->text, "<polyline points=\"");
  for (guint i = 0; i < item->n; i++)
    {
      append_number (self->text, i > 0 ? " " : "", points[i].x);
      append_number (self->text, ",", points[i].y);
    }
  g_string_append (self->text, "\" fill=\"none\"");
  append_color (self, "stroke", item->role);
  append_pair (self->text, "stroke-width", item->weight);
  append_dashes (self, item->style);
  g_string_append (self->text, "/>\n");
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
append_marked (GString *out, const char *text, guint32 mark)
{
  gsize first = mark & 0xffff;
  gsize end = mark >> 16;
  g_autofree char *before = NULL;
  g_autofree char *middle = NULL;

  if (mark == 0 || end > strlen (text))
    {
      assay_xml_append (out, text);
      return;
    }

  before = g_strndup (text, first);
  middle = g_strndup (text + first, end - first);
  assay_xml_append (out, before);
  g_string_append (out, "<tspan font-weight=\"700\" text-decoration=\"underline\">");
  assay_xml_append (out, middle);
  g_string_append (out, "</tspan>");
  assay_xml_append (out, text + end);
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

  g_string_append (self->text, "<text");
  append_pair (self->text, "x", item->x + (right ? item->width : center ? item->width / 2 : 0));
  append_pair (self->text, "y", item->y + (item->height - height) / 2 + baseline);
  append_pair (self->text, "font-size", assay_font_get_size (item->style));
  if (assay_font_get_weight (item->style) != 400)
    append_pair (self->text, "font-weight", assay_font_get_weight (item->style));
  if (right || center)
    g_string_append_printf (self->text, " text-anchor=\"%s\"", right ? "end" : "middle");
  append_color (self, "fill", item->role);
  g_string_append_c (self->text, '>');
  append_marked (self->text, text, g_str_equal (text, valid) ? item->n : 0);
  g_string_append (self->text, "</text>\n");
}

static void
write_item (Writer *self, const AssayDisplayList *list, const AssayDrawItem *item)
{
  switch ((AssayDrawKind) item->kind)
    {
    case ASSAY_DRAW_RECTANGLE:
      g_string_append (self->text, "<rect");
      append_place (self->text, item, 0);
      append_color (self, "fill", item->role);
      g_string_append (self->text, "/>\n");
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
      self->glyphs[item->style] = TRUE;
      g_string_append_printf (self->text, "<use xlink:href=\"#glyph-%s\" transform=\"translate(",
                              assay_glyph_get_name (item->style));
      append_number (self->text, "", item->x);
      append_number (self->text, " ", item->y);
      append_number (self->text, ") scale(", item->width / ASSAY_GLYPH_SIZE);
      g_string_append (self->text, ")\"");
      append_color (self, "color", item->role);
      g_string_append (self->text, "/>\n");
      break;

    case ASSAY_DRAW_HATCH:
      self->hatches[item->role][item->style] = TRUE;
      g_string_append (self->text, "<rect");
      append_place (self->text, item, 0);
      g_string_append_printf (self->text, " fill=\"url(#hatch-%u-%u)\"/>\n", item->style,
                              item->role);
      break;

    case ASSAY_DRAW_CLIP:
      g_string_append_printf (self->text, "<clipPath id=\"clip-%u\"><rect", ++self->n_clips);
      append_place (self->text, item, 0);
      g_string_append_printf (self->text, "/></clipPath>\n<g clip-path=\"url(#clip-%u)\">\n",
                              self->n_clips);
      break;

    case ASSAY_DRAW_GROUP:
      {
        g_autofree char *words = self->options->describe != NULL
                                     ? self->options->describe (item->data,
                                                                self->options->user_data)
                                     : NULL;

        g_string_append_printf (self->text, "<g id=\"item-%u\">\n", item->data);
        if (words != NULL)
          {
            g_autofree char *valid = g_utf8_make_valid (words, -1);

            g_string_append (self->text, "<title>");
            assay_xml_append (self->text, valid);
            g_string_append (self->text, "</title>\n");
          }
        break;
      }

    case ASSAY_DRAW_END:
      g_string_append (self->text, "</g>\n");
      break;
    }
}

static void
write_glyph (GString *text, AssayGlyph glyph)
{
  guint n;
  const AssayStroke *strokes = assay_glyph_get_strokes (glyph, &n);

  g_string_append_printf (
      text,
      "<g id=\"glyph-%s\" fill=\"none\" stroke=\"currentColor\" stroke-linecap=\"round\" "
      "stroke-linejoin=\"round\">\n",
      assay_glyph_get_name (glyph));
  for (guint i = 0; i < n; i++)
    {
      const AssayStroke *stroke = &strokes[i];

      if (stroke->kind == ASSAY_STROKE_RING)
        {
          g_string_append (text, "<circle");
          append_pair (text, "cx", stroke->v[0]);
          append_pair (text, "cy", stroke->v[1]);
          append_pair (text, "r", stroke->v[2]);
        }
      else
        {
          g_string_append (text, stroke->kind == ASSAY_STROKE_LINE ? "<polyline points=\""
                                                                   : "<polygon points=\"");
          for (guint k = 0; k + 1 < stroke->n; k += 2)
            {
              append_number (text, k > 0 ? " " : "", stroke->v[k]);
              append_number (text, ",", stroke->v[k + 1]);
            }
          g_string_append_c (text, '"');
        }
      if (stroke->kind == ASSAY_STROKE_FILL)
        g_string_append (text, " fill=\"currentColor\" stroke=\"none\"");
      else
        append_pair (text, "stroke-width", stroke->width);
      g_string_append (text, "/>\n");
    }
  g_string_append (text, "</g>\n");
}

static void
write_hatch (Writer *self, AssayHatch hatch, guint role)
{
  guint n;
  double weight;
  const AssayHatchLine *lines = assay_hatch_get_lines (hatch, &n, &weight);

  g_string_append_printf (self->text,
                          "<pattern id=\"hatch-%u-%u\" width=\"8\" height=\"8\" "
                          "patternUnits=\"userSpaceOnUse\"",
                          hatch, role);
  append_color (self, "stroke", role);
  append_pair (self->text, "stroke-width", weight);
  g_string_append (self->text, ">\n");
  for (guint i = 0; i < n; i++)
    {
      g_string_append (self->text, "<line");
      append_pair (self->text, "x1", lines[i].x1);
      append_pair (self->text, "y1", lines[i].y1);
      append_pair (self->text, "x2", lines[i].x2);
      append_pair (self->text, "y2", lines[i].y2);
      g_string_append (self->text, "/>\n");
    }
  g_string_append (self->text, "</pattern>\n");
}

static void
write_head (Writer *self)
{
  const AssaySvgOptions *options = self->options;
  GString *text = self->text;

  g_string_append (
      text, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
            "xmlns:xlink=\"http://www.w3.org/1999/xlink\" version=\"1.1\"");
  append_pair (text, "width", options->width);
  append_pair (text, "height", options->height);
  append_number (text, " viewBox=\"", options->x);
  append_number (text, " ", options->y);
  append_number (text, " ", options->width);
  append_number (text, " ", options->height);
  g_string_append_c (text, '"');
  assay_xml_append_attribute (text, "font-family", options->family);
  g_string_append (text, ">\n");
  if (options->title != NULL)
    {
      g_autofree char *valid = g_utf8_make_valid (options->title, -1);

      g_string_append (text, "<title>");
      assay_xml_append (text, valid);
      g_string_append (text, "</title>\n");
    }
  g_string_append (text, "<rect");
  append_pair (text, "x", options->x);
  append_pair (text, "y", options->y);
  append_pair (text, "width", options->width);
  append_pair (text, "height", options->height);
  append_color (self, "fill", ASSAY_ROLE_VIEW_BG);
  g_string_append (text, "/>\n");
}

static void
write_definitions (Writer *self)
{
  g_string_append (self->text, "<defs>\n");
  for (guint i = 0; i < ASSAY_N_GLYPHS; i++)
    if (self->glyphs[i])
      write_glyph (self->text, i);
  for (guint role = 0; role < ASSAY_N_ROLES; role++)
    for (guint i = 0; i < ASSAY_N_HATCHES; i++)
      if (self->hatches[role][i])
        write_hatch (self, i, role);
  g_string_append (self->text, "</defs>\n</svg>\n");
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
  Writer self = { .options = options,
                  .text = g_string_new (NULL),
                  .layout = pango_layout_new (context) };

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
  if (length != NULL)
    *length = self.text->len;

  return g_string_free (self.text, FALSE);
}
