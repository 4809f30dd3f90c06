/* test-scene.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Pictures without a display.
 */
#include <gtk/gtk.h>
#include <math.h>
#include <string.h>

#include "draw/assay-graph-scene.h"
#include "draw/assay-mark.h"
#include "nnir/assay-graph-builder.h"
#include "tests/scene/assay-scene-models.h"
#include "ui/canvas/assay-painter.h"

#include "test-program.h"

typedef struct
{
  cairo_surface_t *surface;
  int width;
  int height;
} Picture;

static void
picture_clear (Picture *picture)
{
  g_clear_pointer (&picture->surface, cairo_surface_destroy);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Picture, picture_clear)

static const guint8 *
pixel_at (const Picture *picture, int x, int y)
{
  return cairo_image_surface_get_data (picture->surface) +
         y * cairo_image_surface_get_stride (picture->surface) + x * 4;
}

static double
grey_at (const Picture *picture, int x, int y)
{
  const guint8 *p = pixel_at (picture, x, y);

  return 0.114 * p[0] + 0.587 * p[1] + 0.299 * p[2];
}

static AssayPainter *
make_painter (gboolean dark)
{
  AssayPainter *painter = assay_painter_new ();
  AssayPalette palette;

  assay_palette_init_default (&palette, dark, FALSE);
  assay_painter_set_family (painter, "Cantarell");
  assay_painter_set_palette (painter, &palette);

  return painter;
}

static Picture
render (GskRenderNode *node, double x, double y, double zoom, int width, int height, gboolean dark)
{
  Picture picture = { cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height), width,
                      height };
  cairo_t *cr = cairo_create (picture.surface);
  AssayPalette palette;

  assay_palette_init_default (&palette, dark, FALSE);
  gdk_cairo_set_source_rgba (cr, &palette.color[ASSAY_ROLE_VIEW_BG]);
  cairo_paint (cr);
  cairo_translate (cr, x, y);
  cairo_scale (cr, zoom, zoom);
  if (node != NULL)
    gsk_render_node_draw (node, cr);
  cairo_destroy (cr);
  cairo_surface_flush (picture.surface);

  return picture;
}

static Picture
render_detail (const AssayView *view, AssayDetail detail, double zoom, double x, double y,
               int width, int height, gboolean dark)
{
  g_autoptr (AssayPainter) painter = make_painter (dark);
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  g_autoptr (GskRenderNode) node = NULL;
  AssaySceneLook look = { .detail = detail, .scale = zoom };

  assay_scene_draw (view, &look, x - ASSAY_SCENE_REACH_X, y - ASSAY_SCENE_REACH_Y, x + width / zoom,
                    y + height / zoom, list);
  node = assay_painter_paint (painter, list, x, y);

  return render (node, 0, 0, zoom, width, height, dark);
}

static Picture
render_view (const AssayView *view, double zoom, double x, double y, int width, int height,
             gboolean dark)
{
  AssayDetail detail = assay_scene_choose_detail (view, x, y, x + width / zoom, y + height / zoom,
                                                  zoom);

  return render_detail (view, detail, zoom, x, y, width, height, dark);
}

/* Every primitive, each in a cell of its own: where its ink has to be. */
typedef void (*DrawFunc) (AssayDisplayList *list);

static void
draw_rectangle (AssayDisplayList *list)
{
  assay_display_list_rectangle (list, ASSAY_ROLE_TEXT, 20, 10, 40, 20);
}

static void
draw_solid (AssayDisplayList *list)
{
  assay_display_list_box (list, -1, ASSAY_ROLE_ERROR, ASSAY_LINE_SOLID, 3, 6, 20, 10, 40, 20);
}

static void
draw_dashed (AssayDisplayList *list)
{
  assay_display_list_box (list, -1, ASSAY_ROLE_ERROR, ASSAY_LINE_DASHED, 3, 6, 20, 10, 40, 20);
}

static void
draw_dotted (AssayDisplayList *list)
{
  assay_display_list_box (list, -1, ASSAY_ROLE_ERROR, ASSAY_LINE_DOTTED, 3, 6, 20, 10, 40, 20);
}

static void
draw_filled (AssayDisplayList *list)
{
  assay_display_list_box (list, ASSAY_ROLE_ERROR, ASSAY_ROLE_TEXT, ASSAY_LINE_SOLID, 1, 6, 20, 10,
                          40, 20);
}

static void
draw_line (AssayDisplayList *list)
{
  assay_display_list_line (list, ASSAY_ROLE_TEXT, ASSAY_LINE_SOLID, 4, 20, 20, 60, 20);
}

static void
draw_slanted (AssayDisplayList *list)
{
  assay_display_list_line (list, ASSAY_ROLE_TEXT, ASSAY_LINE_SOLID, 4, 22, 12, 58, 28);
}

static void
draw_polyline (AssayDisplayList *list)
{
  const AssayPoint points[] = { { 22, 12 }, { 22, 20 }, { 58, 20 }, { 58, 28 } };

  assay_display_list_polyline (list, ASSAY_ROLE_TEXT, ASSAY_LINE_SOLID, 4, G_N_ELEMENTS (points),
                               points);
}

static void
draw_text (AssayDisplayList *list)
{
  assay_display_list_text (list, ASSAY_ROLE_TEXT, ASSAY_FONT_TITLE, ASSAY_LABEL_PLAIN, 20, 10, 40,
                           20, "WWWWWWWW");
}

static void
draw_glyph (AssayDisplayList *list)
{
  assay_display_list_glyph (list, ASSAY_ROLE_TEXT, ASSAY_GLYPH_UNDECIDED, 30, 10, 20);
}

static void
draw_hatch (AssayDisplayList *list)
{
  assay_display_list_hatch (list, ASSAY_ROLE_TEXT, ASSAY_HATCH_DIAGONAL, 20, 10, 40, 20);
}

