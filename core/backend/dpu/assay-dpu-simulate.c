/* assay-dpu-simulate.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the tools that quantise compute themselves, in floats with every result rounded: no bits are
 * cut off within an operation, and each tool rounds in its own way. Sums of products are exact
 * here, where a tool adds them up in single precision.
 */
#include "backend/dpu/assay-dpu-simulate.h"

#include <math.h>

static double
round_away (double number)
{
  return assay_rounding_apply (ASSAY_ROUNDING_AWAY, number);
}

static double
round_up (double number)
{
  return assay_rounding_apply (ASSAY_ROUNDING_UP, number);
}

static double
round_even (double number)
{
  return assay_rounding_apply (ASSAY_ROUNDING_EVEN, number);
}

/**
 * assay_dpu_simulate_finish:
 * @code: a program
 * @op: a convolution of it
 * @tool: whose simulation it is
 * @finish: (inout): how its sums become results
 * @exact_bias: (out caller-allocates): the bias in units of the sum
 *
 * Makes sums become results as a tool has it.
 */
void
assay_dpu_simulate_finish (const AssayDpuCode *code, const AssayDpuOp *op,
                           const AssayQuantizer *tool, AssayDpuFinish *finish, double *exact_bias)
{
  int product = assay_dpu_code_map (code, op->inputs[0])->position + op->positions[0];
  int position = assay_dpu_code_map (code, op->output)->position;

  for (guint i = 0; i < op->window.oc && op->bias_bits != NULL; i++)
    exact_bias[i] = ldexp ((double) op->bias_bits[i], product - op->positions[1]);
  finish->simulate = tool->activation == ASSAY_ROUNDING_UP     ? round_up
                     : tool->activation == ASSAY_ROUNDING_EVEN ? round_even
                                                               : round_away;
  finish->exact_bias = exact_bias;
  finish->scale = ldexp (1.0, position - product);
  finish->six = ldexp (6.0, position);
}

static double
bound (double value, const AssayDpuOp *op, gsize index)
{
  if (op->finish.activation == ASSAY_DPU_LEAKY && value < 0)
    value *= 26.0 / 256.0;
  if (op->finish.activation == ASSAY_DPU_PRELU && value < 0)
    value *= ldexp ((double) op->slopes[index % op->window.oc], -op->finish.slope_shift);
  if (op->finish.activation == ASSAY_DPU_RELU || op->finish.activation == ASSAY_DPU_RELU6)
    value = MAX (value, 0);

  return op->finish.activation == ASSAY_DPU_RELU6 ? MIN (value, 6.0) : value;
}

/* The number that one element has before it is rounded. */
static double
compute (const AssayDpuCode *code, const AssayDpuOp *op, const gint8 *const *in, gsize index)
{
  double x = ldexp ((double) in[0][index], -assay_dpu_code_map (code, op->inputs[0])->position);
  double sum = x;

  switch (op->kind)
    {
    case ASSAY_DPU_ADD:
      for (guint i = 1; i < op->n_inputs; i++)
        sum += ldexp ((double) in[i][index], -assay_dpu_code_map (code, op->inputs[i])->position);
      return sum;
    case ASSAY_DPU_MULTIPLY:
      return x * ldexp ((double) in[1][index], -assay_dpu_code_map (code, op->inputs[1])->position);
    case ASSAY_DPU_HARD_SIGMOID:
      return CLAMP (x / 6.0 + 0.5, 0.0, 1.0);
    case ASSAY_DPU_HARD_SWISH:
      return x * CLAMP (x / 6.0 + 0.5, 0.0, 1.0);
    default:
      return x;
    }
}

/**
 * assay_dpu_simulate:
 * @code: a program
 * @op: an operation of it
 * @tool: whose simulation it is
 * @in: what goes in
 * @out: (out caller-allocates): what comes out
 *
 * Computes an operation as a tool has it, if that differs from what the device does by more than
 * how sums of products are rounded.
 *
 * Returns: whether it did
 */
gboolean
assay_dpu_simulate (const AssayDpuCode *code, const AssayDpuOp *op, const AssayQuantizer *tool,
                    const gint8 *const *in, gint8 *out)
{
  const AssayDpuMap *map = assay_dpu_code_map (code, op->output);

  if (op->kind != ASSAY_DPU_ADD && op->kind != ASSAY_DPU_MULTIPLY &&
      op->kind != ASSAY_DPU_HARD_SIGMOID && op->kind != ASSAY_DPU_HARD_SWISH &&
      op->kind != ASSAY_DPU_ACTIVATE)
    return FALSE;
  for (gsize i = 0; i < map->n; i++)
    out[i] = assay_position_quantize (bound (compute (code, op, in, i), op, i), map->position,
                                      tool->activation);

  return TRUE;
}
