/* assay-torch-make-pointwise.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Element by element.
 */
#include <math.h>

#include "source/torch/assay-torch-lower-private.h"

#define ONE(op, a) assay_torch_one (self, ASSAY_OP_##op, a)
#define TWO(op, a, b) assay_torch_two (self, ASSAY_OP_##op, a, b)
#define THREE(op, a, b, c) assay_torch_three (self, ASSAY_OP_##op, a, b, c)

static AssayDType
own_float (AssayDType dtype)
{
  return assay_dtype_is_float (dtype) || assay_dtype_kind (dtype) == 'C' ? dtype : ASSAY_DTYPE_F32;
}

/* A tensor as numbers with a point. */
static gboolean
get_float (AssayTorchLower *self, guint index, AssayValueId *value)
{
  if (!assay_torch_get_tensor (self, index, value))
    return FALSE;
  *value = assay_torch_cast (self, *value, own_float (assay_torch_dtype (self, *value)));

  return TRUE;
}

static AssayValueId
like (AssayTorchLower *self, AssayValueId x, double value)
{
  return assay_torch_scalar (self, assay_torch_dtype (self, x), value);
}

gboolean
assay_torch_make_unary (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayDType dtype;

  if (!assay_torch_get_tensor (self, 0, &x))
    return FALSE;
  dtype = assay_torch_dtype (self, x);
  /* Of integers and truths these are what they are. */
  if (rule->argument == 1 && !assay_dtype_is_float (dtype))
    return assay_torch_result (self, 0, ONE (Identity, x));
  if (dtype == ASSAY_DTYPE_BOOL && rule->op == ASSAY_OP_BitwiseNot)
    return assay_torch_result (self, 0, ONE (Not, x));
  if (dtype == ASSAY_DTYPE_BOOL)
    return assay_torch_result (
        self, 0,
        assay_torch_cast (
            self, assay_torch_one (self, rule->op, assay_torch_cast (self, x, ASSAY_DTYPE_I64)),
            dtype));

  return assay_torch_result (self, 0, assay_torch_one (self, rule->op, x));
}

gboolean
assay_torch_make_unary_float (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;

  return get_float (self, 0, &x) &&
         assay_torch_result (self, 0, assay_torch_one (self, rule->op, x));
}

gboolean
assay_torch_make_logical_not (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;

  return assay_torch_get_tensor (self, 0, &x) &&
         assay_torch_result (self, 0, ONE (Not, assay_torch_cast (self, x, ASSAY_DTYPE_BOOL)));
}

gboolean
assay_torch_make_round_to (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  gint64 decimals;
  AssayValueId scale;

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_get_int (self, 1, &decimals))
    return FALSE;
  scale = like (self, x, pow (10.0, (double) llabs (decimals)));
  if (decimals < 0)
    return assay_torch_result (self, 0, TWO (Mul, ONE (Round, TWO (Div, x, scale)), scale));

  return assay_torch_result (self, 0, TWO (Div, ONE (Round, TWO (Mul, x, scale)), scale));
}

