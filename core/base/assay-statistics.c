/* assay-statistics.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/assay-statistics.h"

#include <math.h>

/**
 * assay_statistics_of:
 * @values: (array length=n): values
 * @n: how many
 *
 * Sums up values; NaN and infinities are counted apart and are in none of the other figures.
 *
 * Returns: the statistics
 */
AssayStatistics
assay_statistics_of (const double *values,
                     gsize         n)
{
  AssayStatistics self = { .n = n, .min = INFINITY, .max = -INFINITY };
  double sum = 0;
  double squares = 0;
  gsize finite = 0;

  for (gsize i = 0; i < n; i++)
    {
      self.n_nan += isnan (values[i]) != 0;
      self.n_inf += isinf (values[i]) != 0;
      self.n_zero += values[i] == 0;
      if (!isfinite (values[i]))
        continue;
      finite++;
      sum += values[i];
      self.min = MIN (self.min, values[i]);
      self.max = MAX (self.max, values[i]);
    }

  self.mean = finite == 0 ? NAN : sum / (double) finite;
  for (gsize i = 0; i < n; i++)
    {
      if (isfinite (values[i]))
        squares += (values[i] - self.mean) * (values[i] - self.mean);
    }
  self.deviation = finite == 0 ? NAN : sqrt (squares / (double) finite);

  return self;
}
