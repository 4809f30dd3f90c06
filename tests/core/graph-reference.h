/* graph-reference.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "bounded.h"
#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/**
 * ReferenceTensor:
 * @rank: number of dimensions
 * @dims: the extents
 * @n: number of elements
 * @constant: whether it is a constant of the graph, which is not stored as run-time tensors are
 * @v: the elements, row major
 *
 * A value of a graph.
 */
typedef struct
{
  guint rank;
  gint64 dims[8];
  gsize n;
  gboolean constant;
  Bounded *v;
} ReferenceTensor;

/**
 * Reference:
 *
 * The evaluation of a graph; for the functions that know operations.
 */
typedef struct
{
  AssayGraph *graph;
  const Numerics *numerics;
  ReferenceTensor *tensors; /* per value */
  const AssayNode *node;
} Reference;

typedef void (*ReferenceFunc) (Reference *self);

typedef struct
{
  AssayOp op;
  ReferenceFunc run;
} ReferenceRow;

void graph_reference (AssayGraph *graph, const Numerics *numerics, const float *const *inputs,
                      ReferenceTensor *outputs);
ReferenceTensor *reference_input (Reference *self, guint index);
ReferenceTensor *reference_output (Reference *self, guint index);
Bounded reference_operand (const Reference *self, const ReferenceTensor *tensor, gsize at);
Bounded reference_weight (const Reference *self, const ReferenceTensor *tensor, gsize at,
                          double factor);
void reference_index (const ReferenceTensor *tensor, gsize flat, gint64 *index);
gsize reference_flat (const ReferenceTensor *tensor, const gint64 *index);
gsize reference_broadcast (const ReferenceTensor *from, const ReferenceTensor *to, gsize flat);
guint64 reference_axes (Reference *self, guint input);
double reference_number (const Reference *self, const char *name, double fallback);

const ReferenceRow *reference_pointwise (void);
const ReferenceRow *reference_views (void);
const ReferenceRow *reference_sums (void);
const ReferenceRow *reference_layers (void);

G_END_DECLS
