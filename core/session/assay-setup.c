/* assay-setup.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/assay-setup.h"

#include "base/assay-error.h"

/* Small ordered maps: a handful of entries, and the order has to be stable for comparing and for commands. */
struct _AssaySetup
{
  GPtrArray *bindings;       /* NAME=SIZE */
  GPtrArray *target_options; /* NAME=VALUE */
  GPtrArray *compile_options; /* NAME=VALUE */
  GPtrArray *config_values;  /* MEMBER=VALUE */
  GPtrArray *data_dims;      /* INPUT=AXIS */
  GPtrArray *shapes;         /* per main input, "" leaves as is */
  GArray *axes;              /* int per main input, -1 for none */
  gboolean dynamic_weights;
  gboolean plain; /* without the search for a good placement */
};

G_DEFINE_BOXED_TYPE (AssaySetup, assay_setup, assay_setup_copy, assay_setup_free)

static char *
copy_entry (gconstpointer entry,
            gpointer      data)
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
same_entries (GPtrArray *a,
              GPtrArray *b)
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
find_entry (GPtrArray  *entries,
            const char *key,
            guint      *index)
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
set_entry (GPtrArray  *entries,
           const char *key,
           const char *value)
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
get_entry (GPtrArray  *entries,
           const char *key)
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

  self->bindings = g_ptr_array_new_with_free_func (g_free);
  self->target_options = g_ptr_array_new_with_free_func (g_free);
  self->compile_options = g_ptr_array_new_with_free_func (g_free);
  self->config_values = g_ptr_array_new_with_free_func (g_free);
  self->data_dims = g_ptr_array_new_with_free_func (g_free);
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

  copy->bindings = copy_entries (self->bindings);
  copy->target_options = copy_entries (self->target_options);
  copy->compile_options = copy_entries (self->compile_options);
  copy->config_values = copy_entries (self->config_values);
  copy->data_dims = copy_entries (self->data_dims);
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

  g_ptr_array_unref (self->bindings);
  g_ptr_array_unref (self->target_options);
  g_ptr_array_unref (self->compile_options);
  g_ptr_array_unref (self->config_values);
  g_ptr_array_unref (self->data_dims);
  g_ptr_array_unref (self->shapes);
  g_array_unref (self->axes);
  g_free (self);
}

/**
 * assay_setup_same_import:
 * @a: a setup
 * @b: another one
 *
 * Tells whether both lead to the same imported graph, so that only the verdicts have to be found again.
 *
 * Returns: whether the model need not be read again
 */
