/* assay-machine-execute.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What each instruction does to the stores, to the bit of docs/numerics.md.
 */
#include "backend/stream/machine/assay-machine-private.h"

#include <string.h>

#include "base/assay-bf16.h"
#include "backend/stream/machine/assay-lanes.h"

/* The values of a source as one vector, in place where possible; of a constant, the part that the
 * core works on. */
static const float *
read_vector (const AssayHand *hand, const AssayInstruction *instruction,
             const AssayOperand *operand, guint which)
{
  AssayMachine *self = hand->machine;
  float *scratch = hand->scratch[which];
  guint core = instruction->core;
  guint32 first_block = instruction->first_block;
  gsize lanes = instruction->lanes;
  const float *constant;
  float value;

  switch (operand->store)
    {
    case ASSAY_STORE_CONSTANT:
      constant = (operand->fp32 ? self->constants : self->rounded)[operand->base];
      if (!operand->repeat)
        return constant + (gsize) first_block * self->block;
      value = constant[0];
      break;
    case ASSAY_STORE_IMMEDIATE:
      value = assay_f32_from_bits (operand->base);
      if (!operand->fp32 && (self->flags & ASSAY_MACHINE_FP32) == 0)
        self->kernels->round (ASSAY_ROUND_BF16, &value, &value, 1);
      break;
    default:
      /* Old state that has not been pushed yet is zero. */
      if (operand->ring != 0 && self->pushes[operand->ring - 1] < operand->age)
        {
          value = 0;
          break;
        }
      if (!operand->repeat)
        return assay_machine_address (self, core, operand);
      value = assay_machine_address (self, core, operand)[0];
      break;
    }

  for (gsize i = 0; i < lanes; i++)
    scratch[i] = value;

  return scratch;
}

static void
write_vector (AssayMachine *self, const AssayInstruction *instruction, const float *values)
{
  gsize lanes = instruction->lanes;
  gsize padding = assay_machine_padded (self, lanes) - lanes;
  guint64 cores = assay_instruction_cores (instruction);

  for (guint core = 0; cores != 0; core++, cores >>= 1)
    {
      float *d;

      if ((cores & 1) == 0)
        continue;

      d = assay_machine_address (self, core, &instruction->d);
      memcpy (d, values, lanes * sizeof *d);
      memset (d + lanes, 0, padding * sizeof *d);
    }
}

static const AssayTransfer *
transfer_of (const AssayMachine *self, const AssayInstruction *instruction)
{
  return &self->transfers[instruction - (const AssayInstruction *) self->code->instructions->data];
}

static void
run_input (const AssayHand *hand, const AssayInstruction *instruction)
{
  AssayMachine *self = hand->machine;
  const AssayTransfer *transfer = transfer_of (self, instruction);
  const float *src = hand->inputs[transfer->port] + transfer->lane;
  float *values = hand->scratch[0];

  if ((self->flags & (ASSAY_MACHINE_TRUNCATE | ASSAY_MACHINE_FP32)) == ASSAY_MACHINE_TRUNCATE &&
      instruction->round == ASSAY_ROUND_BF16)
    {
      for (gsize i = 0; i < instruction->lanes; i++)
        values[i] = assay_bf16_to_f32 (assay_bf16_truncate_f32 (src[i]));
    }
  else
    {
      self->kernels->round (assay_machine_rounding (self, instruction), values, src,
                            instruction->lanes);
    }

  write_vector (self, instruction, values);
}

static void
run_output (const AssayHand *hand, const AssayInstruction *instruction)
{
  const AssayTransfer *transfer = transfer_of (hand->machine, instruction);

  memcpy (hand->outputs[transfer->port] + transfer->lane,
          read_vector (hand, instruction, &instruction->a, 0), instruction->lanes * sizeof (float));
}

/* Products that add to different sums, to be run as one. */
typedef struct
{
  AssayProduct products[ASSAY_JOINED_PRODUCTS];
  guint n;
} Batch;

static void
batch_run (Batch *self, const AssayMachine *machine)
{
  assay_weights_multiply (machine->weights, machine->kernels, self->products, self->n);
  self->n = 0;
}

