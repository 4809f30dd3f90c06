/* assay-timing.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * A discrete-event model over instructions. A core starts its instructions in order, each when its
 * unit is free and its operands are ready; each unit works on one at a time, block by block, and a
 * block waits for the blocks it reads and for the last reader of the blocks it overwrites. Draining
 * accumulators is a stage of the matrix unit and holds nothing up. Only latencies and widths of the
 * configuration enter; values do not.
 */
#include "backend/stream/machine/assay-timing.h"

#include <string.h>

#include "backend/stream/machine/assay-calendar.h"

/* Values that tensor RAM, the network, the input and every unit but the matrix move in one cycle.
 */
#define LANES_PER_CYCLE 32

/* More room than this no program fills. */
#define MAX_CAPACITY 4096

typedef struct
{
  guint32 *ready; /* per block: when it can be read */
  guint32 *read;  /* per block: when its last reader is done */
} Times;

/* Where the times of an operand stand: those of its first block, and how far apart blocks are. */
typedef struct
{
  guint32 *ready;
  guint32 *read;
  guint32 step;
  guint32 n; /* of a block */
} Track;

/* What waits its turn: when the newest of as many as have room went on, in a circle. */
typedef struct
{
  guint32 *left;
  guint32 capacity;
  guint32 next;
} Queue;

typedef struct
{
  const AssayStreamCode *code;
  const AssayConfigValues *config;
  GArray *events;
  guint32 width; /* cycles per block */
  guint32 input;
  guint32 output;
  guint32 first_output;
  guint32 unit_free[ASSAY_MAX_CORES][ASSAY_N_UNITS];
  guint32 issued[ASSAY_MAX_CORES]; /* when the newest instruction started */
  guint32 live_end[ASSAY_MAX_CORES];
  AssayCalendar arrivals[ASSAY_MAX_CORES]; /* blocks from other cores */
  Queue writes[ASSAY_MAX_CORES];
  Queue outputs;
  Times stores[ASSAY_MAX_CORES][ASSAY_N_STORES];
  guint32 *memory;
  GArray *sweeps;
  guint32 *pushed[ASSAY_MAX_CORES]; /* per ring: when the newest vector is there */
} Run;

static guint32
blocks_of (const Run *run, guint32 lanes)
{
  return (lanes + run->config->block_size - 1) / run->config->block_size;
}

/* Where the times of an operand stand; %FALSE for old vectors and constants, which have been there
 * since before the inference. A block of fp32 takes two of tensor RAM. */
static inline gboolean
find_track (const Run *run, guint core, const AssayOperand *operand, Track *track)
{
  const Times *times = &run->stores[core][operand->store];

  if (operand->ring != 0 || times->ready == NULL)
    return FALSE;

  track->n = operand->fp32 && operand->store == ASSAY_STORE_TENSOR ? 2 : 1;
  track->step = operand->repeat ? 0 : track->n;
  track->ready = times->ready + operand->base;
  track->read = times->read + operand->base;

  return TRUE;
}

static inline void
track_read (const Track *track, guint32 block, guint32 when)
{
  guint32 *read = track->read + (gsize) block * track->step;

  for (guint32 i = 0; i < track->n; i++)
    read[i] = MAX (read[i], when);
}

static inline guint32
operand_ready (const Run *run, guint core, const AssayOperand *operand, guint32 block)
{
  Track track;

  return find_track (run, core, operand, &track) ? track.ready[(gsize) block * track.step] : 0;
}

static inline void
operand_read (const Run *run, guint core, const AssayOperand *operand, guint32 block, guint32 when)
{
  Track track;

  if (find_track (run, core, operand, &track))
    track_read (&track, block, when);
}

static inline guint32
operand_write (const Run *run, guint core, const AssayOperand *operand, guint32 block, guint32 when)
{
  Track track;
  gsize at;

  if (!find_track (run, core, operand, &track))
    return when;

  at = (gsize) block * track.step;
  for (guint32 i = 0; i < track.n; i++)
    when = MAX (when, track.read[at + i]);
  for (guint32 i = 0; i < track.n; i++)
    track.ready[at + i] = when;

  return when;
}

/* When there is room in a queue for what comes to it at a time. */
static guint32
queue_enter (const Queue *queue, guint32 when)
{
  return MAX (when, queue->left[queue->next]);
}

