/* fuzz-fixes.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fix/assay-fix.h"

#include "fuzz.h"

/* Fixes that can be read are written and read again as the same text. */
FUZZ_TARGET (fixes)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) fixes = assay_fixes_from_json ((const char *) data, (gssize) size,
                                                       "fixes.json", findings, &error);
  g_autoptr (GPtrArray) again = NULL;
  g_autofree char *written = NULL;
  g_autofree char *second = NULL;
  gsize length;

  g_assert ((fixes == NULL) == (error != NULL));
  if (fixes == NULL)
    return 0;
  fuzz_n_taken++;

  written = assay_fixes_to_json (fixes, &length);
  again = assay_fixes_from_json (written, (gssize) length, "fixes.json", findings, &error);
  g_assert_no_error (error);
  second = assay_fixes_to_json (again, &length);
  g_assert_cmpstr (written, ==, second);

  return 0;
}
