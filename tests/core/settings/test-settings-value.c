/* test-settings-value.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Settings as a value, and what the table makes of them.
 */
#include <string.h>

#include "base/assay-error.h"
#include "settings/assay-settings-options.h"

/* Gives a setting some value that is not its default. */
static void
set_some (AssaySettings **settings, AssaySetting setting)
{
  static const char *const entry[] = { "a=1", "b=2", NULL };

  switch (assay_setting_get_info (setting)->kind)
    {
    case ASSAY_SETTING_KIND_SHAPES:
      g_assert_true (assay_settings_set_shape (settings, 1, "?,64", NULL));
      break;
    case ASSAY_SETTING_KIND_AXES:
      assay_settings_set_axis (settings, 1, 2);
      break;
    case ASSAY_SETTING_KIND_FLAG:
    case ASSAY_SETTING_KIND_FLAG_OFF:
      assay_settings_set_flag (settings, setting, TRUE);
      break;
    default:
      assay_settings_set_list (settings, setting, entry);
    }
}

static void
test_value (void)
{
  for (AssaySetting i = 0; i < ASSAY_N_SETTINGS; i++)
    {
      const AssaySettingInfo *info = assay_setting_get_info (i);
      g_autoptr (AssaySettings) settings = assay_settings_new ();
      g_autoptr (AssaySettings) before = assay_settings_ref (settings);
      g_autofree char *change = NULL;

      set_some (&settings, i);
      g_assert_true (assay_settings_is_default (before));
      g_assert_false (assay_settings_is_default (settings));
      g_assert_false (assay_settings_equal (before, settings));
      for (AssayPipelineStages stage = 1; stage < ASSAY_PIPELINE_ALL; stage <<= 1)
        g_assert_cmpint (assay_settings_equal_stage (before, settings, stage), !=,
                         (info->stages & stage) != 0);
      change = assay_settings_describe_change (before, settings);
      g_assert_cmpstr (change, ==, info->change);

      assay_settings_set_list (&settings, i, NULL);
      g_assert_true (assay_settings_equal (before, settings));
    }
}

/* What the command line makes of a setting, it reads again. */
static void
test_arguments (void)
{
  g_autoptr (AssaySettings) settings = assay_settings_new ();
  g_autoptr (AssaySettings) again = NULL;
  g_autoptr (AssaySettingsOptions) options = assay_settings_options_new (ASSAY_PIPELINE_ALL);
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) words = NULL;
  g_auto (GStrv) arguments = NULL;
  g_autoptr (GError) error = NULL;

  for (AssaySetting i = 0; i < ASSAY_N_SETTINGS; i++)
    if (assay_setting_get_info (i)->option != NULL)
      set_some (&settings, i);
  words = assay_settings_to_arguments (settings, ASSAY_PIPELINE_ALL);
  g_strv_builder_add (builder, "assay");
  g_strv_builder_addv (builder, (const char **) words);
  arguments = g_strv_builder_end (builder);

  g_option_context_add_main_entries (context, assay_settings_options_get_entries (options), NULL);
  g_assert_true (g_option_context_parse_strv (context, &arguments, &error));
  g_assert_no_error (error);
  again = assay_settings_options_read (options, &error);
  g_assert_no_error (error);
  g_assert_true (assay_settings_equal (settings, again));
}

static void
test_axes (void)
{
  g_autoptr (AssaySettings) settings = NULL;
  guint n_axes;
  const int *axes;

  assay_settings_set_axis (&settings, 2, 1);
  axes = assay_settings_get_axes (settings, &n_axes);
  g_assert_cmpuint (n_axes, ==, 3);
  g_assert_cmpint (axes[0], ==, -1);
  g_assert_cmpint (axes[2], ==, 1);
  g_assert_cmpint (assay_settings_get_axis (settings, 7), ==, -1);

  /* Behind the last input that streams nothing is said. */
  assay_settings_set_axis (&settings, 2, -1);
  g_assert_true (assay_settings_is_default (settings));
}

