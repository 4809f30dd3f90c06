/* assay-torch-make-composite.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Operations that are many of NNIR: gradients, rearrangements, counts.
 */
#include <math.h>
#include <string.h>

#include "source/torch/assay-torch-lower-private.h"

#define ONE(op, a) assay_torch_one (self, ASSAY_OP_##op, a)
#define TWO(op, a, b) assay_torch_two (self, ASSAY_OP_##op, a, b)
#define THREE(op, a, b, c) assay_torch_three (self, ASSAY_OP_##op, a, b, c)

/* Elements along an axis of which each is held against each. */
#define MAX_SQUARE 2048

static AssayValueId
like (AssayTorchLower *self, AssayValueId x, double value)
{
  return assay_torch_scalar (self, assay_torch_dtype (self, x), value);
}

static AssayValueId
count (AssayTorchLower *self, gint64 value)
{
  return assay_torch_integer (self, ASSAY_DTYPE_I64, value);
}

/* Blocks of channels and blocks of places change sides, with any number of axes in front. */
gboolean
assay_torch_make_pixel_shuffle (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  gint64 dims[ASSAY_MAX_RANK];
  gint64 split[ASSAY_MAX_RANK];
  gint64 perm[ASSAY_MAX_RANK];
  gint64 r;
  guint rank;
  guint b;

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_dims (self, x, &rank, dims) ||
      rank < 3 || rank + 2 > ASSAY_MAX_RANK || !assay_torch_get_int (self, 1, &r) || r < 1)
    return FALSE;
  b = rank - 3;
  memcpy (split, dims, b * sizeof *dims);
  for (guint i = 0; i < b; i++)
    perm[i] = i;
  if (rule->argument == 0)
    {
      static const guint order[] = { 0, 3, 1, 4, 2 };
      const gint64 own[] = { dims[b] / (r * r), r, r, dims[b + 1], dims[b + 2] };

      memcpy (split + b, own, sizeof own);
      for (guint i = 0; i < 5; i++)
        perm[b + i] = b + order[i];
      dims[b] /= r * r;
      dims[b + 1] *= r;
      dims[b + 2] *= r;
    }
  else
    {
      static const guint order[] = { 0, 2, 4, 1, 3 };
      const gint64 own[] = { dims[b], dims[b + 1] / r, r, dims[b + 2] / r, r };

      memcpy (split + b, own, sizeof own);
      for (guint i = 0; i < 5; i++)
        perm[b + i] = b + order[i];
      dims[b] *= r * r;
      dims[b + 1] /= r;
      dims[b + 2] /= r;
    }
  x = assay_torch_reshape (self, x, rank + 2, split);

  return assay_torch_result (
      self, 0,
      assay_torch_reshape (self, assay_torch_transpose (self, x, rank + 2, perm), rank, dims));
}

gboolean
assay_torch_make_channel_shuffle (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  gint64 dims[ASSAY_MAX_RANK];
  gint64 split[ASSAY_MAX_RANK + 1];
  gint64 perm[ASSAY_MAX_RANK + 1];
  gint64 groups;
  guint rank;

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_dims (self, x, &rank, dims) ||
      rank < 2 || rank >= ASSAY_MAX_RANK || !assay_torch_get_int (self, 1, &groups) || groups < 1)
    return FALSE;
  split[0] = dims[0];
  split[1] = groups;
  split[2] = dims[1] / groups;
  memcpy (split + 3, dims + 2, (rank - 2) * sizeof *dims);
  for (guint i = 0; i <= rank; i++)
    perm[i] = i;
  perm[1] = 2;
  perm[2] = 1;
  x = assay_torch_transpose (self, assay_torch_reshape (self, x, rank + 1, split), rank + 1, perm);

  return assay_torch_result (self, 0, assay_torch_reshape (self, x, rank, dims));
}

/* A vector on a diagonal of a matrix of zeros: the last axis becomes two. */
static AssayTorchItem *
embed_diagonal (AssayTorchLower *self, AssayValueId x, gint64 offset)
{
  gint64 dims[ASSAY_MAX_RANK];
  gint64 strides[ASSAY_MAX_RANK];
  AssayTorchItem *matrix;
  AssayTorchItem *line;
  gint64 size;
  guint rank;

  if (!assay_torch_dims (self, x, &rank, dims) || rank < 1 || rank + 1 > ASSAY_MAX_RANK)
    return NULL;
  size = dims[rank - 1] + llabs (offset);
  dims[rank - 1] = dims[rank] = size;
  matrix = assay_torch_tensor (
      self, assay_torch_fill (self, assay_torch_dtype (self, x), rank + 1, dims, 0.0));
  if (!assay_torch_track (self, matrix))
    return NULL;
  dims[rank - 1] = size - llabs (offset);
  memcpy (strides, matrix->strides, (rank - 1) * sizeof *strides);
  strides[rank - 1] = size + 1;
  line = assay_torch_view_strided (self, matrix, rank, dims, strides,
                                   offset >= 0 ? offset : -offset * size);
  if (line == NULL || !assay_torch_write (self, line, x))
    return NULL;

  return matrix;
}

