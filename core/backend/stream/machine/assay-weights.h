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

/**
 * AssayProduct:
 * @placed: which placed matrix
 * @first_row: the first output that is wanted, a multiple of %ASSAY_PANEL
 * @n_rows: how many are
 * @acc: accumulators, as many as the matrix has outputs
 * @x: the input vector
 *
 * Rows of a matrix times a vector, to be added to accumulators.
 */
typedef struct
{
  guint placed;
  guint32 first_row;
  guint32 n_rows;
  float *acc;
  const float *x;
} AssayProduct;

AssayWeights *assay_weights_new (const AssayStreamCode *code, gboolean fp32,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_weights_free (AssayWeights *self);
void assay_weights_multiply (const AssayWeights *self, const AssayKernels *kernels,
                             const AssayProduct *products, guint n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayWeights, assay_weights_free)

G_END_DECLS
