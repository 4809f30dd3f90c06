/* test-reduce.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <string.h>

#include "base/assay-error.h"
#include "reduce/assay-reduce.h"
#include "reduce/assay-shrink.h"
#include "source/assay-source.h"

#include "test-program.h"

#define TARGET "ia_420f_c6b32"

/* Two branches, shapes that are computed, and a node of each kind on the way. */
static const char text[] = "main (%x : f32[4,256], %k : f32[256,8]) {\n"
                           "  const %two : i64[2] = [8, 4]\n"
                           "  %a = Relu(%x) @ \"a\"\n"
                           "  %b = MatMul(%a, %k) @ \"b\"\n"
                           "  %s = Shape(%b) @ \"s\"\n"
                           "  %c = Reshape(%b, %s) @ \"c\"\n"
                           "  %d = Erf(%c) @ \"d\"\n"
                           "  %e = Tanh(%c) @ \"e\"\n"
                           "  %f = Add(%d, %e) @ \"f\"\n"
                           "  %g = Reshape(%f, %two) @ \"g\"\n"
                           "  return %g\n"
                           "}\n";

static AssayWork *
open_work (const char *target_id)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (text, strlen (text));
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayGraph) graph = assay_model_read_bytes (bytes, "x.nnir", NULL, NULL, NULL, &error);
  g_autoptr (AssayTarget) target = NULL;

  g_assert_no_error (error);
  target = target_id != NULL ? assay_target_load (target_id, &error) : NULL;
  g_assert_no_error (error);

  return assay_work_new_for_graph (NULL, graph, target, NULL);
}

static GHashTable *
make_inputs (void)
{
  const gint64 x_dims[] = { 4, 256 }, k_dims[] = { 256, 8 };
  GHashTable *inputs = assay_reduce_inputs_new ();
  float values[2048];

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    values[i] = (float) ((i * 619) % 2039) * 0.0031f - 1;
  g_hash_table_insert (inputs, g_strdup ("x"), assay_tensor_new_f32 (2, x_dims, values));
  g_hash_table_insert (inputs, g_strdup ("k"), assay_tensor_new_f32 (2, k_dims, values));

  return inputs;
}

static const AssayNode *
only_node (AssayReduction *reduction)
{
  AssayGraph *graph = assay_work_get_graph (reduction->work, NULL, NULL);
  const GArray *nodes = assay_graph_region (graph, ASSAY_MAIN_REGION)->nodes;

  g_assert_cmpuint (reduction->n_nodes, ==, 1);
  g_assert_cmpuint (nodes->len, ==, 1);

  return assay_graph_node (graph, g_array_index (nodes, AssayNodeId, 0));
}

