/* assay-vectors-body.h
 * SPDX-License-Identifier: Apache-2.0
 *
 * The loops of one level; included by a file that names it and says how many floats a vector has.
 * The compiler makes vectors of the functions of one number, and is told the vectors where sums
 * have to stay in registers.
 */
#include "evaluate/vectors/assay-vectors.h"

#include <math.h>
#include <string.h>

typedef float V __attribute__ ((vector_size (LANES * 4), aligned (4)));
typedef gint32 M __attribute__ ((vector_size (LANES * 4), aligned (4)));

static inline float
from_bits (gint32 bits)
{
  union
  {
    gint32 i;
    float f;
  } u = { bits };

  return u.f;
}

static inline gint32
to_bits (float value)
{
  union
  {
    float f;
    gint32 i;
  } u = { value };

  return u.i;
}

/* exp (x) = 2^n exp (r) with r within half of log (2); the polynomial is fitted to that range with
 * an error of 4e-9. Two steps to the power of two, so that results below the normal range come out
 * right. Adding 1.5 * 2^23 leaves n in the low bits. */
static inline float
exp_of (float x)
{
  float c = x > 88.8f ? 88.8f : x;
  float shifted, n, r, q;
  gint32 power, half;

  c = c < -104.0f ? -104.0f : c;
  shifted = c * 1.44269504f + 12582912.0f;
  n = shifted - 12582912.0f;
  power = to_bits (shifted) - 0x4b400000;
  half = power >> 1;
  r = c - n * 0.693359375f;
  r = r - n * -2.12194440e-4f;
  q = 1.39517193e-3f;
  q = q * r + 8.36959821e-3f;
  q = q * r + 4.16661873e-2f;
  q = q * r + 1.66665129e-1f;
  q = q * r + 0.5f;
  q = q * r * r + r + 1.0f;

  return q * from_bits ((half + 127) << 23) * from_bits ((power - half + 127) << 23);
}

static inline float
sigmoid_of (float x)
{
  return 1.0f / (1.0f + exp_of (-x));
}

/* Near zero a polynomial, fitted with an error of 5e-9; elsewhere from the exponential, with the
 * sign put back. */
static inline float
tanh_of (float x)
{
  float t = fabsf (x), z = x * x;
  float far = 1.0f - 2.0f / (exp_of (2.0f * t) + 1.0f);
  float near = -5.67931238e-3f;

  near = near * z + 2.06181303e-2f;
  near = near * z - 5.37340026e-2f;
  near = near * z + 1.33313837e-1f;
  near = near * z - 3.33332802e-1f;
  near = near * z * x + x;
  far = x < 0.0f ? -far : far;

  return t < 0.63f ? near : far;
}

/* Up to 1 a polynomial in the square; beyond, the logarithm of what is missing to 1 is one. Errors
 * of the fits are below 1e-9. */
static inline float
erf_of (float x)
{
  float t = fabsf (x), z = x * x, c = t > 4.0f ? 4.0f : t;
  float near = -9.68014031e-6f, far = 3.55704995e-6f;

  near = near * z + 1.12705458e-4f;
  near = near * z - 8.48471163e-4f;
  near = near * z + 5.22107489e-3f;
  near = near * z - 2.68654458e-2f;
  near = near * z + 1.12837827e-1f;
  near = near * z - 3.76126385e-1f;
  near = near * z + 1.28379167e-1f;
  near = near * x + x;

  far = far * c - 2.84359094e-5f;
  far = far * c - 1.38746871e-4f;
  far = far * c + 3.18200767e-3f;
  far = far * c - 2.30916290e-2f;
  far = far * c + 1.05669048e-1f;
  far = far * c + 6.35410125e-1f;
  far = far * c + 1.12859958f;
  far = 1.0f - exp_of (-far * c);
  far = x < 0.0f ? -far : far;

  return t < 1.0f || t != t ? near : far;
}

/* x tanh (log (1 + e)) for the exponential e of x is x n / (n + 2) with n = e (e + 2); from 20 on
 * it is x. */
static inline float
mish_of (float x)
{
  float e = exp_of (x > 20.0f ? 20.0f : x);
  float n = e * (e + 2.0f);

  return x * (n / (n + 2.0f));
}

/* The logarithm of 1 + t for t up to 1 is twice the inverse hyperbolic tangent of t / (2 + t),
 * whose series is cut where it is below 1e-8. */
static inline float
softplus_of (float x)
{
  float t = exp_of (-fabsf (x)), z = t / (2.0f + t), w = z * z;
  float q = 1.0f / 13.0f;

  q = q * w + 1.0f / 11.0f;
  q = q * w + 1.0f / 9.0f;
  q = q * w + 1.0f / 7.0f;
  q = q * w + 1.0f / 5.0f;
  q = q * w + 1.0f / 3.0f;
  q = q * w * z + z;

  return 2.0f * q + (x < 0.0f ? 0.0f : x);
}

