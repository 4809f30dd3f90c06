/* assay-tensor-window.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/tensor/assay-tensor-window.h"

#include <math.h>

#include "ui/window/assay-file-choice.h"
#include "ui/window/assay-file-save.h"
#include "ui/tensor/assay-tensor-figures.h"
#include "ui/tensor/assay-tensor-row.h"
#include "ui/window/assay-ui.h"
#include "ui/window/assay-ui-markup.h"
#include "ui/window/assay-template.h"

/* Larger tensors are read to their end only when that is asked for. */
#define READ_AT_ONCE ((gsize) 32 << 20)
/* Elements that colours are made for before all were read. */
#define PEEK 1024

struct _AssayTensorWindow
{
  AdwWindow parent_instance;

  char *name;
  char *command;
  AssayTensor *tensor;
  AssayTensor *other;
  double step; /* of both, if it is known */
  AssayTensorSheet *sheet;
  AssayFileChoice *choice;
  GPtrArray *axis_widgets; /* of each axis what chooses its place */
  gboolean syncing;

  AdwToastOverlay *toasts;
  AdwWindowTitle *title;
  GtkBox *axes;
  GtkDropDown *rows_axis;
  GtkDropDown *columns_axis;
  GtkDropDown *form;
  GtkToggleButton *heat;
  GtkToggleButton *pair;
  GtkEntry *place;
  GtkButton *command_button;
  AssayTensorRow *head;
  GtkScrolledWindow *scroller;
  GtkListView *list;
  GtkLabel *page;
  GtkWidget *previous_rows;
  GtkWidget *next_rows;
  GtkWidget *previous_columns;
  GtkWidget *next_columns;
  GtkBox *side;
  AssayTensorFigures *figures;
};

G_DEFINE_FINAL_TYPE (AssayTensorWindow, assay_tensor_window, ADW_TYPE_WINDOW)

static void
setup_cb (GtkListItemFactory *factory, GtkListItem *item, gpointer data)
{
  gtk_list_item_set_child (item, assay_tensor_row_new (ASSAY_TENSOR_WINDOW (data)->head));
}

static void
bind_cb (GtkListItemFactory *factory, GtkListItem *item, gpointer data)
{
  assay_tensor_row_bind (ASSAY_TENSOR_ROW (gtk_list_item_get_child (item)),
                         gtk_list_item_get_item (item));
}

static void
unbind_cb (GtkListItemFactory *factory, GtkListItem *item, gpointer data)
{
  assay_tensor_row_bind (ASSAY_TENSOR_ROW (gtk_list_item_get_child (item)), NULL);
}

/* What is seen. */

static void
append_range (GString *text, const char *word, gsize first, gsize shown, gsize all)
{
  g_autofree char *from = assay_ui_format_count (first);
  g_autofree char *to = assay_ui_format_count (first + shown - 1);
  g_autofree char *total = assay_ui_format_count (all);

  if (shown < all)
    g_string_append_printf (text, "%s %s to %s of %s", word, from, to, total);
  else
    g_string_append_printf (text, "%s %s", total, word);
}

static void
update_page (AssayTensorWindow *self)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gsize first_row, first_column;
  gsize rows = assay_tensor_sheet_get_rows (self->sheet, &first_row);
  gsize columns = assay_tensor_sheet_get_columns (self->sheet, &first_column);

  if (rows == 0)
    g_string_append (text, "No elements");
  else
    {
      append_range (text, "rows", first_row, MIN (rows - first_row, ASSAY_SHEET_ROWS), rows);
      g_string_append (text, ", ");
      append_range (text, "columns", first_column, assay_tensor_sheet_count (self->sheet), columns);
    }
  gtk_label_set_label (self->page, text->str);
  gtk_widget_set_sensitive (self->previous_rows, first_row > 0);
  gtk_widget_set_sensitive (self->next_rows, first_row + ASSAY_SHEET_ROWS < rows);
  gtk_widget_set_sensitive (self->previous_columns, first_column > 0);
  gtk_widget_set_sensitive (self->next_columns, first_column + ASSAY_SHEET_COLUMNS < columns);
}

/* The strongest colour is that of the largest value: of all once they were read, of the first ones
 * before. */
