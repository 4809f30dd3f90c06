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

/* Rows of products and of results, each on its own. */
static int
check_rows (const AssayDpuLevel *level, unsigned n)
{
  static gint8 from[MAX_FILLED], weights[MAX_FILLED], results[MAX_FILLED];
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
  for (unsigned i = 1; i <= MAX_FILLED; i++)
    if (!check_rows (level, i))
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
