/* assay-range-warnings.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What may overflow or vanish: weights are looked at one by one; results are bounded by interval
 * arithmetic over the instructions, given how large inputs are. Intervals are wider than what
 * happens: what is not warned of cannot overflow, what is warned of may not. Where they say nothing
 * (a division by what may be zero, a state that grows), no warning is given.
 */
#include "backend/stream/compile/assay-range-warnings.h"

#include <math.h>
#include <string.h>

#include "backend/stream/machine/assay-touch.h"

#define BF16_LARGEST 0x1.fep127
/* Half of the least number of a type, which is rounded to zero. */
#define BF16_VANISHES 0x1p-134
#define FP8_LARGEST 448.0
#define FP8_VANISHES 0x1p-10
/* Times that a streamed model is followed, so that states reach the size they have, if they have
 * one. */
#define N_STEPS 4

typedef struct
{
  double low;
  double high;
  guint32 max_of; /* 1 + the block whose vector it is the greatest lane of */
} Interval;

/* Sums of the positive and of the negative weights of a row. */
typedef struct
{
  double positive;
  double negative;
} RowSum;

typedef struct
{
  const AssayStreamCode *code;
  double largest_input;
  Interval *blocks[ASSAY_MAX_CORES][ASSAY_N_STORES];
  RowSum **rows; /* per placed matrix */
  GArray *warnings;
  guint model;
  gboolean reports;
} Ranges;

static const Interval unknown = { -INFINITY, INFINITY, 0 };

static gboolean
is_known (Interval interval)
{
  return isfinite (interval.low) && isfinite (interval.high);
}

static Interval
hull (Interval a, Interval b)
{
  return (Interval){ MIN (a.low, b.low), MAX (a.high, b.high), 0 };
}

static Interval
span (double a, double b)
{
  return isnan (a) || isnan (b) ? unknown : (Interval){ MIN (a, b), MAX (a, b), 0 };
}

static void
warn (Ranges *self, AssayRangeKind kind, guint32 node, guint32 count, double largest)
{
  const AssayRangeWarning warning = { kind, node, self->model, count, largest };

  for (guint i = 0; i < self->warnings->len; i++)
    {
      AssayRangeWarning *other = &g_array_index (self->warnings, AssayRangeWarning, i);

      if (other->kind == kind && other->node == node && other->model == self->model)
        {
          other->largest = MAX (other->largest, largest);
          return;
        }
    }
  g_array_append_val (self->warnings, warning);
}

static void
check_weights (Ranges *self, guint32 matrix, guint32 node)
{
  const AssayMatrix *m = &g_array_index (self->code->matrices, AssayMatrix, matrix);
  const float *values = assay_tensor_get_data (m->tensor, NULL, NULL);
  double most = m->fp8 ? FP8_LARGEST : BF16_LARGEST;
  double least = m->fp8 ? FP8_VANISHES : BF16_VANISHES;
  guint32 n_large = 0, n_small = 0;
  double largest = 0, lost = 0;

  for (gsize i = 0; i < (gsize) m->n_outputs * m->n_inputs; i++)
    {
      double size = fabs ((double) values[i]);

      largest = MAX (largest, size);
      n_large += size > most;
      n_small += size > 0 && size <= least;
      lost = size <= least ? MAX (lost, size) : lost;
    }

  if (n_large > 0)
    warn (self, ASSAY_RANGE_WEIGHTS_OVERFLOW, node, n_large, largest);
  if (n_small > 0)
    warn (self, ASSAY_RANGE_WEIGHTS_VANISH, node, n_small, lost);
}

