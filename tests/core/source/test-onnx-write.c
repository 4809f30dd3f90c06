/* test-onnx-write.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assay-error.h"
#include "corpus.h"
#include "nnir/pass/assay-canonical.h"
#include "nnir/assay-graph-builder.h"
#include "nnir/text/assay-text.h"
#include "source/assay-source.h"
#include "source/onnx/assay-onnx-write.h"
#include "test-program.h"
#include "written-fixture.h"

/* Up to IR version 3 initializers are listed as inputs too, which a written file does not do. */
static void
append_main (GString *text, const char *line, gboolean old)
{
  g_auto (GStrv) inputs = NULL;
  const char *start = strchr (line, '(') + 1;
  const char *end = strrchr (line, ')');
  g_autofree char *list = g_strndup (start, (gsize) (end - start));
  GString *constants = g_string_new (NULL);
  gboolean first = TRUE;

  g_string_append (text, "main (");
  inputs = g_strsplit (list, ", %", -1);
  for (guint i = 0; inputs[i] != NULL; i++)
    {
      const char *value = inputs[i] + (i == 0 && inputs[i][0] == '%');
      const char *parameter = old ? strstr (value, " param = ") : NULL;

      if (parameter != NULL)
        {
          g_string_append_printf (constants, "  const %%%.*s%s\n", (int) (parameter - value), value,
                                  parameter + strlen (" param"));
          continue;
        }
      g_string_append_printf (text, "%s%s%s", first ? "" : ", ", value[0] != '\0' ? "%" : "",
                              value);
      first = FALSE;
    }
  g_string_append_printf (text, "%s\n%s", end, constants->str);
  g_string_free (constants, TRUE);
}

static void
append_without (GString *text, const char *line, const char *start, const char *end)
{
  const char *from = strstr (line, start);

  if (from == NULL)
    g_string_append_printf (text, "%s\n", line);
  else
    g_string_append_printf (text, "%.*s%s\n", (int) (from - line), line,
                            strstr (from, end) + strlen (end));
}

/* Text of a graph without what a written file may change: versions, and where in the file a node
 * came from. */
static char *
comparable_text (AssayGraph *graph)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = assay_graph_to_text (graph, ASSAY_TEXT_DEFAULT, &error);
  g_auto (GStrv) lines = NULL;
  GString *kept = g_string_new (NULL);

  g_assert_no_error (error);
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      if (g_str_has_prefix (lines[i], "opset ") || g_str_has_prefix (lines[i], "origin "))
        continue;
      if (g_str_has_prefix (lines[i], "main ("))
        append_main (kept, lines[i], graph->ir_version < 4);
      else if (i == 1)
        append_without (kept, lines[i], "ir_version = ", ",");
      else
        append_without (kept, lines[i], " from [", "]");
    }

  return g_string_free (kept, FALSE);
}

static void
show_difference (const char *left, const char *right)
{
  g_auto (GStrv) a = g_strsplit (left, "\n", -1);
  g_auto (GStrv) b = g_strsplit (right, "\n", -1);

  for (guint i = 0; a[i] != NULL || b[i] != NULL; i++)
    {
      if (g_strcmp0 (a[i], b[i]) == 0)
        continue;
      g_test_message ("- %.300s\n+ %.300s", a[i] != NULL ? a[i] : "(end)",
                      b[i] != NULL ? b[i] : "(end)");
      return;
    }
}

static void
check_model (const char *path, gpointer user_data)
{
  g_autoptr (AssayGraph) graph = assay_model_read (path, NULL, NULL, NULL, NULL);
  g_autoptr (AssayGraph) again = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = assay_onnx_write_bytes (graph, &error);
  g_autofree char *text = NULL;
  g_autofree char *text_again = NULL;

  g_assert_no_error (error);
  again = assay_model_read_bytes (bytes, NULL, NULL, NULL, NULL, &error);
  g_assert_no_error (error);

  text = comparable_text (graph);
  text_again = comparable_text (again);
  if (strcmp (text, text_again) != 0)
    {
      show_difference (text, text_again);
      g_error ("%s is not the same after writing", path);
    }
}

