/* test-functions.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every function of the function unit, over all 65,536 bf16 inputs, against MPFR; and all kernel
 * levels against the scalar one, to the bit.
 */
#include <glib.h>
#include <math.h>
#include <mpfr.h>
#include <string.h>

#include "base/assay-bf16.h"
#include "backend/stream/machine/kernels/assay-kernels.h"

#include "test-program.h"

#define PRECISION 300

/* exp (x), bounded so that MPFR does not spend minutes on numbers no float can tell from 0 or
 * infinity. */
static void
exact_exp (mpfr_t y, mpfr_t x)
{
  if (mpfr_cmp_d (x, 100000) > 0)
    mpfr_set_inf (y, 1);
  else if (mpfr_cmp_d (x, -100000) < 0)
    mpfr_set_zero (y, 1);
  else
    mpfr_exp (y, x, MPFR_RNDN);
}

static void
exact_sigmoid (mpfr_t y, mpfr_t x)
{
  mpfr_neg (y, x, MPFR_RNDN);
  exact_exp (y, y);
  mpfr_add_ui (y, y, 1, MPFR_RNDN);
  mpfr_ui_div (y, 1, y, MPFR_RNDN);
}

/* x times a factor that vanishes at -infinity, where the product's limit is -0. */
static void
exact_gate (mpfr_t y, mpfr_t x)
{
  if (mpfr_inf_p (x) && mpfr_sgn (x) < 0)
    mpfr_set_zero (y, -1);
  else
    mpfr_mul (y, y, x, MPFR_RNDN);
}

static void
exact (AssayFunction function, mpfr_t y, mpfr_t x)
{
  mpfr_t t;

  mpfr_init2 (t, PRECISION);

  switch (function)
    {
    case ASSAY_FUNCTION_EXP:
      exact_exp (y, x);
      break;
    case ASSAY_FUNCTION_EXP2:
      if (mpfr_cmp_d (x, 100000) > 0)
        mpfr_set_inf (y, 1);
      else if (mpfr_cmp_d (x, -100000) < 0)
        mpfr_set_zero (y, 1);
      else
        mpfr_exp2 (y, x, MPFR_RNDN);
      break;
    case ASSAY_FUNCTION_LOG:
      mpfr_log (y, x, MPFR_RNDN);
      break;
    case ASSAY_FUNCTION_TANH:
      mpfr_tanh (y, x, MPFR_RNDN);
      break;
    case ASSAY_FUNCTION_SIGMOID:
      exact_sigmoid (y, x);
      break;
    case ASSAY_FUNCTION_SOFTPLUS:
      if (mpfr_cmp_d (x, 1000) > 0)
        {
          mpfr_set (y, x, MPFR_RNDN);
        }
      else
        {
          exact_exp (y, x);
          mpfr_log1p (y, y, MPFR_RNDN);
        }
      break;
    case ASSAY_FUNCTION_SILU:
      exact_sigmoid (y, x);
      exact_gate (y, x);
      break;
    case ASSAY_FUNCTION_GELU_ERF:
      mpfr_sqrt_ui (t, 2, MPFR_RNDN);
      mpfr_div (t, x, t, MPFR_RNDN);
      mpfr_neg (t, t, MPFR_RNDN);
      if (mpfr_cmp_d (t, 1000) > 0)
        mpfr_set_zero (y, 1);
      else
        mpfr_erfc (y, t, MPFR_RNDN);
      mpfr_div_ui (y, y, 2, MPFR_RNDN);
      exact_gate (y, x);
      break;
    case ASSAY_FUNCTION_GELU_TANH:
      mpfr_sqr (t, x, MPFR_RNDN);
      mpfr_set_str (y, "0.044715", 10, MPFR_RNDN);
      mpfr_mul (t, t, y, MPFR_RNDN);
      mpfr_add_ui (t, t, 1, MPFR_RNDN);
      mpfr_mul (t, t, x, MPFR_RNDN);
      mpfr_const_pi (y, MPFR_RNDN);
      mpfr_ui_div (y, 2, y, MPFR_RNDN);
      mpfr_sqrt (y, y, MPFR_RNDN);
      mpfr_mul (t, t, y, MPFR_RNDN);
      mpfr_mul_ui (t, t, 2, MPFR_RNDN);
      exact_sigmoid (y, t);
      exact_gate (y, x);
      break;
    case ASSAY_FUNCTION_ERF:
      mpfr_erf (y, x, MPFR_RNDN);
      break;
    case ASSAY_FUNCTION_SQRT:
      mpfr_sqrt (y, x, MPFR_RNDN);
      break;
    case ASSAY_FUNCTION_RSQRT:
      mpfr_sqrt (y, x, MPFR_RNDN);
      mpfr_ui_div (y, 1, y, MPFR_RNDN);
      break;
    case ASSAY_FUNCTION_RECIPROCAL:
      mpfr_ui_div (y, 1, x, MPFR_RNDN);
      break;
    default:
      g_assert_not_reached ();
    }

  mpfr_clear (t);
}

