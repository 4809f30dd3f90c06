/* assay-divergence.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run/assay-divergence.h"

#include <math.h>

/* Errors of rounding to the nearest have no mean: that of n of them is off by their size over the
 * root of n, rarely by six times that. Half of the size is what cutting off makes at least: errors
 * between 0 and 1 have a mean of 0.5 and a size of 0.58. */
#define RARE 6
#define LEANING 0.5

/* By how many units an error has to grow. */
#define WORTH_GROWTH 0.5

/* By how much an op has to magnify before that is worth a word, and to what. */
#define WORTH_FACTOR 4
#define WORTH_UNITS 4

/**
 * assay_comparison_find_siblings:
 * @comparison: a comparison whose rows have their names
 *
 * Notes which rows share a node, as the outputs of a recurrent layer do.
 */
void
assay_comparison_find_siblings (AssayComparison *comparison)
{
  g_autoptr (GHashTable) first = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < comparison->rows->len; i++)
    {
      AssayComparisonRow *row = g_ptr_array_index (comparison->rows, i), *other;

      row->has_siblings = FALSE;
      if (row->node_name == NULL || *row->node_name == '\0')
        continue;
      other = g_hash_table_lookup (first, row->node_name);
      if (other == NULL)
        g_hash_table_insert (first, row->node_name, row);
      else
        row->has_siblings = other->has_siblings = TRUE;
    }
}

/**
 * assay_comparison_row_dup_place:
 * @row: a row
 *
 * Names what a row is about: its node, and of a node with several rows the output; of what no node
 * makes, the tensor.
 *
 * Returns: (transfer full): such as `conv1`, or `lstm: Y_h`
 */
char *
assay_comparison_row_dup_place (const AssayComparisonRow *row)
{
  if (row->node_name == NULL || *row->node_name == '\0')
    return g_strdup (row->name != NULL ? row->name : "");
  if (!row->has_siblings)
    return g_strdup (row->node_name);

  /* Exporters call outputs by their node. */
  return g_str_has_prefix (row->name, row->node_name)
             ? g_strdup (row->name)
             : g_strdup_printf ("%s: %s", row->node_name, row->name);
}

/**
 * assay_comparison_row_bias:
 * @row: a row
 *
 * Gets the mean of the differences over their size, of those that the op makes itself where they
 * are known: 0 of rounding, 1 or -1 of a constant.
 *
 * Returns: the bias, 0 where it may be chance
 */
double
assay_comparison_row_bias (const AssayComparisonRow *row)
{
  const AssayCompareStats *stats = row->has_own ? &row->own : &row->total;
  double bias = stats->rms_error > 0 ? stats->mean_error / stats->rms_error : 0;

  return fabs (bias) > LEANING && fabs (bias) * sqrt ((double) stats->n) > RARE ? bias : 0;
}

/**
 * assay_comparison_row_unit:
 * @row: a row
 *
 * Gets what a unit of its errors is as a difference of numbers.
 *
 * Returns: the unit, 0 where nothing was measured
 */
double
assay_comparison_row_unit (const AssayComparisonRow *row)
{
  return row->total.step > 0
             ? row->total.step
             : ldexp (row->total.scale, -(int) assay_compare_precision_bits (row->precision));
}

/**
 * assay_comparison_row_growth:
 * @row: a row
 * @first: (out) (optional): the error in the first span of timesteps, along the line
 * @last: (out) (optional): the same in the last
 *
 * Fits a line through the errors of a sequence over time. What noise does to errors of rounding has
 * no slope: it counts if it is more than six of its deviations, and the error at least doubles.
 *
 * Returns: by how many units the error grows from the first span to the last, 0 where it may be
 * chance
 */