/* Functions of one tensor that take several nodes; the argument says which. */
gboolean
assay_torch_make_function (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayValueId y;
  AssayValueId three;

  if (!get_float (self, 0, &x))
    return FALSE;
  switch (rule->argument)
    {
    case 0: /* silu */
      y = TWO (Mul, x, ONE (Sigmoid, x));
      break;
    case 1: /* hardswish */
    case 2: /* hardsigmoid */
      three = like (self, x, 3.0);
      y = TWO (Div, THREE (Clip, TWO (Add, x, three), like (self, x, 0.0), like (self, x, 6.0)),
               like (self, x, 6.0));
      y = rule->argument == 1 ? TWO (Mul, x, y) : y;
      break;
    case 3: /* expm1: exact where the difference would lose digits */
      y = TWO (Mul, like (self, x, 2.0),
               TWO (Mul, ONE (Sinh, TWO (Mul, x, like (self, x, 0.5))),
                    ONE (Exp, TWO (Mul, x, like (self, x, 0.5)))));
      break;
    case 4: /* log1p */
      y = ONE (Log, TWO (Add, x, like (self, x, 1.0)));
      break;
    case 5: /* log2 */
      y = TWO (Div, ONE (Log, x), like (self, x, log (2.0)));
      break;
    case 6: /* log10 */
      y = TWO (Div, ONE (Log, x), like (self, x, log (10.0)));
      break;
    case 7: /* exp2 */
      y = TWO (Pow, like (self, x, 2.0), x);
      break;
    case 8: /* log_sigmoid */
      y = ONE (Neg, ONE (Softplus, ONE (Neg, x)));
      break;
    case 9: /* rsqrt */
      y = ONE (Reciprocal, ONE (Sqrt, x));
      break;
    case 10: /* square */
      y = TWO (Mul, x, x);
      break;
    case 11: /* relu6 */
      y = THREE (Clip, x, like (self, x, 0.0), like (self, x, 6.0));
      break;
    case 12: /* special_expm1, erfc */
      y = TWO (Sub, like (self, x, 1.0), ONE (Erf, x));
      break;
    case 13: /* deg2rad */
      y = TWO (Mul, x, like (self, x, G_PI / 180.0));
      break;
    case 14: /* rad2deg */
      y = TWO (Mul, x, like (self, x, 180.0 / G_PI));
      break;
    default:
      return assay_torch_cannot (self, "it is not known");
    }

  return assay_torch_result (self, 0, y);
}

gboolean
assay_torch_make_square (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;

  return assay_torch_get_tensor (self, 0, &x) && assay_torch_result (self, 0, TWO (Mul, x, x));
}

/* Towards zero. */
gboolean
assay_torch_make_trunc (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayValueId y;

  if (!assay_torch_get_tensor (self, 0, &x))
    return FALSE;
  if (!assay_dtype_is_float (assay_torch_dtype (self, x)))
    return assay_torch_result (self, 0, ONE (Identity, x));
  y = TWO (Mul, ONE (Sign, x), ONE (Floor, ONE (Abs, x)));

  return assay_torch_result (self, 0, rule->argument == 1 ? TWO (Sub, x, y) : y);
}

/* Whether elements are infinite (0), of one sign (1, -1), no number (2), or finite (3). */
gboolean
assay_torch_make_is_special (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayValueId y;
  AssayValueId output;
  AssayNodeId node;
  AssayDType dtype;

  if (!assay_torch_get_tensor (self, 0, &x))
    return FALSE;
  dtype = assay_torch_dtype (self, x);
  if (!assay_dtype_is_float (dtype))
    {
      y = TWO (Equal, x, x);
      return assay_torch_result (self, 0, rule->argument == 3 ? y : ONE (Not, y));
    }
  if (rule->argument == 2)
    return assay_torch_result (self, 0, ONE (IsNaN, x));

  node = assay_torch_node (self, ASSAY_OP_IsInf, 1, &x, 1, &output);
  if (rule->argument == 1 || rule->argument == -1)
    assay_graph_set_int (self->graph, node,
                         rule->argument == 1 ? "detect_negative" : "detect_positive", 0);
  assay_torch_infer (self, node);
  if (rule->argument == 3)
    output = ONE (Not, TWO (Or, output, ONE (IsNaN, x)));

  return assay_torch_result (self, 0, output);
}

/* Two operands as one element type. */
static gboolean
get_pair (AssayTorchLower *self, guint first, AssayValueId *a, AssayValueId *b, AssayDType *dtype)
{
  AssayTorchItem *items[] = { assay_torch_arg (self, first), assay_torch_arg (self, first + 1) };

  if (!assay_torch_promote (self, 2, items, dtype))
    return FALSE;
  *a = assay_torch_as_value (self, items[0], *dtype);
  *b = assay_torch_as_value (self, items[1], *dtype);

  return *a != ASSAY_NO_VALUE && *b != ASSAY_NO_VALUE;
}