static void
queue_leave (Queue *queue, guint32 when)
{
  queue->left[queue->next] = when;
  queue->next = (queue->next + 1) % queue->capacity;
}

/* The network brings a core one block at a time. */
static guint32
arrive (Run *run, guint core, guint32 earliest)
{
  guint32 arrival = assay_calendar_take (&run->arrivals[core], earliest);

  for (guint32 i = 1; i < run->width; i++)
    assay_calendar_take (&run->arrivals[core], arrival);

  return arrival;
}

/* Puts a block on every core it is sent to, from @when on, which is put off while the write queue
 * is full. */
static guint32
send_block (Run *run, const AssayInstruction *instruction, guint32 block, guint32 *when)
{
  guint64 remote = instruction->cores & ~((guint64) 1 << instruction->core);
  guint32 hop = run->config->timing.network_hop;
  guint32 *port = &run->unit_free[instruction->core][ASSAY_UNIT_NETWORK];
  Queue *queue = &run->writes[instruction->core];
  guint32 sent, left, last;

  if (remote != 0)
    *when = queue_enter (queue, *when);
  last = *when;
  if (instruction->cores == 0 || (instruction->cores >> instruction->core & 1) != 0)
    last = operand_write (run, instruction->core, &instruction->d, block, *when);
  if (remote == 0)
    return last;

  sent = left = MAX (*port, *when);
  *port = sent + run->width;
  for (guint core = 0; core < run->config->num_cores; core++)
    {
      guint32 arrival;

      if ((remote >> core & 1) == 0)
        continue;
      arrival = arrive (run, core, sent + hop);
      left = MAX (left, arrival - hop);
      arrival = operand_write (run, core, &instruction->d, block, arrival);
      last = MAX (last, arrival);
    }
  queue_leave (queue, left + run->width);

  return last;
}

/* When a core came to an instruction, when the unit was free for it, and when its operands were
 * there. What none of them explains was room for the result. */
typedef struct
{
  guint32 issued;
  guint32 unit;
  guint32 operands;
} Causes;

static void
note_causes (AssayEvent *event, const Causes *causes)
{
  event->issued = MIN (causes->issued, event->start);
  event->vacant = CLAMP (causes->unit, event->issued, event->start);
  if (event->start > event->vacant)
    event->wait = event->start <= causes->operands ? ASSAY_WAIT_OPERAND : ASSAY_WAIT_DRAIN;
  else if (event->vacant > event->issued)
    event->wait = ASSAY_WAIT_UNIT;
}

/* Without causes it starts in no order of its core: the ports, the last stage of the matrix unit,
 * and work for the next inference. */
static void
add_event (Run *run, const AssayInstruction *instruction, const Causes *causes, guint32 start,
           guint32 end, guint32 ready)
{
  AssayEvent event = {
    .instruction = (guint32) (instruction -
                              (const AssayInstruction *) run->code->instructions->data),
    .start = start,
    .end = end,
    .ready = ready,
    .waited_for = -1,
    .issued = start,
    .vacant = start,
    .wait = ASSAY_WAIT_NONE,
    .unit = (guint8) assay_instruction_get_unit (instruction),
    .core = instruction->core,
  };

  if (causes != NULL)
    note_causes (&event, causes);
  if (run->events != NULL)
    g_array_append_val (run->events, event);
}

static void
run_input (Run *run, const AssayInstruction *instruction)
{
  guint32 start = run->input;

  for (guint32 block = 0; block < blocks_of (run, instruction->lanes); block++)
    {
      run->input += run->width;
      for (guint core = 0; core < run->config->num_cores; core++)
        {
          if ((instruction->cores >> core & 1) != 0)
            operand_write (run, core, &instruction->d, block,
                           run->input + run->config->timing.input_latency);
        }
    }

  add_event (run, instruction, NULL, start, run->input,
             run->input + run->config->timing.input_latency);
}

/* A block leaves its core so that there is room in the output buffer when it comes there. A word of
 * the port is a block, whatever its size: published of the IP core, whose streams are as wide, and
 * so in the figures of cards. */
