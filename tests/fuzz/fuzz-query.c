/* fuzz-query.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "session/analysis/assay-query.h"

#include "fuzz.h"

/* Whatever somebody types, it is a query or a reason why it is none. */
FUZZ_TARGET (query)
{
  g_autofree char *raw = g_strndup ((const char *) data, size);
  g_autofree char *text = g_utf8_make_valid (raw, -1);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayQuery) query = assay_query_new (text, &error);

  g_assert (query == NULL || error == NULL);
  fuzz_n_taken += query != NULL;

  return 0;
}
