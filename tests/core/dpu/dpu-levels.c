/* dpu-levels.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every level of the product in 8 bits that was linked in, against sums that are written down here.
 * Calls nothing of GLib, so that it can be built for another processor and run by an emulator.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/dpu/machine/assay-dpu-kernels.h"

#define LEVEL(symbol, test) extern const AssayDpuLevel symbol;
#include "backend/dpu/machine/assay-dpu-levels.def"
#undef LEVEL

#define MAX_ROWS 15
#define MAX_DEPTH 200
#define MAX_OUTPUTS 150
#define MAX_FILLED 256
#define MAX_CHANNELS 200
#define MAX_KERNEL 8

static unsigned long long state = 88172645463325252ull;

static gint8
draw (int extreme)
{
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;

  return (gint8) (extreme ? (state & 1 ? -128 : 127) : (int) (state & 255) - 128);
}

static unsigned
fill_up (unsigned n, unsigned unit)
{
  return (n + unit - 1) / unit * unit;
}

/* One product, all of whose sums have to be the same. */
static int
check (const AssayDpuLevel *level, unsigned m, unsigned k, unsigned n, int extreme)
{
  static gint8 rows[MAX_ROWS * MAX_FILLED], weights[MAX_OUTPUTS * MAX_DEPTH];
  static gint8 packed[MAX_FILLED * MAX_FILLED];
  static gint32 sums[MAX_ROWS * MAX_FILLED], column_sums[MAX_FILLED];
  unsigned depth = fill_up (k, level->step), outputs = fill_up (n, level->lanes);

  memset (rows, 0, sizeof rows);
  memset (packed, 0, sizeof packed);
  memset (column_sums, 0, sizeof column_sums);
  for (unsigned i = 0; i < m; i++)
    for (unsigned j = 0; j < k; j++)
      rows[i * depth + j] = draw (extreme);
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = 0; j < k; j++)
      {
        gint8 *group = packed + i / level->lanes * depth * level->lanes +
                       i % level->lanes * level->step;

        weights[i * k + j] = draw (extreme);
        group[j / level->step * level->step * level->lanes + j % level->step] = weights[i * k + j];
        column_sums[i] += weights[i * k + j];
      }
  level->gemm (rows, depth, m, packed, column_sums, depth, outputs, sums);
  for (unsigned i = 0; i < m; i++)
    for (unsigned j = 0; j < n; j++)
      {
        gint32 sum = 0;

        for (unsigned l = 0; l < k; l++)
          sum += rows[i * depth + l] * weights[j * k + l];
        if (sums[i * outputs + j] != sum)
          {
            printf ("%s: %u x %u x %u: row %u, output %u is %d, expected %d\n", level->name, m, k,
                    n, i, j, sums[i * outputs + j], sum);
            return 0;
          }
      }

  return 1;
}

/* Each channel for itself, with a window that goes over the border, against a loop over all
 * indices; with extremes alone an instruction that saturates on the way shows. */
static int
check_channels (const AssayDpuLevel *level, unsigned channels, unsigned kernel, unsigned step,
                int extreme)
{
  static gint8 in[8 * 9 * MAX_CHANNELS], weights[MAX_KERNEL * MAX_KERNEL * MAX_CHANNELS];
  static gint8 results[9 * 10 * MAX_CHANNELS];
  static gint64 bias[MAX_CHANNELS];
  const unsigned pad = kernel / 2, oh = (8 + 2 * pad - kernel) / step + 1;
  const unsigned ow = (9 + 2 * pad - kernel) / step + 1;
  const AssayDpuWindow window = { 1,      8,    9,    channels, oh, ow,        channels, kernel,
                                  kernel, step, step, 1,        1,  (int) pad, (int) pad };
  const int shift = 10;

  for (unsigned i = 0; i < 8 * 9 * channels; i++)
    in[i] = draw (extreme);
  for (unsigned i = 0; i < kernel * kernel * channels; i++)
    weights[i] = draw (extreme);
  for (unsigned i = 0; i < channels; i++)
    bias[i] = draw (0) * 64;
  level->channels (&window, in, weights, bias, shift, 0, 96, results);
  for (unsigned i = 0; i < oh * ow * channels; i++)
    {
      int top = (int) (i / channels / ow * step) - (int) pad;
      int left = (int) (i / channels % ow * step) - (int) pad;
      unsigned c = i % channels;
      long long number = bias[c] + (1ll << (shift - 1));

      for (int y = 0; y < (int) kernel; y++)
        for (int x = 0; x < (int) kernel; x++)
          if (top + y >= 0 && top + y < 8 && left + x >= 0 && left + x < 9)
            number += 2ll * in[(unsigned) ((top + y) * 9 + left + x) * channels + c] *
                      weights[(unsigned) (y * (int) kernel + x) * channels + c];
      number >>= shift;
      if (results[i] != (number < 0 ? 0 : number > 96 ? 96 : number))
        {
          printf ("%s: %u channels, %u x %u / %u: element %u is %d\n", level->name, channels,
                  kernel, kernel, step, i, results[i]);
          return 0;
        }
    }

  return 1;
}

