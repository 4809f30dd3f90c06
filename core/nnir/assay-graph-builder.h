/* assay-graph-builder.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/* For the importer, the text parser, inference, passes and edits: everything that changes a graph
 * that has not been handed on yet. A pointer to a value, node or region is good until the next one
 * of its kind is added. */

static inline AssayValue *
assay_graph_edit_value (AssayGraph *self, AssayValueId id)
{
  g_assert (id < self->values->len);
  return &g_array_index (self->values, AssayValue, id);
}

static inline AssayNode *
assay_graph_edit_node (AssayGraph *self, AssayNodeId id)
{
  g_assert (id < self->nodes->len);
  return &g_array_index (self->nodes, AssayNode, id);
}

static inline AssayRegion *
assay_graph_edit_region (AssayGraph *self, AssayRegionId id)
{
  g_assert (id < self->regions->len);
  return &g_array_index (self->regions, AssayRegion, id);
}

AssayValueId assay_graph_add_value (AssayGraph *self, AssayRegionId region, AssayValueKind kind,
                                    const char *name, const AssayType *type);
AssayValueId assay_graph_add_constant (AssayGraph *self, AssayRegionId region, const char *name,
                                       AssayTensor *tensor);
AssayValueId assay_graph_add_input (AssayGraph *self, AssayRegionId region, const char *name,
                                    const AssayType *type);
void assay_graph_add_output (AssayGraph *self, AssayRegionId region, AssayValueId value);
AssayNodeId assay_graph_add_node (AssayGraph *self, AssayRegionId region, AssayOp op,
                                  const char *name, guint n_inputs, const AssayValueId *inputs,
                                  guint n_outputs, const AssayValueId *outputs);
AssayRegionId assay_graph_add_region (AssayGraph *self, AssayNodeId parent, const char *attribute,
                                      const char *name);
guint32 assay_graph_add_origin (AssayGraph *self, const char *path, const char *name,
                                const char *op_type, const char *domain, guint32 index);
guint32 assay_graph_add_scope (AssayGraph *self, const char *path);
AssayTensor *assay_graph_keep_tensor (AssayGraph *self, AssayTensor *tensor);
void assay_graph_set_constant (AssayGraph *self, AssayValueId value, AssayTensor *tensor);
void assay_graph_set_origins (AssayGraph *self, AssayNodeId node, guint n, const guint32 *origins);
void assay_graph_set_attrs (AssayGraph *self, AssayNodeId node, guint n, const AssayAttr *attrs);
void assay_graph_adopt_attrs (AssayGraph *self, AssayNodeId node, guint n, const AssayAttr *attrs);
void assay_graph_set_attr (AssayGraph *self, AssayNodeId id, AssayAttr attr);
void assay_graph_set_int (AssayGraph *self, AssayNodeId node, const char *name, gint64 value);
void assay_graph_set_float (AssayGraph *self, AssayNodeId node, const char *name, double value);
void assay_graph_set_string (AssayGraph *self, AssayNodeId node, const char *name,
                             const char *value);
void assay_graph_set_ints (AssayGraph *self, AssayNodeId node, const char *name, guint n,
                           const gint64 *values);
void assay_graph_remove_attr (AssayGraph *self, AssayNodeId node, const char *name);
void assay_graph_add_rewrite (AssayGraph *self, const char *rule, guint n_before,
                              const char *const *before, guint n_after, const char *const *after);
void assay_region_clear (gpointer data);

G_END_DECLS
