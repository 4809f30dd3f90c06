/* assay-extract.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"
#include "nnir/assay-graph.h"

G_BEGIN_DECLS

AssayNodeId assay_graph_main_node (const AssayGraph *graph, AssayNodeId node);
GArray *assay_graph_list_border (AssayGraph *graph, const guint8 *kept) G_GNUC_WARN_UNUSED_RESULT;
AssayGraph *assay_graph_extract (AssayGraph *graph, const guint8 *kept, GHashTable *known,
                                 const AssayProgress *progress,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayGraph *assay_graph_extract_between (AssayGraph *graph, const guint8 *kept, const GArray *ends,
                                         GHashTable *known, const AssayProgress *progress,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;

AssayGraph *assay_graph_bypass (AssayGraph *graph, AssayNodeId node, const AssayProgress *progress,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayGraph *assay_graph_open_if (AssayGraph *graph, AssayNodeId node, gboolean branch,
                                 const AssayProgress *progress,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
