/* assay-machine.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Runs programs. Tensors are held as floats whose values are bf16; a store is one array per core,
 * so that what a program does to addresses happens here too.
 */
#include "backend/stream/machine/assay-machine-private.h"

#include <string.h>

#include "base/assay-error.h"
#include "backend/stream/machine/assay-stream-code-file.h"
#include "backend/stream/machine/assay-touch.h"

#ifdef __x86_64__
#include <xmmintrin.h>
#endif

/* What several threads have to save of an inference before they are worth it, in nanoseconds, and
 * how much of them has to be busy at least: docs/benchmarks.md says what was measured. */
#define LEAST_SAVED 60000
#define LEAST_BUSY 0.6

static AssayHand *
hand_of (AssayMachine *self, guint thread)
{
  return &g_array_index (self->hands, AssayHand, thread);
}

/**
 * assay_machine_address:
 * @self: a machine
 * @core: a core
 * @operand: an operand in one of the stores of that core
 *
 * Finds where the values of an operand are now.
 *
 * Returns: (transfer none): the values
 */
float *
assay_machine_address (AssayMachine *self, guint core, const AssayOperand *operand)
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

/* What the next inference finds in its accumulators. */
static void
run_deferred (AssayMachine *self, const AssayModelEntry *entry)
{
  const AssayInstruction *first = &g_array_index (self->code->instructions, AssayInstruction,
                                                  entry->first);

  for (guint32 i = 0; i < entry->n_instructions;)
    {
      if (first[i].deferred)
        i += assay_hand_execute_some (hand_of (self, 0), &first[i], entry->n_instructions - i);
      else
        i++;
    }
}

