/* assay-upgrade.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-finding.h"
#include "nnir/assay-graph.h"

G_BEGIN_DECLS

gboolean assay_onnx_upgrade (AssayGraph *graph, GHashTable *versions, AssayFindings *findings,
                             GError **error);
gboolean assay_onnx_expand_calls (AssayGraph *graph, AssayFindings *findings, GError **error);

G_END_DECLS
