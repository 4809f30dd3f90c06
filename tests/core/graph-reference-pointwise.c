/* graph-reference-pointwise.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What works element by element, step by step as the composites of docs/numerics.md.
 */
#include <math.h>

#include "graph-reference.h"

/* One element of the result from the elements that meet there. */
typedef Bounded (*ElementFunc) (const Reference *self, const Bounded *v, guint n);

static void
run_elements (Reference *self, ElementFunc element)
{
  ReferenceTensor *out = reference_output (self, 0);

  for (gsize i = 0; i < out->n; i++)
    {
      Bounded v[16];

      for (guint j = 0; j < self->node->n_inputs; j++)
        {
          const ReferenceTensor *in = reference_input (self, j);

          if (in != NULL)
            v[j] = reference_operand (self, in, reference_broadcast (in, out, i));
        }
      out->v[i] = bounded_finish (self->numerics, element (self, v, self->node->n_inputs));
    }
}

#define ELEMENT(name) static Bounded name (const Reference *self, const Bounded *v, guint n)

ELEMENT (element_add)
{
  return bounded_add (self->numerics, v[0], v[1]);
}
ELEMENT (element_sub)
{
  return bounded_sub (self->numerics, v[0], v[1]);
}
ELEMENT (element_mul)
{
  return bounded_mul (self->numerics, v[0], v[1]);
}
ELEMENT (element_div)
{
  return bounded_div (self->numerics, v[0], v[1]);
}
ELEMENT (element_exp)
{
  return bounded_apply (self->numerics, &bounded_exp, v[0]);
}
ELEMENT (element_log)
{
  return bounded_apply (self->numerics, &bounded_log, v[0]);
}
ELEMENT (element_tanh)
{
  return bounded_apply (self->numerics, &bounded_tanh, v[0]);
}
ELEMENT (element_sigmoid)
{
  return bounded_apply (self->numerics, &bounded_sigmoid, v[0]);
}
ELEMENT (element_softplus)
{
  return bounded_apply (self->numerics, &bounded_softplus, v[0]);
}
ELEMENT (element_erf)
{
  return bounded_apply (self->numerics, &bounded_erf, v[0]);
}
ELEMENT (element_sqrt)
{
  return bounded_apply (self->numerics, &bounded_sqrt, v[0]);
}
ELEMENT (element_rsqrt)
{
  return bounded_apply (self->numerics, &bounded_rsqrt, v[0]);
}
ELEMENT (element_reciprocal)
{
  return bounded_apply (self->numerics, &bounded_reciprocal, v[0]);
}
ELEMENT (element_neg)
{
  return (Bounded){ -v[0].x, v[0].e, v[0].m };
}
ELEMENT (element_relu)
{
  return bounded_max (v[0], bounded_exact (0));
}

ELEMENT (element_sum)
{
  Bounded sum = v[0];

  for (guint i = 1; i < n; i++)
    sum = bounded_add (self->numerics, sum, v[i]);

  return self->node->op == ASSAY_OP_Mean && n > 1
             ? bounded_div (self->numerics, sum, bounded_exact (n))
             : sum;
}

ELEMENT (element_extreme)
{
  Bounded result = v[0];

  for (guint i = 1; i < n; i++)
    result = self->node->op == ASSAY_OP_Max ? bounded_max (result, v[i])
                                            : bounded_min (result, v[i]);

  return result;
}

ELEMENT (element_gelu)
{
  gboolean by_tanh = g_str_equal (assay_node_get_string (self->node, "approximate"), "tanh");

  return bounded_apply (self->numerics, by_tanh ? &bounded_gelu_tanh : &bounded_gelu_erf, v[0]);
}

ELEMENT (element_swish)
{
  double alpha = reference_number (self, "alpha", 1);
  Bounded gate;

  if (alpha == 1)
    return bounded_apply (self->numerics, &bounded_silu, v[0]);

  gate = bounded_apply (self->numerics, &bounded_sigmoid,
                        bounded_mul (self->numerics, v[0], bounded_exact (alpha)));

  return bounded_mul (self->numerics, v[0], gate);
}

ELEMENT (element_mish)
{
  Bounded gate = bounded_apply (self->numerics, &bounded_softplus, v[0]);

  return bounded_mul (self->numerics, v[0], bounded_apply (self->numerics, &bounded_tanh, gate));
}

/* The bounds of a clamp lose nothing; a low one above the high one gives the high one. */
static void
run_clip (Reference *self)
{
  ReferenceTensor *out = reference_output (self, 0);
  const ReferenceTensor *in = reference_input (self, 0);
  const ReferenceTensor *low = reference_input (self, 1);
  const ReferenceTensor *high = reference_input (self, 2);

  for (gsize i = 0; i < out->n; i++)
    {
      Bounded y = reference_operand (self, in, i);

      if (low != NULL)
        y = bounded_max (y, low->v[0]);
      if (high != NULL)
        y = bounded_min (y, high->v[0]);
      out->v[i] = bounded_finish (self->numerics, y);
    }
}

ELEMENT (element_leaky)
{
  Bounded slope = n > 1 ? v[1]
                        : bounded_store (self->numerics,
                                         bounded_exact (reference_number (self, "alpha", 0.01)));

  return bounded_choose (v[0].x >= 0, fabs (v[0].x) >= v[0].e, v[0],
                         bounded_mul (self->numerics, v[0], slope));
}