static void
draw_clipped (AssayDisplayList *list)
{
  assay_display_list_clip (list, 20, 10, 40, 20);
  assay_display_list_group (list, 7);
  assay_display_list_rectangle (list, ASSAY_ROLE_TEXT, 0, 0, 400, 400);
  assay_display_list_end (list);
  assay_display_list_end (list);
}

static void
draw_whole (AssayDisplayList *list)
{
  assay_display_list_text (list, ASSAY_ROLE_TEXT, ASSAY_FONT_TITLE, ASSAY_LABEL_WHOLE, 20, 10, 4,
                           20, "WWW");
}

static void
draw_mark (AssayDisplayList *list)
{
  assay_mark_draw (ASSAY_MARK_PINNED, 50, 10, 20, list);
}

static const struct
{
  const char *name;
  DrawFunc draw;
} primitives[] = {
  { "rectangle", draw_rectangle }, { "solid", draw_solid },       { "dashed", draw_dashed },
  { "dotted", draw_dotted },       { "filled", draw_filled },     { "line", draw_line },
  { "slanted", draw_slanted },     { "polyline", draw_polyline }, { "text", draw_text },
  { "glyph", draw_glyph },         { "hatch", draw_hatch },       { "clipped", draw_clipped },
  { "whole", draw_whole },         { "mark", draw_mark },
};

/* Decision 17: inside a translation and a scale, at every zoom, ink is where it should be and
 * nowhere else. */
static void
test_ink (void)
{
  static const double zooms[] = { 0.35, 0.6, 1, 2 };

  for (guint i = 0; i < G_N_ELEMENTS (primitives); i++)
    for (guint z = 0; z < G_N_ELEMENTS (zooms); z++)
      {
        g_autoptr (AssayPainter) painter = make_painter (FALSE);
        g_autoptr (AssayDisplayList) list = assay_display_list_new ();
        g_autoptr (GskRenderNode) node = NULL;
        g_auto (Picture) picture = { NULL, 0, 0 };
        double zoom = zooms[z];
        int left = G_MAXINT, right = -1, top = G_MAXINT, bottom = -1;

        primitives[i].draw (list);
        node = assay_painter_paint (painter, list, 0, 0);
        picture = render (node, 300, 50, zoom, 700, 300, FALSE);
        for (int y = 0; y < picture.height; y++)
          for (int x = 0; x < picture.width; x++)
            if (grey_at (&picture, x, y) < 235)
              {
                left = MIN (left, x);
                right = MAX (right, x);
                top = MIN (top, y);
                bottom = MAX (bottom, y);
              }

        g_test_message ("%s at %g: ink %d..%d, %d..%d", primitives[i].name, zoom, left, right, top,
                        bottom);
        g_assert_cmpint (right, >=, 0);
        g_assert_cmpfloat (left, >=, 300 + 20 * zoom - 3 * zoom - 1);
        g_assert_cmpfloat (right, <=, 300 + 60 * zoom + 3 * zoom + 1);
        g_assert_cmpfloat (top, >=, 50 + 10 * zoom - 3 * zoom - 1);
        g_assert_cmpfloat (bottom, <=, 50 + 30 * zoom + 3 * zoom + 1);
        g_assert_cmpfloat (right - left, >=, 14 * zoom);
        g_assert_cmpfloat ((left + right) / 2.0, >, 300 + 30 * zoom);
        g_assert_cmpfloat ((left + right) / 2.0, <, 300 + 50 * zoom);
      }
}

/* Decision 16: far down a picture is the same to the last bit. */
static void
test_far_down (void)
{
  Picture pictures[2];
  static const double offsets[] = { 0, 4000000 };

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (AssayPainter) painter = make_painter (FALSE);
      g_autoptr (AssayVerdicts) verdicts = assay_scene_verdict_row ();
      g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (verdicts->graph);
      g_autoptr (AssayView) view = assay_view_new (verdicts, tree, &(AssayViewOptions){ 0 });
      g_autoptr (AssayDisplayList) list = assay_display_list_new ();
      g_autoptr (GskRenderNode) node = NULL;
      AssaySceneLook look = { .detail = ASSAY_DETAIL_FULL, .scale = 1 };

      assay_scene_draw (view, &look, -400, -400, 2000, 2000, list);
      for (guint k = 0; k < list->items->len; k++)
        g_array_index (list->items, AssayDrawItem, k).y += offsets[i];
      for (guint k = 0; k < list->points->len; k++)
        g_array_index (list->points, AssayPoint, k).y += offsets[i];
      node = assay_painter_paint (painter, list, -20, offsets[i] - 20);
      pictures[i] = render (node, 0, 0, 1, 200, 600, FALSE);
    }

  g_assert_cmpmem (cairo_image_surface_get_data (pictures[0].surface),
                   (gsize) cairo_image_surface_get_stride (pictures[0].surface) * 600,
                   cairo_image_surface_get_data (pictures[1].surface),
                   (gsize) cairo_image_surface_get_stride (pictures[1].surface) * 600);
  picture_clear (&pictures[0]);
  picture_clear (&pictures[1]);
}

/* Share of the pixels of a part of two boxes that differ in grey by a step that is seen. */
static double
difference (const Picture *picture, const AssayView *view, double zoom, guint32 a, guint32 b,
            double left, double top, double box_width, double box_height)
{
  const AssayViewBox *box_a = assay_view_box (view, a);
  const AssayViewBox *box_b = assay_view_box (view, b);
  int width = (int) (box_width * zoom);
  int height = (int) (box_height * zoom);
  guint different = 0;

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      {
        double ga = grey_at (picture, (int) ((box_a->x + left) * zoom) + x + 10,
                             (int) ((box_a->y + top) * zoom) + y + 10);
        double gb = grey_at (picture, (int) ((box_b->x + left) * zoom) + x + 10,
                             (int) ((box_b->y + top) * zoom) + y + 10);

        different += fabs (ga - gb) > 24 ? 1 : 0;
      }

  return (double) different / (width * height);
}

