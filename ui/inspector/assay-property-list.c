/* assay-property-list.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/inspector/assay-property-list.h"
#include "text/assay-xml-writer.h"
#include "ui/window/assay-ui.h"

#define NAME_CHARS 12
/* A value of so few is not divided: half of a number on each of two lines is none. */
#define WHOLE_CHARS 12

struct _AssayPropertyList
{
  GtkWidget parent_instance;
  GtkWidget *grid;
  guint count;
};

G_DEFINE_FINAL_TYPE (AssayPropertyList, assay_property_list, GTK_TYPE_WIDGET)

static void
assay_property_list_dispose (GObject *object)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);

  G_OBJECT_CLASS (assay_property_list_parent_class)->dispose (object);
}

static void
assay_property_list_class_init (AssayPropertyListClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = assay_property_list_dispose;

  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BOX_LAYOUT);
  gtk_widget_class_set_accessible_role (GTK_WIDGET_CLASS (klass), GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
assay_property_list_init (AssayPropertyList *self)
{
  GtkLayoutManager *layout = gtk_widget_get_layout_manager (GTK_WIDGET (self));

  gtk_orientable_set_orientation (GTK_ORIENTABLE (layout), GTK_ORIENTATION_VERTICAL);
  gtk_box_layout_set_spacing (GTK_BOX_LAYOUT (layout), 6);

  self->grid = gtk_grid_new ();
  gtk_grid_set_row_spacing (GTK_GRID (self->grid), 3);
  gtk_grid_set_column_spacing (GTK_GRID (self->grid), 12);
  gtk_widget_set_parent (self->grid, GTK_WIDGET (self));
}

/**
 * assay_property_list_new:
 * @title: heading of the group
 *
 * Makes an empty group.
 *
 * Returns: (transfer full): the widget
 */
GtkWidget *
assay_property_list_new (const char *title)
{
  AssayPropertyList *self = g_object_new (ASSAY_TYPE_PROPERTY_LIST, NULL);
  GtkWidget *heading = gtk_label_new (title);

  gtk_label_set_xalign (GTK_LABEL (heading), 0);
  gtk_widget_add_css_class (heading, "caption-heading");
  gtk_widget_insert_after (heading, GTK_WIDGET (self), NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);

  return GTK_WIDGET (self);
}

void
assay_property_list_clear (AssayPropertyList *self)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (self->grid)) != NULL)
    gtk_grid_remove (GTK_GRID (self->grid), child);
  self->count = 0;
}

/**
 * assay_property_list_add:
 * @self: a group
 * @name: what it is
 * @value: the value
 *
 * Adds a row.
 */
void
assay_property_list_add (AssayPropertyList *self, const char *name, const char *value)
{
  g_autofree char *markup = assay_xml_escape (value);

  assay_property_list_add_markup (self, name, markup, value);
}

/* Names of attributes and operators are longer than their column, and have no spaces: lines break
 * behind `_` and before a capital. */
static char *
dup_breakable (const char *name)
{
  GString *text = g_string_new (NULL);

  for (const char *c = name; *c != '\0'; c++)
    {
      if (c > name && g_utf8_strlen (name, -1) > NAME_CHARS &&
          (c[-1] == '_' || (g_ascii_isupper (*c) && g_ascii_islower (c[-1]))))
        g_string_append (text, "\u200b");
      g_string_append_c (text, *c);
    }

  return g_string_free (text, FALSE);
}

/**
 * assay_property_list_add_markup:
 * @self: a group
 * @name: what it is
 * @markup: the value as Pango markup
 * @spoken: the value as it is read out
 *
 * Adds a row whose value has emphasis.
 */
