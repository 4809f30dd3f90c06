/* assay-quantize-cost.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "quantize/assay-quantize.h"

G_BEGIN_DECLS

/**
 * AssayQuantizeCost:
 * @value: name of the value
 * @node: name of the node that makes it
 * @op_type: its operation
 * @position: where the value is
 * @own_db: SQNR of the value if all that goes into its operation is as in float
 * @total_db: SQNR of the value as it is
 * @has_gain: whether the gains were measured
 * @float_db: by how much the SQNR of the outputs grows if the value is left in float
 * @other: the neighbouring position with which the outputs are best, @position if none is better
 * @other_db: by how much their SQNR grows with it
 *
 * What quantising one operation costs, against the model in float.
 */
typedef struct
{
  const char *value;
  const char *node;
  const char *op_type;
  int position;
  double own_db;
  double total_db;
  gboolean has_gain;
  double float_db;
  int other;
  double other_db;
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