/* Whether a product adds to sums that none of the others adds to. */
static gboolean
adds_elsewhere (const AssayProduct *product, const Batch *others)
{
  const float *begin = product->acc + product->first_row;

  for (guint i = 0; i < others->n; i++)
    {
      const AssayProduct *other = &others->products[i];
      const float *first = other->acc + other->first_row;

      if (begin < first + other->n_rows && first < begin + product->n_rows)
        return FALSE;
    }

  return TRUE;
}

/* Adds rows of a product, if there is anything to add: a window that is not yet full is padding,
 * and padding contributes nothing. */
static void
batch_add (Batch *self, AssayMachine *machine, const AssayInstruction *instruction,
           guint32 first_row, guint32 n_rows)
{
  guint core = instruction->core;
  AssayProduct product;

  if (instruction->a.ring != 0 && machine->pushes[instruction->a.ring - 1] < instruction->a.age)
    return;

  product = (AssayProduct){ instruction->weights, first_row, n_rows,
                            assay_machine_address (machine, core, &instruction->d),
                            assay_machine_address (machine, core, &instruction->a) };
  if (self->n == G_N_ELEMENTS (self->products) || !adds_elsewhere (&product, self))
    batch_run (self, machine);
  self->products[self->n++] = product;
}

/**
 * assay_hand_multiply:
 * @hand: who does it
 * @tasks: (array length=n): rows of products
 * @n: how many
 *
 * Runs parts of products as one; all parts together are the products, in any order.
 */
void
assay_hand_multiply (const AssayHand *hand, const AssayTask *tasks, guint n)
{
  AssayMachine *self = hand->machine;
  Batch batch;

  batch.n = 0;
  for (guint i = 0; i < n; i++)
    batch_add (&batch, self,
               &g_array_index (self->code->instructions, AssayInstruction, tasks[i].instruction),
               tasks[i].first_row, tasks[i].n_rows);
  batch_run (&batch, self);
}

/**
 * assay_hand_execute_some:
 * @hand: who does it
 * @first: (array length=n): instructions that are to be run
 * @n: how many, at least one
 *
 * Runs the first of some instructions. If that is a product, those behind it go with it: a layer is
 * a matrix for each core, and two that are read at once are read faster.
 *
 * Returns: how many it ran
 */
guint32
assay_hand_execute_some (const AssayHand *hand, const AssayInstruction *first, guint32 n)
{
  Batch batch;
  guint32 taken = 0;

  if (first->opcode != ASSAY_OPCODE_MATRIX)
    {
      assay_hand_execute (hand, first);
      return 1;
    }

  batch.n = 0;
  for (; taken < MIN (n, ASSAY_JOINED_PRODUCTS) && first[taken].opcode == ASSAY_OPCODE_MATRIX &&
         first[taken].deferred == first->deferred && first[taken].reset == first->reset;
       taken++)
    batch_add (&batch, hand->machine, &first[taken], 0, first[taken].lanes);
  batch_run (&batch, hand->machine);

  return taken;
}

static void
run_matrix (const AssayHand *hand, const AssayInstruction *instruction)
{
  (void) assay_hand_execute_some (hand, instruction, 1);
}

static void
run_start (const AssayHand *hand, const AssayInstruction *instruction)
{
  AssayMachine *self = hand->machine;
  float *acc = assay_machine_address (self, instruction->core, &instruction->d);

  if (instruction->b.store == ASSAY_STORE_NONE)
    memset (acc, 0, instruction->lanes * sizeof *acc);
  else
    memcpy (acc,
            self->constants[instruction->b.base] + (gsize) instruction->first_block * self->block,
            instruction->lanes * sizeof *acc);
}

/* Gates in fp32 from the accumulators, cell state fp32, hidden state rounded once. The four gates
 * of a hidden block lie behind one another: input, output, forget, cell. */
