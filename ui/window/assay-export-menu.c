/* assay-export-menu.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The menu that every picture and every table of the window has: copy it, or save it as a file.
 */
#include "ui/window/assay-export-menu.h"

#include <adwaita.h>

#include "ui/canvas/assay-picture-file.h"
#include "ui/table/assay-column-fit.h"
#include "ui/table/assay-columns.h"
#include "ui/window/assay-file-choice.h"
#include "ui/window/assay-file-save.h"
#include "ui/window/assay-ui-markup.h"

typedef struct
{
  const char *copy;
  const char *save;
  const char *shown;  /* what it is called where no page is around it */
  const char *suffix; /* of the file */
  AssayFileKind kind;
} Words;

static const Words picture_words = {
  "_Copy Picture",
  "_Save Picture…",
  "picture",
  ".svg",
  { "Save Picture", "_Save", "*.svg;*.png", "SVG and PNG Pictures" },
};
static const Words row_words = {
  "_Copy Rows",
  "_Save Rows…",
  "rows",
  ".csv",
  { "Save Rows", "_Save", "*.csv", "Comma-Separated Values" },
};

/* What a widget with such a menu has. */
typedef struct
{
  GtkWidget *widget; /* owns it */
  const Words *words;
  AssayFileChoice *choice;
  GtkWidget *menu;
} Export;

static void
export_free (gpointer data)
{
  Export *export = data;

  g_clear_pointer (&export->choice, assay_file_choice_free);
  g_free (export);
}

static Export *
get_export (GtkWidget *widget)
{
  return g_object_get_data (G_OBJECT (widget), "assay-export");
}

static gboolean
is_picture (const Export *export)
{
  return export != NULL && export->words == &picture_words;
}

/**
 * assay_export_menu_copy_picture:
 * @widget: a picture that is shown
 *
 * Puts what it shows on the clipboard.
 */
void
assay_export_menu_copy_picture (GtkWidget *widget)
{
  g_autoptr (GdkTexture) texture = assay_picture_file_render (widget, 2);

  gdk_clipboard_set_texture (gtk_widget_get_clipboard (widget), texture);
  assay_ui_toast (widget, "Picture copied");
}

/**
 * assay_export_menu_save_picture:
 * @widget: a picture that is shown
 * @path: a file; one that ends in `.svg` is SVG, every other PNG
 *
 * Writes what it shows into a file, and says so.
 */
void
assay_export_menu_save_picture (GtkWidget *widget, const char *path)
{
  g_autoptr (GBytes) bytes = assay_picture_file_write (widget, path);

  assay_file_save_bytes (widget, assay_job_new ("Saving the picture"), path, "the picture",
                         g_steal_pointer (&bytes));
}

static void
chosen_cb (const char *path, gpointer data)
{
  Export *export = data;

  if (is_picture (export))
    assay_export_menu_save_picture (export->widget, path);
  else
    assay_columns_save (GTK_COLUMN_VIEW (export->widget), path);
}

static void
copy_cb (Export *export)
{
  if (is_picture (export))
    assay_export_menu_copy_picture (export->widget);
  else
    assay_columns_copy (GTK_COLUMN_VIEW (export->widget));
}

/* Named after its page, so that what several pages show can lie side by side. */
static void
save_cb (Export *export)
{
  GtkWidget *pages = gtk_widget_get_ancestor (export->widget, ADW_TYPE_VIEW_STACK);
  const char *page = pages != NULL ? adw_view_stack_get_visible_child_name (ADW_VIEW_STACK (pages))
                                   : export->words->shown;
  g_autofree char *ending = g_strconcat ("-", page, export->words->suffix, NULL);

  assay_file_choice_save (export->choice, GTK_WINDOW (gtk_widget_get_root (export->widget)),
                          &export->words->kind, ending, chosen_cb, export);
}

/**
 * assay_export_menu_choose_picture:
 * @widget: a picture with a menu
 *
 * Lets the user choose the file that its menu saves.
 */
void
assay_export_menu_choose_picture (GtkWidget *widget)
{
  Export *export = get_export (widget);

  g_return_if_fail (is_picture (export));

  save_cb (export);
}

/* A chart of several layers is one picture. */
static Export *
find_outermost (Export *export)
{
  for (GtkWidget *widget = export->widget; is_picture (export) && widget != NULL;
       widget = gtk_widget_get_parent (widget))
    if (is_picture (get_export (widget)))
      export = get_export (widget);

  return export;
}

