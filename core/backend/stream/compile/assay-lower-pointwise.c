/* assay-lower-pointwise.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include <math.h>

#include "backend/stream/compile/assay-lower-private.h"

static const AssayLirOperand nothing = { 0 };

static AssayOpcode
binary_opcode (AssayOp op)
{
  switch (op)
    {
    case ASSAY_OP_Sub:
      return ASSAY_OPCODE_SUB;
    case ASSAY_OP_Mul:
      return ASSAY_OPCODE_MUL;
    case ASSAY_OP_Div:
      return ASSAY_OPCODE_DIV;
    case ASSAY_OP_Max:
      return ASSAY_OPCODE_MAX;
    case ASSAY_OP_Min:
      return ASSAY_OPCODE_MIN;
    default:
      return ASSAY_OPCODE_ADD;
    }
}

gboolean
assay_lower_binary (AssayLower *self, GError **error)
{
  AssayLowTensor *out = assay_lower_output (self, 0);

  for (guint32 v = 0; v < out->n_vectors; v++)
    {
      AssayLirOperand a = assay_lower_operand (self, assay_lower_input (self, 0), out, v);
      AssayLirOperand b = assay_lower_operand (self, assay_lower_input (self, 1), out, v);

      out->vectors[v] = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, out->lanes);
      assay_lower_emit (self, binary_opcode (self->node->op), out->vectors[v], ASSAY_ROUND_BF16, a,
                        b);
    }

  return TRUE;
}

/* From left to right, in fp32 between the steps; a mean is divided at the end. */
gboolean
assay_lower_variadic (AssayLower *self, GError **error)
{
  AssayLowTensor *out = assay_lower_output (self, 0);
  gboolean mean = self->node->op == ASSAY_OP_Mean && self->node->n_inputs > 1;

  for (guint32 v = 0; v < out->n_vectors; v++)
    {
      AssayLirOperand sum = assay_lower_operand (self, assay_lower_input (self, 0), out, v);

      for (guint i = 1; i < self->node->n_inputs; i++)
        {
          gboolean last = i + 1 == self->node->n_inputs && !mean;
          AssayLirOperand next = assay_lower_operand (self, assay_lower_input (self, i), out, v);
          AssayLirId d = last ? assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, out->lanes)
                              : assay_lower_new_scratch (self, out->lanes);

          assay_lower_emit (self, binary_opcode (self->node->op), d,
                            last ? ASSAY_ROUND_BF16 : ASSAY_ROUND_F32, sum, next);
          sum = assay_lir_use (d);
        }
      if (self->node->n_inputs == 1 || mean)
        {
          AssayLirId d = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, out->lanes);

          assay_lower_emit (self, mean ? ASSAY_OPCODE_DIV : ASSAY_OPCODE_MOVE, d, ASSAY_ROUND_BF16,
                            sum,
                            mean ? assay_lir_immediate ((float) self->node->n_inputs) : nothing);
          sum = assay_lir_use (d);
        }
      out->vectors[v] = sum.id;
    }

  return TRUE;
}