/* The seven verdicts are told apart without colour. */
static void
test_grey (void)
{
  static const double zooms[] = { 1, 0.6 };

  for (guint dark = 0; dark < 2; dark++)
    for (guint z = 0; z < G_N_ELEMENTS (zooms); z++)
      {
        g_autoptr (AssayVerdicts) verdicts = assay_scene_verdict_row ();
        g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (verdicts->graph);
        g_autoptr (AssayView) view = assay_view_new (verdicts, tree, &(AssayViewOptions){ 0 });
        double zoom = zooms[z];
        g_auto (Picture) picture = render_view (view, zoom, -10 / zoom, -10 / zoom, 200, 600, dark);

        for (guint a = 1; a <= ASSAY_N_VERDICTS; a++)
          for (guint b = a + 1; b <= ASSAY_N_VERDICTS; b++)
            {
              double share = difference (&picture, view, zoom, a, b, 6, 14, 16, 16);

              g_test_message ("%s and %s at %g, %s: %.0f %%", assay_verdict_name (a - 1),
                              assay_verdict_name (b - 1), zoom, dark ? "dark" : "light",
                              share * 100);
              g_assert_cmpfloat (share, >=, 0.10);
            }
      }
}

/* Where there is no room for glyphs, five groups stay apart by their frames. */
static void
test_grey_small (void)
{
  static const AssayVerdictKind groups[] = {
    ASSAY_VERDICT_SUPPORTED, ASSAY_VERDICT_REMOVED,  ASSAY_VERDICT_HOST,
    ASSAY_VERDICT_UNDECIDED, ASSAY_VERDICT_REJECTED,
  };

  for (guint dark = 0; dark < 2; dark++)
    {
      g_autoptr (AssayVerdicts) verdicts = assay_scene_verdict_row ();
      g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (verdicts->graph);
      g_autoptr (AssayView) view = assay_view_new (verdicts, tree, &(AssayViewOptions){ 0 });
      g_auto (Picture) picture = render_view (view, 0.35, -10 / 0.35, -10 / 0.35, 100, 300, dark);

      for (guint a = 0; a < G_N_ELEMENTS (groups); a++)
        for (guint b = a + 1; b < G_N_ELEMENTS (groups); b++)
          {
            double share = difference (&picture, view, 0.35, groups[a] + 1, groups[b] + 1, 0, 0,
                                       112, 44);

            g_test_message ("%s and %s, %s: %.0f %%", assay_verdict_name (groups[a]),
                            assay_verdict_name (groups[b]), dark ? "dark" : "light", share * 100);
            g_assert_cmpfloat (share, >=, 0.06);
          }
    }
}

typedef struct
{
  AssayRole over;
  AssayRole under;
  double least;
} Pair;

