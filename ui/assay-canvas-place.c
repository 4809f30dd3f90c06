/* assay-canvas-place.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Where one is in the graph, as a session file keeps it: open scopes, zoom, and what is in the middle.
 */
#include "ui/assay-canvas-private.h"

/**
 * assay_canvas_list_open_scopes:
 * @self: a canvas
 *
 * Lists the scopes that are unfolded.
 *
 * Returns: (transfer full) (nullable) (array zero-terminated=1): their paths; %NULL if there is no picture
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
 * assay_canvas_get_middle:
 * @self: a canvas
 * @x: (out): unit of the canvas
 * @y: (out): unit of the canvas
 *
 * Gets what is in the middle of what is seen.
 */
void
assay_canvas_get_middle (AssayCanvas *self,
                         double      *x,
                         double      *y)
{
  g_return_if_fail (ASSAY_IS_CANVAS (self));

  assay_canvas_to_units (self, gtk_widget_get_width (GTK_WIDGET (self)) / 2.0,
                         gtk_widget_get_height (GTK_WIDGET (self)) / 2.0, x, y);
}

static void
open_scopes (AssayCanvas       *self,
             const char *const *scopes)
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
  if (self->place->zoom > 0)
    {
      double x = self->place->x;
      double y = self->place->y;

      assay_canvas_set_zoom (self, self->place->zoom);
      g_clear_pointer (&self->place, assay_canvas_place_free);
      assay_canvas_put_unit_at (self, x, y, width / 2, height / 2, FALSE);
    }
  g_clear_pointer (&self->place, assay_canvas_place_free);
}

void
assay_canvas_place_free (AssayCanvasPlace *place)
{
  g_strfreev (place->open);
  g_free (place);
}

/**
 * assay_canvas_set_place:
 * @self: a canvas
 * @scopes: (nullable) (array zero-terminated=1): paths of the scopes to unfold, others are folded; %NULL leaves them
 * @zoom: zoom, 0 leaves it and what is seen
 * @x: unit of the canvas for the middle
 * @y: unit of the canvas for the middle
 *
 * Goes to a place in the graph, once there is a picture.
 */
void
assay_canvas_set_place (AssayCanvas       *self,
                        const char *const *scopes,
                        double             zoom,
                        double             x,
                        double             y)
{
  g_return_if_fail (ASSAY_IS_CANVAS (self));

  g_clear_pointer (&self->place, assay_canvas_place_free);
  self->place = g_new0 (AssayCanvasPlace, 1);
  self->place->open = g_strdupv ((char **) scopes);
  self->place->zoom = zoom;
  self->place->x = x;
  self->place->y = y;
  assay_canvas_try_place (self);
}
