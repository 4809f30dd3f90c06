/* assay-torch-graph.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-graph.h"
#include "source/torch/assay-torch-module.h"

G_BEGIN_DECLS

AssayGraph *assay_torch_module_to_graph (const AssayTorchModule *self, GHashTable *names,
                                         GHashTable *nodes) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
