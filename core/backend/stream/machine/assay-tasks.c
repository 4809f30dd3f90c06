/* assay-tasks.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * Instructions in their order, each to the list in which it would be done first. Two that touch the
 * same blocks, one of them writing, stay in their order; nothing else does. Rows of a matrix go to
 * the lists by their place in it, whichever cores they are placed on, so that all parts of a sum of
 * products come to one list and a layer keeps every thread busy.
 */
#include "backend/stream/machine/assay-tasks.h"

#include "backend/stream/machine/assay-touch.h"

/* Nanoseconds that the estimate reckons with: for a task, whatever it does, for a value that is
 * copied to one more core, and for hearing that another thread is done. Fitted on a processor with
 * kernels of 512 bits; docs/benchmarks.md has the figures. */
#define TASK_COST 20
#define COPY_COST 0.1
#define WAIT_COST 250

/* Bytes of weights that a thread reads in a nanosecond, from a cache that it shares with others;
 * and what a matrix has to have to be divided. */
#define WEIGHTS_RATE 28
#define DIVIDED_BYTES (32 << 10)

/* Whoever wrote and read every block is noted; a program with more of them runs in one thread. */
#define MAX_NOTES ((gsize) 1 << 26)

/* Nanoseconds for a lane in each unit; those of a product are of its weights. */
static const double lane_cost[ASSAY_N_UNITS] = {
  [ASSAY_UNIT_DRAIN] = 0.2, [ASSAY_UNIT_POINTWISE] = 0.2, [ASSAY_UNIT_FUNCTION] = 1.5,
  [ASSAY_UNIT_LANE] = 1,    [ASSAY_UNIT_RECURRENT] = 7.5, [ASSAY_UNIT_INPUT] = 0.2,
  [ASSAY_UNIT_OUTPUT] = 0.1
};

/* The blocks of a store of a core, in those of all. */
typedef struct
{
  guint32 first;
  guint32 n;
} Span;

/* A task that has its place. */
typedef struct
{
  guint32 list;
  guint32 count; /* of tasks of its list, itself included */
  double finish;
} Placed;

typedef struct
{
  AssayTouch touch;
  gboolean writes;
} Use;

typedef struct
{
  const AssayStreamCode *code;
  AssayTasks *tasks;
  Span spans[ASSAY_MAX_CORES][ASSAY_N_STORES];
  guint32 *written;    /* per block: 1 + the task that wrote it last */
  guint32 *read;       /* per block and list: 1 + the task that read it last */
  GArray *placed;      /* Placed, per task */
  double *free_at;     /* per list */
  guint32 *known;      /* per list and list: so many tasks are done before its next one */
  guint32 *needed;     /* per list: what the task being placed needs of it */
  double *ready;       /* per list: when it has that */
  guint32 barrier;     /* 1 + the task that all others stand before or behind */
  gboolean own_blocks; /* whether no window shares a block with anything else */
  Use uses[ASSAY_N_SLOTS];
  guint n_uses;
} Planner;

static const AssayInstruction *
instruction_at (const Planner *self, guint32 index)
{
  return &g_array_index (self->code->instructions, AssayInstruction, index);
}

static const AssayMatrix *
matrix_of (const Planner *self, const AssayInstruction *instruction)
{
  const AssayPlacedMatrix *placed = &g_array_index (self->code->placed, AssayPlacedMatrix,
                                                    instruction->weights);

  return &g_array_index (self->code->matrices, AssayMatrix, placed->matrix);
}

/* Windows do not move on within an inference, so a vector of one is where its age says; seen from
 * the first slot, all are. */
static void
narrow_to_slot (const Planner *self, const AssayOperand *operand, AssayTouch *touch)
{
  const AssayRing *ring;

  if (operand->ring == 0 || operand->fp32 || !self->own_blocks)
    return;

  ring = &g_array_index (self->code->rings, AssayRing, operand->ring - 1);
  touch->base += (ring->slots - operand->age % ring->slots) % ring->slots * ring->blocks;
  touch->blocks -= (ring->slots - 1) * ring->blocks;
}

/* What an instruction reads and writes. Cell state is both, and so are sums and runs. */
static void
find_uses (Planner *self, const AssayInstruction *instruction)
{
  self->n_uses = 0;
  for (AssaySlot slot = ASSAY_SLOT_D; slot < ASSAY_N_SLOTS; slot++)
    {
      Use *use = &self->uses[self->n_uses];

      if (!assay_instruction_touch (self->code, instruction, slot, &use->touch))
        continue;
      narrow_to_slot (self, &instruction->operands[slot], &use->touch);
      use->writes = slot == ASSAY_SLOT_D || use->touch.store == ASSAY_STORE_CELL;
      self->n_uses++;
    }
}