/* The canonical form, which has operations of its own and folded constants, is a model too. */
static void
check_canonical (const char *path, gpointer user_data)
{
  g_autoptr (AssayGraph) graph = assay_model_read (path, NULL, NULL, NULL, NULL);
  g_autoptr (AssayGraph) canonical = assay_graph_canonicalize (graph, NULL, NULL, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = assay_onnx_write_bytes (canonical, &error);
  g_autoptr (AssayGraph) read = NULL;
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;

  if (error != NULL)
    g_error ("%s: %s", path, error->message);
  read = assay_model_read_bytes (bytes, NULL, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  before = assay_onnx_comparable_text (canonical, &error);
  g_assert_no_error (error);
  after = assay_onnx_comparable_text (read, &error);
  g_assert_no_error (error);
  if (strcmp (before, after) != 0)
    {
      show_difference (before, after);
      g_error ("%s is not the same after writing its canonical form", path);
    }
}

static void
test_canonical (void)
{
  if (have_models ())
    g_assert_cmpuint (walk_models (ONNX_DATA, check_canonical, NULL), ==, N_ONNX_DATA);
}

/* Import, write, import: the same text, without any exemption. */
static void
test_corpus (void)
{
  if (have_models ())
    g_assert_cmpuint (walk_models (ONNX_DATA, check_model, NULL), ==, N_ONNX_DATA);
}

static AssayGraph *
write_and_read (AssayGraph *graph)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = assay_onnx_write_bytes (graph, &error);
  AssayGraph *read;

  g_assert_no_error (error);
  read = assay_model_read_bytes (bytes, NULL, NULL, NULL, NULL, &error);
  g_assert_no_error (error);

  return read;
}

static gint64
written_opset (const char *text)
{
  g_autoptr (AssayGraph) graph = graph_from_text (text);
  g_autoptr (AssayGraph) read = write_and_read (graph);

  return g_array_index (read->opsets, AssayOpset, 0).version;
}

static void
test_opsets (void)
{
  static const struct
  {
    const char *had;
    const char *input;
    const char *constants;
    const char *node;
    gint64 expected;
  } cases[] = {
    { "21", "f32[2,4]", "", "Relu(%x) : f32[2,4]", 13 },
    { "21", "i8[2,4]", "", "Relu(%x) : i8[2,4]", 14 },
    { "21", "bf16[2,4]", "", "Sin(%x) : bf16[2,4]", 22 },
    { "21", "f32[2,4]", "", "Cast(%x) {to = 22} : i4[2,4]", 21 },
    { "21", "f32[2,4]", "", "Cast(%x) {to = 17, saturate = 0} : f8e4m3fn[2,4]", 19 },
    { "21", "f32[2,4]", "", "Gelu(%x) : f32[2,4]", 20 },
    { "21", "f32[2,4]", "", "Shape(%x) {start = 1} : i64[1]", 15 },
    /* Axes under the name that importing gives them were an attribute, others take opset 18 if the
       model had that. */
    { "13", "f32[2,4]", "const %\"n/axes\" : i64[1] = [1]",
      "ReduceMean(%x, %\"n/axes\") : f32[2,1]", 13 },
    { "18", "f32[2,4]", "const %a : i64[1] = [1]", "ReduceMean(%x, %a) : f32[2,1]", 18 },
    { "17", "f32[2,4]", "const %a : i64[1] = [1]", "ReduceMean(%x, %a) : f32[2,1]", 13 },
    { "17", "f32[2,4]", "", "ReduceMean(%x) {noop_with_empty_axes = 1} : f32[2,4]", 18 },
    { "19", "f32[1,1,4,4]", "const %g : f32[1,2,2,2] = [0, 0, 0, 0, 0, 0, 0, 0]",
      "GridSample(%x, %g) {mode = \"cubic\"} : f32[1,1,2,2]", 16 },
    { "20", "f32[1,1,2,4,4]", "const %g : f32[1,1,1,2,3] = [0, 0, 0, 0, 0, 0]",
      "GridSample(%x, %g) {mode = \"linear\"} : f32[1,1,1,1,2]", 20 },
    /* What is a mistake in the opset that the model had must not begin to mean something in a lower
       one. */
    { "20", "f32[1,1,4,4]", "const %g : f32[1,2,2,2] = [0, 0, 0, 0, 0, 0, 0, 0]",
      "GridSample(%x, %g) {mode = \"bicubic\"} : f32[1,1,2,2]", 20 },
    { "19", "f32[2,4]", "", "ReduceMean(%x) {axes = [1]} : f32[1,1]", 19 },
    { "20", "f32[1,4,2]", "", "DFT(%x) : f32[1,4,2]", 20 },
    { "17", "f32[1,4,2]", "", "DFT(%x) : f32[1,4,2]", 17 },
    { "18", "f32[2,4]", "const %p : i64[4] = [1, 0, 1, 0]",
      "Pad(%x, %p) {mode = \"edge\"} : f32[4,4]", 13 },
    { "19", "f32[2,4]", "const %p : i64[4] = [1, 0, 1, 0]",
      "Pad(%x, %p) {mode = \"wrap\"} : f32[4,4]", 19 },
    { "18", "f32[1,1,5,5]", "",
      "AveragePool(%x) {kernel_shape = [2, 2], strides = [2, 2], ceil_mode = 1}"
      " : f32[1,1,3,3]",
      13 },
    { "19", "f32[1,1,5,5]", "",
      "AveragePool(%x) {kernel_shape = [2, 2], strides = [2, 2], ceil_mode = 1}"
      " : f32[1,1,3,3]",
      19 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strdup_printf (
          "opset \"\" %s\nmain (%%x : %s) {\n  %s\n  %%y = %s @ \"n\"\n"
          "  return %%y\n}\n",
          cases[i].had, cases[i].input, cases[i].constants, cases[i].node);
      gint64 opset = written_opset (text);

      if (opset != cases[i].expected)
        g_error ("%s: opset %" G_GINT64_FORMAT ", expected %" G_GINT64_FORMAT, text, opset,
                 cases[i].expected);
    }
}

/* A split in equal parts needs no number of them; opset 18 brought the smaller last one. */
static void
test_split (void)
{
  g_assert_cmpint (
      written_opset ("opset \"\" 13\nmain (%x : f32[6]) {\n"
                     "  %a, %b = Split(%x) {num_outputs = 2} : f32[3], f32[3] @ \"n\"\n"
                     "  return %a, %b\n}\n"),
      ==, 13);
  g_assert_cmpint (
      written_opset ("opset \"\" 18\nmain (%x : f32[7]) {\n"
                     "  %a, %b = Split(%x) {num_outputs = 2} : f32[4], f32[3] @ \"n\"\n"
                     "  return %a, %b\n}\n"),
      ==, 18);
}

/* Values of one name that see each other get a number; graphs side by side do not mind. */
static void
test_names (void)
{
  g_autoptr (AssayGraph) graph = graph_from_text ("opset \"\" 13\n"
                                                  "main (%c : bool[], %x : f32[2]) {\n"
                                                  "  %t = Relu(%x) : f32[2] @ \"first\"\n"
                                                  "  %t#1 = Neg(%t) : f32[2] @ \"second\"\n"
                                                  "  %y = If(%c) {then_branch = region \"a\" () {\n"
                                                  "    %t#2 = Abs(%t#1) : f32[2] @ \"third\"\n"
                                                  "    %u = Abs(%t#2) : f32[2] @ \"fourth\"\n"
                                                  "    return %u\n"
                                                  "  }, else_branch = region \"b\" () {\n"
                                                  "    %u#1 = Neg(%t) : f32[2] @ \"fifth\"\n"
                                                  "    return %u#1\n"
                                                  "  }} : f32[2] @ \"if\"\n"
                                                  "  return %y\n"
                                                  "}\n");
  g_autoptr (AssayGraph) read = write_and_read (graph);
  g_autofree char *text = assay_graph_to_text (read, ASSAY_TEXT_DEFAULT, NULL);
  static const char *const expected[] = { "%t = Relu(%x)", "%t_2 = Neg(%t)", "%t_3 = Abs(%t_2)",
                                          "%u = Abs(%t_3)", "= Neg(%t)" };

  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      if (strstr (text, expected[i]) == NULL)
        g_error ("%s is not in\n%s", expected[i], text);
    }
}

typedef struct
{
  char *folder;
  char *path;
  char *beside;
  AssayGraph *graph;
} Place;

/* A product with a matrix of 16 KiB, and a vector that is too small to be put beside the model. */
static AssayGraph *
weighty_graph (guint seed)
{
  static const gint64 dims[] = { 64, 64 };
  g_autofree float *weights = g_new (float, 64 * 64);
  g_autoptr (AssayTensor) matrix = NULL;
  g_autoptr (AssayTensor) vector = NULL;
  AssayGraph *graph = graph_from_text ("opset \"\" 13\nmain (%x : f32[64,64]) {\n  return %x\n}\n");
  AssayValueId operands[3];
  AssayValueId results[2];

  for (guint i = 0; i < 64 * 64; i++)
    weights[i] = (float) (i * seed);
  matrix = assay_tensor_new_f32 (2, dims, weights);
  vector = assay_tensor_new_f32 (1, dims, weights);
  operands[0] = g_array_index (assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs, AssayValueId,
                               0);
  operands[1] = assay_graph_add_constant (graph, ASSAY_MAIN_REGION, "matrix", matrix);
  operands[2] = assay_graph_add_constant (graph, ASSAY_MAIN_REGION, "vector", vector);
  results[0] = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, "p", NULL);
  results[1] = assay_graph_add_value (graph, ASSAY_MAIN_REGION, ASSAY_VALUE_RESULT, "q", NULL);
  assay_graph_add_node (graph, ASSAY_MAIN_REGION, ASSAY_OP_MatMul, "product", 2, operands, 1,
                        results);
  operands[1] = results[0];
  assay_graph_add_node (graph, ASSAY_MAIN_REGION, ASSAY_OP_Add, "sum", 2, operands + 1, 1,
                        results + 1);
  assay_graph_add_output (graph, ASSAY_MAIN_REGION, results[1]);
  g_assert_true (assay_graph_infer (graph, NULL, NULL, NULL));

  return graph;
}