static void
run_output (Run *run, const AssayInstruction *instruction)
{
  guint32 latency = run->config->timing.output_latency;
  guint core = instruction->core;
  guint32 start = G_MAXUINT32;

  for (guint32 block = 0; block < blocks_of (run, instruction->lanes); block++)
    {
      guint32 there = queue_enter (&run->outputs,
                                   operand_ready (run, core, &instruction->a, block) + latency);

      operand_read (run, core, &instruction->a, block, there - latency + 1);
      run->live_end[core] = MAX (run->live_end[core], there - latency);
      run->output = MAX (run->output, there);
      if (run->first_output == G_MAXUINT32)
        run->first_output = run->output;
      start = MIN (start, run->output);
      run->output++;
      queue_leave (&run->outputs, run->output);
    }

  add_event (run, instruction, NULL, start, run->output, run->output);
}

/* When a block that a product reads is there: of what has been pushed for the next inference, the
 * whole vector. */
static guint32
sweep_ready (Run *run, const AssayInstruction *instruction, guint32 block)
{
  const AssayOperand *a = &instruction->a;

  if (!instruction->deferred || a->ring == 0)
    return operand_ready (run, instruction->core, a, block);

  return a->age == 1 ? run->pushed[instruction->core][a->ring - 1] : 0;
}

/* Sweeps the input blocks in their order; each costs one product per row of
 * blocks, and no less than it takes to bring the next block and to come back to the same
 * accumulator. All rows are complete in the last sweep, one a cycle. */
static void
run_matrix (Run *run, const AssayInstruction *instruction)
{
  const AssayPlacedMatrix *placed = &g_array_index (run->code->placed, AssayPlacedMatrix,
                                                    instruction->weights);
  const AssayMatrix *matrix = &g_array_index (run->code->matrices, AssayMatrix, placed->matrix);
  guint core = instruction->core;
  guint32 *unit = &run->unit_free[core][ASSAY_UNIT_MATRIX];
  guint32 rows = blocks_of (run, instruction->lanes);
  guint32 n_sweeps = blocks_of (run, matrix->n_inputs);
  guint32 cost = MAX (rows, MAX (run->width, run->config->timing.accumulate_interval));
  Causes causes = { run->issued[core], *unit, 0 };
  guint32 time = MAX (*unit, run->issued[core]);
  guint32 start;
  guint32 ready = 0;
  guint32 *sweeps;

  g_array_set_size (run->sweeps, n_sweeps);
  sweeps = (guint32 *) run->sweeps->data;
  for (guint32 i = 0; i < n_sweeps; i++)
    sweeps[i] = sweep_ready (run, instruction, i);
  /* The unit takes the sums up when it begins, so what was in their accumulators before must have
   * been drained. */
  for (guint32 row = 0; row < rows; row++)
    time = MAX (time, run->stores[core][ASSAY_STORE_ACCUMULATOR].read[instruction->d.base + row]);

  causes.operands = n_sweeps > 0 ? sweeps[0] : 0;
  start = time = MAX (time, causes.operands);
  for (guint32 i = 0; i < n_sweeps; i++)
    time = MAX (time, sweeps[i]) + cost;

  for (guint32 i = 0; i < n_sweeps; i++)
    operand_read (run, core, &instruction->a, i, time);

  for (guint32 row = 0; row < rows; row++)
    {
      guint32 done = time - cost + row + 1 + run->config->timing.matrix_latency;

      /* A chain of products into one accumulator hands the partial sums on without draining. */
      run->stores[core][ASSAY_STORE_ACCUMULATOR].ready[instruction->d.base + row] = done;
      ready = MAX (ready, done);
    }

  *unit = time;
  run->issued[core] = start;
  run->live_end[core] = MAX (run->live_end[core], time);
  add_event (run, instruction, instruction->deferred ? NULL : &causes, start, time, ready);
}

/**
 * assay_timing_unit_latency:
 * @timing: how long units take
 * @unit: a unit
 *
 * Tells how long after a unit has taken up its operands their result is there.
 *
 * Returns: cycles
 */
