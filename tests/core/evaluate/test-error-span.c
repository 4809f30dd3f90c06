/* test-error-span.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What rounding can do: no healthy result is farther off than is certified, and what is expected is
 * sharper. Over the test data of ONNX and random graphs, on each kind of machine.
 */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "evaluate/compare/assay-error-span.h"
#include "graphs.h"
#include "machine-run.h"
#include "nnir/text/assay-text.h"
#include "random-graph.h"
#include "test-program.h"
#include "report/assay-compare-report.h"
#include "run/assay-comparison.h"
#include "source/assay-source.h"
#include "source/onnx/assay-tensor-file.h"

#define ONNX_DATA "/usr/share/libonnx-testdata/data"
#define CASES 150

/* Sums of squares are of the size of what is measured, on the whole. */
#define FARTHEST_MEDIAN 12

typedef struct
{
  guint n_rows;
  guint n_bounded;
  guint n_off;   /* rows with an error */
  guint n_below; /* of those: the expected error is below it */
  guint n_bad;
  GArray *ratios; /* expected over measured */
} Tally;

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

static void
count_row (Tally *tally, const AssayComparisonRow *row, const char *what)
{
  double error = assay_comparison_row_error (row);

  if (row->verdict == ASSAY_COMPARISON_UNKNOWN || row->total.n == 0)
    return;
  tally->n_rows++;
  if (!(row->expected <= row->certified))
    {
      g_test_message ("%s, %s: %g units expected, %g certified", what, row->name, row->expected,
                      row->certified);
      tally->n_bad++;
    }
  if (isinf (row->certified))
    return;
  tally->n_bounded++;
  if (!(error <= row->certified))
    {
      g_test_message ("%s, %s %s: %g units off, %g certified", what, row->op_type, row->name, error,
                      row->certified);
      tally->n_bad++;
    }
  if (error > 0)
    {
      double ratio = row->expected / error;

      tally->n_off++;
      tally->n_below += ratio < 1;
      g_array_append_val (tally->ratios, ratio);
    }
}

static void
count_runs (Tally *tally, AssayRunSubject *subject, GPtrArray *inputs, const char *what)
{
  static const struct
  {
    const char *a, *b;
  } pairs[] = {
    { "reference-fp64", "reference" },
    { "reference", "vm" },
    { "reference", "vm-fp32" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      const AssayComparisonSide a = { pairs[i].a, subject }, b = { pairs[i].b, subject };
      g_autoptr (AssayComparison) comparison = NULL;
      g_autoptr (GError) error = NULL;

      if (subject->program == NULL && i > 0)
        break;
      comparison = assay_compare_runs (&a, &b, inputs, NULL, NULL, &error);
      for (guint j = 0; comparison != NULL && j < comparison->rows->len; j++)
        count_row (tally, assay_comparison_row (comparison, j), what);
    }
}

static void
end (Tally *tally, guint fewest)
{
  double median;

  g_array_sort (tally->ratios, compare_doubles);
  g_assert_cmpuint (tally->ratios->len, >, 0);
  median = g_array_index (tally->ratios, double, tally->ratios->len / 2);
  g_test_message ("%u tensors, %u with a bound; of %u that differ %u are above what is expected, "
                  "which is %.3g times the error in the median",
                  tally->n_rows, tally->n_bounded, tally->n_off, tally->n_below, median);
  g_assert_cmpuint (tally->n_bad, ==, 0);
  g_assert_cmpuint (tally->n_rows, >=, fewest);
  g_assert_cmpuint (tally->n_bounded * 100, >=, tally->n_rows * 90);
  g_assert_cmpuint (tally->n_below * 10, <=, tally->n_off);
  g_assert_cmpfloat (median, >=, 1);
  g_assert_cmpfloat (median, <=, FARTHEST_MEDIAN);
  g_array_unref (tally->ratios);
}

/* With a program where the machine takes it. */
static AssayRunSubject *
new_subject (AssayGraph *graph, gboolean fp8)
{
  g_autoptr (AssayConfig) config = assay_config_new_preset ("v80_c6b32", NULL);
  g_autoptr (AssaySettings) settings = NULL;
  g_autoptr (AssayProgram) program = NULL;
  AssayCompileOptions options = { .observable = TRUE };
  AssayRunSubject *subject = graph_subject (NULL, graph, NULL);

  g_assert_nonnull (config);
  assay_settings_set_flag (&settings, ASSAY_SETTING_DYNAMIC_WEIGHTS, !fp8);
  assay_settings_set_flag (&settings, ASSAY_SETTING_FP8_WEIGHTS, fp8);
  options.settings = settings;
  program = subject == NULL ? NULL
                            : assay_build_model (NULL, graph, assay_config_get_values (config),
                                                 &options, NULL, NULL);
  if (program != NULL)
    assay_run_subject_set_program (subject, program, 0, NULL, 0);

  return subject;
}

/* The inputs of the first data set, NULL where one is no tensor. */
static GPtrArray *
load_inputs (const char *folder, const AssayRunSubject *subject)
{
  g_autoptr (GPtrArray)
      inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  g_autoptr (GArray) ports = assay_run_subject_get_inputs ((AssayRunSubject *) subject);

  for (guint i = 0; i < ports->len; i++)
    {
      g_autofree char *path = g_strdup_printf ("%s/test_data_set_0/input_%u.pb", folder, i);
      g_autoptr (GPtrArray)
          tensors = assay_tensor_file_load (path, ASSAY_TYPE_KIND_TENSOR, NULL, NULL);

      if (tensors == NULL || tensors->len != 1)
        return NULL;
      g_ptr_array_add (inputs, assay_tensor_ref (g_ptr_array_index (tensors, 0)));
    }

  return g_steal_pointer (&inputs);
}

static void
test_node_data (gconstpointer data)
{
  static const char *const drawn[] = { "bernoulli", "dropout", "random" };
  const char *group = data;
  g_autofree char *path = g_build_filename (ONNX_DATA, group, NULL);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  Tally tally = { .ratios = g_array_new (FALSE, FALSE, sizeof (double)) };
  const char *name;

  if (dir == NULL)
    {
      g_array_unref (tally.ratios);
      g_test_skip ("libonnx-testdata is not installed");
      return;
    }
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *folder = g_build_filename (path, name, NULL);
      g_autofree char *file = g_build_filename (folder, "model.onnx", NULL);
      g_autoptr (AssayFindings) findings = assay_findings_new ();
      g_autoptr (AssayGraph) graph = assay_model_read (file, NULL, findings, NULL, NULL);
      g_autoptr (AssayRunSubject) subject = graph != NULL ? new_subject (graph, FALSE) : NULL;
      g_autoptr (GPtrArray) inputs = subject != NULL ? load_inputs (folder, subject) : NULL;
      gboolean left_out = inputs == NULL;

      for (guint i = 0; i < G_N_ELEMENTS (drawn); i++)
        left_out = left_out || strstr (name, drawn[i]) != NULL;
      if (!left_out)
        count_runs (&tally, subject, inputs, name);
    }
  end (&tally, 100);
}

