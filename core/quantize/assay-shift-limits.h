/* assay-shift-limits.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AssayShiftRange:
 * @least: the smallest shift
 * @most: the largest
 *
 * Shifts that the device has.
 */
typedef struct
{
  int least;
  int most;
} AssayShiftRange;

/* Of a sum of products to its result. */
static inline AssayShiftRange
assay_shift_limits_cut (void)
{
  return (AssayShiftRange){ 0, 16 };
}

/* Of a bias to the sum that it is added to: an accumulator has 24 bits. */
static inline AssayShiftRange
assay_shift_limits_bias (int shift_cut)
{
  return (AssayShiftRange){ MIN (0, -(24 - (8 + shift_cut))), 16 };
}

/* Of what is added to the smallest position among them. */
static inline AssayShiftRange
assay_shift_limits_read (void)
{
  return (AssayShiftRange){ 0, 15 };
}

/* Of a sum of two to its result. */
static inline AssayShiftRange
assay_shift_limits_write (void)
{
  return (AssayShiftRange){ -15, 15 };
}

G_END_DECLS
