/* test-comparison.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Two runs held against each other: errors that were planted are found at the node they were
 * planted in.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/assay-error.h"
#include "backend/assay-build.h"
#include "evaluate/compare/assay-error-bound.h"
#include "nnir/text/assay-text.h"
#include "report/assay-compare-report.h"
#include "run/assay-comparison.h"
#include "run/assay-divergence.h"
#include "run/assay-tensor-queue.h"
#include "test-program.h"
#include "wait.h"
#include "graphs.h"

#define LANES 8

static AssayGraph *
parse (const char *text)
{
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  AssayGraph *graph = assay_graph_from_text (text, -1, findings, &error);

  g_assert_no_error (error);

  return graph;
}

/* A model with its program, and what the machine needs to show its values. */
static AssayRunSubject *
new_subject (AssayGraph *graph, const int *axis)
{
  return graph_program_subject (graph, 3, 16, TRUE, axis);
}

static GPtrArray *
new_inputs (guint rank, const gint64 *dims)
{
  GPtrArray *inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  g_autofree float *values = NULL;
  gsize n;

  g_assert_true (assay_dims_count (rank, dims, &n));
  values = g_new (float, n);
  for (gsize i = 0; i < n; i++)
    values[i] = (float) ((i * 37 + 11) % 61) / 32.0f - 0.9f;
  g_ptr_array_add (inputs, assay_tensor_new_f32 (rank, dims, values));

  return inputs;
}

static AssayComparison *
compare (const char *spec_a, AssayRunSubject *a, const char *spec_b, AssayRunSubject *b,
         GPtrArray *inputs)
{
  const AssayComparisonSide left = { spec_a, a }, right = { spec_b, b };
  g_autoptr (GError) error = NULL;
  AssayComparison *comparison = assay_compare_runs (&left, &right, inputs, NULL, NULL, &error);

  g_assert_no_error (error);

  return comparison;
}

static const char residual[] = "main (%x : f32[1,12,8]) {\n"
                               "  const %a : f32[8,8] = [0.5, -0.25, 0.125, 1, 2, -1, 0.75, 0.5, "
                               "0.5, -0.25, 0.125, 1, 2, -1, 0.75, 0.5,\n"
                               "    0.1, -0.2, 0.3, -0.4, 0.5, -0.6, 0.7, -0.8, 1, 2, 3, 4, 5, 6, "
                               "7, 8, 0.5, -0.25, 0.125, 1, 2, -1, 0.75, 0.5,\n"
                               "    0.25, -0.125, 0.1, 1, 1, -2, 0.5, 0.5, -1, -0.25, 0.125, 1, 2, "
                               "-1, 0.75, 0.5, 3, 1, 4, 1, 5, 9, 2, 6]\n"
                               "  %p = MatMul(%x, %a) : f32[1,12,8] @ \"project\"\n"
                               "  %q = Relu(%p) : f32[1,12,8] @ \"bound\"\n"
                               "  %r = Softmax(%q) {axis = -1} : f32[1,12,8] @ \"weigh\"\n"
                               "  %y = Add(%r, %x) : f32[1,12,8] @ \"residual\"\n"
                               "  return %y\n"
                               "}\n";

static const gint64 residual_dims[] = { 1, 12, 8 };

static void
test_same (void)
{
  g_autoptr (AssayGraph) graph = parse (residual);
  g_autoptr (AssayRunSubject) subject = new_subject (graph, NULL);
  g_autoptr (GPtrArray) inputs = new_inputs (3, residual_dims);
  static const char *const specs[] = { "vm", "vm-fp32", "reference", "reference-fp64" };

  for (guint i = 0; i < G_N_ELEMENTS (specs); i++)
    {
      g_autoptr (AssayComparison)
          comparison = compare (specs[i], subject, specs[i], subject, inputs);

      g_assert_cmpint (comparison->verdict, ==, ASSAY_COMPARISON_EXACT);
      g_assert_cmpint (comparison->first_divergent, ==, -1);
      g_assert_cmpuint (comparison->rows->len, >=, 3);
    }
}

