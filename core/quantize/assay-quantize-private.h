/* assay-quantize-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/analysis/assay-analysis.h"
#include "nnir/assay-graph-builder.h"
#include "quantize/assay-quantize.h"

G_BEGIN_DECLS

#define ASSAY_N_POSITIONS (ASSAY_POSITION_MOST - ASSAY_POSITION_LEAST + 1)

/**
 * AssayQuantPoint:
 * @value: the value
 * @node: (nullable): the node that reads it, of a constant
 * @input: which input of it
 * @numbers: (nullable): the elements of a constant
 * @position: where it is
 * @first: where the search found it
 * @votes: of an activation: samples per position
 * @why: (nullable): the constraint that moved it
 * @noise: what is lost at @first and at @position
 * @energy: of the values
 *
 * A value that gets a position.
 */
typedef struct
{
  AssayValueId value;
  AssayNodeId node;
  guint input;
  AssayTensor *numbers;
  int position;
  int first;
  guint votes[ASSAY_N_POSITIONS];
  const char *why;
  double noise[2];
  double energy;
} AssayQuantPoint;

/**
 * AssayQuantization:
 *
 * A graph on its way to positions.
 */
typedef struct
{
  AssayGraph *graph; /* as the device computes it */
  AssayVerdicts *verdicts;
  const AssayQuantizeOptions *options;
  AssayUses *uses;
  GPtrArray *points;             /* AssayQuantPoint */
  AssayQuantPoint **activations; /* per value, NULL for none */
  GHashTable *weights;           /* node << 8 | input to point */
  GArray *order;                 /* AssayNodeId */
} AssayQuantization;

gboolean assay_quantization_is_on_device (const AssayQuantization *self, AssayNodeId node);
AssayQuantPoint *assay_quantization_point (const AssayQuantization *self, AssayValueId value);
AssayQuantPoint *assay_quantization_weight (const AssayQuantization *self, AssayNodeId node,
                                            guint input);
AssayQuantPoint *assay_quantization_result (const AssayQuantization *self, AssayNodeId node);
gboolean assay_quantization_legalise (AssayQuantization *self);
AssayGraph *assay_quantization_write (AssayQuantization *self,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_quantize_moves (AssayOp op);

G_END_DECLS