static gboolean
find_function (AssayLower *self, AssayFunction *function)
{
  static const struct
  {
    AssayOp op;
    AssayFunction function;
  } functions[] = {
    { ASSAY_OP_Exp, ASSAY_FUNCTION_EXP },
    { ASSAY_OP_Log, ASSAY_FUNCTION_LOG },
    { ASSAY_OP_Tanh, ASSAY_FUNCTION_TANH },
    { ASSAY_OP_Sigmoid, ASSAY_FUNCTION_SIGMOID },
    { ASSAY_OP_Softplus, ASSAY_FUNCTION_SOFTPLUS },
    { ASSAY_OP_Swish, ASSAY_FUNCTION_SILU },
    { ASSAY_OP_Gelu, ASSAY_FUNCTION_GELU_ERF },
    { ASSAY_OP_Erf, ASSAY_FUNCTION_ERF },
    { ASSAY_OP_Sqrt, ASSAY_FUNCTION_SQRT },
    { ASSAY_OP_Rsqrt, ASSAY_FUNCTION_RSQRT },
    { ASSAY_OP_Reciprocal, ASSAY_FUNCTION_RECIPROCAL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    {
      if (functions[i].op != self->node->op)
        continue;
      *function = functions[i].function;
      if (self->node->op == ASSAY_OP_Gelu &&
          g_str_equal (assay_node_get_string (self->node, "approximate"), "tanh"))
        *function = ASSAY_FUNCTION_GELU_TANH;
      return TRUE;
    }

  return FALSE;
}

/* The step that made a result writes it to a rounded vector instead of an fp32 one; what no step
 * made is copied. */
static AssayLirId
round_last (AssayLower *self, AssayLirOperand result, guint32 lanes)
{
  AssayLirOp *last = self->lir->ops->len == 0
                         ? NULL
                         : &g_array_index (self->lir->ops, AssayLirOp, self->lir->ops->len - 1);
  AssayLirId d = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, lanes);

  if (last != NULL && result.kind == ASSAY_LIR_VECTOR && last->d == result.id &&
      last->round == ASSAY_ROUND_F32 && last->node == self->id)
    {
      last->d = d;
      last->round = ASSAY_ROUND_BF16;
    }
  else
    {
      assay_lower_emit (self, ASSAY_OPCODE_MOVE, d, ASSAY_ROUND_BF16, result, nothing);
    }

  return d;
}

static AssayLirOperand
function_in_fp32 (AssayLower *self, AssayFunction function, guint32 lanes, AssayLirOperand a)
{
  AssayLirId d = assay_lower_new_scratch (self, lanes);

  assay_lower_emit (self, ASSAY_OPCODE_FUNCTION, d, ASSAY_ROUND_F32, a, nothing)->function =
      (guint8) function;

  return assay_lir_use (d);
}

/* x sigmoid (alpha x), the products and the function in fp32. */
static gboolean
lower_scaled_swish (AssayLower *self)
{
  AssayLowTensor *out = assay_lower_output (self, 0);
  AssayLirOperand alpha = assay_lir_immediate ((float) assay_node_get_float (self->node, "alpha"));

  alpha.exact = TRUE;
  for (guint32 v = 0; v < out->n_vectors; v++)
    {
      AssayLirOperand x = assay_lower_operand (self, assay_lower_input (self, 0), out, v);
      AssayLirId scaled = assay_lower_new_scratch (self, out->lanes);
      AssayLirOperand gate;

      assay_lower_emit (self, ASSAY_OPCODE_MUL, scaled, ASSAY_ROUND_F32, x, alpha);
      gate = function_in_fp32 (self, ASSAY_FUNCTION_SIGMOID, out->lanes, assay_lir_use (scaled));
      out->vectors[v] = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, out->lanes);
      assay_lower_emit (self, ASSAY_OPCODE_MUL, out->vectors[v], ASSAY_ROUND_BF16, x, gate);
    }

  return TRUE;
}

/* x tanh (softplus (x)), the functions in fp32. */
gboolean
assay_lower_mish (AssayLower *self, GError **error)
{
  AssayLowTensor *out = assay_lower_output (self, 0);

  for (guint32 v = 0; v < out->n_vectors; v++)
    {
      AssayLirOperand x = assay_lower_operand (self, assay_lower_input (self, 0), out, v);
      AssayLirOperand gate = function_in_fp32 (self, ASSAY_FUNCTION_SOFTPLUS, out->lanes, x);

      gate = function_in_fp32 (self, ASSAY_FUNCTION_TANH, out->lanes, gate);
      out->vectors[v] = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, out->lanes);
      assay_lower_emit (self, ASSAY_OPCODE_MUL, out->vectors[v], ASSAY_ROUND_BF16, x, gate);
    }

  return TRUE;
}

gboolean
assay_lower_function (AssayLower *self, GError **error)
{
  AssayLowTensor *out = assay_lower_output (self, 0);
  AssayFunction function;

  if (!find_function (self, &function))
    return assay_lower_refuse (self, error, "the function unit does not know it");
  if (self->node->op == ASSAY_OP_Swish && assay_node_get_float (self->node, "alpha") != 1.0)
    return lower_scaled_swish (self);

  for (guint32 v = 0; v < out->n_vectors; v++)
    {
      AssayLirOperand a = assay_lower_operand (self, assay_lower_input (self, 0), out, v);
      AssayLirOp *op;

      out->vectors[v] = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, out->lanes);
      op = assay_lower_emit (self, ASSAY_OPCODE_FUNCTION, out->vectors[v], ASSAY_ROUND_BF16, a,
                             nothing);
      op->function = (guint8) function;
    }

  return TRUE;
}