/* The bf16 nearest to an exact value, ties to even, by way of the 8-bit significand of MPFR with
 * bf16's exponents. */
static guint16
nearest_bf16 (mpfr_t y)
{
  mpfr_t r;
  int inexact;
  float value;

  if (mpfr_nan_p (y))
    return ASSAY_BF16_NAN;

  mpfr_init2 (r, 8);
  inexact = mpfr_set (r, y, MPFR_RNDN);
  inexact = mpfr_check_range (r, inexact, MPFR_RNDN);
  mpfr_subnormalize (r, inexact, MPFR_RNDN);
  value = mpfr_get_flt (r, MPFR_RNDN);
  mpfr_clear (r);

  return (guint16) (assay_f32_bits (value) >> 16);
}

/* Rounding with a small significand sees a narrow exponent range; the exact computation must not.
 */
static guint16
nearest_bf16_in_range (mpfr_t y)
{
  mpfr_exp_t emin = mpfr_get_emin ();
  mpfr_exp_t emax = mpfr_get_emax ();
  guint16 result;

  mpfr_set_emin (-132);
  mpfr_set_emax (128);
  result = nearest_bf16 (y);
  mpfr_set_emin (emin);
  mpfr_set_emax (emax);

  return result;
}

static void
test_bf16_exhaustive (gconstpointer data)
{
  AssayFunction function = GPOINTER_TO_UINT (data);
  g_autofree float *src = g_new (float, 65536);
  g_autofree float *expected = g_new (float, 65536);
  mpfr_t x, y;

  mpfr_init2 (x, PRECISION);
  mpfr_init2 (y, PRECISION);

  for (guint i = 0; i < 65536; i++)
    {
      src[i] = assay_bf16_to_f32 ((guint16) i);
      mpfr_set_flt (x, src[i], MPFR_RNDN);
      exact (function, y, x);
      expected[i] = assay_bf16_to_f32 (nearest_bf16_in_range (y));
    }

  for (guint level = 0; assay_kernels_get (level) != NULL; level++)
    {
      g_autofree float *dst = g_new (float, 65536);
      guint wrong = 0;

      assay_kernels_get (level)->function (function, ASSAY_ROUND_BF16, dst, src, 65536);

      for (guint i = 0; i < 65536; i++)
        {
          if (assay_f32_bits (dst[i]) == assay_f32_bits (expected[i]))
            continue;
          if (wrong++ < 5)
            g_test_message ("%s (%a): %a, exactly rounded %a", assay_function_name (function),
                            src[i], dst[i], expected[i]);
        }
      g_assert_cmpuint (wrong, ==, 0);
    }

  mpfr_clear (x);
  mpfr_clear (y);
}

static float
sample (guint32 i)
{
  /* A stride that is coprime with 2^32 spreads the sample over all exponents and signs. */
  return assay_f32_from_bits (i * 2654435761u);
}