static const RowSum *
rows_of (Ranges *self, guint32 placed)
{
  const AssayPlacedMatrix *part = &g_array_index (self->code->placed, AssayPlacedMatrix, placed);
  const AssayMatrix *matrix = &g_array_index (self->code->matrices, AssayMatrix, part->matrix);
  const float *values = assay_tensor_get_data (matrix->tensor, NULL, NULL);

  if (self->rows[placed] != NULL)
    return self->rows[placed];

  self->rows[placed] = g_new0 (RowSum, part->n_rows);
  for (gsize row = 0; row < part->n_rows; row++)
    for (gsize k = 0; k < matrix->n_inputs; k++)
      {
        double w = (double) values[(part->first_row + row) * matrix->n_inputs + k];

        if (w > 0)
          self->rows[placed][row].positive += w;
        else
          self->rows[placed][row].negative += w;
      }

  return self->rows[placed];
}

static Interval
read_constant (const AssayTensor *tensor)
{
  const float *values = assay_tensor_get_data ((AssayTensor *) tensor, NULL, NULL);
  gsize n = assay_tensor_get_n_elements ((AssayTensor *) tensor);
  Interval result = { INFINITY, -INFINITY, 0 };

  for (gsize i = 0; i < n; i++)
    result = hull (result, span ((double) values[i], (double) values[i]));

  return n == 0 ? unknown : result;
}

static Interval
read_source (const Ranges *self, const AssayInstruction *instruction, AssaySlot slot)
{
  const AssayOperand *operand = &instruction->operands[slot];
  const Interval *blocks;
  AssayTouch touch;
  Interval result;
  float value;

  if (operand->store == ASSAY_STORE_CONSTANT)
    return read_constant (g_ptr_array_index (self->code->constants, operand->base));
  if (operand->store == ASSAY_STORE_IMMEDIATE)
    {
      memcpy (&value, &operand->base, sizeof value);
      return span ((double) value, (double) value);
    }
  if (!assay_instruction_touch (self->code, instruction, slot, &touch))
    return (Interval){ 0 };

  blocks = self->blocks[instruction->core][touch.store];
  result = blocks[touch.base];
  for (guint32 i = 1; i < touch.blocks; i++)
    result = hull (result, blocks[touch.base + i]);

  return result;
}

static Interval
apply_function (guint function, Interval a)
{
  switch (function)
    {
    case ASSAY_FUNCTION_SIGMOID:
      return span (0, 1);
    case ASSAY_FUNCTION_TANH:
    case ASSAY_FUNCTION_ERF:
      return span (-1, 1);
    case ASSAY_FUNCTION_EXP:
      return is_known (a) ? span (exp (a.low), exp (a.high)) : unknown;
    case ASSAY_FUNCTION_EXP2:
      return is_known (a) ? span (exp2 (a.low), exp2 (a.high)) : unknown;
    case ASSAY_FUNCTION_LOG:
      return is_known (a) && a.low > 0 ? span (log (a.low), log (a.high)) : unknown;
    case ASSAY_FUNCTION_SQRT:
      return is_known (a) && a.low >= 0 ? span (sqrt (a.low), sqrt (a.high)) : unknown;
    case ASSAY_FUNCTION_SOFTPLUS:
      return is_known (a) ? span (0, MAX (a.high, 0) + 1) : unknown;
    case ASSAY_FUNCTION_RSQRT:
      return is_known (a) && a.low > 0 ? span (1 / sqrt (a.low), 1 / sqrt (a.high)) : unknown;
    case ASSAY_FUNCTION_RECIPROCAL:
      return is_known (a) && (a.low > 0 || a.high < 0) ? span (1 / a.low, 1 / a.high) : unknown;
    default:
      /* Silu and gelu: never below -1, never above their operand. */
      return is_known (a) ? span (-1, MAX (a.high, 0)) : unknown;
    }
}

static Interval
multiply (Interval a, Interval b)
{
  if (!is_known (a) || !is_known (b))
    return unknown;

  return hull (span (a.low * b.low, a.low * b.high), span (a.high * b.low, a.high * b.high));
}

static Interval
multiply_matrix (Ranges *self, const AssayInstruction *instruction, Interval before, Interval x)
{
  const RowSum *rows = rows_of (self, instruction->weights);
  Interval result = { INFINITY, -INFINITY, 0 };

  if (!is_known (x) || !is_known (before))
    return unknown;
  for (guint32 row = 0; row < instruction->lanes; row++)
    result = hull (
        result,
        (Interval){ before.low + rows[row].positive * x.low + rows[row].negative * x.high,
                    before.high + rows[row].positive * x.high + rows[row].negative * x.low, 0 });

  return result;
}

