/* test-probes.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What is seen of a program while it runs is what the reference has there: for every operation that
 * can be compiled and each of its outputs, used or not, streamed or not.
 */
#include <glib.h>
#include <string.h>

#include "evaluate/assay-datum.h"
#include "machine-run.h"
#include "run/assay-comparison.h"
#include "graphs.h"
#include "test-program.h"

typedef struct
{
  const char *statements; /* of %x and parameters, up to %y */
  const char *params;
  int axis; /* along which it is streamed too, or -1 */
} Case;

#define MAP(op) { "%y = " op "(%x)", "", 0 },
#define WITH(op, more) { "%y = " op "(%x) {" more "}", "", 0 },
#define PAIR(op) { "%y = " op "(%x, %p)", ", %p : f32[8] param", 0 },
#define WHERE(op) { "%t = " op "(%x, %p) %y = Where(%t, %x, %p)", ", %p : f32[8] param", 0 },
#define REDUCE(op) { "const %a : i64[1] = [2] %y = " op "(%x, %a)", "", 0 },
#define LAYER(op, rows, more)                                                                      \
  { "%y" more " = " op "(%x, %w, %r) {hidden_size = 16}",                                          \
    ", %w : f32[1," rows ",8] param, %r : f32[1," rows ",16] param", 0 },
#define IMAGE(op, more) { "%i = Transpose(%x) {perm = [1, 2, 0]} " op, more, 0 },

/* clang-format off */
static const Case cases[] = {
  PAIR ("Add") PAIR ("Sub") PAIR ("Mul") PAIR ("Div") PAIR ("Max") PAIR ("Min") PAIR ("Sum")
  PAIR ("Mean") PAIR ("PRelu") MAP ("Exp") MAP ("Tanh") MAP ("Sigmoid") MAP ("Softplus")
  MAP ("Swish") MAP ("Gelu") MAP ("Erf") MAP ("Neg") MAP ("Relu") MAP ("LeakyRelu") MAP ("Elu")
  MAP ("Celu") MAP ("Selu") MAP ("HardSigmoid") MAP ("HardSwish") MAP ("Mish")
  { "%e = Exp(%x) %y = Log(%e)", "", 0 },
  { "%e = Exp(%x) %y = Sqrt(%e)", "", 0 },
  { "%e = Exp(%x) %f = Sqrt(%e) %y = Reciprocal(%f)", "", 0 },
  { "const %c : f32[] = [2.0] %y = Pow(%x, %c)", "", 0 },
  { "const %a : f32[] = [-0.3] const %b : f32[] = [0.4] %y = Clip(%x, %a, %b)", "", 0 },
  WHERE ("Greater") WHERE ("GreaterOrEqual") WHERE ("Less") WHERE ("LessOrEqual")
  { "%y = MatMul(%x, %p)", ", %p : f32[8,9] param", 0 },
  { "const %o : i64[2] = [6, 16] %f = Reshape(%x, %o) %y = Gemm(%f, %p)",
    ", %p : f32[16,9] param", 0 },
  IMAGE ("%y = Conv(%i, %w) {pads = [2, 0]}", ", %w : f32[4,8,3] param")
  LAYER ("LSTM", "64", "") LAYER ("LSTM", "64", ", %h") LAYER ("LSTM", "64", ", %h, %c")
  LAYER ("LSTM", "64", ", _, %c") LAYER ("GRU", "48", "") LAYER ("GRU", "48", ", %h")
  LAYER ("RNN", "16", "") LAYER ("RNN", "16", ", %h")
  { "_, %h, %c = LSTM(%x, %w, %r) {hidden_size = 16} %y = Add(%h, %c)",
    ", %w : f32[1,64,8] param, %r : f32[1,64,16] param", -1 },
  { "%y, %h, %c = LSTM(%x, %w, %r) {hidden_size = 16, direction = \"bidirectional\"}",
    ", %w : f32[2,64,8] param, %r : f32[2,64,16] param", -1 },
  { "%y, %h, %c = LSTM(%x, %w, %r) {hidden_size = 16}",
    ", %w : f32[1,64,8] param, %r : f32[1,64,16] param", 1 },
  { "%y, %h, %c = LSTM(%x, %w, %r) {hidden_size = 16} const %a : i64[1] = [1] "
    "%s = Squeeze(%y, %a) %z = Relu(%s)",
    ", %w : f32[1,64,8] param, %r : f32[1,64,16] param", 0 },
  REDUCE ("ReduceSum") REDUCE ("ReduceMean") REDUCE ("ReduceMax") REDUCE ("ReduceMin")
  REDUCE ("ReduceL2") MAP ("GlobalAveragePool") MAP ("GlobalMaxPool")
  WITH ("AveragePool", "kernel_shape = [2]") WITH ("MaxPool", "kernel_shape = [2]")
  WITH ("Softmax", "axis = 2")
  { "%y, %m, %d = LayerNormalization(%x, %p) {axis = -1}", ", %p : f32[8] param", 0 },
  { "%y = RMSNormalization(%x, %p) {axis = -1}", ", %p : f32[8] param", 0 },
  { "%y = BatchNormalization(%x, %p, %p, %p, %p)", ", %p : f32[2] param", 0 },
  { "%y = GroupNormalization(%x, %p, %p) {num_groups = 1}", ", %p : f32[2] param", 0 },
  { "%y = InstanceNormalization(%x, %p, %p)", ", %p : f32[2] param", 0 },
  { "%t = Tanh(%x) %i = Identity(%t) %y = Relu(%i)", "", 0 },
  { "%t = Tanh(%x) %i, %m = Dropout(%t) %y = Relu(%i)", "", 0 },
  { "%t = Tanh(%x) %i = Cast(%t) {to = 16} %j = CastLike(%i, %x) %y = Relu(%j)", "", 0 },
  { "const %o : i64[2] = [6, 16] %y = Reshape(%x, %o)", "", 0 },
  WITH ("Flatten", "axis = 1")
  { "const %a : i64[1] = [1] %u = Unsqueeze(%x, %a) %t = Tanh(%u) %y = Squeeze(%t, %a)", "", 0 },
  WITH ("Transpose", "perm = [1, 0, 2]")
  { "const %s : i64[1] = [1] const %e : i64[1] = [5] const %a : i64[1] = [2] "
    "%y = Slice(%x, %s, %e, %a)", "", 0 },
  { "const %c : i64[2] = [3, 1] %y = Gather(%x, %c) {axis = 2}", "", 0 },
  { "%t = Tanh(%x) %y = Concat(%x, %t) {axis = 2}", "", 0 },
  { "const %p : i64[6] = [0, 0, 1, 0, 0, 2] %y = Pad(%x, %p)", "", 0 },
  { "const %c : i64[2] = [3, 5] %y, %z = Split(%x, %c) {axis = 2}", "", 0 },
  { "const %a : i64[1] = [1] const %o : i64[4] = [6, 3, 2, 8] %u = Unsqueeze(%x, %a) "
    "%y = Expand(%u, %o)", "", 0 },
};
/* clang-format on */