static void
test_contrast (void)
{
  static const Pair pairs[] = {
    { ASSAY_ROLE_TEXT, ASSAY_ROLE_BOX, 4.5 },
    { ASSAY_ROLE_TEXT, ASSAY_ROLE_PILL, 4.5 },
    { ASSAY_ROLE_TEXT, ASSAY_ROLE_SCOPE, 4.5 },
    { ASSAY_ROLE_TEXT, ASSAY_ROLE_VIEW_BG, 4.5 },
    { ASSAY_ROLE_TEXT_DIM, ASSAY_ROLE_BOX, 4.5 },
    { ASSAY_ROLE_TEXT_DIM, ASSAY_ROLE_PILL, 4.5 },
    { ASSAY_ROLE_TEXT_DIM, ASSAY_ROLE_SCOPE, 4.5 },
    { ASSAY_ROLE_TEXT_REMOVED, ASSAY_ROLE_VIEW_BG, 4.5 },
    { ASSAY_ROLE_GLYPH_REJECTED, ASSAY_ROLE_TAB_REJECTED, 4.5 },
    { ASSAY_ROLE_GLYPH_SUPPORTED, ASSAY_ROLE_TAB_SUPPORTED, 3.0 },
    { ASSAY_ROLE_GLYPH_SUPPORTED, ASSAY_ROLE_SCOPE, 3.0 },
    { ASSAY_ROLE_GLYPH_FUSED, ASSAY_ROLE_TAB_FUSED, 3.0 },
    { ASSAY_ROLE_GLYPH_FUSED, ASSAY_ROLE_BOX, 3.0 },
    { ASSAY_ROLE_GLYPH_HOST, ASSAY_ROLE_TAB_HOST, 3.0 },
    { ASSAY_ROLE_GLYPH_UNDECIDED, ASSAY_ROLE_TAB_UNDECIDED, 3.0 },
    { ASSAY_ROLE_GLYPH_REMOVED, ASSAY_ROLE_VIEW_BG, 3.0 },
    { ASSAY_ROLE_EDGE, ASSAY_ROLE_VIEW_BG, 3.0 },
    { ASSAY_ROLE_BORDER_HOST, ASSAY_ROLE_VIEW_BG, 3.0 },
    { ASSAY_ROLE_BORDER_UNDECIDED, ASSAY_ROLE_VIEW_BG, 3.0 },
    { ASSAY_ROLE_BORDER_REJECTED, ASSAY_ROLE_VIEW_BG, 3.0 },
    { ASSAY_ROLE_ACCENT, ASSAY_ROLE_VIEW_BG, 3.0 },
    { ASSAY_ROLE_TEXT, ASSAY_ROLE_MEMORY_ACTIVATION, 4.5 },
    { ASSAY_ROLE_TEXT, ASSAY_ROLE_MEMORY_COPY, 4.5 },
    { ASSAY_ROLE_TEXT, ASSAY_ROLE_MEMORY_PORT, 4.5 },
    { ASSAY_ROLE_TEXT, ASSAY_ROLE_MEMORY_STATE, 4.5 },
    { ASSAY_ROLE_TEXT, ASSAY_ROLE_MEMORY_SCRATCH, 4.5 },
    { ASSAY_ROLE_TEXT, ASSAY_ROLE_MEMORY_WEIGHTS, 4.5 },
    { ASSAY_ROLE_VIEW_BG, ASSAY_ROLE_TEXT, 4.5 },
    { ASSAY_ROLE_TEXT, ASSAY_ROLE_SCALE_1, 5.1 },
    { ASSAY_ROLE_TEXT, ASSAY_ROLE_SCALE_2, 5.1 },
    { ASSAY_ROLE_TEXT, ASSAY_ROLE_SCALE_3, 5.1 },
    { ASSAY_ROLE_TEXT, ASSAY_ROLE_SCALE_4, 5.1 },
    { ASSAY_ROLE_TEXT, ASSAY_ROLE_SCALE_5, 5.1 },
    { ASSAY_ROLE_ACCENT, ASSAY_ROLE_POPOVER_BG, 3.0 },
    { ASSAY_ROLE_GLYPH_FUSED, ASSAY_ROLE_VIEW_BG, 3.0 },
    { ASSAY_ROLE_TEXT, ASSAY_ROLE_GROUP_A, 4.5 },
    { ASSAY_ROLE_TEXT, ASSAY_ROLE_GROUP_B, 4.5 },
    { ASSAY_ROLE_TEXT, ASSAY_ROLE_GROUP_C, 4.5 },
    { ASSAY_ROLE_TEXT, ASSAY_ROLE_GROUP_D, 4.5 },
    { ASSAY_ROLE_TEXT, ASSAY_ROLE_GROUP_E, 4.5 },
    { ASSAY_ROLE_TEXT, ASSAY_ROLE_GROUP_REST, 4.5 },
    { ASSAY_ROLE_TEXT, ASSAY_ROLE_FRAME_HEADER, 4.5 },
    { ASSAY_ROLE_BLUE, ASSAY_ROLE_VIEW_BG, 3.0 },
    { ASSAY_ROLE_GREEN, ASSAY_ROLE_VIEW_BG, 3.0 },
    { ASSAY_ROLE_ORANGE_LINE, ASSAY_ROLE_VIEW_BG, 3.0 },
    { ASSAY_ROLE_BROWN, ASSAY_ROLE_VIEW_BG, 3.0 },
    { ASSAY_ROLE_PURPLE, ASSAY_ROLE_VIEW_BG, 3.0 },
    { ASSAY_ROLE_ACCENT_BG, ASSAY_ROLE_VIEW_BG, 3.0 },
    { ASSAY_ROLE_BORDER_HOST, ASSAY_ROLE_WINDOW_BG, 3.0 },
    { ASSAY_ROLE_BORDER_UNDECIDED, ASSAY_ROLE_WINDOW_BG, 3.0 },
    { ASSAY_ROLE_BORDER_REJECTED, ASSAY_ROLE_WINDOW_BG, 3.0 },
  };

  for (guint mode = 0; mode < 4; mode++)
    {
      AssayColors colors;

      assay_colors_init (&colors, mode & 1, mode >> 1);
      for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
        {
          AssayColor under = assay_color_over (colors.color[pairs[i].under],
                                               colors.color[ASSAY_ROLE_VIEW_BG]);
          double ratio = assay_color_contrast (
              assay_color_over (colors.color[pairs[i].over], under), under);

          if (ratio < pairs[i].least)
            {
              g_test_message ("role %d on %d, %s%s: %.2f, needs %.1f", pairs[i].over,
                              pairs[i].under, mode & 1 ? "dark" : "light",
                              mode >> 1 ? ", high contrast" : "", ratio, pairs[i].least);
              g_test_fail ();
            }
        }
    }
}

/* The detail that is chosen never has more in sight than it can afford, at no zoom and nowhere. */
static void
test_budget (void)
{
  static const guint budgets[] = { 200, 800, 4000 };
  AssayVerdicts *graphs[] = { assay_scene_residual (20000), assay_scene_random (5000, 8000, 3) };

  for (guint g = 0; g < G_N_ELEMENTS (graphs); g++)
    {
      g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (graphs[g]->graph);
      g_autoptr (AssayView) view = assay_view_new (graphs[g], tree, &(AssayViewOptions){ 0 });
      guint seen[ASSAY_N_DETAILS] = { 0 };

      for (double zoom = 0.02; zoom <= 4; zoom *= 1.1)
        {
          double y = view->height / 3;
          double x2 = 1280 / zoom;
          double y2 = y + 800 / zoom;
          AssayDetail detail = assay_scene_choose_detail (view, 0, y, x2, y2, zoom);
          AssaySceneLook look = { .detail = detail, .scale = zoom };
          g_autoptr (AssayDisplayList) list = assay_display_list_new ();

          seen[detail]++;
          assay_scene_draw (view, &look, 0, y, x2, y2, list);
          g_test_message ("zoom %.3f: detail %d, %u items", zoom, detail, list->items->len);
          if (detail < ASSAY_DETAIL_BANDS)
            g_assert_cmpuint (assay_view_count (view, 0, y, x2, y2), <=, budgets[detail]);
          g_assert_cmpuint (list->items->len, <=, 40000);
          if (detail == ASSAY_DETAIL_FULL)
            g_assert_cmpfloat (11.333 * zoom, >=, 7);
          if (detail == ASSAY_DETAIL_TITLE)
            g_assert_cmpfloat (16 * zoom, >=, 7);
          for (guint i = 0; detail == ASSAY_DETAIL_TITLE && i < list->items->len; i++)
            {
              const AssayDrawItem *item = &g_array_index (list->items, AssayDrawItem, i);

              if (item->kind == ASSAY_DRAW_TEXT)
                g_assert_cmpuint (item->style, >=, ASSAY_FONT_LARGE);
            }
        }
      g_assert_cmpuint (seen[ASSAY_DETAIL_FULL], >, 0);
      g_assert_cmpuint (seen[ASSAY_DETAIL_GLYPH] + seen[ASSAY_DETAIL_BANDS], >, 0);
      assay_verdicts_unref (graphs[g]);
    }
}

