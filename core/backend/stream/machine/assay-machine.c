/* assay-machine.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Runs programs to the bit of docs/numerics.md. Tensors are held as floats whose values are bf16; a
 * store is one array per core, so that what a program does to addresses happens here too.
 */
#include "backend/stream/machine/assay-machine.h"

#include <string.h>

#include "base/assay-arena.h"
#include "base/assay-bf16.h"
#include "base/assay-error.h"
#include "backend/stream/machine/assay-lanes.h"
#include "backend/stream/machine/assay-stream-code-file.h"
#include "backend/stream/machine/assay-weights.h"

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

struct _AssayMachine
{
  AssayStreamCode *code;
  AssayMachineFlags flags;
  const AssayKernels *kernels;
  AssayWeights *weights;
  float **constants; /* per constant, padded to blocks */
  float **rounded;   /* the same in bf16 */
  float *stores[ASSAY_MAX_CORES][ASSAY_N_STORES];
  guint64 *pushes;   /* per ring */
  float *scratch[5]; /* one vector each, as long as the longest of the program */
  gsize block;
  AssayMachineTap tap;
  gpointer tap_data;
};

typedef struct
{
  AssayMachine *machine;
  const float *const *inputs;
  float *const *outputs;
  guint input; /* which port, and where in it */
  gsize input_lane;
  guint output;
  gsize output_lane;
} Ports;

static gsize
padded (const AssayMachine *self, gsize lanes)
{
  return (lanes + self->block - 1) / self->block * self->block;
}

static float *
address (AssayMachine *self, guint core, const AssayOperand *operand)
{
  gsize block = operand->base;

  if (operand->ring != 0)
    {
      const AssayRing *ring = &g_array_index (self->code->rings, AssayRing, operand->ring - 1);
      guint64 slot = (self->pushes[operand->ring - 1] - operand->age) % ring->slots;

      block += (gsize) slot * ring->blocks;
    }

  return self->stores[core][operand->store] + block * self->block;
}

/* The values of a source as one vector, in place where possible; of a constant, the part that the
 * core works on. */
static const float *
read_vector (AssayMachine *self, const AssayInstruction *instruction, const AssayOperand *operand,
             float *scratch)
{
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
        return address (self, core, operand);
      value = address (self, core, operand)[0];
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
  gsize padding = padded (self, lanes) - lanes;
  guint64 cores = assay_instruction_cores (instruction);

  for (guint core = 0; cores != 0; core++, cores >>= 1)
    {
      float *d;

      if ((cores & 1) == 0)
        continue;

      d = address (self, core, &instruction->d);
      memcpy (d, values, lanes * sizeof *d);
      memset (d + lanes, 0, padding * sizeof *d);
    }
}

static AssayRound
rounding (const AssayMachine *self, const AssayInstruction *instruction)
{
  return (self->flags & ASSAY_MACHINE_FP32) != 0 ? ASSAY_ROUND_F32
                                                 : (AssayRound) instruction->round;
}

static void
run_input (AssayMachine *self, const AssayInstruction *instruction, Ports *ports,
           const AssayModelEntry *entry)
{
  const AssayPort *port;
  const float *src;
  float *values = self->scratch[0];

  while (assay_port_count (&entry->inputs[ports->input]) == 0)
    ports->input++;
  port = &entry->inputs[ports->input];
  src = ports->inputs[ports->input] + ports->input_lane;

  if ((self->flags & (ASSAY_MACHINE_TRUNCATE | ASSAY_MACHINE_FP32)) == ASSAY_MACHINE_TRUNCATE &&
      instruction->round == ASSAY_ROUND_BF16)
    {
      for (gsize i = 0; i < instruction->lanes; i++)
        values[i] = assay_bf16_to_f32 (assay_bf16_truncate_f32 (src[i]));
    }
  else
    {
      self->kernels->round (rounding (self, instruction), values, src, instruction->lanes);
    }

  write_vector (self, instruction, values);

  ports->input_lane += instruction->lanes;
  if (ports->input_lane == assay_port_count (port))
    {
      ports->input++;
      ports->input_lane = 0;
    }
}

