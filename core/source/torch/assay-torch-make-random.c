/* assay-torch-make-random.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Numbers that are drawn. Nobody can say which, only of what type, shape and distribution they are.
 */
#include "source/torch/assay-torch-lower-private.h"

#define ONE(op, a) assay_torch_one (self, ASSAY_OP_##op, a)
#define TWO(op, a, b) assay_torch_two (self, ASSAY_OP_##op, a, b)

/* Of the shape of a tensor, even between two numbers or normal around one. */
AssayValueId
assay_torch_draw (AssayTorchLower *self, AssayOp op, AssayValueId shape, AssayDType dtype, double a,
                  double b)
{
  AssayValueId x = TWO (Expand, assay_torch_scalar (self, dtype, 0.0), shape);
  AssayValueId output;
  AssayNodeId node;

  if (x == ASSAY_NO_VALUE)
    return ASSAY_NO_VALUE;
  node = assay_torch_node (self, op, 1, &x, 1, &output);
  assay_graph_set_float (self->graph, node, op == ASSAY_OP_RandomNormalLike ? "mean" : "low", a);
  assay_graph_set_float (self->graph, node, op == ASSAY_OP_RandomNormalLike ? "scale" : "high", b);
  assay_torch_infer (self, node);

  return output;
}

/* As another tensor is: operand 1 has the element type (0), or two numbers of the distribution
 * (1). */
gboolean
assay_torch_make_random_like (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayDType dtype;
  double a = 0.0;
  double b = 1.0;

  if (!assay_torch_get_tensor (self, 0, &x))
    return FALSE;
  dtype = assay_torch_dtype (self, x);
  if (rule->argument == 0
          ? !assay_torch_get_dtype (self, 1, &dtype)
          : (!assay_torch_get_float (self, 1, &a) || !assay_torch_get_float (self, 2, &b)))
    return FALSE;
  if (!assay_dtype_is_float (dtype))
    return assay_torch_cannot (self, "numbers of type %s are drawn", assay_dtype_name (dtype));

  return assay_torch_result (
      self, 0, assay_torch_draw (self, rule->op, assay_torch_shape (self, x), dtype, a, b));
}

/* Of a shape; the element type is operand @argument. */
gboolean
assay_torch_make_random (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId shape = assay_torch_as_shape (self, assay_torch_arg (self, 0));
  AssayDType dtype = ASSAY_DTYPE_F32;

  return shape != ASSAY_NO_VALUE && assay_torch_get_dtype (self, (guint) rule->argument, &dtype) &&
         assay_torch_result (self, 0, assay_torch_draw (self, rule->op, shape, dtype, 0.0, 1.0));
}

/* Integers below a number (0), or between two (1). */
gboolean
assay_torch_make_random_integer (AssayTorchLower *self, const AssayTorchRule *rule)
{
  guint at = (guint) rule->argument + 1;
  double low = 0.0;
  double high;
  AssayDType dtype = ASSAY_DTYPE_I64;
  AssayValueId shape = assay_torch_as_shape (self, assay_torch_arg (self, at));

  if ((rule->argument == 1 && !assay_torch_get_float (self, 0, &low)) ||
      !assay_torch_get_float (self, (guint) rule->argument, &high) || shape == ASSAY_NO_VALUE ||
      !assay_torch_get_dtype (self, at + 1, &dtype))
    return FALSE;

  return assay_torch_result (
      self, 0,
      assay_torch_cast (self,
                        ONE (Floor, assay_torch_draw (self, ASSAY_OP_RandomUniformLike, shape,
                                                      ASSAY_DTYPE_F32, low, high)),
                        dtype));
}

