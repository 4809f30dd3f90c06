/* assay-analysis.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/**
 * AssayUses:
 *
 * Who reads each value: an index over a finished graph, built in one sweep.
 */
typedef struct _AssayUses AssayUses;

AssayUses *assay_uses_new (const AssayGraph *graph) G_GNUC_WARN_UNUSED_RESULT;
void assay_uses_free (AssayUses *self);
guint assay_uses_count (const AssayUses *self, AssayValueId value);
const AssayNodeId *assay_uses_get (const AssayUses *self, AssayValueId value, guint *n);
gboolean assay_uses_is_output (const AssayUses *self, AssayValueId value);

GArray *assay_graph_sort_region (const AssayGraph *graph, AssayRegionId region, GArray *cyclic);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayUses, assay_uses_free)

G_END_DECLS
