/* assay-matmul.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "evaluate/assay-gemm.h"

G_BEGIN_DECLS

/**
 * AssayMatmul:
 * @rank: rank of the result
 * @dims: (array length=rank): its dimensions
 * @m: rows of each product
 * @n: columns of each product
 * @k: length of the sums
 * @batch_rank: number of leading dimensions of the result
 * @batch: (array length=batch_rank): the leading dimensions
 * @n_batch: their product
 *
 * The matrices of a batched product as MatMul of the ONNX specification sees them: all but the last
 * two dimensions broadcast, a vector is a row on the left and a column on the right.
 */
typedef struct
{
  guint rank;
  gint64 dims[ASSAY_MAX_RANK];
  gsize m;
  gsize n;
  gsize k;
  guint batch_rank;
  gint64 batch[ASSAY_MAX_RANK];
  gsize n_batch;
} AssayMatmul;

gboolean assay_matmul_shapes (AssayKernel *kernel, AssayDatum *a, AssayDatum *b, AssayMatmul *self,
                              GError **error);
AssayGemmItem *assay_matmul_items (const AssayMatmul *self, AssayKernel *kernel,
                                   const AssayDatum *a, const AssayDatum *b, AssayDatum *c,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_matmul_run (const AssayMatmul *self, AssayKernel *kernel, const AssayDatum *a,
                       const AssayDatum *b, AssayDatum *c);

G_END_DECLS
