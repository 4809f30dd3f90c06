/* test-model-save.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <glib/gstdio.h>

#include "corpus.h"
#include "fix/assay-fix-same.h"
#include "fix/assay-model-save.h"
#include "nnir/text/assay-text.h"
#include "source/assay-source.h"
#include "source/onnx/assay-onnx-write.h"
#include "test-program.h"
#include "written-fixture.h"

typedef struct
{
  char *path;
  guint n_outputs;
  guint n_text;
} Count;

static void
save_model (const char *path, gpointer user_data)
{
  Count *count = user_data;
  g_autoptr (AssayGraph) graph = assay_model_read (path, NULL, NULL, NULL, NULL);
  g_auto (AssayModelSave) result = { 0 };
  g_autoptr (GError) error = NULL;

  if (!assay_model_save (graph, count->path, NULL, &result, &error))
    g_error ("%s: %s", path, error->message);
  g_assert_true (result.proof == ASSAY_SAVE_OUTPUTS || result.reason != NULL);
  count->n_outputs += result.proof == ASSAY_SAVE_OUTPUTS;
  count->n_text += result.proof == ASSAY_SAVE_TEXT;
}

/* Every model can be saved, and what keeps some from being run is in the models: strings,
 * sequences, random numbers, inputs that say what shape there has to be, a depth or a size, which
 * numbers at random are not. */
static void
test_corpus (void)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-test-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "model.onnx", NULL);
  Count count = { .path = path };

  if (have_models ())
    {
      g_assert_cmpuint (walk_models (ONNX_DATA, save_model, &count), ==, N_ONNX_DATA);
      g_assert_cmpuint (count.n_outputs + count.n_text, ==, N_ONNX_DATA);
      g_assert_cmpuint (count.n_outputs, >=, 945);
      g_unlink (path);
    }
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
save_text (const char *text, AssayModelSave *result)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-test-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "model.onnx", NULL);
  g_autoptr (AssayGraph) graph = graph_from_text (text);
  g_autoptr (GError) error = NULL;

  assay_model_save (graph, path, NULL, result, &error);
  g_assert_no_error (error);
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
test_outputs (void)
{
  g_auto (AssayModelSave) result = { 0 };
  g_autofree char *sentence = NULL;

  save_text ("main (%x : f32[batch,4]) {\n"
             "  %y = Relu(%x) : f32[batch,4] @ \"r\"\n"
             "  return %y\n"
             "}\n",
             &result);
  g_assert_cmpint (result.proof, ==, ASSAY_SAVE_OUTPUTS);
  g_assert_cmpuint (result.n_runs, ==, 2);
  g_assert_cmpuint (result.n_outputs, ==, 1);
  g_assert_cmpint (result.opset, ==, 13);
  g_assert_cmpuint (result.n_bytes, >, 40);
  g_assert_null (result.beside);
  sentence = assay_model_save_describe (&result);
  g_assert_cmpstr (sentence, ==, "Read back: 1 output equal to the bit for 2 random inputs");
}

/* What cannot be run is compared as text, and then names must stay, even if that takes a newer
 * opset. */
static void
test_text (void)
{
  g_auto (AssayModelSave) result = { 0 };

  save_text ("opset \"\" 13\n"
             "opset \"house\" 3\n"
             "main (%x : f32[2,4]) {\n"
             "  const %which : i64[1] = [1]\n"
             "  %h = house::Odd(%x) {shine = 2} : f32[2,4] @ \"odd\"\n"
             "  %y = ReduceMean(%h, %which) {keepdims = 0} : f32[2] @ \"mean\"\n"
             "  return %y\n"
             "}\n",
             &result);
  g_assert_cmpint (result.proof, ==, ASSAY_SAVE_TEXT);
  g_assert_cmpstr (result.reason, ==, "Odd is not an operator that can be evaluated");
  g_assert_cmpint (result.opset, ==, 18);
}

