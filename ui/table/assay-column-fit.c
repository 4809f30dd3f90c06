/* assay-column-fit.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * A table shows what has room, whole: of the columns that may be missed the least important ones
 * give way, and come back when there is room for them. Which ones are shown can be chosen, too.
 */
#include "ui/table/assay-column-fit.h"

/* Added to the rank of a column whose cells say nothing. */
#define PLAIN_RANK 1000

/* What the user said of a column. */
typedef enum
{
  CHOICE_NONE,
  CHOICE_SHOW,
  CHOICE_HIDE,
} Choice;

typedef struct
{
  GtkColumnViewColumn *column; /* of the table, which lives longer */
  GSimpleAction *action;       /* as above */
  AssayColumnPlain plain;
  guint rank;
  Choice choice;
  gboolean wanted; /* by the page */
  gboolean dropped;
  int width; /* that it takes, or took when it was last seen */
} Part;

typedef struct
{
  GtkColumnView *view; /* owns it */
  GArray *parts;
  GSimpleActionGroup *actions;
  GMenu *menu;
  GtkWidget *button; /* in the last title, while a column is dropped */
  int button_width;
  GtkSelectionModel *model;
  guint idle;
} Fit;

static void
fit_free (gpointer data)
{
  Fit *fit = data;

  g_clear_handle_id (&fit->idle, g_source_remove);
  if (fit->model != NULL)
    g_signal_handlers_disconnect_by_data (fit->model, fit->view);
  g_clear_object (&fit->model);
  g_array_unref (fit->parts);
  g_object_unref (fit->actions);
  g_object_unref (fit->menu);
  g_object_unref (fit->button);
  g_free (fit);
}

static Fit *
get_fit (GtkColumnView *view)
{
  return g_object_get_data (G_OBJECT (view), "assay-fit");
}

static Part *
get_part (const Fit *fit, guint i)
{
  return &g_array_index (fit->parts, Part, i);
}

static gboolean
is_shown (const Part *part)
{
  return part->wanted && part->choice != CHOICE_HIDE && !part->dropped;
}

static void
show_part (Part *part)
{
  gtk_column_view_column_set_visible (part->column, is_shown (part));
  g_simple_action_set_enabled (part->action, part->wanted);
  g_simple_action_set_state (part->action, g_variant_new_boolean (is_shown (part)));
}

/* The larger, the sooner it gives way; 0: never. */
static guint
get_key (const Part *part)
{
  if (!part->wanted || part->choice != CHOICE_NONE || part->rank == 0)
    return 0;

  return part->rank + (part->plain (part->column) ? PLAIN_RANK : 0);
}

/**
 * assay_column_fit_find_title:
 * @view: a table
 * @column: one of its columns
 *
 * Finds what GTK 4.8 shows the title of a column in: text, and the arrow of the order behind it.
 *
 * Returns: (transfer none) (nullable): the box
 */
GtkWidget *
assay_column_fit_find_title (GtkColumnView *view, GtkColumnViewColumn *column)
{
  GListModel *columns = gtk_column_view_get_columns (view);
  GtkWidget *title = gtk_widget_get_first_child (gtk_widget_get_first_child (GTK_WIDGET (view)));

  for (guint i = 0; i < g_list_model_get_n_items (columns) && title != NULL; i++)
    {
      g_autoptr (GtkColumnViewColumn) at = g_list_model_get_item (columns, i);
      GtkWidget *box = gtk_widget_get_first_child (title);

      if (at == column)
        return GTK_IS_BOX (box) ? box : NULL;
      title = gtk_widget_get_next_sibling (title);
    }

  return NULL;
}

static GtkColumnViewColumn *
find_last (const Fit *fit)
{
  GListModel *columns = gtk_column_view_get_columns (fit->view);
  GtkColumnViewColumn *last = NULL;

  for (guint i = 0; i < g_list_model_get_n_items (columns); i++)
    {
      g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (columns, i);

      if (gtk_column_view_column_get_visible (column))
        last = column;
    }

  return last;
}

/* Behind the last title stands where the other columns are. */
static void
place_button (const Fit *fit)
{
  GtkWidget *parent = gtk_widget_get_parent (fit->button);
  GtkWidget *box = NULL;
  gboolean any = FALSE;

  for (guint i = 0; i < fit->parts->len; i++)
    any |= get_part (fit, i)->wanted && !is_shown (get_part (fit, i));
  if (any)
    box = assay_column_fit_find_title (fit->view, find_last (fit));
  if (parent == box)
    return;

  if (parent != NULL)
    gtk_box_remove (GTK_BOX (parent), fit->button);
  if (box != NULL)
    gtk_box_append (GTK_BOX (box), fit->button);
}

