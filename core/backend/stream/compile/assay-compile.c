/* assay-compile.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/stream/compile/assay-compile-private.h"

#include "base/assay-arena.h"
#include "base/assay-error.h"
#include "backend/stream/compile/assay-fuse.h"
#include "backend/stream/compile/assay-lower.h"
#include "backend/stream/compile/assay-place.h"
#include "nnir/pass/assay-canonical.h"
#include "nnir/analysis/assay-data-dimension.h"
#include "nnir/analysis/assay-streaming.h"

static gboolean
check_settings (const AssayConfigValues *config, const AssaySettings *settings, GError **error)
{
  gboolean fp8 = assay_settings_get_flag (settings, ASSAY_SETTING_FP8_WEIGHTS);

  if (fp8 && config->fabric == ASSAY_FABRIC_AGILEX)
    g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                         "fp8 weights need a Versal card; the fabric of this one is agilex");
  else if (fp8 && assay_settings_get_flag (settings, ASSAY_SETTING_DYNAMIC_WEIGHTS))
    g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                         "fp8 weights and dynamic weights exclude each other");
  else
    return TRUE;

  return FALSE;
}

static AssayLir *
lower_model (AssayGraph *graph, const AssayConfigValues *config, const AssayCompileOptions *options,
             const AssayProgress *progress, GError **error)
{
  AssaySettings *settings = options->settings;
  g_autofree char *cores = assay_settings_dup_text (settings, ASSAY_SETTING_CORES);
  AssayDimensionOptions dimension_options = { 0 };
  guint n_axes;
  const int *axes = assay_settings_get_axes (settings, &n_axes);
  g_autoptr (AssayStreaming) streaming = NULL;
  g_autoptr (AssayDimensions) dimensions = NULL;
  g_autoptr (AssayChoices) choices = NULL;
  AssayLowerOptions lowering = {
    .name = options->model_name != NULL ? options->model_name : graph->name,
    .settings = settings,
    .progress = progress,
  };
  AssayLir *lir;

  if (!check_settings (config, settings, error) ||
      (cores != NULL &&
       !assay_choices_parse_cores (cores, config->num_cores, &lowering.cores, error)))
    return NULL;
  choices = assay_choices_new (graph, config, settings, options->findings, error);
  if (choices == NULL)
    return NULL;

  if (axes != NULL)
    {
      streaming = assay_graph_trace_streaming (graph, axes, n_axes, error);
      if (streaming == NULL)
        return NULL;
      if (streaming->refusals->len > 0)
        {
          const AssayStreamingRefusal *refusal = &g_array_index (streaming->refusals,
                                                                 AssayStreamingRefusal, 0);

          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED, "%s: %s",
                       assay_graph_node (graph, refusal->node)->name, refusal->text);
          return NULL;
        }
    }

  dimension_options.fixed = assay_settings_get_list (settings, ASSAY_SETTING_DATA_DIM);
  dimension_options.allow_dynamic_weights = assay_settings_get_flag (settings,
                                                                     ASSAY_SETTING_DYNAMIC_WEIGHTS);
  dimension_options.vanishing = streaming == NULL ? NULL : streaming->axes;
  dimensions = assay_graph_solve_dimensions (graph, &dimension_options, error);
  if (dimensions == NULL)
    return NULL;
  if (dimensions->conflicts->len > 0)
    {
      const AssayDimensionConflict *conflict = &g_array_index (dimensions->conflicts,
                                                               AssayDimensionConflict, 0);

      g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED, "%s: %s",
                   conflict->node != ASSAY_NO_NODE
                       ? assay_graph_node (graph, conflict->node)->name
                       : assay_graph_value (graph, conflict->value)->name,
                   conflict->message);
      return NULL;
    }

  lowering.data_dims = dimensions->dims;
  lowering.vanishing = streaming == NULL ? NULL : streaming->axes;
  lowering.choices = choices;
  lir = assay_lower (graph, config, &lowering, error);
  if (lir != NULL)
    {
      assay_lir_fuse_drains (lir);
      assay_lir_round_operands (lir);
    }

  return lir;
}

/* Names tell models apart, so an equal one gets a number behind it. */
static void
make_names_unique (GPtrArray *lirs)
{
  for (guint i = 1; i < lirs->len; i++)
    {
      AssayLir *lir = g_ptr_array_index (lirs, i);
      AssayLirModel *model = &g_array_index (lir->models, AssayLirModel, 0);
      const char *name = model->name;
      guint number = 1;

      for (guint j = 0; j < i; j++)
        {
          AssayLir *before = g_ptr_array_index (lirs, j);
          g_autofree char *next = NULL;

          if (!g_str_equal (g_array_index (before->models, AssayLirModel, 0).name, model->name))
            continue;
          next = g_strdup_printf ("%s_%u", name, ++number);
          model->name = assay_arena_intern (lir->arena, next);
          j = G_MAXUINT;
        }
    }
}

/**
 * assay_compile_lower:
 * @models: (array length=n_models): graphs in canonical form
 * @n_models: how many, at least one
 * @config: the hardware; it has to outlive the result
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Lowers canonical graphs: streaming, data dimensions, operations on vectors. Depths of stores have
 * no part in it.
 *
 * Returns: (transfer full) (nullable) (element-type AssayLir): the lowered models
 */
GPtrArray *
assay_compile_lower (const AssayCompileModel *models, guint n_models,
                     const AssayConfigValues *config, const AssayProgress *progress, GError **error)
{
  g_autoptr (GPtrArray) lirs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_lir_free);

  for (guint i = 0; i < n_models; i++)
    {
      AssayLir *lir = lower_model (models[i].graph, config, models[i].options, progress, error);

      if (lir == NULL)
        {
          if (n_models > 1)
            g_prefix_error (error, "model %u (%s): ", i, models[i].graph->name);
          return NULL;
        }
      g_ptr_array_add (lirs, lir);
    }
  make_names_unique (lirs);

  return g_steal_pointer (&lirs);
}

