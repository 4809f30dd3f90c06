/* assay-calibration.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "run/assay-run-subject.h"

G_BEGIN_DECLS

/**
 * AssayCalibration:
 *
 * Samples of the inputs of a model, from files that are read when it is their turn, or random.
 */
typedef struct _AssayCalibration AssayCalibration;

AssayCalibration *assay_calibration_new (const GArray *ports) G_GNUC_WARN_UNUSED_RESULT;
void assay_calibration_free (AssayCalibration *self);
gboolean assay_calibration_add_path (AssayCalibration *self, const char *path,
                                     const AssayProgress *progress, GError **error);
void assay_calibration_add_random (AssayCalibration *self, guint n, guint64 seed);
guint assay_calibration_get_n_samples (const AssayCalibration *self);
GPtrArray *assay_calibration_make (AssayCalibration *self, guint index,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayCalibration, assay_calibration_free)

G_END_DECLS
