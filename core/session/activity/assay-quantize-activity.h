/* assay-quantize-activity.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "fix/assay-quantized-model.h"
#include "session/activity/assay-activity.h"

G_BEGIN_DECLS

/**
 * AssayQuantizeActivity:
 *
 * The model of the session, with its fixes, in 8 bits: calibrated, measured and written beside it,
 * as `assay quantize` does. What is rounded and corrected how is in the setup of the session.
 */
#define ASSAY_TYPE_QUANTIZE_ACTIVITY (assay_quantize_activity_get_type ())

G_DECLARE_FINAL_TYPE (AssayQuantizeActivity, assay_quantize_activity, ASSAY, QUANTIZE_ACTIVITY,
                      AssayActivity)

const AssayQuantizeSamples *assay_quantize_activity_get_samples (AssayQuantizeActivity *self);
void assay_quantize_activity_add_path (AssayQuantizeActivity *self, const char *path);
void assay_quantize_activity_remove_path (AssayQuantizeActivity *self, const char *path);
void assay_quantize_activity_set_random (AssayQuantizeActivity *self, guint n, guint64 seed);
guint assay_quantize_activity_get_gains (AssayQuantizeActivity *self);
void assay_quantize_activity_set_gains (AssayQuantizeActivity *self, guint n_gains);
const char *assay_quantize_activity_get_refusal (AssayQuantizeActivity *self);
char *assay_quantize_activity_dup_ending (void) G_GNUC_WARN_UNUSED_RESULT;
void assay_quantize_activity_start (AssayQuantizeActivity *self, const char *path);
const AssayQuantizedModel *assay_quantize_activity_get_result (AssayQuantizeActivity *self);

G_END_DECLS
