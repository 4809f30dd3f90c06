/* test-evaluate.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <float.h>
#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/assay-error.h"
#include "base/assay-small-float.h"
#include "base/assay-workers.h"
#include "evaluate/assay-evaluate.h"
#include "nnir/text/assay-text.h"
#include "test-program.h"
#include "wait.h"

static AssayGraph *
parse (const char *body)
{
  static const char head[] = "nnir 1\ngraph \"t\" {level = onnx, ir_version = 8}\nopset \"\" 24\n";
  g_autofree char *text = g_strconcat (head, body, NULL);
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  AssayGraph *graph = assay_graph_from_text (text, -1, findings, &error);

  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    g_test_message ("%s", assay_findings_get (findings, i)->message);
  g_assert_no_error (error);
  g_assert_cmpuint (assay_findings_get_count (findings), ==, 0);

  return graph;
}

static AssayTensor *
floats (guint rank, const gint64 *dims)
{
  g_autofree float *values = NULL;
  gsize n;

  g_assert_true (assay_dims_count (rank, dims, &n));
  values = g_new (float, n + 1);
  for (gsize i = 0; i < n; i++)
    values[i] = (float) ((i * 2654435761u) % 1000) / 500.0f - 1.0f;

  return assay_tensor_new_f32 (rank, dims, values);
}

static void
assert_floats (AssayTensor *tensor, guint n, const float *expected)
{
  g_assert_cmpint (assay_tensor_get_dtype (tensor), ==, ASSAY_DTYPE_F32);
  g_assert_cmpmem (assay_tensor_get_data (tensor, NULL, NULL), assay_tensor_get_n_bytes (tensor),
                   expected, n * sizeof *expected);
}

static const char branches[] = "main (%c : bool[], %x : f32[3]) {\n"
                               "  const %k : f32[3] = [10.0, 20.0, 30.0]\n"
                               "  %y = Relu(%x) : f32[3] @ \"relu\"\n"
                               "  %r = If(%c) {then_branch = region \"then\" () {\n"
                               "    %a = Add(%y, %k) : f32[3] @ \"add\"\n"
                               "    return %a\n"
                               "  }, else_branch = region \"else\" () {\n"
                               "    return %y\n"
                               "  }} : f32[3] @ \"if\"\n"
                               "  return %r\n"
                               "}\n";

/* A nested graph reads what is around it. */
static void
test_branches (void)
{
  g_autoptr (AssayGraph) graph = parse (branches);
  const char *names[] = { "x", "c" };
  const float x[] = { -1.0f, 2.0f, 3.0f };
  const float expected[2][3] = { { 0.0f, 2.0f, 3.0f }, { 10.0f, 22.0f, 33.0f } };

  for (guint8 c = 0; c < 2; c++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new (&c, 1);
      g_autoptr (AssayTensor) condition = assay_tensor_new (ASSAY_DTYPE_BOOL, 0, NULL, bytes, NULL);
      g_autoptr (AssayTensor) input = assay_tensor_new_f32 (1, (gint64[]){ 3 }, x);
      AssayTensor *inputs[] = { input, condition };
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray)
          outputs = assay_evaluate_graph (graph, NULL, 2, names, inputs, NULL, &error);

      g_assert_no_error (error);
      assert_floats (g_ptr_array_index (outputs, 0), 3, expected[c]);
    }
}

static void
assert_fails (const char *body, const char *name, AssayTensor *input, AssayError code,
              const char *part)
{
  g_autoptr (AssayGraph) graph = parse (body);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray)
      outputs = assay_evaluate_graph (graph, NULL, 1, &name, &input, NULL, &error);

  g_assert_null (outputs);
  g_assert_error (error, ASSAY_ERROR, (int) code);
  if (strstr (error->message, part) == NULL)
    g_error ("“%s” does not say “%s”", error->message, part);
}

