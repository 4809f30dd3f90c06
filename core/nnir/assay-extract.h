/* assay-extract.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-graph.h"

G_BEGIN_DECLS

AssayGraph *assay_graph_extract (AssayGraph         *self,
                                 const AssayNodeId  *nodes,
                                 guint               n_nodes,
                                 GArray             *inputs) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
