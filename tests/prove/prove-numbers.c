/* prove-numbers.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * All 2^32 fp32 inputs: rounding to bf16 against its definition; every function against the C
 * library's long double, whose own error is some thousand times smaller than what is looked for;
 * and every kernel level against the scalar one, to the bit.
 */
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/assay-bf16.h"
#include "backend/stream/machine/kernels/assay-kernels.h"

#define CHUNK 65536

typedef struct
{
  guint64 n_inputs;
  guint64 n_finite;  /* results */
  guint64 n_inexact; /* results that are not the float nearest to the exact one */
  guint64 n_wrong;   /* of the wrong class, such as a number for NaN */
  guint64 n_unequal; /* results that differ between levels */
  double worst;      /* in units of the last place */
  float worst_at;
} Findings;

static long double
exact (AssayFunction function, long double x)
{
  switch (function)
    {
    case ASSAY_FUNCTION_EXP:
      return expl (x);
    case ASSAY_FUNCTION_EXP2:
      return exp2l (x);
    case ASSAY_FUNCTION_LOG:
      return logl (x);
    case ASSAY_FUNCTION_TANH:
      return tanhl (x);
    case ASSAY_FUNCTION_SIGMOID:
      return 1 / (1 + expl (-x));
    case ASSAY_FUNCTION_SOFTPLUS:
      return x > 0 ? x + log1pl (expl (-x)) : log1pl (expl (x));
    case ASSAY_FUNCTION_SILU:
      return x < -11000 ? -0.0L : x / (1 + expl (-x));
    case ASSAY_FUNCTION_GELU_ERF:
      return x < -200 ? -0.0L : x / 2 * erfcl (-x * 0.70710678118654752440L);
    case ASSAY_FUNCTION_GELU_TANH:
      return x < -200 ? -0.0L
                      : x / (1 + expl (-2 * 0.79788456080286535588L * x * (1 + 0.044715L * x * x)));
    case ASSAY_FUNCTION_ERF:
      return erfl (x);
    case ASSAY_FUNCTION_SQRT:
      return sqrtl (x);
    case ASSAY_FUNCTION_RSQRT:
      return 1 / sqrtl (x);
    case ASSAY_FUNCTION_RECIPROCAL:
      return 1 / x;
    default:
      g_assert_not_reached ();
    }
}

/* Of the binade of a number; subnormals have that of the least normal number. */
static long double
ulp_of (long double y)
{
  int exponent;

  frexpl (y, &exponent);

  return ldexpl (1, MAX (exponent - 24, -149));
}

static void
compare_function (AssayFunction function, const float *src, const float *dst, Findings *findings)
{
  for (guint i = 0; i < CHUNK; i++)
    {
      long double y = exact (function, src[i]);
      float nearest = (float) y;
      double wrong;

      if (isnan (nearest) || isinf (nearest) || isnan (dst[i]) || isinf (dst[i]))
        {
          /* At the edge of the range, one unit is between the largest number and infinity. */
          gboolean edge = isfinite (nearest) != isfinite (dst[i]) &&
                          fabsl (y) > 0x1.fffffep127L - 0x1p104L &&
                          signbit (nearest) == signbit (dst[i]) && !isnan (dst[i]);

          findings->n_wrong += !edge && !(isnan (nearest) && isnan (dst[i])) && nearest != dst[i];
          continue;
        }
      wrong = (double) (fabsl (dst[i] - y) / ulp_of (y));
      findings->n_finite++;
      findings->n_inexact += dst[i] != nearest;
      if (wrong > findings->worst)
        {
          findings->worst = wrong;
          findings->worst_at = src[i];
        }
    }
}

/* Of the two bf16 numbers around a value the nearer one, of two equally near ones the even one. */
static float
round_by_definition (float x)
{
  guint16 low = (guint16) (assay_f32_bits (x) >> 16);
  float down = assay_bf16_to_f32 (low);
  float up = assay_bf16_to_f32 ((guint16) (low + 1));
  /* Behind the largest number comes what would be next if the range went on. */
  double next = isinf (up) ? copysign (0x1p128, x) : up;

  if (isnan (x))
    return assay_f32_from_bits (ASSAY_F32_NAN_BITS);
  if (isinf (x) || x == down)
    return x;
  if (fabs ((double) x - down) == fabs (next - x))
    return (low & 1) == 0 ? down : up;

  return fabs ((double) x - down) < fabs (next - x) ? down : up;
}