static void
place_init (Place *self, guint seed)
{
  self->folder = g_dir_make_tmp ("assay-test-XXXXXX", NULL);
  self->path = g_build_filename (self->folder, "model.onnx", NULL);
  self->beside = g_build_filename (self->folder, "model.onnx.data", NULL);
  self->graph = weighty_graph (seed);
}

static void
place_clear (Place *self)
{
  g_unlink (self->path);
  g_unlink (self->beside);

  /* Nothing else may be left. */
  g_assert_cmpint (g_rmdir (self->folder), ==, 0);
  g_free (self->folder);
  g_free (self->path);
  g_free (self->beside);
  assay_graph_unref (self->graph);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Place, place_clear)

static void
write_place (Place *place, const AssayOnnxWriteOptions *options)
{
  g_autoptr (GError) error = NULL;

  assay_onnx_write_file (place->graph, place->path, options, NULL, &error);
  g_assert_no_error (error);
}

static void
check_place (Place *place, Place *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGraph) read = assay_model_read (place->path, NULL, NULL, NULL, &error);
  g_autofree char *text = NULL;
  g_autofree char *expected_text = NULL;

  g_assert_no_error (error);
  text = assay_onnx_comparable_text (read, &error);
  g_assert_no_error (error);
  expected_text = assay_onnx_comparable_text (expected->graph, &error);
  g_assert_true (strcmp (text, expected_text) == 0);
}

