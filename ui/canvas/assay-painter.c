/* assay-painter.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/canvas/assay-painter.h"

#include <math.h>
#include <string.h>

#include "report/picture/assay-cairo.h"

/* Texts kept; past this many all are dropped, which costs one slow frame. */
#define MAX_TEXTS 16384

typedef struct
{
  guint32 look; /* role, font and ellipsis */
  guint32 mark; /* first and end of the marked part */
  int width;
  char *text;
  GskRenderNode *node;
  double text_width;
  double text_height;
} TextEntry;

typedef struct
{
  guint32 look; /* item kind, role and style */
  float width;
  float height;
  float weight;
  float radius;
  GskRenderNode *node;
} SharedEntry;

struct _AssayPainter
{
  PangoContext *context;
  PangoLayout *layout;
  PangoFontDescription *fonts[ASSAY_N_FONTS];
  AssayPalette palette;
  GHashTable *texts;  /* TextEntry, by its first fields */
  GHashTable *shared; /* SharedEntry, by its first fields */
};

static guint
text_hash (gconstpointer key)
{
  const TextEntry *entry = key;

  return g_str_hash (entry->text) ^ entry->look * 2654435761u ^ (guint) entry->width * 40503u;
}

static gboolean
text_equal (gconstpointer a, gconstpointer b)
{
  const TextEntry *ea = a;
  const TextEntry *eb = b;

  return ea->look == eb->look && ea->mark == eb->mark && ea->width == eb->width &&
         strcmp (ea->text, eb->text) == 0;
}

static void
text_free (gpointer data)
{
  TextEntry *entry = data;

  g_clear_pointer (&entry->node, gsk_render_node_unref);
  g_free (entry->text);
  g_free (entry);
}

static guint
shared_hash (gconstpointer key)
{
  const SharedEntry *entry = key;

  return entry->look * 2654435761u ^ (guint) (entry->width * 8) * 40503u ^
         (guint) (entry->height * 8) * 9973u;
}

static gboolean
shared_equal (gconstpointer a, gconstpointer b)
{
  const SharedEntry *ea = a;
  const SharedEntry *eb = b;

  return ea->look == eb->look && ea->width == eb->width && ea->height == eb->height &&
         ea->weight == eb->weight && ea->radius == eb->radius;
}

static void
shared_free (gpointer data)
{
  SharedEntry *entry = data;

  g_clear_pointer (&entry->node, gsk_render_node_unref);
  g_free (entry);
}

/**
 * assay_painter_new:
 *
 * Makes a painter with the colours of the default theme in light.
 *
 * Returns: (transfer full): the painter
 */
AssayPainter *
assay_painter_new (void)
{
  AssayPainter *self = g_new0 (AssayPainter, 1);

  self->context = pango_font_map_create_context (pango_cairo_font_map_get_default ());
  /* Positions must not depend on the zoom the node is later drawn at. */
  pango_context_set_round_glyph_positions (self->context, FALSE);
  self->layout = pango_layout_new (self->context);
  pango_layout_set_single_paragraph_mode (self->layout, TRUE);
  self->texts = g_hash_table_new_full (text_hash, text_equal, NULL, text_free);
  self->shared = g_hash_table_new_full (shared_hash, shared_equal, NULL, shared_free);
  assay_palette_init_default (&self->palette, FALSE, FALSE);
  assay_painter_set_family (self, "sans-serif");

  return self;
}

void
assay_painter_free (AssayPainter *self)
{
  if (self == NULL)
    return;

  g_hash_table_unref (self->texts);
  g_hash_table_unref (self->shared);
  for (guint i = 0; i < ASSAY_N_FONTS; i++)
    pango_font_description_free (self->fonts[i]);
  g_object_unref (self->layout);
  g_object_unref (self->context);
  g_free (self);
}

/**
 * assay_painter_set_palette:
 * @self: a painter
 * @palette: the colours, copied
 *
 * Paints with other colours from now on.
 */
void
assay_painter_set_palette (AssayPainter *self, const AssayPalette *palette)
{
  self->palette = *palette;
  g_hash_table_remove_all (self->texts);
  g_hash_table_remove_all (self->shared);
}

/**
 * assay_painter_set_family:
 * @self: a painter
 * @family: a font family, that of the widget that is painted
 *
 * Writes with another font from now on; sizes stay.
 */
void
assay_painter_set_family (AssayPainter *self, const char *family)
{
  for (guint i = 0; i < ASSAY_N_FONTS; i++)
    {
      g_clear_pointer (&self->fonts[i], pango_font_description_free);
      self->fonts[i] = assay_cairo_font (i, family);
    }
  g_hash_table_remove_all (self->texts);
}

static void
append (GPtrArray *nodes, GskRenderNode *node)
{
  if (node != NULL)
    g_ptr_array_add (nodes, node);
}

