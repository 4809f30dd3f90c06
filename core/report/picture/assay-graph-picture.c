/* assay-graph-picture.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "report/picture/assay-graph-picture-private.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "base/assay-error.h"
#include "base/assay-file-write.h"
#include "report/picture/assay-cairo.h"
#include "report/picture/assay-svg.h"

#include "report/picture/assay-cairo-functions.h"

/* Pixels of a tile: a square of the largest side would take a quarter of a gigabyte. */
#define MAX_TILE_PIXELS (32.0 * 1024 * 1024)

static const struct
{
  const char *name;
  gboolean is_text;
} forms[ASSAY_N_PICTURE_FORMS] = {
  [ASSAY_PICTURE_SVG] = { "svg", TRUE },
  [ASSAY_PICTURE_PDF] = { "pdf", FALSE },
  [ASSAY_PICTURE_PNG] = { "png", FALSE },
  [ASSAY_PICTURE_DOT] = { "dot", TRUE },
};

/**
 * assay_picture_form_name:
 * @form: a form
 *
 * Gets the name of a form, which its files end with too.
 *
 * Returns: (transfer none): such as `svg`
 */
const char *
assay_picture_form_name (AssayPictureForm form)
{
  return forms[form].name;
}

/**
 * assay_picture_form_is_text:
 * @form: a form
 *
 * Tells whether files of a form can be looked at on a terminal.
 *
 * Returns: whether they are text
 */
gboolean
assay_picture_form_is_text (AssayPictureForm form)
{
  return forms[form].is_text;
}

/**
 * assay_picture_form_find:
 * @name: a name
 * @form: (out): the form
 *
 * Finds a form by its name.
 *
 * Returns: whether there is one
 */
gboolean
assay_picture_form_find (const char *name, AssayPictureForm *form)
{
  for (guint i = 0; i < ASSAY_N_PICTURE_FORMS; i++)
    if (g_str_equal (forms[i].name, name))
      {
        *form = i;
        return TRUE;
      }

  return FALSE;
}

/* Draws a part of the graph with every detail; nothing of it reaches out of the part. */
void
assay_graph_picture_draw (const AssayGraphPicture *self, double x, double y, double width,
                          double height, gboolean groups, AssayDisplayList *list)
{
  AssaySceneLook look = {
    .detail = ASSAY_DETAIL_FULL,
    .scale = 1,
    .filter = self->filter,
    .labels = TRUE,
    .chips = self->scale >= ASSAY_CHIPS_FROM,
    .overlay = self->overlay,
    .groups = groups,
    .all_frames = TRUE,
  };
  double right = x + width;
  double bottom = y + height;

  assay_display_list_clip (list, x, y, width, height);
  assay_scene_draw_frames (self->view, &look, x, y, right, bottom, list);
  assay_scene_draw (self->view, &look, x - ASSAY_SCENE_REACH_X, y - ASSAY_SCENE_REACH_Y, right,
                    bottom, list);
  if (self->marks != NULL)
    assay_scene_draw_marks (self->view, self->marks, 1, x, y, right, bottom, list);
  /* From further up, so that every header stands at the upper end of its frame and none at the edge
   * of the part. */
  assay_scene_draw_headers (self->view, &look, x - ASSAY_SCENE_REACH_X, y - ASSAY_SCENE_REACH_Y,
                            right, bottom, list);
  assay_display_list_end (list);
}

cairo_status_t
assay_graph_picture_write (void *bytes, const unsigned char *data, unsigned int length)
{
  g_byte_array_append (bytes, data, length);

  return CAIRO_STATUS_SUCCESS;
}

static char *
describe_box (guint32 id, gpointer user_data)
{
  return assay_scene_describe_box (user_data, id);
}

static GBytes *
to_svg (const AssayGraphPicture *self)
{
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  double left = self->x + ASSAY_PICTURE_MARGIN;
  double room = MAX (self->width - 2 * ASSAY_PICTURE_MARGIN, 1);
  AssaySvgOptions options = {
    .colors = self->colors,
    .family = self->family,
    .title = self->title,
    .x = self->x,
    .y = self->y,
    .width = self->width,
    .height = self->height,
    .describe = describe_box,
    .user_data = (gpointer) self->view,
  };
  char *text;
  gsize length;

  assay_graph_picture_draw (self, self->x, self->y, self->width, self->height, TRUE, list);
  options.height += assay_scene_draw_legend (self->view, self->overlay, left,
                                             self->y + self->height, room, list);
  options.height += ASSAY_PICTURE_MARGIN;
  text = assay_svg_from_list (list, &options, &length);

  return g_bytes_new_take (text, length);
}

static GBytes *
draw_tile (const AssayGraphPicture *self, int x, int y, int width, int height, GError **error)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, width, height);
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  const AssayColor *background = &self->colors->color[ASSAY_ROLE_VIEW_BG];
  double left = self->x + x / self->scale;
  double top = self->y + y / self->scale;
  cairo_t *cr = cairo_create (surface);
  cairo_status_t status;

  assay_graph_picture_draw (self, left, top, width / self->scale, height / self->scale, FALSE,
                            list);
  cairo_set_source_rgb (cr, background->red, background->green, background->blue);
  cairo_paint (cr);
  cairo_scale (cr, self->scale, self->scale);
  cairo_translate (cr, -left, -top);
  assay_cairo_play (cr, list, self->colors, self->family);
  status = cairo_status (cr);
  cairo_destroy (cr);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_write_to_png_stream (surface, assay_graph_picture_write, bytes);
  cairo_surface_destroy (surface);

  if (status != CAIRO_STATUS_SUCCESS)
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_SAVE,
                   "a tile of %d x %d pixels cannot be drawn: %s", width, height,
                   cairo_status_to_string (status));
      return NULL;
    }

  return g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
}

