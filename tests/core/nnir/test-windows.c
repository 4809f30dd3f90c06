/* test-windows.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Windows are read in one place: everything that looks at one has to see the same. `pads` beside
 * auto_pad VALID do not count, as in ONNX Runtime.
 */
#include <string.h>

#include "backend/stream/machine/assay-stream-code-file.h"
#include "base/assay-tensor-read.h"
#include "evaluate/assay-evaluate.h"
#include "machine-run.h"
#include "nnir/assay-node-window.h"
#include "target/assay-verdict.h"
#include "graphs.h"
#include "test-program.h"

static const char *const bodies[] = {
  "(%x : f32[1,4,8], %w : f32[8,4,3] param) { %y = Conv(%x, %w) {@} return %y }",
  "(%x : f32[1,4,8], %w : f32[4,3,3] param) { %y = ConvTranspose(%x, %w) {@} return %y }",
  "(%x : f32[1,4,8]) { %y = MaxPool(%x) {kernel_shape = [3], @} return %y }",
  "(%x : f32[1,4,8]) { %y = AveragePool(%x) {kernel_shape = [3], @} return %y }",
  "(%x : f32[1,4,8]) { %y = LpPool(%x) {kernel_shape = [3], @} return %y }",
};

static const AssayNode *
first_node (const AssayGraph *graph)
{
  return assay_graph_node (graph, 1);
}

/* A graph with attributes in place of the at sign. */
static AssayGraph *
make (const char *body, const char *attributes)
{
  g_autoptr (GString) text = g_string_new (body);

  g_string_replace (text, "@", attributes, 1);

  return machine_graph_from_text (text->str);
}

/* The verdicts of a target as text; an error as its message. */
static char *
check (const char *name, AssayGraph *graph)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayTarget) target = assay_target_load (name, &error);
  g_autoptr (AssayVerdicts) verdicts = NULL;
  GString *text = g_string_new (NULL);

  g_assert_no_error (error);
  verdicts = graph_verdicts (target, graph, NULL, &error);
  for (AssayNodeId id = 1; verdicts != NULL && id < assay_graph_n_nodes (verdicts->graph); id++)
    {
      const AssayVerdict *verdict = assay_verdicts_get (verdicts, id);

      if (verdict != NULL)
        g_string_append_printf (text, "%d %s %s\n", verdict->kind, verdict->rule, verdict->reason);
    }
  if (error != NULL)
    g_string_append (text, error->message);

  return g_string_free (text, FALSE);
}

static GBytes *
compile (AssayGraph *graph)
{
  const AssayConfigValues config = MACHINE_CONFIG (3, 4);
  const AssayCompileOptions options = { 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayStreamCode) code = assay_compile (graph, &config, &options, NULL, &error);

  return code != NULL ? assay_stream_code_to_bytes (code)
                      : g_bytes_new (error->message, strlen (error->message));
}

static GPtrArray *
evaluate (AssayGraph *graph)
{
  const AssayEvaluateOptions options = ASSAY_EVALUATE_OPTIONS_DEFAULT;
  static const char *const names[] = { "x" };
  float values[32];
  g_autoptr (AssayTensor) x = NULL;
  g_autoptr (GError) error = NULL;
  GPtrArray *outputs;

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    values[i] = (float) (i * 7 % 11) - 5;
  x = assay_tensor_new_f32 (3, (gint64[]){ 1, 4, 8 }, values);
  outputs = assay_evaluate_graph (graph, &options, 1, names, &x, NULL, &error);
  g_assert_no_error (error);

  return outputs;
}

static void
assert_same_outputs (AssayGraph *a, AssayGraph *b)
{
  g_autoptr (GPtrArray) left = evaluate (a), right = evaluate (b);
  gsize n = assay_tensor_get_n_elements (left->pdata[0]);
  g_autofree double *y = g_new (double, n + 1);
  g_autofree double *z = g_new (double, n + 1);

  g_assert_cmpuint (n, ==, assay_tensor_get_n_elements (right->pdata[0]));
  g_assert_true (assay_tensor_read_doubles (left->pdata[0], 0, n, y, NULL));
  g_assert_true (assay_tensor_read_doubles (right->pdata[0], 0, n, z, NULL));
  g_assert_cmpmem (y, n * sizeof *y, z, n * sizeof *z);
}

