/* assay-random.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>
#include <math.h>

G_BEGIN_DECLS

/* SplitMix64: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number Generators", 2014. The
 * state is the caller's, so that nothing depends on what else drew numbers. */
static inline guint64
assay_random_mix (guint64 z)
{
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;

  return z ^ (z >> 31);
}

static inline guint64
assay_random_next (guint64 *state)
{
  return assay_random_mix (*state += 0x9e3779b97f4a7c15u);
}

/* In [0, 1), with the 24 bits that a float can hold. */
static inline double
assay_random_unit (guint64 *state)
{
  return (double) (assay_random_next (state) >> 40) / 16777216.0;
}

/* Mean 0, deviation 1: Box and Muller, "A Note on the Generation of Random Normal Deviates", 1958.
 */
static inline double
assay_random_normal (guint64 *state)
{
  double a = 1.0 - assay_random_unit (state);
  double b = assay_random_unit (state);

  return sqrt (-2.0 * log (a)) * cos (2.0 * G_PI * b);
}

G_END_DECLS