/* Sums and products of truths are those of integers. */
static AssayValueId
arithmetic (AssayTorchLower *self, AssayOp op, AssayValueId a, AssayValueId b, AssayDType dtype)
{
  if (dtype != ASSAY_DTYPE_BOOL)
    return assay_torch_two (self, op, a, b);

  return assay_torch_cast (self,
                           assay_torch_two (self, op, assay_torch_cast (self, a, ASSAY_DTYPE_I64),
                                            assay_torch_cast (self, b, ASSAY_DTYPE_I64)),
                           dtype);
}

gboolean
assay_torch_make_binary (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId a;
  AssayValueId b;
  AssayDType dtype;

  return get_pair (self, 0, &a, &b, &dtype) &&
         assay_torch_result (self, 0, arithmetic (self, rule->op, a, b, dtype));
}

/* The second operand is multiplied before it is added (or it is the first one, argument 1). */
gboolean
assay_torch_make_add (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *items[] = { assay_torch_arg (self, 0), assay_torch_arg (self, 1) };
  AssayTorchItem *alpha = assay_torch_arg (self, 2);
  AssayValueId a;
  AssayValueId b;
  AssayDType dtype;

  if (!assay_torch_promote (self, 2, items, &dtype))
    return FALSE;
  a = assay_torch_as_value (self, items[rule->argument ? 1 : 0], dtype);
  b = assay_torch_as_value (self, items[rule->argument ? 0 : 1], dtype);
  if (alpha != NULL && alpha->kind != ASSAY_TORCH_ITEM_NONE &&
      (alpha->value != ASSAY_NO_VALUE || alpha->f != 1.0))
    b = arithmetic (self, ASSAY_OP_Mul, b, assay_torch_as_value (self, alpha, dtype), dtype);

  return assay_torch_result (self, 0, arithmetic (self, rule->op, a, b, dtype));
}

static AssayValueId
floor_div (AssayTorchLower *self, AssayValueId a, AssayValueId b, AssayDType dtype)
{
  if (assay_dtype_is_float (dtype))
    return ONE (Floor, TWO (Div, a, b));

  return TWO (Div, TWO (Sub, a, TWO (Mod, a, b)), b);
}

/* Towards zero. The sign of a quotient that is zero does not matter. */
static AssayValueId
trunc_div (AssayTorchLower *self, AssayValueId a, AssayValueId b, AssayDType dtype)
{
  AssayValueId q = TWO (Div, a, b);

  return assay_dtype_is_float (dtype) ? TWO (Mul, ONE (Sign, q), ONE (Floor, ONE (Abs, q))) : q;
}

gboolean
assay_torch_make_div (AssayTorchLower *self, const AssayTorchRule *rule)
{
  const AssayTorchItem *mode = rule->argument == 1 ? assay_torch_arg (self, 2) : NULL;
  AssayValueId a;
  AssayValueId b;
  AssayDType dtype;

  if (!get_pair (self, 0, &a, &b, &dtype))
    return FALSE;
  if (rule->argument == 2 || (mode != NULL && g_strcmp0 (mode->s, "floor") == 0))
    return assay_torch_result (self, 0, floor_div (self, a, b, dtype));
  if (mode != NULL && g_strcmp0 (mode->s, "trunc") == 0)
    return assay_torch_result (self, 0, trunc_div (self, a, b, dtype));
  dtype = own_float (dtype);

  return assay_torch_result (
      self, 0, TWO (Div, assay_torch_cast (self, a, dtype), assay_torch_cast (self, b, dtype)));
}