static void
test_random (gconstpointer data)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (17);
  Tally tally = { .ratios = g_array_new (FALSE, FALSE, sizeof (double)) };

  for (guint i = 0; i < CASES; i++)
    {
      g_autoptr (RandomGraph) random = random_graph_new (rand);
      g_autofree char *text = random_graph_to_text (random);
      g_autoptr (AssayGraph) graph = machine_graph_from_text (text);
      g_autoptr (AssayRunSubject) subject = new_subject (graph, data != NULL);
      g_autoptr (GPtrArray)
          inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
      float **values = machine_inputs (graph, rand, -1.5, 1.5);
      const GArray *ids = assay_graph_region (graph, ASSAY_MAIN_REGION)->inputs;
      guint n = 0;

      for (guint j = 0; j < ids->len; j++)
        {
          const AssayValue *value = assay_graph_value (graph, g_array_index (ids, AssayValueId, j));
          gint64 dims[ASSAY_MAX_RANK];

          if (value->constant != NULL)
            continue;
          for (int k = 0; k < value->type->rank; k++)
            dims[k] = value->type->dims[k].size;
          g_ptr_array_add (inputs,
                           assay_tensor_new_f32 ((guint) value->type->rank, dims, values[n++]));
        }
      if (subject != NULL)
        count_runs (&tally, subject, inputs, text);
      machine_free (values);
    }
  end (&tally, CASES);
}

static AssayGraph *
parse (const char *text)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  AssayGraph *graph = assay_graph_from_text (text, -1, findings, NULL);

  g_assert_nonnull (graph);

  return graph;
}

