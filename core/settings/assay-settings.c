/* assay-settings.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every value is a list of texts as the command line has them: copying, comparing and telling is
 * the same for all settings.
 */
#include "settings/assay-settings.h"

#include <string.h>

#include "base/assay-error.h"

struct _AssaySettings
{
  gatomicrefcount ref_count;
  char **values[ASSAY_N_SETTINGS]; /* NULL for the default, never empty */
  GArray *axes;                    /* int: what the axes say */
};

/* The columns of the table, and what stands for one in it. */
#define IMPORT ASSAY_PIPELINE_IMPORT
#define CHECK ASSAY_PIPELINE_CHECK
#define BUILD ASSAY_PIPELINE_BUILD
#define QUANTIZE ASSAY_PIPELINE_QUANTIZE
#define NAME ASSAY_PIPELINE_NAME

static const AssaySettingInfo infos[ASSAY_N_SETTINGS] = {
#define SETTING(ID, kind, option, stages, needs, metavar, json, change, property, title, subtitle, \
                help)                                                                              \
  { ASSAY_SETTING_KIND_##kind,                                                                     \
    option,                                                                                        \
    stages,                                                                                        \
    ASSAY_CAPABILITY_##needs,                                                                      \
    metavar,                                                                                       \
    json,                                                                                          \
    change,                                                                                        \
    property,                                                                                      \
    title,                                                                                         \
    subtitle,                                                                                      \
    help },
#include "settings/settings.def"
#undef SETTING
};

G_DEFINE_BOXED_TYPE (AssaySettings, assay_settings, assay_settings_ref, assay_settings_unref)

/**
 * assay_setting_get_info:
 * @setting: a setting
 *
 * Gets what the table says of a setting.
 *
 * Returns: (transfer none): its row
 */
const AssaySettingInfo *
assay_setting_get_info (AssaySetting setting)
{
  return &infos[setting];
}

/**
 * assay_setting_find_value:
 * @setting: a setting of names with values
 * @entry: `NAME=VALUE`
 *
 * Finds the value in an entry: what may hold a `=` of its own is the name where values are numbers,
 * and the value elsewhere.
 *
 * Returns: (transfer none) (nullable): the value, behind the `=`
 */
const char *
assay_setting_find_value (AssaySetting setting, const char *entry)
{
  const char *equals = infos[setting].kind == ASSAY_SETTING_KIND_PAIRS ? strchr (entry, '=')
                                                                       : strrchr (entry, '=');

  return equals != NULL ? equals + 1 : NULL;
}

/**
 * assay_settings_new:
 *
 * Makes settings that change nothing.
 *
 * Returns: (transfer full): the settings
 */
AssaySettings *
assay_settings_new (void)
{
  AssaySettings *self = g_new0 (AssaySettings, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->axes = g_array_new (FALSE, FALSE, sizeof (int));

  return self;
}

/**
 * assay_settings_ref:
 * @self: (nullable): settings
 *
 * Takes a reference.
 *
 * Returns: (transfer full) (nullable): @self
 */
AssaySettings *
assay_settings_ref (AssaySettings *self)
{
  if (self != NULL)
    g_atomic_ref_count_inc (&self->ref_count);

  return self;
}

void
assay_settings_unref (AssaySettings *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->ref_count))
    return;

  for (guint i = 0; i < ASSAY_N_SETTINGS; i++)
    g_strfreev (self->values[i]);
  g_array_unref (self->axes);
  g_free (self);
}

static gboolean
equal_setting (const AssaySettings *a, const AssaySettings *b, AssaySetting setting)
{
  const char *const *left = assay_settings_get_list (a, setting);
  const char *const *right = assay_settings_get_list (b, setting);

  return left == right || (left != NULL && right != NULL && g_strv_equal (left, right));
}

/**
 * assay_settings_equal_stage:
 * @a: (nullable): settings
 * @b: (nullable): other ones
 * @stages: stages
 *
 * Tells whether these stages come to the same with both.
 *
 * Returns: whether they read the same
 */
gboolean
assay_settings_equal_stage (const AssaySettings *a, const AssaySettings *b,
                            AssayPipelineStages stages)
{
  for (AssaySetting i = 0; i < ASSAY_N_SETTINGS; i++)
    if ((infos[i].stages & stages) != 0 && !equal_setting (a, b, i))
      return FALSE;

  return TRUE;
}

