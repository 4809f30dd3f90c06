/* assay-canonical.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"
#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/**
 * AssayCanonicalOptions:
 * @keep: (nullable) (array zero-terminated=1): composite operations that the target takes whole, by name
 *   (`LayerNormalization`, `RMSNormalization`, `Gelu`, `Swish`, `Softplus`, `Rsqrt`, `HardSwish`, `Mish`); a
 *   decomposed pattern becomes one of these only if it is listed; %NULL lists all
 * @linear: whether Gemm and MatMul with one constant side become Linear
 * @fold_constants: whether nodes with constant inputs are evaluated and removed
 * @fold_batch_norm: whether a BatchNormalization behind a convolution or Linear is folded into it
 * @remove_identity: whether Identity, inference-mode Dropout and casts to the same type are removed
 * @parameters: whether inputs with a default (older ONNX) and, with @all_inputs_parameters, every main input after the
 *   first count as constant for the forms that ask for a constant side
 *
 * What the compiler's graph looks like for one target.
 */
typedef struct
{
  const char *const *keep;
  gboolean linear;
  gboolean fold_constants;
  gboolean fold_batch_norm;
  gboolean remove_identity;
  gboolean all_inputs_parameters;
} AssayCanonicalOptions;

#define ASSAY_CANONICAL_OPTIONS_DEFAULT { NULL, TRUE, TRUE, TRUE, TRUE, FALSE }

/**
 * assay_graph_canonicalize:
 * @self: a graph as imported, types inferred
 * @options: (nullable): what is wanted; %NULL for the default
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Brings a graph into the compiler's form. Each rewrite is recorded with rule, before and after; the origins of the
 * replaced nodes go to the node that stands for them, whose name is that of the ONNX node that makes its output.
 * Where a decomposed pattern became one node, the decomposition stays reachable: the origins name all of it, and
 * the graph that was given is not changed.
 *
 * Returns: (transfer full) (nullable): a new graph
 */
AssayGraph *assay_graph_canonicalize (AssayGraph                   *self,
                                      const AssayCanonicalOptions  *options,
                                      const AssayProgress          *progress,
                                      GError                      **error);

G_END_DECLS