/* Tiles of nearly the same size, row after row; the last of each row and column may be a little
 * smaller. */
static gboolean
to_tiles (const AssayGraphPicture *self, GPtrArray *files, const AssayProgress *progress,
          GError **error)
{
  double width = ceil (self->width * self->scale);
  double height = ceil (self->height * self->scale);
  double columns = ceil (width / ASSAY_PICTURE_TILE);
  double tile_width = ceil (width / columns);
  double rows = ceil (height / MIN (ASSAY_PICTURE_TILE, floor (MAX_TILE_PIXELS / tile_width)));
  double tile_height = ceil (height / rows);

  for (double y = 0; y < height; y += tile_height)
    for (double x = 0; x < width; x += tile_width)
      {
        GBytes *tile;

        assay_progress_report (progress, (y + x / columns / tile_width * tile_height) / height,
                               "Drawing tiles");
        if (!assay_progress_check (progress, error))
          return FALSE;
        tile = draw_tile (self, (int) x, (int) y, (int) MIN (tile_width, width - x),
                          (int) MIN (tile_height, height - y), error);
        if (tile == NULL)
          return FALSE;
        g_ptr_array_add (files, tile);
      }

  return TRUE;
}

static AssayGraphPicture
complete (const AssayGraphPicture *self)
{
  AssayGraphPicture whole = *self;

  if (whole.width <= 0 || whole.height <= 0)
    {
      whole.x = whole.y = -ASSAY_PICTURE_MARGIN;
      whole.width = self->view->width + 2 * ASSAY_PICTURE_MARGIN;
      whole.height = self->view->height + 2 * ASSAY_PICTURE_MARGIN;
    }
  if (whole.scale <= 0)
    whole.scale = 1;

  return whole;
}

/**
 * assay_graph_picture_render:
 * @self: a picture
 * @form: what to make of it
 * @progress: (nullable): progress sink
 * @error: return location for a #GError
 *
 * Makes the files of a picture: one, or several for tiles.
 *
 * Returns: (transfer full) (element-type GBytes): the contents, %NULL on error or if cancelled
 */
GPtrArray *
assay_graph_picture_render (const AssayGraphPicture *self, AssayPictureForm form,
                            const AssayProgress *progress, GError **error)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  AssayGraphPicture whole;
  GBytes *file = NULL;

  if (!assay_cairo_load (error))
    return NULL;
  whole = complete (self);

  if (form == ASSAY_PICTURE_PNG)
    {
      if (!to_tiles (&whole, files, progress, error))
        return NULL;
      return g_steal_pointer (&files);
    }

  if (form == ASSAY_PICTURE_SVG)
    file = to_svg (&whole);
  else if (form == ASSAY_PICTURE_DOT)
    file = assay_graph_picture_to_dot (&whole);
  else
    file = assay_graph_picture_to_pdf (&whole, progress, error);
  if (file == NULL)
    return NULL;
  g_ptr_array_add (files, file);

  return g_steal_pointer (&files);
}

/**
 * assay_graph_picture_dup_name:
 * @path: path that was asked for
 * @index: number of a file, from 0
 * @n: how many files there are
 *
 * Names one of the files of a picture: a single one as asked for, tiles with a number before the
 * ending.
 *
 * Returns: (transfer full) (type filename): such as `net-03.png`
 */
char *
assay_graph_picture_dup_name (const char *path, guint index, guint n)
{
  const char *slash = strrchr (path, G_DIR_SEPARATOR);
  const char *dot = strrchr (slash != NULL ? slash : path, '.');
  int digits = n < 100 ? 2 : n < 1000 ? 3 : 5;
  gsize stem = dot != NULL ? (gsize) (dot - path) : strlen (path);

  if (n == 1)
    return g_strdup (path);

  return g_strdup_printf ("%.*s-%0*u%s", (int) stem, path, digits, index + 1,
                          dot != NULL ? dot : "");
}

/**
 * assay_graph_picture_save:
 * @self: a picture
 * @form: what to make of it
 * @path: (type filename): where to write it; tiles get a number before the ending
 * @n_files: (out) (optional): how many files there are
 * @progress: (nullable): progress sink
 * @error: return location for a #GError
 *
 * Writes a picture into files, all of them or none. Nothing is written before all of it is drawn.
 *
 * Returns: whether it was written
 */
gboolean
assay_graph_picture_save (const AssayGraphPicture *self, AssayPictureForm form, const char *path,
                          guint *n_files, const AssayProgress *progress, GError **error)
{
  g_autoptr (GPtrArray) files = assay_graph_picture_render (self, form, progress, error);
  g_autoptr (AssayFileGroup) group = assay_file_group_new ();
  gboolean written = files != NULL;

  assay_file_group_enter (group);
  for (guint i = 0; written && i < files->len; i++)
    {
      g_autofree char *name = assay_graph_picture_dup_name (path, i, files->len);
      gsize length;
      const char *data = g_bytes_get_data (g_ptr_array_index (files, i), &length);

      written = assay_file_write (name, data, length, error);
    }
  assay_file_group_leave (group);
  if (!written || !assay_file_group_commit (group, error))
    return FALSE;
  if (n_files != NULL)
    *n_files = files->len;

  return TRUE;
}
