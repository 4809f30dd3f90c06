/* test-error-rules.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * The rules by which rounding errors go on, in numbers: what the Vulkan specification allows the
 * functions of shaders, the steepest slopes, and a table of every operator.
 */
#include <glib.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "evaluate/assay-evaluate-private.h"
#include "evaluate/compare/assay-error-bound.h"
#include "evaluate/compare/assay-error-span.h"
#include "nnir/shape/assay-infer.h"
#include "nnir/text/assay-text.h"

#include "test-program.h"

static AssayGraph *
parse (const char *body)
{
  g_autofree char *text = g_strconcat ("nnir 1\ngraph \"t\" {level = onnx, ir_version = 10}\n"
                                       "opset \"\" 24\nopset \"ai.onnx.ml\" 5\n",
                                       body, NULL);
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  AssayGraph *graph = assay_graph_from_text (text, -1, findings, &error);

  g_assert_no_error (error);
  g_assert_true (assay_graph_infer (graph, findings, NULL, NULL));

  return graph;
}

/* Everything but the functions is exact: what a shader is off by, in units of 2^-23, of operands
 * that are at most @x and a result of the size @seen. */
static void
test_shaders (void)
{
  static const double seen = 5;
  static const struct
  {
    const char *node;
    double x;
    double units;
  } cases[] = {
    { "Exp(%x)", 3, (3 + 2 * 3) * 5 },
    { "Exp(%x)", 0, 3 * 5 },
    { "Log(%x)", 3, 4 * 5 + 4 },
    { "Sqrt(%x)", 4, 4.5 * 2 },
    { "assay::Rsqrt(%x)", 0.25, 7 * 2 },
    { "Div(%x, %x)", 3, 2.5 * 5 },
    { "Sin(%x)", 3, 4096 },
    { "Cos(%x)", 3, 4096 },
    { "Sin(%x)", G_PI, 4096 },
    { "Sin(%x)", 3.2, INFINITY },
    { "Cos(%x)", 3.2, INFINITY },
    /* A power of 1: 1 + the logarithm of the base, which is 0. */
    { "Pow(%x, %one)", 1, (3 + 7 * 1) * 5 },
    { "Pow(%x, %x)", 1, (3 + 7 * 1) * 5 },
    { "Tanh(%x)", 3, 12.6 + 4.01 * 3 },
    { "Tanh(%x)", 15, 12.6 + 4.01 * 15 },
    { "Tanh(%x)", 20, 12.6 + 4.01 * 15 },
    { "Sigmoid(%x)", 3, 4.8 },
    /* The line of x, no steeper than 1.13. */
    { "Gelu(%x)", 1, 3 * 1.13 + 39 },
    { "HardSwish(%x)", 2, 4.5 * 2 * 1.5 },
    /* Relative to what all shares are, and scores are apart by twice the largest. */
    { "Softmax(%x)", 3, (8.5 + 6 * 6) * 5 },
    { "LogSoftmax(%x)", 0.5, (1 + log (64)) + 7 + 7 * (1 + log (64)) },
    { "Attention(%x, %x, %x)", 0.5, (8.5 + 6 * 2 * 0.5 * 0.5 * 4) * 0.5 },
    { "ReduceMean(%x)", 3, 2.5 * 3 },
    { "GlobalAveragePool(%x)", 3, 2.5 * 3 },
    { "AveragePool(%x) {kernel_shape = [2, 2]}", 3, 2.5 * 3 },
    /* One of n is at most the root of n. */
    { "LayerNormalization(%x, %four)", 3, 12 * 2 },
    { "RMSNormalization(%x, %four)", 3, 12 * 2 },
    { "InstanceNormalization(%x, %four, %four)", 3, 12 * 4 },
    { "GroupNormalization(%x, %one, %zero) {num_groups = 1}", 3, 12 * 8 },
    /* A step of 1. */
    { "QuantizeLinear(%x, %one)", 3, 0x1p23 },
    /* No function. */
    { "Relu(%x)", 3, 0 },
    { "Add(%x, %x)", 3, 0 },
  };
  const AssayErrorRounding functions = assay_error_rounding_of_functions ();

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *body = g_strdup_printf (
          "main (%%x : f32[1,4,4,4]) {\n  const %%one : f32[1] = [1.0]\n"
          "  const %%zero : f32[1] = [0.0]\n  const %%four : f32[4] = [1.0, 1.0, 1.0, 1.0]\n"
          "  %%y = %s @ \"n\"\n  return %%y\n}\n",
          cases[i].node);
      g_autoptr (AssayGraph) graph = parse (body);
      const double x = cases[i].x;
      const AssayMagnitude one = { 1, 1, 1, 1, 1 }, magnitude = { 1, x, x * x, x, x };
      const AssayMagnitude y = { 1, seen, seen * seen, seen, seen };
      const AssayNode *node = assay_graph_node (graph, 1);
      AssayErrorSpan operands[3] = { 0 };
      AssayErrorSpan span;
      double units;

      g_assert_cmpstr (node->name, ==, "n");
      for (guint j = 0; j < node->n_inputs; j++)
        operands[j] = assay_error_span_of_magnitude (
            assay_graph_value (graph, node->inputs[j])->producer == ASSAY_NO_NODE &&
                    assay_graph_constant (graph, node->inputs[j]) == NULL
                ? &magnitude
                : &one);
      span = assay_error_span_of_node (graph, node, 0, operands, &y, &functions, 1);
      units = span.worst / FLT_EPSILON;
      if (!(units == cases[i].units || fabs (units - cases[i].units) <= 1e-6 * cases[i].units))
        g_error ("%s: %.9g units, expected %.9g", cases[i].node, units, cases[i].units);
    }
}