/* What is wrong is said with the name of the node or the input. */
static void
test_errors (void)
{
  g_autoptr (AssayTensor) x = floats (2, (gint64[]){ 2, 3 });

  assert_fails ("main (%x : f32[?,?]) {\n  %y = MatMul(%x, %x) : f32[*] @ \"mm\"\n  return %y\n}\n",
                "x", x, ASSAY_ERROR_INVALID,
                "mm (MatMul): input 0 has 3 columns and input 1 2 rows");
  assert_fails ("main (%x : f32[2,4]) {\n  %y = Relu(%x) : f32[*] @ \"r\"\n  return %y\n}\n", "x",
                x, ASSAY_ERROR_INVALID, "input “x” is f32[2, 3], f32[2,4] was expected");
  assert_fails ("main (%x : f32[2,3]) {\n  %y = Relu(%x) : f32[*] @ \"r\"\n  return %y\n}\n", "z",
                x, ASSAY_ERROR_INVALID, "no input “z”");
  assert_fails (
      "main (%x : f32[2,3], %w : f32[3]) {\n  %y = Add(%x, %w) : f32[*] @ \"r\"\n  return %y\n}\n",
      "x", x, ASSAY_ERROR_INVALID, "input “w” was not given");
  assert_fails (
      "main (%x : f32[2,3]) {\n  %y = my.domain::Own(%x) : f32[*] @ \"own\"\n  return %y\n}\n", "x",
      x, ASSAY_ERROR_UNSUPPORTED, "own: the reference does not run my.domain.Own");
}

static const char product[] = "main (%a : f32[?,?,?], %b : f32[?,?]) {\n"
                              "  %c = MatMul(%a, %b) : f32[*] @ \"mm\"\n"
                              "  return %c\n"
                              "}\n";

/* Kernels that cut their work into ranges, each on enough work for several. */
static const char many[] =
    "main (%x : f32[2,24,60,50], %w : f32[40,24,3,3], %d : f32[24,1,3,3], %t : f32[24,16,3,3], %s "
    ": f32[24], "
    "%q : f32[1,150,96], %g : f32[1,512,96], %r : f32[1,512,128]) {\n"
    "  const %axes : i64[2] = [1, 3]\n"
    "  const %shape : i64[3] = [2, 720, 100]\n"
    "  %a = Conv(%x, %w) {pads = [1, 1, 1, 1]} : f32[*] @ \"conv\"\n"
    "  %b = Conv(%x, %d) {group = 24, strides = [2, 2]} : f32[*] @ \"depthwise\"\n"
    "  %c = ConvTranspose(%x, %t) {strides = [2, 1]} : f32[*] @ \"transposed\"\n"
    "  %e = MaxPool(%x) {kernel_shape = [3, 3]} : f32[*] @ \"max\"\n"
    "  %f = AveragePool(%x) {kernel_shape = [3, 3], pads = [1, 1, 1, 1]} : f32[*] @ \"mean\"\n"
    "  %h = Softmax(%x) {axis = 1} : f32[*] @ \"softmax\"\n"
    "  %i = InstanceNormalization(%x, %s, %s) : f32[*] @ \"normalize\"\n"
    "  %j = ReduceSum(%x, %axes) : f32[*] @ \"reduce\"\n"
    "  %k = ReduceLogSumExp(%x) : f32[*] @ \"reduce all\"\n"
    "  %l = Attention(%q, %q, %q) {q_num_heads = 4, kv_num_heads = 4} : f32[*] @ \"attention\"\n"
    "  %m = Reshape(%x, %shape) : f32[*] @ \"reshape\"\n"
    "  %n = Einsum(%m, %m) {equation = \"bij,bkj->bik\"} : f32[*] @ \"einsum\"\n"
    "  %o, _, _ = LSTM(%q, %g, %r) : f32[*], _, _ @ \"lstm\"\n"
    "  %p = Tanh(%x) : f32[*] @ \"tanh\"\n"
    "  return %a, %b, %c, %e, %f, %h, %i, %j, %k, %l, %n, %o, %p\n"
    "}\n";

static void
assert_same_bits (GPtrArray *a, GPtrArray *b)
{
  g_assert_cmpuint (a->len, ==, b->len);
  for (guint i = 0; i < a->len; i++)
    {
      g_autoptr (GBytes) left = assay_tensor_dup_bytes (g_ptr_array_index (a, i), NULL);
      g_autoptr (GBytes) right = assay_tensor_dup_bytes (g_ptr_array_index (b, i), NULL);

      g_assert_true (g_bytes_equal (left, right));
    }
}

