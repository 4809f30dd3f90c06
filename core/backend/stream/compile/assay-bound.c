/* assay-bound.c
 * SPDX-License-Identifier: Apache-2.0
 *
 * What no placement can change: how much has to lie somewhere at once. A program that is too large
 * for that is too large for every placement, and none has to be tried.
 */
#include "backend/stream/compile/assay-bound.h"

#include <string.h>

typedef struct
{
  const AssayLir *lir;
  gint64 *changes; /* per operation, and one more: blocks that come less those that go */
} Bound;

static guint64
blocks_of (const AssayLir *lir, const AssayLirVector *vector)
{
  guint64 blocks = assay_lir_blocks (lir, vector->lanes);

  if (vector->fp32 && vector->store == ASSAY_STORE_TENSOR)
    blocks *= 2;
  if (vector->ring != 0)
    blocks *= g_array_index (lir->rings, AssayRing, vector->ring - 1).slots;

  return blocks;
}

static void
add_vector (Bound *self, AssayLirId id)
{
  const AssayLirVector *vector = assay_lir_vector (self->lir, id);
  gint64 blocks = (gint64) blocks_of (self->lir, vector);

  self->changes[vector->persistent ? 0 : self->lir->lives[id].first] += blocks;
  if (!vector->persistent)
    self->changes[self->lir->lives[id].last + 1] -= blocks;
}

/* The most blocks that live at once; forgets what was added. */
static guint64
take_most (Bound *self)
{
  gint64 living = 0;
  gint64 most = 0;

  for (guint i = 0; i <= self->lir->ops->len; i++)
    {
      living += self->changes[i];
      most = MAX (most, living);
    }
  memset (self->changes, 0, (self->lir->ops->len + 1) * sizeof *self->changes);

  return (guint64) most;
}

/* A vector takes its blocks at least once, wherever its parts lie. */
static guint64
count_store (Bound *self, AssayStore store)
{
  for (AssayLirId id = 1; id < self->lir->vectors->len; id++)
    {
      const AssayLirVector *vector = assay_lir_vector (self->lir, id);

      if (vector->store == store && vector->alias_of == 0 &&
          self->lir->lives[id].first != G_MAXUINT32)
        add_vector (self, id);
    }

  return take_most (self);
}

static guint64
get_room (const AssayLir *lir, AssayStore store)
{
  return (guint64) lir->config->num_cores * assay_store_depth (lir->config, store);
}

static guint64
count_weights (const AssayLir *lir)
{
  g_autofree guint32 *rows = g_new0 (guint32, lir->matrices->len + 1);
  guint64 blocks = 0;

  for (guint i = 0; i < lir->ops->len; i++)
    {
      const AssayLirOp *op = &g_array_index (lir->ops, AssayLirOp, i);

      if (assay_opcode_get_info ((AssayOpcode) op->opcode)->weighs)
        rows[op->matrix] = MAX (rows[op->matrix], op->lanes);
    }
  for (guint i = 0; i < lir->matrices->len; i++)
    blocks += assay_weight_blocks (&g_array_index (lir->matrices, AssayMatrix, i), rows[i],
                                   lir->config->block_size);

  return blocks;
}

/* What the products of a layer read has to be whole on every core of the layer, so all of it is on
 * the core of its first row. */
