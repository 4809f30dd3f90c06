/* assay-split.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "work/assay-work.h"

G_BEGIN_DECLS

GPtrArray *assay_graph_split (AssayGraph *graph, const char *const *nodes,
                              const AssayProgress *progress,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *assay_split_name_part (const char *path, guint part) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_split_save (AssayGraph *graph, const char *const *nodes, const char *path,
                           GString *told, const AssayProgress *progress, GError **error);
void assay_work_find_split (AssayWork *self, AssayConfig *config, AssaySettings *settings,
                            AssayAllocation *allocation, AssayWayFunc found, gpointer data,
                            const AssayProgress *progress);

G_END_DECLS
