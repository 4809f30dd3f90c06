/* assay-compile.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "compile/assay-compile-private.h"

#include "base/assay-arena.h"
#include "base/assay-error.h"
#include "compile/assay-fuse.h"
#include "compile/assay-lower.h"
#include "compile/assay-place.h"
#include "nnir/assay-canonical.h"
#include "nnir/assay-data-dimension.h"
#include "nnir/assay-streaming.h"

/**
 * assay_compile_canonical:
 * @graph: a graph in canonical form
 * @config: the hardware
 * @options: what is wanted
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Compiles a canonical graph, without looking for ways out if it does not fit.
 *
 * Returns: (transfer full) (nullable): the program
 */
AssayCode *
assay_compile_canonical (AssayGraph                 *graph,
                         const AssayConfigValues    *config,
                         const AssayCompileOptions  *options,
                         const AssayProgress        *progress,
                         GError                    **error)
{
  AssayDimensionOptions dimension_options = { 0 };
  g_autoptr (AssayStreaming) streaming = NULL;
  g_autoptr (AssayDimensions) dimensions = NULL;
  g_autoptr (AssayLir) lir = NULL;
  AssayCode *code;

  if (options->streaming_axes != NULL)
    {
      streaming = assay_graph_trace_streaming (graph, options->streaming_axes, options->n_streaming_axes, error);
      if (streaming == NULL)
        return NULL;
      if (streaming->refusals->len > 0)
        {
          const AssayStreamingRefusal *refusal = &g_array_index (streaming->refusals, AssayStreamingRefusal, 0);

          g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED, "%s: %s",
                       assay_graph_node (graph, refusal->node)->name, refusal->text);
          return NULL;
        }
    }

  dimension_options.fixed = options->data_dims;
  dimension_options.allow_dynamic_weights = options->allow_dynamic_weights;
  dimension_options.vanishing = streaming == NULL ? NULL : streaming->axes;
  dimensions = assay_graph_solve_dimensions (graph, &dimension_options, error);
  if (dimensions == NULL)
    return NULL;
  if (dimensions->conflicts->len > 0)
    {
      g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED,
                           g_array_index (dimensions->conflicts, AssayDimensionConflict, 0).message);
      return NULL;
    }

  lir = assay_lower (graph, config, dimensions->dims, streaming == NULL ? NULL : streaming->axes,
                     options->allow_dynamic_weights, error);
  if (lir == NULL)
    return NULL;
  assay_lir_fuse_drains (lir);

  code = assay_place (lir, options->model_name != NULL ? options->model_name : graph->name,
                      !options->disable_optimizations, progress, error);
  if (code != NULL && options->target_id != NULL)
    code->target_id = assay_arena_intern (code->arena, options->target_id);
  if (code == NULL && options->allocation != NULL)
    *options->allocation = g_steal_pointer (&lir->failure);

  return code;
}

/**
 * assay_compile:
 * @imported: a graph as imported, every extent known
 * @config: the hardware
 * @options: (nullable): what is wanted
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Compiles one model: canonical form, streaming, data dimensions, lowering, placement, memory plan, instructions.
 *
 * Returns: (transfer full) (nullable): the program
 */
AssayCode *
assay_compile (AssayGraph                 *imported,
               const AssayConfigValues    *config,
               const AssayCompileOptions  *options,
               const AssayProgress        *progress,
               GError                    **error)
{
  AssayCompileOptions wanted = { 0 };
  g_autoptr (AssayGraph) graph = NULL;
  AssayCode *code;

  if (options != NULL)
    wanted = *options;
  if (wanted.allocation != NULL)
    *wanted.allocation = NULL;
  if (wanted.model_name == NULL)
    wanted.model_name = imported->name;

  graph = assay_graph_canonicalize (imported, NULL, progress, error);
  if (graph == NULL)
    return NULL;

  code = assay_compile_canonical (graph, config, &wanted, progress, error);
  if (code == NULL && wanted.allocation != NULL && *wanted.allocation != NULL)
    assay_find_ways_out (graph, config, &wanted, progress, *wanted.allocation);

  return code;
}