static void
compare_rounding (const float *src, Findings *findings)
{
  g_autofree float *dst = g_new (float, CHUNK);

  for (guint level = 0; assay_kernels_get (level) != NULL; level++)
    {
      assay_kernels_get (level)->round (ASSAY_ROUND_BF16, dst, src, CHUNK);
      for (guint i = 0; i < CHUNK; i++)
        findings->n_wrong += assay_f32_bits (dst[i]) !=
                             assay_f32_bits (round_by_definition (src[i]));
    }
}

static void
compare_levels (AssayFunction function, const float *src, const float *scalar, AssayRound round,
                float *other, Findings *findings)
{
  for (guint level = 1; assay_kernels_get (level) != NULL; level++)
    {
      assay_kernels_get (level)->function (function, round, other, src, CHUNK);
      if (memcmp (scalar, other, CHUNK * sizeof *other) == 0)
        continue;
      for (guint i = 0; i < CHUNK; i++)
        findings->n_unequal += assay_f32_bits (scalar[i]) != assay_f32_bits (other[i]);
    }
}

/* The inputs with the bits first, first + stride, ... */
static Findings
prove (int function, guint64 stride)
{
  g_autofree float *src = g_new (float, CHUNK);
  g_autofree float *dst = g_new (float, CHUNK);
  g_autofree float *other = g_new (float, CHUNK);
  Findings findings = { 0 };

  for (guint64 start = 0; start < G_GUINT64_CONSTANT (1) << 32; start += CHUNK * stride)
    {
      for (guint64 i = 0; i < CHUNK; i++)
        src[i] = assay_f32_from_bits ((guint32) (start + i * stride));
      findings.n_inputs += CHUNK;
      if (function < 0)
        {
          compare_rounding (src, &findings);
          continue;
        }

      assay_kernels_get (0)->function ((AssayFunction) function, ASSAY_ROUND_BF16, dst, src, CHUNK);
      compare_levels ((AssayFunction) function, src, dst, ASSAY_ROUND_BF16, other, &findings);
      assay_kernels_get (0)->function ((AssayFunction) function, ASSAY_ROUND_F32, dst, src, CHUNK);
      compare_levels ((AssayFunction) function, src, dst, ASSAY_ROUND_F32, other, &findings);
      compare_function ((AssayFunction) function, src, dst, &findings);
    }

  return findings;
}

int
main (int argc, char **argv)
{
  guint64 stride = 1;
  gboolean good = TRUE, known = FALSE;

  if (argc != 2 &&
      (argc != 3 || !g_ascii_string_to_unsigned (argv[2], 10, 1, 65536, &stride, NULL)))
    {
      fprintf (stderr, "usage: prove-numbers FUNCTION|round [STRIDE]\n");
      return 2;
    }

  for (int function = -1; function < (int) ASSAY_N_FUNCTIONS; function++)
    {
      const char *name = function < 0 ? "round" : assay_function_name ((AssayFunction) function);
      Findings found;

      if (!g_str_equal (argv[1], name))
        continue;
      known = TRUE;
      found = prove (function, stride);
      printf ("%-10s  %11" G_GUINT64_FORMAT " inputs  %" G_GUINT64_FORMAT
              " wrong  %" G_GUINT64_FORMAT " differ between levels",
              name, found.n_inputs, found.n_wrong, found.n_unequal);
      if (function >= 0)
        printf ("  worst %.6f ulp at %a  %.3g %% not the nearest", found.worst, found.worst_at,
                100.0 * (double) found.n_inexact / (double) MAX (found.n_finite, 1));
      printf ("\n");
      good = good && found.n_wrong == 0 && found.n_unequal == 0 && found.worst <= 1;
    }

  if (!known)
    fprintf (stderr, "prove-numbers: no function is called %s\n", argv[1]);

  return known ? (good ? 0 : 1) : 2;
}
