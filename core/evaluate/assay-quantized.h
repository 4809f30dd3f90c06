/* assay-quantized.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "evaluate/assay-kernel.h"

G_BEGIN_DECLS

/**
 * AssayQuantizedFactor:
 * @datum: (nullable): a scale or zero point
 * @rank: rank of the tensor that it is for
 * @dims: (array length=rank): its dimensions
 * @strides: (array length=rank): step of the factor along each of them
 *
 * A scale or zero point that is for a whole tensor, for each row, column or channel, or for each
 * matrix.
 */
typedef struct
{
  const AssayDatum *datum;
  guint rank;
  const gint64 *dims;
  gssize strides[ASSAY_MAX_RANK];
} AssayQuantizedFactor;

gboolean assay_quantized_factor_init (AssayQuantizedFactor *self, AssayKernel *kernel, guint input,
                                      guint rank, const gint64 *dims, guint vector_axis,
                                      GError **error);
double assay_quantized_factor_at (const AssayQuantizedFactor *self, gsize index, double fallback);
AssayDatum *assay_quantized_centre (AssayKernel *kernel, guint input, guint zero_point,
                                    guint vector_axis, GError **error) G_GNUC_WARN_UNUSED_RESULT;
double assay_quantized_saturate (AssayDType dtype, double value);

G_END_DECLS
