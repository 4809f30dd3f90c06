/* assay-builder.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-graph-builder.h"

G_BEGIN_DECLS

typedef struct _AssayBuilder AssayBuilder;

/**
 * AssayBuilderNodeFunc:
 * @self: a builder
 * @node: the node that it has added
 * @user_data: the data given with the function
 *
 * Is told of every node that a builder adds.
 */
typedef void (*AssayBuilderNodeFunc) (AssayBuilder *self, AssayNodeId node, gpointer user_data);

/**
 * AssayBuilderTypeFunc:
 * @self: a builder
 * @value: a value
 * @user_data: the data given with the function
 *
 * Tells the type of a value better than the graph does.
 *
 * Returns: (transfer none): the type
 */
typedef const AssayType *(*AssayBuilderTypeFunc) (const AssayBuilder *self, AssayValueId value,
                                                  gpointer user_data);

/**
 * AssayBuilder:
 * @graph: the graph that nodes are added to
 * @anchor: the node that they stand for: they have its region, scope and origins, and names that
 * begin with its own
 * @nodes: (nullable) (element-type utf8 AssayNodeId): the nodes by name, so that a new name is
 * unique; %NULL leaves that to the caller
 * @names: (nullable) (element-type utf8): names of values, likewise
 * @added: (nullable): is told of every new node
 * @type: (nullable): tells types that the graph does not have yet
 * @user_data: data for the functions
 *
 * Writes nodes into a graph. Nodes are added at the end of the region of the anchor.
 */
struct _AssayBuilder
{
  AssayGraph *graph;
  AssayNodeId anchor;
  GHashTable *nodes;
  GHashTable *names;
  AssayBuilderNodeFunc added;
  AssayBuilderTypeFunc type;
  gpointer user_data;
};

void assay_builder_init (AssayBuilder *self, AssayGraph *graph, gboolean unique_names);
void assay_builder_clear (AssayBuilder *self);
const AssayNode *assay_builder_anchor (const AssayBuilder *self);
const AssayType *assay_builder_type (const AssayBuilder *self, AssayValueId value);
AssayNodeId assay_builder_last (const AssayBuilder *self);

AssayValueId assay_builder_add (AssayBuilder *self, AssayOp op, const char *suffix, guint n_inputs,
                                const AssayValueId *inputs);
void assay_builder_add_outputs (AssayBuilder *self, AssayOp op, const char *suffix, guint n_inputs,
                                const AssayValueId *inputs, guint n_outputs, AssayValueId *outputs);
void assay_builder_add_to (AssayBuilder *self, AssayOp op, const char *suffix, guint n_inputs,
                           const AssayValueId *inputs, AssayValueId output);
void assay_builder_become (AssayBuilder *self, AssayOp op, guint n_inputs,
                           const AssayValueId *inputs);

AssayValueId assay_builder_tensor (AssayBuilder *self, const char *suffix, AssayTensor *tensor);
AssayValueId assay_builder_number (AssayBuilder *self, const char *suffix, AssayDType dtype,
                                   double number);
AssayValueId assay_builder_number_like (AssayBuilder *self, const char *suffix, double number,
                                        AssayValueId like);
AssayValueId assay_builder_int (AssayBuilder *self, const char *suffix, gint64 value);
AssayValueId assay_builder_ints (AssayBuilder *self, const char *suffix, guint n,
                                 const gint64 *values);
AssayValueId assay_builder_one_int (AssayBuilder *self, const char *suffix, gint64 value);

AssayValueId assay_builder_cast (AssayBuilder *self, const char *suffix, AssayValueId value,
                                 AssayDType dtype);
AssayValueId assay_builder_extents (AssayBuilder *self, const char *suffix, AssayValueId value,
                                    gint64 start, gint64 end);
AssayValueId assay_builder_reshape (AssayBuilder *self, const char *suffix, AssayValueId value,
                                    guint n, const gint64 *dims);
AssayValueId assay_builder_transpose (AssayBuilder *self, const char *suffix, AssayValueId value,
                                      guint rank, const gint64 *perm);
AssayValueId assay_builder_unsqueeze (AssayBuilder *self, const char *suffix, AssayValueId value,
                                      guint n, const gint64 *axes);
void assay_builder_split (AssayBuilder *self, const char *suffix, AssayValueId value, gint64 axis,
                          const gint64 *sizes, guint n, AssayValueId *parts);

void assay_builder_set_int (AssayBuilder *self, AssayValueId made, const char *name, gint64 value);
void assay_builder_set_float (AssayBuilder *self, AssayValueId made, const char *name,
                              double value);
void assay_builder_set_string (AssayBuilder *self, AssayValueId made, const char *name,
                               const char *value);
void assay_builder_set_ints (AssayBuilder *self, AssayValueId made, const char *name, guint n,
                             const gint64 *values);

/**
 * ASSAY_BUILD:
 * @self: a builder
 * @op: an operation, by its bare name
 * @suffix: (nullable): the middle of the name of the node
 * @...: the inputs
 *
 * Adds a node with one result.
 *
 * Returns: the result
 */
#define ASSAY_BUILD(self, op, suffix, ...)                                                         \
  assay_builder_add (self, ASSAY_OP_##op, suffix,                                                  \
                     G_N_ELEMENTS (((const AssayValueId[]){ __VA_ARGS__ })),                       \
                     (const AssayValueId[]){ __VA_ARGS__ })

/**
 * ASSAY_BECOME:
 * @self: a builder
 * @op: an operation, by its bare name
 * @...: the inputs
 *
 * Makes the anchor another operation without attributes, which keeps its name and its first result.
 */
#define ASSAY_BECOME(self, op, ...)                                                                \
  assay_builder_become (self, ASSAY_OP_##op,                                                       \
                        G_N_ELEMENTS (((const AssayValueId[]){ __VA_ARGS__ })),                    \
                        (const AssayValueId[]){ __VA_ARGS__ })

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AssayBuilder, assay_builder_clear)

G_END_DECLS
