/* assay-small-float.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-dtype.h"

G_BEGIN_DECLS

/**
 * AssayRounding:
 * @ASSAY_ROUNDING_NEAREST: to the nearest number of the type, ties to the even one
 * @ASSAY_ROUNDING_UP: away from zero to the next number of the type
 * @ASSAY_ROUNDING_DOWN: towards zero
 *
 * How a number between two numbers of a type is brought to one of them.
 */
typedef enum
{
  ASSAY_ROUNDING_NEAREST,
  ASSAY_ROUNDING_UP,
  ASSAY_ROUNDING_DOWN,
} AssayRounding;

gboolean assay_small_float_is (AssayDType dtype);
double assay_small_float_decode (AssayDType dtype, guint raw);
guint assay_small_float_encode (AssayDType dtype, double value);
double assay_small_float_round (AssayDType dtype, double value, gboolean saturate,
                                AssayRounding rounding);

G_END_DECLS
