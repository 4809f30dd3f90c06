/* bounded.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Numbers in double that carry a bound of the error of the machine, after the formulas of
 * docs/numerics.md. Nothing here comes from the kernels: the functions are those of the C library.
 */
#include "bounded.h"

#include <math.h>

#include "base/assay-bf16.h"

#define LARGEST 3.38e38 /* below the greatest bf16 */

const Numerics numerics_bf16 = { "bf16", 0x1p-8,   0x1p-134, 0x1p-24, 0x1p-150,
                                 0x1p-8, 0x1p-134, 0x1p-23,  0 };
const Numerics numerics_fp8 = { "fp8",  0x1p-8,  0x1p-134, 0x1p-24, 0x1p-150,
                                0x1p-4, 0x1p-10, 0x1p-23,  0 };
const Numerics numerics_fp32 = { "fp32",  0x1p-24,  0x1p-150, 0x1p-24, 0x1p-150,
                                 0x1p-24, 0x1p-150, 0x1p-23,  0 };
const Numerics numerics_allowance = { "1e-5", 0, 0x1p-149, 0, 0x1p-149, 0, 0x1p-149, 0, 1e-5 };

static double
f_sigmoid (double x)
{
  return 1 / (1 + exp (-x));
}

static double
f_softplus (double x)
{
  return MAX (x, 0) + log1p (exp (-fabs (x)));
}

static double
f_silu (double x)
{
  return x / (1 + exp (-x));
}

static double
f_gelu_erf (double x)
{
  return 0.5 * x * erfc (-x / sqrt (2));
}

static double
f_gelu_tanh (double x)
{
  return 0.5 * x * (1 + tanh (sqrt (2 / G_PI) * (x + 0.044715 * x * x * x)));
}

static double
f_rsqrt (double x)
{
  return 1 / sqrt (x);
}

static double
f_reciprocal (double x)
{
  return 1 / x;
}

const BoundedFunction bounded_exp = { exp, 0 };
const BoundedFunction bounded_log = { log, 0 };
const BoundedFunction bounded_tanh = { tanh, 0 };
const BoundedFunction bounded_sigmoid = { f_sigmoid, 0 };
const BoundedFunction bounded_softplus = { f_softplus, 0 };
const BoundedFunction bounded_silu = { f_silu, 1.1 };
const BoundedFunction bounded_gelu_erf = { f_gelu_erf, 1.13 };
const BoundedFunction bounded_gelu_tanh = { f_gelu_tanh, 1.13 };
const BoundedFunction bounded_erf = { erf, 0 };
const BoundedFunction bounded_sqrt = { sqrt, 0 };
const BoundedFunction bounded_rsqrt = { f_rsqrt, 0 };
const BoundedFunction bounded_reciprocal = { f_reciprocal, 0 };

Bounded
bounded_exact (double x)
{
  return (Bounded){ x, 0, fabs (x) };
}

/* What may overflow has no bound; neither has what is not a number. */
static Bounded
round_to (Bounded a, double u, double tiny)
{
  a.e += u * (fabs (a.x) + a.e) + tiny;
  if (!(fabs (a.x) + a.e < LARGEST))
    a.e = INFINITY;

  return a;
}

/* The result of one fp32 operation. */
Bounded
bounded_step (const Numerics *numerics, Bounded a)
{
  return round_to (a, numerics->u, numerics->tiny);
}

/* A number that goes to tensor RAM. One that fits loses nothing. */
Bounded
bounded_store (const Numerics *numerics, Bounded a)
{
  float value = (float) a.x;

  if (a.e == 0 && value == a.x &&
      (numerics->u_store <= 0x1p-24 || assay_bf16_to_f32 (assay_bf16_from_f32 (value)) == value))
    return a;

  return round_to (a, numerics->u_store, numerics->tiny_store);
}

/* A weight may have been scaled, or multiplied by what stands behind its layer, in fp32 before it
 * is stored. */
Bounded
bounded_weight (const Numerics *numerics, double w)
{
  return round_to (bounded_exact (w), numerics->u_weight + 2 * numerics->u, numerics->tiny_weight);
}