/**
 * assay_settings_equal:
 * @a: (nullable): settings
 * @b: (nullable): other ones
 *
 * Compares settings.
 *
 * Returns: whether they say the same
 */
gboolean
assay_settings_equal (const AssaySettings *a, const AssaySettings *b)
{
  return a == b || assay_settings_equal_stage (a, b, ASSAY_PIPELINE_ALL);
}

/**
 * assay_settings_is_default:
 * @self: (nullable): settings
 *
 * Tells whether settings change nothing.
 *
 * Returns: whether they are as new
 */
gboolean
assay_settings_is_default (const AssaySettings *self)
{
  return assay_settings_equal (self, NULL);
}

/**
 * assay_settings_describe_change:
 * @before: settings
 * @after: other ones
 *
 * Names what is different, as it can stand behind `Undo`.
 *
 * Returns: (transfer full): words in header capitals
 */
char *
assay_settings_describe_change (const AssaySettings *before, const AssaySettings *after)
{
  for (AssaySetting i = 0; i < ASSAY_N_SETTINGS; i++)
    if (!equal_setting (before, after, i))
      return g_strdup (infos[i].change);

  return g_strdup ("");
}

/**
 * assay_settings_get_list:
 * @self: (nullable): settings
 * @setting: one of them
 *
 * Gets the value of a setting as the command line has it, one text for each time that its option
 * stands there.
 *
 * Returns: (transfer none) (nullable) (array zero-terminated=1): the texts, %NULL for the default
 */
const char *const *
assay_settings_get_list (const AssaySettings *self, AssaySetting setting)
{
  return self != NULL ? (const char *const *) self->values[setting] : NULL;
}

/**
 * assay_settings_get_flag:
 * @self: (nullable): settings
 * @setting: a flag
 *
 * Tells whether a flag is given.
 *
 * Returns: whether it is
 */
gboolean
assay_settings_get_flag (const AssaySettings *self, AssaySetting setting)
{
  return assay_settings_get_list (self, setting) != NULL;
}

/**
 * assay_settings_dup_text:
 * @self: (nullable): settings
 * @setting: a flag, a text or names
 *
 * Gets the value of a setting as one text.
 *
 * Returns: (transfer full) (nullable): `true` for a flag, names separated by spaces; %NULL for the
 * default
 */
char *
assay_settings_dup_text (const AssaySettings *self, AssaySetting setting)
{
  const char *const *values = assay_settings_get_list (self, setting);

  return values != NULL ? g_strjoinv (" ", (char **) values) : NULL;
}

static const char *
skip_name (const char *entry, const char *name)
{
  gsize length = strlen (name);

  return strncmp (entry, name, length) == 0 && entry[length] == '=' ? entry + length + 1 : NULL;
}

/**
 * assay_settings_get_entry:
 * @self: (nullable): settings
 * @setting: one of names with values
 * @name: a name
 *
 * Gets the value that a name has.
 *
 * Returns: (transfer none) (nullable): the value
 */
const char *
assay_settings_get_entry (const AssaySettings *self, AssaySetting setting, const char *name)
{
  const char *const *values = assay_settings_get_list (self, setting);
  const char *value = NULL;

  for (guint i = 0; value == NULL && values != NULL && values[i] != NULL; i++)
    value = skip_name (values[i], name);

  return value;
}

/**
 * assay_settings_get_number:
 * @self: (nullable): settings
 * @setting: one of names with numbers
 * @name: a name
 *
 * Gets the number that a name has.
 *
 * Returns: the number, or -1 if it has none
 */
gint64
assay_settings_get_number (const AssaySettings *self, AssaySetting setting, const char *name)
{
  const char *value = assay_settings_get_entry (self, setting, name);

  return value != NULL ? g_ascii_strtoll (value, NULL, 10) : -1;
}

/**
 * assay_settings_get_shape:
 * @self: (nullable): settings
 * @input: number of a main input
 *
 * Gets the shape that replaces the one of the file.
 *
 * Returns: (transfer none): dimensions separated by commas, "" if the shape of the file stands
 */
const char *
assay_settings_get_shape (const AssaySettings *self, guint input)
{
  const char *const *shapes = assay_settings_get_list (self, ASSAY_SETTING_SHAPES);

  return shapes != NULL && input < g_strv_length ((char **) shapes) ? shapes[input] : "";
}

