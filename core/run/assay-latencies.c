/* assay-latencies.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run/assay-latencies.h"

#include <stdlib.h>

static int
compare (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a;
  gint64 y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

/**
 * assay_latencies_sort:
 * @latencies: (array length=n): nanoseconds per inference
 * @n: number of entries
 *
 * Puts the shortest one first.
 */
void
assay_latencies_sort (gint64 *latencies, guint n)
{
  if (n > 0)
    qsort (latencies, n, sizeof *latencies, compare);
}

/**
 * assay_latencies_percentile:
 * @sorted: (array length=n): nanoseconds per inference, the shortest one first
 * @n: number of entries, at least one
 * @percent: such as 50 or 99
 *
 * Finds the latency that so many percent of the inferences do not exceed.
 *
 * Returns: nanoseconds
 */
gint64
assay_latencies_percentile (const gint64 *sorted, guint n, guint percent)
{
  return sorted[MIN ((gsize) n * percent / 100, n - 1)];
}