/* The product is inside a fused group with its bound: it has no row, and the group does. */
static void
test_precision (void)
{
  g_autoptr (AssayGraph) graph = parse (residual);
  g_autoptr (AssayRunSubject) subject = new_subject (graph, NULL);
  g_autoptr (GPtrArray) inputs = new_inputs (3, residual_dims);
  g_autoptr (AssayComparison) bf16 = compare ("reference", subject, "vm", subject, inputs);
  g_autoptr (AssayComparison)
      fp32 = compare ("reference-fp64", subject, "vm-fp32", subject, inputs);

  g_assert_cmpint (bf16->precision, ==, ASSAY_COMPARE_BF16);
  g_assert_cmpint (bf16->verdict, ==, ASSAY_COMPARISON_WITHIN);
  g_assert_cmpint (fp32->verdict, !=, ASSAY_COMPARISON_OUTSIDE);
  g_assert_cmpuint (bf16->rows->len, ==, 3);
  g_assert_cmpstr (assay_comparison_row (bf16, 0)->op_type, ==, "Relu");
  g_assert_true (assay_comparison_row (bf16, 2)->is_output);

  for (guint i = 0; i < bf16->rows->len; i++)
    {
      const AssayComparisonRow *row = assay_comparison_row (bf16, i);

      g_assert_true (row->has_own);
      g_assert_cmpuint (row->own.n, ==, 96);
      g_assert_cmpuint (row->total.n, ==, 96);
      g_assert_cmpfloat (row->own.error, <=, row->limit);
    }

  /* The first has nothing to inherit; the last inherits what the second got wrong. */
  g_assert_cmpfloat (assay_comparison_row (bf16, 0)->inherited, ==, 0);
  g_assert_cmpfloat (assay_comparison_row (bf16, 2)->inherited, ==,
                     assay_comparison_row (bf16, 1)->total.error);
}

/* Of timesteps of the same length the mean of the squares is that of the whole. */
static void
assert_spans (const AssayComparisonRow *row)
{
  double sum = 0;

  for (guint i = 0; i < row->n_spans; i++)
    sum += row->span_rms[i] * row->span_rms[i] / row->n_spans;
  g_assert_cmpfloat (fabs (sqrt (sum) - row->total.rms_error), <=, 1e-9 * row->total.rms_error);
}

/* Timestep by timestep gives the statistics of the whole sequence, but for how the library of the
 * reference adds up one row and several. */
static void
test_streaming (void)
{
  const int time = 1;
  g_autoptr (AssayGraph) graph = parse (residual);
  g_autoptr (AssayRunSubject) whole = new_subject (graph, NULL);
  g_autoptr (AssayRunSubject) streaming = new_subject (graph, &time);
  g_autoptr (GPtrArray) inputs = new_inputs (3, residual_dims);
  g_autoptr (AssayComparison) a = compare ("reference", whole, "vm", whole, inputs);
  g_autoptr (AssayComparison) b = compare ("reference", streaming, "vm", streaming, inputs);
  g_autoptr (AssayComparison) c = compare ("vm", streaming, "reference", streaming, inputs);

  g_assert_cmpint (b->n_steps, ==, 12);
  g_assert_cmpuint (a->rows->len, ==, b->rows->len);
  for (guint i = 0; i < a->rows->len; i++)
    {
      const AssayComparisonRow *one = assay_comparison_row (a, i),
                               *other = assay_comparison_row (b, i);

      g_assert_cmpuint (one->own.n, ==, other->own.n);
      g_assert_cmpfloat_with_epsilon (one->own.max_abs, other->own.max_abs,
                                      4 * FLT_EPSILON * one->own.scale);
      g_assert_cmpfloat_with_epsilon (one->total.error, other->total.error,
                                      4 * FLT_EPSILON / ldexp (1, -8));
      g_assert_cmpint (other->worst_step, >=, 0);
      g_assert_cmpuint (one->n_spans, ==, 0);
      g_assert_cmpuint (other->n_spans, ==, 12);
      assert_spans (other);
      g_assert_cmpuint (one->rank, ==, other->rank);
      g_assert_cmpmem (one->dims, one->rank * sizeof (gint64), other->dims,
                       other->rank * sizeof (gint64));
    }
  /* The machine can follow the evaluator and not the other way round; the reference stays A. */
  g_assert_true (c->own_inputs_of_b);
  g_assert_cmpuint (c->rows->len, ==, b->rows->len);
}

