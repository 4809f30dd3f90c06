/* assay-small-float.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/assay-small-float.h"

#include <math.h>

/* What a type does with its topmost codes. */
typedef enum
{
  SPECIALS_NONE,   /* every code is a finite number */
  SPECIALS_IEEE,   /* the top exponent holds infinities and NaNs */
  SPECIALS_NAN,    /* all ones is NaN, there is no infinity */
  SPECIALS_UNIQUE, /* what would be minus zero is NaN, there is no infinity */
} Specials;

typedef struct
{
  guint8 exponent_bits;
  guint8 mantissa_bits;
  gint16 bias;
  Specials specials;
  double max;
} Format;

/* Formats of the ONNX IR specification (onnx.proto, IR version 12) and its pages on float8 and
 * float4. */
static const Format formats[ASSAY_N_DTYPES] = {
  [ASSAY_DTYPE_F16] = { 5, 10, 15, SPECIALS_IEEE, 65504.0 },
  [ASSAY_DTYPE_BF16] = { 8, 7, 127, SPECIALS_IEEE, 0x1.fep127 },
  [ASSAY_DTYPE_F8E4M3FN] = { 4, 3, 7, SPECIALS_NAN, 448.0 },
  [ASSAY_DTYPE_F8E4M3FNUZ] = { 4, 3, 8, SPECIALS_UNIQUE, 240.0 },
  [ASSAY_DTYPE_F8E5M2] = { 5, 2, 15, SPECIALS_IEEE, 57344.0 },
  [ASSAY_DTYPE_F8E5M2FNUZ] = { 5, 2, 16, SPECIALS_UNIQUE, 57344.0 },
  [ASSAY_DTYPE_F4E2M1] = { 2, 1, 1, SPECIALS_NONE, 6.0 },
};

/**
 * assay_small_float_is:
 * @dtype: an element type
 *
 * Tells whether a type is a floating point type of 16 bits or fewer.
 *
 * Returns: whether the other functions of this file take it
 */
gboolean
assay_small_float_is (AssayDType dtype)
{
  return formats[dtype].max != 0.0 || dtype == ASSAY_DTYPE_F8E8M0;
}

/**
 * assay_small_float_decode:
 * @dtype: a floating point type of 16 bits or fewer
 * @raw: its code, from bit 0
 *
 * Reads one number.
 *
 * Returns: the number, which is exact
 */
double
assay_small_float_decode (AssayDType dtype, guint raw)
{
  const Format *format = &formats[dtype];
  guint sign = raw >> (format->exponent_bits + format->mantissa_bits) & 1u;
  guint top = (1u << format->exponent_bits) - 1u;
  guint exponent = raw >> format->mantissa_bits & top;
  guint mantissa = raw & ((1u << format->mantissa_bits) - 1u);
  double magnitude;

  if (dtype == ASSAY_DTYPE_F8E8M0)
    return raw == 0xff ? NAN : ldexp (1.0, (int) raw - 127);

  if (format->specials == SPECIALS_UNIQUE && sign == 1 && exponent == 0 && mantissa == 0)
    return NAN;
  if (format->specials == SPECIALS_NAN && exponent == top &&
      mantissa == (1u << format->mantissa_bits) - 1u)
    return NAN;
  if (format->specials == SPECIALS_IEEE && exponent == top)
    return mantissa != 0 ? NAN : (sign != 0 ? -INFINITY : INFINITY);

  if (exponent == 0)
    magnitude = ldexp (mantissa, 1 - format->bias - format->mantissa_bits);
  else
    magnitude = ldexp ((1u << format->mantissa_bits) + mantissa,
                       (int) exponent - format->bias - format->mantissa_bits);

  return sign != 0 ? -magnitude : magnitude;
}

/**
 * assay_small_float_encode:
 * @dtype: a floating point type of 16 bits or fewer
 * @value: a number that the type has, such as one from assay_small_float_round()
 *
 * Writes one number. A NaN becomes the positive quiet one, or minus zero in a type that has none.
 *
 * Returns: the code, from bit 0
 */
