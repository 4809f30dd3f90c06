/* assay-constraint.h
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#include "nnir/assay-graph.h"

G_BEGIN_DECLS

/**
 * AssayNodeInput:
 * @dtype: element type, %ASSAY_DTYPE_UNDEFINED if it is omitted, no tensor or not known
 * @rank: number of dimensions, -1 if it is omitted, no tensor or not known
 * @dims: (nullable): extents as a graph knows them
 * @sizes: (nullable): extents of a tensor in memory, where @dims is %NULL
 * @constant: (nullable): its elements, if they never change
 * @get: (nullable): reads an element of @data, of a tensor in memory
 * @data: (nullable): what @get reads
 * @n: elements that @get can read
 *
 * What a constraint sees of an input.
 */
typedef struct
{
  AssayDType dtype;
  int rank;
  const AssayDim *dims;
  const gint64 *sizes;
  AssayTensor *constant;
  gboolean (*get) (gconstpointer data, gsize index, double *value);
  gconstpointer data;
  gsize n;
} AssayNodeInput;

/**
 * AssayViolation:
 * @rule: id of the finding
 * @attribute: (nullable): name of the attribute that it is about
 * @word: (nullable): the word of the row of `constraints.def` that it breaks
 * @text: what is wrong and what was expected
 *
 * The first constraint of its operator that a node breaks.
 */
typedef struct
{
  const char *rule;
  const char *attribute;
  const char *word;
  char text[176];
} AssayViolation;

const char *assay_op_get_constraints (AssayOp op);
gboolean assay_node_check_form (const AssayNode *node, AssayViolation *violation);
gboolean assay_node_check_operands (const AssayNode *node, const AssayNodeInput *operands,
                                    AssayViolation *violation);
gboolean assay_graph_check_operands (const AssayGraph *graph, AssayNodeId node,
                                     AssayViolation *violation);
gboolean assay_graph_find_lapse (const AssayGraph *graph, AssayNodeId node, AssayViolation *lapse);
AssayNodeId assay_graph_find_violation (const AssayGraph *graph, AssayViolation *violation);
void assay_graph_set_violation (AssayGraph *graph, AssayNodeId node, const char *text);

G_END_DECLS