/* The same bits from any number of threads, in both precisions. */
static void
test_threads (void)
{
  g_autoptr (AssayGraph) graph = parse (many);
  const AssayRegion *region = assay_graph_region (graph, ASSAY_MAIN_REGION);
  g_autoptr (GPtrArray)
      inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  const char *names[8];

  for (guint i = 0; i < region->inputs->len; i++)
    {
      const AssayValue *value = assay_graph_value (graph,
                                                   g_array_index (region->inputs, AssayValueId, i));
      gint64 dims[4];

      names[i] = value->name;
      for (int j = 0; j < value->type->rank; j++)
        dims[j] = value->type->dims[j].size;
      g_ptr_array_add (inputs, floats ((guint) value->type->rank, dims));
    }

  for (guint wide = 0; wide < 2; wide++)
    {
      g_autoptr (GPtrArray) first = NULL;

      for (guint threads = 1; threads <= 5; threads += 2)
        {
          AssayEvaluateOptions options = { .n_threads = threads, .wide = wide };
          g_autoptr (GError) error = NULL;
          g_autoptr (GPtrArray)
              outputs = assay_evaluate_graph (graph, &options, inputs->len, names,
                                              (AssayTensor *const *) inputs->pdata, NULL, &error);

          g_assert_no_error (error);
          if (first == NULL)
            first = g_ptr_array_ref (outputs);
          assert_same_bits (outputs, first);
        }
    }
}

/* A loop that never ends by itself. */
static void
test_endless (void)
{
  g_autoptr (AssayGraph) graph = parse (
      "main (%x : f32[3]) {\n"
      "  const %on : bool[] = [true]\n"
      "  %r = Loop(_, %on, %x) {body = region \"body\" (%i : i64[], %c : bool[], %v : f32[3]) {\n"
      "    %w = Relu(%v) : f32[3] @ \"relu\"\n"
      "    %d = Not(%c)\n"
      "    %e = Not(%d)\n"
      "    return %e, %w\n"
      "  }} : f32[3] @ \"loop\"\n"
      "  return %r\n"
      "}\n");
  g_autoptr (AssayTensor) x = floats (1, (gint64[]){ 3 });
  const char *name = "x";
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  AssayProgress progress = ASSAY_PROGRESS_INIT (NULL, NULL, cancellable);
  GThread *thread = g_thread_new ("cancel", cancel_amid, cancellable);
  g_autoptr (GError) error = NULL;
  GPtrArray *outputs = assay_evaluate_graph (graph, NULL, 1, &name, &x, &progress, &error);

  g_thread_join (thread);
  g_assert_null (outputs);
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED);
}

/* Loops that never end by themselves, one of which grows: a run with a budget says which part of it
 * is used up, and goes on to be cancelled by the user. */
