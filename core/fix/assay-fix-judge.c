/* assay-fix-judge.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Two questions. Is it the same formula: do both models agree in double? And is it as stable: is
 * the fixed model, in its own types, not much farther from the exact result than the model itself?
 */
#include "fix/assay-fix-judge.h"

#include <math.h>
#include <stdlib.h>

/* Units in the last place that rounding may make of a result: a few operations in f32, which has
 * digits to spare, and fewer where the type is narrow. */
#define UNITS_WIDE 64
#define UNITS_NARROW 4
/* How much farther from the exact result the fixed model may be. */
#define OWN_ERRORS 8
/* A model that is this far from the exact result says nothing about a fix. */
#define MOST_OWN_UNITS 4096
/* Units of the number 1 that are nothing beside activations: exp (x) - 1 rounds at this size. */
#define FLOOR_UNITS 8
/* Elements of which the usual size of a tensor is found. */
#define MAX_SAMPLES 4096

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  double left = *(const double *) a, right = *(const double *) b;

  return (left > right) - (left < right);
}

/* The usual size of an element: the median of those that are neither zero nor infinite, so that
 * what is masked by a large number does not hide the others. */
static double
usual_size (const AssayDatum *datum)
{
  double sizes[MAX_SAMPLES];
  gsize stride = datum->n / MAX_SAMPLES + 1;
  guint n = 0;

  for (gsize i = 0; i < datum->n && n < MAX_SAMPLES; i += stride)
    {
      double size = fabs (assay_datum_get_number (datum, i));

      if (size > 0 && isfinite (size))
        sizes[n++] = size;
    }
  qsort (sizes, n, sizeof (double), compare_doubles);

  return n > 0 ? sizes[n / 2] : 0;
}

static double
unit_of (double size, int bits)
{
  int exponent;

  frexp (size, &exponent);

  return ldexp (1.0, MAX (exponent - 1, -126) - bits);
}

/* How far the model itself is from the exact result, in units in the last place. */
static double
own_units (const AssayFixOutput *output, double size, int bits)
{
  double worst = 0;

  for (gsize i = 0; i < output->before->n; i++)
    {
      double before = assay_datum_get_number (output->before, i);
      double exact = assay_datum_get_number (output->exact_before, i);

      if (isfinite (before) && isfinite (exact))
        worst = MAX (worst, fabs (before - exact) / unit_of (MAX (fabs (exact), size), bits));
    }

  return worst;
}

/* Where the model has no number, or overflows though the result is finite, anything is as good. */
static gboolean
is_same (double before, double after, double exact, double allowed)
{
  if (isnan (before) || (!isfinite (before) && isfinite (exact)))
    return TRUE;
  if (!isfinite (before) || !isfinite (after))
    return before == after;

  return fabs (after - before) <= allowed;
}

/**
 * assay_fix_judge_rounding: (skip)
 * @output: an output with its values before and after, all of one size
 * @numbers_only: leave out elements for which the fixed model has no finite number
 *
 * Tells whether a fix changes an output by no more than rounding does: the formula is the same, and
 * as stable as it was.
 *
 * Returns: whether it does, or that these inputs do not tell
 */
AssayFixRounding
assay_fix_judge_rounding (const AssayFixOutput *output, gboolean numbers_only)
{
  gboolean is_float = assay_dtype_is_float (output->before->dtype);
  /* In double there is nothing to be lost: targets compute in f32 at most. */
  int bits = (int) MIN (assay_dtype_fraction_bits (output->before->dtype), 23);
  double units = bits < 23 ? UNITS_NARROW : UNITS_WIDE;
  double size = usual_size (output->exact_before);
  double own = own_units (output, size, bits);
  double stable = units + OWN_ERRORS * MIN (own, MOST_OWN_UNITS);
  AssayFixRounding rounding = ASSAY_FIX_ROUNDING_ONLY;

  for (gsize i = 0; i < output->before->n; i++)
    {
      double before = assay_datum_get_number (output->before, i);
      double after = assay_datum_get_number (output->after, i);
      double exact_before = assay_datum_get_number (output->exact_before, i);
      double exact_after = assay_datum_get_number (output->exact_after, i);
      double unit = unit_of (MAX (fabs (exact_before), size), bits);

      if (numbers_only && !(isfinite (after) && isfinite (exact_after)))
        continue;
      if (is_float && !is_same (exact_before, exact_after, exact_before,
                                units * unit + FLOOR_UNITS * ldexp (1.0, -52)))
        return ASSAY_FIX_ROUNDING_EXCEEDED;
      if (is_same (before, after, exact_before,
                   is_float ? stable * unit + FLOOR_UNITS * ldexp (1.0, -bits) : 0))
        continue;
      if (own <= MOST_OWN_UNITS || !isfinite (after))
        return ASSAY_FIX_ROUNDING_EXCEEDED;
      rounding = ASSAY_FIX_ROUNDING_HIDDEN;
    }

  return rounding;
}
