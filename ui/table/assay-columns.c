/* assay-columns.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/table/assay-columns.h"

#include <adwaita.h>

#include "text/assay-fields.h"
#include "ui/table/assay-column-fit.h"
#include "ui/window/assay-export-menu.h"
#include "ui/window/assay-ui.h"
#include "ui/window/assay-file-save.h"
#include "ui/window/assay-ui-markup.h"

/* What a column that takes the rest has at least, and in text that leaves little room. */
#define EXPANDING_CHARS 19
#define TIGHT_CHARS 12

/* Rows that are looked at to find out whether a column says anything. */
#define PLAIN_ROWS 200

typedef struct
{
  const AssayColumn *column;
  guint index;
  AssayColumnsText text;
  AssayColumnsCompare compare;
} Data;

/* How far a table was scrolled from the end where reading starts. */
typedef struct
{
  GtkWidget *view;
  GtkAdjustment *adjustment;
  double value;    /* of the adjustment, as it was told last */
  double distance; /* of the right end from the right edge of what is seen */
} Start;

static void
free_start (gpointer data)
{
  Start *start = data;

  if (start->adjustment != NULL)
    g_signal_handlers_disconnect_by_data (start->adjustment, start);
  g_clear_object (&start->adjustment);
  g_free (start);
}

static double
right_end (GtkAdjustment *adjustment)
{
  return MAX (gtk_adjustment_get_upper (adjustment) - gtk_adjustment_get_page_size (adjustment), 0);
}

static void
scrolled_cb (GtkAdjustment *adjustment, Start *start)
{
  start->value = gtk_adjustment_get_value (adjustment);
  start->distance = right_end (adjustment) - start->value;
}

static gboolean
place_cb (GtkWidget *view, GdkFrameClock *clock, gpointer user_data)
{
  gtk_widget_queue_allocate (view);
  return G_SOURCE_REMOVE;
}

static void
resized_cb (GtkAdjustment *adjustment, Start *start)
{
  double placed = start->value;

  assay_column_fit_queue (GTK_COLUMN_VIEW (start->view));
  if (gtk_widget_get_direction (start->view) == GTK_TEXT_DIR_RTL)
    gtk_adjustment_set_value (adjustment, right_end (adjustment) - start->distance);

  /* The table tells its size while it is placed, by the value of before, and forgets what it is
   * asked for then: so ask in the next frame. */
  if (gtk_adjustment_get_value (adjustment) != placed)
    gtk_widget_add_tick_callback (start->view, place_cb, NULL, NULL);
}

static void
adjustment_cb (GtkWidget *view, GParamSpec *pspec, Start *start)
{
  GtkAdjustment *adjustment = gtk_scrollable_get_hadjustment (GTK_SCROLLABLE (view));

  if (adjustment == start->adjustment)
    return;

  if (start->adjustment != NULL)
    g_signal_handlers_disconnect_by_data (start->adjustment, start);
  g_set_object (&start->adjustment, adjustment);
  if (adjustment == NULL)
    return;

  start->distance = 0;
  g_signal_connect (adjustment, "changed", G_CALLBACK (resized_cb), start);
  g_signal_connect (adjustment, "value-changed", G_CALLBACK (scrolled_cb), start);
  resized_cb (adjustment, start);
}

/* GTK 4.8 shows the left end of a table first, which is its last column when it is read from right
 * to left. */
static void
begin_at_first (GtkColumnView *view)
{
  Start *start = g_new0 (Start, 1);

  start->view = GTK_WIDGET (view);
  /* Columns have what they need, and what has no room is scrolled to. */
  gtk_scrollable_set_hscroll_policy (GTK_SCROLLABLE (view), GTK_SCROLL_NATURAL);
  g_object_set_data_full (G_OBJECT (view), "assay-start", start, free_start);
  g_signal_connect (view, "notify::hadjustment", G_CALLBACK (adjustment_cb), start);
  adjustment_cb (GTK_WIDGET (view), NULL, start);
}

static void
free_data (gpointer data, GClosure *closure)
{
  g_free (data);
}

static void
setup_cb (GtkListItemFactory *factory, GtkListItem *item, gpointer user_data)
{
  const Data *data = user_data;
  GtkWidget *label = gtk_label_new (NULL);
  GtkWidget *box;

  gtk_label_set_xalign (GTK_LABEL (label),
                        data->column->number ? assay_ui_get_number_xalign () : 0);
  if (data->column->number)
    gtk_widget_add_css_class (label, "numeric");
  /* A column that was made narrow must not show half of a number as if it were one. */
  gtk_label_set_ellipsize (GTK_LABEL (label),
                           data->column->expand ? PANGO_ELLIPSIZE_MIDDLE : PANGO_ELLIPSIZE_END);
  assay_ui_show_whole (label);
  if (data->column->mark == NULL)
    {
      gtk_list_item_set_child (item, label);
      return;
    }
  box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  gtk_box_append (GTK_BOX (box), g_object_new (GTK_TYPE_IMAGE, "accessible-role",
                                               GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL));
  gtk_box_append (GTK_BOX (box), label);
  gtk_list_item_set_child (item, box);
}

