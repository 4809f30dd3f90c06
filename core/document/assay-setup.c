/* assay-setup.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a setup says.
 */
#include "document/assay-setup-private.h"

#include "base/assay-error.h"

G_DEFINE_BOXED_TYPE (AssaySetup, assay_setup, assay_setup_copy, assay_setup_free)

static char *
copy_entry (gconstpointer entry, gpointer data)
{
  return g_strdup (entry);
}

static GPtrArray *
copy_entries (GPtrArray *entries)
{
  GPtrArray *copy = g_ptr_array_copy (entries, (GCopyFunc) copy_entry, NULL);

  g_ptr_array_set_free_func (copy, g_free);
  return copy;
}

static gboolean
same_entries (GPtrArray *a, GPtrArray *b)
{
  if (a->len != b->len)
    return FALSE;

  for (guint i = 0; i < a->len; i++)
    if (!g_str_equal (g_ptr_array_index (a, i), g_ptr_array_index (b, i)))
      return FALSE;

  return TRUE;
}

/* Keys can hold '=' only by malice; the last one separates, as sizes and values have none. */
static gboolean
find_entry (GPtrArray *entries, const char *key, guint *index)
{
  gsize n = strlen (key);

  for (guint i = 0; i < entries->len; i++)
    {
      const char *entry = g_ptr_array_index (entries, i);

      if (g_str_has_prefix (entry, key) && entry[n] == '=')
        {
          *index = i;
          return TRUE;
        }
    }

  return FALSE;
}

static void
set_entry (GPtrArray *entries, const char *key, const char *value)
{
  guint index;

  if (find_entry (entries, key, &index))
    g_ptr_array_remove_index (entries, index);
  else
    index = entries->len;

  if (value != NULL)
    g_ptr_array_insert (entries, (int) index, g_strdup_printf ("%s=%s", key, value));
}

static const char *
get_entry (GPtrArray *entries, const char *key)
{
  guint index;

  if (!find_entry (entries, key, &index))
    return NULL;

  return (const char *) g_ptr_array_index (entries, index) + strlen (key) + 1;
}

/**
 * assay_setup_new:
 *
 * Makes a setup that changes nothing.
 *
 * Returns: (transfer full): the setup
 */
AssaySetup *
assay_setup_new (void)
{
  AssaySetup *self = g_new0 (AssaySetup, 1);

  for (guint part = 0; part < ASSAY_N_SETUP_PARTS; part++)
    self->parts[part] = g_ptr_array_new_with_free_func (g_free);
  self->shapes = g_ptr_array_new_with_free_func (g_free);
  self->axes = g_array_new (FALSE, FALSE, sizeof (int));

  return self;
}

/**
 * assay_setup_copy:
 * @self: a setup
 *
 * Copies a setup.
 *
 * Returns: (transfer full): the copy
 */
AssaySetup *
assay_setup_copy (const AssaySetup *self)
{
  AssaySetup *copy = g_new0 (AssaySetup, 1);

  for (guint part = 0; part < ASSAY_N_SETUP_PARTS; part++)
    copy->parts[part] = copy_entries (self->parts[part]);
  copy->shapes = copy_entries (self->shapes);
  copy->axes = g_array_copy (self->axes);
  copy->dynamic_weights = self->dynamic_weights;
  copy->plain = self->plain;

  return copy;
}

/**
 * assay_setup_free:
 * @self: (nullable): a setup
 *
 * Frees a setup.
 */
void
assay_setup_free (AssaySetup *self)
{
  if (self == NULL)
    return;

  for (guint part = 0; part < ASSAY_N_SETUP_PARTS; part++)
    g_ptr_array_unref (self->parts[part]);
  g_ptr_array_unref (self->shapes);
  g_array_unref (self->axes);
  g_free (self);
}

/**
 * assay_setup_same_import:
 * @a: a setup
 * @b: another one
 *
 * Tells whether both lead to the same imported graph, so that only the verdicts have to be found
 * again.
 *
 * Returns: whether the model need not be read again
 */
gboolean
assay_setup_same_import (const AssaySetup *a, const AssaySetup *b)
{
  return same_entries (a->parts[ASSAY_SETUP_BINDINGS], b->parts[ASSAY_SETUP_BINDINGS]) &&
         same_entries (a->shapes, b->shapes);
}

/**
 * assay_setup_equal:
 * @a: a setup
 * @b: another one
 *
 * Compares two setups.
 *
 * Returns: whether they say the same
 */
