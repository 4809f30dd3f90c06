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
assay_statistics_of (const double *values, gsize n)
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

/**
 * assay_statistics_add:
 * @self: statistics of some values
 * @other: statistics of further ones
 *
 * Joins the statistics of two parts of a tensor into those of both; means and deviations as Chan,
 * Golub and LeVeque (1979) have it.
 */
void
assay_statistics_add (AssayStatistics *self, const AssayStatistics *other)
{
  double n_self = (double) (self->n - self->n_nan - self->n_inf);
  double n_other = (double) (other->n - other->n_nan - other->n_inf);
  double n = n_self + n_other;

  if (n_self == 0)
    {
      self->mean = other->mean;
      self->deviation = other->deviation;
    }
  else if (n_other > 0)
    {
      double delta = other->mean - self->mean;
      double squares = self->deviation * self->deviation * n_self +
                       other->deviation * other->deviation * n_other +
                       delta * delta * n_self * n_other / n;

      self->mean += delta * n_other / n;
      self->deviation = sqrt (squares / n);
    }

  self->n += other->n;
  self->n_nan += other->n_nan;
  self->n_inf += other->n_inf;
  self->n_zero += other->n_zero;
  self->min = MIN (self->min, other->min);
  self->max = MAX (self->max, other->max);
}
