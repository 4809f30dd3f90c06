/* test-evaluate-vectors.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "evaluate/assay-planes.h"
#include "evaluate/vectors/assay-vectors.h"

#include "test-program.h"

/* Every level of the vector loops against the C library in double, and against plain loops. */

static double
exact (AssayVectorMap map, double x)
{
  switch (map)
    {
    case ASSAY_VECTOR_MAP_EXP:
      return exp (x);
    case ASSAY_VECTOR_MAP_SIGMOID:
      return 1.0 / (1.0 + exp (-x));
    case ASSAY_VECTOR_MAP_TANH:
      return tanh (x);
    case ASSAY_VECTOR_MAP_ERF:
      return erf (x);
    case ASSAY_VECTOR_MAP_SWISH:
      return x / (1.0 + exp (-1.5 * x));
    case ASSAY_VECTOR_MAP_GELU:
      return 0.5 * x * (1.0 + erf (x / sqrt (2.0)));
    case ASSAY_VECTOR_MAP_MISH:
      return x * tanh (log1p (exp (x)));
    case ASSAY_VECTOR_MAP_SOFTPLUS:
      return x > 30.0 ? x : log1p (exp (x));
    case ASSAY_VECTOR_MAP_GELU_TANH:
    default:
      return 0.5 * x * (1.0 + tanh (0.7978845608028654 * (x + 0.044715 * x * x * x)));
    }
}

/* Distance in units of the last place of the exact result, or of 1e-30 for what is smaller; the two
 * forms of Gelu lose digits where they subtract, so those count by the size of the input. */
static double
distance (AssayVectorMap map, double x, float got)
{
  double expected = exact (map, x);
  gboolean gelu = map == ASSAY_VECTOR_MAP_GELU || map == ASSAY_VECTOR_MAP_GELU_TANH;
  double size = gelu ? fmax (fabs (expected), fabs (x)) : fabs (expected);
  int exponent;

  if (isnan (expected) || isnan (got))
    return isnan (expected) && isnan (got) ? 0.0 : HUGE_VAL;
  if ((float) expected == got)
    return 0.0;

  frexp (fmax (size, map == ASSAY_VECTOR_MAP_EXP ? 0x1p-126 : 0x1p-100), &exponent);

  return fabs ((double) got - expected) / ldexp (1.0, exponent - 24);
}

static void
test_maps (void)
{
  static const float special[] = {
    0.0f, -0.0f, INFINITY, -INFINITY, NAN, 88.72f, 88.73f, -87.4f, -103.9f, -104.1f, 1e-30f, 1e30f,
  };
  enum
  {
    N = 20011
  };
  g_autofree float *from = g_new (float, N);
  g_autofree float *to = g_new (float, N);

  for (guint i = 0; i < N; i++)
    from[i] = i < G_N_ELEMENTS (special) ? special[i]
                                         : ((float) i / N - 0.5f) * (i % 3 == 0 ? 200.0f : 10.0f);

  for (guint level = 0; assay_vectors_get (level) != NULL; level++)
    {
      const AssayVectors *vectors = assay_vectors_get (level);

      for (AssayVectorMap map = ASSAY_VECTOR_MAP_EXP; map <= ASSAY_VECTOR_MAP_SOFTPLUS; map++)
        {
          vectors->map (map, 1.5f, from, to, N);
          for (guint i = 0; i < N; i++)
            {
              double limit;

              /* Infinity times zero: the plain formula has no number there either. */
              if (map >= ASSAY_VECTOR_MAP_SWISH && (isinf (from[i]) || fabsf (from[i]) > 1e20f))
                continue;
              /* The factor of swish rounds what the exponential sees. */
              limit = 4.0;
              if (map == ASSAY_VECTOR_MAP_SWISH || map == ASSAY_VECTOR_MAP_MISH)
                limit += 2.0 * fabs ((double) from[i]);
              if (distance (map, (double) from[i], to[i]) > limit)
                g_error ("%s: map %d of %.9g is %.9g, expected %.9g", vectors->name, map,
                         (double) from[i], (double) to[i], exact (map, (double) from[i]));
            }
        }
    }
}

static void
test_softmax (void)
{
  float from[300], to[300];

  for (guint i = 0; i < G_N_ELEMENTS (from); i++)
    from[i] = (float) ((i * 37u) % 101u) / 10.0f - 30.0f;

  for (guint level = 0; assay_vectors_get (level) != NULL; level++)
    {
      for (gsize n = 1; n <= G_N_ELEMENTS (from); n += 13)
        {
          double largest = -HUGE_VAL, sum = 0;

          for (gsize i = 0; i < n; i++)
            largest = fmax (largest, (double) from[i]);
          for (gsize i = 0; i < n; i++)
            sum += exp ((double) from[i] - largest);
          assay_vectors_get (level)->softmax (from, to, n);
          for (gsize i = 0; i < n; i++)
            g_assert_cmpfloat_with_epsilon ((double) to[i], exp ((double) from[i] - largest) / sum,
                                            1e-6);
        }
    }
}

