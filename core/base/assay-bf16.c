/* assay-bf16.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/assay-bf16.h"

#include <math.h>

/**
 * assay_f16_to_f32:
 * @value: IEEE 754 binary16 bits
 *
 * Widens a binary16 to a float, which is always exact.
 *
 * Returns: the same value as a float
 */
float
assay_f16_to_f32 (guint16 value)
{
  guint32 sign = (guint32) (value & 0x8000u) << 16;
  guint32 exponent = (value >> 10) & 0x1fu;
  guint32 mantissa = value & 0x3ffu;

  if (exponent == 0x1f)
    return assay_f32_from_bits (sign | 0x7f800000u | mantissa << 13);

  if (exponent == 0)
    {
      float magnitude = (float) mantissa * 0x1p-24f;

      return sign != 0 ? -magnitude : magnitude;
    }

  return assay_f32_from_bits (sign | (exponent + 112) << 23 | mantissa << 13);
}

/**
 * assay_f16_from_f32:
 * @value: a float
 *
 * Narrows a float to binary16, rounding to nearest even, with overflow to infinity and subnormals
 * kept.
 *
 * Returns: the binary16 bits
 */
guint16
assay_f16_from_f32 (float value)
{
  guint32 bits = assay_f32_bits (value);
  guint16 sign = (guint16) ((bits >> 16) & 0x8000u);
  guint32 magnitude = bits & 0x7fffffffu;

  if (magnitude > 0x7f800000u)
    return (guint16) (sign | 0x7e00u);
  if (magnitude >= 0x47800000u)
    return (guint16) (sign | 0x7c00u);

  if (magnitude < 0x38800000u)
    {
      /* The multiplication is exact and rint rounds to even in the default mode. */
      float scaled = assay_f32_from_bits (magnitude) * 0x1p24f;

      return (guint16) (sign | (guint16) rintf (scaled));
    }

  magnitude += 0xfffu + ((magnitude >> 13) & 1u);
  magnitude -= 112u << 23;
  magnitude >>= 13;

  return (guint16) (sign | (magnitude > 0x7c00u ? 0x7c00u : magnitude));
}
