/* test-import.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>

#include "base/assay-error.h"
#include "onnx/assay-import.h"

#define TESTDATA "/usr/share/libonnx-testdata/data"

static const char *const testdata_folders[] = { "node", "simple", "pytorch-operator", "pytorch-converted" };

/* Every model of the ONNX backend tests opens, and without an error finding. */
static void
test_testdata (gconstpointer data)
{
  g_autofree char *folder = g_build_filename (TESTDATA, data, NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  if (dir == NULL)
    {
      g_test_skip ("libonnx-testdata is not installed");
      return;
    }

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, "model.onnx", NULL);
      g_autoptr (AssayFindings) findings = assay_findings_new ();
      g_autoptr (AssayGraph) graph = NULL;
      g_autoptr (GError) error = NULL;

      if (!g_file_test (path, G_FILE_TEST_EXISTS))
        continue;

      graph = assay_import_file (path, NULL, findings, NULL, &error);
      g_assert_no_error (error);
      g_assert_nonnull (graph);
      g_assert_cmpuint (assay_graph_n_nodes (graph), >, 1);
      for (guint i = 0; i < assay_findings_get_count (findings); i++)
        {
          const AssayFinding *finding = assay_findings_get (findings, i);

          if (finding->severity == ASSAY_SEVERITY_ERROR)
            g_error ("%s: %s: %s", path, finding->rule, finding->message);
        }
      n++;
    }

  g_test_message ("%u models", n);
  g_assert_cmpuint (n, >, 0);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (testdata_folders); i++)
    {
      g_autofree char *path = g_strconcat ("/import/testdata/", testdata_folders[i], NULL);

      g_test_add_data_func (path, testdata_folders[i], test_testdata);
    }

  return g_test_run ();
}