/* A matrix of a vector, or the diagonal of a matrix (argument 0); a matrix for each vector (1). */
gboolean
assay_torch_make_diag (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *matrix;
  AssayValueId x;
  gint64 offset = 0;
  gint64 axes[2] = { -2, -1 };
  gint64 perm[ASSAY_MAX_RANK];
  guint rank;
  guint k = 0;

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_rank (self, x, &rank) ||
      (!assay_torch_is_none (self, 1) && !assay_torch_get_int (self, 1, &offset)))
    return FALSE;
  if (rule->argument == 0 && rank == 2)
    return assay_torch_make_diagonal (self, rule);
  matrix = embed_diagonal (self, x, offset);
  if (matrix == NULL)
    return FALSE;
  for (guint i = 0; i < 2 && rule->argument == 1; i++)
    if (!assay_torch_is_none (self, 2 + i) &&
        !assay_torch_get_axis (self, 2 + i, rank + 1, &axes[i]))
      return FALSE;
  for (guint i = 0; i < 2; i++)
    axes[i] += axes[i] < 0 ? rank + 1 : 0;
  if (axes[0] > axes[1])
    {
      gint64 last = axes[0];

      /* In the other order the matrix is turned around. */
      matrix = embed_diagonal (self, x, -offset);
      axes[0] = axes[1];
      axes[1] = last;
    }
  for (guint i = 0; i <= rank; i++)
    perm[i] = (gint64) i == axes[0] ? rank - 1 : (gint64) i == axes[1] ? rank : k++;

  return matrix != NULL &&
         assay_torch_result (
             self, 0,
             assay_torch_transpose (self, assay_torch_read (self, matrix), rank + 1, perm));
}

/* The kth element in order along an axis, and where it stands. */
gboolean
assay_torch_make_kth (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId inputs[2];
  AssayValueId outputs[2];
  AssayNodeId node;
  gint64 k;
  gint64 axis;
  gboolean keep;
  guint rank;

  if (!assay_torch_get_tensor (self, 0, &inputs[0]) || !assay_torch_rank (self, inputs[0], &rank) ||
      rank == 0 || !assay_torch_get_int (self, 1, &k) ||
      !assay_torch_get_axis (self, 2, rank, &axis) || !assay_torch_get_bool (self, 3, &keep))
    return FALSE;
  inputs[1] = assay_torch_ints (self, 1, &k);
  node = assay_torch_node (self, ASSAY_OP_TopK, 2, inputs, 2, outputs);
  assay_graph_set_int (self->graph, node, "axis", axis);
  assay_graph_set_int (self->graph, node, "largest", 0);
  assay_torch_infer (self, node);
  for (guint i = 0; i < 2; i++)
    {
      AssayValueId y = assay_torch_slice (self, outputs[i], axis, k - 1, k, 1);

      if (!keep)
        y = TWO (Squeeze, y, assay_torch_ints (self, 1, &axis));
      if (!assay_torch_result (self, i, y))
        return FALSE;
    }

  return TRUE;
}

/* How many boundaries lie below each element. */
gboolean
assay_torch_make_bucketize (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayValueId limits;
  AssayValueId y;
  AssayDType dtype;
  gboolean is_narrow = FALSE;
  gboolean right = FALSE;
  gint64 last;
  guint rank;

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_get_tensor (self, 1, &limits) ||
      !assay_torch_rank (self, x, &rank) || !assay_torch_get_bool (self, 2, &is_narrow) ||
      !assay_torch_get_bool (self, 3, &right))
    return FALSE;
  dtype = assay_torch_join (assay_torch_dtype (self, x), assay_torch_dtype (self, limits));
  x = assay_torch_cast (self, x, dtype);
  limits = assay_torch_cast (self, limits, dtype);
  last = rank;
  x = assay_torch_unsqueeze (self, x, 1, &last);
  y = right ? TWO (LessOrEqual, limits, x) : TWO (Less, limits, x);
  y = assay_torch_reduce (self, ASSAY_OP_ReduceSum, assay_torch_cast (self, y, ASSAY_DTYPE_I64), 1,
                          &last, FALSE);

  return assay_torch_result (
      self, 0, assay_torch_cast (self, y, is_narrow ? ASSAY_DTYPE_I32 : ASSAY_DTYPE_I64));
}

/* Each place as often as a count says: as many places as the counts before it reach. */
gboolean
assay_torch_make_repeat_interleave (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId repeats;
  AssayValueId total;
  AssayValueId y;
  gint64 first = 0;
  gint64 last = 1;
  AssayDType dtype;

  if (!assay_torch_get_tensor (self, 0, &repeats))
    return FALSE;
  dtype = assay_torch_dtype (self, repeats);
  repeats = assay_torch_cast (self, repeats, ASSAY_DTYPE_I64);
  total = assay_torch_reduce (self, ASSAY_OP_ReduceSum, repeats, 1, &first, FALSE);
  y = assay_torch_unsqueeze (self, THREE (Range, count (self, 0), total, count (self, 1)), 1,
                             &last);
  y = TWO (GreaterOrEqual, y, TWO (CumSum, repeats, count (self, 0)));
  y = assay_torch_reduce (self, ASSAY_OP_ReduceSum, assay_torch_cast (self, y, ASSAY_DTYPE_I64), 1,
                          &last, FALSE);

  return assay_torch_result (self, 0, assay_torch_cast (self, y, dtype));
}

