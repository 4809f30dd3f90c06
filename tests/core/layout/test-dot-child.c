/* test-dot-child.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The layout helper, where it is another program than it should be, or none.
 */
#include <glib.h>
#include <glib/gstdio.h>

#include "base/assay-error.h"
#include "layout/assay-dot-child.h"
#include "process/assay-helper.h"

#include "folder.h"
#include "test-program.h"

/* What a helper does with a block, and what is said of it. */
static const struct
{
  const char *script;
  gsize size;
  const char *message;
} cases[] = {
  { "head -c 1 >/dev/null; echo gone >&2; exit 3", 4, "*: exit status 3: gone" },
  { "exec <&-; sleep 100", 1 << 20, "*has stopped reading" },
  { "exec sleep 100", 4, "*no answer in 1 s" },
};

static void
test_answers (void)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-dot-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "helper", NULL);
  g_autofree char *much = g_strnfill (1 << 20, 'x');

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strdup_printf ("#!/bin/sh\n%s\n", cases[i].script);
      g_autoptr (GBytes) block = g_bytes_new_static (much, cases[i].size);
      g_autoptr (GError) error = NULL;
      AssayDotChild *child = assay_dot_child_new (path, 100, 1);
      GArray *places = NULL;

      g_assert_true (g_file_set_contents (path, text, -1, NULL));
      g_assert_cmpint (g_chmod (path, 0700), ==, 0);
      g_assert_cmpuint (assay_dot_child_layout (child, &block, 1, &places, NULL, &error), ==, 0);
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE);
      if (!g_pattern_match_simple (cases[i].message, error->message))
        g_error ("%s: %s", cases[i].script, error->message);
      assay_dot_child_free (child);
    }
  folder_remove (folder);
  assay_dot_child_free (NULL);
}

/* A program that was installed without it does without it. */
static void
test_missing (void)
{
  AssayDotChild *child = assay_dot_child_new ("/nonexistent/assay-layout-helper", 100, 1);
  g_autoptr (GError) error = NULL;

  g_assert_false (assay_dot_child_can_start (child));
  assay_dot_child_stop (child);
  assay_dot_child_free (child);

  g_assert_null (assay_helper_find ("assay-no-helper", &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_DEVICE);
  g_assert_nonnull (strstr (error->message, "assay-no-helper was not found"));
}

TEST_PROGRAM (dot_child)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/dot-child/answers", test_answers);
  g_test_add_func ("/dot-child/missing", test_missing);

  return g_test_run ();
}
