/* fuzz-xfail.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "work/assay-conformance.h"

#include "fuzz.h"

/* A list of expected failures is read before any case is looked for; there is none. */
int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autofree char *text = g_strndup ((const char *) data, size);
  const AssayConformancePlan plan = { .expected = text, .expected_name = "list", .n_jobs = 1 };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayConformance) result = assay_conformance_run ("/dev/null", &plan, NULL, &error);

  g_assert (result == NULL && error != NULL);

  return 0;
}
