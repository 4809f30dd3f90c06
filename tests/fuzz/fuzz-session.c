/* fuzz-session.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "document/assay-session-file.h"

#include "fuzz.h"

static char *
print (AssaySessionFile *file)
{
  gsize length;
  char *text = assay_session_file_print (file, "/fuzz/s.assay", &length);

  g_assert_cmpuint (strlen (text), ==, length);
  return text;
}

/* Reads a session file; what is right is written, read again, and then the same. */
FUZZ_TARGET (session)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size);
  g_autoptr (GBytes) written = NULL;
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AssaySessionFile)
      file = assay_session_file_parse (bytes, "/fuzz/s.assay", findings, &error);
  g_autoptr (AssaySessionFile) again = NULL;
  g_autofree char *text = NULL;
  g_autofree char *second = NULL;

  g_assert ((file == NULL) == (error != NULL));
  if (file == NULL)
    return 0;
  fuzz_n_taken++;

  text = print (file);
  written = g_bytes_new (text, strlen (text));
  again = assay_session_file_parse (written, "/fuzz/s.assay", findings, &error);
  if (again == NULL)
    fuzz_fail ("%s\n%s", error->message, text);
  second = print (again);
  g_assert_cmpstr (text, ==, second);

  return 0;
}