guint
assay_small_float_encode (AssayDType dtype, double value)
{
  const Format *format = &formats[dtype];
  guint sign_shift = (guint) format->exponent_bits + format->mantissa_bits;
  guint top = (1u << format->exponent_bits) - 1u;
  guint sign = signbit (value) ? 1u << sign_shift : 0;
  int exponent;
  double fraction;

  if (dtype == ASSAY_DTYPE_F8E8M0)
    return isnan (value) ? 0xffu : (guint) CLAMP (ilogb (value) + 127, 0, 254);

  if (isnan (value))
    {
      switch (format->specials)
        {
        case SPECIALS_UNIQUE:
          return 1u << sign_shift;
        case SPECIALS_IEEE:
          return top << format->mantissa_bits | 1u << (format->mantissa_bits - 1);
        case SPECIALS_NAN:
          return (1u << sign_shift) - 1u;
        case SPECIALS_NONE:
        default:
          return 1u << sign_shift;
        }
    }
  if (isinf (value))
    return sign |
           (format->specials == SPECIALS_IEEE ? top << format->mantissa_bits
                                              : assay_small_float_encode (dtype, format->max));
  if (value == 0.0)
    return format->specials == SPECIALS_UNIQUE ? 0 : sign;

  fraction = frexp (fabs (value), &exponent);
  exponent += format->bias - 1;
  if (exponent <= 0)
    return sign | (guint) ldexp (fabs (value), format->bias - 1 + format->mantissa_bits);

  return sign | (guint) exponent << format->mantissa_bits |
         ((guint) ldexp (fraction, format->mantissa_bits + 1) &
          ((1u << format->mantissa_bits) - 1u));
}

static double
round_scale (double value, gboolean saturate, AssayRounding rounding)
{
  int exponent;
  double fraction;

  if (isnan (value) || (isinf (value) && !saturate))
    return NAN;
  if (value <= 0.0)
    return saturate ? 0x1p-127 : NAN;
  if (isinf (value))
    return 0x1p127;

  fraction = frexp (value, &exponent);
  exponent--;
  /* The bits behind the leading one decide: any of them rounds up, half of them rounds to the
   * nearest. */
  if ((rounding == ASSAY_ROUNDING_UP && fraction > 0.5) ||
      (rounding == ASSAY_ROUNDING_NEAREST && fraction >= 0.75))
    exponent++;
  if ((exponent > 127 || exponent < -127) && !saturate)
    return NAN;

  return ldexp (1.0, CLAMP (exponent, -127, 127));
}

/**
 * assay_small_float_round:
 * @dtype: a floating point type of 16 bits or fewer
 * @value: a number
 * @saturate: whether what is too large becomes the largest number instead of infinity, or NaN where
 * a type has no infinity; a type without either saturates always
 * @rounding: which way, for f8e8m0; the others round to nearest
 *
 * Brings a number to the nearest one of a type, as Cast of the ONNX specification says.
 *
 * Returns: a number of the type
 */
double
assay_small_float_round (AssayDType dtype, double value, gboolean saturate, AssayRounding rounding)
{
  const Format *format = &formats[dtype];
  double quantum, rounded;
  int exponent;

  if (dtype == ASSAY_DTYPE_F8E8M0)
    return round_scale (value, saturate, rounding);

  if (format->specials == SPECIALS_NONE)
    saturate = TRUE;
  if (isnan (value))
    return format->specials == SPECIALS_NONE ? -0.0 : value;
  if (value == 0.0)
    return format->specials == SPECIALS_UNIQUE ? 0.0 : value;

  if (isinf (value))
    rounded = value;
  else
    {
      frexp (value, &exponent);
      quantum = ldexp (1.0, MAX (exponent - 1, 1 - format->bias) - format->mantissa_bits);
      rounded = nearbyint (value / quantum) * quantum;
    }

  if (fabs (rounded) > format->max)
    {
      /* Saturation of f16 and bf16 does not exist: ONNX has it for the types of 8 bits and fewer.
       */
      if (saturate && format->exponent_bits + format->mantissa_bits < 15)
        return copysign (format->max, value);
      return format->specials == SPECIALS_IEEE ? copysign (INFINITY, value) : NAN;
    }
  if (rounded == 0.0 && format->specials == SPECIALS_UNIQUE)
    return 0.0;

  return rounded;
}
