/* assay-dpu-level-rows.h
 * SPDX-License-Identifier: Apache-2.0
 *
 * Loops over rows of channels that the compiler makes vectors of, the same for each level; included
 * by a file that is compiled for one.
 */
#include "backend/dpu/machine/assay-dpu-kernels.h"

static void
accumulate (gint32 *restrict sums, const gint8 *restrict from, const gint8 *restrict weights,
            guint n)
{
  for (guint i = 0; i < n; i++)
    sums[i] += (gint16) (from[i] * weights[i]);
}

static void
finish (const gint32 *restrict sums, const gint64 *restrict bias, guint n, int shift, gint32 low,
        gint32 high, gint8 *restrict results)
{
  gint32 half = (gint32) 1 << (shift - 1);

  for (guint i = 0; i < n; i++)
    {
      gint32 value = (2 * sums[i] + (gint32) bias[i] + half) >> shift;

      value = value < low ? low : value;
      results[i] = (gint8) (value > high ? high : value);
    }
}
