/* assay-bf16.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>
#include <string.h>

G_BEGIN_DECLS

/* Every NaN that is written is this one, so that results compare bit by bit. */
#define ASSAY_BF16_NAN ((guint16) 0x7fc0)
#define ASSAY_F32_NAN_BITS ((guint32) 0x7fc00000)

static inline guint32
assay_f32_bits (float value)
{
  guint32 bits;

  memcpy (&bits, &value, sizeof bits);
  return bits;
}

static inline float
assay_f32_from_bits (guint32 bits)
{
  float value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

static inline float
assay_bf16_to_f32 (guint16 value)
{
  return assay_f32_from_bits ((guint32) value << 16);
}

/* Round to nearest even, subnormals kept, NaN canonical. */
static inline guint16
assay_bf16_from_f32 (float value)
{
  guint32 bits = assay_f32_bits (value);

  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return ASSAY_BF16_NAN;

  return (guint16) ((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

/* Drops the low half; a NaN stays a NaN. */
static inline guint16
assay_bf16_truncate_f32 (float value)
{
  guint32 bits = assay_f32_bits (value);

  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return ASSAY_BF16_NAN;

  return (guint16) (bits >> 16);
}

float assay_f16_to_f32 (guint16 value);
guint16 assay_f16_from_f32 (float value);

G_END_DECLS