gboolean
assay_lower_negate (AssayLower *self, GError **error)
{
  AssayLowTensor *out = assay_lower_output (self, 0);

  for (guint32 v = 0; v < out->n_vectors; v++)
    {
      AssayLirOperand a = assay_lower_operand (self, assay_lower_input (self, 0), out, v);

      out->vectors[v] = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, out->lanes);
      assay_lower_emit (self, ASSAY_OPCODE_MUL, out->vectors[v], ASSAY_ROUND_BF16, a,
                        assay_lir_immediate (-1));
    }

  return TRUE;
}

static gboolean
scalar_input (AssayLower *self, guint index, float fallback, float *value, GError **error)
{
  AssayTensor *tensor = assay_graph_constant (self->graph, assay_node_input (self->node, index));
  double number;

  *value = fallback;
  if (assay_node_input (self->node, index) == ASSAY_NO_VALUE)
    return TRUE;
  if (tensor == NULL || assay_tensor_get_n_elements (tensor) != 1)
    return assay_lower_refuse (self, error, "input %u must be a constant scalar", index);
  if (!assay_tensor_get_element (tensor, 0, &number, error))
    return FALSE;

  *value = (float) number;
  return TRUE;
}

static AssayLirId
emit_clamp (AssayLower *self, AssayLirId d, AssayLirOperand a, float low, float high)
{
  AssayLirOp *op = assay_lower_emit (self, ASSAY_OPCODE_CLAMP, d, ASSAY_ROUND_BF16, a, nothing);

  op->low.bound = low;
  op->high.bound = high;

  return d;
}

gboolean
assay_lower_clip (AssayLower *self, GError **error)
{
  AssayLowTensor *out = assay_lower_output (self, 0);
  float low = 0;
  float high = INFINITY;

  if (self->node->op == ASSAY_OP_Clip && (!scalar_input (self, 1, -INFINITY, &low, error) ||
                                          !scalar_input (self, 2, INFINITY, &high, error)))
    return FALSE;

  for (guint32 v = 0; v < out->n_vectors; v++)
    {
      AssayLirOperand a = assay_lower_operand (self, assay_lower_input (self, 0), out, v);

      out->vectors[v] = emit_clamp (
          self, assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, out->lanes), a, low, high);
    }

  return TRUE;
}

/* x >= 0 ? x : x slope */
gboolean
assay_lower_leaky (AssayLower *self, GError **error)
{
  AssayLowTensor *out = assay_lower_output (self, 0);
  AssayLirOperand slope = assay_lir_immediate (0);

  if (self->node->op == ASSAY_OP_LeakyRelu)
    slope = assay_lir_immediate ((float) assay_node_get_float (self->node, "alpha"));
  for (guint32 v = 0; v < out->n_vectors; v++)
    {
      AssayLirOperand a = assay_lower_operand (self, assay_lower_input (self, 0), out, v);
      AssayLirId scaled = assay_lower_new_scratch (self, out->lanes);
      AssayLirOp *op;

      if (self->node->op == ASSAY_OP_PRelu)
        slope = assay_lower_operand (self, assay_lower_input (self, 1), out, v);
      assay_lower_emit (self, ASSAY_OPCODE_MUL, scaled, ASSAY_ROUND_F32, a, slope);
      out->vectors[v] = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, out->lanes);
      op = assay_lower_emit (self, ASSAY_OPCODE_SELECT_GE, out->vectors[v], ASSAY_ROUND_BF16, a,
                             assay_lir_immediate (0));
      op->c = a;
      op->e = assay_lir_use (scaled);
    }

  return TRUE;
}

