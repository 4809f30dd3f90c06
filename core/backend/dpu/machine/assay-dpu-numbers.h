/* assay-dpu-numbers.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What the device does with one number. Everything is exact in integers: a half is added and cut
 * off, which rounds it up as the device does, and what is too large saturates. */

static inline gint8
assay_dpu_saturate (gint64 number)
{
  return (gint8) (number < -128 ? -128 : number > 127 ? 127 : number);
}

/* A number over two to the shift, which may be negative, rounded. */
static inline gint64
assay_dpu_shift (gint64 number, int shift)
{
  if (shift > 62)
    return 0;
  if (shift > 0)
    return (number + ((gint64) 1 << (shift - 1))) >> shift;
  if (number == 0)
    return 0;

  /* 20 bits beyond 8 saturate whatever comes. */
  return number * ((gint64) 1 << MIN (-shift, 20));
}

/* The same without rounding: cut off towards negative infinity. */
static inline gint64
assay_dpu_floor (gint64 number, int shift)
{
  return shift > 62 ? (number < 0 ? -1 : 0) : number >> shift;
}

/* The hard sigmoid of a number of 8 bits at a position, over two to the shift:
 * (x / 6 + 1 / 2) * 2^14 with 2731 for 2^14 / 6. */
static inline gint8
assay_dpu_hard_sigmoid (gint8 number, int position, int shift)
{
  gint64 sum = (gint64) number * 2731 + ((gint64) 3 * 2731 << MIN (position, 40));

  return assay_dpu_saturate (assay_dpu_shift (CLAMP (sum, 0, (gint64) 1 << 32), shift));
}

/* Hard swish: the number times its hard sigmoid at position 7. */
static inline gint8
assay_dpu_hard_swish (gint8 number, int position, int shift)
{
  gint8 gate = assay_dpu_hard_sigmoid (number, position, 14 + position - 7);

  return assay_dpu_saturate (assay_dpu_shift ((gint64) number * gate, shift));
}

/* What stands for the division of an average over n elements: a factor over two to a shift. */
typedef struct
{
  guint32 factor;
  int shift;
} AssayDpuFactor;

AssayDpuFactor assay_dpu_average_factor (guint height, guint width);

G_END_DECLS