double
assay_comparison_row_growth (const AssayComparisonRow *row, double *first, double *last)
{
  double n = row->n_spans, unit = assay_comparison_row_unit (row), mean = 0, slope = 0, noise = 0,
         spread, at;

  if (row->n_spans < ASSAY_DIVERGENCE_FEWEST_SPANS || !(unit > 0))
    return 0;
  spread = n * (n * n - 1) / 12;
  for (guint i = 0; i < row->n_spans; i++)
    {
      mean += row->span_rms[i] / n;
      slope += row->span_rms[i] * (i - (n - 1) / 2) / spread;
    }
  at = mean - slope * (n - 1) / 2;
  for (guint i = 0; i < row->n_spans; i++)
    noise += pow (row->span_rms[i] - at - slope * i, 2) / (n - 2);
  if (first != NULL)
    *first = MAX (at, 0) / unit;
  if (last != NULL)
    *last = (at + slope * (n - 1)) / unit;

  return slope > 0 && slope * sqrt (spread) > RARE * sqrt (noise) &&
                 at + slope * (n - 1) >= 2 * MAX (at, 0)
             ? slope * (n - 1) / unit
             : 0;
}

/**
 * assay_comparison_find_growth:
 * @comparison: a comparison
 *
 * Finds the first tensor whose errors grow over time by half a unit or more: what a longer sequence
 * may lead beyond its limit.
 *
 * Returns: its row, -1 if none does
 */
int
assay_comparison_find_growth (const AssayComparison *comparison)
{
  for (guint i = 0; i < comparison->rows->len; i++)
    {
      const AssayComparisonRow *row = assay_comparison_row (comparison, i);

      if (assay_comparison_row_growth (row, NULL, NULL) >= WORTH_GROWTH)
        return (int) i;
    }

  return -1;
}

/**
 * assay_comparison_row_factor:
 * @row: a row
 *
 * Gets how many times what comes in is larger behind the op, each in units of its tensor.
 *
 * Returns: the factor, 0 where it is not known
 */
double
assay_comparison_row_factor (const AssayComparisonRow *row)
{
  double more = row->total.error - (row->has_own ? row->own.error : 0);

  return row->has_own && row->inherited > 0 && more > 0 && isfinite (more) ? more / row->inherited
                                                                           : 0;
}

/**
 * assay_comparison_row_share:
 * @row: a row that was judged
 *
 * Gets how much of its limit an error takes: over 1 it is outside.
 *
 * Returns: the error over the limit, of what the op does itself where that is known; 0 of none
 */
double
assay_comparison_row_share (const AssayComparisonRow *row)
{
  double error = assay_comparison_row_error (row);

  return error > 0 ? error / row->limit : 0;
}

/**
 * assay_comparison_row_divergence:
 * @row: a row that was judged
 *
 * Says what the difference of a tensor is; what is worse comes first.
 *
 * Returns: the divergence
 */
AssayDivergence
assay_comparison_row_divergence (const AssayComparisonRow *row)
{
  if (row->verdict == ASSAY_COMPARISON_UNKNOWN)
    return ASSAY_DIVERGENCE_NOT_COMPARED;
  if (row->verdict == ASSAY_COMPARISON_OUTSIDE)
    return ASSAY_DIVERGENCE_BEYOND;
  if (row->verdict == ASSAY_COMPARISON_EXACT)
    return ASSAY_DIVERGENCE_EXACT;
  if (row->total.error >= WORTH_UNITS && assay_comparison_row_factor (row) >= WORTH_FACTOR)
    return ASSAY_DIVERGENCE_AMPLIFIED;

  return assay_comparison_row_bias (row) != 0 ? ASSAY_DIVERGENCE_BIASED : ASSAY_DIVERGENCE_ROUNDING;
}

/**
 * assay_divergence_name:
 * @divergence: a divergence
 *
 * Gets what reports call it.
 *
 * Returns: the name
 */
const char *
assay_divergence_name (AssayDivergence divergence)
{
  static const char *const names[] = { "exact",     "within rounding", "biased",
                                       "amplified", "beyond",          "not compared" };

  return names[divergence];
}

/**
 * assay_comparison_find_amplified:
 * @comparison: a comparison
 *
 * Finds the op that magnifies most of what it inherits.
 *
 * Returns: its row, -1 if none does
 */
int
assay_comparison_find_amplified (const AssayComparison *comparison)
{
  int found = -1;
  double most = 0;

  for (guint i = 0; i < comparison->rows->len; i++)
    {
      const AssayComparisonRow *row = assay_comparison_row (comparison, i);
      double factor = assay_comparison_row_factor (row);

      if (assay_comparison_row_divergence (row) != ASSAY_DIVERGENCE_AMPLIFIED || factor <= most)
        continue;
      most = factor;
      found = (int) i;
    }

  return found;
}