static void
test_budget (void)
{
  static const char *const bodies[] = { "Relu(%v) : f32[?]", "Concat(%v, %v) {axis = 0} : f32[?]" };
  static const AssayEvaluateOptions options[] = {
    { .n_threads = 1, .seconds = 0.2, .max_bytes = (gsize) 1 << 40 },
    { .n_threads = 1, .seconds = 600, .max_bytes = (gsize) 64 << 20 },
  };
  static const char *const words[] = { "more than 0.2 s", "more than 64 MiB" };

  for (guint i = 0; i < G_N_ELEMENTS (bodies); i++)
    {
      g_autofree char *text = g_strdup_printf (
          "main (%%x : f32[?]) {\n"
          "  const %%on : bool[] = [true]\n"
          "  %%r = Loop(_, %%on, %%x) {body = region \"body\" (%%i : i64[], %%c : bool[], "
          "%%v : f32[?]) {\n"
          "    %%w = %s @ \"body\"\n"
          "    %%d = Not(%%c)\n"
          "    %%e = Not(%%d)\n"
          "    return %%e, %%w\n"
          "  }} : f32[?] @ \"loop\"\n"
          "  return %%r\n"
          "}\n",
          bodies[i]);
      g_autoptr (AssayGraph) graph = parse (text);
      g_autoptr (AssayTensor) x = floats (1, (gint64[]){ 3 });
      const char *name = "x";
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      AssayProgress progress = ASSAY_PROGRESS_INIT (NULL, NULL, cancellable);
      g_autoptr (GError) error = NULL;

      g_assert_null (assay_evaluate_graph (graph, &options[i], 1, &name, &x, &progress, &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED);
      g_assert_nonnull (strstr (error->message, words[i]));

      g_clear_error (&error);
      g_cancellable_cancel (cancellable);
      g_assert_null (assay_evaluate_graph (graph, &options[i], 1, &name, &x, &progress, &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED);
    }
}

/* What one node asks for beyond the budget is refused before there is any of it. */
static void
test_budget_of_one (void)
{
  static const char *const nodes[] = {
    "ConstantOfShape(%s) : f32[?]",
    "Expand(%x, %s) : f32[?]",
    "Tile(%x, %s) : f32[?]",
    "Pad(%x, %p) : f32[?]",
  };
  const AssayEvaluateOptions options = { .n_threads = 1, .seconds = 600, .max_bytes = 1 << 20 };

  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    {
      g_autofree char *text = g_strdup_printf ("main (%%x : f32[?]) {\n"
                                               "  const %%s : i64[1] = [3000000000]\n"
                                               "  const %%p : i64[2] = [0, 3000000000]\n"
                                               "  %%r = %s @ \"large\"\n"
                                               "  return %%r\n"
                                               "}\n",
                                               nodes[i]);
      g_autoptr (AssayGraph) graph = parse (text);
      g_autoptr (AssayTensor) x = floats (1, (gint64[]){ 1 });
      g_autoptr (AssayDatum) datum = assay_datum_new_tensor (x, FALSE, NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayEvaluator) evaluator = assay_evaluator_new (graph, &options, &error);

      g_assert_no_error (error);
      g_assert_null (assay_evaluator_run (evaluator, 1, &datum, NULL, &error));
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_UNSUPPORTED);
      g_assert_nonnull (strstr (error->message, "more than 1 MiB"));
      g_assert_cmpuint (assay_evaluator_get_peak (evaluator), <=, options.max_bytes);
    }
}

/* However long the graph, what nobody reads any more is gone; the branch keeps one tensor to the
 * end. */
static void
test_memory (void)
{
  g_autoptr (GString) body = g_string_new (
      "main (%x : f32[256,256]) {\n  %v0 = Relu(%x) : f32[256,256] @ \"n0\"\n");
  g_autoptr (AssayGraph) graph = NULL;
  g_autoptr (AssayEvaluator) evaluator = NULL;
  g_autoptr (AssayTensor) x = floats (2, (gint64[]){ 256, 256 });
  g_autoptr (AssayDatum) datum = assay_datum_new_tensor (x, FALSE, NULL);
  g_autoptr (GError) error = NULL;
  const guint n = 5000;

  for (guint i = 1; i <= n; i++)
    g_string_append_printf (body, "  %%v%u = Add(%%v%u, %%x) : f32[256,256] @ \"n%u\"\n", i, i - 1,
                            i);
  g_string_append_printf (body,
                          "  %%y = Add(%%v%u, %%v0) : f32[256,256] @ \"y\"\n  return %%y\n}\n", n);
  graph = parse (body->str);
  evaluator = assay_evaluator_new (graph, NULL, &error);
  g_assert_no_error (error);

  for (guint run = 0; run < 2; run++)
    {
      g_autoptr (GPtrArray) outputs = assay_evaluator_run (evaluator, 1, &datum, NULL, &error);

      g_assert_no_error (error);
      g_assert_cmpuint (assay_evaluator_get_peak (evaluator), <=,
                        4 * (256 * 256 * sizeof (float) + 1024));
    }
}

/* More than any address space holds: the run ends with what was needed, and the next one finds all
 * as it was. */
static void
test_no_memory (void)
{
#ifdef __SANITIZE_ADDRESS__
  g_test_skip ("the address sanitizer ends the program");
#else
  g_autoptr (AssayGraph) graph = parse ("main (%x : f32[1], %n : i64[1]) {\n"
                                        "  %y = Expand(%x, %n) : f32[\"n\"] @ \"expand\"\n"
                                        "  return %y\n"
                                        "}\n");
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayEvaluator) evaluator = assay_evaluator_new (graph, NULL, &error);
  const gint64 extents[] = { G_GINT64_CONSTANT (1) << 45, 4 };

  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (extents); i++)
    {
      g_autoptr (AssayTensor) x = assay_tensor_new_f32 (1, (gint64[]){ 1 }, (float[]){ 2.0f });
      g_autoptr (AssayTensor) n = assay_tensor_new_i64 (1, (gint64[]){ 1 }, &extents[i]);
      g_autoptr (AssayDatum) x_datum = assay_datum_new_tensor (x, FALSE, NULL);
      g_autoptr (AssayDatum) n_datum = assay_datum_new_tensor (n, FALSE, NULL);
      AssayDatum *inputs[] = { x_datum, n_datum };
      g_autoptr (GPtrArray) outputs = assay_evaluator_run (evaluator, 2, inputs, NULL, &error);

      if (i == 0)
        {
          g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_MEMORY);
          g_test_message ("%s", error->message);
          g_assert_nonnull (strstr (error->message, "takes 140737488355"));
          g_clear_error (&error);
          continue;
        }
      g_assert_no_error (error);
      g_assert_cmpfloat (assay_datum_get_number (g_ptr_array_index (outputs, 0), 3), ==, 2.0);
    }
#endif
}