static Interval
subtract (const AssayInstruction *instruction, Interval a, Interval b)
{
  Interval result = { a.low - b.high, a.high - b.low, 0 };

  /* From a vector, its own greatest lane: no result is above zero. */
  if (b.max_of != 0 && b.max_of == 1 + instruction->a.base &&
      instruction->a.store == ASSAY_STORE_TENSOR)
    result.high = 0;

  return result;
}

static Interval
compute (Ranges *self, const AssayInstruction *i)
{
  Interval a = read_source (self, i, ASSAY_SLOT_A);
  Interval b = read_source (self, i, ASSAY_SLOT_B);
  Interval factor;

  switch (i->opcode)
    {
    case ASSAY_OPCODE_INPUT:
      return span (-self->largest_input, self->largest_input);
    case ASSAY_OPCODE_START:
      return i->b.store == ASSAY_STORE_NONE ? span (0, 0) : b;
    case ASSAY_OPCODE_MATRIX:
      return multiply_matrix (self, i, read_source (self, i, ASSAY_SLOT_D), a);
    case ASSAY_OPCODE_SCALE_ADD:
      factor = multiply (a, b);
      b = read_source (self, i, ASSAY_SLOT_D);
      return (Interval){ b.low + factor.low, b.high + factor.high, 0 };
    case ASSAY_OPCODE_ADD:
      return (Interval){ a.low + b.low, a.high + b.high, 0 };
    case ASSAY_OPCODE_SUB:
      return subtract (i, a, b);
    case ASSAY_OPCODE_MUL:
      return multiply (a, b);
    case ASSAY_OPCODE_DIV:
      return is_known (b) && (b.low > 0 || b.high < 0) ? multiply (a, span (1 / b.low, 1 / b.high))
                                                       : unknown;
    case ASSAY_OPCODE_MIN:
      return (Interval){ MIN (a.low, b.low), MIN (a.high, b.high), 0 };
    case ASSAY_OPCODE_MAX:
      return (Interval){ MAX (a.low, b.low), MAX (a.high, b.high), 0 };
    case ASSAY_OPCODE_SELECT_GT:
    case ASSAY_OPCODE_SELECT_GE:
      return hull (read_source (self, i, ASSAY_SLOT_C), read_source (self, i, ASSAY_SLOT_E));
    case ASSAY_OPCODE_FUNCTION:
      return apply_function (i->function, a);
    case ASSAY_OPCODE_SUM:
      a = multiply (a, span (0, (double) i->low.bound * i->lanes));
      return (Interval){ a.low + (double) i->high.bound, a.high + (double) i->high.bound, 0 };
    case ASSAY_OPCODE_LANE_MAX:
      a.max_of = i->a.store == ASSAY_STORE_TENSOR ? 1 + i->a.base : 0;
      return a;
    case ASSAY_OPCODE_LSTM:
      return span (-1, 1);
    default:
      return a;
    }
}

static void
write_result (Ranges *self, const AssayInstruction *instruction, Interval result)
{
  /* A window holds what was pushed before too, and of a shifted run the rest of the vector stays.
   */
  gboolean moves =
      assay_operand_get_info ((AssayOpcode) instruction->opcode, ASSAY_SLOT_D)->extent ==
      ASSAY_EXTENT_RUN_TO;
  gboolean joins = instruction->d.ring != 0 || (moves && instruction->clears == 0);
  AssayTouch touch;

  if (moves)
    result = hull (result, span (0, 0));
  if (!assay_instruction_touch (self->code, instruction, ASSAY_SLOT_D, &touch))
    return;

  for (guint core = 0; core < self->code->config.num_cores; core++)
    {
      if ((touch.cores >> core & 1) == 0)
        continue;
      for (guint32 block = touch.base; block < touch.base + touch.blocks; block++)
        {
          Interval *at = &self->blocks[core][touch.store][block];

          *at = joins ? hull (*at, result) : result;
        }
    }
}

