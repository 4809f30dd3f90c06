/* assay-fold-arithmetic.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "nnir/pass/assay-fold.h"

#include <math.h>

#define MAX_OPERANDS 64

static AssayScalar
unary (AssayShapeContext *self, AssayScalar a)
{
  AssayOp op = self->node->op;

  if (a.kind == ASSAY_SCALAR_SYMBOL)
    {
      /* A symbol is an integer, in a tensor of floats too. */
      if (op == ASSAY_OP_Ceil || op == ASSAY_OP_Floor || op == ASSAY_OP_Round)
        return a;
      if (op == ASSAY_OP_Neg)
        return assay_scalar_sub (self->arena, assay_scalar_int (0), a);
      if (op == ASSAY_OP_Abs && assay_scalar_is_non_negative (self->arena, a))
        return a;

      return assay_scalar_unknown ();
    }

  if (a.kind == ASSAY_SCALAR_INT)
    {
      switch (op)
        {
        case ASSAY_OP_Abs:
          return a.u.i == G_MININT64 ? assay_scalar_unknown () : assay_scalar_int (ABS (a.u.i));
        case ASSAY_OP_Neg:
          return a.u.i == G_MININT64 ? assay_scalar_unknown () : assay_scalar_int (-a.u.i);
        case ASSAY_OP_Not:
          return assay_scalar_int (a.u.i == 0);
        case ASSAY_OP_Sign:
          return assay_scalar_int ((a.u.i > 0) - (a.u.i < 0));
        default:
          return assay_scalar_unknown ();
        }
    }

  if (a.kind == ASSAY_SCALAR_FLOAT)
    {
      switch (op)
        {
        case ASSAY_OP_Abs:
          return assay_scalar_float (fabs (a.u.f));
        case ASSAY_OP_Ceil:
          return assay_scalar_float (ceil (a.u.f));
        case ASSAY_OP_Floor:
          return assay_scalar_float (floor (a.u.f));
        case ASSAY_OP_Neg:
          return assay_scalar_float (-a.u.f);
        case ASSAY_OP_Reciprocal:
          return assay_scalar_float (1 / a.u.f);
        case ASSAY_OP_Round:
          return assay_scalar_float (nearbyint (a.u.f));
        case ASSAY_OP_Sign:
          return assay_scalar_float ((a.u.f > 0) - (a.u.f < 0));
        case ASSAY_OP_Sqrt:
          return assay_scalar_float (sqrt (a.u.f));
        default:
          return assay_scalar_unknown ();
        }
    }

  return assay_scalar_unknown ();
}

void
assay_fold_unary (AssayShapeContext *self)
{
  const AssayElements *x = assay_shape_elements (self, 0);
  AssayElements *y = x == NULL ? NULL : assay_fold_output (self, 0);

  if (y == NULL || y->n != x->n)
    return;

  for (gsize i = 0; i < y->n; i++)
    y->items[i] = assay_fold_round (y->dtype, unary (self, x->items[i]));

  assay_fold_set (self, 0, y);
}

static AssayScalar
float_binary (AssayShapeContext *self, double a, double b)
{
  switch (self->node->op)
    {
    case ASSAY_OP_Add:
    case ASSAY_OP_Sum:
      return assay_scalar_float (a + b);
    case ASSAY_OP_Sub:
      return assay_scalar_float (a - b);
    case ASSAY_OP_Mul:
      return assay_scalar_float (a * b);
    case ASSAY_OP_Div:
      return assay_scalar_float (a / b);
    case ASSAY_OP_Mod:
      return assay_scalar_float (fmod (a, b));
    case ASSAY_OP_Pow:
      return assay_scalar_float (pow (a, b));
    case ASSAY_OP_Min:
      return isnan (a) || isnan (b) ? assay_scalar_unknown () : assay_scalar_float (MIN (a, b));
    case ASSAY_OP_Max:
      return isnan (a) || isnan (b) ? assay_scalar_unknown () : assay_scalar_float (MAX (a, b));
    case ASSAY_OP_Equal:
      return assay_scalar_int (a == b);
    case ASSAY_OP_Greater:
      return assay_scalar_int (a > b);
    case ASSAY_OP_GreaterOrEqual:
      return assay_scalar_int (a >= b);
    case ASSAY_OP_Less:
      return assay_scalar_int (a < b);
    case ASSAY_OP_LessOrEqual:
      return assay_scalar_int (a <= b);
    default:
      return assay_scalar_unknown ();
    }
}