static double
cost_of (const Planner *self, const AssayInstruction *instruction, guint32 n_rows)
{
  AssayUnit unit = assay_instruction_get_unit (instruction);
  double cost = TASK_COST;

  if (instruction->opcode == ASSAY_OPCODE_MATRIX)
    return cost + (double) n_rows * matrix_of (self, instruction)->n_inputs * sizeof (guint16) /
                      WEIGHTS_RATE;

  cost += instruction->lanes * lane_cost[unit];
  cost += COPY_COST * instruction->lanes *
          __builtin_popcountll (assay_instruction_cores (instruction));

  return cost;
}

static void
need (Planner *self, guint32 task)
{
  const Placed *placed;

  if (task == 0)
    return;

  placed = &g_array_index (self->placed, Placed, task - 1);
  self->needed[placed->list] = MAX (self->needed[placed->list], placed->count);
  self->ready[placed->list] = MAX (self->ready[placed->list], placed->finish);
}

static void
for_each_block (Planner *self, void (*func) (Planner *self, const Use *use, guint32 block))
{
  for (guint i = 0; i < self->n_uses; i++)
    {
      const Use *use = &self->uses[i];
      guint64 cores = use->touch.cores;

      for (; cores != 0; cores &= cores - 1)
        {
          const Span *span = &self->spans[__builtin_ctzll (cores)][use->touch.store];

          for (guint32 block = 0; block < use->touch.blocks; block++)
            func (self, use, span->first + use->touch.base + block);
        }
    }
}

static void
need_block (Planner *self, const Use *use, guint32 block)
{
  need (self, self->written[block]);
  for (guint list = 0; list < self->tasks->n_lists && use->writes; list++)
    need (self, self->read[(gsize) block * self->tasks->n_lists + list]);
}

/* The newest task is the one that uses it. */
static void
note_block (Planner *self, const Use *use, guint32 block)
{
  guint32 list = g_array_index (self->placed, Placed, self->placed->len - 1).list;

  if (use->writes)
    self->written[block] = self->placed->len;
  else
    self->read[(gsize) block * self->tasks->n_lists + list] = self->placed->len;
}

static double
start_in (const Planner *self, guint list)
{
  double start = self->free_at[list];

  for (guint i = 0; i < self->tasks->n_lists; i++)
    {
      if (self->needed[i] > 0)
        start = MAX (start, self->ready[i] + (i == list ? 0 : WAIT_COST));
    }

  return start;
}

static guint
find_first (const Planner *self)
{
  guint best = 0;

  for (guint list = 1; list < self->tasks->n_lists; list++)
    {
      if (start_in (self, list) < start_in (self, best))
        best = list;
    }

  return best;
}

static void
add_task (Planner *self, AssayTask task, guint list, double cost)
{
  AssayTaskList *to = &self->tasks->lists[list];
  guint32 *known = self->known + (gsize) list * self->tasks->n_lists;
  Placed placed = { list, to->tasks->len + 1, start_in (self, list) + cost };

  task.first_wait = to->waits->len;
  for (guint i = 0; i < self->tasks->n_lists; i++)
    {
      AssayTaskWait wait = { i, self->needed[i] };

      if (i == list || wait.count <= known[i])
        continue;
      known[i] = wait.count;
      g_array_append_val (to->waits, wait);
      task.n_waits++;
    }
  self->free_at[list] = placed.finish;
  self->tasks->alone += cost;
  g_array_append_val (to->tasks, task);
  g_array_append_val (self->placed, placed);
}

static void
begin_task (Planner *self)
{
  for (guint list = 0; list < self->tasks->n_lists; list++)
    {
      self->needed[list] = 0;
      self->ready[list] = 0;
    }
  need (self, self->barrier);
}

/* Behind all that is there, and before all that comes. */
static void
add_barrier (Planner *self, guint32 instruction)
{
  guint n = self->tasks->n_lists;

  begin_task (self);
  for (guint list = 0; list < n; list++)
    {
      self->needed[list] = self->tasks->lists[list].tasks->len;
      self->ready[list] = self->free_at[list];
    }
  add_task (self, (AssayTask){ .instruction = instruction }, 0, TASK_COST);
  self->barrier = self->placed->len;
}

