/* assay-run-input-graph.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "run/assay-run-inputs.h"

G_BEGIN_DECLS

gboolean assay_run_input_can_open (const AssayType *type);
AssayGraph *assay_run_input_open_graph (AssayGraph *graph, AssayRunInputs *inputs,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
