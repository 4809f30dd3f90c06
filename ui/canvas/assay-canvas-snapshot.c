/* assay-canvas-snapshot.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Painting: cached nodes for tiles of the graph, and over them, made anew for every frame, what
 * follows the pointer.
 */
#include "ui/canvas/assay-canvas-private.h"

#include <math.h>

/* A tile is about this many pixels wide: small enough that little is drawn outside of the canvas.
 */
#define TILE_UNITS 512.0
#define TILE_PX_MIN 360.0
#define MAX_TILES 320

/* From how many pixels of the canvas on, with a font of the usual size, there are words beside
 * folded scopes, and the room they take. */
#define SUMMARY_FROM 1000.0
#define SUMMARY_UNITS 226.0

/* Marks of a search that are drawn one by one in a frame. */
#define MAX_HALOS 3000

void
assay_canvas_drop_tiles (AssayCanvas *self)
{
  if (self->tiles != NULL)
    g_hash_table_remove_all (self->tiles);
}

/* Lines are at least a pixel wide, which makes tiles depend on the zoom; in steps, so that zooming
 * can use them. */
static double
stepped (double scale)
{
  return scale >= 1 ? 1 : pow (2, floor (log2 (scale) * 2 + 0.5) / 2);
}

/* In a wide window, what folded scopes hold stands beside them as long as the graph leaves room for
 * it. */
static gboolean
has_room_beside (AssayCanvas *self)
{
  double width = gtk_widget_get_width (GTK_WIDGET (self));

  return width >= SUMMARY_FROM * self->palette.unit &&
         width / 2 - ASSAY_INSET_SIDE >=
             (self->view->width / 2 + SUMMARY_UNITS) * assay_canvas_get_scale (self);
}

static void
choose_look (AssayCanvas *self)
{
  double scale = assay_canvas_get_scale (self);
  double x1, y1, x2, y2;
  AssaySceneLook look = {
    .filter = self->filter,
    .scale = stepped (scale),
    .labels = self->zoom >= ASSAY_LABELS_FROM,
    .chips = self->zoom >= ASSAY_CHIPS_FROM,
    .overlay = self->overlay,
    .states = self->states,
  };
  double tile = TILE_UNITS;

  assay_canvas_to_units (self, 0, 0, &x1, &y1);
  assay_canvas_to_units (self, gtk_widget_get_width (GTK_WIDGET (self)),
                         gtk_widget_get_height (GTK_WIDGET (self)), &x2, &y2);
  look.detail = assay_scene_choose_detail (self->view, x1, y1, x2, y2, scale);
  if (look.detail == ASSAY_DETAIL_FULL && has_room_beside (self))
    {
      if (self->summary == NULL)
        self->summary = assay_scope_summary_new (self->view, self->overlay);
      look.summary = self->summary;
    }
  while (tile * scale < TILE_PX_MIN)
    tile *= 2;

  if (look.detail != self->look.detail || look.scale != self->look.scale ||
      look.filter != self->look.filter || look.labels != self->look.labels ||
      look.chips != self->look.chips || look.summary != self->look.summary ||
      tile != self->tile_size || g_hash_table_size (self->tiles) > MAX_TILES)
    assay_canvas_drop_tiles (self);
  self->look = look;
  self->tile_size = tile;
}

static GskRenderNode *
get_tile (AssayCanvas *self, gint64 column, gint64 row)
{
  gint64 key = row * 0x100000 + column + 0x80000;
  double x = (double) column * self->tile_size;
  double y = (double) row * self->tile_size;
  gpointer found;
  GskRenderNode *node;

  if (g_hash_table_lookup_extended (self->tiles, &key, NULL, &found))
    return found;

  assay_display_list_clear (self->list);
  assay_scene_draw (self->view, &self->look, x, y, x + self->tile_size, y + self->tile_size,
                    self->list);
  node = assay_painter_paint (self->painter, self->list, x, y);
  if (node == NULL)
    node = gsk_container_node_new (NULL, 0);
  self->builds++;
  g_hash_table_insert (self->tiles, g_memdup2 (&key, sizeof key), node);

  return node;
}

