/* assay-weights.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "backend/stream/machine/assay-stream-code.h"

G_BEGIN_DECLS

/**
 * AssayWeights:
 *
 * The placed matrices of a program in the layout of the matrix kernels: panels of 64 outputs, one
 * row of weights per input. They lie behind one another in the order in which the program reads
 * them.
 */
typedef struct _AssayWeights AssayWeights;

AssayWeights *assay_weights_new (const AssayStreamCode *code, gboolean fp32,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_weights_free (AssayWeights *self);
void assay_weights_multiply (const AssayWeights *self, guint placed, const AssayKernels *kernels,
                             guint32 first_row, guint32 n_rows, float *acc, const float *x);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayWeights, assay_weights_free)

G_END_DECLS