gboolean
assay_torch_make_bincount (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayValueId weights;
  AssayValueId n;
  gint64 least = 0;
  gint64 first = 0;
  AssayDType dtype = ASSAY_DTYPE_I64;

  if (!assay_torch_get_tensor (self, 0, &x) ||
      (!assay_torch_is_none (self, 2) && !assay_torch_get_int (self, 2, &least)))
    return FALSE;
  x = assay_torch_cast (self, x, ASSAY_DTYPE_I64);
  n = TWO (Max,
           TWO (Add, assay_torch_reduce (self, ASSAY_OP_ReduceMax, x, 1, &first, FALSE),
                count (self, 1)),
           count (self, least));
  n = assay_torch_unsqueeze (self, n, 1, &first);
  if (assay_torch_is_none (self, 1))
    weights = TWO (Expand, count (self, 1), assay_torch_shape (self, x));
  else if (!assay_torch_get_tensor (self, 1, &weights))
    return FALSE;
  else
    dtype = assay_torch_dtype (self, weights) == ASSAY_DTYPE_F32 ? ASSAY_DTYPE_F32
                                                                 : ASSAY_DTYPE_F64;
  weights = assay_torch_cast (self, weights, dtype);

  return assay_torch_result (
      self, 0,
      assay_torch_elements (
          self, ASSAY_OP_ScatterElements, 3,
          (AssayValueId[]){ TWO (Expand, assay_torch_scalar (self, dtype, 0.0), n), x, weights }, 0,
          "add"));
}

/* The slope of rrelu when it is not training is the middle of its bounds; a gradient (1) comes
 * first. */
gboolean
assay_torch_make_rrelu (AssayTorchLower *self, const AssayTorchRule *rule)
{
  guint at = rule->argument == 1 ? 3 : 2;
  AssayValueId gradient;
  AssayValueId x;
  AssayValueId noise;
  gboolean training = FALSE;
  double bounds[2];

  if (!assay_torch_get_tensor (self, 0, &gradient) ||
      !assay_torch_get_float (self, at, &bounds[0]) ||
      !assay_torch_get_float (self, at + 1, &bounds[1]) ||
      (!assay_torch_is_none (self, at + 2) && !assay_torch_get_bool (self, at + 2, &training)))
    return FALSE;
  x = gradient;
  /* In training each element below zero has a slope of its own. */
  if (rule->argument == 0 && training)
    return assay_torch_result (
        self, 0,
        THREE (Where, TWO (LessOrEqual, x, like (self, x, 0.0)),
               TWO (Mul, x,
                    assay_torch_draw (self, ASSAY_OP_RandomUniformLike, assay_torch_shape (self, x),
                                      assay_torch_dtype (self, x), bounds[0], bounds[1])),
               x));
  if (rule->argument == 1 && !assay_torch_get_tensor (self, 1, &x))
    return FALSE;
  if (training && bounds[1] - bounds[0] > 1e-6)
    return assay_torch_get_tensor (self, 2, &noise) &&
           assay_torch_result (self, 0, TWO (Mul, gradient, noise));

  return assay_torch_result (
      self, 0,
      THREE (Where, TWO (Greater, x, like (self, x, 0.0)), gradient,
             TWO (Mul, gradient, like (self, x, (bounds[0] + bounds[1]) / 2.0))));
}

/* Two numbers as one kind, with a point. */
gboolean
assay_torch_get_pair (AssayTorchLower *self, gboolean is_float, AssayValueId *a, AssayValueId *b)
{
  AssayTorchItem *items[] = { assay_torch_arg (self, 0), assay_torch_arg (self, 1) };
  AssayDType dtype;

  if (!assay_torch_promote (self, 2, items, &dtype))
    return FALSE;
  if (is_float && !assay_dtype_is_float (dtype))
    dtype = ASSAY_DTYPE_F32;
  *a = assay_torch_as_value (self, items[0], dtype);
  *b = assay_torch_as_value (self, items[1], dtype);

  return *a != ASSAY_NO_VALUE && *b != ASSAY_NO_VALUE;
}

/* x log y, and nothing where x is nothing. */
gboolean
assay_torch_make_xlogy (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId a;
  AssayValueId b;
  AssayValueId y;

  if (!assay_torch_get_pair (self, TRUE, &a, &b))
    return FALSE;
  y = TWO (Mul, a, ONE (Log, b));

  return assay_torch_result (
      self, 0,
      THREE (Where, TWO (And, TWO (Equal, a, like (self, a, 0.0)), ONE (Not, ONE (IsNaN, b))),
             like (self, a, 0.0), y));
}

/* x times a power of two, which is a float before it meets x. */
gboolean
assay_torch_make_ldexp (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *items[] = { assay_torch_arg (self, 0), assay_torch_arg (self, 1) };
  AssayTorchItem power = { .kind = ASSAY_TORCH_ITEM_TENSOR };
  AssayDType dtype;

  if (!assay_torch_promote (self, 1, items + 1, &dtype))
    return FALSE;
  power.value = assay_torch_as_value (self, items[1],
                                      assay_dtype_is_float (dtype) ? dtype : ASSAY_DTYPE_F32);
  power.value = TWO (Pow, like (self, power.value, 2.0), power.value);
  items[1] = &power;
  if (!assay_torch_promote (self, 2, items, &dtype))
    return FALSE;

  return assay_torch_result (self, 0,
                             TWO (Mul, assay_torch_as_value (self, items[0], dtype),
                                  assay_torch_as_value (self, items[1], dtype)));
}

