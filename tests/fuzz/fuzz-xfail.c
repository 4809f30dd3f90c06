/* fuzz-xfail.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "work/assay-conformance.h"

#include "fuzz.h"

/* A list of expected failures is read, or there is a reason why not; there is no case to run. */
FUZZ_TARGET (xfail)
{
  g_autofree char *text = g_strndup ((const char *) data, size);
  g_autoptr (GPtrArray) none = g_ptr_array_new ();
  const AssayConformancePlan plan = {
    .expected = text, .expected_name = "list", .names = none, .n_jobs = 1
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayConformance) result = assay_conformance_run ("/dev/null", &plan, NULL, &error);

  g_assert ((result == NULL) == (error != NULL));
  fuzz_n_taken += result != NULL;

  return 0;
}
