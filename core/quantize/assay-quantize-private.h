/* assay-quantize-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/analysis/assay-analysis.h"
#include "evaluate/assay-datum.h"
#include "nnir/assay-graph-builder.h"
#include "nnir/assay-node-product.h"
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
 * @floor: the least position that the device has for it
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
  int floor;
  int first;
  guint votes[ASSAY_N_POSITIONS];
  const char *why;
  double noise[2];
  double energy;
} AssayQuantPoint;

/**
 * AssayQuantLayout:
 * @n: elements of the weight
 * @rows: extent of its first dimension
 * @columns: of its second one
 * @inner: elements behind these
 * @n_outputs: channels that it makes
 * @n_inputs: channels that it reads
 * @outputs_first: whether the first dimension is that of the outputs
 * @depthwise: whether each output reads one input
 *
 * Which channels the elements of a weight belong to.
 */
typedef struct
{
  gsize n;
  gsize rows;
  gsize columns;
  gsize inner;
  gsize n_outputs;
  gsize n_inputs;
  gboolean outputs_first;
  gboolean depthwise;
} AssayQuantLayout;

typedef struct _AssayQuantMean AssayQuantMean;

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
  GHashTable *means;             /* value to AssayQuantMean, of what biases are corrected by */
} AssayQuantization;

gboolean assay_quantization_is_on_device (const AssayQuantization *self, AssayNodeId node);
AssayQuantPoint *assay_quantization_point (const AssayQuantization *self, AssayValueId value);
AssayQuantPoint *assay_quantization_weight (const AssayQuantization *self, AssayNodeId node,
                                            guint input);
AssayQuantPoint *assay_quantization_result (const AssayQuantization *self, AssayNodeId node);
gboolean assay_quantization_legalise (AssayQuantization *self);
AssayGraph *assay_quantization_write (AssayQuantization *self,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
AssayValueId assay_quantize_take_constant (AssayGraph *graph, const char *name,
                                           AssayTensor *tensor);

gboolean assay_quant_layout_read (AssayQuantLayout *self, const AssayGraph *graph, AssayNodeId id);
void assay_quant_layout_find (const AssayQuantLayout *self, gsize element, gsize *output,
                              gsize *input);
void assay_quant_mean_free (gpointer data);
guint assay_quantization_equalize (AssayGraph *graph, AssayVerdicts *verdicts);
void assay_quantization_want_means (AssayQuantization *self);
void assay_quantization_add_means (AssayQuantization *self, AssayValueId value,
                                   const AssayDatum *datum);
gboolean assay_quantization_correct (AssayQuantization *self, guint *n, GError **error);

G_END_DECLS