/* A loop that only its condition ends, which it does after as many turns as the input says. */
static const char counting[] =
    "main (%x: i64[]) {"
    " %r = Loop(_, _, %x) {body = region \"b\" (%i: i64[], %t: bool[], %v: i64[]) {"
    "  const %one : i64[] = [1] const %none : i64[] = [0]"
    "  %w = Sub(%v, %one) %d = Greater(%w, %none) return %d, %w } } return %r }";

static void
test_turns (void)
{
  static const struct
  {
    gint64 turns, most;
    gboolean ends;
  } cases[] = {
    { 20, 20, TRUE },   { 21, 20, FALSE },        { 0, 1, TRUE },
    { 30000, 0, TRUE }, { G_MAXINT64, 0, FALSE },
  };
  g_autoptr (AssayGraph) graph = parse (counting);
  const char *name = "x";

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      AssayEvaluateOptions options = { .max_turns = cases[i].most };
      g_autoptr (AssayTensor) x = assay_tensor_new_i64 (0, NULL, &cases[i].turns);
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray)
          outputs = assay_evaluate_graph (graph, &options, 1, &name, &x, NULL, &error);

      g_assert_cmpint (outputs != NULL, ==, cases[i].ends);
      if (outputs == NULL)
        g_assert_nonnull (strstr (error->message, "its condition still holds after"));
    }
}

static void
test_cancel (void)
{
  g_autoptr (AssayGraph) graph = parse (product);
  const char *names[] = { "a", "b" };
  g_autoptr (AssayTensor) a = floats (3, (gint64[]){ 1, 2, 3 });
  g_autoptr (AssayTensor) b = floats (2, (gint64[]){ 3, 2 });
  AssayTensor *inputs[] = { a, b };
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  AssayProgress progress = ASSAY_PROGRESS_INIT (NULL, NULL, cancellable);
  g_autoptr (GError) error = NULL;
  GPtrArray *outputs;

  g_cancellable_cancel (cancellable);
  outputs = assay_evaluate_graph (graph, NULL, 2, names, inputs, &progress, &error);
  g_assert_null (outputs);
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_CANCELLED);
}

static gboolean
observe (AssayEvaluator *self, AssayNodeId node, guint output, AssayDatum **datum,
         gpointer user_data, GError **error)
{
  GString *seen = user_data;

  g_string_append_printf (seen, "%s:%u ",
                          assay_graph_node (assay_evaluator_get_graph (self), node)->name, output);

  /* What the observer puts in its place is what later nodes read. */
  if (g_str_equal (assay_graph_node (assay_evaluator_get_graph (self), node)->name, "relu"))
    {
      AssayDatum *other = assay_datum_new ((*datum)->dtype, (*datum)->storage, (*datum)->rank,
                                           (*datum)->dims, error);

      for (gsize i = 0; i < other->n; i++)
        assay_datum_set_number (other, i, 100.0);
      assay_datum_unref (*datum);
      *datum = other;
    }

  return TRUE;
}

static void
test_observer (void)
{
  g_autoptr (AssayGraph) graph = parse (branches);
  g_autoptr (GString) seen = g_string_new (NULL);
  AssayEvaluateOptions options = { .observer = observe, .observer_data = seen };
  const char *names[] = { "x", "c" };
  g_autoptr (GBytes) bytes = g_bytes_new ("\1", 1);
  g_autoptr (AssayTensor) condition = assay_tensor_new (ASSAY_DTYPE_BOOL, 0, NULL, bytes, NULL);
  g_autoptr (AssayTensor) x = floats (1, (gint64[]){ 3 });
  AssayTensor *inputs[] = { x, condition };
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray)
      outputs = assay_evaluate_graph (graph, &options, 2, names, inputs, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (seen->str, ==, "relu:0 add:0 if:0 ");
  assert_floats (g_ptr_array_index (outputs, 0), 3, (float[]){ 110.0f, 120.0f, 130.0f });
}

/* One node alone, on inputs that are not those of the run. */
static void
test_node (void)
{
  g_autoptr (AssayGraph) graph = parse ("main (%x : f32[3]) {\n"
                                        "  const %k : f32[3] = [10.0, 20.0, 30.0]\n"
                                        "  %y = Relu(%x) : f32[3] @ \"relu\"\n"
                                        "  %z = Add(%y, %k) : f32[3] @ \"add\"\n"
                                        "  return %z\n"
                                        "}\n");
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayEvaluator) evaluator = assay_evaluator_new (graph, NULL, &error);
  g_autoptr (AssayTensor)
      x = assay_tensor_new_f32 (1, (gint64[]){ 3 }, (float[]){ -1.0f, -2.0f, -3.0f });
  g_autoptr (AssayDatum) datum = assay_datum_new_tensor (x, FALSE, NULL);
  g_autoptr (GPtrArray) outputs = assay_evaluator_run_node (evaluator, 2, 1, &datum, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpfloat (assay_datum_get_number (g_ptr_array_index (outputs, 0), 2), ==, 27.0);
}

