/* test-onnx-write-ort.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#include "corpus.h"
#include "source/assay-source.h"
#include "source/onnx/assay-onnx-write.h"
#include "run/assay-run-inputs.h"
#include "graphs.h"

/* One model out of this many, in the order of their paths. */
#define STRIDE 60

typedef struct
{
  char *written;
  gboolean absent;
  guint n_equal;
} Comparison;

static void
collect (const char *path, gpointer user_data)
{
  g_ptr_array_add (user_data, g_strdup (path));
}

static int
compare_paths (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* What ONNX Runtime makes of a file for random inputs. */
static GPtrArray *
run_file (const char *path, GError **error)
{
  g_autoptr (AssayGraph) graph = assay_model_read (path, NULL, NULL, NULL, error);
  g_autoptr (AssayRunSubject) subject = NULL;
  g_autoptr (AssayRunInputs) source = assay_run_inputs_new ();
  g_autoptr (AssayRunner) runner = NULL;
  g_autoptr (GArray) ports = NULL;
  g_autoptr (GPtrArray) inputs = NULL;

  subject = graph == NULL ? NULL : graph_subject (path, graph, error);
  if (subject == NULL)
    return NULL;
  ports = assay_run_subject_get_inputs (subject);
  assay_run_inputs_set_seed (source, 1, TRUE);
  inputs = assay_run_inputs_make (source, (AssayRunPort *) (gpointer) ports->data, ports->len, 0,
                                  error);
  runner = inputs == NULL ? NULL : assay_runner_open ("ort", subject, NULL, NULL, error);

  return runner == NULL ? NULL : assay_runner_run (runner, inputs, NULL, NULL, error);
}

static void
expect_equal (const char *path, GPtrArray *before, GPtrArray *after)
{
  g_assert_cmpuint (before->len, ==, after->len);
  for (guint i = 0; i < before->len; i++)
    {
      AssayTensor *a = g_ptr_array_index (before, i);
      AssayTensor *b = g_ptr_array_index (after, i);

      if (a == NULL || assay_tensor_get_dtype (a) == ASSAY_DTYPE_STRING)
        continue;
      g_assert_cmpint (assay_tensor_get_dtype (a), ==, assay_tensor_get_dtype (b));
      g_assert_cmpuint (assay_tensor_get_n_bytes (a), ==, assay_tensor_get_n_bytes (b));
      if (assay_tensor_get_n_bytes (a) > 0 &&
          memcmp (assay_tensor_get_data (a, NULL, NULL), assay_tensor_get_data (b, NULL, NULL),
                  assay_tensor_get_n_bytes (a)) != 0)
        g_error ("%s: output %u differs", path, i);
    }
}

static void
compare_model (Comparison *self, const char *path)
{
  g_autoptr (AssayGraph) graph = assay_model_read (path, NULL, NULL, NULL, NULL);
  g_autoptr (GPtrArray) before = NULL;
  g_autoptr (GPtrArray) after = NULL;
  g_autoptr (GError) error = NULL;

  before = run_file (path, &error);
  self->absent = error != NULL && strstr (error->message, "was not found") != NULL;
  if (before == NULL)
    return;

  assay_onnx_write_file (graph, self->written, NULL, NULL, &error);
  g_assert_no_error (error);
  after = run_file (self->written, &error);
  if (after == NULL)
    g_error ("%s: %s", path, error->message);
  expect_equal (path, before, after);
  self->n_equal++;
}

/* ONNX Runtime, where it is found, gives the same bits for a model and for what was written of it.
 */
static void
test_equal (void)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *folder = g_dir_make_tmp ("assay-test-XXXXXX", NULL);
  g_autofree char *written = g_build_filename (folder, "model.onnx", NULL);
  Comparison comparison = { .written = written };

  if (have_models ())
    {
      walk_models (ONNX_DATA, collect, paths);
      qsort (paths->pdata, paths->len, sizeof (gpointer), compare_paths);
      for (guint i = 0; i < paths->len && !comparison.absent; i += STRIDE)
        compare_model (&comparison, g_ptr_array_index (paths, i));

      if (comparison.absent)
        g_test_skip ("ONNX Runtime is not there");
      else
        g_assert_cmpuint (comparison.n_equal, >=, N_ONNX_DATA / STRIDE / 2);
      g_unlink (written);
    }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/onnx-write/ort", test_equal);

  return g_test_run ();
}