/* A sum that is rounded in each step drifts away; what forgets does not. */
static void
test_growth (void)
{
  static const char model[] =
      "main (%%x : f32[96,1,8]) {\n"
      "  const %%w : f32[1,8,8] = [%s]\n"
      "  const %%r : f32[1,8,8] = [%s]\n"
      "  %%h = RNN(%%x, %%w, %%r) {hidden_size = 8, activations = [\"Relu\"]} : f32[96,1,1,8]"
      " @ \"state\"\n"
      "  return %%h\n"
      "}\n";
  const int time = 0;
  const gint64 dims[] = { 96, 1, 8 };
  static const double kept[] = { 1, 0 };

  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    {
      g_autoptr (GString) w = g_string_new (NULL);
      g_autoptr (GString) r = g_string_new (NULL);
      g_autofree char *text = NULL, *headline = NULL, *report = NULL;
      g_autoptr (AssayGraph) graph = NULL;
      g_autoptr (AssayRunSubject) subject = NULL;
      g_autoptr (GPtrArray) inputs = NULL;
      g_autoptr (AssayComparison) comparison = NULL;
      const AssayComparisonRow *row;
      double first, last;
      gsize length;

      for (guint j = 0; j < 64; j++)
        {
          g_string_append_printf (w, "%s%g", j > 0 ? ", " : "", 0.07 + (j % 5) / 64.0);
          g_string_append_printf (r, "%s%g", j > 0 ? ", " : "", j % 9 == 0 ? kept[i] : 0.0);
        }
      text = g_strdup_printf (model, w->str, r->str);
      graph = parse (text);
      subject = new_subject (graph, &time);
      inputs = new_inputs (3, dims);
      comparison = compare ("reference", subject, "vm", subject, inputs);
      row = assay_comparison_row (comparison, comparison->rows->len - 1);
      headline = assay_compare_report_headline (comparison);
      g_test_message ("%s: %g", headline, assay_comparison_row_growth (row, &first, &last));
      g_assert_cmpuint (row->n_spans, ==, ASSAY_COMPARISON_MAX_SPANS);
      g_assert_true ((assay_comparison_row_growth (row, &first, &last) > 0) == (i == 0));
      g_assert_true ((strstr (headline, "grow over the timesteps") != NULL) == (i == 0));
      report = assay_compare_report_to_text (comparison, "model", NULL, 0, FALSE, &length);
      g_assert_nonnull (strstr (report, i == 0 ? "\nErrors that grow over the timesteps, root mean "
                                                 "square\n  node   at first  at last  worst step\n"
                                                 "  state "
                                               : "\nNo error grows over the timesteps by more than "
                                                 "chance does\n"));
    }
}

/* Outputs of one node are told apart wherever they are listed; what has one output is its node. */
static void
test_places (void)
{
  static const struct
  {
    const char *name;
    const char *place;
  } places[] = {
    { "y", "layer: y" }, { "layer.h", "layer.h" }, { "c", "layer: c" },
    { "z", "head" },     { "l", "parts: l" },      { "r", "parts: r" },
    { "v", "best: v" },  { "i", "best: i" },       { "o", "alone" },
  };
  g_autoptr (AssayGraph) graph = parse (
      "main (%x : f32[3,1,4], %w : f32[1,16,4], %b : f32[1,16,4]) {\n"
      "  const %k : i64[1] = [2]\n"
      "  %y, %layer.h, %c = LSTM(%x, %w, %b) {hidden_size = 4} : f32[3,1,1,4], f32[1,1,4], "
      "f32[1,1,4] @ \"layer\"\n"
      "  %z = Tanh(%layer.h) : f32[1,1,4] @ \"head\"\n"
      "  %l, %r = Split(%c) {axis = 2, num_outputs = 2} : f32[1,1,2], f32[1,1,2] @ \"parts\"\n"
      "  %v, %i = TopK(%z, %k) : f32[1,1,2], i64[1,1,2] @ \"best\"\n"
      "  %o, _, _ = LSTM(%x, %w, %b) {hidden_size = 4} : f32[3,1,1,4], _, _ @ \"alone\"\n"
      "  return %y, %l, %r, %v, %i, %o\n"
      "}\n");
  g_autoptr (GPtrArray) inputs = new_inputs (3, (const gint64[]){ 3, 1, 4 });
  g_autoptr (AssayRunSubject) subject = NULL;
  g_autoptr (AssayComparison) comparison = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  gsize length;

  subject = graph_subject (NULL, graph, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GPtrArray) weights = new_inputs (3, (const gint64[]){ 1, 16, 4 });

      g_ptr_array_add (inputs, assay_tensor_ref (g_ptr_array_index (weights, 0)));
    }
  comparison = compare ("reference", subject, "reference-fp64", subject, inputs);
  text = assay_compare_report_to_text (comparison, "model", NULL, 0, FALSE, &length);
  g_assert_cmpuint (comparison->rows->len, ==, G_N_ELEMENTS (places));
  for (guint i = 0; i < comparison->rows->len; i++)
    {
      const AssayComparisonRow *row = assay_comparison_row (comparison, i);
      g_autofree char *place = assay_comparison_row_dup_place (row);
      g_autofree char *cell = g_strdup_printf ("  %s  ", place);
      guint j = 0;

      while (j < G_N_ELEMENTS (places) && !g_str_equal (places[j].name, row->name))
        j++;
      g_assert_cmpuint (j, <, G_N_ELEMENTS (places));
      g_assert_cmpstr (place, ==, places[j].place);
      g_assert_nonnull (strstr (text, cell));
    }
}