/* The extent of the output as the window says, as inference does and as the evaluator makes it. */
static void
assert_extent (AssayGraph *graph, AssayNodeWindow *window)
{
  g_autoptr (GPtrArray) outputs = evaluate (graph);

  g_assert_true (assay_node_get_window (graph, first_node (graph), window));
  g_assert_cmpint (window->out[0], ==, assay_tensor_get_dims (outputs->pdata[0])[2]);
  g_assert_cmpint (window->out[0], ==,
                   assay_graph_value (graph, first_node (graph)->outputs[0])->type->dims[2].size);
}

static void
assert_same (AssayGraph *a, AssayGraph *b)
{
  g_autofree char *type_a = assay_type_to_string (
      assay_graph_value (a, first_node (a)->outputs[0])->type);
  g_autofree char *type_b = assay_type_to_string (
      assay_graph_value (b, first_node (b)->outputs[0])->type);
  g_autoptr (GBytes) code_a = compile (a), code_b = compile (b);
  g_auto (GStrv) targets = assay_target_list ();

  g_assert_cmpstr (type_a, ==, type_b);
  assert_same_outputs (a, b);
  g_assert_true (g_bytes_equal (code_a, code_b));
  for (guint i = 0; targets[i] != NULL; i++)
    {
      g_autofree char *verdict_a = check (targets[i], a), *verdict_b = check (targets[i], b);

      g_assert_cmpstr (verdict_a, ==, verdict_b);
    }
}

/* Inference, evaluator, verdicts of all targets and the compiler. */
static void
test_valid (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (bodies); i++)
    {
      g_autoptr (AssayGraph) padded = make (bodies[i], "auto_pad = \"VALID\", pads = [1, 2]");
      g_autoptr (AssayGraph) plain = make (bodies[i], "auto_pad = \"VALID\"");

      assert_same (padded, plain);
    }
}

/* What SAME comes to, written out: the extents of the output and all numbers. */
static void
test_same (void)
{
  static const struct
  {
    const char *given;
    const char *meant;
  } cases[] = {
    { "auto_pad = \"SAME_UPPER\", strides = [2]", "pads = [0, 1], strides = [2]" },
    { "auto_pad = \"SAME_LOWER\", strides = [2]", "pads = [1, 0], strides = [2]" },
    { "auto_pad = \"SAME_UPPER\"", "pads = [1, 1]" },
  };

  for (guint body = 0; body < G_N_ELEMENTS (bodies); body++)
    for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
      {
        g_autoptr (AssayGraph) given = make (bodies[body], cases[i].given);
        g_autoptr (AssayGraph) meant = make (bodies[body], cases[i].meant);
        AssayNodeWindow window;

        assert_same_outputs (given, meant);
        assert_extent (given, &window);
      }
}

/* A transposed convolution cuts what is over, by the shape that it is given. */
static void
test_output_shape (void)
{
  static const struct
  {
    const char *attributes;
    gint64 before, after;
  } cases[] = {
    { "output_shape = [15], strides = [2]", 1, 1 },
    { "output_shape = [16], strides = [2]", 1, 0 },
    { "output_shape = [16], strides = [2], auto_pad = \"SAME_UPPER\"", 0, 1 },
    { "output_shape = [1, 3, 20], strides = [2]", 0, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AssayGraph) graph = make (bodies[1], cases[i].attributes);
      AssayNodeWindow window;

      assert_extent (graph, &window);
      g_assert_cmpint (window.before[0], ==, cases[i].before);
      g_assert_cmpint (window.after[0], ==, cases[i].after);
    }
}

TEST_PROGRAM (windows)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/windows/valid", test_valid);
  g_test_add_func ("/windows/same", test_same);
  g_test_add_func ("/windows/output-shape", test_output_shape);

  return g_test_run ();
}
