/* assay-probes.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include <glib.h>

#include "backend/stream/compile/assay-lir.h"

G_BEGIN_DECLS

/**
 * AssayProbe:
 * @value: id in the canonical graph
 * @node: the node that makes it
 * @rank: number of dimensions
 * @dims: (array length=rank): the extents; the axis that became time counts as 1
 * @time_axis: the axis that became time, or -1
 * @data_dim: the contiguous axis, or -1 for a scalar
 * @n_vectors: product of the other extents
 * @lanes: extent of the data dimension
 * @vectors: (array length=n_vectors): indices of #AssayProbeVector, the other axes row major
 *
 * A value of the graph that exists as vectors while its program runs. Values inside a fused group
 * have none.
 */
typedef struct
{
  AssayValueId value;
  AssayNodeId node;
  guint rank;
  const gint64 *dims;
  int time_axis;
  int data_dim;
  guint32 n_vectors;
  guint32 lanes;
  const guint32 *vectors;
} AssayProbe;

/**
 * AssayProbeVector:
 * @root: index of the vector whose blocks it names, itself if they are its own
 * @first_block: where in the root it begins
 * @lanes: number of values
 *
 * Where a vector lies relative to others.
 */
typedef struct
{
  guint32 root;
  guint32 first_block;
  guint32 lanes;
} AssayProbeVector;

/**
 * AssayProbes:
 * @values: (element-type AssayProbe): in program order
 * @vectors: (element-type AssayProbeVector): by index, [0] unused
 * @written: (element-type guint32): per step the index of the vector that is written, 0 for none
 *
 * Where the values of a graph are to be found while its program runs: what is needed to look at
 * them, and nothing that changes the program.
 */
typedef struct
{
  /*< private >*/
  struct _AssayArena *arena;
  GArray *of_value; /* guint32: per value of the graph one more than its index in values, or 0 */

  /*< public >*/
  GArray *values;
  GArray *vectors;
  GArray *written;
} AssayProbes;

AssayProbes *assay_probes_new (const AssayLir *lir,
                               const AssayGraph *graph) G_GNUC_WARN_UNUSED_RESULT;
void assay_probes_free (AssayProbes *self);
const AssayProbe *assay_probes_find (const AssayProbes *self, AssayValueId value);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayProbes, assay_probes_free)

G_END_DECLS