static double
compute (AssayEvaluator *evaluator, double x)
{
  g_autoptr (GBytes) bytes = g_bytes_new (&x, sizeof x);
  g_autoptr (AssayTensor) tensor = assay_tensor_new (ASSAY_DTYPE_F64, 0, NULL, bytes, NULL);
  AssayDatum *input = assay_datum_new_tensor (tensor, TRUE, NULL);
  g_autoptr (GPtrArray) outputs = NULL;
  double y;

  outputs = assay_evaluator_run (evaluator, 1, &input, NULL, NULL);
  g_assert_nonnull (outputs);
  y = assay_datum_get_number (g_ptr_array_index (outputs, 0), 0);
  assay_datum_unref (input);

  return y;
}

/* An error of the operand is as many times larger in the result: the slope in the tables of
 * mathematics, which no quotient of differences of the function is above. */
static void
test_slopes (void)
{
  static const struct
  {
    const char *op;
    double steepest;
  } cases[] = {
    { "Sin", 1 },      { "Cos", 1 },        { "Asinh", 1 },       { "Atan", 1 },   { "Tanh", 1 },
    { "Erf", 1.1284 }, { "Sigmoid", 0.25 }, { "Gelu", 1.13 },     { "Mish", 1.1 }, { "Swish", 1.1 },
    { "Softplus", 1 }, { "Softsign", 1 },   { "HardSwish", 1.5 },
  };
  const double step = 0x1p-8;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *body = g_strdup_printf (
          "main (%%x : f64[]) {\n  %%y = %s(%%x) @ \"n\"\n  return %%y\n}\n", cases[i].op);
      g_autoptr (AssayGraph) graph = parse (body);
      AssayEvaluateOptions options = { .wide = TRUE, .n_threads = 1 };
      g_autoptr (AssayEvaluator) evaluator = assay_evaluator_new (graph, &options, NULL);
      const AssayErrorRounding none = { .weight_peak = INFINITY, .peak = INFINITY };
      AssayErrorSpan operand = { .peak = 8, .rms = 8, .worst = 0x1p-10, .likely = 0x1p-12 };
      AssayErrorSpan span = assay_error_span_of_node (graph, assay_graph_node (graph, 1), 0,
                                                      &operand, NULL, &none, 1);
      double before = compute (evaluator, -8), most = 0;

      for (double x = -8 + step; x <= 8; x += step)
        {
          double after = compute (evaluator, x);

          most = MAX (most, fabs (after - before) / step);
          before = after;
        }
      g_test_message ("%s: %.7g, measured %.7g", cases[i].op, cases[i].steepest, most);
      g_assert_cmpfloat_with_epsilon (span.worst, cases[i].steepest * 0x1p-10, 1e-12);
      g_assert_cmpfloat_with_epsilon (span.likely, cases[i].steepest * 0x1p-12, 1e-12);
      g_assert_cmpfloat (most, <=, cases[i].steepest);
      g_assert_cmpfloat (most, >, cases[i].steepest * 0.98);
    }
}

