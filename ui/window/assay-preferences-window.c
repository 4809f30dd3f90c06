/* assay-preferences-window.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "ui/window/assay-preferences-window.h"

#include "run/board/assay-board-list.h"
#include "run/board/assay-board.h"
#include "target/assay-target.h"
#include "ui/window/assay-ui.h"
#include "text/assay-xml-writer.h"

struct _AssayPreferencesWindow
{
  AdwPreferencesWindow parent_instance;

  GSettings *settings;
};

G_DEFINE_FINAL_TYPE (AssayPreferencesWindow, assay_preferences_window, ADW_TYPE_PREFERENCES_WINDOW)

/* What a list offers: how the settings store it, and what people read. */
typedef struct
{
  char **values;
  char **labels;
} Choices;

static void
choices_free (gpointer data)
{
  Choices *choices = data;

  g_strfreev (choices->values);
  g_strfreev (choices->labels);
  g_free (choices);
}

static gboolean
get_selected (GValue *value, GVariant *variant, gpointer user_data)
{
  const Choices *choices = user_data;

  for (guint i = 0; choices->values[i] != NULL; i++)
    if (g_str_equal (choices->values[i], g_variant_get_string (variant, NULL)))
      {
        g_value_set_uint (value, i);
        return TRUE;
      }

  /* A path, or something that is not there any more: it stays until another one is chosen. */
  g_value_set_uint (value, GTK_INVALID_LIST_POSITION);
  return TRUE;
}

static GVariant *
set_selected (const GValue *value, const GVariantType *type, gpointer user_data)
{
  const Choices *choices = user_data;
  guint selected = g_value_get_uint (value);

  return selected < g_strv_length (choices->values)
             ? g_variant_new_string (choices->values[selected])
             : NULL;
}

static void
name_row (GtkWidget *row, const char *title, const char *subtitle)
{
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  if (subtitle != NULL)
    adw_action_row_set_subtitle (ADW_ACTION_ROW (row), subtitle);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
}

/* What is chosen stands below the title, which leaves it the whole width: it may be long. */
static void
add_list (AssayPreferencesWindow *self, AdwPreferencesGroup *group, const char *key,
          const char *title, char **values, char **labels)
{
  GtkWidget *row = adw_combo_row_new ();
  Choices *choices = g_new0 (Choices, 1);
  g_autoptr (GtkStringList) names = gtk_string_list_new ((const char *const *) labels);

  choices->values = values;
  choices->labels = labels;
  name_row (row, title, NULL);
  adw_combo_row_set_use_subtitle (ADW_COMBO_ROW (row), TRUE);
  adw_combo_row_set_model (ADW_COMBO_ROW (row), G_LIST_MODEL (names));
  adw_preferences_group_add (group, row);
  g_settings_bind_with_mapping (self->settings, key, row, "selected", G_SETTINGS_BIND_DEFAULT,
                                get_selected, set_selected, choices, choices_free);
}

static void
add_pair (AssayPreferencesWindow *self, AdwPreferencesGroup *group, const char *key,
          const char *title, const char *const *values, const char *const *labels)
{
  add_list (self, group, key, title, g_strdupv ((char **) values), g_strdupv ((char **) labels));
}

static void
add_switch (AssayPreferencesWindow *self, AdwPreferencesGroup *group, const char *key,
            const char *title, const char *subtitle)
{
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *toggle = gtk_switch_new ();

  name_row (row, title, subtitle);
  gtk_widget_set_valign (toggle, GTK_ALIGN_CENTER);
  gtk_accessible_update_property (GTK_ACCESSIBLE (toggle), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  -1);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), toggle);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), toggle);
  adw_preferences_group_add (group, row);
  g_settings_bind (self->settings, key, toggle, "active", G_SETTINGS_BIND_DEFAULT);
}

static void
add_recent_limit (AssayPreferencesWindow *self, AdwPreferencesGroup *group)
{
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *spin = gtk_spin_button_new_with_range (0, 100, 1);

  name_row (row, "Recent models", "How many are listed");
  gtk_widget_set_valign (spin, GTK_ALIGN_CENTER);
  gtk_accessible_update_property (GTK_ACCESSIBLE (spin), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Recent models", -1);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), spin);
  adw_preferences_group_add (group, row);
  g_settings_bind (self->settings, "recent-limit", spin, "value", G_SETTINGS_BIND_DEFAULT);
}

static void
forget_folder_cb (AssayPreferencesWindow *self)
{
  g_settings_reset (self->settings, "last-folder");
}

static gboolean
get_folder (GValue *value, GVariant *variant, gpointer user_data)
{
  const char *folder = g_variant_get_string (variant, NULL);

  g_value_take_string (value, *folder != '\0' ? assay_xml_escape (folder) : g_strdup ("None yet"));
  return TRUE;
}

static void
add_last_folder (AssayPreferencesWindow *self, AdwPreferencesGroup *group)
{
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *button = gtk_button_new_with_mnemonic ("_Forget");

  name_row (row, "Without a model, files are chosen from", NULL);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (button, "Start in the usual folder again");
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), button);
  adw_preferences_group_add (group, row);
  g_signal_connect_swapped (button, "clicked", G_CALLBACK (forget_folder_cb), self);
  g_settings_bind_with_mapping (self->settings, "last-folder", row, "subtitle", G_SETTINGS_BIND_GET,
                                get_folder, NULL, NULL, NULL);
}