static void
run_lstm (const AssayHand *hand, const AssayInstruction *instruction)
{
  AssayMachine *self = hand->machine;
  const AssayKernels *k = self->kernels;
  const float *gates = assay_machine_address (self, instruction->core, &instruction->a);
  float *cells = assay_machine_address (self, instruction->core, &instruction->c);
  float *hidden = hand->scratch[4];
  float *in = hand->scratch[0];
  float *out = hand->scratch[1];
  float *forget = hand->scratch[2];
  float *update = hand->scratch[3];

  for (gsize at = 0; at < instruction->lanes; at += self->block)
    {
      const float *gate = gates + 4 * at;
      float *cell = cells + at;
      gsize n = MIN (self->block, instruction->lanes - at);

      /* The gates of a block lie one behind the other, without padding between them. */
      k->function (ASSAY_FUNCTION_SIGMOID, ASSAY_ROUND_F32, in, gate, n);
      k->function (ASSAY_FUNCTION_SIGMOID, ASSAY_ROUND_F32, out, gate + n, n);
      k->function (ASSAY_FUNCTION_SIGMOID, ASSAY_ROUND_F32, forget, gate + 2 * n, n);
      k->function (ASSAY_FUNCTION_TANH, ASSAY_ROUND_F32, update, gate + 3 * n, n);
      k->pointwise (ASSAY_POINTWISE_MUL, ASSAY_ROUND_F32, in, in, update, n);
      k->pointwise (ASSAY_POINTWISE_MUL, ASSAY_ROUND_F32, forget, forget, cell, n);
      k->pointwise (ASSAY_POINTWISE_ADD, ASSAY_ROUND_F32, cell, forget, in, n);
      k->function (ASSAY_FUNCTION_TANH, ASSAY_ROUND_F32, update, cell, n);
      k->pointwise (ASSAY_POINTWISE_MUL, assay_machine_rounding (self, instruction), hidden + at,
                    out, update, n);
    }

  write_vector (self, instruction, hidden);
}

static void
run_shift (const AssayHand *hand, const AssayInstruction *instruction)
{
  AssayMachine *self = hand->machine;
  const float *src = read_vector (hand, instruction, &instruction->a, 0);

  float *d = assay_machine_address (self, instruction->core, &instruction->d);

  /* The first run that goes into a vector clears what the address held before, padding included. */
  if (instruction->clears > 0)
    memset (d, 0, assay_machine_padded (self, instruction->clears) * sizeof *d);
  memmove (d + instruction->high.lane, src + instruction->low.lane, instruction->lanes * sizeof *d);
}

static void
run_to_block (const AssayHand *hand, const AssayInstruction *instruction)
{
  AssayMachine *self = hand->machine;
  const float *a = read_vector (hand, instruction, &instruction->a, 0);
  float *d = assay_machine_address (self, instruction->core, &instruction->d);
  float value;

  switch (instruction->opcode)
    {
    case ASSAY_OPCODE_SUM:
      value = assay_lanes_sum (a, instruction->lanes) * instruction->low.bound;
      value += instruction->high.bound;
      break;
    case ASSAY_OPCODE_LANE_MAX:
    case ASSAY_OPCODE_LANE_MIN:
      value = a[0];
      for (gsize i = 1; i < instruction->lanes; i++)
        self->kernels->pointwise (instruction->opcode == ASSAY_OPCODE_LANE_MAX
                                      ? ASSAY_POINTWISE_MAX
                                      : ASSAY_POINTWISE_MIN,
                                  ASSAY_ROUND_F32, &value, &value, a + i, 1);
      break;
    default:
      value = a[instruction->low.lane];
      break;
    }

  self->kernels->round (assay_machine_rounding (self, instruction), &value, &value, 1);
  for (gsize i = 0; i < self->block; i++)
    d[i] = value;
}

static void
run_select (const AssayHand *hand, const AssayInstruction *instruction)
{
  AssayMachine *self = hand->machine;
  gsize n = instruction->lanes;
  gboolean equal_too = instruction->opcode == ASSAY_OPCODE_SELECT_GE;
  const float *a = read_vector (hand, instruction, &instruction->a, 0);
  const float *b = read_vector (hand, instruction, &instruction->b, 1);
  const float *c = read_vector (hand, instruction, &instruction->c, 2);
  const float *e = read_vector (hand, instruction, &instruction->e, 3);
  float *result = hand->scratch[4];

  for (gsize i = 0; i < n; i++)
    result[i] = (equal_too ? a[i] >= b[i] : a[i] > b[i]) ? c[i] : e[i];

  self->kernels->round (assay_machine_rounding (self, instruction), result, result, n);
  write_vector (self, instruction, result);
}

