/* assay-metrics.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/stream/compile/assay-metrics.h"

#include <string.h>

#include "backend/stream/compile/assay-entries.h"
#include "backend/stream/machine/assay-touch.h"

/* Values that every unit but the matrix moves in one cycle. */
#define LANES_PER_CYCLE 32

static guint32
blocks_of (const AssayConfigValues *config, guint32 lanes)
{
  return (lanes + config->block_size - 1) / config->block_size;
}

/* The plan says which blocks live; the highest of them is what the store must have. */
static void
count_plan (AssayCodeMetrics *self, const AssayStreamCode *code)
{
  for (guint i = 0; i < code->plan->len; i++)
    {
      const AssayPlanned *planned = &g_array_index (code->plan, AssayPlanned, i);
      AssayCoreMetrics *core = &self->cores[planned->core];
      guint32 end = planned->base + planned->blocks;

      switch (planned->store)
        {
        case ASSAY_STORE_TENSOR:
          core->tensor_ram = MAX (core->tensor_ram, end);
          break;
        case ASSAY_STORE_ACCUMULATOR:
          core->accum_store = MAX (core->accum_store, end);
          break;
        case ASSAY_STORE_CELL:
          core->cell_state = MAX (core->cell_state, end);
          break;
        default:
          break;
        }
    }
}

static void
count_weights (AssayCodeMetrics *self, const AssayStreamCode *code)
{
  for (guint i = 0; i < code->placed->len; i++)
    {
      const AssayPlacedMatrix *placed = &g_array_index (code->placed, AssayPlacedMatrix, i);
      AssayCoreMetrics *core = &self->cores[placed->core];

      core->weight_store = MAX (core->weight_store,
                                placed->base + assay_stream_code_placed_blocks (code, i));
    }
}

static guint64
work_of (const AssayStreamCode *code, const AssayInstruction *instruction)
{
  guint32 width = MAX (1, code->config.block_size / LANES_PER_CYCLE);
  guint32 blocks = blocks_of (&code->config, instruction->lanes);

  if (instruction->opcode == ASSAY_OPCODE_MATRIX)
    {
      const AssayPlacedMatrix *placed = &g_array_index (code->placed, AssayPlacedMatrix,
                                                        instruction->weights);
      guint32 n_inputs = g_array_index (code->matrices, AssayMatrix, placed->matrix).n_inputs;

      return (guint64) MAX (blocks, width) * blocks_of (&code->config, n_inputs);
    }

  return (guint64) blocks * width;
}

static guint32
longest_operand (const AssayStreamCode *code, const AssayInstruction *instruction)
{
  guint32 longest = 0;

  for (AssaySlot slot = ASSAY_SLOT_A; slot < ASSAY_N_SLOTS; slot++)
    longest = MAX (longest, assay_instruction_read_blocks (code, instruction, slot));

  return longest;
}

static void
count_instructions (AssayCodeMetrics *self, const AssayStreamCode *code)
{
  guint32 counts[ASSAY_MAX_CORES];

  if (assay_stream_code_count_clamps (code, 0, counts))
    {
      for (guint core = 0; core < self->n_cores; core++)
        self->cores[core].clamp_store = counts[core];
    }
  if (assay_stream_code_count_descriptors (code, 0, counts))
    {
      for (guint core = 0; core < self->n_cores; core++)
        self->cores[core].tensor_descriptors = counts[core];
    }

  for (guint i = 0; i < code->instructions->len; i++)
    {
      const AssayInstruction *instruction = &g_array_index (code->instructions, AssayInstruction,
                                                            i);
      AssayCoreMetrics *core = &self->cores[instruction->core];

      core->instrs++;
      core->micro_instrs += work_of (code, instruction);
      core->longest_read = MAX (core->longest_read, longest_operand (code, instruction));
    }
}

typedef struct
{
  guint32 step;
  gint32 blocks;
} Change;

static int
compare_changes (gconstpointer left, gconstpointer right)
{
  const Change *a = left;
  const Change *b = right;

  if (a->step != b->step)
    return a->step < b->step ? -1 : 1;

  return a->blocks < b->blocks ? -1 : a->blocks > b->blocks;
}