guint32
assay_timing_unit_latency (const AssayTiming *timing, AssayUnit unit)
{
  switch (unit)
    {
    case ASSAY_UNIT_INPUT:
      return timing->input_latency;
    case ASSAY_UNIT_MATRIX:
      return timing->matrix_latency;
    case ASSAY_UNIT_DRAIN:
      return timing->drain_latency;
    case ASSAY_UNIT_FUNCTION:
      return timing->function_use;
    case ASSAY_UNIT_LANE:
      return timing->lane_reduction;
    case ASSAY_UNIT_RECURRENT:
      return timing->recurrent_cell;
    default:
      return timing->vector_latency;
    }
}

/* Two operands a pass: a selection compares first. */
static guint32
latency_of (const Run *run, const AssayInstruction *instruction)
{
  AssayUnit unit = assay_instruction_get_unit (instruction);
  guint32 latency = assay_timing_unit_latency (&run->config->timing, unit);

  return unit == ASSAY_UNIT_POINTWISE && instruction->e.store != ASSAY_STORE_NONE ? 2 * latency
                                                                                  : latency;
}

/* The sources of an instruction that have times; the four gates of a block lie behind one another.
 */
typedef struct
{
  Track tracks[ASSAY_N_SLOTS];
  guint32 n_gates[ASSAY_N_SLOTS]; /* 4 of gates, 1 of all else */
  guint n;
} Sources;

static void
find_sources (const Run *run, const AssayInstruction *instruction, Sources *sources)
{
  sources->n = 0;
  for (AssaySlot slot = ASSAY_SLOT_A; slot < ASSAY_N_SLOTS; slot++)
    {
      const AssayOperandInfo *info;

      if (!find_track (run, instruction->core, &instruction->operands[slot],
                       &sources->tracks[sources->n]))
        continue;
      info = assay_operand_get_info ((AssayOpcode) instruction->opcode, slot);
      sources->n_gates[sources->n++] = info->extent == ASSAY_EXTENT_GATES ? 4 : 1;
    }
}

/* When a block of so many lanes of every source is there. */
static guint32
sources_ready (const Run *run, const Sources *sources, guint32 block, guint32 lanes)
{
  guint32 ready = 0;

  for (guint i = 0; i < sources->n; i++)
    {
      const Track *track = &sources->tracks[i];
      guint32 n = sources->n_gates[i];
      const guint32 *first = track->ready + (gsize) n * block * track->step;

      ready = MAX (ready, first[0]);
      for (guint32 j = 1; n > 1 && j < blocks_of (run, n * lanes); j++)
        ready = MAX (ready, first[(gsize) j * track->step]);
    }

  return ready;
}

/* A vector goes into a window by being written there; only when it has arrived matters, for the
 * next inference. */
static void
run_push (Run *run, const AssayInstruction *instruction)
{
  guint32 *pushed = &run->pushed[instruction->core][instruction->d.ring - 1];

  for (guint32 block = 0; block < blocks_of (run, instruction->lanes); block++)
    *pushed = MAX (*pushed, operand_ready (run, instruction->core, &instruction->a, block));
}

/* Block by block through a pipelined unit. */
static void
run_blocks (Run *run, const AssayInstruction *instruction)
{
  AssayUnit unit = assay_instruction_get_unit (instruction);
  guint core = instruction->core;
  guint32 *free_at = &run->unit_free[core][unit];
  guint32 latency = MAX (latency_of (run, instruction), 1);
  Causes causes = { run->issued[core], *free_at, 0 };
  guint32 block_size = run->config->block_size;
  guint32 start = G_MAXUINT32;
  guint32 last = 0;
  Sources sources;

  find_sources (run, instruction, &sources);
  for (guint32 block = 0, n = blocks_of (run, instruction->lanes); block < n; block++)
    {
      guint32 begin = *free_at;
      guint32 operands = sources_ready (run, &sources, block,
                                        MIN (block_size, instruction->lanes - block * block_size));
      guint32 end, arrival;

      if (unit != ASSAY_UNIT_DRAIN)
        begin = MAX (begin, run->issued[core]);
      begin = MAX (begin, operands);
      if (block == 0)
        causes.operands = operands;

      end = begin + latency;
      arrival = send_block (run, instruction, block, &end);
      /* A unit stands still while the write queue takes nothing. */
      begin = end - latency;
      *free_at = begin + run->width;
      if (unit != ASSAY_UNIT_DRAIN && block == 0)
        run->issued[core] = begin;
      start = MIN (start, begin);
      /* Gates are free as soon as they are taken up. */
      if (unit != ASSAY_UNIT_RECURRENT)
        for (guint i = 0; i < sources.n; i++)
          track_read (&sources.tracks[i], block, *free_at);
      run->live_end[core] = MAX (run->live_end[core], end);
      last = MAX (last, arrival);
    }

  add_event (run, instruction, unit != ASSAY_UNIT_DRAIN ? &causes : NULL, start, *free_at, last);
}

