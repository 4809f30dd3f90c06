/* assay-settings-options.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Settings from and to the command line, and what a target can do with them.
 */
#include "settings/assay-settings-options.h"

#include <string.h>

#include "base/assay-error.h"

struct _AssaySettingsOptions
{
  GOptionEntry entries[ASSAY_N_SETTINGS + 1];
  char **lists[ASSAY_N_SETTINGS];
  gboolean flags[ASSAY_N_SETTINGS];
};

static gboolean
is_flag (const AssaySettingInfo *info)
{
  return info->kind == ASSAY_SETTING_KIND_FLAG || info->kind == ASSAY_SETTING_KIND_FLAG_OFF;
}

/**
 * assay_settings_options_new:
 * @stages: the stages that the command comes to
 *
 * Makes the options of every setting that these stages read.
 *
 * Returns: (transfer full): the options
 */
AssaySettingsOptions *
assay_settings_options_new (AssayPipelineStages stages)
{
  AssaySettingsOptions *self = g_new0 (AssaySettingsOptions, 1);
  guint n = 0;

  for (AssaySetting i = 0; i < ASSAY_N_SETTINGS; i++)
    {
      const AssaySettingInfo *info = assay_setting_get_info (i);

      if (info->option == NULL || (info->stages & stages) == 0)
        continue;
      self->entries[n++] = (GOptionEntry){
        .long_name = info->option,
        .arg = is_flag (info) ? G_OPTION_ARG_NONE : G_OPTION_ARG_STRING_ARRAY,
        .arg_data = is_flag (info) ? (gpointer) &self->flags[i] : (gpointer) &self->lists[i],
        .description = info->help,
        .arg_description = info->metavar,
      };
    }

  return self;
}

void
assay_settings_options_free (AssaySettingsOptions *self)
{
  if (self == NULL)
    return;

  for (guint i = 0; i < ASSAY_N_SETTINGS; i++)
    g_strfreev (self->lists[i]);
  g_free (self);
}

/**
 * assay_settings_options_get_entries:
 * @self: options
 *
 * Gets what a #GOptionContext wants.
 *
 * Returns: (transfer none): the entries, as long as the options live
 */
const GOptionEntry *
assay_settings_options_get_entries (const AssaySettingsOptions *self)
{
  return self->entries;
}

/* Axes come as several options or as one list. */
static char **
split_axes (const AssaySettingInfo *info, char **given, GError **error)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  for (guint i = 0; given[i] != NULL; i++)
    {
      g_auto (GStrv) parts = g_strsplit (given[i], ",", -1);

      for (guint j = 0; parts[j] != NULL; j++)
        {
          const char *part = g_strstrip (parts[j]);
          g_autofree char *axis = g_strdup ("none");
          gint64 number;

          if (!g_str_equal (part, axis) &&
              !g_ascii_string_to_signed (part, 10, 0, 63, &number, NULL))
            {
              g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                           "--%s %s: expected an axis from 0 to 63, or none, for each input",
                           info->option, given[i]);
              return NULL;
            }
          if (!g_str_equal (part, axis))
            {
              g_free (axis);
              axis = g_strdup_printf ("%d", (int) number);
            }
          g_strv_builder_add (builder, axis);
        }
    }

  return g_strv_builder_end (builder);
}

/**
 * assay_settings_options_read:
 * @self: options, parsed
 * @error: return location for a #GError
 *
 * Makes settings of what the command line says.
 *
 * Returns: (transfer full) (nullable): the settings, or %NULL with %ASSAY_ERROR_INVALID
 */
AssaySettings *
assay_settings_options_read (const AssaySettingsOptions *self, GError **error)
{
  g_autoptr (AssaySettings) settings = assay_settings_new ();

  for (AssaySetting i = 0; i < ASSAY_N_SETTINGS; i++)
    {
      const AssaySettingInfo *info = assay_setting_get_info (i);
      g_auto (GStrv) axes = NULL;

      if (self->flags[i])
        assay_settings_set_flag (&settings, i, TRUE);
      if (self->lists[i] == NULL)
        continue;
      if (info->kind == ASSAY_SETTING_KIND_AXES)
        {
          axes = split_axes (info, self->lists[i], error);
          if (axes == NULL)
            return NULL;
        }
      assay_settings_set_list (&settings, i,
                               (const char *const *) (axes != NULL ? axes : self->lists[i]));
    }

  return g_steal_pointer (&settings);
}