static void
append_at (AssayCanvas *self, GtkSnapshot *snapshot, GskRenderNode *node, double x, double y)
{
  double scale = assay_canvas_get_scale (self);
  double origin_x, origin_y;

  assay_canvas_get_origin (self, &origin_x, &origin_y);
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float) (origin_x + x * scale),
                                                          (float) (origin_y + y * scale)));
  gtk_snapshot_scale (snapshot, (float) scale, (float) scale);
  gtk_snapshot_append_node (snapshot, node);
  gtk_snapshot_restore (snapshot);
}

typedef void (*DrawInSight) (const AssayView *view, const AssaySceneLook *look, double x1,
                             double y1, double x2, double y2, AssayDisplayList *list);

/* What depends on where the view begins cannot be cached. */
static void
snapshot_in_sight (AssayCanvas *self, GtkSnapshot *snapshot, DrawInSight draw)
{
  AssaySceneLook look = self->look;
  g_autoptr (GskRenderNode) node = NULL;
  double x1, y1, x2, y2;

  if (self->view->frames->len == 0)
    return;

  look.scale = assay_canvas_get_scale (self);
  look.covered = self->covered_right / look.scale;
  assay_canvas_to_units (self, 0, 0, &x1, &y1);
  assay_canvas_to_units (self, gtk_widget_get_width (GTK_WIDGET (self)),
                         gtk_widget_get_height (GTK_WIDGET (self)), &x2, &y2);
  assay_display_list_clear (self->list);
  draw (self->view, &look, x1, y1, x2, y2, self->list);
  node = assay_painter_paint (self->painter, self->list, x1, y1);
  if (node != NULL)
    append_at (self, snapshot, node, x1, y1);
}

static void
snapshot_tiles (AssayCanvas *self, GtkSnapshot *snapshot)
{
  double size = self->tile_size;
  double x1, y1, x2, y2;

  assay_canvas_to_units (self, 0, 0, &x1, &y1);
  assay_canvas_to_units (self, gtk_widget_get_width (GTK_WIDGET (self)),
                         gtk_widget_get_height (GTK_WIDGET (self)), &x2, &y2);
  x1 = MAX (x1 - ASSAY_SCENE_REACH_X, -ASSAY_SCENE_REACH_X);
  y1 = MAX (y1 - ASSAY_SCENE_REACH_Y, 0);
  x2 = MIN (x2, self->view->width);
  y2 = MIN (y2, self->view->height);

  /* Lower rows first: what reaches out of a tile reaches down, under the boxes of the next one. */
  for (gint64 row = (gint64) floor (y2 / size); row >= (gint64) floor (y1 / size); row--)
    for (gint64 column = (gint64) floor (x1 / size); column <= (gint64) floor (x2 / size); column++)
      append_at (self, snapshot, get_tile (self, column, row), (double) column * size,
                 (double) row * size);
}

static void
add_edges (AssayCanvas *self, const AssayViewBox *box, double weight_in, double weight_out,
           AssayLineStyle style_out)
{
  g_autoptr (GArray) points = g_array_new (FALSE, FALSE, sizeof (AssayPoint));

  for (guint32 k = box->first_in; weight_in > 0 && k < box->first_in + box->n_in; k++)
    {
      g_array_set_size (points, 0);
      assay_view_edge_path (self->view, g_array_index (self->view->in_edges, guint32, k), points);
      assay_display_list_polyline (self->list, ASSAY_ROLE_ACCENT, ASSAY_LINE_SOLID, weight_in,
                                   points->len, (const AssayPoint *) (const void *) points->data);
    }
  for (guint32 n = box->first_net; weight_out > 0 && n < box->first_net + box->n_nets; n++)
    {
      const AssayViewNet *net = assay_view_net (self->view, n);

      for (guint32 k = net->first_edge; k < net->first_edge + net->n_edges; k++)
        {
          g_array_set_size (points, 0);
          assay_view_edge_path (self->view, k, points);
          assay_display_list_polyline (self->list, ASSAY_ROLE_ACCENT, style_out, weight_out,
                                       points->len,
                                       (const AssayPoint *) (const void *) points->data);
        }
    }
}