/* Over all lanes: the result is one block, ready when the last block has gone through. */
static void
run_lanes (Run *run, const AssayInstruction *instruction)
{
  guint core = instruction->core;
  guint32 *free_at = &run->unit_free[core][ASSAY_UNIT_LANE];
  guint32 start = G_MAXUINT32;
  guint32 blocks = blocks_of (run, instruction->lanes);
  /* A sum over lanes comes back to one accumulator as the sums of the matrix unit do. */
  guint32 interval = instruction->opcode == ASSAY_OPCODE_SUM
                         ? MAX (run->width, run->config->timing.accumulate_interval)
                         : run->width;
  Causes causes = { run->issued[core], *free_at, operand_ready (run, core, &instruction->a, 0) };
  guint32 done;

  for (guint32 block = 0; block < blocks; block++)
    {
      guint32 begin = MAX (
          *free_at, MAX (run->issued[core], operand_ready (run, core, &instruction->a, block)));

      *free_at = begin + interval;
      if (block == 0)
        run->issued[core] = begin;
      start = MIN (start, begin);
      operand_read (run, core, &instruction->a, block, *free_at);
    }

  done = *free_at + latency_of (run, instruction);
  if (assay_operand_get_info ((AssayOpcode) instruction->opcode, ASSAY_SLOT_D)->extent ==
      ASSAY_EXTENT_RUN_TO)
    {
      guint32 last_block = (instruction->high.lane + instruction->lanes - 1) /
                           run->config->block_size;

      for (guint32 block = instruction->high.lane / run->config->block_size; block <= last_block;
           block++)
        done = operand_write (run, core, &instruction->d, block, done);
    }
  else
    {
      done = operand_write (run, core, &instruction->d, 0, done);
    }

  run->live_end[core] = MAX (run->live_end[core], done);
  add_event (run, instruction, &causes, start, *free_at, done);
}

static void
run_live (Run *run, const AssayInstruction *instruction)
{
  const AssayOpcodeInfo *info = assay_opcode_get_info ((AssayOpcode) instruction->opcode);

  if (info->unit == ASSAY_UNIT_INPUT)
    run_input (run, instruction);
  else if (info->unit == ASSAY_UNIT_OUTPUT)
    run_output (run, instruction);
  else if (info->unit == ASSAY_UNIT_LANE)
    run_lanes (run, instruction);
  else if (info->weighs)
    run_matrix (run, instruction);
  else if (info->unit == ASSAY_UNIT_MATRIX)
    for (guint32 row = 0; row < blocks_of (run, instruction->lanes); row++)
      operand_write (run, instruction->core, &instruction->d, row, 0);
  else if (instruction->d.ring != 0)
    run_push (run, instruction);
  else
    run_blocks (run, instruction);
}

static void
queue_init (Queue *queue, guint32 capacity, guint32 **memory)
{
  queue->left = *memory;
  queue->capacity = capacity;
  *memory += capacity;
}

static void
allocate_times (Run *run, const AssayQueues *queues)
{
  const AssayConfigValues *config = run->config;
  guint32 writes = CLAMP (queues->write, 1, MAX_CAPACITY);
  guint32 outputs = CLAMP (queues->output, 1, MAX_CAPACITY);
  gsize per_core = 2 * assay_store_count (config) + writes;
  guint32 *next;

  run->memory = g_new0 (guint32, (per_core + run->code->rings->len) * config->num_cores + outputs);
  next = run->memory;
  queue_init (&run->outputs, outputs, &next);

  for (guint core = 0; core < config->num_cores; core++)
    {
      for (AssayStore store = ASSAY_STORE_TENSOR; store <= ASSAY_STORE_CELL; store++)
        {
          guint depth = assay_store_depth (config, store);

          run->stores[core][store] = (Times){ next, next + depth };
          next += 2 * depth;
        }
      queue_init (&run->writes[core], writes, &next);
      run->pushed[core] = next;
      next += run->code->rings->len;
    }
}