static void
test_beside (void)
{
  const AssayOnnxWriteOptions small = { .max_bytes = 8192 };
  g_auto (Place) place = { 0 };
  g_auto (Place) other = { 0 };
  GStatBuf about;

  place_init (&place, 1);
  place_init (&other, 2);
  write_place (&place, &small);
  g_assert_cmpint (g_stat (place.path, &about), ==, 0);
  g_assert_cmpint (about.st_size, <, 2000);
  g_assert_cmpint (g_stat (place.beside, &about), ==, 0);
  g_assert_cmpint (about.st_size, ==, 64 * 64 * 4);
  check_place (&place, &place);

  /* Model and weights are replaced together. */
  g_clear_pointer (&place.graph, assay_graph_unref);
  place.graph = assay_graph_ref (other.graph);
  write_place (&place, &small);
  check_place (&place, &other);
}

/* A model is written over the very file that its weights are mapped from. */
static void
test_over_itself (void)
{
  g_auto (Place) place = { 0 };
  g_autoptr (AssayGraph) mapped = NULL;
  g_autoptr (GError) error = NULL;

  place_init (&place, 3);
  write_place (&place, NULL);
  mapped = assay_model_read (place.path, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 2; i++)
    {
      assay_onnx_write_file (mapped, place.path, NULL, NULL, &error);
      g_assert_no_error (error);
    }
  check_place (&place, &place);
}

