/* shots-picture.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * A window with everything that lies over it, as one picture.
 */
#include "shots-picture.h"

static void
snapshot_surface (GtkWidget *widget, GtkSnapshot *snapshot)
{
  g_autoptr (GdkPaintable) paintable = gtk_widget_paintable_new (widget);

  gdk_paintable_snapshot (paintable, snapshot, gdk_paintable_get_intrinsic_width (paintable),
                          gdk_paintable_get_intrinsic_height (paintable));
}

typedef struct
{
  GtkWidget *window;
  GtkSnapshot *snapshot;
} Popovers;

/* A popover has its own surface: it is put where the screen shows it. */
static void
add_popover (GtkWidget *widget, gpointer data)
{
  Popovers *popovers = data;
  GdkSurface *surface;
  double window_x, window_y, x, y;

  if (!GTK_IS_POPOVER (widget) || !gtk_widget_get_mapped (widget))
    return;

  surface = gtk_native_get_surface (GTK_NATIVE (widget));
  gtk_native_get_surface_transform (GTK_NATIVE (popovers->window), &window_x, &window_y);
  gtk_native_get_surface_transform (GTK_NATIVE (widget), &x, &y);
  gtk_snapshot_save (popovers->snapshot);
  x += gdk_popup_get_position_x (GDK_POPUP (surface)) - window_x;
  y += gdk_popup_get_position_y (GDK_POPUP (surface)) - window_y;
  gtk_snapshot_translate (popovers->snapshot, &GRAPHENE_POINT_INIT ((float) x, (float) y));
  snapshot_surface (widget, popovers->snapshot);
  gtk_snapshot_restore (popovers->snapshot);
}

/* What belongs to the window lies over its middle, as a window manager would put it. */
static void
add_transients (GtkWindow *window, GtkSnapshot *snapshot)
{
  GListModel *toplevels = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (toplevels); i++)
    {
      g_autoptr (GtkWidget) toplevel = g_list_model_get_item (toplevels, i);
      float x, y;

      if (gtk_window_get_transient_for (GTK_WINDOW (toplevel)) != window ||
          !gtk_widget_get_mapped (toplevel))
        continue;

      x = (float) (gtk_widget_get_width (GTK_WIDGET (window)) - gtk_widget_get_width (toplevel)) /
          2;
      y = (float) (gtk_widget_get_height (GTK_WIDGET (window)) - gtk_widget_get_height (toplevel)) /
          2;
      gtk_snapshot_save (snapshot);
      gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT (x, MAX (y, 0)));
      snapshot_surface (toplevel, snapshot);
      gtk_snapshot_restore (snapshot);
    }
}

static GskRenderNode *
draw_all (AssayWindow *window)
{
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  Popovers popovers = { GTK_WIDGET (window), snapshot };

  snapshot_surface (GTK_WIDGET (window), snapshot);
  ui_for_each (GTK_WIDGET (window), add_popover, &popovers);
  add_transients (GTK_WINDOW (window), snapshot);

  return gtk_snapshot_free_to_node (snapshot);
}

/* Writes what the window, its popovers and its dialogs show. */
void
shots_save (AssayWindow *window, const char *path)
{
  g_autoptr (GskRenderer) renderer = gsk_cairo_renderer_new ();
  g_autoptr (GskRenderNode) node = NULL;
  g_autoptr (GdkTexture) texture = NULL;
  g_autoptr (GError) error = NULL;
  int scale = gtk_widget_get_scale_factor (GTK_WIDGET (window));
  GtkSnapshot *scaled;
  graphene_rect_t area;
  double x, y;

  /* Between a change of size and the next frame there is nothing to be seen. */
  for (guint i = 0; i < 50 && node == NULL; i++)
    {
      ui_settle ();
      node = draw_all (window);
    }
  g_assert_nonnull (node);

  if (!gsk_renderer_realize (renderer, NULL, &error))
    g_error ("%s", error->message);
  gtk_native_get_surface_transform (GTK_NATIVE (window), &x, &y);
  graphene_rect_init (&area, (float) x * scale, (float) y * scale,
                      (float) gtk_widget_get_width (GTK_WIDGET (window)) * scale,
                      (float) gtk_widget_get_height (GTK_WIDGET (window)) * scale);
  scaled = gtk_snapshot_new ();
  gtk_snapshot_scale (scaled, (float) scale, (float) scale);
  gtk_snapshot_append_node (scaled, node);
  gsk_render_node_unref (node);
  node = gtk_snapshot_free_to_node (scaled);
  texture = gsk_renderer_render_texture (renderer, node, &area);
  gsk_renderer_unrealize (renderer);
  if (!gdk_texture_save_to_png (texture, path))
    g_error ("%s cannot be written", path);
}
