/* test-onnx-write-ort.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#include "assay-onnxruntime.h"
#include "corpus.h"
#include "nnir/assay-graph-builder.h"
#include "source/assay-source.h"
#include "source/onnx/assay-onnx-write.h"
#include "run/assay-run-inputs.h"
#include "graphs.h"
#include "test-program.h"
#include "written-fixture.h"

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
  /* Where there is nothing to divide, further threads would only spin. */
  const AssayRunnerOptions options = { .n_threads = 1 };
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
  runner = inputs == NULL ? NULL : assay_runner_open ("ort", subject, &options, NULL, error);

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
        g_test_skip ("ONNX Runtime is not installed");
      else
        g_assert_cmpuint (comparison.n_equal, >=, N_ONNX_DATA / STRIDE / 2);
      g_unlink (written);
    }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static gboolean
loads (const char *path, GError **error)
{
  g_autoptr (AssayOnnxruntime) runtime = assay_onnxruntime_new (NULL, path, 1, TRUE, error);

  return runtime != NULL;
}

/* ONNX Runtime opens what was written of every model that it opens. */
static void
test_load (void)
{
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *folder = g_dir_make_tmp ("assay-test-XXXXXX", NULL);
  g_autofree char *written = g_build_filename (folder, "model.onnx", NULL);
  guint n_loaded = 0, n_failed = 0;
  gboolean absent = FALSE;

  if (have_models ())
    {
      walk_models (ONNX_DATA, collect, paths);
      qsort (paths->pdata, paths->len, sizeof (gpointer), compare_paths);
      for (guint i = 0; i < paths->len && !absent; i++)
        {
          const char *path = g_ptr_array_index (paths, i);
          g_autoptr (AssayGraph) graph = assay_model_read (path, NULL, NULL, NULL, NULL);
          g_autoptr (GError) error = NULL;

          assay_onnx_write_file (graph, written, NULL, NULL, &error);
          g_assert_no_error (error);
          if (loads (written, &error))
            n_loaded++;
          else if (strstr (error->message, "was not found") != NULL)
            absent = TRUE;
          else if (loads (path, NULL))
            {
              g_test_message ("%s: %s", path, error->message);
              n_failed++;
            }
        }

      g_assert_cmpuint (n_failed, ==, 0);
      if (absent)
        g_test_skip ("ONNX Runtime is not installed");
      else
        g_assert_cmpuint (n_loaded, >=, N_ONNX_DATA * 9 / 10);
      g_unlink (written);
    }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* What no model of the package has: forms that an older opset does not know, graphs in nodes that
 * hand on what is around them. */
static const struct
{
  const char *title;
  const char *text;
  char opset; /* that the file says, or 0 for the lowest */
} cases[] = {
  { "an element of a tensor",
    "main (%x : f32[2]) { %y = OptionalGetElement(%x) : f32[2] return %y }", 0 },
  { "an element of a sequence",
    "main (%x : seq<f32[2]>) { %y = OptionalGetElement(%x) : seq<f32[2]> return %y }", 0 },
  { "an element of an optional",
    "main (%x : opt<f32[2]>) { %y = OptionalGetElement(%x) : f32[2] return %y }", 0 },
  { "whether a tensor is there",
    "main (%x : f32[2]) { %y = OptionalHasElement(%x) : bool[] return %y }", 0 },
  { "whether nothing is there", "main () { %y = OptionalHasElement() : bool[] return %y }", 0 },
  { "a branch that hands on what is around it",
    "main (%c : bool[], %x : f32[2]) { %z = Relu(%x) : f32[2] %y = If(%c) {then_branch = region "
    "\"a\" () { return %z }, else_branch = region \"b\" () { %n = Neg(%z) : f32[2] return %n }} "
    ": f32[2] return %y }",
    0 },
  { "a branch that hands on a constant around it",
    "main (%c : bool[]) { const %z : f32[2] = [1.0, 2.0] %y = If(%c) {then_branch = region "
    "\"a\" () { return %z }, else_branch = region \"b\" () { %n = Neg(%z) : f32[2] return %n }} "
    ": f32[2] return %y }",
    0 },
  { "a branch with the same output twice",
    "main (%c : bool[], %x : f32[2]) { %y, %z = If(%c) {then_branch = region \"a\" () { %n = "
    "Neg(%x) : f32[2] return %n, %n }, else_branch = region \"b\" () { %m = Relu(%x) : f32[2] %o "
    "= Neg(%x) : f32[2] return %m, %o }} : f32[2], f32[2] return %y, %z }",
    0 },
  { "a branch of constants",
    "main (%c : bool[]) { %y = If(%c) {then_branch = region \"a\" () { const %p : f32[1] = [1.0] "
    "return %p }, else_branch = region \"b\" () { const %q : f32[1] = [2.0] return %q }} : f32[1] "
    "return %y }",
    0 },
  { "a loop with names from around it",
    "main (%x : f32[2], %n : i64[], %c : bool[]) { %y = Loop(%n, %c, %x) {body = region \"b\" (%n_ "
    ": i64[], %c_ : bool[], %x_ : f32[2]) { %w = Relu(%x_) : f32[2] return %c_, %w }} : f32[2] "
    "return "
    "%y }",
    0 },
  { "a loop whose condition is around it",
    "main (%x : f32[2], %n : i64[], %c : bool[]) { %y = Loop(%n, %c, %x) {body = region \"b\" (%i "
    ": i64[], %d : bool[], %v : f32[2]) { %w = Relu(%v) : f32[2] return %c, %w }} : f32[2] return "
    "%y }",
    0 },
  { "a loop whose condition is a constant around it",
    "main (%x : f32[2], %n : i64[]) { const %c : bool[] = [true] %y = Loop(%n, %c, %x) {body = "
    "region \"b\" (%i : i64[], %d : bool[], %v : f32[2]) { %w = Relu(%v) : f32[2] return %c, %w "
    "}} : f32[2] return %y }",
    0 },
  { "a loop whose condition is a list of one",
    "main (%x : f32[2], %n : i64[1], %c : bool[1]) { %y = Loop(%n, %c, %x) {body = region \"b\" "
    "(%i : i64[], %d : bool[1], %v : f32[2]) { %w = Relu(%v) : f32[2] return %d, %w }} : f32[2] "
    "return %y }",
    0 },
  { "a loop without types inside, a condition that is a list of one",
    "main (%x : f32[2], %n : i64[1], %c : bool[1]) { %y = Loop(%n, %c, %x) {body = region \"b\" "
    "(%i : ?, %d : ?, %v : ?) { %w = Relu(%v) : ? return %d, %w }} : ? return %y }",
    0 },
  { "a loop without a condition",
    "main (%x : f32[2], %n : i64[]) { %y = Loop(%n, _, %x) {body = region \"b\" (%i : i64[], %d : "
    "bool[], %v : f32[2]) { const %t : bool[] = [true] %w = Relu(%v) : f32[2] return %t, %w }} : "
    "f32[2] return %y }",
    0 },
  { "a scan with names from around it",
    "main (%s : f32[2], %x : f32[3,2]) { %y, %z = Scan(%s, %x) {num_scan_inputs = 1, body = region "
    "\"b\" (%s_ : f32[2], %x_ : f32[2]) { %w = Add(%s_, %x_) : f32[2] return %w, %s_ }} : f32[2], "
    "f32[3,2] return %y, %z }",
    0 },
  { "sizes beside scales that are known at run time",
    "main (%x : f32[1,1,2,2], %s : f32[0]) { const %r : f32[0] = [] const %z : i64[4] = [1, 1, 4, "
    "4] %y = Resize(%x, %r, %s, %z) : f32[1,1,4,4] return %y }",
    11 },
  { "scales that are known at run time",
    "main (%x : f32[1,1,2,2], %s : f32[4]) { const %r : f32[0] = [] %y = Resize(%x, %r, %s) : "
    "f32[?,?,?,?] return %y }",
    11 },
  { "scales that are known at run time, before 11",
    "main (%x : f32[1,1,2,2], %s : f32[4]) { %y = Resize(%x, %s) : f32[?,?,?,?] return %y }", 10 },
};

/* Text has no two values of one name, files have: what ends in `_` is called as if it did not. */
static void
shorten_names (AssayGraph *graph)
{
  for (AssayValueId id = 1; id < assay_graph_n_values (graph); id++)
    {
      AssayValue *value = assay_graph_edit_value (graph, id);

      if (g_str_has_suffix (value->name, "_"))
        {
          g_autofree char *name = g_strndup (value->name, strlen (value->name) - 1);

          value->name = assay_arena_intern (graph->arena, name);
        }
    }
}

static void
test_forms (void)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-test-XXXXXX", NULL);
  g_autofree char *written = g_build_filename (folder, "model.onnx", NULL);
  gboolean absent = FALSE;
  guint n_failed = 0;

  for (guint i = 0; i < G_N_ELEMENTS (cases) && !absent; i++)
    {
      g_autoptr (AssayGraph) graph = graph_from_text (cases[i].text);
      g_autoptr (AssayGraph) read = NULL;
      g_autoptr (GError) error = NULL;

      shorten_names (graph);
      assay_onnx_write_file (graph, written, NULL, NULL, &error);
      g_assert_no_error (error);
      if (cases[i].opset != 0)
        {
          set_opset (written, cases[i].opset);
          if (!loads (written, &error))
            g_test_message ("as given: %s", error->message);
          g_clear_error (&error);
          read = assay_model_read (written, NULL, NULL, NULL, &error);
          g_assert_no_error (error);
          assay_onnx_write_file (read, written, NULL, NULL, &error);
          g_assert_no_error (error);
        }
      if (!loads (written, &error))
        {
          absent = strstr (error->message, "was not found") != NULL;
          n_failed += !absent;
          g_test_message ("%s: %s", cases[i].title, error->message);
        }
    }

  g_assert_cmpuint (n_failed, ==, 0);
  if (absent)
    g_test_skip ("ONNX Runtime is not installed");
  g_unlink (written);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

TEST_PROGRAM (onnx_write_ort)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/onnx-write/ort", test_equal);
  g_test_add_func ("/onnx-write/load", test_load);
  g_test_add_func ("/onnx-write/forms", test_forms);

  return g_test_run ();
}