/* What an operation adds up, of operands of the size of 1: it may cancel, and its roundings stay.
 */
static void
test_bounds (void)
{
  static const struct
  {
    const char *model;
    double scale;
  } cases[] = {
    { "main (%x : f32[4,16]) { const %a : i64[] = [1] %y = CumSum(%x, %a) : f32[4,16] return %y }",
      4 },
    { "main (%x : f32[4,9], %w : f32[9,5]) { %y = Einsum(%x, %w) {equation = \"ij,jk->ik\"} : "
      "f32[4,5] return %y }",
      3 },
    { "main (%x : f32[1,25,1]) { %y = DFT(%x) {axis = 1} : f32[1,25,2] return %y }", 5 },
    { "main (%x : f32[4,16], %w : f32[16,5]) { %y = MatMul(%x, %w) : f32[4,5] return %y }", 4 },
    { "main (%x : f32[4,16]) { %y = Tanh(%x) : f32[4,16] return %y }", 0 },
  };
  const AssayMagnitude operands[] = { { 1, 1, 1, 1 }, { 1, 1, 1, 1 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AssayGraph) graph = parse (cases[i].model);
      AssayErrorBound bound = assay_error_bound_of_node (
          graph, assay_graph_node (graph, 1), operands, assay_graph_node (graph, 1)->n_inputs);

      g_assert_cmpfloat_with_epsilon (bound.scale, cases[i].scale, 1e-6);
    }
}

/* A chain of products, sums, casts and transposes; `planted` is the node that is wrong, and how. */
typedef enum
{
  WRONG_WEIGHT,
  WRONG_ROUNDING,
  WRONG_AXIS,
  N_WRONGS
} Wrong;

static char *
chain (guint n_nodes, guint planted, Wrong wrong)
{
  GString *text = g_string_new ("main (%x : f32[8,8]) {\n");

  for (guint i = 0; i < n_nodes; i++)
    {
      g_string_append_printf (text, "  const %%w%u : f32[8] = [", i);
      for (guint j = 0; j < LANES; j++)
        {
          double weight = 0.25 + ((i * 7 + j * 3) % 16) / 64.0;

          if (i == planted && wrong == WRONG_WEIGHT && j == 5)
            weight += 1;
          g_string_append_printf (text, "%s%g", j > 0 ? ", " : "", weight);
        }
      g_string_append (text, "]\n");
    }

  /* Every op adds something that the ones behind it hand on. */
  for (guint i = 0; i < n_nodes; i++)
    {
      static const char *const ops[] = { "Mul", "Add", "Cast", "Transpose" };
      const char *op = ops[i % 4];
      g_autofree char *from = i == 0 ? g_strdup ("%x") : g_strdup_printf ("%%v%u", i - 1);
      gboolean here = i == planted;

      if (g_str_equal (op, "Cast"))
        g_string_append_printf (text,
                                "  %%h%u = Cast(%s) {to = %d} : %s[8,8] @ \"n%u\"\n"
                                "  %%v%u = Cast(%%h%u) {to = 1} : f32[8,8] @ \"back%u\"\n",
                                i, from, here && wrong == WRONG_ROUNDING ? 16 : 10,
                                here && wrong == WRONG_ROUNDING ? "bf16" : "f16", i, i, i, i);
      else if (g_str_equal (op, "Transpose"))
        g_string_append_printf (text, "  %%v%u = Transpose(%s) {perm = %s} : f32[8,8] @ \"n%u\"\n",
                                i, from, here && wrong == WRONG_AXIS ? "[0, 1]" : "[1, 0]", i);
      else
        g_string_append_printf (text, "  %%v%u = %s(%s, %%w%u) : f32[8,8] @ \"n%u\"\n", i, op, from,
                                i, i);
    }
  g_string_append_printf (text, "  return %%v%u\n}\n", n_nodes - 1);

  return g_string_free (text, FALSE);
}

/* The wrong model has the structure of the right one, so that values have the same ids. */
static AssayRunSubject *
plain_subject (const char *text)
{
  g_autoptr (AssayGraph) graph = parse (text);
  g_autoptr (GError) error = NULL;
  AssayRunSubject *subject = graph_subject (NULL, graph, &error);

  g_assert_no_error (error);
  /* As it was written: what the passes would take out is what was planted. */
  assay_graph_unref (subject->graph);
  subject->graph = assay_graph_ref (subject->imported);

  return subject;
}