/* Columns as wide as the user made them stay, and the rest is scrolled to. */
static gboolean
has_own_widths (const Fit *fit)
{
  for (guint i = 0; i < fit->parts->len; i++)
    if (gtk_column_view_column_get_fixed_width (get_part (fit, i)->column) >= 0)
      return TRUE;

  return FALSE;
}

static int
measure (GtkWidget *widget)
{
  int natural;

  gtk_widget_measure (widget, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL, NULL);
  return natural;
}

static Part *
find_part (const Fit *fit, GtkColumnViewColumn *column)
{
  for (guint i = 0; i < fit->parts->len; i++)
    if (get_part (fit, i)->column == column)
      return get_part (fit, i);

  return NULL;
}

/* How wide each column is that is shown, from its title and from what stands below it: GTK tells
 * the width of the whole only, and not twice in a frame. */
static void
measure_parts (Fit *fit)
{
  GtkWidget *title = gtk_widget_get_first_child (
      gtk_widget_get_first_child (GTK_WIDGET (fit->view)));
  GtkWidget *list = gtk_widget_get_last_child (GTK_WIDGET (fit->view));
  GListModel *columns = gtk_column_view_get_columns (fit->view);
  g_autoptr (GPtrArray) shown = g_ptr_array_new ();

  fit->button_width = measure (fit->button);
  for (guint i = 0; i < g_list_model_get_n_items (columns) && title != NULL; i++)
    {
      g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (columns, i);
      Part *part = find_part (fit, column);

      if (gtk_column_view_column_get_visible (column))
        {
          part->width = measure (title);
          if (gtk_widget_is_ancestor (fit->button, title))
            part->width -= fit->button_width;
          g_ptr_array_add (shown, part);
        }
      title = gtk_widget_get_next_sibling (title);
    }
  for (GtkWidget *row = gtk_widget_get_first_child (list); row != NULL;
       row = gtk_widget_get_next_sibling (row))
    {
      GtkWidget *cell = gtk_widget_get_first_child (row);

      for (guint i = 0; i < shown->len && cell != NULL; i++)
        {
          Part *part = g_ptr_array_index (shown, i);

          part->width = MAX (part->width, measure (cell));
          cell = gtk_widget_get_next_sibling (cell);
        }
    }
}

/* Leaves out one after the other, until the rest and the button that tells of it have room. */
static void
choose_parts (const Fit *fit, int room, gboolean *dropped)
{
  g_autofree guint *keys = g_new0 (guint, fit->parts->len);
  int total = 0;

  for (guint i = 0; i < fit->parts->len; i++)
    {
      const Part *part = get_part (fit, i);

      keys[i] = get_key (part);
      total += part->wanted && part->choice != CHOICE_HIDE ? part->width : 0;
    }
  for (int taken = 0; total + taken > room;)
    {
      guint first = 0;

      for (guint i = 1; i < fit->parts->len; i++)
        if (keys[i] >= keys[first])
          first = i;
      if (keys[first] == 0)
        return;

      keys[first] = 0;
      dropped[first] = TRUE;
      total -= get_part (fit, first)->width;
      taken = fit->button_width;
    }
}

static void
make_fit (Fit *fit)
{
  GtkAdjustment *adjustment = gtk_scrollable_get_hadjustment (GTK_SCROLLABLE (fit->view));
  int room = adjustment != NULL ? (int) gtk_adjustment_get_page_size (adjustment) : 0;
  g_autofree gboolean *dropped = g_new0 (gboolean, fit->parts->len);

  if (room <= 0 || has_own_widths (fit))
    return;

  measure_parts (fit);
  choose_parts (fit, room, dropped);
  for (guint i = 0; i < fit->parts->len; i++)
    if (get_part (fit, i)->dropped != dropped[i])
      {
        get_part (fit, i)->dropped = dropped[i];
        show_part (get_part (fit, i));
      }
  place_button (fit);
}

static gboolean
fit_cb (gpointer data)
{
  Fit *fit = data;

  fit->idle = 0;
  make_fit (fit);
  return G_SOURCE_REMOVE;
}

/**
 * assay_column_fit_queue:
 * @view: a table
 *
 * Looks at which columns have room, before the next frame: inside of an allocation none may be
 * shown or hidden.
 */
void
assay_column_fit_queue (GtkColumnView *view)
{
  Fit *fit = get_fit (view);

  if (fit != NULL && fit->idle == 0)
    fit->idle = g_idle_add_full (G_PRIORITY_HIGH_IDLE, fit_cb, fit, NULL);
}