static AssayScalar
integer_power (AssayShapeContext *self, AssayScalar a, AssayScalar b)
{
  AssayScalar power = assay_scalar_int (1);

  if (b.kind != ASSAY_SCALAR_INT || b.u.i < 0 || b.u.i > 64)
    return assay_scalar_unknown ();

  for (gint64 i = 0; i < b.u.i; i++)
    power = assay_scalar_mul (self->arena, power, a);

  return power;
}

/* Integer division of ONNX drops the fraction. */
static AssayScalar
integer_div (AssayShapeContext *self, AssayScalar a, AssayScalar b)
{
  if (a.kind == ASSAY_SCALAR_INT && b.kind == ASSAY_SCALAR_INT)
    {
      if (b.u.i == 0 || (b.u.i == -1 && a.u.i == G_MININT64))
        return assay_scalar_unknown ();
      return assay_scalar_int (a.u.i / b.u.i);
    }

  return assay_scalar_floor_div (self->arena, a, b);
}

static AssayScalar
integer_binary (AssayShapeContext *self, AssayScalar a, AssayScalar b)
{
  int sign;

  switch (self->node->op)
    {
    case ASSAY_OP_Add:
    case ASSAY_OP_Sum:
      return assay_scalar_add (self->arena, a, b);
    case ASSAY_OP_Sub:
      return assay_scalar_sub (self->arena, a, b);
    case ASSAY_OP_Mul:
      return assay_scalar_mul (self->arena, a, b);
    case ASSAY_OP_Div:
      return integer_div (self, a, b);
    case ASSAY_OP_Mod:
      if (assay_node_get_int (self->node, "fmod") == 0)
        return assay_scalar_mod (self->arena, a, b);
      if (a.kind != ASSAY_SCALAR_INT || b.kind != ASSAY_SCALAR_INT || b.u.i == 0)
        return assay_scalar_unknown ();
      return assay_scalar_int (b.u.i == -1 ? 0 : a.u.i % b.u.i);
    case ASSAY_OP_Pow:
      return integer_power (self, a, b);
    case ASSAY_OP_Min:
      return assay_scalar_min (self->arena, a, b);
    case ASSAY_OP_Max:
      return assay_scalar_max (self->arena, a, b);
    default:
      break;
    }

  if (!assay_scalar_compare (self->arena, a, b, &sign))
    return assay_scalar_unknown ();

  switch (self->node->op)
    {
    case ASSAY_OP_Equal:
      return assay_scalar_int (sign == 0);
    case ASSAY_OP_Greater:
      return assay_scalar_int (sign > 0);
    case ASSAY_OP_GreaterOrEqual:
      return assay_scalar_int (sign >= 0);
    case ASSAY_OP_Less:
      return assay_scalar_int (sign < 0);
    case ASSAY_OP_LessOrEqual:
      return assay_scalar_int (sign <= 0);
    default:
      return assay_scalar_unknown ();
    }
}

static AssayScalar
logic (AssayOp op, AssayScalar a, AssayScalar b)
{
  gboolean know_a = a.kind == ASSAY_SCALAR_INT;
  gboolean know_b = b.kind == ASSAY_SCALAR_INT;
  gint64 deciding = op == ASSAY_OP_Or;

  if (op == ASSAY_OP_Xor)
    return know_a && know_b ? assay_scalar_int ((a.u.i != 0) != (b.u.i != 0))
                            : assay_scalar_unknown ();

  /* One false decides an and, one true an or. */
  if ((know_a && a.u.i == deciding) || (know_b && b.u.i == deciding))
    return assay_scalar_int (deciding);

  return know_a && know_b ? assay_scalar_int (!deciding) : assay_scalar_unknown ();
}

static gboolean
as_integer (AssayScalar *scalar)
{
  if (scalar->kind == ASSAY_SCALAR_FLOAT)
    {
      if (scalar->u.f != floor (scalar->u.f) || fabs (scalar->u.f) > 1e9)
        return FALSE;
      *scalar = assay_scalar_int ((gint64) scalar->u.f);
    }

  return scalar->kind == ASSAY_SCALAR_INT || scalar->kind == ASSAY_SCALAR_SYMBOL;
}