/* Logarithms of sums of powers, of e (0) or of 2 (1). */
gboolean
assay_torch_make_logaddexp (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId a;
  AssayValueId b;
  AssayValueId high;
  AssayValueId low;
  double base = rule->argument == 1 ? log (2.0) : 1.0;

  if (!assay_torch_get_pair (self, TRUE, &a, &b))
    return FALSE;
  high = TWO (Max, a, b);
  low = TWO (Sub, TWO (Min, a, b), high);
  low = ONE (Log,
             TWO (Add, ONE (Exp, TWO (Mul, low, like (self, low, base))), like (self, low, 1.0)));

  high = TWO (Add, high, TWO (Div, low, like (self, low, base)));

  /* Between two that are equally infinite there is no difference. */
  return assay_torch_result (
      self, 0,
      THREE (Where, TWO (Equal, a, b), TWO (Add, a, like (self, a, log (2.0) / base)), high));
}

/* Extremes that pass over what is no number. */
gboolean
assay_torch_make_fmax (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId a;
  AssayValueId b;
  AssayValueId y;

  if (!assay_torch_get_pair (self, FALSE, &a, &b))
    return FALSE;
  y = assay_torch_two (self, rule->op, a, b);
  if (assay_dtype_is_float (assay_torch_dtype (self, a)))
    y = THREE (Where, ONE (IsNaN, a), b, THREE (Where, ONE (IsNaN, b), a, y));

  return assay_torch_result (self, 0, y);
}

/* The first bit, which zeros have as well. */
static AssayValueId
sign_bit (AssayTorchLower *self, AssayValueId x)
{
  AssayDType dtype = assay_torch_dtype (self, x);
  AssayDType bits = dtype == ASSAY_DTYPE_F64   ? ASSAY_DTYPE_I64
                    : dtype == ASSAY_DTYPE_F32 ? ASSAY_DTYPE_I32
                                               : ASSAY_DTYPE_I16;
  AssayValueId output;
  AssayNodeId node;

  if (!assay_dtype_is_float (dtype))
    return TWO (Less, x, like (self, x, 0.0));
  node = assay_torch_node (self, ASSAY_OP_BitCast, 1, &x, 1, &output);
  assay_graph_set_int (self->graph, node, "to", bits);
  assay_torch_infer (self, node);

  return TWO (Less, output, like (self, output, 0.0));
}

gboolean
assay_torch_make_sign_bit (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;

  return assay_torch_get_tensor (self, 0, &x) && assay_torch_result (self, 0, sign_bit (self, x));
}

gboolean
assay_torch_make_copysign (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId a;
  AssayValueId b;

  if (!assay_torch_get_pair (self, TRUE, &a, &b))
    return FALSE;
  a = ONE (Abs, a);

  return assay_torch_result (self, 0, THREE (Where, sign_bit (self, b), ONE (Neg, a), a));
}

gboolean
assay_torch_make_nan_to_num (AssayTorchLower *self, const AssayTorchRule *rule)
{
  static const double largest[] = { 3.4028234663852886e38, 1.7976931348623157e308 };
  AssayValueId x;
  AssayValueId zero;
  AssayValueId is_inf;
  AssayValueId output;
  AssayNodeId node;
  double values[3];

  if (!assay_torch_get_tensor (self, 0, &x))
    return FALSE;
  if (!assay_dtype_is_float (assay_torch_dtype (self, x)))
    return assay_torch_result (self, 0, ONE (Identity, x));
  values[0] = 0.0;
  values[1] = assay_torch_dtype (self, x) == ASSAY_DTYPE_F64   ? largest[1]
              : assay_torch_dtype (self, x) == ASSAY_DTYPE_F16 ? 65504.0
                                                               : largest[0];
  values[2] = -values[1];
  for (guint i = 0; i < 3; i++)
    if (!assay_torch_is_none (self, 1 + i) && !assay_torch_get_float (self, 1 + i, &values[i]))
      return FALSE;
  node = assay_torch_node (self, ASSAY_OP_IsInf, 1, &x, 1, &is_inf);
  assay_torch_infer (self, node);
  zero = like (self, x, 0.0);
  output = THREE (
      Where, is_inf,
      THREE (Where, TWO (Greater, x, zero), like (self, x, values[1]), like (self, x, values[2])),
      x);

  return assay_torch_result (self, 0,
                             THREE (Where, ONE (IsNaN, x), like (self, x, values[0]), output));
}

gboolean
assay_torch_make_logit (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  double epsilon;

  if (!assay_torch_get_tensor (self, 0, &x))
    return FALSE;
  if (!assay_torch_is_none (self, 1))
    {
      if (!assay_torch_get_float (self, 1, &epsilon))
        return FALSE;
      x = THREE (Clip, x, like (self, x, epsilon), like (self, x, 1.0 - epsilon));
    }

  return assay_torch_result (self, 0, ONE (Log, TWO (Div, x, TWO (Sub, like (self, x, 1.0), x))));
}

gboolean
assay_torch_make_log_sigmoid (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  gint64 none = 0;

  return assay_torch_get_tensor (self, 0, &x) &&
         assay_torch_result (self, 0, ONE (Neg, ONE (Softplus, ONE (Neg, x)))) &&
         assay_torch_result (self, 1,
                             assay_torch_fill (self, assay_torch_dtype (self, x), 1, &none, 0.0));
}