/**
 * assay_settings_get_axes:
 * @self: (nullable): settings
 * @n_axes: (out): number of axes; inputs behind them arrive whole
 *
 * Gets the axes along which inputs arrive step by step.
 *
 * Returns: (transfer none) (nullable) (array length=n_axes): an axis or -1 per main input, %NULL
 * for a model that does not stream
 */
const int *
assay_settings_get_axes (const AssaySettings *self, guint *n_axes)
{
  *n_axes = self != NULL ? self->axes->len : 0;

  return *n_axes > 0 ? (const int *) (gconstpointer) self->axes->data : NULL;
}

/**
 * assay_settings_get_axis:
 * @self: (nullable): settings
 * @input: number of a main input
 *
 * Gets the axis along which an input arrives step by step.
 *
 * Returns: the axis, or -1 if it arrives whole
 */
int
assay_settings_get_axis (const AssaySettings *self, guint input)
{
  guint n_axes;
  const int *axes = assay_settings_get_axes (self, &n_axes);

  return input < n_axes ? axes[input] : -1;
}

/**
 * assay_settings_set_list:
 * @self: (inout) (transfer full): settings, changed
 * @setting: one of them
 * @values: (nullable) (array zero-terminated=1): as assay_settings_get_list() gives them; %NULL or
 * none for the default
 *
 * Changes a setting: in the place of the settings stands a changed copy.
 */
void
assay_settings_set_list (AssaySettings **self, AssaySetting setting, const char *const *values)
{
  AssaySettings *copy = assay_settings_new ();

  for (AssaySetting i = 0; i < ASSAY_N_SETTINGS; i++)
    {
      const char *const *list = i == setting ? values : assay_settings_get_list (*self, i);

      if (list != NULL && list[0] != NULL)
        copy->values[i] = g_strdupv ((char **) list);
    }
  for (char **axis = copy->values[ASSAY_SETTING_AXES]; axis != NULL && *axis != NULL; axis++)
    {
      int number = g_str_equal (*axis, "none") ? -1 : (int) g_ascii_strtoll (*axis, NULL, 10);

      g_array_append_val (copy->axes, number);
    }

  assay_settings_unref (*self);
  *self = copy;
}

/**
 * assay_settings_set_flag:
 * @self: (inout) (transfer full): settings, changed
 * @setting: a flag
 * @value: whether it is given
 *
 * Gives a flag or takes it back.
 */
void
assay_settings_set_flag (AssaySettings **self, AssaySetting setting, gboolean value)
{
  static const char *const given[] = { "true", NULL };

  assay_settings_set_list (self, setting, value ? given : NULL);
}

/**
 * assay_settings_set_text:
 * @self: (inout) (transfer full): settings, changed
 * @setting: a flag, a text or names
 * @text: (nullable): its value; names are separated by spaces or commas; %NULL or "" for the
 * default
 *
 * Sets a setting to what one text says.
 */
void
assay_settings_set_text (AssaySettings **self, AssaySetting setting, const char *text)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) values = NULL;
  gboolean names = infos[setting].kind == ASSAY_SETTING_KIND_NAMES;
  g_auto (GStrv) words = g_strsplit_set (text != NULL ? text : "", names ? " ,\t" : "", -1);

  for (guint i = 0; words[i] != NULL; i++)
    if (*words[i] != '\0')
      g_strv_builder_add (builder, words[i]);
  values = g_strv_builder_end (builder);

  assay_settings_set_list (self, setting, (const char *const *) values);
}

/**
 * assay_settings_add_name:
 * @self: (inout) (transfer full): settings, changed
 * @setting: one of names
 * @name: a name
 *
 * Adds a name if it is not there.
 */
void
assay_settings_add_name (AssaySettings **self, AssaySetting setting, const char *name)
{
  const char *const *old = assay_settings_get_list (*self, setting);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) values = NULL;

  if (old != NULL && g_strv_contains (old, name))
    return;

  if (old != NULL)
    g_strv_builder_addv (builder, (const char **) old);
  g_strv_builder_add (builder, name);
  values = g_strv_builder_end (builder);
  assay_settings_set_list (self, setting, (const char *const *) values);
}

/**
 * assay_settings_set_entry:
 * @self: (inout) (transfer full): settings, changed
 * @setting: one of names with values
 * @name: a name
 * @value: (nullable): its value, %NULL for none
 *
 * Gives a name a value. It stays where it was; a new one is the last.
 */