static AssayScalar
binary (AssayShapeContext *self, AssayDType dtype, AssayScalar a, AssayScalar b)
{
  AssayOp op = self->node->op;

  if (op == ASSAY_OP_And || op == ASSAY_OP_Or || op == ASSAY_OP_Xor)
    return logic (op, a, b);

  if (a.kind == ASSAY_SCALAR_FLOAT && b.kind == ASSAY_SCALAR_FLOAT)
    return float_binary (self, a.u.f, b.u.f);

  if (assay_dtype_is_float (dtype) && op != ASSAY_OP_Pow && op != ASSAY_OP_Mod)
    {
      AssayScalar result;

      if (!as_integer (&a) || !as_integer (&b))
        return assay_scalar_unknown ();

      result = integer_binary (self, a, b);

      /* A quotient of floats is a symbol only where nothing is left over. */
      if (op == ASSAY_OP_Div &&
          (a.kind != ASSAY_SCALAR_SYMBOL || result.kind != ASSAY_SCALAR_SYMBOL ||
           assay_scalar_mul (self->arena, result, b).kind != ASSAY_SCALAR_SYMBOL ||
           g_strcmp0 (assay_scalar_mul (self->arena, result, b).u.symbol, a.u.symbol) != 0))
        return assay_scalar_unknown ();
      if (result.kind == ASSAY_SCALAR_INT)
        result = assay_scalar_float ((double) result.u.i);
      return result;
    }

  if (a.kind == ASSAY_SCALAR_FLOAT || b.kind == ASSAY_SCALAR_FLOAT)
    return assay_scalar_unknown ();

  return integer_binary (self, a, b);
}

/* All operators of two inputs, and Max, Min and Sum of any number of them. */
void
assay_fold_binary (AssayShapeContext *self)
{
  const AssayElements *a = assay_shape_elements (self, 0);
  const AssayElements *b;
  AssayDType dtype = assay_shape_dtype (self, 0);
  gint64 index[ASSAY_MAX_RANK];
  AssayElements *y;

  for (guint i = 0; i < MIN (self->node->n_inputs, MAX_OPERANDS); i++)
    {
      if (assay_shape_elements (self, i) == NULL)
        return;
    }

  y = a == NULL || self->node->n_inputs > MAX_OPERANDS ? NULL : assay_fold_output (self, 0);
  if (y == NULL)
    return;

  for (guint i = 0; i < MAX (self->node->n_inputs, 2) - 1; i++)
    {
      gsize at = 0;

      b = self->node->n_inputs < 2 ? NULL : assay_shape_elements (self, i + 1);
      for (guint j = 0; j < y->rank; j++)
        index[j] = 0;

      for (; at < y->n; at++)
        {
          AssayScalar left = i == 0 ? a->items[assay_dims_place (a->rank, a->dims, y->rank, index)]
                                    : y->items[at];

          if (b != NULL)
            left = binary (self, dtype, left,
                           b->items[assay_dims_place (b->rank, b->dims, y->rank, index)]);
          y->items[at] = assay_fold_round (y->dtype, left);
          assay_dims_next (y->rank, y->dims, index);
        }
    }

  assay_fold_set (self, 0, y);
}

void
assay_fold_where (AssayShapeContext *self)
{
  const AssayElements *condition = assay_shape_elements (self, 0);
  const AssayElements *a = assay_shape_elements (self, 1);
  const AssayElements *b = assay_shape_elements (self, 2);
  gint64 index[ASSAY_MAX_RANK] = { 0 };
  AssayElements *y = condition == NULL || a == NULL || b == NULL ? NULL
                                                                 : assay_fold_output (self, 0);

  for (gsize i = 0; y != NULL && i < y->n; i++)
    {
      AssayScalar c =
          condition->items[assay_dims_place (condition->rank, condition->dims, y->rank, index)];
      AssayScalar p = a->items[assay_dims_place (a->rank, a->dims, y->rank, index)];
      AssayScalar q = b->items[assay_dims_place (b->rank, b->dims, y->rank, index)];

      if (c.kind == ASSAY_SCALAR_INT)
        y->items[i] = c.u.i != 0 ? p : q;
      else if (p.kind == q.kind && p.kind == ASSAY_SCALAR_INT && p.u.i == q.u.i)
        y->items[i] = p;

      assay_dims_next (y->rank, y->dims, index);
    }

  assay_fold_set (self, 0, y);
}

static AssayScalar
accumulate (AssayShapeContext *self, AssayScalar a, AssayScalar b)
{
  gboolean floats = a.kind == ASSAY_SCALAR_FLOAT && b.kind == ASSAY_SCALAR_FLOAT;

  switch (self->node->op)
    {
    case ASSAY_OP_ReduceSum:
      return floats ? assay_scalar_float (a.u.f + b.u.f) : assay_scalar_add (self->arena, a, b);
    case ASSAY_OP_ReduceProd:
      return floats ? assay_scalar_float (a.u.f * b.u.f) : assay_scalar_mul (self->arena, a, b);
    case ASSAY_OP_ReduceMax:
      return floats ? assay_scalar_float (fmax (a.u.f, b.u.f))
                    : assay_scalar_max (self->arena, a, b);
    default:
      return floats ? assay_scalar_float (fmin (a.u.f, b.u.f))
                    : assay_scalar_min (self->arena, a, b);
    }
}