/* Each rule that refuses something keeps a node that it refuses. */
static void
test_rejected (void)
{
  g_autoptr (AssayWork) work = open_work (TARGET);
  g_autoptr (GHashTable) inputs = assay_reduce_inputs_new ();
  AssayVerdicts *verdicts = assay_work_get_verdicts (work, NULL, NULL);

  g_assert_cmpuint (verdicts->causes->len, >, 0);
  for (guint i = 0; i < verdicts->causes->len; i++)
    {
      const AssayCause *cause = &g_array_index (verdicts->causes, AssayCause, i);
      g_autofree char *spec = g_strconcat ("rejected:", cause->rule, NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (AssaySymptom) symptom = assay_symptom_new (spec, &error);
      g_autoptr (AssayReduction) reduction = NULL;

      g_assert_no_error (error);
      reduction = assay_reduce (work, symptom, inputs, 1000, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpstr (reduction->seen, ==, cause->rule);
      g_assert_true (reduction->is_least);
      g_assert_cmpuint (reduction->n_nodes, <=, 2);
      g_assert_cmpuint (reduction->n_nodes_before, ==, 8);
    }
}

/* What was computed before the node comes in as it was, shapes as constants. */
static void
test_outside (void)
{
  static const char tolerance[] =
      "{\"schema\": \"assay.tolerance/1\", \"bf16\": {\"any\": 64}, \"fp32\": "
      "{\"any\": 1000000, \"rules\": [{\"op\": [\"MatMul\"], \"ulp\": 0}]}}";
  g_autoptr (AssayWork) work = open_work (NULL);
  g_autoptr (GHashTable) inputs = make_inputs ();
  g_autoptr (GBytes) bytes = g_bytes_new_static (tolerance, strlen (tolerance));
  g_autoptr (GError) error = NULL;
  g_autoptr (AssaySymptom) symptom = assay_symptom_new ("outside", &error);
  g_autoptr (AssayReduction) reduction = NULL;
  const AssayNode *node;
  AssayTensor *tensor;
  double value;

  g_assert_no_error (error);
  assay_symptom_set_runners (symptom, "reference-fp64", "reference");
  symptom->tolerance = assay_tolerance_load_bytes (bytes, "x", &error);
  g_assert_no_error (error);
  reduction = assay_reduce (work, symptom, inputs, 1000, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (reduction->seen, ==, "MatMul");
  node = only_node (reduction);
  g_assert_cmpstr (node->op_type, ==, "MatMul");
  g_assert_cmpuint (g_hash_table_size (reduction->inputs), ==, 2);
  tensor = g_hash_table_lookup (reduction->inputs, "a");
  g_assert_nonnull (tensor);
  g_assert_true (assay_tensor_get_element (tensor, 0, &value, NULL));
  g_assert_cmpfloat (value, >=, 0);
  g_assert_cmpuint (assay_tensor_get_n_elements (tensor), <, 1024);
}

static void
test_command (void)
{
  g_autoptr (AssayWork) work = open_work (NULL);
  g_autoptr (GHashTable) inputs = assay_reduce_inputs_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (AssaySymptom) symptom = assay_symptom_new ("command:! grep -q Erf {}", &error);
  g_autoptr (AssaySymptom) other = assay_symptom_new ("command:grep -q Relu {}", NULL);
  g_autoptr (AssayReduction) reduction = NULL, none = NULL;

  g_assert_no_error (error);
  reduction = assay_reduce (work, symptom, inputs, 1000, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (only_node (reduction)->op_type, ==, "Erf");

  none = assay_reduce (work, other, inputs, 1000, NULL, &error);
  g_assert_null (none);
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
}

/* What is nested is cut too: a branch takes the place of its If, and bodies lose what does nothing.
 */
static void
test_nested (void)
{
  static const struct
  {
    const char *model;
    const char *left; /* operations that are left, nested ones included */
  } cases[] = {
    { "main (%c : bool[], %x : f32[4]) {\n"
      "  %y = If(%c) {then_branch = region \"t\" () { %a = Relu(%x) : f32[4] %b = Erf(%a) : f32[4] "
      "%d = Tanh(%b) :"
      " f32[4] return %d }, else_branch = region \"e\" () { %e = Neg(%x) : f32[4] return %e } } : "
      "f32[4]\n"
      "  return %y\n}\n",
      "Erf" },
    /* Two Ifs, each in the best that was found before, and pieces that go in between. */
    { "main (%c : bool[], %x : f32[4]) {\n"
      "  %p = Abs(%x) : f32[4]\n"
      "  %y = If(%c) {then_branch = region \"t\" () { %q = Ceil(%p) : f32[4] %z = If(%c) "
      "{then_branch = region \"u\" () { %a = Relu(%q) : f32[4] %b = Erf(%a) : f32[4] return %b }, "
      "else_branch = region \"v\" () { %d = Neg(%q) : f32[4] return %d } } : f32[4] return %z }, "
      "else_branch = region \"e\" () { %e = Neg(%p) : f32[4] return %e } } : f32[4]\n"
      "  %r = Tanh(%y) : f32[4]\n"
      "  return %r\n}\n",
      "Erf" },
    { "main (%n : i64[], %c : bool[], %x : f32[4]) {\n"
      "  %y = Loop(%n, %c, %x) {body = region \"b\" (%i : i64[], %k : bool[], %v : f32[4]) {\n"
      "    %a = Relu(%v) : f32[4] %b = Erf(%a) : f32[4] %d = Tanh(%b) : f32[4] return %k, %d } } :"
      " f32[4]\n  return %y\n}\n",
      "Loop Erf" },
    { "main (%s : f32[2], %x : f32[3,2]) {\n"
      "  %t, %y = Scan(%s, %x) {num_scan_inputs = 1, body = region \"b\" (%h : f32[2], %v : "
      "f32[2]) {\n"
      "    %a = Add(%h, %v) : f32[2] %b = Erf(%a) : f32[2] %d = Tanh(%b) : f32[2] return %a, %d } }"
      " : f32[2], f32[3,2]\n  return %t, %y\n}\n",
      "Scan Erf" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new_static (cases[i].model, strlen (cases[i].model));
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayGraph)
          graph = assay_model_read_bytes (bytes, "x.nnir", NULL, NULL, NULL, &error);
      g_autoptr (AssayWork) work = NULL;
      g_autoptr (GHashTable) inputs = assay_reduce_inputs_new ();
      g_autoptr (AssaySymptom) symptom = assay_symptom_new ("command:! grep -q Erf {}", NULL);
      g_autoptr (AssayReduction) reduction = NULL;
      g_autoptr (GString) left = g_string_new (NULL);

      g_assert_no_error (error);
      work = assay_work_new_for_graph (NULL, graph, NULL, NULL);
      reduction = assay_reduce (work, symptom, inputs, 1000, NULL, &error);
      g_assert_no_error (error);
      graph = (assay_graph_unref (graph),
               assay_graph_ref (assay_work_get_graph (reduction->work, NULL, NULL)));
      for (AssayNodeId id = 1; id < assay_graph_n_nodes (graph); id++)
        g_string_append_printf (left, "%s%s", id > 1 ? " " : "",
                                assay_graph_node (graph, id)->op_type);
      g_assert_cmpstr (left->str, ==, cases[i].left);
    }
}

static void
test_cancel (void)
{
  g_autoptr (AssayWork) work = open_work (TARGET);
  g_autoptr (GHashTable) inputs = assay_reduce_inputs_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const AssayProgress progress = ASSAY_PROGRESS_INIT (NULL, NULL, cancellable);
  g_autoptr (AssaySymptom) symptom = assay_symptom_new ("rejected", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (assay_work_get_graph (work, NULL, NULL));
  g_cancellable_cancel (cancellable);
  g_assert_null (assay_reduce (work, symptom, inputs, 1000, &progress, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED);
}

/* Parts of a tensor along each axis, against indices. */
static void
test_take (void)
{
  const gint64 dims[] = { 2, 3, 4 };
  float values[24];
  g_autoptr (AssayTensor) tensor = NULL;

  for (guint i = 0; i < 24; i++)
    values[i] = (float) i;
  tensor = assay_tensor_new_f32 (3, dims, values);
  for (guint axis = 0; axis < 3; axis++)
    for (gint64 n = 0; n <= dims[axis]; n++)
      {
        g_autoptr (AssayTensor) part = assay_tensor_take (tensor, axis, n, NULL);
        const gint64 *taken = assay_tensor_get_dims (part);
        gsize index = 0;

        g_assert_cmpint (taken[axis], ==, n);
        for (gint64 i = 0; i < taken[0]; i++)
          for (gint64 j = 0; j < taken[1]; j++)
            for (gint64 k = 0; k < taken[2]; k++)
              {
                double value;

                g_assert_true (assay_tensor_get_element (part, index++, &value, NULL));
                g_assert_cmpfloat (value, ==, (double) ((i * 3 + j) * 4 + k));
              }
        g_assert_cmpuint (index, ==, assay_tensor_get_n_elements (part));
      }
}

TEST_PROGRAM (reduce)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/reduce/rejected", test_rejected);
  g_test_add_func ("/reduce/outside", test_outside);
  g_test_add_func ("/reduce/command", test_command);
  g_test_add_func ("/reduce/nested", test_nested);
  g_test_add_func ("/reduce/cancel", test_cancel);
  g_test_add_func ("/reduce/take", test_take);

  return g_test_run ();
}