static void
add_ring (AssayCanvas *self, const AssayViewBox *box, AssayRole role, double weight,
          double distance)
{
  double out = weight + distance;

  assay_display_list_box (self->list, -1, role, ASSAY_LINE_SOLID, weight, 6 + out, box->x - out,
                          box->y - out, box->width + 2 * out, box->height + 2 * out);
}

static void
add_halos (AssayCanvas *self, double pixel)
{
  double x1, y1, x2, y2;
  guint32 first, end;
  guint drawn = 0;

  assay_canvas_to_units (self, 0, 0, &x1, &y1);
  assay_canvas_to_units (self, gtk_widget_get_width (GTK_WIDGET (self)),
                         gtk_widget_get_height (GTK_WIDGET (self)), &x2, &y2);
  assay_view_ranks_in (self->view, y1, y2, &first, &end);
  for (guint32 r = first; r < end && drawn < MAX_HALOS; r++)
    {
      const AssayViewRank *rank = assay_view_rank (self->view, r);

      for (guint32 i = 0; i < rank->n; i++)
        {
          const AssayViewBox *box = assay_view_box (
              self->view, g_array_index (self->view->rank_order, guint32, rank->first + i));

          if (box->node == 0 || !self->hits[box->node] || box->x + box->width < x1 || box->x > x2)
            continue;
          add_ring (self, box, ASSAY_ROLE_HALO, 6 * pixel, 0);
          drawn++;
        }
    }
}

/* The way a stub stands for, as one line if the other end can be seen. */
static void
add_stub (AssayCanvas *self, guint32 index, double pixel)
{
  const AssayViewStub *stub = &g_array_index (self->view->stubs, AssayViewStub, index);
  guint32 end = assay_view_stub_end (self->view, index);
  const AssayViewBox *box;
  double x1, y1, x2, y2;

  assay_display_list_box (self->list, -1, ASSAY_ROLE_ACCENT_BG, ASSAY_LINE_SOLID, 2 * pixel,
                          ASSAY_STUB_HEIGHT / 2 + pixel, stub->x - pixel, stub->y - pixel,
                          ASSAY_STUB_WIDTH + 2 * pixel, ASSAY_STUB_HEIGHT + 2 * pixel);
  if (end == ASSAY_NO_BOX)
    return;

  box = assay_view_box (self->view, end);
  assay_canvas_to_units (self, 0, 0, &x1, &y1);
  assay_canvas_to_units (self, gtk_widget_get_width (GTK_WIDGET (self)),
                         gtk_widget_get_height (GTK_WIDGET (self)), &x2, &y2);
  if (box->x + box->width < x1 || box->x > x2 || box->y + box->height < y1 || box->y > y2)
    return;

  assay_display_list_line (self->list, ASSAY_ROLE_ACCENT, ASSAY_LINE_DASHED, 2 * pixel,
                           stub->count > 0 ? stub->x + ASSAY_STUB_WIDTH : stub->x,
                           stub->y + ASSAY_STUB_HEIGHT / 2, box->x + box->width / 2,
                           box->y < stub->y ? box->y + box->height : box->y);
}

static const AssayViewBox *
find_box (AssayCanvas *self, guint node)
{
  guint32 index = node == 0 ? ASSAY_NO_BOX : assay_view_find_node (self->view, node);

  return index == ASSAY_NO_BOX ? NULL : assay_view_box (self->view, index);
}

/* As on the map: two pixels of the colour of text with a gap of one, and a point at the side it
 * comes from. */
