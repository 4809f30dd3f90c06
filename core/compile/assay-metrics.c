/* assay-metrics.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "compile/assay-metrics.h"

#include <string.h>

#include "base/assay-bf16.h"

/* Values that every unit but the matrix moves in one cycle. */
#define LANES_PER_CYCLE 32

static guint32
blocks_of (const AssayConfigValues *config,
           guint32                  lanes)
{
  return (lanes + config->block_size - 1) / config->block_size;
}

/* The plan says which blocks live; the highest of them is what the store must have. */
static void
count_plan (AssayCodeMetrics *self,
            const AssayCode  *code)
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
          core->tensor_descriptors++;
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
count_weights (AssayCodeMetrics *self,
               const AssayCode  *code)
{
  for (guint i = 0; i < code->placed->len; i++)
    {
      const AssayPlacedMatrix *placed = &g_array_index (code->placed, AssayPlacedMatrix, i);
      AssayCoreMetrics *core = &self->cores[placed->core];

      core->weight_store = MAX (core->weight_store, placed->base + assay_code_placed_blocks (code, i));
    }
}

static guint64
work_of (const AssayCode        *code,
         const AssayInstruction *instruction)
{
  guint32 width = MAX (1, code->config.block_size / LANES_PER_CYCLE);
  guint32 blocks = blocks_of (&code->config, instruction->lanes);

  if (instruction->opcode == ASSAY_OPCODE_MATRIX)
    {
      const AssayPlacedMatrix *placed = &g_array_index (code->placed, AssayPlacedMatrix, instruction->weights);
      guint32 n_inputs = g_array_index (code->matrices, AssayMatrix, placed->matrix).n_inputs;

      return (guint64) MAX (blocks, width) * blocks_of (&code->config, n_inputs);
    }

  return (guint64) blocks * width;
}

static void
count_instructions (AssayCodeMetrics *self,
                    const AssayCode  *code)
{
  g_autoptr (GHashTable) clamps = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < code->instructions->len; i++)
    {
      const AssayInstruction *instruction = &g_array_index (code->instructions, AssayInstruction, i);
      AssayCoreMetrics *core = &self->cores[instruction->core];

      core->instrs++;
      core->micro_instrs += work_of (code, instruction);
      if ((instruction->opcode == ASSAY_OPCODE_CLAMP || instruction->clamps) &&
          g_hash_table_add (clamps, g_strdup_printf ("%u %08x %08x", instruction->core,
                                                     assay_f32_bits (instruction->low.bound),
                                                     assay_f32_bits (instruction->high.bound))))
        core->clamp_store++;
    }
}

static guint64
port_bytes (const AssayConfigValues *config,
            const AssayPort         *ports,
            guint                    n)
{
  guint64 io_size = MAX (1, config->io_size);
  guint64 bytes = 0;

  for (guint i = 0; i < n; i++)
    bytes += ((guint64) ports[i].lanes * ports[i].n_vectors + io_size - 1) / io_size * io_size *
             (ports[i].fp32 ? sizeof (float) : sizeof (guint16));

  return bytes;
}

/**
 * assay_code_metrics_new:
 * @code: a program
 *
 * Counts what a program uses of its hardware, from the memory plan, the placed weights and the instructions.
 *
 * Returns: (transfer full): the metrics
 */
AssayCodeMetrics *
assay_code_metrics_new (const AssayCode *code)
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
assay_code_metrics_free (AssayCodeMetrics *self)
{
  if (self == NULL)
    return;

  g_free (self->cores);
  g_strfreev (self->model_names);
  g_free (self->input_bytes);
  g_free (self->output_bytes);
  g_free (self);
}
