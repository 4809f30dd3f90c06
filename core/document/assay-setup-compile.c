/* assay-setup-compile.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Opening, checking, fixing and compiling a model as its setup says.
 */
#include "backend/assay-backend.h"
#include "backend/assay-config.h"
#include "base/assay-error.h"
#include "document/assay-setup-private.h"
#include "source/assay-source.h"

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
assay_setup_import (const AssaySetup *self, const char *path, AssayFindings *findings,
                    const AssayProgress *progress, GError **error)
{
  g_autoptr (GPtrArray) bindings = terminate (self->parts[ASSAY_SETUP_BINDINGS]);
  g_autoptr (GPtrArray) shapes = terminate (self->shapes);
  AssayImportOptions options = { .override_shapes = as_strv (shapes),
                                 .bindings = as_strv (bindings) };

  return assay_model_read (path, &options, findings, progress, error);
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
assay_setup_list_axes (const AssaySetup *self, AssayGraph *graph)
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

/**
 * assay_setup_list_target_options:
 * @self: a setup
 * @target: a target
 *
 * Lists the options that are meant for a target: it would refuse those of another one.
 *
 * Returns: (transfer full) (array zero-terminated=1): `NAME=VALUE`
 */
char **
assay_setup_list_target_options (const AssaySetup *self, AssayTarget *target)
{
  const GPtrArray *entries = self->parts[ASSAY_SETUP_TARGET_OPTIONS];
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  for (guint i = 0; i < entries->len; i++)
    if (assay_target_has_option (target, g_ptr_array_index (entries, i)))
      g_strv_builder_add (builder, g_ptr_array_index (entries, i));

  return g_strv_builder_end (builder);
}

/* How a setup is checked, with what the options point to. */
typedef struct
{
  AssayCheckOptions check;
  char **target_options;
  GPtrArray *data_dims;
  GArray *axes;
} Options;

static void
options_clear (Options *self)
{
  g_strfreev (self->target_options);
  g_ptr_array_unref (self->data_dims);
  g_array_unref (self->axes);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Options, options_clear)

static void
fill_options (Options *options, const AssaySetup *self, AssayTarget *target, AssayGraph *graph)
{
  options->target_options = assay_setup_list_target_options (self, target);
  options->data_dims = terminate (self->parts[ASSAY_SETUP_DATA_DIMENSIONS]);
  options->axes = assay_setup_list_axes (self, graph);
  options->check.allow_dynamic_weights = self->dynamic_weights;

  options->check.target_options = (const char *const *) options->target_options;

  if (assay_backend_has (target, ASSAY_CAPABILITY_STREAMS))
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
assay_setup_check (const AssaySetup *self, AssayTarget *target, AssayGraph *graph,
                   const AssayProgress *progress, GError **error)
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
assay_setup_new_fix_settings (const AssaySetup *self, AssayTarget *target, AssayGraph *graph)
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

/* A name that the model does not have is a mistake of the user, not something to pass over. */
static gboolean
check_names (AssayFindings *findings, GError **error)
{
  if (assay_findings_get_count (findings) == 0)
    return TRUE;

  g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID, "Setup: %s",
               assay_findings_get (findings, 0)->message);
  return FALSE;
}

/**
 * assay_setup_compile:
 * @self: a setup
 * @target: a target
 * @graph: an imported graph
 * @name: name of the model
 * @allocation: (out) (nullable) (optional): if it does not fit: why, and what helps
 * @observable: whether its values can be observed while it runs
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Compiles a graph for a target with the options of the setup.
 *
 * Returns: (transfer full) (nullable): the program
 */
AssayProgram *
assay_setup_compile (const AssaySetup *self, AssayTarget *target, AssayGraph *graph,
                     const char *name, AssayAllocation **allocation, gboolean observable,
                     const AssayProgress *progress, GError **error)
{
  g_autoptr (AssayConfig) config = NULL;
  g_autoptr (GPtrArray) data_dims = terminate (self->parts[ASSAY_SETUP_DATA_DIMENSIONS]);
  g_autoptr (GArray) axes = assay_setup_list_axes (self, graph);
  g_auto (GStrv) keep_fp32 = assay_setup_list_names (self, "keep-fp32");
  g_auto (GStrv) pins = assay_setup_list_names (self, "pin");
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (AssayProgram) program = NULL;
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
    .observable = observable,
  };

  if (self->axes->len > 0)
    {
      options.streaming_axes = (const int *) axes->data;
      options.n_streaming_axes = axes->len;
    }

  if (assay_backend_has (target, ASSAY_CAPABILITY_HAS_CONFIG) &&
      (config = assay_config_new_for_target (target, error)) == NULL)
    return NULL;
  for (guint i = 0; config != NULL && i < assay_setup_n_entries (self, ASSAY_SETUP_CONFIG_VALUES);
       i++)
    {
      const char *value;
      g_autofree char *member = assay_setup_dup_entry (self, ASSAY_SETUP_CONFIG_VALUES, i, &value);

      if (!assay_config_set_member (config, member, g_ascii_strtoll (value, NULL, 10), error))
        return NULL;
    }

  program = assay_build_model (target, graph,
                               config != NULL ? assay_config_get_values (config) : NULL, &options,
                               progress, error);
  return program != NULL && check_names (findings, error) ? g_steal_pointer (&program) : NULL;
}