/* Distance in units of the last place, on the number line of floats. */
static guint32
ulp_distance (float a, float b)
{
  gint32 ia, ib;

  if (isnan (a) || isnan (b))
    return isnan (a) && isnan (b) ? 0 : G_MAXUINT32;

  memcpy (&ia, &a, sizeof ia);
  memcpy (&ib, &b, sizeof ib);
  if (ia < 0)
    ia = G_MININT32 - ia;
  if (ib < 0)
    ib = G_MININT32 - ib;

  return (guint32) ABS ((gint64) ia - (gint64) ib);
}

static void
test_f32_sample (gconstpointer data)
{
  AssayFunction function = GPOINTER_TO_UINT (data);
  const guint n = 20000;
  g_autofree float *src = g_new (float, n);
  g_autofree float *dst = g_new (float, n);
  mpfr_t x, y;

  mpfr_init2 (x, PRECISION);
  mpfr_init2 (y, PRECISION);

  for (guint i = 0; i < n; i++)
    src[i] = sample (i);
  assay_kernels_get (0)->function (function, ASSAY_ROUND_F32, dst, src, n);

  for (guint i = 0; i < n; i++)
    {
      mpfr_set_flt (x, src[i], MPFR_RNDN);
      exact (function, y, x);
      g_assert_cmpuint (ulp_distance (dst[i], mpfr_get_flt (y, MPFR_RNDN)), <=, 1);
    }

  mpfr_clear (x);
  mpfr_clear (y);
}

/* 2^24 inputs through every level; the levels must agree to the bit, NaN canonical. */
static void
test_levels_agree (gconstpointer data)
{
  AssayFunction function = GPOINTER_TO_UINT (data);
  const guint chunk = 4099;
  g_autofree float *src = g_new (float, chunk);
  g_autofree float *scalar = g_new (float, chunk);
  g_autofree float *other = g_new (float, chunk);

  for (guint32 start = 0; start < (g_test_quick () ? 1u << 19 : 1u << 24); start += chunk)
    {
      for (guint i = 0; i < chunk; i++)
        src[i] = sample (start + i);
      for (int round = 0; round < 2; round++)
        {
          assay_kernels_get (0)->function (function, (AssayRound) round, scalar, src, chunk);
          for (guint level = 1; assay_kernels_get (level) != NULL; level++)
            {
              assay_kernels_get (level)->function (function, (AssayRound) round, other, src, chunk);
              for (guint i = 0; i < chunk; i++)
                if (assay_f32_bits (scalar[i]) != assay_f32_bits (other[i]))
                  g_error ("%s (%a), round %d: %a by %s, %a by %s", assay_function_name (function),
                           src[i], round, scalar[i], assay_kernels_get (0)->name, other[i],
                           assay_kernels_get (level)->name);
            }
        }
    }
}

