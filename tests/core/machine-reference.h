/* machine-reference.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-graph.h"

G_BEGIN_DECLS

void machine_reference (AssayGraph *graph, int axis, const float *input, gsize n_values,
                        double **expected, double **magnitude);

G_END_DECLS
