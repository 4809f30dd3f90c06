/* assay-template.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/window/assay-template.h"

#include "ui/window/assay-ui.h"

/* Only for classes that nobody derives from. */
static void
dispose_template (GObject *object)
{
  GObjectClass *parent = g_type_class_peek_parent (G_OBJECT_GET_CLASS (object));

  gtk_widget_dispose_template (GTK_WIDGET (object), G_OBJECT_TYPE (object));
  parent->dispose (object);
}

/**
 * assay_template_bind:
 * @klass: a class that nobody derives from
 * @name: name of the template
 * @children: (array zero-terminated=1): what the members of an instance get
 *
 * Gives a class its template. A class without a dispose of its own gets one that drops the
 * template.
 */
void
assay_template_bind (GtkWidgetClass *klass, const char *name, const AssayTemplateChild *children)
{
  g_autofree char *path = g_strdup_printf (ASSAY_RESOURCE_PATH "/ui/%s.ui", name);
  GObjectClass *parent = g_type_class_peek_parent (klass);

  gtk_widget_class_set_template_from_resource (klass, path);
  for (guint i = 0; children[i].name != NULL; i++)
    gtk_widget_class_bind_template_child_full (klass, children[i].name, FALSE, children[i].offset);
  if (G_OBJECT_CLASS (klass)->dispose == parent->dispose)
    G_OBJECT_CLASS (klass)->dispose = dispose_template;
}
