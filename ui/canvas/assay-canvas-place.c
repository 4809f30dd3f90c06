/* assay-canvas-place.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where one is in the graph, as a session file keeps it: open scopes, zoom, and what is in the
 * middle.
 */
#include "ui/canvas/assay-canvas-private.h"

/**
 * assay_canvas_list_open_scopes:
 * @self: a canvas
 *
 * Lists the scopes that are unfolded.
 *
 * Returns: (transfer full) (nullable) (array zero-terminated=1): their paths; %NULL if there is no
 * picture
 */
char **
assay_canvas_list_open_scopes (AssayCanvas *self)
{
  g_autoptr (GStrvBuilder) builder = NULL;

  g_return_val_if_fail (ASSAY_IS_CANVAS (self), NULL);

  if (self->view == NULL)
    return NULL;

  builder = g_strv_builder_new ();
  for (guint i = 1; i < self->tree->scopes->len; i++)
    if (self->open[i])
      g_strv_builder_add (builder, assay_scope_tree_get (self->tree, i)->path);

  return g_strv_builder_end (builder);
}

/**
 * assay_canvas_dup_middle:
 * @self: a canvas
 * @x: (out): units of the canvas from the middle of the box of that node
 * @y: (out): the same, downward
 *
 * Gets what is in the middle of what is seen. It is told from the box nearest to it, because a
 * picture that is refined later, or laid out by another version, has its boxes elsewhere.
 *
 * Returns: (transfer full) (nullable): name of the node, %NULL if @x and @y are told from the upper
 * left
 */
char *
assay_canvas_dup_middle (AssayCanvas *self, double *x, double *y)
{
  const AssayViewBox *box;
  guint32 index;

  g_return_val_if_fail (ASSAY_IS_CANVAS (self), NULL);

  assay_canvas_to_units (self, gtk_widget_get_width (GTK_WIDGET (self)) / 2.0,
                         gtk_widget_get_height (GTK_WIDGET (self)) / 2.0, x, y);
  index = self->view != NULL ? assay_view_nearest (self->view, *x, *y) : ASSAY_NO_BOX;
  box = index != ASSAY_NO_BOX ? assay_view_box (self->view, index) : NULL;
  if (box == NULL || box->node == ASSAY_NO_NODE)
    return NULL;

  *x -= box->x + box->width / 2;
  *y -= box->y + box->height / 2;
  return g_strdup (assay_graph_node (self->verdicts->graph, box->node)->name);
}

/**
 * assay_canvas_shows_selection:
 * @self: a canvas
 * @itself: whether a folded scope around it does not do
 *
 * Tells whether the selected node is in sight or is just being scrolled to.
 *
 * Returns: whether it is
 */
gboolean
assay_canvas_shows_selection (AssayCanvas *self, gboolean itself)
{
  guint32 index;
  const AssayViewBox *box;
  double x, y, width, end;

  g_return_val_if_fail (ASSAY_IS_CANVAS (self), FALSE);

  index = self->view != NULL ? assay_view_find_node (self->view, self->selection) : ASSAY_NO_BOX;
  if (index == ASSAY_NO_BOX || self->shown_height <= 0 || self->fit_pending)
    return FALSE;
  if (self->motion != NULL && adw_animation_get_state (self->motion) == ADW_ANIMATION_PLAYING)
    return TRUE;

  box = assay_view_box (assay_canvas_get_settled (self), index);
  if (itself && box->kind == ASSAY_BOX_SCOPE)
    return FALSE;

  assay_canvas_get_origin (self, &x, &y);
  x += box->x * assay_canvas_get_scale (self);
  y += box->y * assay_canvas_get_scale (self);
  width = box->width * assay_canvas_get_scale (self);
  end = gtk_widget_get_width (GTK_WIDGET (self)) - self->sides[1];

  return y >= 0 && y + box->height * assay_canvas_get_scale (self) <= self->shown_height &&
         x >= self->sides[0] &&
         (x + width <= end ||
          (width > end - self->sides[0] && x <= self->sides[0] + ASSAY_INSET_SIDE));
}

/**
 * assay_canvas_set_sides:
 * @self: a canvas
 * @left: pixels at the left that a pane covers
 * @right: pixels at the right that a pane covers
 *
 * Lets nodes that are shown from now on stand between panes that lie over the graph, which itself
 * stays where it is unless the selected node was in sight and would be below one of them.
 */
void
assay_canvas_set_sides (AssayCanvas *self, double left, double right)
{
  gboolean grows, shown;

  g_return_if_fail (ASSAY_IS_CANVAS (self));

  grows = left > self->sides[0] || right > self->sides[1];
  shown = grows && !self->at_rest && assay_canvas_shows_selection (self, FALSE);
  self->sides[0] = left;
  self->sides[1] = right;
  /* Where it is on its way to was chosen for other sides. */
  if (shown &&
      ((self->motion != NULL && adw_animation_get_state (self->motion) == ADW_ANIMATION_PLAYING) ||
       !assay_canvas_shows_selection (self, FALSE)))
    assay_canvas_show_box (self, assay_view_find_node (self->view, self->selection));
}