/* Rows of products and of results, each on its own. */
static int
check_rows (const AssayDpuLevel *level, unsigned n)
{
  static gint8 from[MAX_FILLED], weights[MAX_FILLED], results[MAX_FILLED];
  static gint8 largest[MAX_FILLED], products[MAX_FILLED];
  static gint32 sums[MAX_FILLED], before[MAX_FILLED];
  static gint64 bias[MAX_FILLED];
  int shift = (int) (n % 12) + 1;

  for (unsigned i = 0; i < n; i++)
    {
      from[i] = draw (i % 3 == 0);
      weights[i] = draw (i % 5 == 0);
      before[i] = sums[i] = draw (0) * 4096 + draw (0);
      bias[i] = draw (0) * 64;
    }
  level->accumulate (sums, from, weights, n);
  level->finish (sums, bias, n, shift, -128, 127, results);
  for (unsigned i = 0; i < n; i++)
    {
      gint32 sum = before[i] + from[i] * weights[i];
      long long number = (2ll * sum + bias[i] + (1ll << (shift - 1))) >> shift;

      if (sums[i] != sum || results[i] != (number < -128 ? -128 : number > 127 ? 127 : number))
        {
          printf ("%s: a row of %u: element %u is wrong\n", level->name, n, i);
          return 0;
        }
    }
  level->sum (from, weights, shift / 4, 3, n, shift / 3 + 1, -128, 127, results);
  memcpy (largest, from, n);
  level->largest (largest, weights, n);
  level->product (from, weights, n, shift - 2, -128, 127, products);
  for (unsigned i = 0; i < n; i++)
    {
      int product, number = (4 * from[i] >> (shift / 4)) + (4 * weights[i] >> 3);

      number = (number + (1 << (shift / 3))) >> (shift / 3 + 1);
      product = from[i] * weights[i];
      product = shift > 2 ? (product + (1 << (shift - 3))) >> (shift - 2) : product * (4 >> shift);
      if (results[i] != (number < -128  ? -128
                         : number > 127 ? 127
                                        : number) ||
          products[i] != CLAMP (product, -128, 127) ||
          largest[i] != (from[i] > weights[i] ? from[i] : weights[i]))
        {
          printf ("%s: a sum, maximum or product of %u: element %u is wrong\n", level->name, n, i);
          return 0;
        }
    }

  return 1;
}

/* All floats of three quarters of bytes and what lies beside them, at every position of a chip. */
static int
check_fix (const AssayDpuLevel *level)
{
  static const double beside[] = { 0, 0.25, -0.25, 1e-7, -1e-7 };
  static float numbers[MAX_FILLED];
  static gint8 results[MAX_FILLED];

  for (int position = -16; position <= 24; position++)
    for (unsigned i = 0; i < 5; i++)
      {
        double unit = 1;

        for (int j = 0; j < position; j++)
          unit /= 2;
        for (int j = 0; j > position; j--)
          unit *= 2;
        for (unsigned j = 0; j < MAX_FILLED; j++)
          numbers[j] = (float) (((double) j * 1.5 - 190.5) * (1 + beside[i]) * unit);
        numbers[1] = (float) (1e300 * 1e300);
        numbers[2] = -numbers[1];
        numbers[3] = numbers[1] + numbers[2];
        numbers[4] = -1e-30f;
        level->fix (numbers, (float) (1 / unit), MAX_FILLED, results);
        for (unsigned j = 0; j < MAX_FILLED; j++)
          {
            double number = (double) numbers[j] / unit;
            int expected = -128;

            /* Up to the whole number whose half below is not more. */
            while (expected < 127 && expected + 0.5 <= number)
              expected++;
            if (j == 3)
              expected = 0;
            if (results[j] != expected)
              {
                printf ("%s: %g at position %d is %d, expected %d\n", level->name,
                        (double) numbers[j], position, results[j], expected);
                return 0;
              }
          }
      }

  return 1;
}

static int
check_level (const AssayDpuLevel *level)
{
  static const unsigned depths[] = { 1, 2, 3, 4, 5, 7, 8, 15, 16, 27, 64, 199 };
  static const unsigned outputs[] = { 1, 3, 4, 8, 9, 16, 17, 24, 32, 33, 64, 65, 130 };
  unsigned n = 0;

  for (unsigned m = 1; m <= MAX_ROWS; m++)
    for (unsigned i = 0; i < sizeof depths / sizeof *depths; i++)
      for (unsigned j = 0; j < sizeof outputs / sizeof *outputs; j++)
        for (int extreme = 0; extreme < 2; extreme++, n++)
          if (!check (level, m, depths[i], outputs[j], extreme))
            return 0;
  for (unsigned channels = 1; channels <= MAX_CHANNELS; channels += channels < 20 ? 1 : 13)
    for (unsigned kernel = 1; kernel <= MAX_KERNEL; kernel++)
      for (unsigned i = 0; i < 4; i++)
        if (!check_channels (level, channels, kernel, i / 2 + 1, i % 2))
          return 0;
  for (unsigned i = 1; i <= MAX_FILLED; i++)
    if (!check_rows (level, i))
      return 0;
  if (!check_fix (level))
    return 0;
  printf ("%s: %u products\n", level->name, n);

  return 1;
}

int
main (void)
{
  int good = 1;

#define LEVEL(symbol, test)                                                                        \
  if (test)                                                                                        \
    good &= check_level (&symbol);
#include "backend/dpu/machine/assay-dpu-levels.def"
#undef LEVEL

  return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