static GPtrArray *
find_read (const AssayLir *lir)
{
  GPtrArray *read = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);

  for (guint i = 0; i < lir->layers->len; i++)
    g_ptr_array_add (read, g_array_new (FALSE, FALSE, sizeof (AssayLirId)));

  for (guint i = 0; i < lir->ops->len; i++)
    {
      const AssayLirOp *op = &g_array_index (lir->ops, AssayLirOp, i);
      const AssayLirVector *d = assay_lir_vector (lir, op->d);

      if (op->d == 0 || d->layer == 0 || d->alias_of != 0 ||
          assay_opcode_get_info ((AssayOpcode) op->opcode)->division == ASSAY_DIVISION_ROWS)
        continue;
      for (guint j = 0; j < ASSAY_LIR_N_SOURCES; j++)
        {
          const AssayLirOperand *s = &op->sources[j];
          const AssayLirVector *vector;
          AssayLirId whole;

          if (s->kind != ASSAY_LIR_VECTOR)
            continue;
          vector = assay_lir_vector (lir, s->id);
          whole = vector->alias_of != 0 ? vector->alias_of : s->id;
          if (vector->store == ASSAY_STORE_TENSOR && lir->lives[whole].first != G_MAXUINT32)
            g_array_append_val (g_ptr_array_index (read, d->layer - 1), whole);
        }
    }

  return read;
}

static gboolean
layer_exceeds (Bound *self)
{
  g_autoptr (GPtrArray) read = find_read (self->lir);
  g_autofree guint32 *counted = g_new0 (guint32, self->lir->vectors->len);
  guint64 depth = assay_store_depth (self->lir->config, ASSAY_STORE_TENSOR);

  for (guint layer = 0; layer < read->len; layer++)
    {
      const GArray *own = g_ptr_array_index (read, layer);
      guint64 blocks = 0;
      guint n = 0;

      for (guint i = 0; i < own->len; i++)
        {
          AssayLirId id = g_array_index (own, AssayLirId, i);

          if (counted[id] == layer + 1)
            continue;
          counted[id] = layer + 1;
          g_array_index (own, AssayLirId, n++) = id;
          blocks += blocks_of (self->lir, assay_lir_vector (self->lir, id));
        }
      /* Most layers have room for all of it at once. */
      if (blocks <= depth)
        continue;

      for (guint i = 0; i < n; i++)
        add_vector (self, g_array_index (own, AssayLirId, i));
      if (take_most (self) > depth)
        return TRUE;
    }

  return FALSE;
}

/**
 * assay_bound_exceeds:
 * @lir: a lowered program, whose lives have been found
 *
 * Tells whether a program is too large for every placement: more blocks at one step than all cores
 * have, more weights than all cores have, or more that one layer has to find on one core. It errs
 * to the side of those that might fit.
 *
 * Returns: whether no placement fits
 */
gboolean
assay_bound_exceeds (const AssayLir *lir)
{
  g_autofree gint64 *changes = g_new0 (gint64, lir->ops->len + 1);
  Bound self = { lir, changes };

  for (AssayStore store = ASSAY_STORE_TENSOR; store <= ASSAY_STORE_CELL; store++)
    if (count_store (&self, store) > get_room (lir, store))
      return TRUE;

  return count_weights (lir) > (guint64) lir->config->num_cores * lir->config->weight_store_depth ||
         layer_exceeds (&self);
}

static void
add_need (AssayAllocation *allocation, const char *store, guint64 needed, guint64 depth)
{
  const AssayStoreNeed need = { store, needed, depth };

  if (needed > 0)
    g_array_append_val (allocation->needs, need);
}

/**
 * assay_bound_add_needs:
 * @lir: a lowered program, whose lives have been found
 * @allocation: why it does not fit
 *
 * Notes what the program needs of every store in all, and what there is.
 */
void
assay_bound_add_needs (const AssayLir *lir, AssayAllocation *allocation)
{
  static const char *const names[] = {
    [ASSAY_STORE_TENSOR] = "tensor RAM",
    [ASSAY_STORE_ACCUMULATOR] = "accumulator store",
    [ASSAY_STORE_CELL] = "cell state store",
  };
  g_autofree gint64 *changes = g_new0 (gint64, lir->ops->len + 1);
  Bound self = { lir, changes };

  for (AssayStore store = ASSAY_STORE_TENSOR; store <= ASSAY_STORE_CELL; store++)
    add_need (allocation, names[store], count_store (&self, store), get_room (lir, store));
  add_need (allocation, "weight store", count_weights (lir),
            (guint64) lir->config->num_cores * lir->config->weight_store_depth);
}
