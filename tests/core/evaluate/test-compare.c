/* test-compare.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>
#include <string.h>

#include "base/assay-bf16.h"
#include "base/assay-error.h"
#include "evaluate/compare/assay-tolerance.h"

#include "test-program.h"

static AssayTensor *
tensor (gint64 n, const float *values)
{
  return assay_tensor_new_f32 (1, &n, values);
}

static AssayCompareStats
compare (gint64 n, const float *from, const float *to)
{
  g_autoptr (AssayTensor) a = tensor (n, from);
  g_autoptr (AssayTensor) b = tensor (n, to);
  g_autoptr (GError) error = NULL;
  AssayCompareStats stats;

  assay_compare_tensors (a, b, ASSAY_COMPARE_BF16, NULL, &stats, &error);
  g_assert_no_error (error);

  return stats;
}

static void
test_exact (void)
{
  const float values[] = { 1, -2, 0, INFINITY, NAN };
  AssayCompareStats stats = compare (5, values, values);

  g_assert_true (assay_compare_is_exact (&stats));
  g_assert_cmpuint (stats.n, ==, 5);
  g_assert_cmpuint (stats.nan[0], ==, 1);
  g_assert_cmpuint (stats.inf[1], ==, 1);
  g_assert_cmpuint (stats.histogram_bf16[0], ==, 4);
  g_assert_true (isinf (stats.sqnr_db));
  g_assert_cmpfloat (stats.cosine, ==, 1);
}

/* The zeros are equal in value and differ in bits. */
static void
test_zeros (void)
{
  const float a[] = { 0.0f }, b[] = { -0.0f };
  AssayCompareStats stats = compare (1, a, b);

  g_assert_cmpuint (stats.n_different, ==, 1);
  g_assert_cmpuint (stats.max_ulp_f32, ==, 0);
  g_assert_cmpfloat (stats.error, ==, 0);
}

/* Every metric against a second computation in long double, on numbers of all sizes. */
static void
test_metrics (void)
{
  enum
  {
    N = 10000
  };
  g_autofree float *a = g_new (float, N), *b = g_new (float, N);
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  long double dot = 0, aa = 0, bb = 0, dd = 0, sum = 0, most = 0, most_relative = 0, peak = 0;
  AssayCompareStats stats;
  guint signs = 0;

  for (guint i = 0; i < N; i++)
    {
      a[i] = (float) ldexp (g_rand_double_range (random, -1, 1), g_rand_int_range (random, -20, 4));
      b[i] = (float) (a[i] + g_rand_double_range (random, -1e-3, 1e-3));
      dot += (long double) a[i] * b[i];
      aa += (long double) a[i] * a[i];
      bb += (long double) b[i] * b[i];
      dd += ((long double) a[i] - b[i]) * ((long double) a[i] - b[i]);
      sum += fabsl ((long double) a[i] - b[i]);
      most = fmaxl (most, fabsl ((long double) a[i] - b[i]));
      most_relative = fmaxl (most_relative, fabsl (((long double) a[i] - b[i]) / a[i]));
      peak = fmaxl (peak, fabsl (a[i]));
      signs += a[i] * b[i] < 0;
    }

  stats = compare (N, a, b);
  g_assert_cmpfloat_with_epsilon (stats.max_abs, (double) most, 1e-12);
  g_assert_cmpfloat_with_epsilon (stats.mean_abs, (double) (sum / N), 1e-12);
  g_assert_cmpfloat_with_epsilon (stats.max_rel / (double) most_relative, 1, 1e-9);
  g_assert_cmpfloat_with_epsilon (stats.cosine, (double) (dot / sqrtl (aa * bb)), 1e-9);
  g_assert_cmpfloat_with_epsilon (stats.sqnr_db, (double) (10 * log10l (aa / dd)), 1e-9);
  g_assert_cmpfloat_with_epsilon (stats.psnr_db, (double) (10 * log10l (peak * peak * N / dd)),
                                  1e-9);
  g_assert_cmpfloat_with_epsilon (stats.scale, (double) sqrtl (aa / N), 1e-9);
  g_assert_cmpuint (stats.n_signs, ==, signs);
  g_assert_cmpuint (signs, >, 0);
}