/* In double nothing is rounded to the type of the model until it leaves. */
static void
test_wide (void)
{
  g_autoptr (AssayGraph) graph = parse ("main (%x : f16[1], %y : f16[1], %z : f16[1]) {\n"
                                        "  %s = Add(%x, %y) : f16[1] @ \"a\"\n"
                                        "  %t = Add(%s, %z) : f16[1] @ \"b\"\n"
                                        "  return %t\n"
                                        "}\n");
  static const double values[] = { 2048.0, 1.0, -2048.0 };

  for (guint wide = 0; wide < 2; wide++)
    {
      AssayEvaluateOptions options = { .wide = wide };
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayEvaluator) evaluator = assay_evaluator_new (graph, &options, &error);
      g_autoptr (GPtrArray)
          inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_datum_unref);
      g_autoptr (GPtrArray) outputs = NULL;
      g_autoptr (AssayTensor) tensor = NULL;
      double result;

      for (guint i = 0; i < 3; i++)
        {
          AssayDatum *datum = assay_datum_new (ASSAY_DTYPE_F16,
                                               assay_datum_storage (ASSAY_DTYPE_F16, wide), 1,
                                               (gint64[]){ 1 }, NULL);

          assay_datum_set_number (datum, 0, values[i]);
          g_ptr_array_add (inputs, datum);
        }
      outputs = assay_evaluator_run (evaluator, 3, (AssayDatum *const *) inputs->pdata, NULL,
                                     &error);
      g_assert_no_error (error);
      tensor = assay_datum_to_tensor (g_ptr_array_index (outputs, 0), FALSE, &error);
      g_assert_no_error (error);
      g_assert_cmpint (assay_tensor_get_dtype (tensor), ==, ASSAY_DTYPE_F16);
      g_assert_true (assay_tensor_get_element (tensor, 0, &result, NULL));

      /* 2049 lies between two f16 numbers and goes to the even one, 2048. */
      g_assert_cmpfloat (result, ==, wide ? 1.0 : 0.0);
    }
}

/* Every code of every narrow type reads as a number that rounds to itself and writes the same code.
 */
static void
test_small_floats (void)
{
  for (AssayDType dtype = 0; dtype < ASSAY_N_DTYPES; dtype++)
    {
      guint bits = assay_dtype_bits (dtype);

      if (!assay_small_float_is (dtype))
        continue;

      for (guint raw = 0; raw < 1u << bits; raw++)
        {
          double value = assay_small_float_decode (dtype, raw);

          if (value != value)
            continue;
          g_assert_cmpfloat (assay_small_float_round (dtype, value, FALSE, ASSAY_ROUNDING_NEAREST),
                             ==, value);
          g_assert_cmpuint (assay_small_float_encode (dtype, value), ==, raw);
        }
    }

  /* Between two numbers to the even one; above the largest to what the type has there. */
  g_assert_cmpfloat (
      assay_small_float_round (ASSAY_DTYPE_F4E2M1, 2.5, FALSE, ASSAY_ROUNDING_NEAREST), ==, 2.0);
  g_assert_cmpfloat (
      assay_small_float_round (ASSAY_DTYPE_F8E4M3FN, 1000.0, TRUE, ASSAY_ROUNDING_NEAREST), ==,
      448.0);
  g_assert_cmpfloat (
      assay_small_float_round (ASSAY_DTYPE_F8E5M2, 1e9, FALSE, ASSAY_ROUNDING_NEAREST), ==,
      (double) INFINITY);
  g_assert_true (
      assay_small_float_round (ASSAY_DTYPE_F8E4M3FNUZ, 1e9, FALSE, ASSAY_ROUNDING_NEAREST) !=
      assay_small_float_round (ASSAY_DTYPE_F8E4M3FNUZ, 1e9, FALSE, ASSAY_ROUNDING_NEAREST));
  g_assert_cmpfloat (assay_small_float_round (ASSAY_DTYPE_F8E8M0, 5.0, TRUE, ASSAY_ROUNDING_UP), ==,
                     8.0);
  g_assert_cmpfloat (assay_small_float_round (ASSAY_DTYPE_F8E8M0, 5.0, TRUE, ASSAY_ROUNDING_DOWN),
                     ==, 4.0);
}