/* The remainder has the sign of the divisor, or that of the dividend (argument 1). */
gboolean
assay_torch_make_remainder (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId a;
  AssayValueId b;
  AssayValueId output;
  AssayNodeId node;
  AssayDType dtype;

  if (!get_pair (self, 0, &a, &b, &dtype))
    return FALSE;
  if (rule->argument == 0 && assay_dtype_is_float (dtype))
    {
      /* The exact remainder, moved to the side of the divisor. */
      node = assay_torch_node (self, ASSAY_OP_Mod, 2, (AssayValueId[]){ a, b }, 1, &output);
      assay_graph_set_int (self->graph, node, "fmod", 1);
      assay_torch_infer (self, node);
      return assay_torch_result (
          self, 0,
          THREE (Where,
                 TWO (Less, TWO (Mul, ONE (Sign, output), ONE (Sign, b)), like (self, output, 0.0)),
                 TWO (Add, output, b), output));
    }
  node = assay_torch_node (self, ASSAY_OP_Mod, 2, (AssayValueId[]){ a, b }, 1, &output);
  assay_graph_set_int (self->graph, node, "fmod", rule->argument == 1);
  assay_torch_infer (self, node);

  return assay_torch_result (self, 0, output);
}

gboolean
assay_torch_make_compare (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId a;
  AssayValueId b;
  AssayValueId y;
  AssayDType dtype;

  if (!get_pair (self, 0, &a, &b, &dtype))
    return FALSE;
  if (dtype == ASSAY_DTYPE_BOOL && rule->op != ASSAY_OP_Equal)
    {
      a = assay_torch_cast (self, a, ASSAY_DTYPE_U8);
      b = assay_torch_cast (self, b, ASSAY_DTYPE_U8);
    }
  y = assay_torch_two (self, rule->op, a, b);

  return assay_torch_result (self, 0, rule->argument == 1 ? ONE (Not, y) : y);
}

gboolean
assay_torch_make_logical (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId a = assay_torch_as_value (self, assay_torch_arg (self, 0), ASSAY_DTYPE_BOOL);
  AssayValueId b = assay_torch_as_value (self, assay_torch_arg (self, 1), ASSAY_DTYPE_BOOL);

  return assay_torch_result (self, 0, assay_torch_two (self, rule->op, a, b));
}

/* Bits of integers, and truths. */
gboolean
assay_torch_make_bitwise (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId a;
  AssayValueId b;
  AssayDType dtype;
  AssayOp op = rule->op;

  if (!get_pair (self, 0, &a, &b, &dtype))
    return FALSE;
  if (dtype == ASSAY_DTYPE_BOOL)
    op = op == ASSAY_OP_BitwiseAnd  ? ASSAY_OP_And
         : op == ASSAY_OP_BitwiseOr ? ASSAY_OP_Or
                                    : ASSAY_OP_Xor;

  return assay_torch_result (self, 0, assay_torch_two (self, op, a, b));
}

/* To the left as a product; to the right as a quotient that is rounded down, which keeps the
 * sign. */
gboolean
assay_torch_make_shift (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId a;
  AssayValueId b;
  AssayValueId power;
  AssayDType dtype;

  if (!get_pair (self, 0, &a, &b, &dtype))
    return FALSE;
  /* The power may be more than the type holds. */
  a = assay_torch_cast (self, a, ASSAY_DTYPE_I64);
  power = TWO (Pow, assay_torch_integer (self, ASSAY_DTYPE_I64, 2),
               assay_torch_cast (self, b, ASSAY_DTYPE_I64));
  a = rule->argument == 0 ? TWO (Mul, a, power) : floor_div (self, a, power, ASSAY_DTYPE_I64);

  return assay_torch_result (self, 0, assay_torch_cast (self, a, dtype));
}

gboolean
assay_torch_make_pow (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId a;
  AssayValueId b;
  AssayDType dtype;

  if (!get_pair (self, 0, &a, &b, &dtype))
    return FALSE;
  if (rule->argument == 1)
    {
      a = assay_torch_cast (self, a, own_float (dtype));
      b = assay_torch_cast (self, b, own_float (dtype));
    }

  return assay_torch_result (self, 0, TWO (Pow, a, b));
}

