/* fuzz-tolerance.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "evaluate/compare/assay-tolerance.h"

#include "fuzz.h"

/* Whatever a file of tolerances says, every operator has a limit that is a number. */
FUZZ_TARGET (tolerance)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayTolerance) tolerance = assay_tolerance_load_bytes (bytes, "limits.json", &error);

  g_assert ((tolerance == NULL) == (error != NULL));
  fuzz_n_taken += tolerance != NULL;
  for (guint op = 0; tolerance != NULL && op < ASSAY_N_OPS; op++)
    for (guint precision = 0; precision < ASSAY_N_COMPARE_PRECISIONS; precision++)
      g_assert (!isnan (
          assay_tolerance_get_limit (tolerance, (AssayOp) op, (AssayComparePrecision) precision)));

  return 0;
}