static void
mark (gpointer data, gsize begin, gsize end)
{
  guint8 *marks = data;

  for (gsize i = begin; i < end; i++)
    marks[i]++;
}

static void
test_workers (void)
{
  g_autoptr (AssayWorkers) workers = assay_workers_new (4);
  guint8 marks[1000];

  g_assert_cmpuint (assay_workers_get_n_threads (workers), ==, 4);
  for (gsize n = 0; n <= G_N_ELEMENTS (marks); n += 37)
    {
      memset (marks, 0, sizeof marks);
      assay_workers_run (workers, n, 7, mark, marks, NULL);
      for (gsize i = 0; i < G_N_ELEMENTS (marks); i++)
        g_assert_cmpuint (marks[i], ==, i < n);
    }
}

/* A long sum is as near to the exact one in a small product as in a large one, on every processor
 * that the library has loops of its own for. */
static void
test_long_sums (void)
{
  static const gint64 left[] = { 8, 10800 }, right[] = { 10800, 9 };
  g_autoptr (AssayGraph) graph = parse ("main (%a : f32[8,10800], %b : f32[10800,9]) {\n"
                                        "  %y = MatMul(%a, %b) : f32[8,9] @ \"product\"\n"
                                        "  return %y\n}\n");
  g_autoptr (AssayTensor) a = floats (2, left);
  g_autoptr (AssayTensor) b = floats (2, right);
  AssayTensor *inputs[] = { a, b };
  const char *names[] = { "a", "b" };
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) outputs = NULL;
  float *x = (float *) (gpointer) assay_tensor_get_data (a, NULL, NULL);
  float *w = (float *) (gpointer) assay_tensor_get_data (b, NULL, NULL);
  const float *y;

  /* Of one sign, so that no sum cancels. */
  for (gsize i = 0; i < 8 * 10800; i++)
    x[i] = fabsf (x[i]);
  for (gsize i = 0; i < 10800 * 9; i++)
    w[i] = fabsf (w[i]);
  outputs = assay_evaluate_graph (graph, NULL, 2, names, inputs, NULL, &error);
  g_assert_no_error (error);
  y = assay_tensor_get_data (g_ptr_array_index (outputs, 0), NULL, NULL);
  for (guint i = 0; i < 8 * 9; i++)
    {
      double exact = 0;

      for (guint k = 0; k < 10800; k++)
        exact += (double) x[i / 9 * 10800 + k] * (double) w[k * 9 + i % 9];
      g_assert_cmpfloat (fabs ((double) y[i] - exact), <=, 8 * (double) FLT_EPSILON * exact);
    }
}

/* Every function of a recurrent layer hands NaN on. */
static void
test_recurrent_nan (void)
{
  static const char *const names[] = { "Relu",      "Tanh",       "Sigmoid",        "Affine",
                                       "LeakyRelu", "ScaledTanh", "HardSigmoid",    "Elu",
                                       "Softsign",  "Softplus",   "ThresholdedRelu" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *text = g_strdup_printf (
          "main (%%x : f32[2,1,1]) {\n"
          "  const %%w : f32[1,1,1] = [1]\n"
          "  const %%r : f32[1,1,1] = [0.5]\n"
          "  %%h = RNN(%%x, %%w, %%r) {hidden_size = 1, activations = [\"%s\"]} : f32[2,1,1,1]\n"
          "  return %%h\n"
          "}\n",
          names[i]);
      g_autoptr (AssayGraph) graph = parse (text);
      const float x[] = { 0.5f, NAN };
      g_autoptr (AssayTensor) input = assay_tensor_new_f32 (3, (gint64[]){ 2, 1, 1 }, x);
      const char *name = "x";
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray)
          outputs = assay_evaluate_graph (graph, NULL, 1, &name, &input, NULL, &error);
      double first, second;

      g_assert_no_error (error);
      g_assert_true (assay_tensor_get_element (g_ptr_array_index (outputs, 0), 0, &first, NULL));
      g_assert_true (assay_tensor_get_element (g_ptr_array_index (outputs, 0), 1, &second, NULL));
      g_test_message ("%s: %g, %g", names[i], first, second);
      g_assert_true (isfinite (first));
      g_assert_true (isnan (second));
    }
}

/* Which keys a row of the query looks at: scores are all the same, so that a weight is one part of
 * those that it sees. The last row belongs to the last key that is there, whoever keeps the earlier
 * ones, and a row that sees none has weights of zero. */