gboolean
assay_torch_make_logcumsumexp (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayValueId high;
  AssayValueId places;
  AssayValueId mask;
  gint64 behind[ASSAY_MAX_RANK];
  gint64 axis;
  gint64 inner;
  gint64 n;
  guint rank;

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_rank (self, x, &rank) || rank == 0 ||
      rank == ASSAY_MAX_RANK || !assay_torch_get_axis (self, 1, rank, &axis))
    return FALSE;
  n = assay_torch_type (self, x)->dims[axis].size;
  if (n < 0 || n > MAX_SQUARE)
    {
      high = assay_torch_reduce (self, ASSAY_OP_ReduceMax, x, 1, &axis, TRUE);
      return assay_torch_result (
          self, 0,
          TWO (Add, ONE (Log, TWO (CumSum, ONE (Exp, TWO (Sub, x, high)), count (self, axis))),
               high));
    }
  /* Each sum by itself: what is small beside a later element is not small beside nothing. */
  places = THREE (Range, count (self, 0), count (self, n), count (self, 1));
  for (guint i = 0; i < rank; i++)
    behind[i] = i + 1;
  inner = axis + 1;
  mask = TWO (GreaterOrEqual, assay_torch_unsqueeze (self, places, rank - (guint) axis, behind),
              assay_torch_unsqueeze (self, places, rank - (guint) axis - 1, behind));
  x = THREE (Where, mask, assay_torch_unsqueeze (self, x, 1, &axis), like (self, x, -HUGE_VAL));

  return assay_torch_result (
      self, 0, assay_torch_reduce (self, ASSAY_OP_ReduceLogSumExp, x, 1, &inner, FALSE));
}

/* beta * c + alpha * the sum of all products. */
gboolean
assay_torch_make_addbmm (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId c;
  AssayValueId a;
  AssayValueId b;
  gint64 first = 0;
  double beta = 1.0;
  double alpha = 1.0;

  if (!assay_torch_get_tensor (self, 0, &c) || !assay_torch_get_tensor (self, 1, &a) ||
      !assay_torch_get_tensor (self, 2, &b) || !assay_torch_get_float (self, 3, &beta) ||
      !assay_torch_get_float (self, 4, &alpha))
    return FALSE;
  a = assay_torch_reduce (self, ASSAY_OP_ReduceSum, TWO (MatMul, a, b), 1, &first, FALSE);
  if (alpha != 1.0)
    a = TWO (Mul, a, like (self, a, alpha));
  /* What is multiplied by nothing does not count, not even if it is no number. */
  if (beta == 0.0)
    return assay_torch_result (self, 0, a);

  return assay_torch_result (self, 0,
                             TWO (Add, beta == 1.0 ? c : TWO (Mul, c, like (self, c, beta)), a));
}

/* Windows along an axis, which overlap: a view with one more axis. */
gboolean
assay_torch_make_unfold (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *item = assay_torch_arg (self, 0);
  AssayTorchItem *view;
  AssayValueId x;
  gint64 dims[ASSAY_MAX_RANK];
  gint64 strides[ASSAY_MAX_RANK];
  gint64 axis;
  gint64 size;
  gint64 step;
  guint rank;

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_rank (self, x, &rank) ||
      rank >= ASSAY_MAX_RANK || !assay_torch_get_axis (self, 1, rank, &axis) ||
      !assay_torch_get_int (self, 2, &size) || !assay_torch_get_int (self, 3, &step))
    return FALSE;
  if (!assay_torch_track (self, item) || step < 1)
    return assay_torch_cannot (self, "the extents are only known at run time");
  memcpy (dims, item->dims, rank * sizeof *dims);
  memcpy (strides, item->strides, rank * sizeof *strides);
  if (rank > 0)
    {
      if (size > dims[axis])
        return assay_torch_cannot (self, "a window is larger than its axis");
      strides[rank] = strides[axis];
      dims[axis] = (dims[axis] - size) / step + 1;
      strides[axis] *= step;
    }
  else
    strides[0] = 1;
  dims[rank] = size;
  view = assay_torch_view_strided (self, item, rank + 1, dims, strides, item->offset);

  return view != NULL && assay_torch_result_item (self, 0, view);
}

/* A gradient for the input of a convolution is a transposed one. */
static AssayValueId
input_gradient (AssayTorchLower *self, AssayValueId gradient, AssayValueId weight, guint n,
                const gint64 *dims, const gint64 *out, const gint64 *kernel, const gint64 *stride,
                const gint64 *padding, const gint64 *dilation, gint64 groups)
{
  gint64 pads[2 * ASSAY_MAX_RANK];
  gint64 more[ASSAY_MAX_RANK];
  AssayValueId output;
  AssayNodeId node;

  for (guint i = 0; i < n; i++)
    {
      pads[i] = pads[n + i] = padding[i];
      more[i] = dims[i + 2] - ((out[i + 2] - 1) * stride[i] - 2 * padding[i] +
                               dilation[i] * (kernel[i + 2] - 1) + 1);
    }
  node = assay_torch_node (self, ASSAY_OP_ConvTranspose, 2, (AssayValueId[]){ gradient, weight }, 1,
                           &output);
  assay_graph_set_ints (self->graph, node, "dilations", n, dilation);
  assay_graph_set_int (self->graph, node, "group", groups);
  assay_graph_set_ints (self->graph, node, "output_padding", n, more);
  assay_graph_set_ints (self->graph, node, "pads", 2 * n, pads);
  assay_graph_set_ints (self->graph, node, "strides", n, stride);
  assay_torch_infer (self, node);

  return output;
}

/* That for the weights is a convolution of the input with the gradient, batch and channels
 * exchanged, a group at a time. */
