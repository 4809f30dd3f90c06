/* assay-shape.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "base/assay-finding.h"
#include "nnir/assay-graph.h"
#include "nnir/assay-scalar.h"

G_BEGIN_DECLS

/**
 * AssayElements:
 * @dtype: element type
 * @rank: number of dimensions
 * @dims: (array length=rank): the dimensions
 * @n: number of elements
 * @items: (array length=n): the elements, some of which may be symbols or unknown
 * @folded: whether inference made a constant of them
 *
 * What is known of the elements of a small tensor.
 */
typedef struct
{
  AssayDType dtype;
  guint rank;
  const gint64 *dims;
  gsize n;
  AssayScalar *items;
  gboolean folded;
} AssayElements;

/**
 * AssaySequence:
 * @n: number of elements
 * @items: (array length=n): their types
 *
 * What a sequence holds, where that is known one by one.
 */
typedef struct
{
  guint n;
  const AssayType **items;
} AssaySequence;

/* Sequences above this many elements are known by the type of all elements only. */
#define ASSAY_MAX_SEQUENCE 64

/* Tensors above this many elements are never looked into. */
#define ASSAY_MAX_ELEMENTS 4096

typedef struct _AssayInfer AssayInfer;

/**
 * AssayShapeContext:
 * @infer: the sweep
 * @graph: the graph
 * @arena: arena of the graph, where types and symbols live
 * @scratch: an arena that lives as long as the sweep
 * @id: the node
 * @node: the node
 *
 * What a shape rule sees: one node, what is known of its inputs, and where its results go.
 */
typedef struct
{
  AssayInfer *infer;
  AssayGraph *graph;
  AssayArena *arena;
  AssayArena *scratch;
  AssayNodeId id;
  const AssayNode *node;

  /*< private >*/
  const AssayType **outputs;
  gboolean passing; /* what is wrong now may be right for the shapes of another sweep */
  gboolean muted;   /* a node of a wrong form is said to be once */
  guint n_reports;
} AssayShapeContext;

/**
 * AssayShapeRule:
 * @self: the context of one node
 *
 * Says what is known of the outputs of a node from what is known of its inputs.
 */
typedef void (*AssayShapeRule) (AssayShapeContext *self);

gboolean assay_shape_has_input (AssayShapeContext *self, guint input);
gboolean assay_shape_has_output (AssayShapeContext *self, guint output);
const AssayType *assay_shape_input (AssayShapeContext *self, guint input);
AssayDType assay_shape_dtype (AssayShapeContext *self, guint input);
const AssayType *assay_shape_tensor (AssayShapeContext *self, guint input, int min_rank,
                                     int max_rank);
const AssayElements *assay_shape_elements (AssayShapeContext *self, guint input);
const AssayScalar *assay_shape_vector (AssayShapeContext *self, guint input, guint *n);
gboolean assay_shape_known_ints (AssayShapeContext *self, guint input, guint *n,
                                 const gint64 **values);
AssayScalar assay_shape_scalar (AssayShapeContext *self, guint input);
gboolean assay_shape_axis (AssayShapeContext *self, const char *attribute, gint64 axis, int rank,
                           int *result);
gboolean assay_shape_node_axis (AssayShapeContext *self, int rank, int *result);
gboolean assay_shape_axes (AssayShapeContext *self, const char *attribute, guint n,
                           const gint64 *axes, int rank, guint64 *mask);
gboolean assay_shape_axes_once (AssayShapeContext *self, guint n, const gint64 *axes, int rank,
                                guint64 *mask);
void assay_shape_unify (AssayShapeContext *self, AssayDim *dim, AssayDim other, const char *what);
gboolean assay_shape_broadcast (AssayShapeContext *self, AssayDim *dims, int *rank,
                                const AssayDim *other, int other_rank);
void assay_shape_set (AssayShapeContext *self, guint output, const AssayType *type);
void assay_shape_set_tensor (AssayShapeContext *self, guint output, AssayDType dtype, int rank,
                             const AssayDim *dims);
void assay_shape_set_sequence (AssayShapeContext *self, guint output, const AssayType *element);
const AssaySequence *assay_shape_sequence (AssayShapeContext *self, guint input);
void assay_shape_set_items (AssayShapeContext *self, guint output, guint n,
                            const AssayType *const *items);
void assay_shape_report (AssayShapeContext *self, const char *rule, const char *attribute,
                         const char *format, ...) G_GNUC_PRINTF (4, 5);
void assay_shape_warn (AssayShapeContext *self, const char *rule, const char *attribute,
                       const char *format, ...) G_GNUC_PRINTF (4, 5);
AssayDim assay_shape_dim_mul (AssayShapeContext *self, AssayDim a, AssayDim b);
AssayDim assay_shape_dim_add (AssayShapeContext *self, AssayDim a, gint64 b);
AssayDim assay_shape_product (AssayShapeContext *self, const AssayDim *dims, int n);
const AssayType *assay_shape_common (AssayShapeContext *self, const AssayType *a,
                                     const AssayType *b);

/* Nested graphs, for the rules of control flow. */
gboolean assay_shape_region (AssayShapeContext *self, const char *attribute, AssayRegionId *region);
gboolean assay_shape_is_late (AssayShapeContext *self);
void assay_shape_sweep (AssayShapeContext *self, AssayRegionId region, guint n,
                        const AssayType *const *inputs);

static inline AssayDim
assay_dim (gint64 size)
{
  return (AssayDim){ size, NULL };
}

static inline AssayDim
assay_dim_unknown (void)
{
  return (AssayDim){ -1, NULL };
}

static inline gboolean
assay_dim_same (AssayDim a, AssayDim b)
{
  return a.size >= 0 ? a.size == b.size
                     : b.size < 0 && a.symbol != NULL && g_strcmp0 (a.symbol, b.symbol) == 0;
}

G_END_DECLS