static void
test_attention_keys (void)
{
  static const struct
  {
    const char *inputs;
    const char *attributes;
    guint first[2]; /* keys that each of two rows sees: as many from the beginning */
  } cases[] = {
    { "%four, %four", "", { 4, 4 } },
    { "%four, %four", ", is_causal = 1", { 1, 2 } },
    { "%two, %two, _, %two, %two", ", is_causal = 1", { 3, 4 } },
    { "%four, %four, _, _, _, %n2", "", { 2, 2 } },
    { "%four, %four, _, _, _, %n3", ", is_causal = 1", { 2, 3 } },
    { "%four, %four, _, _, _, %n2", ", is_causal = 1", { 1, 2 } },
    { "%four, %four, _, _, _, %n1", ", is_causal = 1", { 0, 1 } },
    { "%four, %four, _, _, _, %n0", "", { 0, 0 } },
    { "%four, %four, %words", "", { 0, 3 } },
    { "%four, %four, %words", ", is_causal = 1", { 0, 2 } },
    { "%four, %four, %sums", "", { 0, 2 } },
    { "%two, %two, %words, %two, %two", ", is_causal = 1", { 0, 3 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strdup_printf (
          "main (%%q : f32[1,1,2,1]) {\n"
          "  const %%two : f32[1,1,2,1] = [1, 2]\n"
          "  const %%four : f32[1,1,4,1] = [1, 2, 3, 4]\n"
          "  const %%n0 : i64[1] = [0]\n  const %%n1 : i64[1] = [1]\n"
          "  const %%n2 : i64[1] = [2]\n  const %%n3 : i64[1] = [3]\n"
          "  const %%words : bool[2,4] = [false, false, false, false, true, true, true, false]\n"
          "  const %%sums : f32[2,4] = [-inf, -inf, -inf, -inf, 0, 0, -inf, -inf]\n"
          "  %%y, _, _, %%w = Attention(%%q, %s) {qk_matmul_output_mode = 3%s}\n"
          "  return %%y, %%w\n"
          "}\n",
          cases[i].inputs, cases[i].attributes);
      g_autoptr (AssayGraph) graph = parse (text);
      const float q[] = { 0, 0 };
      g_autoptr (AssayTensor) input = assay_tensor_new_f32 (4, (gint64[]){ 1, 1, 2, 1 }, q);
      const char *name = "q";
      g_autoptr (GError) error = NULL;
      g_autoptr (GPtrArray)
          outputs = assay_evaluate_graph (graph, NULL, 1, &name, &input, NULL, &error);

      g_assert_no_error (error);
      for (gsize row = 0; row < 2; row++)
        {
          double y;

          g_assert_true (assay_tensor_get_element (g_ptr_array_index (outputs, 0), row, &y, NULL));
          g_assert_true (cases[i].first[row] > 0 ? y >= 1 : fabs (y) <= 0);
          for (gsize key = 0; key < 4; key++)
            {
              guint n = cases[i].first[row];
              double weight;

              g_assert_true (assay_tensor_get_element (g_ptr_array_index (outputs, 1),
                                                       4 * row + key, &weight, NULL));
              g_assert_cmpfloat_with_epsilon (weight, key < n ? 1.0 / n : 0.0, 1e-6);
            }
        }
    }
}

TEST_PROGRAM (evaluate)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/evaluate/graph/branches", test_branches);
  g_test_add_func ("/evaluate/graph/errors", test_errors);
  g_test_add_func ("/evaluate/graph/threads", test_threads);
  g_test_add_func ("/evaluate/graph/turns", test_turns);
  g_test_add_func ("/evaluate/graph/cancel", test_cancel);
  g_test_add_func ("/evaluate/graph/endless", test_endless);
  g_test_add_func ("/evaluate/graph/budget", test_budget);
  g_test_add_func ("/evaluate/graph/budget-of-one", test_budget_of_one);
  g_test_add_func ("/evaluate/graph/memory", test_memory);
  g_test_add_func ("/evaluate/graph/no-memory", test_no_memory);
  g_test_add_func ("/evaluate/graph/observer", test_observer);
  g_test_add_func ("/evaluate/graph/node", test_node);
  g_test_add_func ("/evaluate/graph/wide", test_wide);
  g_test_add_func ("/evaluate/graph/long-sums", test_long_sums);
  g_test_add_func ("/evaluate/recurrent/nan", test_recurrent_nan);
  g_test_add_func ("/evaluate/attention/keys", test_attention_keys);
  g_test_add_func ("/evaluate/types/small-floats", test_small_floats);
  g_test_add_func ("/evaluate/workers/ranges", test_workers);

  return g_test_run ();
}
