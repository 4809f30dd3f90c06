/* assay-fix-settings.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fix/assay-fix-settings.h"

#include <string.h>

struct _AssayFixSettings
{
  char **target_options; /* NAME=VALUE */
  char **data_dims;      /* INPUT=AXIS */
  char **keep_fp32;      /* names of nodes */
  GArray *axes; /* int per main input, -1 for none; empty for a model that does not stream */
  gboolean dynamic_weights;
  gboolean inputs_are_parameters;
  AssayCheckOptions check;
};

/* The view that the check wants is kept beside what it points into. */
static void
refresh (AssayFixSettings *self)
{
  self->check = (AssayCheckOptions){
    .target_options = (const char *const *) self->target_options,
    .data_dims = (const char *const *) self->data_dims,
    .streaming_axes = self->axes->len > 0 ? (const int *) (gpointer) self->axes->data : NULL,
    .n_streaming_axes = self->axes->len,
    .allow_dynamic_weights = self->dynamic_weights,
    .inputs_are_parameters = self->inputs_are_parameters,
  };
}

/**
 * assay_fix_settings_new:
 * @check: (nullable): how the model is checked
 *
 * Copies how a model is checked.
 *
 * Returns: (transfer full): the settings
 */
AssayFixSettings *
assay_fix_settings_new (const AssayCheckOptions *check)
{
  static const AssayCheckOptions defaults = { 0 };
  AssayFixSettings *self = g_new0 (AssayFixSettings, 1);

  if (check == NULL)
    check = &defaults;
  self->target_options = g_strdupv ((char **) check->target_options);
  self->data_dims = g_strdupv ((char **) check->data_dims);
  self->axes = g_array_new (FALSE, FALSE, sizeof (int));
  if (check->n_streaming_axes > 0 && check->streaming_axes != NULL)
    g_array_append_vals (self->axes, check->streaming_axes, check->n_streaming_axes);
  self->dynamic_weights = check->allow_dynamic_weights;
  self->inputs_are_parameters = check->inputs_are_parameters;
  refresh (self);

  return self;
}

/**
 * assay_fix_settings_copy:
 * @self: settings
 *
 * Copies settings, so that a fix can be tried.
 *
 * Returns: (transfer full): the copy
 */
AssayFixSettings *
assay_fix_settings_copy (const AssayFixSettings *self)
{
  AssayFixSettings *copy = assay_fix_settings_new (&self->check);

  copy->keep_fp32 = g_strdupv (self->keep_fp32);

  return copy;
}

void
assay_fix_settings_free (AssayFixSettings *self)
{
  g_strfreev (self->target_options);
  g_strfreev (self->data_dims);
  g_strfreev (self->keep_fp32);
  g_array_unref (self->axes);
  g_free (self);
}

/**
 * assay_fix_settings_get_check:
 * @self: settings
 *
 * Gets the options of a check with these settings.
 *
 * Returns: (transfer none): the options, until the settings change
 */
const AssayCheckOptions *
assay_fix_settings_get_check (AssayFixSettings *self)
{
  return &self->check;
}

/**
 * assay_fix_settings_get_compile:
 * @self: settings
 * @options: (inout): gets what the settings say; the rest stays; good until the settings change
 *
 * Fills in the options of a compiler run with these settings.
 */
void
assay_fix_settings_get_compile (AssayFixSettings *self, AssayCompileOptions *options)
{
  options->streaming_axes = self->check.streaming_axes;
  options->n_streaming_axes = self->check.n_streaming_axes;
  options->data_dims = self->check.data_dims;
  options->allow_dynamic_weights = self->dynamic_weights;
  options->keep_fp32 = (const char *const *) self->keep_fp32;
}

/* Sets the entry of a name in a list of NAME=VALUE. */
static void
set_entry (char ***entries, const char *name, const char *value)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_autofree char *entry = value != NULL ? g_strdup_printf ("%s=%s", name, value) : g_strdup (name);
  gsize length = strlen (name);
  gboolean found = FALSE;

  for (guint i = 0; *entries != NULL && (*entries)[i] != NULL; i++)
    {
      const char *old = (*entries)[i];
      gboolean same = strncmp (old, name, length) == 0 &&
                      (old[length] == '=' || old[length] == '\0');

      g_strv_builder_add (builder, same ? entry : old);
      found |= same;
    }
  if (!found)
    g_strv_builder_add (builder, entry);

  g_strfreev (*entries);
  *entries = g_strv_builder_end (builder);
}

/**
 * assay_fix_settings_set_option:
 * @self: settings
 * @name: an option of the target
 * @value: its value
 *
 * Sets an option of the target.
 */
void
assay_fix_settings_set_option (AssayFixSettings *self, const char *name, const char *value)
{
  set_entry (&self->target_options, name, value);
  refresh (self);
}

/**
 * assay_fix_settings_set_data_dim:
 * @self: settings
 * @input: name of an input
 * @axis: the axis, as text
 *
 * Fixes the data dimension of an input.
 */
void
assay_fix_settings_set_data_dim (AssayFixSettings *self, const char *input, const char *axis)
{
  set_entry (&self->data_dims, input, axis);
  refresh (self);
}

/**
 * assay_fix_settings_set_stream:
 * @self: settings
 * @input: index of a main input that is not a parameter
 * @axis: the axis that becomes time, -1 for none
 *
 * Says along which axis an input streams.
 */
void
assay_fix_settings_set_stream (AssayFixSettings *self, guint input, int axis)
{
  const int none = -1;

  while (self->axes->len <= input)
    g_array_append_val (self->axes, none);
  g_array_index (self->axes, int, input) = axis;
  refresh (self);
}

/**
 * assay_fix_settings_allow_dynamic_weights:
 * @self: settings
 *
 * Lets both sides of a product be computed at run time.
 */
void
assay_fix_settings_allow_dynamic_weights (AssayFixSettings *self)
{
  self->dynamic_weights = TRUE;
  refresh (self);
}

/**
 * assay_fix_settings_add_fp32:
 * @self: settings
 * @node: name of a node
 *
 * Keeps the values of a node in fp32.
 */
void
assay_fix_settings_add_fp32 (AssayFixSettings *self, const char *node)
{
  set_entry (&self->keep_fp32, node, NULL);
}
