/* assay-setting-row.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rows for settings of the table, for every window that has some: a switch where there is a
 * subtitle, a choice where there are few values, an entry elsewhere.
 */
#include "ui/sidebar/assay-setting-row.h"

#include "quantize/assay-position.h"
#include "ui/window/assay-ui-markup.h"

/* Beside a row: what it sets, and its switch. */
#define SETTING_KEY "assay-setting"
#define SWITCH_KEY "assay-switch"

static gboolean
is_off (AssaySetting setting)
{
  return assay_setting_get_info (setting)->kind == ASSAY_SETTING_KIND_FLAG_OFF;
}

static GtkWidget *
name_row (GtkWidget *row, const char *title, const char *subtitle)
{
  assay_ui_name_row (row, title, subtitle);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);

  return row;
}

static void
describe_choice_cb (GtkWidget *row)
{
  const AssayQuantizer *tool = assay_quantizer_get (
      adw_combo_row_get_selected (ADW_COMBO_ROW (row)));

  assay_ui_name_row (row, "Quantizer", tool != NULL ? tool->summary : "");
}

/* What was typed elsewhere and is no tool shows as the first one, which is taken. */
static GtkWidget *
new_quantizers (const char *chosen)
{
  GtkWidget *row = name_row (adw_combo_row_new (), "Quantizer", "");
  g_autoptr (GtkStringList) names = gtk_string_list_new (NULL);
  guint selected = 0;

  for (guint i = 0; assay_quantizer_get (i) != NULL; i++)
    {
      gtk_string_list_append (names, assay_quantizer_get (i)->name);
      if (g_strcmp0 (assay_quantizer_get (i)->name, chosen) == 0)
        selected = i;
    }
  /* What is chosen stands below the title with what it does, which leaves it the whole width. */
  adw_combo_row_set_use_subtitle (ADW_COMBO_ROW (row), TRUE);
  adw_combo_row_set_model (ADW_COMBO_ROW (row), G_LIST_MODEL (names));
  adw_action_row_set_subtitle_lines (ADW_ACTION_ROW (row), 0);
  g_signal_connect (row, "notify::selected", G_CALLBACK (describe_choice_cb), NULL);
  adw_combo_row_set_selected (ADW_COMBO_ROW (row), selected);
  describe_choice_cb (row);

  return row;
}

/**
 * assay_setting_row_new_switch:
 * @title: plain text
 * @subtitle: plain text
 * @active: whether it is on
 * @changed: called with @owner when it is switched
 * @owner: data for @changed
 *
 * Makes a row with a switch.
 *
 * Returns: (transfer floating): the row
 */
GtkWidget *
assay_setting_row_new_switch (const char *title, const char *subtitle, gboolean active,
                              GCallback changed, gpointer owner)
{
  GtkWidget *row = name_row (adw_action_row_new (), title, subtitle);
  GtkWidget *toggle = gtk_switch_new ();

  gtk_switch_set_active (GTK_SWITCH (toggle), active);
  gtk_widget_set_valign (toggle, GTK_ALIGN_CENTER);
  gtk_accessible_update_property (GTK_ACCESSIBLE (toggle), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  -1);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), toggle);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), toggle);
  g_object_set_data (G_OBJECT (row), SWITCH_KEY, toggle);
  g_signal_connect_swapped (toggle, "notify::active", changed, owner);

  return row;
}

/**
 * assay_setting_row_get_active:
 * @row: a row of assay_setting_row_new_switch()
 *
 * Gets what was switched.
 *
 * Returns: whether it is on
 */
gboolean
assay_setting_row_get_active (GtkWidget *row)
{
  return gtk_switch_get_active (g_object_get_data (G_OBJECT (row), SWITCH_KEY));
}

/**
 * assay_setting_row_new:
 * @setting: a setting with a title
 * @settings: what it is now
 * @changed: called with @owner when the user changes it
 * @owner: data for @changed
 *
 * Makes the row of a setting, as its row in the table says.
 *
 * Returns: (transfer floating): the row
 */
GtkWidget *
assay_setting_row_new (AssaySetting setting, AssaySettings *settings, GCallback changed,
                       gpointer owner)
{
  const AssaySettingInfo *info = assay_setting_get_info (setting);
  g_autofree char *text = NULL;
  GtkWidget *row;

  if (info->subtitle != NULL)
    row = assay_setting_row_new_switch (
        info->title, info->subtitle,
        assay_settings_get_flag (settings, setting) != is_off (setting), changed, owner);
  else
    {
      text = assay_settings_dup_text (settings, setting);
      if (setting == ASSAY_SETTING_QUANTIZER)
        row = new_quantizers (text);
      else
        {
          row = name_row (adw_entry_row_new (), info->title, NULL);
          gtk_editable_set_text (GTK_EDITABLE (row), text != NULL ? text : "");
        }
      /* A title has no room for all values there are. */
      gtk_widget_set_tooltip_text (row, info->help);
      g_signal_connect_swapped (row, ADW_IS_COMBO_ROW (row) ? "notify::selected" : "changed",
                                changed, owner);
    }
  g_object_set_data (G_OBJECT (row), SETTING_KEY, GINT_TO_POINTER (setting));

  return row;
}

/**
 * assay_setting_row_read:
 * @row: a row of assay_setting_row_new()
 * @settings: (inout): settings; a changed copy takes their place
 *
 * Sets what the row says.
 */
void
assay_setting_row_read (GtkWidget *row, AssaySettings **settings)
{
  AssaySetting setting = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (row), SETTING_KEY));
  guint chosen;

  if (g_object_get_data (G_OBJECT (row), SWITCH_KEY) != NULL)
    assay_settings_set_flag (settings, setting,
                             assay_setting_row_get_active (row) != is_off (setting));
  else if (ADW_IS_COMBO_ROW (row))
    {
      chosen = adw_combo_row_get_selected (ADW_COMBO_ROW (row));
      /* The first is what is taken if none is named. */
      assay_settings_set_text (settings, setting,
                               chosen == 0 ? "" : assay_quantizer_get (chosen)->name);
    }
  else
    assay_settings_set_text (settings, setting, gtk_editable_get_text (GTK_EDITABLE (row)));
}
