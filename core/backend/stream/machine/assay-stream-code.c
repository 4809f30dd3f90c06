/* assay-stream-code.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend/stream/machine/assay-stream-code.h"

#include "base/assay-arena.h"

static void
matrix_clear (gpointer data)
{
  assay_tensor_unref (((AssayMatrix *) data)->tensor);
}

/**
 * assay_stream_code_new:
 * @config: the hardware
 *
 * Makes an empty program.
 *
 * Returns: (transfer full): the program
 */
AssayStreamCode *
assay_stream_code_new (const AssayConfigValues *config)
{
  AssayStreamCode *self = g_new0 (AssayStreamCode, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->arena = assay_arena_new ();
  self->config = *config;
  self->target_id = "";
  self->models = g_array_new (FALSE, TRUE, sizeof (AssayModelEntry));
  /* With room for one, so that those of a model without any begin somewhere. */
  self->instructions = g_array_sized_new (FALSE, TRUE, sizeof (AssayInstruction), 1);
  self->matrices = g_array_new (FALSE, TRUE, sizeof (AssayMatrix));
  self->placed = g_array_new (FALSE, TRUE, sizeof (AssayPlacedMatrix));
  self->constants = g_ptr_array_new_with_free_func ((GDestroyNotify) assay_tensor_unref);
  self->rings = g_array_new (FALSE, TRUE, sizeof (AssayRing));
  self->plan = g_array_new (FALSE, TRUE, sizeof (AssayPlanned));
  self->candidates = g_array_new (FALSE, TRUE, sizeof (AssayCandidate));
  self->node_names = g_ptr_array_new ();
  g_array_set_clear_func (self->matrices, matrix_clear);

  return self;
}

AssayStreamCode *
assay_stream_code_ref (AssayStreamCode *self)
{
  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

void
assay_stream_code_unref (AssayStreamCode *self)
{
  if (self == NULL || !g_atomic_ref_count_dec (&self->ref_count))
    return;

  g_array_unref (self->models);
  g_array_unref (self->instructions);
  g_array_unref (self->matrices);
  g_array_unref (self->placed);
  g_ptr_array_unref (self->constants);
  g_array_unref (self->rings);
  g_array_unref (self->plan);
  g_array_unref (self->candidates);
  g_ptr_array_unref (self->node_names);
  assay_arena_free (self->arena);
  g_free (self);
}

/**
 * assay_ports_copy:
 * @to: (array length=n): room for ports
 * @from: (array length=n): ports
 * @n: how many
 * @arena: who keeps what the copies point to
 *
 * Copies ports with their names and extents.
 */
void
assay_ports_copy (AssayPort *to, const AssayPort *from, guint n, AssayArena *arena)
{
  for (guint i = 0; i < n; i++)
    {
      to[i] = from[i];
      to[i].name = assay_arena_intern (arena, from[i].name);
      to[i].dims = assay_arena_memdup (arena, from[i].dims, from[i].rank * sizeof *from[i].dims);
    }
}

/**
 * assay_store_depth:
 * @config: the hardware
 * @store: a store
 *
 * Gets the depth of a store that has blocks.
 *
 * Returns: blocks, 0 for all that is no such store
 */
guint
assay_store_depth (const AssayConfigValues *config, AssayStore store)
{
  switch (store)
    {
    case ASSAY_STORE_TENSOR:
      return config->tensor_ram_depth;
    case ASSAY_STORE_ACCUMULATOR:
      return config->accum_store_depth;
    case ASSAY_STORE_CELL:
      return config->cell_state_depth;
    default:
      return 0;
    }
}

/**
 * assay_store_count:
 * @config: the hardware
 *
 * Counts the blocks of all stores of a core that have blocks.
 *
 * Returns: blocks
 */
gsize
assay_store_count (const AssayConfigValues *config)
{
  return (gsize) config->tensor_ram_depth + config->accum_store_depth + config->cell_state_depth;
}

/**
 * assay_weight_blocks:
 * @matrix: a matrix
 * @n_rows: how many of its rows
 * @block_size: values in a block
 *
 * Counts the room of rows of a matrix in the weight store: whole blocks of bf16, or two of fp8 in
 * the room of one.
 *
 * Returns: weight blocks
 */
guint32
assay_weight_blocks (const AssayMatrix *matrix, guint32 n_rows, guint32 block_size)
{
  guint64 rows = ((guint64) n_rows + block_size - 1) / block_size;
  guint64 columns = ((guint64) matrix->n_inputs + block_size - 1) / block_size;
  guint64 blocks = matrix->fp8 ? (rows * columns + 1) / 2 : rows * columns;

  return (guint32) MIN (blocks, G_MAXUINT32);
}

/**
 * assay_stream_code_placed_blocks:
 * @self: a program
 * @placed: index of a placed matrix
 *
 * Counts the blocks of the weight store that a placed matrix takes.
 *
 * Returns: weight blocks
 */
guint32
assay_stream_code_placed_blocks (const AssayStreamCode *self, guint placed)
{
  const AssayPlacedMatrix *part = &g_array_index (self->placed, AssayPlacedMatrix, placed);

  return assay_weight_blocks (&g_array_index (self->matrices, AssayMatrix, part->matrix),
                              part->n_rows, self->config.block_size);
}
