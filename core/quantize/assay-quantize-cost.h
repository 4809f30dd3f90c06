/* assay-quantize-cost.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "quantize/assay-quantize.h"
#include "quantize/assay-quantize-loss.h"

G_BEGIN_DECLS

/**
 * AssayQuantizeCost:
 * @value: name of the value
 * @node: name of the node that makes it
 * @op_type: its operation
 * @loss: what 8 bits cost it
 *
 * What quantising one operation costs, against the model in float.
 */
typedef struct
{
  const char *value;
  const char *node;
  const char *op_type;
  AssayQuantizeLoss loss;
} AssayQuantizeCost;

/**
 * AssayQuantizeCosts:
 * @graph: the quantised model, whose names the rows have
 * @rows: (element-type AssayQuantizeCost): the operations, those that cost most first
 * @output_db: SQNR of all outputs together
 *
 * What quantising costs, on one sample.
 */
typedef struct
{
  AssayGraph *graph;
  GArray *rows;
  double output_db;
} AssayQuantizeCosts;

AssayGraph *assay_quantize_undo (AssayGraph *quantized) G_GNUC_WARN_UNUSED_RESULT;
AssayQuantizeCosts *assay_quantize_measure (AssayGraph *original, AssayGraph *quantized,
                                            const AssayQuantizeOptions *options, guint n_gains,
                                            const AssayProgress *progress,
                                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_quantize_costs_free (AssayQuantizeCosts *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayQuantizeCosts, assay_quantize_costs_free)

G_END_DECLS
