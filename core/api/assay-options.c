/* assay-options.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "api/assay-options-private.h"

#include "backend/assay-choices.h"

struct _AssayOptions
{
  GObject parent_instance;

  gboolean optimize;
  gboolean allow_dynamic_weights;
  gboolean fp8_weights;
  gboolean state_reset;
  char **keep_fp32;
  char **pins;
  char **data_dims;
  char *cores;
};

enum
{
  PROP_0,
  PROP_OPTIMIZE,
  PROP_ALLOW_DYNAMIC_WEIGHTS,
  PROP_FP8_WEIGHTS,
  PROP_STATE_RESET,
  PROP_KEEP_FP32,
  PROP_PINS,
  PROP_DATA_DIMS,
  PROP_CORES,
  N_PROPS
};

static GParamSpec *props[N_PROPS];

G_DEFINE_FINAL_TYPE (AssayOptions, assay_options, G_TYPE_OBJECT)

static void
assay_options_finalize (GObject *object)
{
  AssayOptions *self = ASSAY_OPTIONS (object);

  g_strfreev (self->keep_fp32);
  g_strfreev (self->pins);
  g_strfreev (self->data_dims);
  g_free (self->cores);

  G_OBJECT_CLASS (assay_options_parent_class)->finalize (object);
}

static gboolean *
flag_of (AssayOptions *self, guint id)
{
  switch (id)
    {
    case PROP_OPTIMIZE:
      return &self->optimize;
    case PROP_ALLOW_DYNAMIC_WEIGHTS:
      return &self->allow_dynamic_weights;
    case PROP_FP8_WEIGHTS:
      return &self->fp8_weights;
    case PROP_STATE_RESET:
      return &self->state_reset;
    default:
      return NULL;
    }
}

static char ***
list_of (AssayOptions *self, guint id)
{
  switch (id)
    {
    case PROP_KEEP_FP32:
      return &self->keep_fp32;
    case PROP_PINS:
      return &self->pins;
    case PROP_DATA_DIMS:
      return &self->data_dims;
    default:
      return NULL;
    }
}

static void
assay_options_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  AssayOptions *self = ASSAY_OPTIONS (object);

  if (flag_of (self, id) != NULL)
    g_value_set_boolean (value, *flag_of (self, id));
  else if (list_of (self, id) != NULL)
    g_value_set_boxed (value, *list_of (self, id));
  else if (id == PROP_CORES)
    g_value_set_string (value, self->cores);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
assay_options_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  AssayOptions *self = ASSAY_OPTIONS (object);

  if (flag_of (self, id) != NULL)
    {
      *flag_of (self, id) = g_value_get_boolean (value);
    }
  else if (list_of (self, id) != NULL)
    {
      g_strfreev (*list_of (self, id));
      *list_of (self, id) = g_value_dup_boxed (value);
    }
  else if (id == PROP_CORES)
    {
      g_free (self->cores);
      self->cores = g_value_dup_string (value);
    }
  else
    {
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
assay_options_class_init (AssayOptionsClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;

  object_class->finalize = assay_options_finalize;
  object_class->get_property = assay_options_get_property;
  object_class->set_property = assay_options_set_property;

  /**
   * AssayOptions:optimize-transforms:
   *
   * Whether placements are searched; otherwise every layer goes on all cores. All give the same
   * bits.
   */
  props[PROP_OPTIMIZE] = g_param_spec_boolean ("optimize-transforms", NULL, NULL, TRUE, flags);

  /**
   * AssayOptions:allow-dynamic-weights:
   *
   * Whether both sides of a product may be computed at run time.
   */
  props[PROP_ALLOW_DYNAMIC_WEIGHTS] = g_param_spec_boolean ("allow-dynamic-weights", NULL, NULL,
                                                            FALSE, flags);

  /**
   * AssayOptions:fp8-weights:
   *
   * Whether weights are stored as fp8 E4M3, which Versal cards can.
   */
  props[PROP_FP8_WEIGHTS] = g_param_spec_boolean ("fp8-weights", NULL, NULL, FALSE, flags);

  /**
   * AssayOptions:generate-state-reset:
   *
   * Whether the program can reset the state of the model, which takes instructions.
   */
  props[PROP_STATE_RESET] = g_param_spec_boolean ("generate-state-reset", NULL, NULL, FALSE, flags);

  /**
   * AssayOptions:keep-fp32:
   *
   * Names of nodes and inputs whose values stay fp32.
   */
  props[PROP_KEEP_FP32] = g_param_spec_boxed ("keep-fp32", NULL, NULL, G_TYPE_STRV, flags);

  /**
   * AssayOptions:pins:
   *
   * `NODE=CORES`: the cores that the rows of a node are divided over, such as `fc1=0-2`.
   */
  props[PROP_PINS] = g_param_spec_boxed ("pins", NULL, NULL, G_TYPE_STRV, flags);

  /**
   * AssayOptions:data-dims:
   *
   * `INPUT=AXIS`: data dimensions that are fixed.
   */
  props[PROP_DATA_DIMS] = g_param_spec_boxed ("data-dims", NULL, NULL, G_TYPE_STRV, flags);

  /**
   * AssayOptions:core-indices:
   *
   * The cores that the model may use, such as `0-2,5`; %NULL for all.
   */
  props[PROP_CORES] = g_param_spec_string ("core-indices", NULL, NULL, NULL, flags);

  g_object_class_install_properties (object_class, N_PROPS, props);
}

static void
assay_options_init (AssayOptions *self)
{
  self->optimize = TRUE;
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
 * assay_options_fill: (skip)
 * @self: options, which must outlive what is filled in
 * @config: the hardware
 * @options: gets them
 * @error: return location for a #GError
 *
 * Puts options into the form that the compiler takes.
 *
 * Returns: %FALSE with %ASSAY_ERROR_INVALID if the cores are none
 */
gboolean
assay_options_fill (AssayOptions *self, const AssayConfigValues *config,
                    AssayCompileOptions *options, GError **error)
{
  options->disable_optimizations = !self->optimize;
  options->allow_dynamic_weights = self->allow_dynamic_weights;
  options->fp8_weights = self->fp8_weights;
  options->state_reset = self->state_reset;
  options->keep_fp32 = (const char *const *) self->keep_fp32;
  options->pins = (const char *const *) self->pins;
  options->data_dims = (const char *const *) self->data_dims;

  return self->cores == NULL ||
         assay_choices_parse_cores (self->cores, config->num_cores, &options->cores, error);
}