void
assay_settings_set_entry (AssaySettings **self, AssaySetting setting, const char *name,
                          const char *value)
{
  const char *const *old = assay_settings_get_list (*self, setting);
  g_autofree char *entry = value != NULL ? g_strdup_printf ("%s=%s", name, value) : NULL;
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) values = NULL;
  gboolean found = FALSE;

  for (guint i = 0; old != NULL && old[i] != NULL; i++)
    if (skip_name (old[i], name) == NULL)
      {
        g_strv_builder_add (builder, old[i]);
      }
    else
      {
        if (entry != NULL && !found)
          g_strv_builder_add (builder, entry);
        found = TRUE;
      }
  if (entry != NULL && !found)
    g_strv_builder_add (builder, entry);
  values = g_strv_builder_end (builder);

  assay_settings_set_list (self, setting, (const char *const *) values);
}

/**
 * assay_settings_set_number:
 * @self: (inout) (transfer full): settings, changed
 * @setting: one of names with numbers
 * @name: a name
 * @value: its number, below 0 for none
 *
 * Gives a name a number.
 */
void
assay_settings_set_number (AssaySettings **self, AssaySetting setting, const char *name,
                           gint64 value)
{
  g_autofree char *text = value >= 0 ? g_strdup_printf ("%" G_GINT64_FORMAT, value) : NULL;

  assay_settings_set_entry (self, setting, name, text);
}

/* Behind the last entry that says something there is none: settings that mean the same are equal.
 */
static void
set_input (AssaySettings **self, AssaySetting setting, guint input, const char *value,
           const char *none)
{
  const char *const *old = assay_settings_get_list (*self, setting);
  guint n = old != NULL ? g_strv_length ((char **) old) : 0;
  guint n_all = MAX (n, input + 1);
  g_autofree const char **values = g_new0 (const char *, n_all + 1);

  for (guint i = 0; i < n_all; i++)
    values[i] = i == input ? value : i < n ? old[i] : none;
  while (n_all > 0 && g_str_equal (values[n_all - 1], none))
    values[--n_all] = NULL;

  assay_settings_set_list (self, setting, values);
}

static gboolean
is_shape (const char *shape)
{
  g_auto (GStrv) dims = g_strsplit (shape, ",", -1);

  for (guint i = 0; dims[i] != NULL; i++)
    {
      const char *dim = g_strstrip (dims[i]);
      gint64 size;

      if (*dim != '\0' && !g_str_equal (dim, "?") &&
          !g_ascii_string_to_signed (dim, 10, 0, G_MAXINT64, &size, NULL))
        return FALSE;
    }

  return TRUE;
}

/**
 * assay_settings_set_shape:
 * @self: (inout) (transfer full): settings, changed
 * @input: number of a main input
 * @shape: dimensions separated by commas, `?` for one that stays, "" for the shape of the file
 * @error: return location for a #GError
 *
 * Replaces the shape of an input. Fails with %ASSAY_ERROR_INVALID if @shape is not a list of sizes.
 *
 * Returns: whether it was understood
 */
gboolean
assay_settings_set_shape (AssaySettings **self, guint input, const char *shape, GError **error)
{
  if (!is_shape (shape))
    {
      g_set_error (
          error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
          "“%s” is not a shape: sizes separated by commas are expected, ? for one that stays",
          shape);
      return FALSE;
    }
  set_input (self, ASSAY_SETTING_SHAPES, input, shape, "");

  return TRUE;
}

/**
 * assay_settings_set_axis:
 * @self: (inout) (transfer full): settings, changed
 * @input: number of a main input
 * @axis: the axis, or -1
 *
 * Chooses the axis along which an input arrives step by step.
 */
void
assay_settings_set_axis (AssaySettings **self, guint input, int axis)
{
  g_autofree char *text = axis >= 0 ? g_strdup_printf ("%d", axis) : g_strdup ("none");

  set_input (self, ASSAY_SETTING_AXES, input, text, "none");
}

/**
 * assay_settings_set_axes:
 * @self: (inout) (transfer full): settings, changed
 * @axes: (nullable) (array length=n_axes): an axis or -1 per main input
 * @n_axes: how many
 *
 * Chooses the axes along which inputs arrive step by step, of the first inputs.
 */
void
assay_settings_set_axes (AssaySettings **self, const int *axes, guint n_axes)
{
  assay_settings_set_list (self, ASSAY_SETTING_AXES, NULL);
  for (guint i = 0; i < n_axes; i++)
    assay_settings_set_axis (self, i, axes[i]);
}