/* One refusal among thousands of nodes is a mark that can be seen at the smallest zoom. */
static void
test_refusal_is_seen (void)
{
  g_autoptr (AssayVerdicts) verdicts = assay_scene_residual (6000);
  g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (verdicts->graph);
  g_autoptr (AssayView) view = NULL;
  guint32 box;
  double y;

  for (AssayNodeId i = 1; i < assay_graph_n_nodes (verdicts->graph); i++)
    assay_scene_set_verdict (
        verdicts, i, i == 3000 ? ASSAY_VERDICT_REJECTED : ASSAY_VERDICT_SUPPORTED, "one of many");
  view = assay_view_new (verdicts, tree, &(AssayViewOptions){ 0 });
  box = assay_view_find_node (view, 3000);
  y = assay_view_box (view, box)->y;
  {
    g_auto (Picture) picture = render_view (view, 0.02, -500, y - 20000, 400, 800, FALSE);
    guint red = 0;

    for (int row = 0; row < picture.height; row++)
      for (int x = 0; x < picture.width; x++)
        {
          const guint8 *p = pixel_at (&picture, x, row);

          red += p[2] > p[1] + 60 && p[2] > p[0] + 60 ? 1 : 0;
        }
    g_assert_cmpuint (red, >=, 9);
    g_assert_cmpuint (red, <=, 36);
  }
}

static const AssayDrawItem *
find_text (const AssayDisplayList *list, const char *text)
{
  for (guint i = 0; i < list->items->len; i++)
    {
      const AssayDrawItem *item = &g_array_index (list->items, AssayDrawItem, i);

      if (item->kind == ASSAY_DRAW_TEXT && g_str_equal (list->text->str + item->data, text))
        return item;
    }

  return NULL;
}

/* Groups have letters, sizes have numbers, and every node with a value has one of the colours of
 * the legend. */
static void
test_overlays (void)
{
  g_autoptr (AssayVerdicts) verdicts = assay_scene_transformer (4, TRUE);
  g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (verdicts->graph);
  g_autoptr (AssayView) view = assay_view_new (verdicts, tree, &(AssayViewOptions){ 0 });
  const AssayOverlaySource source = { .verdicts = verdicts };
  g_autoptr (AssayOverlay) scopes = NULL;
  g_autoptr (AssayOverlay) engines = NULL;
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  AssaySceneLook look = { .detail = ASSAY_DETAIL_FULL, .scale = 1 };
  guint coloured = 0;

  g_assert_null (assay_overlay_new (ASSAY_OVERLAY_VERDICT, &source));
  g_assert_null (assay_overlay_new (ASSAY_OVERLAY_CYCLES, &source));
  g_assert_cmpstr (assay_overlay_kind_word (ASSAY_OVERLAY_CYCLES), ==, "Cycles");
  g_assert_cmpstr (assay_overlay_kind_title (ASSAY_OVERLAY_CYCLES), ==, "Predicted cycles");

  for (AssayNodeId i = 1; i < assay_graph_n_nodes (verdicts->graph); i++)
    g_array_index (verdicts->verdicts, AssayVerdict, i).engine = i % 3 == 0 ? "matrix"
                                                                            : "pointwise";
  engines = assay_overlay_new (ASSAY_OVERLAY_ENGINE, &source);
  g_assert_false (engines->is_scale);
  g_assert_cmpuint (engines->labels->len, ==, 2);
  g_assert_cmpstr (g_ptr_array_index (engines->labels, 0), ==, "A  pointwise");
  g_assert_cmpuint (engines->step_of_node[3], ==, 2);
  g_assert_cmpstr (g_ptr_array_index (engines->text_of_node, 3), ==, "B");

  scopes = assay_overlay_new (ASSAY_OVERLAY_SCOPE, &source);
  g_assert_cmpuint (scopes->labels->len, >=, 4);
  g_assert_cmpuint (scopes->labels->len, <=, ASSAY_OVERLAY_GROUPS);

  look.overlay = engines;
  assay_scene_draw (view, &look, 0, 0, view->width, view->height, list);
  for (guint i = 0; i < list->items->len; i++)
    {
      const AssayDrawItem *item = &g_array_index (list->items, AssayDrawItem, i);

      coloured += item->role == ASSAY_ROLE_GROUP_A || item->role == ASSAY_ROLE_GROUP_B;
    }
  g_assert_cmpuint (coloured, >=, assay_graph_n_nodes (verdicts->graph) - 1);
}

/* A text that begins inside of a box. */
static const AssayDrawItem *
find_text_in (const AssayDisplayList *list, const AssayViewBox *box, const char *text)
{
  for (guint i = 0; i < list->items->len; i++)
    {
      const AssayDrawItem *item = &g_array_index (list->items, AssayDrawItem, i);

      if (item->kind == ASSAY_DRAW_TEXT && item->x >= box->x && item->x < box->x + box->width &&
          item->y >= box->y && item->y < box->y + box->height &&
          g_str_equal (list->text->str + item->data, text))
        return item;
    }

  return NULL;
}

/* A number of an overlay never shortens the operator: in a narrow box it stands below it, and one
 * that has no room there, either, is in words only. */
