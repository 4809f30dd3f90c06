/* graph-reference-sums.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Products, convolutions, reductions and normalizations.
 */
#include <math.h>
#include <string.h>

#include "graph-reference.h"

/* y = alpha a b + beta c, with the last two axes of the sides turned round where asked for. */
static void
multiply (Reference *self, const ReferenceTensor *a, gboolean turn_a, const ReferenceTensor *b,
          gboolean turn_b, const ReferenceTensor *c)
{
  ReferenceTensor *out = reference_output (self, 0);
  gboolean scaled = self->node->op != ASSAY_OP_MatMul;
  double alpha = scaled ? reference_number (self, "alpha", 1) : 1;
  double beta = scaled ? reference_number (self, "beta", 1) : 1;
  gint64 extent = a->rank == 1 ? a->dims[0] : a->dims[a->rank - (turn_a ? 2 : 1)];

  for (gsize i = 0; i < out->n; i++)
    {
      BoundedSum sum = { 0 };
      gint64 index[8] = { 0 };
      gint64 row = 0, column = 0;
      guint batch = out->rank;

      reference_index (out, i, index);
      if (b->rank > 1)
        column = index[--batch];
      if (a->rank > 1)
        row = index[--batch];
      for (gint64 k = 0; k < extent; k++)
        {
          gint64 at[2][8];

          for (guint side = 0; side < 2; side++)
            {
              const ReferenceTensor *t = side == 0 ? a : b;

              if (t->rank > 2)
                memcpy (at[side], index + batch - (t->rank - 2), (t->rank - 2) * sizeof (gint64));
              if (t->rank == 1)
                at[side][0] = k;
              else
                {
                  gboolean turned = side == 0 ? turn_a : turn_b;

                  at[side][t->rank - 2] = side == 0 ? (turned ? k : row) : (turned ? column : k);
                  at[side][t->rank - 1] = side == 0 ? (turned ? row : k) : (turned ? k : column);
                }
            }
          bounded_sum_product (
              &sum,
              a->constant ? reference_weight (self, a, reference_flat (a, at[0]), alpha)
                          : a->v[reference_flat (a, at[0])],
              reference_weight (self, b, reference_flat (b, at[1]), a->constant ? 1 : alpha));
        }
      /* Steps that only some ways of computing it have: the factor and the bias at the end. */
      if (scaled)
        sum.n += 3;
      if (c != NULL)
        bounded_sum_product (&sum, c->v[reference_broadcast (c, out, i)], bounded_exact (beta));
      out->v[i] = bounded_finish (self->numerics, bounded_sum_end (self->numerics, &sum));
    }
}

static void
run_matmul (Reference *self)
{
  multiply (self, reference_input (self, 0), FALSE, reference_input (self, 1), FALSE, NULL);
}

static void
run_gemm (Reference *self)
{
  multiply (self, reference_input (self, 0), assay_node_get_int (self->node, "transA") != 0,
            reference_input (self, 1), assay_node_get_int (self->node, "transB") != 0,
            reference_input (self, 2));
}

static void
run_linear (Reference *self)
{
  gboolean turned = assay_node_get_int (self->node, "transpose_weight") != 0;
  ReferenceTensor *x = reference_input (self, 0);
  ReferenceTensor *w = reference_input (self, 1);

  if (g_str_equal (assay_node_get_string (self->node, "side"), "left"))
    multiply (self, w, turned, x, FALSE, reference_input (self, 2));
  else
    multiply (self, x, FALSE, w, turned, reference_input (self, 2));
}

typedef struct
{
  guint n_axes;
  gint64 kernel[8], stride[8], dilation[8], pad[8];
  gint64 n_taps;
} Window;

static void
read_window (Reference *self, Window *w)
{
  const ReferenceTensor *in = reference_input (self, 0);
  const ReferenceTensor *out = reference_output (self, 0);
  const char *names[] = { "strides", "dilations", "pads" };
  gint64 *lists[] = { w->stride, w->dilation, w->pad };
  const char *automatic = assay_node_get_string (self->node, "auto_pad");

  w->n_taps = 1;
  for (guint i = 0; i < w->n_axes; i++)
    {
      gint64 total;

      for (guint j = 0; j < 3; j++)
        {
          guint n = 0;
          const gint64 *given = assay_node_get_ints (self->node, names[j], &n);

          lists[j][i] = n > 0 ? given[i] : j < 2;
        }
      w->n_taps *= w->kernel[i];
      if (!g_str_has_prefix (automatic, "SAME"))
        continue;
      total = (out->dims[i + 2] - 1) * w->stride[i] + (w->kernel[i] - 1) * w->dilation[i] + 1 -
              in->dims[i + 2];
      total = MAX (total, 0);
      w->pad[i] = g_str_has_suffix (automatic, "LOWER") ? (total + 1) / 2 : total / 2;
    }
}

