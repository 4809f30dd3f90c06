/* assay-quantized-model.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "fix/assay-model-save.h"
#include "quantize/assay-quantize-cost.h"
#include "work/assay-work.h"

G_BEGIN_DECLS

/* Operations whose gain is measured if nobody says how many. */
#define ASSAY_QUANTIZE_GAINS 5
#define ASSAY_QUANTIZE_MOST_GAINS 1000
#define ASSAY_QUANTIZE_MOST_RANDOM 100000

/**
 * AssayQuantizeSamples:
 * @paths: (nullable): files and folders of calibration samples
 * @n_random: random samples beside them
 * @seed: of the random ones
 *
 * What a model is calibrated with. Together they are at least one.
 */
typedef struct
{
  const char *const *paths;
  guint n_random;
  guint64 seed;
} AssayQuantizeSamples;

/**
 * AssayQuantizeTrial:
 * @name: what was left out
 * @output_db: SQNR of all outputs together; no number if it was not measured
 *
 * The same model, quantised without what was asked for.
 */
typedef struct
{
  const char *name;
  double output_db;
} AssayQuantizeTrial;

/**
 * AssayQuantizedModel:
 * @written: the quantised model
 * @target: whose verdicts say what is quantised
 * @quantizer: whose rounding was taken
 * @n_samples: calibration samples
 * @random: whether all of them are random
 * @counts: what was quantised
 * @findings: what was found, importing and checking included
 * @costs: (nullable): what it costs, if that was measured
 * @trials: (element-type AssayQuantizeTrial): what the outputs are worth without the options
 * @saved: how the written model was proven
 *
 * A model that was quantised and written.
 */
typedef struct
{
  char *written;
  char *target;
  const AssayQuantizer *quantizer;
  guint n_samples;
  gboolean random;
  AssayQuantizeCounts counts;
  AssayFindings *findings;
  AssayQuantizeCosts *costs;
  GArray *trials;
  AssayModelSave saved;
} AssayQuantizedModel;

AssayQuantizedModel *assay_quantized_model_new (AssayWork *work,
                                                const AssayQuantizeSamples *samples, guint n_gains,
                                                const char *path, const AssayProgress *progress,
                                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_quantized_model_free (AssayQuantizedModel *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayQuantizedModel, assay_quantized_model_free)

G_END_DECLS
