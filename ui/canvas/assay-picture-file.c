/* assay-picture-file.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a widget shows, as a file or for the clipboard: the nodes that it draws itself with, played
 * on a surface of cairo, so that every picture can leave the window in the same way.
 */
#include "ui/canvas/assay-picture-file.h"

#include <cairo-svg.h>
#include <math.h>

#include "ui/canvas/assay-palette.h"

/* Files are looked at on screens with twice the pixels, too. */
#define FILE_SCALE 2.0

/* On the background that the window has behind it: what is drawn for dark is not seen on white. */
static void
draw (GtkWidget *widget, cairo_t *cr)
{
  g_autoptr (GtkSnapshot) snapshot = gtk_snapshot_new ();
  GskRenderNode *node;
  AssayPalette palette;

  assay_palette_init_default (&palette, FALSE, FALSE);
  assay_palette_load (&palette, widget);
  gdk_cairo_set_source_rgba (cr, &palette.color[ASSAY_ROLE_VIEW_BG]);
  cairo_paint (cr);

  /* A paintable and a parent have nothing of a widget that waits for its place or to be drawn anew,
   * as one does below a menu that closes. */
  GTK_WIDGET_GET_CLASS (widget)->snapshot (widget, snapshot);
  node = gtk_snapshot_to_node (snapshot);
  if (node != NULL)
    {
      gsk_render_node_draw (node, cr);
      gsk_render_node_unref (node);
    }
}

/**
 * assay_picture_file_render:
 * @widget: a widget that is shown
 * @scale: pixels per pixel of the window
 *
 * Makes a picture of what a widget shows.
 *
 * Returns: (transfer full): the picture
 */
GdkTexture *
assay_picture_file_render (GtkWidget *widget, double scale)
{
  int width = (int) ceil (gtk_widget_get_width (widget) * scale);
  int height = (int) ceil (gtk_widget_get_height (widget) * scale);
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width, height);
  cairo_t *cr = cairo_create (surface);
  g_autoptr (GBytes) bytes = NULL;
  GdkTexture *texture;

  cairo_scale (cr, scale, scale);
  draw (widget, cr);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  bytes = g_bytes_new (cairo_image_surface_get_data (surface),
                       (gsize) cairo_image_surface_get_stride (surface) * (gsize) height);
  texture = gdk_memory_texture_new (width, height, GDK_MEMORY_DEFAULT, bytes,
                                    (gsize) cairo_image_surface_get_stride (surface));
  cairo_surface_destroy (surface);

  return texture;
}

static cairo_status_t
append (void *bytes, const unsigned char *data, unsigned int length)
{
  g_byte_array_append (bytes, data, length);

  return CAIRO_STATUS_SUCCESS;
}

/**
 * assay_picture_file_write:
 * @widget: a widget that is shown
 * @path: the name of a file, whose ending says what it is: `.svg`, else PNG
 *
 * Makes a file of what a widget shows.
 *
 * Returns: (transfer full): its bytes
 */
GBytes *
assay_picture_file_write (GtkWidget *widget, const char *path)
{
  g_autofree char *lower = g_ascii_strdown (path, -1);
  g_autoptr (GdkTexture) texture = NULL;
  GByteArray *bytes;
  cairo_surface_t *surface;
  cairo_t *cr;

  if (!g_str_has_suffix (lower, ".svg"))
    {
      texture = assay_picture_file_render (widget, FILE_SCALE);
      return gdk_texture_save_to_png_bytes (texture);
    }

  bytes = g_byte_array_new ();
  surface = cairo_svg_surface_create_for_stream (append, bytes, gtk_widget_get_width (widget),
                                                 gtk_widget_get_height (widget));
  cr = cairo_create (surface);
  draw (widget, cr);
  cairo_destroy (cr);
  cairo_surface_destroy (surface);

  return g_byte_array_free_to_bytes (bytes);
}