static GskRenderNode *
moved (GskRenderNode *node, double x, double y)
{
  g_autoptr (GskTransform)
      transform = gsk_transform_translate (NULL, &GRAPHENE_POINT_INIT ((float) x, (float) y));

  /* By nothing is no transform. */
  if (transform == NULL)
    return gsk_render_node_ref (node);

  return gsk_transform_node_new (node, transform);
}

static GskRenderNode *
colored (const GdkRGBA *color, double x, double y, double width, double height)
{
  return gsk_color_node_new (
      color, &GRAPHENE_RECT_INIT ((float) x, (float) y, (float) width, (float) height));
}

/* Cairo nodes are made whole and appended: gtk_snapshot_append_cairo() of 4.8 applies a scale
 * twice. */
static GskRenderNode *
frame_node (const SharedEntry *key, const GdkRGBA *color, AssayLineStyle style)
{
  GskRenderNode *node = gsk_cairo_node_new (&GRAPHENE_RECT_INIT (0, 0, key->width, key->height));
  cairo_t *cr = gsk_cairo_node_get_draw_context (node);

  gdk_cairo_set_source_rgba (cr, color);
  cairo_set_line_width (cr, key->weight);
  assay_cairo_set_dashes (cr, style);
  assay_cairo_rounded (cr, key->weight / 2.0, key->weight / 2.0, key->width - key->weight,
                       key->height - key->weight, MAX (0, key->radius - key->weight / 2.0));
  cairo_stroke (cr);
  cairo_destroy (cr);

  return node;
}

static GskRenderNode *
glyph_node (const SharedEntry *key, const GdkRGBA *color, AssayGlyph glyph)
{
  GskRenderNode *node = gsk_cairo_node_new (&GRAPHENE_RECT_INIT (0, 0, key->width, key->height));
  cairo_t *cr = gsk_cairo_node_get_draw_context (node);

  gdk_cairo_set_source_rgba (cr, color);
  cairo_scale (cr, key->width / ASSAY_GLYPH_SIZE, key->height / ASSAY_GLYPH_SIZE);
  assay_cairo_glyph (cr, glyph);
  cairo_destroy (cr);

  return node;
}

static GskRenderNode *
hatch_node (const SharedEntry *key, const GdkRGBA *color, AssayHatch hatch)
{
  GskRenderNode *node = gsk_cairo_node_new (&GRAPHENE_RECT_INIT (0, 0, 8, 8));
  cairo_t *cr = gsk_cairo_node_get_draw_context (node);

  gdk_cairo_set_source_rgba (cr, color);
  assay_cairo_hatch (cr, hatch);
  cairo_destroy (cr);

  return node;
}

/* One node per look and size; GL uploads are cached by node, so sharing is more than a saving of
 * memory. */
static GskRenderNode *
get_shared (AssayPainter *self, const AssayDrawItem *item, guint role, double width, double height,
            double weight)
{
  SharedEntry key = {
    .look = item->kind | role << 8 | (guint32) item->style << 16,
    .width = (float) width,
    .height = (float) height,
    .weight = (float) weight,
    .radius = item->radius,
  };
  const GdkRGBA *color = &self->palette.color[role];
  SharedEntry *entry = g_hash_table_lookup (self->shared, &key);

  if (entry != NULL)
    return entry->node;

  if (item->kind == ASSAY_DRAW_GLYPH)
    key.node = glyph_node (&key, color, item->style);
  else if (item->kind == ASSAY_DRAW_HATCH)
    key.node = hatch_node (&key, color, item->style);
  else
    key.node = frame_node (&key, color, item->style);

  entry = g_memdup2 (&key, sizeof key);
  g_hash_table_add (self->shared, entry);

  return entry->node;
}

static const TextEntry *
get_text (AssayPainter *self, const AssayDrawItem *item, const char *text)
{
  gboolean at_start = (item->flags & ASSAY_LABEL_ELLIPSIZE_START) != 0;
  TextEntry key = {
    .look = item->role | (guint32) item->style << 8 | (guint32) at_start << 16,
    .mark = item->n,
    .width = (item->flags & ASSAY_LABEL_WHOLE) != 0 ? -1 : (int) (item->width * PANGO_SCALE),
    .text = (char *) text,
  };
  TextEntry *entry = g_hash_table_lookup (self->texts, &key);
  g_autoptr (PangoAttrList) attributes = NULL;
  g_autoptr (GtkSnapshot) snapshot = NULL;
  PangoRectangle extents;

  if (entry != NULL)
    return entry;

  if (g_hash_table_size (self->texts) >= MAX_TEXTS)
    g_hash_table_remove_all (self->texts);

  attributes = assay_cairo_mark (key.mark);
  pango_layout_set_font_description (self->layout, self->fonts[item->style]);
  pango_layout_set_ellipsize (self->layout, at_start ? PANGO_ELLIPSIZE_START : PANGO_ELLIPSIZE_END);
  pango_layout_set_width (self->layout, key.width);
  pango_layout_set_text (self->layout, text, -1);
  pango_layout_set_attributes (self->layout, attributes);
  pango_layout_get_extents (self->layout, NULL, &extents);

  snapshot = gtk_snapshot_new ();
  gtk_snapshot_append_layout (snapshot, self->layout, &self->palette.color[item->role]);

  entry = g_new0 (TextEntry, 1);
  *entry = key;
  entry->text = g_strdup (text);
  entry->node = gtk_snapshot_to_node (snapshot);
  entry->text_width = extents.width / (double) PANGO_SCALE;
  entry->text_height = extents.height / (double) PANGO_SCALE;
  g_hash_table_add (self->texts, entry);

  return entry;
}

