/* assay-relayout.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * GTK 4.8 loses a request for another size that comes while places are given, if a parent is given
 * its own place at that time and the one below the parent only passes places on: the parent takes
 * everything below it for done, and those between stay without a place, blank, until the window
 * changes its size. A scrolled window whose bars come or go and a flap that folds ask so. They ask
 * again here when the layout of the frame is over: its clock then goes round once more before it
 * paints.
 */
#include "ui/window/assay-relayout.h"

#include <adwaita.h>

#define STALE "assay-stale"
#define FOLLOWED "assay-followed"
#define BAR "assay-bar"

static void
layout_cb (GdkSurface *surface, int width, int height, GPtrArray *stale)
{
  for (guint i = 0; i < stale->len; i++)
    for (GtkWidget *widget = g_ptr_array_index (stale, i); widget != NULL;
         widget = GTK_IS_NATIVE (widget) ? NULL : gtk_widget_get_parent (widget))
      gtk_widget_queue_allocate (widget);

  g_ptr_array_set_size (stale, 0);
}

/* A handler that is connected while the layout runs would not be called for it. */
static GPtrArray *
get_stale (GtkWidget *widget)
{
  GtkNative *native = gtk_widget_get_native (widget);
  GdkSurface *surface = native != NULL ? gtk_native_get_surface (native) : NULL;
  GPtrArray *stale = surface != NULL ? g_object_get_data (G_OBJECT (surface), STALE) : NULL;

  if (surface == NULL || stale != NULL)
    return stale;

  stale = g_ptr_array_new_with_free_func (g_object_unref);
  g_object_set_data_full (G_OBJECT (surface), STALE, stale, (GDestroyNotify) g_ptr_array_unref);
  g_signal_connect (surface, "layout", G_CALLBACK (layout_cb), stale);

  return stale;
}

/* Whether GTK shows a bar, as it decides itself. */
static void
adjustment_cb (GtkWidget *scrolled, GtkAdjustment *adjustment)
{
  gboolean bar = gtk_adjustment_get_upper (adjustment) - gtk_adjustment_get_lower (adjustment) >
                 gtk_adjustment_get_page_size (adjustment);

  if (bar == GPOINTER_TO_INT (g_object_get_data (G_OBJECT (adjustment), BAR)))
    return;

  g_object_set_data (G_OBJECT (adjustment), BAR, GINT_TO_POINTER (bar));
  assay_relayout_queue (scrolled);
}

static void
follow_adjustment (GtkWidget *scrolled, GtkAdjustment *adjustment)
{
  if (g_object_get_data (G_OBJECT (adjustment), FOLLOWED) == scrolled)
    return;

  g_object_set_data (G_OBJECT (adjustment), FOLLOWED, scrolled);
  g_signal_connect_object (adjustment, "changed", G_CALLBACK (adjustment_cb), scrolled,
                           G_CONNECT_SWAPPED);
  adjustment_cb (scrolled, adjustment);
}

static void
fold_cb (GtkWidget *flap)
{
  assay_relayout_queue (flap);
}

static gboolean
map_cb (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer user_data)
{
  GtkWidget *widget = g_value_get_object (&values[0]);

  if (GTK_IS_SCROLLED_WINDOW (widget))
    {
      GtkScrolledWindow *scrolled = GTK_SCROLLED_WINDOW (widget);

      get_stale (widget);
      follow_adjustment (widget, gtk_scrolled_window_get_hadjustment (scrolled));
      follow_adjustment (widget, gtk_scrolled_window_get_vadjustment (scrolled));
    }
  else if (ADW_IS_FLAP (widget) && g_object_get_data (G_OBJECT (widget), FOLLOWED) == NULL)
    {
      get_stale (widget);
      g_object_set_data (G_OBJECT (widget), FOLLOWED, widget);
      g_signal_connect (widget, "notify::folded", G_CALLBACK (fold_cb), NULL);
      g_signal_connect (widget, "notify::reveal-flap", G_CALLBACK (fold_cb), NULL);
    }

  return TRUE;
}

/**
 * assay_relayout_init:
 *
 * Has every scrolled window and every flap ask again for a size that they ask for while they are
 * given a place.
 */
void
assay_relayout_init (void)
{
  /* The signal is known only after its class is. */
  g_type_class_unref (g_type_class_ref (GTK_TYPE_WIDGET));
  g_signal_add_emission_hook (g_signal_lookup ("map", GTK_TYPE_WIDGET), 0, map_cb, NULL, NULL);
}

/**
 * assay_relayout_queue:
 * @widget: a widget that asks for another size or place while places are given
 *
 * Has everything from @widget to its window placed again, in the same frame if its layout runs.
 */
void
assay_relayout_queue (GtkWidget *widget)
{
  GPtrArray *stale = get_stale (widget);

  if (stale != NULL && !g_ptr_array_find (stale, widget, NULL))
    g_ptr_array_add (stale, g_object_ref (widget));
}