#define MAP_CASE(id, expression)                                                                   \
  case ASSAY_VECTOR_MAP_##id:                                                                      \
    for (gsize i = 0; i < n; i++)                                                                  \
      {                                                                                            \
        float x = from[i];                                                                         \
        to[i] = (expression);                                                                      \
      }                                                                                            \
    break;

/* Both forms of Gelu have the constants of the ONNX specification. */
static void
map (AssayVectorMap function, float p, const float *from, float *to, gsize n)
{
  switch (function)
    {
      MAP_CASE (EXP, exp_of (x))
      MAP_CASE (SIGMOID, sigmoid_of (x))
      MAP_CASE (TANH, tanh_of (x))
      MAP_CASE (ERF, erf_of (x))
      MAP_CASE (SWISH, x * sigmoid_of (p * x))
      MAP_CASE (GELU, 0.5f * x * (1.0f + erf_of (x * 0.7071067811865476f)))
      MAP_CASE (GELU_TANH,
                0.5f * x * (1.0f + tanh_of (0.7978845608028654f * (x + 0.044715f * x * x * x))))
      MAP_CASE (MISH, mish_of (x))
      MAP_CASE (SOFTPLUS, softplus_of (x))
    default:
      break;
    }
}

#define PARTS (4 * LANES)

static void
softmax (const float *from, float *to, gsize n)
{
  float parts[PARTS];
  float largest = -INFINITY, sum = 0.0f;
  gsize i;

  for (guint j = 0; j < PARTS; j++)
    parts[j] = -INFINITY;
  for (i = 0; i + PARTS <= n; i += PARTS)
    {
      for (guint j = 0; j < PARTS; j++)
        parts[j] = from[i + j] > parts[j] ? from[i + j] : parts[j];
    }
  for (; i < n; i++)
    parts[0] = from[i] > parts[0] ? from[i] : parts[0];
  for (guint j = 0; j < PARTS; j++)
    largest = parts[j] > largest ? parts[j] : largest;

  for (i = 0; i < n; i++)
    to[i] = exp_of (from[i] - largest);

  memset (parts, 0, sizeof parts);
  for (i = 0; i + PARTS <= n; i += PARTS)
    {
      for (guint j = 0; j < PARTS; j++)
        parts[j] += to[i + j];
    }
  for (; i < n; i++)
    parts[0] += to[i];
  for (guint j = 0; j < PARTS; j++)
    sum += parts[j];

  sum = 1.0f / sum;
  for (i = 0; i < n; i++)
    to[i] *= sum;
}

static inline V
load (const float *from)
{
  return *(const V *) from;
}

static inline V
all (float value)
{
  return (V){ 0 } + value;
}

static void
sum_taps (float *to, gsize n, gsize n_taps, const float *const *taps, const float *factors,
          float bias)
{
  gsize i = 0;

  for (; i + 3 * LANES < n; i += 4 * LANES)
    {
      V a = all (bias), b = a, c = a, d = a;

      for (gsize t = 0; t < n_taps; t++)
        {
          const float *from = taps[t] + i;
          V factor = all (factors[t]);

          a += factor * load (from);
          b += factor * load (from + LANES);
          c += factor * load (from + 2 * LANES);
          d += factor * load (from + 3 * LANES);
        }
      *(V *) (to + i) = a;
      *(V *) (to + i + LANES) = b;
      *(V *) (to + i + 2 * LANES) = c;
      *(V *) (to + i + 3 * LANES) = d;
    }
  for (; i < n; i += LANES)
    {
      V a = all (bias);

      for (gsize t = 0; t < n_taps; t++)
        a += all (factors[t]) * load (taps[t] + i);
      *(V *) (to + i) = a;
    }
}

/* A NaN is taken, and never given up. */
static inline V
larger (V a, V b)
{
  M take = (b > a) | (b != b);

  return (V) (((M) b & take) | ((M) a & ~take));
}

static void
max_taps (float *to, gsize n, gsize n_taps, const float *const *taps)
{
  gsize i = 0;

  for (; i + LANES < n; i += 2 * LANES)
    {
      V a = load (taps[0] + i), b = load (taps[0] + i + LANES);

      for (gsize t = 1; t < n_taps; t++)
        {
          a = larger (a, load (taps[t] + i));
          b = larger (b, load (taps[t] + i + LANES));
        }
      *(V *) (to + i) = a;
      *(V *) (to + i + LANES) = b;
    }
  for (; i < n; i += LANES)
    {
      V a = load (taps[0] + i);

      for (gsize t = 1; t < n_taps; t++)
        a = larger (a, load (taps[t] + i));
      *(V *) (to + i) = a;
    }
}

extern const AssayVectors LEVEL_SYMBOL;

const AssayVectors LEVEL_SYMBOL = { LEVEL_NAME, map, softmax, sum_taps, max_taps };