gboolean
assay_setup_equal (const AssaySetup *a, const AssaySetup *b)
{
  for (guint part = 0; part < ASSAY_N_SETUP_PARTS; part++)
    if (!same_entries (a->parts[part], b->parts[part]))
      return FALSE;

  return same_entries (a->shapes, b->shapes) && a->axes->len == b->axes->len &&
         (a->axes->len == 0 ||
          memcmp (a->axes->data, b->axes->data, a->axes->len * sizeof (int)) == 0) &&
         a->dynamic_weights == b->dynamic_weights && a->plain == b->plain;
}

/**
 * assay_setup_is_empty:
 * @self: a setup
 *
 * Tells whether the setup changes nothing.
 *
 * Returns: whether it is as new
 */
gboolean
assay_setup_is_empty (const AssaySetup *self)
{
  for (guint part = 0; part < ASSAY_N_SETUP_PARTS; part++)
    if (self->parts[part]->len > 0)
      return FALSE;

  return self->shapes->len == 0 && self->axes->len == 0 && !self->dynamic_weights && !self->plain;
}

/**
 * assay_setup_describe_change:
 * @before: a setup
 * @after: another one
 *
 * Names what is different, as it can stand behind `Undo`.
 *
 * Returns: (transfer full): words in header capitals
 */
char *
assay_setup_describe_change (const AssaySetup *before, const AssaySetup *after)
{
  static const char *const part_labels[ASSAY_N_SETUP_PARTS] = {
    "Input Sizes", "Target Options", "Compile Options", "Store Depths", "Data Dimensions",
  };

  for (guint part = 0; part < ASSAY_N_SETUP_PARTS; part++)
    if (!same_entries (before->parts[part], after->parts[part]))
      return g_strdup (part_labels[part]);
  if (!same_entries (before->shapes, after->shapes))
    return g_strdup ("Input Shapes");
  if (before->plain != after->plain)
    return g_strdup ("Search for a Placement");
  if (before->dynamic_weights != after->dynamic_weights)
    return g_strdup ("Run-Time Weights");

  return g_strdup ("Streaming Axis");
}

/**
 * assay_setup_n_entries:
 * @self: a setup
 * @part: one of its parts
 *
 * Counts what is set in a part.
 *
 * Returns: the number of entries
 */
guint
assay_setup_n_entries (const AssaySetup *self, AssaySetupPart part)
{
  return self->parts[part]->len;
}

/**
 * assay_setup_dup_entry:
 * @self: a setup
 * @part: one of its parts
 * @index: number of an entry
 * @value: (out) (transfer none): its value
 *
 * Gets what is set, in the order in which it was set first.
 *
 * Returns: (transfer full): the name of the entry
 */
char *
assay_setup_dup_entry (const AssaySetup *self, AssaySetupPart part, guint index, const char **value)
{
  const char *entry = g_ptr_array_index (self->parts[part], index);
  /* Sizes have no '=' but their names may; options are the other way round. */
  const char *equals = part == ASSAY_SETUP_BINDINGS ? strrchr (entry, '=') : strchr (entry, '=');

  *value = equals + 1;
  return g_strndup (entry, (gsize) (equals - entry));
}

/**
 * assay_setup_n_inputs:
 * @self: a setup
 *
 * Counts the main inputs up to the last one with a shape or a streaming axis of its own.
 *
 * Returns: the number of inputs
 */
guint
assay_setup_n_inputs (const AssaySetup *self)
{
  return MAX (self->shapes->len, self->axes->len);
}

/**
 * assay_setup_get_binding:
 * @self: a setup
 * @key: key of a dimension
 *
 * Gets the size given to an open dimension.
 *
 * Returns: the size, or -1
 */
gint64
assay_setup_get_binding (const AssaySetup *self, const char *key)
{
  const char *value = get_entry (self->parts[ASSAY_SETUP_BINDINGS], key);

  return value != NULL ? g_ascii_strtoll (value, NULL, 10) : -1;
}

/**
 * assay_setup_set_binding:
 * @self: a setup
 * @key: key of a dimension
 * @size: its size, or -1 to leave it open
 *
 * Gives an open dimension a size.
 */
void
assay_setup_set_binding (AssaySetup *self, const char *key, gint64 size)
{
  g_autofree char *value = size >= 0 ? g_strdup_printf ("%" G_GINT64_FORMAT, size) : NULL;

  set_entry (self->parts[ASSAY_SETUP_BINDINGS], key, value);
}

/**
 * assay_setup_get_shape:
 * @self: a setup
 * @input: number of a main input
 *
 * Gets the shape that replaces the one of the file.
 *
 * Returns: (transfer none): dimensions separated by commas, "" if the shape of the file stands
 */
const char *
assay_setup_get_shape (const AssaySetup *self, guint input)
{
  return input < self->shapes->len ? g_ptr_array_index (self->shapes, input) : "";
}

