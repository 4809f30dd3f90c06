/* fuzz-policy.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>

#include "report/assay-policy.h"

#include "fuzz.h"

/* A policy that can be read is written and read again as the same text, and can be asked. */
FUZZ_TARGET (policy)
{
  const AssayPolicySubject subject = { "reduce.axis", "ReduceMean", "encoder/layer.0/mean",
                                       "ia_420f_c6b32" };
  g_autoptr (GDateTime) today = g_date_time_new_utc (2026, 11, 21, 12, 0, 0);
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size);
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayPolicy) policy = assay_policy_load_bytes (bytes, "policy.json", findings, &error);
  g_autoptr (AssayPolicy) read = NULL;
  g_autoptr (GBytes) written = NULL;
  g_autoptr (GBytes) again = NULL;
  const AssayPolicyEntry *entry;
  gsize length;
  char *text;

  g_assert ((policy == NULL) == (error != NULL));
  if (policy == NULL)
    return 0;
  fuzz_n_taken++;

  entry = assay_policy_match (policy, &subject, today);
  g_assert (entry == NULL || assay_policy_entry_matches (entry, &subject));

  text = assay_policy_to_json (policy, &length);
  written = g_bytes_new_take (text, length);
  read = assay_policy_load_bytes (written, "policy.json", findings, &error);
  g_assert_no_error (error);
  text = assay_policy_to_json (read, &length);
  again = g_bytes_new_take (text, length);
  g_assert (g_bytes_equal (written, again));

  return 0;
}