static void
update_heat (AssayTensorWindow *self)
{
  const AssayTensorSummary *summary = assay_tensor_figures_get_summary (self->figures);
  double most = 0;

  if (!gtk_toggle_button_get_active (self->heat))
    most = 0;
  else if (summary != NULL)
    most = MAX (fabs (summary->statistics.min), fabs (summary->statistics.max));
  else
    for (gsize i = 0; i < MIN (assay_tensor_get_n_elements (self->tensor), PEEK); i++)
      {
        double value;

        if (assay_tensor_get_element (self->tensor, i, &value, NULL) && isfinite (value))
          most = MAX (most, fabs (value));
      }

  assay_tensor_sheet_set_heat (self->sheet, isfinite (most) ? most : 0);
}

static void
show_sheet (AssayTensorWindow *self)
{
  AssayTensor *other = gtk_toggle_button_get_active (self->pair) ? self->other : NULL;
  g_autoptr (GtkSelectionModel) selection = NULL;

  g_clear_object (&self->sheet);
  self->sheet = assay_tensor_sheet_new (self->tensor, other, self->step);
  selection = GTK_SELECTION_MODEL (
      gtk_multi_selection_new (g_object_ref (G_LIST_MODEL (self->sheet))));
  assay_tensor_row_set_sheet (self->head, self->sheet,
                              gtk_scrolled_window_get_hadjustment (self->scroller));
  gtk_list_view_set_model (self->list, selection);
  g_signal_connect_object (self->sheet, "items-changed", G_CALLBACK (update_page), self,
                           G_CONNECT_SWAPPED);
  gtk_widget_set_visible (GTK_WIDGET (self->axes),
                          other == NULL && assay_tensor_get_rank (self->tensor) > 2);
  gtk_widget_set_sensitive (GTK_WIDGET (self->form), other == NULL);
  gtk_widget_set_sensitive (GTK_WIDGET (self->heat), other == NULL);
  assay_tensor_sheet_set_form (self->sheet, gtk_drop_down_get_selected (self->form));
  update_heat (self);
  update_page (self);
}

static void
form_cb (AssayTensorWindow *self)
{
  if (self->sheet != NULL)
    assay_tensor_sheet_set_form (self->sheet, gtk_drop_down_get_selected (self->form));
}

static void
heat_cb (AssayTensorWindow *self)
{
  if (self->sheet != NULL)
    update_heat (self);
}

static void
pair_cb (AssayTensorWindow *self)
{
  if (self->tensor != NULL)
    show_sheet (self);
}

/* Slices. */

static void
update_axes (AssayTensorWindow *self)
{
  AssayTensorGrid *grid = assay_tensor_sheet_get_grid (self->sheet);

  self->syncing = TRUE;
  gtk_drop_down_set_selected (self->rows_axis, (guint) MAX (grid->row_axis, 0));
  gtk_drop_down_set_selected (self->columns_axis, (guint) MAX (grid->column_axis, 0));
  for (guint axis = 0; axis < self->axis_widgets->len; axis++)
    {
      GtkWidget *spin = g_ptr_array_index (self->axis_widgets, axis);

      gtk_spin_button_set_value (GTK_SPIN_BUTTON (spin), (double) grid->fixed[axis]);
      gtk_widget_set_visible (gtk_widget_get_parent (spin),
                              (int) axis != grid->row_axis && (int) axis != grid->column_axis);
    }
  self->syncing = FALSE;
}

static void
axis_chosen_cb (AssayTensorWindow *self, GParamSpec *pspec, GtkDropDown *chosen)
{
  int rows = (int) gtk_drop_down_get_selected (self->rows_axis);
  int columns = (int) gtk_drop_down_get_selected (self->columns_axis);
  AssayTensorGrid *grid;

  if (self->syncing || self->sheet == NULL || assay_tensor_get_rank (self->tensor) < 2)
    return;

  /* The axis that is taken from the other one gets the axis that was here. */
  grid = assay_tensor_sheet_get_grid (self->sheet);
  if (rows == columns && chosen == self->rows_axis)
    columns = grid->row_axis;
  else if (rows == columns)
    rows = grid->column_axis;
  assay_tensor_grid_set_axes (grid, rows, columns);
  assay_tensor_sheet_set_page (self->sheet, 0, 0);
  update_axes (self);
}