/* The result of a node: stored, or wrong by the allowance; what comes next measures its own
 * magnitude. */
Bounded
bounded_finish (const Numerics *numerics, Bounded a)
{
  a.e += numerics->allowance * a.m;
  a = bounded_store (numerics, a);
  a.m = fabs (a.x);

  return a;
}

Bounded
bounded_add (const Numerics *numerics, Bounded a, Bounded b)
{
  return bounded_step (numerics, (Bounded){ a.x + b.x, a.e + b.e, a.m + b.m });
}

Bounded
bounded_sub (const Numerics *numerics, Bounded a, Bounded b)
{
  return bounded_step (numerics, (Bounded){ a.x - b.x, a.e + b.e, a.m + b.m });
}

static Bounded
product (Bounded a, Bounded b)
{
  return (Bounded){
    a.x * b.x,
    fabs (a.x) * b.e + fabs (b.x) * a.e + a.e * b.e,
    fabs (a.x) * b.m + fabs (b.x) * a.m - fabs (a.x * b.x),
  };
}

Bounded
bounded_mul (const Numerics *numerics, Bounded a, Bounded b)
{
  return bounded_step (numerics, product (a, b));
}

Bounded
bounded_div (const Numerics *numerics, Bounded a, Bounded b)
{
  double q = fabs (b.x);
  Bounded result = { a.x / b.x, INFINITY, a.m / q + fabs (a.x) * b.m / (q * q) - fabs (a.x) / q };

  if (q > b.e)
    result.e = (q * a.e + fabs (a.x) * b.e) / (q * (q - b.e));

  return bounded_step (numerics, result);
}

Bounded
bounded_max (Bounded a, Bounded b)
{
  return (Bounded){ MAX (a.x, b.x), MAX (a.e, b.e), a.x > b.x ? a.m : b.m };
}

Bounded
bounded_min (Bounded a, Bounded b)
{
  return (Bounded){ MIN (a.x, b.x), MAX (a.e, b.e), a.x < b.x ? a.m : b.m };
}

/* The first or the second; if that is not sure, the machine may have taken the other one. */
Bounded
bounded_choose (gboolean first, gboolean sure, Bounded a, Bounded b)
{
  Bounded result = first ? a : b;
  Bounded other = first ? b : a;

  if (!sure)
    result.e = MAX (result.e, fabs (a.x - b.x) + other.e);

  return result;
}

Bounded
bounded_apply (const Numerics *numerics, const BoundedFunction *function, Bounded a)
{
  double y = function->f (a.x);
  Bounded result = { y, 0, fabs (y) };

  if (function->slope > 0)
    result.e = function->slope * a.e;
  else if (a.e > 0)
    result.e = MAX (fabs (function->f (a.x + a.e) - y), fabs (function->f (a.x - a.e) - y));
  /* No bound, a pole, or the end of what the function is defined for, within reach. */
  if (isinf (a.e) || isnan (function->f (a.x + a.e) + function->f (a.x - a.e)) ||
      (function == &bounded_reciprocal && fabs (a.x) <= a.e))
    result.e = INFINITY;
  if (a.m > fabs (a.x) && a.x != 0)
    result.m += fabs (function->f (a.x * (1 + 1e-6)) - y) / (fabs (a.x) * 1e-6) *
                (a.m - fabs (a.x));

  return round_to (result, numerics->u_function, numerics->tiny);
}

void
bounded_sum_add (BoundedSum *sum, Bounded a)
{
  sum->value.x += a.x;
  sum->value.e += a.e;
  sum->value.m += a.m;
  sum->size += fabs (a.x) + a.e;
  sum->n++;
}

/* One fused multiply-add. */
void
bounded_sum_product (BoundedSum *sum, Bounded a, Bounded b)
{
  bounded_sum_add (sum, product (a, b));
}

Bounded
bounded_sum_end (const Numerics *numerics, const BoundedSum *sum)
{
  double nu = sum->n * numerics->u;
  Bounded result = sum->value;

  result.e += nu / (1 - nu) * sum->size + sum->n * numerics->tiny;

  return result;
}
