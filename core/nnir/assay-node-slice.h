/* assay-node-slice.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/**
 * AssayNodeSlice:
 * @rank: number of dimensions
 * @open: whether the ends are not known when compiling; every part then reaches to the end
 * @start: (array length=rank): index of the first element, 0 where there is none
 * @step: (array length=rank): distance of one element from the next, which may be negative
 * @length: (array length=rank): number of elements
 *
 * What a Slice takes of each axis, with its bounds counted from the front and clamped.
 */
typedef struct
{
  guint rank;
  gboolean open;
  gint64 start[ASSAY_MAX_RANK];
  gint64 step[ASSAY_MAX_RANK];
  gint64 length[ASSAY_MAX_RANK];
} AssayNodeSlice;

void assay_node_slice_init (AssayNodeSlice *self, guint rank, const gint64 *dims);
gboolean assay_node_slice_cut (AssayNodeSlice *self, gint64 axis, gint64 start, gint64 end,
                               gint64 step);
gboolean assay_node_slice_cut_all (AssayNodeSlice *self, gsize n, const gint64 *starts,
                                   const gint64 *ends, const gint64 *axes, const gint64 *steps);
gboolean assay_node_get_slice (const AssayGraph *graph, const AssayNode *node, guint rank,
                               const gint64 *dims, AssayNodeSlice *slice);

G_END_DECLS