static void
free_times (Run *run)
{
  for (guint core = 0; core < run->config->num_cores; core++)
    assay_calendar_clear (&run->arrivals[core]);
  g_array_unref (run->sweeps);
  g_free (run->memory);
}

/* Work for the next inference waits until the core has nothing live left. It ends when the matrix
 * unit is done; where the next inference reads its sums without adding to them, when they have been
 * drained. */
static guint32
run_deferred (Run *run, const AssayInstruction *instructions, guint32 n)
{
  guint32 depth = assay_store_depth (run->config, ASSAY_STORE_ACCUMULATOR);
  g_autofree gboolean *added_to = g_new0 (gboolean, (gsize) depth * run->config->num_cores);
  guint32 end = 0;

  for (guint core = 0; core < run->config->num_cores; core++)
    {
      for (guint unit = 0; unit < ASSAY_N_UNITS; unit++)
        run->unit_free[core][unit] = MAX (run->unit_free[core][unit], run->live_end[core]);
    }
  for (guint32 i = 0; i < n; i++)
    {
      if (instructions[i].opcode == ASSAY_OPCODE_MATRIX && !instructions[i].deferred)
        added_to[instructions[i].core * depth + instructions[i].d.base] = TRUE;
    }

  for (guint32 i = 0; i < n; i++)
    {
      guint core = instructions[i].core;
      guint32 base = instructions[i].d.base;

      if (!instructions[i].deferred || instructions[i].opcode != ASSAY_OPCODE_MATRIX ||
          instructions[i].a.ring == 0)
        continue;
      run_matrix (run, &instructions[i]);
      end = MAX (end, run->unit_free[core][ASSAY_UNIT_MATRIX]);
      if (!added_to[core * depth + base])
        end = MAX (end, run->stores[core][ASSAY_STORE_ACCUMULATOR].ready[base] +
                            run->config->timing.drain_latency);
    }

  return end;
}

/**
 * assay_timing_run_with_queues:
 * @code: a program
 * @model: which of its models
 * @queues: how much room there is where data wait
 * @cycles: (out): the cycles of one inference
 * @events: (nullable) (element-type AssayEvent): gets the timeline
 *
 * Counts the cycles of one inference without computing any value.
 */
void
assay_timing_run_with_queues (const AssayStreamCode *code, guint model, const AssayQueues *queues,
                              AssayCycles *cycles, GArray *events)
{
  const AssayModelEntry *entry = &g_array_index (code->models, AssayModelEntry, model);
  const AssayInstruction *first = &g_array_index (code->instructions, AssayInstruction,
                                                  entry->first);
  g_autofree Run *run = g_new0 (Run, 1);
  guint32 busy;

  run->code = code;
  run->config = &code->config;
  run->events = events;
  run->width = MAX (1, code->config.block_size / LANES_PER_CYCLE);
  run->first_output = G_MAXUINT32;
  run->sweeps = g_array_new (FALSE, FALSE, sizeof (guint32));
  allocate_times (run, queues);

  for (guint32 i = 0; i < entry->n_instructions; i++)
    {
      if (!first[i].deferred && !first[i].reset)
        run_live (run, &first[i]);
    }

  *cycles = (AssayCycles){
    .last_input = run->input,
    .first_output = run->first_output == G_MAXUINT32 ? 0 : run->first_output,
    .last_output = run->output,
    .spaced = run->output,
  };

  busy = run_deferred (run, first, entry->n_instructions);
  cycles->contiguous = 1 + MAX (cycles->last_output, busy);
  free_times (run);
}

/**
 * assay_timing_run:
 * @code: a program
 * @model: which of its models
 * @cycles: (out): the cycles of one inference
 * @events: (nullable) (element-type AssayEvent): gets the timeline
 *
 * Counts the cycles of one inference with the queues of the accelerator.
 */
void
assay_timing_run (const AssayStreamCode *code, guint model, AssayCycles *cycles, GArray *events)
{
  static const AssayQueues queues = { ASSAY_WRITE_QUEUE_CAPACITY, ASSAY_OUTPUT_BUFFER_CAPACITY };

  assay_timing_run_with_queues (code, model, &queues, cycles, events);
}