static void
test_overlay_beside (void)
{
  static const double values[] = { 0.0988, 12345678 };
  g_autoptr (AssayVerdicts) verdicts = assay_scene_transformer (4, TRUE);
  g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (verdicts->graph);
  g_autoptr (AssayView) view = assay_view_new (verdicts, tree, &(AssayViewOptions){ 0 });
  guint32 n = assay_graph_n_nodes (verdicts->graph);
  guint places[3] = { 0 }; /* beside, below, nowhere */

  for (guint v = 0; v < G_N_ELEMENTS (values); v++)
    {
      g_autofree double *of_node = g_new (double, n);
      g_autoptr (AssayOverlay) overlay = NULL;
      g_autoptr (AssayDisplayList) list = assay_display_list_new ();
      AssaySceneLook look = { .detail = ASSAY_DETAIL_FULL, .scale = 1 };

      for (guint32 i = 0; i < n; i++)
        of_node[i] = i == 0 ? NAN : values[v];
      overlay = assay_overlay_new_values ("Value", "units", of_node, n);
      look.overlay = overlay;
      assay_scene_draw (view, &look, 0, 0, view->width, view->height, list);
      for (guint32 i = 0; i < view->boxes->len; i++)
        {
          const AssayViewBox *box = assay_view_box (view, i);
          const AssayDrawItem *title = find_text_in (list, box, box->title);
          const AssayDrawItem *number, *name;
          g_autofree char *words = NULL;

          if (box->kind != ASSAY_BOX_NODE)
            continue;
          number = find_text_in (list, box, g_ptr_array_index (overlay->text_of_node, box->node));
          g_assert_nonnull (title);
          g_assert_cmpfloat (title->width, >=,
                             MIN (8.0 * (double) strlen (box->title), box->width - 34 - 8));
          places[number == NULL ? 2 : number->y < title->y + 16 ? 0 : 1]++;
          name = find_text_in (list, box, box->name);
          g_assert_nonnull (name);
          if (number != NULL && number->y < title->y + 16)
            g_assert_cmpfloat (title->x + title->width, <=, number->x);
          else if (number != NULL)
            g_assert_cmpfloat (name->x + name->width + 8, <=, number->x);
          words = assay_overlay_describe (overlay, box->node);
          g_assert_true (g_str_has_prefix (words, "Value: "));
          g_assert_true (g_str_has_suffix (words, " units"));
        }
    }
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    g_assert_cmpuint (places[i], >, 0);
}

static guint
count_items (const AssayDisplayList *list, AssayDrawKind kind, guint role, guint style)
{
  guint n = 0;

  for (guint i = 0; i < list->items->len; i++)
    {
      const AssayDrawItem *item = &g_array_index (list->items, AssayDrawItem, i);

      n += item->kind == kind && item->style == style &&
           (kind == ASSAY_DRAW_BOX ? item->border_role : item->role) == role;
    }

  return n;
}

/* What looks back has a dashed way from its lower to its upper end, with the sign of a delay. */
static void
test_states (void)
{
  g_autoptr (AssayVerdicts) verdicts = assay_scene_residual (10);
  g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (verdicts->graph);
  g_autoptr (AssayView) view = assay_view_new (verdicts, tree, &(AssayViewOptions){ 0 });
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  g_autofree guint32 *states = g_new0 (guint32, assay_graph_n_nodes (verdicts->graph));
  AssaySceneLook look = { .detail = ASSAY_DETAIL_FULL, .scale = 1, .states = states };

  states[2] = 1;
  states[4] = 6;
  assay_scene_draw (view, &look, -400, -600, view->width, view->height, list);
  g_assert_cmpuint (
      count_items (list, ASSAY_DRAW_POLYLINE, ASSAY_ROLE_EDGE, ASSAY_LINE_SHORT_DASHED), ==, 2);
  g_assert_nonnull (find_text (list, "z-1"));
  g_assert_nonnull (find_text (list, "z-1…-6"));

  /* From further away there is no room for it. */
  assay_display_list_clear (list);
  look.detail = ASSAY_DETAIL_GLYPH;
  assay_scene_draw (view, &look, -400, -600, view->width, view->height, list);
  g_assert_cmpuint (
      count_items (list, ASSAY_DRAW_POLYLINE, ASSAY_ROLE_EDGE, ASSAY_LINE_SHORT_DASHED), ==, 0);
}

/* What is fused has an outline, once, and a bar along the edge to its operation; not around a
 * foreign box. */
static void
test_fused (void)
{
  g_autoptr (AssayVerdicts) verdicts = assay_scene_verdict_row ();
  g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (verdicts->graph);
  g_autoptr (AssayView) view = assay_view_new (verdicts, tree, &(AssayViewOptions){ 0 });
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  AssaySceneLook look = { .detail = ASSAY_DETAIL_FULL, .scale = 1 };
  const AssayViewBox *host = assay_view_box (view,
                                             assay_view_find_node (view, ASSAY_VERDICT_FUSED));
  const AssayViewBox *fused = assay_view_box (view,
                                              assay_view_find_node (view, ASSAY_VERDICT_FUSED + 1));
  guint outlines = 0;

  assay_scene_draw (view, &look, -400, -600, view->width, view->height, list);
  for (guint i = 0; i < list->items->len; i++)
    {
      const AssayDrawItem *item = &g_array_index (list->items, AssayDrawItem, i);

      if (item->kind != ASSAY_DRAW_BOX || item->border_role != ASSAY_ROLE_GLYPH_FUSED)
        continue;
      outlines++;
      g_assert_cmpfloat (item->y, <, host->y);
      g_assert_cmpfloat (item->y + item->height, >, fused->y + fused->height);
    }
  g_assert_cmpuint (outlines, ==, 1);
  g_assert_cmpuint (count_items (list, ASSAY_DRAW_RECTANGLE, ASSAY_ROLE_GLYPH_FUSED, 0), ==, 1);

  /* With another node between the two there is none. */
  g_array_index (verdicts->verdicts, AssayVerdict, ASSAY_VERDICT_FUSED + 1).into =
      ASSAY_VERDICT_FUSED - 1;
  assay_display_list_clear (list);
  assay_scene_draw (view, &look, -400, -600, view->width, view->height, list);
  g_assert_cmpuint (count_items (list, ASSAY_DRAW_BOX, ASSAY_ROLE_GLYPH_FUSED, ASSAY_LINE_SOLID),
                    ==, 0);
}