gboolean
assay_setup_same_import (const AssaySetup *a,
                         const AssaySetup *b)
{
  return same_entries (a->bindings, b->bindings) && same_entries (a->shapes, b->shapes);
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
assay_setup_equal (const AssaySetup *a,
                   const AssaySetup *b)
{
  return assay_setup_same_import (a, b)
         && same_entries (a->target_options, b->target_options)
         && same_entries (a->compile_options, b->compile_options)
         && same_entries (a->config_values, b->config_values)
         && same_entries (a->data_dims, b->data_dims)
         && a->axes->len == b->axes->len
         && (a->axes->len == 0 || memcmp (a->axes->data, b->axes->data, a->axes->len * sizeof (int)) == 0)
         && a->dynamic_weights == b->dynamic_weights && a->plain == b->plain;
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
  return self->bindings->len == 0 && self->shapes->len == 0 && self->target_options->len == 0
         && self->compile_options->len == 0 && self->config_values->len == 0 && self->data_dims->len == 0
         && self->axes->len == 0
         && !self->dynamic_weights && !self->plain;
}

static GPtrArray *
get_part (const AssaySetup *self,
          AssaySetupPart    part)
{
  GPtrArray *const parts[ASSAY_N_SETUP_PARTS] = {
    [ASSAY_SETUP_BINDINGS] = self->bindings,
    [ASSAY_SETUP_TARGET_OPTIONS] = self->target_options,
    [ASSAY_SETUP_COMPILE_OPTIONS] = self->compile_options,
    [ASSAY_SETUP_CONFIG_VALUES] = self->config_values,
    [ASSAY_SETUP_DATA_DIMENSIONS] = self->data_dims,
  };

  return parts[part];
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
assay_setup_describe_change (const AssaySetup *before,
                             const AssaySetup *after)
{
  static const char *const part_labels[ASSAY_N_SETUP_PARTS] = {
    "Input Sizes", "Target Options", "Compile Options", "Store Depths", "Data Dimensions",
  };

  for (guint part = 0; part < ASSAY_N_SETUP_PARTS; part++)
    if (!same_entries (get_part (before, part), get_part (after, part)))
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
assay_setup_n_entries (const AssaySetup *self,
                       AssaySetupPart    part)
{
  return get_part (self, part)->len;
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
assay_setup_dup_entry (const AssaySetup  *self,
                       AssaySetupPart     part,
                       guint              index,
                       const char       **value)
{
  const char *entry = g_ptr_array_index (get_part (self, part), index);
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
assay_setup_get_binding (const AssaySetup *self,
                         const char       *key)
{
  const char *value = get_entry (self->bindings, key);

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
assay_setup_set_binding (AssaySetup *self,
                         const char *key,
                         gint64      size)
{
  g_autofree char *value = size >= 0 ? g_strdup_printf ("%" G_GINT64_FORMAT, size) : NULL;

  set_entry (self->bindings, key, value);
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
assay_setup_get_shape (const AssaySetup *self,
                       guint             input)
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
assay_setup_set_shape (AssaySetup  *self,
                       guint        input,
                       const char  *shape,
                       GError     **error)
{
  if (!shape_is_valid (shape))
    {
      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                   "“%s” is not a shape: sizes separated by commas are expected, ? for one that stays", shape);
      return FALSE;
    }

  while (self->shapes->len <= input)
    g_ptr_array_add (self->shapes, g_strdup (""));

  g_free (g_ptr_array_index (self->shapes, input));
  g_ptr_array_index (self->shapes, input) = g_strdup (shape);

  /* Trailing empty entries say nothing; without them two setups that mean the same are equal. */
  while (self->shapes->len > 0 && *(const char *) g_ptr_array_index (self->shapes, self->shapes->len - 1) == '\0')
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
assay_setup_get_streaming_axis (const AssaySetup *self,
                                guint             input)
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
assay_setup_set_streaming_axis (AssaySetup *self,
                                guint       input,
                                int         axis)
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
assay_setup_set_optimize (AssaySetup *self,
                          gboolean    optimize)
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
assay_setup_set_dynamic_weights (AssaySetup *self,
                                 gboolean    allow)
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
assay_setup_get_target_option (const AssaySetup *self,
                               const char       *name)
{
  return get_entry (self->target_options, name);
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
assay_setup_set_target_option (AssaySetup *self,
                               const char *name,
                               const char *value)
{
  set_entry (self->target_options, name, value);
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
assay_setup_get_compile_option (const AssaySetup *self,
                                const char       *name)
{
  return get_entry (self->compile_options, name);
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
assay_setup_set_compile_option (AssaySetup *self,
                                const char *name,
                                const char *value)
{
  set_entry (self->compile_options, name, value != NULL && *value != '\0' ? value : NULL);
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
assay_setup_get_config_value (const AssaySetup *self,
                              const char       *member)
{
  const char *value = get_entry (self->config_values, member);

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
assay_setup_set_config_value (AssaySetup *self,
                              const char *member,
                              gint64      value)
{
  g_autofree char *text = value >= 0 ? g_strdup_printf ("%" G_GINT64_FORMAT, value) : NULL;

  set_entry (self->config_values, member, text);
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
assay_setup_set_data_dimension (AssaySetup *self,
                                const char *input,
                                const char *axis)
{
  set_entry (self->data_dims, input, axis);
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
  g_ptr_array_set_size (self->config_values, 0);
}

static const char *const *
as_strv (GPtrArray *terminated)
{
  return terminated->len > 1 ? (const char *const *) terminated->pdata : NULL;
}

static GPtrArray *
terminate (GPtrArray *entries)
{
  GPtrArray *copy = g_ptr_array_copy (entries, NULL, NULL);

  g_ptr_array_set_free_func (copy, NULL);
  g_ptr_array_add (copy, NULL);
  return copy;
}

/**
 * assay_setup_import:
 * @self: a setup
 * @path: path of the model
 * @findings: gets what is wrong with the file
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Imports a model with the sizes and shapes of the setup.
 *
 * Returns: (transfer full): the graph, or %NULL
 */
AssayGraph *
assay_setup_import (const AssaySetup     *self,
                    const char           *path,
                    AssayFindings        *findings,
                    const AssayProgress  *progress,
                    GError              **error)
{
  g_autoptr (GPtrArray) bindings = terminate (self->bindings);
  g_autoptr (GPtrArray) shapes = terminate (self->shapes);
  AssayImportOptions options = { .override_shapes = as_strv (shapes), .bindings = as_strv (bindings) };

  return assay_import_file (path, &options, findings, progress, error);
}

/**
 * assay_setup_list_axes:
 * @self: a setup
 * @graph: an imported graph
 *
 * Lists one axis for each input of the graph, as check, compiler and runners want them.
 *
 * Returns: (transfer full) (element-type int): the axes, -1 for none
 */
GArray *
assay_setup_list_axes (const AssaySetup *self,
                       AssayGraph       *graph)
{
  g_autoptr (GPtrArray) inputs = assay_graph_list_inputs (graph);
  GArray *axes = g_array_new (FALSE, FALSE, sizeof (int));

  for (guint i = 0; i < inputs->len; i++)
    {
      int axis = assay_setup_get_streaming_axis (self, i);
      g_array_append_val (axes, axis);
    }

  return axes;
}

/* How a setup is checked, with what the options point to. */
typedef struct
{
  AssayCheckOptions check;
  GPtrArray *target_options;
  GPtrArray *data_dims;
  GArray *axes;
} Options;

static void
options_clear (Options *self)
{
  g_ptr_array_unref (self->target_options);
  g_ptr_array_unref (self->data_dims);
  g_array_unref (self->axes);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static void
fill_options (Options          *options,
              const AssaySetup *self,
              AssayTarget      *target,
              AssayGraph       *graph)
{
  options->target_options = terminate (self->target_options);
  options->data_dims = terminate (self->data_dims);
  options->axes = assay_setup_list_axes (self, graph);
  options->check.allow_dynamic_weights = self->dynamic_weights;

  /* Options of another target's kind would be refused by this one. */
  if (assay_target_get_family (target) == ASSAY_TARGET_DELEGATE)
    options->check.target_options = as_strv (options->target_options);

  if (assay_target_get_family (target) == ASSAY_TARGET_BLOCK_STREAMING)
    {
      options->check.data_dims = as_strv (options->data_dims);
      if (self->axes->len > 0)
        {
          options->check.streaming_axes = (const int *) options->axes->data;
          options->check.n_streaming_axes = options->axes->len;
        }
    }
}

/**
 * assay_setup_check:
 * @self: a setup
 * @target: a target
 * @graph: an imported graph
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Checks a graph against a target with the options of the setup.
 *
 * Returns: (transfer full): the verdicts, or %NULL
 */
AssayVerdicts *
assay_setup_check (const AssaySetup     *self,
                   AssayTarget          *target,
                   AssayGraph           *graph,
                   const AssayProgress  *progress,
                   GError              **error)
{
  g_auto (Options) options = { 0 };

  fill_options (&options, self, target, graph);
  return assay_target_check (target, graph, &options.check, progress, error);
}

/**
 * assay_setup_new_fix_settings:
 * @self: a setup
 * @target: a target
 * @graph: an imported graph
 *
 * Makes of a setup what fixes are tried with.
 *
 * Returns: (transfer full): the settings
 */
AssayFixSettings *
assay_setup_new_fix_settings (const AssaySetup *self,
                              AssayTarget      *target,
                              AssayGraph       *graph)
{
  g_auto (Options) options = { 0 };
  g_auto (GStrv) keep_fp32 = assay_setup_list_names (self, "keep-fp32");
  AssayFixSettings *settings;

  fill_options (&options, self, target, graph);
  settings = assay_fix_settings_new (&options.check);
  for (guint i = 0; keep_fp32[i] != NULL; i++)
    assay_fix_settings_add_fp32 (settings, keep_fp32[i]);

  return settings;
}

static char **
list_entries (GPtrArray *entries)
{
  g_autoptr (GPtrArray) terminated = terminate (entries);

  return g_strdupv ((char **) terminated->pdata);
}

/**
 * assay_setup_list_bindings:
 * @self: a setup
 *
 * Lists the sizes given to open dimensions, as the command line has them.
 *
 * Returns: (transfer full) (array zero-terminated=1): such as `batch=1`
 */
char **
assay_setup_list_bindings (const AssaySetup *self)
{
  return list_entries (self->bindings);
}

/**
 * assay_setup_list_target_options:
 * @self: a setup
 *
 * Lists the options of the target, as the command line has them.
 *
 * Returns: (transfer full) (array zero-terminated=1): such as `require_dynamic_shapes=true`
 */
char **
assay_setup_list_target_options (const AssaySetup *self)
{
  return list_entries (self->target_options);
}

/**
 * assay_setup_list_config_values:
 * @self: a setup
 *
 * Lists the depths that stand in place of the target's, as the command line has them.
 *
 * Returns: (transfer full) (array zero-terminated=1): such as `tensor_ram_depth=4000`
 */
char **
assay_setup_list_config_values (const AssaySetup *self)
{
  return list_entries (self->config_values);
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
assay_setup_list_names (const AssaySetup *self,
                        const char       *option)
{
  const char *value = assay_setup_get_compile_option (self, option);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) words = g_strsplit_set (value != NULL ? value : "", " ,\t", -1);

  for (guint i = 0; words[i] != NULL; i++)
    if (*words[i] != '\0')
      g_strv_builder_add (builder, words[i]);

  return g_strv_builder_end (builder);
}

/* A name that the model does not have is a mistake of the user, not something to pass over. */
static gboolean
check_names (AssayFindings  *findings,
             GError        **error)
{
  if (assay_findings_get_count (findings) == 0)
    return TRUE;

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "Setup: %s", assay_findings_get (findings, 0)->message);
  return FALSE;
}

/**
 * assay_setup_compile:
 * @self: a setup
 * @target: a target of the block-streaming family
 * @graph: an imported graph
 * @name: name of the model
 * @allocation: (out) (nullable) (optional): if it does not fit: why, and what helps
 * @probes: (out) (nullable) (optional): where its values are to be found while it runs
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Compiles a graph for a target with the options of the setup.
 *
 * Returns: (transfer full) (nullable): the program
 */
AssayCode *
assay_setup_compile (const AssaySetup     *self,
                     AssayTarget          *target,
                     AssayGraph           *graph,
                     const char           *name,
                     AssayAllocation     **allocation,
                     AssayProbes         **probes,
                     const AssayProgress  *progress,
                     GError              **error)
{
  g_autoptr (AssayConfig) config = assay_config_new_for_target (target, error);
  g_autoptr (GPtrArray) data_dims = terminate (self->data_dims);
  g_autoptr (GArray) axes = assay_setup_list_axes (self, graph);
  g_auto (GStrv) keep_fp32 = assay_setup_list_names (self, "keep-fp32");
  g_auto (GStrv) pins = assay_setup_list_names (self, "pin");
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayCode) code = NULL;
  AssayCompileOptions options = {
    .model_name = name,
    .target_id = assay_target_get_id (target),
    .data_dims = as_strv (data_dims),
    .allow_dynamic_weights = self->dynamic_weights,
    .keep_fp32 = *keep_fp32 != NULL ? (const char *const *) keep_fp32 : NULL,
    .pins = *pins != NULL ? (const char *const *) pins : NULL,
    .fp8_weights = assay_setup_get_compile_option (self, "fp8-weights") != NULL,
    .state_reset = assay_setup_get_compile_option (self, "state-reset") != NULL,
    .findings = findings,
    .disable_optimizations = self->plain,
    .allocation = allocation,
    .probes = probes,
  };

  if (config == NULL)
    return NULL;

  if (self->axes->len > 0)
    {
      options.streaming_axes = (const int *) axes->data;
      options.n_streaming_axes = axes->len;
    }

  for (guint i = 0; i < self->config_values->len; i++)
    {
      g_auto (GStrv) parts = g_strsplit (g_ptr_array_index (self->config_values, i), "=", 2);

      if (!assay_config_set_member (config, parts[0], g_ascii_strtoll (parts[1], NULL, 10), error))
        return NULL;
    }

  code = assay_compile (graph, assay_config_get_values (config), &options, progress, error);
  return code != NULL && check_names (findings, error) ? g_steal_pointer (&code) : NULL;
}

static void
dimension_free (gpointer data)
{
  AssayDimension *self = data;

  g_free (self->key);
  g_free (self->title);
  g_free (self->where);
  g_free (self);
}

static void
input_free (gpointer data)
{
  AssayInput *self = data;

  g_free (self->name);
  g_free (self->shape);
  g_free (self);
}

static gboolean
is_main_input (const AssayGraph *graph,
               AssayValueId      id)
{
  const AssayValue *value = assay_graph_value (graph, id);

  return id != ASSAY_NO_VALUE && !value->is_parameter && value->constant == NULL;
}

static void
add_dimension (GPtrArray        *dimensions,
               GHashTable       *by_key,
               const AssayValue *input,
               int               axis)
{
  const AssayDim *dim = &input->type->dims[axis];
  g_autofree char *where = g_strdup_printf ("%s axis %d", input->name, axis);
  AssayDimension *dimension;

  if (dim->symbol != NULL && (dimension = g_hash_table_lookup (by_key, dim->symbol)) != NULL)
    {
      g_autofree char *before = dimension->where;
      dimension->where = g_strdup_printf ("%s, %s", before, where);
      return;
    }

  dimension = g_new0 (AssayDimension, 1);
  dimension->key = dim->symbol != NULL ? g_strdup (dim->symbol) : g_strdup_printf ("%s:%d", input->name, axis);
  dimension->title = g_strdup (dim->symbol != NULL ? dim->symbol : where);
  dimension->where = g_steal_pointer (&where);
  g_hash_table_insert (by_key, dimension->key, dimension);
  g_ptr_array_add (dimensions, dimension);
}

/**
 * assay_graph_list_dimensions:
 * @graph: an imported graph
 *
 * Lists the dimensions of main inputs that are open, each symbol once.
 *
 * Returns: (transfer full) (element-type AssayDimension): the dimensions
 */
GPtrArray *
assay_graph_list_dimensions (const AssayGraph *graph)
{
  GPtrArray *dimensions = g_ptr_array_new_with_free_func (dimension_free);
  g_autoptr (GHashTable) by_key = g_hash_table_new (g_str_hash, g_str_equal);
  GArray *inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;

  for (guint i = 0; i < inputs->len; i++)
    {
      AssayValueId id = g_array_index (inputs, AssayValueId, i);
      const AssayValue *value = assay_graph_value (graph, id);

      if (!is_main_input (graph, id) || value->type->kind != ASSAY_TYPE_KIND_TENSOR)
        continue;

      for (int axis = 0; axis < value->type->rank; axis++)
        if (value->type->dims[axis].size < 0)
          add_dimension (dimensions, by_key, value, axis);
    }

  return dimensions;
}

static gboolean
has_dimension (GPtrArray  *dimensions,
               const char *binding)
{
  for (guint i = 0; i < dimensions->len; i++)
    {
      const AssayDimension *dimension = g_ptr_array_index (dimensions, i);
      gsize n = strlen (dimension->key);

      if (g_str_has_prefix (binding, dimension->key) && binding[n] == '=')
        return TRUE;
    }

  return FALSE;
}

static gboolean
shape_fits (const char       *shape,
            const AssayInput *input)
{
  g_auto (GStrv) dims = g_strsplit (shape, ",", -1);

  return (int) g_strv_length (dims) == input->rank;
}

/**
 * assay_setup_keep_known:
 * @self: a setup
 * @dimensions: (element-type AssayDimension): the open dimensions of a model
 * @inputs: (element-type AssayInput): its main inputs
 *
 * Drops sizes, shapes and axes of what the model does not have.
 */
void
assay_setup_keep_known (AssaySetup *self,
                        GPtrArray  *dimensions,
                        GPtrArray  *inputs)
{
  for (guint i = self->bindings->len; i-- > 0;)
    if (!has_dimension (dimensions, g_ptr_array_index (self->bindings, i)))
      g_ptr_array_remove_index (self->bindings, i);

  for (guint i = self->shapes->len; i-- > 0;)
    {
      const char *shape = g_ptr_array_index (self->shapes, i);

      if (*shape != '\0' && (i >= inputs->len || !shape_fits (shape, g_ptr_array_index (inputs, i))))
        assay_setup_set_shape (self, i, "", NULL);
    }

  for (guint i = self->axes->len; i-- > 0;)
    if (i >= inputs->len
        || g_array_index (self->axes, int, i) >= ((const AssayInput *) g_ptr_array_index (inputs, i))->rank)
      assay_setup_set_streaming_axis (self, i, -1);
}

/**
 * assay_graph_list_inputs:
 * @graph: an imported graph
 *
 * Lists the inputs that are not parameters.
 *
 * Returns: (transfer full) (element-type AssayInput): the inputs
 */
GPtrArray *
assay_graph_list_inputs (const AssayGraph *graph)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (input_free);
  GArray *inputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;

  for (guint i = 0; i < inputs->len; i++)
    {
      AssayValueId id = g_array_index (inputs, AssayValueId, i);
      const AssayValue *value = assay_graph_value (graph, id);
      g_autoptr (GString) shape = g_string_new (NULL);
      AssayInput *input;

      if (!is_main_input (graph, id))
        continue;

      input = g_new0 (AssayInput, 1);
      input->name = g_strdup (value->name);
      input->rank = value->type->kind == ASSAY_TYPE_KIND_TENSOR ? value->type->rank : -1;
      for (int axis = 0; axis < input->rank; axis++)
        {
          const AssayDim *dim = &value->type->dims[axis];

          if (axis > 0)
            g_string_append_c (shape, ',');
          if (dim->size >= 0)
            g_string_append_printf (shape, "%" G_GINT64_FORMAT, dim->size);
          else
            g_string_append (shape, dim->symbol != NULL ? dim->symbol : "?");
        }
      input->shape = g_strdup (shape->str);
      g_ptr_array_add (list, input);
    }

  return list;
}