static gboolean
object (const char *path, gpointer user_data, GError **error)
{
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
  g_set_error_literal (error, ASSAY_ERROR, ASSAY_ERROR_SAVE, "no");
  return FALSE;
}

/* Whatever goes wrong, model and weights are as before. */
static void
expect_untouched (const AssayOnnxWriteOptions *options, const AssayProgress *progress, rlim_t limit,
                  AssayError code)
{
  const AssayOnnxWriteOptions small = { .max_bytes = 8192 };
  g_auto (Place) place = { 0 };
  g_auto (Place) other = { 0 };
  g_autoptr (GError) error = NULL;
  struct rlimit before;
  struct rlimit now;

  place_init (&place, 1);
  place_init (&other, 2);
  write_place (&place, &small);

  getrlimit (RLIMIT_FSIZE, &before);
  now = before;
  now.rlim_cur = limit;
  setrlimit (RLIMIT_FSIZE, &now);
  g_assert_false (assay_onnx_write_file (other.graph, place.path, options, progress, &error));
  setrlimit (RLIMIT_FSIZE, &before);

  g_assert_error (error, ASSAY_ERROR, (int) code);
  check_place (&place, &place);
}

static void
test_failures (void)
{
  const AssayOnnxWriteOptions small = { .max_bytes = 8192 };
  const AssayOnnxWriteOptions objection = { .check = object };
  const AssayOnnxWriteOptions both = { .max_bytes = 8192, .check = object };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const AssayProgress cancelled = ASSAY_PROGRESS_INIT (NULL, NULL, cancellable);

  /* A full disk says that a write is too long, here at 10,000 bytes and after the weights. */
  signal (SIGXFSZ, SIG_IGN);
  expect_untouched (NULL, NULL, 10000, ASSAY_ERROR_SAVE);
  expect_untouched (&small, NULL, 10000, ASSAY_ERROR_SAVE);
  expect_untouched (NULL, NULL, 0, ASSAY_ERROR_SAVE);
  expect_untouched (&objection, NULL, RLIM_INFINITY, ASSAY_ERROR_SAVE);
  expect_untouched (&both, NULL, RLIM_INFINITY, ASSAY_ERROR_SAVE);

  g_cancellable_cancel (cancellable);
  expect_untouched (NULL, &cancelled, RLIM_INFINITY, ASSAY_ERROR_CANCELLED);
  expect_untouched (&small, &cancelled, RLIM_INFINITY, ASSAY_ERROR_CANCELLED);
}