/**
 * assay_compile_lowered:
 * @lirs: (element-type AssayLir): lowered models
 * @options: what is wanted of the program
 * @progress: (nullable): progress and cancel
 * @failure: (inout) (optional) (nullable): %NULL; if the program does not fit: why, which takes
 * longer to find than that it does not
 * @error: return location for a #GError
 *
 * Compiles lowered models, without looking for ways out if they do not fit.
 *
 * Returns: (transfer full) (nullable): the program
 */
AssayStreamCode *
assay_compile_lowered (GPtrArray *lirs, const AssayCompileOptions *options,
                       const AssayProgress *progress, AssayAllocation **failure, GError **error)
{
  AssayStreamCode *code = assay_place (
      lirs, !assay_settings_get_flag (options->settings, ASSAY_SETTING_DISABLE_OPTIMIZATIONS),
      progress, failure, error);

  if (code != NULL && options->target_id != NULL)
    code->target_id = assay_arena_intern (code->arena, options->target_id);

  return code;
}

/**
 * assay_compile_observed:
 * @models: (array length=n_models): the models, in the order of their index in the program
 * @n_models: how many, at least one
 * @config: the hardware
 * @options: (nullable): what is wanted of the program; what concerns a model is taken from its own
 * options
 * @probes: (out) (optional) (nullable): of one model: where its values are to be found while the
 * program runs; the caller frees it
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Compiles models into one program: canonical form, streaming, data dimensions, lowering,
 * placement, memory plan, instructions. Equal weights are stored once; one model runs at a time,
 * and each keeps its state.
 *
 * Returns: (transfer full) (nullable): the program
 */
AssayStreamCode *
assay_compile_observed (const AssayCompileModel *models, guint n_models,
                        const AssayConfigValues *config, const AssayCompileOptions *options,
                        AssayProbes **probes, const AssayProgress *progress, GError **error)
{
  const AssayCompileOptions nothing = { 0 };
  const AssayCanonicalOptions form = ASSAY_CANONICAL_OPTIONS_COMPILE;
  g_autoptr (GPtrArray)
      graphs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_graph_unref);
  g_autofree AssayCompileModel *canonical = g_new (AssayCompileModel, n_models + 1);
  g_autofree AssayCompileOptions *wanted = g_new (AssayCompileOptions, n_models + 1);
  g_autoptr (GPtrArray) lirs = NULL;
  g_autoptr (GError) own_error = NULL;
  g_autoptr (AssayAllocation) failure = NULL;
  AssayStreamCode *code;

  options = options != NULL ? options : &nothing;
  if (options->allocation != NULL)
    *options->allocation = NULL;
  if (probes != NULL)
    *probes = NULL;

  for (guint i = 0; i < n_models; i++)
    {
      AssayGraph *graph = models[i].canonical
                              ? assay_graph_ref (models[i].graph)
                              : assay_graph_canonicalize (models[i].graph, &form, progress, error);

      if (graph == NULL)
        return NULL;
      g_ptr_array_add (graphs, graph);
      wanted[i] = models[i].options != NULL ? *models[i].options : nothing;
      if (wanted[i].model_name == NULL)
        wanted[i].model_name = models[i].graph->name;
      canonical[i] = (AssayCompileModel){ graph, &wanted[i] };
    }

  lirs = assay_compile_lower (canonical, n_models, config, progress, error);
  if (lirs == NULL)
    return NULL;
  code = assay_compile_lowered (lirs, options, progress, &failure, &own_error);
  if (options->allocation != NULL)
    *options->allocation = g_steal_pointer (&failure);
  if (code != NULL && probes != NULL && n_models == 1)
    *probes = assay_probes_new (g_ptr_array_index (lirs, 0), canonical[0].graph);
  if (code == NULL && options->allocation != NULL && *options->allocation != NULL)
    {
      assay_name_store (*options->allocation);
      if (options->refused != NULL)
        options->refused (*options->allocation, own_error, options->refused_data);
      if (!options->explain_only)
        assay_find_ways_out (canonical, n_models, config, options, lirs, progress,
                             *options->allocation);
    }
  if (own_error != NULL)
    g_propagate_error (error, g_steal_pointer (&own_error));

  return code;
}

/**
 * assay_compile_models:
 * @models: (array length=n_models): the models, in the order of their index in the program
 * @n_models: how many, at least one
 * @config: the hardware
 * @options: (nullable): what is wanted of the program; what concerns a model is taken from its own
 * options
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Compiles models into one program that is not looked into.
 *
 * Returns: (transfer full) (nullable): the program
 */
AssayStreamCode *
assay_compile_models (const AssayCompileModel *models, guint n_models,
                      const AssayConfigValues *config, const AssayCompileOptions *options,
                      const AssayProgress *progress, GError **error)
{
  return assay_compile_observed (models, n_models, config, options, NULL, progress, error);
}

/**
 * assay_compile:
 * @imported: a graph as imported, every extent known
 * @config: the hardware
 * @options: (nullable): what is wanted
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Compiles one model into a program of its own.
 *
 * Returns: (transfer full) (nullable): the program
 */
AssayStreamCode *
assay_compile (AssayGraph *imported, const AssayConfigValues *config,
               const AssayCompileOptions *options, const AssayProgress *progress, GError **error)
{
  const AssayCompileModel model = { imported, options };

  return assay_compile_models (&model, 1, config, options, progress, error);
}