/* Where a tap of the window of a result element looks; FALSE in the padding. */
static gboolean
look (const ReferenceTensor *in, const Window *w, const gint64 *index, gint64 tap, gint64 *source)
{
  for (guint i = w->n_axes; i-- > 0;)
    {
      source[i + 2] = index[i + 2] * w->stride[i] + tap % w->kernel[i] * w->dilation[i] - w->pad[i];
      tap /= w->kernel[i];
      if (source[i + 2] < 0 || source[i + 2] >= in->dims[i + 2])
        return FALSE;
    }

  return TRUE;
}

static void
run_conv (Reference *self)
{
  const ReferenceTensor *in = reference_input (self, 0);
  const ReferenceTensor *weight = reference_input (self, 1);
  const ReferenceTensor *bias = reference_input (self, 2);
  ReferenceTensor *out = reference_output (self, 0);
  gint64 per_group = out->dims[1] / assay_node_get_int (self->node, "group");
  Window w = { .n_axes = in->rank - 2 };

  for (guint i = 0; i < w.n_axes; i++)
    w.kernel[i] = weight->dims[i + 2];
  read_window (self, &w);

  for (gsize i = 0; i < out->n; i++)
    {
      BoundedSum sum = { 0 };
      gint64 index[8], source[8];

      reference_index (out, i, index);
      source[0] = index[0];
      if (bias != NULL)
        bounded_sum_add (&sum, bias->v[index[1]]);
      for (gint64 tap = 0; tap < w.n_taps; tap++)
        {
          if (!look (in, &w, index, tap, source))
            continue;
          for (gint64 c = 0; c < weight->dims[1]; c++)
            {
              gsize at = (gsize) ((index[1] * weight->dims[1] + c) * w.n_taps + tap);

              source[1] = index[1] / per_group * weight->dims[1] + c;
              bounded_sum_product (&sum, in->v[reference_flat (in, source)],
                                   reference_weight (self, weight, at, 1));
            }
        }
      out->v[i] = bounded_finish (self->numerics, bounded_sum_end (self->numerics, &sum));
    }
}

static void
run_pool (Reference *self)
{
  const ReferenceTensor *in = reference_input (self, 0);
  ReferenceTensor *out = reference_output (self, 0);
  Window w = { .n_axes = in->rank - 2 };
  guint n;
  const gint64 *kernel = assay_node_get_ints (self->node, "kernel_shape", &n);

  memcpy (w.kernel, kernel, w.n_axes * sizeof *kernel);
  read_window (self, &w);
  for (gsize i = 0; i < out->n; i++)
    {
      BoundedSum sum = { 0 };
      Bounded greatest = { 0 };
      gint64 index[8], source[8];

      reference_index (out, i, index);
      memcpy (source, index, sizeof source);
      for (gint64 tap = 0; tap < w.n_taps; tap++)
        {
          Bounded value;

          g_assert_true (look (in, &w, index, tap, source));
          value = in->v[reference_flat (in, source)];
          bounded_sum_add (&sum, value);
          greatest = tap == 0 ? value : bounded_max (greatest, value);
        }
      if (self->node->op == ASSAY_OP_AveragePool)
        greatest = bounded_div (self->numerics, bounded_sum_end (self->numerics, &sum),
                                bounded_exact ((double) w.n_taps));
      out->v[i] = bounded_finish (self->numerics, greatest);
    }
}

static Bounded
reduce_end (Reference *self, const BoundedSum *sum, Bounded extreme, double count)
{
  Bounded total = bounded_sum_end (self->numerics, sum);

  switch (self->node->op)
    {
    case ASSAY_OP_ReduceMean:
    case ASSAY_OP_GlobalAveragePool:
      return bounded_div (self->numerics, total, bounded_exact (count));
    case ASSAY_OP_ReduceL2:
      return bounded_apply (self->numerics, &bounded_sqrt, total);
    case ASSAY_OP_ReduceSum:
      return total;
    default:
      return extreme;
    }
}