static gboolean
shape_is_valid (const char *shape)
{
  g_auto (GStrv) dims = g_strsplit (shape, ",", -1);

  for (guint i = 0; dims[i] != NULL; i++)
    {
      const char *dim = g_strstrip (dims[i]);
      gint64 size;

      if (*dim == '\0' || g_str_equal (dim, "?"))
        continue;

      if (!g_ascii_string_to_signed (dim, 10, 0, G_MAXINT64, &size, NULL))
        return FALSE;
    }

  return TRUE;
}

/**
 * assay_setup_set_shape:
 * @self: a setup
 * @input: number of a main input
 * @shape: dimensions separated by commas, `?` for one that stays, "" for the shape of the file
 * @error: return location for a #GError
 *
 * Replaces the shape of an input. Fails with %ASSAY_ERROR_INVALID if @shape is not a list of sizes.
 *
 * Returns: whether it was understood
 */
gboolean
assay_setup_set_shape (AssaySetup *self, guint input, const char *shape, GError **error)
{
  if (!shape_is_valid (shape))
    {
      g_set_error (
          error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
          "“%s” is not a shape: sizes separated by commas are expected, ? for one that stays",
          shape);
      return FALSE;
    }

  while (self->shapes->len <= input)
    g_ptr_array_add (self->shapes, g_strdup (""));

  g_free (g_ptr_array_index (self->shapes, input));
  g_ptr_array_index (self->shapes, input) = g_strdup (shape);

  /* Trailing empty entries say nothing; without them two setups that mean the same are equal. */
  while (self->shapes->len > 0 &&
         *(const char *) g_ptr_array_index (self->shapes, self->shapes->len - 1) == '\0')
    g_ptr_array_set_size (self->shapes, (int) self->shapes->len - 1);

  return TRUE;
}

/**
 * assay_setup_get_streaming_axis:
 * @self: a setup
 * @input: number of a main input
 *
 * Gets the axis along which an input arrives step by step.
 *
 * Returns: the axis, or -1 if it arrives whole
 */
int
assay_setup_get_streaming_axis (const AssaySetup *self, guint input)
{
  return input < self->axes->len ? g_array_index (self->axes, int, input) : -1;
}

/**
 * assay_setup_set_streaming_axis:
 * @self: a setup
 * @input: number of a main input
 * @axis: the axis, or -1
 *
 * Chooses the axis along which an input arrives step by step.
 */
void
assay_setup_set_streaming_axis (AssaySetup *self, guint input, int axis)
{
  int none = -1;

  while (self->axes->len <= input)
    g_array_append_val (self->axes, none);

  g_array_index (self->axes, int, input) = axis;

  while (self->axes->len > 0 && g_array_index (self->axes, int, self->axes->len - 1) < 0)
    g_array_set_size (self->axes, self->axes->len - 1);
}

/**
 * assay_setup_is_streaming:
 * @self: a setup
 *
 * Tells whether any input arrives step by step.
 *
 * Returns: whether an axis is chosen
 */
gboolean
assay_setup_is_streaming (const AssaySetup *self)
{
  return self->axes->len > 0;
}

/**
 * assay_setup_get_optimize:
 * @self: a setup
 *
 * Tells whether the compiler searches for a good placement.
 *
 * Returns: whether it does
 */
gboolean
assay_setup_get_optimize (const AssaySetup *self)
{
  return !self->plain;
}

/**
 * assay_setup_set_optimize:
 * @self: a setup
 * @optimize: whether to search
 *
 * Lets the compiler search for a good placement, or take the first one.
 */
void
assay_setup_set_optimize (AssaySetup *self, gboolean optimize)
{
  self->plain = !optimize;
}

/**
 * assay_setup_get_dynamic_weights:
 * @self: a setup
 *
 * Tells whether weights may be known only at run time.
 *
 * Returns: whether they may
 */
gboolean
assay_setup_get_dynamic_weights (const AssaySetup *self)
{
  return self->dynamic_weights;
}

/**
 * assay_setup_set_dynamic_weights:
 * @self: a setup
 * @allow: whether both sides of a product may be computed at run time
 *
 * Allows weights that are only known at run time.
 */
void
assay_setup_set_dynamic_weights (AssaySetup *self, gboolean allow)
{
  self->dynamic_weights = !!allow;
}

/**
 * assay_setup_get_target_option:
 * @self: a setup
 * @name: name of an option
 *
 * Gets an option of the target.
 *
 * Returns: (transfer none) (nullable): its value, %NULL for the default
 */
