/* fuzz-qualify-log.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>

#include "work/assay-qualify.h"

#include "fuzz.h"

/* What is read of a log can be put together, and is written as lines that read as the same. */
FUZZ_TARGET (qualify_log)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) logs = g_ptr_array_new ();
  g_autoptr (AssayQualifyLog)
      log = assay_qualify_log_parse ((const char *) data, size, "fuzz", &error);
  g_autoptr (AssayQualifyLog) again = NULL;
  g_autoptr (AssayConformance) merged = NULL;
  g_autoptr (GString) text = NULL;

  g_assert ((log == NULL) == (error != NULL));
  if (log == NULL)
    return 0;
  fuzz_n_taken++;

  text = g_string_new (NULL);
  {
    g_autofree char *line = assay_qualify_head_to_line (&log->head);

    g_string_append (text, line);
  }
  for (guint i = 0; i < log->results->len; i++)
    {
      g_autofree char *line = assay_qualify_result_to_line (log->results->pdata[i]);

      g_string_append (text, line);
    }
  again = assay_qualify_log_parse (text->str, text->len, "again", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (again->results->len, ==, log->results->len);

  g_ptr_array_add (logs, log);
  merged = assay_qualify_merge (logs, NULL);
  g_assert (merged == NULL || merged->results->len <= again->results->len);

  return 0;
}
