/* assay-core-strip.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/assay-core-strip.h"

#include "draw/assay-memory-scene.h"
#include "ui/assay-painter.h"
#include "ui/assay-ui.h"

#define CHART_HEIGHT 12

struct _AssayCoreStrip
{
  GtkWidget parent_instance;

  AssayMemoryMap *map;
  guint core;
  AssayStore store;
  GtkWidget *label;
  AssayPainter *painter;
  AssayPalette palette;
};

G_DEFINE_FINAL_TYPE (AssayCoreStrip, assay_core_strip, GTK_TYPE_WIDGET)

static void
assay_core_strip_measure (GtkWidget      *widget,
                          GtkOrientation  orientation,
                          int             for_size,
                          int            *minimum,
                          int            *natural,
                          int            *minimum_baseline,
                          int            *natural_baseline)
{
  AssayCoreStrip *self = ASSAY_CORE_STRIP (widget);

  gtk_widget_measure (self->label, orientation, -1, minimum, natural, NULL, NULL);
  if (orientation == GTK_ORIENTATION_VERTICAL)
    {
      *minimum += CHART_HEIGHT;
      *natural += CHART_HEIGHT;
    }
}

static void
assay_core_strip_size_allocate (GtkWidget *widget,
                                int        width,
                                int        height,
                                int        baseline)
{
  gtk_widget_allocate (ASSAY_CORE_STRIP (widget)->label, width, height - CHART_HEIGHT, -1, NULL);
}

static void
assay_core_strip_snapshot (GtkWidget   *widget,
                           GtkSnapshot *snapshot)
{
  AssayCoreStrip *self = ASSAY_CORE_STRIP (widget);
  g_autoptr (AssayDisplayList) list = assay_display_list_new ();
  g_autoptr (GskRenderNode) node = NULL;

  gtk_widget_snapshot_child (widget, self->label, snapshot);
  if (self->map == NULL)
    return;

  assay_memory_scene_draw_strip (self->map, self->core, self->store, gtk_widget_get_width (widget), CHART_HEIGHT, list);
  node = assay_painter_paint (self->painter, list, 0, 0);
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT (0, (float) (gtk_widget_get_height (widget) - CHART_HEIGHT)));
  if (node != NULL)
    gtk_snapshot_append_node (snapshot, node);
  gtk_snapshot_restore (snapshot);
}

static void
assay_core_strip_css_changed (GtkWidget         *widget,
                              GtkCssStyleChange *change)
{
  AssayCoreStrip *self = ASSAY_CORE_STRIP (widget);

  GTK_WIDGET_CLASS (assay_core_strip_parent_class)->css_changed (widget, change);

  if (assay_palette_load (&self->palette, widget))
    {
      assay_painter_set_palette (self->painter, &self->palette);
      gtk_widget_queue_draw (widget);
    }
}

static void
assay_core_strip_dispose (GObject *object)
{
  AssayCoreStrip *self = ASSAY_CORE_STRIP (object);

  g_clear_pointer (&self->label, gtk_widget_unparent);
  g_clear_pointer (&self->painter, assay_painter_free);
  g_clear_pointer (&self->map, assay_memory_map_unref);

  G_OBJECT_CLASS (assay_core_strip_parent_class)->dispose (object);
}

static void
assay_core_strip_class_init (AssayCoreStripClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_core_strip_dispose;
  widget_class->measure = assay_core_strip_measure;
  widget_class->size_allocate = assay_core_strip_size_allocate;
  widget_class->snapshot = assay_core_strip_snapshot;
  widget_class->css_changed = assay_core_strip_css_changed;
  /* The button around it has the words. */
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void
assay_core_strip_init (AssayCoreStrip *self)
{
  self->painter = assay_painter_new ();
  assay_palette_init_default (&self->palette, FALSE, FALSE);
  self->label = gtk_label_new (NULL);
  gtk_widget_add_css_class (self->label, "numeric");
  gtk_widget_set_parent (self->label, GTK_WIDGET (self));
}

/**
 * assay_core_strip_new:
 * @map: a map
 * @core: a core
 * @store: tensor RAM, accumulators or cell state
 *
 * Makes the strip of a core.
 *
 * Returns: (transfer floating): the strip
 */
GtkWidget *
assay_core_strip_new (AssayMemoryMap *map,
                      guint           core,
                      AssayStore      store)
{
  AssayCoreStrip *self = g_object_new (ASSAY_TYPE_CORE_STRIP, NULL);
  const AssayMemoryUse *use = assay_memory_map_get_use (map, core, store);
  g_autofree char *share = assay_ui_format_share (use->peak, use->depth);
  g_autofree char *text = g_strdup_printf ("c%u  %s", core, share);

  self->map = assay_memory_map_ref (map);
  self->core = core;
  self->store = store;
  gtk_label_set_label (GTK_LABEL (self->label), text);
  return GTK_WIDGET (self);
}
