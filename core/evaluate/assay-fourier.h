/* assay-fourier.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "evaluate/assay-kernel.h"

G_BEGIN_DECLS

/**
 * AssayFourier:
 *
 * The discrete Fourier transform of one length, prepared. It may be used by several threads at a
 * time.
 */
typedef struct _AssayFourier AssayFourier;

AssayFourier *assay_fourier_new (AssayKernel *kernel, gsize n,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_fourier_free (AssayFourier *self);
gsize assay_fourier_scratch (const AssayFourier *self);
void assay_fourier_transform (const AssayFourier *self, double *values, double *scratch);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayFourier, assay_fourier_free)

G_END_DECLS