static void
slice_cb (AssayTensorWindow *self, GtkSpinButton *spin)
{
  guint axis;

  if (self->syncing || !g_ptr_array_find (self->axis_widgets, spin, &axis))
    return;

  assay_tensor_grid_set_fixed (assay_tensor_sheet_get_grid (self->sheet), axis,
                               (gsize) gtk_spin_button_get_value (spin));
  assay_tensor_sheet_update (self->sheet);
}

static void
fill_axes (AssayTensorWindow *self)
{
  guint rank = assay_tensor_get_rank (self->tensor);
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);

  for (guint axis = 0; axis < rank; axis++)
    {
      gint64 size = assay_tensor_get_dims (self->tensor)[axis];
      g_autofree char *name = g_strdup_printf ("Axis %u (%" G_GINT64_FORMAT ")", axis, size);
      g_autofree char *spoken = g_strdup_printf ("Place along axis %u", axis);
      GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
      GtkWidget *spin = gtk_spin_button_new_with_range (0, (double) MAX (size - 1, 0), 1);

      gtk_string_list_append (names, name);
      gtk_box_append (GTK_BOX (box), gtk_label_new (name));
      gtk_accessible_update_property (GTK_ACCESSIBLE (spin), GTK_ACCESSIBLE_PROPERTY_LABEL, spoken,
                                      -1);
      g_signal_connect_object (spin, "value-changed", G_CALLBACK (slice_cb), self,
                               G_CONNECT_SWAPPED);
      gtk_box_append (GTK_BOX (box), spin);
      gtk_box_append (self->axes, box);
      g_ptr_array_add (self->axis_widgets, spin);
    }
  self->syncing = TRUE;
  gtk_drop_down_set_model (self->rows_axis, G_LIST_MODEL (names));
  gtk_drop_down_set_model (self->columns_axis, G_LIST_MODEL (names));
  self->syncing = FALSE;
}

/* Pages. */

static void
turn (AssayTensorWindow *self, int rows, int columns)
{
  gsize row, column;

  assay_tensor_sheet_get_rows (self->sheet, &row);
  assay_tensor_sheet_get_columns (self->sheet, &column);
  assay_tensor_sheet_set_page (self->sheet, row + (gsize) (rows * ASSAY_SHEET_ROWS),
                               column + (gsize) (columns * ASSAY_SHEET_COLUMNS));
}

static void
previous_rows_cb (AssayTensorWindow *self)
{
  turn (self, -1, 0);
}

static void
next_rows_cb (AssayTensorWindow *self)
{
  turn (self, 1, 0);
}

static void
previous_columns_cb (AssayTensorWindow *self)
{
  turn (self, 0, -1);
}

static void
next_columns_cb (AssayTensorWindow *self)
{
  turn (self, 0, 1);
}

/**
 * assay_tensor_window_go_to:
 * @self: a window
 * @index: an index as users write it: flat, or one number per axis
 *
 * Goes to the page and slice of an element and selects its row. What is no index is said in a
 * toast.
 *
 * Returns: whether there is such an element
 */
gboolean
assay_tensor_window_go_to (AssayTensorWindow *self, const char *index)
{
  g_autoptr (GError) error = NULL;
  guint position;
  gsize element;

  if (!assay_tensor_grid_parse (assay_tensor_sheet_get_grid (self->sheet), index, &element, &error))
    {
      assay_ui_toast (GTK_WIDGET (self->toasts), error->message);
      return FALSE;
    }

  position = assay_tensor_sheet_go_to (self->sheet, element);
  update_axes (self);
  gtk_selection_model_select_item (gtk_list_view_get_model (self->list), position, TRUE);
  gtk_widget_activate_action (GTK_WIDGET (self->list), "list.scroll-to-item", "u", position);
  return TRUE;
}

static void
place_cb (AssayTensorWindow *self)
{
  assay_tensor_window_go_to (self, gtk_editable_get_text (GTK_EDITABLE (self->place)));
}

/* Copies. */