/* Spans of the nodes of the cases of kernels, whose operands are constants: of each operator the
 * first ones. */
#define MAX_CASES 3

static const struct
{
  const char *name;
  AssayComparePrecision precision;
  gboolean narrow, shader, shares;
} sides[] = { { "fp32", ASSAY_COMPARE_FP32, FALSE, FALSE, FALSE },
              { "fp8", ASSAY_COMPARE_BF16, TRUE, FALSE, FALSE },
              { "shader", ASSAY_COMPARE_FP16, FALSE, TRUE, FALSE },
              { "device", ASSAY_COMPARE_INT8, FALSE, FALSE, TRUE } };

static AssayMagnitude
magnitude_of (AssayGraph *graph, AssayValueId value)
{
  AssayMagnitude magnitude = { 0 };
  AssayTensor *tensor = value != ASSAY_NO_VALUE ? assay_graph_constant (graph, value) : NULL;

  if (tensor != NULL)
    g_assert_true (assay_magnitude_add (&magnitude, tensor, NULL));

  return magnitude;
}

static gboolean
reads_constants (AssayGraph *graph, const AssayNode *node)
{
  for (guint i = 0; i < node->n_inputs; i++)
    if (node->inputs[i] != ASSAY_NO_VALUE && assay_graph_constant (graph, node->inputs[i]) == NULL)
      return FALSE;

  return node->op != ASSAY_OP_OPAQUE &&
         (assay_op_get_info (node->op)->traits & ASSAY_OP_TRAIT_REGIONS) == 0 &&
         node->n_outputs > 0;
}

static void
append_node (GString *table, AssayGraph *graph, const AssayNode *node, const char *name,
             const AssayMagnitude *seen)
{
  g_autofree AssayMagnitude *magnitudes = g_new0 (AssayMagnitude, node->n_inputs + 1);
  AssayErrorBound bound;

  for (guint i = 0; i < node->n_inputs; i++)
    magnitudes[i] = magnitude_of (graph, node->inputs[i]);
  bound = assay_error_bound_of_node (graph, node, magnitudes, node->n_inputs);
  g_string_append_printf (table, "%s: %s: length %" G_GSIZE_FORMAT ", scale %.7g, condition %.7g\n",
                          assay_op_name (node->op), name, bound.length, bound.scale,
                          bound.condition);
  for (guint j = 0; j < node->n_outputs; j++)
    for (guint i = 0; i < G_N_ELEMENTS (sides); i++)
      {
        g_autofree AssayErrorSpan *operands = g_new0 (AssayErrorSpan, node->n_inputs + 1);
        AssayErrorRounding rounding = sides[i].shader
                                          ? assay_error_rounding_of_shaders (sides[i].precision)
                                          : assay_error_rounding_of (sides[i].precision,
                                                                     sides[i].narrow, FALSE);

        if (node->outputs[j] == ASSAY_NO_VALUE)
          continue;
        rounding.shares_steps = sides[i].shares;
        for (guint k = 0; k < node->n_inputs; k++)
          {
            const AssayType *type = node->inputs[k] != ASSAY_NO_VALUE
                                        ? assay_graph_value (graph, node->inputs[k])->type
                                        : NULL;

            operands[k] = assay_error_span_of_magnitude (&magnitudes[k]);
            if (type != NULL && type->kind == ASSAY_TYPE_KIND_TENSOR &&
                assay_dtype_is_float (type->dtype))
              assay_error_span_keep_weight (&operands[k], &rounding);
          }
        for (guint k = 0; k < 2; k++)
          {
            AssayErrorSpan span = assay_error_span_of_node (graph, node, j, operands,
                                                            k == 0 ? NULL : seen, &rounding, 2);

            g_assert_false (span.likely > span.worst);
            g_string_append_printf (table, "%s%s %.7g %.7g", k == 0 ? "  " : " seen ",
                                    k == 0 ? sides[i].name : "", span.worst, span.likely);
          }
        g_string_append_c (table, '\n');
      }
}