static void
test_bad_paths (void)
{
  g_auto (Place) place = { 0 };
  g_autofree char *nowhere = NULL;
  g_autoptr (GError) error = NULL;

  place_init (&place, 1);
  nowhere = g_build_filename (place.folder, "nowhere", "model.onnx", NULL);
  g_assert_false (assay_onnx_write_file (place.graph, nowhere, NULL, NULL, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_SAVE);
  g_assert_nonnull (strstr (error->message, nowhere));
  g_clear_error (&error);

  g_assert_false (assay_onnx_write_file (place.graph, place.folder, NULL, NULL, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_SAVE);
  g_clear_error (&error);

  g_assert_cmpint (mkfifo (place.path, 0600), ==, 0);
  g_assert_false (assay_onnx_write_file (place.graph, place.path, NULL, NULL, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_SAVE);
  g_assert_false (g_file_test (place.path, G_FILE_TEST_IS_REGULAR));
}

/* A link keeps pointing to the file, which is what is replaced. */
static void
test_link (void)
{
  g_auto (Place) place = { 0 };
  g_autofree char *link = NULL;
  g_autoptr (GError) error = NULL;

  place_init (&place, 1);
  write_place (&place, NULL);
  link = g_build_filename (place.folder, "link.onnx", NULL);
  g_assert_cmpint (symlink ("model.onnx", link), ==, 0);
  assay_onnx_write_file (place.graph, link, NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
  g_unlink (link);
  check_place (&place, &place);
}

/* What no file can say is refused by name. */
static void
test_refused (void)
{
  static const struct
  {
    const char *text;
    const char *expected;
  } cases[] = {
    { "main (%x : f32[2]) {\n  missing %m : f32[2]\n  %y = Add(%x, %m) : f32[2] @ \"sum\"\n  "
      "return %y\n}\n",
      "node “sum” reads “m”" },
    { "main (%x : f32[2]) {\n  missing %m : f32[2]\n  return %m\n}\n",
      "output that nothing writes" },
    { "main (%x : f32[2] param) {\n  return %x\n}\n", "the default of input “x” cannot be read" },
    { "opset \"\" 6\nmain (%x : f32[2]) {\n  %y = Neg(%x) {broadcast = 1} : f32[2] @ \"n\"\n  "
      "return %y\n}\n",
      "node “n” has the attribute “broadcast”" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AssayGraph) graph = graph_from_text (cases[i].text);
      g_autoptr (GError) error = NULL;

      g_assert_null (assay_onnx_write_bytes (graph, &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED);
      if (strstr (error->message, cases[i].expected) == NULL)
        g_error ("%s", error->message);
    }
}

TEST_PROGRAM (onnx_write)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/onnx-write/corpus", test_corpus);
  g_test_add_func ("/onnx-write/canonical", test_canonical);
  g_test_add_func ("/onnx-write/opsets", test_opsets);
  g_test_add_func ("/onnx-write/split", test_split);
  g_test_add_func ("/onnx-write/names", test_names);
  g_test_add_func ("/onnx-write/beside", test_beside);
  g_test_add_func ("/onnx-write/over-itself", test_over_itself);
  g_test_add_func ("/onnx-write/failures", test_failures);
  g_test_add_func ("/onnx-write/bad-paths", test_bad_paths);
  g_test_add_func ("/onnx-write/link", test_link);
  g_test_add_func ("/onnx-write/refused", test_refused);

  return g_test_run ();
}