static void
run_output (AssayMachine *self, const AssayInstruction *instruction, Ports *ports,
            const AssayModelEntry *entry)
{
  const AssayPort *port;

  while (assay_port_count (&entry->outputs[ports->output]) == 0)
    ports->output++;
  port = &entry->outputs[ports->output];
  memcpy (ports->outputs[ports->output] + ports->output_lane,
          read_vector (self, instruction, &instruction->a, self->scratch[0]),
          instruction->lanes * sizeof (float));

  ports->output_lane += instruction->lanes;
  if (ports->output_lane == assay_port_count (port))
    {
      ports->output++;
      ports->output_lane = 0;
    }
}

static void
run_matrix (AssayMachine *self, const AssayInstruction *instruction)
{
  guint core = instruction->core;

  /* A window that is not yet full is padding, and padding contributes nothing. */
  if (instruction->a.ring != 0 && self->pushes[instruction->a.ring - 1] < instruction->a.age)
    return;

  assay_weights_multiply (self->weights, instruction->weights, self->kernels,
                          address (self, core, &instruction->d),
                          address (self, core, &instruction->a));
}

static void
run_start (AssayMachine *self, const AssayInstruction *instruction)
{
  float *acc = address (self, instruction->core, &instruction->d);

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
run_lstm (AssayMachine *self, const AssayInstruction *instruction)
{
  const AssayKernels *k = self->kernels;
  const float *gates = address (self, instruction->core, &instruction->a);
  float *cells = address (self, instruction->core, &instruction->c);
  float *hidden = self->scratch[4];
  float *in = self->scratch[0];
  float *out = self->scratch[1];
  float *forget = self->scratch[2];
  float *update = self->scratch[3];

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
      k->pointwise (ASSAY_POINTWISE_MUL, rounding (self, instruction), hidden + at, out, update, n);
    }

  write_vector (self, instruction, hidden);
}

static void
run_shift (AssayMachine *self, const AssayInstruction *instruction)
{
  const float *src = read_vector (self, instruction, &instruction->a, self->scratch[0]);

  float *d = address (self, instruction->core, &instruction->d);

  /* The first run that goes into a vector clears what the address held before, padding included. */
  if (instruction->clears > 0)
    memset (d, 0, padded (self, instruction->clears) * sizeof *d);
  memmove (d + instruction->high.lane, src + instruction->low.lane, instruction->lanes * sizeof *d);
}

static void
run_to_block (AssayMachine *self, const AssayInstruction *instruction)
{
  const float *a = read_vector (self, instruction, &instruction->a, self->scratch[0]);
  float *d = address (self, instruction->core, &instruction->d);
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

  self->kernels->round (rounding (self, instruction), &value, &value, 1);
  for (gsize i = 0; i < self->block; i++)
    d[i] = value;
}

static void
run_select (AssayMachine *self, const AssayInstruction *instruction)
{
  gsize n = instruction->lanes;
  gboolean equal_too = instruction->opcode == ASSAY_OPCODE_SELECT_GE;
  const float *a = read_vector (self, instruction, &instruction->a, self->scratch[0]);
  const float *b = read_vector (self, instruction, &instruction->b, self->scratch[1]);
  const float *c = read_vector (self, instruction, &instruction->c, self->scratch[2]);
  const float *e = read_vector (self, instruction, &instruction->e, self->scratch[3]);
  float *result = self->scratch[4];

  for (gsize i = 0; i < n; i++)
    result[i] = (equal_too ? a[i] >= b[i] : a[i] > b[i]) ? c[i] : e[i];

  self->kernels->round (rounding (self, instruction), result, result, n);
  write_vector (self, instruction, result);
}

