/* assay-axes.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/**
 * AssayAxes:
 * @known: whether the axes are known when compiling and in range
 * @mask: the axes, one bit each
 *
 * The axes that a node works on.
 */
typedef struct
{
  gboolean known;
  guint64 mask;
} AssayAxes;

gboolean assay_axes_normalize (gint64 axis, int rank, int *result);
gboolean assay_node_get_axis (const AssayNode *node, int rank, int *result);
guint64 assay_node_default_axes (const AssayNode *node, int rank);
AssayAxes assay_node_axes (const AssayGraph *graph, const AssayNode *node, int rank);
gint64 *assay_value_dup_ints (const AssayGraph *graph, AssayValueId value,
                              gsize *n) G_GNUC_WARN_UNUSED_RESULT;
gint64 *assay_node_dup_ints (const AssayGraph *graph, const AssayNode *node, const char *attribute,
                             guint input, gsize *n) G_GNUC_WARN_UNUSED_RESULT;
gboolean assay_node_get_perm (const AssayNode *node, int rank, int *perm);
int assay_type_rank (const AssayType *type);
gint64 assay_type_dim (const AssayType *type, int axis);

G_END_DECLS