gboolean
assay_torch_make_where (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId condition;
  AssayValueId a;
  AssayValueId b;
  AssayDType dtype;

  return assay_torch_get_tensor (self, 0, &condition) && get_pair (self, 1, &a, &b, &dtype) &&
         assay_torch_result (
             self, 0, THREE (Where, assay_torch_cast (self, condition, ASSAY_DTYPE_BOOL), a, b));
}

gboolean
assay_torch_make_masked_fill (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayValueId mask;
  AssayValueId value;

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_get_tensor (self, 1, &mask))
    return FALSE;
  value = assay_torch_as_value (self, assay_torch_arg (self, 2), assay_torch_dtype (self, x));

  return assay_torch_result (
      self, 0, THREE (Where, assay_torch_cast (self, mask, ASSAY_DTYPE_BOOL), value, x));
}

/* Limits below and above, either of which may be missing. An argument of 1 means the lower one
 * alone, 2 the upper one. */
gboolean
assay_torch_make_clamp (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *low = rule->argument == 2 ? NULL : assay_torch_arg (self, 1);
  AssayTorchItem *high = rule->argument == 1   ? NULL
                         : rule->argument == 2 ? assay_torch_arg (self, 1)
                                               : assay_torch_arg (self, 2);
  AssayTorchItem *items[3] = { assay_torch_arg (self, 0) };
  guint n = 1;
  AssayDType dtype;
  AssayValueId y;

  if (low != NULL && low->kind == ASSAY_TORCH_ITEM_NONE)
    low = NULL;
  if (high != NULL && high->kind == ASSAY_TORCH_ITEM_NONE)
    high = NULL;
  if (low != NULL)
    items[n++] = low;
  if (high != NULL)
    items[n++] = high;
  if (!assay_torch_promote (self, n, items, &dtype))
    return FALSE;
  y = assay_torch_as_value (self, items[0], dtype);
  if (low != NULL && high != NULL && low->kind != ASSAY_TORCH_ITEM_TENSOR &&
      high->kind != ASSAY_TORCH_ITEM_TENSOR && low->f <= high->f)
    return assay_torch_result (self, 0,
                               THREE (Clip, y, assay_torch_as_value (self, low, dtype),
                                      assay_torch_as_value (self, high, dtype)));
  if (low != NULL)
    y = TWO (Max, y, assay_torch_as_value (self, low, dtype));
  if (high != NULL)
    y = TWO (Min, y, assay_torch_as_value (self, high, dtype));

  return assay_torch_result (self, 0, y);
}

gboolean
assay_torch_make_threshold (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayDType dtype;

  if (!assay_torch_get_tensor (self, 0, &x))
    return FALSE;
  dtype = assay_torch_dtype (self, x);

  return assay_torch_result (
      self, 0,
      THREE (Where, TWO (Greater, x, assay_torch_as_value (self, assay_torch_arg (self, 1), dtype)),
             x, assay_torch_as_value (self, assay_torch_arg (self, 2), dtype)));
}

/* An activation with one number as its attribute. */
gboolean
assay_torch_make_activation (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayValueId output;
  AssayNodeId node;
  double value = rule->op == ASSAY_OP_LeakyRelu ? 0.01 : 1.0;

  if (!get_float (self, 0, &x) ||
      (!assay_torch_is_none (self, 1) && !assay_torch_get_float (self, 1, &value)))
    return FALSE;
  node = assay_torch_node (self, rule->op, 1, &x, 1, &output);
  assay_graph_set_float (self->graph, node, "alpha", value);
  assay_torch_infer (self, node);

  return assay_torch_result (self, 0, output);
}