void
assay_property_list_add_markup (AssayPropertyList *self, const char *name, const char *markup,
                                const char *spoken)
{
  g_autofree char *shown = dup_breakable (name);
  GtkWidget *key = gtk_label_new (shown);
  GtkWidget *value = gtk_label_new (NULL);

  /* One width for all groups, so that their values stand in one column. */
  g_object_set (key, "xalign", 0.0f, "yalign", 0.0f, "wrap", TRUE, "wrap-mode",
                PANGO_WRAP_WORD_CHAR, "width-chars", NAME_CHARS, "max-width-chars", NAME_CHARS,
                NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (key), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  gtk_widget_add_css_class (key, "secondary");

  gtk_label_set_markup (GTK_LABEL (value), markup);
  /* A link has to be reached by keys. Of the others each would be a stop for Tab; "focusable" would
   * not do, since a selectable label of GTK 4.8 says that it took the focus all the same, and Tab
   * would never come past it. */
  g_object_set (value, "xalign", 0.0f, "hexpand", TRUE, "wrap",
                g_utf8_strlen (spoken, -1) > WHOLE_CHARS, "wrap-mode", PANGO_WRAP_WORD_CHAR,
                "selectable", TRUE, "can-focus", strstr (markup, "<a ") != NULL, NULL);
  assay_ui_keep_figures (value);
  gtk_widget_add_css_class (value, "numeric");
  gtk_accessible_update_property (GTK_ACCESSIBLE (value), GTK_ACCESSIBLE_PROPERTY_LABEL, spoken,
                                  -1);
  gtk_accessible_update_relation (GTK_ACCESSIBLE (value), GTK_ACCESSIBLE_RELATION_LABELLED_BY, key,
                                  NULL, -1);

  gtk_grid_attach (GTK_GRID (self->grid), key, 0, (int) self->count * 2, 1, 1);
  gtk_grid_attach (GTK_GRID (self->grid), value, 1, (int) self->count * 2, 1, 1);
  self->count++;
}

/**
 * assay_property_list_add_stacked:
 * @self: a group
 * @name: what it is; of a long one the end is shown
 * @markup: the value as Pango markup
 * @spoken: the value as it is read out
 *
 * Adds a row with the value below the name, for names that can be long.
 */
void
assay_property_list_add_stacked (AssayPropertyList *self, const char *name, const char *markup,
                                 const char *spoken)
{
  GtkWidget *key = gtk_label_new (name);
  GtkWidget *value = gtk_label_new (NULL);
  g_autofree char *label = g_strdup_printf ("%s: %s", name, spoken);

  g_object_set (key, "xalign", 0.0f, "hexpand", TRUE, "ellipsize", PANGO_ELLIPSIZE_START, NULL);
  gtk_widget_add_css_class (key, "secondary");
  gtk_widget_set_tooltip_text (key, name);

  gtk_label_set_markup (GTK_LABEL (value), markup);
  g_object_set (value, "xalign", 0.0f, "wrap", TRUE, "wrap-mode", PANGO_WRAP_WORD_CHAR,
                "selectable", TRUE, "can-focus", FALSE, "margin-bottom", self->count > 0 ? 3 : 0,
                NULL);
  assay_ui_keep_figures (value);
  gtk_widget_add_css_class (value, "numeric");
  gtk_accessible_update_property (GTK_ACCESSIBLE (value), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);

  gtk_grid_attach (GTK_GRID (self->grid), key, 0, (int) self->count * 2, 2, 1);
  gtk_grid_attach (GTK_GRID (self->grid), value, 0, (int) self->count * 2 + 1, 2, 1);
  self->count++;
}

/**
 * assay_property_list_add_jump_markup:
 * @self: a group
 * @name: what it is; of a long one the end is shown
 * @markup: the value as Pango markup
 * @spoken: the value as it is read out
 * @tooltip: where its button leads
 *
 * Adds a row with a button that leads on; its text can be selected all the same.
 *
 * Returns: (transfer none): the button
 */
GtkWidget *
assay_property_list_add_jump_markup (AssayPropertyList *self, const char *name, const char *markup,
                                     const char *spoken, const char *tooltip)
{
  GtkWidget *button = gtk_button_new_from_icon_name ("go-next-symbolic");
  g_autofree char *label = g_strdup_printf ("%s: %s, %s", tooltip, name, spoken);

  assay_property_list_add_stacked (self, name, markup, spoken);
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "flat");
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  -1);
  gtk_grid_attach (GTK_GRID (self->grid), button, 2, (int) (self->count - 1) * 2, 1, 2);

  return button;
}

/**
 * assay_property_list_add_jump:
 * @self: a group
 * @name: what it is
 * @value: the value
 * @tooltip: where its button leads
 *
 * Adds a row with a button that leads on.
 *
 * Returns: (transfer none): the button
 */
GtkWidget *
assay_property_list_add_jump (AssayPropertyList *self, const char *name, const char *value,
                              const char *tooltip)
{
  g_autofree char *markup = assay_xml_escape (value);

  return assay_property_list_add_jump_markup (self, name, markup, value, tooltip);
}

/**
 * assay_property_list_add_widget:
 * @self: a group
 * @widget: any widget
 *
 * Adds a row that is all one widget.
 */
void
assay_property_list_add_widget (AssayPropertyList *self, GtkWidget *widget)
{
  gtk_grid_attach (GTK_GRID (self->grid), widget, 0, (int) self->count * 2, 3, 1);
  self->count++;
}

guint
assay_property_list_get_count (AssayPropertyList *self)
{
  return self->count;
}