static AssayComparison *
compare (AssayGraph *graph, const int *axis, GPtrArray *inputs)
{
  g_autoptr (AssayRunSubject) subject = graph_program_subject (graph, 3, 16, TRUE, axis);
  g_autoptr (GError) error = NULL;
  AssayComparison *comparison;

  comparison = assay_compare_runs (&(AssayComparisonSide){ "reference", subject },
                                   &(AssayComparisonSide){ "vm", subject }, inputs, NULL, NULL,
                                   &error);
  g_assert_no_error (error);

  return comparison;
}

/* Numbers of the usual size, of one size, so that differences cancel, tiny and large ones. */
static const struct
{
  const char *name;
  double low;
  double high;
} ranges[] = {
  { "usual", -1.5, 1.5 },
  { "alike", 60, 61 },
  { "tiny", -1e-3, 1e-3 },
  { "large", -30, 30 },
};

static void
test_range (const Case *test, guint range)
{
  static const gint64 dims[] = { 6, 2, 8 };
  g_autofree char *text = g_strdup_printf ("(%%x : f32[6,2,8]%s) { %s return %%y }", test->params,
                                           test->statements);
  g_autoptr (AssayGraph) graph = machine_graph_from_text (text);
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  float **values = machine_inputs (graph, rand, ranges[range].low, ranges[range].high);
  g_autoptr (GPtrArray)
      inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);

  g_ptr_array_add (inputs, assay_tensor_new_f32 (3, dims, values[0]));
  for (guint streamed = 0; streamed <= (guint) (test->axis >= 0); streamed++)
    {
      g_autoptr (AssayComparison)
          comparison = compare (graph, streamed ? &test->axis : NULL, inputs);

      g_assert_cmpuint (comparison->rows->len, >=, 1);
      for (guint i = 0; i < comparison->rows->len; i++)
        {
          const AssayComparisonRow *row = assay_comparison_row (comparison, i);

          g_test_message ("%s of %s, %s: %g of %g", row->name, row->op_type, ranges[range].name,
                          row->own.error, row->limit);
          g_assert_cmpstr (row->note, ==, NULL);
          if (row->verdict == ASSAY_COMPARISON_OUTSIDE)
            g_test_fail ();
        }
    }
  machine_free (values);
}