/* One product of 16 terms, all of the same size: what there is to reckon by hand. */
static void
test_product (void)
{
  g_autoptr (AssayGraph) graph = parse (
      "main (%x : f32[4,16], %w : f32[16,5]) { %y = MatMul(%x, %w) : f32[4,5] return %y }");
  const AssayNode *node = assay_graph_node (graph, 1);
  const AssayErrorRounding bf16 = assay_error_rounding_of (ASSAY_COMPARE_BF16, FALSE, FALSE);
  const AssayErrorRounding fp8 = assay_error_rounding_of (ASSAY_COMPARE_BF16, TRUE, FALSE);
  const AssayMagnitude one = { 1, 1, 1, 1, 1 };
  AssayErrorSpan operands[] = { assay_error_span_of_magnitude (&one),
                                assay_error_span_of_magnitude (&one) };
  AssayErrorSpan span;

  assay_error_span_store (&operands[0], bf16.store);
  g_assert_cmpfloat (operands[0].worst, ==, 0x1p-8);
  assay_error_span_keep_weight (&operands[1], &bf16);
  span = assay_error_span_of_node (graph, node, 0, operands, NULL, &bf16, 1);
  /* 16 terms that are off by two roundings each, and a result of 16 that is rounded. */
  g_assert_cmpfloat_with_epsilon (span.worst, 16 * 3 * 0x1p-8, 0.01);
  g_assert_cmpfloat_with_epsilon (span.likely, 4 * sqrt (3) * 0x1p-8 / sqrt (3), 0.001);
  g_assert_cmpfloat_with_epsilon (assay_error_span_expected (&span, 20),
                                  span.likely * sqrt (2 * log (20)), 1e-12);

  operands[1] = assay_error_span_of_magnitude (&one);
  assay_error_span_keep_weight (&operands[1], &fp8);
  g_assert_cmpfloat (assay_error_span_of_node (graph, node, 0, operands, NULL, &fp8, 1).worst, >,
                     span.worst + 16 * 0x1p-5);
}

/* One weight is wrong: more than rounding can make, and the headline says so. */
static void
test_wrong (void)
{
  static const char model[] = "main (%%x : f32[8,8]) {\n"
                              "  const %%w : f32[8] = [1, 0.5, 0.25, %g, 1, 0.5, 0.25, 0.75]\n"
                              "  %%y = Mul(%%x, %%w) : f32[8,8] @ \"gain\"\n"
                              "  return %%y\n"
                              "}\n";
  const gint64 dims[] = { 8, 8 };
  g_autofree char *right_text = g_strdup_printf (model, 0.75);
  g_autofree char *wrong_text = g_strdup_printf (model, 3.75);
  g_autoptr (AssayGraph) right = parse (right_text);
  g_autoptr (AssayGraph) wrong = parse (wrong_text);
  g_autoptr (AssayRunSubject) a = graph_program_subject (right, 3, 16, TRUE, NULL);
  g_autoptr (AssayRunSubject) b = graph_program_subject (wrong, 3, 16, TRUE, NULL);
  g_autoptr (GPtrArray)
      inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  const AssayComparisonSide left = { "reference", a };
  float values[64];

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    values[i] = (float) i / 32.0f - 0.9f;
  g_ptr_array_add (inputs, assay_tensor_new_f32 (2, dims, values));
  for (guint i = 0; i < 2; i++)
    {
      const AssayComparisonSide side = { "vm", i == 0 ? a : b };
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayComparison)
          comparison = assay_compare_runs (&left, &side, inputs, NULL, NULL, &error);
      g_autofree char *headline = NULL, *bounds = NULL;
      const AssayComparisonRow *row;

      g_assert_no_error (error);
      row = assay_comparison_row (comparison, 0);
      headline = assay_compare_report_headline (comparison);
      bounds = assay_compare_report_bounds (row);
      g_test_message ("%s; %s", headline, bounds);
      g_assert_true ((strstr (headline, "more than rounding can make") != NULL) == (i == 1));
      g_assert_true ((strstr (bounds, "here it is something else") != NULL) == (i == 1));
      g_assert_true (g_str_has_prefix (bounds, "Rounding is expected to make "));
    }
}

/* One unit is one. */
static void
test_one (void)
{
  const AssayComparisonRow row = { .verdict = ASSAY_COMPARISON_EXACT,
                                   .expected = 1,
                                   .certified = 1 };
  g_autofree char *bounds = assay_compare_report_bounds (&row);

  g_assert_cmpstr (bounds, ==,
                   "Rounding is expected to make 1 unit of it, and can make 1 at worst.");
}

/* A limit says what it follows from, where that is not the tolerance. */
static void
test_limit (void)
{
  AssayComparisonRow row = { 0 };

  row.op_type = (char *) "Exp";
  for (guint specified = 0; specified < 2; specified++)
    {
      g_autofree char *limit = NULL;

      row.is_specified = specified != 0;
      limit = assay_compare_report_limit (&row);
      g_assert_cmpint (strstr (limit, "Vulkan specification") != NULL, ==, row.is_specified);
      g_assert_cmpint (strstr (limit, assay_error_shader_precision ("Exp")) != NULL, ==,
                       row.is_specified);
    }
}

TEST_PROGRAM (error_span)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/error-span/one", test_one);
  g_test_add_func ("/error-span/limit", test_limit);
  g_test_add_func ("/error-span/product", test_product);
  g_test_add_func ("/error-span/wrong", test_wrong);
  g_test_add_data_func ("/error-span/node-data/node", "node", test_node_data);
  g_test_add_data_func ("/error-span/node-data/pytorch-operator", "pytorch-operator",
                        test_node_data);
  g_test_add_data_func ("/error-span/random", NULL, test_random);
  g_test_add_data_func ("/error-span/random/fp8", "fp8", test_random);

  return g_test_run ();
}