static double
element (const float *plane, gint64 height, gint64 width, gint64 y, gint64 x, double padding)
{
  return y >= 0 && y < height && x >= 0 && x < width ? (double) plane[y * width + x] : padding;
}

static void
check_window (const AssayVectors *vectors, const AssayNodeWindow *window)
{
  gint64 height = window->in[0], width = window->in[1];
  g_autofree float *plane = g_new (float, height *width);
  g_autofree float *sums = g_new (float, window->out[0] * window->out[1]);
  g_autofree float *largest = g_new (float, window->out[0] * window->out[1]);
  g_autofree float *factors = g_new (float, window->kernel[0] * window->kernel[1]);
  AssayPlanes planes;
  g_autofree float *padded = NULL;
  g_autofree float *result = NULL;
  g_autofree const float **taps = NULL;

  for (gint64 i = 0; i < height * width; i++)
    plane[i] = (float) (i * 7919 % 199) / 50.0f - 2.0f;
  for (gint64 i = 0; i < window->kernel[0] * window->kernel[1]; i++)
    factors[i] = (float) (i * 31 % 17) / 8.0f - 1.0f;

  g_assert_true (assay_planes_init (&planes, window));
  padded = g_new0 (float, assay_planes_size (&planes));
  result = g_new (float, assay_planes_result (&planes));
  taps = g_new (const float *, planes.n_taps);
  assay_planes_taps (&planes, padded, taps);

  assay_planes_fill (&planes, plane, 0.0f, padded);
  vectors->sum_taps (result, planes.n, planes.n_taps, taps, factors, 0.5f);
  assay_planes_unpack (&planes, result, sums);
  assay_planes_fill (&planes, plane, -INFINITY, padded);
  vectors->max_taps (result, planes.n, planes.n_taps, taps);
  assay_planes_unpack (&planes, result, largest);

  for (gint64 i = 0; i < window->out[0] * window->out[1]; i++)
    {
      gint64 top = i / window->out[1] * window->stride[0] - window->before[0];
      gint64 left = i % window->out[1] * window->stride[1] - window->before[1];
      double sum = 0.5, top_value = -HUGE_VAL;

      for (gint64 t = 0; t < window->kernel[0] * window->kernel[1]; t++)
        {
          gint64 y = top + t / window->kernel[1] * window->dilation[0];
          gint64 x = left + t % window->kernel[1] * window->dilation[1];

          sum += (double) factors[t] * element (plane, height, width, y, x, 0.0);
          top_value = fmax (top_value, element (plane, height, width, y, x, -HUGE_VAL));
        }
      g_assert_cmpfloat_with_epsilon ((double) sums[i], sum, 1e-4);
      g_assert_cmpfloat ((double) largest[i], ==, top_value);
    }
}

/* Every combination of window, stride, dilation and padding gives what loops over the window give.
 */
static void
test_planes (void)
{
  for (guint level = 0; assay_vectors_get (level) != NULL; level++)
    {
      for (guint code = 0; code < 3 * 3 * 2 * 3 * 3; code++)
        {
          AssayNodeWindow window = { .n = 2 };
          gint64 kernel = 1 + code % 3 * 2, stride = 1 + code / 3 % 3, dilation = 1 + code / 9 % 2;
          gint64 before = code / 18 % 3, in = 6 + code / 54 % 3 * 11;

          for (guint i = 0; i < 2; i++)
            {
              gint64 extent = (kernel - (i == 1 && kernel > 1) - 1) * dilation + 1;

              window.kernel[i] = kernel - (i == 1 && kernel > 1);
              window.stride[i] = stride;
              window.dilation[i] = dilation;
              window.before[i] = before;
              window.after[i] = 1;
              window.in[i] = in + i;
              window.out[i] = (window.in[i] + before + 1 - extent) / stride + 1;
              if (window.in[i] + before + 1 < extent)
                window.out[i] = 0;
            }
          if (window.out[0] > 0 && window.out[1] > 0)
            check_window (assay_vectors_get (level), &window);
        }
    }
}

TEST_PROGRAM (evaluate_vectors)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/evaluate/vectors/maps", test_maps);
  g_test_add_func ("/evaluate/vectors/softmax", test_softmax);
  g_test_add_func ("/evaluate/vectors/planes", test_planes);

  return g_test_run ();
}