static void
run_vector (AssayMachine *self, const AssayInstruction *instruction)
{
  static const guint8 pointwise[ASSAY_N_OPCODES] = {
    [ASSAY_OPCODE_ADD] = ASSAY_POINTWISE_ADD, [ASSAY_OPCODE_SUB] = ASSAY_POINTWISE_SUB,
    [ASSAY_OPCODE_MUL] = ASSAY_POINTWISE_MUL, [ASSAY_OPCODE_DIV] = ASSAY_POINTWISE_DIV,
    [ASSAY_OPCODE_MIN] = ASSAY_POINTWISE_MIN, [ASSAY_OPCODE_MAX] = ASSAY_POINTWISE_MAX,
  };
  const AssayKernels *k = self->kernels;
  AssayRound round = rounding (self, instruction);
  gsize n = instruction->lanes;
  const float *a = read_vector (self, instruction, &instruction->a, self->scratch[0]);
  float *result = self->scratch[2];

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
                    read_vector (self, instruction, &instruction->b, self->scratch[1]), n);
      if (instruction->clamps)
        k->clamp (ASSAY_ROUND_F32, result, result, instruction->low.bound, instruction->high.bound,
                  n);
      break;
    }

  write_vector (self, instruction, result);
}

static void
run_scale_add (AssayMachine *self, const AssayInstruction *instruction)
{
  gsize n = instruction->lanes;
  float *acc;
  const float *a;
  const float *b;

  if (instruction->a.ring != 0 && self->pushes[instruction->a.ring - 1] < instruction->a.age)
    return;

  acc = address (self, instruction->core, &instruction->d);
  a = read_vector (self, instruction, &instruction->a, self->scratch[0]);
  b = read_vector (self, instruction, &instruction->b, self->scratch[1]);

  for (gsize i = 0; i < n; i++)
    acc[i] = __builtin_fmaf (b[i], a[i], acc[i]);
}

static void
run_reset (AssayMachine *self, const AssayInstruction *instruction)
{
  self->pushes[instruction->d.ring - 1] = 0;
}

static void
run_one (AssayMachine *self, const AssayInstruction *instruction, Ports *ports,
         const AssayModelEntry *entry)
{
  switch (instruction->opcode)
    {
    case ASSAY_OPCODE_INPUT:
      run_input (self, instruction, ports, entry);
      break;
    case ASSAY_OPCODE_OUTPUT:
      run_output (self, instruction, ports, entry);
      break;
    case ASSAY_OPCODE_MATRIX:
      run_matrix (self, instruction);
      break;
    case ASSAY_OPCODE_RESET:
      run_reset (self, instruction);
      break;
    case ASSAY_OPCODE_START:
      run_start (self, instruction);
      break;
    case ASSAY_OPCODE_SCALE_ADD:
      run_scale_add (self, instruction);
      break;
    case ASSAY_OPCODE_LSTM:
      run_lstm (self, instruction);
      break;
    case ASSAY_OPCODE_SHIFT:
      run_shift (self, instruction);
      break;
    case ASSAY_OPCODE_SUM:
    case ASSAY_OPCODE_LANE_MAX:
    case ASSAY_OPCODE_LANE_MIN:
    case ASSAY_OPCODE_SPREAD:
      run_to_block (self, instruction);
      break;
    case ASSAY_OPCODE_SELECT_GT:
    case ASSAY_OPCODE_SELECT_GE:
      run_select (self, instruction);
      break;
    default:
      run_vector (self, instruction);
      break;
    }
}

/* What the next inference finds in its accumulators. */
static void
run_deferred (AssayMachine *self, const AssayModelEntry *entry)
{
  const AssayInstruction *first = &g_array_index (self->code->instructions, AssayInstruction,
                                                  entry->first);

  for (guint32 i = 0; i < entry->n_instructions; i++)
    {
      if (first[i].deferred)
        run_one (self, &first[i], NULL, entry);
    }
}

/**
 * assay_machine_reset:
 * @self: a machine
 * @model: which model
 *
 * Forgets the state of a model, as if it had never run.
 */
