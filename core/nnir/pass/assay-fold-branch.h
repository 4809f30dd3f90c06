/* assay-fold-branch.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/pass/assay-pass.h"

G_BEGIN_DECLS

gboolean assay_fold_branch (AssayRewriter *rewriter, AssayNodeId node);

/* Computes a graph without inputs; its outputs are tensors. The evaluator comes later in the order
 * of folders and fills this: core/evaluate/assay-evaluate-constant.c. */
GPtrArray *assay_evaluate_constant (AssayGraph *graph, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
