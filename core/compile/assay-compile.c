/* assay-compile.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "compile/assay-compile.h"

#include "base/assay-arena.h"
#include "base/assay-error.h"
#include "compile/assay-fuse.h"
#include "compile/assay-lower.h"
#include "compile/assay-place.h"
#include "nnir/assay-canonical.h"
#include "nnir/assay-data-dimension.h"
#include "nnir/assay-streaming.h"

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
               const AssayConfigValues   *config,
               const AssayCompileOptions  *options,
               const AssayProgress        *progress,
               GError                    **error)
{
  const AssayCompileOptions defaults = { 0 };
  AssayDimensionOptions dimension_options = { 0 };
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (AssayStreaming) streaming = NULL;
  g_autoptr (AssayDimensions) dimensions = NULL;
  g_autoptr (AssayLir) lir = NULL;
  AssayCode *code;

  options = options == NULL ? &defaults : options;

  graph = assay_graph_canonicalize (imported, NULL, progress, error);
  if (graph == NULL)
    return NULL;

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

  code = assay_place (lir, options->model_name != NULL ? options->model_name : imported->name,
                      !options->disable_optimizations, progress, error);
  if (code != NULL && options->target_id != NULL)
    code->target_id = assay_arena_intern (code->arena, options->target_id);

  return code;
}