/* With a scale, and one for the input. */
gboolean
assay_torch_make_elu (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayValueId y;
  double alpha = 1.0;
  double scale = 1.0;
  double inner = 1.0;

  if (!get_float (self, 0, &x) ||
      (!assay_torch_is_none (self, 1) && !assay_torch_get_float (self, 1, &alpha)) ||
      (!assay_torch_is_none (self, 2) && !assay_torch_get_float (self, 2, &scale)) ||
      (!assay_torch_is_none (self, 3) && !assay_torch_get_float (self, 3, &inner)))
    return FALSE;
  if (scale == 1.0 && inner == 1.0)
    return assay_torch_make_activation (self, rule);
  y = TWO (Mul, like (self, x, alpha),
           TWO (Sub, ONE (Exp, TWO (Mul, x, like (self, x, inner))), like (self, x, 1.0)));
  y = THREE (Where, TWO (Greater, x, like (self, x, 0.0)), x, y);

  return assay_torch_result (self, 0, TWO (Mul, y, like (self, x, scale)));
}

gboolean
assay_torch_make_gelu (AssayTorchLower *self, const AssayTorchRule *rule)
{
  const AssayTorchItem *kind = assay_torch_arg (self, 1);
  AssayValueId x;
  AssayValueId output;
  AssayNodeId node;

  if (!get_float (self, 0, &x))
    return FALSE;
  node = assay_torch_node (self, ASSAY_OP_Gelu, 1, &x, 1, &output);
  if (kind != NULL && kind->kind == ASSAY_TORCH_ITEM_STRING)
    assay_graph_set_string (self->graph, node, "approximate", kind->s);
  assay_torch_infer (self, node);

  return assay_torch_result (self, 0, output);
}

gboolean
assay_torch_make_softplus (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayValueId scaled;
  double beta = 1.0;
  double threshold = 20.0;

  if (!get_float (self, 0, &x) ||
      (!assay_torch_is_none (self, 1) && !assay_torch_get_float (self, 1, &beta)) ||
      (!assay_torch_is_none (self, 2) && !assay_torch_get_float (self, 2, &threshold)))
    return FALSE;
  scaled = beta == 1.0 ? x : TWO (Mul, x, like (self, x, beta));

  return assay_torch_result (self, 0,
                             THREE (Where, TWO (Greater, scaled, like (self, x, threshold)), x,
                                    TWO (Div, ONE (Softplus, scaled), like (self, x, beta))));
}

/* Nothing around zero: hard (0) or moved towards it (1). */
gboolean
assay_torch_make_shrink (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayValueId output;
  AssayNodeId node;
  double lambda = 0.5;

  if (!get_float (self, 0, &x) ||
      (!assay_torch_is_none (self, 1) && !assay_torch_get_float (self, 1, &lambda)))
    return FALSE;
  node = assay_torch_node (self, ASSAY_OP_Shrink, 1, &x, 1, &output);
  assay_graph_set_float (self->graph, node, "lambd", lambda);
  assay_graph_set_float (self->graph, node, "bias", rule->argument == 1 ? lambda : 0.0);
  assay_torch_infer (self, node);

  return assay_torch_result (self, 0, output);
}

gboolean
assay_torch_make_prelu (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayValueId slope;
  guint rank;
  guint own;
  gint64 dims[ASSAY_MAX_RANK];

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_get_tensor (self, 1, &slope) ||
      !assay_torch_rank (self, x, &rank) || !assay_torch_rank (self, slope, &own))
    return FALSE;
  for (guint i = 0; i < rank; i++)
    dims[i] = i == 1 ? -1 : 1;
  if (own == 1 && rank > 1)
    slope = assay_torch_reshape (self, slope, rank, dims);

  return assay_torch_result (self, 0, TWO (PRelu, x, slope));
}