static void
follow (Ranges *self, const AssayInstruction *instruction)
{
  Interval result = compute (self, instruction);
  double size;

  if (assay_instruction_bounds (instruction))
    result = (Interval){
      CLAMP (result.low, (double) instruction->low.bound, (double) instruction->high.bound),
      CLAMP (result.high, (double) instruction->low.bound, (double) instruction->high.bound), 0
    };
  if (isnan (result.low) || isnan (result.high))
    result = unknown;

  size = MAX (fabs (result.low), fabs (result.high));
  if (self->reports && is_known (result) && instruction->round == ASSAY_ROUND_BF16 &&
      instruction->opcode != ASSAY_OPCODE_INPUT)
    {
      if (size > BF16_LARGEST)
        warn (self, ASSAY_RANGE_OVERFLOWS, instruction->node, 0, size);
      else if (size > 0 && size <= BF16_VANISHES)
        warn (self, ASSAY_RANGE_VANISHES, instruction->node, 0, size);
    }
  /* What is lost here is not found again behind it. */
  write_result (self, instruction,
                size > (instruction->round == ASSAY_ROUND_BF16 ? BF16_LARGEST : 0x1p+1000)
                    ? unknown
                    : result);
}

static void
follow_model (Ranges *self)
{
  const AssayModelEntry *entry = &g_array_index (self->code->models, AssayModelEntry, self->model);
  const AssayInstruction *first = &g_array_index (self->code->instructions, AssayInstruction,
                                                  entry->first);

  for (guint step = 0; step < N_STEPS; step++)
    {
      self->reports = step == 0 || step + 1 == N_STEPS;
      for (guint phase = 0; phase < 3; phase++)
        for (guint32 i = 0; i < entry->n_instructions; i++)
          {
            guint own = first[i].reset ? 0 : first[i].deferred ? 2 : 1;

            if (own == phase && (own != 0 || step == 0) && first[i].opcode != ASSAY_OPCODE_RESET)
              follow (self, &first[i]);
          }
    }

  for (guint32 i = 0; i < entry->n_instructions; i++)
    {
      if (first[i].opcode == ASSAY_OPCODE_MATRIX)
        check_weights (
            self, g_array_index (self->code->placed, AssayPlacedMatrix, first[i].weights).matrix,
            first[i].node);
    }
}

/**
 * assay_stream_code_find_ranges:
 * @code: a program that has been verified
 * @largest_input: the largest magnitude of the values that come in
 *
 * Finds weights that the weight store cannot hold or that become zero, exactly, and results that
 * may be too large or too small for bf16, by interval analysis.
 *
 * Returns: (transfer full) (element-type AssayRangeWarning): what may be lost, in the order of the
 * program
 */
GArray *
assay_stream_code_find_ranges (const AssayStreamCode *code, double largest_input)
{
  g_autofree Ranges *self = g_new0 (Ranges, 1);

  self->code = code;
  self->largest_input = largest_input;
  self->rows = g_new0 (RowSum *, code->placed->len + 1);
  self->warnings = g_array_new (FALSE, FALSE, sizeof (AssayRangeWarning));
  for (guint core = 0; core < code->config.num_cores; core++)
    for (AssayStore store = ASSAY_STORE_TENSOR; store <= ASSAY_STORE_CELL; store++)
      self->blocks[core][store] = g_new0 (Interval, assay_store_depth (&code->config, store) + 1);

  for (self->model = 0; self->model < code->models->len; self->model++)
    follow_model (self);

  for (guint i = 0; i < code->placed->len; i++)
    g_free (self->rows[i]);
  g_free (self->rows);
  for (guint core = 0; core < code->config.num_cores; core++)
    for (AssayStore store = ASSAY_STORE_TENSOR; store <= ASSAY_STORE_CELL; store++)
      g_free (self->blocks[core][store]);

  return self->warnings;
}