static void
run_reduce (Reference *self)
{
  const ReferenceTensor *in = reference_input (self, 0);
  ReferenceTensor *out = reference_output (self, 0);
  AssayOp op = self->node->op;
  gboolean global = op == ASSAY_OP_GlobalAveragePool || op == ASSAY_OP_GlobalMaxPool;
  gboolean keep = global || assay_node_get_int (self->node, "keepdims") != 0;
  guint64 axes = global ? ~G_GUINT64_CONSTANT (3) : reference_axes (self, 1);
  g_autofree BoundedSum *sums = g_new0 (BoundedSum, out->n);
  g_autofree Bounded *extremes = g_new0 (Bounded, out->n);

  for (gsize i = 0; i < in->n; i++)
    {
      gint64 index[8], target[8];
      guint rank = 0;
      Bounded value = reference_operand (self, in, i);
      gsize at;

      reference_index (in, i, index);
      for (guint axis = 0; axis < in->rank; axis++)
        {
          if ((axes >> axis & 1) == 0)
            target[rank++] = index[axis];
          else if (keep)
            target[rank++] = 0;
        }
      at = reference_flat (out, target);
      extremes[at] = sums[at].n == 0            ? value
                     : op == ASSAY_OP_ReduceMin ? bounded_min (extremes[at], value)
                                                : bounded_max (extremes[at], value);
      if (op == ASSAY_OP_ReduceL2)
        value = bounded_mul (self->numerics, value, value);
      bounded_sum_add (&sums[at], value);
    }

  for (gsize i = 0; i < out->n; i++)
    out->v[i] = bounded_finish (
        self->numerics, reduce_end (self, &sums[i], extremes[i], (double) (in->n / out->n)));
}

static void
run_softmax (Reference *self)
{
  const ReferenceTensor *in = reference_input (self, 0);
  ReferenceTensor *out = reference_output (self, 0);
  gint64 given = assay_node_get_int (self->node, "axis");
  guint axis = (guint) (given < 0 ? given + in->rank : given);
  gsize extent = (gsize) in->dims[axis], stride = 1;

  for (guint i = axis + 1; i < in->rank; i++)
    stride *= (gsize) in->dims[i];
  for (gsize i = 0; i < in->n; i++)
    {
      BoundedSum sum = { 0 };
      Bounded greatest, total;

      if (i / stride % extent != 0)
        continue;
      greatest = reference_operand (self, in, i);
      for (gsize k = 1; k < extent; k++)
        greatest = bounded_max (greatest, reference_operand (self, in, i + k * stride));
      for (gsize k = 0; k < extent; k++)
        {
          Bounded *y = &out->v[i + k * stride];

          *y = bounded_sub (self->numerics, reference_operand (self, in, i + k * stride), greatest);
          /* The shift does not change the quotient; it is no part of the magnitude. */
          y->m = fabs (y->x);
          *y = bounded_apply (self->numerics, &bounded_exp, *y);
          bounded_sum_add (&sum, *y);
        }
      total = bounded_sum_end (self->numerics, &sum);
      for (gsize k = 0; k < extent; k++)
        {
          Bounded *y = &out->v[i + k * stride];

          *y = bounded_finish (self->numerics, bounded_div (self->numerics, *y, total));
        }
    }
}

typedef struct
{
  gsize n;
  Bounded *v; /* of the set; the normalized values afterwards */
  Bounded mean;
  Bounded scale;
} Set;

/* Products with the reciprocal of the count, which is itself rounded. */
static Bounded
mean_of (const Numerics *numerics, gsize n, BoundedSum *sum)
{
  Bounded inverse = bounded_step (numerics, bounded_exact (1.0 / (double) n));

  return bounded_mul (numerics, bounded_sum_end (numerics, sum), inverse);
}

static void
normalize (Reference *self, Set *set, gboolean centred)
{
  const Numerics *numerics = self->numerics;
  BoundedSum sum = { 0 };

  for (gsize i = 0; i < set->n && centred; i++)
    bounded_sum_add (&sum, set->v[i]);
  set->mean = mean_of (numerics, set->n, &sum);
  memset (&sum, 0, sizeof sum);
  for (gsize i = 0; i < set->n; i++)
    {
      if (centred)
        set->v[i] = bounded_sub (numerics, set->v[i], set->mean);
      bounded_sum_add (&sum, bounded_mul (numerics, set->v[i], set->v[i]));
    }
  set->scale = bounded_add (numerics, mean_of (numerics, set->n, &sum),
                            bounded_exact (reference_number (self, "epsilon", 1e-5)));
  set->scale = bounded_apply (numerics, &bounded_rsqrt, set->scale);
  for (gsize i = 0; i < set->n; i++)
    set->v[i] = bounded_mul (numerics, set->v[i], set->scale);
}

static void
put (Reference *self, gsize at, Bounded value, const ReferenceTensor *scale, gsize scale_at,
     const ReferenceTensor *bias, gsize bias_at)
{
  value = bounded_mul (self->numerics, value, reference_operand (self, scale, scale_at));
  if (bias != NULL)
    value = bounded_add (self->numerics, value, reference_operand (self, bias, bias_at));
  reference_output (self, 0)->v[at] = bounded_finish (self->numerics, value);
}

/* LayerNormalization and RMSNormalization over the last axis; scale and bias have the shape of the
 * last axes. */