/* In the list where it is done first, or in that one. */
static void
add_part (Planner *self, AssayTask task, double cost, int list)
{
  begin_task (self);
  for_each_block (self, need_block);
  add_task (self, task, list < 0 ? find_first (self) : (guint) list, cost);
  for_each_block (self, note_block);
}

/* Rows up to the share of a list, in whole panels and blocks. */
static guint32
cut (const Planner *self, const AssayInstruction *instruction, guint list, guint32 unit)
{
  guint64 first =
      g_array_index (self->code->placed, AssayPlacedMatrix, instruction->weights).first_row;
  guint64 end = (guint64) matrix_of (self, instruction)->n_outputs * list / self->tasks->n_lists;

  if (list == self->tasks->n_lists || end >= first + instruction->lanes)
    return instruction->lanes;
  if (end <= first)
    return 0;

  return (guint32) MIN ((end - first + unit / 2) / unit * unit, instruction->lanes);
}

static void
add_product (Planner *self, guint32 index)
{
  const AssayInstruction *instruction = instruction_at (self, index);
  const AssayMatrix *matrix = matrix_of (self, instruction);
  guint32 block = self->code->config.block_size;
  guint32 unit = MAX (block, ASSAY_PANEL);
  gboolean divided = (gsize) matrix->n_outputs * matrix->n_inputs * sizeof (guint16) >=
                         DIVIDED_BYTES &&
                     unit % block == 0 && unit % ASSAY_PANEL == 0;

  for (guint list = 0; list < (divided ? self->tasks->n_lists : 1); list++)
    {
      guint32 begin = divided ? cut (self, instruction, list, unit) : 0;
      guint32 end = divided ? cut (self, instruction, list + 1, unit) : instruction->lanes;
      AssayTask task = { .instruction = index, .first_row = begin, .n_rows = end - begin };

      if (begin >= end)
        continue;
      find_uses (self, instruction);
      self->uses[0].touch.base += begin / block;
      self->uses[0].touch.blocks = (end - begin + block - 1) / block;
      add_part (self, task, cost_of (self, instruction, end - begin), divided ? (int) list : -1);
    }
}

static void
add_instruction (Planner *self, guint32 index)
{
  const AssayInstruction *instruction = instruction_at (self, index);

  switch (instruction->opcode)
    {
    case ASSAY_OPCODE_MATRIX:
      add_product (self, index);
      break;
    case ASSAY_OPCODE_RESET:
      add_barrier (self, index);
      break;
    default:
      find_uses (self, instruction);
      add_part (self, (AssayTask){ .instruction = index }, cost_of (self, instruction, 0), -1);
      break;
    }
}

/* How much of every store is used, and whether windows keep to themselves. */
static gsize
find_spans (Planner *self, const AssayModelEntry *entry)
{
  guint32 n = 0;
  g_autofree guint32 *owners = NULL; /* per block: 1 + its window, or 0 before anybody uses it */

  for (guint pass = 0; pass < 2; pass++)
    {
      for (guint32 i = entry->first; i < entry->first + entry->n_instructions; i++)
        {
          const AssayInstruction *instruction = instruction_at (self, i);

          for (AssaySlot slot = ASSAY_SLOT_D; slot < ASSAY_N_SLOTS; slot++)
            {
              AssayTouch touch;
              guint32 owner = 1 + instruction->operands[slot].ring;

              if (instruction->reset ||
                  !assay_instruction_touch (self->code, instruction, slot, &touch))
                continue;
              for (guint64 cores = touch.cores; cores != 0; cores &= cores - 1)
                {
                  Span *span = &self->spans[__builtin_ctzll (cores)][touch.store];

                  if (pass == 0)
                    span->n = MAX (span->n, touch.base + touch.blocks);
                  for (guint32 block = 0; block < touch.blocks && pass == 1; block++)
                    {
                      guint32 *is = &owners[span->first + touch.base + block];

                      if (*is != 0 && *is != owner && MAX (*is, owner) > 1)
                        self->own_blocks = FALSE;
                      *is = owner;
                    }
                }
            }
        }
      for (guint core = 0; core < ASSAY_MAX_CORES && pass == 0; core++)
        {
          for (guint store = 0; store < ASSAY_N_STORES; store++)
            {
              self->spans[core][store].first = n;
              n += self->spans[core][store].n;
            }
        }
      if (pass == 0)
        owners = g_new0 (guint32, (gsize) n + 1);
    }

  return n;
}