static AssayValueId
weight_gradient (AssayTorchLower *self, AssayValueId gradient, AssayValueId x, guint n,
                 const gint64 *dims, const gint64 *out, const gint64 *kernel, const gint64 *stride,
                 const gint64 *padding, const gint64 *dilation, gint64 groups)
{
  g_autofree AssayValueId *parts = g_new (AssayValueId, groups);
  gint64 perm[ASSAY_MAX_RANK];
  gint64 pads[2 * ASSAY_MAX_RANK];

  for (guint i = 0; i < n + 2; i++)
    perm[i] = i;
  perm[0] = 1;
  perm[1] = 0;
  for (guint i = 0; i < n; i++)
    pads[i] = pads[n + i] = padding[i];
  for (gint64 g = 0; g < groups; g++)
    {
      gint64 c = dims[1] / groups;
      gint64 m = out[1] / groups;
      AssayValueId inputs[] = {
        assay_torch_transpose (self, assay_torch_slice (self, x, 1, g * c, (g + 1) * c, 1), n + 2,
                               perm),
        assay_torch_transpose (self, assay_torch_slice (self, gradient, 1, g * m, (g + 1) * m, 1),
                               n + 2, perm),
      };
      AssayNodeId node = assay_torch_node (self, ASSAY_OP_Conv, 2, inputs, 1, &parts[g]);

      assay_graph_set_ints (self->graph, node, "dilations", n, stride);
      assay_graph_set_ints (self->graph, node, "pads", 2 * n, pads);
      assay_graph_set_ints (self->graph, node, "strides", n, dilation);
      assay_torch_infer (self, node);
      parts[g] = assay_torch_transpose (self, parts[g], n + 2, perm);
      /* What the strides of the forward pass left over counts for nothing. */
      for (guint i = 0; i < n; i++)
        parts[g] = assay_torch_slice (self, parts[g], i + 2, 0, kernel[i + 2], 1);
    }

  return groups == 1 ? parts[0] : assay_torch_concat (self, (guint) groups, parts, 0);
}

gboolean
assay_torch_make_convolution_backward (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *mask = assay_torch_arg (self, 10);
  AssayValueId values[3];
  gint64 dims[3][ASSAY_MAX_RANK];
  gint64 sets[3][ASSAY_MAX_RANK];
  gint64 axes[ASSAY_MAX_RANK];
  gboolean transposed;
  gint64 groups;
  guint rank;
  guint n;
  guint k = 0;

  for (guint i = 0; i < 3; i++)
    if (!assay_torch_get_tensor (self, i, &values[i]) ||
        !assay_torch_dims (self, values[i], &rank, dims[i]))
      return FALSE;
  n = rank - 2;
  for (guint i = 0; i < 3; i++)
    {
      guint given;

      if (!assay_torch_get_ints (self, 4 + i, sets[i], &given) || (given != n && given != 1))
        return assay_torch_cannot (self, "operand %u is not known", 4 + i);
      for (guint j = given; j < n; j++)
        sets[i][j] = sets[i][0];
    }
  if (!assay_torch_get_bool (self, 7, &transposed) || !assay_torch_get_int (self, 9, &groups) ||
      groups < 1 || groups > 65536 || mask == NULL || mask->kind != ASSAY_TORCH_ITEM_LIST ||
      mask->n != 3)
    return FALSE;
  if (transposed)
    return assay_torch_cannot (self, "gradients of a transposed convolution");

  for (guint i = 0; i < 3; i++)
    assay_torch_result_item (self, i, assay_torch_item_new (self, ASSAY_TORCH_ITEM_NONE));
  if (mask->items[0]->i &&
      !assay_torch_result (self, 0,
                           input_gradient (self, values[0], values[2], n, dims[1], dims[0], dims[2],
                                           sets[0], sets[1], sets[2], groups)))
    return FALSE;
  if (mask->items[1]->i &&
      !assay_torch_result (self, 1,
                           weight_gradient (self, values[0], values[1], n, dims[1], dims[0],
                                            dims[2], sets[0], sets[1], sets[2], groups)))
    return FALSE;
  for (guint i = 0; i < rank; i++)
    if (i != 1)
      axes[k++] = i;

  return !mask->items[2]->i ||
         assay_torch_result (
             self, 2, assay_torch_reduce (self, ASSAY_OP_ReduceSum, values[0], k, axes, FALSE));
}

/* To a size, or by factors if there is none. The argument is as for upsample, with the element type
 * of sizes and factors behind a truth if lines are drawn. */