/* a + value * b * c, or a quotient (argument 1). */
gboolean
assay_torch_make_add_product (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayTorchItem *items[] = { assay_torch_arg (self, 0), assay_torch_arg (self, 1),
                              assay_torch_arg (self, 2) };
  AssayTorchItem *scale = assay_torch_arg (self, 3);
  AssayValueId values[3];
  AssayValueId y;
  AssayDType dtype;

  if (!assay_torch_promote (self, 3, items, &dtype))
    return FALSE;
  if (rule->argument == 1)
    dtype = own_float (dtype);
  for (guint i = 0; i < 3; i++)
    values[i] = assay_torch_as_value (self, items[i], dtype);
  y = assay_torch_two (self, rule->argument == 1 ? ASSAY_OP_Div : ASSAY_OP_Mul, values[1],
                       values[2]);
  if (scale != NULL && (scale->value != ASSAY_NO_VALUE || scale->f != 1.0))
    y = TWO (Mul, y, assay_torch_as_value (self, scale, dtype));

  return assay_torch_result (self, 0, TWO (Add, values[0], y));
}

/* start + weight * (end - start). */
gboolean
assay_torch_make_lerp (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId a;
  AssayValueId b;
  AssayDType dtype;

  return get_pair (self, 0, &a, &b, &dtype) &&
         assay_torch_result (
             self, 0,
             TWO (Add, a,
                  TWO (Mul, assay_torch_as_value (self, assay_torch_arg (self, 2), dtype),
                       TWO (Sub, b, a))));
}

/* The angle of a point, from that of its slope. */
gboolean
assay_torch_make_atan2 (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId y;
  AssayValueId x;
  AssayValueId angle;
  AssayValueId zero;
  AssayValueId turned;
  AssayDType dtype;

  if (!get_pair (self, 0, &y, &x, &dtype))
    return FALSE;
  dtype = own_float (dtype);
  y = assay_torch_cast (self, y, dtype);
  x = assay_torch_cast (self, x, dtype);
  zero = like (self, x, 0.0);
  angle = ONE (Atan, TWO (Div, y, x));
  turned = THREE (Where, TWO (Less, y, zero), TWO (Sub, angle, like (self, x, G_PI)),
                  TWO (Add, angle, like (self, x, G_PI)));
  angle = THREE (Where, TWO (Less, x, zero), turned, angle);
  /* Straight up and down, and nowhere at all. */
  angle = THREE (Where, TWO (Equal, x, zero), TWO (Mul, ONE (Sign, y), like (self, x, G_PI / 2)),
                 angle);

  return assay_torch_result (self, 0, angle);
}

