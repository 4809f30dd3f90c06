/* assay-quantize.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-finding.h"
#include "base/assay-progress.h"
#include "quantize/assay-position.h"
#include "target/assay-verdict.h"

G_BEGIN_DECLS

/**
 * AssayQuantizeSource:
 * @index: which sample, from 0
 * @data: the data given with the function
 * @error: return location for a #GError
 *
 * Gives the inputs of one calibration sample.
 *
 * Returns: (transfer full) (nullable) (element-type AssayTensor): a tensor per input of the model
 * that is no parameter
 */
typedef GPtrArray *(*AssayQuantizeSource) (guint index, gpointer data, GError **error);

/**
 * AssayQuantizeOptions:
 * @quantizer: the tool whose rounding is taken
 * @source: gives the calibration samples
 * @source_data: for @source
 * @n_samples: how many there are, at least one
 * @equalize: whether layers that stand behind each other share what their channels differ by
 * @correct_bias: whether a bias takes back what rounding weights moves on average
 * @findings: gets every position that had to move
 *
 * How a model is quantised.
 */
typedef struct
{
  const AssayQuantizer *quantizer;
  AssayQuantizeSource source;
  gpointer source_data;
  guint n_samples;
  gboolean equalize;
  gboolean correct_bias;
  AssayFindings *findings;
} AssayQuantizeOptions;

/**
 * AssayQuantizeCounts:
 * @n_activations: values that got a position
 * @n_weights: constants that got one
 * @n_equalized: pairs of layers that were equalised
 * @n_corrected: biases that were corrected
 * @n_moved: positions that were moved because the device has no such shift
 *
 * What was quantised: assay_quantize_prepare() begins to count, and assay_quantize() goes on.
 */
typedef struct
{
  guint n_activations;
  guint n_weights;
  guint n_equalized;
  guint n_corrected;
  guint n_moved;
} AssayQuantizeCounts;

gboolean assay_quantize_moves (AssayOp op);
AssayGraph *assay_quantize_prepare (AssayVerdicts *verdicts, const AssayQuantizeOptions *options,
                                    AssayQuantizeCounts *counts) G_GNUC_WARN_UNUSED_RESULT;
AssayGraph *assay_quantize (AssayVerdicts *verdicts, AssayGraph *prepared,
                            const AssayQuantizeOptions *options, AssayQuantizeCounts *counts,
                            const AssayProgress *progress,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
