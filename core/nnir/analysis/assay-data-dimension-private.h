/* assay-data-dimension-private.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/analysis/assay-data-dimension.h"

G_BEGIN_DECLS

/* The rules: enum, id in verdicts. */
#define DIMENSION_RULES(R)                                                                         \
  R (FIXED, "data-dimension.fixed")                                                                \
  R (STREAMED, "streaming.axis")                                                                   \
  R (POINTWISE, "data-dimension")                                                                  \
  R (BROADCAST, "data-dimension.broadcast")                                                        \
  R (CONCAT, "concat.axis")                                                                        \
  R (KEEP, "data-dimension")                                                                       \
  R (GATHER, "gather.axis")                                                                        \
  R (SQUEEZE, "squeeze.axis")                                                                      \
  R (UNSQUEEZE, "data-dimension.unsqueeze")                                                        \
  R (REDUCE, "reduce.axis")                                                                        \
  R (PRODUCT, "product.contraction")                                                               \
  R (RUN_TIME_PRODUCT, "product.run-time")                                                         \
  R (TRANSPOSE, "data-dimension")                                                                  \
  R (RESHAPE, "reshape.stride")                                                                    \
  R (CHANNELS, "convolution.channels")                                                             \
  R (POOLING, "pooling.axis")                                                                      \
  R (FEATURES, "recurrent.features")                                                               \
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

/* One constraint between the data dimensions of up to three values; the numbers it needs are in the
 * pool. A map of a Transpose has, behind its entries, what each costs. */
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
  gint8 *ranks;      /* per value: its rank, or 0 if it has no data dimension */
  guint8 *constant;  /* per value: whether it is known when compiling */
  guint8 *undecided; /* per node */
  GArray *constraints;
  GByteArray *pool;
} DimensionProblem;

/* The search. Ids of constraints in direct and root are one more than their index, 0 is a choice of
 * the search. */
typedef struct
{
  DimensionProblem problem;
  guint64 *domains; /* per value */
  guint32 *offsets; /* per value: where its entries of direct and root begin */
  guint32 *direct;  /* per value and axis: constraint + 1 that excluded it */
  guint32 *root;    /* per value and axis: constraint + 1 that this goes back to */
  guint32
      *first_use; /* per value: where its constraints begin in uses; one entry more than values */
  guint32 *uses;
  guint8 *active;  /* per constraint */
  guint8 *queued;  /* per constraint */
  guint32 *stamps; /* per value, for finding connected parts */
  guint32 stamp;
  GArray *queue; /* guint32 */
  GArray *trail; /* Exclusion */
  GArray *conflicts;
  gint64 budget; /* revisions left before the search takes what it has */
} DimensionSolver;

void dimension_problem_require (DimensionProblem *self, DimensionRule rule, AssayNodeId node,
                                AssayValueId value, guint64 mask);
void dimension_problem_add_node (DimensionProblem *self, AssayNodeId id);
char *dimension_problem_claim (DimensionProblem *self, const Constraint *constraint,
                               gboolean brief) G_GNUC_WARN_UNUSED_RESULT;
char *dimension_problem_describe (DimensionProblem *self,
                                  const Constraint *constraint) G_GNUC_WARN_UNUSED_RESULT;
const char *dimension_rule_id (DimensionRule rule);

void dimension_solver_run (DimensionSolver *self);
void dimension_solver_clear (DimensionSolver *self);

static inline Constraint *
dimension_solver_constraint (const DimensionSolver *self, guint index)
{
  return &g_array_index (self->problem.constraints, Constraint, index);
}

static inline gboolean
dimension_solver_is_open (const DimensionSolver *self, AssayValueId value)
{
  return (self->domains[value] & (self->domains[value] - 1)) != 0;
}

static inline int
constraint_target (const DimensionProblem *self, const Constraint *constraint, int axis)
{
  return (gint8) self->pool->data[constraint->at + (guint) axis];
}

G_END_DECLS
