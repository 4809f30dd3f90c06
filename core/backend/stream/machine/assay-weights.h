/* assay-weights.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/stream/machine/assay-stream-code.h"

G_BEGIN_DECLS

/**
 * AssayPanels:
 *
 * A placed matrix in the layout of the matrix kernels: panels of 64 outputs, one row of weights per
 * input.
 */
typedef struct _AssayPanels AssayPanels;

AssayPanels *assay_panels_new (const AssayMatrix *matrix, const AssayPlacedMatrix *placed,
                               gboolean fp32, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_panels_free (AssayPanels *self);
void assay_panels_multiply (const AssayPanels *self, const AssayKernels *kernels, float *acc,
                            const float *x);

G_END_DECLS