/**
 * assay_settings_to_arguments:
 * @self: (nullable): settings
 * @stages: the stages that the command comes to
 *
 * Writes the options of a command line that lead to these settings.
 *
 * Returns: (transfer full) (array zero-terminated=1): words, not quoted
 */
char **
assay_settings_to_arguments (const AssaySettings *self, AssayPipelineStages stages)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  for (AssaySetting i = 0; i < ASSAY_N_SETTINGS; i++)
    {
      const AssaySettingInfo *info = assay_setting_get_info (i);
      const char *const *values = assay_settings_get_list (self, i);
      g_autofree char *option = g_strconcat ("--", info->option, NULL);
      g_autofree char *axes = NULL;

      if (info->option == NULL || (info->stages & stages) == 0 || values == NULL)
        continue;
      if (is_flag (info))
        {
          g_strv_builder_add (builder, option);
          continue;
        }
      if (info->kind == ASSAY_SETTING_KIND_AXES)
        {
          axes = g_strjoinv (",", (char **) values);
          g_strv_builder_add_many (builder, option, axes, NULL);
          continue;
        }
      for (; *values != NULL; values++)
        g_strv_builder_add_many (builder, option, *values, NULL);
    }

  return g_strv_builder_end (builder);
}

static gboolean
needs_more (AssaySetting setting, guint capabilities)
{
  AssayCapability needs = assay_setting_get_info (setting)->needs;

  return needs != ASSAY_CAPABILITY_NOTHING && (capabilities & (1u << needs)) == 0;
}

/**
 * assay_settings_find_misplaced:
 * @self: (nullable): settings
 * @capabilities: what a backend can do, ASSAY_CAN() of each
 *
 * Finds a setting that the target would pass over in silence, which is a misunderstanding.
 *
 * Returns: (transfer none) (nullable): its row
 */
const AssaySettingInfo *
assay_settings_find_misplaced (const AssaySettings *self, guint capabilities)
{
  for (AssaySetting i = 0; i < ASSAY_N_SETTINGS; i++)
    if (assay_settings_get_list (self, i) != NULL && needs_more (i, capabilities))
      return assay_setting_get_info (i);

  return NULL;
}

/**
 * assay_settings_keep_capable:
 * @self: (inout) (transfer full): settings, changed
 * @capabilities: what a backend can do, ASSAY_CAN() of each
 *
 * Drops what a target can do nothing with.
 */
void
assay_settings_keep_capable (AssaySettings **self, guint capabilities)
{
  for (AssaySetting i = 0; i < ASSAY_N_SETTINGS; i++)
    if (assay_settings_get_list (*self, i) != NULL && needs_more (i, capabilities))
      assay_settings_set_list (self, i, NULL);
}

/* Of nodes or inputs, by name or by their order. */
static gboolean
is_of_parts (const AssaySettingInfo *info)
{
  return info->kind == ASSAY_SETTING_KIND_NAMES || info->kind == ASSAY_SETTING_KIND_SHAPES ||
         info->kind == ASSAY_SETTING_KIND_AXES ||
         (info->metavar != NULL && strstr (info->metavar, "INPUT") != NULL);
}

/**
 * assay_settings_drop_parts:
 * @self: (inout) (transfer full): settings, changed
 *
 * Drops what is said of nodes and inputs of one model, which is nothing for another one.
 */
void
assay_settings_drop_parts (AssaySettings **self)
{
  for (AssaySetting i = 0; i < ASSAY_N_SETTINGS; i++)
    if (assay_settings_get_list (*self, i) != NULL && is_of_parts (assay_setting_get_info (i)))
      assay_settings_set_list (self, i, NULL);
}
