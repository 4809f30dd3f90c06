/* assay-core-strip.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/memory/assay-core-strip.h"

#include "draw/assay-memory-scene.h"
#include "ui/canvas/assay-picture.h"
#include "ui/window/assay-ui.h"

#define CHART_HEIGHT 12

struct _AssayCoreStrip
{
  GtkWidget parent_instance;

  AssayCompilation *compilation;
  AssayMemoryMap *map;
  guint core;
  guint store;
  GtkWidget *label;
  GtkWidget *picture;
};

G_DEFINE_FINAL_TYPE (AssayCoreStrip, assay_core_strip, GTK_TYPE_WIDGET)

static void
draw (AssayDisplayList *list, double width, double height, gpointer data)
{
  AssayCoreStrip *self = data;

  /* The selected tensor is a row of the newest plan only. */
  assay_memory_scene_draw_strip (self->map, self->core, self->store,
                                 assay_compilation_get_memory (self->compilation) == self->map
                                     ? assay_compilation_get_tensor (self->compilation)
                                     : ASSAY_NO_TENSOR,
                                 width, height, list);
}

static void
assay_core_strip_dispose (GObject *object)
{
  AssayCoreStrip *self = ASSAY_CORE_STRIP (object);

  g_clear_pointer (&self->label, gtk_widget_unparent);
  g_clear_pointer (&self->picture, gtk_widget_unparent);
  g_clear_pointer (&self->map, assay_memory_map_unref);
  g_clear_object (&self->compilation);

  G_OBJECT_CLASS (assay_core_strip_parent_class)->dispose (object);
}

static void
assay_core_strip_class_init (AssayCoreStripClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_core_strip_dispose;

  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BOX_LAYOUT);
  /* The button around it has the words. */
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void
assay_core_strip_init (AssayCoreStrip *self)
{
  GtkLayoutManager *layout = gtk_widget_get_layout_manager (GTK_WIDGET (self));

  gtk_orientable_set_orientation (GTK_ORIENTABLE (layout), GTK_ORIENTATION_VERTICAL);
  self->label = gtk_label_new (NULL);
  gtk_widget_add_css_class (self->label, "numeric");
  gtk_widget_set_parent (self->label, GTK_WIDGET (self));
  self->picture = g_object_new (ASSAY_TYPE_PICTURE, NULL);
  assay_picture_set_minimum (ASSAY_PICTURE (self->picture), 0, CHART_HEIGHT);
  gtk_widget_set_parent (self->picture, GTK_WIDGET (self));
}

/**
 * assay_core_strip_new:
 * @compilation: a compilation with a memory map
 * @core: a core
 * @store: tensor RAM, accumulators or cell state
 *
 * Makes the strip of a core.
 *
 * Returns: (transfer floating): the strip
 */
GtkWidget *
assay_core_strip_new (AssayCompilation *compilation, guint core, guint store)
{
  AssayCoreStrip *self = g_object_new (ASSAY_TYPE_CORE_STRIP, NULL);
  AssayMemoryMap *map = assay_compilation_get_memory (compilation);
  const AssayMemoryUse *use = assay_memory_map_get_use (map, core, store);
  g_autofree char *share = assay_ui_format_share (use->peak, use->depth);
  g_autofree char *text = g_strdup_printf ("c%u  %s", core, share);

  self->compilation = g_object_ref (compilation);
  self->map = assay_memory_map_ref (map);
  self->core = core;
  self->store = store;
  gtk_label_set_label (GTK_LABEL (self->label), text);
  assay_picture_set_functions (ASSAY_PICTURE (self->picture), draw, NULL, self);
  g_signal_connect_object (compilation, "notify::tensor", G_CALLBACK (assay_picture_redraw),
                           self->picture, G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}
