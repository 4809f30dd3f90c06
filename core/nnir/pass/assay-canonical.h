/* assay-canonical.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"
#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/**
 * AssayCanonicalOptions:
 * @keep: (nullable) (array zero-terminated=1): operations that the target takes whole, by name; the
 * body of one of functions.nnir becomes the operation only if it is listed; %NULL lists
 * LayerNormalization, RMSNormalization, Gelu, Swish, Softplus, Rsqrt, HardSwish and Mish
 * @apart: (nullable) (array zero-terminated=1): nodes by name; no body that one of them ends
 * becomes its operation
 * @listed: (nullable) (array zero-terminated=1): operations that the target has a rule for or takes
 * whole, by name; another one is written with these if it can be; %NULL leaves all as they are
 * @rejected: (nullable) (array zero-terminated=1): operations that the target rejects by name; they
 * stay, and nothing is written with them
 * @linear: whether Gemm and MatMul with one constant side become Linear
 * @fold_constants: whether nodes with constant inputs are evaluated and removed
 * @fold_batch_norm: whether a BatchNormalization behind a convolution or Linear is folded into it
 * @remove_identity: whether Identity, inference-mode Dropout and casts to the same type are removed
 * @all_inputs_parameters: whether every main input after the first counts as constant for the forms
 * that ask for a constant side, as inputs with a default always do
 * @settle_defaults: whether an input with a default counts as a constant everywhere, because what
 * is compiled has it inside and no caller can give another
 *
 * What the compiler's graph looks like for one target.
 */
typedef struct
{
  const char *const *keep;
  const char *const *apart;
  const char *const *listed;
  const char *const *rejected;
  gboolean linear;
  gboolean fold_constants;
  gboolean fold_batch_norm;
  gboolean remove_identity;
  gboolean all_inputs_parameters;
  gboolean settle_defaults;
} AssayCanonicalOptions;

#define ASSAY_CANONICAL_OPTIONS_DEFAULT                                                            \
  {                                                                                                \
    NULL, NULL, NULL, NULL, TRUE, TRUE, TRUE, TRUE, FALSE, FALSE                                   \
  }
#define ASSAY_CANONICAL_OPTIONS_COMPILE                                                            \
  {                                                                                                \
    NULL, NULL, NULL, NULL, TRUE, TRUE, TRUE, TRUE, FALSE, TRUE                                    \
  }

/**
 * AssayPass:
 * @name: stable name
 * @summary: what it does, in one line
 * @preserves: what it leaves as it is, beside the names and types of inputs and outputs
 *
 * One pass of the list.
 */
typedef struct
{
  const char *name;
  const char *summary;
  const char *preserves;
} AssayPass;

/**
 * AssayPassTraceFunc:
 * @pass: the pass that has just run
 * @graph: the graph after it
 * @user_data: the data given with the function
 *
 * Shown the graph between passes.
 */
typedef void (*AssayPassTraceFunc) (const AssayPass *pass, AssayGraph *graph, gpointer user_data);

/**
 * AssayAbsorbedOrigin:
 * @origin: index of the ONNX node in the origins of both graphs
 * @into: the node that stands for it now, or 0 if it was removed
 * @rule: id of the rule that first changed, merged or removed it
 *
 * What became of one ONNX node.
 */
typedef struct
{
  guint32 origin;
  AssayNodeId into;
  const char *rule;
} AssayAbsorbedOrigin;

const AssayPass *assay_pass_list (guint index);
AssayGraph *assay_graph_canonicalize (AssayGraph *self, const AssayCanonicalOptions *options,
                                      const AssayProgress *progress,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayGraph *assay_graph_canonicalize_traced (AssayGraph *self, const AssayCanonicalOptions *options,
                                             AssayPassTraceFunc trace, gpointer user_data,
                                             const AssayProgress *progress,
                                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
GArray *assay_graph_absorbed (AssayGraph *canonical) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