ELEMENT (element_elu)
{
  const Numerics *numerics = self->numerics;
  gboolean selu = self->node->op == ASSAY_OP_Selu;
  double alpha = reference_number (self, "alpha", selu ? 1.67326319217681884765625 : 1);
  double gamma = selu ? reference_number (self, "gamma", 1.05070102214813232421875) : 1;
  Bounded below = v[0];

  if (self->node->op == ASSAY_OP_Celu)
    below = bounded_div (numerics, below, bounded_exact (alpha));
  below = bounded_sub (numerics, bounded_apply (numerics, &bounded_exp, below), bounded_exact (1));
  /* The product of the two factors is one of fp32. */
  below = bounded_mul (numerics, below, bounded_step (numerics, bounded_exact (gamma * alpha)));

  return bounded_choose (v[0].x > 0, fabs (v[0].x) >= v[0].e,
                         bounded_mul (numerics, v[0], bounded_exact (gamma)), below);
}

ELEMENT (element_hard)
{
  gboolean swish = self->node->op == ASSAY_OP_HardSwish;
  Bounded alpha = swish ? bounded_step (self->numerics, bounded_exact (1.0 / 6))
                        : bounded_exact (reference_number (self, "alpha", 0.2));
  Bounded gate = bounded_add (self->numerics, bounded_mul (self->numerics, v[0], alpha),
                              bounded_exact (swish ? 0.5 : reference_number (self, "beta", 0.5)));

  gate = bounded_min (bounded_max (gate, bounded_exact (0)), bounded_exact (1));

  return swish ? bounded_mul (self->numerics, v[0], gate) : gate;
}

ELEMENT (element_pow)
{
  double exponent = fabs (v[1].x);
  Bounded result = exponent == 0 ? bounded_exact (1) : v[0];

  for (double i = 2; i <= exponent; i++)
    result = bounded_mul (self->numerics, result, v[0]);
  if (exponent != trunc (exponent))
    {
      Bounded root = bounded_apply (self->numerics, &bounded_sqrt, v[0]);

      result = exponent < 1 ? root : bounded_mul (self->numerics, result, root);
    }

  return v[1].x < 0 ? bounded_apply (self->numerics, &bounded_reciprocal, result) : result;
}

/* 1 or 0; wrong by 1 where the sides are too close to tell. */
static void
run_compare (Reference *self)
{
  ReferenceTensor *out = reference_output (self, 0);
  AssayOp op = self->node->op;
  gboolean less = op == ASSAY_OP_Less || op == ASSAY_OP_LessOrEqual;
  gboolean equal = op == ASSAY_OP_LessOrEqual || op == ASSAY_OP_GreaterOrEqual;

  for (gsize i = 0; i < out->n; i++)
    {
      Bounded v[2];
      double difference;

      for (guint j = 0; j < 2; j++)
        v[j] = reference_operand (self, reference_input (self, j),
                                  reference_broadcast (reference_input (self, j), out, i));
      difference = less ? v[1].x - v[0].x : v[0].x - v[1].x;
      out->v[i] = bounded_exact (difference > 0 || (equal && difference == 0));
      if (fabs (difference) < v[0].e + v[1].e || (difference == 0 && v[0].e + v[1].e > 0))
        out->v[i].e = 1;
    }
}

ELEMENT (element_where)
{
  return bounded_choose (v[0].x != 0, v[0].e == 0, v[1], v[2]);
}

/* clang-format off */
#define RUN(op, function) static void run_##op (Reference *self) { run_elements (self, function); }
#define ELEMENTWISE(X) \
  X (Add, element_add) X (Sub, element_sub) X (Mul, element_mul) X (Div, element_div) \
  X (Max, element_extreme) X (Min, element_extreme) X (Sum, element_sum) X (Mean, element_sum) \
  X (Exp, element_exp) X (Log, element_log) X (Tanh, element_tanh) X (Sigmoid, element_sigmoid) \
  X (Softplus, element_softplus) X (Swish, element_swish) X (Gelu, element_gelu) \
  X (Erf, element_erf) X (Sqrt, element_sqrt) X (Rsqrt, element_rsqrt) \
  X (Reciprocal, element_reciprocal) X (Neg, element_neg) X (Relu, element_relu) \
  X (LeakyRelu, element_leaky) X (PRelu, element_leaky) X (Elu, element_elu) \
  X (Celu, element_elu) X (Selu, element_elu) X (HardSigmoid, element_hard) \
  X (HardSwish, element_hard) X (Mish, element_mish) X (Pow, element_pow) X (Where, element_where)
/* clang-format on */

ELEMENTWISE (RUN)

const ReferenceRow *
reference_pointwise (void)
{
#define ROW(op, function) { ASSAY_OP_##op, run_##op },
  static const ReferenceRow rows[] = {
    ELEMENTWISE (ROW){ ASSAY_OP_Clip, run_clip }, { ASSAY_OP_Greater, run_compare },
    { ASSAY_OP_GreaterOrEqual, run_compare },     { ASSAY_OP_Less, run_compare },
    { ASSAY_OP_LessOrEqual, run_compare },        { 0, NULL },
  };
#undef ROW

  return rows;
}