static void
show_mark (GtkWidget *image, const AssayCellMark *mark)
{
  const char *classes[] = { mark->style, NULL };

  gtk_image_set_from_icon_name (GTK_IMAGE (image), mark->icon);
  gtk_widget_set_css_classes (image, classes);
}

static void
bind_cb (GtkListItemFactory *factory, GtkListItem *item, gpointer user_data)
{
  const Data *data = user_data;
  GtkWidget *child = gtk_list_item_get_child (item);
  GtkWidget *label = data->column->mark != NULL ? gtk_widget_get_last_child (child) : child;
  g_autofree char *text = data->text (gtk_list_item_get_item (item), data->index);
  g_autofree char *name = g_strdup_printf ("%s %s", data->column->title, text);

  if (data->column->expand)
    {
      int chars = assay_ui_is_tight (label) ? TIGHT_CHARS : EXPANDING_CHARS;

      gtk_label_set_width_chars (GTK_LABEL (label), chars);
      gtk_label_set_max_width_chars (GTK_LABEL (label), chars);
    }
  gtk_label_set_label (GTK_LABEL (label), text);
  assay_ui_keep_figures (label);
  if (data->column->mark != NULL)
    show_mark (gtk_widget_get_first_child (child),
               data->column->mark (gtk_list_item_get_item (item)));
  assay_ui_set_row_name (child, name);
}

static int
compare_cb (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const Data *data = user_data;

  return data->compare ((gpointer) a, (gpointer) b, data->index);
}

static gboolean
is_plain (GtkColumnViewColumn *column)
{
  const Data *data = g_object_get_data (G_OBJECT (column), "assay-column");
  GListModel *rows = G_LIST_MODEL (
      gtk_column_view_get_model (gtk_column_view_column_get_column_view (column)));
  guint n = rows != NULL ? MIN (g_list_model_get_n_items (rows), PLAIN_ROWS) : 0;

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (GObject) item = g_list_model_get_item (rows, i);
      g_autofree char *text = data->text (item, data->index);

      if (*text != '\0' && !g_str_equal (text, "0"))
        return FALSE;
    }

  return TRUE;
}

/* Over numbers the title ends where they do, with the arrow of the order before it. */
static void
align_title (GtkWidget *box)
{
  gtk_widget_set_halign (box, GTK_ALIGN_END);
  gtk_box_reorder_child_after (GTK_BOX (box), gtk_widget_get_last_child (box), NULL);
}

/**
 * assay_columns_add:
 * @view: a table
 * @column: what the column is, which has to live as long as the program
 * @index: its number
 * @text: writes its cells
 * @compare: (nullable): sorts by it
 *
 * Adds a column to a table, which shows its first columns first whatever direction it is read in,
 * and leaves out what has no room.
 *
 * Returns: (transfer none): the column
 */
GtkColumnViewColumn *
assay_columns_add (GtkColumnView *view, const AssayColumn *column, guint index,
                   AssayColumnsText text, AssayColumnsCompare compare)
{
  const Data data = { column, index, text, compare };
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  g_autoptr (GtkColumnViewColumn) view_column = gtk_column_view_column_new (column->title, factory);
  GtkWidget *title;

  if (g_list_model_get_n_items (gtk_column_view_get_columns (view)) == 0)
    {
      begin_at_first (view);
      assay_export_menu_add_rows (view);
    }
  g_object_set_data_full (G_OBJECT (view_column), "assay-column", g_memdup2 (&data, sizeof data),
                          g_free);
  g_signal_connect_data (factory, "setup", G_CALLBACK (setup_cb), g_memdup2 (&data, sizeof data),
                         free_data, 0);
  g_signal_connect_data (factory, "bind", G_CALLBACK (bind_cb), g_memdup2 (&data, sizeof data),
                         free_data, 0);
  if (compare != NULL)
    {
      g_autoptr (GtkSorter) sorter = GTK_SORTER (
          gtk_custom_sorter_new (compare_cb, g_memdup2 (&data, sizeof data), g_free));
      gtk_column_view_column_set_sorter (view_column, sorter);
    }
  gtk_column_view_column_set_expand (view_column, column->expand);
  gtk_column_view_column_set_resizable (view_column, TRUE);
  gtk_column_view_append_column (view, view_column);
  assay_column_fit_add (view, view_column, column->rank, is_plain);
  title = assay_column_fit_find_title (view, view_column);
  if (column->number && title != NULL)
    align_title (title);

  return view_column;
}

