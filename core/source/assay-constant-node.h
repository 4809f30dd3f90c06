/* assay-constant-node.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-graph.h"

G_BEGIN_DECLS

void assay_source_constant_node (AssayGraph *graph, AssayNodeId node);

G_END_DECLS
