/* assay-options.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The table of settings as properties: the number of a property is one more than that of its
 * setting. Texts and lists are what they are elsewhere; a flag that says what is off is on here by
 * itself.
 */
#include "api/assay-options-private.h"

struct _AssayOptions
{
  GObject parent_instance;

  GMutex lock; /* guards the settings, which a compilation may take while they are changed */
  AssaySettings *settings;
};

G_DEFINE_FINAL_TYPE (AssayOptions, assay_options, G_TYPE_OBJECT)

static void
assay_options_finalize (GObject *object)
{
  AssayOptions *self = ASSAY_OPTIONS (object);

  assay_settings_unref (self->settings);
  g_mutex_clear (&self->lock);

  G_OBJECT_CLASS (assay_options_parent_class)->finalize (object);
}

static void
assay_options_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  AssayOptions *self = ASSAY_OPTIONS (object);
  AssaySetting setting = (AssaySetting) (id - 1);
  gboolean off = assay_setting_get_info (setting)->kind == ASSAY_SETTING_KIND_FLAG_OFF;
  g_autoptr (AssaySettings) settings = assay_options_ref_settings (self);

  if (G_VALUE_HOLDS_BOOLEAN (value))
    g_value_set_boolean (value, assay_settings_get_flag (settings, setting) != off);
  else if (G_VALUE_HOLDS_STRING (value))
    g_value_take_string (value, assay_settings_dup_text (settings, setting));
  else
    g_value_set_boxed (value, assay_settings_get_list (settings, setting));
}

static void
assay_options_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  AssayOptions *self = ASSAY_OPTIONS (object);
  AssaySetting setting = (AssaySetting) (id - 1);
  gboolean off = assay_setting_get_info (setting)->kind == ASSAY_SETTING_KIND_FLAG_OFF;

  g_mutex_lock (&self->lock);
  if (G_VALUE_HOLDS_BOOLEAN (value))
    assay_settings_set_flag (&self->settings, setting, g_value_get_boolean (value) != off);
  else if (G_VALUE_HOLDS_STRING (value))
    assay_settings_set_text (&self->settings, setting, g_value_get_string (value));
  else
    assay_settings_set_list (&self->settings, setting, g_value_get_boxed (value));
  g_mutex_unlock (&self->lock);
}

static GParamSpec *
make_property (const AssaySettingInfo *info)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;

  switch (info->kind)
    {
    case ASSAY_SETTING_KIND_FLAG:
    case ASSAY_SETTING_KIND_FLAG_OFF:
      return g_param_spec_boolean (info->property, info->title, info->help,
                                   info->kind == ASSAY_SETTING_KIND_FLAG_OFF, flags);
    case ASSAY_SETTING_KIND_TEXT:
      return g_param_spec_string (info->property, info->title, info->help, NULL, flags);
    default:
      return g_param_spec_boxed (info->property, info->title, info->help, G_TYPE_STRV, flags);
    }
}

static void
assay_options_class_init (AssayOptionsClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = assay_options_finalize;
  object_class->get_property = assay_options_get_property;
  object_class->set_property = assay_options_set_property;

  for (AssaySetting i = 0; i < ASSAY_N_SETTINGS; i++)
    if (assay_setting_get_info (i)->property != NULL)
      g_object_class_install_property (object_class, i + 1,
                                       make_property (assay_setting_get_info (i)));
}

static void
assay_options_init (AssayOptions *self)
{
  g_mutex_init (&self->lock);
  self->settings = assay_settings_new ();
}

/**
 * assay_options_new:
 *
 * Makes options that are all at their default.
 *
 * Returns: (transfer full): the options
 */
AssayOptions *
assay_options_new (void)
{
  return g_object_new (ASSAY_TYPE_OPTIONS, NULL);
}

/**
 * assay_options_ref_settings: (skip)
 * @self: options
 *
 * Gets what the options say now.
 *
 * Returns: (transfer full): the settings
 */
AssaySettings *
assay_options_ref_settings (AssayOptions *self)
{
  AssaySettings *settings;

  g_mutex_lock (&self->lock);
  settings = assay_settings_ref (self->settings);
  g_mutex_unlock (&self->lock);

  return settings;
}

/**
 * assay_options_set_settings: (skip)
 * @self: options
 * @settings: what they are to say
 *
 * Changes all options at once.
 */
void
assay_options_set_settings (AssayOptions *self, AssaySettings *settings)
{
  g_autoptr (AssaySettings) before = NULL;

  g_mutex_lock (&self->lock);
  before = self->settings;
  self->settings = assay_settings_ref (settings);
  g_mutex_unlock (&self->lock);
}

/**
 * assay_options_copy:
 * @self: options
 *
 * Makes options that say the same.
 *
 * Returns: (transfer full): the copy
 */
AssayOptions *
assay_options_copy (AssayOptions *self)
{
  g_autoptr (AssaySettings) settings = NULL;
  AssayOptions *copy;

  g_return_val_if_fail (ASSAY_IS_OPTIONS (self), NULL);

  copy = assay_options_new ();
  settings = assay_options_ref_settings (self);
  assay_options_set_settings (copy, settings);

  return copy;
}