/* Steps through neighbours: the distance is the number of steps, over zero and over powers of two.
 */
static void
test_distance (void)
{
  static const guint16 starts[] = { 0x0000, 0x0001, 0x3f7f, 0x3f80, 0x7f00 };

  for (guint i = 0; i < G_N_ELEMENTS (starts); i++)
    for (guint step = 0; step < 100; step++)
      {
        float a = assay_bf16_to_f32 (starts[i]),
              b = assay_bf16_to_f32 ((guint16) (starts[i] + step));
        float negative = -b;
        AssayCompareStats stats = compare (1, &a, &b);

        if (!isfinite (b))
          continue;
        g_assert_cmpuint (stats.max_ulp_bf16, ==, step);
        g_assert_cmpuint (stats.max_ulp_f32, ==, (guint64) step << 16);
        stats = compare (1, &b, &negative);
        g_assert_cmpuint (stats.max_ulp_bf16, ==, 2 * (starts[i] + step));
      }
}

static void
test_buckets (void)
{
  static const struct
  {
    guint64 distance;
    guint bucket;
  } cases[] = {
    { 0, 0 },
    { 1, 1 },
    { 2, 2 },
    { 3, 3 },
    { 4, 3 },
    { 5, 4 },
    { 8, 4 },
    { 9, 5 },
    { 16, 5 },
    { 17, 6 },
    { 65536, 17 },
    { G_MAXUINT32, 33 },
    { G_MAXUINT64, ASSAY_COMPARE_N_BUCKETS - 1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpuint (assay_compare_bucket (cases[i].distance), ==, cases[i].bucket);
}

/* A small element of a large tensor is judged by the tensor; alone it is judged by itself. */
static void
test_scaled (void)
{
  float a[] = { 100, 100, 100, 1e-6f }, b[] = { 100, 100, 100, 2e-6f };
  AssayCompareStats stats = compare (4, a, b);

  g_assert_cmpuint (stats.max_ulp_bf16, ==, 128);
  g_assert_cmpfloat (stats.error, <, 1e-4);

  stats = compare (1, &a[3], &b[3]);
  g_assert_cmpfloat (stats.error, >, 50);

  b[0] = 100.5f;
  stats = compare (4, a, b);
  g_assert_cmpfloat_with_epsilon (stats.error, 1, 1e-9);
  g_assert_cmpuint (stats.worst[0].index, ==, 0);
}

static void
test_worst (void)
{
  float a[50], b[50];
  AssayCompareStats stats;

  for (guint i = 0; i < G_N_ELEMENTS (a); i++)
    {
      a[i] = 1;
      b[i] = 1 + (float) (i * 7 % 50) / 128;
    }

  stats = compare (G_N_ELEMENTS (a), a, b);
  g_assert_cmpuint (stats.n_worst, ==, ASSAY_COMPARE_N_WORST);
  for (guint i = 0; i < stats.n_worst; i++)
    {
      g_assert_cmpuint (stats.worst[i].index * 7 % 50, ==, 49 - i);
      g_assert_cmpfloat_with_epsilon (stats.worst[i].error, 49 - i, 1e-6);
    }
}

static void
test_not_finite (void)
{
  static const float cases[][2] = {
    { NAN, 1 }, { 1, NAN }, { INFINITY, 1 }, { INFINITY, -INFINITY }, { 1, INFINITY }
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      AssayCompareStats stats = compare (1, &cases[i][0], &cases[i][1]);

      g_assert_cmpuint (stats.n_wrong, ==, 1);
      g_assert_true (isinf (stats.error));
      g_assert_cmpuint (stats.n_worst, ==, 1);
    }
}

/* 64-bit integers that differ where a double has no digits left are not equal. */
static void
test_integers (void)
{
  const gint64 n = 2, from[] = { G_MAXINT64 - 1, 5 }, to[] = { G_MAXINT64, 5 };
  g_autoptr (AssayTensor) a = assay_tensor_new_i64 (1, &n, from);
  g_autoptr (AssayTensor) b = assay_tensor_new_i64 (1, &n, to);
  g_autoptr (GError) error = NULL;
  AssayCompareStats stats;

  assay_compare_tensors (a, b, ASSAY_COMPARE_FP32, NULL, &stats, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (stats.n_different, ==, 1);
}

static void
test_shapes (void)
{
  const float values[] = { 1, 2 };
  g_autoptr (AssayTensor) a = tensor (2, values);
  g_autoptr (AssayTensor) b = tensor (1, values);
  g_autoptr (GError) error = NULL;
  AssayCompareStats stats;

  g_assert_false (assay_compare_tensors (a, b, ASSAY_COMPARE_BF16, NULL, &stats, &error));
  g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
  g_assert_cmpstr (error->message, ==, "f32 2 cannot be compared with f32 1");
}

static void
test_tolerance_default (void)
{
  g_autoptr (AssayTolerance) tolerance = assay_tolerance_new_default ();

  g_assert_cmpfloat (assay_tolerance_get_limit (tolerance, ASSAY_OP_MatMul, ASSAY_COMPARE_BF16), ==,
                     8);
  g_assert_cmpfloat (assay_tolerance_get_limit (tolerance, ASSAY_OP_Transpose, ASSAY_COMPARE_FP32),
                     ==, 0);
  g_assert_cmpfloat (assay_tolerance_get_limit (tolerance, ASSAY_OP_Add, ASSAY_COMPARE_BF16), ==,
                     4);
}

#define SCHEMA "\"schema\":\"assay.tolerance/1\""

static void
test_tolerance_files (void)
{
  static const struct
  {
    const char *text;
    const char *message; /* NULL: the file is good */
  } cases[] = {
    { "{" SCHEMA
      ",\"bf16\":{\"any\":2,\"rules\":[{\"op\":\"Add\",\"ulp\":3.5}]},\"fp32\":{\"any\":1}}",
      NULL },
    { "[]", "an object expected" },
    { "{\"schema\":\"assay.tolerance/2\",\"bf16\":{\"any\":2},\"fp32\":{\"any\":1}}",
      "assay.tolerance/2" },
    { "{" SCHEMA ",\"fp32\":{\"any\":1}}", "bf16" },
    { "{" SCHEMA ",\"bf16\":{\"any\":-2},\"fp32\":{\"any\":1}}", "not negative" },
    { "{" SCHEMA
      ",\"bf16\":{\"any\":2,\"rules\":[{\"op\":\"Ad\",\"ulp\":3}]},\"fp32\":{\"any\":1}}",
      "Ad is no op" },
    { "{" SCHEMA ",\"bf16\":{\"any\":2,\"rules\":[{\"ulp\":3}]},\"fp32\":{\"any\":1}}",
      "op or kind" },
    { "{" SCHEMA ",\"bf16\":3,\"fp32\":{\"any\":1}}", "bf16" },
    { "{" SCHEMA ",\"bf16\":{\"rules\":[]},\"fp32\":{\"any\":1}}", "any" },
    { "{" SCHEMA ",\"bf16\":{\"any\":\"much\"},\"fp32\":{\"any\":1}}", "not negative" },
    { "{" SCHEMA ",\"bf16\":{\"any\":2,\"rules\":[{\"op\":\"Add\"}]},\"fp32\":{\"any\":1}}",
      "ulp" },
    { "{" SCHEMA ",\"bf16\":{\"any\":2,\"rules\":[{\"op\":3,\"ulp\":3}]},\"fp32\":{\"any\":1}}",
      "an op or several" },
    { "{" SCHEMA
      ",\"bf16\":{\"any\":2,\"rules\":[{\"kind\":\"Add\",\"ulp\":3}]},\"fp32\":{\"any\":1}}",
      "Add is no kind of op" },
    { "{" SCHEMA ",\"bf16\":{\"any\":2,\"rules\":[4]},\"fp32\":{\"any\":1}}", "object" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new_static (cases[i].text, strlen (cases[i].text));
      g_autoptr (GError) error = NULL;
      g_autoptr (AssayTolerance)
          tolerance = assay_tolerance_load_bytes (bytes, "mine.json", &error);

      if (cases[i].message == NULL)
        {
          g_assert_no_error (error);
          g_assert_cmpfloat (
              assay_tolerance_get_limit (tolerance, ASSAY_OP_Add, ASSAY_COMPARE_BF16), ==, 3.5);
          g_assert_cmpfloat (
              assay_tolerance_get_limit (tolerance, ASSAY_OP_Sub, ASSAY_COMPARE_BF16), ==, 2);
          continue;
        }
      g_assert_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID);
      g_assert_nonnull (strstr (error->message, cases[i].message));
      g_assert_nonnull (strstr (error->message, "mine.json"));
    }
}

/* Distances count in numbers of the type that elements have, whatever floats hold them. */
static void
test_units (void)
{
  static const struct
  {
    AssayComparePrecision precision;
    AssayDType dtype;
    double step, a, b;
    guint64 distance;
    const char *unit;
  } rows[] = {
    { ASSAY_COMPARE_BF16, ASSAY_DTYPE_F32, 0, 1, 1.0078125, 1, "ULP" },
    { ASSAY_COMPARE_FP32, ASSAY_DTYPE_F32, 0, 1, 1.0000002384185791, 2, "ULP" },
    { ASSAY_COMPARE_FP16, ASSAY_DTYPE_F16, 0, 1, 1.0029296875, 3, "ULP" },
    { ASSAY_COMPARE_FP8, ASSAY_DTYPE_F32, 0, 1, 1.25, 2, "ULP" },
    { ASSAY_COMPARE_INT8, ASSAY_DTYPE_F32, 0.25, -1, 0.5, 6, "steps" },
    { ASSAY_COMPARE_INT8, ASSAY_DTYPE_F32, 0.25, 0, -0.25, 1, "steps" },
    { ASSAY_COMPARE_INT8, ASSAY_DTYPE_F32, 0, 1, 1.0000002384185791, 2, "ULP" },
    { ASSAY_COMPARE_FP32, ASSAY_DTYPE_I64, 0, 5, 9, 4, "integers" },
    { ASSAY_COMPARE_INT8, ASSAY_DTYPE_I8, 0, -128, 127, 255, "integers" },
    { ASSAY_COMPARE_BF16, ASSAY_DTYPE_U8, 0, 0, 1, 1, "integers" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      AssayCompareStats stats;

      assay_compare_begin (&stats, rows[i].precision, fabs (rows[i].a));
      assay_compare_set_step (&stats, rows[i].step, rows[i].dtype);
      assay_compare_add (&stats, &rows[i].a, &rows[i].a, 1);
      assay_compare_add (&stats, &rows[i].a, &rows[i].b, 1);
      assay_compare_end (&stats);
      g_test_message ("row %u", i);
      g_assert_cmpstr (assay_compare_unit_name (&stats), ==, rows[i].unit);
      g_assert_cmpuint (stats.worst[0].distance, ==, rows[i].distance);
      g_assert_cmpuint (stats.histogram[0], ==, 1);
      g_assert_cmpuint (stats.histogram[assay_compare_bucket (rows[i].distance)], ==, 1);
    }
}

TEST_PROGRAM (compare)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/compare/exact", test_exact);
  g_test_add_func ("/compare/zeros", test_zeros);
  g_test_add_func ("/compare/metrics", test_metrics);
  g_test_add_func ("/compare/distance", test_distance);
  g_test_add_func ("/compare/buckets", test_buckets);
  g_test_add_func ("/compare/scaled", test_scaled);
  g_test_add_func ("/compare/worst", test_worst);
  g_test_add_func ("/compare/not-finite", test_not_finite);
  g_test_add_func ("/compare/integers", test_integers);
  g_test_add_func ("/compare/units", test_units);
  g_test_add_func ("/compare/shapes", test_shapes);
  g_test_add_func ("/compare/tolerance/default", test_tolerance_default);
  g_test_add_func ("/compare/tolerance/files", test_tolerance_files);

  return g_test_run ();
}
