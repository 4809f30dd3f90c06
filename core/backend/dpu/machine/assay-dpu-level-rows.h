/* assay-dpu-level-rows.h
 * SPDX-License-Identifier: Apache-2.0
 *
 * Loops over rows of channels that the compiler makes vectors of, the same for each level; included
 * by a file that is compiled for one.
 */
#include "backend/dpu/machine/assay-dpu-kernels.h"

#include <string.h>

/* Few channels are to become a vector too: the compiler makes as long ones as bytes allow. */
#define GROUP 16

typedef gint8 GroupBytes __attribute__ ((vector_size (GROUP)));
typedef gint32 GroupSums __attribute__ ((vector_size (4 * GROUP)));
typedef gint64 GroupBias __attribute__ ((vector_size (8 * GROUP)));

static void
accumulate (gint32 *restrict sums, const gint8 *restrict from, const gint8 *restrict weights,
            guint n)
{
  for (guint i = 0; i < n; i++)
    sums[i] += (gint16) (from[i] * weights[i]);
}

/* The product with a power of two is exact, and so is what is left of it when it is cut off. */
static void
fix (const float *restrict numbers, float factor, guint n, gint8 *restrict results)
{
  for (guint i = 0; i < n; i++)
    {
      float number = numbers[i] * factor;
      float whole;

      number = __builtin_isnan (number) ? 0.0f : number;
      number = number > 127.0f ? 127.0f : number;
      number = number < -128.0f ? -128.0f : number;
      whole = __builtin_floorf (number);
      whole += number - whole >= 0.5f ? 1.0f : 0.0f;
      results[i] = (gint8) (gint32) whole;
    }
}

static void
largest (gint8 *restrict out, const gint8 *restrict from, guint n)
{
  guint i = 0;

  for (; i + GROUP <= n; i += GROUP)
    {
      GroupBytes a, b, more;

      memcpy (&a, out + i, sizeof a);
      memcpy (&b, from + i, sizeof b);
      more = a > b;
      a = (a & more) | (b & ~more);
      memcpy (out + i, &a, sizeof a);
    }
  for (; i < n; i++)
    out[i] = out[i] > from[i] ? out[i] : from[i];
}

static void
sum (const gint8 *restrict a, const gint8 *restrict b, int a_shift, int b_shift, gsize n, int shift,
     gint32 low, gint32 high, gint8 *restrict results)
{
  gint32 half = (gint32) 1 << (shift - 1);

  for (gsize i = 0; i < n; i++)
    {
      gint32 value = ((4 * a[i] >> a_shift) + (4 * b[i] >> b_shift) + half) >> shift;

      value = value < low ? low : value;
      results[i] = (gint8) (value > high ? high : value);
    }
}

static void
product (const gint8 *restrict a, const gint8 *restrict b, gsize n, int shift, gint32 low,
         gint32 high, gint8 *restrict results)
{
  const gint32 half = shift > 0 ? (gint32) 1 << (shift - 1) : 0;
  /* Eight bits beyond eight saturate whatever comes. */
  const gint32 factor = shift < 0 ? (gint32) 1 << (shift > -8 ? -shift : 8) : 1;
  const int down = shift > 0 ? shift : 0;

  for (gsize i = 0; i < n; i++)
    {
      gint32 value = (factor * (a[i] * b[i]) + half) >> down;

      value = value < low ? low : value;
      results[i] = (gint8) (value > high ? high : value);
    }
}

static void
finish (const gint32 *restrict sums, const gint64 *restrict bias, guint n, int shift, gint32 low,
        gint32 high, gint8 *restrict results)
{
  gint32 half = (gint32) 1 << (shift - 1);
  guint i = 0;

  for (; i + GROUP <= n; i += GROUP)
    {
      GroupSums sum, below, above;
      GroupBias more;
      GroupBytes bytes;

      memcpy (&sum, sums + i, sizeof sum);
      memcpy (&more, bias + i, sizeof more);
      sum = (2 * sum + __builtin_convertvector(more, GroupSums) + half) >> shift;
      below = sum < low;
      sum = (sum & ~below) | (low & below);
      above = sum > high;
      sum = (sum & ~above) | (high & above);
      bytes = __builtin_convertvector(sum, GroupBytes);
      memcpy (results + i, &bytes, sizeof bytes);
    }
  for (; i < n; i++)
    {
      gint32 value = (2 * sums[i] + (gint32) bias[i] + half) >> shift;

      value = value < low ? low : value;
      results[i] = (gint8) (value > high ? high : value);
    }
}
