/* assay-walk.c
 * SPDX-License-Identifier: Apache-2.0
 */
#include "evaluate/assay-walk.h"

#include <string.h>

#include "base/assay-error.h"

/**
 * assay_walk_broadcast_dims:
 * @n: number of operands
 * @operands: (array length=n): tensors
 * @rank: (out): rank of the result
 * @dims: (out) (array length=rank): dimensions of the result, room for %ASSAY_MAX_RANK
 * @error: return location for a #GError
 *
 * Works out the shape that tensors broadcast to, by the rule of NumPy.
 *
 * Returns: whether there is one
 */
gboolean
assay_walk_broadcast_dims (guint n, AssayDatum *const *operands, guint *rank, gint64 *dims,
                           GError **error)
{
  *rank = 0;
  for (guint i = 0; i < n; i++)
    *rank = MAX (*rank, operands[i]->rank);

  for (guint axis = 0; axis < *rank; axis++)
    {
      dims[axis] = 1;
      for (guint i = 0; i < n; i++)
        {
          guint missing = *rank - operands[i]->rank;
          gint64 dim = axis < missing ? 1 : operands[i]->dims[axis - missing];

          if (dim == 1 || dim == dims[axis])
            continue;
          if (dims[axis] != 1)
            {
              g_set_error (error, ASSAY_ERROR, ASSAY_ERROR_INVALID,
                           "dimension %u is %" G_GINT64_FORMAT " of one input and %" G_GINT64_FORMAT
                           " of another, which do not broadcast",
                           axis, dims[axis], dim);
              return FALSE;
            }
          dims[axis] = dim;
        }
    }

  return TRUE;
}

/**
 * assay_walk_init:
 * @self: a walk
 * @rank: number of dimensions
 * @dims: (array length=rank): the dimensions
 *
 * Begins a walk over a shape, without operands yet.
 */
void
assay_walk_init (AssayWalk *self, guint rank, const gint64 *dims)
{
  self->n_operands = 0;
  self->rank = rank;
  for (guint i = 0; i < rank; i++)
    self->dims[i] = (gsize) dims[i];

  /* A scalar is a loop of one turn. */
  if (rank == 0)
    {
      self->rank = 1;
      self->dims[0] = 1;
    }
}

/**
 * assay_walk_add:
 * @self: a walk
 * @offset: where the operand begins, in elements
 * @strides: (array): its step along each dimension of the shape, in elements
 *
 * Adds an operand that is seen through strides.
 */
void
assay_walk_add (AssayWalk *self, gssize offset, const gssize *strides)
{
  guint operand = self->n_operands++;

  g_assert (operand < ASSAY_WALK_OPERANDS);

  self->offsets[operand] = offset;
  memcpy (self->strides[operand], strides, self->rank * sizeof *strides);
}

/**
 * assay_walk_add_broadcast:
 * @self: a walk
 * @operand: a tensor that broadcasts to the shape
 *
 * Adds a tensor as an operand.
 */
void
assay_walk_add_broadcast (AssayWalk *self, const AssayDatum *operand)
{
  gssize strides[ASSAY_MAX_RANK] = { 0 };
  gssize stride = 1;

  for (guint i = 0; i < operand->rank; i++)
    {
      guint axis = operand->rank - 1 - i;

      strides[self->rank - 1 - i] = operand->dims[axis] == 1 ? 0 : stride;
      stride *= operand->dims[axis];
    }

  assay_walk_add (self, 0, strides);
}

static gboolean
runs_on (const AssayWalk *self, guint outer, guint inner)
{
  for (guint i = 0; i < self->n_operands; i++)
    {
      if (self->strides[i][outer] != self->strides[i][inner] * (gssize) self->dims[inner])
        return FALSE;
    }

  return TRUE;
}

/**
 * assay_walk_merge:
 * @self: a walk with all its operands
 *
 * Drops loops of one turn and joins neighbours that run through memory together, so that the inner
 * loop is long.
 */
void
assay_walk_merge (AssayWalk *self)
{
  guint kept = 0;

  for (guint axis = 0; axis < self->rank; axis++)
    {
      if (self->dims[axis] == 1 && (kept > 0 || axis + 1 < self->rank))
        continue;

      self->dims[kept] = self->dims[axis];
      for (guint i = 0; i < self->n_operands; i++)
        self->strides[i][kept] = self->strides[i][axis];

      if (kept > 0 && runs_on (self, kept - 1, kept))
        {
          self->dims[kept - 1] *= self->dims[kept];
          for (guint i = 0; i < self->n_operands; i++)
            self->strides[i][kept - 1] = self->strides[i][kept];
        }
      else
        kept++;
    }

  self->rank = MAX (kept, 1);
}

/**
 * assay_walk_rows:
 * @self: a walk
 *
 * Counts the turns of all loops around the innermost one.
 *
 * Returns: number of rows
 */
gsize
assay_walk_rows (const AssayWalk *self)
{
  gsize rows = 1;

  for (guint i = 0; i + 1 < self->rank; i++)
    rows *= self->dims[i];

  return rows;
}

/**
 * assay_walk_run:
 * @self: a walk
 * @begin: first row
 * @end: row behind the last one
 * @func: (scope call): runs the innermost loop of one row
 * @data: for @func
 *
 * Runs some rows of a walk.
 */
void
assay_walk_run (const AssayWalk *self, gsize begin, gsize end, AssayWalkFunc func, gpointer data)
{
  gsize index[ASSAY_MAX_RANK];
  gssize offsets[ASSAY_WALK_OPERANDS];
  gssize strides[ASSAY_WALK_OPERANDS] = { 0 };
  guint outer = self->rank - 1;
  gsize rest = begin;

  memcpy (offsets, self->offsets, sizeof offsets);
  for (guint axis = outer; axis > 0; axis--)
    {
      index[axis - 1] = self->dims[axis - 1] > 0 ? rest % self->dims[axis - 1] : 0;
      rest = self->dims[axis - 1] > 0 ? rest / self->dims[axis - 1] : 0;
    }
  for (guint i = 0; i < self->n_operands; i++)
    {
      strides[i] = self->strides[i][outer];
      for (guint axis = 0; axis < outer; axis++)
        offsets[i] += self->strides[i][axis] * (gssize) index[axis];
    }

  for (gsize row = begin; row < end; row++)
    {
      func (data, self->dims[outer], offsets, strides);

      for (guint axis = outer; axis > 0; axis--)
        {
          guint at = axis - 1;
          gboolean carry = ++index[at] == self->dims[at];

          for (guint i = 0; i < self->n_operands; i++)
            offsets[i] += carry ? -self->strides[i][at] * (gssize) (self->dims[at] - 1)
                                : self->strides[i][at];
          if (!carry)
            break;
          index[at] = 0;
        }
    }
}