/* Where the selected node, or the folded scope around it, stands or comes to stand at the end of a
 * movement: pixels of the canvas. */
gboolean
assay_canvas_find_selection (AssayCanvas *self, graphene_rect_t *rect)
{
  guint32 index = self->view != NULL && self->selection != 0
                      ? assay_view_find_node (self->view, self->selection)
                      : ASSAY_NO_BOX;
  double scale = assay_canvas_get_scale (self);
  const AssayViewBox *box;
  double x, y;

  if (index == ASSAY_NO_BOX || self->fit_pending)
    return FALSE;

  box = assay_view_box (assay_canvas_get_settled (self), index);
  assay_canvas_get_origin (self, &x, &y);
  if (self->motion != NULL && adw_animation_get_state (self->motion) == ADW_ANIMATION_PLAYING)
    {
      x += self->hvalue - self->motion_to[0];
      y += self->vvalue - self->motion_to[1];
    }
  graphene_rect_init (rect, (float) (x + box->x * scale), (float) (y + box->y * scale),
                      (float) (box->width * scale), (float) (box->height * scale));

  return TRUE;
}

static AssayNodeId
find_node (AssayGraph *graph, const char *name)
{
  for (AssayNodeId id = 1; name != NULL && id < assay_graph_n_nodes (graph); id++)
    if (g_str_equal (assay_graph_node (graph, id)->name, name))
      return id;

  return ASSAY_NO_NODE;
}

/* Of another part of the model only the node comes back; where it is not there any more, all of the
 * picture does. */
static void
go_to (AssayCanvas *self, const AssayCanvasPlace *place, double width, double height)
{
  AssayNodeId node = find_node (self->verdicts->graph, place->anchor);
  const AssayViewBox *box;

  if (place->anchor == NULL)
    {
      assay_canvas_put_unit_at (self, place->x, place->y, width / 2, height / 2, FALSE);
      return;
    }
  if (node == ASSAY_NO_NODE)
    {
      assay_canvas_fit (self);
      return;
    }
  if (assay_graph_node (self->verdicts->graph, node)->region != self->region)
    {
      assay_canvas_reveal (self, node);
      return;
    }
  box = assay_view_box (assay_canvas_get_settled (self), assay_view_find_node (self->view, node));
  assay_canvas_put_unit_at (self, box->x + box->width / 2 + place->x,
                            box->y + box->height / 2 + place->y, width / 2, height / 2, FALSE);
}

static void
open_scopes (AssayCanvas *self, const char *const *scopes)
{
  gboolean changed = FALSE;

  for (guint i = 1; i < self->tree->scopes->len; i++)
    {
      guint8 open = g_strv_contains (scopes, assay_scope_tree_get (self->tree, i)->path);

      changed = changed || self->open[i] != open;
      self->open[i] = open;
    }
  if (changed)
    assay_canvas_rebuild (self, 0);
}

/* As soon as there is a picture in a widget with a size; each of them tries again. */
void
assay_canvas_try_place (AssayCanvas *self)
{
  double width = gtk_widget_get_width (GTK_WIDGET (self));
  double height = gtk_widget_get_height (GTK_WIDGET (self));
  AssayCanvasPlace *place;

  if (self->place == NULL || self->view == NULL || width <= 0)
    return;

  if (self->place->open != NULL)
    {
      g_auto (GStrv) scopes = g_steal_pointer (&self->place->open);
      guint generation = self->generation;

      open_scopes (self, (const char *const *) scopes);
      /* The picture with these scopes comes back here, at once or from a thread. */
      if (self->generation != generation)
        return;
    }

  self->fit_pending = FALSE;
  self->pending_reveal = 0;
  /* Zooming and going there come back here. */
  place = g_steal_pointer (&self->place);
  if (place->zoom > 0)
    {
      assay_canvas_set_zoom (self, place->zoom);
      go_to (self, place, width, height);
    }
  assay_canvas_place_free (place);
}

void
assay_canvas_place_free (AssayCanvasPlace *place)
{
  g_strfreev (place->open);
  g_free (place->anchor);
  g_free (place);
}

/**
 * assay_canvas_set_place:
 * @self: a canvas
 * @scopes: (nullable) (array zero-terminated=1): paths of the scopes to unfold, others are folded;
 * %NULL leaves them
 * @zoom: zoom, 0 leaves it and what is seen
 * @anchor: (nullable): name of the node near the middle
 * @x: as assay_canvas_dup_middle() tells it
 * @y: the same, downward
 *
 * Goes to a place in the graph, once there is a picture.
 */
void
assay_canvas_set_place (AssayCanvas *self, const char *const *scopes, double zoom,
                        const char *anchor, double x, double y)
{
  g_return_if_fail (ASSAY_IS_CANVAS (self));

  g_clear_pointer (&self->place, assay_canvas_place_free);
  self->place = g_new0 (AssayCanvasPlace, 1);
  self->place->open = g_strdupv ((char **) scopes);
  self->place->zoom = zoom;
  self->place->anchor = g_strdup (anchor);
  self->place->x = x;
  self->place->y = y;
  assay_canvas_try_place (self);
}