static void
test_planted (void)
{
  static const guint sizes[] = { 10, 100, 1000, 5000 };
  const gint64 dims[] = { 8, 8 };
  g_autoptr (GPtrArray) inputs = new_inputs (2, dims);

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (Wrong wrong = 0; wrong < N_WRONGS; wrong++)
      {
        static const guint kinds[N_WRONGS] = { 0, 2, 3 };
        guint planted = sizes[i] * 7 / 10 / 4 * 4 + kinds[wrong];
        g_autofree char *name = g_strdup_printf ("n%u", planted);
        g_autofree char *right_text = chain (sizes[i], G_MAXUINT, wrong);
        g_autofree char *wrong_text = chain (sizes[i], planted, wrong);
        g_autoptr (AssayRunSubject) a = plain_subject (right_text);
        g_autoptr (AssayRunSubject) b = plain_subject (wrong_text);
        g_autoptr (AssayComparison) comparison = compare ("reference", a, "reference", b, inputs);
        const AssayComparisonRow *row;

        g_assert_cmpint (comparison->first_divergent, >=, 0);
        row = assay_comparison_row (comparison, (guint) comparison->first_divergent);
        g_assert_cmpstr (row->node_name, ==, name);
        g_assert_cmpint (comparison->worst, ==, comparison->first_divergent);

        /* Only that node is wrong by itself; what follows has it from there. */
        for (guint j = 0; j < comparison->rows->len; j++)
          {
            const AssayComparisonRow *other = assay_comparison_row (comparison, j);

            g_assert_true (other == row || assay_compare_is_exact (&other->own));
            if ((int) j < comparison->first_divergent)
              g_assert_true (assay_compare_is_exact (&other->total));
          }
      }
}

/* A machine whose weight is wrong in one place, against the evaluator on the right model. */
static void
test_planted_in_machine (void)
{
  const gint64 dims[] = { 8, 8 };
  g_autoptr (GPtrArray) inputs = new_inputs (2, dims);
  g_autofree char *right_text = chain (40, G_MAXUINT, WRONG_WEIGHT);
  g_autofree char *wrong_text = chain (40, 28, WRONG_WEIGHT);
  g_autoptr (AssayGraph) right = parse (right_text);
  g_autoptr (AssayGraph) wrong = parse (wrong_text);
  g_autoptr (AssayRunSubject) a = new_subject (right, NULL);
  g_autoptr (AssayRunSubject) b = new_subject (wrong, NULL);
  g_autoptr (AssayComparison) good = compare ("reference", a, "vm", a, inputs);
  g_autoptr (AssayComparison) bad = compare ("reference", a, "vm", b, inputs);

  g_assert_cmpint (good->verdict, ==, ASSAY_COMPARISON_WITHIN);
  g_assert_cmpint (bad->first_divergent, >=, 0);
  g_assert_cmpstr (assay_comparison_row (bad, (guint) bad->first_divergent)->node_name, ==, "n28");
  g_assert_cmpint (bad->worst, ==, bad->first_divergent);
}

/* A weight that is the default of an input is moved before it is used; it is a constant of the
 * program all the same. */
static void
test_default (void)
{
  static const char text[] =
      "main (%x : f32[1,12], %w : f32[3,4] param = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]) {\n"
      "  %f = Flatten(%w) {axis = 0} : f32[1,12] @ \"flat\"\n"
      "  %y = Mul(%x, %f) : f32[1,12] @ \"scale\"\n"
      "  return %y\n"
      "}\n";
  const gint64 dims[] = { 1, 12 };
  g_autoptr (AssayGraph) graph = parse (text);
  g_autoptr (AssayRunSubject) subject = NULL;
  g_autoptr (GPtrArray) inputs = new_inputs (2, dims);
  g_autoptr (AssayComparison) comparison = NULL;

  graph->ir_version = 8;
  subject = new_subject (graph, NULL);
  comparison = compare ("reference", subject, "vm-fp32", subject, inputs);
  g_assert_cmpint (comparison->verdict, ==, ASSAY_COMPARISON_EXACT);
}

