/* test-kernels.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "base/assay-error.h"
#include "base/assay-small-float.h"
#include "evaluate/assay-evaluate-private.h"
#include "nnir/text/assay-text.h"

#include "test-program.h"

/* Files tests/data/kernels/GROUP.nnir hold graphs without inputs, each after a line `// ---- name`.
 * A graph returns pairs: what an operator makes, and what it should. With a line `// FAILS: text`
 * it fails with that text instead. Every graph runs in fp32 and in double, unless a line `// FP32
 * ONLY` says that it is about rounding. */

#define RTOL 2e-5
#define ATOL 1e-6

static AssayGraph *
parse (const char *body)
{
  g_autofree char *text = g_strconcat (
      "nnir 1\ngraph \"t\" {level = onnx, ir_version = 10}\nopset \"\" 24\n"
      "opset \"ai.onnx.ml\" 5\n",
      body, NULL);
  g_autoptr (AssayFindings) findings = assay_findings_new ();
  g_autoptr (GError) error = NULL;
  AssayGraph *graph = assay_graph_from_text (text, -1, findings, &error);

  for (guint i = 0; i < assay_findings_get_count (findings); i++)
    g_test_message ("%s", assay_findings_get (findings, i)->message);
  g_assert_no_error (error);
  g_assert_cmpuint (assay_findings_get_count (findings), ==, 0);

  return graph;
}

static gboolean
same_element (const AssayDatum *got, const AssayDatum *expected, gsize i)
{
  gboolean unrounded = expected->storage == ASSAY_DTYPE_F64 &&
                       assay_small_float_is (expected->dtype);
  double a, b;

  if (expected->storage == ASSAY_DTYPE_STRING)
    return g_bytes_equal (((GBytes **) got->data)[i], ((GBytes **) expected->data)[i]);
  if (!assay_dtype_is_float (expected->storage))
    return assay_datum_get_integer (got, i) == assay_datum_get_integer (expected, i);

  a = assay_datum_get_number (got, i);
  b = assay_datum_get_number (expected, i);

  return a == b || (isnan (a) && isnan (b)) ||
         fabs (a - b) <= ATOL + (unrounded ? 1e-2 : RTOL) * fabs (b);
}

/* What is wrong, or NULL. */
static char *
compare (const AssayDatum *got, const AssayDatum *expected)
{
  if (got->kind != ASSAY_DATUM_TENSOR)
    return g_strdup ("is not a tensor");
  if (got->dtype != expected->dtype || got->rank != expected->rank)
    return g_strdup_printf ("is %s of rank %u, expected %s of rank %u",
                            assay_dtype_name (got->dtype), got->rank,
                            assay_dtype_name (expected->dtype), expected->rank);

  for (guint i = 0; i < got->rank; i++)
    if (got->dims[i] != expected->dims[i])
      return g_strdup_printf ("has %" G_GINT64_FORMAT
                              " elements along axis %u, expected %" G_GINT64_FORMAT,
                              got->dims[i], i, expected->dims[i]);
  for (gsize i = 0; i < got->n; i++)
    if (!same_element (got, expected, i))
      return got->storage == ASSAY_DTYPE_STRING
                 ? g_strdup_printf ("differs in string %" G_GSIZE_FORMAT, i)
                 : g_strdup_printf ("has %.9g at %" G_GSIZE_FORMAT ", expected %.9g",
                                    assay_datum_get_number (got, i), i,
                                    assay_datum_get_number (expected, i));

  return NULL;
}

/* What is wrong with one graph, or NULL. */
static char *
run_section (const char *section, gboolean wide)
{
  const char *fails = strstr (section, "// FAILS: ");
  AssayEvaluateOptions options = { .wide = wide, .n_threads = 1 };
  g_autoptr (AssayGraph) graph = parse (strchr (section, '\n') + 1);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayEvaluator) evaluator = assay_evaluator_new (graph, &options, &error);
  g_autoptr (GPtrArray) outputs = NULL;

  if (evaluator != NULL)
    outputs = assay_evaluator_run (evaluator, 0, NULL, NULL, &error);

  if (fails != NULL)
    {
      g_autofree char *line = g_strndup (fails + strlen ("// FAILS: "),
                                         strcspn (fails + strlen ("// FAILS: "), "\n"));

      if (outputs != NULL)
        return g_strdup_printf ("does not fail with “%s”", line);

      return strstr (error->message, line) != NULL
                 ? NULL
                 : g_strdup_printf ("fails with “%s”", error->message);
    }
  if (outputs == NULL)
    return g_strdup (error->message);

  g_assert_cmpuint (outputs->len % 2, ==, 0);
  g_assert_cmpuint (outputs->len, >, 0);
  for (guint i = 0; i < outputs->len; i += 2)
    {
      g_autofree char *difference = compare (g_ptr_array_index (outputs, i),
                                             g_ptr_array_index (outputs, i + 1));

      if (difference != NULL)
        return g_strdup_printf ("output %u %s", i / 2, difference);
    }

  return NULL;
}

