/* assay-data-dimension-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-data-dimension.h"

G_BEGIN_DECLS

/* The rules: enum, id in verdicts. */
#define DIMENSION_RULES(R) \
  R (FIXED, "data-dimension.fixed") \
  R (STREAMED, "streaming.axis") \
  R (POINTWISE, "data-dimension") \
  R (BROADCAST, "data-dimension.broadcast") \
  R (CONCAT, "concat.axis") \
  R (KEEP, "data-dimension") \
  R (GATHER, "gather.axis") \
  R (SQUEEZE, "squeeze.axis") \
  R (UNSQUEEZE, "data-dimension.unsqueeze") \
  R (REDUCE, "reduce.axis") \
  R (PRODUCT, "product.contraction") \
  R (RUN_TIME_PRODUCT, "product.run-time") \
  R (TRANSPOSE, "data-dimension") \
  R (RESHAPE, "reshape.stride") \
  R (CHANNELS, "convolution.channels") \
  R (POOLING, "pooling.axis") \
  R (FEATURES, "recurrent.features") \
  R (SCAN, "scan.axis")

typedef enum
{
#define RULE(id, name) DIMENSION_RULE_##id,
  DIMENSION_RULES (RULE)
#undef RULE
} DimensionRule;

typedef enum
{
  CONSTRAINT_REQUIRE, /* x is one of mask */
  CONSTRAINT_MAP,     /* y = pool[at + x]; -1 where x must not be */
  CONSTRAINT_CHOOSE,  /* (x, y, z) is one of the n triples at pool[at] */
} ConstraintKind;

/* One constraint between the data dimensions of up to three values; the numbers it needs are in the pool. A map of
 * a Transpose has, behind its entries, what each costs. */
typedef struct
{
  guint8 kind;
  guint8 rule;
  guint8 n;
  AssayNodeId node;
  AssayValueId x;
  AssayValueId y;
  AssayValueId z;
  guint32 at;
  guint64 mask;
} Constraint;

typedef struct
{
  const AssayGraph *graph;
  gboolean allow_dynamic_weights;
  gint8 *ranks;     /* per value: its rank, or 0 if it has no data dimension */
  guint8 *constant; /* per value: whether it is known when compiling */
  guint8 *undecided; /* per node */
  GArray *constraints;
  GByteArray *pool;
} DimensionProblem;

void         dimension_problem_require  (DimensionProblem  *self,
                                         DimensionRule      rule,
                                         AssayNodeId        node,
                                         AssayValueId       value,
                                         guint64            mask);
void         dimension_problem_add_node (DimensionProblem  *self,
                                         AssayNodeId        id);
char        *dimension_problem_describe (DimensionProblem  *self,
                                         const Constraint  *constraint) G_GNUC_WARN_UNUSED_RESULT;
const char  *dimension_rule_id          (DimensionRule      rule);

static inline int
constraint_target (const DimensionProblem *self,
                   const Constraint       *constraint,
                   int                     axis)
{
  return (gint8) self->pool->data[constraint->at + (guint) axis];
}

G_END_DECLS