/* x > 0 ? gamma x : gamma alpha (exp (x / scale) - 1), with scale 1 but for Celu. */
gboolean
assay_lower_elu (AssayLower *self, GError **error)
{
  AssayLowTensor *out = assay_lower_output (self, 0);
  float alpha = (float) assay_node_get_float (self->node, "alpha");
  float gamma = self->node->op == ASSAY_OP_Selu ? (float) assay_node_get_float (self->node, "gamma")
                                                : 1;

  for (guint32 v = 0; v < out->n_vectors; v++)
    {
      AssayLirOperand x = assay_lower_operand (self, assay_lower_input (self, 0), out, v);
      AssayLirOperand at = x;
      AssayLirOperand positive = x;
      AssayLirId below;
      AssayLirOp *op;

      if (self->node->op == ASSAY_OP_Celu)
        {
          AssayLirId d = assay_lower_new_scratch (self, out->lanes);

          op = assay_lower_emit (self, ASSAY_OPCODE_DIV, d, ASSAY_ROUND_F32, x,
                                 assay_lir_immediate (alpha));
          op->b.exact = TRUE;
          at = assay_lir_use (d);
        }

      below = assay_lower_new_scratch (self, out->lanes);
      op = assay_lower_emit (self, ASSAY_OPCODE_FUNCTION, below, ASSAY_ROUND_F32, at, nothing);
      op->function = ASSAY_FUNCTION_EXP;
      at = assay_lir_use (below);
      below = assay_lower_new_scratch (self, out->lanes);
      assay_lower_emit (self, ASSAY_OPCODE_SUB, below, ASSAY_ROUND_F32, at,
                        assay_lir_immediate (1));

      if (gamma * alpha != 1)
        {
          at = assay_lir_use (below);
          below = assay_lower_new_scratch (self, out->lanes);
          op = assay_lower_emit (self, ASSAY_OPCODE_MUL, below, ASSAY_ROUND_F32, at,
                                 assay_lir_immediate (gamma * alpha));
          op->b.exact = TRUE;
        }
      if (gamma != 1)
        {
          AssayLirId d = assay_lower_new_scratch (self, out->lanes);

          op = assay_lower_emit (self, ASSAY_OPCODE_MUL, d, ASSAY_ROUND_F32, x,
                                 assay_lir_immediate (gamma));
          op->b.exact = TRUE;
          positive = assay_lir_use (d);
        }

      out->vectors[v] = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, out->lanes);
      op = assay_lower_emit (self, ASSAY_OPCODE_SELECT_GT, out->vectors[v], ASSAY_ROUND_BF16, x,
                             assay_lir_immediate (0));
      op->c = positive;
      op->e = assay_lir_use (below);
    }

  return TRUE;
}

/* HardSigmoid: bounded alpha x + beta; HardSwish: x times that with 1/6 and 1/2. */
gboolean
assay_lower_hard (AssayLower *self, GError **error)
{
  AssayLowTensor *out = assay_lower_output (self, 0);
  gboolean swish = self->node->op == ASSAY_OP_HardSwish;
  float alpha = swish ? 1.0f / 6 : (float) assay_node_get_float (self->node, "alpha");
  float beta = swish ? 0.5f : (float) assay_node_get_float (self->node, "beta");

  for (guint32 v = 0; v < out->n_vectors; v++)
    {
      AssayLirOperand x = assay_lower_operand (self, assay_lower_input (self, 0), out, v);
      AssayLirId scaled = assay_lower_new_scratch (self, out->lanes);
      AssayLirId moved = assay_lower_new_scratch (self, out->lanes);
      AssayLirId d = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, out->lanes);
      AssayLirOp *op;

      op = assay_lower_emit (self, ASSAY_OPCODE_MUL, scaled, ASSAY_ROUND_F32, x,
                             assay_lir_immediate (alpha));
      op->b.exact = TRUE;
      op = assay_lower_emit (self, ASSAY_OPCODE_ADD, moved, ASSAY_ROUND_F32, assay_lir_use (scaled),
                             assay_lir_immediate (beta));
      op->b.exact = TRUE;

      if (swish)
        {
          AssayLirId gate = assay_lower_new_scratch (self, out->lanes);

          emit_clamp (self, gate, assay_lir_use (moved), 0, 1);
          g_array_index (self->lir->ops, AssayLirOp, self->lir->ops->len - 1).round =
              ASSAY_ROUND_F32;
          assay_lower_emit (self, ASSAY_OPCODE_MUL, d, ASSAY_ROUND_BF16, x, assay_lir_use (gate));
        }
      else
        {
          emit_clamp (self, d, assay_lir_use (moved), 0, 1);
        }
      out->vectors[v] = d;
    }

  return TRUE;
}

