/* fuzz-conformance-result.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "work/assay-conformance.h"

#include "fuzz.h"

/* What is empty is not written. */
static const char *
text_of (const char *text)
{
  return text != NULL ? text : "";
}

/* The line that the process of a case leaves: a result that is written and read again as the same,
 * or none. */
FUZZ_TARGET (conformance_result)
{
  g_autofree char *line = g_strndup ((const char *) data, size);
  g_autoptr (AssayConformanceResult)
      result = assay_conformance_result_from_line ("case", g_strdelimit (line, "\n", ' '));
  g_autoptr (AssayConformanceResult) again = NULL;
  g_autofree char *written = NULL;

  if (result == NULL)
    return 0;
  fuzz_n_taken++;

  written = assay_conformance_result_to_line (result);
  written[strlen (written) - 1] = '\0';
  again = assay_conformance_result_from_line ("case", written);
  g_assert_cmpint (again->status, ==, result->status);
  g_assert_cmpstr (again->stage, ==, result->stage);
  g_assert_cmpstr (text_of (again->rule), ==, text_of (result->rule));
  g_assert_cmpstr (text_of (again->message), ==, text_of (result->message));

  return 0;
}
