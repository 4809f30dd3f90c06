/* assay-columns.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/assay-columns.h"

#include "ui/assay-ui.h"

/* What a column that takes the rest has at least. */
#define EXPANDING_CHARS 19

typedef struct
{
  const AssayColumn *column;
  guint index;
  AssayColumnsText text;
  AssayColumnsCompare compare;
} Data;

static void
free_data (gpointer data,
           GClosure *closure)
{
  g_free (data);
}

static void
setup_cb (GtkListItemFactory *factory,
          GtkListItem        *item,
          gpointer            user_data)
{
  const Data *data = user_data;
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), data->column->number ? 1 : 0);
  if (data->column->number)
    gtk_widget_add_css_class (label, "numeric");
  if (data->column->expand)
    {
      gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
      assay_ui_show_whole (label);
      gtk_label_set_width_chars (GTK_LABEL (label), EXPANDING_CHARS);
    }
  gtk_list_item_set_child (item, label);
}

static void
bind_cb (GtkListItemFactory *factory,
         GtkListItem        *item,
         gpointer            user_data)
{
  const Data *data = user_data;
  GtkWidget *label = gtk_list_item_get_child (item);
  g_autofree char *text = data->text (gtk_list_item_get_item (item), data->index);
  g_autofree char *name = g_strdup_printf ("%s %s", data->column->title, text);

  gtk_label_set_label (GTK_LABEL (label), text);
  assay_ui_set_row_name (label, name);
}

static int
compare_cb (gconstpointer a,
            gconstpointer b,
            gpointer      user_data)
{
  const Data *data = user_data;

  return data->compare ((gpointer) a, (gpointer) b, data->index);
}

/**
 * assay_columns_add:
 * @view: a table
 * @column: what the column is, which has to live as long as the program
 * @index: its number
 * @text: writes its cells
 * @compare: (nullable): sorts by it
 *
 * Adds a column to a table.
 *
 * Returns: (transfer none): the column
 */
GtkColumnViewColumn *
assay_columns_add (GtkColumnView       *view,
                   const AssayColumn   *column,
                   guint                index,
                   AssayColumnsText     text,
                   AssayColumnsCompare  compare)
{
  const Data data = { column, index, text, compare };
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_autoptr (GtkColumnViewColumn) view_column = gtk_column_view_column_new (column->title, factory);

  g_signal_connect_data (factory, "setup", G_CALLBACK (setup_cb), g_memdup2 (&data, sizeof data), free_data, 0);
  g_signal_connect_data (factory, "bind", G_CALLBACK (bind_cb), g_memdup2 (&data, sizeof data), free_data, 0);
  if (compare != NULL)
    {
      g_autoptr (GtkSorter) sorter = GTK_SORTER (gtk_custom_sorter_new (compare_cb, g_memdup2 (&data, sizeof data),
                                                                        g_free));
      gtk_column_view_column_set_sorter (view_column, sorter);
    }
  gtk_column_view_column_set_expand (view_column, column->expand);
  gtk_column_view_column_set_resizable (view_column, TRUE);
  gtk_column_view_append_column (view, view_column);

  return view_column;
}
