/* assay-walk.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "evaluate/assay-datum.h"

G_BEGIN_DECLS

#define ASSAY_WALK_OPERANDS 4

/**
 * AssayWalk:
 * @n_operands: number of operands, of which the first is usually the result
 * @rank: number of loops, at least 1; neighbours that run through memory together were merged
 * @dims: (array length=rank): turns of each loop
 * @strides: step of each operand for one turn of each loop, in elements; 0 where it is broadcast
 * @offsets: where each operand begins, in elements
 *
 * A nest of loops over several tensors of one shape, or broadcast to it, or seen through strides.
 */
typedef struct
{
  guint n_operands;
  guint rank;
  gsize dims[ASSAY_MAX_RANK];
  gssize strides[ASSAY_WALK_OPERANDS][ASSAY_MAX_RANK];
  gssize offsets[ASSAY_WALK_OPERANDS];
} AssayWalk;

/**
 * AssayWalkFunc:
 * @data: the data given with the function
 * @n: turns of the innermost loop
 * @offsets: where each operand begins, in elements
 * @strides: step of each operand, in elements
 *
 * Runs a part of the innermost loop, in any thread.
 */
typedef void (*AssayWalkFunc) (gpointer data, gsize n, const gssize *offsets,
                               const gssize *strides);

gboolean assay_walk_broadcast_dims (guint n, AssayDatum *const *operands, guint *rank, gint64 *dims,
                                    GError **error);
void assay_walk_init (AssayWalk *self, guint rank, const gint64 *dims);
void assay_walk_add (AssayWalk *self, gssize offset, const gssize *strides);
void assay_walk_add_broadcast (AssayWalk *self, const AssayDatum *operand);
void assay_walk_merge (AssayWalk *self);
gsize assay_walk_rows (const AssayWalk *self);
void assay_walk_run (const AssayWalk *self, gsize begin, gsize end, AssayWalkFunc func,
                     gpointer data);

G_END_DECLS
