/* assay-data-dimension.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/**
 * AssayDimensionOptions:
 * @fixed: (nullable) (array zero-terminated=1): `INPUT=AXIS` where the user decides
 * @vanishing: (nullable): per value the axis that the streaming transform takes away, or below 0
 * @allow_dynamic_weights: whether the stationary side of a product may be computed at run time
 * @inputs_are_parameters: whether inputs after the first count as constant
 *
 * What the search for data dimensions is given beside the graph.
 */
typedef struct
{
  const char *const *fixed;
  const int *vanishing;
  gboolean allow_dynamic_weights;
  gboolean inputs_are_parameters;
} AssayDimensionOptions;

/**
 * AssayDimensionConflict:
 * @node: the node whose rule cannot be kept, or 0 if the user's choice cannot
 * @value: the tensor that has no possible data dimension left
 * @node_a: the node of the first of the two constraints, or 0
 * @node_b: the node of the second one, or 0
 * @rule: id of the rule that cannot be kept, such as `reduce.axis`
 * @text_a: what the first one says
 * @text_b: what the second one says
 * @message: the whole in one sentence of one line
 *
 * Two constraints that cannot hold together.
 */
typedef struct
{
  AssayNodeId node;
  AssayValueId value;
  AssayNodeId node_a;
  AssayNodeId node_b;
  const char *rule;
  char *text_a;
  char *text_b;
  char *message;
} AssayDimensionConflict;

/**
 * AssayDimensions:
 * @n_values: number of entries of @dims
 * @dims: the data dimension of each value, -1 for constants, scalars, integers and where it is not
 * decided
 * @conflicts: (element-type AssayDimensionConflict): in the order of the nodes
 * @n_transposes: how many Transpose nodes move data
 *
 * Which axis of each run-time tensor is the contiguous one.
 */
typedef struct _AssayDimensions AssayDimensions;

struct _AssayDimensions
{
  guint n_values;
  int *dims;
  GArray *conflicts;
  guint n_transposes;

  /*< private >*/
  guint n_nodes;
  guint32 *first_conflict;
  guint8 *undecided;
  guint8 *moves;
};

AssayDimensions *assay_graph_solve_dimensions (const AssayGraph *self,
                                               const AssayDimensionOptions *options,
                                               GError **error) G_GNUC_WARN_UNUSED_RESULT;
void assay_dimensions_free (AssayDimensions *self);
gboolean assay_dimensions_is_undecided (const AssayDimensions *self, AssayNodeId node);
const AssayDimensionConflict *assay_dimensions_find_conflict (const AssayDimensions *self,
                                                              AssayNodeId node);
char *assay_dimensions_note (const AssayDimensions *self, const AssayGraph *graph,
                             AssayNodeId node) G_GNUC_WARN_UNUSED_RESULT;

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AssayDimensions, assay_dimensions_free)

G_END_DECLS