static void
test_pointwise (void)
{
  static const float edges[] = { 0.0f,    -0.0f,    1.0f,      -1.0f, 0x1p-149f, -0x1p-126f,
                                 3.4e38f, INFINITY, -INFINITY, NAN,   0.1f };
  float a[G_N_ELEMENTS (edges) * G_N_ELEMENTS (edges)], b[G_N_ELEMENTS (a)];
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (edges); i++)
    {
      for (guint j = 0; j < G_N_ELEMENTS (edges); j++, n++)
        {
          a[n] = edges[i];
          b[n] = edges[j];
        }
    }

  for (guint level = 0; assay_kernels_get (level) != NULL; level++)
    {
      const AssayKernels *kernels = assay_kernels_get (level);
      float r[G_N_ELEMENTS (a)];

      for (guint op = 0; op < ASSAY_N_POINTWISE; op++)
        {
          kernels->pointwise ((AssayPointwise) op, ASSAY_ROUND_F32, r, a, b, n);

          for (guint i = 0; i < n; i++)
            {
              float expected = 0;

              switch (op)
                {
                case ASSAY_POINTWISE_ADD:
                  expected = a[i] + b[i];
                  break;
                case ASSAY_POINTWISE_SUB:
                  expected = a[i] - b[i];
                  break;
                case ASSAY_POINTWISE_MUL:
                  expected = a[i] * b[i];
                  break;
                case ASSAY_POINTWISE_DIV:
                  expected = a[i] / b[i];
                  break;
                case ASSAY_POINTWISE_MIN:
                  expected = fminf (a[i], b[i]);
                  break;
                case ASSAY_POINTWISE_MAX:
                  expected = fmaxf (a[i], b[i]);
                  break;
                }
              if (op >= ASSAY_POINTWISE_MIN && a[i] == 0 && b[i] == 0)
                expected = (op == ASSAY_POINTWISE_MIN) == (signbit (a[i]) || signbit (b[i]))
                               ? copysignf (0, op == ASSAY_POINTWISE_MIN ? -1 : 1)
                           : signbit (a[i]) && signbit (b[i]) ? -0.0f
                                                              : 0.0f;
              if (op >= ASSAY_POINTWISE_MIN && (isnan (a[i]) || isnan (b[i])))
                expected = NAN;

              g_assert_cmphex (assay_f32_bits (r[i]), ==,
                               isnan (expected) ? ASSAY_F32_NAN_BITS : assay_f32_bits (expected));
            }
        }

      kernels->clamp (ASSAY_ROUND_F32, r, a, 2, -2, n);
      for (guint i = 0; i < n; i++)
        g_assert_cmphex (assay_f32_bits (r[i]), ==,
                         isnan (a[i]) ? ASSAY_F32_NAN_BITS : assay_f32_bits (-2.0f));

      for (guint i = 0; i < 65536; i++)
        {
          float x = sample (i), y;

          kernels->round (ASSAY_ROUND_BF16, &y, &x, 1);
          g_assert_cmphex (assay_f32_bits (y), ==, (guint32) assay_bf16_from_f32 (x) << 16);
        }
    }
}

static void
test_matvec (void)
{
  const gsize n_k = 37;
  g_autofree guint16 *panel = g_new (guint16, n_k * ASSAY_PANEL);
  g_autofree float *wide = g_new (float, n_k *ASSAY_PANEL);
  float x[37];

  for (gsize k = 0; k < n_k; k++)
    {
      x[k] = (float) g_test_rand_double_range (-2, 2);
      for (gsize o = 0; o < ASSAY_PANEL; o++)
        {
          guint16 w = assay_bf16_from_f32 ((float) g_test_rand_double_range (-1, 1));

          panel[k * ASSAY_PANEL + assay_panel_index (o)] = w;
          wide[k * ASSAY_PANEL + o] = assay_bf16_to_f32 (w);
        }
    }

  for (guint level = 0; assay_kernels_get (level) != NULL; level++)
    {
      float acc[ASSAY_PANEL], acc32[ASSAY_PANEL];

      for (gsize o = 0; o < ASSAY_PANEL; o++)
        acc[o] = acc32[o] = (float) o;
      assay_kernels_get (level)->matvec_bf16 (acc, panel, x, n_k);
      assay_kernels_get (level)->matvec_f32 (acc32, wide, x, n_k);

      for (gsize o = 0; o < ASSAY_PANEL; o++)
        {
          float expected = (float) o;

          for (gsize k = 0; k < n_k; k++)
            expected = fmaf (wide[k * ASSAY_PANEL + o], x[k], expected);
          g_assert_cmphex (assay_f32_bits (acc[o]), ==, assay_f32_bits (expected));
          g_assert_cmphex (assay_f32_bits (acc32[o]), ==, assay_f32_bits (expected));
        }
    }
}

