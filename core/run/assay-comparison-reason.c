/* assay-comparison-reason.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run/assay-comparison.h"

static void
reason_clear (gpointer data)
{
  g_free (((AssayComparisonReason *) data)->rule);
}

/**
 * assay_comparison_reasons_new: (skip)
 *
 * Makes an empty list of reasons, which owns what is added.
 *
 * Returns: (transfer full) (element-type AssayComparisonReason): the list
 */
GArray *
assay_comparison_reasons_new (void)
{
  GArray *reasons = g_array_new (FALSE, FALSE, sizeof (AssayComparisonReason));

  g_array_set_clear_func (reasons, reason_clear);

  return reasons;
}

/**
 * assay_comparison_reasons_add: (skip)
 * @reasons: a list of assay_comparison_reasons_new()
 * @rule: a rule
 * @n: elements that differ by it
 *
 * Counts elements of a rule; one that is there already becomes more.
 */
void
assay_comparison_reasons_add (GArray *reasons, const char *rule, gsize n)
{
  const AssayComparisonReason reason = { g_strdup (rule), n };

  for (guint i = 0; i < reasons->len; i++)
    if (g_str_equal (g_array_index (reasons, AssayComparisonReason, i).rule, rule))
      {
        g_array_index (reasons, AssayComparisonReason, i).n += n;
        g_free (reason.rule);
        return;
      }
  g_array_append_val (reasons, reason);
}