/* To an element type, that of operand 1 or that of another tensor (argument 1). */
/* Whether it gives its operand itself, if that has the element type already. */
static gboolean
gives_operand (AssayTorchLower *self, const AssayTorchRule *rule)
{
  /* The operand that asks for a copy, 0 if there is none. */
  static const struct
  {
    const char *name;
    guint copy;
  } rows[] = {
    { "torch.aten.to.dtype", 3 },       { "torch.aten.to.dtype_layout", 6 },
    { "torch.aten.to.other", 3 },       { "torch.aten.to.device", 4 },
    { "torch.aten.to.prim_Device", 4 }, { "torch.aten.type_as", 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (g_str_equal (rows[i].name, rule->name))
      {
        const AssayTorchItem *copy = rows[i].copy > 0 ? assay_torch_arg (self, rows[i].copy) : NULL;

        return copy == NULL || copy->i == 0;
      }

  return FALSE;
}

gboolean
assay_torch_make_cast (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayValueId other;
  AssayDType dtype;

  if (!assay_torch_get_tensor (self, 0, &x))
    return FALSE;
  dtype = assay_torch_dtype (self, x);
  if (rule->argument == 1)
    {
      if (!assay_torch_get_tensor (self, 1, &other))
        return FALSE;
      dtype = assay_torch_dtype (self, other);
    }
  else if (!assay_torch_get_dtype (self, (guint) rule->argument == 2 ? 2 : 1, &dtype))
    return FALSE;
  if (dtype == assay_torch_dtype (self, x) && gives_operand (self, rule))
    return assay_torch_result_item (self, 0, assay_torch_arg (self, 0));

  return assay_torch_result (self, 0, assay_torch_cast (self, x, dtype));
}

/* The gradient of x/2 (1 + tanh (k (x + 0.044715 x^3))). */
static AssayValueId
gelu_tanh_slope (AssayTorchLower *self, AssayValueId gradient, AssayValueId x)
{
  double k = sqrt (2.0 / G_PI);
  AssayValueId one = like (self, x, 1.0);
  AssayValueId square = TWO (Mul, x, x);
  AssayValueId t = ONE (Tanh, TWO (Mul, TWO (Mul, x, like (self, x, k)),
                                   TWO (Add, one, TWO (Mul, square, like (self, x, 0.044715)))));
  AssayValueId left = TWO (Mul, like (self, x, 0.5), TWO (Add, one, t));
  AssayValueId right = TWO (
      Mul, TWO (Mul, TWO (Mul, x, like (self, x, 0.5 * k)), TWO (Sub, one, TWO (Mul, t, t))),
      TWO (Add, one, TWO (Mul, square, like (self, x, 3.0 * 0.044715))));

  return TWO (Mul, gradient, TWO (Add, left, right));
}

/* Gradients of activations: the gradient that comes in, times the slope. */
gboolean
assay_torch_make_slope (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId gradient;
  AssayValueId x;
  AssayValueId zero;
  AssayValueId one;
  double limit;
  double high;

  if (rule->argument == 2
          ? (!assay_torch_get_tensor (self, 0, &gradient) || !assay_torch_get_tensor (self, 1, &x))
          : (!get_float (self, 0, &gradient) || !get_float (self, 1, &x)))
    return FALSE;
  zero = like (self, x, 0.0);
  one = like (self, x, 1.0);
  switch (rule->argument)
    {
    case 0: /* tanh, of the result */
      return assay_torch_result (self, 0, TWO (Mul, gradient, TWO (Sub, one, TWO (Mul, x, x))));
    case 1: /* sigmoid, of the result */
      return assay_torch_result (self, 0, TWO (Mul, gradient, TWO (Mul, x, TWO (Sub, one, x))));
    case 2: /* threshold */
      {
        AssayDType dtype = assay_torch_join (assay_torch_dtype (self, gradient),
                                             assay_torch_dtype (self, x));

        gradient = assay_torch_cast (self, gradient, dtype);
        return assay_torch_get_float (self, 2, &limit) &&
               assay_torch_result (self, 0,
                                   THREE (Where, TWO (LessOrEqual, x, like (self, x, limit)),
                                          like (self, gradient, 0.0), gradient));
      }
    case 3: /* hardtanh */
      if (!assay_torch_get_float (self, 2, &limit) || !assay_torch_get_float (self, 3, &high))
        return FALSE;
      return assay_torch_result (self, 0,
                                 THREE (Where,
                                        TWO (And, TWO (Greater, x, like (self, x, limit)),
                                             TWO (Less, x, like (self, x, high))),
                                        gradient, zero));
    case 4: /* leaky_relu */
      return assay_torch_get_float (self, 2, &limit) &&
             assay_torch_result (self, 0,
                                 THREE (Where, TWO (Greater, x, zero), gradient,
                                        TWO (Mul, gradient, like (self, x, limit))));
    case 5: /* gelu */
      {
        AssayValueId cdf = TWO (
            Mul, like (self, x, 0.5),
            TWO (Add, one, ONE (Erf, TWO (Mul, x, like (self, x, 1.0 / sqrt (2.0))))));
        AssayValueId pdf = TWO (Mul, like (self, x, 1.0 / sqrt (2.0 * G_PI)),
                                ONE (Exp, TWO (Mul, TWO (Mul, x, x), like (self, x, -0.5))));
        const AssayTorchItem *kind = assay_torch_arg (self, 2);

        if (kind != NULL && g_strcmp0 (kind->s, "tanh") == 0)
          return assay_torch_result (self, 0, gelu_tanh_slope (self, gradient, x));
        return assay_torch_result (self, 0, TWO (Mul, gradient, TWO (Add, cdf, TWO (Mul, x, pdf))));
      }
    default:
      return assay_torch_cannot (self, "it is not known");
    }
}