/* What is written beside lines keeps clear of the outline around what is fused: it stands inside it
 * or outside of it, or not at all. */
static void
test_fused_labels (void)
{
  static const guint lengths[] = { 1, 3, 6 };
  AssaySceneLook look = { .detail = ASSAY_DETAIL_FULL, .scale = 1, .labels = TRUE };
  guint inside = 0;

  for (guint k = 0; k < G_N_ELEMENTS (lengths); k++)
    {
      const gint64 dims[] = { 128, 128, 128, 128, 128, 128 };
      g_autoptr (AssayVerdicts) verdicts = assay_scene_verdict_row ();
      g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (verdicts->graph);
      g_autoptr (AssayView) view = NULL;
      g_autoptr (AssayDisplayList) list = assay_display_list_new ();
      const AssayType *type = assay_type_new_fixed (verdicts->graph->arena, ASSAY_DTYPE_F32,
                                                    (int) lengths[k], dims);
      const AssayDrawItem *outline = NULL;

      for (AssayValueId i = 1; i < assay_graph_n_values (verdicts->graph); i++)
        assay_graph_edit_value (verdicts->graph, i)->type = type;
      view = assay_view_new (verdicts, tree, &(AssayViewOptions){ 0 });
      assay_scene_draw (view, &look, -400, -600, view->width, view->height, list);

      for (guint i = 0; i < list->items->len && outline == NULL; i++)
        {
          const AssayDrawItem *item = &g_array_index (list->items, AssayDrawItem, i);

          if (item->kind == ASSAY_DRAW_BOX && item->border_role == ASSAY_ROLE_GLYPH_FUSED)
            outline = item;
        }
      g_assert_nonnull (outline);

      for (guint i = 0; i < list->items->len; i++)
        {
          const AssayDrawItem *item = &g_array_index (list->items, AssayDrawItem, i);
          gboolean meets, within;

          if (item->kind != ASSAY_DRAW_TEXT ||
              !g_str_has_prefix (list->text->str + item->data, "f32 128"))
            continue;
          meets = item->x <= outline->x + outline->width && item->x + item->width >= outline->x &&
                  item->y <= outline->y + outline->height && item->y + item->height >= outline->y;
          within = item->x > outline->x && item->x + item->width < outline->x + outline->width &&
                   item->y > outline->y && item->y + item->height < outline->y + outline->height;
          g_assert_true (within || !meets);
          inside += within;
        }
      g_assert_nonnull (strstr (list->text->str, "f32 128"));
    }
  /* Only the short one has room where the outline is. */
  g_assert_cmpuint (inside, >, 0);
  g_assert_cmpuint (inside, <, G_N_ELEMENTS (lengths));
}

/* The header of a frame stands at its upper end, then at the top of the view below the headers
 * around it, and goes out with its frame. */
static void
test_headers (void)
{
  g_autoptr (AssayVerdicts) verdicts = assay_scene_transformer (2, TRUE);
  g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (verdicts->graph);
  g_autoptr (AssayView) view = assay_view_new (verdicts, tree, &(AssayViewOptions){ 0 });
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  AssaySceneLook look = { .detail = ASSAY_DETAIL_FULL, .scale = 1 };
  guint inner = 0;

  g_assert_cmpuint (view->frames->len, >, 2);
  for (guint32 f = 0; f < view->frames->len; f++)
    {
      const AssayViewFrame *frame = assay_view_frame (view, f);
      const char *name = assay_scope_tree_get (tree, frame->scope)->name;
      double below = frame->depth * ASSAY_FRAME_HEADER;
      const AssayDrawItem *text;

      g_assert_cmpfloat (assay_view_frame_header (view, f, frame->y - 100), ==, frame->y);
      g_assert_cmpfloat (assay_view_frame_header (view, f, frame->y + frame->height + 50), ==,
                         frame->y + frame->height - ASSAY_FRAME_HEADER);
      g_assert_cmpuint (assay_view_hit_frame (view, frame->x + 20, frame->y + 5, frame->y - 100),
                        ==, f);
      inner += frame->depth > 0;
      if (frame->height < below + 4 * ASSAY_FRAME_HEADER)
        continue;

      assay_display_list_clear (list);
      assay_scene_draw_headers (view, &look, frame->x - 10, frame->y + 60,
                                frame->x + frame->width + 10, frame->y + 400, list);
      text = find_text (list, name);
      g_assert_nonnull (text);
      g_assert_cmpfloat (text->y, ==, frame->y + 60 + below + 4);
      g_assert_cmpfloat (assay_view_frame_header (view, f, frame->y + 60), ==,
                         frame->y + 60 + below);

      /* What is seen of the body is clipped at the view, whatever the size of the frame. */
      assay_display_list_clear (list);
      assay_scene_draw_frames (view, &look, frame->x - 10, frame->y + 60,
                               frame->x + frame->width + 10, frame->y + 100, list);
      for (guint i = 0; i < list->items->len; i++)
        g_assert_cmpfloat (g_array_index (list->items, AssayDrawItem, i).height, <=, 40 + 2 * 40);
    }
  g_assert_cmpuint (inner, >, 0);
}

/* The number of refusals stays in the header that it belongs to, and clear of what floats over a
 * header as long as there is room for it beside the name. */
