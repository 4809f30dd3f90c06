/* assay-quantize-report.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "fix/assay-quantized-model.h"
#include "text/assay-json-writer.h"

G_BEGIN_DECLS

char **
assay_quantize_report_list_sentences (const AssayQuantizedModel *self) G_GNUC_WARN_UNUSED_RESULT;
char *assay_quantize_report_to_text (const AssayQuantizedModel *self, gboolean colours,
                                     gsize *length) G_GNUC_WARN_UNUSED_RESULT;
char *assay_quantize_report_to_json (const AssayQuantizedModel *self, const char *path,
                                     gsize *length) G_GNUC_WARN_UNUSED_RESULT;
void assay_quantize_report_write_loss (AssayJsonWriter *json, const AssayQuantizeLoss *loss);

G_END_DECLS