/* Returns what a case expects of an output. */
static AssayMagnitude
seen_of (AssayGraph *graph, AssayValueId output)
{
  const GArray *outputs = assay_graph_region (graph, ASSAY_MAIN_REGION)->outputs;

  for (guint i = 0; i + 1 < outputs->len; i += 2)
    if (g_array_index (outputs, AssayValueId, i) == output)
      return magnitude_of (graph, g_array_index (outputs, AssayValueId, i + 1));

  return (AssayMagnitude){ 0 };
}

static void
append_section (GString *table, const char *section, guint *counts)
{
  g_autofree char *name = g_strndup (section, strcspn (section, "\n"));
  g_autoptr (AssayGraph) graph = parse (strchr (section, '\n') + 1);

  for (AssayNodeId id = 0; id < assay_graph_n_nodes (graph); id++)
    {
      const AssayNode *node = assay_graph_node (graph, id);
      AssayMagnitude seen;

      if (!reads_constants (graph, node) || counts[node->op] == MAX_CASES)
        continue;
      counts[node->op]++;
      seen = seen_of (graph, node->outputs[0]);
      append_node (table, graph, node, name, &seen);
    }
}

static void
assert_same (const char *got, const char *expected)
{
  g_auto (GStrv) a = g_strsplit_set (got, " ,", -1);
  g_auto (GStrv) b = g_strsplit_set (expected, " ,", -1);

  if (g_strv_length (a) != g_strv_length (b))
    g_error ("%s, expected %s", got, expected);
  for (guint i = 0; a[i] != NULL; i++)
    {
      double x = g_ascii_strtod (a[i], NULL), y = g_ascii_strtod (b[i], NULL);

      /* Functions of libraries differ in the last place. */
      if (!g_str_equal (a[i], b[i]) && !(fabs (x - y) <= 1e-5 * fabs (y)))
        g_error ("%s, expected %s", got, expected);
    }
}

static void
test_table (void)
{
  static const char *const files[] = { "arithmetic", "cast",     "encode", "image",
                                       "indexing",   "layout",   "models", "numeric",
                                       "quantize",   "sequence", "signal", "text" };
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "kernels", "spans.txt", NULL);
  g_autoptr (GString) table = g_string_new (
      "# Spans of nodes of the cases beside this file: worst and likely errors on four sides,\n"
      "# of operands that were rounded once, and with the size of the result known.\n"
      "# ASSAY_REGENERATE=1 writes it anew.\n"
      "# Checked by: error-span, which measures that no error is above the worst and few are\n"
      "# above the likely one; error-rules computes functions and slopes by hand.\n");
  g_autofree guint *counts = g_new0 (guint, ASSAY_N_OPS);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL, expected = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *name = g_strconcat (files[i], ".nnir", NULL);
      g_autofree char *file = g_test_build_filename (G_TEST_DIST, "data", "kernels", name, NULL);
      g_autofree char *cases = NULL;
      g_auto (GStrv) sections = NULL;

      g_assert_true (g_file_get_contents (file, &cases, NULL, NULL));
      sections = g_strsplit (cases, "// ---- ", -1);
      for (guint j = 1; sections[j] != NULL; j++)
        if (strstr (sections[j], "// FAILS") == NULL)
          append_section (table, sections[j], counts);
    }
  if (g_getenv ("ASSAY_REGENERATE") != NULL)
    g_assert_true (g_file_set_contents (path, table->str, -1, NULL));
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  lines = g_strsplit (table->str, "\n", -1);
  expected = g_strsplit (text, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, g_strv_length (expected));
  for (guint i = 0; lines[i] != NULL; i++)
    assert_same (lines[i], expected[i]);
}

TEST_PROGRAM (error_rules)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/error-rules/shaders", test_shaders);
  g_test_add_func ("/error-rules/slopes", test_slopes);
  g_test_add_func ("/error-rules/table", test_table);

  return g_test_run ();
}