static void
test_file (gconstpointer data)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "kernels", data, NULL);
  g_autofree char *text = NULL;
  g_auto (GStrv) sections = NULL;
  guint n_failed = 0;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  sections = g_strsplit (text, "// ---- ", -1);
  g_assert_cmpuint (g_strv_length (sections), >, 1);

  for (guint i = 1; sections[i] != NULL; i++)
    for (guint wide = 0; wide < 2; wide++)
      {
        g_autofree char *name = g_strndup (sections[i], strcspn (sections[i], "\n"));
        gboolean left_out = wide != 0 && strstr (sections[i], "// FP32 ONLY") != NULL;
        g_autofree char *difference = left_out ? NULL : run_section (sections[i], wide != 0);

        if (difference != NULL)
          {
            g_test_message ("%s, %s: %s", name, wide != 0 ? "double" : "fp32", difference);
            n_failed++;
          }
      }

  g_assert_cmpuint (n_failed, ==, 0);
}

/* Every operation has a kernel, or a reason to have none. */
static void
test_complete (void)
{
  for (AssayOp op = ASSAY_OP_OPAQUE + 1; op < ASSAY_N_OPS; op++)
    {
      gboolean runs = assay_kernel_row (op)->func != NULL;
      const char *reason = assay_evaluator_left_out (op);

      if (runs == (reason != NULL))
        g_error ("%s has %s", assay_op_name (op),
                 runs ? "a kernel and a reason to have none" : "no kernel and no reason");
    }
}

/* One output of a node without inputs, and how many of its elements are below a number. */
static AssayDatum *
draw (const char *node, guint64 seed)
{
  g_autofree char *body = g_strdup_printf (
      "main () {\n  const %%p : f32[1] = [0.3]\n"
      "  const %%n : i64[2] = [100, 200]\n"
      "  %%q = Expand(%%p, %%n) @ \"q\"\n"
      "  const %%l : f32[1,3] = [0.0, 1.0986123, -inf]\n"
      "  const %%r : f32[] = [0.25]\n  const %%t : bool[] = [true]\n"
      "  %%y = %s @ \"y\"\n  return %%y\n}\n",
      node);
  AssayEvaluateOptions options = { .n_threads = 2, .seed = seed };
  g_autoptr (AssayGraph) graph = parse (body);
  g_autoptr (GError) error = NULL;
  g_autoptr (AssayEvaluator) evaluator = assay_evaluator_new (graph, &options, &error);
  g_autoptr (GPtrArray) outputs = NULL;

  g_assert_no_error (error);
  outputs = assay_evaluator_run (evaluator, 0, NULL, NULL, &error);
  g_assert_no_error (error);

  return assay_datum_ref (g_ptr_array_index (outputs, 0));
}

/* The largest distance between the distribution of the numbers and the one they should have. */
static double
distance (const AssayDatum *drawn, double (*cumulated) (double))
{
  g_autofree double *sorted = g_new (double, drawn->n);
  double worst = 0;

  for (gsize i = 0; i < drawn->n; i++)
    sorted[i] = assay_datum_get_number (drawn, i);
  for (gsize i = 1; i < drawn->n; i++)
    {
      /* By insertion into what is sorted already, found by halving. */
      double value = sorted[i];
      gsize low = 0;
      gsize high = i;

      while (low < high)
        {
          gsize middle = (low + high) / 2;

          if (sorted[middle] <= value)
            low = middle + 1;
          else
            high = middle;
        }
      memmove (sorted + low + 1, sorted + low, (i - low) * sizeof *sorted);
      sorted[low] = value;
    }
  for (gsize i = 0; i < drawn->n; i++)
    worst = fmax (worst, fabs (cumulated (sorted[i]) - ((double) i + 0.5) / (double) drawn->n));

  return worst;
}

static double
cumulated_normal (double x)
{
  return 0.5 * erfc (-(x - 2) / 3 / sqrt (2));
}

static double
cumulated_uniform (double x)
{
  return (x + 1) / 3;
}

/* 20,000 numbers; a distance above 1.95 / sqrt (n) comes up once in a thousand of fair draws
 * (Kolmogorov). */
