/* assay-program-graph.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-graph.h"

G_BEGIN_DECLS

AssayGraph *assay_program_graph_read (const char *text, gsize length,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