/* Ones as often as a number says (0), or as the elements say (1). */
gboolean
assay_torch_make_bernoulli (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayValueId p;
  AssayDType dtype;
  double probability;

  if (!assay_torch_get_tensor (self, 0, &x))
    return FALSE;
  dtype = assay_torch_dtype (self, x);
  p = assay_torch_cast (self, x, ASSAY_DTYPE_F32);
  if (rule->argument == 0)
    {
      if (!assay_torch_get_float (self, 1, &probability))
        return FALSE;
      p = assay_torch_scalar (self, ASSAY_DTYPE_F32, probability);
    }
  else if (self->op->n_operands > 2)
    {
      if (!assay_torch_get_tensor (self, 1, &p))
        return FALSE;
      p = assay_torch_cast (self, p, ASSAY_DTYPE_F32);
    }
  p = TWO (Less,
           assay_torch_draw (self, ASSAY_OP_RandomUniformLike, assay_torch_shape (self, x),
                             ASSAY_DTYPE_F32, 0.0, 1.0),
           p);

  return assay_torch_result (self, 0, assay_torch_cast (self, p, dtype));
}

/* The exponential distribution: logarithms of what is even between nothing and one. What is drawn
 * may be 0 and is never 1. */
gboolean
assay_torch_make_exponential (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayDType dtype;
  double rate = 1.0;

  if (!assay_torch_get_tensor (self, 0, &x) ||
      (!assay_torch_is_none (self, 1) && !assay_torch_get_float (self, 1, &rate)))
    return FALSE;
  dtype = assay_torch_dtype (self, x);
  x = assay_torch_draw (self, ASSAY_OP_RandomUniformLike, assay_torch_shape (self, x), dtype, 0.0,
                        1.0);

  return assay_torch_result (self, 0,
                             TWO (Mul,
                                  ONE (Log, TWO (Sub, assay_torch_scalar (self, dtype, 1.0), x)),
                                  assay_torch_scalar (self, dtype, -1.0 / rate)));
}

/* Places that are drawn one after the other and not put back: those of the largest logarithms with
 * noise that has the Gumbel distribution. */
static AssayValueId
draw_without_replacement (AssayTorchLower *self, AssayValueId x, gint64 n)
{
  AssayDType dtype = assay_torch_dtype (self, x);
  AssayValueId noise = assay_torch_draw (self, ASSAY_OP_RandomUniformLike,
                                         assay_torch_shape (self, x), dtype, 0.0, 1.0);
  AssayValueId inputs[2];
  AssayValueId outputs[2];

  noise = ONE (Log, ONE (Neg, ONE (Log, noise)));
  inputs[0] = TWO (Sub, ONE (Log, x), noise);
  inputs[1] = assay_torch_ints (self, 1, &n);
  if (inputs[0] == ASSAY_NO_VALUE || inputs[1] == ASSAY_NO_VALUE)
    return ASSAY_NO_VALUE;
  assay_torch_infer (self, assay_torch_node (self, ASSAY_OP_TopK, 2, inputs, 2, outputs));

  return outputs[1];
}

/* Places that are drawn with probabilities, which need not sum up to one. */
gboolean
assay_torch_make_multinomial (AssayTorchLower *self, const AssayTorchRule *rule)
{
  AssayValueId x;
  AssayValueId output;
  AssayNodeId node;
  gint64 first = 0;
  gint64 n;
  gboolean puts_back = FALSE;
  guint rank;

  if (!assay_torch_get_tensor (self, 0, &x) || !assay_torch_rank (self, x, &rank) || rank < 1 ||
      rank > 2 || !assay_torch_get_int (self, 1, &n) ||
      (!assay_torch_is_none (self, 2) && !assay_torch_get_bool (self, 2, &puts_back)))
    return FALSE;
  if (!puts_back)
    return assay_torch_result (self, 0, draw_without_replacement (self, x, n));
  if (rank == 1)
    x = assay_torch_unsqueeze (self, x, 1, &first);
  x = ONE (Log, x);
  node = assay_torch_node (self, ASSAY_OP_Multinomial, 1, &x, 1, &output);
  assay_graph_set_int (self->graph, node, "dtype", ASSAY_DTYPE_I64);
  assay_graph_set_int (self->graph, node, "sample_size", n);
  assay_torch_infer (self, node);

  return assay_torch_result (
      self, 0, rank == 1 ? TWO (Squeeze, output, assay_torch_ints (self, 1, &first)) : output);
}