static void
choose_cb (GSimpleAction *action, GVariant *state, Fit *fit)
{
  for (guint i = 0; i < fit->parts->len; i++)
    {
      Part *part = get_part (fit, i);

      if (part->action != action)
        continue;
      part->choice = g_variant_get_boolean (state) ? CHOICE_SHOW : CHOICE_HIDE;
      part->dropped = FALSE;
      show_part (part);
    }
  place_button (fit);
  assay_column_fit_queue (fit->view);
}

/* Rows that say something bring columns back. */
static void
model_cb (GtkColumnView *view, GParamSpec *pspec, Fit *fit)
{
  if (fit->model != NULL)
    g_signal_handlers_disconnect_by_data (fit->model, view);
  g_set_object (&fit->model, gtk_column_view_get_model (view));
  if (fit->model != NULL)
    g_signal_connect_swapped (fit->model, "items-changed", G_CALLBACK (assay_column_fit_queue),
                              view);
}

static Fit *
fit_new (GtkColumnView *view)
{
  Fit *fit = g_new0 (Fit, 1);

  fit->view = view;
  fit->parts = g_array_new (FALSE, FALSE, sizeof (Part));
  fit->actions = g_simple_action_group_new ();
  fit->menu = g_menu_new ();
  fit->button = g_object_ref_sink (
      g_object_new (GTK_TYPE_MENU_BUTTON, "icon-name", "view-more-symbolic", "menu-model",
                    fit->menu, "tooltip-text", "More columns", "valign", GTK_ALIGN_CENTER, NULL));
  gtk_accessible_update_property (GTK_ACCESSIBLE (fit->button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "More columns", -1);
  gtk_widget_add_css_class (fit->button, "flat");
  gtk_widget_add_css_class (fit->button, "more-columns");
  gtk_widget_insert_action_group (GTK_WIDGET (view), "columns", G_ACTION_GROUP (fit->actions));
  g_object_set_data_full (G_OBJECT (view), "assay-fit", fit, fit_free);
  g_signal_connect (view, "notify::model", G_CALLBACK (model_cb), fit);
  model_cb (view, NULL, fit);

  return fit;
}

/**
 * assay_column_fit_add:
 * @view: a table
 * @column: its next column
 * @rank: how soon it gives way where there is no room: 0 stays, of the others the greatest goes
 * first
 * @plain: finds out whether its cells say nothing, which gives way before all others
 *
 * Shows a column of a table where it has room. Titles of all of them are in a menu, to show or hide
 * them.
 */
void
assay_column_fit_add (GtkColumnView *view, GtkColumnViewColumn *column, guint rank,
                      AssayColumnPlain plain)
{
  Fit *fit = get_fit (view) != NULL ? get_fit (view) : fit_new (view);
  g_autofree char *name = g_strdup_printf ("c%u", fit->parts->len);
  g_autofree char *detailed = g_strconcat ("columns.", name, NULL);
  g_autoptr (GSimpleAction)
      action = g_simple_action_new_stateful (name, NULL, g_variant_new_boolean (TRUE));
  g_autoptr (GMenuItem)
      item = g_menu_item_new (gtk_column_view_column_get_title (column), detailed);
  const Part part = { column, action, plain, rank, CHOICE_NONE, TRUE, FALSE, 0 };

  g_signal_connect (action, "change-state", G_CALLBACK (choose_cb), fit);
  g_action_map_add_action (G_ACTION_MAP (fit->actions), G_ACTION (action));
  g_menu_item_set_attribute (item, "hidden-when", "s", "action-disabled");
  g_menu_append_item (fit->menu, item);
  g_array_append_val (fit->parts, part);
}

/**
 * assay_column_fit_set_wanted:
 * @view: a table
 * @column: one of its columns
 * @wanted: whether there is something in it
 *
 * Shows or hides a column that not every table of its kind has.
 */
void
assay_column_fit_set_wanted (GtkColumnView *view, GtkColumnViewColumn *column, gboolean wanted)
{
  Fit *fit = get_fit (view);

  for (guint i = 0; i < fit->parts->len; i++)
    {
      Part *part = get_part (fit, i);

      if (part->column != column || part->wanted == wanted)
        continue;
      part->wanted = wanted;
      show_part (part);
      assay_column_fit_queue (view);
    }
}

/**
 * assay_column_fit_get_menu:
 * @view: a table
 *
 * Gets the menu of its columns.
 *
 * Returns: (transfer none): the menu
 */
GMenuModel *
assay_column_fit_get_menu (GtkColumnView *view)
{
  return G_MENU_MODEL (get_fit (view)->menu);
}