static void
test_entries (void)
{
  g_autoptr (AssaySettings) settings = NULL;
  const char *const *list;

  assay_settings_set_number (&settings, ASSAY_SETTING_BIND, "odd=name:1", 3);
  assay_settings_set_number (&settings, ASSAY_SETTING_BIND, "batch", 1);
  assay_settings_set_number (&settings, ASSAY_SETTING_BIND, "odd=name:1", 4);
  list = assay_settings_get_list (settings, ASSAY_SETTING_BIND);
  g_assert_cmpstr (list[0], ==, "odd=name:1=4");
  g_assert_cmpstr (list[1], ==, "batch=1");
  g_assert_cmpstr (assay_setting_find_value (ASSAY_SETTING_BIND, list[0]), ==, "4");
  g_assert_cmpstr (assay_setting_find_value (ASSAY_SETTING_TARGET_OPTION, "a=b=c"), ==, "b=c");
  assay_settings_set_number (&settings, ASSAY_SETTING_BIND, "batch", -1);
  g_assert_cmpint (assay_settings_get_number (settings, ASSAY_SETTING_BIND, "batch"), ==, -1);

  assay_settings_set_text (&settings, ASSAY_SETTING_KEEP_FP32, " a, b\tc");
  assay_settings_add_name (&settings, ASSAY_SETTING_KEEP_FP32, "b");
  g_assert_cmpuint (
      g_strv_length ((char **) assay_settings_get_list (settings, ASSAY_SETTING_KEEP_FP32)), ==, 3);
}

/* What a target can do nothing with is found, or dropped. */
static void
test_capabilities (void)
{
  g_autoptr (AssaySettings) settings = NULL;

  assay_settings_set_flag (&settings, ASSAY_SETTING_FP8_WEIGHTS, TRUE);
  assay_settings_set_number (&settings, ASSAY_SETTING_BIND, "batch", 1);
  g_assert_null (assay_settings_find_misplaced (settings, ~0u));
  g_assert_cmpstr (assay_settings_find_misplaced (settings, 0)->option, ==, "fp8-weights");
  assay_settings_keep_capable (&settings, 0);
  g_assert_false (assay_settings_get_flag (settings, ASSAY_SETTING_FP8_WEIGHTS));
  g_assert_cmpint (assay_settings_get_number (settings, ASSAY_SETTING_BIND, "batch"), ==, 1);
}

/* Of every setting that is there: what names parts of a model goes, the rest stays. */
static void
test_parts (void)
{
  static const char *const of_parts[] = { "BIND", "SHAPES",   "AXES",       "KEEP_FP32",
                                          "PIN",  "DATA_DIM", "MODEL_NAME", NULL };
  static const char *const names[] = {
#define SETTING(ID, kind, option, stages, needs, metavar, json, change, property, title, subtitle, \
                help)                                                                              \
#ID,
#include "settings/settings.def"

#include "test-program.h"
#undef SETTING
  };

  for (AssaySetting i = 0; i < ASSAY_N_SETTINGS; i++)
    {
      static const char *const value[] = { "1", NULL };
      g_autoptr (AssaySettings) settings = NULL;

      assay_settings_set_list (&settings, i, value);
      assay_settings_drop_parts (&settings);
      g_test_message ("%s", names[i]);
      g_assert_cmpint (assay_settings_get_list (settings, i) == NULL, ==,
                       g_strv_contains (of_parts, names[i]));
    }
}

TEST_PROGRAM (settings_value)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/settings/value", test_value);
  g_test_add_func ("/settings/arguments", test_arguments);
  g_test_add_func ("/settings/axes", test_axes);
  g_test_add_func ("/settings/entries", test_entries);
  g_test_add_func ("/settings/capabilities", test_capabilities);
  g_test_add_func ("/settings/parts", test_parts);

  return g_test_run ();
}