/* What can be run may have its constants as attributes. */
static void
test_renamed (void)
{
  g_auto (AssayModelSave) result = { 0 };

  save_text ("opset \"\" 13\n"
             "main (%x : f32[2,4]) {\n"
             "  const %which : i64[1] = [1]\n"
             "  %y = ReduceMean(%x, %which) {keepdims = 0} : f32[2] @ \"mean\"\n"
             "  return %y\n"
             "}\n",
             &result);
  g_assert_cmpint (result.proof, ==, ASSAY_SAVE_OUTPUTS);
  g_assert_cmpint (result.opset, ==, 13);
}

/* What only NNIR has is written with operations of ONNX. */
static void
test_canonical (void)
{
  static const char *const products[] = {
    "Linear(%x, %w) {}",
    "Linear(%x, %w, %b) {}",
    "Linear(%x, %w) {alpha = 0.3}",
    "Linear(%x, %w, %b) {alpha = 0.3, beta = 0.7}",
    "Linear(%x, %w, %b) {transpose_weight = 1}",
    "Linear(%x, %w) {side = \"left\"}",
    "Linear(%x, %w, %b) {side = \"left\", transpose_weight = 1, beta = 0.5}",
  };

  for (guint i = 0; i < G_N_ELEMENTS (products); i++)
    {
      g_autofree char *text = g_strdup_printf ("main (%%x : f32[2,2]) {\n"
                                               "  const %%w : f32[2,2] = [1, 2, 3, 4.5]\n"
                                               "  const %%b : f32[2] = [0.5, -3]\n"
                                               "  %%y = assay::%s : f32[2,2] @ \"last\"\n"
                                               "  %%p = Abs(%%y) : f32[2,2] @ \"positive\"\n"
                                               "  %%z = assay::Rsqrt(%%p) : f32[2,2] @ \"root\"\n"
                                               "  return %%y, %%z\n"
                                               "}\n",
                                               products[i]);
      const AssayFixOptions options = { .n_runs = 4, .seconds = 1 };
      g_autoptr (AssayGraph) graph = graph_from_text (text);
      g_autoptr (AssayFixRuns) runs = assay_fix_runs_new (graph, &options);
      g_autoptr (AssayGraph) expanded = assay_onnx_expand (graph, NULL);
      g_auto (AssayModelSave) result = { 0 };
      AssayFixOffer offer = { 0 };

      g_assert_true (assay_fix_runs_compare (runs, expanded, &offer, NULL, NULL));
      g_assert_cmpuint (offer.n_runs, ==, 4);
      g_assert_cmpfloat (offer.max_error, <=, 4);

      save_text (text, &result);
      g_assert_cmpint (result.proof, ==, ASSAY_SAVE_OUTPUTS);
      g_assert_cmpint (result.opset, ==, 13);
    }
}

/* What no file can say is refused by name, and nothing is left behind. */
static void
test_refused (void)
{
  g_autofree char *folder = g_dir_make_tmp ("assay-test-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "model.onnx", NULL);
  g_autoptr (AssayGraph) graph = graph_from_text ("main (%x : f32[2]) {\n"
                                                  "  missing %m : f32[2]\n"
                                                  "  %y = Add(%x, %m) : f32[2] @ \"sum\"\n"
                                                  "  return %y\n"
                                                  "}\n");
  g_auto (AssayModelSave) result = { 0 };
  g_autoptr (GError) error = NULL;

  g_assert_false (assay_model_save (graph, path, NULL, &result, &error));
  g_assert_nonnull (strstr (error->message, "“sum”"));
  g_assert_cmpint (result.proof, ==, ASSAY_SAVE_NONE);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

TEST_PROGRAM (model_save)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/model-save/corpus", test_corpus);
  g_test_add_func ("/model-save/outputs", test_outputs);
  g_test_add_func ("/model-save/text", test_text);
  g_test_add_func ("/model-save/renamed", test_renamed);
  g_test_add_func ("/model-save/canonical", test_canonical);
  g_test_add_func ("/model-save/refused", test_refused);

  return g_test_run ();
}