/* The most blocks that live on a core at one step: what dies at a step still lives in it. */
static void
count_live (AssayCodeMetrics *self, const AssayStreamCode *code)
{
  for (guint core = 0; core < self->n_cores; core++)
    {
      g_autoptr (GArray) changes = g_array_new (FALSE, FALSE, sizeof (Change));
      gint32 live = 0, most = 0;

      for (guint i = 0; i < code->plan->len; i++)
        {
          const AssayPlanned *planned = &g_array_index (code->plan, AssayPlanned, i);
          Change birth = { planned->born, (gint32) planned->blocks };
          Change death = { planned->died, -(gint32) planned->blocks };

          if (planned->core != core || planned->store != ASSAY_STORE_TENSOR)
            continue;
          death.step += death.step < G_MAXUINT32;
          g_array_append_val (changes, birth);
          g_array_append_val (changes, death);
        }

      g_array_sort (changes, compare_changes);
      for (guint i = 0; i < changes->len; i++)
        {
          live += g_array_index (changes, Change, i).blocks;
          most = MAX (most, live);
        }
      self->cores[core].tensor_ram_live = (guint32) most;
    }
}

/* Constant vectors that a core reads; each part of one counts once, and one that is repeated takes
 * a block. */
static void
count_biases (AssayCodeMetrics *self, const AssayStreamCode *code)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < code->instructions->len; i++)
    {
      const AssayInstruction *instruction = &g_array_index (code->instructions, AssayInstruction,
                                                            i);

      for (AssaySlot slot = ASSAY_SLOT_A; slot < ASSAY_N_SLOTS; slot++)
        {
          const AssayOperand *operand = &instruction->operands[slot];
          guint32 blocks = operand->repeat ? 1 : blocks_of (&code->config, instruction->lanes);

          if (operand->store == ASSAY_STORE_CONSTANT &&
              g_hash_table_add (
                  seen, g_strdup_printf ("%u %u %u %u", instruction->core, operand->base,
                                         operand->repeat ? 0 : instruction->first_block, blocks)))
            self->cores[instruction->core].bias_store += blocks;
        }
    }
}

static guint64
port_bytes (const AssayConfigValues *config, const AssayPort *ports, guint n)
{
  guint64 io_size = MAX (1, config->io_size);
  guint64 bytes = 0;

  for (guint i = 0; i < n; i++)
    bytes += ((guint64) ports[i].lanes * ports[i].n_vectors + io_size - 1) / io_size * io_size *
             (ports[i].fp32 ? sizeof (float) : sizeof (guint16));

  return bytes;
}

/**
 * assay_stream_code_metrics_new:
 * @code: a program
 *
 * Counts what a program uses of its hardware, from the memory plan, the placed weights and the
 * instructions.
 *
 * Returns: (transfer full): the metrics
 */
AssayCodeMetrics *
assay_stream_code_metrics_new (const AssayStreamCode *code)
{
  AssayCodeMetrics *self = g_new0 (AssayCodeMetrics, 1);

  self->config = code->config;
  self->n_cores = code->config.num_cores;
  self->cores = g_new0 (AssayCoreMetrics, self->n_cores);
  self->n_models = code->models->len;
  self->model_names = g_new0 (char *, self->n_models + 1);
  self->input_bytes = g_new0 (guint64, self->n_models);
  self->output_bytes = g_new0 (guint64, self->n_models);

  count_plan (self, code);
  count_weights (self, code);
  count_instructions (self, code);
  count_live (self, code);
  count_biases (self, code);

  for (guint i = 0; i < self->n_models; i++)
    {
      const AssayModelEntry *entry = &g_array_index (code->models, AssayModelEntry, i);

      self->model_names[i] = g_strdup (entry->name);
      self->input_bytes[i] = port_bytes (&code->config, entry->inputs, entry->n_inputs);
      self->output_bytes[i] = port_bytes (&code->config, entry->outputs, entry->n_outputs);
    }

  return self;
}

void
assay_stream_code_metrics_free (AssayCodeMetrics *self)
{
  if (self == NULL)
    return;

  g_free (self->cores);
  g_strfreev (self->model_names);
  g_free (self->input_bytes);
  g_free (self->output_bytes);
  g_free (self);
}
