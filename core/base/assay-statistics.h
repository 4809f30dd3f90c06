/* assay-statistics.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * AssayStatistics:
 * @n: number of values
 * @n_nan: how many are not numbers
 * @n_inf: how many are infinite
 * @n_zero: how many are zero
 * @min: least finite value, infinite if there is none
 * @max: greatest finite value
 * @mean: mean of the finite values, not a number if there is none
 * @deviation: their standard deviation
 *
 * What a tensor is like as a whole.
 */
typedef struct
{
  gsize n;
  gsize n_nan;
  gsize n_inf;
  gsize n_zero;
  double min;
  double max;
  double mean;
  double deviation;
} AssayStatistics;

AssayStatistics assay_statistics_of (const double *values, gsize n);
void assay_statistics_add (AssayStatistics *self, const AssayStatistics *other);

G_END_DECLS
