/* bounded.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * Numerics:
 * @name: what test messages call it
 * @u_store: greatest relative error of storing a number, such as 2^-8 of bf16
 * @tiny_store: greatest absolute error of it among subnormals
 * @u: greatest relative error of one fp32 operation
 * @tiny: greatest absolute error of it among subnormals
 * @u_weight: greatest relative error of storing a weight
 * @tiny_weight: greatest absolute error of it among subnormals
 * @u_function: greatest relative error of a function in fp32
 * @allowance: what a node may be wrong by, in magnitudes of its result, if it is not what its
 * roundings give
 *
 * How a machine rounds.
 */
typedef struct
{
  const char *name;
  double u_store;
  double tiny_store;
  double u;
  double tiny;
  double u_weight;
  double tiny_weight;
  double u_function;
  double allowance;
} Numerics;

/* Stores and computes as docs/numerics.md says. */
extern const Numerics numerics_bf16;
/* The same with weights in fp8. */
extern const Numerics numerics_fp8;
/* The same with fp32 storage. */
extern const Numerics numerics_fp32;
/* Rounds nowhere but among subnormals; each node may be wrong by 1e-5 of its magnitude. */
extern const Numerics numerics_allowance;

/**
 * Bounded:
 * @x: the number, computed in double without rounding
 * @e: how far the machine may be from it
 * @m: the number if every term of its sums counted with its absolute value
 */
typedef struct
{
  double x;
  double e;
  double m;
} Bounded;

/**
 * BoundedSum:
 * @value: the sum so far, with the errors that its terms bring along
 * @size: sum of the absolute values of what the machine adds
 * @n: number of operations
 *
 * A sum in fp32, whose error is counted when it ends: n roundings of what is at most @size, in any
 * order of the terms.
 */
typedef struct
{
  Bounded value;
  double size;
  guint n;
} BoundedSum;

/* A function of one number; rising or falling, unless @slope says how fast it changes at most. */
typedef struct
{
  double (*f) (double x);
  double slope;
} BoundedFunction;

extern const BoundedFunction bounded_exp, bounded_log, bounded_tanh, bounded_sigmoid,
    bounded_softplus, bounded_silu, bounded_gelu_erf, bounded_gelu_tanh, bounded_erf, bounded_sqrt,
    bounded_rsqrt, bounded_reciprocal;

Bounded bounded_exact (double x);
Bounded bounded_step (const Numerics *numerics, Bounded a);
Bounded bounded_store (const Numerics *numerics, Bounded a);
Bounded bounded_weight (const Numerics *numerics, double w);
Bounded bounded_finish (const Numerics *numerics, Bounded a);
Bounded bounded_add (const Numerics *numerics, Bounded a, Bounded b);
Bounded bounded_sub (const Numerics *numerics, Bounded a, Bounded b);
Bounded bounded_mul (const Numerics *numerics, Bounded a, Bounded b);
Bounded bounded_div (const Numerics *numerics, Bounded a, Bounded b);
Bounded bounded_max (Bounded a, Bounded b);
Bounded bounded_min (Bounded a, Bounded b);
Bounded bounded_choose (gboolean first, gboolean sure, Bounded a, Bounded b);
Bounded bounded_apply (const Numerics *numerics, const BoundedFunction *function, Bounded a);
void bounded_sum_add (BoundedSum *sum, Bounded a);
void bounded_sum_product (BoundedSum *sum, Bounded a, Bounded b);
Bounded bounded_sum_end (const Numerics *numerics, const BoundedSum *sum);

G_END_DECLS