static void
add_playhead (AssayCanvas *self, const AssayViewBox *box, double pixel)
{
  add_ring (self, box, ASSAY_ROLE_VIEW_FG, 2 * pixel, pixel);
  assay_display_list_glyph (self->list, ASSAY_ROLE_VIEW_FG, ASSAY_GLYPH_ARROW_RIGHT,
                            box->x - 20 * pixel, box->y + box->height / 2 - 8 * pixel, 16 * pixel);
}

/* What lies in memory has a bar in its colour below it, as on the map. */
static void
add_live (AssayCanvas *self, double pixel)
{
  for (guint i = 0; i < self->live->len; i++)
    {
      const AssayViewBox *box = find_box (self, g_array_index (self->live, guint, i));

      if (box != NULL)
        assay_display_list_rectangle (self->list, ASSAY_ROLE_BLUE, box->x,
                                      box->y + box->height + 2 * pixel, box->width, 4 * pixel);
    }
}

static void
add_marks (AssayCanvas *self)
{
  double x1, y1, x2, y2;

  assay_canvas_to_units (self, 0, 0, &x1, &y1);
  assay_canvas_to_units (self, gtk_widget_get_width (GTK_WIDGET (self)),
                         gtk_widget_get_height (GTK_WIDGET (self)), &x2, &y2);
  assay_scene_draw_marks (self->view, self->marks, assay_canvas_get_scale (self), x1, y1, x2, y2,
                          self->list);
}

static void
snapshot_overlay (AssayCanvas *self, GtkSnapshot *snapshot)
{
  /* Lines over the graph keep their weight in pixels where the graph is small. */
  double pixel = MAX (1, 1 / assay_canvas_get_scale (self));
  const AssayViewBox *selected = find_box (self, self->selection);
  const AssayViewBox *hovered = find_box (self, self->hover);
  const AssayViewBox *playhead = find_box (self, self->playhead);
  g_autoptr (GskRenderNode) node = NULL;
  double x, y;

  assay_display_list_clear (self->list);
  if (self->n_hits > 0)
    add_halos (self, pixel);
  if (selected != NULL)
    {
      add_edges (self, selected, self->show_fan_in ? 3 * pixel : 2 * pixel,
                 self->show_fan_out ? 3 * pixel : 2 * pixel,
                 self->show_fan_out ? ASSAY_LINE_DASHED : ASSAY_LINE_SOLID);
      add_ring (self, selected, ASSAY_ROLE_ACCENT_BG, 2 * pixel, 2 * pixel);
    }
  if (hovered != NULL && hovered != selected)
    {
      add_edges (self, hovered, 2 * pixel, 2 * pixel, ASSAY_LINE_SOLID);
      add_ring (self, hovered, ASSAY_ROLE_ACCENT_BG, pixel, pixel);
    }

  if (self->live != NULL)
    add_live (self, pixel);
  if (playhead != NULL)
    add_playhead (self, playhead, pixel);
  if (self->marks != NULL)
    add_marks (self);
  if (self->hover_stub != 0 && self->hover_stub <= self->view->stubs->len)
    add_stub (self, self->hover_stub - 1, pixel);

  assay_canvas_to_units (self, 0, 0, &x, &y);
  node = assay_painter_paint (self->painter, self->list, x, y);
  if (node != NULL)
    append_at (self, snapshot, node, x, y);
}

void
assay_canvas_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  AssayCanvas *self = ASSAY_CANVAS (widget);

  gtk_snapshot_append_color (snapshot, &self->palette.color[ASSAY_ROLE_VIEW_BG],
                             &GRAPHENE_RECT_INIT (0, 0, (float) gtk_widget_get_width (widget),
                                                  (float) gtk_widget_get_height (widget)));
  if (self->view == NULL || self->view->boxes->len == 0)
    return;

  choose_look (self);
  snapshot_in_sight (self, snapshot, assay_scene_draw_frames);
  snapshot_tiles (self, snapshot);
  snapshot_overlay (self, snapshot);
  snapshot_in_sight (self, snapshot, assay_scene_draw_headers);
}