static void
test_header_counts (void)
{
  g_autoptr (AssayVerdicts) verdicts = assay_scene_transformer (2, TRUE);
  g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (verdicts->graph);
  g_autoptr (AssayView) view = assay_view_new (verdicts, tree, &(AssayViewOptions){ 0 });
  guint moved = 0, left = 0;

  for (guint32 f = 0; f < view->frames->len; f++)
    for (double covered = 0; covered < view->width; covered += 40)
      {
        const AssayViewFrame *frame = assay_view_frame (view, f);
        AssaySceneLook look = { .detail = covered > 200 ? ASSAY_DETAIL_TITLE : ASSAY_DETAIL_FULL,
                                .scale = 1,
                                .covered = covered };
        g_autoptr (AssayDisplayList) list = assay_display_list_new ();
        const AssayDrawItem *header = NULL;

        assay_scene_draw_headers (view, &look, 0, frame->y, view->width, frame->y + 400, list);
        for (guint i = 0; i < list->items->len; i++)
          {
            const AssayDrawItem *item = &g_array_index (list->items, AssayDrawItem, i);

            if (item->kind == ASSAY_DRAW_BOX && item->role == ASSAY_ROLE_FRAME_HEADER)
              header = item;
            else if (item->kind == ASSAY_DRAW_BOX)
              {
                g_assert_nonnull (header);
                g_assert_cmpfloat (item->x, >, header->x);
                g_assert_cmpfloat (item->x + item->width, <, header->x + header->width);
                if (item->x + item->width < view->width - covered)
                  moved += header->x + header->width > view->width - covered;
                else
                  left++;
              }
          }
      }

  /* Both kinds were met. */
  g_assert_cmpuint (moved, >, 0);
  g_assert_cmpuint (left, >, 0);
}

static char *
golden_path (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "data", "golden", "scene", name, NULL);
}

/* Pictures without text, so that no font is in them. ASSAY_REGENERATE=1 writes them anew. */
static void
check_golden (const Picture *picture, const char *name)
{
  g_autofree char *path = golden_path (name);
  cairo_surface_t *expected;
  guint wrong = 0;

  if (g_getenv ("ASSAY_REGENERATE") != NULL)
    {
      g_autofree char *folder = g_path_get_dirname (path);

      g_mkdir_with_parents (folder, 0755);
      g_assert_cmpint (cairo_surface_write_to_png (picture->surface, path), ==,
                       CAIRO_STATUS_SUCCESS);
      return;
    }

  expected = cairo_image_surface_create_from_png (path);
  g_assert_cmpint (cairo_surface_status (expected), ==, CAIRO_STATUS_SUCCESS);
  g_assert_cmpint (cairo_image_surface_get_width (expected), ==, picture->width);
  g_assert_cmpint (cairo_image_surface_get_height (expected), ==, picture->height);
  for (int y = 0; y < picture->height; y++)
    for (int x = 0; x < picture->width; x++)
      {
        const guint8 *is = pixel_at (picture, x, y);
        const guint8 *was = cairo_image_surface_get_data (expected) +
                            y * cairo_image_surface_get_stride (expected) + x * 4;

        for (guint c = 0; c < 3; c++)
          if (ABS (is[c] - was[c]) > 12)
            {
              wrong++;
              break;
            }
      }
  cairo_surface_destroy (expected);

  if (wrong > (guint) (picture->width * picture->height) / 1000)
    {
      g_autofree char *out = g_build_filename (g_get_tmp_dir (), name, NULL);

      cairo_surface_write_to_png (picture->surface, out);
      g_test_message ("%s: %u pixels differ; now in %s; ASSAY_REGENERATE=1 takes it over", name,
                      wrong, out);
      g_test_fail ();
    }
}

static void
test_golden (void)
{
  static const struct
  {
    const char *name;
    AssayVerdicts *(*make) (void);
    gboolean dark;
    double zoom;
  } scenes[] = {
    { "verdicts-light.png", assay_scene_verdict_row, FALSE, 0.5 },
    { "verdicts-dark.png", assay_scene_verdict_row, TRUE, 0.5 },
  };
  g_autoptr (AssayVerdicts) transformer = assay_scene_transformer (2, TRUE);
  g_autoptr (AssayScopeTree) tree = assay_scope_tree_new (transformer->graph);
  g_autoptr (AssayView) view = assay_view_new (transformer, tree, &(AssayViewOptions){ 0 });

  for (guint i = 0; i < G_N_ELEMENTS (scenes); i++)
    {
      g_autoptr (AssayVerdicts) verdicts = scenes[i].make ();
      g_autoptr (AssayScopeTree) scopes = assay_scope_tree_new (verdicts->graph);
      g_autoptr (AssayView) small = assay_view_new (verdicts, scopes, &(AssayViewOptions){ 0 });
      g_auto (Picture) picture = render_detail (small, ASSAY_DETAIL_GLYPH, scenes[i].zoom, -20, -20,
                                                100, 280, scenes[i].dark);

      check_golden (&picture, scenes[i].name);
    }
  {
    g_auto (Picture) picture = render_view (view, 0.4, -20, -20, 320, 480, FALSE);

    check_golden (&picture, "transformer.png");
  }
}

TEST_PROGRAM (scene)
{
  g_unsetenv ("DISPLAY");
  g_unsetenv ("WAYLAND_DISPLAY");
  g_test_init (&argc, &argv, NULL);
  /* Fails without a display, and registers the types of render nodes, which is what is wanted. */
  gtk_init_check ();

  g_test_add_func ("/scene/painter/ink", test_ink);
  g_test_add_func ("/scene/painter/far-down", test_far_down);
  g_test_add_func ("/scene/palette/contrast", test_contrast);
  g_test_add_func ("/scene/graph/grey", test_grey);
  g_test_add_func ("/scene/graph/grey-small", test_grey_small);
  g_test_add_func ("/scene/graph/budget", test_budget);
  g_test_add_func ("/scene/graph/refusal-is-seen", test_refusal_is_seen);
  g_test_add_func ("/scene/graph/overlays", test_overlays);
  g_test_add_func ("/scene/graph/overlay-beside", test_overlay_beside);
  g_test_add_func ("/scene/graph/states", test_states);
  g_test_add_func ("/scene/graph/fused", test_fused);
  g_test_add_func ("/scene/graph/fused-labels", test_fused_labels);
  g_test_add_func ("/scene/graph/headers", test_headers);
  g_test_add_func ("/scene/graph/header-counts", test_header_counts);
  g_test_add_func ("/scene/graph/golden", test_golden);

  return g_test_run ();
}