static void
push_windows (AssayMachine *self, guint model)
{
  for (guint i = 0; i < self->code->rings->len; i++)
    {
      if (g_array_index (self->code->rings, AssayRing, i).model == model)
        self->pushes[i]++;
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
        memset (assay_machine_address (self, first[i].core, &first[i].c), 0,
                assay_machine_padded (self, first[i].lanes) * sizeof (float));
    }

  for (guint32 i = 0; i < entry->n_instructions; i++)
    {
      if (first[i].reset)
        assay_hand_execute (hand_of (self, 0), &first[i]);
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

/* One instruction behind the other, and somebody may look on. */
static gboolean
run_alone (AssayMachine *self, guint model, const AssayProgress *progress, GError **error)
{
  const AssayModelEntry *entry = &g_array_index (self->code->models, AssayModelEntry, model);
  const AssayInstruction *first = &g_array_index (self->code->instructions, AssayInstruction,
                                                  entry->first);
  AssayHand *hand = hand_of (self, 0);
  gboolean going = TRUE;

  for (guint32 i = 0, n = 0; i < entry->n_instructions && going; i += n)
    {
      n = 1;
      if (!first[i].deferred && !first[i].reset)
        {
          n = assay_hand_execute_some (hand, &first[i],
                                       self->tap == NULL ? entry->n_instructions - i : 1);
          going = self->tap == NULL || self->tap (self, &first[i], self->tap_data, error);
        }
      if (i / 256 != (i + n) / 256 && going)
        going = assay_progress_check (progress, error);
    }

  if (going)
    {
      push_windows (self, model);
      run_deferred (self, entry);
    }

  return going;
}

static void
run_task (gpointer data, guint thread, const AssayTask *task)
{
  AssayMachine *self = data;
  guint arithmetic = enter_arithmetic ();
  AssayHand *hand = hand_of (self, thread);

  if (task->instruction == ASSAY_TASK_PUSH)
    push_windows (self, self->model);
  else if (task->n_rows > 0)
    assay_hand_multiply (hand, task, task->n_joined);
  else
    assay_hand_execute (
        hand, &g_array_index (self->code->instructions, AssayInstruction, task->instruction));

  leave_arithmetic (arithmetic);
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
  guint arithmetic = enter_arithmetic ();
  gboolean done;

  for (guint i = 0; i < self->hands->len; i++)
    {
      hand_of (self, i)->inputs = inputs;
      hand_of (self, i)->outputs = outputs;
    }

  /* Who looks on sees the instructions in their order. */
  self->model = model;
  if (self->tasks[model] != NULL && self->tap == NULL)
    done = assay_task_scheduler_run (self->scheduler, self->tasks[model], run_task, self, progress,
                                     error);
  else
    done = run_alone (self, model, progress, error);
  leave_arithmetic (arithmetic);

  return done;
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
  return assay_machine_address (self, core, operand);
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
  self->kernels->round (assay_machine_rounding (self, instruction), values, values, n);
}

static gsize
longest_vector (const AssayStreamCode *code)
{
  gsize longest = 1;

  for (guint i = 0; i < code->instructions->len; i++)
    longest = MAX (longest, g_array_index (code->instructions, AssayInstruction, i).lanes);

  return longest + code->config.block_size + ASSAY_PANEL;
}

static void
set_hands (AssayMachine *self, guint n)
{
  gsize longest = longest_vector (self->code);

  for (guint i = n; i < self->hands->len; i++)
    {
      for (guint j = 0; j < ASSAY_N_SCRATCH; j++)
        g_free (hand_of (self, i)->scratch[j]);
    }
  for (guint i = self->hands->len; i < n; i++)
    {
      AssayHand hand = { .machine = self };

      for (guint j = 0; j < ASSAY_N_SCRATCH; j++)
        hand.scratch[j] = g_new0 (float, longest);
      g_array_append_val (self->hands, hand);
    }
  g_array_set_size (self->hands, n);
}

/* Where each transfer of a model comes from or goes to. An empty tensor has a port, and nothing is
 * transferred. */
static void
find_transfers (AssayMachine *self, const AssayModelEntry *entry, AssayOpcode opcode,
                const AssayPort *ports)
{
  AssayTransfer at = { 0, 0 };

  for (guint32 i = entry->first; i < entry->first + entry->n_instructions; i++)
    {
      const AssayInstruction *instruction = &g_array_index (self->code->instructions,
                                                            AssayInstruction, i);

      if (instruction->opcode != opcode)
        continue;
      while (at.lane == assay_port_count (&ports[at.port]))
        at = (AssayTransfer){ at.port + 1, 0 };
      self->transfers[i] = at;
      at.lane += instruction->lanes;
    }
}

/* As many threads as are kept busy, of as many as there are. */
static AssayTasks *
divide (AssayMachine *self, guint model, guint n_threads)
{
  for (guint n = n_threads; n > 1; n = (n + 1) / 2)
    {
      g_autoptr (AssayTasks) tasks = assay_tasks_new (self->code, model, n);

      if (tasks == NULL || tasks->alone < tasks->together + LEAST_SAVED)
        return NULL;
      if (tasks->alone >= LEAST_BUSY * n * tasks->together)
        return g_steal_pointer (&tasks);
    }

  return NULL;
}

static void
clear_threads (AssayMachine *self)
{
  for (guint i = 0; i < self->code->models->len && self->tasks != NULL; i++)
    g_clear_pointer (&self->tasks[i], assay_tasks_free);
  g_clear_pointer (&self->scheduler, assay_task_scheduler_free);
}

/**
 * assay_machine_set_threads:
 * @self: a machine that is not running
 * @n_threads: how many threads work on an inference, that of the caller included; 0 for as many as
 * the program keeps busy and there are processors for
 *
 * Divides the instructions of the program over threads. Where no more threads are allowed, and
 * while a tap looks on, one works alone. The bits are the same.
 */
void
assay_machine_set_threads (AssayMachine *self, guint n_threads)
{
  guint n_models = self->code->models->len;
  guint most = 1;

  clear_threads (self);
  for (guint i = 0; i < n_models && n_threads != 1; i++)
    {
      self->tasks[i] = n_threads == 0 ? divide (self, i, g_get_num_processors ())
                                      : assay_tasks_new (self->code, i, n_threads);
      if (self->tasks[i] != NULL)
        most = MAX (most, self->tasks[i]->n_lists);
    }

  if (most > 1)
    {
      self->scheduler = assay_task_scheduler_new (most);
      if (assay_task_scheduler_get_n_threads (self->scheduler) < most)
        {
          clear_threads (self);
          most = 1;
        }
    }
  set_hands (self, most);
}

/* As deep as the program reaches: most leave most of a device untouched, and what is asked of the
 * system has to be cleared by it. */
static void
make_stores (AssayMachine *self)
{
  const AssayStreamCode *code = self->code;
  guint64 depths[ASSAY_MAX_CORES][ASSAY_N_STORES] = { { 0 } };

  for (guint32 i = 0; i < code->instructions->len; i++)
    {
      const AssayInstruction *instruction = &g_array_index (code->instructions, AssayInstruction,
                                                            i);

      for (AssaySlot slot = ASSAY_SLOT_D; slot < ASSAY_N_SLOTS; slot++)
        {
          AssayTouch touch;

          if (!assay_instruction_touch (code, instruction, slot, &touch))
            continue;
          for (guint64 cores = touch.cores; cores != 0; cores &= cores - 1)
            {
              guint64 *depth = &depths[__builtin_ctzll (cores)][touch.store];

              *depth = MAX (*depth, (guint64) touch.base + touch.blocks);
            }
        }
    }

  for (guint core = 0; core < code->config.num_cores; core++)
    {
      for (AssayStore store = ASSAY_STORE_TENSOR; store <= ASSAY_STORE_CELL; store++)
        self->stores[core][store] = g_new0 (float, depths[core][store] * self->block);
    }
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

  /* What runs is not checked again, wherever the program comes from. */
  if (!assay_stream_code_verify (code, error))
    return NULL;

  self = g_new0 (AssayMachine, 1);
  self->code = assay_stream_code_ref (code);
  self->flags = flags;
  self->kernels = (flags & ASSAY_MACHINE_SCALAR) != 0 ? assay_kernels_get (0)
                                                      : assay_kernels_get_default ();
  self->block = code->config.block_size;
  self->pushes = g_new0 (guint64, code->rings->len + 1);
  self->constants = g_new0 (float *, code->constants->len + 1);
  self->rounded = g_new0 (float *, code->constants->len + 1);

  self->tasks = g_new0 (AssayTasks *, code->models->len + 1);
  self->transfers = g_new0 (AssayTransfer, code->instructions->len + 1);
  self->hands = g_array_new (FALSE, FALSE, sizeof (AssayHand));
  set_hands (self, 1);
  for (guint i = 0; i < code->models->len; i++)
    {
      const AssayModelEntry *entry = &g_array_index (code->models, AssayModelEntry, i);

      find_transfers (self, entry, ASSAY_OPCODE_INPUT, entry->inputs);
      find_transfers (self, entry, ASSAY_OPCODE_OUTPUT, entry->outputs);
    }

  make_stores (self);

  for (guint i = 0; i < code->constants->len; i++)
    {
      AssayTensor *tensor = g_ptr_array_index (code->constants, i);
      gsize n_bytes = 0;
      gsize n;
      gconstpointer data = assay_tensor_get_data (tensor, &n_bytes, error);

      if (data == NULL && n_bytes > 0)
        return NULL;
      n = assay_tensor_get_n_elements (tensor);
      self->constants[i] = g_new0 (float, assay_machine_padded (self, n) + 1);
      self->rounded[i] = g_new0 (float, assay_machine_padded (self, n) + 1);
      if (n_bytes > 0)
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
  clear_threads (self);
  set_hands (self, 0);
  g_array_unref (self->hands);
  for (guint core = 0; core < self->code->config.num_cores; core++)
    {
      for (guint store = 0; store < ASSAY_N_STORES; store++)
        g_free (self->stores[core][store]);
    }

  assay_weights_free (self->weights);
  g_free (self->tasks);
  g_free (self->transfers);
  g_free (self->constants);
  g_free (self->rounded);
  g_free (self->pushes);
  assay_stream_code_unref (self->code);
  g_free (self);
}