static gboolean
read_exponent (AssayLower *self, double *exponent, GError **error)
{
  AssayTensor *tensor = assay_graph_constant (self->graph, assay_node_input (self->node, 1));

  if (tensor == NULL || assay_tensor_get_n_elements (tensor) == 0)
    return assay_lower_refuse (self, error, "the exponent must be constant");

  for (gsize i = 0; i < assay_tensor_get_n_elements (tensor); i++)
    {
      double value;

      if (!assay_tensor_get_element (tensor, i, &value, error))
        return FALSE;
      if (i > 0 && value != *exponent)
        return assay_lower_refuse (self, error, "the exponents %g and %g differ", *exponent, value);
      *exponent = value;
    }

  if (!(fabs (*exponent) <= 8) || *exponent * 2 != trunc (*exponent * 2))
    return assay_lower_refuse (
        self, error, "exponent %g, multiples of 0.5 from -8 to 8 are possible", *exponent);

  return TRUE;
}

/* Small constant exponents: the product of as many factors from left to right, the square root for
 * a half, and the reciprocal of that if the exponent is negative. Each step but the last stays
 * fp32. */
gboolean
assay_lower_power (AssayLower *self, GError **error)
{
  AssayLowTensor *out = assay_lower_output (self, 0);
  AssayFunction function = ASSAY_N_FUNCTIONS;
  double exponent = 0;
  guint products;
  gboolean half;

  if (!read_exponent (self, &exponent, error))
    return FALSE;

  products = (guint) fabs (exponent);
  half = fabs (exponent) != products;
  if (half && products == 0)
    function = exponent < 0 ? ASSAY_FUNCTION_RSQRT : ASSAY_FUNCTION_SQRT;
  else if (exponent < 0)
    function = ASSAY_FUNCTION_RECIPROCAL;

  for (guint32 v = 0; v < out->n_vectors; v++)
    {
      AssayLirOperand x = assay_lower_operand (self, assay_lower_input (self, 0), out, v);
      AssayLirOperand result = exponent == 0 ? assay_lir_immediate (1) : x;

      for (guint i = 1; i < products; i++)
        {
          AssayLirId d = assay_lower_new_scratch (self, out->lanes);

          assay_lower_emit (self, ASSAY_OPCODE_MUL, d, ASSAY_ROUND_F32, result, x);
          result = assay_lir_use (d);
        }
      if (half && products > 0)
        {
          AssayLirOperand root = function_in_fp32 (self, ASSAY_FUNCTION_SQRT, out->lanes, x);
          AssayLirId d = assay_lower_new_scratch (self, out->lanes);

          assay_lower_emit (self, ASSAY_OPCODE_MUL, d, ASSAY_ROUND_F32, result, root);
          result = assay_lir_use (d);
        }

      if (function != ASSAY_N_FUNCTIONS)
        result = function_in_fp32 (self, function, out->lanes, result);
      out->vectors[v] = round_last (self, result, out->lanes);
    }

  return TRUE;
}

/* A comparison is done by the Where that reads it. */
gboolean
assay_lower_fused (AssayLower *self, GError **error)
{
  return TRUE;
}

gboolean
assay_lower_where (AssayLower *self, GError **error)
{
  AssayLowTensor *out = assay_lower_output (self, 0);
  const AssayValue *condition = assay_graph_value (self->graph, self->node->inputs[0]);
  const AssayNode *compare = assay_graph_node (self->graph, condition->producer);
  gboolean less = compare->op == ASSAY_OP_Less || compare->op == ASSAY_OP_LessOrEqual;
  gboolean equal = compare->op == ASSAY_OP_GreaterOrEqual || compare->op == ASSAY_OP_LessOrEqual;

  if (!less && !equal && compare->op != ASSAY_OP_Greater)
    return assay_lower_refuse (self, error, "the condition %s must be an inequality",
                               condition->name);

  for (guint32 v = 0; v < out->n_vectors; v++)
    {
      AssayLirOperand left = assay_lower_operand (self, &self->tensors[compare->inputs[0]], out, v);
      AssayLirOperand right = assay_lower_operand (self, &self->tensors[compare->inputs[1]], out,
                                                   v);
      AssayLirOperand yes = assay_lower_operand (self, assay_lower_input (self, 1), out, v);
      AssayLirOperand no = assay_lower_operand (self, assay_lower_input (self, 2), out, v);
      AssayLirOp *op;

      out->vectors[v] = assay_lower_new_vector (self, ASSAY_TENSOR_ACTIVATION, out->lanes);
      op = assay_lower_emit (self, equal ? ASSAY_OPCODE_SELECT_GE : ASSAY_OPCODE_SELECT_GT,
                             out->vectors[v], ASSAY_ROUND_BF16, less ? right : left,
                             less ? left : right);
      op->c = yes;
      op->e = no;
    }

  return TRUE;
}
