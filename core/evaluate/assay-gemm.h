/* assay-gemm.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "evaluate/assay-kernel.h"

G_BEGIN_DECLS

/**
 * AssayGemm:
 * @storage: f32 or f64
 * @m: rows of the result
 * @n: columns of the result
 * @k: columns of the left, rows of the right matrix
 * @transpose_a: whether the left matrix is stored as its transpose
 * @transpose_b: whether the right matrix is stored as its transpose
 * @lda: elements from row to row of the left matrix as stored
 * @ldb: elements from row to row of the right matrix as stored
 * @ldc: elements from row to row of the result
 * @alpha: factor of the product
 * @beta: factor of what is in the result before
 *
 * A product of two matrices, row major.
 */
typedef struct
{
  AssayDType storage;
  gsize m;
  gsize n;
  gsize k;
  gboolean transpose_a;
  gboolean transpose_b;
  gsize lda;
  gsize ldb;
  gsize ldc;
  double alpha;
  double beta;
} AssayGemm;

/**
 * AssayGemmItem:
 * @a: left matrix
 * @b: right matrix
 * @c: result
 *
 * The matrices of one of several products of the same shape.
 */
typedef struct
{
  gconstpointer a;
  gconstpointer b;
  gpointer c;
} AssayGemmItem;

void assay_gemm_run (const AssayGemm *self, gconstpointer a, gconstpointer b, gpointer c);
void assay_gemm_batch (const AssayGemm *self, AssayKernel *kernel, gsize n_items,
                       const AssayGemmItem *items);

G_END_DECLS
