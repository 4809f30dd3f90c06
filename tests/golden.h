/* golden.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

/**
 * golden_check:
 * @path: a file of expectations
 * @text: the text that the test made
 *
 * Compares a text with a file, and fails with the first line that differs. With ASSAY_REGENERATE in
 * the environment the text replaces the file.
 */
static inline void
golden_check (const char *path, const char *text)
{
  g_autofree char *expected = NULL;
  g_auto (GStrv) got = NULL, wanted = NULL;
  guint line = 0;

  if (g_getenv ("ASSAY_REGENERATE") != NULL)
    g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_assert_true (g_file_get_contents (path, &expected, NULL, NULL));
  if (g_str_equal (text, expected))
    return;

  got = g_strsplit (text, "\n", -1);
  wanted = g_strsplit (expected, "\n", -1);
  while (g_strcmp0 (got[line], wanted[line]) == 0)
    line++;
  g_test_fail_printf ("%s:%u: got “%s”, expected “%s”", path, line + 1,
                      got[line] != NULL ? got[line] : "the end",
                      wanted[line] != NULL ? wanted[line] : "the end");
}
