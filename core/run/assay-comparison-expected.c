/* assay-comparison-expected.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "run/assay-comparison.h"

/**
 * assay_comparison_take_expected:
 * @self: a comparison
 * @folder: test data that has what comes out
 * @outputs: (nullable): B held against it
 * @error: (nullable): why that did not work
 *
 * Keeps what became of the outputs that test data expects.
 */
void
assay_comparison_take_expected (AssayComparison *self, const char *folder,
                                const AssayComparison *outputs, const GError *error)
{
  self->expected = g_path_get_basename (folder);
  self->expected_trouble = g_strdup (error != NULL ? error->message : NULL);
  for (guint i = 0; outputs != NULL && i < outputs->rows->len; i++)
    {
      const AssayComparisonRow *row = assay_comparison_row (outputs, i);

      if (!row->is_output)
        continue;
      self->n_expected++;
      self->n_expected_within += row->verdict == ASSAY_COMPARISON_EXACT ||
                                 row->verdict == ASSAY_COMPARISON_WITHIN;
      if (row->verdict != ASSAY_COMPARISON_UNKNOWN)
        self->expected_error = MAX (self->expected_error, assay_comparison_row_error (row));
    }
}

/**
 * assay_comparison_get_expected_verdict:
 * @self: a comparison
 *
 * Tells whether B makes what test data expects; what could not be compared is unknown, and without
 * test data nothing is expected.
 *
 * Returns: exact, outside or unknown
 */
AssayComparisonVerdict
assay_comparison_get_expected_verdict (const AssayComparison *self)
{
  if (self->expected == NULL)
    return ASSAY_COMPARISON_EXACT;
  if (self->expected_trouble != NULL)
    return ASSAY_COMPARISON_UNKNOWN;

  return self->n_expected_within < self->n_expected ? ASSAY_COMPARISON_OUTSIDE
                                                    : ASSAY_COMPARISON_EXACT;
}