gboolean
assay_torch_make_upsample_vec (AssayTorchLower *self, const AssayTorchRule *rule)
{
  gboolean is_linear = (rule->argument & 8) != 0;
  const AssayTorchItem *factors = assay_torch_arg (self, is_linear ? 3 : 2);
  guint n = (guint) rule->argument & 7;
  gint64 sizes[ASSAY_MAX_RANK];
  gint64 dims[ASSAY_MAX_RANK];
  AssayValueId inputs[4] = { ASSAY_NO_VALUE };
  gboolean is_aligned = FALSE;
  guint rank;
  guint given;

  if (!assay_torch_get_tensor (self, 0, &inputs[0]) ||
      !assay_torch_dims (self, inputs[0], &rank, dims) || rank != n + 2 ||
      (is_linear && !assay_torch_get_bool (self, 2, &is_aligned)))
    return FALSE;
  if (!assay_torch_is_none (self, 1))
    {
      if (!assay_torch_get_ints (self, 1, sizes + 2, &given) || given != n)
        return FALSE;
    }
  else if (factors == NULL || factors->kind != ASSAY_TORCH_ITEM_LIST || factors->n != n)
    return assay_torch_cannot (self, "neither size nor factors are known");
  else if (is_aligned)
    /* Corners stay where they are, whatever of the factors the size cuts off. */
    for (guint i = 0; i < n; i++)
      sizes[i + 2] = (gint64) floor ((double) dims[i + 2] * factors->items[i]->f);
  else
    {
      /* Places are found with the factors as they are given. */
      float scales[ASSAY_MAX_RANK] = { 1.0f, 1.0f };
      gint64 length = rank;
      g_autoptr (AssayTensor) tensor = NULL;

      for (guint i = 0; i < n; i++)
        scales[i + 2] = (float) factors->items[i]->f;
      tensor = assay_tensor_new_f32 (1, &length, scales);
      inputs[2] = assay_torch_keep (self, tensor);
    }
  sizes[0] = dims[0];
  sizes[1] = dims[1];
  if (inputs[2] == ASSAY_NO_VALUE)
    inputs[3] = assay_torch_ints (self, rank, sizes);

  return assay_torch_resize (self, inputs, is_linear, is_aligned);
}

/* Patches as columns. */
gboolean
assay_torch_make_im2col (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *item;
  AssayTorchItem *view;
  AssayValueId x;
  gint64 sets[4][ASSAY_MAX_RANK]; /* kernel, dilation, padding, stride */
  gint64 dims[ASSAY_MAX_RANK];
  gint64 pads[8] = { 0 };
  gint64 all[6];
  gint64 strides[6];
  gint64 flat[3];
  guint rank;
  guint given;

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_dims (self, x, &rank, dims) ||
      rank != 4)
    return assay_torch_cannot (self, "an input without four known extents");
  for (guint i = 0; i < 4; i++)
    if (!assay_torch_get_ints (self, 1 + i, sets[i], &given) || given != 2)
      return FALSE;
  for (guint i = 0; i < 2; i++)
    pads[2 + i] = pads[6 + i] = sets[2][i];
  x = TWO (Pad, x, assay_torch_ints (self, 8, pads));
  item = assay_torch_tensor (self, x);
  if (!assay_torch_track (self, item))
    return FALSE;
  all[0] = item->dims[0];
  all[1] = item->dims[1];
  strides[0] = item->strides[0];
  strides[1] = item->strides[1];
  for (guint i = 0; i < 2; i++)
    {
      all[2 + i] = sets[0][i];
      strides[2 + i] = sets[1][i] * item->strides[2 + i];
      all[4 + i] = (item->dims[2 + i] - sets[1][i] * (sets[0][i] - 1) - 1) / sets[3][i] + 1;
      strides[4 + i] = sets[3][i] * item->strides[2 + i];
    }
  view = assay_torch_view_strided (self, item, 6, all, strides, 0);
  if (view == NULL)
    return FALSE;
  flat[0] = all[0];
  flat[1] = all[1] * all[2] * all[3];
  flat[2] = all[4] * all[5];

  return assay_torch_result (self, 0, assay_torch_reshape (self, view->value, 3, flat));
}

/* The gradient that comes in goes to the places each element was taken from. */
gboolean
assay_torch_make_elu_slope (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId gradient;
  AssayValueId x;
  AssayValueId y;
  double alpha;
  double scale;
  double inner;
  gboolean is_result;

  if (!assay_torch_get_tensor (self, 0, &gradient) || !assay_torch_get_float (self, 1, &alpha) ||
      !assay_torch_get_float (self, 2, &scale) || !assay_torch_get_float (self, 3, &inner) ||
      !assay_torch_get_bool (self, 4, &is_result) || !assay_torch_get_tensor (self, 5, &x))
    return FALSE;
  y = is_result ? TWO (Mul, TWO (Add, x, like (self, x, alpha * scale)), like (self, x, inner))
                : TWO (Mul, ONE (Exp, TWO (Mul, x, like (self, x, inner))),
                       like (self, x, inner * alpha * scale));

  return assay_torch_result (self, 0,
                             THREE (Where, TWO (LessOrEqual, x, like (self, x, 0.0)),
                                    TWO (Mul, gradient, y),
                                    TWO (Mul, gradient, like (self, x, scale))));
}

gboolean
assay_torch_make_softplus_slope (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId gradient;
  AssayValueId x;
  AssayValueId scaled;
  double beta;
  double threshold;

  if (!assay_torch_get_tensor (self, 0, &gradient) || !assay_torch_get_tensor (self, 1, &x) ||
      !assay_torch_get_float (self, 2, &beta) || !assay_torch_get_float (self, 3, &threshold))
    return FALSE;
  scaled = TWO (Mul, x, like (self, x, beta));

  return assay_torch_result (self, 0,
                             THREE (Where, TWO (Greater, scaled, like (self, x, threshold)),
                                    gradient, TWO (Mul, gradient, ONE (Sigmoid, scaled))));
}