void
assay_machine_reset (AssayMachine *self, guint model)
{
  const AssayModelEntry *entry = &g_array_index (self->code->models, AssayModelEntry, model);
  const AssayInstruction *first = &g_array_index (self->code->instructions, AssayInstruction,
                                                  entry->first);

  for (guint i = 0; i < self->code->rings->len; i++)
    {
      if (g_array_index (self->code->rings, AssayRing, i).model == model)
        self->pushes[i] = 0;
    }

  for (guint32 i = 0; i < entry->n_instructions; i++)
    {
      if (first[i].opcode == ASSAY_OPCODE_LSTM)
        memset (address (self, first[i].core, &first[i].c), 0,
                padded (self, first[i].lanes) * sizeof (float));
    }

  for (guint32 i = 0; i < entry->n_instructions; i++)
    {
      if (first[i].reset)
        run_one (self, &first[i], NULL, entry);
    }
  for (guint i = 0; i < self->code->rings->len; i++)
    {
      const AssayRing *ring = &g_array_index (self->code->rings, AssayRing, i);

      if (ring->model == model)
        self->pushes[i] = ring->initial;
    }

  run_deferred (self, entry);
}

/* The contract keeps subnormals, whatever the thread did before. */
static guint
enter_arithmetic (void)
{
#ifdef __x86_64__
  guint before = _mm_getcsr ();

  _mm_setcsr (before & ~(guint) 0x8040);
  return before;
#else
  return 0;
#endif
}

static void
leave_arithmetic (guint before)
{
#ifdef __x86_64__
  _mm_setcsr (before);
#endif
}

/**
 * assay_machine_run:
 * @self: a machine
 * @model: which model
 * @inputs: one array per input: its vectors one after another, data dimension innermost
 * @outputs: one array per output, to be filled in the same order
 * @progress: (nullable): cancel
 * @error: return location for a #GError
 *
 * Runs one inference.
 *
 * Returns: %FALSE only if cancelled or if a tap asks for it; the state is then undefined until the
 * next reset
 */
gboolean
assay_machine_run (AssayMachine *self, guint model, const float *const *inputs,
                   float *const *outputs, const AssayProgress *progress, GError **error)
{
  const AssayModelEntry *entry = &g_array_index (self->code->models, AssayModelEntry, model);
  const AssayInstruction *first = &g_array_index (self->code->instructions, AssayInstruction,
                                                  entry->first);
  Ports ports = { self, inputs, outputs, 0, 0, 0, 0 };
  guint arithmetic = enter_arithmetic ();
  gboolean going = TRUE;

  for (guint32 i = 0; i < entry->n_instructions && going; i++)
    {
      if (!first[i].deferred && !first[i].reset)
        {
          run_one (self, &first[i], &ports, entry);
          going = self->tap == NULL || self->tap (self, &first[i], self->tap_data, error);
        }
      if (i % 256 == 255 && going)
        going = assay_progress_check (progress, error);
    }

  if (going)
    {
      for (guint i = 0; i < self->code->rings->len; i++)
        {
          if (g_array_index (self->code->rings, AssayRing, i).model == model)
            self->pushes[i]++;
        }
      run_deferred (self, entry);
    }

  leave_arithmetic (arithmetic);

  return going;
}

/**
 * assay_machine_set_tap:
 * @self: a machine that is not running
 * @tap: (nullable): called behind every instruction, or %NULL for none
 * @user_data: handed to it
 *
 * Lets somebody look on while the machine runs.
 */
void
assay_machine_set_tap (AssayMachine *self, AssayMachineTap tap, gpointer user_data)
{
  self->tap = tap;
  self->tap_data = user_data;
}

/**
 * assay_machine_locate:
 * @self: a machine
 * @core: a core
 * @operand: an operand in one of the stores of that core
 *
 * Finds where the values of an operand are now.
 *
 * Returns: (transfer none): the values, changed by the next instruction that writes there
 */
float *
assay_machine_locate (AssayMachine *self, guint core, const AssayOperand *operand)
{
  return address (self, core, operand);
}

/**
 * assay_machine_round:
 * @self: a machine
 * @instruction: an instruction
 * @values: (inout) (array length=n): numbers
 * @n: how many
 *
 * Rounds as the result of an instruction is rounded.
 */