static void
run_vector (const AssayHand *hand, const AssayInstruction *instruction)
{
  AssayMachine *self = hand->machine;
  static const guint8 pointwise[ASSAY_N_OPCODES] = {
    [ASSAY_OPCODE_ADD] = ASSAY_POINTWISE_ADD, [ASSAY_OPCODE_SUB] = ASSAY_POINTWISE_SUB,
    [ASSAY_OPCODE_MUL] = ASSAY_POINTWISE_MUL, [ASSAY_OPCODE_DIV] = ASSAY_POINTWISE_DIV,
    [ASSAY_OPCODE_MIN] = ASSAY_POINTWISE_MIN, [ASSAY_OPCODE_MAX] = ASSAY_POINTWISE_MAX,
  };
  const AssayKernels *k = self->kernels;
  AssayRound round = assay_machine_rounding (self, instruction);
  gsize n = instruction->lanes;
  const float *a = read_vector (hand, instruction, &instruction->a, 0);
  float *result = hand->scratch[2];

  switch (instruction->opcode)
    {
    case ASSAY_OPCODE_MOVE:
      k->round (round, result, a, n);
      break;
    case ASSAY_OPCODE_CLAMP:
      k->clamp (round, result, a, instruction->low.bound, instruction->high.bound, n);
      break;
    case ASSAY_OPCODE_FUNCTION:
      k->function ((AssayFunction) instruction->function, round, result, a, n);
      break;
    default:
      k->pointwise ((AssayPointwise) pointwise[instruction->opcode], round, result, a,
                    read_vector (hand, instruction, &instruction->b, 1), n);
      if (instruction->clamps)
        k->clamp (ASSAY_ROUND_F32, result, result, instruction->low.bound, instruction->high.bound,
                  n);
      break;
    }

  write_vector (self, instruction, result);
}

static void
run_scale_add (const AssayHand *hand, const AssayInstruction *instruction)
{
  AssayMachine *self = hand->machine;
  gsize n = instruction->lanes;
  float *acc;
  const float *a;
  const float *b;

  if (instruction->a.ring != 0 && self->pushes[instruction->a.ring - 1] < instruction->a.age)
    return;

  acc = assay_machine_address (self, instruction->core, &instruction->d);
  a = read_vector (hand, instruction, &instruction->a, 0);
  b = read_vector (hand, instruction, &instruction->b, 1);

  for (gsize i = 0; i < n; i++)
    acc[i] = __builtin_fmaf (b[i], a[i], acc[i]);
}

static void
run_reset (const AssayHand *hand, const AssayInstruction *instruction)
{
  AssayMachine *self = hand->machine;
  self->pushes[instruction->d.ring - 1] = 0;
}

typedef void (*ExecuteFunc) (const AssayHand *hand, const AssayInstruction *instruction);

static const ExecuteFunc functions[ASSAY_N_OPCODES] = {
  [ASSAY_OPCODE_INPUT] = run_input,       [ASSAY_OPCODE_OUTPUT] = run_output,
  [ASSAY_OPCODE_MATRIX] = run_matrix,     [ASSAY_OPCODE_RESET] = run_reset,
  [ASSAY_OPCODE_START] = run_start,       [ASSAY_OPCODE_SCALE_ADD] = run_scale_add,
  [ASSAY_OPCODE_LSTM] = run_lstm,         [ASSAY_OPCODE_SHIFT] = run_shift,
  [ASSAY_OPCODE_SUM] = run_to_block,      [ASSAY_OPCODE_LANE_MAX] = run_to_block,
  [ASSAY_OPCODE_LANE_MIN] = run_to_block, [ASSAY_OPCODE_SPREAD] = run_to_block,
  [ASSAY_OPCODE_SELECT_GT] = run_select,  [ASSAY_OPCODE_SELECT_GE] = run_select,
  [ASSAY_OPCODE_MOVE] = run_vector,       [ASSAY_OPCODE_CLAMP] = run_vector,
  [ASSAY_OPCODE_ADD] = run_vector,        [ASSAY_OPCODE_SUB] = run_vector,
  [ASSAY_OPCODE_MUL] = run_vector,        [ASSAY_OPCODE_DIV] = run_vector,
  [ASSAY_OPCODE_MIN] = run_vector,        [ASSAY_OPCODE_MAX] = run_vector,
  [ASSAY_OPCODE_FUNCTION] = run_vector,
};

/**
 * assay_hand_execute:
 * @hand: who does it
 * @instruction: an instruction of the program of its machine
 *
 * Runs one instruction.
 */
void
assay_hand_execute (const AssayHand *hand, const AssayInstruction *instruction)
{
  functions[instruction->opcode](hand, instruction);
}
