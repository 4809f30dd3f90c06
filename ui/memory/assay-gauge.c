/* assay-gauge.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/memory/assay-gauge.h"

#include "ui/canvas/assay-picture.h"

#define BAR_HEIGHT 4

struct _AssayGauge
{
  GtkWidget parent_instance;

  GtkWidget *label;
  GtkWidget *bar;
  double share;
};

G_DEFINE_FINAL_TYPE (AssayGauge, assay_gauge, GTK_TYPE_WIDGET)

static void
draw (AssayDisplayList *list, double width, double height, gpointer data)
{
  AssayGauge *self = data;

  if (self->share < 0)
    return;

  assay_display_list_rectangle (list, ASSAY_ROLE_MEMORY_GRID, 0, 0, width, height);
  if (self->share > 0)
    assay_display_list_rectangle (list, ASSAY_ROLE_EDGE, 0, 0,
                                  MAX (2, width * MIN (self->share, 1)), height);
}

static void
assay_gauge_dispose (GObject *object)
{
  AssayGauge *self = ASSAY_GAUGE (object);

  g_clear_pointer (&self->label, gtk_widget_unparent);
  g_clear_pointer (&self->bar, gtk_widget_unparent);

  G_OBJECT_CLASS (assay_gauge_parent_class)->dispose (object);
}

static void
assay_gauge_class_init (AssayGaugeClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = assay_gauge_dispose;

  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
assay_gauge_init (AssayGauge *self)
{
  GtkLayoutManager *layout = gtk_widget_get_layout_manager (GTK_WIDGET (self));

  gtk_orientable_set_orientation (GTK_ORIENTABLE (layout), GTK_ORIENTATION_VERTICAL);
  self->label = gtk_label_new (NULL);
  gtk_label_set_xalign (GTK_LABEL (self->label), 0);
  gtk_widget_add_css_class (self->label, "caption");
  gtk_widget_add_css_class (self->label, "numeric");
  gtk_widget_set_parent (self->label, GTK_WIDGET (self));
  self->bar = g_object_new (ASSAY_TYPE_PICTURE, "accessible-role", GTK_ACCESSIBLE_ROLE_PRESENTATION,
                            NULL);
  assay_picture_set_minimum (ASSAY_PICTURE (self->bar), 0, BAR_HEIGHT);
  assay_picture_set_functions (ASSAY_PICTURE (self->bar), draw, NULL, self);
  gtk_widget_set_parent (self->bar, GTK_WIDGET (self));
}

GtkWidget *
assay_gauge_new (void)
{
  return g_object_new (ASSAY_TYPE_GAUGE, NULL);
}

/**
 * assay_gauge_set:
 * @self: a gauge
 * @text: what and how much
 * @share: how full, 0 to 1; negative for something without a limit
 *
 * Sets what a gauge shows.
 */
void
assay_gauge_set (AssayGauge *self, const char *text, double share)
{
  self->share = share;
  gtk_label_set_label (GTK_LABEL (self->label), text);
  assay_picture_redraw (ASSAY_PICTURE (self->bar));
}