/**
 * assay_columns_set_rows:
 * @view: a table
 * @rows: its rows
 *
 * Shows rows in a table, sorted as its columns say; none is selected by itself.
 *
 * Returns: (transfer full): which row is selected
 */
GtkSingleSelection *
assay_columns_set_rows (GtkColumnView *view, GListModel *rows)
{
  GtkSortListModel *sorted = gtk_sort_list_model_new (
      g_object_ref (rows), g_object_ref (gtk_column_view_get_sorter (view)));
  GtkSingleSelection *selection = gtk_single_selection_new (G_LIST_MODEL (sorted));

  gtk_single_selection_set_autoselect (selection, FALSE);
  gtk_column_view_set_model (view, GTK_SELECTION_MODEL (selection));
  return selection;
}

/**
 * assay_columns_selects_other:
 * @selection: which row of a table is selected
 *
 * Tells whether that is another row than when this was asked before. A table that is sorted anew
 * tells of the row that is selected already, which nobody has chosen again.
 *
 * Returns: whether a row is selected, and another one
 */
gboolean
assay_columns_selects_other (GtkSingleSelection *selection)
{
  gpointer item = gtk_single_selection_get_selected_item (selection);
  gpointer before = g_object_get_data (G_OBJECT (selection), "assay-selected");

  /* Held, so that no new row takes the address of one that is gone. */
  g_object_set_data_full (G_OBJECT (selection), "assay-selected",
                          item != NULL ? g_object_ref (item) : NULL, g_object_unref);
  return item != NULL && item != before;
}

/* Other programs take groups of digits with a space between them for text. */
static char *
dup_field (const Data *data, gpointer item)
{
  g_autofree char *text = data->text (item, data->index);
  g_auto (GStrv) groups = data->column->number ? g_strsplit (text, "\u202f", -1) : NULL;

  return groups != NULL ? g_strjoinv ("", groups) : g_steal_pointer (&text);
}

/**
 * assay_columns_to_text:
 * @view: a table with columns of assay_columns_add()
 * @csv: whether the text goes into a file; else it goes to the clipboard, in the form that
 * spreadsheets take
 *
 * Writes the rows of a table as they stand there, a line with the titles of the columns first.
 *
 * Returns: (transfer full): comma-separated values (RFC 4180), or tab-separated ones
 */
char *
assay_columns_to_text (GtkColumnView *view, gboolean csv)
{
  void (*append) (GString *, const char *) = csv ? assay_fields_append_csv
                                                 : assay_fields_append_tsv;
  GListModel *columns = gtk_column_view_get_columns (view);
  GListModel *rows = G_LIST_MODEL (gtk_column_view_get_model (view));
  guint n_columns = g_list_model_get_n_items (columns);
  guint n_rows = rows != NULL ? g_list_model_get_n_items (rows) : 0;
  g_autofree const Data **data = g_new0 (const Data *, n_columns + 1);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < n_columns; i++)
    {
      g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (columns, i);

      data[i] = g_object_get_data (G_OBJECT (column), "assay-column");
      append (text, gtk_column_view_column_get_title (column));
      g_string_append (text, i + 1 < n_columns ? (csv ? "," : "\t") : (csv ? "\r\n" : "\n"));
    }
  for (guint row = 0; row < n_rows; row++)
    {
      g_autoptr (GObject) item = g_list_model_get_item (rows, row);

      for (guint i = 0; i < n_columns; i++)
        {
          g_autofree char *field = dup_field (data[i], item);

          append (text, field);
          g_string_append (text, i + 1 < n_columns ? (csv ? "," : "\t") : (csv ? "\r\n" : "\n"));
        }
    }

  return g_string_free (text, FALSE);
}

static char *
dup_count (GtkColumnView *view)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (gtk_column_view_get_model (view)));
  g_autofree char *count = assay_ui_format_count (n);

  return g_strdup_printf (n == 1 ? "%s row" : "%s rows", count);
}

/**
 * assay_columns_copy:
 * @view: a table with columns of assay_columns_add()
 *
 * Puts the rows of a table on the clipboard, for a spreadsheet.
 */
void
assay_columns_copy (GtkColumnView *view)
{
  g_autofree char *text = assay_columns_to_text (view, FALSE);
  g_autofree char *count = dup_count (view);
  g_autofree char *message = g_strdup_printf ("Copied %s", count);

  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (view)), text);
  assay_ui_toast (GTK_WIDGET (view), message);
}

/**
 * assay_columns_save:
 * @view: a table with columns of assay_columns_add()
 * @path: a file
 *
 * Writes the rows of a table as comma-separated values.
 */
void
assay_columns_save (GtkColumnView *view, const char *path)
{
  char *text = assay_columns_to_text (view, TRUE);
  g_autofree char *count = dup_count (view);

  assay_file_save_bytes (GTK_WIDGET (view), assay_job_new ("Writing rows"), path, count,
                         g_bytes_new_take (text, strlen (text)));
}