static void
paint_box (AssayPainter *self, const AssayDrawItem *item, double x, double y, GPtrArray *nodes)
{
  double weight = item->weight > 0 ? item->weight + self->palette.high_contrast : 0;
  GskRoundedRect outline;

  gsk_rounded_rect_init_from_rect (
      &outline,
      &GRAPHENE_RECT_INIT ((float) x, (float) y, (float) item->width, (float) item->height),
      item->radius);

  if (item->flags != 0)
    {
      GskRenderNode *fill = colored (&self->palette.color[item->role], x, y, item->width,
                                     item->height);

      if (item->radius > 0)
        {
          append (nodes, gsk_rounded_clip_node_new (fill, &outline));
          gsk_render_node_unref (fill);
        }
      else
        append (nodes, fill);
    }

  if (weight <= 0)
    return;

  if (item->style == ASSAY_LINE_SOLID)
    {
      const GdkRGBA *color = &self->palette.color[item->border_role];
      const float widths[4] = { (float) weight, (float) weight, (float) weight, (float) weight };
      const GdkRGBA colors[4] = { *color, *color, *color, *color };

      append (nodes, gsk_border_node_new (&outline, widths, colors));
    }
  else
    append (nodes,
            moved (get_shared (self, item, item->border_role, item->width, item->height, weight), x,
                   y));
}

static GskRenderNode *
free_line_node (const GdkRGBA *color, const AssayDrawItem *item, const AssayPoint *points,
                double origin_x, double origin_y)
{
  double pad = item->weight + 1;
  GskRenderNode *node = gsk_cairo_node_new (
      &GRAPHENE_RECT_INIT ((float) (item->x - origin_x - pad), (float) (item->y - origin_y - pad),
                           (float) (item->width + 2 * pad), (float) (item->height + 2 * pad)));
  cairo_t *cr = gsk_cairo_node_get_draw_context (node);

  gdk_cairo_set_source_rgba (cr, color);
  cairo_set_line_width (cr, item->weight);
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  assay_cairo_set_dashes (cr, item->style);
  for (guint i = 0; i < item->n; i++)
    cairo_line_to (cr, points[i].x - origin_x, points[i].y - origin_y);
  cairo_stroke (cr);
  cairo_destroy (cr);

  return node;
}

static void
paint_polyline (AssayPainter *self, const AssayDrawItem *item, const AssayPoint *points,
                double origin_x, double origin_y, GPtrArray *nodes)
{
  const GdkRGBA *color = &self->palette.color[item->role];
  double weight = item->weight;
  gboolean straight = item->style == ASSAY_LINE_SOLID;

  for (guint i = 0; straight && i + 1 < item->n; i++)
    straight = points[i].x == points[i + 1].x || points[i].y == points[i + 1].y;

  if (!straight)
    {
      append (nodes, free_line_node (color, item, points, origin_x, origin_y));
      return;
    }

  /* Edges have no node of their own in 4.8; segments along an axis are rectangles, ten times faster
   * than strokes. */
  for (guint i = 0; i + 1 < item->n; i++)
    {
      double x1 = MIN (points[i].x, points[i + 1].x) - origin_x;
      double x2 = MAX (points[i].x, points[i + 1].x) - origin_x;
      double y1 = MIN (points[i].y, points[i + 1].y) - origin_y;
      double y2 = MAX (points[i].y, points[i + 1].y) - origin_y;
      double half = weight / 2;

      if (x1 == x2)
        append (nodes, colored (color, x1 - half, y1, weight, y2 - y1));
      else
        append (nodes, colored (color, x1 - half, y1 - half, x2 - x1 + weight, weight));
    }
}

