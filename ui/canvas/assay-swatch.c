/* assay-swatch.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/canvas/assay-swatch.h"

#include "ui/canvas/assay-palette.h"

#define SIZE 16

struct _AssaySwatch
{
  GtkWidget parent_instance;

  AssayRole role;
  AssayPalette palette;
};

G_DEFINE_FINAL_TYPE (AssaySwatch, assay_swatch, GTK_TYPE_WIDGET)

static void
assay_swatch_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  AssaySwatch *self = ASSAY_SWATCH (widget);
  const GdkRGBA *line = &self->palette.color[ASSAY_ROLE_BOX_BORDER];
  GskRoundedRect outline;

  gsk_rounded_rect_init_from_rect (&outline,
                                   &GRAPHENE_RECT_INIT (0, 0, (float) gtk_widget_get_width (widget),
                                                        (float) gtk_widget_get_height (widget)),
                                   3);
  gtk_snapshot_push_rounded_clip (snapshot, &outline);
  gtk_snapshot_append_color (snapshot, &self->palette.color[self->role], &outline.bounds);
  gtk_snapshot_pop (snapshot);
  gtk_snapshot_append_border (snapshot, &outline, (const float[4]){ 1, 1, 1, 1 },
                              (const GdkRGBA[4]){ *line, *line, *line, *line });
}

static void
assay_swatch_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (assay_swatch_parent_class)->css_changed (widget, change);
  if (assay_palette_load (&ASSAY_SWATCH (widget)->palette, widget))
    gtk_widget_queue_draw (widget);
}

static void
assay_swatch_class_init (AssaySwatchClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->snapshot = assay_swatch_snapshot;
  widget_class->css_changed = assay_swatch_css_changed;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void
assay_swatch_init (AssaySwatch *self)
{
  assay_palette_init_default (&self->palette, FALSE, FALSE);
  gtk_widget_set_size_request (GTK_WIDGET (self), SIZE, SIZE);
  gtk_widget_set_valign (GTK_WIDGET (self), GTK_ALIGN_CENTER);
}

/**
 * assay_swatch_new:
 * @role: a colour
 *
 * Makes a square in a colour.
 *
 * Returns: (transfer floating): the widget
 */
GtkWidget *
assay_swatch_new (AssayRole role)
{
  AssaySwatch *self = g_object_new (ASSAY_TYPE_SWATCH, NULL);

  self->role = role;
  return GTK_WIDGET (self);
}