static void
open_menu (Export *export, double x, double y)
{
  g_autoptr (GMenu) menu = g_menu_new ();
  const GdkRectangle at = { (int) x, (int) y, 1, 1 };

  g_menu_append (menu, export->words->copy, "export.copy");
  g_menu_append (menu, export->words->save, "export.save");
  if (!is_picture (export))
    g_menu_append_submenu (menu, "_Columns",
                           assay_column_fit_get_menu (GTK_COLUMN_VIEW (export->widget)));
  g_clear_pointer (&export->menu, gtk_widget_unparent);
  export->menu = gtk_popover_menu_new_from_model (G_MENU_MODEL (menu));
  gtk_widget_set_parent (export->menu, export->widget);
  gtk_popover_set_pointing_to (GTK_POPOVER (export->menu), &at);
  gtk_popover_set_has_arrow (GTK_POPOVER (export->menu), FALSE);
  gtk_popover_popup (GTK_POPOVER (export->menu));
}

static void
pressed_cb (Export *export, int n_press, double x, double y, GtkGesture *gesture)
{
  Export *whole = find_outermost (export);
  graphene_point_t at = GRAPHENE_POINT_INIT ((float) x, (float) y);

  gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
  if (whole == export || gtk_widget_compute_point (export->widget, whole->widget, &at, &at))
    open_menu (whole, at.x, at.y);
}

static gboolean
menu_key_cb (GtkWidget *widget, GVariant *args, gpointer data)
{
  open_menu (data, gtk_widget_get_width (widget) / 2.0, gtk_widget_get_height (widget) / 2.0);
  return TRUE;
}

/* A menu that lives without a surface is asked by GTK 4.8 for the pointer's place. */
static void
unrealize_cb (Export *export)
{
  g_clear_pointer (&export->menu, gtk_widget_unparent);
}

static void
add (GtkWidget *widget, const Words *words)
{
  static const struct
  {
    const char *name;
    void (*callback) (Export *export);
  } actions[] = { { "copy", copy_cb }, { "save", save_cb } };
  Export *export = g_new0 (Export, 1);
  g_autoptr (GSimpleActionGroup) group = g_simple_action_group_new ();
  GtkGesture *press = gtk_gesture_click_new ();
  GtkEventController *keys = gtk_shortcut_controller_new ();

  export->widget = widget;
  export->words = words;
  export->choice = assay_file_choice_new ();
  g_object_set_data_full (G_OBJECT (widget), "assay-export", export, export_free);

  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    {
      g_autoptr (GSimpleAction) action = g_simple_action_new (actions[i].name, NULL);

      g_signal_connect_swapped (action, "activate", G_CALLBACK (actions[i].callback), export);
      g_action_map_add_action (G_ACTION_MAP (group), G_ACTION (action));
    }
  gtk_widget_insert_action_group (widget, "export", G_ACTION_GROUP (group));

  gtk_gesture_single_set_button (GTK_GESTURE_SINGLE (press), GDK_BUTTON_SECONDARY);
  g_signal_connect_swapped (press, "pressed", G_CALLBACK (pressed_cb), export);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (press));
  gtk_shortcut_controller_add_shortcut (
      GTK_SHORTCUT_CONTROLLER (keys),
      gtk_shortcut_new (
          gtk_alternative_trigger_new (gtk_keyval_trigger_new (GDK_KEY_F10, GDK_SHIFT_MASK),
                                       gtk_keyval_trigger_new (GDK_KEY_Menu, 0)),
          gtk_callback_action_new (menu_key_cb, export, NULL)));
  gtk_widget_add_controller (widget, keys);
  g_signal_connect_swapped (widget, "unrealize", G_CALLBACK (unrealize_cb), export);
}

/**
 * assay_export_menu_add_picture:
 * @widget: what shows a picture
 *
 * Gives it a menu to copy the picture or save it as SVG or PNG.
 */
void
assay_export_menu_add_picture (GtkWidget *widget)
{
  add (widget, &picture_words);
}

/**
 * assay_export_menu_add_rows:
 * @view: a table with columns of assay_columns_add()
 *
 * Gives it a menu to copy its rows or save them as comma-separated values.
 */
void
assay_export_menu_add_rows (GtkColumnView *view)
{
  add (GTK_WIDGET (view), &row_words);
}

/**
 * assay_export_menu_find_picture:
 * @root: a page
 *
 * Finds the picture of a page: the largest that is shown.
 *
 * Returns: (transfer none) (nullable): it, or %NULL if there is none
 */
GtkWidget *
assay_export_menu_find_picture (GtkWidget *root)
{
  GtkWidget *found = is_picture (get_export (root)) && gtk_widget_get_mapped (root) ? root : NULL;

  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *inside = assay_export_menu_find_picture (child);

      if (inside != NULL &&
          (found == NULL || gtk_widget_get_width (inside) * gtk_widget_get_height (inside) >
                                gtk_widget_get_width (found) * gtk_widget_get_height (found)))
        found = inside;
    }

  return found;
}