static void
copy_cb (AssayTensorWindow *self)
{
  g_autoptr (GtkBitset)
      selected = gtk_selection_model_get_selection (gtk_list_view_get_model (self->list));
  g_autoptr (GArray) rows = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree char *text = NULL;
  g_autofree char *count = NULL;
  g_autofree char *message = NULL;
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->sheet));
  gsize first;

  /* Without a choice it is what a spreadsheet can take at once. */
  assay_tensor_sheet_get_rows (self->sheet, &first);
  if (gtk_bitset_is_empty (selected))
    gtk_bitset_add_range (selected, 0, MIN (n, PEEK));
  for (guint i = 0; i < MIN (gtk_bitset_get_size (selected), PEEK); i++)
    {
      guint row = (guint) first + gtk_bitset_get_nth (selected, i);

      g_array_append_val (rows, row);
    }
  text = assay_tensor_sheet_to_tsv (self->sheet, (const guint *) (gpointer) rows->data, rows->len);
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), text);
  count = assay_ui_format_count (rows->len);
  message = g_strdup_printf (rows->len == 1 ? "Copied %s row" : "Copied %s rows", count);
  assay_ui_toast (GTK_WIDGET (self->toasts), message);
}

static void
copy_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  copy_cb (ASSAY_TENSOR_WINDOW (widget));
}

static void
command_cb (AssayTensorWindow *self)
{
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), self->command);
  assay_ui_toast (GTK_WIDGET (self->toasts), "Command copied");
}

static void
save_chosen_cb (const char *path, gpointer data)
{
  AssayTensorWindow *self = data;

  assay_file_save_values (GTK_WIDGET (self->toasts), self->tensor, path);
}

static void
save_cb (AssayTensorWindow *self)
{
  static const AssayFileKind kind = { "Save Values", "_Save", "*.npy", "NumPy Arrays" };
  g_autofree char *ending = g_strdup_printf ("-%s.npy", self->name);

  g_strdelimit (ending, G_DIR_SEPARATOR_S, '_');
  assay_file_choice_save (self->choice, GTK_WINDOW (self), &kind, ending, save_chosen_cb, self);
}

/* Life. */

static void
assay_tensor_window_dispose (GObject *object)
{
  AssayTensorWindow *self = ASSAY_TENSOR_WINDOW (object);

  g_clear_pointer (&self->choice, assay_file_choice_free);
  g_clear_object (&self->sheet);
  self->toasts = NULL;

  G_OBJECT_CLASS (assay_tensor_window_parent_class)->dispose (object);
}

static void
assay_tensor_window_finalize (GObject *object)
{
  AssayTensorWindow *self = ASSAY_TENSOR_WINDOW (object);

  g_clear_pointer (&self->axis_widgets, g_ptr_array_unref);
  g_clear_pointer (&self->tensor, assay_tensor_unref);
  g_clear_pointer (&self->other, assay_tensor_unref);
  g_free (self->name);
  g_free (self->command);

  G_OBJECT_CLASS (assay_tensor_window_parent_class)->finalize (object);
}

static void
assay_tensor_window_class_init (AssayTensorWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = assay_tensor_window_dispose;
  G_OBJECT_CLASS (klass)->finalize = assay_tensor_window_finalize;

  g_type_ensure (ASSAY_TYPE_TENSOR_ROW);
  ASSAY_BIND_TEMPLATE (klass, AssayTensorWindow, "assay-tensor-window", toasts, title, axes,
                       rows_axis, columns_axis, form, heat, pair, place, command_button, head,
                       scroller, list, page, previous_rows, next_rows, previous_columns,
                       next_columns, side);
  gtk_widget_class_bind_template_callback (widget_class, form_cb);
  gtk_widget_class_bind_template_callback (widget_class, heat_cb);
  gtk_widget_class_bind_template_callback (widget_class, pair_cb);
  gtk_widget_class_bind_template_callback (widget_class, axis_chosen_cb);
  gtk_widget_class_bind_template_callback (widget_class, place_cb);
  gtk_widget_class_bind_template_callback (widget_class, copy_cb);
  gtk_widget_class_bind_template_callback (widget_class, save_cb);
  gtk_widget_class_bind_template_callback (widget_class, command_cb);
  gtk_widget_class_bind_template_callback (widget_class, previous_rows_cb);
  gtk_widget_class_bind_template_callback (widget_class, next_rows_cb);
  gtk_widget_class_bind_template_callback (widget_class, previous_columns_cb);
  gtk_widget_class_bind_template_callback (widget_class, next_columns_cb);
  gtk_widget_class_install_action (widget_class, "tensor.copy", NULL, copy_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "window.close", NULL);
}

