/* assay-evaluate-constant.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/assay-evaluate.h"
#include "nnir/pass/assay-fold-branch.h"

/**
 * assay_evaluate_constant:
 * @graph: a graph without inputs
 * @error: return location for a #GError
 *
 * Computes what no input changes, for the pass that folds it.
 *
 * Returns: (transfer full) (nullable) (element-type AssayTensor): the outputs of the main graph
 */
GPtrArray *
assay_evaluate_constant (AssayGraph *graph, GError **error)
{
  const AssayEvaluateOptions options = { .n_threads = 1 };

  return assay_evaluate_graph (graph, &options, 0, NULL, NULL, NULL, error);
}
