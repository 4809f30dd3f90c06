/* assay-quantize-report.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "fix/assay-model-save.h"
#include "quantize/assay-quantize-cost.h"
#include "text/assay-json-writer.h"

G_BEGIN_DECLS

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
 * AssayQuantizeReport:
 * @path: the model
 * @written: the quantised model
 * @target: whose verdicts say what is quantised
 * @quantizer: whose rounding was taken
 * @n_samples: calibration samples
 * @random: whether all of them are random
 * @counts: what was quantised
 * @findings: what was found
 * @costs: (nullable): what it costs, if that was measured
 * @trials: (element-type AssayQuantizeTrial): what the outputs are worth without the options
 * @saved: how the written model was proven
 *
 * What became of quantising a model.
 */
typedef struct
{
  const char *path;
  const char *written;
  const char *target;
  const AssayQuantizer *quantizer;
  guint n_samples;
  gboolean random;
  AssayQuantizeCounts counts;
  AssayFindings *findings;
  const AssayQuantizeCosts *costs;
  const GArray *trials;
  const AssayModelSave *saved;
} AssayQuantizeReport;

char *assay_quantize_report_to_text (const AssayQuantizeReport *self, gboolean colours,
                                     gsize *length) G_GNUC_WARN_UNUSED_RESULT;
char *assay_quantize_report_to_json (const AssayQuantizeReport *self,
                                     gsize *length) G_GNUC_WARN_UNUSED_RESULT;
void assay_quantize_report_write_loss (AssayJsonWriter *json, const AssayQuantizeLoss *loss);

G_END_DECLS
