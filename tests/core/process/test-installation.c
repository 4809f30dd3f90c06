/* test-installation.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Files of ours, looked for by a program of the build folder. Prefixes: tests/packaging.
 */
#include <glib.h>

#include "process/assay-folders.h"
#include "process/assay-helper.h"
#include "process/assay-installation.h"

#include "test-program.h"

/* Every folder of a part: first those of this build folder, then those of its prefix. */
static void
test_folders (void)
{
  static const struct
  {
    AssayPart part;
    const char *built;
    const char *installed;
  } cases[] = {
    { ASSAY_PART_PROGRAMS, "app/board app/cli app/gpu app/layout app/ort app/torch app/watch",
      ASSAY_LIBEXECDIR " " ASSAY_BINDIR },
    { ASSAY_PART_EXAMPLES, "data/examples", ASSAY_DATADIR "/examples" },
    { ASSAY_PART_HELP, "docs", ASSAY_DATADIR "/help" },
    { ASSAY_PART_SCHEMAS, "data", ASSAY_DATADIR "/schemas" },
  };
  g_autofree char *root = g_path_get_dirname (g_test_get_dir (G_TEST_BUILT));

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GPtrArray) folders = assay_installation_list_folders (cases[i].part);
      g_auto (GStrv) built = g_strsplit (cases[i].built, " ", -1);
      g_auto (GStrv) installed = g_strsplit (cases[i].installed, " ", -1);
      guint n = 0;

      for (guint j = 0; built[j] != NULL; j++)
        {
          g_autofree char *expected = g_build_filename (root, built[j], NULL);

          g_assert_cmpuint (n, <, folders->len);
          g_assert_cmpstr (g_ptr_array_index (folders, n++), ==, expected);
        }
      for (guint j = 0; installed[j] != NULL; j++)
        {
          g_autofree char *expected = g_build_filename (ASSAY_PREFIX, installed[j], NULL);

          g_assert_cmpuint (n, <, folders->len);
          g_assert_cmpstr (g_ptr_array_index (folders, n++), ==, expected);
        }
      g_assert_cmpuint (n, ==, folders->len);
    }
}

static void
test_find (void)
{
  g_autofree char *program = assay_installation_find (ASSAY_PART_PROGRAMS, "assay-board");
  g_autofree char *none = assay_installation_find (ASSAY_PART_PROGRAMS, "assay-no-helper");
  g_autofree char *helper = assay_helper_find ("assay-board", NULL);
  g_autofree char *root = g_path_get_dirname (g_test_get_dir (G_TEST_BUILT));
  g_autofree char *expected = g_build_filename (root, "app", "board", "assay-board", NULL);

  g_assert_cmpstr (program, ==, expected);
  g_assert_cmpstr (helper, ==, expected);
  g_assert_null (none);
}

TEST_PROGRAM (installation)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/installation/folders", test_folders);
  g_test_add_func ("/installation/find", test_find);

  return g_test_run ();
}