/* Values of 80 MiB go by, and never more than the queue takes lie between the runs. */
static void
test_flat (void)
{
  const guint n_nodes = 5000;
  const gint64 dims[] = { 64, 64 };
  g_autoptr (GString)
      text = g_string_new ("main (%x : f32[64,64]) {\n  const %c : f32[] = [0.001]\n");
  g_autoptr (GPtrArray) inputs = new_inputs (2, dims);
  g_autoptr (AssayRunSubject) subject = NULL;
  g_autoptr (AssayComparison) comparison = NULL;

  g_string_append (text, "  %v0 = Add(%x, %c) : f32[64,64]\n");
  for (guint i = 1; i < n_nodes; i++)
    g_string_append_printf (text, "  %%v%u = Add(%%v%u, %%c) : f32[64,64]\n", i, i - 1);
  g_string_append_printf (text, "  return %%v%u\n}\n", n_nodes - 1);

  subject = plain_subject (text->str);
  comparison = compare ("reference", subject, "reference-fp64", subject, inputs);
  g_assert_cmpuint (comparison->rows->len, ==, n_nodes);
  g_assert_cmpuint (comparison->peak_bytes, <=, 17 * 1024 * 1024);
  g_assert_cmpint (comparison->verdict, !=, ASSAY_COMPARISON_UNKNOWN);
}

static void
count_row (const AssayComparisonRow *row, gpointer user_data)
{
  g_atomic_int_inc ((int *) user_data);
}

