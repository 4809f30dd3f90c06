/* assay-shrink.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"
#include "base/assay-tensor.h"
#include "nnir/assay-graph.h"

G_BEGIN_DECLS

GHashTable *assay_reduce_inputs_new (void) G_GNUC_WARN_UNUSED_RESULT;
GHashTable *assay_reduce_inputs_copy (GHashTable *inputs) G_GNUC_WARN_UNUSED_RESULT;
AssayTensor *assay_tensor_take (AssayTensor *self, guint axis, gint64 n,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayTensor *assay_tensor_dup_zeros (AssayTensor *self) G_GNUC_WARN_UNUSED_RESULT;
AssayGraph *assay_graph_shrink (AssayGraph *graph, GHashTable *inputs, AssayValueId only,
                                guint axis, gint64 size, gint64 wanted, GHashTable *shrunk,
                                const AssayProgress *progress) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
