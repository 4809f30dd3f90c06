/* assay-nnir-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "api/assay-nnir.h"
#include "nnir/assay-graph.h"

G_BEGIN_DECLS

AssayGraph *assay_nnir_get_graph (AssayNnir *self);
const int *assay_nnir_get_streaming_axes (AssayNnir *self, guint *n_axes);

G_END_DECLS