static void
test_rows (void)
{
  g_autoptr (AssayGraph) graph = parse (residual);
  g_autoptr (AssayRunSubject) subject = new_subject (graph, NULL);
  g_autoptr (GPtrArray) inputs = new_inputs (3, residual_dims);
  const AssayComparisonSide a = { "reference", subject }, b = { "vm", subject };
  int told = 0;
  AssayComparisonOptions options = { .row_func = count_row, .row_data = &told };
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayComparison)
      comparison = assay_compare_runs (&a, &b, inputs, &options, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpint (told, ==, (int) comparison->rows->len);

  g_clear_pointer (&comparison, assay_comparison_free);
  options.outputs_only = TRUE;
  told = 0;
  comparison = assay_compare_runs (&a, &b, inputs, &options, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (told, ==, 1);
  g_assert_true (assay_comparison_row (comparison, 0)->is_output);
  g_assert_false (assay_comparison_row (comparison, 0)->has_own);
}

static void
test_cancel (void)
{
  const gint64 dims[] = { 8, 8 };
  g_autoptr (GPtrArray) inputs = new_inputs (2, dims);
  g_autofree char *text = chain (5000, G_MAXUINT, WRONG_WEIGHT);
  g_autoptr (AssayRunSubject) subject = plain_subject (text);
  const AssayComparisonSide side = { "reference", subject };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  const AssayProgress progress = ASSAY_PROGRESS_INIT (NULL, NULL, cancellable);
  g_autoptr (GError) error = NULL;
  GThread *thread = g_thread_new ("cancel", cancel_amid, cancellable);

  g_assert_null (assay_compare_runs (&side, &side, inputs, NULL, &progress, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED);
  g_thread_join (thread);
}

static AssayTensor *
some_kilobytes (void)
{
  const gint64 n = 256;
  float values[256] = { 0 };

  return assay_tensor_new_f32 (1, &n, values);
}

static gpointer
put_many (gpointer data)
{
  for (guint i = 0; i < 1000; i++)
    {
      g_autoptr (AssayTensor) tensor = some_kilobytes ();

      g_assert_true (assay_tensor_queue_put (data, i, tensor, NULL));
    }
  assay_tensor_queue_close (data);

  return NULL;
}

/* What lies between two runs stays small, in any order of reading that needs only what has come. */
static void
test_tensor_queue (void)
{
  g_autoptr (AssayTensorQueue) queue = assay_tensor_queue_new (1, 8 * 1024, NULL);
  GThread *thread = g_thread_new ("put", put_many, queue);

  for (guint i = 0; i < 1000; i++)
    {
      g_autoptr (AssayTensor) tensor = assay_tensor_queue_get (queue, i, NULL);

      g_assert_nonnull (tensor);
      assay_tensor_queue_release (queue, i);
    }
  g_thread_join (thread);
  g_assert_null (assay_tensor_queue_get (queue, 1000, NULL));
  g_assert_cmpuint (assay_tensor_queue_peak (queue), <=, 16 * 1024);
}

/* A reader that begins with the last value makes the run ahead go on. */
static void
test_tensor_queue_backwards (void)
{
  g_autoptr (AssayTensorQueue) queue = assay_tensor_queue_new (1, 8 * 1024, NULL);
  GThread *thread = g_thread_new ("put", put_many, queue);

  for (guint i = 1000; i-- > 0;)
    {
      g_autoptr (AssayTensor) tensor = assay_tensor_queue_get (queue, i, NULL);

      g_assert_nonnull (tensor);
      assay_tensor_queue_release (queue, i);
    }
  g_thread_join (thread);
}

static gpointer
put_one (gpointer data)
{
  g_autoptr (AssayTensor) tensor = some_kilobytes ();

  for (guint i = 0; i < 1000; i++)
    g_thread_yield ();
  g_assert_true (assay_tensor_queue_put (data, 0, tensor, NULL));

  return NULL;
}

/* A value that comes in the same moment as the wish to stop: one of both is handed out. */
static void
test_tensor_queue_cancel (void)
{
  for (guint i = 0; i < 10; i++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      const AssayProgress progress = ASSAY_PROGRESS_INIT (NULL, NULL, cancellable);
      g_autoptr (AssayTensorQueue) queue = assay_tensor_queue_new (1, 8 * 1024, &progress);
      g_autoptr (AssayTensor) tensor = NULL;
      g_autoptr (GError) error = NULL;
      GThread *thread;

      g_cancellable_cancel (cancellable);
      thread = g_thread_new ("put", put_one, queue);
      tensor = assay_tensor_queue_get (queue, 0, &error);
      g_thread_join (thread);
      g_assert_true ((tensor == NULL) == (error != NULL));
    }
}

/* A sum, forty times it, and what grows with it; a fault is planted in what is added. */
static AssayRunSubject *
growing_subject (double added, const char *tail)
{
  g_autofree char *text = g_strdup_printf ("main (%%x : f32[12,8]) {\n"
                                           "  const %%w : f32[] = [%.9g]\n"
                                           "  const %%k : f32[] = [40]\n"
                                           "  %%a = Add(%%x, %%w) : f32[12,8] @ \"add\"\n"
                                           "  %%m = Mul(%%a, %%k) : f32[12,8] @ \"mul\"\n"
                                           "  %%e = Exp(%%m) : f32[12,8] @ \"exp\"\n"
                                           "  %%t = %s @ \"turn\"\n"
                                           "  return %%t\n"
                                           "}\n",
                                           added, tail);

  return plain_subject (text);
}

#define TURN "Transpose(%e) {perm = [0, 1]}"

/* What a planted fault is called at the node that has it, and what at those behind. */
static void
test_divergence (void)
{
  static const struct
  {
    double added;
    const char *tail;
    AssayDivergence add, exp, turn;
    AssayComparisonVerdict verdict;
    const char *headline;
  } cases[] = {
    { 0.5, TURN, ASSAY_DIVERGENCE_EXACT, ASSAY_DIVERGENCE_EXACT, ASSAY_DIVERGENCE_EXACT,
      ASSAY_COMPARISON_EXACT, "Bit-exact" },
    { 0.500001, TURN, ASSAY_DIVERGENCE_BIASED, ASSAY_DIVERGENCE_AMPLIFIED,
      ASSAY_DIVERGENCE_ROUNDING, ASSAY_COMPARISON_WITHIN, "magnifies what it inherits" },
    { 0.6, TURN, ASSAY_DIVERGENCE_BEYOND, ASSAY_DIVERGENCE_AMPLIFIED, ASSAY_DIVERGENCE_ROUNDING,
      ASSAY_COMPARISON_OUTSIDE, "upward" },
    { 0.5, "ReduceMax(%e) {keepdims = 1}", ASSAY_DIVERGENCE_EXACT, ASSAY_DIVERGENCE_EXACT,
      ASSAY_DIVERGENCE_NOT_COMPARED, ASSAY_COMPARISON_UNKNOWN, "could not be compared" },
  };
  const gint64 dims[] = { 12, 8 };
  g_autoptr (AssayRunSubject) right = growing_subject (0.5, TURN);
  g_autoptr (GPtrArray) inputs = new_inputs (2, dims);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (AssayRunSubject) other = growing_subject (cases[i].added, cases[i].tail);
      g_autoptr (AssayComparison)
          comparison = compare ("reference", right, "reference", other, inputs);
      g_autofree char *headline = assay_compare_report_headline (comparison);

      g_test_message ("%u: %s", i, headline);
      g_assert_nonnull (strstr (headline, cases[i].headline));
      g_assert_cmpint (comparison->verdict, ==, cases[i].verdict);
      for (guint j = 0; j < comparison->rows->len; j++)
        {
          const AssayComparisonRow *row = assay_comparison_row (comparison, j);
          AssayDivergence divergence = assay_comparison_row_divergence (row);

          g_test_message ("%s: %s, factor %g, bias %g", row->node_name,
                          assay_divergence_name (divergence), assay_comparison_row_factor (row),
                          assay_comparison_row_bias (row));
          if (g_str_equal (row->node_name, "add"))
            g_assert_cmpint (divergence, ==, cases[i].add);
          if (g_str_equal (row->node_name, "exp"))
            g_assert_cmpint (divergence, ==, cases[i].exp);
          if (g_str_equal (row->node_name, "turn"))
            g_assert_cmpint (divergence, ==, cases[i].turn);
        }
    }
}

/* Rounding has no direction, cutting off has one, and a few elements say nothing. */
static void
test_bias (void)
{
  for (guint n = 8; n <= 4096; n *= 8)
    for (guint how = 0; how < 3; how++)
      {
        AssayComparisonRow row = { .has_own = TRUE, .has_total = TRUE, .limit = 8 };
        g_autoptr (GRand) rand = g_rand_new_with_seed (7);

        assay_compare_begin (&row.own, ASSAY_COMPARE_BF16, 1);
        for (guint i = 0; i < n; i++)
          {
            double a = g_rand_double_range (rand, 1, 2), unit = 1.0 / 128;
            double b = how == 0   ? rint (a / unit) * unit
                       : how == 1 ? floor (a / unit) * unit
                                  : ceil (a / unit) * unit;

            assay_compare_add (&row.own, &a, &b, 1);
          }
        assay_compare_end (&row.own);
        row.total = row.own;
        row.verdict = ASSAY_COMPARISON_WITHIN;
        g_assert_cmpint (assay_comparison_row_divergence (&row), ==,
                         how > 0 && n >= 64 ? ASSAY_DIVERGENCE_BIASED : ASSAY_DIVERGENCE_ROUNDING);
        if (how > 0 && n >= 64)
          g_assert_cmpfloat_with_epsilon (assay_comparison_row_bias (&row),
                                          (how == 1 ? -1 : 1) * 0.866, 0.1);
      }
}

/* A tensor that an output is made of has the limit of what made it, and what came in is no fault.
 */
static void
test_parts (void)
{
  static const char model[] =
      "main (%x : f32[1,12,8]) {\n"
      "  const %w : f32[8] = [0.1, 0.7, -0.3, 0.9, 1.3, -0.2, 0.4, 0.6]\n"
      "  %a = Mul(%x, %w) : f32[1,12,8] @ \"mul\"\n"
      "  %e = Exp(%a) : f32[1,12,8] @ \"exp\"\n"
      "  %s = SplitToSequence(%e) {axis = 1} : seq<f32[1,1,8]> @ \"split\"\n"
      "  return %s\n"
      "}\n";
  g_autoptr (AssayRunSubject) subject = plain_subject (model);
  g_autoptr (GPtrArray) inputs = new_inputs (3, residual_dims);
  g_autoptr (AssayComparison)
      comparison = compare ("reference", subject, "reference-fp64", subject, inputs);
  guint n_parts = 0, n_off = 0;

  for (guint i = 0; i < comparison->rows->len; i++)
    {
      const AssayComparisonRow *row = assay_comparison_row (comparison, i);

      if (row->whole == ASSAY_NO_VALUE)
        continue;
      n_parts++;
      n_off += row->total.error > 0;
      g_assert_cmpfloat (row->limit, >=, row->inherited);
      g_assert_cmpint (row->verdict, !=, ASSAY_COMPARISON_OUTSIDE);
    }
  g_assert_cmpuint (n_parts, ==, 12);
  g_assert_cmpuint (n_off, >, 0);
  g_assert_cmpint (comparison->verdict, ==, ASSAY_COMPARISON_WITHIN);
}

TEST_PROGRAM (comparison)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/comparison/same", test_same);
  g_test_add_func ("/comparison/precision", test_precision);
  g_test_add_func ("/comparison/streaming", test_streaming);
  g_test_add_func ("/comparison/parts", test_parts);
  g_test_add_func ("/comparison/growth", test_growth);
  g_test_add_func ("/comparison/places", test_places);
  g_test_add_func ("/comparison/bounds", test_bounds);
  g_test_add_func ("/comparison/planted/evaluator", test_planted);
  g_test_add_func ("/comparison/planted/machine", test_planted_in_machine);
  g_test_add_func ("/comparison/default", test_default);
  g_test_add_func ("/comparison/flat", test_flat);
  g_test_add_func ("/comparison/rows", test_rows);
  g_test_add_func ("/comparison/divergence", test_divergence);
  g_test_add_func ("/comparison/bias", test_bias);
  g_test_add_func ("/comparison/cancel", test_cancel);
  g_test_add_func ("/comparison/queue/flat", test_tensor_queue);
  g_test_add_func ("/comparison/queue/backwards", test_tensor_queue_backwards);
  g_test_add_func ("/comparison/queue/cancel", test_tensor_queue_cancel);

  return g_test_run ();
}