static void
plan (Planner *self, const AssayModelEntry *entry)
{
  guint32 end = entry->first + entry->n_instructions;

  for (guint32 i = entry->first; i < end; i++)
    {
      if (!instruction_at (self, i)->deferred && !instruction_at (self, i)->reset)
        add_instruction (self, i);
    }
  add_barrier (self, ASSAY_TASK_PUSH);
  for (guint32 i = entry->first; i < end; i++)
    {
      if (instruction_at (self, i)->deferred)
        add_instruction (self, i);
    }
}

/* Which numbers of done tasks of a list the others wait for. */
static void
find_awaited (const AssayTasks *self, guint list, gboolean *awaited)
{
  for (guint i = 0; i < self->n_lists; i++)
    {
      const GArray *waits = self->lists[i].waits;

      for (guint j = 0; j < waits->len; j++)
        {
          const AssayTaskWait *wait = &g_array_index (waits, AssayTaskWait, j);

          if (wait->list == list)
            awaited[wait->count] = TRUE;
        }
    }
}

/* Products behind one another are read faster as one. */
static void
join_products (AssayTasks *self, guint list)
{
  guint n = self->lists[list].tasks->len;
  AssayTask *tasks = (AssayTask *) (gpointer) self->lists[list].tasks->data;
  g_autofree gboolean *awaited = g_new0 (gboolean, n + 1);

  find_awaited (self, list, awaited);
  for (guint i = n; i-- > 0;)
    {
      tasks[i].n_joined = 1;
      if (i + 1 < n && tasks[i].n_rows > 0 && tasks[i + 1].n_rows > 0 &&
          tasks[i + 1].n_waits == 0 && !awaited[i + 1] &&
          tasks[i + 1].n_joined < ASSAY_JOINED_PRODUCTS)
        tasks[i].n_joined = (guint16) (tasks[i + 1].n_joined + 1);
    }
}

/**
 * assay_tasks_new:
 * @code: a program that has been verified
 * @model: one of its models
 * @n_lists: for how many threads, at least 1
 *
 * Divides the instructions of a model over threads.
 *
 * Returns: (transfer full) (nullable): the lists, %NULL of a program that uses more blocks than can
 * be followed
 */
AssayTasks *
assay_tasks_new (const AssayStreamCode *code, guint model, guint n_lists)
{
  const AssayModelEntry *entry = &g_array_index (code->models, AssayModelEntry, model);
  g_autoptr (AssayTasks) self = g_new0 (AssayTasks, 1);
  g_autofree Planner *planner = g_new0 (Planner, 1);
  g_autofree guint32 *written = NULL;
  g_autofree guint32 *read = NULL;
  g_autofree guint32 *known = g_new0 (guint32, (gsize) n_lists * n_lists);
  g_autofree guint32 *needed = g_new0 (guint32, n_lists);
  g_autofree double *free_at = g_new0 (double, n_lists);
  g_autofree double *ready = g_new0 (double, n_lists);
  g_autoptr (GArray) placed = g_array_new (FALSE, FALSE, sizeof (Placed));
  gsize n_blocks;

  self->n_lists = n_lists;
  self->lists = g_new (AssayTaskList, n_lists);
  for (guint i = 0; i < n_lists; i++)
    {
      self->lists[i].tasks = g_array_new (FALSE, FALSE, sizeof (AssayTask));
      self->lists[i].waits = g_array_new (FALSE, FALSE, sizeof (AssayTaskWait));
    }

  planner->code = code;
  planner->tasks = self;
  planner->own_blocks = TRUE;
  n_blocks = find_spans (planner, entry);
  if (n_blocks > MAX_NOTES / (n_lists + 1))
    return NULL;
  planner->written = written = g_new0 (guint32, n_blocks + 1);
  planner->read = read = g_new0 (guint32, (n_blocks + 1) * n_lists);
  planner->known = known;
  planner->needed = needed;
  planner->free_at = free_at;
  planner->ready = ready;
  planner->placed = placed;
  plan (planner, entry);

  for (guint i = 0; i < n_lists; i++)
    {
      self->together = MAX (self->together, free_at[i]);
      join_products (self, i);
    }

  return g_steal_pointer (&self);
}

void
assay_tasks_free (AssayTasks *self)
{
  if (self == NULL)
    return;

  for (guint i = 0; i < self->n_lists; i++)
    {
      g_array_unref (self->lists[i].tasks);
      g_array_unref (self->lists[i].waits);
    }
  g_free (self->lists);
  g_free (self);
}
