/* timing-replay.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Goes over a timeline again, with what is known of the instructions alone.
 */
#include "timing-replay.h"

/* Per core and block of tensor RAM. */
typedef struct
{
  const AssayStreamCode *code;
  guint32 *tensor;  /* which tensor lies there, or 0 */
  guint32 *started; /* when the instruction that wrote it started */
  guint32 *ready;   /* when it was there, or 0 if that is not known */
  guint32 *read;    /* no reader was done before */
  guint n_reused;
} Replay;

static gsize
index_of (const Replay *self, guint core, guint32 block)
{
  return (gsize) core * self->code->config.tensor_ram_depth + block;
}

/* A block of fp32 takes two. */
static guint32
stride_of (const AssayOperand *operand)
{
  return operand->fp32 ? 2 : 1;
}

static guint32
n_blocks (const Replay *self, guint32 lanes)
{
  return (lanes + self->code->config.block_size - 1) / self->code->config.block_size;
}

/* A unit takes block after block; a product needs its whole input until its end; an output leaves
 * the store for the output buffer at some time after it has been written. */
static guint32
earliest_read (const Replay *self, const AssayInstruction *instruction, const AssayEvent *event,
               guint32 block, gsize at)
{
  if (instruction->opcode == ASSAY_OPCODE_MATRIX)
    return event->end;
  if (instruction->opcode == ASSAY_OPCODE_OUTPUT)
    return self->started[at] + 1;

  return event->start + (block + 1) * MAX (1, self->code->config.block_size / 32);
}

/* What is read is what was written there last, and is there before its reader ends. */
static void
replay_reads (Replay *self, const AssayInstruction *instruction, const AssayEvent *event)
{
  const AssayOperand *sources[] = { &instruction->a, &instruction->b, &instruction->c,
                                    &instruction->e };
  guint32 lanes = instruction->lanes;

  if (instruction->opcode == ASSAY_OPCODE_MATRIX)
    {
      const AssayPlacedMatrix *placed = &g_array_index (self->code->placed, AssayPlacedMatrix,
                                                        instruction->weights);

      lanes = g_array_index (self->code->matrices, AssayMatrix, placed->matrix).n_inputs;
    }

  for (guint i = 0; i < G_N_ELEMENTS (sources); i++)
    {
      guint32 stride = stride_of (sources[i]);

      if (sources[i]->store != ASSAY_STORE_TENSOR || sources[i]->ring != 0)
        continue;
      for (guint32 j = 0; j < (sources[i]->repeat ? 1 : n_blocks (self, lanes)) * stride; j++)
        {
          gsize at = index_of (self, instruction->core, sources[i]->base + j);

          /* State was there before. */
          if (self->tensor[at] != 0)
            g_assert_cmpuint (self->tensor[at], ==, sources[i]->tensor);
          if (instruction->opcode != ASSAY_OPCODE_SPREAD &&
              instruction->opcode != ASSAY_OPCODE_SHIFT)
            g_assert_cmpuint (event->end, >, self->ready[at]);
          self->read[at] = MAX (self->read[at],
                                earliest_read (self, instruction, event, j / stride, at));
        }
    }
}

/* The last block of a result is there after all have read what lay at its addresses. */
static void
replay_writes (Replay *self, const AssayInstruction *instruction, const AssayEvent *event)
{
  gboolean one_block = instruction->opcode == ASSAY_OPCODE_SUM ||
                       instruction->opcode == ASSAY_OPCODE_LANE_MAX ||
                       instruction->opcode == ASSAY_OPCODE_LANE_MIN ||
                       instruction->opcode == ASSAY_OPCODE_SPREAD;
  guint64 own = (guint64) 1 << instruction->core;
  guint64 cores = instruction->cores == 0 ? own : instruction->cores;
  guint32 n = (one_block ? 1 : n_blocks (self, instruction->lanes)) * stride_of (&instruction->d);

  if (instruction->d.store != ASSAY_STORE_TENSOR || instruction->d.ring != 0 ||
      instruction->opcode == ASSAY_OPCODE_SHIFT)
    return;

  for (guint core = 0; core < self->code->config.num_cores; core++)
    {
      if ((cores >> core & 1) == 0)
        continue;
      for (guint32 j = 0; j < n; j++)
        {
          gsize at = index_of (self, core, instruction->d.base + j);

          g_assert_cmpuint (event->ready, >=, self->read[at]);
          self->n_reused += self->read[at] > 0;
          self->read[at] = 0;
          self->started[at] = event->start;
          /* Of several cores the timeline knows the last, and of several blocks the last one. */
          self->ready[at] = cores == own && j + 1 == n ? event->ready : 0;
          self->tensor[at] = instruction->d.tensor;
        }
    }
}

/* A unit works on one instruction at a time, and a core starts in order what is not a stage of
 * another unit. */
static void
replay_units (const AssayStreamCode *code, const GArray *events)
{
  guint32 busy[ASSAY_MAX_CORES][ASSAY_N_UNITS] = { { 0 } };
  guint32 started[ASSAY_MAX_CORES] = { 0 };

  for (guint i = 0; i < events->len; i++)
    {
      const AssayEvent *event = &g_array_index (events, AssayEvent, i);
      gboolean port = event->unit == ASSAY_UNIT_INPUT || event->unit == ASSAY_UNIT_OUTPUT;
      guint core = port ? 0 : event->core;

      g_assert_cmpuint (event->start, <=, event->end);
      g_assert_cmpuint (event->issued, <=, event->vacant);
      g_assert_cmpuint (event->vacant, <=, event->start);
      g_assert_cmpuint (event->wait == ASSAY_WAIT_NONE, ==, event->issued == event->start);
      g_assert_cmpuint (event->start, >=, busy[core][event->unit]);
      busy[core][event->unit] = event->end;
      if (port || event->unit == ASSAY_UNIT_DRAIN)
        continue;
      g_assert_cmpuint (event->start, >=, started[core]);
      started[core] = event->start;
    }
}

/**
 * timing_replay:
 * @code: a program
 * @model: which of its models
 *
 * Asserts over the timeline that no tensor takes the place of another that somebody still reads,
 * that everything reads what it should, and that units work on one instruction at a time and start
 * in order.
 *
 * Returns: how many blocks took the place of others
 */
guint
timing_replay (const AssayStreamCode *code, guint model)
{
  g_autoptr (GArray) events = g_array_new (FALSE, FALSE, sizeof (AssayEvent));
  gsize n = (gsize) code->config.num_cores * code->config.tensor_ram_depth;
  g_autofree guint32 *memory = g_new0 (guint32, 4 * n);
  Replay self = { code, memory, memory + n, memory + 2 * n, memory + 3 * n, 0 };
  AssayCycles cycles;

  assay_timing_run (code, model, &cycles, events);
  replay_units (code, events);
  for (guint i = 0; i < events->len; i++)
    {
      const AssayEvent *event = &g_array_index (events, AssayEvent, i);
      const AssayInstruction *instruction = &g_array_index (code->instructions, AssayInstruction,
                                                            event->instruction);

      if (instruction->deferred)
        continue;
      replay_reads (&self, instruction, event);
      replay_writes (&self, instruction, event);
    }

  return self.n_reused;
}