static AdwPreferencesGroup *
add_group (AdwPreferencesPage *page, const char *title)
{
  GtkWidget *group = adw_preferences_group_new ();

  adw_preferences_group_set_title (ADW_PREFERENCES_GROUP (group), title);
  adw_preferences_page_add (page, ADW_PREFERENCES_GROUP (group));
  return ADW_PREFERENCES_GROUP (group);
}

/* Targets are known by their ids; boards and graphics processors, of which the menu and the window
 * of boards have the same list, by what they are called. */
static void
add_places (AssayPreferencesWindow *self, AdwPreferencesGroup *group)
{
  g_auto (GStrv) targets = assay_target_list ();
  g_autofree char *board = g_settings_get_string (self->settings, "default-board");
  g_autoptr (GPtrArray) boards = assay_board_list_places (*board != '\0' ? board : NULL);
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  g_autoptr (GStrvBuilder) labels = g_strv_builder_new ();

  add_list (self, group, "default-target", "Target of newly opened models", g_strdupv (targets),
            g_strdupv (targets));

  for (guint i = 0; i < boards->len; i++)
    {
      g_autofree char *label = assay_board_dup_label (g_ptr_array_index (boards, i));

      g_strv_builder_add (names, g_ptr_array_index (boards, i));
      g_strv_builder_add (labels, label);
    }
  add_list (self, group, "default-board", "Board that Deploy offers first",
            g_strv_builder_end (names), g_strv_builder_end (labels));
}

static void
fill (AssayPreferencesWindow *self)
{
  static const char *const scroll_values[] = { "control-scroll", "scroll", NULL };
  static const char *const scroll_labels[] = { "Wheel with Control held", "Wheel alone", NULL };
  static const char *const base_values[] = { "decimal", "hexadecimal", NULL };
  static const char *const base_labels[] = { "Decimal, 3\u202f812", "Hexadecimal, 0xee4", NULL };
  static const char *const unit_values[] = { "blocks", "bytes", NULL };
  static const char *const unit_labels[] = { "Blocks", "Bytes", NULL };
  AdwPreferencesPage *page = ADW_PREFERENCES_PAGE (adw_preferences_page_new ());
  AdwPreferencesGroup *group;

  adw_preferences_page_set_title (page, "General");
  group = add_group (page, "Opening");
  add_places (self, group);
  add_recent_limit (self, group);
  add_last_folder (self, group);
  group = add_group (page, "Program");
  add_switch (self, group, "auto-compile", "Compile by itself",
              "After each change, while the last compilation took less than two seconds");
  group = add_group (page, "Display");
  add_switch (self, group, "animations", "Animations", "Move the graph smoothly");
  add_pair (self, group, "zoom-scroll", "What zooms the graph", scroll_values, scroll_labels);
  add_pair (self, group, "unit", "Sizes of memory in", unit_values, unit_labels);
  add_pair (self, group, "address-base", "Addresses", base_values, base_labels);
  adw_preferences_window_add (ADW_PREFERENCES_WINDOW (self), page);
}

static void
assay_preferences_window_dispose (GObject *object)
{
  g_clear_object (&ASSAY_PREFERENCES_WINDOW (object)->settings);

  G_OBJECT_CLASS (assay_preferences_window_parent_class)->dispose (object);
}

static void
assay_preferences_window_class_init (AssayPreferencesWindowClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = assay_preferences_window_dispose;
}

static void
assay_preferences_window_init (AssayPreferencesWindow *self)
{
  self->settings = assay_ui_get_settings ();
  gtk_window_set_title (GTK_WINDOW (self), "Preferences");
  adw_preferences_window_set_search_enabled (ADW_PREFERENCES_WINDOW (self), FALSE);
  if (self->settings != NULL)
    fill (self);
  assay_ui_name_parts (GTK_WIDGET (self));
}

/**
 * assay_preferences_window_new:
 * @parent: (nullable): the window that it belongs to
 *
 * Makes the window with the settings.
 *
 * Returns: (transfer none): the window
 */
GtkWidget *
assay_preferences_window_new (GtkWindow *parent)
{
  return g_object_new (ASSAY_TYPE_PREFERENCES_WINDOW, "transient-for", parent, "modal",
                       parent != NULL, NULL);
}
