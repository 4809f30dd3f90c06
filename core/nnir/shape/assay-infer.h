/* assay-infer.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-finding.h"
#include "base/assay-progress.h"
#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/**
 * assay_graph_infer:
 * @self: a graph under construction
 * @findings: (nullable): gets what contradicts
 * @progress: (nullable): progress and cancel
 * @error: return location for a #GError
 *
 * Infers types and shapes of all values in one sweep per region, folds shape arithmetic and other
 * small constant integer computations in place (the result values get their constant), and carries
 * unknown extents by name. What the file states and inference contradicts is a finding; the
 * inferred type wins.
 *
 * Returns: %FALSE only if cancelled
 */
gboolean assay_graph_infer (AssayGraph *self, AssayFindings *findings,
                            const AssayProgress *progress, GError **error);

/**
 * AssayInferSteps:
 *
 * Inference that goes along while a graph is built, for those who need the types of what they have
 * made to go on.
 */
typedef struct _AssayInferSteps AssayInferSteps;

AssayInferSteps *assay_infer_steps_new (AssayGraph *graph) G_GNUC_WARN_UNUSED_RESULT;
void assay_infer_steps_add (AssayInferSteps *self, AssayNodeId node);
void assay_infer_steps_free (AssayInferSteps *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayInferSteps, assay_infer_steps_free)

gboolean assay_region_keeps_condition (const AssayGraph *graph, AssayRegionId body);

G_END_DECLS
