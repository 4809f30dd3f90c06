/* assay-picture.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/canvas/assay-picture.h"

#include <math.h>

#include "ui/canvas/assay-painter.h"
#include "ui/window/assay-export-menu.h"

struct _AssayPicture
{
  GtkWidget parent_instance;

  AssayPictureDraw draw;
  AssayPictureDescribe describe;
  gpointer data;
  int minimum_width;
  double minimum_height; /* in units */
  double least_height;   /* in units */
  AssayPainter *painter;
  AssayPalette palette;
  GskRenderNode *node;
  int drawn_width;
  int drawn_height;
};

G_DEFINE_FINAL_TYPE (AssayPicture, assay_picture, GTK_TYPE_WIDGET)

static void
assay_picture_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  AssayPicture *self = ASSAY_PICTURE (widget);
  double unit = self->palette.unit;
  int width = gtk_widget_get_width (widget);
  int height = gtk_widget_get_height (widget);

  if (self->draw == NULL || width < 1 || height < 1)
    return;

  if (self->node == NULL || width != self->drawn_width || height != self->drawn_height)
    {
      g_autoptr (AssayDisplayList) list = assay_display_list_new ();

      self->draw (list, width / unit, height / unit, self->data);
      g_clear_pointer (&self->node, gsk_render_node_unref);
      self->node = assay_painter_paint (self->painter, list, 0, 0);
      self->drawn_width = width;
      self->drawn_height = height;
    }
  if (self->node == NULL)
    return;

  gtk_snapshot_save (snapshot);
  gtk_snapshot_scale (snapshot, (float) unit, (float) unit);
  gtk_snapshot_append_node (snapshot, self->node);
  gtk_snapshot_restore (snapshot);
}

static void
assay_picture_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                       int *natural, int *minimum_baseline, int *natural_baseline)
{
  AssayPicture *self = ASSAY_PICTURE (widget);

  *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL
                            ? self->minimum_width
                            : (int) ceil (MAX (self->minimum_height, self->least_height) *
                                          self->palette.unit);
}

static void
assay_picture_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  AssayPicture *self = ASSAY_PICTURE (widget);
  const PangoFontDescription *font;

  GTK_WIDGET_CLASS (assay_picture_parent_class)->css_changed (widget, change);

  if (!assay_palette_load (&self->palette, widget))
    return;

  font = pango_context_get_font_description (gtk_widget_get_pango_context (widget));
  assay_painter_set_palette (self->painter, &self->palette);
  assay_painter_set_family (self->painter, pango_font_description_get_family (font));
  assay_picture_redraw (self);
  /* GTK measures anew for another font only what it knows to have text. */
  gtk_widget_queue_resize (widget);
}

static gboolean
assay_picture_query_tooltip (GtkWidget *widget, int x, int y, gboolean keyboard,
                             GtkTooltip *tooltip)
{
  AssayPicture *self = ASSAY_PICTURE (widget);
  double unit = self->palette.unit;
  g_autofree char *text = NULL;

  if (self->describe != NULL && !keyboard)
    text = self->describe (x / unit, y / unit, gtk_widget_get_width (widget) / unit,
                           gtk_widget_get_height (widget) / unit, self->data);
  gtk_tooltip_set_text (tooltip, text);
  return text != NULL;
}

static void
assay_picture_finalize (GObject *object)
{
  AssayPicture *self = ASSAY_PICTURE (object);

  g_clear_pointer (&self->node, gsk_render_node_unref);
  g_clear_pointer (&self->painter, assay_painter_free);

  G_OBJECT_CLASS (assay_picture_parent_class)->finalize (object);
}

static void
assay_picture_class_init (AssayPictureClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = assay_picture_finalize;
  widget_class->snapshot = assay_picture_snapshot;
  widget_class->measure = assay_picture_measure;
  widget_class->css_changed = assay_picture_css_changed;
  widget_class->query_tooltip = assay_picture_query_tooltip;

  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
assay_picture_init (AssayPicture *self)
{
  self->painter = assay_painter_new ();
  assay_palette_init_default (&self->palette, FALSE, FALSE);
  assay_export_menu_add_picture (GTK_WIDGET (self));
}

/**
 * assay_picture_set_functions:
 * @self: a picture
 * @draw: draws it
 * @describe: (nullable): words for what is under the pointer
 * @data: data for both, which has to live as long as the picture
 *
 * Sets what a picture shows.
 */
void
assay_picture_set_functions (AssayPicture *self, AssayPictureDraw draw,
                             AssayPictureDescribe describe, gpointer data)
{
  self->draw = draw;
  self->describe = describe;
  self->data = data;
  gtk_widget_set_has_tooltip (GTK_WIDGET (self), describe != NULL);
  assay_picture_redraw (self);
}

/**
 * assay_picture_set_minimum:
 * @self: a picture
 * @width: pixels
 * @height: units, which grow with the font
 *
 * Sets the least size at which the picture can be read.
 */
void
assay_picture_set_minimum (AssayPicture *self, int width, int height)
{
  self->minimum_width = width;
  self->minimum_height = height;
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

/**
 * assay_picture_set_least_height:
 * @self: a picture
 * @height: units, which grow with the font
 *
 * Sets the height that lines of text need.
 */
void
assay_picture_set_least_height (AssayPicture *self, double height)
{
  if (self->least_height == height)
    return;

  self->least_height = height;
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

/**
 * assay_picture_get_unit:
 * @self: a picture
 *
 * Gets how long a unit is.
 *
 * Returns: pixels
 */
double
assay_picture_get_unit (AssayPicture *self)
{
  return self->palette.unit;
}

/**
 * assay_picture_redraw:
 * @self: a picture
 *
 * Draws the picture anew, as what it shows has changed.
 */
void
assay_picture_redraw (AssayPicture *self)
{
  g_clear_pointer (&self->node, gsk_render_node_unref);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}