const char *
assay_setup_get_target_option (const AssaySetup *self, const char *name)
{
  return get_entry (self->parts[ASSAY_SETUP_TARGET_OPTIONS], name);
}

/**
 * assay_setup_set_target_option:
 * @self: a setup
 * @name: name of an option of the target
 * @value: (nullable): its value, or %NULL for the default
 *
 * Sets an option of the target.
 */
void
assay_setup_set_target_option (AssaySetup *self, const char *name, const char *value)
{
  set_entry (self->parts[ASSAY_SETUP_TARGET_OPTIONS], name, value);
}

/**
 * assay_setup_get_compile_option:
 * @self: a setup
 * @name: `keep-fp32`, `fp8-weights`, `pin` or `state-reset`
 *
 * Gets an option of the compiler, as the command line has it.
 *
 * Returns: (transfer none) (nullable): its value, lists separated by spaces; %NULL if it is not set
 */
const char *
assay_setup_get_compile_option (const AssaySetup *self, const char *name)
{
  return get_entry (self->parts[ASSAY_SETUP_COMPILE_OPTIONS], name);
}

/**
 * assay_setup_set_compile_option:
 * @self: a setup
 * @name: `keep-fp32`, `fp8-weights`, `pin` or `state-reset`
 * @value: (nullable): its value, lists separated by spaces; %NULL or "" for the default
 *
 * Sets an option of the compiler.
 */
void
assay_setup_set_compile_option (AssaySetup *self, const char *name, const char *value)
{
  set_entry (self->parts[ASSAY_SETUP_COMPILE_OPTIONS], name,
             value != NULL && *value != '\0' ? value : NULL);
}

/**
 * assay_setup_get_config_value:
 * @self: a setup
 * @member: name of a depth as in target files, such as `tensor_ram_depth`
 *
 * Gets what a what-if makes of a depth of the target.
 *
 * Returns: blocks, or -1 if the target's own depth stands
 */
gint64
assay_setup_get_config_value (const AssaySetup *self, const char *member)
{
  const char *value = get_entry (self->parts[ASSAY_SETUP_CONFIG_VALUES], member);

  return value != NULL ? g_ascii_strtoll (value, NULL, 10) : -1;
}

/**
 * assay_setup_set_config_value:
 * @self: a setup
 * @member: name of a depth as in target files, such as `tensor_ram_depth`
 * @value: blocks, or -1 for the target's own depth
 *
 * Compiles as if a store of the target were deeper or shallower.
 */
void
assay_setup_set_config_value (AssaySetup *self, const char *member, gint64 value)
{
  g_autofree char *text = value >= 0 ? g_strdup_printf ("%" G_GINT64_FORMAT, value) : NULL;

  set_entry (self->parts[ASSAY_SETUP_CONFIG_VALUES], member, text);
}

/**
 * assay_setup_set_data_dimension:
 * @self: a setup
 * @input: name of an input
 * @axis: (nullable): the axis along which its features lie; %NULL lets the target find out
 *
 * Fixes the data dimension of an input.
 */
void
assay_setup_set_data_dimension (AssaySetup *self, const char *input, const char *axis)
{
  set_entry (self->parts[ASSAY_SETUP_DATA_DIMENSIONS], input, axis);
}

/**
 * assay_setup_clear_config_values:
 * @self: a setup
 *
 * Leaves every depth to the target.
 */
void
assay_setup_clear_config_values (AssaySetup *self)
{
  g_ptr_array_set_size (self->parts[ASSAY_SETUP_CONFIG_VALUES], 0);
}

/**
 * assay_setup_list_entries:
 * @self: a setup
 * @part: one of its parts
 *
 * Lists what is set in a part, as the command line has it.
 *
 * Returns: (transfer full) (array zero-terminated=1): such as `batch=1`
 */
char **
assay_setup_list_entries (const AssaySetup *self, AssaySetupPart part)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  for (guint i = 0; i < self->parts[part]->len; i++)
    g_strv_builder_add (builder, g_ptr_array_index (self->parts[part], i));

  return g_strv_builder_end (builder);
}

/**
 * assay_setup_list_names:
 * @self: a setup
 * @option: `keep-fp32` or `pin`
 *
 * Lists what an option of the compiler names, one after the other.
 *
 * Returns: (transfer full) (array zero-terminated=1): the names
 */
char **
assay_setup_list_names (const AssaySetup *self, const char *option)
{
  const char *value = assay_setup_get_compile_option (self, option);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) words = g_strsplit_set (value != NULL ? value : "", " ,\t", -1);

  for (guint i = 0; words[i] != NULL; i++)
    if (*words[i] != '\0')
      g_strv_builder_add (builder, words[i]);

  return g_strv_builder_end (builder);
}
