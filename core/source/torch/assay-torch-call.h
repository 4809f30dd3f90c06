/* assay-torch-call.h
 * SPDX-License-Identifier: Apache-2.0
 *
 * A function of PyTorch that stands in a model of another source as one node.
 */
#pragma once

#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/**
 * AssayTorchCall:
 * @body: what the function is made of: its inputs are those of the graph of the call, its outputs
 * those of the node
 * @plain: the node alone, with each operand in the place that the function has for it
 *
 * What became of a node that calls a function.
 */
typedef struct
{
  AssayGraph *body;
  AssayGraph *plain;
} AssayTorchCall;

char *assay_torch_call_dup_key (const AssayNode *node) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_torch_call_is_known (const AssayNode *node);
gboolean assay_torch_call_expand (AssayGraph *graph, AssayNodeId node, AssayTorchCall *call,
                                  GError **error);
void assay_torch_call_clear (AssayTorchCall *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssayTorchCall, assay_torch_call_clear)

G_END_DECLS