void
assay_machine_round (AssayMachine *self, const AssayInstruction *instruction, float *values,
                     gsize n)
{
  self->kernels->round (rounding (self, instruction), values, values, n);
}

static gsize
longest_vector (const AssayStreamCode *code)
{
  gsize longest = 1;

  for (guint i = 0; i < code->instructions->len; i++)
    longest = MAX (longest, g_array_index (code->instructions, AssayInstruction, i).lanes);

  return longest + code->config.block_size + ASSAY_PANEL;
}

/**
 * assay_machine_new:
 * @code: (transfer none): a program
 * @flags: how to compute
 * @error: return location for a #GError
 *
 * Makes a machine, after having verified what it is to run, lays the weights out for its kernels,
 * and resets the state of every model.
 *
 * Returns: (transfer full) (nullable): the machine
 */
AssayMachine *
assay_machine_new (AssayStreamCode *code, AssayMachineFlags flags, GError **error)
{
  g_autoptr (AssayMachine) self = NULL;
  const AssayConfigValues *config = &code->config;
  gsize longest = longest_vector (code);

  /* What runs is not checked again, wherever the program comes from. */
  if (!assay_stream_code_verify (code, error))
    return NULL;

  self = g_new0 (AssayMachine, 1);
  self->code = assay_stream_code_ref (code);
  self->flags = flags;
  self->kernels = (flags & ASSAY_MACHINE_SCALAR) != 0 ? assay_kernels_get (0)
                                                      : assay_kernels_get_default ();
  self->block = config->block_size;
  self->pushes = g_new0 (guint64, code->rings->len + 1);
  self->constants = g_new0 (float *, code->constants->len + 1);
  self->rounded = g_new0 (float *, code->constants->len + 1);

  for (guint i = 0; i < G_N_ELEMENTS (self->scratch); i++)
    self->scratch[i] = g_new0 (float, longest);

  for (guint core = 0; core < config->num_cores; core++)
    {
      for (AssayStore store = ASSAY_STORE_TENSOR; store <= ASSAY_STORE_CELL; store++)
        self->stores[core][store] = g_new0 (float, (gsize) assay_store_depth (config, store) *
                                                       self->block);
    }

  for (guint i = 0; i < code->constants->len; i++)
    {
      AssayTensor *tensor = g_ptr_array_index (code->constants, i);
      gsize n_bytes = 0;
      gsize n;
      gconstpointer data = assay_tensor_get_data (tensor, &n_bytes, error);

      if (data == NULL && n_bytes > 0)
        return NULL;
      n = assay_tensor_get_n_elements (tensor);
      self->constants[i] = g_new0 (float, padded (self, n) + 1);
      self->rounded[i] = g_new0 (float, padded (self, n) + 1);
      memcpy (self->constants[i], data, n_bytes);
      self->kernels->round ((flags & ASSAY_MACHINE_FP32) != 0 ? ASSAY_ROUND_F32 : ASSAY_ROUND_BF16,
                            self->rounded[i], self->constants[i], n);
    }

  self->weights = assay_weights_new (code, (flags & ASSAY_MACHINE_FP32) != 0, error);
  if (self->weights == NULL)
    return NULL;

  for (guint i = 0; i < code->models->len; i++)
    assay_machine_reset (self, i);

  return g_steal_pointer (&self);
}

void
assay_machine_free (AssayMachine *self)
{
  if (self == NULL)
    return;

  for (guint i = 0; i < self->code->constants->len; i++)
    {
      g_free (self->constants[i]);
      g_free (self->rounded[i]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (self->scratch); i++)
    g_free (self->scratch[i]);
  for (guint core = 0; core < self->code->config.num_cores; core++)
    {
      for (guint store = 0; store < ASSAY_N_STORES; store++)
        g_free (self->stores[core][store]);
    }

  assay_weights_free (self->weights);
  g_free (self->constants);
  g_free (self->rounded);
  g_free (self->pushes);
  assay_stream_code_unref (self->code);
  g_free (self);
}