static void
assay_tensor_window_init (AssayTensorWindow *self)
{
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();

  self->choice = assay_file_choice_new ();
  self->axis_widgets = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_object (factory, "setup", G_CALLBACK (setup_cb), self, 0);
  g_signal_connect_object (factory, "bind", G_CALLBACK (bind_cb), self, 0);
  g_signal_connect_object (factory, "unbind", G_CALLBACK (unbind_cb), self, 0);
  gtk_list_view_set_factory (self->list, factory);
  assay_ui_name_parts (GTK_WIDGET (self));
}

static char *
describe (AssayTensor *tensor)
{
  g_autoptr (GString) text = g_string_new (assay_dtype_name (assay_tensor_get_dtype (tensor)));
  g_autofree char *size = g_format_size_full (assay_tensor_get_n_bytes (tensor),
                                              G_FORMAT_SIZE_IEC_UNITS);

  for (guint i = 0; i < assay_tensor_get_rank (tensor); i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? " × " : " ",
                            assay_tensor_get_dims (tensor)[i]);
  g_string_append_printf (text, ", %s", size);

  return g_strdup (text->str);
}

/**
 * assay_tensor_window_new:
 * @parent: the window it belongs to
 * @name: name of the value
 * @tensor: its elements
 *
 * Makes a window on a tensor. However large that is, only what is seen is read.
 *
 * Returns: (transfer none): the window
 */
GtkWidget *
assay_tensor_window_new (GtkWindow *parent, const char *name, AssayTensor *tensor)
{
  AssayTensorWindow *self = g_object_new (ASSAY_TYPE_TENSOR_WINDOW, "transient-for", parent,
                                          "destroy-with-parent", TRUE, NULL);
  g_autofree char *subtitle = describe (tensor);

  self->name = g_strdup (name);
  self->tensor = assay_tensor_ref (tensor);
  gtk_window_set_title (GTK_WINDOW (self), name);
  adw_window_title_set_title (self->title, name);
  adw_window_title_set_subtitle (self->title, subtitle);
  self->figures = ASSAY_TENSOR_FIGURES (assay_tensor_figures_new (tensor));
  g_signal_connect_object (self->figures, "ready", G_CALLBACK (heat_cb), self, G_CONNECT_SWAPPED);
  gtk_box_append (self->side, GTK_WIDGET (self->figures));
  fill_axes (self);
  show_sheet (self);
  update_axes (self);
  if (assay_tensor_get_n_bytes (tensor) <= READ_AT_ONCE)
    assay_tensor_figures_start (self->figures);
  return GTK_WIDGET (self);
}

/**
 * assay_tensor_window_set_other:
 * @self: a window
 * @other: a tensor of as many elements
 * @step: what both are multiples of, 0 if that is not known
 * @title: what the first one is
 * @other_title: what the other one is
 *
 * Holds another tensor against the one that is shown: element by element, with their distance.
 */
void
assay_tensor_window_set_other (AssayTensorWindow *self, AssayTensor *other, double step,
                               const char *title, const char *other_title)
{
  g_autofree char *text = g_strdup_printf ("A is %s, B is %s", title, other_title);

  g_return_if_fail (assay_tensor_get_n_elements (other) ==
                    assay_tensor_get_n_elements (self->tensor));

  self->other = assay_tensor_ref (other);
  self->step = step;
  gtk_widget_set_visible (GTK_WIDGET (self->pair), TRUE);
  assay_ui_set_tooltip (GTK_WIDGET (self->pair), text);
  adw_window_title_set_subtitle (self->title, text);
  gtk_toggle_button_set_active (self->pair, TRUE);
}

/**
 * assay_tensor_window_set_command:
 * @self: a window
 * @command: a command line
 *
 * Offers the command line that writes the same values.
 */
void
assay_tensor_window_set_command (AssayTensorWindow *self, const char *command)
{
  g_free (self->command);
  self->command = g_strdup (command);
  gtk_widget_set_visible (GTK_WIDGET (self->command_button), TRUE);
}