/* Reduces all axes, which is what shapes need, or one axis of a vector. */
void
assay_fold_reduce (AssayShapeContext *self)
{
  const AssayElements *x = assay_shape_elements (self, 0);
  AssayElements *y = x == NULL || x->n == 0 ? NULL : assay_fold_output (self, 0);
  AssayScalar sum;

  if (y == NULL || y->n != 1)
    return;

  sum = x->items[0];
  for (gsize i = 1; i < x->n; i++)
    sum = assay_fold_round (y->dtype, accumulate (self, sum, x->items[i]));

  y->items[0] = sum;
  assay_fold_set (self, 0, y);
}

static AssayScalar
convert (AssayDType to, AssayScalar scalar)
{
  if (scalar.kind == ASSAY_SCALAR_SYMBOL)
    return to == ASSAY_DTYPE_BOOL ? assay_scalar_unknown () : scalar;
  if (scalar.kind == ASSAY_SCALAR_UNKNOWN)
    return scalar;

  if (to == ASSAY_DTYPE_BOOL)
    return assay_scalar_int (scalar.kind == ASSAY_SCALAR_INT ? scalar.u.i != 0 : scalar.u.f != 0);

  if (assay_dtype_is_float (to))
    return scalar.kind == ASSAY_SCALAR_INT ? assay_scalar_float ((double) scalar.u.i) : scalar;

  /* What does not fit differs between implementations. */
  if (scalar.kind == ASSAY_SCALAR_FLOAT)
    return fabs (scalar.u.f) < 9e18 ? assay_scalar_int ((gint64) scalar.u.f)
                                    : assay_scalar_unknown ();

  return scalar;
}

void
assay_fold_cast (AssayShapeContext *self)
{
  const AssayElements *x = assay_shape_elements (self, 0);
  AssayElements *y = x == NULL ? NULL : assay_fold_output (self, 0);

  for (gsize i = 0; y != NULL && i < MIN (x->n, y->n); i++)
    y->items[i] = assay_fold_round (y->dtype, convert (y->dtype, x->items[i]));

  assay_fold_set (self, 0, y);
}

void
assay_fold_shape (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_input (self, 0);
  AssayElements *y = x->kind != ASSAY_TYPE_KIND_TENSOR || x->rank < 0 ? NULL
                                                                      : assay_fold_output (self, 0);
  gint64 start = assay_node_get_int (self->node, "start");

  if (y == NULL)
    return;

  start = CLAMP (start < 0 ? start + x->rank : start, 0, x->rank);
  for (gsize i = 0; i < y->n && (gsize) start + i < (gsize) x->rank; i++)
    y->items[i] = assay_scalar_from_dim (x->dims[(gsize) start + i]);

  assay_fold_set (self, 0, y);
}

void
assay_fold_size (AssayShapeContext *self)
{
  const AssayType *x = assay_shape_input (self, 0);
  AssayElements *y = x->kind != ASSAY_TYPE_KIND_TENSOR || x->rank < 0 ? NULL
                                                                      : assay_fold_output (self, 0);

  if (y == NULL)
    return;

  y->items[0] = assay_scalar_from_dim (assay_shape_product (self, x->dims, x->rank));
  assay_fold_set (self, 0, y);
}

void
assay_fold_sequence_length (AssayShapeContext *self)
{
  const AssaySequence *sequence = assay_shape_sequence (self, 0);
  AssayElements *y = sequence == NULL ? NULL : assay_fold_output (self, 0);

  if (y != NULL)
    y->items[0] = assay_scalar_int (sequence->n);
  assay_fold_set (self, 0, y);
}

void
assay_fold_range (AssayShapeContext *self)
{
  AssayScalar item = assay_shape_scalar (self, 0);
  AssayScalar delta = assay_shape_scalar (self, 2);
  AssayElements *y = assay_fold_output (self, 0);

  for (gsize i = 0; y != NULL && i < y->n; i++)
    {
      if (item.kind == ASSAY_SCALAR_FLOAT && delta.kind == ASSAY_SCALAR_FLOAT)
        y->items[i] = assay_fold_round (y->dtype,
                                        assay_scalar_float (item.u.f + (double) i * delta.u.f));
      else
        y->items[i] = assay_scalar_add (
            self->arena, item,
            assay_scalar_mul (self->arena, delta, assay_scalar_int ((gint64) i)));
    }

  assay_fold_set (self, 0, y);
}