static void
paint_text (AssayPainter *self, const AssayDrawItem *item, const char *text, double x, double y,
            GPtrArray *nodes)
{
  const TextEntry *entry = get_text (self, item, text);

  if (entry->node == NULL)
    return;

  if ((item->flags & ASSAY_LABEL_RIGHT) != 0)
    x += item->width - entry->text_width;
  else if ((item->flags & ASSAY_LABEL_CENTER) != 0)
    x += (item->width - entry->text_width) / 2;

  append (nodes, moved (entry->node, x, y + (item->height - entry->text_height) / 2));
}

static void
paint_hatch (AssayPainter *self, const AssayDrawItem *item, double x, double y, GPtrArray *nodes)
{
  graphene_rect_t bounds = GRAPHENE_RECT_INIT ((float) x, (float) y, (float) item->width,
                                               (float) item->height);
  graphene_rect_t tile = GRAPHENE_RECT_INIT (0, 0, 8, 8);

  append (nodes,
          gsk_repeat_node_new (&bounds, get_shared (self, item, item->role, 8, 8, 0), &tile));
}

/* Puts the nodes of a finished clip or group into the list around it. */
static GPtrArray *
close_group (GPtrArray *stack, GPtrArray *nodes, const AssayDrawItem *opened, double origin_x,
             double origin_y)
{
  GPtrArray *outer = g_ptr_array_index (stack, stack->len - 1);

  g_ptr_array_set_size (stack, (int) stack->len - 1);

  if (nodes->len > 0)
    {
      GskRenderNode *inner = gsk_container_node_new ((GskRenderNode **) nodes->pdata, nodes->len);

      if (opened->kind == ASSAY_DRAW_CLIP)
        {
          append (outer,
                  gsk_clip_node_new (inner, &GRAPHENE_RECT_INIT ((float) (opened->x - origin_x),
                                                                 (float) (opened->y - origin_y),
                                                                 (float) opened->width,
                                                                 (float) opened->height)));
          gsk_render_node_unref (inner);
        }
      else
        append (outer, inner);
    }
  g_ptr_array_unref (nodes);

  return outer;
}

/**
 * assay_painter_paint:
 * @self: a painter
 * @list: a picture
 * @origin_x: x of the picture that becomes 0 in the node
 * @origin_y: y of the picture that becomes 0 in the node
 *
 * Plays a picture into a node. The origin is subtracted in double, since nodes hold floats.
 *
 * Returns: (transfer full) (nullable): the node, %NULL if nothing is drawn
 */
GskRenderNode *
assay_painter_paint (AssayPainter *self, const AssayDisplayList *list, double origin_x,
                     double origin_y)
{
  GPtrArray *nodes = g_ptr_array_new_with_free_func ((GDestroyNotify) gsk_render_node_unref);
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  g_autoptr (GPtrArray) opened = g_ptr_array_new ();
  GskRenderNode *result;

  for (guint i = 0; i < list->items->len; i++)
    {
      AssayDrawItem *item = &g_array_index (list->items, AssayDrawItem, i);
      double x = item->x - origin_x;
      double y = item->y - origin_y;

      switch ((AssayDrawKind) item->kind)
        {
        case ASSAY_DRAW_RECTANGLE:
          append (nodes,
                  colored (&self->palette.color[item->role], x, y, item->width, item->height));
          break;

        case ASSAY_DRAW_BOX:
          paint_box (self, item, x, y, nodes);
          break;

        case ASSAY_DRAW_POLYLINE:
          paint_polyline (self, item, &g_array_index (list->points, AssayPoint, item->data),
                          origin_x, origin_y, nodes);
          break;

        case ASSAY_DRAW_TEXT:
          paint_text (self, item, list->text->str + item->data, x, y, nodes);
          break;

        case ASSAY_DRAW_GLYPH:
          append (nodes,
                  moved (get_shared (self, item, item->role, item->width, item->height, 0), x, y));
          break;

        case ASSAY_DRAW_HATCH:
          paint_hatch (self, item, x, y, nodes);
          break;

        case ASSAY_DRAW_CLIP:
        case ASSAY_DRAW_GROUP:
          g_ptr_array_add (stack, nodes);
          g_ptr_array_add (opened, item);
          nodes = g_ptr_array_new_with_free_func ((GDestroyNotify) gsk_render_node_unref);
          break;

        case ASSAY_DRAW_END:
          g_return_val_if_fail (stack->len > 0, NULL);
          nodes = close_group (stack, nodes, g_ptr_array_index (opened, opened->len - 1), origin_x,
                               origin_y);
          g_ptr_array_set_size (opened, (int) opened->len - 1);
          break;
        }
    }

  g_warn_if_fail (stack->len == 0);

  result = nodes->len == 0 ? NULL
                           : gsk_container_node_new ((GskRenderNode **) nodes->pdata, nodes->len);
  g_ptr_array_unref (nodes);

  return result;
}