/* A narrow panel gives what the same columns of a whole one give. */
static void
test_matvec_part (void)
{
  const gsize n_k = 29;
  g_autofree guint16 *panel = g_new (guint16, n_k * ASSAY_PANEL);
  g_autofree guint16 *part = g_new (guint16, n_k * ASSAY_PANEL);
  float x[29];

  for (gsize i = 0; i < n_k * ASSAY_PANEL; i++)
    panel[i] = assay_bf16_from_f32 ((float) g_test_rand_double_range (-1, 1));
  for (gsize k = 0; k < n_k; k++)
    x[k] = (float) g_test_rand_double_range (-2, 2);

  for (guint level = 0; assay_kernels_get (level) != NULL; level++)
    {
      for (guint n = 1; n < ASSAY_PANEL / ASSAY_PANEL_GROUP; n++)
        {
          gsize width = n * ASSAY_PANEL_GROUP;
          float whole[ASSAY_PANEL], acc[ASSAY_PANEL];

          for (gsize o = 0; o < ASSAY_PANEL; o++)
            whole[o] = acc[o] = (float) o;
          for (gsize k = 0; k < n_k; k++)
            memcpy (part + k * width, panel + k * ASSAY_PANEL, width * sizeof *part);

          assay_kernels_get (level)->matvec_bf16 (whole, panel, x, n_k);
          assay_kernels_get (level)->matvec_bf16_part (acc, part, x, n_k, n);
          g_assert_cmpmem (acc, width * sizeof (float), whole, width * sizeof (float));
          /* Nothing behind it is touched. */
          for (gsize o = width; o < ASSAY_PANEL; o++)
            g_assert_cmpfloat (acc[o], ==, (float) o);
        }
    }
}

/* Two panels at once give what each gives alone, of every width and with vectors of their own. */
static void
test_matvec_two (void)
{
  const gsize n_k = 31, n = n_k * ASSAY_PANEL;
  g_autofree guint16 *panels = g_new (guint16, 2 * n);
  float x[62];

  for (gsize i = 0; i < 2 * n; i++)
    panels[i] = assay_bf16_from_f32 ((float) g_test_rand_double_range (-1, 1));
  for (gsize k = 0; k < 2 * n_k; k++)
    x[k] = (float) g_test_rand_double_range (-2, 2);

  for (guint level = 0; assay_kernels_get (level) != NULL; level++)
    {
      for (guint width = 1; width <= ASSAY_PANEL / ASSAY_PANEL_GROUP; width++)
        {
          float one[2 * ASSAY_PANEL], both[2 * ASSAY_PANEL];
          const AssayPanelSums two[] = { { both, panels, x },
                                         { both + ASSAY_PANEL, panels + n, x + n_k } };

          for (gsize o = 0; o < 2 * ASSAY_PANEL; o++)
            one[o] = both[o] = (float) o;
          for (guint i = 0; i < 2; i++)
            {
              float *acc = one + i * ASSAY_PANEL;

              if (width == ASSAY_PANEL / ASSAY_PANEL_GROUP)
                assay_kernels_get (0)->matvec_bf16 (acc, two[i].panel, two[i].x, n_k);
              else
                assay_kernels_get (0)->matvec_bf16_part (acc, two[i].panel, two[i].x, n_k, width);
            }
          assay_kernels_get (level)->matvec_bf16_two (two, n_k, width);
          g_assert_cmpmem (both, sizeof both, one, sizeof one);
        }
    }
}

TEST_PROGRAM (functions)
{
  g_test_init (&argc, &argv, NULL);

  for (guint f = 0; f < ASSAY_N_FUNCTIONS; f++)
    {
      const char *name = assay_function_name ((AssayFunction) f);
      g_autofree char *bf16 = g_strdup_printf ("/machine/functions/%s/bf16-exhaustive", name);
      g_autofree char *f32 = g_strdup_printf ("/machine/functions/%s/f32-one-ulp", name);
      g_autofree char *levels = g_strdup_printf ("/machine/functions/%s/levels-agree", name);

      g_test_add_data_func (bf16, GUINT_TO_POINTER (f), test_bf16_exhaustive);
      g_test_add_data_func (f32, GUINT_TO_POINTER (f), test_f32_sample);
      g_test_add_data_func (levels, GUINT_TO_POINTER (f), test_levels_agree);
    }
  g_test_add_func ("/machine/kernels/pointwise", test_pointwise);
  g_test_add_func ("/machine/kernels/matvec", test_matvec);
  g_test_add_func ("/machine/kernels/matvec-part", test_matvec_part);
  g_test_add_func ("/machine/kernels/matvec-two", test_matvec_two);

  return g_test_run ();
}