/* A number for each place, written to a tensor that is there: the last operand. */
gboolean
assay_torch_make_arange_out (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *out = assay_torch_arg (self, 3);
  AssayValueId value;
  AssayValueId ends[3];
  gsize n;

  if (out == NULL || out->kind != ASSAY_TORCH_ITEM_TENSOR ||
      (value = assay_torch_read (self, out)) == ASSAY_NO_VALUE)
    return assay_torch_cannot (self, "there is nothing to write to");
  for (guint i = 0; i < 3; i++)
    ends[i] = assay_torch_as_value (self, assay_torch_arg (self, i),
                                    assay_torch_dtype (self, value));

  value = THREE (Range, ends[0], ends[1], ends[2]);
  /* What has another number of elements becomes another tensor. */
  if (!assay_torch_track (self, out) || !assay_dims_count (out->rank, out->dims, &n) ||
      assay_torch_type (self, value)->dims[0].size != (gint64) n)
    *out = (AssayTorchItem){ .kind = ASSAY_TORCH_ITEM_TENSOR, .value = value };
  else if (!assay_torch_write (self, out, assay_torch_reshape (self, value, out->rank, out->dims)))
    return FALSE;

  return assay_torch_result_item (self, 0, out);
}

/* One above zero, nothing below, and a value at it. */
gboolean
assay_torch_make_heaviside (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId a;
  AssayValueId b;
  AssayValueId zero;

  if (!assay_torch_get_pair (self, FALSE, &a, &b))
    return FALSE;
  zero = like (self, a, 0.0);

  return assay_torch_result (
      self, 0,
      THREE (Where, TWO (Equal, a, zero), b,
             THREE (Where, TWO (Greater, a, zero), like (self, a, 1.0), zero)));
}

/* Rows and columns of a triangle, below (0) or above (1) a diagonal. */
gboolean
assay_torch_make_triangle_indices (AssayTorchLower *self, const AssayTorchRule *rule)
{
  gint64 rows;
  gint64 columns;
  gint64 offset = 0;
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) more = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (AssayTensor) tensor = NULL;
  gint64 dims[2] = { 2, 0 };

  if (!assay_torch_get_int (self, 0, &rows) || !assay_torch_get_int (self, 1, &columns) ||
      (!assay_torch_is_none (self, 2) && !assay_torch_get_int (self, 2, &offset)))
    return FALSE;
  if (rows < 0 || columns < 0 || rows > 4096 || columns > 4096)
    return assay_torch_cannot (self, "a triangle of that size");
  for (gint64 i = 0; i < rows; i++)
    for (gint64 k = 0; k < columns; k++)
      if (rule->argument == 1 ? k - i >= offset : k - i <= offset)
        {
          g_array_append_val (all, i);
          g_array_append_val (more, k);
        }
  dims[1] = all->len;
  g_array_append_vals (all, more->data, more->len);
  tensor = assay_tensor_new_i64 (2, dims, (const gint64 *) (gconstpointer) all->data);

  return assay_torch_result (self, 0, assay_torch_keep (self, tensor));
}

/* A convolution over time, which stands in front: time, batch, channels. */
gboolean
assay_torch_make_conv_tbc (AssayTorchLower *self, const AssayTorchRule *rule)
{
  static const gint64 front[] = { 1, 2, 0 };
  static const gint64 back[] = { 2, 0, 1 };
  static const gint64 turned[] = { 2, 1, 0 };
  AssayValueId inputs[3];
  AssayValueId output;
  AssayNodeId node;
  gint64 pads[2];

  for (guint i = 0; i < 3; i++)
    if (!assay_torch_get_tensor (self, i, &inputs[i]))
      return FALSE;
  if (!assay_torch_get_int (self, 3, &pads[0]))
    return FALSE;
  pads[1] = pads[0];
  inputs[0] = assay_torch_transpose (self, inputs[0], 3, front);
  inputs[1] = assay_torch_transpose (self, inputs[1], 3, turned);
  node = assay_torch_node (self, ASSAY_OP_Conv, 3, inputs, 1, &output);
  assay_graph_set_ints (self->graph, node, "pads", 2, pads);
  assay_torch_infer (self, node);

  return assay_torch_result (self, 0, assay_torch_transpose (self, output, 3, back));
}

/* To the steps of a scale and back: of single numbers (0), or of tensors for the whole (1). What
 * lies beyond the ends has no gradient, which a second result says. */
gboolean
assay_torch_make_fake_quantize (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayValueId scale;
  AssayValueId zero;
  AssayValueId q;
  AssayDType dtype;
  double ends[2];

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_get_float (self, 3, &ends[0]) ||
      !assay_torch_get_float (self, 4, &ends[1]))
    return FALSE;
  dtype = assay_torch_dtype (self, x);
  scale = assay_torch_as_value (self, assay_torch_arg (self, 1), dtype);
  zero = assay_torch_as_value (self, assay_torch_arg (self, 2), dtype);
  if (scale == ASSAY_NO_VALUE || zero == ASSAY_NO_VALUE)
    return assay_torch_cannot (self, "the scale is not known");
  q = TWO (Add, ONE (Round, TWO (Mul, x, ONE (Reciprocal, scale))), zero);
  if (self->op->n_results > 1 &&
      !assay_torch_result (self, 1,
                           TWO (And, TWO (GreaterOrEqual, q, like (self, q, ends[0])),
                                TWO (LessOrEqual, q, like (self, q, ends[1])))))
    return FALSE;
  q = THREE (Clip, q, like (self, q, ends[0]), like (self, q, ends[1]));

  return assay_torch_result (self, 0, TWO (Mul, TWO (Sub, q, zero), scale));
}