static void
run_last_axis (Reference *self)
{
  const ReferenceTensor *in = reference_input (self, 0);
  const ReferenceTensor *scale = reference_input (self, 1);
  const ReferenceTensor *bias = reference_input (self, 2);
  gboolean centred = self->node->op == ASSAY_OP_LayerNormalization;
  gsize n = (gsize) in->dims[in->rank - 1];
  g_autofree Bounded *v = g_new (Bounded, n);

  for (gsize row = 0; row < in->n / n; row++)
    {
      Set set = { .n = n, .v = v };
      const Bounded *statistics[] = { &set.mean, &set.scale };

      for (gsize i = 0; i < n; i++)
        v[i] = reference_operand (self, in, row * n + i);
      normalize (self, &set, centred);
      for (gsize i = 0; i < n; i++)
        put (self, row * n + i, v[i], scale, (row * n + i) % scale->n, bias,
             bias == NULL ? 0 : (row * n + i) % bias->n);
      for (guint j = 1; j <= 2 && centred; j++)
        {
          if (reference_output (self, j) != NULL)
            reference_output (self, j)->v[row] = bounded_finish (self->numerics,
                                                                 *statistics[j - 1]);
        }
    }
}

/* GroupNormalization; InstanceNormalization has a group per channel. */
static void
run_groups (Reference *self)
{
  const ReferenceTensor *in = reference_input (self, 0);
  gboolean instance = self->node->op == ASSAY_OP_InstanceNormalization;
  gsize channels = (gsize) in->dims[1];
  gsize groups = instance ? channels : (gsize) assay_node_get_int (self->node, "num_groups");
  gsize n = in->n / (gsize) in->dims[0] / groups;
  gsize each = n / (channels / groups);
  g_autofree Bounded *v = g_new (Bounded, n);

  for (gsize start = 0; start < in->n; start += n)
    {
      Set set = { .n = n, .v = v };

      for (gsize i = 0; i < n; i++)
        v[i] = reference_operand (self, in, start + i);
      normalize (self, &set, TRUE);
      for (gsize i = 0; i < n; i++)
        {
          gsize channel = (start + i) / each % channels;

          put (self, start + i, v[i], reference_input (self, 1), channel, reference_input (self, 2),
               channel);
        }
    }
}

/* x f + (shift - mean f), with both factors made in double and rounded to fp32. */
static void
run_batch (Reference *self)
{
  const ReferenceTensor *in = reference_input (self, 0);
  ReferenceTensor *out = reference_output (self, 0);

  for (gsize i = 0; i < in->n; i++)
    {
      gint64 index[8];
      double values[4], factor;
      Bounded product;

      reference_index (in, i, index);
      for (guint j = 0; j < 4; j++)
        values[j] = reference_input (self, j + 1)->v[in->rank > 1 ? index[1] : 0].x;
      factor = values[0] / sqrt (values[3] + reference_number (self, "epsilon", 1e-5));
      product = bounded_mul (self->numerics, in->v[i],
                             bounded_step (self->numerics, bounded_exact (factor)));
      product = bounded_add (
          self->numerics, product,
          bounded_step (self->numerics, bounded_exact (values[1] - values[2] * factor)));
      product.m = fabs (in->v[i].x * factor) + fabs (values[1]) + fabs (values[2] * factor);
      out->v[i] = bounded_finish (self->numerics, product);
    }
}

const ReferenceRow *
reference_sums (void)
{
  static const ReferenceRow rows[] = {
    { ASSAY_OP_MatMul, run_matmul },
    { ASSAY_OP_Gemm, run_gemm },
    { ASSAY_OP_Linear, run_linear },
    { ASSAY_OP_Conv, run_conv },
    { ASSAY_OP_AveragePool, run_pool },
    { ASSAY_OP_MaxPool, run_pool },
    { ASSAY_OP_ReduceSum, run_reduce },
    { ASSAY_OP_ReduceMean, run_reduce },
    { ASSAY_OP_ReduceMax, run_reduce },
    { ASSAY_OP_ReduceMin, run_reduce },
    { ASSAY_OP_ReduceL2, run_reduce },
    { ASSAY_OP_GlobalAveragePool, run_reduce },
    { ASSAY_OP_GlobalMaxPool, run_reduce },
    { ASSAY_OP_Softmax, run_softmax },
    { ASSAY_OP_LayerNormalization, run_last_axis },
    { ASSAY_OP_RMSNormalization, run_last_axis },
    { ASSAY_OP_GroupNormalization, run_groups },
    { ASSAY_OP_InstanceNormalization, run_groups },
    { ASSAY_OP_BatchNormalization, run_batch },
    { 0, NULL },
  };

  return rows;
}