static void
test_case (gconstpointer data)
{
  for (guint range = 0; range < G_N_ELEMENTS (ranges); range++)
    test_range (data, range);
}

/* In the units of each type the reference is as exact as it can be. */
static void
test_types (gconstpointer data)
{
  static const struct
  {
    const char *name;
    double size; /* what numbers are multiplied with, so that their powers fit */
  } types[] = { { "f32", 1 }, { "f16", 0.1 }, { "bf16", 1 } };
  static const gint64 dims[] = { 6, 2, 8 };
  const Case *test = data;

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    for (guint range = 0; range < G_N_ELEMENTS (ranges); range++)
      {
        g_autofree char *plain = g_strdup_printf ("(%%x : f32[6,2,8]%s) { %s return %%y }",
                                                  test->params, test->statements);
        g_auto (GStrv) parts = g_strsplit (plain, "f32[", -1);
        g_autofree char *type = g_strconcat (types[i].name, "[", NULL);
        g_autofree char *text = g_strjoinv (type, parts);
        g_autoptr (AssayGraph) graph = machine_graph_from_text (text);
        g_autoptr (GRand) rand = g_rand_new_with_seed (3);
        g_autoptr (AssayRunSubject) subject = NULL;
        g_autoptr (AssayComparison) comparison = NULL;
        g_autoptr (AssayDatum) datum = NULL;
        g_autoptr (GPtrArray)
            inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
        g_autoptr (GError) error = NULL;
        AssayDType dtype;

        g_assert_true (assay_dtype_from_name (types[i].name, &dtype));
        datum = assay_datum_new (dtype, assay_datum_storage (dtype, FALSE), 3, dims, NULL);
        for (gsize j = 0; j < datum->n; j++)
          assay_datum_set_number (
              datum, j,
              types[i].size * g_rand_double_range (rand, ranges[range].low, ranges[range].high));
        assay_datum_round (datum);
        g_ptr_array_add (inputs, assay_datum_to_tensor (datum, FALSE, NULL));
        subject = graph_subject (NULL, graph, &error);
        g_assert_no_error (error);
        comparison = assay_compare_runs (&(AssayComparisonSide){ "reference-fp64", subject },
                                         &(AssayComparisonSide){ "reference", subject }, inputs,
                                         NULL, NULL, &error);
        g_assert_no_error (error);
        for (guint j = 0; j < comparison->rows->len; j++)
          {
            const AssayComparisonRow *row = assay_comparison_row (comparison, j);

            g_test_message ("%s of %s %s, %s: %g of %g", row->name, row->op_type, types[i].name,
                            ranges[range].name, row->own.error, row->limit);
            if (row->verdict == ASSAY_COMPARISON_OUTSIDE)
              g_test_fail ();
          }
      }
}

/* No operation that can be compiled is left out. */
static void
test_all (void)
{
  static const char *const ops[] = {
#define LOWER(op, function) #op,
#include "backend/stream/compile/assay-lower-ops.def"
#undef LOWER
  };
  /* One is what the passes make of others; the other is in the tests of streams, with its body. */
  static const char *const elsewhere[] = { "Linear", "Rsqrt", "Scan", NULL };

  for (guint i = 0; i < G_N_ELEMENTS (ops); i++)
    {
      g_autofree char *call = g_strdup_printf ("= %s(", ops[i]);
      gboolean found = g_strv_contains (elsewhere, ops[i]);

      for (guint j = 0; j < G_N_ELEMENTS (cases) && !found; j++)
        found = strstr (cases[j].statements, call) != NULL;
      if (!found)
        g_error ("%s is in no case", ops[i]);
    }
}

TEST_PROGRAM (probes)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/probes/all", test_all);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/probes/%u", i);
      g_autofree char *types = g_strdup_printf ("/probes/types/%u", i);

      g_test_add_data_func (path, &cases[i], test_case);
      g_test_add_data_func (types, &cases[i], test_types);
    }

  return g_test_run ();
}
