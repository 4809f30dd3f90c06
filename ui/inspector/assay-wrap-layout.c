/* assay-wrap-layout.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/inspector/assay-wrap-layout.h"

#define SPACING 6

struct _AssayWrapLayout
{
  GtkLayoutManager parent_instance;
};

G_DEFINE_FINAL_TYPE (AssayWrapLayout, assay_wrap_layout, GTK_TYPE_LAYOUT_MANAGER)

/* Goes through the lines that a width has; with @place each child gets its own. */
static int
lay_out (GtkWidget *widget, int width, gboolean place)
{
  gboolean rtl = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  int x = 0, y = 0, line = 0;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      int least, usual, wide, high;

      if (!gtk_widget_should_layout (child))
        continue;
      gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, &least, &usual, NULL, NULL);
      wide = CLAMP (usual, least, MAX (width, least));
      gtk_widget_measure (child, GTK_ORIENTATION_VERTICAL, wide, NULL, &high, NULL, NULL);
      if (x > 0 && x + wide > width)
        {
          y += line + SPACING;
          x = line = 0;
        }
      if (place)
        gtk_widget_size_allocate (
            child, &(GtkAllocation){ rtl ? width - x - wide : x, y, wide, high }, -1);
      x += wide + SPACING;
      line = MAX (line, high);
    }

  return y + line;
}

static GtkSizeRequestMode
assay_wrap_layout_get_request_mode (GtkLayoutManager *manager, GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
assay_wrap_layout_measure (GtkLayoutManager *manager, GtkWidget *widget, GtkOrientation orientation,
                           int for_size, int *minimum, int *natural, int *minimum_baseline,
                           int *natural_baseline)
{
  int widest = 0, total = 0;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      int least, usual;

      if (!gtk_widget_should_layout (child))
        continue;
      gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, &least, &usual, NULL, NULL);
      widest = MAX (widest, least);
      total += usual + (total > 0 ? SPACING : 0);
    }

  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      *minimum = widest;
      *natural = MAX (widest, total);
    }
  else
    *minimum = *natural = lay_out (widget, for_size >= 0 ? for_size : MAX (widest, total), FALSE);
}

static void
assay_wrap_layout_allocate (GtkLayoutManager *manager, GtkWidget *widget, int width, int height,
                            int baseline)
{
  lay_out (widget, width, TRUE);
}

static void
assay_wrap_layout_class_init (AssayWrapLayoutClass *klass)
{
  GtkLayoutManagerClass *layout_class = GTK_LAYOUT_MANAGER_CLASS (klass);

  layout_class->get_request_mode = assay_wrap_layout_get_request_mode;
  layout_class->measure = assay_wrap_layout_measure;
  layout_class->allocate = assay_wrap_layout_allocate;
}

static void
assay_wrap_layout_init (AssayWrapLayout *self)
{
}
