/* assay-bind-shapes.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-graph.h"

G_BEGIN_DECLS

gboolean assay_graph_bind_shapes (AssayGraph *graph, const char *const *shapes,
                                  const char *const *bindings, GError **error);

gboolean assay_type_axis_is_batch (const AssayType *type, int axis);

G_END_DECLS
