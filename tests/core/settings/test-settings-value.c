/* test-settings-value.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Settings as a value, and what the table makes of them.
 */
#include <stdlib.h>
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

typedef enum
{
  SET_TEXT,
  ADD_NAME,
  SET_ENTRY,
  SET_NUMBER,
  SET_SHAPE,
  SET_AXIS,
} Edit;

/* One text per value of the list, and what an edit makes of it. */
static void
test_edits (void)
{
  static const struct
  {
    AssaySetting setting;
    const char *before[5];
    Edit edit;
    const char *name; /* of an entry, or the number of an input */
    const char *value;
    const char *after[5];
  } cases[] = {
    { ASSAY_SETTING_KEEP_FP32, { NULL }, SET_TEXT, NULL, " a,, b\t c ", { "a", "b", "c" } },
    { ASSAY_SETTING_KEEP_FP32, { "a" }, SET_TEXT, NULL, " ,\t", { NULL } },
    { ASSAY_SETTING_KEEP_FP32, { "a", "b" }, SET_TEXT, NULL, NULL, { NULL } },
    { ASSAY_SETTING_QUANTIZER, { NULL }, SET_TEXT, NULL, "onnx, or", { "onnx, or" } },
    { ASSAY_SETTING_QUANTIZER, { "onnx" }, SET_TEXT, NULL, "", { NULL } },
    { ASSAY_SETTING_EQUALIZE, { NULL }, SET_TEXT, NULL, "true", { "true" } },
    { ASSAY_SETTING_PIN, { NULL }, ADD_NAME, NULL, "a", { "a" } },
    { ASSAY_SETTING_PIN, { "b" }, ADD_NAME, NULL, "a", { "b", "a" } },
    { ASSAY_SETTING_PIN, { "a", "b" }, ADD_NAME, NULL, "a", { "a", "b" } },
    { ASSAY_SETTING_TARGET_OPTION, { NULL }, SET_ENTRY, "a", "1", { "a=1" } },
    { ASSAY_SETTING_TARGET_OPTION, { "a=1", "b=2" }, SET_ENTRY, "a", "3", { "a=3", "b=2" } },
    { ASSAY_SETTING_TARGET_OPTION, { "a=1", "b=2" }, SET_ENTRY, "b", "3", { "a=1", "b=3" } },
    { ASSAY_SETTING_TARGET_OPTION, { "ab=1" }, SET_ENTRY, "a", "3", { "ab=1", "a=3" } },
    { ASSAY_SETTING_TARGET_OPTION, { "a=1" }, SET_ENTRY, "ab", "3", { "a=1", "ab=3" } },
    { ASSAY_SETTING_TARGET_OPTION, { "a=1" }, SET_ENTRY, "a", "", { "a=" } },
    { ASSAY_SETTING_TARGET_OPTION, { "a=1", "b=2" }, SET_ENTRY, "a", NULL, { "b=2" } },
    { ASSAY_SETTING_TARGET_OPTION, { "a=1" }, SET_ENTRY, "a", NULL, { NULL } },
    { ASSAY_SETTING_TARGET_OPTION, { "a=1" }, SET_ENTRY, "b", NULL, { "a=1" } },
    { ASSAY_SETTING_TARGET_OPTION, { "a=1", "b=2", "a=3" }, SET_ENTRY, "a", "4", { "a=4", "b=2" } },
    { ASSAY_SETTING_TARGET_OPTION, { "a=1", "b=2", "a=3" }, SET_ENTRY, "a", NULL, { "b=2" } },
    { ASSAY_SETTING_BIND, { "b=1" }, SET_NUMBER, "n", "0", { "b=1", "n=0" } },
    { ASSAY_SETTING_BIND, { "n=1" }, SET_NUMBER, "n", "-1", { NULL } },
    { ASSAY_SETTING_BIND,
      { NULL },
      SET_NUMBER,
      "n",
      "9223372036854775807",
      { "n=9223372036854775807" } },
    { ASSAY_SETTING_SHAPES, { NULL }, SET_SHAPE, "0", "1,2", { "1,2" } },
    { ASSAY_SETTING_SHAPES, { NULL }, SET_SHAPE, "2", "1,2", { "", "", "1,2" } },
    { ASSAY_SETTING_SHAPES, { "", "", "1,2" }, SET_SHAPE, "0", "?", { "?", "", "1,2" } },
    { ASSAY_SETTING_SHAPES, { "5", "", "1,2" }, SET_SHAPE, "2", "", { "5" } },
    { ASSAY_SETTING_SHAPES, { "5", "", "1,2" }, SET_SHAPE, "0", "", { "", "", "1,2" } },
    { ASSAY_SETTING_SHAPES, { "5" }, SET_SHAPE, "0", "", { NULL } },
    { ASSAY_SETTING_SHAPES, { "5" }, SET_SHAPE, "3", "", { "5" } },
    { ASSAY_SETTING_AXES, { NULL }, SET_AXIS, "0", "0", { "0" } },
    { ASSAY_SETTING_AXES, { NULL }, SET_AXIS, "1", "3", { "none", "3" } },
    { ASSAY_SETTING_AXES, { "none", "3" }, SET_AXIS, "1", "-1", { NULL } },
    { ASSAY_SETTING_AXES, { "1", "3" }, SET_AXIS, "0", "-1", { "none", "3" } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      static const char *const none[] = { NULL };
      g_autoptr (AssaySettings) settings = NULL;
      const char *value = cases[i].value;
      const char *const *list;
      gint64 number = value != NULL ? g_ascii_strtoll (value, NULL, 10) : -1;
      guint input = cases[i].name != NULL ? (guint) atoi (cases[i].name) : 0;

      g_test_message ("%u", i);
      assay_settings_set_list (&settings, cases[i].setting, cases[i].before);
      switch (cases[i].edit)
        {
        case SET_TEXT:
          assay_settings_set_text (&settings, cases[i].setting, value);
          break;
        case ADD_NAME:
          assay_settings_add_name (&settings, cases[i].setting, value);
          break;
        case SET_ENTRY:
          assay_settings_set_entry (&settings, cases[i].setting, cases[i].name, value);
          break;
        case SET_NUMBER:
          assay_settings_set_number (&settings, cases[i].setting, cases[i].name, number);
          break;
        case SET_SHAPE:
          g_assert_true (assay_settings_set_shape (&settings, input, value, NULL));
          break;
        case SET_AXIS:
          assay_settings_set_axis (&settings, input, (int) number);
          break;
        default:
          g_assert_not_reached ();
        }
      list = assay_settings_get_list (settings, cases[i].setting);
      g_assert_cmpstrv (list != NULL ? list : none, cases[i].after);
      g_assert_cmpint (list == NULL, ==, cases[i].after[0] == NULL);
      for (AssaySetting other = 0; other < ASSAY_N_SETTINGS; other++)
        g_assert_true (other == cases[i].setting ||
                       assay_settings_get_list (settings, other) == NULL);
    }
}

/* Sizes with commas between them; a shape that is none changes nothing and is named. */
static void
test_shapes (void)
{
  static const char *const good[] = { "",    "?",    "1",  "0",  "?,?", "1,?,3",
                                      " 4 ", "1, 2", "1,", ",2", "?, ", "9223372036854775807" };
  static const char *const bad[] = { "-1",  "a",    "1;2",
                                     "1 2", "??",   "1,x",
                                     "1.5", "0x10", "9223372036854775808" };

  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    {
      g_autoptr (AssaySettings) settings = NULL;
      g_autoptr (GError) error = NULL;

      g_test_message ("%s", good[i]);
      g_assert_true (assay_settings_set_shape (&settings, 1, good[i], &error));
      g_assert_no_error (error);
      g_assert_cmpstr (assay_settings_get_shape (settings, 1), ==, good[i]);
      g_assert_cmpstr (assay_settings_get_shape (settings, 0), ==, "");
      g_assert_cmpstr (assay_settings_get_shape (settings, 2), ==, "");
    }
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (AssaySettings) settings = assay_settings_new ();
      g_autoptr (GError) error = NULL;
      g_autofree char *message = g_strdup_printf ("“%s” is not a shape: sizes separated by commas "
                                                  "are expected, ? for one that stays",
                                                  bad[i]);

      g_assert_false (assay_settings_set_shape (&settings, 0, bad[i], &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
      g_assert_cmpstr (error->message, ==, message);
      g_assert_true (assay_settings_is_default (settings));
    }
}

/* The words of a command line, in the order of the table, and the settings that they give. */
static void
test_words (void)
{
  static const struct
  {
    AssaySetting setting;
    const char *given[7];
    const char *list[5];
    const char *written[7];
  } cases[] = {
    { ASSAY_SETTING_EQUALIZE, { "--equalize" }, { "true" }, { "--equalize" } },
    { ASSAY_SETTING_DISABLE_OPTIMIZATIONS,
      { "--disable-optimizations" },
      { "true" },
      { "--disable-optimizations" } },
    { ASSAY_SETTING_BIND,
      { "--bind=n=1", "--bind", "b=2" },
      { "n=1", "b=2" },
      { "--bind", "n=1", "--bind", "b=2" } },
    { ASSAY_SETTING_SHAPES,
      { "--override-input-shapes", "1,?", "--override-input-shapes", "4" },
      { "1,?", "4" },
      { "--override-input-shapes", "1,?", "--override-input-shapes", "4" } },
    { ASSAY_SETTING_AXES,
      { "--streaming-transform", "1" },
      { "1" },
      { "--streaming-transform", "1" } },
    { ASSAY_SETTING_AXES,
      { "--streaming-transform", "none, 0", "--streaming-transform", "63" },
      { "none", "0", "63" },
      { "--streaming-transform", "none,0,63" } },
    { ASSAY_SETTING_QUANTIZER, { "--quantizer", "onnx" }, { "onnx" }, { "--quantizer", "onnx" } },
    { ASSAY_SETTING_BIND, { NULL }, { NULL }, { NULL } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AssaySettingsOptions) options = assay_settings_options_new (ASSAY_PIPELINE_ALL);
      g_autoptr (GOptionContext) context = g_option_context_new (NULL);
      g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
      g_autoptr (AssaySettings) settings = NULL;
      g_autoptr (AssaySettings) expected = NULL;
      g_autoptr (GError) error = NULL;
      g_auto (GStrv) arguments = NULL;
      g_auto (GStrv) words = NULL;

      g_test_message ("%u", i);
      g_strv_builder_add (builder, "assay");
      g_strv_builder_addv (builder, (const char **) cases[i].given);
      arguments = g_strv_builder_end (builder);
      g_option_context_add_main_entries (context, assay_settings_options_get_entries (options),
                                         NULL);
      g_assert_true (g_option_context_parse_strv (context, &arguments, &error));
      settings = assay_settings_options_read (options, &error);
      g_assert_no_error (error);
      assay_settings_set_list (&expected, cases[i].setting, cases[i].list);
      g_assert_true (assay_settings_equal (settings, expected));
      words = assay_settings_to_arguments (settings, ASSAY_PIPELINE_ALL);
      g_assert_cmpstrv (words, cases[i].written);
    }
}

/* An axis is a number from 0 to 63 or the word none. */
static void
test_bad_axes (void)
{
  static const char *const bad[] = { "64", "-1", "x", "1,", "1,,2", "none,64", "nones", "1 2" };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (AssaySettingsOptions) options = assay_settings_options_new (ASSAY_PIPELINE_CHECK);
      g_autoptr (GOptionContext) context = g_option_context_new (NULL);
      const char *words[] = { "assay", "--streaming-transform", bad[i], NULL };
      g_auto (GStrv) arguments = g_strdupv ((char **) words);
      g_autofree char *message = g_strdup_printf (
          "--streaming-transform %s: expected an axis from 0 to 63, or none, for "
          "each input",
          bad[i]);
      g_autoptr (GError) error = NULL;

      g_option_context_add_main_entries (context, assay_settings_options_get_entries (options),
                                         NULL);
      g_assert_true (g_option_context_parse_strv (context, &arguments, &error));
      g_assert_null (assay_settings_options_read (options, &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
      g_assert_cmpstr (error->message, ==, message);
    }
}

/* A command has the options of its stages, and writes no others. */
static void
test_stages (void)
{
  for (AssayPipelineStages stages = 0; stages <= ASSAY_PIPELINE_ALL; stages++)
    {
      g_autoptr (AssaySettingsOptions) options = assay_settings_options_new (stages);
      const GOptionEntry *entry = assay_settings_options_get_entries (options);

      for (AssaySetting i = 0; i < ASSAY_N_SETTINGS; i++)
        {
          const AssaySettingInfo *info = assay_setting_get_info (i);
          gboolean known = info->option != NULL && (info->stages & stages) != 0;
          gboolean is_flag = info->kind == ASSAY_SETTING_KIND_FLAG ||
                             info->kind == ASSAY_SETTING_KIND_FLAG_OFF;
          g_autoptr (AssaySettings) settings = NULL;
          g_auto (GStrv) words = NULL;
          g_autofree char *option = g_strconcat ("--", info->option, NULL);

          set_some (&settings, i);
          words = assay_settings_to_arguments (settings, stages);
          g_assert_cmpstr (words[0], ==, known ? option : NULL);
          if (!known)
            continue;
          g_assert_cmpstr (entry->long_name, ==, info->option);
          g_assert_cmpint (entry->arg, ==, is_flag ? G_OPTION_ARG_NONE : G_OPTION_ARG_STRING_ARRAY);
          g_assert_cmpstr (entry->description, ==, info->help);
          g_assert_cmpstr (entry->arg_description, ==, info->metavar);
          entry++;
        }
      g_assert_null (entry->long_name);
    }
}

/* Every getter, of settings and of none. */
static void
test_getters (void)
{
  static const struct
  {
    AssaySetting setting;
    const char *list[4];
    const char *text; /* of all of it */
    const char *a;    /* the entry `a` */
    gint64 number;    /* of `a` */
  } cases[] = {
    { ASSAY_SETTING_TARGET_OPTION, { NULL }, NULL, NULL, -1 },
    { ASSAY_SETTING_TARGET_OPTION, { "a=b=c" }, "a=b=c", "b=c", 0 },
    { ASSAY_SETTING_TARGET_OPTION, { "b=1", "a=2", "a=3" }, "b=1 a=2 a=3", "2", 2 },
    { ASSAY_SETTING_TARGET_OPTION, { "ab=1", "a", "a:b=4" }, "ab=1 a a:b=4", NULL, -1 },
    { ASSAY_SETTING_BIND, { "a=0" }, "a=0", "0", 0 },
    { ASSAY_SETTING_BIND, { "a=12" }, "a=12", "12", 12 },
    { ASSAY_SETTING_EQUALIZE, { "true" }, "true", NULL, -1 },
    { ASSAY_SETTING_KEEP_FP32, { "x", "y" }, "x y", NULL, -1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AssaySettings) settings = NULL;
      g_autofree char *text = NULL;

      assay_settings_set_list (&settings, cases[i].setting, cases[i].list);
      text = assay_settings_dup_text (settings, cases[i].setting);
      g_assert_cmpstr (text, ==, cases[i].text);
      g_assert_cmpstr (assay_settings_get_entry (settings, cases[i].setting, "a"), ==, cases[i].a);
      g_assert_cmpint (assay_settings_get_number (settings, cases[i].setting, "a"), ==,
                       cases[i].number);
      g_assert_cmpint (assay_settings_get_flag (settings, cases[i].setting), ==,
                       cases[i].list[0] != NULL);
    }
  for (AssaySetting i = 0; i < ASSAY_N_SETTINGS; i++)
    {
      guint n_axes = 1;

      g_assert_null (assay_settings_get_list (NULL, i));
      g_assert_null (assay_settings_dup_text (NULL, i));
      g_assert_false (assay_settings_get_flag (NULL, i));
      g_assert_null (assay_settings_get_entry (NULL, i, "a"));
      g_assert_null (assay_settings_get_axes (NULL, &n_axes));
      g_assert_cmpuint (n_axes, ==, 0);
      g_assert_cmpstr (assay_settings_get_shape (NULL, 0), ==, "");
    }
  g_assert_true (assay_settings_is_default (NULL));
  g_assert_null (assay_settings_ref (NULL));
  assay_settings_unref (NULL);
  g_assert_null (assay_setting_find_value (ASSAY_SETTING_BIND, "a"));
}

/* Two settings that differ in several are described by the first one of the table. */
static void
test_changes (void)
{
  g_autoptr (AssaySettings) one = NULL;
  g_autoptr (AssaySettings) other = NULL;
  g_autofree char *none = assay_settings_describe_change (NULL, NULL);

  g_assert_cmpstr (none, ==, "");
  for (AssaySetting i = ASSAY_N_SETTINGS; i-- > 0;)
    {
      g_autoptr (AssaySettings) copy = NULL;
      g_autofree char *change = NULL;
      g_autofree char *same = NULL;
      g_autofree char *back = NULL;

      set_some (&one, i);
      change = assay_settings_describe_change (one, other);
      back = assay_settings_describe_change (other, one);
      g_assert_cmpstr (change, ==, assay_setting_get_info (i)->change);
      g_assert_cmpstr (back, ==, change);
      /* The same texts in another object are the same. */
      for (AssaySetting j = 0; j < ASSAY_N_SETTINGS; j++)
        assay_settings_set_list (&copy, j, assay_settings_get_list (one, j));
      g_assert_true (assay_settings_equal (one, copy));
      same = assay_settings_describe_change (one, copy);
      g_assert_cmpstr (same, ==, "");
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
  g_test_add_func ("/settings/edits", test_edits);
  g_test_add_func ("/settings/shapes", test_shapes);
  g_test_add_func ("/settings/words", test_words);
  g_test_add_func ("/settings/bad-axes", test_bad_axes);
  g_test_add_func ("/settings/stages", test_stages);
  g_test_add_func ("/settings/getters", test_getters);
  g_test_add_func ("/settings/changes", test_changes);

  return g_test_run ();
}
