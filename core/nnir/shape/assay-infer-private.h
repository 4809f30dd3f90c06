/* assay-infer-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-progress.h"
#include "nnir/shape/assay-shape.h"

G_BEGIN_DECLS

/**
 * AssayInfer:
 * @graph: the graph
 * @findings: (nullable): gets what contradicts
 * @progress: (nullable): progress and cancel
 * @scratch: lives as long as the sweep
 * @stated: type of each value before inference, so that the body of a loop can be swept again
 * @elements: what is known of the elements of each value, %NULL until someone asks
 * @sequences: what sequences are known to hold, %NULL for the others
 * @done: per node, whether it has been swept
 * @swept: per region, whether it has been swept
 * @violations: per node, the first thing wrong with it, %NULL until there is one
 * @budget: how many more elements may be kept, so that a hostile file cannot fill the memory
 * @depth: nesting of regions
 * @n_done: nodes swept so far, for the progress
 *
 * One run of inference over a graph.
 */
struct _AssayInfer
{
  AssayGraph *graph;
  AssayFindings *findings;
  const AssayProgress *progress;
  AssayArena *scratch;
  const AssayType **stated;
  AssayElements **elements;
  const AssaySequence **sequences;
  guint8 *done;
  guint8 *swept;
  const char **violations;
  gsize budget;
  guint depth;
  guint n_done;
};

const AssayElements *assay_infer_elements (AssayInfer *self, AssayValueId value);
AssayElements *assay_infer_new_elements (AssayInfer *self, AssayDType dtype, guint rank,
                                         const gint64 *dims);
AssayTensor *assay_elements_to_tensor (const AssayElements *self) G_GNUC_WARN_UNUSED_RESULT;
void assay_infer_set_elements (AssayInfer *self, AssayValueId value, AssayElements *elements);
void assay_infer_commit (AssayInfer *self, AssayNodeId node, AssayValueId id,
                         const AssayType *inferred);
void assay_infer_visit (AssayInfer *self, AssayNodeId id);
void assay_infer_sweep (AssayInfer *self, AssayRegionId region);
void assay_infer_reset (AssayInfer *self, AssayRegionId region);
const char *assay_infer_path (AssayInfer *self, AssayNodeId node);
void assay_infer_fold (AssayShapeContext *context);

G_END_DECLS