static void
test_distributions (void)
{
  static const char *const normals[] = {
    "RandomNormal() {mean = 2.0, scale = 3.0, shape = [100, 200]}",
    "RandomNormalLike(%q) {mean = 2.0, scale = 3.0, seed = 7.0}"
  };
  static const char *const uniforms[] = {
    "RandomUniform() {high = 2.0, low = -1.0, shape = [100, 200], seed = 3.0}",
    "RandomUniformLike(%q) {high = 2.0, low = -1.0}"
  };
  const double limit = 1.95 / sqrt (20000);

  for (guint i = 0; i < G_N_ELEMENTS (normals); i++)
    {
      g_autoptr (AssayDatum) drawn = draw (normals[i], 1);

      g_assert_cmpuint (drawn->n, ==, 20000);
      g_assert_cmpfloat (distance (drawn, cumulated_normal), <, limit);
    }
  for (guint i = 0; i < G_N_ELEMENTS (uniforms); i++)
    {
      g_autoptr (AssayDatum) drawn = draw (uniforms[i], 1);

      g_assert_cmpfloat (distance (drawn, cumulated_uniform), <, limit);
      for (gsize j = 0; j < drawn->n; j++)
        {
          double value = assay_datum_get_number (drawn, j);

          g_assert_true (value >= -1 && value < 2);
        }
    }
}

static double
share_of (const AssayDatum *drawn, double value)
{
  double n = 0;

  for (gsize i = 0; i < drawn->n; i++)
    n += fabs (assay_datum_get_number (drawn, i) - value) < 1e-6;

  return n / (double) drawn->n;
}

/* Shares within four standard deviations of what they should be. */
static void
test_choices (void)
{
  g_autoptr (AssayDatum) bernoulli = draw ("Bernoulli(%q) {dtype = 6}", 5);
  g_autoptr (AssayDatum) multinomial = draw ("Multinomial(%l) {sample_size = 20000, dtype = 7}", 5);
  g_autoptr (AssayDatum) dropout = draw ("Dropout(%q, %r, %t) {seed = 4}", 5);
  const double four = 4 * 0.5 / sqrt (20000);

  g_assert_cmpint (bernoulli->dtype, ==, ASSAY_DTYPE_I32);
  g_assert_cmpfloat (fabs (share_of (bernoulli, 1) - 0.3), <, four);
  g_assert_cmpfloat (share_of (bernoulli, 0) + share_of (bernoulli, 1), ==, 1);

  g_assert_cmpint (multinomial->dtype, ==, ASSAY_DTYPE_I64);
  g_assert_cmpfloat (fabs (share_of (multinomial, 1) - 0.75), <, four);
  g_assert_cmpfloat (share_of (multinomial, 2), ==, 0);

  g_assert_cmpfloat (fabs (share_of (dropout, 0) - 0.25), <, four);
  g_assert_cmpfloat (share_of (dropout, 0) + share_of (dropout, 0.3 / 0.75), ==, 1);
}

/* The same seed draws the same numbers, another one others. */
static void
test_seeds (void)
{
  const char *node = "RandomNormal() {shape = [1000]}";
  g_autoptr (AssayDatum) first = draw (node, 1);
  g_autoptr (AssayDatum) again = draw (node, 1);
  g_autoptr (AssayDatum) other = draw (node, 2);
  g_autoptr (AssayDatum) own = draw ("RandomNormal() {shape = [1000], seed = 1.5}", 1);
  g_autoptr (AssayDatum) own_again = draw ("RandomNormal() {shape = [1000], seed = 1.5}", 2);

  g_assert_cmpmem (first->data, first->n * sizeof (float), again->data, again->n * sizeof (float));
  g_assert_cmpmem (own->data, own->n * sizeof (float), own_again->data,
                   own_again->n * sizeof (float));
  g_assert_true (memcmp (first->data, other->data, first->n * sizeof (float)) != 0);
  g_assert_true (memcmp (first->data, own->data, first->n * sizeof (float)) != 0);
}

TEST_PROGRAM (kernels)
{
  static const char *const files[] = {
    "arithmetic", "cast",    "encode",   "hostile",  "image",  "indexing", "layout",
    "models",     "numeric", "quantize", "sequence", "signal", "text",
  };

  g_test_init (&argc, &argv, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = g_strdup_printf ("/kernels/%s", files[i]);
      char *name = g_strconcat (files[i], ".nnir", NULL);

      g_test_add_data_func_full (path, name, test_file, g_free);
    }
  g_test_add_func ("/kernels/complete", test_complete);
  g_test_add_func ("/kernels/random/distributions", test_distributions);
  g_test_add_func ("/kernels/random/choices", test_choices);
  g_test_add_func ("/kernels/random/seeds", test_seeds);

  return g_test_run ();
}
