/* assay-blas.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <cblas.h>
#include <glib.h>

G_BEGIN_DECLS

/**
 * AssayBlas:
 *
 * The functions of OpenBLAS that products go through.
 */
typedef struct
{
  __typeof__ (cblas_sgemm) *sgemm;
  __typeof__ (cblas_dgemm) *dgemm;
  __typeof__ (cblas_sgemv) *sgemv;
  __typeof__ (cblas_dgemv) *dgemv;
} AssayBlas;

const AssayBlas *assay_blas_begin (void);
void assay_blas_end (void);
gboolean assay_blas_check (GError **error);

G_END_DECLS
